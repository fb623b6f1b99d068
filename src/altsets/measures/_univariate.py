"""Scores of each feature alone: F statistic, correlations, chi-squared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures.covariates import basis_of, orthonormal, standardize, unexplained
from altsets.measures.sparse_columns import UnitColumns, chi2_by_class, known_parts, variances_by_class
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features, constant_columns
from altsets.tables.sparse import count_stored
from altsets.tables.target import target_of
from altsets.tables.weights import counted, counted_as_repeats
from altsets.wording import parameter

#: What to do where a correlation does not apply.
ADVICE = "use mutual_info or symmetrical_uncertainty"
#: The same for categories and a target of classes.
NOT_CLASSES = "use mutual_info, symmetrical_uncertainty or chi2"

#: A column that leaves less than this share of the variance unexplained separates perfectly but for rounding.
UNEXPLAINED = 1e-12
#: Degrees of freedom that are no more than rounding.
NO_FREEDOM = 1e-6


def f_score(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the F statistic of each feature: ANOVA for classes, linear regression for a numeric target.

    A feature that separates the classes perfectly (no variance within them) or lies on a line with the
    target has an infinite F. So that it can be added up, it becomes twice the largest F of the other
    features (1 if no other is above 0): it still ranks first, and the rest of its set still counts.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. Where a number is missing, the row is left out for this feature. With a numeric
        target, categories are groups whose means are compared; with a target of classes, only two categories are
        taken, as 0 and 1.
    y : array-like of shape (n_samples,)
    task : {"auto", "classification", "regression"}, default="auto"
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.pearson : The same order of features for a numeric target, from 0 to 1.
    sklearn.feature_selection.f_classif : The statistic for classes.
    sklearn.feature_selection.f_regression : The statistic for a numeric target.

    Examples
    --------
    >>> X = [[0, 1, 7], [1, 1, 7], [2, 3, 7], [3, 3, 7]]
    >>> f_score(X, ["a", "a", "b", "b"]).round(6).tolist()
    [8.0, 16.0, 0.0]
    """
    return finite_f(*f_ratios(X, y, task=task, sample_weight=sample_weight))


def finite_f(scores: Floats, perfect: Bools) -> Floats:
    largest = scores.max(where=~perfect, initial=0.0)
    return np.where(perfect, 2 * largest if largest > 0 else 1.0, scores)


