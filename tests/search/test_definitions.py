"""Definitions beyond good sets that are pairwise different, against brute force."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import fuzz
import numpy as np
import pytest
from checks import Request
from definitions import JOINT, definitions_of, random_definition, wrong_about, wrong_balance, wrong_penalties

import altsets
from altsets import Status, constraints, quality
from altsets.errors import InputError, UnsupportedError
from altsets.problem import Problem
from altsets.search.enumeration import EnumerationEngine
from altsets.search.run import Run
from altsets.search.simultaneous import search
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.leximin import is_better
from altsets.search.solving import ENGINES

SCORES = quality.Additive([9, 8, 7, 3, 2, 1])


@pytest.mark.parametrize("first", [0, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("clock")
def test_random_definitions(first):
    report = fuzz.Report()
    for index in range(first, first + (40 if not first else 120)):
        fuzz.check_definition(report, index, seed=3)
    assert report.failures == []
    assert report.n_searches["auto"] > 20


IN_TURN = {
    "average": {"difference": "average"},
    "penalty": {"overlap_penalty": 0.1},
    "at most": {"constraints": constraints.AtMostSets(1, range(8))},
    "at least": {"constraints": constraints.AtLeastSets(2, [0, 29])},
    "reserved": {"constraints": constraints.Reserve(range(0, 30, 3)), "overlap_penalty": 0.05},
    "total": {"constraints": constraints.TotalBudget([1.5 + j % 7 for j in range(30)], 45)},
    "two totals": {
        "constraints": [
            constraints.TotalBudget([1 + j % 5 for j in range(30)], 25),
            constraints.TotalBudget([0.0] * 20 + [7] * 10, 14),
        ]
    },
    "long costs": {"constraints": constraints.TotalBudget([1.0001 + j % 7 for j in range(30)], 40)},
    "all": {
        "difference": "average",
        "overlap_penalty": 0.02,
        "constraints": [constraints.AtMostSets(2), constraints.TotalBudget(range(30), 150)],
        "existing": [(3, 5), (1, 2, 8, 9)],
    },
}


@pytest.mark.parametrize("definition", IN_TURN)
def test_sums_in_turn_are_those_of_a_general_search(definition):
    for seed in range(3):
        scores = quality.Additive(np.random.default_rng(seed).random(30))
        options = {"tau": 0.5, **IN_TURN[definition]}
        fast = altsets.find(scores, 4, 3, **options)
        assert fast.engine == "additive"
        assert fast.status == "optimal"
        assert fast.sets == altsets.find(scores, 4, 3, engine="enumerate", **options).sets


def test_prices_of_shared_features():
    result = altsets.find(SCORES, 2, 1, overlap_penalty=6.5)
    assert result.parameters["tau"] == 0
    assert result.sets == [(0, 1), (2, 3)]
    assert result.objective == 17 + 10
    shared = altsets.find(SCORES, 2, 1, overlap_penalty=1)
    assert shared.sets == [(0, 1), (0, 1)]
    assert shared.objective == 17 + 17 - 2


def test_iterate_is_find_one_by_one():
    more = {"overlap_penalty": 2.0, "constraints": constraints.AtMostSets(2)}
    found = altsets.find(SCORES, 2, 3, **more)
    sets = [one.sets[0] for one in altsets.iterate(SCORES, 2, n_alternatives=3, **more)]
    assert sets == found.sets


@pytest.mark.parametrize(("more", "words"), [
    ({"difference": "average", "search": "simultaneous"}, "needs search='sequential'"),
    ({"min_quality": 3.0, "overlap_penalty": 1}, "limits qualities"),
    ({"within": 0.1, "overlap_penalty": 1}, "limits qualities"),
    ({"within": 0.1, "min_quality": 3.0}, "give one of them"),
    ({"within": -0.1}, "of at least 0"),
    ({"within": math.nan}, "must be a finite number"),
    ({"within": "5 %"}, "must be a finite number"),
    ({"min_quality": math.inf}, "must be a finite number"),
    ({"min_quality": True}, "must be a finite number"),
    ({"constraints": constraints.Spread(3)}, "needs search='simultaneous'"),
    ({"overlap_penalty": 1, "search": "simultaneous", "aggregation": "min"}, "needs aggregation='sum'"),
    (
        {"constraints": constraints.Spread(1), "search": "simultaneous", "aggregation": "leximin"},
        "needs aggregation='sum'",
    ),
    ({"overlap_penalty": -1}, "of at least 0"),
    ({"overlap_penalty": "much"}, "must be a finite number"),
    ({"difference": "some"}, "choose one of 'each', 'average'"),
    ({"overlap_penalty": 1e6}, "leaves no digits"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(more, words):
    with pytest.raises(InputError, match=words):
        altsets.find(SCORES, 2, 1, **more)


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-depth"])
def test_heuristics_decline(search, refused):
    with refused(UnsupportedError):
        altsets.find(SCORES, 2, 1, search=search, overlap_penalty=1)


def test_black_boxes_decline(refused):
    box = quality.BlackBox(SCORES.evaluate, n_features_in=6)
    with refused(UnsupportedError):
        altsets.find(box, 2, 1, constraints=constraints.AtMostSets(1))


@pytest.mark.parametrize("verb", [
    lambda joint: altsets.frontier(SCORES, 2, 1, constraints=joint),
    lambda joint: altsets.near_best(SCORES, 2, constraints=joint),
])  # fmt: skip
def test_other_verbs_decline(verb, refused):
    with refused(UnsupportedError):
        verb(constraints.Reserve([0, 1]))


@pytest.mark.parametrize("more", [
    {"overlap_penalty": 2.0}, {"overlap_penalty": 2.0, "existing": [(0, 1)]},
    {"constraints": constraints.AtMostSets(2)},
    {"constraints": constraints.AtLeastSets(2, [5]), "aggregation": "min"},
    {"constraints": constraints.Reserve([0, 1])},
    {"constraints": constraints.TotalBudget([5, 4, 4, 1, 1, 1], 11), "existing": [(0, 1)]},
])  # fmt: skip
def test_the_solver_agrees(more):
    by_default = altsets.find(SCORES, 2, 2, tau=0.5, search="simultaneous", **more)
    by_solver = altsets.find(SCORES, 2, 2, tau=0.5, search="simultaneous", engine="milp", **more)
    assert by_default.engine != by_solver.engine == "milp"
    assert by_default.status == by_solver.status == "optimal"
    assert by_solver.objective == pytest.approx(by_default.objective)


@pytest.mark.parametrize("seed", range(30))
def test_sets_that_may_be_alike_are_counted_out(seed):
    rng = np.random.default_rng(seed)
    scores = tuple(rng.integers(-3, 9, 6).astype(float).tolist())
    more = [
        ("at_most_sets", int(rng.integers(1, 3))),
        ("at_least_sets", 1, (int(rng.integers(6)),)),
        ("forbid", (0,)),
    ]
    request = Request(
        scores,
        2,
        2,
        tau=0,
        search="simultaneous",
        overlap_penalty=float(rng.choice([0.0, 0.5, 2.0])),
        constraints=tuple(one for one in more if rng.random() < 0.6),
        existing=((1, 2),) if rng.random() < 0.5 else (),
    )
    result = request.find(engine="additive")
    assert result.status in ("optimal", "infeasible")
    assert wrong_about(request, result) == []


def test_many_sets_that_may_be_alike(refused):
    result = altsets.find(
        quality.Additive(np.random.default_rng(0).random(100_000)),
        10,
        50,
        overlap_penalty=0.01,
        search="simultaneous",
    )
    assert (result.engine, result.status, len(result.sets)) == ("additive", "optimal", 51)
    reserved = constraints.Reserve([0, 1])
    with refused(UnsupportedError):
        altsets.find(SCORES, 2, 1, tau=0, search="simultaneous", engine="additive", constraints=reserved)


def test_conditions_on_sets_that_cannot_differ_enough(monkeypatch):
    # Counting leaves room for nine triples out of eight features; dealing them out shows that there are none.
    monkeypatch.setattr(search, "SHORT_LIST", 5)
    options = {"tau": 2, "dissimilarity": "absolute", "search": "simultaneous", "min_quality": 0.0}
    result = altsets.find(quality.Additive(range(8)), 3, 8, **options, engine="enumerate")
    assert (result.status, result.sets) == (Status.INFEASIBLE, [])


def only_patterns(monkeypatch):
    every = (*search.PREPARATION, *search.LISTING, search.solver_optimum)
    others = [phase for phase in every if phase is not search.count_patterns_early]
    monkeypatch.setitem(ENGINES, "enumerate", EnumerationEngine(without=others))


@pytest.mark.slow
def test_programmes_over_patterns_against_brute_force(monkeypatch):
    only_patterns(monkeypatch)
    kinds = (*JOINT, "overlap_penalty")
    seen, number = Counter(), 0
    while min(seen[kind] for kind in kinds) < 7:
        request = random_definition(np.random.default_rng([7, number]))
        number += 1
        summed = request.kind == "additive" and request.aggregation == "sum" and request.n_alternatives
        if request.search != "simultaneous" or not summed:
            continue
        result = request.find(engine="enumerate")
        if result.status in ("optimal", "infeasible"):
            assert wrong_about(request, result) == [], number
            seen.update(definitions_of(request))
        assert number < 10_000, seen


@pytest.mark.parametrize("other", [
    constraints.Forbid([0, 3]),
    constraints.TotalBudget([1, 1, 1, 9, 1, 1], 5),
], ids=["forbid", "total"])  # fmt: skip
def test_programmes_over_patterns_miss_what_has_to_be_there(monkeypatch, other):
    only_patterns(monkeypatch)
    both = [other, constraints.AtLeastSets(1, [3])]
    result = altsets.find(SCORES, 2, 1, tau=1, search="simultaneous", engine="enumerate", constraints=both)
    assert result.status == "infeasible"


@pytest.mark.parametrize("joint", [
    [constraints.Reserve(range(0, 60, 5))],
    [constraints.Reserve(range(0, 60, 5)), constraints.Reserve(range(1, 60, 5))],
    [constraints.TotalBudget([1 + j % 7 for j in range(60)], 35)],
    [
        constraints.TotalBudget(
            [1 + j // 4 % 5 for j in range(60)], 15, groups=[range(j, j + 4) for j in range(0, 60, 4)]
        )
    ],
], ids=["reserved", "two reserved", "total", "groups"])  # fmt: skip
def test_large_sums_are_proven(joint, snapshot):
    scores = quality.Additive(np.random.default_rng(0).random(60))
    result = altsets.find(scores, 5, 3, tau=0.6, search="simultaneous", constraints=joint)
    assert result.status == "optimal"
    assert result.proof == snapshot


@pytest.mark.parametrize("looks", [1, 20])
@pytest.mark.parametrize("kind", ["additive", "mrmr"])
def test_sets_are_found_where_the_best_in_turn_cost_too_much(kind, looks, clock):
    rng = np.random.default_rng(0)
    scores, costs = rng.random(200), rng.uniform(1, 10, 200).round(2)
    alike = rng.random((200, 200))
    made = quality.Additive(scores) if kind == "additive" else quality.MRMR(scores, (alike + alike.T) / 2)
    total = constraints.TotalBudget(costs.tolist(), 90)
    result = altsets.find(
        made, 10, 5, tau=0.6, search="simultaneous", constraints=total, time_limit=clock.limit(looks)
    )
    assert len(result.sets) == 6
    assert total.holds_together(result.sets)


@pytest.mark.parametrize("groups", [None, [range(j, j + 3) for j in range(0, 30, 3)]])
def test_what_is_bought_together_can_be_paid_for(groups):
    rng = np.random.default_rng(1)
    costs = np.repeat(rng.integers(1, 9, 10), 3).astype(float)
    totals = [
        constraints.TotalBudget(costs.tolist(), 20, groups=groups),
        constraints.TotalBudget([2.5] * 30, 40),
    ]
    scores = quality.Additive(rng.random(30))
    problem = Problem.create(
        30,
        n_features=2,
        n_alternatives=2,
        tau=1,
        search="simultaneous",
        constraints=totals,
        existing=[(0, 1)],
    )
    conditions = JointConditions.of(scores, problem, Run())
    bought = list(conditions.purchases(scores.scores))
    assert all(total.holds_together([one], problem.existing) for total in totals for one in bought)
    # The cheapest ones are the most.
    assert len(bought[-1]) == max(map(len, bought)) > len(bought[0])
    assert all(set(conditions.among(one).best([(0, 1)])[0]) <= set(one) for one in bought)


def test_a_wrong_answer_is_noticed(snapshot):
    request = Request((9.0, 8.0, 7.0, 3.0), 2, 1, overlap_penalty=1.0)
    right = request.find()
    assert wrong_about(request, right) == []
    worse = replace(right, sets=[(0, 1), (2, 3)], qualities=[17.0, 10.0], objective=27.0, bound=27.0)
    assert wrong_about(request, worse)[0] == snapshot
    broken = Request((9.0, 8.0, 7.0, 3.0), 2, 1, tau=0, constraints=(("at_most_sets", 1),))
    twice = replace(right, sets=[(0, 1), (0, 1)], qualities=[17.0, 17.0], objective=34.0)
    assert wrong_about(broken, twice)[0] == snapshot


def test_every_definition_is_drawn():
    seen = set()
    for index in range(300):
        seen |= set(definitions_of(random_definition(np.random.default_rng([0, index]))))
    assert seen == {*JOINT, "overlap_penalty", "min_quality", "max_spread", "average", "leximin"}


@pytest.mark.parametrize("seed", range(3))
def test_balance_is_the_pareto_front(seed, snapshot):
    scores = np.random.default_rng(seed).integers(0, 12, 7).astype(float).tolist()
    request = Request(tuple(scores), 3, 1, tau=0.6, search="simultaneous")
    found = altsets.frontier(quality.Additive(scores), 3, 1, 0.6, by="balance")
    assert found.complete
    assert all(point.proven for point in found)
    assert wrong_balance(request, found) == []
    assert found.explain() == snapshot
    assert "is missing" in wrong_balance(request, replace(found, points=found.points[1:]))[0]
    first = found.points[0]
    worse = replace(first, result=replace(first.result, objective=first.quality - 1))
    assert wrong_balance(request, replace(found, points=[worse, *found.points[1:]]))


@pytest.mark.parametrize(
    "good", [quality.Additive([13, 11, 5, -3, -1]), quality.MRMR([13, 11, 5, -3, -1], np.eye(5))]
)
def test_a_least_quality_is_that_of_a_set_before_it_pays_for_what_it_shares(good):
    # After the price of what an existing set has, the fourth feature is better than the third, but not good enough.
    asked = {"tau": 0.3, "search": "simultaneous", "dissimilarity": "jaccard", "existing": [(2, 4)]}
    found = altsets.find(good, 1, 2, overlap_penalty=100, min_quality=1, **asked)
    assert found.status == "optimal"
    assert sorted(found.sets) == [(0,), (1,), (2,)]


@pytest.mark.parametrize(("more", "best"), [
    ({"overlap_penalty": 30, "existing": [(1, 2, 3)]}, (0,)),
    ({"constraints": constraints.AtMostSets(1), "existing": [(1, 2, 3)]}, (0,)),
])  # fmt: skip
def test_single_features_that_score_little_stay_where_sizes_are_open(more, best):
    # Of single features the scores add up, of larger sets they do not.
    good = quality.MRMR([1, 9, 8, 7], np.full((4, 4), 0.1))
    limits = [constraints.Size(1, 2), *([more.pop("constraints")] if "constraints" in more else [])]
    found = altsets.find(good, n_alternatives=0, tau=0, dissimilarity="absolute", constraints=limits, **more)
    assert (found.status, found.sets) == ("optimal", [best])


@pytest.mark.parametrize("kind", [quality.Additive, lambda zeros: quality.MRMR(zeros, np.zeros((3, 3)))])
def test_balance_of_sets_that_are_all_worth_nothing(kind):
    searches = []
    found = altsets.frontier(kind([0, 0, 0]), 1, 1, 0, by="balance", callback=searches.append)
    assert [(point.quality, point.worst, point.proven) for point in found] == [(0, 0, True)]
    assert found.complete
    assert len(searches) < 10


@pytest.mark.parametrize("engine", ["auto", "enumerate", "milp"])
@pytest.mark.parametrize("penalty", [3, 300, 6000])
def test_a_large_penalty_does_not_widen_what_counts_as_proven(engine, penalty):
    scores = np.random.default_rng(0).random(8)
    found = altsets.find(
        quality.Additive(scores), 3, 3, tau=0, overlap_penalty=penalty, search="simultaneous", engine=engine
    )
    # Twelve places for eight features: four are in two sets, and these are the best ones.
    best = float(np.sum(scores) + np.sum(np.sort(scores)[-4:])) - 4 * penalty
    assert found.objective <= best + 1e-9
    assert found.bound >= best - 1e-9
    assert found.gap <= 1e-8 * penalty
    if found.status is Status.OPTIMAL:
        assert found.gap <= 1e-9 * max(scores)
        assert found.objective == pytest.approx(best, abs=1e-9 * max(scores))


def test_a_penalty_that_is_too_small_for_a_number_is_refused(refused):
    with refused(InputError):
        altsets.find(quality.Additive([0, 0]), 1, 1, overlap_penalty=5e-324)


def test_balance_without_sets(refused):
    found = altsets.frontier(SCORES, 4, 3, 1, by="balance")
    assert not found.points
    assert found.complete
    assert "no" in found.explain()
    with refused(UnsupportedError):
        altsets.frontier(quality.BlackBox(SCORES.evaluate, n_features_in=6), 2, 1, by="balance")


@pytest.mark.parametrize("seed", range(8))
def test_every_breakpoint_of_the_penalty(seed):
    scores = np.random.default_rng(seed).integers(0, 12, 6).astype(float).tolist()
    request = Request(tuple(scores), 3, 1, tau=0, search="simultaneous")
    found = altsets.frontier(quality.Additive(scores), 3, 1, by="penalty", search="simultaneous")
    assert found.complete
    assert wrong_penalties(request, found) == []
    shares = [point.shared or 0 for point in found]
    assert shares == sorted(set(shares), reverse=True)
    assert wrong_penalties(request, replace(found, points=found.points[1:]))
    last = found.points[-1].result
    worse = replace(found.points[-1], result=replace(last, qualities=[value - 1 for value in last.qualities]))
    assert wrong_penalties(request, replace(found, points=[*found.points[:-1], worse]))


def test_a_frontier_by_penalty_is_for_simultaneous_sets(refused):
    with refused(InputError):
        altsets.frontier(SCORES, 2, 1, by="penalty", search="sequential")
    with refused(InputError):
        altsets.frontier(SCORES, 2, 1, by="penalty", search="simultaneous", aggregation="min")
    with refused(InputError):
        altsets.frontier(SCORES, 2, 1, [0, 1], by="penalty", search="simultaneous")


def test_a_frontier_by_penalty_without_sets_says_why(snapshot):
    found = altsets.frontier(SCORES, 4, 3, 1, by="penalty", search="simultaneous")
    assert (found.points, found.complete) == ([], True)
    assert found.explain() == snapshot
    assert len(found.to_frame()) == 0


def test_curves_are_read_again_and_say_what_they_are(refused, snapshot):
    penalties = altsets.frontier(SCORES, 3, 2, by="penalty", search="simultaneous")
    balance = altsets.frontier(quality.Additive([9, 8, 7, 6, 6, 5, 1, 1, 1]), 3, 2, 1, by="balance")
    for found in (penalties, balance):
        assert type(found).from_json(found.to_json()) == found
        assert found.proven
        assert found.parameters["n_features"] == 3
        assert repr(found).startswith(f"Frontier({len(found)} point")
        assert not found.to_frame().isna().any().any()
        assert found.verdict.findings[-1] == snapshot
        marked = replace(found, complete=False, points=[replace(found.points[0], status=Status.FEASIBLE)])
        assert marked.verdict.cautions == snapshot
        assert "Proven" not in str(marked.verdict)
    assert str(penalties.verdict) == snapshot


def test_the_elbow_of_a_penalty_is_where_sums_begin_to_fall(snapshot):
    scores = quality.Additive([10, 10, 9.9, 9.9, 9.8, 9.8, 2, 1, 1, 1, 1, 1])
    found = altsets.frontier(scores, 2, 4, by="penalty", search="simultaneous")
    assert found.suggestion.point in found.points[1:-1]
    assert found.explain() == snapshot
    assert not replace(found, points=found.points[:3]).suggestion


def test_levels_are_compared_up_to_rounding():
    # The worst sets are the same one, with a last digit that differs by how its quality was computed.
    assert is_better([0.1, 0.3], [0.1 + 1e-15, 0.2])
    assert not is_better([0.1, 0.2], [0.1 - 1e-15, 0.3])
    assert not is_better([0.3, 0.1], [0.1, 0.3])


def test_leximin_goes_on_after_the_worst_set(refused):
    plain = altsets.find(SCORES, 2, 2, tau=0.5, search="simultaneous", aggregation="min")
    levelled = altsets.find(SCORES, 2, 2, tau=0.5, search="simultaneous", aggregation="leximin")
    assert min(plain.qualities) == min(levelled.qualities) == levelled.objective
    assert levelled.status == "optimal"
    with refused(UnsupportedError):
        altsets.find(
            SCORES, 2, 1, search="simultaneous", aggregation="leximin", constraints=constraints.AtMostSets(1)
        )
