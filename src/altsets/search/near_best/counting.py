"""near_best: find the best set, then count those that are nearly as good.

Sums of scores are counted without a list, every other quality with one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from altsets.arrays import Floats
from altsets.constraints import Constraint
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, BlackBox, Quality
from altsets.request import Request
from altsets.result import Progress, Status, StopReason
from altsets.search.black_box.exhaustive import all_sets
from altsets.search.find import problem_of, solved
from altsets.search.near_best.answer import NearBest
from altsets.search.near_best.family import (
    DEFAULT_WITHIN,
    NEAR_BEST_LIMITS,
    Counted,
    NearBestLimits,
    Nearness,
    NoSets,
    Threshold,
)
from altsets.search.near_best.listing import ListedFamily, SetList, SetLister
from altsets.search.near_best.sum_family import FilteredFamily, SumFamily
from altsets.search.near_best.sums import Sums, sums_of
from altsets.search.resources import one_thread
from altsets.search.run import Run, Stopped
from altsets.search.scaling import Scaling

#: Rounding error of sums, relative to the largest one in engine units.
SUM_ERROR = 2.0**-48
#: Beyond any value of a set in engine units.
FAR = 1e100


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
    nearness = Nearness.of(within, min_quality)
    request = Request(n_features=n_features, n_alternatives=0, constraints=constraints, time_limit=time_limit)
    run = Run(request.time_limit, callback)
    problem = problem_of(request, quality)
    with run:
        if not quality.has_form:
            counted, reason, cut_short = _count_black_box(cast(BlackBox, quality), problem, nearness, run)
        else:
            counted, reason, cut_short = _count(quality, problem, nearness, run)
    return NearBest(
        quality=quality,
        problem=problem,
        nearness=nearness,
        counted=counted,
        reason=reason,
        stop_reason=_stop_reason(counted, run, cut_short),
        elapsed=run.elapsed,
    )


def _count(
    quality: Quality, problem: Problem, nearness: Nearness, run: Run
) -> tuple[Counted, str, StopReason]:
    """Find the best set, then count; also why there is no set, and why the search for the best one ended."""
    found = solved(quality, problem, run)
    if not found.sets:
        most = 0 if found.status is Status.INFEASIBLE else n_sets_in_all(problem)
        reason = found.reason or found.explain()
        return Counted(NoSets(problem.n_features_in, most)), reason, found.stop_reason
    proven = found.stop_reason is StopReason.FINISHED
    with one_thread():
        counted = count_near(quality, problem, nearness, found.sets[0], proven, run, NEAR_BEST_LIMITS)
    return counted, "", found.stop_reason


def _count_black_box(
    quality: BlackBox, problem: Problem, nearness: Nearness, run: Run
) -> tuple[Counted, str, StopReason]:
    counted = count_black_box(quality, problem, nearness, run, NEAR_BEST_LIMITS)
    reason = ""
    if counted.family.bounds == (0, 0) and counted.best_set is None:
        found = solved(quality, problem, Run())
        reason = found.reason or found.explain()
    return counted, reason, StopReason.FINISHED


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


def n_sets_in_all(problem: Problem) -> int:
    """How many sets there are of the sizes asked, whatever the constraints."""
    usable = problem.n_features_in - len(problem.forbidden)
    return sum(math.comb(usable, size) for size in problem.sizes)


def count_near(
    quality: Quality,
    problem: Problem,
    nearness: Nearness,
    best_set: FeatureSet,
    proven: bool,
    run: Run,
    limits: NearBestLimits,
) -> Counted:
    """Count the sets of a quality with numbers, given the best one, or if that is not ``proven`` just some set."""
    scaling = Scaling.of(quality, problem)
    sums = sums_of(scaling.quality, problem)
    if sums is not None:
        return _count_sums(sums, quality, problem, nearness, scaling, run, limits)
    try:
        if proven:
            return _count_listed(quality, problem, nearness, scaling, best_set, run, limits)
    except Stopped:
        pass
    best = quality.evaluate(best_set)
    # The best set always counts, unless a quality was asked for that it may not have.
    least = int(best >= nearness.threshold(best) - scaling.tolerance)
    return Counted(NoSets(problem.n_features_in, n_sets_in_all(problem), least), best_set, best)


def _count_sums(
    sums: list[Sums],
    quality: Quality,
    problem: Problem,
    nearness: Nearness,
    scaling: Scaling,
    run: Run,
    limits: NearBestLimits,
) -> Counted:
    """Sums of scores: the best set has the highest scores, and what it may lose says which others count."""
    tops = [some.set_of(range(some.n_open)) for some in sums]
    best_set = min(tops, key=lambda chosen: (-quality.evaluate(chosen), chosen))
    best = quality.evaluate(best_set)
    margin = max(math.ldexp(scaling.rounding, -scaling.exponent), SUM_ERROR * problem.k_max)
    threshold = _between_sums(_threshold(quality, nearness, best, scaling, margin), sums, problem)
    return Counted(SumFamily(sums, threshold, problem.n_features_in, run, limits), best_set, best)


def _between_sums(threshold: Threshold, sums: list[Sums], problem: Problem) -> Threshold:
    """The same threshold; where no sum is rounded, the next one of them from there up, and nothing is in doubt."""
    digits = 2.0 ** (52 - problem.k_max.bit_length())
    if all(_whole(digits * scores) for some in sums for scores in (some.scores, np.array([some.start]))):
        return replace(threshold, value=math.ceil(digits * threshold.value) / digits, margin=0.0)
    return threshold


def _whole(values: Floats) -> bool:
    return bool((values == np.rint(values)).all())


def _threshold(
    quality: Quality, nearness: Nearness, best: float, scaling: Scaling, margin: float
) -> Threshold:
    cutoff = nearness.threshold(best) - scaling.tolerance
    try:
        value = math.ldexp(cutoff, -scaling.exponent)
    except OverflowError:
        value = math.copysign(FAR, cutoff)
    return Threshold(quality, cutoff, min(max(value, -FAR), FAR), margin)


def _count_listed(
    quality: Quality,
    problem: Problem,
    nearness: Nearness,
    scaling: Scaling,
    best_set: FeatureSet,
    run: Run,
    limits: NearBestLimits,
) -> Counted:
    """Any other quality: all sets that may count are listed, and those in doubt are evaluated."""
    lister = SetLister(scaling.quality, problem, run, limits)
    margin = max(lister.margin, math.ldexp(scaling.rounding, -scaling.exponent))
    best = quality.evaluate(best_set)
    threshold = _threshold(quality, nearness, best, scaling, margin)
    # A set that is better by rounding alone moves the threshold by some multiple of that.
    slack = margin * (4 + 2 * (nearness.within or 0.0))
    top = math.ldexp(best, -scaling.exponent)
    listed, seen = lister.best_part(top, threshold.value - slack, threshold.value + slack)
    if len(listed):
        best_set, best = _best_listed(listed, best_set, best, threshold, limits)
        threshold = _threshold(quality, nearness, best, scaling, margin)
    if not listed.complete:
        least = max(len(listed), seen, int(best >= threshold.cutoff))
        filtered = None if run.stopped else _filter_sums(least, threshold, problem, scaling, run, limits)
        if filtered is not None:
            return Counted(filtered, best_set, best)
        bounds = least, max(n_sets_in_all(problem), least)
        return Counted(ListedFamily(listed, bounds, threshold, problem.n_features_in, limits), best_set, best)
    kept = listed.values >= threshold.value + margin
    for number in np.flatnonzero(~kept & (listed.values >= threshold.value - margin)).tolist():
        run.check()
        kept[number] = threshold.counts(listed.set_at(number))
    listed = listed.only(kept)
    bounds = len(listed), len(listed)
    return Counted(ListedFamily(listed, bounds, threshold, problem.n_features_in, limits), best_set, best)


def _filter_sums(
    least: int, threshold: Threshold, problem: Problem, scaling: Scaling, run: Run, limits: NearBestLimits
) -> FilteredFamily | None:
    """Sums that are too many to list because of constraints or conflicts: those without, as long as enough are kept."""
    sums = sums_of(scaling.quality, problem, relaxed=True)
    if sums is None:
        return None
    # The quality itself knows conflicts.
    scores = Additive(threshold.quality.form(problem.k_max).linear)
    margin = max(threshold.margin, SUM_ERROR * problem.k_max)
    relaxed = _between_sums(replace(threshold, quality=scores, margin=margin), sums, problem)
    family = SumFamily(sums, relaxed, problem.n_features_in, run, limits)
    filtered = FilteredFamily(family, least, threshold, problem, limits)
    return filtered if filtered.keeps_enough else None


def _best_listed(
    listed: SetList, best_set: FeatureSet, best: float, threshold: Threshold, limits: NearBestLimits
) -> tuple[FeatureSet, float]:
    """The best of the sets that are the best but for rounding; the first in the order of features of equal ones."""
    near = np.flatnonzero(listed.values >= listed.values.max() - 2 * threshold.margin)
    candidates = [best_set, *(listed.set_at(number) for number in near[: limits.max_in_order].tolist())]
    worth = {chosen: threshold.quality.evaluate(chosen) for chosen in candidates}
    first = min(worth, key=lambda chosen: (-worth[chosen], chosen))
    return first, max(best, worth[first])


def count_black_box(
    quality: BlackBox, problem: Problem, nearness: Nearness, run: Run, limits: NearBestLimits
) -> Counted:
    """Evaluate all sets of a black box, if they are few, and count those that are good enough."""
    listing = all_sets(problem, run, limits.max_asked)[1]
    if not listing.complete and not run.stopped:
        raise UnsupportedError(
            f"a {type(quality).__name__} can only be asked about sets one by one, and there are more than "
            f"{limits.max_asked:,} of them or they are hard to list; ask for smaller sets, or forbid features."
        )
    values: list[float] = []
    for number in range(len(listing)):
        if run.tick():
            break
        values.append(quality.evaluate(listing.set_at(number)))
    if not listing.complete or len(values) < len(listing):
        return Counted(NoSets(problem.n_features_in, n_sets_in_all(problem)))
    rows = [np.sort(some, axis=1) for some in listing.rows]
    sets = SetList(rows, np.array(values), complete=True)
    sets = sets.only(np.isfinite(sets.values))
    if not len(sets):
        return Counted(NoSets(problem.n_features_in))
    best = float(sets.values.max())
    threshold = _threshold(quality, nearness, best, Scaling.of(quality, problem), 0.0)
    ties = [sets.set_at(number) for number in np.flatnonzero(sets.values == best).tolist()]
    sets = sets.only(sets.values >= threshold.cutoff)
    bounds = len(sets), len(sets)
    return Counted(ListedFamily(sets, bounds, threshold, problem.n_features_in, limits), min(ties), best)
