"""Completion of partial solutions: the sets that are not needy, filled up around those that were picked."""

from __future__ import annotations

import math
from dataclasses import replace

from altsets.problem import FeatureSet
from altsets.search.additive import pattern_milp
from altsets.search.additive.annealing import annealed
from altsets.search.additive.best_set import best_set
from altsets.search.additive.masks import bits
from altsets.search.additive.max_min_state import MaxMinState
from altsets.search.additive.max_min_tree import Node
from altsets.search.subset.candidates import Candidates

__all__ = ["Completion"]


class Completion:
    """Finds the sets of a node that are not needy.

    Parameters
    ----------
    state : MaxMinState
    heads_stay : bool
        Whether the heads must stay as they are, as other sets have a share in them: then there is no annealing, which
        would exchange their features.
    """

    def __init__(self, state: MaxMinState, *, heads_stay: bool) -> None:
        self._state, self._heads_stay = state, heads_stay

    def complete(self, node: Node, needy: list[FeatureSet], worst: float) -> list[FeatureSet] | None:
        """All sets of the node, given the needy ones; the others are no worse than ``worst`` if possible."""
        if len(needy) == len(node.heads):
            return needy
        state = self._state
        best: list[FeatureSet] | None = None
        reached = -math.inf
        for fill in (self._one_by_one,) if self._heads_stay else (self._one_by_one, self._together):
            others = fill(node, needy)
            if others is None:
                continue
            if not self._heads_stay:
                others = annealed(state, others, worst, 0, given=needy)
            value = state.smallest_quality(others)
            if value > reached:
                best, reached = [*needy, *others], value
            if reached >= worst - state.tolerance:
                break
        return best

    def _one_by_one(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """Each set as good as those before allow: quick, but it often fails."""
        state = self._state
        k, overlap = state.problem.n_features, state.problem.max_overlap
        undecided, sets = self._undecided(node), list(needy)
        for head in self._other_heads(node):
            others = [*state.problem.existing, *sets]
            caps = [*state.existing_caps.tolist(), *[overlap] * len(sets)]
            caps = [cap - len(set(head) & set(other)) for cap, other in zip(caps, others, strict=True)]
            room = k - len(head)
            rest, _ = (
                best_set(undecided, room, others, caps, state.run.tick, state.limits) if room else ((), 0.0)
            )
            if rest is None or min(caps) < 0:
                return None
            sets.append(tuple(sorted((*head, *rest))))
        return sets[len(needy) :]

    def _together(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """All sets at once by integer programming, if that is small enough."""
        state = self._state
        heads, undecided = self._other_heads(node), self._undecided(node)
        existing = (*state.problem.existing, *needy)
        rest = replace(state.problem, n_alternatives=len(heads) - 1, existing=existing)
        if pattern_milp.n_variables(undecided, rest) > state.limits.max_pattern_variables:
            return None
        gap = state.limits.completion_gap
        return pattern_milp.best_sum(undecided, rest, math.inf, state.run.part(), heads, gap)[0]

    def _undecided(self, node: Node) -> Candidates:
        """The features that are not decided."""
        candidates = self._state.candidates
        return Candidates(candidates.indices[node.depth :], candidates.scores[node.depth :])

    def _other_heads(self, node: Node) -> list[FeatureSet]:
        """What the sets that are not needy hold."""
        return [
            self._state.candidates.features(bits(head))
            for number, head in enumerate(node.heads)
            if number not in node.needy
        ]
