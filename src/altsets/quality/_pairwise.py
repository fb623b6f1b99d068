"""Qualities of relevance and of pairs: mRMR, CFS and FCBF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from altsets import measures
from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.features import as_number
from altsets.measures.redundancy import Conflicts, Redundancy
from altsets.quality._quality import (
    Quality,
    common_names,
    matrix,
    papers_scaling,
    relevance_and_pairs,
    size_checked,
    symmetric,
    vector,
)
from altsets.quality.form import Form

#: What to do about a measure that cannot compare features with each other.
ANOTHER_MEASURE = "name another one for that, such as redundancy_measure='pearson'"


class PairwiseQuality(Quality):
    """Checks and keeps relevance and redundancy; how they make a quality is for the classes below to say."""

    _takes_negative_redundancy: ClassVar[bool] = True

    def __init__(
        self,
        relevance: npt.ArrayLike,
        redundancy: npt.ArrayLike | Redundancy,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        values, pairs, names = _numbers("redundancy", relevance, redundancy, feature_names)
        super().__init__(len(values), names)
        self._refuse_infinite("relevance values", values)
        self._redundancy_ranges: dict[bytes, tuple[float, float]] = {}
        self.pairs_on_demand = isinstance(pairs, Redundancy)
        if not self.pairs_on_demand:
            self._refuse_infinite("redundancy values", pairs)
            if not self._takes_negative_redundancy:
                self._refuse("redundancy values", pairs < 0, "negative", "take their absolute values")
            pairs = symmetric(pairs)
            pairs.setflags(write=False)
        values.setflags(write=False)
        self.relevance = values
        self.redundancy: Floats | Redundancy = pairs
        if not self.pairs_on_demand:
            # Every search needs the one of all features, and to find it out takes longer than a short time limit.
            Form(self.relevance, self.redundancy, ranges=self._redundancy_ranges).pair_range()

    @property
    def feature_scores(self) -> Floats:
        return self.relevance

    def _redundancy_in(self, indices: Sequence[int]) -> float:
        """The redundancy of a set, summed over ordered pairs."""
        chosen = np.asarray(indices, dtype=np.intp)
        first, second = _pairs_of(len(chosen))
        # Each pair comes twice, and doubling rounds nothing.
        return 2 * math.fsum(self.redundancy[chosen[first], chosen[second]].tolist())


def _numbers(
    what: str, relevance: npt.ArrayLike, pairs: Any, feature_names: Sequence[str] | None
) -> tuple[Floats, Any, list[str] | None]:
    """Relevance and numbers of pairs in arrays of their own, or pairs on demand; and the names of the features."""
    values = vector("relevance", relevance)
    if not isinstance(pairs, Redundancy):
        labelled = {"relevance": relevance, what: pairs}
        numbers = matrix(what, pairs, len(values))
        return values, numbers, common_names(feature_names, len(values), **labelled)
    if len(pairs) != len(values):
        raise InputError(f"{what} is about {len(pairs):,} features, and relevance about {len(values):,}.")
    return values, pairs, common_names(feature_names, len(values), relevance=relevance)


@lru_cache(maxsize=4)
def _pairs_of(size: int) -> tuple[Indices, Indices]:
    """Which positions of a set make its pairs; kept, as to list them takes longer than to add the pairs up."""
    return np.triu_indices(size, 1)


class MRMR(PairwiseQuality):
    """Quality of a set = mean relevance of its features - mean redundancy of its pairs.

    This is "minimal redundancy, maximal relevance" of Peng, Long and Ding (2005) in the form of Bach (2023): the
    redundancy is averaged over the k (k - 1) ordered pairs of different features. A set of one feature has none.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        How much each feature says about the target; any finite numbers.
    redundancy : array-like of shape (n_features, n_features), or Redundancy
        How much each feature says about each other; any finite numbers. The diagonal is ignored, and an asymmetric
        matrix is replaced by its average with its transpose.
    feature_names : sequence of str, default=None
        Names for every output; taken from the labels if the numbers come in pandas objects, else ``x0``, ``x1``, ...

    See Also
    --------
    altsets.quality.CFS : A ratio of relevance and redundancy instead of a difference.

    References
    ----------
    Peng, H., Long, F. and Ding, C. (2005). Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. IEEE TPAMI 27(8), 1226-1238.

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
            As for :func:`altsets.measures.score`.
        y : array-like of shape (n_samples,)
        measure : str, callable or array, default="mutual_info"
            A name in :data:`altsets.measures.PAIR_MEASURES`, or ``measure(X, y) -> scores``. Any name in
            :data:`altsets.measures.MEASURES`, or one number per feature, will do if there is a ``redundancy_measure``.
        redundancy_measure : str, callable or array, default=None
            Another measure for the pairs, used with its default options; see :func:`altsets.measures.pairwise`.
        scaling : {None, "paper"}, default=None
            ``"paper"`` divides relevance and redundancy by the largest of all these numbers if it is positive, as
            the paper's study does; that changes no answer.
        sample_weight : array-like of shape (n_samples,), default=None
        **options : dict
            Passed on to the measure, for the target and for pairs alike (``task`` for the target only).
        """
        as_in_paper = papers_scaling(scaling)
        relevance, redundancy, names = relevance_and_pairs(
            X, y, measure, redundancy_measure, sample_weight, options, ANOTHER_MEASURE
        )
        if isinstance(redundancy, Redundancy):
            if as_in_paper:
                raise InputError(
                    f"scaling='paper' needs all pairs of {len(relevance):,} features; leave it out, which changes no "
                    "answer."
                )
            return cls(relevance, redundancy, feature_names=names)
        np.fill_diagonal(redundancy, 0.0)
        largest = max(float(relevance.max()), float(redundancy.max()))
        if as_in_paper and largest > 0:
            relevance, redundancy = relevance / largest, redundancy / largest
        return cls(relevance, redundancy, feature_names=names)

    def evaluate(self, indices: Sequence[int]) -> float:
        size = size_checked(len(indices))
        relevance = math.fsum(self.relevance[list(indices)].tolist()) / size
        return relevance if size == 1 else relevance - self._redundancy_in(indices) / (size * (size - 1))

    def form(self, size: int) -> Form:
        size = size_checked(size)
        if size == 1:
            return Form(self.relevance)
        share = 2 / (size * (size - 1))
        return Form(self.relevance / size, self.redundancy, factor=share, ranges=self._redundancy_ranges)


class CFS(PairwiseQuality):
    """Quality of a set = sum of relevance / square root of (size + sum of redundancy over ordered pairs).

    This is the merit of correlation-based feature selection (Hall, 1999). If relevance and redundancy are absolute
    correlations, it estimates the correlation between the target and the sum of the features.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
    redundancy : array-like of shape (n_features, n_features), or Redundancy
        As for :class:`MRMR`, and at least 0: take absolute correlations.
    feature_names : sequence of str, default=None

    See Also
    --------
    altsets.quality.MRMR : A difference of relevance and redundancy instead of a ratio.

    References
    ----------
    Hall, M. A. (1999). Correlation-based feature selection for machine learning. PhD thesis, University of Waikato.

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

        ``X``, ``y``, ``measure``, ``redundancy_measure``, ``sample_weight`` and ``options`` are as for
        :meth:`MRMR.from_data`. Where a measure by name is below 0, the relevance is 0, as the lowest correlation. With
        ``scaling="paper"``, nothing is scaled either: a common factor would change the answers.
        """
        papers_scaling(scaling)
        relevance, redundancy, names = relevance_and_pairs(
            X, y, measure, redundancy_measure, sample_weight, options, ANOTHER_MEASURE
        )
        if isinstance(measure, str):
            relevance = np.maximum(relevance, 0.0)
        return cls(relevance, redundancy, feature_names=names)

    def evaluate(self, indices: Sequence[int]) -> float:
        spread = size_checked(len(indices)) + self._redundancy_in(indices)
        return math.fsum(self.relevance[list(indices)].tolist()) / math.sqrt(spread)

    def form(self, size: int) -> Form:
        size_checked(size)
        return Form(self.relevance, self.redundancy, ratio=True, factor=2.0, ranges=self._redundancy_ranges)


class FCBF(Quality):
    """Quality of a set = sum of the relevance of its features; some pairs of features exclude each other.

    This is the fast correlation-based filter of Yu and Liu (2003) as Bach (2023) turns it into an objective: each
    feature of a set must depend on the target more than on any other feature of the set. Features i and j
    exclude each other if ``relevance[i] <= dependency[i, j]`` or ``relevance[j] <= dependency[j, i]``.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        How much each feature depends on the target; any finite numbers.
    dependency : array-like of shape (n_features, n_features), or Redundancy
        How much each feature depends on each other, in the same units as the relevance; row i belongs to feature
        i. It may be asymmetric. The diagonal is ignored.
    scale : float, default=1.0
        Positive factor for the objective. Conflicts are decided without it. Bach (2023) takes 1 / sum of relevance.
    min_relevance : float, default=None
        Features with a relevance below this are not used at all.
    feature_names : sequence of str, default=None

    Attributes
    ----------
    conflicts : ndarray of bool of shape (n_features, n_features)
        Which pairs exclude each other: symmetric.
    allowed : ndarray of bool of shape (n_features,)
        Which features reach ``min_relevance``.

    See Also
    --------
    altsets.quality.MRMR : Redundancy lowers the quality instead of ruling sets out.

    References
    ----------
    Yu, L. and Liu, H. (2003). Feature selection for high-dimensional data: a fast correlation-based filter solution.
    ICML.

    Examples
    --------
    >>> quality = FCBF([0.75, 0.5, 0.25], [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    >>> quality.evaluate((0, 2))
    1.0
    >>> quality.evaluate((0, 1))  # the second feature says as much about the first as about the target
    -inf
    """

    size_normalised = False

    def __init__(
        self,
        relevance: npt.ArrayLike,
        dependency: npt.ArrayLike | Redundancy,
        *,
        scale: float = 1.0,
        min_relevance: float | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        values, pairs, names = _numbers("dependency", relevance, dependency, feature_names)
        super().__init__(len(values), names)
        self.pairs_on_demand = isinstance(pairs, Redundancy)
        self._refuse_infinite("relevance values", values)
        if not self.pairs_on_demand:
            self._refuse_infinite("dependency values", pairs)
        self.scale = _finite("scale", scale)
        if self.scale <= 0:
            raise InputError(f"scale={scale!r} is not positive; give a factor above 0.")
        self.min_relevance = None if min_relevance is None else _finite("min_relevance", min_relevance)
        self.relevance = values
        self.dependency = pairs
        self.conflicts: Any = Conflicts(pairs, values) if self.pairs_on_demand else _conflicts(values, pairs)
        self.allowed = values >= (-math.inf if self.min_relevance is None else self.min_relevance)
        with np.errstate(over="ignore"):
            self._scaled = values * self.scale
        scaled, vanished = f"relevance values times scale={self.scale:g}", (self._scaled == 0) & (values != 0)
        self._refuse(scaled, ~np.isfinite(self._scaled), "too large for a number", "give a smaller scale")
        self._refuse(scaled, vanished, "too small for a number", "give a larger scale")
        for array in (self.relevance, self.dependency, self.conflicts, self.allowed, self._scaled):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        measure: Any = "mutual_info",
        scaling: str | None = None,
        min_relevance: float | None = None,
        sample_weight: Any = None,
        **options: Any,
    ) -> FCBF:
        """Measure how much each column of a table says about the target and about the other columns.

        ``X``, ``y``, ``sample_weight`` and ``options`` are as for :meth:`MRMR.from_data`. The ``measure`` is a name in
        :data:`altsets.measures.PAIR_MEASURES`, or ``measure(X, y) -> scores``; ``min_relevance`` is that of the class.
        ``scaling="paper"`` divides the objective by the sum of relevance if it is positive; that changes no answer.
        """
        as_in_paper = papers_scaling(scaling)
        advice = f"choose {' or '.join(map(repr, measures.PAIR_MEASURES))}"
        relevance, dependency, names = relevance_and_pairs(
            X, y, measure, None, sample_weight, options, advice
        )
        total = float(np.sum(relevance))
        scale = 1 / total if as_in_paper and 0 < total < math.inf else 1.0
        return cls(relevance, dependency, scale=scale, min_relevance=min_relevance, feature_names=names)

    @property
    def feature_scores(self) -> Floats:
        return self._scaled

    def evaluate(self, indices: Sequence[int]) -> float:
        chosen = np.asarray(indices, dtype=np.intp)
        # np.ix_ would take longer than all the rest.
        if not self.allowed[chosen].all() or self.conflicts[chosen[:, None], chosen[None, :]].any():
            return -math.inf
        return math.fsum(self._scaled[chosen].tolist())

    def form(self, size: int) -> Form:
        allowed = None if self.min_relevance is None else self.allowed
        return Form(self._scaled, conflicts=self.conflicts, allowed=allowed)


def _conflicts(relevance: Floats, dependency: Floats) -> Bools:
    outdone = relevance[:, None] <= dependency
    np.fill_diagonal(outdone, False)
    return np.ascontiguousarray(outdone | outdone.T)


def _finite(what: str, value: Any) -> float:
    number = as_number(value)
    if not math.isfinite(number):
        raise InputError(f"{what}={value!r} is not a finite number.")
    return number
