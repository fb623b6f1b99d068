"""What counts as rounding error when qualities are compared."""

from __future__ import annotations

from altsets.search.subset.candidates import Candidates

__all__ = ["difference_tolerance"]


def difference_tolerance(candidates: Candidates, n_features: int) -> float:
    """Differences of two qualities up to this are rounding error: each is a sum with an error of its own."""
    return 2 * candidates.tolerance(n_features)
