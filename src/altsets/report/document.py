"""The report document: plain data between those who summarise answers and those who show them.

A document is ``{"schema": 1, "title", "subtitle", "sections": [{"id", "title", "blocks"}]}``. All text in it is plain
text. The page module draws it, and the static shell shows it without JavaScript.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from altsets.result import MARK
from altsets.views.records import Bars, Curves, Grid, Membership
from altsets.wording import paragraph

Block = dict[str, Any]
Column = tuple[Block, list[Any]]

SCHEMA = 1
#: Rows of a table on one page.
PAGE_SIZE = 25

#: Characters of a name or of any other cell; longer ones lose their middle.
LONGEST_NAME = 120
LONGEST_PARAGRAPH = 3_000
#: Characters of code to copy; longer code is left out, as half of it would be wrong.
LONGEST_CODE = 20_000
#: Characters of all names together that the table of all features shows in full.
FULL_NAMES = 60_000
#: Characters of the rows of one table; rows that do not fit are left out, with a note.
LARGEST_TABLE = 300_000
#: Sets in charts, where they are columns.
SETS_DRAWN = 20

#: The table of all features, which keeps whole names as far as there is room.
FEATURES = "features"
#: The keys of a block that hold identifiers rather than text.
IDENTITIES = ("kind", "id", "chart", "file", "tone", "language")


# --- Blocks -----------------------------------------------------------------------------------------------


def document(title: str, subtitle: str, sections: Iterable[Block | None]) -> Block:
    """The whole document, cut to size; empty sections are left out."""
    filled = [part for part in sections if part is not None and part["blocks"]]
    made: Block = to_plain({"schema": SCHEMA, "title": title, "subtitle": subtitle, "sections": filled})
    return made | {
        "title": shorten_middle(made["title"]),
        "subtitle": shorten_middle(made["subtitle"], LONGEST_PARAGRAPH),
        "sections": [
            part | {"blocks": [_fit_block(block) for block in part["blocks"]]} for part in made["sections"]
        ],
    }


def section(identity: str, title: str, blocks: Iterable[Block | None]) -> Block:
    return {"id": identity, "title": title, "blocks": [block for block in blocks if block is not None]}


def text(*paragraphs: str, tone: str = "plain") -> Block | None:
    """Paragraphs in the tone "plain", "note" or "warning"; None if all are empty."""
    said = [one for one in paragraphs if one]
    return {"kind": "text", "paragraphs": said, "tone": tone} if said else None


def verdict(paragraphs: Sequence[str], *, good: bool) -> Block | None:
    """A banner, whose first paragraph is its heading; None without paragraphs."""
    said = text(*paragraphs, tone="verdict")
    return None if said is None else said | {"good": good}


def facts(items: Iterable[tuple[str, str]]) -> Block | None:
    """Labels with a text each; empty texts are left out, and None is returned if all are."""
    said = [[label, words] for label, words in items if words]
    return {"kind": "facts", "items": said} if said else None


def column(
    name: str, cells: Iterable[Any], kind: str = "text", digits: int | None = None, about: str = ""
) -> Column:
    """A column of a table with its cells: "text", "number" (with this many significant digits) or "names"."""
    made: Block = {"name": name, "kind": kind}
    if digits is not None:
        made["digits"] = digits
    return made | ({"help": about} if about else {}), list(cells)


def table(
    identity: str, caption: str, columns: Sequence[Column], *, sort: tuple[int, bool] | None = None
) -> Block:
    """A table to sort, search, page and save as CSV; ``sort`` is a column, and whether it is descending."""
    return {
        "kind": "table",
        "id": identity,
        "caption": caption,
        "columns": [head for head, _ in columns],
        "rows": list(map(list, zip(*(cells for _, cells in columns), strict=True))),
        "page_size": PAGE_SIZE,
        "sort": None if sort is None else {"column": sort[0], "descending": sort[1]},
        "file": f"{identity}.csv",
    }


def code(language: str, lines: str, label: str) -> Block:
    return {"kind": "code", "language": language, "text": lines, "label": label}


def to_plain(value: Any) -> Any:
    """The same value in JSON types; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [to_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)


# --- Charts -----------------------------------------------------------------------------------------------


def _chart(identity: str, kind: str, title: str, description: str, **data: Any) -> Block:
    named = {"kind": "chart", "id": identity, "chart": kind, "title": title, "description": description}
    return {**named, **data}


def membership_chart(identity: str, title: str, seen: Membership, description: str, score_name: str) -> Block:
    above = seen.above_noise or (True,) * len(seen.features)
    return _chart(
        identity,
        "membership",
        title,
        description,
        features=seen.features,
        scores=seen.scores or (None,) * len(seen.features),
        sets=seen.set_names,
        members=[[int(has) for has in row] for row in seen.members],
        marks=[not good for good in above],
        score_name=score_name,
        note=seen.note,
    )


