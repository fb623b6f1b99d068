"""The paper's Algorithm 1 written down once more, with the closest valid solution by looking at all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import fsum
from typing import Any

from oracle import Oracle

FeatureSet = tuple[int, ...]


def closest(
    oracle: Oracle,
    sets: Sequence[FeatureSet],
    flips: Sequence[int],
    ties: Any,
    others: Sequence[FeatureSet] = (),
) -> list[FeatureSet] | None:
    """The valid solution in which each set has flipped these features and as little else as possible.

    ``ties`` has a number for each set and feature; among the closest, the largest sum of them wins.
    """
    sizes = range(oracle.k_min, oracle.k_max + 1)
    every = [one for size in sizes for one in combinations(range(oracle.n), size) if oracle.fits(one)]
    families = []
    for number, current in enumerate(sets):
        family = []
        for one in every:
            if any((j in one) == (j in current) for j in flips):
                continue
            if not all(oracle.compatible(one, other) for other in others):
                continue
            family.append((len(set(one) ^ set(current)), fsum(-ties[number][j] for j in one), one))
        families.append(sorted(family))
    best: tuple[float, float, list[FeatureSet]] | None = None

    def descend(level: int, changes: int, value: float, picked: list[FeatureSet]) -> None:
        nonlocal best
        if best is not None and (changes, value) > (best[0], best[1] + 1e-12) and changes > best[0]:
            return
        if level == len(families):
            if best is None or (changes, value) < best[:2]:
                best = (changes, value, picked)
            return
        for further, tie, one in families[level]:
            if best is not None and changes + further > best[0]:
                return
            if all(oracle.compatible(one, other) for other in picked):
                descend(level + 1, changes + further, value + tie, [*picked, one])

    descend(0, 0, 0.0, [])
    return None if best is None else best[2]


def greedy_wrapper(
    oracle: Oracle,
    objective: Callable[[Sequence[FeatureSet]], float],
    start: Sequence[FeatureSet],
    ties: Any,
    max_iters: int,
    others: Sequence[FeatureSet] = (),
) -> list[FeatureSet]:
    """Algorithm 1, line by line, from a solution that is given; features count from 0."""
    best, n = list(start), oracle.n
    iters = 1
    j1, j2 = 0, 1
    while iters < max_iters and j1 < n - 1:
        sets = closest(oracle, best, (j1, j2), ties, others)
        iters += 1
        if sets is not None and objective(sets) > objective(best):
            best = sets
            j1, j2 = 0, 1
        elif j2 < n - 1:
            j2 += 1
        else:
            j1 += 1
            j2 = j1 + 1
    return best
