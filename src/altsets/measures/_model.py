"""Models that measures fit: the user's, or a decision tree."""

from __future__ import annotations

import copy
from typing import Any

from altsets.errors import InputError

__all__ = ["fresh_model"]


def fresh_model(estimator: Any, classes: bool, random_state: int) -> Any:
    """A copy to be fitted, so that the caller's object stays as it is; by default a decision tree.

    Without seeds of its own two runs would differ, so every part that has none gets one.
    """
    if estimator is None:
        estimator = _default_tree(classes)
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


def _default_tree(classes: bool) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeClassifier(criterion="entropy") if classes else DecisionTreeRegressor()
