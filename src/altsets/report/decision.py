"""What a page begins with: a decision for each alternative, or that scores alone cannot tell."""

from __future__ import annotations

from altsets.evaluation import Evaluation, lines_of
from altsets.report.document import Block, text, verdict
from altsets.result import Result

TO_FIND_OUT = (
    "To find out, measure how well the sets predict rows that the search has not seen: altsets find --evaluate, or "
    "altsets.evaluate in Python."
)
NO_TARGET = "Without a target there is nothing to predict; choose by cost, meaning or convenience."


def decision_blocks(result: Result | None, evaluation: Evaluation | None) -> list[Block | None]:
    """A banner for each alternative, the best first; without an evaluation, one that scores alone cannot tell."""
    if evaluation is None or not evaluation.folds:
        return [] if result is None else [verdict(untested(result), good=False)]
    decisions = evaluation.decisions if result is None else evaluation.decisions_on(result)
    told = list(zip(decisions, lines_of(decisions), strict=True))
    reasoned = [verdict(lines, good=one.answer == "yes") for one, lines in told if len(lines) > 1]
    return [*reasoned, text(*(lines[0] for _, lines in told if len(lines) == 1))]


def untested(result: Result, to_find_out: str = TO_FIND_OUT) -> list[str]:
    """What scores alone cannot tell, and how to find out; empty if there is nothing to decide."""
    if not result.sets:
        return []
    question = {1: "Does this set predict well?", 2: "Use set 1 instead of set 0?"}
    asked = question.get(len(result.sets), "Use another set instead of set 0?")
    has_target = not result.provenance or bool(result.provenance.get("task"))
    return [f"{asked} Scores alone cannot tell.", to_find_out if has_target else NO_TARGET]
