"""Fit and score models on rows of a table: scorers, the positive class, weights, errors of models explained."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures.models import last_step, one_line
from altsets.measures.risk_sets import HARRELL, UNO, concordance_scorer
from altsets.tables.feature_matrix import Encoded, Features, Original
from altsets.tables.survival import is_survival
from altsets.wording import list_some, parameter, suggestion

#: The mean Matthews correlation of several targets.
MATTHEWS_MEAN = "matthews_mean"
#: Words in messages of models about columns that are not numeric.
ABOUT_TYPES = ("convert", "string", "dtype", "object", "categor")


@dataclass(frozen=True, eq=False)
class WithCovariates:
    """The columns of sets in a table, each set with the covariates of the same table."""

    columns: Encoded | Original
    #: Where candidates and covariates are in the table.
    places: Sequence[int]
    covariates: Sequence[int]

    def part(self, rows: Indices) -> WithCovariates:
        return replace(self, columns=self.columns.part(rows))

    def __call__(self, chosen: Sequence[int]) -> Any:
        return self.columns([*(self.places[index] for index in chosen), *self.covariates])


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Rows of a table, as models and scorers get them: columns of a set, labels, weights, groups."""

    columns: Encoded | Original | WithCovariates
    labels: npt.NDArray[Any]
    weights: Floats | None = None
    groups: npt.NDArray[Any] | None = None

    def part(self, rows: Indices) -> ModelRows:
        weights, groups = (None if each is None else each[rows] for each in (self.weights, self.groups))
        return ModelRows(self.columns.part(rows), self.labels[rows], weights, groups)

    def fit(self, model: Any, chosen: Sequence[int]) -> Any:
        """Fit a model to these rows of a set of features; it gets other names or codes if it refuses what there is."""
        # Imports scikit-learn, which reading a table must not wait for.
        from altsets.measures.adapted import fit_adapted

        return fit_adapted(model, self.columns(chosen), self.labels, self.weights, self.groups)

    def fit_copy(self, model: Any, chosen: Sequence[int]) -> Any:
        from sklearn.base import clone

        return self.fit(clone(model), chosen)

    def score(self, model: Any, chosen: Sequence[int], scorer: Any) -> float:
        return float(weight_scorer(scorer, self.weights)(model, self.columns(chosen), self.labels))


def kept_groups(groups: Any, kept: Bools | None) -> npt.NDArray[Any] | None:
    if groups is None:
        return None
    return np.asarray(groups) if kept is None else np.asarray(groups)[kept]


# --- Scorers ------------------------------------------------------------------------------------------


def scorer_for(
    model: Any, scoring: Any, classes: bool, labels: npt.NDArray[Any] | None = None, pos_label: Any = None
) -> Any:
    """A scorer from its name or a function; by default Matthews correlation for classes, R² for numbers, the C index.

    With ``labels``, a scorer of one of two classes, such as precision, is about ``pos_label``; see
    :func:`positive_class`.
    """
    from sklearn.metrics import check_scoring, get_scorer_names

    if scoring is None:
        scoring = default_scorer(classes, labels)
    own = _own_scorer(scoring, labels)
    if own is not None:
        return own
    if not isinstance(scoring, str) and not callable(scoring):
        wanted = "the name of one scorer or a function of model, X and y"
        raise InputError(f"{parameter('scoring', scoring)} must be {wanted}.")
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        otherwise = "give a scikit-learn scorer, such as accuracy or r2."
        hint = suggestion(scoring, get_scorer_names(), otherwise)
        raise InputError(f"{parameter('scoring', scoring)} is unknown; {hint}")
    try:
        scorer = check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise InputError(f"{parameter('scoring', scoring)} does not work here: {one_line(error)}") from error
    asks = "pos_label" in _takes(scorer) and "pos_label" not in scorer._kwargs
    if labels is None or labels.ndim > 1 or not asks:
        # It is about all classes, or about one that is set.
        return scorer
    if not classes:
        named = parameter("scoring", scorer_name(scoring))
        raise InputError(f"{named} is about classes, but the target is numeric; use r2.")
    return _about_one_class(scorer, scoring, labels, pos_label)


