"""The numbered examples and the propositions of the paper."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from oracle import Oracle
from random_requests import random_scores

import altsets
from altsets import Status, quality

SCORES = (9, 8, 7, 3, 2, 1)


def selection(*vectors):
    """The paper's 0-1 vectors as feature sets."""
    return [tuple(j for j, taken in enumerate(vector) if taken) for vector in vectors]


def find(scores, k, a, tau, **options):
    result = altsets.find(quality.Additive(scores), n_features=k, n_alternatives=a, tau=tau, **options)
    assert not Oracle(scores, k, tau=tau).complaints(result.sets)
    return result


# --- Examples -------------------------------------------------------------------------------------
def test_algorithm_of_greedy_replacement():
    scores = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    result = find(scores, 5, 9, 0.4, search="greedy-replacement")
    assert result.sets == [(0, 1, 2, 3, 4), (0, 1, 2, 5, 6), (0, 1, 2, 7, 8)]
    assert result.statuses == [Status.FEASIBLE] * 3 + [Status.NOT_FOUND] * 7
    assert result.status is Status.NOT_FOUND


@pytest.mark.parametrize("options", [
    {"search": "sequential"},
    {"search": "simultaneous", "aggregation": "sum"},
    {"search": "simultaneous", "aggregation": "min"},
])  # fmt: skip
def test_quality_of_greedy_replacement_vs_exact_search_exact(options):
    result = find(SCORES, 2, 2, 0.5, **options)
    expected = selection((1, 1, 0, 0, 0, 0), (1, 0, 1, 0, 0, 0), (0, 1, 1, 0, 0, 0))
    assert sorted(result.sets) == expected
    assert sorted(result.qualities, reverse=True) == [17, 16, 15]
    assert math.fsum(result.qualities) == 48
    assert result.status is Status.OPTIMAL
    if options["search"] == "sequential":
        assert result.sets == expected


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_quality_of_greedy_replacement_vs_exact_search_heuristic(search):
    result = find(SCORES, 2, 2, 0.5, search=search)
    assert result.sets == selection((1, 1, 0, 0, 0, 0), (1, 0, 1, 0, 0, 0), (1, 0, 0, 1, 0, 0))
    assert result.qualities == [17, 16, 12]
    assert result.objective == 45


def test_quality_of_greedy_replacement_vs_min_aggregation():
    exact = find(SCORES, 3, 1, 0.5, search="simultaneous", aggregation="min")
    assert sorted(exact.sets) == sorted(selection((1, 1, 0, 0, 1, 0), (1, 0, 1, 1, 0, 0)))
    assert (exact.objective, exact.status) == (19, Status.OPTIMAL)

    expected = selection((1, 1, 1, 0, 0, 0), (1, 0, 0, 1, 1, 0))
    for search in ("sequential", "greedy-replacement"):
        result = find(SCORES, 3, 1, 0.5, search=search)
        assert result.sets == expected
        assert result.qualities == [24, 14]

    total = find(SCORES, 3, 1, 0.5, search="simultaneous", aggregation="sum")
    assert total.objective == 38
    assert sorted(total.qualities) in ([19, 19], [14, 24], [18, 20])

    balanced = find(SCORES, 3, 1, 0.5, search="greedy-balancing", aggregation="min")
    assert balanced.objective == 19  # as the text after the proposition on Greedy Balancing says


def test_algorithm_of_greedy_balancing():
    result = find(SCORES, 4, 1, 0.5, search="greedy-balancing")
    assert result.sets == selection((1, 1, 1, 0, 0, 1), (1, 1, 0, 1, 1, 0))
    assert result.qualities == [25, 22]
    assert find(SCORES, 4, 2, 0.5, search="greedy-balancing").sets == []


def test_sum_aggregation():
    sequential = find(SCORES, 3, 2, 0.5)
    assert sequential.sets[:2] == selection((1, 1, 1, 0, 0, 0), (1, 0, 0, 1, 1, 0))
    assert sequential.qualities == [24, 14, 12]
    assert (sequential.objective, sequential.status) == (50, Status.OPTIMAL)
    simultaneous = find(SCORES, 3, 2, 0.5, search="simultaneous")
    assert (simultaneous.objective, simultaneous.bound, simultaneous.status) == (54, 54, Status.OPTIMAL)
    balanced = find(SCORES, 3, 2, 0.5, search="simultaneous", aggregation="min")
    assert balanced.qualities == [18, 18, 18]  # the paper's second solution is the most balanced one possible


