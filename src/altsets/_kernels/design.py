# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: deal features out to sets so that no pair of sets shares too much.

Given how many sets each feature lies in, find sets of equal size in which each pair shares at most so many features.
Local search over the exchanges that keep all degrees and sizes: feature x moves from set s to set t, and y from t to
s. The walk is seeded and so always the same.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 16384)


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
    shared: cython.int[:, ::1] = np.zeros((rows, rows), dtype=np.intc)
    state: cython.longlong[::1] = np.array([(seed + 1) * 48271 % 2147483647], dtype=np.int64)
    steps: cython.long = max_steps
    step: cython.long
    i: cython.int
    j: cython.int
    s: cython.int
    t: cython.int
    h: cython.int
    x: cython.int
    y: cython.int
    best: cython.int
    offset: cython.int
    excess: cython.long = 0
    change: cython.long
    before: cython.int
    after: cython.int
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
    for s in range(a):
        for t in range(rows):
            if s != t:
                for j in range(n):
                    shared[s, t] += member[s, j] & member[t, j]
                if t > s:
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
    tries: cython.int
    j: cython.int
    start: cython.int = _random(state, n)
    for tries in range(n):
        j = start + tries
        if j >= n:
            j -= n
        if member[s, j] and not member[t, j]:
            return j
    return -1
