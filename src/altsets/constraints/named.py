"""Constraints that name a measure instead of numbers, which are computed where the table is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from altsets.constraints._similar import MaxSimilarity

__all__ = ["any_named", "computed", "without_named"]


def computed(constraints: Any, X: Any, sample_weight: Any = None) -> Any:
    """Constraints, one or several, with numbers in place of measures: a similarity that was only named is measured.

    Parameters
    ----------
    constraints : constraint, or sequence of constraints
    X : table of shape (n_samples, n_features)
    sample_weight : array-like of shape (n_samples,), optional

    Examples
    --------
    >>> from altsets.constraints import MaxSimilarity
    >>> on_table = computed([MaxSimilarity("pearson", 0.9)], [[1, 10], [2, 20], [3, 30]])
    >>> on_table[0].similarity.tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    if not any_named(constraints):
        return constraints
    return [
        one.computed(X, sample_weight) if isinstance(one, MaxSimilarity) else one
        for one in _several(constraints)
    ]


def without_named(constraints: Any) -> Any:
    """Those constraints that need no table: what can be checked before there are numbers for the others."""
    if not any_named(constraints):
        return constraints
    return [one for one in _several(constraints) if not _is_named(one)]


def any_named(constraints: Any) -> bool:
    """Whether a constraint, of one or several, has to be computed from a table."""
    return any(map(_is_named, _several(constraints)))


def _is_named(constraint: Any) -> bool:
    return isinstance(constraint, MaxSimilarity) and constraint.is_named


def _several(constraints: Any) -> Sequence[Any]:
    """One constraint or several; what is neither is left to those who check."""
    if isinstance(constraints, Sequence) and not isinstance(constraints, str):
        return constraints
    return list(constraints) if isinstance(constraints, Iterable) else [constraints]
