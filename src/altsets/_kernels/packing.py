# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: pick compatible sets from a list so that the worst of them is as good as possible.

The sets come in groups: so many are wanted of each group, and how much two sets may share depends on their groups.
Depth-first. A feature that must still be covered (because leaving it out would cost more than the sum can lose) and
lies in few listed sets says where to branch; without one, the group with the fewest listed sets does. Capped
qualities may exceed what is needed by no more than a budget, which prunes most of the rest.

A listed set stands for all sets that take as many features of each class of equal scores. It is made concrete when it
is picked: members of a class that the picked sets have used alike are interchangeable, so only their numbers matter.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 4096)
MAX_VARIANTS = cython.declare(cython.int, 2048)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ones(mask: cython.ulonglong) -> cython.int:
    count: cython.int = 0
    while mask:
        mask = mask & (mask - 1)
        count += 1
    return count


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
    picked_group = cython.declare(cython.int[::1])
    picked_item = cython.declare(cython.int[::1])
    n_groups = cython.declare(cython.int)
    single = cython.declare(cython.ulonglong)
    classes = cython.declare(cython.ulonglong[::1])
    widths = cython.declare(cython.int[::1])
    must = cython.declare(cython.int[::1])
    most = cython.declare(cython.int[::1])
    degree = cython.declare(cython.int[::1])
    lists = cython.declare(cython.int[:, ::1])
    banned = cython.declare(cython.char[::1])
    variants = cython.declare(cython.ulonglong[:, ::1])
    n_variants = cython.declare(cython.int[::1])
    picked = cython.declare(cython.ulonglong[::1])
    best_sets = cython.declare(cython.ulonglong[::1])
    best_items = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    n_features = cython.declare(cython.int)
    n_classes = cython.declare(cython.int)
    best = cython.declare(cython.double, visibility="readonly")
    budget = cython.declare(cython.double)
    tolerance = cython.declare(cython.double)
    nodes = cython.declare(cython.long, visibility="readonly")
    max_nodes = cython.declare(cython.long)
    found = cython.declare(cython.bint, visibility="readonly")
    stopped = cython.declare(cython.bint, visibility="readonly")
    tick = cython.declare(object)

    def __init__(self, items, groups, first, must, most, best, budget, tolerance, max_nodes, tick):
        self.masks, self.qualities, self.excess, self.group = items
        self.wanted, self.caps = groups
        self.n = len(self.masks)
        self.n_groups = len(self.wanted)
        self.n_sets = int(np.sum(self.wanted))
        self.wanted = np.array(self.wanted, dtype=np.intc)
        self.picked_group = np.zeros(self.n_sets, dtype=np.intc)
        self.picked_item = np.zeros(self.n_sets, dtype=np.intc)
        n_sets = self.n_sets
        self.n_features = first[len(first) - 1]
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
        self.must = must
        self.most = most
        self.degree = np.zeros(64, dtype=np.intc)
        self.lists = np.zeros((n_sets + 1, max(self.n, 1)), dtype=np.intc)
        self.banned = np.zeros(max(self.n, 1), dtype=np.int8)
        self.variants = np.zeros((n_sets, MAX_VARIANTS if wide else 1), dtype=np.uint64)
        self.n_variants = np.zeros(n_sets, dtype=np.intc)
        self.picked = np.zeros(n_sets, dtype=np.uint64)
        self.best_sets = np.zeros(n_sets, dtype=np.uint64)
        self.best_items = np.zeros(n_sets, dtype=np.intc)
        self.best = best
        self.budget = budget
        self.tolerance = tolerance
        self.max_nodes = max_nodes
        self.nodes = 0
        self.found = False
        self.stopped = False
        self.tick = tick

    def run(self):
        """Search to the end or until stopped."""
        i: cython.int
        for i in range(self.n):
            self.lists[0, i] = i
        with cython.nogil:
            self.descend(0, self.n, 0.0, 1e300)

    def sets(self):
        """The masks of the best sets, and the listed sets they are made from."""
        return np.asarray(self.best_sets).copy(), np.asarray(self.best_items).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def least_overlap(self, listed: cython.ulonglong, chosen: cython.ulonglong) -> cython.int:
        """The fewest features that a set of the listed kind can share with a chosen one."""
        c: cython.int
        excess: cython.int
        shared: cython.int = _ones(listed & chosen & self.single)
        for c in range(self.n_classes):
            excess = _ones(listed & self.classes[c]) + _ones(chosen & self.classes[c]) - self.widths[c]
            if excess > 0:
                shared += excess
        return shared

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch_group(self, level: cython.int, length: cython.int) -> cython.int:
        """The group that still wants sets and has the fewest listed ones."""
        i: cython.int
        g: cython.int
        count: cython.int
        best: cython.int = -1
        fewest: cython.int = length + 1
        for g in range(self.n_groups):
            if self.wanted[g] > 0:
                count = 0
                for i in range(length):
                    if self.group[self.lists[level, i]] == g:
                        count += 1
                if count < fewest:
                    fewest = count
                    best = g
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch_feature(self, level: cython.int, length: cython.int) -> cython.int:
        """The feature still to be covered that lies in the fewest listed sets; -1: none, -2: one lies in no set."""
        i: cython.int
        j: cython.int
        count: cython.int
        best: cython.int = -1
        fewest: cython.int = length + 1
        left: cython.int = self.n_sets - level
        bit: cython.ulonglong
        for j in range(self.n_features):
            if self.must[j] <= self.degree[j]:
                continue
            if self.must[j] - self.degree[j] > left:
                return -2
            bit = cython.cast(cython.ulonglong, 1) << j
            if not (self.single & bit):
                continue
            count = 0
            for i in range(length):
                if self.masks[self.lists[level, i]] & bit:
                    count += 1
            if count == 0:
                return -2
            if count < fewest:
                fewest = count
                best = j
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self, level: cython.int, length: cython.int, spent: cython.double, worst: cython.double
    ) -> cython.void:
        """Pick one more set from the first ``length`` entries of the list at ``level``."""
        i: cython.int
        v: cython.int
        s: cython.int
        chosen: cython.int
        branch: cython.int
        group: cython.int = -1
        left: cython.int = self.n_sets - level
        kept: cython.int
        bit: cython.ulonglong = 0
        if left == 0:
            self.found = True
            self.best = worst
            for s in range(self.n_sets):
                self.best_sets[s] = self.picked[s]
                self.best_items[s] = self.picked_item[s]
            return
        self.nodes += 1
        if self.nodes % TICK_EVERY == 0:
            with cython.gil:
                if self.nodes > self.max_nodes or self.tick():
                    self.stopped = True
        if length == 0 or self.stopped:
            return
        branch = self.branch_feature(level, length)
        if branch == -2:
            return
        if branch >= 0:
            bit = cython.cast(cython.ulonglong, 1) << branch
        else:
            group = self.branch_group(level, length)
        for i in range(length):
            chosen = self.lists[level, i]
            if branch >= 0 and not (self.masks[chosen] & bit):
                continue
            if group >= 0 and self.group[chosen] != group:
                continue
            if self.qualities[chosen] <= self.best + self.tolerance:
                continue
            if spent + self.excess[chosen] > self.budget:
                continue
            self.picked_group[level] = self.group[chosen]
            self.picked_item[level] = chosen
            self.concretise(level, self.masks[chosen])
            for v in range(self.n_variants[level]):
                self.picked[level] = self.variants[level, v]
                self.count_degrees(self.picked[level], 1)
                self.wanted[self.group[chosen]] -= 1
                kept = self.shortlist(level, length, spent + self.excess[chosen])
                if kept >= 0:
                    self.descend(
                        level + 1, kept, spent + self.excess[chosen], min(worst, self.qualities[chosen])
                    )
                self.wanted[self.group[chosen]] += 1
                self.count_degrees(self.picked[level], -1)
                if self.stopped:
                    break
            if self.stopped:
                break
            self.banned[chosen] = 1
        for i in range(length):
            # A list never holds what was banned when it was drawn up: leaving the level lifts all bans in it.
            self.banned[self.lists[level, i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_degrees(self, mask: cython.ulonglong, sign: cython.int) -> cython.void:
        j: cython.int
        for j in range(self.n_features):
            if mask & (cython.cast(cython.ulonglong, 1) << j):
                self.degree[j] += sign

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shortlist(self, level: cython.int, length: cython.int, spent: cython.double) -> cython.int:
        """Draw up the list for the next level; -1 if some feature is used too often already."""
        i: cython.int
        j: cython.int
        listed: cython.int
        kept: cython.int = 0
        left: cython.int = self.n_sets - level - 1
        full: cython.ulonglong = 0
        bit: cython.ulonglong
        for j in range(self.n_features):
            bit = cython.cast(cython.ulonglong, 1) << j
            if self.degree[j] > self.most[j] and (self.single & bit):
                return -1
            if self.degree[j] == self.most[j] and (self.single & bit):
                full = full | bit
        if left == 0:
            return 0
        for i in range(length):
            listed = self.lists[level, i]
            if self.banned[listed] or self.qualities[listed] <= self.best + self.tolerance:
                continue
            if self.wanted[self.group[listed]] == 0 or self.masks[listed] & full:
                continue
            if spent + self.excess[listed] > self.budget:
                continue
            if (
                self.least_overlap(self.masks[listed], self.picked[level])
                > self.caps[self.group[listed], self.picked_group[level]]
            ):
                continue
            self.lists[level + 1, kept] = listed
            kept += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def concretise(self, level: cython.int, listed: cython.ulonglong) -> cython.void:
        """All sets of the listed kind that are compatible with the picked ones, up to interchangeable members."""
        self.n_variants[level] = 0
        self.complete(level, listed, listed & self.single, 0, 0, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def usage(self, level: cython.int, position: cython.int) -> cython.int:
        """Which picked sets hold a feature, as bits."""
        s: cython.int
        pattern: cython.int = 0
        for s in range(level):
            if self.picked[s] & (cython.cast(cython.ulonglong, 1) << position):
                pattern |= 1 << s
        return pattern

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def complete(
        self,
        level: cython.int,
        listed: cython.ulonglong,
        mask: cython.ulonglong,
        klass: cython.int,
        position: cython.int,
        to_take: cython.int,
    ) -> cython.void:
        """Add members class by class; within a class a member may be skipped only with all later ones used alike."""
        s: cython.int
        j: cython.int
        pattern: cython.int
        skipped: cython.bint
        bit: cython.ulonglong
        for s in range(level):
            if _ones(mask & self.picked[s]) > self.caps[self.picked_group[level], self.picked_group[s]]:
                return
        if klass == self.n_classes:
            if self.n_variants[level] == MAX_VARIANTS:
                self.stopped = True
                return
            self.variants[level, self.n_variants[level]] = mask
            self.n_variants[level] += 1
            return
        if to_take < 0:
            to_take = _ones(listed & self.classes[klass])
            position = 0
        if to_take == 0:
            self.complete(level, listed, mask, klass + 1, 0, -1)
            return
        for j in range(position, self.n_features):
            bit = cython.cast(cython.ulonglong, 1) << j
            if not (self.classes[klass] & bit):
                continue
            # Was an earlier member, used alike, skipped? Then this one would only repeat what was tried.
            pattern = self.usage(level, j)
            skipped = False
            for s in range(j):
                if (
                    self.classes[klass] & (cython.cast(cython.ulonglong, 1) << s)
                    and not (mask & (cython.cast(cython.ulonglong, 1) << s))
                    and self.usage(level, s) == pattern
                ):
                    skipped = True
                    break
            if not skipped:
                self.complete(level, listed, mask | bit, klass, j + 1, to_take - 1)
                if self.stopped:
                    return


def pack(items, groups, first, must, most, best, budget, tolerance, max_nodes, tick):
    """Pick compatible sets whose worst quality exceeds ``best``, as far as possible.

    Parameters
    ----------
    items : tuple of arrays
        The listed sets: their masks (uint64, see :class:`altsets._kernels.windows.Windows`), qualities, by how much
        each exceeds what is needed of it when scores are capped, and groups (int32).
    groups : tuple of arrays
        How many sets are wanted of each group (int32), and how much two sets of these groups may share (int32 matrix).
    first : int32 array
        Classes of equal scores.
    must, most : int32 arrays
        How often each feature has to and may be used.
    best : float
        The worst quality to beat.
    budget : float
        What the excesses may add up to.
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
    """
    search = Packing(items, groups, first, must, most, best, budget, tolerance, max_nodes, tick)
    search.run()
    sets, chosen = search.sets() if search.found else (None, None)
    return sets, chosen, not search.stopped
