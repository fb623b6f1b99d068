"""What an engine is: something that says what it can solve, and solves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.result import Status
from altsets.search.run import Run

__all__ = ["Answer", "Engine", "declines_extras", "declines_heuristics"]


@dataclass(frozen=True)
class Answer:
    """What an engine hands back: sets, one status per requested set, a bound and the argument behind it."""

    sets: Sequence[FeatureSet]
    statuses: Sequence[Status]
    bound: float
    proof: str


class Engine(Protocol):
    """Stateless: a problem in, an answer out.

    An engine may be asked about any quality, and gets those that it does not decline.
    """

    name: str

    def declines(self, quality: Any, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        ...

    def solve(self, quality: Any, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted; always return the best found and a valid bound."""
        ...


def declines_heuristics(problem: Problem) -> str | None:
    """What an exact engine says to a problem that asks for a heuristic."""
    if problem.search in ("sequential", "simultaneous"):
        return None
    return f"it is exact and does not do search={problem.search!r}"


def declines_extras(quality: Quality, problem: Problem) -> str | None:
    """What an engine for plain additive problems says to what goes beyond them."""
    if not isinstance(quality, Additive):
        return f"it takes additive quality only, not {type(quality).__name__}"
    if problem.constraints or not problem.fixed_size:
        return "it takes no constraints on sets"
    if callable(problem.dissimilarity):
        return "it takes dice or jaccard dissimilarity only"
    return None
