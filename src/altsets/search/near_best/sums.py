"""Limits, thresholds, and sets whose quality is the sum of their features' scores, counted by meeting in the middle."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.subset.encoding import usable_features
from altsets.search.subset.rules import Rules

#: Numbers that are sorted in one go.
ROWS_AT_A_TIME = 1_000_000

#: Parts of sets: one row of positions for each.
Rows = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class NearBestLimits:
    """Limits of :func:`altsets.near_best`."""

    #: Half sets of one size that are listed: a few hundred megabytes. Beyond it, scores are rounded.
    max_half_sets: int = 3_000_000
    #: Sets that are counted even if time is up.
    unchecked_sets: int = 1_000
    #: Sets so close to the threshold that their qualities are computed one by one.
    max_doubtful: int = 50_000

    #: Steps from the best quality to the threshold in the first table; each further table has twice as many.
    first_steps: int = 256
    #: The largest number of steps, and of additions for one table: some ten seconds.
    max_steps: int = 2**20
    max_additions: float = 1e10
    #: Additions that are made whether or not there is time.
    unchecked_additions: float = 1e7
    #: How far apart the ends of the interval may be, as a fraction of the lower one.
    precision: float = 0.01
    #: Additions of whole numbers of any length, which take a hundred times as long.
    max_long_additions: float = 5e7
    #: Numbers that are kept to draw sets from: a sixth of a gigabyte.
    max_kept: int = 20_000_000
    #: How many times the true number of sets may be drawn from: the other draws are rejected.
    max_overdraw: float = 2.0
    #: Sets that are drawn to estimate how often features occur: half a per cent off at most, mostly.
    n_draws: int = 10_000
    #: Sets that are drawn at a time, and how many of these rounds may bring nothing.
    draws_at_a_time: int = 100_000
    max_rounds: int = 200

    #: Sets that are listed, and the features of all of them: a gigabyte at its peak.
    max_listed: int = 10_000_000
    max_listed_features: int = 100_000_000
    #: Nodes of a first search for all sets; if it takes longer, the best ones are listed before.
    trial_nodes: int = 500_000
    #: Fractions of the way from the best quality to the threshold within which sets are listed before the rest.
    parts: tuple[float, ...] = (1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4)
    #: Sets of almost equal quality that are put in order at a time.
    max_in_order: int = 10_000
    #: Rows of a list that are processed at a time.
    rows_at_a_time: int = 1_000_000

    #: Unconstrained sets drawn at a time to see how many are valid, and the least share for which drawing pays.
    trial_draws: int = 1000
    min_kept: float = 0.02

    #: Sets that a function is called for, if that is all of them.
    max_asked: int = 10_000
    #: Else it is called for this many that are drawn at random, after a search for the best one.
    n_asked: int = 9_000
    #: The part of the time that this search may take.
    search_part: float = 0.25


NEAR_BEST_LIMITS = NearBestLimits()


@dataclass(frozen=True)
class Threshold:
    """The quality from which on a set counts.

    ``cutoff`` is in user units, less what counts as equal; ``value`` is the same in engine units. Sets within the
    rounding error ``margin`` of it are evaluated.
    """

    quality: Quality
    cutoff: float
    value: float
    margin: float

    def counts(self, chosen: FeatureSet) -> bool:
        """Whether a set counts, by the definition."""
        return self.quality.evaluate(chosen) >= self.cutoff


@dataclass(frozen=True)
class Sums:
    """All sets of one size, in engine units: ``base``, of the sum ``start``, plus ``n_open`` others, best first."""

    base: Indices
    features: Indices
    scores: Floats
    n_open: int
    start: float

    @cached_property
    def best(self) -> float:
        """The largest sum of ``n_open`` scores."""
        return math.fsum(self.scores[: self.n_open].tolist())

    @property
    def n_sets(self) -> int:
        """How many sets there are at all."""
        return math.comb(len(self.features), self.n_open)

    def room(self, threshold: Threshold) -> float:
        """What the best set may lose and still count; negative if it does not count."""
        return self.best - (threshold.value - self.start)

    @property
    def losses(self) -> tuple[Floats, Floats]:
        """What the best set loses by each of its features that leaves, and by each other one that enters."""
        last = self.scores[self.n_open - 1] if self.n_open else 0.0
        return self.scores[: self.n_open] - last, last - self.scores[self.n_open :]

    def near(self, threshold: Threshold) -> Sums | None:
        """The sets that may count, with all features that they share in the base; None if there are none."""
        room = self.room(threshold) + threshold.margin
        if room < 0:
            return None
        going, coming = self.losses
        n_useful = int(np.searchsorted(coming, room, side="right"))
        cheapest = coming[0] if n_useful else math.inf
        n_fixed = int(np.count_nonzero(going + cheapest > room))
        base = np.concatenate([self.base, self.features[:n_fixed]])
        start = math.fsum([self.start, *self.scores[:n_fixed].tolist()])
        kept = slice(n_fixed, self.n_open + n_useful)
        return Sums(base, self.features[kept], self.scores[kept], self.n_open - n_fixed, start)

    def set_of(self, positions: Sequence[int] | Indices) -> FeatureSet:
        """The set of the base and the features at these positions."""
        chosen = self.features[np.asarray(positions, dtype=np.intp)]
        return tuple(sorted([*self.base.tolist(), *chosen.tolist()]))


def sums_of(quality: Quality, problem: Problem, *, relaxed: bool = False) -> list[Sums] | None:
    """One for each size if quality is a sum and no rule is about several features; ``relaxed`` drops such rules."""
    if not relaxed and not problem.rules.only_single:
        return None
    found = []
    known = np.zeros(0, dtype=np.intp), np.zeros(0)
    features, scores = known
    for size in problem.sizes:
        form = quality.form(size)
        conflicts = form.conflicts is not None and bool(form.conflicts.any())
        if not form.is_sum or (conflicts and not relaxed):
            return None
        rules = Rules.of(problem, size)
        usable = None if rules is None else usable_features(form, rules)
        if rules is None or usable is None or size - len(rules.required) > len(usable):
            continue
        base = np.array(sorted(rules.required), dtype=np.intp)
        values = form.linear[usable]
        # To sort a million features takes long, and most sizes have the same ones.
        if not (np.array_equal(usable, known[0]) and np.array_equal(values, known[1])):
            known = usable, values
            order = np.argsort(-values, kind="stable")
            features, scores = usable[order], values[order]
        start = math.fsum(form.linear[base].tolist())
        found.append(Sums(base, features, scores, size - len(base), start))
    return found


def best_first(sums: Sequence[Sums], threshold: Threshold) -> Iterator[FeatureSet]:
    """All sets that count from the best down, lazily."""
    # Each set has one parent, in which its first feature that is not among the best is one place better: so at most two
    # children, none better than itself, and a heap of them gives the order.
    waiting: list[tuple[float, FeatureSet, int, tuple[int, ...]]] = []

    def add(number: int, positions: tuple[int, ...]) -> None:
        chosen = sums[number].set_of(positions)
        value = threshold.quality.evaluate(chosen)
        if value >= threshold.cutoff:
            heapq.heappush(waiting, (-value, chosen, number, positions))

    for number, some in enumerate(sums):
        add(number, tuple(range(some.n_open)))
    while waiting:
        _, chosen, number, positions = heapq.heappop(waiting)
        yield chosen
        n, k = len(sums[number].features), len(positions)
        moved = next((place for place, position in enumerate(positions) if position > place), k)
        for place in (moved - 1, moved):
            if 0 <= place < k:
                after = positions[place] + 1
                if after < (positions[place + 1] if place + 1 < k else n):
                    add(number, (*positions[:place], after, *positions[place + 1 :]))


# Meeting in the middle: for each half of the features, all parts are listed that can be completed to a set that counts;
# the right parts that complete a left one are the first ones of a sorted list.


@dataclass(frozen=True)
class _Meeting:
    """Left parts of one size, the right parts that complete them, and how many of these do.

    The first sure[i] right parts make a set with part i that counts for sure; the first most[i] may, up to rounding.
    """

    left: Rows
    right: Rows
    sure: Indices
    most: Indices


class HalvedSums:
    """The sets of one size that count, by parts on the left and on the right.

    Up to rounding, ``n_proposals`` count; the two ``bounds`` differ if too many of these are too close to the
    threshold.
    """

    def __init__(
        self,
        sums: Sums,
        halves: Sequence[tuple[Indices, list[Rows], list[Floats]]],
        threshold: Threshold,
        limits: NearBestLimits,
        check: Callable[[], object],
    ) -> None:
        self.sums, self._threshold = sums, threshold
        # Of each half the positions of its features, and the parts of sets with their sums, by size.
        (self._left, left_rows, left_sums), (self._right, right_rows, right_sums) = halves
        floor, margin, k = threshold.value - sums.start, threshold.margin, sums.n_open
        self._meetings = []
        for size, (rows, values) in enumerate(zip(left_rows, left_sums, strict=True)):
            check()
            other, other_values = right_rows[k - size], right_sums[k - size]
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
            halves.append((own, *parts))
        return cls(sums, halves, threshold, limits, check)

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
        """The sets so close to the threshold that rounding decides."""
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
    """All parts in one half, by size, that others can complete to a sum of ``floor``; None if too many."""
    # A part is extended by features after its last one; scores fall, so the useful ones come first.
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
    """The largest sum of r features of the other half and of this one from j on, for all j and r <= k; scores fall."""
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
