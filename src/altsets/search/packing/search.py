"""All sets at once, for any quality: list the sets that can matter, and pick those that go together.

A solution close to the dual bound consists of sets close to their share of it (``master``). So solutions are searched
for ever further below the bound: the sets of such solutions are listed, and cliques of compatible ones picked. The
first one found is optimal; if there is none, the bound drops. All other phases (``phases``) lower the bound or raise
the incumbent, because lists are as long as the gap between them is wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from enum import Enum, auto
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.engine import CLOSED, REACHED, ROUNDED, Answer
from altsets.search.packing.clique_search import CliqueSearch, ReducedCostBudget
from altsets.search.packing.coupling import Coupling
from altsets.search.packing.limits import PACKING_LIMITS, PackingLimits
from altsets.search.packing.master import DualBound, RestrictedMaster
from altsets.search.run import Run
from altsets.search.steps import NextSet
from altsets.search.subset.construction import Construction
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

#: The least distance below the bound, in units of what a set can be worth; and the first one without an incumbent.
LEAST_DISTANCE, FIRST_DISTANCE = 1e-12, 1e-3
#: What two features that exclude each other cost, in the same units.
CONFLICT = 10.0


class Incumbent:
    """The incumbent and the bound of one search; the sum of its sets is at least ``share`` times the value."""

    def __init__(
        self, quality: Quality, problem: Problem, run: Run, coupling: Coupling | None = None
    ) -> None:
        self.quality, self.problem, self.run, self.coupling = quality, problem, run, coupling
        self.n_sets, self.max_min = problem.n_sets, problem.max_min
        self.share = self.n_sets if self.max_min else 1
        self.sets: list[FeatureSet] = []
        self.value, self.bound = -math.inf, math.inf
        self.proof = "good sets listed, compatible ones picked"
        self._final: Answer | None = None

    def update_incumbent(self, sets: Sequence[FeatureSet] | None) -> None:
        """Keep the sets if they are better."""
        if not sets or (self.coupling is not None and not self.coupling.keeps(sets)):
            return
        value = self.problem.objective([self.quality.evaluate(chosen) for chosen in sets])
        if self.coupling is not None:
            value -= self.coupling.paid(sets)
        if value > self.value:
            self.sets, self.value = list(sets), value
            self.run.update_incumbent(sets, value)

    def update_bound(self, bound: float, proof: str | None = None) -> None:
        """No solution is better."""
        if bound < self.bound:
            self.bound = bound
            self.proof = proof or self.proof
            self.run.update_bound(bound)

    def rule_out(self, target: float, proof: str | None = None) -> None:
        """All solutions above a target have been searched."""
        # The one place where an exhaustive search becomes a claim: none is taken from a search that was cut off.
        if not self.run.stopped:
            self.update_bound(max(target, self.value), proof)

    def take_over(self, answer: Answer) -> None:
        """Another engine has solved the problem."""
        self._final = answer

    @property
    def is_proven(self) -> bool:
        """Whether the incumbent is proven to be the best solution, or that there is none."""
        if self._final is not None:
            return True
        if not self.sets:
            return self.bound == -math.inf
        return self.bound <= self.value + CLOSED

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do, or no time."""
        return self.is_proven or self.run.stopped

    @property
    def target(self) -> float:
        """What the sum of a solution must exceed to be better than the incumbent."""
        return self.share * self.value

    def answer(self) -> Answer:
        """The incumbent and what is proven about it."""
        if self._final is not None:
            return self._final
        bound = max(self.bound, self.value) if self.sets else self.bound
        return Answer.simultaneous(self.problem, self.sets, bound, self.proof, proven=self.is_proven)


class Fact(Enum):
    """What phases read and write besides the bound, which every phase may lower."""

    #: Compatible sets.
    INCUMBENT = auto()
    #: A bound on the sum, with or without prices; lists are made by it.
    DUAL_BOUND = auto()
    #: Sets in the linear programme.
    COLUMNS = auto()


