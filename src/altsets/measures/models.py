"""Models that measures and wrappers fit, how rows are split for them, and how their predictions are judged."""

from __future__ import annotations

import copy
import importlib
import inspect
import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Target

__all__ = [
    "HELD_OUT",
    "MODELS",
    "Split",
    "fit",
    "fresh_model",
    "judge_of",
    "missing_values_explained",
    "names_for_weights",
    "one_line",
    "scorer_for",
    "splits_of",
]

#: Amounts beyond this, or below its inverse, have squares that floats cannot add up.
LARGEST_TARGET = 1e100
#: Rows to fit to, and rows to predict.
Split = tuple[Indices, Indices]

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


def fit(model: Any, matrix: Floats, values: npt.NDArray[Any], weights: Floats | None = None) -> Any:
    """Fit a model to weighted rows; every part of it that takes weights gets them.

    Examples
    --------
    >>> import numpy as np
    >>> tree = fit(fresh_model(None, False, 0), np.zeros((2, 1)), np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    >>> tree.predict([[0.0]]).tolist()
    [2.0]
    """
    largest = float(np.abs(values).max()) if values.dtype.kind == "f" and len(values) else 1.0
    if not (largest == 0 or 1 / LARGEST_TARGET <= largest <= LARGEST_TARGET):
        raise InputError(
            f"models square the target, which goes up to {largest:g} and would leave the range of floats; choose "
            f"another unit, so that its largest value lies between {1 / LARGEST_TARGET:g} and {LARGEST_TARGET:g}."
        )
    if weights is None:
        return model.fit(matrix, values)
    return model.fit(matrix, values, **dict.fromkeys(names_for_weights(model), weights))


def names_for_weights(model: Any) -> list[str]:
    """What the weights of rows are called by a model and, in a pipeline, by its steps; at least one name."""
    names = _names_for_weights(model)
    if not names:
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        raise InputError(
            f"{type(last).__name__} takes no sample_weight when it is fitted; use another model, such as a tree, a "
            "forest or a linear one."
        )
    return names


def _names_for_weights(model: Any) -> list[str]:
    from sklearn.utils.validation import has_fit_parameter

    if hasattr(model, "steps"):
        steps = [(name, step) for name, step in model.steps if step is not None and step != "passthrough"]
        found = [[f"{name}__{inner}" for inner in _names_for_weights(step)] for name, step in steps]
        return [name for names in found for name in names] if found and found[-1] else []
    if has_fit_parameter(model, "sample_weight"):
        return ["sample_weight"]
    # Searches for parameters, and models of a transformed target, hand on what they get.
    inner = getattr(model, "estimator", None) or getattr(model, "regressor", None)
    return _names_for_weights(inner) if hasattr(inner, "fit") else []


@contextmanager
def missing_values_explained(features: Features, model: Any) -> Iterator[None]:
    """Say in one sentence that a model cannot deal with missing values, if that is what it complains about."""
    try:
        yield
    except ValueError as error:
        if not features.incomplete.any() or "nan" not in str(error).lower():
            raise
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        features.refuse_missing(
            type(last).__name__,
            advice="use a model that takes them (a tree, a forest or boosting), or a pipeline with an imputer",
        )


def judge_of(scorer: Any, weights: Floats | None) -> Any:
    """A scorer that weighs rows, if it can."""
    if weights is None:
        return scorer
    takes = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    return partial(scorer, sample_weight=weights) if "sample_weight" in takes else scorer


def splits_of(
    cv: Any,
    matrix: Floats,
    target: Target,
    random_state: int,
    *,
    groups: Any = None,
    test_size: float = HELD_OUT,
    kept: Bools | None = None,
) -> list[Split]:
    """Rows to fit to and rows to predict, drawn once; without ``cv`` a part of each class or whole groups are held out.

    If only some rows are ``kept``, groups and rows that the user listed are about all of them; splits are not.
    """
    from sklearn.model_selection import (
        GroupShuffleSplit,
        PredefinedSplit,
        ShuffleSplit,
        StratifiedShuffleSplit,
        check_cv,
    )

    kept = np.ones(len(matrix), dtype=bool) if kept is None else kept
    drawn_here = cv is None or isinstance(cv, numbers.Integral) or hasattr(cv, "split")
    explicit = isinstance(cv, PredefinedSplit) or not drawn_here
    try:
        if cv is None:
            kind = StratifiedShuffleSplit if target.is_classes else ShuffleSplit
            kind = kind if groups is None else GroupShuffleSplit
            cv = kind(n_splits=1, test_size=test_size, random_state=random_state)
        if groups is not None:
            groups = np.asarray(groups)[kept]
        splitter = check_cv(cv, target.values, classifier=target.is_classes)
        drawn = list(splitter.split(matrix, target.values, groups))
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"cv={_shown(cv)} does not split these rows: {one_line(error)}") from error
    if not drawn:
        raise InputError(
            f"cv={_shown(cv)} must give at least one pair of rows to fit to and rows to predict."
        )
    there = kept if explicit else np.ones(len(matrix), dtype=bool)
    return [_split(number, pair, there) for number, pair in enumerate(drawn)]


def _split(number: int, pair: Any, there: Bools) -> Split:
    """The rows of a fold among those that are there; what is wrong with them is said with the number of the fold."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"fold {number} of cv must be a pair: rows to fit to, and rows to predict.")
    train, test = (_rows(f"fold {number} of cv", rows, len(there)) for rows in pair)
    twice = np.flatnonzero(np.bincount(test) > 1)
    if len(twice):
        raise InputError(
            f"fold {number} of cv lists row {twice[0]} twice among the test rows; list each row once."
        )
    places = np.cumsum(there) - 1
    kept_train, kept_test = (places[rows[there[rows]]] for rows in (train, test))
    for what, rows in (("training", kept_train), ("test", kept_test)):
        if not len(rows):
            raise InputError(
                f"fold {number} of cv has no {what} rows that count; give it some, or leave it out."
            )
    return kept_train, kept_test


def _rows(who: str, given: Any, n_rows: int) -> Indices:
    """Rows by number, also from one bool for each row."""
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if not rows.size:
        return np.zeros(0, dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise InputError(f"{who} must list rows by number, from 0 to {n_rows - 1}; got {_shown(given)}.")
    wrong = (rows < 0) | (rows >= n_rows)
    if wrong.any():
        raise InputError(f"{who} lists row {rows[wrong][0]}, but the table has rows 0 to {n_rows - 1}.")
    return rows.astype(np.intp)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def one_line(error: Exception) -> str:
    """The first line of what an error says, as a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."
