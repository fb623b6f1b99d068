"""The question how many sets are nearly as good as the best one: checked, put to those who can count, and answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from altsets.constraints import Constraint
from altsets.features import FeatureNames
from altsets.problem import Problem
from altsets.quality import BlackBox, Quality
from altsets.result import Progress, Result, Status, StopReason
from altsets.search.find import checked_seconds, find
from altsets.search.near_best.answer import NearBest
from altsets.search.near_best.counting import Counted, count_asked, count_near, n_sets_at_all
from altsets.search.near_best.family import NoSets
from altsets.search.near_best.limits import NEAR_BEST_LIMITS
from altsets.search.near_best.nearness import DEFAULT_WITHIN, Nearness
from altsets.search.resources import one_thread
from altsets.search.run import Run

__all__ = ["near_best"]


def near_best(
    quality: Quality,
    n_features: int = 5,
    within: float = DEFAULT_WITHIN,
    *,
    min_quality: float | None = None,
    constraints: Sequence[Constraint] | Constraint = (),
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> NearBest:
    """Count the sets that are nearly as good as the best one, and say what they are made of.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`find`. Of black boxes, all sets are evaluated, which is refused where there
        are more than 10,000.
    n_features : int
        Features in each set, unless ``constraints.Size`` says otherwise; then the best is that over all sizes.
    within : float
        Sets count if their quality is at least ``best - within * abs(best)``: 0.01 allows for one per cent. What
        differs by no more than 1e-9 of the problem's scale counts as equal, as everywhere (see :class:`Status`).
    min_quality : float, optional
        Instead of within, where the best is near zero: the least quality of sets that count.
    constraints : sequence of constraints
        What every set must keep to; see :mod:`altsets.constraints`.
    time_limit : float, optional
        Seconds for the whole call. What is known by then is returned, as bounds on the number of sets.
    callback : callable, optional
        Called with a :class:`Progress` now and then. What it raises ends the search.

    Returns
    -------
    NearBest
        The number of sets, exact or between bounds, how often each feature occurs in them, and the sets themselves:
        from the best down, or drawn at random. Ctrl-C ends the search early and returns what was found.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> near = altsets.near_best(scores, n_features=2, within=0.25)
    >>> near.count, near.best, near.threshold
    (3, 17.0, 12.75)
    >>> list(near)
    [(0, 1), (0, 2), (1, 2)]
    >>> altsets.near_best(scores, n_features=2, min_quality=11).frequencies.tolist()
    [0.6666666666666666, 0.5, 0.3333333333333333, 0.3333333333333333, 0.16666666666666666, 0.0]
    """
    started = time.perf_counter()
    nearness = Nearness.of(within, min_quality)
    seconds = checked_seconds(time_limit)
    reason, cut_short = "", StopReason.FINISHED
    if isinstance(quality, BlackBox):
        problem = _problem(quality, n_features, constraints)
        with _run(seconds, callback, started) as run:
            counted = count_asked(quality, problem, nearness, run, NEAR_BEST_LIMITS)
        if counted.family.bounds == (0, 0) and counted.best_set is None:
            reason = _no_set(find(quality, n_features, 0, constraints=constraints))
    else:
        found = find(quality, n_features, 0, constraints=constraints, time_limit=seconds, callback=callback)
        problem = _problem(quality, n_features, constraints)
        run, cut_short = _run(seconds, callback, started), found.stop_reason
        if found.sets:
            proven = cut_short is StopReason.FINISHED
            with run, one_thread():
                run.finish(found.sets, found.objective, found.bound)
                counted = count_near(quality, problem, nearness, found.sets[0], proven, run, NEAR_BEST_LIMITS)
        else:
            known = found.status is Status.INFEASIBLE
            counted = Counted(NoSets(problem.n_features_in, 0 if known else n_sets_at_all(problem)))
            reason = _no_set(found)
    return NearBest(
        quality=quality,
        problem=problem,
        nearness=nearness,
        counted=counted,
        reason=reason,
        stop_reason=_stop_reason(counted, run, cut_short),
        elapsed=run.elapsed,
    )


def _problem(quality: Quality, n_features: int, constraints: Sequence[Constraint] | Constraint) -> Problem:
    """A request for one set."""
    return Problem.create(
        quality.n_features_in,
        n_features=n_features,
        n_alternatives=0,
        constraints=constraints,
        feature_names=FeatureNames.of_quality(quality),
    )


def _run(seconds: float | None, callback: Callable[[Progress], object] | None, started: float) -> Run:
    """A run that has begun before."""
    past = time.perf_counter() - started
    run = Run(None if seconds is None else seconds - past, callback)
    run.started -= past
    return run


def _no_set(found: Result) -> str:
    """Why there is no set at all, or none is known."""
    return found.reason or found.explain()


def _stop_reason(counted: Counted, run: Run, cut_short: StopReason) -> StopReason:
    """Why the count ended."""
    low, high = counted.family.bounds
    if low == high:
        return StopReason.FINISHED
    if run.interrupted or cut_short is StopReason.INTERRUPTED:
        return StopReason.INTERRUPTED
    if run.stopped or cut_short is StopReason.TIME_LIMIT:
        return StopReason.TIME_LIMIT
    close = high - low <= NEAR_BEST_LIMITS.precision * low
    return StopReason.FINISHED if close else StopReason.ENGINE_LIMIT
