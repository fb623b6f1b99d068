"""Similarity that is only named: what a request is before the table is measured, and after."""

from __future__ import annotations

from typing import Any

from altsets.constraints.similarity import MEASURES
from altsets.dissimilarity._matched import Matched

__all__ = ["MEASURES", "before_table", "is_named", "on_table"]


def is_named(dissimilarity: Any) -> bool:
    """Whether a dissimilarity has to be computed from a table.

    Examples
    --------
    >>> is_named(Matched("spearman", threshold=0.9)), is_named("dice")
    (True, False)
    """
    return isinstance(dissimilarity, Matched) and isinstance(dissimilarity.similarity, str)


def before_table(dissimilarity: Any) -> Any:
    """What a request can be checked with before its similarity is computed, which may take long.

    Dice has the same parameters, and asks for no more than similarity does.

    Examples
    --------
    >>> before_table(Matched("spearman", threshold=0.9)), before_table("jaccard")
    ('dice', 'jaccard')
    """
    return "dice" if is_named(dissimilarity) else dissimilarity


def on_table(dissimilarity: Any, X: Any, sample_weight: Any = None) -> Any:
    """The same with numbers: a similarity that was only named is measured on this table.

    Examples
    --------
    >>> on_table(Matched("pearson", threshold=0.9), [[1, 2, 1], [2, 4, 0], [3, 6, 1]])
    Matched(<pearson of 3 features>, threshold=0.9)
    """
    return dissimilarity.computed(X, sample_weight) if is_named(dissimilarity) else dissimilarity
