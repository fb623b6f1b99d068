"""Lists of the sets in all solutions that come close enough to a bound, and the best cliques in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from altsets.problem import FeatureSet
from altsets.search.engine import REACHED
from altsets.search.simultaneous.clique_search import ReducedCostBudget
from altsets.search.simultaneous.master import DualBound
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.subset.listing import Listing

#: Nodes for making a list; for each set that it may have, if these are more.
LIST_NODES, NODES_PER_SET = 3_000_000, 10

#: The least distance below the bound, in units of what a set can be worth; and the first one without an incumbent.
LEAST_DISTANCE, FIRST_DISTANCE = 1e-12, 1e-3
#: How far below the bound the first list goes, as a part of the gap; and where even a short list takes long.
FIRST_PART, FIRST_PART_OF_SLOW_LISTS = 1 / 32, 1 / 4
#: How many times further below the bound the next list goes, at least and at most: short lists can take as long as
#: longer ones, but the last one should not exceed this part of what is allowed.
SLOW_GROWTH, FAST_GROWTH, PART_OF_LIST = 1.4, 8.0, 1 / 8

#: Where one set of each solution is not listed: how often it is searched for, nodes each time, steps to pick others.
LAST_SETS, LAST_SET_NODES, LAST_SET_STEPS = 100_000, 1_000_000, 1_000_000_000

#: For a larger sum of sets with the largest minimum: sets in a list, and steps of the clique search.
SUM_SETS, SUM_STEPS = 50_000, 200_000


def nodes_for(max_sets: int) -> int:
    """Nodes for a list of so many sets."""
    return max(LIST_NODES, NODES_PER_SET * max_sets)


def list_below_bound(
    search: SimultaneousSearch, dual_bound: DualBound, max_sets: int, max_steps: int
) -> bool:
    """Look for solutions ever further below the bound; false if lists become too long or it takes too long."""
    state, ceiling = search.state, dual_bound.bound
    if not math.isfinite(ceiling):
        return False
    distance = _first_distance(search, ceiling)
    shorter: tuple[float, float] | None = None
    while not state.is_proven:
        target = max((ceiling - distance) / state.share, state.value)
        budget = ceiling - state.share * target
        listing = search.pricing.all_above(
            dual_bound.threshold(budget, search.pricing.tolerance),
            max_sets,
            prices=dual_bound.prices,
            max_nodes=nodes_for(max_sets),
        )
        if not listing.complete or not search.pick(listing, dual_bound, target, max_steps):
            return False
        # Below what any sets can be worth there is nothing left to find.
        nothing = not state.sets and state.share * target < search.lowest
        state.rule_out(-math.inf if nothing else target)
        length = math.log(len(listing) + 1)
        distance = max(
            _next_distance(budget, length, shorter, max_sets), LEAST_DISTANCE * search.pricing.magnitude
        )
        shorter = (budget, length)
    return True


def _first_distance(search: SimultaneousSearch, ceiling: float) -> float:
    """How far below the bound on the sum the first list goes."""
    state = search.state
    part = FIRST_PART_OF_SLOW_LISTS if search.pricing.is_slow else FIRST_PART
    distance = part * (ceiling - state.target) if state.sets else FIRST_DISTANCE * search.pricing.magnitude
    # Down to the bound everything has been searched already.
    return max(distance, SLOW_GROWTH * (ceiling - state.share * state.bound))


def _next_distance(budget: float, length: float, shorter: tuple[float, float] | None, max_sets: int) -> float:
    """How far the next list goes: lists grow with the distance no faster than exponentially."""
    # ``length`` is the logarithm of the last list, ``shorter`` distance and length of the one before.
    distance = FAST_GROWTH * budget
    if shorter is not None and length > shorter[1]:
        longest = math.log(PART_OF_LIST * max_sets)
        distance = budget + (longest - length) * (budget - shorter[0]) / (length - shorter[1])
    return max(min(distance, FAST_GROWTH * budget), SLOW_GROWTH * budget)


def list_to_incumbent(
    search: SimultaneousSearch, max_sets: int, max_steps: int, parts: Sequence[float] = (1.0,)
) -> None:
    """Look for better solutions than the incumbent in lists of the sets that these can have."""
    dual_bound, state = search.dual_bound, search.state
    assert dual_bound is not None
    target = state.value
    budget = dual_bound.bound - state.share * target
    if not math.isfinite(budget):
        return

    def listed(part: float) -> tuple[Listing, ReducedCostBudget]:
        listing = search.pricing.all_above(
            dual_bound.threshold(part * budget, search.pricing.tolerance),
            max_sets,
            prices=dual_bound.prices,
            max_nodes=nodes_for(max_sets),
        )
        least = target if state.max_min else None
        return listing, ReducedCostBudget.of(listing, dual_bound, state.n_sets, least)

    if pick_from_lists(search, listed, budget, target, max_steps, parts) is not None:
        state.rule_out(target)


def pick_from_lists(
    search: SimultaneousSearch,
    listed: Callable[[float], tuple[Listing, ReducedCostBudget]],
    budget: float,
    target: float,
    max_steps: int,
    parts: Sequence[float],
) -> int | None:
    """The best compatible sets above the target, out of how many; None if it takes too long.

    ``listed`` makes the list of all sets that cost a part of the budget at most, and says what they cost.
    """
    state = search.state
    least = target if state.max_min else -math.inf
    for part in parts:
        listing, costs = listed(part)
        if search.run.stopped:
            return None
        if not listing.complete:
            continue
        sets, finished = search.cliques.pick(
            listing, costs, target, max_steps, summing=not state.max_min, least=least
        )
        state.update_incumbent(sets)
        # Two sets beyond half of the budget would exceed it, so of each solution all but one are listed.
        if finished and part < 1.0:
            rest = replace(costs, ceiling=(1 - part) * budget)
            finished = search.cliques.all_but_one(
                listing, rest, LAST_SET_STEPS, _last_set(search), least=least
            )
        if finished:
            return len(listing)
    return None


def _last_set(search: SimultaneousSearch) -> Callable[[Sequence[FeatureSet]], bool]:
    """A search for the best set beside others, as long as it is quick and there have not been too many."""
    state, left = search.state, LAST_SETS

    def complete(given: Sequence[FeatureSet]) -> bool:
        nonlocal left
        left -= 1
        threshold = state.value
        if not state.max_min:
            threshold -= math.fsum(map(search.quality.evaluate, given))
        found = search.pricing.k_best(1, others=given, threshold=threshold, max_nodes=LAST_SET_NODES)
        if found.sets:
            state.update_incumbent([*given, *found.sets])
        return found.bound == -math.inf and left > 0

    return complete


def raise_sum(search: SimultaneousSearch) -> None:
    """Of sets with the largest minimum a larger sum: the largest in a list of moderate length, or a local optimum."""
    dual_bound, state = search.dual_bound, search.state
    if dual_bound is None or not (state.max_min and state.sets):
        return
    total = math.fsum(map(search.quality.evaluate, state.sets))
    listing = search.pricing.all_above(
        dual_bound.threshold(dual_bound.bound - total, search.pricing.tolerance),
        SUM_SETS,
        prices=dual_bound.prices,
        max_nodes=LIST_NODES,
    )
    if listing.complete:
        pick_larger_sum(search, listing, dual_bound)
    elif search.joint is None:
        state.sets = search.local_optimum(state.sets)


def pick_larger_sum(search: SimultaneousSearch, listing: Listing, dual_bound: DualBound) -> None:
    """Sets of a list with a larger sum, none of them worse than the worst of the incumbent."""
    state = search.state
    better, _ = search.cliques.pick(
        listing,
        ReducedCostBudget.of(listing, dual_bound, state.n_sets),
        math.fsum(map(search.quality.evaluate, state.sets)),
        SUM_STEPS,
        summing=True,
        least=state.value - REACHED,
    )
    state.sets = better or state.sets
