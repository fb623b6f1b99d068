"""The largest minimum by thresholds: how many sets above a threshold can go together?

The sum is a poor guide where some sets are much better than others can be. Instead, take as many sets above a threshold
as the ``cuts`` allow, fractions included. If that is less than the number wanted, no minimum exceeds the threshold. If
it is little more, prices tell which sets can matter: every set above the threshold pays at least c, all rows cost P,
and in a solution the surplus of each set over c and the price of unused rows add up to P - A c.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.packing.clique_search import ReducedCostBudget
from altsets.search.packing.coupling import Coupling
from altsets.search.packing.cuts import CutPool, DualPricing, SlackCosts
from altsets.search.packing.limits import PACKING_LIMITS, PackingLimits
from altsets.search.packing.separation import separate
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

if TYPE_CHECKING:
    from altsets.search.packing.search import SetPackingSearch

#: What sums of prices may be off, where sets are listed by what they pay.
SLACK = 1e-9
#: What a set pays at least, in a solved programme; and by how much sums of prices may be off because of rounding.
LEAST, ROUNDING = 1 - 1e-9, 1e-12
#: With less left to spend, prices say nothing about single sets: all are needed in full, as in a partition.
DEGENERATE = 1e-6
#: The next threshold is the incumbent itself if this one is nearer to it than this part of the gap, or if its list was
#: shorter than this part of the limit.
NEARLY, SHORT = 0.1, 0.05


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
    """The linear programmes for different thresholds; they share the sets that have been found so far."""

    def __init__(
        self,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        limits: PackingLimits = PACKING_LIMITS,
        coupling: Coupling | None = None,
    ) -> None:
        self.pricing, self.n_sets, self.max_overlap, self.run = pricing, n_sets, max_overlap, pricing.run
        self.limits, self.coupling = limits, coupling
        self._pool: dict[FeatureSet, float] = {}
        # The cuts of the last programme and their prices.
        self._last: tuple[CutPool, Floats] | None = None

    def add(self, sets: Iterable[FeatureSet]) -> None:
        """Sets that may be of use."""
        for chosen in sets:
            if chosen not in self._pool:
                self._pool[chosen] = self.pricing.quality.evaluate(chosen)

    def at(self, threshold: float) -> ThresholdBound | None:
        """Prices for sets above the threshold; None if out of time, or if they take too long."""
        programme = LinearProgramme()
        cuts = self._cuts_of(programme, threshold)
        for _ in range(self.limits.threshold_rounds):
            # Without any column there is nothing to solve, and all prices are zero.
            solved = programme.maximise() if cuts.sets else (np.zeros(0), np.zeros(1))
            if solved is None or self.run.tick():
                return None
            values, duals = solved
            if separate(cuts, values):
                continue
            self._last = cuts, duals
            dual, of_all = DualPricing(cuts, duals), max(float(duals[0]), 0.0)
            listing = self.pricing.all_above(
                threshold,
                self.limits.threshold_columns,
                budget=(dual.prices.features, LEAST - of_all),
                cheaper=True,
                max_nodes=self.limits.threshold_nodes,
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
            programme,
            self.pricing,
            self.n_sets,
            self.max_overlap,
            pair_cuts=False,
            n_columns=0,
            coupling=self.coupling,
        )
        # More than all sets are never needed, and until there are cuts something must keep the programme bounded.
        programme.add_row({}, upper=2.0 * self.n_sets)
        good_enough = [chosen for chosen, quality in self._pool.items() if quality > threshold]
        if good_enough and self._last is not None:
            cuts.adopt(*self._last)
        for chosen in good_enough:
            programme.add_column(1.0, {0: 1.0} | cuts.terms(chosen))
        return cuts


def refute(search: SetPackingSearch, part: float, max_steps: int, parts: Sequence[float]) -> None:
    """Look through the sets above thresholds that lie between the incumbent (0) and the bound (1), downwards."""
    state = search.state
    master = ThresholdMaster(search.pricing, state.n_sets, search.most_shared, search.limits, search.coupling)
    master.add([*state.sets, *search.master.sets])
    begins_at_incumbent = part == 0.0
    # The incumbent when a list was too long: with a better one the next may not be.
    failed_at = -math.inf
    while not state.is_over:
        target = state.value + part * (state.bound - state.value)
        bound = master.at(target)
        n_listed = None if bound is None else _pick_above(search, target, bound, max_steps, parts)
        if n_listed is not None:
            state.rule_out(target)
            part = part / 2 if part > NEARLY and n_listed > SHORT * search.limits.refuted_sets else 0.0
        elif begins_at_incumbent or failed_at == state.value:
            return
        else:
            failed_at = state.value
            part = (1 + part) / 2


def _pick_above(
    search: SetPackingSearch, target: float, bound: ThresholdBound, max_steps: int, parts: Sequence[float]
) -> int | None:
    """The best compatible sets above the target, out of how many; None if it takes too long."""
    limits, pricing = search.limits, search.pricing
    surplus = bound.surplus(search.state.n_sets)
    if surplus < 0:
        return 0
    if surplus < DEGENERATE:
        return None
    # In units of quality, so that one tolerance is enough.
    scale, slack = pricing.reach, bound.slack_costs
    slack = replace(slack, table=scale * slack.table, unshared=scale * slack.unshared)

    def listed(part: float) -> tuple[Listing, ReducedCostBudget]:
        listing = pricing.all_above(
            target,
            limits.refuted_sets,
            budget=(bound.prices, LEAST + part * surplus + SLACK),
            max_nodes=limits.refuted_nodes,
        )
        paid = [bound.prices[pricing.place[rows]].sum(axis=1) for rows in listing.rows]
        above = np.concatenate([np.zeros(0), *paid]) - LEAST
        return listing, ReducedCostBudget(scale * np.maximum(above, 0.0), scale * surplus, slack)

    return search.pick_from_lists(listed, scale * surplus, target, max_steps, parts)
