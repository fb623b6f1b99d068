"""Small parts of measures: tables for models, weights, scorers, trees, counts, levels."""

from __future__ import annotations

import numpy as np
import pytest

from altsets import measures
from altsets.measures import pairs
from altsets.tables.feature_matrix import Features


@pytest.mark.parametrize("name", sorted(measures.MEASURES))
def test_every_measure_is_a_function_of_its_name(name):
    assert getattr(measures, name) is measures.MEASURES[name]
    assert name in measures.__all__


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_wide_tables_are_multiplied_in_blocks(measure, monkeypatch):
    values = np.random.default_rng(0).normal(size=(20, 11))
    values[3, [0, 6]] = np.nan
    at_once = measures.pairwise(Features(values), measure, warn=False)
    monkeypatch.setattr(pairs, "COLUMNS_OF_PRODUCT", 4)
    in_blocks = measures.pairwise(Features(values), measure, warn=False)
    assert in_blocks == pytest.approx(at_once, abs=1e-12)
    assert (in_blocks == in_blocks.T).all()
