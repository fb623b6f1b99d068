"""A table for models that take numbers alone: categories become columns of 0 and 1 that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.tables.feature_matrix import Features

__all__ = ["Encoded", "EncodedRows", "encoded"]

#: More categories than this would make more columns than a model can make sense of.
MOST_CATEGORIES = 255
#: Trees look at columns in single precision, which knows nothing beyond this, and nothing but 0 below its inverse.
LARGEST_VALUE = 1e38


@dataclass(frozen=True, eq=False)
class Encoded:
    """The columns that a model gets, and the features that they belong to.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
        Numbers as they are (nan = missing); one column of 0 and 1 for each label of a category, but one for a
        category of two labels.
    owners : ndarray of shape (n_columns,)
        The feature of each column, in rising order.
    n_features : int
        How many features there are.

    Examples
    --------
    >>> from altsets.tables.conversion import features_of
    >>> table = encoded(features_of([["b", 7, "u"], ["a", 8, "v"], ["c", 9, "u"]]))
    >>> table.matrix.tolist()
    [[0.0, 1.0, 0.0, 7.0, 0.0], [1.0, 0.0, 0.0, 8.0, 1.0], [0.0, 0.0, 1.0, 9.0, 0.0]]
    >>> table.owners.tolist(), table.columns_of([0, 2]).tolist()
    ([0, 0, 0, 1, 2], [0, 1, 2, 4])
    >>> table.total([1, 2, 4, 8, 16]).tolist()
    [7.0, 8.0, 16.0]
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
        """Some of the rows, of which models get sets of features."""
        return EncodedRows(self, chosen)

    def total(self, per_column: npt.ArrayLike) -> Floats:
        """The sum over the columns of each feature; rows, if there are several, stay apart."""
        values = np.asarray(per_column, dtype=np.float64)
        if self.is_one_to_one:
            return values
        return np.asarray(np.add.reduceat(values, self._starts[:-1], axis=-1))

    @cached_property
    def _starts(self) -> Indices:
        return np.searchsorted(self.owners, np.arange(self.n_features + 1))


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Some rows of an encoded table, of which models get sets of features.

    Attributes
    ----------
    table : Encoded
        All rows.
    chosen : ndarray of int
        Those that count.
    """

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


def encoded(features: Features, *, at_once: bool = False) -> Encoded:
    """Categories as columns of 0 and 1, beside the numbers as they are; more than 255 categories are refused.

    With ``at_once`` a model of ours is to see all columns together, and what it cannot take is refused as well. Else
    sets of columns go to models, perhaps of the user's, one by one; each can tell what is wrong with it.
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
    """Refuse columns that models would take for infinite, or for all zero."""
    largest = np.fmax.reduce(np.abs(features.values), axis=0, initial=0.0)
    extreme = (largest > LARGEST_VALUE) | ((largest > 0) & (largest < 1 / LARGEST_VALUE))
    if extreme.any():
        raise InputError(
            f"models take columns with largest values between {1 / LARGEST_VALUE:g} and {LARGEST_VALUE:g}, but "
            f"{features.labels(extreme)} goes up to {largest[extreme][0]:g}; choose another unit, or use mutual_info."
        )
