"""Sums and counts of some rows of a table that can be merged with those of other rows.

Measures are computed from these at the end, so that all rows are never in memory together. What is merged in the same
order is the same to the last bit, whoever computed it.

**Moments.** The sums of squares and products are about the means of the rows that were added, and means are moved when
two of them are merged (Chan, Golub and LeVeque 1983). So no digits are lost on columns far from zero, and it does
not matter that rows are sorted.

**Counts.** Whole numbers of rows by pairs of codes; codes are cut from numbers by :class:`Cuts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from altsets._kernels import binning
from altsets.arrays import Bools, Floats, Ints
from altsets.measures.information.columns import bins_of_values

Counted = npt.NDArray[np.int64]

#: Cells in which numbers are looked up: many times the usual number of cut points, and few enough for a fast cache.
CELLS = 4096
#: Rows that are counted at a time.
ROWS_AT_A_TIME = 16_384


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a table: one array per column (nan = missing), and one number per row as the target.

    ``incomplete`` says which columns have missing values. The arrays may be those of the file; they are not changed.
    """

    columns: Sequence[Floats]
    incomplete: Bools
    target: Floats

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def pieces(self) -> Iterator[Part]:
        """The same rows, in chunks whose results fit into the cache of a processor."""
        for start in range(0, self.n_rows, ROWS_AT_A_TIME):
            rows = slice(start, start + ROWS_AT_A_TIME)
            yield Part([column[rows] for column in self.columns], self.incomplete, self.target[rows])

    def matrix(self, chosen: slice = slice(None)) -> Floats:
        """All columns, or some, as the rows of an array of its own."""
        return np.array(self.columns[chosen]).reshape(-1, self.n_rows)


#: Squares that overflow, or vanish, are found afterwards by the size of the numbers.
_QUIETLY = np.errstate(over="ignore", under="ignore", invalid="ignore")

# --- Moments ------------------------------------------------------------------------------------------


#: Divides some rows into columns, and others that these are compared with; one row of an array for each.
Split = Callable[[Part], tuple[Floats, Floats]]


class Moments:
    """Means, sums of squares and of products of columns (x) with others (y), over the rows where both are known.

    Arrays have one row per x and one column per y; where nothing is missing, an array that is the same for all has
    one row or one column only. ``lowest`` and ``highest`` are about all known values of x.
    """

    def __init__(self, split: Split | None = None) -> None:
        self._split = split
        self.n: Floats = np.zeros((1, 1))
        # Means are sums of an origin and what is left: far from zero, a mean has not digits enough for a difference.
        self.origin_x = self.origin_y = self.rest_x = self.rest_y = np.zeros((1, 1))
        self.xx = self.yy = self.xy = np.zeros((1, 1))
        self.lowest: Floats = np.full(1, np.inf)
        self.highest: Floats = np.full(1, -np.inf)

    def add(self, part: Part) -> None:
        assert self._split is not None
        for some in part.pieces():
            self.add_pairs(*self._split(some), bool(part.incomplete.any()))

    def add_pairs(self, x: Floats, y: Floats, incomplete: bool) -> None:
        """Count some rows; x and y have one row per column, and may be changed."""
        found = Moments()
        if incomplete:
            known = ~np.isnan(x)
            found.lowest = np.min(x, axis=1, initial=np.inf, where=known)
            found.highest = np.max(x, axis=1, initial=-np.inf, where=known)
            found._set_incomplete(x, y)
        else:
            found.lowest, found.highest = x.min(axis=1), x.max(axis=1)
            found._set_complete(x, y)
        self.merge(found)

    @_QUIETLY
    def _set_complete(self, x: Floats, y: Floats) -> None:
        n = x.shape[1]
        self.n = np.full((1, 1), float(n))
        self.origin_x, self.origin_y = x.mean(axis=1)[:, None], y.mean(axis=1)[None, :]
        x -= self.origin_x
        y -= self.origin_y.T
        self.rest_x, self.rest_y = x.mean(axis=1)[:, None], y.mean(axis=1)[None, :]
        self.xx = np.einsum("ij,ij->i", x, x)[:, None] - n * self.rest_x**2
        self.yy = np.einsum("ij,ij->i", y, y)[None, :] - n * self.rest_y**2
        self.xy = x @ y.T - n * self.rest_x * self.rest_y

    @_QUIETLY
    def _set_incomplete(self, x: Floats, y: Floats) -> None:
        (x, known_x, origin_x), (y, known_y, origin_y) = (_centred(one) for one in (x, y))
        self.n = known_x @ known_y.T
        rows = np.maximum(self.n, 1.0)
        self.origin_x, self.origin_y = origin_x, origin_y.T
        self.rest_x, self.rest_y = x @ known_y.T / rows, known_x @ y.T / rows
        self.xx = np.maximum(x**2 @ known_y.T - rows * self.rest_x**2, 0.0)
        self.yy = np.maximum(known_x @ (y**2).T - rows * self.rest_y**2, 0.0)
        self.xy = x @ y.T - rows * self.rest_x * self.rest_y

    @_QUIETLY
    def merge(self, other: Self | Moments) -> None:
        n = self.n + other.n
        share = other.n / np.maximum(n, 1.0)
        weight = self.n * share
        dx = (other.origin_x - self.origin_x) + other.rest_x - self.rest_x
        dy = (other.origin_y - self.origin_y) + other.rest_y - self.rest_y
        self.xx = self.xx + other.xx + weight * dx**2
        self.yy = self.yy + other.yy + weight * dy**2
        self.xy = self.xy + other.xy + weight * dx * dy
        if not self.n.any():
            self.origin_x, self.origin_y = other.origin_x, other.origin_y
            self.rest_x, self.rest_y = other.rest_x, other.rest_y
        else:
            self.rest_x, self.rest_y = self.rest_x + share * dx, self.rest_y + share * dy
        self.n = n
        self.lowest = np.minimum(self.lowest, other.lowest)
        self.highest = np.maximum(self.highest, other.highest)

    @property
    def mean_x(self) -> Floats:
        return self.origin_x + self.rest_x

    @property
    def mean_y(self) -> Floats:
        return self.origin_y + self.rest_y

    @property
    def varies(self) -> Bools:
        """Which columns x have more than one known value."""
        return np.asarray(self.lowest < self.highest)

    @property
    def correlations(self) -> Floats:
        """The absolute correlation of each pair; 0 where a column does not vary."""
        lengths = np.sqrt(self.xx) * np.sqrt(self.yy)
        known = lengths > 0
        return np.asarray(np.minimum(np.abs(self.xy) / np.where(known, lengths, np.inf), 1.0))


