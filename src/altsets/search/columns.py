"""A bound on the sum of compatible sets by column generation, with prices that say which sets can matter.

The linear programme has one variable for each feature set: how often is it taken? So many sets are taken in all, and no
more share features than may. Only sets that have been found worth it are in the programme; whether another one is,
is a search for the best set after prices. With prices on features (and pairs of features) p, and z the best value of any
set after prices, A sets are worth at most A z plus what the rows allow at their prices. That holds for any prices
p >= 0, so the bound needs no exact solution of the programme.

Rows, for A sets of which any two share at most m features; d counts how often a feature or a pair is used:

* m = 0: no feature is used twice; m = 1: no pair of features is.
* Any m: the pairs of sets share at most m A (A - 1) / 2 features in all, so d (d - 1) / 2 summed over the features is at most
  that. The parabola lies above its chords between whole numbers t and t + 1, which are linear in d.
* m >= 2: the same for pairs of features, of which two sets share at most m (m - 1) / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets, Prices
from altsets.search.run import Run
from altsets.search.solver import LinearProgramme

__all__ = ["Certificate", "Columns", "Penalties"]

Floats = npt.NDArray[np.float64]

#: New columns in each round, at most.
COLUMNS_PER_ROUND = 30
#: Steps of the search for columns while there still are better ones.
MAX_NODES = 3_000
#: What a missing set costs, in units of what a set can be worth.
PENALTY = 100.0
#: A row is violated by more than this, in units of the row.
VIOLATION = 1e-6


@dataclass(frozen=True)
class Penalties:
    """By how much a solution falls short of the bound because rows are not used up.

    Attributes
    ----------
    of_feature, of_pair : int arrays
        Which row of the table is about a feature, or about a pair of features; -1 if none is.
    table : float array
        What it costs if 0, 1, 2, ... sets have that feature or pair.
    unshared : float array
        What it costs if two sets share 0, 1, 2, ... features.
    """

    of_feature: npt.NDArray[np.intc]
    of_pair: npt.NDArray[np.intc] | None
    table: Floats
    unshared: Floats


@dataclass(frozen=True)
class Certificate:
    """Prices, the best value of any set after prices, and the bound on the sum that follows."""

    prices: Prices | None
    best: float
    bound: float
    penalties: Penalties | None = None


@dataclass(frozen=True)
class _Cut:
    """A row over all sets: what each feature and each pair of a set count."""

    row: int
    limit: float
    features: Floats | None
    pairs: Floats | None


class Columns:
    """The linear programme over sets, and the best certificate so far.

    Parameters
    ----------
    good : GoodSets
        Where columns come from.
    n_sets : int
    max_overlap : int
        How many features any two sets may share at most, less than any set has.
    run : Run
    """

    def __init__(self, good: GoodSets, n_sets: int, max_overlap: int, run: Run) -> None:
        self.good, self.n_sets, self.max_overlap, self.run = good, n_sets, max_overlap, run
        self.n = good.problem.n_features_in
        self.sets: list[FeatureSet] = []
        self._known: set[FeatureSet] = set()
        self._programme = LinearProgramme()
        self._programme.add_row({}, lower=n_sets, upper=n_sets)
        self._limits = [float(n_sets)]
        self._row_of: dict[tuple[int, ...], int] = {}
        self._cuts: list[_Cut] = []
        self.certificate = Certificate(None, math.inf, math.inf)
        # Stands in for sets that are missing, at a price that is never worth it: before the first solution is known the
        # programme needs something to be feasible with.
        self._programme.add_column(-PENALTY * max(good.reach, 1e-9), {0: 1.0})

    def add(self, sets: Sequence[FeatureSet]) -> int:
        """Put sets into the programme; returns how many are new."""
        count = 0
        for chosen in sets:
            if chosen in self._known:
                continue
            self._known.add(chosen)
            self.sets.append(chosen)
            count += 1
            terms = {0: 1.0}
            for key in self._keys(chosen):
                if key in self._row_of:
                    terms[self._row_of[key]] = 1.0
            for cut in self._cuts:
                terms[cut.row] = _count(cut, chosen)
            self._programme.add_column(self.good.quality.evaluate(chosen), terms)
        return count

    def tighten(self, target: float, max_rounds: int) -> bool:
        """Generate columns and rows until the bound is good or nothing more helps; false if that came too early.

        ``target`` is the value of a solution: a bound that reaches it needs no better one.
        """
        tolerance = 1e-9 * max(1.0, abs(target)) if math.isfinite(target) else 1e-9
        for _ in range(max_rounds):
            solved = self._programme.maximise()
            if solved is None or self.run.tick():
                return False
            values, duals = solved[0][1:], solved[1]
            if self._separate(values):
                continue
            limit = float(duals[0])
            prices = self._prices(duals)
            found = self.good.best(
                COLUMNS_PER_ROUND, prices=prices, cut=limit + self.good.tolerance, max_nodes=MAX_NODES
            )
            if found.bound > -math.inf and not found.sets:
                # Too few steps to find a better column: this time to the end.
                found = self.good.best(1, prices=prices, cut=limit + self.good.tolerance)
            best = max([limit + 2 * self.good.tolerance, found.bound, *found.values[:1]])
            self._note(prices, best, duals)
            if not self.add(found.sets):
                return found.bound == -math.inf
            if self.certificate.bound <= target + tolerance:
                return True
        return False

    def _note(self, prices: Prices, best: float, duals: Floats) -> None:
        paid = math.fsum(
            limit * max(float(dual), 0.0) for limit, dual in zip(self._limits[1:], duals[1:], strict=True)
        )
        bound = self.n_sets * best + paid
        if bound < self.certificate.bound:
            self.certificate = Certificate(prices, best, bound, self._penalties(duals))

    def _penalties(self, duals: Floats) -> Penalties:
        """The slack of each row at its price, taken apart: see the head of this module."""
        levels = np.arange(self.n_sets + 1, dtype=np.float64)
        tables: dict[tuple[int, ...], Floats] = {}
        m, k_max = self.max_overlap, self.good.problem.k_max
        unshared = np.zeros(k_max + 1)
        shared = np.arange(k_max + 1, dtype=np.float64)
        for key, row in self._row_of.items():
            if duals[row] > 0:
                tables[key] = np.where(levels == 0, float(duals[row]), 0.0)
        for cut in self._cuts:
            price = float(duals[cut.row])
            if price <= 0:
                continue
            if cut.features is not None:
                steps = {(int(j),): cut.features[j] for j in self.good.features}
                unshared += price * (m - shared)
            else:
                assert cut.pairs is not None
                steps = {(int(i), int(j)): cut.pairs[i, j] for i, j in np.argwhere(np.triu(cut.pairs))}
                unshared += price * (m * (m - 1) - shared * (shared - 1)) / 2
            for key, step in steps.items():
                missed = price * (levels * (levels - 1) / 2 - step * levels + step * (step + 1) / 2)
                tables[key] = tables.get(key, 0.0) + missed
        return self._numbered(tables, np.maximum(unshared, 0.0))

    def _numbered(self, tables: dict[tuple[int, ...], Floats], unshared: Floats) -> Penalties:
        of_feature = np.full(self.n, -1, dtype=np.intc)
        of_pair = None
        if any(len(key) == 2 for key in tables):
            of_pair = np.full((self.n, self.n), -1, dtype=np.intc)
        for number, key in enumerate(tables):
            if len(key) == 1:
                of_feature[key[0]] = number
            elif of_pair is not None:
                of_pair[key] = of_pair[key[::-1]] = number
        empty = np.zeros((0, self.n_sets + 1))
        return Penalties(of_feature, of_pair, np.array(list(tables.values())) if tables else empty, unshared)

    def _prices(self, duals: Floats) -> Prices:
        """What sets pay by these duals; solver noise below zero is not charged."""
        features = np.zeros(self.n)
        pairs: Floats | None = None
        charged = np.maximum(duals, 0.0)
        needs_pairs = self.max_overlap == 1 and any(charged[row] > 0 for row in self._row_of.values())
        if needs_pairs or any(cut.pairs is not None and charged[cut.row] > 0 for cut in self._cuts):
            pairs = np.zeros((self.n, self.n))
        for key, row in self._row_of.items():
            if charged[row] > 0:
                if len(key) == 1:
                    features[key[0]] += charged[row]
                elif pairs is not None:
                    pairs[key] += charged[row]
                    pairs[key[::-1]] += charged[row]
        for cut in self._cuts:
            if charged[cut.row] > 0:
                if cut.features is not None:
                    features += charged[cut.row] * cut.features
                if cut.pairs is not None and pairs is not None:
                    pairs += charged[cut.row] * cut.pairs
        return Prices(features, pairs)

    # --- Rows -----------------------------------------------------------------------------------------

    def _keys(self, chosen: FeatureSet) -> list[tuple[int, ...]]:
        """What may be used once at most: features, or pairs of them."""
        if self.max_overlap > 1:
            return []
        return list(combinations(chosen, self.max_overlap + 1))

    def _separate(self, values: Floats) -> bool:
        """Add rows that the current solution violates; says whether there were any."""
        used = [number for number in np.flatnonzero(values > 1e-9).tolist()]
        violated = False
        if self.max_overlap <= 1:
            usage: dict[tuple[int, ...], float] = {}
            for number in used:
                for key in self._keys(self.sets[number]):
                    usage[key] = usage.get(key, 0.0) + float(values[number])
            for key, amount in usage.items():
                if amount > 1 + VIOLATION and key not in self._row_of:
                    self._add_once(key)
                    violated = True
        if self.max_overlap >= 1:
            violated |= self._cut_features(used, values)
        if self.max_overlap >= 2 and not violated:
            violated |= self._cut_pairs(used, values)
        return violated

    def _add_once(self, key: tuple[int, ...]) -> None:
        """A feature, or a pair, is used once at most."""
        self._row_of[key] = len(self._limits)
        self._limits.append(1.0)
        inside = set(key)
        terms = {number: 1.0 for number, chosen in enumerate(self.sets, 1) if inside <= set(chosen)}
        self._programme.add_row(terms, upper=1.0)

    def _cut_features(self, used: Sequence[int], values: Floats) -> bool:
        usage = np.zeros(self.n)
        for number in used:
            usage[list(self.sets[number])] += values[number]
        steps = np.floor(usage + 1e-9)
        shared = self.max_overlap * self.n_sets * (self.n_sets - 1) / 2
        limit = shared + float(np.sum(steps * (steps + 1))) / 2
        if float(steps @ usage) <= limit + VIOLATION * max(1.0, limit):
            return False
        self._add_cut(_Cut(len(self._limits), limit, steps, None))
        return True

    def _cut_pairs(self, used: Sequence[int], values: Floats) -> bool:
        usage: dict[tuple[int, int], float] = {}
        for number in used:
            for pair in combinations(self.sets[number], 2):
                usage[pair] = usage.get(pair, 0.0) + float(values[number])
        steps = {pair: math.floor(amount + 1e-9) for pair, amount in usage.items() if amount >= 1 - 1e-9}
        m = self.max_overlap
        shared = m * (m - 1) / 2 * self.n_sets * (self.n_sets - 1) / 2
        limit = shared + sum(step * (step + 1) for step in steps.values()) / 2
        total = math.fsum(step * usage[pair] for pair, step in steps.items())
        if total <= limit + VIOLATION * max(1.0, limit):
            return False
        matrix = np.zeros((self.n, self.n))
        for (i, j), step in steps.items():
            matrix[i, j] = matrix[j, i] = step
        self._add_cut(_Cut(len(self._limits), limit, None, matrix))
        return True

    def _add_cut(self, cut: _Cut) -> None:
        self._cuts.append(cut)
        self._limits.append(cut.limit)
        terms = {number: _count(cut, chosen) for number, chosen in enumerate(self.sets, 1)}
        self._programme.add_row({number: value for number, value in terms.items() if value}, upper=cut.limit)


def _count(cut: _Cut, chosen: FeatureSet) -> float:
    members = list(chosen)
    total = 0.0 if cut.features is None else float(cut.features[members].sum())
    if cut.pairs is not None:
        total += float(cut.pairs[np.ix_(members, members)].sum()) / 2
    return total
