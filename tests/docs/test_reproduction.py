"""The page of the reproduction is made of the results beside it."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pytest
from documents import DOCS

from altsets.experiments import claims, tables

PAGE = DOCS / "reproduction"


@pytest.fixture(scope="module")
def refresh():
    spec = importlib.util.spec_from_file_location("refresh", PAGE / "refresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results(refresh):
    return refresh.read()[0]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("coverage", tables.coverage),
        ("core-hours", tables.core_hours),
        ("status-by-search", tables.status_by_search),
        ("status-by-a", tables.status_by_a),
        ("seconds-by-search", tables.seconds_by_search),
        ("seconds-by-a", tables.seconds_by_a),
        ("claims", claims.claims),
    ],
)
def test_tables_follow_from_the_results(name, make, results):
    made, shown = make(results), pd.read_csv(PAGE / f"{name}.csv")
    assert list(made.columns) == list(shown.columns)
    for column in made:
        if made[column].dtype.kind in "iuf":
            ours = made[column].to_numpy(dtype=float, na_value=np.nan)
            np.testing.assert_allclose(shown[column].to_numpy(dtype=float), ours, rtol=6e-4, err_msg=column)
        else:
            assert shown[column].fillna("").tolist() == made[column].fillna("").tolist()


def test_without_all_runs_no_verdict_is_printed():
    shown = pd.read_csv(PAGE / "conclusions.csv")
    partly = shown["runs"].str.contains(r": (?!150 of)\d+ of 150")
    assert (shown["verdict"] == "not enough runs").equals(partly)


def test_new_tasks_replace_those_of_the_same_name(refresh):
    kept = pd.DataFrame(
        {"dataset": ["a", "a", "b"], "fold": 0, "method": "m", "k": [5, 10, 5], "number": [1, 2, 3]}
    )
    new = pd.DataFrame({"dataset": ["a", "c"], "fold": 0, "method": "m", "k": [5, 5], "number": [7, 8]})
    assert sorted(refresh.merged(kept, new)["number"]) == [2, 3, 7, 8]
