"""Sequential search: one best set after the other, by any engine that finds a best set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from altsets.problem import FeatureSet, Problem
from altsets.result import Status
from altsets.search.engine import PROVEN, Answer
from altsets.search.run import Run, Stopped, Turn

#: The part of the time left that a search keeps back for each later set, all of them together at most, and for
#: constructing a set itself.
KEPT_BACK, MOST_KEPT_BACK, KEPT_FOR_ITSELF = 0.1, 0.5, 0.05

#: others -> the best set that differs enough from the others, and a bound on every such set
NextSet = Callable[[Sequence[FeatureSet]], tuple[FeatureSet | None, float]]


class Constructs(Protocol):
    """Makes valid sets without proof."""

    @property
    def ceiling(self) -> float:
        """No set is better than this, whatever it has to differ from."""

    def one(self, before: Sequence[FeatureSet], /) -> FeatureSet | None:
        """A good set after others; None if that fails."""

    def improved(self, chosen: FeatureSet, before: Sequence[FeatureSet], /) -> FeatureSet:
        """The same set or a better one."""

    def all(self, before: Sequence[FeatureSet], /) -> list[FeatureSet]:
        """As many sets as asked, or as many as can be constructed; ``before`` are the first ones."""


class SequentialSearch:
    """The best set given those before, again and again; once time is up, sets are constructed, without proof."""

    def __init__(
        self,
        problem: Problem,
        run: Run,
        next_set: NextSet,
        evaluate: Callable[[FeatureSet], float],
        construction: Callable[[], Constructs] | None = None,
    ) -> None:
        self._problem, self._run, self._evaluate = problem, run, evaluate
        self._next_set, self._construction = next_set, construction
        self._sets: list[FeatureSet] = []
        self._statuses: list[Status] = []
        self._values: list[float] = []
        self._bounds: list[float] = []
        self._constructed: list[FeatureSet] | None = None
        self._known = list(run.known.in_turn)

    def solve(self, proof: str) -> Answer:
        """All sets, or as many as there are."""
        bound = math.inf
        while len(self._sets) < self._problem.n_sets:
            chosen, bound = self._good_enough(*(self._known.pop(0) if self._known else self._search()))
            self._run.add_turn((chosen, bound))
            if chosen is None:
                break
            self._add(chosen, bound)
        n_missing = self._problem.n_sets - len(self._sets)
        if not self._sets:
            return Answer.without_sets(self._problem, n_missing * bound, proof)
        # Given the same sets, a later one is no easier to find than the first one that is missing.
        missing = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        return Answer(self._sets, self._statuses + [missing] * n_missing, self._bound(bound), proof)

    def _good_enough(self, chosen: FeatureSet | None, bound: float) -> Turn:
        """The same, or no set if the best one is below the limit on qualities."""
        if chosen is not None and self._evaluate(chosen) < self._run.least:
            chosen = None
        return chosen, -math.inf if chosen is None and bound < self._run.refuted_below else bound

    def _search(self) -> Turn:
        """A best set given those before, or what stands in for it, and a bound on every such set."""
        chosen, bound = None, math.inf
        later = self._problem.n_sets - len(self._sets) - 1
        kept_back = min(KEPT_BACK * later, MOST_KEPT_BACK) + (KEPT_FOR_ITSELF if self._construction else 0.0)
        # If nothing can be constructed, a first set is searched for even if time is up.
        if not self._run.stopped or (self._construction is None and not self._sets):
            with suppress(Stopped), self._run.keep_back(kept_back):
                chosen, bound = self._next_set([*self._problem.existing, *self._sets])
        proven = bound == -math.inf if chosen is None else bound - self._value(chosen) <= PROVEN
        if self._construction is None or proven:
            return chosen, bound
        construction = self._construction()
        bound = min(bound, construction.ceiling)
        if not self._run.stopped:
            found = [construction.one(self._sets)]
            if chosen is not None:
                found.append(construction.improved(chosen, self._sets))
            return max((one for one in found if one is not None), key=self._value, default=None), bound
        if chosen is not None:
            return construction.improved(chosen, self._sets), bound
        # There is little time, so all at once.
        if self._constructed is None:
            self._constructed = construction.all(self._sets)[len(self._sets) :]
        return (self._constructed.pop(0) if self._constructed else None), bound

    def _bound(self, of_next: float) -> float:
        """A bound on the objective if no further set is better than ``of_next``; -inf: there is no further set."""
        n_missing = self._problem.n_sets - len(self._sets)
        if not n_missing or of_next == -math.inf:
            return math.fsum(self._bounds)
        # A set that has to differ from more sets is no better, unless it is on average; the objective so far may be
        # larger than the final one.
        if self._problem.difference == "average" and self._construction is not None:
            of_next = max(of_next, self._construction().ceiling)
        return math.fsum(self._bounds) + n_missing * max(of_next, 0.0)

    def _value(self, chosen: FeatureSet) -> float:
        """What a set is worth after those before: its quality, without what it pays for features that they share."""
        paid = self._problem.overlap_penalty
        if not paid:
            return self._evaluate(chosen)
        inside = set(chosen)
        shared = sum(len(inside.intersection(one)) for one in (*self._problem.existing, *self._sets))
        return self._evaluate(chosen) - paid * shared

    def _add(self, chosen: FeatureSet, bound: float) -> None:
        value = self._value(chosen)
        self._sets.append(chosen)
        self._statuses.append(Status.OPTIMAL if bound - value <= PROVEN else Status.FEASIBLE)
        self._bounds.append(max(bound, value))
        self._values.append(value)
        self._run.publish(self._sets, math.fsum(self._values), self._bound(self._bounds[-1]))
