# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: can features with given degrees be arranged in sets, with no pair of sets sharing too much? Exactly.

Depth-first over the features, largest degree first; each gets the collection of sets it lies in, as a bit pattern.
Both symmetries are broken at once: among arrangements that differ only by swapping sets, or features of equal degree,
the lexicographically largest has non-increasing patterns within a degree, and takes the lower-numbered of two sets
that are equal so far. Features that lie in one set only never matter: they fill what room is left.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 1024)


@cython.final
@cython.cclass
class Arrangement:
    """One search; see :func:`arrange`."""

    degrees = cython.declare(cython.int[::1])
    patterns = cython.declare(cython.int[::1])
    room = cython.declare(cython.int[::1])
    slack = cython.declare(cython.int[:, ::1])
    differs = cython.declare(cython.int[::1])
    left = cython.declare(cython.int[::1])
    sharing = cython.declare(cython.int[::1])
    spare = cython.declare(cython.int)
    singles = cython.declare(cython.int)
    n = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    nodes = cython.declare(cython.long)
    max_nodes = cython.declare(cython.long)
    waiting = cython.declare(cython.int[:, ::1])
    n_waiting = cython.declare(cython.int)
    found = cython.declare(cython.bint)
    gave_up = cython.declare(cython.bint)
    tick = cython.declare(object)

    def __init__(self, degrees, n_sets, size, cap, max_nodes, tick):
        self.degrees = degrees
        self.n = len(degrees)
        self.n_sets = n_sets
        self.patterns = np.zeros(max(self.n, 1), dtype=np.intc)
        # Of each feature that is being decided, a choice may wait for each set, and the pattern to be taken back.
        self.waiting = np.zeros((self.n * (n_sets + 2) + 1, 5), dtype=np.intc)
        self.n_waiting = 0
        self.room = np.full(n_sets, size, dtype=np.intc)
        self.slack = np.full((n_sets, n_sets), cap, dtype=np.intc)
        self.differs = np.zeros(n_sets, dtype=np.intc)
        # What each set may still share, what the features before j make each of their sets share, and what all sets
        # together may share beyond what all features make them share.
        self.left = np.full(n_sets, cap * (n_sets - 1), dtype=np.intc)
        self.sharing = np.concatenate([[0], np.cumsum(degrees - 1)]).astype(np.intc)
        self.spare = cap * n_sets * (n_sets - 1) - int(np.sum(degrees * (degrees - 1)))
        self.singles = n_sets * size - int(np.sum(degrees))
        self.max_nodes = max_nodes
        self.nodes = 0
        self.found = False
        self.gave_up = False
        self.tick = tick

    def run(self):
        """Search; leaves the patterns behind if ``found``."""
        if self.spare >= 0:
            with cython.nogil:
                self.search()

    def result(self):
        """The pattern of each feature."""
        return np.asarray(self.patterns)[: self.n].copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(
        self, j: cython.int, s: cython.int, pattern: cython.int, to_take: cython.int, tied: cython.int
    ) -> cython.void:
        """Leave something to be done later, last in, first out."""
        self.waiting[self.n_waiting, 0] = j
        self.waiting[self.n_waiting, 1] = s
        self.waiting[self.n_waiting, 2] = pattern
        self.waiting[self.n_waiting, 3] = to_take
        self.waiting[self.n_waiting, 4] = tied
        self.n_waiting += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search(self) -> cython.void:
        """Give the features patterns in turn. What waits is in an array: a stack has less room."""
        if self.n == 0:
            self.found = True
            return
        self.push(0, 0, 0, self.degrees[0], 0)
        while self.n_waiting > 0 and not (self.found or self.gave_up):
            self.n_waiting -= 1
            j = self.waiting[self.n_waiting, 0]
            s = self.waiting[self.n_waiting, 1]
            pattern = self.waiting[self.n_waiting, 2]
            to_take = self.waiting[self.n_waiting, 3]
            tied = self.waiting[self.n_waiting, 4]
            if to_take < 0:
                # All that could come after this pattern has been tried.
                self.apply(pattern, self.degrees[j] - 1, -1)
            elif to_take == 0:
                self.place(j, pattern)
            elif self.n_sets - s >= to_take:
                self.choose(j, s, pattern, to_take, tied)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, j: cython.int, pattern: cython.int) -> cython.void:
        """Give feature j its pattern, and go on to the next feature."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            self.gave_up = True
            return
        if self.nodes % TICK_EVERY == 0:
            with cython.gil:
                if self.tick():
                    self.gave_up = True
                    return
        self.patterns[j] = pattern
        self.apply(pattern, self.degrees[j] - 1, 1)
        if not (self.enough_room(j + 1) and self.enough_to_share(j + 1)):
            self.apply(pattern, self.degrees[j] - 1, -1)
        elif j + 1 == self.n:
            self.found = True
        else:
            self.push(j, 0, pattern, -1, 0)
            self.push(j + 1, 0, 0, self.degrees[j + 1], self.degrees[j] == self.degrees[j + 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(
        self, j: cython.int, s: cython.int, pattern: cython.int, to_take: cython.int, tied: cython.int
    ) -> cython.void:
        """Decide whether set s holds feature j, set by set; ``tied``: equal to the pattern before so far."""
        before: cython.int = 1
        allowed: cython.bint
        if tied:
            before = (self.patterns[j - 1] >> s) & 1
        self.push(j, s + 1, pattern, to_take, tied and not before)
        if before:
            allowed = self.room[s] > 0
            if allowed and s > 0 and self.differs[s] == 0 and not (pattern >> (s - 1)) & 1:
                allowed = False
            if allowed:
                for t in range(s):
                    if (pattern >> t) & 1 and self.slack[s, t] <= 0:
                        allowed = False
                        break
            if allowed:
                self.push(j, s + 1, pattern | (1 << s), to_take - 1, tied)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def apply(self, pattern: cython.int, others: cython.int, sign: cython.int) -> cython.void:
        """Put a feature in the sets of a pattern, each with so many ``others``; with sign -1 take it out again."""
        for s in range(self.n_sets):
            if (pattern >> s) & 1:
                self.room[s] -= sign
                self.left[s] -= sign * others
                for t in range(self.n_sets):
                    if t != s and (pattern >> t) & 1:
                        self.slack[s, t] -= sign
            # In how many features a set differs from the one before it; none means that the two are equal so far.
            if s > 0 and ((pattern >> s) ^ (pattern >> (s - 1))) & 1:
                self.differs[s] += sign

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enough_room(self, j: cython.int) -> cython.bint:
        """Whether the features from j on fit into the places left, counting places alone."""
        open_sets: cython.int = 0
        places: cython.int = 0
        needed: cython.int = 0
        for s in range(self.n_sets):
            if self.room[s] > 0:
                open_sets += 1
                places += min(self.room[s], self.n - j)
        for i in range(j, self.n):
            needed += self.degrees[i]
            if self.degrees[i] > open_sets:
                return False
        return needed <= places

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enough_to_share(self, j: cython.int) -> cython.bint:
        """Whether each set can still share what the features from j on make it share, neither too much nor too little.

        A feature of degree d makes each of its sets share d - 1 features with others. Whatever a set cannot use of
        what it may share is lost, and only so much can be lost in all.
        """
        for s in range(self.n_sets):
            least = max(self.room[s] - self.singles, 0)
            most = min(self.room[s], self.n - j)
            if least > most or self.sharing[self.n] - self.sharing[self.n - least] > self.left[s]:
                return False
            if self.left[s] - (self.sharing[j + most] - self.sharing[j]) > self.spare:
                return False
        return True


def arrange(degrees, n_sets, size, cap, max_nodes, tick):
    """Arrange features of degree two or more.

    Parameters
    ----------
    degrees : int32 array, descending, each at least 2
    n_sets, size, cap : int
        Sets, features in each, and features that two of them may share.
    max_nodes : int
        Give up after so many steps.
    tick : callable
        Called now and then; true means stop.

    Returns
    -------
    answer : int
        1 if arranged, 0 if proven impossible, -1 if given up.
    patterns : int array
        For each feature the sets it lies in, as bits.
    """
    search = Arrangement(np.ascontiguousarray(degrees, dtype=np.intc), n_sets, size, cap, max_nodes, tick)
    search.run()
    if search.found:
        return 1, search.result()
    return (-1 if search.gave_up else 0), search.result()
