"""What compatible sets cannot do together, as rows of a linear programme over sets; and what unused rows cost.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* m = 0: no feature is used twice; m = 1: no pair of features is.
* Any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over the features is
  at most that. Each of these parabolas has a variable of its own, which lies above their secants between whole numbers
  t and t + 1; these are linear in d.
* m >= 2: the same for pairs of features, of which two sets share at most m (m - 1) / 2.
* Of a core, m + 1 + 2 j features, any two sets that have m + 1 + j share too many. So at most one set has.
* How often a feature is used may also be limited from outside, from below and from above.

Rows are added when a solution of the programme violates them. A set pays the price of each row that it counts for,
which makes prices for features and for pairs of features. Where a row is not used up, a solution falls short of the
bound by the row's price, and that falls apart into a part for each feature (or pair) and a part for each pair of sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from altsets._kernels import clique_cuts as kernel
from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.problem import FeatureSet
from altsets.search.milp.highs import LinearProgramme
from altsets.search.subset.pricing import CliqueCuts, DualPrices, PricingOracle

__all__ = ["PENALTY", "CutPool", "SlackCosts"]


#: A feature or a pair is used too often by more than this, more is shared by more than this part of what may be.
TOO_OFTEN, TOO_FAR = 1e-6, 1e-4

#: More than one set has enough of a core by more than this; new ones in each round, and sets around which each kind is
#: looked for.
CROWDED, CLIQUE_CUTS_PER_ROUND, N_STARTS = 0.02, 20, 10

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0

#: More than any solution can afford.
IMPOSSIBLE = 1e200


@dataclass(frozen=True)
class SlackCosts:
    """By how much a solution falls short of the bound because rows are not used up.

    Attributes
    ----------
    of_feature, of_pair : int arrays
        Which row of the table is about a feature, or about a pair of features; -1 if none is. As in
        :class:`altsets.search.subset.pricing.DualPrices`, by the place of a feature.
    table : float array
        What it costs if 0, 1, 2, ... sets have that feature or pair, or enough of a core.
    unshared : float array
        What it costs if two sets share 0, 1, 2, ... features.
    clique_cuts : CliqueCuts, optional
        The last rows of the table are about these, from ``first_clique_cut`` on.
    """

    of_feature: Ints
    of_pair: Ints | None
    table: Floats
    unshared: Floats
    clique_cuts: CliqueCuts | None = None
    first_clique_cut: int = 0


#: A feature by its place, or two of them, the smaller one first.
Element = tuple[int, ...]
#: Features by their places, and how many of them only one set can have.
CliqueCut = tuple[Element, int]


class CutPool:
    """The rows of one linear programme, whose columns are sets.

    Parameters
    ----------
    programme : LinearProgramme
        Where the rows are added, and whose further columns are the sets.
    pricing : PricingOracle
    n_sets, max_overlap : int
    with_pairs : bool
        Whether rows may be about pairs of features.
    n_rows, n_columns : int
        Rows and columns that the programme has already, and that are none of ours.
    """

    def __init__(
        self,
        programme: LinearProgramme,
        pricing: PricingOracle,
        n_sets: int,
        max_overlap: int,
        *,
        with_pairs: bool,
        n_rows: int,
        n_columns: int,
    ) -> None:
        self._programme, self._pricing = programme, pricing
        self.n_sets, self.max_overlap, self._with_pairs = n_sets, max_overlap, with_pairs
        self._n_rows, self._n_columns = n_rows, n_columns
        self._n = len(pricing.features)
        self.sets: list[FeatureSet] = []
        # The same sets by the places of their features, which is how everything here is counted; and their columns.
        self._places: list[tuple[int, ...]] = []
        # Once more as an array, with room for sets to come; where sets are smaller, with a place that counts nothing.
        self._table = np.full((64, pricing.problem.k_max), self._n, dtype=np.intp)
        self._column: list[int] = []
        self._once: dict[Element, int] = {}  # the rows of what may be used once at most
        self._clique_cuts: dict[CliqueCut, int] = {}
        self._clique_members = np.zeros((0, self._n), dtype=bool)
        self._clique_least = np.zeros(0, dtype=np.intc)
        # What all pairs of sets share at most, in features and in pairs of features: rows and limits. How much of that
        # is due to an element: columns, and rows of secants by their step.
        self._shared: dict[int, tuple[int, float]] = {}
        self._due: dict[Element, int] = {}
        self._secants: dict[Element, dict[int, int]] = {}
        # All secants once more: row, step and places, the last one again where the element is one feature.
        self._secant_rows: list[tuple[int, int, int, int]] = []
        self._secant_table = np.zeros((0, 4), dtype=np.intp)
        # How far the parabola lies above each secant: by step, and by how often an element is used. A programme may
        # take up to twice as many sets as a solution has (see ``threshold_master``).
        levels = np.arange(n_sets + 1)
        steps = np.arange(2 * n_sets + 1)[:, None]
        self._above_secant = (levels * (levels - 1) - 2 * steps * levels + steps * (steps + 1)) / 2
        # What is charged for secants, by the duals that were asked about last.
        self._charges: tuple[Floats, list[tuple[Element, float, dict[int, float]]]] | None = None
        # Features whose usage is limited from outside: their rows and limits.
        self._usage_rows: dict[int, int] = {}
        self._ranges: dict[int, tuple[int, int]] = {}

    def terms(self, chosen: FeatureSet) -> dict[int, float]:
        """What a set counts in each row; to be asked once for each column that is added."""
        places = tuple(self._pricing.place[list(chosen)].tolist())
        if len(self.sets) == len(self._table):
            self._table = np.concatenate([self._table, np.full_like(self._table, self._n)])
        self._table[len(self.sets), : len(places)] = places
        self.sets.append(chosen)
        self._places.append(places)
        self._column.append(self._n_columns)
        self._n_columns += 1
        terms = {self._once[key]: 1.0 for key in self._keys(places) if key in self._once}
        terms |= {self._usage_rows[place]: 1.0 for place in places if place in self._usage_rows}
        if self._clique_cuts:
            members, least = self._clique_table
            reached = np.count_nonzero(members[:, places], axis=1) >= least
            rows = list(self._clique_cuts.values())
            terms |= {rows[number]: 1.0 for number in np.flatnonzero(reached).tolist()}
        if self._secant_rows:
            if len(self._secant_table) < len(self._secant_rows):
                self._secant_table = np.array(self._secant_rows, dtype=np.intp)
            taken = np.zeros(self._n + 1, dtype=bool)
            taken[[*places, self._n]] = True
            row, step, first, second = self._secant_table.T
            counts = taken[first] & taken[second]
            terms |= zip(row[counts].tolist(), step[counts].astype(np.float64).tolist(), strict=True)
        return terms

    def _keys(self, places: tuple[int, ...]) -> list[Element]:
        """What may be used once at most: features, or pairs of them."""
        if self.max_overlap > int(self._with_pairs):
            return []
        return list(combinations(places, self.max_overlap + 1))

    # --- Violated rows --------------------------------------------------------------------------------

    def separate(self, values: Floats) -> bool:
        """Add rows that a solution of the programme violates; says whether there were any."""
        of_sets = values[self._column]
        used = np.flatnonzero(of_sets > 1e-9)
        usage: dict[Element, float] = {}
        for number in used.tolist():
            for key in self._keys(self._places[number]):
                usage[key] = usage.get(key, 0.0) + float(of_sets[number])
        too_often = [key for key, amount in usage.items() if amount > 1 + TOO_OFTEN and key not in self._once]
        for key in too_often:
            self._use_once(key)
        violated = bool(too_often)
        sizes = [size for size in (1, 2) if self.max_overlap >= size and size <= 1 + self._with_pairs]
        for size in sizes:
            # Pairs come second: most of what they rule out, features do, too.
            violated = violated or self._share_less(size, of_sets, used, values)
        return violated

    def _share_less(self, size: int, of_sets: Floats, used: Indices, values: Floats) -> bool:
        """Add secants if elements of this size are shared too often; all those that tell how much is due to them."""
        elements, usage = self._usage(size, of_sets, used)
        steps = np.floor(usage + 1e-9)
        due = steps * usage - steps * (steps + 1) / 2
        limit = self._most_shared(size)
        if float(np.sum(due)) <= limit + TOO_FAR * max(1.0, limit):
            return False
        added = False
        for number in np.flatnonzero(due > TOO_OFTEN).tolist():
            element = tuple(elements[number].tolist())
            column = self._due.get(element)
            if due[number] > TOO_OFTEN + (0.0 if column is None else float(values[column])):
                added = self._add_secant(element, int(steps[number])) or added
        return added

    def separate_clique_cuts(self, values: Floats) -> bool:
        """Add clique cuts that several sets have in a solution of the programme; says whether there were any."""
        of_sets = values[self._column]
        used = np.flatnonzero(of_sets > 1e-9)
        table = self._table[used].astype(np.intc)
        found: dict[CliqueCut, float] = {}
        for least in range(self.max_overlap + 1, self._pricing.problem.k_max + 1):
            size = 2 * least - self.max_overlap - 1
            clique_cuts = kernel.heavy_cliques(table, of_sets[used], self._n, size, least, N_STARTS)
            found |= {(members, least): weight for members, weight in clique_cuts if weight > 1 + CROWDED}
        new = [
            clique_cut
            for clique_cut in sorted(found, key=lambda clique_cut: -found[clique_cut])
            if clique_cut not in self._clique_cuts
        ]
        for clique_cut in new[:CLIQUE_CUTS_PER_ROUND]:
            self._add_clique_cut(clique_cut)
        return bool(new)

    def _add_clique_cut(self, clique_cut: CliqueCut) -> None:
        members, least = clique_cut
        counts = np.isin(self._table[: len(self.sets)], members).sum(axis=1)
        self._clique_cuts[clique_cut] = self._add(self._by_column((counts >= least).astype(np.float64)), 1.0)

    def _usage(self, size: int, of_sets: Floats, used: Indices) -> tuple[Indices, Floats]:
        """Features, or pairs of them, that are used by some of the sets, and how often."""
        table = self._table[used]
        chosen = np.array(list(combinations(range(table.shape[1]), size)), dtype=np.intp)
        elements = table[:, chosen].reshape(-1, size)
        weights = np.repeat(of_sets[used], len(chosen))
        real = elements[:, -1] < self._n
        numbers = elements[real] @ (self._n ** np.arange(size)[::-1])
        numbers, which = np.unique(numbers, return_inverse=True)
        usage = np.bincount(which, weights[real], len(numbers)).astype(np.float64)
        return np.stack(np.unravel_index(numbers, (self._n,) * size), axis=1), usage

    def _most_shared(self, size: int) -> float:
        """How many features, or pairs of features, all pairs of sets share at most."""
        return math.comb(self.max_overlap, size) * self.n_sets * (self.n_sets - 1) / 2

    def _use_once(self, key: Element) -> None:
        self._once[key] = self._add(self._by_column(self._holders(key)), 1.0)

    def _add_secant(self, element: Element, step: int) -> bool:
        """Whether that is news."""
        size = len(element)
        if size not in self._shared:
            limit = self._most_shared(size)
            self._shared[size] = self._add({}, limit), limit
        if element not in self._due:
            self._programme.add_column(0.0, {self._shared[size][0]: 1.0})
            self._due[element] = self._n_columns
            self._n_columns += 1
        secants = self._secants.setdefault(element, {})
        if step in secants:
            return False
        terms = self._by_column(step * self._holders(element))
        secants[step] = self._add(terms | {self._due[element]: -1.0}, step * (step + 1) / 2)
        self._secant_rows.append((secants[step], step, element[0], element[-1]))
        return True

    def _holders(self, element: Element) -> Floats:
        """One for each set that has the element."""
        table = self._table[: len(self.sets)]
        holders: Floats = np.prod(
            [(table == place).any(axis=1) for place in element], axis=0, dtype=np.float64
        )
        return holders

    def _by_column(self, counts: Floats) -> dict[int, float]:
        used = np.flatnonzero(counts)
        return dict(
            zip(np.array(self._column, dtype=np.intp)[used].tolist(), counts[used].tolist(), strict=True)
        )

    def _add(self, terms: dict[int, float], limit: float) -> int:
        self._programme.add_row(terms, upper=limit)
        self._n_rows += 1
        return self._n_rows - 1

    def adopt(self, other: CutPool, duals: Floats) -> None:
        """Add the rows of another programme that had a price there."""
        duals = other.padded(duals)
        for key, row in other._once.items():
            if duals[row] > 0:
                self._use_once(key)
        for clique_cut, row in other._clique_cuts.items():
            if duals[row] > 0:
                self._add_clique_cut(clique_cut)
        for element, secants in other._secants.items():
            for step, row in secants.items():
                # There a feature may be used more often than here.
                if duals[row] > 0 and step <= self.n_sets:
                    self._add_secant(element, step)

    def padded(self, duals: Floats) -> Floats:
        """Earlier prices of rows; those that have been added since cost nothing."""
        return np.pad(duals, (0, self._n_rows - len(duals)))

    def used(self, values: Floats, most: int) -> list[FeatureSet]:
        """The sets that a solution of the programme takes most of."""
        values = values[self._column]
        order = np.argsort(-values, kind="stable")[:most]
        return [self.sets[number] for number in order.tolist() if values[number] > 1e-9]

    def n_taken(self, values: Floats) -> float:
        """How many sets a solution of the programme takes."""
        return math.fsum(values[self._column].tolist())

    # --- Limited usage --------------------------------------------------------------------------------

    def usage(self, values: Floats) -> Floats:
        """How often a solution of the programme uses each feature, by place."""
        of_sets = values[self._column]
        total = np.zeros(self._n)
        features, often = self._usage(1, of_sets, np.flatnonzero(of_sets > 1e-9))
        total[features[:, 0]] = often
        return total

    def limit_usage(self, ranges: dict[int, tuple[int, int]]) -> None:
        """Let features, by place, be used so often at least and at most; all others as often as they like."""
        for place in ranges:
            if place not in self._usage_rows:
                row = self._add(self._by_column(self._holders((place,))), self.n_sets)
                # Stands in for uses that are missing, until there are columns for them.
                self._programme.add_column(-PENALTY, {row: 1.0})
                self._n_columns += 1
                self._usage_rows[place] = row
        self._ranges = {place: ranges.get(place, (0, self.n_sets)) for place in self._usage_rows}
        for place, (least, most) in self._ranges.items():
            self._programme.limit_row(self._usage_rows[place], least, most)

    def _usage_prices(self, duals: Floats) -> dict[int, float]:
        """What using a feature costs, or is rewarded with if below zero, because its usage is limited."""
        prices = {}
        for place, (least, most) in self._ranges.items():
            # Where there is no limit, a price other than zero is solver noise.
            price = float(duals[self._usage_rows[place]])
            prices[place] = min(
                max(price, 0.0 if least == 0 else -math.inf), math.inf if most < self.n_sets else 0.0
            )
        return prices

    # --- Prices ---------------------------------------------------------------------------------------

    def _charged(self, duals: Floats) -> list[tuple[Element, float, dict[int, float]]]:
        """Elements, what sharing them costs in all, and how much of that by which secant; the rest is for none.

        Solver noise below zero is not charged, nor is more for secants than for sharing.
        """
        if self._charges is None or self._charges[0] is not duals:
            sharing = {size: max(float(duals[row]), 0.0) for size, (row, _) in self._shared.items()}
            charged = []
            for element, secants in self._secants.items():
                prices = {step: float(duals[row]) for step, row in secants.items() if duals[row] > 0}
                most, total = sharing[len(element)], math.fsum(prices.values())
                if total > most:
                    prices = {step: price * (most / total) for step, price in prices.items()}
                if prices:
                    charged.append((element, max(most - total, 0.0), prices))
            self._charges = duals, charged
        return self._charges[1]

    def paid(self, duals: Floats) -> float:
        """What all rows cost, used up; solver noise below zero is not charged."""
        limited = self._usage_prices(duals)
        return math.fsum(
            [
                *(max(float(duals[row]), 0.0) for row in (*self._once.values(), *self._clique_cuts.values())),
                *(limit * max(float(duals[row]), 0.0) for row, limit in self._shared.values()),
                *(
                    price * (step * (step + 1) / 2)
                    for _, _, prices in self._charged(duals)
                    for step, price in prices.items()
                ),
                *(price * self._ranges[place][price > 0] for place, price in limited.items()),
            ]
        )

    def prices(self, duals: Floats) -> DualPrices:
        """What sets pay for features and pairs by these duals."""
        features = np.zeros(self._n)
        pairs: Floats | None = None
        for place, price in self._usage_prices(duals).items():
            features[place] += price
        costs = [(key, max(float(duals[row]), 0.0)) for key, row in self._once.items()]
        for element, _, by_secant in self._charged(duals):
            costs.append((element, math.fsum(step * price for step, price in by_secant.items())))
        for element, price in costs:
            if len(element) == 1:
                features[element[0]] += price
            elif price > 0:
                pairs = np.zeros((self._n, self._n)) if pairs is None else pairs
                pairs[element] += price
                pairs[element[::-1]] += price
        return DualPrices(features, pairs, self._priced_clique_cuts(duals))

    def _priced_clique_cuts(self, duals: Floats) -> CliqueCuts | None:
        prices = duals[list(self._clique_cuts.values())] if self._clique_cuts else np.zeros(0)
        priced = np.flatnonzero(prices > 0)
        members, least = self._clique_table
        return CliqueCuts(members[priced], least[priced], prices[priced]) if len(priced) else None

    @property
    def _clique_table(self) -> tuple[Bools, Ints]:
        """All clique cuts: which features each one has, and how many of them are enough."""
        if len(self._clique_members) < len(self._clique_cuts):
            new = list(self._clique_cuts)[len(self._clique_members) :]
            members = np.zeros((len(new), self._n), dtype=bool)
            for number, (places, _) in enumerate(new):
                members[number, list(places)] = True
            least = np.array([least for _, least in new], dtype=np.intc)
            self._clique_members = np.concatenate([self._clique_members, members])
            self._clique_least = np.concatenate([self._clique_least, least])
        return self._clique_members, self._clique_least

    def slack_costs(self, duals: Floats) -> SlackCosts:
        """The slack of each row at its price, taken apart."""
        levels = np.arange(self.n_sets + 1, dtype=np.float64)
        tables: dict[Element, Floats] = {}
        for key, row in self._once.items():
            if duals[row] > 0:
                tables[key] = np.where(levels == 0, float(duals[row]), 0.0)
        sharing = max(float(duals[self._shared[1][0]]), 0.0) if 1 in self._shared else 0.0
        if sharing:
            # Pairs that have no secant are too many to be looked at, features are not.
            tables |= {(place,): sharing * self._above_secant[0] for place in range(self._n)}
        for element, rest, prices in self._charged(duals):
            table = rest * self._above_secant[0]
            for step, price in prices.items():
                table += price * self._above_secant[step]
            tables[element] = table
        for place, price in self._usage_prices(duals).items():
            least, most = self._ranges[place]
            if (least, most) != (0, self.n_sets):
                missed = price * ((most if price > 0 else least) - levels)
                outside = (levels < least) | (levels > most)
                tables[(place,)] = np.where(outside, IMPOSSIBLE, tables.get((place,), 0.0) + missed)
        shared = np.arange(self._pricing.problem.k_max + 1)
        unshared = np.zeros(len(shared))
        for size, (row, _) in self._shared.items():
            most = math.comb(self.max_overlap, size)
            unshared += max(float(duals[row]), 0.0) * (most - np.array([math.comb(m, size) for m in shared]))
        self._leave_none_over(tables)
        return self._numbered(tables, np.maximum(unshared, 0.0), self._priced_clique_cuts(duals))

    def _leave_none_over(self, tables: dict[tuple[int, ...], Floats]) -> None:
        """Where disjoint sets need every feature that there is, none may be left over."""
        if self.max_overlap or self._n > self.n_sets * self._pricing.problem.k_min:
            return
        for place in range(self._n):
            table = np.zeros(self.n_sets + 1)
            table[0] = IMPOSSIBLE
            tables[(place,)] = table

    def _numbered(
        self, tables: dict[tuple[int, ...], Floats], unshared: Floats, clique_cuts: CliqueCuts | None
    ) -> SlackCosts:
        of_feature = np.full(self._n, -1, dtype=np.intc)
        of_pair = None
        if any(len(key) == 2 for key in tables):
            of_pair = np.full((self._n, self._n), -1, dtype=np.intc)
        for number, key in enumerate(tables):
            if len(key) == 1:
                of_feature[key[0]] = number
            elif of_pair is not None:
                of_pair[key] = of_pair[key[::-1]] = number
        table = np.zeros(
            (len(tables) + (0 if clique_cuts is None else len(clique_cuts.prices)), self.n_sets + 1)
        )
        for number, costs in enumerate(tables.values()):
            table[number] = costs
        if clique_cuts is not None:
            table[len(tables) :, 0] = clique_cuts.prices
        return SlackCosts(of_feature, of_pair, table, unshared, clique_cuts, len(tables))
