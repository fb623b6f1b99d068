"""The paper's five methods, the rows they are computed on, and one task: all searches of a method on one fold."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from altsets import Status, find, measures
from altsets.errors import AltsetsError, InputError
from altsets.quality import CFS, FCBF, MRMR, Additive, Quality, Wrapper
from altsets_study.datasets import Floats, Indices, StudyTable
from altsets_study.design import PlannedSearch, Settings, Task, searches

#: The indices of the features of a set.
FeatureSet = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Information:
    """Mutual information of some rows: of each feature with the target, and of each feature with each other."""

    relevance: Floats
    pairs: Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table: features, the two values of the target, names of the features.

    Attributes
    ----------
    known : Information or None
        Their mutual information, for methods that use it.
    """

    X: Floats
    y: Indices
    feature_names: tuple[str, ...]
    known: Information | None = None

    @property
    def information(self) -> Information:
        """Their mutual information, for methods that said that they use it."""
        assert self.known is not None
        return self.known


@dataclass(frozen=True, eq=False)
class StudyFold:
    """One part of a cross-validation."""

    train: Rows
    test: Rows

    def knowing(self, train: Information, test: Information) -> StudyFold:
        """The same with the mutual information of either part."""
        return StudyFold(replace(self.train, known=train), replace(self.test, known=test))


def fold_of(table: StudyTable, number: int, settings: Settings) -> StudyFold:
    """The rows of one fold of a stratified cross-validation."""
    folds = StratifiedKFold(n_splits=settings.n_folds, shuffle=True, random_state=settings.seed)
    train, test = list(folds.split(table.X, table.y))[number]
    parts = (Rows(table.X[rows], table.y[rows], tuple(table.feature_names)) for rows in (train, test))
    return StudyFold(*parts)


def information_of(rows: Rows, settings: Settings) -> Information:
    """All that three methods need, computed once; on one thread, as other folds run beside it."""
    options: dict[str, Any] = {"n_jobs": 1, "random_state": settings.seed}
    as_in_paper = settings.information == "paper"
    if as_in_paper:
        # Classes count as numbers there, as all features do.
        options |= {"method": "sklearn", "discrete": False}
    task = "regression" if as_in_paper else "classification"
    with warnings.catch_warnings():
        # Copies and constants of these data sets are well known.
        warnings.simplefilter("ignore")
        relevance, _ = measures.score(rows.X, rows.y, "mutual_info", task=task, **options)
        pairs = measures.pairwise(rows.X, "mutual_info", **options)
    if as_in_paper:
        _add_noise_of_constants(rows, relevance, pairs, settings.seed)
    return Information(relevance, pairs)


# --- Constant columns ---------------------------------------------------------------------------------


def _add_noise_of_constants(rows: Rows, relevance: Floats, pairs: Floats, seed: int) -> None:
    """Give constant columns the information of the noise that the paper's estimator adds, in place.

    altsets says 0, which is right, but a few features of the study would be ranked otherwise.
    """
    constant = np.flatnonzero(np.ptp(rows.X, axis=0) == 0)
    if not len(constant):
        return
    noise = np.random.RandomState(seed)
    features = _noisy(rows.X, noise)
    state = noise.get_state()
    for number, target in enumerate([rows.y, *rows.X.T], start=-1):
        # For each target the estimator starts from the seed again, and draws for the features first.
        noise.set_state(state)
        said = features[:, constant if number not in constant else slice(None)]
        target_column = _noisy(np.asarray(target, dtype=np.float64)[:, None], noise)[:, 0]
        values = [_nearest_neighbour_information(column, target_column) for column in said.T]
        if number < 0:
            relevance[constant] = values
        else:
            pairs[number, constant if number not in constant else slice(None)] = values


def _noisy(columns: Floats, noise: np.random.RandomState) -> Floats:
    """Columns of standard deviation 1, but for constants, with the noise that breaks ties."""
    spread = columns.std(axis=0)
    scaled = columns / np.where(spread > 0, spread, 1.0)
    size = np.maximum(1.0, np.mean(np.abs(scaled), axis=0))
    noisy: Floats = scaled + 1e-10 * size * noise.standard_normal(scaled.shape)
    return noisy


