"""Evaluation with covariates: every model has them, and the baseline has nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

import altsets
from altsets.errors import InputError

pd = pytest.importorskip("pandas")
FOLDS = KFold(4, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    batch, dose = rng.integers(0, 2, 160), rng.normal(size=160)
    X = pd.DataFrame(rng.normal(size=(160, 5)), columns=list("abcde"))
    y = X.a + 0.5 * X.b + 2.0 * batch + dose + rng.normal(size=160)
    X.insert(1, "batch", batch)
    return X.assign(dose=dose), y


def by_hand(X, y, columns) -> list[float]:
    found = []
    for train, test in FOLDS.split(X):
        model = LinearRegression().fit(X[columns].iloc[train], y.iloc[train])
        found.append(r2_score(y.iloc[test], model.predict(X[columns].iloc[test])))
    return found


def test_models_have_the_covariates(data) -> None:
    X, y = data
    result = altsets.find("f", 1, 1, 1, X=X, y=y, adjust=["batch", "dose"])
    assert result.named_sets == [("a",), ("b",)]
    expected = [by_hand(X, y, [name, "batch", "dose"]) for name in "ab"]
    baseline = by_hand(X, y, ["batch", "dose"])
    named = {"estimator": LinearRegression(), "cv": FOLDS, "scoring": "r2"}
    selector = altsets.SelectAlternatives(
        "f", n_features=1, n_alternatives=1, tau=1, adjust=["batch", "dose"]
    )
    sets = [("a",), ("b",)]
    for what, more in ((result, {}), (selector, {}), (sets, {"adjust": ["batch", "dose"]})):
        found = altsets.evaluate(what, X, y, **named, **more)
        np.testing.assert_allclose([found.scores(0), found.scores(1)], expected, atol=1e-12)
        np.testing.assert_allclose(found.baseline_scores(), baseline, atol=1e-12)
        assert found.parameters["adjust"] == ["batch", "dose"]
    plain = altsets.evaluate(sets, X, y, **named)
    np.testing.assert_allclose(plain.scores(0), by_hand(X, y, ["a"]), atol=1e-12)


def test_frontiers_have_the_covariates(data) -> None:
    X, y = data
    curve = altsets.frontier("f", 1, n_alternatives=1, X=X, y=y, adjust=["batch", "dose"])
    found = altsets.evaluate(curve, X, y, estimator=LinearRegression(), cv=FOLDS, scoring="r2")
    assert found.baseline == pytest.approx(np.mean(by_hand(X, y, ["batch", "dose"])), abs=1e-12)


def test_models_by_name_and_weights(data) -> None:
    X, y = data
    X = X.assign(batch=X.batch.map({0: "x", 1: "y"}), dose=X.dose.where(np.arange(160) > 3))
    weights = np.where(np.arange(160) < 20, 0, 1)
    found = altsets.evaluate(
        [("a",)], X, y, estimator="linear", adjust=["batch", "dose"], sample_weight=weights, cv=4
    )
    assert found.baseline > 0.3
    assert np.mean(found.scores(0)) > found.baseline + 0.05


def test_words(data, snapshot) -> None:
    X, y = data
    found = altsets.evaluate(
        [("a",), ("c",)], X, y, estimator=LinearRegression(), cv=FOLDS, adjust=["batch", "dose"]
    )
    lines = found.summary().splitlines()
    assert [line for line in lines if "covariates" in line] == snapshot


def test_refused(data, refused) -> None:
    X, y = data
    with refused(InputError):
        altsets.evaluate([[0], [2]], X, y, adjust=["batch"])
    with refused(InputError):
        altsets.evaluate([("a",), ("batch",)], X, y, adjust=["batch"])
    selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1, tau=1, adjust=["batch"])
    with refused(InputError):
        altsets.evaluate(selector, X, y, adjust=["dose"])
