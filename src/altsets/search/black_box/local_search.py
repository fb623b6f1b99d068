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

import bisect
import itertools
import math
import random
from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.black_box.evaluations import Evaluations
from altsets.search.black_box.greedy_wrapper import declines_numbers, report, searched
from altsets.search.black_box.repair import Repair
from altsets.search.black_box.surrogate import Surrogate
from altsets.search.engine import Answer
from altsets.search.packing.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.run import Run
from altsets.search.subset.pricing import DualPrices, PricingOracle

__all__ = ["LocalSearchEngine"]

SEED = 25
#: How often each feature is in a random set to begin with, and the share of the budget that this may take.
ROUNDS, EXPLORING = 2, 0.25
#: A loss that is accepted with probability 1/e to begin with, in standard deviations of the random sets.
WARMTH = 0.3
#: Exchanges that are evaluated before the search moves on; one number, so that answers do not depend on n_jobs.
BATCH = 4
#: Features that are drawn before a broken rule is repaired; rounds without a new set after which one more feature is
#: exchanged at a time, and after which the search ends.
TRIES, KICK, IDLE = 10, 10, 40
#: Draws of a feature that is not in the set yet, before those that are in it are left out.
FEW_TRIES = 3
#: The share of moves that only drop a feature, and of those that only add one, where sizes are open.
ONE_SIDED = 0.25
#: The share of moves on the worst set, where the smallest quality counts; and what the mean counts beside it.
ON_WORST, MEAN = 0.5, 0.05
#: Steps for a set that the model holds to be best; for picking sets that go together, out of so many.
MAX_STEPS, PICKING_STEPS, MOST_KNOWN = 20_000, 500_000, 2_000


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
        self.pricing = self.repair.pricing
        self.learned = Surrogate(problem.n_features_in)
        self.random = random.Random(SEED)
        self._seen = 0
        self._usable = np.array(self.pricing.features, dtype=np.intp)
        self._required = self.pricing.required
        self._draw: _Draw | None = None
        self._drawn_at = (0, 0.0)
        self._used = np.zeros(problem.n_features_in)

    def improve(self, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> Sequence[FeatureSet]:
        """A solution that is no worse than the one given."""
        self._ask(sets)
        self._explore(others)
        best = list(sets)
        for proposed in (self._from_known(others), self._from_model(others)):
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
        wanted = math.ceil(ROUNDS * len(self._usable) / size)
        most = min(wanted, int(EXPLORING * self.evaluations.run.max_iters)) - self.learned.n_learned
        proposed = []
        for _ in range(most):
            if self.evaluations.run.tick():
                break
            draws = np.array([self.random.random() for _ in range(len(self._usable))])
            rewards = draws - self._used[self._usable]
            found = self.pricing.k_best(1, others=others, prices=DualPrices(-rewards), max_nodes=MAX_STEPS)
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

    def _picked(self) -> list[FeatureSet]:
        """The best of all evaluated sets that go together, as far as few steps go."""
        pricing = PricingOracle(self.pricing.quality, self.problem, self.evaluations.run)
        listing = listing_of(self.evaluations.known, pricing, MOST_KNOWN)
        # A function of the user's takes its time.
        steps = PICKING_STEPS // (20 if callable(self.problem.dissimilarity) else 1)
        return best_compatible(CliqueSearch(pricing, self.evaluations.run), listing, steps)[0]

    def _from_model(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets in the eyes of the model, each given those before it."""
        taken: list[FeatureSet] = []
        prices = DualPrices(-self.learned.values[self._usable])
        while len(taken) < self._n_sets and not self.evaluations.run.tick():
            found = self.pricing.k_best(1, others=[*others, *taken], prices=prices, max_nodes=MAX_STEPS)
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
        current, worth, top = best, self._worth(best), self._rank(best)
        while idle < IDLE and not evaluations.over:
            temperature = warmth * evaluations.left / begun
            proposals = self._proposals(current, others, idle)
            new = self._ask([one for proposed in proposals for one in proposed])
            idle = 0 if new else idle + 1
            for proposed in proposals:
                value = self._worth(proposed)
                if value >= worth or self.random.random() < math.exp(
                    (value - worth) / max(temperature, 1e-300)
                ):
                    current, worth = proposed, value
                    break
            for proposed in proposals:
                if self._rank(proposed) > top:
                    best, top = proposed, self._rank(proposed)
                    report(evaluations, best, others)
        return best

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
        return objective + MEAN * math.fsum(qualities) / len(qualities)

    def _ask(self, sets: Sequence[FeatureSet]) -> bool:
        """Evaluate sets, tell the model of all that are new to it, and say whether there were any."""
        self.evaluations.ask(sets)
        known = self.evaluations.known
        if len(known) == self._seen:
            return False
        for chosen in itertools.islice(known, self._seen, None):
            if known[chosen] > -math.inf:
                self.learned.learn(chosen, known[chosen])
        self._seen = len(known)
        return True

    # --- Moves --------------------------------------------------------------------------------------

    def _proposals(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], idle: int
    ) -> list[list[FeatureSet]]:
        """Several ways to go on from here, the more adventurous the longer nothing new was found."""
        width = 1.0 + idle // 4
        if self._draw is None or (self._seen, width) != self._drawn_at:
            self._draw = _Draw(self.learned.values, self._usable, self.random, width)
            self._drawn_at = (self._seen, width)
        draw = self._draw
        proposals: list[list[FeatureSet]] = []
        for _ in range(BATCH):
            proposed: list[FeatureSet] | None = list(current)
            for _ in range(1 + idle // KICK):
                if self.evaluations.run.tick():
                    return proposals
                proposed = proposed and self._changed(proposed, others, draw)
            if proposed:
                proposals.append(proposed)
        return proposals

    def _changed(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], draw: _Draw
    ) -> list[FeatureSet] | None:
        """One set changed by an exchange; None if rules are in the way."""
        number = self._which(current)
        chosen = frozenset(current[number])
        rest = [*others, *current[:number], *current[number + 1 :]]
        flips: frozenset[int] = frozenset()
        for _ in range(TRIES):
            flips = self._flips(chosen, draw)
            if flips and self.repair.validity.given(chosen ^ flips, rest):
                return [*current[:number], tuple(sorted(chosen ^ flips)), *current[number + 1 :]]
            traded = self._traded(current, others, number, flips)
            if traded is not None:
                return traded
        if not flips:
            return None
        repaired = self.repair.closest([current[number]], [sorted(flips)], rest)
        if repaired is not None:
            return [*current[:number], repaired[0], *current[number + 1 :]]
        if len(current) == 1:
            return None
        flipped = [sorted(flips) if place == number else [] for place in range(len(current))]
        return self.repair.closest(current, flipped, others)

    def _traded(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], number: int, flips: frozenset[int]
    ) -> list[FeatureSet] | None:
        """Two features change places between two sets, which helps where all features are in use."""
        leaving = flips & frozenset(current[number])
        for place, other in enumerate(current):
            if place != number and len(flips) == 2 and flips & frozenset(other) == flips - leaving:
                traded = [
                    frozenset(one) ^ flips if which in (number, place) else frozenset(one)
                    for which, one in enumerate(current)
                ]
                given = self.repair.validity.given
                if all(given(one, [*others, *traded[:which]]) for which, one in enumerate(traded)):
                    return [tuple(sorted(one)) for one in traded]
        return None

    def _which(self, current: Sequence[FeatureSet]) -> int:
        """The set to change."""
        if self.problem.aggregation == "min" and self.random.random() < ON_WORST:
            known = self.evaluations.known
            return min(range(len(current)), key=lambda number: known.get(current[number], -math.inf))
        return self.random.randrange(len(current))

    def _flips(self, chosen: frozenset[int], draw: _Draw) -> frozenset[int]:
        """A feature that goes and one that comes; where sizes are open, sometimes only one of them."""
        size, chance = len(chosen), 1.0 if self.problem.fixed_size else self.random.random()
        drop = size > self.problem.k_min and chance < ONE_SIDED
        add = size < self.problem.k_max and not drop and chance < 2 * ONE_SIDED
        leaving = None if add else draw.bad(sorted(chosen - self._required))
        coming = None if drop else draw.pricing(chosen)
        return frozenset(feature for feature in (leaving, coming) if feature is not None)


class _Draw:
    """Draws features by what they seem to be worth; ``width`` says how much that counts, 1 most."""

    def __init__(
        self,
        values: Floats,
        usable: Indices,
        random: random.Random,
        width: float,
    ) -> None:
        inside = values[usable]
        scale = width * float(inside.std()) or 1.0
        # No more than this much less likely than others, so that nothing overflows.
        worth = np.clip((inside - inside.max()) / scale, -50.0, 0.0)
        self._usable, self._random = usable.tolist(), random
        self._chances = np.cumsum(np.exp(worth)).tolist()
        self._worth = dict(zip(self._usable, worth.tolist(), strict=True))

    def pricing(self, chosen: frozenset[int]) -> int | None:
        """A feature that is not in the set yet, good ones rather than others."""
        for _ in range(FEW_TRIES):
            place = bisect.bisect(self._chances, self._random.random() * self._chances[-1])
            feature: int = self._usable[min(place, len(self._usable) - 1)]
            if feature not in chosen:
                return feature
        # The best ones are in the set already.
        left = [feature for feature in self._usable if feature not in chosen]
        weights = [math.exp(self._worth[feature]) for feature in left]
        return self._random.choices(left, weights)[0] if left else None

    def bad(self, features: Sequence[int]) -> int | None:
        """One of these features, bad ones rather than others."""
        if not features:
            return None
        lowest = min(self._worth[feature] for feature in features)
        weights = [math.exp(lowest - self._worth[feature]) for feature in features]
        return self._random.choices(features, weights)[0]