def default_scorer(classes: bool, labels: npt.NDArray[Any] | None) -> str:
    if is_survival(labels):
        return HARRELL
    if labels is not None and labels.ndim > 1 and classes:
        return MATTHEWS_MEAN
    return "matthews_corrcoef" if classes else "r2"


def _own_scorer(scoring: Any, labels: npt.NDArray[Any] | None) -> Any:
    """A scorer that scikit-learn does not have; None if it is one of its own, or a function."""
    concordance, survival = concordance_scorer(scoring), is_survival(labels)
    name = scorer_name(scoring) if isinstance(scoring, str) or callable(scoring) else ""
    if survival and concordance is None and isinstance(scoring, str):
        raise InputError(
            f"{parameter('scoring', name)} is about classes or numbers, but the target is survival; use {HARRELL} or "
            f"{UNO}."
        )
    if concordance is not None and not survival:
        remedy = "use matthews_corrcoef or r2"
        raise InputError(f"{parameter('scoring', name)} is for survival, but the target is not; {remedy}.")
    if scoring == MATTHEWS_MEAN:
        from sklearn.metrics import make_scorer

        return make_scorer(mean_matthews)
    return concordance


def positive_class(labels: npt.NDArray[Any], pos_label: Any = None, classes: bool = True) -> Any:
    """The positive one of two classes: 1 or True if it is one of them, else the last one in order.

    A given label may also be the text of a class, as on the command line.
    """
    if not classes:
        raise InputError(
            f"{parameter('pos_label', pos_label)} is for two classes, but the target is "
            f"{'survival' if is_survival(labels) else 'numeric'}; leave it out."
        )
    known = np.unique(labels).tolist()
    named = list_some([repr(label) for label in known])
    if len(known) != 2:
        raise InputError(
            f"{parameter('pos_label')} is one of two classes, but the target has {len(known)} ({named}); leave it "
            "out, or use a target of two classes."
        )
    if pos_label is None:
        return next((label for label in known if label == 1), known[-1])
    found = [label for label in known if label == pos_label]
    found += [label for label in known if _reads_as(pos_label, label)]
    if not found:
        hint = suggestion(pos_label, known, f"choose one of {named}.")
        raise InputError(f"{parameter('pos_label', pos_label)} is not a class of the target; {hint}")
    return found[0]


def positive_label(scorer: Any) -> Any:
    """The positive class of a scorer; None if it is about all classes."""
    return getattr(scorer, "_kwargs", {}).get("pos_label")


def weight_scorer(scorer: Any, weights: Floats | None) -> Any:
    """A scorer with weights, if it takes them."""
    if weights is None:
        return scorer
    takes = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    return partial(scorer, sample_weight=weights) if "sample_weight" in takes else scorer


def _reads_as(text: Any, label: Any) -> bool:
    if not isinstance(text, str):
        return False
    if text.strip().lower() == str(label).lower():
        return True
    try:
        return not isinstance(label, bool | str) and float(text) == float(label)
    except (TypeError, ValueError):
        return False


def _takes(scorer: Any) -> dict[str, Any]:
    """The options of the function behind a scorer, with the values that the scorer sets."""
    function = getattr(scorer, "_score_func", None)
    if function is None or not hasattr(scorer, "_kwargs"):
        return {}
    defaults = {name: option.default for name, option in inspect.signature(function).parameters.items()}
    return {**defaults, **scorer._kwargs}


def _about_one_class(scorer: Any, scoring: Any, labels: npt.NDArray[Any], pos_label: Any) -> Any:
    n_classes = len(np.unique(labels))
    if n_classes > 2:
        if _takes(scorer).get("average") != "binary":
            # It averages over classes by itself.
            return scorer
        name = scorer_name(scoring).removesuffix("_score")
        raise InputError(
            f"{parameter('scoring', name)} is about one of two classes, but the target has {n_classes}; use an "
            f"average over classes, such as {name}_macro or {name}_weighted."
        )
    # Scorers of scikit-learn are shared; change a copy.
    asking = copy.copy(scorer)
    asking._kwargs = {**scorer._kwargs, "pos_label": positive_class(labels, pos_label)}
    return asking


