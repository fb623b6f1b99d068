"""All sets at once, for any quality: list the sets that can matter, and pick those that go together.

A bound on the sum of the sets comes with prices, and a solution that is close to the bound is made of sets that are
close to their share of it (``master``). So solutions are looked for ever further below the bound:
the sets that such a solution can be made of are listed, and compatible ones are picked. What is found first is optimal;
if nothing is found, the bound is lower. For the largest minimum there are prices of another kind too
(``threshold_master``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.degree_bounds import count_bound
from altsets.search.engine import Answer
from altsets.search.packing.annealing import SimulatedAnnealing
from altsets.search.packing.clique_search import CliqueSearch, ReducedCostBudget
from altsets.search.packing.column_branching import ColumnBranching
from altsets.search.packing.local_search import IteratedLocalSearch
from altsets.search.packing.master import DualBound, RestrictedMaster
from altsets.search.packing.threshold_master import LEAST, ThresholdBound, ThresholdMaster
from altsets.search.packing.usage_branching import UsageBranching
from altsets.search.run import Run
from altsets.search.subset.construction import Construction
from altsets.search.subset.pricing import KBest, Listing, PricingOracle
from altsets.search.tolerances import PROVEN

__all__ = ["SetPackingSearch"]

#: Sets in a list, and steps for picking from it: without prices, with prices, and when all else is done.
FEW_SETS, FEW_STEPS = 2_000, 200_000
MANY_SETS, MANY_STEPS = 50_000, 5_000_000
MOST_SETS, MOST_STEPS = 1_000_000, 10**12
#: The same in the first of many branches.
BRANCH_SETS, BRANCH_STEPS = 20_000, 35_000
#: Steps for picking from the longest lists where there are other ways to go on.
MORE_STEPS = 100_000_000
#: So many of the best sets, steps for finding and for picking from them, when a better solution is looked for.
BEST_SETS, BEST_NODES, BEST_STEPS = 2_000, 200_000, 500_000
#: A round of clique cuts is to close such a part of the gap; then so many steps for picking.
LEAST_GAIN, CLIQUE_CUT_STEPS = 0.01, 2_000_000
#: Steps for making a list, and for each set that it may have if these are more.
LIST_NODES, NODES_PER_SET = 3_000_000, 10
#: Steps of the search for a first solution, for each set.
FIRST_NODES = 5_000
#: With more features each step takes long; then so many steps come before the first walk.
MANY_FEATURES, FEW_NODES = 500, 200
#: How much further below the bound the next list goes, at least and at most: a short list can take as long to make as a
#: longer one, but the last one is not to become longer than a part of what is allowed.
SLOW_GROWTH, FAST_GROWTH, PART_ALLOWED = 1.4, 8.0, 1 / 8
#: How far below the bound the first list goes, as a part of the gap; and where even a short list takes long.
SMALL_PART, LARGE_PART = 1 / 32, 1 / 4
#: Attempts to leave a local optimum: before the first lists with prices, after them, and when all else is done.
FEW_PERTURBATIONS, MANY_PERTURBATIONS, MOST_PERTURBATIONS = 4, 20, 200
#: Steps of the walks at the same times, for each set; the last ones go on until so many have found nothing better.
SHORT_WALK, LONG_WALK, LONGEST_WALK = 20_000, 400_000, 3_000_000
VAIN_WALKS = 2
#: How far walks go away from a solution whose proof will take long.
TEMPERATURES = (1.0, 4.0)
#: The same while the bound says little.
LOW_TEMPERATURE, LONGER_WALKS = 0.05, (80_000, LONG_WALK)
#: Thresholds are this many times closer to the bound than the best solution is, to begin with.
FLOOR_STEPS = 64
#: The same when each floor takes long.
FEW_FLOOR_STEPS = 4
#: Rounds of the linear programme.
MAX_ROUNDS = 1_000
#: How many times as many rounds there may be for floors, and steps for the lists above them, when all else is done.
FLOOR_PATIENCE = (10, 100)


class SetPackingSearch:
    """One search for the largest sum or minimum; what is known so far, and how far it is proven.

    Parameters
    ----------
    quality : Quality
    problem : Problem
        One that asks for at least two sets, which cannot be just any.
    pricing : PricingOracle
        The sets that the problem allows.
    run : Run
    construction : callable, optional
        Gives what constructs sets where a search takes too long, if the caller has one.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        pricing: PricingOracle,
        run: Run,
        construction: Callable[[], Construction] | None = None,
    ) -> None:
        self.quality, self.problem, self.pricing, self.run = quality, problem, pricing, run
        self.n_sets, self.max_min = problem.n_sets, problem.aggregation == "min"
        # The sum of the sets is at least the value times this.
        self.share = self.n_sets if self.max_min else 1
        self.sets: list[FeatureSet] = []
        self._first: list[FeatureSet] = []
        self.value, self.bound = -math.inf, math.inf
        self.proof = "good sets listed, compatible ones picked"
        self._cliques = CliqueSearch(pricing, run)
        self._responses = IteratedLocalSearch(pricing, self.max_min, run)
        self._walks = SimulatedAnnealing(pricing, self.max_min, run)
        self._construction = construction or cache(lambda: Construction(pricing, run))
        self.update_bound(problem.objective([pricing.ceiling] * self.n_sets))

    # --- What is known --------------------------------------------------------------------------------

    def update_incumbent(self, sets: Sequence[FeatureSet] | None) -> None:
        """Keep the sets if they are better."""
        if not sets:
            return
        value = self.problem.objective([self.quality.evaluate(chosen) for chosen in sets])
        if value > self.value:
            self.sets, self.value = list(sets), value
            self.run.update_incumbent(sets, value)

    def update_bound(self, bound: float) -> None:
        """No solution is better."""
        if bound < self.bound:
            self.bound = bound
            self.run.update_bound(bound)

    @property
    def is_proven(self) -> bool:
        """Whether the best solution is proven, or that there is none."""
        if not self.sets:
            return self.bound == -math.inf
        return self.bound <= self.value + PROVEN / 2

    def answer(self) -> Answer:
        """The best solution and what is proven about it."""
        if not self.sets:
            status = Status.INFEASIBLE if self.is_proven else Status.NOT_FOUND
            return Answer([], [status] * self.n_sets, self.bound, self.proof)
        status = Status.OPTIMAL if self.is_proven else Status.FEASIBLE
        return Answer(self.sets, [status] * self.n_sets, max(self.bound, self.value), self.proof)

    # --- The way of the search ------------------------------------------------------------------------

    def begin(self) -> None:
        """Among many features even a few steps of a search take long; good sets come before that."""
        if self._many_features:
            self._first = self._construction().all()
            if self.start():
                self._walk(SHORT_WALK, LOW_TEMPERATURE)

    def start(self) -> bool:
        """One best set after the other: whether that is a first solution."""
        while len(self._first) < self.n_sets and not self.run.stopped:
            found = self.pricing.k_best(1, others=self._first, max_nodes=FIRST_NODES)
            if not found.sets:
                return False
            self._first.append(found.sets[0])
        if len(self._first) == self.n_sets:
            self.update_incumbent(self._first)
        return bool(self.sets)

    def solve(self) -> None:
        """Go on until the best solution is proven, time is up or nothing more helps."""
        if self.is_proven:
            return
        best = self._best_set()
        top = max([best.bound, *best.values])
        dual_bound = DualBound(None, top, self.n_sets * top)
        self.update_bound(dual_bound.bound / self.share)
        solved = self.is_proven or self._close_to(dual_bound, FEW_SETS, FEW_STEPS)
        if not solved and self.pricing.can_be_priced and not self.run.stopped:
            if any(sets.form.has_pairs for sets in self.pricing.sizes):
                # Prices may take long, and whoever has to stop then is to have something good.
                self._walk(SHORT_WALK)
            dual_bound = self._priced()
            solved = self.is_proven or self._with_prices(dual_bound)
            solved = solved or self._branched(dual_bound.bound)
        if not solved:
            self._persist(dual_bound)
        if self.max_min and self.sets:
            self._enlarge_sum(dual_bound)

    def _best_set(self) -> KBest:
        """The best set of all; where that takes long, whoever has to stop is to have something good before."""
        if not self._many_features:
            return self.pricing.k_best(1)
        best = self.pricing.k_best(1, max_nodes=FEW_NODES)
        if best.bound > -math.inf and not self.run.stopped:
            self._build_on(best)
            # A walk that does not come to its end is in vain, so ever longer ones.
            for steps in LONGER_WALKS:
                self._walk(steps, LOW_TEMPERATURE)
            best = self.pricing.k_best(1)
        if best.bound > -math.inf:
            self._build_on(best)
        return best

    def _build_on(self, best: KBest) -> None:
        """What sequential search would make of a good set that may not be the best."""
        construction = self._construction()
        sets = construction.all([construction.improved(chosen) for chosen in best.sets])
        self.update_incumbent(sets if len(sets) == self.n_sets else None)

    @property
    def _many_features(self) -> bool:
        return len(self.pricing.features) > MANY_FEATURES

    def _with_prices(self, dual_bound: DualBound) -> bool:
        self._improve(FEW_PERTURBATIONS, SHORT_WALK)
        # Prices for floors do better where sets are disjoint, but each of them takes as long as a list.
        disjoint = self.max_min and self._most_shared == 0 and not self.pricing.laborious
        most_steps = FEW_STEPS if self._branching_pays else MANY_STEPS
        if self.is_proven or (not disjoint and self._close_to(dual_bound, MANY_SETS, most_steps)):
            return True
        self._improve(MANY_PERTURBATIONS, LONG_WALK)
        return self.is_proven or (self.max_min and bool(self.sets) and self._above_floors())

    def _persist(self, dual_bound: DualBound) -> None:
        """All that takes long. Better solutions come first, for the rest depends on the gap: lists, leaders, floors."""
        if not self.max_min and self.pricing.can_be_priced and not self.run.stopped:
            for temperature in TEMPERATURES:
                self._walk(LONGEST_WALK, temperature)
            dual_bound = self._priced_with_clique_cuts()
            if self.is_proven or self._close_to(dual_bound, MOST_SETS, CLIQUE_CUT_STEPS) or self._led():
                return
        if self._walks.possible:
            vain = 0
            while vain < VAIN_WALKS and not (self.is_proven or self.run.stopped):
                value = self.value
                self._improve(MANY_PERTURBATIONS, LONGEST_WALK)
                vain = 0 if self.value > value else vain + 1
        elif self.pricing.can_be_priced:
            self._improve(MOST_PERTURBATIONS, 0)
        if self.max_min and self.pricing.can_be_priced and not (self.pricing.laborious or self.run.stopped):
            dual_bound = self._priced_with_clique_cuts()
        if (
            self.is_proven
            or self._close_to(dual_bound, MOST_SETS, MOST_STEPS)
            or self._close_to(dual_bound, MOST_SETS, MORE_STEPS, all_listed=False)
        ):
            return
        if self.max_min and self.sets and self.pricing.can_be_priced:
            for patience in FLOOR_PATIENCE:
                if self.run.stopped or self._above_floors(patience):
                    return
            self._led()

    def _walk(self, steps: int, temperature: float = 1.0) -> None:
        if not self.is_proven:
            self.update_incumbent(
                self._walks.improve(self.sets, self.bound, self.n_sets * steps, temperature)
            )

    def _improve(self, perturbations: int, steps: int) -> None:
        """Look for a better solution."""
        self._walk(steps)
        self.update_incumbent(self._responses.improve(self.sets, perturbations))

    @property
    def _branching_pays(self) -> bool:
        """Of the largest minimum the programme knows too little; of pairs, usage does."""
        forms = [sets.form for sets in self.pricing.sizes]
        with_pairs = any(form.has_pairs for form in forms)
        with_conflicts = any(form.conflicts is not None for form in forms)
        return not (self.max_min or with_pairs or (with_conflicts and self._most_shared > 1))

    @property
    def _most_shared(self) -> int:
        """How many features any two sets may share at most."""
        return int(np.max(self._cliques.caps))

    def ruled_out(self) -> bool:
        """Whether counting shared features rules the request out."""
        sizes = [sets.size for sets in self.pricing.sizes]
        if callable(self.problem.dissimilarity) or len(sizes) != 1:
            return False
        most = count_bound(len(self.pricing.features), sizes[0], self._most_shared, self.n_sets)
        if most >= self.n_sets:
            return False
        self.update_bound(-math.inf)
        self.proof = "counting shared features"
        return True

    def list_all(self) -> bool:
        """Where there are few sets at all, all of them are listed."""
        if self._many_features and any(sets.any_will_do and sets.n_open > 1 for sets in self.pricing.sizes):
            return False
        listing = self.pricing.all_above(-math.inf, FEW_SETS, max_nodes=10 * FEW_SETS)
        if not listing.complete:
            return False
        if len(listing):
            top = float(np.max(listing.qualities))
            dual_bound = DualBound(None, top, self.n_sets * top)
            if not self._pick(listing, dual_bound, -math.inf, FEW_STEPS):
                return False
            if self.max_min and self.sets:
                self._pick_larger_sum(listing, dual_bound)
        self.update_bound(self.value)
        self.proof = "all sets listed"
        return True

    @cached_property
    def _master(self) -> RestrictedMaster:
        return RestrictedMaster(self.pricing, self.n_sets, self._most_shared, self.run)

    def _priced(self) -> DualBound:
        """The bound on the sum by column generation."""
        self._master.add([*self._first, *self.sets])
        self._master.generate_columns(self.share * self.value, MAX_ROUNDS)
        dual_bound = self._noted(self._master.dual_bound)
        if dual_bound.prices is not None and not self.is_proven:
            # The sets of the programme go together on the whole, and often some of them in fact.
            known = self.pricing.listed(self._master.sets, dual_bound.prices)
            self._pick(known, dual_bound, self.value, FEW_STEPS)
        return dual_bound

    def _noted(self, dual_bound: DualBound) -> DualBound:
        """Take over what a certificate says about all solutions."""
        # Below what any sets can be worth the bound is made of what stands in for them.
        nothing = dual_bound.bound < -(self.n_sets + 1) * self.pricing.reach
        self.update_bound(-math.inf if nothing else max(dual_bound.bound / self.share, self.value))
        return dual_bound

    def _branched(self, ceiling: float) -> bool:
        """Branch on how often features are used; false if that does not end with a proof."""
        if not self.sets or not self._branching_pays:
            return False
        branches = UsageBranching(self._master, self.n_sets, ceiling)
        most_steps = BRANCH_STEPS
        while branches.open and not self.is_proven:
            ranges = branches.pop()
            # The more branches there are, the more it is worth to settle one.
            most_steps += BRANCH_STEPS // 4
            target = self.share * self.value
            dual_bound = branches.solve(ranges, target)
            if self.run.stopped:
                return False
            reached = dual_bound.bound <= target + self.share * PROVEN / 4
            if (
                not reached
                and not self._settled(dual_bound, most_steps)
                and not branches.split(ranges, dual_bound.bound)
            ):
                return False
            self.update_bound(max(branches.bound / self.share, self.value))
        self.proof = "branching on how often features are used"
        return True

    def _priced_with_clique_cuts(self) -> DualBound:
        """The bound of a programme that knows more about what sets have in common, and a solution close to it."""
        master, target = self._master, self.share * self.value
        master.limit_usage({})
        master.generate_columns(target, MAX_ROUNDS)
        master.add_clique_cuts(target, MAX_ROUNDS, LEAST_GAIN)
        dual_bound = self._noted(master.dual_bound)
        if dual_bound.prices is not None and not self.is_proven:
            threshold = dual_bound.best - (dual_bound.bound - target)
            best = self.pricing.k_best(
                BEST_SETS, prices=dual_bound.prices, threshold=threshold, max_nodes=BEST_NODES
            )
            listing = self.pricing.listed(best.sets, dual_bound.prices)
            self._pick(listing, dual_bound, self.value, BEST_STEPS)
        return dual_bound

    def _led(self) -> bool:
        """Branch on which sets are part of a solution; false if that does not end with a proof."""
        if not self.sets:
            return False

        def update_incumbent(sets: Sequence[FeatureSet]) -> float:
            self.update_incumbent(sets)
            return self.value

        leaders = ColumnBranching(
            self._master, self.max_min, self._cliques, self.run, update_incumbent, self.update_bound
        )
        if not leaders.settle():
            return False
        self.update_bound(self.value)
        self.proof = "branching on which sets are part of a solution"
        return True

    def _settled(self, dual_bound: DualBound, most_steps: int) -> bool:
        """Whether all solutions that the certificate is about have been looked through for better ones."""
        if dual_bound.prices is None:
            return False
        known = self.pricing.listed(self._master.sets, dual_bound.prices)
        self._pick(known, dual_bound, self.value, BRANCH_STEPS // 4)
        threshold = (
            dual_bound.best - (dual_bound.bound - self.share * self.value) - 4 * self.pricing.tolerance
        )
        listing = self.pricing.all_above(
            threshold, BRANCH_SETS, prices=dual_bound.prices, max_nodes=LIST_NODES
        )
        return listing.complete and self._pick(listing, dual_bound, self.value, most_steps)

    # --- Close to a bound on the sum ------------------------------------------------------------------

    def _close_to(
        self, dual_bound: DualBound, most_sets: int, most_steps: int, *, all_listed: bool = True
    ) -> bool:
        """Look for solutions ever further below the bound; false if lists become too long or it takes too long.

        Lists may leave out sets that can only be the dearest of a solution; to search for these takes longer.
        """
        ceiling = dual_bound.bound
        if not math.isfinite(ceiling):
            return False
        part = LARGE_PART if self.pricing.laborious else SMALL_PART
        distance = part * (ceiling - self.share * self.value) if self.sets else 1e-3 * self.pricing.reach
        # Down to the bound everything has been looked through already.
        distance = max(distance, SLOW_GROWTH * (ceiling - self.share * self.bound))
        shorter: tuple[float, float] | None = None
        while not self.is_proven:
            target = max((ceiling - distance) / self.share, self.value)
            budget = ceiling - self.share * target
            threshold = dual_bound.best - (budget if all_listed else budget / 2) - 4 * self.pricing.tolerance
            max_nodes = max(LIST_NODES, NODES_PER_SET * most_sets)
            listing = self.pricing.all_above(
                threshold, most_sets, prices=dual_bound.prices, max_nodes=max_nodes
            )
            if not listing.complete or not self._pick(listing, dual_bound, target, most_steps, all_listed):
                return False
            # Below what any sets can be worth there is nothing left to find.
            nothing = not self.sets and self.share * target < -self.n_sets * self.pricing.reach
            self.update_bound(-math.inf if nothing else max(self.value, target))
            # Lists grow with the distance no faster than exponentially.
            length, longest = math.log(len(listing) + 1), math.log(PART_ALLOWED * most_sets)
            further = FAST_GROWTH * budget
            if shorter is not None and length > shorter[1]:
                further = budget + (longest - length) * (budget - shorter[0]) / (length - shorter[1])
            shorter = (budget, length)
            distance = max(
                min(further, FAST_GROWTH * budget), SLOW_GROWTH * budget, 1e-12 * self.pricing.reach
            )
        return True

    def _pick(
        self,
        listing: Listing,
        dual_bound: DualBound,
        target: float,
        most_steps: int,
        all_listed: bool = True,
    ) -> bool:
        """The best compatible sets of a list, if they are better than the target; false if it takes too long."""
        least: float | None = None
        if self.max_min:
            least = max(target, float(np.min(listing.qualities, initial=math.inf))) if all_listed else target
        # What reaches the bound but for rounding is done, and every set of a long list may be of that kind.
        enough = self.bound - PROVEN / 4 if self.bound < math.inf else math.inf
        sets, finished = self._cliques.pick(
            listing,
            ReducedCostBudget.of(listing, dual_bound, self.n_sets, least),
            target,
            most_steps,
            summing=not self.max_min,
            least=-math.inf if least is None else least,
            enough=enough,
            all_listed=all_listed,
        )
        self.update_incumbent(sets)
        return finished or self.is_proven

    def _enlarge_sum(self, dual_bound: DualBound) -> None:
        """Among equal minima the larger sum, as far as a list of moderate length goes."""
        total = math.fsum(map(self.quality.evaluate, self.sets))
        threshold = dual_bound.best - (dual_bound.bound - total) - 4 * self.pricing.tolerance
        listing = self.pricing.all_above(threshold, MANY_SETS, prices=dual_bound.prices, max_nodes=LIST_NODES)
        if listing.complete:
            self._pick_larger_sum(listing, dual_bound)

    def _pick_larger_sum(self, listing: Listing, dual_bound: DualBound) -> None:
        total = math.fsum(map(self.quality.evaluate, self.sets))
        cost_budget = ReducedCostBudget.of(listing, dual_bound, self.n_sets)
        least = self.value - PROVEN / 4
        better, _ = self._cliques.pick(listing, cost_budget, total, FEW_STEPS, summing=True, least=least)
        self.sets = better or self.sets

    # --- Above a floor --------------------------------------------------------------------------------

    def _above_floors(self, patience: int = 1) -> bool:
        """The largest minimum: floors ever lower, with prices of their own; false if that fails."""
        if self.bound == math.inf:
            return False
        floors = ThresholdMaster(self.pricing, self.n_sets, self._most_shared, self.run, patience)
        floors.add([*self.sets, *self._master.sets])
        low, high = self.value, self.bound
        step = (high - low) / (FLOOR_STEPS if patience == 1 else FEW_FLOOR_STEPS)
        # Where no floor in the upper part is refuted, floors know no more than the sum; if they take long, they wait.
        wait = patience == 1 and self.pricing.laborious
        least = high - (high - low) / 4 if wait else math.inf
        while high - low > step:
            if low >= least:
                return False
            middle = (low + high) / 2
            floor = floors.at(middle, only_refute=True)
            if self.run.stopped:
                return False
            if floor is None or floor.surplus(self.n_sets) >= 0:
                low = middle
            else:
                high = middle
                self.update_bound(high)
        while not self.is_proven:
            target = max(self.bound - step, self.value)
            floor = floors.at(target, only_refute=False)
            if floor is None or not self._pick_above(target, floor, patience):
                return False
            self.update_bound(max(target, self.value))
            step *= 2
        return True

    def _pick_above(self, target: float, floor: ThresholdBound, patience: int) -> bool:
        """The best compatible sets above the target; false if it takes too long."""
        surplus = floor.surplus(self.n_sets)
        if surplus < 0:
            return True
        budget = (floor.prices, LEAST + surplus + 1e-9)
        listing = self.pricing.all_above(target, MOST_SETS, budget=budget, max_nodes=patience * LIST_NODES)
        if not listing.complete:
            return False
        # In units of quality, so that one tolerance will do.
        scale, slack_costs = self.pricing.reach, floor.slack_costs
        paid = np.concatenate([floor.prices[self.pricing.place[rows]].sum(axis=1) for rows in listing.rows])
        slack_costs = replace(
            slack_costs, table=scale * slack_costs.table, unshared=scale * slack_costs.unshared
        )
        cost_budget = ReducedCostBudget(scale * np.maximum(paid - LEAST, 0.0), scale * surplus, slack_costs)
        most_steps = patience * MANY_STEPS
        sets, finished = self._cliques.pick(
            listing, cost_budget, target, most_steps, summing=False, least=target
        )
        self.update_incumbent(sets)
        return finished
