"""Large tables are scored some columns at a time, with the same scores."""

from __future__ import annotations

import numpy as np
import pytest

from altsets import measures
from altsets.measures import sparse_columns

NAMES = ["f", "pearson", "spearman", "chi2", "mutual_info", "symmetrical_uncertainty"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_parts_have_the_same_scores(name, weighted, missing, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.integers(0, 4, size=(40, 23)).astype(float)
    X[:, 5] = 2
    # One that explains the target perfectly, in another part than the best of the others.
    X[:, 21] = y
    X[:, 1] += 2 * y
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    options = {"sample_weight": np.arange(40) % 3} if weighted else {}
    whole, _ = measures.score(X, y, name, **options)
    monkeypatch.setattr(sparse_columns, "CELLS_OF_DENSE", 40 * 4)
    found, _ = measures.score(X, y, name, **options)
    assert found == pytest.approx(whole, rel=1e-12, abs=1e-12)
    assert missing or found[5] == 0
