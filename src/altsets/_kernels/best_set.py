# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: the best set of k features that keeps to overlap caps, by Lagrangian branch and bound.

Each cap says how many features a set may share with one earlier set, or how much its features may weigh together.
With a price on every cap the problem falls apart into "take the k best priced features", which bounds the optimum from
above for any prices >= 0. Prices come from a short subgradient descent; with them fixed, a depth-first search in the
order of the priced scores has a bound that costs one subtraction.

Features that weigh the same in all caps are interchangeable but for their score, so the search only ever takes the best
of such a class first. This is what makes ties harmless.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 1024)

# What is impossible costs this much, and is worth as much less than nothing.
INFINITY = cython.declare(cython.double, float("inf"))


@cython.final
@cython.cclass
class BestSet:
    """One search; ``run`` does the work and leaves its findings in the attributes."""

    scores = cython.declare(cython.double[::1])
    first = cython.declare(cython.int[::1])
    member = cython.declare(cython.int[::1])
    weight = cython.declare(cython.int[::1])
    kind = cython.declare(cython.int[::1])
    left = cython.declare(cython.int[::1])
    prices = cython.declare(cython.double[::1])
    priced = cython.declare(cython.double[::1])
    order = cython.declare(cython.int[::1])
    prefix = cython.declare(cython.double[::1])
    closed = cython.declare(cython.int[::1])
    taken = cython.declare(cython.int[::1])
    trial = cython.declare(cython.int[::1])
    since = cython.declare(cython.int[::1])
    at = cython.declare(cython.int[::1])
    value = cython.declare(cython.double[::1])
    priced_value = cython.declare(cython.double[::1])
    best_set = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    k = cython.declare(cython.int)
    n_caps = cython.declare(cython.int)
    cutoff = cython.declare(cython.double)
    best = cython.declare(cython.double, visibility="readonly")
    bound = cython.declare(cython.double, visibility="readonly")
    tolerance = cython.declare(cython.double)
    nodes = cython.declare(cython.long, visibility="readonly")
    max_nodes = cython.declare(cython.long)
    stopped = cython.declare(cython.bint, visibility="readonly")
    found = cython.declare(cython.bint, visibility="readonly")
    tick = cython.declare(object)

    def __init__(self, scores, first, member, kind, caps, k, to_beat, max_nodes, tolerance, tick, weights):
        self.scores = scores
        self.first = first
        self.member = member
        self.weight = np.ones(len(member), dtype=np.intc) if weights is None else weights
        self.kind = kind
        self.left = np.array(caps, dtype=np.intc)
        self.n = len(scores)
        self.k = k
        self.n_caps = len(caps)
        self.tolerance = tolerance
        self.tick = tick
        self.prices = np.zeros(self.n_caps)
        self.priced = np.array(scores)
        self.order = np.arange(self.n, dtype=np.intc)
        self.prefix = np.zeros(self.n + 1)
        self.closed = np.zeros(self.n, dtype=np.intc)
        self.taken = np.zeros(k, dtype=np.intc)
        self.trial = np.zeros(k, dtype=np.intc)
        # For each level of the search: its first feature, the next one, and what the features before it are worth.
        self.since = np.zeros(k + 1, dtype=np.intc)
        self.at = np.zeros(k + 1, dtype=np.intc)
        self.value = np.zeros(k + 1)
        self.priced_value = np.zeros(k + 1)
        self.best_set = np.zeros(k, dtype=np.intc)
        self.found = False
        self.stopped = False
        self.nodes = 0
        # No set is worse than the k worst features together: until a set is known, less than this is what bounds are
        # held against, so that prices can also prove that there is no set at all. Less by far more than what prices
        # lose in rounding: the only set there is may consist of the k worst features.
        worst = float(np.sum(np.asarray(scores)[self.n - k :]))
        self.best = worst
        self.cutoff = max(worst - (0.01 * float(np.max(np.abs(scores))) or 1.0), to_beat)
        self.max_nodes = max_nodes
        self.bound = float(np.inf)

    def run(self):
        """Search to the end, or until ``tick`` says stop; the bound holds in both cases."""
        with cython.nogil:
            self.descend()
            if not self.stopped and self.bound > self.cutoff + self.tolerance:
                self.rank()
                self.extend()
        if not self.stopped:
            self.bound = self.best if self.found else -float("inf")

    def chosen(self):
        """Positions of the best set found."""
        return np.asarray(self.best_set).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self) -> cython.double:
        total: cython.double = 0.0
        for c in range(self.n_caps):
            total += self.prices[c] * self.left[c]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort(self) -> cython.void:
        """Insertion sort by priced score: the order hardly changes from one price vector to the next."""
        for i in range(1, self.n):
            moving = self.order[i]
            value = self.priced[moving]
            j = i - 1
            while j >= 0 and (
                self.priced[self.order[j]] < value
                or (self.priced[self.order[j]] == value and self.order[j] > moving)
            ):
                self.order[j + 1] = self.order[j]
                j -= 1
            self.order[j + 1] = moving

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def reprice(self) -> cython.void:
        for j in range(self.n):
            value = self.scores[j]
            for e in range(self.first[j], self.first[j + 1]):
                value -= self.prices[self.member[e]] * self.weight[e]
            self.priced[j] = value
        self.sort()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_greedy(self) -> cython.void:
        """Take features in priced order as long as the caps allow; keep the set if it is the best so far."""
        count: cython.int = 0
        value: cython.double = 0.0
        for i in range(self.n):
            j = self.order[i]
            if self.fits(j):
                self.take(j, 1)
                self.trial[count] = j
                value += self.scores[j]
                count += 1
                if count == self.k:
                    break
        for i in range(count):
            self.take(self.trial[i], -1)
        if count == self.k:
            self.keep(self.trial, value)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep(self, chosen: cython.int[::1], value: cython.double) -> cython.void:
        if value > self.cutoff and (not self.found or value > self.best):
            self.found = True
            self.best = value
            self.cutoff = value
            for i in range(self.k):
                self.best_set[i] = chosen[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self) -> cython.void:
        """Lower the bound by moving the prices; the best prices stay in ``prices``."""
        patience: cython.int = 0
        scale: cython.double = 1.0
        slope: cython.double
        with cython.gil:
            best_prices: cython.double[::1] = np.zeros(self.n_caps)
            usage: cython.int[::1] = np.zeros(self.n_caps, dtype=np.intc)
        for step in range(200):
            self.reprice()
            value = self.constant()
            for c in range(self.n_caps):
                usage[c] = 0
            for i in range(self.k):
                value += self.priced[self.order[i]]
                for e in range(self.first[self.order[i]], self.first[self.order[i] + 1]):
                    usage[self.member[e]] += self.weight[e]
            lowered: cython.bint = step == 0 or value < self.bound - 1e-12 * (1.0 + abs(self.bound))
            if value < self.bound:
                self.bound = value
                for c in range(self.n_caps):
                    best_prices[c] = self.prices[c]
            if lowered:
                patience = 0
                self.try_greedy()
            else:
                patience += 1
                if patience % 4 == 0:
                    scale *= 0.5
                    if step % 3 == 0:
                        self.try_greedy()
            if step % 8 == 7:
                self.ask()
            if self.stopped or self.bound <= self.cutoff + self.tolerance or scale < 1e-3:
                break
            norm = 0.0
            for c in range(self.n_caps):
                slope = self.left[c] - usage[c]
                if slope < 0 or self.prices[c] > 0:
                    norm += slope * slope
            if norm == 0.0:
                break
            length = scale * (value - self.cutoff) / norm
            for c in range(self.n_caps):
                self.prices[c] = max(0.0, self.prices[c] - length * (self.left[c] - usage[c]))
        for c in range(self.n_caps):
            self.prices[c] = best_prices[c]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank(self) -> cython.void:
        """Prices, and sums of the best priced scores, with what each addition loses added back (Neumaier)."""
        total: cython.double = 0.0
        lost: cython.double = 0.0
        self.reprice()
        for i in range(self.n):
            value = self.priced[self.order[i]]
            raised = total + value
            lost += (total - raised) + value if abs(total) >= abs(value) else (value - raised) + total
            total = raised
            self.prefix[i + 1] = total + lost

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(self, j: cython.int) -> cython.bint:
        for e in range(self.first[j], self.first[j + 1]):
            if self.left[self.member[e]] < self.weight[e]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ask(self) -> cython.void:
        with cython.gil:
            if self.tick():
                self.stopped = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def optimistic(self, start: cython.int, to_take: cython.int) -> cython.double:
        """The best ``to_take`` priced scores from ``start`` on that are still allowed; -inf if there are too few."""
        count: cython.int = 0
        total: cython.double = 0.0
        for i in range(start, self.n):
            j = self.order[i]
            if self.closed[self.kind[j]] == 0 and self.fits(j):
                total += self.priced[j]
                count += 1
                if count == to_take:
                    return total
        return -INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def opens(self, level: cython.int) -> cython.bint:
        """Count a step, and say whether the features taken before this level can lead to anything better."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.stopped = True
            return False
        if self.nodes % TICK_EVERY == 0:
            self.ask()
        limit: cython.double = self.optimistic(self.since[level], self.k - level)
        return self.priced_value[level] + limit > self.cutoff + self.tolerance

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth_a_look(self, level: cython.int) -> cython.bint:
        """Whether the next feature of a level, or any after it, can be part of a better set."""
        i: cython.int = self.at[level]
        to_take: cython.int = self.k - level
        if self.stopped or i > self.n - to_take:
            return False
        rest: cython.double = self.prefix[i + to_take] - self.prefix[i]
        return self.priced_value[level] + rest > self.cutoff + self.tolerance

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop(self, level: cython.int) -> cython.void:
        """From here on the next feature of a level is out, and with it all that could only do worse in its place."""
        self.closed[self.kind[self.order[self.at[level]]]] += 1
        self.at[level] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, j: cython.int, sign: cython.int) -> cython.void:
        """Take a feature, or with sign -1 put it back."""
        for e in range(self.first[j], self.first[j + 1]):
            self.left[self.member[e]] -= sign * self.weight[e]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def extend(self) -> cython.void:
        """Choose features in turn, depth first; levels are in arrays, for a stack has less room."""
        level: cython.int = 0
        self.since[0] = self.at[0] = 0
        self.value[0] = 0.0
        self.priced_value[0] = self.constant()
        if not self.opens(0):
            return
        while True:
            if self.worth_a_look(level):
                j = self.order[self.at[level]]
                if self.closed[self.kind[j]] or not self.fits(j):
                    self.drop(level)
                    continue
                self.taken[level] = j
                self.value[level + 1] = self.value[level] + self.scores[j]
                if level + 1 == self.k:
                    self.keep(self.taken, self.value[self.k])
                    self.drop(level)
                    continue
                self.take(j, 1)
                self.since[level + 1] = self.at[level + 1] = self.at[level] + 1
                self.priced_value[level + 1] = self.priced_value[level] + self.priced[j]
                if self.opens(level + 1):
                    level += 1
                    continue
            else:
                for i in range(self.since[level], self.at[level]):
                    self.closed[self.kind[self.order[i]]] -= 1
                level -= 1
                if level < 0:
                    return
            self.take(self.taken[level], -1)
            self.drop(level)


def best_set(scores, first, member, kind, caps, k, to_beat, max_nodes, tolerance, tick, weights=None):
    """The best k positions under the caps.

    Parameters
    ----------
    scores : float64 array, descending
    first, member : int32 arrays
        Position j belongs to the caps ``member[first[j]:first[j + 1]]``.
    kind : int32 array
        Positions with the same number belong to the same caps, with the same weights.
    caps : int32 array
        How many positions of each cap may be taken, or what they may weigh together.
    k : int
        How many positions to take.
    to_beat : float
        Sets that are no better than this do not count; -inf if all do.
    max_nodes : int
        Stop after so many steps.
    tolerance : float
        Differences up to this do not count.
    tick : callable
        Called now and then; true means stop. It must not raise.
    weights : int32 array, default=None
        What each position weighs in each cap of ``member``, at least 1; None: always 1.

    Returns
    -------
    positions : int array, or None if no set was found
    bound : float
        No set is better; -inf if proven that there is none that counts.
    finished : bool
        Whether the search ran to its end.
    """
    search = BestSet(scores, first, member, kind, caps, k, to_beat, max_nodes, tolerance, tick, weights)
    search.run()
    return (search.chosen() if search.found else None), search.bound, not search.stopped
