"""Tables in one form: numeric columns, coded categories, missing values as nan; and the table as it was passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.wording import list_some

#: The label of missing values among categories.
MISSING_LABEL = "(missing)"
#: The message of measures and models that need complete columns.
MISSING_VALUES = "cannot deal with missing values"

#: A column with more labels than this, and than half of the rows, identifies rows instead of grouping them.
FEW_CATEGORIES = 10


@dataclass(frozen=True, eq=False)
class Original:
    """Some rows and columns (None: all) of a table as it was passed; nothing is copied before a model is fitted."""

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
        """Some of the rows as a table of their own."""
        there = self.rows(chosen)
        # Rows first, then columns: the other order may have another memory layout, and sums over it may differ in the
        # last digit.
        return OriginalRows(_take(self.table, there.chosen_rows, axis=0), there.chosen_columns)


@dataclass(frozen=True, eq=False)
class OriginalRows:
    """Some rows of the original table, from which models get the columns of sets; None: all columns."""

    table: Any
    chosen_columns: tuple[int, ...] | None

    def __call__(self, indices: Sequence[int]) -> Any:
        """The columns of some features."""
        known = self.chosen_columns
        places = [int(index) if known is None else known[index] for index in indices]
        some = _take(self.table, places, axis=1)
        return np.ascontiguousarray(some) if isinstance(some, np.ndarray) else some

    def shuffled(self, index: int, order: Indices) -> Any:
        """All columns, that of one feature with its rows in another order."""
        known = self.chosen_columns
        table = self.table if known is None else _take(self.table, list(known), axis=1)
        if isinstance(table, np.ndarray):
            table = table.copy()
            table[:, index] = table[order, index]
            return table
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        column = frame.get_column(frame.columns[index])
        return frame.with_columns(column[order]).to_native()


def _take(table: Any, places: Any, axis: int) -> Any:
    # The function of scikit-learn's cross-validation, for pandas, polars, Arrow and arrays.
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, places, axis=axis)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of a table.

    ``values`` are numbers (nan = missing) and the codes 0, 1, ... of categories. ``categories`` has the labels of each
    category by the index of its column; a missing label is ``"(missing)"``, the last one. ``original`` is the same
    table as it was passed; None if that was ``values``, or a file.
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
        """Which columns have missing numbers."""
        # A sum is cheaper than a boolean matrix, and nan if anything is missing.
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
        """The names of all columns: ``x0``, ``x1``, ... if they have none."""
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
        return list_some([self.label(int(index)) for index in np.flatnonzero(mask)], most)

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
            raise InputError(f"{who} {MISSING_VALUES} ({list_some(named)}); {advice}.")


def category_codes(labels: Sequence[Any], name: str) -> tuple[Floats, tuple[str, ...]]:
    """Labels (None = missing) as codes in the order of the labels, a missing one last."""
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
    """One bool per column, from one for all or one for each."""
    mask = np.asarray(given)
    if mask.dtype != bool or mask.shape not in ((), (n_columns,)):
        raise InputError(f"{what} must be 'auto', True, False or {n_columns} bools; got {given!r}.")
    return np.broadcast_to(mask, n_columns).copy()
