"""Models that measures and wrappers fit: the user's, one by its name, or a decision tree."""

from __future__ import annotations

import copy
import importlib
from typing import Any

from altsets.errors import InputError

__all__ = ["MODELS", "fresh_model", "one_line"]

#: Models by name: module, class for classes, class for amounts, and whether columns must have one scale.
MODELS: dict[str, tuple[str, str, str, bool]] = {
    "tree": ("sklearn.tree", "DecisionTreeClassifier", "DecisionTreeRegressor", False),
    "forest": ("sklearn.ensemble", "RandomForestClassifier", "RandomForestRegressor", False),
    "boosting": (
        "sklearn.ensemble",
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        False,
    ),
    "linear": ("sklearn.linear_model", "LogisticRegression", "Ridge", True),
    "neighbors": ("sklearn.neighbors", "KNeighborsClassifier", "KNeighborsRegressor", True),
    "svm": ("sklearn.svm", "SVC", "SVR", True),
}


def fresh_model(estimator: Any, classes: bool, random_state: int) -> Any:
    """A copy to be fitted, so that the caller's object stays as it is; by default a decision tree.

    Without seeds of its own two runs would differ, so every part that has none gets one.

    Parameters
    ----------
    estimator : estimator, str or None
        An object with ``fit``, a name in :data:`MODELS`, or a class by its full name, such as
        ``"sklearn.naive_bayes.GaussianNB"``.
    classes : bool
        Whether it is to predict classes or amounts.
    random_state : int
        The seed.
    """
    if estimator is None:
        estimator = "tree"
    if isinstance(estimator, str):
        estimator = _by_name(estimator, classes)
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator must be an object with fit(X, y), such as a decision tree; got {estimator!r}."
        )
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


def _by_name(name: str, classes: bool) -> Any:
    if name == "tree" and classes:
        from sklearn.tree import DecisionTreeClassifier

        # Information gain, as in the paper.
        return DecisionTreeClassifier(criterion="entropy")
    if name in MODELS:
        module, for_classes, for_amounts, scaled = MODELS[name]
        model = getattr(importlib.import_module(module), for_classes if classes else for_amounts)()
        if not scaled:
            return model
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), model)
    module, _, kind = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), kind)()
    except Exception as error:
        # Whatever a module does while it is loaded, or a class without its arguments.
        why = f": {one_line(error)}" if module else "."
        raise InputError(
            f"estimator={name!r} is unknown; choose one of {', '.join(MODELS)}, or give a class by its full name, such "
            f"as sklearn.naive_bayes.GaussianNB{why}"
        ) from error


def one_line(error: Exception) -> str:
    """The first line of what an error says, as a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."
