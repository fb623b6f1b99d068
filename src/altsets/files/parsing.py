"""Tables in CSV text, in Parquet files and in Excel workbooks, as tables of Arrow.

CSV is read by pyarrow as text, and each column becomes numbers if every cell can be one. The header, and what pyarrow
does not take, are read by the standard library, which knows the line on which something is wrong.
"""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.files.columns import Table, as_number, columns_in, is_inexact
from altsets.files.contents import (
    HEAD,
    as_utf8,
    read_content,
    refuse_memory,
    refuse_size,
    text_format,
    tidy,
    workbook_size,
)
from altsets.measures.large.decoding import kind_of
from altsets.tables.conversion import LARGEST_EXACT
from altsets.wording import list_some, parameter, suggestion

#: What stands for "not known" in a CSV file, in lower case.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?", "<na>", "#n/a")
TRUTH = {"true": 1.0, "false": 0.0}
#: How GCT files begin.
GCT = (b"#1.2", b"#1.3")
DELIMITERS = (",", ";", "\t")
#: Numbers with a point that a decimal comma leaves no meaning: 1.5 and 1.234,5, but no dates.
POINTED = re.compile(r"[-+]?\d+\.\d+|[-+]?\d{1,3}(\.\d{3})+(,\d+)?")
INDEX_LEFT_OUT = (
    "The first column, which has no name and counts the rows, was left out: it is the index of a frame."
)
#: Cells of several columns that are read together.
TOGETHER = 50_000
#: Bytes that a number, and a label, take at most while a table is made.
NUMBER, LABEL = 16, 70


#: The places of the columns to read, given all names and the source.
Wanted = Callable[[Sequence[str], str], list[int]]


def wanted_places(
    columns: Sequence[str], also: Collection[str], names: Sequence[str], source: str
) -> list[int]:
    """The places of columns, in the order of the file: by name or by a pattern, and others if they exist."""
    places = {tidy(name): place for place, name in reversed([*enumerate(names)])}
    found = columns_in(columns, "column to read", [*reversed(places)], source)
    return sorted({places[name] for name in (*found, *also) if name in places})


class Lines(NamedTuple):
    """Rows of a text file without a header, each with the number of its line, and the sign in its numbers."""

    rows: list[tuple[int, list[str]]]
    decimal: str = "."

    def number(self, cell: str, what: str) -> float:
        """Return the number in a cell; ``what`` it is, for the error if it is none."""
        number = as_number(cell, self.decimal)
        if number is None:
            comma = self.decimal == "." and as_number(cell, ",") is not None
            advice = f"; use {parameter('decimal', ',')} if commas are the decimal signs" if comma else ""
            raise TableError(f"{what} {cell!r} is not a number{advice}.")
        return number


def read_rows(path: str | os.PathLike[str]) -> Lines:
    """The rows of a text file; fields as in tables."""
    source = Path(path).name
    text, decimal = as_utf8(read_content(Path(path)), source), text_format().decimal or "."
    delimiter = _delimiter(text, decimal)
    if decimal == "," and not _fitness(text, delimiter)[0]:
        # Between fields, as altsets writes scores, commas are no decimal signs.
        delimiter, decimal = _delimiter(text), "."
    rows = _rows(text, delimiter, source)
    return Lines([(line, [tidy(cell) for cell in row]) for line, row in rows], decimal)


def parse_csv(text: bytes, source: str, decimal: str = ".", wanted: Wanted | None = None) -> Table:
    """The table in a text, with the columns that are wanted; :func:`altsets.read_table` says what fields become."""
    import pyarrow as pa

    delimiter = _delimiter_beside(decimal, text, source)
    rows = _rows(text, delimiter, source)
    line, header = next(rows, (0, []))
    names, kept = _header(header, source, wanted)
    start = sum(len(line.encode()) for line in islice(_lines(text), line))
    refuse_memory(len(text) + text.count(b"\n") * len(kept) * NUMBER, source)
    try:
        cells = _cells(text, start, delimiter, len(names), kept)
    except pa.ArrowInvalid:
        lines = list(rows)
        check_widths(lines, len(names), source)
        cells = _columns([row for _, row in lines], kept)
    return _table([names[place] for place in kept], cells, source, decimal)


