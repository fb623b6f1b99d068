"""Leximin: of sets that reach the best minimum, those whose second worst is best, and so on."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from altsets.arrays import Bools
from altsets.problem import FeatureSet
from altsets.search.engine import REACHED
from altsets.search.simultaneous.clique_search import CliqueSearch, ReducedCostBudget
from altsets.search.subset.listing import Listing

#: Searches for the largest minimum, after which nothing more is claimed.
MOST_SEARCHES = 2_000

#: Qualities from the worst on, and the sets.
Ordered = tuple[list[float], list[FeatureSet]]


def is_better(qualities: Iterable[float], others: Iterable[float]) -> bool:
    """Whether the worst of some qualities that is not equal, but for rounding, is the better one."""
    for one, other in zip(sorted(qualities), sorted(others), strict=True):
        if abs(one - other) > REACHED:
            return one > other
    return False


class Leximin:
    """The worst set of a list as good as possible, then the second worst, and so on.

    The best minimum is known. One of the listed sets that just reach it is the worst set of a solution. With each of
    them in turn, the others are a problem of the same kind: fewer sets, out of those in the list that go with it. It
    is proven (``is_proven``) until something was left out.
    """

    def __init__(self, cliques: CliqueSearch, max_steps: int) -> None:
        self._cliques, self._max_steps, self._run = cliques, max_steps, cliques.run
        self._n_searches = 0
        self.is_proven = True

    def best(self, listing: Listing, n_sets: int) -> Ordered | None:
        """The best sets out of a list that go together; None if there are none, or none was found."""
        if n_sets == 1:
            if not len(listing):
                return None
            number = int(np.argmax(listing.qualities))
            return [float(listing.qualities[number])], [listing.set_at(number)]
        least = self._largest_minimum(listing, n_sets)
        if least is None:
            return None
        kept = listing.only(listing.qualities >= least - REACHED)
        # Without the worst set the others are no better than they could be alone.
        ceiling = self.best(kept, n_sets - 1)
        best: Ordered | None = None
        is_worst = kept.qualities <= least + REACHED
        left: Bools = np.ones(len(kept), dtype=bool)
        for number in np.flatnonzero(is_worst).tolist():
            if self._stopped:
                self.is_proven = False
                break
            # Solutions with one of those before have been looked through.
            others = kept.only(left & self._cliques.beside(kept, number))
            rest = self.best(others, n_sets - 1)
            left[number] = False
            if rest is None:
                continue
            found = [float(kept.qualities[number]), *rest[0]], [kept.set_at(number), *rest[1]]
            if best is None or is_better(found[0], best[0]):
                best = found
            if ceiling is not None and not is_better(ceiling[0], rest[0]):
                break
        return best

    @property
    def _stopped(self) -> bool:
        return self._run.stopped or self._n_searches >= MOST_SEARCHES

    def _largest_minimum(self, listing: Listing, n_sets: int) -> float | None:
        self._n_searches += 1
        if self._stopped:
            self.is_proven = False
            return None
        free = ReducedCostBudget(np.zeros(len(listing)), 1.0)
        sets, finished = self._cliques.pick(
            listing, free, -math.inf, self._max_steps, summing=False, n_sets=n_sets
        )
        self.is_proven = self.is_proven and finished
        if not sets:
            return None
        return min(map(self._cliques.pricing.quality.evaluate, sets))
