"""What is done in one fold: search on the training rows, fit to them, and judge on the test rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.evaluation._baseline import baseline_in, constant_of
from altsets.evaluation._heard import unheard
from altsets.measures.complaints import complaints_explained
from altsets.measures.judged_rows import JudgedRows, judged_rows
from altsets.measures.models import fresh_model, is_own, one_line
from altsets.problem import FeatureSet
from altsets.quality import Quality
from altsets.result import Result, Status
from altsets.selector import SelectAlternatives, quality_of, search_for
from altsets.tables.encoded import Encoded
from altsets.tables.feature_matrix import Features
from altsets.tables.original import Original
from altsets.tables.target import Target

__all__ = [
    "Fold",
    "Judging",
    "Plan",
    "Resample",
    "assess",
    "quality_on",
    "reselect",
    "said_of",
    "weights_of",
]


@dataclass(frozen=True, eq=False)
class Plan:
    """What all folds have in common.

    Attributes
    ----------
    features, target : Features, Target
        The table and what is to be predicted.
    labels : ndarray
        The target as models and scorers get it.
    weights : ndarray or None
        How much each row counts; rows that do not count are not there.
    table : Encoded or Original
        What models get of the table.
    estimator : estimator, str or None
        The model that judges.
    scoring : mapping of str to callable
        The scorers that judge its predictions.
    random_state : int
        Its seed.
    n_sets : int
        How many sets are asked for.
    selector : SelectAlternatives or None
        Who searches in each fold.
    sets : tuple of tuples of int
        The sets, if they are given instead.
    rows_matter : bool
        Whether the quality of a set depends on the rows; not so for scores that the user brought.
    groups : ndarray or None
        Which rows belong together, for splitters inside the model.
    class_weight : str or None
        How much classes count for a model by name.
    """

    features: Features
    target: Target
    labels: npt.NDArray[Any]
    weights: Floats | None
    table: Encoded | Original
    estimator: Any
    scoring: Mapping[str, Any]
    random_state: int
    n_sets: int
    selector: SelectAlternatives | None = None
    sets: tuple[FeatureSet, ...] = ()
    rows_matter: bool = True
    groups: npt.NDArray[Any] | None = None
    class_weight: str | None = None


@dataclass(frozen=True)
class Fold:
    """What was measured in one fold; set by set, nan for sets that were not found.

    Attributes
    ----------
    number : int
        Which fold this is.
    n_train, n_test : int
        Its rows.
    sets : tuple of tuples of int
        The sets that were found on the training rows, or given.
    statuses : tuple of Status
        What the search proved, one for each set that was asked for; empty for given sets.
    scores, train_scores : dict of str to tuple of float
        By scorer: how well the model predicts the test rows, and the training rows.
    qualities, test_qualities : tuple of float
        The quality that guided the search, on the training rows and on the test rows.
    constant : tuple of (str or None)
        The class, or the amount, that the model predicts for every test row; None if it predicts several.
    baseline : dict of str to float
        By scorer: how well a model that knows no features predicts the test rows; nan where the scorer does not work.
    majority : str or None
        The class that this model predicts for every row; None for amounts.
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
    """What a search found on the rows of one bootstrap sample.

    Attributes
    ----------
    number : int
        Which sample this is.
    n_rows : int
        How many different rows it has.
    sets : tuple of tuples of int
        The sets that were found.
    statuses : tuple of Status
        One for each set that was asked for.
    """

    number: int
    n_rows: int
    sets: tuple[FeatureSet, ...]
    statuses: tuple[Status, ...]


