"""The noise floor: what the best column of a table may score by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import altsets
from altsets import measures
from altsets.measures import UNIVARIATE, noise_floor
from altsets.measures._survival import SURVIVAL_MEASURES


def test_one_feature_in_twenty_is_above_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 10)), rng.integers(0, 2, 300)
    assert noise_floor(X, y, "f") == pytest.approx(stats.f.ppf(0.95, 1, 298), rel=0.2)


@pytest.mark.parametrize("measure", ["f", "mutual_info", "spearman"])
def test_of_many_unrelated_columns_about_one_is_above_it(measure):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 600)), rng.normal(size=150)
    scores = measures.MEASURES[measure](X, y)
    floor = noise_floor(X, y, measure)
    assert (scores > floor).sum() <= 10
    # It is no higher than it has to be: a plain relation is above it.
    X[:, 0] = y + rng.normal(size=150)
    assert measures.MEASURES[measure](X[:, :1], y)[0] > floor


def test_it_is_seeded_and_needs_no_order_of_rows():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, 30)), rng.normal(size=100)
    floors = [noise_floor(X, y, "pearson", random_state=seed) for seed in (25, 25, 1, 2)]
    assert floors[0] == floors[1] == noise_floor(X, y, "pearson")
    assert len(set(floors)) == 3
    np.testing.assert_allclose(floors, floors[0], rtol=0.2)


def test_every_measure_of_single_columns_has_one():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame(
        {"a": rng.random(80), "b": rng.random(80), "flag": np.array(["n", "y"])[rng.integers(0, 2, 80)]}
    )
    survival = altsets.survival_target(time=rng.random(80), event=y)
    for measure in UNIVARIATE:
        target = survival if measure in SURVIVAL_MEASURES else y
        scores = measures.MEASURES[measure](X, target)
        assert 0 < noise_floor(X, target, measure) < 100 * scores.max() + 1
    assert noise_floor(X, y, "relief") is None
    assert noise_floor(np.ones((80, 2)), y, "f") is None


def test_it_draws_no_more_columns_than_its_share(monkeypatch):
    seen = []

    def counting(X, y):
        seen.append(X.values.shape)
        return np.random.default_rng(0).random(X.values.shape[1])

    monkeypatch.setitem(measures.MEASURES, "spearman", counting)
    rng = np.random.default_rng(5)
    noise_floor(rng.normal(size=(5000, 100)), rng.normal(size=5000), "spearman")
    noise_floor(rng.normal(size=(5000, 100)), rng.normal(size=5000), "spearman", n_scored=5050)
    noise_floor(rng.normal(size=(50, 2)), rng.normal(size=50), "spearman")
    assert seen == [(5000, 20), (5000, 1010), (50, 100)]