def _centred(columns: Floats) -> tuple[Floats, Floats, Floats]:
    """Columns (as rows) about the mean of what is known, 0 where missing; 1 where known; the means."""
    known = ~np.isnan(columns)
    means = np.sum(columns, axis=1, where=known) / np.maximum(known.sum(axis=1), 1)
    centred = np.where(known, columns - means[:, None], 0.0)
    return centred, known.astype(np.float64), means[:, None]


def with_target(part: Part) -> tuple[Floats, Floats]:
    return part.matrix(), part.target[None, :].copy()


def with_classes(n_classes: int, part: Part) -> tuple[Floats, Floats]:
    """With one column of 0 and 1 for each class."""
    return part.matrix(), _indicators(n_classes, part.target)


def target_with_labels(n_labels: int, part: Part) -> tuple[Floats, Floats]:
    """The target with the labels of the only column: groups of numbers."""
    return part.target[None, :].copy(), _indicators(n_labels, part.columns[0])


def others_with_first(n_first: int, part: Part) -> tuple[Floats, Floats]:
    return part.matrix(slice(n_first, None)), part.matrix(slice(n_first))


def _indicators(n_codes: int, codes: Floats) -> Floats:
    return np.asarray(np.arange(n_codes)[:, None] == codes, dtype=np.float64)


