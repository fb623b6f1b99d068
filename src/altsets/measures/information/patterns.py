"""Which columns miss the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from altsets.arrays import Bools, Floats, Indices

__all__ = ["Patterns", "patterns_of"]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Groups of columns that miss the same rows; the first group misses none, and may be empty.

    Attributes
    ----------
    known : ndarray of shape (n_patterns, n_rows)
        In which rows the columns of a group are known.
    of : ndarray of shape (n_columns,)
        The group of each column.

    Examples
    --------
    >>> table = np.array([[1.0, np.nan, 5.0], [2.0, 3.0, 6.0]])
    >>> patterns = patterns_of(table)
    >>> patterns.of.tolist(), patterns.known.tolist()
    ([0, 1, 0], [[True, True], [False, True]])
    >>> [group.tolist() for group in patterns.groups]
    [[0, 2], [1]]
    """

    known: Bools
    of: Indices

    def __len__(self) -> int:
        return len(self.known)

    @property
    def groups(self) -> list[Indices]:
        """The columns of each group."""
        return [np.flatnonzero(self.of == group) for group in range(len(self))]


def patterns_of(values: Floats) -> Patterns:
    """Group columns by the rows in which they are known."""
    known = [np.ones(len(values), dtype=bool)]
    seen = {known[0].tobytes(): 0}
    of = np.zeros(values.shape[1], dtype=np.intp)
    for index, column in enumerate(values.T):
        mask = ~np.isnan(column)
        of[index] = seen.setdefault(mask.tobytes(), len(known))
        if of[index] == len(known):
            known.append(mask)
    return Patterns(np.array(known), of)
