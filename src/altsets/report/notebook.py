"""Answers in a notebook: the main section of their report, or plain text where that fails."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from altsets.evaluation import EvaluatedFrontier, Evaluation
from altsets.report.document import Block, document, shorten_middle, text
from altsets.report.render import fragment
from altsets.report.sections import evaluation_section, frontier_section, near_best_section, sets_section
from altsets.report.summarise import heading_of
from altsets.result import Result
from altsets.search.frontier import Frontier

#: Charts that are in reports alone: a cell of a notebook is small.
LEFT_OUT = ("quality", "overlap", "likeness", "chosen", "stand-ins", "near-best-sets")

STYLE = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def in_notebook(answer: Any, *, in_use: int | None = None, notes: Sequence[str] = ()) -> str:
    """An answer as a part of a page; never raises, since a notebook would show the error instead of the answer.

    ``in_use`` is the number of the set that a selector keeps, ``notes`` are sentences below the answer.
    """
    try:
        made = _section(answer, in_use)
        parts = [block for block in (*made["blocks"], text(*notes)) if block]
        shown = [block for block in parts if block.get("id") not in LEFT_OUT]
        return fragment(document(heading_of(answer), "", [made | {"blocks": shown}]))
    except Exception:
        # Without Jinja2, or whatever else: the answer in words is always there.
        return _plain(answer, in_use, notes)


def _section(answer: Any, in_use: int | None) -> Block:
    if isinstance(answer, Result):
        made = sets_section(answer, in_use=in_use)
        return made | {"blocks": [text(answer.explain()), *made["blocks"]]}
    if isinstance(answer, Evaluation):
        return evaluation_section(answer)
    if isinstance(answer, Frontier | EvaluatedFrontier):
        return frontier_section(answer)
    return near_best_section(answer)


def _plain(answer: Any, in_use: int | None, notes: Sequence[str]) -> str:
    """The same without a template: a table of sets, or paragraphs."""
    said = answer.summary() if hasattr(answer, "summary") else answer.explain()
    lines = [*said.split("\n\n"), *notes]
    paragraphs = "".join(f'<p style="white-space:pre-wrap">{html.escape(line)}</p>' for line in lines)
    return (_table(answer, in_use) if isinstance(answer, Result) else "") + paragraphs


def _table(result: Result, in_use: int | None) -> str:
    rows = []
    sets = zip(result.named_sets, result.qualities, result.statuses, strict=False)
    for number, (names, value, status) in enumerate(sets):
        which = f"{number}{' (in use)' if number == in_use else ''}"
        rows.append(_row("td", (which, ", ".join(map(shorten_middle, names)), f"{value:.6g}", str(status))))
    head = _row("th", ("Set", "Features", "Quality", "Status"))
    return (
        f'<table style="border-collapse:collapse;margin-top:8px"><thead>{head}</thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _row(kind: str, cells: Sequence[str]) -> str:
    escaped = (f'<{kind} style="{STYLE}">{html.escape(cell)}</{kind}>' for cell in cells)
    return f"<tr>{''.join(escaped)}</tr>"
