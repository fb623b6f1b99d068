"""One fold: search and fit on the training rows, score on the test rows."""

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
from altsets.evaluation._baseline import constant_prediction, score_baseline
from altsets.evaluation._parallel import WarningCapture
from altsets.measures.models import fresh_model, is_own, one_line
from altsets.measures.scoring import ModelRows, explain_fit_errors, model_rows
from altsets.problem import FeatureSet
from altsets.quality import Quality
from altsets.result import Result, Status
from altsets.selector import SelectAlternatives, quality_of, search_for
from altsets.tables.encoding import Encoded
from altsets.tables.feature_matrix import Features, Original
from altsets.tables.target import Target, target_of


@dataclass(frozen=True, eq=False)
class Plan:
    """What all folds have in common.

    ``labels`` are the target as models and scorers get it; ``weights`` and ``groups`` are about the rows that count
    (the others are not there); ``table`` is what models get. Either ``selector`` searches in each fold or ``sets`` are
    given. ``rows_matter`` is False for scores that the user supplied: they are the same on all rows.
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
        The number of its distinct rows.
    sets : tuple of tuples of int
        The sets that were found.
    statuses : tuple of Status
        One for each requested set.
    """

    number: int
    n_rows: int
    sets: tuple[FeatureSet, ...]
    statuses: tuple[Status, ...]


class FoldScorer:
    """Score sets that were found on the training rows of a fold on its test rows.

    Each set is fitted once, however often it occurs: the same sets are found for many sizes and taus.
    """

    def __init__(self, plan: Plan, number: int, train: Indices, test: Indices) -> None:
        self._plan, self._number, self._rows = plan, number, (train, test)
        self._train, self._test = _select_rows(plan, train), _select_rows(plan, test)
        self._known: dict[FeatureSet, _SetScores] = {}

    def score(
        self, sets: Sequence[FeatureSet], statuses: Sequence[Status] = (), qualities: Sequence[float] = ()
    ) -> Fold:
        """Score sets: those that were found, with one status for each that was requested; or given ones."""
        n_sets = len(statuses) or len(sets)
        # Given sets have no quality.
        test_qualities = self._test_qualities(sets) if statuses else []
        found = [self._score_set(chosen, position) for position, chosen in enumerate(sets)]
        baseline, majority = self._baseline
        names = self._plan.scoring
        return Fold(
            self._number,
            len(self._rows[0]),
            len(self._rows[1]),
            tuple(sets),
            tuple(statuses),
            {name: _pad([one.scores[name] for one in found], n_sets) for name in names},
            {name: _pad([one.train_scores[name] for one in found], n_sets) for name in names},
            _pad(qualities, n_sets),
            _pad(test_qualities, n_sets),
            tuple(one.constant for one in found),
            dict(baseline),
            majority,
        )

    def _score_set(self, chosen: FeatureSet, position: int) -> _SetScores:
        if chosen not in self._known:
            where = f"fold {self._number}, set {position}"
            score, constant_in = _fit(self._plan, chosen, self._train, where)
            scores = {
                name: (score(name, self._test), score(name, self._train)) for name in self._plan.scoring
            }
            self._known[chosen] = _SetScores(
                {name: both[0] for name, both in scores.items()},
                {name: both[1] for name, both in scores.items()},
                constant_in(self._test),
            )
        return self._known[chosen]

    @cached_property
    def _baseline(self) -> tuple[dict[str, float], str | None]:
        plan = self._plan
        return score_baseline(self._train, self._test, plan.scoring, plan.target.is_classes)

    def _test_qualities(self, sets: Sequence[FeatureSet]) -> list[float]:
        """The quality of sets on the test rows; nan where it is not defined."""
        if not self._plan.rows_matter or not sets:
            return []
        try:
            # Warnings about few rows do not matter here: nothing is searched on them.
            with WarningCapture():
                quality = self._test_quality
                return [] if quality is None else [_finite(quality.evaluate(chosen)) for chosen in sets]
        except ValueError:
            return []

    @cached_property
    def _test_quality(self) -> Quality | None:
        try:
            return quality_on(self._plan, self._rows[1])
        except ValueError:
            # One class alone, too few rows to split ...: nothing is wrong with the sets.
            return None


