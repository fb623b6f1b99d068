"""Fitted pipelines cut down to the columns of their set."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from portions import mostly_slow
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import SelectAlternatives, SelectFeatures
from altsets.errors import InputError, UnsupportedError


@pytest.fixture(scope="module")
def wine():
    """A table with holes, a column without any value, and one that is always the same."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    X.insert(0, "nothing", np.nan)
    X.insert(3, "same", 1.0)
    return X, y


def chosen_by(model):
    selector = next(step for _, step in model.steps if isinstance(step, SelectAlternatives))
    return selector.alternatives_[selector.alternative_].names


BEFORE = {
    "scaler": [StandardScaler()],
    "scaler without mean": [StandardScaler(with_mean=False)],
    "scaler of numbers alone": [StandardScaler(with_std=False)],
    "range": [MinMaxScaler()],
    "largest": [MaxAbsScaler()],
    "quartiles": [RobustScaler()],
    "power": [PowerTransformer()],
    "quantiles": [QuantileTransformer(n_quantiles=14)],
    "constant": [SimpleImputer(strategy="constant", fill_value=-1)],
    "kept empty": [SimpleImputer(keep_empty_features=True), StandardScaler()],
    "several": [SimpleImputer(), "passthrough", VarianceThreshold(), StandardScaler(), SelectKBest(k=8)],
}


@pytest.mark.parametrize("output", ["default", "pandas"])
@pytest.mark.parametrize("name", mostly_slow(BEFORE, 3))
@pytest.mark.filterwarnings("ignore")
def test_steps_that_treat_each_column_for_itself(wine, name, output):
    X, y = wine
    if name not in ("constant", "kept empty", "several"):
        X = X.fillna(X.median()).drop(columns=["nothing", "same"])
    steps = [*BEFORE[name], SelectAlternatives("f", n_features=3, alternative=1), LogisticRegression()]
    model = make_pipeline(*steps).set_output(transform=output).fit(X, y)
    before = pickle.dumps(model)
    expected = model.predict_proba(X)
    small = altsets.reduced(model)
    names = small.feature_names_in_.tolist()
    assert len(names) == 3
    if output == "pandas":
        assert tuple(names) == chosen_by(model)
    np.testing.assert_array_equal(small.predict_proba(X[names]), expected)
    # The model itself stays as it is.
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(small)).predict_proba(X[names]), expected)


def test_a_selector_as_the_first_step_takes_columns_in_any_order(wine, refused):
    X, y = wine
    X = X.drop(columns=["nothing", "same"]).fillna(0)
    model = make_pipeline(SelectAlternatives("f", n_features=3), StandardScaler(), LogisticRegression()).fit(
        X, y
    )
    small = altsets.reduced(model)
    names = list(chosen_by(model))
    assert small.feature_names_in_.tolist() == names
    assert small.n_features_in_ == 3
    expected = model.predict_proba(X)
    for columns in (names, names[::-1], [*names[::-1], "ash"]):
        np.testing.assert_array_equal(small.predict_proba(X[columns]), expected)
    with refused(InputError):
        small.predict(X[names[1:]])
    # Refitting one of the two leaves the other one alone.
    small.fit(X[names], y == 1)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_arrays_have_the_columns_in_order(wine, refused):
    X, y = wine
    table = X.drop(columns=["nothing", "same"]).fillna(0).to_numpy()
    model = make_pipeline(SelectAlternatives("f", n_features=3), DecisionTreeClassifier(random_state=0))
    model.fit(table, y)
    small = altsets.reduced(model)
    few = table[:, model[0].get_support()]
    np.testing.assert_array_equal(small.predict(few), model.predict(table))
    assert (small.n_features_in_, hasattr(small, "feature_names_in_")) == (3, False)
    with refused(ValueError):
        small.predict(table)


def test_a_selector_alone(wine):
    X, y = wine
    X = X.fillna(0)
    selector = (
        SelectAlternatives("f", n_features=2)
        .set_output(transform="pandas")
        .fit(X.drop(columns=["nothing", "same"]), y)
    )
    for one in (selector, selector.get_alternative(0)):
        small = altsets.reduced(one)
        assert isinstance(small, SelectFeatures)
        assert tuple(small.feature_names_in_) == selector.alternatives_[0].names
        few = X[list(small.feature_names_in_)]
        pd.testing.assert_frame_equal(
            small.transform(few), selector.transform(X.drop(columns=["nothing", "same"]))
        )
        assert small.get_support().tolist() == [True, True]


def test_what_cannot_be_cut_down_is_said(wine, refused):
    X, y = wine
    X = X.drop(columns=["nothing", "same"]).fillna(0)
    select = SelectAlternatives("f", n_features=2)
    for before in (
        PCA(5),
        make_column_transformer((StandardScaler(), ["ash"]), remainder="passthrough"),
        SimpleImputer(add_indicator=True),
        type("StandardScaler", (StandardScaler,), {"__module__": "elsewhere"})(),
    ):
        model = make_pipeline(before, clone(select), LogisticRegression(max_iter=5000)).fit(X, y)
        with refused(UnsupportedError):
            altsets.reduced(model)
    for model in (make_pipeline(StandardScaler(), LogisticRegression()), LogisticRegression(), 3):
        with refused(InputError):
            altsets.reduced(model)
    for model in (
        select,
        make_pipeline(StandardScaler(), select),
        make_pipeline(select, LogisticRegression()),
    ):
        with pytest.raises(NotFittedError):
            altsets.reduced(model)
