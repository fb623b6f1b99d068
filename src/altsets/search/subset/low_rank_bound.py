"""Pair terms as a low-rank part, which can be bounded all at once, and a rest, which is bounded one by one.

Features that are alike in the same way have similar pair terms with all others: those of 100 points of a curve follow
from a dozen numbers for each point. Pair terms fall apart into what each feature has with all others, which is a sum
over the features of a set; the scalar products of loadings, a few numbers for each feature, as in factor analysis; and
a rest. Over a set, the scalar products add up to half the squared length of the sum of its loadings, up to a term for
each feature, and that is convex: it lies above each of its tangents, which are sums over features, too. Only the rest
must be bounded pair by pair, and it is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.search.subset.limits import PRICING_LIMITS, PricingLimits
from altsets.search.subset.rounding import LARGEST_SQUARED, LINEARISATION_ERROR, SMALLEST_SQUARED

__all__ = ["LowRankBound"]


@dataclass(frozen=True)
class LowRankBound:
    """Pair terms but for a rest: of features i and j, common[i] + common[j] + loadings[i] @ loadings[j].

    Attributes
    ----------
    common : float array
        What a feature has with all others.
    loadings : float array, one row for each feature
    rounding : float
        By how much a bound may be wrong because of rounding, for sets of the size it was asked for.
    """

    common: Floats
    loadings: Floats
    rounding: float

    @classmethod
    def of(cls, pairs: Floats, size: int, limits: PricingLimits = PRICING_LIMITS) -> LowRankBound | None:
        """Those of pair terms (symmetric; the diagonal does not count); None if features have nothing in common."""
        n = len(pairs)
        if n < 3 or not SMALLEST_SQUARED < float(np.max(np.abs(pairs))) < LARGEST_SQUARED:
            return None
        terms = pairs.copy()
        np.fill_diagonal(terms, 0.0)
        totals = terms.sum(axis=1)
        common = (totals - totals.sum() / (2 * n - 2)) / (n - 2)
        terms -= common[:, None] + common
        np.fill_diagonal(terms, 0.0)
        # Products of loadings have no negative eigenvalues: a positive one that is no larger than the negative ones are
        # is as likely chance. The diagonal, what a feature would have with itself, is fitted as well, beginning with 0.
        chance, loadings = None, np.zeros((n, 0))
        for _ in range(limits.low_rank_rounds):
            values, vectors = np.linalg.eigh(terms)
            chance = -float(values[0]) if chance is None else chance
            large = values > max(chance, 0.0)
            loadings = vectors[:, large] * np.sqrt(values[large])
            np.fill_diagonal(terms, np.sum(loadings**2, axis=1))
        if not loadings.shape[1]:
            return None
        loadings = np.ascontiguousarray(np.sqrt(limits.low_rank_share) * loadings)
        largest = float(np.max(np.abs(pairs)) + np.max(np.sum(loadings**2, axis=1)) + np.max(np.abs(common)))
        return cls(common, loadings, LINEARISATION_ERROR * size * size * largest)

    @property
    def terms(self) -> Floats:
        """The part of each pair term that is no rest."""
        return self.common[:, None] + self.common + self.loadings @ self.loadings.T
