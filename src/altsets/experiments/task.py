"""One task: all searches of a method on one fold of a data set, and the quality of their sets."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from altsets.errors import AltsetsError
from altsets.experiments.design import PlannedSearch, Settings, Task, searches
from altsets.experiments.methods import Method, StudyFold, has_no_time_limit, knows_heuristics, score_on
from altsets.measures.models import as_columns, fit_tree, fresh_model, matthews, predict_tree
from altsets.problem import FeatureSet
from altsets.quality import Quality
from altsets.result import Result, Status, StopReason
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


@dataclass(frozen=True)
class _Answer:
    """One set of a search, or why there is none."""

    status: Status
    chosen: FeatureSet | None
    quality: float
    bound: float
    n_evaluated: int
    seconds: float
    timed_out: bool


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
            for planned in searches(size, knows_heuristics(made)):
                for number, answer in enumerate(_answers(method, made, planned, settings)):
                    row = _row(task, made, planned, number, answer)
                    if answer.chosen is not None:
                        row["test_objective"] = on_test(answer.chosen)
                        row["train_mcc"], row["test_mcc"] = predictions(answer.chosen)
                    rows.append(row)
    return rows


def _answers(method: Method, made: Quality, planned: PlannedSearch, settings: Settings) -> Iterable[_Answer]:
    if planned.k > made.n_features_in:
        # Nothing to ask: there are not enough features for a single set.
        nothing = _Answer(Status.INFEASIBLE, None, math.nan, -math.inf, 0, 0.0, False)
        return [nothing] * (planned.n_alternatives + 1)
    options: dict[str, Any] = {"engine": method.engine, "max_iters": settings.max_iters}
    limit = None if has_no_time_limit(made) else settings.seconds(method.name, planned.k)
    if planned.search == "sequential":
        return _one_by_one(made, planned, limit, options)
    return _at_once(made, planned, limit, options)


def _one_by_one(
    made: Quality, planned: PlannedSearch, limit: float | None, options: dict[str, Any]
) -> Iterator[_Answer]:
    """Each set is a search of its own, with its own time limit, given the sets before."""
    before: list[FeatureSet] = []
    for number in range(planned.n_alternatives + 1):
        answer = next(iter(_at_once(made, replace(planned, n_alternatives=0), limit, options, before)))
        yield answer
        if answer.chosen is None:
            # Given the same sets, a later one is no easier to find: no further search.
            left = planned.n_alternatives - number
            yield from [replace(answer, seconds=0.0, n_evaluated=0)] * left
            return
        before.append(answer.chosen)


def _at_once(
    made: Quality,
    planned: PlannedSearch,
    limit: float | None,
    options: dict[str, Any],
    existing: Sequence[FeatureSet] = (),
) -> list[_Answer]:
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
    return [_answer(found, number, seconds) for number in range(planned.n_alternatives + 1)]


def _answer(found: Result, number: int, seconds: float) -> _Answer:
    there = number < len(found.sets)
    return _Answer(
        found.statuses[number],
        found.sets[number] if there else None,
        found.qualities[number] if there else math.nan,
        found.bound,
        found.evaluated,
        seconds,
        found.stop_reason == StopReason.TIME_LIMIT,
    )


def _row(task: Task, made: Quality, planned: PlannedSearch, number: int, answer: _Answer) -> Row:
    names = made.feature_names
    chosen = answer.chosen
    return {
        "dataset": task.dataset,
        "fold": task.fold,
        "method": task.method,
        "n_features_in": made.n_features_in,
        "k": planned.k,
        "tau": planned.tau,
        "search": planned.search,
        "aggregation": planned.aggregation,
        "n_alternatives": planned.n_alternatives,
        "number": number,
        "status": str(answer.status),
        "features": None if chosen is None else [names[feature] for feature in chosen],
        "train_objective": answer.quality,
        "test_objective": math.nan,
        "train_mcc": math.nan,
        "test_mcc": math.nan,
        "bound": answer.bound,
        "n_evaluated": answer.n_evaluated,
        "search_seconds": answer.seconds,
        "timed_out": answer.timed_out,
    }


def failure(task: Task, error: BaseException) -> Row:
    """The row of a task that did not come to its end."""
    said = str(error).strip() or type(error).__name__
    kind = "" if isinstance(error, AltsetsError) else f"{type(error).__name__}: "
    return {
        "dataset": task.dataset,
        "fold": task.fold,
        "method": task.method,
        "error": " ".join(f"{kind}{said}".split()),
    }
