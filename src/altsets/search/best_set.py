"""The best single set that differs enough from given ones: sequential search, and best responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from altsets._kernels import best_set as kernel
from altsets.search.candidates import Candidates

__all__ = ["best_set"]

FeatureSet = tuple[int, ...]


def best_set(
    candidates: Candidates,
    n_features: int,
    others: Sequence[FeatureSet],
    overlaps: Sequence[int],
    tick: Callable[..., bool],
) -> tuple[FeatureSet | None, float]:
    """The best set of ``n_features`` candidates that shares at most ``overlaps[i]`` features with ``others[i]``.

    Returns the set (None if none was found) and a bound that no such set exceeds: -inf if proven that there is none,
    the set's own quality if the set is proven best.
    """
    n, k = len(candidates), n_features
    if n < k or any(limit < 0 for limit in overlaps):
        return None, -np.inf
    # A set that may be shared altogether restricts nothing; equal restrictions count once.
    binding: dict[tuple[int, ...], int] = {}
    for other, limit in zip(others, overlaps, strict=True):
        inside = tuple(candidates.positions(other))
        if limit < min(k, len(inside)):
            binding[inside] = min(limit, binding.get(inside, limit))
    belongs: list[list[int]] = [[] for _ in range(n)]
    for cap, inside in enumerate(binding):
        for position in inside:
            belongs[position].append(cap)
    classes: dict[tuple[int, ...], int] = {}
    klass = np.array([classes.setdefault(tuple(caps), len(classes)) for caps in belongs], dtype=np.intc)
    first = np.zeros(n + 1, dtype=np.intc)
    np.cumsum([len(caps) for caps in belongs], out=first[1:])
    member = np.array([cap for caps in belongs for cap in caps], dtype=np.intc)
    positions, bound, finished = kernel.best_set(
        candidates.scores,
        first,
        member,
        klass,
        np.array(list(binding.values()), dtype=np.intc),
        k,
        candidates.tolerance(k),
        tick,
    )
    if positions is None:
        return None, bound
    return candidates.features(positions), bound
