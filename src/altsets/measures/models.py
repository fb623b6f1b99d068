"""Models by name, what they get of a table, how they are fitted (weights, groups), and how rows are split."""

from __future__ import annotations

import importlib
import inspect
import numbers
import re
from copy import copy, deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.tables.feature_matrix import Encoded, Features, Original, encode
from altsets.tables.survival import Survival
from altsets.tables.target import Outcome, Target
from altsets.wording import parameter, shorten, suggestion

#: Squares of targets beyond this, or below its inverse, leave the range of floats.
LARGEST_TARGET = 1e100
#: Training rows and test rows.
Split = tuple[Indices, Indices]

#: The share of test rows, as in the paper.
HELD_OUT = 0.2

#: Models by name: module, classifier, regressor, and whether columns must be scaled.
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
    """Whether an estimator is the user's own object, rather than a name or the default."""
    return estimator is not None and not isinstance(estimator, str)


def table_for(estimator: Any, features: Features) -> Encoded | Original:
    """The table for a model: as the user passed it for their own object, encoded as numbers for all others."""
    if is_own(estimator) and features.original is not None:
        return features.original
    return encode(features)


def fresh_model(
    estimator: Any, classes: bool, random_state: int, class_weight: Any = None, *, survival: bool = False
) -> Any:
    """An unfitted copy; by default a decision tree, or a Cox model. Every part without a seed gets ``random_state``.

    ``estimator`` is an object with ``fit``, a name in :data:`MODELS`, or a class by its full name, such as
    ``"sklearn.naive_bayes.GaussianNB"``. ``class_weight="balanced"`` is for models by name.
    """
    own = is_own(estimator)
    if survival:
        estimator = _for_survival(estimator)
    elif not own:
        estimator = _by_name("tree" if estimator is None else estimator, classes)
    if class_weight is not None:
        _set_class_weight(estimator, own, classes, class_weight, "survival" if survival else "numeric")
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        wanted = "an object with fit(X, y), such as a decision tree"
        raise InputError(f"estimator must be {wanted}; got {estimator!r}.")
    if not hasattr(estimator, "get_params"):
        return deepcopy(estimator)
    from sklearn.base import clone

    model = clone(estimator)
    unset = [name for name, value in model.get_params(deep=True).items() if value is None]
    seeds = [name for name in unset if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(seeds, random_state)) if seeds else model


def _for_survival(estimator: Any) -> Any:
    """A model of survival: by name, or one of the user's."""
    from altsets.measures.survival_models import CoxModel, as_survival_model

    if is_own(estimator):
        return as_survival_model(estimator)
    if estimator is None or estimator == "cox":
        return _scaled(CoxModel())
    if estimator in MODELS:
        raise InputError(
            f"{parameter('estimator', estimator)} is for classes and numbers, but the target is survival; use cox, or "
            "a model of scikit-survival or lifelines."
        )
    return as_survival_model(_by_name(estimator, False))


