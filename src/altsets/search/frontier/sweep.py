"""The searches of a frontier, one after the other: each is told what those before have proven.

Let V be the best sum of A simultaneous sets that differ by tau, and M the largest minimum. Sets that differ by more
than tau differ by tau as well, and of A + 1 sets one can be left out, so

- V and M do not grow with tau, nor M with A;
- V of A + 1 sets is at most (A + 1) / A times V of A sets: without the worst set, the mean is no lower;
- where there is no solution, there is none for a larger tau or for more sets.

Sequential search knows no such order, as each set depends on the choice of those before. But its first set is the same
for every tau, and its first sets are the same for every number of sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from altsets.problem import Problem
from altsets.quality import BlackBox, Quality
from altsets.result import Progress, Status
from altsets.search.find import run_of, solved
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.point import FrontierPoint
from altsets.search.known import NOTHING, Known, SharedWork, Turn
from altsets.search.packing.limits import PACKING_LIMITS
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.tolerances import PROVEN

__all__ = ["FrontierProgress", "Sweep"]


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
    """The points of a plan as they come in.

    Parameters
    ----------
    quality : Quality
    plan : SweepPlan
    time_limit : float, optional
        Seconds for all points. Each has an equal share of what is left, and leaves to the others what it does not need.
    engine : str
    callback : callable, optional
    max_iters : int
        As for :func:`altsets.find`.
    """

    def __init__(
        self,
        quality: Quality,
        plan: SweepPlan,
        time_limit: float | None,
        engine: str,
        callback: Callable[[FrontierProgress], object] | None,
        max_iters: int,
    ) -> None:
        self._quality, self.plan, self._engine, self._callback = quality, plan, engine, callback
        self.run = run_of(time_limit, None if callback is None else self._report, max_iters)
        self._points: list[FrontierPoint] = []
        self._now: tuple[Problem, Run] | None = None

    def __iter__(self) -> Iterator[FrontierPoint]:
        facts = _Facts(self._quality)
        for number, problem in enumerate(self.plan):
            if number and self.run.stopped:
                return
            # Between two points Ctrl-C is the caller's.
            with self.run:
                point = self._searched(problem, facts, len(self.plan) - number)
            yield point

    def _searched(self, problem: Problem, facts: _Facts, n_left: int) -> FrontierPoint:
        run = self.run.turn(self.run.remaining / n_left)
        run.known, run.shared = facts.known(problem), facts.shared(problem)
        self._now = problem, run
        result = solved(self._quality, problem, run, self._engine, facts.scaling(problem))
        assert problem.tau is not None
        point = FrontierPoint(problem.n_features, problem.n_alternatives, float(problem.tau), result)
        facts.learn(problem, point, run)
        self._points.append(point)
        self.run.report()
        return point

    def _report(self, _: Progress) -> None:
        assert self._callback is not None
        assert self._now is not None
        problem, run = self._now
        assert problem.tau is not None
        self._callback(
            FrontierProgress(
                done=len(self._points),
                total=len(self.plan),
                point=self._points[-1] if self._points else None,
                n_features=problem.n_features,
                n_alternatives=problem.n_alternatives,
                tau=float(problem.tau),
                best=math.ldexp(run.objective, run.exponent),
                bound=math.ldexp(run.bound, run.exponent),
                elapsed=self.run.elapsed,
            )
        )


class _Facts:
    """What the searches at one size have proven, and what they leave to each other."""

    def __init__(self, quality: Quality) -> None:
        self._quality, self.is_black_box = quality, isinstance(quality, BlackBox)
        self._size = 0
        self._begin(0)

    def _begin(self, size: int) -> None:
        """Nothing that is known of one size holds for another."""
        self._size = size
        self._done: list[tuple[Problem, FrontierPoint]] = []
        self._in_turn: dict[float, list[Turn]] = {}
        self._work = SharedWork()
        self._scalings: dict[int, Scaling] = {}

    def _same_features(self, problem: Problem) -> bool:
        """Whether sets are made of the same features for every tau; also those of existing sets may be ruled out."""
        return not problem.existing and not self.is_black_box

    def shared(self, problem: Problem) -> SharedWork | None:
        """What other searches of this size have left."""
        if not self._same_features(problem):
            return None
        if not self._done and not problem.constraints:
            form = self._quality.form(problem.k_max)
            any_will_do = form.conflicts is None and form.allowed is None
            n_sets = math.comb(problem.n_features_in, problem.k_max)
            self._work.too_many = any_will_do and n_sets > PACKING_LIMITS.short_list_sets
        return self._work

    def scaling(self, problem: Problem) -> Scaling | None:
        """The problem in units, made once."""
        if not self._same_features(problem):
            return None
        if problem.n_features != self._size:
            self._begin(problem.n_features)
        n_sets = problem.n_sets
        if n_sets not in self._scalings:
            self._scalings[n_sets] = Scaling.of(self._quality, problem)
        return self._scalings[n_sets]

    def known(self, problem: Problem) -> Known:
        """What follows for a request."""
        if problem.n_features != self._size:
            self._begin(problem.n_features)
        if problem.search == "simultaneous":
            return self._bounded(problem)
        if problem.search == "sequential" and not self.is_black_box:
            return self._begun(problem)
        return NOTHING

    def _bounded(self, problem: Problem) -> Known:
        """The lowest bound of those who ask for less, and the best sets of those who ask for more."""
        assert problem.tau is not None
        known = Known()
        value = -math.inf
        for other, point in self._done:
            assert other.tau is not None
            result = point.result
            if other.tau <= problem.tau and other.n_sets <= problem.n_sets:
                share = problem.n_sets / other.n_sets if problem.aggregation == "sum" else 1.0
                bound = -math.inf if result.status is Status.INFEASIBLE else share * result.bound
                if bound < known.bound:
                    known = Known(known.sets, bound, _words(other, problem))
            elif other.tau >= problem.tau and other.n_sets >= problem.n_sets and point.is_complete:
                objective = problem.objective(result.qualities[: problem.n_sets])
                if objective > value:
                    # The best ones come first.
                    known = Known(result.sets[: problem.n_sets], known.bound, known.proof)
                    value = objective
        return known

    def _begun(self, problem: Problem) -> Known:
        """What sequential search begins with."""
        assert problem.tau is not None
        turns = self._in_turn.get(float(problem.tau))
        if turns is None and self._same_features(problem):
            turns = next((found[:1] for found in self._in_turn.values() if self._is_best(found[:1])), None)
        return Known(in_turn=turns[: problem.n_sets]) if turns else NOTHING

    def _is_best(self, turns: list[Turn]) -> bool:
        """Whether the first set is proven best, whatever tau is."""
        if not turns or turns[0][0] is None:
            return bool(turns) and turns[0][1] == -math.inf
        scale = min(scaling.scale for scaling in self._scalings.values())
        return turns[0][1] - self._quality.evaluate(turns[0][0]) <= PROVEN * scale

    def learn(self, problem: Problem, point: FrontierPoint, run: Run) -> None:
        """What a search has proven."""
        assert problem.tau is not None
        if problem.search == "simultaneous":
            self._done.append((problem, point))
            self._work.columns = list(dict.fromkeys([*point.result.sets, *self._work.columns]))
        elif len(run.in_turn) >= len(point.result.sets):
            # What was only not found may be found the next time.
            self._in_turn[float(problem.tau)] = [
                (chosen, bound) for chosen, bound in run.in_turn if chosen is not None or bound == -math.inf
            ]


def _words(other: Problem, problem: Problem) -> str:
    """Where a bound comes from."""
    assert other.tau is not None
    where = [f"tau = {float(other.tau):.4g}"] if other.tau != problem.tau else []
    where += [f"{other.n_sets} sets"] if other.n_sets != problem.n_sets else []
    return f"it follows from the search for {' and '.join(where)}"
