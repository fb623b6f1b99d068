"""From a document to one self-contained HTML file: no network, no other file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from altsets.errors import InputError, MissingExtraError
from altsets.files.writing import NewFile
from altsets.report.document import Block, Column, column, shorten_middle, table
from altsets.version import __version__
from altsets.wording import aligned

#: What the page says about the program that wrote it.
GENERATOR = "altsets"
ENDINGS = (".html", ".htm")
#: Characters that would end a script, or a line of it, and their JSON escapes.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
#: Rows and columns of a table that are there without JavaScript.
STATIC_ROWS, STATIC_COLUMNS = 100, 16


# --- Files ------------------------------------------------------------------------------------------------


def report_file(
    path: Any, *, force: bool = False, called: str = "", permission: str = "pass force=True"
) -> NewFile:
    """The file of a report, checked as far as its name goes; ``called`` and ``permission`` as for NewFile."""
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
    """Whether a file is a report that altsets wrote, which a new one may replace."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return f'<meta name="generator" content="{GENERATOR} ' in file.read(4000)
    except OSError:
        return False


# --- HTML -------------------------------------------------------------------------------------------------


def require_jinja2() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("a report", "jinja2", "report") from error
    return jinja2


def page(document: Block) -> str:
    """A whole HTML page: the document, the module that draws it, and the same in plain tables."""
    style, module = resource("shell.css"), resource("altsets.js")
    policy = (
        f"default-src 'none'; script-src '{hash_of(module)}'; style-src '{hash_of(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    trusted, generator = {"style": style, "module": module}, f"{GENERATOR} {__version__}"
    return _render("shell.html", document, trusted, policy=policy, generator=generator)


def fragment(document: Block) -> str:
    """A part of a page, for notebooks: the same element, with static content where scripts do not run."""
    return _render("fragment.html", document, {"module": resource("altsets.js")})


def _render(template: str, document: Block, trusted: dict[str, str], **values: str) -> str:
    jinja2 = require_jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    trusted = {**trusted, "json": embed(document)}
    made: str = environment.get_template(template).render(
        title=strip_direction(document["title"]),
        subtitle=strip_direction(document["subtitle"]),
        sections=[part | {"blocks": static_blocks(part["blocks"])} for part in document["sections"]],
        **{name: jinja2.utils.markupsafe.Markup(content) for name, content in trusted.items()},
        **values,
    )
    # Names may have lone surrogates, which no file takes.
    return made.encode("utf-8", errors="replace").decode("utf-8")


def embed(document: Block) -> str:
    """A document as JSON that can stand inside a script element."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(ESCAPES)


@cache
def resource(name: str) -> str:
    return resources.files("altsets.report").joinpath("page").joinpath(name).read_text(encoding="utf-8")


def hash_of(content: str) -> str:
    """The hash of a script or a style for a content-security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


# --- Without JavaScript -----------------------------------------------------------------------------------


def static_blocks(blocks: list[Block]) -> list[Block]:
    """The blocks of a section as the shell shows them: text, facts, tables with cells of text, and code."""
    shown = []
    for block in blocks:
        if block["kind"] in ("table", "chart"):
            block = _first_rows(as_table(block))
        elif block["kind"] == "text":
            block = block | {"paragraphs": [strip_direction(said) for said in block["paragraphs"]]}
        elif block["kind"] == "facts":
            block = block | {"items": [[label, strip_direction(said)] for label, said in block["items"]]}
        shown.append(block)
    return shown


def strip_direction(sentence: str) -> str:
    """A sentence in which no name reverses what follows it, as right-to-left marks in it would."""
    said = re.sub("[\u202a-\u202e]", "", sentence)
    isolates = len(re.findall("[\u2066-\u2068]", said))
    return said if isolates == said.count("\u2069") else re.sub("[\u2066-\u2069]", "", said)


def as_table(block: Block) -> Block:
    """A chart as the table of its numbers; a table stays as it is."""
    if block["kind"] == "table":
        return block
    caption = " ".join(filter(None, [f"{block['title']}. {block['description']}", block.get("note")]))
    return table(block["id"], caption, CHARTS[block["chart"]](block))


def _first_rows(block: Block) -> Block:
    columns, rows, caption = block["columns"], block["rows"], strip_direction(block["caption"])
    if len(rows) > STATIC_ROWS:
        caption = f"{caption} The first {STATIC_ROWS} of {len(rows):,} rows; JavaScript shows all."
    if len(columns) > STATIC_COLUMNS:
        caption = f"{caption} The first {STATIC_COLUMNS} of {len(columns)} columns; JavaScript shows all."
    shown = columns[:STATIC_COLUMNS]
    by_column = [
        _cells([row[place] for row in rows[:STATIC_ROWS]], kind.get("digits", 4))
        for place, kind in enumerate(shown)
    ]
    return {"kind": "table", "caption": caption, "columns": shown, "rows": list(zip(*by_column, strict=True))}


def _cells(values: list[Any], digits: int) -> list[list[str]]:
    numbers = iter(aligned([value for value in values if isinstance(value, float)], digits))
    return [_cell(value, numbers) for value in values]


def _cell(value: Any, numbers: Iterator[str]) -> list[str]:
    if isinstance(value, float):
        return [next(numbers)]
    names = value if isinstance(value, list) else [] if value is None else [value]
    return [shorten_middle(str(name)) for name in names]


def _membership(block: Block) -> list[Column]:
    names = [
        f"{name} *" if mark else name for name, mark in zip(block["features"], block["marks"], strict=True)
    ]
    return [
        column("Feature", names),
        column(block["score_name"], block["scores"], "number", 4),
        *(
            column(name, ["yes" if has[place] else "" for has in block["members"]])
            for place, name in enumerate(block["sets"])
        ),
    ]


def _bars(block: Block) -> list[Column]:
    lines, digits = block["lines"], block["digits"]
    named = [*block["labels"], *(line["label"] for line in lines)]
    values = [*block["values"], *(line["value"] for line in lines)]
    ends = [(name, block[key]) for name, key in (("from", "low"), ("to", "high")) if block[key] is not None]
    return [
        column("Name", named),
        column(block["value_name"], values, "number", digits),
        *(column(name, [*numbers, *[None] * len(lines)], "number", digits) for name, numbers in ends),
    ]


def _lines(block: Block) -> list[Column]:
    points = [(line["name"], point) for line in block["series"] for point in line["points"]]
    return [
        column("Curve", [name for name, _ in points]),
        column(block["x_name"], [point["x"] for _, point in points], "number", 4),
        column(block["y_name"], [point["y"] for _, point in points], "number", 4),
        column(
            "Point", [f"{point['label']}{' (not proven)' if point['open'] else ''}" for _, point in points]
        ),
    ]


def _matrix(block: Block) -> list[Column]:
    columns = zip(block["columns"], zip(*block["values"], strict=True), strict=True)
    return [
        column(block["row_name"] or "Name", block["rows"]),
        *(column(name, values, "number", 4) for name, values in columns),
    ]


CHARTS = {"membership": _membership, "bars": _bars, "lines": _lines, "matrix": _matrix}
