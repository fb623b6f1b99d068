"""The next set of a sequential search, where sets depend on each other by more than pairwise difference.

Given the sets before, every such definition is a plain search for one set: what is used up is forbidden, what is still
needed is required, what is bought already costs nothing, an average difference is a budget on how often features were
used, and a penalty on shared features is a price on each of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from altsets.amounts import LARGEST_EXACT
from altsets.arrays import Floats
from altsets.constraints import Constraint, Size
from altsets.constraints.base import CostRule, CountRule, NeedRule, ReserveRule, Rule, TotalRule, UsageRule
from altsets.dissimilarity import Matched
from altsets.errors import NotExpressedError
from altsets.problem import EXACT_TOLERANCE, FeatureSet, Problem
from altsets.quality import Additive, Form, Quality
from altsets.search.engine import PROVEN, Answer
from altsets.search.run import Run
from altsets.search.sequential import NextSet as Following
from altsets.search.sequential import SequentialSearch
from altsets.search.subset.construction import Construction
from altsets.search.subset.kernel_call import UNLIMITED
from altsets.search.subset.listing import KBest
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle
from altsets.search.subset.rules import in_units


@dataclass(frozen=True)
class Demand(Constraint):
    """Rules that a search adds to those of the user, such as what the sets before demand of the next one."""

    demanded: tuple[Rule, ...]
    #: Asked about every complete set, where the rules say less than is meant.
    test: Callable[[FeatureSet], bool] | None = None

    kind: ClassVar[str] = "demand"

    def resolve(self, names: Sequence[str]) -> Self:
        """Itself."""
        return self

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a set keeps to all rules, and passes the test."""
        inside = set(chosen)
        for rule in self.demanded:
            if isinstance(rule, CountRule):
                count = len(inside.intersection(rule.group))
                if count < rule.lower or (rule.upper is not None and count > rule.upper):
                    return False
            elif isinstance(rule, CostRule):
                if not in_units(rule.of_size(len(inside))).pays_for(sorted(inside)):
                    return False
            elif isinstance(rule, NeedRule) and rule.feature in inside and rule.needed not in inside:
                return False
        return self.test is None or self.test(tuple(sorted(inside)))

    def rules(self) -> tuple[Rule, ...]:
        """The rules."""
        return self.demanded

    @property
    def is_asked(self) -> bool:
        """Whether there is a test."""
        return self.test is not None

    def describe(self, names: Sequence[str]) -> str:
        """A few words."""
        return "what the sets before leave"

    sentence = describe

    @classmethod
    def parse(cls, text: str, read: Any) -> Self:
        """There is no option for it."""
        raise NotExpressedError("what the sets before leave has no option")

    def option_text(self, names: Sequence[str]) -> str:
        """There is none."""
        raise NotExpressedError("what the sets before leave has no option")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """There are none."""
        raise NotExpressedError("what the sets before leave cannot be written")


@dataclass(frozen=True)
class NextStep:
    """What the next set after others keeps to, and what each feature costs its quality."""

    asked: Problem
    #: The sets before, existing ones first.
    before: Sequence[FeatureSet]
    rules: tuple[Rule, ...]
    prices: Floats | None = None
    #: Asked about every complete set, where the rules say less than is meant.
    test: Callable[[FeatureSet], bool] | None = None
    #: The size that it is about, if it is one of several.
    size: int | None = None

    @cached_property
    def problem(self) -> Problem:
        """The step as a plain problem for one set."""
        alone = each_set(self.asked)
        existing = alone.existing if self.asked.difference == "average" else tuple(self.before)
        single = replace(alone, n_alternatives=0, existing=existing)
        if self.size is not None:
            single = _with_constraint(single, Size(self.size, self.size))
        return with_rules(single, self.rules, self.test)


def each_set(problem: Problem) -> Problem:
    """What every set of a sequential search keeps to, whatever comes before it; steps add the rest."""
    constraints = tuple(one for one in problem.constraints if not one.joint_rules())
    single = replace(problem.plain, search="sequential", aggregation="sum", constraints=constraints)
    return replace(single, existing=(), dissimilarity="dice") if problem.difference == "average" else single


def steps(problem: Problem, before: Sequence[FeatureSet]) -> Iterator[NextStep]:
    """The next set after others, the existing ones first: as one problem, or as one for each size.

    Nothing if there is obviously no such set.
    """
    demanded = demanded_after(problem, before)
    if demanded is None:
        return
    prices = None
    if problem.overlap_penalty and before:
        prices = problem.overlap_penalty * uses_of(problem, before)
    if problem.difference != "average" or not before:
        yield NextStep(problem, before, demanded, prices)
        return
    for size in problem.sizes:
        far = _far_on_average(problem, before, size)
        if far is not None:
            rules, test = far
            only = None if problem.fixed_size else size
            yield NextStep(problem, before, (*demanded, *rules), prices, test, only)


