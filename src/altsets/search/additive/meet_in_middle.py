"""The largest sum among all sets that are good enough, which are listed by meeting in the middle."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from altsets._kernels.packing import pack_sum
from altsets._kernels.windows import Windows, list_cost
from altsets.arrays import Floats, Masks
from altsets.problem import FeatureSet, Problem
from altsets.search.additive.limits import AdditiveLimits
from altsets.search.additive.masks import MASK_BITS, PATTERN_SETS, bits, classes, members_of, positions_of
from altsets.search.degree_bounds import sum_bounds
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates

__all__ = ["best_sum"]


def best_sum(
    problem: Problem,
    candidates: Candidates,
    floor: float,
    least: float,
    run: Run,
    limits: AdditiveLimits,
) -> tuple[list[FeatureSet] | None, bool]:
    """The sets with the largest sum above ``floor``, each at least as good as ``least``.

    Every set of such a solution is better than the floor less what the other sets can add up to at most. All sets
    that are this good are listed, if they are few, and compatible ones are picked. Returns the sets (None if there are
    none) and whether that is proven; nothing is, if there are too many sets to list.
    """
    n_sets, k = problem.n_sets, problem.n_features
    tolerance = candidates.difference_tolerance(k)
    if n_sets > PATTERN_SETS or len(candidates) > MASK_BITS:
        return None, False
    rest = sum_bounds(candidates, problem, run.tick)
    least = max(least, floor - float(rest[n_sets - 1])) - tolerance
    fixed = positions_of(problem.existing, candidates)
    first = classes(candidates.scores, fixed)
    if list_cost(first, k) > limits.sum_max_half_sets:
        return None, False
    windows = Windows(candidates.scores, first, k)
    listed = windows.list(k, least, math.inf, limits.sum_max_listed)
    if listed is None:
        return None, False
    found, _, finished, _ = pack_sum(
        *_compatible_with_existing(listed[0], listed[1], fixed, problem),
        first,
        n_sets,
        problem.max_overlap,
        floor,
        rest,
        tolerance,
        limits.sum_nodes,
        run.tick,
    )
    if found is None:
        return None, bool(finished)
    return [candidates.features(bits(mask)) for mask in found.tolist()], bool(finished)


def _compatible_with_existing(
    masks: Masks, qualities: Floats, fixed: npt.NDArray[np.uint8], problem: Problem
) -> tuple[Masks, Floats]:
    """The listed sets that differ enough from the existing ones, best first."""
    members = members_of(masks, fixed.shape[1])
    fits = np.all(members @ fixed.T <= np.array(problem.existing_overlaps), axis=1)
    masks, qualities = masks[fits], qualities[fits]
    order = np.argsort(-qualities, kind="stable")
    return masks[order], qualities[order]
