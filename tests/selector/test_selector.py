"""The scikit-learn estimator: scikit-learn's own checks, and what users do with selectors."""

from __future__ import annotations

import pickle
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy.sparse import csr_array
from shared_data import DATASETS, needs_datasets
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from words import about

import altsets
from altsets import SelectAlternatives, SelectFeatures, constraints, quality
from altsets.errors import InputError
from altsets.quality.spec import NamedQuality
from altsets.result import StopReason
from altsets.search import answering

# --- scikit-learn's checks -------------------------------------------------------------------------

#: A check of arrays on other devices; it needs an environment variable, and no selector of scikit-learn passes it.
ARRAY_API = {"check_array_api_input"}
#: Which checks of sparse tables must be among those that pass.
SPARSE = {"check_estimator_sparse_tag", "check_estimator_sparse_array", "check_estimator_sparse_matrix"}


#: Checks that do not apply to qualities that refuse missing values.
REFUSES_MISSING = {"check_estimators_nan_inf": "transform passes missing values on, for an imputer after it"}
#: ... and to those that split rows.
SPLITS = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_sample_weight_equivalence_on_dense_data",
        "check_f_contiguous_array_estimator",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit2d_1feature",
        "check_dict_unchanged",
        "check_fit2d_predict1d",
    ),
    "a class has a single row, which cannot be in both parts of a split",
)
SPARSE_SPLITS = SPLITS | {"check_sample_weight_equivalence_on_sparse_data": SPLITS["check_dict_unchanged"]}
FEW = {"max_iters": 20}
#: Qualities, their checks that do not apply with the reasons, and whether they take sparse tables.
CHECKED = {
    "default": (SelectAlternatives(), {}, True),
    "f": (SelectAlternatives("f", n_features=2, tau=1), {}, True),
    "mrmr": (SelectAlternatives("mrmr", n_features=2, n_alternatives=1), {}, True),
    "cfs": (SelectAlternatives("cfs", n_features=2, n_alternatives=1), {}, True),
    "spearman": (SelectAlternatives("spearman", n_features=2), {}, True),
    "linear_fit": (SelectAlternatives("linear_fit", n_features=2), REFUSES_MISSING, False),
    "relief": (SelectAlternatives("relief", n_features=2), REFUSES_MISSING, False),
    "tree": (SelectAlternatives(DecisionTreeClassifier(random_state=0), n_features=2), {}, True),
    "logistic": (SelectAlternatives(LogisticRegression(), n_features=2), REFUSES_MISSING, True),
    "permutation": (SelectAlternatives("permutation", n_features=2), SPLITS, False),
    "wrapper": (
        SelectAlternatives("wrapper", n_features=2, n_alternatives=1, quality_params=FEW),
        SPARSE_SPLITS,
        True,
    ),
    "embedded": (SelectAlternatives("embedded", n_alternatives=1, quality_params=FEW), SPARSE_SPLITS, True),
    # Two features that are alike are no set of FCBF, so that tables of few columns have sets of one feature only.
    "fcbf": (SelectAlternatives("fcbf", n_features=1), {}, True),
    "SelectFeatures": (SelectFeatures(), {}, True),
}
QUICK = ("default", "mrmr", "relief", "SelectFeatures")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CHECKED]
)
def test_all_checks_of_scikit_learn_pass(name):
    selector, not_applicable, takes_sparse = CHECKED[name]
    reports = check_estimator(selector, expected_failed_checks=not_applicable, on_fail=None, on_skip=None)
    others = {report["check_name"]: report for report in reports if report["status"] != "passed"}
    assert set(others) == ARRAY_API | set(not_applicable), others
    passed = {report["check_name"] for report in reports if report["status"] == "passed"}
    assert len(passed) >= 43
    assert not takes_sparse or passed >= SPARSE


