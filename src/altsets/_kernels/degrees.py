# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: the degree-sequence bound on the summed quality of several sets.

Let c[i] be the number of features that lie in more than i of the A sets. Then the c[i] add up to A * k, and
sum_i i * c[i] counts the shared features of all pairs, which may not exceed a limit. Better features lie in more sets,
so the sum of qualities is at most sum_i S(c[i]) with S(c) the sum of the c best scores. This programme is solved
exactly: a price on shared features (found by bisection) gives a relaxation that decomposes, and a depth-first search
over c closes what little gap is left.
"""

import cython
import numpy as np

MAX_NODES = cython.declare(cython.long, 100_000)
TICK_EVERY = cython.declare(cython.long, 1_000_000)

# What is impossible costs this much, and is worth as much less than nothing.
INFINITY = cython.declare(cython.double, float("inf"))

# Each level needs room on the stack, of which a thread may have little, and plain Python has less: with more levels
# than these a search gives up at once.
MOST_LEVELS = cython.declare(cython.int, 3_000 if cython.compiled else 250)


@cython.final
@cython.cclass
class Degrees:
    """One programme; see :func:`degree_bound`."""

    scores = cython.declare(cython.double[::1])
    sums = cython.declare(cython.double[::1])
    tails = cython.declare(cython.double[:, ::1])
    counts = cython.declare(cython.int[::1])
    best_counts = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    total = cython.declare(cython.int)
    all_limit = cython.declare(cython.int)
    price = cython.declare(cython.double, visibility="readonly")
    best = cython.declare(cython.double, visibility="readonly")
    relaxed = cython.declare(cython.double, visibility="readonly")
    tolerance = cython.declare(cython.double)
    nodes = cython.declare(cython.long)
    work = cython.declare(cython.long)
    tick = cython.declare(object)
    floor = cython.declare(cython.double)
    kept = cython.declare(cython.int[:, ::1])
    values = cython.declare(cython.double[::1])
    n_kept = cython.declare(cython.int)
    max_kept = cython.declare(cython.int)
    found = cython.declare(cython.bint, visibility="readonly")
    exact = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, scores, n_sets, total, all_limit, tolerance, tick):
        self.tick = tick
        self.work = 0
        self.scores = scores
        self.n = len(scores)
        self.n_sets = n_sets
        self.total = total
        self.all_limit = all_limit
        self.tolerance = tolerance
        self.sums = _sums(scores)
        self.tails = np.zeros((n_sets + 1, total + 1))
        self.counts = np.zeros(n_sets, dtype=np.intc)
        self.best_counts = np.zeros(n_sets, dtype=np.intc)
        self.found = False
        self.exact = True
        self.nodes = 0
        self.best = -float("inf")
        self.relaxed = float("inf")
        self.n_kept = 0
        self.max_kept = 0

    def collect(self, weight_limit, floor, limit):
        """All vectors whose value exceeds the floor; None if there are more than ``limit``."""
        self.floor = floor
        self.max_kept = limit
        self.kept = np.zeros((limit, self.n_sets), dtype=np.intc)
        self.values = np.zeros(limit)
        self.run(weight_limit)
        if not self.exact:
            return None
        return np.asarray(self.kept)[: self.n_kept].copy(), np.asarray(self.values)[: self.n_kept].copy()

    def run(self, weight_limit):
        """Solve for one limit on the shared features."""
        limit: cython.double = weight_limit
        if self.total > cython.cast(cython.longlong, self.n) * self.n_sets or self.least_weight() > limit:
            return
        with cython.nogil:
            self.find_price(limit)
            if self.exact:
                self.fill_tails()
            if self.exact:
                self.relaxed = self.tails[0, self.total] + self.price * limit
            if self.n_sets > MOST_LEVELS:
                self.exact = False
            elif self.exact:
                self.descend(0, self.total, limit, 0.0, self.n)

    def best_vector(self):
        """The optimal c."""
        return np.asarray(self.best_counts).copy()

    @cython.cfunc
    def least_weight(self) -> cython.double:
        """The fewest shared features: degrees as equal as they can be."""
        full: cython.longlong = self.total // self.n
        rest: cython.longlong = self.total - full * self.n
        return self.n * full * (full - 1) / 2.0 + rest * full

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spend(self, amount: cython.int) -> cython.bint:
        """Count work that has been done; false if it is time to stop."""
        self.work += amount
        if self.work >= TICK_EVERY:
            self.work = 0
            with cython.gil:
                if self.tick():
                    self.exact = False
        return self.exact

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weight_at(self, price: cython.double) -> cython.double:
        """Shared features when the ``total`` best priced scores are taken, ties in favour of fewer."""
        weight: cython.double = 0.0
        for i in range(self.n_sets):
            self.counts[i] = 0
        for step in range(self.total):
            if not self.spend(self.n_sets):
                return weight
            chosen = self.best_level(0, price)
            if chosen < 0:
                break
            self.counts[chosen] += 1
            weight += chosen
        return weight

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def best_level(self, start: cython.int, price: cython.double) -> cython.int:
        """The level from ``start`` on where one more place has the best priced score; -1 if all are full."""
        chosen: cython.int = -1
        top: cython.double = -INFINITY
        for i in range(start, self.n_sets):
            if self.counts[i] < self.n:
                value = self.scores[self.counts[i]] - price * i
                if value > top:
                    top = value
                    chosen = i
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_price(self, limit: cython.double) -> cython.void:
        """The least price at which the limit is kept: there the relaxation is lowest."""
        low: cython.double = 0.0
        self.price = 0.0
        if self.weight_at(0.0) <= limit:
            return
        high = self.scores[0] - self.scores[self.n - 1] + self.tolerance
        for step in range(45):
            middle = (low + high) / 2
            if self.weight_at(middle) <= limit:
                high = middle
            else:
                low = middle
            if high - low <= 1e-13 * high or not self.exact:
                break
        self.price = high

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_tails(self) -> cython.void:
        """tails[i, t]: the best priced value of t places in the levels from i on."""
        for step in range(1, self.total + 1):
            self.tails[self.n_sets, step] = -INFINITY
        for start in range(self.n_sets):
            for i in range(self.n_sets):
                self.counts[i] = 0
            for step in range(1, self.total + 1):
                if not self.spend(self.n_sets - start):
                    return
                chosen = self.best_level(start, self.price)
                if chosen < 0:
                    self.tails[start, step] = -INFINITY
                else:
                    top = self.scores[self.counts[chosen]] - self.price * chosen
                    self.counts[chosen] += 1
                    self.tails[start, step] = self.tails[start, step - 1] + top
        for i in range(self.n_sets):
            self.counts[i] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def promise(
        self,
        level: cython.int,
        count: cython.int,
        left: cython.int,
        weight: cython.double,
        value: cython.double,
    ) -> cython.double:
        """An upper bound when ``count`` features are put at ``level``."""
        weight -= level * count
        if weight < 0:
            return -INFINITY
        return value + self.sums[count] + self.tails[level + 1, left - count] + self.price * weight

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self,
        level: cython.int,
        left: cython.int,
        weight: cython.double,
        value: cython.double,
        most: cython.int,
    ) -> cython.void:
        """Choose c[level], c[level + 1], ... in turn, each no larger than the one before."""
        if left == 0:
            if self.max_kept:
                if value <= self.floor:
                    return
                if self.n_kept == self.max_kept:
                    self.exact = False
                    return
                for i in range(self.n_sets):
                    self.kept[self.n_kept, i] = self.counts[i] if i < level else 0
                self.values[self.n_kept] = value
                self.n_kept += 1
            elif value > self.best or not self.found:
                self.found = True
                self.best = value
                for i in range(self.n_sets):
                    self.best_counts[i] = self.counts[i] if i < level else 0
            return
        self.nodes += 1
        if not self.spend(100):
            return
        if level == self.n_sets or self.nodes > MAX_NODES:
            if self.nodes > MAX_NODES:
                self.exact = False
            return
        high = min(most, left)
        if level == self.n_sets - 1:
            high = min(high, self.all_limit)
        low = (left + self.n_sets - level - 1) // (self.n_sets - level)
        if low > high:
            return
        # The promise is concave in the count, and hopeless beyond what the weight allows: go out from its peak.
        peak = low
        up = high
        while peak < up:
            count = (peak + up) // 2
            if self.promise(level, count + 1, left, weight, value) > self.promise(
                level, count, left, weight, value
            ):
                peak = count + 1
            else:
                up = count
        down = peak
        up = peak + 1
        while self.exact and (down >= low or up <= high):
            if up > high or (
                down >= low
                and self.promise(level, down, left, weight, value)
                >= self.promise(level, up, left, weight, value)
            ):
                count = down
                down -= 1
            else:
                count = up
                up += 1
            if self.max_kept:
                if self.promise(level, count, left, weight, value) <= self.floor:
                    return
            elif self.found and self.promise(level, count, left, weight, value) <= self.best + self.tolerance:
                return
            if weight < level * count:
                continue
            self.counts[level] = count
            self.descend(level + 1, left - count, weight - level * count, value + self.sums[count], count)


def _sums(scores):
    """The sums of the first scores, with what each addition loses added back (Neumaier)."""
    q: cython.double[::1] = scores
    sums = np.zeros(len(scores) + 1)
    out: cython.double[::1] = sums
    total: cython.double = 0.0
    lost: cython.double = 0.0
    for i in range(len(q)):
        raised = total + q[i]
        lost += (total - raised) + q[i] if abs(total) >= abs(q[i]) else (q[i] - raised) + total
        total = raised
        out[i + 1] = total + lost
    return sums


def degree_bound(scores, n_sets, total, weight_limit, all_limit, tolerance, tick=lambda: False):
    """Bound the summed quality of ``n_sets`` sets.

    Parameters
    ----------
    scores : float64 array, descending
    n_sets : int
    total : int
        Places in all sets together.
    weight_limit : int
        How many features all pairs of sets may share together.
    all_limit : int
        How many features may lie in all sets.
    tolerance : float
        Differences up to this do not count.
    tick : callable
        Called now and then; true means stop, and inf may be all that is known.

    Returns
    -------
    value : float
        No sets have a larger sum; -inf if proven that there are no such sets.
    counts : int array, or None
        A vector c that reaches the value; None if the value is only a bound.
    price : float
        Price of one shared feature at the relaxed optimum.
    relaxed : float
        The relaxed optimum, at that price.
    """
    programme = Degrees(scores, n_sets, total, all_limit, tolerance, tick)
    programme.run(weight_limit)
    if not programme.found:
        if programme.exact:
            return -float("inf"), None, 0.0, -float("inf")
        return programme.relaxed, None, programme.price, programme.relaxed
    if not programme.exact:
        return programme.relaxed, None, programme.price, programme.relaxed
    return programme.best, programme.best_vector(), programme.price, programme.relaxed


def degree_vectors(
    scores, n_sets, total, weight_limit, all_limit, tolerance, floor, limit, tick=lambda: False
):
    """All vectors c (as in :func:`degree_bound`) whose value exceeds ``floor``, best first, with their values.

    None if there are more than ``limit``, or if ``tick`` says stop.
    """
    programme = Degrees(scores, n_sets, total, all_limit, tolerance, tick)
    found = programme.collect(weight_limit, floor, limit)
    if found is None:
        return None
    vectors, values = found
    order = np.argsort(-values, kind="stable")
    return vectors[order], values[order]


def prefix_bound(scores, values, rooms, slack, tick=lambda: False):
    """Bound the worst of several sets that are partly filled.

    For any s of the sets, s times the worst is at most their values so far plus the degree-sequence bound (relaxed)
    on what they can still get; the s sets that have the least prospects are tried for each s.

    Parameters
    ----------
    scores : float64 array, descending
        Features still to be dealt out.
    values : float64 array
        Value of each set so far.
    rooms : int32 array
        Places left in each set.
    slack : int32 array of shape (n_sets, n_sets)
        How many more features each pair of sets may share.
    tick : callable
        True once time is up; then fewer of the sets are tried together, and the bound is weaker.

    Returns
    -------
    bound : float
        Very negative if there are too few features.
    needy : int array
        The sets that gave this bound.
    """
    q: cython.double[::1] = scores
    n: cython.int = len(scores)
    n_sets: cython.int = len(values)
    sums_array = _sums(scores)
    prospects = values + sums_array[np.minimum(rooms, n)]
    order_array = np.argsort(prospects, kind="stable").astype(np.intc)
    order: cython.int[::1] = order_array
    value: cython.double[::1] = values
    room: cython.int[::1] = rooms
    pair: cython.int[:, ::1] = slack
    counts: cython.int[::1] = np.zeros(n_sets, dtype=np.intc)
    best: cython.double = float("inf")
    best_size: cython.int = 0
    base: cython.double = 0.0
    total: cython.int = 0
    weight: cython.longlong = 0
    work: cython.longlong = 0
    late: cython.bint = False
    with cython.nogil:
        for s in range(n_sets):
            if work >= TICK_EVERY:
                work = 0
                with cython.gil:
                    late = tick()
                if late:
                    break
            base += value[order[s]]
            total += room[order[s]]
            for t in range(s):
                weight += cython.cast(cython.longlong, pair[order[s], order[t]])
            bound = (base + _relaxed(q, n, s + 1, total, weight, counts)) / (s + 1)
            work += cython.cast(cython.longlong, total) * (s + 1)
            if bound < best:
                best = bound
                best_size = s + 1
    return best, order_array[:best_size]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _priced(
    q: cython.double[::1],
    n: cython.int,
    n_sets: cython.int,
    total: cython.int,
    price: cython.double,
    counts: cython.int[::1],
) -> cython.double:
    """The ``total`` best priced places; leaves in ``counts`` how many features lie in more than i sets."""
    result: cython.double = 0.0
    for i in range(n_sets):
        counts[i] = 0
    for step in range(total):
        chosen = -1
        top = -INFINITY
        for i in range(n_sets):
            if counts[i] < n:
                value = q[counts[i]] - price * i
                if value > top:
                    top = value
                    chosen = i
            if counts[i] == 0:
                break
        if chosen < 0:
            return -INFINITY
        counts[chosen] += 1
        result += top
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _relaxed(
    q: cython.double[::1],
    n: cython.int,
    n_sets: cython.int,
    total: cython.int,
    weight: cython.longlong,
    counts: cython.int[::1],
) -> cython.double:
    """The relaxed degree-sequence bound: the price of a shared feature is found by bisection."""
    low: cython.double = 0.0
    full: cython.longlong
    price: cython.double = 0.0
    used: cython.longlong
    if total == 0:
        return 0.0
    if n == 0 or total > cython.cast(cython.longlong, n) * n_sets:
        return -INFINITY
    # Dealt out as evenly as possible, features are shared least.
    full = total // n
    if n * full * (full - 1) // 2 + (total - n * full) * full > weight:
        return -INFINITY
    best = INFINITY
    high = q[0] - q[n - 1]
    for step in range(24):
        value = _priced(q, n, n_sets, total, price, counts) + price * weight
        if value < best:
            best = value
        used = 0
        for i in range(n_sets):
            used += i * cython.cast(cython.longlong, counts[i])
        if used == weight or (used < weight and price == 0.0) or high - low <= 1e-9 * high:
            break
        if used > weight:
            low = price
        else:
            high = price
        price = (low + high) / 2 if step else high
    return best
