"""Requests in which sets need not be kept apart."""

from __future__ import annotations

from altsets.problem import Problem

__all__ = ["all_compatible"]


def all_compatible(problem: Problem, *, equal: bool) -> bool:
    """Whether any two sets differ enough: any at all, or (``equal=False``) any that are not the same."""
    if callable(problem.dissimilarity):
        return problem.tau == 0
    if equal:
        return problem.max_overlap_of(problem.k_max, problem.k_max) >= problem.k_max
    # Of two different sets the smaller one may lie inside the larger, if there is a larger one.
    return all(
        problem.max_overlap_of(s, t) >= (s - 1 if s == t else min(s, t))
        for s in problem.sizes
        for t in problem.sizes
    )