def f_ratios(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> tuple[Floats, Bools]:
    """The F statistic of each feature, and which features explain the target perfectly; see :func:`f_score`."""
    features, y, weights = counted(features_of(X), y, sample_weight)
    target = target_of(y, features.n_rows, task)
    if target.is_classes:
        features.refuse_categories("f with a target of classes", advice=NOT_CLASSES)
    used = target.n_distinct if target.is_classes else 2
    if weights is not None and weights.sum() <= used:
        raise InputError(
            f"f counts weights as rows, and needs more than {used} of them, but sample_weight adds up to "
            f"{weights.sum():.6g}; multiply the weights by a number."
        )
    scores, perfect = np.zeros(features.n_features), np.zeros(features.n_features, dtype=bool)
    beside = features.covariates
    for columns, rows, matrix, some in known_parts(features, weights):
        values = target.values[rows]
        if beside is None:
            scores[columns], perfect[columns] = _f_ratios(matrix, values, target.is_classes, some)
        else:
            goals = _indicators(values) if target.is_classes else values[:, None]
            scores[columns], perfect[columns] = _adjusted_f_ratios(matrix, goals, beside[rows], some)
    for index in features.categories:
        if len(features.categories[index]) > 2:
            # The target values of each category, compared as the columns of classes are.
            numeric, codes = standardize(target.values[:, None]), features.values[:, index].astype(np.intp)
            if beside is None:
                scores[[index]], perfect[[index]] = _analysis_of_variance(numeric, codes, weights)
            else:
                goals = _indicators(codes)
                scores[[index]], perfect[[index]] = _adjusted_f_ratios(numeric, goals, beside, weights)
    return scores, perfect


def _f_ratios(
    matrix: Any, values: npt.NDArray[Any], is_classes: bool, weights: Floats | None
) -> tuple[Floats, Bools]:
    """F of complete columns, and which of them explain the target perfectly."""
    if is_classes and isinstance(matrix, np.ndarray):
        return _analysis_of_variance(np.ascontiguousarray(matrix), values, weights)
    n_rows = matrix.shape[0] if weights is None else float(weights.sum())
    if is_classes:
        n_classes = len(np.unique(values))
        return variance_ratios(
            *variances_by_class(matrix, values, weights), n_classes - 1.0, n_rows - n_classes
        )
    explained = _products(matrix, values, weights) ** 2
    return variance_ratios(explained, 1.0 - explained, 1.0, n_rows - 2.0)


def _products(
    matrix: Any,
    values: npt.NDArray[Any],
    weights: Floats | None,
    *,
    ranked: bool = False,
    covariates: Floats | None = None,
) -> Floats:
    """Correlations of complete columns, dense or sparse ones, with numbers; or of their ranks."""
    prepare = rank_columns if ranked else np.ascontiguousarray
    goal = standardize(prepare(values[:, None]), weights)
    if not isinstance(matrix, np.ndarray):
        return np.asarray(UnitColumns(matrix, weights, ranked=ranked).products(goal)[0])
    units = standardize(prepare(matrix), weights)
    if covariates is not None:
        basis = basis_of(prepare(covariates), weights)
        units, goal = unexplained(units, basis), unexplained(goal, basis)
    return np.asarray(units.T @ goal[:, 0])


def _indicators(codes: npt.NDArray[Any]) -> Floats:
    """A column of 0 and 1 for each class but the last."""
    return np.asarray(codes[:, None] == np.unique(codes)[:-1], dtype=np.float64)


def _adjusted_f_ratios(
    matrix: Floats, goals: Floats, covariates: Floats, weights: Floats | None
) -> tuple[Floats, Bools]:
    """F of each column beside covariates, in a linear model of it by these and the goals, or the other way round."""
    basis = basis_of(covariates, weights)
    columns = unexplained(standardize(matrix, weights), basis)
    directions = orthonormal(unexplained(standardize(goals, weights), basis))
    explained = ((directions.T @ columns) ** 2).sum(axis=0)
    n_rows, used = len(matrix) if weights is None else float(weights.sum()), directions.shape[1]
    return variance_ratios(explained, np.maximum(1.0 - explained, 0.0), used, n_rows - basis.shape[1] - used)


def _analysis_of_variance(matrix: Floats, groups: Indices, weights: Floats | None) -> tuple[Floats, Bools]:
    """F of columns with groups of weighted rows, and which of them the groups explain perfectly."""
    # Centred columns of a size of about 1, so that no digits are lost on means far from zero.
    centred = standardize(matrix, weights)
    weights = np.ones(len(matrix)) if weights is None else weights
    centred /= np.sqrt(weights)[:, None]
    seen, codes = np.unique(groups, return_inverse=True)
    totals = np.bincount(codes, weights)
    # Sums rather than products of matrices, which may round equal columns differently.
    counted_rows = weights[:, None] * centred
    sums = np.array([counted_rows[codes == code].sum(axis=0) for code in range(len(seen))])
    means = sums / totals[:, None]
    between = (totals[:, None] * means**2).sum(axis=0)
    within = (weights[:, None] * (centred - means[codes]) ** 2).sum(axis=0)
    return variance_ratios(between, within, len(seen) - 1.0, float(weights.sum()) - len(seen))


def variance_ratios(explained: Floats, left: Floats, used: Any, free: Any) -> tuple[Floats, Bools]:
    """The ratio of variances by their degrees of freedom, and where none is left unexplained."""
    possible = (np.asarray(used) > NO_FREEDOM) & (np.asarray(free) > NO_FREEDOM) & (explained > 0)
    perfect = possible & (left < UNEXPLAINED * explained)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (explained / used) / (left / free)
    return np.where(possible & ~perfect, ratios, 0.0), perfect


def pearson(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the absolute Pearson correlation of each feature with the target.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers, and two categories as 0 and 1. Where a number is missing, the row is left out for this feature.
    y : array-like of shape (n_samples,)
        Numbers, or text that names two classes.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" takes numbers as they are; "classification" insists that they name two classes.
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.spearman : Correlation of ranks, for relations that rise or fall but are not linear.

    Examples
    --------
    >>> pearson([[1, 4, 7], [2, 3, 7], [3, 2, 7], [4, 1, 7]], [10, 20, 30, 40]).round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    features, y, weights = counted(features_of(X), y, sample_weight)
    return _correlate(features, y, task, "the Pearson correlation", weights)


def spearman(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the absolute rank correlation of each feature with the target (Spearman's rho).

    Equal values share the mean of their ranks. Only the order of values matters, so outliers and units do not, and
    any steadily rising or falling relation counts in full.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    task : {"auto", "classification", "regression"}, default="auto"
        As for :func:`pearson`.
    sample_weight : array-like of shape (n_samples,), default=None
        Whole numbers: how often each row is there.

    See Also
    --------
    altsets.measures.mutual_info : Finds relations that do not rise or fall throughout, too.

    Examples
    --------
    >>> spearman([[1, 9, 7], [2, 3, 7], [9, 2, 7], [99, 1, 7]], [10, 20, 30, 40]).round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    features, y = counted_as_repeats(features_of(X), y, sample_weight, "spearman")
    return _correlate(features, y, task, "the rank correlation", ranked=True)


def _correlate(
    features: Features, y: Any, task: str, what: str, weights: Floats | None = None, *, ranked: bool = False
) -> Floats:
    """Absolute correlations of columns with the target, or of their ranks, where they are known."""
    features.refuse_categories(what, advice=ADVICE)
    target = target_of(y, features.n_rows, task)
    if target.numeric is None or task == "classification":
        refuse_classes(what, target.n_distinct)
    # Two classes are 0 and 1.
    values = target.values.astype(np.float64) if target.numeric is None else target.numeric
    scores = np.zeros(features.n_features)
    beside = features.covariates
    for columns, rows, matrix, some in known_parts(features, weights):
        covariates = None if beside is None else beside[rows]
        scores[columns] = np.abs(_products(matrix, values[rows], some, ranked=ranked, covariates=covariates))
    return np.minimum(scores, 1.0)


def chi2(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the chi-squared statistic of each feature, a count or a frequency, with the classes of the target.

    It is scikit-learn's statistic: the sum of a feature in each class, compared with what the size of the class
    lets expect. It grows with the unit of the feature, so features should be counts of the same kind.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers, none of them negative, and categories, which have the statistic of their table of counts with the
        classes. Where a number is missing, the row is left out for this feature.
    y : array-like of shape (n_samples,)
        Classes.
    task : {"auto", "classification"}, default="auto"
        "classification" takes any numbers for classes.
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.f_score : Compares means of classes; takes negative numbers.
    sklearn.feature_selection.chi2 : The statistic for numbers.

    Examples
    --------
    >>> chi2([[4, 1, 7], [4, 1, 7], [0, 1, 7], [0, 3, 7]], ["a", "a", "b", "b"]).round(6).tolist()
    [8.0, 0.666667, 0.0]
    """
    features, y, weights = counted(features_of(X), y, sample_weight)
    target = target_of(y, features.n_rows, task)
    refuse_numbers(target)
    cells = features.cells
    negative = count_stored(cells, cells.data < 0) > 0 if features.is_sparse else (cells < 0).any(axis=0)
    refuse_negative(np.asarray(negative), features)
    scores = np.zeros(features.n_features)
    for places, rows, matrix, some in known_parts(features, weights):
        compute = _chi2 if isinstance(matrix, np.ndarray) else chi2_by_class
        scores[places] = compute(matrix, target.values[rows], some)
    for index, labels in features.categories.items():
        # One column of 0 and 1 for each category; together they are the statistic of the table of counts.
        indicators = (features.values[:, [index]] == np.arange(len(labels))).astype(np.float64)
        scores[index] = _chi2(indicators, target.values, weights).sum()
    return scores


def refuse_options(who: str, options: Mapping[str, Any], but: str = "") -> None:
    if options:
        given = ", ".join(sorted(options))
        raise InputError(f"{who} takes no options{but}; got {given}; leave them out.")


def refuse_numbers(target: Any) -> None:
    if not target.is_classes:
        raise InputError(
            f"chi2 needs a target of classes, but the target has {target.n_distinct} different numbers; "
            f"use f, or say that they are classes ({parameter('task', 'classification')})."
        )


def refuse_negative(negative: Bools, table: Any) -> None:
    if negative.any():
        raise InputError(
            f"chi2 needs counts or frequencies, but {negative.sum()} column(s) hold negative values "
            f"({table.labels(negative)}); use f or mutual_info."
        )


def _chi2(matrix: Floats, classes: Indices, weights: Floats | None) -> Floats:
    # In units of the largest value, so that sums of huge numbers are finite; the statistic is proportional to it.
    units = matrix.max(axis=0)
    varied = ~constant_columns(matrix)
    scores = np.zeros(matrix.shape[1])
    n_classes = len(np.unique(classes))
    if varied.any() and n_classes > 1:
        counting = np.ones(len(matrix)) if weights is None else weights
        columns = matrix[:, varied] / units[varied] * counting[:, None]
        shares = np.bincount(classes, counting) / counting.sum()
        seen = np.flatnonzero(shares)
        found = np.array([columns[classes == code].sum(axis=0) for code in seen])
        expected = shares[seen, None] * columns.sum(axis=0)
        scores[varied] = ((found - expected) ** 2 / expected).sum(axis=0)
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(scores * units, np.finfo(np.float64).max))


def refuse_classes(what: str, n_classes: int) -> None:
    if n_classes > 2:
        raise InputError(
            f"{what} needs numbers or two classes, but the target has {n_classes} classes; "
            "use the measure mutual_info or symmetrical_uncertainty."
        )


def rank_columns(matrix: Floats) -> Floats:
    """The rank of each value in its column, the mean rank of equal ones."""
    from scipy.stats import rankdata

    return np.ascontiguousarray(rankdata(matrix, axis=0), dtype=np.float64)
