"""One fold: search and fit on the training rows, score on the test rows, and a dummy model as the baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.evaluation.baseline import constant_prediction, score_baseline
from altsets.evaluation.pipelines import SearchPipeline
from altsets.measures.models import one_line
from altsets.measures.scoring import ModelRows, WithCovariates, explain_fit_errors
from altsets.measures.workers import WarningCapture
from altsets.problem import FeatureSet
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Frontier, FrontierPoint, Result, Status, StopReason
from altsets.search.answering import answer
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.sweep import by_tau
from altsets.selector import RowData, fitting, scored, warn_of_size
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Outcome, Target, target_of

#: Makes the unfitted model of a set by its number.
ModelOf = Callable[[int], Any]
#: Size, number of alternatives, tau.
Place = tuple[int, int, float]


class Points(NamedTuple):
    """The points of a frontier, and the parameters with which :func:`by_tau` finds them."""

    places: list[Place]
    asked: dict[str, Any]

    @classmethod
    def of(cls, curve: Frontier, request: Request, features: Features) -> Points:
        """Return the points of a frontier; wrong ones are refused before the table is scored."""
        # Every tau that matters, if these are the points; else those that the frontier has, at all sizes.
        places, names = list(map(place_of, curve)), features.feature_names
        asked: dict[str, Any] = {"n_features": curve.sizes, "n_alternatives": curve.counts, "tau": None}
        planned = SweepPlan.of(request.without_tau(), lambda one: one.check(names), **asked)
        known = {(one.n_features, one.n_alternatives, float(one.tau or 0)) for one in planned}
        if known != set(places):
            asked["tau"] = sorted({point.tau for point in curve})
        return cls(places, asked)


class FoundSets(NamedTuple):
    """Sets that were found on some rows, or given ones."""

    sets: Sequence[FeatureSet]
    statuses: Sequence[Status] = ()
    qualities: Sequence[float] = ()
    #: Makes the unfitted models of a pipeline.
    model_of: ModelOf | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """What all folds have in common; rows of weight 0 are not there.

    ``rows`` are what models and scorers get. Either ``request`` or ``pipeline`` searches in each fold, or ``sets`` are
    given: for one point, or for each point of a frontier. ``rows_matter`` is False for scores that the user supplied:
    they are the same on all rows.
    """

    features: Features
    target: Outcome
    rows: ModelRows
    #: Returns an unfitted model, which may be the user's own.
    fresh_model: Callable[[], Any]
    is_own: bool
    scoring: Mapping[str, Any]
    #: The number of sets, of a frontier for each point.
    counts: tuple[int, ...] = ()
    sets: tuple[tuple[FeatureSet, ...], ...] = ()
    request: Request | None = None
    pipeline: SearchPipeline | None = None
    points: Points | None = None
    n_jobs: int | None = None
    rows_matter: bool = True

    @property
    def searches(self) -> bool:
        return not self.sets

    @property
    def names(self) -> Sequence[str]:
        """The names of the features that sets are made of."""
        return self.features.feature_names if self.pipeline is None else self.pipeline.names

    def on(self, rows: Indices) -> tuple[Request, Quality, Features, Floats | None]:
        """Return the request for some rows and its quality there, with these rows and their weights."""
        features, labels = self.features.rows(rows), self.rows.labels[rows]
        # Not the columns of models, which may be large.
        parts = (self.rows.weights, self.rows.groups)
        weights, groups = (None if each is None else each[rows] for each in parts)
        request = self._request_on(labels)
        known = RowData(labels, weights if self.rows_matter else None, groups)
        return request, scored(request, features, known, self.n_jobs), features, weights

    def _request_on(self, labels: npt.NDArray[Any]) -> Request:
        """Return the request, with the task of the whole table where some rows alone do not show it.

        Otherwise "auto" stays, as in ``fit``: correlations take numbers as they are, which "classification" refuses.
        """
        request, target = self.request, self.target
        assert request is not None
        if request.task != "auto" or not isinstance(target, Target):
            return request
        try:
            if target.numeric is not None and target_of(labels, len(labels)).task == target.task:
                return request
        except InputError:
            # Such as a single class, which the quality reports.
            pass
        return replace(request, task=target.task)


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

    def __init__(self, plan: Plan, number: int, train: Indices, test: Indices) -> None:
        self._plan, self._number, self._test_rows = plan, number, test
        self._train, self._test = plan.rows.part(train), plan.rows.part(test)
        #: Test scores, training scores and the constant prediction, if any.
        self._known: dict[FeatureSet, tuple[dict[str, float], dict[str, float], str | None]] = {}

    def score(self, answer: FoundSets, n_sets: int) -> Fold:
        """Score the sets of a point; those that are missing to ``n_sets`` are nan."""

        def pad(values: Sequence[float]) -> tuple[float, ...]:
            return (*values[:n_sets], *[math.nan] * (n_sets - len(values)))

        for position, chosen in enumerate(answer.sets):
            if chosen not in self._known:
                model = None if answer.model_of is None else answer.model_of(position)
                self._known[chosen] = self._score_set(chosen, position, model)
        found = [self._known[chosen] for chosen in answer.sets]
        baseline, majority = self._baseline
        return Fold(
            self._number,
            len(self._train.labels),
            len(self._test.labels),
            tuple(answer.sets),
            tuple(answer.statuses),
            {name: pad([scores[name] for scores, _, _ in found]) for name in self._plan.scoring},
            {name: pad([scores[name] for _, scores, _ in found]) for name in self._plan.scoring},
            pad(answer.qualities),
            # Given sets have no quality.
            pad(self._test_qualities(answer.sets) if answer.statuses else []),
            tuple(constant for _, _, constant in found),
            dict(baseline),
            majority,
        )

    def _score_set(
        self, chosen: FeatureSet, position: int, model: Any
    ) -> tuple[dict[str, float], dict[str, float], str | None]:
        plan, where = (
            self._plan,
            f"fold {self._number}, {'covariates' if position < 0 else f'set {position}'}",
        )
        columns = chosen if model is None else tuple(range(plan.features.n_features))
        model = plan.fresh_model() if model is None else model
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
        plan = self._plan
        if not isinstance(self._train.columns, WithCovariates):
            return score_baseline(self._train, self._test, plan.scoring, plan.target.is_classes)
        # No features, but the covariates.
        return self._score_set((), -1, None)[0], None

    def _test_qualities(self, sets: Sequence[FeatureSet]) -> list[float]:
        """Return the quality of sets on the test rows; nan where it is not defined."""
        # The steps of a pipeline before the search are not fitted to test rows.
        if not self._plan.rows_matter or not sets or self._plan.pipeline is not None:
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
        return self._plan.on(self._test_rows)[1]


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
    result, sets, _ = _search(plan, np.arange(plan.features.n_rows), "all rows")
    if not sets:
        raise InputError(f"no set was found on all rows. {result.reason}".strip())
    return replace(plan, counts=(len(sets),))


def evaluate_fold(plan: Plan, number: int, train: Indices, test: Indices) -> list[Fold]:
    """Return one fold for each point; the test rows are used for scoring only."""
    scorer = FoldScorer(plan, number, train, test)
    answers = _answers(plan, train, f"fold {number}")
    return [scorer.score(answer, n_sets) for answer, n_sets in zip(answers, plan.counts, strict=True)]


def search_bootstrap(plan: Plan, number: int, rows: Indices) -> Resample:
    ((sets, statuses, *_),) = _answers(plan, rows, f"bootstrap sample {number}")
    return Resample(number, len(rows), tuple(sets), tuple(statuses))


def _answers(plan: Plan, rows: Indices, where: str) -> list[FoundSets]:
    """Return the sets of each point: given ones, or those that are found on some rows."""
    if not plan.searches:
        return [FoundSets(sets) for sets in plan.sets]
    if plan.points is not None:
        return _curve(plan, plan.points, rows, where)
    result, sets, model_of = _search(plan, rows, where)
    (n_sets,) = plan.counts
    statuses = [*result.statuses, *[Status.NOT_FOUND] * (n_sets - len(result.statuses))]
    return [FoundSets(sets[:n_sets], statuses[:n_sets], result.qualities[:n_sets], model_of)]


def _search(plan: Plan, rows: Indices, where: str) -> tuple[Result, Sequence[FeatureSet], ModelOf | None]:
    """Return the answer on some rows with its sets and, for a pipeline, the function that makes its models."""
    model_of = None
    with locate_errors(where):
        if plan.pipeline is None:
            request, quality, features, weights = plan.on(rows)
            n_columns = max(1, quality.n_features_in - len(quality.constant))
            warn_of_size(request, n_columns, quality.n_features_in)
            request = fitting(request, n_columns)
            result = answer(request, quality, measured=request.measured(features, weights))
            sets = result.sets
        else:
            with explain_fit_errors(plan.features, plan.pipeline.model, own=True):
                result, sets, model_of = plan.pipeline.search(plan.rows.part(rows))
    _raise_ctrl_c(result.interrupted)
    return result, sets, model_of


def _curve(plan: Plan, points: Points, rows: Indices, where: str) -> list[FoundSets]:
    with locate_errors(where):
        request, quality, features, weights = plan.on(rows)
        request = request.without_tau()
        curve = by_tau(request, quality, **points.asked, measured=request.measured(features, weights))
    _raise_ctrl_c(curve.stop_reason is StopReason.INTERRUPTED)
    found = {place_of(point): point.result for point in curve}
    # A point is missing where the time limit came first.
    return [
        FoundSets(found[place].sets, found[place].statuses, found[place].qualities)
        if place in found
        else FoundSets((), [Status.NOT_FOUND] * (place[1] + 1))
        for place in points.places
    ]


def _raise_ctrl_c(interrupted: bool) -> None:
    """End the whole evaluation after Ctrl-C; a search returns what it has."""
    if interrupted:
        raise KeyboardInterrupt


def place_of(point: FrontierPoint) -> Place:
    return point.n_features, point.n_alternatives, point.tau


@contextmanager
def locate_errors(where: str) -> Iterator[None]:
    """Prefix input errors with the place where they occur."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
