"""The search in windows of one node: list the good sets, pick compatible ones, complete the other sets."""

from __future__ import annotations

import numpy as np

from altsets._kernels.packing import pack
from altsets.arrays import Floats, Ints, Masks
from altsets.search.additive.completion import Completion
from altsets.search.additive.masks import PATTERN_SETS, bits, members_of
from altsets.search.additive.max_min_state import MaxMinState
from altsets.search.additive.max_min_tree import Node
from altsets.search.additive.windows import ListedSets, Window, WindowLists, window_of

__all__ = ["WindowSearch"]


class WindowSearch:
    """Lowers the bounds of nodes and finds solutions, window by window.

    How long lists may be, and how many nodes a search among them may take, follows from how the searches before went.
    """

    def __init__(self, state: MaxMinState, completion: Completion) -> None:
        self._state, self._completion = state, completion
        self._limits = state.limits
        self._lists = WindowLists(state)
        self._at_root = False
        self._length = float(self._limits.first_length)
        self._usual_nodes = self._limits.usual_pick_nodes
        self._last_nodes = 0

    def search(self, node: Node) -> float | None:
        """Search the widest window that is small enough: the node's new bound, or None to branch.

        A window short of the incumbent's value is tried once; after that, branching gets further.
        """
        state = self._state
        if len(node.needy) > PATTERN_SETS:
            return None
        while True:
            best = state.best
            searched, bound = self._search_widest(node)
            if not searched or bound is not None or state.run.stopped:
                return bound
            if state.best > best + state.tolerance:
                continue
            if len(node.needy) == len(node.heads) or len(node.heads) > PATTERN_SETS:
                return None
            # The needy sets alone do not decide it: take the others in as well.
            node = node.with_all_needy()

    def _search_widest(self, node: Node) -> tuple[bool, float | None]:
        """Whether a window was small enough to be searched; and the node's new bound, None if that has none."""
        state, shares = self._state, self._limits.window_shares
        gap = node.bound - state.best
        for share in shares[:1] if node.lowered else shares:
            theta = max(node.bound - gap * share, state.best)
            found = window_of(state, node, theta)
            if found is None:
                return True, theta
            listed = self._listed(node, found)
            if listed is not None:
                return True, self._pick(node, found, listed)
        return False, None

    def widen(self, node: Node) -> Node:
        """Search windows from the node's bound down, each wider than the one before: the node with its new bound.

        With scores of many different values solutions come very close to the bound, and the first window that holds
        one is much smaller than what the solutions found by annealing leave open.
        """
        state, limits = self._state, self._limits
        if len(node.needy) > PATTERN_SETS:
            return node
        width = limits.first_share * (node.bound - state.best)
        bound = top = self._reachable(node, width)
        self._at_root, self._length, self._last_nodes = True, float(limits.max_length), 0
        most_listed = self._lists.n_half_sets + limits.widen_half_sets
        while not (state.is_proven or state.run.stopped) and self._last_nodes <= limits.widen_nodes:
            # Where scores are capped, each window has half sets of its own.
            if self._lists.n_half_sets > most_listed:
                break
            best, theta = state.best, max(top - width, state.best)
            found = window_of(state, node, theta)
            if found is not None:
                listed = self._listed(node, found)
                reached = None if listed is None else self._pick(node, found, listed)
                if reached is None:
                    # A solution that may not be the best one narrows the window; without one it is too wide.
                    if state.best > best + state.tolerance:
                        self._last_nodes = 0
                        continue
                    break
                theta = reached
            bound = min(bound, theta)
            state.update_bound(bound)
            width *= limits.window_growth
        self._at_root, self._length = False, float(limits.first_length)
        return node.with_bound(bound)

    def _reachable(self, node: Node, width: float) -> float:
        """The node's bound, lowered by halving to a value from which a window of this width is not empty.

        With scores capped at what is needed, the degree sequences may rule out more than they did for the node.
        """
        bound, theta = node.bound, self._state.best
        while bound - theta > width and window_of(self._state, node, bound - width) is None:
            middle = (bound + theta) / 2
            if window_of(self._state, node, middle) is None:
                bound = middle
            else:
                theta = middle
        return bound

    def _listed(self, node: Node, found: Window) -> list[ListedSets] | None:
        """The sets in a window; None if there are too many."""
        if not found.fits_masks:
            return None
        limits = self._limits
        max_half_sets = limits.root_max_half_sets if self._at_root else limits.max_half_sets
        return self._lists.list_sets(node, found, max_half_sets, int(self._length))

    @property
    def _max_nodes(self) -> int:
        """How many nodes a search among listed sets may take."""
        limits = self._limits
        if self._at_root:
            return limits.root_pick_nodes
        usual = limits.pick_nodes_factor * self._usual_nodes
        return int(np.clip(usual, limits.min_pick_nodes, limits.max_pick_nodes))

    def _pick(self, node: Node, found: Window, listed: list[ListedSets]) -> float | None:
        """Pick compatible sets among the listed ones and complete the others: the node's new bound, or None."""
        if not listed:
            return found.theta
        state = self._state
        positions, finished = self._compatible(node, found, listed)
        self._learn(finished)
        if positions is None:
            return found.theta if finished else None
        worst = min(float(np.sum(state.scores[chosen])) for chosen in positions)
        needy = [state.candidates.features(chosen) for chosen in positions]
        complete = self._completion.complete(node, needy, worst)
        if complete is not None:
            state.update_incumbent(complete)
        if not finished or complete is None or state.best < worst - state.tolerance:
            return None
        return state.best

    def _learn(self, finished: bool) -> None:
        """Lists become as long as searches among them still come to an end."""
        limits = self._limits
        if finished and not self._at_root:
            self._usual_nodes += limits.smoothing * (self._last_nodes - self._usual_nodes)
        self._length = (
            min(limits.length_growth * self._length, limits.max_length)
            if finished
            else max(self._length / 2, limits.min_length)
        )

    def _compatible(
        self, node: Node, found: Window, listed: list[ListedSets]
    ) -> tuple[list[list[int]] | None, bool]:
        """The compatible sets with the largest minimum, as positions (None if none), and whether that is proven."""
        state = self._state
        heads = [entry.head for entry in listed]
        masks, qualities, excess, group = _items(state, found, listed)
        caps = np.array([[state.overlap_left(g, h) for h in heads] for g in heads], dtype=np.intc)
        sets, chosen, finished, self._last_nodes = pack(
            (masks, qualities, np.maximum(excess, 0.0), group),
            (np.array([entry.wanted for entry in listed], dtype=np.intc), caps),
            found.first,
            (found.must, found.most),
            found.unshared,
            max(state.best, found.theta - 2 * state.tolerance),
            found.spare + state.tolerance * (len(node.needy) + 1),
            found.is_plain,
            state.tolerance,
            self._max_nodes,
            state.run.tick,
        )
        if sets is None:
            return None, finished
        return [
            [*bits(heads[group[item]]), *found.useful[bits(mask)].tolist()]
            for mask, item in zip(sets.tolist(), chosen.tolist(), strict=True)
        ], finished


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
