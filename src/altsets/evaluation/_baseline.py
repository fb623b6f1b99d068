"""What is to be had for nothing: a model that has not looked at the features, and models that do no more than that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.evaluation._heard import unheard
from altsets.measures.judged_rows import JudgedRows
from altsets.measures.scorers import judge_of

__all__ = ["baseline_in", "class_name", "constant_of", "guess_in_words", "kind_of"]

#: What the baseline says of every row, in words.
GUESSES = {
    "class": "always saying the most frequent class",
    "shares": "always giving the same probabilities",
    "mean": "always predicting the mean",
    "median": "always predicting the median",
}


def guess_in_words(kind: str | None, majority: str | None) -> str:
    """What a set must beat.

    Examples
    --------
    >>> guess_in_words("class", "no"), guess_in_words("median", None)
    ("always saying 'no'", 'always predicting the median')
    """
    if kind == "class" and majority is not None:
        return f"always saying '{majority}'"
    return GUESSES.get(kind or "", "the baseline")


def kind_of(scoring: Any, classes: bool) -> str:
    """Which guess suits a score: the one that is best by it, as far as that is known.

    Examples
    --------
    >>> kind_of(None, True), kind_of("roc_auc", True), kind_of("r2", False), kind_of("neg_mean_absolute_error", False)
    ('class', 'shares', 'mean', 'median')
    """
    from sklearn.metrics import get_scorer

    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if classes:
        return "class" if getattr(scorer, "_response_method", "predict") == "predict" else "shares"
    function = getattr(scorer, "_score_func", scorer)
    name = str(getattr(function, "__name__", ""))
    return "median" if "absolute" in name or "pinball" in name else "mean"


def baseline_in(
    seen: JudgedRows, unseen: JudgedRows, scoring: Mapping[str, Any], classes: bool
) -> tuple[dict[str, float], str | None]:
    """How a model that knows only the target of the training rows scores on the test rows, and its class.

    Parameters
    ----------
    seen, unseen : JudgedRows
        The training rows and the test rows of a fold.
    scoring : mapping of str to scorer
        The scores; nan for one that does not work with such a model.
    classes : bool
        Whether the target names classes.
    """
    from sklearn.dummy import DummyClassifier, DummyRegressor

    # With "prior", the class is the most frequent one, and the probabilities are the shares of all.
    kinds = ("prior",) if classes else ("mean", "median")
    make = DummyClassifier if classes else DummyRegressor
    nothing = _nothing(len(seen.labels))
    fitted = [make(strategy=kind).fit(nothing, seen.labels, seen.weights) for kind in kinds]
    scores = {}
    for name, scorer in scoring.items():
        model = fitted[kind_of(scorer, classes) == "median"]
        scores[name] = _score(model, scorer, unseen)
    return scores, class_name(fitted[0].predict(_nothing(1))[0]) if classes else None


def _nothing(n_rows: int) -> Floats:
    """A table that tells nothing; a score that looks at it anyway becomes nan as well."""
    return np.full((n_rows, 1), math.nan)


def _score(model: Any, scorer: Any, rows: JudgedRows) -> float:
    try:
        with unheard():
            # Precision without any positive prediction, and the like: so it is with a guess.
            return float(judge_of(scorer, rows.weights)(model, _nothing(len(rows.labels)), rows.labels))
    except Exception:
        return math.nan


def constant_of(model: Any, table: Any, labels: npt.NDArray[Any]) -> str | None:
    """What a model predicts for every row, if it is one thing where there are several; None otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0]] * 3, ["no", "no", "yes"])
    >>> constant_of(model, [[0]] * 2, np.array(["no", "yes"])), constant_of(model, [[0]], np.array(["no"]))
    ('no', None)
    """
    if len(labels) < 2 or (labels == labels[0]).all():
        return None
    try:
        predicted = np.asarray(model.predict(table))
        alone = predicted.shape == labels.shape and bool((predicted == predicted[0]).all())
    except Exception:
        # Scores of the user's own may ask a model for something else than predictions.
        return None
    return class_name(predicted[0]) if alone else None


def class_name(label: Any) -> str:
    """A class or an amount as text.

    Examples
    --------
    >>> class_name("no"), class_name(1.0), class_name(0.25)
    ('no', '1', '0.25')
    """
    number = label.item() if isinstance(label, np.generic) else label
    if isinstance(number, float):
        return f"{number:g}"
    return str(number)
