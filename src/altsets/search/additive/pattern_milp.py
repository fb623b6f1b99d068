"""Sum over simultaneous sets, exactly: an integer programme over membership patterns.

A feature's pattern is the collection of sets it lies in. Features that belong to the same existing sets differ only
in their score, so it is enough to count how many of each such class have each pattern; within a class the better
features take the larger patterns. The programme's size depends on the number of sets, not of features.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet, Problem
from altsets.search.milp.highs import UNCONFIRMED, Programme
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates


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

    ``limit`` is a known upper bound; ``heads`` are features that the sets hold already, none of them a candidate or
    part of the sum. A relative ``gap`` is good enough.
    """
    model = _PatternModel(candidates, problem, heads or [()] * problem.n_sets)
    solution = model.programme.maximise(run, gap)
    if solution.values is None:
        empty = solution.bound == -math.inf and model.programme.is_empty(run)
        return None, -math.inf if empty else limit
    sets = model.sets_of(solution.values)
    bound = solution.bound
    if not gap and not run.stopped:
        # One run alone proves nothing. Where a gap is good enough, nothing rests on the bound.
        bound = max(bound, model.programme.maximise(run, presolve=False).bound)
    if gap or run.stopped:
        bound = solution.bound + UNCONFIRMED
    return sets, min(bound * model.scale, limit)


class _PatternModel:
    """The integer programme: how many features of each class have each pattern; scores are divided by ``scale``."""

    def __init__(self, candidates: Candidates, problem: Problem, heads: Sequence[FeatureSet]) -> None:
        self._candidates, self._problem, self._heads = candidates, problem, heads
        self.scale = float(np.max(np.abs(candidates.scores), initial=0.0)) or 1.0
        self._patterns = [p for p in itertools.product((0, 1), repeat=problem.n_sets) if any(p)]
        self._classes = _classes(candidates, problem)
        self.programme = Programme()
        self._counts: dict[tuple[int, int], int] = {}
        for number, members in enumerate(self._classes.values()):
            self._add_class(number, members)
        for chosen in range(problem.n_sets):
            self._add_set(chosen)
        for first, second in itertools.combinations(range(problem.n_sets), 2):
            both = self._where(first, second)
            left = problem.max_overlap - _common(heads[first], heads[second])
            self.programme.row(dict.fromkeys(both, 1.0), upper=left)

    def _add_class(self, number: int, members: Sequence[int]) -> None:
        """Counts for one class, and what its features add to the sum: the better ones lie in more sets."""
        programme = self.programme
        for p in range(len(self._patterns)):
            self._counts[number, p] = programme.variable(len(members))
        for level in range(1, self._problem.n_sets + 1):
            # places[j] = 1: the j-th best feature of the class lies in at least `level` sets.
            places = [
                programme.variable(1, cost=self._candidates.scores[member] / self.scale, integer=False)
                for member in members
            ]
            larger = {
                self._counts[number, p]: -1.0
                for p, pattern in enumerate(self._patterns)
                if sum(pattern) >= level
            }
            programme.row(dict.fromkeys(places, 1.0) | larger, lower=0, upper=0)

    def _add_set(self, chosen: int) -> None:
        """The size of one set, and what it may share with the existing ones."""
        problem, head = self._problem, self._heads[chosen]
        inside = self._where(chosen)
        room = problem.n_features - len(head)
        self.programme.row(dict.fromkeys(inside, 1.0), lower=room, upper=room)
        for number, (given, overlap) in enumerate(
            zip(problem.existing, problem.existing_overlaps, strict=True)
        ):
            shared = [
                self._counts[c, p]
                for c, key in enumerate(self._classes)
                if number in key
                for p, pattern in enumerate(self._patterns)
                if pattern[chosen]
            ]
            self.programme.row(dict.fromkeys(shared, 1.0), upper=overlap - _common(head, given))

    def _where(self, *chosen: int) -> list[int]:
        """The counts of all patterns that lie in each of these sets."""
        return [
            variable
            for (_, p), variable in self._counts.items()
            if all(self._patterns[p][number] for number in chosen)
        ]

    def sets_of(self, values: Floats) -> list[FeatureSet]:
        """The sets that a solution stands for: the best features of a class get the largest patterns."""
        sets: list[list[int]] = [[] for _ in self._heads]
        ranked = sorted(range(len(self._patterns)), key=lambda p: -sum(self._patterns[p]))
        for number, members in enumerate(self._classes.values()):
            waiting = iter(members)
            for p in ranked:
                for member in itertools.islice(waiting, round(values[self._counts[number, p]])):
                    for positions, inside in zip(sets, self._patterns[p], strict=True):
                        if inside:
                            positions.append(member)
        return [
            tuple(sorted((*head, *self._candidates.features(positions))))
            for head, positions in zip(self._heads, sets, strict=True)
        ]


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
