"""All sets at once, largest minimum.

Best-first search over partial solutions. A partial solution decides for the best few features in which sets they lie;
what the sets can still get is bounded by degree sequences, for all sets together and for those with the least
prospects alone (a set that holds a dominating feature must not make up for the others). Where few enough sets lie in
the window between what is needed and what the bound allows, they are listed and compatible ones picked among them; if
the other sets can be filled up around them, that settles the partial solution. Elsewhere the next feature is decided.
With balanced scores the first windows, with nothing decided, usually settle it all, taken from the bound down; skewed
scores need the first few features decided.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from altsets._kernels.degrees import degree_bound, prefix_bound
from altsets._kernels.exchanges import anneal
from altsets._kernels.packing import pack
from altsets._kernels.windows import Windows, list_cost
from altsets.arrays import Floats, Indices, Ints, Masks
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.result import Status
from altsets.search.additive import pattern_milp
from altsets.search.additive.best_set import best_set
from altsets.search.additive.max_sum import best_responses, largest_sum
from altsets.search.additive.meet_in_middle import (
    MAX_PICKED,
    best_sum,
    bits,
    classes,
    members_of,
    positions_of,
)
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates
from altsets.search.tolerances import PROVEN

__all__ = ["largest_minimum"]


#: Annealing walks for a first solution, and steps of each.
WALKS = 3
BALANCE_STEPS = 20_000
#: The very first walk is short, for each place in the sets: most problems need no more.
FIRST_STEPS = 150
#: Partial solutions to look at when a few sets are dealt out anew.
PART_NODES = 3
#: The share of the gap that a large gain closes.
LARGE_GAIN = 0.1
#: After so many partial solutions another first solution is tried, the next one after this many times as many.
FIRST_RESTART = 100
LATER_RESTARTS = 2.5
#: A relative gap up to this is worth only so many more partial solutions.
SMALL_GAP = 1e-6
MAX_LATE_NODES = 12
#: How far from best the sets that are fitted around the worst ones may be, relatively: walks improve them anyway.
FIT_GAP = 0.02
#: How many half sets may be listed for one window, at the root and elsewhere.
ROOT_HALF_SETS = 1_700_000
MOST_HALF_SETS = 300_000
#: How many steps a search among the sets may take: at the root, and elsewhere as a multiple of what the searches that
#: came to an end took. That is supposed at first, and then follows each of them by so much.
ROOT_STEPS = 300_000
USUAL_STEPS = 2_000
UNUSUAL = 10.0
LEAST_STEPS, MOST_STEPS = 2_000, 40_000
LEARNING = 0.05
#: The length that lists of sets have at first, at least and at most, and how they grow as long as searches among them
#: come to an end.
FIRST_LENGTH = 1_500
LEAST_LENGTH = 1_000
MOST_LENGTH = 12_000
GROWTH = 1.1
#: The first windows reach down from the bound by this share of the gap and grow by this factor, until a search among
#: the sets takes more than so many steps, or more than so many half sets have been listed.
FIRST_SHARE = 2.0**-16
WIDER = 1.5
MANY_STEPS = 10_000
MANY_HALF_SETS = 4_000_000
#: Windows reach down from the bound by these shares of the gap; the widest that is small enough is searched.
SHARES = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024)


@dataclass(frozen=True, order=True)
class Node:
    """A partial solution: for each set the features it holds, as bits, of the ``depth`` best ones."""

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


@dataclass(frozen=True)
class Window:
    """What the needy sets of a node must add to reach ``theta``, from which features, with how much to spare."""

    theta: float
    useful: Indices
    capped: Floats
    first: Ints
    must: Ints
    most: Ints
    spare: float
    unshared: int  # by how much all pairs of sets together may fall short of what they may share
    plain: bool  # no score is capped and no need is already met


def largest_minimum(quality: Additive, problem: Problem, candidates: Candidates, run: Run) -> Answer:
    """The sets whose worst one is as good as possible; among such, a large sum."""
    found = largest_sum(quality, problem, candidates, run.part(), exact=False)
    if not found.sets:
        return replace(found, bound=found.bound / problem.n_sets)
    search = _Search(quality, problem, candidates, run)
    search.update_incumbent(found.sets)
    search.update_bound(found.bound / problem.n_sets - problem.n_features * search.shift)
    root = search.node(0, (0,) * problem.n_sets)
    if not search.closed:
        search.anneal(search.sets, 0, FIRST_STEPS * problem.n_sets * problem.n_features)
        search.explore(root, max_nodes=1)
    if not search.closed:
        root = search.widen(root)
    if not search.closed:
        search.polish()
        search.explore(root)
    sets = search.raise_sum(found.bound)
    worst = min(map(quality.evaluate, sets))
    bound = max(search.bound + problem.n_features * search.shift, worst)
    proven = bound - worst <= PROVEN
    proof = "best-first search over windows of good sets"
    return Answer(sets, [Status.OPTIMAL if proven else Status.FEASIBLE] * problem.n_sets, bound, proof)


class _Search:
    """The state of one search; scores are shifted so that the least is zero."""

    def __init__(
        self, quality: Additive, problem: Problem, candidates: Candidates, run: Run, held: bool = False
    ) -> None:
        self.quality, self.problem, self.candidates, self.run = quality, problem, candidates, run
        self.held = held  # whether what is decided at first must stay: other sets have a share in it
        self.shift = float(np.min(candidates.scores))
        self.scores: Floats = candidates.scores - self.shift
        self.tolerance = 2 * candidates.tolerance(problem.n_features)
        self.at_root = False
        self.length = float(FIRST_LENGTH)
        self.steps = self.half_sets_listed = 0
        self.usual_steps = float(USUAL_STEPS)
        self.values: dict[int, float] = {}
        self.first: list[FeatureSet] = []
        self.sets: list[FeatureSet] = []
        self.best = -math.inf
        self.bound = math.inf
        self.half_sets: dict[tuple[bytes, bytes, bytes, int], Windows] = {}
        self.fixed = positions_of(problem.existing, candidates)
        self.fixed_bits = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in self.fixed]
        self.fixed_caps = np.array(problem.existing_overlaps, dtype=np.intc)

    @property
    def closed(self) -> bool:
        """Whether the best minimum is proven."""
        scale = float(np.max(self.scores))
        return self.bound - self.best <= min(PROVEN, max(1e-9 * scale, self.tolerance))

    def update_incumbent(self, sets: Sequence[FeatureSet]) -> None:
        """Keep these sets if their worst one is better."""
        worst = min(map(self.quality.evaluate, sets))
        value = worst - self.problem.n_features * self.shift
        self.first = self.first or list(sets)
        if value > self.best:
            self.best, self.sets = value, list(sets)
            self.run.update_incumbent(sets, worst)

    def update_bound(self, bound: float) -> None:
        """No solution has a larger minimum."""
        self.bound = max(min(self.bound, bound), self.best)
        self.run.update_bound(self.bound + self.problem.n_features * self.shift)

    @property
    def nearly_closed(self) -> bool:
        """Whether the gap is too small for users to care and, with many sets of many features, too small to close."""
        return self.relative_gap <= SMALL_GAP

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the minimum; inf if that is zero."""
        worst = abs(self.best + self.problem.n_features * self.shift)
        return (self.bound - self.best) / worst if worst else math.inf

    def polish(self) -> None:
        """More walks, from the first sets and from the best ones, and then all that exact search over a few can add."""
        for seed in range(1, WALKS):
            if self.closed or self.run.stopped:
                return
            self.anneal(self.first if seed % 2 else self.sets, seed)
        self.improve()

    def restart(self, seed: int) -> None:
        """Another walk and what exact search makes of it, from wherever the walk ends; the better result stays."""
        known, best = self.sets, self.best
        self.best = -math.inf
        self.anneal(self.first if seed % 2 else known, seed)
        self.improve()
        if self.best < best:
            self.sets, self.best = known, best

    def anneal(self, sets: Sequence[FeatureSet], seed: int, steps: int = BALANCE_STEPS) -> None:
        """Exchange features at random, ever more reluctant to do harm."""
        self.update_incumbent(self.walk(sets, self.bound, seed, steps))

    def walk(
        self,
        sets: Sequence[FeatureSet],
        target: float,
        seed: int,
        steps: int = BALANCE_STEPS,
        given: Sequence[FeatureSet] = (),
    ) -> list[FeatureSet]:
        """What such a walk makes of these sets; the ``given`` ones stay as they are."""
        fixed, overlap = (
            np.vstack([self.fixed, positions_of(given, self.candidates)]),
            self.problem.max_overlap,
        )
        caps = np.concatenate([self.fixed_caps, np.full(len(given), overlap, dtype=np.intc)])
        members = positions_of(sets, self.candidates)
        inside = anneal(self.scores, members, fixed, caps, overlap, target, steps, seed, self.run.tick)
        return [self.candidates.features(positions) for positions in inside]

    def improve(self) -> None:
        """Re-solve the worst set together with one or two others, the rest given, as long as that helps."""
        gained = True
        while gained:
            gained = False
            qualities = [self.quality.evaluate(chosen) for chosen in self.sets]
            worst, *others = sorted(range(len(self.sets)), key=qualities.__getitem__)
            for group in itertools.chain(
                *(itertools.combinations(reversed(others), size) for size in (1, 2))
            ):
                if self.closed or self.nearly_closed or self.run.stopped:
                    return
                gap = self.bound - self.best
                gain = self.rebalance([worst, *group]) if len(group) < len(others) else 0.0
                gained = gained or gain > 0
                # After a small gain rather try other groups than the same ones anew.
                if gain > LARGE_GAIN * gap:
                    break

    def rebalance(self, numbers: list[int]) -> float:
        """Lift the worst of these sets by dealing anew what only they hold; say by how much.

        What they share with other sets stays where it is, so the other sets play no part in it.
        """
        ours = [self.sets[number] for number in numbers]
        rest = [chosen for number, chosen in enumerate(self.sets) if number not in numbers]
        shared = set().union(*rest, *self.problem.existing) & set().union(*ours)
        positions = self.candidates.positions(set().union(*ours))
        indices = self.candidates.indices
        # The shared features come first: for a partial solution they are what is decided.
        positions.sort(key=lambda position: (int(indices[position]) not in shared, position))
        candidates = Candidates(indices[positions], self.candidates.scores[positions])
        heads = [
            sum(1 << place for place in range(len(shared)) if int(candidates.indices[place]) in chosen)
            for chosen in ours
        ]
        problem = replace(self.problem, n_alternatives=len(numbers) - 1, existing=())
        part = _Search(self.quality, problem, candidates, self.run.part(), held=True)
        part.update_incumbent(ours)
        before = part.best
        part.update_bound(self.bound + self.problem.n_features * (self.shift - part.shift))
        part.explore(part.node(len(shared), tuple(heads)), max_nodes=PART_NODES)
        if part.best <= before + self.tolerance:
            return 0.0
        sets = list(self.sets)
        for number, chosen in zip(numbers, part.sets, strict=True):
            sets[number] = chosen
        # Another set may be as bad as the worst of these was: what counts is progress on these.
        self.best = -math.inf
        self.update_incumbent(sets)
        return part.best - before

    def explore(self, root: Node, max_nodes: float = math.inf) -> None:
        """Settle or split the most promising partial solution until none can beat the best."""
        heap = [root]
        n_nodes = n_late = n_restarts = 0
        while heap and not self.run.stopped and n_nodes < max_nodes and n_late < MAX_LATE_NODES:
            n_nodes += 1
            n_late += self.nearly_closed
            node = heapq.heappop(heap)
            self.update_bound(node.bound)
            if self.closed:
                return
            best = self.best
            settled = self.settle(node)
            if max_nodes == math.inf:
                if self.best > best:
                    self.improve()
                if n_nodes > FIRST_RESTART * LATER_RESTARTS**n_restarts:
                    self.restart(WALKS + n_restarts)
                    n_restarts += 1
            if settled is None:
                following = self.children(node)
            else:
                following = iter([Node(-settled, node.height, node.heads, node.needy, lowered=True)])
            for child in following:
                if child.bound > self.best + self.tolerance:
                    heapq.heappush(heap, child)
        if not heap:
            self.update_bound(self.best)

    def widen(self, node: Node) -> Node:
        """Search windows from the node's bound down, each wider than the one before: the node with its new bound.

        With scores of many different values solutions come very close to the bound, and the first window that holds
        one is much smaller than what the solutions found by walks leave open.
        """
        if len(node.needy) > MAX_PICKED:
            return node
        bound, theta, width = node.bound, self.best, FIRST_SHARE * (node.bound - self.best)
        # With scores capped at what is needed, the degree sequences may rule out more than they did for the node.
        while bound - theta > width and self.window(node, bound - width) is None:
            middle = (bound + theta) / 2
            if self.window(node, middle) is None:
                bound = middle
            else:
                theta = middle
        top = bound
        self.at_root, self.length, self.steps = True, float(MOST_LENGTH), 0
        most_listed = self.half_sets_listed + MANY_HALF_SETS
        while not (self.closed or self.run.stopped) and self.steps <= MANY_STEPS:
            # Where scores are capped, each window has half sets of its own.
            if self.half_sets_listed > most_listed:
                break
            best, theta = self.best, max(top - width, self.best)
            window = self.window(node, theta)
            if window is not None:
                listed = self.list_sets(node, window) if len(window.useful) <= 64 else None
                reached = None if listed is None else self.pick(node, window, listed)
                if reached is None:
                    # A solution that may not be the best one narrows the window; without one it is too wide.
                    if self.best > best + self.tolerance:
                        self.steps = 0
                        continue
                    break
                theta = reached
            bound = min(bound, theta)
            self.update_bound(bound)
            width *= WIDER
        self.at_root, self.length = False, float(FIRST_LENGTH)
        return Node(-bound, node.height, node.heads, node.needy, lowered=True)

    # Partial solutions

    def node(self, depth: int, heads: tuple[int, ...], limit: float = math.inf) -> Node:
        """A partial solution with its bound; ``limit`` is the bound of the one it came from."""
        k, overlap = self.problem.n_features, self.problem.max_overlap
        values = np.array([self.value(head) for head in heads])
        rooms = np.array([k - head.bit_count() for head in heads], dtype=np.intc)
        slack = np.array([[overlap - (g & h).bit_count() for h in heads] for g in heads], dtype=np.intc)
        bound, needy = prefix_bound(self.scores[depth:], values, rooms, slack)
        return Node(-min(bound, limit), -depth, heads, tuple(needy.tolist()))

    def value(self, head: int) -> float:
        """The score of the features that a head holds."""
        if head not in self.values:
            self.values[head] = float(sum(self.scores[position] for position in bits(head)))
        return self.values[head]

    def children(self, node: Node) -> Iterator[Node]:
        """All ways to decide for the next feature in which sets it lies; equal sets are interchangeable."""
        depth, k, overlap = node.depth, self.problem.n_features, self.problem.max_overlap
        if depth == len(self.scores):
            return
        bit, groups = 1 << depth, sorted(Counter(node.heads).items(), reverse=True)
        for takes in itertools.product(*(range(count + 1) for _, count in groups)):
            if self.run.stopped:
                return
            takers = [head for (head, _), take in zip(groups, takes, strict=True) if take]
            if any(head.bit_count() >= k for head in takers):
                continue
            if any((g & h).bit_count() >= overlap for g, h in itertools.combinations(takers, 2)):
                continue
            if any(
                take > 1 and head.bit_count() >= overlap
                for (head, _), take in zip(groups, takes, strict=True)
            ):
                continue
            heads: list[int] = []
            for (head, count), take in zip(groups, takes, strict=True):
                heads += [head | bit] * take + [head] * (count - take)
            if any(
                (head & bits).bit_count() > limit
                for bits, limit in zip(self.fixed_bits, self.fixed_caps.tolist(), strict=True)
                for head in heads
            ):
                continue
            yield self.node(depth + 1, tuple(heads), node.bound)

    # Windows

    def settle(self, node: Node) -> float | None:
        """Search the widest window that is small enough: the node's new bound, or None to split the node.

        A window short of the best known value is tried once; after that, splitting gets further.
        """
        if len(node.needy) > MAX_PICKED:
            return None
        while True:
            gap, best = node.bound - self.best, self.best
            for share in SHARES[:1] if node.lowered else SHARES:
                theta = max(node.bound - gap * share, self.best)
                window = self.window(node, theta)
                if window is None:
                    return theta
                if len(window.useful) > 64:
                    continue
                listed = self.list_sets(node, window)
                if listed is not None:
                    bound = self.pick(node, window, listed)
                    break
            else:
                return None
            if bound is not None or self.run.stopped:
                return bound
            if self.best > best + self.tolerance:
                continue
            if len(node.needy) == len(node.heads) or len(node.heads) > MAX_PICKED:
                return None
            # The needy sets alone do not settle it: take the others in as well.
            node = replace(node, needy=tuple(range(len(node.heads))))

    def window(self, node: Node, theta: float) -> Window | None:
        """What the needy sets must add to reach theta; None if they cannot."""
        overlap, k = self.problem.max_overlap, self.problem.n_features
        heads = [node.heads[number] for number in node.needy]
        needs = [max(0.0, theta - self.value(head)) for head in heads]
        rooms = sum(k - head.bit_count() for head in heads)
        pairs = [overlap - (g & h).bit_count() for g, h in itertools.combinations(heads, 2)]
        # A set that reaches its need with scores capped at the largest need reaches it anyway, and vice versa.
        capped = np.minimum(self.scores[node.depth :], max(needs))
        value, _, price, relaxed = degree_bound(
            capped, len(heads), rooms, sum(pairs), min(pairs, default=k), self.tolerance
        )
        spare = value - sum(needs)
        if spare < -self.tolerance:
            return None
        slack = relaxed - sum(needs) + self.tolerance
        must, most = _degree_limits(capped, len(heads), rooms, price, slack)
        useful = np.flatnonzero(most > 0)
        return Window(
            theta,
            useful + node.depth,
            np.ascontiguousarray(capped[useful]),
            self.classes(useful + node.depth),
            must[useful],
            most[useful],
            spare,
            # The bound counts on every feature that may be shared: each that is not costs the price.
            int(min(slack / price, sum(pairs))) if price > 0 else sum(pairs),
            bool(capped[0] == self.scores[node.depth]) and min(needs) > 0,
        )

    def classes(self, useful: Indices) -> Ints:
        """Where the classes of interchangeable features begin: equal scores, same existing sets."""
        return classes(self.scores[useful], self.fixed[:, useful])

    def list_sets(self, node: Node, window: Window) -> list[tuple[int, int, Masks, Floats]] | None:
        """For each kind of needy set (head and how many) the masks in its window, and by how much they exceed it.

        Empty if there are none of some kind; None if there are too many.
        """
        k, overlap, length = self.problem.n_features, self.problem.max_overlap, int(self.length)
        needy = [node.heads[number] for number in node.needy]
        room = k - min(head.bit_count() for head in needy)
        if list_cost(window.first, room) > (ROOT_HALF_SETS if self.at_root else MOST_HALF_SETS):
            return None
        windows, spare, counted, listed = self.windows(window, room), window.spare, [], []
        for head, wanted in sorted(Counter(needy).items()):
            size, need = k - head.bit_count(), max(0.0, window.theta - self.value(head))
            # A set shares each of its features with as many others as hold it.
            shared = sum(overlap - (head & other).bit_count() for other in needy)
            shared -= overlap - head.bit_count()
            weights = (shared - window.unshared, shared)
            count = windows.count(
                size, need - self.tolerance, need + spare + self.tolerance, length, *weights
            )
            if count == 0:
                return []
            counted.append((count, head, wanted, size, need, weights))
        # Fewest first: what they take of the spare at least, the others cannot have.
        for _, head, wanted, size, need, weights in sorted(counted):
            found = windows.list(size, need - self.tolerance, need + spare + self.tolerance, length, *weights)
            if found is None:
                return None
            masks, sums = found
            if len(masks) == 0:
                return []
            length -= len(masks)
            spare -= wanted * max(float(np.min(sums)) - need, 0.0)
            listed.append((head, wanted, masks, sums - need))
        return listed

    def windows(self, window: Window, room: int) -> Windows:
        """The sorted half sets; narrowing a window often leaves them as they are."""
        weights = np.array([np.maximum(window.must, 1) - 1, window.most - 1], dtype=np.intc)
        key = (window.useful.tobytes(), window.capped.tobytes(), weights.tobytes(), room)
        if key not in self.half_sets:
            if len(self.half_sets) > 8:
                self.half_sets.clear()
            self.half_sets_listed += int(list_cost(window.first, room))
            self.half_sets[key] = Windows(window.capped, window.first, room, weights)
        return self.half_sets[key]

    @property
    def max_steps(self) -> int:
        """How many steps a search among listed sets may take."""
        return (
            ROOT_STEPS if self.at_root else int(np.clip(UNUSUAL * self.usual_steps, LEAST_STEPS, MOST_STEPS))
        )

    def pick(self, node: Node, window: Window, listed: list[tuple[int, int, Masks, Floats]]) -> float | None:
        """Pick compatible sets among the listed ones, and complete the other sets."""
        if not listed:
            return window.theta
        useful, overlap = window.useful, self.problem.max_overlap
        masks = np.concatenate([entry[2] for entry in listed])
        excess = np.concatenate([entry[3] for entry in listed])
        group = np.repeat(np.arange(len(listed), dtype=np.intc), [len(entry[2]) for entry in listed])
        heads = [entry[0] for entry in listed]
        values = np.array([self.value(head) for head in heads])
        qualities = excess + np.maximum(values, window.theta)[group]
        fits = np.ones(len(masks), dtype=bool)
        capped = np.any(window.capped < self.scores[useful])
        if capped or self.problem.existing:
            members = members_of(masks, len(useful))
            qualities = members @ self.scores[useful] + values[group]
            for number, limit in enumerate(self.fixed_caps.tolist()):
                inside = np.array([(head & self.fixed_bits[number]).bit_count() for head in heads])
                fits &= members @ self.fixed[number, useful] + inside[group] <= limit
        keep = np.flatnonzero(fits)
        keep = keep[np.argsort(-qualities[keep], kind="stable")]
        caps = np.array([[overlap - (g & h).bit_count() for h in heads] for g in heads], dtype=np.intc)
        sets, chosen, finished, self.steps = pack(
            (masks[keep], qualities[keep], np.maximum(excess[keep], 0.0), group[keep]),
            (np.array([entry[1] for entry in listed], dtype=np.intc), caps),
            window.first,
            (window.must, window.most),
            window.unshared,
            max(self.best, window.theta - 2 * self.tolerance),
            window.spare + self.tolerance * (len(node.needy) + 1),
            window.plain,
            self.tolerance,
            self.max_steps,
            self.run.tick,
        )
        if finished and not self.at_root:
            self.usual_steps += LEARNING * (self.steps - self.usual_steps)
        # Lists as long as searches among them still come to an end.
        self.length = (
            min(GROWTH * self.length, MOST_LENGTH) if finished else max(self.length / 2, LEAST_LENGTH)
        )
        if sets is None:
            return window.theta if finished else None
        positions = [
            [*bits(heads[group[keep[item]]]), *useful[bits(mask)].tolist()]
            for mask, item in zip(sets.tolist(), chosen.tolist(), strict=True)
        ]
        worst = min(float(np.sum(self.scores[chosen])) for chosen in positions)
        complete = self.complete(node, positions, worst)
        if complete is not None:
            self.update_incumbent(complete)
        if not finished or complete is None or self.best < worst - self.tolerance:
            return None
        return self.best

    def complete(self, node: Node, positions: list[list[int]], worst: float) -> list[FeatureSet] | None:
        """Find the sets that are not needy, none worse than ``worst`` if possible."""
        needy = [self.candidates.features(chosen) for chosen in positions]
        if len(needy) == len(node.heads):
            return needy
        best: list[FeatureSet] | None = None
        reached = -math.inf
        for way in (self.fill,) if self.held else (self.fill, self.fit):
            others = way(node, needy)
            if others is None:
                continue
            if not self.held:
                others = self.walk(others, worst, 0, given=needy)
            value = min(map(self.quality.evaluate, others)) - self.problem.n_features * self.shift
            if value > reached:
                best, reached = [*needy, *others], value
            if reached >= worst - self.tolerance:
                break
        return best

    def fill(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """Fill the other sets one by one, each as well as those before allow: quick, but it often fails."""
        k, overlap = self.problem.n_features, self.problem.max_overlap
        tail, sets = self.tail(node), list(needy)
        for given in self.heads_of_others(node):
            others = [*self.problem.existing, *sets]
            limits = [*self.fixed_caps.tolist(), *[overlap] * len(sets)]
            limits = [
                limit - len(set(given) & set(other)) for limit, other in zip(limits, others, strict=True)
            ]
            room = k - len(given)
            rest, _ = best_set(tail, room, others, limits, self.run.tick) if room else ((), 0.0)
            if rest is None or min(limits) < 0:
                return None
            sets.append(tuple(sorted((*given, *rest))))
        return sets[len(needy) :]

    def fit(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """Fill the other sets together, by integer programming, if that is small enough."""
        heads, tail = self.heads_of_others(node), self.tail(node)
        existing = (*self.problem.existing, *needy)
        rest = replace(self.problem, n_alternatives=len(heads) - 1, existing=existing)
        if pattern_milp.n_variables(tail, rest) > pattern_milp.MAX_VARIABLES:
            return None
        return pattern_milp.best_sum(tail, rest, math.inf, self.run.part(), heads, FIT_GAP)[0]

    def tail(self, node: Node) -> Candidates:
        """The features that are not decided."""
        return Candidates(self.candidates.indices[node.depth :], self.candidates.scores[node.depth :])

    def heads_of_others(self, node: Node) -> list[FeatureSet]:
        """What the sets that are not needy hold."""
        return [
            self.candidates.features(bits(head))
            for number, head in enumerate(node.heads)
            if number not in node.needy
        ]

    def raise_sum(self, limit: float) -> list[FeatureSet]:
        """Keep the minimum and lift the sum: by best responses, and exactly where few sets are as good.

        ``limit`` is an upper bound on the sum.
        """
        evaluate, k = self.quality.evaluate, self.problem.n_features
        sets = best_responses(self.problem, self.candidates, evaluate, self.sets, self.run)
        total = math.fsum(map(evaluate, sets))
        if self.run.stopped or limit - total <= PROVEN:
            return sets
        better_sets, _ = best_sum(self.problem, self.candidates, total, self.best + k * self.shift, self.run)
        return sets if better_sets is None else better_sets


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
