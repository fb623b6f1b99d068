"""The searches of a frontier, one after the other: each starts from what those before have proven.

For simultaneous sets, the best sum V and the largest minimum M do not grow with tau, nor M with the number of sets A; V
of A + 1 sets is at most (A + 1) / A times V of A sets (without the worst set, the mean is no lower); and where there is
no solution, there is none for a larger tau or more sets. Sequential searches only share the first set for every tau,
and the first sets for every number of sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from altsets.constraints import Constraint
from altsets.dissimilarity import Matched
from altsets.problem import Dissimilarity, Problem, one_of, verify
from altsets.quality import Quality
from altsets.request import MAX_ITERS, Request
from altsets.result import Progress, Result, Status, StopReason
from altsets.search.engine import PROVEN
from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.penalties import PenaltyFrontier, request_of_one, sweep_penalties
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.points import FrontierPoint
from altsets.search.known import (
    SEVERAL_SETS,
    agree,
    bound_on_best,
    check_known,
    is_about_one,
    same_difference,
)
from altsets.search.packing.limits import PACKING_LIMITS
from altsets.search.resources import ONE_THREAD
from altsets.search.run import NOTHING, Known, Run, SharedWork, Turn
from altsets.search.scaling import Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further, solve

#: What differs from point to point, or is said elsewhere.
OF_POINTS = ("n_features", "n_alternatives", "tau", "min_difference", "max_overlap", "sizes")

#: Points that more time could have made better.
OPEN = (Status.FEASIBLE, Status.NOT_FOUND)


def frontier(
    quality: Quality,
    n_features: int | Sequence[int] = 5,
    n_alternatives: int | Sequence[int] = 3,
    taus: Any = None,
    *,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[FrontierProgress], object] | None = None,
    max_iters: int = MAX_ITERS,
    by: str = "tau",
) -> Frontier | PenaltyFrontier:
    """Find sets for every tau that matters, to see what difference costs and how many features are enough.

    Each point is a search of its own, with a proof of its own; its objective and status are those that :func:`find` has
    for the same numbers. The searches share work: of simultaneous sets, what is proven for one tau is a bound for
    others; of sequential ones, the first set is the same for every tau.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`find`.
    n_features : int, range or sequence of int, default=5
        Features in each set. Sizes beyond the number of features are left out, with a note; ``constraints.Size`` takes
        the place of a single one.
    n_alternatives : int, range or sequence of int, default=3
        Sets to find besides the first one.
    taus : number or sequence of numbers, default=None
        The least dissimilarities of two sets. By default every value that makes a difference at a size: where features
        or groups are counted (dice, jaccard, :class:`altsets.dissimilarity.Matched` with a threshold,
        :class:`altsets.dissimilarity.Grouped`), each that two sets can have; else, and where these are more than 100,
        0, 0.1, ..., 1. A set alone (``n_alternatives=0``) has one point only.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, all at once, or a heuristic.
    aggregation : {"sum", "min"}, default="sum"
        What to maximise over simultaneous sets.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for the whole call. Each point has an equal share of what is left, and passes on what it does not need.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.
    callback : callable, default=None
        Called with a :class:`FrontierProgress` after each point and now and then. What it raises ends the search. Not
        with ``by="penalty"``.
    max_iters : int, default=1000
        For black boxes only, how long each search goes on, as for :func:`altsets.find`.
    by : {"tau", "penalty"}, default="tau"
        What the points differ in. ``"penalty"``: every ``overlap_penalty`` at which other sets become the best, for
        simultaneous sets of one size and number, and at most one tau (0 by default).

    Returns
    -------
    Frontier or PenaltyFrontier
        The points, ordered by size, number of alternatives and tau, and where the elbow of the curve is. Ctrl-C ends
        the search early and keeps the points that are there.

    Raises
    ------
    altsets.errors.InputError
        If a parameter is out of range or contradicts another one, or a name is not one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.find : The sets of one point; with ``tau="max"`` those at the largest tau.
    altsets.evaluate_frontier : How well the sets of each point predict.
    altsets.plots.frontier : Plot the curve.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 8, 8, 7, 3, 1, 1], feature_names=list("abcdefgh"))
    >>> frontier = altsets.frontier(scores, n_features=4, n_alternatives=1)
    >>> for point in frontier:
    ...     print(point.tau, point.result.qualities, point.status)
    0.0 [33.0, 33.0] optimal
    0.25 [33.0, 32.0] optimal
    0.5 [33.0, 27.0] optimal
    0.75 [33.0, 20.0] optimal
    1.0 [33.0, 12.0] optimal
    >>> frontier.suggestion.tau
    0.5
    """
    request = Request(
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
        engine=engine,
        max_iters=max_iters,
        time_limit=time_limit,
    )
    if one_of("by", by, ("tau", "penalty")) == "penalty":
        return sweep_penalties(request_of_one(request, n_features, n_alternatives, taus), quality)
    return sweep_request(request, quality, n_features, n_alternatives, taus, callback=callback)


def sweep_request(
    request: Request,
    quality: Quality,
    n_features: Any,
    n_alternatives: Any,
    taus: Any,
    *,
    measured: Request | None = None,
    callback: Callable[[FrontierProgress], object] | None = None,
    known: Result | None = None,
) -> Frontier:
    """The frontier of a request; ``measured`` is the same with numbers of a table, if it needs one.

    ``known`` is the answer at one of the points, which is taken over, and what it proves about the others is used.
    """
    refuse_chosen_sizes(quality, "a frontier")
    bind = partial(_plain_problem, quality)
    plan = SweepPlan.of(measured or request, bind, n_features, n_alternatives, taus)
    if known is not None and known.tau is not None and not any(_answers(known, one) for one in plan):
        every = [*(_tau(problem) for problem in plan), known.tau]
        plan = SweepPlan.of(measured or request, bind, n_features, n_alternatives, every)
    sweep = Sweep(quality, plan, request, callback, known)
    # Each search asks for one thread, and to set that takes longer than some searches.
    with nullcontext() if not quality.has_form else ONE_THREAD:
        points = make_consistent(quality, plan.problems, list(sweep))
    late = len(points) < len(plan) or any(
        point.result.stop_reason is StopReason.TIME_LIMIT for point in points
    )
    stop_reason = StopReason.TIME_LIMIT if late else StopReason.FINISHED
    return Frontier(
        points=points,
        n_asked=len(plan),
        parameters=_parameters(quality, plan),
        notes=list(plan.notes),
        stop_reason=StopReason.INTERRUPTED if sweep.run.interrupted else stop_reason,
        elapsed=sweep.run.elapsed,
    )


def _plain_problem(quality: Quality, request: Request) -> Problem:
    """A request for one point, bound to the features; refused if the points could not share what is proven."""
    problem = problem_of(request, quality)
    refuse_further(problem, "a frontier over tau")
    return problem


def _parameters(quality: Quality, plan: SweepPlan) -> dict[str, Any]:
    """What all points have in common, and the numbers that they do not."""
    first = plan.problems[0].parameters()
    is_mean = quality.size_normalised and quality.has_form
    return {
        **{name: value for name, value in first.items() if name not in OF_POINTS},
        "n_features": sorted({problem.n_features for problem in plan}),
        "n_alternatives": sorted({problem.n_alternatives for problem in plan}),
        # CFS divides by how large and how alike sets are, and is no mean.
        "mean_quality": is_mean and not quality.form(first["n_features"]).ratio,
    }


@dataclass(frozen=True)
class FrontierProgress:
    """How far a frontier is; handed to ``callback`` after each point and now and then.

    Attributes
    ----------
    done, total : int
        Points that are there, and points in all.
    point : FrontierPoint or None
        The last one that is there.
    n_features, n_alternatives, tau : int, int, float
        What is searched for now.
    best, bound : float
        What is known there: the best objective so far, nan if there is none, and what none exceeds.
    elapsed : float
        Seconds since the first search began.

    See Also
    --------
    altsets.frontier : Its ``callback`` gets these.
    altsets.Progress : The same for a single search.

    Examples
    --------
    >>> import altsets
    >>> seen = []
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> _ = altsets.frontier(scores, n_features=2, n_alternatives=1, callback=seen.append)
    >>> seen[-1].done, seen[-1].total
    (3, 3)
    """

    done: int
    total: int
    point: FrontierPoint | None
    n_features: int
    n_alternatives: int
    tau: float
    best: float
    bound: float
    elapsed: float


class Sweep:
    """The points of a plan, computed one by one; the request is what they have in common.

    The time limit covers all points: each gets an equal share of what is left.
    """

    def __init__(
        self,
        quality: Quality,
        plan: SweepPlan,
        request: Request,
        callback: Callable[[FrontierProgress], object] | None = None,
        known: Result | None = None,
    ) -> None:
        self._quality, self.plan, self._request, self._callback = quality, plan, request, callback
        self._known = known
        self.run = Run(request.time_limit, None if callback is None else self._report, request.max_iters)
        self._points: list[FrontierPoint] = []
        self._now: tuple[Problem, Run] | None = None

    def __iter__(self) -> Iterator[FrontierPoint]:
        facts = _Facts(self._quality, 0)
        for number, problem in enumerate(self.plan):
            if number and self.run.stopped and self._answer_known(problem) is None:
                continue
            if problem.n_features != facts.size:
                # Nothing that is known of one size holds for another.
                facts = _Facts(self._quality, problem.n_features)
                self._recall(facts)
            # Between two points Ctrl-C is the caller's.
            with self.run:
                point = self._searched(problem, facts, len(self.plan) - number)
            yield point

    def _answer_known(self, problem: Problem) -> Result | None:
        """The answer to a problem, if it was there before."""
        return self._known if self._known is not None and _answers(self._known, problem) else None

    def _recall(self, facts: _Facts) -> None:
        """What the answer that is known proves about all points of its size."""
        for problem in self.plan:
            known = self._answer_known(problem)
            if known is not None and problem.n_features == facts.size:
                check_known(known, self._quality, problem)
                facts.recall(problem, self._point(problem, known))

    def _point(self, problem: Problem, result: Result) -> FrontierPoint:
        size, count, tau = problem.n_features, problem.n_alternatives, _tau(problem)
        of_point = replace(self._request, n_features=size, n_alternatives=count, tau=tau)
        return FrontierPoint(size, count, float(tau), replace(result, request=of_point))

    def _searched(self, problem: Problem, facts: _Facts, n_left: int) -> FrontierPoint:
        share = self.run.remaining / n_left
        scaling = facts.scaling(problem)
        run = self.run.turn(share, facts.known(problem), facts.shared(problem))
        self._now = problem, run
        known = self._answer_known(problem)
        found = known or solve(self._quality, problem, run, self._request.engine, scaling)
        point = self._point(problem, found)
        if known is None:
            facts.learn(problem, point, run)
        self._points.append(point)
        self.run.report()
        return point

    def _report(self, _: Progress) -> None:
        assert self._callback is not None
        assert self._now is not None
        problem, run = self._now
        best, bound = run.in_user_units
        self._callback(
            FrontierProgress(
                done=len(self._points),
                total=len(self.plan),
                point=self._points[-1] if self._points else None,
                n_features=problem.n_features,
                n_alternatives=problem.n_alternatives,
                tau=float(_tau(problem)),
                best=best,
                bound=bound,
                elapsed=self.run.elapsed,
            )
        )


def _answers(result: Result, problem: Problem) -> bool:
    """Whether a result is the answer to a problem."""
    asked, here = result.parameters, problem.parameters()
    return agree((*SEVERAL_SETS, "n_alternatives"), asked, here) and same_difference(asked, here)


def _tau(problem: Problem) -> Fraction:
    """The tau of a point, which a plan has set."""
    assert problem.tau is not None
    return problem.tau


class _Facts:
    """What the searches at one size have proven, and what they leave to each other."""

    def __init__(self, quality: Quality, size: int) -> None:
        self._quality, self.size = quality, size
        self._done: list[tuple[Problem, FrontierPoint]] = []
        self._in_turn: dict[Fraction, list[Turn]] = {}
        self._first: list[Turn] | None = None
        self._work, self._is_sized = SharedWork(), False
        self._scalings: dict[int, Scaling] = {}

    def _same_features(self, problem: Problem) -> bool:
        """Whether sets are made of the same features for every tau; also those of existing sets may be ruled out."""
        return not problem.existing and self._quality.has_form

    def shared(self, problem: Problem) -> SharedWork | None:
        """What other searches of this size have left."""
        if not self._same_features(problem):
            return None
        if not self._is_sized and not problem.constraints:
            self._is_sized = True
            form = self._quality.form(problem.k_max)
            any_will_do = form.conflicts is None and form.allowed is None
            n_sets = math.comb(problem.n_features_in, problem.k_max)
            self._work.too_many = any_will_do and n_sets > PACKING_LIMITS.short_list_sets
        return self._work

    def scaling(self, problem: Problem) -> Scaling | None:
        """The problem in units, made once."""
        if not self._same_features(problem):
            return None
        if problem.n_sets not in self._scalings:
            self._scalings[problem.n_sets] = Scaling.of(self._quality, problem)
        return self._scalings[problem.n_sets]

    def known(self, problem: Problem) -> Known:
        """What follows for a request."""
        if problem.search == "simultaneous":
            return self._bounded(problem)
        if problem.search == "sequential" and self._quality.has_form:
            return self._begun(problem)
        return NOTHING

    def _bounded(self, problem: Problem) -> Known:
        """The lowest bound of searches for less, and the best sets of searches for more."""
        known, value = Known(), -math.inf
        for other, point in self._done:
            result = point.result
            if _tau(other) <= _tau(problem) and other.n_sets <= problem.n_sets:
                share = problem.n_sets / other.n_sets if problem.aggregation == "sum" else 1.0
                bound = -math.inf if result.status is Status.INFEASIBLE else share * result.bound
                if bound < known.bound:
                    known = Known(known.sets, bound, _words(other, problem))
            elif _tau(other) >= _tau(problem) and other.n_sets >= problem.n_sets and point.is_complete:
                objective = problem.objective(result.qualities[: problem.n_sets])
                if objective > value:
                    # The best ones come first.
                    known = Known(result.sets[: problem.n_sets], known.bound, known.proof)
                    value = objective
        return known

    def _begun(self, problem: Problem) -> Known:
        """What sequential search begins with."""
        turns = self._in_turn.get(_tau(problem))
        if turns is None and self._same_features(problem):
            turns = self._first or next(
                (found[:1] for found in self._in_turn.values() if self._is_best(found[:1])), None
            )
        return Known(in_turn=turns[: problem.n_sets]) if turns else NOTHING

    def _is_best(self, turns: list[Turn]) -> bool:
        """Whether the first set is proven best, whatever tau is."""
        if not turns or turns[0][0] is None:
            return bool(turns) and turns[0][1] == -math.inf
        scale = min(scaling.scale for scaling in self._scalings.values())
        return turns[0][1] - self._quality.evaluate(turns[0][0]) <= PROVEN * scale

    def recall(self, problem: Problem, point: FrontierPoint) -> None:
        """What an answer proves that was there before; all points begin with its first set, proven best or not."""
        if problem.search == "simultaneous":
            self._done.append((problem, point))
            self._work.columns = list(point.result.sets)
        elif is_about_one(point.result) and point.result.sets:
            self._first = [(point.result.sets[0], bound_on_best(point.result))]

    def learn(self, problem: Problem, point: FrontierPoint, run: Run) -> None:
        """The facts that a search has proven."""
        if problem.search == "simultaneous":
            self._done.append((problem, point))
            self._work.columns = list(dict.fromkeys([*point.result.sets, *self._work.columns]))
        elif len(run.in_turn) >= len(point.result.sets):
            # What was only not found may be found the next time.
            self._in_turn[_tau(problem)] = [
                (chosen, bound) for chosen, bound in run.in_turn if chosen is not None or bound == -math.inf
            ]


def _words(other: Problem, problem: Problem) -> str:
    where = [f"tau = {float(_tau(other)):.4g}"] if other.tau != problem.tau else []
    where += [f"{other.n_sets} sets"] if other.n_sets != problem.n_sets else []
    return f"it follows from the search for {' and '.join(where)}"


def make_consistent(
    quality: Quality, problems: Sequence[Problem], points: Sequence[FrontierPoint]
) -> list[FrontierPoint]:
    """The points; unproven ones take over better sets found for a larger tau or more sets."""
    asked = {
        (problem.n_features, problem.n_alternatives, float(_tau(problem))): problem for problem in problems
    }
    pairs = [(asked[point.n_features, point.n_alternatives, point.tau], point) for point in points]
    return [
        _improve(quality, problem, point, points)
        if problem.search in ("simultaneous", "sequential") and quality.has_form and point.status in OPEN
        else point
        for problem, point in pairs
    ]


def _improve(
    quality: Quality, problem: Problem, point: FrontierPoint, points: Sequence[FrontierPoint]
) -> FrontierPoint:
    """The point with the best sets of those that ask for more, if they are better; sets proven in turn stay."""
    kept, bound = _proven_in_turn(problem, point)
    others = [
        other.result.sets[: problem.n_sets]
        for other in points
        if other.n_features == point.n_features
        and other.tau >= point.tau
        and other.n_alternatives >= point.n_alternatives
        and other.is_complete
        and other is not point
        and other.result.sets[:kept] == point.result.sets[:kept]
    ]
    if not others:
        return point
    scale = Scaling.of(quality, problem).scale
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
        statuses=[Status.OPTIMAL] * kept + [Status.FEASIBLE] * (problem.n_sets - kept),
        named_sets=[quality.names_of(chosen) for chosen in sets],
        reason="",
        matches=kind.matches_among(sets) if isinstance(kind, Matched) else [],
        scores=quality.scores_in(sets),
        models=quality.models_in(sets),
    )
    return replace(point, result=result)


def _proven_in_turn(problem: Problem, point: FrontierPoint) -> tuple[int, float]:
    """How many first sets are proven, each given those before, and a bound on the objective with any others."""
    result = point.result
    if problem.search == "simultaneous":
        return 0, result.bound
    kept = next(
        (n for n, status in enumerate(result.statuses) if status is not Status.OPTIMAL), problem.n_sets
    )
    if not kept:
        return 0, math.inf
    # What has to differ from more sets is no better than the last one that is proven.
    rest = (problem.n_sets - kept) * result.qualities[kept - 1]
    return kept, math.fsum(result.qualities[:kept]) + rest
