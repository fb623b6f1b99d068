"""What sets pay in column generation: for features, for pairs and for clique cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Ints

__all__ = ["CliqueCuts", "DualPrices", "pair_sums", "sum_over_pairs"]


@dataclass(frozen=True)
class CliqueCuts:
    """What a set pays once if it has enough features of a group.

    Attributes
    ----------
    members : bool array
        One row for each group, one column for each feature.
    least : int array
        How many features are enough.
    prices : float array
    """

    members: Bools
    least: Ints
    prices: Floats

    def reached(self, places: Ints) -> Bools:
        """Whether each set, a row of the places of its features, has enough of each group."""
        inside = np.zeros((len(places), self.members.shape[1]), dtype=np.float32)
        np.put_along_axis(inside, places.astype(np.intp), 1.0, axis=1)
        reached: Bools = inside @ self.members.T.astype(np.float32) >= self.least
        return reached


@dataclass(frozen=True)
class DualPrices:
    """What a set pays for each of its features and, where there are any, for pairs (a matrix) and clique cuts.

    Only features that some set may have are priced, in the order of
    :attr:`altsets.search.subset.pricing.PricingOracle.features`.
    """

    features: Floats
    pairs: Floats | None = None
    clique_cuts: CliqueCuts | None = None

    def paid_by(self, places: Ints) -> Floats:
        """What each set pays, a row of the places of its features."""
        total: Floats = np.sum(self.features[places], axis=1)
        if self.pairs is not None:
            total += pair_sums(self.pairs, places)
        if self.clique_cuts is not None:
            total += self.clique_cuts.reached(places) @ self.clique_cuts.prices
        return total


def sum_over_pairs(pairs: Floats) -> float:
    """The sum over all pairs of a symmetric matrix."""
    return math.fsum(pairs[np.triu_indices(len(pairs), 1)].tolist())


def pair_sums(pairs: Floats, rows: npt.NDArray[np.integer[Any]], factor: float = 1.0) -> Floats:
    """The sum over all pairs in each row, of numbers times a factor."""
    total = np.zeros(len(rows))
    for i, j in combinations(range(rows.shape[1]), 2):
        total += factor * pairs[rows[:, i], rows[:, j]]
    return total
