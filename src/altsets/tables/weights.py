"""How often each row counts: weights of rows, and rows that are there several times or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, reason_of
from altsets.tables.feature_matrix import Features
from altsets.tables.target import vector_of

__all__ = ["counted", "counted_as_repeats", "counted_rows", "repeated", "weights_of", "whole"]

#: More rows than this are not made by repeating rows.
MOST_REPEATED_ROWS = 50_000_000
#: Scores of predictions multiply four sums of weights: beyond this, and below its inverse, floats may end there.
LARGEST_WEIGHT = 1e50


def weights_of(sample_weight: Any, n_rows: int) -> Floats | None:
    """One weight per row, checked; None if there are none.

    Examples
    --------
    >>> weights_of([1, 0, 2], 3).tolist()
    [1.0, 0.0, 2.0]
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold one number for each row: {reason_of(error)}.") from error
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight must hold one number for each of the {n_rows} rows; got shape {weights.shape}."
        )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(
            f"sample_weight holds {wrong.sum()} value(s) that are no finite numbers from 0 up, such as "
            f"{weights[wrong][0]}; put in 0 for rows that do not count."
        )
    if not weights.any():
        raise InputError("sample_weight is zero for all rows; give some row a weight above zero.")
    extreme = (weights > LARGEST_WEIGHT) | ((weights > 0) & (weights < 1 / LARGEST_WEIGHT))
    if extreme.any():
        raise InputError(
            f"sample_weight holds {weights[extreme][0]}; weights other than 0 must lie between "
            f"{1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, so that their sums and squares can be computed, so divide "
            "all of them by one number."
        )
    return weights


def whole(weights: Floats) -> bool:
    """Whether all weights are whole numbers, which say how often a row is there.

    Examples
    --------
    >>> import numpy as np
    >>> whole(np.array([2.0, 0.0])), whole(np.array([0.5]))
    (True, False)
    """
    return bool((weights == np.floor(weights)).all())


def repeated(features: Features, y: Any, weights: Floats) -> tuple[Features, npt.NDArray[Any]]:
    """Table and target with each row as often as its whole weight says.

    Examples
    --------
    >>> import numpy as np
    >>> table, y = repeated(Features(np.array([[1.0], [2.0]])), np.array([5, 6]), np.array([0.0, 2.0]))
    >>> table.values.tolist(), y.tolist()
    ([[2.0], [2.0]], [6, 6])
    """
    total = weights.sum()
    if total > MOST_REPEATED_ROWS:
        raise InputError(
            f"sample_weight adds up to {total:.6g}, so many repeated rows are too many; use smaller weights."
        )
    rows = np.repeat(np.arange(features.n_rows), weights.astype(np.intp))
    return _some_rows(features, rows), vector_of(y, features.n_rows)[rows]


def counted(features: Features, y: Any, sample_weight: Any) -> tuple[Features, Any, Floats | None]:
    """Table, target and weights without the rows of weight 0; no weights if all are 1.

    Examples
    --------
    >>> import numpy as np
    >>> table, y, weights = counted(Features(np.array([[1.0], [2.0]])), [5, 6], [0, 2.5])
    >>> table.values.tolist(), y.tolist(), weights.tolist()
    ([[2.0]], [6], [2.5])
    """
    weights = weights_of(sample_weight, features.n_rows)
    if weights is None:
        return features, y, None
    rows = np.flatnonzero(weights)
    if len(rows) < len(weights):
        y = vector_of(y, features.n_rows)[rows]
        features, weights = _some_rows(features, rows), weights[rows]
    return features, y, None if (weights == 1).all() else weights


def counted_rows(sample_weight: Any, n_rows: int) -> Bools | None:
    """Which rows are there at all; None if all are."""
    weights = weights_of(sample_weight, n_rows)
    return None if weights is None or weights.all() else weights > 0


def counted_as_repeats(features: Features, y: Any, sample_weight: Any, who: str) -> tuple[Features, Any]:
    """Table and target for a measure that knows no weights: whole ones are rows that occur several times."""
    features, y, weights = counted(features, y, sample_weight)
    if weights is None:
        return features, y
    if not whole(weights):
        broken = weights[weights != np.floor(weights)][0]
        raise InputError(
            f"{who} takes whole numbers as weights (rows that occur several times), but sample_weight holds {broken}; "
            "f, pearson, chi2, symmetrical_uncertainty, importance, permutation, shap, wrapper and mutual_info "
            "(method='bins') take any weights."
        )
    return repeated(features, y, weights)


def _some_rows(features: Features, rows: Indices) -> Features:
    """The features of some rows; labels of categories that are in none of them are forgotten."""
    some = features.rows(rows)
    categories = dict(some.categories)
    for index, labels in some.categories.items():
        seen, codes = np.unique(some.values[:, index], return_inverse=True)
        if len(seen) < len(labels):
            some.values[:, index] = codes
            categories[index] = tuple(labels[int(code)] for code in seen)
    return Features(some.values, some.names, categories, some.original)
