"""Answers in a notebook: the sections of a report that fit there; a plain text where they cannot be made."""

from __future__ import annotations

import html
from typing import Any

from altsets.report.blocks import Block, document
from altsets.report.evaluation import evaluation_section
from altsets.report.fitting import fitted
from altsets.report.frontier import frontier_section
from altsets.report.near_best import near_best_section
from altsets.report.render import fragment
from altsets.report.sets import sets_section

__all__ = ["in_notebook"]

SECTIONS: dict[str, Any] = {
    "result": sets_section,
    "evaluation": evaluation_section,
    "frontier": frontier_section,
    "near_best": near_best_section,
}


def in_notebook(**answer: Any) -> str:
    """One answer as a part of a page; never raises, since a notebook would show the error instead of the answer.

    Parameters
    ----------
    **answer
        ``result``, ``evaluation``, ``frontier`` or ``near_best``.
    """
    [(kind, given)] = answer.items()
    told = _told(given)
    try:
        made: Block = SECTIONS[kind](given)
        blocks = [{"kind": "text", "paragraphs": told[:1], "tone": "plain"}, *made["blocks"]]
        return fragment(fitted(document("", "", [made | {"blocks": blocks}])))
    except Exception:
        # Without Jinja2, and whatever else: the answer in words is always there.
        return "".join(f"<p>{html.escape(line)}</p>" for line in told)


def _told(given: Any) -> list[str]:
    """What an answer says of itself, in paragraphs: the first one is its gist."""
    said = given.summary() if hasattr(given, "summary") else given.explain()
    sets = [
        f"Set {number}: {', '.join(names)}." for number, names in enumerate(getattr(given, "named_sets", ()))
    ]
    return [*said.split("\n\n"), *sets]
