"""Count sets whose scores add up to enough, by meeting in the middle.

The features are divided into two halves. For each half, all parts of sets are listed that can be completed to a set
that counts; then, for each part on the left, those on the right that go with it are the first ones of a sorted list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet
from altsets.search.near_best.sums import NearBestLimits, Sums, Threshold

#: Numbers that are sorted in one go.
ROWS_AT_A_TIME = 1_000_000

#: Parts of sets: one row of positions for each.
Rows = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class _Half:
    """Every second feature: their positions among all, and the parts of sets by the number of their features."""

    positions: Indices
    rows: list[Rows]
    sums: list[Floats]


@dataclass(frozen=True)
class _Meeting:
    """Parts of one size on the left, those on the right that complete them, and how many of these do.

    ``sure[i]`` is how many of the right ones, from the first, make a set of part i that counts for sure; ``most[i]``
    how many may, but for rounding.
    """

    left: Rows
    right: Rows
    sure: Indices
    most: Indices


class HalvedSums:
    """The sets of one size that count, by parts on the left and on the right.

    ``n_proposals`` may count, but for rounding; the two ``bounds`` are the same unless too many are too close to the
    threshold.
    """

    def __init__(
        self,
        sums: Sums,
        halves: tuple[_Half, _Half],
        threshold: Threshold,
        limits: NearBestLimits,
        check: Callable[[], object],
    ) -> None:
        self.sums, self._threshold = sums, threshold
        self._left, self._right = halves[0].positions, halves[1].positions
        floor, margin, k = threshold.value - sums.start, threshold.margin, sums.n_open
        self._meetings = []
        for size, (rows, values) in enumerate(zip(halves[0].rows, halves[0].sums, strict=True)):
            check()
            other, other_values = halves[1].rows[k - size], halves[1].sums[k - size]
            order, other_order = np.argsort(-values, kind="stable"), np.argsort(-other_values, kind="stable")
            ascending = -other_values[other_order]
            missing = floor - values[order]
            sure = np.searchsorted(ascending, -(missing + margin), side="right")
            most = np.searchsorted(ascending, -(missing - margin), side="right")
            self._meetings.append(_Meeting(rows[order], other[other_order], sure, most))
        n_sure = sum(int(meeting.sure.sum()) for meeting in self._meetings)
        self.n_proposals = sum(int(meeting.most.sum()) for meeting in self._meetings)
        self.bounds = n_sure, self.n_proposals
        #: Those in doubt that count after all.
        self._resolved: list[FeatureSet] = []
        if self.n_proposals - n_sure <= limits.max_doubtful:
            self._resolved = [chosen for chosen in self._doubtful() if threshold.counts(chosen)]
            self.bounds = (n_sure + len(self._resolved),) * 2

    @classmethod
    def of(
        cls, sums: Sums, threshold: Threshold, limits: NearBestLimits, check: Callable[[], object]
    ) -> HalvedSums | None:
        """The halves of these sets; None if they have too many parts."""
        if len(sums.features) > np.iinfo(np.uint16).max:
            return None
        places = np.arange(len(sums.features))
        floor = threshold.value - sums.start - threshold.margin
        halves = []
        for own, other in ((places[::2], places[1::2]), (places[1::2], places[::2])):
            scores = sums.scores[own], sums.scores[other]
            parts = _parts(*scores, sums.n_open, floor, limits.max_half_sets, check)
            if parts is None:
                return None
            halves.append(_Half(own, *parts))
        return cls(sums, (halves[0], halves[1]), threshold, limits, check)

    def propose(self, n: int, rng: np.random.Generator) -> list[FeatureSet | None]:
        """Sets that may count, drawn uniformly; None in place of those that do not."""
        ends = np.cumsum([meeting.most.sum() for meeting in self._meetings])
        numbers = rng.integers(self.n_proposals, size=n)
        found: list[FeatureSet | None] = []
        which = np.searchsorted(ends, numbers, side="right")
        for number, place in zip(numbers.tolist(), which.tolist(), strict=True):
            meeting, until = self._meetings[place], self._until[place]
            number -= int(ends[place - 1]) if place else 0
            left = int(np.searchsorted(until, number, side="right"))
            right = number - (int(until[left - 1]) if left else 0)
            chosen = self._set_of(meeting, left, right)
            sure = right < meeting.sure[left] or self._threshold.counts(chosen)
            found.append(chosen if sure else None)
        return found

    @cached_property
    def _until(self) -> list[Indices]:
        """How many sets there are up to each part on the left."""
        return [np.cumsum(meeting.most) for meeting in self._meetings]

    def occurrences(self) -> Floats:
        """In how many sets each feature is, by position, where the number of sets is certain."""
        total = np.zeros(len(self.sums.features))
        for meeting in self._meetings:
            total[self._left] += _weighted(meeting.left, len(self._left), meeting.sure)
            total[self._right] += _weighted(meeting.right, len(self._right), _uses(meeting))
        for chosen in self._resolved:
            total[self._places_of(chosen)] += 1
        return total

    def pair_occurrences(self) -> Floats:
        """The same for pairs of features, with each feature on the diagonal."""
        once = self.occurrences()
        total = np.zeros((len(once), len(once)))
        for meeting in self._meetings:
            uses = _uses(meeting)
            total[np.ix_(self._left, self._left)] += _weighted_pairs(
                meeting.left, len(self._left), meeting.sure
            )
            total[np.ix_(self._right, self._right)] += _weighted_pairs(meeting.right, len(self._right), uses)
            for feature, position in enumerate(self._right.tolist()):
                having = np.concatenate([[0], np.cumsum((meeting.right == feature).any(axis=1))])
                across = _weighted(meeting.left, len(self._left), having[meeting.sure])
                total[self._left, position] += across
                total[position, self._left] += across
        for chosen in self._resolved:
            places = self._places_of(chosen)
            total[np.ix_(places, places)] += 1
        np.fill_diagonal(total, once)
        return total

    def _doubtful(self) -> list[FeatureSet]:
        """The sets that count but for rounding, or do not."""
        return [
            self._set_of(meeting, left, right)
            for meeting in self._meetings
            for left in np.flatnonzero(meeting.most > meeting.sure).tolist()
            for right in range(meeting.sure[left], meeting.most[left])
        ]

    def _set_of(self, meeting: _Meeting, left: int, right: int) -> FeatureSet:
        positions = np.concatenate([self._left[meeting.left[left]], self._right[meeting.right[right]]])
        return self.sums.set_of(positions)

    def _places_of(self, chosen: FeatureSet) -> Indices:
        """The positions of a set's features, without the base."""
        return np.flatnonzero(np.isin(self.sums.features, chosen))


