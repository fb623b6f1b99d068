"""The section of a report on what is left if a feature is lost."""

from __future__ import annotations

from altsets.report.document import Block, column, section, table, text
from altsets.report.sections import IN_WORDS
from altsets.search.what_if import WhatIf


def losses_section(losses: WhatIf) -> Block:
    """The best set that is left after each loss."""
    rows = [
        [
            loss.name,
            losses.replaced(loss),
            list(loss.named_set or ()),
            loss.quality,
            100 * losses.share(loss),
            IN_WORDS[loss.status],
        ]
        for loss in losses.losses
    ]
    columns = [
        column("If lost"),
        column("Replaced by"),
        column("Best set without it", "names"),
        column("Quality", "number", 6),
        column("% of set 0", "number", 3),
        column("Certainty"),
    ]
    listed = table("what-if", "The best set that is left after each loss.", columns, rows)
    warned = text(*losses.verdict.cautions, tone="warning")
    return section("losses", "What if a feature is lost?", [text(*losses.verdict.findings), warned, listed])
