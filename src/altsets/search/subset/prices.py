"""What sets pay in column generation: for features, for pairs and for clique cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices, Ints


@dataclass(frozen=True)
class CliqueCuts:
    """Prices that a set pays once if it has enough (``least``) features of a group: one row per group."""

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
    """Prices of features, of pairs (a matrix) and of clique cuts, in the order of ``PricingOracle.features``."""

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


def pair_sums(pairs: Any, rows: npt.NDArray[np.integer[Any]], factor: float = 1.0) -> Floats:
    """The sum over all pairs in each row, of numbers times a factor."""
    total = np.zeros(len(rows))
    for i, j in combinations(range(rows.shape[1]), 2):
        total += factor * pairs[rows[:, i], rows[:, j]]
    return total


class CliqueLevels:
    """Cliques of similar features, best scores first, and sets by the levels on which their features stand."""

    def __init__(self, alike: Bools, scores: Floats) -> None:
        self._clique_of = np.full(len(alike), -1, dtype=np.intp)
        order = np.argsort(-scores, kind="stable").tolist()
        every: list[list[int]] = []
        for start in order:
            if self._clique_of[start] < 0:
                clique, common = [start], alike[start] & (self._clique_of < 0)
                for place in order:
                    if common[place] and place != start:
                        clique.append(place)
                        common &= alike[place]
                self._clique_of[clique] = len(every)
                every.append(clique)
        #: All cliques of two and more, members by place.
        self.cliques = [clique for clique in every if len(clique) > 1]
        self._members = np.array([place for clique in every for place in clique], dtype=np.intp)
        self._first = np.cumsum([0, *(len(clique) for clique in every)])
        self._alone = np.array([len(clique) for clique in every])[self._clique_of] == 1

    def of(self, rows: Ints | Indices) -> Indices:
        """The levels of each set, a row of the places of its features; ascending."""
        if not rows.shape[1]:
            return rows.astype(np.intp)
        cliques = np.sort(self._clique_of[rows], axis=1)
        column = np.arange(rows.shape[1])
        starts = np.zeros(rows.shape, dtype=np.intp)
        starts[:, 1:] = np.where(cliques[:, 1:] != cliques[:, :-1], column[1:], 0)
        rank = column - np.maximum.accumulate(starts, axis=1)
        return np.sort(self._members[self._first[cliques] + rank], axis=1)

    def can_be_priced(self, places: Sequence[int]) -> bool:
        """Whether sets can be charged for these levels: all of one clique, or each of a feature like no other."""
        shared = {int(self._clique_of[place]) for place in places if not self._alone[place]}
        return not shared or (len(shared) == 1 and not self._alone[list(places)].any())

    def prices(self, of_levels: DualPrices) -> DualPrices:
        """Prices of levels as prices of features: for cliques, a set pays once it has so many features of one."""
        features, pairs = of_levels.features.copy(), of_levels.pairs
        pairs = None if pairs is None else pairs.copy()
        members, least, prices = [], [], []
        for clique in self.cliques:
            charged = features[clique].copy()
            features[clique] = 0.0
            if pairs is not None:
                # Both levels are reached with the higher one.
                block = pairs[np.ix_(clique, clique)]
                charged += np.triu(block, 1).sum(axis=0)
                pairs[np.ix_(clique, clique)] = 0.0
            for level in np.flatnonzero(charged > 0).tolist():
                row = np.zeros(len(features), dtype=bool)
                row[clique] = True
                members.append(row)
                least.append(level + 1)
                prices.append(float(charged[level]))
        cuts = None
        if members:
            cuts = CliqueCuts(np.array(members), np.array(least, dtype=np.intc), np.array(prices))
        if pairs is not None and not pairs.any():
            pairs = None
        return DualPrices(features, pairs, cuts)
