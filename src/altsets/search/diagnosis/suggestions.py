"""What is possible when a request is not: a smaller request that was constructed and works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from altsets.problem import Problem
from altsets.result import Status
from altsets.search.degree_bounds import count_bound

__all__ = ["possible_instead"]

#: Solves a problem and says what became of it.
Probe = Callable[[Problem], Status]


def possible_instead(problem: Problem, n_found: int, status: Status, probe: Probe) -> str:
    """One or two sentences: why there are fewer sets than asked, and what is possible.

    ``probe`` solves smaller requests. A number of alternatives is called the largest only if the next larger one is
    proven impossible.
    """
    if problem.search.startswith("greedy"):
        if n_found:
            return f"This heuristic ran out of features: n_alternatives={n_found - 1} is possible."
        return "This heuristic cannot give so many sets; try search='simultaneous' or fewer alternatives."
    if status is not Status.INFEASIBLE:
        return "More time may help."
    if problem.search == "sequential":
        if not n_found:
            return f"There is no {_one(problem)}."
        return (
            f"Given the {n_found} set{'s' if n_found > 1 else ''} found, no other set differs enough: "
            f"n_alternatives={n_found - 1} is possible; "
            "search='simultaneous' may fit in more."
        )
    # So many sets are possible, and so many are not; fewer are never harder to find.
    possible, too_many, proven = 0, problem.n_sets, True
    if problem.fixed_size and not callable(problem.dissimilarity):
        n_usable = max(problem.n_features_in - len(problem.forbidden), 1)
        most = count_bound(n_usable, problem.n_features, problem.max_overlap, too_many - 1)
        too_many = most + 1
    while too_many - possible > 1:
        n_sets = (possible + too_many) // 2
        smaller = probe(replace(problem, n_alternatives=n_sets - 1, aggregation="sum"))
        if smaller in (Status.OPTIMAL, Status.FEASIBLE):
            possible = n_sets
        else:
            too_many, proven = n_sets, smaller is Status.INFEASIBLE
    if not proven and not possible:
        return f"There are no {_all(problem)}; how many are possible was not found out in the time."
    if possible:
        largest = "the largest possible" if proven else "possible"
        return f"There are no {_all(problem)}: n_alternatives={possible - 1} is {largest}."
    return f"There are no {_all(problem)}, and no single {_one(problem)}."


def _sizes(problem: Problem) -> str:
    return str(problem.k_max) if problem.fixed_size else f"{problem.k_min} to {problem.k_max}"


def _one(problem: Problem) -> str:
    """One set, and what rules it out."""
    differs = " that differs enough from the existing ones" if problem.existing else ""
    kept = f" that keeps to all constraints{' and' if differs else ''}" if problem.constraints else ""
    # Without either, only the quality can rule out every set.
    return f"set of {_sizes(problem)} features{kept + differs or ' that the quality allows'}"


def _all(problem: Problem) -> str:
    """All sets that were asked for."""
    differ = "differ enough"
    if problem.fixed_size and not callable(problem.dissimilarity):
        differ = f"share at most {problem.max_overlap}"
    kept = " keep to all constraints and" if problem.constraints else ""
    given = f" besides {len(problem.existing)} existing ones" if problem.existing else ""
    sets = f"{problem.n_sets} sets of {_sizes(problem)} out of {problem.n_features_in} features"
    return f"{sets} that{kept} {differ}{given}"
