"""New files: checked before anything is computed, written whole or not at all, never over another one unasked.

Answers become rows of CSV (safe to open in a spreadsheet) or Parquet, or one JSON document.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, Self

from altsets.errors import InputError, MissingExtraError, reason_of
from altsets.files.contents import csv_text
from altsets.result import Result

#: Formats of answers, by the ending of the file's name.
ENDINGS = (".csv", ".parquet", ".json")
#: How text begins that spreadsheets take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class NewFile:
    """A file to be written.

    Messages call it ``called``, such as "--output answer.csv". It replaces another file only with ``force``;
    ``permission`` says how the user gives that, such as "add --force".
    """

    path: str
    called: str
    force: bool = False
    permission: str = "pass force=True"

    def check(self, table: str | None = None) -> Self:
        """Raise what would go wrong later; ``table`` is a file that it must not be in any case."""
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            raise InputError(f"{self.called}: there is no folder {folder}; make it first.")
        if os.path.isdir(self.path):
            raise InputError(f"{self.called} is a folder; name a file.")
        both_there = table is not None and os.path.exists(table) and os.path.exists(self.path)
        if both_there and os.path.samefile(str(table), self.path):
            raise InputError(f"{self.called} is the table itself; choose another name.")
        self._refuse_to_replace()
        try:
            with _beside(self.path):
                pass
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error
        return self

    def write(self, content: bytes) -> None:
        """Write the file, whole or not at all."""

        self.make(lambda path: Path(path).write_bytes(content))

    def make(self, fill: Callable[[str], object]) -> None:
        """Have the file written by a function of its path, whole or not at all."""
        self._refuse_to_replace()
        try:
            with _beside(self.path) as temporary:
                fill(temporary)
                # A link stays one, and what it points to is replaced.
                os.replace(temporary, os.path.realpath(self.path))
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error

    def _refuse_to_replace(self) -> None:
        if os.path.lexists(self.path) and not self.force:
            raise InputError(
                f"{self.called} exists already; choose another name, or {self.permission} to replace it."
            )

    def _unwritable(self, error: Exception) -> InputError:
        return InputError(f"{self.called} cannot be written: {reason_of(error)}.")


@contextmanager
def _beside(path: str) -> Iterator[str]:
    """A new file in the same folder, which is gone afterwards unless it was moved away."""
    folder, name = os.path.split(os.path.realpath(path))
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")
    with open(temporary, "xb"):
        pass
    try:
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.remove(temporary)


def write_new(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a new file, whole or not at all; one that already has exactly this content stays as it is."""
    if os.path.isfile(path) and Path(path).read_bytes() == content:
        return
    NewFile(os.fspath(path), os.fspath(path), permission="delete it").write(content)


def write_csv(names: Sequence[str], columns: Iterable[Any], path: str | os.PathLike[str]) -> None:
    """Write columns so that they are read as the same numbers again; never over another file."""
    # As Python objects: repr() of a Python float is the shortest text that reads back as the same number.
    rows = zip(*(column.tolist() for column in columns), strict=True)
    write_new(path, csv_text([names, *rows]).encode())


def escape_formula(text: str) -> str:
    """Text that a spreadsheet does not take for a formula: a single quote goes before one.

    It also goes before text that only differs from such text by quotes, so that :func:`unescape_formula` can tell
    them apart.
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def unescape_formula(text: str) -> str:
    """What :func:`escape_formula` was given."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text


def rows_of_result(result: Result) -> tuple[Rows, list[str]]:
    """One row for each set and feature, and the columns."""
    rows = []
    for number, names in enumerate(result.texts):
        scores = result.scores[number] if result.scores else [None] * len(names)
        groups = [{"group": group} for group in result.groups[number]] if result.groups else repeat({})
        same = {"quality": result.qualities[number], "status": str(result.statuses[number])}
        same |= {name: costs[number] for name, costs in result.cost_columns.items()}
        rows += [
            {"set": number, "feature": name, "score": score, **group, **same}
            for name, score, group in zip(names, scores, groups, strict=False)
        ]
    grouped = ["group"] if result.groups else []
    return rows, ["set", "feature", "score", *grouped, "quality", "status", *result.cost_columns]


def encode_answer(path: str, rows: Rows, columns: Sequence[str], document: Mapping[str, Any]) -> bytes:
    """An answer as the ending of a file's name says: ``rows`` as a table, or ``document`` as JSON."""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".json":
        return json.dumps(document, indent=2, allow_nan=False).encode() + b"\n"
    return encode_csv(rows, columns) if ending == ".csv" else encode_parquet(rows, columns)


def encode_csv(rows: Rows, columns: Sequence[str]) -> bytes:
    """Rows of numbers, text, None or lists of text as CSV that is safe to open in a spreadsheet.

    A list of names is one field, with commas between them and quotes where a name has a comma.
    """
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    return csv_text([list(map(escape_formula, columns)), *cells]).encode()


def _cell(value: Any) -> Any:
    text = csv_text([value]).rstrip("\n") if isinstance(value, list | tuple) else value
    return escape_formula(text) if isinstance(text, str) else text


def encode_parquet(rows: Rows, columns: Sequence[str]) -> bytes:
    """Rows of numbers, text, None or lists of text as the bytes of a Parquet file; needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [pa.array([row[column] for row in rows]) for column in columns]
    # A column without any value is a numeric one of unknown values.
    filled = [array.cast(pa.float64()) if pa.types.is_null(array.type) else array for array in arrays]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(zip(columns, filled, strict=True))), sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def require_pyarrow(purpose: str, extra: str = "tables") -> None:
    """Say that a package is missing before anything is computed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(purpose, "pyarrow", extra) from error
