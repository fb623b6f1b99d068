"""What constraints and other sets demand of one set, as lists that a search can work through.

Budgets are exact: costs are decimals as printed, counted in units of their last decimal place, so they and their sums
are whole numbers. The kernel adds doubles, exact below 2**53. Numbers with too many digits for that are rounded down to
coarser units, which loses no set; those too close to the limit to tell are checked here. Features of one group are paid
for together: each has the whole price of its group as its cost, and code that adds up costs has to count each group
once.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.amounts import LARGEST_EXACT, whole_numbers
from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints.base import CostRule, CountRule, NeedRule
from altsets.problem import FeatureSet, Problem
from altsets.search.subset.candidates import best_of

#: Doubles tell apart all decimals of so many digits.
MOST_DIGITS = 15

#: Cells of similar costs that features are counted in, and parts of the features, best first, that are counted at once;
#: fewer features have fewer of both.
MOST_CELLS, MOST_PARTS = 10_000, 64
FEATURES_PER_CELL, FEATURES_PER_PART = 10, 500
#: Features that are compared one by one before the rest is kept as it is: where costs follow the scores, all are kept.
MOST_COMPARED = 20_000
#: Features are compared with one in so many, the best ones, before they are compared with all.
FEATURES_PER_BEST = 16


@dataclass(frozen=True, eq=False)
class WholeBudget:
    """A budget in whole units, the largest ones that all costs which can be paid are made of."""

    #: What each feature costs, as integers of 64 bits or, if these are too small, of Python; a feature above the limit
    #: costs one unit more than it.
    costs: npt.NDArray[Any]
    limit: int
    #: Numbers in the same order as the costs, and equal where they are: the costs as they were given or, of integers
    #: that floats do not tell apart, their ranks.
    prices: Floats
    #: The group that pays for each feature; -1 where a feature pays for itself. None if all do.
    groups: tuple[int, ...] | None = None

    @property
    def payable(self) -> Bools:
        """Which features a set can pay for."""
        return self.costs <= self.limit

    @property
    def unaffordable(self) -> frozenset[int]:
        """The features that no set can pay for."""
        return frozenset(np.flatnonzero(~self.payable).tolist())

    def pays_for(self, chosen: Sequence[int] | frozenset[int]) -> bool:
        """Whether these features cost no more than the limit."""
        return self.total(chosen) <= self.limit

    def total(self, chosen: Iterable[int]) -> int:
        """What these features cost together."""
        listed = list(chosen)
        costs: list[int] = self.costs[listed].tolist()
        if self.groups is None:
            return sum(costs)
        # A feature that pays for itself has a number that no group has.
        paid = {
            -1 - feature if self.groups[feature] < 0 else self.groups[feature]: cost
            for feature, cost in zip(listed, costs, strict=True)
        }
        return sum(paid.values())

    def payers(self, features: Indices, base: Iterable[int]) -> tuple[npt.NDArray[Any], Ints]:
        """What features cost where others are in every set, and which group pays; a paid group pays no more."""
        costs, payers = self.costs[features], np.full(len(features), -1, dtype=np.intc)
        if self.groups is None:
            return costs, payers
        paid = {self.groups[j] for j in base if self.groups[j] >= 0}
        first: dict[int, int] = {}
        for place, j in enumerate(features.tolist()):
            group = self.groups[j]
            if group in paid:
                costs[place] = 0
            elif group >= 0:
                payers[place] = first.setdefault(group, place)
        return costs, payers


@lru_cache(maxsize=32)
def in_units(budget: CostRule) -> WholeBudget:
    """A budget in the units that its decimals are made of."""
    prices, costs, limit = _whole_numbers(budget)
    unit = int(np.gcd.reduce(costs[costs <= limit], initial=0)) or limit + 1
    limit //= unit
    payable = costs <= limit * unit
    whole = np.where(payable, costs // unit, limit + 1)
    return WholeBudget(whole, limit, prices, _shared(budget))


def _whole_numbers(budget: CostRule) -> tuple[Floats, npt.NDArray[Any], int]:
    """The costs of a budget; and these and its limit as whole numbers, times the same power of ten."""
    numbers: list[Any] = [*budget.costs, budget.limit]
    if set(map(type, numbers)) == {int}:
        *costs, limit = numbers
        return _ordered(costs), *_capped(costs, limit)
    prices = np.array(budget.costs, dtype=np.float64)
    # Of costs that no set can pay, it matters only that they are.
    payable = prices <= budget.limit
    for place in range(MOST_DIGITS):
        unit = 10.0**place
        if budget.limit * unit >= 10.0**MOST_DIGITS:
            break
        # Of so few digits, there is one decimal for each double, which is the one that is printed.
        whole, limit = np.rint(np.where(payable, prices, 0.0) * unit), round(budget.limit * unit)
        if limit / unit == budget.limit and np.array_equal(whole[payable] / unit, prices[payable]):
            return prices, np.where(payable, whole, limit + 1).astype(np.int64), limit
    *costs, limit = whole_numbers(numbers)
    return prices, *_capped(costs, limit)


def _capped(costs: Sequence[int], limit: int) -> tuple[npt.NDArray[Any], int]:
    """Whole costs, those above the limit one unit above it; and the limit."""
    kind = np.int64 if limit < LARGEST_EXACT else object
    return np.array([min(cost, limit + 1) for cost in costs], dtype=kind), limit


def _ordered(costs: Sequence[int]) -> Floats:
    """Numbers in the order of whole ones: these themselves where doubles tell them apart."""
    if max(costs) <= LARGEST_EXACT:
        return np.array(costs, dtype=np.float64)
    return np.unique(np.array(costs, dtype=object), return_inverse=True)[1].astype(np.float64)


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
    budgets: Sequence[WholeBudget], features: Indices, base: Sequence[int], n_open: int
) -> RoundedBudgets | None:
    """What ``n_open`` features may cost besides those that are in every set; None if these cost too much already."""
    left = [budget.limit - budget.total(base) for budget in budgets]
    if min(left, default=0) < 0:
        return None
    payers = np.full((len(budgets), len(features)), -1, dtype=np.intc)
    # With this much room, no sum that the kernel makes is too large.
    most_room = LARGEST_EXACT // (2 * n_open + 2)
    costs = np.zeros((len(budgets), len(features)))
    room, doubt = np.zeros(len(budgets)), np.zeros(len(budgets))
    for number, (budget, most) in enumerate(zip(budgets, left, strict=True)):
        whole, payers[number] = budget.payers(features, base)
        if most < most_room:
            costs[number], room[number] = np.minimum(whole, most + 1), most
        else:
            # Python's integers, as products are too large for others.
            scaled = [cost * most_room // most if cost <= most else most_room + 1 for cost in whole.tolist()]
            costs[number], room[number], doubt[number] = scaled, most_room, n_open
    if not np.any(payers >= 0):
        payers = payers[:0]
    listed = features.tolist()

    def pays(positions: Ints) -> bool:
        chosen = [*base, *(listed[place] for place in positions.tolist())]
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

    def shares(self, count: int) -> Bools:
        """Which features cost no more than one of ``count`` equal parts of every budget."""
        within: Bools = np.all(self._costs * count <= self.room[:, np.newaxis], axis=0)
        return within

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
            least = shares[fitting]
            least = np.partition(least, rest)[:rest] if rest < len(least) else least
            cheap = np.concatenate([[0.0], np.cumsum(np.sort(least))])
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
    #: Whether complete sets have to be asked about as well.
    are_asked: bool = False

    @classmethod
    def of(cls, problem: Problem, size: int) -> Rules | None:
        """The rules for sets of one size, the existing sets included."""
        asked = problem.rules
        needs = _transitive(asked.needs)
        required = asked.required.union(*(needs.get(feature, ()) for feature in asked.required))
        budgets = [in_units(budget.of_size(size)) for budget in asked.budgets]
        forbidden = problem.forbidden.union(*(budget.unaffordable for budget in budgets))
        forbidden |= {feature for feature, needed in needs.items() if needed & forbidden}
        caps = [*_caps(asked.counts, size), *differing(problem, size, problem.existing)]
        if required & forbidden or len(required) > size or any(cap.most < 0 for cap in caps):
            return None
        return cls(required, forbidden, needs, caps, budgets, asked.are_asked)


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
    # Features are of one kind if the same rules name them and the same groups pay for them. With budgets, a feature is
    # left out if so many others of its kind score no less and cost no more.
    special = {*rules.needs, *(j for needed in rules.needs.values() for j in needed)}
    if len(features) <= wanted:
        return features
    # What an implication names cannot take the place of another feature: it comes on top.
    kept = np.zeros(len(scores), dtype=bool)
    kept[list(special)] = True
    others = features[~kept[features]]
    costs = np.array([budget.prices for budget in rules.budgets]).reshape(-1, len(scores))
    for members in _kinds(others, rules, len(scores)):
        if len(members) <= wanted or not len(costs):
            best = best_of(scores, members, wanted)
        else:
            members = members[_may_matter(scores[members], costs[:, members], wanted)]
            ordered = members[np.lexsort((members, *costs[:, members], -scores[members]))]
            best = _undominated(ordered, costs[:, ordered], wanted)
        kept[best] = True
    return features[kept[features]]


def _kinds(features: Indices, rules: Rules, n: int) -> list[Indices]:
    """Features by the rules that name them and the groups that pay for them."""
    named = np.array(sorted({feature for cap in rules.caps for feature in cap.group}), dtype=np.intp)
    member = np.zeros((len(named), len(rules.caps)), dtype=bool)
    for number, cap in enumerate(rules.caps):
        member[np.searchsorted(named, list(cap.group)), number] = True
    kind = np.zeros(n, dtype=np.int64)
    if member.size:
        kind[named] = 1 + np.unique(np.packbits(member, axis=1), axis=0, return_inverse=True)[1].ravel()
    for budget in rules.budgets:
        if budget.groups is not None:
            of_group = np.array(budget.groups) + 1
            # Numbered anew, so that numbers stay small.
            kind = np.unique(kind * (int(of_group.max()) + 1) + of_group, return_inverse=True)[1]
    by_kind = features[np.argsort(kind[features], kind="stable")]
    return np.split(by_kind, np.flatnonzero(np.diff(kind[by_kind])) + 1)


def _may_matter(scores: Floats, costs: Floats, wanted: int) -> Bools:
    """Some of the best features, and those that cost less by some budget than ``wanted`` of these do by each."""
    best = best_of(scores, np.arange(len(scores)), max(len(scores) // FEATURES_PER_BEST, wanted))
    ranks = np.argsort(np.argsort(costs[:, best], kind="stable"), kind="stable")
    last = np.partition(ranks.max(axis=0), wanted - 1)[wanted - 1]
    kept: Bools = np.any(costs < np.sort(costs[:, best])[:, last, np.newaxis], axis=0)
    kept[best] = True
    return kept


def _undominated(ordered: Indices, costs: Floats, wanted: int) -> Indices:
    """Those before which fewer than ``wanted`` cost no more by any budget; where many are, or budgets, some more."""
    if len(costs) > 1:
        return _undominated_by_cells(ordered, costs, wanted)
    cheapest = sorted((-costs[0, :wanted]).tolist())
    kept, start, n_compared = [ordered[:wanted]], wanted, 0
    while start < len(ordered):
        if n_compared > MOST_COMPARED:
            kept.append(ordered[start:])
            break
        # A feature that costs no less than so many before it now does not do so later.
        end = min(2 * start, len(ordered))
        part = np.arange(start, end)[costs[0, start:end] < -cheapest[0]]
        better = []
        n_compared += len(part)
        for place, cost in zip(part.tolist(), costs[0, part].tolist(), strict=True):
            if cost < -cheapest[0]:
                heapq.heapreplace(cheapest, -cost)
                better.append(place)
        kept.append(ordered[better])
        start = end
    return np.concatenate(kept)


def _undominated_by_cells(ordered: Indices, costs: Floats, wanted: int) -> Indices:
    """The same by counts of the features in cells of similar costs, as often as that leaves much fewer."""
    while len(ordered) > wanted:
        n_cells = max(int(min(MOST_CELLS, len(ordered) / FEATURES_PER_CELL) ** (1 / len(costs))), 2)
        n_parts = min(MOST_PARTS, len(ordered) // FEATURES_PER_PART + 2)
        edges = np.linspace(0, len(ordered) - 1, n_cells)[1:].astype(int)
        cell = np.array([np.searchsorted(np.sort(row)[edges], row, side="right") for row in costs])
        count, kept = np.zeros((n_cells,) * len(costs), dtype=np.intp), np.ones(len(ordered), dtype=bool)
        for part in np.array_split(np.arange(len(ordered)), n_parts):
            cheaper = count
            for axis in range(len(costs)):
                cheaper = np.cumsum(cheaper, axis=axis)
            # Whatever is in a lower cell costs less.
            inside = cell[:, part]
            dominated = cheaper[tuple(inside - 1)] >= wanted
            kept[part] = ~dominated | np.any(inside == 0, axis=0)
            np.add.at(count, tuple(inside), 1)
        ordered, costs = ordered[kept], costs[:, kept]
        if len(kept) < 2 * len(ordered):
            break
    return ordered
