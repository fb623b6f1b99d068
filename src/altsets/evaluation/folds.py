"""One fold: search and fit on the training rows, score on the test rows, and a dummy model as the baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.evaluation.pipelines import SearchPipeline
from altsets.measures.models import one_line
from altsets.measures.risk_sets import ConcordanceScorer, ConstantRisk
from altsets.measures.scoring import ModelRows, explain_fit_errors, positive_label, weight_scorer
from altsets.measures.workers import WarningCapture
from altsets.problem import FeatureSet
from altsets.quality import Quality
from altsets.result import Result, Status
from altsets.selector import SelectAlternatives, quality_of, search_for
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import is_survival
from altsets.tables.target import Outcome, Target, target_of

#: Makes the unfitted model of a set by its number.
ModelOf = Callable[[int], Any]


@dataclass(frozen=True, eq=False)
class Plan:
    """What all folds have in common; rows of weight 0 are not there.

    ``rows`` are what models and scorers get. Either ``selector`` or ``pipeline`` searches in each fold, or ``sets`` are
    given. ``rows_matter`` is False for scores that the user supplied: they are the same on all rows.
    """

    features: Features
    target: Outcome
    rows: ModelRows
    #: Returns an unfitted model, which may be the user's own.
    fresh_model: Callable[[], Any]
    is_own: bool
    scoring: Mapping[str, Any]
    n_sets: int
    selector: SelectAlternatives | None = None
    sets: tuple[FeatureSet, ...] = ()
    rows_matter: bool = True
    pipeline: SearchPipeline | None = None

    @property
    def searches(self) -> bool:
        return self.selector is not None or self.pipeline is not None

    @property
    def names(self) -> Sequence[str]:
        """The names of the features that sets are made of."""
        return self.features.feature_names if self.pipeline is None else self.pipeline.names

    def on(self, rows: Indices) -> tuple[Quality, Features, Floats | None]:
        """Return the quality of the selector on some rows, with these rows and their weights."""
        features, labels = self.features.rows(rows), self.rows.labels[rows]
        # Not the columns of models, which may be large.
        parts = (self.rows.weights, self.rows.groups)
        weights, groups = (None if each is None else each[rows] for each in parts)
        counting = weights if self.rows_matter else None
        return quality_of(self._selector_on(labels), features, labels, counting, groups), features, weights

    def _selector_on(self, labels: npt.NDArray[Any]) -> Any:
        """Return the selector, with the task of the whole table where some rows alone do not show it.

        Otherwise "auto" stays, as in ``fit``: correlations take numbers as they are, which "classification" refuses.
        """
        from sklearn.base import clone

        selector, target = self.selector, self.target
        if selector is None or selector.task != "auto" or not isinstance(target, Target):
            return selector
        try:
            if target.numeric is not None and target_of(labels, len(labels)).task == target.task:
                return selector
        except InputError:
            # Such as a single class, which the quality reports.
            pass
        return clone(selector).set_params(task=target.task)


@dataclass(frozen=True)
class Fold:
    """The measurements of one fold, set by set, nan for sets that were not found.

    Attributes
    ----------
    number : int
    n_train, n_test : int
        Numbers of rows.
    sets : tuple of tuples of int
        The sets that were found on the training rows, or given.
    statuses : tuple of Status
        What the search proved, one for each requested set; empty for given sets.
    scores, train_scores : dict of str to tuple of float
        By scorer: how well the model predicts the test rows, and the training rows.
    qualities, test_qualities : tuple of float
        The quality that guided the search, on the training rows and on the test rows.
    constant : tuple of (str or None)
        The class, or the number, that the model predicts for every test row; None if it predicts several.
    baseline : dict of str to float
        By scorer: how well a dummy model, without features, predicts the test rows; nan where the scorer does not work.
    majority : str or None
        The class that this model predicts for every row; None for regression.

    See Also
    --------
    altsets.results.Evaluation : Its ``folds``.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> fold = altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15, n_repeats=1).folds[0]
    >>> fold.sets, fold.n_train, fold.n_test, fold.scores["matthews_corrcoef"][0]
    (((0,), (2,)), 24, 6, 1.0)
    """

    number: int
    n_train: int
    n_test: int
    sets: tuple[FeatureSet, ...]
    statuses: tuple[Status, ...] = ()
    scores: dict[str, tuple[float, ...]] = field(default_factory=dict)
    train_scores: dict[str, tuple[float, ...]] = field(default_factory=dict)
    qualities: tuple[float, ...] = ()
    test_qualities: tuple[float, ...] = ()
    constant: tuple[str | None, ...] = ()
    baseline: dict[str, float] = field(default_factory=dict)
    majority: str | None = None


@dataclass(frozen=True)
class Resample:
    """The sets that a search found on the rows of one bootstrap sample.

    Attributes
    ----------
    number : int
    n_rows : int
        The number of its distinct rows.
    sets : tuple of tuples of int
    statuses : tuple of Status
        One for each requested set.

    See Also
    --------
    altsets.results.Evaluation : Its ``resamples``.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1)
    >>> sample = altsets.evaluate(selector, X, ["no", "yes"] * 15, n_bootstraps=2, n_repeats=1).resamples[1]
    >>> sample.number, len(sample.sets)
    (1, 2)
    """

    number: int
    n_rows: int
    sets: tuple[FeatureSet, ...]
    statuses: tuple[Status, ...]


class FoldScorer:
    """Score sets that were found on the training rows of a fold on its test rows.

    Each set is fitted once, however often it occurs: the same sets are found for many sizes and taus. Models of a
    pipeline get all columns, and keep those of the set.
    """

    def __init__(
        self, plan: Plan, number: int, train: Indices, test: Indices, model_of: ModelOf | None = None
    ) -> None:
        self._plan, self._number, self._test_rows, self._model_of = plan, number, test, model_of
        self._train, self._test = plan.rows.part(train), plan.rows.part(test)
        #: Test scores, training scores and the constant prediction, if any.
        self._known: dict[FeatureSet, tuple[dict[str, float], dict[str, float], str | None]] = {}

    def score(
        self,
        sets: Sequence[FeatureSet],
        statuses: Sequence[Status] = (),
        qualities: Sequence[float] = (),
        n_sets: int | None = None,
    ) -> Fold:
        """Score sets: those that were found, with one status for each that was requested; or given ones."""
        n_sets = n_sets or len(statuses) or len(sets)

        def pad(values: Sequence[float]) -> tuple[float, ...]:
            return (*values[:n_sets], *[math.nan] * (n_sets - len(values)))

        for position, chosen in enumerate(sets):
            if chosen not in self._known:
                self._known[chosen] = self._score_set(chosen, position)
        found = [self._known[chosen] for chosen in sets]
        baseline, majority = self._baseline
        return Fold(
            self._number,
            len(self._train.labels),
            len(self._test.labels),
            tuple(sets),
            tuple(statuses),
            {name: pad([scores[name] for scores, _, _ in found]) for name in self._plan.scoring},
            {name: pad([scores[name] for _, scores, _ in found]) for name in self._plan.scoring},
            pad(qualities),
            # Given sets have no quality.
            pad(self._test_qualities(sets) if statuses else []),
            tuple(constant for _, _, constant in found),
            dict(baseline),
            majority,
        )

    def _score_set(
        self, chosen: FeatureSet, position: int
    ) -> tuple[dict[str, float], dict[str, float], str | None]:
        plan, where = self._plan, f"fold {self._number}, set {position}"
        if self._model_of is None:
            model, columns = plan.fresh_model(), chosen
        else:
            model, columns = self._model_of(position), tuple(range(plan.features.n_features))
        try:
            with locate_errors(where), explain_fit_errors(plan.features, model, columns, own=plan.is_own):
                model = self._train.fit(model, columns)
        except InputError:
            raise
        except Exception as error:
            named = f"{where}: {type(model).__name__}"
            raise InputError(f"{named} could not be fitted: {one_line(error)}") from error
        scores, train_scores = (
            {name: _score(model, columns, rows, name, scorer, where) for name, scorer in plan.scoring.items()}
            for rows in (self._test, self._train)
        )
        constant = constant_prediction(model, self._test.columns(columns), self._test.labels)
        return scores, train_scores, constant

    @cached_property
    def _baseline(self) -> tuple[dict[str, float], str | None]:
        return score_baseline(self._train, self._test, self._plan.scoring, self._plan.target.is_classes)

    def _test_qualities(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the quality of sets on the test rows; nan where it is not defined."""
        # The steps of a pipeline before the search are not fitted to test rows.
        if not self._plan.rows_matter or not sets or self._model_of is not None:
            return []
        try:
            # Warnings about few rows do not matter here: nothing is searched on them.
            with WarningCapture():
                found = [float(self._test_quality.evaluate(chosen)) for chosen in sets]
        except ValueError:
            # One class alone, too few rows to split ...: nothing is wrong with the sets.
            return []
        return [value if math.isfinite(value) else math.nan for value in found]

    @cached_property
    def _test_quality(self) -> Quality:
        return self._plan.on(self._test_rows)[0]