def bars_chart(identity: str, title: str, seen: Bars, description: str, digits: int = 4) -> Block:
    marked = seen.marked or (False,) * len(seen.labels)
    interval = f"Lines: {seen.interval_name}." if seen.interval_name else ""
    # Marks are explained right below them.
    meaning = f"{MARK} {seen.mark_means}." if any(marked) else ""
    return _chart(
        identity,
        "bars",
        title,
        paragraph(description, interval, seen.note),
        labels=[f"{name} {MARK}" if mark else name for name, mark in zip(seen.labels, marked, strict=True)],
        values=_percent(seen.values, seen.shares),
        low=_percent(seen.low, seen.shares),
        high=_percent(seen.high, seen.shares),
        lines=[{"label": line.label, "value": _percent(line.value, seen.shares)} for line in seen.lines],
        value_name=_named(seen.value_name, seen.shares),
        limits=_percent(seen.limits, seen.shares),
        digits=digits,
        note=meaning,
    )


def curves_chart(identity: str, title: str, seen: Curves, description: str) -> Block:
    series = []
    for line in seen.series:
        points = [{**vars(point), "y": _percent(point.y, seen.shares)} for point in line.points]
        shown = [{name: point[name] for name in ("x", "y", "label", "open")} for point in points]
        series.append({"name": line.name, "points": shown})
    return _chart(
        identity,
        "lines",
        title,
        paragraph(description, seen.note),
        x_name=seen.x_name,
        y_name=_named(seen.y_name, seen.shares),
        series=series,
        mark=None if seen.mark is None else vars(seen.mark),
        lines=[{"label": line.label, "value": _percent(line.value, seen.shares)} for line in seen.lines],
        x_limits=seen.x_limits,
        y_limits=_percent(seen.y_limits, seen.shares),
    )


def grid_chart(identity: str, title: str, seen: Grid, description: str, row_name: str = "") -> Block:
    # Whole per cent, or as many digits more as the view asks for.
    decimals = max(seen.digits - 2, 0) if seen.shares else None
    return _chart(
        identity,
        "matrix",
        title,
        paragraph(description, seen.note),
        rows=seen.rows,
        columns=seen.columns,
        values=_percent(seen.values, seen.shares, decimals),
        low=_percent(seen.low, seen.shares, decimals),
        high=_percent(seen.high, seen.shares, decimals),
        value_name=_named(seen.value_name, seen.shares),
        digits=3 if seen.shares else seen.digits,
        row_name=seen.row_name or row_name,
        column_name=seen.column_name,
    )


def _percent(values: Any, shares: bool, decimals: int | None = None) -> Any:
    """Shares in per cent, however deeply nested; other numbers as they are."""
    if isinstance(values, tuple | list):
        return [_percent(value, shares, decimals) for value in values]
    if values is None or not shares:
        return values
    return 100 * values if decimals is None else round(100 * values, decimals)


def _named(name: str, shares: bool) -> str:
    return f"{name} (%)" if shares else name


# --- Size -------------------------------------------------------------------------------------------------


def shorten_middle(name: str, most: int = LONGEST_NAME) -> str:
    """A text without its middle if it is too long: names that begin alike often end differently."""
    if len(name) <= most:
        return name
    end = (most - 1) // 4
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def _fit_block(block: Block) -> Block:
    kind = block["kind"]
    if kind in ("text", "facts"):
        return {name: _cut(value, LONGEST_PARAGRAPH) for name, value in block.items()}
    if kind == "code":
        said = f"{block['label']}: with {len(block['text']):,} characters too long to be shown here."
        too_long = {"kind": "text", "paragraphs": [said], "tone": "note"}
        return block if len(block["text"]) <= LONGEST_CODE else too_long
    if kind == "table":
        return _fit_table(block)
    most = {"note": LONGEST_PARAGRAPH, "description": LONGEST_PARAGRAPH}
    return {
        name: value if name in IDENTITIES else _cut(value, most.get(name, LONGEST_NAME))
        for name, value in block.items()
    }


def _cut(value: Any, most: int) -> Any:
    """The same with short texts, however deeply nested."""
    if isinstance(value, str):
        return shorten_middle(value, most)
    if isinstance(value, list):
        return [_cut(entry, most) for entry in value]
    if isinstance(value, dict):
        return {name: _cut(entry, most) for name, entry in value.items()}
    return value


def _fit_table(block: Block) -> Block:
    rows, caption = block["rows"], block["caption"]
    short = _cut(rows, LONGEST_NAME)
    if block["id"] == FEATURES:
        whole = sum(len(row[0]) for row in rows) <= FULL_NAMES
        names = distinct_names([row[0] for row in (rows if whole else short)])
        short = [[name, *row[1:]] for name, row in zip(names, short, strict=True)]
    room = itertools.accumulate(len(json.dumps(row, ensure_ascii=False)) for row in short)
    kept = [row for row, used in zip(short, room, strict=True) if used <= LARGEST_TABLE]
    if len(kept) < len(rows):
        caption = f"{caption} The first {len(kept):,} of {len(rows):,} rows; the others are not shown here."
    return block | {"caption": shorten_middle(caption, LONGEST_PARAGRAPH), "rows": kept}


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names with a number behind those that are the same, such as once they are shortened."""
    counts: Counter[str] = Counter(names)
    seen: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))
    return [f"{name} ({next(seen[name])})" if counts[name] > 1 else name for name in names]
