"""Requests that ask little of how sets differ, and are easy for that reason."""

from __future__ import annotations

from altsets.problem import Problem


def may_repeat(problem: Problem) -> bool:
    """Whether a set may be taken again and again."""
    if not problem.caps_shared:
        return problem.tau == 0
    return problem.max_overlap_of(problem.k_max, problem.k_max) >= problem.k_max


def any_sets_differ_enough(problem: Problem) -> bool:
    """Whether any two sets that are not the same differ enough."""
    if not problem.counts_shared:
        return may_repeat(problem)
    # Of two different sets the smaller one may lie inside the larger, if there is a larger one.
    return all(
        problem.max_overlap_of(s, t) >= (s - 1 if s == t else min(s, t))
        for s in problem.sizes
        for t in problem.sizes
    )
