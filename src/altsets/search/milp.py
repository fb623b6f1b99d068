"""The fallback: additive problems as integer programmes, with symmetry broken and our bounds added."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.result import Status, optimality_tolerance
from altsets.search import bounds
from altsets.search.candidates import Candidates
from altsets.search.engine import Answer, declines_extras, declines_heuristics
from altsets.search.run import Run
from altsets.search.sequential import sequential
from altsets.search.solver import Programme

__all__ = ["MilpEngine", "best_set"]


class MilpEngine:
    """HiGHS on the paper's formulation, for what the specialised engine leaves open or a user wants checked."""

    name = "milp"

    def declines(self, quality: Additive, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_heuristics(problem) or declines_extras(quality, problem)

    def solve(self, quality: Additive, problem: Problem, run: Run) -> Answer:
        """Sequential or simultaneous, as asked."""
        candidates = Candidates.select(quality.scores, problem)
        if problem.search == "simultaneous":
            return _simultaneous(quality, problem, candidates, run)

        def next_set(
            others: Sequence[FeatureSet], overlaps: Sequence[int]
        ) -> tuple[FeatureSet | None, float]:
            return best_set(candidates, problem.n_features, others, overlaps, run)

        return sequential(problem, run, next_set, quality.evaluate, "integer programming")


def _scale(candidates: Candidates) -> float:
    """Scores are divided by this, so that the solver's absolute tolerances mean something."""
    return float(np.max(np.abs(candidates.scores), initial=0.0)) or 1.0


def best_set(
    candidates: Candidates, k: int, others: Sequence[FeatureSet], overlaps: Sequence[int], run: Run
) -> tuple[FeatureSet | None, float]:
    """The best set as an integer programme; see :func:`altsets.search.best_set.best_set`."""
    if any(limit < 0 for limit in overlaps):
        return None, -math.inf
    scale, programme = _scale(candidates), Programme()
    chosen = [programme.variable(1, cost=score / scale) for score in candidates.scores]
    programme.row(dict.fromkeys(chosen, 1.0), lower=k, upper=k)
    for other, limit in zip(others, overlaps, strict=True):
        inside = candidates.positions(other)
        programme.row(dict.fromkeys((chosen[position] for position in inside), 1.0), upper=limit)
    solution = programme.maximise(run)
    if solution.values is None:
        return None, solution.bound * scale
    return candidates.features(np.flatnonzero(solution.values[chosen] > 0.5)), solution.bound * scale


def _simultaneous(quality: Additive, problem: Problem, candidates: Candidates, run: Run) -> Answer:
    """One binary for each set and feature, one continuous product for each pair of sets and feature."""
    n_sets, k, n = problem.n_sets, problem.n_features, len(candidates)
    if any(limit < 0 for limit in problem.existing_overlaps):
        return Answer(
            [], [Status.INFEASIBLE] * n_sets, -math.inf, "an existing set cannot be differed from enough"
        )
    scale, programme = _scale(candidates), Programme()
    scores = candidates.scores / scale
    # The bound goes into the variable for the minimum and into the answer; as a row over all variables it made the
    # solver's presolve cut off optima.
    limit = bounds.sum_bound(candidates, problem).value / scale
    if limit == -math.inf:
        return Answer([], [Status.INFEASIBLE] * n_sets, -math.inf, "counting shared features")
    smallest = problem.aggregation == "min"
    x = [[programme.variable(1, cost=0.0 if smallest else score) for score in scores] for _ in range(n_sets)]
    for row in x:
        programme.row(dict.fromkeys(row, 1.0), lower=k, upper=k)
        for given, overlap in zip(problem.existing, problem.existing_overlaps, strict=True):
            programme.row({row[position]: 1.0 for position in candidates.positions(given)}, upper=overlap)
    if problem.max_overlap < k:
        for first, second in itertools.combinations(x, 2):
            both = [programme.variable(1, integer=False) for _ in range(n)]
            for one, other, product in zip(first, second, both, strict=True):
                programme.row({one: 1.0, other: 1.0, product: -1.0}, upper=1)
            programme.row(dict.fromkeys(both, 1.0), upper=problem.max_overlap)
    # Sets are interchangeable: ask for them in the order of their quality.
    for first, second in itertools.pairwise(x):
        ordered = {one: -score for one, score in zip(first, scores, strict=True)}
        ordered |= dict(zip(second, scores, strict=True))
        programme.row({variable: value for variable, value in ordered.items() if value}, upper=0)
    if smallest:
        lowest = programme.variable(limit / n_sets, cost=1.0, integer=False, lower=-2.0 * k)
        for row in x:
            programme.row({lowest: 1.0} | {v: -s for v, s in zip(row, scores, strict=True) if s}, upper=0)
    solution = programme.maximise(run)
    bound = min(solution.bound, limit / n_sets if smallest else limit) * scale
    if solution.values is None:
        return _answer(quality, problem, None, bound, run)
    sets = _sets(candidates, x, solution.values)
    if smallest and not run.stopped:
        # Among equal minima the larger sum: hold the minimum and maximise again.
        worst = min(map(quality.evaluate, sets))
        programme.fix_least(lowest, worst / scale - 1e-12)
        for row in x:
            for variable, score in zip(row, scores, strict=True):
                programme.set_cost(variable, score)
        better = programme.maximise(run).values
        if better is not None:
            larger = _sets(candidates, x, better)
            if min(map(quality.evaluate, larger)) >= worst - optimality_tolerance(worst) / 2:
                sets = larger
    return _answer(quality, problem, sets, bound, run)


def _sets(candidates: Candidates, x: list[list[int]], values: npt.NDArray[np.float64]) -> list[FeatureSet]:
    return [candidates.features(np.flatnonzero(values[row] > 0.5)) for row in x]


def _answer(
    quality: Additive, problem: Problem, sets: list[FeatureSet] | None, bound: float, run: Run
) -> Answer:
    proof = "integer programming" if not run.stopped else f"{run.why_stopped}; integer programming"
    if sets is None:
        status = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        return Answer([], [status] * problem.n_sets, bound, proof)
    objective = problem.objective([quality.evaluate(chosen) for chosen in sets])
    proven = bound - objective <= optimality_tolerance(objective)
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return Answer(sets, [status] * problem.n_sets, max(bound, objective), proof)
