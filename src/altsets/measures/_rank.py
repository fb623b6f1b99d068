"""How much each feature says about the target by the order of its values alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.measures._univariate import ADVICE, correlations, known_rows, numbers_of
from altsets.tables.conversion import features_of
from altsets.tables.weights import counted_as_repeats

__all__ = ["ranks_of", "spearman"]


def spearman(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Absolute rank correlation of each feature with the target (Spearman's rho).

    Equal values share the mean of their ranks. Only the order of values matters, so outliers and units do not, and
    any steadily rising or falling relation counts in full.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers, and two categories as 0 and 1. Where a number is missing, the row is left out for this feature.
    y : array-like of shape (n_samples,)
        Numbers, or text that names two classes.
    task : {"auto", "classification", "regression"}
        "auto" takes numbers as they are; "classification" insists that they name two classes.
    sample_weight : array-like of shape (n_samples,), optional
        Whole numbers: how often each row is there.

    Returns
    -------
    ndarray of shape (n_features,)
        Between 0 and 1; exactly 0 for a constant column.

    Examples
    --------
    >>> spearman([[1, 9, 7], [2, 3, 7], [9, 2, 7], [99, 1, 7]], [10, 20, 30, 40]).round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    what = "the rank correlation"
    features, y = counted_as_repeats(features_of(X), y, sample_weight, "spearman")
    features.refuse_categories(what, most=2, advice=ADVICE)
    values = numbers_of(y, features.n_rows, task, what)
    scores = np.zeros(features.n_features)
    for columns, rows in known_rows(features):
        ranks = ranks_of(features.values[rows][:, columns])
        scores[columns] = correlations(ranks, ranks_of(values[rows][:, None])[:, 0])
    return scores


def ranks_of(matrix: Floats) -> Floats:
    """The rank of each value in its column, the mean rank of equal ones."""
    from scipy.stats import rankdata

    return np.ascontiguousarray(rankdata(matrix, axis=0), dtype=np.float64)
