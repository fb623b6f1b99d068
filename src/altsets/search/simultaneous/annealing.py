"""Simulated annealing: exchanges of features at random, from an incumbent or from random sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet
from altsets.search.subset.pricing import PricingOracle

#: First and last temperature: the harm that a step may do, as a part of the gap.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.1, 0.005
#: What two features that exclude each other cost, in units of what a set can be worth.
CONFLICT = 10.0


class SimulatedAnnealing:
    """For sets of one size with rules on features, pairs and overlaps only; ``possible`` says whether that holds."""

    def __init__(self, pricing: PricingOracle, max_min: bool) -> None:
        self.pricing, self.max_min = pricing, max_min
        self._seed = 0
        problem = pricing.problem
        plain = problem.rules.only_exclude and problem.counts_shared
        self.possible = plain and pricing.can_be_priced and problem.fixed_size and len(pricing.sizes) == 1
        self.possible = self.possible and pricing.sizes[0].form.fit is None
        if self.possible:
            form = pricing.sizes[0].form
            inside = np.asarray(pricing.features)
            self._scores = form.linear[inside]
            self._pairs = form.pairs_among(inside, pricing.run.check) if form.has_pairs else None
            self._plain_pairs = self._pairs
            if form.conflicts is not None:
                pairs = np.zeros((len(pricing.features),) * 2) if self._pairs is None else self._pairs
                self._pairs = pairs + CONFLICT * pricing.magnitude * form.conflicts[np.ix_(inside, inside)]
            self._fixed = self._members(problem.existing)
            self._caps = np.array(problem.existing_overlaps, dtype=np.intc)

    def improve(
        self, sets: Sequence[FeatureSet], bound: float, steps: int, temperature: float = 1.0
    ) -> list[FeatureSet]:
        """Walk through valid sets from these; nothing if there are none, or other rules than it knows."""
        # The harm that a step may do is a part of the gap to ``bound``, times ``temperature``.
        if not sets or not self.possible or not math.isfinite(bound):
            return []
        gap = bound - self.pricing.problem.objective([self.pricing.quality.evaluate(one) for one in sets])
        heat = temperature * max(gap, 0.0)
        if not heat:
            return []
        return self._walked(
            self._members(sets), bound, steps, (FIRST_TEMPERATURE * heat, LAST_TEMPERATURE * heat)
        )

    def walk(self, value: float, bound: float, steps: int) -> list[FeatureSet]:
        """Walk from random sets, which need not be valid on the way; nothing if they are not at the end."""
        pricing = self.pricing
        if not self.possible or not math.isfinite(bound):
            return []
        rng = np.random.default_rng(self._seed)
        n, size = len(pricing.features), pricing.sizes[0].size
        members = np.zeros((pricing.problem.n_sets, n), dtype=np.uint8)
        for row in members:
            row[rng.permutation(n)[:size]] = 1
        # A minimum is lifted to a threshold between what is known and what is possible, another one in each walk.
        target = bound
        if self.max_min and math.isfinite(value):
            target = value + rng.random() * (bound - value)
        harm, price = self._spread
        return self._walked(members, target, steps, (harm, harm / 20), (1.5 * price, 4 * price))

    @cached_property
    def _spread(self) -> tuple[float, float]:
        """What a step may do, at first, and what it costs to share one feature too many."""
        of_scores = float(np.std(self._scores))
        if self._plain_pairs is None:
            return of_scores, of_scores
        inside = np.triu_indices(len(self._plain_pairs), 1)
        of_pairs = float(np.std(self._plain_pairs[inside]))
        return of_pairs or of_scores, of_pairs + of_scores

    def _walked(
        self,
        members: npt.NDArray[np.uint8],
        target: float,
        steps: int,
        temperatures: tuple[float, float],
        prices: tuple[float, float] = (math.inf, math.inf),
    ) -> list[FeatureSet]:
        if not temperatures[0] > 0:
            return []
        self._seed += 1
        inside = anneal(
            self._scores,
            members,
            self._fixed,
            self._caps,
            self.pricing.problem.max_overlap,
            target,
            steps,
            self._seed,
            self.pricing.run.tick,
            temperatures=temperatures,
            prices=prices,
            pairs=self._pairs,
            summing=not self.max_min,
        )
        if inside is None:
            return []
        features, rules = np.asarray(self.pricing.features), self.pricing.problem.constraints
        walked = [tuple(sorted(features[places].tolist())) for places in inside]
        # Features that exclude each other have a high price, but a walk may still end with them.
        return walked if all(rule.holds(chosen) for rule in rules for chosen in walked) else []

    def _members(self, sets: Sequence[FeatureSet]) -> npt.NDArray[np.uint8]:
        """Which places lie in each set, as rows of zeros and ones."""
        members = np.zeros((len(sets), len(self.pricing.features)), dtype=np.uint8)
        for row, chosen in zip(members, sets, strict=True):
            places = self.pricing.place[list(chosen)]
            row[places[places >= 0]] = 1
        return members
