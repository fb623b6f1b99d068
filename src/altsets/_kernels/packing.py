# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: pick compatible sets from a list so that the worst of them, or their sum, is as good as possible.

The sets come in groups: so many are wanted of each group, and how much two sets may share depends on their groups.
Depth-first, with the listed sets that are still possible as a bit string. A feature that must still be covered
(because leaving it out would cost more than the sum can lose) and lies in few of them says where to branch; without
one, the group with the fewest does. Capped qualities may exceed what is needed by no more than a budget.

A listed set stands for all sets that take as many features of each class of equal scores. They are made concrete when
all are picked: set by set, class by class; members of a class that the sets before have used alike are interchangeable,
so only their numbers matter.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.altsets._kernels.bits import lowest, ones
else:

    def ones(x):
        """How many bits are set."""
        return int(x).bit_count()

    def lowest(x):
        """The number of the lowest bit that is set."""
        return (int(x) & -int(x)).bit_length() - 1


TICK_EVERY = cython.declare(cython.long, 1024)

# What is impossible costs this much, and is worth as much less than nothing.
INFINITY = cython.declare(cython.double, float("inf"))

# Each set needs room on the stack, of which a thread may have little, and plain Python has less: with more sets the
# search gives up at once.
MOST_SETS = cython.declare(cython.int, 1_000 if cython.compiled else 250)


