"""Black boxes: what they remember, and the searches that can only ask them."""

from __future__ import annotations

import math
import signal
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from checks import Request, disagreements
from greedy_wrapper import closest, greedy_wrapper
from random_requests import random_request, some_features

import altsets
from altsets import Status, constraints, quality
from altsets.errors import InputError, UnsupportedError
from altsets.problem import Problem
from altsets.search.black_box.evaluations import InitialSets
from altsets.search.black_box.greedy_wrapper import Repair, changes_of, tie_breakers
from altsets.search.run import Run
from altsets.search.solving import ENGINES

SEARCHES = [("sequential", "sum"), ("simultaneous", "sum"), ("simultaneous", "min")]
searches = pytest.mark.parametrize(("search", "aggregation"), SEARCHES)
HEURISTICS = ["local-search", "greedy-wrapper"]
heuristics = pytest.mark.parametrize("engine", HEURISTICS)


def box(request: Request, **options) -> quality.BlackBox:
    """The quality of a request, as a function that can only be asked."""
    return quality.BlackBox(request.quality.evaluate, n_features_in=len(request.scores), **options)


def small(count, search, aggregation, max_n=8, max_k=4):
    """Random requests with pair terms and all constraints, and numbers from 1 to 40 for the limit on their steps."""
    seed = 0
    while count:
        rng = np.random.default_rng([seed := seed + 1, len(search), len(aggregation)])
        request = random_request(rng, kind="mrmr")
        if len(request.scores) <= max_n and request.n_features <= max_k and not request.likeness:
            count -= 1
            few = min(request.n_alternatives, 2)
            request = replace(request, search=search, aggregation=aggregation, n_alternatives=few)
            yield request, int(rng.choice([1, 5, 7, 40])), rng


def rugged(n=30, seed=0, calls=None, **options):
    """A black box with many local optima."""
    rng = np.random.default_rng(seed)
    single, pairs = rng.random(n), rng.normal(size=(n, n))

    def score(chosen):
        if calls is not None:
            calls.append(chosen)
        return float(single[list(chosen)].sum() + pairs[np.ix_(chosen, chosen)].sum())

    return quality.BlackBox(score, n_features_in=n, **options)


# --- Repair and Algorithm 1 -----------------------------------------------------------------------
@pytest.mark.slow
def test_repair_is_the_closest_valid_solution():
    for request, _, rng in small(70, "simultaneous", "sum", max_n=7):
        problem, oracle = request.problem, request.oracle
        first = InitialSets(problem, Run()).all()
        if not first.sets:
            assert not oracle.feasible(problem.n_sets)
            continue
        flips = some_features(rng, len(request.scores), int(rng.integers(1, 3)))
        found = Repair(problem, Run()).closest(first.sets, [flips] * problem.n_sets)
        assert found == closest(oracle, first.sets, flips, tie_breakers(problem))


def worth(request, sets):
    return request.problem.objective([*map(request.oracle.value, sets)])


@searches
def test_greedy_wrapper_is_algorithm_1(search, aggregation):
    for request, steps, _ in small(15, search, aggregation, max_n=7, max_k=3):
        max_iters = steps if steps < 40 else 1000
        result = altsets.find(box(request, max_iters=max_iters), engine="greedy-wrapper", **request.options)
        initial_sets = InitialSets(request.problem, Run())
        ask = partial(greedy_wrapper, request.oracle, partial(worth, request))
        more = {"ties": tie_breakers(request.problem), "max_iters": max_iters}
        expected = []
        if search == "simultaneous":
            first = initial_sets.all().sets
            assert sorted(result.sets) == (sorted(ask(first, **more)) if first else [])
            continue
        while len(expected) < request.problem.n_sets and (first := initial_sets.one(expected)[0]) is not None:
            expected += ask([first], others=tuple(expected), **more)
        assert result.sets == expected