def _nearest_neighbour_information(x: Floats, y: Floats, n_neighbours: int = 3) -> float:
    """The estimate of Kraskov, Stoegbauer and Grassberger (2004): how many points are as near in x and in y alone."""
    from scipy.special import digamma
    from sklearn.neighbors import KDTree

    points = np.column_stack([x, y])
    distances, _ = KDTree(points, metric="chebyshev").query(points, k=n_neighbours + 1)
    radius = np.nextafter(distances[:, -1], 0)
    counts = [
        KDTree(one[:, None], metric="chebyshev").query_radius(one[:, None], radius, count_only=True)
        for one in (x, y)
    ]
    mean = sum(float(np.mean(digamma(count))) for count in counts)
    return max(0.0, float(digamma(len(x)) + digamma(n_neighbours)) - mean)


Maker = Callable[[Rows, Settings], Quality]


@dataclass(frozen=True)
class Method:
    """A notion of feature-set quality.

    Attributes
    ----------
    name : str
        What results call it.
    make : callable
        ``make(rows, settings) -> quality``; called with training rows for the search, and with test rows
        to score its sets. It can be sent to another process.
    uses_information : bool
        Whether it needs mutual information, which is computed once for all methods that do.
    engine : str
        The search engine; the paper's Greedy Wrapper is an engine of its own.

    See Also
    --------
    altsets_study.reproduce : Takes methods, by name or as objects.

    Examples
    --------
    >>> import altsets_study
    >>> from altsets import quality
    >>> def pearson(rows, settings):
    ...     return quality.Additive.from_data(rows.X, rows.y, measure="pearson")
    >>> altsets_study.Method("pearson", pearson).engine
    'auto'
    """

    name: str
    make: Maker
    uses_information: bool = False
    engine: str = "auto"


def _mutual_information(rows: Rows, settings: Settings) -> Additive:
    """Relevance, divided by its sum."""
    return Additive(_shares(rows.information.relevance), feature_names=rows.feature_names)


def _fcbf(rows: Rows, settings: Settings) -> FCBF:
    """The same with conflicts, which are decided before scaling."""
    total = math.fsum(rows.information.relevance.tolist())
    return FCBF(
        rows.information.relevance,
        rows.information.pairs,
        scale=1 / total if total > 0 else 1.0,
        feature_names=rows.feature_names,
    )


def _mrmr(rows: Rows, settings: Settings) -> MRMR:
    """Relevance and redundancy without self-information, divided by the largest of all."""
    redundancy = rows.information.pairs.copy()
    np.fill_diagonal(redundancy, 0.0)
    largest = max(float(rows.information.relevance.max()), float(redundancy.max())) or 1.0
    return MRMR(rows.information.relevance / largest, redundancy / largest, feature_names=rows.feature_names)


def _model_gain(rows: Rows, settings: Settings) -> Additive:
    """Importance in a decision tree on all features."""
    return Additive.from_data(
        rows.X,
        rows.y,
        measure="importance",
        task="classification",
        random_state=settings.seed,
        feature_names=rows.feature_names,
    )


def _greedy_wrapper(rows: Rows, settings: Settings) -> Wrapper:
    """Matthews correlation of a decision tree on a part of the rows that is held out."""
    return Wrapper(
        None,
        rows.X,
        rows.y,
        task="classification",
        random_state=settings.seed,
        feature_names=rows.feature_names,
        max_iters=settings.max_iters,
    )


def _by_name(name: str, rows: Rows, settings: Settings) -> Quality:
    named: dict[str, Any] = {"feature_names": rows.feature_names}
    if name == "cfs":
        return CFS.from_data(rows.X, rows.y, task="classification", **named)
    taken = inspect.signature(measures.MEASURES[name]).parameters
    options = {"task": "classification", "random_state": settings.seed, "n_jobs": 1}
    named |= {option: value for option, value in options.items() if option in taken}
    return Additive.from_data(rows.X, rows.y, measure=name, **named)


