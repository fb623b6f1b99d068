"""Additive quality: a set is as good as the sum of the scores of its features."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError

__all__ = ["Additive"]


class Additive:
    """Quality of a set = sum of the scores of its features.

    Parameters
    ----------
    scores : array-like of float
        One finite score for each feature, larger is better; zero, negative and equal scores are legal.
    feature_names : sequence of str, optional
        Names for every output; taken from the index if ``scores`` is a pandas Series, else ``x0``, ``x1``, ...

    Examples
    --------
    >>> quality = Additive([0.5, 0.25, 2.0], feature_names=["age", "height", "weight"])
    >>> quality.evaluate((0, 2))
    2.5
    >>> quality.feature_names
    ['age', 'height', 'weight']
    """

    def __init__(self, scores: npt.ArrayLike, *, feature_names: Sequence[str] | None = None) -> None:
        if feature_names is None:
            feature_names = _names_of(scores)
        try:
            values = np.array(scores, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"scores must be numbers: {error}.") from error
        if values.ndim != 1 or not len(values):
            raise InputError(
                f"scores must be a list of numbers, one for each feature; got shape {values.shape}."
            )
        self._names = None if feature_names is None else checked_names(feature_names, len(values))
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            named = ", ".join(self._name(index) for index in wrong[:5])
            raise InputError(
                f"{len(wrong)} of {len(values)} scores are not finite ({named}); replace or drop these features."
            )
        values.setflags(write=False)
        self.scores = values

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, measure: Any = "mutual_info", scaling: str | None = None, **options: Any
    ) -> Additive:
        """Score each column of a table against the target, then add the scores up.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A NumPy array or a frame with column names; numbers only.
        y : array-like of shape (n_samples,)
            The target.
        measure : str or callable
            Name of a measure (see :data:`altsets.measures.MEASURES`) or ``measure(X, y) -> scores``.
        scaling : {None, "paper"}
            ``"paper"`` divides the scores by their sum, as the paper's study does; that changes no answer.
        **options
            Passed on to the measure.
        """
        from altsets import measures

        if scaling not in (None, "paper"):
            raise InputError(f"scaling={scaling!r} is unknown; choose None or 'paper'.")
        scores, names = measures.score(X, y, measure, **options)
        total = float(np.sum(scores))
        if scaling == "paper" and total != 0:
            scores = scores / total
        return cls(scores, feature_names=names)

    @property
    def n_features_in(self) -> int:
        """How many features there are to choose from."""
        return len(self.scores)

    @property
    def feature_names(self) -> list[str]:
        """The names of all features."""
        return [self._name(index) for index in range(self.n_features_in)]

    def names_of(self, indices: Sequence[int]) -> tuple[str, ...]:
        """The names of the features of one set."""
        return tuple(self._name(index) for index in indices)

    def _name(self, index: int) -> str:
        # Made up on demand: a million scores should not cost a million strings.
        return f"x{index}" if self._names is None else self._names[index]

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, summed without rounding error."""
        return math.fsum(self.scores[list(indices)].tolist())

    def __repr__(self) -> str:
        return f"Additive({self.n_features_in} features)"


def checked_names(names: Sequence[str], n_features: int) -> list[str]:
    """Feature names as a list of distinct strings."""
    if isinstance(names, str):
        raise InputError(f"feature_names must be a list of names, not the single string {names!r}.")
    listed = [str(name) for name in names]
    if len(listed) != n_features:
        raise InputError(f"{len(listed)} feature names were given for {n_features} features.")
    if len(set(listed)) != len(listed):
        twice = sorted(name for name, count in Counter(listed).items() if count > 1)
        raise InputError(
            f"feature names must be distinct; these occur more than once: {', '.join(twice[:5])}."
        )
    return listed


def _names_of(scores: Any) -> list[str] | None:
    """A pandas Series of scores brings the names along in its index."""
    labels = getattr(scores, "index", None)
    if labels is None or callable(labels):
        return None
    return [str(label) for label in labels]
