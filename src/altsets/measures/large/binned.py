"""Mutual information and symmetrical uncertainty of the columns of a large table, from counts that were merged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures.information.columns import (
    MOST_LEVELS,
    ROWS_PER_LEVEL,
    discrete_mask,
    has_few_values,
    table_entropy,
    table_information,
)
from altsets.measures.information.estimator import Estimator
from altsets.measures.information.mutual_information import as_uncertainty
from altsets.measures.large.accumulators import Counts, Cuts, FewValues
from altsets.measures.large.table import LargeTable, LargeTarget, part_of
from altsets.measures.workers import OnProgress, n_threads

#: Values of a column that is to be discrete.
MOST_GIVEN_LEVELS = 1_000
#: A bin that has so many times its share of the rows, and is not a single value, was cut at points that do not fit;
#: if its share of the sample has few rows, so many standard deviations above it.
UNEVEN, DEVIATIONS = 1.5, 4.5


def binned(table: LargeTable, options: dict[str, Any], callback: OnProgress | None = None) -> Binned:
    """The columns of a table cut into bins and counted with the target; kept with the table."""
    key = repr(sorted((name, repr(value)) for name, value in options.items()))
    if key not in table.prepared:
        table.prepared[key] = Binned(table, callback=callback, **options)
    found: Binned = table.prepared[key]
    return found


class Binned:
    """Mutual information, and symmetrical uncertainty, by counts: continuous columns are cut into bins.

    The cut points are quantiles of a sample of rows, of all rows where these are not many. If a bin turns out to have
    many more rows than others, as rows are sorted perhaps, its column is cut anew at quantiles of rows from all over
    the table.
    """

    def __init__(
        self,
        table: LargeTable,
        *,
        task: str = "auto",
        method: str = "bins",
        discrete: npt.ArrayLike = "auto",
        n_bins: int | None = None,
        n_neighbors: int = 3,
        callback: OnProgress | None = None,
    ) -> None:
        Estimator(method, n_neighbors, n_bins)
        if method == "sklearn":
            raise InputError(
                "method='sklearn' needs the table in memory, and this one is read in passes; use method='bins'."
            )
        self._table = table
        self._target: LargeTarget = table.target(task)
        self.n_bins = n_bins or max(2, round(table.n_rows ** (1 / 3)))
        #: Which columns are discrete, if that was given.
        self._given = discrete_mask(discrete, table.n_features)
        self.cuts: list[Cuts] = [Cuts(np.zeros(0))] * table.n_features
        self._cut_target = Cuts.of_codes(self._target.n_distinct)
        self._is_level = np.zeros(table.n_features, dtype=bool)
        self._information, self._entropies = np.zeros(table.n_features), np.zeros(table.n_features)
        self._entropy_of_target = 0.0
        self._constant = np.zeros(table.n_features, dtype=bool)
        blocks = table.blocks(range(table.n_features))
        for number, block in enumerate(blocks):
            self._cut(block)
            anew = self._count(block, part_of(callback, number, len(blocks)))
            if anew:
                self._count(anew, is_last=True)

    def scores(self, measure: str) -> tuple[Floats, Bools]:
        if measure == "mutual_info":
            return self._information.copy(), self._constant
        return as_uncertainty(self._information, self._entropies + self._entropy_of_target), self._constant

    # --- Cut points -----------------------------------------------------------------------------------

    def _cut(self, block: list[int]) -> None:
        table = self._table
        sample = table.sample(block, self._target.classes)
        for index, column in zip(block, sample.values, strict=True):
            if index in table.categories:
                self.cuts[index] = Cuts.of_codes(len(table.categories[index]))
                continue
            known = column[~np.isnan(column)]
            self._is_level[index] = self._has_levels(index, known)
            if self._is_level[index]:
                self.cuts[index] = Cuts.of_levels(known)
            else:
                self.cuts[index] = Cuts.of_sample(known, self.n_bins, not table.is_sampled)
        if not self._target.is_classes:
            self._cut_target = Cuts.of_sample(sample.target, self.n_bins, not table.is_sampled)

    def _has_levels(self, index: int, known: Floats) -> bool:
        """Whether a column of numbers is discrete, by its sample."""
        if self._given is not None:
            return bool(self._given[index])
        most = min(MOST_LEVELS, len(known) // ROWS_PER_LEVEL)
        return has_few_values(known, most)

    def _count(
        self, block: list[int], callback: OnProgress | None = None, *, is_last: bool = False
    ) -> list[int]:
        """Count columns with the target; return those that must be counted again, with other cut points."""
        found = self._counts(block, callback)
        surprising = [block[place] for place in sorted(found.surprising)]
        uneven = []
        for (place, _), counts in found.tables.items():
            index = block[place]
            if index in surprising:
                continue
            self._information[index] = table_information(counts, thin=self._is_thin(index))
            self._entropies[index] = table_entropy(counts, 0)
            self._entropy_of_target = table_entropy(counts, 1)
            self._constant[index] = (counts.sum(axis=1) > 0).sum() < 2
            if not is_last and self._is_uneven(index, counts):
                uneven.append(index)
        self._cut_levels(surprising)
        self._cut_spread(uneven)
        return sorted({*surprising, *uneven})

    def _counts(self, block: Sequence[int], callback: OnProgress | None) -> Counts:
        make = partial(Counts, self._cuts_of(block), [self._cut_target], with_target=True)
        found: Counts = self._table.fold(make, block, self._target.classes, callback)
        return found

    def _cuts_of(self, some: Iterable[int]) -> list[Cuts]:
        """Cut points for one pass: copies, as what values are looked up in takes more memory than they do."""
        return [replace(self.cuts[index]) for index in some]

    def _is_uneven(self, index: int, counts: npt.NDArray[np.int64]) -> bool:
        """Whether bins are far from equal, though the values could perhaps be told apart."""
        if not self._table.is_sampled or self._is_level[index] or index in self._table.categories:
            return False
        sizes = counts.sum(axis=1)[:-1]
        usual = 1 + DEVIATIONS * math.sqrt(self.n_bins / self._table.sample_size)
        return bool(len(sizes) and sizes.max() > max(UNEVEN, usual) * sizes.sum() / self.n_bins)

    def _cut_levels(self, surprising: list[int]) -> None:
        """Find all values of columns that have more than their sample; those with many of them are cut into bins."""
        if not surprising:
            return
        given = self._given is not None
        most = MOST_GIVEN_LEVELS if given else MOST_LEVELS
        seen: FewValues = self._table.fold(partial(FewValues, len(surprising), most), surprising)
        many = []
        for index, values in zip(surprising, seen.values, strict=True):
            if values is not None:
                self.cuts[index] = Cuts.of_levels(values)
            elif not given:
                many.append(index)
            else:
                raise InputError(
                    f"column {self._table.names[index]} has more than {most:,} different numbers, and is to be "
                    "discrete; leave it to discrete='auto', or drop it."
                )
        self._cut_spread(many)

    def _cut_spread(self, some: list[int]) -> None:
        """Cut columns at quantiles of rows from all over the table."""
        if not some:
            return
        sample = self._table.sample(some, spread=True)
        for index, column in zip(some, sample.values, strict=True):
            self._is_level[index] = False
            known = column[~np.isnan(column)]
            self.cuts[index] = Cuts.of_sample(known, self.n_bins, not self._table.is_sampled)

    def _is_thin(self, index: int) -> bool:
        n_labels = len(self._table.categories.get(index, ()))
        return n_labels > MOST_LEVELS or ROWS_PER_LEVEL * n_labels > self._table.n_rows

    # --- Pairs ----------------------------------------------------------------------------------------

    def between(self, asked: Indices, others: Indices, measure: str) -> Floats:
        """Each of some columns with each of some others, in as many passes as memory asks for."""
        found = np.zeros((len(asked), len(others)))
        cells = max(cut.n_codes for cut in self.cuts)
        # Each thread has tables of its own.
        tables = max(1, self._table.memory // (4 * 8 * n_threads(None) * cells**2))
        at_a_time = max(1, min(len(asked), math.isqrt(tables), self._table.columns_at_a_time // 2))
        for start in range(0, len(asked), at_a_time):
            some = asked[start : start + at_a_time]
            step = max(1, min(tables // len(some), self._table.columns_at_a_time - len(some)))
            for first in range(0, len(others), step):
                place = np.ix_(range(start, start + len(some)), range(first, min(first + step, len(others))))
                found[place] = self._pairs(some, others[first : first + step], measure)
        return found

    def _pairs(self, asked: Indices, others: Indices, measure: str) -> Floats:
        make = partial(Counts, self._cuts_of(others), self._cuts_of(asked), with_target=False)
        counted: Counts = self._table.fold(make, [*asked.tolist(), *others.tolist()])
        found = np.zeros((len(asked), len(others)))
        for (place, number), counts in counted.tables.items():
            thin = self._is_thin(int(others[place])) or self._is_thin(int(asked[number]))
            found[number, place] = table_information(counts, thin=thin)
        if measure == "mutual_info":
            return found
        return as_uncertainty(found, self._entropies[asked][:, None] + self._entropies[others])
