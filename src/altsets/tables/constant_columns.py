"""Columns that hold one value only."""

from __future__ import annotations

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import warn_user
from altsets.tables.feature_matrix import Features

__all__ = ["constant_columns", "warn_of_constants"]


def constant_columns(matrix: Floats) -> Bools:
    """Which columns hold one value only; missing is a value, too.

    Examples
    --------
    >>> import numpy as np
    >>> constant_columns(np.array([[1.0, 5.0, 5.0], [2.0, 5.0, np.nan]])).tolist()
    [False, True, False]
    """
    lowest = matrix.min(axis=0)
    constant = np.asarray(lowest == matrix.max(axis=0))
    missing = np.flatnonzero(np.isnan(lowest))
    constant[missing] = np.isnan(matrix[:, missing]).all(axis=0)
    return constant


def warn_of_constants(features: Features) -> None:
    """Name the constant columns in one warning, on behalf of the function that was called."""
    constant = constant_columns(features.values)
    if constant.any():
        warn_user(
            f"some columns are constant ({features.labels(constant, most=5)}); "
            "they say nothing about the target and count as 0, so drop them."
        )
