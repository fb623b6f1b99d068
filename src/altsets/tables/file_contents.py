"""What is in a file: bytes and text, unpacked and decoded, or one sentence about what is wrong with it."""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import sys
import zlib
from pathlib import Path

from altsets.errors import TableError, reason_of
from altsets.tables.formats import refuse_binary

__all__ = [
    "STANDARD_INPUT",
    "content_of",
    "decoded",
    "hash_of",
    "piped",
    "read_lines",
    "read_text",
    "stored",
    "tidy",
    "unpacked",
]

#: What stands for standard input in place of the name of a file.
STANDARD_INPUT = "-"


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file as it is, in any of the ways in which tables may be stored."""
    return decoded(content_of(Path(path)), Path(path).name)


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file that are not blank, such as the names of columns."""
    return [tidy(line) for line in read_text(path).splitlines() if line.strip()]


def content_of(path: Path) -> bytes:
    """The bytes in a file, unpacked if it is gzipped."""
    return unpacked(stored(path), str(path))


def stored(path: Path) -> bytes:
    """The bytes in a file as they are."""
    try:
        _refuse_other_than_files(path)
        return path.read_bytes()
    except FileNotFoundError:
        raise TableError(f"there is no file {path}; check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"cannot read {path}: {reason_of(error)}.") from error


def hash_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 hash of a file, byte by byte."""
    return hashlib.sha256(stored(Path(path))).hexdigest()


def piped() -> bytes:
    """The bytes that come in by standard input."""
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError(
            "- reads the table from standard input, and nothing comes in there; send a file to it, as in: altsets find "
            "- < table.csv"
        )
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise TableError(f"cannot read standard input: {reason_of(error)}.") from error


def unpacked(content: bytes, source: str) -> bytes:
    """The same bytes, or what is in them if they are gzipped; ``source`` names them in messages."""
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{source} is a damaged gzip file: {reason_of(error)}.") from error


def _refuse_other_than_files(path: Path) -> None:
    """Refuse what is no file, or would never come to an end; pipes that a shell has opened are welcome."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise TableError(f"{path} is a directory; give a file.")
    is_pipe = stat.S_ISFIFO(mode) and path.parts[:2] in ((os.sep, "dev"), (os.sep, "proc"))
    if not stat.S_ISREG(mode) and not is_pipe:
        kind = "a named pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
        raise TableError(f"{path} is {kind}; give a file.")


def decoded(content: bytes, source: str) -> str:
    """Bytes as text: UTF-8, or UTF-16 with a byte-order mark; ``source`` names them in messages."""
    refuse_binary(content, source)
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


def tidy(name: str) -> str:
    """A name on one line, with single spaces."""
    return " ".join(name.split())
