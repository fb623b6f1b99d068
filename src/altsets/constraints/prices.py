"""What groups of features cost that are paid for once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Integral
from typing import Any

from altsets.amounts import Amounts, for_each
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, given_feature, group_mapping, group_numbers


def paid_together(groups: Any, title: str) -> dict[Feature, Hashable]:
    """The group of each feature that has one; groups that were given as lists are called by their features."""
    # What compares sets by groups knows them, too.
    groups = getattr(groups, "given", groups)
    known = group_mapping(groups, title)
    if callable(getattr(groups, "items", None)):
        return known
    members: dict[Hashable, list[Feature]] = {}
    for feature, number in known.items():
        members.setdefault(number, []).append(feature)
    # In braces, as no feature is called: a key of costs may be either.
    return {feature: f"{{{', '.join(map(repr, members[number]))}}}" for feature, number in known.items()}


def group_prices(
    costs: Amounts, groups: Mapping[Feature, Hashable], names: FeatureNames, title: str
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """What the group of each feature costs, and its number; refused where features of a group say different things.

    A feature without a group has a group of its own.
    """
    costs = for_each(costs, names, title) if isinstance(costs, tuple) else costs
    group_of = tuple(group_numbers(groups, names, title))
    numbers = {group: group_of[names.positions([feature], title)[0]] for feature, group in groups.items()}
    if isinstance(costs, dict):
        listed = [(_group_meant(key, numbers, group_of, names, title), cost) for key, cost in costs.items()]
    else:
        listed = list(zip(group_of, costs, strict=True))
    price: dict[int, float] = {}
    for number, cost in listed:
        if price.setdefault(number, cost) != cost:
            named = [f"group {group!r}" for group, its_number in numbers.items() if its_number == number]
            called = named[0] if named else repr(names[group_of.index(number)])
            raise InputError(
                f"{title}: {called} costs {price[number]!r} and {cost!r}; a group is paid once, so give one cost for "
                "all of its features."
            )
    return tuple(price.get(number, 0.0) for number in group_of), group_of


def _group_meant(
    key: Any, numbers: Mapping[Hashable, int], group_of: tuple[int, ...], names: FeatureNames, title: str
) -> int:
    """The number of the group that a key means: the name of a group, or one of its features."""
    number = numbers.get(key)
    is_index = isinstance(key, Integral) and 0 <= int(key) < len(names)
    if number is not None and not (key in names if isinstance(key, str) else is_index):
        return number
    own = group_of[names.position(given_feature(key, title), title)]
    if number is not None and own != number:
        raise InputError(
            f"{title}: the cost of {key!r} may be that of a group or of a feature outside it; "
            "give groups names that no feature has."
        )
    return own
