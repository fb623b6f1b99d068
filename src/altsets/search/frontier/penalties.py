"""The trade-off between the qualities of simultaneous sets and what they share: every penalty that matters.

For a penalty w the best sets have the largest sum S minus w times the number of shared features o. As a function of w
that is convex and made of straight lines, one for each supported point (S, o). Where the lines of two points cross,
either no sets are better, and that is a breakpoint, or others are, and their line lies between (Eisner and Severance,
1976).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from altsets.errors import InputError, UnsupportedError
from altsets.features import whole_number
from altsets.problem import BOUND_TOLERANCE, Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Progress, Result, Status
from altsets.search.frontier.points import ProvenPoint, ProvenPoints
from altsets.search.run import Run
from altsets.search.scaling import LARGEST_PENALTY, Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, solve
from altsets.wording import counted, parameter

#: Points of one curve: each takes one search or two.
MOST_POINTS = 1_000


@dataclass(frozen=True)
class PenaltyPoint(ProvenPoint):
    """Sets that are the best ones for a range of penalties on shared features.

    Attributes
    ----------
    penalty_from, penalty_to : float
        The range; the last one ends in infinity.
    sum : float
        The sum of the qualities, without penalties.
    shared : int
        How many features all pairs of sets share.
    proven : bool
        Whether it is proven that no other sets are better for these penalties.
    result : Result
        The sets, as :func:`altsets.find` finds them with ``overlap_penalty``.

    See Also
    --------
    altsets.frontier : With ``by="penalty"`` it finds all points.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3])
    >>> point = altsets.frontier(scores, 2, 1, by="penalty", search="simultaneous").points[0]
    >>> point.sum, point.shared, point.penalty_to
    (34.0, 2, 1.0)
    """

    penalty_from: float
    penalty_to: float
    sum: float
    shared: int
    proven: bool
    result: Result

    @classmethod
    def _unknown(cls, entry: Any) -> dict[str, float]:
        return {"penalty_to": math.inf}


@dataclass(frozen=True, repr=False)
class PenaltyFrontier(ProvenPoints):
    """The supported points of the trade-off between quality and shared features.

    Attributes
    ----------
    points : list of PenaltyPoint
        From penalty 0 on.
    complete : bool
        Whether it is proven that there are no other supported points.
    reason : str
        Why there are none, if there are none.

    See Also
    --------
    altsets.frontier : With ``by="penalty"`` it finds them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3])
    >>> altsets.frontier(scores, 2, 1, by="penalty", search="simultaneous").breakpoints
    [1.0, 6.0]
    """

    _called = "document of a frontier by penalty"
    _mark = "kind", "penalty_frontier"
    of, second = PenaltyPoint, "shared"

    points: list[PenaltyPoint]

    @property
    def breakpoints(self) -> list[float]:
        """The penalties at which other sets become the best ones."""
        return [point.penalty_from for point in self.points[1:]]

    @property
    def _ends(self) -> str:
        first, last = self.points[0], self.points[-1]
        best = "the best sets" if self.proven else "the best sets found"
        if first is last:
            return f"For any penalty {best} have a sum of {first.sum:.6g} and share {_features(first)}."
        return (
            f"Without a penalty {best} have a sum of {first.sum:.6g} and share {_features(first)}; with a high "
            f"one they share {_features(last)} and keep {self._kept(last)}."
        )

    def _described(self, point: PenaltyPoint) -> str:
        penalties = f"penalties from {point.penalty_from:.4g} to {point.penalty_to:.4g}"
        return f"{counted(point.shared, 'shared feature')}, with {self._kept(point)}: {penalties}"


def _features(point: PenaltyPoint) -> str:
    """How many features pairs of sets share."""
    return f"{counted(point.shared, 'feature')} over all pairs" if point.shared else "no features"


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


def request_of_one(request: Request, n_features: Any, n_alternatives: Any, taus: Any) -> Request:
    """The request for sets of one size and number, with the only tau if there is one."""
    several = isinstance(taus, Sequence) and not isinstance(taus, str)
    if several and len(taus) > 1:
        raise InputError(f"{parameter('by', 'penalty')} takes one tau, or none.")
    return replace(
        request,
        n_features=whole_number("n_features", n_features, 1),
        n_alternatives=whole_number("n_alternatives", n_alternatives, 0),
        tau=0 if taus is None else taus[0] if several else taus,
    )


def sweep_penalties(
    request: Request, quality: Quality, callback: Callable[[Progress], object] | None = None
) -> PenaltyFrontier:
    """Every penalty that matters, for simultaneous sets of one size and number."""
    if request.search != "simultaneous":
        raise InputError(
            f"{parameter('by', 'penalty')} goes with {parameter('search', 'simultaneous')}, not with "
            f"{parameter('search', request.search)}: one set after the other has no curve without gaps."
        )
    if request.aggregation != "sum":
        raise InputError(
            f"a penalty is taken off the sum of the qualities, so {parameter('by', 'penalty')} goes with "
            f"{parameter('aggregation', 'sum')}, not with {parameter('aggregation', request.aggregation)}."
        )
    refuse_chosen_sizes(quality, "a frontier")
    if not quality.has_form:
        raise UnsupportedError("a frontier by penalty takes qualities in numbers, not black boxes.")
    problem = problem_of(request, quality)
    if problem.existing and problem.sizes and quality.form(problem.k_max).ratio:
        raise UnsupportedError(
            f"{type(quality).__name__} is a ratio, for which a frontier by penalty takes no existing sets."
        )
    with Run(request.time_limit, callback) as run:
        return _Sweep(quality, problem, run, request.engine).solve()


class _Sweep:
    """One curve, from both ends."""

    def __init__(self, quality: Quality, problem: Problem, run: Run, engine: str) -> None:
        self._quality, self._problem, self._run, self._engine = quality, problem, run, engine
        self._scale = Scaling.of(quality, problem).scale or 1.0
        self._is_proven, self._reason = True, ""

    def solve(self) -> PenaltyFrontier:
        """All lines and where they cross."""
        # So large that one feature less is worth any loss of quality: no set is further from zero than its numbers.
        size = self._problem.k_max
        enough = 2.0 * self._problem.n_sets * size * (size + 1)
        largest = min(enough, LARGEST_PENALTY) * self._scale
        first, last = self._best(0.0), self._best(largest)
        if first is None or last is None:
            return PenaltyFrontier([], self._is_proven, self._reason)
        # Sets that share something may still change for penalties that are too large to search with.
        self._is_proven = self._is_proven and (enough <= LARGEST_PENALTY or not last.shared)
        lines = [first, *self._between(first, last)]
        if last.shared < lines[-1].shared:
            lines.append(last)
        crossings = [*(self._crossing(one, other) for one, other in itertools.pairwise(lines)), math.inf]
        points: list[PenaltyPoint] = []
        low = 0.0
        for line, high in zip(lines, crossings, strict=True):
            # Of equal sums those that share less are better for any penalty.
            if high > low + BOUND_TOLERANCE * self._scale:
                points.append(PenaltyPoint(low, high, line.total, line.shared, self._is_proven, line.result))
                low = high
        return PenaltyFrontier(points, self._is_proven)

    def _best(self, penalty: float) -> _Line | None:
        asked = replace(self._problem, overlap_penalty=penalty)
        result = solve(self._quality, asked, self._run.turn(self._run.remaining), self._engine)
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
