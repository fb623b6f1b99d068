# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: groups of features of which many sets have many.

Sets have weights. Looked for are groups of a size of which the sets that have at least so many features weigh as much
as possible. From each of some sets, the heaviest first, a group is made of features that go with it and improved by
exchanging one feature at a time. Sets that lack one or two features count a little, so that it is worth coming closer.
"""

import cython
import numpy as np

# What sets count that come close, for each feature up to so many below what is enough.
CREDIT = cython.declare(cython.double, 0.05)
CLOSE = cython.declare(cython.int, 3)


@cython.final
@cython.cclass
class HeavyCliques:
    """One kind of clique cut; see :func:`heavy_cliques`."""

    has = cython.declare(cython.uchar[:, ::1])
    weights = cython.declare(cython.double[::1])
    inside = cython.declare(cython.uchar[::1])
    count = cython.declare(cython.int[::1])
    close = cython.declare(cython.int[::1])
    worth_of = cython.declare(cython.double[::1])
    n = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    least = cython.declare(cython.int)

    def __init__(self, has, weights, least):
        self.has, self.weights, self.least = has, weights, least
        self.n_sets, self.n = self.has.shape[0], self.has.shape[1]
        self.inside = np.zeros(self.n, dtype=np.uint8)
        self.count = np.zeros(max(self.n_sets, 1), dtype=np.intc)
        self.close = np.zeros(max(self.n_sets, 1), dtype=np.intc)
        # What a set counts that has so many features of the group; one less and one more than there can be.
        counts = np.arange(-1, self.n + 2)
        worth = np.where(counts >= least, 1.0 + CREDIT * CLOSE, 0.0)
        close = (counts < least) & (counts > least - CLOSE)
        worth[close] = CREDIT * (counts[close] - (least - CLOSE))
        self.worth_of = worth

    def improve(self, members):
        """Exchange features until nothing is better; returns the features and what the sets weigh that have enough."""
        i: cython.int
        f: cython.int
        total: cython.double = 0.0
        for f in range(self.n):
            self.inside[f] = 0
        for f in members:
            self.inside[f] = 1
        for i in range(self.n_sets):
            self.count[i] = 0
            for f in range(self.n):
                self.count[i] += self.inside[f] & self.has[i, f]
        with cython.nogil:
            while self.exchange():
                pass
        for i in range(self.n_sets):
            if self.count[i] >= self.least:
                total += self.weights[i]
        return np.flatnonzero(np.asarray(self.inside)).tolist(), total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def exchange(self) -> cython.bint:
        """The best exchange, if it is better than none. Sets that have far less or more than enough do not change."""
        i: cython.int
        p: cython.int
        out: cython.int
        new: cython.int
        best_out: cython.int = -1
        best_new: cython.int = -1
        change: cython.double
        best: cython.double = 1e-9
        n_close: cython.int = 0
        for i in range(self.n_sets):
            if self.least - CLOSE <= self.count[i] <= self.least:
                self.close[n_close] = i
                n_close += 1
        for out in range(self.n):
            if not self.inside[out]:
                continue
            for new in range(self.n):
                if self.inside[new]:
                    continue
                change = 0.0
                for p in range(n_close):
                    i = self.close[p]
                    if self.has[i, out] != self.has[i, new]:
                        change += self.weights[i] * (
                            self.worth_of[self.count[i] - self.has[i, out] + self.has[i, new] + 1]
                            - self.worth_of[self.count[i] + 1]
                        )
                if change > best:
                    best, best_out, best_new = change, out, new
        if best_out < 0:
            return False
        self.inside[best_out], self.inside[best_new] = 0, 1
        for i in range(self.n_sets):
            self.count[i] += self.has[i, best_new]
            self.count[i] -= self.has[i, best_out]
        return True


def heavy_cliques(sets, weights, n, size, least, n_starts):
    """Groups of ``size`` out of n features, each with what the sets weigh that have at least ``least`` of them.

    Parameters
    ----------
    sets : int array
        One row of features for each set; n where there is none.
    weights : float array
    n, size, least : int
    n_starts : int
        How many sets groups are made of, at most.

    Returns
    -------
    list of (features, weight)
    """
    features = np.unique(sets[sets < n])
    if size > len(features):
        return []
    has = (sets[:, :, None] == features).any(axis=1).astype(np.uint8)
    search = HeavyCliques(has, np.ascontiguousarray(weights), least)
    found = {}
    for start in np.argsort(-weights, kind="stable")[:n_starts].tolist():
        shared = has.astype(np.intc) @ has[start]
        score = (weights * shared) @ has + has[start] * (1.0 + np.sum(weights) * np.max(shared))
        members, weight = search.improve(np.argsort(-score, kind="stable")[:size].tolist())
        found[tuple(features[members].tolist())] = weight
    return list(found.items())
