"""What engines for black boxes share, and the exhaustive engine, the only way to prove anything about a black box."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from altsets.errors import InputError, UnsupportedError, warn_user
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, BlackBox, Quality
from altsets.result import Status
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.engine import Answer, Engine, declines_joint
from altsets.search.enumeration import EnumerationEngine
from altsets.search.milp.engine import best_set
from altsets.search.run import Run, Stopped
from altsets.search.sequential import SequentialSearch
from altsets.search.simultaneous.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.subset.candidates import Anything
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle
from altsets.wording import parameter

#: Sets that are evaluated before the search looks at what came out, where several can be evaluated at a time.
PARALLEL_SETS = 8
#: Nodes in which a valid set should be found, before the integer-programming solver is used.
INITIAL_SET_NODES = 200_000

#: Sets that are listed at most: more take long to list, let alone to evaluate.
MAX_SETS = 2_000_000
TOO_MANY = f"it evaluates every set, and there are more than {MAX_SETS:,} of them or they are hard to list"
#: Nodes of the listing for each set that it may hold: tight rules can make a short list take long.
NODES_PER_SET = 20
#: Nodes for picking compatible sets from the list: as good as no limit, the clock is what ends it.
EXHAUSTIVE_PICK_NODES = 10**12
#: Sets of the list that are passed to the black box at a time.
BLOCK = 1_000
#: Sets of a search that was cut short from which the best are picked, and seconds for that after its end.
MAX_KNOWN_WHEN_CUT_SHORT = 10_000
GRACE_SECONDS = 0.1
#: Sets that are looked at between two looks at the clock.
TICK_EVERY = 100

#: How much more a search wants sets to be good enough than to be better still.
FAR_BELOW = 1e6

#: (a valid solution, sets it has to differ from) -> one that is no worse
Improve = Callable[[Sequence[FeatureSet], Sequence[FeatureSet]], Sequence[FeatureSet]]


class EvaluationCache:
    """The qualities of the sets that a search evaluated: at most ``most``, ``left`` of them still allowed.

    Values cached from earlier searches save time but count like any other, so they change no answer. A ``failure`` of
    the black box ends the search.
    """

    def __init__(self, quality: BlackBox, problem: Problem, run: Run, most: float = math.inf) -> None:
        #: Without the limit on quality, ``least``: only sets that were evaluated can be compared with it.
        self.problem, self.least = replace(problem, within=None, min_quality=None), problem.min_quality
        self.quality, self.run = quality, run
        self.most = self.left = most
        self.known: dict[FeatureSet, float] = {}
        #: Solutions that the greedy wrapper asked for: iterations in the words of the paper.
        self.iterations = 0
        self.failure: InputError | None = None

    @property
    def at_a_time(self) -> int:
        """How many sets are evaluated before the search looks at what came out."""
        return 1 if self.quality.n_jobs in (None, 1) else PARALLEL_SETS

    @property
    def over(self) -> bool:
        """Whether nothing more will be evaluated."""
        return self.left <= 0 or self.failure is not None or self.run.stopped

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
        """Sum or minimum of the sets, as asked, or far below it; nan if one of them is not known."""
        if not all(one in self.known for one in sets):
            return math.nan
        return self.aim([self.known[one] for one in sets])

    def aim(self, qualities: Sequence[float]) -> float:
        """What a search maximises: the objective, and far less where sets are not good enough."""
        objective = self.problem.objective(qualities)
        if self.least is None:
            return objective
        return objective - FAR_BELOW * math.fsum(max(self.least - quality, 0.0) for quality in qualities)

    def are_good_enough(self, sets: Sequence[FeatureSet]) -> bool:
        """Whether each of these sets, which are known, has the least quality that was asked for."""
        return self.least is None or all(self.known[one] >= self.least for one in sets)


class InitialSets:
    """Finds valid sets in the order of their features."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self._anything = Anything.among(problem.n_features_in)
        self._pricing = PricingOracle(self._anything, problem, run)

    def one(self, others: Sequence[FeatureSet] = ()) -> tuple[FeatureSet | None, bool]:
        """A set that differs enough from others; if there is none, whether that is proven."""
        own = callable(self.problem.dissimilarity) or self.problem.rules.are_asked
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
        engine: Engine = EnumerationEngine() if declined else AdditiveEngine()
        return engine.solve(equal_scores, asked, self.run.part())


