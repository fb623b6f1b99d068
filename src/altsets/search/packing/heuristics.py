"""Primal heuristics: simulated annealing, and local search by best responses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet
from altsets.search.packing.limits import PACKING_LIMITS, PackingLimits
from altsets.search.run import Run
from altsets.search.subset.pricing import PricingOracle
from altsets.search.tolerances import ROUNDED

#: What two features that exclude each other cost, in units of what a set can be worth.
CONFLICT = 10.0


class SimulatedAnnealing:
    """Exchanges features at random, for sets of one size with rules on features, pairs and overlaps only."""

    def __init__(
        self, pricing: PricingOracle, max_min: bool, run: Run, limits: PackingLimits = PACKING_LIMITS
    ) -> None:
        self.pricing, self.max_min, self.run, self._limits = pricing, max_min, run, limits
        self._seed = 0
        problem = pricing.problem
        plain = problem.rules.only_exclude and problem.counts_shared
        self.possible = plain and pricing.can_be_priced and problem.fixed_size and len(pricing.sizes) == 1
        if self.possible:
            form = pricing.sizes[0].form
            inside = np.asarray(pricing.features)
            self._scores = form.linear[inside]
            self._pairs = form.pairs_among(inside, run.check) if form.has_pairs else None
            if form.conflicts is not None:
                pairs = np.zeros((len(pricing.features),) * 2) if self._pairs is None else self._pairs
                self._pairs = pairs + CONFLICT * pricing.reach * form.conflicts[np.ix_(inside, inside)]
            self._fixed = self._members(problem.existing)
            self._caps = np.array(problem.existing_overlaps, dtype=np.intc)

    def improve(
        self, sets: Sequence[FeatureSet], bound: float, steps: int, temperature: float = 1.0
    ) -> list[FeatureSet]:
        """What another walk makes of these sets; nothing if there are none, or other rules than it knows."""
        # The harm that a step may do is a part of the gap to ``bound``, times ``temperature``.
        if not sets or not self.possible or not math.isfinite(bound):
            return []
        self._seed += 1
        inside = anneal(
            self._scores,
            self._members(sets),
            self._fixed,
            self._caps,
            self.pricing.problem.max_overlap,
            bound,
            steps,
            self._seed,
            self.run.tick,
            pairs=self._pairs,
            summing=not self.max_min,
            hot=temperature * self._limits.first_temperature,
            cold=temperature * self._limits.last_temperature,
        )
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


def local_optimum(
    sets: Sequence[FeatureSet], pricing: PricingOracle, run: Run, max_nodes: int, *, max_min: bool
) -> list[FeatureSet]:
    """Replace sets by best responses of ``max_nodes`` nodes until none is better; with ``max_min`` the worst first."""
    current, evaluate = list(sets), pricing.quality.evaluate
    unchanged = turn = 0
    while unchanged < len(current) and not run.tick():
        if max_min and unchanged == 0:
            turn = min(range(len(current)), key=lambda number: evaluate(current[number]))
        others = current[:turn] + current[turn + 1 :]
        threshold = evaluate(current[turn]) + ROUNDED * pricing.tolerance
        found = pricing.k_best(1, others=others, threshold=threshold, max_nodes=max_nodes)
        unchanged += 1
        if found.sets:
            current[turn] = found.sets[0]
            unchanged = 0
        turn = (turn + 1) % len(current)
    return current
