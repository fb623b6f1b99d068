"""Tables from files, without pandas: CSV (plain or gzipped), Parquet and Excel, told apart by what they hold."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from altsets.errors import TableError
from altsets.tables.csv_tables import parse_csv
from altsets.tables.excel_tables import parse_excel
from altsets.tables.file_contents import STANDARD_INPUT, decoded, piped, stored, unpacked
from altsets.tables.formats import is_excel, refuse_markup
from altsets.tables.parquet_tables import parse_parquet
from altsets.tables.table import Table

__all__ = ["read_table"]


def read_table(
    path: str | os.PathLike[str], *, decimal: str | None = None, sheet: str | None = None
) -> Table:
    """Read a CSV file (also gzipped), a Parquet file or an Excel workbook.

    CSV: UTF-8 with or without a byte-order mark (or UTF-16 with one), a header line, and commas, semicolons
    or tabs between the fields. Empty fields and NA, N/A, NaN, null, None and ? are missing values; true and
    false are 1 and 0. A first column without a name that counts the rows from 0 is the index that pandas
    writes, and is left out.

    Parameters
    ----------
    path : path-like
        The file, or ``"-"`` for standard input. What it holds decides, not its name.
    decimal : {".", ","}, optional
        The decimal sign of a CSV file; a point unless it says otherwise. A comma needs semicolons or tabs between
        the fields.
    sheet : str, optional
        The sheet of a workbook; by default the first one.

    Raises
    ------
    TableError
        If the file cannot be read as a table; the message says where and why.
    MissingExtraError
        If it is a Parquet file and pyarrow is not installed, or a workbook and openpyxl is not.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("age;town;dose\\n42;Rome;0,5\\n;Oslo;1\\n")
    >>> table = read_table(path, decimal=",")
    >>> table.names, [column.tolist() for column in table.columns]
    (('age', 'town', 'dose'), [[42.0, nan], ['Rome', 'Oslo'], [0.5, 1.0]])
    """
    from_input = str(path) == STANDARD_INPUT
    source = "standard input" if from_input else Path(path).name
    raw = piped() if from_input else stored(Path(path))
    table = _parsed(unpacked(raw, source if from_input else str(path)), source, decimal, sheet)
    return replace(table, sha256=hashlib.sha256(raw).hexdigest())


def _parsed(content: bytes, source: str, decimal: str | None, sheet: str | None) -> Table:
    is_workbook, is_parquet = is_excel(content), content[:4] == b"PAR1"
    if sheet is not None and not is_workbook:
        raise TableError(f"{source} has no sheets, as it is no Excel workbook; leave out --sheet.")
    if decimal is not None and (is_workbook or is_parquet):
        raise TableError(f"{source} is not a CSV file, and holds numbers as such; leave out --decimal.")
    if is_workbook:
        return parse_excel(content, source, sheet)
    if is_parquet:
        return parse_parquet(content, source)
    text = decoded(content, source)
    refuse_markup(text, source)
    return parse_csv(text, source, decimal=decimal or ".")