class Phase:
    """One way to a better incumbent or bound, with its own limits.

    A phase runs only if all facts that it reads exist, so that any order of phases is correct, and only its speed
    differs. What it proves by exhaustive search, it claims by :meth:`Incumbent.rule_out`.
    """

    #: What must be there before it can run, and the parts of the state that it may change.
    reads: Collection[Fact] = ()
    writes: Collection[Fact] = (Fact.INCUMBENT,)

    def applies(self, search: SetPackingSearch) -> bool:
        """Whether it can help here; by default everywhere."""
        return True

    def run(self, search: SetPackingSearch) -> None:
        """Raise the incumbent or lower the bound of ``search.state``, or leave both as they are."""
        raise NotImplementedError


class SetPackingSearch:
    """One search for the largest sum or minimum: its state, and the tools that its phases share.

    The problem asks for at least two sets, not just any. ``first`` holds the sets of a sequential search so far;
    ``dual_bound`` is the best bound on the sum with its prices, by which lists are made.
    """

    def __init__(
        self,
        pricing: PricingOracle,
        construction: Callable[[], Construction] | None = None,
        limits: PackingLimits = PACKING_LIMITS,
        coupling: Coupling | None = None,
    ) -> None:
        self.pricing, self.limits, self.coupling = pricing, limits, coupling
        self.quality, self.problem, self.run = pricing.quality, pricing.problem, pricing.run
        self.state = Incumbent(self.quality, self.problem, self.run, coupling)
        self.first: list[FeatureSet] = []
        self.dual_bound: DualBound | None = None
        self.cliques = CliqueSearch(pricing, coupling)
        self.construction = construction or cache(lambda: Construction(pricing))
        self.annealing = SimulatedAnnealing(pricing, self.state.max_min, limits)
        if coupling is not None and (coupling.penalty or coupling.asked.rules.joint):
            # It knows nothing of what sets have to do with each other.
            self.annealing.possible = False
        self.state.update_bound(self.problem.objective([pricing.ceiling] * self.problem.n_sets))
        self.state.update_incumbent(self.run.known.sets)
        self.state.update_bound(self.run.known.bound, self.run.known.proof)

    def solve(self, phases: Sequence[Phase]) -> Answer:
        """Go through the phases until the incumbent is proven, time is up or nothing more helps."""
        self.go_through(phases)
        if self.state.max_min and self.state.sets and self.dual_bound is not None:
            self._raise_sum(self.dual_bound)
        return self.state.answer()

    def go_through(self, phases: Sequence[Phase]) -> None:
        """Run those that apply, in turn."""
        for phase in phases:
            if self.state.is_over:
                return
            if self.facts.issuperset(phase.reads) and phase.applies(self):
                phase.run(self)

    @property
    def facts(self) -> set[Fact]:
        """The parts of the state that phases read."""
        there = {
            Fact.INCUMBENT: bool(self.state.sets),
            Fact.DUAL_BOUND: self.dual_bound is not None,
            Fact.COLUMNS: bool(self.columns),
        }
        return {fact for fact, known in there.items() if known}

    @property
    def many_features(self) -> bool:
        """Whether even a few nodes of a branch and bound take long."""
        return len(self.pricing.features) > self.limits.many_features

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of features matter."""
        return any(sets.form.has_pairs for sets in self.pricing.sizes)

    @property
    def most_shared(self) -> int:
        """How many features any two sets may share at most."""
        return int(np.max(self.cliques.caps))

    @cached_property
    def master(self) -> RestrictedMaster:
        """The linear programme over all sets."""
        return RestrictedMaster(
            self.pricing, self.state.n_sets, self.most_shared, limits=self.limits, coupling=self.coupling
        )

    @property
    def columns(self) -> list[FeatureSet]:
        """The sets in the linear programme, none before there is one."""
        return self.master.sets if "master" in self.__dict__ else []

    def take_dual_bound(self, dual_bound: DualBound) -> None:
        """Make lists by this bound from now on, and note what it says about all solutions."""
        self.dual_bound = dual_bound
        # Below what any sets can be worth the bound is made of what stands in for them.
        nothing = dual_bound.bound < self._lowest - self.pricing.reach
        self.state.update_bound(
            -math.inf if nothing else max(dual_bound.bound / self.state.share, self.state.value)
        )

    @property
    def _lowest(self) -> float:
        """No solution is worth less in all."""
        if self.coupling is not None:
            return self.coupling.lowest(self.pricing.reach)
        return -self.state.n_sets * self.pricing.reach

    def find_first(self) -> bool:
        """One best set after the other: whether that is an incumbent."""
        if self.add_in_turn(self.first):
            self.state.update_incumbent(self.first)
        return bool(self.state.sets)

    def add_in_turn(self, sets: list[FeatureSet], following: NextSet | None = None) -> bool:
        """Add one best set after the other, by other best responses if these are given: whether all were found."""
        while len(sets) < self.state.n_sets and not self.run.stopped:
            chosen = self._next_to(sets, max_nodes=self.limits.incumbent_nodes, following=following)
            if chosen is None:
                return False
            sets.append(chosen)
        return len(sets) == self.state.n_sets

    def _next_to(
        self,
        others: Sequence[FeatureSet],
        threshold: float = -math.inf,
        *,
        max_nodes: int,
        following: NextSet | None = None,
    ) -> FeatureSet | None:
        """The best set that goes with others and is worth more than a threshold, by a search of so many nodes."""
        if self.coupling is not None:
            every = [*self.coupling.asked.existing, *others]
            return (following or self.coupling.following).best(every, threshold, max_nodes=max_nodes)[0]
        found = self.pricing.k_best(1, others=others, threshold=threshold, max_nodes=max_nodes)
        return found.sets[0] if found.sets else None

    def anneal(self, steps: int, temperature: float = 1.0) -> None:
        """Look for a better incumbent by annealing, so many steps for each set."""
        state = self.state
        if not state.is_proven:
            state.update_incumbent(
                self.annealing.improve(state.sets, state.bound, state.n_sets * steps, temperature)
            )

    def walk(self, count: int, steps: int) -> None:
        """Look for a better incumbent by walks from random sets, so many steps each."""
        state = self.state
        value = state.value
        for _ in range(count):
            if state.is_over:
                return
            state.update_incumbent(self.annealing.walk(state.value, state.bound, steps))
        if state.value > value:
            state.update_incumbent(self.local_optimum(state.sets))

    def local_optimum(self, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """Replace sets by best responses until none is better; where the worst set counts, that one first."""
        current, max_min = list(sets), self.state.max_min
        unchanged = turn = 0
        while unchanged < len(current) and not self.run.tick():
            if max_min and unchanged == 0:
                turn = min(range(len(current)), key=lambda number: self._worth(current, number))
            others = current[:turn] + current[turn + 1 :]
            threshold = self._worth(current, turn) + ROUNDED * self.pricing.tolerance
            found = self._next_to(others, threshold, max_nodes=self.limits.response_nodes)
            unchanged += 1
            if found is not None:
                current[turn] = found
                unchanged = 0
            turn = (turn + 1) % len(current)
        return current

    def _worth(self, sets: Sequence[FeatureSet], number: int) -> float:
        """What one of some sets adds to the others."""
        if self.coupling is None:
            return self.quality.evaluate(sets[number])
        return self.coupling.worth(sets[number], [*sets[:number], *sets[number + 1 :]])

    def pick(self, listing: Listing, dual_bound: DualBound, target: float, max_steps: int) -> bool:
        """The best compatible sets of a list, if they are better than the target; false if it takes too long."""
        state = self.state
        # Every set of a long list may reach the bound up to rounding; one is enough.
        enough = state.bound - REACHED if state.bound < math.inf else math.inf
        sets, finished = self.cliques.better(
            listing, dual_bound, target, max_steps, max_min=state.max_min, enough=enough
        )
        state.update_incumbent(sets)
        return finished or state.is_proven

    def pick_among_columns(self, dual_bound: DualBound, max_steps: int) -> None:
        """The sets of the programme go together on the whole, and often some of them in fact."""
        if dual_bound.prices is not None and not self.state.is_proven:
            known = self.pricing.listed(self.master.sets, dual_bound.prices)
            self.pick(known, dual_bound, self.state.value, max_steps)

    def list_below_bound(self, dual_bound: DualBound, max_sets: int, max_steps: int) -> bool:
        """Look for solutions ever further below the bound; false if lists become too long or it takes too long."""
        state, limits, ceiling = self.state, self.limits, dual_bound.bound
        if not math.isfinite(ceiling):
            return False
        distance = self._first_distance(ceiling)
        shorter: tuple[float, float] | None = None
        while not state.is_proven:
            target = max((ceiling - distance) / state.share, state.value)
            budget = ceiling - state.share * target
            listing = self.pricing.all_above(
                dual_bound.threshold(budget, self.pricing.tolerance),
                max_sets,
                prices=dual_bound.prices,
                max_nodes=max(limits.list_nodes, limits.nodes_per_set * max_sets),
            )
            if not listing.complete or not self.pick(listing, dual_bound, target, max_steps):
                return False
            # Below what any sets can be worth there is nothing left to find.
            nothing = not state.sets and state.share * target < self._lowest
            state.rule_out(-math.inf if nothing else target)
            length = math.log(len(listing) + 1)
            distance = self._next_distance(budget, length, shorter, max_sets)
            shorter = (budget, length)
        return True

    def list_to_incumbent(self, max_sets: int, max_steps: int, parts: Sequence[float]) -> None:
        """Look for better solutions than the incumbent in lists of the sets that these can have."""
        dual_bound, state, limits = self.dual_bound, self.state, self.limits
        assert dual_bound is not None
        target = state.value
        budget = dual_bound.bound - state.share * target

        def listed(part: float) -> tuple[Listing, ReducedCostBudget]:
            listing = self.pricing.all_above(
                dual_bound.threshold(part * budget, self.pricing.tolerance),
                max_sets,
                prices=dual_bound.prices,
                max_nodes=max(limits.list_nodes, limits.nodes_per_set * max_sets),
            )
            least = target if state.max_min else None
            return listing, ReducedCostBudget.of(listing, dual_bound, state.n_sets, least)

        if (
            math.isfinite(budget)
            and self.pick_from_lists(listed, budget, target, max_steps, parts) is not None
        ):
            state.rule_out(target)

    def pick_from_lists(
        self,
        listed: Callable[[float], tuple[Listing, ReducedCostBudget]],
        budget: float,
        target: float,
        max_steps: int,
        parts: Sequence[float],
    ) -> int | None:
        """The best compatible sets above the target, out of how many; None if it takes too long.

        ``listed`` makes the list of all sets that cost a part of the budget at most, and says what they cost.
        """
        state = self.state
        least = target if state.max_min else -math.inf
        for part in parts:
            listing, costs = listed(part)
            if self.run.stopped:
                return None
            if not listing.complete:
                continue
            sets, finished = self.cliques.pick(
                listing, costs, target, max_steps, summing=not state.max_min, least=least
            )
            state.update_incumbent(sets)
            # Two sets beyond half of the budget would exceed it, so of each solution all but one are listed.
            if finished and part < 1.0:
                rest = replace(costs, ceiling=(1 - part) * budget)
                finished = self.cliques.all_but_one(
                    listing, rest, self.limits.last_set_steps, self._last_set(), least=least
                )
            if finished:
                return len(listing)
        return None

    def _last_set(self) -> Callable[[Sequence[FeatureSet]], bool]:
        """A search for the best set beside others, as long as it is quick and there have not been too many."""
        left = self.limits.last_sets

        def complete(given: Sequence[FeatureSet]) -> bool:
            nonlocal left
            left -= 1
            threshold = self.state.value
            if not self.state.max_min:
                threshold -= math.fsum(map(self.quality.evaluate, given))
            found = self.pricing.k_best(
                1, others=given, threshold=threshold, max_nodes=self.limits.last_set_nodes
            )
            if found.sets:
                self.state.update_incumbent([*given, *found.sets])
            return found.bound == -math.inf and left > 0

        return complete

    def _first_distance(self, ceiling: float) -> float:
        """How far below the bound on the sum the first list goes."""
        state, limits = self.state, self.limits
        part = limits.first_part_if_laborious if self.pricing.laborious else limits.first_part
        distance = part * (ceiling - state.target) if state.sets else FIRST_DISTANCE * self.pricing.reach
        # Down to the bound everything has been searched already.
        return max(distance, limits.slow_growth * (ceiling - state.share * state.bound))

    def _next_distance(
        self, budget: float, length: float, shorter: tuple[float, float] | None, max_sets: int
    ) -> float:
        """How far the next list goes: lists grow with the distance no faster than exponentially."""
        # ``length`` is the logarithm of the last list, ``shorter`` distance and length of the one before.
        limits = self.limits
        further = limits.fast_growth * budget
        if shorter is not None and length > shorter[1]:
            longest = math.log(limits.part_of_list * max_sets)
            further = budget + (longest - length) * (budget - shorter[0]) / (length - shorter[1])
        further = min(further, limits.fast_growth * budget)
        return max(further, limits.slow_growth * budget, LEAST_DISTANCE * self.pricing.reach)

    def _raise_sum(self, dual_bound: DualBound) -> None:
        """As far as a list of moderate length goes, or else as best responses do."""
        total = math.fsum(map(self.quality.evaluate, self.state.sets))
        listing = self.pricing.all_above(
            dual_bound.threshold(dual_bound.bound - total, self.pricing.tolerance),
            self.limits.priced_list_sets,
            prices=dual_bound.prices,
            max_nodes=self.limits.list_nodes,
        )
        if listing.complete:
            self.pick_larger_sum(listing, dual_bound)
        elif self.coupling is None:
            self.state.sets = self.local_optimum(self.state.sets)

    def pick_larger_sum(self, listing: Listing, dual_bound: DualBound) -> None:
        """Sets of a list with a larger sum, none of them worse than the worst of the incumbent."""
        total = math.fsum(map(self.quality.evaluate, self.state.sets))
        better, _ = self.cliques.pick(
            listing,
            ReducedCostBudget.of(listing, dual_bound, self.state.n_sets),
            total,
            self.limits.short_list_steps,
            summing=True,
            least=self.state.value - REACHED,
        )
        self.state.sets = better or self.state.sets


class SimulatedAnnealing:
    """Exchanges features at random, for sets of one size with rules on features, pairs and overlaps only."""

    def __init__(self, pricing: PricingOracle, max_min: bool, limits: PackingLimits = PACKING_LIMITS) -> None:
        self.pricing, self.max_min, self._limits = pricing, max_min, limits
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
                self._pairs = pairs + CONFLICT * pricing.reach * form.conflicts[np.ix_(inside, inside)]
            self._fixed = self._members(problem.existing)
            self._caps = np.array(problem.existing_overlaps, dtype=np.intc)

    def improve(
        self, sets: Sequence[FeatureSet], bound: float, steps: int, temperature: float = 1.0
    ) -> list[FeatureSet]:
        """What a walk through valid sets makes of these; nothing if there are none, or other rules than it knows."""
        # The harm that a step may do is a part of the gap to ``bound``, times ``temperature``.
        if not sets or not self.possible or not math.isfinite(bound):
            return []
        gap = bound - self.pricing.problem.objective([self.pricing.quality.evaluate(one) for one in sets])
        hot, cold = self._limits.first_temperature, self._limits.last_temperature
        heat = temperature * max(gap, 0.0)
        return self._walked(self._members(sets), bound, steps, (hot * heat, cold * heat)) if heat else []

    def walk(self, value: float, bound: float, steps: int) -> list[FeatureSet]:
        """What a walk from random sets finds, valid or not on its way; nothing if it ends where it began: nowhere."""
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