# --- Counts -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cuts:
    """How numbers become codes: the number of cut points that are not above them; missing is one more code.

    With ``levels``, the cut points are all values that there may be; others have no code.
    """

    points: Floats
    levels: bool = False

    @classmethod
    def of_codes(cls, n_codes: int) -> Cuts:
        return cls(np.arange(1.0, n_codes))

    @classmethod
    def of_levels(cls, values: Floats) -> Cuts:
        """For a column with few values."""
        return cls(np.unique(values), levels=True)

    @classmethod
    def of_sample(cls, values: Floats, n_bins: int, is_whole: bool) -> Cuts:
        """Bins with about the same number of rows, as those of a sample, which may be the whole table."""
        if not len(values):
            return cls(np.zeros(0))
        ascending = np.sort(values)
        starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
        if len(starts) == 1 and not is_whole:
            # Other values are rare; they are below or above it.
            return cls(np.array([ascending[0], np.nextafter(ascending[0], np.inf)]))
        bins = bins_of_values(np.diff(starts, append=len(ascending)), n_bins)
        return cls(ascending[starts[1:]][bins[1:] > bins[:-1]])

    @property
    def n_codes(self) -> int:
        return len(self.points) + (1 if self.levels else 2)

    @cached_property
    def _grid(self) -> tuple[Ints, float, float]:
        """The number of cut points before each of many cells, where cells start, and how many there are to a unit."""
        with np.errstate(over="ignore", divide="ignore"):
            scale = CELLS / np.ptp(self.points) if len(self.points) > 1 else 0.0
        if not 0 < scale < np.inf:
            # One cell, as numbers are too close or too far apart.
            return np.array([0, len(self.points)], dtype=np.intc), 0.0, 0.0
        start = float(self.points[0])
        # As the kernel computes them. Cells ascend with the values, however these are rounded, so that no cut point
        # from a cell before that of a value is above it.
        cells = np.minimum((self.points - start) * scale, CELLS - 1).astype(np.intc)
        return np.searchsorted(cells, np.arange(CELLS + 1)).astype(np.intc), start, float(scale)

    def codes(self, values: Floats) -> Ints | None:
        codes = np.empty(len(values), dtype=np.intc)
        fits = binning.cut(np.ascontiguousarray(values), self.points, *self._grid, self.levels, codes)
        return codes if fits else None


class Counts:
    """How many rows have each pair of codes: of columns, which come last, with others before them or with the target.

    ``surprising`` are columns that have other values than the sample let expect; they are not counted.
    """

    def __init__(self, cuts: Sequence[Cuts], others: Sequence[Cuts], *, with_target: bool) -> None:
        self.cuts, self.others, self.with_target = list(cuts), list(others), with_target
        self.tables: dict[tuple[int, int], Counted] = {}
        self.surprising: set[int] = set()

    # What overflows is in the first cell of a grid or in the last one, rightly; only plain Python warns of it.
    @_QUIETLY
    def add(self, part: Part) -> None:
        """Count some more rows."""
        for some in part.pieces():
            self._add(some)

    def _add(self, part: Part) -> None:
        first = 0 if self.with_target else len(self.others)
        compared = [part.target] if self.with_target else part.columns[:first]
        others = [cut.codes(values) for cut, values in zip(self.others, compared, strict=True)]
        for column, cut in enumerate(self.cuts):
            if column in self.surprising:
                continue
            codes = cut.codes(part.columns[first + column])
            if codes is None:
                self.surprising.add(column)
                continue
            for number, of_other in enumerate(others):
                if of_other is not None:
                    binning.count(codes, of_other, self._table(column, number))

    def _table(self, column: int, number: int) -> Counted:
        if (column, number) not in self.tables:
            shape = self.cuts[column].n_codes, self.others[number].n_codes
            self.tables[column, number] = np.zeros(shape, dtype=np.int64)
        return self.tables[column, number]

    def merge(self, other: Self) -> None:
        """Count the rows that another one has counted."""
        self.surprising |= other.surprising
        for key, table in other.tables.items():
            if key in self.tables:
                self.tables[key] += table
            else:
                self.tables[key] = table


def distinct(
    known: npt.NDArray[Any] | None, values: npt.NDArray[Any] | None, most: int
) -> npt.NDArray[Any] | None:
    """The different values of both in order; None if there are too many, also of one of them."""
    if known is None or values is None:
        return None
    found = np.unique(np.concatenate([known, values]))
    return found if len(found) <= most else None


class FewValues:
    """The different values of columns, as long as they are few; None if not."""

    def __init__(self, n_columns: int, most: int) -> None:
        self._most = most
        self.values: list[Floats | None] = [np.zeros(0)] * n_columns

    def add(self, part: Part) -> None:
        for place, column in enumerate(part.columns):
            if self.values[place] is not None:
                self.values[place] = distinct(self.values[place], column[~np.isnan(column)], self._most)

    def merge(self, other: Self) -> None:
        both = zip(self.values, other.values, strict=True)
        self.values = [distinct(known, values, self._most) for known, values in both]


class RowSample:
    """Every n-th row of each part, as one array."""

    def __init__(self, step: int) -> None:
        self.step, self.blocks, self.targets = step, list[Floats](), list[Floats]()

    def add(self, part: Part) -> None:
        self.blocks.append(np.array([column[:: self.step] for column in part.columns]))
        self.targets.append(part.target[:: self.step].copy())

    def merge(self, other: Self) -> None:
        self.blocks += other.blocks
        self.targets += other.targets

    @property
    def values(self) -> Floats:
        return np.concatenate(self.blocks, axis=1)

    @property
    def target(self) -> Floats:
        return np.concatenate(self.targets)
