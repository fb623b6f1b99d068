"""Sum over simultaneous sets, exactly: an integer programme over membership patterns.

A feature's pattern is the collection of sets it lies in. Features that belong to the same existing sets, and that the
same conditions are about, differ only in their score, so it is enough to count how many of each such class have each
pattern; within a class the better features take the larger patterns. The programme's size depends on the number of sets
and classes, not of features.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from altsets.arrays import Floats
from altsets.constraints.base import CountRule
from altsets.problem import FeatureSet, Problem
from altsets.search.milp.highs import UNCONFIRMED, Programme
from altsets.search.run import Run
from altsets.search.steps import NO_LIMITS, UsageLimits
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.rules import Cap, Rules, WholeBudget, preselected

#: One number for each set: 1 if it has the feature.
Pattern = tuple[int, ...]

#: With more integer variables than these a programme takes long.
FEW_VARIABLES = 600

#: Larger costs are divided by the largest one: the solver's tolerances are absolute.
LARGE_COST = 1_000


@dataclass(frozen=True)
class Conditions:
    """What sets keep to besides being different; what existing sets use up and pay for is settled."""

    usage: UsageLimits = NO_LIMITS
    #: What all sets may cost together.
    totals: Sequence[WholeBudget] = ()
    #: Of each set alone.
    counts: Sequence[CountRule] = ()
    required: frozenset[int] = frozenset()
    #: What each feature costs that two sets share.
    penalty: float = 0.0

    def candidates(self, scores: Floats, problem: Problem) -> Candidates:
        """The features that some best solution is made of."""
        usage, n_places = self.usage, problem.n_sets * problem.n_features
        by_limit: dict[int, list[int]] = {}
        for feature, most in usage.upper.items():
            by_limit.setdefault(most, []).append(feature)
        groups = [
            *problem.existing,
            *by_limit.values(),
            *usage.reserved,
            *(rule.group for rule in self.counts),
        ]
        kept = dict.fromkeys(self.required.union(usage.lower), frozenset[int]())
        unaffordable = frozenset[int]().union(*(budget.unaffordable for budget in self.totals))
        rules = Rules(
            frozenset(), frozenset(), kept, [Cap(tuple(group), 0) for group in groups], [*self.totals]
        )
        # What has to be there stays, so that it is missed where it is forbidden or cannot be paid for.
        allowed = np.delete(np.arange(len(scores)), sorted((problem.forbidden | unaffordable) - kept.keys()))
        return Candidates.of(scores, preselected(scores, allowed, rules, n_places))


NO_CONDITIONS = Conditions()


class _Traits(NamedTuple):
    """All that features of one class have in common."""

    #: Numbers of the existing sets that have them; of the reserved groups, and of the counted ones.
    existing: tuple[int, ...] = ()
    reserved: tuple[int, ...] = ()
    counted: tuple[int, ...] = ()
    #: The fewest and the most sets that have such a feature.
    fewest: int = 0
    most: int = 0
    #: What it costs in each budget, and the group that pays for it: -1 if it pays for itself.
    costs: tuple[int, ...] = ()
    payers: tuple[int, ...] = ()

    def has(self, pattern: Pattern) -> bool:
        """Whether a feature of this class may have a pattern."""
        # At most one set has features of a reserved group. Sets can be renumbered, so it is the first one of all for
        # one of the groups.
        owned = not self.reserved or (sum(pattern) == 1 and (0 not in self.reserved or bool(pattern[0])))
        return owned and self.fewest <= sum(pattern) <= self.most


def n_variables(candidates: Candidates, problem: Problem, conditions: Conditions = NO_CONDITIONS) -> int:
    """How many counts the programme would have, or more."""
    return len(_classes(candidates, problem, conditions)) * ((1 << problem.n_sets) - 1)


def best_sum(
    candidates: Candidates,
    problem: Problem,
    limit: float,
    run: Run,
    heads: Sequence[FeatureSet] = (),
    gap: float = 0.0,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[list[FeatureSet] | None, float]:
    """The sets with the largest sum (None if none were found), and a bound: -inf if there are none.

    ``limit`` is a known upper bound; ``heads`` are features that the sets hold already, none of them a candidate or
    part of the sum. A relative ``gap`` is good enough. With ``conditions``, what sets pay for sharing is no part of it.
    """
    model = _PatternModel(candidates, problem, heads or [()] * problem.n_sets, conditions)
    solution = model.programme.maximise(run, gap)
    if solution.values is None:
        empty = solution.bound == -math.inf and model.programme.is_empty(run)
        return None, -math.inf if empty else limit
    sets = model.sets_of(solution.values)
    bound = solution.bound
    if not gap and not run.stopped:
        # One run alone proves nothing. Where a gap is good enough, nothing rests on the bound.
        bound = max(bound, model.programme.maximise(run, presolve=False).bound)
    if gap or run.stopped:
        bound = solution.bound + UNCONFIRMED
    return sets, min(bound * model.scale, limit)


class _PatternModel:
    """The integer programme: how many features of each class have each pattern; scores are divided by ``scale``."""

    def __init__(
        self, candidates: Candidates, problem: Problem, heads: Sequence[FeatureSet], conditions: Conditions
    ) -> None:
        self._candidates, self._problem, self._heads = candidates, problem, heads
        self._conditions = conditions
        self.scale = float(np.max(np.abs(candidates.scores), initial=conditions.penalty)) or 1.0
        self._patterns = [p for p in itertools.product((0, 1), repeat=problem.n_sets) if any(p)]
        self._classes = _classes(candidates, problem, conditions)
        self.programme = Programme()
        self._counts: dict[tuple[int, int], int] = {}
        for number, (kind, members) in enumerate(self._classes.items()):
            self._add_class(number, kind, members)
        for chosen in range(problem.n_sets):
            self._add_set(chosen)
        for first, second in itertools.combinations(range(problem.n_sets), 2):
            both = self._where(first, second)
            left = problem.max_overlap - _common(heads[first], heads[second])
            self.programme.row(dict.fromkeys(both, 1.0), upper=left)
        for group in range(1, len(conditions.usage.reserved)):
            self._reserve(group)
        for number, budget in enumerate(conditions.totals):
            self._pay(number, budget)

    def _add_class(self, number: int, kind: _Traits, members: Sequence[int]) -> None:
        """Counts for one class, and what its features add to the sum: the better ones lie in more sets."""
        programme, penalty = self.programme, self._conditions.penalty / self.scale
        for p, pattern in enumerate(self._patterns):
            if kind.has(pattern):
                paid = penalty * math.comb(sum(pattern), 2)
                self._counts[number, p] = programme.variable(len(members), cost=-paid)
        if kind.fewest:
            every = self._of_class(number)
            programme.row(dict.fromkeys(every, 1.0), lower=len(members), upper=len(members))
        for level in range(1, kind.most + 1):
            # places[j] = 1: the j-th best feature of the class lies in at least `level` sets.
            places = [
                programme.variable(1, cost=self._candidates.scores[member] / self.scale, integer=False)
                for member in members
            ]
            larger = dict.fromkeys(self._of_class(number, level), -1.0)
            programme.row(dict.fromkeys(places, 1.0) | larger, lower=0, upper=0)

    def _add_set(self, chosen: int) -> None:
        """The size of one set, what it may share with the existing ones, and what it has of each group."""
        problem, head = self._problem, self._heads[chosen]
        room = problem.n_features - len(head)
        self.programme.row(dict.fromkeys(self._where(chosen), 1.0), lower=room, upper=room)
        for number, (given, overlap) in enumerate(
            zip(problem.existing, problem.existing_overlaps, strict=True)
        ):
            shared = self._where(chosen, classes=self._named("existing", number))
            self.programme.row(dict.fromkeys(shared, 1.0), upper=overlap - _common(head, given))
        for number, rule in enumerate(self._conditions.counts):
            counted = self._where(chosen, classes=self._named("counted", number))
            most = room if rule.upper is None else rule.upper
            self.programme.row(dict.fromkeys(counted, 1.0), lower=rule.lower, upper=most)

    def _reserve(self, group: int) -> None:
        """Only one set has features of a group, whichever it is."""
        owners = [self.programme.variable(1) for _ in self._heads]
        self.programme.row(dict.fromkeys(owners, 1.0), upper=1)
        for chosen, owner in enumerate(owners):
            inside = self._where(chosen, classes=self._named("reserved", group))
            self.programme.row(
                dict.fromkeys(inside, 1.0) | {owner: -float(self._problem.n_features)}, upper=0
            )

    def _pay(self, number: int, budget: WholeBudget) -> None:
        """All features that some set has cost no more than a limit; a group pays once."""
        kinds = list(self._classes)
        unit = float(max((kind.costs[number] for kind in kinds), default=1))
        unit = unit if unit > LARGE_COST else 1.0
        terms: dict[int, float] = {}
        paying: dict[int, list[int]] = {}
        for place, kind in enumerate(kinds):
            if kind.payers[number] >= 0:
                paying.setdefault(kind.payers[number], []).append(place)
            elif kind.costs[number]:
                terms |= dict.fromkeys(self._of_class(place), kind.costs[number] / unit)
        for places in paying.values():
            paid = self.programme.variable(1)
            for place in places:
                members = len(self._classes[kinds[place]])
                some = dict.fromkeys(self._of_class(place), 1.0)
                self.programme.row(some | {paid: -float(members)}, upper=0)
            terms[paid] = kinds[places[0]].costs[number] / unit
        self.programme.row(terms, upper=budget.limit / unit)

    def _named(self, what: str, number: int) -> list[int]:
        """The classes that an existing set or a group has."""
        return [place for place, kind in enumerate(self._classes) if number in getattr(kind, what)]

    def _of_class(self, number: int, level: int = 1) -> list[int]:
        """The counts of one class, of patterns that lie in at least so many sets."""
        return [
            self._counts[number, p]
            for p, pattern in enumerate(self._patterns)
            if (number, p) in self._counts and sum(pattern) >= level
        ]

    def _where(self, *chosen: int, classes: Iterable[int] | None = None) -> list[int]:
        """The counts of all patterns that lie in each of these sets, of all classes or of some."""
        inside = range(len(self._classes)) if classes is None else set(classes)
        return [
            variable
            for (number, p), variable in self._counts.items()
            if number in inside and all(self._patterns[p][place] for place in chosen)
        ]

    def sets_of(self, values: Floats) -> list[FeatureSet]:
        """The sets that a solution stands for: the best features of a class get the largest patterns."""
        sets: list[list[int]] = [[] for _ in self._heads]
        ranked = sorted(range(len(self._patterns)), key=lambda p: -sum(self._patterns[p]))
        for number, members in enumerate(self._classes.values()):
            waiting = iter(members)
            for p in ranked:
                count = values[self._counts[number, p]] if (number, p) in self._counts else 0
                for member in itertools.islice(waiting, round(count)):
                    for positions, inside in zip(sets, self._patterns[p], strict=True):
                        if inside:
                            positions.append(member)
        return [
            tuple(sorted((*head, *self._candidates.features(positions))))
            for head, positions in zip(self._heads, sets, strict=True)
        ]


def _common(first: FeatureSet, second: FeatureSet) -> int:
    return len(set(first) & set(second))


def _classes(candidates: Candidates, problem: Problem, conditions: Conditions) -> dict[_Traits, list[int]]:
    """Positions by what features have in common, best first."""
    usage, named = conditions.usage, [rule.group for rule in conditions.counts]
    existing, reserved, counted = (
        _numbers(candidates, groups) for groups in (problem.existing, usage.reserved, named)
    )
    classes: dict[_Traits, list[int]] = {}
    for position, feature in enumerate(candidates.indices.tolist()):
        required = feature in conditions.required
        kind = _Traits(
            tuple(existing[position]),
            tuple(reserved[position]),
            tuple(counted[position]),
            problem.n_sets if required else usage.lower.get(feature, 0),
            0 if feature in problem.forbidden else usage.upper.get(feature, problem.n_sets),
            tuple(int(budget.costs[feature]) for budget in conditions.totals),
            tuple(-1 if budget.groups is None else budget.groups[feature] for budget in conditions.totals),
        )
        classes.setdefault(kind, []).append(position)
    return classes


def _numbers(candidates: Candidates, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """The numbers of the groups that each candidate is in."""
    inside: list[list[int]] = [[] for _ in range(len(candidates))]
    for number, group in enumerate(groups):
        for position in candidates.positions(group):
            inside[position].append(number)
    return inside
