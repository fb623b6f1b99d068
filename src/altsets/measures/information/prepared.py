"""Columns in the form in which their mutual information is estimated: sorted, scaled, in bins, or jittered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Ints
from altsets.errors import InputError
from altsets.measures.information.counts import number_of_rows
from altsets.measures.information.limits import DEFAULT_LIMITS, InformationLimits
from altsets.tables.feature_matrix import Features, column_mask

__all__ = [
    "ColumnsWithHoles",
    "SortedColumns",
    "binned",
    "columns_with_holes",
    "discrete_columns",
    "jittered",
    "jittered_target",
    "levels",
    "sorted_columns",
]


#: Distances that differ by no more than this are equal but for rounding, where the largest value is about 1.
ROUNDING = 32 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class SortedColumns:
    """Sorted columns, one in each row of the arrays; what the arrays mean is said in the kernel ``neighbours``.

    Beside these: which columns are categories with few rows for each of their labels, and how much rows count.
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

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def arrays(
        self,
    ) -> tuple[Ints, Ints, Floats, Ints, Ints, Floats, npt.NDArray[np.uint8]]:
        """All of them, in the order in which the kernel wants them."""
        return (
            self.codes,
            self.orders,
            self.values,
            self.below,
            self.sizes,
            self.slack,
            self.discrete,
        )

    @property
    def n_rows(self) -> int:
        """How many values each column has."""
        return int(self.codes.shape[1])


@dataclass(frozen=True)
class ColumnsWithHoles:
    """Columns with missing values, one in each row of the arrays, as the kernel ``neighbours`` wants them.

    Beside these: which columns are categories.
    """

    codes: Ints
    values: Floats
    sizes: Ints
    discrete: npt.NDArray[np.uint8]
    nominal: Bools

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def arrays(self) -> tuple[Ints, Floats, Ints, npt.NDArray[np.uint8]]:
        """All of them, in the order in which the kernel wants them."""
        return self.codes, self.values, self.sizes, self.discrete

    @property
    def n_rows(self) -> int:
        """How many values each column has, the missing ones included."""
        return int(self.codes.shape[1])


def columns_with_holes(
    values: Floats, discrete: Bools, nominal: Bools, limits: InformationLimits = DEFAULT_LIMITS
) -> ColumnsWithHoles:
    """Sort the columns of a table once, for all the rows in which pairs of them will be known.

    Examples
    --------
    >>> columns = columns_with_holes(np.array([[5.0], [np.nan], [2.0], [5.0]]), *np.zeros((2, 1), dtype=bool))
    >>> columns.codes.tolist(), columns.sizes.tolist(), columns.values[0, :2].tolist()
    ([[1, -1, 0, 1]], [2], [2.0, 5.0])
    """
    # What is missing comes last, and no two missing values are the same.
    found = sorted_columns(values.T, discrete, len(values), scaled=False, limits=limits)
    missing = np.isnan(values.T)
    found.codes[missing] = -1
    sizes = (found.sizes - missing.sum(axis=1)).astype(np.intc)
    return ColumnsWithHoles(found.codes, found.values, sizes, found.discrete, nominal)


