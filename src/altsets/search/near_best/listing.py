"""Near-best sets of any quality under any constraints: branch and bound lists them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.near_best.family import Family, NearBestLimits, Threshold
from altsets.search.run import Run
from altsets.search.subset.fixed_size import SearchConditions
from altsets.search.subset.limits import UNLIMITED
from altsets.search.subset.pricing import PricingOracle


@dataclass(frozen=True)
class SetList:
    """Sets as rows of features, one array for each size, their values in the same order, and whether these are all."""

    rows: list[Ints]
    values: Floats
    complete: bool

    def __len__(self) -> int:
        return len(self.values)

    def only(self, kept: Bools) -> SetList:
        """Some of the sets."""
        rows, start = [], 0
        for some in self.rows:
            rows.append(some[kept[start : start + len(some)]])
            start += len(some)
        return SetList(rows, self.values[kept], self.complete)

    def set_at(self, number: int) -> FeatureSet:
        """The set with this number."""
        for rows in self.rows:
            if number < len(rows):
                return tuple(rows[number].tolist())
            number -= len(rows)
        raise IndexError(number)


class SetLister:
    """Lists sets above a value, in engine units.

    Parameters
    ----------
    quality : Quality
        In engine units.
    problem : Problem
        For one set.
    run : Run
    limits : NearBestLimits

    Attributes
    ----------
    margin : float
        Rounding error of values.
    """

    def __init__(self, quality: Quality, problem: Problem, run: Run, limits: NearBestLimits) -> None:
        # With as many sets as features, no feature is left out as being like others.
        everything = replace(problem, n_alternatives=problem.n_features_in)
        self._oracle = PricingOracle(quality, everything, run)
        self._run, self._limits = run, limits
        self._most = min(limits.max_listed, limits.max_listed_features // max(problem.k_max, 1))
        self.margin = 4 * self._oracle.tolerance

    def above(self, value: float, max_nodes: int = UNLIMITED) -> SetList:
        """All sets above a value; if they are too many or there is no time, only the values of some."""
        rows, values, complete, most = [], [np.zeros(0)], True, self._most
        for sets in self._oracle.sizes:
            if not complete:
                break
            conditions = SearchConditions(self._run.tick, max_nodes=max_nodes)
            places, found, complete = sets.all_above(value, most, conditions, None, None, False)
            most -= len(found)
            values.append(found)
            if complete:
                rows.append(self._features(sets.encoding.base, sets.encoding.features, places))
        return SetList(rows, np.concatenate(values), complete)

    def _features(self, base: Indices, features: Indices, places: Ints) -> Ints:
        """Rows of features in order, with those that are in every set; a part at a time, to save memory."""
        rows = np.empty((len(places), len(base) + places.shape[1]), dtype=np.intc)
        step = self._limits.rows_at_a_time
        for start in range(0, len(places), step):
            part = slice(start, start + step)
            rows[part, : len(base)] = base
            rows[part, len(base) :] = features[places[part]]
            rows[part].sort(axis=1)
        return rows

    def best_part(self, best: float, value: float, sure: float) -> tuple[SetList, int]:
        """All sets above a value, or the best of them if they are too many; and how many were seen above ``sure``."""
        found = self.above(value, self._limits.trial_nodes)
        seen = int(np.count_nonzero(found.values >= sure))
        if found.complete:
            return found, seen
        found = SetList([], np.zeros(0), complete=False)
        for part in (*self._limits.parts, 1.0):
            wanted = value if part == 1.0 else best - part * (best - sure)
            more = self.above(wanted)
            seen = max(seen, int(np.count_nonzero(more.values >= sure)))
            if not more.complete:
                break
            found = replace(more, complete=part == 1.0)
        return found, seen


class ListedFamily(Family):
    """Sets that have been listed: all that count, or the best of them.

    Parameters
    ----------
    sets : SetList
        All of them count.
    bounds : tuple of int
        The number of all sets that count, at least and at most.
    threshold : Threshold
    n_features_in : int
    limits : NearBestLimits
    """

    def __init__(
        self,
        sets: SetList,
        bounds: tuple[int, int],
        threshold: Threshold,
        n_features_in: int,
        limits: NearBestLimits,
    ) -> None:
        self._sets, self.bounds, self._threshold = sets, bounds, threshold
        self._n_features_in, self._limits = n_features_in, limits
        self.n_known = None if sets.complete else len(sets)

    def shares(self) -> Floats:
        """How often each feature occurs in the sets that were listed."""
        n = self._n_features_in
        total = np.zeros(n, dtype=np.int64)
        for rows in self._sets.rows:
            for column in rows.T:
                total += np.bincount(column, minlength=n)
        return total / max(len(self._sets), 1)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs in them."""
        n, step = self._n_features_in, self._limits.rows_at_a_time
        # Over the features that occur: of all there may be many.
        used = np.flatnonzero(self.sometimes())
        place = np.zeros(n, dtype=np.intp)
        place[used] = np.arange(len(used))
        counts = np.zeros(len(used) ** 2, dtype=np.int64)
        for rows in self._sets.rows:
            for start in range(0, len(rows), step):
                columns = place[rows[start : start + step].T]
                for number, first in enumerate(columns):
                    for second in columns[number + 1 :]:
                        counts += np.bincount(first * len(used) + second, minlength=len(counts))
        square = counts.reshape(len(used), len(used))
        total = np.zeros((n, n))
        total[np.ix_(used, used)] = square + square.T
        total /= max(len(self._sets), 1)
        np.fill_diagonal(total, self.shares())
        return total

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Listed sets, drawn uniformly."""
        return [self._sets.set_at(number) for number in rng.integers(len(self._sets), size=n).tolist()]

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets that were listed, from the best down; equal ones in the order of their features."""
        order, ends = self._order
        start = 0
        while start < len(order):
            end = min(
                int(ends[np.searchsorted(ends, start, side="right")]), start + self._limits.max_in_order
            )
            some = [self._sets.set_at(int(number)) for number in order[start:end]]
            yield from sorted(some, key=lambda chosen: (-self._threshold.quality.evaluate(chosen), chosen))
            start = end

    @cached_property
    def _order(self) -> tuple[Indices, Indices]:
        """The sets in the order of their values, and where those end that are nearly equal to each other.

        Values are sums in another order than qualities are, so those are compared by quality.
        """
        order = np.argsort(-self._sets.values, kind="stable")
        falls = np.diff(self._sets.values[order]) < -self._threshold.margin
        return order, np.append(np.flatnonzero(falls) + 1, len(order))
