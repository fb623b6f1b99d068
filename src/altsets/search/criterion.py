"""A number for each feature whose sum is a second criterion: exact sums in whole units, and limits on them."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from altsets.amounts import EXACT_DECIMALS, amounts_in, for_each
from altsets.constraints import Budget, Size
from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.problem import Problem

#: Digits of whole units: doubles, which engines compute with, end not far beyond.
MOST_DIGITS = 290


def numbers_in(given: Any, names: FeatureNames, who: str) -> tuple[float, ...]:
    """Numbers of features as a user gives them; a feature that a mapping does not name counts 0."""
    return for_each(amounts_in(given, who, noun="number", nouns="numbers"), names, who, "numbers")


@dataclass(frozen=True)
class Criterion:
    """Numbers of features, less is better, as whole multiples of a unit: ten to the power of ``place``.

    With ``groups``, the number of the group of each feature, a group counts once; then no number is negative.
    """

    whole: tuple[int, ...]
    place: int
    groups: tuple[int, ...] | None = None

    @classmethod
    def of(cls, given: Any, names: FeatureNames, who: str) -> Criterion:
        """Numbers as a user gives them."""
        return cls.exactly(numbers_in(given, names, who), who)

    @classmethod
    def exactly(cls, numbers: Sequence[float], who: str, groups: tuple[int, ...] | None = None) -> Criterion:
        """One number for each feature, as the decimal that it is printed as."""
        decimals = [Decimal(repr(number)) for number in numbers]
        # The exponent of a decimal that is printed is never "infinity".
        place = min(int(decimal.as_tuple().exponent) for decimal in decimals)
        most = max(map(abs, numbers))
        largest = Decimal(repr(most)).adjusted() if most else place
        if largest - place > MOST_DIGITS:
            raise InputError(
                f"{who}: the numbers reach from 1e{place} to 1e{largest + 1}, which is too far to add them up; "
                "round the small ones to 0."
            )
        return cls(tuple(int(decimal.scaleb(-place, EXACT_DECIMALS)) for decimal in decimals), place, groups)

    def value(self, units: int) -> float:
        """A number of units in the numbers of the user, rounded once."""
        return float(Decimal(units).scaleb(self.place, EXACT_DECIMALS))

    def total(self, chosen: Sequence[int]) -> float:
        """The sum over a set."""
        return self.value(self.units(chosen))

    def units(self, chosen: Sequence[int]) -> int:
        """The sum over a set, in whole units."""
        counted = chosen if self.groups is None else {self.groups[index]: index for index in chosen}.values()
        return sum(self.whole[index] for index in counted)

    def parts(self, problem: Problem) -> list[Problem]:
        """The problem, or one for each size: negative numbers are counted from the least, in sets of one size."""
        if problem.fixed_size or min(self.whole) >= 0:
            return [problem]
        free = tuple(one for one in problem.constraints if not isinstance(one, Size))
        return [replace(problem, n_features=size, constraints=free) for size in problem.sizes]

    def least(self, part: Problem) -> int:
        """A sum, in units, that no set of one of the parts falls below."""
        usable = (number for index, number in enumerate(self.whole) if index not in part.forbidden)
        if self.groups is not None:
            # All features may be of one group.
            return min(usable, default=0)
        smallest = heapq.nsmallest(part.k_max, usable)
        return min((sum(smallest[:size]) for size in part.sizes), default=0)

    def at_most(self, part: Problem, most: int) -> Problem:
        """One of the parts, in which no set has a sum of more units than this, which is the least or more."""
        lowest = min(0, *self.whole)
        budget = object.__new__(Budget)
        # In whole numbers of any length, which as floats would be rounded.
        budget._set(
            costs=tuple(number - lowest for number in self.whole),
            limit=most - lowest * part.k_max,
            groups=self.groups,
        )
        return replace(part, constraints=(*part.constraints, budget))
