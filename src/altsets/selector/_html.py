"""The sets in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

__all__ = ["sets_as_html"]

STYLE = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def sets_as_html(
    alternatives: Sequence[Any], features: Sequence[Sequence[str]], in_use: int, notes: Sequence[str]
) -> str:
    """The sets as a small table; names come from users' tables and are escaped.

    Parameters
    ----------
    alternatives : sequence of Alternative
        The sets.
    features : sequence of sequences of str
        Their features as they are shown.
    in_use : int
        The one that ``transform`` keeps.
    notes : sequence of str
        Sentences below the table.
    """
    head = _row("th", ("Set", "Features", "Quality", "Status"))
    rows = [
        _row(
            "td",
            (
                f"{number}{' (in use)' if number == in_use else ''}",
                ", ".join(shown),
                f"{found.quality:.6g}",
                str(found.status),
            ),
        )
        for number, (found, shown) in enumerate(zip(alternatives, features, strict=True))
    ]
    return (
        f'<table style="border-collapse:collapse;margin-top:8px"><thead>{head}</thead><tbody>{"".join(rows)}</tbody>'
        f"</table>{''.join(f'<div>{html.escape(note)}</div>' for note in notes)}"
    )


def _row(kind: str, cells: Sequence[str]) -> str:
    escaped = (f'<{kind} style="{STYLE}">{html.escape(cell)}</{kind}>' for cell in cells)
    return f"<tr>{''.join(escaped)}</tr>"
