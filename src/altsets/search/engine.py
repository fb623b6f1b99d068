"""The engine protocol: declare what can be solved, and solve it; answers, and what follows from known facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from altsets.constraints import Constraint
from altsets.constraints.base import CountRule, SizeRule
from altsets.dissimilarity import Matched
from altsets.measures.redundancy import Conflicts
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.result import Shortlist, Status, StopReason, optimality_tolerance
from altsets.search.run import Known, Run
from altsets.wording import join_words, parameter

#: What engines call proven, in their numbers of order one: a bound no further above the value than this.
PROVEN = optimality_tolerance(0.5)
#: The same inside a search, which leaves the other half for the rounding of the value itself.
CLOSED = PROVEN / 2
#: A part of a search that comes so close to its target has reached it: parts add up, so less than that.
REACHED = PROVEN / 4
#: What takes every definition, in words.
EXACT_SEARCH = "sequential or simultaneous search with a quality in numbers"
#: Thresholds are lower by so many times the tolerance of single sets, as each is a difference of three rounded numbers.
ROUNDED = 4


@dataclass(frozen=True)
class Answer:
    """The answer of an engine: sets, one status per requested set, a bound and the argument behind it."""

    sets: Sequence[FeatureSet]
    statuses: Sequence[Status]
    bound: float
    proof: str
    #: For heuristics that ran to their end; an exact engine has finished if everything is proven.
    finished: bool = False
    #: Evaluations of a black box.
    evaluated: int = 0
    #: Solutions that the greedy wrapper asked for.
    iterations: int = 0
    #: What was looked through of a wide table.
    shortlist: Shortlist | None = None

    @classmethod
    def infeasible(cls, problem: Problem, proof: str) -> Answer:
        """It is proven that there are no such sets."""
        return cls.without_sets(problem, -math.inf, proof)

    @classmethod
    def without_sets(cls, problem: Problem, bound: float, proof: str) -> Answer:
        """No sets: proven not to exist if the bound is minus infinity, else not found."""
        status = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        return cls([], [status] * problem.n_sets, bound, proof)

    @classmethod
    def simultaneous(
        cls, problem: Problem, sets: Sequence[FeatureSet], bound: float, proof: str, *, proven: bool
    ) -> Answer:
        """All sets at once, which are proven best together or not; without sets as :meth:`without_sets`."""
        if not sets:
            return cls.without_sets(problem, bound, proof)
        return cls(sets, [Status.OPTIMAL if proven else Status.FEASIBLE] * problem.n_sets, bound, proof)

    def stop_reason(self, run: Run) -> StopReason:
        """Why the search ended."""
        if all(status in (Status.OPTIMAL, Status.INFEASIBLE) for status in self.statuses):
            return StopReason.FINISHED
        return StopReason.FINISHED if self.finished and not run.stopped else run.stop_reason


class Engine(Protocol):
    """Stateless: a problem in, an answer out; gets the qualities that it does not decline."""

    name: str

    def declines(self, quality: Any, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        ...

    def solve(self, quality: Any, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted; always return the best found and a valid bound."""
        ...


def answer_from_known(quality: Quality, problem: Problem, known: Known) -> Answer | None:
    """The answer that follows from what is known, without any search; None if it takes one."""
    if known.bound == -math.inf:
        return Answer.infeasible(problem, known.proof)
    # Of equal minima the larger sum is better, which only a search can tell.
    if not known.sets or problem.aggregation == "min":
        return None
    value = _objective(quality, problem, known.sets)
    if known.bound - value > PROVEN:
        return None
    return Answer.simultaneous(problem, known.sets, max(known.bound, value), known.proof, proven=True)


def merge_known(quality: Quality, problem: Problem, answer: Answer, known: Known) -> Answer:
    """The better sets and the lower bound of an unproven answer and of what was known before."""
    is_open = any(status in (Status.FEASIBLE, Status.NOT_FOUND) for status in answer.statuses)
    if not is_open or (not known.sets and known.bound >= answer.bound):
        return answer
    sets = max((answer.sets, known.sets), key=lambda some: _objective(quality, problem, some))
    value = _objective(quality, problem, sets)
    bound, proof = min((answer.bound, answer.proof), (known.bound, known.proof))
    known_now = Answer.simultaneous(problem, sets, bound, proof, proven=bound - value <= PROVEN)
    return replace(
        known_now,
        bound=max(bound, value),
        finished=answer.finished,
        evaluated=answer.evaluated,
        iterations=answer.iterations,
    )


def _objective(quality: Quality, problem: Problem, sets: Sequence[FeatureSet]) -> float:
    if not sets:
        return -math.inf
    return problem.objective([quality.evaluate(chosen) for chosen in sets], sets)


def declines_heuristics(problem: Problem) -> str | None:
    """Decline heuristic searches, for exact engines."""
    if problem.search in ("sequential", "simultaneous"):
        return None
    return f"it is exact and does not do {parameter('search', problem.search)}"


def declines_joint(problem: Problem, who: str = "it", knows: str = EXACT_SEARCH) -> str | None:
    """Decline definitions beyond good sets that are pairwise different, and say what knows them."""
    if problem.is_plain:
        return None
    named = join_words(problem.further, "or")
    return f"{who} takes no {named}; {knows} does"


def on_demand(quality: Quality, problem: Problem) -> bool:
    """Whether a search would need all pairs of features of a wide table, which are computed on demand."""
    kind = problem.dissimilarity
    return (
        quality.pairs_on_demand
        or isinstance(problem.conflicts, Conflicts)
        or (isinstance(kind, Matched) and kind.on_demand and problem.search == "simultaneous")
    )


def declines_black_box(quality: Quality, problem: Problem) -> str | None:
    """Decline black boxes, for engines that read feature scores, and wide tables, for those that need all pairs."""
    if on_demand(quality, problem):
        return f"it needs all pairs of the {quality.n_features_in:,} features, which are computed on demand"
    if quality.has_form:
        return None
    return f"it reads the numbers behind a quality, and {type(quality).__name__} has none"


def declines_checks(problem: Problem) -> str | None:
    """Decline constraints that have to be asked about each complete set."""
    if not problem.rules.are_asked:
        return None
    return f"it takes conditions in numbers only, not {parameter('Custom')}"


def forbids_only(constraint: Constraint) -> bool:
    """Whether a constraint forbids features and does nothing else."""
    rules = constraint.rules()
    return not constraint.is_asked and all(isinstance(rule, CountRule) and rule.forbids for rule in rules)


def counts_only(constraint: Constraint) -> bool:
    """Whether a constraint is about how many features of a group a set has."""
    return not constraint.is_asked and all(isinstance(rule, CountRule) for rule in constraint.rules())


def declines_extras(
    quality: Quality,
    problem: Problem,
    taken: Callable[[Constraint], bool] = forbids_only,
    known: Sequence[str] = ("Forbid",),
    who: str = "it",
) -> str | None:
    """Decline what goes beyond additive quality, sets of one size and the constraints ``taken``, named ``known``."""
    if not isinstance(quality, Additive):
        return f"{who} takes additive quality only, not {type(quality).__name__}"
    if callable(problem.dissimilarity):
        return f"{who} takes dice or jaccard dissimilarity only"
    if not problem.fixed_size:
        return f"{who} takes sets of one size only"
    for constraint in problem.constraints:
        # A constraint on the size that leaves one size says no more than n_features does.
        rules = (*constraint.rules(), *constraint.joint_rules())
        is_size = not constraint.is_asked and all(isinstance(rule, SizeRule) for rule in rules)
        if not is_size and not taken(constraint):
            names = ", ".join(map(parameter, known))
            return f"{who} takes no constraints but {names}, and not {constraint.title}"
    return None
