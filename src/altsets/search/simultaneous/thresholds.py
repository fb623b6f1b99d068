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

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.simultaneous.clique_search import ReducedCostBudget
from altsets.search.simultaneous.cuts import CutPool
from altsets.search.simultaneous.duals import DualPricing
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.lists import pick_from_lists
from altsets.search.simultaneous.separation import separate
from altsets.search.simultaneous.slack import SlackCosts, slack_costs
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

#: What sums of prices may be off, where sets are listed by what they pay.
SLACK = 1e-9
#: What a set pays at least, in a solved programme; and by how much sums of prices may be off because of rounding.
LEAST, ROUNDING = 1 - 1e-9, 1e-12
#: With less left to spend, prices say nothing about single sets: all are needed in full, as in a partition.
DEGENERATE = 1e-6
#: For prices at a threshold: new columns in each round, nodes to find them, and rounds.
MOST_COLUMNS, COLUMN_NODES, MAX_ROUNDS = 200, 20_000_000, 30_000
#: The sets above a threshold: how many, and nodes to list them.
MOST_SETS, LIST_NODES = 700_000, 30_000_000
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
        joint: JointConditions | None = None,
    ) -> None:
        self.pricing, self.n_sets, self.max_overlap, self.run = pricing, n_sets, max_overlap, pricing.run
        self.joint = joint
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
        for _ in range(MAX_ROUNDS):
            # Without any column there is nothing to solve, and all prices are zero.
            solved = programme.maximise() if len(cuts.columns) else (np.zeros(0), np.zeros(1))
            if solved is None or self.run.tick():
                return None
            values, duals = solved
            if separate(cuts, values):
                continue
            self._last = cuts, duals
            dual, of_all = DualPricing(cuts, duals), max(float(duals[0]), 0.0)
            listing = self.pricing.all_above(
                threshold,
                MOST_COLUMNS,
                budget=(dual.prices.features, LEAST - of_all),
                cheaper=True,
                max_nodes=COLUMN_NODES,
            )
            found = [listing.set_at(number) for number in range(len(listing))]
            new = [chosen for chosen in found if chosen not in self._pool]
            if not new:
                is_solved = listing.complete and not found and duals[0] <= 0
                total = dual.paid + 2.0 * self.n_sets * of_all
                return ThresholdBound(dual.prices.features, total, slack_costs(dual)) if is_solved else None
            for chosen in new:
                cuts.add_set(chosen, 1.0)
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
            joint=self.joint,
        )
        # More than all sets are never needed, and until there are cuts something must keep the programme bounded.
        programme.add_row({}, upper=2.0 * self.n_sets)
        good_enough = [chosen for chosen, quality in self._pool.items() if quality > threshold]
        if good_enough and self._last is not None:
            cuts.adopt(*self._last)
        for chosen in good_enough:
            cuts.add_set(chosen, 1.0)
        return cuts


def refute(search: SimultaneousSearch, part: float, max_steps: int, parts: Sequence[float] = (1.0,)) -> None:
    """Look through the sets above thresholds that lie between the incumbent (0) and the bound (1), downwards."""
    state = search.state
    if not (state.max_min and search.pricing.can_be_priced and math.isfinite(state.bound)):
        return
    master = ThresholdMaster(search.pricing, state.n_sets, search.most_shared, search.joint)
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
            part = part / 2 if part > NEARLY and n_listed > SHORT * MOST_SETS else 0.0
        elif begins_at_incumbent or failed_at == state.value:
            return
        else:
            failed_at = state.value
            part = (1 + part) / 2


def _pick_above(
    search: SimultaneousSearch, target: float, bound: ThresholdBound, max_steps: int, parts: Sequence[float]
) -> int | None:
    """The best compatible sets above the target, out of how many; None if it takes too long."""
    pricing = search.pricing
    surplus = bound.surplus(search.state.n_sets)
    if surplus < 0:
        return 0
    if surplus < DEGENERATE:
        return None
    # In units of quality, so that one tolerance is enough.
    scale, slack = pricing.magnitude, bound.slack_costs
    slack = replace(slack, table=scale * slack.table, unshared=scale * slack.unshared)

    def listed(part: float) -> tuple[Listing, ReducedCostBudget]:
        listing = pricing.all_above(
            target,
            MOST_SETS,
            budget=(bound.prices, LEAST + part * surplus + SLACK),
            max_nodes=LIST_NODES,
        )
        paid = [bound.prices[pricing.place[rows]].sum(axis=1) for rows in listing.rows]
        above = np.concatenate([np.zeros(0), *paid]) - LEAST
        return listing, ReducedCostBudget(scale * np.maximum(above, 0.0), scale * surplus, slack)

    return pick_from_lists(search, listed, scale * surplus, target, max_steps, parts)
