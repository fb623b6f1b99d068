"""A bound on the sets of a wide table: sets of a shortlist, filled up with stand-ins for all other features.

A stand-in scores as well as the best features outside the shortlist and has nothing in common with any other feature.
Rules on single sets still hold: features that rules treat alike are of one kind, each with stand-ins of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.constraints import Size
from altsets.constraints.base import CostRule, CountRule, NeedRule, Rule
from altsets.dissimilarity import Matched
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.search.steps import with_rules
from altsets.search.subset.candidates import form_of
from altsets.search.subset.rules import in_units

#: Stand-ins for rules to tell kinds of features apart: their pairs are part of the search.
MOST_STAND_INS = 250
#: Features that cost different amounts are of so many kinds.
COST_LEVELS = 4


class Relaxation(Quality):
    """Sets of a shortlist and of stand-ins for all other features: as good as the best of these, and not redundant.

    Put the features of a kind that a solution has outside the shortlist in the order of their scores: the first
    stand-in scores no less than the first of them, the second no less than the second, and so on. So there is a relaxed
    solution that is no worse and shares the same numbers of features, if there are as many stand-ins of each kind as
    ``n_sets`` sets may have features. It keeps to the rules, too, as stand-ins cost no more than these features.

    Pair terms of stand-ins are as small as any, or with ``redundant`` as large: those make a negative ratio better.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        shortlist: Indices,
        usable: Indices,
        n_sets: int = 1,
        *,
        redundant: bool = False,
    ) -> None:
        outside = usable[~np.isin(usable, shortlist)]
        per_kind = n_sets * problem.k_max
        #: The features that the stand-ins of each kind stand for, the best first.
        self._kinds = _kinds(problem, outside, MOST_STAND_INS // per_kind)
        #: The position of the first stand-in of each kind, and of the end.
        self._first = np.cumsum([len(shortlist), *(min(per_kind, len(kind)) for kind in self._kinds)])
        super().__init__(int(self._first[-1]), None)
        self.size_normalised = quality.size_normalised
        self._quality, self._problem, self._shortlist = quality, problem, shortlist
        self._redundant, self._alone = redundant, n_sets == 1
        self._place = np.full(problem.n_features_in, -1)
        self._place[shortlist] = np.arange(len(shortlist))
        self._forms: dict[int, Form] = {}

    @classmethod
    def all_for(
        cls, quality: Quality, problem: Problem, shortlist: Indices, usable: Indices, value: float
    ) -> Iterator[Relaxation]:
        """The relaxations that together are a bound on every set that is better than ``value``."""
        yield cls(quality, problem, shortlist, usable)
        if value < 0 and quality.form(problem.k_max).ratio:
            # A ratio below zero is the better, the larger what it is divided by.
            yield cls(quality, problem, shortlist, usable, redundant=True)

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, from its form."""
        chosen, form = np.array(indices, dtype=np.intp), self.form(len(indices))
        if form.conflicts is not None and form.conflicts[np.ix_(chosen, chosen)].any():
            return -math.inf
        upper = math.fsum(form.linear[chosen].tolist())
        lower = float(np.triu(form.pairs_among(chosen), 1).sum()) if form.has_pairs else 0.0
        return upper / math.sqrt(len(chosen) + lower) if form.ratio else upper - lower

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers."""
        if size not in self._forms:
            form, m = form_of(self._quality, self._problem, size), len(self._shortlist)
            best = [np.sort(form.linear[kind])[::-1] for kind in self._kinds]
            counts = np.diff(self._first).tolist()
            linear = np.concatenate(
                [form.linear[self._shortlist], *(some[:n] for some, n in zip(best, counts, strict=True))]
            )
            matrix, conflicts = None, None
            if form.has_pairs:
                extreme = max if self._redundant else min
                matrix = np.full((len(linear), len(linear)), extreme(form.pair_range()))
                matrix[:m, :m] = form.pairs_among(self._shortlist)
                np.fill_diagonal(matrix, 0.0)
            if form.conflicts is not None:
                conflicts = np.zeros((len(linear), len(linear)), dtype=bool)
                conflicts[:m, :m] = form.conflicts[np.ix_(self._shortlist, self._shortlist)]
            self._forms = {size: Form(linear, matrix, conflicts, ratio=form.ratio)}
        return self._forms[size]

    def problem(self) -> Problem:
        """The request for all sets, without existing ones that are not made of the shortlist."""
        return self._relaxed(self._problem.existing, self._problem.n_alternatives, ())

    def problem_of_one(self, others: Sequence[FeatureSet]) -> Problem:
        """The same for a single set that differs from others."""
        # Stand-ins of a kind are all alike to one set, so one comes only after the one before it.
        in_order = [
            NeedRule(place, place - 1)
            for first, end in zip(self._first[:-1].tolist(), self._first[1:].tolist(), strict=True)
            for place in range(first + 1, end)
        ]
        return self._relaxed((*self._problem.existing, *others), 0, in_order)

    def _relaxed(self, others: Sequence[FeatureSet], n_alternatives: int, rules: Sequence[Rule]) -> Problem:
        problem = self._problem
        kind = problem.dissimilarity
        if isinstance(kind, Matched):
            # Stand-ins are like nothing else.
            similarity = np.eye(self.n_features_in)
            inside = slice(0, len(self._shortlist))
            similarity[inside, inside] = kind.similarity_among(self._shortlist, self._shortlist)
            kind = Matched(similarity, kind.threshold)
        elif not problem.counts_shared:
            kind, others = "dice", ()
        every = [self._place[list(one)].tolist() for one in others]
        relaxed = replace(
            problem,
            n_features_in=self.n_features_in,
            constraints=() if problem.fixed_size else (Size(problem.k_min, problem.k_max),),
            existing=tuple(tuple(sorted(one)) for one in every if min(one) >= 0),
            n_alternatives=n_alternatives,
            dissimilarity=kind,
        )
        return with_rules(relaxed, (*rules, *self._rules()))

    def _rules(self) -> Iterator[Rule]:
        """The rules of the request, for the shortlist and the stand-ins."""
        rules, place = self._problem.rules, self._place
        for feature in sorted(rules.required):
            yield CountRule((int(place[feature]),), 1)
        for count in rules.counts:
            yield from self._count(count)
        for need in rules.needs:
            if min(place[need.feature], place[need.needed]) >= 0:
                yield NeedRule(int(place[need.feature]), int(place[need.needed]))
        yield from map(self._cost, rules.budgets)

    def _count(self, rule: CountRule) -> Iterator[CountRule]:
        """Stand-ins count for a lower limit if any feature of their kind does, for an upper one if all do."""
        inside = self._place[list(rule.group)]
        known = inside[inside >= 0].tolist()
        share = [np.isin(kind, rule.group).mean() for kind in self._kinds]
        if rule.lower:
            yield CountRule(tuple(sorted(known + self._stand_ins(part > 0 for part in share))), rule.lower)
        if rule.upper is not None:
            group = sorted(known + self._stand_ins(part == 1 for part in share))
            yield CountRule(tuple(group), 0, rule.upper)

    def _stand_ins(self, chosen: Iterator[bool]) -> list[int]:
        """The positions of the stand-ins of some kinds."""
        ends = zip(self._first[:-1].tolist(), self._first[1:].tolist(), chosen, strict=True)
        return [place for first, end, is_chosen in ends if is_chosen for place in range(first, end)]

    def _cost(self, rule: CostRule) -> CostRule:
        """Stand-ins cost what the cheapest features of their kind cost; those that share a price may cost nothing."""
        prices, payers = np.array(rule.costs), _payers(rule)
        costs, groups = prices[self._shortlist].tolist(), payers[self._shortlist].tolist()
        for kind, count in zip(self._kinds, np.diff(self._first).tolist(), strict=True):
            payer = int(payers[kind[0]])
            if payer >= 0 and np.all(payers[kind] == payer):
                costs += [rule.costs[kind[0]]] * count
                groups += [payer] * count
                continue
            # Whole numbers stay as they are, however long.
            cheapest = np.sort(np.where(payers[kind] < 0, prices[kind], 0))
            # To several sets, which may have any of them, all stand-ins are as cheap as the first.
            costs += (cheapest[:count] if self._alone else cheapest[[0] * count]).tolist()
            groups += [-1] * count
        # A feature that pays for itself is a group of its own.
        alone = max(groups) + 1
        numbers = [alone + place if group < 0 else group for place, group in enumerate(groups)]
        return replace(rule, costs=tuple(costs), groups=None if rule.groups is None else tuple(numbers))


def _payers(rule: CostRule) -> Indices:
    """The group that pays for each feature; -1 where it pays for itself."""
    groups = None if rule.groups is None else in_units(rule).groups
    return np.full(len(rule.costs), -1) if groups is None else np.array(groups, dtype=np.intp)


def _kinds(problem: Problem, outside: Indices, most: int) -> list[Indices]:
    """Features by how rules treat them, as far as that makes no more than ``most`` kinds."""
    kind_of = np.zeros(len(outside), dtype=np.intp)
    for label in _labels(problem, outside):
        _, finer = np.unique(np.stack([kind_of, label]), axis=1, return_inverse=True)
        if np.max(finer, initial=0) < most:
            kind_of = finer.ravel()
    return [outside[kind_of == kind] for kind in np.unique(kind_of)]


def _labels(problem: Problem, features: Indices) -> Iterator[Indices | Floats]:
    """For each rule, a number per feature: the same one where the rule makes no difference between them."""
    for count in problem.rules.counts:
        yield np.isin(features, count.group).astype(np.intp)
    for budget in problem.rules.budgets:
        costs = in_units(budget.of_size(problem.k_max)).prices[features]
        payers = _payers(budget)[features]
        levels = np.quantile(costs, np.arange(1, COST_LEVELS) / COST_LEVELS) if len(costs) else costs
        yield np.where(payers < 0, -1 - np.searchsorted(levels, costs), payers)
