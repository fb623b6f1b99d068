"""A table in one form, whatever it was before: numbers, categories, and holes that stay holes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.tables.original import Original

__all__ = ["MISSING_LABEL", "MISSING_VALUES", "Features", "category_codes", "column_mask", "listed"]

#: What a missing label is called, beside the others.
MISSING_LABEL = "(missing)"
#: How it is said that somebody needs all numbers.
MISSING_VALUES = "cannot deal with missing values"

#: More categories than this, and than half of the rows, are names of rows.
FEW_CATEGORIES = 10


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of a table.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features)
        Numbers (nan = missing), and the codes 0, 1, ... of categories.
    names : list of str or None
        The names of the columns; None if nobody named them.
    categories : mapping of int to tuple of str
        The labels of each column that is a category, by its index; a code is a position among them. A missing label
        is ``"(missing)"``, the last one.
    original : Original or None
        The same rows and columns as they were handed over; None if that was ``values``, or a file.

    Examples
    --------
    >>> from altsets.tables.conversion import features_of
    >>> table = features_of([[1.5, "red"], [None, "blue"], [2.0, "red"]])
    >>> table.values.tolist()
    [[1.5, 1.0], [nan, 0.0], [2.0, 1.0]]
    >>> table.categories, table.incomplete.tolist()
    ({1: ('blue', 'red')}, [True, False])
    """

    values: Floats
    names: list[str] | None = None
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    original: Original | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])

    @cached_property
    def nominal(self) -> Bools:
        """Which columns are categories."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.categories)] = True
        return mask

    @cached_property
    def incomplete(self) -> Bools:
        """Which columns miss numbers."""
        # One sum tells whether there is anything to look for, without a matrix of booleans.
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isnan(self.values.sum()):
                return np.zeros(self.n_features, dtype=bool)
        return np.asarray(np.isnan(self.values).any(axis=0))

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers and complete."""
        return not self.categories and not self.incomplete.any()

    @property
    def feature_names(self) -> FeatureNames:
        """The names of all columns: ``x0``, ``x1``, ... if nobody named them."""
        if self.names is not None:
            return FeatureNames.of(self.names)
        count = self.n_features
        return FeatureNames(
            count, lambda index: f"x{index}", lambda: [f"x{index}" for index in range(count)], given=False
        )

    def label(self, index: int) -> str:
        """What to call a column in a message."""
        return self.names[index] if self.names else f"column {index}"

    def labels(self, mask: Bools, most: int = 8) -> str:
        """What to call some columns in a message; only the first ones of many."""
        return listed([self.label(int(index)) for index in np.flatnonzero(mask)], most)

    def rows(self, chosen: npt.NDArray[Any]) -> Features:
        """The same columns with some of the rows."""
        original = None if self.original is None else self.original.rows(chosen)
        return Features(np.ascontiguousarray(self.values[chosen]), self.names, self.categories, original)

    def columns(self, chosen: Sequence[int]) -> Features:
        """Some of the columns with all rows."""
        names = None if self.names is None else [self.names[index] for index in chosen]
        categories = {
            place: self.categories[index] for place, index in enumerate(chosen) if index in self.categories
        }
        original = None if self.original is None else self.original.columns(chosen)
        return Features(np.ascontiguousarray(self.values[:, list(chosen)]), names, categories, original)

    def refuse_categories(self, who: str, *, most: int, advice: str) -> None:
        """Refuse categories of more than so many labels, on behalf of a measure that needs numbers."""
        wrong = [index for index, labels in self.categories.items() if len(labels) > most]
        if wrong:
            first = self.categories[wrong[0]]
            mask = np.zeros(self.n_features, dtype=bool)
            mask[wrong] = True
            named = "two categories" if most == 2 else f"up to {most} categories"
            raise InputError(
                f"{who} needs numbers{'' if most < 2 else f' or {named}'}, but {self.labels(mask)} "
                f"{'is' if len(wrong) == 1 else 'are'} text or categories ({len(first)} different ones, such as "
                f"{first[0]!r}); {advice}."
            )

    def refuse_missing(self, who: str, *, advice: str) -> None:
        """Refuse missing numbers, on behalf of a measure that cannot deal with them."""
        if self.incomplete.any():
            counts = np.isnan(self.values).sum(axis=0)
            named = [f"{self.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)]
            raise InputError(f"{who} {MISSING_VALUES} ({listed(named)}); {advice}.")


def category_codes(labels: Sequence[Any], name: str) -> tuple[Floats, tuple[str, ...]]:
    """Labels (None = missing) as codes in the order of the labels, a missing one last.

    Examples
    --------
    >>> codes, categories = category_codes(["b", None, "a"], "x")
    >>> codes.tolist(), categories
    ([1.0, 2.0, 0.0], ('a', 'b', '(missing)'))
    """
    known = sorted({label for label in labels if label is not None})
    if len(known) > FEW_CATEGORIES and 2 * len(known) > len(labels):
        raise InputError(
            f"{name} has {len(known):,} categories in {len(labels):,} rows, which name rows instead of grouping them; "
            "drop it, or merge categories."
        )
    positions: dict[Any, int] = {label: code for code, label in enumerate(known)}
    has_missing = any(label is None for label in labels)
    codes = np.array([positions.get(label, len(known)) for label in labels], dtype=np.float64)
    return codes, (*map(str, known), *([MISSING_LABEL] if has_missing else []))


def column_mask(what: str, given: npt.ArrayLike, n_columns: int) -> Bools:
    """One bool per column, from one for all or one for each.

    Examples
    --------
    >>> column_mask("discrete", True, 2).tolist()
    [True, True]
    """
    mask = np.asarray(given)
    if mask.dtype != bool or mask.shape not in ((), (n_columns,)):
        raise InputError(f"{what} must be 'auto', True, False or {n_columns} bools; got {given!r}.")
    return np.broadcast_to(mask, n_columns).copy()


def listed(labels: Sequence[str], most: int = 8) -> str:
    """The labels in one line, the first few of them if they are many.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"