def _parts(
    own: Floats, other: Floats, k: int, floor: float, most: int, check: Callable[[], object]
) -> tuple[list[Rows], list[Floats]] | None:
    """All parts with features of one half, by size, that others can complete to a sum of ``floor``; None if too many.

    A part is extended by features after its last one. Scores fall, so those that are of use are the first of these.
    """
    completion = _completion(own, other, k, check)
    rows, sums, last = np.zeros((1, 0), dtype=np.uint16), np.zeros(1), np.full(1, -1)
    all_rows, all_sums, n_parts = [], [], 1
    for size in range(k + 1):
        # Those that need no more features of their own half.
        done = sums + completion[len(own), k - size] >= floor
        all_rows.append(rows[done])
        all_sums.append(sums[done])
        if size == k:
            break
        check()
        worth = own + completion[1:, k - size - 1]
        until = np.searchsorted(-worth, -(floor - sums), side="right")
        n_more = np.maximum(until - (last + 1), 0)
        n_parts += int(n_more.sum())
        if n_parts > most:
            return None
        parent = np.repeat(np.arange(len(rows)), n_more)
        first = np.cumsum(n_more) - n_more
        last = np.arange(len(parent)) - first[parent] + last[parent] + 1
        rows = np.concatenate([rows[parent], last[:, None].astype(np.uint16)], axis=1)
        sums = sums[parent] + own[last]
    return all_rows, all_sums


def _completion(own: Floats, other: Floats, k: int, check: Callable[[], object]) -> Floats:
    """The largest sum of r features out of the other half and this one from feature j on, for every j and r up to k.

    Scores fall, so only the next k of this half and the first k of the other one matter.
    """
    padded = np.concatenate([own, np.full(k, -np.inf)])
    best = np.zeros((len(own) + 1, k + 1))
    rows = max(ROWS_AT_A_TIME // max(k, 1), 1)
    for start in range(0, len(own) + 1, rows):
        check()
        until = min(start + rows, len(own) + 1)
        windows = padded[np.arange(start, until)[:, None] + np.arange(k)]
        both = np.concatenate([windows, np.broadcast_to(other[:k], (until - start, len(other[:k])))], axis=1)
        both = np.concatenate([both, np.full((until - start, max(k - both.shape[1], 0)), -np.inf)], axis=1)
        best[start:until, 1:] = np.cumsum(-np.sort(-both, axis=1)[:, :k], axis=1)
    return best


def _uses(meeting: _Meeting) -> Indices:
    """In how many sets each part on the right is."""
    ends = np.bincount(meeting.sure, minlength=len(meeting.right) + 1)
    return len(meeting.sure) - np.cumsum(ends)[: len(meeting.right)]


def _weighted(rows: Rows, n: int, weights: Indices) -> Floats:
    """The sum of the weights of the rows that each of n features is in."""
    total = np.zeros(n)
    for column in rows.T:
        total += np.bincount(column, weights=weights, minlength=n)
    return total


def _weighted_pairs(rows: Rows, n: int, weights: Indices) -> Floats:
    """The same for pairs of features."""
    total = np.zeros(n * n)
    columns = rows.T.astype(np.intp)
    for place, first in enumerate(columns):
        for second in columns[place + 1 :]:
            total += np.bincount(first * n + second, weights=weights, minlength=n * n)
    square = total.reshape(n, n)
    return square + square.T
