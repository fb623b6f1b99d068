"""Local search for black boxes: simulated annealing that learns which features are worth trying.

1. Random valid sets are evaluated, until each feature was in a few; what they are worth goes into a linear model
   (:mod:`altsets.search.black_box.surrogate`), as does every set that is evaluated later on.
2. The search starts from the best of: the first valid sets, the best sets evaluated so far, and what the model holds
   to be best under all rules.
3. Features are exchanged, one set at a time: those that seem good come in, those that seem bad go. A better
   solution is always taken, a worse one with a probability that falls to zero as the budget runs out. Where an
   exchange breaks a rule, it is repaired (:mod:`altsets.search.black_box.repair`).
4. Of several sets at once, the best that go together are picked from all that were evaluated.

One search after the other shares the model, so that later sets begin with what is known from earlier ones.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.black_box.driver import declines_numbers, report, searched
from altsets.search.black_box.evaluations import Evaluations
from altsets.search.black_box.limits import BLACK_BOX_LIMITS, BlackBoxLimits
from altsets.search.black_box.moves import ExchangeMoves
from altsets.search.black_box.repair import Repair
from altsets.search.black_box.surrogate import Surrogate
from altsets.search.engine import Answer
from altsets.search.packing.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.run import Run
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle

__all__ = ["LocalSearchEngine"]


class LocalSearchEngine:
    """Simulated annealing with a learned model of features.

    Parameters
    ----------
    limits : BlackBoxLimits, optional
    """

    name = "local-search"

    def __init__(self, limits: BlackBoxLimits = BLACK_BOX_LIMITS) -> None:
        self.limits = limits

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_numbers(quality, problem)

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Search until ``run.max_iters`` sets were evaluated; in sequential search, for each set."""
        if not problem.sizes:
            return Answer.infeasible(problem, "constraints on the size contradict each other")
        evaluations = Evaluations(quality, problem, run, run.max_iters, self.limits)
        search = SurrogateAnnealing(problem, evaluations, self.limits)
        return searched(problem, evaluations, search.improve, "local search proves nothing", self.limits)


