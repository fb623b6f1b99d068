"""The first problems of ``make fuzz``, and the fuzzer's own ability to fail."""

from __future__ import annotations

from dataclasses import replace as changed

import checks
import fuzz
import numpy as np
import pytest
from checks import QUALITIES
from random_requests import random_request

from altsets import Status


def test_two_thousand_problems():
    report = fuzz.run(2000, seed=0)
    assert report.failures == []
    assert report.n_problems == 2000
    assert report.n_searches["auto"] > 1700
    assert report.n_searches["enumerate"] > 500
    assert report.n_searches[fuzz.SOLVER] > 20
    assert 0 < report.n_refused < 200
    for kind in QUALITIES:
        assert report.kinds[kind] > 50
        assert report.kinds[f"{kind} with constraints"] > 50
    for answer in (
        "sequential optimal",
        "simultaneous optimal",
        "simultaneous infeasible",
        "sequential infeasible",
    ):
        assert report.statuses[answer] > 20, answer


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("corruption", ["worse", "invalid", "status", "bound", "infeasible"])
def test_a_wrong_answer_is_noticed(search, corruption):
    request = checks.Request((9.0, 8.0, 7.0, 3.0, 2.0, 1.0), 3, 1, tau=0.5, search=search)
    right = request.find()
    assert checks.disagreements(request, right, request.oracle) == []
    worse = [(0, 1, 3), (2, 4, 5)]
    wrong = {
        "worse": changed(right, sets=worse, qualities=[20.0, 10.0], objective=30.0, bound=30.0),
        "invalid": changed(right, sets=[(0, 1, 2), (0, 1, 3)], qualities=[24.0, 20.0], objective=44.0),
        "status": changed(right, statuses=[Status.OPTIMAL, Status.FEASIBLE]),
        "bound": changed(right, bound=right.objective - 1),
        "infeasible": changed(
            right, sets=[], qualities=[], objective=float("nan"), bound=-float("inf"),
            status=Status.INFEASIBLE, statuses=[Status.INFEASIBLE] * 2,
        ),
    }[corruption]  # fmt: skip
    assert checks.disagreements(request, wrong, request.oracle)


def test_a_failure_prints_what_shows_it_again(monkeypatch):
    monkeypatch.setattr(fuzz, "disagreements", lambda *_: ["nothing is right"])
    report = fuzz.run(3, seed=0, solver_share=0, large_share=0)
    assert report.failures
    assert " of seed 0" in report.failures[0]
    assert "nothing is right" in report.failures[0]
    namespace: dict[str, object] = {}
    with fuzz.limited({}):  # Limits that the snippet sets are not to outlive it.
        exec(report.failures[0], namespace)  # The snippet runs as it is.
    assert "altsets" in namespace


def test_problems_are_reproducible():
    first, second = (random_request(np.random.default_rng([0, 7])) for _ in range(2))
    assert first == second


def test_any_number_of_processes_sees_the_same_problems(monkeypatch):
    monkeypatch.setattr(fuzz, "PORTION", 15)
    alone, together = (fuzz.run(40, seed=1, large_share=0, jobs=jobs) for jobs in (1, 2))
    assert alone == together
    assert alone.n_problems == 40


def test_random_requests_cover_everything():
    requests = [random_request(np.random.default_rng([0, number])) for number in range(1500)]
    for field, wanted in (
        ("kind", {"additive", "fcbf", "mrmr", "cfs"}),
        ("dissimilarity", {"dice", "jaccard", *checks.OWN_DISSIMILARITIES}),
        ("search", {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}),
        ("aggregation", {"sum", "min"}),
    ):
        assert {getattr(request, field) for request in requests} == wanted
    assert {each[0] for request in requests for each in request.constraints} == set(checks.CONSTRAINTS)
    plain = [r for r in requests if r.kind == "additive" and not (r.constraints or r.own)]
    assert 0.3 < len(plain) / len(requests) < 0.45
    open_sizes = [r for r in requests if r.oracle.k_min < r.oracle.k_max]
    assert len(open_sizes) > 100
    assert sum(bool(r.existing) for r in requests) > 100


@pytest.mark.parametrize("kind", QUALITIES)
def test_a_snippet_is_the_whole_request(kind):
    request = checks.Request(
        (3.0, 2.0, 1.0),
        n_features=9,
        n_alternatives=1,
        tau=0.25,
        dissimilarity="hamming",
        existing=((0, 1, 2),),
        kind=kind,
        matrix=() if kind == "additive" else ((0.0, 0.5, 0.0), (0.25, 0.0, 0.0), (0.0, 0.0, 0.0)),
        constraints=(
            ("require", (0,)),
            ("forbid", (2,)),
            ("at_most", 2, (0, 1)),
            ("at_least", 1, (0, 2)),
            ("exclusive", (1, 2)),
            ("implies", 2, 1),
            ("budget", (1.0, 1.0, 1.0), 2.0),
            ("size", 1, 2),
        ),
    )
    printed = []
    exec(request.snippet(), {"print": printed.append})
    assert printed == [request.find()]
    assert printed[0].sets
