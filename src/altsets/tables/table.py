"""Columns with names, as they came out of a file: nothing is decided yet about what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from altsets.errors import TableError
from altsets.tables.feature_matrix import listed

__all__ = ["Column", "Order", "Table"]

#: Floats (nan = missing), or objects (str, None = missing) where a column is not numeric.
Column = npt.NDArray[Any]

#: The labels of ordered categories from the first to the last; None if there is no order.
Order = tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, as they were read.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, all different.
    columns : tuple of ndarray
        Floats (nan = missing), or objects (str, None = missing) where a column is not numeric.
    source : str
        Where it came from, for messages.
    categories : mapping of str to tuple of str or None
        Columns that are categories by their type in the file; the labels in their order, if they have one.
    sha256 : str
        The hash of the file that it was read from, byte by byte; empty if there was none.
    notes : tuple of str
        Sentences on what was left out when it was read.

    Examples
    --------
    >>> from altsets.tables.demo_table import load_demo
    >>> table = load_demo()
    >>> table.n_rows, len(table.names), table.names[:2]
    (569, 31, ('mean radius', 'mean texture'))
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    source: str = "the table"
    categories: Mapping[str, Order] = field(default_factory=dict)
    sha256: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise TableError(
                f"{self.source}: column names must be distinct; these occur more than once: {listed(twice)}."
            )
        if not self.n_rows:
            raise TableError(f"{self.source} has no rows of data.")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0
