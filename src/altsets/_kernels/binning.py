# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: numbers into bins, and the rows that have each pair of codes counted.

NumPy's own functions take several passes for the same, and hold the interpreter's lock while they count.
"""

import cython


def cut(values_, points_, firsts_, start, scale, levels, codes_):
    """The number of cut points that are not above each value; missing values have the code after the last one.

    Values are looked up in a grid of cells, which leaves few cut points to search, mostly none.

    Parameters
    ----------
    values_ : float64 array
        nan where a value is missing; may be read-only.
    points_ : float64 array
        The cut points, ascending.
    firsts_ : int32 array of shape (cells + 1,)
        The number of cut points in the cells before each one; the last entry is that of all.
    start, scale : float
        The cell of a value is the whole part of (value - start) * scale; the first and the last cell have no end.
    levels : bool
        The cut points are all values that there may be, and codes are their places.
    codes_ : int32 array
        One code per value; overwritten.

    Returns
    -------
    bool
        False if a value is none of the levels; then the codes from this one on are not set.
    """
    values: cython.const[cython.double][::1] = values_
    points: cython.const[cython.double][::1] = points_
    firsts: cython.const[cython.int][::1] = firsts_
    codes: cython.int[::1] = codes_
    origin: cython.double = start
    per_unit: cython.double = scale
    is_level: cython.bint = levels
    last: cython.int = firsts_.shape[0] - 2
    missing: cython.int = points_.shape[0] + (0 if levels else 1)
    fits: cython.bint = True
    low: cython.int
    high: cython.int
    cell: cython.int
    with cython.nogil:
        for row in range(values.shape[0]):
            value = values[row]
            if value != value:
                codes[row] = missing
                continue
            # Never nan as a number of a cell: nan is above nothing.
            place = (value - origin) * per_unit
            if place >= last:
                cell = last
            elif place > 0.0:
                cell = cython.cast(cython.int, place)
            else:
                cell = 0
            low = firsts[cell]
            high = firsts[cell + 1]
            while low < high:
                middle = (low + high) // 2
                if points[middle] <= value:
                    low = middle + 1
                else:
                    high = middle
            if is_level:
                low -= 1
                if low < 0 or points[low] != value:
                    fits = False
                    break
            codes[row] = low
    return bool(fits)


def count(codes_, others_, table_):
    """Count the rows with each pair of codes.

    Parameters
    ----------
    codes_, others_ : int32 arrays
        The codes of two columns.
    table_ : int64 array of shape (codes, other codes)
        The number of rows is added to it.
    """
    codes: cython.int[::1] = codes_
    others: cython.int[::1] = others_
    table: cython.longlong[:, ::1] = table_
    with cython.nogil:
        for row in range(codes.shape[0]):
            table[codes[row], others[row]] += 1
