"""What all engines for black boxes share: evaluations within a budget, initial sets, and how a search ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from altsets.errors import InputError, warn_user
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, BlackBox, Quality
from altsets.result import Status
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.engine import Answer, Engine
from altsets.search.milp.engine import best_set
from altsets.search.packing.engine import PackingEngine
from altsets.search.run import Run
from altsets.search.sequential import sequential
from altsets.search.subset.candidates import Anything
from altsets.search.subset.pricing import PricingOracle

#: Sets that are evaluated before the search looks at what came out, where several can be evaluated at a time.
PARALLEL_SETS = 8
#: Nodes in which a valid set should be found, before the integer-programming solver is asked.
INITIAL_SET_NODES = 200_000

#: (a valid solution, sets it has to differ from) -> one that is no worse
Improve = Callable[[Sequence[FeatureSet], Sequence[FeatureSet]], Sequence[FeatureSet]]


class Evaluations:
    """The sets that a search has asked for, with their qualities: ``most`` of them in one search, ``left`` by now.

    What a black box remembers from earlier searches saves time, but changes no answer: it counts like any other set.
    A ``failure`` of the black box ends the search.
    """

    def __init__(self, quality: BlackBox, problem: Problem, run: Run, most: float = math.inf) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self._most = self.left = most
        self.known: dict[FeatureSet, float] = {}
        self.failure: InputError | None = None

    @property
    def at_a_time(self) -> int:
        """How many sets are evaluated before the search looks at what came out."""
        return 1 if self.quality.n_jobs in (None, 1) else PARALLEL_SETS

    @property
    def over(self) -> bool:
        """Whether nothing more will be evaluated."""
        return self.left <= 0 or self.failure is not None or self.run.stopped

    def refill(self) -> None:
        """Begin another search, which knows what the ones before it have asked."""
        self.left = self._most

    def ask(self, sets: Sequence[FeatureSet], *, at_once: bool = False) -> None:
        """Evaluate sets in this order, as far as it goes; ``at_once``: even if time is up, for a first answer."""
        new = [one for one in dict.fromkeys(sets) if one not in self.known]
        while new and self.failure is None and (at_once or (self.left > 0 and not self.run.tick())):
            some = new[: self.at_a_time if at_once else int(min(self.at_a_time, self.left))]
            del new[: len(some)]
            try:
                values = self.quality.evaluate_many(some)
            except InputError as error:
                self.failure = error
                # In their order up to the one that failed, however many there were at a time.
                values = [self.quality.evaluate(one) for one in itertools.takewhile(self.quality.knows, some)]
            self.known.update(zip(some, values, strict=False))
            self.left -= len(values)

    def objective(self, sets: Sequence[FeatureSet]) -> float:
        """Sum or minimum of the sets, as asked; nan if one of them is not known."""
        if not all(one in self.known for one in sets):
            return math.nan
        return self.problem.objective([self.known[one] for one in sets])


class InitialSets:
    """Finds valid sets in the order of their features."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self._anything = Anything.among(problem.n_features_in)
        self._pricing = PricingOracle(self._anything, problem, run)

    def one(self, others: Sequence[FeatureSet] = ()) -> tuple[FeatureSet | None, bool]:
        """A set that differs enough from others; if there is none, whether that is proven."""
        own = callable(self.problem.dissimilarity)
        found = self._pricing.k_best(1, others=others, max_nodes=2**62 if own else INITIAL_SET_NODES)
        if found.sets:
            return found.sets[0], False
        if found.bound == -math.inf or own or self.run.stopped:
            return None, found.bound == -math.inf
        chosen, bound = best_set(self._anything, self.problem, [*self.problem.existing, *others], self.run)
        return chosen, bound == -math.inf

    def all(self) -> Answer:
        """As many sets as asked: one after the other if that works out, else from the exact engines."""
        sets: list[FeatureSet] = []
        while len(sets) < self.problem.n_sets and not self.run.stopped:
            chosen, _ = self.one(sets)
            if chosen is None:
                break
            sets.append(chosen)
        if len(sets) == self.problem.n_sets:
            return Answer.simultaneous(self.problem, sets, math.inf, "", proven=False)
        equal_scores = Additive(np.zeros(self.problem.n_features_in))
        asked = replace(self.problem, aggregation="sum")
        declined = AdditiveEngine().declines(equal_scores, asked) is not None
        engine: Engine = PackingEngine() if declined else AdditiveEngine()
        return engine.solve(equal_scores, asked, self.run.part())


def declines_numbers(quality: Quality, problem: Problem) -> str | None:
    """Decline qualities with numbers, which exact engines solve with proof."""
    if quality.has_form:
        return f"it is for black boxes, and {type(quality).__name__} has numbers that exact engines read"
    if problem.search not in ("sequential", "simultaneous"):
        return f"it does not do search={problem.search!r}; use 'sequential' or 'simultaneous'"
    return None


def search_sets(problem: Problem, evaluations: Evaluations, improve: Improve, proof: str) -> Answer:
    """One set after the other or all at once, as asked; ``improve`` does the searching."""
    if not problem.sizes:
        return Answer.infeasible(problem, "constraints on the size contradict each other")
    search = _sequential if problem.search == "sequential" else _simultaneous
    return finish(search(problem, evaluations, improve, proof), evaluations)


def finish(answer: Answer, evaluations: Evaluations) -> Answer:
    """The answer of a heuristic; a failure of the black box is reported, and raised if there is no set."""
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


def _sequential(problem: Problem, evaluations: Evaluations, improve: Improve, proof: str) -> Answer:
    initial_sets = InitialSets(problem, evaluations.run)

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


def _simultaneous(problem: Problem, evaluations: Evaluations, improve: Improve, proof: str) -> Answer:
    first = InitialSets(problem, evaluations.run).all()
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
