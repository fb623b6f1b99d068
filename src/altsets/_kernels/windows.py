# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: all sets of k features whose summed score lies in a window, by meeting in the middle.

Equal scores are interchangeable, so sets are listed by how many features they take of each class of equal scores; the
first ones of the class stand for all. The features are split into two halves; the half sets of each size are listed
in the order of their sums once, and each window is then one sweep over pairs of lists. Sets are 64-bit masks.

Features may have weights, not quite certain ones, and what a set weighs may be limited too.
"""

import cython
import numpy as np

#: Sets that are looked at for each that may be listed: most may weigh too much or too little.
LOOKS = cython.declare(cython.long, 64)


def _sizes(first, k):
    """How many ways there are to take t features from the classes before c, for every c and t up to k."""
    bounds: cython.int[::1] = first
    n: cython.int = len(first) - 1
    size: cython.int = k
    ways_array = np.zeros((n + 1, k + 1))
    ways: cython.double[:, ::1] = ways_array
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
        Features in a set, at most.
    weights : int32 array of two rows, optional
        What each feature weighs at least and at most; the same for all features of a class.
    """

    left_masks = cython.declare(cython.ulonglong[::1])
    left_sums = cython.declare(cython.double[::1])
    left_weights = cython.declare(cython.int[:, ::1])
    left_start = cython.declare(cython.longlong[::1])
    right_masks = cython.declare(cython.ulonglong[::1])
    right_sums = cython.declare(cython.double[::1])
    right_weights = cython.declare(cython.int[:, ::1])
    right_start = cython.declare(cython.longlong[::1])

    def __init__(self, scores, first, k, weights=None):
        if weights is None:
            weights = np.zeros((2, len(scores)), dtype=np.intc)
        first = np.asarray(first)
        split, _ = _halves(first, k)
        self.left_masks, self.left_sums, self.left_weights, self.left_start = _half(
            scores, weights, np.ascontiguousarray(first[: split + 1]), k
        )
        self.right_masks, self.right_sums, self.right_weights, self.right_start = _half(
            scores, weights, np.ascontiguousarray(first[split:]), k
        )

    def list(self, size, low, high, limit, lightest=0, heaviest=0):
        """The masks and sums of all sets of ``size`` features with a sum in [low, high]; None if more than ``limit``.

        Sets that weigh less than ``lightest`` at most, or more than ``heaviest`` at least, are left out; if too many of
        them would have to be looked at, the answer is None as well.
        """
        n = self.count(size, low, high, limit, lightest, heaviest)
        if n > limit:
            return None
        masks, sums = np.empty(n, dtype=np.uint64), np.empty(n)
        self._sweep(size, low, high, limit, lightest, heaviest, masks, sums)
        return masks, sums

    def count(self, size, low, high, limit, lightest=0, heaviest=0):
        """How many sets that would be; more than ``limit`` if there are more, or too many to look at."""
        return self._sweep(
            size, low, high, limit, lightest, heaviest, np.empty(0, dtype=np.uint64), np.empty(0)
        )

    def _sweep(self, k_, low_, high_, limit_, lightest_, heaviest_, masks_, sums_):
        """Count these sets, and fill them in where there is room; that ends when there are more than the limit."""
        k: cython.int = k_
        low: cython.double = low_
        high: cython.double = high_
        limit: cython.long = limit_
        lightest: cython.int = lightest_
        heaviest: cython.int = heaviest_
        masks: cython.ulonglong[::1] = masks_
        sums: cython.double[::1] = sums_
        room: cython.long = len(masks_)
        found: cython.long = 0
        to_look_at: cython.long = LOOKS * limit
        with cython.nogil:
            for size in range(k + 1):
                start = self.right_start[k - size]
                begin = self.right_start[k - size + 1]
                end = begin
                for i in range(self.left_start[size], self.left_start[size + 1]):
                    value = self.left_sums[i]
                    while begin > start and self.right_sums[begin - 1] + value >= low:
                        begin -= 1
                    while end > start and self.right_sums[end - 1] + value > high:
                        end -= 1
                    to_look_at -= end - begin
                    if to_look_at < 0:
                        found = limit + 1
                        break
                    for j in range(begin, end):
                        if (
                            self.left_weights[i, 0] + self.right_weights[j, 0] > heaviest
                            or self.left_weights[i, 1] + self.right_weights[j, 1] < lightest
                        ):
                            continue
                        if found < room:
                            masks[found] = self.left_masks[i] | self.right_masks[j]
                            sums[found] = value + self.right_sums[j]
                        found += 1
                    if found > limit:
                        break
                if found > limit:
                    break
        return found


def _half(scores_, weights_, first_, k_):
    """All ways to take at most k features: masks, sums and weights, by size and then by sum, and where sizes begin.

    Class by class: a list with another class is what several lists without it become, all of them sorted.
    """
    scores: cython.double[::1] = scores_
    weights: cython.int[:, ::1] = weights_
    first: cython.int[::1] = first_
    k: cython.int = k_
    n: cython.int = len(first_) - 1
    start_array = np.zeros((n + 1, k_ + 2), dtype=np.int64)
    start_array[:, 1:] = np.cumsum(_sizes(first_, k_), axis=1)
    start: cython.longlong[:, ::1] = start_array
    total = int(start_array[n, k_ + 1])
    # What there was before a class, and what there is after it, take turns.
    masks_array = np.zeros((2, total), dtype=np.uint64)
    sums_array = np.zeros((2, total))
    weighed_array = np.zeros((2, total, 2), dtype=np.intc)
    masks: cython.ulonglong[:, ::1] = masks_array
    sums: cython.double[:, ::1] = sums_array
    weighed: cython.int[:, :, ::1] = weighed_array
    at: cython.longlong[::1] = np.zeros(k_ + 1, dtype=np.int64)
    added: cython.double[::1] = np.zeros(k_ + 1)
    bits: cython.ulonglong[::1] = np.zeros(k_ + 1, dtype=np.uint64)
    taken: cython.int
    position: cython.int
    place: cython.longlong
    with cython.nogil:
        for score_class in range(n):
            old = score_class & 1
            new = 1 - old
            for taken, position in enumerate(
                range(first[score_class], min(first[score_class + 1], first[score_class] + k))
            ):
                added[taken + 1] = added[taken] + scores[position]
                bits[taken + 1] = bits[taken] | (cython.cast(cython.ulonglong, 1) << position)
            position = first[score_class]
            for size in range(k + 1):
                most = min(first[score_class + 1] - position, size)
                for taken in range(most + 1):
                    at[taken] = start[score_class, size - taken]
                for place in range(start[score_class + 1, size], start[score_class + 1, size + 1]):
                    best = -1
                    least = 0.0
                    for taken in range(most + 1):
                        if at[taken] < start[score_class, size - taken + 1]:
                            value = sums[old, at[taken]] + added[taken]
                            if best < 0 or value < least:
                                best = taken
                                least = value
                    masks[new, place] = masks[old, at[best]] | bits[best]
                    sums[new, place] = least
                    weighed[new, place, 0] = weighed[old, at[best], 0] + best * weights[0, position]
                    weighed[new, place, 1] = weighed[old, at[best], 1] + best * weights[1, position]
                    at[best] += 1
    new = n & 1
    return masks_array[new], sums_array[new], weighed_array[new], start_array[n]
