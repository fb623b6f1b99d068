"""How much rounding can hide, each multiple of a number's size under one name.

A double has a relative error of 1.1e-16 after each operation. The factors below are several times that, so that they
cover the operations that they stand for, and far below any difference that means something.
"""

from __future__ import annotations

__all__ = [
    "EXCHANGE_GAIN",
    "LARGEST_SQUARED",
    "LINEARISATION_ERROR",
    "PER_TERM_ERROR",
    "QUALITY_ERROR",
    "SCORE_ERROR",
    "SECANT_ERROR",
    "SMALLEST_SQUARED",
    "SMALLEST_TOLERANCE",
]

#: Where all numbers are zero a tolerance must still be positive.
SMALLEST_TOLERANCE = 1e-300

#: Of the largest quality that a set can have: two sums of its terms in different orders differ by less.
QUALITY_ERROR = 8e-16

#: Of the largest score, for each feature of a set and a few operations: the same for sums of scores alone.
SCORE_ERROR = 4e-16

#: Of the sum of absolute values, for a sum that is rounded once and a few operations after it.
PER_TERM_ERROR = 1e-15

#: Of the numbers that a linearisation adds up, for each of a set's pairs: scalar products and their tangents.
LINEARISATION_ERROR = 1e-14

#: Of the numbers of a secant: its ends are powers, and it takes differences of large numbers.
SECANT_ERROR = 1e-12

#: Of a set's quality: an exchange that gains less may be undone by the next one, without end.
EXCHANGE_GAIN = 1e-12

#: Between these, squares of numbers and sums of the squares are normal numbers, with all their digits.
SMALLEST_SQUARED, LARGEST_SQUARED = 1e-100, 1e100
