"""Mutual information of two discrete columns by counting, where the kernel does not: unequal weights, thin cells.

With total weight n, and c, c_x, c_y the weights of the rows that agree with a row in both columns and in one of
them, the count is ``f(n) + mean of f(c) - f(c_x) - f(c_y)``, rows counting by their weight. f is the logarithm, or the
digamma function psi, which takes off most of the upward bias that few rows in a cell mean.

Weights that are not whole numbers say nothing about the number of rows, which psi needs. There the bias is taken from
the rows as such (count with logarithms minus count with psi) and made larger as the weights are unequal: by the number
of rows over Kish's effective number, (sum of weights)² / sum of squared weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.measures._features import FloatArray
from altsets.measures._weights import whole

__all__ = ["corrected", "effective_rows", "number_of_rows", "weighted"]

Codes = npt.NDArray[np.intc]
Function = Callable[[Any], Any]

#: Cells of a full table for each row; where there would be more, only those with rows are listed.
MOST_CELLS = 4


def effective_rows(weights: FloatArray) -> float:
    """Kish's effective number: how many rows of equal weight say as much.

    Examples
    --------
    >>> effective_rows(np.array([1.0, 1.0])), round(effective_rows(np.array([3.0, 1.0])), 6)
    (2.0, 1.6)
    """
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares**2).sum())


def number_of_rows(weights: FloatArray | None, n_rows: int) -> float:
    """How many rows there are: whole weights are rows that occur several times, others make them count for fewer."""
    if weights is None:
        return n_rows
    return float(weights.sum()) if whole(weights) else effective_rows(weights)


def corrected(x: Codes, y: Codes) -> float:
    """The information of two columns of codes, with psi for the logarithm; at least 0.

    Examples
    --------
    >>> corrected(np.arange(8, dtype=np.intc) // 2, np.arange(8, dtype=np.intc) % 2)
    0.0
    """
    return max(0.0, _counted(_digamma, x, y, None))


def weighted(x: Codes, y: Codes, weights: FloatArray, *, thin: bool) -> float:
    """The information of two columns of codes in rows of unequal weight; thin if there are few rows in a cell.

    Examples
    --------
    >>> x = np.array([0, 1, 1], dtype=np.intc)
    >>> round(weighted(x, x, np.array([2.0, 1.0, 1.0]), thin=False), 6)
    0.693147
    """
    if not thin:
        return max(0.0, _counted(np.log, x, y, weights))
    if whole(weights):
        return max(0.0, _counted(_digamma, x, y, weights))
    bias = _counted(np.log, x, y, None) - _counted(_digamma, x, y, None)
    return max(0.0, _counted(np.log, x, y, weights) - bias * len(x) / effective_rows(weights))


def _counted(f: Function, x: Codes, y: Codes, weights: FloatArray | None) -> float:
    cells, of_x, of_y = _cells(x, y, weights), _sums(x, weights), _sums(y, weights)
    if len(of_x) < 2 or len(of_y) < 2:
        return 0.0
    total = float(len(x) if weights is None else weights.sum())
    # Equal sums are put together and taken in rising order, so that neither the order of rows nor that of the two
    # columns changes a bit.
    sums, codes = np.unique(np.concatenate([cells, of_x, of_y]), return_inverse=True)
    times = np.bincount(codes, weights=np.repeat([1.0, -1.0], [len(cells), len(of_x) + len(of_y)]))
    return float(f(total) + np.cumsum(sums * times * f(sums))[-1] / total)


def _cells(x: Codes, y: Codes, weights: FloatArray | None) -> FloatArray:
    width = int(y.max()) + 1
    cells = x.astype(np.int64) * width + y
    if (int(x.max()) + 1) * width > MOST_CELLS * len(x):
        cells = np.unique(cells, return_inverse=True)[1]
    return _sums(cells, weights)


def _sums(codes: npt.NDArray[Any], weights: FloatArray | None) -> FloatArray:
    sums = np.bincount(codes, weights)
    return sums[sums > 0].astype(np.float64)


def _digamma(counts: Any) -> Any:
    from scipy.special import digamma

    return digamma(counts)
