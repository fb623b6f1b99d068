"""Branching on columns: forced by leaving out lists, against the solver."""

from __future__ import annotations

import numpy as np
import pytest

import altsets
from altsets import quality
from altsets.search.enumeration import EnumerationEngine
from altsets.search.simultaneous import search
from altsets.search.solving import ENGINES


@pytest.fixture(autouse=True)
def without_lists(monkeypatch):
    closing = [
        search.enumerate_all,
        search.list_without_prices,
        search.list_early,
        search.refute_shortly,
        search.list_full,
        search.refute_long,
        search.cut_cliques,
        search.list_in_part,
        search.refute_in_part,
        search.list_long,
    ]
    monkeypatch.setitem(ENGINES, "enumerate", EnumerationEngine(without=closing))


ASKED = {
    "n_features": 3,
    "n_alternatives": 3,
    "tau": 2,
    "dissimilarity": "absolute",
    "search": "simultaneous",
}


def conflicting(n, seed):
    """Features of which many exclude each other: the linear programme alone leaves a gap."""
    rng = np.random.default_rng(seed)
    relevance = rng.random(n)
    dependency = rng.random((n, n)) * 1.2
    return quality.FCBF(relevance, (dependency + dependency.T) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_that_of_the_solver(seed):
    searched = conflicting(16, seed)
    found = altsets.find(searched, **ASKED, engine="enumerate")
    expected = altsets.find(searched, **ASKED, engine="milp")
    assert found.status is expected.status
    assert found.objective == pytest.approx(expected.objective, abs=1e-9, nan_ok=True)


def test_some_proofs_need_branches():
    found = (altsets.find(conflicting(16, seed), **ASKED, engine="enumerate") for seed in range(8))
    assert any("branching" in one.proof for one in found)