@pytest.mark.parametrize("tau", [0.4, 0.6, 0.8, 1.0])
def test_repair_of_three_sets_of_many_features(tau):
    """Where sets are tight, what the short way and the lists find is compared with the solver."""
    problem = Problem.create(15, n_features=4, n_alternatives=2, tau=tau, search="simultaneous")
    repair, rng = Repair(problem, Run()), np.random.default_rng(0)
    sets = list(InitialSets(problem, Run()).all().sets)
    for _ in range(10):
        flips = sorted(rng.choice(15, 2, replace=False).tolist())
        found = repair.closest(sets, [flips] * 3)
        solved = repair.closest_by_programme(changes_of(sets, [flips] * 3), ())
        assert found == solved
        sets = found or sets


# --- Every search against brute force -------------------------------------------------------------
@pytest.mark.slow
@searches
def test_exhaustive_search_proves_the_optimum(search, aggregation):
    for request, _, _ in small(40, search, aggregation):
        result = altsets.find(box(request), engine="exhaustive", **request.options)
        assert disagreements(replace(request, boxed=True), result, request.oracle) == []
        assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)


@pytest.mark.slow
@heuristics
@searches
def test_heuristics_find_valid_sets_no_worse_than_the_first(engine, search, aggregation):
    for request, max_iters, _ in small(40, search, aggregation):
        result = altsets.find(box(request, max_iters=max_iters), engine=engine, **request.options)
        oracle, problem = request.oracle, request.problem
        assert oracle.complaints(result.sets) == []
        assert {*result.statuses} <= {Status.FEASIBLE, Status.INFEASIBLE}
        assert result.bound == (math.inf if result.sets else -math.inf)
        initial_sets = InitialSets(problem, Run())
        if search == "simultaneous":
            assert bool(result.sets) == oracle.feasible(problem.n_sets)
            if result.sets:
                first = problem.objective([oracle.value(one) for one in initial_sets.all().sets])
                assert result.objective >= first - 1e-9
            continue
        for position, value in enumerate(result.qualities):
            first, _ = initial_sets.one(result.sets[:position])
            assert value >= oracle.value(first) - 1e-9
        if len(result.sets) < problem.n_sets:
            assert oracle.next_best(result.sets) is None


@searches
def test_auto_evaluates_all_sets_if_they_are_few(search, aggregation):
    asked = {"n_features": 3, "n_alternatives": 1, "search": search, "aggregation": aggregation}
    few = altsets.find(rugged(9, max_iters=84), **asked)  # 9 choose 3.
    assert (few.engine, few.status) == ("exhaustive", Status.OPTIMAL)
    many = altsets.find(rugged(9, max_iters=83), **asked)
    assert (many.engine, many.status) == ("local-search", Status.FEASIBLE)
    assert many.objective <= few.objective + 1e-9
    fewer = altsets.find(rugged(9, max_iters=28), constraints=constraints.Require(0), **asked)
    assert fewer.engine == "exhaustive"


@pytest.mark.slow
@searches
def test_local_search_beats_hill_climbing_at_equal_cost(search, aggregation):
    asked = {"n_features": 5, "n_alternatives": 2, "tau": 0.6, "search": search, "aggregation": aggregation}
    gains = []
    for seed in range(3):
        climbed = rugged(25, seed, max_iters=300)
        plain = altsets.find(climbed, engine="greedy-wrapper", **asked)
        evaluations = climbed.n_evaluations // (3 if search == "sequential" else 1)
        quick = rugged(25, seed, max_iters=evaluations)
        better = altsets.find(quick, engine="local-search", **asked)
        assert quick.n_evaluations <= climbed.n_evaluations
        gains.append(better.objective - plain.objective)
    assert np.mean(gains) > 0


# --- The budget, the memory, the number of jobs ---------------------------------------------------
@searches
@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
def test_each_set_is_scored_once(engine, search, aggregation):
    calls = []
    black_box = rugged(9, calls=calls)
    asked = {"n_features": 3, "n_alternatives": 2, "search": search, "aggregation": aggregation}
    first = altsets.find(black_box, engine=engine, **asked)
    assert len(calls) == len(set(calls)) == black_box.n_evaluations
    again = altsets.find(black_box, engine=engine, **asked)
    assert len(calls) == black_box.n_evaluations
    assert (first.sets, first.objective) == (again.sets, again.objective)


