"""Cuts: what compatible sets cannot do together, as rows of a linear programme whose columns are sets.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* **Packing cuts**, m = 0: no feature is used twice; m = 1: no pair of features is.
* **Secant cuts**, any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over
  the features is at most that, the *sharing row*. Each of these parabolas has a variable of its own, which lies above
  its secants between whole numbers t and t + 1; these are linear in d. For m >= 2 the same holds for pairs of features,
  of which two sets share at most m (m - 1) / 2.
* **Clique cuts**, any m: of a group of 2 l - m - 1 features, at most one set has l or more, because two such sets share
  at least m + 1 of them. Packing cuts are those with l = m + 1.

What they cost is dual pricing: a set pays the price of each row that it counts for, which makes prices for features and
for pairs of features. Where a row is not used up, a solution falls short of the dual bound by the row's price times the
slack, and that falls apart into a part for each feature (or pair) and a part for each pair of sets, which the clique
search spends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.packing.coupling import Coupling
from altsets.search.subset.prices import CliqueCuts, CliqueLevels, DualPrices
from altsets.search.subset.pricing import PricingOracle

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0

#: A solution of the programme takes a column if its value is above this; below is the solver's tolerance.
USED = 1e-9

#: More than any solution can afford.
IMPOSSIBLE = 1e200


class CliqueCut(NamedTuple):
    """At most one set has so many features (``least``) of a group of places."""

    group: tuple[int, ...]
    least: int


#: A feature by its place, or two of them, the smaller one first.
Element = tuple[int, ...]


class CutPool:
    """The cuts of one linear programme, and the sets that are its columns.

    The programme has one row before, and ``n_columns``. With ``levels``, if similar features count as the same,
    everything is about levels instead of features.
    """

    def __init__(
        self,
        programme: LinearProgramme,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        *,
        pair_cuts: bool,
        n_columns: int,
        levels: CliqueLevels | None = None,
        coupling: Coupling | None = None,
    ) -> None:
        self.coupling = coupling
        #: How often a feature may be used, by its place, where that is limited; the rows that say so.
        self.most_used = {} if coupling is None else coupling.by_place(coupling.usage.upper, pricing.place)
        self.usage: dict[int, int] = {}
        self.penalty = 0.0 if coupling is None else coupling.penalty
        self._programme, self._pricing, self.levels = programme, pricing, levels
        self.n_sets, self.max_overlap, self.pair_cuts = n_sets, max_overlap, pair_cuts
        self.n_rows, self._n_columns = 1, n_columns
        self.n_features, self.place = len(pricing.features), pricing.place
        self.k_min, self.k_max = pricing.problem.k_min, pricing.problem.k_max
        # The sets; by the places of their features, which is how everything here is counted; the column of each.
        self.sets: list[FeatureSet] = []
        self.places: list[Element] = []
        self.columns: list[int] = []
        # The places as an array, with room for sets to come; where sets are smaller, with a place that counts nothing.
        self._table = np.full((64, self.k_max), self.n_features, dtype=np.intp)
        # The same sets as rows of booleans; the last place, which counts nothing, is in all of them.
        self._taken: Bools = np.zeros((64, self.n_features + 1), dtype=bool)
        self._taken[:, -1] = True
        # The rows of packing cuts.
        self.packing: dict[Element, int] = {}
        # Rows and limits of what all pairs of sets share, in features (1) and in pairs of features (2); the columns
        # that say how much of it is due to an element; the rows of secant cuts, for each element by their step.
        self.sharing: dict[int, tuple[int, float]] = {}
        self.due: dict[Element, int] = {}
        self.secants: dict[Element, dict[int, int]] = {}
        # The rows of clique cuts; their groups as rows of booleans and how many features of one are too many.
        self.cliques: dict[CliqueCut, int] = {}
        self._groups: Bools = np.zeros((0, self.n_features + 1), dtype=bool)
        self._least: Ints = np.zeros(0, dtype=np.intc)
        # All secants once more: row, step and places, the last one again where the element is one feature.
        self._secant_rows: list[tuple[int, int, int, int]] = []
        self._secant_table = np.zeros((0, 4), dtype=np.intp)

    @property
    def table(self) -> Indices:
        """One row of places for each set."""
        return self._table[: len(self.sets)]

    def terms(self, chosen: FeatureSet) -> dict[int, float]:
        """The coefficients of a set in each row; called once for each new column."""
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
        if self.usage:
            terms |= {self.usage[place]: 1.0 for place in places if place in self.usage}
        if self.cliques:
            reached = (self._groups & self._taken[number]).sum(axis=1) >= self._least
            rows = np.fromiter(self.cliques.values(), dtype=np.intp, count=len(self.cliques))
            terms |= dict.fromkeys(rows[reached].tolist(), 1.0)
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

    def add_packing_cut(self, key: Element) -> None:
        """At most one set has all of these features."""
        self.packing[key] = self._add(self._by_column(self._holders(key)), 1.0)

    def add_usage_cut(self, place: int) -> None:
        """No more sets have a feature than may have it."""
        self.usage[place] = self._add(self._by_column(self._holders((place,))), float(self.most_used[place]))

    def add_clique_cut(self, cut: CliqueCut) -> None:
        """At most one set has enough of a group."""
        row = np.zeros((1, self.n_features + 1), dtype=bool)
        row[0, list(cut.group)] = True
        counts = (self._taken[: len(self.sets)] & row).sum(axis=1)
        self.cliques[cut] = self._add(self._by_column((counts >= cut.least).astype(np.float64)), 1.0)
        self._groups = np.concatenate([self._groups, row])
        self._least = np.append(self._least, np.intc(cut.least))

    def taken(self, numbers: Indices) -> Bools:
        """The features of some of the sets, as rows of booleans by place."""
        return self._taken[numbers, : self.n_features]

    def add_secant(self, element: Element, step: int) -> bool:
        """The sharing due to an element lies above the secant of this step; returns whether it is new."""
        size = len(element)
        if size not in self.sharing:
            limit = self.most_shared(size)
            self.sharing[size] = self._add({}, limit), limit
        if element not in self.due:
            # In units of what a set can be worth, as sets are.
            cost = self.penalty / self._pricing.reach if size == 1 else 0.0
            self._programme.add_column(-cost, {self.sharing[size][0]: 1.0})
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


@dataclass(frozen=True)
class SlackCosts:
    """By how much a solution falls short of the bound because rows are not used up.

    ``of_feature`` and ``of_pair`` tell which row of the table is about a feature or pair by its places (-1: none), or
    by those of levels if there are any. A row of ``table`` holds what it costs if 0, 1, 2, ... sets have it;
    ``unshared`` what it costs if two sets share 0, 1, 2, ... features.
    """

    of_feature: Ints
    of_pair: Ints | None
    table: Floats
    unshared: Floats
    levels: CliqueLevels | None = None


class SecantCharge(NamedTuple):
    """What sharing an element costs: by which secants, and the rest of the price, for which there is none."""

    element: Element
    rest: float
    prices: dict[int, float]


class DualPricing:
    """The prices of all cuts by the duals of one solution, in units of quality. Noise below zero is not charged."""

    def __init__(self, pool: CutPool, duals: Floats) -> None:
        self._pool = pool
        self._duals = [max(dual, 0.0) for dual in duals.tolist()]

    @cached_property
    def _secant_charges(self) -> list[SecantCharge]:
        """The charges for secants; in total at most those for sharing."""
        charges = []
        for element, secants in self._pool.secants.items():
            prices = {step: self._duals[row] for step, row in secants.items() if self._duals[row] > 0}
            most, total = self._most_charged(len(element)), math.fsum(prices.values())
            if total > most:
                prices = {step: price * (most / total) for step, price in prices.items()}
            if prices:
                charges.append(SecantCharge(element, max(most - total, 0.0), prices))
        return charges

    def _most_charged(self, size: int) -> float:
        """What sharing an element of a size costs: the price of the sharing row, and the penalty."""
        price = self._duals[self._pool.sharing[size][0]] if size in self._pool.sharing else 0.0
        return price + self._pool.penalty if size == 1 else price

    @cached_property
    def paid(self) -> float:
        """What all rows cost, used up."""
        pool, duals = self._pool, self._duals
        return math.fsum(
            [
                *(duals[row] for row in pool.packing.values()),
                *(duals[row] for row in pool.cliques.values()),
                *(pool.most_used[place] * duals[row] for place, row in pool.usage.items()),
                *(limit * duals[row] for row, limit in pool.sharing.values()),
                *(
                    price * (step * (step + 1) / 2)
                    for charge in self._secant_charges
                    for step, price in charge.prices.items()
                ),
            ]
        )

    @cached_property
    def prices(self) -> DualPrices:
        """What sets pay for features and pairs."""
        n = self._pool.n_features
        features, pairs = np.zeros(n), None
        for element, price in self._element_prices():
            if len(element) == 1:
                features[element[0]] += price
            elif price > 0:
                pairs = np.zeros((n, n)) if pairs is None else pairs
                pairs[element] += price
                pairs[element[::-1]] += price
        if self._pool.levels is not None:
            return self._pool.levels.prices(DualPrices(features, pairs))
        return DualPrices(features, pairs, self._clique_prices())

    def _clique_prices(self) -> CliqueCuts | None:
        charged = {cut: self._duals[row] for cut, row in self._pool.cliques.items() if self._duals[row] > 0}
        if not charged:
            return None
        members = np.zeros((len(charged), self._pool.n_features), dtype=bool)
        for row, cut in zip(members, charged, strict=True):
            row[list(cut.group)] = True
        least = np.array([cut.least for cut in charged], dtype=np.intc)
        return CliqueCuts(members, least, np.array(list(charged.values())))

    def _element_prices(self) -> Iterable[tuple[Element, float]]:
        for key, row in self._pool.packing.items():
            yield key, self._duals[row]
        for place, row in self._pool.usage.items():
            yield (place,), self._duals[row]
        for charge in self._secant_charges:
            yield charge.element, math.fsum(step * price for step, price in charge.prices.items())

    @cached_property
    def slack_costs(self) -> SlackCosts:
        """The slack of each row at its price, taken apart."""
        tables = self._secant_slack()
        for key, row in self._pool.packing.items():
            if self._duals[row] > 0:
                tables[key] = np.where(self._levels == 0, self._duals[row], 0.0)
        for place, row in self._pool.usage.items():
            unused = np.maximum(self._pool.most_used[place] - self._levels, 0.0)
            tables[(place,)] = tables.get((place,), 0.0) + self._duals[row] * unused
        if self._pool.coupling is not None:
            limit_usage(tables, self._pool.coupling, self._pool.place, self._pool.n_sets)
        self._leave_none_over(tables)
        pool = self._pool
        return numbered(tables, pool.n_features, pool.n_sets, self._unshared(), pool.levels)

    @property
    def _levels(self) -> Floats:
        """How often an element may be used in a solution."""
        return np.arange(self._pool.n_sets + 1, dtype=np.float64)

    def _above_secant(self, step: int) -> Floats:
        """How far the parabola d (d - 1) / 2 lies above a secant, by how often an element is used."""
        levels = self._levels
        above: Floats = (levels * (levels - 1) - 2 * step * levels + step * (step + 1)) / 2
        return above

    def _secant_slack(self) -> dict[Element, Floats]:
        pool = self._pool
        tables: dict[Element, Floats] = {}
        sharing = self._most_charged(1)
        if sharing:
            # Pairs that have no secant are too many to be looked at, features are not.
            tables |= {(place,): sharing * self._above_secant(0) for place in range(pool.n_features)}
        for charge in self._secant_charges:
            table = charge.rest * self._above_secant(0)
            for step, price in charge.prices.items():
                table += price * self._above_secant(step)
            tables[charge.element] = table
        return tables

    def _leave_none_over(self, tables: dict[Element, Floats]) -> None:
        """Where disjoint sets need every feature that there is, none may be left over."""
        pool = self._pool
        if pool.max_overlap or pool.n_features > pool.n_sets * pool.k_min:
            return
        for place in range(pool.n_features):
            tables[(place,)] = np.where(self._levels == 0, IMPOSSIBLE, 0.0)

    def _unshared(self) -> Floats:
        """The penalty if two sets share fewer features, or pairs of them, than they may."""
        pool = self._pool
        shared = range(pool.k_max + 1)
        unshared = np.zeros(len(shared))
        for size, (row, _) in pool.sharing.items():
            most = math.comb(pool.max_overlap, size)
            unshared += self._duals[row] * (most - np.array([math.comb(m, size) for m in shared]))
        return np.maximum(unshared, 0.0)


def numbered(
    tables: dict[Element, Floats],
    n: int,
    n_sets: int,
    unshared: Floats,
    levels: CliqueLevels | None = None,
) -> SlackCosts:
    """Tables of elements as arrays, for n places."""
    of_feature = np.full(n, -1, dtype=np.intc)
    of_pair = np.full((n, n), -1, dtype=np.intc) if any(len(key) == 2 for key in tables) else None
    table = np.zeros((len(tables), n_sets + 1))
    for number, (key, costs) in enumerate(tables.items()):
        table[number] = costs
        if len(key) == 1:
            of_feature[key[0]] = number
        elif of_pair is not None:
            of_pair[key] = of_pair[key[::-1]] = number
    return SlackCosts(of_feature, of_pair, table, unshared, levels)


def limit_usage(tables: dict[Element, Floats], coupling: Coupling, place: Ints, n_sets: int) -> None:
    """Make it impossible to use features more or less often than joint conditions allow."""
    levels = np.arange(n_sets + 1)
    for where, most in coupling.by_place(coupling.usage.upper, place).items():
        table = tables.get((where,), np.zeros(n_sets + 1))
        tables[(where,)] = np.where(levels > most, IMPOSSIBLE, table)
    for where, least in coupling.by_place(coupling.usage.lower, place).items():
        table = tables.get((where,), np.zeros(n_sets + 1))
        tables[(where,)] = np.where(levels < least, IMPOSSIBLE, table)


def joint_costs(coupling: Coupling, pricing: PricingOracle, n_sets: int) -> SlackCosts:
    """What joint conditions on the use of features cost a solution, where there are no prices."""
    levels = np.arange(n_sets + 1, dtype=np.float64)
    tables: dict[Element, Floats] = {}
    if coupling.penalty:
        shared = coupling.penalty * levels * (levels - 1) / 2
        tables = {(where,): shared for where in range(len(pricing.features))}
    limit_usage(tables, coupling, pricing.place, n_sets)
    return numbered(tables, len(pricing.features), n_sets, np.zeros(pricing.problem.k_max + 1))
