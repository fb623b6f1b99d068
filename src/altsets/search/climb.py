"""Local search for black boxes: simulated annealing that learns which features are worth trying.

1. Random valid sets are evaluated, until each feature was in a few; what they are worth goes into a linear model
   (:mod:`altsets.search.feature_values`), as does every set that is evaluated later on.
2. The search starts from the best of: the first valid sets, the best sets evaluated so far, and what the model holds
   to be best under all rules.
3. Then features are exchanged, one set at a time: those that seem good come in, those that seem bad go. A better
   solution is always taken, a worse one with a probability that falls to zero as the budget runs out. Where an
   exchange breaks a rule, it is repaired (:mod:`altsets.search.repair`).

One search after the other shares the model, so that later sets begin with what is known from earlier ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.engine import Answer
from altsets.search.evaluations import Evaluations
from altsets.search.feature_values import FeatureValues
from altsets.search.good_sets import Prices
from altsets.search.repair import Repair
from altsets.search.run import Run
from altsets.search.wrapper import declines_numbers, report, searched

__all__ = ["LocalSearchEngine"]

SEED = 25
#: How often each feature is in a random set to begin with, and the share of the budget that this may take.
ROUNDS, EXPLORING = 2, 0.25
#: A loss that is accepted with probability 1/e to begin with, in standard deviations of the random sets.
WARMTH = 0.3
#: Exchanges that are evaluated before the search moves on; one number, so that answers do not depend on n_jobs.
BATCH = 4
#: Features that are drawn before a broken rule is repaired; rounds without a new set until the search ends.
TRIES, IDLE = 10, 50
#: The share of moves on the worst set, where the smallest quality counts; and what the mean counts beside it.
ON_WORST, MEAN = 0.5, 0.05
#: Steps for a set that the model holds to be best.
MAX_STEPS = 20_000


class LocalSearchEngine:
    """Simulated annealing with a learned model of features."""

    name = "local-search"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_numbers(quality, problem)

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Search until ``run.max_iters`` sets were evaluated; in sequential search, for each set."""
        if not problem.sizes:
            return Answer.infeasible(problem, "constraints on the size contradict each other")
        evaluations = Evaluations(quality, problem, run, run.max_iters)
        search = _Climb(problem, evaluations)
        return searched(problem, evaluations, search.improve, "local search proves nothing")


