"""The three greedy heuristics against the paper's pseudo-code, with its stopping rules and statuses."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from checks import disagreements
from oracle import Oracle
from paper_heuristics import greedy_depth, greedy_replacement
from random_requests import random_request

import altsets
from altsets import Status, constraints, quality
from altsets.errors import InputError, UnsupportedError

SEARCHES = ("greedy-replacement", "greedy-balancing", "greedy-depth")
TEN = [10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]


def find(scores, **options):
    return altsets.find(quality.Additive(scores), **options)


#: Constraints that each of them takes.
TAKEN = {
    "greedy-replacement": {"forbid"},
    "greedy-balancing": {"forbid"},
    "greedy-depth": {"forbid", "require", "at_most", "at_least", "exclusive"},
}


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
def test_same_values_as_the_pseudo_code(search):
    seen = Counter()
    for seed in range(1_000):
        request = random_request(np.random.default_rng([9, seed]), kind="additive")
        rules = tuple(rule for rule in request.constraints if rule[0] in TAKEN[search])
        existing = request.existing if search == "greedy-depth" else ()
        request = replace(request, search=search, constraints=rules, existing=existing)
        if request.engines() != ["greedy"]:
            continue
        assert disagreements(request, request.find(), request.oracle) == [], request.snippet()
        seen.update([*{rule[0] for rule in rules}, "plain" if not rules else "existing" if existing else ""])
        oracle = request.oracle
        if search == "greedy-depth" and not rules and not existing and oracle.max_overlap < oracle.k_max:
            # Why the package may start depth search from replacement: the paper's algorithms agree that far.
            arguments = (request.scores, request.n_features, request.n_alternatives)
            replacement = greedy_replacement(*arguments, oracle.max_overlap)
            assert greedy_depth(*arguments, oracle.compatible)[: len(replacement)] == replacement
            seen["begins alike"] += 1
    wanted = {"plain", *TAKEN[search]} | ({"existing", "begins alike"} if search == "greedy-depth" else set())
    assert min(seen[each] for each in wanted) > 5, seen


OTHERS = {
    "Require": constraints.Require(9),
    "AtMost": constraints.AtMost(1, [0, 1]),
    "AtLeast": constraints.AtLeast(1, [8, 9]),
    "Exclusive": constraints.Exclusive([0, 1]),
    "Implies": constraints.Implies(0, 9),
    "Budget": constraints.Budget([1] * 10, 4),
}


#: Those that depth search takes.
DEEP = ("Require", "AtMost", "AtLeast", "Exclusive")


@pytest.mark.parametrize("kind", DEEP)
def test_depth_search_takes_some_constraints(kind):
    result = find(TEN, search="greedy-depth", n_features=4, n_alternatives=1, constraints=OTHERS[kind])
    assert all(OTHERS[kind].holds(chosen) for chosen in result.sets)
    assert len(result.sets) == 2


def test_depth_search_does_not_count_how_many_sets_there_are():
    with pytest.raises(UnsupportedError, match="n_alternatives='max'"):
        find(TEN, search="greedy-depth", n_features=4, n_alternatives="max")


@pytest.mark.parametrize(("search", "kind", "n_alternatives"), [
    *itertools.product(("greedy-replacement", "greedy-balancing"), OTHERS, (1, "max")),
    *(("greedy-depth", kind, 1) for kind in OTHERS if kind not in DEEP),
])  # fmt: skip
def test_what_a_heuristic_cannot_do_is_refused(search, kind, n_alternatives, refused):
    options = {"n_features": 4, "n_alternatives": n_alternatives, "constraints": OTHERS[kind]}
    with refused(UnsupportedError):
        find(TEN, search=search, **options)


@pytest.mark.parametrize("search", SEARCHES)
def test_open_sizes_and_other_qualities_are_refused(search, refused):
    with refused(UnsupportedError):
        find(TEN, search=search, constraints=constraints.Size(2, 4))
    with refused(UnsupportedError):
        altsets.find(quality.MRMR([1, 2], [[0, 0], [0, 0]]), n_features=1, search=search)


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_as_many_as_possible_of_what_is_left(search):
    options = {"n_features": 3, "n_alternatives": "max", "tau": 1, "search": search}
    result = find(TEN, constraints=constraints.Forbid([0, 5]), **options)
    assert len(result.sets) == 2
    assert result.status is Status.FEASIBLE
    none = find(TEN, constraints=constraints.Forbid(range(8)), **options)
    assert none.statuses == [Status.NOT_FOUND]


def test_depth_search_where_everything_is_required():
    options = {"n_features": 3, "n_alternatives": 2, "tau": 0, "search": "greedy-depth"}
    result = find(TEN, constraints=constraints.Require([1, 4, 9]), **options)
    assert result.sets == [(1, 4, 9)]
    assert result.status is Status.NOT_FOUND


def test_depth_search_takes_required_features_first():
    # The required features are the worst ones: without taking them first, millions of sets would be looked at.
    scores = [float(score) for score in range(60, 0, -1)]
    fixed = constraints.Require([57, 58, 59])
    result = find(scores, n_features=5, n_alternatives=40, tau=0.4, search="greedy-depth", constraints=fixed)
    assert len(result.sets) == 28  # pairs without a common feature
    assert result.steps < 100


@pytest.mark.parametrize("search", SEARCHES)
def test_statuses_and_bound(search, snapshot):
    result = find(TEN, n_features=4, n_alternatives=2, tau=0.5, search=search)
    assert result.status is Status.FEASIBLE
    assert result.statuses == [Status.FEASIBLE] * 3
    assert result.bound == 3 * 34
    assert result.gap == result.bound - result.objective
    assert result.engine == "greedy"
    assert result.explain() == snapshot


@pytest.mark.parametrize("search", SEARCHES)
def test_the_bound_is_about_the_sets_that_were_found(search):
    result = find(TEN, n_features=4, n_alternatives=9, tau=1, search=search)
    if search == "greedy-balancing":
        assert (result.sets, result.bound) == ([], math.inf)
        return
    assert len(result.sets) == 2
    assert result.bound == 2 * 34


@pytest.mark.parametrize(("rules", "existing", "best"), [
    ([constraints.Forbid([0])], (), 30),
    ([constraints.AtMost(1, [0, 1, 2])], (), 28), ([constraints.Require([9])], (), 28),
    ([], [(0, 1, 2, 3)], 30),
])  # fmt: skip
def test_the_bound_keeps_to_constraints_and_existing_sets(rules, existing, best):
    asked = {"n_features": 4, "tau": 0.5, "constraints": rules, "existing": existing}
    result = find(TEN, **asked, n_alternatives=2, search="greedy-depth")
    assert find(TEN, **asked, n_alternatives=0).objective == best
    assert result.bound == pytest.approx(len(result.sets) * best)


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-depth"])
@pytest.mark.parametrize("seed", range(5))
def test_the_guarantee_of_the_paper(search, seed):
    rng = np.random.default_rng(seed)
    k, a, tau = 10, int(rng.integers(1, 5)), float(rng.choice([0.1, 0.3, 0.5, 0.7]))
    scores = quality.Additive(rng.random(50) ** 3)
    result = altsets.find(scores, k, a, tau, search=search)
    exact = altsets.find(scores, k, a, tau)
    part = (k - math.ceil(round(tau * k, 9))) / k
    assert part * exact.objective <= part * result.bound <= result.objective + 1e-9
    assert exact.objective <= result.bound + 1e-9


def test_replacement_stops_when_the_unused_features_run_out():
    for n, expected in ((4, 1), (5, 1), (6, 2), (7, 2), (8, 3), (10, 4)):
        result = find(TEN[:n], n_features=4, n_alternatives=9, tau=0.5, search="greedy-replacement")
        assert len(result.sets) == expected
        assert result.statuses == [Status.FEASIBLE] * expected + [Status.NOT_FOUND] * (10 - expected)
        assert result.status is Status.NOT_FOUND


def test_balancing_gives_all_or_nothing():
    options = {"n_features": 4, "tau": 0.5, "search": "greedy-balancing"}
    assert len(find(TEN, n_alternatives=3, **options).sets) == 4
    result = find(TEN, n_alternatives=4, **options)
    assert result.sets == []
    assert result.statuses == [Status.NOT_FOUND] * 5
    assert result.status is Status.NOT_FOUND
    assert result.bound == math.inf
    assert math.isnan(result.objective)


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
@pytest.mark.parametrize(
    ("n", "k", "tau", "expected"), [(10, 4, 0.5, 3), (10, 5, 0.4, 2), (10, 3, 1, 2), (4, 4, 1, 0)]
)
def test_as_many_as_possible(search, n, k, tau, expected):
    result = find(TEN[:n], n_features=k, n_alternatives="max", tau=tau, search=search)
    assert len(result.sets) == len(result.statuses) == expected + 1
    assert result.status is Status.FEASIBLE
    assert result.parameters["n_alternatives"] == expected
    assert not Oracle(TEN[:n], k, tau=tau).complaints(result.sets)
    one_more = find(TEN[:n], n_features=k, n_alternatives=expected + 1, tau=tau, search=search)
    assert one_more.status is Status.NOT_FOUND


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_max_has_no_answer_where_equal_sets_are_allowed(search):
    with pytest.raises(InputError, match="equal sets"):
        find(TEN, n_features=3, n_alternatives="max", tau=0, search=search)


def test_another_word_for_max_is_refused(refused):
    with refused(InputError):
        find(TEN, n_features=3, n_alternatives="most", search="greedy-balancing")


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_existing_sets_are_refused(search):
    with pytest.raises(UnsupportedError, match=f"{search}.*existing"):
        find(TEN, n_features=3, search=search, existing=[(0, 1, 2)])


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing"])
def test_equal_sets_where_nothing_is_asked(search):
    result = find(TEN, n_features=3, n_alternatives=12, tau=0, search=search)
    assert result.sets == [(0, 1, 2)] * 13
    assert result.status is Status.FEASIBLE


def test_depth_search_lists_all_pairs_where_all_are_allowed():
    result = find(
        [9, 8, 7, 1], n_features=2, n_alternatives=9, tau=1, dissimilarity="absolute", search="greedy-depth"
    )
    assert result.sets == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert result.status is Status.NOT_FOUND


def test_depth_search_finds_more_than_replacement():
    options = {"n_features": 3, "n_alternatives": 20, "tau": 2, "dissimilarity": "absolute"}
    deep = find(TEN[:7], search="greedy-depth", **options)
    assert len(find(TEN[:7], search="greedy-replacement", **options).sets) == 3
    assert len(deep.sets) == 7  # the Fano plane: no more exist


def test_depth_search_keeps_a_time_limit(clock):
    # Three sets are found at once. A fourth has at most five of each and four of the rest: too few, but many ways.
    scores = [float(score) for score in range(54, 0, -1)]
    options = {
        "n_features": 20,
        "n_alternatives": 3,
        "tau": 15,
        "dissimilarity": "absolute",
        "search": "greedy-depth",
    }
    result = find(scores, time_limit=clock.limit(100), **options)
    assert clock.looks < 110
    assert len(result.sets) == 3
    assert result.status is Status.NOT_FOUND
