# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: local search by exchanging features between sets, to make sets valid and to make them better.

``deal``: given how many sets each feature lies in, find sets in which each pair shares at most so many features. The
exchanges keep all degrees and sizes: feature x moves from set s to set t, and y from t to s.

``anneal``: lift the worst of several sets, or their sum. The moves exchange a feature of one set for a feature outside
it, swap features between two sets, or let two features trade places everywhere. What is minimised is the summed
shortfall of the sets below a target, or what the sum lacks, plus a price for each feature shared above a limit: an
infinite one keeps valid sets valid, a finite one lets a walk cross what is not valid.

The walks are seeded and so always the same.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 1024)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _random(state: cython.longlong[::1], below: cython.int) -> cython.int:
    """A number below ``below``, from the minimal standard generator: plain Python gets the same numbers."""
    state[0] = state[0] * 16807 % 2147483647
    return cython.cast(cython.int, state[0] % below)


def deal(degrees, n_sets, size, fixed, fixed_caps, cap, max_steps, seed, tick):
    """Find sets with these degrees.

    Parameters
    ----------
    degrees : int32 array
        How many sets each feature lies in; they add up to ``n_sets * size``.
    n_sets, size : int
    fixed : uint8 array of shape (n_fixed, n_features)
        Given sets that the new ones must differ from.
    fixed_caps : int32 array
        How many features a new set may share with each of them.
    cap : int
        How many features two new sets may share.
    max_steps : int
        Exchanges to try.
    seed : int
    tick : callable
        Called now and then; true means stop.

    Returns
    -------
    uint8 array of shape (n_sets, n_features), or None if no such sets were found (they may exist)
    """
    n: cython.int = len(degrees)
    a: cython.int = n_sets
    f: cython.int = len(fixed_caps)
    rows: cython.int = a + f
    degree: cython.int[::1] = np.ascontiguousarray(degrees, dtype=np.intc)
    member_array = np.zeros((rows, max(n, 1)), dtype=np.uint8)
    if f:
        member_array[a:] = fixed
    member: cython.uchar[:, ::1] = member_array
    limits_array = np.full((rows, rows), cap, dtype=np.intc)
    limits_array[:, a:] = fixed_caps
    limits: cython.int[:, ::1] = limits_array
    room: cython.int[::1] = np.full(a, size, dtype=np.intc)
    shared: cython.int[:, ::1]
    state: cython.longlong[::1] = np.array([(seed + 1) * 48271 % 2147483647], dtype=np.int64)
    steps: cython.long = max_steps
    excess: cython.long = 0
    change: cython.long
    patience: cython.long = 0
    for j in range(n):
        for i in range(degree[j]):
            best = -1
            offset = _random(state, a)
            for h in range(a):
                s = (h + offset) % a
                if member[s, j] == 0 and room[s] > 0 and (best < 0 or room[s] > room[best]):
                    best = s
            if best < 0:
                return None
            member[best, j] = 1
            room[best] -= 1
    # As a product of matrices, which many sets need; single precision counts exactly up to 16 million. On some
    # processors the product sets off alarms (division by zero) that mean nothing.
    counted = member_array.astype(np.float32)
    with np.errstate(all="ignore"):
        shared = np.ascontiguousarray(counted @ counted.T, dtype=np.intc)
    for s in range(a):
        shared[s, s] = 0
        for t in range(s + 1, rows):
            excess += max(0, shared[s, t] - limits[s, t])
    for step in range(steps):
        if excess == 0:
            return member_array[:a]
        if (step + 1) % TICK_EVERY == 0 and tick():
            return None
        if a == 1:
            return None
        s = _random(state, a)
        t = _random(state, a - 1)
        if t >= s:
            t += 1
        x = _pick(member, s, t, n, state)
        if x < 0:
            continue
        y = _pick(member, t, s, n, state)
        if y < 0:
            continue
        change = 0
        for h in range(rows):
            if h != s and h != t and member[h, x] != member[h, y]:
                before = max(0, shared[s, h] - limits[s, h]) + max(0, shared[t, h] - limits[t, h])
                if member[h, x]:
                    after = max(0, shared[s, h] - 1 - limits[s, h]) + max(0, shared[t, h] + 1 - limits[t, h])
                else:
                    after = max(0, shared[s, h] + 1 - limits[s, h]) + max(0, shared[t, h] - 1 - limits[t, h])
                change += after - before
        # Uphill steps now and then: more readily the longer nothing has improved.
        if change > 0:
            patience += 1
            if _random(state, 1000) >= 6 + 30 * (patience % 2000 > 1900) or change > 2:
                continue
        elif change < 0:
            patience = 0
        for h in range(rows):
            if h != s and h != t and member[h, x] != member[h, y]:
                before = 1 if member[h, x] else -1
                shared[s, h] -= before
                shared[t, h] += before
                shared[h, s] = shared[s, h]
                shared[h, t] = shared[t, h]
        member[s, x] = 0
        member[t, x] = 1
        member[s, y] = 1
        member[t, y] = 0
        excess += change
    return member_array[:a] if excess == 0 else None


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pick(
    member: cython.uchar[:, ::1], s: cython.int, t: cython.int, n: cython.int, state: cython.longlong[::1]
) -> cython.int:
    """A random feature that lies in set s and not in set t; -1 if there is none."""
    start: cython.int = _random(state, n)
    for tries in range(n):
        j = start + tries
        if j >= n:
            j -= n
        if member[s, j] and not member[t, j]:
            return j
    return -1


