"""Brute force for small problems: the truth that every engine is compared with.

It shares no code with the package. Everything follows from the definitions: all sets of the asked size are
listed, a pair is compatible if its dissimilarity is at least tau - 1e-9 (in exact fractions), and families of
pairwise compatible sets are enumerated. Two shortcuts keep it fast, and both are obvious: sets are tried from
the best to the worst, so the rest of a family adds at most (sets left) * (next value); and the last set of a
family is the best one that is compatible with all the others. ``test_oracle.py`` checks it against plain
enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np

TOLERANCE = Fraction(1, 10**9)


def dissimilarity(kind: str, shared: int, size: int, other_size: int) -> Fraction:
    """The definitions of the paper, as exact fractions."""
    if kind == "dice":
        return 1 - Fraction(2 * shared, size + other_size)
    if kind == "jaccard":
        return 1 - Fraction(shared, size + other_size - shared)
    raise ValueError(kind)


@cache
def allowed_overlaps(
    size: int, other_size: int, tau: Fraction | None, min_difference: int | None, kind: str
) -> tuple[bool, ...]:
    """For each number of shared features, whether two sets of these sizes are different enough."""
    smaller = min(size, other_size)
    if min_difference is not None:
        return tuple(smaller - shared >= min_difference for shared in range(smaller + 1))
    assert tau is not None
    return tuple(
        dissimilarity(kind, shared, size, other_size) >= tau - TOLERANCE for shared in range(smaller + 1)
    )


@cache
def all_sets(n: int, k: int) -> tuple[list[tuple[int, ...]], np.ndarray, np.ndarray]:
    """All sets of size k, their membership matrix, and how many features each pair shares."""
    sets = list(combinations(range(n), k))
    member = np.zeros((len(sets), n), dtype=np.int64)
    member[np.arange(len(sets))[:, None], np.array(sets)] = 1
    return sets, member, member @ member.T


class Oracle:
    """All optima of one small request, by enumeration.

    Every method returns ``None`` where no solution exists.
    """

    def __init__(
        self,
        scores: Sequence[float],
        n_features: int,
        *,
        tau: Any = None,
        min_difference: int | None = None,
        dissimilarity: str = "dice",
        existing: Sequence[Sequence[int]] = (),
    ) -> None:
        self.scores = [float(score) for score in scores]
        self.n, self.k = len(self.scores), n_features
        self.min_difference = min_difference
        self.kind = dissimilarity
        self.tau = None if min_difference is not None else Fraction("0.5" if tau is None else tau)
        self.existing = [tuple(given) for given in existing]

    # Computed on first use: on large problems only the validity of an answer is asked for.
    @cached_property
    def values(self) -> np.ndarray:
        """The quality of every set of the asked size."""
        sets, _, _ = all_sets(self.n, self.k)
        return np.array([math.fsum(self.scores[j] for j in chosen) for chosen in sets])

    @cached_property
    def _fits(self) -> np.ndarray:
        return self._compatible_with(self.existing)

    def _allowed(self, other_size: int) -> np.ndarray:
        return np.array(allowed_overlaps(self.k, other_size, self.tau, self.min_difference, self.kind))

    def _compatible_with(self, others: Sequence[Sequence[int]]) -> np.ndarray:
        _, member, _ = all_sets(self.n, self.k)
        fits = np.ones(len(member), dtype=bool)
        for other in others:
            fits &= self._allowed(len(other))[member[:, list(other)].sum(axis=1)]
        return fits

    @property
    def max_overlap(self) -> int:
        """How many features two new sets may share (-1: not even none)."""
        return max((shared for shared, fine in enumerate(self._allowed(self.k)) if fine), default=-1)

    def compatible(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """Whether two sets, of any sizes, are different enough."""
        allowed = allowed_overlaps(len(first), len(second), self.tau, self.min_difference, self.kind)
        return allowed[len(set(first) & set(second))]

    def complaints(self, sets: Sequence[Sequence[int]]) -> list[str]:
        """What is wrong with a family of sets; empty if it is valid."""
        wrong = []
        for position, chosen in enumerate(sets):
            if tuple(chosen) != tuple(sorted(set(chosen))) or len(chosen) != self.k:
                wrong.append(f"set {position} {chosen} is not {self.k} sorted features")
            elif chosen[0] < 0 or chosen[-1] >= self.n:
                wrong.append(f"set {position} {chosen} is out of range")
            for other in [*sets[:position], *self.existing]:
                if not self.compatible(chosen, other):
                    wrong.append(f"set {position} {chosen} is too similar to {other}")
        return wrong

    def next_best(self, earlier: Sequence[Sequence[int]] = ()) -> float | None:
        """The best quality of one more set, given those before it and the existing ones."""
        fits = self._fits & self._compatible_with(earlier)
        return float(self.values[fits].max()) if fits.any() else None

    @cached_property
    def _graph(self) -> tuple[list[float], list[int]]:
        """Values from the best to the worst, and for each set its compatible sets as a bit mask."""
        usable = np.flatnonzero(self._fits)
        order = usable[np.argsort(-self.values[usable], kind="stable")]
        _, _, shared = all_sets(self.n, self.k)
        return self.values[order].tolist(), _masks(self._allowed(self.k)[shared[np.ix_(order, order)]])

    def best_sum(self, n_sets: int, at_least: float = -math.inf) -> float | None:
        """The largest sum over ``n_sets`` compatible sets, each of quality ``at_least``."""
        values, rows = self._graph
        usable = sum(value >= at_least for value in values)
        best = -math.inf

        def descend(candidates: int, left: int, value: float) -> None:
            nonlocal best
            while candidates:
                low = (candidates & -candidates).bit_length() - 1
                if value + left * values[low] <= best:
                    return
                if left == 1:
                    best = value + values[low]
                    return
                # A set that may be taken again stays among its own candidates.
                descend(candidates & rows[low], left - 1, value + values[low])
                candidates &= candidates - 1

        if not self.feasible(n_sets):
            return None
        descend((1 << usable) - 1, n_sets, 0.0)
        return best if best > -math.inf else None

    def best_min(self, n_sets: int) -> tuple[float, float] | None:
        """The largest minimum over ``n_sets`` compatible sets, and the largest sum that goes with it."""
        if not self.feasible(n_sets):
            return None
        values, rows = self._graph
        for last, lowest in enumerate(values):
            # The best sets up to and including `last`, which must be in the family.
            if _has_family(rows[last] & ((2 << last) - 1), n_sets - 1, rows):
                best = self.best_sum(n_sets, at_least=lowest)
                assert best is not None
                return lowest, best
        raise AssertionError("feasible, but no family was found")

    def feasible(self, n_sets: int) -> bool:
        """Whether ``n_sets`` pairwise compatible sets exist."""
        if self.existing:
            _, rows = self._graph
            return _has_family((1 << len(rows)) - 1, n_sets, rows)
        return _feasible(self.n, self.k, tuple(self._allowed(self.k).tolist()), n_sets)

    def max_sets(self, limit: int) -> int:
        """The largest number of sets that exist together, counted up to ``limit``."""
        count = 0
        while count < limit and self.feasible(count + 1):
            count += 1
        return count


def _has_family(candidates: int, left: int, rows: Sequence[int]) -> bool:
    if left == 0:
        return True
    while candidates:
        low = (candidates & -candidates).bit_length() - 1
        if left == 1 or _has_family(candidates & rows[low], left - 1, rows):
            return True
        candidates &= candidates - 1
    return False


@cache
def _feasible(n: int, k: int, allowed: tuple[bool, ...], n_sets: int) -> bool:
    """The same without existing sets: independent of the scores, hence remembered.

    Renaming the features turns any first set into {0, ..., k-1}, so only families with this set are tried.
    """
    _, _, shared = all_sets(n, k)
    rows = _masks(np.array(allowed)[shared])
    return _has_family(rows[0], n_sets - 1, rows)


def _masks(compatible: np.ndarray) -> list[int]:
    packed = np.packbits(compatible, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
