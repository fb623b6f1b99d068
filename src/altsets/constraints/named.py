"""Constraints that need a table: what they are before it is known, and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from altsets.constraints.base import Constraint

__all__ = ["any_named", "computed", "without_named"]


def computed(constraints: Any, X: Any, sample_weight: Any = None) -> Any:
    """Constraints, one or several, with what only a table can tell: similarity that was only named, proxies.

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
    return [one.computed(X, sample_weight) if _is_named(one) else one for one in _several(constraints)]


def without_named(constraints: Any) -> Any:
    """The constraints as far as they need no table: what can be checked before there are numbers for the others."""
    if not any_named(constraints):
        return constraints
    checked = [one.before_table() if _is_named(one) else one for one in _several(constraints)]
    return [one for one in checked if one is not None]


def any_named(constraints: Any) -> bool:
    """Whether a constraint, of one or several, has to be computed from a table."""
    return any(map(_is_named, _several(constraints)))


def _is_named(constraint: Any) -> bool:
    return isinstance(constraint, Constraint) and constraint.is_named


def _several(constraints: Any) -> Sequence[Any]:
    """One constraint or several; what is neither is left to those who check."""
    if isinstance(constraints, Sequence) and not isinstance(constraints, str):
        return constraints
    return list(constraints) if isinstance(constraints, Iterable) else [constraints]
