"""A quality that can do without a target does not demand one."""

import numpy as np
import pytest

from altsets import SelectAlternatives, Session
from altsets.errors import InputError

X = np.random.default_rng(0).normal(size=(50, 4)) * [1, 2, 3, 4]


def spread(X, y=None):
    return X.var(axis=0)


def test_a_function_with_a_default_for_the_target():
    selector = SelectAlternatives(spread, n_features=2, n_alternatives=1).fit(X)
    assert selector.result_.sets == [(2, 3), (1, 3)]
    assert selector.qualities_[0] == pytest.approx(X.var(axis=0)[2:].sum())
    assert not selector.__sklearn_tags__().target_tags.required
    assert Session(X, quality=spread, n_features=2, n_alternatives=1).result.sets == [(2, 3), (1, 3)]


def test_a_function_without_one_needs_a_target():
    with pytest.raises(InputError, match="requires y"):
        SelectAlternatives(lambda X, y: X.var(axis=0)).fit(X)