def declines_numbers(quality: Quality, problem: Problem) -> str | None:
    """Decline qualities with numbers, which exact engines solve with proof."""
    if quality.has_form:
        return f"it is for black boxes, and {type(quality).__name__} has numbers that exact engines read"
    if problem.search not in ("sequential", "simultaneous"):
        return f"it does not do {parameter('search', problem.search)}; use 'sequential' or 'simultaneous'"
    if problem.search == "simultaneous":
        problem = replace(problem, within=None, min_quality=None)
    return declines_joint(problem)


def search_sets(evaluations: EvaluationCache, improve: Improve, proof: str) -> Answer:
    """One set after the other or all at once, as asked; ``improve`` does the searching."""
    problem = evaluations.problem
    if not problem.sizes:
        return Answer.infeasible(problem, "constraints on the size contradict each other")
    search = _sequential if problem.search == "sequential" else _simultaneous
    return finish(search(problem, evaluations, improve, proof), evaluations)


def finish(answer: Answer, evaluations: EvaluationCache) -> Answer:
    """The answer of a heuristic; a failure of the black box is reported, and raised if there is no set."""
    failure = evaluations.failure
    answer = replace(
        answer,
        finished=failure is None,
        evaluated=len(evaluations.known),
        iterations=evaluations.iterations,
    )
    if failure is None:
        return answer
    if not answer.sets:
        raise failure
    warn_user(f"the search ended early: {failure}")
    return replace(answer, proof=f"ended early, as {failure}".rstrip(".") + f"; {answer.proof}")


def report(evaluations: EvaluationCache, sets: Sequence[FeatureSet], others: Sequence[FeatureSet]) -> None:
    """Tell the run what is best now, besides the sets that were found before."""
    shown = [*others, *sets]
    if evaluations.are_good_enough(shown):
        evaluations.run.publish(shown, evaluations.objective(shown))


def _sequential(problem: Problem, evaluations: EvaluationCache, improve: Improve, proof: str) -> Answer:
    initial_sets = InitialSets(problem, evaluations.run)

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        if evaluations.failure is not None:
            return None, math.inf
        before = others[len(problem.existing) :]
        first, proven = initial_sets.one(before)
        if first is None:
            return None, -math.inf if proven else math.inf
        # Another search, which knows what the ones before it have asked.
        evaluations.left = evaluations.most
        evaluations.ask([first], at_once=True)
        if first not in evaluations.known:
            return None, math.inf
        (found,) = improve([first], before)
        return (found if evaluations.known[found] > -math.inf else None), math.inf

    return SequentialSearch(problem, evaluations.run, next_set, evaluations.known.__getitem__).solve(proof)


def _simultaneous(problem: Problem, evaluations: EvaluationCache, improve: Improve, proof: str) -> Answer:
    first = InitialSets(problem, evaluations.run).all()
    if len(first.sets) < problem.n_sets:
        bound = -math.inf if first.statuses[0] is Status.INFEASIBLE else math.inf
        return Answer.without_sets(problem, bound, first.proof)
    evaluations.ask(first.sets, at_once=True)
    sets: Sequence[FeatureSet] = []
    if evaluations.failure is None:
        report(evaluations, first.sets, ())
        sets = improve(first.sets, ())
    if not sets or not math.isfinite(evaluations.objective(sets)) or not evaluations.are_good_enough(sets):
        sets = []
    return Answer.simultaneous(problem, sets, math.inf, proof, proven=False)


class ExhaustiveEngine:
    """All valid sets are listed and evaluated; then the best ones that go together are picked."""

    name = "exhaustive"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None; some are found only when listing the sets."""
        reason = declines_numbers(quality, problem)
        return TOO_MANY if reason is None and _counted(problem, MAX_SETS) is False else reason

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Evaluate all sets, or as many as time allows."""
        evaluations = EvaluationCache(quality, problem, run)
        problem = evaluations.problem
        pricing, listing = all_sets(problem, run, MAX_SETS)
        if not listing.complete and not run.stopped:
            raise UnsupportedError(f"engine {self.name!r} does not solve this: {TOO_MANY}.")
        _evaluate_all(listing, evaluations)
        known = evaluations.known
        complete = listing.complete and len(known) == len(listing)
        if complete:
            # They were evaluated in the order of the list; those that are not finite are ruled out.
            values = np.fromiter(known.values(), dtype=np.float64, count=len(known))
            good = np.isfinite(values) if evaluations.least is None else values >= evaluations.least
            listing = listing.valued(values).only(good)
        else:
            good_ones = {one: value for one, value in known.items() if evaluations.are_good_enough([one])}
            listing = listing_of(good_ones, pricing, MAX_KNOWN_WHEN_CUT_SHORT)
        choice = _Choice(problem, listing, known, complete, run)
        answer = choice.in_turn() if problem.search == "sequential" else choice.together(pricing)
        # Unlike a heuristic it is done when it has proven something.
        return replace(finish(answer, evaluations), finished=False)