def with_rules(
    problem: Problem, rules: tuple[Rule, ...], test: Callable[[FeatureSet], bool] | None = None
) -> Problem:
    """The problem under more rules, and a test of complete sets."""
    return _with_constraint(problem, Demand(rules, test)) if rules or test else problem


def _with_constraint(problem: Problem, constraint: Constraint) -> Problem:
    return replace(problem, constraints=(*problem.constraints, constraint))


def uses_of(problem: Problem, sets: Sequence[FeatureSet]) -> Floats:
    """How many sets have each feature."""
    uses = np.zeros(problem.n_features_in)
    for chosen in sets:
        uses[list(chosen)] += 1
    return uses


def demanded_after(problem: Problem, before: Sequence[FeatureSet]) -> tuple[Rule, ...] | None:
    """What joint constraints leave for the next set; None if they leave nothing."""
    uses = Counter(feature for chosen in before for feature in chosen)
    left = problem.n_sets - (len(before) - len(problem.existing))
    forbidden: set[int] = set()
    required: set[int] = set()
    rules: list[Rule] = []
    for rule in problem.rules.joint:
        if isinstance(rule, ReserveRule):
            if any(uses[feature] for feature in rule.group):
                forbidden.update(rule.group)
        elif isinstance(rule, UsageRule):
            about = tuple(uses) if rule.features is None else rule.features
            if rule.upper is not None:
                forbidden.update(feature for feature in about if uses[feature] >= rule.upper)
            missing = {feature: rule.lower - uses[feature] for feature in about}
            if max(missing.values(), default=0) > left:
                return None
            required.update(feature for feature, count in missing.items() if count == left)
        else:
            unpaid = budget_left(rule, uses)
            if unpaid is None:
                return None
            rules.append(unpaid)
    if required & forbidden:
        return None
    if forbidden:
        rules.append(CountRule(tuple(sorted(forbidden)), upper=0))
    if required:
        rules.append(CountRule(tuple(sorted(required)), lower=len(required)))
    return tuple(rules)


@dataclass(frozen=True)
class UsageLimits:
    """In how many new sets a feature may be, where existing ones are counted already."""

    #: By feature, where it is fewer than all new sets, and where it is any.
    upper: dict[int, int]
    lower: dict[int, int]
    #: Groups that at most one new set may have features of; if an existing set has one, all are forbidden.
    reserved: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, problem: Problem) -> UsageLimits:
        """What joint constraints say about features."""
        used = Counter(feature for given in problem.existing for feature in given)
        upper: dict[int, int] = {}
        lower: dict[int, int] = {}
        reserved = []
        for rule in problem.rules.joint:
            if isinstance(rule, ReserveRule):
                reserved += [] if any(used[feature] for feature in rule.group) else [rule.group]
            elif isinstance(rule, UsageRule):
                about = range(problem.n_features_in) if rule.features is None else rule.features
                for feature in about:
                    if rule.upper is not None:
                        most = max(rule.upper - used[feature], 0)
                        upper[feature] = min(most, upper.get(feature, problem.n_sets))
                    if rule.lower > used[feature]:
                        lower[feature] = max(rule.lower - used[feature], lower.get(feature, 0))
        upper = {feature: most for feature, most in upper.items() if most < problem.n_sets}
        return cls(upper, lower, tuple(reserved))


#: Of most requests.
NO_LIMITS = UsageLimits({}, {}, ())


def budget_left(rule: TotalRule, bought: Collection[int]) -> CostRule | None:
    """The budget that is left, in whole units; what is bought costs nothing. None if it is exceeded already."""
    whole = in_units(rule.budget)
    left = whole.limit - whole.total(bought)
    if left < 0:
        return None
    unpaid, _ = whole.payers(np.arange(len(whole.costs)), bought)
    unpaid[list(bought)] = 0
    return CostRule(tuple(unpaid.tolist()), left, rule.budget.groups)


