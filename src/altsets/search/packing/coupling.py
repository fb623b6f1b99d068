"""What sets that are chosen together have to do with each other, besides being different.

How often features may be used, what sharing costs, which sets may not come together, what all of them may cost, and how
far apart their qualities may be. Sets that exist already are settled first: what they use up is forbidden, what they
have bought costs nothing, and what new sets share with them is a price on features. The rest is about new sets alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints.base import TotalRule
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.additive.next_sum import NextSum
from altsets.search.run import Run
from altsets.search.steps import NextSet, UsageLimits, demanded_after, priced, uses_of, with_rules
from altsets.search.subset.limits import PricingLimits
from altsets.search.subset.listing import Listing

#: Tells which of some sets go with one of them, by numbers.
Together = Callable[[int, npt.NDArray[np.integer]], npt.NDArray[np.uint8]]


@dataclass(frozen=True)
class Coupling:
    """The joint conditions of one problem for sets that are chosen together."""

    #: As asked; and without joint conditions, for single sets and what they share.
    asked: Problem
    plain: Problem
    #: After prices for what sets share with those that exist.
    quality: Quality
    prices: Floats | None
    #: Best responses: one more set after all others.
    following: NextSet
    usage: UsageLimits

    @classmethod
    def of(cls, quality: Quality, problem: Problem, run: Run, limits: PricingLimits) -> Coupling | None:
        """The conditions that are left beside existing sets; None if there obviously is no solution."""
        demanded = demanded_after(problem, problem.existing)
        if demanded is None:
            return None
        prices = None
        if problem.overlap_penalty and problem.existing:
            prices = problem.overlap_penalty * uses_of(problem, problem.existing)
        plain = with_rules(problem.plain, demanded)
        usage = UsageLimits.of(problem)
        following = NextSet(quality, problem, run, limits, NextSum.of(quality, problem, run))
        return cls(problem, plain, priced(quality, prices), prices, following, usage)

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

    def lowest(self, reach: float) -> float:
        """No solution has a smaller sum, where no set is worth less than minus ``reach``."""
        n_sets = self.asked.n_sets
        most_paid = self.penalty * self.asked.k_max * n_sets * (n_sets - 1) / 2
        return -(n_sets + 1) * reach - most_paid

    def paid(self, sets: Sequence[FeatureSet]) -> float:
        """What new sets pay for the features that they share with each other."""
        if not self.penalty:
            return 0.0
        shared = sum(len(set(one).intersection(other)) for one, other in itertools.combinations(sets, 2))
        return self.penalty * shared

    def keeps(self, sets: Sequence[FeatureSet]) -> bool:
        """Whether new sets keep to all joint conditions."""
        problem = self.asked
        if not all(one.holds_together(sets, problem.existing) for one in problem.constraints):
            return False
        qualities = [self.following.quality.evaluate(chosen) for chosen in sets]
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
        return self.following.value(chosen, [*self.asked.existing, *others])
