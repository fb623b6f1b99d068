"""Qualities that several searches share, each in a thread of its own."""

from __future__ import annotations

import random
import sys
import threading

import numpy as np
import pytest

from altsets.measures import redundancy
from altsets.measures.redundancy import Redundancy
from altsets.quality import explained
from altsets.quality.explained import Products


@pytest.fixture(autouse=True)
def busy():
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def wrong_rows(row, expected):
    """Rows that are wrong, or could not be had, if eight threads ask for them."""
    wrong = []

    def ask(seed):
        rng = random.Random(seed)
        for _ in range(1500):
            column = rng.randrange(len(expected))
            try:
                if not np.allclose(row(column), expected[column]):
                    wrong.append(column)
            except Exception as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=ask, args=[seed]) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_rows_of_redundancy(monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 12))
    monkeypatch.setattr(redundancy, "KEPT_BYTES", 2 * 8 * 12)
    shared, expected = Redundancy(X), np.abs(np.corrcoef(X.T)) - np.eye(12)
    assert wrong_rows(lambda column: shared[column], expected) == []


def test_rows_of_products(monkeypatch):
    units = np.random.default_rng(0).normal(size=(20, 12))
    units /= np.linalg.norm(units, axis=0)
    monkeypatch.setattr(explained, "MOST_ROWS", 2)
    shared, every = Products(units, 0.0, np.zeros((20, 1))), np.arange(12)
    assert wrong_rows(lambda column: shared[[column], every], units.T @ units) == []
