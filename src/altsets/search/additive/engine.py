"""The exact engine for additive quality."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.result import Status
from altsets.search.additive.best_set import MAX_SPLITS, Instance, best_set
from altsets.search.additive.max_min import largest_minimum
from altsets.search.additive.max_sum import MaxSumSearch
from altsets.search.additive.next_sum import NextSum, declines_steps
from altsets.search.additive.usage import best_usage, declines_usage
from altsets.search.engine import PROVEN, Answer, declines_extras, declines_heuristics
from altsets.search.heuristics import balancing
from altsets.search.milp.engine import best_set as solver_best_set
from altsets.search.run import Run
from altsets.search.sequential import SequentialSearch
from altsets.search.steps import NextSet
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.construction import Construction, completed
from altsets.search.subset.pricing import PricingOracle


class AdditiveEngine:
    """Sequential by branch and bound; sum by degree sequences, or by counts of uses; min by windows of good sets."""

    name = "additive"

    def declines(self, quality: Additive, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if problem.search == "sequential":
            return declines_steps(quality, problem)
        if reason := declines_heuristics(problem):
            return reason
        return declines_extras(quality, problem) if problem.is_plain else declines_usage(quality, problem)

    def solve(self, quality: Additive, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted."""
        if not problem.is_plain and problem.search == "simultaneous":
            return best_usage(quality, problem)
        if not problem.is_plain:
            next_set = NextSet(quality, problem, run, sums=NextSum(quality, problem, run))
            return next_set.in_turn("Lagrangian branch and bound")
        candidates = Candidates.select(quality.scores, problem)
        if len(candidates) < problem.n_features:
            return Answer.infeasible(problem, "too few features may be used")
        instance = Instance(quality, problem, candidates, run)
        if problem.search == "sequential":
            return _sequential(instance)
        if any(limit < 0 for limit in problem.existing_overlaps):
            return Answer.infeasible(problem, "no set of this size differs enough from an existing set")
        if problem.n_sets == 1 or problem.max_overlap >= problem.n_features - 1:
            return _best_sets_in_turn(instance)
        is_sum = problem.aggregation == "sum"
        return completed(
            MaxSumSearch(instance).solve() if is_sum else largest_minimum(instance),
            _construction(instance),
            # Very fast, if there are enough features.
            lambda: () if problem.existing else balancing(quality.scores, problem, Run()),
        )


def _construction(instance: Instance) -> Callable[[], Construction]:
    quality, problem, features = instance.quality, instance.problem, instance.candidates.indices
    return cache(lambda: Construction(PricingOracle(quality, problem, instance.run, features)))


def _sequential(instance: Instance) -> Answer:
    quality, problem, candidates = instance.quality, instance.problem, instance.candidates
    k, run = problem.n_features, instance.run

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        overlaps = [problem.max_overlap_of(k, len(other)) for other in others]
        chosen, bound = best_set(candidates, k, others, overlaps, run.tick, MAX_SPLITS)
        value = -math.inf if chosen is None else quality.evaluate(chosen)
        if run.stopped or bound - value <= PROVEN or bound == -math.inf:
            return chosen, bound
        # Many features and many sets before: cutting planes get further than fixed prices.
        other, other_bound = solver_best_set(quality, problem, others, run, candidates)
        if other is not None and quality.evaluate(other) > value:
            chosen = other
        return chosen, min(bound, other_bound)

    search = SequentialSearch(problem, run, next_set, quality.evaluate, _construction(instance))
    return search.solve("Lagrangian branch and bound")


def _best_sets_in_turn(instance: Instance) -> Answer:
    """Where any two different sets are compatible, the best ones in turn are the best together, sum or min."""
    problem, found = instance.problem, _sequential(instance)
    if len(found.sets) < problem.n_sets:
        bound = -math.inf if found.statuses[-1] is Status.INFEASIBLE else math.inf
        return Answer.without_sets(problem, bound, found.proof)
    proven = all(status is Status.OPTIMAL for status in found.statuses)
    bound = found.bound
    if problem.aggregation == "min":
        qualities = [instance.quality.evaluate(chosen) for chosen in found.sets]
        bound = min(qualities) if proven else max(qualities)
    return Answer.simultaneous(problem, found.sets, bound, "the best sets in turn", proven=proven)
