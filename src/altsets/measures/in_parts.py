"""Scores of a plain array that is too large for a second copy in double precision: some columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.measures._univariate import f_ratios, finite_f
from altsets.tables.feature_matrix import constant_columns

#: Numbers beyond which an array is scored in parts, and numbers of a part: 160 and 80 MB in double precision.
LARGE, PART = 20_000_000, 10_000_000


def is_large_array(X: Any) -> bool:
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "fiu" or X.size <= LARGE:
        return False
    return X.dtype.kind != "f" or all(np.isfinite(part).all() for _, part in _parts(X))


def score_in_parts(
    measure: str, score: Callable[..., Floats], X: Any, y: Any, options: dict[str, Any]
) -> tuple[Floats, Bools]:
    """One score per column, by a measure that looks at single columns; and the constant columns, which score 0."""
    scores, perfect = np.zeros(X.shape[1]), np.zeros(X.shape[1], dtype=bool)
    constant = np.zeros(X.shape[1], dtype=bool)
    for start, part in _parts(X):
        columns = slice(start, start + part.shape[1])
        if measure == "f":
            # What the best possible score is depends on those of all columns.
            scores[columns], perfect[columns] = f_ratios(part, y, **options)
        else:
            scores[columns] = score(part, y, **options)
        constant[columns] = constant_columns(part)
    if measure == "f":
        scores = finite_f(scores, perfect)
    scores[constant] = 0.0
    return scores, constant


def _parts(X: Any) -> Iterator[tuple[int, Floats]]:
    """Some columns at a time in double precision, with the number of the first of them."""
    step = max(PART // len(X), 1)
    for start in range(0, X.shape[1], step):
        yield start, np.asarray(X[:, start : start + step], dtype=np.float64)
