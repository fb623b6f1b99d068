"""Lists of good sets as 64-bit masks: the largest sum among all sets that are good enough."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets._kernels.packing import pack_sum
from altsets._kernels.windows import Windows, list_cost
from altsets.arrays import Floats, Ints, Masks
from altsets.problem import FeatureSet, Problem
from altsets.search.degree_bounds import sum_bounds
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates

__all__ = ["MAX_PICKED", "best_sum", "bits", "classes", "members_of", "positions_of"]

#: Sets that may be listed, half sets that may be listed for it, and steps of the search among them.
MAX_LISTED = 1_000
MAX_HALF_SETS = 50_000
MAX_NODES = 100_000
#: Sets that fit into the bit patterns of that search.
MAX_PICKED = 30


def best_sum(
    problem: Problem, candidates: Candidates, floor: float, least: float, run: Run
) -> tuple[list[FeatureSet] | None, bool]:
    """The sets with the largest sum above ``floor``, each at least as good as ``least``.

    Every set of such a solution is better than the floor less what the other sets can add up to at most. All sets
    that are this good are listed, if they are few, and compatible ones are picked. Returns the sets (None if there are
    none) and whether that is proven; nothing is, if there are too many sets to list.
    """
    n_sets, k, tolerance = problem.n_sets, problem.n_features, 2 * candidates.tolerance(problem.n_features)
    if n_sets > MAX_PICKED or len(candidates) > 64:
        return None, False
    rest = sum_bounds(candidates, problem, run.tick)
    least = max(least, floor - float(rest[n_sets - 1])) - tolerance
    fixed = positions_of(problem.existing, candidates)
    first = classes(candidates.scores, fixed)
    if list_cost(first, k) > MAX_HALF_SETS:
        return None, False
    windows = Windows(candidates.scores, first, k)
    listed = windows.list(k, least, math.inf, MAX_LISTED)
    if listed is None:
        return None, False
    masks, qualities = listed
    members = members_of(masks, len(candidates))
    fits = np.all(members @ fixed.T <= np.array(problem.existing_overlaps), axis=1)
    masks, qualities = masks[fits], qualities[fits]
    order = np.argsort(-qualities, kind="stable")
    found, _, finished, _ = pack_sum(
        masks[order],
        qualities[order],
        first,
        n_sets,
        problem.max_overlap,
        floor,
        rest,
        tolerance,
        MAX_NODES,
        run.tick,
    )
    if found is None:
        return None, bool(finished)
    return [candidates.features(bits(mask)) for mask in found.tolist()], bool(finished)


def classes(scores: Floats, fixed: npt.NDArray[np.uint8]) -> Ints:
    """Where the classes of interchangeable positions begin: equal scores, same existing sets; none where none is left.

    Kernels divide by the width of a class, so none may be empty.
    """
    if not len(scores):
        return np.zeros(1, dtype=np.intc)
    keys = np.vstack([scores, fixed])
    changes = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(scores)]]).astype(np.intc)


def positions_of(sets: Sequence[FeatureSet], candidates: Candidates) -> npt.NDArray[np.uint8]:
    """Which positions lie in each set, as rows of zeros and ones."""
    members = np.zeros((len(sets), len(candidates)), dtype=np.uint8)
    for row, chosen in zip(members, sets, strict=True):
        row[candidates.positions(chosen)] = 1
    return members


def members_of(masks: Masks, n: int) -> Floats:
    """Masks as rows of zeros and ones."""
    return ((masks[:, None] >> np.arange(n, dtype=np.uint64)) & np.uint64(1)).astype(np.float64)


def bits(mask: int) -> list[int]:
    """The positions in a mask."""
    positions = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions
