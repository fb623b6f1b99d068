"""Small parts of an evaluation: words for guesses, splits and models, shares of features, similar features."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import altsets
from altsets.measures.workers import WarningCapture


def test_scoring_that_ends_first_leaves_captured_warnings_alone():
    X, y = np.array([[1.0, 5], [2, 5], [3, 5], [4, 5]]), [1, 2, 2, 4]
    begun, captured = threading.Event(), threading.Event()

    def measure(column, target):
        begun.set()
        captured.wait()
        warnings.warn("a column is odd", stacklevel=1)
        return np.ones(column.shape[1])

    def score_beside_another_capture():
        scoring = threading.Thread(target=lambda: altsets.find(measure, 1, 0, X=X, y=y))
        scoring.start()
        begun.wait()
        with WarningCapture() as caught:
            captured.set()
            scoring.join()
            warnings.warn("so few rows", stacklevel=1)
        return caught

    with pytest.warns(UserWarning) as said:
        caught = score_beside_another_capture()
    assert caught == [(UserWarning, "so few rows")]
    assert [str(one.message) for one in said] == ["a column is odd"]
