"""Options of a quality that is given by its name, its class or as a function."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import Request, SelectAlternatives, quality
from altsets.errors import InputError, NotExpressedError

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize(("given", "params", "made"), [
    ("mrmr", {"measure": "pearson"}, partial(quality.MRMR.from_data, measure="pearson")),
    (quality.MRMR, {"measure": "pearson"}, partial(quality.MRMR.from_data, measure="pearson")),
    ("mutual_info", {"n_neighbors": 9}, partial(quality.Additive.from_data, n_neighbors=9)),
    (quality.Additive, {"measure": "f"}, partial(quality.Additive.from_data, measure="f")),
    ("mrmr", {"scaling": "paper"}, partial(quality.MRMR.from_data, scaling="paper")),
    (
        "cfs",
        {"measure": "f", "redundancy_measure": "spearman"},
        partial(quality.CFS.from_data, measure="f", redundancy_measure="spearman"),
    ),
    ("linear_fit", {"ridge": 0.5}, partial(quality.LinearFit.from_data, ridge=0.5)),
    ("wrapper", {"estimator": TREE, "cv": 3}, partial(quality.Wrapper.from_data, estimator=TREE, cv=3)),
    (
        partial(quality.Wrapper.from_data, estimator="forest"),
        {"estimator": TREE},
        partial(quality.Wrapper.from_data, estimator=TREE),
    ),
])  # fmt: skip
def test_options_mean_what_from_data_makes_of_them(given, params, made, wine):
    X, y = wine
    X = X.iloc[:, :6]
    asked = {"n_features": 2, "n_alternatives": 1}
    selector = SelectAlternatives(given, quality_params=params, **asked).fit(X, y)
    expected = altsets.find(made(X, y), **asked)
    assert selector.result_.sets == expected.sets
    assert selector.qualities_.tolist() == expected.qualities


def test_functions_take_options(wine):
    X, y = wine

    def spread(X, y, power):
        return X.std(axis=0) ** power

    selector = SelectAlternatives(spread, quality_params={"power": 3}, n_features=1, n_alternatives=0)
    assert selector.fit(X, y).qualities_ == pytest.approx([X["proline"].std(ddof=0) ** 3])


def test_a_grid_varies_whole_dictionaries(wine):
    X, y = wine
    shallow = {"estimator": TREE, "max_iters": 50}
    deep = {"estimator": LogisticRegression(), "scoring": "accuracy", "cv": 3, "max_iters": 50}
    selector = SelectAlternatives("wrapper", n_features=1, n_alternatives=0)
    grid = GridSearchCV(
        make_pipeline(selector, DecisionTreeClassifier(random_state=0)),
        {"selectalternatives__quality_params": [shallow, deep]},
        cv=2,
    ).fit(X[["proline", "ash", "hue"]], y)
    scores = grid.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert not hasattr(TREE, "tree_")
    chosen = grid.best_estimator_[0]
    assert chosen.quality_params.keys() == grid.best_params_["selectalternatives__quality_params"].keys()
    assert chosen.quality_params["estimator"] is not TREE
    assert clone(chosen).quality_params.keys() == chosen.quality_params.keys()


def test_requests_keep_the_name_and_the_options(wine):
    X, y = wine
    selector = SelectAlternatives("mrmr", quality_params={"measure": "pearson"}, n_features=2).fit(X, y)
    request = selector.result_.request
    assert request.quality_params == {"measure": "pearson"}
    assert request == Request(quality="mrmr", quality_params={"measure": "pearson"}, n_features=2)
    assert Request.from_json(request.to_json()) == request
    assert "--measure=pearson" in request.to_command()
    made = {}
    exec(request.to_python(), {"X": X, "y": y}, made)
    assert made["selector"].result_ == selector.result_
    # An option that only Python has.
    request = Request(quality="mutual_info", quality_params={"n_neighbors": 9})
    assert Request.from_json(request.to_json()) == request
    with pytest.raises(NotExpressedError):
        request.to_command()


def test_sessions_take_options(wine):
    X, y = wine
    options = {"quality": "mrmr", "quality_params": {"measure": "pearson"}, "n_features": 2}
    session = altsets.Session(X, y, **options)
    assert session.result.sets == SelectAlternatives(**options).fit(X, y).result_.sets
    made = {}
    exec(session.to_python(), {"X": X, "y": y}, made)
    assert made["session"].result.sets == session.result.sets


@pytest.mark.parametrize(("given", "params"), [
    ("mutual_info", {"n_neighbor": 3}), ("wrapper", {"cvv": 3}), ("f", {"estimator": "tree"}),
    ("f", {"measure": "pearson"}), ("f", 3), ("f", {3: "f"}), (LogisticRegression(), {"cv": 5}),
    ([3, 2, 1], {"cv": 5}),
    (quality.Additive([3, 2, 1]), {"cv": 5}),
])  # fmt: skip
def test_options_that_a_quality_does_not_take_are_refused(given, params, refused):
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [2, 1, 4, 3], "c": [1, 1, 2, 2]})
    with refused(InputError):
        SelectAlternatives(given, quality_params=params, n_features=1).fit(table, [0, 0, 1, 1])
