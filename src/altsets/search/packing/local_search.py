"""Iterated local search: take one set out, put the best one in that goes with the others; perturb, and again."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from altsets.problem import FeatureSet
from altsets.search.packing.limits import PACKING_LIMITS, PackingLimits
from altsets.search.run import Run
from altsets.search.subset.pricing import DualPrices, PricingOracle
from altsets.search.tolerances import ROUNDED

__all__ = ["IteratedLocalSearch"]


class IteratedLocalSearch:
    """Local search around solutions: exact best responses, and perturbations by random prices.

    Parameters
    ----------
    pricing : PricingOracle
    max_min : bool
        Whether the worst set counts instead of the sum.
    run : Run
    """

    def __init__(
        self, pricing: PricingOracle, max_min: bool, run: Run, limits: PackingLimits = PACKING_LIMITS
    ) -> None:
        self.pricing, self.max_min, self.run = pricing, max_min, run
        self._limits = limits
        # A fixed stream: the same problem is to have the same answer.
        self.random = np.random.default_rng(0)

    def value(self, sets: Sequence[FeatureSet]) -> tuple[float, float]:
        """What counts, and what counts next."""
        qualities = [self.pricing.quality.evaluate(chosen) for chosen in sets]
        total = math.fsum(qualities)
        return (min(qualities), total) if self.max_min else (total, 0.0)

    def local_optimum(self, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """Replace sets by their best responses until none is better."""
        current = list(sets)
        evaluate = self.pricing.quality.evaluate
        unchanged = 0
        turn = 0
        while unchanged < len(current) and not self.run.tick():
            if self.max_min and unchanged == 0:
                turn = min(range(len(current)), key=lambda number: evaluate(current[number]))
            others = current[:turn] + current[turn + 1 :]
            threshold = evaluate(current[turn]) + ROUNDED * self.pricing.tolerance
            found = self.pricing.k_best(
                1, others=others, threshold=threshold, max_nodes=self._limits.response_nodes
            )
            unchanged += 1
            if found.sets:
                current[turn] = found.sets[0]
                unchanged = 0
            turn = (turn + 1) % len(current)
        return current

    def perturb(self, sets: Sequence[FeatureSet], strength: float) -> list[FeatureSet] | None:
        """Replace two or three sets by good ones at random prices; None if that finds no way out."""
        current = list(sets)
        evaluate = self.pricing.quality.evaluate
        count = min(len(current), int(self.random.integers(2, 4)))
        places = self.random.permutation(len(current))[:count].tolist()
        if self.max_min:
            worst = min(range(len(current)), key=lambda number: evaluate(current[number]))
            if worst not in places:
                places[0] = worst
        kept = [chosen for number, chosen in enumerate(current) if number not in places]
        for _ in places:
            noise = strength * self.random.random(len(self.pricing.features))
            found = self.pricing.k_best(
                1, others=kept, prices=DualPrices(noise), max_nodes=self._limits.response_nodes
            )
            if not found.sets:
                return None
            kept.append(found.sets[0])
        return kept

    def improve(self, sets: Sequence[FeatureSet], perturbations: int) -> list[FeatureSet]:
        """Perturb a local optimum, again and again; the best solution that was seen, none if there is none."""
        if not sets:
            return []
        best = self.local_optimum(sets)
        value = self.value(best)
        qualities = [self.pricing.quality.evaluate(chosen) for chosen in best]
        # Prices of the order of what a feature is worth.
        scale = (max(map(abs, qualities)) + 1e-300) / max(map(len, best))
        for _ in range(perturbations):
            if self.run.tick():
                break
            perturbed = self.perturb(
                best, scale * float(self.random.choice(self._limits.perturbation_strengths))
            )
            if perturbed is None:
                continue
            optimum = self.local_optimum(perturbed)
            if self.value(optimum) > value:
                best, value = optimum, self.value(optimum)
        return best
