"""What may be lost: single features, and groups that fail together, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from altsets.dissimilarity import Grouped, declared_groups, groups_among
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, holds_features
from altsets.problem import FeatureSet
from altsets.request import Request
from altsets.result import Result
from altsets.wording import list_some, suggestion

#: What to lose, where a user names nothing: whatever is in set 0, or in any set.
ALL = "all"


def losable(
    request: Request,
    result: Result,
    names: FeatureNames,
    features: Sequence[Feature] | str | None,
    groups: Any,
) -> list[tuple[str, FeatureSet]]:
    """What may be lost: names, and the features that are lost with each."""
    if isinstance(features, str) and features != ALL and features not in names:
        # One feature, or a pattern.
        features = [features]
    found: dict[tuple[str, FeatureSet], None] = {}
    if features is not None and not isinstance(features, str):
        found |= {(names[index], (index,)): None for index in names.positions(features, "what_if")}
    elif features is not None or groups is None:
        count = len(result.sets) if features is not None else 1
        found |= dict.fromkeys(_in_use(request, result, names, count))
    if groups is not None:
        found |= dict.fromkeys(_grouped(request, names, groups))
    if not found:
        raise InputError("what_if was given nothing that could be lost; name features or groups.")
    return list(found)


def _in_use(
    request: Request, result: Result, names: FeatureNames, count: int
) -> Iterable[tuple[str, FeatureSet]]:
    """The features of the first sets or, where sets differ by groups, the groups of these."""
    members = _members(_groups_of(request), names)
    group_of = {index: group for group, lost in members.items() for index in lost}
    for chosen in result.sets[:count]:
        for index in chosen:
            group = group_of.get(index)
            yield (names[index], (index,)) if group is None else (group, members[group])


def _grouped(request: Request, names: FeatureNames, groups: Any) -> Iterable[tuple[str, FeatureSet]]:
    """The groups that a user gives, or names."""
    if isinstance(groups, Mapping) and any(map(holds_features, groups.values())):
        # Here, a feature may be in several of them.
        for name, listed in groups.items():
            several = [listed] if isinstance(listed, str) else listed
            yield str(name), tuple(sorted(set(names.positions(several, f"the group {name!r}"))))
        return
    given = [groups] if isinstance(groups, str) else groups
    if isinstance(given, Mapping | Grouped) or not all(isinstance(name, str) for name in given):
        yield from _members(declared_groups(given), names).items()
        return
    members = _members(_groups_of(request), names)
    for name in given:
        if name not in members:
            known = f"the groups are {list_some(list(members))}." if members else "the answer has no groups."
            raise InputError(f"there is no group {name!r}; {suggestion(name, members, known)}")
        yield name, members[name]


def _groups_of(request: Request) -> Grouped | str | None:
    """The groups that were declared or, if there are none, those that sets were compared by."""
    kind = request.dissimilarity
    return kind if request.feature_groups is None and isinstance(kind, Grouped) else request.feature_groups


def _members(groups: Grouped | str | None, names: FeatureNames) -> dict[str, FeatureSet]:
    """The features of each group."""
    known = groups_among(groups, names)
    if known is None:
        return {}
    return {
        group: tuple(sorted(set(names.positions(listed, "Grouped"))))
        for group, listed in known.as_dict()["groups"].items()
    }
