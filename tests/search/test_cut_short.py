"""Searches that are cut off at every possible moment: no claim comes from a phase that did not end."""

from __future__ import annotations

import numpy as np
import pytest

import altsets
from altsets import Status, constraints, quality
from altsets.dissimilarity import Grouped
from altsets.request import Request
from altsets.result import StopReason
from altsets.results import Frontier
from altsets.search.run import Run, Stopped
from altsets.search.sequential import SequentialSearch
from altsets.search.solving import problem_of
from altsets.search.subset.construction import Construction
from altsets.search.subset.pricing import PricingOracle

SUMS = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 2.0])


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


@pytest.mark.slow
@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("make", [black_box, lambda: quality.Additive(SUMS)])
def test_nothing_is_claimed_that_was_not_searched(make, request_, clock):
    best = altsets.find(make(), n_features=2, **request_)
    assert best.status is Status.OPTIMAL
    for looks in [*range(1, 60), *range(60, 600, 13)]:
        found = altsets.find(make(), n_features=2, time_limit=clock.limit(looks), **request_)
        assert found.status is not Status.INFEASIBLE, looks
        assert found.bound >= best.objective - 1e-9, looks
        if found.status is Status.OPTIMAL:
            assert found.objective == pytest.approx(best.objective), looks


def test_a_frontier_that_is_cut_off_rules_nothing_out(clock):
    for looks in range(1, 400, 17):
        found = altsets.frontier(
            black_box(), 2, 2, [0, 0.5, 1], search="simultaneous", time_limit=clock.limit(looks)
        )
        assert all(point.status is not Status.INFEASIBLE for point in found), looks
        assert Frontier.from_json(found.to_json()) == found


@pytest.mark.parametrize("within", [0, 0.1, 0.5])
@pytest.mark.parametrize("searched", [
    pytest.param(quality.Additive(np.random.default_rng(0).random(100)), marks=pytest.mark.slow),
    quality.Additive([1.0, 1.0, 1.0, 0.5, 0.25]),
    quality.MRMR(SUMS, np.corrcoef(np.random.default_rng(1).random((6, 9)))),
    black_box(),
], ids=["many", "equal", "pairs", "black box"])  # fmt: skip
def test_counts_that_are_cut_off_hold(searched, within, clock):
    low, high = altsets.near_best(searched, 3, within=within).count_bounds
    for looks in [*range(1, 40, 2), *range(40, 400, 37)]:
        near = altsets.near_best(searched, 3, within=within, time_limit=clock.limit(looks))
        assert near.count_bounds[0] <= high, looks
        assert low <= near.count_bounds[1], looks
        assert near.explain()


def test_one_set_is_counted_whether_or_not_there_is_time(clock):
    searched = quality.Additive(np.random.default_rng(0).random(100_000))
    near = altsets.near_best(searched, n_features=10, within=0, time_limit=clock.limit(1))
    assert near.count_bounds[0] >= 1


def test_the_bound_of_missing_sets(clock):
    searched = quality.Additive(np.linspace(1, 2, 40))
    whole = altsets.find(searched, 3, 6, 0.5)
    for looks in range(1, 24):
        part = altsets.find(searched, 3, 6, 0.5, time_limit=clock.limit(looks), engine="milp")
        assert part.bound >= whole.objective - 1e-9


@pytest.mark.parametrize("largest", [{"tau": "max"}, {"n_alternatives": "max"}])
def test_the_largest_is_called_proven_only_where_it_is(largest, clock, snapshot):
    rng = np.random.default_rng(3)
    searched = quality.MRMR(rng.random(150), np.abs(np.corrcoef(rng.random((150, 9)))))
    asked = {**largest, "within": 0.001, "search": "simultaneous", "time_limit": clock.limit(1)}
    found = altsets.find(searched, 10, **asked)
    assert found.status is Status.FEASIBLE
    assert found.verdict.findings == snapshot


class Endless:
    """A search for a best set that never ends by itself; counts how often it was begun."""

    def __init__(self, run):
        self.run, self.begun = run, 0

    def __call__(self, others):
        self.begun += 1
        while not self.run.tick():
            pass
        raise Stopped


def test_later_sets_have_their_share_of_the_time(clock):
    scores, run = quality.Additive(np.arange(30.0)), Run(time_limit=10.0)
    problem = problem_of(Request(n_features=3, n_alternatives=3, tau=1), scores)
    search = Endless(run)
    pricing = PricingOracle(scores, problem, run)
    answer = SequentialSearch(problem, run, search, scores.evaluate, lambda: Construction(pricing)).solve("")
    assert search.begun == 4
    assert answer.sets == [(27, 28, 29), (24, 25, 26), (21, 22, 23), (18, 19, 20)]
    assert answer.stop_reason(run) is StopReason.TIME_LIMIT


@pytest.mark.parametrize("grouped", [False, True])
def test_sets_are_constructed_where_time_is_up_before_the_search_begins(grouped, clock):
    rng, n = np.random.default_rng(0), 40_000
    labels = rng.integers(0, n // 20, n)
    sensors = dict(enumerate(labels.tolist()))
    costs = rng.integers(1, 9, n // 20).astype(float)[labels]
    kind = {"dissimilarity": Grouped(sensors)} if grouped else {}
    rules = [] if grouped else [constraints.Budget(costs, 30, groups=sensors)]
    limit = clock.limit(1)
    found = altsets.find(
        quality.Additive(rng.random(n)), n_features=10, constraints=rules, time_limit=limit, **kind
    )
    assert len(found.sets) == 4
    assert min(found.qualities) > 9


def test_a_request_that_takes_longer_to_read_than_its_limit_says_so(clock, warned):
    clock.step = 1.0
    with warned(UserWarning):
        altsets.find(quality.Additive(SUMS), n_features=2, n_alternatives=1, time_limit=0.5)


# --- Many sets without a search ---------------------------------------------------------------------------
SPREAD = {
    "minimum": (400, {"search": "simultaneous", "aggregation": "min"}),
    "sum, existing": (400, {"search": "simultaneous", "existing": [(0, 1, 2, 3, 4)]}),
    "in turn": (400, {"search": "sequential"}),
    "required": (400, {"search": "simultaneous", "constraints": [constraints.Require([7])]}),
    "sizes": (2_000, {"search": "simultaneous", "constraints": [constraints.Size(3, 5)]}),
}


@pytest.mark.parametrize("case", SPREAD)
def test_hundreds_of_sets_are_there_at_any_time_limit(case, clock):
    n, more = SPREAD[case]
    scores = quality.Additive(np.random.default_rng(0).random(n))
    # A clock on which the grace after the limit is over at the next look.
    clock.step = 1.0
    found = altsets.find(scores, 5, 600, 0.5, time_limit=clock.limit(3), **more)
    assert (len(found.sets), found.status) == (601, "feasible")
    assert found.bound >= found.objective
    assert altsets.verify(found, scores).ok


def test_conflicts_hold_in_sets_without_a_search(clock):
    rng = np.random.default_rng(0)
    dependency = (rng.random((300, 300)) < 0.001).astype(float)
    relevance = 0.5 + rng.random(300) / 10
    fcbf = quality.FCBF(relevance, np.maximum(dependency, dependency.T))
    clock.step = 1.0
    found = altsets.find(fcbf, 4, 300, 0.5, search="simultaneous", time_limit=clock.limit(3))
    assert len(found.sets) == 301
    assert altsets.verify(found, fcbf).ok
