"""What a model without features scores: the most frequent class, the mean and the like, in the same folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.measures.risk_sets import ConcordanceScorer, ConstantRisk
from altsets.measures.scoring import ModelRows, positive_label, weight_scorer
from altsets.measures.workers import WarningCapture
from altsets.tables.survival import is_survival

#: Scores that are 0 without a positive prediction, and so for the most frequent class, which is mostly the other one.
OF_POSITIVES = ("f1_score", "fbeta_score", "jaccard_score", "precision_score")
#: Averages over classes that reward a prediction for naming each class now and then.
OVER_CLASSES = ("macro", "weighted")
#: What the baseline predicts, in words.
GUESSES = {
    "risk": "always predicting the same risk",
    "class": "always saying the most frequent class",
    "positive": "always saying the positive class",
    "guess": "guessing without features",
    "labels": "always giving every label",
    "shares": "always giving the same probabilities",
    "mean": "always predicting the mean",
    "median": "always predicting the median",
    "covariates": "the model of the covariates alone",
}


def kind_of(scoring: Any, classes: bool, several: bool = False) -> str:
    """Return which prediction without features is best by a score, as far as that is known: a key of ``GUESSES``."""
    from sklearn.metrics import get_scorer

    if isinstance(scoring, ConcordanceScorer):
        return "risk"
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    name = str(getattr(getattr(scorer, "_score_func", scorer), "__name__", ""))
    if classes and getattr(scorer, "_response_method", "predict") != "predict":
        return "shares"
    if classes and name in OF_POSITIVES:
        if several:
            return "labels"
        if getattr(scorer, "_kwargs", {}).get("average") in OVER_CLASSES:
            return "guess"
        if positive_label(scorer) is not None:
            return "positive"
    if classes:
        return "class"
    return "median" if "absolute" in name or "pinball" in name else "mean"


def guess_in_words(kind: str, majority: str | None, positive: Any = None) -> str:
    """Say what a prediction does, such as "always saying 'no'", with the most frequent and the positive class."""
    said = {"class": majority, "positive": None if positive is None else class_name(positive)}.get(kind)
    return GUESSES.get(kind, "the baseline") if said is None else f"always saying '{said}'"


def score_baseline(
    train: ModelRows, test: ModelRows, scoring: Mapping[str, Any], classes: bool
) -> tuple[dict[str, float], str | None]:
    """Return test scores of a dummy model, by scorer (nan where one does not work), and the most frequent class."""
    several, scores = train.labels.ndim > 1, {}
    for name, scorer in scoring.items():
        kind = kind_of(scorer, classes, several)
        if kind == "guess":
            scores[name] = _score_guess(train, scorer, test)
        else:
            scores[name] = _score_dummy(_fit_dummy(train, kind, scorer), scorer, test)
    if several or not classes:
        return scores, None
    return scores, class_name(_fit_dummy(train, "class").predict(_no_features(1))[0])


def _fit_dummy(train: ModelRows, kind: str, scorer: Any = None) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    labels, constant = train.labels, None
    if is_survival(labels):
        return ConstantRisk()
    if kind == "positive" and (labels == positive_label(scorer)).any():
        constant = [positive_label(scorer)]
    elif kind == "labels":
        # The last class of each target: of labels, that a row has it.
        constant = [np.unique(column)[-1] for column in labels.T]
    if kind in ("mean", "median"):
        model = DummyRegressor(strategy=kind)
    else:
        # With "prior", the class is the most frequent one, and the probabilities are the shares of all.
        strategy = "prior" if constant is None else "constant"
        model = DummyClassifier(strategy=strategy, constant=constant)
    return model.fit(_no_features(len(labels)), labels, train.weights)


def _no_features(n_rows: int) -> Floats:
    """A table without information; a score that looks at it anyway becomes nan as well."""
    return np.full((n_rows, 1), math.nan)


def _score_dummy(model: Any, scorer: Any, rows: ModelRows) -> float:
    score = weight_scorer(scorer, rows.weights)
    return _without_errors(lambda: score(model, _no_features(len(rows.labels)), rows.labels))


def _without_errors(score: Callable[[], Any]) -> float:
    try:
        # Scorers warn of a constant prediction, such as precision without any positive one.
        with WarningCapture():
            return float(score())
    except Exception:
        return math.nan


def _score_guess(train: ModelRows, scorer: Any, test: ModelRows) -> float:
    """Return the better score of always the most frequent class, and of classes at random by their shares.

    At random means that each class is predicted for its share of the rows of every class, so nothing is drawn.
    """
    classes, shares = _count_classes(train)
    actual, counts = _count_classes(test)

    def score(predicted: Floats) -> Any:
        rows, columns = np.nonzero(weights := np.outer(counts, predicted))
        options = {**scorer._kwargs, "sample_weight": weights[rows, columns]}
        return scorer._sign * scorer._score_func(actual[rows], classes[columns], **options)

    most_frequent = np.eye(len(shares))[shares.argmax()]
    return max(_without_errors(partial(score, predicted)) for predicted in (shares, most_frequent))


def _count_classes(rows: ModelRows) -> tuple[npt.NDArray[Any], Floats]:
    classes, codes = np.unique(rows.labels, return_inverse=True)
    counts = np.bincount(codes, rows.weights, len(classes))
    return classes, counts / counts.sum()


def constant_prediction(model: Any, table: Any, labels: npt.NDArray[Any]) -> str | None:
    """Return the one value that a model predicts for every row though the labels differ; None otherwise."""
    if len(labels) < 2 or labels.ndim > 1 or is_survival(labels) or (labels == labels[0]).all():
        return None
    try:
        predicted = np.asarray(model.predict(table))
        constant = predicted.shape == labels.shape and bool((predicted == predicted[0]).all())
    except Exception:
        # Custom scorers may need something other than predictions of a model.
        return None
    return class_name(predicted[0]) if constant else None


def class_name(label: Any) -> str:
    value = label.item() if isinstance(label, np.generic) else label
    return f"{value:g}" if isinstance(value, float) else str(value)
