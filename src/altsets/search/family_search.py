"""Decide whether a number of compatible sets that are all good enough exists, and bisect over such decisions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from altsets.problem import FeatureSet, Problem, verify
from altsets.quality import Quality
from altsets.result import Result, Status, StopReason
from altsets.search.find import CUT_SHORT, solve, why_no_set
from altsets.search.good_sets import GoodSetLimits, GoodSets, Requirement
from altsets.search.run import Run

#: The argument where all sets that are good enough were listed.
LISTED = "all good sets listed, compatible ones picked"

LIMITS = GoodSetLimits()


def at(problem: Problem, **changes: object) -> Problem:
    """The request with another tau or number of sets; the pairs of sets remembered so far were for this one."""
    return replace(problem, **changes)  # type: ignore[arg-type]


#: A level and how many steps may be spent on it -> the level reached and the lowest one ruled out, if any.
Attempt = Callable[[int, float], tuple[int | None, int | None]]


@dataclass
class Bisection:
    """The largest feasible level of a monotone predicate.

    Levels up to ``reached`` are feasible, those from ``refuted`` on are not; ``top`` is the highest level of interest.
    """

    reached: int
    refuted: int
    top: int

    @property
    def is_settled(self) -> bool:
        """Whether every level of interest is feasible or ruled out."""
        return self.reached >= min(self.refuted - 1, self.top)

    def search(
        self,
        attempt: Attempt,
        first_steps: float,
        *,
        doubling: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Try levels, first with few steps for each, then with as many as it takes.

        With ``doubling``, trials are at distances that double, because high levels take long; else halfway.
        """
        undecided, distance = self.reached, 1
        last = min(self.top, self.refuted - 1)
        while undecided < last and not stop():
            halfway = (undecided + last + 1) // 2
            level = min(undecided + distance, halfway) if doubling else halfway
            self._try(attempt, level, first_steps)
            distance *= 2
            undecided = max(undecided if level >= self.refuted else level, self.reached)
            last = min(last, self.refuted - 1)
        while not self.is_settled and not stop():
            level = self.reached + 1
            self._try(attempt, level, math.inf)
            if self.reached < level < self.refuted:
                return

    def _try(self, attempt: Attempt, level: int, max_steps: float) -> None:
        reached, refuted = attempt(level, max_steps)
        self.reached = max(self.reached, self.reached if reached is None else reached)
        self.refuted = min(self.refuted, self.refuted if refuted is None else refuted)


@dataclass(frozen=True)
class Decision:
    """Compatible sets that are good enough, if they were found; or whether it is proven that there are none.

    ``most`` is a bound on the number of compatible sets, where there is one.
    """

    sets: Sequence[FeatureSet]
    refuted: bool
    engine: str
    proof: str
    most: float = math.inf


