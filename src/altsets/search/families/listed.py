"""All sets that are good enough, where they are few: which of them go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.families.cliques import largest_clique
from altsets.search.families.limits import FamilyLimits
from altsets.search.families.standard import Standard
from altsets.search.likeness import Likeness, likeness_of
from altsets.search.resources import one_thread
from altsets.search.run import Run, Stopped
from altsets.search.scaling import Scaling
from altsets.search.subset.pricing import PricingOracle
from altsets.search.tolerances import PROVEN

__all__ = ["GoodSets"]


class GoodSets:
    """Every set that is good enough, best first; existing sets are left out of account until somebody asks."""

    def __init__(self, sets: Sequence[FeatureSet], run: Run) -> None:
        self.sets, self._run = list(sets), run

    @classmethod
    def of(
        cls, quality: Quality, problem: Problem, standard: Standard, run: Run, limits: FamilyLimits
    ) -> GoodSets | None:
        """The list; None if there are too many sets, if it takes too long, or if a quality can only be asked."""
        if isinstance(quality, BlackBox) or problem.n_features_in > limits.listed_features:
            return None
        # As if all features were wanted: where few are, some sets are as good as others and would not be listed.
        every = replace(
            problem, n_alternatives=problem.n_features_in, dissimilarity="dice", tau=Fraction(0), existing=()
        )
        asked = not problem.counts_shared and likeness_of(problem) is None
        most = limits.listed_for_own if asked else limits.listed_sets
        scaling = Scaling.of(quality, every)
        # More than the tolerance: what the rounding of the search for sets could cost is looked at again.
        threshold = math.ldexp(standard.least - standard.tolerance, -scaling.exponent) - PROVEN
        with run.part() as part, one_thread():
            try:
                listing = PricingOracle(scaling.quality, every, part).all_above(
                    threshold, most, max_nodes=limits.list_nodes
                )
            except Stopped:
                return None
        if not listing.complete:
            return None
        good = {}
        for number in range(len(listing)):
            if run.stopped:
                return None
            chosen = listing.set_at(number)
            value = quality.evaluate(chosen)
            if value >= standard.least - standard.tolerance:
                good[chosen] = value
        return cls(sorted(good, key=lambda chosen: (-good[chosen], chosen)), run)

    def family(self, problem: Problem, wanted: int, max_coloured: int) -> tuple[list[FeatureSet], float]:
        """Listed sets that go together, ``wanted`` of them if there are as many; and what no family exceeds.

        When so many sets were coloured, it is left at what was found.
        """
        allowed = self._far_enough(problem)
        alone = np.flatnonzero(self._apart_from_existing(problem)).tolist()
        if self._run.stopped:
            return [], float("inf")
        repeated = [number for number in alone if allowed[number, number]]
        if repeated:
            return [self.sets[repeated[0]]] * wanted, float("inf")
        # Those that go with many others first, which takes fewer colours; then the better ones.
        joined = allowed[np.ix_(alone, alone)]
        order = np.argsort(-joined.sum(axis=1), kind="stable")
        joined = joined[np.ix_(order, order)]
        bits = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in joined]
        coloured = 0

        def spend(vertices: int) -> bool:
            nonlocal coloured
            coloured += vertices
            return self._run.tick() or coloured > max_coloured

        members, most = largest_clique(bits, wanted, spend)
        return [self.sets[alone[order[member]]] for member in members], most

    @cached_property
    def _shared(self) -> Floats:
        """How many features each pair of sets shares."""
        features = sorted({feature for chosen in self.sets for feature in chosen})
        place = {feature: number for number, feature in enumerate(features)}
        member = np.zeros((len(self.sets), len(features)))
        for row, chosen in zip(member, self.sets, strict=True):
            row[[place[feature] for feature in chosen]] = 1.0
        shared: Floats = member @ member.T
        return shared

    def _far_enough(self, problem: Problem) -> Bools:
        """Which pairs of sets differ enough."""
        n, likeness = len(self.sets), likeness_of(problem)
        if likeness is not None:
            return self._by_likeness(likeness)
        if not problem.counts_shared:
            allowed = np.zeros((n, n), dtype=bool)
            for i in range(n):
                for j in range(i + 1):
                    if self._run.tick():
                        return allowed
                    allowed[i, j] = allowed[j, i] = problem.compatible(self.sets[i], self.sets[j])
            return allowed
        sizes = [len(chosen) for chosen in self.sets]
        caps = np.zeros((max(sizes, default=0) + 1, max(sizes, default=0) + 1))
        for size in set(sizes):
            for other in set(sizes):
                caps[size, other] = problem.max_overlap_of(size, other)
        far: Bools = self._shared <= caps[np.ix_(sizes, sizes)]
        return far

    def _by_likeness(self, likeness: Likeness) -> Bools:
        """The same where a kernel compares sets by more than what they share."""
        by_size: dict[int, list[int]] = {}
        for number, chosen in enumerate(self.sets):
            by_size.setdefault(len(chosen), []).append(number)
        test = likeness.going_together(
            [np.array([self.sets[i] for i in some], dtype=np.intc) for some in by_size.values()]
        )
        order = np.array([number for some in by_size.values() for number in some], dtype=np.intp)
        allowed = np.zeros((len(order), len(order)), dtype=bool)
        every = np.arange(len(order), dtype=np.intc)
        for place, number in enumerate(order.tolist()):
            if self._run.tick():
                break
            allowed[number, order] = test(place, every) > 0
        return allowed

    def _apart_from_existing(self, problem: Problem) -> Bools:
        """Which sets differ enough from all existing ones."""
        return np.array(
            [
                not self._run.stopped and all(problem.compatible(chosen, given) for given in problem.existing)
                for chosen in self.sets
            ],
            dtype=bool,
        )
