"""How much each feature alone says about the target."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures._constants import constant_columns
from altsets.measures._features import FloatArray, listed
from altsets.measures._matrix import matrix_of
from altsets.measures._target import target_of

__all__ = ["chi2", "correlations", "f_score", "numbers_of", "pearson", "standardised"]

#: A column that leaves less than this share of the variance unexplained separates perfectly but for rounding.
UNEXPLAINED = 1e-12


def f_score(X: Any, y: Any, *, task: str = "auto") -> FloatArray:
    """F statistic of each feature: analysis of variance for classes, linear regression for amounts.

    A feature that separates the classes perfectly (no variance within them) or lies on a line with the
    target has an infinite F. So that it can be added up, it becomes twice the largest F of the other
    features (1 if no other is above 0): it still ranks first, and the rest of its set still counts.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        The target.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.

    Returns
    -------
    ndarray of shape (n_features,)
        Finite and at least 0; exactly 0 for a constant column.

    Examples
    --------
    >>> X = [[0, 1, 7], [1, 1, 7], [2, 3, 7], [3, 3, 7]]
    >>> f_score(X, ["a", "a", "b", "b"]).round(6).tolist()
    [8.0, 16.0, 0.0]
    """
    from sklearn.feature_selection import f_classif, f_regression

    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    standard = standardised(matrix)
    if target.is_classes:
        free, used = len(matrix) - target.n_distinct, target.n_distinct - 1
        statistic = f_classif
    else:
        free, used = len(matrix) - 2, 1
        statistic = f_regression
    values = target.values if target.is_classes else standardised(target.values[:, None])[:, 0]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Constant columns make it divide by zero; they are dealt with here.
        warnings.simplefilter("ignore")
        scores = np.nan_to_num(statistic(standard, values)[0], nan=0.0, posinf=np.inf, neginf=np.inf)
    # Rounding can push the unexplained variance below zero, which turns a huge F negative.
    perfect = np.abs(scores) > (free / used) / UNEXPLAINED
    scores = np.where(constant_columns(matrix), 0.0, np.maximum(scores, 0.0))
    largest = scores.max(where=~perfect, initial=0.0)
    return np.where(perfect, 2 * largest if largest > 0 else 1.0, scores)


def pearson(X: Any, y: Any, *, task: str = "auto") -> FloatArray:
    """Absolute Pearson correlation of each feature with the target.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        Numbers, or text that names two classes.
    task : {"auto", "classification", "regression"}
        "auto" takes numbers as they are; "classification" insists that they name two classes.

    Returns
    -------
    ndarray of shape (n_features,)
        Between 0 and 1; exactly 0 for a constant column.

    Examples
    --------
    >>> pearson([[1, 4, 7], [2, 3, 7], [3, 2, 7], [4, 1, 7]], [10, 20, 30, 40]).round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    matrix, _ = matrix_of(X)
    return correlations(matrix, numbers_of(y, len(matrix), task, "the Pearson correlation"))


def chi2(X: Any, y: Any, *, task: str = "auto") -> FloatArray:
    """Chi-squared statistic of each feature, a count or a frequency, with the classes of the target.

    It is scikit-learn's statistic: the sum of a feature in each class, compared with what the size of the class
    lets expect. It grows with the unit of the feature, so features should be counts of the same kind.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers, none of them negative.
    y : array-like of shape (n_samples,)
        Classes.
    task : {"auto", "classification"}
        "classification" takes any numbers for classes.

    Returns
    -------
    ndarray of shape (n_features,)
        Finite and at least 0; exactly 0 for a constant column.

    Examples
    --------
    >>> chi2([[4, 1, 7], [4, 1, 7], [0, 1, 7], [0, 3, 7]], ["a", "a", "b", "b"]).round(6).tolist()
    [8.0, 0.666667, 0.0]
    """
    from sklearn.feature_selection import chi2 as statistic

    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    if not target.is_classes:
        raise InputError(
            f"chi2 needs a target of classes, but the target has {target.n_distinct} different amounts; "
            "use f, or say that they are classes (task='classification')."
        )
    negative = [f"column {index}" for index in np.flatnonzero((matrix < 0).any(axis=0))]
    if negative:
        raise InputError(
            f"chi2 needs counts or frequencies, but {len(negative)} column(s) hold negative values "
            f"({listed(negative)}); use f or mutual_info."
        )
    # In units of the largest value, so that sums of huge numbers are finite; the statistic is proportional to it.
    units = matrix.max(axis=0)
    varied = ~constant_columns(matrix)
    scores = np.zeros(matrix.shape[1])
    if varied.any():
        scores[varied] = statistic(matrix[:, varied] / units[varied], target.values)[0]
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(scores * units, np.finfo(np.float64).max))


def numbers_of(y: Any, n_rows: int, task: str, what: str) -> FloatArray:
    """A target that a correlation can take: numbers as they are, two classes as 0 and 1."""
    target = target_of(y, n_rows, task)
    nominal = target.amounts is None or task == "classification"
    if nominal and target.n_distinct > 2:
        raise InputError(
            f"{what} needs numbers or two classes, "
            f"but the target has {target.n_distinct} classes; use mutual_info or f."
        )
    return target.values.astype(np.float64) if target.amounts is None else target.amounts


def correlations(matrix: FloatArray, values: FloatArray) -> FloatArray:
    """The absolute correlation of each column with some values."""
    products = standardised(matrix).T @ standardised(values[:, None])[:, 0]
    return np.clip(np.abs(products), 0.0, 1.0)


def standardised(matrix: FloatArray) -> FloatArray:
    """Columns of mean 0 and length 1, constant ones all 0; safe for columns far from zero or of any size."""
    largest = np.abs(matrix).max(axis=0)
    centred = matrix / np.where(largest > 0, largest, 1.0)
    centred -= centred.mean(axis=0)
    centred[:, constant_columns(matrix)] = 0.0
    lengths = np.sqrt((centred**2).sum(axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return centred