def parse_rows(
    rows: Iterable[Sequence[str]], source: str, decimal: str = ".", wanted: Wanted | None = None
) -> Table:
    """The same for rows of cells, all of the same width."""
    header, *others = (row for row in rows if len(row) > 1 or row[0].strip())
    names, kept = _header(header, source, wanted)
    return _table([names[place] for place in kept], _columns(others, kept), source, decimal)


def _header(cells: Sequence[str], source: str, wanted: Wanted | None) -> tuple[list[str], list[int]]:
    """The names of columns, and the places of those to read."""
    if not cells:
        raise TableError(f"{source} has no header line; a table needs one, and rows below it.")
    names = [tidy(name) for name in cells]
    return names, [*range(len(names))] if wanted is None else wanted(names, source)


def _columns(rows: Sequence[Sequence[str]], kept: Sequence[int]) -> list[Any]:
    import pyarrow as pa

    return [pa.chunked_array([[row[place] for row in rows]], pa.string()) for place in kept]


def _table(names: list[str], cells: list[Any], source: str, decimal: str) -> Table:
    """The table of columns of numbers and text."""
    import pyarrow as pa

    missing: dict[str, dict[str, int]] = {}
    for place, (name, numbers) in enumerate(zip(names, _numbers_in(cells, decimal), strict=True)):
        unknown: Mapping[str, int] = {"": cells[place].null_count}
        # In place, so that the cells of a column are gone when it has become numbers.
        if numbers is None:
            cells[place], unknown = _by_label(cells[place], decimal)
            if str(cells[place].type) == "string":
                _check_text(cells[place], name, source, decimal)
        else:
            cells[place] = numbers
        for spelling, count in unknown.items():
            if count:
                missing.setdefault(spelling, {})[name] = count
    notes: tuple[str, ...] = ()
    is_numbered = len(names) > 1 and not names[0] and str(cells[0].type) == "double"
    if is_numbered and np.array_equal(cells[0].to_numpy(), np.arange(len(cells[0]))):
        names, cells, notes = names[1:], cells[1:], (INDEX_LEFT_OUT,)
    _refuse_nameless(names, source, "put one into the first line")
    return Table(pa.table(cells, names=names), source, notes=notes, decimal=decimal, missing=missing)


