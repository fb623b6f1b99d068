"""Cuts: what compatible sets cannot do together, as rows of a linear programme whose columns are sets.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* **Packing cuts**, m = 0: no feature is used twice; m = 1: no pair of features is.
* **Secant cuts**, any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over
  the features is at most that, the *sharing row*. Each of these parabolas has a variable of its own, which lies above
  its secants between whole numbers t and t + 1; these are linear in d. For m >= 2 the same holds for pairs of features,
  of which two sets share at most m (m - 1) / 2.
* **Clique cuts**: of m + 1 + 2 j features, any two sets that have m + 1 + j share too many. All these sets exclude each
  other, so at most one of them is taken.
* **Usage limits**: how often a feature is used may be limited from outside, from below and from above (branching).

Which cuts a solution violates is found in ``separation``, what they are worth in ``dual_pricing``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.subset.levels import CliqueLevels
from altsets.search.subset.pricing import PricingOracle

__all__ = ["PENALTY", "USED", "CliqueCut", "CutPool", "Element"]

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0

#: A solution of the programme takes a column if its value is above this; below is the solver's tolerance.
USED = 1e-9

#: A feature by its place, or two of them, the smaller one first.
Element = tuple[int, ...]
#: Features by their places, and how many of them only one set can have.
CliqueCut = tuple[Element, int]


class CutPool:
    """The cuts of one linear programme, and the sets that are its columns.

    Parameters
    ----------
    programme : LinearProgramme
        Where the rows are added, and whose further columns are the sets.
    pricing : PricingOracle
    n_sets, max_overlap : int
    pair_cuts : bool
        Whether cuts may be about pairs of features.
    n_rows, n_columns : int
        Rows and columns that the programme has already, and that are none of ours.
    levels : CliqueLevels, optional
        Where features that are alike count as the same: everything is then about levels instead of features.

    Attributes
    ----------
    sets : list of FeatureSet
    places : list of tuples
        The same sets by the places of their features, which is how everything here is counted.
    table : int array
        Once more as an array, with room for sets to come; where sets are smaller, with a place that counts nothing.
    columns : list of int
        The column of each set.
    packing, cliques : dict
        The rows of packing cuts and of clique cuts.
    sharing : dict
        Rows and limits of what all pairs of sets share, in features (1) and in pairs of features (2).
    due : dict
        The columns that say how much of that is due to an element.
    secants : dict
        The rows of secant cuts, for each element by their step.
    usage_rows, usage_ranges : dict
        Features whose usage is limited from outside: their rows, and how often they are used at least and at most.
    """

    def __init__(
        self,
        programme: LinearProgramme,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        *,
        pair_cuts: bool,
        n_rows: int,
        n_columns: int,
        levels: CliqueLevels | None = None,
    ) -> None:
        self._programme, self._pricing, self.levels = programme, pricing, levels
        self.n_sets, self.max_overlap, self.pair_cuts = n_sets, max_overlap, pair_cuts
        self.n_rows, self._n_columns = n_rows, n_columns
        self.n_features, self.k_min, self.k_max = (
            len(pricing.features),
            pricing.problem.k_min,
            pricing.problem.k_max,
        )
        self.sets: list[FeatureSet] = []
        self.places: list[Element] = []
        self._table = np.full((64, self.k_max), self.n_features, dtype=np.intp)
        # The same sets as rows of truth values; the last place, which counts nothing, is in all of them.
        self._taken: Bools = np.zeros((64, self.n_features + 1), dtype=bool)
        self._taken[:, -1] = True
        self.columns: list[int] = []
        self.packing: dict[Element, int] = {}
        self.cliques: dict[CliqueCut, int] = {}
        self._clique_members: Bools = np.zeros((0, self.n_features), dtype=bool)
        self._clique_least: Ints = np.zeros(0, dtype=np.intc)
        self.sharing: dict[int, tuple[int, float]] = {}
        self.due: dict[Element, int] = {}
        self.secants: dict[Element, dict[int, int]] = {}
        # All secants once more: row, step and places, the last one again where the element is one feature.
        self._secant_rows: list[tuple[int, int, int, int]] = []
        self._secant_table = np.zeros((0, 4), dtype=np.intp)
        self.usage_rows: dict[int, int] = {}
        self.usage_ranges: dict[int, tuple[int, int]] = {}

    @property
    def table(self) -> Indices:
        """One row of places for each set."""
        return self._table[: len(self.sets)]

    # --- Columns ----------------------------------------------------------------------------------------------------

    def terms(self, chosen: FeatureSet) -> dict[int, float]:
        """What a set counts in each row; to be asked once for each column that is added."""
        places = tuple(self._places_of(chosen).tolist())
        if len(self.sets) == len(self._table):
            self._table = np.concatenate([self._table, np.full_like(self._table, self.n_features)])
            self._taken = np.concatenate([self._taken, np.zeros_like(self._taken)])
            self._taken[:, -1] = True
        number = len(self.sets)
        self._table[number, : len(places)] = places
        self._taken[number, places] = True
        self.sets.append(chosen)
        self.places.append(places)
        self.columns.append(self._n_columns)
        self._n_columns += 1
        terms = {self.packing[key]: 1.0 for key in self.packing_keys(places) if key in self.packing}
        terms |= {self.usage_rows[place]: 1.0 for place in places if place in self.usage_rows}
        if self.cliques:
            members, least = self.clique_table
            reached = np.count_nonzero(members[:, places], axis=1) >= least
            rows = list(self.cliques.values())
            terms |= {rows[number]: 1.0 for number in np.flatnonzero(reached).tolist()}
        return terms | self._secant_terms(self._taken[number])

    def _places_of(self, chosen: FeatureSet) -> Indices:
        places = self._pricing.place[list(chosen)].astype(np.intp)
        return places if self.levels is None else self.levels.of(places[None, :])[0]

    def can_be_priced(self, element: Element) -> bool:
        """Whether searches for sets can charge for an element."""
        return self.levels is None or self.levels.can_be_priced(element)

    def _secant_terms(self, taken: Bools) -> dict[int, float]:
        if not self._secant_rows:
            return {}
        if len(self._secant_table) < len(self._secant_rows):
            self._secant_table = np.array(self._secant_rows, dtype=np.intp)
        row, step, first, second = self._secant_table.T
        counts = taken[first] & taken[second]
        return dict(zip(row[counts].tolist(), step[counts].astype(np.float64).tolist(), strict=True))

    def packing_keys(self, places: Element) -> Iterable[Element]:
        """What may be used once at most: features, or pairs of them; nothing if sets may share more than that."""
        if self.max_overlap > int(self.pair_cuts):
            return ()
        keys = combinations(places, self.max_overlap + 1)
        return keys if self.levels is None else filter(self.can_be_priced, keys)

    def most_taken(self, values: Floats, most: int) -> list[FeatureSet]:
        """The sets that a solution of the programme takes most of."""
        values = values[self.columns]
        order = np.argsort(-values, kind="stable")[:most]
        return [self.sets[number] for number in order.tolist() if values[number] > USED]

    def n_taken(self, values: Floats) -> float:
        """How many sets a solution of the programme takes."""
        return math.fsum(values[self.columns].tolist())

    # --- Rows -------------------------------------------------------------------------------------------------------

    def add_packing_cut(self, key: Element) -> None:
        """At most one set has all of these features."""
        self.packing[key] = self._add(self._by_column(self._holders(key)), 1.0)

    def add_clique_cut(self, cut: CliqueCut) -> None:
        """At most one set has so many of these features."""
        members, least = cut
        counts = np.isin(self.table, members).sum(axis=1)
        self.cliques[cut] = self._add(self._by_column((counts >= least).astype(np.float64)), 1.0)

    def add_secant(self, element: Element, step: int) -> bool:
        """The sharing due to an element lies above the secant of this step; says whether that is news."""
        size = len(element)
        if size not in self.sharing:
            limit = self.most_shared(size)
            self.sharing[size] = self._add({}, limit), limit
        if element not in self.due:
            self._programme.add_column(0.0, {self.sharing[size][0]: 1.0})
            self.due[element] = self._n_columns
            self._n_columns += 1
        secants = self.secants.setdefault(element, {})
        if step in secants:
            return False
        terms = self._by_column(step * self._holders(element))
        secants[step] = self._add(terms | {self.due[element]: -1.0}, step * (step + 1) / 2)
        self._secant_rows.append((secants[step], step, element[0], element[-1]))
        return True

    def most_shared(self, size: int) -> float:
        """How many features, or pairs of features, all pairs of sets share at most."""
        return math.comb(self.max_overlap, size) * self.n_sets * (self.n_sets - 1) / 2

    def limit_usage(self, ranges: dict[int, tuple[int, int]]) -> None:
        """Let features, by place, be used so often at least and at most; all others as often as they like."""
        for place in ranges:
            if place not in self.usage_rows:
                row = self._add(self._by_column(self._holders((place,))), self.n_sets)
                # Stands in for uses that are missing, until there are columns for them.
                self._programme.add_column(-PENALTY, {row: 1.0})
                self._n_columns += 1
                self.usage_rows[place] = row
        self.usage_ranges = {place: ranges.get(place, (0, self.n_sets)) for place in self.usage_rows}
        for place, (least, most) in self.usage_ranges.items():
            self._programme.limit_row(self.usage_rows[place], least, most)

    def adopt(self, other: CutPool, duals: Floats) -> None:
        """Add the cuts of another programme that had a price there."""
        duals = other.padded(duals)
        for key, row in other.packing.items():
            if duals[row] > 0:
                self.add_packing_cut(key)
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
        return np.pad(duals, (0, self.n_rows - len(duals)))

    @property
    def clique_table(self) -> tuple[Bools, Ints]:
        """All clique cuts: which features each one has, and how many of them only one set can have."""
        if len(self._clique_members) < len(self.cliques):
            new = list(self.cliques)[len(self._clique_members) :]
            members = np.zeros((len(new), self.n_features), dtype=bool)
            for number, (places, _) in enumerate(new):
                members[number, list(places)] = True
            least = np.array([least for _, least in new], dtype=np.intc)
            self._clique_members = np.concatenate([self._clique_members, members])
            self._clique_least = np.concatenate([self._clique_least, least])
        return self._clique_members, self._clique_least

    def _holders(self, element: Element) -> Floats:
        """One for each set that has the element."""
        holders: Floats = np.all(self._taken[: len(self.sets), element], axis=1).astype(np.float64)
        return holders

    def _by_column(self, counts: Floats) -> dict[int, float]:
        used = np.flatnonzero(counts)
        columns = np.array(self.columns, dtype=np.intp)[used]
        return dict(zip(columns.tolist(), counts[used].tolist(), strict=True))

    def _add(self, terms: dict[int, float], limit: float) -> int:
        self._programme.add_row(terms, upper=limit)
        self.n_rows += 1
        return self.n_rows - 1
