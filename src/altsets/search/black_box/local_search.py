"""Local search for black boxes: simulated annealing guided by a linear model of single features.

Random valid sets, until each feature was in a few, and all later ones train the model. The search starts from the best
sets so far and from the optimum of the model. Several sets at once are picked from all evaluated sets.
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
from altsets.search.black_box.evaluations import EvaluationCache, declines_numbers, report, search_sets
from altsets.search.black_box.greedy_wrapper import Repair
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.simultaneous.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle

#: The seed of all random numbers: the same request has the same answer.
SEED = 25
#: How often each feature is in a random set to begin with, and the share of the budget that this may take.
EXPLORATION_ROUNDS = 2
EXPLORATION_SHARE = 0.25
#: A loss that is accepted with probability 1/e to begin with, in standard deviations of the evaluated sets.
INITIAL_TEMPERATURE = 0.3
#: Exchanges that are evaluated before the search moves on; one number, so that answers do not depend on n_jobs.
BATCH = 4
#: Exchanges that are drawn before a broken rule is repaired.
EXCHANGE_ATTEMPTS = 10
#: Rounds without a new set after which features are drawn more evenly, one more is exchanged, and the search ends.
IDLE_ROUNDS_TO_FLATTEN = 4
IDLE_ROUNDS_TO_PERTURB = 10
MAX_IDLE_ROUNDS = 40
#: Draws of a feature that is not in the set yet, before those that are in it are left out.
SAMPLING_ATTEMPTS = 3
#: The logarithm of how much less likely than the best a feature is drawn at most, so that nothing overflows.
MAX_LOG_ODDS = 50.0
#: The share of moves that only drop a feature, and of those that only add one, where sizes are open.
ONE_SIDED_SHARE = 0.25
#: Where the smallest quality counts: the share of moves on the worst set, and what the mean counts beside it.
WORST_SET_SHARE = 0.5
MEAN_WEIGHT = 0.05
#: Nodes of the search for the best set by the surrogate.
SURROGATE_NODES = 20_000
#: Nodes for picking sets that go together, out of so many; fewer by a factor where a user's function compares them.
PICK_NODES = 500_000
MAX_KNOWN = 2_000
OWN_DISSIMILARITY_FACTOR = 20
#: The prior variance of a feature's coefficient, and of the constant that all sets share, in units of the noise.
COEFFICIENT_VARIANCE = 1.0
CONSTANT_VARIANCE = 100.0
#: Above this many features their covariances are left out, as the matrix grows with the square.
MAX_COVARIANCE_FEATURES = 1_000


class LocalSearchEngine:
    """Simulated annealing with a learned model of features."""

    name = "local-search"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_numbers(quality, problem)

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Search until ``max_iters`` sets were evaluated; in sequential search, for each set."""
        evaluations = EvaluationCache(quality, problem, run, quality.max_iters)
        search = SurrogateAnnealing(evaluations.problem, evaluations)
        return search_sets(evaluations, search.improve, "local search proves nothing")


