"""One truth per report: sections do not contradict each other, and what is added to an answer starts from it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from consistency import contradictions
from random_reports import random_reports

import altsets
from altsets import Status, quality
from altsets.cli import outputs
from altsets.cli.searching import Searched
from altsets.errors import InputError
from altsets.report import summarise
from altsets.request import Request
from altsets.result import StopReason
from altsets.search.answering import answer
from altsets.search.frontier.sweep import by_tau
from altsets.search.good_sets import Nearness
from altsets.search.near_best.counting import count_near

pytest.importorskip("jinja2")

SCORED = quality.Additive([9, 8, 7, 6, 3, 2, 1, 0.5], feature_names=list("abcdefgh"))
ASKED = {"n_features": 3, "n_alternatives": 1}
FOUND = altsets.find(SCORED, tau=1, **ASKED)
TOGETHER = altsets.find(SCORED, tau=1, search="simultaneous", **ASKED)
FRONTIER = altsets.frontier(SCORED, **ASKED)
FRONTIER_TOGETHER = altsets.frontier(SCORED, search="simultaneous", **ASKED)
NEAR = altsets.near_best(SCORED, n_features=3, within=0.1)


def test_true_answers_agree():
    for result, frontier in [(FOUND, FRONTIER), (TOGETHER, FRONTIER_TOGETHER), (FOUND, FRONTIER_TOGETHER)]:
        assert contradictions(result, frontier, NEAR) == []
        document = summarise(result, frontier=frontier, near_best=NEAR)
        assert {"sets", "frontier", "near-best"} <= {section["id"] for section in document["sections"]}


def with_points(frontier, change):
    """The frontier with other results at its points."""
    points = [replace(point, result=change(point.result)) for point in frontier]
    return replace(frontier, points=points)


def with_quality(result, value, number=0):
    """The same answer with another quality of one of its sets, and so with other sets."""
    changed = [tuple(index + 1 for index in chosen) for chosen in result.sets]
    values = [value if place == number else old for place, old in enumerate(result.qualities)]
    return replace(with_sets(result, changed), qualities=values, objective=sum(values))


def with_sets(result, sets):
    """The same answer with other sets."""
    return replace(result, sets=sets, texts=[SCORED.names_of(chosen) for chosen in sets])


def unproven(result):
    """The same sets without a proof."""
    return replace(
        result,
        status=Status.FEASIBLE,
        statuses=[Status.FEASIBLE] * len(result.statuses),
        bound=float("inf"),
        stop_reason=StopReason.TIME_LIMIT,
    )


def without_sets(result, kept=0):
    """The same request, with a proof that there are no further sets."""
    missing = len(result.statuses) - kept
    return replace(
        result,
        sets=result.sets[:kept],
        texts=result.named_sets[:kept],
        qualities=result.qualities[:kept],
        scores=result.scores[:kept],
        statuses=[*result.statuses[:kept], *[Status.INFEASIBLE] * missing],
        status=Status.INFEASIBLE,
        bound=float("-inf"),
    )


def near_with(**changes):
    """The near-best sets with other numbers."""
    return replace(altsets.near_best(SCORED, n_features=3, within=0.1), **changes)


CONTRADICTIONS = {
    "near-best sets with a better one": (
        {"near": near_with(best=25.0, best_set=(1, 2, 3))},
        "the sets prove that no set is better than 24, and the near-best sets have one of 25",
    ),
    "fewer near-best sets than there are": (
        {"near": near_with(family=SimpleNamespace(bounds=(0, 0), n_known=None))},
        "at most 0 sets have a quality of 21.6 or more, and",
    ),
    "another quality of the same set": (
        {"near": near_with(best=23.0)},
        "give the same set the qualities 24 and 23",
    ),
    "a frontier without sets that differ": (
        {"frontier": with_points(FRONTIER, lambda result: without_sets(result, kept=1))},
        "there are no 2 sets that differ enough, and the sets have them",
    ),
    "better sets together than proven": (
        {"result": replace(TOGETHER, bound=30.0), "frontier": FRONTIER_TOGETHER},
        "no sets that differ enough are better than 30, and the points of the frontier have some of",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_found(name):
    answers, words = CONTRADICTIONS[name]
    assert words in "; ".join(contradictions(**{"result": FOUND, **answers}))


def test_frontier_and_near_best_sets_are_compared_too():
    said = contradictions(frontier=FRONTIER, near=near_with(best=25.0, best_set=(1, 2, 3)))
    assert "better than 24" in said[0]


def test_answers_to_other_requests_may_differ():
    smaller = altsets.near_best(SCORED, n_features=2)
    document = summarise(FOUND, near_best=smaller)
    assert "near-best" in [section["id"] for section in document["sections"]]
    required = altsets.frontier(SCORED, constraints=[altsets.constraints.Require("h")], **ASKED)
    document = summarise(FOUND, frontier=required)
    assert "frontier" in [section["id"] for section in document["sections"]]


def test_a_better_set_than_an_unproven_one_is_a_caution(snapshot):
    worse = unproven(with_quality(FOUND, 20.0))
    document = summarise(worse, near_best=NEAR)
    said = [one for one in document["sections"][0]["blocks"] if one.get("tone") == "warning"]
    assert [str(one) for one in said] == snapshot


# --- Extras start from the answer ---------------------------------------------------------------------------
def hard(clock, seed=0):
    """An mRMR problem that takes long to solve, with its answer after a moment."""
    import numpy as np

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 150))
    redundancy = np.abs(np.corrcoef(X, rowvar=False))
    scored = quality.MRMR(np.abs(rng.normal(size=150)) * 0.1, redundancy)
    request = Request(n_features=12, n_alternatives=2, tau=0.5, time_limit=clock.limit(300))
    return Searched(answer(request, scored), scored, request)


def test_extras_never_know_less_than_the_answer(monkeypatch, clock):
    monkeypatch.setattr(outputs, "SECONDS", 0.05)
    searched = hard(clock)
    asked = replace(searched.measured, tau=None, time_limit=0.05)
    frontier = by_tau(asked, searched.quality, 12, 2, None, known=searched.result)
    assert frontier.best(12) >= searched.result.qualities[0]
    same = [point for point in frontier if point.tau == 0.5]
    assert same[0].result.sets == searched.result.sets
    assert same[0].result.statuses == searched.result.statuses
    alone = replace(asked, n_alternatives=0)
    near = count_near(alone, searched.quality, Nearness(0.05, None), known=searched.result)
    assert near.best >= max(searched.result.qualities)
    beside = outputs.extras_of(searched)
    assert contradictions(searched.result, beside["frontier"], beside["near_best"]) == []


def test_a_section_that_says_no_more_than_the_sets_is_left_out(monkeypatch, clock, snapshot):
    monkeypatch.setattr(outputs, "SECONDS", 0.01)
    searched = hard(clock)
    clock.step = 0.01
    beside = outputs.extras_of(searched)
    assert beside["frontier"] is None
    assert beside["near_best"] is None
    assert beside["skipped"] == snapshot


def test_a_proven_best_set_is_not_searched_for_again(monkeypatch):
    alone = Request(n_features=3, n_alternatives=0)
    monkeypatch.setattr("altsets.search.additive.engine.AdditiveEngine.solve", None)
    near = count_near(alone, SCORED, Nearness(0.1, None), known=FOUND)
    assert (near.best, near.best_proven, near.count) == (NEAR.best, True, NEAR.count)


@pytest.mark.parametrize("other", ["constraints", "quality"])
def test_what_is_known_about_another_request_is_refused(other, refused):
    if other == "constraints":
        alone = Request(n_features=3, n_alternatives=0, constraints=[altsets.constraints.Forbid(7)])
        scored = SCORED
    else:
        alone, scored = (
            Request(n_features=3, n_alternatives=0),
            quality.Additive([9, 8, 7.5, 6, 3, 2, 1, 0.5]),
        )
    with refused(InputError):
        count_near(alone, scored, Nearness(0.1, None), known=FOUND)


# --- Random reports -----------------------------------------------------------------------------------------
def test_sections_of_random_reports_agree(clock):
    clock.step = 1e-3
    assert {seed: wrong for seed, _, wrong in random_reports(range(20)) if wrong} == {}


@pytest.mark.slow
def test_sections_of_many_random_reports_agree(clock):
    clock.step = 1e-3
    assert {seed: wrong for seed, _, wrong in random_reports(range(20, 100)) if wrong} == {}