def sorted_columns(
    columns: Iterable[Floats],
    discrete: Bools,
    n_rows: int,
    *,
    scaled: bool,
    nominal: Bools | None = None,
    weights: Floats | None = None,
    limits: InformationLimits = DEFAULT_LIMITS,
) -> SortedColumns:
    """Sort columns once, for all the pairs they will be part of.

    Parameters
    ----------
    columns : iterable of arrays of length n_rows
        Finite numbers.
    discrete : array of bool
        Which columns are only labels.
    n_rows : int
        Length of the columns.
    scaled : bool
        Whether to divide by the standard deviation, which continuous columns need to be compared.
    nominal : array of bool, optional
        Which columns are categories; by default none.
    weights : array of length n_rows, optional
        How much each row counts.
    limits : InformationLimits
        How many values are sorted at a time, and when the labels of a category have few rows.
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
    # Many short columns at a time, as each step has its price.
    while block := list(islice(waiting, max(1, limits.values_per_sort // n_rows))):
        _sort_into(found, slice(start, start + len(block)), np.array(block), scaled)
        start += len(block)
    if nominal is not None:
        thin = limits.rows_per_level * found.sizes > number_of_rows(weights, n_rows)
        found.thin[:] = nominal & (thin | (found.sizes > limits.most_levels))
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
        # Of the sorted values: the order of the rows must not change a bit.
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


def binned(column: Floats, n_bins: int, weights: Floats | None = None) -> Floats:
    """The numbers of bins with about the same number of rows, or weight; rows that agree stay together.

    The bin of a value is where the middle one of its rows would be if all rows, in order, were cut in equal parts.
    Rows with a missing value are in a bin of their own, behind the others.

    Examples
    --------
    >>> binned(np.array([1.0, 5.0, 2.0, 9.0, 5.0, 5.0]), 3).tolist()
    [0.0, 1.0, 0.0, 2.0, 1.0, 1.0]
    >>> binned(np.array([1.0, 5.0, 2.0, np.nan]), 3, np.array([1.0, 1.0, 4.0, 1.0])).tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    missing = np.isnan(column)
    if missing.any():
        bins = np.full(len(column), float(n_bins))
        known = ~missing
        if known.any():
            bins[known] = binned(column[known], n_bins, None if weights is None else weights[known])
        return bins
    _, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    if weights is None:
        twice_the_middle = 2 * np.cumsum(counts) - counts
        return (twice_the_middle * n_bins // (2 * len(column)))[codes].astype(np.float64)
    sums = np.bincount(codes, weights)
    ends = np.cumsum(sums)
    # Rounding must not open a bin behind the last one.
    return np.asarray(np.minimum((2 * ends - sums) * n_bins // (2 * ends[-1]), n_bins - 1)[codes])


def levels(column: Floats) -> Floats:
    """A discrete column in which missing is one more value, the last; codes, if there are holes.

    Examples
    --------
    >>> levels(np.array([5.0, np.nan, 2.0, np.nan])).tolist()
    [1.0, 2.0, 0.0, 2.0]
    """
    if not np.isnan(column).any():
        return column
    return np.unique(column, return_inverse=True)[1].astype(np.float64)


def jittered(matrix: Floats, discrete: Bools, random_state: int | None) -> tuple[Floats, Floats]:
    """The columns as scikit-learn's estimator changes them, and the noise that it has for the target.

    To the last bit, so that ties are broken as there: the same operations, the same random stream.
    """
    from sklearn.preprocessing import scale
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    changed = matrix.copy()
    continuous = ~discrete
    if continuous.any():
        changed[:, continuous] = scale(changed[:, continuous], with_mean=False, copy=False)
        sizes = np.maximum(1, np.mean(np.abs(changed[:, continuous]), axis=0))
        changed[:, continuous] += 1e-10 * sizes * rng.standard_normal(size=(len(matrix), continuous.sum()))
    return changed, rng.standard_normal(size=len(matrix))


def jittered_target(values: Floats, noise: Floats) -> Floats:
    """An amount to predict, as scikit-learn's estimator changes it."""
    from sklearn.preprocessing import scale

    changed = scale(values, with_mean=False)
    changed += 1e-10 * np.maximum(1, np.mean(np.abs(changed))) * noise
    return np.asarray(changed)


def discrete_columns(
    features: Features,
    discrete: npt.ArrayLike,
    weights: Floats | None = None,
    limits: InformationLimits = DEFAULT_LIMITS,
) -> Bools:
    """Which columns are discrete: categories, and others as told, or those of few values."""
    if not isinstance(discrete, str):
        return column_mask("discrete", discrete, features.n_features) | features.nominal
    if discrete != "auto":
        raise InputError(
            f"discrete={discrete!r} is unknown; give 'auto', True, False or one bool per column."
        )
    most = _most_values(weights, features.n_rows, limits)
    found = features.nominal.copy()
    complete = np.flatnonzero(~found & ~features.incomplete)
    # A look at the first rows settles most continuous columns without sorting all of them.
    start = np.sort(features.values[: 4 * most + 1, complete], axis=0)
    few = 1 + (start[1:] != start[:-1]).sum(axis=0) <= most
    for index in complete[few]:
        found[index] = _has_few_values(features.values[:, index], most)
    for index in np.flatnonzero(~found & features.incomplete):
        column = features.values[:, index]
        known = ~np.isnan(column)
        fewer = _most_values(None if weights is None else weights[known], int(known.sum()), limits)
        found[index] = _has_few_values(column[known], fewer)
    return found


def _most_values(weights: Floats | None, n_rows: int, limits: InformationLimits) -> int:
    rows = number_of_rows(weights, n_rows) if n_rows else 0
    return min(limits.most_levels, int(rows // limits.rows_per_level))


def _has_few_values(column: Floats, most: int) -> bool:
    return len(np.unique(column[: 4 * most + 1])) <= most and len(np.unique(column)) <= most
