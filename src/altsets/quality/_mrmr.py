"""mRMR: relevant features that say different things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from altsets.quality._checks import size_checked
from altsets.quality._data import papers_scaling
from altsets.quality._form import Form
from altsets.quality._pairwise import PairwiseQuality

__all__ = ["MRMR"]


class MRMR(PairwiseQuality):
    """Quality of a set = mean relevance of its features - mean redundancy of its pairs.

    This is "minimal redundancy, maximal relevance" of Peng, Long and Ding (2005) in the form of the paper: a
    feature is not redundant to itself, and the redundancy is averaged over the k (k - 1) ordered pairs of
    different features. A set of one feature has no redundancy.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        How much each feature says about the target; any finite numbers.
    redundancy : array-like of shape (n_features, n_features)
        How much each feature says about each other; any finite numbers. The diagonal is ignored. Only the mean of
        ``redundancy[i, j]`` and ``redundancy[j, i]`` matters, so an asymmetric matrix is replaced by its average
        with its transpose.
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
    >>> quality = MRMR([0.75, 0.5, 0.5], [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]])
    >>> quality.evaluate((0, 1)), quality.evaluate((0, 2)), quality.evaluate((0,))
    (0.125, 0.375, 0.75)
    """

    size_normalised = True

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        measure: Any = "mutual_info",
        redundancy_measure: Any = None,
        scaling: str | None = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> MRMR:
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
        scaling : {None, "paper"}
            ``"paper"`` divides relevance and redundancy by the largest of all these numbers if it is positive, as
            the paper's study does; that changes no answer.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; see :func:`altsets.measures.score`.
        **options
            Passed on to the measure, for the target and for pairs alike (``task`` for the target only).

        Examples
        --------
        >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0]]
        >>> quality = MRMR.from_data(X, [0, 1, 2, 4], measure="pearson")
        >>> quality.evaluate((0, 1)) < quality.evaluate((0, 2))
        True
        """
        as_in_paper = papers_scaling(scaling)
        relevance, redundancy, names = cls._measured(
            X, y, measure, redundancy_measure, sample_weight, options
        )
        np.fill_diagonal(redundancy, 0.0)
        largest = max(float(relevance.max()), float(redundancy.max()))
        if as_in_paper and largest > 0:
            relevance, redundancy = relevance / largest, redundancy / largest
        return cls(relevance, redundancy, feature_names=names)

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, with sums free of rounding error."""
        size = size_checked(len(indices))
        relevance = math.fsum(self.relevance[list(indices)].tolist()) / size
        return relevance if size == 1 else relevance - self._redundancy_in(indices) / (size * (size - 1))

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers: both means as sums."""
        size = size_checked(size)
        if size == 1:
            return Form(self.relevance)
        share = 2 / (size * (size - 1))
        return Form(self.relevance / size, self.redundancy, factor=share, ranges=self._redundancy_ranges)
