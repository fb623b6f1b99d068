"""Tables in CSV text, in Parquet files and in Excel workbooks.

CSV: delimiters are detected, and columns become numbers where every cell can be one. Parquet is read by pyarrow. Its
reader of CSV is several times as fast as the one here, but less careful: it takes the type of a column from the first
megabyte, and fails on the first later cell that does not fit, where the one here says what each column holds; two
columns of the same name, and lines above the header, are read without a word.
"""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.features import FeatureNames, is_pattern
from altsets.files.columns import SWAPPED, Column, Order, Table, is_inexact, refuse_nameless
from altsets.files.contents import (
    HEAD,
    LongText,
    csv_text,
    read_text,
    refuse_size,
    text_format,
    tidy,
    workbook_size,
)
from altsets.measures.large.decoding import kind_of
from altsets.tables.conversion import LARGEST_EXACT, is_float, object_array
from altsets.wording import list_some, parameter, suggestion

#: What stands for "not known" in a CSV file, in lower case.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "<na>", "#n/a"})
TRUTH = {"true": 1.0, "false": 0.0}
#: How GCT files begin.
GCT = ("#1.2", "#1.3")
DELIMITERS = (",", ";", "\t")
#: Numbers with a point that a decimal comma leaves no meaning: 1.5 and 1.234,5, but no dates.
POINTED = re.compile(r"[-+]?\d+\.\d+|[-+]?\d{1,3}(\.\d{3})+(,\d+)?")
#: A line with its end.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
INDEX_LEFT_OUT = (
    "The first column, which has no name and counts the rows, was left out: it is the index of a frame."
)
#: Cells that are converted at a time: strings cost ten times as much memory as the numbers they become.
CELLS_AT_A_TIME = 500_000
#: Bytes that a number and a label of a table take at most, while it is made.
NUMBER, LABEL = 16, 70
#: Kinds of Arrow types that have one number, text or date in each cell.
USABLE = ("numbers", "text", "dates")


@dataclass(frozen=True)
class Wanted:
    """Columns to read: by name or by a pattern, and others that are read if they exist."""

    columns: Sequence[str]
    also: frozenset[str] = frozenset()

    def among(self, names: Sequence[str], source: str) -> list[int]:
        """Their places, in the order of the file."""
        known = FeatureNames.of([*dict.fromkeys(map(tidy, names))])
        places = {tidy(name): place for place, name in reversed([*enumerate(names)])}
        found = {name for name in places if name in self.also}
        for given in self.columns:
            is_name = given in places or not is_pattern(given)
            matched = [given] if is_name else [known[index] for index in known.matching(given)]
            if not matched or matched[0] not in places:
                hint = suggestion(given, places, f"its columns are: {list_some(list(places))}.")
                raise TableError(
                    f"{source} has no column {given!r}, which is to be read ({parameter('columns')}); {hint}"
                )
            found.update(matched)
        return sorted(places[name] for name in found)


class Lines(NamedTuple):
    """Rows of a text file without a header, each with the number of its line, and the sign in its numbers."""

    rows: list[tuple[int, list[str]]]
    decimal: str = "."

    def number(self, cell: str, what: str) -> float:
        """Return the number in a cell; ``what`` it is, for the error if it is none."""
        if self.is_number(cell):
            return float(cell.translate(SWAPPED) if self.decimal == "," else cell)
        comma = self.decimal == "." and is_float(cell.translate(SWAPPED))
        advice = f"; use {parameter('decimal', ',')} if commas are the decimal signs" if comma else ""
        raise TableError(f"{what} {cell!r} is not a number{advice}.")

    def is_number(self, cell: str) -> bool:
        """Return whether a cell holds one."""
        return is_float(cell.translate(SWAPPED) if self.decimal == "," else cell)


def read_rows(path: str | os.PathLike[str]) -> Lines:
    """The rows of a text file; fields as in tables."""
    text, decimal = read_text(path), text_format().decimal or "."
    others = [delimiter for delimiter in DELIMITERS if delimiter != decimal]
    delimiter = _delimiter(text, others)
    if decimal == "," and not _fitness(text, delimiter)[0]:
        # Between fields, as altsets writes scores, commas are no decimal signs.
        delimiter, decimal = _delimiter(text), "."
    rows = _rows(text, delimiter, Path(path).name)
    return Lines([(line, [tidy(cell) for cell in row]) for line, row in rows], decimal)


