"""Groups of features (sensors, pathways, pages of a questionnaire), as users give them."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from altsets.errors import InputError
from altsets.features import Feature, FeatureNames


def group_mapping(groups: Any, who: str) -> dict[Feature, Hashable]:
    """The group of each feature that has one, out of a mapping or of lists; what is neither is refused."""
    advice = "give a mapping from feature to group, or a list of lists of features"
    if callable(getattr(groups, "items", None)):
        pairs = [(_feature(feature, who, advice), group) for feature, group in groups.items()]
    else:
        try:
            if isinstance(groups, str) or any(isinstance(group, str) for group in groups):
                raise TypeError
            pairs = [
                (_feature(feature, who, advice), number)
                for number, group in enumerate(groups)
                for feature in group
            ]
        except TypeError:
            raise InputError(f"{who} takes groups of features, not {groups!r}; {advice}.") from None
    found: dict[Feature, Hashable] = {}
    for feature, group in pairs:
        if group is None or group != group:
            # Holes in a column of groups: features without one.
            continue
        if not isinstance(group, Hashable):
            raise InputError(f"{who}: the group of {feature!r} is {group!r}; give a name or a number.")
        if found.setdefault(feature, group) != group:
            raise InputError(
                f"{who}: {feature!r} is in two groups, {found[feature]!r} and {group!r}; "
                "a feature has one group at most."
            )
    if not found:
        raise InputError(f"{who} has no groups; {advice}.")
    return found


def group_numbers(groups: Mapping[Feature, Hashable], names: Sequence[str], who: str) -> list[int]:
    """The number of the group of each of these features; one without a group is a group of its own."""
    known = FeatureNames.of(names)
    group_of: dict[int, Hashable] = {}
    for feature, group in groups.items():
        position = known.position(feature, who)
        if group_of.setdefault(position, group) != group:
            raise InputError(
                f"{who}: {known[position]!r} is in two groups, {group_of[position]!r} and {group!r}; "
                "a feature has one group at most."
            )
    first: dict[Hashable, int] = {}
    labels = []
    for index in range(len(known)):
        # Nobody else has this key: groups of users are never pairs with this object.
        key = ("group", group_of[index]) if index in group_of else ("alone", index)
        labels.append(first.setdefault(key, len(first)))
    return labels


def _feature(feature: Any, who: str, advice: str) -> Feature:
    if type(feature) is int and feature >= 0:
        # By far the most frequent kind, and instance checks by numbers are slow.
        return feature
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool) and int(feature) >= 0:
        return int(feature)
    raise InputError(f"{who} names {feature!r}; a feature is an index or a name: {advice}.")
