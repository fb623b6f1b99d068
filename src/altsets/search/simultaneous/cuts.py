"""Cuts: what compatible sets cannot do together, as rows of a linear programme whose columns are sets.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* **Packing cuts**, m = 0: no feature is used twice; m = 1: no pair of features is.
* **Secant cuts**, any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over
  the features is at most that, the *sharing row*. Each of these parabolas has a variable of its own, which lies above
  its secants between whole numbers t and t + 1; these are linear in d. For m >= 2 the same holds for pairs of features,
  of which two sets share at most m (m - 1) / 2.
* **Clique cuts**, any m: of a group of 2 l - m - 1 features, at most one set has l or more, because two such sets share
  at least m + 1 of them. Packing cuts are those with l = m + 1.

What sets pay for them is the business of ``duals``, what unused rows cost that of ``slack``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from altsets.arrays import Bools, Floats, Ints
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.simultaneous.columns import Element, SetColumns
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.subset.prices import CliqueLevels
from altsets.search.subset.pricing import PricingOracle

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0


class CliqueCut(NamedTuple):
    """At most one set has so many features (``least``) of a group of places."""

    group: tuple[int, ...]
    least: int


class CutPool:
    """The cuts of one linear programme, which has one row before; every dictionary of cuts holds their rows."""

    def __init__(
        self,
        programme: LinearProgramme,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        *,
        pair_cuts: bool,
        levels: CliqueLevels | None = None,
        joint: JointConditions | None = None,
    ) -> None:
        self._programme, self.joint = programme, joint
        self.columns = SetColumns(pricing, levels)
        self.n_sets, self.max_overlap, self.pair_cuts = n_sets, max_overlap, pair_cuts
        self.n_features, self.place, self.levels = len(pricing.features), pricing.place, levels
        self.k_min, self.k_max = pricing.problem.k_min, pricing.problem.k_max
        self.penalty = 0.0 if joint is None else joint.penalty
        # In units of what a set can be worth, as sets are.
        self._sharing_cost = self.penalty / pricing.magnitude
        self.packing: dict[Element, int] = {}
        #: How often a feature may be used, by its place, where that is limited; and the rows for it.
        self.most_used = {} if joint is None else joint.by_place(joint.usage.upper, pricing.place)
        self.usage: dict[int, int] = {}
        #: Rows and limits of what all pairs of sets share, in features (1) and in pairs of features (2); the columns
        #: that say how much of it is due to an element; the rows of secant cuts, for each element by their step.
        self.sharing: dict[int, tuple[int, float]] = {}
        self.due: dict[Element, int] = {}
        self.secants: dict[Element, dict[int, int]] = {}
        self.cliques: dict[CliqueCut, int] = {}
        # The groups of clique cuts as rows of booleans, and how many features of one are too many.
        self._groups: Bools = np.zeros((0, self.n_features + 1), dtype=bool)
        self._least: Ints = np.zeros(0, dtype=np.intc)
        # All secants once more: row, step and places, the last one again where the element is one feature.
        self._secant_rows: list[tuple[int, int, int, int]] = []
        self._secant_table = np.zeros((0, 4), dtype=np.intp)

    def add_set(self, chosen: FeatureSet, cost: float) -> None:
        """A new column, with its coefficient in each row."""
        number = self.columns.add(chosen)
        places, taken = self.columns.places[number], self.columns.taken[number]
        terms = {0: 1.0}
        terms |= {self.packing[key]: 1.0 for key in self.packing_keys(places) if key in self.packing}
        if self.usage:
            terms |= {self.usage[place]: 1.0 for place in places if place in self.usage}
        if self.cliques:
            reached = (self._groups & taken).sum(axis=1) >= self._least
            rows = np.fromiter(self.cliques.values(), dtype=np.intp, count=len(self.cliques))
            terms |= dict.fromkeys(rows[reached].tolist(), 1.0)
        if self._secant_rows:
            if len(self._secant_table) < len(self._secant_rows):
                self._secant_table = np.array(self._secant_rows, dtype=np.intp)
            row, step, first, second = self._secant_table.T
            counts = taken[first] & taken[second]
            terms |= dict(zip(row[counts].tolist(), step[counts].astype(np.float64).tolist(), strict=True))
        self.columns.columns.append(self._programme.add_column(cost, terms))

    def can_be_priced(self, element: Element) -> bool:
        """Whether searches for sets can charge for an element."""
        return self.levels is None or self.levels.can_be_priced(element)

    def packing_keys(self, places: Element) -> Iterable[Element]:
        """What may be used once at most: features, or pairs of them; nothing if sets may share more than that."""
        if self.max_overlap > int(self.pair_cuts):
            return ()
        keys = combinations(places, self.max_overlap + 1)
        return keys if self.levels is None else filter(self.can_be_priced, keys)

    def most_shared(self, size: int) -> float:
        """How many features, or pairs of features, all pairs of sets share at most."""
        return math.comb(self.max_overlap, size) * self.n_sets * (self.n_sets - 1) / 2

    def add_packing_cut(self, key: Element) -> None:
        """At most one set has all of these features."""
        self.packing[key] = self._add(self.columns.holders(key), 1.0)

    def add_usage_cut(self, place: int) -> None:
        """No more sets have a feature than may have it."""
        self.usage[place] = self._add(self.columns.holders((place,)), float(self.most_used[place]))

    def add_clique_cut(self, cut: CliqueCut) -> None:
        """At most one set has enough of a group."""
        row = np.zeros((1, self.n_features + 1), dtype=bool)
        row[0, list(cut.group)] = True
        counts = (self.columns.taken & row).sum(axis=1)
        self.cliques[cut] = self._add((counts >= cut.least).astype(np.float64), 1.0)
        self._groups = np.concatenate([self._groups, row])
        self._least = np.append(self._least, np.intc(cut.least))

    def add_secant(self, element: Element, step: int) -> bool:
        """The sharing due to an element lies above the secant of this step; returns whether it is new."""
        size = len(element)
        if size not in self.sharing:
            limit = self.most_shared(size)
            self.sharing[size] = self._programme.add_row({}, upper=limit), limit
        if element not in self.due:
            cost = self._sharing_cost if size == 1 else 0.0
            self.due[element] = self._programme.add_column(-cost, {self.sharing[size][0]: 1.0})
        secants = self.secants.setdefault(element, {})
        if step in secants:
            return False
        terms = self.columns.terms(step * self.columns.holders(element)) | {self.due[element]: -1.0}
        secants[step] = self._programme.add_row(terms, upper=step * (step + 1) / 2)
        self._secant_rows.append((secants[step], step, element[0], element[-1]))
        return True

    def adopt(self, other: CutPool, duals: Floats) -> None:
        """Add the cuts of another programme that had a price there."""
        duals = other.padded(duals)
        for key, row in other.packing.items():
            if duals[row] > 0:
                self.add_packing_cut(key)
        for place, row in other.usage.items():
            if duals[row] > 0:
                self.add_usage_cut(place)
        for cut, row in other.cliques.items():
            if duals[row] > 0:
                self.add_clique_cut(cut)
        for element, secants in other.secants.items():
            for step, row in secants.items():
                # There a feature may be used more often than here.
                if duals[row] > 0 and step <= self.n_sets:
                    self.add_secant(element, step)

    def padded(self, duals: Floats) -> Floats:
        """Earlier prices of rows; those that have been added since cost nothing."""
        return np.pad(duals, (0, self._programme.n_rows - len(duals)))

    def _add(self, counts: Floats, limit: float) -> int:
        return self._programme.add_row(self.columns.terms(counts), upper=limit)
