"""How much the features say about each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures._constants import constant_columns, warn_of_constants
from altsets.measures._features import FloatArray
from altsets.measures._information import information_matrix, uncertainty_matrix
from altsets.measures._matrix import matrix_of
from altsets.measures._own import given_pairs, is_array, scores_by
from altsets.measures._rank import ranks_of
from altsets.measures._univariate import standardised

__all__ = ["PAIR_MEASURES", "pairwise"]


def pairwise(X: Any, measure: Any = "mutual_info", *, warn: bool = True, **options: Any) -> FloatArray:
    """Measure how much each feature says about each other.

    Each feature in turn takes the place of the target, so that the numbers can be compared with those that
    :func:`score` finds for the target. A feature is treated the same way in both places: with
    ``"mutual_info"``, a column of few values is discrete, as a feature and as a target (``discrete="auto"``); the
    paper's study treats everything as continuous (``discrete=False``) and breaks ties at random
    (``method="sklearn"``), hence its matrix is not quite symmetric where columns have ties; the others are.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, or a frame (pandas, polars, Arrow); finite numbers only.
    measure : str, callable or array
        ``"mutual_info"`` in nats, ``"pearson"`` or ``"spearman"`` for the absolute correlation of values or ranks,
        ``"symmetrical_uncertainty"``, or ``measure(X, y)`` that gets a float matrix and one of its columns, and returns
        a number for each column.
        Or the numbers themselves, one for each pair of features; then there are no options.
    warn : bool
        Whether to warn of constant columns; False where :func:`score` has done so.
    **options
        Passed on to the measure: for ``"mutual_info"`` and ``"symmetrical_uncertainty"`` those of the functions
        of that name but for ``task``.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Row i: feature i as the target. Constant columns have zeros; the other elements of the diagonal are what
        the measure says of a feature and itself.

    Warns
    -----
    UserWarning
        If columns are constant.

    Examples
    --------
    >>> pairwise([[1, 4], [2, 3], [3, 2], [4, 4]], "pearson").round(4).tolist()
    [[1.0, 0.1348], [0.1348, 1.0]]
    """
    matrix, names = matrix_of(X)
    if callable(measure):
        rows = _rows_by(measure, matrix, options)
    elif isinstance(measure, str) and measure in PAIR_MEASURES:
        rows = PAIR_MEASURES[measure](matrix, **options)
    elif is_array(measure):
        rows = given_pairs(measure, matrix.shape[1], names, options)
    else:
        choices = " or ".join(map(repr, PAIR_MEASURES))
        raise InputError(
            f"measure={measure!r} does not compare features with each other; choose {choices}, "
            "or pass a function of X and y, or one number for each pair of features."
        )
    if warn:
        warn_of_constants(matrix, names)
    # A constant depends on nothing; not every measure knows.
    constant = constant_columns(matrix)
    rows[constant, :] = 0.0
    rows[:, constant] = 0.0
    return rows


def _correlations(matrix: FloatArray) -> FloatArray:
    unit = standardised(matrix)
    return np.clip(np.abs(unit.T @ unit), 0.0, 1.0)


def _rank_correlations(matrix: FloatArray) -> FloatArray:
    return _correlations(ranks_of(matrix))


def _rows_by(measure: Callable[..., Any], matrix: FloatArray, options: dict[str, Any]) -> FloatArray:
    return _row_by_row(matrix, lambda index: scores_by(measure, matrix, matrix[:, index].copy(), **options))


def _row_by_row(matrix: FloatArray, row: Callable[[int], FloatArray]) -> FloatArray:
    rows = np.zeros((matrix.shape[1], matrix.shape[1]))
    # As a target, a constant column is refused by most measures.
    for index in np.flatnonzero(~constant_columns(matrix)):
        rows[index] = row(int(index))
    return rows


#: The measures that compare features with each other, by name.
PAIR_MEASURES: dict[str, Callable[..., FloatArray]] = {
    "mutual_info": information_matrix,
    "pearson": _correlations,
    "spearman": _rank_correlations,
    "symmetrical_uncertainty": uncertainty_matrix,
}
