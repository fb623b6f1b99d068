"""Forbidden features in the additive engine: as if they had never been in the table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from checks import Request, disagreements, tolerance
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import groups, problems

import altsets
from altsets import Status, constraints, quality


@st.composite
def with_forbidden(draw, **options):
    """A request with features that are forbidden, also in existing sets."""
    request = draw(problems(**options))
    forbidden = [("forbid", draw(groups(len(request.scores)))) for _ in range(draw(st.integers(1, 2)))]
    return replace(request, constraints=tuple(forbidden))


def removed(request: Request) -> Request | None:
    """The same request on a table without the forbidden features; None if it makes no sense there."""
    forbidden = {j for _, features in request.constraints for j in features}
    left = [j for j in range(len(request.scores)) if j not in forbidden]
    if len(left) < request.n_features or any(forbidden & set(chosen) for chosen in request.existing):
        return None
    place = {j: position for position, j in enumerate(left)}
    return replace(
        request,
        scores=tuple(request.scores[j] for j in left),
        existing=tuple(tuple(place[j] for j in chosen) for chosen in request.existing),
        constraints=(),
    )


@pytest.mark.slow
@settings(max_examples=70, deadline=None, derandomize=True)
@given(request=with_forbidden())
def test_against_brute_force(request):
    assert "additive" in request.engines()
    assert disagreements(request, request.find(engine="additive"), request.oracle) == []


@pytest.mark.slow
@settings(max_examples=50, deadline=None, derandomize=True)
@given(request=with_forbidden(max_n=12, max_a=4))
def test_as_if_the_table_did_not_have_them(request):
    smaller = removed(request)
    assume(smaller is not None)
    ours, theirs = request.find(engine="additive"), smaller.find(engine="additive")
    assert ours.statuses == theirs.statuses
    assert len(ours.sets) == len(theirs.sets)
    if ours.sets:
        assert abs(ours.objective - theirs.objective) <= tolerance(ours.objective)


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
