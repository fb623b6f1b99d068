"""Mutual information by counting in sparse tables: only rows outside of the most common level are looked at.

Each column has levels: its values if it is discrete, else bins of equal frequency, as :mod:`.columns` cuts them. One
level, that of the zeros, has nearly all rows. Its counts are what the others leave of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.measures.information.columns import discrete_mask, most_values
from altsets.tables.sparse import owners, ranges

#: Cells of tables of counts that are worked on at a time, and stored values whose levels are found at a time.
AT_A_TIME = 1_000_000


class Levels:
    """The levels of columns: which rows are not in the first level of a column, and in which other one they are.

    ``rows`` and ``places`` have an entry for each such row, column by column; a place is the number of a level among
    those of all columns, without first ones. ``starts`` are the first entry of each column, ``first_place`` its first
    level, both with one more at the end.
    """

    def __init__(
        self, weights: Any, n_rows: int, rows: Indices, places: Indices, starts: Indices, first_place: Indices
    ) -> None:
        self._rows, self._places, self._starts, self._first_place = rows, places, starts, first_place
        self._weights, self._n_rows = weights, n_rows
        self._total = float(n_rows if weights is None else weights.sum())

    @classmethod
    def of(cls, columns: Any, discrete: npt.ArrayLike, n_bins: int, weights: Floats | None) -> Levels:
        n_rows, n_columns = columns.shape
        given = discrete_mask(discrete, n_columns)
        rows, places = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        starts, first_place = [np.zeros(1, dtype=np.intp)], [np.zeros(1, dtype=np.intp)]
        for block in _blocks(columns.indptr):
            part = columns[:, block]
            found = _levels_in(part, None if given is None else given[block], n_bins, weights)
            rows.append(found[0])
            places.append(found[1] + first_place[-1][-1])
            starts.append(found[2] + starts[-1][-1])
            first_place.append(found[3] + first_place[-1][-1])
        joined = [np.concatenate(parts) for parts in (rows, places, starts, first_place)]
        return cls(weights, n_rows, *joined)

    @property
    def n_columns(self) -> int:
        return len(self._starts) - 1

    def some(self, chosen: Indices) -> Levels:
        widths = np.diff(self._first_place)[chosen]
        lengths = np.diff(self._starts)[chosen]
        starts, first_place = np.append(0, np.cumsum(lengths)), np.append(0, np.cumsum(widths))
        entries = np.repeat(self._starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        shift = np.repeat(first_place[:-1] - self._first_place[chosen], lengths)
        places = self._places[entries] + shift
        return Levels(self._weights, self._n_rows, self._rows[entries], places, starts, first_place)

    def codes(self, column: int) -> Indices:
        part = slice(self._starts[column], self._starts[column + 1])
        codes = np.zeros(self._n_rows, dtype=np.intp)
        codes[self._rows[part]] = self._places[part] - self._first_place[column] + 1
        return codes

    def entropies(self) -> Floats:
        _, own = self._information(np.zeros(self._n_rows, dtype=np.intp))
        return np.asarray(np.maximum(np.log(self._total) - own, 0.0))

    def entropy_of(self, codes: Indices) -> float:
        counts = np.bincount(codes, self._weights).astype(np.float64)
        return float(np.log(self._total) - _terms(counts).sum() / self._total)

    def information(self, codes: Indices) -> Floats:
        both, own = self._information(codes)
        return np.asarray(np.maximum(both - own + self.entropy_of(codes), 0.0))

    def rows(self, of: Sequence[int] | Indices) -> Floats:
        found = [self.information(self.codes(int(column))) for column in of]
        return np.array(found).reshape(len(of), self.n_columns)

    def _information(self, codes: Indices) -> tuple[Floats, Floats]:
        """The means of log c, over rows: c rows agree with a row in a column and in the codes, or in the column."""
        n_classes = int(codes.max()) + 1
        totals = np.bincount(codes, self._weights).astype(np.float64)
        both, own = np.zeros(self.n_columns), np.zeros(self.n_columns)
        for block in _blocks(self._starts, self._first_place, n_classes):
            entries = slice(self._starts[block.start], self._starts[block.stop])
            first, end = self._first_place[block.start], self._first_place[block.stop]
            rows, weights = self._rows[entries], self._weights
            counts = np.bincount(
                (self._places[entries] - first) * n_classes + codes[rows],
                None if weights is None else weights[rows],
                (end - first) * n_classes,
            )
            cells = counts.astype(np.float64).reshape(-1, n_classes)
            bounds = self._first_place[block.start : block.stop] - first
            empty = np.diff(self._first_place[block.start : block.stop + 1]) == 0
            rest = np.maximum(totals - _sum_by(cells, bounds, empty), 0.0)
            levels, of_rest = cells.sum(axis=1), rest.sum(axis=1)
            both[block] = _sum_by(_terms(cells).sum(axis=1), bounds, empty) + _terms(rest).sum(axis=1)
            own[block] = _sum_by(_terms(levels), bounds, empty) + _terms(of_rest)
        return both / self._total, own / self._total


def _terms(counts: Floats) -> Floats:
    from scipy.special import xlogy

    return np.asarray(xlogy(counts, counts))


def _sum_by(numbers: Any, bounds: Indices, empty: Bools) -> Floats:
    """Sums from each bound to the next; of nothing, 0."""
    found = np.zeros((len(bounds), *numbers.shape[1:]))
    if not empty.all():
        # Only bounds of parts that are not empty: the function would take a single number for an empty one.
        found[~empty] = np.add.reduceat(numbers, bounds[~empty], axis=0)
    return found


def _blocks(starts: Indices, first_place: Indices | None = None, n_classes: int = 1) -> Iterator[slice]:
    """Ranges of columns with a limited number of entries and cells of counts."""
    ends = starts[1:].astype(np.int64) + np.arange(1, len(starts)) * n_classes
    return ranges(ends if first_place is None else ends + first_place[1:] * n_classes, AT_A_TIME)


# --- The levels of a few columns ----------------------------------------------------------------------


def few_values(columns: Any, weights: Floats | None) -> Bools:
    """Which columns have so few different values that they are discrete, as those of a dense table."""
    found = np.zeros(columns.shape[1], dtype=bool)
    for block in _blocks(columns.indptr):
        runs = _Runs(columns[:, block], weights)
        found[block] = runs.few_values(weights)
    return found


class _Runs:
    """The different values of each column, in ascending order: all zeros are one, and all missing values the last."""

    def __init__(self, columns: Any, weights: Floats | None) -> None:
        n_rows, n_columns = columns.shape
        of, self.entry_rows = owners(columns), columns.indices
        counts = np.ones(len(of)) if weights is None else weights[self.entry_rows]
        n_zeros = n_rows - np.diff(columns.indptr)
        with_zeros = np.flatnonzero(n_zeros)
        # One more entry for all zeros of a column.
        stored = np.bincount(of, counts, n_columns)
        total = n_rows if weights is None else weights.sum()
        values = np.concatenate([columns.data, np.zeros(len(with_zeros))])
        of = np.concatenate([of, with_zeros])
        counts = np.concatenate([counts, np.maximum(total - stored, 0.0)[with_zeros]])
        order = np.lexsort((values, of))
        values, of = values[order], of[order]
        is_new = np.ones(len(of), dtype=bool)
        same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        is_new[1:] = (of[1:] != of[:-1]) | ~same
        self.n_columns, self.n_rows = n_columns, n_rows
        #: The run of each stored value, in the order of the columns.
        self.entries = np.empty(len(order), dtype=np.intp)
        self.entries[order] = np.cumsum(is_new) - 1
        #: The run of the zeros of each column, -1 if it has none.
        self.zeros = np.full(n_columns, -1, dtype=np.intp)
        self.zeros[with_zeros] = self.entries[len(self.entry_rows) :]
        self.entries = self.entries[: len(self.entry_rows)]
        self.of, self.missing = of[is_new], np.isnan(values[is_new])
        self.counts = np.add.reduceat(counts[order], np.flatnonzero(is_new))
        self.column_of_entry = np.repeat(np.arange(n_columns), np.diff(columns.indptr))

    def few_values(self, weights: Floats | None) -> Bools:
        n_values = np.bincount(self.of[~self.missing], minlength=self.n_columns)
        found = n_values <= most_values(weights, self.n_rows)
        for column in np.unique(self.of[self.missing]).tolist():
            known = np.ones(self.n_rows, dtype=bool)
            here = self.column_of_entry == column
            known[self.entry_rows[here][self.missing[self.entries[here]]]] = False
            some = None if weights is None else weights[known]
            found[column] = n_values[column] <= most_values(some, int(known.sum()))
        return found

    def bins(self, n_bins: int) -> Indices:
        """The bin of each run; missing values have one of their own, the last."""
        known = np.where(self.missing, 0.0, self.counts)
        first = np.searchsorted(self.of, np.arange(self.n_columns))
        ends = np.cumsum(known)
        ends = ends - (ends - known)[first][self.of]
        totals = np.bincount(self.of, known, self.n_columns)[self.of]
        middle = (2 * ends - known) * n_bins // np.where(totals > 0, 2 * totals, 1.0)
        return np.where(self.missing, n_bins, np.minimum(middle, n_bins - 1)).astype(np.intp)


def _levels_in(
    columns: Any, discrete: Bools | None, n_bins: int, weights: Floats | None
) -> tuple[Indices, Indices, Indices, Indices]:
    runs = _Runs(columns, weights)
    if discrete is None:
        discrete = runs.few_values(weights)
    codes = np.where(discrete[runs.of], np.arange(len(runs.of)), runs.bins(n_bins))
    is_new = np.ones(len(codes), dtype=bool)
    is_new[1:] = (runs.of[1:] != runs.of[:-1]) | (codes[1:] != codes[:-1])
    level_of_run = np.cumsum(is_new) - 1
    of_level = runs.of[is_new]
    # The level that is left out: that of the zeros, or any one.
    base = np.searchsorted(of_level, np.arange(runs.n_columns))
    has_zeros = runs.zeros >= 0
    base[has_zeros] = level_of_run[runs.zeros[has_zeros]]
    number = np.cumsum(~np.isin(np.arange(len(of_level)), base)) - 1
    levels = level_of_run[runs.entries]
    kept = levels != base[runs.column_of_entry]
    n_entries = np.bincount(runs.column_of_entry[kept], minlength=runs.n_columns)
    n_levels = np.bincount(of_level, minlength=runs.n_columns) - 1
    rows = runs.entry_rows[kept].astype(np.intp)
    return rows, number[levels[kept]], np.cumsum(n_entries), np.cumsum(n_levels)
