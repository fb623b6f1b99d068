"""Points that were not proven take over better sets from points that asked for more, and were searched later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from altsets.dissimilarity import Matched
from altsets.problem import Problem, verify
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.frontier.point import FrontierPoint
from altsets.search.scaling import Scaling

__all__ = ["consistent"]

#: Points that more time could have made better.
OPEN = (Status.FEASIBLE, Status.NOT_FOUND)


def consistent(
    quality: Quality, problems: Sequence[Problem], points: Sequence[FrontierPoint]
) -> list[FrontierPoint]:
    """The points, none of which is worse than one for a larger tau or more sets, where sets are simultaneous.

    ``problems`` are those of the points, in the same order.
    """
    return [
        _improved(quality, problem, point, points)
        if problem.search == "simultaneous" and point.status in OPEN
        else point
        for problem, point in zip(problems, points, strict=False)
    ]


def _improved(
    quality: Quality, problem: Problem, point: FrontierPoint, points: Sequence[FrontierPoint]
) -> FrontierPoint:
    """The point with the best sets of those that ask for more, if they are better."""
    others = [
        other.result.sets[: problem.n_sets]
        for other in points
        if other.n_features == point.n_features
        and other.tau >= point.tau
        and other.n_alternatives >= point.n_alternatives
        and other.is_complete
        and other is not point
    ]
    if not others:
        return point
    bound, scale = point.result.bound, Scaling.of(quality, problem).scale
    values = [verify(problem, sets, quality.evaluate, bound, scale) for sets in others]
    best = max(range(len(others)), key=lambda number: problem.objective(values[number]))
    objective = problem.objective(values[best])
    if point.is_complete and objective <= point.result.objective:
        return point
    sets, kind = others[best], problem.dissimilarity
    result = replace(
        point.result,
        sets=list(sets),
        qualities=values[best],
        objective=objective,
        bound=max(bound, objective),
        status=Status.FEASIBLE,
        statuses=[Status.FEASIBLE] * problem.n_sets,
        named_sets=[quality.names_of(chosen) for chosen in sets],
        reason="",
        matches=kind.matches_among(sets) if isinstance(kind, Matched) else [],
        scores=quality.scores_in(sets),
    )
    return replace(point, result=result)
