# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: all sets of k features whose summed score lies in a window, by meeting in the middle.

Equal scores are interchangeable, so sets are listed by how many features they take of each class of equal scores; the
first ones of the class stand for all. The features are split into two halves; the half sets of each size are listed
and sorted by their sum once, and each window is then one sweep over pairs of lists. Sets are 64-bit masks.
"""

import cython
import numpy as np


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    scores: cython.double[::1],
    first: cython.int[::1],
    klass: cython.int,
    last: cython.int,
    size: cython.int,
    k: cython.int,
    mask: cython.ulonglong,
    total: cython.double,
    at: cython.longlong[::1],
    masks: cython.ulonglong[::1],
    sums: cython.double[::1],
) -> cython.void:
    """List every way to take at most k features from the classes ``klass`` to ``last - 1``."""
    count: cython.int
    position: cython.int
    if klass == last:
        masks[at[size]] = mask
        sums[at[size]] = total
        at[size] += 1
        return
    _fill(scores, first, klass + 1, last, size, k, mask, total, at, masks, sums)
    count = size
    for position in range(first[klass], first[klass + 1]):
        count += 1
        if count > k:
            return
        mask = mask | (cython.cast(cython.ulonglong, 1) << position)
        total += scores[position]
        _fill(scores, first, klass + 1, last, count, k, mask, total, at, masks, sums)


def _sizes(first, k):
    """How many ways there are to take t features from the classes before c, for every c and t up to k."""
    bounds: cython.int[::1] = first
    n: cython.int = len(first) - 1
    size: cython.int = k
    ways_array = np.zeros((n + 1, k + 1))
    ways: cython.double[:, ::1] = ways_array
    c: cython.int
    t: cython.int
    taken: cython.int
    ways[0, 0] = 1.0
    for c in range(n):
        for taken in range(min(bounds[c + 1] - bounds[c], size) + 1):
            for t in range(taken, size + 1):
                ways[c + 1, t] += ways[c, t - taken]
    return ways_array


def _halves(first, k):
    """Where to cut the classes in two so that the lists are shortest, and how long they are then in all."""
    left = _sizes(first, k).sum(axis=1)
    mirrored = np.ascontiguousarray((first[len(first) - 1] - first)[::-1])
    right = _sizes(mirrored, k).sum(axis=1)[::-1]
    split = int(np.argmin(left + right))
    return split, float(left[split] + right[split])


def list_cost(first, k):
    """How many half sets the lists of :class:`Windows` would hold."""
    return _halves(np.asarray(first), k)[1]


@cython.final
@cython.cclass
class Windows:
    """The sorted half sets of one list of scores.

    Parameters
    ----------
    scores : float64 array, descending, at most 64 long
    first : int32 array
        Class c of equal scores is ``first[c]:first[c + 1]``.
    k : int
        Features in a set.
    """

    k = cython.declare(cython.int)
    left_masks = cython.declare(cython.ulonglong[::1])
    left_sums = cython.declare(cython.double[::1])
    left_start = cython.declare(cython.longlong[::1])
    right_masks = cython.declare(cython.ulonglong[::1])
    right_sums = cython.declare(cython.double[::1])
    right_start = cython.declare(cython.longlong[::1])

    def __init__(self, scores, first, k):
        self.k = k
        split, _ = _halves(np.asarray(first), k)
        self.left_masks, self.left_sums, self.left_start = _half(scores, first, 0, split, k)
        self.right_masks, self.right_sums, self.right_start = _half(scores, first, split, len(first) - 1, k)

    def list(self, low, high, limit):
        """The masks and sums of all sets with a sum in [low, high]; None if they are more than ``limit``."""
        n = self._sweep(low, high, limit, False, np.empty(0, dtype=np.uint64), np.empty(0))
        if n > limit:
            return None
        masks = np.empty(n, dtype=np.uint64)
        sums = np.empty(n)
        self._sweep(low, high, limit, True, masks, sums)
        return masks, sums

    def _sweep(self, low_, high_, limit_, listing_, masks_, sums_):
        """Count these sets, or fill them in; counting ends when there are more than the limit."""
        low: cython.double = low_
        limit: cython.long = limit_
        high: cython.double = high_
        listing: cython.bint = listing_
        masks: cython.ulonglong[::1] = masks_
        sums: cython.double[::1] = sums_
        found: cython.long = 0
        size: cython.int
        i: cython.long
        j: cython.long
        begin: cython.long
        end: cython.long
        start: cython.long
        value: cython.double
        with cython.nogil:
            for size in range(self.k + 1):
                start = self.right_start[self.k - size]
                begin = self.right_start[self.k - size + 1]
                end = begin
                for i in range(self.left_start[size], self.left_start[size + 1]):
                    value = self.left_sums[i]
                    while begin > start and self.right_sums[begin - 1] + value >= low:
                        begin -= 1
                    while end > start and self.right_sums[end - 1] + value > high:
                        end -= 1
                    if listing:
                        for j in range(begin, end):
                            masks[found] = self.left_masks[i] | self.right_masks[j]
                            sums[found] = value + self.right_sums[j]
                            found += 1
                    elif end > begin:
                        found += end - begin
                        if found > limit:
                            break
                if found > limit:
                    break
        return found


def _half(scores, first, klass, last, k):
    counts = _sizes(np.ascontiguousarray(first[klass : last + 1]), k)[last - klass].astype(np.int64)
    start = np.zeros(k + 2, dtype=np.int64)
    np.cumsum(counts, out=start[1:])
    total = int(counts.sum())
    masks = np.zeros(total, dtype=np.uint64)
    sums = np.zeros(total)
    _fill_half(scores, first, klass, last, k, start.copy(), masks, sums)
    for size in range(k + 1):
        part = slice(start[size], start[size + 1])
        order = np.argsort(sums[part], kind="stable")
        masks[part] = masks[part][order]
        sums[part] = sums[part][order]
    return masks, sums, start


def _fill_half(scores, first, klass, last, k, at_, masks_, sums_):
    values: cython.double[::1] = scores
    bounds: cython.int[::1] = first
    at: cython.longlong[::1] = at_
    masks: cython.ulonglong[::1] = masks_
    sums: cython.double[::1] = sums_
    begin: cython.int = klass
    end: cython.int = last
    size: cython.int = k
    with cython.nogil:
        _fill(values, bounds, begin, end, 0, size, 0, 0.0, at, masks, sums)