class SurrogateAnnealing:
    """The local search of one call, which may be for several sets in turn: all share the evaluations and the surrogate.

    Parameters
    ----------
    problem : Problem
    evaluations : Evaluations
    limits : BlackBoxLimits
    """

    def __init__(self, problem: Problem, evaluations: Evaluations, limits: BlackBoxLimits) -> None:
        self.problem, self.evaluations, self._limits = problem, evaluations, limits
        self.repair = Repair(problem, evaluations.run, limits)
        self.pricing = self.repair.pricing
        self.surrogate = Surrogate(problem.n_features_in, limits)
        self._random = random.Random(limits.seed)
        self._moves = ExchangeMoves(evaluations, self.repair, self.surrogate, self._random, limits)
        #: How many evaluations the surrogate has seen.
        self._n_seen = 0
        self._usable = np.array(self.pricing.features, dtype=np.intp)
        #: How many random sets each feature was in.
        self._uses = np.zeros(problem.n_features_in)

    def improve(self, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> Sequence[FeatureSet]:
        """A solution that is no worse than the one given."""
        self._ask(sets)
        self._explore(others)
        best = list(sets)
        for proposed in (self._from_known(others), self._from_surrogate(others)):
            if len(proposed) == len(sets):
                self._ask(proposed)
                best = max(best, list(proposed), key=self._rank)
        report(self.evaluations, best, others)
        best = self._anneal(best, others)
        # Sets that were never together may go together best.
        return (
            best
            if len(best) == 1 or self.evaluations.run.stopped
            else max(best, self._picked() or best, key=self._rank)
        )

    # --- Where to start -----------------------------------------------------------------------------

    def _explore(self, others: Sequence[FeatureSet]) -> None:
        """Evaluate random sets in which each feature turns up, those that were used least first."""
        size = max(self.problem.k_max, 1)
        wanted = math.ceil(self._limits.exploration_rounds * len(self._usable) / size)
        budget = int(self._limits.exploration_share * self.evaluations.run.max_iters)
        most = min(wanted, budget) - self.surrogate.n_updates
        proposed = []
        for _ in range(most):
            if self.evaluations.run.tick():
                break
            draws = np.array([self._random.random() for _ in range(len(self._usable))])
            rewards = draws - self._uses[self._usable]
            found = self._best_set(DualPrices(-rewards), others)
            if found is not None:
                proposed.append(found)
                self._uses[list(found)] += 1.0
        self._ask(proposed)

    def _from_known(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets evaluated so far, each given those before it."""
        known, feasibility = self.evaluations.known, self.repair.feasibility
        taken: list[FeatureSet] = []
        for one in sorted(known, key=lambda one: (-known[one], one)):
            # Where equal sets are allowed, the best is taken again.
            while len(taken) < self._n_sets and feasibility.given(frozenset(one), [*others, *taken]):
                taken.append(one)
            if len(taken) == self._n_sets:
                break
        return taken

    def _picked(self) -> list[FeatureSet]:
        """The best of all evaluated sets that go together, as far as few steps go."""
        pricing = PricingOracle(self.pricing.quality, self.problem, self.evaluations.run)
        listing = listing_of(self.evaluations.known, pricing, self._limits.max_known)
        max_nodes = self._limits.pick_nodes
        if callable(self.problem.dissimilarity):
            max_nodes //= self._limits.own_dissimilarity_factor
        return best_compatible(CliqueSearch(pricing, self.evaluations.run), listing, max_nodes)[0]

    def _from_surrogate(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets in the eyes of the surrogate, each given those before it."""
        taken: list[FeatureSet] = []
        prices = DualPrices(-self.surrogate.coefficients[self._usable])
        while len(taken) < self._n_sets and not self.evaluations.run.tick():
            found = self._best_set(prices, [*others, *taken])
            if found is None:
                break
            taken.append(found)
        return taken

    def _best_set(self, prices: DualPrices, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """The best valid set at these prices that differs from others, as far as few nodes go."""
        max_nodes = self._limits.surrogate_nodes
        found = self.pricing.k_best(1, others=others, prices=prices, max_nodes=max_nodes)
        return found.sets[0] if found.sets else None

    @property
    def _n_sets(self) -> int:
        return 1 if self.problem.search == "sequential" else self.problem.n_sets

    # --- Annealing ----------------------------------------------------------------------------------

    def _anneal(self, best: list[FeatureSet], others: Sequence[FeatureSet]) -> list[FeatureSet]:
        evaluations = self.evaluations
        finite = [value for value in evaluations.known.values() if value > -math.inf]
        initial = self._limits.initial_temperature * float(np.std(finite)) if finite else 0.0
        budget, idle = evaluations.left, 0
        current, worth, top = best, self._worth(best), self._rank(best)
        while idle < self._limits.max_idle_rounds and not evaluations.over:
            temperature = initial * evaluations.left / budget
            proposals = self._moves.proposals(current, others, idle)
            new = self._ask([one for proposed in proposals for one in proposed])
            idle = 0 if new else idle + 1
            for proposed in proposals:
                value = self._worth(proposed)
                if self._accepts(value, worth, temperature):
                    current, worth = proposed, value
                    break
            for proposed in proposals:
                if self._rank(proposed) > top:
                    best, top = proposed, self._rank(proposed)
                    report(evaluations, best, others)
        return best

    def _accepts(self, value: float, worth: float, temperature: float) -> bool:
        """The rule of Metropolis; at the very end the temperature is zero, by which nothing can be divided."""
        if value >= worth:
            return True
        return self._random.random() < math.exp((value - worth) / max(temperature, 1e-300))

    def _qualities(self, sets: Sequence[FeatureSet]) -> list[float]:
        return [self.evaluations.known.get(one, -math.inf) for one in sets]

    def _rank(self, sets: Sequence[FeatureSet]) -> tuple[float, float]:
        """What is asked for: the objective, and of equal minima the larger sum."""
        qualities = self._qualities(sets)
        return self.problem.objective(qualities), math.fsum(qualities)

    def _worth(self, sets: Sequence[FeatureSet]) -> float:
        """What the search follows: where only the worst set counts, the others would else move at random."""
        qualities = self._qualities(sets)
        objective = self.problem.objective(qualities)
        if len(sets) == 1 or self.problem.aggregation == "sum" or objective == -math.inf:
            return objective
        return objective + self._limits.mean_weight * math.fsum(qualities) / len(qualities)

    def _ask(self, sets: Sequence[FeatureSet]) -> bool:
        """Evaluate sets, tell the surrogate of all that are new to it, and say whether there were any."""
        self.evaluations.ask(sets)
        known = self.evaluations.known
        if len(known) == self._n_seen:
            return False
        for chosen in itertools.islice(known, self._n_seen, None):
            if known[chosen] > -math.inf:
                self.surrogate.update(chosen, known[chosen])
        self._n_seen = len(known)
        return True