def scorer_name(scorer: Any) -> str:
    """A scorer by its name, or by that of its function."""
    if isinstance(scorer, str):
        return scorer
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(function).__name__))


def mean_matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], sample_weight: Any = None) -> float:
    from sklearn.metrics import matthews_corrcoef

    if np.ndim(true) != 2:
        raise InputError("matthews_mean is for several targets; use matthews_corrcoef.")
    columns = zip(np.asarray(true).T.tolist(), np.asarray(predicted).T.tolist(), strict=True)
    return float(np.mean([matthews_corrcoef(*both, sample_weight=sample_weight) for both in columns]))


# --- Errors of models ---------------------------------------------------------------------------------


@contextmanager
def explain_fit_errors(
    features: Features, model: Any, chosen: Sequence[int] | None = None, *, own: bool = False
) -> Iterator[None]:
    """Turn known errors of a model about missing values, text or absent columns into one sentence with a remedy."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        said = str(error).lower()
        given = features if chosen is None else features.columns(chosen)
        if isinstance(error, ValueError) and "should be a 1d array" in said:
            raise InputError(
                f"{type(last_step(model)).__name__} predicts one target, but there are several; use a tree, a forest "
                "or neighbors, or put it into sklearn.multioutput.MultiOutputClassifier or MultiOutputRegressor."
            ) from error
        if own:
            _refuse_absent_columns(model, given, error)
            if given.categories and any(word in said for word in ABOUT_TYPES):
                raise InputError(
                    f"{type(last_step(model)).__name__} takes numbers, but the set has text or categories "
                    f"({given.labels(np.asarray(given.nominal))}): {str(error).splitlines()[0]}; put an encoder before "
                    "it with sklearn.pipeline.make_pipeline, or choose a model by name, such as "
                    f"{parameter('estimator', 'linear')}, or for survival {parameter('estimator', 'cox')}."
                ) from error
        if given.is_sparse and isinstance(error, TypeError | ValueError) and "sparse" in said:
            given.refuse_sparse(type(last_step(model)).__name__, "use a model that takes sparse tables")
        if given.incomplete.any() and isinstance(error, ValueError) and "nan" in said:
            advice = (
                "use a model that takes them (a tree, a forest or boosting), or a pipeline with an imputer"
            )
            if given.is_sparse:
                # Trees take them from dense tables only.
                advice = "use a pipeline with an imputer, or a tree, a forest or boosting with X.toarray()"
            given.refuse_missing(type(last_step(model)).__name__, advice=advice)
        raise


def _refuse_absent_columns(model: Any, given: Features, error: Exception) -> None:
    """Explain that a part of the model refers to columns that are not in the set, if so."""
    parts = [model, *(model.get_params(deep=True).values() if hasattr(model, "get_params") else [])]
    wanted = dict.fromkeys(name for part in parts for name in _columns_named_by(part))
    absent = [name for name in wanted if name not in (given.names or wanted)]
    if absent:
        raise InputError(
            f"the model asks for {list_some(absent)} by name, but it gets the columns of one set "
            f"at a time ({list_some(given.names or [])}); let it choose columns by their type, with "
            "sklearn.compose.make_column_selector or a function."
        ) from error


def _columns_named_by(part: Any) -> list[str]:
    """The column names in a column transformer."""
    if not hasattr(part, "fit") or not isinstance(getattr(part, "transformers", None), list | tuple):
        return []
    named: list[str] = []
    for _, _, columns in part.transformers:
        if isinstance(columns, str):
            named.append(columns)
        elif isinstance(columns, Sequence) or hasattr(columns, "tolist"):
            named += [name for name in columns if isinstance(name, str)]
    return named
