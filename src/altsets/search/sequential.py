"""Sequential search: one best set after the other, by any engine that finds a best set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from altsets.problem import FeatureSet, Problem
from altsets.result import Status
from altsets.search.engine import Answer
from altsets.search.run import Run, Stopped, Turn
from altsets.search.tolerances import PROVEN

#: others -> the best set that differs enough from the others, and a bound on every such set
NextSet = Callable[[Sequence[FeatureSet]], tuple[FeatureSet | None, float]]


class Fallback(Protocol):
    """Where sets come from when the search for a best one has to stop; see ``subset.construction``."""

    @property
    def ceiling(self) -> float:
        """No set is better."""
        ...

    def all(self, before: Sequence[FeatureSet]) -> list[FeatureSet]:
        """As many sets as asked, or as many as it has; the first ones are given."""
        ...

    def one(self, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """A good set that differs enough from others."""
        ...

    def improved(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> FeatureSet:
        """A set that is no worse."""
        ...


def sequential(
    problem: Problem,
    run: Run,
    next_set: NextSet,
    evaluate: Callable[[FeatureSet], float],
    proof: str,
    fallback: Callable[[], Fallback] | None = None,
) -> Answer:
    """Ask for the best set again and again, each time with the sets before it as others.

    Once time is up, or where the search gives up, sets come from the fallback: they are valid, and not proven.
    """
    search = _SequentialSearch(problem, run, next_set, evaluate, fallback)
    bound = math.inf
    while len(search.sets) < problem.n_sets:
        chosen, bound = search.next()
        if chosen is None:
            break
        search.add(chosen, bound)
    sets, statuses = search.sets, search.statuses
    if len(sets) < problem.n_sets:
        # Given the same sets, a later one is no easier to find than the first one that is missing.
        missing = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        statuses = statuses + [missing] * (problem.n_sets - len(sets))
    if not sets:
        # Whatever sets there may be.
        return Answer.without_sets(problem, problem.n_sets * bound, proof)
    return Answer(sets, statuses, search.bound(bound), proof)


class _SequentialSearch:
    """The sets so far, each with its status and bound, and where the next one comes from."""

    def __init__(
        self,
        problem: Problem,
        run: Run,
        next_set: NextSet,
        evaluate: Callable[[FeatureSet], float],
        fallback: Callable[[], Fallback] | None,
    ) -> None:
        self.sets: list[FeatureSet] = []
        self.statuses: list[Status] = []
        self.bounds: list[float] = []
        self._values: list[float] = []
        self._problem, self._run, self._evaluate = problem, run, evaluate
        self._next_set, self._fallback = next_set, fallback
        self._constructed: list[FeatureSet] | None = None
        self._known = list(run.known.in_turn)

    def next(self) -> Turn:
        """A best set given those before, or what stands in for it, and a bound on every such set."""
        found = self._known.pop(0) if self._known else self._searched()
        self._run.add_turn(found)
        return found

    def _searched(self) -> Turn:
        chosen, bound = None, math.inf
        # Without a fallback, a first set is worth being late.
        if not self._run.stopped or (self._fallback is None and not self.sets):
            with suppress(Stopped):
                chosen, bound = self._next_set([*self._problem.existing, *self.sets])
        if self._fallback is None or self._is_proven(chosen, bound):
            return chosen, bound
        fallback = self._fallback()
        bound = min(bound, fallback.ceiling)
        if chosen is not None:
            return fallback.improved(chosen, self.sets), bound
        if not self._run.stopped:
            return fallback.one(self.sets), bound
        # There is little time, so all at once.
        if self._constructed is None:
            self._constructed = fallback.all(self.sets)[len(self.sets) :]
        return (self._constructed.pop(0) if self._constructed else None), bound

    def bound(self, of_next: float) -> float:
        """No answer has a larger objective, where no further set is better than ``of_next``.

        If there is no further set, the answer ends here, and what is there counts.
        """
        n_missing = self._problem.n_sets - len(self.sets)
        if not n_missing or of_next == -math.inf:
            return math.fsum(self.bounds)
        # A set that has to differ from more sets is no better; the objective so far may be larger than the final one.
        return math.fsum(self.bounds) + n_missing * max(of_next, 0.0)

    def _is_proven(self, chosen: FeatureSet | None, bound: float) -> bool:
        """Whether a set is proven best, or that there is none."""
        if chosen is None:
            return bound == -math.inf
        return bound - self._evaluate(chosen) <= PROVEN

    def add(self, chosen: FeatureSet, bound: float) -> None:
        """Add a set and publish it."""
        value = self._evaluate(chosen)
        self.sets.append(chosen)
        self.statuses.append(Status.OPTIMAL if bound - value <= PROVEN else Status.FEASIBLE)
        self.bounds.append(max(bound, value))
        self._values.append(value)
        self._run.publish(self.sets, math.fsum(self._values), self.bound(self.bounds[-1]))
