"""Which sets above a threshold can go together: as many as a linear programme has room for.

For the largest minimum, the sum is a poor guide where some sets are much better than others can be. Instead: take the
sets with a quality above a threshold, and as many of them, in parts if need be, as the cuts for compatible sets allow
(``cuts``). If that comes to less than the sets that are wanted, no solution has a minimum above the threshold. If it
comes to little more, prices tell which sets can matter: every set above the threshold pays at least c, all rows cost P,
and in a solution the surplus of each set over c and the price of unused rows add up to P - A c.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.packing.cuts import CutPool
from altsets.search.packing.dual_pricing import DualPricing, SlackCosts
from altsets.search.packing.limits import PACKING_LIMITS, PackingLimits
from altsets.search.packing.separation import separate
from altsets.search.run import Run
from altsets.search.subset.pricing import PricingOracle

__all__ = ["LEAST", "ThresholdBound", "ThresholdMaster"]

#: What a set pays at least, in a solved programme; and by how much sums of prices may be off because of rounding.
LEAST, ROUNDING = 1 - 1e-9, 1e-12


@dataclass(frozen=True)
class ThresholdBound:
    """Prices of features, what all rows cost (a set above the threshold pays ``LEAST`` or more), and slack."""

    prices: Floats
    total: float
    slack_costs: SlackCosts

    def surplus(self, n_sets: int) -> float:
        """What so many sets can pay above the least; negative if there cannot be so many."""
        return self.total - n_sets * (LEAST - ROUNDING)


class ThresholdMaster:
    """The linear programmes for different thresholds; they share the sets that have been found so far.

    With more ``patience`` each may take so many times as many rounds and nodes.
    """

    def __init__(
        self,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        run: Run,
        patience: int = 1,
        limits: PackingLimits = PACKING_LIMITS,
    ) -> None:
        self.pricing, self.n_sets, self.max_overlap, self.run = pricing, n_sets, max_overlap, run
        self.patience, self.limits = patience, limits
        self._pool: dict[FeatureSet, float] = {}
        # The cuts of the last programme and their prices.
        self._last: tuple[CutPool, Floats] | None = None

    def add(self, sets: Iterable[FeatureSet]) -> None:
        """Sets that may be of use."""
        for chosen in sets:
            if chosen not in self._pool:
                self._pool[chosen] = self.pricing.quality.evaluate(chosen)

    def at(self, threshold: float, *, only_refute: bool) -> ThresholdBound | None:
        """Prices for sets above the threshold; None if out of time, or if a refutation is wanted and there is none."""
        programme = LinearProgramme()
        cuts = self._cuts_of(programme, threshold)
        patience = self.patience * (1 if only_refute else self.limits.worth_of_prices)
        for _ in range(patience * self.limits.threshold_rounds):
            # Without any column there is nothing to solve, and all prices are zero.
            solved = programme.maximise() if cuts.sets else (np.zeros(0), np.zeros(1))
            if solved is None or self.run.tick():
                return None
            values, duals = solved
            if separate(cuts, values):
                continue
            self._last = cuts, duals
            if only_refute and cuts.n_taken(values) >= self.n_sets:
                return None
            dual, of_all = DualPricing(cuts, duals), max(float(duals[0]), 0.0)
            listing = self.pricing.all_above(
                threshold,
                self.limits.threshold_columns,
                budget=(dual.prices.features, LEAST - of_all),
                cheaper=True,
                max_nodes=patience * self.limits.threshold_nodes,
            )
            found = [listing.set_at(number) for number in range(len(listing))]
            new = [chosen for chosen in found if chosen not in self._pool]
            if not new:
                is_solved = listing.complete and not found and duals[0] <= 0
                total = dual.paid + 2.0 * self.n_sets * of_all
                return ThresholdBound(dual.prices.features, total, dual.slack_costs) if is_solved else None
            for chosen in new:
                programme.add_column(1.0, {0: 1.0} | cuts.terms(chosen))
            self.add(new)
        return None

    def _cuts_of(self, programme: LinearProgramme, threshold: float) -> CutPool:
        """A programme for this threshold, with the sets and cuts that are known."""
        cuts = CutPool(
            programme, self.pricing, self.n_sets, self.max_overlap, pair_cuts=False, n_rows=1, n_columns=0
        )
        # More than all sets are never needed, and until there are cuts something must keep the programme bounded.
        programme.add_row({}, upper=2.0 * self.n_sets)
        good_enough = [chosen for chosen, quality in self._pool.items() if quality > threshold]
        if good_enough and self._last is not None:
            cuts.adopt(*self._last)
        for chosen in good_enough:
            programme.add_column(1.0, {0: 1.0} | cuts.terms(chosen))
        return cuts
