"""Greedy wrapper: the hill climbing of the paper (Algorithm 1), for any black box."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.black_box.evaluations import Evaluations, declines_numbers, report, search_sets
from altsets.search.black_box.repair import Repair
from altsets.search.engine import Answer
from altsets.search.run import Run


class GreedyWrapperEngine:
    """The paper's Greedy Wrapper: swap two features, repair, keep what is better."""

    name = "greedy-wrapper"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_numbers(quality, problem)

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Climb from the first valid sets until no swap helps or ``run.max_iters`` swaps were tried."""
        evaluations = Evaluations(quality, problem, run)
        if not problem.sizes:
            return Answer.infeasible(problem, "constraints on the size contradict each other")
        repair = Repair(problem, run)

        def improve(sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> Sequence[FeatureSet]:
            return _hill_climb(sets, others, repair, evaluations)

        return search_sets(problem, evaluations, improve, "hill climbing by swaps proves nothing")


def _hill_climb(
    sets: Sequence[FeatureSet], others: Sequence[FeatureSet], repair: Repair, evaluations: Evaluations
) -> Sequence[FeatureSet]:
    """Algorithm 1 of the paper, given the first solution; ``tried`` is what it calls iterations."""
    max_iters = evaluations.run.max_iters
    pairs = list(itertools.islice(itertools.combinations(range(repair.problem.n_features_in), 2), max_iters))
    best, place, tried = evaluations.objective(sets), 0, 1
    while tried < max_iters and place < len(pairs) and not evaluations.over:
        swaps = pairs[place : place + min(evaluations.at_a_time, max_iters - tried)]
        proposals = [repair.closest(sets, [swap] * len(sets), others) for swap in swaps]
        evaluations.ask([one for proposed in proposals if proposed for one in proposed])
        for proposed in proposals:
            tried, place = tried + 1, place + 1
            if proposed and evaluations.objective(proposed) > best:
                sets, best, place = proposed, evaluations.objective(proposed), 0
                report(evaluations, sets, others)
                break
    return sets
