"""The best single set that differs enough from given ones: sequential search, and best responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from altsets._kernels import best_set as kernel
from altsets.arrays import Ints
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates

#: Nodes of one branch and bound with fixed prices, before the problem is split in two with prices of their own.
MAX_NODES = 20_000
#: Splits in one sequential step before the solver takes over, whose cutting planes get further with many sets.
MAX_SPLITS = 30

#: The positions that count for a cap, each with its weight.
Weights = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Instance:
    """One problem of the additive engine, with the features to choose from."""

    quality: Additive
    problem: Problem
    candidates: Candidates
    run: Run


def best_set(
    candidates: Candidates,
    n_features: int,
    others: Sequence[FeatureSet],
    overlaps: Sequence[int],
    tick: Callable[[], bool],
    max_splits: float = math.inf,
    budgets: Sequence[tuple[Sequence[int], int]] = (),
) -> tuple[FeatureSet | None, float]:
    """The best set of ``n_features`` candidates that shares at most ``overlaps[i]`` features with ``others[i]``.

    Each budget says what every candidate weighs, and what the features of a set may weigh together. Gives up after
    ``max_splits`` splits of the problem. Returns the set (None if none was found) and a bound that no such set exceeds:
    -inf if proven that there is none, the set's own quality if the set is proven best.
    """
    if len(candidates) < n_features or any(
        limit < 0 for limit in (*overlaps, *(most for _, most in budgets))
    ):
        return None, -math.inf
    # A set that may be shared altogether restricts nothing; equal restrictions count once.
    caps: dict[Weights, int] = {}
    for other, limit in zip(others, overlaps, strict=True):
        inside = tuple((position, 1) for position in candidates.positions(other))
        if limit < min(n_features, len(inside)):
            caps[inside] = min(limit, caps.get(inside, limit))
    for weights, limit in budgets:
        if sum(sorted(weights)[-n_features:]) > limit:
            inside = tuple((position, weight) for position, weight in enumerate(weights) if weight)
            caps[inside] = min(limit, caps.get(inside, limit))
    search = _SplitSearch(candidates, n_features, caps, tick)
    search.run(max_splits)
    if search.best is None:
        return None, search.bound
    return candidates.features(search.best), max(search.bound, search.value)


class _SplitSearch:
    """Branch and bound with fixed prices; where that takes long, decide the best open feature and price anew."""

    def __init__(
        self,
        candidates: Candidates,
        k: int,
        caps: dict[Weights, int],
        tick: Callable[[], bool],
    ) -> None:
        self.scores, self.k, self.tick = candidates.scores, k, tick
        self.caps = list(caps.values())
        #: The caps that each position counts for, with its weight.
        self.belongs: list[Weights] = [()] * len(candidates)
        for number, inside in enumerate(caps):
            for position, weight in inside:
                self.belongs[position] = (*self.belongs[position], (number, weight))
        self.tolerance = candidates.tolerance(k)
        self.best: list[int] | None = None
        self.value = -math.inf
        self.bound = -math.inf

    def run(self, max_splits: float) -> None:
        """Leave the best set and the bound behind."""
        n_splits = 0
        # Each entry: how many of the best features are decided, which of them are taken, and a bound.
        stack: list[tuple[int, tuple[int, ...], float]] = [(0, (), math.inf)]
        while stack:
            decided, taken, limit = stack.pop()
            caps = self._caps_left(taken)
            if caps is None or limit <= self.value + self.tolerance:
                continue
            stopped, bound = self._solve(decided, taken, caps)
            if not stopped:
                continue
            n_splits += 1
            if n_splits >= max_splits or self.tick():
                self.bound = max([bound, *(entry[2] for entry in stack)])
                return
            stack.append((decided + 1, taken, bound))
            stack.append((decided + 1, (*taken, decided), bound))

    def _caps_left(self, taken: tuple[int, ...]) -> Ints | None:
        """The slack of each cap; None if one is exceeded."""
        caps = np.array(self.caps, dtype=np.intc)
        for position in taken:
            for number, weight in self.belongs[position]:
                caps[number] -= weight
        return None if np.any(caps < 0) else caps

    def _solve(self, decided: int, taken: tuple[int, ...], caps: Ints) -> tuple[bool, float]:
        """Complete the taken features from the undecided ones: whether that was cut short, and the bound then."""
        room = self.k - len(taken)
        belongs = self.belongs[decided:]
        base = math.fsum(self.scores[list(taken)].tolist())
        if room == 0 or len(belongs) < room:
            if room == 0 and base > self.value:
                self.best, self.value = list(taken), base
            return False, -math.inf
        classes: dict[Weights, int] = {}
        first = np.zeros(len(belongs) + 1, dtype=np.intc)
        np.cumsum([len(rows) for rows in belongs], out=first[1:])
        entries = (
            np.array([entry for rows in belongs for entry in rows], dtype=np.intc).reshape(-1, 2).T.copy()
        )
        positions, bound, finished = kernel.best_set(
            self.scores[decided:],
            first,
            entries[0],
            np.array([classes.setdefault(rows, len(classes)) for rows in belongs], dtype=np.intc),
            caps,
            room,
            self.value - base,
            MAX_NODES,
            self.tolerance,
            self.tick,
            entries[1],
        )
        if positions is not None:
            self.best = [*taken, *(positions + decided).tolist()]
            self.value = math.fsum(self.scores[self.best].tolist())
        return not finished, bound + base
