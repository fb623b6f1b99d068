# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: how many pairs of rows have columns and survival times in the same order, in n log n steps per column."""

import cython
import numpy as np


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _below(tree: cython.double[::1], code: cython.int) -> cython.double:
    """The weight of all rows with a smaller code."""
    place: cython.int = code
    total: cython.double = 0.0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(tree: cython.double[::1], code: cython.int, weight: cython.double, size: cython.int) -> cython.void:
    """Add a row to those that later ones are compared with."""
    place: cython.int = code + 1
    while place <= size:
        tree[place] += weight
        place += place & -place


def concordance(codes_, moments_, events_, earlier_, later_, difference_, comparable_):
    """Concordant pairs less discordant ones, and all comparable ones, of each column.

    Two rows are comparable if the one that was observed for a shorter time had the event; of two rows with the same
    time, if just one had it. They are concordant if the row with the event has the larger value. A pair counts by the
    product of two weights.

    Parameters
    ----------
    codes_ : int32 array of shape (columns, rows)
        Ranks of the values of each column from 0 on, equal ones for equal values; -1 where a value is missing. Rows
        are in the order of time, the longest first; of one time, those without the event first.
    moments_ : int32 array of shape (rows,)
        Rows of one time have the same number.
    events_ : uint8 array of shape (rows,)
        Whether the event happened.
    earlier_, later_ : float64 arrays of shape (rows,)
        The weight of a row in pairs in which its event comes first, and in all other pairs.
    difference_, comparable_ : float64 arrays of shape (columns,)
        The two sums; overwritten.
    """
    codes: cython.int[:, ::1] = codes_
    moments: cython.int[::1] = moments_
    events: cython.uchar[::1] = events_
    earlier: cython.double[::1] = earlier_
    later: cython.double[::1] = later_
    difference: cython.double[::1] = difference_
    comparable: cython.double[::1] = comparable_
    n_columns: cython.int = codes_.shape[0]
    n_rows: cython.int = codes_.shape[1]
    tree: cython.double[::1] = np.zeros(codes_.shape[1] + 1, dtype=np.float64)
    alone: cython.double[::1] = np.zeros(codes_.shape[1] + 1, dtype=np.float64)
    column: cython.int
    row: cython.int
    last: cython.int
    code: cython.int
    size: cython.int
    place: cython.int
    total: cython.double
    below: cython.double
    signed: cython.double
    pairs: cython.double
    with cython.nogil:
        for column in range(n_columns):
            size = 0
            for row in range(n_rows):
                size = max(size, codes[column, row] + 1)
            for place in range(size + 1):
                tree[place] = 0.0
                alone[place] = 0.0
            total = 0.0
            signed = 0.0
            pairs = 0.0
            row = 0
            while row < n_rows:
                last = row + 1
                if events[row]:
                    # Events of one time are compared with what comes later, not with each other.
                    while last < n_rows and events[last] and moments[last] == moments[row]:
                        last += 1
                    for place in range(row, last):
                        code = codes[column, place]
                        if code >= 0:
                            below = _below(tree, code)
                            signed += earlier[place] * (below - (total - below - alone[code]))
                            pairs += earlier[place] * total
                for place in range(row, last):
                    code = codes[column, place]
                    if code >= 0:
                        _add(tree, code, later[place], size)
                        alone[code] += later[place]
                        total += later[place]
                row = last
            difference[column] = signed
            comparable[column] = pairs
