"""Mutual information of two discrete columns by counting, where the kernel does not: unequal weights, many labels.

With total weight n, and c, c_x, c_y the weights of the rows that agree with a row in both columns and in one of
them, the count is ``I = log n + mean of log(c) - log(c_x) - log(c_y)``, rows counting by their weight.

Labels with few rows each agree with any other column by chance. Let E be the mean of I over all orders of one column,
and m the smaller one of the two entropies, which I cannot exceed. ``m (I - E) / (m - E)`` is 0 on average if the
columns are independent, and m if one of them decides the other (the adjustment of Vinh, Epps and Bailey 2010).

Weights that are not whole numbers say nothing about the number of rows, which E needs. There it is taken from the rows
as such and made larger as the weights are unequal: by the number of rows over Kish's effective number, (sum of
weights)² / sum of squared weights.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints
from altsets.tables.weights import whole

#: Cells of a dense table per row; if there would be more, only nonempty cells are listed.
MOST_CELLS = 4

#: Information is all due to chance if less than this share of it is not.
ROUNDING = 1e-9


def effective_rows(weights: Floats) -> float:
    """Kish's effective number of rows: how many rows of equal weight carry as much information."""
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares**2).sum())


def number_of_rows(weights: Floats | None, n_rows: int) -> float:
    """The number of rows: the sum of whole weights (repeated rows), else the effective number."""
    if weights is None:
        return n_rows
    return float(weights.sum()) if whole(weights) else effective_rows(weights)


def corrected(x: Ints, y: Ints) -> float:
    """The information of two columns of codes beyond chance; at least 0."""
    return _beyond_chance(x, y, None, _by_chance(x, y, None))


def weighted(x: Ints, y: Ints, weights: Floats, *, thin: bool) -> float:
    """The information of two columns of codes in weighted rows; thin if cells have few rows."""
    if not thin:
        return max(0.0, _plug_in(x, y, weights))
    if whole(weights):
        return _beyond_chance(x, y, weights, _by_chance(x, y, weights))
    chance = _by_chance(x, y, None) * len(x) / effective_rows(weights)
    return _beyond_chance(x, y, weights, chance)


def _beyond_chance(x: Ints, y: Ints, weights: Floats | None, chance: float) -> float:
    most = min(_plug_in(x, x, weights), _plug_in(y, y, weights))
    # Chance may explain everything.
    if not chance < most * (1 - ROUNDING):
        return 0.0
    return max(0.0, most * (_plug_in(x, y, weights) - chance) / (most - chance))


def _by_chance(x: Ints, y: Ints, weights: Floats | None) -> float:
    """The mean information over all orders of one of the columns; it depends on the sizes of the labels alone."""
    total = int(len(x) if weights is None else weights.sum())
    # Sizes repeat, so that cells can be cached; scikit-learn computes all of them for each pair of columns.
    sizes = sorted((_count_sizes(_sums(x, weights)), _count_sizes(_sums(y, weights))))
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


def _plug_in(x: Ints, y: Ints, weights: Floats | None) -> float:
    cells, of_x, of_y = _cells(x, y, weights), _sums(x, weights), _sums(y, weights)
    if len(of_x) < 2 or len(of_y) < 2:
        return 0.0
    total = float(len(x) if weights is None else weights.sum())
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
