"""A bound on the sum of compatible sets by column generation, with dual prices that say which sets can matter.

The linear programme has one variable for each feature set: how often it is taken. The restricted master holds the sets
found so far; pricing, the search for the best set after prices, finds others. With z the best value of any set after
prices, A sets are worth at most A z plus what the rows (``cuts``) allow at their prices. That holds for any prices >=
0, so the bound needs no exact solution of the programme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.search.engine import REACHED, ROUNDED
from altsets.search.milp.highs import LinearProgramme
from altsets.search.simultaneous.cuts import PENALTY, CutPool
from altsets.search.simultaneous.duals import DualPricing
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.separation import separate, violated_cliques
from altsets.search.simultaneous.slack import SlackCosts, slack_costs
from altsets.search.subset.kernel_call import UNLIMITED
from altsets.search.subset.listing import KBest
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle

#: Rounds of column generation.
MAX_ROUNDS = 1_000
#: New columns in each round; and those that one programme takes over from another.
COLUMNS_PER_ROUND, INHERITED_COLUMNS = 30, 200
#: Nodes of the first search for columns in a round; each that finds none is followed by one of so many times more.
COLUMN_NODES, COLUMN_NODE_GROWTH = 1_000, 8
#: Whether cuts may be about pairs of features.
PAIR_CUTS = True


@dataclass(frozen=True)
class DualBound:
    """Dual prices, the best value of any set after prices, and the bound on the sum that follows."""

    prices: DualPrices | None
    best: float
    bound: float
    slack_costs: SlackCosts | None = None

    @classmethod
    def of_best(cls, n_sets: int, best: float) -> DualBound:
        """The bound without prices, if no set is better than this."""
        return cls(None, best, n_sets * best)

    def threshold(self, budget: float, tolerance: float) -> float:
        """Sets below this are in no solution that falls short of the bound by no more than the budget."""
        return self.best - budget - ROUNDED * tolerance


class RestrictedMaster:
    """The linear programme over sets that go with ``given`` and are not in ``without``, and the best dual bound."""

    def __init__(
        self,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        given: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
        joint: JointConditions | None = None,
    ) -> None:
        self.pricing, self.n_sets, self.max_overlap, self.run = pricing, n_sets, max_overlap, pricing.run
        self.given, self.without = given, without
        share = pricing.problem.max_overlap_of
        self._most_shared = {
            sets.size: [share(sets.size, len(other)) for other in given] for sets in pricing.sizes
        }
        # The prices of all rows when last there were none to add.
        self._duals = np.zeros(0)
        # The last solution, if no other sets can make it better.
        self._values: Floats | None = None
        self._known: set[FeatureSet] = set()
        self._programme = LinearProgramme()
        self._programme.add_row({}, lower=n_sets, upper=n_sets)
        # Stands in for missing sets at a prohibitive price: the programme is feasible before a solution is known.
        self._programme.add_column(-PENALTY, {0: 1.0})
        self._cuts = CutPool(
            self._programme,
            pricing,
            n_sets,
            max_overlap,
            pair_cuts=PAIR_CUTS,
            levels=pricing.levels,
            joint=joint,
        )
        self.dual_bound = DualBound(None, math.inf, math.inf)

    @property
    def sets(self) -> list[FeatureSet]:
        """All sets in the programme."""
        return self._cuts.columns.sets

    def add(self, sets: Sequence[FeatureSet]) -> int:
        """Put sets into the programme; returns how many are new."""
        count = 0
        for chosen in sets:
            if chosen not in self._known:
                self._known.add(chosen)
                count += 1
                # In units of what a set can be worth: the solver's tolerances are absolute.
                worth = self.pricing.quality.evaluate(chosen) / self.pricing.magnitude
                self._cuts.add_set(chosen, worth)
        return count

    def inherit(self, other: RestrictedMaster) -> None:
        """Begin with the cuts and sets that mattered most in another programme, when last it was solved."""
        if not len(other._duals):
            return
        self._cuts.adopt(other._cuts, other._duals)
        prices = DualPricing(other._cuts, other._cuts.padded(other._duals)).prices
        known = self.pricing.listed(other.sets, prices)
        order = np.argsort(-known.values, kind="stable")[:INHERITED_COLUMNS]
        sets = [known.set_at(number) for number in order.tolist()]
        self.add([chosen for chosen in sets if self._allowed(chosen)])

    def _allowed(self, chosen: FeatureSet) -> bool:
        """Whether a set goes with those given and is not to be left out."""
        if chosen in self.without:
            return False
        if not self.pricing.problem.counts_shared:
            return all(self.pricing.problem.compatible(chosen, other) for other in self.given)
        inside, most = set(chosen), self._most_shared[len(chosen)]
        return all(len(inside.intersection(other)) <= m for other, m in zip(self.given, most, strict=True))

    def generate_columns(self, target: float, max_rounds: int) -> bool:
        """Add columns and cuts until the bound reaches ``target`` or nothing more helps; false if it ended early."""
        rounds, self._values = 0, None
        while rounds < max_rounds:
            solved = self._programme.maximise()
            if solved is None or self.run.tick():
                return False
            values, duals = solved[0], solved[1] * self.pricing.magnitude
            if separate(self._cuts, values):
                rounds += 1
                continue
            self._duals = duals
            dual = DualPricing(self._cuts, duals)
            threshold = float(duals[0]) + self.pricing.tolerance
            if self._add_by_heuristic(values, dual.prices, threshold):
                continue
            rounds += 1
            found, new, threshold = self._price(dual.prices, threshold)
            best = max([threshold, found.bound, *found.values[:1]])
            bound = self.n_sets * best + dual.paid
            if bound < self.dual_bound.bound:
                self.dual_bound = DualBound(dual.prices, best, bound, slack_costs(dual))
            if not new or self.dual_bound.bound <= target + REACHED:
                self._values = None if new else values
                return found.bound == -math.inf
        return False

    def cut_cliques(self, target: float, least_closed: float) -> None:
        """Add clique cuts to a solved programme, as long as each round of them closes so much of the gap."""
        while self._values is not None:
            before, gap = self.dual_bound.bound, self.dual_bound.bound - target
            cuts = violated_cliques(self._cuts, self._values, self.run)
            for cut in cuts:
                self._cuts.add_clique_cut(cut)
            if not cuts or not self.generate_columns(target, MAX_ROUNDS):
                return
            if before - self.dual_bound.bound < least_closed * gap:
                return

    def _add_by_heuristic(self, values: Floats, prices: DualPrices, threshold: float) -> int:
        """Columns by exchanging features, which is cheap; only a full search gives a bound."""
        # Exchanges begin with the sets that the solution takes most of, then with the latest ones.
        most = COLUMNS_PER_ROUND
        begin = dict.fromkeys([*self._cuts.columns.most_taken(values, most), *self.sets[: -most - 1 : -1]])
        found = self.pricing.heuristic(list(begin)[:most], prices, threshold)
        return self.add([chosen for chosen in found if self._allowed(chosen)])

    def _price(self, prices: DualPrices, threshold: float) -> tuple[KBest, int, float]:
        """The best sets after prices, how many of them are new columns, and the threshold that they are above."""
        found = self._improving(prices, threshold)
        new = self.add(found.sets)
        if not new and found.bound > -math.inf:
            # The programme is solved up to the solver's tolerance: some of its sets are worth a little more.
            known = self.pricing.listed(self.sets, prices).values
            threshold = float(np.max(known, initial=threshold)) + self.pricing.tolerance
            found = self._improving(prices, threshold)
            new = self.add(found.sets)
        return found, new, threshold

    def _improving(self, prices: DualPrices, threshold: float) -> KBest:
        """Sets above the threshold: some good ones if they are easy to find, else the best ones for certain."""
        max_nodes = COLUMN_NODES
        while True:
            found = self.pricing.k_best(
                COLUMNS_PER_ROUND,
                others=self.given,
                without=self.without,
                prices=prices,
                threshold=threshold,
                max_nodes=max_nodes,
            )
            if found.sets or found.bound == -math.inf or self.run.stopped:
                return found
            max_nodes = min(max_nodes * COLUMN_NODE_GROWTH, UNLIMITED)

    def most_taken(self, most: int) -> list[FeatureSet]:
        """The sets that the solution takes most of; none if the programme has not been solved."""
        return [] if self._values is None else self._cuts.columns.most_taken(self._values, most)
