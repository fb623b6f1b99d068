"""Columns that are copies of each other."""

from __future__ import annotations

from hashlib import blake2b

from altsets.measures._features import FloatArray

__all__ = ["copies_in"]


def copies_in(matrix: FloatArray) -> list[list[int]]:
    """Groups of columns with the same values in every row, found in one pass over the table.

    Constant columns are left out: they say nothing, alone or twice.

    Examples
    --------
    >>> import numpy as np
    >>> copies_in(np.array([[1.0, 5.0, 1.0], [2.0, 5.0, 2.0]]))
    [[0, 2]]
    """
    groups: dict[bytes, list[int]] = {}
    for index in range(matrix.shape[1]):
        # Adding zero turns -0.0 into 0.0: equal numbers must have equal bytes.
        column = matrix[:, index] + 0.0
        if column.min() < column.max():
            groups.setdefault(blake2b(column.tobytes(), digest_size=16).digest(), []).append(index)
    return [group for group in groups.values() if len(group) > 1]
