"""Sets of one size whose quality is the sum of their features' scores, and their enumeration from the best down."""

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
from altsets.search.near_best.family import Threshold
from altsets.search.subset.encoding import usable_features
from altsets.search.subset.rules import Rules


@dataclass(frozen=True)
class Sums:
    """All sets of one size: some features that every set has, and any ``n_open`` of the others.

    Attributes
    ----------
    base : int array
        The features in every set.
    features : int array
        The others, the one with the highest score first.
    scores : float array
        Their scores, in engine units.
    n_open : int
        How many of them a set has.
    start : float
        The sum of the scores of the base.
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
        """The sets that may count: the base has all features that all of them have. None if there are none."""
        room = self.room(threshold) + threshold.margin
        if room < 0:
            return None
        going, coming = self.losses
        n_useful = int(np.searchsorted(coming, room, side="right"))
        cheapest = coming[0] if n_useful else math.inf
        n_fixed = int(np.count_nonzero(going + cheapest > room))
        every = self.features[:n_fixed]
        start = math.fsum([self.start, *self.scores[:n_fixed].tolist()])
        kept = slice(n_fixed, self.n_open + n_useful)
        return Sums(
            np.concatenate([self.base, every]),
            self.features[kept],
            self.scores[kept],
            self.n_open - n_fixed,
            start,
        )

    def set_of(self, positions: Sequence[int] | Indices) -> FeatureSet:
        """The set of the base and the features at these positions."""
        return tuple(
            sorted([*self.base.tolist(), *self.features[np.asarray(positions, dtype=np.intp)].tolist()])
        )


def sums_of(quality: Quality, problem: Problem, *, relaxed: bool = False) -> list[Sums] | None:
    """One for each size of sets, if their quality is a sum and nothing else keeps features apart or together.

    ``quality`` is in engine units. ``relaxed``: whatever else keeps them apart or together is left out,
    so that there may be more sets.
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
        if rules is None:
            continue
        features = usable_features(form, rules)
        n_open = size - len(rules.required)
        if features is None or n_open > len(features):
            continue
        base = np.array(sorted(rules.required), dtype=np.intp)
        features = features[np.lexsort((features, -form.linear[features]))]
        start = math.fsum(form.linear[base].tolist())
        found.append(Sums(base, features, np.ascontiguousarray(form.linear[features]), n_open, start))
    return found


def best_first(sums: Sequence[Sums], threshold: Threshold) -> Iterator[FeatureSet]:
    """All sets that count from the best down, each as soon as it is asked for.

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