class _Climb:
    """What is known in one call: evaluations, values of features, random numbers."""

    def __init__(self, problem: Problem, evaluations: Evaluations) -> None:
        self.problem, self.evaluations = problem, evaluations
        self.repair = Repair(problem, evaluations.run)
        self.good = self.repair.good
        self.learned = FeatureValues(problem.n_features_in)
        self.random = np.random.default_rng(SEED)
        self._seen = 0
        self._usable = np.array(self.good.features, dtype=np.intp)
        self._required = self.good.required
        self._used = np.zeros(problem.n_features_in)

    def improve(self, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> Sequence[FeatureSet]:
        """A solution that is no worse than the one given."""
        self._learn()
        self._explore(others)
        best = list(sets)
        for proposed in (self._from_known(others), self._from_model(others)):
            if len(proposed) == len(sets):
                self._ask(proposed)
                best = max(best, list(proposed), key=self._worth)
        report(self.evaluations, best, others)
        return self._anneal(best, others)

    # --- Where to start -----------------------------------------------------------------------------

    def _explore(self, others: Sequence[FeatureSet]) -> None:
        """Evaluate random sets in which each feature turns up, those that were used least first."""
        size = max(self.problem.k_max, 1)
        wanted = math.ceil(ROUNDS * len(self._usable) / size)
        most = min(wanted, int(EXPLORING * self.evaluations.run.max_iters)) - self.learned.n_learned
        proposed = []
        for _ in range(most):
            rewards = self.random.random(len(self._usable)) - self._used[self._usable]
            found = self.good.best(1, others=others, prices=Prices(-rewards), max_nodes=MAX_STEPS)
            if found.sets:
                proposed.append(found.sets[0])
                self._used[list(found.sets[0])] += 1.0
        self._ask(proposed)

    def _from_known(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets evaluated so far, each given those before it."""
        known, validity = self.evaluations.known, self.repair.validity
        taken: list[FeatureSet] = []
        for one in sorted(known, key=lambda one: (-known[one], one)):
            # Where equal sets are allowed, the best is taken again.
            while len(taken) < self._n_sets and validity.given(frozenset(one), [*others, *taken]):
                taken.append(one)
            if len(taken) == self._n_sets:
                break
        return taken

    def _from_model(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets in the eyes of the model, each given those before it."""
        taken: list[FeatureSet] = []
        prices = Prices(-self.learned.values[self._usable])
        while len(taken) < self._n_sets:
            found = self.good.best(1, others=[*others, *taken], prices=prices, max_nodes=MAX_STEPS)
            if not found.sets:
                break
            taken.append(found.sets[0])
        return taken

    @property
    def _n_sets(self) -> int:
        return 1 if self.problem.search == "sequential" else self.problem.n_sets

    # --- Annealing ----------------------------------------------------------------------------------

    def _anneal(self, best: list[FeatureSet], others: Sequence[FeatureSet]) -> list[FeatureSet]:
        evaluations = self.evaluations
        finite = [value for value in evaluations.known.values() if value > -math.inf]
        warmth = WARMTH * float(np.std(finite)) if finite else 0.0
        begun, idle = evaluations.left, 0
        current, worth = best, self._worth(best)
        top = worth
        while idle < IDLE and not evaluations.over:
            heat = warmth * evaluations.left / begun
            proposals = self._proposals(current, others)
            before = len(evaluations.known)
            self._ask([one for proposed in proposals for one in proposed])
            idle = 0 if len(evaluations.known) > before else idle + 1
            for proposed in proposals:
                value = self._worth(proposed)
                if value >= worth or self.random.random() < math.exp((value - worth) / max(heat, 1e-300)):
                    current, worth = proposed, value
                    break
            for proposed in proposals:
                if self._worth(proposed) > top:
                    best, top = proposed, self._worth(proposed)
                    report(evaluations, best, others)
        return best

    def _worth(self, sets: Sequence[FeatureSet]) -> float:
        """The objective; where the smallest quality counts, with a little of the mean."""
        known = self.evaluations.known
        qualities = [known.get(one, -math.inf) for one in sets]
        objective = self.problem.objective(qualities)
        if len(sets) == 1 or self.problem.aggregation == "sum" or objective == -math.inf:
            return objective
        return objective + MEAN * math.fsum(qualities) / len(qualities)

    def _ask(self, sets: Sequence[FeatureSet]) -> None:
        self.evaluations.ask(sets)
        self._learn()

    def _learn(self) -> None:
        """Tell the model of sets that are new."""
        known = self.evaluations.known
        # In the order in which they were evaluated.
        for chosen in itertools.islice(known, self._seen, None):
            if known[chosen] > -math.inf:
                self.learned.learn(chosen, known[chosen])
        self._seen = len(known)

    # --- Moves --------------------------------------------------------------------------------------

    def _proposals(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet]
    ) -> list[list[FeatureSet]]:
        values = self.learned.values
        spread = float(np.std(values[self._usable])) or 1.0
        chances = np.cumsum(np.exp((values[self._usable] - np.max(values[self._usable])) / spread))
        drawn = (self._proposal(current, others, chances, spread) for _ in range(BATCH))
        return [proposed for proposed in drawn if proposed is not None]

    def _proposal(
        self,
        current: Sequence[FeatureSet],
        others: Sequence[FeatureSet],
        chances: npt.NDArray[np.float64],
        spread: float,
    ) -> list[FeatureSet] | None:
        """One set changed by an exchange; None if rules are in the way."""
        number = self._which(current)
        chosen = frozenset(current[number])
        rest = [*others, *current[:number], *current[number + 1 :]]
        flips: frozenset[int] = frozenset()
        for _ in range(TRIES):
            flips = self._flips(chosen, chances, spread)
            if flips and self.repair.validity.given(chosen ^ flips, rest):
                return [*current[:number], tuple(sorted(chosen ^ flips)), *current[number + 1 :]]
        if not flips:
            return None
        repaired = self.repair.closest([current[number]], [sorted(flips)], rest)
        if repaired is not None:
            return [*current[:number], repaired[0], *current[number + 1 :]]
        if len(current) == 1:
            return None
        flipped = [sorted(flips) if place == number else [] for place in range(len(current))]
        return self.repair.closest(current, flipped, others)

    def _which(self, current: Sequence[FeatureSet]) -> int:
        """The set to change."""
        if self.problem.aggregation == "min" and self.random.random() < ON_WORST:
            known = self.evaluations.known
            return min(range(len(current)), key=lambda number: known[current[number]])
        return int(self.random.random() * len(current))

    def _flips(
        self, chosen: frozenset[int], chances: npt.NDArray[np.float64], spread: float
    ) -> frozenset[int]:
        """A feature that goes and one that comes; where sizes are open, sometimes only one of them."""
        both = self.random.random()
        size, problem = len(chosen), self.problem
        drop = size > problem.k_min and both < 0.25
        add = size < problem.k_max and not drop and both < 0.5
        flips = set()
        leaving = sorted(chosen - self._required)
        if leaving and not add:
            values = self.learned.values
            lowest = min(values[j] for j in leaving)
            weights = np.cumsum([math.exp((lowest - values[j]) / spread) for j in leaving])
            flips.add(leaving[int(np.searchsorted(weights, self.random.random() * weights[-1]))])
        if not drop:
            for _ in range(TRIES):
                feature = int(self._usable[np.searchsorted(chances, self.random.random() * chances[-1])])
                if feature not in chosen:
                    flips.add(feature)
                    break
        return frozenset(flips)
