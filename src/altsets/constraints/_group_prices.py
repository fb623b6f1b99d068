"""What groups of features cost, from what users say about groups or about features."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping
from typing import Any

from altsets.constraints._constraint import Constraint, one_feature
from altsets.constraints.groups import group_mapping
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames

__all__ = ["GroupPrices", "paid_together"]


def paid_together(groups: Any) -> dict[Feature, Hashable]:
    """The group of each feature that has one; groups that were given as lists go by their features."""
    # What compares sets by groups knows them, too.
    groups = getattr(groups, "groups", groups)
    known = group_mapping(groups, "Budget")
    if callable(getattr(groups, "items", None)):
        return known
    members: dict[Hashable, list[Feature]] = {}
    for feature, number in known.items():
        members.setdefault(number, []).append(feature)
    return {feature: tuple(members[number]) for feature, number in known.items()}


class GroupPrices:
    """What each group costs.

    Parameters
    ----------
    budget : Constraint
        Who asks.
    groups : mapping from feature to group
        As users give them.
    group_of : tuple of int
        The number of the group of each feature; one without a group has a group of its own.
    names : FeatureNames
    """

    def __init__(
        self,
        budget: Constraint,
        groups: Mapping[Feature, Hashable],
        group_of: tuple[int, ...],
        names: FeatureNames,
    ) -> None:
        self._budget, self._group_of, self._names = budget, group_of, names
        self._number: dict[Hashable, int] = {}
        for feature, group in groups.items():
            self._number[group] = group_of[names.position(feature, budget.title)]

    def of(self, costs: tuple[float, ...] | dict[Any, float]) -> tuple[float, ...]:
        """What the group of each feature costs; refused where two features of a group say different things."""
        price: dict[int, float] = {}
        if isinstance(costs, dict):
            listed = [(self._meant_by(key), cost) for key, cost in costs.items()]
        else:
            listed = list(zip(self._group_of, costs, strict=True))
        for number, cost in listed:
            if price.setdefault(number, cost) != cost:
                raise InputError(
                    f"Budget: {self._called(number)} costs {price[number]!r} and {cost!r}; a group is paid once, so "
                    "give one cost for all of its features."
                )
        return tuple(price.get(number, 0.0) for number in self._group_of)

    def _meant_by(self, key: Any) -> int:
        """The number of the group that a key means: the name of a group, or one of its features."""
        number = self._number.get(key)
        if number is None or self._is_feature(key):
            position = self._names.position(one_feature(self._budget, key), self._budget.title)
            if number is not None and self._group_of[position] != number:
                raise InputError(
                    f"Budget: the cost of {key!r} may be that of a group or of a feature outside it; "
                    "give groups names that no feature has."
                )
            number = self._group_of[position]
        return number

    def _is_feature(self, key: Any) -> bool:
        if isinstance(key, str):
            return key in self._names
        return isinstance(key, numbers.Integral) and 0 <= int(key) < len(self._names)

    def _called(self, number: int) -> str:
        for group, its_number in self._number.items():
            if its_number == number:
                return f"group {group!r}"
        return repr(self._names[self._group_of.index(number)])
