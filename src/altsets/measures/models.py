"""Models that measures and wrappers fit, what they get of a table, and how rows are split for them."""

from __future__ import annotations

import copy
import importlib
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures.metadata import asking_for_weights, last_step, metadata_for
from altsets.tables.encoded import Encoded, encoded
from altsets.tables.feature_matrix import Features
from altsets.tables.original import Original
from altsets.tables.target import Target

__all__ = [
    "HELD_OUT",
    "MODELS",
    "Split",
    "fit",
    "fresh_model",
    "is_own",
    "one_line",
    "splits_of",
    "table_for",
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


def is_own(estimator: Any) -> bool:
    """Whether an estimator is an object of the user's, who knows what it takes; others are made here, by name."""
    return estimator is not None and not isinstance(estimator, str)


def table_for(estimator: Any, features: Features) -> Encoded | Original:
    """What models get: an object of the user's the table as it was handed over, all others numbers alone.

    Examples
    --------
    >>> from altsets.tables.conversion import features_of
    >>> from sklearn.dummy import DummyClassifier
    >>> features = features_of([[1, "red"], [2, "blue"]])
    >>> rows = np.arange(2)
    >>> table_for("tree", features).part(rows)([0, 1]).tolist()
    [[1.0, 1.0], [2.0, 0.0]]
    >>> table_for(DummyClassifier(), features).part(rows)([0, 1]).tolist()
    [[1, 'red'], [2, 'blue']]
    """
    if is_own(estimator) and features.original is not None:
        return features.original
    return encoded(features)


def fresh_model(estimator: Any, classes: bool, random_state: int, class_weight: Any = None) -> Any:
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
    class_weight : {"balanced"}, optional
        For models by name: classes count alike, however many rows they have.
    """
    if class_weight is not None:
        _check_class_weight(estimator, classes, class_weight)
    if not is_own(estimator):
        estimator = _by_name("tree" if estimator is None else estimator, classes)
    if class_weight is not None:
        _set_class_weight(estimator, class_weight)
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
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        # Medians, means and scales are those of the rows that the model is fitted to.
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        return make_pipeline(imputer, asking_for_weights(StandardScaler()), asking_for_weights(model))
    try:
        return _estimator_class(name)()
    except Exception as error:
        # Whatever a module does while it is loaded, or a class without its arguments.
        why = f": {one_line(error)}" if "." in name else "."
        raise InputError(
            f"estimator={name!r} is unknown; choose one of {', '.join(MODELS)}, or give a class by its full name, such "
            f"as sklearn.naive_bayes.GaussianNB{why}"
        ) from error


def _estimator_class(name: str) -> type:
    """Import a class by its full name; nothing but a class with a fit method is ever called."""
    module, _, kind = name.rpartition(".")
    found = getattr(importlib.import_module(module), kind)
    if not isinstance(found, type) or not callable(getattr(found, "fit", None)):
        raise InputError(f"{kind} in {module} is not an estimator class (a class with a fit method)")
    return found


def _check_class_weight(estimator: Any, classes: bool, class_weight: Any) -> None:
    if not isinstance(class_weight, str) or class_weight != "balanced":
        raise InputError(f"class_weight={class_weight!r} is unknown; choose 'balanced', or leave it out.")
    if is_own(estimator):
        raise InputError(
            f"class_weight is for models by name; set it on your own {type(estimator).__name__} instead."
        )
    if not classes:
        raise InputError("class_weight is about classes, but the target is an amount; leave it out.")


def _set_class_weight(model: Any, class_weight: Any) -> None:
    last = last_step(model)
    if "class_weight" not in getattr(last, "get_params", dict)():
        raise InputError(
            f"{type(last).__name__} knows no class weights; leave out class_weight, or use tree, forest, boosting, "
            "linear or svm."
        )
    last.set_params(class_weight=class_weight)


def fit(
    model: Any,
    table: Any,
    values: npt.NDArray[Any],
    weights: Floats | None = None,
    groups: npt.NDArray[Any] | None = None,
) -> Any:
    """Fit a model to weighted rows; every part of it that takes weights gets them, and splitters inside get groups.

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
    return model.fit(table, values, **metadata_for(model, weights, groups))


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
