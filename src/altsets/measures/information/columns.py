"""Columns for estimators of mutual information: sorted, scaled, binned, jittered; missing values; counts of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.errors import InputError
from altsets.tables.feature_matrix import Features, column_mask
from altsets.tables.weights import whole

#: A column with more different values is not discrete by default, and a category with more labels is corrected for
#: the information that it has by chance.
MOST_LEVELS = 10
#: The same for columns and categories with fewer rows per value, on average.
ROWS_PER_LEVEL = 10
#: Values that are sorted at a time: many short columns at once, as each call has its price, but not so many that they
#: leave the cache of a processor.
VALUES_PER_SORT = 5_000
#: Distances that differ by no more than this are equal up to rounding, where the largest value is about 1.
ROUNDING = 32 * np.finfo(np.float64).eps


class SortedColumns(NamedTuple):
    """Sorted columns, one in each row of the arrays; the kernel ``neighbours`` takes and documents the first seven.

    ``thin`` marks categories with few rows per label.
    """

    codes: Ints
    orders: Ints
    values: Floats
    below: Ints
    sizes: Ints
    slack: Floats
    discrete: npt.NDArray[np.uint8]
    thin: Bools
    weights: Floats | None = None


class IncompleteColumns(NamedTuple):
    """Columns with missing values, one in each row of the arrays; the kernel ``neighbours`` takes the first four."""

    codes: Ints
    values: Floats
    sizes: Ints
    discrete: npt.NDArray[np.uint8]
    nominal: Bools


def sort_incomplete_columns(values: Floats, discrete: Bools, nominal: Bools) -> IncompleteColumns:
    # nan is sorted to the end, and no two of them are equal.
    found = sort_columns(values.T, discrete, len(values), scaled=False)
    missing = np.isnan(values.T)
    found.codes[missing] = -1
    sizes = (found.sizes - missing.sum(axis=1)).astype(np.intc)
    return IncompleteColumns(found.codes, found.values, sizes, found.discrete, nominal)


def sort_columns(
    columns: Iterable[Floats],
    discrete: Bools,
    n_rows: int,
    *,
    scaled: bool,
    nominal: Bools | None = None,
    weights: Floats | None = None,
) -> SortedColumns:
    """Sort columns once, for all the pairs they will be part of.

    ``discrete`` columns are labels only, ``nominal`` ones are categories; ``scaled`` divides continuous columns by
    their standard deviation, so that they can be compared.
    """
    shape = (len(discrete), n_rows)
    found = SortedColumns(
        codes=np.zeros(shape, dtype=np.intc),
        orders=np.zeros(shape, dtype=np.intc),
        values=np.zeros(shape),
        below=np.full((len(discrete), n_rows + 1), n_rows, dtype=np.intc),
        sizes=np.zeros(len(discrete), dtype=np.intc),
        slack=np.zeros(len(discrete)),
        discrete=discrete.astype(np.uint8),
        thin=np.zeros(len(discrete), dtype=bool),
        weights=weights,
    )
    waiting = iter(columns)
    start = 0
    while block := list(islice(waiting, max(1, VALUES_PER_SORT // n_rows))):
        _sort_into(found, slice(start, start + len(block)), np.array(block), scaled)
        start += len(block)
    if nominal is not None:
        thin = ROWS_PER_LEVEL * found.sizes > number_of_rows(weights, n_rows)
        found.thin[:] = nominal & (thin | (found.sizes > MOST_LEVELS))
    return found


def _sort_into(found: SortedColumns, some: slice, block: Floats, scaled: bool) -> None:
    """Put some columns, which are the rows of a block, into the arrays."""
    order = np.argsort(block, axis=1, kind="stable")
    ascending = np.take_along_axis(block, order, axis=1)
    is_new = np.ones(block.shape, dtype=bool)
    is_new[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    codes = np.cumsum(is_new, axis=1, dtype=np.intc) - np.intc(1)
    sizes = codes[:, -1] + 1
    found.orders[some], found.sizes[some] = order, sizes
    np.put_along_axis(found.codes[some], order, codes, axis=1)
    columns, starts = np.nonzero(is_new)
    places = codes[columns, starts]
    found.below[some][columns, places] = starts
    if scaled:
        varied = np.flatnonzero((found.discrete[some] == 0) & (sizes > 1))
        # From sorted values, so that the order of the rows does not change a bit.
        ascending[varied], found.slack[some][varied] = _scaled(ascending[varied])
    found.values[some][columns, places] = ascending[columns, starts]


def _scaled(ascending: Floats) -> tuple[Floats, Floats]:
    """Sorted columns (as rows) of standard deviation 1, and the difference that rounding can make to distances.

    Powers of two and the subtraction of one of the values lose nothing that a shift or another unit would keep.
    """
    largest = np.maximum(np.abs(ascending[:, 0]), np.abs(ascending[:, -1]))
    around_one = np.ldexp(ascending, -np.frexp(largest)[1][:, None])
    centred = around_one - around_one[:, [ascending.shape[1] // 2]]
    deviations = np.sqrt(np.mean((centred - centred.mean(axis=1, keepdims=True)) ** 2, axis=1))
    return centred / deviations[:, None], ROUNDING / deviations


def bin_column(column: Floats, n_bins: int, weights: Floats | None = None) -> Floats:
    """Bin numbers: bins with about the same number of rows, or weight; equal values stay together.

    The bin of a value is where the middle one of its rows would be if all rows, in order, were cut in equal parts.
    Missing values have a bin of their own, the last.
    """
    missing = np.isnan(column)
    if missing.any():
        bins = np.full(len(column), float(n_bins))
        known = ~missing
        if known.any():
            bins[known] = bin_column(column[known], n_bins, None if weights is None else weights[known])
        return bins
    _, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    if weights is None:
        return bins_of_values(counts, n_bins)[codes].astype(np.float64)
    sums = np.bincount(codes, weights)
    ends = np.cumsum(sums)
    # Rounding must not open another bin.
    return np.asarray(np.minimum((2 * ends - sums) * n_bins // (2 * ends[-1]), n_bins - 1)[codes])


def bins_of_values(counts: npt.NDArray[np.int64], n_bins: int) -> npt.NDArray[np.int64]:
    """Return the bins of ascending values, given the number of rows of each value."""
    twice_the_middle = 2 * np.cumsum(counts) - counts
    return np.asarray(twice_the_middle * n_bins // (2 * counts.sum()))


def code_levels(column: Floats) -> Floats:
    """A discrete column in which missing is one more value, the last; codes if any is missing."""
    if not np.isnan(column).any():
        return column
    return np.unique(column, return_inverse=True)[1].astype(np.float64)


def jitter(matrix: Floats, discrete: Bools, random_state: int | None) -> tuple[Floats, Floats]:
    """The columns as scikit-learn's estimator changes them, and its noise for the target.

    The same operations and the same random stream, to the last bit, so that ties are broken alike.
    """
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    changed, continuous = matrix.copy(), ~discrete
    if continuous.any():
        noise = rng.standard_normal(size=(len(matrix), continuous.sum()))
        changed[:, continuous] = jitter_by(changed[:, continuous], noise)
    return changed, rng.standard_normal(size=len(matrix))


def jitter_by(values: Floats, noise: Floats) -> Floats:
    from sklearn.preprocessing import scale

    changed = scale(values, with_mean=False)
    changed += 1e-10 * np.maximum(1, np.mean(np.abs(changed), axis=0)) * noise
    return np.asarray(changed)


def discrete_mask(discrete: npt.ArrayLike, n_columns: int) -> Bools | None:
    """Which columns are discrete, as given; None if their values decide ("auto")."""
    if not isinstance(discrete, str):
        return column_mask("discrete", discrete, n_columns)
    if discrete != "auto":
        raise InputError(
            f"discrete={discrete!r} is unknown; give 'auto', True, False, one bool per column, or indices of columns."
        )
    return None


def discrete_columns(features: Features, discrete: npt.ArrayLike, weights: Floats | None = None) -> Bools:
    """Which columns are discrete: categories, and others as given or with few values."""
    given = discrete_mask(discrete, features.n_features)
    if given is not None:
        return given | features.nominal
    most = most_values(weights, features.n_rows)
    found = features.nominal.copy()
    complete = np.flatnonzero(~found & ~features.incomplete)
    if features.is_sparse:
        for index in complete.tolist():
            found[index] = has_few_values(with_zeros(features.cells, index)[1], most)
    else:
        # A look at the first rows settles most continuous columns without sorting all of them.
        start = np.sort(features.values[: 4 * most + 1, complete], axis=0)
        few = 1 + (start[1:] != start[:-1]).sum(axis=0) <= most
        for index in complete[few]:
            found[index] = has_few_values(features.values[:, index], most)
    for index in np.flatnonzero(~found & features.incomplete).tolist():
        column = features.column(index)
        known = ~np.isnan(column)
        fewer = most_values(None if weights is None else weights[known], int(known.sum()))
        found[index] = has_few_values(column[known], fewer)
    return found


def most_values(weights: Floats | None, n_rows: int) -> int:
    """The most different values that a discrete column has by default."""
    rows = number_of_rows(weights, n_rows) if n_rows else 0
    return min(MOST_LEVELS, int(rows // ROWS_PER_LEVEL))


def has_few_values(column: Floats, most: int) -> bool:
    """Whether a column has no more different values than this; most are ruled out by their first rows."""
    return len(np.unique(column[: 4 * most + 1])) <= most and len(np.unique(column)) <= most


def with_zeros(
    columns: Any, index: int, weights: Floats | None = None
) -> tuple[npt.NDArray[Any], Floats, Floats]:
    """The rows, values and weights that are stored of a column of a sparse table; one more value is all its zeros."""
    part = slice(columns.indptr[index], columns.indptr[index + 1])
    rows, values, n_rows = columns.indices[part], columns.data[part], columns.shape[0]
    counts = np.ones(len(rows)) if weights is None else weights[rows]
    if len(rows) < n_rows:
        total = n_rows if weights is None else weights.sum()
        values, counts = np.append(values, 0.0), np.append(counts, max(total - counts.sum(), 0.0))
    return rows, values, counts


# --- Patterns of missing values -----------------------------------------------------------------------


def patterns_of(values: Floats) -> tuple[Bools, Indices]:
    """Group columns by the rows in which they are known; the first group knows all, and may be empty.

    Returns for each group in which rows its columns are known, and the group of each column.
    """
    known = [np.ones(len(values), dtype=bool)]
    seen = {known[0].tobytes(): 0}
    of = np.zeros(values.shape[1], dtype=np.intp)
    for index, column in enumerate(values.T):
        mask = ~np.isnan(column)
        of[index] = seen.setdefault(mask.tobytes(), len(known))
        if of[index] == len(known):
            known.append(mask)
    return np.array(known), of


# --- Counts -------------------------------------------------------------------------------------------
# Mutual information of two discrete columns by counting, where the kernel does not: unequal weights, many labels.
#
# With total weight n, and c, c_x, c_y the weights of the rows that agree with a row in both columns and in one of
# them, the count is I = log n + mean of log(c) - log(c_x) - log(c_y), rows counting by their weight.
#
# Labels with few rows each agree with any other column by chance. Let E be the mean of I over all orders of one
# column, and m the smaller one of the two entropies, which I cannot exceed. m (I - E) / (m - E) is 0 on average if the
# columns are independent, and m if one of them decides the other (the adjustment of Vinh, Epps and Bailey 2010).
#
# Weights that are not whole numbers say nothing about the number of rows, which E needs. There it is taken from the
# rows as such and made larger as the weights are unequal: by the number of rows over Kish's effective number, (sum of
# weights)² / sum of squared weights.

#: Cells of a dense table per row; if there would be more, only nonempty cells are listed.
MOST_CELLS = 4
#: Information is all due to chance if less than this share of it is not.
LEAST_SHARE = 1e-9


def effective_rows(weights: Floats) -> float:
    """Kish's effective number of rows: how many rows of equal weight carry as much information."""
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares**2).sum())


