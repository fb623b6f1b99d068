"""The tree of partial solutions in the search for the largest minimum: nodes, their bounds, and branching."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from altsets._kernels.degrees import prefix_bound
from altsets.search.additive.max_min_state import MaxMinState

__all__ = ["Node", "PartialSolutions"]


@dataclass(frozen=True, order=True)
class Node:
    """A partial solution: for each set its head, the features it holds of the ``depth`` best ones, as a mask.

    The needy sets are those with the least prospects, which the bound comes from.
    """

    priority: float  # the negative bound, so that the heap gives the most promising node
    height: int  # the negative depth: of equally promising nodes the one that is decided furthest
    heads: tuple[int, ...]
    needy: tuple[int, ...] = field(compare=False)
    lowered: bool = False  # whether a window has lowered its bound already

    @property
    def bound(self) -> float:
        """No completion has a larger minimum."""
        return -self.priority

    @property
    def depth(self) -> int:
        """How many of the best features are decided."""
        return -self.height

    @property
    def needy_heads(self) -> list[int]:
        """What the needy sets hold."""
        return [self.heads[number] for number in self.needy]

    def with_bound(self, bound: float) -> Node:
        """The same node after a window has shown that it is worth no more."""
        return replace(self, priority=-bound, lowered=True)

    def with_all_needy(self) -> Node:
        """The same node with all sets in its windows."""
        return replace(self, needy=tuple(range(len(self.heads))))


class PartialSolutions:
    """Makes nodes: the first one, and those that a node branches into."""

    def __init__(self, state: MaxMinState) -> None:
        self._state = state

    def root(self) -> Node:
        """Nothing is decided."""
        return self.node(0, (0,) * self._state.problem.n_sets)

    def node(self, depth: int, heads: tuple[int, ...], limit: float = math.inf) -> Node:
        """A partial solution with its degree-sequence bound; ``limit`` is the bound of the one it came from."""
        state = self._state
        values = np.array([state.head_value(head) for head in heads])
        rooms = np.array([state.problem.n_features - head.bit_count() for head in heads], dtype=np.intc)
        slack = np.array([[state.overlap_left(g, h) for h in heads] for g in heads], dtype=np.intc)
        bound, needy = prefix_bound(state.scores[depth:], values, rooms, slack, state.run.tick)
        return Node(-min(bound, limit), -depth, heads, tuple(needy.tolist()))

    def children(self, node: Node) -> Iterator[Node]:
        """All ways to decide for the next feature in which sets it lies; equal sets are interchangeable."""
        depth = node.depth
        if depth == len(self._state.scores):
            return
        groups = sorted(Counter(node.heads).items(), reverse=True)
        for takes in itertools.product(*(range(count + 1) for _, count in groups)):
            if self._state.run.stopped:
                return
            taken = [(head, count, take) for (head, count), take in zip(groups, takes, strict=True)]
            if not self._may_share([(head, take) for head, _, take in taken if take]):
                continue
            heads: list[int] = []
            for head, count, take in taken:
                heads += [head | 1 << depth] * take + [head] * (count - take)
            if self._differ_from_existing(heads):
                yield self.node(depth + 1, tuple(heads), node.bound)

    def _may_share(self, takers: list[tuple[int, int]]) -> bool:
        """Whether so many sets with these heads may hold one more feature together."""
        k, overlap = self._state.problem.n_features, self._state.problem.max_overlap
        if any(head.bit_count() >= k for head, _ in takers):
            return False
        if any((g & h).bit_count() >= overlap for (g, _), (h, _) in itertools.combinations(takers, 2)):
            return False
        return not any(take > 1 and head.bit_count() >= overlap for head, take in takers)

    def _differ_from_existing(self, heads: list[int]) -> bool:
        state = self._state
        return not any(
            (head & mask).bit_count() > cap
            for mask, cap in zip(state.existing_masks, state.existing_caps.tolist(), strict=True)
            for head in heads
        )
