"""The noise floor: what the best column of a table may score by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import altsets
from altsets import measures
from altsets.measures import SURVIVAL_MEASURES, UNIVARIATE, noise_floor
from altsets.measures.noise import exceeded_by


def test_one_feature_in_twenty_is_above_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 10)), rng.integers(0, 2, 300)
    assert noise_floor(X, y, "f") == pytest.approx(np.full(10, stats.f.ppf(0.95, 1, 298)), rel=0.2)


@pytest.mark.parametrize("measure", ["f", "mutual_info", "spearman"])
def test_of_many_unrelated_columns_about_one_is_above_it(measure):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 600)), rng.normal(size=150)
    scores = measures.MEASURES[measure](X, y)
    floor = noise_floor(X, y, measure)
    assert (scores > floor).sum() <= 10
    # It is no higher than it has to be: a plain relation is above it.
    X[:, 0] = y + rng.normal(size=150)
    assert measures.MEASURES[measure](X[:, :1], y)[0] > floor[0]


def test_it_is_seeded_and_needs_no_order_of_rows():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, 30)), rng.normal(size=100)
    floors = [noise_floor(X, y, "pearson", random_state=seed) for seed in (25, 25, 1, 2)]
    assert floors[0].tolist() == floors[1].tolist() == noise_floor(X, y, "pearson").tolist()
    assert len({*np.concatenate(floors).tolist()}) == 3
    np.testing.assert_allclose(floors, floors[:1] * 4, rtol=0.2)


def test_every_measure_of_single_columns_has_one():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame(
        {"a": rng.random(80), "b": rng.random(80), "flag": np.array(["n", "y"])[rng.integers(0, 2, 80)]}
    )
    survival = altsets.io.survival_target(time=rng.random(80), event=y)
    for measure in UNIVARIATE:
        target = survival if measure in SURVIVAL_MEASURES else y
        scores = measures.MEASURES[measure](X, target)
        floor = noise_floor(X, target, measure)
        assert floor.min() > 0
        assert floor.max() < 100 * scores.max() + 1
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
    assert seen == [(5000, 39), (5000, 1019), (50, 119)]


def mixed(rng, n_rows):
    """Columns of several kinds, none of which says anything about the target, and the kind of each."""
    numbers = [rng.normal(size=n_rows) for _ in range(7)]
    flags = [np.where(rng.random(n_rows) < 0.4, "a", "b") for _ in range(5)]
    labels = [rng.choice([*"abcdefgh"], n_rows) for _ in range(4)]
    counts = [rng.poisson(20, n_rows) for _ in range(4)]
    kinds = np.repeat(["numbers", "flags", "labels", "counts"], [7, 5, 4, 4])
    columns = [*numbers, *flags, *labels, *counts]
    return pd.DataFrame({f"x{place}": column for place, column in enumerate(columns)}), kinds


@pytest.mark.filterwarnings("ignore")
def test_one_in_twenty_is_above_it_in_each_kind_of_column():
    above = {}
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, kinds = mixed(rng, 250)
        y = rng.integers(0, 3, 250)
        for kind, over in zip(
            kinds, measures.mutual_info(X, y) > noise_floor(X, y, "mutual_info"), strict=True
        ):
            above.setdefault(kind, []).append(over)
    shares = {kind: np.mean(overs) for kind, overs in above.items()}
    assert all(0.02 < share < 0.085 for share in shares.values()), shares


def test_columns_of_one_kind_have_one_floor():
    rng = np.random.default_rng(6)
    X, _ = mixed(rng, 300)
    for name in ("rain", "snow"):
        # Mostly zero, else any number.
        X[name] = np.where(rng.random(300) < 0.6, 0.0, rng.exponential(size=300))
    X["hue"] = 1.0
    floor = noise_floor(X, rng.integers(0, 2, 300), "mutual_info")
    assert len({*floor[:7]}) == len({*floor[7:12]}) == len({*floor[-3:-1]}) == 1
    assert floor[0] > 2 * floor[7]
    assert floor[0] != floor[-2]
    # A constant column is not above anything.
    assert floor[-1] == 0


def test_ties_and_rounding_are_not_above_it():
    # Of two flags, few values are possible, and rounding may differ with the order of rows.
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], 20)
    X = np.array([rng.permutation(np.repeat([0.0, 1.0], 20)) for _ in range(20)]).T
    above = measures.pearson(X, y) > noise_floor(X, y, "pearson")
    assert above.sum() == (measures.pearson(X, y).round(9) > noise_floor(X, y, "pearson").round(6)).sum() <= 4


def test_the_floor_of_a_wide_table_hardly_depends_on_the_seed_and_few_columns_of_noise_are_above_it():
    rng = np.random.default_rng(0)
    # What one of 1,000 columns reaches by chance, as 2,000 shuffled ones tell: two of them reach it.
    floors = [exceeded_by(stats.f.rvs(1, 98, size=2_000, random_state=rng), 1 / 1_000) for _ in range(60)]
    assert np.std(floors) < 0.11 * np.mean(floors)
    assert 0.8 < 1_000 * stats.f.sf(floors, 1, 98).mean() < 1.7
