"""Whether there are so many compatible sets that are all good enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.families.limits import FAMILY_LIMITS, FamilyLimits
from altsets.search.families.listed import GoodSets
from altsets.search.families.standard import Standard
from altsets.search.find import solved
from altsets.search.run import Run

__all__ = ["LISTED", "Decision", "FamilySearch", "at"]


#: The argument where all sets that are good enough were listed.
LISTED = "all good sets listed, compatible ones picked"


@dataclass(frozen=True)
class Decision:
    """Sets that go together and are good enough, none if none were found; and whether it is proven that there are none.

    ``most`` is a number of sets that no family exceeds, where that came out; ``engine`` and ``proof`` are who says so.
    """

    sets: Sequence[FeatureSet]
    refuted: bool
    engine: str
    proof: str
    most: float = math.inf


class FamilySearch:
    """Decides about requests that differ in tau or in the number of sets, by the same standard.

    Every set must reach the standard if a request has the aggregation ``"min"``, else their mean.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        standard: Standard,
        run: Run,
        engine: str = "auto",
        limits: FamilyLimits = FAMILY_LIMITS,
    ) -> None:
        self.quality, self.standard, self.run, self.limits = quality, standard, run, limits
        self._problem, self.engine = problem, engine

    @cached_property
    def listed(self) -> GoodSets | None:
        """All sets that are good enough, if they are few and each of them has to be."""
        if self._problem.aggregation == "sum" or self.engine not in ("auto", "enumerate"):
            return None
        return GoodSets.of(self.quality, self._problem, self.standard, self.run, self.limits)

    def decide(self, problem: Problem, max_steps: float = math.inf, *, listing: bool = True) -> Decision:
        """Whether there are ``problem.n_sets`` sets that are good enough, if that comes out in so many steps.

        Without ``listing`` the list of all good sets is not asked first.
        """
        most = math.inf
        if listing and self.listed is not None:
            sets, most = self.largest_listed(problem, problem.n_sets, max_steps)
            if len(sets) == problem.n_sets or most < problem.n_sets:
                sets = sets if len(sets) == problem.n_sets else []
                return Decision(sets, not sets, "enumerate", LISTED, most)
        share = 1 if problem.aggregation == "min" else problem.n_sets
        target, tolerance = share * self.standard.least, share * self.standard.tolerance
        part = self.run.part(max_steps)
        part.enough = lambda best, bound: best >= target - tolerance or bound < target - 2 * tolerance
        with part:
            found = solved(self.quality, problem, part, self.engine)
        if found.sets and found.objective >= target - tolerance:
            return Decision(found.sets, False, found.engine, found.proof, most)
        refuted = found.status is Status.INFEASIBLE or found.bound < target - tolerance
        return Decision([], refuted, found.engine, found.proof, most)

    def largest_listed(
        self, problem: Problem, wanted: int, max_steps: float
    ) -> tuple[list[FeatureSet], float]:
        """Sets of the list that go together, as many as wanted or as were found; and what no number exceeds."""
        if self.listed is None:
            return [], math.inf
        limits = self.limits
        coloured = limits.coloured_sets if max_steps < math.inf else limits.coloured_sets_later
        return self.listed.family(problem, wanted, coloured)

    def improved(self, problem: Problem, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """As many sets that go together, and better ones if a short search finds them; the best first."""
        if not self.run.stopped:
            with self.run.part(self.limits.better_steps) as part:
                found = solved(self.quality, problem, part, self.engine)
            if len(found.sets) == len(sets) and self._worth(problem, found.sets) > self._worth(problem, sets):
                sets = found.sets
        return sorted(sets, key=lambda chosen: (-self.quality.evaluate(chosen), chosen))

    def _worth(self, problem: Problem, sets: Sequence[FeatureSet]) -> tuple[float, float]:
        values = [self.quality.evaluate(chosen) for chosen in sets]
        return problem.objective(values), math.fsum(values)


def at(problem: Problem, **changes: object) -> Problem:
    """The request with another tau or another number of sets; what was remembered of pairs of sets was for this one."""
    return replace(problem, **changes, far_apart=set())  # type: ignore[arg-type]
