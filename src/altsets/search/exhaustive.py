"""Evaluate every set there is: the one way to prove anything about a black box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Form, Quality
from altsets.result import Status
from altsets.search.compatible import best_compatible
from altsets.search.engine import Answer
from altsets.search.evaluations import Evaluations
from altsets.search.existence import Anything
from altsets.search.good_sets import GoodSets, Listing
from altsets.search.picking import Picker
from altsets.search.run import Run
from altsets.search.sequential import sequential
from altsets.search.validity import Validity
from altsets.search.wrapper import declines_numbers, ended

__all__ = ["ExhaustiveEngine", "all_sets", "at_most"]

Floats = npt.NDArray[np.float64]

#: No more sets are listed, and so many steps for picking from the list.
MOST_SETS, MOST_STEPS = 2_000_000, 10**12
#: Rules may be so tight that a list takes long without getting long; then it is given up.
STEPS_PER_SET = 20


class ExhaustiveEngine:
    """All valid sets are listed and evaluated; then the best ones that go together are picked."""

    name = "exhaustive"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        reason = declines_numbers(quality, problem)
        if reason is None and not at_most(problem, MOST_SETS):
            return f"it evaluates every set, and there are more than {MOST_SETS:,} of them or they are hard to list"
        return reason

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Evaluate all sets, or as many as time allows."""
        good, listing = all_sets(problem, run, MOST_SETS)
        evaluations = Evaluations(quality, problem, run)
        sets = [listing.set_at(number) for number in range(len(listing))]
        evaluations.ask(sets[:1], at_once=True)
        evaluations.ask(sets)
        values = np.array([evaluations.known.get(one, -math.inf) for one in sets])
        complete = listing.complete and len(evaluations.known) == len(sets)
        proof = f"all {len(sets)} sets evaluated" if complete else "not all sets evaluated"
        search = _in_turn if problem.search == "sequential" else _together
        answer = search(problem, good, _finite(listing, values), complete, proof, run)
        # Unlike a heuristic it is done when it has proven something.
        return replace(ended(answer, evaluations), finished=False)


def at_most(problem: Problem, most: int) -> bool:
    """Whether there are no more than so many valid sets."""
    usable = problem.n_features_in - len(problem.forbidden)
    if not problem.constraints and not problem.existing:
        return math.comb(usable, problem.n_features) <= most
    if all(math.comb(usable, size) <= most / 8 for size in problem.sizes) and len(problem.sizes) <= 8:
        return True
    _, listing = all_sets(problem, Run(), most)
    return listing.complete


def all_sets(problem: Problem, run: Run, most: int) -> tuple[GoodSets, Listing]:
    """All valid sets, complete if they are no more than so many."""
    anything = Anything(Form(np.zeros(problem.n_features_in)))
    # With as many sets as features, no feature is left out as being like others.
    everything = replace(problem, n_alternatives=max(problem.n_features_in, problem.n_alternatives))
    listing = GoodSets(anything, everything, run).above(
        -math.inf, most, max_nodes=STEPS_PER_SET * (most + 1000)
    )
    return GoodSets(anything, problem, run), listing


def _finite(listing: Listing, values: Floats) -> Listing:
    """The sets that were evaluated and are not ruled out, with their qualities."""
    kept, rows, start = np.isfinite(values), [], 0
    for block in listing.rows:
        rows.append(block[kept[start : start + len(block)]])
        start += len(block)
    return Listing(rows, values[kept], values[kept], listing.complete)


def _in_turn(
    problem: Problem, good: GoodSets, listing: Listing, complete: bool, proof: str, run: Run
) -> Answer:
    """The best set again and again, given those before."""
    order = np.argsort(-listing.qualities, kind="stable").tolist()
    ranked = [(listing.set_at(number), float(listing.qualities[number])) for number in order]
    validity = Validity(problem)

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        before = [frozenset(other) for other in others[len(problem.existing) :]]
        for chosen, value in ranked:
            if all(validity.apart(frozenset(chosen), other) for other in before):
                return chosen, value if complete else math.inf
        return None, -math.inf if complete else math.inf

    return sequential(problem, run, next_set, dict(ranked).__getitem__, proof)


def _together(
    problem: Problem, good: GoodSets, listing: Listing, complete: bool, proof: str, run: Run
) -> Answer:
    """The largest sum or minimum of compatible sets."""
    n_sets, smallest = problem.n_sets, problem.aggregation == "min"
    if not complete or not len(listing) or _may_be_equal(problem):
        # The best in turn: where equal sets are allowed, that is the best one again and again.
        found = _in_turn(problem, good, listing, complete, proof, Run())
        sets, finished = list(found.sets) if len(found.sets) == n_sets else [], True
    else:
        sets, finished = best_compatible(Picker(good, run), listing, MOST_STEPS)
    proven = complete and finished
    if not sets:
        status = Status.INFEASIBLE if proven else Status.NOT_FOUND
        return Answer([], [status] * n_sets, -math.inf if proven else math.inf, proof)
    known = {listing.set_at(number): float(value) for number, value in enumerate(listing.qualities)}
    value = problem.objective([known[one] for one in sets])
    top = float(np.max(listing.qualities))
    bound = value if proven else (top if smallest else n_sets * top) if complete else math.inf
    return Answer(sets, [Status.OPTIMAL if proven else Status.FEASIBLE] * n_sets, bound, proof)


def _may_be_equal(problem: Problem) -> bool:
    """Whether a set may be taken again and again."""
    if callable(problem.dissimilarity):
        return problem.tau == 0
    return problem.max_overlap_of(problem.k_max, problem.k_max) >= problem.k_max
