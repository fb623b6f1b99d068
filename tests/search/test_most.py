"""The largest tau, and the largest number of sets, at which sets are good enough: certain cases and parts."""

from __future__ import annotations

import itertools
import math
import signal

import numpy as np
import pytest

import altsets
from altsets import Result, Status, constraints, quality
from altsets.dissimilarity import Grouped
from altsets.search.family_search import Bisection
from altsets.search.good_sets import largest_clique

NAMES = [f"feature {letter}" for letter in "abcdefgh"]
SCORES = quality.Additive([9, 8, 8, 8, 7, 7, 2, 1], feature_names=NAMES)


def most_different(good, n_features=5, n_alternatives=3, **options):
    """Sets that are as different as possible, chosen together."""
    given = {"tau": "max", "search": "simultaneous", "aggregation": "min", **options}
    if "min_quality" not in given:
        given.setdefault("within", 0.05)
    return altsets.find(good, n_features, n_alternatives, **given)


def most_sets(good, n_features=5, tau=None, **options):
    """As many sets as there are, chosen together."""
    given = {"search": "simultaneous", "aggregation": "min", **options}
    return altsets.find(good, n_features, "max", tau, **given)


# --- Certain cases ----------------------------------------------------------------------------------------
def test_what_is_said_about_the_largest_tau(snapshot):
    result = most_different(SCORES, n_features=2, n_alternatives=2, within=0.05)
    assert (result.tau, result.status, result.stop_reason) == (0.5, Status.OPTIMAL, "finished")
    assert result.explain() == snapshot
    assert result.parameters["within"] == 0.05
    assert result.named_sets[0] == ("feature a", "feature b")
    assert Result.from_json(result.to_json()) == result
    assert Result.from_json(result.to_json()).tau == 0.5


def test_what_is_said_about_the_number_of_sets(snapshot):
    result = most_sets(SCORES, n_features=2, tau=1, min_quality=15)
    assert (len(result.sets), result.n_sets_bound, result.tau) == (3, 3.0, 1.0)
    assert result.explain() == snapshot
    assert Result.from_json(result.to_json()) == result
    assert most_sets(SCORES, n_features=2, tau=0, within=1).n_sets_bound == 28


@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard", Grouped({j: j // 2 for j in range(8)})])
def test_no_set_comes_twice_for_a_tau_that_counts_as_zero(dissimilarity):
    result = most_sets(SCORES, 2, 1e-10, within=0.1, dissimilarity=dissimilarity)
    assert len(set(result.sets)) == len(result.sets) == result.n_sets_bound > 1


def test_a_set_comes_once_even_if_a_function_finds_it_different_from_itself():
    result = most_sets(SCORES, n_features=2, tau=1, min_quality=16, dissimilarity=lambda F, G: 1.0)
    assert len(set(result.sets)) == len(result.sets) == 8
    assert result.status is Status.OPTIMAL
    repeated = most_different(SCORES, 2, 2, min_quality=17, dissimilarity=lambda F, G: 1.0)
    assert repeated.tau == 1.0


@pytest.mark.parametrize("tau", [0, 0.5, 1])
@pytest.mark.parametrize("own", [lambda F, G: 1.0, "dice"])
def test_an_existing_set_is_not_found_again(tau, own):
    if own == "dice" and tau:
        pytest.skip("other sets are too much alike")
    given = {"n_features": 2, "existing": [[0, 1]], "dissimilarity": own}
    result = most_sets(SCORES, min_quality=16, tau=tau, **given)
    assert (0, 1) not in result.sets
    assert len(set(result.sets)) == len(result.sets) == 7
    assert result.status is Status.OPTIMAL


def test_one_set_and_existing_ones(snapshot):
    near = most_different(SCORES, 2, 0, within=0, existing=[["feature a", "feature c"]])
    assert (near.tau, near.sets) == (0.5, [(0, 1)])
    alone = most_sets(SCORES, 2, 0.5, min_quality=17, existing=[["feature a", "feature b"]])
    assert alone.sets == [(0, 2), (0, 3)]
    none = most_sets(SCORES, 2, 1, min_quality=17, existing=[["feature a"]])
    assert (none.sets, none.status) == ([], Status.INFEASIBLE)
    assert none.reason == snapshot


@pytest.mark.parametrize("ask", [most_different, most_sets])
def test_a_quality_that_no_set_has(ask, snapshot):
    result = ask(SCORES, n_features=2, min_quality=17.5)
    assert (result.status, result.sets, result.bound) == (Status.INFEASIBLE, [], -math.inf)
    assert math.isnan(result.objective)
    assert result.reason == snapshot
    assert result.reason in result.explain()
    assert Result.from_json(result.to_json()) == result


@pytest.mark.parametrize("ask", [most_different, most_sets])
def test_constraints_that_clash(ask):
    clash = [constraints.Require("feature a"), constraints.Forbid("feature a")]
    result = ask(SCORES, n_features=2, within=0.1, constraints=clash)
    assert (result.status, result.sets) == (Status.INFEASIBLE, [])
    assert "feature a" in result.reason


