"""What is returned when a search has to stop: as many sets as can be constructed, a finite bound, and why it ended."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from oracle import Numbers, Oracle

import altsets
from altsets import constraints, quality
from altsets.problem import Problem
from altsets.result import Status
from altsets.search.run import Run
from altsets.search.subset.construction import Construction
from altsets.search.subset.encoding import set_bound
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle

#: Seconds that are over at the first look at the clock.
HURRY = 1e-9
pytestmark = pytest.mark.usefixtures("clock")
SEARCHES = pytest.mark.parametrize(
    "way",
    [{"search": "sequential"}, {"search": "simultaneous"}, {"search": "simultaneous", "aggregation": "min"}],
    ids=["sequential", "sum", "min"],
)


def random_pairs(n, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.random((n, n))
    return rng.random(n), (pairs + pairs.T) / 2


def qualities(n, seed=0):
    relevance, pairs = random_pairs(n, seed)
    return {
        "additive": quality.Additive(relevance - 0.3),
        "fcbf": quality.FCBF(relevance, 0.9 * pairs**4),
        "mrmr": quality.MRMR(relevance, pairs),
        "cfs": quality.CFS(relevance, pairs),
    }


# --- Sets ---------------------------------------------------------------------------------------------
@SEARCHES
@pytest.mark.parametrize("kind", ["additive", "fcbf", "mrmr", "cfs"])
@pytest.mark.parametrize("engine", ["auto", "milp"])
def test_a_search_without_time_constructs_all_sets(kind, engine, way):
    if engine == "milp" and kind in ("cfs", "mrmr"):
        pytest.skip("not linear, or a large programme")
    searched = qualities(60)[kind]
    result = altsets.find(searched, 6, 3, 0.5, time_limit=HURRY, engine=engine, **way)
    assert len(result.sets) == 4
    # Where a bound is reached at once, even no time is enough.
    assert result.stop_reason == ("finished" if result.status is Status.OPTIMAL else "time_limit")
    assert {*result.statuses} <= {Status.FEASIBLE, Status.OPTIMAL}
    best = altsets.find(searched, 6, 0, engine="enumerate").objective
    reach = searched.form(6).linear
    assert result.bound <= (1 if way.get("aggregation") == "min" else 4) * np.sort(reach)[-6:].sum() + 1e-9
    # Not just any sets.
    assert result.qualities[0] >= 0.7 * best


@SEARCHES
def test_constructed_sets_keep_to_all_rules(way):
    """Each rule leaves few ways out; the verifier in ``find`` checks what comes back."""
    n = 40
    rules = [
        constraints.Require(3),
        constraints.Forbid([0, 1]),
        constraints.AtLeast(2, list(range(10, 20))),
        constraints.AtMost(1, list(range(20, 30))),
        constraints.Exclusive([4, 5, 6]),
        constraints.Implies(7, 8),
        constraints.Budget([1.0 + j % 3 for j in range(n)], 12.0),
        constraints.Size(4, 6),
    ]
    for kind, searched in qualities(n, seed=1).items():
        result = altsets.find(
            searched, 6, 3, 0.5, constraints=rules, existing=[(3, 10, 11, 30)], time_limit=HURRY, **way
        )
        assert len(result.sets) == 4, kind


@SEARCHES
def test_what_is_in_every_set_is_not_constructed_twice(way):
    all_of_it = [constraints.Size(1, 3), constraints.Budget([1] * 5, 1), constraints.Require(4)]
    good = quality.Additive([5, 4, 3, 2, 1])
    result = altsets.find(good, n_alternatives=1, tau=0.5, constraints=all_of_it, time_limit=HURRY, **way)
    assert len(result.sets) < 2


def test_where_adding_the_best_leads_nowhere_a_short_search_helps():
    """The best features are in neither group, and with two of them there is no room for both groups."""
    scores = np.r_[np.full(4, 9.0), np.ones(8)]
    rules = [constraints.AtLeast(2, [4, 5, 6, 7]), constraints.AtLeast(2, [8, 9, 10, 11])]
    problem = Problem.create(12, n_features=4, n_alternatives=1, constraints=rules)
    searched = quality.Additive(scores)
    construction = Construction(PricingOracle(searched, problem, Run()))
    sets = construction.all()
    assert len(sets) == 2
    assert all(rule.holds(chosen) for rule in problem.constraints for chosen in sets)


@pytest.mark.parametrize("rule", [constraints.Together([0, 3]), constraints.Implies(0, 3)])
def test_what_a_feature_needs_is_not_left_behind_without_it(rule):
    """The best feature does not fit beside what it needs, which is worth little."""
    rules = [rule, constraints.AtMost(1, [0, 3])]
    problem = Problem.create(5, n_features=2, n_alternatives=0, constraints=rules)
    construction = Construction(PricingOracle(quality.Additive([9, 2, 1, 3, 4]), problem, Run()))
    sets = construction.all()
    assert sets
    assert all(rule.holds(chosen) for rule in problem.constraints for chosen in sets)


def test_where_the_best_features_spend_the_budget_others_are_taken(clock):
    """Each set can pay for five of the best features only beside the cheapest ones, of which there are few."""
    scores = np.random.default_rng(0).random(1000)
    costs = np.round(scores * 1000)
    both = [constraints.TotalBudget(costs, 100_000), constraints.Budget(costs, 5000)]
    searched = quality.Additive(scores)
    found = altsets.find(searched, 10, 10, constraints=both, time_limit=clock.limit(1))
    assert len(found.sets) == 11
    assert min(found.qualities) > 4.9


@pytest.mark.slow
def test_many_features_among_which_a_search_cannot_end(clock):
    """Four of four sets, and together not clearly worse than one after the other."""
    searched = quality.MRMR(*random_pairs(1500))
    sequential, together = (
        altsets.find(searched, 10, 3, search=search, time_limit=clock.limit(300))
        for search in ("sequential", "simultaneous")
    )
    for result in (sequential, together):
        assert len(result.sets) == 4
        assert result.stop_reason == "time_limit"
        assert result.gap < 4
        assert "time limit" in result.proof
    assert together.objective >= 0.98 * sequential.objective


def test_exchanges_make_a_set_no_worse_and_often_better():
    searched = quality.MRMR(*random_pairs(80, seed=3))
    problem = Problem.create(80, n_features=6, n_alternatives=3)
    construction = Construction(PricingOracle(searched, problem, Run()))
    before = [tuple(range(start, start + 6)) for start in (0, 20, 40)]
    for chosen in before:
        after = construction.improved(chosen, before)
        assert searched.evaluate(after) >= searched.evaluate(chosen)
        assert all(problem.compatible(after, other) for other in before) or after == chosen
    assert searched.evaluate(construction.improved(before[0], before[1:])) > searched.evaluate(before[0])


# --- Bounds -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["additive", "mrmr", "cfs"])
def test_the_bound_on_one_set_holds_and_is_finite(kind, seed):
    n, size = 9, 3
    relevance, pairs = random_pairs(n, seed)
    # All negative, mixed and all positive; pairs of both signs where that is allowed.
    relevance = relevance - (seed % 3) / 2
    pairs = pairs - 0.5 if kind == "mrmr" and seed % 2 else pairs
    numbers = Numbers(kind, tuple(relevance), () if kind == "additive" else tuple(map(tuple, pairs)))
    searched = {
        "additive": lambda: quality.Additive(relevance),
        "mrmr": lambda: quality.MRMR(relevance, pairs),
        "cfs": lambda: quality.CFS(relevance, pairs),
    }[kind]()
    form = searched.form(size)
    for base, left_out in (((), ()), ((2,), (0,)), ((0, 5), (1, 2))):
        features = np.array([j for j in range(n) if j not in base and j not in left_out])
        inside = np.array(base, dtype=np.intp)
        used = np.concatenate([inside, features])
        bound = set_bound(form, size, features, inside, form.pair_range(used))
        rules = [("require", base)] * bool(base) + [("forbid", left_out)] * bool(left_out)
        best = Oracle(numbers, size, constraints=rules).next_best()
        assert best <= bound
        assert bound <= best + 2.0


def test_a_search_that_cannot_begin_has_a_bound_also_after_prices():
    pricing = PricingOracle(quality.MRMR(*random_pairs(40)), Problem.create(40, n_features=5), Run())
    plain, priced = (
        pricing.k_best(1, prices=prices, max_nodes=0).bound
        for prices in (None, DualPrices(np.full(40, 0.05)))
    )
    assert plain <= 2
    assert priced == pytest.approx(plain - 0.25)


# --- A set that may be taken again --------------------------------------------------------------------
def by_first(first, second):
    """Sets are different if their first features add up to 1 or 4; those that begin with 2 are unlike themselves."""
    return float((first[0] + second[0]) % 3 == 1)


@SEARCHES
@pytest.mark.parametrize(("kind", "engine"), [
    ("additive", "enumerate"), ("mrmr", "enumerate"), ("cfs", "enumerate"), ("black box", "exhaustive"),
])  # fmt: skip
@pytest.mark.parametrize("n_alternatives", [1, 3])
def test_an_own_dissimilarity_may_allow_a_set_again(kind, engine, n_alternatives, way):
    relevance, pairs = random_pairs(6, seed=5)
    numbers = Numbers(
        kind if kind in ("mrmr", "cfs") else "additive",
        tuple(relevance),
        tuple(map(tuple, pairs)) if kind in ("mrmr", "cfs") else (),
    )
    searched = {
        "additive": lambda: quality.Additive(relevance),
        "mrmr": lambda: quality.MRMR(relevance, pairs),
        "cfs": lambda: quality.CFS(relevance, pairs),
        "black box": lambda: quality.BlackBox(numbers.value, n_features_in=6),
    }[kind]()
    oracle = Oracle(numbers, 2, tau=0.5, dissimilarity=by_first)
    result = altsets.find(searched, 2, n_alternatives, 0.5, dissimilarity=by_first, engine=engine, **way)
    assert not oracle.complaints(result.sets)
    if way["search"] == "sequential":
        for position, value in enumerate(result.qualities):
            assert value == pytest.approx(oracle.next_best(result.sets[:position]))
        assert len(result.sets) > n_alternatives or oracle.next_best(result.sets) is None
    elif way.get("aggregation") == "min":
        assert result.objective == pytest.approx(oracle.best_min(n_alternatives + 1)[0])
    else:
        assert result.objective == pytest.approx(oracle.best_sum(n_alternatives + 1))


@SEARCHES
@pytest.mark.parametrize("engine", ["enumerate", "exhaustive", "local-search", "greedy-wrapper"])
def test_where_only_one_set_goes_with_itself_all_engines_take_it_again(engine, way):
    def only_one(first, second):
        return float(first == second == (1, 2))

    if engine == "enumerate":
        searched = quality.Additive([9, 8, 7, 3, 2])
    else:
        searched = quality.BlackBox(lambda chosen: -float(sum(chosen)), n_features_in=5)
    asked = dict(n_features=2, tau=0.5, dissimilarity=only_one, engine=engine)
    result = altsets.find(searched, n_alternatives=2, existing=[(1, 2)], **asked, **way)
    assert result.sets == [(1, 2)] * 3


# --- Words and fields ---------------------------------------------------------------------------------
def test_finished_is_what_is_proven_or_done():
    scores = quality.Additive([9, 8, 7, 3, 2, 1])
    assert altsets.find(scores, 2, 2).stop_reason == "finished"
    assert altsets.find(scores, 2, 4, 1.0).stop_reason == "finished"
    assert altsets.find(scores, 2, 2, search="greedy-balancing").stop_reason == "finished"
    black_box = quality.BlackBox(lambda chosen: -float(sum(chosen)), n_features_in=12, max_iters=30)
    for engine in ("local-search", "greedy-wrapper", "exhaustive"):
        result = altsets.find(black_box, 3, 1, engine=engine)
        assert result.stop_reason == "finished"
        assert 0 < result.evaluated <= 220
        assert "limit" not in result.proof


def test_engine_limit_is_said_where_an_engine_gives_up(monkeypatch, snapshot):
    from altsets.search.additive import engine as additive

    monkeypatch.setattr(additive, "best_set", lambda *_: (None, 100.0))
    monkeypatch.setattr(additive, "solver_best_set", lambda *_: (None, 100.0))
    result = altsets.find(quality.Additive([9, 8, 7, 3, 2, 1]), 2, 1)
    assert result.stop_reason == "engine_limit"
    assert result.proof == snapshot
    assert result.explain() == snapshot
    assert result.statuses == [Status.OPTIMAL, Status.FEASIBLE]
    assert len(result.sets) == 2


def test_a_black_box_that_fails_is_no_end():
    def score(chosen):
        if black_box.n_evaluations == 20:
            return math.nan
        return -float(sum(chosen))

    black_box = quality.BlackBox(score, n_features_in=12)
    with pytest.warns(UserWarning, match="ended early"):
        result = altsets.find(black_box, 3, 0, engine="local-search")
    assert result.stop_reason == "engine_limit"


def test_steps_count_work_and_not_seconds():
    searched = quality.MRMR(*random_pairs(120))
    first, second = (altsets.find(searched, 8, 1) for _ in range(2))
    assert first.steps == second.steps > 0
    assert altsets.find(quality.Additive([3, 2, 1]), 1, 1).steps == 0


def test_results_without_sets_are_equal_to_their_copies():
    result = altsets.find(quality.Additive([3, 2, 1]), 2, 0, constraints=constraints.Forbid([0, 1]))
    assert math.isnan(result.objective)
    for copy in (altsets.Result.from_json(result.to_json()), pickle.loads(pickle.dumps(result))):
        assert copy == result
        assert replace(copy, objective=float("nan"), elapsed=9.0, steps=9, evaluated=9) == result
    assert replace(result, objective=0.0) != result
    assert replace(result, status=Status.NOT_FOUND) != result
    assert result != "a result"


def test_iterate_says_for_each_set_why_its_search_ended():
    found = list(altsets.iterate(quality.MRMR(*random_pairs(60)), 6, 1, 0.5, time_limit=HURRY))
    assert [one.stop_reason for one in found] == ["time_limit"] * 2


def test_what_is_ruled_out_by_its_constraints_is_infeasible_however_short_the_time():
    rules = [constraints.Require([0]), constraints.AtMost(0, [0, 1])]
    good = quality.FCBF([3.0, 2.0, 1.0, 1.0], np.zeros((4, 4)))
    result = altsets.find(
        good, 2, 0, search="simultaneous", constraints=rules, engine="milp", time_limit=HURRY
    )
    assert (result.status, result.bound) == (Status.INFEASIBLE, -math.inf)
    assert altsets.Result.from_json(result.to_json()).bound == result.bound


def test_a_heuristic_without_time_has_not_run_out_of_features(snapshot):
    scores = quality.Additive([3.0, 3.0, -1.0, -1.0, -2.0, 1.0])
    result = altsets.find(scores, 3, 3, tau=0.3, search="greedy-depth", time_limit=HURRY)
    assert (result.status, result.stop_reason) == (Status.NOT_FOUND, "time_limit")
    assert result.reason == snapshot