def _far_on_average(
    problem: Problem, before: Sequence[FeatureSet], size: int
) -> tuple[tuple[Rule, ...], Callable[[FeatureSet], bool] | None] | None:
    """What makes a set of one size differ enough from all others on average; None if no set does.

    The rule limits a sum over features of how often, and by how large sets, they were used. Only for Dice it says all.
    """
    kind, n = problem.dissimilarity, len(before)
    exact = isinstance(kind, str) and (kind == "dice" or problem.tau is None)
    test = None if exact else _mean_test(problem, before)
    if callable(kind) and not isinstance(kind, Matched):
        return (), test
    if problem.tau is None:
        assert problem.min_difference is not None
        limit = Fraction(sum(min(size, len(other)) for other in before) - n * problem.min_difference)
        shares = [Fraction(1)] * n
    else:
        # Dice: the sum of 2 o / (s + t) is at most n (1 - tau). Jaccard: o / (s + t - o) lies above its tangent where
        # it is 1 - tau, so the sum of o / (s + t) is at most n (1 - tau) / (2 - tau).
        room = 1 - problem.tau + EXACT_TOLERANCE
        shares = [Fraction(1 if kind == "jaccard" else 2, size + len(other)) for other in before]
        limit = n * room / (1 + room) if kind == "jaccard" else n * room
    if limit < 0:
        return None
    unit = math.lcm(*(share.denominator for share in shares))
    costs = [0] * problem.n_features_in
    for other, share in zip(before, shares, strict=True):
        weight = int(share * unit)
        for feature in other:
            costs[feature] += weight
    return (CostRule(tuple(costs), math.floor(limit * unit)),), test


def _mean_test(problem: Problem, before: Sequence[FeatureSet]) -> Callable[[FeatureSet], bool]:
    """Whether a set differs enough from all others on average."""
    assert problem.tau is not None
    least = float(problem.tau)

    def far(chosen: FeatureSet) -> bool:
        total = math.fsum(problem.apart(chosen, other) for other in before)
        return total >= len(before) * (least - float(EXACT_TOLERANCE))

    return far


# --- Searches for one set --------------------------------------------------------------------------------------------


def priced(quality: Quality, prices: Floats | None) -> Quality:
    """A quality after prices for features; not for ratios."""
    if prices is None:
        return quality
    if isinstance(quality, Additive):
        # Engines know it by its class.
        plain = copy(quality)
        plain.scores = quality.scores - prices
        return plain
    return _Priced(quality, prices)


