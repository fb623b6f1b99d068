"""The trade-off between the qualities of simultaneous sets and what they share: every penalty that matters.

For a penalty w the best sets have the largest sum S minus w times the number of shared features o. As a function of w
that is convex and made of straight lines, one for each supported point (S, o). Where the lines of two points cross,
either no sets are better, and that is a breakpoint, or others are, and their line lies between (Eisner and Severance,
1976).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

from altsets.errors import UnsupportedError
from altsets.problem import BOUND_TOLERANCE, Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Frontier, FrontierPoint, Result, Status, StopReason
from altsets.search.frontier.limits import Limited, refuse_min
from altsets.search.frontier.progress import Callback, Reporter
from altsets.search.run import Run
from altsets.search.scaling import LARGEST_PENALTY, Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, solve

#: Points of one curve: each takes one search or two.
MOST_POINTS = 1_000


@dataclass(frozen=True)
class _Line:
    """Sets and what they are worth by the penalty."""

    result: Result
    total: float
    shared: int

    @classmethod
    def of(cls, problem: Problem, result: Result) -> _Line:
        return cls(result, math.fsum(result.qualities), problem.n_shared(result.sets))

    def at(self, penalty: float) -> float:
        return self.total - penalty * self.shared


def by_penalty(
    request: Request,
    quality: Quality,
    *,
    measured: Request | None = None,
    callback: Callback | None = None,
) -> Frontier:
    """Every penalty that matters, for simultaneous sets of one size; ``measured`` has numbers of a table."""
    refuse_min(request, "penalty")
    refuse_chosen_sizes(quality, "a frontier")
    if not quality.has_form:
        raise UnsupportedError("a frontier by penalty takes qualities in numbers, not black boxes.")
    problem = problem_of(measured or request, quality)
    if problem.existing and problem.sizes and quality.form(problem.k_max).ratio:
        raise UnsupportedError(
            f"{type(quality).__name__} is a ratio, for which a frontier by penalty takes no existing sets."
        )
    return _Sweep(quality, problem, request, callback).solve()


class _Sweep:
    """One curve, from both ends."""

    def __init__(
        self, quality: Quality, problem: Problem, request: Request, callback: Callback | None
    ) -> None:
        self._quality, self._problem, self._request = quality, problem, request
        self._reporter = Reporter(callback, [], None)
        self._run = Run(request.time_limit, self._reporter.callback)
        self._scale = Scaling.of(quality, problem).scale or 1.0
        self._is_proven, self._reason = True, ""

    def solve(self) -> Frontier:
        """All lines and where they cross."""
        with self._run:
            limited = Limited.of(self._quality, self._problem, self._run, self._request.engine)
            self._problem, self._is_proven = limited.problem, limited.proven
            points = self._points()
        return Frontier(
            points,
            self._problem.parameters(),
            by="penalty",
            complete=self._is_proven,
            reason="" if points else self._reason,
            stop_reason=StopReason.FINISHED if self._is_proven else self._run.stop_reason,
            elapsed=self._run.elapsed,
        )

    def _points(self) -> list[FrontierPoint]:
        # So large that one feature less is worth any loss of quality: no set is further from zero than its numbers.
        size = self._problem.k_max
        enough = 2.0 * self._problem.n_sets * size * (size + 1)
        largest = min(enough, LARGEST_PENALTY) * self._scale
        first, last = self._best(0.0), self._best(largest)
        if first is None or last is None:
            return []
        # Sets that share something may still change for penalties that are too large to search with.
        self._is_proven = self._is_proven and (enough <= LARGEST_PENALTY or not last.shared)
        lines = [first, *self._between(first, last)]
        if last.shared < lines[-1].shared:
            lines.append(last)
        crossings = [*(self._crossing(one, other) for one, other in itertools.pairwise(lines)), math.inf]
        points: list[FrontierPoint] = []
        status, low = Status.OPTIMAL if self._is_proven else Status.FEASIBLE, 0.0
        for line, high in zip(lines, crossings, strict=True):
            # Of equal sums those that share less are better for any penalty.
            if high > low + BOUND_TOLERANCE * self._scale:
                points.append(FrontierPoint(line.result, status, penalty=(low, high)))
                low = high
        return points

    def _best(self, penalty: float) -> _Line | None:
        asked = replace(self._problem, overlap_penalty=penalty)
        part = self._run.turn(self._run.remaining)
        self._reporter.at(asked, part)
        again = replace(self._request, overlap_penalty=penalty)
        result = solve(self._quality, asked, part, again.engine, request=again)
        self._reporter.done += 1
        # Beside a large penalty, qualities have fewer digits.
        slack = 2 * self._problem.n_sets * BOUND_TOLERANCE * max(self._scale, penalty)
        settled = result.status in (Status.OPTIMAL, Status.INFEASIBLE) or result.gap <= slack
        self._is_proven = self._is_proven and settled
        if not result.sets:
            self._reason = result.explain()
            return None
        return _Line.of(self._problem, result)

    @staticmethod
    def _crossing(one: _Line, other: _Line) -> float:
        return max((one.total - other.total) / (one.shared - other.shared), 0.0)

    def _between(self, first: _Line, last: _Line, depth: int = 0) -> list[_Line]:
        """The lines that are the highest somewhere between two others, the steepest first."""
        if first.shared - last.shared < 2:
            return []
        if self._run.stopped or depth > MOST_POINTS:
            self._is_proven = False
            return []
        penalty = self._crossing(first, last)
        found = self._best(penalty)
        height = first.at(penalty)
        if found is None or found.at(penalty) <= height + 2 * BOUND_TOLERANCE * max(self._scale, penalty):
            return []
        if not last.shared < found.shared < first.shared:
            # Only a search that was cut short finds no better sets at an end.
            self._is_proven = False
            return []
        left = self._between(first, found, depth + 1)
        return [*left, found, *self._between(found, last, depth + 1)]