@cython.final
@cython.cclass
class Walk:
    """One walk; see :func:`anneal`."""

    scores = cython.declare(cython.double[::1])
    member = cython.declare(cython.uchar[:, ::1])
    inside = cython.declare(cython.int[:, ::1])
    shared = cython.declare(cython.int[:, ::1])
    limits = cython.declare(cython.int[:, ::1])
    pairs = cython.declare(cython.double[:, ::1])
    load = cython.declare(cython.double[:, ::1])
    change = cython.declare(cython.double[::1])
    has_pairs = cython.declare(cython.bint)
    summing = cython.declare(cython.bint)
    quality = cython.declare(cython.double[::1])
    state = cython.declare(cython.longlong[::1])
    best_inside = cython.declare(cython.int[:, ::1])
    n = cython.declare(cython.int)
    k = cython.declare(cython.int)
    n_sets = cython.declare(cython.int)
    rows = cython.declare(cython.int)
    target = cython.declare(cython.double)
    excess = cython.declare(cython.long)
    price = cython.declare(cython.double)
    trades = cython.declare(cython.int)
    replaces = cython.declare(cython.int)
    best = cython.declare(cython.double, visibility="readonly")

    def __init__(self, scores, pairs, members, fixed, fixed_caps, cap, summing, target, seed):
        self.scores = scores
        self.has_pairs = pairs is not None
        self.pairs = pairs if self.has_pairs else np.zeros((1, 1))
        self.summing = summing
        self.n_sets, self.n = members.shape
        self.rows = self.n_sets + len(fixed_caps)
        self.member = np.ascontiguousarray(np.vstack([members, fixed]).astype(np.uint8))
        self.k = int(members[0].sum())
        self.inside = np.array([np.flatnonzero(row) for row in members], dtype=np.intc)
        self.best_inside = np.asarray(self.inside).copy()
        counts = np.asarray(self.member).astype(np.intc)
        self.shared = np.ascontiguousarray(counts @ counts.T)
        limits = np.full((self.rows, self.rows), cap, dtype=np.intc)
        limits[:, self.n_sets :] = fixed_caps
        self.limits = limits
        # Sums and no products of matrices, which round otherwise on other processors: walks are the same everywhere.
        inside = np.asarray(self.inside)
        quality = np.sum(np.asarray(scores)[inside], axis=1)
        self.load = np.zeros((1, 1))
        if self.has_pairs:
            # What each feature would cost a set, or does cost it, with the features that are there.
            load = np.array([np.sum(np.asarray(pairs)[row], axis=0) for row in inside])
            quality = quality - np.sum(np.take_along_axis(load, inside, axis=1), axis=1) / 2
            self.load = load
        self.quality = quality
        self.change = np.zeros(self.n_sets)
        above = np.triu(np.maximum(np.asarray(self.shared) - limits, 0), 1)
        self.excess = int(np.sum(above[: self.n_sets]))
        self.best = -float("inf")
        if self.excess == 0:
            self.best = float(np.sum(quality) if summing else np.min(quality))
        self.target = target
        self.state = np.array([(seed + 1) * 48271 % 2147483647], dtype=np.int64)

    def run(self, steps, temperatures, prices, tick):
        """Anneal from the first to the last temperature (geometrically) and price (linearly) over so many steps."""
        (hot, cold), (cheap, dear) = temperatures, prices
        total: cython.long = steps
        temperature: cython.double = hot
        factor: cython.double = (cold / hot) ** (256.0 / max(steps, 256))
        rise: cython.double = 0.0 if cheap == dear else (dear - cheap) * 256.0 / max(steps, 256)
        self.price = cheap
        # What cannot leave the valid sets moves between them by swaps.
        self.trades, self.replaces = (6, 13) if cheap < float("inf") else (4, 8)
        stop: cython.bint = False
        with cython.nogil:
            for step in range(total):
                if step % 256 == 255:
                    temperature *= factor
                    self.price += rise
                if step % TICK_EVERY == TICK_EVERY - 1:
                    with cython.gil:
                        if tick():
                            stop = True
                if stop or self.best >= self.target:
                    break
                self.step(temperature)

    def result(self):
        """Positions in each of the best sets."""
        return np.asarray(self.best_inside).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def accept(self, change: cython.double, more: cython.int, temperature: cython.double) -> cython.bint:
        """Always downhill; uphill with a chance that falls off with the height (a rational stand-in for exp).

        ``more`` features would be shared above the limits.
        """
        if more != 0:
            change += self.price * more
        if change <= 0:
            return True
        x = change / temperature
        if x > 12:
            return False
        return _random(self.state, 1_000_000) * (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)))) < 1_000_000

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shortfall(self, quality: cython.double) -> cython.double:
        """What is to be small, for one set."""
        if self.summing:
            return -quality
        return self.target - quality if quality < self.target else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gain(self, s: cython.int, x: cython.int, y: cython.int) -> cython.double:
        """By how much a set gets better with y in the place of x."""
        if not self.has_pairs:
            return self.scores[y] - self.scores[x]
        return self.scores[y] - self.scores[x] - (self.load[s, y] - self.load[s, x] - self.pairs[x, y])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, s: cython.int, x: cython.int, y: cython.int, change: cython.double) -> cython.void:
        """Put y in the place of x."""
        self.member[s, x] = 0
        self.member[s, y] = 1
        self.quality[s] += change
        if self.has_pairs:
            for j in range(self.n):
                self.load[s, j] += self.pairs[y, j] - self.pairs[x, j]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def step(self, temperature: cython.double) -> cython.void:
        s: cython.int = _random(self.state, self.n_sets)
        i: cython.int = _random(self.state, self.k)
        x: cython.int = self.inside[s, i]
        kind: cython.int = _random(self.state, 16)
        if kind < self.replaces or self.n_sets == 1:
            y = _random(self.state, self.n)
            if self.member[s, y]:
                return
            if kind < self.trades and self.n_sets > 1:
                self.try_trade(x, y, temperature)
            else:
                self.try_replace(s, i, x, y, temperature)
            return
        t = _random(self.state, self.n_sets - 1)
        if t >= s:
            t += 1
        j = _random(self.state, self.k)
        y = self.inside[t, j]
        if self.member[t, x] or self.member[s, y]:
            return
        self.try_swap(s, i, x, t, j, y, temperature)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def more_shared(self, s: cython.int, x: cython.int, y: cython.int, t: cython.int) -> cython.int:
        """How much more a set shares above the limits with y in the place of x, set t left aside."""
        more: cython.int = 0
        for h in range(self.rows):
            if h != s and h != t and self.member[h, x] != self.member[h, y]:
                if self.member[h, y]:
                    more += self.shared[s, h] >= self.limits[s, h]
                else:
                    more -= self.shared[s, h] > self.limits[s, h]
        return more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_replace(
        self, s: cython.int, i: cython.int, x: cython.int, y: cython.int, temperature: cython.double
    ) -> cython.void:
        change: cython.double = self.gain(s, x, y)
        risen: cython.double = self.shortfall(self.quality[s] + change) - self.shortfall(self.quality[s])
        more: cython.int = self.more_shared(s, x, y, s)
        if not self.accept(risen, more, temperature):
            return
        self.excess += more
        for h in range(self.rows):
            if h != s:
                self.shared[s, h] += self.member[h, y]
                self.shared[s, h] -= self.member[h, x]
                self.shared[h, s] = self.shared[s, h]
        self.put(s, x, y, change)
        self.inside[s, i] = y
        self.keep()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_trade(self, x: cython.int, y: cython.int, temperature: cython.double) -> cython.void:
        """Let two features trade places in all sets: no two sets share more or less than before."""
        risen: cython.double = 0.0
        for s in range(self.n_sets):
            if self.member[s, x] != self.member[s, y]:
                self.change[s] = self.gain(s, x, y) if self.member[s, x] else self.gain(s, y, x)
                risen += self.shortfall(self.quality[s] + self.change[s]) - self.shortfall(self.quality[s])
        more: cython.int = 0
        for h in range(self.n_sets, self.rows):
            if self.member[h, x] == self.member[h, y]:
                continue
            for s in range(self.n_sets):
                if self.member[s, x] != self.member[s, y]:
                    # The set gets the one of the two that lies in the given set, or loses it.
                    if self.member[s, x] != self.member[h, x]:
                        more += self.shared[s, h] >= self.limits[s, h]
                    else:
                        more -= self.shared[s, h] > self.limits[s, h]
        if not self.accept(risen, more, temperature):
            return
        self.excess += more
        for s in range(self.n_sets):
            if self.member[s, x] == self.member[s, y]:
                continue
            for h in range(self.n_sets, self.rows):
                if self.member[h, x] != self.member[h, y]:
                    self.shared[s, h] += 1 if self.member[s, x] != self.member[h, x] else -1
                    self.shared[h, s] = self.shared[s, h]
            for i in range(self.k):
                if self.inside[s, i] == x or self.inside[s, i] == y:
                    self.inside[s, i] = y if self.member[s, x] else x
                    break
            if self.member[s, x]:
                self.put(s, x, y, self.change[s])
            else:
                self.put(s, y, x, self.change[s])
        self.keep()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_swap(
        self,
        s: cython.int,
        i: cython.int,
        x: cython.int,
        t: cython.int,
        j: cython.int,
        y: cython.int,
        temperature: cython.double,
    ) -> cython.void:
        first: cython.double = self.gain(s, x, y)
        second: cython.double = self.gain(t, y, x)
        before: cython.double = self.shortfall(self.quality[s]) + self.shortfall(self.quality[t])
        after: cython.double = self.shortfall(self.quality[s] + first) + self.shortfall(
            self.quality[t] + second
        )
        more: cython.int = self.more_shared(s, x, y, t)
        more += self.more_shared(t, y, x, s)
        if not self.accept(after - before, more, temperature):
            return
        self.excess += more
        for h in range(self.rows):
            if h != s and h != t:
                self.shared[s, h] += self.member[h, y]
                self.shared[s, h] -= self.member[h, x]
                self.shared[t, h] += self.member[h, x]
                self.shared[t, h] -= self.member[h, y]
                self.shared[h, s] = self.shared[s, h]
                self.shared[h, t] = self.shared[t, h]
        self.put(s, x, y, first)
        self.put(t, y, x, second)
        self.inside[s, i] = y
        self.inside[t, j] = x
        self.keep()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep(self) -> cython.void:
        value: cython.double = self.quality[0]
        if self.excess > 0:
            return
        for s in range(1, self.n_sets):
            if self.summing:
                value += self.quality[s]
            elif self.quality[s] < value:
                value = self.quality[s]
        if value > self.best:
            self.best = value
            for s in range(self.n_sets):
                for i in range(self.k):
                    self.best_inside[s, i] = self.inside[s, i]