def parse_csv(
    text: str | LongText,
    source: str,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    wanted: Wanted | None = None,
) -> Table:
    """The table in a text, with the columns that are wanted; :func:`altsets.read_table` says what fields become."""
    reader = CsvReader(text, source, decimal, delimiter, wanted)
    as_text: set[int] = set()
    names, (columns, surprises, missing) = reader.names, reader.columns(as_text)
    if surprises:
        # Columns that began with numbers: what was converted has lost its spelling, so read them again.
        columns, _, missing = reader.columns(as_text | surprises)
    notes: tuple[str, ...] = ()
    if len(names) > 1 and not names[0] and np.array_equal(columns[0], np.arange(len(columns[0]))):
        names, columns, notes = names[1:], columns[1:], (INDEX_LEFT_OUT,)
    refuse_nameless(names, source, "put one into the first line")
    if decimal == ",":
        _refuse_points(names, columns)
    return Table(tuple(names), tuple(columns), source, notes=notes, decimal=decimal, missing=missing)


def is_gct(head: str) -> bool:
    """Whether a text is in the gene cluster text format."""
    return head.startswith(GCT)


def turn_gct(text: str | LongText, source: str) -> str:
    """The text of the table in a GCT file, with samples in rows; descriptions of genes are left out.

    What version 1.3 knows of samples comes before the genes.
    """
    rows = [row for _, row in _rows(text, "\t", source)]
    try:
        sizes = [int(cell) for cell in rows[1] if cell.strip()]
        n_genes, n_samples, n_described, n_known = sizes if len(sizes) == 4 else (*sizes, 1, 0)
    except (ValueError, IndexError) as error:
        raise TableError(
            f"{source} is a damaged GCT file: its second line must have the numbers of rows and columns."
        ) from error
    width, lines = 1 + n_described + n_samples, rows[3:]
    if len(lines) != n_known + n_genes or any(len(row) != width for row in lines):
        raise TableError(
            f"{source} is a damaged GCT file: its second line says {n_known + n_genes:,} lines of {width:,} fields, "
            "which are not there."
        )
    return csv_text(zip(*([row[0], *row[1 + n_described :]] for row in lines), strict=True), "\t")


def turn_rows(text: str | LongText, source: str, decimal: str) -> tuple[str, str]:
    """The text of a table with features in rows, turned; and its delimiter. The first line names samples."""
    delimiter = _delimiter_beside(decimal, text, source)
    rows = list(_rows(text, delimiter, source))
    if len(rows) < 2:
        raise TableError(f"{source} has no rows of features below its first line.")
    _check_widths(rows[1:], len(rows[1][1]), source)
    return csv_text(zip(*(row for _, row in rows[1:]), strict=True), delimiter), delimiter


