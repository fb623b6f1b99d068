"""Compatible sets above a floor: how many can there be? A linear programme says at most so many, and at what prices.

For the largest minimum, the sum is a poor guide where some sets are much better than others can be. Instead: take the
sets with a quality above a floor, and as many of them, in parts if need be, as the rows for compatible sets allow
(``cuts``). If that comes to less than the sets that are wanted, no solution has a minimum above the
floor. If it comes to little more, prices tell which sets can matter: every set above the floor pays at least c, all
rows cost P, and in a solution the surplus of each set over c and the price of unused rows add up to P - A c.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.packing.cuts import CutPool, SlackCosts
from altsets.search.run import Run
from altsets.search.subset.pricing import PricingOracle

__all__ = ["LEAST", "ThresholdBound", "ThresholdMaster"]


#: New columns in each round, at most; and steps to look for them.
COLUMNS_PER_ROUND, MAX_NODES = 200, 200_000
MAX_ROUNDS = 300
#: How many times as long it may take if more than a refutation is wanted: that is worth more.
WORTH = 5
#: What a set pays at least, in a solved programme; and by how much sums of prices may be off because of rounding.
LEAST, ROUNDING = 1 - 1e-9, 1e-12


@dataclass(frozen=True)
class ThresholdBound:
    """Prices of features, what all rows cost (each set above the floor pays at least ``LEAST``), and unused rows."""

    prices: Floats
    total: float
    slack_costs: SlackCosts

    def surplus(self, n_sets: int) -> float:
        """What so many sets can pay above the least; negative if there cannot be so many."""
        return self.total - n_sets * (LEAST - ROUNDING)


class ThresholdMaster:
    """The linear programmes for different floors; they share the sets that have been found so far.

    With more ``patience`` each may take so many times as many rounds and steps.
    """

    def __init__(
        self, pricing: PricingOracle, n_sets: int, max_overlap: int, run: Run, patience: int = 1
    ) -> None:
        self.pricing, self.n_sets, self.max_overlap, self.run = pricing, n_sets, max_overlap, run
        self.patience = patience
        self._pool: dict[FeatureSet, float] = {}
        # The rows of the last programme and their prices.
        self._last: tuple[CutPool, Floats] | None = None

    def add(self, sets: Iterable[FeatureSet]) -> None:
        """Sets that may be of use."""
        for chosen in sets:
            if chosen not in self._pool:
                self._pool[chosen] = self.pricing.quality.evaluate(chosen)

    def at(self, floor: float, *, only_refute: bool) -> ThresholdBound | None:
        """Prices for sets above the floor; None if out of time, or if only a refutation is wanted and there is none."""
        programme = LinearProgramme()
        rows = CutPool(
            programme, self.pricing, self.n_sets, self.max_overlap, with_pairs=False, n_rows=1, n_columns=0
        )
        # More than all sets are never needed, and until there are rows something must keep the programme bounded.
        programme.add_row({}, upper=2.0 * self.n_sets)
        good_enough = [chosen for chosen, quality in self._pool.items() if quality > floor]
        if good_enough and self._last is not None:
            rows.adopt(*self._last)
        for chosen in good_enough:
            programme.add_column(1.0, {0: 1.0} | rows.terms(chosen))
        patience = self.patience * (1 if only_refute else WORTH)
        for _ in range(patience * MAX_ROUNDS):
            # Without any column there is nothing to solve, and all prices are zero.
            solved = programme.maximise() if rows.sets else (np.zeros(0), np.zeros(1))
            if solved is None or self.run.tick():
                return None
            values, duals = solved
            if rows.separate(values):
                continue
            self._last = rows, duals
            if only_refute and rows.n_taken(values) >= self.n_sets:
                return None
            prices = rows.prices(duals).features
            paid = rows.paid(duals) + 2.0 * self.n_sets * max(float(duals[0]), 0.0)
            least = LEAST - max(float(duals[0]), 0.0)
            listing = self.pricing.all_above(
                floor,
                COLUMNS_PER_ROUND,
                budget=(prices, least),
                cheaper=True,
                max_nodes=patience * MAX_NODES,
            )
            new = [listing.set_at(number) for number in range(len(listing))]
            if not any(chosen not in self._pool for chosen in new):
                solved_well = listing.complete and not new
                return (
                    ThresholdBound(prices, paid, rows.slack_costs(duals))
                    if solved_well and duals[0] <= 0
                    else None
                )
            for chosen in new:
                if chosen not in self._pool:
                    programme.add_column(1.0, {0: 1.0} | rows.terms(chosen))
            self.add(new)
        return None
