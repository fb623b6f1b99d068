"""Cuts: what compatible sets cannot do together, as rows of a linear programme whose columns are sets.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* **Packing cuts**, m = 0: no feature is used twice; m = 1: no pair of features is.
* **Secant cuts**, any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over
  the features is at most that, the *sharing row*. Each of these parabolas has a variable of its own, which lies above
  its secants between whole numbers t and t + 1; these are linear in d. For m >= 2 the same holds for pairs of features,
  of which two sets share at most m (m - 1) / 2.

What they are worth is computed in ``dual_pricing``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.subset.prices import CliqueLevels
from altsets.search.subset.pricing import PricingOracle

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0

#: A solution of the programme takes a column if its value is above this; below is the solver's tolerance.
USED = 1e-9

#: A packing cut is violated by more than this, by what an element is used too often. The solver's tolerance is smaller.
TOO_OFTEN = 1e-6
#: The sharing row is, by more than this part of its limit: tiny violations would cost a round each.
TOO_MUCH_SHARED = 1e-4

#: A feature by its place, or two of them, the smaller one first.
Element = tuple[int, ...]


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
    packing : dict
        The rows of packing cuts.
    sharing : dict
        Rows and limits of what all pairs of sets share, in features (1) and in pairs of features (2).
    due : dict
        The columns that say how much of that is due to an element.
    secants : dict
        The rows of secant cuts, for each element by their step.
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
        self.sharing: dict[int, tuple[int, float]] = {}
        self.due: dict[Element, int] = {}
        self.secants: dict[Element, dict[int, int]] = {}
        # All secants once more: row, step and places, the last one again where the element is one feature.
        self._secant_rows: list[tuple[int, int, int, int]] = []
        self._secant_table = np.zeros((0, 4), dtype=np.intp)

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

    def adopt(self, other: CutPool, duals: Floats) -> None:
        """Add the cuts of another programme that had a price there."""
        duals = other.padded(duals)
        for key, row in other.packing.items():
            if duals[row] > 0:
                self.add_packing_cut(key)
        for element, secants in other.secants.items():
            for step, row in secants.items():
                # There a feature may be used more often than here.
                if duals[row] > 0 and step <= self.n_sets:
                    self.add_secant(element, step)

    def padded(self, duals: Floats) -> Floats:
        """Earlier prices of rows; those that have been added since cost nothing."""
        return np.pad(duals, (0, self.n_rows - len(duals)))

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


# --- Separation: the cuts that a solution of the linear programme violates --------------------------------------------


def separate(pool: CutPool, values: Floats) -> bool:
    """Add packing and secant cuts that a solution of the programme violates; says whether there were any."""
    of_sets = values[pool.columns]
    used = np.flatnonzero(of_sets > USED)
    usage: dict[Element, float] = {}
    for number in used.tolist():
        for key in pool.packing_keys(pool.places[number]):
            usage[key] = usage.get(key, 0.0) + float(of_sets[number])
    too_often = [key for key, amount in usage.items() if amount > 1 + TOO_OFTEN and key not in pool.packing]
    for key in too_often:
        pool.add_packing_cut(key)
    violated = bool(too_often)
    for size in (1, 2):
        if pool.max_overlap >= size and size <= 1 + pool.pair_cuts:
            # Pairs come second: most of what they rule out, features do, too.
            violated = violated or _separate_secants(pool, size, of_sets, used, values)
    return violated


def _separate_secants(pool: CutPool, size: int, of_sets: Floats, used: Indices, values: Floats) -> bool:
    """Add secants if elements of this size are shared too much; all those that tell how much is due to them."""
    elements, usage = _element_usage(pool, size, of_sets, used)
    steps = np.floor(usage + USED)
    due = steps * usage - steps * (steps + 1) / 2
    limit = pool.most_shared(size)
    if float(np.sum(due)) <= limit + TOO_MUCH_SHARED * max(1.0, limit):
        return False
    added = False
    for number in np.flatnonzero(due > TOO_OFTEN).tolist():
        element = tuple(elements[number].tolist())
        column = pool.due.get(element)
        if due[number] > TOO_OFTEN + (
            0.0 if column is None else float(values[column])
        ) and pool.can_be_priced(element):
            added = pool.add_secant(element, int(steps[number])) or added
    return added


def _element_usage(pool: CutPool, size: int, of_sets: Floats, used: Indices) -> tuple[Indices, Floats]:
    """Features, or pairs of them, that are used by some of the sets, and how often."""
    table, n = pool.table[used], pool.n_features
    chosen = np.array(list(combinations(range(table.shape[1]), size)), dtype=np.intp)
    elements = table[:, chosen].reshape(-1, size)
    weights = np.repeat(of_sets[used], len(chosen))
    real = elements[:, -1] < n
    numbers = elements[real] @ (n ** np.arange(size)[::-1])
    numbers, which = np.unique(numbers, return_inverse=True)
    usage = np.bincount(which, weights[real], len(numbers)).astype(np.float64)
    return np.stack(np.unravel_index(numbers, (n,) * size), axis=1), usage