def _evaluate_all(listing: Listing, evaluations: EvaluationCache) -> None:
    """Evaluate all sets in the order of the list, the first one in any case."""
    evaluations.ask([listing.set_at(number) for number in range(len(listing))[:1]], at_once=True)
    for start in range(0, len(listing), BLOCK):
        if evaluations.over:
            break
        evaluations.ask([listing.set_at(number) for number in range(len(listing))[start : start + BLOCK]])


def at_most(problem: Problem, most: int, run: Run) -> bool:
    """Whether there are at most ``most`` valid sets; false also if there is no time to find out."""
    counted = _counted(problem, most)
    if counted is not None:
        return counted
    try:
        return all_sets(problem, run, most)[1].complete
    except Stopped:
        return False


def _counted(problem: Problem, most: int) -> bool | None:
    """The same where a formula tells; None if the sets have to be listed."""
    usable = problem.n_features_in - len(problem.forbidden)
    if not problem.constraints and not problem.existing:
        return math.comb(usable, problem.n_features) <= most
    if all(math.comb(usable, size) <= most / 8 for size in problem.sizes[:8]) and len(problem.sizes) <= 8:
        return True
    return None


def all_sets(problem: Problem, run: Run, most: int) -> tuple[PricingOracle, Listing]:
    """All valid sets; the list is complete if there are at most ``most``."""
    anything = Anything.among(problem.n_features_in)
    # With as many sets as features, no feature is left out as being like others.
    everything = replace(problem, n_alternatives=max(problem.n_features_in, problem.n_alternatives))
    listing = PricingOracle(anything, everything, run).all_above(
        -math.inf, most, max_nodes=NODES_PER_SET * (most + 1000)
    )
    return PricingOracle(anything, problem, run), listing


@dataclass(frozen=True)
class _Choice:
    """Chooses among evaluated sets; ``complete`` says whether the listing holds all sets that are not ruled out."""

    problem: Problem
    listing: Listing
    known: dict[FeatureSet, float]
    complete: bool
    run: Run

    @property
    def proof(self) -> str:
        return f"all {len(self.known)} sets evaluated" if self.complete else "not all sets evaluated"

    def in_turn(self) -> Answer:
        """The best set again and again, given those before."""
        listing, problem, unknown = self.listing, self.problem, math.inf
        order = np.argsort(-listing.qualities, kind="stable")
        values: dict[FeatureSet, float] = {}
        # What was evaluated before time was up is used.
        clock = self.run
        if clock.stopped:
            clock = Run(GRACE_SECONDS)
            clock.require(self.run.least, self.run.refuted_below)

        def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
            before = others[len(problem.existing) :]
            for place, number in enumerate(order):
                chosen = listing.set_at(int(number))
                if all(problem.compatible(chosen, other) for other in before):
                    values[chosen] = float(listing.qualities[number])
                    return chosen, values[chosen] if self.complete else unknown
                if place % TICK_EVERY == 0 and clock.tick():
                    return None, unknown
            return None, -math.inf if self.complete else unknown

        return SequentialSearch(problem, clock, next_set, values.__getitem__).solve(self.proof)

    def together(self, pricing: PricingOracle) -> Answer:
        """The largest sum or minimum of compatible sets."""
        problem, listing, run, complete = self.problem, self.listing, self.run, self.complete
        repeatable = problem.may_repeat
        if not complete or not len(listing) or repeatable or run.stopped:
            # The best in turn: where equal sets are allowed, that is the best one again and again.
            found = self.in_turn()
            sets = list(found.sets) if len(found.sets) == problem.n_sets else []
            # What was only not found in time is no proof.
            finished = found.statuses[0] is Status.INFEASIBLE or (
                repeatable and all(status is Status.OPTIMAL for status in found.statuses)
            )
        else:
            search = CliqueSearch(pricing)
            sets, finished = best_compatible(search, listing, EXHAUSTIVE_PICK_NODES)
        proven = complete and finished
        if not sets:
            return Answer.without_sets(problem, -math.inf if proven else math.inf, self.proof)
        bound = math.inf
        if proven:
            bound = problem.objective([self.known[one] for one in sets])
        elif complete:
            bound = problem.objective([float(np.max(listing.qualities))] * problem.n_sets)
        return Answer.simultaneous(problem, sets, bound, self.proof, proven=proven)
