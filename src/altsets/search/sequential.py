"""Sequential search: one best set after the other, whoever computes a best set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from altsets.problem import FeatureSet, Problem
from altsets.result import Status
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.scaling import PROVEN

__all__ = ["sequential"]


#: others -> the best set that differs enough from the others, and a bound on every such set
NextSet = Callable[[Sequence[FeatureSet]], tuple[FeatureSet | None, float]]


def sequential(
    problem: Problem, run: Run, next_set: NextSet, evaluate: Callable[[FeatureSet], float], proof: str
) -> Answer:
    """Ask for the best set again and again, each time with the sets before it as others."""
    sets: list[FeatureSet] = []
    statuses: list[Status] = []
    bounds: list[float] = []
    while len(sets) < problem.n_sets:
        if run.stopped and sets:
            statuses.append(Status.NOT_FOUND)
            break
        chosen, bound = next_set([*problem.existing, *sets])
        if chosen is None:
            statuses.append(Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND)
            break
        value = evaluate(chosen)
        sets.append(chosen)
        bounds.append(max(bound, value))
        proven = bound - value <= PROVEN
        statuses.append(Status.OPTIMAL if proven else Status.FEASIBLE)
        run.sets, run.objective, run.bound = list(sets), math.fsum(map(evaluate, sets)), math.fsum(bounds)
        run.report()
    if run.stopped and statuses[-1] in (Status.FEASIBLE, Status.NOT_FOUND):
        proof = f"{run.why_stopped}; {proof}"
    # Given the same sets, a later one is no easier to find than the first one that is missing.
    statuses += [statuses[-1]] * (problem.n_sets - len(statuses))
    bound = math.fsum(bounds) if sets else (-math.inf if statuses[0] is Status.INFEASIBLE else math.inf)
    return Answer(sets, statuses, bound, proof)
