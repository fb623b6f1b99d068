"""What constraints and other sets demand of one set, as lists that a search can work through."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.constraints.base import CountRule, NeedRule
from altsets.problem import FeatureSet, Problem
from altsets.search.subset.budgets import WholeBudget, in_units


@dataclass(frozen=True)
class Cap:
    """At most ``most`` out of a group of features; or, with ``outside``, out of all features but these."""

    group: FeatureSet
    most: int
    outside: bool = False


@dataclass(frozen=True)
class Rules:
    """Everything that a set of one size has to keep to; ``None`` in place of rules means that no set can.

    Attributes
    ----------
    required, forbidden : frozenset of int
        Features in every set and in none, with what follows from budgets and implications.
    needs : dict
        Which other features a feature needs, directly or not.
    caps : list of Cap
        Groups of which a set may have only so many features.
    budgets : list of WholeBudget
    """

    required: frozenset[int]
    forbidden: frozenset[int]
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
        forbidden = problem.forbidden.union(*(budget.too_dear for budget in budgets))
        forbidden |= {feature for feature, needed in needs.items() if needed & forbidden}
        caps = list(_caps(asked.counts, size))
        if problem.caps_shared:
            caps += differing(problem, size, problem.existing)
        if required & forbidden or len(required) > size or any(cap.most < 0 for cap in caps):
            return None
        return cls(required, forbidden, needs, caps, budgets)


def differing(problem: Problem, size: int, others: Iterable[FeatureSet]) -> list[Cap]:
    """What keeps a set of this size different from others, as far as they may share only so many features."""
    caps = []
    for other in others:
        most = problem.max_overlap_of(size, len(other))
        if most < min(size, len(other)):
            caps.append(Cap(other, most))
    return caps


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
    """Without pair terms: the ``wanted`` best features of each kind, for no solution needs more.

    Features are of one kind if the same rules name them and the same group pays for them. With a budget, a feature is
    left out if so many others of its kind score no less and cost no more.
    """
    special = {*rules.needs, *(j for needed in rules.needs.values() for j in needed)}
    if len(features) <= wanted or len(rules.budgets) > 1:
        return features
    kinds: dict[bytes, list[int]] = {}
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
    if not packed.shape[1]:
        kinds[b""] = features.tolist()
    else:
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
