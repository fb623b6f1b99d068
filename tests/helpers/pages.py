"""Documents for the page module, made up, and the smallest file around one."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror=window.hacked=3>",
    "\u202eright to left\u2067 without an end",
    "x" * 10_000,
    "two words " * 1_000,
    '=cmd|" /C calc"!A0',
    "& &amp; &lt; \"quotes\" 'single' `ticks` ${window.hacked = 4}",
    "{{ 7 * 7 }} \u2028 \u2029 \x00 \U0001f600",
    "",
)


#: More than one page of everything.
N_FEATURES = 40
SETS = ("set 0", "set 1", "set 2")


def text(*paragraphs, tone="plain"):
    return {"kind": "text", "paragraphs": list(paragraphs), "tone": tone}


def table(columns, rows, **changes):
    block = {"kind": "table", "id": "table", "caption": "A table", "columns": columns, "rows": rows}
    return {**block, "page_size": 25, "sort": None, "file": "table.csv", **changes}


def chart(kind, **content):
    block = {
        "kind": "chart",
        "id": kind,
        "chart": kind,
        "title": f"Chart {kind}",
        "description": "What it shows.",
    }
    return {**block, **content}


def features_table(names, **changes):
    """Names with falling scores, a hole among them, and the sets they are in."""
    columns = [
        {"name": "Feature", "kind": "text"},
        {"name": "Score", "kind": "number", "digits": 4, "help": "Mutual information."},
        {"name": "Sets", "kind": "names"},
    ]
    rows = [
        [name, None if place == 3 else 1 / (place + 1), list(SETS[: place % 4])]
        for place, name in enumerate(names)
    ]
    return table(columns, rows, id="features", caption="All features", file="features.csv", **changes)


def membership(names):
    return chart(
        "membership",
        features=list(names),
        scores=[None if place == 3 else 1 / (place + 1) for place in range(len(names))],
        sets=list(SETS),
        members=[[int(place % 4 > s) for s in range(3)] for place in range(len(names))],
        marks=[place > 8 for place in range(len(names))],
        score_name="mutual information",
        note="Scores that are not above noise are hatched.",
    )


def bars(labels, **changes):
    values = [0.9 - 0.01 * place for place in range(len(labels))]
    content = {"low": None, "high": None, "lines": [{"label": "baseline", "value": 0.5}]}
    content |= {"labels": list(labels), "values": values, "value_name": "accuracy", "digits": 3}
    return chart("bars", **{**content, **changes})


def lines(names, **changes):
    series = [
        {
            "name": name,
            "points": [
                {"x": k / 4, "y": 3 - k * 0.1 * (s + 1), "label": f"tau {k / 4}", "open": k == 4}
                for k in range(5)
            ],
        }
        for s, name in enumerate(names)
    ]
    content = {"mark": {"series": 0, "point": 2, "label": "it bends here"}, "lines": []}
    content |= {"x_name": "tau", "y_name": "quality", "series": series}
    return chart("lines", **{**content, **changes})


def matrix(names, **changes):
    values = [
        [None if i == j + 1 else 1 / (1 + abs(i - j)) for j in range(len(names))] for i in range(len(names))
    ]
    content = {
        "low": 0,
        "high": 1,
        "value_name": "similarity",
        "digits": 2,
        "row_name": "set",
        "column_name": "other",
    }
    content |= {"rows": list(names), "columns": list(names), "values": values}
    return chart("matrix", **{**content, **changes})


def document(*blocks, **changes):
    """A document of one section."""
    sections = [{"id": "one", "title": "Section one", "blocks": list(blocks)}]
    return {"schema": 1, "title": "A title", "subtitle": "A subtitle", "sections": sections, **changes}


def everything(names=tuple(f"feature {place}" for place in range(N_FEATURES))):
    """A document with all kinds of blocks, about features of these names."""
    blocks = {
        "Data": [
            text("Some rows.", "And columns."),
            {"kind": "facts", "items": [["Rows", "569"], ["Target", names[0]]]},
        ],
        "Sets": [
            text(f"Mind {names[0]}.", tone="note"),
            text("Careful.", tone="warning"),
            features_table(names),
        ],
        "Pictures": [
            membership(names),
            bars(names),
            bars(SETS, low=[0.8] * 3, high=[0.95] * 3, id="intervals"),
        ],
        "Frontier": [lines(names[:10]), matrix(names[:12])],
        "Again": [
            {"kind": "code", "language": "shell", "text": f"altsets find {names[0]}", "label": "Command line"}
        ],
    }
    sections = [{"id": title.lower(), "title": title, "blocks": content} for title, content in blocks.items()]
    return {
        "schema": 1,
        "title": f"Sets for {names[0]}",
        "subtitle": "All that there is",
        "sections": sections,
    }


def module_text():
    return files("altsets").joinpath("report", "page", "altsets.js").read_text(encoding="utf-8")


def escaped(document):
    text = json.dumps(document)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def file_of(document, path, *, static="<p>The static content.</p>", attributes="", embedded_json=None):
    """Write a page with a document and the module inside, under a strict policy; returns its path."""
    module = module_text()
    digest = base64.b64encode(hashlib.sha256(module.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; img-src data:"
    content = escaped(document) if embedded_json is None else embedded_json
    path.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>A page</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"></head>\n<body>'
        f'<altsets-page {attributes}><script type="application/json">{content}</script>{static}</altsets-page>'
        f'<script type="module">{module}</script></body></html>\n',
        encoding="utf-8",
    )
    return path
