"""What constraints and other sets demand of one set, as lists that a search can work through.

Budgets are exact: costs are decimals as printed, counted in units of their last decimal place, so they and their sums
are whole numbers. The kernel adds doubles, exact below 2**53. Numbers with too many digits for that are rounded down to
coarser units, which loses no set; those too close to the limit to tell are checked here. Features of one group are paid
for together: each has the whole price of its group as its cost, and code that adds up costs has to count each group
once.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from altsets.amounts import EXACT_DECIMALS
from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints.base import CostRule, CountRule, NeedRule
from altsets.problem import FeatureSet, Problem

#: Doubles hold every whole number up to this.
LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class WholeBudget:
    """A budget in whole units, the largest ones that all costs which can be paid are made of."""

    #: What each feature costs; a feature above the limit costs one unit more than it.
    costs: tuple[int, ...]
    limit: int
    #: The costs as they were given; their order is the same.
    prices: Floats
    #: The group that pays for each feature; -1 where a feature pays for itself. None if all do.
    groups: tuple[int, ...] | None = None

    @property
    def unaffordable(self) -> frozenset[int]:
        """The features that no set can pay for."""
        return frozenset(feature for feature, cost in enumerate(self.costs) if cost > self.limit)

    def pays_for(self, chosen: Sequence[int] | frozenset[int]) -> bool:
        """Whether these features cost no more than the limit."""
        return self.total(chosen) <= self.limit

    def total(self, chosen: Iterable[int]) -> int:
        """What these features cost together."""
        if self.groups is None:
            return sum(map(self.costs.__getitem__, chosen))
        # A feature that pays for itself has a number that no group has.
        paid = {
            -1 - feature if self.groups[feature] < 0 else self.groups[feature]: self.costs[feature]
            for feature in chosen
        }
        return sum(paid.values())

    def payers(self, features: Sequence[int], base: Iterable[int]) -> tuple[list[int], list[int]]:
        """What features cost where others are in every set, and which group pays; a paid group pays no more."""
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
    *costs, limit = (int(decimal.scaleb(-place, EXACT_DECIMALS)) for decimal in decimals)
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
    """Budgets for the kernel, one row for each: whole numbers that doubles hold, and so do their sums."""

    costs: Floats
    room: Floats
    #: A set that leaves less of its budget than this may cost too much; 0 where nothing was rounded.
    doubt: Floats
    #: The number of the group that pays for each feature; -1 where it pays for itself. Empty if all do.
    payers: Ints
    #: Whether a set in doubt, an array of positions, can be paid for.
    pays: Callable[[Ints], bool]


def rounded(
    budgets: Sequence[WholeBudget], features: Sequence[int], base: Sequence[int], n_open: int
) -> RoundedBudgets | None:
    """What ``n_open`` features may cost besides those that are in every set; None if these cost too much already."""
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
    """The rest of the budgets while features are taken one by one; the first feature of a group pays for all of it."""

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


@dataclass(frozen=True)
class Cap:
    """At most ``most`` out of a group of features; or, with ``outside``, out of all features but these."""

    group: FeatureSet
    most: int
    outside: bool = False

    def open_part(self, place: Ints | Indices, base: frozenset[int]) -> tuple[Indices, int]:
        """The positions it counts, by the place of each feature (-1: none), and how many of them may join the base."""
        inside: Indices = np.sort(place[list(self.group)].astype(np.intp))
        inside, taken = inside[inside >= 0], len(base.intersection(self.group))
        if self.outside:
            n_places = int(np.count_nonzero(place >= 0))
            inside, taken = np.delete(np.arange(n_places), inside), len(base) - taken
        return inside, self.most - taken


@dataclass(frozen=True)
class Rules:
    """Everything that a set of one size has to keep to; ``None`` in place of rules means that no set can."""

    #: Features in every set and in none, with what follows from budgets and implications.
    required: frozenset[int]
    forbidden: frozenset[int]
    #: Which other features a feature needs, directly or not.
    needs: dict[int, frozenset[int]]
    caps: list[Cap]
    budgets: list[WholeBudget]

    @classmethod
    def of(cls, problem: Problem, size: int) -> Rules | None:
        """The rules for sets of one size, the existing sets included."""
        asked = problem.rules
        needs = _transitive(asked.needs)
        required = asked.required.union(*(needs.get(feature, ()) for feature in asked.required))
        budgets = [in_units(budget) for budget in asked.budgets]
        forbidden = problem.forbidden.union(*(budget.unaffordable for budget in budgets))
        forbidden |= {feature for feature, needed in needs.items() if needed & forbidden}
        caps = [*_caps(asked.counts, size), *differing(problem, size, problem.existing)]
        if required & forbidden or len(required) > size or any(cap.most < 0 for cap in caps):
            return None
        return cls(required, forbidden, needs, caps, budgets)


def differing(problem: Problem, size: int, others: Iterable[FeatureSet]) -> list[Cap]:
    """Caps that keep a set of this size different from others; none where shared features are not limited."""
    caps = []
    for other in others if problem.caps_shared else ():
        most = problem.max_overlap_of(size, len(other))
        if most < min(size, len(other)):
            caps.append(Cap(other, most))
    return caps


def caps_by_position(groups: Sequence[Indices], n: int) -> tuple[Ints, Ints]:
    """Which of some groups each of n positions is in: where its part of a flat array begins, and that array."""
    places = np.concatenate([np.zeros(0, dtype=np.intp), *groups])
    numbers = np.repeat(np.arange(len(groups), dtype=np.intc), [len(group) for group in groups])
    first = np.zeros(n + 1, dtype=np.intc)
    np.cumsum(np.bincount(places, minlength=n), out=first[1:])
    return first, numbers[np.argsort(places, kind="stable")]


def _caps(counts: Iterable[CountRule], size: int) -> Iterable[Cap]:
    for rule in counts:
        if rule.upper is not None:
            yield Cap(rule.group, rule.upper)
        if rule.lower:
            yield Cap(rule.group, size - rule.lower, outside=True)


def _transitive(rules: Iterable[NeedRule]) -> dict[int, frozenset[int]]:
    """Everything that each feature needs, also through others; never itself."""
    direct: dict[int, set[int]] = {}
    for rule in rules:
        direct.setdefault(rule.feature, set()).add(rule.needed)
    needs = {}
    for feature in direct:
        reached: set[int] = set()
        todo = [feature]
        while todo:
            new = direct.get(todo.pop(), set()) - reached
            reached |= new
            todo += new
        needs[feature] = frozenset(reached - {feature})
    return needs


def preselected(scores: Floats, features: Indices, rules: Rules, wanted: int) -> Indices:
    """Without pair terms: the ``wanted`` best features of each kind, for no solution needs more."""
    # Features are of one kind if the same rules name them and the same group pays for them. With a budget, a feature is
    # left out if so many others of its kind score no less and cost no more.
    special = {*rules.needs, *(j for needed in rules.needs.values() for j in needed)}
    if len(features) <= wanted or len(rules.budgets) > 1:
        return features
    member = np.zeros((len(scores), len(rules.caps)), dtype=bool)
    for number, cap in enumerate(rules.caps):
        member[list(cap.group), number] = True
    packed = np.packbits(member, axis=1)
    # What an implication names cannot take the place of another feature: it comes on top.
    kept = [feature for feature in features.tolist() if feature in special]
    if special:
        features = np.setdiff1d(features, np.array(kept, dtype=np.intp))
    groups = rules.budgets[0].groups if rules.budgets else None
    if groups is not None:
        of_group = np.array(groups, dtype=np.int64)[:, None].view(np.uint8)
        packed = np.concatenate([packed, of_group], axis=1)
    kinds: dict[bytes, list[int]] = {} if packed.shape[1] else {b"": features.tolist()}
    if packed.shape[1]:
        for feature, kind in zip(features.tolist(), map(bytes, packed[features]), strict=True):
            kinds.setdefault(kind, []).append(feature)
    costs = rules.budgets[0].prices if rules.budgets else np.zeros(len(scores))
    for members in kinds.values():
        ordered = np.array(members, dtype=np.intp)
        ordered = ordered[np.lexsort((ordered, costs[ordered], -scores[ordered]))]
        kept += _undominated(ordered.tolist(), costs, wanted)
    return np.unique(np.array(kept, dtype=np.intp))


def _undominated(ordered: list[int], costs: Floats, wanted: int) -> list[int]:
    """Those before which fewer than ``wanted`` cost no more."""
    cheapest: list[float] = []
    kept = []
    for feature in ordered:
        cost = float(costs[feature])
        if len(cheapest) < wanted:
            heapq.heappush(cheapest, -cost)
        elif cost < -cheapest[0]:
            heapq.heapreplace(cheapest, -cost)
        else:
            continue
        kept.append(feature)
    return kept
