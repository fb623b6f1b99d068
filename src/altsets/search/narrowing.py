"""Sums of scores over very many features: the same problem about those that some best solution is made of.

A search among a million features would spend its time on lists of them. Of features that are alike but for their scores
and costs, no solution needs more than it has places; so this loses nothing, and all engines are faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from altsets.arrays import Floats, Indices, Ints
from altsets.constraints import Constraint, Size
from altsets.constraints.base import (
    ConflictRule,
    CostRule,
    CountRule,
    JointRule,
    NeedRule,
    ReserveRule,
    Rule,
    TotalRule,
    UsageRule,
)
from altsets.dissimilarity import Grouped
from altsets.features import FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.steps import Demand
from altsets.search.subset.rules import Cap, Rules, WholeBudget, in_units, preselected

#: Fewer features are not worth the effort.
MANY_FEATURES = 10_000

Solve = Callable[[Quality, Problem, Run], Answer]


def solve_narrowed(solve: Solve, quality: Quality, problem: Problem, run: Run) -> Answer:
    """The answer of an engine, which sees only features that matter, where these are much fewer."""
    # Searches that share their work number all features in the same way.
    narrowed = None if run.shared is not None or run.known.in_turn else Narrowed.of(quality, problem)
    if narrowed is None:
        return solve(quality, problem, run)
    features = narrowed.features
    with run.numbering(features):
        answer = solve(narrowed.quality, narrowed.problem, run)
    return replace(answer, sets=[narrowed.named(chosen) for chosen in answer.sets])


@dataclass(frozen=True, eq=False)
class Narrowed:
    """A problem about some features, in ascending order; the first one is number 0."""

    features: tuple[int, ...]
    quality: Additive
    problem: Problem

    @classmethod
    def of(
        cls,
        quality: Quality,
        problem: Problem,
        *,
        spare: int = 0,
        kept: Iterable[int] = (),
        numbers: Sequence[float] | None = None,
    ) -> Narrowed | None:
        """The problem about the features that matter; None if features are too few, too many matter, or all may.

        They are enough even if ``spare`` of them are forbidden or, with ``numbers``, if sets are to have little of
        these. Those in ``kept`` stay.
        """
        if not isinstance(quality, Additive) or problem.n_features_in < MANY_FEATURES:
            return None
        named = _named_one_by_one(problem)
        if named is None or not _may_replace_others(problem):
            return None
        named.update(kept)
        allowed = np.ones(problem.n_features_in, dtype=bool)
        allowed[[*problem.forbidden, *named]] = False
        wanted = problem.n_sets * max(problem.k_max, problem.n_features) + spare
        usable = np.flatnonzero(allowed)
        if isinstance(problem.dissimilarity, Grouped):
            if numbers is not None:
                return None
            usable = _best_groups(quality.scores, usable, problem.dissimilarity, wanted, named)
        else:
            usable = preselected(quality.scores, usable, _rules(problem, numbers), wanted)
        chosen = np.zeros(problem.n_features_in, dtype=bool)
        chosen[[*usable.tolist(), *named]] = True
        features = np.flatnonzero(chosen)
        if 2 * len(features) > problem.n_features_in or len(features) < problem.n_features:
            return None
        place = np.full(problem.n_features_in, -1, dtype=np.intc)
        place[features] = np.arange(len(features))
        return cls(tuple(features.tolist()), _scores_of(quality, features), _about(problem, features, place))

    def named(self, chosen: Sequence[int]) -> FeatureSet:
        """A set by the numbers that its features have for the user."""
        return _named(chosen, self.features)

    def places(self, chosen: Iterable[int]) -> FeatureSet:
        """The numbers that features have here; those that do not matter have none."""
        return tuple([self._place[feature] for feature in chosen if feature in self._place])

    @cached_property
    def _place(self) -> dict[int, int]:
        return {feature: number for number, feature in enumerate(self.features)}


@dataclass(frozen=True)
class NarrowedConstraint(Demand):
    """A constraint, as far as it is about some features."""

    asked: Constraint | None = None
    features: tuple[int, ...] = ()
    joint: tuple[JointRule, ...] = ()

    @classmethod
    def of(cls, asked: Constraint, features: tuple[int, ...], place: Ints) -> NarrowedConstraint:
        """The same about the features that have a place."""
        rules = tuple(_rule(rule, features, place) for rule in asked.rules())
        joint = tuple(_joint_rule(rule, features, place) for rule in asked.joint_rules())
        return cls(rules, None, asked, features, joint)

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a set keeps to it."""
        assert self.asked is not None
        return self.asked.holds(_named(chosen, self.features))

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        """Whether several sets keep to it together."""
        assert self.asked is not None
        every = [[_named(chosen, self.features) for chosen in some] for some in (sets, existing)]
        return self.asked.holds_together(*every)

    def joint_rules(self) -> tuple[JointRule, ...]:
        """What it says about several sets together."""
        return self.joint

    def alone(self) -> Constraint | None:
        """The part that is about each set on its own."""
        assert self.asked is not None
        alone = self.asked.alone()
        if alone is None or not self.joint:
            return None if alone is None else self
        place = np.full(max(self.features) + 1, -1, dtype=np.intc)
        place[list(self.features)] = np.arange(len(self.features))
        return NarrowedConstraint.of(alone, self.features, place)


