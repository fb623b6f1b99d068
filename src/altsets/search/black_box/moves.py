"""The moves of the local search for black boxes: features that seem good come in, those that seem bad go."""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet
from altsets.search.black_box.evaluations import Evaluations
from altsets.search.black_box.limits import BlackBoxLimits
from altsets.search.black_box.repair import Repair
from altsets.search.black_box.surrogate import Surrogate

__all__ = ["ExchangeMoves", "FeatureSampler"]


class ExchangeMoves:
    """Proposes neighbours of a solution: features are exchanged in one set at a time.

    Parameters
    ----------
    evaluations : Evaluations
        What is known of the sets.
    repair : Repair
        Makes sets valid where an exchange breaks a rule.
    surrogate : Surrogate
        Says which features seem good.
    generator : random.Random
    limits : BlackBoxLimits
    """

    def __init__(
        self,
        evaluations: Evaluations,
        repair: Repair,
        surrogate: Surrogate,
        generator: random.Random,
        limits: BlackBoxLimits,
    ) -> None:
        self._evaluations, self._repair, self._surrogate = evaluations, repair, surrogate
        self._random, self._limits = generator, limits
        self._problem = repair.problem
        self._usable = np.array(repair.pricing.features, dtype=np.intp)
        self._required = repair.pricing.required
        self._sampler: FeatureSampler | None = None
        self._sampled_at = (0, 0.0)

    def proposals(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], idle: int
    ) -> list[list[FeatureSet]]:
        """Several ways to go on from here, the more adventurous the longer (``idle``) nothing new was found."""
        limits = self._limits
        sampler = self._current_sampler(1.0 + idle // limits.idle_rounds_to_flatten)
        proposals: list[list[FeatureSet]] = []
        for _ in range(limits.batch):
            proposed: list[FeatureSet] | None = list(current)
            for _ in range(1 + idle // limits.idle_rounds_to_perturb):
                if self._evaluations.run.tick():
                    return proposals
                proposed = proposed and self._exchanged(proposed, others, sampler)
            if proposed:
                proposals.append(proposed)
        return proposals

    def _current_sampler(self, flatness: float) -> FeatureSampler:
        """One that knows what the surrogate knows; it is made anew only if something has changed."""
        at = (len(self._evaluations.known), flatness)
        if self._sampler is None or at != self._sampled_at:
            self._sampler = FeatureSampler(
                self._surrogate.coefficients, self._usable, self._random, flatness, self._limits
            )
            self._sampled_at = at
        return self._sampler

    def _exchanged(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], sampler: FeatureSampler
    ) -> list[FeatureSet] | None:
        """One set changed by an exchange; None if rules are in the way."""
        number = self._which(current)
        chosen = frozenset(current[number])
        rest = [*others, *current[:number], *current[number + 1 :]]
        flips: frozenset[int] = frozenset()
        for _ in range(self._limits.exchange_attempts):
            flips = self._flips(chosen, sampler)
            if flips and self._repair.feasibility.given(chosen ^ flips, rest):
                return [*current[:number], tuple(sorted(chosen ^ flips)), *current[number + 1 :]]
            traded = self._traded(current, others, number, flips)
            if traded is not None:
                return traded
        return self._repaired(current, others, number, flips) if flips else None

    def _repaired(
        self, current: Sequence[FeatureSet], others: Sequence[FeatureSet], number: int, flips: frozenset[int]
    ) -> list[FeatureSet] | None:
        """The closest valid sets after an exchange that breaks a rule: of this set alone, or else of all."""
        rest = [*others, *current[:number], *current[number + 1 :]]
        repaired = self._repair.closest([current[number]], [sorted(flips)], rest)
        if repaired is not None:
            return [*current[:number], repaired[0], *current[number + 1 :]]
        if len(current) == 1:
            return None
        flipped = [sorted(flips) if place == number else [] for place in range(len(current))]
        return self._repair.closest(current, flipped, others)

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
                given = self._repair.feasibility.given
                if all(given(one, [*others, *traded[:which]]) for which, one in enumerate(traded)):
                    return [tuple(sorted(one)) for one in traded]
        return None

    def _which(self, current: Sequence[FeatureSet]) -> int:
        """The set to change."""
        if self._problem.aggregation == "min" and self._random.random() < self._limits.worst_set_share:
            known = self._evaluations.known
            return min(range(len(current)), key=lambda number: known.get(current[number], -math.inf))
        return self._random.randrange(len(current))

    def _flips(self, chosen: frozenset[int], sampler: FeatureSampler) -> frozenset[int]:
        """A feature that goes and one that comes; where sizes are open, sometimes only one of them."""
        problem, share = self._problem, self._limits.one_sided_share
        size, chance = len(chosen), 1.0 if problem.fixed_size else self._random.random()
        drop = size > problem.k_min and chance < share
        add = size < problem.k_max and not drop and chance < 2 * share
        leaving = None if add else sampler.leaving(sorted(chosen - self._required))
        entering = None if drop else sampler.entering(chosen)
        return frozenset(feature for feature in (leaving, entering) if feature is not None)


class FeatureSampler:
    """Draws features by what they seem to be worth; the ``flatness`` says how little that counts, 1 at least."""

    def __init__(
        self,
        values: Floats,
        usable: Indices,
        generator: random.Random,
        flatness: float,
        limits: BlackBoxLimits,
    ) -> None:
        inside = values[usable]
        scale = flatness * float(inside.std()) or 1.0
        log_odds = np.clip((inside - inside.max()) / scale, -limits.max_log_odds, 0.0)
        self._usable, self._random = usable.tolist(), generator
        self._attempts = limits.sampling_attempts
        self._cumulative = np.cumsum(np.exp(log_odds)).tolist()
        self._log_odds = dict(zip(self._usable, log_odds.tolist(), strict=True))

    def entering(self, chosen: frozenset[int]) -> int | None:
        """A feature that is not in the set yet, good ones rather than others."""
        for _ in range(self._attempts):
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
