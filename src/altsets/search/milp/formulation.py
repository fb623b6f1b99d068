"""Sets of features as variables and rows of an integer programme."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.constraints.base import ConstraintRules, CostRule
from altsets.dissimilarity import Grouped, Matched
from altsets.problem import EXACT_TOLERANCE, FeatureSet, Problem
from altsets.quality import Additive, Form, Quality
from altsets.search.milp.highs import Programme
from altsets.search.run import Run
from altsets.search.steps import UsageLimits
from altsets.search.subset.candidates import Candidates, form_of
from altsets.search.subset.rules import WholeBudget, in_units

#: How far a row of a budget stays clear of what is meant, well above the solver's tolerance.
CLEARANCE = 1e-6

#: Variables and their coefficients.
Terms = dict[int, float]


@dataclass(frozen=True)
class SetVariables:
    """One set: a binary for each candidate, terms of its quality, and a variable for its size where that is open."""

    chosen: list[int]
    quality: Terms
    size: int | None


class Formulation:
    """An integer programme for the sets of one problem; qualities in it are divided by ``scale``.

    The quality is linear up to products of two features; the dissimilarity counts what two sets share: features,
    similar features, or groups. Raises :class:`altsets.search.run.Stopped` if there is no time left to build it.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        candidates: Candidates | None = None,
        run: Run | None = None,
        *,
        asked: Problem | None = None,
    ) -> None:
        self.problem = problem
        #: With what couples the sets, which :meth:`couple` adds.
        self.asked = problem if asked is None else asked
        self._check = Run().check if run is None else run.check
        self.programme = Programme()
        self.sets: list[SetVariables] = []
        #: The groups that each set touches, by its first variable.
        self._groups: dict[int, dict[int, int]] = {}
        form = form_of(quality, problem, problem.k_max)
        if candidates is None:
            candidates = _candidates(quality, form, problem, short=self.asked.is_plain)
        self.candidates = candidates
        #: Variables of the features that some set has, where all sets have a budget together.
        self._bought: list[int] = []
        inside = self.candidates.indices
        pairs = form.pairs_among(inside, self._check) if form.has_pairs else np.zeros(0)
        self._pairs = pairs if pairs.any() else None
        self._cliques: list[list[int]] = []
        if form.conflicts is not None:
            for clique in cliques(form.conflicts[np.ix_(inside, inside)]):
                self._check()
                self._cliques.append(clique)
        # The solver's tolerances are absolute and mean something for numbers of order one.
        scores = self.candidates.scores
        largest = max(np.max(np.abs(scores), initial=0.0), np.max(np.abs(pairs), initial=0.0))
        self.scale = max(float(largest), self.asked.overlap_penalty) or 1.0

    @property
    def too_few(self) -> bool:
        """Whether there are not enough features for a single set."""
        return len(self.candidates) < self.problem.k_min

    @property
    def linear(self) -> bool:
        """Whether the quality is a plain sum over the features of a set."""
        return self._pairs is None

    @property
    def reach(self) -> float:
        """No quality in the programme is larger than this, nor smaller than its negative."""
        k = self.problem.k_max
        return float(k + k * (k - 1) // 2)

    @property
    def highest(self) -> float:
        """No objective in the programme is larger than this."""
        return self.reach * len(self.sets)

    def value(self, quality: Quality, sets: Sequence[FeatureSet]) -> float:
        """The objective of some sets, in units of the programme."""
        return self.asked.objective([quality.evaluate(chosen) for chosen in sets], sets) / self.scale

    def holds(self, chosen: FeatureSet) -> bool:
        """Whether a set keeps to all constraints, exactly."""
        return all(constraint.holds(chosen) for constraint in self.problem.constraints)

    def hold_together(self, sets: Sequence[FeatureSet]) -> bool:
        """Whether sets keep to all joint constraints, exactly."""
        return all(one.holds_together(sets, self.asked.existing) for one in self.asked.constraints)

    def add_set(self, others: Sequence[FeatureSet]) -> SetVariables:
        """Variables for one more set, with everything that it has to keep to; it differs from the others."""
        self._check()
        programme, problem = self.programme, self.problem
        chosen = [programme.variable(1) for _ in range(len(self.candidates))]
        members, size = dict.fromkeys(chosen, 1.0), None
        if problem.fixed_size:
            programme.row(members, lower=problem.k_min, upper=problem.k_max)
        else:
            size = programme.variable(problem.k_max, lower=problem.k_min)
            programme.row(members | {size: -1.0}, lower=0, upper=0)
        quality = {
            v: score / self.scale for v, score in zip(chosen, self.candidates.scores, strict=True) if score
        }
        added = SetVariables(chosen, quality | self._products(chosen), size)
        for clique in self._cliques:
            programme.row({chosen[position]: 1.0 for position in clique}, upper=1)
        self._constrain(problem.rules, chosen)
        for other in others:
            self._check()
            self._differ_from(added, other)
        self.sets.append(added)
        return added

    def _products(self, chosen: Sequence[int]) -> Terms:
        """One product for each pair of features, and its part in the quality."""
        # In a set of k features, the products with a chosen one add up to k - 1 and all others to 0. As no product
        # exceeds 1, these few rows say it all, for terms of either sign; the row for each costly product makes the
        # relaxation tighter.
        if self._pairs is None:
            return {}
        row = self.programme.row
        sums: list[Terms] = [{variable: 1.0 - self.problem.k_max} for variable in chosen]
        terms = {}
        for first, second in itertools.combinations(range(len(chosen)), 2):
            if second == first + 1:
                self._check()
            product = self.programme.variable(1, integer=False)
            sums[first][product] = sums[second][product] = 1.0
            cost = float(self._pairs[first, second]) / self.scale
            if cost:
                terms[product] = -cost
            if cost > 0:
                row({chosen[first]: 1.0, chosen[second]: 1.0, product: -1.0}, upper=1)
        for products in sums:
            row(products, lower=0, upper=0)
        return terms

    def _constrain(self, rules: ConstraintRules, chosen: Sequence[int]) -> None:
        """All rules for one set; forbidden features, conflicts and sizes are seen to elsewhere."""
        row = self.programme.row
        if rules.required:
            row(self._sum(chosen, rules.required), lower=len(rules.required))
        for rule in rules.counts:
            upper = math.inf if rule.upper is None else rule.upper
            row(self._sum(chosen, rule.group), lower=rule.lower if rule.lower else -math.inf, upper=upper)
        for need in rules.needs:
            excess = self._sum(chosen, [need.feature]) | {v: -1.0 for v in self._sum(chosen, [need.needed])}
            row(excess, upper=0)
        for budget in rules.budgets:
            if self.problem.fixed_size or not budget.each:
                self._pay(in_units(budget.of_size(self.problem.k_max)), chosen)
            else:
                self._add_up(budget, chosen)

    def _pay(self, budget: WholeBudget, chosen: Sequence[int]) -> None:
        """One set keeps to a budget."""
        # In units of the limit, and a little above it: where the cost of a set was nearly the limit, the solver has
        # been seen to lose other sets. Sets that exceed the limit by so little are excluded later.
        priced, unaffordable = {}, {}
        paid: dict[int, int] = {}
        for variable, feature in zip(chosen, self.candidates.indices.tolist(), strict=True):
            cost = int(budget.costs[feature])
            group = -1 if budget.groups is None else budget.groups[feature]
            if cost > budget.limit:
                unaffordable[variable] = 1.0
            elif cost and group < 0:
                priced[variable] = cost / budget.limit
            elif cost:
                # A variable for the group, which is paid once, is at least as large as that of each of its features.
                if group not in paid:
                    paid[group] = self.programme.variable(1, integer=False)
                    priced[paid[group]] = cost / budget.limit
                self.programme.row({variable: 1.0, paid[group]: -1.0}, upper=0)
        self.programme.row(priced, upper=1.0 + CLEARANCE)
        self.programme.row(unaffordable, upper=0)

    def _add_up(self, rule: CostRule, chosen: Sequence[int]) -> None:
        """Coefficients of any sign add up to no more than a limit, in sets of several sizes."""
        numbers = [int(rule.costs[feature]) - rule.each for feature in self.candidates.indices.tolist()]
        limit = int(rule.limit)
        unit = max(*map(abs, numbers), abs(limit), 1)
        terms = {variable: number / unit for variable, number in zip(chosen, numbers, strict=True)}
        self.programme.row(terms, upper=limit / unit + CLEARANCE)

    def _sum(self, chosen: Sequence[int], features: Iterable[int]) -> Terms:
        return {chosen[position]: 1.0 for position in self.candidates.positions(features)}

    def differ(self, first: SetVariables, second: SetVariables) -> None:
        """Keep two sets apart: their products count the features they share."""
        if self.problem.may_repeat:
            return
        self._check()
        match self.problem.dissimilarity:
            case Matched() as kind:
                inside = self.candidates.indices
                shared = self._cover(kind.weights_among(inside, inside), first.chosen, second.chosen)
                self._limit(shared, [first.size, second.size], 0)
            case Grouped():
                one, other = self._touched(first), self._touched(second)
                shared = self._products_of(one.values(), other.values())
                self._limit_groups(shared, [*one.values(), *other.values()], 0)
            case _:
                shared = self._products_of(first.chosen, second.chosen)
                self._limit(shared, [first.size, second.size], 0)

    def _differ_from(self, added: SetVariables, other: FeatureSet) -> None:
        """Keep a set apart from one that is given."""
        match self.problem.dissimilarity:
            case Matched() as kind:
                weights = kind.weights_among(self.candidates.indices, other)
                self._limit(self._cover(weights, added.chosen, None), [added.size], len(other))
            case Grouped() as kind:
                groups, touched = self._touched(added), kind.touched(other)
                shared = {variable: 1.0 for group, variable in groups.items() if group in touched}
                self._limit_groups(shared, list(groups.values()), len(touched))
            case _:
                self._limit(self._sum(added.chosen, other), [added.size], len(other))

    def _products_of(self, first: Iterable[int], second: Iterable[int]) -> Terms:
        """What two sets share, one by one: a variable each that is one if both are."""
        shared = {}
        for one, other in zip(first, second, strict=True):
            product = self.programme.variable(1, integer=False)
            self.programme.row({one: 1.0, other: 1.0, product: -1.0}, upper=1)
            shared[product] = 1.0
        return shared

    def _cover(self, weights: Floats, first: Sequence[int], second: Sequence[int] | None) -> Terms:
        """What two sets have in common where similar features count as the same; a given set has None."""
        # The smallest cover of the similar pairs is as large as the largest matching (Koenig).
        alike = np.argwhere(weights > 0)
        variable = self.programme.variable
        left = {i: variable(1, integer=False) for i in np.unique(alike[:, 0]).tolist()}
        right = {j: variable(1, integer=False) for j in np.unique(alike[:, 1]).tolist()}
        for i, j in alike.tolist():
            row = {first[i]: 1.0, left[i]: -1.0, right[j]: -1.0}
            if second is not None:
                row[second[j]] = 1.0
            self.programme.row(row, upper=0 if second is None else 1)
        return dict.fromkeys([*left.values(), *right.values()], 1.0)

    def _touched(self, one: SetVariables) -> dict[int, int]:
        """A variable for each group, which is one if the set has a feature of it."""
        known = self._groups.get(one.chosen[0])
        if known is not None:
            return known
        kind = self.problem.dissimilarity
        assert isinstance(kind, Grouped)
        assert kind.labels is not None
        members: dict[int, list[int]] = {}
        labels = kind.labels[self.candidates.indices].tolist()
        for chosen, group in zip(one.chosen, labels, strict=True):
            members.setdefault(group, []).append(chosen)
        touched = {}
        for group, features in members.items():
            touched[group] = self.programme.variable(1, integer=False)
            self.programme.row(dict.fromkeys(features, -1.0) | {touched[group]: 1.0}, upper=0)
            for chosen in features:
                self.programme.row({chosen: 1.0, touched[group]: -1.0}, upper=0)
        self._groups[one.chosen[0]] = touched
        return touched

    def _limit_groups(self, shared: Terms, groups: Sequence[int], given: int) -> None:
        """Limit the groups that two sets share by how many they touch; ``given`` by a set that is given."""
        assert self.problem.tau is not None
        part = (1 - self.problem.tau + EXACT_TOLERANCE) / 2
        most = 2 * self.problem.k_max + given
        share = _share_of([(total, math.floor(part * total)) for total in range(1, most + 1)])
        terms = dict.fromkeys(groups, -share)
        for variable in shared:
            terms[variable] = terms.get(variable, 0.0) + 1.0
        self.programme.row(terms, upper=share * given)

    def _limit(self, shared: Terms, sizes: Sequence[int | None], given: int) -> None:
        """Limit the features that two sets share; ``given`` is the size of the other set if it is fixed."""
        problem, k = self.problem, self.problem.k_max
        if problem.fixed_size:
            self.programme.row(shared, upper=problem.max_overlap_of(k, given or k))
            return
        variables = [size for size in sizes if size is not None]
        if problem.min_difference is not None:
            for size in variables:
                self.programme.row(shared | {size: -1.0}, upper=-problem.min_difference)
            if given:
                self.programme.row(shared, upper=given - problem.min_difference)
            return
        totals = [sum(pair) for pair in itertools.product(problem.sizes, [given] if given else problem.sizes)]
        share = overlap_share(problem, totals)
        self.programme.row(shared | dict.fromkeys(variables, -share), upper=share * given)

    def couple(self, usage: UsageLimits, totals: Iterable[CostRule]) -> None:
        """Limits on how many sets have a feature, groups for one set, and budgets for all sets, after :meth:`add_set`.

        What is left of ``totals`` beside existing sets; all limits count new sets alone.
        """
        row = self.programme.row
        for limits, is_upper in ((usage.upper, True), (usage.lower, False)):
            for feature, count in limits.items():
                self._check()
                users: Terms = {}
                for one in self.sets:
                    users |= self._sum(one.chosen, [feature])
                row(users, upper=count) if is_upper else row(users, lower=count)
        for group in usage.reserved:
            touched = [self._any_of(list(self._sum(one.chosen, group))) for one in self.sets]
            row(dict.fromkeys(touched, 1.0), upper=1)
        for budget in totals:
            if not self._bought:
                chosen = zip(*(one.chosen for one in self.sets), strict=True)
                self._bought = [self._any_of(users) for users in chosen]
            self._pay(in_units(budget), self._bought)

    def _any_of(self, variables: Sequence[int]) -> int:
        """A variable that is one if one of these is."""
        self._check()
        any_of = self.programme.variable(1, integer=False)
        for variable in variables:
            self.programme.row({variable: 1.0, any_of: -1.0}, upper=0)
        return any_of

    def _charge(self) -> None:
        """Shared features cost quality; what is shared with existing sets is in the scores already."""
        price = self.asked.overlap_penalty / self.scale
        for first, second in itertools.combinations(self.sets, 2):
            self._check()
            for product in self._products_of(first.chosen, second.chosen):
                self.programme.set_cost(product, -price)

    def in_order(self) -> None:
        """Break the symmetry of sets by the ranks of their features."""
        # Rows of nearly equal qualities made presolve cut off optima; whole numbers are safe.
        ranks = range(len(self.candidates), 0, -1)
        for first, second in itertools.pairwise(self.sets):
            self._check()
            ordered = {variable: -float(rank) for variable, rank in zip(first.chosen, ranks, strict=True)}
            ordered |= {variable: float(rank) for variable, rank in zip(second.chosen, ranks, strict=True)}
            self.programme.row(ordered, upper=0)

    def maximise_sum(self) -> None:
        """Ask for the largest sum of qualities, less what sharing costs."""
        for one in self.sets:
            for variable, value in one.quality.items():
                self.programme.set_cost(variable, value)
        if self.asked.overlap_penalty:
            self._charge()

    def maximise_minimum(self, limit: float, unit: float = 1.0) -> int:
        """Ask for the largest minimum, a variable in these units; return its number."""
        programme = self.programme
        lowest = programme.variable(limit * unit, cost=1 / unit, integer=False, lower=-2 * self.reach * unit)
        for one in self.sets:
            terms = {lowest: 1.0} | {variable: -value * unit for variable, value in one.quality.items()}
            programme.row(terms, upper=0, of_objective=True)
        return lowest

    def exclude(self, features: FeatureSet) -> None:
        """No set may be this one; nor have more features, unless these could make up for it."""
        others: Sequence[int] = ()
        if self.problem.rules.are_asked or any(budget.each for budget in self.problem.rules.budgets):
            others = sorted({*self.candidates.indices.tolist()}.difference(features))
        for one in self.sets:
            terms = self._sum(one.chosen, features) | dict.fromkeys(self._sum(one.chosen, others), -1.0)
            self.programme.row(terms, upper=len(features) - 1)

    def exclude_together(self, sets: Sequence[FeatureSet]) -> None:
        """All sets together may not have all features of these."""
        features = {feature for chosen in sets for feature in chosen}
        self.programme.row(self._sum(self._bought, features), upper=len(features) - 1)

    def features_of(self, values: Floats) -> list[FeatureSet]:
        """The sets that a solution stands for."""
        return [self.candidates.features(np.flatnonzero(values[one.chosen] > 0.5)) for one in self.sets]


def _candidates(quality: Quality, form: Form, problem: Problem, *, short: bool) -> Candidates:
    """A ``short`` list where pre-selection loses nothing, else all features that may be used."""
    if short and isinstance(quality, Additive) and problem.rules.only_forbid and problem.counts_shared:
        return Candidates.select(quality.scores, problem)
    usable = np.ones(problem.n_features_in, dtype=bool) if form.allowed is None else form.allowed.copy()
    usable[list(problem.forbidden)] = False
    indices = np.flatnonzero(usable)
    indices = indices[np.lexsort((indices, -form.linear[indices]))]
    return Candidates(indices, np.ascontiguousarray(form.linear[indices]))


def cliques(conflicts: Bools) -> Iterator[list[int]]:
    """Groups of positions that all exclude each other, such that every conflict lies in one of them."""
    open_pairs = conflicts.copy()
    for first in range(len(conflicts)):
        while open_pairs[first].any():
            clique = [first, int(np.argmax(open_pairs[first]))]
            common = conflicts[clique[0]] & conflicts[clique[1]]
            while common.any():
                # One that covers many open conflicts at once.
                covered = np.where(common, open_pairs[clique].sum(axis=0), -1)
                clique.append(int(np.argmax(covered)))
                common &= conflicts[clique[-1]]
            open_pairs[np.ix_(clique, clique)] = False
            yield clique


def overlap_share(problem: Problem, totals: Iterable[int]) -> float:
    """A factor c such that c times the sizes of two sets, rounded down, is the number of features they may share."""
    return _share_of([(total, problem.max_overlap_of(total // 2, total - total // 2)) for total in totals])


def _share_of(limits: Iterable[tuple[int, int]]) -> float:
    """A factor such that each total times it, rounded down, is its limit."""
    # The middle of all such factors, to stay clear of the solver's tolerance.
    low, high = Fraction(0), Fraction(1)
    for total, most in limits:
        low, high = max(low, Fraction(most, total)), min(high, Fraction(most + 1, total))
    return float((low + high) / 2)
