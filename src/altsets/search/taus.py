"""Values of tau at which the set of solutions can change, and the least dissimilarity of given sets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from altsets.dissimilarity import Grouped, Matched
from altsets.problem import FeatureSet, Problem

#: Steps from 0 to 1 where the possible dissimilarities are not known, or are more than ``MOST_TAUS``.
TAU_STEPS, MOST_TAUS = 1_000, 100_000


@dataclass(frozen=True)
class Taus:
    """Values of tau from 0 to 1, ascending; ``every`` says whether two sets can have no dissimilarity between them."""

    values: Sequence[Fraction]
    every: bool

    @classmethod
    def of(cls, problem: Problem, n_steps: int = TAU_STEPS) -> Taus:
        """All values that matter where features are counted; else ``n_steps`` equal steps."""
        if _counts(problem):
            given = {len(one) for one in problem.existing}
            n_totals = 2 * len(problem.sizes) + len(given) * len(problem.sizes)
            if n_totals * max(problem.k_max, *given, 1) <= MOST_TAUS:
                return cls(_all_counted(problem, given), every=True)
        return cls([Fraction(step, n_steps) for step in range(n_steps + 1)], every=False)

    def reached(self, tau: Fraction) -> int:
        """The number of the largest value that is no larger than this."""
        return bisect_right(self.values, tau) - 1


def _all_counted(problem: Problem, given: Set[int]) -> list[Fraction]:
    """All dissimilarities that two sets, or a set and one of a given size, can have by counting; and 0 and 1."""
    values = {Fraction(0), Fraction(1)}
    totals = {s + t for s in problem.sizes for t in {*problem.sizes, *given}}
    if isinstance(problem.dissimilarity, Grouped):
        # A set touches as many groups as it has features, or fewer.
        totals = set(range(2, max(totals) + 1))
    for total in totals:
        values |= {_counted(problem, shared, total) for shared in range(1, total // 2 + 1)}
    return sorted(values)


def _counts(problem: Problem) -> bool:
    """Whether what two sets have in common is a whole number: of features, of those that match, or of groups."""
    kind = problem.dissimilarity
    if isinstance(kind, Matched):
        return kind.threshold is not None
    return problem.counts_shared or isinstance(kind, Grouped)


def _counted(problem: Problem, shared: int, total: int) -> Fraction:
    """The dissimilarity of two sets with ``shared`` features in common and sizes that add up to ``total``."""
    jaccard = problem.dissimilarity == "jaccard"
    return 1 - (Fraction(shared, total - shared) if jaccard else Fraction(2 * shared, total))


def least_dissimilarity(problem: Problem, sets: Sequence[FeatureSet]) -> Fraction:
    """Of any two of the sets, and of any of them and an existing one; 1 if there are no two."""
    pairs = [*combinations(sets, 2), *((chosen, given) for chosen in sets for given in problem.existing)]
    least = Fraction(1)
    for pair in pairs:
        first, second = min(pair), max(pair)
        if callable(problem.dissimilarity) and not _counts(problem):
            value = Fraction(float(problem.dissimilarity(first, second)))
        else:
            value = _counted(problem, *_in_common(problem, first, second))
        least = min(least, value)
    return max(least, Fraction(0))


def _in_common(problem: Problem, first: FeatureSet, second: FeatureSet) -> tuple[int, int]:
    """What two sets have in common, and what they have in all: features or groups."""
    kind = problem.dissimilarity
    if isinstance(kind, Matched):
        return round(kind.overlap(first, second)), len(first) + len(second)
    one, other = (
        kind.touched(chosen) if isinstance(kind, Grouped) else set(chosen) for chosen in (first, second)
    )
    return len(one & other), len(one) + len(other)
