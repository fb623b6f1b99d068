# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: what correlations of columns with missing values are made of, each pair in the rows where both are known.

Which rows these are differs from pair to pair, and so do ranks and means.
"""

import cython
import numpy as np


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
    ranks: cython.longlong[::1] = np.zeros(codes_.shape[1], dtype=np.int64)
    begin: cython.long = start
    end: cython.long = stop
    n_columns: cython.long = codes_.shape[0]
    i: cython.long
    j: cython.long
    m: cython.long
    t: cython.long
    first: cython.long
    last: cython.long
    rank: cython.longlong
    both: cython.longlong
    left: cython.longlong
    right: cython.longlong
    with cython.nogil:
        for i in range(begin, end):
            for j in range(i + 1, n_columns):
                m = 0
                for t in range(known[i]):
                    if codes[j, order[i, t]] >= 0:
                        kept[m] = order[i, t]
                        m += 1
                left = 0
                first = 0
                while first < m:
                    last = first + 1
                    while last < m and codes[i, kept[last]] == codes[i, kept[first]]:
                        last += 1
                    rank = first + last - m
                    left += (last - first) * rank * rank
                    for t in range(first, last):
                        ranks[kept[t]] = rank
                    first = last
                m = 0
                for t in range(known[j]):
                    if codes[i, order[j, t]] >= 0:
                        kept[m] = order[j, t]
                        m += 1
                right = 0
                both = 0
                first = 0
                while first < m:
                    last = first + 1
                    while last < m and codes[j, kept[last]] == codes[j, kept[first]]:
                        last += 1
                    rank = first + last - m
                    right += (last - first) * rank * rank
                    for t in range(first, last):
                        both += rank * ranks[kept[t]]
                    first = last
                cross[i - begin, j] = both
                squares[i - begin, j] = cython.cast(cython.double, left) * cython.cast(cython.double, right)


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
    i: cython.long
    j: cython.long
    r: cython.long
    a: cython.double
    b: cython.double
    largest_a: cython.double
    largest_b: cython.double
    total: cython.double
    mean_a: cython.double
    mean_b: cython.double
    both: cython.double
    left: cython.double
    right: cython.double
    first: cython.long
    varied_a: cython.bint
    varied_b: cython.bint
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
