"""Budgets in whole numbers: what a set costs is compared with the limit as on paper, whatever doubles can hold.

Costs are decimals as they are printed. Counted in units of their last decimal place they are whole numbers, and so are
their sums. The kernel adds doubles, which is exact as long as the sums stay below 2**53. Where numbers have too many
digits for that, it sees them rounded down to coarser units: it then loses no set, and those that come too close to the
limit to tell are looked at here.

Features of one group are paid for together. Each has the whole price of its group as its cost, and who adds up costs
has to see to it that a group pays only once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints.base import CostRule

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
    groups : tuple of int, optional
        The group that pays for each feature; -1 where a feature pays for itself. None if all do.
    """

    costs: tuple[int, ...]
    limit: int
    prices: Floats
    groups: tuple[int, ...] | None = None

    @property
    def too_dear(self) -> frozenset[int]:
        """The features that no set can pay for."""
        return frozenset(feature for feature, cost in enumerate(self.costs) if cost > self.limit)

    def pays_for(self, chosen: Sequence[int] | frozenset[int]) -> bool:
        """Whether these features cost no more than the limit."""
        return self.total(chosen) <= self.limit

    def total(self, chosen: Iterable[int]) -> int:
        """What these features cost together."""
        if self.groups is None:
            return sum(map(self.costs.__getitem__, chosen))
        # Who pays for itself goes by a number that no group has.
        paid = {
            -1 - feature if self.groups[feature] < 0 else self.groups[feature]: self.costs[feature]
            for feature in chosen
        }
        return sum(paid.values())

    def payers(self, features: Sequence[int], base: Iterable[int]) -> tuple[list[int], list[int]]:
        """What each of some features costs where others are in every set, and who pays; a paid group pays no more."""
        if self.groups is None:
            return [self.costs[j] for j in features], [-1] * len(features)
        paid = {self.groups[j] for j in base if self.groups[j] >= 0}
        first: dict[int, int] = {}
        costs, payers = [], []
        for place, j in enumerate(features):
            group = self.groups[j]
            is_free = group in paid
            costs.append(0 if is_free else self.costs[j])
            payers.append(-1 if is_free or group < 0 else first.setdefault(group, place))
        return costs, payers


@lru_cache(maxsize=32)
def in_units(budget: CostRule) -> WholeBudget:
    """A budget in the units that its decimals are made of."""
    decimals = [Decimal(repr(number)) for number in (*budget.costs, budget.limit)]
    # The exponent of a decimal that is printed is never "infinity".
    place = min(int(decimal.as_tuple().exponent) for decimal in decimals)
    *costs, limit = (int(decimal.scaleb(-place)) for decimal in decimals)
    unit = math.gcd(*(cost for cost in costs if cost <= limit)) or limit + 1
    limit //= unit
    whole = tuple(cost // unit if cost <= limit * unit else limit + 1 for cost in costs)
    return WholeBudget(whole, limit, np.array(budget.costs, dtype=np.float64), _shared(budget))


def _shared(budget: CostRule) -> tuple[int, ...] | None:
    """The groups in which more than one feature costs something; None if there are none."""
    if budget.groups is None:
        return None
    priced = [group for group, cost in zip(budget.groups, budget.costs, strict=True) if cost]
    shared = {group for group, count in Counter(priced).items() if count > 1}
    return tuple(group if group in shared else -1 for group in budget.groups) if shared else None


@dataclass(frozen=True)
class RoundedBudgets:
    """Budgets for the kernel: whole numbers that doubles hold, and so do their sums.

    Attributes
    ----------
    costs : float array, one row for each budget
    room : float array
    doubt : float array
        A set that leaves less of its budget than this may cost too much; 0 where nothing was rounded.
    payers : int array, one row for each budget
        The number of the group that pays for each feature; -1 where it pays for itself. Empty if all do.
    pays : callable
        Whether a set in doubt, an array of positions, can be paid for.
    """

    costs: Floats
    room: Floats
    doubt: Floats
    payers: Ints
    pays: Callable[[Ints], bool]


def rounded(
    budgets: Sequence[WholeBudget], features: Sequence[int], base: Sequence[int], n_open: int
) -> RoundedBudgets | None:
    """What ``n_open`` features may cost besides those that are in every set; None if these are too dear already."""
    left = [budget.limit - budget.total(base) for budget in budgets]
    if min(left, default=0) < 0:
        return None
    payable = [budget.payers(features, base) for budget in budgets]
    whole = [[min(cost, most + 1) for cost in row] for (row, _), most in zip(payable, left, strict=True)]
    payers = np.array([row for _, row in payable], dtype=np.intc).reshape(len(budgets), len(features))
    if not np.any(payers >= 0):
        payers = payers[:0]
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
        chosen = [*base, *(features[place] for place in positions.tolist())]
        return all(budget.pays_for(chosen) for budget in budgets)

    return RoundedBudgets(costs, room, doubt, payers, pays)


class Spending:
    """What is left of budgets while features are taken one by one; the first feature of a group pays for all of it."""

    def __init__(self, budgets: RoundedBudgets) -> None:
        self.room = budgets.room.copy()
        self._costs = budgets.costs.copy()
        self._prices, self._payers = budgets.costs, budgets.payers
        self._n_taken = np.zeros_like(self._payers)

    def pays_for(self, position: int) -> bool:
        """Whether there is money left for one more feature."""
        return not np.any(self._costs[:, position] > self.room)

    def take(self, position: int, sign: int) -> None:
        """Pay for a feature, or get that back."""
        if sign > 0:
            self.room -= self._costs[:, position]
        for row, payers in enumerate(self._payers):
            self._take_group(row, payers, position, sign)
        if sign < 0:
            self.room += self._costs[:, position]

    def _take_group(self, row: int, payers: Ints, position: int, sign: int) -> None:
        """The group of a feature costs nothing as long as one of its features is taken."""
        group = int(payers[position])
        if group < 0:
            return
        before = self._n_taken[row, group]
        self._n_taken[row, group] += sign
        if not before or not self._n_taken[row, group]:
            mates = payers == group
            self._costs[row, mates] = self._prices[row, mates] if before else 0.0

    def leave(self, fitting: Bools, rest: int) -> None:
        """Of the features that fit, keep those that leave money for ``rest`` more."""
        for row, (costs, room) in enumerate(zip(self._costs, self.room, strict=True)):
            shares, free = costs, np.zeros(len(costs), dtype=np.intp)
            if len(self._payers):
                shares, free = self._shares(row, fitting, rest + 1)
            # A feature pays for its whole group; the others cost no less than the cheapest.
            cheap = np.concatenate([[0.0], np.cumsum(np.sort(shares[fitting])[:rest])])
            to_pay = np.clip(rest - free, 0, len(cheap) - 1)
            fitting &= costs <= room - cheap[to_pay]

    def _shares(self, row: int, fitting: Bools, most: int) -> tuple[Floats, Indices]:
        """What each feature costs if its group is made use of, and how many others are free with it."""
        payers, costs = self._payers[row], self._costs[row]
        grouped = (payers >= 0) & (costs > 0)
        mates = np.bincount(payers[grouped & fitting], minlength=len(payers))
        count = np.where(grouped, np.maximum(mates[payers], 1), 1)
        return costs / np.minimum(count, most), count - 1
