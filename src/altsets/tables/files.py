"""Tables in and out: CSV (plain or gzipped) and Parquet, the target apart from the features, a demo table.

A table comes in without pandas. Whatever no measure can use is refused here, in one sentence that names the
columns and says what to do.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from altsets.errors import MissingExtraError, TableError
from altsets.tables.columns import Column, Order, as_features, as_target, is_inexact
from altsets.tables.features import EXACT, Features, listed

__all__ = [
    "Dataset",
    "Table",
    "load_demo",
    "read_lines",
    "read_rows",
    "read_table",
    "read_text",
    "split_target",
    "write_csv",
]

#: What stands for "not known" in a CSV file, in lower case.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "<na>", "#n/a"})
TRUTH = {"true": 1.0, "false": 0.0}
DELIMITERS = (",", ";", "\t")
#: Cells that are converted at a time: strings cost ten times as much memory as the numbers they become.
CHUNK = 500_000

DEMO_TARGET = "diagnosis"


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, as they were read.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, all different.
    columns : tuple of ndarray
        Floats (nan = missing), or objects (str, None = missing) where a column is not numeric.
    source : str
        Where it came from, for messages.
    categories : mapping of str to tuple of str or None
        Columns that are categories by their type in the file; the labels in their order, if they have one.

    Examples
    --------
    >>> table = load_demo()
    >>> table.n_rows, len(table.names), table.names[:2]
    (569, 31, ('mean radius', 'mean texture'))
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    source: str = "the table"
    categories: Mapping[str, Order] = field(default_factory=dict)

    def __post_init__(self) -> None:
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise TableError(
                f"{self.source}: column names must be distinct; these occur more than once: {listed(twice)}."
            )
        if not self.n_rows:
            raise TableError(f"{self.source} has no rows of data.")

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table ready for a measure: the features in one form, the target apart.

    Attributes
    ----------
    X : Features
        Finite or missing numbers, and categories.
    y : ndarray of shape (n_rows,)
        Finite numbers or text.
    feature_names : tuple of str
        One for each column of ``X``.
    target_name : str
        The column that ``y`` was.
    """

    X: Features
    y: Column
    feature_names: tuple[str, ...]
    target_name: str


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
    content = _content(Path(path))
    source = Path(path).name
    if content[:4] == b"PAR1":
        return _read_parquet(content, source)
    return _read_csv(_text(content, source), source)


