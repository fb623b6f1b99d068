"""Contents of files: bytes and text, unpacked and decoded; other formats are recognised and named in the error."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import json
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from altsets import machine
from altsets.errors import TableError, reason_of
from altsets.wording import parameter, percent

#: Stands for standard input in place of the name of a file.
STANDARD_INPUT = "-"
#: How Parquet files begin.
PARQUET = b"PAR1"
#: How gzipped bytes begin, and texts in UTF-16.
GZIP, UTF16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
#: UTF-8 with or without a byte-order mark.
UTF8 = "utf-8-sig"
DECIMALS = (".", ",")
#: Bytes that a compressed file may hold: a few kilobytes can hold enough to fill any memory.
MOST_UNPACKED = 2**29
#: A Parquet file may hold more than that if it is large itself: so many times its own size.
MOST_TIMES = 100
#: Bytes that are unpacked before it is known how many there are, and that are counted at a time.
MOST_AT_ONCE, AT_A_TIME = 2**26, 2**20
#: Bytes of the beginning of a text, from which its delimiter is known.
HEAD = 1_000_000
#: The share of the machine's memory that a table may take.
SHARE = 0.5


class TextFormat(NamedTuple):
    """How text files are written: the encoding if it is not UTF-8, and the decimal sign if it may be a comma."""

    encoding: str | None = None
    decimal: str | None = None


_FORMAT: ContextVar[TextFormat] = ContextVar("_FORMAT", default=TextFormat())  # noqa: B039


@contextmanager
def text_files(encoding: str | None = None, decimal: str | None = None) -> Iterator[None]:
    """Read all text files in this way; those that altsets has written itself are read in any case."""
    token = _FORMAT.set(TextFormat(encoding, decimal))
    try:
        yield
    finally:
        _FORMAT.reset(token)


def text_format() -> TextFormat:
    """Return how text files are read now; an encoding that does not exist, and other decimal signs, are refused."""
    encoding, decimal = _FORMAT.get()
    if decimal not in (None, *DECIMALS):
        raise TableError(f"{parameter('decimal', decimal)} is not a decimal sign; give a comma or a point.")
    try:
        "a".encode(encoding or UTF8)
    except (LookupError, ValueError):
        raise TableError(
            f"{parameter('encoding', encoding)} is not an encoding that Python knows; give one such as latin-1, cp1252 "
            "or utf-16."
        ) from None
    return _FORMAT.get()


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file as it is, in any of the ways in which tables may be stored."""
    return as_utf8(read_content(Path(path)), Path(path).name).decode()


def lines_of(text: str) -> list[str]:
    """The lines of a text that are not blank, tidied."""
    return [tidy(line) for line in text.splitlines() if line.strip()]


def read_content(path: Path) -> bytes:
    """The bytes in a file, unpacked if it is gzipped."""
    return unpack(read_bytes(path), str(path))


#: Raises an error about files that must not be read.
_CHECK: ContextVar[Callable[[Path], None]] = ContextVar("_CHECK", default=lambda path: None)


@contextmanager
def checking_files(check: Callable[[Path], None]) -> Iterator[None]:
    """Give every file to ``check`` before it is read."""
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)