class Judging:
    """One fold: sets that were found on its training rows are judged on its test rows.

    A set is fitted once, however often it is asked about: the same sets are found for many sizes and taus.

    Parameters
    ----------
    plan : Plan
        What all folds have in common.
    number : int
        Which fold this is.
    train, test : ndarray of int
        Its rows.
    """

    def __init__(self, plan: Plan, number: int, train: Indices, test: Indices) -> None:
        self._plan, self._number, self._rows = plan, number, (train, test)
        self._seen, self._unseen = _judged(plan, train), _judged(plan, test)
        self._known: dict[FeatureSet, _Judged] = {}

    def of(
        self, sets: Sequence[FeatureSet], statuses: Sequence[Status] = (), qualities: Sequence[float] = ()
    ) -> Fold:
        """What is measured about sets: those that were found, with one status for each that was asked for; or given."""
        n_sets = len(statuses) or len(sets)
        # Sets that were given have no quality.
        test_qualities = self._test_qualities(sets) if statuses else []
        judged = [self._judged(chosen, position) for position, chosen in enumerate(sets)]
        baseline, majority = self._baseline
        return Fold(
            self._number,
            len(self._rows[0]),
            len(self._rows[1]),
            tuple(sets),
            tuple(statuses),
            {name: _filled([one.scores[name] for one in judged], n_sets) for name in self._plan.scoring},
            {
                name: _filled([one.train_scores[name] for one in judged], n_sets)
                for name in self._plan.scoring
            },
            _filled(qualities, n_sets),
            _filled(test_qualities, n_sets),
            tuple(one.constant for one in judged),
            dict(baseline),
            majority,
        )

    def _judged(self, chosen: FeatureSet, position: int) -> _Judged:
        if chosen not in self._known:
            where = f"fold {self._number}, set {position}"
            judge, constant_in = _judge(self._plan, chosen, self._seen, where)
            scores = {
                name: (judge(name, self._unseen), judge(name, self._seen)) for name in self._plan.scoring
            }
            self._known[chosen] = _Judged(
                {name: both[0] for name, both in scores.items()},
                {name: both[1] for name, both in scores.items()},
                constant_in(self._unseen),
            )
        return self._known[chosen]

    @cached_property
    def _baseline(self) -> tuple[dict[str, float], str | None]:
        plan = self._plan
        return baseline_in(self._seen, self._unseen, plan.scoring, plan.target.is_classes)

    def _test_qualities(self, sets: Sequence[FeatureSet]) -> list[float]:
        """The quality of sets on other rows than those on which they were found; nan where it is not defined."""
        if not self._plan.rows_matter or not sets:
            return []
        try:
            # What few rows lack is no news, and nothing is searched on them.
            with unheard():
                quality = self._on_test_rows
                return [] if quality is None else [_finite(quality.evaluate(chosen)) for chosen in sets]
        except ValueError:
            return []

    @cached_property
    def _on_test_rows(self) -> Quality | None:
        try:
            return quality_on(self._plan, self._rows[1])
        except ValueError:
            # One class alone, too few rows to split ...: nothing is wrong with the sets.
            return None


class _Judged(NamedTuple):
    """What was measured about one set."""

    scores: dict[str, float]
    train_scores: dict[str, float]
    constant: str | None


def assess(plan: Plan, number: int, train: Indices, test: Indices) -> Fold:
    """One fold; nothing that is decided here has seen a test row."""
    if plan.selector is None:
        return Judging(plan, number, train, test).of(plan.sets)
    result = _found(plan, train, f"fold {number}")
    return Judging(plan, number, train, test).of(result.sets, result.statuses, result.qualities)


def reselect(plan: Plan, number: int, rows: Indices) -> Resample:
    """The search once more, on the rows of a bootstrap sample."""
    result = _found(plan, rows, f"bootstrap sample {number}")
    return Resample(number, len(rows), tuple(result.sets), tuple(result.statuses))


def _filled(values: Sequence[float], length: int) -> tuple[float, ...]:
    return (*values[:length], *[math.nan] * (length - len(values)))


def weights_of(plan: Plan, rows: Indices) -> Floats | None:
    """How much some rows count."""
    return None if plan.weights is None else plan.weights[rows]


def _found(plan: Plan, rows: Indices, where: str) -> Result:
    """What the selector finds on some rows."""
    with said_of(where):
        result = search_for(
            plan.selector, quality_on(plan, rows), plan.features.rows(rows), weights_of(plan, rows)
        )
    if result.interrupted:
        # A search takes Ctrl-C as a wish for what it has; here it is about the whole evaluation.
        raise KeyboardInterrupt
    return result


@contextmanager
def said_of(where: str) -> Iterator[None]:
    """Errors say where they come from."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def quality_on(plan: Plan, rows: Indices) -> Quality:
    """What the quality of the selector means on some rows."""
    weights = weights_of(plan, rows) if plan.rows_matter else None
    groups = None if plan.groups is None else plan.groups[rows]
    return quality_of(plan.selector, plan.features.rows(rows), plan.labels[rows], weights, groups)


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.nan


def _judged(plan: Plan, rows: Indices) -> JudgedRows:
    """Some rows, as the model and scorers get them."""
    return judged_rows(plan.table, rows, plan.labels, plan.weights, plan.groups)


def _judge(
    plan: Plan, chosen: FeatureSet, seen: JudgedRows, where: str
) -> tuple[Callable[[str, JudgedRows], float], Callable[[JudgedRows], str | None]]:
    """Fit a model to a set.

    The first function says how well it predicts some rows, by the scorer of a name; the second one what it predicts
    for all of them, if that is one thing.
    """
    model = fresh_model(plan.estimator, plan.target.is_classes, plan.random_state, plan.class_weight)
    try:
        with said_of(where), complaints_explained(plan.features, model, chosen, own=is_own(plan.estimator)):
            seen.fit(model, chosen)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{where}: {type(model).__name__} could not be fitted: {one_line(error)}") from error

    def judge(name: str, rows: JudgedRows) -> float:
        try:
            return rows.score(model, chosen, plan.scoring[name])
        except Exception as error:
            raise InputError(f"{where}: scoring {name!r} does not work: {one_line(error)}") from error

    return judge, lambda rows: constant_of(model, rows.columns(chosen), rows.labels)
