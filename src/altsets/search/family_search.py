"""The largest tau, or number of sets, at which compatible sets that are all good enough exist, by bisection."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

from altsets.dissimilarity import Grouped, Matched
from altsets.problem import FeatureSet, Problem, verify
from altsets.quality import Quality
from altsets.result import Result, Status, StopReason
from altsets.search.good_sets import GoodSetLimits, GoodSets, Requirement
from altsets.search.run import Run
from altsets.search.solving import CUT_SHORT, solve, why_no_set
from altsets.wording import parameter

#: The argument where all sets that are good enough were listed.
LISTED = "all good sets listed, compatible ones picked"

LIMITS = GoodSetLimits()

#: A level and how many steps may be spent on it -> the level reached and the lowest one ruled out, if any.
Attempt = Callable[[int, float], tuple[int | None, int | None]]


@dataclass
class Bisection:
    """The largest feasible level up to ``top``: those up to ``reached`` are feasible, those from ``refuted`` on not."""

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
        """Try levels halfway, or at doubling distances, first with few steps for each, then with as many as needed."""
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
class Settled:
    """Compatible good sets if found, else whether there are provably none; ``most`` bounds their number."""

    sets: Sequence[FeatureSet]
    refuted: bool
    engine: str
    proof: str
    most: float = math.inf


class FamilySearch(ABC):
    """The search for the largest level: the best sets so far, and the levels that are ruled out.

    With aggregation "min" every set must meet the requirement, else their mean. ``asked`` is the problem of the user.
    """

    sets: Sequence[FeatureSet] = ()
    levels: Bisection
    #: Whether trials are at distances that double, because high levels take long.
    doubling = False
    #: Whether a set that differs enough from itself may come more than once.
    repeat = True

    def __init__(
        self,
        quality: Quality,
        asked: Problem,
        problem: Problem,
        requirement: Requirement,
        run: Run,
        engine: str,
    ) -> None:
        self.quality, self.asked, self.problem, self.requirement = quality, asked, problem, requirement
        self.run, self.limits, self._engine_asked = run, LIMITS, engine
        self.engine, self.proof = requirement.found.engine, ""

    def solve(self) -> Result:
        """Bisect until everything is settled, or time is up."""
        if self.requirement.best is None or not self.requirement.is_met:
            return self._no_sets(proven=self.requirement.is_impossible)
        self.settle(self.requirement.best)
        return self._found() if self.sets else self._no_sets(proven=self.levels.refuted <= 1)

    def settle(self, best: FeatureSet) -> None:
        """Search for the largest level, from the best set on."""
        self.start(best)
        self.levels.search(
            self.attempt, self.limits.first_steps, doubling=self.doubling, stop=lambda: self.run.stopped
        )

    @abstractmethod
    def start(self, best: FeatureSet) -> None:
        """A first solution, and the levels to search."""

    @abstractmethod
    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level; see :class:`Bisection`."""

    @property
    @abstractmethod
    def solution_problem(self) -> Problem:
        """What the sets found are a solution of."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The parameters of the request that the problem does not hold."""

    @property
    @abstractmethod
    def objective(self) -> float | Fraction:
        """The value to maximise."""

    @property
    @abstractmethod
    def bound(self) -> float | Fraction:
        """The upper bound of the value."""

    @abstractmethod
    def describe(self) -> str:
        """A summary of what was found and proven."""

    @property
    def is_settled(self) -> bool:
        """Whether every larger level is ruled out, if the quality required is certain."""
        return self.levels.is_settled

    @property
    def is_limited(self) -> bool:
        """Whether the user wanted no more than what was found."""
        return False

    @property
    def argument(self) -> str:
        """Why larger levels are ruled out."""
        return self.proof

    def report(self) -> None:
        """Tell the run what is known."""
        self.run.publish(self.sets, float(self.objective), float(self.bound))

    @cached_property
    def listed(self) -> GoodSets | None:
        """All sets that are good enough, if they are few and each of them has to be."""
        if not self.problem.is_plain or self.problem.search == "sequential":
            return None
        if self.problem.aggregation == "sum" or self._engine_asked not in ("auto", "enumerate"):
            return None
        return GoodSets.of(self.quality, self.problem, self.requirement, self.run, self.limits)

    def best_sets(self, problem: Problem, run: Run) -> Result:
        """The best sets by the engine that was asked for."""
        return solve(self.quality, problem, run, self._engine_asked)

    def decide(self, problem: Problem, max_steps: float = math.inf, *, listing: bool = True) -> Settled:
        """Whether there are ``problem.n_sets`` sets that are good enough, first by the list of all good sets."""
        most = math.inf
        if listing and self.listed is not None:
            sets, most = self.pick_listed(problem, problem.n_sets, max_steps)
            if len(sets) == problem.n_sets or most < problem.n_sets:
                sets = sets if len(sets) == problem.n_sets else []
                return Settled(sets, not sets, "enumerate", LISTED, most)
        share = 1 if problem.aggregation == "min" else problem.n_sets
        target, tolerance = share * self.requirement.least, share * self.requirement.tolerance

        def is_decided(best: float, bound: float) -> bool:
            return best >= target - tolerance or bound < target - 2 * tolerance

        with self.run.part(max_steps, is_decided) as part:
            found = self.best_sets(problem, part)
        if found.sets and found.objective >= target - tolerance:
            sets = list(found.sets if self.repeat else dict.fromkeys(found.sets))
            return Settled(sets, False, found.engine, found.proof, most)
        refuted = found.status is Status.INFEASIBLE or found.bound < target - tolerance
        return Settled([], refuted, found.engine, found.proof, most)

    def pick_listed(self, problem: Problem, wanted: int, max_steps: float) -> tuple[list[FeatureSet], float]:
        """Listed sets that go together, as many as wanted or as were found; and a bound on their number."""
        if self.listed is None:
            return [], math.inf
        limits = self.limits
        coloured = limits.coloured_sets if max_steps < math.inf else limits.coloured_sets_later
        return self.listed.compatible(problem, wanted, coloured, repeat=self.repeat)

    def _improve(self, problem: Problem, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """As many compatible sets, better ones if a short search finds them; the best first."""

        def rank(some: Sequence[FeatureSet]) -> tuple[float, float]:
            values = [self.quality.evaluate(chosen) for chosen in some]
            return problem.objective(values), math.fsum(values)

        if not self.run.stopped:
            with self.run.part(self.limits.better_steps) as part:
                found = self.best_sets(problem, part).sets
            as_many = len(found if self.repeat else set(found)) == len(sets)
            if as_many and rank(found) > rank(sets):
                sets = found
        return sorted(sets, key=lambda chosen: (-self.quality.evaluate(chosen), chosen))

    def _found(self) -> Result:
        """The sets, verified like any others, and what is claimed about them."""
        quality, requirement, problem = self.quality, self.requirement, self.solution_problem
        sets = self._improve(problem, self.sets)
        qualities = verify(problem, sets, quality.evaluate, math.inf, hurry=lambda: self.run.stopped)
        proven = self.is_settled and requirement.proven
        status = Status.OPTIMAL if proven else Status.FEASIBLE
        result = self._result(problem, status, len(sets), finished=proven or self.is_limited)
        objective, bound = float(self.objective), float(self.bound)
        self.run.finish(sets, objective, bound)
        argument = self.argument if requirement.proven else requirement.found.proof
        return replace(
            result,
            sets=sets,
            qualities=qualities,
            objective=objective,
            bound=bound,
            named_sets=[quality.names_of(chosen) for chosen in sets],
            engine=self.engine,
            proof=CUT_SHORT.get(result.stop_reason, "") + argument,
            finding=self.describe(),
            scores=quality.scores_in(sets),
            models=quality.models_in(sets),
        )

    def _no_sets(self, *, proven: bool) -> Result:
        reason = self._why_none(proven=proven)
        status = Status.INFEASIBLE if proven else Status.NOT_FOUND
        result = self._result(self.asked, status, self.asked.n_sets, finished=proven)
        self.run.finish([], result.objective, result.bound)
        return replace(result, reason=reason)

    def _result(self, problem: Problem, status: Status, n_statuses: int, *, finished: bool) -> Result:
        """A result without sets."""
        requirement = self.requirement
        stop_reason = StopReason.FINISHED if finished else self.run.stop_reason
        quality_needed = {
            "within": requirement.asked.within,
            "min_quality": requirement.asked.min_quality,
            "quality_needed": requirement.least if requirement.best else None,
        }
        sizes = {} if problem.fixed_size else {"size_normalised": self.quality.size_normalised}
        return Result(
            sets=[],
            qualities=[],
            objective=math.nan,
            bound=-math.inf if status is Status.INFEASIBLE else math.inf,
            status=status,
            statuses=[status] * n_statuses,
            named_sets=[],
            parameters={**problem.parameters(), **self.parameters, **quality_needed, **sizes},
            engine=requirement.found.engine,
            proof=CUT_SHORT.get(stop_reason, "") + requirement.found.proof,
            elapsed=self.run.elapsed,
            stop_reason=stop_reason,
            steps=self.run.steps,
        )

    def _why_none(self, *, proven: bool) -> str:
        requirement, later = self.requirement, "" if proven else " More time may help."
        if requirement.best is None:
            return why_no_set(self.quality, self.asked, self.run) if proven else later.strip()
        if requirement.is_met:
            least = f"{requirement.least:.6g}"
            return f"No set of a quality of {least} or more differs enough from the existing ones.{later}"
        names, found = ", ".join(self.quality.names_of(requirement.best)), "" if proven else " that was found"
        return (
            f"No set reaches {parameter('min_quality', float(f'{requirement.least:.6g}'))}: the best set{found} "
            f"({names}) has a quality of "
            f"{requirement.found.objective:.6g}.{later}"
        )


#: Steps from 0 to 1 where the possible dissimilarities are not known, or are more than ``MOST_TAUS``.
TAU_STEPS, MOST_TAUS = 1_000, 100_000


@dataclass(frozen=True)
class Taus:
    """Values of tau from 0 to 1, ascending; ``every`` says whether two sets can have no dissimilarity between them."""

    values: Sequence[Fraction]
    every: bool

    @classmethod
    def of(cls, problem: Problem, n_steps: int = TAU_STEPS) -> Taus:
        """All values that matter where features are counted; else ``n_steps`` equal steps."""
        if _counts(problem):
            given = {len(one) for one in problem.existing}
            n_totals = 2 * len(problem.sizes) + len(given) * len(problem.sizes)
            if n_totals * max(problem.k_max, *given, 1) <= MOST_TAUS:
                return cls(_all_counted(problem, given), every=True)
        return cls([Fraction(step, n_steps) for step in range(n_steps + 1)], every=False)

    def reached(self, tau: Fraction) -> int:
        """The number of the largest value that is no larger than this."""
        return bisect_right(self.values, tau) - 1


def _all_counted(problem: Problem, given: Set[int]) -> list[Fraction]:
    """All dissimilarities that two sets, or a set and one of a given size, can have by counting; and 0 and 1."""
    values = {Fraction(0), Fraction(1)}
    totals = {s + t for s in problem.sizes for t in {*problem.sizes, *given}}
    if isinstance(problem.dissimilarity, Grouped):
        # A set touches as many groups as it has features, or fewer.
        totals = set(range(2, max(totals) + 1))
    for total in totals:
        values |= {_counted(problem, shared, total) for shared in range(1, total // 2 + 1)}
    return sorted(values)


def _counts(problem: Problem) -> bool:
    """Whether what two sets have in common is a whole number: of features, of those that match, or of groups."""
    kind = problem.dissimilarity
    if isinstance(kind, Matched):
        return kind.threshold is not None
    return problem.counts_shared or isinstance(kind, Grouped)


def _counted(problem: Problem, shared: int, total: int) -> Fraction:
    """The dissimilarity of two sets with ``shared`` features in common and sizes that add up to ``total``."""
    jaccard = problem.dissimilarity == "jaccard"
    return 1 - (Fraction(shared, total - shared) if jaccard else Fraction(2 * shared, total))


def least_dissimilarity(problem: Problem, sets: Sequence[FeatureSet]) -> Fraction:
    """Of any two of the sets, and of any of them and an existing one; 1 if there are no two."""
    pairs = [*combinations(sets, 2), *((chosen, given) for chosen in sets for given in problem.existing)]
    least = Fraction(1)
    for pair in pairs:
        first, second = min(pair), max(pair)
        if callable(problem.dissimilarity) and not _counts(problem):
            value = Fraction(float(problem.dissimilarity(first, second)))
        else:
            value = _counted(problem, *_in_common(problem, first, second))
        least = min(least, value)
    return max(least, Fraction(0))


def _in_common(problem: Problem, first: FeatureSet, second: FeatureSet) -> tuple[int, int]:
    """What two sets have in common, and what they have in all: features or groups."""
    kind = problem.dissimilarity
    if isinstance(kind, Matched):
        return round(kind.overlap(first, second)), len(first) + len(second)
    one, other = (
        kind.touched(chosen) if isinstance(kind, Grouped) else set(chosen) for chosen in (first, second)
    )
    return len(one & other), len(one) + len(other)
