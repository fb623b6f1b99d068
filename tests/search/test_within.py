"""Sets that are good enough, in every search: against brute force, and what is said where there are fewer."""

from __future__ import annotations

import numpy as np
import pytest
from family_truth import InDoubt
from questions import random_question, wrong_answer

import altsets
from altsets import Status, quality

SCORES = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_agrees(seed):
    n_checked = 0
    for index in range(25):
        rng = np.random.default_rng([seed, index])
        try:
            request = random_question(rng)
        except InDoubt:
            continue
        if not (engines := request.engines()):
            continue
        engine = "auto" if request.boxed else str(rng.choice(["auto", *engines]))
        result = request.find(engine=engine)
        assert wrong_answer(request, result) == [], request.snippet(engine=engine)
        n_checked += 1
    assert n_checked > 12


def test_the_first_set_that_is_not_good_enough_ends_a_search_in_turn(snapshot):
    result = altsets.find(SCORES, 2, 3, tau=0.5, within=0.2)
    assert result.qualities == [17, 16, 15]
    assert result.statuses == [Status.OPTIMAL] * 3 + [Status.INFEASIBLE]
    assert result.bound == result.objective == 48
    assert result.parameters["quality_needed"] == 13.6
    assert result.reason == snapshot
    assert str(result.verdict) == snapshot
    assert altsets.Result.from_json(result.to_json()) == result
    assert altsets.verify(result, SCORES, second_opinion=True).second_opinion == "agrees"


def test_sets_that_are_chosen_together_are_compared_with_the_best_one_there_is(snapshot):
    scores = quality.Additive([10, 9, 6, 5])
    together = altsets.find(scores, 2, 1, tau=1, within=0.25, search="simultaneous")
    assert together.qualities == [15, 15]
    assert together.compared_with == ("best", pytest.approx(19))
    assert together.verdict.findings == snapshot
    alone = altsets.find(scores, 2, 1, tau=0.5, within=0.25, search="simultaneous")
    assert (alone.qualities, alone.compared_with) == ([19, 16], ("best", 19))
    assert alone.verdict.findings == snapshot
    assert altsets.find(scores, 2, 1, tau=0.5, within=0.25).compared_with == ("set 0", 19)


def test_the_best_set_does_not_depend_on_existing_ones():
    result = altsets.find(SCORES, 2, 1, tau=0.5, within=0.1, existing=[(0, 1)])
    assert result.qualities == [16]
    assert result.parameters["quality_needed"] == pytest.approx(15.3)
    nothing = altsets.find(SCORES, 2, 1, tau=1, within=0.1, existing=[(0, 1)])
    assert nothing.status is Status.INFEASIBLE


def test_of_heuristics_sets_are_left_out(snapshot):
    result = altsets.find(SCORES, 2, 3, tau=0.5, within=0.3, search="greedy-replacement")
    assert result.qualities == [17, 16, 12]
    assert result.statuses == [Status.FEASIBLE] * 3 + [Status.NOT_FOUND]
    assert result.bound == 3 * 17
    assert result.reason == snapshot


def test_sets_in_turn_end_with_the_last_good_one():
    found = list(altsets.iterate(SCORES, 2, tau=0.5, within=0.2))
    assert [one.sets[0] for one in found] == altsets.find(SCORES, 2, 3, tau=0.5, within=0.2).sets
    assert all(one.status is Status.OPTIMAL for one in found)
    assert len(list(altsets.iterate(SCORES, 2, tau=0.5, min_quality=16))) == 2


def test_without_a_proof_of_the_best_set_nothing_is_proven():
    score = quality.BlackBox(lambda chosen: float(sum(chosen)), n_features_in=12)
    result = altsets.find(score, 3, 2, tau=1, within=0.5, engine="local-search")
    assert set(result.statuses) <= {Status.FEASIBLE, Status.NOT_FOUND}
    assert min(result.qualities) >= result.parameters["quality_needed"]


def test_verify_knows_what_is_not_good_enough(snapshot):
    result = altsets.find(SCORES, 2, 1, tau=0.5, within=0.2)
    result.parameters["quality_needed"] = 10.0
    checked = altsets.verify(result, SCORES)
    assert checked.violations == snapshot