@searches
def test_local_search_keeps_to_its_budget(search, aggregation):
    black_box = rugged(max_iters=50)
    result = altsets.find(black_box, 5, 2, search=search, aggregation=aggregation)
    assert black_box.n_evaluations <= (150 if search == "sequential" else 50)
    assert result.parameters["max_iters"] == 50
    assert result.engine == "local-search"


@pytest.mark.slow
@searches
@heuristics
def test_answers_do_not_depend_on_the_number_of_jobs(engine, search, aggregation):
    asked = {
        "n_features": 4,
        "n_alternatives": 2,
        "search": search,
        "aggregation": aggregation,
        "engine": engine,
    }
    results = [altsets.find(rugged(15, n_jobs=jobs, max_iters=60), **asked) for jobs in (None, 1, 2)]
    assert len({(tuple(result.sets), result.objective) for result in results}) == 1


def test_what_was_scored_before_changes_no_answer():
    plain, warm = rugged(20, max_iters=150), rugged(20, max_iters=300)
    altsets.find(warm, 4, 1)
    warm.max_iters = 150
    asked = {"n_features": 4, "n_alternatives": 2, "search": "simultaneous"}
    assert altsets.find(plain, **asked).sets == altsets.find(warm, **asked).sets


def test_iterate_takes_the_budget():
    found = list(altsets.iterate(rugged(12, max_iters=30), 3, n_alternatives=2, tau=1))
    assert len(found) == 3
    assert all(result.parameters["max_iters"] == 30 for result in found)


# --- Stops and failures ---------------------------------------------------------------------------
@searches
@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
def test_time_limit(engine, search, aggregation, clock):
    def slow(chosen):
        clock.now += 1.0
        return -float(sum(chosen))

    black_box = quality.BlackBox(slow, n_features_in=25)
    result = altsets.find(
        black_box, 4, 2, search=search, aggregation=aggregation, engine=engine, time_limit=20
    )
    assert black_box.n_evaluations <= 21
    assert result.stop_reason == "time_limit"
    assert "time limit" in result.proof
    assert result.sets or engine == "exhaustive"
    assert {*result.statuses} <= {Status.FEASIBLE, Status.NOT_FOUND}
    assert result.bound == math.inf


@searches
@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
def test_ctrl_c_keeps_what_was_found(engine, search, aggregation):
    def score(chosen):
        if black_box.n_evaluations == 40:
            signal.raise_signal(signal.SIGINT)
        return -float(sum(chosen))

    black_box = quality.BlackBox(score, n_features_in=12)
    result = altsets.find(black_box, 3, 1, search=search, aggregation=aggregation, engine=engine)
    assert black_box.n_evaluations == 41
    assert result.sets
    assert result.stop_reason == "interrupted"
    assert "interrupted" in result.explain()
    assert Status.OPTIMAL not in result.statuses


@pytest.mark.parametrize("jobs", [None, 2])
@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
@pytest.mark.parametrize("value", [math.nan, math.inf, "much", None])
def test_a_score_that_is_no_number(engine, jobs, value, refused, warned):
    def score(chosen):
        return value if 3 in chosen and len(chosen) == 2 else -float(sum(chosen))

    names = list("abcdefgh")
    black_box = quality.BlackBox(score, feature_names=names, n_jobs=jobs)
    with warned(UserWarning):
        result = altsets.find(black_box, 2, 1, engine=engine)
    assert result.sets
    assert "d" in result.explain()
    assert result.status in (Status.FEASIBLE, Status.NOT_FOUND)
    first = constraints.Require("d")
    with refused(InputError):
        altsets.find(black_box, 2, 1, engine=engine, constraints=first)


