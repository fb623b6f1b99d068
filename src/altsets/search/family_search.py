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

from altsets.dissimilarity import Grouped, Matched
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Result, Status
from altsets.search.good_sets import GoodSetLimits, GoodSets, Requirement, bound_on_number
from altsets.search.run import Run
from altsets.search.solving import MOST_SETS, solve

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
    proof: str
    most: float = math.inf


class FamilySearch(ABC):
    """The search for the largest level: the best sets so far, and the levels that are ruled out."""

    sets: Sequence[FeatureSet] = ()
    levels: Bisection
    #: Whether trials are at distances that double, because high levels take long.
    doubling = False
    #: Whether a set that differs enough from itself may come more than once.
    repeat = True
    #: Why larger levels are ruled out.
    proof = ""

    def __init__(
        self, quality: Quality, problem: Problem, requirement: Requirement, run: Run, engine: str
    ) -> None:
        self.quality, self.problem, self.requirement = quality, problem, requirement
        self.run, self.limits, self._engine = run, LIMITS, engine

    def settle(self, best: FeatureSet) -> None:
        """Search for the largest level, from the best set on."""
        self.start(best)
        self.levels.search(
            self.attempt, self.limits.first_steps, doubling=self.doubling, stop=lambda: self.run.stopped
        )
        self.report()

    @abstractmethod
    def start(self, best: FeatureSet) -> None:
        """Find a first solution and the levels to search."""

    @abstractmethod
    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level; see :class:`Bisection`."""

    @abstractmethod
    def report(self) -> None:
        """Tell the run what is known."""

    @property
    @abstractmethod
    def bound(self) -> float | Fraction:
        """The upper bound of the value."""

    @property
    def is_settled(self) -> bool:
        """Whether every larger level is ruled out, if the quality required is certain."""
        return self.levels.is_settled

    @cached_property
    def listed(self) -> GoodSets | None:
        """All sets that are good enough, if they are few."""
        if not self.problem.is_plain or self.problem.search == "sequential":
            return None
        if self._engine not in ("auto", "enumerate"):
            return None
        return GoodSets.of(self.quality, self.problem, self.requirement, self.run, self.limits)

    def best_sets(self, problem: Problem, run: Run) -> Result:
        """Return the best sets by the requested engine."""
        return solve(self.quality, problem, run, self._engine)

    def decide(self, problem: Problem, max_steps: float = math.inf, *, listing: bool = True) -> Settled:
        """Whether there are ``problem.n_sets`` sets that are good enough, first by the list of all good sets."""
        most = math.inf
        if listing and self.listed is not None:
            sets, most = self.pick_listed(problem, problem.n_sets, max_steps)
            if len(sets) == problem.n_sets or most < problem.n_sets:
                sets = sets if len(sets) == problem.n_sets else []
                return Settled(sets, not sets, LISTED, most)
        target, tolerance = self.requirement.least, self.requirement.tolerance

        def is_decided(best: float, bound: float) -> bool:
            return best >= target - tolerance or bound < target - 2 * tolerance

        with self.run.part(max_steps, is_decided) as part:
            found = self.best_sets(problem, part)
        if found.sets and found.objective >= target - tolerance:
            sets = list(found.sets if self.repeat else dict.fromkeys(found.sets))
            return Settled(sets, False, found.proof, most)
        refuted = found.status is Status.INFEASIBLE or found.bound < target - tolerance
        return Settled([], refuted, found.proof, most)

    def pick_listed(self, problem: Problem, wanted: int, max_steps: float) -> tuple[list[FeatureSet], float]:
        """Listed sets that go together, as many as wanted or as were found; and a bound on their number."""
        if self.listed is None:
            return [], math.inf
        limits = self.limits
        coloured = limits.coloured_sets if max_steps < math.inf else limits.coloured_sets_later
        return self.listed.compatible(problem, wanted, coloured, repeat=self.repeat)


class LargestTau(FamilySearch):
    """The largest tau at which there are as many sets as requested."""

    tau = Fraction(0)

    def start(self, best: FeatureSet) -> None:
        """The best set again and again goes with itself at tau = 0, and perhaps further."""
        self.taus = Taus.of(self.problem)
        top = len(self.taus.values) - 1
        if not self.problem.is_plain:
            # What sets have to meet together, the best one again and again may not.
            self.levels = Bisection(-1, top + 1, top)
            return
        self.sets = [best] * self.problem.n_sets
        self.tau = least_dissimilarity(self.problem, self.sets)
        self.levels = Bisection(self.taus.reached(self.tau), top + 1, top)
        self.report()

    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level."""
        decision = self.decide(replace(self.problem, tau=self.taus.values[level]), max_steps)
        if decision.refuted:
            self.proof = decision.proof
        reached = None
        if decision.sets:
            self.sets, self.tau = decision.sets, least_dissimilarity(self.problem, decision.sets)
            reached = max(level, self.taus.reached(self.tau))
        self.report()
        return reached, level if decision.refuted else None

    def report(self) -> None:
        """Tell the run what is known."""
        self.run.publish(self.sets, float(self.tau), float(self.bound), goal="tau")

    @property
    def bound(self) -> Fraction:
        """The upper bound of tau."""
        refuted = self.levels.refuted
        if refuted > self.levels.top:
            return Fraction(1)
        # Between values that are not all there are, a smaller one than that which is ruled out may be possible.
        return max(self.tau, self.taus.values[refuted - (1 if self.taus.every else 0)])

    @property
    def argument(self) -> str:
        """Why larger values are ruled out."""
        return self.proof or ("no larger value exists" if self.is_settled else "nothing was ruled out")


