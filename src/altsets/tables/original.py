"""A table as it was handed over, for models that know best what to do with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Indices

__all__ = ["Original", "OriginalRows"]


@dataclass(frozen=True, eq=False)
class Original:
    """Some rows and columns of a table in the form that its owner chose; nothing is copied before a model asks.

    Attributes
    ----------
    table : frame or ndarray
        The whole table.
    chosen_rows : ndarray of int or None
        The rows that count, in this order; None for all.
    chosen_columns : tuple of int or None
        The same for columns.

    Examples
    --------
    >>> table = Original(np.array([["a", "b", "c"], ["d", "e", "f"]], dtype=object))
    >>> table.columns([2, 1]).part(np.array([1]))([0]).tolist()
    [['f']]
    """

    table: Any
    chosen_rows: Indices | None = None
    chosen_columns: tuple[int, ...] | None = None

    def rows(self, chosen: npt.NDArray[Any]) -> Original:
        """The same columns with some of the rows, by number or by one bool for each."""
        known = self.chosen_rows
        places = np.flatnonzero(chosen) if chosen.dtype == bool else np.asarray(chosen, dtype=np.intp)
        return Original(self.table, places if known is None else known[places], self.chosen_columns)

    def columns(self, chosen: Sequence[int]) -> Original:
        """Some of the columns with all rows."""
        known = self.chosen_columns
        places = tuple(int(index) if known is None else known[index] for index in chosen)
        return Original(self.table, self.chosen_rows, places)

    def part(self, chosen: Indices) -> OriginalRows:
        """Some of the rows, now as a table of their own."""
        there = self.rows(chosen)
        # Rows first, as in everybody's loop: columns first may lie in memory in another way, and sums over them may
        # then differ in the last digit.
        return OriginalRows(_some(self.table, there.chosen_rows, axis=0), there.chosen_columns)


@dataclass(frozen=True, eq=False)
class OriginalRows:
    """Some rows of a table, of which models get sets of columns.

    Attributes
    ----------
    table : frame or ndarray
        The rows.
    chosen_columns : tuple of int or None
        The columns that features are numbered by; None for all.
    """

    table: Any
    chosen_columns: tuple[int, ...] | None

    def __call__(self, indices: Sequence[int]) -> Any:
        """The columns of some features."""
        known = self.chosen_columns
        places = [int(index) if known is None else known[index] for index in indices]
        some = _some(self.table, places, axis=1)
        return np.ascontiguousarray(some) if isinstance(some, np.ndarray) else some

    def shuffled(self, index: int, order: Indices) -> Any:
        """All columns, that of one feature with its rows in another order."""
        known = self.chosen_columns
        table = self.table if known is None else _some(self.table, list(known), axis=1)
        if isinstance(table, np.ndarray):
            table = table.copy()
            table[:, index] = table[order, index]
            return table
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        column = frame.get_column(frame.columns[index])
        return frame.with_columns(column[order]).to_native()


def _some(table: Any, places: Any, axis: int) -> Any:
    # What scikit-learn's own cross-validation uses: it knows pandas, polars, Arrow and arrays.
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, places, axis=axis)
