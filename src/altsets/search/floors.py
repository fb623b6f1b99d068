"""Disjoint sets above a floor: how many can there be? A linear programme says at most so many, and at what prices.

For the largest minimum, the sum is a poor guide where some sets are much better than others can be. Instead: take the sets
with a quality above a floor, and as many of them as no feature is used twice, in parts if need be. If that comes to less
than the sets that are wanted, no solution has a minimum above the floor. If it comes to little more, the prices p of the
features tell which sets can matter: every set above the floor costs at least c, all features together cost P, and in
a solution the surplus of each set over c and the prices of unused features add up to P - A c.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets
from altsets.search.run import Run
from altsets.search.solver import LinearProgramme

__all__ = ["Floor", "Floors"]

Floats = npt.NDArray[np.float64]

#: New columns in each round, at most; and steps to look for them.
COLUMNS_PER_ROUND, MAX_NODES = 200, 200_000
MAX_ROUNDS = 300


@dataclass(frozen=True)
class Floor:
    """Prices of features, what each set above the floor costs at least, and what all features cost."""

    prices: Floats
    least: float
    total: float

    def surplus(self, n_sets: int) -> float:
        """What so many sets can cost above the least; negative if there cannot be so many."""
        return self.total - n_sets * self.least


class Floors:
    """The linear programmes for different floors share the sets that have been found so far."""

    def __init__(self, good: GoodSets, n_sets: int, run: Run) -> None:
        self.good, self.n_sets, self.run = good, n_sets, run
        self._pool: dict[FeatureSet, float] = {}

    def add(self, sets: Iterable[FeatureSet]) -> None:
        """Sets that may be of use."""
        for chosen in sets:
            if chosen not in self._pool:
                self._pool[chosen] = self.good.quality.evaluate(chosen)

    def at(self, floor: float, *, only_refute: bool) -> Floor | None:
        """Prices for sets above the floor; None if out of time, or if only a refutation is of interest and there is none."""
        programme = LinearProgramme()
        row_of = {feature: row for row, feature in enumerate(self.good.features)}
        for _ in row_of:
            programme.add_row({}, upper=1.0)
        for chosen, quality in self._pool.items():
            if quality > floor:
                programme.add_column(1.0, {row_of[j]: 1.0 for j in chosen})
        for _ in range(MAX_ROUNDS):
            solved = programme.maximise()
            if solved is None or self.run.tick():
                return None
            values, duals = solved
            if only_refute and float(np.sum(values)) >= self.n_sets:
                return None
            prices = np.zeros(self.good.problem.n_features_in)
            prices[list(row_of)] = np.maximum(duals, 0.0)
            listing = self.good.above(
                floor, COLUMNS_PER_ROUND, budget=(prices, 1 - 1e-9), cheaper=True, max_nodes=MAX_NODES
            )
            if not len(listing):
                if not listing.complete:
                    return None
                return Floor(prices, 1 - 1e-9, math.fsum(prices.tolist()))
            new = [listing.set_at(number) for number in range(len(listing))]
            self.add(new)
            for chosen in new:
                programme.add_column(1.0, {row_of[j]: 1.0 for j in chosen})
        return None
