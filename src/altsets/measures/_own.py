"""Measures that users bring along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError
from altsets.measures._matrix import FloatArray

__all__ = ["scores_by"]


def scores_by(
    measure: Callable[..., Any], matrix: FloatArray, target: npt.NDArray[Any], **options: Any
) -> FloatArray:
    """Ask ``measure(X, y)`` for one number per column; a pair of scores and p-values is welcome.

    Examples
    --------
    >>> import numpy as np
    >>> scores_by(lambda X, y: X.T @ y, np.eye(2), np.array([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    answer = measure(matrix, target, **options)
    scores = np.asarray(answer[0] if isinstance(answer, tuple) else answer, dtype=np.float64)
    if scores.shape != (matrix.shape[1],):
        raise InputError(
            f"the measure must return {matrix.shape[1]} scores, one for each feature; got shape {scores.shape}."
        )
    return scores
