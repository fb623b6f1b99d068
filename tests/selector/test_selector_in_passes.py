"""The selector on tables that are read in passes: the sets of the table in memory, and columns of the same rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import altsets
from altsets import constraints, quality
from altsets.constraints import AboveNoise
from altsets.dissimilarity import Matched
from altsets.errors import InputError, TableError
from altsets.measures.large import table as large_table

FEATURES = [f"s{number}" for number in range(6)]


def frame_of(n_rows=900):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 6)), columns=FEATURES)
    frame["fault"] = (frame["s1"] + frame["s4"] + rng.normal(size=n_rows) > 0).astype(int)
    return frame


FRAME = frame_of()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("passes") / "readings"
    where.mkdir()
    for number in range(3):
        some = pa.Table.from_pandas(FRAME.iloc[300 * number : 300 * (number + 1)], preserve_index=False)
        pq.write_table(some, where / f"part-{number}.parquet")
    return where


def selector(kind="f", **more):
    return altsets.SelectAlternatives(kind, **{"n_features": 2, "n_alternatives": 1, "tau": 0.5, **more})


@pytest.mark.parametrize("opened", [lambda path: path, str, ds.dataset])
@pytest.mark.parametrize("kind", ["f", partial(quality.MRMR.from_data, measure="pearson")])
def test_sets_are_those_of_the_table_in_memory(opened, kind, folder):
    inside = selector(kind).fit(FRAME[FEATURES], FRAME["fault"])
    found = selector(kind).fit(opened(folder), "fault")
    assert found.result_.sets == inside.result_.sets
    np.testing.assert_allclose(found.qualities_, inside.qualities_)
    np.testing.assert_allclose(found.scores_, inside.scores_)
    assert found.feature_names_in_.tolist() == FEATURES
    assert found.result_.provenance["data"] == {"rows": 900, "columns": 6}
    assert found.result_.provenance["task"] == "classification"
    np.testing.assert_array_equal(found.transform(opened(folder)), inside.transform(FRAME[FEATURES]))
    np.testing.assert_array_equal(found.transform(FRAME[FEATURES]), inside.transform(FRAME[FEATURES]))
    other = found.get_alternative(1).set_output(transform="pandas").transform(opened(folder))
    assert sorted(other.columns) == sorted(found.alternatives_[1].names)


def test_dask_tables_stay_on_the_cluster(folder, refused):
    frames, arrays = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
    names = selector().fit(FRAME[FEATURES], FRAME["fault"]).alternatives_[0].names
    X = frames.from_pandas(FRAME, npartitions=3)
    found = selector().fit(X, "fault")
    assert found.alternatives_[0].names == names
    kept = found.transform(X)
    assert hasattr(kept, "dask")
    pd.testing.assert_frame_equal(kept.compute(), FRAME[list(names)], check_dtype=False)
    X, y = (
        arrays.from_array(FRAME[columns].to_numpy(), chunks=chunks)
        for columns, chunks in ((FEATURES, (300, 6)), ("fault", 300))
    )
    found = selector().fit(X, y)
    assert not hasattr(found, "feature_names_in_")
    assert [FEATURES[int(name[1:])] for name in found.alternatives_[0].names] == list(names)
    assert found.transform(X).shape == (900, 2)
    with refused(InputError):
        found.transform(X[:, :3])
    with refused(InputError):
        found.transform(frames.from_pandas(FRAME, npartitions=3))


def test_scores_and_qualities_that_are_given(folder):
    assert selector([0, 1, 2, 3, 4, 5]).fit(folder, "fault").result_.sets[0] == (4, 5)
    made = quality.Additive.from_data(folder, "fault", measure="pearson")
    assert selector(made).fit(folder, "fault").alternatives_[0].names == ("s1", "s4")


def test_columns_that_no_measure_can_use_are_dropped(tmp_path, refused):
    frame = FRAME.assign(day=pd.Timestamp("2024-01-01"))[["day", *FEATURES, "fault"]]
    frame.to_parquet(tmp_path / "table.parquet")
    path = tmp_path / "table.parquet"
    with pytest.raises(TableError, match="day"):
        selector().fit(path, "fault")
    found = selector(unusable="drop").fit(path, "fault")
    assert found.dropped_ == ["day"]
    assert found.n_features_in_ == 7
    assert np.isnan(found.scores_[0])
    assert found.get_feature_names_out().tolist() == ["s1", "s4"]
    assert "day" in found.note_
    with refused(InputError):
        selector(unusable="drop", constraints=[constraints.Require(2)]).fit(path, "fault")


def test_rows_without_a_target_are_left_out_of_both(tmp_path, monkeypatch):
    frame = FRAME.assign(fault=FRAME["fault"].astype(float).where(FRAME.index % 9 > 0))
    frame.to_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(large_table, "LEAST", 1000)
    data = altsets.read_table(
        tmp_path / "table.parquet", "fault", max_memory="10KB", drop_missing_target=True
    )
    assert data.is_large
    found = selector().fit(data.X, data.y)
    assert found.result_.provenance["data"]["rows"] == 800
    assert found.transform(data.X).shape == (800, 2)


def test_what_if_reads_the_table_again(folder):
    lost = selector().fit(folder, "fault").what_if(folder, "fault")
    assert "If s1 fails" in lost.explain()


@pytest.mark.parametrize(("asked", "said"), [
    ({"constraints": [AboveNoise()]}, "AboveNoise needs the table in memory, and readings is read in passes"),
    ({"dissimilarity": Matched("pearson", threshold=0.9)}, "the similarity of features needs the table"),
    ({"memory": "kept"}, "keeping scores .memory. needs the table in memory"),
    ({"kind": "wrapper"}, "wrapper needs the table in memory, .* choose f, pearson"),
    ({"kind": quality.Wrapper.from_data}, "Wrapper needs the table in memory, .* choose f, pearson"),
    ({"kind": lambda X, y: X[0]}, "a function of your own needs the table in memory, .* choose f"),
])  # fmt: skip
def test_what_needs_all_rows_is_refused(asked, said, folder):
    with pytest.raises(InputError, match=said):
        selector(**asked).fit(folder, "fault")


def test_tables_that_do_not_fit(folder, refused):
    with refused(InputError):
        selector().fit(folder)
    found = selector().fit(folder, "fault")
    with refused(TableError):
        found.transform(ds.dataset(pa.table({"s1": [1.0]})))
