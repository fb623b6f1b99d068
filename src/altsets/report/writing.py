"""Reports in files: checked before anything is computed, whole or not there at all."""

from __future__ import annotations

import os
from typing import Any

from altsets.errors import InputError
from altsets.new_files import NewFile
from altsets.report.render import GENERATOR, page, require_jinja2

__all__ = ["is_report", "report_file", "write_report"]

ENDINGS = (".html", ".htm")


def report_file(
    path: Any, *, force: bool = False, called: str = "", permission: str = "pass force=True"
) -> NewFile:
    """Where a report goes, checked as far as its name says it.

    Parameters
    ----------
    path : path-like
        The file.
    force : bool
        Whether it may replace another file.
    called, permission : str
        As for :class:`altsets.new_files.NewFile`.
    """
    require_jinja2()
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputError(f"a report needs the name of a file, not {path!r:.60}.") from None
    called = called or f"the report {name}"
    if os.path.splitext(name)[1].lower() not in ENDINGS and not os.path.isdir(name):
        raise InputError(f"{called}: the name must end in .html, so that a browser opens it.")
    return NewFile(name, called, force, permission)


def is_report(path: str) -> bool:
    """Whether a file is a report that altsets wrote, so that nobody misses it when a new one takes its place."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return f'<meta name="generator" content="{GENERATOR} ' in file.read(4000)
    except OSError:
        return False


def write_report(path: Any, *, force: bool = False, **answers: Any) -> str:
    """Summarise answers and write them as one HTML file.

    Parameters
    ----------
    path : path-like
        A new file whose name ends in .html, in a folder that exists.
    force : bool
        Whether it may replace another file.
    **answers
        As for :func:`altsets.report.summarise`.

    Returns
    -------
    str
        The file.
    """
    from altsets.report.summarise import summarise

    file = report_file(path, force=force).check()
    file.write(page(summarise(**answers)).encode())
    return file.path
