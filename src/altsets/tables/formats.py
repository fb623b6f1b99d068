"""What else a file may be than a table that can be read, told by how it begins; named, with what to do about it."""

from __future__ import annotations

import io
import json
import zipfile

from altsets.errors import TableError

__all__ = ["EXCEL", "is_excel", "refuse_binary", "refuse_markup"]

#: What a workbook of Excel is called.
EXCEL = "an Excel workbook"

EXPORT = "save the table as CSV or Parquet"
UNPACK = "unpack it first"


def _with_pandas(reader: str) -> str:
    return f"read it with pandas.{reader} and {EXPORT}"


#: How files of a kind begin, what they are, and what to do.
BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Office file (.xls)", "save it as .xlsx or CSV"),
    (b"$FL2", "an SPSS file", _with_pandas("read_spss")),
    (b"$FL3", "an SPSS file", _with_pandas("read_spss")),
    (b"<stata_dta>", "a Stata file", _with_pandas("read_stata")),
    (b"\x73\x01\x01\x00", "a Stata file", _with_pandas("read_stata")),
    (b"\x73\x02\x01\x00", "a Stata file", _with_pandas("read_stata")),
    (b"\x72\x01\x01\x00", "a Stata file", _with_pandas("read_stata")),
    (b"\x72\x02\x01\x00", "a Stata file", _with_pandas("read_stata")),
    (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file", _with_pandas("read_sas")),
    (b"HEADER RECORD*******LIB", "a SAS transport file", _with_pandas("read_sas")),
    (b"ARROW1", "a Feather or Arrow file", _with_pandas("read_feather")),
    (b"FEA1", "a Feather file", _with_pandas("read_feather")),
    (b"\xff\xff\xff\xff", "an Arrow stream", EXPORT),
    (b"ORC", "an ORC file", _with_pandas("read_orc")),
    (b"Obj\x01", "an Avro file", EXPORT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _with_pandas("read_hdf")),
    (b"SQLite format 3\x00", "an SQLite database", EXPORT),
    (b"\x93NUMPY", "a NumPy array", EXPORT),
    (b"RDX2\n", "a workspace of R", "save the table in R with write.csv"),
    (b"RDX3\n", "a workspace of R", "save the table in R with write.csv"),
    (b"X\n\x00\x00\x00", "an object of R", "save the table in R with write.csv"),
    (b"%PDF-", "a PDF document", EXPORT),
    (b"BZh", "compressed with bzip2", UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
)
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: How far into a text its first tags are looked for.
BEGINNING = 2_000


def is_excel(content: bytes) -> bool:
    """Whether these bytes are a workbook as Excel has stored it since 2007.

    Examples
    --------
    >>> is_excel(b"a,b")
    False
    """
    return content.startswith(ZIP) and "xl/workbook.xml" in _members(content)


def refuse_binary(content: bytes, source: str) -> None:
    """Refuse bytes that are something else than text; ``source`` names them.

    Examples
    --------
    >>> refuse_binary(b"$FL2@(#) SPSS DATA FILE", "survey.sav")
    Traceback (most recent call last):
    altsets.errors.TableError: survey.sav is an SPSS file; read it with pandas.read_spss and save the table as CSV or
    Parquet.
    """
    if content.startswith(ZIP):
        raise TableError(f"{source} is {_zipped(content)}.")
    for beginning, kind, advice in BEGINNINGS:
        if content.startswith(beginning):
            raise TableError(f"{source} is {kind}; {advice}.")


def refuse_markup(text: str, source: str) -> None:
    """Refuse text that is no table: a JSON document, a web page.

    Examples
    --------
    >>> refuse_markup('[{"a": 1}]', "table.json")
    Traceback (most recent call last):
    altsets.errors.TableError: table.json is a JSON document; read it with pandas.read_json and save the table as CSV
    or Parquet.
    """
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


def _members(content: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []


def _zipped(content: bytes) -> str:
    """What a zip archive is, and what to do."""
    members = _members(content)
    if not members:
        return "a damaged zip archive; get it once more"
    if "xl/workbook.xml" in members:
        return f"{EXCEL}; save the sheet as CSV"
    if "xl/workbook.bin" in members:
        return f"{EXCEL} in binary form (.xlsb); save it as .xlsx or CSV"
    if "mimetype" in members and "content.xml" in members:
        return "an OpenDocument file; save the sheet as CSV or .xlsx"
    if any(name.endswith(".npy") for name in members):
        return f"a file of NumPy arrays; {EXPORT}"
    files = [name for name in members if not name.endswith("/")]
    held = f" of {files[0]}" if len(files) == 1 else f" of {len(files)} files"
    return f"a zip archive{held}; unpack it and give the table in it"
