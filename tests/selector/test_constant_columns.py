"""Columns that hold one value only are no candidates for a quality that is computed from a table."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import altsets
from altsets import Result, SelectAlternatives, Session, constraints, quality
from altsets.errors import InputError

NAMES = ["same", "a", "empty", "b", "c"]
CONSTANT = {"same", "empty"}
QUALITIES = [
    "mutual_info",
    "importance",
    "mrmr",
    "fcbf",
    "cfs",
    "linear_fit",
    "wrapper",
    "greedy_wrapper",
    quality.Additive,
    quality.MRMR.from_data,
    lambda X, y: np.array([9.0, 3.0, 8.0, 2.0, 1.0]),
]


def table(n_rows=60):
    """Three columns that vary, and two that are constant."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n_rows)
    columns = [
        np.full(n_rows, 7.0),
        y + rng.normal(size=n_rows),
        np.zeros(n_rows),
        rng.normal(size=n_rows),
        y / 2 + rng.normal(size=n_rows),
    ]
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True))), y


def chosen(result):
    """All features of the sets, by name."""
    return set().union(*result.named_sets)


@pytest.mark.parametrize("given", QUALITIES)
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_no_set_has_a_constant_column_and_a_note_names_them(given, search):
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = SelectAlternatives(given, n_features=2, n_alternatives=1, search=search).fit(X, y).result_
    assert len(result.sets) == 2
    assert chosen(result).isdisjoint(CONSTANT)
    assert sum("same, empty" in note for note in result.notes) == 1


def test_the_best_set_of_mrmr_has_no_constant_pixels():
    X, y = load_digits(return_X_y=True)
    result = SelectAlternatives("mrmr", n_features=10, n_alternatives=0).fit(X, y).result_
    assert result.statuses == ["optimal"]
    assert not {0, 32, 39} & set(result.sets[0])


def test_a_second_engine_agrees_from_the_table_and_from_the_numbers():
    X, y = table()
    result = SelectAlternatives("mrmr", n_features=2, n_alternatives=1).fit(X, y).result_
    saved = Result.from_json(result.to_json())
    with pytest.warns(UserWarning, match="constant"):
        numbers = quality.MRMR.from_data(X, y)
    for known in ({"X": X, "y": y}, {"quality": numbers}):
        checked = altsets.verify(saved, second_opinion=True, **known)
        assert not checked.violations
        assert not checked.better


def test_sets_are_as_large_as_columns_that_vary(warned):
    X, y = table()
    with warned(UserWarning):
        selector = SelectAlternatives("f", n_features=5, n_alternatives=0).fit(X, y)
    assert selector.n_features_ == 3
    assert chosen(selector.result_) == {"a", "b", "c"}


@pytest.mark.parametrize(("find", "message"), [
    (lambda X, y: SelectAlternatives("f", n_features=1).fit(X[["same", "empty"]], y), "2 of 2 columns are"),
    (lambda X, y: Session(X, y, quality="f", n_features=4).result, "2 of 5 .*; ask for n_features=3"),
])  # fmt: skip
def test_too_few_columns_vary(find, message):
    with pytest.raises(InputError, match=message):
        find(*table())


def test_a_constant_column_that_is_required_stays():
    X, y = table()
    asked = {"n_features": 2, "n_alternatives": 1, "constraints": constraints.Require("same")}
    for result in (
        SelectAlternatives("mrmr", **asked).fit(X, y).result_,
        Session(X, y, quality="mrmr", **asked).result,
    ):
        assert all("same" in features for features in result.named_sets)
        assert "empty" not in chosen(result)
        assert result.parameters["constraints"] == [{"kind": "require", "features": [0]}]


def test_own_scores_do_not_look_at_the_table():
    X, y = table()
    for given in ([9.0, 3.0, 8.0, 2.0, 1.0], quality.Additive([9.0, 3.0, 8.0, 2.0, 1.0])):
        result = SelectAlternatives(given, n_features=2, n_alternatives=0).fit(X, y).result_
        assert result.named_sets == [("same", "empty")]


def test_rows_without_weight_do_not_count():
    X, y = table()
    weights = np.ones(len(y))
    weights[:5] = 0
    X["same"] = np.where(weights, 7.0, np.arange(len(y)))
    result = (
        SelectAlternatives("mrmr", n_features=3, n_alternatives=0).fit(X, y, sample_weight=weights).result_
    )
    assert chosen(result) == {"a", "b", "c"}


def test_sessions_folds_and_frontiers_leave_them_out():
    X, y = table()
    session = Session(X, y, quality="mrmr", n_features=2, n_alternatives=1)
    selector = SelectAlternatives("mrmr", n_features=2, n_alternatives=1)
    assert chosen(session.result).isdisjoint(CONSTANT)
    assert any("same, empty" in note for note in session.result.notes)
    assert all(chosen(point.result).isdisjoint(CONSTANT) for point in session.frontier())
    folds = altsets.evaluate(selector, X, y).folds
    assert {0, 2}.isdisjoint(index for fold in folds for features in fold.sets for index in features)
    losses = selector.fit(X, y).what_if(X, y).losses
    assert all(CONSTANT.isdisjoint(loss.named_set) for loss in losses)


def test_a_grid_of_fits_does_not_warn_of_them():
    X, y = table()
    model = make_pipeline(SelectAlternatives("mrmr", n_features=2, n_alternatives=1), LogisticRegression())
    grid = GridSearchCV(model, {"selectalternatives__alternative": [0, 1]}, cv=3, error_score="raise")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grid.fit(X, y)
    assert caught == []
    assert CONSTANT.isdisjoint(grid.best_estimator_[0].get_feature_names_out())
