"""In how many ways features with whole numbers as losses make up a total: dynamic programming, and drawing from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices

__all__ = ["Items", "Ways", "count_ways", "n_additions"]


@dataclass(frozen=True)
class Items:
    """Features by their losses: those with the same loss are a class.

    Attributes
    ----------
    losses : int array
        The loss of each class, ascending.
    members : list of int arrays
        The positions of its features.
    """

    losses: Indices
    members: list[Indices]

    @classmethod
    def of(cls, losses: Indices, most: int) -> Items:
        """The features with a loss up to ``most``."""
        order = np.argsort(losses, kind="stable")
        order = order[: int(np.searchsorted(losses[order], most, side="right"))]
        distinct, first = np.unique(losses[order], return_index=True)
        return cls(distinct, np.split(order, first[1:]) if len(order) else [])

    def __len__(self) -> int:
        return sum(map(len, self.members))


def n_additions(items: Items, n_taken: int, most: int) -> float:
    """How many additions it takes to count the ways."""
    return sum(float(min(len(members), n_taken)) for members in items.members) * n_taken * (most + 1.0)


def count_ways(
    items: Items,
    n_taken: int,
    most: int,
    check: Callable[[], None],
    *,
    whole: bool = False,
    keep: list[npt.NDArray[Any]] | None = None,
) -> npt.NDArray[Any]:
    """In how many ways up to ``n_taken`` features make up each loss up to ``most``.

    There is one row for each number of features. Counts are floats, or with ``whole`` Python's integers. What there was
    before each class, and in the end, is added to ``keep``.
    """
    ways: npt.NDArray[Any] = np.zeros((n_taken + 1, most + 1), dtype=object if whole else np.float64)
    ways[0, 0] = 1
    n_before = 0
    for loss, members in zip(items.losses.tolist(), items.members, strict=True):
        if keep is not None:
            keep.append(ways.copy())
        n_before += len(members)
        for n in range(min(n_taken, n_before), 0, -1):
            check()
            for more in range(1, min(len(members), n) + 1):
                if more * loss > most:
                    break
                choices = math.comb(len(members), more)
                before = ways[n - more, : most + 1 - more * loss]
                ways[n, more * loss :] += before if choices == 1 else before * choices
    if keep is not None:
        keep.append(ways)
    return ways


def _distinct(n_rows: int, count: int, size: int, rng: np.random.Generator) -> Indices:
    """Rows of so many different numbers below ``size``, all such rows with the same chance."""
    if size <= 4 * count * count:
        return np.argsort(rng.random((n_rows, size)), axis=1)[:, :count]
    rows = rng.integers(size, size=(n_rows, count))
    while True:
        ordered = np.sort(rows, axis=1)
        # Seldom, as there are many numbers; a whole row is drawn again, so that no row is more likely than others.
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return rows
        rows[again] = rng.integers(size, size=(len(again), count))


class Ways:
    """All ways to take features, to draw from.

    Parameters
    ----------
    items : Items
    n_taken, most : int
        As for :func:`count_ways`.
    """

    def __init__(self, items: Items, n_taken: int, most: int) -> None:
        self._items = items
        self._tables: list[Floats] = []
        self.counts: Floats = count_ways(items, n_taken, most, lambda: None, keep=self._tables)

    def draw(self, n_taken: Indices, losses: Indices, rng: np.random.Generator) -> Indices:
        """For each number of features and loss one of the ways to make it up, all with the same chance.

        Each is a row of positions; -1 where it takes fewer than others.
        """
        left, rest = n_taken.copy(), losses.copy()
        chosen = np.full((len(left), int(n_taken.max(initial=0))), -1)
        for number in reversed(range(len(self._items.losses))):
            open_ways = np.flatnonzero(left > 0)
            if not len(open_ways):
                break
            taken = self._taken(number, left[open_ways], rest[open_ways], rng)
            members = self._items.members[number]
            alone = open_ways[taken == 1]
            chosen[alone, left[alone] - 1] = members[rng.integers(len(members), size=len(alone))]
            for count in np.unique(taken[taken > 1]).tolist():
                ways = open_ways[taken == count]
                columns = left[ways, None] - 1 - np.arange(count)
                chosen[ways[:, None], columns] = members[_distinct(len(ways), count, len(members), rng)]
            left[open_ways] -= taken
            rest[open_ways] -= taken * int(self._items.losses[number])
        return chosen

    def _taken(self, number: int, left: Indices, rest: Indices, rng: np.random.Generator) -> Indices:
        """How many features of a class are taken, given what is left to take from it and those before."""
        before, after = self._tables[number], self._tables[number + 1]
        loss, size = int(self._items.losses[number]), len(self._items.members[number])
        total = after[left, rest]
        mark = np.minimum(rng.random(len(left)) * total, np.nextafter(total, 0.0))
        reached, taken = before[left, rest], np.zeros(len(left), dtype=np.intp)
        for more in range(1, min(size, len(before) - 1) + 1):
            fits = (left >= more) & (rest >= more * loss)
            if not fits.any():
                break
            taken[fits & (mark >= reached)] = more
            ways = before[np.maximum(left - more, 0), np.maximum(rest - more * loss, 0)]
            # In the order in which the table was added up, so that the sums are the same to the last digit.
            reached = reached + np.where(fits, ways * math.comb(size, more), 0.0)
        return taken
