# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: the best sets of a size, or all sets above a threshold, for quality with pair terms.

The value of a set is the sum of the linear terms of its features minus the sum of its pair terms. Depth-first branch
and bound: with r features to go, a candidate is worth at most its gain minus half of the r - 1 smallest pair terms with
other candidates, for the other half is the partner's. The r largest such worths bound the node (one for each class
where candidates exclude each other, no more than a cap allows), and candidates that cannot be among r good ones are
dropped. Whether a child is worth building is told by the partners that its parent knew, which costs next to nothing;
partners are found in lists sorted once. (Other splits than half and half lower the bound at the root, but not further
down.)

That everybody has other best partners is what this bound does not see. With tangents it sees more: of each pair term
common[i] + common[j] + loadings[i] @ loadings[j] is taken off, and only the rest is counted partner by partner. For r
features to go, the first part is a sum over features, and the scalar products come to half the squared length of the
sum of their loadings, less what each feature has with itself. The squared length lies above each of its tangents, which
is a sum over features, too; the best one touches at the loadings of the features that are taken. A node whose worths
are those along a tangent is linearised. The bound is lower where features are alike in few ways, but worths are then
alike as well and tell less about what to branch on: either kind of search can be faster by far.

A set may have to pay for clique cuts, too: once, if it has enough features of a group. The bound does not see that
before the last of these features is taken.

Quality that is a ratio, a sum over the root of another sum, comes with terms that are too optimistic about it: complete
sets are judged by their ratio.

Everything that concerns one set is kept here: caps (at most so many out of a group), budgets, pairs that exclude each
other, features that need other features, and a user's own test.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

# Whether to stop is asked after a look at so many candidates or pairs of them: with more of them a node takes longer.
TICK_EVERY = cython.declare(cython.long, 1_000_000)
# With more candidates than these a node takes so long that it is asked within it, too.
MANY = cython.declare(cython.int, 1_000)
KEPT = cython.declare(cython.long, 200)

# What is impossible costs this much, and is worth as much less than nothing.
INFINITY = cython.declare(cython.double, float("inf"))

# Each level needs room on the stack, of which a thread may have little, and plain Python has less: with more levels
# than these a search gives up at once.
MOST_LEVELS = cython.declare(cython.int, 1_000 if cython.compiled else 250)

# There are lists of partners when a search has come to so many steps, only of so many candidates, and each is sorted
# when it would have been of use so often.
PATIENCE = cython.declare(cython.int, 32)
MOST_ARRANGED = cython.declare(cython.int, 2000)

# Nodes are linearised with at least so many features to go, and tangents are improved so often.
LEAST_LINEARISED = cython.declare(cython.int, 4)
MOST_TURNS = cython.declare(cython.int, 6)

NO_CLIQUE_CUTS = (
    np.zeros(1, dtype=np.intc),
    np.zeros(0, dtype=np.intc),
    np.zeros(0, dtype=np.intc),
    np.zeros(0),
)