def number_of_rows(weights: Floats | None, n_rows: int) -> float:
    """The number of rows: the sum of whole weights (repeated rows), else the effective number."""
    if weights is None:
        return n_rows
    return float(weights.sum()) if whole(weights) else effective_rows(weights)


def count_information(x: Ints, y: Ints, weights: Floats | None = None, *, thin: bool = True) -> float:
    """The information of two columns of codes; beyond chance if they are thin, that is, cells have few rows."""
    chance = None
    if thin and weights is not None and not whole(weights):
        chance = _by_chance(_sums(x, None), _sums(y, None)) * len(x) / effective_rows(weights)
    return _information(_cells(x, y, weights), _sums(x, weights), _sums(y, weights), thin, chance)


def table_information(table: npt.NDArray[np.int64], *, thin: bool) -> float:
    """The same for two columns of which only the numbers of rows with each pair of codes are known."""
    of_x, of_y = (sums[sums > 0].astype(np.float64) for sums in (table.sum(axis=1), table.sum(axis=0)))
    return _information(table[table > 0].astype(np.float64), of_x, of_y, thin)


def table_entropy(table: npt.NDArray[np.int64], axis: int) -> float:
    sums = table.sum(axis=1 - axis)
    known = sums[sums > 0].astype(np.float64)
    return max(0.0, _of_sums(known, known, known))


