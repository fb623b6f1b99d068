"""Large arrays are scored some columns at a time, with the same scores."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from altsets import measures
from altsets.measures import piecewise

NAMES = ["f", "pearson", "spearman", "chi2", "mutual_info", "symmetrical_uncertainty"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.integers(0, 4, size=(40, 23)).astype(np.float32)
    X[:, 5] = 2
    # One that explains the target perfectly, in another part than the best of the others.
    X[:, 21] = y
    X[:, 1] += 2 * y
    return X, y


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(piecewise, "LARGE", 100)
    monkeypatch.setattr(piecewise, "PART", 40 * 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_have_the_same_scores(name, weighted, table, monkeypatch, small_parts):
    X, y = table
    options = {"sample_weight": np.arange(40) % 3} if weighted else {}
    with pytest.warns(UserWarning, match=r"constant \(column 5\)"):
        found, names = measures.score(X, y, name, **options)
    monkeypatch.setattr(piecewise, "LARGE", 10**9)
    with pytest.warns(UserWarning, match=r"constant \(column 5\)"):
        whole, _ = measures.score(X, y, name, **options)
    assert names is None
    assert found == pytest.approx(whole, rel=1e-12, abs=1e-12)


def test_whole_numbers_and_names(table, small_parts):
    X, y = table
    wanted = [f"gene {number}" for number in range(23)]
    with pytest.warns(UserWarning, match="gene 5"):
        _, names = measures.score(X.astype(np.int16), y, "f", feature_names=wanted)
    assert names == wanted


def test_missing_values_are_for_the_whole_table(table, small_parts):
    X, y = table
    X[3, 3] = np.nan
    assert not piecewise.is_large_array(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(measures.score(X, y, "f")[0]).all()
