"""Whether a set may be chosen: quick answers for searches that propose sets one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.search.subset.budgets import in_units
from altsets.search.subset.rules import Rules

Features = frozenset[int]


class Feasibility:
    """All rules for one set, and for two, ready to be asked thousands of times.

    Parameters
    ----------
    problem : Problem
        What sets have to keep to.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._own = callable(problem.dissimilarity)
        self._rules = {size: Rules.of(problem, size) for size in problem.sizes}
        # Of caps, only those that a set of this size can break at all.
        self._caps = {
            size: [
                (frozenset(cap.group), cap.most, cap.outside)
                for cap in rules.caps
                if cap.outside or cap.most < min(size, len(cap.group))
            ]
            for size, rules in self._rules.items()
            if rules is not None
        }
        self._budgets = [in_units(budget) for budget in problem.rules.budgets]
        self._excluded = _excluded(problem)
        self._limits: dict[tuple[int, int], int] = {}
        self._one_limit = None if self._own or not problem.fixed_size else problem.max_overlap

    def alone(self, chosen: Features) -> bool:
        """Whether a set keeps to all constraints and differs from the existing sets."""
        size = len(chosen)
        rules = self._rules.get(size)
        if rules is None or not rules.required <= chosen or not rules.forbidden.isdisjoint(chosen):
            return False
        for group, most, outside in self._caps[size]:
            inside = len(group & chosen)
            if (size - inside if outside else inside) > most:
                return False
        needs = rules.needs
        if needs and not all(needs[feature] <= chosen for feature in chosen if feature in needs):
            return False
        if self._budgets and not all(budget.pays_for(chosen) for budget in self._budgets):
            return False
        excluded = self._excluded
        if excluded and not all(excluded[j].isdisjoint(chosen) for j in chosen if j in excluded):
            return False
        return not self._own or all(self.apart(chosen, other) for other in self._problem.existing)

    def apart(self, first: Features, second: Iterable[int]) -> bool:
        """Whether two sets differ enough."""
        if self._own:
            return self._problem.compatible(tuple(sorted(first)), tuple(sorted(second)))
        other = second if isinstance(second, frozenset) else frozenset(second)
        return len(first & other) <= self.limit(len(first), len(other))

    def limit(self, size: int, other_size: int) -> int:
        """How many features two sets of these sizes may share; not for a user's own dissimilarity."""
        sizes = (size, other_size)
        if sizes not in self._limits:
            self._limits[sizes] = self._problem.max_overlap_of(size, other_size)
        return self._limits[sizes]

    def all_apart(self, chosen: Features, others: Sequence[FeatureSet | Features]) -> bool:
        """Whether a set differs enough from others."""
        if self._one_limit is None:
            return all(self.apart(chosen, other) for other in others)
        # This is asked most of all.
        for other in others:  # noqa: SIM110 - a generator takes twice as long
            if len(chosen.intersection(other)) > self._one_limit:
                return False
        return True

    def given(self, chosen: Features, others: Sequence[FeatureSet | Features]) -> bool:
        """Whether a set may be chosen besides others of the same request."""
        return self.alone(chosen) and self.all_apart(chosen, others)


def _excluded(problem: Problem) -> dict[int, Features]:
    """Which other features a feature excludes, where constraints rule pairs out."""
    conflicts = problem.conflicts
    if conflicts is None:
        return {}
    rows = np.flatnonzero(conflicts.any(axis=1)).tolist()
    return {row: frozenset(np.flatnonzero(conflicts[row]).tolist()) for row in rows}
