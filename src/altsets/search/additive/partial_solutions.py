"""Partial solutions of the search for the largest minimum, and its incumbent and bound."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from altsets._kernels.degrees import prefix_bound
from altsets.arrays import Floats, Ints, Masks
from altsets.problem import FeatureSet
from altsets.search.additive.best_set import Instance
from altsets.search.engine import PROVEN
from altsets.search.subset.candidates import Candidates

#: What kernels have room for: features in the mask of a set, and sets in the bit pattern of a feature.
MASK_BITS, PATTERN_SETS = 64, 30

#: A gap up to this share of the largest score ends the search; ``PROVEN`` is an upper limit in any case.
PROVEN_GAP = 1e-9
#: A relative gap up to this is too small for users to care.
SMALL_GAP = 1e-6


def classes(scores: Floats, fixed: npt.NDArray[np.uint8]) -> Ints:
    """Where the classes of interchangeable positions begin: equal scores, same existing sets."""
    # Kernels divide by the width of a class, so none may be empty.
    if not len(scores):
        return np.zeros(1, dtype=np.intc)
    keys = np.vstack([scores, fixed])
    changes = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(scores)]]).astype(np.intc)


def positions_of(sets: Sequence[FeatureSet], candidates: Candidates) -> npt.NDArray[np.uint8]:
    """Which positions lie in each set, as rows of zeros and ones."""
    members = np.zeros((len(sets), len(candidates)), dtype=np.uint8)
    for row, chosen in zip(members, sets, strict=True):
        row[candidates.positions(chosen)] = 1
    return members


def members_of(masks: Masks, n: int) -> Floats:
    """Masks as rows of zeros and ones."""
    return ((masks[:, None] >> np.arange(n, dtype=np.uint64)) & np.uint64(1)).astype(np.float64)


def mask_of(positions: Sequence[int] | npt.NDArray[np.integer]) -> int:
    """The mask of some positions."""
    return sum(1 << int(position) for position in positions)


def bits(mask: int) -> list[int]:
    """The positions in a mask."""
    positions = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions


class MaxMinState:
    """An instance with its incumbent and its bound, in scores shifted so that the least is zero.

    Kernels rely on features never making a set worse. The run gets values in the scores of the problem.
    """

    def __init__(self, instance: Instance) -> None:
        problem, candidates = instance.problem, instance.candidates
        self.instance, self.problem, self.candidates = instance, problem, candidates
        self.quality, self.run = instance.quality, instance.run
        self.shift = float(np.min(candidates.scores))
        self.scores: Floats = candidates.scores - self.shift
        self.tolerance = candidates.difference_tolerance(problem.n_features)
        # The existing sets as rows and as masks, and how many features a new set may share with each.
        self.existing = positions_of(problem.existing, candidates)
        self.existing_masks = [mask_of(np.flatnonzero(row)) for row in self.existing]
        self.existing_caps = np.array(problem.existing_overlaps, dtype=np.intc)
        # The best solution, the smallest quality in it, and what no solution has more than.
        self.sets: list[FeatureSet] = []
        self.best, self.bound = -math.inf, math.inf
        self._head_values: dict[int, float] = {}

    @property
    def offset(self) -> float:
        """What the shift takes off the quality of a set."""
        return self.problem.n_features * self.shift

    @property
    def is_proven(self) -> bool:
        """Whether the best minimum is proven."""
        scale = float(np.max(self.scores))
        return self.bound - self.best <= min(PROVEN, max(PROVEN_GAP * scale, self.tolerance))

    @property
    def is_nearly_proven(self) -> bool:
        """Whether the gap is too small for users to care and, with many sets of many features, too small to close."""
        worst = abs(self.best + self.offset)
        return worst > 0 and (self.bound - self.best) / worst <= SMALL_GAP

    def smallest_quality(self, sets: Sequence[FeatureSet]) -> float:
        """What counts, in shifted scores."""
        return min(map(self.quality.evaluate, sets)) - self.offset

    def update_incumbent(self, sets: Sequence[FeatureSet]) -> None:
        """Keep these sets if their worst one is better."""
        worst = min(map(self.quality.evaluate, sets))
        value = worst - self.offset
        if value > self.best:
            self.best, self.sets = value, list(sets)
            self.run.update_incumbent(sets, worst)

    def update_bound(self, bound: float) -> None:
        """No solution has a larger minimum."""
        self.bound = max(min(self.bound, bound), self.best)
        self.run.update_bound(self.bound + self.offset)

    def head_value(self, head: int) -> float:
        """The score of the features in a mask."""
        if head not in self._head_values:
            self._head_values[head] = float(sum(self.scores[position] for position in bits(head)))
        return self._head_values[head]

    def overlap_left(self, first: int, second: int) -> int:
        """How many more features two sets may share that hold the features in these masks."""
        return self.problem.max_overlap - (first & second).bit_count()


@dataclass(frozen=True, order=True)
class Node:
    """A partial solution: for each set its head, the features it holds of the ``depth`` best ones, as a mask.

    The bound is that of the sets with the least prospects, the ``weakest``; others may be filled up around them.
    """

    priority: float  # the negative bound, so that the heap gives the most promising node
    height: int  # the negative depth: of equally promising nodes the one that is decided furthest
    heads: tuple[int, ...]
    weakest: tuple[int, ...] = field(compare=False)
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
    def weakest_heads(self) -> list[int]:
        """What the weakest sets hold."""
        return [self.heads[number] for number in self.weakest]

    def with_bound(self, bound: float) -> Node:
        """The same node after a window has shown that it is worth no more."""
        return replace(self, priority=-bound, lowered=True)

    def with_all_sets(self) -> Node:
        """The same node with all sets in its windows."""
        return replace(self, weakest=tuple(range(len(self.heads))))


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
        bound, weakest = prefix_bound(state.scores[depth:], values, rooms, slack, state.run.tick)
        return Node(-min(bound, limit), -depth, heads, tuple(weakest.tolist()))

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