class LargestNumber(FamilySearch):
    """The largest number of sets at one tau, up to ``MOST_SETS``."""

    doubling = True
    repeat = False
    proof = "counting features"

    def start(self, best: FeatureSet) -> None:
        """A first solution: from the list of all good sets, or else one set after the other."""
        problem = self.problem
        if problem.is_plain and all(problem.compatible(best, given) for given in problem.existing):
            self.sets = [best]
        most = bound_on_number(self.quality, problem, self.requirement, self.listed, self.run)
        self.levels = Bisection(len(self.sets), most + 1, min(most, MOST_SETS))
        self.report()
        if self.listed is not None:
            self._pick()
        elif problem.is_plain and not problem.any_sets_differ_enough:
            self._grow()

    def _pick(self) -> None:
        """As many as the clique search finds in the list of all good sets."""
        sets, most = self.pick_listed(self.problem, self.levels.top, self.limits.first_steps)
        if most + 1 < self.levels.refuted:
            self.levels.refuted, self.proof = int(most) + 1, LISTED
        self._take(sets)

    def _grow(self) -> None:
        """One good set after the other, each the best that goes with those before."""
        sets = list(self.sets)
        with self.run.part(self.limits.growth_steps) as part:
            while len(sets) < self.levels.top and not part.stopped:
                one = replace(self.problem, existing=(*self.problem.existing, *sets))
                found = self.best_sets(one, part.part())
                good = bool(found.sets) and self.requirement.met_by(found.objective)
                if not good or found.sets[0] in sets:
                    break
                sets += found.sets
                self._take(sets)

    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level."""
        # In few steps, the list has been searched already.
        listing = max_steps == math.inf
        decision = self.decide(replace(self.problem, n_alternatives=level - 1), max_steps, listing=listing)
        refuted = min(level if decision.refuted else math.inf, decision.most + 1)
        if refuted < self.levels.refuted:
            self.proof = decision.proof
        self._take(decision.sets)
        return len(decision.sets) or None, None if refuted == math.inf else int(refuted)

    def _take(self, sets: Sequence[FeatureSet]) -> None:
        if len(sets) > len(self.sets):
            self.sets = list(sets)
            self.levels.reached = max(self.levels.reached, len(sets))
            self.report()

    def report(self) -> None:
        """Tell the run what is known."""
        self.run.publish(self.sets, len(self.sets), self.bound, goal="n_sets")

    @property
    def bound(self) -> float:
        """The upper bound of the number of sets."""
        return self.levels.refuted - 1

    @property
    def is_settled(self) -> bool:
        """Whether every larger number is ruled out."""
        return len(self.sets) == self.bound

    @property
    def is_limited(self) -> bool:
        """Whether the search ended because it had found ``MOST_SETS`` sets."""
        return not self.is_settled and len(self.sets) >= MOST_SETS


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
