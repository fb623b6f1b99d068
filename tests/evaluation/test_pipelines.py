"""Pipelines that search are evaluated as a whole: steps, search and model are fitted anew in each fold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import SelectAlternatives, evaluate
from altsets.errors import InputError

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def pipelines():
    selector = SelectAlternatives("f", n_features=2, n_alternatives=2, tau=1)
    tree = DecisionTreeClassifier(random_state=0)
    return {
        "search first": make_pipeline(selector, StandardScaler(), LogisticRegression()),
        "scaled first": make_pipeline(StandardScaler(), selector, tree),
        "components": make_pipeline(StandardScaler(), PCA(8, random_state=0), selector, tree),
        "passed": Pipeline([("nothing", "passthrough"), ("select", selector), ("model", tree)]),
        "frames": make_pipeline(
            StandardScaler().set_output(transform="pandas"), clone(selector), LogisticRegression()
        ),
    }


@pytest.mark.parametrize("name", pipelines())
def test_scores_are_those_of_the_pipeline_with_each_alternative(name, wine):
    X, y = wine
    pipeline = pipelines()[name]
    place = next(step for step, part in pipeline.steps if isinstance(part, SelectAlternatives))
    evaluation = evaluate(pipeline, X, y, cv=FOLDS)
    assert evaluation.n_sets == 3
    assert not evaluation.given
    for number in range(3):
        one = clone(pipeline).set_params(**{f"{place}__alternative": number})
        expected = []
        for train, test in FOLDS.split(X, y):
            fitted = clone(one).fit(X.iloc[train], y.iloc[train])
            expected.append(matthews_corrcoef(y.iloc[test], fitted.predict(X.iloc[test])))
        assert evaluation.scores(number) == pytest.approx(expected, abs=1e-12)
    assert not hasattr(pipeline[0], "n_features_in_")


def test_a_pipeline_that_begins_with_the_search_is_evaluated_as_the_selector(wine):
    X, y = wine
    selector = SelectAlternatives("mrmr", n_features=3, n_alternatives=1, tau=0.5)
    model = DecisionTreeClassifier(random_state=0)
    whole = evaluate(make_pipeline(selector, model), X, y, cv=FOLDS, n_bootstraps=3)
    alone = evaluate(selector, X, y, cv=FOLDS, estimator=model, n_bootstraps=3)
    assert [fold.sets for fold in whole.folds] == [fold.sets for fold in alone.folds]
    assert [one.sets for one in whole.resamples] == [one.sets for one in alone.resamples]
    assert [fold.scores for fold in whole.folds] == [fold.scores for fold in alone.folds]
    assert [fold.qualities for fold in whole.folds] == [fold.qualities for fold in alone.folds]
    assert (whole.names, whole.kinship, whole.baseline) == (alone.names, alone.kinship, alone.baseline)
    assert altsets.results.Evaluation.from_json(whole.to_json()) == whole


def test_features_have_the_names_that_earlier_steps_give_them():
    g = np.random.default_rng(0)
    y = g.integers(0, 2, 90)
    table = pd.DataFrame(
        {
            "town": np.array(["Oslo", "Rome", "Bern"])[(y + g.integers(0, 2, 90)) % 3],
            "size": g.normal(size=90),
        }
    )
    encoder = make_column_transformer((OneHotEncoder(sparse_output=False), ["town"]), remainder="passthrough")
    pipeline = make_pipeline(
        encoder,
        SelectAlternatives("mutual_info", n_features=1, n_alternatives=1, tau=1),
        LogisticRegression(),
    )
    evaluation = evaluate(pipeline, table, y, cv=FOLDS)
    known = {
        "onehotencoder__town_Bern",
        "onehotencoder__town_Oslo",
        "onehotencoder__town_Rome",
        "remainder__size",
    }
    assert set(evaluation.names.values()) <= known
    assert evaluation.n_features_in == 4
    assert "onehotencoder__town_" in evaluation.summary()


def test_the_alternatives_of_a_selector_stay_the_same(wine):
    X, y = wine
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1).fit(X, y)
    expected = evaluate(selector.result_, X, y, cv=FOLDS)
    assert evaluate(selector.alternatives_, X, y, cv=FOLDS).folds == expected.folds
    values = X.to_numpy()
    unnamed = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1).fit(values, y)
    assert evaluate(unnamed.alternatives_, values, y, cv=FOLDS).folds == expected.folds


@pytest.mark.parametrize(("pipeline", "options"), [
    (make_pipeline(StandardScaler(), SelectAlternatives()), {}),
    (make_pipeline(StandardScaler(), LogisticRegression()), {}),
    (make_pipeline(SelectAlternatives("f"), LogisticRegression()), {"estimator": "tree"}),
    (make_pipeline(FunctionTransformer(np.abs), SelectAlternatives("f"), LogisticRegression()), {}),
])  # fmt: skip
def test_pipelines_that_cannot_be_evaluated_are_refused(pipeline, options, wine, refused):
    X, y = wine
    with refused(InputError):
        evaluate(pipeline, X, y, **options)
