"""Parquet files and folders that are larger than memory: read in passes when they are measured."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from altsets.errors import InputError, TableError
from altsets.files.columns import Table, columns_in, refuse_conflicts, refuse_text
from altsets.files.parsing import LABEL, NUMBER, Wanted, parse_arrow
from altsets.measures.large.arrow import ArrowRows, open_dataset, read_columns
from altsets.measures.large.decoding import kind_of
from altsets.measures.large.table import LargeTable, memory_of
from altsets.tables.conversion import leave_out


def read_parts(
    path: Path,
    target: str,
    wanted: Wanted | None,
    drop: Sequence[str],
    *,
    max_memory: int | str | None,
    **how: Any,
) -> Table | LargeTable | None:
    """A folder, read as a whole or in passes; a Parquet file, if it is so large that it is read in passes.

    None for all others.
    """
    ceiling = memory_of(max_memory)
    is_folder = os.path.isdir(path)
    if not is_folder and not _is_large_file(path, ceiling):
        return None
    dataset, notes = open_dataset(path)
    rows = ArrowRows(dataset, path.name or str(path))
    kept = list(rows.types)
    if wanted is not None:
        kept = [kept[place] for place in wanted(kept, rows.source)]
    row = sum(LABEL if kind_of(rows.types[name]) == "text" else NUMBER for name in kept)
    if (rows.n_rows or 0) * row > ceiling:
        large = open_large(rows, target, kept, drop, wanted is not None, max_memory=ceiling, **how)
        large.notes += notes
        return large
    if is_folder:
        return replace(
            parse_arrow(read_columns(dataset, kept, rows.source), rows.source, wanted), notes=tuple(notes)
        )
    return None


def _is_large_file(path: Path, ceiling: int) -> bool:
    """Whether this is a Parquet file that may be too large; what is wrong with others is said where they are read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A pipe would wait for somebody to write.
        if not path.is_file():
            return False
        about = pq.read_metadata(path)
    except (OSError, ValueError, pa.ArrowException):
        return False
    return bool(about.num_rows * about.num_columns * LABEL > ceiling)


def open_large(
    rows: ArrowRows,
    target: str,
    kept: Sequence[str],
    drop: Sequence[str],
    is_asked: bool,
    *,
    categorical: Sequence[str],
    unusable: str,
    **more: Any,
) -> LargeTable:
    """A table that is read in passes; its texts are checked as those of other files are."""
    dropped = columns_in(drop, "column to drop", list(rows.types), rows.source, (target,))
    categorical = columns_in(categorical, "categorical column", list(rows.types), rows.source, (target,))
    refuse_conflicts([target], dropped, None)
    if target in categorical:
        raise TableError(f"column {target!r} cannot be both the target and a categorical column.")
    features = None
    if is_asked or drop:
        features = [name for name in kept if name not in dropped and name != target]
    how: dict[str, Any] = {"categorical": categorical, "unusable": unusable, **more}
    table = LargeTable(rows, target, features=features, **how)
    wrong: dict[str, InputError] = {}
    for index, labels in table.categories.items():
        name = table.names[index]
        if name not in categorical and not table.is_category(name):
            try:
                refuse_text(name, Counter(labels))
            except InputError as error:
                wrong[name] = error
    if not wrong:
        return table
    _, notes = leave_out(wrong, unusable, TableError)
    usable = LargeTable(rows, target, features=[name for name in table.names if name not in wrong], **how)
    usable.notes = [*table.notes, *notes]
    return usable