def _score(model: Any, chosen: Sequence[int], rows: ModelRows, name: str, scorer: Any, where: str) -> float:
    try:
        return rows.score(model, chosen, scorer)
    except Exception as error:
        why = f": {one_line(error)}"
        if rows.labels.ndim > 1 and "multi" in why:
            remedy = "use matthews_mean for classes, f1_macro or f1_micro for labels, or r2 for numbers."
            why = f" with several targets of this kind; {remedy}"
        raise InputError(f"{where}: scoring {name!r} does not work{why}") from error


def with_number_found(plan: Plan) -> Plan:
    """Return the plan of a search for as many sets as there are: each fold has as many as all rows give."""
    result, *_ = search(plan, np.arange(plan.features.n_rows), "all rows")
    if not result.sets:
        raise InputError(f"no set was found on all rows. {result.reason}".strip())
    return replace(plan, n_sets=len(result.sets))


def search_bootstrap(plan: Plan, number: int, rows: Indices) -> Resample:
    _, sets, statuses, _ = search(plan, rows, f"bootstrap sample {number}")
    return Resample(number, len(rows), tuple(sets), tuple(statuses))


def search(
    plan: Plan, rows: Indices, where: str
) -> tuple[Result, Sequence[FeatureSet], Sequence[Status], ModelOf | None]:
    """Search on some rows; sets and statuses are cut to the number that all folds have.

    The last item makes the models of a pipeline; None without one.
    """
    model_of, n_sets = None, plan.n_sets
    with locate_errors(where):
        if plan.pipeline is None:
            result = search_for(plan.selector, *plan.on(rows))
            sets = result.sets
        else:
            with explain_fit_errors(plan.features, plan.pipeline.model, own=True):
                result, sets, model_of = plan.pipeline.search(plan.rows.part(rows))
    if result.interrupted:
        # A search returns what it has after Ctrl-C; here that ends the whole evaluation.
        raise KeyboardInterrupt
    statuses = [*result.statuses, *[Status.NOT_FOUND] * (n_sets - len(result.statuses))]
    return result, sets[:n_sets], statuses[:n_sets], model_of


