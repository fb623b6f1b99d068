"""A quality in numbers, for those who search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.measures.redundancy import MATRIX_COLUMNS, Redundancy
from altsets.quality.explained import Explained

#: Pair terms that are made, or looked at, in one go: a matrix of all of them can take longer than there is time.
PAIRS_AT_A_TIME = 4_000_000
#: The same where they are only looked at, once and in order: few enough to stay in the cache of a processor.
PAIRS_IN_CACHE = 100_000
#: Ranges of pair terms, each of some features, that are remembered.
MOST_REMEMBERED_RANGES = 16


@dataclass(frozen=True, eq=False)
class Form:
    """A quality at one set size, in numbers: what exact engines work with.

    The quality of a set F of that size is the sum of ``linear[j]`` over j in F, minus the sum of ``pairs[i, j]``
    over the pairs i < j in F. With ``ratio`` it is the first sum divided by the square root of the size plus the
    second sum. A set with a conflict, or with a feature that is not allowed, has none (minus infinity).

    Parameters
    ----------
    linear : ndarray of shape (n,)
    matrix : ndarray of shape (n, n) or Redundancy, default=None
        Symmetric, with a zero diagonal; None if there are no pair terms.
    conflicts : ndarray of bool of shape (n, n), default=None
        Pairs that exclude each other: symmetric, with a false diagonal.
    allowed : ndarray of bool of shape (n,), default=None
        Features that may be used at all; None if all may.
    ratio : bool, default=False
        Whether the pair terms divide instead of being subtracted.
    factor : float, default=1.0
        Pair terms are the numbers of the matrix times this, multiplied when needed.
    kept : ndarray of bool of shape (n,), default=None
        Features whose pair terms count; None if all do.
    fit : Explained, default=None
        What is added to the sums: how much of the targets the set explains.
    ranges : dict, default={}
        Smallest and largest numbers of the matrix that are known already; forms of one matrix share it.

    See Also
    --------
    altsets.quality.Quality : Its method ``form`` gives one.

    Examples
    --------
    >>> from altsets.quality import MRMR
    >>> form = MRMR([0.75, 0.5, 0.25], [[0, 0.25, 0], [0.25, 0, 0], [0, 0, 0]]).form(2)
    >>> float(form.linear[0] + form.linear[1] - form.pairs[0, 1])
    0.375
    """

    linear: Floats
    matrix: Floats | Redundancy | None = None
    conflicts: Bools | None = None
    allowed: Bools | None = None
    ratio: bool = False
    _: KW_ONLY
    factor: float = 1.0
    kept: Bools | None = None
    fit: Explained | None = None
    ranges: dict[bytes, tuple[float, float]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        # Shared by the quality and every engine, so read-only.
        for values in (self.linear, self.matrix, self.conflicts, self.allowed, self.kept):
            if isinstance(values, np.ndarray):
                values.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # Copies of arrays can be written into.
        self.__post_init__()
        vars(self).pop("pairs", None)

    @cached_property
    def pairs(self) -> Floats | None:
        """One number per pair: symmetric, with a zero diagonal; None if there are no pair terms."""
        if self.matrix is None:
            return None
        if self.factor == 1.0 and self.kept is None and not isinstance(self.matrix, Redundancy):
            return self.matrix
        pairs = self.pairs_among(None)
        pairs.setflags(write=False)
        return pairs

    @property
    def has_pairs(self) -> bool:
        """Whether there are pair terms."""
        return self.matrix is not None

    @property
    def is_sum(self) -> bool:
        """Whether a set is worth the sum of its features, conflicts apart."""
        return self.matrix is None and self.fit is None and not self.ratio

    @property
    def has_cheap_rows(self) -> bool:
        """Whether all pair terms of a feature take little time."""
        return not isinstance(self.matrix, Redundancy) or self.matrix.has_cheap_rows

    def pairs_of(self, feature: int) -> Floats:
        """Return the pair terms of one feature."""
        assert self.matrix is not None
        if "pairs" in vars(self):
            row: Floats = vars(self)["pairs"][feature]
            return row
        of_feature = self.matrix[feature]
        if self.kept is not None:
            of_feature = np.where(self.kept & self.kept[feature], of_feature, 0.0)
        times_factor: Floats = self.factor * of_feature
        return times_factor

    def pairs_between(self, feature: int, others: Indices) -> Floats:
        """Return the pair terms of a ``feature`` with some others, by index."""
        if self.matrix is None or self.has_cheap_rows:
            return self.pairs_of(feature)[others]
        row: Floats = self.factor * self.matrix[np.ix_(np.array([feature]), others)][0]
        return row if self.kept is None else np.where(self.kept[others] & self.kept[feature], row, 0.0)

    def pairs_among(self, features: Indices | None, check: Callable[[], object] = lambda: None) -> Floats:
        """Return the pair terms of some features, or of all (None), in a matrix that may be written into.

        Where there are many, ``check`` is called now and then; what it raises ends the work.
        """
        assert self.matrix is not None
        if features is not None and len(features) == len(self.linear):
            # Usually in order, and then it is several times as fast.
            features = None if bool(np.all(features == np.arange(len(features)))) else features
        n = len(self.linear) if features is None else len(features)
        among = np.empty((n, n))
        step = max(PAIRS_AT_A_TIME // max(n, 1), 1)
        for start in range(0, n, step):
            if start:
                check()
            rows = slice(start, start + step)
            some = self.matrix[rows] if features is None else self.matrix[np.ix_(features[rows], features)]
            if self.kept is not None:
                # Beforehand, as what is left out may be too large for the factor.
                kept = self.kept if features is None else self.kept[features]
                some = np.where(kept[rows, None] & kept, some, 0.0)
            # What becomes infinite is refused by the search, unless it belongs to features that are not used.
            with np.errstate(over="ignore"):
                np.multiply(some, self.factor, out=among[rows])
        return among

    def pair_range(self, features: Indices | None = None) -> tuple[float, float]:
        """Return the least and the largest pair term of different features, some or all; (0, 0) if there are none."""
        least, largest = self.matrix_range(features)
        return self.factor * least, self.factor * largest

    def matrix_range(self, features: Indices | None = None) -> tuple[float, float]:
        """Return the least and the largest number of the matrix, before the factor."""
        used = np.ones(len(self.linear), dtype=bool)
        if features is not None:
            used[:] = False
            used[features] = True
        n_used = np.count_nonzero(used)
        if self.matrix is None or n_used < 2:
            return 0.0, 0.0
        counted = used if self.kept is None else used & self.kept
        key = counted.tobytes()
        if key not in self.ranges:
            if len(self.ranges) >= MOST_REMEMBERED_RANGES:
                self.ranges.clear()
            self.ranges[key] = _range_among(self.matrix, np.flatnonzero(counted))
        least, largest = self.ranges[key]
        if np.count_nonzero(counted) < n_used:
            least, largest = min(least, 0.0), max(largest, 0.0)
        return least, largest

    def times(self, factor: float, kept: Bools | None) -> Form:
        """Return the same form with numbers times a power of two; those of features that are not kept become 0.

        The pair terms of a ratio, which stand beside the size, stay as they are. With None as ``kept``, all are.
        """
        linear = self.linear if kept is None else np.where(kept, self.linear, 0.0)
        of_pairs = self.factor if self.ratio else factor * self.factor
        fit = None if self.fit is None else self.fit.times(factor)
        return replace(self, linear=factor * linear, factor=of_pairs, kept=kept, fit=fit)

    def without_pairs(self) -> Form:
        """The same form, where only single features matter."""
        return replace(self, matrix=None, ratio=False, factor=1.0, fit=None)


def _range_among(matrix: Floats | Redundancy, features: Indices) -> tuple[float, float]:
    """The least and the largest number of different features; (inf, -inf) if there are not two of them."""
    least, largest = math.inf, -math.inf
    if len(features) < 2:
        return least, largest
    if isinstance(matrix, Redundancy):
        if len(features) > MATRIX_COLUMNS:
            return matrix.range
        matrix, features = matrix[np.ix_(features, features)], np.arange(len(features))
    left_out = np.ones(len(matrix), dtype=bool)
    left_out[features] = False
    columns = np.flatnonzero(left_out)
    # Few enough to stay close to the processor: several times as fast as all at once.
    step = max(PAIRS_IN_CACHE // len(matrix), 1)
    for start in range(0, len(features), step):
        rows = features[start : start + step]
        some = matrix[rows]
        # One of the numbers in place of those that do not count.
        some[:, columns] = some[np.arange(len(rows)), rows] = matrix[features[0], features[1]]
        least, largest = min(least, float(np.min(some))), max(largest, float(np.max(some)))
    return least, largest
