"""CFS: relevance of a set, divided by how much its features repeat each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from altsets.quality._checks import size_checked
from altsets.quality._data import papers_scaling
from altsets.quality._form import Form
from altsets.quality._pairwise import PairwiseQuality

__all__ = ["CFS"]


class CFS(PairwiseQuality):
    """Quality of a set = sum of relevance / square root of (size + sum of redundancy over ordered pairs).

    This is the merit of correlation-based feature selection (Hall, 1999). If relevance and redundancy are absolute
    correlations, it estimates the correlation between the target and the sum of the features.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        How much each feature says about the target; any finite numbers.
    redundancy : array-like of shape (n_features, n_features)
        How much each feature says about each other; finite and at least 0 (take absolute correlations). The
        diagonal is ignored. Only the mean of ``redundancy[i, j]`` and ``redundancy[j, i]`` matters, so an
        asymmetric matrix is replaced by its average with its transpose.
    feature_names : sequence of str, optional
        Names for every output; taken from the labels if the numbers come in pandas objects, else ``x0``, ``x1``, ...

    Attributes
    ----------
    relevance : ndarray of shape (n_features,)
        As given.
    redundancy : ndarray of shape (n_features, n_features)
        Symmetric, with a zero diagonal.

    Examples
    --------
    >>> quality = CFS([0.75, 0.5, 0.5], [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> quality.evaluate((0, 1)), round(quality.evaluate((0, 2)), 6), quality.evaluate((0,))
    (0.625, 0.883883, 0.75)
    """

    size_normalised = True
    _takes_negative_redundancy = False

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        measure: Any = "pearson",
        redundancy_measure: Any = None,
        scaling: str | None = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> CFS:
        """Measure how much each column of a table says about the target and about the other columns.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A NumPy array or a frame with column names: numbers and categories, with missing values if need be.
        y : array-like of shape (n_samples,)
            The target.
        measure : str, callable or array
            A name in :data:`altsets.measures.PAIR_MEASURES`, or ``measure(X, y) -> scores``. Any name in
            :data:`altsets.measures.MEASURES`, or one number per feature, will do if there is a ``redundancy_measure``.
        redundancy_measure : str, callable or array, optional
            Another measure for the pairs, used with its default options; see :func:`altsets.measures.pairwise`.
            Measures that compare features with the target only, such as ``"relief"``, need one; where they say less
            than nothing (below 0), the relevance is 0, as the lowest correlation.
        scaling : {None, "paper"}
            Nothing is scaled either way: a common factor would change the answers.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; see :func:`altsets.measures.score`.
        **options
            Passed on to the measure, for the target and for pairs alike (``task`` for the target only).

        Examples
        --------
        >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0]]
        >>> quality = CFS.from_data(X, [0, 1, 2, 4])
        >>> round(quality.evaluate((0, 1)) - quality.evaluate((0,)), 12)  # the same in other units
        0.0
        """
        papers_scaling(scaling)
        relevance, redundancy, names = cls._measured(
            X, y, measure, redundancy_measure, sample_weight, options
        )
        if isinstance(measure, str):
            relevance = np.maximum(relevance, 0.0)
        return cls(relevance, redundancy, feature_names=names)

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, with sums free of rounding error."""
        spread = size_checked(len(indices)) + self._redundancy_in(indices)
        return math.fsum(self.relevance[list(indices)].tolist()) / math.sqrt(spread)

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers: a ratio, the same for every size."""
        size_checked(size)
        return Form(self.relevance, self.redundancy, ratio=True, factor=2.0, ranges=self._redundancy_ranges)
