"""How well do sets predict along a frontier? The whole frontier is searched anew in each fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from altsets.arrays import Indices
from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.evaluation._evaluated_frontier import EvaluatedFrontier
from altsets.evaluation._folds import Fold, Judging, Plan, quality_on, said_of, weights_of
from altsets.evaluation._running import Piece, in_processes, warn_once
from altsets.evaluation._setup import Judge, Setup, SplitRows
from altsets.problem import Dissimilarity
from altsets.result import Status, StopReason
from altsets.search.find import checked_seconds
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.search.frontier.plan import SweepPlan, numbers_in
from altsets.search.run import MAX_ITERS
from altsets.selector import SelectAlternatives, check_frontier, frontier_for

__all__ = ["evaluate_frontier"]

#: Size, number of alternatives, tau.
Place = tuple[int, int, float]


def evaluate_frontier(
    quality: Any,
    X: Any,
    y: Any,
    n_features: int | Sequence[int] = 5,
    n_alternatives: int | Sequence[int] = 3,
    taus: Any = None,
    *,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    time_limit: float | None = None,
    max_iters: int = MAX_ITERS,
    frontier: Frontier | None = None,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    class_weight: Any = None,
    task: str = "auto",
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: int = 25,
    progress: Callable[[float], object] | None = None,
) -> EvaluatedFrontier:
    """How well do sets predict, for every tau that matters, and over sizes and numbers of sets?

    In each fold, features are scored on the training rows, all points of the frontier are searched there, and a model
    is fitted to each set and judged on the test rows, as is a model that knows no features (the baseline). So the
    scores of a point are those of ``evaluate(SelectAlternatives(n_features=..., tau=...), X, y)``, for less: the work
    of scoring is done once, searches share theirs, and a set that is found at several points is fitted once. (Where
    several sets are equally good, the searches may pick other ones.) Ctrl-C keeps the folds that are done.

    Parameters
    ----------
    quality : str, estimator, quality class or callable
        What "good" means, as for :class:`altsets.SelectAlternatives`.
    X, y
        The table and its target, as for :func:`evaluate`.
    n_features, n_alternatives, taus
        The points, as for :func:`altsets.frontier`.
    dissimilarity, search, aggregation, constraints, max_iters
        As for :func:`altsets.frontier`.
    time_limit : float, optional
        Seconds for the searches on all rows, and as many for those in each fold.
    frontier : Frontier, optional
        The frontier of all rows, if it is there already; else it is searched first.
    estimator, scoring, cv, repeats, groups, sample_weight, pos_label, class_weight, task, confidence, n_jobs
        As for :func:`evaluate`.
    random_state : int
        Seed for shuffled folds, and for models without one.
    progress : callable, optional
        Called after each fold with the share that is done, from 0 to 1.

    Returns
    -------
    EvaluatedFrontier
        The points with their sets, scores, intervals, and the baseline.

    See Also
    --------
    frontier : The same points without a table, from a quality in numbers.
    evaluate : One point, with comparisons of its sets, stability and stand-ins.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = altsets.evaluate_frontier("f", X, y, n_features=3, n_alternatives=1)
    >>> for point in found:
    ...     print(f"{point.tau:.2f} {point.score:.3f}")
    0.00 0.845
    0.33 0.868
    0.67 0.873
    1.00 0.806
    >>> found.baseline
    0.0
    """
    asked = {"n_features": n_features, "n_alternatives": n_alternatives, "taus": taus}
    checked_seconds(time_limit)
    selector = SelectAlternatives(
        quality,
        n_features=numbers_in("n_features", n_features, least=1)[0],
        n_alternatives=numbers_in("n_alternatives", n_alternatives, least=0)[-1],
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=constraints,
        task=task,
        max_iters=max_iters,
        time_limit=time_limit,
    )
    setup = Setup.of(
        selector,
        X,
        y,
        Judge(estimator, scoring, pos_label, class_weight),
        SplitRows(cv, repeats, groups, sample_weight),
        task=task,
        confidence=confidence,
        margin=None,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    plan = setup.plan
    planned = check_frontier(plan.selector, plan.features, **asked)
    if frontier is None:
        frontier = _searched(plan, np.arange(plan.features.n_rows), asked)
    _check_given(frontier, planned)
    places = [_place(point) for point in frontier]
    folds: list[tuple[Fold, ...]] = []
    if frontier.stop_reason is not StopReason.INTERRUPTED:
        pieces: list[Piece] = [
            (assess_along, (plan, asked, places, number, *split)) for number, split in enumerate(setup.splits)
        ]
        done = in_processes(pieces, n_jobs, progress)
        warn_once(done)
        folds = list(done.outcomes.values())
    evaluations = tuple(
        setup.evaluation([fold[position] for fold in folds], (), n_alternatives + 1)
        for position, (_, n_alternatives, _) in enumerate(places)
    )
    return EvaluatedFrontier(frontier, evaluations, setup.elapsed, setup.provenance())


def assess_along(
    plan: Plan, asked: Mapping[str, Any], places: Sequence[Place], number: int, train: Indices, test: Indices
) -> tuple[Fold, ...]:
    """One fold of each point; nothing that is decided here has seen a test row."""
    with said_of(f"fold {number}"):
        frontier = _searched(plan, train, asked)
    if frontier.stop_reason is StopReason.INTERRUPTED:
        # A search takes Ctrl-C as a wish for what it has; here it is about the whole evaluation.
        raise KeyboardInterrupt
    found = {_place(point): point.result for point in frontier}
    judging = Judging(plan, number, train, test)
    folds = []
    for place in places:
        if place in found:
            folds.append(judging.of(found[place].sets, found[place].statuses, found[place].qualities))
        else:
            # Time was up before.
            folds.append(judging.of((), [Status.NOT_FOUND] * (place[1] + 1)))
    return tuple(folds)


def _searched(plan: Plan, rows: Indices, asked: Mapping[str, Any]) -> Frontier:
    """The frontier of some rows."""
    features, weights = plan.features.rows(rows), weights_of(plan, rows)
    return frontier_for(plan.selector, quality_on(plan, rows), features, weights, **asked)


def _place(point: FrontierPoint) -> Place:
    return point.n_features, point.n_alternatives, point.tau


def _check_given(frontier: Frontier, planned: SweepPlan) -> None:
    """Refuse a frontier of other points than those that are asked for."""
    sizes = {problem.n_features for problem in planned}
    counts = {problem.n_alternatives for problem in planned}
    if not (sizes.issuperset(frontier.sizes) and counts.issuperset(frontier.counts)):
        raise InputError(
            f"frontier={frontier!r} has other points than those that are asked for; give the n_features, "
            "n_alternatives and taus that it was made with."
        )
