"""Windows: what the needy sets of a node have to add to reach a value, and all sets that lie in between.

Between the value to be reached and the bound there is little to spare. That limits how often each feature must and may
be used and how good a single set can be at most, and the sets within these limits can often be listed.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from altsets._kernels.degrees import degree_bound
from altsets._kernels.windows import Windows, list_cost
from altsets.arrays import Floats, Indices, Ints, Masks
from altsets.search.additive.masks import MASK_BITS, classes
from altsets.search.additive.max_min_state import MaxMinState
from altsets.search.additive.max_min_tree import Node

__all__ = ["ListedSets", "Window", "WindowLists", "window_of"]


@dataclass(frozen=True)
class Window:
    """What the needy sets of a node must add to reach ``theta``, from which features, with how much to spare.

    Attributes
    ----------
    theta : float
        The quality that every needy set must reach.
    useful : int array
        The positions of features that may be used.
    capped : float array
        Their scores, no larger than the largest need.
    first : int array
        Where the classes of interchangeable ones begin.
    must, most : int arrays
        In how many needy sets each lies at least and at most.
    spare : float
        By how much all needy sets together may exceed their needs.
    unshared : int
        By how much all pairs of sets together may fall short of what they may share.
    is_plain : bool
        No score is capped and no need is already met.
    """

    theta: float
    useful: Indices
    capped: Floats
    first: Ints
    must: Ints
    most: Ints
    spare: float
    unshared: int
    is_plain: bool

    @property
    def fits_masks(self) -> bool:
        """Whether sets of its features can be listed at all."""
        return len(self.useful) <= MASK_BITS


@dataclass(frozen=True)
class ListedSets:
    """The sets in a window that go with one head, which ``wanted`` needy sets have.

    ``masks`` are over the useful features of the window; ``excess`` is by how much each set exceeds what it needs.
    """

    head: int
    wanted: int
    masks: Masks
    excess: Floats


def window_of(state: MaxMinState, node: Node, theta: float) -> Window | None:
    """What the needy sets must add to reach theta; None if they cannot."""
    k, heads = state.problem.n_features, node.needy_heads
    needs = [max(0.0, theta - state.head_value(head)) for head in heads]
    rooms = sum(k - head.bit_count() for head in heads)
    pairs = [state.overlap_left(g, h) for g, h in itertools.combinations(heads, 2)]
    # A set that reaches its need with scores capped at the largest need reaches it anyway, and vice versa.
    capped = np.minimum(state.scores[node.depth :], max(needs))
    value, _, price, relaxed = degree_bound(
        capped, len(heads), rooms, sum(pairs), min(pairs, default=k), state.tolerance
    )
    spare = value - sum(needs)
    if spare < -state.tolerance:
        return None
    slack = relaxed - sum(needs) + state.tolerance
    must, most = _degree_limits(capped, len(heads), rooms, price, slack)
    inside = np.flatnonzero(most > 0)
    useful = inside + node.depth
    return Window(
        theta=theta,
        useful=useful,
        capped=np.ascontiguousarray(capped[inside]),
        first=classes(state.scores[useful], state.existing[:, useful]),
        must=must[inside],
        most=most[inside],
        spare=spare,
        # The bound counts on every feature that may be shared: each that is not costs the price.
        unshared=int(min(slack / price, sum(pairs))) if price > 0 else sum(pairs),
        is_plain=bool(capped[0] == state.scores[node.depth]) and min(needs) > 0,
    )


def _degree_limits(scores: Floats, n_sets: int, total: int, price: float, slack: float) -> tuple[Ints, Ints]:
    """How often each feature must and may be used if the sum may lose at most ``slack`` against the relaxation.

    The relaxation takes the ``total`` best of the priced places; using a feature once more or once less than it does
    costs at least the difference to the last place taken, or to the first one left out.
    """
    places = scores[None, :] - price * np.arange(n_sets)[:, None]
    ranked = np.sort(places, axis=None)[::-1]
    last_in = ranked[total - 1] if total else math.inf
    first_out = ranked[total] if total < places.size else -math.inf
    more = np.cumsum(np.maximum(last_in - places, 0.0), axis=0)
    less = np.cumsum(np.maximum(places - first_out, 0.0)[::-1], axis=0)[::-1]
    return np.sum(less > slack, axis=0).astype(np.intc), np.sum(more <= slack, axis=0).astype(np.intc)


class WindowLists:
    """Lists the sets in windows by meeting in the middle; half sets are kept, as other windows may need them.

    Attributes
    ----------
    n_half_sets : int
        How many half sets have been listed so far.
    """

    def __init__(self, state: MaxMinState) -> None:
        self._state = state
        self._kept: dict[tuple[bytes, bytes, bytes, int], Windows] = {}
        self.n_half_sets = 0

    def list_sets(
        self, node: Node, window: Window, max_half_sets: int, max_length: int
    ) -> list[ListedSets] | None:
        """The sets in the window for each head of a needy set.

        Empty if there are none for some head; None if there are more than ``max_length``, or more half sets than
        ``max_half_sets``.
        """
        state, k = self._state, self._state.problem.n_features
        needy, tolerance = node.needy_heads, self._state.tolerance
        room = k - min(head.bit_count() for head in needy)
        if list_cost(window.first, room) > max_half_sets:
            return None
        windows, spare, counted, listed = self._half_sets(window, room), window.spare, [], []
        for head, wanted in sorted(Counter(needy).items()):
            size, need = k - head.bit_count(), max(0.0, window.theta - state.head_value(head))
            weights = self._weights(head, needy, window)
            high = need + spare + tolerance
            count = windows.count(size, need - tolerance, high, max_length, *weights)
            if count == 0:
                return []
            counted.append((count, head, wanted, size, need, weights))
        # Fewest first: what they take of the spare at least, the others cannot have.
        for _, head, wanted, size, need, weights in sorted(counted):
            high = need + spare + tolerance
            found = windows.list(size, need - tolerance, high, max_length, *weights)
            if found is None:
                return None
            masks, sums = found
            if len(masks) == 0:
                return []
            max_length -= len(masks)
            spare -= wanted * max(float(np.min(sums)) - need, 0.0)
            listed.append(ListedSets(head, wanted, masks, sums - need))
        return listed

    def _weights(self, head: int, needy: list[int], window: Window) -> tuple[int, int]:
        """In how many places a set shares features, at least and at most: with each other set that holds them."""
        state = self._state
        shared = sum(state.overlap_left(head, other) for other in needy) - state.overlap_left(head, head)
        return shared - window.unshared, shared

    def _half_sets(self, window: Window, room: int) -> Windows:
        """The sorted half sets; narrowing a window often leaves them as they are."""
        weights = np.array([np.maximum(window.must, 1) - 1, window.most - 1], dtype=np.intc)
        key = (window.useful.tobytes(), window.capped.tobytes(), weights.tobytes(), room)
        if key not in self._kept:
            if len(self._kept) >= self._state.limits.kept_half_sets:
                self._kept.clear()
            self.n_half_sets += int(list_cost(window.first, room))
            self._kept[key] = Windows(window.capped, window.first, room, weights)
        return self._kept[key]
