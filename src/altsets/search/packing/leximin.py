"""Leximin: the worst set as good as possible, then the second worst, and so on.

The best minimum is known. All sets that reach it are listed, and one of those that just reach it is the worst set of a
solution. With each of them in turn, the others are a problem of the same kind: fewer sets, out of those in the list
that go with it.
"""

from __future__ import annotations

import math

import numpy as np

from altsets.arrays import Bools
from altsets.problem import FeatureSet
from altsets.search.engine import REACHED
from altsets.search.packing.clique_search import CliqueSearch, ReducedCostBudget
from altsets.search.packing.limits import PackingLimits
from altsets.search.subset.listing import Listing

#: Searches for the largest minimum, after which nothing more is claimed.
MOST_SEARCHES = 2_000

#: Qualities from the worst on, and the sets.
Levelled = tuple[list[float], list[FeatureSet]]


class Leximin:
    """Levels sets of a list; ``is_proven`` until something was left out."""

    def __init__(self, cliques: CliqueSearch, limits: PackingLimits) -> None:
        self._cliques, self._limits, self._run = cliques, limits, cliques.run
        self._n_searches = 0
        self.is_proven = True

    def best(self, listing: Listing, n_sets: int) -> Levelled | None:
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
        best: Levelled | None = None
        is_worst = kept.qualities <= least + REACHED
        left: Bools = np.ones(len(kept), dtype=bool)
        for number in np.flatnonzero(is_worst).tolist():
            if self._stopped:
                self.is_proven = False
                break
            # Solutions with one of those before have been looked through.
            others = kept.only(left & self._beside(kept, number))
            if not self._goes_with_itself(kept, number):
                left[number] = False
            rest = self.best(others, n_sets - 1)
            left[number] = False
            if rest is None:
                continue
            found = [float(kept.qualities[number]), *rest[0]], [kept.set_at(number), *rest[1]]
            if best is None or sorted(found[0]) > sorted(best[0]):
                best = found
            if ceiling is not None and rest[0] >= [value - REACHED for value in ceiling[0]]:
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
            listing, free, -math.inf, self._limits.priced_list_steps, summing=False, n_sets=n_sets
        )
        self.is_proven = self.is_proven and finished
        if not sets:
            return None
        return min(map(self._cliques.pricing.quality.evaluate, sets))

    def _goes_with_itself(self, listing: Listing, number: int) -> bool:
        chosen = listing.set_at(number)
        return self._cliques.problem.compatible(chosen, chosen)

    def _beside(self, listing: Listing, number: int) -> Bools:
        """Which listed sets go with one of them."""
        return self._cliques.beside(listing, number)
