"""The values of tau that can make a difference, and how different given sets are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from altsets.problem import FeatureSet, Problem
from altsets.search.families.limits import FamilyLimits

__all__ = ["Taus", "least_dissimilarity"]


@dataclass(frozen=True)
class Taus:
    """Values of tau from 0 to 1, ascending; ``every`` says whether two sets can have no dissimilarity between them."""

    values: Sequence[Fraction]
    every: bool

    @classmethod
    def of(cls, problem: Problem, limits: FamilyLimits) -> Taus:
        """All values that matter where features are counted; else values that are close to each other.

        Examples
        --------
        >>> from altsets.search.families.limits import FAMILY_LIMITS
        >>> [str(tau) for tau in Taus.of(Problem.create(9, n_features=4), FAMILY_LIMITS).values]
        ['0', '1/4', '1/2', '3/4', '1']
        """
        if not callable(problem.dissimilarity):
            given = {len(one) for one in problem.existing}
            n_totals = 2 * len(problem.sizes) + len(given) * len(problem.sizes)
            if n_totals * max(problem.k_max, *given, 1) <= limits.most_taus:
                return cls(_all_counted(problem, given), every=True)
        steps = limits.tau_steps
        return cls([Fraction(step, steps) for step in range(steps + 1)], every=False)

    def reached(self, tau: Fraction) -> int:
        """The number of the largest value that is no larger than this."""
        return bisect_right(self.values, tau) - 1


def _all_counted(problem: Problem, given: Set[int]) -> list[Fraction]:
    """All dissimilarities that two sets, or a set and one of a given size, can have by counting; and 0 and 1."""
    assert isinstance(problem.dissimilarity, str)
    values = {Fraction(0), Fraction(1)}
    for total in {s + t for s in problem.sizes for t in {*problem.sizes, *given}}:
        values |= {_counted(problem.dissimilarity, shared, total) for shared in range(1, total // 2 + 1)}
    return sorted(values)


def _counted(kind: str, shared: int, total: int) -> Fraction:
    """The dissimilarity of two sets that have so many features in common and, counted twice, in all."""
    return 1 - (Fraction(2 * shared, total) if kind == "dice" else Fraction(shared, total - shared))


def least_dissimilarity(problem: Problem, sets: Sequence[FeatureSet]) -> Fraction:
    """Of any two of the sets, and of any of them and an existing one; 1 if there are no two."""
    pairs = [*combinations(sets, 2), *((chosen, given) for chosen in sets for given in problem.existing)]
    least = Fraction(1)
    for pair in pairs:
        first, second = min(pair), max(pair)
        if callable(problem.dissimilarity):
            value = Fraction(float(problem.dissimilarity(first, second)))
        else:
            shared = len(set(first) & set(second))
            value = _counted(problem.dissimilarity, shared, len(first) + len(second))
        least = min(least, value)
    return max(least, Fraction(0))
