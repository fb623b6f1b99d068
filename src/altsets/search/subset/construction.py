"""Valid sets in no time: features are added one by one, the best that fits, and exchanged as long as that helps.

This proves nothing. It is what a search falls back on that has to stop before it has found all sets, and what a search
among many features begins with.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from altsets.arrays import Ints
from altsets.constraints import Size
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.subset.fixed_size import FixedSizeOracle
from altsets.search.subset.greedy_set import FixedCaps, GreedySet
from altsets.search.subset.limits import CONSTRUCTION_LIMITS, ConstructionLimits
from altsets.search.subset.pricing import PricingOracle
from altsets.search.subset.rules import Cap, differing
from altsets.search.tolerances import PROVEN

__all__ = ["Construction", "completed", "of_one_size"]


class Construction:
    """Constructs sets under all rules for one set, and for two.

    Parameters
    ----------
    pricing : PricingOracle
        The sets that a problem allows.
    run : Run
        When it is stopped, there is still a little time, as this is what sets come from then.
    limits : ConstructionLimits
    """

    def __init__(
        self, pricing: PricingOracle, run: Run, limits: ConstructionLimits = CONSTRUCTION_LIMITS
    ) -> None:
        self.pricing, self.problem, self.run, self._limits = pricing, pricing.problem, run, limits
        self._last = math.inf
        self._fixed = {sets.size: FixedCaps(sets.encoding, sets.rules.caps) for sets in self._sizes}

    @cached_property
    def _sizes(self) -> list[FixedSizeOracle]:
        """A few sizes, from the largest to the smallest."""
        sizes = self.pricing.sizes[::-1]
        n_sizes = min(self._limits.max_sizes, len(sizes))
        places = np.unique(np.linspace(0, len(sizes) - 1, n_sizes).astype(int))
        return [sizes[place] for place in places.tolist()]

    @property
    def ceiling(self) -> float:
        """No set is better."""
        return self.pricing.ceiling

    @property
    def over(self) -> bool:
        """Whether there is no time for a set; for few small ones there always is, however slow the machine."""
        return self.late and (self.run.error is not None or not self._is_little)

    @cached_property
    def _is_little(self) -> bool:
        problem, limits = self.problem, self._limits
        per_feature = len(self.pricing.features) + limits.features_per_set * problem.n_sets
        work = problem.n_sets * problem.k_max * per_feature
        return work <= limits.little_work and problem.counts_shared

    @property
    def late(self) -> bool:
        """Whether time is up, and the little that there is after that as well."""
        if self.run.error is not None:
            return True
        if not self.run.stopped:
            return False
        if self.run.is_part:
            # Whoever it is a part of has time of its own.
            return True
        now = time.perf_counter()
        # Counted from when it was first seen, as searches may be late to notice.
        self._last = min(self._last, now + self._limits.grace)
        return now >= self._last

    def all(self, before: Sequence[FeatureSet] = ()) -> list[FeatureSet]:
        """As many sets as asked, or as many as can be constructed; ``before`` are the first ones, which stay."""
        sets = list(before)
        # When time is short, all sets come first, and better ones after that.
        hurried = self.run.stopped
        while len(sets) < self.problem.n_sets:
            one = self.one(sets, exchanging=not hurried)
            if one is None:
                break
            sets.append(one)
        for number in range(len(before), len(sets)):
            if not self.late:
                sets[number] = self.improved(sets[number], [*sets[:number], *sets[number + 1 :]])
        return sets

    def one(self, others: Sequence[FeatureSet] = (), *, exchanging: bool = True) -> FeatureSet | None:
        """A good set that differs enough from others and from the existing sets; None if that fails."""
        best, best_value = None, -math.inf
        for sets in self._sizes:
            if self.over:
                break
            growing = self._empty(sets, self._caps(sets, others))
            # What is in every set may be too much already, though nothing is missing.
            is_whole = growing.grow(lambda: self.over)
            if is_whole and exchanging:
                growing.exchange()
            chosen = growing.chosen if is_whole and growing.affordable else None
            if chosen is not None and not self._accepted(chosen, others):
                chosen = None
            if chosen is None and not self.over:
                chosen = self._further_apart(sets, others) or self._any(sets, others)
            if chosen is not None and self.pricing.quality.evaluate(chosen) > best_value:
                best, best_value = chosen, self.pricing.quality.evaluate(chosen)
        return best

    def improved(self, chosen: FeatureSet, others: Sequence[FeatureSet] = ()) -> FeatureSet:
        """A set after exchanges of single features, no worse and as different from others."""
        for sets in self._sizes:
            if sets.size == len(chosen) and not self.late:
                growing = self._empty(sets, self._caps(sets, others))
                if not growing.adopt(chosen):
                    return chosen
                growing.exchange()
                better, evaluate = growing.chosen, self.pricing.quality.evaluate
                better_one = growing.affordable and evaluate(better) > evaluate(chosen)
                if better_one and self._accepted(better, others):
                    return better
        return chosen

    def _empty(self, sets: FixedSizeOracle, caps: Sequence[Cap]) -> GreedySet:
        """A set to begin with: the features that are in every set."""
        return GreedySet(sets.encoding, self._fixed[sets.size], caps, self._limits)

    def _caps(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> list[Cap]:
        return differing(self.problem, sets.size, others) if self.problem.caps_shared else []

    def _accepted(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> bool:
        """Whether a set is different enough, where what is shared does not tell."""
        if self.problem.counts_shared:
            return True
        ask = self.run.guarded(self.problem.compatible, otherwise=False)
        return all(not self.late and ask(chosen, other) for other in (*self.problem.existing, *others))

    def _further_apart(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """Sets that share less, in the hope that another dissimilarity finds them more different, too."""
        if self.problem.counts_shared:
            return None
        for most in (sets.size // 2, 0):
            if self.over:
                break
            caps = [Cap(other, most) for other in (*self.problem.existing, *others)]
            growing = self._empty(sets, caps)
            if (
                growing.grow(lambda: self.over)
                and growing.affordable
                and self._accepted(growing.chosen, others)
            ):
                return growing.chosen
        return None

    def _any(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """A set by a short search that knows nothing of pair terms, and so is fast."""

        def accept(row: Ints) -> bool:
            return self._accepted(sets.encoding.set_of(row), others)

        conditions = self.pricing.differing(sets, others)._replace(
            tick=lambda: self.over, max_nodes=self._limits.max_nodes
        )
        if not self.problem.counts_shared:
            conditions = conditions._replace(accept=self.run.guarded(accept, otherwise=False))
        rows = sets.any_of(conditions)
        return tuple(sorted(rows[0].tolist())) if len(rows) else None


def completed(
    answer: Answer,
    construction: Callable[[], Construction],
    at_hand: Callable[[], Sequence[FeatureSet]] = lambda: (),
) -> Answer:
    """The answer of a simultaneous search; if it had to stop before it had sets, with those that can be constructed.

    Those at hand, if there are any, are taken first.
    """
    if answer.sets or answer.statuses[0] is not Status.NOT_FOUND:
        return answer
    source = construction()
    problem, evaluate = source.problem, source.pricing.quality.evaluate
    sets = list(at_hand()) or source.all()
    bound = min(answer.bound, problem.objective([source.ceiling] * problem.n_sets))
    if bound == -math.inf:
        return Answer.infeasible(problem, "no set keeps to the constraints")
    if len(sets) < problem.n_sets:
        return replace(answer, bound=bound)
    objective = problem.objective([evaluate(chosen) for chosen in sets])
    status = Status.OPTIMAL if bound - objective <= PROVEN else Status.FEASIBLE
    return replace(answer, sets=sets, statuses=[status] * problem.n_sets, bound=max(bound, objective))


def of_one_size(quality: Quality, problem: Problem, run: Run) -> tuple[list[FeatureSet], float]:
    """All sets, each of the same size, where there is no time to look at every size; and a bound on every set.

    No sets if that fails.
    """
    # In an engine's units no number is larger than one.
    sets, ceiling = [], float(problem.k_max + problem.k_max**2)
    apart = max(problem.n_features_in // problem.n_sets, 1)
    for size in sorted({min(max(apart, problem.k_min), problem.k_max), problem.k_min}, reverse=True):
        narrowed = replace(problem, constraints=(*problem.constraints, Size(size, size)))
        pricing = PricingOracle(quality, narrowed, run)
        if problem.fixed_size and pricing.sizes:
            ceiling = min(ceiling, pricing.ceiling)
        sets = Construction(pricing, run).all()
        if len(sets) == problem.n_sets:
            return sets, ceiling
    return [], ceiling
