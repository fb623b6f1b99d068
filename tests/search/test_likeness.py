"""Sets that differ through similarity or by groups: kernels against definitions, engines against each other."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from oracle import matched
from random_requests import random_similarity
from scipy.optimize import linear_sum_assignment

import altsets
from altsets import Status
from altsets.dissimilarity import Grouped, Matched
from altsets.problem import Problem
from altsets.quality import MRMR, Additive
from altsets.search.comparison import comparison_of
from altsets.search.run import Run
from altsets.search.subset.prices import CliqueLevels, DualPrices
from altsets.search.subset.pricing import PricingOracle

#: So many problems of each kind.
N_CASES = 30


def random_problem(rng, weighted, **more):
    n, k = int(rng.integers(6, 12)), int(rng.integers(2, 5))
    similarity, _ = random_similarity(rng, n)
    threshold = None if weighted else float(rng.choice([0.3, 0.9]))
    options = {"n_features": k, "n_alternatives": 2, "tau": float(rng.random()), **more}
    return n, k, Problem.create(n, dissimilarity=Matched(similarity, threshold), **options)


def as_sets(rng, n, k, count):
    return [tuple(sorted(rng.permutation(n)[:k].tolist())) for _ in range(count)]


@pytest.mark.parametrize("weighted", [False, True])
def test_sets_go_together_as_the_assignment_says(weighted):
    told = set()
    for seed in range(N_CASES):
        rng = np.random.default_rng([seed, weighted])
        n, k, problem = random_problem(rng, weighted)
        sets = as_sets(rng, n, k, 12)
        test = comparison_of(problem).going_together([np.array(sets, dtype=np.intc)])
        weights = problem.dissimilarity.weights_among(range(n), range(n))
        for number, one in enumerate(sets):
            blocks = [weights[np.ix_(one, other)] for other in sets]
            overlaps = [block[linear_sum_assignment(-block)].sum() for block in blocks]
            wanted = [1 - overlap / k >= float(problem.tau) - 1e-9 for overlap in overlaps]
            assert test(number, np.arange(12, dtype=np.intc)).tolist() == wanted, seed
            told |= set(wanted)
    assert told == {True, False}


def n_ruled_out(rng, n, k, problem, others):
    """How many features may not be added to some chosen ones; none of them may be in a set that differs enough."""
    fitting = comparison_of(problem).fitting(np.arange(n), np.zeros(0, dtype=np.intp), k, others)
    order = rng.permutation(n).astype(np.intc)
    n_chosen = int(rng.integers(0, k))
    chosen, candidates = np.sort(order[:n_chosen]), np.sort(order[n_chosen:])
    fits = fitting(chosen, candidates, k - n_chosen).tolist()
    different = [
        one
        for one in itertools.combinations(range(n), k)
        if all(problem.compatible(one, other) for other in others)
    ]
    for candidate, may in zip(candidates.tolist(), fits, strict=True):
        possible = any({*chosen.tolist(), candidate} <= set(one) for one in different)
        assert may or not possible
        # With the last feature there is nothing left to hope for.
        assert possible or not may or n_chosen + 1 < k
    return fits.count(0)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_feature_is_ruled_out_that_some_set_can_have(weighted):
    total = 0
    for seed in range(N_CASES):
        rng = np.random.default_rng([seed, weighted, 1])
        n, k, problem = random_problem(rng, weighted)
        total += n_ruled_out(rng, n, k, problem, as_sets(rng, n, k, int(rng.integers(1, 4))))
    assert total > N_CASES


def test_groups_rule_out_no_more_than_they_have_to():
    total = 0
    for seed in range(N_CASES):
        rng = np.random.default_rng([seed, 2])
        n, k = int(rng.integers(6, 10)), int(rng.integers(2, 5))
        groups = {j: int(rng.integers(0, 4)) for j in range(n) if rng.random() < 0.8} or {0: 0}
        problem = Problem.create(n, n_features=k, tau=float(rng.random()), dissimilarity=Grouped(groups))
        others = as_sets(rng, n, int(rng.integers(1, k + 1)), int(rng.integers(1, 4)))
        total += n_ruled_out(rng, n, k, replace(problem, existing=tuple(others)), others)
    assert total > N_CASES


def test_sets_share_no_more_levels_than_they_match():
    some = 0
    for seed in range(N_CASES):
        rng = np.random.default_rng([seed, 3])
        n = int(rng.integers(5, 12))
        similarity, _ = random_similarity(rng, n)
        levels = CliqueLevels(np.array(similarity) >= 0.9, rng.random(n))
        apart = matched(similarity, 0.9)
        for clique in levels.cliques:
            assert all(similarity[i][j] >= 0.9 for i, j in itertools.combinations(clique, 2))
        k = int(rng.integers(1, 5))
        sets = as_sets(rng, n, k, 8)
        rows = levels.of(np.array(sets, dtype=np.intc))
        assert all(len(set(row)) == k for row in rows.tolist())
        for (one, own), (other, its) in itertools.combinations(zip(sets, rows.tolist(), strict=True), 2):
            in_common = len(set(own) & set(its))
            assert in_common <= round((1 - apart(one, other)) * k)
            some += in_common > len(set(one) & set(other))
    assert some > N_CASES


def test_prices_of_levels_are_paid_by_features():
    for seed in range(N_CASES):
        rng = np.random.default_rng([seed, 4])
        n = int(rng.integers(5, 12))
        similarity, _ = random_similarity(rng, n)
        levels = CliqueLevels(np.array(similarity) >= 0.3, rng.random(n))
        pairs = np.zeros((n, n))
        for i, j in itertools.combinations(range(n), 2):
            if rng.random() < 0.5 and levels.can_be_priced((i, j)):
                pairs[i, j] = pairs[j, i] = rng.random()
        of_levels = DualPrices(rng.random(n) * (rng.random(n) < 0.7), pairs)
        rows = np.array(as_sets(rng, n, int(rng.integers(2, 5)), 6), dtype=np.intc)
        paid = levels.prices(of_levels).paid_by(rows)
        assert paid == pytest.approx(of_levels.paid_by(levels.of(rows).astype(np.intc)))


def test_where_all_features_are_alike_there_is_one_set():
    alike = Matched(np.ones((60, 60)), threshold=0.9)
    for search in ("sequential", "simultaneous"):
        result = altsets.find(Additive(np.arange(60.0)), 5, 2, 0.4, dissimilarity=alike, search=search)
        assert result.status is Status.INFEASIBLE
        assert len(result.sets) == (search == "sequential")


def test_bounds_hold_where_time_is_short(clock):
    rng = np.random.default_rng(3)
    group_of = rng.integers(0, 12, 60)
    alike = Matched((group_of[:, None] == group_of) * 0.95, threshold=0.9)
    request = {"n_features": 6, "n_alternatives": 4, "tau": 0.7, "search": "simultaneous"}
    quality = MRMR(rng.random(60), rng.random((60, 60)))
    for looks in (1, 10, 100):
        result = altsets.find(quality, dissimilarity=alike, time_limit=clock.limit(looks), **request)
        assert result.bound >= result.objective or not result.sets
        assert math.isfinite(result.bound)


def test_the_bound_of_levels_is_used():
    """Two cliques of five: sets of three cannot all be good, which shared features alone do not tell."""
    group_of = np.repeat([0, 1], 5)
    kind = Matched((group_of[:, None] == group_of).astype(float), threshold=0.9)
    problem = Problem.create(
        10, n_features=3, n_alternatives=1, tau=1, dissimilarity=kind, search="simultaneous"
    )
    pricing = PricingOracle(Additive(np.arange(10.0)), problem, Run())
    assert sorted(map(sorted, pricing.levels.cliques)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    result = altsets.find(Additive(np.arange(10.0)), 3, 1, 1, dissimilarity=kind, search="simultaneous")
    assert result.sets == [(7, 8, 9), (2, 3, 4)]
    assert result.status is Status.OPTIMAL