@pytest.mark.parametrize(("name", "params"), [
    ("relief", {"n_neighbors": 3}),
    ("mrmr", {"measure": "relief", "redundancy_measure": "pearson"}),
    ("linear_fit", {"missing": "mean"}),
    (quality.LinearFit.from_data, {"missing": "mean"}),
    (quality.Wrapper, {"estimator": LogisticRegression()}),
    ("wrapper", {"estimator": "linear"}),
    ("wrapper", {"estimator": GaussianNB()}),
    ("wrapper", {"estimator": "sklearn.naive_bayes.GaussianNB"}),
    ("embedded", {"estimator": DecisionTreeClassifier()}),
    ("importance", {"estimator": "linear"}),
    ("importance", {"estimator": "sklearn.linear_model.LogisticRegression"}),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_tags_agree_with_what_fit_takes(name, params):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.poisson(1.0, (60, 4)) + y[:, None] * [1.0, 1.0, 0.0, 0.0]
    missing = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    selector = SelectAlternatives(name, n_features=2, n_alternatives=0, quality_params=params)
    tags = get_tags(selector).input_tags
    for takes, table in ((tags.allow_nan, missing), (tags.sparse, csr_array(X)), (True, X)):
        if takes:
            selector.fit(table, y)
        else:
            with pytest.raises(InputError):
                selector.fit(table, y)


# --- What fit leaves behind ------------------------------------------------------------------------
def test_attributes_agree_with_find(wine):
    X, y = wine
    selector = SelectAlternatives("mutual_info", n_features=3, n_alternatives=2, tau=1).fit(X, y)
    result = altsets.find(quality.Additive.from_data(X, y), n_features=3, n_alternatives=2, tau=1)
    assert selector.result_ == result
    assert [found.names for found in selector.alternatives_] == result.named_sets
    assert [found.status for found in selector.alternatives_] == result.statuses
    assert (
        selector.qualities_.tolist()
        == result.qualities
        == [found.quality for found in selector.alternatives_]
    )
    assert [tuple(np.flatnonzero(mask)) for mask in selector.supports_] == result.sets
    assert selector.supports_.shape == (3, 13)
    assert selector.dissimilarities_.tolist() == (1 - np.eye(3)).tolist()
    assert (selector.bound_, selector.gap_, selector.n_alternatives_found_) == (result.bound, result.gap, 2)
    assert (selector.n_features_, selector.n_features_in_) == (3, 13)
    for found in selector.alternatives_:
        chosen = [X.columns.get_loc(name) for name in found.names]
        assert selector.scores_[chosen].sum() == pytest.approx(found.quality)


def test_own_dissimilarity_is_the_one_that_is_told(wine):
    def differs(first, second):
        return float(not set(first) & set(second))

    selector = SelectAlternatives(n_features=2, n_alternatives=1, tau=1, dissimilarity=differs).fit(*wine)
    assert selector.dissimilarities_.tolist() == [[0, 1], [1, 0]]


def test_parameters_take_effect_with_the_next_fit(wine):
    X, y = wine
    selector = SelectAlternatives(n_features=2).fit(X, y)
    before = repr(selector).partition("\n")[2]
    model = make_pipeline(selector, DecisionTreeClassifier(random_state=0)).fit(X, y)
    score = model.score(X, y)
    for number, found in enumerate(selector.alternatives_):
        selector.set_params(alternative=number)
        np.testing.assert_array_equal(selector.transform(X), X[list(selector.alternatives_[0].names)])
        assert tuple(selector.get_feature_names_out()) == selector.alternatives_[0].names
        assert (selector.alternative_, model.score(X, y)) == (0, score)
        assert repr(selector).partition("\n")[2] == before
        assert "0 (in use)" in selector._repr_html_()
        fresh = clone(selector).fit(X, y)
        assert tuple(fresh.get_feature_names_out()) == found.names
        assert fresh.alternative_ == number
    selector.set_params(quality=[1.0] * 13, n_features=1)
    assert selector.transform(X).shape == (178, 2)


def test_fitting_again_forgets_what_was_before(wine):
    X, y = wine
    selector = SelectAlternatives(n_features=2).fit(X, y)
    selector.fit(X.to_numpy()[:, :4], y)
    assert selector.n_features_in_ == 4
    assert not hasattr(selector, "feature_names_in_")
    assert set(selector.get_feature_names_out()) <= {"x0", "x1", "x2", "x3"}


# --- Every kind of quality -------------------------------------------------------------------------
@pytest.mark.parametrize("given", [
    "f", "relief", "cfs", DecisionTreeClassifier(random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()), quality.MRMR, quality.Additive,
    partial(quality.FCBF.from_data, measure="symmetrical_uncertainty"), lambda X, y: X.var(axis=0),
    np.arange(13.0), quality.Additive(np.arange(13.0)),
], ids=lambda given: type(given).__name__)  # fmt: skip
def test_every_kind_of_quality(given, wine):
    X, y = wine
    selector = SelectAlternatives(given, n_features=2, n_alternatives=1).fit(X, y)
    assert selector.result_.status == "optimal"
    assert all(set(found.names) <= set(X.columns) for found in selector.alternatives_)
    assert selector.scores_.shape == (13,)


@pytest.mark.parametrize("given", ["wrapper", quality.Wrapper])
def test_wrappers_have_no_scores(given, wine):
    X, y = wine
    selector = SelectAlternatives(given, n_features=1, n_alternatives=1, tau=1).fit(X, y)
    expected = altsets.find(quality.Wrapper(None, X, y), n_features=1, n_alternatives=1, tau=1)
    assert selector.qualities_.tolist() == expected.qualities
    assert selector.scores_ is None


@pytest.mark.slow
def test_options_of_a_quality_are_bound_to_it():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    table = pd.DataFrame(
        {
            "town": np.where(rng.random(120) < 0.3, "Oslo", np.array(["Rome", "Bern"])[y]),
            "x": y + rng.normal(size=120),
            "z": np.where(rng.random(120) < 0.3, np.nan, rng.normal(size=120)),
        }
    )
    weights = rng.integers(1, 4, 120)
    for given, direct in [
        (
            partial(quality.CFS.from_data, measure="symmetrical_uncertainty", n_bins=4),
            quality.CFS.from_data(
                table, y, measure="symmetrical_uncertainty", n_bins=4, sample_weight=weights
            ),
        ),
        (quality.Wrapper.from_data, quality.Wrapper(None, table, y, sample_weight=weights)),
        (
            partial(quality.Wrapper.from_data, estimator="forest", cv=2),
            quality.Wrapper("forest", table, y, cv=2, sample_weight=weights),
        ),
    ]:
        selector = SelectAlternatives(given, n_features=1, n_alternatives=1, tau=1)
        selector.fit(table, y, sample_weight=weights)
        expected = altsets.find(direct, n_features=1, n_alternatives=1, tau=1)
        assert selector.qualities_.tolist() == expected.qualities
        assert selector.alternatives_[0].names == ("town",)


def test_numbers_that_are_there_need_no_target(wine, refused):
    X, _ = wine
    for given in (np.arange(13.0), quality.Additive(np.arange(13.0))):
        selector = SelectAlternatives(given, n_features=2, n_alternatives=0).fit(X)
        assert selector.alternatives_[0].names == tuple(X.columns[-2:])
    with refused(InputError):
        SelectAlternatives().fit(X)


def test_an_estimator_as_quality_stays_as_it_is(wine):
    tree = DecisionTreeClassifier()
    SelectAlternatives(tree).fit(*wine)
    assert not hasattr(tree, "tree_")
    assert tree.random_state is None


def test_a_quality_with_other_names_is_refused(wine, refused):
    X, y = wine
    own = quality.Additive(np.arange(13.0), feature_names=[*X.columns[1:], X.columns[0]])
    with refused(InputError):
        SelectAlternatives(own).fit(X, y)


@pytest.mark.slow
def test_random_state_of_every_kind(wine):
    X, y = wine
    names = [
        [
            found.names
            for found in SelectAlternatives("permutation", random_state=seed).fit(X, y).alternatives_
        ]
        for seed in (3, np.int64(3), np.random.RandomState(3), np.random.RandomState(3))
    ]
    assert names[0] == names[1]
    assert names[2] == names[3]


# --- Constraints -----------------------------------------------------------------------------------
def test_constraints_by_name_and_by_index(wine, refused):
    X, y = wine
    rules = [constraints.Require("hue"), constraints.Forbid(12), constraints.Exclusive(["flavanoids", 0])]
    selector = SelectAlternatives(n_features=3, constraints=rules).fit(X, y)
    for mask in selector.supports_:
        names = set(X.columns[mask])
        assert "hue" in names
        assert "proline" not in names
        assert not {"flavanoids", "alcohol"} <= names
    with refused(InputError):
        SelectAlternatives(constraints=constraints.Require("huge")).fit(X, y)
    with refused(InputError):
        SelectAlternatives(constraints=[constraints.Require("hue"), constraints.Forbid("hue")]).fit(X, y)


def test_sizes_between_two_numbers(wine):
    X, y = wine
    selector = SelectAlternatives("mrmr", n_features=99, constraints=constraints.Size(1, 3)).fit(X, y)
    assert set(selector.supports_.sum(axis=1)) <= {1, 2, 3}


# --- Less than was asked for -----------------------------------------------------------------------
def test_fewer_sets_than_asked_are_one_clear_warning(wine, refused, snapshot):
    X, y = wine
    with pytest.warns(UserWarning) as told:
        selector = SelectAlternatives(n_features=6, tau=1, alternative=2).fit(X, y)
    assert [str(one.message) for one in told] == snapshot
    assert len(told) == 1
    assert told[0].filename == __file__
    assert selector.n_alternatives_found_ == 1
    with refused(InputError):
        selector.transform(X)


def test_fewer_columns_than_asked_are_one_clear_warning(wine, warned):
    X, y = wine
    with warned(UserWarning):
        selector = SelectAlternatives(n_alternatives=0).fit(X.iloc[:, :2], y)
    assert (selector.n_features, selector.n_features_) == (None, 2)


# --- Pipelines and grids ---------------------------------------------------------------------------
@pytest.mark.slow
def test_grid_over_quality_size_and_tau(wine):
    X, y = wine
    model = Pipeline([("select", SelectAlternatives()), ("model", DecisionTreeClassifier(random_state=0))])
    grid = {"select__quality": ["f", "mrmr"], "select__n_features": [2, 3], "select__tau": [0.5, 1]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_estimator_["select"].n_features_ == search.best_params_["select__n_features"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_all_sets_in_a_grid_without_another_search(wine, monkeypatch):
    X, y = wine
    selector = SelectAlternatives(n_features=3, n_alternatives=2).fit(X, y)
    monkeypatch.setattr(answering, "solve", None)
    model = Pipeline([("select", None), ("model", DecisionTreeClassifier(random_state=0))])
    sets = [selector.get_alternative(number) for number in range(3)]
    search = GridSearchCV(model, {"select": sets}, cv=3, error_score="raise").fit(X, y)
    expected = [
        cross_val_score(DecisionTreeClassifier(random_state=0), X[list(found.names)], y, cv=3).mean()
        for found in selector.alternatives_
    ]
    assert search.cv_results_["mean_test_score"].tolist() == expected


def test_memory_keeps_scores_and_searches(wine, tmp_path, monkeypatch):
    X, y = wine
    calls = {"make": 0, "solve": 0}

    def counted(home, name):
        original = getattr(home, name)

        def call(*args, **kwargs):
            calls[name] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(home, name, call)

    counted(NamedQuality, "make")
    counted(answering, "solve")
    selector = SelectAlternatives(n_features=3, memory=str(tmp_path))
    model = make_pipeline(selector, DecisionTreeClassifier(random_state=0))
    grid = {"selectalternatives__alternative": [0, 1, 2]}
    GridSearchCV(model, grid, cv=3, refit=False, error_score="raise").fit(X, y)
    assert calls == {"make": 3, "solve": 3}
    GridSearchCV(model, {"selectalternatives__tau": [0.25, 0.75]}, cv=3, refit=False).fit(X, y)
    assert calls == {"make": 3, "solve": 9}


def test_memory_does_not_keep_what_was_interrupted(wine, tmp_path, monkeypatch):
    X, y = wine
    from dataclasses import replace

    original = answering.solve
    monkeypatch.setattr(
        answering,
        "solve",
        lambda *args, **kwargs: replace(original(*args, **kwargs), stop_reason=StopReason.INTERRUPTED),
    )
    selector = SelectAlternatives(memory=str(tmp_path)).fit(X, y)
    assert selector.result_.interrupted
    monkeypatch.setattr(answering, "solve", original)
    assert not selector.fit(X, y).result_.interrupted


def test_memory_says_what_it_cannot_keep(wine, tmp_path, refused):
    with refused(InputError):
        SelectAlternatives(lambda X, y: X.sum(axis=0), memory=str(tmp_path)).fit(*wine)


def test_get_alternative_is_light_and_complete(wine, refused):
    X, y = wine
    selector = SelectAlternatives(n_features=2).fit(X, y)
    one = selector.get_alternative(1)
    assert tuple(one.get_feature_names_out()) == selector.alternatives_[1].names
    np.testing.assert_array_equal(one.transform(X), X[list(selector.alternatives_[1].names)])
    assert len(pickle.dumps(one)) < 2000
    fresh = clone(one)
    np.testing.assert_array_equal(fresh.fit(X).transform(X), one.transform(X))
    unnamed = SelectAlternatives(n_features=2).fit(X.to_numpy(), y).get_alternative(1)
    assert clone(unnamed).fit_transform(X.to_numpy()).shape == (178, 2)
    with refused(InputError):
        selector.get_alternative(4)
    with refused(InputError):
        selector.get_alternative(-1)


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_get_alternative_keeps_the_output_as_a_clone_does(wine, wanted):
    X, y = wine
    selector = SelectAlternatives(n_features=2).set_output(transform=wanted).fit(X, y)
    table = FRAMES[wanted](X)
    for one in (selector.get_alternative(1), clone(selector.get_alternative(1)).fit(X)):
        kept = one.transform(table)
        assert type(kept) is type(table)
        assert tuple(kept.columns) == selector.alternatives_[1].names == tuple(one.get_feature_names_out())
    # The two are independent of each other from then on.
    other = selector.get_alternative(1).set_output(transform="default")
    assert isinstance(other.transform(X), np.ndarray)
    assert type(selector.transform(table)) is type(table)
    plain = SelectAlternatives(n_features=2).fit(X, y).get_alternative(1)
    assert isinstance(plain.transform(X), np.ndarray)


def test_get_alternative_keeps_metadata_requests(wine):
    X, y = wine
    beside = {"sample_weight": np.ones(len(y)), "groups": np.arange(len(y))}
    last = DecisionTreeClassifier(random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = SelectAlternatives("f", n_features=2).set_fit_request(sample_weight=True, groups=True)
        model = make_pipeline(asked, last.set_fit_request(sample_weight=False)).fit(X, y, **beside)
        one = model[0].get_alternative(1)
        assert one.get_metadata_routing().fit.requests == {"sample_weight": True, "groups": True}
        assert len(pickle.dumps(one)) < 3000
        # Nothing else of this pipeline takes groups.
        make_pipeline(one, last).fit(X, y, **beside)
        one.set_fit_request(groups=False)
        assert model[0].get_metadata_routing().fit.requests["groups"]
        with pytest.raises(TypeError, match="groups"):
            make_pipeline(one, last).fit(X, y, **beside)
        # A selector that was never told anything passes them over.
        silent = SelectAlternatives("f", n_features=2).fit(X, y).get_alternative(1)
        make_pipeline(silent, clone(last).set_fit_request(sample_weight=True)).fit(
            X, y, sample_weight=beside["sample_weight"]
        )


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_model_in_use_needs_the_columns_of_its_set_alone(wine, kind, refused):
    X, y = wine
    selector = SelectAlternatives(n_features=3, n_alternatives=1).fit(X, y)
    one = selector.get_alternative(1)
    names = list(selector.alternatives_[1].names)
    few = FRAMES[kind](X[[*reversed(names), "ash"]])
    np.testing.assert_array_equal(one.transform(few), X[names])
    framed = clone(one).fit(FRAMES[kind](X)).set_output(transform="pandas").transform(few)
    assert list(framed.columns) == names
    with refused(InputError):
        one.transform(FRAMES[kind](X.drop(columns=names[0])))
    assert (one.n_features_in_, one.get_support().sum()) == (13, 3)


def test_a_fitted_pipeline_predicts_from_the_columns_of_its_set(wine):
    X, y = wine
    one = SelectAlternatives(n_features=3).fit(X, y).get_alternative(1)
    model = make_pipeline(one, DecisionTreeClassifier(random_state=0)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[one.get_feature_names_out()]), model.predict(X))


def test_columns_without_names_must_all_be_there(wine, refused, snapshot):
    X, y = wine
    one = SelectAlternatives(n_features=3).fit(X, y).get_alternative(1)
    kept = one.transform(X)
    with refused(InputError):
        one.transform(kept)
    with pytest.warns(UserWarning) as warned, refused(ValueError):
        one.transform(X.to_numpy()[:, :4])
    assert [str(one.message) for one in warned] == snapshot
    with refused(ValueError):
        SelectFeatures().fit(X).transform(X[list(reversed(X.columns))])
    with refused(InputError):
        one.transform(pd.concat([X, X], axis=1))


def test_select_features_refuses_what_is_not_there(wine, refused):
    X, _ = wine
    with refused(InputError):
        SelectFeatures(["huge"]).fit(X)
    with refused(InputError):
        SelectFeatures([13]).fit(X)
    for nothing in ([], "hue"):
        with refused(InputError):
            SelectFeatures(nothing).fit(X)


def test_clone_and_pickle(wine):
    X, y = wine
    rules = (constraints.AtMost(1, ["hue", "ash"]),)
    selector = SelectAlternatives(quality.MRMR, n_features=2, constraints=rules, random_state=1).fit(X, y)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.transform(X), selector.transform(X))
    assert again.result_ == selector.result_
    copy = clone(selector)
    assert not hasattr(copy, "result_")
    assert copy.get_params() == selector.get_params()


def test_inside_a_column_transformer(wine):
    X, y = wine
    some = make_column_transformer(
        (SelectAlternatives("f", n_features=2), list(X.columns[:6])), remainder="drop"
    ).set_output(transform="pandas")
    assert some.fit_transform(X, y).shape == (178, 2)


# --- Frames ----------------------------------------------------------------------------------------
FRAMES = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


@pytest.mark.parametrize("given", FRAMES)
@pytest.mark.parametrize(("wanted", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames_in_and_out(wine, given, wanted, kind):
    X, y = wine
    table = FRAMES[given](X.assign(whole=range(len(X))))
    selector = SelectAlternatives([*range(13), 100.0], n_features=2, n_alternatives=0).set_output(
        transform=wanted
    )
    found = selector.fit(table, y).transform(table)
    assert isinstance(found, kind)
    assert list(found.columns) == ["proline", "whole"] == list(selector.get_feature_names_out())
    np.testing.assert_array_equal(np.asarray(found), X.assign(whole=range(len(X)))[["proline", "whole"]])


def test_text_survives_in_frames():
    table = pd.DataFrame({"town": ["a", "b", "a", "b"], "n": [1, 2, 3, 4], "x": [0.5, np.nan, 0, 1]})
    selector = SelectAlternatives([3.0, 2.0, 1.0], n_features=2, n_alternatives=0)
    for frame in (table, pl.from_pandas(table)):
        for wanted in ("pandas", "polars"):
            kept = clone(selector).set_output(transform=wanted).fit(frame).transform(frame)
            assert np.asarray(kept["town"]).tolist() == ["a", "b", "a", "b"]
            assert np.asarray(kept["n"]).dtype == np.int64
    assert selector.fit(table).transform(table).tolist()[0] == ["a", 1]


@pytest.mark.parametrize("given", FRAMES)
def test_numbers_stay_numbers_beside_text(given):
    table = FRAMES[given](pd.DataFrame({"town": list("abab"), "n": [1, 2, 3, 4], "m": [5, 6, 7, 8]}))
    selector = SelectAlternatives([0.0, 2.0, 1.0], n_features=2, n_alternatives=0).fit(table)
    kept = selector.transform(table)
    assert kept.dtype == np.int64
    assert kept.tolist() == [[1, 5], [2, 6], [3, 7], [4, 8]]


def test_inverse_transform_with_holes(refused):
    table = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]])
    selector = SelectFeatures([1]).fit(table)
    np.testing.assert_array_equal(
        selector.inverse_transform(selector.transform(table)), [[0, np.nan, 0], [0, 5, 0]]
    )
    with refused(InputError):
        selector.inverse_transform(table[:, :2])


# --- Weights ---------------------------------------------------------------------------------------
def test_weights_are_routed(wine):
    X, y = wine
    weights = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    direct = SelectAlternatives("f", n_features=2).fit(X, y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SelectAlternatives("f", n_features=2).set_fit_request(sample_weight=True)
        model = make_pipeline(selector, Ridge().set_fit_request(sample_weight=False))
        model.fit(X, y, sample_weight=weights)
    routed = model["selectalternatives"]
    assert routed.scores_.tolist() == direct.scores_.tolist()
    assert routed.scores_.tolist() != SelectAlternatives("f", n_features=2).fit(X, y).scores_.tolist()


@pytest.mark.parametrize("given", ["wrapper", "permutation", quality.Wrapper.from_data])
def test_groups_are_routed_to_qualities_that_split_rows(wine, given):
    X, y = wine
    groups, weights = np.arange(len(y)) // 6, np.ones(len(y))
    asked = {"n_features": 1, "n_alternatives": 1}
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SelectAlternatives(given, **asked).set_fit_request(sample_weight=True, groups=True)
        model = make_pipeline(selector, DecisionTreeClassifier().set_fit_request(sample_weight=False))
        model.fit(X, y, sample_weight=weights, groups=groups)
    routed = model["selectalternatives"].qualities_.tolist()
    if given == "permutation":
        direct = quality.Additive.from_data(X, y, measure="permutation", groups=groups)
    else:
        direct = quality.Wrapper(None, X, y, groups=groups)
        train, test = direct.splits[0]
        assert not set(groups[train]) & set(groups[test])
    assert routed == altsets.find(direct, **asked).qualities
    assert routed != SelectAlternatives(given, **asked).fit(X, y).qualities_.tolist()


def test_groups_are_of_no_use_to_other_qualities(wine, refused):
    X, y = wine
    grouped = SelectAlternatives("f").fit(X, y, groups=np.arange(len(y)))
    assert grouped.result_ == SelectAlternatives("f").fit(X, y).result_
    with refused(InputError):
        SelectAlternatives("wrapper").fit(X, y, groups=[1, 2])


def test_weights_where_they_have_no_use_are_refused(wine, refused):
    X, y = wine
    for given in (np.arange(13.0), lambda X, y: X.var(axis=0)):
        with refused(InputError):
            SelectAlternatives(given).fit(X, y, sample_weight=np.ones(len(y)))


# --- What is behind a set ---------------------------------------------------------------------------
def test_scores_floor_and_marks(wine):
    X, y = wine
    table = X[["flavanoids", "ash"]].assign(noise=np.random.default_rng(0).normal(size=len(y)))
    selector = SelectAlternatives("f", n_features=1, n_alternatives=2, tau=1).fit(table, y)
    result = selector.result_
    assert result.above_noise == [(True,), (True,), (False,)]
    assert result.scores[0][0] == selector.scores_[0]
    lines = repr(selector).splitlines()
    assert re.search(r"set 0: flavanoids [\d.]+ \(", lines[-5])
    assert re.search(r"set 2: noise [\d.]+\* \(", lines[-3])
    assert re.match(r" +\* .* noise floor of [\d.]+", lines[-2])
    assert "noise floor" in selector._repr_html_()
    again = SelectAlternatives("f", n_features=2, n_alternatives=0).fit(table, y)
    assert again.noise_floor_.tolist() == selector.noise_floor_.tolist()
    assert (result.n_above_noise, again.result_.n_above_noise) == (None, None)
    assert SelectAlternatives("f", n_features=3, n_alternatives=0).fit(table, y).result_.n_above_noise == 2


@pytest.mark.parametrize(("given", "has_floor"), [
    ("mrmr", True), (quality.FCBF, True),
    (partial(quality.CFS.from_data, measure="spearman"), True),
    (partial(quality.Additive.from_data, measure="mutual_info", n_neighbors=5), True),
    (partial(quality.Additive.from_data, scaling="paper"), False),
    ("importance", False), ("relief", False), (lambda X, y: X.var(axis=0), False), (np.arange(4.0), False),
])  # fmt: skip
def test_where_there_is_a_noise_floor(wine, given, has_floor):
    X, y = wine
    selector = SelectAlternatives(given, n_features=2, n_alternatives=0).fit(X.iloc[:, :4], y == 1)
    assert (selector.noise_floor_ is not None) == bool(selector.result_.noise_floors) == has_floor
    assert not has_floor or 0 < selector.noise_floor_.min() <= selector.noise_floor_.max() < 0.5


def test_the_noise_floor_with_weights_and_holes():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    X = pd.DataFrame({"signal": y + rng.normal(size=200), "noise": rng.normal(size=200)})
    X.loc[::5, "noise"] = np.nan
    weights = np.where(np.arange(200) < 150, 1.5, 0)
    for given in ("mutual_info", "pearson"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = SelectAlternatives(given, n_features=1, n_alternatives=1, tau=1)
            result = selector.fit(X, y, sample_weight=weights).result_
        assert result.above_noise[0] == (True,)
        assert result.scores[0][0] > 2 * result.noise_floors[0][0] > 0


@pytest.mark.parametrize(("y", "given", "task", "note"), [
    (["no", "yes"] * 100, "f", "auto", "The target has 2 classes."),
    ([0, 1] * 100, "f", "auto", "The target has 2 classes."),
    (
        np.arange(200) % 3,
        "f",
        "auto",
        "The 3 different whole numbers of the target are treated as classes; "
        "task='regression' treats them as numeric.",
    ),
    (
        np.arange(200),
        "mrmr",
        "auto",
        "The 200 different whole numbers of the target are treated as numeric; "
        "task='classification' treats them as classes.",
    ),
    (np.arange(200) % 3, "f", "classification", "The target has 3 classes."),
    (np.arange(200) / 7, "f", "auto", "The target is numeric (200 different numbers)."),
    (
        np.arange(200) % 3,
        "cfs",
        "auto",
        "The 3 different whole numbers of the target are treated as numeric, since pearson uses numbers as they "
        "are; use mutual_info or f for classes.",
    ),
])  # fmt: skip
def test_what_the_target_was_taken_for(y, given, task, note):
    X = np.random.default_rng(0).normal(size=(200, 3))
    selector = SelectAlternatives(given, n_features=1, n_alternatives=0, task=task).fit(X, y)
    assert selector.note_ == note


# --- Looks -----------------------------------------------------------------------------------------
def test_text_and_html_show_the_sets(wine, snapshot):
    X, y = wine
    selector = SelectAlternatives(n_features=2, n_alternatives=1, alternative=1)
    assert repr(selector) == "SelectAlternatives(alternative=1, n_alternatives=1, n_features=2)"
    assert "<td" not in selector._repr_html_() or "optimal" not in selector._repr_html_()
    selector.fit(X.rename(columns={"proline": "pro<b>"}), y)
    first, best, other, proven, zero, one, note = repr(selector).splitlines()
    assert best == snapshot
    assert other.startswith("  Set 1 keeps ")
    assert proven.startswith("  Proven: ")
    assert first == "SelectAlternatives(alternative=1, n_alternatives=1, n_features=2)"
    assert re.match(r"    set 0: flavanoids 0\.\d+, pro<b> 0\.\d+ \(quality ", zero)
    assert one.startswith("  * set 1: ")
    assert one.endswith(", optimal)")
    assert note == snapshot
    page = selector._repr_html_()
    assert "pro&lt;b&gt;" in page
    assert "1 (in use)" in page
    assert about(page, "treated") == snapshot
    assert "proven optimal" in page
    # Where it is a part, only the parameters are shown.
    assert "set 0" not in repr(make_pipeline(selector))


# --- Real tables, from end to end ------------------------------------------------------------------
REAL = [
    pytest.param(name, marks=[needs_datasets, pytest.mark.slow]) for name in ("wdbc", "ionosphere", "sonar")
]


def table_of(name):
    """A table of the paper, or one of such a shape."""
    if name != "made up":
        table = pd.read_csv(DATASETS / f"{name}.csv.gz")
        return table.drop(columns="target"), table["target"]
    rows, columns = 208, 60
    rng = np.random.default_rng(rows)
    y = pd.Series(rng.integers(0, 2, rows), name="target")
    signal = rng.normal(size=(rows, columns)) + np.outer(y, rng.random(columns) ** 3 * 2)
    return pd.DataFrame(signal, columns=[f"f{index}" for index in range(columns)]), y


@pytest.mark.slow
@pytest.mark.parametrize("name", ["made up", *REAL])
@pytest.mark.filterwarnings("ignore:some columns are constant")
def test_pipeline_and_grid_on_whole_tables(name):
    X, y = table_of(name)
    model = make_pipeline(SelectAlternatives("mrmr", n_features=5), StandardScaler(), LogisticRegression())
    grid = {"selectalternatives__tau": [0.4, 1.0], "selectalternatives__alternative": [0, 2]}
    search = GridSearchCV(model, grid, cv=3, scoring="matthews_corrcoef", error_score="raise").fit(X, y)
    chosen = search.best_estimator_[0]
    assert chosen.result_.status == "optimal"
    assert search.best_score_ > 0.3
    assert search.predict(X).shape == y.shape
    assert chosen.get_feature_names_out().shape == (5,)


def test_weights_may_be_bound_to_the_quality(wine):
    """As those of ``fit``, also in the noise floor."""
    X, y = wine
    weights = 1 + np.arange(len(y)) % 3
    asked = {"n_features": 2, "n_alternatives": 1}
    bound = SelectAlternatives(partial(quality.Additive.from_data, sample_weight=weights), **asked).fit(X, y)
    given = SelectAlternatives(quality.Additive, **asked).fit(X, y, sample_weight=weights)
    assert bound.result_.sets == given.result_.sets
    assert bound.noise_floor_.tolist() == given.noise_floor_.tolist()
