# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: the best sets of a size, or all sets above a threshold, for quality with pair terms.

The value of a set is the sum of the linear terms of its features minus the sum of its pair terms, plus, for linear
models, how much of the targets the set explains. Depth-first branch
and bound over positions of features. Rules on single sets are in ``set_rules``, and what linear models explain is in
``linear_fit``; pairs that exclude each other and a user's own test are kept here.

Contents
--------
1. A search from start to end
2. One node: bound, branch, count
3. Rules: what may still become a complete set
4. The node bound: each candidate's gain less half of its smallest pair terms
5. The cheapest partners of a candidate, by a scan or by sorted lists
6. Tighter bounds: conflicts, caps, clique cuts
7. Complete sets: ratio, budgets, a user's test
8. The fit of linear models: supersets instead of sums
9. Lists of candidates and of smallest numbers

The bound
---------
Each pair term is split half and half between its two features, and every candidate has its own cheapest partners: that
all of them want the same few, the bound does not see. (Other splits lower the bound at the root, but not further down.)
Whether a child can improve on the threshold is told by the partners that its parent knew, which costs next to nothing.

Ratios
------
Quality that is a ratio, a sum over the root of another sum, comes with terms that are too optimistic about it: complete
sets are judged by their ratio.
"""

import cython
import numpy as np

from altsets._kernels.set_rules import incidence

if cython.compiled:
    from cython.cimports.altsets._kernels.linear_fit import FitState
    from cython.cimports.altsets._kernels.set_rules import SetRules
    from cython.cimports.libc.math import log1p, sqrt
else:
    from math import log1p, sqrt

    from altsets._kernels.linear_fit import FitState
    from altsets._kernels.set_rules import SetRules

# Whether to stop is asked after a look at so many candidates or pairs of them: a node with more of them takes longer.
LOOKS_PER_TICK = cython.declare(cython.long, 1_000_000)
# A node with more candidates takes so long that it is asked within it, too.
MANY_CANDIDATES = cython.declare(cython.int, 1_000)
# Looks that a complete set counts for: to note it takes longer, and a list may be long.
LOOKS_PER_SET = cython.declare(cython.long, 200)

# Looks that it counts for to ask which candidates fit beside other sets, and how much more for larger sets: matchings
# grow with the square of their size.
LOOKS_PER_FITTING = cython.declare(cython.long, 50_000)
SQUARE_OF_SMALL = cython.declare(cython.long, 400)

# What is impossible costs this much.
INFINITY = cython.declare(cython.double, float("inf"))

# Each level needs room on the stack, of which a thread may have little, and plain Python has less: with more levels
# than these a search gives up at once.
MAX_DEPTH = cython.declare(cython.int, 1_000 if cython.compiled else 250)

# Lists of partners are made when a search has come to so many nodes, and each is sorted when it would have been of use
# so often: short searches do without.
SCANS_BEFORE_LISTS = cython.declare(cython.int, 32)
# Candidates at the root for which there are lists; their room grows with the square.
MAX_LISTED = cython.declare(cython.int, 2000)

# The logarithm of what is not explained has to be finite.
ALL_EXPLAINED = cython.declare(cython.double, 1.0 - 1e-15)


@cython.final
@cython.cclass
class SubsetSearch:
    """One search; see :func:`subset_search`.

    Arrays that end in ``_of`` hold a number for each candidate of a node, one row for each level of the tree.
    """

    # The value of a set, and pairs that exclude each other.
    linear = cython.declare(cython.double[::1])
    pair = cython.declare(cython.double[:, ::1])
    conflict = cython.declare(cython.uchar[:, ::1])
    # Caps, budgets, and features that need others.
    rules = cython.declare(SetRules)
    # How much of a budget a set must leave to keep to it for sure, and whom to ask otherwise.
    least_room = cython.declare(cython.double[::1])
    pays = cython.declare(object)
    # Clique cuts: those of each feature, how many features are still missing before one is paid for, its price.
    clique_first = cython.declare(cython.int[::1])
    clique_member = cython.declare(cython.int[::1])
    clique_missing = cython.declare(cython.int[::1])
    clique_price = cython.declare(cython.double[::1])
    # Whether a feature counts for one; how many candidates of a node do; what each of them is charged on each level.
    in_clique_cut = cython.declare(cython.uchar[:, ::1])
    clique_count = cython.declare(cython.int[::1])
    clique_share = cython.declare(cython.double[:, ::1])
    # The nodes on the way from the root: candidates, their gains, bounds, and gains less what clique cuts charge; half
    # of the sum of their smallest pair terms, and half of the last of these.
    candidate = cython.declare(cython.int[:, ::1])
    gain_of = cython.declare(cython.double[:, ::1])
    bound_of = cython.declare(cython.double[:, ::1])
    charged_gain_of = cython.declare(cython.double[:, ::1])
    pair_share_of = cython.declare(cython.double[:, ::1])
    last_share_of = cython.declare(cython.double[:, ::1])
    is_candidate = cython.declare(cython.uchar[:, ::1])
    n_candidates = cython.declare(cython.int[::1])
    # The features chosen so far.
    chosen = cython.declare(cython.int[::1])
    # The smallest of the numbers that were looked at last, ascending.
    smallest = cython.declare(cython.double[::1])
    # Lists of partners: the root's candidates, the row of each in the lists, and how often a
    # list that is not sorted yet would have been of use.
    partner_order = cython.declare(cython.int[:, ::1])
    partner_row = cython.declare(cython.int[::1])
    root_candidates = cython.declare(cython.int[::1])
    n_scans = cython.declare(cython.uchar[::1])
    n_partners = cython.declare(cython.int)
    # The largest of the pair terms that were added up last, and the bound that a candidate needs to enter a child.
    last_pair_term = cython.declare(cython.double)
    entry_bound = cython.declare(cython.double)
    # Cliques of candidates that exclude each other, by their number.
    clique_of = cython.declare(cython.int[::1])
    # The sets that were found.
    sets = cython.declare(cython.int[:, ::1])
    values = cython.declare(cython.double[::1])
    n_found = cython.declare(cython.int, visibility="readonly")
    # Sizes of all this.
    n = cython.declare(cython.int)
    r = cython.declare(cython.int)
    n_needs = cython.declare(cython.int)
    n_clique_cuts = cython.declare(cython.int)
    has_pairs = cython.declare(cython.bint)
    has_conflicts = cython.declare(cython.bint)
    # A ratio: its upper and lower part, and the window for the upper one.
    ratio = cython.declare(cython.bint)
    upper_term = cython.declare(cython.double[::1])
    lower_term = cython.declare(cython.double[::1])
    lower_pair = cython.declare(cython.double[:, ::1])
    upper_start = cython.declare(cython.double)
    lower_start = cython.declare(cython.double)
    window_low = cython.declare(cython.double)
    window_high = cython.declare(cython.double)
    # How much of the targets sets explain; whether terms and pairs, which are prices then, count besides that.
    fit = cython.declare(FitState)
    has_fit = cython.declare(cython.bint)
    has_prices = cython.declare(cython.bint)
    # The share that the features which are in every set explain, and what shares count for.
    base_share = cython.declare(cython.double)
    share_factor = cython.declare(cython.double)
    in_logs = cython.declare(cython.bint)
    fit_cost = cython.declare(cython.double[:, ::1])
    # What is asked for: nodes are left at the first threshold, complete sets at the second, which differs for a ratio.
    keeping = cython.declare(cython.bint)
    cheaper = cython.declare(cython.bint)
    most = cython.declare(cython.int)
    threshold = cython.declare(cython.double)
    leaf_threshold = cython.declare(cython.double)
    tolerance = cython.declare(cython.double)
    # How long, how far, and what is left open if that was not to the end.
    nodes = cython.declare(cython.long, visibility="readonly")
    max_nodes = cython.declare(cython.long)
    looks_since_tick = cython.declare(cython.longlong)
    stopped = cython.declare(cython.bint, visibility="readonly")
    open_bound = cython.declare(cython.double, visibility="readonly")
    accept = cython.declare(object)
    fitting = cython.declare(object)
    tick = cython.declare(object)

    # --- 1. A search from start to end ------------------------------------------------------------

    def __init__(self, request, objective, most, max_nodes):
        terms, ratio = objective.terms, objective.ratio
        self.linear, self.pair, self.conflict = terms.linear, terms.pairs, terms.conflicts
        self.n = len(self.linear)
        self.r = request.n_open
        self.rules = SetRules(request.rules, self.n, self.r)
        self.n_needs = len(request.rules.needs)
        self.n_clique_cuts = 0
        cuts = objective.clique_cuts
        if cuts is not None:
            self.clique_first, self.clique_member, self.clique_price = cuts.first, cuts.member, cuts.prices
            self.clique_missing = np.array(cuts.missing, dtype=np.intc)
            self.n_clique_cuts = len(self.clique_missing)
        self.has_pairs = len(self.pair) > 0
        self.has_conflicts = len(self.conflict) > 0
        self.threshold = self.leaf_threshold = objective.threshold
        self.ratio = ratio is not None
        if ratio is not None:
            self.upper_term, self.lower_term, self.lower_pair = ratio.upper, ratio.lower, ratio.lower_pairs
            self.upper_start, self.lower_start = ratio.start
            self.window_low, self.window_high = ratio.window
            self.leaf_threshold = ratio.threshold
        self.most = most
        self.keeping, self.cheaper = request.keeping, request.cheaper
        self.tolerance = request.tolerance
        self.max_nodes = max_nodes
        self.least_room, self.pays = np.zeros(0), None
        if request.exact_budgets is not None:
            self.least_room, self.pays = request.exact_budgets.least_room, request.exact_budgets.pays
        self.accept, self.fitting, self.tick = request.accept, request.fitting, request.tick
        self.make_room_for_nodes()
        self.has_fit = objective.fit is not None
        if self.has_fit:
            self.fit = FitState(objective.fit, self.r + 1)
            self.base_share, self.share_factor = objective.fit.base_share, objective.fit.factor
            self.in_logs = objective.fit.in_logs
            self.fit_cost = np.zeros((self.r + 1, max(self.n, 1)))
            self.has_prices = bool(self.has_pairs or self.n_clique_cuts or np.any(self.linear))
        self.sets = np.zeros((most if self.keeping else min(most, 64), max(self.r, 1)), dtype=np.intc)
        self.values = np.zeros(len(self.sets))
        self.n_found = self.nodes = self.looks_since_tick = 0
        self.stopped = False
        self.open_bound = -float("inf")

    @cython.cfunc
    def make_room_for_nodes(self):
        """Arrays for one node on each level of the tree, and for what its bound is computed with."""
        levels, width = self.r + 1, max(self.n, 1)
        self.in_clique_cut = np.zeros((0, width), dtype=np.uint8)
        if self.n_clique_cuts:
            self.in_clique_cut = incidence(self.n_clique_cuts, width, self.clique_first, self.clique_member)
        self.clique_count = np.zeros(max(self.n_clique_cuts, 1), dtype=np.intc)
        self.clique_share = np.zeros((levels, max(self.n_clique_cuts, 1)))
        self.candidate = np.zeros((levels, width), dtype=np.intc)
        self.gain_of = np.zeros((levels, width))
        self.bound_of = np.zeros((levels, width))
        self.charged_gain_of = np.zeros((levels, width))
        self.pair_share_of = np.zeros((levels, width))
        self.last_share_of = np.zeros((levels, width))
        self.is_candidate = np.zeros((levels, width), dtype=np.uint8)
        self.n_candidates = np.zeros(levels, dtype=np.intc)
        self.chosen = np.zeros(max(self.r, 1), dtype=np.intc)
        self.smallest = np.zeros(levels + 1)
        self.last_pair_term = self.entry_bound = 0.0
        self.clique_of = np.zeros(width, dtype=np.intc)
        # There are no lists of partners yet.
        self.partner_order = np.zeros((0, 0), dtype=np.intc)
        self.partner_row = np.zeros(width, dtype=np.intc)
        self.root_candidates = np.zeros(0, dtype=np.intc)
        self.n_scans = np.zeros(0, dtype=np.uint8)
        self.n_partners = 0

    def run(self, value: cython.double):
        """Search to the end, or until stopped; the value is that of features that are in every set."""
        for j in range(self.n):
            if self.rules.fits(j):
                self.candidate[0, self.n_candidates[0]] = j
                self.gain_of[0, self.n_candidates[0]] = self.linear[j]
                self.is_candidate[0, j] = 1
                self.n_candidates[0] += 1
        if self.r > MAX_DEPTH:
            self.stopped = True
            self.open_bound = INFINITY
            self.nodes = self.max_nodes + 1
            return
        if self.fitting is not None:
            self.keep_fitting(0, self.r)
        with cython.nogil:
            self.search_node(0, self.r, value, INFINITY)

    def found(self):
        """The sets and their values."""
        return (
            np.asarray(self.sets)[: self.n_found, : self.r].copy(),
            np.asarray(self.values)[: self.n_found].copy(),
        )

    # --- 2. One node ------------------------------------------------------------------------------
    # Depth-first search: each node is a choice of features, and its children each add one of its candidates. These are
    # sorted by their bounds, best first; the child of the i-th one may only use later ones, so that every set is met
    # once.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_node(
        self,
        level: cython.int,
        r: cython.int,
        value: cython.double,
        limit: cython.double,
    ) -> cython.void:
        """Complete the chosen features by r candidates of this level; nothing here is better than ``limit``."""
        must: cython.int = -1
        if r == 0:
            if self.has_fit:
                # Nothing is open: all features are in every set.
                value += self.worth(self.base_share)
            self.leaf(level, value)
            return
        if self.count_node(level, r):
            self.open_bound = max(self.open_bound, limit)
            return
        if self.n_needs:
            must = self.rules.unmet_need(self.chosen, level)
            if must >= 0 and not self.is_candidate[level, must]:
                return
        if not self.can_be_completed(level, r):
            return
        if self.has_fit:
            if r == 1:
                self.add_last_feature(level, value, limit, must)
            else:
                self.search_supersets(level, r, value, limit, must)
            return
        if self.n_partners == 0 and self.nodes >= SCANS_BEFORE_LISTS and self.partner_lists_fit():
            with cython.gil:
                self.make_partner_lists()
        bound = self.bound_node(level, r, value, must)
        if self.stopped:
            # Perhaps before the bounds of all candidates were known, and then the node's own bound says nothing.
            self.open_bound = max(self.open_bound, limit)
            return
        if bound <= self.threshold + self.tolerance or self.n_candidates[level] < r:
            return
        self.sort_candidates(level)
        if self.rules.n_caps:
            bound = min(bound, value + self.cap_bound(level, r))
            if bound <= self.threshold + self.tolerance:
                return
        if must >= 0:
            # A feature that a chosen one needs: there is one child, with that one, and no candidate is left out in it.
            for i in range(self.n_candidates[level]):
                if self.candidate[level, i] == must:
                    self.branch(level, i, True, r, value, bound)
                    return
            return
        for i in range(self.n_candidates[level] - r + 1):
            limit = value
            for p in range(i, i + r):
                limit += self.bound_of[level, p]
            limit = min(limit, bound)
            if limit <= self.threshold + self.tolerance:
                return
            if self.stopped or self.count_child(level, i, r):
                self.open_bound = max(self.open_bound, limit)
                return
            if self.child_can_improve(level, i, r, value):
                self.branch(level, i, False, r, value, limit)
            # The later children do without this one, also as a partner of others.
            self.is_candidate[level, self.candidate[level, i]] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def child_can_improve(
        self, level: cython.int, i: cython.int, r: cython.int, value: cython.double
    ) -> cython.bint:
        """Whether the child of the i-th candidate can reach the threshold, judged by what its parent knows.

        The others lose their last partner and pay for the i-th one in full. Their pair terms with the rest can only be
        larger in the child, which has fewer candidates, so the sum is a bound. A later candidate enters the child only
        if it then adds ``entry_bound`` at least: else it is neither among the r - 1 best ones, nor do these reach the
        threshold with it in the place of the last of them.
        """
        m: cython.int = 0
        j: cython.int = self.candidate[level, i]
        charge: cython.double = self.clique_charge(j)
        share: cython.double = self.clique_due(level, j)
        total: cython.double = value + self.charged_gain_of[level, i]
        # It pays in full, and the others no longer for the same.
        total += share - charge
        if r == 1:
            return True
        for p in range(i + 1, self.n_candidates[level]):
            m = self.keep_smallest(-self.bound_with(level, p, j), m, r - 1)
        if m < r - 1:
            return False
        total -= self.sum_of_kept(m)
        self.entry_bound = min(
            -self.smallest[m - 1], self.threshold + self.tolerance - (total + self.smallest[m - 1])
        )
        return total > self.threshold + self.tolerance

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
        """Search the child with the i-th candidate; those before it do not enter it unless they are to be kept."""
        m: cython.int = 0
        j: cython.int = self.candidate[level, i]
        gain: cython.double = self.gain_of[level, i] - self.clique_charge(j)
        self.chosen[level] = j
        self.take(j, 1)
        if r > 1:
            for p in range(0 if keep_before else i + 1, self.n_candidates[level]):
                c = self.candidate[level, p]
                if c == j or (self.has_conflicts and self.conflict[j, c]):
                    continue
                if not keep_before and self.bound_with(level, p, j) < self.entry_bound:
                    continue
                if (self.rules.n_caps or self.rules.n_budgets) and not self.rules.fits(c):
                    continue
                if self.n_needs and not self.rules.needs_can_be_met(self.is_candidate, level, c):
                    continue
                self.candidate[level + 1, m] = c
                self.gain_of[level + 1, m] = self.gain_of[level, p]
                if self.has_pairs:
                    self.gain_of[level + 1, m] -= self.pair[j, c]
                self.is_candidate[level + 1, c] = 1
                m += 1
        self.n_candidates[level + 1] = m
        if self.fitting is not None and m > 0:
            with cython.gil:
                self.keep_fitting(level + 1, r - 1)
        if self.has_fit and r > 1:
            self.fit.descend(level, j, self.candidate, self.n_candidates[level + 1], r > 2)
        self.search_node(level + 1, r - 1, value + gain, limit)
        # The child's own list lacks those that it has dropped, and its parent's holds all that may be marked.
        if r > 1:
            for p in range(self.n_candidates[level]):
                self.is_candidate[level + 1, self.candidate[level, p]] = 0
        self.take(j, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_node(self, level: cython.int, r: cython.int) -> cython.bint:
        """Count a node and what it looks at; whether to stop."""
        looks: cython.longlong = cython.cast(cython.longlong, self.n_candidates[level])
        rules: cython.longlong = cython.cast(cython.longlong, self.rules.n_caps + self.rules.n_budgets)
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.stopped = True
            return True
        # To keep more of them in order makes each look take longer.
        rules *= looks * (1 + r // 16)
        # With many candidates the looks at their pairs are counted one candidate at a time, when its bound is computed.
        return self.stops_after(
            rules + (looks * looks if self.has_pairs and looks <= MANY_CANDIDATES else looks)
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_child(self, level: cython.int, i: cython.int, r: cython.int) -> cython.bint:
        """Count the looks at later candidates that the child of the i-th one takes; whether to stop."""
        later: cython.longlong = cython.cast(cython.longlong, self.n_candidates[level] - i)
        if self.has_pairs and self.n_candidates[level] <= MANY_CANDIDATES:
            # Those at all their pairs are counted with the node.
            return False
        return self.stops_after(later * (1 + r // 16))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stops_after(self, looks: cython.longlong) -> cython.bint:
        """Whether to stop after so many more looks; asked only now and then."""
        self.looks_since_tick += looks
        if self.looks_since_tick >= LOOKS_PER_TICK:
            self.looks_since_tick = 0
            with cython.gil:
                if self.tick():
                    self.stopped = True
        return self.stopped

    # --- 3. Rules: what may still become a complete set -------------------------------------------
    # A node without a complete set below it is left at once; so are candidates that no such set can have.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_be_completed(self, level: cython.int, r: cython.int) -> cython.bint:
        """Whether rules leave room for r candidates; drops those that a budget cannot pay for."""
        n_kept: cython.int = 0
        m: cython.int = self.n_candidates[level]
        if m < r or not self.rules.leave_room(self.candidate, level, m, r):
            return False
        if self.rules.n_budgets:
            for i in range(m):
                if self.rules.is_kept[i]:
                    self.move_candidate(level, i, n_kept)
                    n_kept += 1
                else:
                    self.is_candidate[level, self.candidate[level, i]] = 0
            self.n_candidates[level] = n_kept
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, j: cython.int, sign: cython.int) -> cython.void:
        """Choose a feature (sign 1), or undo that (-1)."""
        self.rules.take(j, sign)
        if self.n_clique_cuts:
            for e in range(self.clique_first[j], self.clique_first[j + 1]):
                self.clique_missing[self.clique_member[e]] -= sign

    @cython.cfunc
    def keep_fitting(self, level: cython.int, r: cython.int):
        """Drop the candidates that cannot be added to what is chosen, as whoever compares it with other sets says."""
        n_kept: cython.int = 0
        m: cython.int = self.n_candidates[level]
        fits: cython.uchar[::1] = self.fitting(
            np.asarray(self.chosen)[:level], np.asarray(self.candidate)[level, :m], r
        )
        for i in range(m):
            if fits[i]:
                self.candidate[level, n_kept] = self.candidate[level, i]
                self.gain_of[level, n_kept] = self.gain_of[level, i]
                n_kept += 1
            else:
                self.is_candidate[level, self.candidate[level, i]] = 0
        self.n_candidates[level] = n_kept
        self.looks_since_tick += LOOKS_PER_FITTING * (1 + self.r * self.r // SQUARE_OF_SMALL)

    # --- 4. The node bound ------------------------------------------------------------------------
    # With r features to go, a candidate's bound is its gain (its linear term less its pair terms with what is chosen)
    # minus half of its r - 1 smallest pair terms with other candidates, for the other half is charged to the other one.
    # No r candidates add more than the r largest bounds together, so a candidate that does not reach the threshold even
    # with the r - 1 best others is dropped.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_node(
        self, level: cython.int, r: cython.int, value: cython.double, must: cython.int
    ) -> cython.double:
        """The bound of a node; candidates that no set above the threshold can have are dropped."""
        bound: cython.double = INFINITY
        # Once more at the root if candidates were dropped: partners are gone with them, and nobody looks at them again.
        for attempt in range(1 if level > 0 else 3):
            m = self.n_candidates[level]
            bound = self.bound_by_candidates(level, r, value)
            if self.stopped or bound <= self.threshold + self.tolerance:
                return bound
            # Reduced-cost fixing: a candidate must be able to reach the threshold with the r - 1 best others.
            weakest = -self.smallest[r - 1]
            top = bound - weakest
            n_kept = 0
            for i in range(m):
                candidate_bound = self.bound_of[level, i]
                p = self.candidate[level, i]
                if (
                    candidate_bound >= weakest
                    or top + candidate_bound > self.threshold + self.tolerance
                    or p == must
                ):
                    self.move_candidate(level, i, n_kept)
                    n_kept += 1
                else:
                    self.is_candidate[level, p] = 0
            self.n_candidates[level] = n_kept
            if n_kept == m or not self.has_pairs:
                break
        if self.has_conflicts and bound > self.threshold + self.tolerance and self.n_candidates[level] >= r:
            self.sort_candidates(level)
            best = self.clique_cover_bound(level, r)
            bound = min(bound, value + best)
        return bound

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_by_candidates(self, level: cython.int, r: cython.int, value: cython.double) -> cython.double:
        """The bounds of a node's candidates, and the node bound: the sum of the r largest."""
        self.bound_candidates(level, r)
        best = self.sum_of_best(level, r)
        return value + best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_candidates(self, level: cython.int, r: cython.int) -> cython.void:
        """The bound of each candidate: its gain minus half of its r - 1 smallest pair terms."""
        m: cython.int = self.n_candidates[level]
        # The fewer of the root's candidates are left, the more entries of a list are passed over in vain.
        listed: cython.bint = self.n_partners > 0 and m * m > (r - 1) * self.n_partners
        if self.n_clique_cuts:
            self.share_clique_prices(level, r)
        for i in range(m):
            j = self.candidate[level, i]
            total = self.clique_due(level, j)
            self.charged_gain_of[level, i] = self.bound_of[level, i] = self.gain_of[level, i] - total
            if self.has_pairs and r > 1:
                # To keep more partners in order makes each look take longer.
                if m > MANY_CANDIDATES and self.stops_after(m * (1 + r // 16)):
                    return
                if listed:
                    total = self.least_pair_terms_listed(level, j, r - 1)
                else:
                    total = self.least_pair_terms_scanned(level, j, r - 1)
                self.pair_share_of[level, i] = 0.5 * total
                self.last_share_of[level, i] = 0.5 * self.last_pair_term
                self.bound_of[level, i] -= self.pair_share_of[level, i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound_with(self, level: cython.int, p: cython.int, j: cython.int) -> cython.double:
        """The bound of the p-th candidate once j is chosen: j's pair term in full, and the last partner no longer."""
        bound: cython.double = self.charged_gain_of[level, p] - (
            self.pair_share_of[level, p] - self.last_share_of[level, p]
        )
        if self.has_pairs:
            bound -= self.pair[j, self.candidate[level, p]]
        if self.n_clique_cuts:
            bound += self.clique_relief(level, self.candidate[level, p], j)
        return bound

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_best(self, level: cython.int, r: cython.int) -> cython.double:
        """The sum of the r largest bounds, which stay in ``smallest`` with their sign turned, largest first."""
        m: cython.int = 0
        for i in range(self.n_candidates[level]):
            m = self.keep_smallest(-self.bound_of[level, i], m, r)
        return -self.sum_of_kept(m)

    # --- 5. The cheapest partners of a candidate --------------------------------------------------
    # Partners are the other candidates, the cheapest ones those with the smallest pair terms. A scan over all of them
    # finds these; with a list that is sorted once, of all the root's candidates, only those before the last partner are
    # looked at.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def least_pair_terms_scanned(self, level: cython.int, j: cython.int, wanted: cython.int) -> cython.double:
        """The sum of a candidate's smallest pair terms with others of this node; inf if they are too few."""
        m: cython.int = 0
        for q in range(self.n_candidates[level]):
            c = self.candidate[level, q]
            if c != j and not (self.has_conflicts and self.conflict[j, c]):
                m = self.keep_smallest(self.pair[j, c], m, wanted)
        if m < wanted:
            return INFINITY
        self.last_pair_term = self.smallest[m - 1]
        return self.sum_of_kept(m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def least_pair_terms_listed(self, level: cython.int, j: cython.int, wanted: cython.int) -> cython.double:
        """The sum of a candidate's smallest pair terms, by its list once that is sorted; inf if they are too few."""
        row: cython.int = self.partner_row[j]
        total: cython.double = 0.0
        if self.n_scans[row] < SCANS_BEFORE_LISTS:
            self.n_scans[row] += 1
            if self.n_scans[row] < SCANS_BEFORE_LISTS:
                return self.least_pair_terms_scanned(level, j, wanted)
            with cython.gil:
                self.sort_partner_list(j, row)
        for q in range(self.n_partners):
            c = self.partner_order[row, q]
            if not self.is_candidate[level, c] or c == j or (self.has_conflicts and self.conflict[j, c]):
                continue
            self.last_pair_term = self.pair[j, c]
            total += self.last_pair_term
            wanted -= 1
            if wanted == 0:
                return total
        return INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def partner_lists_fit(self) -> cython.bint:
        """Whether lists of partners are of use, and would not take too much room."""
        return self.has_pairs and self.n_candidates[0] <= MAX_LISTED

    @cython.cfunc
    def make_partner_lists(self):
        """Make room for the lists of partners: for each candidate of the root all others."""
        kept = np.sort(np.asarray(self.candidate)[0, : self.n_candidates[0]])
        self.n_partners = len(kept)
        self.partner_order = np.empty((self.n_partners, self.n_partners), dtype=np.intc)
        self.n_scans = np.zeros(self.n_partners, dtype=np.uint8)
        self.root_candidates = kept
        np.asarray(self.partner_row)[kept] = np.arange(len(kept), dtype=np.intc)

    @cython.cfunc
    def sort_partner_list(self, j: cython.int, row: cython.int):
        """Sort the list of a candidate, the cheapest partner first."""
        root = np.asarray(self.root_candidates)
        terms = np.asarray(self.pair)[j, root]
        np.asarray(self.partner_order)[row] = root[np.argsort(terms, kind="stable")]

    # --- 6. Tighter bounds: conflicts, caps, clique cuts ------------------------------------------
    # What the node bound does not see: pairs that exclude each other, and caps. Clique cuts it sees where one more
    # feature makes a set pay: no more than so many candidates can be chosen of a group, so each is charged its share.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clique_cover_bound(self, level: cython.int, r: cython.int) -> cython.double:
        """The sum of the r largest bounds, at most one from each clique of candidates that exclude each other.

        A greedy clique cover of the conflict graph: candidates are sorted, best first, and each joins the first clique
        all of whose members it conflicts with. So the first of a clique has its largest bound.
        """
        n_cliques: cython.int = 0
        total: cython.double = 0.0
        for i in range(self.n_candidates[level]):
            c = 0
            while c < n_cliques:
                if self.stops_after(i):
                    return INFINITY
                conflicts_with_all = True
                for q in range(i):
                    if (
                        self.clique_of[q] == c
                        and not self.conflict[self.candidate[level, i], self.candidate[level, q]]
                    ):
                        conflicts_with_all = False
                        break
                if conflicts_with_all:
                    break
                c += 1
            self.clique_of[i] = c
            if c == n_cliques:
                n_cliques += 1
                total += self.bound_of[level, i]
                if n_cliques == r:
                    return total
        return -INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cap_bound(self, level: cython.int, r: cython.int) -> cython.double:
        """The sum of the r largest bounds under one cap, for the cap that leaves least; candidates are sorted."""
        total: cython.double
        least: cython.double = INFINITY
        for c in range(self.rules.n_caps):
            if self.rules.cap_room[c] >= r:
                continue
            m = inside = 0
            total = 0.0
            for i in range(self.n_candidates[level]):
                if self.rules.in_cap[c, self.candidate[level, i]]:
                    if inside == self.rules.cap_room[c]:
                        continue
                    inside += 1
                total += self.bound_of[level, i]
                m += 1
                if m == r:
                    break
            least = min(least, total if m == r else -INFINITY)
        return least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clique_charge(self, j: cython.int) -> cython.double:
        """What is due for clique cuts once this feature is chosen: those of which it is the last one missing."""
        total: cython.double = 0.0
        if self.n_clique_cuts:
            for e in range(self.clique_first[j], self.clique_first[j + 1]):
                if self.clique_missing[self.clique_member[e]] == 1:
                    total += self.clique_price[self.clique_member[e]]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share_clique_prices(self, level: cython.int, r: cython.int) -> cython.void:
        """What each candidate of a node is charged for cuts that one more feature makes due: no more than all of it."""
        for c in range(self.n_clique_cuts):
            self.clique_count[c] = 0
        for i in range(self.n_candidates[level]):
            for e in range(
                self.clique_first[self.candidate[level, i]], self.clique_first[self.candidate[level, i] + 1]
            ):
                self.clique_count[self.clique_member[e]] += 1
        for c in range(self.n_clique_cuts):
            self.clique_share[level, c] = 0.0
            if self.clique_missing[c] == 1 and self.clique_count[c] > 0:
                self.clique_share[level, c] = self.clique_price[c] / min(self.clique_count[c], r)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clique_due(self, level: cython.int, j: cython.int) -> cython.double:
        """What a candidate of a node is charged for all its clique cuts."""
        total: cython.double = 0.0
        if self.n_clique_cuts:
            for e in range(self.clique_first[j], self.clique_first[j + 1]):
                total += self.clique_share[level, self.clique_member[e]]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clique_relief(self, level: cython.int, p: cython.int, j: cython.int) -> cython.double:
        """What a candidate is charged less once j is chosen, which pays for what they have in common."""
        total: cython.double = 0.0
        for e in range(self.clique_first[p], self.clique_first[p + 1]):
            if self.in_clique_cut[self.clique_member[e], j]:
                total += self.clique_share[level, self.clique_member[e]]
        return total

    # --- 7. Complete sets -------------------------------------------------------------------------
    # To note a set takes the interpreter, so this is the only part that is not plain C.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leaf(self, level: cython.int, value: cython.double) -> cython.void:
        """A complete set: keep it if it is good enough."""
        if self.ratio:
            value = self.ratio_of_chosen()
        if value <= self.leaf_threshold or (self.n_needs and self.rules.unmet_need(self.chosen, level) >= 0):
            return
        self.looks_since_tick += LOOKS_PER_SET
        with cython.gil:
            self.store(value)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ratio_of_chosen(self) -> cython.double:
        """The ratio of the chosen set; -inf if its upper part is not in the window, where another search sees it."""
        upper: cython.double = self.upper_start
        lower: cython.double = self.lower_start
        for i in range(self.r):
            upper += self.upper_term[self.chosen[i]]
            lower += self.lower_term[self.chosen[i]]
            for q in range(i):
                lower += self.lower_pair[self.chosen[i], self.chosen[q]]
        if upper <= self.window_low or upper > self.window_high:
            return -INFINITY
        return upper / sqrt(lower)

    @cython.cfunc
    def keeps_budgets(self) -> cython.bint:
        """Whether the chosen set keeps to budgets with rounded costs; asked only if what is left does not tell."""
        for b in range(len(self.least_room)):
            if self.rules.budget_room[b] < self.least_room[b]:
                return self.pays(np.asarray(self.chosen)[: self.r])
        return True

    @cython.cfunc
    def store(self, value: cython.double):
        """Store a complete set: in its place among the best ones, or at the end of the list."""
        if not self.keeps_budgets():
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
                # This set is missing, whether or not a node is left open.
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
            # The budget ends at what this set costs: the next one is to cost less, by more than rounding.
            self.rules.budget_room[self.rules.n_budgets - 1] = -self.tolerance
        if self.keeping and self.n_found == self.most:
            self.leaf_threshold = self.values[self.most - 1]
            if not self.ratio:
                self.threshold = max(self.threshold, self.leaf_threshold)

    # --- 8. The fit of linear models --------------------------------------------------------------
    # It grows with the set, so no set below a node fits better than the superset: what is chosen and all candidates.
    # By how much a superset fits worse without one feature is known for all of them. Where r are to be chosen, one of
    # the r + 1 features that cost most is dropped; where a cap leaves room for so many, one more than that of its own.
    # A feature without which no set reaches the threshold is chosen. Else there are two cases, the best candidate is
    # chosen or dropped, and the second one goes on in the same node.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_supersets(
        self,
        level: cython.int,
        r: cython.int,
        value: cython.double,
        limit: cython.double,
        must: cython.int,
    ) -> cython.void:
        """The node of :meth:`search_node` for sets with a fit and two or more features to go."""
        i: cython.int
        best: cython.double = 0.0
        bound: cython.double
        share: cython.double
        without: cython.double
        while True:
            self.shrink_superset(level)
            if self.stopped:
                break
            if self.n_candidates[level] < r:
                return
            if self.has_prices:
                self.bound_candidates(level, r)
                if self.stopped:
                    break
                best = self.sum_of_best(level, r)
            share = self.base_share + self.fit.superset_value[level] + self.fit.slack
            bound = value + best + self.worth(share)
            if bound <= self.threshold + self.tolerance:
                return
            if must >= 0:
                for i in range(self.n_candidates[level]):
                    if self.candidate[level, i] == must:
                        self.branch(level, i, True, r, value, min(limit, bound))
                        return
                return
            if self.has_prices and self.drop_expensive(level, r, bound):
                continue
            loss = self.least_loss(level, r)
            without = value + best + self.worth(share - loss)
            if without <= self.threshold + self.tolerance:
                return
            limit = min(limit, without)
            i = self.best_to_choose(level)
            self.branch(level, i, True, r, value, limit)
            if self.stopped:
                break
            without = value + best + self.worth(share - self.fit_cost[level, i])
            if without <= self.threshold + self.tolerance:
                return
            limit = min(limit, without)
            self.remove_candidate(level, i)
        self.open_bound = max(self.open_bound, limit)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(self, share: cython.double) -> cython.double:
        """What it counts for to explain a share of the targets: more for more."""
        if self.in_logs:
            return -self.share_factor * log1p(-min(share, ALL_EXPLAINED))
        return self.share_factor * share

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shrink_superset(self, level: cython.int) -> cython.void:
        """Drop what is neither chosen nor a candidate from the superset."""
        for j in range(self.n):
            if self.fit.has(level, j) and not self.is_candidate[level, j] and not self.rules.is_chosen[j]:
                columns = cython.cast(cython.longlong, self.fit.n_columns[level])
                if self.stops_after(columns * columns):
                    return
                self.fit.drop(level, j)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_expensive(self, level: cython.int, r: cython.int, bound: cython.double) -> cython.bint:
        """Drop candidates that cost more than they can be worth; whether there were any. ``smallest`` is used."""
        n_kept: cython.int = 0
        m: cython.int = self.n_candidates[level]
        weakest: cython.double = -self.smallest[r - 1]
        for i in range(m):
            if (
                self.bound_of[level, i] >= weakest
                or bound - weakest + self.bound_of[level, i] > self.threshold + self.tolerance
            ):
                self.move_candidate(level, i, n_kept)
                n_kept += 1
            else:
                self.is_candidate[level, self.candidate[level, i]] = 0
        self.n_candidates[level] = n_kept
        return n_kept < m

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def least_loss(self, level: cython.int, r: cython.int) -> cython.double:
        """By how much every set of this superset fits worse than it; notes the cost of each feature."""
        loss: cython.double = 0.0
        cost: cython.double
        n_largest: cython.int = 0
        m: cython.int = self.n_candidates[level]
        for i in range(m):
            cost = self.fit.cost(level, self.candidate[level, i])
            self.fit_cost[level, i] = cost
            # There is room for one more number than levels; of r + 1 the last one is asked for.
            n_largest = self.keep_smallest(-cost, n_largest, r + 1)
        if m > r:
            loss = -self.smallest[r]
        for c in range(self.rules.n_caps):
            if self.rules.cap_room[c] >= r:
                continue
            n_largest = 0
            for i in range(m):
                if self.rules.in_cap[c, self.candidate[level, i]]:
                    n_largest = self.keep_smallest(
                        -self.fit_cost[level, i], n_largest, self.rules.cap_room[c] + 1
                    )
            if n_largest > self.rules.cap_room[c]:
                loss = max(loss, -self.smallest[self.rules.cap_room[c]])
        return loss

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def best_to_choose(self, level: cython.int) -> cython.int:
        """The candidate to branch on: at first what adds most, and once there are sets what is missed most."""
        chosen: cython.int = 0
        value: cython.double
        best: cython.double = -INFINITY
        growing: cython.bint = self.keeping and self.n_found < self.most
        for i in range(self.n_candidates[level]):
            value = self.fit.gain(level, self.candidate[level, i]) if growing else self.fit_cost[level, i]
            value *= self.share_factor
            if self.has_prices:
                value += self.bound_of[level, i]
            if value > best:
                best = value
                chosen = i
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remove_candidate(self, level: cython.int, i: cython.int) -> cython.void:
        """Sets that are still to come do without a candidate."""
        self.is_candidate[level, self.candidate[level, i]] = 0
        self.n_candidates[level] -= 1
        self.move_candidate(level, self.n_candidates[level], i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_last_feature(
        self, level: cython.int, value: cython.double, limit: cython.double, must: cython.int
    ) -> cython.void:
        """All sets that one candidate completes."""
        total: cython.double
        j: cython.int
        for i in range(self.n_candidates[level]):
            j = self.candidate[level, i]
            if must >= 0 and j != must:
                continue
            total = value + self.gain_of[level, i] - self.clique_charge(j)
            share = self.fit.gain(level, j)
            share += self.base_share + self.fit.chosen_value[level]
            total += self.worth(share)
            if total > self.leaf_threshold:
                self.chosen[level] = j
                self.take(j, 1)
                self.leaf(level + 1, total)
                self.take(j, -1)
                if self.stopped:
                    self.open_bound = max(self.open_bound, limit)
                    return

    # --- 9. Lists of candidates and of smallest numbers ------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move_candidate(self, level: cython.int, origin: cython.int, place: cython.int) -> cython.void:
        """Copy a candidate, with all its numbers, to another place of its list."""
        self.candidate[level, place] = self.candidate[level, origin]
        self.gain_of[level, place] = self.gain_of[level, origin]
        self.charged_gain_of[level, place] = self.charged_gain_of[level, origin]
        self.bound_of[level, place] = self.bound_of[level, origin]
        self.pair_share_of[level, place] = self.pair_share_of[level, origin]
        self.last_share_of[level, place] = self.last_share_of[level, origin]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_candidates(self, level: cython.int) -> cython.void:
        """Candidates by their bounds, best first, then by position: Shell's sort, for short or nearly sorted lists."""
        gap: cython.int = 1
        m: cython.int = self.n_candidates[level]
        while gap < m // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for i in range(gap, m):
                j = self.candidate[level, i]
                gain = self.gain_of[level, i]
                charged = self.charged_gain_of[level, i]
                bound = self.bound_of[level, i]
                paid = self.pair_share_of[level, i]
                last = self.last_share_of[level, i]
                p = i
                while p >= gap and (
                    self.bound_of[level, p - gap] < bound
                    or (self.bound_of[level, p - gap] == bound and self.candidate[level, p - gap] > j)
                ):
                    self.move_candidate(level, p - gap, p)
                    p -= gap
                self.candidate[level, p] = j
                self.gain_of[level, p] = gain
                self.charged_gain_of[level, p] = charged
                self.bound_of[level, p] = bound
                self.pair_share_of[level, p] = paid
                self.last_share_of[level, p] = last
            gap //= 3

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_smallest(self, value: cython.double, count: cython.int, wanted: cython.int) -> cython.int:
        """Keep a value if it is among the smallest ones so far, in ``smallest``, ascending; how many there are now."""
        if count < wanted:
            count += 1
        elif value >= self.smallest[count - 1]:
            return count
        p = count - 1
        while p > 0 and self.smallest[p - 1] > value:
            self.smallest[p] = self.smallest[p - 1]
            p -= 1
        self.smallest[p] = value
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_kept(self, count: cython.int) -> cython.double:
        """The sum of the values that were kept."""
        total: cython.double = 0.0
        for p in range(count):
            total += self.smallest[p]
        return total


def subset_search(request, objective, most, max_nodes):
    """The best ``most`` sets, or all with a value above the threshold, at most ``most``.

    The records are those of :mod:`altsets.search.subset.kernel_call`, or have the same attributes.

    Parameters
    ----------
    request : KernelRequest
        What sets have to keep to: ``rules`` (arrays of caps, budgets and needs), ``n_open`` features to choose,
        ``keeping`` for the best sets instead of all above the threshold, ``tolerance`` by which a node must be able to
        exceed the threshold. With ``cheaper``, sets that cost no less than one listed before are of no interest, by the
        last budget; a few may be listed all the same. ``exact_budgets``, for costs that were rounded down: the
        ``least_room`` that a set must leave in each of the first budgets to keep to them for sure, and ``pays``, which
        tells for one that leaves less. ``accept`` is called with the positions of a set that would be kept;
        ``fitting(chosen, candidates, to_go)`` tells which candidates may be added, at every node, so that complete sets
        need no other test; ``tick`` is called now and then, and true means stop.
    objective : Objective
        ``terms`` (linear and pair terms, and pairs that exclude each other), the value ``start`` of the features that
        are in every set, the ``threshold`` up to which sets are of no interest; ``clique_cuts``, which a set pays for
        once if it has enough features of a group; ``fit``, for how much of the targets sets explain; for quality that
        is a ``ratio``, what features and pairs add above and below the line, the window (exclusive, inclusive) for the
        upper part and the threshold for the ratio. The terms then serve for the bound alone.
    most, max_nodes : int

    Returns
    -------
    sets : int array, one row for each set, in the order in which they were found, or best first
    values : float array
    bound : float
        No set that was not looked at is better; -inf if the search came to its end.
    nodes : int
    """
    search = SubsetSearch(request, objective, most, max_nodes)
    search.run(objective.start)
    sets, values = search.found()
    return sets, values, search.open_bound, search.nodes
