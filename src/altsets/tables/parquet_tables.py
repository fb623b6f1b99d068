"""Tables in Parquet files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from altsets.errors import MissingExtraError, TableError
from altsets.tables.column_conversion import LARGEST_EXACT
from altsets.tables.file_contents import tidy
from altsets.tables.table import Column, Order, Table

__all__ = ["parquet_of", "parse_parquet", "require_pyarrow"]


def require_pyarrow(purpose: str) -> None:
    """Say that a package is missing before anybody waits for what it is needed for."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(purpose, "pyarrow", "tables") from error


def parquet_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bytes:
    """Rows as the bytes of a Parquet file; needs pyarrow.

    Parameters
    ----------
    rows : sequence of mappings
        Numbers, text, None or lists of text, by column.
    columns : sequence of str
        The columns in their order.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [pa.array([row[column] for row in rows]) for column in columns]
    # A column without any value is one of numbers that are not known.
    filled = [array.cast(pa.float64()) if pa.types.is_null(array.type) else array for array in arrays]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(zip(columns, filled, strict=True))), sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def parse_parquet(content: bytes, source: str) -> Table:
    """The table in the bytes of a file; needs pyarrow."""
    require_pyarrow("reading Parquet files")
    import pyarrow as pa
    import pyarrow.parquet as pq

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
    notes = tuple(f"Column {name} was left out: it is the index of a frame." for name in indices)
    categories = {name: _order(column) for name, column in kept if pa.types.is_dictionary(column.type)}
    # Categories of numbers lose their type in Parquet, but pandas leaves a note.
    for note in (table.schema.pandas_metadata or {}).get("columns", ()):
        if note["pandas_type"] == "categorical" and not note["metadata"]["ordered"]:
            categories.setdefault(tidy(str(note["field_name"])), None)
    names, columns = (name for name, _ in kept), (_arrow_column(column) for _, column in kept)
    return Table(tuple(names), tuple(columns), source, categories, notes=notes)


def _order(column: Any) -> Order:
    """The labels of ordered categories in their order."""
    if not column.type.ordered or not column.num_chunks:
        return None
    # The chunks of a column may have dictionaries of their own until they are made one.
    return tuple(map(str, column.unify_dictionaries().chunk(0).dictionary.to_pylist()))


def _arrow_column(column: Any) -> Column:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        # Categories of numbers are labels, too.
        kind = pa.string()
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    numeric = ("is_integer", "is_floating", "is_boolean", "is_decimal", "is_null")
    if any(getattr(pa.types, name)(kind) for name in numeric):
        numbers = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        if not pa.types.is_integer(kind) or not np.nanmax(np.abs(numbers), initial=0.0) >= LARGEST_EXACT:
            return numbers
    labels = np.empty(len(column), dtype=object)
    labels[:] = [None if value is None else str(value) for value in column.to_pylist()]
    return labels
