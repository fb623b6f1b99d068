"""All sets at once, largest sum: a bound from degree sequences, and sets that reach it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets._kernels.design import deal
from altsets.problem import Problem
from altsets.quality import Additive
from altsets.result import Status, optimality_tolerance
from altsets.search import bounds, patterns
from altsets.search.best_set import best_set
from altsets.search.candidates import Candidates
from altsets.search.engine import Answer
from altsets.search.run import Run

__all__ = ["in_turn", "largest_sum", "realise"]

FeatureSet = tuple[int, ...]

#: Exchanges to try for each seed before the integer programme is asked.
DEAL_STEPS = 20_000


def largest_sum(quality: Additive, problem: Problem, candidates: Candidates, run: Run) -> Answer:
    """Realise the degree-sequence bound if possible; else solve the pattern programme."""
    limit = bounds.sum_bound(candidates, problem)
    if limit.value == -math.inf:
        return Answer([], [Status.INFEASIBLE] * problem.n_sets, -math.inf, "counting shared features")
    run.tighten(limit.value)
    if limit.counts is not None:
        sets = realise(problem, candidates, limit.degrees(len(candidates)), run)
        if sets is not None:
            return _answer(quality, problem, sets, limit.value, "the degree-sequence bound is reached")
    sets = in_turn(problem, candidates, run)
    if sets is not None:
        run.offer(sets, math.fsum(map(quality.evaluate, sets)))
    bound, proof = limit.value, "degree-sequence bound"
    if patterns.n_variables(candidates, problem) <= patterns.MAX_VARIABLES and not run.stopped:
        sets, bound = patterns.best_sum(candidates, problem, limit.value, run)
        proof = "integer programme over membership patterns"
        if sets is not None:
            run.offer(sets, math.fsum(map(quality.evaluate, sets)))
    if run.stopped:
        proof = f"{run.why_stopped}; {proof}"
    return _answer(quality, problem, run.sets, bound, proof)


def realise(
    problem: Problem, candidates: Candidates, degrees: npt.NDArray[np.intc], run: Run
) -> list[FeatureSet] | None:
    """Sets in which each position lies as often as its degree says; None if none were found."""
    fixed = np.zeros((len(problem.existing), len(candidates)), dtype=np.uint8)
    for number, given in enumerate(problem.existing):
        fixed[number, candidates.positions(given)] = 1
    caps = np.array(problem.existing_overlaps, dtype=np.intc)
    for seed in range(3):
        members = deal(
            degrees, problem.n_sets, problem.n_features, fixed, caps, problem.max_overlap, DEAL_STEPS, seed, run.tick
        )
        if members is not None:
            return [candidates.features(np.flatnonzero(row)) for row in members]
    return None


def in_turn(problem: Problem, candidates: Candidates, run: Run) -> list[FeatureSet] | None:
    """The sets that sequential search would give: a valid solution, if it gets that far."""
    sets: list[FeatureSet] = []
    while len(sets) < problem.n_sets:
        overlaps = [*problem.existing_overlaps, *[problem.max_overlap] * len(sets)]
        chosen, _ = best_set(candidates, problem.n_features, [*problem.existing, *sets], overlaps, run.tick)
        if chosen is None:
            return None
        sets.append(chosen)
    return sets


def _answer(
    quality: Additive, problem: Problem, sets: Sequence[FeatureSet], bound: float, proof: str
) -> Answer:
    if not sets:
        status = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        return Answer([], [status] * problem.n_sets, bound, proof)
    objective = math.fsum(map(quality.evaluate, sets))
    proven = bound - objective <= optimality_tolerance(objective)
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return Answer(sets, [status] * problem.n_sets, bound, proof)