@contextmanager
def locate_errors(where: str) -> Iterator[None]:
    """Prefix input errors with the place where they occur."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


# --- Dummy-model baseline ------------------------------------------------------------------------------


#: Scores that are 0 without a positive prediction, and so for the most frequent class, which is mostly the other one.
OF_POSITIVES = ("f1_score", "fbeta_score", "jaccard_score", "precision_score")
#: Averages over classes that reward a prediction for naming each class now and then.
OVER_CLASSES = ("macro", "weighted")


def kind_of(scoring: Any, classes: bool, several: bool = False) -> str:
    """Return which prediction without features is best by a score, as far as that is known: a key of ``GUESSES``."""
    from sklearn.metrics import get_scorer

    if isinstance(scoring, ConcordanceScorer):
        return "risk"
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    name = str(getattr(getattr(scorer, "_score_func", scorer), "__name__", ""))
    if classes and getattr(scorer, "_response_method", "predict") != "predict":
        return "shares"
    if classes and name in OF_POSITIVES:
        if several:
            return "labels"
        if getattr(scorer, "_kwargs", {}).get("average") in OVER_CLASSES:
            return "guess"
        if positive_label(scorer) is not None:
            return "positive"
    if classes:
        return "class"
    return "median" if "absolute" in name or "pinball" in name else "mean"


def score_baseline(
    train: ModelRows, test: ModelRows, scoring: Mapping[str, Any], classes: bool
) -> tuple[dict[str, float], str | None]:
    """Return test scores of a dummy model, by scorer (nan where one does not work), and the most frequent class."""
    if is_survival(train.labels):
        return {name: _score_dummy(ConstantRisk(), scorer, test) for name, scorer in scoring.items()}, None
    several = train.labels.ndim > 1
    scores = {}
    for name, scorer in scoring.items():
        kind = kind_of(scorer, classes, several)
        if kind == "guess":
            scores[name] = _score_guess(train, scorer, test)
        else:
            scores[name] = _score_dummy(_fit_dummy(train, kind, scorer), scorer, test)
    if several or not classes:
        return scores, None
    return scores, class_name(_fit_dummy(train, "class").predict(_no_features(1))[0])


def _fit_dummy(train: ModelRows, kind: str, scorer: Any = None) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    labels, constant = train.labels, None
    if kind == "positive" and (labels == positive_label(scorer)).any():
        constant = [positive_label(scorer)]
    elif kind == "labels":
        # The last class of each target: of labels, that a row has it.
        constant = [np.unique(column)[-1] for column in labels.T]
    if kind in ("mean", "median"):
        model = DummyRegressor(strategy=kind)
    else:
        # With "prior", the class is the most frequent one, and the probabilities are the shares of all.
        strategy = "prior" if constant is None else "constant"
        model = DummyClassifier(strategy=strategy, constant=constant)
    return model.fit(_no_features(len(labels)), labels, train.weights)


def _no_features(n_rows: int) -> Floats:
    """A table without information; a score that looks at it anyway becomes nan as well."""
    return np.full((n_rows, 1), math.nan)


def _score_dummy(model: Any, scorer: Any, rows: ModelRows) -> float:
    score = weight_scorer(scorer, rows.weights)
    return _without_errors(lambda: score(model, _no_features(len(rows.labels)), rows.labels))


def _without_errors(score: Callable[[], Any]) -> float:
    try:
        # Scorers warn of a constant prediction, such as precision without any positive one.
        with WarningCapture():
            return float(score())
    except Exception:
        return math.nan


def _score_guess(train: ModelRows, scorer: Any, test: ModelRows) -> float:
    """Return the better score of always the most frequent class, and of classes at random by their shares.

    At random means that each class is predicted for its share of the rows of every class, so nothing is drawn.
    """
    classes, shares = _count_classes(train)
    actual, counts = _count_classes(test)

    def score(predicted: Floats) -> Any:
        rows, columns = np.nonzero(weights := np.outer(counts, predicted))
        options = {**scorer._kwargs, "sample_weight": weights[rows, columns]}
        return scorer._sign * scorer._score_func(actual[rows], classes[columns], **options)

    most_frequent = np.eye(len(shares))[shares.argmax()]
    return max(_without_errors(partial(score, predicted)) for predicted in (shares, most_frequent))


def _count_classes(rows: ModelRows) -> tuple[npt.NDArray[Any], Floats]:
    classes, codes = np.unique(rows.labels, return_inverse=True)
    counts = np.bincount(codes, rows.weights, len(classes))
    return classes, counts / counts.sum()


def constant_prediction(model: Any, table: Any, labels: npt.NDArray[Any]) -> str | None:
    """Return the one value that a model predicts for every row though the labels differ; None otherwise."""
    if len(labels) < 2 or labels.ndim > 1 or is_survival(labels) or (labels == labels[0]).all():
        return None
    try:
        predicted = np.asarray(model.predict(table))
        constant = predicted.shape == labels.shape and bool((predicted == predicted[0]).all())
    except Exception:
        # Custom scorers may need something other than predictions of a model.
        return None
    return class_name(predicted[0]) if constant else None


def class_name(label: Any) -> str:
    value = label.item() if isinstance(label, np.generic) else label
    return f"{value:g}" if isinstance(value, float) else str(value)
