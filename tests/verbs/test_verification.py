"""Checking an answer again: right answers pass, every violated claim is found, a second engine finds better sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_requests import random_request

import altsets
from altsets import constraints, quality
from altsets.errors import AltsetsError, InputError

SCORES = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))


def found(**options):
    return altsets.find(SCORES, **{"n_features": 2, "n_alternatives": 1, "tau": 1, **options})


def without_names(sets):
    return {"sets": sets, "texts": [SCORES.names_of(chosen) for chosen in sets]}


def with_sets(result, sets, **more):
    """An answer with other sets, and with numbers that fit them."""
    qualities = [SCORES.evaluate(chosen) for chosen in sets]
    scores = [tuple(SCORES.scores[list(chosen)].tolist()) for chosen in sets]
    numbers = {"qualities": qualities, "scores": scores, "objective": sum(qualities), "bound": sum(qualities)}
    return replace(result, **without_names(sets), **{**numbers, **more})


@pytest.mark.parametrize("search", ["sequential", "simultaneous", "greedy-replacement", "greedy-balancing"])
def test_a_right_answer_holds(search):
    checked = altsets.verify(found(search=search), SCORES, second_opinion=True)
    assert checked.ok
    assert checked.second_opinion == "agrees"
    assert checked.better == []


def test_each_of_several_questions_about_many_features_is_one_of_its_own():
    scores = np.random.default_rng(0).random(10_000)
    result = altsets.find(scores, n_features=5, n_alternatives=2, tau=0.5)
    assert altsets.verify(result, scores, second_opinion=True).second_opinion == "agrees"


def test_an_answer_that_was_saved_can_be_checked():
    result = altsets.Result.from_json(found(constraints=constraints.Forbid("a")).to_json())
    assert altsets.verify(result, SCORES, second_opinion=True).second_opinion == "agrees"


TAMPERED = {
    "a set too large": lambda result: with_sets(result, [(0, 1, 2), (3, 4)]),
    "a forbidden feature": lambda result: with_sets(result, [(0, 1), (2, 5)]),
    "sets too similar": lambda result: with_sets(result, [(0, 1), (1, 2)]),
    "a feature that does not exist": lambda result: replace(result, sets=[(0, 1), (2, 6)]),
    "another quality": lambda result: replace(result, qualities=[18.0, 10.0]),
    "another score": lambda result: replace(result, scores=[(9.0, 8.0), (7.0, 4.0)]),
    "another name": lambda result: replace(result, texts=[("a", "b"), ("c", "e")]),
    "another objective": lambda result: replace(result, objective=28.0, bound=28.0),
    "a bound too low": lambda result: replace(result, bound=26.0),
    "optimal with a gap": lambda result: replace(result, bound=28.0),
    "too few statuses": lambda result: replace(result, statuses=result.statuses[:1]),
    "no objective": lambda result: replace(result, objective=float("nan")),
    "a status that is not that of the sets": lambda result: replace(result, status=altsets.Status.NOT_FOUND),
    "statuses that contradict each other": lambda result: replace(
        result, statuses=[altsets.Status.OPTIMAL, altsets.Status.FEASIBLE]
    ),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_every_violated_claim_is_found(how):
    result = found(constraints=constraints.Forbid(5))
    assert altsets.verify(result, SCORES).ok
    checked = altsets.verify(TAMPERED[how](result), SCORES, second_opinion=True)
    assert not checked.ok
    assert checked.better == []


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_better_sets_contradict_an_optimal_answer(search):
    worse = with_sets(found(search=search), [(0, 1), (2, 4)])
    assert altsets.verify(worse, SCORES).ok
    checked = altsets.verify(worse, SCORES, second_opinion=True)
    assert not checked.ok
    assert checked.second_opinion == "disagrees"
    assert sum(map(SCORES.evaluate, checked.better)) == 27
    assert "d" in checked.violations[0]


def test_better_sets_do_not_contradict_an_answer_without_a_proof(snapshot):
    feasible = [altsets.Status.OPTIMAL, altsets.Status.FEASIBLE]
    worse = with_sets(found(), [(0, 1), (2, 4)], bound=30.0, status=feasible[1], statuses=feasible)
    checked = altsets.verify(worse, SCORES, second_opinion=True)
    assert checked.ok
    assert checked.second_opinion == "agrees"
    assert checked.better == [(0, 1), (2, 3)]
    assert str(checked) == snapshot


def test_a_bound_on_sets_in_turn_that_is_too_low_is_found():
    feasible = [altsets.Status.FEASIBLE, altsets.Status.OPTIMAL]
    worse = with_sets(found(), [(0, 2), (1, 3)], bound=27.5, status=feasible[0], statuses=feasible)
    assert altsets.verify(worse, SCORES).ok
    checked = altsets.verify(worse, SCORES, second_opinion=True)
    assert (checked.second_opinion, checked.better) == ("disagrees", [(0, 1)])
    assert "a, b reach 17" in checked.violations[0]


def test_later_claims_are_checked_after_a_better_set():
    statuses = [altsets.Status.FEASIBLE, altsets.Status.OPTIMAL]
    worse = with_sets(found(), [(0, 2), (3, 4)], bound=30.0, status=statuses[0], statuses=statuses)
    checked = altsets.verify(worse, SCORES, second_opinion=True)
    assert (checked.second_opinion, checked.better) == ("disagrees", [(0, 2), (1, 3)])


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_sets_that_are_claimed_not_to_exist_are_found(search):
    result = found(search=search, n_alternatives=3)
    assert result.status == "infeasible"
    assert altsets.verify(result, SCORES, second_opinion=True).second_opinion == "agrees"
    possible = replace(result, request=replace(result.request, tau=0.5))
    checked = altsets.verify(possible, SCORES, second_opinion=True)
    assert (checked.ok, checked.second_opinion) == (False, "disagrees")


def test_a_bound_of_a_heuristic_that_is_too_low_is_found():
    result = found(search="greedy-balancing")
    assert altsets.verify(replace(result, bound=result.objective), SCORES).ok
    worse = with_sets(result, [(0, 4), (1, 3)])
    checked = altsets.verify(worse, SCORES, second_opinion=True)
    assert (checked.ok, checked.second_opinion) == (False, "disagrees")


def test_a_quality_that_is_not_that_of_the_answer_is_noticed():
    assert altsets.verify(found(), quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))).ok
    assert not altsets.verify(found(), quality.Additive([9, 8, 7, 4, 2, 1], feature_names=list("abcdef"))).ok


def test_an_answer_without_sets_claims_nothing_about_sets(snapshot):
    checked = altsets.verify(found(n_features=4, constraints=constraints.AtMost(3, range(6))), SCORES)
    assert checked.ok
    assert checked.checked == snapshot
    assert not any("qualities" in one for one in checked.checked)


def test_what_is_no_answer_or_about_other_features_is_refused(refused):
    with pytest.raises(InputError, match="not Frontier"):
        altsets.verify(altsets.frontier(SCORES, n_features=2, n_alternatives=1), SCORES)
    with refused(InputError):
        altsets.verify(found(), quality.Additive([9, 8, 7]))
    with refused(InputError):
        altsets.verify(found(), SCORES, second_opinion=True, time_limit=0)


def test_a_selector_is_checked_with_its_table(mixed, refused):
    frame, classes, _ = mixed
    selector = altsets.SelectAlternatives(n_features=2, n_alternatives=2, tau=0.5).fit(frame, classes)
    checked = altsets.verify(selector.result_, X=frame, y=classes, second_opinion=True)
    assert (checked.ok, checked.second_opinion) == (True, "agrees")
    assert not altsets.verify(selector.result_, X=frame, y=classes[::-1]).ok
    with refused(InputError):
        altsets.verify(selector.result_)
    weighted = selector.fit(frame, classes, sample_weight=np.arange(150) % 2)
    with pytest.raises(InputError, match="sample_weight"):
        altsets.verify(weighted.result_, X=frame, y=classes)


def test_what_no_second_engine_solves_is_said():
    rng = np.random.default_rng(0)
    products = rng.normal(size=(60, 60))
    ratio = quality.CFS(rng.random(60), np.abs(products + products.T))
    result = altsets.find(ratio, n_features=4, n_alternatives=1, tau=0.5)
    checked = altsets.verify(result, ratio, second_opinion=True)
    assert checked.ok
    assert checked.second_opinion.startswith("unavailable: ")


def test_small_random_answers_hold():
    """Of all definitions and engines; what has no second engine is rare where all sets can be listed."""
    agreed = asked = 0
    for seed in range(24):
        request = random_request(np.random.default_rng(seed))
        try:
            result = altsets.find(request.quality, **request.options)
        except AltsetsError:
            continue
        checked = altsets.verify(result, request.quality, second_opinion=True, time_limit=None)
        assert checked.ok, (request, checked)
        asked += 1
        agreed += checked.second_opinion == "agrees"
    assert agreed > 0.8 * asked > 12
