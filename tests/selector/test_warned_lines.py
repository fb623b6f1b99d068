"""Warnings point at the user's own line, not into altsets or those who call it on behalf of users."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import altsets
from altsets import measures, quality

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
# The last column is a copy of the first one.
X = np.column_stack([X, X[:, 0]])
Y = (X[:, 0] > 0).astype(int)
SELECTOR = altsets.SelectAlternatives("f", n_features=2, n_alternatives=1)


def broken(chosen):
    if 2 in chosen:
        raise RuntimeError("no such set")
    return float(sum(chosen))


@pytest.mark.parametrize("call", [
    lambda: SELECTOR.fit(X, Y), lambda: SELECTOR.fit_transform(X, Y),
    lambda: make_pipeline(SELECTOR, LogisticRegression()).fit(X, Y),
    lambda: altsets.SelectAlternatives(n_features=9, n_alternatives=0).fit(X, Y),
    lambda: altsets.SelectAlternatives([3, 2, 1], n_features=2, n_alternatives=5, tau=1).fit(X[:, :3]),
    lambda: altsets.evaluate(SELECTOR, X, Y, n_repeats=1), lambda: quality.MRMR.from_data(X, Y),
    lambda: measures.pairwise(np.column_stack([X, np.ones(60)]), "pearson"),
    lambda: altsets.find(quality.BlackBox(broken, n_features_in=5), n_features=2, n_alternatives=1),
])  # fmt: skip
def test_a_warning_points_at_the_users_line(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    assert {entry.filename for entry in caught} == {__file__}
