# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: pick compatible sets from a list by spending a budget of excesses.

Each listed set has a quality and an excess: by how much it falls short of what a bound would allow it to be. In a solution
that beats the best one known, the excesses add up to less than the bound leaves, so the sets are listed by excess and
the budget is spent depth-first. A better solution makes the budget smaller.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.altsets._kernels.bits import ones
else:

    def ones(x):
        """How many bits are set."""
        return int(x).bit_count()


TICK_EVERY = cython.declare(cython.long, 4096)


@cython.final
@cython.cclass
class Cliques:
    """One search; see :func:`pick`."""

    masks = cython.declare(cython.ulonglong[:, ::1])
    group = cython.declare(cython.int[::1])
    caps = cython.declare(cython.int[:, ::1])
    qualities = cython.declare(cython.double[::1])
    excess = cython.declare(cython.double[::1])
    room = cython.declare(cython.int[:, ::1])
    picked = cython.declare(cython.int[::1])
    best_picked = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    words = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    best = cython.declare(cython.double, visibility="readonly")
    ceiling = cython.declare(cython.double)
    budget = cython.declare(cython.double)
    share = cython.declare(cython.double)
    summing = cython.declare(cython.bint)
    tolerance = cython.declare(cython.double)
    nodes = cython.declare(cython.longlong, visibility="readonly")
    max_nodes = cython.declare(cython.longlong)
    next_tick = cython.declare(cython.longlong)
    found = cython.declare(cython.bint, visibility="readonly")
    stopped = cython.declare(cython.bint, visibility="readonly")
    compatible = cython.declare(object)
    tick = cython.declare(object)

    def __init__(self, items, caps, n_sets, best, ceiling, summing, tolerance, max_nodes, compatible, tick):
        self.masks, self.group, self.qualities, self.excess = items
        self.caps = caps
        self.n = len(self.qualities)
        self.words = self.masks.shape[1]
        self.n_sets = n_sets
        self.best = best
        self.ceiling = ceiling
        self.share = 1.0 if summing else float(n_sets)
        self.budget = ceiling - self.share * best
        self.summing = summing
        self.tolerance = tolerance
        self.max_nodes = max_nodes
        self.compatible = compatible
        self.tick = tick
        self.room = np.zeros((n_sets + 1, max(self.n, 1)), dtype=np.intc)
        self.picked = np.zeros(n_sets, dtype=np.intc)
        self.best_picked = np.zeros(n_sets, dtype=np.intc)

    def run(self):
        """Search to the end or until stopped."""
        i: cython.int
        for i in range(self.n):
            self.room[0, i] = i
        with cython.nogil:
            self.descend(0, self.n, 0.0, 0.0 if self.summing else 1e300)

    def chosen(self):
        """Numbers of the best sets."""
        return np.asarray(self.best_picked).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def goes_with(self, i: cython.int, j: cython.int) -> cython.bint:
        """Whether two listed sets may be picked together."""
        w: cython.int
        shared: cython.int = 0
        result: cython.bint
        cap: cython.int
        if self.compatible is not None:
            with cython.gil:
                result = self.compatible(i, j)
            return result
        cap = self.caps[self.group[i], self.group[j]]
        for w in range(self.words):
            shared += ones(self.masks[i, w] & self.masks[j, w])
        return shared <= cap

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spend_node(self) -> cython.bint:
        self.nodes += 1
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
    def descend(
        self, level: cython.int, count: cython.int, spent: cython.double, value: cython.double
    ) -> cython.void:
        """Pick one of the sets that are left, and go on."""
        p: cython.int
        q: cython.int
        i: cython.int
        m: cython.int
        left: cython.int = self.n_sets - level
        least: cython.double
        reached: cython.double
        if left == 0:
            self.found = True
            self.best = value
            self.budget = self.ceiling - self.share * value
            for p in range(self.n_sets):
                self.best_picked[p] = self.picked[p]
            return
        for p in range(count - left + 1):
            i = self.room[level, p]
            least = spent
            for q in range(p, p + left):
                least += self.excess[self.room[level, q]]
            if least >= self.budget - self.tolerance:
                return
            reached = value + self.qualities[i] if self.summing else min(value, self.qualities[i])
            if reached <= self.best + self.tolerance and (left == 1 or not self.summing):
                continue
            if self.spend_node():
                return
            self.picked[level] = i
            m = 0
            if left > 1:
                for q in range(p + 1, count):
                    if spent + self.excess[i] + self.excess[self.room[level, q]] >= self.budget:
                        break
                    if not self.summing and self.qualities[self.room[level, q]] <= self.best + self.tolerance:
                        continue
                    if self.goes_with(i, self.room[level, q]):
                        self.room[level + 1, m] = self.room[level, q]
                        m += 1
                self.nodes += (count - p) // 64
            self.descend(level + 1, m, spent + self.excess[i], reached)
            if self.stopped:
                return


def pick(items, caps, n_sets, best, ceiling, *, summing, tolerance, max_nodes, compatible=None, tick):
    """Pick ``n_sets`` compatible sets whose qualities have a sum, or a minimum, above ``best``.

    Parameters
    ----------
    items : tuple of arrays
        The listed sets by excess, least first: masks (uint64, one row of words for each set), groups by size (int32),
        qualities, excesses.
    caps : int32 matrix
        How many features sets of two groups may share.
    n_sets : int
    best : float
        The value to beat; -inf if there is none.
    ceiling : float
        The qualities of any solution add up to at most this, minus its excesses.
    summing : bool
        Sum or minimum.
    tolerance : float
    max_nodes : int
    compatible : callable, optional
        compatible(i, j) instead of masks and caps.
    tick : callable

    Returns
    -------
    chosen : int array, or None if nothing better was found
    finished : bool
        Whether the search was exhaustive.
    """
    search = Cliques(items, caps, n_sets, best, ceiling, summing, tolerance, max_nodes, compatible, tick)
    search.run()
    return (search.chosen() if search.found else None), not search.stopped
