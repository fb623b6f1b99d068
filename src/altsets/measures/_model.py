"""Models that measures and wrappers fit, how rows are split for them, and how their predictions are judged."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError
from altsets.measures._features import FloatArray
from altsets.measures._target import Target

__all__ = ["HELD_OUT", "MODELS", "Split", "fresh_model", "one_line", "scorer_for", "splits_of"]

Rows = npt.NDArray[np.intp]
#: Rows to fit to, and rows to predict.
Split = tuple[Rows, Rows]

#: The share of rows that are predicted, as in the paper.
HELD_OUT = 0.2

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


def scorer_for(model: Any, scoring: Any, classes: bool) -> Any:
    """How predictions are judged: by default Matthews' correlation coefficient for classes, R² for amounts."""
    from sklearn.metrics import check_scoring

    if scoring is None:
        scoring = "matthews_corrcoef" if classes else "r2"
    if not isinstance(scoring, str) and not callable(scoring):
        raise InputError(
            f"scoring={scoring!r} must be the name of one scorer or a function of model, X and y."
        )
    try:
        return check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise InputError(f"scoring={scoring!r} does not work here: {one_line(error)}") from error


def splits_of(
    cv: Any,
    matrix: FloatArray,
    target: Target,
    random_state: int,
    *,
    groups: Any = None,
    test_size: float = HELD_OUT,
) -> list[Split]:
    """Rows to fit to and rows to predict, drawn once; without ``cv`` one part is held out, of each class alike."""
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, check_cv

    try:
        if cv is None:
            kind = StratifiedShuffleSplit if target.is_classes else ShuffleSplit
            cv = kind(n_splits=1, test_size=test_size, random_state=random_state)
        splitter = check_cv(cv, target.values, classifier=target.is_classes)
        drawn = list(splitter.split(matrix, target.values, groups))
        splits = [tuple(np.arange(len(matrix))[np.asarray(rows)] for rows in pair) for pair in drawn]
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"cv={_shown(cv)} does not split these rows: {one_line(error)}") from error
    if not splits or not all(len(pair) == 2 and all(map(len, pair)) for pair in splits):
        raise InputError(
            f"cv={_shown(cv)} must give at least one pair of rows to fit to and rows to predict."
        )
    return [(train, test) for train, test in splits]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def one_line(error: Exception) -> str:
    """The first line of what an error says, as a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."
