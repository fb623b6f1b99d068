"""Windows: what the weakest sets of a node have to add to reach a value, and all sets that lie in between.

There is little to spare between that value and the bound, which limits how often each feature must and may be used and
how good a single set can be; the sets within these limits can often be listed.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from altsets._kernels.degrees import degree_bound
from altsets._kernels.packing import pack, pack_sum
from altsets._kernels.windows import Windows, list_cost
from altsets.arrays import Floats, Indices, Ints, Masks
from altsets.problem import FeatureSet, Problem
from altsets.search.additive.best_set import Instance
from altsets.search.additive.completion import Completion
from altsets.search.additive.partial_solutions import (
    MASK_BITS,
    PATTERN_SETS,
    MaxMinState,
    Node,
    bits,
    classes,
    members_of,
    positions_of,
)
from altsets.search.degree_bounds import sum_bounds

#: Half sets that may be listed for one window, at the root and elsewhere; and collections of them that are kept, as
#: narrowing a window often leaves them as they are.
ROOT_HALF_SETS, MAX_HALF_SETS, KEPT_HALF_SETS = 1_700_000, 300_000, 9
#: Nodes of the search for compatible listed sets: at the root; elsewhere a multiple of the usual, within limits.
ROOT_PICK_NODES, PICK_NODES_FACTOR, MIN_PICK_NODES, MAX_PICK_NODES = 300_000, 10.0, 2_000, 40_000
#: What is assumed to be usual at first, and the share by which it follows each search (exponential smoothing).
USUAL_PICK_NODES, SMOOTHING = 2_000.0, 0.05
#: The length of lists at first, at least and at most; it grows by this factor after a finished search, else halves.
FIRST_LENGTH, MIN_LENGTH, MAX_LENGTH, LENGTH_GROWTH = 1_500, 1_000, 12_000, 1.1
#: Windows reach down from a node's bound by these shares of the gap; the widest that is small enough is searched.
WINDOW_SHARES = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024)
#: The first windows at the root reach below the bound by this share of the gap and grow by this factor, until a
#: search takes more nodes than this or more half sets than this have been listed.
FIRST_SHARE, WINDOW_GROWTH, WIDEN_NODES, WIDEN_HALF_SETS = 2.0**-16, 1.5, 10_000, 4_000_000
#: To pick the largest sum from a list: sets and half sets that may be listed, and nodes of the search.
SUM_LENGTH, SUM_HALF_SETS, SUM_NODES = 1_000, 50_000, 100_000


@dataclass(frozen=True)
class Window:
    """What the weakest sets of a node must add to reach ``theta``, from which features, with how much to spare."""

    theta: float
    #: Positions of features that may be used; their scores, no larger than the largest need; where the classes of
    #: interchangeable ones begin; in how many weakest sets each lies at least and at most.
    useful: Indices
    capped: Floats
    first: Ints
    must: Ints
    most: Ints
    #: By how much all weakest sets may exceed their needs, and all pairs of sets fall short of what they may share.
    spare: float
    unshared: int
    #: Whether no score is capped and no need is already met.
    is_plain: bool


@dataclass(frozen=True)
class ListedSets:
    """The sets in a window, as masks over its useful features, for one head that ``wanted`` weakest sets have."""

    head: int
    wanted: int
    masks: Masks
    #: By how much each set exceeds what it needs.
    excess: Floats


def window_of(state: MaxMinState, node: Node, theta: float) -> Window | None:
    """What the weakest sets must add to reach theta; None if they cannot."""
    k, heads = state.problem.n_features, node.weakest_heads
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
    """How often each feature must and may be used if the sum may lose at most ``slack`` against the relaxation."""
    # The relaxation takes the ``total`` best of the priced places; using a feature once more or once less than it does
    # costs at least the difference to the last place taken, or to the first one left out.
    places = scores[None, :] - price * np.arange(n_sets)[:, None]
    ranked = np.sort(places, axis=None)[::-1]
    last_in = ranked[total - 1] if total else math.inf
    first_out = ranked[total] if total < places.size else -math.inf
    more = np.cumsum(np.maximum(last_in - places, 0.0), axis=0)
    less = np.cumsum(np.maximum(places - first_out, 0.0)[::-1], axis=0)[::-1]
    return np.sum(less > slack, axis=0).astype(np.intc), np.sum(more <= slack, axis=0).astype(np.intc)


class WindowLists:
    """Lists the sets in windows by meeting in the middle; half sets are kept, as other windows may need them."""

    def __init__(self, state: MaxMinState) -> None:
        self._state = state
        self._kept: dict[tuple[bytes, bytes, bytes, int], Windows] = {}
        self.n_half_sets = 0

    def list_sets(
        self, node: Node, window: Window, max_half_sets: int, max_length: int
    ) -> list[ListedSets] | None:
        """The sets for each head: empty if there are none for some head, None if they are too many."""
        state, k = self._state, self._state.problem.n_features
        weakest, tolerance = node.weakest_heads, self._state.tolerance
        room = k - min(head.bit_count() for head in weakest)
        if list_cost(window.first, room) > max_half_sets:
            return None
        windows, spare, counted, listed = self._half_sets(window, room), window.spare, [], []
        for head, wanted in sorted(Counter(weakest).items()):
            size, need = k - head.bit_count(), max(0.0, window.theta - state.head_value(head))
            weights = self._weights(head, weakest, window)
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

    def _weights(self, head: int, weakest: list[int], window: Window) -> tuple[int, int]:
        """In how many places a set shares features, at least and at most: with each other set that holds them."""
        state = self._state
        shared = sum(state.overlap_left(head, other) for other in weakest) - state.overlap_left(head, head)
        return shared - window.unshared, shared

    def _half_sets(self, window: Window, room: int) -> Windows:
        """The sorted half sets; narrowing a window often leaves them as they are."""
        weights = np.array([np.maximum(window.must, 1) - 1, window.most - 1], dtype=np.intc)
        key = (window.useful.tobytes(), window.capped.tobytes(), weights.tobytes(), room)
        if key not in self._kept:
            if len(self._kept) >= KEPT_HALF_SETS:
                self._kept.clear()
            self.n_half_sets += int(list_cost(window.first, room))
            self._kept[key] = Windows(window.capped, window.first, room, weights)
        return self._kept[key]


@dataclass
class Effort:
    """What is spent on one window; ``usual_nodes`` are those of the searches that ended, None at the root."""

    half_sets: int
    length: float
    usual_nodes: float | None = None

    @property
    def max_nodes(self) -> int:
        """How many nodes a search among listed sets may take."""
        if self.usual_nodes is None:
            return ROOT_PICK_NODES
        return int(np.clip(PICK_NODES_FACTOR * self.usual_nodes, MIN_PICK_NODES, MAX_PICK_NODES))

    def learn(self, n_nodes: int, *, finished: bool) -> None:
        """Adapt the length of lists such that searches among them finish."""
        if not finished:
            self.length = max(self.length / 2, MIN_LENGTH)
            return
        if self.usual_nodes is not None:
            self.usual_nodes += SMOOTHING * (n_nodes - self.usual_nodes)
        self.length = min(LENGTH_GROWTH * self.length, MAX_LENGTH)


class WindowSearch:
    """Lowers the bounds of nodes and finds solutions, window by window."""

    def __init__(self, state: MaxMinState) -> None:
        self._state, self._completion = state, Completion(state)
        self._lists = WindowLists(state)
        self._effort = Effort(MAX_HALF_SETS, FIRST_LENGTH, USUAL_PICK_NODES)

    def search(self, node: Node) -> float | None:
        """Search the widest window that is small enough: the node's new bound, or None to branch."""
        # A window that does not reach the incumbent's value is tried once; after that, branching gets further.
        state = self._state
        if len(node.weakest) > PATTERN_SETS:
            return None
        while True:
            best = state.best
            searched, bound = self._search_widest(node)
            if not searched or bound is not None or state.run.stopped:
                return bound
            if state.best > best + state.tolerance:
                continue
            if len(node.weakest) == len(node.heads) or len(node.heads) > PATTERN_SETS:
                return None
            # The weakest sets alone do not decide it: take the others in as well.
            node = node.with_all_sets()

    def _search_widest(self, node: Node) -> tuple[bool, float | None]:
        """Whether a window was small enough to be searched; and the node's new bound, None if that has none."""
        state, effort = self._state, self._effort
        gap = node.bound - state.best
        for share in WINDOW_SHARES[:1] if node.lowered else WINDOW_SHARES:
            theta = max(node.bound - gap * share, state.best)
            window = window_of(state, node, theta)
            if window is None:
                return True, theta
            listed = self._lists.list_sets(node, window, effort.half_sets, int(effort.length))
            if listed is not None:
                return True, self._pick(node, window, listed, effort)[0]
        return False, None

    def widen(self, node: Node) -> Node:
        """Search ever wider windows below the node's bound: the node with its new bound."""
        # With scores of many different values solutions come very close to the bound, and the first window that holds
        # one is much smaller than the gap to the incumbent.
        state, effort = self._state, Effort(ROOT_HALF_SETS, MAX_LENGTH)
        if len(node.weakest) > PATTERN_SETS:
            return node
        width = FIRST_SHARE * (node.bound - state.best)
        bound = top = self._reachable(node, width)
        most_listed, n_nodes = self._lists.n_half_sets + WIDEN_HALF_SETS, 0
        while not (state.is_proven or state.run.stopped) and n_nodes <= WIDEN_NODES:
            # Where scores are capped, each window has half sets of its own.
            if self._lists.n_half_sets > most_listed:
                break
            best, theta = state.best, max(top - width, state.best)
            window = window_of(state, node, theta)
            if window is not None:
                listed = self._lists.list_sets(node, window, effort.half_sets, int(effort.length))
                if listed is None:
                    break
                reached, n_nodes = self._pick(node, window, listed, effort)
                if reached is None:
                    # A solution that may not be the best one narrows the window; without one it is too wide.
                    if state.best > best + state.tolerance:
                        n_nodes = 0
                        continue
                    break
                theta = reached
            bound = min(bound, theta)
            state.update_bound(bound)
            width *= WINDOW_GROWTH
        return node.with_bound(bound)

    def _reachable(self, node: Node, width: float) -> float:
        """The node's bound, lowered by halving until a window of this width is not empty."""
        # With scores capped at what is needed, the degree sequences may rule out more than they did for the node.
        bound, theta = node.bound, self._state.best
        while bound - theta > width and window_of(self._state, node, bound - width) is None:
            middle = (bound + theta) / 2
            if window_of(self._state, node, middle) is None:
                bound = middle
            else:
                theta = middle
        return bound

    def _pick(
        self, node: Node, window: Window, listed: list[ListedSets], effort: Effort
    ) -> tuple[float | None, int]:
        """Pick compatible listed sets and complete the others: the node's new bound, or None, and the nodes it took."""
        if not listed:
            return window.theta, 0
        state = self._state
        positions, finished, n_nodes = self._compatible(node, window, listed, effort.max_nodes)
        effort.learn(n_nodes, finished=finished)
        if positions is None:
            return (window.theta if finished else None), n_nodes
        worst = min(float(np.sum(state.scores[chosen])) for chosen in positions)
        weakest = [state.candidates.features(chosen) for chosen in positions]
        complete = self._completion.complete(node, weakest, worst)
        if complete is not None:
            state.update_incumbent(complete)
        if not finished or complete is None or state.best < worst - state.tolerance:
            return None, n_nodes
        return state.best, n_nodes

    def _compatible(
        self, node: Node, found: Window, listed: list[ListedSets], max_nodes: int
    ) -> tuple[list[list[int]] | None, bool, int]:
        """The compatible sets with the largest minimum as positions, whether that is proven, and the nodes it took."""
        state = self._state
        heads = [entry.head for entry in listed]
        masks, qualities, excess, group = _items(state, found, listed)
        caps = np.array([[state.overlap_left(g, h) for h in heads] for g in heads], dtype=np.intc)
        sets, chosen, finished, n_nodes = pack(
            (masks, qualities, np.maximum(excess, 0.0), group),
            (np.array([entry.wanted for entry in listed], dtype=np.intc), caps),
            found.first,
            (found.must, found.most),
            found.unshared,
            max(state.best, found.theta - 2 * state.tolerance),
            found.spare + state.tolerance * (len(node.weakest) + 1),
            found.is_plain,
            state.tolerance,
            max_nodes,
            state.run.tick,
        )
        if sets is None:
            return None, finished, n_nodes
        return (
            [
                [*bits(heads[group[item]]), *found.useful[bits(mask)].tolist()]
                for mask, item in zip(sets.tolist(), chosen.tolist(), strict=True)
            ],
            finished,
            n_nodes,
        )


