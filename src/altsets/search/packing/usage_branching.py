"""Branches of a search for compatible sets: how often is each feature used in all?

A linear programme over sets (``master``) uses a feature in two and a half sets if that pays. No
solution does: it uses the feature in at most two, or in at least three. Each half has a bound of its own, which is
lower, and prices of its own; what limits the usage also narrows the lists to pick from.
"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from altsets.search.packing.master import DualBound, RestrictedMaster

__all__ = ["Ranges", "UsageBranching"]

#: How often features may be used, by their place; all others as often as they like.
Ranges = dict[int, tuple[int, int]]

#: Usage is a whole number but for the solver's tolerance.
WHOLE = 1e-6


class UsageBranching:
    """Branches that are still open, the one with the largest bound first.

    Parameters
    ----------
    master : RestrictedMaster
        The programme, whose limits are changed from branch to branch.
    n_sets : int
    bound : float
        On the sum, before any branching.
    """

    def __init__(self, master: RestrictedMaster, n_sets: int, bound: float) -> None:
        self._master, self._n_sets = master, n_sets
        self._number = count()
        self.open: list[tuple[float, int, Ranges]] = [(-bound, next(self._number), {})]

    @property
    def bound(self) -> float:
        """On the sum of every solution in an open branch; minus infinity if there is none."""
        return -self.open[0][0] if self.open else -np.inf

    def pop(self) -> Ranges:
        """The branch with the largest bound, which is no longer open."""
        return heapq.heappop(self.open)[2]

    def solve(self, ranges: Ranges, target: float) -> DualBound:
        """A dual bound for the solutions in a branch; one that reaches the target is good enough."""
        self._master.limit_usage(ranges)
        self._master.generate_columns(target, self._master.limits.branch_rounds)
        return self._master.dual_bound

    def split(self, ranges: Ranges, bound: float) -> bool:
        """Split the branch that was solved last; false if there is nothing left to split."""
        usage = self._master.usage
        whole = np.round(usage)
        fractional = np.abs(usage - whole)
        place = int(np.argmax(fractional))
        if fractional[place] > WHOLE:
            below = int(np.floor(usage[place]))
            parts = [(0, below), (below + 1, self._n_sets)]
        else:
            # The features that are used most matter most.
            fixed = [place for place, (least, most) in ranges.items() if least == most]
            usage[fixed] = -1.0
            place = int(np.argmax(usage))
            if len(fixed) == len(usage):
                return False
            times = int(whole[place])
            parts = [(0, times - 1), (times, times), (times + 1, self._n_sets)]
        lowest, highest = ranges.get(place, (0, self._n_sets))
        for least, most in parts:
            part = max(least, lowest), min(most, highest)
            if part[0] <= part[1]:
                heapq.heappush(self.open, (-bound, next(self._number), {**ranges, place: part}))
        return True
