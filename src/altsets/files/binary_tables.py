"""Tables in Parquet files and in Excel workbooks."""

from __future__ import annotations

import csv
import io
import re
import warnings
from typing import Any

import numpy as np

from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.files.columns import Column, Order, Table, refuse_nameless
from altsets.files.contents import refuse_size, tidy, workbook_size
from altsets.files.csv_tables import parse_csv
from altsets.tables.conversion import LARGEST_EXACT
from altsets.wording import list_some

#: Types of Arrow that hold numbers, and those that are read as text; all others hold several values, or bytes.
NUMERIC = ("is_integer", "is_floating", "is_boolean", "is_decimal", "is_null")
TEXT = ("is_string", "is_large_string", "is_string_view", "is_temporal")


def parse_parquet(content: bytes, source: str) -> Table:
    """The table in the bytes of a file; needs pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet files", "pyarrow", "tables") from error

    try:
        table = pq.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{source} cannot be read as Parquet: {reason}.") from error
    # pandas stores a nameless index as a column of this name; it is no feature.
    indices = [name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)]
    kept = [
        (tidy(name), column)
        for name, column in zip(table.column_names, table.columns, strict=True)
        if name not in indices
    ]
    refuse_nameless([name for name, _ in kept], source, "give it one")
    notes = tuple(f"Column {name} was left out: it is the index of a frame." for name in indices)
    categories = {name: _order(column) for name, column in kept if pa.types.is_dictionary(column.type)}
    # Categories of numbers lose their type in Parquet, but pandas leaves a note.
    for note in (table.schema.pandas_metadata or {}).get("columns", ()):
        if note["pandas_type"] == "categorical" and not note["metadata"]["ordered"]:
            categories.setdefault(tidy(str(note["field_name"])), None)
    unusable = {name: f"values of type {column.type}" for name, column in kept if not _is_usable(column.type)}
    names, columns = (name for name, _ in kept), (_arrow_column(column) for _, column in kept)
    return Table(tuple(names), tuple(columns), source, categories, notes=notes, unusable=unusable)


def _is_usable(kind: Any) -> bool:
    """Whether a type has one number, text, date or category in each cell."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_usable(kind.value_type)
    return any(getattr(pa.types, name)(kind) for name in (*NUMERIC, *TEXT) if hasattr(pa.types, name))


def _order(column: Any) -> Order:
    """The labels of ordered categories in their order."""
    if not column.type.ordered or not column.num_chunks:
        return None
    # The chunks of a column may have dictionaries of their own until they are made one.
    return tuple(map(str, column.unify_dictionaries().chunk(0).dictionary.to_pylist()))


def _arrow_column(column: Any) -> Column:
    import pyarrow as pa

    kind = column.type
    if not _is_usable(kind):
        return np.full(len(column), None, dtype=object)
    if pa.types.is_dictionary(kind):
        # Categories of numbers are labels, too.
        kind = pa.string()
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    if any(getattr(pa.types, name)(kind) for name in NUMERIC):
        numbers = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        if not pa.types.is_integer(kind) or not np.nanmax(np.abs(numbers), initial=0.0) >= LARGEST_EXACT:
            return numbers
    labels = np.empty(len(column), dtype=object)
    labels[:] = [None if value is None else str(value) for value in column.to_pylist()]
    return labels


def parse_excel(content: bytes, source: str, sheet: str | None = None) -> Table:
    """The table in the first sheet of a workbook, or in the one of a name; needs openpyxl.

    The first row has the names of the columns. Of formulas, what Excel has computed counts.
    """
    try:
        import openpyxl
    except ImportError as error:
        purpose, otherwise = f"reading {source}, an Excel workbook,", "save the sheet as CSV"
        raise MissingExtraError(purpose, "openpyxl", "excel", otherwise) from error
    try:
        refuse_size(workbook_size(content), source)
        with warnings.catch_warnings():
            # It warns of what it does not keep, such as rules for input; cells are all that counts here.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            chosen = _sheet(book, source, sheet)
            # Some programs store a wrong size.
            chosen.reset_dimensions()
            rows = [list(row) for row in chosen.iter_rows(values_only=True)]
    except TableError:
        raise
    except Exception as error:
        # A damaged workbook may raise anything.
        raise TableError(f"{source} cannot be read as an Excel workbook: {reason_of(error)}.") from error
    return parse_csv(_as_text(rows, source), source, delimiter=",")


def _sheet(book: Any, source: str, name: str | None) -> Any:
    if name is None:
        return book.worksheets[0]
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if name not in sheets:
        raise TableError(f"{source} has no sheet {name!r}; its sheets are: {list_some(list(sheets))}.")
    return sheets[name]


def _as_text(rows: list[list[Any]], source: str) -> str:
    """A sheet as CSV, without the empty rows and columns that sheets have at their ends."""
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise TableError(f"{source} has an empty sheet; a table needs a header line and rows.")
    used = max(1 + place for row in rows for place, cell in enumerate(row) if cell is not None)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        cells = row[:used] + [None] * (used - len(row))
        writer.writerow(["" if cell is None else str(cell) for cell in cells])
    return buffer.getvalue()
