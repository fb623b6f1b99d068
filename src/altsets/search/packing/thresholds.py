"""The largest minimum by thresholds, from the bound down: how many compatible sets are there above them?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from altsets.search.packing.clique_search import ReducedCostBudget
from altsets.search.packing.threshold_master import LEAST, ThresholdBound, ThresholdMaster

if TYPE_CHECKING:
    from altsets.search.packing.search import SetPackingSearch

__all__ = ["raise_thresholds"]

#: What sums of prices may be off, where sets are listed by what they pay.
SLACK = 1e-9


def raise_thresholds(search: SetPackingSearch, patience: int) -> None:
    """Refute thresholds by bisection, then look through the sets above those that remain, ever further down."""
    state, limits = search.state, search.limits
    if not np.isfinite(state.bound):
        return
    master = ThresholdMaster(search.pricing, state.n_sets, search.most_shared, search.run, patience, limits)
    master.add([*state.sets, *search.master.sets])
    n_steps = limits.threshold_steps if patience == 1 else limits.few_threshold_steps
    step = (state.bound - state.value) / n_steps
    if not _bisect(search, master, step):
        return
    while not state.is_proven:
        target = max(state.bound - step, state.value)
        bound = master.at(target, only_refute=False)
        if bound is None or not _pick_above(search, target, bound, patience):
            return
        state.update_bound(max(target, state.value))
        step *= 2


def _bisect(search: SetPackingSearch, master: ThresholdMaster, step: float) -> bool:
    """Refute thresholds until what is open is no wider than a step; false if that is in vain, or time is up."""
    state = search.state
    low, high = state.value, state.bound
    # Where none in the upper part is refuted, thresholds know no more than the sum; if they take long, they wait.
    wait = master.patience == 1 and search.pricing.laborious
    least = high - (high - low) / 4 if wait else np.inf
    while high - low > step:
        if low >= least:
            return False
        middle = (low + high) / 2
        bound = master.at(middle, only_refute=True)
        if search.run.stopped:
            return False
        if bound is None or bound.surplus(state.n_sets) >= 0:
            low = middle
        else:
            high = middle
            state.update_bound(high)
    return True


def _pick_above(search: SetPackingSearch, target: float, bound: ThresholdBound, patience: int) -> bool:
    """The best compatible sets above the target; false if it takes too long."""
    state, limits, pricing = search.state, search.limits, search.pricing
    surplus = bound.surplus(state.n_sets)
    if surplus < 0:
        return True
    listing = pricing.all_above(
        target,
        limits.long_list_sets,
        budget=(bound.prices, LEAST + surplus + SLACK),
        max_nodes=patience * limits.list_nodes,
    )
    if not listing.complete:
        return False
    # In units of quality, so that one tolerance will do.
    scale, slack = pricing.reach, bound.slack_costs
    paid = np.concatenate([bound.prices[pricing.place[rows]].sum(axis=1) for rows in listing.rows])
    slack = replace(slack, table=scale * slack.table, unshared=scale * slack.unshared)
    budget = ReducedCostBudget(scale * np.maximum(paid - LEAST, 0.0), scale * surplus, slack)
    max_steps = patience * limits.priced_list_steps
    sets, finished = search.cliques.pick(listing, budget, target, max_steps, summing=False, least=target)
    state.update_incumbent(sets)
    return finished