def test_black_boxes():
    few = quality.BlackBox(lambda chosen: float(-sum(chosen)), n_features_in=6)
    result = most_different(few, 2, 1, min_quality=-7)
    assert (result.status, result.tau) == (Status.OPTIMAL, 1.0)
    assert len(most_sets(few, 2, 1, min_quality=-5).sets) == 3
    many = quality.BlackBox(lambda chosen: float(-sum(chosen)), n_features_in=40)
    result = most_different(many, 5, 1, within=0.5)
    assert result.status is Status.FEASIBLE
    assert len(result.sets) == 2


# --- Time, Ctrl-C, progress -----------------------------------------------------------------------------------
def hard():
    rng = np.random.default_rng(3)
    return quality.MRMR(rng.random(60), rng.random((60, 60)))


@pytest.mark.parametrize("ask", [most_different, most_sets])
def test_a_time_limit_is_kept_with_valid_sets(ask, clock, snapshot):
    result = ask(hard(), n_features=8, within=0.3, time_limit=clock.limit(50))
    assert clock.looks < 100
    assert result.sets
    assert result.objective <= result.bound
    assert min(result.qualities) >= result.parameters["quality_needed"] - 1e-9
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, "time_limit")
    assert result.explain() == snapshot
    assert Result.from_json(result.to_json()) == result


@pytest.mark.parametrize("ask", [most_different, most_sets])
def test_ctrl_c_keeps_what_was_found(ask):
    def press(progress):
        if not told:
            signal.raise_signal(signal.SIGINT)
        told.append(progress)

    told = []
    result = ask(hard(), n_features=8, within=0.3, callback=press)
    assert (result.status, result.stop_reason, result.interrupted) == (Status.FEASIBLE, "interrupted", True)
    assert result.sets
    assert "interrupted" in result.explain()


class Ended(Exception):
    pass


@pytest.mark.parametrize(("ask", "goal"), [(most_different, "tau"), (most_sets, "n_sets")])
def test_progress_is_told_and_may_end_the_search(ask, goal):
    told = []
    result = ask(SCORES, n_features=3, within=0.2, callback=told.append)
    first = [one for one in told if one.goal == goal]
    assert first
    assert [one.best for one in first] == sorted(one.best for one in first)
    assert (first[-1].best, first[-1].bound) == (
        (result.tau, result.tau_bound) if goal == "tau" else (len(result.sets), result.n_sets_bound)
    )
    assert told[-1].goal == "quality"
    assert (told[-1].best, told[-1].bound) == (result.objective, result.bound)
    assert told[-1].sets == result.sets

    def end(progress):
        raise Ended

    with pytest.raises(Ended):
        ask(SCORES, n_features=3, within=0.2, callback=end)


@pytest.mark.parametrize("ask", [most_sets, most_different])
def test_open_sizes_of_a_sum_are_not_those_of_a_mean(ask):
    found = ask(SCORES, within=0.5, constraints=constraints.Size(1, 2))
    mean = quality.MRMR(SCORES.scores, np.zeros((len(SCORES.scores),) * 2))
    other = ask(mean, within=0.5, constraints=constraints.Size(1, 2))
    assert (found.parameters["size_normalised"], other.parameters["size_normalised"]) == (False, True)


# --- The parts ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("density", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_the_largest_clique(density):
    rng = np.random.default_rng(int(10 * density))
    for n in (0, 1, 2, 5, 9, 13):
        joined = np.triu(rng.random((n, n)) < density, 1)
        joined |= joined.T
        bits = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in joined]
        sizes = [
            len(some)
            for size in range(n + 1)
            for some in itertools.combinations(range(n), size)
            if all(joined[i, j] for i, j in itertools.combinations(some, 2))
        ]
        members, bound = largest_clique(bits, n + 1, lambda vertices: False)
        assert len(members) == bound == max(sizes)
        assert all(joined[i, j] for i, j in itertools.combinations(members, 2))
        for steps in range(4):
            counter = itertools.count()
            some, bound = largest_clique(bits, n + 1, lambda vertices, c=counter, s=steps: next(c) >= s)
            assert len(some) <= max(sizes) <= bound


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("start", [0, 2])
def test_the_largest_feasible_level(start, doubling):
    for top in range(start, 12):
        for last in range(start, top + 1):
            for hard_ones in ((), (last,), (last + 1,), (last, last + 1, last + 2)):
                levels = Bisection(start, top + 1, top)

                def attempt(level, steps, last=last, hard_ones=hard_ones):
                    if level in hard_ones and steps < math.inf:
                        return None, None
                    return (level, None) if level <= last else (None, level)

                levels.search(attempt, 10, doubling=doubling)
                assert (levels.reached, levels.refuted) == (last, last + 1)
