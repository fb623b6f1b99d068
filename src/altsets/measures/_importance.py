"""Scores from fitted models: importances, permutation importance on held-out rows, SHAP values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.errors import InputError, MissingExtraError
from altsets.measures.attribution import importances_of
from altsets.measures.models import HELD_OUT, fit, fresh_model, is_own, splits_of, table_for
from altsets.measures.scoring import (
    ModelRows,
    WithCovariates,
    explain_fit_errors,
    kept_groups,
    scorer_for,
    weight_scorer,
)
from altsets.measures.workers import OnProgress, is_configured, map_in_order, run_in_workers
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Encoded, Features, encode
from altsets.tables.survival import Survival
from altsets.tables.target import Target, labels_for_models, single_outcome
from altsets.tables.weights import counted, counted_rows


def importance(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    task: str = "auto",
    random_state: int = 25,
    sample_weight: Any = None,
) -> Floats:
    """Compute the importance of each feature in a model that is fitted to the whole table.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A category becomes a column of 0 and 1 for each label (one column for two labels), whose
        importances are added up. A missing number is handed to the model as nan.
    y : array-like of shape (n_samples,)
        The target: classes, numbers, or survival, as :func:`altsets.io.survival_target` makes it.
    estimator : estimator or str, default=None
        A model with ``feature_importances_`` or ``coef_`` after ``fit``; it is copied first. By default a decision
        tree (criterion "entropy" for classes, as in Model Gain of Bach (2023)), for survival a Cox model of scaled
        columns. Coefficients count by their absolute value, summed over all outputs or classes; they depend on the
        units of the features, so put a scaler before the model. Pipelines whose steps scale, select or reorder
        columns, ``GridSearchCV``, ``TransformedTargetRegressor`` and ``CalibratedClassifierCV`` work, too.
    task : {"auto", "classification", "regression", "survival"}, default="auto"
    random_state : int, default=25
        Seed for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.permutation : Takes any model, and measures on rows that it has not seen.

    Examples
    --------
    >>> importance([[0, 3], [0, 1], [1, 3], [1, 1]], ["a", "a", "b", "b"]).tolist()
    [1.0, 0.0]
    """
    _, table, model = _fit_whole_table(X, y, estimator, task, random_state, sample_weight)
    return table.total(importances_of(model, table.matrix.shape[1]))


def _fit_whole_table(
    X: Any, y: Any, estimator: Any, task: str, random_state: int, sample_weight: Any
) -> tuple[Features, Encoded, Any]:
    features, y, weights = counted(features_of(X), y, sample_weight, task)
    target = single_outcome(y, features.n_rows, task)
    model = _model_for(estimator, target, random_state)
    table = encode(features, at_once=True)
    with explain_fit_errors(features, model):
        fit(model, table.matrix, target.values, weights)
    return features, table, model


def _model_for(estimator: Any, target: Target | Survival, random_state: int) -> Any:
    return fresh_model(estimator, target.is_classes, random_state, survival=isinstance(target, Survival))


def permutation(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    scoring: Any = None,
    test_size: float = HELD_OUT,
    cv: Any = None,
    groups: Any = None,
    pos_label: Any = None,
    n_repeats: int = 5,
    task: str = "auto",
    random_state: int = 25,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    callback: OnProgress | None = None,
) -> Floats:
    """Compute the permutation importance of each feature, on rows that the model was not fitted to.

    It is scikit-learn's: the score of the model, minus its mean score over ``n_repeats`` random orders of the values
    of a feature, so it is below 0 where the model predicts better without it. On training rows, features that the
    model has only memorized would look important.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories, as for :func:`importance`; your own estimator gets them as they are here.
    y : array-like of shape (n_samples,)
        As for :func:`importance`.
    estimator : estimator or str, default=None
        Any model of scikit-learn's kind, pipelines included; it is copied first. By default a decision tree
        (criterion "entropy" for classes), for survival a Cox model of scaled columns.
    scoring : str or callable, default=None
        A name of a scorer of scikit-learn, or ``scoring(model, X, y) -> float``; by default Matthews' correlation
        coefficient for classes, R² for numbers, Harrell's C index for survival.
    test_size : float or int, default=0.2
        The share or number of rows to hold out, drawn at random, from each class alike.
    cv : int or splitter, default=None
        Folds in place of one held-out part; importances are averaged over them.
    groups : array-like of shape (n_samples,), default=None
        For splitters that keep rows of one group together, also those inside the estimator; without ``cv``, whole
        groups are held out.
    pos_label : str, int, float or bool, default=None
        As for :func:`altsets.evaluate`.
    n_repeats : int, default=5
        Random orders of each feature.
    task : {"auto", "classification", "regression", "survival"}, default="auto"
    random_state : int, default=25
        Seed of the split and of the orders, and for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts when the model is fitted, and in the score if the scorer takes weights.
    n_jobs : int, default=None
        Threads; all processors by default. joblib's ``parallel_config`` overrules where and how many. The scores do not
        depend on it.
    callback : callable, default=None

    See Also
    --------
    sklearn.inspection.permutation_importance : What computes the importance of each feature.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> X = [[0, 3], [0, 1], [1, 3], [1, 1]] * 10
    >>> scores = permutation(X, ["a", "a", "b", "b"] * 10)
    >>> bool(scores[0] > 0.5), float(scores[1])
    (True, 0.0)
    """
    whole_table = features_of(X)
    whole_table.refuse_sparse("permutation")
    features, y, weights = counted(whole_table, y, sample_weight, task)
    target = single_outcome(y, features.n_rows, task)
    own = is_own(estimator)
    table = table_for(estimator, features) if own else encode(features, at_once=True)
    kept = counted_rows(sample_weight, whole_table.n_rows)
    splits = splits_of(
        cv, features.values, target, random_state, groups=groups, test_size=test_size, kept=kept
    )
    everything = ModelRows(table, labels_for_models(y, target), weights, kept_groups(groups, kept))
    models = [_model_for(estimator, target, random_state) for _ in splits]
    scorer = scorer_for(models[0], scoring, target.is_classes, everything.labels, pos_label)
    varied = np.flatnonzero(~features.constant)
    with explain_fit_errors(features, models[0], own=own):
        models = [
            everything.part(train).fit(model, range(features.n_features))
            for model, (train, _) in zip(models, splits, strict=True)
        ]
        tests = [everything.part(test) for _, test in splits]
        work = partial(_shuffled_loss, models, tests, varied, scorer, n_repeats, random_state)
        found = list(_outcomes(work, len(models) * len(varied), n_jobs, callback))
    drops = np.zeros((len(models), features.n_features))
    drops[:, varied] = np.reshape(found, (len(models), len(varied)))
    return np.asarray(drops.mean(axis=0))


def _outcomes(
    work: Callable[[int], float], count: int, n_jobs: int | None, callback: OnProgress | None
) -> Iterator[float]:
    """The result of each piece of work, in order, from threads or the configured workers."""
    if not is_configured():
        yield from map_in_order(work, count, n_jobs, callback)
        return
    calls: Iterator[Any] = ((work, (number,), {}) for number in range(count))
    for done, outcome in enumerate(run_in_workers(calls, n_jobs, return_as="generator"), start=1):
        if callback is not None:
            callback(done / count)
        yield outcome


def _shuffled_loss(
    models: Sequence[Any],
    tests: Sequence[ModelRows],
    varied: Indices,
    scorer: Any,
    n_repeats: int,
    random_state: int,
    number: int,
) -> float:
    """The importance of one feature to one of the models, by number."""
    from sklearn.inspection import permutation_importance

    model, rows = (part[number // len(varied)] for part in (models, tests))
    scorer = weight_scorer(scorer, rows.weights)
    feature = int(varied[number % len(varied)])
    columns = rows.columns
    assert not isinstance(columns, WithCovariates)

    def in_place(fitted: Any, order: Any, expected: Any) -> float:
        return float(scorer(fitted, columns.shuffled(feature, order[:, 0]), expected))

    # scikit-learn shuffles the numbers of the rows, the scorer the rows.
    numbers = np.arange(len(rows.labels))[:, None]
    found = permutation_importance(
        model, numbers, rows.labels, scoring=in_place, n_repeats=n_repeats, random_state=random_state
    )
    return float(found.importances_mean[0])


def shap(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    n_background: int = 100,
    n_samples: int | None = None,
    task: str = "auto",
    random_state: int = 25,
    sample_weight: Any = None,
) -> Floats:
    """Compute the mean absolute SHAP value of each feature in a model that is fitted to the whole table.

    The mean is over rows, and over classes where there is one prediction for each. Needs the package shap
    (``pip install '.[shap]'``). Trees, forests and linear models are explained exactly and fast; of any other
    model only the predictions are used, which takes long for many rows.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        As for :func:`importance`; SHAP values of the columns of a category are added up.
    y : array-like of shape (n_samples,)
        As for :func:`importance`.
    estimator : estimator or str, default=None
        As for :func:`permutation`.
    n_background : int, default=100
        Rows, drawn at random, that say what a prediction is without knowing a feature.
    n_samples : int, default=None
        Rows, drawn at random, whose predictions are explained; all by default.
    task : {"auto", "classification", "regression", "survival"}, default="auto"
    random_state : int, default=25
        Seed for drawing rows, and for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.permutation : What the model loses without a feature, on rows that it has not seen.

    References
    ----------
    Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model predictions. NIPS 30.

    Examples
    --------
    >>> from altsets import measures
    >>> X, y = [[0, 3], [0, 1], [1, 3], [1, 1]] * 10, ["a", "a", "b", "b"] * 10
    >>> scores = measures.shap(X, y)  # doctest: +SKIP
    """
    try:
        package = import_module("shap")
    except ImportError as error:
        raise MissingExtraError("measuring with shap", "the package shap", "shap") from error
    everything = features_of(X)
    everything.refuse_sparse("shap")
    features, table, model = _fit_whole_table(everything, y, estimator, task, random_state, sample_weight)
    matrix = table.matrix
    rng = np.random.default_rng(random_state)
    background = _sample_rows(matrix, n_background, rng)
    rows = matrix if n_samples is None else _sample_rows(matrix, n_samples, rng)
    try:
        explanation = package.Explainer(model, background, seed=random_state)(rows)
    except TypeError:
        # shap does not support models of this kind, but any function.
        predict = getattr(model, "predict_proba", model.predict)
        explanation = package.Explainer(predict, background, seed=random_state)(rows, silent=True)
    values = np.asarray(explanation.values, dtype=np.float64)
    if values.shape[1] != matrix.shape[1]:
        raise InputError(
            f"shap explains {values.shape[1]} features of {matrix.shape[1]}; use another estimator."
        )
    # Add up the columns of a category before taking absolute values.
    sizes = np.abs(table.total(np.moveaxis(values, 1, -1))).mean(axis=0)
    scores = sizes.reshape(-1, features.n_features).mean(axis=0)
    return np.where(features.constant, 0.0, scores)


def _sample_rows(matrix: Floats, n_rows: int, rng: np.random.Generator) -> Floats:
    if n_rows < 1:
        raise InputError(f"shap needs at least one row to work with; got {n_rows}.")
    if n_rows >= len(matrix):
        return matrix
    return matrix[np.sort(rng.choice(len(matrix), n_rows, replace=False))]
