"""How predictions are judged: scorers, the class that some of them are about, and weights of rows."""

from __future__ import annotations

import copy
import inspect
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures.models import one_line
from altsets.tables.feature_matrix import listed

__all__ = ["asked_for", "judge_of", "positive_of", "scorer_for"]


def scorer_for(
    model: Any, scoring: Any, classes: bool, labels: npt.NDArray[Any] | None = None, pos_label: Any = None
) -> Any:
    """How predictions are judged: by default Matthews' correlation coefficient for classes, R² for amounts.

    Parameters
    ----------
    model : estimator
        What predicts.
    scoring : str, callable or None
        The name of a scorer of scikit-learn, or ``scorer(model, X, y) -> float``.
    classes : bool
        Whether it predicts classes or amounts.
    labels : ndarray, optional
        The classes of all rows, as the model gets them.
    pos_label : optional
        The class that precision, recall and the like are about; see :func:`positive_of`.
    """
    from sklearn.metrics import check_scoring

    if scoring is None:
        scoring = "matthews_corrcoef" if classes else "r2"
    if not isinstance(scoring, str) and not callable(scoring):
        raise InputError(
            f"scoring={scoring!r} must be the name of one scorer or a function of model, X and y."
        )
    try:
        scorer = check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise InputError(f"scoring={scoring!r} does not work here: {one_line(error)}") from error
    if labels is None or not _is_about_one_class(scorer):
        return scorer
    if not classes:
        raise InputError(
            f"scoring={_name_of(scoring)} is about classes, but the target is an amount; use r2."
        )
    return _about_one_class(scorer, scoring, labels, pos_label)


def positive_of(labels: npt.NDArray[Any], pos_label: Any = None, classes: bool = True) -> Any:
    """Which of two classes is the positive one: 1 or True if it is one of them, else the last one in order.

    A label that is given may also be the text of a class, as command lines have it.

    Examples
    --------
    >>> positive_of(np.array(["yes", "no"])), positive_of(np.array([1, 2])), positive_of(np.array([1, 2]), "2")
    ('yes', 1, 2)
    """
    if not classes:
        raise InputError(
            f"the positive class {pos_label!r} (pos_label) goes with two classes, but the target is an amount; leave "
            "it out."
        )
    known = np.unique(labels).tolist()
    named = listed([repr(label) for label in known])
    if len(known) != 2:
        raise InputError(
            f"a positive class (pos_label) is one of two classes, but the target has {len(known)} ({named}); leave it "
            "out, or use a target of two classes."
        )
    if pos_label is None:
        return next((label for label in known if label == 1), known[-1])
    found = [label for label in known if label == pos_label] or [
        label for label in known if _reads_as(pos_label, label)
    ]
    if not found:
        raise InputError(
            f"the positive class {pos_label!r} (pos_label) is not a class of the target; choose one of {named}."
        )
    return found[0]


def asked_for(scorer: Any) -> Any:
    """The class that a scorer of :func:`scorer_for` is about; None if it is about all of them."""
    return getattr(scorer, "_kwargs", {}).get("pos_label")


def judge_of(scorer: Any, weights: Floats | None) -> Any:
    """A scorer that weighs rows, if it can."""
    if weights is None:
        return scorer
    takes = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    return partial(scorer, sample_weight=weights) if "sample_weight" in takes else scorer


def _reads_as(text: Any, label: Any) -> bool:
    """Whether a text stands for a label that is no text."""
    if not isinstance(text, str):
        return False
    if text.strip().lower() == str(label).lower():
        return True
    try:
        return not isinstance(label, bool | str) and float(text) == float(label)
    except (TypeError, ValueError):
        return False


def _takes(scorer: Any) -> dict[str, Any]:
    """The options of the function behind a scorer, with what the scorer says about them."""
    function = getattr(scorer, "_score_func", None)
    if function is None or not hasattr(scorer, "_kwargs"):
        return {}
    defaults = {name: option.default for name, option in inspect.signature(function).parameters.items()}
    return {**defaults, **scorer._kwargs}


def _is_about_one_class(scorer: Any) -> bool:
    """Whether a scorer asks for one class, and nobody has said which."""
    return "pos_label" in _takes(scorer) and "pos_label" not in scorer._kwargs


def _about_one_class(scorer: Any, scoring: Any, labels: npt.NDArray[Any], pos_label: Any) -> Any:
    n_classes = len(np.unique(labels))
    if n_classes > 2:
        if _takes(scorer).get("average") != "binary":
            # It averages over classes by itself.
            return scorer
        name = _name_of(scoring)
        raise InputError(
            f"scoring={name} is about one of two classes, but the target has {n_classes}; use an average over classes, "
            f"such as {name}_macro or {name}_weighted."
        )
    # Scorers of scikit-learn can be read, but not changed; a copy can.
    asking = copy.copy(scorer)
    asking._kwargs = {**scorer._kwargs, "pos_label": positive_of(labels, pos_label)}
    return asking


def _name_of(scoring: Any) -> str:
    if isinstance(scoring, str):
        return scoring
    return str(getattr(getattr(scoring, "_score_func", scoring), "__name__", scoring)).removesuffix("_score")
