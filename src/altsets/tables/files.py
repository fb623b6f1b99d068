"""Tables from files, without pandas: CSV (plain or gzipped) and Parquet, told apart by what they hold."""

from __future__ import annotations

import os
from pathlib import Path

from altsets.tables.csv_tables import parse_csv
from altsets.tables.file_contents import content_of, decoded
from altsets.tables.parquet_tables import parse_parquet
from altsets.tables.table import Table

__all__ = ["read_table"]


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a CSV file (also gzipped) or a Parquet file.

    CSV: UTF-8 with or without a byte-order mark (or UTF-16 with one), a header line, and commas, semicolons
    or tabs between the fields. Empty fields and NA, N/A, NaN, null, None and ? are missing values; true and
    false are 1 and 0. A first column without a name that counts the rows from 0 is the index that pandas
    writes, and is left out.

    Parameters
    ----------
    path : path-like
        The file. What it holds decides, not its name.

    Raises
    ------
    TableError
        If the file cannot be read as a table; the message says where and why.
    MissingExtraError
        If it is a Parquet file and pyarrow is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("age;town\\n42;Rome\\n;Oslo\\n")
    >>> table = read_table(path)
    >>> table.names, table.columns[0].tolist(), table.columns[1].tolist()
    (('age', 'town'), [42.0, nan], ['Rome', 'Oslo'])
    """
    content = content_of(Path(path))
    source = Path(path).name
    if content[:4] == b"PAR1":
        return parse_parquet(content, source)
    return parse_csv(decoded(content, source), source)
