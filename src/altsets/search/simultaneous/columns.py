"""The sets that are columns of a linear programme, in the forms in which rows and cuts count them."""

from __future__ import annotations

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.problem import FeatureSet
from altsets.search.subset.prices import CliqueLevels
from altsets.search.subset.pricing import PricingOracle

#: A feature by its place in ``PricingOracle.features``, or two of them, the smaller one first.
Element = tuple[int, ...]

#: A solution of the programme takes a column if its value is above this; below is the solver's tolerance.
USED = 1e-9


class SetColumns:
    """Sets by the places of their features; with ``levels``, if similar features count as the same, by levels."""

    def __init__(self, pricing: PricingOracle, levels: CliqueLevels | None = None) -> None:
        self.levels, self.n_features, self.place = levels, len(pricing.features), pricing.place
        #: The sets, the places of each, and the column of each in the programme.
        self.sets: list[FeatureSet] = []
        self.places: list[Element] = []
        self.columns: list[int] = []
        # The places as an array, with room for sets to come; where sets are smaller, with a place that counts nothing.
        self._table = np.full((64, pricing.problem.k_max), self.n_features, dtype=np.intp)
        # The same sets as rows of booleans; the last place, which counts nothing, is in all of them.
        self._taken: Bools = np.zeros((64, self.n_features + 1), dtype=bool)
        self._taken[:, -1] = True

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, chosen: FeatureSet) -> int:
        """One more set, and its number; its column is added by whoever knows its rows."""
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
        return number

    def _places_of(self, chosen: FeatureSet) -> Indices:
        places = self.place[list(chosen)].astype(np.intp)
        return places if self.levels is None else self.levels.of(places[None, :])[0]

    def table(self, numbers: Indices) -> Indices:
        """Some of the sets, one row of places for each."""
        return self._table[numbers]

    @property
    def taken(self) -> Bools:
        """All sets as rows of booleans by place; one more place is in all of them."""
        return self._taken[: len(self.sets)]

    def values(self, solution: Floats) -> Floats:
        """How often a solution of the programme takes each set."""
        return solution[self.columns]

    def most_taken(self, solution: Floats, most: int) -> list[FeatureSet]:
        """The sets that a solution of the programme takes most of."""
        values = self.values(solution)
        order = np.argsort(-values, kind="stable")[:most]
        return [self.sets[number] for number in order.tolist() if values[number] > USED]

    def holders(self, element: Element) -> Floats:
        """One for each set that has the element."""
        holders: Floats = np.all(self.taken[:, element], axis=1).astype(np.float64)
        return holders

    def terms(self, counts: Floats) -> dict[int, float]:
        """What a row counts for each set, by column."""
        used = np.flatnonzero(counts)
        columns = np.array(self.columns, dtype=np.intp)[used]
        return dict(zip(columns.tolist(), counts[used].tolist(), strict=True))
