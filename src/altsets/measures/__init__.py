"""Numbers from data: how much each feature says about the target, and about each other feature.

The measures are plain functions of a table and a target. All of them are deterministic, give 0 to constant
columns and refuse text, missing and infinite values by name. :data:`MEASURES` names them; :func:`score` and
:func:`pairwise` are the doors through which a quality comes in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures._constants import constant_columns, warn_of_constants
from altsets.measures._copies import copies_in
from altsets.measures._features import FloatArray, listed
from altsets.measures._importance import importance
from altsets.measures._information import mutual_info, symmetrical_uncertainty
from altsets.measures._matrix import matrix_of
from altsets.measures._own import given_scores, is_array, scores_by
from altsets.measures._pairwise import PAIR_MEASURES, pairwise
from altsets.measures._permutation import permutation
from altsets.measures._rank import spearman
from altsets.measures._relief import relief
from altsets.measures._shap import shap
from altsets.measures._univariate import chi2, f_score, pearson

__all__ = [
    "MEASURES",
    "PAIR_MEASURES",
    "chi2",
    "f_score",
    "importance",
    "mutual_info",
    "pairwise",
    "pearson",
    "permutation",
    "relief",
    "score",
    "shap",
    "spearman",
    "symmetrical_uncertainty",
]

#: The measures by the names that qualities and the command line know.
MEASURES: dict[str, Callable[..., FloatArray]] = {
    "mutual_info": mutual_info,
    "f": f_score,
    "pearson": pearson,
    "spearman": spearman,
    "chi2": chi2,
    "relief": relief,
    "importance": importance,
    "permutation": permutation,
    "shap": shap,
    "symmetrical_uncertainty": symmetrical_uncertainty,
}


def score(
    X: Any,
    y: Any,
    measure: Any = "mutual_info",
    *,
    feature_names: Sequence[str] | None = None,
    **options: Any,
) -> tuple[FloatArray, list[str] | None]:
    """Score every feature, with the names of the features if the table has them.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, or a frame (pandas, polars, Arrow); finite numbers only.
    y : array-like of shape (n_samples,)
        The target: numbers or text, one column.
    measure : str, callable or array
        A name in :data:`MEASURES`, or ``measure(X, y)`` that gets a float matrix and an array. A pair of
        scores and p-values, as scikit-learn's score functions return, is welcome. Or the scores themselves: one
        number for each feature, then there are no options.
    feature_names : sequence of str, optional
        Names of the columns; by default those of ``X``, if it has any.
    **options
        Passed on to the measure.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        One number per feature.
    names : list of str or None
        The names of the features; None if nobody named them.

    Warns
    -----
    UserWarning
        If columns are exact copies of each other, or constant; the latter score 0.

    Examples
    --------
    >>> scores, names = score([[1, 4], [2, 3], [3, 2], [4, 4]], [1, 2, 3, 4], "pearson")
    >>> scores.round(4).tolist()
    [1.0, 0.1348]
    """
    matrix, names = matrix_of(X, feature_names)
    if callable(measure):
        scores = scores_by(measure, matrix, np.asarray(y), **options)
    elif isinstance(measure, str) and measure in MEASURES:
        scores = MEASURES[measure](matrix, y, **options)
    elif is_array(measure):
        scores = given_scores(measure, matrix.shape[1], names, options)
    else:
        choices = ", ".join(map(repr, MEASURES))
        raise InputError(
            f"measure={measure!r} is unknown; choose one of {choices}, "
            "or pass a function of X and y, or one score for each feature."
        )
    if not is_array(measure):
        # Not every function knows that a constant says nothing. Said here and not by measures, so that it is said once.
        scores = np.where(constant_columns(matrix), 0.0, scores)
        warn_of_constants(matrix, names)
    _warn_of_copies(matrix, names)
    return scores, names


def _warn_of_copies(matrix: FloatArray, names: list[str] | None) -> None:
    groups = copies_in(matrix)
    if groups:
        named = [
            " = ".join(names[index] if names else f"column {index}" for index in group) for group in groups
        ]
        warnings.warn(
            f"some columns are exact copies of each other ({listed(named, most=5)}); "
            "a copy is no real alternative, so keep only one of each.",
            UserWarning,
            stacklevel=3,
        )
