"""Better solutions by annealing: features are exchanged at random, ever more reluctant to do harm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets._kernels.exchanges import anneal
from altsets.constraints import Forbid, Size
from altsets.problem import FeatureSet
from altsets.search.good_sets import GoodSets
from altsets.search.run import Run

__all__ = ["Walks"]

#: How reluctant a walk is at first and at last: by how much a step may do harm, as a share of the gap.
HOT, COLD = 0.1, 0.005
#: What two features that exclude each other cost, in units of what a set can be worth.
CONFLICT = 10.0


class Walks:
    """Walks around solutions, where sets have one size and no rule but those on features and on what sets share.

    Parameters
    ----------
    good : GoodSets
    smallest : bool
        Whether the worst set counts instead of the sum.
    run : Run
    """

    def __init__(self, good: GoodSets, smallest: bool, run: Run) -> None:
        self.good, self.smallest, self.run = good, smallest, run
        self._seed = 0
        problem = good.problem
        plain = all(isinstance(rule, Forbid | Size) for rule in problem.constraints)
        self.possible = plain and good.can_be_priced and problem.fixed_size and len(good.sizes) == 1
        if self.possible:
            form = good.sizes[0].form
            inside = np.asarray(good.features)
            self._scores = form.linear[inside]
            self._pairs = form.pairs_among(inside, run.check) if form.has_pairs else None
            if form.conflicts is not None:
                pairs = np.zeros((len(good.features),) * 2) if self._pairs is None else self._pairs
                self._pairs = pairs + CONFLICT * good.reach * form.conflicts[np.ix_(inside, inside)]
            self._fixed = self._members(problem.existing)
            self._caps = np.array(problem.existing_overlaps, dtype=np.intc)

    def improve(
        self, sets: Sequence[FeatureSet], bound: float, steps: int, heat: float = 1.0
    ) -> list[FeatureSet]:
        """What another walk makes of these sets; nothing where there are none, or rules that no walk knows.

        ``bound`` is an upper bound on what counts; without one a walk does not know how much harm is too much. With
        more ``heat`` it may do so many times as much, and gets further away from these sets.
        """
        if not sets or not self.possible or not math.isfinite(bound):
            return []
        self._seed += 1
        inside = anneal(
            self._scores,
            self._members(sets),
            self._fixed,
            self._caps,
            self.good.problem.max_overlap,
            bound,
            steps,
            self._seed,
            self.run.tick,
            pairs=self._pairs,
            summing=not self.smallest,
            hot=heat * HOT,
            cold=heat * COLD,
        )
        features = np.asarray(self.good.features)
        return [tuple(sorted(features[places].tolist())) for places in inside]

    def _members(self, sets: Sequence[FeatureSet]) -> npt.NDArray[np.uint8]:
        """Which places lie in each set, as rows of zeros and ones."""
        members = np.zeros((len(sets), len(self.good.features)), dtype=np.uint8)
        for row, chosen in zip(members, sets, strict=True):
            places = self.good.place[list(chosen)]
            row[places[places >= 0]] = 1
        return members
