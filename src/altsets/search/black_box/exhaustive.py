"""Evaluate every set there is: the one way to prove anything about a black box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Form, Quality
from altsets.result import Status
from altsets.search.black_box.evaluations import Evaluations
from altsets.search.black_box.feasibility import Feasibility
from altsets.search.black_box.greedy_wrapper import declines_numbers, ended
from altsets.search.engine import Answer
from altsets.search.packing.clique_search import CliqueSearch, best_compatible, listing_of
from altsets.search.run import Run, Stopped
from altsets.search.sequential import sequential
from altsets.search.subset.any_set import Anything
from altsets.search.subset.pricing import Listing, PricingOracle

__all__ = ["ExhaustiveEngine", "all_sets", "at_most"]

#: No more sets are listed, and so many steps for picking from the list.
MOST_SETS, MOST_STEPS = 2_000_000, 10**12
#: Rules may be so tight that a list takes long without getting long; then it is given up.
STEPS_PER_SET = 20
#: Sets that are made of a list at a time; and those of a search cut short from which the best are picked.
AT_ONCE, MOST_KNOWN = 1_000, 10_000
#: Sets that are looked at between two looks at the clock.
LOOK_EVERY = 100
#: Seconds after the end of a search that was cut short, to pick from what was evaluated.
GRACE = 0.1

TOO_MANY = f"it evaluates every set, and there are more than {MOST_SETS:,} of them or they are hard to list"


class ExhaustiveEngine:
    """All valid sets are listed and evaluated; then the best ones that go together are picked."""

    name = "exhaustive"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None; some are found only when listing the sets."""
        reason = declines_numbers(quality, problem)
        if reason is None and _counted(problem, MOST_SETS) is False:
            return TOO_MANY
        return reason

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Evaluate all sets, or as many as time allows."""
        pricing, listing = all_sets(problem, run, MOST_SETS)
        if not listing.complete and not run.stopped:
            raise UnsupportedError(f"engine {self.name!r} does not solve this: {TOO_MANY}.")
        evaluations = Evaluations(quality, problem, run)
        evaluations.ask([listing.set_at(number) for number in range(len(listing))[:1]], at_once=True)
        for start in range(0, len(listing), AT_ONCE):
            if evaluations.over:
                break
            numbers = range(start, min(start + AT_ONCE, len(listing)))
            evaluations.ask([listing.set_at(number) for number in numbers])
        known = evaluations.known
        complete = listing.complete and len(known) == len(listing)
        proof = f"all {len(known)} sets evaluated" if complete else "not all sets evaluated"
        finite = _finite(listing, known) if complete else listing_of(known, pricing, MOST_KNOWN)
        if problem.search == "sequential":
            answer = _in_turn(problem, finite, complete, proof, run)
        else:
            answer = _together(problem, pricing, finite, known, complete, proof, run)
        # Unlike a heuristic it is done when it has proven something.
        return replace(ended(answer, evaluations), finished=False)


def at_most(problem: Problem, most: int, run: Run) -> bool:
    """Whether there are no more than so many valid sets; false also if there is no time to find out."""
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
    """All valid sets, complete if they are no more than so many."""
    anything = Anything(Form(np.zeros(problem.n_features_in)))
    # With as many sets as features, no feature is left out as being like others.
    everything = replace(problem, n_alternatives=max(problem.n_features_in, problem.n_alternatives))
    listing = PricingOracle(anything, everything, run).all_above(
        -math.inf, most, max_nodes=STEPS_PER_SET * (most + 1000)
    )
    return PricingOracle(anything, problem, run), listing


def _finite(listing: Listing, known: dict[FeatureSet, float]) -> Listing:
    """The sets of a list that are not ruled out, with their qualities; they were evaluated in its order."""
    values = np.fromiter(known.values(), dtype=np.float64, count=len(known))
    kept, rows, start = np.isfinite(values), [], 0
    for block in listing.rows:
        rows.append(block[kept[start : start + len(block)]])
        start += len(block)
    return Listing(rows, values[kept], values[kept], listing.complete)


def _in_turn(problem: Problem, listing: Listing, complete: bool, proof: str, run: Run) -> Answer:
    """The best set again and again, given those before."""
    order = np.argsort(-listing.qualities, kind="stable")
    validity = Feasibility(problem)
    values: dict[FeatureSet, float] = {}
    # What was evaluated before time was up is to be made use of.
    clock = Run(GRACE) if run.stopped else run

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        before = [frozenset(other) for other in others[len(problem.existing) :]]
        for place, number in enumerate(order):
            chosen = listing.set_at(int(number))
            if all(validity.apart(frozenset(chosen), other) for other in before):
                values[chosen] = float(listing.qualities[number])
                return chosen, values[chosen] if complete else math.inf
            if place % LOOK_EVERY == 0 and clock.tick():
                return None, math.inf
        return None, -math.inf if complete else math.inf

    return sequential(problem, clock, next_set, values.__getitem__, proof)


def _together(
    problem: Problem,
    pricing: PricingOracle,
    listing: Listing,
    known: dict[FeatureSet, float],
    complete: bool,
    proof: str,
    run: Run,
) -> Answer:
    """The largest sum or minimum of compatible sets."""
    n_sets, max_min = problem.n_sets, problem.aggregation == "min"
    if not complete or not len(listing) or _may_be_equal(problem) or run.stopped:
        # The best in turn: where equal sets are allowed, that is the best one again and again.
        found = _in_turn(problem, listing, complete, proof, run)
        sets = list(found.sets) if len(found.sets) == n_sets else []
        finished = not run.stopped or _may_be_equal(problem)
    else:
        sets, finished = best_compatible(CliqueSearch(pricing, run), listing, MOST_STEPS)
    proven = complete and finished
    if not sets:
        status = Status.INFEASIBLE if proven else Status.NOT_FOUND
        return Answer([], [status] * n_sets, -math.inf if proven else math.inf, proof)
    value = problem.objective([known[one] for one in sets])
    top = float(np.max(listing.qualities))
    bound = value if proven else (top if max_min else n_sets * top) if complete else math.inf
    return Answer(sets, [Status.OPTIMAL if proven else Status.FEASIBLE] * n_sets, bound, proof)


def _may_be_equal(problem: Problem) -> bool:
    """Whether a set may be taken again and again."""
    if callable(problem.dissimilarity):
        return problem.tau == 0
    return problem.max_overlap_of(problem.k_max, problem.k_max) >= problem.k_max
