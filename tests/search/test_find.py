"""The contract of ``find`` and ``iterate``."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import signal
from itertools import islice
from math import comb

import numpy as np
import pandas
import pytest
from checks import Request, disagreements
from oracle import Oracle

import altsets
from altsets import Status, quality
from altsets.errors import InputError, UnsupportedError, VerificationError
from altsets.results import Progress

SCORES = [9.0, 8.0, 7.0, 3.0, 2.0, 1.0]
WAYS = [
    {"search": "sequential"},
    {"search": "simultaneous", "aggregation": "sum"},
    {"search": "simultaneous", "aggregation": "min"},
]
ways = pytest.mark.parametrize("way", WAYS, ids=["sequential", "sum", "min"])


def find(scores, **options):
    return altsets.find(quality.Additive(scores), **options)


def objective_of(values, way):
    return min(values) if way.get("aggregation") == "min" else math.fsum(values)


# --- Statuses and bounds --------------------------------------------------------------------------
@ways
def test_an_optimal_answer(way, clock):
    result = find(SCORES, n_features=2, n_alternatives=2, tau=0.5, **way)
    assert result.status is Status.OPTIMAL
    assert result.statuses == [Status.OPTIMAL] * 3
    assert result.bound == pytest.approx(result.objective, abs=1e-9)
    assert result.bound >= result.objective
    assert result.reason == ""
    assert "proven optimal" in result.explain()
    assert result.proof
    assert result.parameters["search"] == way["search"]
    assert 0 < result.elapsed < clock.now


def test_sequential_stops_at_the_first_missing_set():
    result = find(SCORES, n_features=2, n_alternatives=4, tau=1)
    assert result.sets == [(0, 1), (2, 3), (4, 5)]
    assert result.qualities == [17, 10, 3]
    assert result.objective == 30
    assert result.bound >= 30
    assert result.status is Status.INFEASIBLE
    assert result.statuses == [Status.OPTIMAL] * 3 + [Status.INFEASIBLE] * 2


# --- What is possible instead ---------------------------------------------------------------------
@ways
@pytest.mark.parametrize(("n", "k", "a", "options"), [
    (6, 2, 5, {"tau": 1}), (40, 10, 5, {"tau": 1.0}),
    (7, 3, 7, {"tau": 2, "dissimilarity": "absolute"}),
    (6, 5, 3, {"tau": 0.4}), (4, 4, 1, {"tau": 0.25}), (12, 4, 30, {"tau": 0.75}), (5, 1, 9, {"tau": 1}),
])  # fmt: skip
def test_an_infeasible_request_names_a_smaller_one_that_works(way, n, k, a, options):
    scores = [float(n - j) for j in range(n)]
    result = find(scores, n_features=k, n_alternatives=a, **options, **way)
    assert result.status is Status.INFEASIBLE
    possible = number_of_alternatives(result.explain())
    assert possible is not None, result.explain()
    assert possible < a
    smaller = find(scores, n_features=k, n_alternatives=possible, **options, **way)
    assert len(smaller.sets) == possible + 1
    assert smaller.status is Status.OPTIMAL
    if "largest" in result.reason or not possible:
        assert (
            find(scores, n_features=k, n_alternatives=possible + 1, **options, **way).status
            is Status.INFEASIBLE
        )


def number_of_alternatives(reason):
    """How many alternatives a reason calls possible; None if it names no number."""
    if named := re.search(r"n_alternatives=(\d+) is (?:the largest )?possible", reason):
        return int(named[1])
    return 0 if re.search("no alternative|no two sets", reason, re.IGNORECASE) else None


@pytest.mark.parametrize(("name", "kind"), [("n_features", int), ("tau", float)])
@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard", "absolute"])
def test_a_smaller_value_that_is_named_leaves_room_for_all_sets(name, kind, dissimilarity):
    named = 0
    for n, k, a in itertools.product(range(2, 9), range(2, 6), (1, 2, 4)):
        for tau, search in itertools.product((0.2, 0.5, 1), ("sequential", "simultaneous")):
            tau = math.ceil(tau * k) if dissimilarity == "absolute" else tau
            options = {"n_alternatives": a, "tau": tau, "search": search, "dissimilarity": dissimilarity}
            if k > n or not (
                value := re.search(
                    rf"{name} to ([\d.]+\d|\d)", find(range(n), n_features=k, **options).reason
                )
            ):
                continue
            named += 1
            assert (
                find(range(n), **{"n_features": k} | options | {name: kind(value[1])}).status
                is Status.OPTIMAL
            )
    assert named > 25


def test_sets_of_all_features_have_no_alternative_at_any_tau(snapshot):
    alone = find([3.0, 2, 1, 1, 1], n_features=5, n_alternatives=3, tau=0.5)
    assert alone.reason == snapshot
    closer = find([3.0, 2, 1, 1, 1], n_features=4, n_alternatives=1, tau=0.5)
    assert closer.reason == snapshot


# --- Edges ----------------------------------------------------------------------------------------


#: Scores, a request, and the qualities of the best sets.
EDGES = {
    "equal sets": (SCORES, {"n_features": 3, "n_alternatives": 4, "tau": 0}, [24] * 5),
    "one set": (SCORES, {"n_features": 3, "n_alternatives": 0, "tau": 1}, [24]),
    "all features": (SCORES, {"n_features": 6, "n_alternatives": 0}, [30]),
    "all features, equal sets": (SCORES, {"n_features": 6, "n_alternatives": 2, "tau": 0}, [30] * 3),
    "a single feature": ([5.0], {"n_features": 1, "n_alternatives": 0}, [5]),
    "a single feature, equal sets": ([5.0], {"n_features": 1, "n_alternatives": 2, "tau": 0}, [5] * 3),
    **{
        f"sets of one feature, {tau}": (
            SCORES,
            {"n_features": 1, "n_alternatives": 3, "tau": tau},
            [9, 8, 7, 3],
        )
        for tau in (0.01, 0.5, 1)
    },
    **{
        f"constant {value}": (
            [value] * 8,
            {"n_features": 3, "n_alternatives": 3, "tau": 0.6},
            [3 * value] * 4,
        )
        for value in (0.0, -2.5, 1e6, 1e-6)
    },
}


@ways
@pytest.mark.parametrize("edge", EDGES)
def test_edges(way, edge):
    scores, asked, values = EDGES[edge]
    result = find(scores, **asked, **way)
    assert result.status is Status.OPTIMAL
    assert sorted(result.qualities, reverse=True) == pytest.approx(values)
    assert result.objective == pytest.approx(objective_of(values, way))
    assert not Oracle(scores, asked["n_features"], tau=asked.get("tau", 0.5)).complaints(result.sets)


@ways
@pytest.mark.parametrize(("scores", "n_features", "n_alternatives", "n_in_turn"), [
    (SCORES, 6, 1, 1), (SCORES, 1, 6, 6), ([5.0], 1, 1, 1),
])  # fmt: skip
def test_more_sets_than_there_are(way, scores, n_features, n_alternatives, n_in_turn):
    result = find(scores, n_features=n_features, n_alternatives=n_alternatives, tau=0.1, **way)
    assert result.status is Status.INFEASIBLE
    assert len(result.sets) == (n_in_turn if way["search"] == "sequential" else 0)


@ways
def test_negative_scores_are_no_reason_to_take_fewer_features(way):
    result = find([-1.0, -2.0, -3.0, -4.0], n_features=2, n_alternatives=1, tau=1, **way)
    assert sorted(map(len, result.sets)) == [2, 2]
    assert result.objective == (-5 if way.get("aggregation") == "min" else -10)
    assert result.status is Status.OPTIMAL


@ways
def test_mostly_zero_scores(way):
    """Tree importances: the hard case for the minimum."""
    scores = [5.0, 3.0] + [0.0] * 18
    result = find(scores, n_features=4, n_alternatives=4, tau=1, **way)
    assert result.objective == {"sequential": 8, "sum": 8, "min": 0}[way.get("aggregation", "sequential")]
    assert result.status is Status.OPTIMAL
    assert math.fsum(result.qualities) == 8  # also with min, where the larger sum is preferred


def test_default_request():
    result = find([float(j) for j in range(20)])
    assert [len(chosen) for chosen in result.sets] == [5] * 4
    assert result.parameters["tau"] == 0.5
    assert result.parameters["max_overlap"] == 2


# --- Existing sets --------------------------------------------------------------------------------
@ways
def test_existing_sets_are_kept_away_from(way):
    options = {"n_features": 2, "tau": 1, "existing": [(0, 1), (2,)], **way}
    assert find(SCORES, n_alternatives=0, **options).sets == [(3, 4)]
    result = find(SCORES, n_alternatives=1, **options)
    assert result.status is Status.INFEASIBLE
    assert result.sets == ([(3, 4)] if way["search"] == "sequential" else [])


@ways
def test_existing_sets_by_name_and_in_any_order(way):
    scores = quality.Additive(SCORES, feature_names=list("abcdef"))
    options = {"n_features": 2, "n_alternatives": 1, "tau": 1, **way}
    by_name = altsets.find(scores, existing=[("b", "a")], **options)
    by_index = altsets.find(scores, existing=[np.array([1, 0])], **options)
    assert by_name.sets == by_index.sets
    assert by_name.objective == by_index.objective


# --- Names ----------------------------------------------------------------------------------------
def test_names_are_made_up_where_none_are_given():
    assert find(SCORES, n_features=2, n_alternatives=0).named_sets == [("x0", "x1")]


# --- Refusals -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("options", "error", "message"), [
    ({"engine": "gurobi"}, InputError, "engine='gurobi' is unknown; choose one of 'auto'"),
    ({"engine": "greedy"}, UnsupportedError, "engine 'greedy' does not solve this"),
    ({"engine": "additive", "search": "greedy-depth"}, UnsupportedError, "engine 'additive' does not solve this"),
    ({"engine": "milp", "search": "greedy-balancing"}, UnsupportedError, "engine 'milp' does not solve this"),
    ({"time_limit": 0}, InputError, "time_limit=0 must be a positive number"),
    ({"time_limit": -1.0}, InputError, "time_limit=-1.0"),
    ({"time_limit": "1"}, InputError, "time_limit='1'"),
    ({"time_limit": math.nan}, InputError, "time_limit=nan"),
    ({"existing": [("x9",)]}, InputError, "an existing set names 'x9', which is not a feature"),
    ({"existing": ["x1"]}, InputError, "not the single string 'x1'"),
    ({"existing": [(6,)]}, InputError, "names feature 6"),
])  # fmt: skip
def test_bad_requests(options, error, message):
    with pytest.raises(error, match=message):
        find(SCORES, **{"n_features": 2, **options})


def test_an_engine_that_lies_is_caught(monkeypatch, refused):
    from altsets.search import solving as module

    honest = module.ENGINES["additive"]

    class Liar:
        name = "additive"

        def declines(self, quality, problem):
            return None

        def solve(self, quality, problem, run):
            answer = honest.solve(quality, problem, run)
            return type(answer)([answer.sets[0]] * 2, answer.statuses, answer.bound, answer.proof)

    monkeypatch.setitem(module.ENGINES, "additive", Liar())
    with refused(VerificationError):
        find(SCORES, n_features=2, n_alternatives=1, engine="additive")


# --- Engines --------------------------------------------------------------------------------------
@ways
@pytest.mark.parametrize("engine", ["additive", "milp"])
def test_an_engine_can_be_forced(way, engine):
    result = find(SCORES, n_features=3, n_alternatives=2, tau=0.5, engine=engine, **way)
    assert result.engine == engine
    assert engine in result.explain()
    assert result.objective == {"sequential": 50, "sum": 54, "min": 18}[way.get("aggregation", "sequential")]
    assert result.status is Status.OPTIMAL


def test_the_default_is_the_specialised_engine():
    assert find(SCORES, n_features=3, n_alternatives=2, search="simultaneous").engine == "additive"


# --- Progress and time ----------------------------------------------------------------------------
@ways
def test_callback_hears_of_the_search(way):
    heard: list[Progress] = []
    rng = np.random.default_rng(0)
    result = find(rng.random(30), n_features=5, n_alternatives=3, tau=0.6, callback=heard.append, **way)
    assert heard
    assert all(isinstance(progress, Progress) for progress in heard)
    times = [progress.elapsed for progress in heard]
    assert times == sorted(times)
    assert times[-1] <= result.elapsed
    for progress in heard:
        assert math.isnan(progress.best) or progress.bound >= progress.best - 1e-9
        if way["search"] == "simultaneous":
            assert progress.bound >= result.objective - 1e-9
    assert heard[-1].best == pytest.approx(result.objective)
    assert heard[-1].sets == result.sets


@ways
def test_ctrl_c_keeps_what_was_found(way):
    pressed = 0

    def press(progress):
        nonlocal pressed
        if progress.sets and not pressed:
            pressed += 1
            signal.raise_signal(signal.SIGINT)

    scores = np.random.default_rng(1).random(40)
    before = signal.getsignal(signal.SIGINT)
    try:
        result = find(scores, n_features=6, n_alternatives=4, tau=0.5, callback=press, **way)
    except KeyboardInterrupt:  # It would end the whole test run.
        pytest.fail("Ctrl-C reached the caller")
    assert signal.getsignal(signal.SIGINT) is before
    assert pressed == 1
    assert result.sets
    assert not Oracle(scores, 6, tau=0.5).complaints(result.sets)
    assert result.bound >= result.objective
    if way["search"] == "sequential":
        # The others were constructed.
        assert len(result.sets) == 5
        assert result.statuses == [Status.OPTIMAL] + [Status.FEASIBLE] * 4
        assert result.stop_reason == "interrupted"
        assert result.interrupted
        assert "interrupted" in result.explain()


@ways
@pytest.mark.parametrize("engine", ["additive", "milp"])
def test_time_limit_is_kept(way, engine, clock):
    """Many sets of many nearly equal features: hard for everybody."""
    rng, n = np.random.default_rng(3), 30
    scores = 1 + rng.random(200) * 1e-3
    limit = clock.limit(100)
    result = find(scores, n_features=20, n_alternatives=n, tau=0.85, time_limit=limit, engine=engine, **way)
    assert clock.looks < 2000
    assert result.status is not Status.OPTIMAL, "a search that ends by itself keeps to any limit"
    request = Request(
        tuple(scores), 20, n, 0.85, search=way["search"], aggregation=way.get("aggregation", "sum")
    )
    assert disagreements(request, result) == []


# --- One set at a time ----------------------------------------------------------------------------
def test_iterate_is_lazy():
    asked = 0

    class Counting(quality.Additive):
        def evaluate(self, indices):
            nonlocal asked
            asked += 1
            return super().evaluate(indices)

    sets = altsets.iterate(Counting(SCORES), n_features=2, tau=0.5)
    assert inspect.isgenerator(sets)
    assert asked == 0
    first = next(sets)
    assert first.sets == [(0, 1)]
    so_far = asked
    assert so_far > 0
    next(sets)
    assert asked > so_far


def test_iterate_gives_the_sets_of_find():
    scores = quality.Additive([3.7, 3.1, 2.9, 2.2, 1.8, 1.1, 0.7, 0.2])
    options = {"n_features": 3, "tau": 0.5}
    whole = altsets.find(scores, n_alternatives=4, **options)
    steps = list(islice(altsets.iterate(scores, **options), 5))
    assert [step.sets[0] for step in steps] == whole.sets
    assert [step.qualities[0] for step in steps] == whole.qualities
    assert all(step.status is Status.OPTIMAL for step in steps)


def test_iterate_ends_when_no_set_is_left():
    sets = [found.sets[0] for found in altsets.iterate(quality.Additive(SCORES), n_features=2, tau=1)]
    assert sets == [(0, 1), (2, 3), (4, 5)]
    pairs = [
        found.sets[0]
        for found in altsets.iterate(quality.Additive(SCORES), n_features=2, tau=1, dissimilarity="absolute")
    ]
    assert len(set(pairs)) == len(pairs) == 15


def test_iterate_gives_each_set_once_where_equal_sets_are_allowed():
    found = [step.sets[0] for step in altsets.iterate(quality.Additive(SCORES), n_features=2, tau=0)]
    assert len(set(found)) == len(found) == comb(len(SCORES), 2)
    again = altsets.iterate(quality.Additive(SCORES), n_features=2, tau=0, n_alternatives=2)
    assert [step.sets[0] for step in again] == [(0, 1)] * 3


def test_iterate_with_existing_sets():
    given_sets = [(0, 1)]
    found = altsets.iterate(quality.Additive(SCORES), n_features=2, tau=1, existing=given_sets)
    assert [step.sets[0] for step in found] == [(2, 3), (4, 5)]
    assert given_sets == [(0, 1)]


def test_iterate_is_sequential():
    with pytest.raises(InputError, match="sequential"):
        next(altsets.iterate(quality.Additive(SCORES), n_features=2, search="simultaneous"))
    with pytest.raises(InputError, match="n_features=9"):
        next(altsets.iterate(quality.Additive(SCORES), n_features=9))


# --- Scores ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("scores", "message"), [
    ([], r"got shape \(0,\)"), ([[1.0, 2.0]], r"got shape \(1, 2\)"), (3.0, r"got shape \(\)"),
    (["a", "b"], "scores must be numbers"),
    ([1.0, math.nan, math.inf], r"2 of 3 scores are not finite \(x1, x2\)"),
])  # fmt: skip
def test_bad_scores(scores, message):
    with pytest.raises(InputError, match=message):
        quality.Additive(scores)


def test_scores_are_copied_and_protected():
    given_scores = np.array([1.0, 2.0, 3.0])
    scores = quality.Additive(given_scores)
    given_scores[0] = 100.0
    assert scores.evaluate((0, 1)) == 3.0
    with pytest.raises(ValueError, match="read-only"):
        scores.scores[0] = 5.0


def test_a_series_brings_its_names():
    scores = quality.Additive(pandas.Series([1.0, 3.0, 2.0], index=["a", "b", "c"]))
    assert altsets.find(scores, n_features=2, n_alternatives=0).named_sets == [("b", "c")]


def test_what_a_callback_raises_ends_a_search_inside_the_kernels(clock):
    scores = 1 + np.random.default_rng(3).random(200) * 1e-3
    clock.step = 0.05

    def stop(progress):
        if progress.elapsed > 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        altsets.find(quality.Additive(scores), 20, 30, 0.85, callback=stop)


def test_simultaneous_search_is_suggested_only_where_counting_leaves_room(snapshot):
    scores = quality.Additive(range(10))
    full = altsets.find(scores, n_features=3, n_alternatives=6, tau=1)
    assert full.reason == snapshot
    # Seven triples of seven features leave no pair for the eighth feature; chosen together, eight triples fit.
    stuck = altsets.find(quality.Additive(range(8)), n_features=3, n_alternatives=13, tau=0.6)
    assert stuck.reason == snapshot
    more = altsets.find(
        quality.Additive(range(8)), n_features=3, n_alternatives=7, tau=0.6, search="simultaneous"
    )
    assert len(more.sets) == 8
