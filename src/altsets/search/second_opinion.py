"""Ask another engine whether an answer is right: exhaustive listing of small tables, else the integer programme.

The listing shares no code with the engines: it tries every combination of features and keeps what the verifier accepts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from altsets.errors import AltsetsError, InputError, VerificationError
from altsets.problem import FeatureSet, Problem, verify
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.milp.engine import MilpEngine
from altsets.search.run import Run
from altsets.search.solving import solve

#: Combinations of features that are listed at most, and as many where several sets are chosen among them.
MAX_LISTED, MAX_CHOSEN_AMONG = 50_000, 3_000


@dataclass(frozen=True)
class Opinion:
    """What another engine found about one question: sets, their objective and a bound; or why it has none."""

    sets: Sequence[FeatureSet] = ()
    objective: float = -math.inf
    bound: float = math.inf
    reason: str = ""

    @property
    def has_proof(self) -> bool:
        """Whether the question is settled: nothing is better than these sets, or there are none."""
        return not self.reason


def second_opinion(quality: Quality, problem: Problem, first_engine: str, run: Run) -> Opinion:
    """Solve a problem once more, with an engine other than the first one; the best of what was found."""
    best = Opinion(reason=f"{type(quality).__name__} has no second engine for a table of this size")
    for ask in _engines(quality, problem, first_engine):
        found = ask(quality, problem, run)
        if found.has_proof:
            return found
        best = max(best, found, key=lambda one: (one.objective, one.reason != best.reason))
    return best


def _engines(
    quality: Quality, problem: Problem, first_engine: str
) -> Iterator[Callable[[Quality, Problem, Run], Opinion]]:
    usable = problem.n_features_in - len(problem.forbidden)
    most = MAX_LISTED if problem.n_sets == 1 else MAX_CHOSEN_AMONG
    if sum(math.comb(usable, size) for size in problem.sizes) <= most:
        yield _by_listing
    if first_engine != MilpEngine.name and MilpEngine().declines(quality, problem) is None:
        yield lambda *asked: _by_engine(MilpEngine.name, *asked)
    elif first_engine == MilpEngine.name and quality.has_form:
        yield lambda *asked: _by_engine("auto", *asked)


def _by_engine(name: str, quality: Quality, problem: Problem, run: Run) -> Opinion:
    try:
        with run:
            # Each question has a run of its own, with numbers of its own for features.
            found = solve(quality, problem, run.turn(), name)
    except AltsetsError as error:
        return Opinion(reason=f"the engine {name!r} failed ({error})")
    if found.status is Status.INFEASIBLE:
        return Opinion(bound=-math.inf)
    objective = found.objective if found.sets else -math.inf
    reason = "" if found.status is Status.OPTIMAL else f"the engine {found.engine!r} did not finish in time"
    return Opinion(found.sets, objective, found.bound, reason)


def _by_listing(quality: Quality, problem: Problem, run: Run) -> Opinion:
    """Try every combination of features, and of sets where several are sought."""
    values: dict[FeatureSet, float] = {}
    alone = problem if problem.n_sets == 1 else _without_joint(problem, 0)
    usable = sorted(set(range(problem.n_features_in)).difference(problem.forbidden))
    for size in problem.sizes:
        for chosen in itertools.combinations(usable, size):
            if run.stopped:
                return Opinion(reason="listing all sets took too long")
            found = _accepted(quality.evaluate, alone, [chosen])
            if found is not None:
                values[chosen] = found[0]
    best = _best_together(problem, values, run)
    if best is None:
        return Opinion(reason="trying all combinations of sets took too long")
    if not best:
        return Opinion(bound=-math.inf)
    objective = problem.objective([values[one] for one in best], best)
    return Opinion(best, objective, objective)


def _without_joint(problem: Problem, n_alternatives: int) -> Problem:
    """What one set, or two, have to meet whatever the other sets are."""
    alone = tuple(one for one in problem.constraints if not one.joint_rules())
    return replace(problem, n_alternatives=n_alternatives, constraints=alone, max_spread=None)


def _accepted(
    evaluate: Callable[[FeatureSet], float], problem: Problem, sets: Sequence[FeatureSet]
) -> list[float] | None:
    """The qualities of sets that meet the definitions; None if they do not."""
    try:
        return verify(problem, sets, evaluate, math.inf)
    except (VerificationError, InputError):
        return None


def _best_together(problem: Problem, values: dict[FeatureSet, float], run: Run) -> list[FeatureSet] | None:
    """The best sets that go together, by depth-first search from the best set down; None if it takes too long.

    Sets are taken in the order of their values, so that the next value bounds all that follow.
    """
    order = sorted(values, key=lambda one: -values[one])
    pair = replace(_without_joint(problem, 1), existing=())

    @cache
    def go_together(one: int, other: int) -> bool:
        return _accepted(values.__getitem__, pair, [order[one], order[other]]) is not None

    best: list[FeatureSet] = []
    best_value = -math.inf

    def extend(chosen: list[int], start: int) -> bool:
        nonlocal best, best_value
        if len(chosen) == problem.n_sets:
            sets = [order[number] for number in chosen]
            found = _accepted(values.__getitem__, problem, sets)
            value = -math.inf if found is None else problem.objective(found, sets)
            if value > best_value:
                best, best_value = sets, value
            return True
        for number in range(start, len(order)):
            if run.stopped:
                return False
            left = problem.n_sets - len(chosen)
            reach = [values[order[one]] for one in chosen] + [values[order[number]]] * left
            if problem.objective(reach) <= best_value:
                return True
            if all(go_together(one, number) for one in chosen) and not extend(
                [*chosen, number], again(number)
            ):
                return False
        return True

    def again(number: int) -> int:
        return number if problem.n_sets > 1 and go_together(number, number) else number + 1

    return best if extend([], 0) else None
