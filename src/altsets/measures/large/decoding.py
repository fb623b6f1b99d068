"""Batches of rows, as Arrow has them, in the form in which they are measured; a first look at targets and texts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError, TableError
from altsets.measures.large.accumulators import Part, distinct
from altsets.tables.conversion import DATES, LARGEST_EXACT
from altsets.tables.feature_matrix import MISSING_LABEL
from altsets.wording import parameter

#: Labels that a column of text may have: more of them name rows, or are no labels.
MOST_LABELS = 1_000
#: Different numbers of a target that are kept; of more than these, a target of classes would make no sense.
MOST_DISTINCT = 100_000
#: Types of Arrow that hold numbers, and those that hold text.
NUMERIC = ("is_integer", "is_floating", "is_boolean", "is_decimal", "is_null")
TEXT = ("is_string", "is_large_string", "is_string_view")


def kind_of(type_of_column: Any) -> str:
    """What a column of this type holds: "numbers", "text", "dates" or something else, which is named."""
    import pyarrow as pa

    def is_one(names: Sequence[str]) -> bool:
        return any(getattr(pa.types, name)(type_of_column) for name in names if hasattr(pa.types, name))

    if pa.types.is_dictionary(type_of_column):
        inner = kind_of(type_of_column.value_type)
        return "text" if inner in ("numbers", "text") else inner
    if is_one(NUMERIC):
        return "numbers"
    if is_one(TEXT):
        return "text"
    return "dates" if pa.types.is_temporal(type_of_column) else f"values of type {type_of_column}"


def refuse_kind(name: str, kind: str, where: str) -> InputError:
    if kind == "dates":
        return TableError(f"column {name} of {where} {DATES}.")
    return TableError(
        f"column {name} of {where} holds {kind}, and a table needs one number or text in each cell; drop it "
        f"({parameter('drop', [name])}), or take it apart."
    )


# --- Work on the parts of a table ---------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """What is done to the rows of each part of a table: it can be sent to other machines."""

    #: The columns to read.
    columns: tuple[str, ...]
    #: Makes of a batch, and the name of the place it comes from, what is added.
    read: Callable[[Any, str], Any]
    make: Callable[[], Any]

    def __call__(self, batches: Iterable[Any], where: str) -> Any:
        """Sums over the batches of a part."""
        found = self.make()
        for batch in batches:
            found.add(self.read(batch, where))
        return found


def merged(found: Sequence[Any]) -> Any:
    # A copy, as a cluster may ask once more for what is merged.
    total, *others = copy.deepcopy(list(found))
    for other in others:
        total.merge(other)
    return total


@dataclass(frozen=True)
class Decoder:
    """Makes numbers of the columns of a batch: categories by their labels, classes by their values."""

    columns: tuple[str, ...]
    target: str
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: The classes in order: texts, or numbers; None for a numeric target.
    classes: npt.NDArray[Any] | None = None
    drop_missing_target: bool = False

    @property
    def needed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, self.target)))

    def __call__(self, batch: Any, where: str) -> Part:
        if self.drop_missing_target:
            batch = batch.filter(batch.column(self.target).is_valid())
        values: list[Floats] = []
        incomplete = np.zeros(len(self.columns), dtype=bool)
        for place, name in enumerate(self.columns):
            column = batch.column(name)
            if name in self.labels:
                values.append(_codes(column, self.labels[name]))
                continue
            values.append(numbers_of(column, name, where))
            # A sum is cheaper than a mask, and not finite if anything is missing or infinite.
            with np.errstate(over="ignore", invalid="ignore"):
                if np.isfinite(values[-1].sum()):
                    continue
            if np.isinf(values[-1]).any():
                raise TableError(
                    f"column {name} of {where} holds infinite values; replace them by finite numbers, drop these rows, "
                    f"or drop the column ({parameter('drop', [name])})."
                )
            incomplete[place] = np.isnan(values[-1]).any()
        return Part(values, incomplete, self._target(batch.column(self.target), where))

    def _target(self, column: Any, where: str) -> Floats:
        if self.classes is None:
            return numbers_of(column, self.target, where)
        if self.classes.dtype.kind in "OU":
            return _codes(column, tuple(self.classes))
        numbers = numbers_of(column, self.target, where)
        if np.array_equal(self.classes, np.arange(len(self.classes))):
            # Most likely 0 and 1: codes already.
            return numbers
        return np.searchsorted(self.classes, numbers).astype(np.float64)


def numbers_of(column: Any, name: str, where: str) -> Floats:
    """A column of numbers; nan where missing. Whole numbers that floats cannot tell apart are refused."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if pa.types.is_integer(column.type) and column.type.bit_width == 64:
        extremes = pc.min_max(column)
        for extreme in (extremes["max"].as_py() or 0, extremes["min"].as_py() or 0):
            if abs(extreme) > LARGEST_EXACT:
                raise TableError(
                    f"column {name} of {where} holds whole numbers that floats cannot tell apart, for example "
                    f"{extreme}; drop it if it names rows ({parameter('drop', [name])}), or rescale it."
                )
    if not pa.types.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def texts_of(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string())


