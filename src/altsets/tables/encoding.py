"""Encode categories as columns of 0 and 1, for models that take numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.tables.feature_matrix import Features

#: The most categories of a column that is encoded.
MOST_CATEGORIES = 255
#: Trees use single precision: infinite beyond this, 0 below its inverse.
LARGEST_VALUE = 1e38


@dataclass(frozen=True, eq=False)
class Encoded:
    """The columns that a model gets, and the features that they belong to (``owners``, in ascending order).

    Numbers are as they are (nan = missing); a category has one column of 0 and 1 for each label, or a single one for
    two labels.
    """

    matrix: Floats
    owners: Indices
    n_features: int

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether each feature is one column."""
        return len(self.owners) == self.n_features

    def columns_of(self, indices: Sequence[int]) -> Indices:
        """The columns of some features, in the order of these."""
        if self.is_one_to_one:
            return np.asarray(indices, dtype=np.intp)
        starts = self._starts
        return np.concatenate([np.arange(starts[index], starts[index + 1]) for index in indices])

    def part(self, chosen: Indices) -> EncodedRows:
        """Some of the rows."""
        return EncodedRows(self, chosen)

    def total(self, per_column: npt.ArrayLike) -> Floats:
        """The sum over the columns of each feature, along the last axis."""
        values = np.asarray(per_column, dtype=np.float64)
        if self.is_one_to_one:
            return values
        return np.asarray(np.add.reduceat(values, self._starts[:-1], axis=-1))

    @cached_property
    def _starts(self) -> Indices:
        return np.searchsorted(self.owners, np.arange(self.n_features + 1))


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Some rows of an encoded table, from which models get the columns of sets."""

    table: Encoded
    chosen: Indices

    def __call__(self, indices: Sequence[int]) -> Floats:
        """The columns of some features."""
        return np.ascontiguousarray(self.table.matrix[np.ix_(self.chosen, self.table.columns_of(indices))])

    def shuffled(self, index: int, order: Indices) -> Floats:
        """All columns, those of one feature with their rows in another order."""
        matrix = self.table.matrix[self.chosen]
        columns = self.table.columns_of([index])
        matrix[:, columns] = matrix[np.ix_(order, columns)]
        return matrix


def encode(features: Features, *, at_once: bool = False) -> Encoded:
    """Categories as columns of 0 and 1, beside the numbers as they are; more than 255 categories are refused.

    With ``at_once``, one of our models gets all columns together, and numbers beyond its range are refused as well.
    """
    for index, labels in features.categories.items():
        if len(labels) > MOST_CATEGORIES:
            raise InputError(
                f"{features.label(index)} has {len(labels):,} categories, more than the {MOST_CATEGORIES} that become "
                "columns for a model; merge rare ones, drop it, or use mutual_info."
            )
    if at_once:
        _refuse_extremes(features)
    widths = np.ones(features.n_features, dtype=np.intp)
    for index, labels in features.categories.items():
        widths[index] = len(labels) if len(labels) > 2 else 1
    owners = np.repeat(np.arange(features.n_features), widths)
    if len(owners) == features.n_features:
        # Codes of up to two labels are 0 and 1 already.
        return Encoded(features.values, owners, features.n_features)
    matrix = np.empty((features.n_rows, len(owners)))
    matrix[:, widths[owners] == 1] = features.values[:, widths == 1]
    for wide in np.flatnonzero(widths > 1):
        matrix[:, owners == wide] = features.values[:, [wide]] == np.arange(widths[wide])
    return Encoded(matrix, owners, features.n_features)


def _refuse_extremes(features: Features) -> None:
    """Refuse columns that models would treat as infinite, or as all zero."""
    largest = np.fmax.reduce(np.abs(features.values), axis=0, initial=0.0)
    extreme = (largest > LARGEST_VALUE) | ((largest > 0) & (largest < 1 / LARGEST_VALUE))
    if extreme.any():
        raise InputError(
            f"models take columns with largest values between {1 / LARGEST_VALUE:g} and {LARGEST_VALUE:g}, but "
            f"{features.labels(extreme)} goes up to {largest[extreme][0]:g}; choose another unit, or use mutual_info."
        )
