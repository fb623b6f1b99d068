"""Fixtures of all tests: clocks, browsers, files and tables; those that the study has as well are imported."""

from __future__ import annotations

import math
import os

import pandas as pd

# As many tests run at once as there are cores; threads of each would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import hypothesis
import numpy as np
import pytest
from browsers import need_browser, started
from clocks import Clock
from fixtures import closed_figures, ctrl_c, refused, run, snapshot, warned  # noqa: F401
from sklearn.datasets import load_wine

from altsets.files.writing import write_csv

# Doctests are looked for in every file; the study has a module of this name as well, so it could not be imported.
collect_ignore = ["conftest.py"]

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


@pytest.fixture
def clock(monkeypatch):
    """A clock on which seconds pass by looking at it, in place of the real one."""
    clock = Clock()
    # The integer-programming solver has a clock of its own: it is to be stopped by ours, which it asks.
    monkeypatch.setattr("altsets.search.milp.highs.MIN_SECONDS", math.inf)
    monkeypatch.setattr("time.perf_counter", clock)
    return clock


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of one module: while it runs, nothing else in this process can run an event loop."""
    need_browser()
    with started() as browser:
        yield browser


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file; returns its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Six features of falling relevance and two classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    columns = [rng.normal(size=80) + y * weight for weight in (6, 5, 4, 3, 2, 1)]
    labels = np.array(["no", "yes"], dtype=object)[y]
    path = tmp_path_factory.mktemp("tables") / "table.csv"
    write_csv((*"abcdef", "y"), (*columns, labels), path)
    return path


@pytest.fixture(scope="module")
def wine():
    """178 wines with 13 measurements each, and three classes."""
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture
def classes():
    """Five columns of rising relevance, three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return rng.normal(size=(120, 5)) + y[:, None] * np.arange(5), y


@pytest.fixture
def amounts():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 4))
    return X, X @ np.array([0.0, 1.0, -2.0, 4.0]) + rng.normal(size=90)


@pytest.fixture
def mixed():
    """Two columns of numbers with holes, one of three categories, one of two; two classes and amounts."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 2, 150)
    frame = pd.DataFrame({"a": rng.normal(size=150) + classes, "b": rng.integers(0, 9, 150).astype(float)})
    frame["town"] = np.array(["Rome", "Oslo", "Bonn"])[np.minimum(rng.integers(0, 3, 150) + classes, 2)]
    frame["sex"] = np.array(["f", "m"])[(rng.random(150) < 0.3 + 0.4 * classes).astype(int)]
    frame.loc[rng.random(150) < 0.2, "a"] = np.nan
    frame.loc[rng.random(150) < 0.3, "b"] = np.nan
    return frame, classes, classes + rng.normal(size=150) + (frame["town"] == "Oslo")
