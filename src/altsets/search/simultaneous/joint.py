"""What sets that are chosen together have to do with each other, besides being different.

How often features may be used, what sharing costs, which sets may not come together, what all of them may cost, and how
far apart their qualities may be. Sets that exist already are settled first: what they use up is forbidden, what they
have bought costs nothing, and what new sets share with them is a price on features. The rest is about new sets alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints import Forbid
from altsets.constraints.base import ConstraintRules, TotalRule
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.additive.next_sum import NextSum
from altsets.search.additive.pattern_milp import Conditions
from altsets.search.run import Run
from altsets.search.steps import (
    NextSet,
    UsageLimits,
    budget_left,
    demanded_after,
    priced,
    uses_of,
    with_rules,
)
from altsets.search.subset.listing import Listing
from altsets.search.subset.rules import WholeBudget, in_units

#: When features are bought for all sets: in so many steps from scores that count alone to costs that do.
STEPS_TO_THRIFT = 20

#: The same where there is no time to try all of them.
FEW_STEPS_TO_THRIFT = 4

#: Tells which of some sets go with one of them, by numbers.
Together = Callable[[int, npt.NDArray[np.integer]], npt.NDArray[np.uint8]]


@dataclass(frozen=True)
class JointConditions:
    """The conditions of one problem on sets that are chosen together."""

    #: As asked; and without joint conditions, for single sets and what they share.
    asked: Problem
    plain: Problem
    #: After prices for what sets share with those that exist.
    quality: Quality
    prices: Floats | None
    #: Best responses: one more set after all others.
    responses: NextSet
    usage: UsageLimits

    @classmethod
    def of(cls, quality: Quality, problem: Problem, run: Run) -> JointConditions | None:
        """The conditions that are left beside existing sets; None if there obviously is no solution."""
        demanded = demanded_after(problem, problem.existing)
        if demanded is None:
            return None
        prices = None
        if problem.overlap_penalty and problem.existing:
            prices = problem.overlap_penalty * uses_of(problem, problem.existing)
        plain = with_rules(problem.plain, demanded)
        usage = UsageLimits.of(problem)
        responses = NextSet(quality, problem, run, NextSum.of(quality, problem, run))
        return cls(problem, plain, priced(quality, prices), prices, responses, usage)

    @property
    def penalty(self) -> float:
        """What each feature that two new sets share costs."""
        return self.asked.overlap_penalty

    @property
    def interchangeable(self) -> bool:
        """Whether a feature that no set has could take the place of any other that scores less."""
        # A feature that scores more after prices may be worth less without them, which is what the limit is about.
        limited = self.asked.min_quality is not None and self.prices is not None
        spread = self.asked.max_spread is not None
        return not (limited or spread or self.usage.lower or self.usage.reserved or self.has_totals)

    @property
    def has_totals(self) -> bool:
        """Whether all sets together have a budget."""
        return any(isinstance(rule, TotalRule) for rule in self.asked.rules.joint)

    @property
    def counts_features(self) -> bool:
        """Whether it is enough to count features of some groups in sets, and to add up scores."""
        if self.asked.min_quality is not None or self.asked.max_spread is not None:
            return False
        alone = self._alone
        return (
            alone.conflicts is None and not (alone.needs or alone.budgets) and not self.asked.rules.are_asked
        )

    @cached_property
    def conditions(self) -> Conditions:
        """The conditions on new sets, where features are counted."""
        bought = {feature for given in self.asked.existing for feature in given}
        left = [budget_left(rule, bought) for rule in self.asked.rules.joint if isinstance(rule, TotalRule)]
        return Conditions(
            self.usage,
            [in_units(budget) for budget in left if budget is not None],
            self._alone.counts,
            self.plain.rules.required,
            self.penalty,
        )

    def purchases(self, scores: Floats, n_steps: int = STEPS_TO_THRIFT) -> Iterator[FeatureSet]:
        """Features that can be paid for together, from the best ones to the cheapest ones."""
        last: list[int] = []
        totals = self.conditions.totals
        costs = np.zeros(len(scores))
        for whole in totals:
            costs += (whole.costs / max(whole.limit, 1)).astype(np.float64)
        allowed = [j for j in range(len(scores)) if j not in self.plain.forbidden]
        for thrift in np.linspace(0, 1, n_steps + 1):
            worth = (1 - thrift) * _shares(scores) - thrift * _shares(costs)
            bought: list[int] = []
            paid: list[set[int]] = [set() for _ in totals]
            left = [whole.limit for whole in totals]
            for feature in sorted(allowed, key=lambda j: (-worth[j], j)):
                asked = [_price(whole, feature, groups) for whole, groups in zip(totals, paid, strict=True)]
                if all(price <= room for price, room in zip(asked, left, strict=True)):
                    bought.append(feature)
                    left = [room - price for price, room in zip(asked, left, strict=True)]
                    for whole, groups in zip(totals, paid, strict=True):
                        if whole.groups is not None:
                            groups.add(whole.groups[feature])
            if bought != last:
                yield tuple(bought)
            last = bought

    def constructed(self) -> list[FeatureSet]:
        """Sets without proof, perhaps fewer than asked: in turn, and where that spends too much, of what is bought."""
        sets = self.responses.all([])
        if len(sets) == self.asked.n_sets or not self.has_totals:
            return sets
        scores = self.quality.form(self.asked.k_max).linear
        for bought in self.purchases(scores, FEW_STEPS_TO_THRIFT):
            sets = self.among(bought).all([])
            if len(sets) == self.asked.n_sets:
                break
        return sets

    def among(self, features: Collection[int]) -> NextSet:
        """The same best responses, of some features only."""
        constraints = (*self.asked.constraints, *all_but(features, self.asked))
        problem = replace(self.asked, constraints=constraints)
        quality, run = self.responses.quality, self.responses.run
        return NextSet(quality, problem, run, NextSum.of(quality, problem, run))

    @cached_property
    def _alone(self) -> ConstraintRules:
        """The rules of each set on its own."""
        return ConstraintRules.of(one for one in self.asked.constraints if not one.joint_rules())

    def lowest(self, magnitude: float) -> float:
        """No solution has a smaller sum, where no set is worth less than minus ``magnitude``."""
        n_sets = self.asked.n_sets
        most_paid = self.penalty * self.asked.k_max * n_sets * (n_sets - 1) / 2
        return -(n_sets + 1) * magnitude - most_paid

    def paid(self, sets: Sequence[FeatureSet]) -> float:
        """What new sets pay for the features that they share with each other."""
        if not self.penalty:
            return 0.0
        shared = sum(len(set(one).intersection(other)) for one, other in itertools.combinations(sets, 2))
        return self.penalty * shared

    def holds(self, sets: Sequence[FeatureSet]) -> bool:
        """Whether all joint conditions hold for new sets."""
        problem = self.asked
        if not all(one.holds_together(sets, problem.existing) for one in problem.constraints):
            return False
        qualities = [self.responses.quality.evaluate(chosen) for chosen in sets]
        if problem.min_quality is not None and min(qualities) < problem.min_quality:
            return False
        return problem.max_spread is None or max(qualities) - min(qualities) <= problem.max_spread

    def by_place(self, limits: dict[int, int], place: Ints) -> dict[int, int]:
        """Limits by the places of features; those that no set may have are left out."""
        return {int(place[feature]): count for feature, count in limits.items() if place[feature] >= 0}

    def raw(self, listing: Listing) -> Floats:
        """The qualities of listed sets, without prices for what they share with existing ones."""
        if self.prices is None:
            return listing.qualities
        paid = [self.prices[rows].sum(axis=1) for rows in listing.rows]
        qualities: Floats = listing.qualities + np.concatenate([np.zeros(0), *paid])
        return qualities

    def together(self, listing: Listing, order: Indices) -> Together | None:
        """The test of two listed sets in this order; None if no pair of sets is ruled out."""
        spread = self.asked.max_spread
        if spread is None and not self.usage.reserved:
            return None
        qualities = self.raw(listing)[order]
        touched = [self._touched(listing, group)[order] for group in self.usage.reserved]

        def go_together(i: int, others: npt.NDArray[np.integer]) -> npt.NDArray[np.uint8]:
            fine: Bools = np.ones(len(others), dtype=bool)
            if spread is not None:
                fine &= np.abs(qualities[others] - qualities[i]) <= spread
            for inside in touched:
                fine &= ~(inside[others] & inside[i])
            return fine.astype(np.uint8)

        return go_together

    @staticmethod
    def _touched(listing: Listing, group: Sequence[int]) -> Bools:
        """Which listed sets have a feature of a group."""
        return np.concatenate(
            [np.zeros(0, dtype=bool), *(np.isin(rows, list(group)).any(axis=1) for rows in listing.rows)]
        )

    def worth(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> float:
        """What a set adds beside other new sets."""
        return self.responses.value(chosen, [*self.asked.existing, *others])


def all_but(features: Collection[int], problem: Problem) -> tuple[Forbid, ...]:
    """What forbids all other features, if there are any."""
    others = sorted(set(range(problem.n_features_in)).difference(features))
    return (Forbid(others),) if others else ()


def _shares(numbers: Floats) -> Floats:
    """Numbers between 0 for the least and 1 for the largest one."""
    spread = float(np.ptp(numbers))
    shares: Floats = (numbers - numbers.min()) / (spread or 1.0)
    return shares


def _price(budget: WholeBudget, feature: int, paid: set[int]) -> int:
    """What a feature costs where some groups are paid for."""
    is_paid = budget.groups is not None and budget.groups[feature] in paid - {-1}
    return 0 if is_paid else int(budget.costs[feature])