def read_rows(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    """The rows of a text file without a header, each with the number of its line; fields as in :func:`read_table`."""
    source = Path(path).name
    text = _text(_content(Path(path)), source)
    rows = _rows(text, _delimiter(text), source)
    return [(line, [_tidy(cell) for cell in row]) for line, row in rows]


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file that are not blank, such as the names of columns."""
    return [_tidy(line) for line in read_text(path).splitlines() if line.strip()]


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file as it is, in any of the ways in which tables may be stored."""
    return _text(_content(Path(path)), Path(path).name)


def split_target(
    table: Table, target: str, *, drop: Sequence[str] = (), categorical: Sequence[str] = ()
) -> Dataset:
    """Take the target apart from the features, and check that a measure can use both.

    Columns of text are categories. What is likely a mistake is refused: dates, numbers with some text among them,
    numbers in a spelling that cannot be read, categories that name single rows.

    Parameters
    ----------
    table : Table
        What :func:`read_table` returned.
    target : str
        The name of the target column.
    drop : sequence of str
        Columns to leave out.
    categorical : sequence of str
        Columns that are categories whatever they hold, such as codes.

    Raises
    ------
    TableError
        If a column does not exist, no feature is left, a feature is neither numbers nor categories or is infinite,
        or the target is incomplete or constant.

    Examples
    --------
    >>> data = split_target(load_demo(), "diagnosis", drop=["mean radius"])
    >>> data.X.values.shape, data.y[:1].tolist()
    ((569, 29), ['malignant'])
    """
    known = dict(zip(table.names, table.columns, strict=True))
    asked = [(target, "target column")]
    asked += [(name, "column to drop") for name in drop]
    asked += [(name, "categorical column") for name in categorical]
    for name, role in asked:
        if name not in known:
            raise _unknown(table, name, role)
    if target in drop:
        raise TableError(f"column {target!r} cannot be both the target and dropped.")
    left_out = {target, *drop}
    features = [name for name in table.names if name not in left_out]
    if not features:
        raise TableError(f"{table.source} has no feature columns besides the target {target!r}.")
    categories = {**table.categories, **{name: None for name in categorical}}
    y = as_target(known[target], target, is_category=target in categories)
    X = as_features({name: known[name] for name in features}, categories)
    return Dataset(X, y, tuple(features), target)


def load_demo() -> Table:
    """The table of ``altsets demo``: 569 breast tumours, 30 measurements, malignant or benign.

    It ships with scikit-learn (Wisconsin diagnostic breast cancer data).

    Examples
    --------
    >>> load_demo().names[-1]
    'diagnosis'
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    labels = np.array([str(name) for name in bunch.target_names], dtype=object)[bunch.target]
    names = (*(str(name) for name in bunch.feature_names), DEMO_TARGET)
    return Table(names, (*bunch.data.T, labels), source="the demo table")


def write_csv(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a table so that :func:`read_table` reads the same numbers again; never over another file.

    Parameters
    ----------
    table : Table
        What to write.
    path : path-like
        A new file, or one that already holds exactly this table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "demo.csv"
    >>> write_csv(load_demo(), path)
    >>> read_table(path).names == load_demo().names
    True
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.names)
    # As Python objects: repr() of a Python float is the shortest text that reads back as the same number.
    writer.writerows(zip(*(column.tolist() for column in table.columns), strict=True))
    content = buffer.getvalue().encode()
    try:
        with open(path, "xb") as file:
            file.write(content)
    except FileExistsError:
        if not Path(path).is_file() or Path(path).read_bytes() != content:
            raise TableError(f"{path} exists already; choose another name or delete it first.") from None
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}.") from error


def _content(path: Path) -> bytes:
    try:
        _refuse_other_than_files(path)
        content = path.read_bytes()
    except FileNotFoundError:
        raise TableError(f"there is no file {path}; check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}.") from error
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise TableError(f"{path} is a damaged gzip file: {error}.") from error
    return content


def _refuse_other_than_files(path: Path) -> None:
    """Refuse what is no file, or would never come to an end; pipes that a shell has opened are welcome."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise TableError(f"{path} is a directory; give a file.")
    is_pipe = stat.S_ISFIFO(mode) and path.parts[:2] in ((os.sep, "dev"), (os.sep, "proc"))
    if not stat.S_ISREG(mode) and not is_pipe:
        kind = "a named pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
        raise TableError(f"{path} is {kind}; give a file.")


def _text(content: bytes, source: str) -> str:
    utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(
            f"{source} is neither Parquet nor text in UTF-8 (byte {error.start} of it fits no character); "
            "save the table as CSV in UTF-8."
        ) from error
    if "\0" in text:
        raise TableError(f"{source} is a binary file; save the table as CSV or Parquet.")
    if not text.strip():
        raise TableError(f"{source} is empty; a table needs a header line and rows.")
    return text


def _read_csv(text: str, source: str) -> Table:
    delimiter = _delimiter(text)
    header = next(_rows(text, delimiter, source))[1]
    names = [_tidy(name) for name in header]
    as_text: set[int] = set()
    columns, surprises = _parse(text, delimiter, source, len(names), as_text)
    if surprises:
        # Columns that began with numbers: what was converted has lost its spelling, so read them again.
        columns, _ = _parse(text, delimiter, source, len(names), as_text | surprises)
    if len(names) > 1 and not names[0] and _counts_rows(columns[0]):
        names, columns = names[1:], columns[1:]
    nameless = [str(position) for position, name in enumerate(names, start=1) if not name]
    if nameless:
        raise TableError(f"{source}: column {listed(nameless)} has no name; put one into the first line.")
    return Table(tuple(names), tuple(columns), source)


def _tidy(name: str) -> str:
    return " ".join(name.split())


def _delimiter(text: str) -> str:
    """The delimiter that splits the first lines into most fields, and into equally many of them."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        lines = csv.reader(io.StringIO(text[:1_000_000], newline=""), delimiter=delimiter)
        try:
            widths = [len(row) for row in islice((row for row in lines if row), 3)]
        except csv.Error:
            return False, 0
        return len(set(widths)) == 1 and widths[0] > 1, max(widths)

    return max(DELIMITERS, key=fitness)


def _rows(text: str, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """All rows that are not blank, with the number of the line on which each of them ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}: {error}; check its quotes.") from error


