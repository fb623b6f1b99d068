"""Forbidden features in the additive engine: as if they had never been in the table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import altsets
from altsets import Status, constraints, quality


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("n_alternatives", [0, 3])
def test_too_few_left(search, aggregation, n_alternatives):
    options = {"n_features": 3, "n_alternatives": n_alternatives, "search": search}
    for forbidden in ([0, 2, 4, 5], [0, 1, 2, 3, 4, 5]):
        result = altsets.find(
            quality.Additive([6, 5, 4, 3, 2, 1]),
            aggregation=aggregation,
            constraints=constraints.Forbid(forbidden),
            existing=[(0, 1, 2)],
            **options,
        )
        assert result.engine == "additive"
        assert result.statuses == [Status.INFEASIBLE] * (n_alternatives + 1)
        assert result.bound == -math.inf


def test_a_large_table_takes_no_longer():
    rng = np.random.default_rng(0)
    scores = rng.random(200_000)
    best = np.argsort(-scores)[:50]
    forbidden = constraints.Forbid(best.tolist())
    for aggregation in ("sum", "min"):
        options = {"n_features": 5, "n_alternatives": 3, "tau": 0.6, "search": "simultaneous"}
        result = altsets.find(
            quality.Additive(scores), aggregation=aggregation, constraints=forbidden, **options
        )
        rest = altsets.find(quality.Additive(np.delete(scores, best)), aggregation=aggregation, **options)
        assert result.engine == "additive"
        assert result.status is Status.OPTIMAL
        assert math.isclose(result.objective, rest.objective, rel_tol=1e-9)


def test_a_size_that_is_fixed_is_no_constraint():
    good = quality.Additive([5, 4, 3, 2, 1])
    sizes = [constraints.Size(2, 3), constraints.Size(3, 9)]
    result = altsets.find(good, n_alternatives=1, constraints=[*sizes, constraints.Forbid(0)])
    assert result.engine == "additive"
    assert result.sets[0] == (1, 2, 3)


def test_everything_else_goes_elsewhere():
    good = quality.Additive([5, 4, 3, 2, 1])
    mix = [
        constraints.Require(4),
        constraints.Forbid(0),
        constraints.AtMost(1, [1, 2]),
        constraints.Budget([1, 1, 1, 2, 1], 4),
    ]
    result = altsets.find(good, n_features=3, n_alternatives=0, constraints=mix)
    assert result.engine == "enumerate"
    assert result.sets == [(1, 3, 4)]
