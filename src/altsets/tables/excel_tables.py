"""Tables in Excel workbooks: a sheet as rows of text, and from there on as in a CSV file."""

from __future__ import annotations

import csv
import io
import warnings
from typing import Any

from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.tables.csv_tables import parse_csv
from altsets.tables.feature_matrix import listed
from altsets.tables.table import Table

__all__ = ["parse_excel"]


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
        raise TableError(f"{source} has no sheet {name!r}; its sheets are: {listed(list(sheets))}.")
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
