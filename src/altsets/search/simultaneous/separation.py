"""Separation: which cuts does a fractional solution of the linear programme violate?"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.search.run import Run
from altsets.search.simultaneous.columns import USED, Element
from altsets.search.simultaneous.cuts import CliqueCut, CutPool

#: A packing cut is violated by more than this, by what an element is used too often. The solver's tolerance is smaller.
TOO_OFTEN = 1e-6
#: The sharing row is, by more than this part of its limit: tiny violations would cost a round each.
TOO_MUCH_SHARED = 1e-4
#: A clique cut is, by more than this: each costs time in all searches for sets.
TOO_FULL = 0.02
#: Clique cuts that are added at a time, and sets of the solution from which they are looked for.
MOST_CLIQUE_CUTS, MOST_STARTS = 20, 48


def separate(pool: CutPool, values: Floats) -> bool:
    """Add packing and secant cuts that a solution of the programme violates; says whether there were any."""
    of_sets = pool.columns.values(values)
    used = np.flatnonzero(of_sets > USED)
    usage: dict[Element, float] = {}
    for number in used.tolist():
        for key in pool.packing_keys(pool.columns.places[number]):
            usage[key] = usage.get(key, 0.0) + float(of_sets[number])
    too_often = [key for key, amount in usage.items() if amount > 1 + TOO_OFTEN and key not in pool.packing]
    for key in too_often:
        pool.add_packing_cut(key)
    violated = bool(too_often)
    if pool.most_used:
        violated = _separate_usage(pool, of_sets, used) or violated
    for size in (1, 2):
        if pool.max_overlap >= size and size <= 1 + pool.pair_cuts:
            # Pairs come second: most of what they rule out, features do, too.
            violated = violated or _separate_secants(pool, size, of_sets, used, values)
    return violated


def _separate_usage(pool: CutPool, of_sets: Floats, used: Indices) -> bool:
    """Add rows for features that are used too often."""
    elements, usage = _element_usage(pool, 1, of_sets, used)
    added = False
    for place, amount in zip(elements[:, 0].tolist(), usage.tolist(), strict=True):
        most = pool.most_used.get(place)
        if most is not None and amount > most + TOO_OFTEN and place not in pool.usage:
            pool.add_usage_cut(place)
            added = True
    return added


def _separate_secants(pool: CutPool, size: int, of_sets: Floats, used: Indices, values: Floats) -> bool:
    """Add secants if elements of this size are shared too much; all those that tell how much is due to them."""
    elements, usage = _element_usage(pool, size, of_sets, used)
    steps = np.floor(usage + USED)
    due = steps * usage - steps * (steps + 1) / 2
    limit = pool.most_shared(size)
    # What is shared costs something, or there is too much of it.
    costs = pool.penalty > 0 and size == 1
    if not costs and float(np.sum(due)) <= limit + TOO_MUCH_SHARED * max(1.0, limit):
        return False
    added = False
    for number in np.flatnonzero(due > TOO_OFTEN).tolist():
        element = tuple(elements[number].tolist())
        column = pool.due.get(element)
        if due[number] > TOO_OFTEN + (
            0.0 if column is None else float(values[column])
        ) and pool.can_be_priced(element):
            added = pool.add_secant(element, int(steps[number])) or added
    return added


def _element_usage(pool: CutPool, size: int, of_sets: Floats, used: Indices) -> tuple[Indices, Floats]:
    """Features, or pairs of them, that are used by some of the sets, and how often."""
    table, n = pool.columns.table(used), pool.n_features
    chosen = np.array(list(combinations(range(table.shape[1]), size)), dtype=np.intp)
    elements = table[:, chosen].reshape(-1, size)
    weights = np.repeat(of_sets[used], len(chosen))
    real = elements[:, -1] < n
    numbers = elements[real] @ (n ** np.arange(size)[::-1])
    numbers, which = np.unique(numbers, return_inverse=True)
    usage = np.bincount(which, weights[real], len(numbers)).astype(np.float64)
    return np.stack(np.unravel_index(numbers, (n,) * size), axis=1), usage


def violated_cliques(pool: CutPool, values: Floats, run: Run) -> list[CliqueCut]:
    """The clique cuts that a solution violates most, found by exchanging features of groups."""
    of_sets = pool.columns.values(values)
    used = np.flatnonzero(of_sets > USED)
    if pool.levels is not None or not len(used):
        return []
    used = used[np.argsort(-of_sets[used], kind="stable")]
    taken, weights = pool.columns.taken[used, :-1].astype(np.float32), of_sets[used].astype(np.float32)
    found: dict[CliqueCut, float] = {}
    m = pool.max_overlap
    for least in range(m + 1 + (m <= int(pool.pair_cuts)), pool.k_max + 1):
        size = 2 * least - m - 1
        if size > pool.n_features or run.tick():
            break
        for group, amount in _full_groups(taken, weights, size, least):
            if amount > 1 + TOO_FULL:
                found[CliqueCut(group, least)] = amount
    new = [cut for cut in found if cut not in pool.cliques]
    return sorted(new, key=lambda cut: (-found[cut], cut))[:MOST_CLIQUE_CUTS]


def _full_groups(
    taken: npt.NDArray[np.float32], weights: npt.NDArray[np.float32], size: int, least: int
) -> list[tuple[tuple[int, ...], float]]:
    """Groups of features of which sets of a large weight have enough: the best one from each start."""
    n_starts, n = min(len(taken), MOST_STARTS), taken.shape[1]
    each = np.arange(n_starts)
    groups = np.zeros((n_starts, n), dtype=np.float32)
    best, best_groups = np.zeros(n_starts), groups.copy()
    for step in range(3 * size):
        counts = groups @ taken.T
        if step >= size:
            amount = (counts >= least) @ weights
            better = amount > best
            best[better], best_groups[better] = amount[better], groups[better]
        # Sets count the more the closer they are to having enough; at first those that a start is named after.
        near = np.exp2(np.minimum(counts - least, 0.0)) * weights
        if step < size:
            near[each, each] += 1.0
        if step >= size:
            # The feature that is missed least makes room.
            missed = (near * (counts <= least)) @ taken
            # Ties and circles are broken by turns.
            missed += 1e-4 * ((np.arange(n) * 7 + step * 13) % 31)
            missed[groups == 0] = np.inf
            out = np.argmin(missed, axis=1)
            groups[each, out] = 0.0
            counts -= taken[:, out].T
            near = np.exp2(np.minimum(counts - least, 0.0)) * weights
        gained = (near * (counts < least)) @ taken
        gained[groups > 0] = -1.0
        if step >= size:
            gained[each, out] = -0.5
        groups[each, np.argmax(gained, axis=1)] = 1.0
    return [
        (tuple(np.flatnonzero(group).tolist()), float(amount))
        for group, amount in zip(best_groups, best, strict=True)
        if amount > 0
    ]
