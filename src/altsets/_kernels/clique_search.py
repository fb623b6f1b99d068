# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: pick compatible sets from a list by spending a budget.

Prices on features (see ``search.simultaneous.master``) bound what compatible sets are worth together, and say by how
much any solution falls short of the bound: each set by its charge, each pair of sets by what it could share and does
not, each priced element (a feature, or a pair of features) by being used too seldom or too often. A solution that beats
the best one known falls short by less than a budget.

Depth-first, the sets with the lowest charges first: of the sets of a solution the first one can cost no more than an
equal part of the budget, the second one no more than an equal part of what is left, and so on. That leaves few sets to
begin with, however many could come last. Where many sets could be first and few of them have an element that cannot be
left unused, one of these is next instead.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.altsets._kernels.bits import ones
else:

    def ones(x):
        """How many bits are set."""
        return int(x).bit_count()


TICK_EVERY = cython.declare(cython.long, 1024)

# What is impossible costs this much, and is worth as much less than nothing.
INFINITY = cython.declare(cython.double, float("inf"))

# Each level needs room on the stack, of which a thread may have little, and plain Python has less: with more levels
# than these a search gives up at once.
MOST_LEVELS = cython.declare(cython.int, 1_000 if cython.compiled else 250)

# Where no more sets than this could be next, it is not worth looking for an element that fewer have.
FEW = cython.declare(cython.int, 32)

# Answers about pairs of a list that are remembered take its length squared in bytes.
MOST_KNOWN = 4000


