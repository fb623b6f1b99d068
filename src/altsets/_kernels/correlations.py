# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: what correlations of columns with missing values are made of, each pair in the rows where both are known.

Which rows these are differs from pair to pair, and so do ranks and means.
"""

import cython
import numpy as np


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rank(
    codes: cython.int[:, ::1],
    order: cython.int[:, ::1],
    known: cython.longlong,
    i: cython.long,
    j: cython.long,
    kept: cython.int[::1],
    ranks: cython.longlong[::1],
) -> cython.longlong:
    """Centred ranks of column i in the rows where column j is known too; returns the sum of their squares."""
    m: cython.long = 0
    first: cython.long = 0
    rank: cython.longlong
    total: cython.longlong = 0
    for t in range(known):
        if codes[j, order[i, t]] >= 0:
            kept[m] = order[i, t]
            m += 1
    while first < m:
        last = first + 1
        while last < m and codes[i, kept[last]] == codes[i, kept[first]]:
            last += 1
        rank = first + last - m
        total += (last - first) * rank * rank
        for t in range(first, last):
            ranks[kept[t]] = rank
        first = last
    return total


def rank_products(codes_, order_, known_, start, stop, cross_, squares_):
    """Sums of products of centred ranks, for some columns with all that come after them.

    Ranks count twice, so that mean ranks of equal values are whole numbers too, and nothing is rounded.

    Parameters
    ----------
    codes_ : int32 array of shape (columns, rows)
        Equal values of a column have equal codes; -1 where a value is missing.
    order_ : int32 array of shape (columns, rows)
        The rows of each column from the smallest value to the largest; those that are known come first.
    known_ : int64 array of shape (columns,)
        How many these are.
    start, stop : int
        The columns in question.
    cross_, squares_ : float64 arrays of shape (stop - start, columns)
        The sum of products of two columns; and the product of the sums of their squares. Overwritten from the column
        after the one in question.
    """
    codes: cython.int[:, ::1] = codes_
    order: cython.int[:, ::1] = order_
    known: cython.longlong[::1] = known_
    cross: cython.double[:, ::1] = cross_
    squares: cython.double[:, ::1] = squares_
    kept: cython.int[::1] = np.zeros(codes_.shape[1], dtype=np.intc)
    ones: cython.longlong[::1] = np.zeros(codes_.shape[1], dtype=np.int64)
    others: cython.longlong[::1] = np.zeros(codes_.shape[1], dtype=np.int64)
    begin: cython.long = start
    end: cython.long = stop
    n_columns: cython.long = codes_.shape[0]
    both: cython.longlong
    left: cython.double
    right: cython.double
    with cython.nogil:
        for i in range(begin, end):
            for j in range(i + 1, n_columns):
                left = _rank(codes, order, known[i], i, j, kept, ones)
                right = _rank(codes, order, known[j], j, i, kept, others)
                both = 0
                for row in range(codes.shape[1]):
                    if codes[i, row] >= 0 and codes[j, row] >= 0:
                        both += ones[row] * others[row]
                cross[i - begin, j] = both
                squares[i - begin, j] = left * right


def value_products(values_, weights_, start, stop, cross_, squares_):
    """The same with the values themselves, each column divided by its largest one and centred.

    Parameters
    ----------
    values_ : float64 array of shape (columns, rows)
        nan where a value is missing.
    weights_ : float64 array of shape (rows,)
        How much each row counts.
    start, stop : int
        The columns in question.
    cross_, squares_ : float64 arrays of shape (stop - start, columns)
        As above; 0 for columns that are constant in these rows.
    """
    values: cython.double[:, ::1] = values_
    weights: cython.double[::1] = weights_
    cross: cython.double[:, ::1] = cross_
    squares: cython.double[:, ::1] = squares_
    begin: cython.long = start
    end: cython.long = stop
    n_columns: cython.long = values_.shape[0]
    n_rows: cython.long = values_.shape[1]
    a: cython.double
    b: cython.double
    with cython.nogil:
        for i in range(begin, end):
            for j in range(i + 1, n_columns):
                largest_a = 0.0
                largest_b = 0.0
                first = -1
                varied_a = False
                varied_b = False
                for r in range(n_rows):
                    a = values[i, r]
                    b = values[j, r]
                    if a == a and b == b:
                        if first < 0:
                            first = r
                        elif a != values[i, first]:
                            varied_a = True
                        if b != values[j, first]:
                            varied_b = True
                        largest_a = max(largest_a, abs(a))
                        largest_b = max(largest_b, abs(b))
                cross[i - begin, j] = 0.0
                squares[i - begin, j] = 0.0
                if not varied_a or not varied_b:
                    continue
                total = 0.0
                mean_a = 0.0
                mean_b = 0.0
                for r in range(n_rows):
                    a = values[i, r]
                    b = values[j, r]
                    if a == a and b == b:
                        total += weights[r]
                        mean_a += weights[r] * (a / largest_a)
                        mean_b += weights[r] * (b / largest_b)
                mean_a /= total
                mean_b /= total
                both = 0.0
                left = 0.0
                right = 0.0
                for r in range(n_rows):
                    a = values[i, r]
                    b = values[j, r]
                    if a == a and b == b:
                        a = a / largest_a - mean_a
                        b = b / largest_b - mean_b
                        both += weights[r] * (a * b)
                        left += weights[r] * (a * a)
                        right += weights[r] * (b * b)
                cross[i - begin, j] = both
                squares[i - begin, j] = left * right