class SurrogateAnnealing:
    """The local search of one call; sets found in turn share the evaluations and the surrogate."""

    def __init__(self, problem: Problem, evaluations: EvaluationCache) -> None:
        self.problem, self.evaluations = problem, evaluations
        self.repair = Repair(problem, evaluations.run)
        self.pricing = self.repair.pricing
        self.surrogate = Surrogate(problem.n_features_in)
        self._random = random.Random(SEED)
        self._sampler: FeatureSampler | None = None
        self._sampled_at = (0, 0.0)
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
        if len(best) == 1 or self.evaluations.run.stopped:
            return best
        # Sets that were never together may go together best.
        return max(best, self._picked() or best, key=self._rank)

    def _explore(self, others: Sequence[FeatureSet]) -> None:
        """Evaluate random sets in which each feature turns up, those that were used least first."""
        size = max(self.problem.k_max, 1)
        wanted = math.ceil(EXPLORATION_ROUNDS * len(self._usable) / size)
        budget = int(EXPLORATION_SHARE * self.evaluations.quality.max_iters)
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
        listing = listing_of(self.evaluations.known, pricing, MAX_KNOWN)
        max_nodes = PICK_NODES
        if callable(self.problem.dissimilarity):
            max_nodes //= OWN_DISSIMILARITY_FACTOR
        return best_compatible(CliqueSearch(pricing), listing, max_nodes)[0]

    def _from_surrogate(self, others: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The best sets by the surrogate, each given those before it."""
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
        found = self.pricing.k_best(1, others=others, prices=prices, max_nodes=SURROGATE_NODES)
        return found.sets[0] if found.sets else None

    @property
    def _n_sets(self) -> int:
        return 1 if self.problem.search == "sequential" else self.problem.n_sets

    def _anneal(self, best: list[FeatureSet], others: Sequence[FeatureSet]) -> list[FeatureSet]:
        evaluations = self.evaluations
        finite = [value for value in evaluations.known.values() if value > -math.inf]
        initial = INITIAL_TEMPERATURE * float(np.std(finite)) if finite else 0.0
        budget, idle = evaluations.left, 0
        current, worth, top = best, self._worth(best), self._rank(best)
        while idle < MAX_IDLE_ROUNDS and not evaluations.over:
            temperature = initial * evaluations.left / budget
            proposals = self._proposals(current, others, idle)
            new = self._ask([one for proposed in proposals for one in proposed])
            idle = 0 if new else idle + 1
            for proposed in proposals:
                value = self._worth(proposed)
                # The rule of Metropolis; at the very end the temperature is zero, by which nothing can be divided.
                loss = (value - worth) / max(temperature, 1e-300)
                if value >= worth or self._random.random() < math.exp(loss):
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
        """The value to maximise: the objective, and of equal minima the larger sum."""
        qualities = self._qualities(sets)
        return self.evaluations.aim(qualities), math.fsum(qualities)

    def _worth(self, sets: Sequence[FeatureSet]) -> float:
        """What the search follows: where only the worst set counts, the others would else move at random."""
        qualities = self._qualities(sets)
        objective = self.evaluations.aim(qualities)
        if len(sets) == 1 or self.problem.aggregation == "sum" or objective == -math.inf:
            return objective
        return objective + MEAN_WEIGHT * math.fsum(qualities) / len(qualities)

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

    def _proposals(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], idle: int
    ) -> list[list[FeatureSet]]:
        """Several moves from here, larger ones the longer (``idle``) nothing new was found."""
        # A sampler that knows what the surrogate knows is made anew only if something has changed.
        at = len(self.evaluations.known), 1.0 + idle // IDLE_ROUNDS_TO_FLATTEN
        if self._sampler is None or at != self._sampled_at:
            self._sampler = FeatureSampler(self.surrogate.coefficients, self._usable, self._random, at[1])
            self._sampled_at = at
        proposals: list[list[FeatureSet]] = []
        for _ in range(BATCH):
            proposed: list[FeatureSet] | None = list(current)
            for _ in range(1 + idle // IDLE_ROUNDS_TO_PERTURB):
                if self.evaluations.run.tick():
                    return proposals
                proposed = proposed and self._exchanged(proposed, others, self._sampler)
            if proposed:
                proposals.append(proposed)
        return proposals

    def _exchanged(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], sampler: FeatureSampler
    ) -> list[FeatureSet] | None:
        """One set changed by an exchange; None if rules are in the way."""
        number = self._which(current)
        before, chosen, after = current[:number], frozenset(current[number]), current[number + 1 :]
        rest = [*others, *before, *after]
        flips: frozenset[int] = frozenset()
        for _ in range(EXCHANGE_ATTEMPTS):
            flips = self._flips(chosen, sampler)
            if flips and self.repair.feasibility.given(chosen ^ flips, rest):
                return [*before, tuple(sorted(chosen ^ flips)), *after]
            traded = self._traded(current, others, number, flips)
            if traded is not None:
                return traded
        if not flips:
            return None
        # A rule is broken: the closest valid sets, of this set alone, or else of all.
        repaired = self.repair.closest([current[number]], [sorted(flips)], rest)
        if repaired is not None or len(current) == 1:
            return repaired and [*before, *repaired, *after]
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
                given = self.repair.feasibility.given
                if all(given(one, [*others, *traded[:which]]) for which, one in enumerate(traded)):
                    return [tuple(sorted(one)) for one in traded]
        return None

    def _which(self, current: Sequence[FeatureSet]) -> int:
        if self.problem.aggregation == "min" and self._random.random() < WORST_SET_SHARE:
            known = self.evaluations.known
            return min(range(len(current)), key=lambda number: known.get(current[number], -math.inf))
        return self._random.randrange(len(current))

    def _flips(self, chosen: frozenset[int], sampler: FeatureSampler) -> frozenset[int]:
        """A feature that goes and one that comes; where sizes are open, sometimes only one of them."""
        problem, share = self.problem, ONE_SIDED_SHARE
        size, chance = len(chosen), 1.0 if problem.fixed_size else self._random.random()
        drop = size > problem.k_min and chance < share
        add = size < problem.k_max and not drop and chance < 2 * share
        leaving = None if add else sampler.leaving(sorted(chosen - self.pricing.required))
        entering = None if drop else sampler.entering(chosen)
        return frozenset(feature for feature in (leaving, entering) if feature is not None)


class FeatureSampler:
    """Draws features by what they seem to be worth; the ``flatness`` says how little that counts, 1 at least."""

    def __init__(self, values: Floats, usable: Indices, generator: random.Random, flatness: float) -> None:
        inside = values[usable]
        scale = flatness * float(inside.std()) or 1.0
        log_odds = np.clip((inside - inside.max()) / scale, -MAX_LOG_ODDS, 0.0)
        self._usable, self._random = usable.tolist(), generator
        self._cumulative = np.cumsum(np.exp(log_odds)).tolist()
        self._log_odds = dict(zip(self._usable, log_odds.tolist(), strict=True))

    def entering(self, chosen: frozenset[int]) -> int | None:
        """A feature that is not in the set yet, good ones rather than others."""
        for _ in range(SAMPLING_ATTEMPTS):
            place = bisect.bisect(self._cumulative, self._random.random() * self._cumulative[-1])
            feature: int = self._usable[min(place, len(self._usable) - 1)]
            if feature not in chosen:
                return feature
        # The best ones are in the set already.
        left = [feature for feature in self._usable if feature not in chosen]
        weights = [math.exp(self._log_odds[feature]) for feature in left]
        return self._random.choices(left, weights)[0] if left else None

    def leaving(self, features: Sequence[int]) -> int | None:
        """One of these features, bad ones rather than others."""
        if not features:
            return None
        lowest = min(self._log_odds[feature] for feature in features)
        weights = [math.exp(lowest - self._log_odds[feature]) for feature in features]
        return self._random.choices(features, weights)[0]


class Surrogate:
    """A linear model of quality, updated set by set: a constant plus a coefficient for each feature of the set.

    Recursive ridge regression; with many features, without covariances.
    """

    def __init__(self, n_features: int) -> None:
        self.n_updates = 0
        # The last entry is the constant.
        self._means = np.zeros(n_features + 1)
        variances = np.full(n_features + 1, COEFFICIENT_VARIANCE)
        variances[-1] = CONSTANT_VARIANCE
        self._has_covariances = n_features <= MAX_COVARIANCE_FEATURES
        self._covariance = np.diag(variances) if self._has_covariances else variances

    @property
    def coefficients(self) -> Floats:
        """One number for each feature."""
        return self._means[:-1]

    def update(self, chosen: FeatureSet, quality: float) -> None:
        """Take one more set into account."""
        places = [*chosen, len(self._means) - 1]
        residual = quality - float(self._means[places].sum())
        self.n_updates += 1
        if not self._has_covariances:
            variances = self._covariance[places]
            gain = variances / (1.0 + variances.sum())
            self._means[places] += gain * residual
            self._covariance[places] = variances * (1.0 - gain)
            return
        shared = self._covariance[:, places].sum(axis=1)
        gain = shared / (1.0 + float(shared[places].sum()))
        self._means += gain * residual
        self._covariance -= np.outer(gain, shared)