#: The paper's, by the names that the command line has for them.
PAPER_METHODS = {
    method.name: method
    for method in (
        Method("mutual_info", _mutual_information, uses_information=True),
        Method("fcbf", _fcbf, uses_information=True),
        Method("mrmr", _mrmr, uses_information=True),
        Method("model_gain", _model_gain),
        Method("greedy_wrapper", _greedy_wrapper, engine="greedy-wrapper"),
    )
}


def method_named(name: str) -> Method:
    """One of the paper's methods, CFS, or the sum of any measure."""
    ours = "mutual_info" if name == "mi" else name
    if ours in PAPER_METHODS:
        return PAPER_METHODS[ours]
    if name != "cfs" and name not in measures.MEASURES:
        known = ", ".join(
            [*PAPER_METHODS, "cfs", *(one for one in measures.MEASURES if one not in PAPER_METHODS)]
        )
        raise InputError(f"method {name!r} is unknown; choose from {known}.")
    return Method(name, partial(_by_name, name))


def score_on(method: Method, rows: Rows, settings: Settings) -> Callable[..., float]:
    """The quality of given sets on rows that they were not chosen on; conflicts of FCBF rule nothing out there."""
    made = method.make(rows, settings)
    if isinstance(made, FCBF):
        made = _mutual_information(rows, settings)
    return made.evaluate


def _shares(values: Floats) -> Floats:
    total = math.fsum(values.tolist())
    return values / (total if total > 0 else 1.0)


# --- One task: all searches of a method on one fold ----------------------------------------------------


def _matthews(true: Indices, predicted: Indices) -> float:
    """Matthews correlation, which is Pearson's for two classes; 0 where it is not defined."""
    if np.ptp(true) == 0 or np.ptp(predicted) == 0:
        return 0.0
    high = true.max()
    return float(np.corrcoef(true == high, predicted == high)[0, 1])


class TreePredictions:
    """Matthews correlations of trees, each set fitted once, however many searches return it."""

    def __init__(self, fold: StudyFold, seed: int) -> None:
        self._parts = [(part.X.astype(np.float32), part.y) for part in (fold.train, fold.test)]
        self._seed = seed
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def __call__(self, chosen: tuple[int, ...]) -> tuple[float, float]:
        """The correlation on training rows and on test rows."""
        if chosen not in self._known:
            parts = [(X[:, chosen], y) for X, y in self._parts]
            tree = DecisionTreeClassifier(criterion="entropy", random_state=self._seed)
            tree.fit(*parts[0], check_input=False)
            on_train, on_test = (_matthews(y, tree.predict(X, check_input=False)) for X, y in parts)
            self._known[chosen] = on_train, on_test
        return self._known[chosen]


#: What is known about one set of one search, by the names of the columns in the results.
Row = dict[str, Any]
#: A set of a search, if there is one, and the columns that are about it.
Answer = tuple[FeatureSet | None, Row]


def rows_of(
    task: Task,
    method: Method,
    sizes: Sequence[int],
    fold: StudyFold,
    settings: Settings,
) -> list[Row]:
    """Run the searches for these sizes; one row for each search and set."""
    with threadpool_limits(1), warnings.catch_warnings():
        # Copies and constants of these data sets are well known.
        warnings.simplefilter("ignore")
        made = method.make(fold.train, settings)
        on_test = score_on(method, fold.test, settings)
        predictions = TreePredictions(fold, settings.seed)
        rows: list[Row] = []
        for size in sizes:
            # The paper's two heuristics apply to univariate qualities only.
            for planned in searches(size, heuristics=isinstance(made, Additive)):
                asked = {
                    **asdict(task),
                    "n_features_in": made.n_features_in,
                    **asdict(planned),
                    "tau": planned.tau,
                }
                for number, (chosen, row) in enumerate(_answers(method, made, planned, settings)):
                    row = {**asked, "number": number, **row}
                    if chosen is not None:
                        row["features"] = [made.feature_names[feature] for feature in chosen]
                        row["test_objective"] = on_test(chosen)
                        row["train_mcc"], row["test_mcc"] = predictions(chosen)
                    rows.append(row)
    return rows


