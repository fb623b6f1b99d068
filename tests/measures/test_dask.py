"""Dask frames and arrays: the numbers of a table in memory, also if a worker is lost on the way."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

from altsets import measures, quality
from altsets.errors import InputError

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

MERGED = ["f", "pearson", "chi2", "mutual_info", "symmetrical_uncertainty"]
rng = np.random.default_rng(1)
FRAME = pd.DataFrame(rng.integers(0, 30, size=(600, 4)).astype(float), columns=["a", "b", "c", "d"])
FRAME["town"] = rng.choice(["Rome", "Oslo"], 600)
FRAME["y"] = (FRAME["a"] + rng.normal(scale=9, size=600) > 15).astype(int)
FEATURES = ["a", "b", "c", "d", "town"]


def options_of(measure):
    return {"method": "bins"} if measure == "mutual_info" else {}


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("measure", MERGED)
def test_frames_and_arrays_have_the_scores_of_the_table_in_memory(measure):
    how = options_of(measure)
    found, names = measures.score(dd.from_pandas(FRAME, npartitions=4), "y", measure, **how)
    assert names == FEATURES
    assert found == pytest.approx(measures.score(FRAME[FEATURES], FRAME["y"], measure, **how)[0], rel=1e-12)
    X, y = FRAME[FEATURES[:4]].to_numpy(), FRAME["y"].to_numpy()
    lazy = da.from_array(X, chunks=(150, 3)), da.from_array(y, chunks=200)
    found, names = measures.score(*lazy, measure, **how)
    assert names == ["x0", "x1", "x2", "x3"]
    assert found == pytest.approx(measures.score(X, y, measure, **how)[0], rel=1e-12)


def test_pairs_over_partitions():
    found = quality.MRMR.from_data(
        dd.from_pandas(FRAME[["a", "b", "c", "y"]], npartitions=5), "y", measure="pearson"
    )
    whole = quality.MRMR.from_data(FRAME[["a", "b", "c"]], FRAME["y"], measure="pearson")
    np.testing.assert_allclose(found.redundancy, whole.redundancy, rtol=1e-12, atol=1e-13)


def test_targets_of_dask_tables(refused):
    lazy = dd.from_pandas(FRAME, npartitions=2)
    with refused(InputError):
        measures.score(lazy, "z", "f")
    with refused(InputError):
        measures.score(lazy, lazy["y"], "f")
    with refused(InputError):
        measures.score(da.zeros((4, 2)), np.zeros(4), "f")
    with refused(InputError):
        measures.score(da.zeros((4, 2)), da.zeros(3), "f")


@pytest.mark.slow
def test_a_lost_worker_changes_no_number():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, processes=True
    )

    # Defined here: workers cannot import this module.
    def slowly(part):
        time.sleep(0.2)
        return part

    with cluster, distributed.Client(cluster) as client, dask.config.set(scheduler=client):
        lazy = dd.from_pandas(FRAME, npartitions=12)
        slow = lazy.map_partitions(slowly, meta=lazy._meta)
        # The process of one of the workers ends while it works, as a machine may.
        lost = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(0.7, os.kill, (lost, signal.SIGKILL))
        killer.start()
        found = measures.score(slow, "y", "mutual_info", method="bins")[0]
        killer.join()
        whole = measures.score(FRAME[FEATURES], FRAME["y"], "mutual_info", method="bins")[0]
        assert found == pytest.approx(whole, rel=1e-12)
        assert measures.score(lazy, "y", "chi2")[0] == pytest.approx(
            measures.score(FRAME[FEATURES], FRAME["y"], "chi2")[0], rel=1e-12
        )