def _items(state: MaxMinState, found: Window, listed: list[ListedSets]) -> tuple[Masks, Floats, Floats, Ints]:
    """Masks, qualities, excess and group of the listed sets that differ from the existing ones, best first."""
    masks = np.concatenate([entry.masks for entry in listed])
    excess = np.concatenate([entry.excess for entry in listed])
    group = np.repeat(np.arange(len(listed), dtype=np.intc), [len(entry.masks) for entry in listed])
    heads = [entry.head for entry in listed]
    values = np.array([state.head_value(head) for head in heads])
    qualities = excess + np.maximum(values, found.theta)[group]
    fits = np.ones(len(masks), dtype=bool)
    if np.any(found.capped < state.scores[found.useful]) or state.problem.existing:
        members = members_of(masks, len(found.useful))
        qualities = members @ state.scores[found.useful] + values[group]
        for row, mask, cap in zip(
            state.existing, state.existing_masks, state.existing_caps.tolist(), strict=True
        ):
            inside = np.array([(head & mask).bit_count() for head in heads])
            fits &= members @ row[found.useful] + inside[group] <= cap
    keep = np.flatnonzero(fits)
    keep = keep[np.argsort(-qualities[keep], kind="stable")]
    return masks[keep], qualities[keep], excess[keep], group[keep]