# How far a search has come is told by the nodes below this level that it is done with.
PROGRESS_LEVEL = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class SubsetSearch:
    """One search; see :func:`subset_search`."""

    linear = cython.declare(cython.double[::1])
    pair = cython.declare(cython.double[:, ::1])
    conflict = cython.declare(cython.uchar[:, ::1])
    first = cython.declare(cython.int[::1])
    member = cython.declare(cython.int[::1])
    left = cython.declare(cython.int[::1])
    inside = cython.declare(cython.int[::1])
    counts_for = cython.declare(cython.uchar[:, ::1])
    costs = cython.declare(cython.double[:, ::1])
    room = cython.declare(cython.double[::1])
    needs_first = cython.declare(cython.int[::1])
    needs = cython.declare(cython.int[::1])
    clique_first = cython.declare(cython.int[::1])
    clique_member = cython.declare(cython.int[::1])
    missing = cython.declare(cython.int[::1])
    clique_price = cython.declare(cython.double[::1])
    list_of = cython.declare(cython.int[:, ::1])
    gain_of = cython.declare(cython.double[:, ::1])
    worth_of = cython.declare(cython.double[:, ::1])
    linearised_of = cython.declare(cython.double[:, ::1])
    paid_of = cython.declare(cython.double[:, ::1])
    last_of = cython.declare(cython.double[:, ::1])
    alive = cython.declare(cython.uchar[:, ::1])
    count = cython.declare(cython.int[::1])
    chosen = cython.declare(cython.int[::1])
    taken = cython.declare(cython.uchar[::1])
    small = cython.declare(cython.double[::1])
    partners = cython.declare(cython.int[:, :, ::1])
    row_of = cython.declare(cython.int[::1])
    root = cython.declare(cython.int[::1])
    missed = cython.declare(cython.uchar[:, ::1])
    n_partners = cython.declare(cython.int)
    dearest = cython.declare(cython.double)
    needed = cython.declare(cython.double)
    klass = cython.declare(cython.int[::1])
    common = cython.declare(cython.double[::1])
    loadings = cython.declare(cython.double[:, ::1])
    self_terms = cython.declare(cython.double[::1])
    rest = cython.declare(cython.double[:, ::1])
    rounding = cython.declare(cython.double)
    n_loadings = cython.declare(cython.int)
    centre = cython.declare(cython.double[:, ::1])
    towards = cython.declare(cython.double[::1])
    nearest = cython.declare(cython.double[::1])
    lift = cython.declare(cython.double[::1])
    linearised = cython.declare(cython.uchar[::1])
    sets = cython.declare(cython.int[:, ::1])
    values = cython.declare(cython.double[::1])
    n = cython.declare(cython.int)
    r = cython.declare(cython.int)
    n_caps = cython.declare(cython.int)
    n_budgets = cython.declare(cython.int)
    n_needs = cython.declare(cython.int)
    n_clique_cuts = cython.declare(cython.int)
    has_pairs = cython.declare(cython.bint)
    has_conflicts = cython.declare(cython.bint)
    ratio = cython.declare(cython.bint)
    above = cython.declare(cython.double[::1])
    below = cython.declare(cython.double[::1])
    below_pair = cython.declare(cython.double[:, ::1])
    start_above = cython.declare(cython.double)
    start_below = cython.declare(cython.double)
    least_above = cython.declare(cython.double)
    most_above = cython.declare(cython.double)
    keeping = cython.declare(cython.bint)
    cheaper = cython.declare(cython.bint)
    threshold = cython.declare(cython.double)
    leaf_threshold = cython.declare(cython.double)
    tolerance = cython.declare(cython.double)
    n_found = cython.declare(cython.int, visibility="readonly")
    most = cython.declare(cython.int)
    nodes = cython.declare(cython.long, visibility="readonly")
    since_tick = cython.declare(cython.longlong)
    max_nodes = cython.declare(cython.long)
    stopped = cython.declare(cython.bint, visibility="readonly")
    share = cython.declare(cython.double[::1])
    progress = cython.declare(cython.double, visibility="readonly")
    open_bound = cython.declare(cython.double, visibility="readonly")
    doubt = cython.declare(cython.double[::1])
    pays = cython.declare(object)
    accept = cython.declare(object)
    tick = cython.declare(object)

    def __init__(
        self,
        terms,
        rules,
        clique_cuts,
        r,
        threshold,
        most,
        keeping,
        cheaper,
        ratio,
        low_rank,
        tolerance,
        max_nodes,
        doubts,
        accept,
        tick,
    ):
        self.linear, self.pair, self.conflict = terms
        self.first, self.member, left, self.costs, room, self.needs_first, self.needs = rules
        self.left = np.array(left, dtype=np.intc)
        self.room = np.array(room, dtype=np.float64)
        self.n = len(self.linear)
        self.r = r
        self.n_caps = len(self.left)
        self.n_budgets = len(self.room)
        self.n_needs = len(self.needs)
        self.clique_first, self.clique_member, missing, self.clique_price = clique_cuts or NO_CLIQUE_CUTS
        self.missing = np.array(missing, dtype=np.intc)
        self.n_clique_cuts = len(self.missing)
        self.has_pairs = len(self.pair) > 0
        self.has_conflicts = len(self.conflict) > 0
        self.ratio = ratio is not None
        self.leaf_threshold = threshold
        if ratio is not None:
            self.above, self.below, self.below_pair, start, window, self.leaf_threshold = ratio
            self.start_above, self.start_below = start
            self.least_above, self.most_above = window
        self.threshold = threshold
        self.most = most
        self.keeping = keeping
        self.cheaper = cheaper
        self.tolerance = tolerance
        self.max_nodes = max_nodes
        self.doubt, self.pays = doubts or (np.zeros(0), None)
        self.accept = accept
        self.tick = tick
        levels, width = r + 1, max(self.n, 1)
        counts_for = np.zeros((self.n_caps, width), dtype=np.uint8)
        owners = np.repeat(np.arange(self.n), np.diff(np.asarray(self.first)))
        counts_for[np.asarray(self.member), owners] = 1
        self.counts_for = counts_for
        self.inside = np.zeros(max(self.n_caps, 1), dtype=np.intc)
        self.list_of = np.zeros((levels, width), dtype=np.intc)
        self.gain_of = np.zeros((levels, width))
        self.worth_of = np.zeros((levels, width))
        self.linearised_of = np.zeros((levels, width))
        self.paid_of = np.zeros((levels, width))
        self.last_of = np.zeros((levels, width))
        self.alive = np.zeros((levels, width), dtype=np.uint8)
        self.count = np.zeros(levels, dtype=np.intc)
        self.chosen = np.zeros(max(r, 1), dtype=np.intc)
        self.taken = np.zeros(width, dtype=np.uint8)
        self.small = np.zeros(r + 1)
        self.partners = np.zeros((0, 0, 0), dtype=np.intc)
        self.row_of = np.zeros(width, dtype=np.intc)
        self.root = np.zeros(0, dtype=np.intc)
        self.missed = np.zeros((0, 0), dtype=np.uint8)
        self.n_partners = 0
        self.n_loadings = 0
        self.lift = np.zeros(levels)
        self.linearised = np.zeros(levels, dtype=np.uint8)
        if low_rank is not None:
            self.common, self.loadings, alike, self.rounding = low_rank
            self.rest = np.asarray(self.pair) - alike
            self.self_terms = 0.5 * np.sum(np.asarray(self.loadings) ** 2, axis=1)
            self.n_loadings = self.loadings.shape[1]
            self.centre = np.zeros((levels, self.n_loadings))
            self.towards = np.zeros(self.n_loadings)
            self.nearest = np.zeros(self.n_loadings)
        self.dearest = self.needed = 0.0
        self.klass = np.zeros(width, dtype=np.intc)
        self.sets = np.zeros((most if keeping else min(most, 64), max(r, 1)), dtype=np.intc)
        self.values = np.zeros(len(self.sets))
        self.n_found = self.nodes = self.since_tick = 0
        self.stopped = False
        self.open_bound = -float("inf")
        self.share = np.ones(levels)
        self.progress = 0.0

    def run(self, value: cython.double):
        """Search to the end, or until stopped; the value is that of features that are in every set."""
        j: cython.int
        for j in range(self.n):
            if self.fits(j):
                self.list_of[0, self.count[0]] = j
                self.gain_of[0, self.count[0]] = self.linear[j]
                self.alive[0, j] = 1
                self.count[0] += 1
        if self.r > MOST_LEVELS:
            self.stopped = True
            self.open_bound = INFINITY
            self.nodes = self.max_nodes + 1
            return
        with cython.nogil:
            self.descend(0, self.r, value, INFINITY)

    def found(self):
        """The sets and their values."""
        return (
            np.asarray(self.sets)[: self.n_found, : self.r].copy(),
            np.asarray(self.values)[: self.n_found].copy(),
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(self, j: cython.int) -> cython.bint:
        """Whether no cap or budget keeps a feature out on its own."""
        e: cython.int
        b: cython.int
        for e in range(self.first[j], self.first[j + 1]):
            if self.left[self.member[e]] <= 0:
                return False
        for b in range(self.n_budgets):
            if self.costs[b, j] > self.room[b]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, j: cython.int, sign: cython.int) -> cython.void:
        """Count a feature in, or out again."""
        e: cython.int
        b: cython.int
        for e in range(self.first[j], self.first[j + 1]):
            self.left[self.member[e]] -= sign
        for b in range(self.n_budgets):
            self.room[b] -= sign * self.costs[b, j]
        if self.n_clique_cuts:
            for e in range(self.clique_first[j], self.clique_first[j + 1]):
                self.missing[self.clique_member[e]] -= sign
        self.taken[j] = sign > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def due(self, j: cython.int) -> cython.double:
        """What a feature costs because it is the last one of some clique cuts."""
        e: cython.int
        total: cython.double = 0.0
        if self.n_clique_cuts:
            for e in range(self.clique_first[j], self.clique_first[j + 1]):
                if self.missing[self.clique_member[e]] == 1:
                    total += self.clique_price[self.clique_member[e]]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spend_node(self, level: cython.int) -> cython.bint:
        looks: cython.longlong = cython.cast(cython.longlong, self.count[level])
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.stopped = True
            return True
        # Where there are many, each of them is counted when it looks at the others.
        return self.ask_after(looks * looks if self.has_pairs and looks <= MANY else looks)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ask_after(self, looks: cython.longlong) -> cython.bint:
        """Ask whether to stop if that is due after so many more looks."""
        self.since_tick += looks
        if self.since_tick >= TICK_EVERY:
            self.since_tick = 0
            with cython.gil:
                if self.tick():
                    self.stopped = True
        return self.stopped

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self,
        level: cython.int,
        r: cython.int,
        value: cython.double,
        limit: cython.double,
    ) -> cython.void:
        """Complete the chosen features by r candidates of this level; nothing here is better than ``limit``."""
        i: cython.int
        p: cython.int
        must: cython.int = -1
        bound: cython.double
        if r == 0:
            self.leaf(level, value)
            return
        if self.spend_node(level):
            self.open_bound = max(self.open_bound, limit)
            return
        if self.n_needs:
            must = self.unmet(level)
            if must >= 0 and not self.alive[level, must]:
                return
        if not self.completable(level, r):
            return
        if self.n_partners == 0 and self.nodes >= PATIENCE and self.arrangeable():
            with cython.gil:
                self.arrange()
        bound = self.bound_node(level, r, value, must)
        if self.stopped:
            # Before all worths were known, perhaps.
            self.open_bound = max(self.open_bound, limit)
            return
        if bound <= self.threshold + self.tolerance or self.count[level] < r:
            return
        self.sort(level)
        if self.n_caps:
            bound = min(bound, value + self.lift[level] + self.sum_under_caps(level, r))
            if bound <= self.threshold + self.tolerance:
                return
        if must >= 0:
            for i in range(self.count[level]):
                if self.list_of[level, i] == must:
                    self.branch(level, i, True, r, value, bound)
                    return
            return
        for i in range(self.count[level] - r + 1):
            limit = value + self.lift[level]
            for p in range(i, i + r):
                limit += self.worth_of[level, p]
            limit = min(limit, bound)
            if limit <= self.threshold + self.tolerance:
                return
            if self.stopped:
                self.open_bound = max(self.open_bound, limit)
                return
            self.share[level + 1] = self.share[level] / (self.count[level] - r + 1)
            if self.promising(level, i, r, value):
                self.branch(level, i, False, r, value, limit)
            if level == PROGRESS_LEVEL and not self.stopped:
                self.progress += self.share[level + 1]
            # What was dropped is no partner for those that stay.
            self.alive[level, self.list_of[level, i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def arrangeable(self) -> cython.bint:
        """Whether lists of partners would not take too much room."""
        return self.has_pairs and self.count[0] <= MOST_ARRANGED

    @cython.cfunc
    def arrange(self):
        """Make room for lists of partners: for each candidate of the root all of them."""
        kept = np.sort(np.asarray(self.list_of)[0, : self.count[0]])
        self.n_partners = len(kept)
        self.partners = np.empty((2, self.n_partners, self.n_partners), dtype=np.intc)
        self.missed = np.zeros((2, self.n_partners), dtype=np.uint8)
        self.root = kept
        np.asarray(self.row_of)[kept] = np.arange(len(kept), dtype=np.intc)

    @cython.cfunc
    def sort_partners(self, linearised: cython.int, j: cython.int, row: cython.int):
        """The list of a candidate, the best partner first."""
        root = np.asarray(self.root)
        terms = np.asarray(self.rest if linearised else self.pair)[j, root]
        np.asarray(self.partners)[linearised, row] = root[np.argsort(terms, kind="stable")]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_linearised(self, r: cython.int) -> cython.bint:
        """Whether nodes with so many features to go are linearised."""
        return self.n_loadings > 0 and r >= LEAST_LINEARISED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def linearise(self, level: cython.int, r: cython.int, value: cython.double) -> cython.void:
        """Look for the tangent that bounds a node best: it touches where the sum of the loadings of r good ones is."""
        q: cython.int
        turn: cython.int
        best: cython.double
        bound: cython.double
        step: cython.double
        distance: cython.double
        lowest: cython.double = INFINITY
        if level == 0:
            # As if nothing were known of loadings, to begin with.
            self.sum_of_best(level, r)
            self.aim(level, r)
            for q in range(self.n_loadings):
                self.centre[level, q] = self.towards[q]
        for turn in range(MOST_TURNS):
            self.evaluate_tangent(level, r)
            best = self.sum_of_best(level, r)
            bound = value + self.lift[level] + best
            if bound < lowest:
                lowest = bound
                for q in range(self.n_loadings):
                    self.nearest[q] = self.centre[level, q]
                if bound <= self.threshold + self.tolerance:
                    return
            self.aim(level, r)
            distance = 0.0
            for q in range(self.n_loadings):
                distance += (self.towards[q] - self.centre[level, q]) ** 2
            if distance <= self.rounding:
                break
            step = min(1.0, (bound - self.threshold) / distance)
            for q in range(self.n_loadings):
                self.centre[level, q] += step * (self.towards[q] - self.centre[level, q])
        for q in range(self.n_loadings):
            self.centre[level, q] = self.nearest[q]
        self.evaluate_tangent(level, r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def evaluate_tangent(self, level: cython.int, r: cython.int) -> cython.void:
        """Gains and worths along the tangent of a node."""
        i: cython.int
        j: cython.int
        q: cython.int
        gain: cython.double
        lift: cython.double = 0.0
        for q in range(self.n_loadings):
            lift += self.centre[level, q] ** 2
        self.lift[level] = 0.5 * lift + self.rounding
        for i in range(self.count[level]):
            j = self.list_of[level, i]
            gain = self.gain_of[level, i] + self.self_terms[j] - (r - 1) * self.common[j]
            for q in range(self.n_loadings):
                gain -= self.loadings[j, q] * self.centre[level, q]
            self.linearised_of[level, i] = gain
            self.worth_of[level, i] = gain - self.paid_of[level, i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def aim(self, level: cython.int, r: cython.int) -> cython.void:
        """The loadings of the r best candidates, whose worths are in ``small``."""
        i: cython.int
        j: cython.int
        q: cython.int
        left: cython.int = r
        weakest: cython.double = -self.small[r - 1]
        for q in range(self.n_loadings):
            self.towards[q] = 0.0
        for i in range(self.count[level]):
            if self.worth_of[level, i] >= weakest and left > 0:
                j = self.list_of[level, i]
                left -= 1
                for q in range(self.n_loadings):
                    self.towards[q] += self.loadings[j, q]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def promising(self, level: cython.int, i: cython.int, r: cython.int, value: cython.double) -> cython.bint:
        """Whether the i-th candidate and r - 1 later ones can reach the threshold; each is worth ``needed`` at least.

        One partner less is to be paid for, and what it costs is known: fewer candidates only cost more.
        """
        p: cython.int
        m: cython.int = 0
        j: cython.int = self.list_of[level, i]
        total: cython.double = value + self.lift[level] + self.linearised_of[level, i] - self.due(j)
        if r == 1:
            return True
        for p in range(i + 1, self.count[level]):
            m = self.enter(-self.worth_with(level, p, j), m, r - 1)
        if m < r - 1:
            return False
        total -= self.entered(m)
        self.needed = min(-self.small[m - 1], self.threshold + self.tolerance - (total + self.small[m - 1]))
        return total > self.threshold + self.tolerance

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth_with(self, level: cython.int, p: cython.int, j: cython.int) -> cython.double:
        """What the p-th candidate is worth at most once another one is taken."""
        worth: cython.double = self.linearised_of[level, p] - (
            self.paid_of[level, p] - self.last_of[level, p]
        )
        if self.linearised[level]:
            worth -= self.rest[j, self.list_of[level, p]]
        elif self.has_pairs:
            worth -= self.pair[j, self.list_of[level, p]]
        return worth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch(
        self,
        level: cython.int,
        i: cython.int,
        keep_before: cython.bint,
        r: cython.int,
        value: cython.double,
        limit: cython.double,
    ) -> cython.void:
        """Take the i-th candidate; those before it are dropped unless they are to be kept."""
        p: cython.int
        c: cython.int
        m: cython.int = 0
        j: cython.int = self.list_of[level, i]
        gain: cython.double = self.gain_of[level, i] - self.due(j)
        self.chosen[level] = j
        self.take(j, 1)
        if r > 1:
            for p in range(0 if keep_before else i + 1, self.count[level]):
                c = self.list_of[level, p]
                if c == j or (self.has_conflicts and self.conflict[j, c]):
                    continue
                if not keep_before and self.worth_with(level, p, j) < self.needed:
                    continue
                if (self.n_caps or self.n_budgets) and not self.fits(c):
                    continue
                if self.n_needs and not self.supplied(level, c):
                    continue
                self.list_of[level + 1, m] = c
                self.gain_of[level + 1, m] = self.gain_of[level, p]
                if self.has_pairs:
                    self.gain_of[level + 1, m] -= self.pair[j, c]
                self.alive[level + 1, c] = 1
                m += 1
        self.count[level + 1] = m
        if self.is_linearised(r - 1):
            # The parent's tangent is a good start, less what has been chosen.
            for p in range(self.n_loadings):
                self.centre[level + 1, p] = self.centre[level, p] - self.loadings[j, p]
        self.descend(level + 1, r - 1, value + gain, limit)
        # Those dropped on the way are dead already, but the list still holds what is alive.
        if r > 1:
            for p in range(self.count[level]):
                self.alive[level + 1, self.list_of[level, p]] = 0
        self.take(j, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def unmet(self, level: cython.int) -> cython.int:
        """A feature that a chosen one needs and that is not chosen, or -1."""
        i: cython.int
        e: cython.int
        for i in range(level):
            for e in range(self.needs_first[self.chosen[i]], self.needs_first[self.chosen[i] + 1]):
                if not self.taken[self.needs[e]]:
                    return self.needs[e]
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def supplied(self, level: cython.int, c: cython.int) -> cython.bint:
        """Whether everything that a candidate needs is chosen or still a candidate."""
        e: cython.int
        for e in range(self.needs_first[c], self.needs_first[c + 1]):
            if not self.taken[self.needs[e]] and not self.alive[level, self.needs[e]]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def completable(self, level: cython.int, r: cython.int) -> cython.bint:
        """Whether caps and budgets leave room for r candidates; drops those that a budget cannot pay for."""
        i: cython.int
        e: cython.int
        b: cython.int
        c: cython.int
        n_kept: cython.int
        least: cython.double
        m: cython.int = self.count[level]
        if m < r:
            return False
        if self.n_caps:
            for c in range(self.n_caps):
                self.inside[c] = 0
            for i in range(m):
                for e in range(self.first[self.list_of[level, i]], self.first[self.list_of[level, i] + 1]):
                    self.inside[self.member[e]] += 1
            for c in range(self.n_caps):
                if m - self.inside[c] + self.left[c] < r:
                    return False
        for b in range(self.n_budgets):
            least = self.cheapest(level, b, r - 1)
            n_kept = 0
            for i in range(self.count[level]):
                c = self.list_of[level, i]
                # One of the cheapest itself costs no less than the last of them: the test is weaker for it, not wrong.
                if least + self.costs[b, c] <= self.room[b]:
                    self.move(level, i, n_kept)
                    n_kept += 1
                else:
                    self.alive[level, c] = 0
            self.count[level] = n_kept
            if n_kept < r:
                return False
            least = self.cheapest(level, b, r)
            if least > self.room[b]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cheapest(self, level: cython.int, b: cython.int, r: cython.int) -> cython.double:
        """What the r cheapest candidates cost together."""
        i: cython.int
        m: cython.int = 0
        if r == 0:
            return 0.0
        for i in range(self.count[level]):
            m = self.enter(self.costs[b, self.list_of[level, i]], m, r)
        return self.entered(m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(self, value: cython.double, count: cython.int, wanted: cython.int) -> cython.int:
        """Keep a value if it is among the smallest so far, which stay in ``small``, least first; how many are kept."""
        p: cython.int
        if count < wanted:
            count += 1
        elif value >= self.small[count - 1]:
            return count
        p = count - 1
        while p > 0 and self.small[p - 1] > value:
            self.small[p] = self.small[p - 1]
            p -= 1
        self.small[p] = value
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def entered(self, count: cython.int) -> cython.double:
        """The sum of the values that were kept."""
        p: cython.int
        total: cython.double = 0.0
        for p in range(count):
            total += self.small[p]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_node(
        self, level: cython.int, r: cython.int, value: cython.double, must: cython.int
    ) -> cython.double:
        """Worths and bound of a node; candidates that are too weak are dropped."""
        i: cython.int
        p: cython.int
        m: cython.int
        n_kept: cython.int
        turn: cython.int
        worth: cython.double
        weakest: cython.double
        top: cython.double
        best: cython.double
        bound: cython.double = INFINITY
        # What the root drops, nobody has to look at again.
        for turn in range(1 if level > 0 else 3):
            m = self.count[level]
            bound = self.assess(level, r, value)
            if self.stopped or bound <= self.threshold + self.tolerance:
                return bound
            # Together with the r - 1 best others a candidate must be able to reach the threshold.
            weakest = -self.small[r - 1]
            top = bound - weakest
            n_kept = 0
            for i in range(m):
                worth = self.worth_of[level, i]
                p = self.list_of[level, i]
                if worth >= weakest or top + worth > self.threshold + self.tolerance or p == must:
                    self.move(level, i, n_kept)
                    n_kept += 1
                else:
                    self.alive[level, p] = 0
            self.count[level] = n_kept
            if n_kept == m or not self.has_pairs:
                break
        if self.has_conflicts and bound > self.threshold + self.tolerance and self.count[level] >= r:
            self.sort(level)
            best = self.sum_of_classes(level, r)
            bound = min(bound, value + self.lift[level] + best)
        return bound

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def assess(self, level: cython.int, r: cython.int, value: cython.double) -> cython.double:
        """The worths of the candidates of a node, and the bound that follows from the r largest."""
        best: cython.double
        self.linearised[level] = self.is_linearised(r)
        self.weigh(level, r)
        if self.linearised[level]:
            self.linearise(level, r, value)
        best = self.sum_of_best(level, r)
        return value + self.lift[level] + best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move(self, level: cython.int, origin: cython.int, place: cython.int) -> cython.void:
        """Put a candidate in another place of its list."""
        self.list_of[level, place] = self.list_of[level, origin]
        self.gain_of[level, place] = self.gain_of[level, origin]
        self.linearised_of[level, place] = self.linearised_of[level, origin]
        self.worth_of[level, place] = self.worth_of[level, origin]
        self.paid_of[level, place] = self.paid_of[level, origin]
        self.last_of[level, place] = self.last_of[level, origin]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weigh(self, level: cython.int, r: cython.int) -> cython.void:
        """The worth of each candidate: its gain minus the least that r - 1 others take off."""
        i: cython.int
        j: cython.int
        m: cython.int = self.count[level]
        total: cython.double
        linearised: cython.int = self.linearised[level]
        # The fewer candidates are left of those on the lists, the more of a list is in vain.
        listed: cython.bint = self.n_partners > 0 and m * m > (r - 1) * self.n_partners
        self.lift[level] = 0.0
        for i in range(m):
            j = self.list_of[level, i]
            self.linearised_of[level, i] = self.worth_of[level, i] = self.gain_of[level, i]
            if self.has_pairs and r > 1:
                # The more partners it may have, the longer each look takes.
                if m > MANY and self.ask_after(m * (1 + r // 16)):
                    return
                if listed:
                    total = self.known_partners(level, linearised, j, r - 1)
                else:
                    total = self.partners_of(level, linearised, j, r - 1)
                self.paid_of[level, i] = 0.5 * total
                self.last_of[level, i] = 0.5 * self.dearest
                self.worth_of[level, i] -= self.paid_of[level, i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def known_partners(
        self, level: cython.int, linearised: cython.int, j: cython.int, wanted: cython.int
    ) -> cython.double:
        """What the best partners of a candidate cost, by its list if that is sorted; the last one is the dearest."""
        q: cython.int
        c: cython.int
        row: cython.int = self.row_of[j]
        total: cython.double = 0.0
        if self.missed[linearised, row] < PATIENCE:
            self.missed[linearised, row] += 1
            if self.missed[linearised, row] < PATIENCE:
                return self.partners_of(level, linearised, j, wanted)
            with cython.gil:
                self.sort_partners(linearised, j, row)
        for q in range(self.n_partners):
            c = self.partners[linearised, row, q]
            if not self.alive[level, c] or c == j or (self.has_conflicts and self.conflict[j, c]):
                continue
            self.dearest = self.rest[j, c] if linearised else self.pair[j, c]
            total += self.dearest
            wanted -= 1
            if wanted == 0:
                return total
        return INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def partners_of(
        self, level: cython.int, linearised: cython.int, j: cython.int, wanted: cython.int
    ) -> cython.double:
        """The same without such a list."""
        q: cython.int
        c: cython.int
        m: cython.int = 0
        for q in range(self.count[level]):
            c = self.list_of[level, q]
            if c != j and not (self.has_conflicts and self.conflict[j, c]):
                m = self.enter(self.rest[j, c] if linearised else self.pair[j, c], m, wanted)
        if m < wanted:
            return INFINITY
        self.dearest = self.small[m - 1]
        return self.entered(m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_best(self, level: cython.int, r: cython.int) -> cython.double:
        """The sum of the r largest worths, which stay in ``small`` with the sign turned, largest first."""
        i: cython.int
        m: cython.int = 0
        for i in range(self.count[level]):
            m = self.enter(-self.worth_of[level, i], m, r)
        return -self.entered(m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_classes(self, level: cython.int, r: cython.int) -> cython.double:
        """The r largest worths, at most one from each class of candidates that exclude each other.

        Candidates are sorted; each joins the first class in which it conflicts with everybody.
        """
        i: cython.int
        q: cython.int
        c: cython.int
        n_classes: cython.int = 0
        all_conflict: cython.bint
        total: cython.double = 0.0
        for i in range(self.count[level]):
            c = 0
            while c < n_classes:
                all_conflict = True
                for q in range(i):
                    if (
                        self.klass[q] == c
                        and not self.conflict[self.list_of[level, i], self.list_of[level, q]]
                    ):
                        all_conflict = False
                        break
                if all_conflict:
                    break
                c += 1
            self.klass[i] = c
            if c == n_classes:
                n_classes += 1
                total += self.worth_of[level, i]
                if n_classes == r:
                    return total
        return -INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_under_caps(self, level: cython.int, r: cython.int) -> cython.double:
        """The r largest worths that keep to a cap, for the cap that costs most. Candidates are sorted."""
        i: cython.int
        c: cython.int
        m: cython.int
        inside: cython.int
        total: cython.double
        least: cython.double = INFINITY
        for c in range(self.n_caps):
            if self.left[c] >= r:
                continue
            m = inside = 0
            total = 0.0
            for i in range(self.count[level]):
                if self.counts_for[c, self.list_of[level, i]]:
                    if inside == self.left[c]:
                        continue
                    inside += 1
                total += self.worth_of[level, i]
                m += 1
                if m == r:
                    break
            least = min(least, total if m == r else -INFINITY)
        return least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort(self, level: cython.int) -> cython.void:
        """Candidates by worth, best first: Shell's sort, since lists are short or nearly in order."""
        gap: cython.int = 1
        i: cython.int
        p: cython.int
        j: cython.int
        m: cython.int = self.count[level]
        worth: cython.double
        gain: cython.double
        linearised: cython.double
        paid: cython.double
        last: cython.double
        while gap < m // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for i in range(gap, m):
                j = self.list_of[level, i]
                gain = self.gain_of[level, i]
                linearised = self.linearised_of[level, i]
                worth = self.worth_of[level, i]
                paid = self.paid_of[level, i]
                last = self.last_of[level, i]
                p = i
                while p >= gap and (
                    self.worth_of[level, p - gap] < worth
                    or (self.worth_of[level, p - gap] == worth and self.list_of[level, p - gap] > j)
                ):
                    self.move(level, p - gap, p)
                    p -= gap
                self.list_of[level, p] = j
                self.gain_of[level, p] = gain
                self.linearised_of[level, p] = linearised
                self.worth_of[level, p] = worth
                self.paid_of[level, p] = paid
                self.last_of[level, p] = last
            gap //= 3

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leaf(self, level: cython.int, value: cython.double) -> cython.void:
        """A complete set: keep it if it is good enough."""
        if self.ratio:
            value = self.quotient()
        if value <= self.leaf_threshold or (self.n_needs and self.unmet(level) >= 0):
            return
        # To keep a set takes longer than a step, and a list may be long.
        self.since_tick += KEPT
        with cython.gil:
            self.keep(value)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def quotient(self) -> cython.double:
        """The quality of the chosen set if it is a ratio; very low if its upper part is not in the window."""
        i: cython.int
        q: cython.int
        upper: cython.double = self.start_above
        lower: cython.double = self.start_below
        for i in range(self.r):
            upper += self.above[self.chosen[i]]
            lower += self.below[self.chosen[i]]
            for q in range(i):
                lower += self.below_pair[self.chosen[i], self.chosen[q]]
        if upper <= self.least_above or upper > self.most_above:
            return -INFINITY
        return upper / sqrt(lower)

    @cython.cfunc
    def affordable(self) -> cython.bint:
        """Whether the chosen set keeps to budgets that were rounded; asked only where what is left does not tell."""
        b: cython.int
        for b in range(len(self.doubt)):
            if self.room[b] < self.doubt[b]:
                return self.pays(np.asarray(self.chosen)[: self.r])
        return True

    @cython.cfunc
    def keep(self, value: cython.double):
        """Note a set; in order and no more than wanted if only the best are kept."""
        p: cython.int
        q: cython.int
        if not self.affordable():
            return
        if self.accept is not None:
            accepted = self.accept(np.asarray(self.chosen)[: self.r])
            # A user's function takes its time, so the clock is looked at after each call.
            if self.tick():
                self.stopped = True
                self.open_bound = max(self.open_bound, value)
            if not accepted:
                return
        if not self.keeping and self.n_found == len(self.sets):
            if self.n_found >= self.most:
                self.stopped = True
                # Nobody else may be left to say that something is missing.
                self.open_bound = max(self.open_bound, value)
                return
            wanted = min(2 * self.n_found, self.most)
            self.sets = np.concatenate(
                [self.sets, np.zeros((wanted - self.n_found, self.sets.shape[1]), dtype=np.intc)]
            )
            self.values = np.concatenate([self.values, np.zeros(wanted - self.n_found)])
        p = min(self.n_found, len(self.sets) - 1)
        if self.keeping:
            while p > 0 and self.values[p - 1] < value:
                self.values[p] = self.values[p - 1]
                for q in range(self.r):
                    self.sets[p, q] = self.sets[p - 1, q]
                p -= 1
        self.values[p] = value
        for q in range(self.r):
            self.sets[p, q] = self.chosen[q]
        if self.n_found < len(self.sets):
            self.n_found += 1
        if self.cheaper:
            # The next one is to cost less by more than rounding.
            self.room[self.n_budgets - 1] = -self.tolerance
        if self.keeping and self.n_found == self.most:
            self.leaf_threshold = self.values[self.most - 1]
            if not self.ratio:
                self.threshold = max(self.threshold, self.leaf_threshold)


def subset_search(
    terms,
    rules,
    r,
    start,
    threshold,
    most,
    *,
    clique_cuts=None,
    keeping,
    cheaper=False,
    ratio=None,
    low_rank=None,
    tolerance=0.0,
    max_nodes,
    doubts=None,
    accept=None,
    tick,
):
    """The best ``most`` sets of r features (``keeping``), or all with a value above ``threshold``, at most ``most``.

    Parameters
    ----------
    terms : tuple of arrays
        Linear terms; pair terms (symmetric) and pairs that exclude each other (uint8), both empty where there are none.
    rules : tuple of arrays
        Caps: which caps each feature counts for (``first``, ``member``) and what is left of each; budgets: costs and
        what is left; needs: which features each feature needs, transitively (``needs_first``, ``needs``).
    r : int
    start : float
        The value of the features that are in every set.
    cut : float
        Sets up to this value are of no interest.
    most : int
    clique cuts : tuple of arrays, optional
        What a set pays once if it has enough features of a group: which groups each feature counts for (``first``,
        ``member``), how many features are enough, and what that costs.
    cheaper : bool
        Whether sets that cost no less than one listed before are of no interest, by the last budget; a few may be
        listed all the same.
    ratio : tuple, optional
        For quality that is a ratio: what each feature adds above and below the line, what each pair adds below it, both
        parts of the features that are in every set, the window (exclusive, inclusive) in which the upper part is to
        lie, and the threshold for the ratio. The terms then serve for the bound alone.
    low_rank : tuple, optional
        Parts of the pair terms (common, loadings), what they come to for each pair, and by how much bounds with them
        can be wrong because of rounding.
    doubts : tuple, optional
        For costs that were rounded down: how much of each of the first budgets a set must leave so that it keeps to
        them for sure, and a callable that tells for the positions of a set that leaves less.
    accept : callable, optional
        Called with the positions of a set that would be kept.

    Returns
    -------
    sets : int array, one row for each set, in the order in which they were found, or best first
    values : float array
    bound : float
        No set that was not looked at is better; -inf if the search came to its end.
    nodes : int
    progress : float
        For how much the parts of the search count that it came to and is done with, if all children of a node count
        the same. To be compared with that of other searches for the same sets.
    """
    search = SubsetSearch(
        terms,
        rules,
        clique_cuts,
        r,
        threshold,
        most,
        keeping,
        cheaper,
        ratio,
        low_rank,
        tolerance,
        max_nodes,
        doubts,
        accept,
        tick,
    )
    search.run(start)
    sets, values = search.found()
    return sets, values, search.open_bound, search.nodes, search.progress
