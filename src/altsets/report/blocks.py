"""Blocks: the parts of a document between those who summarise answers and those who show them.

A document is plain data: ``{"schema": 1, "title", "subtitle", "sections": [{"id", "title", "blocks"}]}``. All text in
it is plain text. The page module draws it, and the shell shows it without JavaScript.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["Block", "chart", "code", "column", "document", "facts", "plain", "section", "table", "text"]

Block = dict[str, Any]

SCHEMA = 1
#: Rows of a table on one page.
PAGE_SIZE = 25


def document(title: str, subtitle: str, sections: Iterable[Block | None]) -> Block:
    """The whole document; sections that have nothing to say are left out.

    Examples
    --------
    >>> document("A report", "", [section("in-short", "In short", []), None])
    {'schema': 1, 'title': 'A report', 'subtitle': '', 'sections': []}
    """
    said = [part for part in sections if part is not None and part["blocks"]]
    made: Block = plain({"schema": SCHEMA, "title": title, "subtitle": subtitle, "sections": said})
    return made


def section(identity: str, title: str, blocks: Iterable[Block | None]) -> Block:
    """A section; blocks that are None are left out."""
    return {"id": identity, "title": title, "blocks": [block for block in blocks if block is not None]}


def text(*paragraphs: str, tone: str = "plain") -> Block | None:
    """Paragraphs; None if there is nothing to say. The tone is "plain", "note" or "warning"."""
    said = [paragraph for paragraph in paragraphs if paragraph]
    return {"kind": "text", "paragraphs": said, "tone": tone} if said else None


def facts(items: Iterable[tuple[str, str]]) -> Block | None:
    """Labels with what there is to say about each; None if there is nothing."""
    said = [[label, said] for label, said in items if said]
    return {"kind": "facts", "items": said} if said else None


def column(name: str, kind: str = "text", digits: int | None = None, about: str = "") -> Block:
    """A column of a table: "text", "number" (with so many significant digits) or "names"."""
    made: Block = {"name": name, "kind": kind}
    if digits is not None:
        made["digits"] = digits
    return made | ({"help": about} if about else {})


def table(
    identity: str,
    caption: str,
    columns: Sequence[Block],
    rows: Sequence[Sequence[Any]],
    *,
    sort: tuple[int, bool] | None = None,
) -> Block:
    """A table that can be sorted, searched, paged and saved as CSV; ``sort`` is a column, and whether descending."""
    return {
        "kind": "table",
        "id": identity,
        "caption": caption,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
        "page_size": PAGE_SIZE,
        "sort": None if sort is None else {"column": sort[0], "descending": sort[1]},
        "file": f"{identity}.csv",
    }


def code(language: str, lines: str, label: str) -> Block:
    """Lines to copy, in "python" or for the "shell"."""
    return {"kind": "code", "language": language, "text": lines, "label": label}


def chart(identity: str, kind: str, title: str, description: str, **data: Any) -> Block:
    """A chart: "membership", "bars", "lines" or "matrix", with its numbers."""
    return {
        "kind": "chart",
        "id": identity,
        "chart": kind,
        "title": title,
        "description": description,
        **data,
    }


def plain(value: Any) -> Any:
    """The same in types that JSON has; numbers that are not finite become None.

    Examples
    --------
    >>> plain({"values": (np.float64(0.5), float("nan"), np.int64(3), np.True_)})
    {'values': [0.5, None, 3, True]}
    """
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)
