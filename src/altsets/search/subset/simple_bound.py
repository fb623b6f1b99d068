"""A bound on every set, from its numbers alone: known before any search."""

from __future__ import annotations

import math

import numpy as np

from altsets.arrays import Indices
from altsets.quality import Form
from altsets.search.subset.rounding import PER_TERM_ERROR

__all__ = ["set_bound"]


def set_bound(
    form: Form,
    size: int,
    features: Indices,
    base: Indices,
    pairs: tuple[float, float],
) -> float:
    """No set of this size is better: its best features, with pairs that all cost as little as any.

    Parameters
    ----------
    form : Form
        The quality in numbers.
    size : int
    features, base : int arrays
        Those that a set may have, and those that it has in any case.
    pairs : (float, float)
        The least and the largest pair term of these features.
    """
    linear, n_open = form.linear[features], size - len(base)
    if not n_open:
        linear = linear[:0]
    elif len(features) > n_open:
        linear = np.partition(linear, len(features) - n_open)[len(features) - n_open :]
    terms = [*linear.tolist(), *form.linear[base].tolist()]
    upper, n_pairs = math.fsum(terms), size * (size - 1) // 2
    least, largest = pairs
    if form.ratio:
        # What is negative is best divided by much.
        bound = upper / math.sqrt(size + n_pairs * (least if upper >= 0 else largest))
        return bound + PER_TERM_ERROR * abs(bound) * (size + 4)
    rounding = PER_TERM_ERROR * (math.fsum(map(abs, terms)) + n_pairs * abs(least))
    return upper - n_pairs * least + rounding
