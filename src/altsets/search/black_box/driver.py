"""What the engines for black boxes share: initial sets, one set after the other or all at once, and how it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from altsets.errors import warn_user
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.result import Status
from altsets.search.black_box.evaluations import Evaluations
from altsets.search.black_box.initial_sets import InitialSets
from altsets.search.black_box.limits import BlackBoxLimits
from altsets.search.engine import Answer
from altsets.search.sequential import sequential

__all__ = ["Improve", "declines_numbers", "ended", "report", "searched"]

#: (a valid solution, sets it has to differ from) -> one that is no worse
Improve = Callable[[Sequence[FeatureSet], Sequence[FeatureSet]], Sequence[FeatureSet]]


def declines_numbers(quality: Quality, problem: Problem) -> str | None:
    """What an engine for black boxes says to qualities that others solve with proof."""
    if not isinstance(quality, BlackBox):
        return f"it is for black boxes, and {type(quality).__name__} has numbers that exact engines read"
    if problem.search not in ("sequential", "simultaneous"):
        return f"it does not do search={problem.search!r}; use 'sequential' or 'simultaneous'"
    return None


def searched(
    problem: Problem, evaluations: Evaluations, improve: Improve, proof: str, limits: BlackBoxLimits
) -> Answer:
    """One set after the other or all at once, as asked; ``improve`` does the searching."""
    initial_sets = InitialSets(problem, evaluations.run, limits)
    search = _in_turn if problem.search == "sequential" else _at_once
    return ended(search(problem, evaluations, initial_sets, improve, proof), evaluations)


def ended(answer: Answer, evaluations: Evaluations) -> Answer:
    """The answer of a heuristic; if the black box failed, it says so, and without any set there is no other answer."""
    failure = evaluations.failure
    answer = replace(answer, finished=failure is None, evaluated=len(evaluations.known))
    if failure is None:
        return answer
    if not answer.sets:
        raise failure
    warn_user(f"the search ended early: {failure}")
    return replace(answer, proof=f"ended early, as {failure}".rstrip(".") + f"; {answer.proof}")


def report(evaluations: Evaluations, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> None:
    """Tell the run what is best now, besides the sets that were found before."""
    shown = [*others, *sets]
    evaluations.run.publish(shown, evaluations.objective(shown))


def _in_turn(
    problem: Problem, evaluations: Evaluations, initial_sets: InitialSets, improve: Improve, proof: str
) -> Answer:
    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        if evaluations.failure is not None:
            return None, math.inf
        before = others[len(problem.existing) :]
        first, proven = initial_sets.one(before)
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
    problem: Problem, evaluations: Evaluations, initial_sets: InitialSets, improve: Improve, proof: str
) -> Answer:
    first = initial_sets.all()
    if len(first.sets) < problem.n_sets:
        bound = -math.inf if first.statuses[0] is Status.INFEASIBLE else math.inf
        return Answer.without_sets(problem, bound, first.proof)
    evaluations.ask(first.sets, at_once=True)
    sets: Sequence[FeatureSet] = []
    if evaluations.failure is None:
        report(evaluations, first.sets, ())
        sets = improve(first.sets, ())
    if not sets or not math.isfinite(evaluations.objective(sets)):
        sets = []
    return Answer.simultaneous(problem, sets, math.inf, proof, proven=False)