def _information(cells: Floats, of_x: Floats, of_y: Floats, thin: bool, chance: float | None = None) -> float:
    information = _of_sums(cells, of_x, of_y)
    if thin:
        most = min(_of_sums(sums, sums, sums) for sums in (of_x, of_y))
        chance = _by_chance(of_x, of_y) if chance is None else chance
        # Chance may explain everything.
        if not chance < most * (1 - LEAST_SHARE):
            return 0.0
        information = most * (information - chance) / (most - chance)
    return max(0.0, information)


def _by_chance(of_x: Floats, of_y: Floats) -> float:
    """The mean information over all orders of one of the columns; it depends on the sizes of the labels alone."""
    total = int(of_x.sum())
    # Sizes repeat, so that cells can be cached; scikit-learn computes all of them for each pair of columns.
    sizes = sorted((_count_sizes(of_x), _count_sizes(of_y)))
    terms = [
        n_first * n_second * _cell_by_chance(total, *sorted((first, second)))
        for first, n_first in sizes[0]
        for second, n_second in sizes[1]
    ]
    return math.fsum(terms)


def _count_sizes(sizes: Floats) -> list[tuple[int, int]]:
    values, counts = np.unique(sizes, return_counts=True)
    return list(zip(values.astype(int).tolist(), counts.tolist(), strict=True))


