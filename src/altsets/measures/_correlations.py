"""Correlations of columns with each other, each pair in the rows where both are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from altsets._kernels import correlations as kernel
from altsets.arrays import Bools, Floats, Indices
from altsets.measures._rank import ranks_of
from altsets.measures._threads import in_order
from altsets.measures._univariate import standardised
from altsets.measures.information.patterns import patterns_of
from altsets.tables.feature_matrix import Features
from altsets.tables.weights import counted_as_repeats

__all__ = ["correlation_matrix", "correlation_rows"]

NOT_NUMBERS = "use symmetrical_uncertainty or mutual_info"

#: Columns whose pairs are computed in one go.
COLUMNS_AT_A_TIME = 16

#: Sums of products of ranks stay whole numbers of 64 bits up to so many rows.
MOST_ROWS = 2_000_000


def correlation_matrix(measure: str, features: Features, weights: Floats | None = None) -> Floats:
    """Absolute correlations of all columns.

    Parameters
    ----------
    measure : {"pearson", "spearman"}
        Of values or of ranks.
    features : Features
        The table.
    weights : ndarray, optional
        How much each row counts.

    Examples
    --------
    >>> table = Features(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 2.0], [9.0, 1.0]]))
    >>> correlation_matrix("spearman", table).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    features, weights = _checked(measure, features, weights)
    incomplete = np.asarray(features.incomplete)
    if incomplete.any() and measure == "spearman" and features.n_rows > MOST_ROWS:
        return correlation_rows(measure, features, None, range(features.n_features))
    found = np.zeros((features.n_features, features.n_features))
    complete = np.flatnonzero(~incomplete)
    if len(complete):
        columns = _units(measure, features.values[:, complete], weights)
        found[np.ix_(complete, complete)] = np.clip(np.abs(columns.T @ columns), 0.0, 1.0)
    if incomplete.any():
        # Those with holes come first: each is paired with all that come after it.
        order = np.concatenate([np.flatnonzero(incomplete), complete])
        _fill_in(found, order, int(incomplete.sum()), _pairs(measure, features.values[:, order], weights))
        for index in np.flatnonzero(incomplete):
            known = features.values[~np.isnan(features.values[:, index]), index]
            found[index, index] = float(len(known) > 0 and known.min() < known.max())
    return found


def correlation_rows(measure: str, features: Features, weights: Floats | None, of: Sequence[int]) -> Floats:
    """The same of some columns with all.

    Parameters
    ----------
    measure, features, weights
        As above.
    of : sequence of int
        These columns.
    """
    features, weights = _checked(measure, features, weights)
    some = np.asarray(of, dtype=np.intp)
    found = np.zeros((len(some), features.n_features))
    patterns = patterns_of(features.values)
    for first in np.unique(patterns.of[some]):
        places = np.flatnonzero(patterns.of[some] == first)
        for second, others in enumerate(patterns.groups):
            known = patterns.known[first] & patterns.known[second]
            found[np.ix_(places, others)] = _products(measure, features, weights, known, some[places], others)
    return found


def _checked(measure: str, features: Features, weights: Floats | None) -> tuple[Features, Floats | None]:
    """The table in which a correlation is computed, and its weights; ranks know whole numbers of rows only."""
    if measure == "pearson":
        features.refuse_categories("the Pearson correlation", most=2, advice=NOT_NUMBERS)
        return features, weights
    features.refuse_categories("the rank correlation", most=2, advice=NOT_NUMBERS)
    return counted_as_repeats(features, np.zeros(features.n_rows), weights, "spearman")[0], None


def _units(measure: str, matrix: Floats, weights: Floats | None) -> Floats:
    """Columns of length 1, such that their products are correlations."""
    return standardised(matrix, weights) if measure == "pearson" else standardised(ranks_of(matrix))


def _products(
    measure: str, features: Features, weights: Floats | None, known: Bools, left: Indices, right: Indices
) -> Floats:
    rows = np.flatnonzero(known)
    if not (len(rows) and len(left) and len(right)):
        return np.zeros((len(left), len(right)))
    some = None if weights is None else weights[rows]
    one, other = (_units(measure, features.values[np.ix_(rows, group)], some) for group in (left, right))
    return np.clip(np.abs(one.T @ other), 0.0, 1.0)


#: Fills in sums of products, and products of sums of squares, of columns from one to another with all after them.
Fill = Callable[[int, int, Floats, Floats], None]


def _pairs(measure: str, matrix: Floats, weights: Floats | None) -> Fill:
    if measure == "spearman":
        order = np.ascontiguousarray(np.argsort(matrix, axis=0, kind="stable").T, dtype=np.intc)
        codes = np.full(order.shape, -1, dtype=np.intc)
        for column, code in zip(matrix.T, codes, strict=True):
            there = ~np.isnan(column)
            code[there] = np.unique(column[there], return_inverse=True)[1]
        known = (codes >= 0).sum(axis=1).astype(np.int64)
        return lambda start, stop, *out: kernel.rank_products(codes, order, known, start, stop, *out)
    values = np.ascontiguousarray(matrix.T)
    counts = np.ones(len(matrix)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return lambda start, stop, *out: kernel.value_products(values, counts, start, stop, *out)


def _fill_in(found: Floats, order: Indices, n_incomplete: int, fill: Fill) -> None:
    """Correlations of columns with holes, the first ones in this order, with all others and among themselves."""

    def work(chunk: int) -> tuple[int, Floats]:
        start = chunk * COLUMNS_AT_A_TIME
        stop = min(start + COLUMNS_AT_A_TIME, n_incomplete)
        cross = np.zeros((stop - start, len(order)))
        squares = np.zeros_like(cross)
        fill(start, stop, cross, squares)
        return start, np.abs(cross) / np.sqrt(np.where(squares > 0, squares, np.inf))

    for start, block in in_order(work, -(-n_incomplete // COLUMNS_AT_A_TIME)):
        for number, row in enumerate(block, start):
            later = order[number + 1 :]
            found[order[number], later] = found[later, order[number]] = np.minimum(row[number + 1 :], 1.0)