class _SetScores(NamedTuple):
    """Scores of one set, and its constant prediction if it has one."""

    scores: dict[str, float]
    train_scores: dict[str, float]
    constant: str | None


def evaluate_fold(plan: Plan, number: int, train: Indices, test: Indices) -> Fold:
    """One fold; the test rows are used for scoring only."""
    if plan.selector is None:
        return FoldScorer(plan, number, train, test).score(plan.sets)
    result = _search(plan, train, f"fold {number}")
    return FoldScorer(plan, number, train, test).score(result.sets, result.statuses, result.qualities)


def search_bootstrap(plan: Plan, number: int, rows: Indices) -> Resample:
    """The search on the rows of a bootstrap sample."""
    result = _search(plan, rows, f"bootstrap sample {number}")
    return Resample(number, len(rows), tuple(result.sets), tuple(result.statuses))


def _pad(values: Sequence[float], length: int) -> tuple[float, ...]:
    return (*values[:length], *[math.nan] * (length - len(values)))


def weights_of(plan: Plan, rows: Indices) -> Floats | None:
    """The weights of some rows."""
    return None if plan.weights is None else plan.weights[rows]


def _search(plan: Plan, rows: Indices, where: str) -> Result:
    """What the selector finds on some rows."""
    with locate_errors(where):
        result = search_for(
            plan.selector, quality_on(plan, rows), plan.features.rows(rows), weights_of(plan, rows)
        )
    if result.interrupted:
        # A search returns what it has after Ctrl-C; here that ends the whole evaluation.
        raise KeyboardInterrupt
    return result


@contextmanager
def locate_errors(where: str) -> Iterator[None]:
    """Prefix input errors with the place where they occur."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def quality_on(plan: Plan, rows: Indices) -> Quality:
    """The quality of the selector on some rows."""
    weights = weights_of(plan, rows) if plan.rows_matter else None
    groups = None if plan.groups is None else plan.groups[rows]
    return quality_of(_selector_on(plan, rows), plan.features.rows(rows), plan.labels[rows], weights, groups)


def _selector_on(plan: Plan, rows: Indices) -> Any:
    """The selector, with the task of the whole table where some rows alone do not show it.

    Otherwise "auto" stays, as in ``fit``: correlations take numbers as they are, which "classification" refuses.
    """
    from sklearn.base import clone

    selector, target = plan.selector, plan.target
    if selector is None or selector.task != "auto":
        return selector
    try:
        if target.numeric is not None and target_of(plan.labels[rows], len(rows)).task == target.task:
            return selector
    except InputError:
        # Such as a single class, which the quality reports.
        pass
    return clone(selector).set_params(task=target.task)


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.nan


def _select_rows(plan: Plan, rows: Indices) -> ModelRows:
    """Some rows, as the model and scorers get them."""
    return model_rows(plan.table, rows, plan.labels, plan.weights, plan.groups)


def _fit(
    plan: Plan, chosen: FeatureSet, train: ModelRows, where: str
) -> tuple[Callable[[str, ModelRows], float], Callable[[ModelRows], str | None]]:
    """Fit a model to a set; returns functions for its score on rows and for its constant prediction, if any."""
    model = fresh_model(plan.estimator, plan.target.is_classes, plan.random_state, plan.class_weight)
    try:
        own = is_own(plan.estimator)
        with locate_errors(where), explain_fit_errors(plan.features, model, chosen, own=own):
            train.fit(model, chosen)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{where}: {type(model).__name__} could not be fitted: {one_line(error)}") from error

    def score(name: str, rows: ModelRows) -> float:
        try:
            return rows.score(model, chosen, plan.scoring[name])
        except Exception as error:
            raise InputError(f"{where}: scoring {name!r} does not work: {one_line(error)}") from error

    return score, lambda rows: constant_prediction(model, rows.columns(chosen), rows.labels)
