"""near_best: find the best set, then count those that are nearly as good, sums of scores without a list."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial

import numpy as np

from altsets.arrays import Floats
from altsets.errors import UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, BlackBox, Quality
from altsets.request import Request
from altsets.result import NearBest, Progress, Result, Status, StopReason
from altsets.search.black_box.evaluations import EvaluationCache, all_sets
from altsets.search.engine import on_demand
from altsets.search.good_sets import Nearness
from altsets.search.known import known_best
from altsets.search.near_best.extent import extent
from altsets.search.near_best.families import (
    Counted,
    Draws,
    FilteredFamily,
    ListedFamily,
    SampledFamily,
    SumFamily,
)
from altsets.search.near_best.sums import NEAR_BEST_LIMITS, NearBestLimits, Sums, Threshold, sums_of
from altsets.search.resources import ONE_THREAD
from altsets.search.run import Run, Stopped
from altsets.search.scaling import Scaling
from altsets.search.shortlist import LONGEST
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further, solve
from altsets.search.subset.kernel_call import UNLIMITED
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle
from altsets.wording import by_interface

DEFAULT_WITHIN = 0.01
#: The parameters of a search that say which sets are counted.
ASKED = ("n_features_in", "n_features", "sizes", "constraints")

#: Rounding error of sums, relative to the largest one in engine units.
SUM_ERROR = 2.0**-48
#: Beyond any value of a set in engine units.
FAR = 1e100


def count_near(
    request: Request,
    quality: Quality,
    nearness: Nearness,
    *,
    callback: Callable[[Progress], object] | None = None,
    known: Result | None = None,
) -> NearBest:
    """Count the near-best sets of a request for one set; ``known`` is an answer about the same sets, to start from."""
    run = Run(request.time_limit, callback)
    problem = problem_of(request, quality)
    refuse_further(problem, by_interface("near_best()", "altsets near-best"))
    refuse_chosen_sizes(quality, "a count of near-best sets")
    run.start_from(known_best(known, quality, problem))
    counting = Counting(quality, problem, nearness, run)
    with run:
        counted, reason, cut_short = counting.near() if quality.has_form else counting.black_box()
    asked = problem.parameters()
    return NearBest(
        family=counted.family,
        parameters={name: asked[name] for name in ASKED}
        | {"within": nearness.within, "min_quality": nearness.min_quality},
        features=FeatureNames.of_quality(quality),
        feature_scores=quality.feature_scores,
        noise_floor=quality.noise_floor,
        best=counted.best,
        best_set=counted.best_set,
        best_proven=counted.proven,
        threshold=nearness.least(counted.best),
        estimate=None if counted.estimate is None else asdict(counted.estimate),
        reason=reason,
        stop_reason=_stop_reason(counted, run, cut_short),
        elapsed=run.elapsed,
        extent=partial(extent, quality, problem),
    )


def nearness_of(within: float, min_quality: float | None) -> Nearness:
    """How good sets must be; ``within`` was not given if it is the default."""
    is_default = min_quality is not None and within == DEFAULT_WITHIN
    return Nearness.of(None if is_default else within, min_quality)


def _stop_reason(counted: Counted, run: Run, cut_short: StopReason) -> StopReason:
    low, high = counted.family.bounds
    if low == high:
        return StopReason.FINISHED
    if run.stopped:
        return run.stop_reason
    if cut_short in (StopReason.INTERRUPTED, StopReason.TIME_LIMIT):
        return cut_short
    close = high - low <= NEAR_BEST_LIMITS.precision * low
    return StopReason.FINISHED if close else StopReason.ENGINE_LIMIT


def _whole(values: Floats) -> bool:
    return bool((values == np.rint(values)).all())


@dataclass(frozen=True)
class Counting:
    """Counts the sets of one request, and says why there is none and why the search for the best one ended."""

    quality: Quality
    problem: Problem
    nearness: Nearness
    run: Run
    limits: NearBestLimits = NEAR_BEST_LIMITS

    def near(self) -> tuple[Counted, str, StopReason]:
        """Find the best set, then count."""
        if on_demand(self.quality, self.problem) and self.quality.n_features_in > LONGEST:
            raise UnsupportedError(
                f"near-best sets are counted with all pairs of features, which {self.quality.n_features_in:,} features "
                f"have too many of; choose from {LONGEST:,} or fewer, or use a quality and constraints without pairs."
            )
        found = solve(self.quality, self.problem, self.run)
        if not found.sets:
            most = 0 if found.status is Status.INFEASIBLE else self._n_sets_in_all
            return self._none(most), found.reason or found.explain(), found.stop_reason
        with ONE_THREAD:
            counted = self.given(found.sets[0], proven=found.stop_reason is StopReason.FINISHED)
        return (
            replace(counted, proven=found.status is Status.OPTIMAL or counted.proven),
            "",
            found.stop_reason,
        )

    def black_box(self) -> tuple[Counted, str, StopReason]:
        """Evaluate all sets of a black box, if they are few, and count those that are good enough."""
        problem, most = self.problem, self.limits.max_asked
        listing = all_sets(problem, self.run, most)[1]
        if not listing.complete and not self.run.stopped:
            return self._drawn()
        values: list[float] = []
        for number in range(len(listing)):
            if self.run.tick():
                break
            values.append(self.quality.evaluate(listing.set_at(number)))
        if not listing.complete or len(values) < len(listing):
            return self._none(self._n_sets_in_all), "", StopReason.FINISHED
        listing = listing.valued(np.array(values))
        listing = listing.only(np.isfinite(listing.values))
        if not len(listing):
            found = solve(self.quality, problem, Run())
            return self._none(), found.reason or found.explain(), StopReason.FINISHED
        best = float(listing.values.max())
        threshold = self._threshold(best, 0.0)
        ties = [listing.set_at(number) for number in np.flatnonzero(listing.values == best).tolist()]
        family = ListedFamily(listing.only(listing.values >= threshold.cutoff), threshold, self.limits)
        return Counted(family, min(ties), best, proven=True), "", StopReason.FINISHED

    def _drawn(self) -> tuple[Counted, str, StopReason]:
        """Search for a good set of a black box, then judge by sets that are drawn at random how many are as good."""
        quality, problem, run, limits = self.quality, self.problem, self.run, self.limits
        assert isinstance(quality, BlackBox)
        draws = Draws(problem)
        drawn = draws.more(limits.trial_draws)
        if len(drawn) < limits.min_kept * limits.trial_draws:
            raise UnsupportedError(
                f"a {type(quality).__name__} can only be asked about sets one by one, there are more than "
                f"{limits.max_asked:,} of them, and hardly any that is drawn at random keeps to the constraints; ask "
                "for smaller sets, or forbid features."
            )
        found = solve(quality, problem, run.turn(limits.search_part * run.remaining))
        evaluations = EvaluationCache(quality, problem, run)
        asked: list[FeatureSet] = []
        while len(asked) < limits.n_asked and not evaluations.over:
            drawn = drawn[: limits.n_asked - len(asked)]
            evaluations.ask(drawn)
            asked += itertools.takewhile(evaluations.known.__contains__, drawn)
            drawn = draws.more(limits.trial_draws)
        if evaluations.failure is not None:
            raise evaluations.failure
        searched = dict(zip(found.sets, found.qualities, strict=True))
        values = {
            chosen: value for chosen, value in (evaluations.known | searched).items() if math.isfinite(value)
        }
        if not values:
            return self._none(self._n_sets_in_all), "", StopReason.FINISHED
        best = max(values.values())
        best_set = min(chosen for chosen, value in values.items() if value == best)
        threshold = self._threshold(best, 0.0)
        known = {chosen: value for chosen, value in values.items() if value >= threshold.cutoff}
        if not asked:
            counted = self._none(self._n_sets_in_all, len(known))
            return replace(counted, best_set=best_set, best=best), "", StopReason.FINISHED
        hits = [chosen for chosen in asked if chosen in known]
        moved = self.nearness.within is not None and best > max(searched.values(), default=-math.inf)
        estimate = draws.estimate(len(asked), len(hits), moved=moved)
        low, high = (max(end, len(known)) for end in estimate.interval)
        family = SampledFamily(hits, known, draws.sums, threshold, limits, max(self._n_sets_in_all, high))
        estimate = replace(estimate, interval=(low, high))
        return Counted(family, best_set, best, estimate=estimate), "", StopReason.FINISHED

    def given(self, best_set: FeatureSet, *, proven: bool) -> Counted:
        """Count the sets of a quality with numbers, given the best one, or if that is not ``proven`` just some set."""
        sums = sums_of(self.scaling.quality, self.problem)
        if sums is not None:
            return self._count_sums(sums)
        with suppress(Stopped):
            if proven and self._n_sets_in_all > 1:
                return self._count_listed(best_set)
        best = self.quality.evaluate(best_set)
        # The best set always counts, unless a quality was asked for that it may not have.
        least = int(best >= self.nearness.least(best) - self.scaling.tolerance)
        if self._n_sets_in_all == 1:
            # There is no other set.
            value = np.full(least, math.ldexp(best, -self.scaling.exponent))
            alone = Listing([np.array([best_set] * least, dtype=np.intc)], value, value, complete=True)
            family = ListedFamily(alone, self._threshold(best, self._rounding), self.limits)
            return Counted(family, best_set, best, proven=True)
        return replace(self._none(self._n_sets_in_all, least), best_set=best_set, best=best)

    @cached_property
    def scaling(self) -> Scaling:
        """The problem in engine units."""
        return Scaling.of(self.quality, self.problem)

    @property
    def _n_sets_in_all(self) -> int:
        """How many sets there are of the sizes asked, whatever the constraints."""
        usable = self.problem.n_features_in - len(self.problem.forbidden)
        return sum(math.comb(usable, size) for size in self.problem.sizes)

    def _none(self, most: int = 0, least: int = 0) -> Counted:
        """No sets, or none that are known: then ``most`` is how many there can be."""
        nothing = Listing([], np.zeros(0), np.zeros(0), complete=not most)
        threshold = Threshold(self.quality, math.inf, math.inf, 0.0)
        return Counted(ListedFamily(nothing, threshold, self.limits, (least, most)))

    def _threshold(self, best: float, margin: float) -> Threshold:
        cutoff = self.nearness.least(best) - self.scaling.tolerance
        try:
            value = math.ldexp(cutoff, -self.scaling.exponent)
        except OverflowError:
            value = math.copysign(FAR, cutoff)
        return Threshold(self.quality, cutoff, min(max(value, -FAR), FAR), margin)

    @property
    def _rounding(self) -> float:
        """The rounding error of the quality, in engine units."""
        return math.ldexp(self.scaling.rounding, -self.scaling.exponent)

    def _count_sums(self, sums: list[Sums]) -> Counted:
        """Sums of scores: the best set has the highest scores, and what it may lose says which others count."""
        tops = [some.set_of(range(some.n_open)) for some in sums]
        best_set = min(tops, key=lambda chosen: (-self.quality.evaluate(chosen), chosen))
        best = self.quality.evaluate(best_set)
        threshold = self._threshold(best, max(self._rounding, SUM_ERROR * self.problem.k_max))
        threshold = self._between_sums(threshold, sums)
        return Counted(SumFamily(sums, threshold, self.run, self.limits), best_set, best, proven=True)

    def _between_sums(self, threshold: Threshold, sums: list[Sums]) -> Threshold:
        """The same threshold; where no sum is rounded, the next one of them from there up, and nothing is in doubt."""
        digits = 2.0 ** (52 - self.problem.k_max.bit_length())
        if all(_whole(digits * np.append(some.scores, some.start)) for some in sums):
            return replace(threshold, value=math.ceil(digits * threshold.value) / digits, margin=0.0)
        return threshold

    def _filter_sums(self, least: int, threshold: Threshold) -> FilteredFamily | None:
        """Sums that constraints or conflicts make too many to list: those without, as long as enough are kept."""
        sums = sums_of(self.scaling.quality, self.problem, relaxed=True)
        if sums is None:
            return None
        # The quality itself knows conflicts.
        scores = Additive(self.quality.form(self.problem.k_max).linear)
        margin = max(threshold.margin, SUM_ERROR * self.problem.k_max)
        relaxed = self._between_sums(replace(threshold, quality=scores, margin=margin), sums)
        family = SumFamily(sums, relaxed, self.run, self.limits)
        filtered = FilteredFamily(family, least, threshold, self.problem, self.limits)
        return filtered if filtered.keeps_enough else None

    def _count_listed(self, best_set: FeatureSet) -> Counted:
        """Any other quality: all sets that may count are listed, and those in doubt are evaluated."""
        run, limits = self.run, self.limits
        # With as many sets as features, no feature is left out as being like others.
        everything = replace(self.problem, n_alternatives=self.problem.n_features_in)
        oracle = PricingOracle(self.scaling.quality, everything, run)
        margin = max(4 * oracle.tolerance, self._rounding)
        best = self.quality.evaluate(best_set)
        threshold = self._threshold(best, margin)
        # A set that is better by rounding alone moves the threshold by some multiple of that.
        slack = margin * (4 + 2 * (self.nearness.within or 0.0))
        top = math.ldexp(best, -self.scaling.exponent)
        listed, seen = self._best_part(oracle, top, threshold.value - slack, threshold.value + slack)
        if len(listed):
            best_set, best = self._best_listed(listed, best_set, best, margin)
            threshold = self._threshold(best, margin)
        if not listed.complete:
            least = max(len(listed), seen, int(best >= threshold.cutoff))
            filtered = None if run.stopped else self._filter_sums(least, threshold)
            bounds = least, max(self._n_sets_in_all, least)
            return Counted(filtered or ListedFamily(listed, threshold, limits, bounds), best_set, best)
        kept = listed.values >= threshold.value + margin
        for number in np.flatnonzero(~kept & (listed.values >= threshold.value - margin)).tolist():
            run.check()
            kept[number] = threshold.counts(listed.set_at(number))
        return Counted(ListedFamily(listed.only(kept), threshold, limits), best_set, best)

    def _best_listed(
        self, listed: Listing, best_set: FeatureSet, best: float, margin: float
    ) -> tuple[FeatureSet, float]:
        """The best of all sets that rounding cannot tell apart; of equal ones, the lexicographically first."""
        near = np.flatnonzero(listed.values >= listed.values.max() - 2 * margin)[: self.limits.max_in_order]
        candidates = [best_set, *map(listed.set_at, near.tolist())]
        worth = {chosen: self.quality.evaluate(chosen) for chosen in candidates}
        first = min(worth, key=lambda chosen: (-worth[chosen], chosen))
        return first, max(best, worth[first])

    def _best_part(
        self, oracle: PricingOracle, best: float, value: float, sure: float
    ) -> tuple[Listing, int]:
        """All sets above a value, or the best of them if they are too many; and how many were seen above ``sure``."""
        found = self._list_above(oracle, value, self.limits.trial_nodes)
        seen = int(np.count_nonzero(found.values >= sure))
        if found.complete:
            return found, seen
        found = Listing([], np.zeros(0), np.zeros(0), complete=False)
        for part in (*self.limits.parts, 1.0):
            wanted = value if part == 1.0 else best - part * (best - sure)
            more = self._list_above(oracle, wanted)
            seen = max(seen, int(np.count_nonzero(more.values >= sure)))
            if not more.complete:
                break
            found = replace(more, complete=part == 1.0)
        return found, seen

    def _list_above(self, oracle: PricingOracle, value: float, max_nodes: int = UNLIMITED) -> Listing:
        """All sets above a value; if they are too many or there is no time, only the values of some."""
        limits = self.limits
        most = min(limits.max_listed, limits.max_listed_features // max(self.problem.k_max, 1))
        rows, values, complete = [], [np.zeros(0)], True
        for sets in oracle.sizes:
            conditions = oracle.conditions(sets, max_nodes=max_nodes)
            places, found, complete = sets.all_above(value, most, conditions, None, False)
            most -= len(found)
            values.append(found)
            if not complete:
                break
            rows.append(sets.encoding.with_base(places))
        total = np.concatenate(values)
        return Listing(rows, total, total, complete)