def _scaled(model: Any) -> Any:
    """A model after an imputer and a scaler; medians, means and scales come from the training rows."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, request_weights(StandardScaler()), request_weights(model))


def _by_name(name: str, classes: bool) -> Any:
    if name == "cox":
        raise InputError(
            f"{parameter('estimator', name)} is for survival, but the target is {'classes' if classes else 'numeric'}; "
            "use tree or linear."
        )
    if name == "tree" and classes:
        from sklearn.tree import DecisionTreeClassifier

        # Information gain, as in the paper.
        return DecisionTreeClassifier(criterion="entropy")
    if name in MODELS:
        module, classifier, regressor, scaled = MODELS[name]
        model = getattr(importlib.import_module(module), classifier if classes else regressor)()
        return _scaled(model) if scaled else model
    try:
        module, _, kind = name.rpartition(".")
        found = getattr(importlib.import_module(module), kind)
        # Nothing but a class with a fit method is ever called.
        if not isinstance(found, type) or not callable(getattr(found, "fit", None)):
            raise InputError(f"{kind} in {module} is not an estimator class (a class with a fit method)")
        return found()
    except Exception as error:
        # Anything can happen while a module is loaded, or a class is called without arguments.
        why = f": {one_line(error)}" if "." in name else "."
        by_class = f"a class by its full name, such as sklearn.naive_bayes.GaussianNB{why}"
        hint = suggestion(name, MODELS, f"choose one of {', '.join(MODELS)}, or give {by_class}")
        raise InputError(f"{parameter('estimator', name)} is unknown; {hint}") from error


def _set_class_weight(model: Any, own: bool, classes: bool, class_weight: Any, otherwise: str) -> None:
    if not isinstance(class_weight, str) or class_weight != "balanced":
        given = parameter("class_weight", class_weight)
        raise InputError(f"{given} is unknown; choose 'balanced', or leave it out.")
    if own:
        instead = f"set it on your own {type(model).__name__} instead"
        raise InputError(f"{parameter('class_weight')} is for models by name; {instead}.")
    if not classes:
        why = f"for classes, but the target is {otherwise}"
        raise InputError(f"{parameter('class_weight')} is {why}; leave it out.")
    last = last_step(model)
    if "class_weight" not in getattr(last, "get_params", dict)():
        raise InputError(
            f"{type(last).__name__} has no class weights; leave out {parameter('class_weight')}, or use tree, forest, "
            "boosting, linear or svm."
        )
    last.set_params(class_weight=class_weight)


def fit(
    model: Any,
    table: Any,
    values: npt.NDArray[Any],
    weights: Floats | None = None,
    groups: npt.NDArray[Any] | None = None,
) -> Any:
    """Fit a model; every part that takes weights gets them, and splitters inside get the groups."""
    largest = float(np.abs(values).max()) if values.dtype.kind == "f" and len(values) else 1.0
    if not (largest == 0 or 1 / LARGEST_TARGET <= largest <= LARGEST_TARGET):
        raise InputError(
            f"models square the target, which goes up to {largest:g} and would leave the range of floats; choose "
            f"another unit, so that its largest value lies between {1 / LARGEST_TARGET:g} and {LARGEST_TARGET:g}."
        )
    try:
        given = {} if weights is None else dict.fromkeys(names_for_weights(model), weights)
        given |= {} if groups is None else dict.fromkeys(_names_for_groups(model), groups)
        return model.fit(table, values, **given)
    except Exception as error:
        from sklearn.base import is_classifier, is_regressor

        what = "classes" if is_classifier(model) else "numbers" if is_regressor(model) else ""
        if values.dtype.names is None or isinstance(error, InputError) or not what:
            raise
        raise InputError(
            f"{type(last_step(model)).__name__} is for {what}, but the target is survival; use cox, or a model of "
            "scikit-survival or lifelines."
        ) from error


def strata_of(target: Outcome) -> Indices | None:
    """What all parts of a split are to have alike: classes, events, combinations of labels; None of numbers."""
    if isinstance(target, Target):
        return target.values if target.is_classes else None
    return target.strata


def splits_of(
    cv: Any,
    matrix: Floats,
    target: Outcome,
    random_state: int,
    *,
    groups: Any = None,
    test_size: float = HELD_OUT,
    kept: Bools | None = None,
) -> list[Split]:
    """Training and test rows; without ``cv``, a stratified part or whole groups are held out.

    If only some rows are ``kept``, groups and listed rows refer to all of them, the splits to the kept ones.
    """
    from sklearn import model_selection as kinds

    if isinstance(target, Survival) and target.event.sum() == 1:
        raise InputError(
            "a model is fitted to some rows and tested on others, which takes an event in both, but only 1 row has "
            "one; use a quality without a model, such as cox."
        )
    everything = np.ones(matrix.shape[0], dtype=bool)
    kept = everything if kept is None else kept
    drawn_here = cv is None or isinstance(cv, numbers.Integral) or hasattr(cv, "split")
    there = everything if drawn_here and not isinstance(cv, kinds.PredefinedSplit) else kept
    try:
        if cv is None:
            kind = kinds.ShuffleSplit if strata_of(target) is None else kinds.StratifiedShuffleSplit
            kind = kind if groups is None else kinds.GroupShuffleSplit
            cv = kind(n_splits=1, test_size=test_size, random_state=random_state)
        if groups is not None:
            groups = np.asarray(groups)[kept]
        strata = strata_of(target)
        alike = target.values if strata is None else strata
        splitter = kinds.check_cv(cv, alike, classifier=strata is not None)
        drawn = list(splitter.split(matrix, alike, groups))
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        # Without the names of scikit-learn's parameters for numbers of folds and rows.
        said = re.sub(r"\bn_(splits|samples)=", "", one_line(error))
        raise InputError(f"{parameter('cv', cv)} does not split these rows: {said}") from error
    if not drawn:
        raise InputError(f"{parameter('cv', cv)} must give at least one pair of training rows and test rows.")
    return [_kept_split(number, pair, there) for number, pair in enumerate(drawn)]


def _kept_split(number: int, pair: Any, there: Bools) -> Split:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"fold {number} of cv must be a pair: training rows and test rows.")
    train, test = (_rows(f"fold {number} of cv", rows, len(there)) for rows in pair)
    twice = np.flatnonzero(np.bincount(test) > 1)
    if len(twice):
        row = f"row {twice[0]} twice among the test rows"
        raise InputError(f"fold {number} of cv lists {row}; list each row once.")
    places = np.cumsum(there) - 1
    kept_train, kept_test = (places[rows[there[rows]]] for rows in (train, test))
    for what, rows in (("training", kept_train), ("test", kept_test)):
        if not len(rows):
            lacks = f"fold {number} of cv has no {what} rows that count"
            raise InputError(f"{lacks}; give it some, or leave it out.")
    return kept_train, kept_test


def _rows(who: str, given: Any, n_rows: int) -> Indices:
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if not rows.size:
        return np.zeros(0, dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        wanted = f"rows by number, from 0 to {n_rows - 1}"
        raise InputError(f"{who} must list {wanted}; got {shorten(given, 103)}.")
    wrong = (rows < 0) | (rows >= n_rows)
    if wrong.any():
        raise InputError(f"{who} lists row {rows[wrong][0]}, but the table has rows 0 to {n_rows - 1}.")
    return rows.astype(np.intp)


def one_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."


# --- Weights and groups -------------------------------------------------------------------------------


def names_for_weights(model: Any) -> list[str]:
    """The names of the weight parameters of a model and, in a pipeline, its steps; at least one."""
    if _is_routed(model):
        if _requests(model, "sample_weight"):
            return ["sample_weight"]
        raise InputError(
            f"no part of {type(model).__name__} asks for sample_weight, and scikit-learn's metadata routing is on; say "
            "which parts are to get it, with set_fit_request(sample_weight=True)."
        )
    names = _names_for_weights(model)
    if not names:
        raise InputError(
            f"{type(last_step(model)).__name__} takes no sample_weight when it is fitted; use another model that does, "
            "such as a tree, a forest or a linear one, or for survival cox."
        )
    return names


def _names_for_weights(model: Any) -> list[str]:
    if hasattr(model, "steps"):
        found = [[f"{name}__{inner}" for inner in _names_for_weights(step)] for name, step in _steps(model)]
        return [name for names in found for name in names] if found and found[-1] else []
    if _takes_weights(model):
        return ["sample_weight"]
    # An ensemble, such as a vote or a stack, passes weights on if all of its models take them.
    parts = [part for _, part in getattr(model, "estimators", None) or [] if part != "drop"]
    options = inspect.signature(model.fit).parameters.values() if parts else ()
    if any(option.kind is option.VAR_KEYWORD for option in options) and all(map(_takes_weights, parts)):
        return ["sample_weight"]
    # Parameter searches and models of a transformed target pass weights on.
    inner = getattr(model, "estimator", None) or getattr(model, "regressor", None)
    return _names_for_weights(inner) if hasattr(inner, "fit") else []


def _names_for_groups(model: Any) -> list[str]:
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    if hasattr(model, "steps") and not _is_routed(model):
        return [f"{name}__{inner}" for name, step in _steps(model) for inner in _names_for_groups(step)]
    # Without routing only searches take groups, and most splitters ignore them.
    takes = _is_routed(model) or isinstance(model, GridSearchCV | RandomizedSearchCV)
    return ["groups"] if takes and _requests(model, "groups") else []


def request_weights(model: Any) -> Any:
    """The model; with metadata routing on, it requests weights."""
    from sklearn import get_config

    if get_config()["enable_metadata_routing"] and _takes_weights(model):
        model.set_fit_request(sample_weight=True)
    return model


def last_step(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _steps(model: Any) -> list[tuple[str, Any]]:
    return [(name, step) for name, step in model.steps if step is not None and step != "passthrough"]


def _takes_weights(model: Any) -> bool:
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(model, "sample_weight"))


def _is_routed(model: Any) -> bool:
    """Whether the model routes metadata to its parts (scikit-learn's metadata routing)."""
    from sklearn import get_config
    from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

    return bool(get_config()["enable_metadata_routing"]) and isinstance(
        get_routing_for_object(model), MetadataRouter
    )


def _requests(model: Any, name: str) -> bool:
    from sklearn.utils.metadata_routing import get_routing_for_object

    return name in get_routing_for_object(model).consumes("fit", [name])


# --- Default decision trees, fast ---------------------------------------------------------------------
# The same numbers, but the table is converted and checked only once: half of the time of a small fit.

#: A table in single precision, one row for each of its columns.
Columns = npt.NDArray[np.float32]


def fits_single_precision(matrix: Floats) -> bool:
    """Whether trees, which work in single precision, can hold all numbers of a table."""
    with np.errstate(over="ignore"):
        return not np.isinf(matrix.astype(np.float32)).any()


def as_columns(matrix: Floats) -> Columns:
    """A table for trees: each column is contiguous, so that some of them are taken quickly."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32)


def fit_tree(unfitted: Any, columns: Columns, values: npt.NDArray[Any], *, check: bool = False) -> Any:
    """A fitted copy of a tree; missing values are only handled with ``check``."""
    from sklearn import config_context

    tree = copy(unfitted)
    with config_context(skip_parameter_validation=True):
        tree.fit(columns.T, values, check_input=check)
    return tree


def predict_tree(tree: Any, columns: Columns) -> npt.NDArray[Any]:
    """Predictions of a fitted tree: class codes, or numbers."""
    predicted: npt.NDArray[Any] = tree.tree_.predict(columns.T)
    if hasattr(tree, "classes_"):
        chosen: npt.NDArray[Any] = tree.classes_[np.argmax(predicted, axis=1)]
        return chosen
    return predicted[:, 0]


def matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], n_classes: int) -> float:
    """Matthews correlation of class codes; 0 where it is not defined."""
    table = np.bincount(true * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)
    actual, predicted_counts, total = table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), len(true)
    shared = int(np.trace(table)) * total - sum(a * b for a, b in zip(actual, predicted_counts, strict=True))
    spread = (total**2 - sum(a * a for a in actual)) * (total**2 - sum(b * b for b in predicted_counts))
    return shared / float(spread) ** 0.5 if spread else 0.0


def r_squared(true: Floats, predicted: Floats) -> float:
    """The share of explained variance; of a constant target all or nothing."""
    left = float(np.sum((true - predicted) ** 2))
    spread = float(np.sum((true - np.mean(true)) ** 2))
    if spread:
        return 1 - left / spread
    return 0.0 if left else 1.0
