"""Answers check each other: a set of sets that solves one search is a solution of every looser one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.searches import Measured

TOLERANCE = 1e-9


@dataclass(frozen=True)
class _Solution:
    """Sets that were found, by their qualities from good to bad."""

    source: Measured
    qualities: list[float]

    def value_for(self, claim: Measured) -> float | None:
        """What this solution is worth to another search; None if it does not solve that one."""
        n_sets = claim.search.a + 1
        if len(self.qualities) < n_sets or self.source.search.diff < claim.search.diff:
            return None
        best = self.qualities[:n_sets]
        return min(best) if claim.search.aggregation == "min" else math.fsum(best)


def contradictions(measured: Sequence[Measured]) -> list[str]:
    """Bounds (or proofs of infeasibility) that some other search's solution exceeds.

    All searches must be on the same scores with the same k. Dropping sets and loosening tau keep a solution
    valid, so each answer tests the proofs of many others, whatever engine gave them.
    """
    solutions = [
        _Solution(one, sorted(one.result.qualities, reverse=True))
        for one in measured
        if one.result is not None and one.result.sets
    ]
    found = []
    for claim in measured:
        if claim.result is None or claim.search.search == "sequential":
            continue
        for solution in solutions:
            value = solution.value_for(claim)
            if value is not None and value > claim.result.bound + TOLERANCE:
                found.append(
                    f"{claim}: {claim.status} with bound {claim.result.bound:.12g}, but the sets of "
                    f"({solution.source.search}) reach {value:.12g}"
                )
                break
    return found
