"""Counting the sets that are good enough, by whoever can: sums of scores without a list, everything else with one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from altsets.arrays import Floats
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, BlackBox, Quality
from altsets.search.black_box.exhaustive import all_sets
from altsets.search.black_box.limits import BLACK_BOX_LIMITS
from altsets.search.near_best.family import Family, NoSets, Threshold
from altsets.search.near_best.limits import NearBestLimits
from altsets.search.near_best.listed import ListedFamily, SetList, SetLister
from altsets.search.near_best.nearness import Nearness
from altsets.search.near_best.sifted import SiftedFamily
from altsets.search.near_best.sum_family import SumFamily
from altsets.search.near_best.sums import Sums, sums_of
from altsets.search.run import Run, Stopped
from altsets.search.scaling import Scaling

__all__ = ["Counted", "count_asked", "count_near", "n_sets_at_all"]

#: Of the largest sum of a set's scores in numbers of order one: what sums are off by at most.
SUM_ERROR = 2.0**-48
#: Beyond any value of a set in numbers of order one.
FAR = 1e100


@dataclass(frozen=True)
class Counted:
    """The sets that count, and the best one of all with its quality: None and nan if none is known."""

    family: Family
    best_set: FeatureSet | None = None
    best: float = math.nan


def n_sets_at_all(problem: Problem) -> int:
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
    return Counted(NoSets(problem.n_features_in, n_sets_at_all(problem), least), best_set, best)


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
        sifted = None if run.stopped else _sifted(least, threshold, problem, scaling, run, limits)
        if sifted is not None:
            return Counted(sifted, best_set, best)
        bounds = least, max(n_sets_at_all(problem), least)
        return Counted(ListedFamily(listed, bounds, threshold, problem.n_features_in, limits), best_set, best)
    kept = listed.values >= threshold.value + margin
    for number in np.flatnonzero(~kept & (listed.values >= threshold.value - margin)).tolist():
        run.check()
        kept[number] = threshold.counts(listed.set_at(number))
    listed = listed.only(kept)
    bounds = len(listed), len(listed)
    return Counted(ListedFamily(listed, bounds, threshold, problem.n_features_in, limits), best_set, best)


def _sifted(
    least: int, threshold: Threshold, problem: Problem, scaling: Scaling, run: Run, limits: NearBestLimits
) -> SiftedFamily | None:
    """Sums that are too many to list because of constraints or conflicts: those without, as long as enough are kept."""
    sums = sums_of(scaling.quality, problem, relaxed=True)
    if sums is None:
        return None
    # The quality itself knows conflicts.
    scores = Additive(threshold.quality.form(problem.k_max).linear)
    margin = max(threshold.margin, SUM_ERROR * problem.k_max)
    relaxed = _between_sums(replace(threshold, quality=scores, margin=margin), sums, problem)
    family = SumFamily(sums, relaxed, problem.n_features_in, run, limits)
    sifted = SiftedFamily(family, least, threshold, problem, limits)
    return sifted if sifted.keeps_enough else None


def _best_listed(
    listed: SetList, best_set: FeatureSet, best: float, threshold: Threshold, limits: NearBestLimits
) -> tuple[FeatureSet, float]:
    """The best of the sets that are the best but for rounding; the first in the order of features of equal ones."""
    near = np.flatnonzero(listed.values >= listed.values.max() - 2 * threshold.margin)
    candidates = [best_set, *(listed.set_at(number) for number in near[: limits.max_in_order].tolist())]
    worth = {chosen: threshold.quality.evaluate(chosen) for chosen in candidates}
    first = min(worth, key=lambda chosen: (-worth[chosen], chosen))
    return first, max(best, worth[first])


def count_asked(
    quality: BlackBox, problem: Problem, nearness: Nearness, run: Run, limits: NearBestLimits
) -> Counted:
    """Evaluate all sets of a black box, if they are few, and count those that are good enough."""
    listing = all_sets(problem, run, limits.max_asked, BLACK_BOX_LIMITS)[1]
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
        return Counted(NoSets(problem.n_features_in, n_sets_at_all(problem)))
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
