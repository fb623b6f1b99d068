"""How much the features say about each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures._correlations import correlation_matrix, correlation_rows
from altsets.measures.custom import given_pairs, is_array, scores_by
from altsets.measures.information.mutual_information import (
    information_matrix,
    uncertainty_matrix,
    uncertainty_rows,
    warn_of_bins,
)
from altsets.tables.constant_columns import constant_columns, warn_of_constants
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features
from altsets.tables.left_out import warn_of_left_out_rows
from altsets.tables.weights import counted, counted_as_repeats

__all__ = ["PAIR_MEASURES", "pairs_of", "pairwise", "warn_of_pairs"]


def pairwise(
    X: Any, measure: Any = "mutual_info", *, sample_weight: Any = None, warn: bool = True, **options: Any
) -> Floats:
    """Measure how much each feature says about each other.

    Each feature in turn takes the place of the target, so that the numbers can be compared with those that
    :func:`score` finds for the target. A feature is treated the same way in both places: with
    ``"mutual_info"``, a column of few values is discrete, as a feature and as a target (``discrete="auto"``); the
    paper's study treats everything as continuous (``discrete=False``) and breaks ties at random
    (``method="sklearn"``), hence its matrix is not quite symmetric where columns have ties; the others are.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, or a frame (pandas, polars, Arrow): numbers and categories, with missing values if need be.
        Correlations take categories of two labels only, and leave out rows where one of the two features is missing.
    measure : str, callable or array
        ``"mutual_info"`` in nats, ``"pearson"`` or ``"spearman"`` for the absolute correlation of values or ranks,
        ``"symmetrical_uncertainty"``, or ``measure(X, y)`` that gets a float matrix and one of its columns, and returns
        a number for each column.
        Or the numbers themselves, one for each pair of features; then there are no options.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts: 0 for not at all, whole numbers for rows that are there several times. Any weights
        will do for ``"pearson"``, ``"symmetrical_uncertainty"`` and ``"mutual_info"``, which then counts in bins.
    warn : bool
        Whether to warn; False where :func:`score` has done so.
    **options
        Passed on to the measure: for ``"mutual_info"`` and ``"symmetrical_uncertainty"`` those of the functions
        of that name but for ``task``.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Row i: feature i as the target. Constant columns have zeros; the other elements of the diagonal are what
        the measure says of a feature and itself.

    Warns
    -----
    UserWarning
        If columns are constant; if rows are left out because of missing values; if information is counted in bins
        because of weights.

    Examples
    --------
    >>> pairwise([[1, 4], [2, 3], [3, 2], [4, 4]], "pearson").round(4).tolist()
    [[1.0, 0.1348], [0.1348, 1.0]]
    """
    features = features_of(X)
    features, _, weights = counted(features, np.zeros(features.n_rows), sample_weight)
    if callable(measure):
        rows = _rows_by(measure, features, weights, options)
    elif isinstance(measure, str) and measure in PAIR_MEASURES:
        rows = PAIR_MEASURES[measure](features, sample_weight=weights, **options)
    elif is_array(measure):
        rows = given_pairs(measure, features.n_features, features.names, options)
    else:
        choices = " or ".join(map(repr, PAIR_MEASURES))
        raise InputError(
            f"measure={measure!r} does not compare features with each other; choose {choices}, "
            "or pass a function of X and y, or one number for each pair of features."
        )
    if warn:
        warn_of_constants(features)
        warn_of_pairs(features, weights, measure, options)
    # A constant depends on nothing; not every measure knows.
    constant = constant_columns(features.values)
    rows[constant, :] = 0.0
    rows[:, constant] = 0.0
    return rows


def pairs_of(X: Any, of: Sequence[int], measure: str, *, sample_weight: Any = None) -> Floats:
    """Measure how much a few features say about each other feature, without all the other pairs; no warnings.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
    of : sequence of int
        The few features, each once.
    measure : {"symmetrical_uncertainty", "pearson", "spearman", "uncertainty_coefficient"}
        The last one is the mutual information as a share of the entropy of the few: 1 where another feature decides
        one of them, however many values it has itself.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    ndarray of shape (len(of), n_features)
        These rows of what :func:`pairwise` returns.

    Examples
    --------
    >>> pairs_of([[1, 4], [2, 3], [3, 2], [4, 4]], [1], "pearson").round(4).tolist()
    [[0.1348, 1.0]]
    """
    features = features_of(X)
    features, _, weights = counted(features, np.zeros(features.n_rows), sample_weight)
    if measure in ("symmetrical_uncertainty", "uncertainty_coefficient"):
        one_sided = measure == "uncertainty_coefficient"
        rows = uncertainty_rows(features, of, sample_weight=weights, one_sided=one_sided)
    else:
        rows = correlation_rows(measure, features, weights, of)
    constant = constant_columns(features.values)
    rows[constant[list(of)], :] = 0.0
    rows[:, constant] = 0.0
    return rows


def warn_of_pairs(features: Features, weights: Floats | None, measure: Any, options: dict[str, Any]) -> None:
    """Say what a measure of pairs does otherwise than one might think, on behalf of the function that was called."""
    warn_of_left_out_rows(features, measure)
    if isinstance(measure, str) and measure == "mutual_info":
        warn_of_bins(weights, options.get("method", "neighbors"))


def _correlations(features: Features, *, sample_weight: Floats | None = None) -> Floats:
    return correlation_matrix("pearson", features, sample_weight)


def _rank_correlations(features: Features, *, sample_weight: Floats | None = None) -> Floats:
    return correlation_matrix("spearman", features, sample_weight)


def _rows_by(
    measure: Callable[..., Any], features: Features, weights: Floats | None, options: dict[str, Any]
) -> Floats:
    nobody = np.zeros(features.n_rows)
    features, _ = counted_as_repeats(features, nobody, weights, "a function as measure")
    rows = np.zeros((features.n_features, features.n_features))
    # As a target, a constant column is refused by most measures.
    for index in np.flatnonzero(~constant_columns(features.values)):
        rows[index] = scores_by(measure, features, features.values[:, index].copy(), **options)
    return rows


#: The measures that compare features with each other, by name.
PAIR_MEASURES: dict[str, Callable[..., Floats]] = {
    "mutual_info": information_matrix,
    "pearson": _correlations,
    "spearman": _rank_correlations,
    "symmetrical_uncertainty": uncertainty_matrix,
}
