"""Engines for black boxes, whose quality is known only for sets that were evaluated.

``exhaustive`` evaluates every set there is, and proves. ``greedy-wrapper`` is the hill climbing of the paper
(Algorithm 1). ``local-search`` gets further with as many evaluations, see :mod:`altsets.search.black_box.local_search`.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.result import Status
from altsets.search.black_box.evaluations import AT_A_TIME, Evaluations
from altsets.search.black_box.initial_sets import InitialSets
from altsets.search.black_box.repair import Repair
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.sequential import sequential

__all__ = ["GreedyWrapperEngine", "declines_numbers", "ended", "report", "searched"]

#: (a valid solution, sets it has to differ from) -> one that is no worse
Improve = Callable[[Sequence[FeatureSet], Sequence[FeatureSet]], Sequence[FeatureSet]]


def declines_numbers(quality: Quality, problem: Problem) -> str | None:
    """What an engine for black boxes says to qualities that others solve with proof."""
    if not isinstance(quality, BlackBox):
        return f"it is for black boxes, and {type(quality).__name__} has numbers that exact engines read"
    if problem.search not in ("sequential", "simultaneous"):
        return f"it does not do search={problem.search!r}; use 'sequential' or 'simultaneous'"
    return None


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
            return _swapped(sets, others, repair, evaluations)

        return searched(problem, evaluations, improve, "hill climbing by swaps proves nothing")


def _swapped(
    sets: Sequence[FeatureSet], others: Sequence[FeatureSet], repair: Repair, evaluations: Evaluations
) -> Sequence[FeatureSet]:
    """Algorithm 1 of the paper, given the first solution; ``tried`` is what it calls iterations."""
    max_iters = evaluations.run.max_iters
    pairs = list(itertools.islice(itertools.combinations(range(repair.problem.n_features_in), 2), max_iters))
    best, place, tried = evaluations.objective(sets), 0, 1
    ahead = AT_A_TIME if evaluations.in_parallel else 1
    while tried < max_iters and place < len(pairs) and not evaluations.over:
        swaps = pairs[place : place + min(ahead, max_iters - tried)]
        proposals = [repair.closest(sets, [swap] * len(sets), others) for swap in swaps]
        evaluations.ask([one for proposed in proposals if proposed for one in proposed])
        for proposed in proposals:
            tried, place = tried + 1, place + 1
            if proposed and evaluations.objective(proposed) > best:
                sets, best, place = proposed, evaluations.objective(proposed), 0
                report(evaluations, sets, others)
                break
    return sets


def searched(problem: Problem, evaluations: Evaluations, improve: Improve, proof: str) -> Answer:
    """One set after the other or all at once, as asked; ``improve`` does the searching."""
    starts = InitialSets(problem, evaluations.run)
    answer = (_in_turn if problem.search == "sequential" else _at_once)(
        problem, evaluations, starts, improve, proof
    )
    return ended(answer, evaluations)


def ended(answer: Answer, evaluations: Evaluations) -> Answer:
    """The answer of a heuristic; if the black box failed, it says so, and without any set there is no other answer."""
    failure = evaluations.failure
    answer = replace(answer, finished=failure is None, evaluated=len(evaluations.known))
    if failure is None:
        return answer
    if not answer.sets:
        raise failure
    warnings.warn(f"the search ended early: {failure}", UserWarning, stacklevel=5)
    return replace(answer, proof=f"ended early, as {failure}".rstrip(".") + f"; {answer.proof}")


def report(evaluations: Evaluations, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> None:
    """Tell the run what is best now, besides the sets that were found before."""
    run = evaluations.run
    run.sets = [*others, *sets]
    run.objective = evaluations.objective(run.sets)
    run.report()


def _in_turn(
    problem: Problem, evaluations: Evaluations, starts: InitialSets, improve: Improve, proof: str
) -> Answer:
    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        if evaluations.failure is not None:
            return None, math.inf
        before = others[len(problem.existing) :]
        first, proven = starts.one(before)
        if first is None:
            return None, -math.inf if proven else math.inf
        evaluations.refill()
        evaluations.ask([first], at_once=True)
        if first not in evaluations.known:
            return None, math.inf
        (found,) = improve([first], before)
        return (found if evaluations.known[found] > -math.inf else None), math.inf

    return sequential(problem, evaluations.run, next_set, evaluations.known.__getitem__, proof)


def _at_once(
    problem: Problem, evaluations: Evaluations, starts: InitialSets, improve: Improve, proof: str
) -> Answer:
    first = starts.all()
    if len(first.sets) < problem.n_sets:
        status = first.statuses[0]
        bound = -math.inf if status is Status.INFEASIBLE else math.inf
        return Answer([], [status] * problem.n_sets, bound, first.proof)
    evaluations.ask(first.sets, at_once=True)
    sets: Sequence[FeatureSet] = []
    if evaluations.failure is None:
        report(evaluations, first.sets, ())
        sets = improve(first.sets, ())
    if not sets or not math.isfinite(evaluations.objective(sets)):
        return Answer([], [Status.NOT_FOUND] * problem.n_sets, math.inf, proof)
    return Answer(sets, [Status.FEASIBLE] * problem.n_sets, math.inf, proof)
