"""All Pareto-optimal pairs of sum and minimum of the qualities of simultaneous sets.

The largest sum comes first. Then the minimum has to be larger than that of the sets before, and the sum is maximised
again, until no sets have a larger minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from altsets.errors import UnsupportedError
from altsets.problem import BOUND_TOLERANCE, Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Frontier, FrontierPoint, Result, Status, StopReason
from altsets.search.frontier.limits import Limited, refuse_min
from altsets.search.frontier.progress import Callback, Reporter
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, solve

#: Points of one curve: each is a search.
MOST_POINTS = 1_000


def by_balance(
    request: Request,
    quality: Quality,
    *,
    measured: Request | None = None,
    callback: Callback | None = None,
) -> Frontier:
    """All trade-offs of a request for simultaneous sets; ``measured`` is the same with numbers of a table."""
    refuse_min(request, "balance")
    refuse_chosen_sizes(quality, "a frontier")
    if not quality.has_form:
        raise UnsupportedError("a frontier by balance takes qualities in numbers, not black boxes.")
    problem, reporter = problem_of(measured or request, quality), Reporter(callback, [], None)
    with Run(request.time_limit, reporter.callback) as run:
        limited = Limited.of(quality, problem, run, request.engine)
        results, complete = _stepwise(quality, limited.problem, run, request, reporter)
    complete = complete and limited.proven
    points = _points(results, complete, BOUND_TOLERANCE * Scaling.of(quality, problem).scale)
    if not limited.proven:
        points = [replace(point, status=Status.FEASIBLE) for point in points]
    return Frontier(
        points,
        limited.problem.parameters(),
        by="balance",
        complete=complete,
        reason="" if points else results[-1].explain(),
        stop_reason=StopReason.FINISHED if complete else run.stop_reason,
        elapsed=run.elapsed,
    )


def _stepwise(
    quality: Quality, problem: Problem, run: Run, request: Request, reporter: Reporter
) -> tuple[list[Result], bool]:
    """The largest sums for ever larger minima, the last search without sets; and whether it came to the end."""
    scaling = Scaling.of(quality, problem)
    # Larger by more than counts as equal: what is good enough may fall short by as much.
    step = 2 * BOUND_TOLERANCE * scaling.scale
    results: list[Result] = []
    while len(results) < MOST_POINTS:
        asked = problem
        if results:
            asked = replace(problem, min_quality=min(results[-1].qualities) + step)
        part = run.turn(run.remaining)
        reporter.at(asked, part)
        again = request if not results else replace(request, within=None, min_quality=asked.min_quality)
        found = solve(quality, asked, part, request.engine, request=again)
        reporter.done += 1
        results.append(found)
        if not found.sets:
            return results, found.status is Status.INFEASIBLE
        if not scaling.scale:
            # All sets are worth nothing, so no minimum is larger.
            return results, found.status is Status.OPTIMAL
        if run.stopped:
            return results, False
    return results, False


def _points(results: Sequence[Result], complete: bool, tolerance: float) -> list[FrontierPoint]:
    """The results that no other one beats, proven if they and all that could beat them are."""
    points: list[FrontierPoint] = []
    for number, result in enumerate(results):
        if not result.sets:
            continue
        later = results[number + 1 :]
        if any(other.sets and other.objective >= result.objective - tolerance for other in later):
            continue
        after = later[0].status in (Status.OPTIMAL, Status.INFEASIBLE) if later else complete
        proven = result.status is Status.OPTIMAL and after
        points.append(FrontierPoint(result, Status.OPTIMAL if proven else Status.FEASIBLE))
    return points
