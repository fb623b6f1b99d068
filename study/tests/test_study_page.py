"""The page of the reproduction is made of the results beside it."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pandas as pd
import pytest
from documents import DOCS
from shared_data import DATASETS as FOLDER
from shared_data import needs_datasets

from altsets_study import Store, claims, conclusions, gains, reproduce, tables
from altsets_study.datasets import load

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
        pytest.param("conclusions", conclusions.conclusions, marks=pytest.mark.slow),
    ],
)
def test_tables_follow_from_the_results(name, make, results):
    compare(make(results), name)


def test_gains_follow_from_the_results(results):
    searches = gains.side_by_side(results)
    makers = {"sum": gains.gains_in_sum, "worst": gains.gains_in_worst}
    for name, make in makers.items():
        compare(make(searches, ["method", "k", "a"]), f"gains-in-{name}-by-a")
    compare(gains.shortfalls(searches, ["method", "k", "a"]), "shortfalls-by-a")


def compare(made, name):
    """Compare a table with the one that the page shows."""
    shown = pd.read_csv(PAGE / f"{name}.csv")
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


@pytest.mark.slow
@needs_datasets
def test_target_values_of_pmlb_change_as_many_searches_as_the_page_says(tmp_path):
    page = " ".join((PAGE / "index.md").read_text(encoding="utf-8").split())
    said = re.search(
        r"go from 188 to (\d+) in sequential search, and from 179 to (\d+) in simultaneous", page
    )
    names = ("hepatitis", "horse_colic")
    data = {name: load(name, FOLDER) for name in names}
    reproduce(data, tmp_path / "out", methods=("fcbf",), sizes=(5,), n_jobs=1)
    table = tables.status_by_search(Store(tmp_path / "out").frame()).query("method == 'FCBF'")
    infeasible = table.set_index("search")["infeasible"] * 250 / 100
    assert table["searches"].tolist() == [250, 250, 250]
    assert infeasible[["seq.", "sim. (sum)"]].tolist() == pytest.approx([int(one) for one in said.groups()])
