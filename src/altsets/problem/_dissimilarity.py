"""How different two sets are: Dice, Jaccard, or a function of the user's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from altsets.errors import InputError

__all__ = [
    "EXACT_TOLERANCE",
    "TOLERANCE",
    "Dissimilarity",
    "FeatureSet",
    "dissimilarity_of",
    "own_dissimilarity",
]

#: A pair of sets is compatible if its dissimilarity is at least tau minus this; rounding errors of floats are smaller.
TOLERANCE = 1e-9

#: The same where numbers are fractions.
EXACT_TOLERANCE = Fraction(1, 10**9)

#: Indices of features, ascending.
FeatureSet = tuple[int, ...]

#: A user's own dissimilarity of two sets: symmetric, between 0 and 1.
Dissimilarity = Callable[[FeatureSet, FeatureSet], float]


def dissimilarity_of(kind: str, first: Sequence[int], second: Sequence[int]) -> float:
    """Dice or Jaccard dissimilarity of two feature sets, between 0 (equal) and 1 (disjoint).

    Examples
    --------
    >>> dissimilarity_of("dice", (0, 1, 2, 3), (0, 1, 4, 5))
    0.5
    >>> dissimilarity_of("jaccard", (0, 1), (0, 1, 2, 3))
    0.5
    """
    shared = len(set(first) & set(second))
    total = len(set(first)) + len(set(second))
    return 1 - 2 * shared / total if kind == "dice" else 1 - shared / (total - shared)


def own_dissimilarity(measure: Dissimilarity, first: FeatureSet, second: FeatureSet) -> float:
    """What a user's own dissimilarity says about two sets, if it is between 0 and 1."""
    value = measure(first, second)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    # As floats: fractions would take longer than most functions.
    if not -TOLERANCE <= number <= 1 + TOLERANCE:
        raise InputError(
            f"the dissimilarity of {first} and {second} is {value!r}; it must be a number between 0 and 1."
        )
    return number
