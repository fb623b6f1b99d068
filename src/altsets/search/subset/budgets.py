"""Budgets in whole numbers: what a set costs is compared with the limit as on paper, whatever doubles can hold.

Costs are decimals as they are printed. Counted in units of their last decimal place they are whole numbers, and so are
their sums. The kernel adds doubles, which is exact as long as the sums stay below 2**53. Where numbers have too many
digits for that, it sees them rounded down to coarser units: it then loses no set, and those that come too close to the
limit to tell are looked at here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from altsets.arrays import Floats, Ints
from altsets.constraints import Budget

__all__ = ["RoundedBudgets", "WholeBudget", "in_units", "rounded"]

#: Doubles hold every whole number up to this.
LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class WholeBudget:
    """A budget in whole units, the largest ones that all costs which can be paid are made of.

    Attributes
    ----------
    costs : tuple of int
        What each feature costs; a feature that is dearer than the limit costs one unit more than it.
    limit : int
    prices : float array
        The costs as they were given; their order is the same.
    """

    costs: tuple[int, ...]
    limit: int
    prices: Floats

    @property
    def too_dear(self) -> frozenset[int]:
        """The features that no set can pay for."""
        return frozenset(feature for feature, cost in enumerate(self.costs) if cost > self.limit)

    def pays_for(self, chosen: Sequence[int] | frozenset[int]) -> bool:
        """Whether these features cost no more than the limit."""
        return sum(map(self.costs.__getitem__, chosen)) <= self.limit


@lru_cache(maxsize=32)
def in_units(budget: Budget) -> WholeBudget:
    """A budget in the units that its decimals are made of."""
    decimals = [Decimal(repr(number)) for number in (*budget.costs, budget.limit)]
    # The exponent of a decimal that is printed is never "infinity".
    place = min(int(decimal.as_tuple().exponent) for decimal in decimals)
    *costs, limit = (int(decimal.scaleb(-place)) for decimal in decimals)
    unit = math.gcd(*(cost for cost in costs if cost <= limit)) or limit + 1
    limit //= unit
    whole = tuple(cost // unit if cost <= limit * unit else limit + 1 for cost in costs)
    return WholeBudget(whole, limit, np.array(budget.costs, dtype=np.float64))


@dataclass(frozen=True)
class RoundedBudgets:
    """Budgets for the kernel: whole numbers that doubles hold, and so do their sums.

    Attributes
    ----------
    costs : float array, one row for each budget
    room : float array
    doubt : float array
        A set that leaves less of its budget than this may cost too much; 0 where nothing was rounded.
    pays : callable
        Whether a set in doubt, an array of positions, can be paid for.
    """

    costs: Floats
    room: Floats
    doubt: Floats
    pays: Callable[[Ints], bool]


def rounded(
    budgets: Sequence[WholeBudget], features: Sequence[int], base: Sequence[int], n_open: int
) -> RoundedBudgets | None:
    """What ``n_open`` features may cost besides those that are in every set; None if these are too dear already."""
    left = [budget.limit - sum(budget.costs[j] for j in base) for budget in budgets]
    if min(left, default=0) < 0:
        return None
    whole = [
        [min(budget.costs[j], most + 1) for j in features] for budget, most in zip(budgets, left, strict=True)
    ]
    # With this much room, no sum that the kernel makes is too large.
    most_room = LARGEST_EXACT // (2 * n_open + 2)
    costs = np.zeros((len(budgets), len(features)))
    room, doubt = np.zeros(len(budgets)), np.zeros(len(budgets))
    for number, (row, most) in enumerate(zip(whole, left, strict=True)):
        if most < most_room:
            costs[number], room[number] = row, most
        else:
            costs[number] = [cost * most_room // most if cost <= most else most_room + 1 for cost in row]
            room[number], doubt[number] = most_room, n_open

    def pays(positions: Ints) -> bool:
        places = positions.tolist()
        return all(sum(row[p] for p in places) <= most for row, most in zip(whole, left, strict=True))

    return RoundedBudgets(costs, room, doubt, pays)
