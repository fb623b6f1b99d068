"""The searches of a frontier, one after the other: each starts from what those before have proven.

For simultaneous sets, the best sum V and the largest minimum M do not grow with tau, nor M with the number of sets A; V
of A + 1 sets is at most (A + 1) / A times V of A sets (without the worst set, the mean is no lower); and where there is
no solution, there is none for a larger tau or more sets. Sequential searches only share the first set for every tau,
and the first sets for every number of sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from altsets.dissimilarity import Matched
from altsets.problem import Problem, verify
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Frontier, FrontierPoint, Result, Status, StopReason
from altsets.search.engine import PROVEN
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.progress import Callback, Reporter
from altsets.search.good_sets import Nearness, Requirement
from altsets.search.known import (
    SEVERAL_SETS,
    agree,
    bound_on_best,
    by_shares,
    check_known,
    is_about_one,
    same_difference,
)
from altsets.search.resources import ONE_THREAD
from altsets.search.run import NOTHING, Known, Run, SharedWork, Turn
from altsets.search.scaling import Scaling
from altsets.search.simultaneous.search import SHORT_LIST
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further, solve

#: What differs from point to point, or is said elsewhere.
OF_POINTS = ("n_features", "n_alternatives", "tau", "max_overlap", "sizes")

#: Points that more time could have made better.
OPEN = (Status.FEASIBLE, Status.NOT_FOUND)


def by_tau(
    request: Request,
    quality: Quality,
    n_features: Any,
    n_alternatives: Any,
    tau: Any,
    *,
    measured: Request | None = None,
    callback: Callback | None = None,
    known: Result | None = None,
) -> Frontier:
    """The frontier of a request; ``measured`` is the same with numbers of a table, if it needs one.

    ``known`` is the answer at one of the points, which is taken over, and what it proves about the others is used.
    """
    refuse_chosen_sizes(quality, "a frontier")
    bind = partial(_plain_problem, quality)
    known = None if known is None else by_shares(known)
    plan = SweepPlan.of(measured or request, bind, n_features, n_alternatives, tau)
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
        parameters=_parameters(quality, plan),
        n_asked=len(plan),
        complete=len(points) == len(plan),
        notes=list(plan.notes),
        stop_reason=StopReason.INTERRUPTED if sweep.run.interrupted else stop_reason,
        elapsed=sweep.run.elapsed,
    )


def _plain_problem(quality: Quality, request: Request) -> Problem:
    """A request for one point, bound to the features; refused if the points could not share what is proven."""
    problem = problem_of(request, quality)
    refuse_further(replace(problem, within=None, min_quality=None), "a frontier over tau")
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


class Sweep:
    """The points of a plan, computed one by one; the request is what they have in common.

    The time limit covers all points: each gets an equal share of what is left.
    """

    def __init__(
        self,
        quality: Quality,
        plan: SweepPlan,
        request: Request,
        callback: Callback | None = None,
        known: Result | None = None,
    ) -> None:
        self._quality, self.plan, self._request = quality, plan, request
        self._known = known
        self._points: list[FrontierPoint] = []
        self._reporter = Reporter(callback, self._points, len(plan))
        self.run = Run(request.time_limit, self._reporter.callback)

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
        # An answer that was known may say the same difference in other numbers.
        asked = problem.parameters()
        parameters = result.parameters | {name: asked[name] for name in OF_POINTS if name in asked}
        return FrontierPoint(replace(result, request=of_point, parameters=parameters), result.status)

    def _searched(self, problem: Problem, facts: _Facts, n_left: int) -> FrontierPoint:
        share = self.run.remaining / n_left
        scaling = facts.scaling(problem)
        run = self.run.turn(share, facts.known(problem), facts.shared(problem))
        self._reporter.at(problem, run)
        known = self._answer_known(problem)
        found = known or self._solved(problem, run, facts, scaling)
        point = self._point(problem, found)
        if known is None:
            facts.learn(problem, point, run)
        self._points.append(point)
        self._reporter.done += 1
        self.run.report()
        return point

    def _solved(self, problem: Problem, run: Run, facts: _Facts, scaling: Scaling | None) -> Result:
        """The sets of a point, which are as good as ``within`` demands of sets of their size."""
        engine = self._request.engine
        if problem.within is None:
            return solve(self._quality, problem, run, engine, scaling)
        if facts.needed is None:
            nearness = Nearness(problem.within, None)
            facts.needed = Requirement.of(nearness, self._quality, problem, run, engine)
        limited = facts.needed.within_it(problem)
        return facts.needed.judged(solve(self._quality, limited, run, engine, scaling))


def _answers(result: Result, problem: Problem) -> bool:
    """Whether a result is the answer to a problem."""
    asked, here = result.parameters, problem.parameters()
    same_limits = all(asked.get(name) == here.get(name) for name in ("within", "min_quality"))
    return (
        same_limits and agree((*SEVERAL_SETS, "n_alternatives"), asked, here) and same_difference(asked, here)
    )


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
        #: How good sets of this size must be, once that is known.
        self.needed: Requirement | None = None

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
            self._work.too_many = any_will_do and n_sets > SHORT_LIST
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
        texts=[quality.names_of(chosen) for chosen in sets],
        reason="",
        matches=kind.matches_among(sets) if isinstance(kind, Matched) else [],
        scores=quality.scores_in(sets),
        models=quality.models_in(sets),
    )
    return replace(point, result=result, status=result.status)


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
