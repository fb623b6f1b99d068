"""Sums over the columns of a sparse table: what dense columns give, from the values that are stored.

All zeros of a column are one block of equal values. No table is made dense; where numbers need whole columns, some of
them are at a time. Columns here have no missing values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.tables.feature_matrix import Features
from altsets.tables.sparse import owners, to_array

#: Stored values, or sums by class, that are worked on at a time: some tens of megabytes in all temporary arrays.
AT_A_TIME = 1_000_000
#: Cells of columns that are dense at a time: 32 MB.
DENSE_CELLS = 4_000_000


def blocks_of(columns: Any, per_column: int = 1) -> Iterator[slice]:
    """Ranges of columns with about so many stored values together, each column with at least ``per_column`` numbers."""
    size = np.cumsum(np.maximum(np.diff(columns.indptr), per_column))
    start, n_columns = 0, columns.shape[1]
    while start < n_columns:
        before = int(size[start - 1]) if start else 0
        stop = max(int(np.searchsorted(size, before + AT_A_TIME, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def fits_dense(features: Features) -> bool:
    """Whether all columns are few enough to be dense at a time."""
    return features.n_rows * features.n_features <= DENSE_CELLS


def dense_blocks(features: Features, some: Indices) -> Iterator[tuple[Indices, Features]]:
    """Some columns of a sparse table, a few at a time as dense ones."""
    step = max(1, DENSE_CELLS // features.n_rows)
    for start in range(0, len(some), step):
        part = some[start : start + step]
        block = features.columns(part.tolist())
        yield part, Features(block.dense(), block.names)


# --- Correlations -------------------------------------------------------------------------------------


class UnitColumns:
    """Columns less their means and with length 1, as a sparse matrix of which a number per column is subtracted.

    Rows are multiplied by the roots of their weights, so that products are weighted sums.
    """

    def __init__(self, columns: Any, weights: Floats | None, *, ranked: bool) -> None:
        from scipy.sparse import csc_array

        n_rows, n_columns = columns.shape
        of, rows = owners(columns), columns.indices
        data = _ranks(columns, of) if ranked else columns.data
        weights = np.ones(n_rows) if weights is None else weights
        counted = weights[rows]
        largest = np.zeros(n_columns)
        np.maximum.at(largest, of, np.abs(data))
        # Where there are no zeros, all ranks may be the middle one.
        largest[largest == 0] = 1.0
        data = data / largest[of]
        means = np.bincount(of, counted * data, n_columns) / weights.sum()
        of_zeros = np.maximum(weights.sum() - np.bincount(of, counted, n_columns), 0.0)
        of_zeros[np.diff(columns.indptr) == n_rows] = 0.0
        squares = np.bincount(of, counted * (data - means[of]) ** 2, n_columns) + of_zeros * means**2
        lengths = np.sqrt(squares)
        lengths[squares == 0] = np.inf
        self._roots = np.sqrt(weights)
        self._means = means / lengths
        self._columns = csc_array((data / lengths[of], rows, columns.indptr), shape=columns.shape)

    def dense(self, some: Indices) -> Floats:
        """Some of the columns as an array."""
        return np.asarray((to_array(self._columns[:, some]) - self._means[some]) * self._roots[:, None])

    def products(self, others: Floats, some: Indices | None = None) -> Floats:
        """Products of columns of an array with these; exact also if the mean of the others is not quite 0."""
        columns, means = self._columns, self._means
        if some is not None:
            columns, means = columns[:, some], means[some]
        others = others * self._roots[:, None]
        return np.asarray((columns.T @ others - means[:, None] * others.sum(axis=0)).T)

    def among(self, some: Indices, others: Indices | None = None) -> Floats:
        """Absolute correlations of some columns with others, by default with all."""
        n_others = self._columns.shape[1] if others is None else len(others)
        found = np.zeros((len(some), n_others))
        step = max(1, DENSE_CELLS // self._columns.shape[0])
        for start in range(0, len(some), step):
            part = some[start : start + step]
            found[start : start + step] = self.products(self.dense(part), others)
        return np.minimum(np.abs(found, out=found), 1.0, out=found)


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


def class_sums(columns: Any, block: slice, codes: Indices, n_classes: int, values: Floats) -> Floats:
    """The sums of numbers beside the stored values, for each class (row) and column of a block."""
    stored = slice(columns.indptr[block.start], columns.indptr[block.stop])
    width = block.stop - block.start
    of = np.repeat(np.arange(width), np.diff(columns.indptr[block.start : block.stop + 1]))
    places = codes[columns.indices[stored]] * width + of
    return np.bincount(places, values, n_classes * width).astype(np.float64).reshape(n_classes, width)


def variances_by_class(columns: Any, codes: Indices, weights: Floats | None) -> tuple[Floats, Floats]:
    """The variation of each column between classes and within them, in units of its largest value."""
    n_classes = int(codes.max()) + 1
    weights = np.ones(len(codes)) if weights is None else weights
    totals = np.bincount(codes, weights, n_classes)
    between, within = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    for block in blocks_of(columns, n_classes):
        stored = slice(columns.indptr[block.start], columns.indptr[block.stop])
        rows, data = columns.indices[stored], columns.data[stored]
        of = np.repeat(
            np.arange(block.stop - block.start), np.diff(columns.indptr[block.start : block.stop + 1])
        )
        counted = weights[rows]
        largest = np.zeros(block.stop - block.start)
        np.maximum.at(largest, of, np.abs(data))
        data = data / largest[of]
        means = np.bincount(of, counted * data, len(largest)) / weights.sum()
        # Of values less the mean of the column, so that no digits are lost on means far from zero.
        zeros = np.maximum(totals[:, None] - class_sums(columns, block, codes, n_classes, counted), 0.0)
        sums = class_sums(columns, block, codes, n_classes, counted * (data - means[of])) - zeros * means
        centres = sums / np.maximum(totals, np.finfo(np.float64).tiny)[:, None]
        between[block] = totals @ centres**2
        left = counted * (data - means[of] - centres[codes[rows], of]) ** 2
        within[block] = np.bincount(of, left, len(largest)) + (zeros * (means + centres) ** 2).sum(axis=0)
    return between, within


def chi2_by_class(columns: Any, codes: Indices, weights: Floats | None, constant: Bools) -> Floats:
    """The chi-squared statistic of columns that are not negative; 0 of constant ones."""
    n_classes = int(codes.max()) + 1
    weights = np.ones(len(codes)) if weights is None else weights
    shares = np.bincount(codes, weights, n_classes) / weights.sum()
    seen = np.flatnonzero(shares)
    scores = np.zeros(columns.shape[1])
    for block in blocks_of(columns, n_classes):
        stored = slice(columns.indptr[block.start], columns.indptr[block.stop])
        of = np.repeat(
            np.arange(block.stop - block.start), np.diff(columns.indptr[block.start : block.stop + 1])
        )
        units = np.zeros(block.stop - block.start)
        np.maximum.at(units, of, columns.data[stored])
        values = columns.data[stored] / units[of] * weights[columns.indices[stored]]
        found = class_sums(columns, block, codes, n_classes, values)[seen]
        expected = shares[seen, None] * found.sum(axis=0)
        some = ~constant[block]
        ratios = ((found - expected)[:, some] ** 2 / expected[:, some]).sum(axis=0)
        with np.errstate(over="ignore"):
            scores[block][some] = np.minimum(ratios * units[some], np.finfo(np.float64).max)
    return scores
