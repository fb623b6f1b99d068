"""How alike features are: a matrix of numbers from 0 to 1, checked, or measured on a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from altsets.errors import InputError
from altsets.features import Feature

if TYPE_CHECKING:
    # Constraints are known to the command line, which must not wait for NumPy.
    from altsets.arrays import Floats

__all__ = [
    "MEASURES",
    "PROXY_MEASURES",
    "Alike",
    "like_columns",
    "measured_similarity",
    "named_measure",
    "proxy_measure",
    "refuse_misfit",
    "similarity_matrix",
]

#: Measures that a similarity may be named by.
MEASURES = ("spearman", "pearson", "symmetrical_uncertainty")

#: Measures of how well a feature predicts a given one; the last one is not symmetric.
PROXY_MEASURES = (*MEASURES, "uncertainty_coefficient")

#: By how much a similarity may differ from that of the same features the other way round.
ASYMMETRY = 1e-9


#: What rounding may take away from a similarity that reaches a limit.
TOLERANCE = 1e-9


class Alike(NamedTuple):
    """A feature, by index, that is like another one."""

    feature: int
    other: int
    similarity: float


def similarity_matrix(similarity: Any, who: str) -> Floats:
    """How alike features are, checked: square, symmetric, from 0 to 1, ones on the diagonal; read-only."""
    import numpy as np

    try:
        matrix = np.array(similarity, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{who}: the similarity is not a matrix of numbers; give one row and one column for each feature, "
            f"or the name of a measure: {', '.join(map(repr, MEASURES))}."
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        shape = " x ".join(map(str, matrix.shape)) or "a single number"
        raise InputError(
            f"{who}: the similarity is {shape}, not square; give one row and one column for each feature."
        )
    np.fill_diagonal(matrix, 1.0)
    if np.isnan(matrix).any():
        i, j = np.argwhere(np.isnan(matrix))[0].tolist()
        raise InputError(
            f"{who}: the similarity of features {i} and {j} is nan; give 0 where features have nothing in common."
        )
    if not (np.min(matrix) >= 0 and np.max(matrix) <= 1):
        i, j = np.argwhere((matrix < 0) | (matrix > 1))[0].tolist()
        raise InputError(
            f"{who}: the similarity of features {i} and {j} is {matrix[i, j]:g}; it must be between 0 and 1 "
            "(take the absolute value of correlations)."
        )
    differences = np.abs(matrix - matrix.T)
    if np.max(differences) > ASYMMETRY:
        i, j = np.unravel_index(np.argmax(differences), matrix.shape)
        raise InputError(
            f"{who}: the similarity of features {i} and {j} is {matrix[i, j]:g} one way and {matrix[j, i]:g} the "
            "other; it must be symmetric, as (S + S.T) / 2 is."
        )
    matrix = (matrix + matrix.T) / 2
    matrix.setflags(write=False)
    return matrix


def refuse_misfit(similarity: Floats | str | None, n_features: int, who: str) -> None:
    """Refuse a similarity that has only a name where nobody knows a table, or the numbers of other features."""
    if similarity is None or isinstance(similarity, str):
        raise InputError(
            f"{who}({similarity!r}) has no table to compute it from; give {who}.from_data(X, {similarity!r}, ...)."
        )
    if len(similarity) != n_features:
        raise InputError(
            f"{who} has the similarities of {len(similarity)} features, but the quality has {n_features}; "
            "give one row and one column for each feature."
        )


def named_measure(name: Any, who: str) -> str:
    """The name of a measure that tells how alike features are."""
    if not isinstance(name, str) or name not in MEASURES:
        raise _unknown_measure(name, who, MEASURES, ", or give a matrix")
    return str(name)


def proxy_measure(name: Any, who: str) -> str:
    """The name of a measure that tells how well features predict another one."""
    if not isinstance(name, str) or name not in PROXY_MEASURES:
        raise _unknown_measure(name, who, PROXY_MEASURES)
    return str(name)


def _unknown_measure(name: Any, who: str, choices: Sequence[str], otherwise: str = "") -> InputError:
    listed = ", ".join(map(repr, choices))
    return InputError(f"{who}: the measure {name!r} is unknown; choose one of {listed}{otherwise}.")


def measured_similarity(X: Any, measure: str, sample_weight: Any = None) -> Floats:
    """How alike a measure finds the columns of a table, from 0 to 1."""
    # A convenience that points upward: this room knows no tables.
    import numpy as np

    from altsets.measures import pairwise

    measured = pairwise(X, measure, sample_weight=sample_weight, warn=False)
    return np.clip(np.maximum(measured, measured.T), 0.0, 1.0)


def like_columns(
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
    >>> like_columns(table, ["x0"], "spearman", 0.9, "Forbid")
    ((0,), (Alike(feature=1, other=0, similarity=1.0),), 3)
    """
    # A convenience that points upward: this room knows no tables.
    from altsets.tables.conversion import features_of

    table = features_of(X)
    names = table.feature_names
    given = sorted({names.position(column, who) for column in columns})
    alike = _rows_of(table, given, measure, sample_weight).clip(0.0, 1.0)
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


def _rows_of(table: Any, given: Sequence[int], measure: str, sample_weight: Any) -> Floats:
    import numpy as np

    from altsets.measures.pairs import pairs_of

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
