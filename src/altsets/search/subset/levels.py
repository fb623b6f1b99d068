"""Levels of cliques: what sets share for certain where some features are all alike.

Features that are all alike form a clique. Of two sets that have a and b features of it, min(a, b) match each other. So
let the features that a set has of a clique stand on its levels, the first one on level 1, the second one on level 2,
whichever they are: what two sets match is at least what they share in levels. That is a problem of shared features
again, with levels for features, and every bound on it holds for matched sets.

A level is known by the place of a feature: that of the first member of the clique stands for level 1, and so on. A
feature that is like no other is a clique of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.search.subset.prices import CliqueCuts, DualPrices

__all__ = ["CliqueLevels"]


class CliqueLevels:
    """The cliques among some features, and sets by the levels on which their features stand.

    Parameters
    ----------
    alike : bool array of shape (n, n)
        Which features are alike, by place.
    scores : float array of shape (n,)
        The better ones are put into cliques first, as they matter most.
    """

    def __init__(self, alike: Bools, scores: Floats) -> None:
        #: All cliques of two and more, members by place.
        self.cliques: list[list[int]] = []
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