def anneal(
    scores,
    members,
    fixed,
    fixed_caps,
    cap,
    target,
    steps,
    seed,
    tick,
    *,
    temperatures,
    prices=(float("inf"), float("inf")),
    pairs=None,
    summing=False,
):
    """Lift the worst quality of some sets, or their sum, towards a target.

    Parameters
    ----------
    scores : float64 array
    members : uint8 array of shape (n_sets, n_features)
        Sets to start from, all of one size; valid ones where prices are infinite.
    fixed, fixed_caps : arrays
        Given sets, and how many features a new set may share with each.
    cap : int
        How many features two new sets may share.
    target : float
        What every set should reach, or all together.
    steps, seed : int
    tick : callable
    temperatures : (float, float)
        The first and the last one: the harm that a step may do.
    prices : (float, float)
        What each feature shared above a limit costs, at first and at last.
    pairs : float64 array of shape (n_features, n_features), optional
        What each pair of features takes off a set; symmetric, with a zero diagonal.
    summing : bool
        Whether the sum counts and not the worst set.

    Returns
    -------
    int array of shape (n_sets, k), or None if no valid sets were found
        Positions in each set.
    """
    walk = Walk(scores, pairs, members, fixed, fixed_caps, cap, summing, target, seed)
    if walk.best < target:
        walk.run(steps, temperatures, prices, tick)
    return walk.result() if walk.best > -float("inf") else None
