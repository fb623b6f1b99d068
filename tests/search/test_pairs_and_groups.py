"""Pairs that are too much alike, and groups that are paid once: every engine against brute force, with other rules."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from checks import Request
from oracle import holds
from random_requests import (
    random_group_budget,
    random_max_similarity,
)

import altsets
from altsets import Status, quality
from altsets.constraints import Budget, MaxSimilarity, Require
from altsets.errors import UnsupportedError
from altsets.problem import Problem
from altsets.search.black_box.greedy_wrapper import Feasibility
from altsets.search.solving import ENGINES


def random_rule(rng, rule, n, k):
    return random_max_similarity(rng, n) if rule == "max_similarity" else random_group_budget(rng, n, k)


@pytest.mark.parametrize("rule", ["max_similarity", "budget"])
def test_quick_answers_about_sets_are_the_definition(rule):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n, k = 8, 3
        plain = random_rule(rng, rule, n, k)
        problem = Problem.create(n, **Request((0.0,) * n, k, 0, constraints=(plain,)).options)
        feasibility = Feasibility(problem)
        for chosen in itertools.combinations(range(n), k):
            expected = holds(plain, chosen)
            assert feasibility.alone(frozenset(chosen)) == expected
            assert problem.constraints[0].holds(chosen) == expected


def test_heuristics_decline_what_they_do_not_know():
    alike, paid = MaxSimilarity(np.eye(4), 0.9), Budget([1.0] * 4, 2, groups=[[0, 1]])
    for rule in (alike, paid):
        for search in ("greedy-replacement", "greedy-balancing", "greedy-depth"):
            with pytest.raises(UnsupportedError, match=f"not {type(rule).__name__}; use 'sequential'"):
                altsets.find(quality.Additive([4, 3, 2, 1]), 2, 1, search=search, constraints=[rule])
    problem = Problem.create(4, n_features=2, constraints=[alike])
    declined = ENGINES["additive"].declines(quality.Additive([4, 3, 2, 1]), problem)
    assert declined is not None


NAMES = ["left mean", "left max", "right mean", "right max", "age"]


def test_a_clash_names_the_features_and_the_limit(snapshot):
    matrix = np.eye(5)
    matrix[0, 1] = matrix[1, 0] = 0.95
    rules = [Require(["left mean", "left max"]), MaxSimilarity(matrix, 0.9)]
    result = altsets.find(quality.Additive([5, 4, 3, 2, 1], feature_names=NAMES), 2, 0, constraints=rules)
    assert result.status is Status.INFEASIBLE
    assert result.reason == snapshot


def test_a_single_rule_may_be_too_much(snapshot):
    scores = quality.Additive([5, 4, 3, 2, 1], feature_names=NAMES)
    alike = altsets.find(scores, 3, 0, constraints=MaxSimilarity(np.ones((5, 5)), 0.9))
    assert alike.reason == snapshot
    sensors = {name: name.split()[0] for name in NAMES[:4]}
    paid = Budget({"left": 5, "right": 5, "age": 1}, 5, groups=sensors)
    dear = altsets.find(scores, 3, 0, constraints=paid)
    assert dear.reason == snapshot
    assert altsets.find(scores, 2, 0, constraints=paid).named_sets == [("left mean", "left max")]


def test_two_limits_hold_together_and_with_the_conflicts_of_a_quality():
    first, second, dependency = np.eye(4), np.eye(4), np.zeros((4, 4))
    first[0, 1] = first[1, 0] = second[0, 2] = second[2, 0] = 1.0
    dependency[0, 3] = 9.0
    good = quality.FCBF([4, 3, 2, 1], dependency)
    rules = [MaxSimilarity(first, 0.5), MaxSimilarity(second, 0.5)]
    for engine in ("enumerate", "milp"):
        assert altsets.find(good, 2, 0, constraints=rules, engine=engine).sets == [(1, 2)]
        assert altsets.find(good, 2, 0, constraints=rules[:1], engine=engine).sets == [(0, 2)]


def test_sets_of_many_features_pay_each_sensor_once():
    rng = np.random.default_rng(1)
    n, per_sensor = 60, 4
    rows = rng.standard_normal((200, n // per_sensor)).repeat(per_sensor, axis=1) + rng.standard_normal(
        (200, n)
    )
    relevance, redundancy = rng.random(n), np.abs(np.corrcoef(rows.T))
    paid = Budget([1.0] * n, 3, groups=np.arange(n).reshape(-1, per_sensor).tolist())
    for good in (quality.Additive(relevance), quality.MRMR(relevance, redundancy)):
        for search in ("sequential", "simultaneous"):
            result = altsets.find(good, 6, 3, 0.5, search=search, constraints=paid)
            assert result.status is Status.OPTIMAL
            assert all(len({j // per_sensor for j in chosen}) <= 3 for chosen in result.sets)


def test_ten_thousand_pairs_of_features_that_are_too_alike():
    rng = np.random.default_rng(2)
    n = 500
    clusters = rng.integers(0, 12, n)
    alike = MaxSimilarity(np.where(clusters[:, None] == clusters, 0.95, 0.1), 0.9)
    assert alike.conflicts.sum() > 20_000
    result = altsets.find(quality.Additive(rng.random(n)), 5, 3, 0.6, constraints=alike)
    assert result.status is Status.OPTIMAL
    assert all(len(set(clusters[list(chosen)].tolist())) == 5 for chosen in result.sets)