def test_a_score_that_raises(snapshot):
    def score(chosen):
        raise ZeroDivisionError("nothing to divide\nby")

    with pytest.raises(InputError) as told:
        altsets.find(quality.BlackBox(score, n_features_in=5), 2, 1)
    assert str(told.value) == snapshot
    assert isinstance(told.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
@searches
def test_minus_infinity_rules_a_set_out(engine, search, aggregation):
    request = Request(
        tuple(float(j) for j in range(8)),
        3,
        1,
        kind="fcbf",
        matrix=((0.5, 100.0) + (0.5,) * 6,) * 2 + ((-1.0,) * 8,) * 6,
        search=search,
        aggregation=aggregation,
    )
    result = altsets.find(box(request), engine=engine, **request.options)
    assert result.sets
    assert request.oracle.complaints(result.sets) == []
    none = quality.BlackBox(lambda chosen: -math.inf, n_features_in=7)
    result = altsets.find(none, 2, 1, engine=engine, search=search, aggregation=aggregation)
    assert not result.sets
    assert result.status is (Status.INFEASIBLE if engine == "exhaustive" else Status.NOT_FOUND)


@pytest.mark.parametrize("engine", ["exhaustive", *HEURISTICS])
def test_infeasible_requests_say_why(engine, snapshot):
    asked = {"n_features": 3, "tau": 1, "engine": engine}
    result = altsets.find(rugged(7), n_alternatives=2, search="simultaneous", **asked)
    assert result.status is Status.INFEASIBLE
    assert result.reason == snapshot
    clash = [constraints.Require("x1"), constraints.Exclusive(["x1", "x2"]), constraints.Require("x2")]
    result = altsets.find(rugged(7), n_alternatives=1, constraints=clash, **asked)
    assert "constraints clash" in result.explain()
    assert "x1" in result.explain()
    result = altsets.find(rugged(7), n_alternatives=3, **asked)
    assert result.statuses == [result.statuses[0]] * 2 + [Status.INFEASIBLE] * 2
    sizes = [constraints.Size(1, 2), constraints.Size(4, 5)]
    assert altsets.find(rugged(7), constraints=sizes, engine=engine).status is Status.INFEASIBLE


def test_engines_decline_in_one_sentence(refused):
    black_box = rugged(8)
    for engine in ("additive", "enumerate", "milp", "greedy"):
        with pytest.raises(UnsupportedError, match=r"BlackBox|heuristic"):
            altsets.find(black_box, 2, 1, engine=engine)
    with refused(UnsupportedError):
        altsets.find(black_box, 2, 1, search="greedy-depth")
    for engine in ("exhaustive", *HEURISTICS):
        with refused(UnsupportedError):
            altsets.find(quality.Additive([1, 2, 3]), 2, 1, engine=engine)
        with refused(UnsupportedError):
            altsets.find(black_box, 2, 1, engine=engine, search="greedy-depth")
    with pytest.raises(UnsupportedError, match="more than 2,000,000"):
        altsets.find(rugged(40), 20, 1, engine="exhaustive")
    with refused(UnsupportedError):
        black_box.form(2)


@pytest.mark.parametrize("value", [0, -3, 2.5, "many", None, True])
def test_max_iters_is_a_positive_whole_number(value):
    with pytest.raises(InputError, match="max_iters="):
        rugged(8, max_iters=value)


def test_max_iters_is_a_parameter_of_black_boxes_only():
    assert "max_iters" not in altsets.find(quality.Additive([1, 2, 3]), 2, 1).parameters
    result = altsets.find(rugged(8), 2, 1)
    assert altsets.Result.from_json(result.to_json()).parameters["max_iters"] == 1000


def test_progress_only_gets_better():
    seen = []
    result = altsets.find(rugged(max_iters=200), 5, 2, search="simultaneous", callback=seen.append)
    objectives = [progress.best for progress in seen]
    assert objectives == sorted(objectives)
    assert objectives[-1] == result.objective
    assert len(objectives) > 2


def test_tight_sets_are_still_improved():
    """All features are used and no two sets may share one, so features must change places."""
    scores = np.arange(9.0) ** 2
    black_box = quality.BlackBox(lambda chosen: float(scores[list(chosen)].sum()), n_features_in=9)
    asked = {"n_features": 3, "n_alternatives": 2, "tau": 1, "search": "simultaneous", "aggregation": "min"}
    best = altsets.find(quality.Additive(scores), **asked).objective
    assert altsets.find(black_box, engine="local-search", **asked).objective == best


def test_every_engine_is_named_in_the_documentation():
    assert all(f'"{name}"' in altsets.find.__doc__ for name in ENGINES)
