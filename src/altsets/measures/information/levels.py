"""Mutual information by counting in sparse tables: only rows outside of the most common level are looked at.

Each column has levels: its values if it is discrete, else bins of equal frequency, as :mod:`.columns` cuts them. One
level, that of the zeros, has nearly all rows. Its counts are what the others leave of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.measures.information.columns import bin_column, with_zeros
from altsets.tables.sparse import ranges

#: Cells of tables of counts that are worked on at a time.
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
    def of(cls, columns: Any, discrete: Bools, n_bins: int, weights: Floats | None) -> Levels:
        rows, places = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        starts, first_place = [0], [0]
        for index, is_discrete in enumerate(discrete):
            stored, values, counts = with_zeros(columns, index, weights)
            if is_discrete:
                codes = np.unique(values, return_inverse=True)[1]
            else:
                codes = bin_column(values, n_bins, counts).astype(np.intp)
            # The level that is left out: that of the zeros, or any one.
            base, codes_of_stored = codes[-1], codes[: len(stored)]
            kept = codes_of_stored != base
            rows.append(stored[kept])
            places.append((codes_of_stored - (codes_of_stored > base))[kept] + first_place[-1])
            starts.append(starts[-1] + int(np.count_nonzero(kept)))
            first_place.append(first_place[-1] + int(codes.max()))
        joined = np.concatenate(rows).astype(np.intp), np.concatenate(places)
        return cls(weights, columns.shape[0], *joined, np.array(starts), np.array(first_place))

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


def _blocks(starts: Indices, first_place: Indices, n_classes: int) -> Iterator[slice]:
    """Ranges of columns with a limited number of entries and cells of counts."""
    ends = starts[1:] + (first_place[1:] + np.arange(1, len(starts))) * n_classes
    return ranges(ends, AT_A_TIME)
