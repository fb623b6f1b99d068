"""Families of sets whose quality is a sum: by meeting in the middle, or else by dynamic programming.

Constraints and conflicts that make the sets hard to count are left out, and sets are filtered as they are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.search.near_best.dynamic_programme import RoundedSums
from altsets.search.near_best.family import (
    Family,
    NearBestLimits,
    Threshold,
    pair_shares_among,
    shares_among,
)
from altsets.search.near_best.meet_in_middle import HalvedSums
from altsets.search.near_best.sums import Sums, best_first
from altsets.search.run import Run, Stopped

Part = HalvedSums | RoundedSums


class SumFamily(Family):
    """Sets whose quality is a sum.

    Parameters
    ----------
    sums : sequence of Sums
        All sets, by size.
    threshold : Threshold
    n_features_in : int
    run : Run
    limits : NearBestLimits
    """

    def __init__(
        self, sums: Sequence[Sums], threshold: Threshold, n_features_in: int, run: Run, limits: NearBestLimits
    ) -> None:
        self._threshold, self._n_features_in, self._limits = threshold, n_features_in, limits
        near = [some.near(threshold) for some in sums]
        self._sums = [some for some in near if some is not None]
        self._parts = [_count_part(some, threshold, limits, run) for some in self._sums]
        self.bounds = sum(part.bounds[0] for part in self._parts), sum(part.bounds[1] for part in self._parts)
        # From sets drawn at random, where counts are not exact.
        self.estimated = any(
            isinstance(part, RoundedSums) or part.bounds[0] < part.bounds[1] for part in self._parts
        )

    def shares(self) -> Floats:
        """How often each feature occurs."""
        if self.estimated:
            return shares_among(self._drawn, self._n_features_in)
        total = np.zeros(self._n_features_in)
        for part in self._exact_parts:
            total[part.sums.base] += part.bounds[0]
            total[part.sums.features] += part.occurrences()
        return total / max(self.bounds[0], 1)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs."""
        n = self._n_features_in
        if self.estimated:
            return pair_shares_among(self._drawn, n)
        total = np.zeros((n, n))
        for part in self._exact_parts:
            base, features, pairs = part.sums.base, part.sums.features, part.pair_occurrences()
            total[np.ix_(base, base)] += part.bounds[0]
            total[np.ix_(features, features)] += pairs
            once = np.diagonal(pairs)
            total[np.ix_(base, features)] += once
            total[np.ix_(features, base)] += once[:, None]
        return total / max(self.bounds[0], 1)

    def always(self) -> Bools:
        """The features in all sets."""
        if not self.estimated:
            return np.equal(self.shares(), 1.0)
        found = np.ones(self._n_features_in, dtype=bool)
        for some in self._sums:
            here = np.zeros(self._n_features_in, dtype=bool)
            here[some.base] = True
            found &= here
        return found

    def sometimes(self) -> Bools:
        """The features in some sets, or in all."""
        if not self.estimated:
            return np.greater(self.shares(), 0.0)
        found = np.zeros(self._n_features_in, dtype=bool)
        for some in self._sums:
            found[some.base] = found[some.features] = True
        return found

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, by rejection: proposed, and kept if they count."""
        proposals = [part.n_proposals for part in self._parts]
        chances = np.array([number / sum(proposals) for number in proposals])
        per_set = max(1.1 * sum(proposals) / max(self.bounds[0], 1), 1.0)
        found: list[FeatureSet] = []
        for _ in range(self._limits.max_rounds):
            wanted = math.ceil(min(per_set * (n - len(found)) + 10, self._limits.draws_at_a_time))
            which = rng.choice(len(chances), size=wanted, p=chances)
            proposed: list[FeatureSet | None] = [None] * wanted
            for number, part in enumerate(self._parts):
                places = np.flatnonzero(which == number).tolist()
                for place, chosen in zip(places, part.propose(len(places), rng), strict=True):
                    proposed[place] = chosen
            found += [chosen for chosen in proposed if chosen is not None]
            if len(found) >= n:
                return found[:n]
        raise UnsupportedError(
            "too few of the sets that can be drawn are good enough; give a larger within, or more time to count them."
        )

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""
        return best_first(self._sums, self._threshold)

    @cached_property
    def _drawn(self) -> list[FeatureSet]:
        """The sample behind estimates, always the same."""
        return self.draw(self._limits.n_draws, np.random.default_rng(0))

    @property
    def _exact_parts(self) -> Iterator[HalvedSums]:
        return (part for part in self._parts if isinstance(part, HalvedSums))


def _count_part(sums: Sums, threshold: Threshold, limits: NearBestLimits, run: Run) -> Part:
    # A few sets are counted whether or not there is time.
    check: Callable[[], object] = run.check if sums.n_sets > limits.unchecked_sets else run.tick
    try:
        halved = HalvedSums.of(sums, threshold, limits, check)
    except Stopped:
        halved = None
    return halved or RoundedSums(sums, threshold, limits, run)


class FilteredFamily(Family):
    """The sets of another family that keep to all constraints and are not ruled out by the quality.

    Parameters
    ----------
    family : SumFamily
        All sets without constraints that are good enough.
    least : int
        How many of them are known to keep to the constraints.
    threshold : Threshold
        With the quality itself.
    problem : Problem
    limits : NearBestLimits
    """

    estimated = True

    def __init__(
        self, family: SumFamily, least: int, threshold: Threshold, problem: Problem, limits: NearBestLimits
    ) -> None:
        self._family, self._threshold, self._problem, self._limits = family, threshold, problem, limits
        self.bounds = least, max(least, family.bounds[1])

    @cached_property
    def keeps_enough(self) -> bool:
        """Whether enough of the sets are kept to make drawing them worthwhile."""
        try:
            drawn = self._family.draw(self._limits.trial_draws, np.random.default_rng(0))
        except UnsupportedError:
            return False
        return sum(map(self._kept, drawn)) >= self._limits.min_kept * len(drawn)

    def _kept(self, chosen: FeatureSet) -> bool:
        allowed = all(rule.holds(chosen) for rule in self._problem.constraints)
        return allowed and self._threshold.counts(chosen)

    def shares(self) -> Floats:
        """How often each feature occurs."""
        return shares_among(self._drawn, self._problem.n_features_in)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs."""
        return pair_shares_among(self._drawn, self._problem.n_features_in)

    def always(self) -> Bools:
        """The features that are in all sets, even without constraints."""
        return self._family.always()

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, by rejection."""
        found: list[FeatureSet] = []
        per_set = 1.0
        for _ in range(self._limits.max_rounds):
            wanted = math.ceil(min(1.1 * per_set * (n - len(found)) + 10, self._limits.draws_at_a_time))
            kept = [chosen for chosen in self._family.draw(wanted, rng) if self._kept(chosen)]
            found += kept
            if len(found) >= n:
                break
            per_set = wanted / max(len(kept), 1)
        else:
            raise UnsupportedError("too few sets keep to the constraints to draw so many; draw fewer.")
        return found[:n]

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""
        return filter(self._kept, self._family.ranked())

    @cached_property
    def _drawn(self) -> list[FeatureSet]:
        """The sample behind estimates, always the same."""
        return self.draw(self._limits.n_draws, np.random.default_rng(0))
