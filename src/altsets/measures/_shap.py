"""How much each feature moves the predictions of a model: Shapley values, by the package shap."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError, MissingExtraError
from altsets.measures.complaints import complaints_explained
from altsets.measures.models import fit, fresh_model
from altsets.tables.constant_columns import constant_columns
from altsets.tables.conversion import features_of
from altsets.tables.encoded import encoded
from altsets.tables.target import target_of
from altsets.tables.weights import counted

__all__ = ["shap"]


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
    """Mean absolute SHAP value of each feature in a model that is fitted to the whole table.

    Needs the package shap (``pip install 'altsets[shap]'``). Trees, forests and linear models are explained
    exactly and fast; of any other model only the predictions are used, which takes long for many rows.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A category becomes a column of 0 and 1 for each label (one column for two labels), whose
        SHAP values are added up. A missing number is handed to the model as nan.
    y : array-like of shape (n_samples,)
        The target.
    estimator : estimator or str, optional
        Any model of scikit-learn's kind, pipelines included; it is copied first. By default a decision tree
        (criterion "entropy" for classes).
    n_background : int
        Rows, drawn at random, that say what a prediction is without knowing a feature.
    n_samples : int, optional
        Rows, drawn at random, whose predictions are explained; all by default.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed for drawing rows, and for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts when the model is fitted.

    Returns
    -------
    ndarray of shape (n_features,)
        At least 0; the mean over rows, and over classes where there is one prediction for each.
    """
    try:
        package = import_module("shap")
    except ImportError as error:
        raise MissingExtraError("measure='shap'", "the package shap", "shap") from error
    features, y, weights = counted(features_of(X), y, sample_weight)
    target, table = target_of(y, features.n_rows, task), encoded(features, at_once=True)
    matrix = table.matrix
    model = fresh_model(estimator, target.is_classes, random_state)
    with complaints_explained(features, model):
        fit(model, matrix, target.values, weights)
    rng = np.random.default_rng(random_state)
    background = _some(matrix, n_background, rng)
    rows = matrix if n_samples is None else _some(matrix, n_samples, rng)
    try:
        explanation = package.Explainer(model, background, seed=random_state)(rows)
    except TypeError:
        # It does not know models of this kind; any function will do.
        predict = getattr(model, "predict_proba", model.predict)
        explanation = package.Explainer(predict, background, seed=random_state)(rows, silent=True)
    values = np.asarray(explanation.values, dtype=np.float64)
    if values.shape[1] != matrix.shape[1]:
        raise InputError(
            f"shap explains {values.shape[1]} features of {matrix.shape[1]}; use another estimator."
        )
    # What the columns of a category add to a prediction is added up before its size counts.
    sizes = np.abs(table.total(np.moveaxis(values, 1, -1))).mean(axis=0)
    scores = sizes.reshape(-1, features.n_features).mean(axis=0)
    return np.where(constant_columns(features.values), 0.0, scores)


def _some(matrix: Floats, n_rows: int, rng: np.random.Generator) -> Floats:
    if n_rows < 1:
        raise InputError(f"shap needs at least one row to work with; got {n_rows}.")
    if n_rows >= len(matrix):
        return matrix
    return matrix[np.sort(rng.choice(len(matrix), n_rows, replace=False))]
