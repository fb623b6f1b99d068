"""The state of a simultaneous search, and the tools that its phases share.

The state is an incumbent, a bound on the objective, and the best bound on the sum with the dual prices behind it, by
which lists are made. Phases raise the incumbent or lower a bound; lists are as long as the gap between them is wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, cached_property

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.engine import CLOSED, REACHED, ROUNDED, Answer
from altsets.search.run import Run
from altsets.search.simultaneous.annealing import SimulatedAnnealing
from altsets.search.simultaneous.clique_search import CliqueSearch
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.master import DualBound, RestrictedMaster
from altsets.search.steps import NextSet
from altsets.search.subset.construction import Construction
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

#: Nodes for each set of the first incumbent, and for one set that replaces another in local search.
INCUMBENT_NODES, RESPONSE_NODES = 5_000, 2_000
#: With more features a single node takes long.
MANY_FEATURES = 500


class Incumbent:
    """The incumbent and the bound of one search; the sum of its sets is at least ``share`` times the value."""

    def __init__(
        self, quality: Quality, problem: Problem, run: Run, joint: JointConditions | None = None
    ) -> None:
        self.quality, self.problem, self.run, self.joint = quality, problem, run, joint
        self.n_sets, self.max_min = problem.n_sets, problem.max_min
        self.share = self.n_sets if self.max_min else 1
        self.sets: list[FeatureSet] = []
        self.value, self.bound = -math.inf, math.inf
        self.proof = "good sets listed, compatible ones picked"
        #: Where another engine has solved the problem.
        self.answer_elsewhere: Answer | None = None

    def update_incumbent(self, sets: Sequence[FeatureSet] | None) -> None:
        """Keep the sets if they are better."""
        if not sets or (self.joint is not None and not self.joint.holds(sets)):
            return
        value = self.problem.objective([self.quality.evaluate(chosen) for chosen in sets])
        if self.joint is not None:
            value -= self.joint.paid(sets)
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

    @property
    def is_proven(self) -> bool:
        """Whether the incumbent is proven to be the best solution, or that there is none."""
        if self.answer_elsewhere is not None:
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
        if self.answer_elsewhere is not None:
            return self.answer_elsewhere
        bound = max(self.bound, self.value) if self.sets else self.bound
        return Answer.simultaneous(self.problem, self.sets, bound, self.proof, proven=self.is_proven)


class SimultaneousSearch:
    """One search for the largest sum or minimum of at least two sets, not just any.

    ``first`` holds the sets of a sequential search so far; ``dual_bound`` is the best bound on the sum with its prices.
    """

    def __init__(
        self,
        pricing: PricingOracle,
        construction: Callable[[], Construction] | None = None,
        joint: JointConditions | None = None,
    ) -> None:
        self.pricing, self.joint = pricing, joint
        self.quality, self.problem, self.run = pricing.quality, pricing.problem, pricing.run
        self.state = Incumbent(self.quality, self.problem, self.run, joint)
        self.first: list[FeatureSet] = []
        self.dual_bound: DualBound | None = None
        self.cliques = CliqueSearch(pricing, joint)
        self.construction = construction or cache(lambda: Construction(pricing))
        self.annealing = SimulatedAnnealing(pricing, self.state.max_min)
        if joint is not None and (joint.penalty or joint.asked.rules.joint):
            # It knows nothing of what sets have to do with each other.
            self.annealing.possible = False
        self.state.update_bound(self.problem.objective([pricing.ceiling] * self.problem.n_sets))
        self.state.update_incumbent(self.run.known.sets)
        self.state.update_bound(self.run.known.bound, self.run.known.proof)

    @property
    def many_features(self) -> bool:
        """Whether even a few nodes of a branch and bound take long."""
        return len(self.pricing.features) > MANY_FEATURES

    @property
    def most_shared(self) -> int:
        """How many features any two sets may share at most."""
        return int(np.max(self.cliques.caps))

    @cached_property
    def master(self) -> RestrictedMaster:
        """The linear programme over all sets."""
        return RestrictedMaster(self.pricing, self.state.n_sets, self.most_shared, joint=self.joint)

    @property
    def has_columns(self) -> bool:
        """Whether there are sets in the linear programme."""
        return "master" in self.__dict__ and bool(self.master.sets)

    @property
    def lowest(self) -> float:
        """No solution is worth less in all."""
        if self.joint is not None:
            return self.joint.lowest(self.pricing.magnitude)
        return -self.state.n_sets * self.pricing.magnitude

    def take_dual_bound(self, dual_bound: DualBound) -> None:
        """Make lists by this bound from now on, and note what it says about all solutions."""
        self.dual_bound = dual_bound
        # Below what any sets can be worth the bound is made of what stands in for them.
        nothing = dual_bound.bound < self.lowest - self.pricing.magnitude
        self.state.update_bound(
            -math.inf if nothing else max(dual_bound.bound / self.state.share, self.state.value)
        )

    # --- Incumbents --------------------------------------------------------------------------------------------------

    def find_first(self) -> bool:
        """One best set after the other: whether that is an incumbent."""
        if self.add_in_turn(self.first):
            self.state.update_incumbent(self.first)
        return bool(self.state.sets)

    def add_in_turn(self, sets: list[FeatureSet], responses: NextSet | None = None) -> bool:
        """Add one best set after the other, by other best responses if these are given: whether all were found."""
        while len(sets) < self.state.n_sets and not self.run.stopped:
            chosen = self._next_to(sets, max_nodes=INCUMBENT_NODES, responses=responses)
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
        responses: NextSet | None = None,
    ) -> FeatureSet | None:
        """The best set compatible with others and worth more than a threshold, by a search of so many nodes."""
        if self.joint is not None:
            every = [*self.joint.asked.existing, *others]
            return (responses or self.joint.responses).best(every, threshold, max_nodes=max_nodes)[0]
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
            found = self._next_to(others, threshold, max_nodes=RESPONSE_NODES)
            unchanged += 1
            if found is not None:
                current[turn] = found
                unchanged = 0
            turn = (turn + 1) % len(current)
        return current

    def _worth(self, sets: Sequence[FeatureSet], number: int) -> float:
        """What one of some sets adds to the others."""
        if self.joint is None:
            return self.quality.evaluate(sets[number])
        return self.joint.worth(sets[number], [*sets[:number], *sets[number + 1 :]])

    # --- Cliques -----------------------------------------------------------------------------------------------------

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
