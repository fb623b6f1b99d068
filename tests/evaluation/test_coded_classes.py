"""Classifiers that take classes as 0, 1, ... only work with classes of any name."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import measures, quality
from altsets.errors import InputError

rng = np.random.default_rng(4)
CODES = rng.integers(0, 3, 90)
X = np.column_stack([CODES + rng.normal(scale=0.4, size=90), rng.normal(size=(90, 2))])


class OfCodes(DecisionTreeClassifier):
    """Refuses other classes than 0, 1, ... as models of xgboost do."""

    def fit(self, X, y, sample_weight=None):
        classes = np.unique(y)
        if not np.array_equal(classes, np.arange(len(classes))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`, got {classes}")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("names", [np.array(["high", "low", "mid"]), np.array([1, 5, 7])])
@pytest.mark.parametrize("scoring", ["matthews_corrcoef", "roc_auc_ovr", "neg_log_loss"])
def test_classes_of_any_name_give_the_scores_of_their_codes(names, scoring):
    model, y = OfCodes(max_depth=3, random_state=0), names[CODES]
    options = {"scoring": scoring, "task": "classification"}
    coded = quality.Wrapper(model, X, CODES, **options)
    named = quality.Wrapper(model, X, y, **options)
    assert named.evaluate((0, 1)) == coded.evaluate((0, 1))
    own = [
        measures.permutation(X, target, estimator=model, task="classification", scoring=scoring)
        for target in (y, CODES)
    ]
    assert own[0].tolist() == own[1].tolist()
    evaluations = [
        altsets.evaluate([(0,), (1, 2)], X, target, estimator=model, scoring=scoring, n_repeats=1)
        for target in (y, CODES)
    ]
    scores = [[fold.scores[scoring] for fold in evaluation.folds] for evaluation in evaluations]
    assert scores[0] == scores[1]


def test_what_else_is_wrong_is_said_of_the_model(snapshot):
    class Broken(OfCodes):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("out of order")

    with pytest.raises(InputError) as refused:
        quality.Wrapper(Broken(), X, np.array(["a", "b", "c"])[CODES]).evaluate((0,))
    assert str(refused.value) == snapshot
