# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: which features a growing set may take, and which sets go together, where features are alike or in groups.

Two kinds of comparison, each asked the same two questions about many candidates at once. :class:`Matching`: the
overlap of two sets is the largest one-to-one matching between their features. It never falls when a feature is added,
so a feature with which it exceeds the limit is ruled out for good. :class:`Grouping`: the overlap is the number of
groups that both sets touch, and the limit grows with the number of groups, so that a feature is ruled out only if even
new groups for all that is still to come do not help.

Where a match counts for one or nothing, a matching grows by one along an augmenting path, or is the largest. When it
has reached the limit, the places of the other set are marked from which such a path leads to a free place: a feature
that is like one of these is one too many. Long before that, features with many partners tell that no set can be
completed: taken one by one, the one with the fewest partners first, each finds a free one as long as it has more
partners than were taken before. Where matches count for parts, the assignment problem is solved by the
Hungarian method with potentials, row by row.
"""

import cython
import numpy as np

INFINITY = cython.declare(cython.double, float("inf"))


@cython.final
@cython.cclass
class Matching:
    """Sets against others by their largest matching; see :meth:`fitting` and :meth:`going_with`.

    The other sets are numbered; their features stand one after the other.
    """

    weights = cython.declare(cython.double[:, ::1])
    limits = cython.declare(cython.double[:, ::1])
    # The other sets: those of set i are feature[first[i]:first[i + 1]].
    first = cython.declare(cython.int[::1])
    feature = cython.declare(cython.int[::1])
    # The growing set: its features by position, those in every set, its size in the end. How many partners each
    # feature has in each of the other sets; how many chosen ones, and how many candidates, have so many.
    feature_of = cython.declare(cython.int[::1])
    base = cython.declare(cython.int[::1])
    size = cython.declare(cython.int)
    n_partners = cython.declare(cython.int[:, ::1])
    n_chosen_with = cython.declare(cython.int[::1])
    n_candidates_with = cython.declare(cython.int[::1])
    weighted = cython.declare(cython.bint)
    # Two sets that are compared, with as many places as there are features in them.
    left = cython.declare(cython.int[::1])
    right = cython.declare(cython.int[::1])
    n_left = cython.declare(cython.int)
    n_right = cython.declare(cython.int)
    # For each place on the right whom it is matched with, or -1; whether it was visited; whether a path leads on.
    mate = cython.declare(cython.int[::1])
    visited = cython.declare(cython.uchar[::1])
    open_end = cython.declare(cython.uchar[::1])
    # The Hungarian method: potentials, the least slack of each place and where it comes from, whether a place is in
    # the tree. Places are counted from 1 there.
    row_potential = cython.declare(cython.double[::1])
    column_potential = cython.declare(cython.double[::1])
    slack = cython.declare(cython.double[::1])
    owner = cython.declare(cython.int[::1])
    came_from = cython.declare(cython.int[::1])
    in_tree = cython.declare(cython.uchar[::1])

    def __init__(self, weights, weighted, limits, others, growing):
        self.weights, self.weighted, self.limits = weights, weighted, limits
        self.first, self.feature = others
        self.feature_of, self.base, self.size = growing
        largest = len(limits)
        self.left = np.zeros(largest, dtype=np.intc)
        self.right = np.zeros(largest, dtype=np.intc)
        self.n_left = self.n_right = 0
        self.n_partners = np.zeros((0, 0), dtype=np.intc)
        self.n_chosen_with = np.zeros(largest + 1, dtype=np.intc)
        self.n_candidates_with = np.zeros(largest + 1, dtype=np.intc)
        if not weighted and len(self.feature_of):
            self.count_partners()
        self.mate = np.zeros(largest, dtype=np.intc)
        self.visited = np.zeros(largest, dtype=np.uint8)
        self.open_end = np.zeros(largest, dtype=np.uint8)
        self.row_potential = np.zeros(largest + 1)
        self.column_potential = np.zeros(largest + 1)
        self.slack = np.zeros(largest + 1)
        self.owner = np.zeros(largest + 1, dtype=np.intc)
        self.came_from = np.zeros(largest + 1, dtype=np.intc)
        self.in_tree = np.zeros(largest + 1, dtype=np.uint8)

    @cython.cfunc
    def count_partners(self):
        """How many features of each other set each feature is like."""
        n_others: cython.int = self.first.shape[0] - 1
        self.n_partners = np.zeros((n_others, self.weights.shape[0]), dtype=np.intc)
        for i in range(n_others):
            for j in range(self.weights.shape[0]):
                for q in range(self.first[i], self.first[i + 1]):
                    self.n_partners[i, j] += self.weights[j, self.feature[q]] > 0

    def fitting(self, chosen, candidates, to_go):
        """Which candidates can be added to the chosen features, all by position, with so many still to come."""
        fits = np.ones(len(candidates), dtype=np.uint8)
        self.take_chosen(chosen)
        self.rule_out(candidates, to_go, fits)
        return fits

    def going_with(self, number, candidates):
        """Which of some other sets, by number, differ enough from one of them."""
        together = np.ones(len(candidates), dtype=np.uint8)
        self.compare(number, candidates, together)
        return together

    @cython.cfunc
    def take_chosen(self, chosen: cython.int[::1]):
        """The features of the growing set, on the left."""
        self.n_left = self.base.shape[0] + chosen.shape[0]
        for i in range(self.base.shape[0]):
            self.left[i] = self.base[i]
        for i in range(chosen.shape[0]):
            self.left[self.base.shape[0] + i] = self.feature_of[chosen[i]]

    @cython.cfunc
    def rule_out(self, candidates: cython.int[::1], to_go: cython.int, fits: cython.uchar[::1]):
        """Strike off the candidates with which the overlap with some other set exceeds its limit."""
        n_others: cython.int = self.first.shape[0] - 1
        with cython.nogil:
            for i in range(n_others):
                self.take_other(i)
                if self.weighted:
                    self.rule_out_by_parts(candidates, fits)
                elif self.can_be_completed(i, candidates, to_go):
                    self.rule_out_by_paths(candidates, fits)
                else:
                    self.rule_out_all(fits)

    @cython.cfunc
    def compare(self, number: cython.int, candidates: cython.int[::1], together: cython.uchar[::1]):
        """Strike off the sets whose overlap with this one exceeds the limit."""
        with cython.nogil:
            self.n_left = self.first[number + 1] - self.first[number]
            for i in range(self.n_left):
                self.left[i] = self.feature[self.first[number] + i]
            for i in range(candidates.shape[0]):
                self.take_other(candidates[i])
                overlap = self.overlap()
                together[i] = overlap <= self.limits[self.n_left, self.n_right]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_other(self, number: cython.int) -> cython.void:
        """One of the other sets, on the right."""
        self.n_right = self.first[number + 1] - self.first[number]
        for i in range(self.n_right):
            self.right[i] = self.feature[self.first[number] + i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def overlap(self) -> cython.double:
        """The largest matching between left and right."""
        return self.largest_by_parts() if self.weighted else self.largest_by_paths()

    # --- A match counts for one or nothing --------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def largest_by_paths(self) -> cython.double:
        """One augmenting path after the other."""
        total: cython.int = 0
        for q in range(self.n_right):
            self.mate[q] = -1
        for i in range(self.n_left):
            for q in range(self.n_right):
                self.visited[q] = 0
            found = self.augments(i)
            total += found
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def augments(self, i: cython.int) -> cython.bint:
        """Match the i-th one on the left, if need be by giving others another place."""
        free: cython.bint
        for q in range(self.n_right):
            if self.visited[q] or self.weights[self.left[i], self.right[q]] == 0:
                continue
            self.visited[q] = 1
            free = self.mate[q] < 0
            if not free:
                free = self.augments(self.mate[q])
            if free:
                self.mate[q] = i
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark_open_ends(self) -> cython.void:
        """Mark the places from which a path leads to a free one: whoever takes one of them makes the matching grow."""
        changed: cython.bint = True
        for q in range(self.n_right):
            self.open_end[q] = self.mate[q] < 0
        while changed:
            changed = False
            for q in range(self.n_right):
                if self.open_end[q]:
                    continue
                for p in range(self.n_right):
                    if self.open_end[p] and self.weights[self.left[self.mate[q]], self.right[p]] > 0:
                        self.open_end[q] = 1
                        changed = True
                        break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rule_out_by_paths(self, candidates: cython.int[::1], fits: cython.uchar[::1]) -> cython.void:
        """Those that are like a place with an open end, if the limit is reached."""
        total: cython.double = self.largest_by_paths()
        limit: cython.double = self.limits[self.size, self.n_right]
        if total + 1 <= limit:
            return
        if total > limit:
            # By the features in every set alone.
            self.rule_out_all(fits)
            return
        self.mark_open_ends()
        for c in range(candidates.shape[0]):
            j = self.feature_of[candidates[c]]
            for q in range(self.n_right):
                if self.open_end[q] and self.weights[j, self.right[q]] > 0:
                    fits[c] = 0
                    break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rule_out_all(self, fits: cython.uchar[::1]) -> cython.void:
        """No set can be completed."""
        for c in range(fits.shape[0]):
            fits[c] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_be_completed(
        self, other: cython.int, candidates: cython.int[::1], to_go: cython.int
    ) -> cython.bint:
        """Whether even the candidates with the fewest partners in another set lead to too large a matching."""
        matched: cython.int = 0
        for p in range(self.n_right + 1):
            self.n_chosen_with[p] = self.n_candidates_with[p] = 0
        for i in range(self.n_left):
            p = self.n_partners[other, self.left[i]]
            self.n_chosen_with[p] += 1
        for c in range(candidates.shape[0]):
            p = self.n_partners[other, self.feature_of[candidates[c]]]
            self.n_candidates_with[p] += 1
        for p in range(self.n_right + 1):
            i = min(to_go, self.n_candidates_with[p])
            to_go -= i
            matched = min(matched + i + self.n_chosen_with[p], max(matched, p))
        return matched <= self.limits[self.size, self.n_right]

    # --- Matches count for parts ------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rule_out_by_parts(self, candidates: cython.int[::1], fits: cython.uchar[::1]) -> cython.void:
        """Those with which the best assignment exceeds the limit."""
        most: cython.double
        total: cython.double = self.largest_by_parts()
        limit: cython.double = self.limits[self.size, self.n_right]
        self.n_left += 1
        for c in range(candidates.shape[0]):
            if not fits[c]:
                continue
            self.left[self.n_left - 1] = self.feature_of[candidates[c]]
            most = 0.0
            for q in range(self.n_right):
                most = max(most, self.weights[self.left[self.n_left - 1], self.right[q]])
            # No feature adds more than its best match, but for rounding.
            if total + most > limit - 1e-12:
                most = self.largest_by_parts()
                fits[c] = most <= limit
        self.n_left -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weight_at(self, i: cython.int, q: cython.int, turned: cython.bint) -> cython.double:
        """The weight of the i-th and the q-th, counted from 1, of the smaller set and the larger one."""
        if turned:
            return self.weights[self.left[q - 1], self.right[i - 1]]
        return self.weights[self.left[i - 1], self.right[q - 1]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def largest_by_parts(self) -> cython.double:
        """The best assignment: the rows of the smaller set enter one by one, each along a shortest path."""
        turned: cython.bint = self.n_left > self.n_right
        n_rows: cython.int = min(self.n_left, self.n_right)
        n_columns: cython.int = max(self.n_left, self.n_right)
        total: cython.double = 0.0
        for q in range(n_columns + 1):
            self.column_potential[q] = 0.0
            self.owner[q] = 0
        for i in range(n_rows + 1):
            self.row_potential[i] = 0.0
        for i in range(1, n_rows + 1):
            self.enter_row(i, n_columns, turned)
        for q in range(1, n_columns + 1):
            if self.owner[q] > 0:
                weight = self.weight_at(self.owner[q], q, turned)
                total += weight
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter_row(self, row: cython.int, n_columns: cython.int, turned: cython.bint) -> cython.void:
        """Give a row a place, and the others along the path another one; costs are negative weights."""
        here: cython.int = 0
        self.owner[0] = row
        for q in range(n_columns + 1):
            self.slack[q] = INFINITY
            self.in_tree[q] = 0
        while self.owner[here] != 0:
            self.in_tree[here] = 1
            i = self.owner[here]
            delta = INFINITY
            nearest = 0
            for q in range(1, n_columns + 1):
                if self.in_tree[q]:
                    continue
                weight = self.weight_at(i, q, turned)
                if -weight - self.row_potential[i] - self.column_potential[q] < self.slack[q]:
                    self.slack[q] = -weight - self.row_potential[i] - self.column_potential[q]
                    self.came_from[q] = here
                if self.slack[q] < delta:
                    delta = self.slack[q]
                    nearest = q
            for q in range(n_columns + 1):
                if self.in_tree[q]:
                    self.row_potential[self.owner[q]] += delta
                    self.column_potential[q] -= delta
                else:
                    self.slack[q] -= delta
            here = nearest
        while here != 0:
            before = self.came_from[here]
            self.owner[here] = self.owner[before]
            here = before


@cython.final
@cython.cclass
class Grouping:
    """Sets against others by the groups that they touch; asked as :class:`Matching` is."""

    # How many groups sets that touch so many may share.
    limits = cython.declare(cython.int[:, ::1])
    # The other sets by the groups that they touch, each group once.
    first = cython.declare(cython.int[::1])
    group = cython.declare(cython.int[::1])
    # The growing set: the groups of its features by position, and those of the features in every set.
    group_of = cython.declare(cython.int[::1])
    base = cython.declare(cython.int[::1])
    # Whether the growing set touches a group; by which set a group was marked last, its number plus one.
    touched = cython.declare(cython.uchar[::1])
    marked = cython.declare(cython.int[::1])
    n_touched = cython.declare(cython.int)

    def __init__(self, n_groups, limits, others, growing):
        self.limits = limits
        self.first, self.group = others
        self.group_of, self.base = growing
        self.touched = np.zeros(max(n_groups, 1), dtype=np.uint8)
        self.marked = np.zeros(max(n_groups, 1), dtype=np.intc)
        self.n_touched = 0

    def fitting(self, chosen, candidates, to_go):
        """Which candidates can be added to the chosen features, all by position, with so many still to come."""
        fits = np.ones(len(candidates), dtype=np.uint8)
        self.touch(chosen)
        self.rule_out(candidates, to_go, fits)
        return fits

    def going_with(self, number, candidates):
        """Which of some other sets, by number, differ enough from one of them."""
        together = np.ones(len(candidates), dtype=np.uint8)
        self.compare(number, candidates, together)
        return together

    @cython.cfunc
    def touch(self, chosen: cython.int[::1]):
        """The groups of the growing set."""
        for i in range(self.touched.shape[0]):
            self.touched[i] = 0
        for i in range(self.base.shape[0]):
            self.touched[self.base[i]] = 1
        for i in range(chosen.shape[0]):
            self.touched[self.group_of[chosen[i]]] = 1
        self.n_touched = 0
        for i in range(self.touched.shape[0]):
            self.n_touched += self.touched[i]

    @cython.cfunc
    def rule_out(self, candidates: cython.int[::1], to_go: cython.int, fits: cython.uchar[::1]):
        """Strike off candidates with which too many groups are shared, whatever comes after them."""
        n_others: cython.int = self.first.shape[0] - 1
        most: cython.int = self.limits.shape[0] - 1
        for g in range(self.marked.shape[0]):
            self.marked[g] = 0
        for i in range(n_others):
            shared = 0
            for q in range(self.first[i], self.first[i + 1]):
                self.marked[self.group[q]] = i + 1
                shared += self.touched[self.group[q]]
            for c in range(candidates.shape[0]):
                g = self.group_of[candidates[c]]
                new = not self.touched[g]
                if (
                    shared + (new and self.marked[g] == i + 1)
                    > self.limits[
                        min(self.n_touched + new + to_go - 1, most), self.first[i + 1] - self.first[i]
                    ]
                ):
                    fits[c] = 0

    @cython.cfunc
    def compare(self, number: cython.int, candidates: cython.int[::1], together: cython.uchar[::1]):
        """Strike off the sets that share too many groups with this one."""
        size: cython.int = self.first[number + 1] - self.first[number]
        for q in range(self.marked.shape[0]):
            self.marked[q] = 0
        for q in range(self.first[number], self.first[number + 1]):
            self.marked[self.group[q]] = 1
        for c in range(candidates.shape[0]):
            i = candidates[c]
            shared = 0
            for q in range(self.first[i], self.first[i + 1]):
                shared += self.marked[self.group[q]]
            together[c] = shared <= self.limits[size, self.first[i + 1] - self.first[i]]
