"""Small parts of measures: tables for models, weights, scorers, trees, counts, levels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge

from altsets import measures
from altsets.measures import pairs
from altsets.measures.information.columns import (
    code_levels,
    count_information,
    patterns_of,
    sort_incomplete_columns,
)
from altsets.measures.models import fit, fresh_model, matthews, metadata_for, r_squared, table_for
from altsets.measures.pairs import correlation_matrix, is_array, score_by
from altsets.measures.scoring import kept_groups, positive_class
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features


@pytest.mark.parametrize("name", sorted(measures.MEASURES))
def test_every_measure_is_a_function_of_its_name(name):
    assert getattr(measures, name) is measures.MEASURES[name]
    assert name in measures.__all__


def test_models_by_name_get_numbers_and_own_models_the_table():
    features = features_of([[1, "red"], [2, "blue"]])
    rows = np.arange(2)
    assert table_for("tree", features).part(rows)([0, 1]).tolist() == [[1.0, 1.0], [2.0, 0.0]]
    assert table_for(DummyClassifier(), features).part(rows)([0, 1]).tolist() == [[1, "red"], [2, "blue"]]


def test_weights_reach_the_model_and_groups_only_splitters():
    assert list(metadata_for(Ridge(), np.ones(3), np.arange(3))) == ["sample_weight"]
    tree = fit(fresh_model(None, False, 0), np.zeros((2, 1)), np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    assert tree.predict([[0.0]]).tolist() == [2.0]
    assert kept_groups(["a", "b"], np.array([False, True])).tolist() == ["b"]


def test_the_positive_class():
    assert positive_class(np.array(["yes", "no"])) == "yes"
    assert positive_class(np.array([1, 2])) == 1
    assert positive_class(np.array([1, 2]), "2") == 2


def test_scores_of_trees():
    assert matthews(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2) == pytest.approx(1 / 3**0.5)
    assert r_squared(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == 1.0


def test_own_measures_and_arrays():
    assert score_by(lambda X, y: X.T @ y, Features(np.eye(2)), np.array([3.0, 4.0])).tolist() == [3.0, 4.0]
    assert [is_array(given) for given in ([1.0, 2.0], "pearson", None)] == [True, False, False]


def test_rows_in_which_columns_are_known():
    incomplete = Features(np.array([[1.0, 4.0], [2.0, np.nan], [3.0, 2.0], [9.0, 1.0]]))
    assert correlation_matrix("spearman", incomplete).tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_wide_tables_are_multiplied_in_blocks(measure, monkeypatch):
    values = np.random.default_rng(0).normal(size=(20, 11))
    values[3, [0, 6]] = np.nan
    at_once = correlation_matrix(measure, Features(values))
    monkeypatch.setattr(pairs, "COLUMNS_OF_PRODUCT", 4)
    in_blocks = correlation_matrix(measure, Features(values))
    assert in_blocks == pytest.approx(at_once, abs=1e-12)
    assert (in_blocks == in_blocks.T).all()


def test_columns_with_missing_values():
    columns = sort_incomplete_columns(
        np.array([[5.0], [np.nan], [2.0], [5.0]]), *np.zeros((2, 1), dtype=bool)
    )
    assert columns.codes.tolist() == [[1, -1, 0, 1]]
    assert columns.sizes.tolist() == [2]
    assert columns.values[0, :2].tolist() == [2.0, 5.0]
    assert code_levels(np.array([5.0, np.nan, 2.0, np.nan])).tolist() == [1.0, 2.0, 0.0, 2.0]
    patterns = patterns_of(np.array([[1.0, np.nan, 5.0], [2.0, 3.0, 6.0]]))
    assert patterns.of.tolist() == [0, 1, 0]
    assert patterns.known.tolist() == [[True, True], [False, True]]
    assert [group.tolist() for group in patterns.groups] == [[0, 2], [1]]


def test_information_beyond_chance():
    pairs, halves = np.arange(8, dtype=np.intc) // 2, np.arange(8, dtype=np.intc) // 4
    assert count_information(pairs, np.arange(8, dtype=np.intc) % 2) == 0.0
    assert count_information(pairs, halves) == pytest.approx(np.log(2))
    x = np.array([0, 1, 1], dtype=np.intc)
    assert count_information(x, x, np.array([2.0, 1.0, 1.0]), thin=False) == pytest.approx(np.log(2))
