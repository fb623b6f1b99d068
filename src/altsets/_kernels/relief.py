# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: ReliefF, in two steps for some rows at a time: distances to all rows, then differences to the nearest ones.

No more than one line of distances for each of these rows is kept. Rows whose distance ties with that of the last
neighbour share what is left of the neighbours' places, so that the order of the rows does not matter.
"""

import cython
import numpy as np

#: Rows whose distances are computed side by side: a processor adds up several sums as fast as one.
LANES = 4


def packed(columns):
    """Rows in groups of four, each group by columns; the last one is filled up with zeros."""
    n_rows, n_columns = columns.shape
    n_groups = -(-n_rows // LANES)
    filled = np.zeros((n_groups * LANES, n_columns), dtype=columns.dtype)
    filled[:n_rows] = columns
    return np.ascontiguousarray(filled.reshape(n_groups, LANES, n_columns).transpose(0, 2, 1))


def distances(amounts_, levels_, n_full, rows_, out_):
    """Distances of some rows to all rows.

    Parameters
    ----------
    amounts_ : float64 array, packed
        Continuous columns, scaled to [0, 1]: distances are sums of differences.
    levels_ : float64 array, packed
        Discrete columns: distances are shares of columns that differ.
    n_full : float
        What all discrete columns together count where there are columns of both kinds.
    rows_ : int64 array
        The rows in question.
    out_ : float64 array of shape (rows, all rows)
        Overwritten.
    """
    amounts: cython.double[:, :, ::1] = amounts_
    levels: cython.double[:, :, ::1] = levels_
    rows: cython.longlong[::1] = rows_
    out: cython.double[:, ::1] = out_
    n_rows: cython.long = out_.shape[1]
    full: cython.double = n_full
    n_amounts: cython.int = amounts_.shape[1]
    n_levels: cython.int = levels_.shape[1]
    d0: cython.double
    d1: cython.double
    d2: cython.double
    d3: cython.double
    c0: cython.int
    c1: cython.int
    c2: cython.int
    c3: cython.int
    with cython.nogil:
        for r in range(rows.shape[0]):
            at = rows[r] // 4
            lane = rows[r] % 4
            for group in range(amounts.shape[0]):
                d0 = d1 = d2 = d3 = 0.0
                for f in range(n_amounts):
                    value = amounts[at, f, lane]
                    d0 += abs(value - amounts[group, f, 0])
                    d1 += abs(value - amounts[group, f, 1])
                    d2 += abs(value - amounts[group, f, 2])
                    d3 += abs(value - amounts[group, f, 3])
                if n_levels > 0:
                    c0 = c1 = c2 = c3 = 0
                    for f in range(n_levels):
                        value = levels[at, f, lane]
                        c0 += value != levels[group, f, 0]
                        c1 += value != levels[group, f, 1]
                        c2 += value != levels[group, f, 2]
                        c3 += value != levels[group, f, 3]
                    d0 = _together(d0, c0, n_amounts, n_levels, full)
                    d1 = _together(d1, c1, n_amounts, n_levels, full)
                    d2 = _together(d2, c2, n_amounts, n_levels, full)
                    d3 = _together(d3, c3, n_amounts, n_levels, full)
                out[r, group * 4] = d0
                if group * 4 + 1 < n_rows:
                    out[r, group * 4 + 1] = d1
                if group * 4 + 2 < n_rows:
                    out[r, group * 4 + 2] = d2
                if group * 4 + 3 < n_rows:
                    out[r, group * 4 + 3] = d3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _together(
    distance: cython.double,
    differing: cython.int,
    n_amounts: cython.int,
    n_levels: cython.int,
    full: cython.double,
) -> cython.double:
    share: cython.double = cython.cast(cython.double, differing) / n_levels
    return share if n_amounts == 0 else share * full + distance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(
    heap: cython.double[:, ::1], group: cython.int, size: cython.int, key: cython.double
) -> cython.void:
    """Put a key among the smallest ones of its group, the largest of which is on top; a full heap loses that one."""
    if size < heap.shape[1]:
        at = size
        while at > 0 and heap[group, (at - 1) // 2] < key:
            heap[group, at] = heap[group, (at - 1) // 2]
            at = (at - 1) // 2
        heap[group, at] = key
        return
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[group, child + 1] > heap[group, child]:
            child += 1
        if heap[group, child] <= key:
            break
        heap[group, at] = heap[group, child]
        at = child
    heap[group, at] = key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nearest(
    i: cython.longlong,
    keys: cython.double[::1],
    groups: cython.int[::1],
    heap: cython.double[:, ::1],
    size: cython.int[::1],
    near: cython.longlong[::1],
) -> cython.long:
    """List the neighbours of row i and those that tie with the last one of their group, which is on top of its heap."""
    k: cython.int = cython.cast(cython.int, heap.shape[1])
    n_near: cython.long = 0
    for g in range(size.shape[0]):
        size[g] = 0
    for j in range(keys.shape[0]):
        if j == i:
            continue
        g = groups[j]
        if size[g] < k:
            _keep(heap, g, size[g], keys[j])
            size[g] += 1
        elif keys[j] < heap[g, 0]:
            _keep(heap, g, k, keys[j])
    for j in range(keys.shape[0]):
        if j != i and keys[j] <= heap[groups[j], 0]:
            near[n_near] = j
            n_near += 1
    return n_near


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compare(
    values: cython.double[:, ::1],
    ranges: cython.double[::1],
    steps: cython.double[::1],
    discrete: cython.uchar[::1],
    i: cython.longlong,
    j: cython.longlong,
    weight: cython.double,
    sums: cython.double[::1],
) -> cython.void:
    """Add how much two rows differ in each column."""
    for f in range(sums.shape[0]):
        difference = abs(values[i, f] - values[j, f])
        if difference > steps[f] or (discrete[f] and difference != 0.0):
            sums[f] += weight
        elif not discrete[f]:
            sums[f] += weight * (difference / ranges[f])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _share_places(
    near: cython.longlong[::1],
    n_near: cython.long,
    keys: cython.double[::1],
    groups: cython.int[::1],
    heap: cython.double[:, ::1],
    size: cython.int[::1],
    tied: cython.longlong[::1],
    place: cython.double[::1],
) -> cython.void:
    """What each row counts that ties with the last neighbour of its group: they share the places closer ones leave."""
    for g in range(size.shape[0]):
        tied[g] = 0
        place[g] = size[g]
    for e in range(n_near):
        g = groups[near[e]]
        if keys[near[e]] < heap[g, 0]:
            place[g] -= 1.0
        else:
            tied[g] += 1
    for g in range(size.shape[0]):
        if tied[g] > 0:
            place[g] /= tied[g]


def add_differences(table, target, rows_, keys_, n_neighbors, totals_):
    """Add up how much more some rows differ from their nearest misses than from their nearest hits.

    Parameters
    ----------
    table : (values, ranges, steps, discrete)
        float64 array of all rows and columns; the range of each column; the difference above which it counts as a
        full one; which columns are discrete (uint8), where every difference is a full one.
    target : (classes, amounts, bound, shares)
        int32 array of class codes, or an empty one for a target of amounts (float64), where rows that differ by less
        than the bound are hits; the shares of the classes in all rows if misses are weighed by them, else empty.
    rows_ : int64 array
        The rows in question.
    keys_ : float64 array of shape (rows, all rows)
        What neighbours are chosen by, smallest first.
    n_neighbors : int
        Hits, and misses of each class.
    totals_ : float64 array, one for each column
        Added to.
    """
    values: cython.double[:, ::1] = table[0]
    ranges: cython.double[::1] = table[1]
    steps: cython.double[::1] = table[2]
    discrete: cython.uchar[::1] = table[3]
    classes: cython.int[::1] = target[0]
    amounts: cython.double[::1] = target[1]
    bound: cython.double = target[2]
    shares: cython.double[::1] = target[3]
    rows: cython.longlong[::1] = rows_
    keys: cython.double[:, ::1] = keys_
    totals: cython.double[::1] = totals_
    n_rows: cython.long = keys_.shape[1]
    by_class: cython.bint = len(target[0]) > 0
    n_groups: cython.int = int(target[0].max()) + 1 if len(target[0]) else 2
    heap: cython.double[:, ::1] = np.empty((n_groups, n_neighbors))
    size: cython.int[::1] = np.empty(n_groups, dtype=np.intc)
    tied: cython.longlong[::1] = np.empty(n_groups, dtype=np.int64)
    place: cython.double[::1] = np.empty(n_groups)
    near: cython.longlong[::1] = np.empty(n_rows, dtype=np.int64)
    groups: cython.int[::1] = np.array(target[0] if len(target[0]) else np.zeros(n_rows), dtype=np.intc)
    sums: cython.double[:, ::1] = np.empty((n_groups, len(totals_)))
    i: cython.longlong
    j: cython.longlong
    with cython.nogil:
        for r in range(rows.shape[0]):
            i = rows[r]
            own = 0
            if by_class:
                own = classes[i]
            else:
                for e in range(n_rows):
                    groups[e] = abs(amounts[i] - amounts[e]) >= bound
            n_near = _nearest(i, keys[r], groups, heap, size, near)
            sums[:, :] = 0.0
            _share_places(near, n_near, keys[r], groups, heap, size, tied, place)
            for e in range(n_near):
                j = near[e]
                g = groups[j]
                weight = place[g] if keys[r, j] == heap[g, 0] else 1.0
                _compare(values, ranges, steps, discrete, i, j, weight, sums[g])
            misses = 0.0
            for g in range(n_groups):
                if g != own:
                    misses += size[g]
            for g in range(n_groups):
                if size[g] == 0:
                    continue
                if g == own:
                    weight = -1.0 / size[g]
                elif shares.shape[0] > 0:
                    weight = shares[g] / (1.0 - shares[own]) / size[g]
                else:
                    weight = size[g] / misses * (n_groups - 1) / misses
                for f in range(totals.shape[0]):
                    totals[f] += weight * sums[g, f]


def add_products(table, amounts_, rows_, keys_, n_neighbors, totals_):
    """Add up how much the nearest rows differ, and how much of that goes along with different amounts (RReliefF).

    Parameters
    ----------
    table, rows_, keys_ :
        As for :func:`add_differences`.
    amounts_ : float64 array
        The target, scaled to a range of 1.
    n_neighbors : int
        Nearest rows, whatever their target.
    totals_ : float64 array of shape (3, columns)
        Added to: mean differences times the differences of the target; mean differences; those of the target.
    """
    values: cython.double[:, ::1] = table[0]
    ranges: cython.double[::1] = table[1]
    steps: cython.double[::1] = table[2]
    discrete: cython.uchar[::1] = table[3]
    amounts: cython.double[::1] = amounts_
    rows: cython.longlong[::1] = rows_
    keys: cython.double[:, ::1] = keys_
    totals: cython.double[:, ::1] = totals_
    heap: cython.double[:, ::1] = np.empty((1, n_neighbors))
    size: cython.int[::1] = np.empty(1, dtype=np.intc)
    near: cython.longlong[::1] = np.empty(keys_.shape[1], dtype=np.int64)
    groups: cython.int[::1] = np.zeros(keys_.shape[1], dtype=np.intc)
    tied: cython.longlong[::1] = np.empty(1, dtype=np.int64)
    place: cython.double[::1] = np.empty(1)
    i: cython.longlong
    j: cython.longlong
    with cython.nogil:
        for r in range(rows.shape[0]):
            i = rows[r]
            n_near = _nearest(i, keys[r], groups, heap, size, near)
            _share_places(near, n_near, keys[r], groups, heap, size, tied, place)
            for e in range(n_near):
                j = near[e]
                weight = (place[0] if keys[r, j] == heap[0, 0] else 1.0) / size[0]
                apart = abs(amounts[i] - amounts[j])
                _compare(values, ranges, steps, discrete, i, j, weight * apart, totals[0])
                _compare(values, ranges, steps, discrete, i, j, weight, totals[1])
                for f in range(totals.shape[1]):
                    totals[2, f] += weight * apart