@cython.final
@cython.cclass
class Packing:
    """One search; see :func:`pack`."""

    masks = cython.declare(cython.ulonglong[::1])
    qualities = cython.declare(cython.double[::1])
    excess = cython.declare(cython.double[::1])
    group = cython.declare(cython.int[::1])
    wanted = cython.declare(cython.int[::1])
    caps = cython.declare(cython.int[:, ::1])
    single = cython.declare(cython.ulonglong)
    classes = cython.declare(cython.ulonglong[::1])
    widths = cython.declare(cython.int[::1])
    of_class = cython.declare(cython.int[:, ::1])
    must = cython.declare(cython.int[::1])
    most = cython.declare(cython.int[::1])
    unshared = cython.declare(cython.int)
    degree = cython.declare(cython.int[::1])
    compatible = cython.declare(cython.ulonglong[:, ::1])
    drawn = cython.declare(cython.uchar[::1])
    with_feature = cython.declare(cython.ulonglong[:, ::1])
    in_group = cython.declare(cython.ulonglong[:, ::1])
    possible = cython.declare(cython.ulonglong[:, ::1])
    begin = cython.declare(cython.int[::1])
    room = cython.declare(cython.int[::1])
    least = cython.declare(cython.double[::1])
    concrete = cython.declare(cython.ulonglong[::1])
    picked_item = cython.declare(cython.int[::1])
    best_sets = cython.declare(cython.ulonglong[::1])
    best_items = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    words = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    n_features = cython.declare(cython.int)
    n_classes = cython.declare(cython.int)
    n_groups = cython.declare(cython.int)
    best = cython.declare(cython.double, visibility="readonly")
    budget = cython.declare(cython.double)
    start = cython.declare(cython.double)
    lift = cython.declare(cython.bint)
    summing = cython.declare(cython.bint)
    rest = cython.declare(cython.double[::1])
    tolerance = cython.declare(cython.double)
    nodes = cython.declare(cython.long, visibility="readonly")
    max_nodes = cython.declare(cython.long)
    found = cython.declare(cython.bint, visibility="readonly")
    stopped = cython.declare(cython.bint, visibility="readonly")
    tick = cython.declare(object)

    def __init__(
        self,
        items,
        groups,
        first,
        degrees,
        unshared,
        best,
        budget,
        lift,
        tolerance,
        max_nodes,
        tick,
        rest=None,
    ):
        self.masks, self.qualities, self.excess, self.group = items
        wanted, self.caps = groups
        self.wanted = np.array(wanted, dtype=np.intc)
        self.n = len(self.masks)
        self.words = (self.n + 63) // 64
        self.n_groups = len(wanted)
        self.n_sets = int(np.sum(wanted))
        self.n_features = int(first[len(first) - 1])
        single = 0
        wide = []
        for c in range(len(first) - 1):
            bits = sum(1 << position for position in range(first[c], first[c + 1]))
            if first[c + 1] - first[c] == 1:
                single |= bits
            else:
                wide.append(bits)
        self.single = single
        self.classes = np.array(wide, dtype=np.uint64)
        self.n_classes = len(wide)
        self.widths = np.array([bits.bit_count() for bits in wide], dtype=np.intc)
        self.of_class = np.zeros((max(self.n, 1), max(self.n_classes, 1)), dtype=np.intc)
        self.must, self.most = degrees
        self.unshared = unshared
        self.degree = np.zeros(64, dtype=np.intc)
        self.compatible = np.zeros((max(self.n, 1), max(self.words, 1)), dtype=np.uint64)
        self.drawn = np.zeros(max(self.n, 1), dtype=np.uint8)
        self.with_feature = np.zeros((max(self.n_features, 1), max(self.words, 1)), dtype=np.uint64)
        self.in_group = np.zeros((self.n_groups, max(self.words, 1)), dtype=np.uint64)
        self.possible = np.zeros((self.n_sets + 1, max(self.words, 1)), dtype=np.uint64)
        self.begin = np.zeros(self.n_sets + 1, dtype=np.intc)
        # What the picked sets may share beyond what they do share of features that are alone in their class.
        self.room = np.zeros(self.n_sets + 1, dtype=np.intc)
        excess = np.full(max(self.words, 1) * 64, np.inf)
        excess[: self.n] = self.excess
        self.least = excess.reshape(-1, 64).min(axis=1)
        self.concrete = np.zeros(self.n_sets, dtype=np.uint64)
        self.picked_item = np.zeros(self.n_sets, dtype=np.intc)
        self.best_sets = np.zeros(self.n_sets, dtype=np.uint64)
        self.best_items = np.zeros(self.n_sets, dtype=np.intc)
        self.best = best
        self.budget = budget
        self.start = best
        self.lift = lift
        self.summing = rest is not None
        self.rest = rest if self.summing else np.zeros(1)
        self.tolerance = tolerance
        self.max_nodes = max_nodes
        self.nodes = 0
        self.found = False
        self.stopped = False
        self.tick = tick

    def run(self):
        """Search to the end or until stopped."""
        if self.n_sets > MOST_SETS:
            self.stopped = True
            return
        with cython.nogil:
            self.lay_out()
            self.descend(0, 0.0, 0.0 if self.summing else INFINITY)

    def sets(self):
        """The masks of the best sets, and the listed sets they are made from."""
        return np.asarray(self.best_sets).copy(), np.asarray(self.best_items).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lay_out(self) -> cython.void:
        """Which listed sets hold a feature or belong to a group, how many of a class they take; all are possible."""
        bit: cython.ulonglong
        rest: cython.ulonglong
        for item in range(self.n):
            for c in range(self.n_classes):
                self.of_class[item, c] = ones(self.masks[item] & self.classes[c])
            w = item >> 6
            bit = cython.cast(cython.ulonglong, 1) << (item & 63)
            self.possible[0, w] = self.possible[0, w] | bit
            self.in_group[self.group[item], w] = self.in_group[self.group[item], w] | bit
            rest = self.masks[item]
            while rest:
                j = lowest(rest)
                rest = rest & (rest - 1)
                self.with_feature[j, w] = self.with_feature[j, w] | bit

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw(self, item: cython.int) -> cython.void:
        """Fill in which listed sets are compatible with this one, as far as the classes tell."""
        shared: cython.int
        fits: cython.ulonglong
        row: cython.ulonglong
        mask: cython.ulonglong = self.masks[item]
        single: cython.ulonglong = mask & self.single
        for w in range(self.words):
            row = 0
            for other in range(64 * w, min(64 * w + 64, self.n)):
                cap = self.caps[self.group[item], self.group[other]]
                # Members of a class are few: sets that take many of them share some. They share most if both take the
                # first ones, as the masks do.
                shared = ones(single & self.masks[other])
                for c in range(self.n_classes):
                    shared += max(self.of_class[item, c] + self.of_class[other, c] - self.widths[c], 0)
                fits = (shared <= cap) & (ones(mask & self.masks[other]) >= cap - self.unshared)
                row = row | (fits << (other & 63))
            self.compatible[item, w] = row
        self.drawn[item] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch(self, level: cython.int) -> cython.int:
        """Where to branch: a feature j >= 0, or group g as -2 - g; -1 if something needed has become impossible."""
        best: cython.int = -1
        fewest: cython.int = self.n + 1
        for j in range(self.n_features):
            # Members of wider classes stand for each other until sets are made concrete: no degree of theirs counts.
            if not (self.single >> j) & 1 or self.must[j] <= self.degree[j]:
                continue
            if self.must[j] - self.degree[j] > self.n_sets - level:
                return -1
            count = 0
            for w in range(self.begin[level], self.words):
                count += ones(self.possible[level, w] & self.with_feature[j, w])
                if count >= fewest:
                    break
            if count == 0:
                return -1
            if count < fewest:
                fewest = count
                best = j
        for g in range(self.n_groups):
            if self.wanted[g] > 0:
                count = 0
                for w in range(self.begin[level], self.words):
                    count += ones(self.possible[level, w] & self.in_group[g, w])
                    if count >= fewest:
                        break
                if count == 0:
                    return -1
                if count < fewest:
                    fewest = count
                    best = -2 - g
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self, level: cython.int, spent: cython.double, value: cython.double) -> cython.void:
        """Pick one more of the sets that are possible at ``level``; ``value`` is the worst or the sum so far."""
        rest: cython.ulonglong
        if level == self.n_sets:
            if self.make_concrete(0):
                self.found = True
                self.best = value
                for s in range(self.n_sets):
                    self.best_sets[s] = self.concrete[s]
                    self.best_items[s] = self.picked_item[s]
            return
        if self.spend_node():
            return
        where = self.branch(level)
        if where == -1:
            return
        for w in range(self.begin[level], self.words):
            rest = self.possible[level, w]
            rest = rest & (self.with_feature[where, w] if where >= 0 else self.in_group[-2 - where, w])
            while rest:
                item = 64 * w + lowest(rest)
                rest = rest & (rest - 1)
                # The list is sorted: everything further down is no better.
                if self.promise(level, item, value) <= self.best + self.tolerance:
                    return
                # A better worst set leaves every other set less to spare.
                risen = self.best - self.start if self.lift else 0.0
                if spent + self.excess[item] + (self.n_sets - level - 1) * risen <= self.budget:
                    self.pick(level, item, spent, value)
                    if self.stopped:
                        return
                # Its bit is still set: switch it off.
                self.possible[level, w] = self.possible[level, w] ^ (
                    cython.cast(cython.ulonglong, 1) << (item & 63)
                )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def promise(self, level: cython.int, item: cython.int, value: cython.double) -> cython.double:
        """What can be reached at most if this or a worse listed set is picked at ``level``."""
        left: cython.int = self.n_sets - level - 1
        if not self.summing:
            return self.qualities[item]
        return value + self.qualities[item] + min(left * self.qualities[item], self.rest[left])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pick(
        self, level: cython.int, item: cython.int, spent: cython.double, value: cython.double
    ) -> cython.void:
        """Go on with this set picked."""
        value = value + self.qualities[item] if self.summing else min(value, self.qualities[item])
        if not self.drawn[item]:
            self.draw(item)
        self.picked_item[level] = item
        self.wanted[self.group[item]] -= 1
        self.count_degrees(self.masks[item], 1)
        spent += self.excess[item]
        if self.crowded(level + 1) == 0 and self.narrow(level, item, self.budget - spent):
            self.descend(level + 1, spent, value)
        self.count_degrees(self.masks[item], -1)
        self.wanted[self.group[item]] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spend_node(self) -> cython.bint:
        """Count a step; true if the search is to stop."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.stopped = True
        elif self.nodes % TICK_EVERY == 0:
            with cython.gil:
                if self.tick():
                    self.stopped = True
        return self.stopped

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def crowded(self, level: cython.int) -> cython.bint:
        """Whether the picked sets must share more than all pairs may together: members of a class are few."""
        demand: cython.int
        last: cython.int = self.picked_item[level - 1]
        room: cython.int = self.room[level - 1]
        if self.n_classes == 0:
            return False
        for s in range(level - 1):
            room += self.caps[self.group[last], self.group[self.picked_item[s]]]
            room -= ones(self.masks[last] & self.masks[self.picked_item[s]] & self.single)
        self.room[level] = room
        for c in range(self.n_classes):
            demand = 0
            for s in range(level):
                demand += self.of_class[self.picked_item[s], c]
            if demand == 0:
                # Perhaps there is nobody in it.
                continue
            full = demand // self.widths[c]
            room -= self.widths[c] * full * (full - 1) // 2 + (demand - full * self.widths[c]) * full
        return room < 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_degrees(self, mask: cython.ulonglong, sign: cython.int) -> cython.void:
        while mask:
            self.degree[lowest(mask)] += sign
            mask = mask & (mask - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def narrow(self, level: cython.int, item: cython.int, left: cython.double) -> cython.bint:
        """What is possible at the next level with so much left to spend; false if some feature is used too often."""
        begin: cython.int = self.begin[level]
        rest: cython.ulonglong = self.masks[item] & self.single
        # The list is sorted: what has become too dear stands at its beginning.
        while begin < self.words and self.least[begin] > left:
            begin += 1
        self.begin[level + 1] = begin
        for w in range(begin, self.words):
            self.possible[level + 1, w] = self.possible[level, w] & self.compatible[item, w]
        # Features and groups that were used up before have left no sets behind.
        while rest:
            j = lowest(rest)
            rest = rest & (rest - 1)
            if self.degree[j] >= self.most[j]:
                if self.degree[j] > self.most[j]:
                    return False
                for w in range(begin, self.words):
                    self.possible[level + 1, w] = self.possible[level + 1, w] & ~self.with_feature[j, w]
        if self.wanted[self.group[item]] == 0:
            for w in range(begin, self.words):
                self.possible[level + 1, w] = (
                    self.possible[level + 1, w] & ~self.in_group[self.group[item], w]
                )
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make_concrete(self, number: cython.int) -> cython.bint:
        """Choose members for the picked sets from ``number`` on; false if that cannot be done."""
        if number == self.n_sets:
            return True
        item = self.picked_item[number]
        return self.complete(number, self.masks[item] & self.single, 0, 0, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_fresh(self, number: cython.int, j: cython.int) -> cython.bint:
        """Whether none of the concrete sets before ``number`` holds a feature."""
        for s in range(number):
            if (self.concrete[s] >> j) & 1:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def used_alike(self, number: cython.int, i: cython.int, j: cython.int) -> cython.bint:
        """Whether the concrete sets before ``number`` that hold a feature are those that hold another one."""
        for s in range(number):
            if ((self.concrete[s] >> i) ^ (self.concrete[s] >> j)) & 1:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def complete(
        self,
        number: cython.int,
        mask: cython.ulonglong,
        score_class: cython.int,
        position: cython.int,
        to_take: cython.int,
    ) -> cython.bint:
        """Add members to one set, class by class, lowest first among those used alike; then go on to the next set."""
        item: cython.int = self.picked_item[number]
        for s in range(number):
            if ones(mask & self.concrete[s]) > self.caps[self.group[item], self.group[self.picked_item[s]]]:
                return False
        if score_class == self.n_classes:
            self.concrete[number] = mask
            return self.make_concrete(number + 1)
        if to_take < 0:
            to_take = self.of_class[item, score_class]
            position = 0
        if to_take == 0:
            return self.complete(number, mask, score_class + 1, 0, -1)
        if self.spend_node():
            return False
        # Fresh members first: they add to no overlap.
        for fresh in range(1, -1, -1):
            for j in range(position, self.n_features):
                if not (self.classes[score_class] >> j) & 1:
                    continue
                if self.is_fresh(number, j) != fresh:
                    continue
                # If an earlier member, used alike, was left out, then this one would only repeat what was tried.
                skipped = False
                for s in range(j):
                    if (self.classes[score_class] & ~mask) >> s & 1 and self.used_alike(number, s, j):
                        skipped = True
                        break
                if not skipped and self.complete(
                    number, mask | (cython.cast(cython.ulonglong, 1) << j), score_class, j + 1, to_take - 1
                ):
                    return True
                if self.stopped:
                    return False
        return False


def pack(items, groups, first, degrees, unshared, best, budget, lift, tolerance, max_nodes, tick):
    """Pick compatible sets whose worst quality exceeds ``best``, as far as possible.

    Parameters
    ----------
    items : tuple of arrays
        The listed sets, best quality first: their masks (uint64, see :class:`altsets._kernels.windows.Windows`),
        qualities, by how much each exceeds what is needed of it when scores are capped, and groups (int32).
    groups : tuple of arrays
        How many sets are wanted of each group (int32), and how much two sets of these groups may share (int32 matrix).
    first : int32 array
        Classes of equal scores.
    degrees : tuple of int32 arrays
        How often each feature has to and may be used.
    unshared : int
        By how much two sets may at most fall short of what they may share.
    best : float
        The worst quality to beat.
    budget : float
        What the excesses may add up to.
    lift : bool
        Whether excesses are in terms of plain scores, so that each is at least what ``best`` has risen by.
    tolerance : float
        Differences up to this do not count.
    max_nodes : int
    tick : callable

    Returns
    -------
    sets : uint64 array, or None if nothing beats ``best``
    chosen : int array, or None
        The listed sets that they are made from.
    finished : bool
        Whether the search was exhaustive.
    steps : int
        How many steps it took.
    """
    return _outcome(
        Packing(items, groups, first, degrees, unshared, best, budget, lift, tolerance, max_nodes, tick)
    )


def pack_sum(masks, qualities, first, n_sets, cap, best, rest, tolerance, max_nodes, tick):
    """Pick ``n_sets`` sets, any two sharing at most ``cap`` features, whose qualities add up to more than ``best``.

    ``masks`` and ``qualities`` list the sets, best first; ``rest[r]`` bounds the sum of any r sets. The other
    parameters and what is returned are as in :func:`pack`.
    """
    n, n_features = len(masks), int(first[len(first) - 1])
    items = (masks, qualities, np.zeros(n), np.zeros(n, dtype=np.intc))
    groups = (np.array([n_sets], dtype=np.intc), np.array([[cap]], dtype=np.intc))
    degrees = (np.zeros(n_features, dtype=np.intc), np.full(n_features, n_sets, dtype=np.intc))
    return _outcome(
        Packing(items, groups, first, degrees, cap, best, 1.0, False, tolerance, max_nodes, tick, rest=rest)
    )


def _outcome(search):
    search.run()
    sets, chosen = search.sets() if search.found else (None, None)
    return sets, chosen, not search.stopped, search.nodes