def _named(chosen: Sequence[int], features: Sequence[int]) -> FeatureSet:
    """A set by its features."""
    return tuple([features[place] for place in chosen])


def _named_one_by_one(problem: Problem) -> set[int] | None:
    """Features that no other can replace; None if that may be any."""
    rules = problem.rules
    named = {feature for given in problem.existing for feature in given} | rules.required
    named.update(feature for rule in rules.needs for feature in (rule.feature, rule.needed))
    for rule in rules.joint:
        if isinstance(rule, UsageRule) and rule.lower:
            if rule.features is None:
                return None
            named.update(rule.features)
    return named


def _may_replace_others(problem: Problem) -> bool:
    """Whether a feature that no set has may take the place of another one of its kind that scores no more."""
    rules, kind = problem.rules, problem.dissimilarity
    if problem.search not in ("sequential", "simultaneous") or problem.max_spread is not None:
        return False
    if rules.conflicts is not None or rules.are_asked:
        return False
    if isinstance(kind, Grouped):
        # With a feature of a group that no set touches, a set is as different from all others, or more.
        alone = all(rule.forbids or rule.requires for rule in rules.counts)
        return alone and not (rules.budgets or rules.needs or rules.joint)
    return problem.counts_shared


def _best_groups(
    scores: Floats, features: Indices, kind: Grouped, wanted: int, named: Collection[int]
) -> Indices:
    """The best features of the groups with the best ones: so many groups that there is one that no set touches."""
    assert kind.labels is not None
    n_groups = wanted + len(kind.touched(tuple(named)))
    best = np.full(int(np.max(kind.labels)) + 1, -np.inf)
    np.maximum.at(best, kind.labels[features], scores[features])
    is_good = np.zeros(len(best), dtype=bool)
    is_good[np.argsort(-best, kind="stable")[:n_groups]] = True
    good = features[is_good[kind.labels[features]]]
    ordered = good[np.lexsort((-scores[good], kind.labels[good]))]
    starts = np.flatnonzero(np.diff(kind.labels[ordered], prepend=-1))
    rank = np.arange(len(ordered)) - np.repeat(starts, np.diff([*starts, len(ordered)]))
    return ordered[rank < wanted]


def _rules(problem: Problem, numbers: Sequence[float] | None) -> Rules:
    """What makes features differ: the groups that they are in, what they cost, and further numbers."""
    rules = problem.rules
    groups = [rule.group for rule in rules.counts]
    budgets = [in_units(budget.of_size(problem.k_max)) for budget in rules.budgets]
    for rule in rules.joint:
        if isinstance(rule, ReserveRule):
            groups.append(rule.group)
        elif isinstance(rule, UsageRule):
            groups.append(rule.features or ())
        else:
            budgets.append(in_units(rule.budget))
    if numbers is not None:
        # Only their order matters.
        budgets.append(WholeBudget(np.zeros(0, dtype=np.int64), 0, np.array(numbers, dtype=np.float64)))
    return Rules(frozenset(), frozenset(), {}, [Cap(group, 0) for group in groups], budgets)


def _scores_of(quality: Additive, features: Indices) -> Additive:
    """A sum of the scores of some features."""
    some = copy(quality)
    Quality.__init__(some, len(features), None)
    some.scores = quality.scores[features]
    return some


def _about(problem: Problem, features: Indices, place: Ints) -> Problem:
    """The problem about some features."""
    listed = tuple(features.tolist())
    kind = problem.dissimilarity
    if isinstance(kind, Grouped):
        assert kind.labels is not None
        kind = Grouped(dict(enumerate(kind.labels[features].tolist()))).resolve(
            FeatureNames.unnamed(len(features))
        )
    return replace(
        problem,
        dissimilarity=kind,
        n_features_in=len(features),
        existing=tuple(tuple(place[list(given)].tolist()) for given in problem.existing),
        constraints=tuple(
            one if isinstance(one, Size) else NarrowedConstraint.of(one, listed, place)
            for one in problem.constraints
        ),
    )


def _inside(group: Sequence[int], place: Ints) -> tuple[int, ...]:
    places = place[list(group)]
    return tuple(places[places >= 0].tolist())


def _rule(rule: Rule, features: Sequence[int], place: Ints) -> Rule:
    """The same rule about the features that have a place."""
    if isinstance(rule, CountRule):
        return replace(rule, group=_inside(rule.group, place))
    if isinstance(rule, NeedRule):
        return NeedRule(int(place[rule.feature]), int(place[rule.needed]))
    if isinstance(rule, CostRule):
        groups = None if rule.groups is None else tuple([rule.groups[feature] for feature in features])
        return replace(rule, costs=tuple([rule.costs[feature] for feature in features]), groups=groups)
    assert not isinstance(rule, ConflictRule)
    return rule


def _joint_rule(rule: JointRule, features: Sequence[int], place: Ints) -> JointRule:
    if isinstance(rule, TotalRule):
        budget = _rule(rule.budget, features, place)
        assert isinstance(budget, CostRule)
        return TotalRule(budget)
    if isinstance(rule, ReserveRule):
        return ReserveRule(_inside(rule.group, place))
    return rule if rule.features is None else replace(rule, features=_inside(rule.features, place))
