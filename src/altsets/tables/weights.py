"""Weights of rows: checks, rows of weight 0, and whole weights as repeated rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, reason_of
from altsets.tables.feature_matrix import Features
from altsets.tables.target import vector_of

#: The most rows that repeating may make.
MOST_REPEATED_ROWS = 50_000_000
#: Scorers multiply four sums of weights, which must stay within the range of floats.
LARGEST_WEIGHT = 1e50


def weights_of(sample_weight: Any, n_rows: int) -> Floats | None:
    """One weight per row, checked; None if there are none."""
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
            f"sample_weight holds {wrong.sum()} value(s) that are not finite numbers from 0 up, such as "
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
    """Whether all weights are whole numbers, which repeat rows."""
    return bool((weights == np.floor(weights)).all())


def repeated(features: Features, y: Any, weights: Floats) -> tuple[Features, npt.NDArray[Any]]:
    """Table and target with each row repeated by its whole weight."""
    total = weights.sum()
    if total > MOST_REPEATED_ROWS:
        raise InputError(
            f"sample_weight adds up to {total:.6g}, so many repeated rows are too many; use smaller weights."
        )
    rows = np.repeat(np.arange(features.n_rows), weights.astype(np.intp))
    return _some_rows(features, rows), vector_of(y, features.n_rows)[rows]


def counted(features: Features, y: Any, sample_weight: Any) -> tuple[Features, Any, Floats | None]:
    """Table, target and weights without the rows of weight 0; no weights if all are 1."""
    weights = weights_of(sample_weight, features.n_rows)
    if weights is None:
        return features, y, None
    rows = np.flatnonzero(weights)
    if len(rows) < len(weights):
        y = vector_of(y, features.n_rows)[rows]
        features, weights = _some_rows(features, rows), weights[rows]
    return features, y, None if (weights == 1).all() else weights


def counted_rows(sample_weight: Any, n_rows: int) -> Bools | None:
    """Which rows have a weight above 0; None if all have."""
    weights = weights_of(sample_weight, n_rows)
    return None if weights is None or weights.all() else weights > 0


def counted_as_repeats(features: Features, y: Any, sample_weight: Any, who: str) -> tuple[Features, Any]:
    """Table and target for a measure without weights: whole ones repeat rows, others are refused."""
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
    """The features of some rows; labels that no longer occur are dropped."""
    some = features.rows(rows)
    categories = dict(some.categories)
    for index, labels in some.categories.items():
        seen, codes = np.unique(some.values[:, index], return_inverse=True)
        if len(seen) < len(labels):
            some.values[:, index] = codes
            categories[index] = tuple(labels[int(code)] for code in seen)
    return Features(some.values, some.names, categories, some.original)