class CsvReader:
    """A table in CSV, or the columns of it that are wanted: some rows at a time, as often as needed."""

    def __init__(
        self,
        text: str | LongText,
        source: str,
        decimal: str,
        delimiter: str | None = None,
        wanted: Wanted | None = None,
    ) -> None:
        self._text, self._source, self._decimal = text, source, decimal
        self._delimiter = delimiter or _delimiter_beside(decimal, text, source)
        header = next(_rows(text, self._delimiter, source), None)
        if header is None:
            raise TableError(f"{source} has no header line; a table needs one, and rows below it.")
        names = [tidy(name) for name in header[1]]
        self._n_fields = len(names)
        self._kept = None if wanted is None else wanted.among(names, source)
        self.names = names if self._kept is None else [names[place] for place in self._kept]

    def blocks(self, as_text: Collection[int]) -> Iterator[tuple[list[Sequence[str]], Column, list[int]]]:
        """Cells of some rows; the numbers in them, nan in columns of text; and columns that turn out to be text.

        ``as_text`` may grow meanwhile.
        """
        width, kept = len(self.names), self._kept
        rows = _rows(self._text, self._delimiter, self._source)
        next(rows)
        while chunk := list(islice(rows, max(1, CELLS_AT_A_TIME // self._n_fields))):
            _check_widths(chunk, self._n_fields, self._source)
            cells: list[Sequence[str]] = [row if kept is None else _those(row, kept) for _, row in chunk]
            block = np.full((len(cells), width), np.nan)
            swapped = self._decimal != "."
            numeric = [[cell.translate(SWAPPED) for cell in row] for row in cells] if swapped else cells
            odd = _fill(block, numeric, [place for place in range(width) if place not in as_text])
            yield cells, block, odd

    def columns(self, as_text: set[int]) -> tuple[list[Column], set[int], dict[str, Counter[str]]]:
        """All columns, those that turned out to be text after some cells had become numbers, and missing values.

        ``as_text`` are the columns that are text; the first block may add to it.
        """
        # Numbers are kept block by block, not column by column: a wide table has few rows and many columns.
        numbers: list[Column] = []
        labels: dict[int, list[str | None]] = {index: [] for index in as_text}
        surprises: set[int] = set()
        missing: dict[str, Counter[str]] = {}
        n_rows = 0
        for cells, block, odd in self.blocks(as_text):
            if numbers:
                surprises.update(odd)
            else:
                as_text.update(odd)
                labels.update((index, []) for index in odd)
            for index, known in labels.items():
                known += _labels([row[index] for row in cells])
            _count_missing(missing, cells, np.isnan(block), self.names)
            numbers.append(block)
            n_rows += len(block)
            if isinstance(self._text, LongText):
                self._text.refuse_memory(n_rows * (NUMBER * len(self.names) + LABEL * len(labels)))
        by_column = np.empty((len(self.names), n_rows))
        for block in reversed(numbers):
            n_rows -= len(block)
            by_column[:, n_rows : n_rows + len(block)] = block.T
            numbers.pop()
        columns = list(by_column)
        for index, known in labels.items():
            columns[index] = np.array(known, dtype=object)
        return columns, surprises, missing


def _delimiter(text: str | LongText, among: Sequence[str] = DELIMITERS) -> str:
    """The delimiter that splits the first lines into most fields, and into equally many of them."""
    return max(among, key=lambda delimiter: _fitness(text, delimiter))


def _fitness(text: str | LongText, delimiter: str) -> tuple[bool, int]:
    """Whether a delimiter splits the first lines into equally many fields, and into how many."""
    head = text[:HEAD] if isinstance(text, str) else text.head
    lines = csv.reader(_lines(head), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice((row for row in lines if row), 3)]
    except csv.Error:
        return False, 0
    return len(set(widths)) == 1 and widths[0] > 1, max(widths, default=0)


def _delimiter_beside(decimal: str, text: str | LongText, source: str) -> str:
    """The delimiter of a text whose numbers have this decimal sign."""
    others = [delimiter for delimiter in DELIMITERS if delimiter != decimal]
    found = _delimiter(text, others)
    if len(others) < len(DELIMITERS) and not _fitness(text, found)[0] and _fitness(text, decimal)[0]:
        raise TableError(
            f"{source} has commas between its fields, so they cannot be decimal signs as well; save it with semicolons "
            f"or tabs between them, or leave out {parameter('decimal')}."
        )
    return found


def _refuse_points(names: Sequence[str], columns: Sequence[Column]) -> None:
    """Refuse numbers with points where commas are decimal signs: 1.234 could be large or small."""
    for name, column in zip(names, columns, strict=True):
        known = [] if column.dtype != object else [label for label in column if label is not None]
        pointed = [label for label in known if POINTED.fullmatch(label)]
        if 2 * len(pointed) > len(known):
            raise TableError(
                f"column {name} has numbers with a point, such as {pointed[0]!r}, though commas are the decimal signs; "
                f"leave out {parameter('decimal')}, or take the points out of the file."
            )


def _lines(text: str | LongText) -> Iterator[str]:
    """The lines of a text with their ends; io.StringIO would hold it once more, with four bytes for each character."""
    return text.lines() if isinstance(text, LongText) else (match.group() for match in LINE.finditer(text))


def _rows(text: str | LongText, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """All rows that are not blank, with the number of the line on which each of them ends."""
    reader = csv.reader(_lines(text), delimiter=delimiter)
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}: {error}; check its quotes.") from error


def _fill(block: Column, cells: Sequence[Sequence[str]], columns: Sequence[int]) -> list[int]:
    """Put columns of numbers into a block, as many as possible at a time; the columns that hold anything else."""
    odd: list[int] = []
    waiting = [columns] if columns else []
    while waiting:
        some = waiting.pop()
        values = numbers_in(cells if len(some) == block.shape[1] else [_those(row, some) for row in cells])
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


def numbers_in(cells: Sequence[Sequence[str]]) -> Column | None:
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
    if not np.fmax.reduce(np.abs(numbers), axis=None, initial=0.0) >= LARGEST_EXACT:
        return numbers
    return None if any(is_inexact(cell) for row in cells for cell in row) else numbers


def _float(cell: str) -> float:
    word = cell.strip().lower()
    if word in MISSING:
        return np.nan
    truth = TRUTH.get(word)
    return float(word) if truth is None else truth


def _count_missing(
    missing: dict[str, Counter[str]], cells: Sequence[Sequence[str]], unknown: Column, names: Sequence[str]
) -> None:
    """Add the spellings of missing values, among the cells that are no numbers."""
    for index in np.flatnonzero(unknown.any(axis=0)).tolist():
        texts = Counter([cells[place][index] for place in np.flatnonzero(unknown[:, index]).tolist()])
        for text, count in texts.items():
            if text.strip().lower() in MISSING:
                missing.setdefault(text.strip(), Counter())[names[index]] += count


def _labels(cells: Sequence[str]) -> list[str | None]:
    return [None if cell.strip().lower() in MISSING else cell.strip() for cell in cells]


# --- Parquet and Excel ------------------------------------------------------------------------------------------------


def parse_parquet(content: bytes, source: str, wanted: Wanted | None = None) -> Table:
    """The table in the bytes of a file, with the columns that are wanted; needs pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet files", "pyarrow", "tables") from error

    try:
        about = pq.read_metadata(pa.BufferReader(content))
        stored = sum(about.row_group(index).total_byte_size for index in range(about.num_row_groups))
        known = pq.read_schema(pa.BufferReader(content)).names
        read = None if wanted is None else [known[place] for place in wanted.among(known, source)]
        n_columns = about.num_columns if read is None else len(read)
        # Values that repeat are stored once: a few kilobytes can hold billions of cells.
        part = stored * n_columns // max(about.num_columns, 1)
        refuse_size(max(part, 8 * about.num_rows * n_columns), source, len(content))
        table = pq.read_table(pa.BufferReader(content), columns=read, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{source} cannot be read as Parquet: {reason}.") from error
    return parse_arrow(table, source, wanted)


def parse_arrow(table: Any, source: str, wanted: Wanted | None = None) -> Table:
    """A table of Arrow, of which only the columns that are wanted were read."""
    import pyarrow as pa

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
    # Categories of numbers lose their type in Parquet, and an index its role, but pandas leaves a note.
    about_frame = table.schema.pandas_metadata or {}
    index = tuple(tidy(name) for name in about_frame.get("index_columns", ()) if isinstance(name, str))
    for note in about_frame.get("columns", ()):
        if note["pandas_type"] == "categorical" and not note["metadata"]["ordered"]:
            categories.setdefault(tidy(str(note["field_name"])), None)
    unusable = {
        name: f"values of type {column.type}" for name, column in kept if kind_of(column.type) not in USABLE
    }
    names, columns = tuple(name for name, _ in kept), tuple(_arrow_column(column) for _, column in kept)
    index = () if wanted is not None else tuple(name for name in index if name in names)
    return Table(names, columns, source, categories, notes=notes, unusable=unusable, index=index)


def _order(column: Any) -> Order:
    """The labels of ordered categories in their order."""
    if not column.type.ordered or not column.num_chunks:
        return None
    # The chunks of a column may have dictionaries of their own until they are made one.
    return tuple(map(str, column.unify_dictionaries().chunk(0).dictionary.to_pylist()))


def _arrow_column(column: Any) -> Column:
    import pyarrow as pa

    kind = kind_of(column.type)
    if kind not in USABLE:
        return np.full(len(column), None, dtype=object)
    if kind == "numbers":
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        numbers = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        if (
            not pa.types.is_integer(column.type)
            or not np.nanmax(np.abs(numbers), initial=0.0) >= LARGEST_EXACT
        ):
            return numbers
    return object_array([None if value is None else str(value) for value in column.to_pylist()])


def parse_excel(content: bytes, source: str, sheet: str | None = None, wanted: Wanted | None = None) -> Table:
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
            sheets = {one.title: one for one in book.worksheets}
            if sheet is not None and sheet not in sheets:
                raise TableError(
                    f"{source} has no sheet {sheet!r}; "
                    + suggestion(sheet, sheets, f"its sheets are: {list_some(list(sheets))}.")
                )
            chosen = book.worksheets[0] if sheet is None else sheets[sheet]
            # Some programs store a wrong size.
            chosen.reset_dimensions()
            rows = [list(row) for row in chosen.iter_rows(values_only=True)]
    except TableError:
        raise
    except Exception as error:
        # A damaged workbook may raise anything.
        raise TableError(f"{source} cannot be read as an Excel workbook: {reason_of(error)}.") from error
    # Numbers that are text in a workbook have no decimal sign that could be given.
    return replace(parse_csv(_as_text(rows, source), source, delimiter=",", wanted=wanted), decimal="")


def _as_text(rows: list[list[Any]], source: str) -> str:
    """A sheet as CSV, without the empty rows and columns that sheets have at their ends."""
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise TableError(f"{source} has an empty sheet; a table needs a header line and rows.")
    used = max(1 + place for row in rows for place, cell in enumerate(row) if cell is not None)
    padded = (row[:used] + [None] * (used - len(row)) for row in rows)
    return csv_text(["" if cell is None else str(cell) for cell in row] for row in padded)
