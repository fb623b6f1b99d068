"""The fallback estimator: which set predicts a row, what its models are fitted to, and scikit-learn's own checks."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import matthews_corrcoef, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import altsets
from altsets import FallbackEstimator, SelectAlternatives, constraints
from altsets.errors import InputError

SEARCH = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1)
X, Y = load_wine(return_X_y=True, as_frame=True)
LOST = {"colour": ["proline", "color_intensity"], "phenols": ["flavanoids", "od280/od315_of_diluted_wines"]}
#: What scikit-learn's checks do on purpose, and a check of arrays on other devices.
ON_PURPOSE = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def wine():
    return FallbackEstimator(GaussianNB(), SEARCH, LOST).fit(X, Y)


@ON_PURPOSE
@parametrize_with_checks([
    FallbackEstimator(LogisticRegression(), SEARCH),
    FallbackEstimator(Ridge(), SelectAlternatives("pearson", n_features=2, n_alternatives=1)),
])  # fmt: skip
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# --- Sets and models -------------------------------------------------------------------------------
def test_sets_are_those_of_the_selector_and_then_of_what_if(wine):
    search = SEARCH.fit(X, Y)
    losses = search.what_if(X, Y, feature_groups=LOST)
    assert wine.losses_ == losses
    assert wine.named_sets_ == [*search.result_.named_sets, *(loss.named_set for loss in losses.losses)]
    assert wine.sets_ == [tuple(map(X.columns.get_loc, names)) for names in wine.named_sets_]
    assert wine.named_sets_[3] == ("alcohol", "proline")
    assert len(wine.models_) == 4


def test_a_set_that_occurs_twice_has_one_model():
    # Without a column that no set has, set 0 is still the best one.
    model = FallbackEstimator(GaussianNB(), SEARCH, {"ash": ["ash"]}).fit(X, Y)
    assert model.losses_.losses[0].set == model.sets_[0]
    assert len(model.sets_) == len(model.models_) == 2


def test_each_row_is_predicted_by_its_first_complete_set(wine):
    table = X.copy()
    table.loc[table.index % 3 == 1, "proline"] = np.nan
    table.loc[table.index % 3 == 2, ["flavanoids", "od280/od315_of_diluted_wines"]] = np.nan
    which = wine.which_set(table)
    assert which.tolist() == [(0, 1, 3)[row % 3] for row in range(len(X))]
    for number, names in enumerate(wine.named_sets_):
        rows, alone = which == number, GaussianNB().fit(X[list(names)], Y)
        if rows.any():
            assert (wine.predict(table)[rows] == alone.predict(X.loc[rows, list(names)])).all()
            assert (wine.predict_proba(table)[rows] == alone.predict_proba(X.loc[rows, list(names)])).all()


def test_models_are_fitted_to_the_rows_that_have_all_columns():
    table = X.copy()
    table.loc[::4, "proline"] = np.nan
    model = FallbackEstimator(GaussianNB(), FrozenEstimator(SEARCH.fit(X, Y))).fit(table, Y)
    whole = table["proline"].notna()
    names = ["flavanoids", "proline"]
    assert model.named_sets_[0] == tuple(names)
    assert np.array_equal(model.models_[0].theta_, GaussianNB().fit(X.loc[whole, names], Y[whole]).theta_)
    assert model.models_[1].class_count_.sum() == len(X)


def test_weights_and_groups_reach_search_and_models():
    rng = np.random.default_rng(0)
    weights, groups = rng.integers(0, 4, len(X)), np.arange(len(X)) % 9
    search = SelectAlternatives("wrapper", n_features=2, n_alternatives=0, quality_params={"max_iters": 5})
    model = FallbackEstimator(GaussianNB(), search, [["proline"]]).fit(
        X, Y, sample_weight=weights, groups=groups
    )
    alone = search.fit(X, Y, sample_weight=weights, groups=groups)
    assert model.named_sets_[0] == alone.result_.named_sets[0]
    fitted = GaussianNB().fit(X[list(model.named_sets_[0])], Y, sample_weight=weights)
    assert np.array_equal(model.models_[0].theta_, fitted.theta_)
    assert model.dummy_.class_prior_ == pytest.approx(np.bincount(Y, weights) / weights.sum())


def test_the_estimator_says_whether_numbers_are_classes():
    X, _ = load_diabetes(return_X_y=True)
    y = np.round(3 * (X[:, 2] > 0) + (X[:, 8] > 0))
    assert FallbackEstimator(GaussianNB(), SEARCH).fit(X, y).selector_.task == "classification"
    assert FallbackEstimator(Ridge(), SEARCH).fit(X, y).selector_.task == "regression"
    assert SEARCH.task == "auto"
    assert is_classifier(FallbackEstimator(GaussianNB(), SEARCH))
    assert is_regressor(FallbackEstimator(Ridge(), SEARCH))


def test_a_frozen_selector_keeps_its_sets():
    search = SelectAlternatives("f", n_features=1, n_alternatives=2, tau=1).fit(X[::2], Y[::2])
    model = FallbackEstimator(GaussianNB(), FrozenEstimator(search)).fit(X, Y)
    assert model.named_sets_ == search.result_.named_sets
    assert model.selector_ is search
    other = X.rename(columns={"ash": "dust"})
    with pytest.raises(NotFittedError):
        FallbackEstimator(GaussianNB(), FrozenEstimator(SelectAlternatives())).fit(X, Y)
    with pytest.raises(ValueError, match="dust"):
        FallbackEstimator(GaussianNB(), FrozenEstimator(search)).fit(other, Y)


def test_models_have_the_covariates_as_well():
    search = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1, adjust=["ash"])
    model = FallbackEstimator(GaussianNB(), search, LOST).fit(X, Y)
    assert model.named_sets_[:2] == search.fit(X, Y).result_.named_sets
    assert "ash" not in {name for names in model.named_sets_ for name in names}
    alone = X[[name for name in X.columns if name in {*model.named_sets_[0], "ash"}]]
    assert (model.predict_proba(X) == GaussianNB().fit(alone, Y).predict_proba(alone)).all()
    assert set(model.which_set(X.assign(ash=np.nan))) == {-1}


# --- Tables ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [pl.from_pandas, lambda table: pl.from_pandas(table).to_arrow()])
def test_frames_of_any_kind_predict_alike(wine, kind):
    table = X.copy()
    table.loc[::2, "proline"] = None
    assert (wine.which_set(kind(table)) == wine.which_set(table)).all()
    assert (wine.predict(kind(table)) == wine.predict(table)).all()
    fitted = FallbackEstimator(GaussianNB(), SEARCH, LOST).fit(kind(X), Y)
    assert fitted.named_sets_ == wine.named_sets_
    assert (fitted.predict_proba(kind(table)) == wine.predict_proba(table)).all()
    assert wine.which_set(kind(table[["hue"]].head(3))).tolist() == [-1, -1, -1]


def test_columns_may_be_gone_or_in_another_order_or_beside_others(wine, snapshot):
    fewer = X[["hue", "proline", "alcohol"]].assign(more="text")
    assert set(wine.which_set(fewer)) == {3}
    assert set(wine.which_set(X[X.columns[::-1]])) == {0}
    everything_lost = X.assign(proline=None)
    assert set(wine.which_set(everything_lost)) == {1}
    with pytest.raises(InputError) as refused:
        wine.predict(fewer[["more"]])
    assert str(refused.value) == snapshot
    with pytest.raises(InputError) as refused:
        wine.predict(pd.concat([X, X["proline"]], axis=1))
    assert str(refused.value) == snapshot


def test_arrays_have_all_columns_and_nan_where_one_is_gone():
    model = FallbackEstimator(GaussianNB(), SEARCH).fit(X.to_numpy(), Y)
    assert model.named_sets_ == [("x6", "x12"), ("x0", "x11")]
    table = X.to_numpy().copy()
    table[:5, 12] = np.nan
    assert model.which_set(table)[:7].tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert model.which_set(table.astype(object))[:7].tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert set(model.which_set(np.ones((2, 13), dtype=int))) == {0}
    with pytest.raises(ValueError, match="expecting 13 features"):
        model.predict(table[:, :12])


def test_sparse_tables():
    counts = np.random.default_rng(0).poisson(0.5, (90, 6)) + 2.0 * np.eye(6)[np.arange(90) % 3]
    y = np.arange(90) % 3
    model, dense = (
        FallbackEstimator(LogisticRegression(), SEARCH).fit(table, y) for table in (csr_array(counts), counts)
    )
    assert model.sets_ == dense.sets_
    assert (model.predict(csr_array(counts)) == dense.predict(counts)).all()


def test_text_and_dropped_columns():
    table = X.assign(grade=np.where(X["proline"] > 700, "high", "low"), day=pd.Timestamp("2026-01-01"))
    table = table[["day", *table.columns[:-1]]]
    search = SelectAlternatives("mutual_info", n_features=1, n_alternatives=1, tau=1, unusable="drop")
    encoded = make_pipeline(OneColumn(), DecisionTreeClassifier())
    model = FallbackEstimator(encoded, search, [["flavanoids"]]).fit(table, Y)
    assert [table.columns[columns[0]] for columns in model.sets_] == [names[0] for names in model.named_sets_]
    assert "day" not in {name for names in model.named_sets_ for name in names}


class OneColumn(BaseEstimator):
    """Numbers of the labels of one column."""

    def fit(self, X, y=None):
        self.labels_ = sorted(set(np.asarray(X)[:, 0]))
        return self

    def transform(self, X):
        return np.searchsorted(self.labels_, np.asarray(X)[:, 0]).reshape(-1, 1)


# --- Rows without a set ----------------------------------------------------------------------------
def test_a_dummy_predicts_rows_that_no_set_covers(wine, snapshot):
    table = X.astype(float).copy()
    table.loc[[0, 2], :] = np.nan
    assert wine.which_set(table)[:4].tolist() == [-1, 0, -1, 0]
    with pytest.warns(UserWarning) as warned:
        predicted = wine.predict(table)
    assert [str(one.message) for one in warned] == snapshot
    assert predicted[[0, 2]].tolist() == [1, 1]
    with pytest.warns(UserWarning, match="2 of 178"):
        shares = wine.predict_proba(table)[0]
    assert shares == pytest.approx(np.bincount(Y) / len(Y))


def test_confidence_scores_of_rows_without_a_set_are_log_odds(snapshot):
    model = FallbackEstimator(LogisticRegression(), SEARCH).fit(X, Y == 1)
    nothing = X.head(2).astype(float) * np.nan
    with pytest.warns(UserWarning) as warned:
        assert model.decision_function(nothing) == pytest.approx([np.log(71 / 107)] * 2)
    assert [str(one.message) for one in warned] == snapshot
    kept = X[list(model.named_sets_[0])]
    assert (model.decision_function(X) == model.models_[0].decision_function(kept)).all()
    assert not hasattr(FallbackEstimator(Ridge(), SEARCH), "decision_function")
    assert not hasattr(FallbackEstimator(GaussianNB(), SEARCH).fit(X, Y), "decision_function")


def test_numbers_without_a_set_are_the_mean(snapshot):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = FallbackEstimator(Ridge(), SEARCH).fit(X, y)
    with pytest.warns(UserWarning) as warned:
        assert model.predict(X.head(1) * np.nan) == pytest.approx([y.mean()])
    assert [str(one.message) for one in warned] == snapshot


def test_classes_that_a_set_has_not_seen_have_no_probability(snapshot):
    table = X.copy()
    table.loc[Y == 2, "proline"] = np.nan
    frozen = FrozenEstimator(SEARCH.fit(X, Y))
    model = FallbackEstimator(GaussianNB(), frozen).fit(table, Y)
    assert model.models_[0].classes_.tolist() == [0, 1]
    shares = model.predict_proba(X)
    assert shares.shape == (178, 3)
    assert (shares[:, 2] == 0).all()
    model = FallbackEstimator(LogisticRegression(), frozen).fit(table, Y)
    with pytest.raises(InputError) as refused:
        model.decision_function(X)
    assert str(refused.value) == snapshot


# --- Scores ----------------------------------------------------------------------------------------
def test_scores_of_each_set_and_after_each_loss(wine):
    table = X.copy()
    table.loc[::2, "proline"] = np.nan
    found = wine.scores(table, Y)
    assert found.index.tolist() == [
        *("set 0", "set 1", "set 2", "set 3", "all sets", "without colour", "without phenols")
    ]
    assert found["covered"].tolist() == [0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 0.5]
    rows = np.arange(1, len(X), 2)
    alone = wine.models_[0].predict(X.iloc[rows][list(wine.named_sets_[0])])
    assert found["score"]["set 0"] == matthews_corrcoef(Y[rows], alone)
    assert found["score"]["all sets"] == matthews_corrcoef(Y, wine.predict(table))
    fewer = table.drop(columns=LOST["colour"])
    assert found["score"]["without colour"] == matthews_corrcoef(Y, wine.predict(fewer))


def test_scores_by_other_measures_and_without_losses():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = FallbackEstimator(Ridge(), SelectAlternatives("f", n_features=2, n_alternatives=0)).fit(X, y)
    found = model.scores(X, y)
    assert found.index.tolist() == ["set 0", "all sets", "without bmi", "without s5"]
    assert found["score"]["set 0"] == r2_score(y, model.predict(X)) == model.score(X, y)
    assert found["covered"]["without bmi"] == 0.0
    assert found["score"]["without bmi"] == pytest.approx(0)
    assert model.scores(X, y, "neg_mean_absolute_error")["score"]["set 0"] < -40


# --- Among other estimators ------------------------------------------------------------------------
def test_pickles_and_works_in_searches_and_pipelines(wine):
    again = pickle.loads(pickle.dumps(wine))
    assert (again.predict(X) == wine.predict(X)).all()
    piped = make_pipeline(
        MinMaxScaler().set_output(transform="pandas"), FallbackEstimator(GaussianNB(), SEARCH)
    )
    assert (piped.fit(X, Y).predict(X) == FallbackEstimator(GaussianNB(), SEARCH).fit(X, Y).predict(X)).all()
    assert cross_val_score(wine, X, Y, cv=3).min() > 0.8
    grid = {"selector__n_features": [1, 2], "estimator__var_smoothing": [1e-9, 1e-6]}
    found = GridSearchCV(FallbackEstimator(GaussianNB(), SEARCH), grid, cv=3, scoring="roc_auc_ovr").fit(X, Y)
    assert found.best_params_["selector__n_features"] == 2
    assert found.best_score_ > 0.9


# --- What it refuses -------------------------------------------------------------------------------
@pytest.mark.parametrize(("selector", "losses", "table"), [
    (GaussianNB(), None, X),
    (SEARCH, {"ash": ["dust"]}, X),
    (SEARCH, None, "rows.parquet"),
], ids=["selector", "losses", "large"])  # fmt: skip
def test_refuses(selector, losses, table, snapshot):
    with pytest.raises(InputError) as refused:
        FallbackEstimator(GaussianNB(), selector, losses).fit(table, Y)
    assert str(refused.value) == snapshot


def test_refuses_a_set_without_complete_rows(snapshot):
    table = X.copy()
    table.loc[::2, "flavanoids"] = np.nan
    table.loc[1::2, "proline"] = np.nan
    frozen = FrozenEstimator(SEARCH.fit(X, Y))
    with pytest.raises(InputError) as refused:
        FallbackEstimator(GaussianNB(), frozen).fit(table, Y)
    assert str(refused.value) == snapshot


def test_warns_of_losses_that_no_set_survives(snapshot):
    rules = [constraints.Require("proline")]
    search = SelectAlternatives("f", n_features=2, n_alternatives=0, constraints=rules)
    with pytest.warns(UserWarning) as warned:
        model = FallbackEstimator(GaussianNB(), search, {"proline": ["proline"]}).fit(X, Y)
    assert [str(one.message) for one in warned] == snapshot
    assert len(model.sets_) == 1


def test_it_is_at_the_top():
    assert altsets.FallbackEstimator is FallbackEstimator
