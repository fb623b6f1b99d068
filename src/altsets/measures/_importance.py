"""How much a fitted model uses each feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures.complaints import complaints_explained
from altsets.measures.models import fit, fresh_model
from altsets.tables.conversion import features_of
from altsets.tables.encoded import encoded
from altsets.tables.target import target_of
from altsets.tables.weights import counted

__all__ = ["importance"]

#: Where a fitted model keeps another one that got the same features.
INNER_MODELS = ("best_estimator_", "regressor_")


def importance(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    task: str = "auto",
    random_state: int = 25,
    sample_weight: Any = None,
) -> Floats:
    """Importance of each feature in a model that is fitted to the whole table.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A category becomes a column of 0 and 1 for each label (one column for two labels), whose
        importances are added up. A missing number is handed to the model as nan.
    y : array-like of shape (n_samples,)
        The target.
    estimator : estimator or str, optional
        Anything with ``fit`` that afterwards has ``feature_importances_`` or ``coef_``; it is copied first. By
        default a decision tree (criterion "entropy" for classes, as in the paper's Model Gain). Coefficients
        count by their absolute value, summed over all outputs or classes; they depend on the units of the
        features, so put a scaler before the model. Also pipelines that end in such a model, if their steps scale,
        select or reorder columns (0 for a column that is not selected), searches for parameters
        (``GridSearchCV``), ``TransformedTargetRegressor`` and ``CalibratedClassifierCV`` (the mean of its models).
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts when the model is fitted.

    Returns
    -------
    ndarray of shape (n_features,)
        One number per feature.

    Examples
    --------
    >>> importance([[0, 3], [0, 1], [1, 3], [1, 1]], ["a", "a", "b", "b"]).tolist()
    [1.0, 0.0]
    """
    features, y, weights = counted(features_of(X), y, sample_weight)
    target = target_of(y, features.n_rows, task)
    model = fresh_model(estimator, target.is_classes, random_state)
    table = encoded(features, at_once=True)
    with complaints_explained(features, model):
        fit(model, table.matrix, target.values, weights)
    return table.total(_importances(model, table.matrix.shape[1]))


def _importances(model: Any, n_features: int) -> Floats:
    """One number for each feature that the model was fitted with."""
    if hasattr(model, "steps"):
        return _through_steps(model, n_features)
    for name in INNER_MODELS:
        if hasattr(model, name):
            return _importances(getattr(model, name), n_features)
    if hasattr(model, "calibrated_classifiers_"):
        parts = [_importances(part.estimator, n_features) for part in model.calibrated_classifiers_]
        return np.asarray(np.mean(parts, axis=0))
    scores = _told_by(model)
    if scores.shape != (n_features,):
        raise InputError(
            f"{type(model).__name__} reports {scores.size} importances for {n_features} features; "
            "use a model that keeps the features as they are."
        )
    return scores


def _told_by(model: Any) -> Floats:
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_, dtype=np.float64)
    if hasattr(model, "coef_"):
        coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        sizes = np.abs(np.asarray(coefficients, dtype=np.float64))
        # Features come last; everything before is outputs, classes or pairs of classes.
        return np.asarray(sizes.reshape(-1, sizes.shape[-1] if sizes.ndim else 1).sum(axis=0))
    bent = getattr(model, "kernel", "linear")
    if bent != "linear":
        raise InputError(
            f"{type(model).__name__} with kernel={bent!r} has no coefficients of features; use kernel='linear'."
        )
    raise InputError(
        f"{type(model).__name__} has neither feature_importances_ nor coef_ after fitting; "
        "use a tree, a forest or a linear model."
    )


def _through_steps(pipeline: Any, n_features: int) -> Floats:
    """The importances of the last step, given back to the columns that its features were made of."""
    origins = np.arange(n_features)
    for name, step in pipeline.steps[:-1]:
        if step is not None and step != "passthrough":
            origins = origins[_origins(name, step, len(origins))]
    found = _importances(pipeline.steps[-1][1], len(origins))
    # A column that is passed on twice has both importances.
    return np.asarray(np.bincount(origins, weights=found, minlength=n_features), dtype=np.float64)


def _origins(name: str, step: Any, n_in: int) -> Any:
    """For each feature that a step passes on, the column that it is."""
    if hasattr(step, "get_support"):
        return step.get_support(indices=True)
    if not hasattr(step, "get_feature_names_out"):
        # Nothing is known but that a model after it got this many features, which is checked there.
        return np.arange(n_in)
    # Column transformers put the name of a part before that of a column.
    columns = {f"column{index}": index for index in range(n_in)}
    made = [str(label).split("__")[-1] for label in step.get_feature_names_out(list(columns))]
    unknown = [label for label in made if label not in columns]
    if unknown:
        raise InputError(
            f"step {name!r} ({type(step).__name__}) makes features of its own, such as {unknown[0]!r}, so that "
            "importances cannot be given back to columns; leave it out, or use permutation."
        )
    return np.array([columns[label] for label in made])
