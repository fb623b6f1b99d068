"""Searches that are cut off at every possible moment: no claim comes from a phase that did not end."""

from __future__ import annotations

import itertools
import types

import numpy as np
import pytest

import altsets
from altsets import Frontier, Status, constraints, quality

#: Seconds between two looks at the clock.
LOOK = 1e-4
SUMS = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 2.0])


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves on by as much at each look, so that a search is cut off after so many looks."""
    ticks = itertools.count()
    monkeypatch.setattr(
        "altsets.search.run.time", types.SimpleNamespace(perf_counter=lambda: LOOK * next(ticks))
    )


def black_box():
    return quality.BlackBox(lambda chosen: float(SUMS[list(chosen)].sum()), n_features_in=len(SUMS))


def apart_from_itself(first, second):
    """A dissimilarity by which every set may be taken again."""
    return 0.6 if first == second else len(set(first) ^ set(second)) / 4


REQUESTS = [
    {"tau": 0, "n_alternatives": 40, "search": "simultaneous"},
    {"tau": 0, "n_alternatives": 1, "search": "simultaneous", "aggregation": "min"},
    {"tau": 0.5, "n_alternatives": 2, "search": "simultaneous"},
    {"tau": 0.5, "n_alternatives": 2, "search": "sequential"},
    {"tau": 0.5, "n_alternatives": 3, "search": "simultaneous", "dissimilarity": apart_from_itself},
    {"tau": 1, "n_alternatives": 1, "search": "simultaneous", "constraints": [constraints.AtMost(1, [0, 2])]},
]


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("make", [black_box, lambda: quality.Additive(SUMS)])
def test_nothing_is_claimed_that_was_not_searched(make, request_, clock):
    best = altsets.find(make(), n_features=2, **request_)
    assert best.status is Status.OPTIMAL
    for looks in [*range(1, 60), *range(60, 600, 13)]:
        found = altsets.find(make(), n_features=2, time_limit=looks * LOOK, **request_)
        assert found.status is not Status.INFEASIBLE, looks
        assert found.bound >= best.objective - 1e-9, looks
        if found.status is Status.OPTIMAL:
            assert found.objective == pytest.approx(best.objective), looks


def test_a_frontier_that_is_cut_off_rules_nothing_out(clock):
    for looks in range(1, 400, 7):
        found = altsets.frontier(
            black_box(), 2, 2, [0, 0.5, 1], search="simultaneous", time_limit=looks * LOOK
        )
        assert all(point.status is not Status.INFEASIBLE for point in found), looks
        assert Frontier.from_json(found.to_json()) == found


@pytest.mark.parametrize("within", [0, 0.1, 0.5])
@pytest.mark.parametrize(
    "searched",
    [
        pytest.param(quality.Additive(np.random.default_rng(0).random(300)), marks=pytest.mark.slow),
        quality.Additive([1.0, 1.0, 1.0, 0.5, 0.25]),
        quality.MRMR(SUMS, np.corrcoef(np.random.default_rng(1).random((6, 9)))),
        black_box(),
    ],
    ids=["many", "equal", "pairs", "black box"],
)
def test_counts_that_are_cut_off_hold(searched, within, clock):
    low, high = altsets.near_best(searched, 3, within).count_bounds
    for looks in [*range(1, 40), *range(40, 400, 17)]:
        near = altsets.near_best(searched, 3, within, time_limit=looks * LOOK)
        assert near.count_bounds[0] <= high, looks
        assert low <= near.count_bounds[1], looks
        assert near.explain()


def test_one_set_is_counted_whether_or_not_there_is_time():
    searched = quality.Additive(np.random.default_rng(0).random(100_000))
    near = altsets.near_best(searched, n_features=10, within=0, time_limit=1e-5)
    assert near.count_bounds[0] >= 1


def test_the_bound_of_missing_sets():
    searched = quality.Additive(np.linspace(1, 2, 40))
    whole = altsets.find(searched, 3, 6, 0.5)
    for limit in np.geomspace(1e-5, 0.02, 25):
        part = altsets.find(searched, 3, 6, 0.5, time_limit=float(limit), engine="milp")
        assert part.bound >= whole.objective - 1e-9


@pytest.mark.parametrize("ask", [altsets.most_sets, altsets.most_different])
def test_the_best_possible_quality_is_named_only_where_it_is_proven(ask):
    rng = np.random.default_rng(3)
    searched = quality.MRMR(rng.random(150), np.abs(np.corrcoef(rng.random((150, 9)))))
    found = ask(searched, 10, within=0.001, time_limit=1e-4)
    assert found.status is Status.FEASIBLE
    assert "of the best quality found (" in found.finding
