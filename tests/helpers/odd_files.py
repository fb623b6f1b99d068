"""Unusual files and options, each with what ``altsets find`` makes of it; the second table of odd_inputs.page()."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import sys
import tempfile
import types
import zipfile
from dataclasses import dataclass
from unittest import mock

from altsets import cli

ROWS = "".join(
    f"{row / 10 + 3 * (row % 2)},{row % 7 + row % 2},p{row % 4},{'yes' if row % 2 else 'no'}\n"
    for row in range(40)
)
TABLE = f"a,b,patient,y\n{ROWS}"
GERMAN = TABLE.replace(",", ";").replace(".", ",")
ASKED = ("--target", "y", "-k", "1", "-a", "1", "--quality", "f", "--drop", "patient")


@dataclass(frozen=True)
class FileCase:
    """One file: what it is, its name and content, and more options of ``altsets find``."""

    what: str
    content: str | bytes = TABLE
    name: str = "table.csv"
    options: tuple[str, ...] = ()
    #: The first set, if there is an answer.
    first: str | None = None
    piped: bool = False


def _zip(name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), TABLE)
    return stream.getvalue()


FILES = [
    FileCase("standard input", first="a", piped=True),
    FileCase("gzipped CSV from standard input", gzip.compress(TABLE.encode()), first="a", piped=True),
    FileCase("nothing from standard input", "", piped=True),
    FileCase("decimal commas, not announced", GERMAN),
    FileCase("decimal commas, announced", GERMAN, options=("--decimal", ","), first="a"),
    FileCase("decimal commas between commas", options=("--decimal", ",")),
    FileCase("thousands with points", GERMAN.replace(",", "."), options=("--decimal", ",")),
    FileCase("rows without a target", TABLE + "1,2,p0,\n"),
    FileCase("these rows dropped", TABLE + "1,2,p0,\n", options=("--drop-missing-target",), first="a"),
    FileCase("a JSON document", json.dumps([{"a": 1, "y": 2}]), "table.json"),
    FileCase("a zip archive", _zip("table.csv"), "table.zip"),
    FileCase("an old Excel file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "table.xls"),
    FileCase("a sheet of a CSV file", options=("--sheet", "Data")),
    FileCase("an SPSS file", b"$FL2@(#) SPSS DATA FILE", "table.sav"),
    FileCase("a Stata file", b"<stata_dta><header>", "table.dta"),
    FileCase("a Feather file", b"ARROW1\x00\x00", "table.feather"),
    FileCase("a web page", "<!DOCTYPE html><html>Please sign in</html>", "table.csv"),
    FileCase("an output of an unknown kind", options=("--output", "sets.xlsx")),
    FileCase("an output in no folder", options=("--output", "results/sets.csv")),
    FileCase("an output over another file", options=("--output", "other.csv")),
    FileCase("an output over the table", options=("--output", "table.csv", "--force")),
    FileCase("a report", options=("--report", "report.html"), first="a"),
    FileCase("a report that no browser would open", options=("--report", "report.pdf")),
    FileCase("a report in no folder", options=("--report", "results/report.html")),
    FileCase("a report where a folder is", options=("--report", ".")),
    FileCase("a report over another file", options=("--report", "old.html")),
    FileCase("a report over another file, as asked", options=("--report", "old.html", "--force"), first="a"),
    FileCase("a report over the table", name="table.html", options=("--report", "table.html", "--force")),
    FileCase("permission to replace no file", options=("--force",)),
    FileCase("folds without an evaluation", options=("--cv-groups", "patient")),
    FileCase("folds of an unknown kind", options=("--evaluate", "--cv", "month:4")),
    FileCase("more folds than groups", options=("--evaluate", "--cv", "5", "--cv-groups", "patient")),
    FileCase("folds in time order, repeated", options=("--evaluate", "--cv", "time:4", "--n-repeats", "2")),
    FileCase("an answer without a record repeated", options=("--again", "old.json")),
]


def outcome(
    case: FileCase, command: str = "find", asked: tuple[str, ...] = (*ASKED, "--json")
) -> tuple[int, str, str]:
    """The exit status, and both outputs."""
    content = case.content if isinstance(case.content, bytes) else case.content.encode()
    place = "-" if case.piped else case.name
    words = [command, place, *(() if "--again" in case.options else asked), *case.options]
    stdin = types.SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False)
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.object(sys, "argv", ["altsets", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        others = {"other.csv": b"", "old.html": b"", "old.json": b'{"schema": 1}'}
        for name, written in {**others, case.name: content}.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(written)
        try:
            cli.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def sets_in(printed: str) -> list[str]:
    return [", ".join(entry["features"]) for entry in json.loads(printed)["sets"]]


def said(case: FileCase) -> str:
    """What the case gets, in one line."""
    code, out, err = outcome(case)
    text = f"**Refused**: {err.removeprefix('Error: ')}" if code else f"**Answer**: {'; '.join(sets_in(out))}"
    if err and not code:
        text += f" **Message**: {err}"
    return " ".join(text.split()).replace("|", "\\|")