@lru_cache(maxsize=200_000)
def _cell_by_chance(total: int, first: int, second: int) -> float:
    """The mean information that two labels of these sizes add; the number of shared rows is hypergeometric."""
    logs = _log_factorials(total)
    shared = np.arange(max(1, first + second - total), first + 1)
    log_chance = (
        logs[first]
        + logs[second]
        + logs[total - first]
        + logs[total - second]
        - logs[total]
        - logs[shared]
        - logs[first - shared]
        - logs[second - shared]
        - logs[total - first - second + shared]
    )
    information = np.log(shared * (total / first / second))
    return float(np.sum(shared / total * information * np.exp(log_chance)))


@lru_cache(maxsize=4)
def _log_factorials(largest: int) -> Floats:
    return np.append(0.0, np.cumsum(np.log(np.arange(1.0, largest + 1))))


def _of_sums(cells: Floats, of_x: Floats, of_y: Floats) -> float:
    if len(of_x) < 2 or len(of_y) < 2:
        return 0.0
    total = float(of_x.sum())
    # Equal sums are grouped and added in ascending order, so that neither the order of the rows nor that of the two
    # columns changes a bit.
    sums, codes = np.unique(np.concatenate([cells, of_x, of_y]), return_inverse=True)
    times = np.bincount(codes, weights=np.repeat([1.0, -1.0], [len(cells), len(of_x) + len(of_y)]))
    return float(np.log(total) + np.cumsum(sums * times * np.log(sums))[-1] / total)


def _cells(x: Ints, y: Ints, weights: Floats | None) -> Floats:
    width = int(y.max()) + 1
    cells = x.astype(np.int64) * width + y
    if (int(x.max()) + 1) * width > MOST_CELLS * len(x):
        cells = np.unique(cells, return_inverse=True)[1]
    return _sums(cells, weights)


def _sums(codes: npt.NDArray[Any], weights: Floats | None) -> Floats:
    sums = np.bincount(codes, weights)
    return sums[sums > 0].astype(np.float64)