def read_bytes(path: Path, small: bool = False) -> bytes:
    """The bytes in a file as they are; ``small``: other than Parquet, it must fit into memory."""
    _CHECK.get()(path)
    try:
        refuse_other_than_files(path)
        # A pipe has no size, and can be opened only once; Parquet is measured where it is parsed.
        if small and path.is_file():
            with open(path, "rb") as file:
                refuse_memory(0 if file.read(4) == PARQUET else path.stat().st_size, str(path))
        return path.read_bytes()
    except TableError:
        raise
    except FileNotFoundError:
        raise TableError(f"there is no file {path}; check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"cannot read {path}: {reason_of(error)}.") from error


def hash_file(path: str | os.PathLike[str]) -> str:
    """The SHA-256 hash of a file, byte by byte."""
    return hashlib.sha256(read_bytes(Path(path))).hexdigest()


def read_standard_input() -> bytes:
    """The bytes that come in by standard input."""
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError(
            "- reads the table from standard input, and nothing comes in there; send a file to it, as in - < table.csv."
        )
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise TableError(f"cannot read standard input: {reason_of(error)}.") from error


def unpack(content: bytes, source: str) -> bytes:
    """The same bytes, or what is in them if they are gzipped; ``source`` names them in messages.

    A few megabytes can hold enough to fill any memory, so what is too large is only counted.
    """
    if content[:2] != GZIP:
        return content
    most = min(int(SHARE * machine.memory()), MOST_AT_ONCE)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            begin = file.read(most + 1)
            if len(begin) <= most:
                return begin
            refuse_memory(len(begin) + sum(map(len, iter(partial(file.read, AT_A_TIME), b""))), source)
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{source} is a damaged gzip file: {reason_of(error)}.") from error


def refuse_memory(n_bytes: int, source: str) -> None:
    """Refuse a table in text that takes too much memory; the advice makes Parquet of it, which is read in parts."""
    if n_bytes <= SHARE * machine.memory():
        return
    made = source.removesuffix(".gz").removesuffix(".csv")
    raise TableError(
        f"{source} holds a table that takes about {machine.size(n_bytes)} of memory or more, over {percent(SHARE)} of "
        f"the {machine.size(machine.memory())} of this machine; read fewer columns "
        f"({parameter('columns', ['NAME', 'PREFIX_*'])}), or make Parquet of it, which is read in parts: "
        f"pyarrow.dataset.write_dataset(pyarrow.dataset.dataset({source!r}, format='csv'), {made!r}, format='parquet')"
    )


def refuse_size(n_bytes: int, source: str, packed: int = 0) -> None:
    """Refuse a compressed file that holds very much more than its own size; ``packed`` if it is a Parquet file."""
    if n_bytes > max(MOST_UNPACKED, MOST_TIMES * packed):
        how = (
            "read it with pandas.read_parquet and give the frame"
            if packed
            else "unpack it and give what was in it"
        )
        raise TableError(
            f"{source} unpacks to more than {MOST_UNPACKED // 2**20} MiB; if that is right, {how}."
        )


def refuse_other_than_files(path: Path) -> None:
    """Refuse what is no file, or would never come to an end; pipes that a shell has opened are read."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise TableError(f"{path} is a directory; give a file.")
    is_pipe = stat.S_ISFIFO(mode) and path.parts[:2] in ((os.sep, "dev"), (os.sep, "proc"))
    if not stat.S_ISREG(mode) and not is_pipe:
        kind = "a named pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
        raise TableError(f"{path} is {kind}; give a file.")


def as_utf8(content: bytes, source: str) -> bytes:
    """The bytes of the same text in UTF-8: it may be in UTF-8, in UTF-16 with a mark, or in the encoding of users."""
    refuse_binary(content, source)
    encoding = "utf-16" if content[:2] in UTF16 else text_format().encoding or UTF8
    if encoding != "utf-16" and _is_utf8(content):
        content = content.removeprefix(codecs.BOM_UTF8)
    else:
        try:
            content = content.decode(encoding).encode()
        except UnicodeError as error:
            raise TableError(
                f"{source} is not text in {'UTF-8' if encoding == UTF8 else encoding} (byte "
                f"{getattr(error, 'start', 0)} of it fits no character); if it is a text file, give its encoding, such "
                f"as {parameter('encoding', 'latin-1')}."
            ) from error
    if b"\0" in content:
        raise TableError(f"{source} is a binary file; save the table as CSV or Parquet.")
    if not content[:HEAD].strip() and not content.strip():
        raise TableError(f"{source} is empty; a table needs a header line and rows.")
    return content


def _is_utf8(content: bytes) -> bool:
    decoder, parts = codecs.getincrementaldecoder(UTF8)(), memoryview(content)
    try:
        for start in range(0, len(content), AT_A_TIME):
            decoder.decode(parts[start : start + AT_A_TIME])
        return not decoder.decode(b"", final=True) and b"\0" not in content
    except UnicodeDecodeError:
        return False


def tidy(name: str) -> str:
    """A name on one line, with single spaces."""
    return " ".join(name.split())


def csv_text(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Rows of cells as lines of CSV."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


# --- Other formats --------------------------------------------------------------------------------

EXPORT = "save the table as CSV or Parquet"
UNPACK = "unpack it first"


def _with_pandas(reader: str) -> str:
    return f"read it with pandas.{reader} and {EXPORT}"


STATA = (b"<stata_dta>", b"\x73\x01\x01\x00", b"\x73\x02\x01\x00", b"\x72\x01\x01\x00", b"\x72\x02\x01\x00")
#: How files of a kind begin, what they are, and what to do.
BEGINNINGS: tuple[tuple[tuple[bytes, ...], str, str], ...] = (
    ((b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",), "an old Excel or Office file (.xls)", "save it as .xlsx or CSV"),
    ((b"$FL2", b"$FL3"), "an SPSS file", _with_pandas("read_spss")),
    (STATA, "a Stata file", _with_pandas("read_stata")),
    ((bytes(12) + b"\xc2\xea\x81\x60",), "a SAS file", _with_pandas("read_sas")),
    ((b"HEADER RECORD*******LIB",), "a SAS transport file", _with_pandas("read_sas")),
    ((b"ARROW1",), "a Feather or Arrow file", _with_pandas("read_feather")),
    ((b"FEA1",), "a Feather file", _with_pandas("read_feather")),
    ((b"\xff\xff\xff\xff",), "an Arrow stream", EXPORT),
    ((b"ORC",), "an ORC file", _with_pandas("read_orc")),
    ((b"Obj\x01",), "an Avro file", EXPORT),
    (
        (b"\x89HDF\r\n\x1a\n",),
        "an HDF5 file",
        "give it as a file of its own if it is an AnnData file, else " + EXPORT,
    ),
    ((b"SQLite format 3\x00",), "an SQLite database", EXPORT),
    ((b"\x93NUMPY",), "a NumPy array", EXPORT),
    ((b"RDX2\n", b"RDX3\n"), "a workspace of R", "save the table in R with write.csv"),
    ((b"X\n\x00\x00\x00",), "an object of R", "save the table in R with write.csv"),
    ((b"%PDF-",), "a PDF document", EXPORT),
    ((b"BZh",), "compressed with bzip2", UNPACK),
    ((b"\xfd7zXZ\x00",), "compressed with xz", UNPACK),
    ((b"\x28\xb5\x2f\xfd",), "compressed with Zstandard", UNPACK),
    ((b"7z\xbc\xaf\x27\x1c",), "a 7z archive", UNPACK),
    ((b"Rar!\x1a\x07",), "a RAR archive", UNPACK),
)
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: How far into a text its first tags are looked for.
BEGINNING = 2_000


def is_excel(content: bytes) -> bool:
    """Whether these bytes are a workbook as Excel has stored it since 2007."""
    return content.startswith(ZIP) and "xl/workbook.xml" in _members(content)


def refuse_binary(content: bytes, source: str) -> None:
    """Refuse bytes of a known format that is not text; ``source`` names them."""
    if content.startswith(ZIP):
        raise TableError(f"{source} is {_zipped(content)}.")
    for beginnings, kind, advice in BEGINNINGS:
        if content.startswith(beginnings):
            raise TableError(f"{source} is {kind}; {advice}.")


def refuse_markup(text: str, source: str) -> None:
    """Refuse text that is not a table: a JSON document, a web page."""
    start = text[:BEGINNING].lstrip().lower()
    if start.startswith("<") and any(tag in start for tag in ("<!doctype html", "<html", "<table")):
        raise TableError(f"{source} is a web page (HTML); download the table itself, as CSV or Parquet.")
    if start.startswith("<?xml"):
        raise TableError(f"{source} is an XML document; {EXPORT}.")
    if start.startswith(("{", "[")) and _is_json(text.lstrip()):
        raise TableError(f"{source} is a JSON document; {_with_pandas('read_json')}.")


def _is_json(text: str) -> bool:
    """Whether a text is JSON, or begins with a line of it; a header line such as [a],[b] is not."""
    try:
        end = json.JSONDecoder().raw_decode(text)[1]
    except ValueError:
        return False
    except RecursionError:
        return True
    rest = text[end:].lstrip(" \t")
    return not rest or rest[0] in "\r\n"


def workbook_size(content: bytes) -> int:
    """The bytes that the parts of a workbook have when they are unpacked, as they say themselves."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(part.file_size for part in archive.infolist())


def _members(content: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []


def _zipped(content: bytes) -> str:
    """The kind of file that a zip archive is, and advice."""
    members = _members(content)
    if not members:
        return "a damaged zip archive; download it again"
    if "xl/workbook.xml" in members:
        return "an Excel workbook; save the sheet as CSV"
    if "xl/workbook.bin" in members:
        return "an Excel workbook in binary form (.xlsb); save it as .xlsx or CSV"
    if "mimetype" in members and "content.xml" in members:
        return "an OpenDocument file; save the sheet as CSV or .xlsx"
    if any(name.endswith(".npy") for name in members):
        return f"a file of NumPy arrays; {EXPORT}"
    files = [name for name in members if not name.endswith("/")]
    held = f" of {files[0]}" if len(files) == 1 else f" of {len(files)} files"
    return f"a zip archive{held}; unpack it and give the table in it"
