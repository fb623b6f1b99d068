"""All sets whose scores add up to enough, of one size or several: counted by halves, or else with rounded scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet
from altsets.search.near_best.family import Threshold, pair_shares_among, shares_among
from altsets.search.near_best.halves import HalvedSums
from altsets.search.near_best.limits import NearBestLimits
from altsets.search.near_best.rounded import RoundedSums
from altsets.search.near_best.sums import Sums, best_first
from altsets.search.run import Run, Stopped

__all__ = ["SumFamily"]

Part = HalvedSums | RoundedSums


class SumFamily:
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

    #: All sets are known.
    n_known = None

    def __init__(
        self, sums: Sequence[Sums], threshold: Threshold, n_features_in: int, run: Run, limits: NearBestLimits
    ) -> None:
        self._threshold, self._n_features_in, self._limits = threshold, n_features_in, limits
        near = [some.near(threshold) for some in sums]
        self._sums = [some for some in near if some is not None]
        self._parts = [_part(some, threshold, limits, run) for some in self._sums]

    @property
    def bounds(self) -> tuple[int, int]:
        """The number of sets, at least and at most."""
        return sum(part.bounds[0] for part in self._parts), sum(part.bounds[1] for part in self._parts)

    @cached_property
    def estimated(self) -> bool:
        """Whether shares are estimates, from sets drawn at random."""
        return any(isinstance(part, RoundedSums) or part.bounds[0] < part.bounds[1] for part in self._parts)

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
        """So many sets, each drawn from all with the same chance: proposed, and kept if it counts."""
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
        """Sets that estimates are made from, always the same."""
        return self.draw(self._limits.n_draws, np.random.default_rng(0))

    @property
    def _exact_parts(self) -> Iterator[HalvedSums]:
        return (part for part in self._parts if isinstance(part, HalvedSums))


def _part(sums: Sums, threshold: Threshold, limits: NearBestLimits, run: Run) -> Part:
    # A few sets are counted whether or not there is time.
    check: Callable[[], object] = run.check if sums.n_sets > limits.unchecked_sets else run.tick
    try:
        halved = HalvedSums.of(sums, threshold, limits, check)
    except Stopped:
        halved = None
    return halved or RoundedSums(sums, threshold, limits, run)
