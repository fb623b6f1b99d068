"""Exhaustive engine: evaluate every set, the only way to prove anything about a black box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.result import Status
from altsets.search.black_box.evaluations import Evaluations, declines_numbers, finish
from altsets.search.engine import Answer
from altsets.search.packing.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.run import Run, Stopped
from altsets.search.sequential import sequential
from altsets.search.subset.candidates import Anything
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

#: Sets that are listed at most: more take long to list, let alone to evaluate.
MAX_SETS = 2_000_000
TOO_MANY = f"it evaluates every set, and there are more than {MAX_SETS:,} of them or they are hard to list"
#: Nodes of the listing for each set that it may hold: tight rules can make a short list take long.
NODES_PER_SET = 20
#: Nodes for picking compatible sets from the list: as good as no limit, the clock is what ends it.
EXHAUSTIVE_PICK_NODES = 10**12
#: Sets of the list that are handed to the black box at a time.
BLOCK = 1_000
#: Sets of a search that was cut short from which the best are picked, and seconds for that after its end.
MAX_KNOWN_WHEN_CUT_SHORT = 10_000
GRACE_SECONDS = 0.1
#: Sets that are looked at between two looks at the clock.
TICK_EVERY = 100


class ExhaustiveEngine:
    """All valid sets are listed and evaluated; then the best ones that go together are picked."""

    name = "exhaustive"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None; some are found only when listing the sets."""
        reason = declines_numbers(quality, problem)
        return TOO_MANY if reason is None and _counted(problem, MAX_SETS) is False else reason

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Evaluate all sets, or as many as time allows."""
        pricing, listing = all_sets(problem, run, MAX_SETS)
        if not listing.complete and not run.stopped:
            raise UnsupportedError(f"engine {self.name!r} does not solve this: {TOO_MANY}.")
        evaluations = Evaluations(quality, problem, run)
        _evaluate_all(listing, evaluations)
        known = evaluations.known
        complete = listing.complete and len(known) == len(listing)
        if complete:
            # They were evaluated in the order of the list; those that are not finite are ruled out.
            values = np.fromiter(known.values(), dtype=np.float64, count=len(known))
            listing = listing.valued(values).only(np.isfinite(values))
        else:
            listing = listing_of(known, pricing, MAX_KNOWN_WHEN_CUT_SHORT)
        choice = _Choice(problem, listing, known, complete, run)
        answer = choice.in_turn() if problem.search == "sequential" else choice.together(pricing)
        # Unlike a heuristic it is done when it has proven something.
        return replace(finish(answer, evaluations), finished=False)


def _evaluate_all(listing: Listing, evaluations: Evaluations) -> None:
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


class _Choice:
    """Chooses among evaluated sets; ``complete`` says whether the listing holds all sets that are not ruled out."""

    def __init__(
        self, problem: Problem, listing: Listing, known: dict[FeatureSet, float], complete: bool, run: Run
    ) -> None:
        self._problem, self._listing, self._known, self._complete = problem, listing, known, complete
        self._run = run
        self._proof = f"all {len(known)} sets evaluated" if complete else "not all sets evaluated"

    def in_turn(self) -> Answer:
        """The best set again and again, given those before."""
        listing, problem, unknown = self._listing, self._problem, math.inf
        order = np.argsort(-listing.qualities, kind="stable")
        values: dict[FeatureSet, float] = {}
        # What was evaluated before time was up is to be made use of.
        clock = Run(GRACE_SECONDS) if self._run.stopped else self._run

        def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
            before = others[len(problem.existing) :]
            for place, number in enumerate(order):
                chosen = listing.set_at(int(number))
                if all(problem.compatible(chosen, other) for other in before):
                    values[chosen] = float(listing.qualities[number])
                    return chosen, values[chosen] if self._complete else unknown
                if place % TICK_EVERY == 0 and clock.tick():
                    return None, unknown
            return None, -math.inf if self._complete else unknown

        return sequential(problem, clock, next_set, values.__getitem__, self._proof)

    def together(self, pricing: PricingOracle) -> Answer:
        """The largest sum or minimum of compatible sets."""
        problem, listing, run, complete = self._problem, self._listing, self._run, self._complete
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
            search = CliqueSearch(pricing, run)
            sets, finished = best_compatible(search, listing, EXHAUSTIVE_PICK_NODES)
        proven = complete and finished
        if not sets:
            return Answer.without_sets(problem, -math.inf if proven else math.inf, self._proof)
        bound = math.inf
        if proven:
            bound = problem.objective([self._known[one] for one in sets])
        elif complete:
            bound = problem.objective([float(np.max(listing.qualities))] * problem.n_sets)
        return Answer.simultaneous(problem, sets, bound, self._proof, proven=proven)
