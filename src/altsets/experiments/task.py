"""One task: all searches of a method on one fold of a data set, and the quality of their sets."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from altsets.errors import AltsetsError
from altsets.experiments.design import PlannedSearch, Settings, Task, searches
from altsets.experiments.methods import Method, StudyFold, score_on
from altsets.measures.models import as_columns, fit_tree, fresh_model, matthews, predict_tree
from altsets.problem import FeatureSet
from altsets.quality import Additive, Quality
from altsets.result import Status, StopReason
from altsets.search.find import find
from altsets.search.resources import one_thread


class TreePredictions:
    """Matthews correlations of trees, each set fitted once, however many searches return it."""

    def __init__(self, fold: StudyFold, seed: int) -> None:
        self._train, self._test = (
            (as_columns(rows.X), rows.y.astype(int)) for rows in (fold.train, fold.test)
        )
        self._n_classes = int(max(fold.train.y.max(), fold.test.y.max())) + 1
        self._tree = fresh_model(None, True, seed)
        self._known: dict[tuple[int, ...], tuple[float, float]] = {}

    def __call__(self, chosen: tuple[int, ...]) -> tuple[float, float]:
        """The correlation on training rows and on test rows."""
        if chosen not in self._known:
            features = list(chosen)
            columns, classes = self._train
            tree = fit_tree(self._tree, columns[features], classes)
            on_train, on_test = (
                matthews(classes, predict_tree(tree, columns[features]), self._n_classes)
                for columns, classes in (self._train, self._test)
            )
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
    with one_thread(), warnings.catch_warnings():
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


def _answer(chosen: FeatureSet | None, status: Status, quality: float, bound: float, **effort: Any) -> Answer:
    """One set of a search, or why there is none, with the columns that say so."""
    nothing = dict.fromkeys(("test_objective", "train_mcc", "test_mcc"), math.nan)
    told = {"status": str(status), "features": None, "train_objective": quality, **nothing, "bound": bound}
    return chosen, {**told, "n_evaluated": 0, "search_seconds": 0.0, "timed_out": False, **effort}


def _answers(method: Method, made: Quality, planned: PlannedSearch, settings: Settings) -> Iterable[Answer]:
    if planned.k > made.n_features_in:
        # Nothing to ask: there are not enough features for a single set.
        return [_answer(None, Status.INFEASIBLE, math.nan, -math.inf)] * (planned.n_alternatives + 1)
    options: dict[str, Any] = {"engine": method.engine, "max_iters": settings.max_iters}
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
            yield from [(None, row | {"search_seconds": 0.0, "n_evaluated": 0})] * left
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
    started = time.perf_counter()
    found = find(
        made,
        planned.k,
        planned.n_alternatives,
        min_difference=planned.min_difference,
        search=planned.search,
        aggregation=planned.aggregation,
        existing=existing,
        time_limit=None if limit is None else limit * (planned.n_alternatives + 1),
        **options,
    )
    seconds = time.perf_counter() - started
    if found.stop_reason == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    effort = {
        "n_evaluated": found.evaluated,
        "search_seconds": seconds,
        "timed_out": found.stop_reason == StopReason.TIME_LIMIT,
    }
    missing = len(found.statuses) - len(found.sets)
    sets, qualities = [*found.sets, *[None] * missing], [*found.qualities, *[math.nan] * missing]
    return [
        _answer(chosen, status, value, found.bound, **effort)
        for chosen, status, value in zip(sets, found.statuses, qualities, strict=True)
    ]


def failure(task: Task, error: BaseException) -> Row:
    """The row of a task that did not come to its end."""
    said = str(error).strip() or type(error).__name__
    kind = "" if isinstance(error, AltsetsError) else f"{type(error).__name__}: "
    return {**asdict(task), "error": " ".join(f"{kind}{said}".split())}
