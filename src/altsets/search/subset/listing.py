"""What searches for sets return: the best ones with a bound, or a list of all above a threshold."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Ints, Masks
from altsets.problem import FeatureSet


@dataclass(frozen=True)
class KBest:
    """The best sets, best first, and a bound on every set that was not looked at."""

    sets: list[FeatureSet]
    values: list[float]
    bound: float


@dataclass(frozen=True)
class Listing:
    """All sets above a threshold: for each size one row of features for each set; ``complete`` if nothing is missing.

    Values are after prices, qualities before; in an incomplete list, both are after prices.
    """

    rows: list[Ints]
    values: Floats
    qualities: Floats
    complete: bool

    def __len__(self) -> int:
        return len(self.values)

    def set_at(self, number: int) -> FeatureSet:
        """The set with this number."""
        for rows in self.rows:
            if number < len(rows):
                return tuple(sorted(rows[number].tolist()))
            number -= len(rows)
        raise IndexError(number)

    def only(self, kept: Bools) -> Listing:
        """Some of the sets."""
        starts = np.cumsum([0, *map(len, self.rows)])
        rows = [some[kept[start : start + len(some)]] for some, start in zip(self.rows, starts, strict=False)]
        return Listing(rows, self.values[kept], self.qualities[kept], self.complete)

    def valued(self, qualities: Floats) -> Listing:
        """The same sets with these qualities, without prices."""
        return replace(self, values=qualities, qualities=qualities)

    @cached_property
    def masks(self) -> Masks:
        """The features of each set as bits."""
        last = max((int(np.max(rows, initial=-1)) for rows in self.rows), default=-1)
        is_used = np.zeros(last + 1, dtype=bool)
        for rows in self.rows:
            is_used[rows] = True
        place = np.cumsum(is_used) - 1
        word, bit = place >> 6, np.left_shift(np.uint64(1), (place & 63).astype(np.uint64))
        masks = np.zeros((len(self), int(np.max(word, initial=0)) + 1), dtype=np.uint64)
        for number in range(masks.shape[1]):
            bits = np.where(word == number, bit, np.uint64(0))
            parts = [np.bitwise_or.reduce(bits[rows], axis=1) for rows in self.rows]
            masks[:, number] = np.concatenate([masks[:0, 0], *parts])
        return masks

    @cached_property
    def size_groups(self) -> Ints:
        """Which of the arrays of rows each set is in."""
        return np.repeat(np.arange(len(self.rows), dtype=np.intc), [len(rows) for rows in self.rows])


def are_among(rows: Ints, sets: Set[FeatureSet]) -> Bools:
    """Whether each row of features is one of the sets."""
    # A hash first, the sum of a random number for each feature: few rows need an exact comparison, which takes long.
    numbers = np.random.default_rng(0).integers(2**62, size=int(np.max(rows, initial=-1)) + 1)
    known = np.array([numbers[list(chosen)].sum() for chosen in sets if chosen[-1] < len(numbers)])
    alike = np.isin(numbers[rows].sum(axis=1), known)
    alike[alike] = [tuple(sorted(row)) in sets for row in rows[alike].tolist()]
    return alike


def best_distinct(rows: Ints, values: Floats, count: int) -> tuple[Ints, Floats]:
    """The best ``count`` rows, each once, best first."""
    rows = np.sort(rows, axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    rows, values = rows[first], values[first]
    order = np.argsort(-values, kind="stable")[:count]
    return rows[order], values[order]
