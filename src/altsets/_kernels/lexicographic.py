# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: the next set of positions, in lexicographic order, that keeps to overlap caps.

The paper's Greedy Depth Search visits all sets in this order and keeps the valid ones. Here a prefix that already
breaks a cap is left at once, which skips invalid sets and changes no result.
"""

import cython
import numpy as np

TICK_EVERY = cython.declare(cython.long, 16384)


@cython.cfunc
@cython.exceptval(check=False)
def _kept(left: cython.int[::1]) -> cython.bint:
    for c in range(left.shape[0]):
        if left[c] < 0:
            return False
    return True


def next_set(n, first, member, caps, positions, fresh, tick):
    """Advance ``positions`` in place to the next valid set.

    Parameters
    ----------
    n : int
        Positions run from 0 to n - 1.
    first, member : int32 arrays
        Position j belongs to the caps ``member[first[j]:first[j + 1]]``.
    caps : int32 array
        How many positions of each cap a set may hold.
    positions : int64 array
        The current set, ascending; overwritten.
    fresh : bool
        Begin with the very first set instead of with the one after ``positions``.
    tick : callable
        Called now and then; true means stop.

    Returns
    -------
    int
        1 if there is a next set, 0 if there is none, -1 if stopped.
    """
    total: cython.long = n
    starts: cython.int[::1] = first
    belongs: cython.int[::1] = member
    chosen: cython.longlong[::1] = positions
    left: cython.int[::1] = np.array(caps, dtype=np.intc)
    k: cython.int = len(positions)
    steps: cython.long = 0
    if fresh:
        level = 0
        at = 0
    else:
        for level in range(k - 1):
            at = chosen[level]
            for e in range(starts[at], starts[at + 1]):
                left[belongs[e]] -= 1
        level = k - 1
        at = chosen[level] + 1
        # The set itself became a cap after it was found, so its own beginning may break caps by now.
        while level > 0 and not _kept(left):
            level -= 1
            at = chosen[level]
            for e in range(starts[at], starts[at + 1]):
                left[belongs[e]] += 1
            at += 1
    while True:
        steps += 1
        if steps % TICK_EVERY == 0 and tick():
            return -1
        if at > total - k + level:
            level -= 1
            if level < 0:
                return 0
            at = chosen[level]
            for e in range(starts[at], starts[at + 1]):
                left[belongs[e]] += 1
            at += 1
            continue
        fits = True
        for e in range(starts[at], starts[at + 1]):
            if left[belongs[e]] <= 0:
                fits = False
                break
        if not fits:
            at += 1
            continue
        chosen[level] = at
        if level == k - 1:
            return 1
        for e in range(starts[at], starts[at + 1]):
            left[belongs[e]] -= 1
        level += 1
        at += 1