#: What a search took. The row of its first set has it, and those of the others have this, so that sums are right.
NO_EFFORT = {"n_evaluated": 0, "n_iterations": 0, "search_seconds": 0.0, "processor_seconds": 0.0}


def _answer(chosen: FeatureSet | None, status: Status, quality: float, bound: float, **effort: Any) -> Answer:
    """One set of a search, or why there is none, with the columns that say so."""
    nothing = dict.fromkeys(("test_objective", "train_mcc", "test_mcc"), math.nan)
    told = {"status": str(status), "features": None, "train_objective": quality, **nothing, "bound": bound}
    return chosen, {**told, **NO_EFFORT, "timed_out": False, **effort}


def _answers(method: Method, made: Quality, planned: PlannedSearch, settings: Settings) -> Iterable[Answer]:
    if planned.k > made.n_features_in:
        # Nothing to ask: there are not enough features for a single set.
        return [_answer(None, Status.INFEASIBLE, math.nan, -math.inf)] * (planned.n_alternatives + 1)
    options: dict[str, Any] = {"engine": method.engine}
    # Black boxes end by the number of sets they try, so that their answers do not depend on the clock.
    limit = settings.seconds(method.name, planned.k) if made.has_form else None
    if planned.search == "sequential":
        return _one_by_one(made, planned, limit, options)
    return _at_once(made, planned, limit, options)


def _one_by_one(
    made: Quality, planned: PlannedSearch, limit: float | None, options: dict[str, Any]
) -> Iterator[Answer]:
    """Each set is a search of its own, with its own time limit, given the sets before."""
    before: list[FeatureSet] = []
    for number in range(planned.n_alternatives + 1):
        [(chosen, row)] = _at_once(made, replace(planned, n_alternatives=0), limit, options, before)
        yield chosen, row
        if chosen is None:
            # Given the same sets, a later one is no easier to find: no further search.
            left = planned.n_alternatives - number
            yield from [(None, row | NO_EFFORT)] * left
            return
        before.append(chosen)


def _at_once(
    made: Quality,
    planned: PlannedSearch,
    limit: float | None,
    options: dict[str, Any],
    existing: Sequence[FeatureSet] = (),
) -> list[Answer]:
    if planned.search.startswith("greedy-"):
        options = {}
    started, started_cpu = time.perf_counter(), time.process_time()
    found = find(
        made,
        planned.k,
        planned.n_alternatives,
        tau=planned.min_difference,
        dissimilarity="absolute",
        search=planned.search,
        aggregation=planned.aggregation,
        existing=existing,
        time_limit=None if limit is None else limit * (planned.n_alternatives + 1),
        **options,
    )
    effort = {
        "n_evaluated": found.evaluated,
        "n_iterations": found.iterations,
        "search_seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - started_cpu,
    }
    if found.stop_reason == "interrupted":
        raise KeyboardInterrupt
    late = found.stop_reason == "time_limit"
    missing = len(found.statuses) - len(found.sets)
    sets, qualities = [*found.sets, *[None] * missing], [*found.qualities, *[math.nan] * missing]
    return [
        _answer(chosen, status, value, found.bound, timed_out=late, **({} if number else effort))
        for number, (chosen, status, value) in enumerate(zip(sets, found.statuses, qualities, strict=True))
    ]


def failure(task: Task, error: BaseException) -> Row:
    """The row of a task that did not come to its end."""
    said = str(error).strip() or type(error).__name__
    kind = "" if isinstance(error, AltsetsError) else f"{type(error).__name__}: "
    return {**asdict(task), "error": " ".join(f"{kind}{said}".split())}
