"""What mRMR and CFS share: relevance of features and redundancy of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.quality._checks import common_names, matrix, symmetric, vector
from altsets.quality._data import relevance_and_pairs
from altsets.quality._form import Form
from altsets.quality._quality import Quality

__all__ = ["PairwiseQuality"]


class PairwiseQuality(Quality):
    """Checks and keeps relevance and redundancy; how they make a quality is for the classes below to say."""

    _takes_negative_redundancy: ClassVar[bool] = True

    def __init__(
        self,
        relevance: npt.ArrayLike,
        redundancy: npt.ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        values = vector("relevance", relevance)
        pairs = matrix("redundancy", redundancy, len(values))
        names = common_names(feature_names, len(values), relevance=relevance, redundancy=redundancy)
        super().__init__(len(values), names)
        self._refuse_infinite("relevance values", values)
        self._refuse_infinite("redundancy values", pairs)
        if not self._takes_negative_redundancy:
            self._refuse("redundancy values", pairs < 0, "negative", "take their absolute values")
        self.relevance = values
        self.redundancy = symmetric(pairs)
        for numbers in (self.relevance, self.redundancy):
            numbers.setflags(write=False)
        # Every search needs the one of all features, and to find it out takes longer than a short time limit.
        self._redundancy_ranges: dict[bytes, tuple[float, float]] = {}
        Form(self.relevance, self.redundancy, ranges=self._redundancy_ranges).pair_range()

    @property
    def feature_scores(self) -> Floats:
        """What each feature alone is worth: its relevance."""
        return self.relevance

    @staticmethod
    def _measured(
        X: Any, y: Any, measure: Any, redundancy_measure: Any, sample_weight: Any, options: dict[str, Any]
    ) -> tuple[Floats, Floats, list[str] | None]:
        advice = "name another one for that, such as redundancy_measure='pearson'"
        return relevance_and_pairs(X, y, measure, redundancy_measure, sample_weight, options, advice)

    def _redundancy_in(self, indices: Sequence[int]) -> float:
        """The redundancy of a set, summed over ordered pairs."""
        chosen = np.asarray(indices, dtype=np.intp)
        first, second = _pairs_of(len(chosen))
        # Each pair comes twice, and doubling rounds nothing.
        return 2 * math.fsum(self.redundancy[chosen[first], chosen[second]].tolist())


@lru_cache(maxsize=4)
def _pairs_of(size: int) -> tuple[Indices, Indices]:
    """Which positions of a set make its pairs; kept, as to list them takes longer than to add the pairs up."""
    return np.triu_indices(size, 1)
