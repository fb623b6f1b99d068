"""How much each feature moves the predictions of a model: Shapley values, by the package shap."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from altsets.errors import InputError, MissingExtraError
from altsets.measures._constants import constant_columns
from altsets.measures._features import FloatArray
from altsets.measures._matrix import matrix_of
from altsets.measures._model import fresh_model
from altsets.measures._target import target_of

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
) -> FloatArray:
    """Mean absolute SHAP value of each feature in a model that is fitted to the whole table.

    Needs the package shap (``pip install 'altsets[shap]'``). Trees, forests and linear models are explained
    exactly and fast; of any other model only the predictions are used, which takes long for many rows.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
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

    Returns
    -------
    ndarray of shape (n_features,)
        At least 0; the mean over rows, and over classes where there is one prediction for each.
    """
    try:
        package = import_module("shap")
    except ImportError as error:
        raise MissingExtraError("measure='shap'", "the package shap", "shap") from error
    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    model = fresh_model(estimator, target.is_classes, random_state)
    model.fit(matrix, target.values)
    rng = np.random.default_rng(random_state)
    background = _some(matrix, n_background, rng)
    rows = matrix if n_samples is None else _some(matrix, n_samples, rng)
    try:
        explanation = package.Explainer(model, background, seed=random_state)(rows)
    except TypeError:
        # It does not know models of this kind; any function will do.
        predict = getattr(model, "predict_proba", model.predict)
        explanation = package.Explainer(predict, background, seed=random_state)(rows, silent=True)
    sizes = np.abs(np.asarray(explanation.values, dtype=np.float64)).mean(axis=0)
    if sizes.shape[0] != matrix.shape[1]:
        raise InputError(
            f"shap explains {sizes.shape[0]} features of {matrix.shape[1]}; use another estimator."
        )
    scores = sizes.reshape(len(sizes), -1).mean(axis=1)
    return np.where(constant_columns(matrix), 0.0, scores)


def _some(matrix: FloatArray, n_rows: int, rng: np.random.Generator) -> FloatArray:
    if n_rows < 1:
        raise InputError(f"shap needs at least one row to work with; got {n_rows}.")
    if n_rows >= len(matrix):
        return matrix
    return matrix[np.sort(rng.choice(len(matrix), n_rows, replace=False))]
