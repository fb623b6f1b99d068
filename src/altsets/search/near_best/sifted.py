"""Sums that constraints or conflicts make too many to list: sets without these, of which only some count."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.search.near_best.family import Threshold, pair_shares_among, shares_among
from altsets.search.near_best.limits import NearBestLimits
from altsets.search.near_best.sum_family import SumFamily

__all__ = ["SiftedFamily"]


class SiftedFamily:
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

    #: What is said is about all sets, from some drawn at random.
    n_known = None
    estimated = True

    def __init__(
        self, family: SumFamily, least: int, threshold: Threshold, problem: Problem, limits: NearBestLimits
    ) -> None:
        self._family, self._threshold, self._problem, self._limits = family, threshold, problem, limits
        self.bounds = least, max(least, family.bounds[1])

    @cached_property
    def keeps_enough(self) -> bool:
        """Whether so many sets are kept that it is worth while to draw them."""
        try:
            drawn = self._family.draw(self._limits.trial_draws, np.random.default_rng(0))
        except UnsupportedError:
            return False
        return sum(map(self._kept, drawn)) >= self._limits.min_kept * len(drawn)

    def _kept(self, chosen: FeatureSet) -> bool:
        return all(rule.holds(chosen) for rule in self._problem.constraints) and self._threshold.counts(
            chosen
        )

    def shares(self) -> Floats:
        """How often each feature occurs."""
        return shares_among(self._drawn, self._problem.n_features_in)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs."""
        return pair_shares_among(self._drawn, self._problem.n_features_in)

    def always(self) -> Bools:
        """The features that are in all sets, even without constraints."""
        return self._family.always()

    def sometimes(self) -> Bools:
        """The features in sets that were drawn."""
        return np.greater(self.shares(), 0.0)

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """So many sets, each drawn from all with the same chance."""
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
        """Sets that estimates are made from, always the same."""
        return self.draw(self._limits.n_draws, np.random.default_rng(0))