def _parse(
    text: str, delimiter: str, source: str, width: int, as_text: set[int]
) -> tuple[list[Column], set[int]]:
    """All columns, and those that turned out to be text only after some of their cells had become numbers.

    ``as_text`` names the columns that are text; the first chunk may add to it.
    """
    rows = _rows(text, delimiter, source)
    next(rows)
    # Numbers are kept chunk by chunk, not column by column: a wide table has few rows and many columns.
    numbers: list[Column] = []
    labels: dict[int, list[str | None]] = {index: [] for index in as_text}
    surprises: set[int] = set()
    while chunk := list(islice(rows, max(1, CHUNK // width))):
        _check_widths(chunk, width, source)
        cells = [row for _, row in chunk]
        block = np.full((len(cells), width), np.nan)
        odd = _fill(block, cells, [index for index in range(width) if index not in as_text])
        if numbers:
            surprises.update(odd)
        else:
            as_text.update(odd)
            labels.update((index, []) for index in odd)
        for index, known in labels.items():
            known += _labels([row[index] for row in cells])
        numbers.append(block)
    by_column = np.concatenate(numbers).T.copy() if numbers else np.empty((width, 0))
    del numbers
    columns = list(by_column)
    for index, known in labels.items():
        columns[index] = np.array(known, dtype=object)
    return columns, surprises


def _fill(block: Column, cells: Sequence[Sequence[str]], columns: Sequence[int]) -> list[int]:
    """Put columns of numbers into a block, as many as possible at a time; the columns that hold anything else."""
    odd: list[int] = []
    waiting = [columns] if columns else []
    while waiting:
        some = waiting.pop()
        values = _floats(cells if len(some) == block.shape[1] else [_those(row, some) for row in cells])
        if values is not None:
            block[:, some] = values
        elif len(some) == 1:
            odd.append(some[0])
        else:
            # Text is found by halving, so that a few columns of it do not make many columns slow.
            half = len(some) // 2
            waiting += [some[half:], some[:half]]
    return odd


def _those(row: Sequence[str], columns: Sequence[int]) -> Sequence[str]:
    return itemgetter(*columns)(row) if len(columns) > 1 else (row[columns[0]],)


def _check_widths(chunk: list[tuple[int, list[str]]], width: int, source: str) -> None:
    for line, row in chunk:
        if len(row) != width:
            raise TableError(
                f"{source}, line {line}: {len(row)} fields, but the header has {width}; "
                "check quotes and delimiters."
            )


def _floats(cells: Sequence[Sequence[str]]) -> Column | None:
    """Rows of cells as numbers, or None if one of them is neither missing nor a number that floats can hold."""
    # Python would read 12_345 as a number; in a table it is more likely an identifier.
    if any("_" in "".join(row) for row in cells):
        return None
    try:
        numbers = np.array(cells, dtype=np.float64)
    except ValueError:
        try:
            numbers = np.array([[_float(cell) for cell in row] for row in cells], dtype=np.float64)
        except ValueError:
            return None
    if not np.fmax.reduce(np.abs(numbers), axis=None, initial=0.0) >= EXACT:
        return numbers
    return None if any(is_inexact(cell) for row in cells for cell in row) else numbers


def _float(cell: str) -> float:
    word = cell.strip().lower()
    if word in MISSING:
        return np.nan
    truth = TRUTH.get(word)
    return float(word) if truth is None else truth


def _labels(cells: Sequence[str]) -> list[str | None]:
    return [None if cell.strip().lower() in MISSING else cell.strip() for cell in cells]


def _counts_rows(column: Column) -> bool:
    return column.dtype != object and np.array_equal(column, np.arange(len(column)))


def _read_parquet(content: bytes, source: str) -> Table:
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
    kept = [
        (" ".join(name.split()), column)
        for name, column in zip(table.column_names, table.columns, strict=True)
        if not re.fullmatch(r"__index_level_\d+__", name)
    ]
    categories = {name: _order(column) for name, column in kept if pa.types.is_dictionary(column.type)}
    # Categories of numbers lose their type in Parquet, but pandas leaves a note.
    for note in (table.schema.pandas_metadata or {}).get("columns", ()):
        if note["pandas_type"] == "categorical" and not note["metadata"]["ordered"]:
            categories.setdefault(" ".join(str(note["field_name"]).split()), None)
    names, columns = (name for name, _ in kept), (_arrow_column(column) for _, column in kept)
    return Table(tuple(names), tuple(columns), source, categories)


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
        if not pa.types.is_integer(kind) or not np.nanmax(np.abs(numbers), initial=0.0) >= EXACT:
            return numbers
    labels = np.empty(len(column), dtype=object)
    labels[:] = [None if value is None else str(value) for value in column.to_pylist()]
    return labels


def _unknown(table: Table, name: str, role: str) -> TableError:
    message = f"{table.source} has no {role} {name!r}"
    close = difflib.get_close_matches(name.lower(), [known.lower() for known in table.names], n=3)
    meant = [known for known in table.names if known.lower() in close]
    if meant:
        return TableError(f"{message}; did you mean {' or '.join(map(repr, meant))}?")
    if _floats([table.names]) is not None:
        return TableError(f"{message}; its first line holds only numbers, so it may lack a header line.")
    return TableError(f"{message}; its columns are: {listed(table.names)}.")
