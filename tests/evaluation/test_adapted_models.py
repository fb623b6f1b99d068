"""Models that refuse the names of classes or columns work with all of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


def test_what_else_is_wrong_is_said_of_the_model(refused):
    class Broken(OfCodes):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("out of order")

    with refused(InputError):
        quality.Wrapper(Broken(), X, np.array(["a", "b", "c"])[CODES]).evaluate((0,))


ODD_NAMES = ["income[0]", 'a "quoted", {name}', "x1"]


class OfPlainNames(DecisionTreeClassifier):
    """Refuses names of columns as models of xgboost and lightgbm do, also when it predicts, and other classes."""

    def fit(self, X, y, sample_weight=None):
        if any(set(str(name)) & set('[]<{}",:') for name in getattr(X, "columns", ())):
            raise ValueError("feature_names must be string, and may not contain [, ] or <")
        classes = np.unique(y)
        if not np.array_equal(classes, np.arange(len(classes))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`, got {classes}")
        return super().fit(X, y, sample_weight)


TEXTS = np.array(["high", "low", "mid"])[CODES]


@pytest.mark.parametrize(("frame", "target", "piped"), [
    (pd.DataFrame, CODES, False), (pl.DataFrame, TEXTS, False), (pd.DataFrame, TEXTS, True),
    (pl.DataFrame, CODES, True),
])  # fmt: skip
def test_models_that_refuse_names_of_columns_get_others(frame, target, piped):
    model = OfPlainNames(max_depth=3, random_state=0)
    if piped:
        model = make_pipeline(StandardScaler().set_output(transform="pandas"), model)
    odd, plain = (frame(dict(zip(names, X.T, strict=True))) for names in (ODD_NAMES, ["a", "b", "c"]))
    for answer in (
        lambda table: quality.Wrapper(model, table, target, scoring="neg_log_loss").evaluate((0, 2)),
        lambda table: measures.permutation(table, target, estimator=model).tolist(),
        lambda table: measures.importance(table, target, estimator=model[-1] if piped else model).tolist(),
        lambda table: [
            fold.scores
            for fold in altsets.evaluate([(0,), (1, 2)], table, target, estimator=model, n_repeats=1).folds
        ],
    ):
        assert answer(odd) == answer(plain)
    if not piped:
        choice = quality.Embedded(model, odd, target)
        assert choice.choose([0, 1, 2]) == quality.Embedded(model, plain, target).choose([0, 1, 2])


def test_a_search_with_a_model_that_refuses_names_keeps_them():
    frame = pd.DataFrame(X, columns=ODD_NAMES)
    selector = altsets.SelectAlternatives(
        "wrapper",
        n_features=1,
        n_alternatives=1,
        tau=1,
        quality_params={"estimator": OfPlainNames(max_depth=3)},
    ).fit(frame, CODES)
    assert selector.alternatives_[0].names == ("income[0]",)


def test_models_that_look_for_columns_by_name_find_them():
    frame = pd.DataFrame(X, columns=ODD_NAMES)
    by_name = make_pipeline(ColumnTransformer([("one", StandardScaler(), ["income[0]"])]), OfPlainNames())
    assert quality.Wrapper(by_name, frame, CODES).evaluate((0, 1)) > 0.5


def test_models_of_numbers_may_refuse_names_as_well():
    class Numbers(DecisionTreeRegressor):
        def fit(self, X, y, sample_weight=None):
            if "[" in "".join(X.columns):
                raise RuntimeError("Do not support special JSON characters in feature name.")
            return super().fit(X, y, sample_weight)

    scores = [
        quality.Wrapper(Numbers(random_state=0), pd.DataFrame(X, columns=names), X[:, 0]).evaluate((0, 2))
        for names in (ODD_NAMES, ["a", "b", "c"])
    ]
    assert scores[0] == scores[1]


def test_advice_on_text_needs_text(refused):
    class Refusing(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("feature_names must be string, and may not contain [, ] or <")

    with refused(InputError):
        quality.Wrapper(Refusing(), pd.DataFrame(X, columns=ODD_NAMES), CODES).evaluate((0,))
