"""Columns that hold one value only."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from altsets.measures._features import FloatArray, listed

__all__ = ["constant_columns", "warn_of_constants"]


def constant_columns(matrix: FloatArray) -> npt.NDArray[np.bool_]:
    """Which columns hold one value only.

    Examples
    --------
    >>> import numpy as np
    >>> constant_columns(np.array([[1.0, 5.0], [2.0, 5.0]])).tolist()
    [False, True]
    """
    return np.asarray(matrix.min(axis=0) == matrix.max(axis=0))


def warn_of_constants(matrix: FloatArray, names: list[str] | None) -> None:
    """Name the constant columns in one warning, on behalf of the function that was called."""
    found = np.flatnonzero(constant_columns(matrix))
    if len(found):
        named = [names[index] if names else f"column {index}" for index in found]
        warnings.warn(
            f"some columns are constant ({listed(named, most=5)}); "
            "they say nothing about the target and count as 0, so drop them.",
            UserWarning,
            stacklevel=3,
        )
