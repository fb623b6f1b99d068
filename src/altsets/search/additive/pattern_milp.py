"""Sum over simultaneous sets, exactly: an integer programme over membership patterns.

A feature's pattern is the collection of sets it lies in. Features that belong to the same existing sets differ only
in their score, so it is enough to count how many of each such class have each pattern; within a class the better
features take the larger patterns. The programme's size depends on the number of sets, not of features.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.search.milp.highs import Programme
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates

__all__ = ["best_sum", "n_variables"]


def n_variables(candidates: Candidates, problem: Problem) -> int:
    """How many counts the programme would have."""
    return len(_classes(candidates, problem)) * ((1 << problem.n_sets) - 1)


def best_sum(
    candidates: Candidates,
    problem: Problem,
    limit: float,
    run: Run,
    heads: Sequence[FeatureSet] = (),
    gap: float = 0.0,
) -> tuple[list[FeatureSet] | None, float]:
    """The sets with the largest sum (None if none were found), and a bound: -inf if there are none.

    ``limit`` is a known upper bound on the sum. ``heads`` are features that the sets hold already, none of them among
    the candidates; the sum is that of the candidates added. A relative ``gap`` is good enough.
    """
    n_sets, k = problem.n_sets, problem.n_features
    heads = heads or [()] * n_sets
    scale = float(np.max(np.abs(candidates.scores), initial=0.0)) or 1.0
    patterns = [p for p in itertools.product((0, 1), repeat=n_sets) if any(p)]
    classes = _classes(candidates, problem)
    programme = Programme()
    counts: dict[tuple[int, int], int] = {}
    for c, members in enumerate(classes.values()):
        for p in range(len(patterns)):
            counts[c, p] = programme.variable(len(members))
        for level in range(1, n_sets + 1):
            # places[j] = 1: the j-th best feature of the class lies in at least `level` sets.
            places = [
                programme.variable(1, cost=candidates.scores[member] / scale, integer=False)
                for member in members
            ]
            larger = {counts[c, p]: -1.0 for p, pattern in enumerate(patterns) if sum(pattern) >= level}
            programme.row(dict.fromkeys(places, 1.0) | larger, lower=0, upper=0)
    for chosen in range(n_sets):
        inside = [counts[c, p] for c, p in counts if patterns[p][chosen]]
        room = k - len(heads[chosen])
        programme.row(dict.fromkeys(inside, 1.0), lower=room, upper=room)
        for number, (given, overlap) in enumerate(
            zip(problem.existing, problem.existing_overlaps, strict=True)
        ):
            shared = [
                counts[c, p]
                for c, key in enumerate(classes)
                if number in key
                for p, pattern in enumerate(patterns)
                if pattern[chosen]
            ]
            programme.row(dict.fromkeys(shared, 1.0), upper=overlap - _common(heads[chosen], given))
    for first, second in itertools.combinations(range(n_sets), 2):
        both = [counts[c, p] for c, p in counts if patterns[p][first] and patterns[p][second]]
        left = problem.max_overlap - _common(heads[first], heads[second])
        programme.row(dict.fromkeys(both, 1.0), upper=left)
    solution = programme.maximise(run, gap)
    if solution.values is None:
        return None, solution.bound * scale
    sets: list[list[int]] = [[] for _ in range(n_sets)]
    for c, members in enumerate(classes.values()):
        ranked = sorted(range(len(patterns)), key=lambda p: -sum(patterns[p]))
        waiting = iter(members)
        for p in ranked:
            for member in itertools.islice(waiting, round(solution.values[counts[c, p]])):
                for chosen in range(n_sets):
                    if patterns[p][chosen]:
                        sets[chosen].append(member)
    found = [
        tuple(sorted((*head, *candidates.features(positions))))
        for head, positions in zip(heads, sets, strict=True)
    ]
    return found, min(solution.bound * scale, limit)


def _common(first: FeatureSet, second: FeatureSet) -> int:
    return len(set(first) & set(second))


def _classes(candidates: Candidates, problem: Problem) -> dict[tuple[int, ...], list[int]]:
    """Positions by the existing sets they belong to, best first."""
    belongs: list[list[int]] = [[] for _ in range(len(candidates))]
    for number, given in enumerate(problem.existing):
        for position in candidates.positions(given):
            belongs[position].append(number)
    classes: dict[tuple[int, ...], list[int]] = {}
    for position, key in enumerate(belongs):
        classes.setdefault(tuple(key), []).append(position)
    return classes
