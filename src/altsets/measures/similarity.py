"""How similar the columns of a table are to each other, and which columns are similar to given ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from altsets.arrays import Floats
from altsets.features import Feature
from altsets.measures.pairs import pairs_of, pairwise
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features

#: What rounding may take away from a similarity that reaches a limit.
TOLERANCE = 1e-9


class Alike(NamedTuple):
    """A feature, by index, that is like another one."""

    feature: int
    other: int
    similarity: float


def measure_similarity(X: Any, measure: str, sample_weight: Any = None) -> Floats:
    """How alike a measure finds the columns of a table, from 0 to 1."""
    measured = pairwise(X, measure, sample_weight=sample_weight, warn=False)
    return np.clip(np.maximum(measured, measured.T), 0.0, 1.0)


def similar_columns(
    X: Any, columns: Sequence[Feature], measure: str, least: float, who: str, sample_weight: Any = None
) -> tuple[tuple[int, ...], tuple[Alike, ...], int]:
    """Which other columns of a table are at least so much like some of its columns; not all pairs are compared.

    Correlations are for numbers and categories of two labels; other categories are compared by symmetrical uncertainty.

    Returns
    -------
    tuple of int
        The given columns by index, each once.
    tuple of Alike
        The others, each with the one it is most like, the most alike first.
    int
        How many columns the table has.

    Examples
    --------
    >>> table = [[1, 10, 3], [2, 20, 1], [3, 35, 4], [4, 40, 1]]
    >>> similar_columns(table, ["x0"], "spearman", 0.9, "Forbid")
    ((0,), (Alike(feature=1, other=0, similarity=1.0),), 3)
    """
    table = features_of(X)
    names = table.feature_names
    given = sorted({names.position(column, who) for column in columns})
    alike = _similarities(table, given, measure, sample_weight).clip(0.0, 1.0)
    alike[:, given] = 0.0
    most = alike.argmax(axis=0).tolist()
    found = [
        Alike(feature, given[row], float(alike[row, feature]))
        for feature, row in enumerate(most)
        if alike[row, feature] > 0 and alike[row, feature] >= least - TOLERANCE
    ]
    return (
        tuple(given),
        tuple(sorted(found, key=lambda one: (-one.similarity, one.feature))),
        table.n_features,
    )


def _similarities(table: Features, given: Sequence[int], measure: str, sample_weight: Any) -> Floats:
    ranked = [index for index in range(table.n_features) if len(table.categories.get(index, ())) <= 2]
    if measure not in ("spearman", "pearson") or len(ranked) == table.n_features:
        return pairs_of(table, given, measure, sample_weight=sample_weight)
    alike = pairs_of(table, given, "symmetrical_uncertainty", sample_weight=sample_weight)
    rows = [row for row, index in enumerate(given) if index in ranked]
    if rows:
        places = [ranked.index(given[row]) for row in rows]
        correlations = pairs_of(table.columns(ranked), places, measure, sample_weight=sample_weight)
        alike[np.ix_(rows, ranked)] = correlations
    return alike
