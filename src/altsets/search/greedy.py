"""The paper's three heuristics for additive quality: replacement, balancing, depth.

They are fast and give no proof. With d = k - max_overlap, the number of features in which two sets must differ:

* *replacement* keeps the best ``max_overlap`` features in every set and fills each set up with the next d features;
* *balancing* deals the same features out so that the qualities of the sets come close;
* *depth* goes through all sets in lexicographic order of quality ranks and keeps each one that is valid. Its first
  sets are those of replacement, so it starts from there (the hybrid that the paper suggests), with the same result.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from altsets._kernels import lexicographic as kernel
from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.search.run import Run

__all__ = ["balancing", "depth", "most_alternatives", "replacement"]

Order = npt.NDArray[np.intp]


def ranked(scores: npt.NDArray[np.float64], problem: Problem) -> Order:
    """Features from best to worst; equal scores by index. Only depth search needs all of them."""
    n, wanted = len(scores), problem.n_features + problem.n_alternatives * _difference(problem)
    if problem.search != "greedy-depth" and wanted < n:
        best = np.argpartition(-scores, wanted - 1)[:wanted]
        return best[np.lexsort((best, -scores[best]))]
    return np.lexsort((np.arange(n), -scores))


def most_alternatives(n_features_in: int, n_features: int, difference: int) -> int:
    """The largest number of alternatives that replacement and balancing can give."""
    if difference == 0:
        raise InputError(
            "n_alternatives='max' has no answer when equal sets are allowed; ask for tau > 0 or a number."
        )
    return (n_features_in - n_features) // difference


def replacement(scores: npt.NDArray[np.float64], problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Replacement: as many of the sets as there are unused features for."""
    order, common, step = ranked(scores, problem), problem.max_overlap, _difference(problem)
    sets = []
    for number in range(problem.n_sets):
        start = common + number * step
        if start + step > problem.n_features_in:
            break
        sets.append(_features(order, [*range(common), *range(start, start + step)]))
    return sets


def balancing(scores: npt.NDArray[np.float64], problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Balancing: all sets or none."""
    common, step, k = problem.max_overlap, _difference(problem), problem.n_features
    if step * problem.n_alternatives + k > problem.n_features_in:
        return []
    order = ranked(scores, problem)
    members = [list(range(common)) for _ in range(problem.n_sets)]
    totals = [0.0] * problem.n_sets
    for position in range(common, step * problem.n_alternatives + k):
        open_sets = [number for number in range(problem.n_sets) if len(members[number]) < k]
        if not open_sets:
            break
        lowest = min(open_sets, key=totals.__getitem__)
        members[lowest].append(position)
        totals[lowest] += scores[order[position]]
    return [_features(order, positions) for positions in members]


def depth(scores: npt.NDArray[np.float64], problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Depth Search, until all sets are found, none is left or time is up."""
    order, k = ranked(scores, problem), problem.n_features
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    sets: list[FeatureSet] = []
    # Replacement knows nothing of existing sets, and repeats itself where equal sets are allowed.
    if not problem.existing and problem.max_overlap < k:
        sets = replacement(scores, problem, run)
    caps = list(problem.existing_overlaps) + [problem.max_overlap] * len(sets)
    inside = [sorted(rank[list(given)].tolist()) for given in (*problem.existing, *sets)]
    if min(caps, default=0) < 0:
        return sets
    positions = np.array(inside[-1] if sets else range(k), dtype=np.int64)
    run.offer(sets, math.nan)
    while len(sets) < problem.n_sets:
        first, member = _membership(len(order), inside)
        found = kernel.next_set(
            len(order), first, member, np.array(caps, dtype=np.intc), positions, not sets, run.tick
        )
        if found != 1:
            break
        sets.append(_features(order, positions.tolist()))
        inside.append(positions.tolist())
        caps.append(problem.max_overlap)
        run.sets = list(sets)
    return sets


def _difference(problem: Problem) -> int:
    return problem.n_features - problem.max_overlap


def _features(order: Order, positions: list[int]) -> FeatureSet:
    return tuple(sorted(order[positions].tolist()))


def _membership(n: int, sets: list[list[int]]) -> tuple[npt.NDArray[np.intc], npt.NDArray[np.intc]]:
    """Which sets each position belongs to, as flat arrays."""
    positions = np.array([position for inside in sets for position in inside], dtype=np.intp)
    numbers = np.array([number for number, inside in enumerate(sets) for _ in inside], dtype=np.intc)
    first = np.zeros(n + 1, dtype=np.intc)
    np.cumsum(np.bincount(positions, minlength=n), out=first[1:])
    return first, numbers[np.argsort(positions, kind="stable")]
