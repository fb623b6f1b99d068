"""Separation: the cuts that a solution of the linear programme violates."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from altsets._kernels import clique_cuts as kernel
from altsets.arrays import Floats, Indices
from altsets.search.packing.cuts import USED, CliqueCut, CutPool, Element
from altsets.search.packing.limits import PackingLimits

__all__ = ["feature_usage", "separate", "separate_clique_cuts"]

#: A packing cut is violated by more than this, by what an element is used too often. The solver's tolerance is smaller.
TOO_OFTEN = 1e-6
#: The sharing row is, by more than this part of its limit: tiny violations would cost a round each.
TOO_MUCH_SHARED = 1e-4


def separate(pool: CutPool, values: Floats) -> bool:
    """Add packing and secant cuts that a solution of the programme violates; says whether there were any."""
    of_sets = values[pool.columns]
    used = np.flatnonzero(of_sets > USED)
    usage: dict[Element, float] = {}
    for number in used.tolist():
        for key in pool.packing_keys(pool.places[number]):
            usage[key] = usage.get(key, 0.0) + float(of_sets[number])
    too_often = [key for key, amount in usage.items() if amount > 1 + TOO_OFTEN and key not in pool.packing]
    for key in too_often:
        pool.add_packing_cut(key)
    violated = bool(too_often)
    for size in (1, 2):
        if pool.max_overlap >= size and size <= 1 + pool.pair_cuts:
            # Pairs come second: most of what they rule out, features do, too.
            violated = violated or _separate_secants(pool, size, of_sets, used, values)
    return violated


def _separate_secants(pool: CutPool, size: int, of_sets: Floats, used: Indices, values: Floats) -> bool:
    """Add secants if elements of this size are shared too much; all those that tell how much is due to them."""
    elements, usage = _element_usage(pool, size, of_sets, used)
    steps = np.floor(usage + USED)
    due = steps * usage - steps * (steps + 1) / 2
    limit = pool.most_shared(size)
    if float(np.sum(due)) <= limit + TOO_MUCH_SHARED * max(1.0, limit):
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


def separate_clique_cuts(pool: CutPool, values: Floats, limits: PackingLimits) -> bool:
    """Add the most violated clique cuts; says whether there were any."""
    of_sets = values[pool.columns]
    used = np.flatnonzero(of_sets > USED)
    table = pool.table[used].astype(np.intc)
    found: dict[CliqueCut, float] = {}
    for least in range(pool.max_overlap + 1, pool.k_max + 1):
        size = 2 * least - pool.max_overlap - 1
        cliques = kernel.heavy_cliques(
            table, of_sets[used], pool.n_features, size, least, limits.clique_starts
        )
        found |= {
            (members, least): weight for members, weight in cliques if weight > 1 + limits.clique_violation
        }
    new = [cut for cut in sorted(found, key=lambda cut: -found[cut]) if cut not in pool.cliques]
    if pool.levels is not None:
        new = [cut for cut in new if pool.levels.whole(cut[0])]
    for cut in new[: limits.clique_cuts_per_round]:
        pool.add_clique_cut(cut)
    return bool(new)


def feature_usage(pool: CutPool, values: Floats) -> Floats:
    """How often a solution of the programme uses each feature, by place."""
    of_sets = values[pool.columns]
    total = np.zeros(pool.n_features)
    features, often = _element_usage(pool, 1, of_sets, np.flatnonzero(of_sets > USED))
    total[features[:, 0]] = often
    return total


def _element_usage(pool: CutPool, size: int, of_sets: Floats, used: Indices) -> tuple[Indices, Floats]:
    """Features, or pairs of them, that are used by some of the sets, and how often."""
    table, n = pool.table[used], pool.n_features
    chosen = np.array(list(combinations(range(table.shape[1]), size)), dtype=np.intp)
    elements = table[:, chosen].reshape(-1, size)
    weights = np.repeat(of_sets[used], len(chosen))
    real = elements[:, -1] < n
    numbers = elements[real] @ (n ** np.arange(size)[::-1])
    numbers, which = np.unique(numbers, return_inverse=True)
    usage = np.bincount(which, weights[real], len(numbers)).astype(np.float64)
    return np.stack(np.unravel_index(numbers, (n,) * size), axis=1), usage