class _Priced(Quality):
    """A quality with linear terms, after prices."""

    def __init__(self, quality: Quality, prices: Floats) -> None:
        super().__init__(quality.n_features_in, None)
        self.size_normalised, self.pairs_on_demand = quality.size_normalised, quality.pairs_on_demand
        self._quality, self._prices = quality, prices

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, after prices."""
        return self._quality.evaluate(indices) - math.fsum(self._prices[list(indices)].tolist())

    def form(self, size: int) -> Form:
        """The quality of sets of one size, after prices."""
        form = self._quality.form(size)
        return replace(form, linear=form.linear - self._prices)


@dataclass(frozen=True)
class Proven:
    """The best set after prices and a bound on every such set; no set, and minus infinity, if there is none."""

    chosen: FeatureSet | None
    bound: float


NO_SET = Proven(None, -math.inf)


class SumSearch(Protocol):
    """Finds best sets faster where quality is a sum of scores."""

    @property
    def ceiling(self) -> float:
        """No set is better than this, whatever comes before it."""

    def best(self, step: NextStep, /) -> Proven | None:
        """The proven best set after prices, if there is one; None if nothing is proven."""


class NextSet:
    """The best next set of a problem, by branch and bound over one set; by ``sums`` if it is a sum of scores."""

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        run: Run,
        sums: SumSearch | None = None,
    ) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self._sums = sums
        form = quality.form(problem.k_max) if problem.sizes else None
        self._is_ratio = form is not None and form.ratio
        self._is_sum = form is None or form.is_sum

    @cached_property
    def ceiling(self) -> float:
        """No set is better than this, whatever it has to differ from."""
        if self._sums is not None:
            return self._sums.ceiling
        free = replace(self.problem.plain, existing=(), dissimilarity="dice")
        return PricingOracle(self.quality, free, self.run).ceiling

    def in_turn(self, proof: str, next_set: Following | None = None) -> Answer:
        """One set after the other, each as :meth:`best` finds it, or another search for the next one."""
        search = SequentialSearch(
            self.problem, self.run, next_set or self.best, self.quality.evaluate, lambda: self
        )
        return search.solve(proof)

    def best(
        self, before: Sequence[FeatureSet], threshold: float = -math.inf, max_nodes: int = UNLIMITED
    ) -> tuple[FeatureSet | None, float]:
        """The best set above a threshold after others, existing ones among them, and a bound on every such set."""
        chosen, value, bound = None, threshold, -math.inf
        for step in steps(self.problem, before):
            search = self._by_quality if self._is_ratio and step.prices is not None else self._by_value
            found, left = search(step, value, max_nodes)
            bound = max(bound, left)
            if found is not None:
                chosen, value = found, self.value(found, before)
        return chosen, bound if chosen is None else max(bound, value)

    def value(self, chosen: FeatureSet, before: Sequence[FeatureSet]) -> float:
        """What a set is worth after others: its quality without what it shares with them."""
        paid = self.problem.overlap_penalty
        shared = sum(len(set(chosen).intersection(other)) for other in before) if paid else 0
        return self.quality.evaluate(chosen) - paid * shared

    def _by_value(self, step: NextStep, threshold: float, max_nodes: int) -> tuple[FeatureSet | None, float]:
        """The best set after prices, and a bound on those not looked at."""
        proven = None if self._sums is None else self._sums.best(step)
        if proven is not None:
            return (proven.chosen if proven.bound > threshold else None), proven.bound
        best = self._within_rules(step, threshold, max_nodes)
        if best is None:
            pricing = PricingOracle(priced(self.quality, step.prices), step.problem, self.run)
            best = pricing.k_best(1, threshold=threshold, max_nodes=max_nodes)
        return (best.sets[0] if best.sets else None), best.bound

    def _within_rules(self, step: NextStep, threshold: float, max_nodes: int) -> KBest | None:
        """The same by one search for all steps, which saves its preparation; None if a step asks for more."""
        # Of sums, few features are left once all rules are known.
        if self._is_sum or step.test is not None or step.size is not None:
            return None
        pricing, budget = self._every, None
        forbidden: tuple[int, ...] = ()
        for rule in step.rules:
            if isinstance(rule, CountRule) and rule.forbids:
                forbidden += rule.group
            elif isinstance(rule, CostRule) and budget is None and self._is_exact(rule):
                # Whatever is too expensive is so by one unit.
                costs = [min(rule.costs[feature], rule.limit + 1) for feature in pricing.features]
                budget = np.array(costs, dtype=np.float64), rule.limit
            else:
                return None
        return pricing.k_best(
            1,
            others=() if self.problem.difference == "average" else step.before[len(self.problem.existing) :],
            prices=None if step.prices is None else DualPrices(step.prices[pricing.features]),
            threshold=threshold,
            budget=budget,
            forbidden=forbidden,
            max_nodes=max_nodes,
        )

    def _is_exact(self, rule: CostRule) -> bool:
        """Whether features pay for themselves, and doubles hold all sums of what they cost."""
        return rule.groups is None and rule.limit < LARGEST_EXACT // (2 * self.problem.k_max + 2)

    @cached_property
    def _every(self) -> PricingOracle:
        """The sets of all steps."""
        # Single features add up even where larger sets do not, but prices and what is forbidden come later.
        alone = each_set(self.problem)
        return PricingOracle(self.quality, alone, self.run, interchangeable=False)

    def _by_quality(
        self, step: NextStep, threshold: float, max_nodes: int
    ) -> tuple[FeatureSet | None, float]:
        """The same for a ratio, which takes no prices: the best quality for ever less that is shared."""
        assert step.prices is not None
        best, value, bound = None, threshold, -math.inf
        most: int | None = None
        uses = np.rint(step.prices / self.problem.overlap_penalty).astype(int)
        while most is None or most >= 0:
            limited = (
                step.problem
                if most is None
                else with_rules(step.problem, (CostRule(tuple(uses.tolist()), most),))
            )
            pricing = PricingOracle(self.quality, limited, self.run)
            # Sets that share less are worth no more than their quality.
            found = pricing.k_best(1, threshold=value, max_nodes=max_nodes)
            bound = max(bound, found.bound)
            if not found.sets:
                break
            chosen = found.sets[0]
            shared = int(uses[list(chosen)].sum())
            reached = self.quality.evaluate(chosen) - self.problem.overlap_penalty * shared
            if reached > value:
                best, value = chosen, reached
            most = shared - 1
        return best, bound

    # --- Without proof -----------------------------------------------------------------------------------------------

    def one(self, before: Sequence[FeatureSet]) -> FeatureSet | None:
        """A good set after new ones, constructed; None if that fails."""
        best, every = None, [*self.problem.existing, *before]
        for step in steps(self.problem, every):
            quality = self.quality if self._is_ratio else priced(self.quality, step.prices)
            construction = Construction(PricingOracle(quality, step.problem, self.run))
            exchanging = not self.run.stopped or construction.is_little(self.problem.n_sets)
            chosen = construction.one(exchanging=exchanging)
            if chosen is None or not all(one.holds(chosen) for one in step.problem.constraints):
                continue
            if best is None or self.value(chosen, every) > self.value(best, every):
                best = chosen
        return best

    def improved(self, chosen: FeatureSet, before: Sequence[FeatureSet]) -> FeatureSet:
        """The better one of a set and one that is constructed."""
        other, every = self.one(before), [*self.problem.existing, *before]
        better = other is not None and self.value(other, every) > self.value(chosen, every) + PROVEN
        return other if better and other is not None else chosen

    def all(self, before: Sequence[FeatureSet]) -> list[FeatureSet]:
        """As many sets as asked, or as can be constructed; ``before`` are the first ones."""
        sets = list(before)
        while len(sets) < self.problem.n_sets:
            chosen = self.one(sets)
            if chosen is None:
                break
            sets.append(chosen)
        return sets