@cython.final
@cython.cclass
class Cliques:
    """Pick ``n_sets`` compatible sets whose qualities have a sum, or a minimum, above ``best``.

    Parameters
    ----------
    items : tuple of arrays
        The listed sets, those with the lowest charges first: masks (uint64, one row of words for each set), groups by
        size (int32), qualities, charges.
    elements : tuple of arrays
        Which priced elements each set has (``first``, ``element``), what it costs in all if an element is used by 0, 1,
        2, ... sets (convex), and what it costs if two sets share 0, 1, 2, ... features.
    caps : int32 matrix
        How many features sets of two groups may share.
    n_sets : int
    best : float
        The value to beat; -inf if there is none.
    ceiling : float
        Charges (all >= 0) and costs of a solution and, for a sum, its value add up to at most this. For a minimum, the
        charges contain by how much qualities exceed a common floor.
    summing : bool
        Sum or minimum.
    tolerance : float
    enough : float
        A value that needs no better one.
    max_nodes : int
    compatible : callable, optional
        compatible(i, j) instead of masks and caps.
    together : callable, optional
        together(i, numbers) tells which of these sets go with set i (uint8), besides masks and caps.
    accept : callable, optional
        accept(numbers) tells whether a solution that would be kept is one.
    price : float
        What each bit that two sets share in ``features`` takes off a sum.
    features : uint64 matrix, optional
        One row of words for each set; only for a price.
    tick : callable
    """

    masks = cython.declare(cython.ulonglong[:, ::1])
    group = cython.declare(cython.int[::1])
    caps = cython.declare(cython.int[:, ::1])
    qualities = cython.declare(cython.double[::1])
    charge = cython.declare(cython.double[::1])
    first = cython.declare(cython.int[::1])
    element = cython.declare(cython.int[::1])
    penalty = cython.declare(cython.double[:, ::1])
    easiest = cython.declare(cython.int[::1])
    unshared = cython.declare(cython.double[::1])
    room = cython.declare(cython.int[:, ::1])
    cost = cython.declare(cython.double[:, ::1])
    least = cython.declare(cython.double[:, ::1])
    others = cython.declare(cython.double[:, ::1])
    usage = cython.declare(cython.int[::1])
    in_order = cython.declare(cython.uchar[::1])
    supply = cython.declare(cython.int[::1])
    low = cython.declare(cython.double[::1])
    picked = cython.declare(cython.int[::1])
    best_picked = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    words = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    n_elements = cython.declare(cython.int)
    best = cython.declare(cython.double)
    ceiling = cython.declare(cython.double)
    budget = cython.declare(cython.double)
    summing = cython.declare(cython.bint)
    tolerance = cython.declare(cython.double)
    enough = cython.declare(cython.double)
    nodes = cython.declare(cython.longlong)
    max_nodes = cython.declare(cython.longlong)
    next_tick = cython.declare(cython.longlong)
    found = cython.declare(cython.bint)
    stopped = cython.declare(cython.bint)
    compatible = cython.declare(object)
    together = cython.declare(object)
    accept = cython.declare(object)
    price = cython.declare(cython.double)
    features = cython.declare(cython.ulonglong[:, ::1])
    known = cython.declare(cython.uchar[:, ::1])
    tick = cython.declare(object)

    def __init__(
        self,
        items,
        elements,
        caps,
        n_sets,
        best,
        ceiling,
        *,
        summing,
        tolerance,
        max_nodes,
        tick,
        enough=float("inf"),
        compatible=None,
        together=None,
        accept=None,
        price=0.0,
        features=None,
    ):
        self.masks, self.group, self.qualities, self.charge = items
        self.first, self.element, self.penalty, self.unshared = elements
        self.easiest = np.argmin(np.asarray(self.penalty), axis=1).astype(np.intc)
        self.caps = caps
        self.n = len(self.qualities)
        self.words = self.masks.shape[1]
        self.n_sets = n_sets
        self.n_elements = len(self.penalty)
        self.best = best
        self.ceiling = ceiling
        self.summing = summing
        self.tolerance = tolerance
        self.enough = enough
        self.max_nodes = max_nodes
        self.compatible = compatible
        self.together = together
        self.accept = accept
        self.price = price
        self.features = self.masks if features is None else features
        # A user's own test is slow and will be asked again; 1 is no, 2 is yes.
        size = self.n if compatible is not None and self.n <= MOST_KNOWN else 0
        self.known = np.zeros((size, size), dtype=np.uint8)
        self.tick = tick
        self.room = np.zeros((n_sets + 1, max(self.n, 1)), dtype=np.intc)
        self.cost = np.zeros((n_sets + 1, max(self.n, 1)))
        self.least = np.zeros((n_sets + 1, max(self.n, 1)))
        self.others = np.zeros((n_sets + 1, max(self.n, 1)))
        self.usage = np.zeros(max(self.n_elements, 1), dtype=np.intc)
        self.in_order = np.ones(n_sets + 1, dtype=np.uint8)
        self.supply = np.zeros(max(self.n_elements, 1), dtype=np.intc)
        self.low = np.zeros(n_sets)
        self.picked = np.zeros(n_sets, dtype=np.intc)
        self.best_picked = np.zeros(n_sets, dtype=np.intc)
        self.nodes = self.next_tick = 0
        self.found = self.stopped = False
        # With qualities among the charges, a solution spends the ceiling exactly, but for rounding.
        self.budget = ceiling - best if summing else ceiling + 16 * n_sets * tolerance

    def run(self):
        """The numbers of the best sets, or None if nothing better was found; and whether the search was exhaustive."""
        for i in range(self.n):
            self.room[0, i] = i
            self.cost[0, i] = self.charge[i]
        if self.n_sets > MOST_LEVELS:
            return None, False
        with cython.nogil:
            self.descend(0, self.n, 0.0, 0.0 if self.summing else INFINITY)
        return np.asarray(self.best_picked).copy() if self.found else None, not self.stopped

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shared_with(self, i: cython.int, j: cython.int) -> cython.int:
        """How many features two listed sets share; -1 if they may not be picked together."""
        shared: cython.int = 0
        allowed: cython.bint
        if self.compatible is not None:
            if len(self.known) and self.known[i, j]:
                return 0 if self.known[i, j] == 2 else -1
            with cython.gil:
                allowed = False
                if not self.stopped:
                    allowed = self.compatible(i, j)
                    # A user's function takes its time, so the clock is looked at after each call.
                    if self.tick():
                        self.stopped = True
            if len(self.known):
                self.known[i, j] = self.known[j, i] = 2 if allowed else 1
            return 0 if allowed else -1
        for w in range(self.words):
            shared += ones(self.masks[i, w] & self.masks[j, w])
        return shared if shared <= self.caps[self.group[i], self.group[j]] else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spend_node(self, amount: cython.int) -> cython.bint:
        self.nodes += amount
        if self.nodes > self.max_nodes:
            self.stopped = True
        elif self.nodes >= self.next_tick:
            self.next_tick = self.nodes + TICK_EVERY
            with cython.gil:
                if self.tick():
                    self.stopped = True
        return self.stopped

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def standing(self, left: cython.int) -> cython.double:
        """What all elements cost at least, with so many sets to go."""
        total: cython.double = 0.0
        for e in range(self.n_elements):
            d = self.usage[e]
            if d < self.easiest[e]:
                d = min(d + left, self.easiest[e])
            total += self.penalty[e, d]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def forced(
        self, level: cython.int, count: cython.int, rest: cython.double, few: cython.int
    ) -> cython.int:
        """Of the elements that cost more than the rest if left as they are, that which the fewest sets have.

        -1 if there is none that fewer than ``few`` have.
        """
        chosen: cython.int = -1
        found: cython.bint = False
        left: cython.int = self.n_sets - level
        for e in range(self.n_elements):
            d = self.usage[e]
            self.supply[e] = -1
            if (
                d < self.easiest[e]
                and self.penalty[e, d] - self.penalty[e, min(d + left, self.easiest[e])] >= rest
            ):
                self.supply[e] = 0
                found = True
        if not found:
            return -1
        for p in range(count):
            for q in range(self.first[self.room[level, p]], self.first[self.room[level, p] + 1]):
                if self.supply[self.element[q]] >= 0:
                    self.supply[self.element[q]] += 1
        for e in range(self.n_elements):
            if 0 <= self.supply[e] < few:
                chosen, few = e, self.supply[e]
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has(self, i: cython.int, e: cython.int) -> cython.bint:
        for q in range(self.first[i], self.first[i + 1]):
            if self.element[q] == e:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self, level: cython.int, count: cython.int, spent: cython.double, value: cython.double
    ) -> cython.void:
        """Pick one of the sets that are left, and go on; ``spent`` leaves the elements out."""
        n_next: cython.int = 0
        least: cython.double = INFINITY
        left: cython.int = self.n_sets - level
        standing: cython.double = self.standing(left)
        if left == 0:
            if spent + standing < self.budget and value > self.best + self.tolerance and self.accepted():
                self.keep(value)
            return
        self.in_order[level] = level == 0 or self.in_order[level - 1]
        if count < left or self.spend_node(1 + count // 16):
            return
        n_first = count - left + 1
        self.look_ahead(level, count, left)
        if self.n_elements > 0:
            rest = self.budget - self.tolerance - spent - standing
            for p in range(n_first):
                n_next += self.least[level, p] < rest
                least = min(least, self.least[level, p])
            if n_next > FEW:
                e = self.forced(level, count, rest - least, n_next)
                if e >= 0:
                    n_first = min(self.gather(level, count, e), n_first)
                    self.look_ahead(level, count, left)
                    self.in_order[level] = False
        for p in range(n_first):
            if spent + standing + self.least[level, p] < self.budget - self.tolerance:
                self.pick(level, p, count, spent, value)
                if self.stopped:
                    return

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def accepted(self) -> cython.bint:
        """Whether what was picked is a solution, by a test of the caller."""
        allowed: cython.bint = True
        if self.accept is not None:
            with cython.gil:
                allowed = self.accept(np.asarray(self.picked))
        return allowed

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def paid(self, level: cython.int, i: cython.int) -> cython.double:
        """What a set pays for the features that it shares with those that were picked."""
        shared: cython.longlong = 0
        for p in range(level):
            j = self.picked[p]
            for w in range(self.features.shape[1]):
                shared += ones(self.features[i, w] & self.features[j, w])
        return self.price * shared

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep(self, value: cython.double) -> cython.void:
        """What was picked is the best solution so far."""
        self.found = True
        self.best = value
        if self.summing:
            self.budget = self.ceiling - value
        for p in range(self.n_sets):
            self.best_picked[p] = self.picked[p]
        if value >= self.enough:
            self.stopped = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_ahead(self, level: cython.int, count: cython.int, left: cython.int) -> cython.void:
        """What each set of the list costs at least together with as many later ones as are wanted, or one fewer."""
        m: cython.int = 0
        total: cython.double = 0.0
        for p in range(count - 1, -1, -1):
            cost = self.cost[level, p]
            self.least[level, p] = cost + total if m == left - 1 else INFINITY
            self.others[level, p] = total - self.low[m - 1] if m > 0 else 0.0
            if m < left - 1:
                m += 1
            elif m == 0 or cost >= self.low[m - 1]:
                continue
            q = m - 1
            while q > 0 and self.low[q - 1] > cost:
                self.low[q] = self.low[q - 1]
                q -= 1
            self.low[q] = cost
            total = 0.0
            for q in range(m):
                total += self.low[q]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gather(self, level: cython.int, count: cython.int, e: cython.int) -> cython.int:
        """Bring the sets with an element to the front of a list; the next level's list is free to help."""
        n_with: cython.int = 0
        n_without: cython.int = 0
        for p in range(count):
            if self.has(self.room[level, p], e):
                self.room[level, n_with] = self.room[level, p]
                self.cost[level, n_with] = self.cost[level, p]
                n_with += 1
            else:
                self.room[level + 1, n_without] = self.room[level, p]
                self.cost[level + 1, n_without] = self.cost[level, p]
                n_without += 1
        for p in range(n_without):
            self.room[level, n_with + p] = self.room[level + 1, p]
            self.cost[level, n_with + p] = self.cost[level + 1, p]
        return n_with

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pick(
        self,
        level: cython.int,
        p: cython.int,
        count: cython.int,
        spent: cython.double,
        value: cython.double,
    ) -> cython.void:
        """Pick a set; the next level's list are the sets after it that go with it and can be paid for."""
        i: cython.int = self.room[level, p]
        m: cython.int = 0
        left: cython.int = self.n_sets - level - 1
        reached: cython.double = value + self.qualities[i] if self.summing else min(value, self.qualities[i])
        if self.price > 0.0:
            reached -= self.paid(level, i)
        if not self.summing and reached <= self.best + self.tolerance:
            return
        self.picked[level] = i
        for q in range(self.first[i], self.first[i + 1]):
            self.usage[self.element[q]] += 1
        spent += self.cost[level, p]
        cost = spent + self.standing(left)
        if cost < self.budget - self.tolerance:
            if level + 1 < self.n_sets:
                limit = self.budget - self.tolerance - cost - self.others[level, p]
                for q in range(p + 1, count):
                    j = self.room[level, q]
                    # Charges only rise, unless sets with a forced element were brought to the front.
                    if self.charge[j] >= limit and self.in_order[level]:
                        break
                    if self.cost[level, q] >= limit:
                        continue
                    if not self.summing and self.qualities[j] <= self.best + self.tolerance:
                        continue
                    shared = self.shared_with(i, j)
                    if shared >= 0:
                        self.room[level + 1, m] = j
                        self.cost[level + 1, m] = self.cost[level, q] + self.unshared[shared]
                        m += 1
                self.spend_node((count - p) // 64)
                if self.together is not None and m > 0 and not self.stopped:
                    with cython.gil:
                        m = self.keep_together(i, level + 1, m)
            if not self.stopped:
                self.descend(level + 1, m, spent, reached)
        for q in range(self.first[i], self.first[i + 1]):
            self.usage[self.element[q]] -= 1

    @cython.cfunc
    def keep_together(self, i: cython.int, level: cython.int, count: cython.int) -> cython.int:
        """Of the sets in a list those that go with a set by more than what they share; how many there are."""
        m: cython.int = 0
        together: cython.uchar[::1] = self.together(i, np.asarray(self.room)[level, :count])
        for p in range(count):
            if together[p]:
                self.room[level, m] = self.room[level, p]
                self.cost[level, m] = self.cost[level, p]
                m += 1
        return m
