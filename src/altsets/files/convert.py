"""CSV files of any size as Parquet files, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from altsets.errors import MissingExtraError, TableError
from altsets.files.columns import Column, Table, refuse_nameless
from altsets.files.contents import LongText, naming, refuse_markup, refuse_other_than_files
from altsets.files.parsing import CsvReader
from altsets.files.writing import NewFile
from altsets.wording import counted, list_some

#: Cells of a row group: 40 MB of numbers.
CELLS_OF_GROUP = 5_000_000


def convert_csv(
    path: str, file: NewFile, *, decimal: str | None = None, progress: Callable[[float], object] | None = None
) -> str:
    """Make a Parquet file of a CSV file, read as :func:`altsets.read_table` does; a sentence on what it holds.

    The file is read twice: what a column holds is known at its end only.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("writing Parquet files", "pyarrow", "tables") from error

    tell = (lambda share: None) if progress is None else progress
    with naming(Path(path)):
        refuse_other_than_files(Path(path))
        text = LongText(Path(path), Path(path).name)
    refuse_markup(text.head, text.source)
    reader = CsvReader(text, text.source, decimal or ".")
    as_text, counts_rows = _look(reader, text, lambda share: tell(share / 2))
    names = reader.names
    first = 1 if len(names) > 1 and not names[0] and counts_rows else 0
    refuse_nameless(names[first:], text.source, "put one into the first line")
    # Refuses names that come twice.
    Table(tuple(names[first:]), (np.zeros(1),), text.source)
    schema = pa.schema(
        (name, pa.string() if place in as_text else pa.float64())
        for place, name in enumerate(names)
        if place >= first
    )
    n_rows = 0

    def fill(temporary: str) -> None:
        nonlocal n_rows
        with pq.ParquetWriter(temporary, schema) as writer:
            for columns in _grouped(reader.chunks(as_text), max(1, CELLS_OF_GROUP // len(names))):
                arrays = [
                    pa.array(column, field.type, from_pandas=True)
                    for column, field in zip(columns[first:], schema, strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=schema))
                n_rows += len(columns[0])
                tell((1 + text.share_read) / 2)

    file.make(fill)
    texts = [names[place] for place in sorted(as_text)]
    held = f", {len(texts)} of them text ({list_some(texts)})" if texts else ""
    return f"{file.path} has {counted(n_rows, 'row')} and {counted(len(schema), 'column')}{held}."


def _look(reader: CsvReader, text: LongText, tell: Callable[[float], object]) -> tuple[set[int], bool]:
    """The columns that hold text, and whether the first one counts the rows."""
    as_text: set[int] = set()
    counts, n_rows = True, 0
    for _, block, odd in reader.blocks(as_text):
        as_text.update(odd)
        counts = counts and np.array_equal(block[:, 0], np.arange(n_rows, n_rows + len(block)))
        n_rows += len(block)
        tell(text.share_read)
    if not n_rows:
        raise TableError(f"{text.source} has no rows of data.")
    return as_text, counts


def _grouped(chunks: Iterator[Sequence[Column]], n_rows: int) -> Iterator[list[Column]]:
    """Chunks of columns, joined until they have about so many rows."""
    waiting: list[Sequence[Any]] = []
    for chunk in chunks:
        waiting.append(chunk)
        if sum(len(one[0]) for one in waiting) >= n_rows:
            yield [np.concatenate(parts) for parts in zip(*waiting, strict=True)]
            waiting = []
    if waiting:
        yield [np.concatenate(parts) for parts in zip(*waiting, strict=True)]
