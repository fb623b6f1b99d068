"""The largest tau and the largest number of sets, jointly and in turn: against brute force, and what is said."""

from __future__ import annotations

import numpy as np
import pytest
from family_truth import InDoubt
from questions import find_largest, random_largest, wrong_largest

import altsets
from altsets import Status, constraints, quality
from altsets.cli.options import as_option
from altsets.errors import InputError, UnsupportedError
from altsets.search import largest
from altsets.search.good_sets import GoodSetLimits
from altsets.wording import spelled

SCORES = quality.Additive([9, 8, 8, 8, 7, 7, 2], feature_names=list("abcdefg"))


#: Other ways to count sets that are good enough than those that are the shortest for small requests.
WAYS = {
    "usual": {},
    "not listed": {"listed_sets": 0, "listed_for_own": 0, "first_steps": 3},
    "hardly coloured": {"coloured_sets": 3, "first_steps": 3},
}


@pytest.mark.parametrize(("way", "seed", "n_requests"), [
    ("usual", 1, 30), *(pytest.param(way, 0, 240, marks=pytest.mark.slow) for way in WAYS),
])  # fmt: skip
def test_brute_force_agrees(way, seed, n_requests, monkeypatch):
    monkeypatch.setattr("altsets.search.family_search.LIMITS", GoodSetLimits(**WAYS[way]))
    n_checked = 0
    for index in range(n_requests):
        rng = np.random.default_rng([seed, index])
        try:
            request = random_largest(rng)
            result = find_largest(request)
            wrong = wrong_largest(request, result)
        except InDoubt:
            continue
        assert wrong == [], request
        # Of nearly equal columns, rounding may leave a bound that is too weak for a proof.
        assert result.status is not Status.FEASIBLE or request.kind == "linear" or way != "usual", request
        n_checked += 1
    assert n_checked > n_requests / 3


def test_sets_are_as_different_as_possible_jointly_or_in_turn(snapshot):
    jointly = altsets.find(SCORES, 3, 1, tau="max", within=0.1, search="simultaneous")
    assert (jointly.tau, jointly.tau_bound, jointly.qualities) == (1.0, 1.0, [24, 23])
    assert jointly.status is Status.OPTIMAL
    in_turn = altsets.find(SCORES, 3, 1, tau="max", within=0.1)
    assert in_turn.qualities == [25, 24]
    assert in_turn.tau == in_turn.tau_bound == pytest.approx(2 / 3)
    assert in_turn.status is Status.OPTIMAL
    assert str(jointly.verdict) == snapshot
    assert str(in_turn.verdict) == snapshot


def test_a_document_has_what_was_asked_and_what_was_found():
    result = altsets.find(SCORES, 3, 1, tau="max", within=0.1)
    document = result.to_dict()
    assert document["parameters"]["tau"] == "max"
    assert document["tau"] == document["tau_bound"] == pytest.approx(2 / 3)
    assert altsets.Result.from_json(result.to_json()) == result
    assert altsets.Request.from_json(result.request.to_json()) == result.request
    assert altsets.verify(result, SCORES).ok
    most = altsets.find(SCORES, 3, "max", tau=1, search="simultaneous")
    assert most.to_dict()["n_sets_bound"] == most.n_sets_bound == 2
    assert altsets.Result.from_json(most.to_json()) == most
    assert altsets.verify(most, SCORES).ok


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_a_largest_tau_of_0_is_a_caution(search, snapshot):
    same = altsets.find(SCORES, 1, 1, tau="max", within=0, search=search)
    assert (same.tau, same.tau_bound, same.sets[0]) == (0, 0, same.sets[1])
    assert same.cautions == snapshot
    least = altsets.find(SCORES, 1, 1, tau="max", min_quality=9, search=search)
    assert least.cautions == snapshot
    assert altsets.find(SCORES, 1, 1, tau="max", within=0.2, search=search).cautions == []


def test_one_set_without_others_has_no_tau():
    result = altsets.find(SCORES, 3, 0, tau="max", within=0.1)
    assert (result.qualities, result.tau, result.tau_bound) == ([25], None, None)
    beside = altsets.find(SCORES, 3, 0, tau="max", within=0.1, existing=[(0, 1, 2)])
    assert beside.tau == pytest.approx(2 / 3)


def test_as_many_as_there_are_never_have_a_set_twice(snapshot):
    result = altsets.find(SCORES, 3, "max", tau=0, within=0.1)
    assert len(set(result.sets)) == len(result.sets) == 17
    assert result.status is Status.OPTIMAL
    assert result.stop_reason == "finished"
    jointly = altsets.find(SCORES, 3, "max", tau=0, within=0.1, search="simultaneous")
    assert set(jointly.sets) == set(result.sets)
    assert jointly.n_sets_bound == 17
    assert str(jointly.verdict) == snapshot


def test_a_search_in_turn_says_why_it_ended_and_whether_a_joint_one_may_find_more(snapshot):
    endless, eight = {"n_features": 3, "n_alternatives": "max"}, quality.Additive(np.arange(8.0))
    crowded = altsets.find(eight, **endless)
    assert crowded.reason == snapshot
    assert crowded.reason in crowded.verdict.findings
    assert crowded.reason in crowded.explain()
    assert len(altsets.find(eight, **endless, search="simultaneous").sets) == 8
    # Two sets take 6 of 8 features, and where any two sets differ enough, none rules out another one.
    assert altsets.find(eight, **endless, tau=1).reason == snapshot
    assert "simultaneous" not in altsets.find(SCORES, **endless, tau=0, within=0.1).reason
    cut = altsets.find(quality.Additive(np.arange(60.0)), 2, "max", tau=0)
    assert cut.reason == snapshot
    with spelled(as_option):
        assert "--search simultaneous" in altsets.find(eight, **endless).reason


def test_of_heuristics_those_that_are_good_enough():
    result = altsets.find(SCORES, 2, "max", tau=1, within=0.1, search="greedy-replacement")
    assert result.qualities == [17, 16]
    assert result.statuses == [Status.FEASIBLE] * 2


def test_no_more_than_a_thousand(monkeypatch):
    assert largest.MOST_SETS == 1_000
    monkeypatch.setattr(largest, "MOST_SETS", 40)
    many = quality.Additive(np.arange(60.0))
    result = altsets.find(many, 2, "max", tau=0)
    assert len(result.sets) == 40
    assert result.stop_reason == "engine_limit"


@pytest.mark.parametrize("options", [
    {"tau": "max"}, {"tau": "max", "within": 0.1, "n_alternatives": "max"},
    {"tau": "max", "within": 0.1, "search": "greedy-replacement"},
    {"tau": "max", "within": 0.1, "difference": "average"},
    {"tau": "max", "within": 0.1, "overlap_penalty": 1, "search": "simultaneous"},
    {"n_alternatives": "max", "search": "greedy-depth"},
    {"n_alternatives": "max", "search": "greedy-replacement", "tau": 0},
    {"n_alternatives": "max", "difference": "average"},
    {"n_alternatives": "max", "constraints": constraints.AtLeastSets(2, [0])},
    {"tau": "max", "within": 0.1, "constraints": constraints.AtLeastSets(2, [0])},
])  # fmt: skip
def test_what_has_no_meaning_is_refused(options, refused):
    with refused((InputError, UnsupportedError)):
        altsets.find(SCORES, 2, **options)
