"""FCBF: no feature beside another that knows more about it than it knows about the target."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets import measures
from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.quality._checks import common_names, matrix, papers_scaling, relevance_and_pairs, vector
from altsets.quality._form import Form
from altsets.quality._quality import Quality


class FCBF(Quality):
    """Quality of a set = sum of the relevance of its features; some pairs of features exclude each other.

    This is the fast correlation-based filter of Yu and Liu (2003) as the paper turns it into an objective: each
    feature of a set must depend on the target more than on any other feature of the set. Features i and j
    exclude each other if ``relevance[i] <= dependency[i, j]`` or ``relevance[j] <= dependency[j, i]``.

    Parameters
    ----------
    relevance : array-like of shape (n_features,)
        How much each feature depends on the target; any finite numbers.
    dependency : array-like of shape (n_features, n_features)
        How much each feature depends on each other, in the same units as the relevance; row i belongs to feature
        i. It may be asymmetric. The diagonal is ignored.
    scale : float
        Positive factor for the objective. Conflicts are decided without it. The paper takes 1 / sum of relevance.
    min_relevance : float, optional
        Features with a relevance below this are not used at all.
    feature_names : sequence of str, optional
        Names for every output; taken from the labels if the numbers come in pandas objects, else ``x0``, ``x1``, ...

    Attributes
    ----------
    relevance : ndarray of shape (n_features,)
        As given.
    dependency : ndarray of shape (n_features, n_features)
        As given, with a zero diagonal.
    conflicts : ndarray of bool of shape (n_features, n_features)
        Which pairs exclude each other: symmetric.
    allowed : ndarray of bool of shape (n_features,)
        Which features reach ``min_relevance``.

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
        dependency: npt.ArrayLike,
        *,
        scale: float = 1.0,
        min_relevance: float | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        values = vector("relevance", relevance)
        pairs = matrix("dependency", dependency, len(values))
        names = common_names(feature_names, len(values), relevance=relevance, dependency=dependency)
        super().__init__(len(values), names)
        self._refuse_infinite("relevance values", values)
        self._refuse_infinite("dependency values", pairs)
        self.scale = _finite("scale", scale)
        if self.scale <= 0:
            raise InputError(f"scale={scale!r} is not positive; give a factor above 0.")
        self.min_relevance = None if min_relevance is None else _finite("min_relevance", min_relevance)
        self.relevance = values
        self.dependency = pairs
        self.conflicts = _conflicts(values, pairs)
        self.allowed = values >= (-math.inf if self.min_relevance is None else self.min_relevance)
        with np.errstate(over="ignore"):
            self._scaled = values * self.scale
        self._refuse(
            f"relevance values times scale={self.scale:g}",
            ~np.isfinite(self._scaled),
            "too large for a number",
            "give a smaller scale",
        )
        self._refuse(
            f"relevance values times scale={self.scale:g}",
            (self._scaled == 0) & (values != 0) & (self.scale != 0),
            "too small for a number",
            "give a larger scale",
        )
        for array in (self.relevance, self.dependency, self.conflicts, self.allowed, self._scaled):
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

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A NumPy array or a frame with column names: numbers and categories, with missing values if need be.
        y : array-like of shape (n_samples,)
            The target.
        measure : str or callable
            A name in :data:`altsets.measures.PAIR_MEASURES`, or ``measure(X, y) -> scores``.
        scaling : {None, "paper"}
            ``"paper"`` divides the objective by the sum of relevance if it is positive, as the paper's study does;
            that changes no answer.
        min_relevance : float, optional
            Features with a relevance below this are not used at all.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; see :func:`altsets.measures.score`.
        **options
            Passed on to the measure, for the target and for pairs alike (``task`` for the target only).

        Examples
        --------
        >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0]]
        >>> quality = FCBF.from_data(X, [0, 1, 2, 4], measure="pearson")
        >>> quality.conflicts.tolist()
        [[False, True, False], [True, False, False], [False, False, False]]
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
        """What each feature alone is worth: its relevance, times the scale."""
        return self._scaled

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, summed without rounding error; minus infinity if the set is ruled out."""
        chosen = list(indices)
        if not self.allowed[chosen].all() or self.conflicts[chosen][:, chosen].any():
            return -math.inf
        return math.fsum(self._scaled[chosen].tolist())

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers: scaled relevance and conflicts, whatever the size."""
        allowed = None if self.min_relevance is None else self.allowed
        return Form(self._scaled, conflicts=self.conflicts, allowed=allowed)


def _conflicts(relevance: Floats, dependency: Floats) -> Bools:
    outdone = relevance[:, None] <= dependency
    np.fill_diagonal(outdone, False)
    return np.ascontiguousarray(outdone | outdone.T)


def _finite(what: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
        raise InputError(f"{what}={value!r} is not a finite number.")
    return float(value)