def _codes(column: Any, labels: tuple[str, ...]) -> Floats:
    """The place of each text among the labels; the last one may stand for missing ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = [label for label in labels if label != MISSING_LABEL]
    places = pc.index_in(texts_of(column), value_set=pa.array(known, pa.string()))
    return np.asarray(places.fill_null(len(known)).to_numpy(zero_copy_only=False), dtype=np.float64)


# --- A first look -------------------------------------------------------------------------------------


class Look:
    """The labels of columns of text, and the different values of the target with the number of rows."""

    def __init__(
        self, texts: Sequence[str], target: str, *, is_text: bool, drop_missing_target: bool
    ) -> None:
        self.target, self.is_text, self.drop = target, is_text, drop_missing_target
        self.n_rows = self.n_missing = 0
        self.labels: dict[str, set[str | None]] = {name: set() for name in texts}
        #: None if there are too many; then whether all of them are whole numbers.
        self.distinct: npt.NDArray[Any] | None = np.zeros(0, dtype=object if is_text else np.float64)
        self.all_whole = True

    def add(self, read: tuple[Any, str]) -> None:
        batch, where = read
        column = batch.column(self.target)
        if self.is_text:
            texts = texts_of(column)
            self.n_missing += texts.null_count
            values = np.array(texts.drop_null().unique().to_pylist(), dtype=object)
            known = texts.is_valid()
        else:
            values = numbers_of(column, self.target, where)
            there = ~np.isnan(values)
            known = column.is_valid()
            self.n_missing += int((~there).sum())
            values = values[there]
            if np.isinf(values).any():
                raise TableError(
                    f"target column {self.target!r} has infinite values in {where}; drop these rows."
                )
            self.all_whole = self.all_whole and bool((values == np.floor(values)).all())
        self.distinct = distinct(self.distinct, values, MOST_DISTINCT)
        if self.drop:
            batch = batch.filter(known)
        self.n_rows += batch.num_rows
        for name, labels in self.labels.items():
            labels.update(texts_of(batch.column(name)).unique().to_pylist())
            self._refuse_many(name, labels)

    def merge(self, other: Self) -> None:
        self.n_rows += other.n_rows
        self.n_missing += other.n_missing
        self.all_whole = self.all_whole and other.all_whole
        for name, labels in self.labels.items():
            labels |= other.labels[name]
            self._refuse_many(name, labels)
        self.distinct = distinct(self.distinct, other.distinct, MOST_DISTINCT)

    def _refuse_many(self, name: str, labels: set[str | None]) -> None:
        if len(labels) > MOST_LABELS:
            raise TableError(
                f"column {name} has more than {MOST_LABELS:,} categories, such as {min(filter(None, labels))!r}; drop "
                f"it ({parameter('drop', [name])}), or merge categories."
            )

    def categories(self, name: str) -> tuple[str, ...]:
        """The labels of a column of text in order, a missing one last."""
        known = sorted(label for label in self.labels[name] if label is not None)
        return (*known, *([MISSING_LABEL] if None in self.labels[name] else []))
