"""How much a fitted model uses each feature."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures._matrix import FloatArray, matrix_of
from altsets.measures._target import target_of

__all__ = ["importance", "seeded_copy"]


def importance(
    X: Any, y: Any, *, estimator: Any = None, task: str = "auto", random_state: int = 25
) -> FloatArray:
    """Importance of each feature in a model that is fitted to the whole table.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        The target.
    estimator : estimator, optional
        Anything with ``fit`` that afterwards has ``feature_importances_`` or ``coef_``, or a pipeline that
        ends in one; it is copied first. By default a decision tree (criterion "entropy" for classes, as in
        the paper's Model Gain). Coefficients count by their absolute value, summed over the rows of a
        two-dimensional ``coef_`` (one row per class); they depend on the units of the features, so put a
        scaler before the model.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed for every part of the estimator that has none.

    Returns
    -------
    ndarray of shape (n_features,)
        One number per feature.

    Examples
    --------
    >>> importance([[0, 3], [0, 1], [1, 3], [1, 1]], ["a", "a", "b", "b"]).tolist()
    [1.0, 0.0]
    """
    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    if estimator is None:
        estimator = _default_tree(target.is_classes)
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator must be an object with fit(X, y), such as a decision tree; got {estimator!r}."
        )
    model = seeded_copy(estimator, random_state)
    model.fit(matrix, target.values)
    scores = _importances_of(model)
    if scores.shape != (matrix.shape[1],):
        raise InputError(
            f"{type(estimator).__name__} reports {scores.size} importances for {matrix.shape[1]} features; "
            "use a model that keeps the features as they are."
        )
    return scores


def _default_tree(classes: bool) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeClassifier(criterion="entropy") if classes else DecisionTreeRegressor()


def seeded_copy(estimator: Any, random_state: int) -> Any:
    """A copy, so that the caller's object stays as it is; without own seeds two runs would differ."""
    if not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    from sklearn.base import clone

    model = clone(estimator)
    unset = [
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    if unset:
        model.set_params(**dict.fromkeys(unset, random_state))
    return model


def _importances_of(model: Any) -> FloatArray:
    last = model[-1] if hasattr(model, "steps") else model
    if hasattr(last, "feature_importances_"):
        return np.asarray(last.feature_importances_, dtype=np.float64)
    if hasattr(last, "coef_"):
        coefficients = last.coef_.toarray() if hasattr(last.coef_, "toarray") else last.coef_
        sizes: FloatArray = np.atleast_2d(np.abs(np.asarray(coefficients, dtype=np.float64))).sum(axis=0)
        return sizes
    raise InputError(
        f"{type(last).__name__} has neither feature_importances_ nor coef_ after fitting; "
        "use a tree, a forest or a linear model."
    )
