"""Additive quality: a set is as good as the sum of the scores of its features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets import measures
from altsets.arrays import Floats
from altsets.quality._quality import Quality, common_names, papers_scaling, vector
from altsets.quality.form import Form


class Additive(Quality):
    """Quality of a set = sum of the scores of its features.

    Parameters
    ----------
    scores : array-like of float
        One finite score for each feature, larger is better; zero, negative and equal scores are legal.
    feature_names : sequence of str, default=None
        Names for every output; taken from the index if ``scores`` is a pandas Series, else ``x0``, ``x1``, ...

    See Also
    --------
    altsets.quality.MRMR : Also counts how much features say about each other.

    Examples
    --------
    >>> quality = Additive([0.5, 0.25, 2.0], feature_names=["age", "height", "weight"])
    >>> quality.evaluate((0, 2))
    2.5
    >>> quality.feature_names
    ['age', 'height', 'weight']
    """

    size_normalised = False

    def __init__(self, scores: npt.ArrayLike, *, feature_names: Sequence[str] | None = None) -> None:
        values = vector("scores", scores)
        super().__init__(len(values), common_names(feature_names, len(values), scores=scores))
        self._refuse_infinite("scores", values)
        values.setflags(write=False)
        self.scores = values

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        measure: Any = "mutual_info",
        scaling: str | None = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> Additive:
        """Score each column of a table against the target, then add the scores up.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for :func:`altsets.measures.score`.
        y : array-like of shape (n_samples,)
        measure : str, callable or array, default="mutual_info"
            Name of a measure (see :data:`altsets.measures.MEASURES`), ``measure(X, y) -> scores``, or the scores.
        scaling : {None, "paper"}, default=None
            ``"paper"`` divides the scores by their sum if it is positive, which changes no answer.
        sample_weight : array-like of shape (n_samples,), default=None
        **options : dict
            Passed on to the measure.
        """
        as_in_paper = papers_scaling(scaling)
        scores, names = measures.score(X, y, measure, sample_weight=sample_weight, **options)
        total = float(np.sum(scores))
        if as_in_paper and 0 < total < math.inf:
            scores = scores / total
        return cls(scores, feature_names=names)

    @property
    def feature_scores(self) -> Floats:
        return self.scores

    def evaluate(self, indices: Sequence[int]) -> float:
        return math.fsum(self.scores[list(indices)].tolist())

    def form(self, size: int) -> Form:
        return Form(self.scores)
