"""What a fitted model says about the columns that it was fitted to: how important each is, and whether it is used."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError

#: Where a fitted model keeps another one that got the same features.
INNER_MODELS = ("best_estimator_", "regressor_")


def importances_of(model: Any, n_columns: int) -> Floats:
    """One number for each column that the model was fitted to."""
    return _attributed(model, n_columns, _importances)


def columns_used(model: Any, n_columns: int) -> Bools:
    """Whether the model uses each column that it was fitted to: splits on it, or has a coefficient other than 0."""
    return np.asarray(_attributed(model, n_columns, _uses) > 0)


def _attributed(model: Any, n_columns: int, of_model: Callable[[Any], Floats]) -> Floats:
    """What a function says about the features of the model proper, given back to the columns."""
    if hasattr(model, "steps"):
        origins = _origins_of_steps(model.steps[:-1], n_columns)
        found = _attributed(model.steps[-1][1], len(origins), of_model)
        # A column that is passed on twice gets both.
        return np.asarray(np.bincount(origins, weights=found, minlength=n_columns), dtype=np.float64)
    for name in INNER_MODELS:
        if hasattr(model, name):
            return _attributed(getattr(model, name), n_columns, of_model)
    if hasattr(model, "calibrated_classifiers_"):
        parts = [_attributed(part.estimator, n_columns, of_model) for part in model.calibrated_classifiers_]
        return np.asarray(np.mean(parts, axis=0))
    found = of_model(model)
    if found.shape != (n_columns,):
        raise InputError(
            f"{type(model).__name__} reports {found.size} importances for {n_columns} features; "
            "use a model that keeps the features as they are."
        )
    return found


# --- Models -------------------------------------------------------------------------------------------


def _importances(model: Any) -> Floats:
    try:
        if hasattr(model, "feature_importances_"):
            return np.asarray(model.feature_importances_, dtype=np.float64)
    except NotImplementedError as error:
        # Forests of scikit-survival have the attribute, but no importances.
        raise InputError(
            f"{type(model).__name__} has no importances of features; use a model with coefficients, or permutation "
            "importance."
        ) from error
    if hasattr(model, "coef_") and hasattr(model, "deviance_ratio_"):
        # Coefficients for each penalty of a path, as scikit-survival's Coxnet has them; it predicts with the last.
        return np.abs(np.asarray(model.coef_, dtype=np.float64)[:, -1])
    if hasattr(model, "coef_"):
        coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        sizes = np.abs(np.asarray(coefficients, dtype=np.float64))
        # Features come last; everything before is outputs, classes or pairs of classes.
        return np.asarray(sizes.reshape(-1, sizes.shape[-1] if sizes.ndim else 1).sum(axis=0))
    kernel = getattr(model, "kernel", "linear")
    if kernel != "linear":
        raise InputError(
            f"{type(model).__name__} with kernel={kernel!r} has no coefficients of features; use kernel='linear'."
        )
    raise InputError(
        f"{type(getattr(model, 'fitter', model)).__name__} has neither feature_importances_ nor coef_ after fitting; "
        "use a tree, a forest or a linear model, or for survival a Cox model of scikit-survival."
    )


def _uses(model: Any) -> Floats:
    """Above 0 for features that are used.

    Trees are asked for their splits: one that only prepares the next one may have no importance at all.
    """
    trees = [model] if hasattr(model, "tree_") else np.ravel(getattr(model, "estimators_", ())).tolist()
    if not trees or not all(hasattr(one, "tree_") for one in trees):
        return np.abs(_importances(model))
    uses = np.zeros(model.n_features_in_)
    # The trees of a bag may have got some of the features each.
    given = getattr(model, "estimators_features_", [np.arange(len(uses))] * len(trees))
    for one, features in zip(trees, given, strict=True):
        splits = one.tree_.feature
        # Leaves have negative numbers.
        uses[features[splits[splits >= 0]]] = 1.0
    return uses


# --- Steps before the model ---------------------------------------------------------------------------


def _origins_of_steps(steps: Any, n_in: int) -> Indices:
    """The column behind each feature that comes out of the last step."""
    origins = np.arange(n_in)
    for name, step in steps:
        if step is not None and not isinstance(step, str):
            origins = origins[_origins(name, step, len(origins))]
    return origins


def _origins(name: str, step: Any, n_in: int) -> Indices:
    """The column behind each feature that a step passes on."""
    if hasattr(step, "steps"):
        return _origins_of_steps(step.steps, n_in)
    if hasattr(step, "get_support"):
        return np.asarray(step.get_support(indices=True), dtype=np.intp)
    if hasattr(step, "transformers_"):
        return _origins_of_parts(step, n_in)
    if not hasattr(step, "get_feature_names_out"):
        # Unknown; the number of features is checked after it.
        return np.arange(n_in)
    columns = {f"column{index}": index for index in range(n_in)}
    # Under names that no label can be mistaken for, whatever the table calls its columns.
    renamed = copy(step)
    vars(renamed).pop("feature_names_in_", None)
    found = []
    for label in map(str, renamed.get_feature_names_out(list(columns))):
        # An encoder puts a category behind the name of its column.
        origin = columns.get(
            label, columns.get(label.partition("_")[0] if hasattr(step, "categories_") else "")
        )
        if origin is None:
            raise InputError(
                f"step {name!r} ({type(step).__name__}) makes features of its own, such as {label!r}, so that "
                "importances cannot be given back to columns; leave it out, or use permutation."
            )
        found.append(origin)
    return np.array(found, dtype=np.intp)


def _origins_of_parts(transformer: Any, n_in: int) -> Indices:
    known = getattr(transformer, "feature_names_in_", None)
    names = {} if known is None else {name: index for index, name in enumerate(known)}
    origins = np.zeros(max(part.stop for part in transformer.output_indices_.values()), dtype=np.intp)
    for name, part, chosen in transformer.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        listed = [chosen] if isinstance(chosen, str | int) else chosen
        if not isinstance(listed, slice):
            listed = np.asarray([names.get(one, one) for one in listed])
            listed = listed if listed.dtype == bool else listed.astype(np.intp)
        columns = np.arange(n_in)[listed]
        place = transformer.output_indices_[name]
        inner = np.arange(len(columns)) if isinstance(part, str) else _origins(name, part, len(columns))
        if len(inner):
            origins[place] = columns[inner]
    return origins