class FamilySearch:
    """Decides requests that differ in tau or in the number of sets, by the same requirement.

    Every set must meet the requirement if a request has the aggregation ``"min"``, else their mean. ``repeat`` says
    whether a set that differs enough from itself may come more than once.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        requirement: Requirement,
        run: Run,
        engine: str,
        *,
        repeat: bool = True,
    ) -> None:
        self.quality, self.problem, self.requirement = quality, problem, requirement
        self.run, self.engine, self.limits, self._repeat = run, engine, LIMITS, repeat

    @cached_property
    def listed(self) -> GoodSets | None:
        """All sets that are good enough, if they are few and each of them has to be."""
        if self.problem.aggregation == "sum" or self.engine not in ("auto", "enumerate"):
            return None
        return GoodSets.of(self.quality, self.problem, self.requirement, self.run, self.limits)

    def decide(self, problem: Problem, max_steps: float = math.inf, *, listing: bool = True) -> Decision:
        """Whether there are ``problem.n_sets`` sets that are good enough, if so many steps settle it.

        With ``listing``, the list of all good sets comes first.
        """
        most = math.inf
        if listing and self.listed is not None:
            sets, most = self.pick_listed(problem, problem.n_sets, max_steps)
            if len(sets) == problem.n_sets or most < problem.n_sets:
                sets = sets if len(sets) == problem.n_sets else []
                return Decision(sets, not sets, "enumerate", LISTED, most)
        share = 1 if problem.aggregation == "min" else problem.n_sets
        target, tolerance = share * self.requirement.least, share * self.requirement.tolerance
        part = self.run.part(
            max_steps, lambda best, bound: best >= target - tolerance or bound < target - 2 * tolerance
        )
        with part:
            found = solve(self.quality, problem, part, self.engine)
        if found.sets and found.objective >= target - tolerance:
            sets = list(found.sets if self._repeat else dict.fromkeys(found.sets))
            return Decision(sets, False, found.engine, found.proof, most)
        refuted = found.status is Status.INFEASIBLE or found.bound < target - tolerance
        return Decision([], refuted, found.engine, found.proof, most)

    def pick_listed(self, problem: Problem, wanted: int, max_steps: float) -> tuple[list[FeatureSet], float]:
        """Listed sets that go together, as many as wanted or as were found; and a bound on their number."""
        if self.listed is None:
            return [], math.inf
        limits = self.limits
        coloured = limits.coloured_sets if max_steps < math.inf else limits.coloured_sets_later
        return self.listed.compatible(problem, wanted, coloured, repeat=self._repeat)

    def _improve(self, problem: Problem, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """As many compatible sets, better ones if a short search finds them; the best first."""
        if not self.run.stopped:
            with self.run.part(self.limits.better_steps) as part:
                found = solve(self.quality, problem, part, self.engine).sets
            as_many = len(found if self._repeat else set(found)) == len(sets)
            if as_many and self._rank(problem, found) > self._rank(problem, sets):
                sets = found
        return sorted(sets, key=lambda chosen: (-self.quality.evaluate(chosen), chosen))

    def _rank(self, problem: Problem, sets: Sequence[FeatureSet]) -> tuple[float, float]:
        values = [self.quality.evaluate(chosen) for chosen in sets]
        return problem.objective(values), math.fsum(values)

    # --- Results ------------------------------------------------------------------------------------

    def result(self, problem: Problem, largest: Largest, parameters: dict[str, Any]) -> Result:
        """The sets, verified like any others, and what is claimed about them."""
        quality, run, requirement = self.quality, self.run, self.requirement
        sets = self._improve(problem, largest.sets)
        qualities = verify(problem, sets, quality.evaluate, math.inf, hurry=lambda: run.stopped)
        proven = largest.is_settled and requirement.proven
        status = Status.OPTIMAL if proven else Status.FEASIBLE
        stop_reason = self._stop_reason(finished=proven or largest.is_limited)
        run.finish(sets, float(largest.objective), float(largest.bound))
        return Result(
            sets=sets,
            qualities=qualities,
            objective=float(largest.objective),
            bound=float(largest.bound),
            status=status,
            statuses=[status] * len(sets),
            named_sets=[quality.names_of(chosen) for chosen in sets],
            parameters={**problem.parameters(), **parameters, **self._quality_parameters},
            engine=largest.engine,
            proof=CUT_SHORT.get(stop_reason, "")
            + (largest.argument if requirement.proven else requirement.proof),
            elapsed=run.elapsed,
            stop_reason=stop_reason,
            steps=run.steps,
            finding=largest.describe(),
            scores=quality.scores_in(sets),
        )

    def no_sets(self, problem: Problem, parameters: dict[str, Any], *, proven: bool) -> Result:
        """There is no set that is good enough, or none was found."""
        status = Status.INFEASIBLE if proven else Status.NOT_FOUND
        reason = self._why_none(problem, proven=proven)
        stop_reason = self._stop_reason(finished=proven)
        bound = -math.inf if proven else math.inf
        self.run.finish([], math.nan, bound)
        return Result(
            sets=[],
            qualities=[],
            objective=math.nan,
            bound=bound,
            status=status,
            statuses=[status] * problem.n_sets,
            named_sets=[],
            parameters={**problem.parameters(), **parameters, **self._quality_parameters},
            engine=self.requirement.engine,
            proof=CUT_SHORT.get(stop_reason, "") + self.requirement.proof,
            reason=reason,
            elapsed=self.run.elapsed,
            stop_reason=stop_reason,
            steps=self.run.steps,
        )

    @property
    def _quality_parameters(self) -> dict[str, Any]:
        """How good sets had to be."""
        asked, requirement = self.requirement.asked, self.requirement
        return {
            "within": asked.within,
            "min_quality": asked.min_quality,
            "quality_needed": requirement.least if requirement.best else None,
        }

    def _why_none(self, problem: Problem, *, proven: bool) -> str:
        requirement, later = self.requirement, "" if proven else " More time may help."
        if requirement.best is None:
            return why_no_set(self.quality, problem, self.run) if proven else later.strip()
        if requirement.is_met:
            least = f"{requirement.least:.6g}"
            return f"No set of a quality of {least} or more differs enough from the existing ones.{later}"
        names, found = ", ".join(self.quality.names_of(requirement.best)), "" if proven else " that was found"
        return (
            f"No set reaches min_quality={requirement.least:.6g}: the best set{found} ({names}) has a quality of "
            f"{requirement.quality:.6g}.{later}"
        )

    def _stop_reason(self, *, finished: bool) -> StopReason:
        if finished:
            return StopReason.FINISHED
        if self.run.stopped:
            return StopReason.INTERRUPTED if self.run.interrupted else StopReason.TIME_LIMIT
        return StopReason.ENGINE_LIMIT


class Largest(ABC):
    """The search for the largest level: the sets found so far, and the levels that are ruled out."""

    sets: Sequence[FeatureSet]
    levels: Bisection
    doubling = False

    def __init__(self, search: FamilySearch, proof: str = "") -> None:
        self.search, self.engine, self.proof = search, search.requirement.engine, proof

    def find(self) -> None:
        """Bisect until everything is settled, or time is up."""
        self.report()
        self.start()
        run, first_steps = self.search.run, self.search.limits.first_steps
        self.levels.search(self.attempt, first_steps, doubling=self.doubling, stop=lambda: run.stopped)

    def report(self) -> None:
        """Tell the run what is known."""
        self.search.run.publish(self.sets, float(self.objective), float(self.bound))

    def start(self) -> None:  # noqa: B027 - nothing, unless there is something
        """What comes before the bisection."""

    @abstractmethod
    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level; see :class:`Bisection`."""

    @property
    def is_settled(self) -> bool:
        """Whether every larger level is ruled out, if the quality required is certain."""
        return self.levels.is_settled

    @property
    def is_limited(self) -> bool:
        """Whether the user wanted no more than what was found."""
        return False

    @property
    @abstractmethod
    def objective(self) -> float | Fraction:
        """What is to be as large as possible."""

    @property
    @abstractmethod
    def bound(self) -> float | Fraction:
        """What it cannot exceed."""

    @property
    def argument(self) -> str:
        """Why larger levels are ruled out."""
        return self.proof

    @abstractmethod
    def describe(self) -> str:
        """What was found and proven, in words."""
