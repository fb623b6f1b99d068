"""Bounds from counting: several sets share features only so often, whichever features these are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from altsets._kernels.degrees import degree_bound, degree_vectors
from altsets.arrays import Floats, Ints
from altsets.problem import Problem
from altsets.search.subset.candidates import Candidates


@dataclass(frozen=True)
class SumBound:
    """A bound on a sum of qualities; where it is reached, ``counts[i]`` features, if known, are in more than i sets."""

    value: float
    counts: Ints | None


def _arguments(problem: Problem, unshared: int = 0) -> tuple[int, int, int, int]:
    n_sets, k, overlap = problem.n_sets, problem.n_features, problem.max_overlap
    shared = overlap * n_sets * (n_sets - 1) // 2 - unshared
    return n_sets, n_sets * k, shared, overlap if n_sets > 1 else k


def sum_bound(
    candidates: Candidates, problem: Problem, unshared: int = 0, tick: Callable[[], bool] = lambda: False
) -> SumBound:
    """The degree-sequence bound, regardless of existing sets; a weaker one once ``tick`` says stop."""
    # With unshared > 0, pairs share that many features less than allowed: no bound, but easier to arrange.
    tolerance = candidates.tolerance(problem.n_features)
    value, counts, _, _ = degree_bound(candidates.scores, *_arguments(problem, unshared), tolerance, tick)
    if value == math.inf:
        value = problem.n_sets * math.fsum(candidates.scores[: problem.n_features].tolist())
    return SumBound(value, counts)


def sum_bounds(candidates: Candidates, problem: Problem, tick: Callable[[], bool] = lambda: False) -> Floats:
    """The bound on the sum of r sets, for r from 0 to n_sets - 1."""
    values = [0.0]
    for n_sets in range(1, problem.n_sets):
        fewer = replace(problem, n_alternatives=n_sets - 1)
        values.append(sum_bound(candidates, fewer, tick=tick).value)
    return np.array(values)


def degree_sequences(
    candidates: Candidates,
    problem: Problem,
    top: float,
    floor: float,
    limit: int,
    shares: Sequence[float],
    tick: Callable[[], bool] = lambda: False,
) -> tuple[list[tuple[Ints, float]], float]:
    """Degree sequences (as counts) in descending order, and the value above which the list is complete.

    That value is ``floor`` if at most ``limit`` sequences exceed it, else a higher one: with ``top`` the best value,
    the distances ``shares`` * (top - floor), the last share 1, are tried in turn.
    """
    tolerance = candidates.tolerance(problem.n_features)
    complete: list[tuple[Ints, float]] = []
    reached = top
    for share in shares:
        # Without a floor only the last, complete list makes sense.
        if share < 1.0 and floor == -math.inf:
            continue
        lower = floor if share == 1.0 else top - share * (top - floor)
        found = degree_vectors(candidates.scores, *_arguments(problem), tolerance, lower, limit, tick)
        if found is None:
            break
        complete, reached = list(zip(found[0], found[1].tolist(), strict=True)), lower
    return complete, reached


def count_bound(n_features_in: int, size: int, overlap: int, most: int) -> int:
    """An upper bound, at most ``most``, on how many sets of this size can share at most ``overlap`` features.

    With degrees as equal as possible the pairs of s sets still share a certain number of features; the largest s for
    which that is within the limit is a Johnson-type bound. More sets never share less, so halving finds it.
    """
    low, high = 1, most
    while low < high:
        n_sets = (low + high + 1) // 2
        full, rest = divmod(n_sets * size, n_features_in)
        least = n_features_in * full * (full - 1) // 2 + rest * full
        if least <= overlap * n_sets * (n_sets - 1) // 2:
            low = n_sets
        else:
            high = n_sets - 1
    return low
