"""Better solutions by annealing, and first solutions where one best set after the other does not get far enough."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import altsets
from altsets import constraints, quality
from altsets.problem import Problem
from altsets.search.run import Run
from altsets.search.simultaneous.annealing import SimulatedAnnealing
from altsets.search.simultaneous.search import count_shared, first_incumbent
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.subset.pricing import PricingOracle


def qualities(n, seed):
    """One of each kind that walks know, at random."""
    rng = np.random.default_rng(seed)
    relevance, redundancy = rng.random(n), rng.random((n, n))
    redundancy = (redundancy + redundancy.T) / 2
    return [
        quality.Additive(relevance),
        quality.MRMR(relevance, redundancy),
        # With fewer pairs that go together there is often nothing to gain.
        quality.FCBF(relevance, np.where(redundancy > 0.8, redundancy, 0.0)),
    ]


def request_of(n, aggregation, **options):
    options = {"n_features": 4, "n_alternatives": 2, "tau": 3, "dissimilarity": "absolute"} | options
    return Problem.create(n, search="simultaneous", aggregation=aggregation, **options)


def started(searched, problem):
    """A search with a first solution, one best set after the other, if that gets so far."""
    search = SimultaneousSearch(PricingOracle(searched, problem, Run()))
    search.find_first()
    return search


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("kind", range(3))
def test_walks_keep_to_all_rules_and_never_do_harm(kind, aggregation):
    gained = 0
    for seed in range(8):
        searched = qualities(14, seed)[kind]
        problem = request_of(
            14, aggregation, constraints=[constraints.Forbid([3])], existing=[(0, 1, 2, 4), (5, 6, 7, 8)]
        )
        search = started(searched, problem)
        walks = SimulatedAnnealing(search.pricing, search.state.max_min)
        assert walks.possible
        if not search.state.sets:
            assert walks.improve([], 10.0, 3_000) == []
            continue
        walked = walks.improve(search.state.sets, 10.0, 3_000)
        before = problem.objective([searched.evaluate(chosen) for chosen in search.state.sets])
        after = problem.objective([searched.evaluate(chosen) for chosen in walked])
        assert after >= before - 1e-12
        gained += after > before + 1e-9
        assert all(len(set(chosen)) == 4 and 3 not in chosen for chosen in walked)
        for first, second in itertools.combinations([*walked, *problem.existing], 2):
            assert len(set(first) & set(second)) <= 1 or {first, second} <= set(problem.existing)
    assert gained >= 3


@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_walks_find_most_optima_of_small_problems(aggregation):
    reached = 0
    for seed in range(10):
        searched = qualities(12, seed)[1]
        problem = request_of(12, aggregation)
        options = {
            "search": "simultaneous",
            "aggregation": aggregation,
            "tau": 3,
            "dissimilarity": "absolute",
        }
        best = altsets.find(searched, n_features=4, n_alternatives=2, **options)
        search = started(searched, problem)
        walks = SimulatedAnnealing(search.pricing, search.state.max_min)
        for _ in range(3):
            search.state.update_incumbent(walks.improve(search.state.sets, best.objective + 0.2, 20_000))
        assert search.state.value <= best.objective + 1e-9
        reached += search.state.value == pytest.approx(best.objective, abs=1e-9)
    assert reached >= 8


@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_walks_from_random_sets_end_with_valid_ones(aggregation):
    reached = 0
    for seed in range(10):
        searched = qualities(14, seed)[1]
        problem = request_of(
            14, aggregation, constraints=[constraints.Forbid([3])], existing=[(0, 1, 2, 4), (5, 6, 7, 8)]
        )
        search = started(searched, problem)
        best = altsets.find(
            searched,
            n_features=4,
            n_alternatives=2,
            tau=3,
            dissimilarity="absolute",
            search="simultaneous",
            aggregation=aggregation,
            constraints=problem.constraints,
            existing=problem.existing,
        )
        walks = SimulatedAnnealing(search.pricing, search.state.max_min)
        found = [walks.walk(-math.inf, best.objective + 0.1, 20_000) for _ in range(5)]
        for sets in filter(None, found):
            assert all(len(set(chosen)) == 4 and 3 not in chosen for chosen in sets)
            for first, second in itertools.combinations([*sets, *problem.existing], 2):
                assert len(set(first) & set(second)) <= 1 or {first, second} <= set(problem.existing)
        values = [problem.objective(list(map(searched.evaluate, sets))) for sets in found if sets]
        assert max(values) <= best.objective + 1e-9
        reached += max(values) == pytest.approx(best.objective, abs=1e-9)
    assert reached >= 8


@pytest.mark.parametrize(
    ("searched", "options"),
    [
        (1, {"constraints": [constraints.Require([0])]}),
        (1, {"constraints": [constraints.Size(3, 4)]}),
        # One size is left of the range, but what sets may share still depends on sizes.
        (1, {"constraints": [constraints.Size(3, 4), constraints.Forbid(range(3, 10))], "n_alternatives": 0}),
        (1, {"dissimilarity": lambda a, b: 1 - len(set(a) & set(b)) / 4, "tau": 0.5}),
        ("cfs", {}),
    ],
)
def test_walks_leave_alone_what_they_do_not_know(searched, options):
    rng = np.random.default_rng(0)
    redundancy = rng.random((10, 10))
    cfs = quality.CFS(rng.random(10), (redundancy + redundancy.T) / 2)
    searched = cfs if searched == "cfs" else qualities(10, 0)[searched]
    search = started(searched, request_of(10, "sum", **options))
    walks = SimulatedAnnealing(search.pricing, search.state.max_min)
    assert not walks.possible
    assert walks.improve(search.state.sets, 10.0, 1000) == []
    assert walks.walk(0.0, 10.0, 1000) == []


@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_tight_requests_have_a_solution_at_once(aggregation, clock):
    # Six sets of ten out of thirty, any two sharing at most two: every feature lies in exactly two of them.
    rng = np.random.default_rng(1)
    redundancy = rng.random((30, 30))
    searched = quality.MRMR(rng.random(30), (redundancy + redundancy.T) / 2)
    found = altsets.find(
        searched,
        n_features=10,
        n_alternatives=5,
        tau=0.8,
        search="simultaneous",
        aggregation=aggregation,
        time_limit=clock.limit(100),
    )
    assert len(found.sets) == 6
    assert found.bound >= found.objective


def test_what_cannot_be_dealt_out_is_proven_impossible():
    # Counting pairs leaves room for nine triples out of eight features; arranging them shows that there are none.
    rng = np.random.default_rng(2)
    redundancy = rng.random((8, 8))
    searched = quality.MRMR(rng.random(8), (redundancy + redundancy.T) / 2)
    search = started(searched, request_of(8, "sum", n_features=3, n_alternatives=8, tau=2))
    assert not search.state.sets
    count_shared(search)
    assert not search.state.is_proven
    first_incumbent(search)
    assert search.state.is_proven
    assert search.state.bound == -math.inf
