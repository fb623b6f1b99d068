"""A document made to fit: long names lose their middle, long tables their end, and both are said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from altsets.report.blocks import Block
from altsets.report.limits import REPORT_LIMITS, ReportLimits

__all__ = ["FEATURES", "fitted", "shortened"]

#: The table of all features, which keeps whole names as far as there is room.
FEATURES = "features"

#: The keys of a block whose text must stay as it is.
IDENTITIES = ("kind", "id", "chart", "file", "tone", "language")


def shortened(text: str, most: int = REPORT_LIMITS.longest_name) -> str:
    """A text without its middle, if it is longer than that: names that begin alike often end differently.

    Examples
    --------
    >>> shortened("a" * 50 + "b" * 50, 20)
    'aaaaaaaaaaaaaaa…bbbb'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 4
    return f"{text[: most - 1 - end]}…{text[-end:]}"


def fitted(document: Block, limits: ReportLimits = REPORT_LIMITS) -> Block:
    """The same document, in which nothing is longer than a report has room for."""
    return document | {
        "title": shortened(document["title"], limits.longest_name),
        "subtitle": shortened(document["subtitle"], limits.longest_paragraph),
        "sections": [
            section | {"blocks": [_block(block, limits) for block in section["blocks"]]}
            for section in document["sections"]
        ],
    }


def _block(block: Block, limits: ReportLimits) -> Block:
    kind = block["kind"]
    if kind in ("text", "facts"):
        return {name: _cut(value, limits.longest_paragraph) for name, value in block.items()}
    if kind == "code":
        return _code(block, limits)
    if kind == "table":
        return _table(block, limits)
    return {
        name: value
        if name in IDENTITIES
        else _cut(value, limits.longest_paragraph if name in ("note", "description") else limits.longest_name)
        for name, value in block.items()
    }


def _cut(value: Any, most: int) -> Any:
    """The same with short texts, whatever they are in."""
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, list):
        return [_cut(entry, most) for entry in value]
    if isinstance(value, dict):
        return {name: _cut(entry, most) for name, entry in value.items()}
    return value


def _code(block: Block, limits: ReportLimits) -> Block:
    if len(block["text"]) <= limits.longest_code:
        return block
    said = f"{block['label']}: with {len(block['text']):,} characters too long to be shown here."
    return {"kind": "text", "paragraphs": [said], "tone": "note"}


def _table(block: Block, limits: ReportLimits) -> Block:
    rows = block["rows"]
    whole = block["id"] == FEATURES and sum(len(row[0]) for row in rows) <= limits.full_names
    short = [
        [row[0], *_cut(row[1:], limits.longest_name)] if whole else _cut(row, limits.longest_name)
        for row in rows
    ]
    if block["id"] == FEATURES:
        short = _told_apart(short)
    kept = _as_many_as_fit(short, limits.table)
    caption = block["caption"]
    if len(kept) < len(rows):
        caption = (
            f"{caption} The first {len(kept):,} of {len(rows):,} rows; there is no room for the others here."
        )
    return block | {"caption": shortened(caption, limits.longest_paragraph), "rows": kept}


def _told_apart(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows whose names are the same once they are shortened get a number."""
    counts = Counter(row[0] for row in rows)
    seen: Counter[str] = Counter()
    made = []
    for row in rows:
        seen[row[0]] += 1
        made.append([f"{row[0]} ({seen[row[0]]})", *row[1:]] if counts[row[0]] > 1 else row)
    return made


def _as_many_as_fit(rows: Iterable[list[Any]], room: int) -> list[list[Any]]:
    kept = []
    for row in rows:
        room -= len(json.dumps(row, ensure_ascii=False))
        if room < 0:
            break
        kept.append(row)
    return kept