def best_sum(instance: Instance, floor: float, least: float) -> tuple[list[FeatureSet] | None, bool]:
    """The sets with the largest sum above ``floor``, each at least ``least`` (or None); and whether that is proven."""
    # Every set of such a solution is better than the floor minus the largest sum of the other sets. All sets that are
    # this good are listed, if they are few, and compatible ones are picked.
    problem, candidates, run = instance.problem, instance.candidates, instance.run
    n_sets, k = problem.n_sets, problem.n_features
    tolerance = candidates.difference_tolerance(k)
    if n_sets > PATTERN_SETS or len(candidates) > MASK_BITS:
        return None, False
    rest = sum_bounds(candidates, problem, run.tick)
    least = max(least, floor - float(rest[n_sets - 1])) - tolerance
    fixed = positions_of(problem.existing, candidates)
    first = classes(candidates.scores, fixed)
    if list_cost(first, k) > SUM_HALF_SETS:
        return None, False
    windows = Windows(candidates.scores, first, k)
    listed = windows.list(k, least, math.inf, SUM_LENGTH)
    if listed is None:
        return None, False
    found, _, finished, _ = pack_sum(
        *_compatible_with_existing(listed[0], listed[1], fixed, problem),
        first,
        n_sets,
        problem.max_overlap,
        floor,
        rest,
        tolerance,
        SUM_NODES,
        run.tick,
    )
    if found is None:
        return None, bool(finished)
    return [candidates.features(bits(mask)) for mask in found.tolist()], bool(finished)


def _compatible_with_existing(
    masks: Masks, qualities: Floats, fixed: npt.NDArray[np.uint8], problem: Problem
) -> tuple[Masks, Floats]:
    """The listed sets that differ enough from the existing ones, best first."""
    members = members_of(masks, fixed.shape[1])
    fits = np.all(members @ fixed.T <= np.array(problem.existing_overlaps), axis=1)
    masks, qualities = masks[fits], qualities[fits]
    order = np.argsort(-qualities, kind="stable")
    return masks[order], qualities[order]
