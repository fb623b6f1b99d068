"""Sequential search: one best set after the other, whoever computes a best set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from altsets.problem import FeatureSet, Problem
from altsets.result import Status
from altsets.search.engine import Answer
from altsets.search.run import Run, Stopped
from altsets.search.tolerances import PROVEN

__all__ = ["Fallback", "sequential"]


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
    sets: list[FeatureSet] = []
    statuses: list[Status] = []
    values: list[float] = []
    bounds: list[float] = []
    left: list[FeatureSet] | None = None
    while len(sets) < problem.n_sets:
        chosen, bound = None, math.inf
        # Without a fallback, a first set is worth being late.
        if not run.stopped or (fallback is None and not sets):
            with suppress(Stopped):
                chosen, bound = next_set([*problem.existing, *sets])
        if fallback is not None and not _settled(chosen, bound, evaluate):
            other = fallback()
            bound = min(bound, other.ceiling)
            if chosen is not None:
                chosen = other.improved(chosen, sets)
            elif run.stopped:
                # There is little time, so all at once.
                left = other.all(sets)[len(sets) :] if left is None else left[1:]
                chosen = left[0] if left else None
            else:
                chosen = other.one(sets)
        if chosen is None:
            statuses.append(Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND)
            break
        value = evaluate(chosen)
        sets.append(chosen)
        bounds.append(max(bound, value))
        proven = bound - value <= PROVEN
        statuses.append(Status.OPTIMAL if proven else Status.FEASIBLE)
        values.append(value)
        run.sets, run.objective, run.bound = list(sets), math.fsum(values), math.fsum(bounds)
        run.report()
    # Given the same sets, a later one is no easier to find than the first one that is missing.
    statuses += [statuses[-1]] * (problem.n_sets - len(statuses))
    if sets:
        return Answer(sets, statuses, math.fsum(bounds), proof)
    # Whatever sets there may be.
    bound = -math.inf if statuses[0] is Status.INFEASIBLE else problem.n_sets * bound
    return Answer(sets, statuses, bound, proof)


def _settled(chosen: FeatureSet | None, bound: float, evaluate: Callable[[FeatureSet], float]) -> bool:
    """Whether a best set is proven, or that there is none."""
    if chosen is None:
        return bound == -math.inf
    return bound - evaluate(chosen) <= PROVEN
