"""The answer about a family of sets: verified, and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from altsets.problem import FeatureSet, Problem, verify
from altsets.quality import Quality
from altsets.result import Result, Status, StopReason
from altsets.search.families.standard import Asked, Standard
from altsets.search.find import CUT_SHORT, why_no_set
from altsets.search.run import Run

__all__ = ["FamilyClaim", "family_result", "in_words", "none_result"]


@dataclass(frozen=True)
class FamilyClaim:
    """What is said about a family: what was to be as large as possible, what it can be at most, and why."""

    objective: float
    bound: float
    proven: bool
    finding: str
    engine: str
    proof: str
    #: Whether nobody wanted to know more than that, though it is not all.
    finished: bool = False


def family_result(
    quality: Quality,
    problem: Problem,
    sets: Sequence[FeatureSet],
    claim: FamilyClaim,
    run: Run,
    asked: dict[str, Any],
) -> Result:
    """The sets, checked like any others, and what is claimed about them."""
    qualities = verify(problem, sets, quality.evaluate, math.inf, hurry=lambda: run.stopped)
    status = Status.OPTIMAL if claim.proven else Status.FEASIBLE
    stop_reason = _stop_reason(run, finished=claim.proven or claim.finished)
    run.finish(list(sets), claim.objective, claim.bound)
    return Result(
        sets=list(sets),
        qualities=qualities,
        objective=claim.objective,
        bound=claim.bound,
        status=status,
        statuses=[status] * len(sets),
        named_sets=[quality.names_of(chosen) for chosen in sets],
        parameters={**problem.parameters(), **asked},
        engine=claim.engine,
        proof=CUT_SHORT.get(stop_reason, "") + claim.proof,
        elapsed=run.elapsed,
        stop_reason=stop_reason,
        steps=run.steps,
        finding=claim.finding,
        scores=quality.scores_in(sets),
    )


def none_result(
    quality: Quality,
    problem: Problem,
    standard: Standard,
    n_asked: int,
    run: Run,
    asked: dict[str, Any],
    *,
    proven: bool,
) -> Result:
    """There is no set that is good enough, or none was found."""
    status = Status.INFEASIBLE if proven else Status.NOT_FOUND
    reason = _why_none(quality, problem, standard, run, proven=proven)
    stop_reason = _stop_reason(run, finished=proven)
    bound = -math.inf if proven else math.inf
    run.finish([], math.nan, bound)
    return Result(
        sets=[],
        qualities=[],
        objective=math.nan,
        bound=bound,
        status=status,
        statuses=[status] * n_asked,
        named_sets=[],
        parameters={**problem.parameters(), **asked},
        engine=standard.engine,
        proof=CUT_SHORT.get(stop_reason, "") + standard.proof,
        reason=reason,
        elapsed=run.elapsed,
        stop_reason=stop_reason,
        steps=run.steps,
    )


def _why_none(quality: Quality, problem: Problem, standard: Standard, run: Run, *, proven: bool) -> str:
    later = "" if proven else " More time may help."
    if standard.best is None:
        return why_no_set(quality, problem, run) if proven else later.strip()
    if standard.is_reached:
        return f"No set of a quality of {standard.least:.6g} or more differs enough from the existing ones.{later}"
    names, found = ", ".join(quality.names_of(standard.best)), "" if proven else " that was found"
    return (
        f"No set reaches min_quality={standard.least:.6g}: the best set{found} ({names}) has a quality of "
        f"{standard.quality:.6g}.{later}"
    )


def _stop_reason(run: Run, *, finished: bool) -> StopReason:
    if finished:
        return StopReason.FINISHED
    if run.stopped:
        return StopReason.INTERRUPTED if run.interrupted else StopReason.TIME_LIMIT
    return StopReason.ENGINE_LIMIT


def in_words(asked: Asked, standard: Standard) -> str:
    """How good sets are that are good enough."""
    if asked.within is None:
        return f"of a quality of {standard.least:.6g} or more"
    best = "the best possible quality" if standard.proven else "the best quality found"
    return f"within {100 * asked.within:g} % of {best} ({standard.quality:.6g})"