def _cells(text: bytes, start: int, delimiter: str, width: int, kept: Sequence[int]) -> list[Any]:
    """The columns of the lines below a header, as text; what it refuses may still be a table."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    def skip_blank(row: Any) -> str:
        return "skip" if row.actual_columns == 1 and not row.text.strip(' \t\r\n"') else "error"

    if width == 1:
        # Blank lines are no rows, though they look like missing values.
        raise pa.ArrowInvalid("one column")
    names = list(map(str, range(width)))
    # A wide table in many blocks would have thousands of pieces.
    block = min(max(2**20, 2**11 * width), 2**30)
    found = arrow_csv.read_csv(
        pa.py_buffer(text).slice(start),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=block),
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=b'"' in text, invalid_row_handler=skip_blank
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=[names[place] for place in kept],
            null_values=[""],
            strings_can_be_null=True,
            check_utf8=False,
        ),
    )
    return list(found.columns)


def _by_label(cells: Any, decimal: str) -> tuple[Any, Mapping[str, int]]:
    """A column as numbers if all of its cells hold one, else as text, tidied; and what was read as missing."""
    import pyarrow as pa

    different = cells.dictionary_encode().combine_chunks()
    codes = different.indices
    labels = [label.strip() for label in different.dictionary.to_pylist()]
    counts = np.bincount(codes.drop_null().to_numpy(), minlength=len(labels)).tolist()
    known = [None if label.lower() in MISSING else label for label in labels]
    missing: Counter[str] = Counter()
    for label, unknown, count in zip(labels, known, counts, strict=True):
        if unknown is None:
            missing[label] += count
    missing[""] += cells.null_count
    values = [None if label is None else _number(label, decimal) for label in known]
    is_text = any(value is None is not label for value, label in zip(values, known, strict=True))
    found = pa.array(known, pa.string()) if is_text else pa.array(values, pa.float64())
    return pa.chunked_array([found.take(codes)]), missing


def _numbers_in(columns: list[Any], decimal: str) -> Iterator[Any]:
    """Columns as numbers, or None for those that are not to be read at once.

    Columns of few cells are read together: one by one, thousands of them would take most of the time in calls.
    """
    import pyarrow as pa

    def read(some: list[Any]) -> Iterator[Any]:
        cells = pa.chunked_array([chunk for column in some for chunk in column.chunks], pa.string())
        numbers = _numbers(cells, decimal)
        if numbers is not None:
            yield from (numbers.slice(place * n_rows, n_rows) for place in range(len(some)))
        elif len(some) == 1:
            yield None
        else:
            half = len(some) // 2
            yield from read(some[:half])
            yield from read(some[half:])

    n_rows = len(columns[0])
    together = max(1, TOGETHER // max(1, n_rows))
    for start in range(0, len(columns), together):
        yield from read(columns[start : start + together])


def _numbers(cells: Any, decimal: str) -> Any:
    """All cells as numbers at once; None if some are written in another way, or are too large to be sure of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, ",", ".")
    try:
        numbers = cells.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    values = numbers.to_numpy()
    is_small = np.fmax.reduce(np.abs(values), initial=0.0) < LARGEST_EXACT
    # Some may be written as nan, which is missing.
    return numbers if is_small and np.count_nonzero(np.isnan(values)) == numbers.null_count else None


def _number(label: str, decimal: str) -> float | None:
    return TRUTH.get(label.lower(), None if is_inexact(label) else as_number(label, decimal))


def _check_text(column: Any, name: str, source: str, decimal: str) -> None:
    """Refuse cells as long as what follows a quote without an end, and points beside decimal commas."""
    import pyarrow.compute as pc

    longest = pc.max(pc.binary_length(column)).as_py() or 0
    if longest > csv.field_size_limit():
        raise TableError(
            f"{source}: a cell of column {name} has {longest:,} bytes, more than the limit; check its quotes."
        )
    known = column.drop_null().to_pylist() if decimal == "," else []
    pointed = [label for label in known if POINTED.fullmatch(label)]
    if 2 * len(pointed) > len(known):
        # 1.234 could be large or small.
        raise TableError(
            f"column {name} has numbers with a point, such as {pointed[0]!r}, though commas are the decimal signs; "
            f"leave out {parameter('decimal')}, or take the points out of the file."
        )


def _refuse_nameless(names: Sequence[str], source: str, advice: str) -> None:
    nameless = [str(position) for position, name in enumerate(names, start=1) if not name]
    if nameless:
        raise TableError(f"{source}: column {list_some(nameless)} has no name; {advice}.")


