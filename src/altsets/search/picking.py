"""Pick sets that go together from a list: what the kernel needs to know about listed sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import cliques
from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets, Listing
from altsets.search.rows import Penalties
from altsets.search.run import Run

__all__ = ["Picker", "Spending"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spending:
    """What the sets of a list are charged, what a solution can spend in all, and what it pays for unused rows."""

    charges: Floats
    ceiling: float
    penalties: Penalties | None = None


class Picker:
    """Picks as many sets as a problem asks for."""

    def __init__(self, good: GoodSets, run: Run) -> None:
        self.good, self.problem, self.run = good, good.problem, run

    @cached_property
    def caps(self) -> npt.NDArray[np.intc]:
        """How many features sets of two sizes may share; not for a user's own dissimilarity."""
        sizes = [sets.size for sets in self.good.sizes]
        if callable(self.problem.dissimilarity):
            return np.zeros((1, 1), dtype=np.intc)
        return np.array([[self.problem.max_overlap_of(s, t) for t in sizes] for s in sizes], dtype=np.intc)

    def pick(
        self,
        listing: Listing,
        spending: Spending,
        target: float,
        max_steps: int,
        *,
        summing: bool,
        least: float = -math.inf,
        enough: float = math.inf,
    ) -> tuple[list[FeatureSet] | None, bool]:
        """Sets of a quality of at least ``least`` whose sum or minimum is above the target.

        Returns None if there are none, and whether the search came to its end; it does not go on to there when it has
        found ``enough``.
        """
        order = np.argsort(spending.charges, kind="stable")
        order = order[listing.qualities[order] >= least]
        own = callable(self.problem.dissimilarity)
        sets = [listing.set_at(number) for number in order.tolist()] if own else []
        chosen, finished = cliques.pick(
            (
                listing.masks[order],
                listing.size_groups[order],
                listing.qualities[order],
                spending.charges[order],
            ),
            self._elements(listing, order, spending.penalties),
            self.caps,
            self.problem.n_sets,
            target,
            spending.ceiling,
            summing=summing,
            tolerance=self.good.tolerance,
            enough=enough,
            max_nodes=max_steps,
            compatible=self.run.guarded(lambda i, j: self.problem.compatible(sets[i], sets[j]))
            if own
            else None,
            tick=self.run.tick,
        )
        if chosen is None:
            return None, finished
        return [listing.set_at(int(order[number])) for number in chosen], finished

    def _elements(
        self, listing: Listing, order: npt.NDArray[np.intp], penalties: Penalties | None
    ) -> tuple[npt.NDArray[Any], ...]:
        """The priced elements of each listed set, in the order in which they are picked from; see the kernel."""
        widest = max((rows.shape[1] for rows in listing.rows), default=0)
        first = np.zeros(len(order) + 1, dtype=np.intc)
        if penalties is None or not len(listing):
            return (
                first,
                np.zeros(0, dtype=np.intc),
                np.zeros((0, self.problem.n_sets + 1)),
                np.zeros(widest + 1),
            )
        blocks = []
        width = widest + (math.comb(widest, 2) if penalties.of_pair is not None else 0)
        for features in listing.rows:
            rows = self.good.place[features]
            columns = [penalties.of_feature[rows]]
            if penalties.of_pair is not None:
                columns += [
                    penalties.of_pair[rows[:, i], rows[:, j]][:, None]
                    for i, j in combinations(range(rows.shape[1]), 2)
                ]
            block = np.concatenate(columns, axis=1)
            blocks.append(np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values=-1))
        numbers = np.concatenate(blocks)[order]
        used = numbers >= 0
        np.cumsum(used.sum(axis=1), out=first[1:])
        return first, np.ascontiguousarray(numbers[used], dtype=np.intc), penalties.table, penalties.unshared
