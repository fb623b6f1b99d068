"""What all parts of the search for the largest minimum share: the instance, the incumbent and the bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.search.additive.limits import AdditiveLimits
from altsets.search.additive.masks import bits, mask_of, positions_of
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates
from altsets.search.tolerances import PROVEN

__all__ = ["MaxMinState"]


class MaxMinState:
    """An instance with its incumbent and its bound.

    Scores are shifted so that the least is zero: kernels rely on features never making a set worse. All values here
    are in shifted scores; the run hears of them in the scores of the problem.

    Parameters
    ----------
    quality : Additive
    problem : Problem
    candidates : Candidates
        The features to choose from.
    run : Run
    limits : AdditiveLimits

    Attributes
    ----------
    scores : float array
        The shifted scores; ``shift`` is what was taken off each.
    tolerance : float
        Differences of two qualities up to this are rounding error.
    existing, existing_masks, existing_caps : arrays
        The existing sets as rows and as masks, and how many features a new set may share with each.
    first, sets : list of sets
        The first solution, and the best one.
    best, bound : float
        The smallest quality in the best solution; no solution has a larger one than ``bound``.
    """

    def __init__(
        self, quality: Additive, problem: Problem, candidates: Candidates, run: Run, limits: AdditiveLimits
    ) -> None:
        self.quality, self.problem, self.candidates = quality, problem, candidates
        self.run, self.limits = run, limits
        self.shift = float(np.min(candidates.scores))
        self.scores: Floats = candidates.scores - self.shift
        self.tolerance = candidates.difference_tolerance(problem.n_features)
        self.existing = positions_of(problem.existing, candidates)
        self.existing_masks = [mask_of(np.flatnonzero(row)) for row in self.existing]
        self.existing_caps = np.array(problem.existing_overlaps, dtype=np.intc)
        self.first: list[FeatureSet] = []
        self.sets: list[FeatureSet] = []
        self.best = -math.inf
        self.bound = math.inf
        self._head_values: dict[int, float] = {}

    @property
    def offset(self) -> float:
        """What the shift takes off the quality of a set."""
        return self.problem.n_features * self.shift

    @property
    def is_proven(self) -> bool:
        """Whether the best minimum is proven."""
        scale = float(np.max(self.scores))
        return self.bound - self.best <= min(PROVEN, max(self.limits.proven_gap * scale, self.tolerance))

    @property
    def is_nearly_proven(self) -> bool:
        """Whether the gap is too small for users to care and, with many sets of many features, too small to close."""
        return self._relative_gap <= self.limits.small_gap

    @property
    def _relative_gap(self) -> float:
        """The gap as a share of the minimum; inf if that is zero."""
        worst = abs(self.best + self.offset)
        return (self.bound - self.best) / worst if worst else math.inf

    def smallest_quality(self, sets: Sequence[FeatureSet]) -> float:
        """What counts, in shifted scores."""
        return min(map(self.quality.evaluate, sets)) - self.offset

    def update_incumbent(self, sets: Sequence[FeatureSet]) -> None:
        """Keep these sets if their worst one is better."""
        worst = min(map(self.quality.evaluate, sets))
        value = worst - self.offset
        self.first = self.first or list(sets)
        if value > self.best:
            self.best, self.sets = value, list(sets)
            self.run.update_incumbent(sets, worst)

    def replace_incumbent(self, sets: Sequence[FeatureSet]) -> None:
        """Go on from these sets, even if they are worse; the run keeps the better ones."""
        self.best = -math.inf
        self.update_incumbent(sets)

    def update_bound(self, bound: float) -> None:
        """No solution has a larger minimum."""
        self.bound = max(min(self.bound, bound), self.best)
        self.run.update_bound(self.bound + self.offset)

    def head_value(self, head: int) -> float:
        """The score of the features in a mask."""
        if head not in self._head_values:
            self._head_values[head] = float(sum(self.scores[position] for position in bits(head)))
        return self._head_values[head]

    def overlap_left(self, first: int, second: int) -> int:
        """How many more features two sets may share that hold the features in these masks."""
        return self.problem.max_overlap - (first & second).bit_count()
