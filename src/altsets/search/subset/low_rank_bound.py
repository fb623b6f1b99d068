"""What pairs of features have in common, so that pair terms can be bounded all at once instead of one by one.

Features that are alike in the same way have similar pair terms with everybody: those of 100 points of a curve follow
from a dozen numbers for each point. Pair terms fall apart into what each feature has with all others, which is a sum
over the features of a set; the scalar products of loads, a few numbers for each feature; and a rest. Over a set, the
scalar products add up to half the squared length of the sum of its loads, up to a term for each feature, and that is
convex: it lies above each of its tangents, which are sums over features, too. Only the rest must be bounded pair by
pair, and it is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats

__all__ = ["LowRankBound"]


#: Rounds of fitting; what pairs have in common changes little after these.
N_ROUNDS = 3
#: How much of the loads is used: the last of it is fitted to chance, and lengthens more than it explains.
PART = 0.9


@dataclass(frozen=True)
class LowRankBound:
    """Pair terms but for a rest: of features i and j, common[i] + common[j] + loads[i] @ loads[j].

    Attributes
    ----------
    common : float array
        What a feature has with all others.
    loads : float array, one row for each feature
    rounding : float
        By how much a bound may be wrong because of rounding, for sets of the size it was asked for.
    """

    common: Floats
    loadings: Floats
    rounding: float

    @classmethod
    def of(cls, pairs: Floats, size: int) -> LowRankBound | None:
        """Those of pair terms (symmetric; the diagonal does not count); None if features have nothing in common."""
        n = len(pairs)
        # Squares of very small or large numbers are none.
        if n < 3 or not 1e-100 < float(np.max(np.abs(pairs))) < 1e100:
            return None
        terms = pairs.copy()
        np.fill_diagonal(terms, 0.0)
        totals = terms.sum(axis=1)
        common = (totals - totals.sum() / (2 * n - 2)) / (n - 2)
        terms -= common[:, None] + common
        np.fill_diagonal(terms, 0.0)
        # Products of loads have no negative eigenvalues: what is no larger than those is as likely chance. What a
        # feature would have with itself is fitted as well, and begins with nothing.
        chance, loadings = None, np.zeros((n, 0))
        for _ in range(N_ROUNDS):
            values, vectors = np.linalg.eigh(terms)
            chance = -float(values[0]) if chance is None else chance
            large = values > max(chance, 0.0)
            loadings = vectors[:, large] * np.sqrt(values[large])
            np.fill_diagonal(terms, np.sum(loadings**2, axis=1))
        if not loadings.shape[1]:
            return None
        loadings = np.ascontiguousarray(np.sqrt(PART) * loadings)
        largest = float(np.max(np.abs(pairs)) + np.max(np.sum(loadings**2, axis=1)) + np.max(np.abs(common)))
        return cls(common, loadings, 1e-14 * size * size * largest)

    @property
    def terms(self) -> Floats:
        """The part of each pair term that is no rest."""
        return self.common[:, None] + self.common + self.loadings @ self.loadings.T