def turn_gct(text: bytes, source: str, wanted: Wanted | None) -> Table:
    """The table in a GCT file, with samples in rows; descriptions of genes are left out.

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
    turned = zip(*([row[0], *row[1 + n_described :]] for row in lines), strict=True)
    return parse_rows(turned, source, wanted=wanted)


def turn_rows(text: bytes, source: str, decimal: str, wanted: Wanted | None) -> Table:
    """The table in a text with features in rows, of which the first line names samples."""
    rows = list(_rows(text, _delimiter_beside(decimal, text, source), source))[1:]
    if not rows:
        raise TableError(f"{source} has no rows of features below its first line.")
    check_widths(rows, len(rows[0][1]), source)
    return parse_rows(zip(*(row for _, row in rows), strict=True), source, decimal, wanted)


def _delimiter(text: bytes, decimal: str = ".") -> str:
    """The delimiter that splits the first lines into most fields, and into equally many of them."""
    others = [delimiter for delimiter in DELIMITERS if delimiter != decimal]
    return max(others, key=lambda delimiter: _fitness(text, delimiter))


def _fitness(text: bytes, delimiter: str) -> tuple[bool, int]:
    """Whether a delimiter splits the first lines into equally many fields, and into how many."""
    lines = csv.reader(_lines(text[:HEAD]), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(filter(None, lines), 3)]
    except csv.Error:
        return False, 0
    return len(set(widths)) == 1 and widths[0] > 1, max(widths, default=0)


def _delimiter_beside(decimal: str, text: bytes, source: str) -> str:
    """The delimiter of a text whose numbers have this decimal sign."""
    found = _delimiter(text, decimal)
    if decimal == "," and not _fitness(text, found)[0] and _fitness(text, decimal)[0]:
        raise TableError(
            f"{source} has commas between its fields, so they cannot be decimal signs as well; save it with semicolons "
            f"or tabs between them, or leave out {parameter('decimal')}."
        )
    return found


def _lines(text: bytes) -> Iterable[str]:
    """The lines of a text with their ends, which may be of any kind."""
    return io.TextIOWrapper(io.BytesIO(text), "utf-8", "replace", newline="")


def _rows(text: bytes, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """All rows that are not blank, with the number of the line on which each of them ends."""
    reader = csv.reader(_lines(text), delimiter=delimiter)
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield reader.line_num, row
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}: {error}; check its quotes.") from error


def check_widths(rows: Sequence[tuple[int, list[str]]], width: int, source: str) -> None:
    for line, row in rows:
        if len(row) != width:
            raise TableError(
                f"{source}, line {line}: {len(row)} fields, but the header has {width}; "
                "check quotes and delimiters."
            )


# --- Parquet and Excel ------------------------------------------------------------------------------------------------


def parse_parquet(content: bytes, source: str, wanted: Wanted | None = None) -> Table:
    """The table in the bytes of a file, with the columns that are wanted."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        about = pq.read_metadata(pa.BufferReader(content))
        stored = sum(about.row_group(index).total_byte_size for index in range(about.num_row_groups))
        known = pq.read_schema(pa.BufferReader(content)).names
        read = None if wanted is None else [known[place] for place in wanted(known, source)]
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

    about_frame = table.schema.pandas_metadata or {}
    # pandas stores a nameless index as a column of this name; it is no feature.
    nameless = [name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)]
    table = table.drop_columns(nameless)
    table = table.rename_columns([tidy(name) for name in table.column_names]).replace_schema_metadata()
    _refuse_nameless(table.column_names, source, "give it one")
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and kind_of(field.type) != "text":
            # Labels that are no text, such as bytes, are refused like a column of them.
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    # Categories of numbers lose their type in Parquet, and an index its role, but pandas leaves a note.
    categories = tuple(
        tidy(str(note["field_name"]))
        for note in about_frame.get("columns", ())
        if note["pandas_type"] == "categorical" and not note["metadata"]["ordered"]
    )
    index = [tidy(name) for name in about_frame.get("index_columns", ()) if isinstance(name, str)]
    return Table(
        table,
        source,
        categories,
        notes=tuple(f"Column {name} was left out: it is the index of a frame." for name in nameless),
        index=() if wanted is not None else tuple(name for name in index if name in table.column_names),
    )


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
            rows = list(chosen.iter_rows(values_only=True))
    except TableError:
        raise
    except Exception as error:
        # A damaged workbook may raise anything.
        raise TableError(f"{source} cannot be read as an Excel workbook: {reason_of(error)}.") from error
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise TableError(f"{source} has an empty sheet; a table needs a header line and rows.")
    # Without the empty columns that sheets have at their ends.
    used = max(1 + place for row in rows for place, cell in enumerate(row) if cell is not None)
    padded = ([*row, *[None] * used][:used] for row in rows)
    cells = (["" if cell is None else str(cell) for cell in row] for row in padded)
    # Numbers that are text in a workbook have no decimal sign that could be given.
    return replace(parse_rows(cells, source, wanted=wanted), decimal="")
