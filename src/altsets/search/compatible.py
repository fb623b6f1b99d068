"""The best sets that go together, out of sets whose qualities are known."""

from __future__ import annotations

import math

import numpy as np

from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets, Listing
from altsets.search.picking import Picker, Spending

__all__ = ["best_compatible", "listing_of"]


def listing_of(known: dict[FeatureSet, float], good: GoodSets, most: int) -> Listing:
    """The best of the sets as a list, no more than so many."""
    best = sorted((one for one in known if known[one] > -math.inf), key=lambda one: (-known[one], one))[:most]
    rows = good.rows_of(best)
    values = [known[tuple(row)] for some in rows for row in some.tolist()]
    qualities = np.array(values, dtype=np.float64)
    return Listing(rows, qualities, qualities, complete=False)


def best_compatible(picker: Picker, listing: Listing, max_steps: int) -> tuple[list[FeatureSet], bool]:
    """The largest sum or minimum, with equal minima the larger sum; empty if there are not enough sets.

    Also says whether that is proven; it is not if it took more than ``max_steps``.
    """
    problem, qualities = picker.problem, listing.qualities
    if not len(listing):
        return [], True
    top = float(np.max(qualities))
    lost = Spending(top - qualities, problem.n_sets * top)
    if problem.aggregation == "sum":
        sets, finished = picker.pick(listing, lost, -math.inf, max_steps, summing=True)
        return sets or [], finished
    free = Spending(np.zeros(len(listing)), 1.0)
    sets, finished = picker.pick(listing, free, -math.inf, max_steps, summing=False)
    if not sets:
        return [], finished
    known = {listing.set_at(number): float(value) for number, value in enumerate(qualities)}
    values = [known[one] for one in sets]
    larger, _ = picker.pick(listing, lost, math.fsum(values), max_steps, summing=True, least=min(values))
    return larger or sets, finished
