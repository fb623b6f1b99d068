"""Some columns at a time; and sums over the columns of a sparse table, from the values that are stored.

All zeros of a column are one block of equal values. No sparse table is made dense as a whole. Columns of sums have no
missing values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.tables.feature_matrix import Features
from altsets.tables.sparse import constant_columns, owners, ranges, to_array

#: Stored values, or sums by class, that are worked on at a time: some tens of megabytes in all temporary arrays.
AT_A_TIME = 1_000_000
#: Cells of columns that are dense at a time: 32 MB; and of a table that is dense already, so that few copies are made.
DENSE_CELLS, CELLS_OF_DENSE = 4_000_000, 10_000_000


class Block(NamedTuple):
    """What is stored in some columns next to each other: the columns from 0 on, the rows, and the values."""

    of: Indices
    rows: Indices
    values: Floats
    width: int

    @property
    def largest(self) -> Floats:
        """The largest absolute value of each column; 1 where there is none other than 0."""
        found = np.zeros(self.width)
        np.maximum.at(found, self.of, np.abs(self.values))
        return np.where(found > 0, found, 1.0)

    def sums(self, numbers: Floats) -> Floats:
        """The sum of numbers beside the stored values, for each column."""
        return np.bincount(self.of, numbers, self.width).astype(np.float64)

    def class_sums(self, codes: Indices, n_classes: int, numbers: Floats) -> Floats:
        places = codes[self.rows] * self.width + self.of
        found = np.bincount(places, numbers, n_classes * self.width)
        return found.astype(np.float64).reshape(n_classes, self.width)


def blocks_of(columns: Any, per_column: int = 1) -> Iterator[tuple[slice, Block]]:
    """Blocks with a limited number of stored values; each column yields ``per_column`` numbers."""
    ends = np.cumsum(np.maximum(np.diff(columns.indptr), per_column))
    for some in ranges(ends, AT_A_TIME):
        stored = slice(columns.indptr[some.start], columns.indptr[some.stop])
        width = some.stop - some.start
        of = np.repeat(np.arange(width), np.diff(columns.indptr[some.start : some.stop + 1]))
        yield some, Block(of, columns.indices[stored], columns.data[stored], width)


def fits_dense(features: Features) -> bool:
    """Whether all columns are few enough to be dense at a time."""
    return features.n_rows * features.n_features <= DENSE_CELLS


def dense_blocks(features: Features, some: Indices) -> Iterator[tuple[Indices, Features]]:
    """Some columns, as many at a time as fit into memory as dense ones; a dense table that is not large as a whole."""
    step = max(1, (DENSE_CELLS if features.is_sparse else CELLS_OF_DENSE) // features.n_rows)
    if not features.is_sparse and step >= len(some) == features.n_features:
        yield some, features
        return
    for start in range(0, len(some), step):
        part = some[start : start + step]
        block = features.columns(part.tolist())
        yield part, Features(block.dense(), block.names, block.categories)


def known_parts(
    features: Features, weights: Floats | None, *, dense: bool = False
) -> Iterator[tuple[Indices, Any, Any, Floats | None]]:
    """Columns, the rows in which they are known, and values and weights there.

    Complete columns come together: those of a sparse table first and sparse, unless all are to be ``dense``. Each
    incomplete column that varies follows.
    """
    rest = np.arange(features.n_features)
    if features.is_sparse and not dense:
        complete, rest = np.flatnonzero(~features.incomplete), np.flatnonzero(features.incomplete)
        yield complete, slice(None), features.cells[:, complete], weights
    for places, part in dense_blocks(features, rest):
        holes = np.flatnonzero(part.incomplete)
        if len(holes) < len(places):
            complete = np.flatnonzero(~part.incomplete)
            matrix = part.values[:, complete] if len(holes) else part.values
            yield places[complete], slice(None), matrix, weights
        for at in holes:
            rows = ~np.isnan(part.values[:, at])
            matrix = part.values[rows][:, [at]]
            if len(matrix) and (matrix != matrix[0]).any():
                yield places[[at]], rows, matrix, None if weights is None else weights[rows]


# --- Correlations -------------------------------------------------------------------------------------


class UnitColumns:
    """Columns less their means and with length 1, as a sparse matrix of which a number per column is subtracted.

    Rows are multiplied by the roots of their weights, so that products are weighted sums.
    """

    range = (0.0, 1.0)
    has_cheap_rows = True

    def __init__(self, columns: Any, weights: Floats | None, *, ranked: bool) -> None:
        from scipy.sparse import csc_array

        n_rows, n_columns = columns.shape
        of, rows = owners(columns), columns.indices
        block = Block(of, rows, _ranks(columns, of) if ranked else columns.data, n_columns)
        weights = np.ones(n_rows) if weights is None else weights
        counted = weights[rows]
        data = block.values / block.largest[of]
        means = block.sums(counted * data) / weights.sum()
        of_zeros = np.maximum(weights.sum() - block.sums(counted), 0.0)
        of_zeros[np.diff(columns.indptr) == n_rows] = 0.0
        squares = block.sums(counted * (data - means[of]) ** 2) + of_zeros * means**2
        lengths = np.sqrt(squares)
        lengths[squares == 0] = np.inf
        self._roots = np.sqrt(weights)
        self._means = means / lengths
        self._columns = csc_array((data / lengths[of], rows, columns.indptr), shape=columns.shape)

    def dense(self, some: Indices) -> Floats:
        return np.asarray((to_array(self._columns[:, some]) - self._means[some]) * self._roots[:, None])

    def products(self, others: Floats, some: Indices | None = None) -> Floats:
        """Products of columns of an array with these; exact also if the mean of the others is not quite 0."""
        columns, means = self._columns, self._means
        if some is not None:
            columns, means = columns[:, some], means[some]
        others = others * self._roots[:, None]
        return np.asarray((columns.T @ others - means[:, None] * others.sum(axis=0)).T)

    def rows(self, some: Indices, others: Indices | None = None) -> Floats:
        """Absolute correlations of some columns with others, by default with all."""
        n_others = self._columns.shape[1] if others is None else len(others)
        found = np.zeros((len(some), n_others))
        step = max(1, DENSE_CELLS // self._columns.shape[0])
        for start in range(0, len(some), step):
            part = some[start : start + step]
            found[start : start + step] = self.products(self.dense(part), others)
        return np.minimum(np.abs(found, out=found), 1.0, out=found)

    def square(self, some: Indices | None = None) -> Floats:
        """Absolute correlations of some columns with each other, symmetric: the larger of the two rounded ones."""
        found = self.rows(np.arange(self._columns.shape[1]) if some is None else some, some)
        return np.maximum(found, found.T)


def _ranks(columns: Any, of: Indices) -> Floats:
    """The ranks of stored values less that of the zeros in their column, the mean rank of equal ones."""
    n_rows, n_columns = columns.shape
    order = np.lexsort((columns.data, of))
    sorted_of, ascending = of[order], columns.data[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (sorted_of[1:] != sorted_of[:-1]) | (ascending[1:] != ascending[:-1])
    starts = np.flatnonzero(is_new)
    ends = np.append(starts[1:], len(order))
    # Twice the mean rank of each run among all stored values, less those before the column.
    before = columns.indptr[:-1]
    runs = np.cumsum(is_new) - 1
    twice = (starts + ends + 1)[runs] - 2 * before[sorted_of]
    n_zeros = n_rows - np.diff(columns.indptr)
    n_negative = np.bincount(of, columns.data < 0, n_columns).astype(np.intp)
    twice += np.where(ascending > 0, 2 * n_zeros[sorted_of], 0)
    twice -= (2 * n_negative + n_zeros + 1)[sorted_of]
    ranks = np.empty(len(order))
    ranks[order] = twice / 2
    return ranks


# --- Sums by class ------------------------------------------------------------------------------------


def variances_by_class(columns: Any, codes: Indices, weights: Floats | None) -> tuple[Floats, Floats]:
    """The variation of each column between classes and within them, in units of its largest value."""
    n_classes = int(codes.max()) + 1
    weights = np.ones(len(codes)) if weights is None else weights
    totals = np.bincount(codes, weights, n_classes)
    between, within = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    for some, block in blocks_of(columns, n_classes):
        of, counted = block.of, weights[block.rows]
        values = block.values / block.largest[of]
        means = block.sums(counted * values) / weights.sum()
        # Of values less the mean of the column, so that no digits are lost on means far from zero.
        zeros = np.maximum(totals[:, None] - block.class_sums(codes, n_classes, counted), 0.0)
        sums = block.class_sums(codes, n_classes, counted * (values - means[of])) - zeros * means
        centres = sums / np.maximum(totals, np.finfo(np.float64).tiny)[:, None]
        between[some] = totals @ centres**2
        left = counted * (values - means[of] - centres[codes[block.rows], of]) ** 2
        within[some] = block.sums(left) + (zeros * (means + centres) ** 2).sum(axis=0)
    return between, within


def chi2_by_class(columns: Any, codes: Indices, weights: Floats | None) -> Floats:
    """The chi-squared statistic of columns that are not negative; 0 of constant ones."""
    n_classes, constant = int(codes.max()) + 1, constant_columns(columns)
    weights = np.ones(len(codes)) if weights is None else weights
    shares = np.bincount(codes, weights, n_classes) / weights.sum()
    seen = np.flatnonzero(shares)
    scores = np.zeros(columns.shape[1])
    for some, block in blocks_of(columns, n_classes):
        units, varied = block.largest, ~constant[some]
        values = block.values / units[block.of] * weights[block.rows]
        found = block.class_sums(codes, n_classes, values)[seen][:, varied]
        expected = shares[seen, None] * found.sum(axis=0)
        with np.errstate(over="ignore"):
            ratios = ((found - expected) ** 2 / expected).sum(axis=0) * units[varied]
        scores[some][varied] = np.minimum(ratios, np.finfo(np.float64).max)
    return scores
