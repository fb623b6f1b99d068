"""Small parts of an evaluation: words for guesses, splits and models, shares of features, similar features."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import altsets
from altsets.evaluation.comparison import against_baseline, guess_in_words, in_folds, paired
from altsets.evaluation.folds import class_name, constant_prediction, kind_of
from altsets.evaluation.setup import check_sets, describe_splits, model_name, scoring_by_name
from altsets.evaluation.stability import kinship_of, shares_of
from altsets.features import FeatureNames
from altsets.measures.workers import WarningCapture, run_tasks
from altsets.tables.feature_matrix import Features


def test_guesses_in_words(snapshot):
    assert guess_in_words("class", "no") == snapshot
    assert guess_in_words("median", None) == snapshot
    assert guess_in_words(None, None) == "the baseline"


@pytest.mark.parametrize(("scoring", "classes", "kind"), [
    (None, True, "class"),
    ("roc_auc", True, "shares"),
    ("r2", False, "mean"),
    ("neg_mean_absolute_error", False, "median"),
])  # fmt: skip
def test_the_guess_that_suits_a_score(scoring, classes, kind):
    assert kind_of(scoring, classes) == kind


def test_constant_predictions():
    model = DummyClassifier().fit([[0]] * 3, ["no", "no", "yes"])
    assert constant_prediction(model, [[0]] * 2, np.array(["no", "yes"])) == "no"
    assert constant_prediction(model, [[0]], np.array(["no"])) is None
    assert [class_name(label) for label in ("no", 1.0, 0.25)] == ["no", "1", "0.25"]


def test_a_set_that_guesses(snapshot):
    fair, coin = [0.5] * 4, [0.5, 0.6, 0.4, 0.5]
    entry = against_baseline("accuracy", 0, paired(coin, fair, [1 / 3] * 4, 0.95), "always saying '{no}'")
    assert entry.sentence == snapshot
    assert in_folds(1) == snapshot


def test_splits_and_models_in_words(snapshot):
    assert describe_splits(5, 15, None, 3) == snapshot
    assert describe_splits(TimeSeriesSplit(4), 4, None) == snapshot
    assert describe_splits(5, 5, ["anna", "anna", "bert"]) == snapshot
    assert model_name(LogisticRegression(C=2)) == "LogisticRegression(C=2)"
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert model_name(pipeline) == "StandardScaler, LogisticRegression"


def test_given_sets_and_scorers():
    assert check_sets([["b", "a"], [2]], FeatureNames.of(["a", "b", "c"])) == ((0, 1), (2,))
    assert scoring_by_name(None, True) == {"matthews_corrcoef": None}
    assert scoring_by_name(["accuracy", "f1"], True) == {"accuracy": "accuracy", "f1": "f1"}


def test_shares_of_features_and_pairs():
    runs = [[(0, 1), (2, 3)], [(0, 2), (1, 3)]]
    assert shares_of(runs, 2)[(1,)] == {0: 0.5, 1: 0.5, "any": 1.0}
    assert shares_of(runs, 2, size=2)[0, 1] == {0: 0.5, 1: 0.0, "any": 0.5}


def test_similar_features():
    table = Features(np.array([[1.0, 4, 7], [2, 3, 8], [3, 2, 7], [4, 1, 8]]))
    assert kinship_of(table, [0, 1, 2]) == {(0, 1): 1.0, (0, 2): 0.447214, (1, 2): 0.447214}


def test_tasks_in_order():
    assert run_tasks([(pow, (2, 3)), (pow, (2, 4))], n_jobs=1, callback=None) == [8, 16]


def test_captured_warnings():
    with WarningCapture() as caught:
        warnings.warn("so few rows", stacklevel=1)
    assert caught == [(UserWarning, "so few rows")]


def test_scoring_that_ends_first_leaves_captured_warnings_alone():
    X, y = np.array([[1.0, 5], [2, 5], [3, 5], [4, 5]]), [1, 2, 2, 4]
    begun, captured = threading.Event(), threading.Event()

    def measure(column, target):
        begun.set()
        captured.wait()
        warnings.warn("a column is odd", stacklevel=1)
        return np.ones(column.shape[1])

    def score_beside_another_capture():
        scoring = threading.Thread(target=lambda: altsets.find(measure, 1, 0, X=X, y=y))
        scoring.start()
        begun.wait()
        with WarningCapture() as caught:
            captured.set()
            scoring.join()
            warnings.warn("so few rows", stacklevel=1)
        return caught

    with pytest.warns(UserWarning) as said:
        caught = score_beside_another_capture()
    assert caught == [(UserWarning, "so few rows")]
    assert [str(one.message) for one in said] == ["a column is odd"]
