"""Limits, thresholds, and sets of one size whose quality is the sum of their features' scores."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.subset.encoding import usable_features
from altsets.search.subset.rules import Rules


@dataclass(frozen=True)
class NearBestLimits:
    """Limits of :func:`altsets.near_best`."""

    # --- Meeting in the middle ----------------------------------------------------------------------

    #: Half sets of one size that are listed: a few hundred megabytes. Beyond it, scores are rounded.
    max_half_sets: int = 3_000_000
    #: Sets that are counted even if time is up.
    unchecked_sets: int = 1_000
    #: Sets so close to the threshold that their qualities are computed one by one.
    max_doubtful: int = 50_000

    # --- Rounded scores -----------------------------------------------------------------------------

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
    #: How many times the true number of sets may be drawn from: the others are drawn in vain.
    max_in_vain: float = 2.0
    #: Sets that are drawn to estimate how often features occur: half a per cent off at most, mostly.
    n_draws: int = 10_000
    #: Sets that are drawn at a time, and how many of these rounds may bring nothing.
    draws_at_a_time: int = 100_000
    max_rounds: int = 200

    # --- Lists --------------------------------------------------------------------------------------

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

    # --- Sums under constraints ---------------------------------------------------------------------

    #: Sets without constraints that are drawn to see how many keep to them, and the least share that makes it worth
    #: drawing from them.
    trial_draws: int = 1000
    min_kept: float = 0.02

    # --- Black boxes --------------------------------------------------------------------------------

    #: Sets that a function is called for.
    max_asked: int = 10_000


NEAR_BEST_LIMITS = NearBestLimits()


@dataclass(frozen=True)
class Threshold:
    """The quality from which on a set counts.

    ``cutoff`` is in units of the user's quality, less what counts as equal; ``value`` is the same in engine units. Sets
    whose value is within ``margin`` of it, the rounding error, are evaluated.
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
    """All sets of one size: the features of ``base``, and any ``n_open`` of the others.

    The others come with the highest score first; ``start`` is the sum of the scores of the base. In engine units.
    """

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
        """What the best set loses by each of its features that goes, and by each other one that comes instead.

        Each set is the best one after some exchanges: as many features come as go.
        """
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
    """One for each size of sets, if their quality (in engine units) is a sum and no rule is about several features.

    ``relaxed`` leaves such rules and conflicts out, so that there may be more sets.
    """
    if not relaxed and not problem.rules.only_single:
        return None
    found = []
    for size in problem.sizes:
        form = quality.form(size)
        conflicts = form.conflicts is not None and bool(form.conflicts.any())
        if form.has_pairs or (conflicts and not relaxed):
            return None
        rules = Rules.of(problem, size)
        features = None if rules is None else usable_features(form, rules)
        if rules is None or features is None or size - len(rules.required) > len(features):
            continue
        base = np.array(sorted(rules.required), dtype=np.intp)
        features = features[np.lexsort((features, -form.linear[features]))]
        start = math.fsum(form.linear[base].tolist())
        scores = np.ascontiguousarray(form.linear[features])
        found.append(Sums(base, features, scores, size - len(base), start))
    return found


def best_first(sums: Sequence[Sums], threshold: Threshold) -> Iterator[FeatureSet]:
    """All sets that count from the best down, lazily.

    A set comes from the one in which its first feature that is not among the best is one place better. So each has at
    most two that come from it, none better than itself, and the best of those at hand is the next one.
    """
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
