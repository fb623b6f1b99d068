"""Tables from files: columns of Arrow with names, and text that is too likely a mistake to be categories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools
from altsets.errors import TableError
from altsets.features import FeatureNames, is_pattern
from altsets.measures.large.decoding import kind_of
from altsets.tables.conversion import (
    DATES,
    LARGEST_EXACT,
    UsableColumns,
    as_numbers,
    is_float,
    object_array,
    usable_columns,
)
from altsets.tables.feature_matrix import written
from altsets.wording import counted, list_some, parameter, quote, suggestion

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
#: Numbers with a decimal comma.
COMMA = re.compile(r"[-+]?\d+,\d+")

#: What makes numbers with decimal commas into those of Python, and those with a point into none.
SWAPPED = str.maketrans(",.", ".,")

#: Floats (nan = missing), or objects (str, None = missing) where a column is not numeric.
Column = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read: columns of Arrow, in which text is still text and null is missing.

    Of single cells, these are columns of ``obs``, and the features are the genes of a matrix beside them.
    """

    frame: Any
    source: str = "the table"
    #: Columns of numbers that are categories, as is known from the file.
    categories: tuple[str, ...] = ()
    #: The hash of the file, byte by byte; empty if there was none.
    sha256: str = ""
    #: Sentences on what was left out when it was read.
    notes: tuple[str, ...] = ()
    #: Columns that were the index of a frame: features only if they are asked for.
    index: tuple[str, ...] = ()
    #: The decimal sign of a text file; other files hold numbers as such.
    decimal: str = ""
    #: What a text file has in place of values that are not known: each spelling, and in how many cells of each column.
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    matrix: Any = None
    genes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise TableError(
                f"{self.source}: column names must be distinct; these occur more than once: {list_some(twice)}."
            )
        if not self.n_rows:
            raise TableError(f"{self.source} has no rows of data.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self.frame.column_names)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.frame.num_rows)

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns as arrays."""
        return tuple(map(self.column, self.names))

    def column(self, name: str) -> Column:
        """A column as an array of numbers or text."""
        column = self.frame.column(name)
        kind = kind_of(column.type)
        if kind == "numbers":
            numbers = np.array(_as_floats(column))
            # Whole numbers that floats cannot tell apart are names, if anything.
            if "int" not in str(column.type) or np.nanmax(np.abs(numbers), initial=0.0) < LARGEST_EXACT:
                return numbers
        elif kind not in ("text", "dates"):
            raise TableError(
                f"column {name!r} of {self.source} holds {kind}, not one number or text in each cell; choose another "
                "one."
            )
        return object_array([None if value is None else str(value) for value in column.to_pylist()])

    def usable(
        self, names: Sequence[str], categorical: Collection[str], rows: Bools, unusable: str
    ) -> UsableColumns:
        """Some of the features in some of the rows, in the form of all tables."""
        if self.genes:
            # All of them first: the indices of a damaged matrix must not be used.
            found = usable_columns(self.matrix, unusable, self.genes)
            wanted, features = {*names}, found.features
            places = [place for place, name in enumerate(features.names) if name in wanted]
            if not places:
                raise TableError(f"no gene of {self.source} that is left can be used; choose others.")
            features = features.columns(places) if len(places) < features.n_features else features
            return found._replace(features=features if rows.all() else features.rows(rows))
        import pyarrow as pa

        frame = self.frame.select(list(names))
        frame = frame if rows.all() else frame.filter(rows)
        columns = [
            _as_category(column) if name in categorical else column
            for name, column in zip(names, frame.columns, strict=True)
        ]
        check_text = partial(refuse_text, decimal=self.decimal)
        found = usable_columns(pa.table(columns, names=list(names)), unusable, check_text=check_text)
        return found._replace(features=replace(found.features, original=None))


def _as_floats(column: Any) -> Any:
    column = column.cast("int8") if str(column.type) == "bool" else column
    return column.cast("double", safe=False).to_numpy()


def _as_category(column: Any) -> Any:
    """A column in the type of categories: whole numbers as such, dates as text; one without values stays as it is."""
    import pyarrow as pa

    kind = kind_of(column.type)
    if kind not in ("numbers", "text", "dates") or column.null_count == len(column):
        return column
    if kind == "dates":
        column = pa.chunked_array([[None if when is None else str(when) for when in column.to_pylist()]])
    elif kind == "numbers" and "int" not in str(column.type):
        # Those of text files are floats; of floats, nan would be a label.
        column = pa.chunked_array([pa.array(_as_floats(column), from_pandas=True)])
    if not pa.types.is_dictionary(column.type):
        return column.dictionary_encode()
    # Ordered categories would be ranks.
    return column.cast(column.type.value_type).dictionary_encode() if column.type.ordered else column


def missing_in(column: Column) -> Bools:
    """Which cells of a column are missing."""
    if column.dtype == object:
        return np.array([value is None for value in column], dtype=bool)
    return np.isnan(column)


def columns_in(
    given: Iterable[str], role: str, names: Sequence[str], source: str, targets: Collection[str] = ()
) -> list[str]:
    """The columns that are meant by names, and by patterns, which match no target; unknown ones are refused."""
    there, found = set(names), []
    for name in given:
        if name in there:
            found.append(name)
            continue
        others = FeatureNames.of([other for other in names if other not in targets])
        matched = [others[index] for index in others.matching(name)] if is_pattern(name) else []
        if not matched:
            raise unknown_column(name, role, names, source)
        found += matched
    return found


def unknown_column(name: str, role: str, names: Sequence[str], source: str) -> TableError:
    """Explain that a table lacks a column."""
    otherwise = f"its columns are: {list_some(names) or 'none'}."
    if names and all(map(is_float, names)):
        otherwise = "its first line holds only numbers, so it may lack a header line."
    return TableError(f"{source} has no {role} {name!r}; {suggestion(name, names, otherwise)}")


def refuse_conflicts(targets: Sequence[str], drop: Collection[str], groups: str | None) -> None:
    """Refuse a target that is also something else."""
    for name in targets:
        if name in drop or name == groups:
            other = "dropped" if name in drop else "the column of groups"
            raise TableError(f"column {name!r} cannot be both the target and {other}.")


def refuse_missing(column: Column, who: str, advice: str) -> None:
    n_missing = int(missing_in(column).sum())
    if n_missing:
        raise TableError(f"{who} {counted(n_missing, 'missing value')} (of {len(column)}); {advice}.")


def refuse_missing_target(column: Column, name: str) -> None:
    advice = f"use {parameter('drop_missing_target', True)} to leave out these rows"
    refuse_missing(column, f"target column {name!r} has", advice)


def as_target(column: Column, name: str, *, is_category: bool = False, decimal: str = "") -> Column:
    """The target column, checked: no missing values and more than one value; categories become text."""
    refuse_missing_target(column, name)
    as_numbers(column, f"target column {name!r}")
    if (column == column[0]).all():
        raise TableError(
            f"target column {name!r} has only one value ({column[0]}); there is nothing to predict."
        )
    if is_category:
        return object_array([written(value) for value in column.tolist()])
    if column.dtype == object:
        refuse_text(name, Counter(column.tolist()), decimal, f"target column {name!r}")
    return column


# --- Text that is likely a mistake --------------------------------------------------------------------


def refuse_text(name: str, known: Mapping[str, int], decimal: str = "", who: str = "") -> None:
    """Refuse a column of text if it holds dates, or numbers for the most part; ``known`` counts its labels.

    Typos are rare among cells, and numbers many among labels, so both are counted. ``decimal`` is the sign of numbers.
    """
    if are_times(known):
        raise TableError(f"{who or name} {DATES} (its first value is {next(iter(known))!r}).")
    numbers = [label for label in known if _looks_like_number(label, decimal)]
    n_cells, n_numbers = sum(known.values()), sum(known[label] for label in numbers)
    if 2 * n_numbers <= n_cells and 2 * len(numbers) <= len(known):
        return
    advice = f"or say that it is a category ({parameter('categorical', [name])})."
    inexact = next(filter(is_inexact, numbers), None)
    if inexact is not None:
        raise TableError(
            f"column {name} holds whole numbers that floats cannot tell apart, for example {quote(inexact)}; drop it "
            f"if it names rows ({parameter('drop', [name])}), rescale it, {advice}"
        )
    spelled = next((label for label in numbers if as_number(label, decimal) is None), None)
    if spelled is not None:
        raise TableError(
            f"column {name} is not numeric, but most of it looks like numbers, for example {quote(spelled)}; "
            f"{_respelled(spelled, decimal)}, {advice}"
        )
    others = [label for label in known if not _looks_like_number(label, decimal)]
    examples = list_some([quote(label) for label in others], most=3)
    raise TableError(
        f"column {name} holds numbers in {n_numbers} cells and text in {n_cells - n_numbers} ({examples}); "
        f"correct these cells, leave them empty if they are not known, {advice}"
    )


def refuse_commas(table: Table, names: Sequence[str]) -> None:
    """Refuse columns of numbers with commas where points are expected: what can be read is not to be left out."""
    found = [name for name in names if table.decimal == "." and _has_commas(table.frame.column(name))]
    if found:
        raise TableError(
            f"{counted(len(found), 'column')} ({list_some(found)}) with numbers such as 1,5 cannot be used; use "
            f"{parameter('decimal', ',')} if commas are the decimal signs of a CSV file, or say that these are "
            f"categories ({parameter('categorical', found[:1])})."
        )


def _has_commas(column: Any) -> bool:
    import pyarrow.compute as pc

    if str(column.type) != "string":
        return False
    n_commas = pc.sum(pc.match_substring_regex(column, f"^{COMMA.pattern}$")).as_py() or 0
    return bool(2 * n_commas > len(column) - column.null_count)


def is_inexact(cell: str) -> bool:
    """Whether a cell holds a whole number that floats cannot tell from its neighbours."""
    digits = cell.strip().lstrip("+-").lstrip("0")
    # Python refuses to make numbers of thousands of digits; a few more than 2**53 has are enough to know.
    return len(digits) > 15 and digits.isdecimal() and int(digits[:20]) > LARGEST_EXACT


def are_times(known: Iterable[str]) -> bool:
    """Whether all of these texts are dates or times."""
    return all(WHEN.fullmatch(label) for label in known)


def _looks_like_number(label: str, decimal: str) -> bool:
    return bool(SPELLED.fullmatch(label)) or as_number(label, decimal) is not None


def as_number(text: str, decimal: str) -> float | None:
    """The number with this decimal sign in a text, if it is one."""
    try:
        # Python would read 12_345 as a number; in a table it is more likely an identifier.
        return None if "_" in text else float(text.translate(SWAPPED) if decimal == "," else text)
    except ValueError:
        return None


def _respelled(spelled: str, decimal: str) -> str:
    """What to do about a number in a spelling that no program reads."""
    if decimal == "." and COMMA.fullmatch(spelled):
        return f"use {parameter('decimal', ',')} if commas are the decimal signs of a CSV file"
    return f"write numbers with a decimal {'comma' if decimal == ',' else 'point'} and without other signs"
