"""Columns of a file: which are numeric, which are categories, and which are too likely a mistake to be either."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.errors import InputError, TableError
from altsets.features import FeatureNames, is_pattern
from altsets.tables.conversion import DATES, LARGEST_EXACT, is_float
from altsets.tables.feature_matrix import Features, category_codes
from altsets.wording import counted, list_some, parameter, quote

#: How dates and times are written: 2020-01-31, 2020-01-31 12:00, 31.01.2020, 1/31/2020, 12:00:30, 2 days, 12:00:00.
TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?"
ZONE = r"\s?(Z|[+-]\d{2}:?\d{2})?"
WHEN = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}([T ]{TIME}{ZONE})?"
    rf"|\d{{1,2}}([./])\d{{1,2}}\5\d{{2,4}}( {TIME})?"
    rf"|(-?\d+ days?, )?{TIME}"
)
#: Numbers in other spellings than a program reads: 1,5 or 1 000 or 12 %.
SPELLED = re.compile(r"[-+]?\d[\d\s.,_']*%?")

#: What makes numbers with decimal commas into those of Python, and those with a point into none.
SWAPPED = str.maketrans(",.", ".,")

#: Floats (nan = missing), or objects (str, None = missing) where a column is not numeric.
Column = npt.NDArray[Any]

#: The labels of ordered categories from the first to the last; None if there is no order.
Order = tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, as they were read: floats (nan = missing), else text (None = missing)."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    source: str = "the table"
    #: Columns that are categories by their type in the file.
    categories: Mapping[str, Order] = field(default_factory=dict)
    #: The hash of the file, byte by byte; empty if there was none.
    sha256: str = ""
    #: Sentences on what was left out when it was read.
    notes: tuple[str, ...] = ()
    #: Columns that can only be dropped, and what they hold.
    unusable: Mapping[str, str] = field(default_factory=dict)
    #: Columns that were the index of a frame: features only if they are asked for.
    index: tuple[str, ...] = ()
    #: The decimal sign of a text file; other files hold numbers as such.
    decimal: str = ""
    #: What a text file has in place of values that are not known: each spelling, and in how many cells of each column.
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise TableError(
                f"{self.source}: column names must be distinct; these occur more than once: {list_some(twice)}."
            )
        if not self.n_rows:
            raise TableError(f"{self.source} has no rows of data.")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0


def refuse_nameless(names: Sequence[str], source: str, advice: str) -> None:
    """Refuse columns without a name."""
    nameless = [str(position) for position, name in enumerate(names, start=1) if not name]
    if nameless:
        raise TableError(f"{source}: column {list_some(nameless)} has no name; {advice}.")


def as_features(
    columns: Mapping[str, Column], categories: Mapping[str, Order], decimal: str = ""
) -> tuple[Features, dict[str, InputError]]:
    """Columns by name as features, and what is wrong with some of them.

    Text is categories, and so are columns that are named; ordered ones are ranks. ``decimal`` is the sign of numbers
    among text.
    """
    plain = [column.dtype != object and name not in categories for name, column in columns.items()]
    nothing = np.full(len(next(iter(columns.values()))), np.nan)
    pairs = zip(columns.values(), plain, strict=True)
    values = np.stack([column if is_plain else nothing for column, is_plain in pairs], axis=1)
    labels: dict[int, tuple[str, ...]] = {}
    wrong: dict[str, InputError] = {}
    for index, (name, column) in enumerate(columns.items()):
        if plain[index]:
            if n_infinite := int(np.isinf(values[:, index]).sum()):
                wrong[name] = TableError(
                    f"column {name} holds {counted(n_infinite, 'infinite value')}; replace them by finite numbers, "
                    f"drop these rows, or drop the column ({parameter('drop', [name])})."
                )
            continue
        try:
            values[:, index], found = _categories(
                column, name, name in categories, categories.get(name), decimal
            )
        except InputError as error:
            wrong[name] = error
            continue
        if found is not None:
            labels[index] = found
    return Features(values, list(columns), labels), wrong


def missing_in(column: Column) -> Bools:
    """Which cells of a column are missing."""
    if column.dtype == object:
        return np.array([value is None for value in column], dtype=bool)
    return np.isnan(column)


def matched_columns(names: Sequence[str], target: str | None, given: Sequence[str]) -> list[str]:
    """Columns by name; a name with ``*`` or ``?`` that no column has stands for those that it matches."""
    others = FeatureNames.of([name for name in names if name != target])
    found = []
    for name in given:
        is_name = name in names or not is_pattern(name)
        found += [name] if is_name else [others[index] for index in others.matching(name)] or [name]
    return found


def refuse_missing_target(column: Column, name: str) -> None:
    """Refuse a target with missing values."""
    n_missing = int(missing_in(column).sum())
    if n_missing:
        raise TableError(
            f"target column {name!r} has {counted(n_missing, 'missing value')} (of {len(column)}); use "
            f"{parameter('drop_missing_target', True)} to leave out these rows."
        )


def as_target(column: Column, name: str, *, is_category: bool = False, decimal: str = "") -> Column:
    """The target column, checked: no missing values and more than one value; categories become text."""
    if column.dtype != object:
        n_infinite = int(np.isinf(column).sum())
        if n_infinite:
            raise TableError(
                f"target column {name!r} has {counted(n_infinite, 'infinite value')}; drop these rows."
            )
    refuse_missing_target(column, name)
    if (column == column[0]).all():
        raise TableError(
            f"target column {name!r} has only one value ({column[0]}); there is nothing to predict."
        )
    if is_category:
        return np.array([str(label) for label in _labels(column)], dtype=object)
    if column.dtype == object:
        _refuse_dates(f"target column {name!r}", column.tolist())
        _refuse_numbers(name, column.tolist(), decimal)
    return column


def _categories(
    column: Column, name: str, is_sure: bool, order: Order, decimal: str
) -> tuple[Floats, tuple[str, ...] | None]:
    """Codes and their labels; numbers without labels if there is an order, or nothing at all."""
    labels = _labels(column)
    known = [label for label in labels if label is not None]
    if not known:
        return np.full(len(column), np.nan), None
    if order is not None:
        ranks = {label: float(rank) for rank, label in enumerate(order)}
        return np.array([ranks.get(label, np.nan) for label in labels]), None
    if not is_sure:
        refuse_labels(name, known, decimal)
    return category_codes(labels, name)


def refuse_labels(name: str, labels: Sequence[str], decimal: str = "") -> None:
    """Refuse a column of text with these labels if they are dates, or numbers for the most part."""
    _refuse_dates(name, labels)
    _refuse_numbers(name, labels, decimal)


def _labels(column: Column) -> list[Any]:
    """Text as it is, numbers as whole ones where they are; None where missing."""
    if column.dtype == object:
        return list(column)
    numbers = [None if value != value else value for value in column.tolist()]
    return [int(value) if value is not None and value.is_integer() else value for value in numbers]


def holds_times(column: Column) -> bool:
    """Whether all that is known of a column is dates or times."""
    known = [label for label in column.tolist() if label is not None] if column.dtype == object else []
    return bool(known) and _are_times(known)


def _are_times(known: Sequence[str]) -> bool:
    return all(WHEN.fullmatch(label) for label in known)


def _refuse_dates(who: str, known: Sequence[str]) -> None:
    if _are_times(known):
        raise TableError(f"{who} {DATES} (for example {known[0]!r}).")


def _refuse_numbers(name: str, known: Sequence[str], decimal: str) -> None:
    """Refuse text that is mostly numbers: by cells, because typos are rare; by labels, because numbers are many."""
    numbers = [label for label in known if _looks_like_number(label, decimal)]
    if 2 * len(numbers) <= len(known) and 2 * len(set(numbers)) <= len(set(known)):
        return
    advice = f"or say that it is a category ({parameter('categorical', [name])})."
    inexact = next(filter(is_inexact, numbers), None)
    if inexact is not None:
        raise TableError(
            f"column {name} holds whole numbers that floats cannot tell apart, for example {quote(inexact)}; drop it "
            f"if it names rows ({parameter('drop', [name])}), rescale it, {advice}"
        )
    spelled = next((label for label in numbers if not _is_number(label, decimal)), None)
    if spelled is not None:
        raise TableError(
            f"column {name} is not numeric, but most of it looks like numbers, for example {quote(spelled)}; "
            f"{_respelled(spelled, decimal)}, {advice}"
        )
    others = [label for label in dict.fromkeys(known) if not _looks_like_number(label, decimal)]
    examples = list_some([quote(label) for label in others], most=3)
    raise TableError(
        f"column {name} holds numbers in {len(numbers)} cells and text in {len(known) - len(numbers)} ({examples}); "
        f"correct these cells, leave them empty if they are not known, {advice}"
    )


def is_inexact(cell: str) -> bool:
    """Whether a cell holds a whole number that floats cannot tell from its neighbours."""
    digits = cell.strip().lstrip("+-").lstrip("0")
    # Python refuses to make numbers of thousands of digits; a few more than 2**53 has are enough to know.
    return len(digits) > 15 and digits.isdecimal() and int(digits[:20]) > LARGEST_EXACT


def _looks_like_number(label: str, decimal: str) -> bool:
    return bool(SPELLED.fullmatch(label)) or _is_number(label, decimal)


def _is_number(label: str, decimal: str) -> bool:
    # Python would read 12_345 as a number; in a table it is more likely an identifier.
    return "_" not in label and is_float(label.translate(SWAPPED) if decimal == "," else label)


def _respelled(spelled: str, decimal: str) -> str:
    """What to do about a number in a spelling that no program reads."""
    if decimal == "." and re.fullmatch(r"[-+]?\d+,\d+", spelled):
        return f"use {parameter('decimal', ',')} if commas are the decimal signs of a CSV file"
    return f"write numbers with a decimal {'comma' if decimal == ',' else 'point'} and without other signs"
