"""Columns that are copies of each other."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from altsets.arrays import Floats
from altsets.tables.constant_columns import constant_columns
from altsets.tables.feature_matrix import Features

__all__ = ["copies_in"]

#: Values that are looked at together.
CELLS_AT_A_TIME = 100_000


def copies_in(features: Features) -> list[list[int]]:
    """Groups of columns with the same values in every row, found in one pass over the table.

    Numbers that are missing in the same rows are the same there. Categories are copies of each other if the same rows
    have equal labels, whatever these are called. Constant columns are left out: they say nothing, alone or twice.

    Examples
    --------
    >>> import numpy as np
    >>> copies_in(Features(np.array([[1.0, 5.0, 1.0], [2.0, 5.0, 2.0]])))
    [[0, 2]]
    """
    groups: dict[tuple[bool, bytes], list[int]] = {}
    varied = np.flatnonzero(~constant_columns(features.values))
    for start in range(0, len(varied), step := max(1, CELLS_AT_A_TIME // features.n_rows)):
        some = varied[start : start + step]
        for index, column in zip(some.tolist(), _of_equal_bytes(features.values[:, some].T), strict=True):
            is_category = index in features.categories
            alike = _by_first_row(column) if is_category else column
            key = is_category, blake2b(alike.tobytes(), digest_size=16).digest()
            groups.setdefault(key, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _of_equal_bytes(columns: Floats) -> Floats:
    """Equal numbers must have equal bytes: adding zero turns -0.0 into 0.0, and there is more than one nan."""
    columns = np.add(columns, 0.0, order="C")
    columns[np.isnan(columns)] = np.nan
    return columns


def _by_first_row(codes: Floats) -> Floats:
    """Codes in the order in which they first occur, which the names of the labels do not change."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.float64)