def test_min_aggregation():
    scores = (11, 10, 6, 5, 4, 1)
    result = find(scores, 3, 1, 0.5, search="simultaneous", aggregation="min")
    assert result.objective == 22
    # The paper lists a solution of sum 44 with the same minimum; the larger sum is preferred.
    assert sorted(result.qualities) == [22, 25]
    assert find(scores, 3, 1, 0.5, search="simultaneous").objective == 47


def test_algorithm_of_greedy_depth_search():
    # The paper's text says a = 1 and goes on to show three sets.
    result = find(SCORES, 4, 2, 0.5, search="greedy-depth")
    assert result.sets == selection((1, 1, 1, 1, 0, 0), (1, 1, 0, 0, 1, 1), (0, 0, 1, 1, 1, 1))
    assert result.statuses == [Status.FEASIBLE] * 3
    assert find(SCORES, 4, 2, 0.5, search="greedy-replacement").sets == result.sets[:2]
    more = find(SCORES, 4, 3, 0.5, search="greedy-depth")
    assert more.sets == result.sets
    assert more.status is Status.NOT_FOUND


def test_non_monotonic_quality_of_greedy_depth_search():
    result = find((9, 8, 7, 1), 2, 3, 0.5, search="greedy-depth")
    assert result.sets == selection((1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0))
    assert result.qualities == [17, 16, 10, 15]


# --- Propositions ---------------------------------------------------------------------------------
def roomy(seed, tau_one=False):
    """Scores >= 0 and a request with k + a * ceil(tau * k) <= n, small enough for the oracle."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    k = int(rng.integers(1, min(n, 4) + 1))
    differ = k if tau_one else int(rng.integers(1, k + 1))
    a = int(rng.integers(0, min(3, (n - k) // differ) + 1))
    return np.abs(random_scores(rng, n)).tolist(), k, a, Fraction(differ, k)


@pytest.mark.slow
@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_heuristics_reach_the_stated_fraction(search):
    for seed in range(80):
        scores, k, a, tau = roomy(seed)
        fraction = math.floor((1 - tau) * k) / k
        result = find(scores, k, a, tau, search=search)
        assert len(result.sets) == a + 1
        slack = 1e-9 * max(1.0, *scores)
        best = Oracle(scores, k, tau=tau).next_best()
        assert min(result.qualities) >= fraction * best - slack
        total = math.fsum(result.qualities)
        simultaneous = find(scores, k, a, tau, search="simultaneous")
        balanced = find(scores, k, a, tau, search="simultaneous", aggregation="min")
        assert total >= fraction * find(scores, k, a, tau).objective - slack
        assert total >= fraction * simultaneous.objective - slack
        assert min(result.qualities) >= fraction * balanced.objective - slack
        # and no heuristic beats what is proven optimal
        assert total <= simultaneous.bound + slack
        assert min(result.qualities) <= balanced.bound + slack


@pytest.mark.slow
def test_disjoint_sets_greedy_replacement_is_exact():
    for seed in range(80):
        scores, k, a, tau = roomy(seed, tau_one=True)
        slack = 1e-8 * max(1.0, *scores)
        heuristic = find(scores, k, a, tau, search="greedy-replacement")
        assert heuristic.qualities == pytest.approx(find(scores, k, a, tau).qualities, abs=slack)
        simultaneous = find(scores, k, a, tau, search="simultaneous")
        assert heuristic.objective == pytest.approx(simultaneous.objective, abs=slack)
        assert simultaneous.status is Status.OPTIMAL


def test_balancing_only_deals_the_features_of_replacement_out_anew():
    for seed in range(25):
        scores, k, a, tau = roomy(seed)
        replacement = find(scores, k, a, tau, search="greedy-replacement")
        balancing = find(scores, k, a, tau, search="greedy-balancing")
        assert balancing.objective == pytest.approx(replacement.objective, abs=1e-8 * max(1.0, *scores))
        assert sorted(j for s in balancing.sets for j in s) == sorted(j for s in replacement.sets for j in s)


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_only_the_best_features_matter(search, aggregation):
    """Pre-selection: features beyond the best (a + 1) * k change no optimum."""
    for seed in range(15):
        scores, k, a, tau = roomy(seed)
        if (a + 1) * k > len(scores):
            continue
        worse = (-5 * np.random.default_rng(seed).random(seed % 5)).tolist()
        few = find(scores, k, a, tau, search=search, aggregation=aggregation)
        many = find([*worse, *scores], k, a, tau, search=search, aggregation=aggregation)
        if search == "sequential":
            # Ties make later values depend on which set came first.
            assert many.qualities[0] == pytest.approx(few.qualities[0], abs=1e-8)
        else:
            assert many.objective == pytest.approx(few.objective, rel=2e-9, abs=2e-9)
