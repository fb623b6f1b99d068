"""What compatible sets cannot do together, as rows of a linear programme over sets; and what unused rows cost.

For A sets of which any two share at most m features; d counts how often a feature, or a pair of features, is used:

* m = 0: no feature is used twice; m = 1: no pair of features is.
* Any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over the features is
  at most that. The parabola lies above its chords between whole numbers t and t + 1, which are linear in d.
* m >= 2: the same for pairs of features, of which two sets share at most m (m - 1) / 2.
* How often a feature is used may also be limited from outside, from below and from above.

Rows are added when a solution of the programme violates them. A set pays the price of each row that it counts for,
which makes prices for features and for pairs of features. Where a row is not used up, a solution falls short of the
bound by the row's price, and that falls apart into a part for each feature (or pair) and a part for each pair of sets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets, Prices
from altsets.search.solver import LinearProgramme

__all__ = ["PENALTY", "Penalties", "Rows"]

Floats = npt.NDArray[np.float64]

#: A feature or a pair is used too often by more than this, a chord is missed by more than this part of its limit.
TOO_OFTEN, TOO_FAR = 1e-6, 1e-4
#: Chords for features, and for the pairs of sets of 5 features; larger sets have more pairs, take longer for each chord
#: and get fewer. The last ones hardly lower the bound, so they are left for when nothing else helps.
MOST_CHORDS, MOST_PAIR_CHORDS = 300, 120

#: What stands in for sets or uses that are missing costs this, in units of what a set can be worth.
PENALTY = 100.0

#: More than any solution can afford.
IMPOSSIBLE = 1e200


@dataclass(frozen=True)
class Penalties:
    """By how much a solution falls short of the bound because rows are not used up.

    Attributes
    ----------
    of_feature, of_pair : int arrays
        Which row of the table is about a feature, or about a pair of features; -1 if none is. As in
        :class:`altsets.search.good_sets.Prices`, by the place of a feature.
    table : float array
        What it costs if 0, 1, 2, ... sets have that feature or pair.
    unshared : float array
        What it costs if two sets share 0, 1, 2, ... features.
    """

    of_feature: npt.NDArray[np.intc]
    of_pair: npt.NDArray[np.intc] | None
    table: Floats
    unshared: Floats


#: Two features by their places, the smaller one first.
Pair = tuple[int, int]


class Rows:
    """The rows of one linear programme, whose columns are sets.

    Parameters
    ----------
    programme : LinearProgramme
        Where the rows are added, and whose further columns are the sets.
    good : GoodSets
    n_sets, max_overlap : int
    with_pairs : bool
        Whether rows may be about pairs of features.
    n_rows, n_columns : int
        Rows and columns that the programme has already, and that are none of ours.
    """

    def __init__(
        self,
        programme: LinearProgramme,
        good: GoodSets,
        n_sets: int,
        max_overlap: int,
        *,
        with_pairs: bool,
        n_rows: int,
        n_columns: int,
    ) -> None:
        self._programme, self._good = programme, good
        self.n_sets, self.max_overlap, self._with_pairs = n_sets, max_overlap, with_pairs
        self._n_rows, self._n_columns = n_rows, n_columns
        self._n = len(good.features)
        self.patience = 1  # how many times as many chords as usual there may be
        self.sets: list[FeatureSet] = []
        # The same sets by the places of their features, which is how everything here is counted; and their columns.
        self._places: list[tuple[int, ...]] = []
        self._column: list[int] = []
        self._limits: dict[int, float] = {}
        self._row_of: dict[tuple[int, ...], int] = {}
        # Chords, by their row: what each feature counts, or each of a few pairs; and the rows that count a pair.
        self._feature_cuts: dict[int, Floats] = {}
        self._feature_steps = np.zeros((0, self._n))
        self._pair_cuts: dict[int, dict[Pair, int]] = {}
        self._rows_of_pair: dict[Pair, list[tuple[int, int]]] = {}
        # Features whose usage is limited from outside: their rows and limits.
        self._usage_rows: dict[int, int] = {}
        self._ranges: dict[int, tuple[int, int]] = {}

    def terms(self, chosen: FeatureSet) -> dict[int, float]:
        """What a set counts in each row; to be asked once for each column that is added."""
        places = tuple(self._good.place[list(chosen)].tolist())
        self.sets.append(chosen)
        self._places.append(places)
        self._column.append(self._n_columns)
        self._n_columns += 1
        terms = {self._row_of[key]: 1.0 for key in self._keys(places) if key in self._row_of}
        terms |= {self._usage_rows[place]: 1.0 for place in places if place in self._usage_rows}
        if self._feature_cuts:
            if len(self._feature_steps) < len(self._feature_cuts):
                self._feature_steps = np.array(list(self._feature_cuts.values()))
            counts = self._feature_steps[:, list(places)].sum(axis=1)
            terms.update(zip(self._feature_cuts, counts.tolist(), strict=True))
        if self._pair_cuts:
            for pair in combinations(places, 2):
                for row, step in self._rows_of_pair.get(pair, ()):
                    terms[row] = terms.get(row, 0.0) + step
        return {row: count for row, count in terms.items() if count}

    def _keys(self, places: tuple[int, ...]) -> list[tuple[int, ...]]:
        """What may be used once at most: features, or pairs of them."""
        if self.max_overlap > int(self._with_pairs):
            return []
        return list(combinations(places, self.max_overlap + 1))

    # --- Violated rows --------------------------------------------------------------------------------

    def separate(self, values: Floats) -> bool:
        """Add rows that a solution of the programme violates; says whether there were any."""
        values = values[self._column]
        used = np.flatnonzero(values > 1e-9).tolist()
        usage: dict[tuple[int, ...], float] = {}
        for number in used:
            for key in self._keys(self._places[number]):
                usage[key] = usage.get(key, 0.0) + float(values[number])
        violated = False
        for key, amount in usage.items():
            if amount > 1 + TOO_OFTEN and key not in self._row_of:
                self._row_of[key] = self._add(self._holders(key), 1.0)
                violated = True
        if self.max_overlap >= 1 and len(self._feature_cuts) < self.patience * MOST_CHORDS:
            violated |= self._cut_features(used, values)
        most = self.patience * MOST_PAIR_CHORDS * (5 / self._good.problem.k_max) ** 2
        if self.max_overlap >= 2 and self._with_pairs and not violated and len(self._pair_cuts) < most:
            violated |= self._cut_pairs(used, values)
        return violated

    def _holders(self, key: tuple[int, ...]) -> list[float]:
        inside = set(key)
        return [float(inside <= set(places)) for places in self._places]

    def _add(self, counts: Sequence[float], limit: float) -> int:
        row = self._n_rows + len(self._limits) + len(self._usage_rows)
        self._limits[row] = limit
        self._programme.add_row(self._by_column(counts), upper=limit)
        return row

    def _by_column(self, counts: Sequence[float]) -> dict[int, float]:
        return {column: count for column, count in zip(self._column, counts, strict=True) if count}

    def _cut_features(self, used: Sequence[int], values: Floats) -> bool:
        usage = np.zeros(self._n)
        for number in used:
            usage[list(self._places[number])] += values[number]
        steps = np.floor(usage + 1e-9)
        shared = self.max_overlap * self.n_sets * (self.n_sets - 1) / 2
        limit = shared + float(np.sum(steps * (steps + 1))) / 2
        if float(steps @ usage) <= limit + TOO_FAR * max(1.0, limit):
            return False
        counts = [float(steps[list(places)].sum()) for places in self._places]
        self._feature_cuts[self._add(counts, limit)] = steps
        return True

    def _cut_pairs(self, used: Sequence[int], values: Floats) -> bool:
        usage: dict[Pair, float] = {}
        for number in used:
            for pair in combinations(self._places[number], 2):
                usage[pair] = usage.get(pair, 0.0) + float(values[number])
        steps: dict[Pair, int] = {
            pair: math.floor(amount + 1e-9) for pair, amount in usage.items() if amount >= 1 - 1e-9
        }
        m = self.max_overlap
        shared = m * (m - 1) / 2 * self.n_sets * (self.n_sets - 1) / 2
        limit = shared + sum(step * (step + 1) for step in steps.values()) / 2
        total = math.fsum(step * usage[pair] for pair, step in steps.items())
        if total <= limit + TOO_FAR * max(1.0, limit):
            return False
        counts = [
            float(sum(steps.get(pair, 0) for pair in combinations(places, 2))) for places in self._places
        ]
        row = self._add(counts, limit)
        self._pair_cuts[row] = steps
        for pair, step in steps.items():
            self._rows_of_pair.setdefault(pair, []).append((row, step))
        return True

    def used(self, values: Floats, most: int) -> list[FeatureSet]:
        """The sets that a solution of the programme takes most of."""
        values = values[self._column]
        order = np.argsort(-values, kind="stable")[:most]
        return [self.sets[number] for number in order.tolist() if values[number] > 1e-9]

    # --- Limited usage --------------------------------------------------------------------------------

    def usage(self, values: Floats) -> Floats:
        """How often a solution of the programme uses each feature, by place."""
        total = np.zeros(self._n)
        values = values[self._column]
        for number in np.flatnonzero(values > 1e-9).tolist():
            total[list(self._places[number])] += values[number]
        return total

    def limit_usage(self, ranges: dict[int, tuple[int, int]]) -> None:
        """Let features, by place, be used so often at least and at most; all others as often as they like."""
        for place in ranges:
            if place not in self._usage_rows:
                row = self._n_rows + len(self._limits) + len(self._usage_rows)
                self._programme.add_row(
                    self._by_column(self._holders((place,))), lower=0.0, upper=self.n_sets
                )
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

    def paid(self, duals: Floats) -> float:
        """What all rows cost, used up; solver noise below zero is not charged."""
        limited = self._usage_prices(duals)
        return math.fsum(
            [
                *(limit * max(float(duals[row]), 0.0) for row, limit in self._limits.items()),
                *(price * self._ranges[place][price > 0] for place, price in limited.items()),
            ]
        )

    def prices(self, duals: Floats) -> Prices:
        """What sets pay for features and pairs by these duals."""
        features = np.zeros(self._n)
        pairs: Floats | None = None
        charged = np.maximum(duals, 0.0)
        if self._with_pairs and self.max_overlap >= 1:
            pairs = np.zeros((self._n, self._n))
        for key, row in self._row_of.items():
            if len(key) == 1:
                features[key[0]] += charged[row]
            elif pairs is not None:
                pairs[key] += charged[row]
                pairs[key[::-1]] += charged[row]
        for place, price in self._usage_prices(duals).items():
            features[place] += price
        for row, steps in self._feature_cuts.items():
            if charged[row]:
                features += charged[row] * steps
        for row, counted in self._pair_cuts.items():
            if charged[row] and pairs is not None:
                for pair, step in counted.items():
                    pairs[pair] += charged[row] * step
                    pairs[pair[::-1]] += charged[row] * step
        return Prices(features, pairs if pairs is not None and pairs.any() else None)

    def penalties(self, duals: Floats) -> Penalties:
        """The slack of each row at its price, taken apart."""
        levels = np.arange(self.n_sets + 1, dtype=np.float64)
        tables: dict[tuple[int, ...], Floats] = {}
        m, k_max = self.max_overlap, self._good.problem.k_max
        unshared = np.zeros(k_max + 1)
        shared = np.arange(k_max + 1, dtype=np.float64)
        for key, row in self._row_of.items():
            if duals[row] > 0:
                tables[key] = np.where(levels == 0, float(duals[row]), 0.0)
        features = np.zeros((self._n, len(levels)))
        for row, steps in self._feature_cuts.items():
            price = max(float(duals[row]), 0.0)
            unshared += price * (m - shared)
            features += price * _above_chord(steps[:, None], levels)
        tables |= {(place,): features[place] for place in np.flatnonzero(features.any(axis=1)).tolist()}
        for place, price in self._usage_prices(duals).items():
            least, most = self._ranges[place]
            if (least, most) != (0, self.n_sets):
                missed = price * ((most if price > 0 else least) - levels)
                outside = (levels < least) | (levels > most)
                tables[(place,)] = np.where(outside, IMPOSSIBLE, tables.get((place,), 0.0) + missed)
        for row, counted in self._pair_cuts.items():
            price = max(float(duals[row]), 0.0)
            unshared += price * (m * (m - 1) - shared * (shared - 1)) / 2
            for pair, step in counted.items() if price else ():
                tables[pair] = tables.get(pair, 0.0) + price * _above_chord(step, levels)
        self._leave_none_over(tables)
        return self._numbered(tables, np.maximum(unshared, 0.0))

    def _leave_none_over(self, tables: dict[tuple[int, ...], Floats]) -> None:
        """Where disjoint sets need every feature that there is, none may be left over."""
        if self.max_overlap or self._n > self.n_sets * self._good.problem.k_min:
            return
        for place in range(self._n):
            table = np.zeros(self.n_sets + 1)
            table[0] = IMPOSSIBLE
            tables[(place,)] = table

    def _numbered(self, tables: dict[tuple[int, ...], Floats], unshared: Floats) -> Penalties:
        of_feature = np.full(self._n, -1, dtype=np.intc)
        of_pair = None
        if any(len(key) == 2 for key in tables):
            of_pair = np.full((self._n, self._n), -1, dtype=np.intc)
        for number, key in enumerate(tables):
            if len(key) == 1:
                of_feature[key[0]] = number
            elif of_pair is not None:
                of_pair[key] = of_pair[key[::-1]] = number
        empty = np.zeros((0, self.n_sets + 1))
        return Penalties(of_feature, of_pair, np.array(list(tables.values())) if tables else empty, unshared)


def _above_chord(step: Any, levels: Floats) -> Floats:
    """How far levels (levels - 1) / 2 lies above its chord between step and step + 1."""
    above: Floats = levels * (levels - 1) / 2 - step * levels + step * (step + 1) / 2
    return above
