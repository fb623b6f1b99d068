"""Completion of partial solutions: sets around those that decide the largest minimum, without proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet
from altsets.search.additive import pattern_milp
from altsets.search.additive.best_set import best_set
from altsets.search.additive.partial_solutions import MaxMinState, Node, bits, positions_of
from altsets.search.subset.candidates import Candidates

#: Steps of annealing.
ANNEALING_STEPS = 20_000
#: How far from best sets may be, relatively, that annealing improves.
LARGEST_GAP = 0.02
#: The harm that a step of annealing may do, at first and at last, as a part of the gap.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.5, 1e-5


def annealed(
    state: MaxMinState,
    sets: Sequence[FeatureSet],
    target: float,
    given: Sequence[FeatureSet] = (),
    *,
    steps: int = ANNEALING_STEPS,
) -> list[FeatureSet]:
    """Improve these sets up to a ``target`` for the worst; the ``given`` ones stay as they are."""
    overlap = state.problem.max_overlap
    fixed = np.vstack([state.existing, positions_of(given, state.candidates)])
    caps = np.concatenate([state.existing_caps, np.full(len(given), overlap, dtype=np.intc)])
    members = positions_of(sets, state.candidates)
    # As hot as the gap is wide: hotter only destroys what the first sets are good at.
    gap = target - state.smallest_quality(sets)
    if gap <= 0:
        return list(sets)
    inside = anneal(
        state.scores,
        members,
        fixed,
        caps,
        overlap,
        target,
        steps,
        0,
        state.run.tick,
        temperatures=(FIRST_TEMPERATURE * gap, LAST_TEMPERATURE * gap),
    )
    # Valid sets stay valid, so there are always some.
    assert inside is not None
    return [state.candidates.features(positions) for positions in inside]


class Completion:
    """Finds the sets of a node that its windows leave open."""

    def __init__(self, state: MaxMinState) -> None:
        self._state = state

    def complete(self, node: Node, weakest: list[FeatureSet], worst: float) -> list[FeatureSet] | None:
        """All sets of the node, given the weakest ones; the others are no worse than ``worst`` if possible."""
        if len(weakest) == len(node.heads):
            return weakest
        state = self._state
        best: list[FeatureSet] | None = None
        reached = -math.inf
        for fill in (self._one_by_one, self._together):
            others = fill(node, weakest)
            if others is None:
                continue
            others = annealed(state, others, worst, weakest)
            value = state.smallest_quality(others)
            if value > reached:
                best, reached = [*weakest, *others], value
            if reached >= worst - state.tolerance:
                break
        return best

    def _one_by_one(self, node: Node, weakest: list[FeatureSet]) -> list[FeatureSet] | None:
        """Each set as good as those before allow: quick, but it often fails."""
        state = self._state
        k, overlap = state.problem.n_features, state.problem.max_overlap
        undecided, sets = self._undecided(node), list(weakest)
        for head in self._other_heads(node):
            others = [*state.problem.existing, *sets]
            caps = [*state.existing_caps.tolist(), *[overlap] * len(sets)]
            caps = [cap - len(set(head) & set(other)) for cap, other in zip(caps, others, strict=True)]
            room = k - len(head)
            rest, _ = best_set(undecided, room, others, caps, state.run.tick) if room else ((), 0.0)
            if rest is None or min(caps) < 0:
                return None
            sets.append(tuple(sorted((*head, *rest))))
        return sets[len(weakest) :]

    def _together(self, node: Node, weakest: list[FeatureSet]) -> list[FeatureSet] | None:
        """All sets at once by integer programming, if that is small enough."""
        state = self._state
        heads, undecided = self._other_heads(node), self._undecided(node)
        existing = (*state.problem.existing, *weakest)
        rest = replace(state.problem, n_alternatives=len(heads) - 1, existing=existing)
        if pattern_milp.n_variables(undecided, rest) > pattern_milp.FEW_VARIABLES:
            return None
        return pattern_milp.best_sum(undecided, rest, math.inf, state.run.part(), heads, LARGEST_GAP)[0]

    def _undecided(self, node: Node) -> Candidates:
        candidates = self._state.candidates
        return Candidates(candidates.indices[node.depth :], candidates.scores[node.depth :])

    def _other_heads(self, node: Node) -> list[FeatureSet]:
        return [
            self._state.candidates.features(bits(head))
            for number, head in enumerate(node.heads)
            if number not in node.weakest
        ]
