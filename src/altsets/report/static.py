"""A document without JavaScript: charts as tables, cells as text, long tables up to their first rows."""

from __future__ import annotations

import re
from typing import Any

from altsets.report.blocks import Block, column, table
from altsets.report.fitting import shortened
from altsets.report.limits import REPORT_LIMITS

__all__ = ["as_table", "cell_text", "one_way", "static_blocks"]

#: Columns of a table that are there without JavaScript.
MOST_COLUMNS = 16


def static_blocks(blocks: list[Block]) -> list[Block]:
    """The blocks of a section as the shell shows them: text, facts, tables with cells of text, and code."""
    shown = []
    for block in blocks:
        if block["kind"] in ("table", "chart"):
            shown.append(_first_rows(as_table(block)))
        elif block["kind"] == "text":
            shown.append(block | {"paragraphs": [one_way(said) for said in block["paragraphs"]]})
        elif block["kind"] == "facts":
            shown.append(block | {"items": [[label, one_way(said)] for label, said in block["items"]]})
        else:
            shown.append(block)
    return shown


def one_way(sentence: str) -> str:
    """A sentence in which no name turns around what follows it, as marks of right-to-left text in it would.

    Examples
    --------
    >>> one_way("the feature \\u202eemag is in set 0")
    'the feature emag is in set 0'
    """
    said = re.sub("[\u202a-\u202e]", "", sentence)
    isolates = len(re.findall("[\u2066-\u2068]", said))
    return said if isolates == said.count("\u2069") else re.sub("[\u2066-\u2069]", "", said)


def as_table(block: Block) -> Block:
    """A chart as the table of its numbers; a table stays as it is."""
    if block["kind"] == "table":
        return block
    columns, rows = CHARTS[block["chart"]](block)
    made = table(block["id"], f"{block['title']}. {block['description']}", columns, rows)
    note = block.get("note")
    return made | ({"caption": f"{made['caption']} {note}"} if note else {})


def _first_rows(block: Block) -> Block:
    most, columns = REPORT_LIMITS.static_rows, block["columns"][:MOST_COLUMNS]
    rows = [
        [cell_text(cell, kind) for cell, kind in zip(row, columns, strict=False)]
        for row in block["rows"][:most]
    ]
    caption = one_way(block["caption"])
    if len(block["rows"]) > most:
        caption = f"{caption} The first {most} of {len(block['rows']):,} rows; JavaScript shows all."
    if len(block["columns"]) > MOST_COLUMNS:
        caption = (
            f"{caption} The first {MOST_COLUMNS} of {len(block['columns'])} columns; JavaScript shows all."
        )
    return {"kind": "table", "caption": caption, "columns": columns, "rows": rows}


def cell_text(cell: Any, kind: Block) -> list[str]:
    """What a cell says: several names, or one text.

    Examples
    --------
    >>> cell_text(0.123456, {"kind": "number", "digits": 3}), cell_text(["a", "b"], {"kind": "names"})
    (['0.123'], ['a', 'b'])
    """
    if cell is None:
        return [""]
    if isinstance(cell, list):
        return [shortened(str(name)) for name in cell]
    if isinstance(cell, float):
        return [f"{cell:#.{kind.get('digits', 4)}g}".rstrip(".")]
    return [shortened(str(cell))]


# --- Charts ---------------------------------------------------------------------------------------------

TableParts = tuple[list[Block], list[list[Any]]]


def _membership(block: Block) -> TableParts:
    columns = [column("Feature"), column(block["score_name"], "number", 4), *map(column, block["sets"])]
    rows = [
        [f"{name} *" if mark else name, score, *("yes" if has else "" for has in members)]
        for name, score, members, mark in zip(
            block["features"], block["scores"], block["members"], block["marks"], strict=True
        )
    ]
    return columns, rows


def _bars(block: Block) -> TableParts:
    columns = [column("Name"), column(block["value_name"], "number", block["digits"])]
    parts = [block["labels"], block["values"]]
    for name, title in (("low", "from"), ("high", "to")):
        if block[name] is not None:
            columns.append(column(title, "number", block["digits"]))
            parts.append(block[name])
    rows = [list(row) for row in zip(*parts, strict=True)]
    width = len(columns) - 2
    return columns, rows + [[line["label"], line["value"], *[None] * width] for line in block["lines"]]


def _lines(block: Block) -> TableParts:
    columns = [
        column("Curve"),
        column(block["x_name"], "number", 4),
        column(block["y_name"], "number", 4),
        column("Point"),
    ]
    rows = [
        [line["name"], point["x"], point["y"], f"{point['label']}{' (not proven)' if point['open'] else ''}"]
        for line in block["series"]
        for point in line["points"]
    ]
    return columns, rows


def _matrix(block: Block) -> TableParts:
    columns = [column(block["row_name"] or "Name"), *(column(name, "number", 4) for name in block["columns"])]
    rows = [[name, *values] for name, values in zip(block["rows"], block["values"], strict=True)]
    return columns, rows


CHARTS = {"membership": _membership, "bars": _bars, "lines": _lines, "matrix": _matrix}
