"""The first problems of ``make fuzz``, and the fuzzer's own ability to fail."""

from __future__ import annotations

import math
from dataclasses import replace as changed
from fractions import Fraction
from itertools import combinations

import checks
import fuzz
import numpy as np
import pytest
from checks import QUALITIES
from definitions import JOINT
from extreme_requests import edge_budget, extreme_request
from random_requests import random_request

from altsets import Status
from altsets.errors import InputError

pytestmark = pytest.mark.usefixtures("clock")


def test_the_first_problems():
    report = fuzz.run(250, seed=0)
    assert report.failures == []
    assert report.n_problems == 250
    assert report.n_searches["auto"] > 200
    assert report.n_searches["enumerate"] > 35
    assert report.n_searches[fuzz.SOLVER] > 20
    for verb in ("find", *fuzz.CHECKS):
        assert report.verbs[f"{verb}, limited"] > 1
    assert sum(count for kind, count in report.kinds.items() if "boxed" in kind) > 1
    assert report.n_refused < 20
    assert report.refusals.total() < 15
    for kind in QUALITIES:
        assert report.kinds[kind] > 1
        assert report.kinds[f"{kind} with constraints"] > 1
        if kind != "linear":
            assert report.kinds[f"extreme {kind}"] > 2
            assert report.kinds[f"extreme {kind} with constraints"] > 2
    for answer in (
        "sequential optimal",
        "simultaneous optimal",
        "simultaneous infeasible",
        "sequential infeasible",
    ):
        assert report.statuses[answer] > 5, answer


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUALITIES)
def test_more_problems_of_each_quality(kind):
    report = fuzz.run(150, seed=1, kind=kind)
    assert report.failures == []
    assert report.n_searches["auto"] > 90


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("corruption", ["worse", "invalid", "status", "bound", "infeasible", "scores"])
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
        "scores": changed(right, scores=[right.scores[0], right.scores[0]]),
        "infeasible": changed(
            right, sets=[], qualities=[], objective=float("nan"), bound=-float("inf"),
            status=Status.INFEASIBLE, statuses=[Status.INFEASIBLE] * 2,
        ),
    }[corruption]  # fmt: skip
    assert checks.disagreements(request, wrong, request.oracle)


@pytest.mark.parametrize("power", [-90, -12, 12, 90])
def test_a_wrong_answer_is_noticed_whatever_the_units(power, snapshot):
    """By a part in a hundred million of the largest number that can be used; the first one cannot."""
    scores = [1e99, 2 * 10.0**power, 10.0**power, 10.0**power * (1 - 1e-8)]
    request = checks.Request(tuple(scores), 2, 0, constraints=(("forbid", (0,)),))
    right, value = request.find(), scores[1] + scores[2]
    said = changed(right, sets=[(1, 2)], qualities=[value], objective=value, bound=value)
    assert checks.disagreements(request, said, request.oracle) == []
    worse = scores[1] + scores[3]
    scored = [(scores[1], scores[3])]
    wrong = changed(said, sets=[(1, 3)], qualities=[worse], objective=worse, bound=worse, scores=scored)
    said_optimal, below = checks.disagreements(request, wrong, request.oracle)
    assert said_optimal == snapshot
    assert below == snapshot
    far = changed(said, bound=value * (1 + 1e-8))
    assert checks.disagreements(request, far, request.oracle) == snapshot


def test_only_what_is_documented_may_be_refused(monkeypatch):
    def refuse(*_, **__):
        raise InputError("no thanks, 12.5 is too much")

    monkeypatch.setattr(checks.Request, "find", refuse)
    for scores, refused in (((1.0, 2.0), 0), ((1.0, 2e150), 1), ((1e-120, 0.0), 1), ((0.0, 0.0), 0)):
        report = fuzz.Report()
        assert fuzz.search(report, "one", checks.Request(scores, 1, 0), "auto") is None
        assert report.refusals == ({"no thanks, # is too much": 1} if refused else {})
        assert len(report.failures) == 1 - refused


def test_a_failure_prints_what_shows_it_again(monkeypatch, snapshot):
    monkeypatch.setattr(fuzz, "disagreements", lambda *_: ["nothing is right"])
    report = fuzz.run(3, seed=0, solver_share=0, large_share=0, extreme_share=0)
    assert report.failures
    assert " of seed 0" in report.failures[0]
    assert report.failures[0] == snapshot
    namespace: dict[str, object] = {}
    with fuzz.limited(fuzz.LIMITS[0] | fuzz.LIMITS[2]):  # Limits that the snippet sets are not to outlive it.
        exec(report.failures[0], namespace)  # The snippet runs as it is.
    assert "altsets" in namespace


def test_any_number_of_processes_sees_the_same_problems(monkeypatch):
    monkeypatch.setattr(fuzz, "PORTION", 3)
    alone, together = (fuzz.run(8, seed=1, large_share=0, jobs=jobs) for jobs in (1, 2))
    # What was proven in a few microseconds depends on the machine.
    alone.statuses.clear()
    together.statuses.clear()
    assert alone == together
    assert alone.n_problems == 8


def test_random_requests_cover_everything():
    requests = [random_request(np.random.default_rng([0, number])) for number in range(1000)]
    for field, wanted in (
        ("kind", set(QUALITIES)),
        ("dissimilarity", {"dice", "jaccard", "matched", "grouped", *checks.OWN_DISSIMILARITIES}),
        ("search", {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}),
        ("aggregation", {"sum", "min"}),
    ):
        assert {getattr(request, field) for request in requests} == wanted
    assert {each[0] for request in requests for each in request.constraints} == {*checks.CONSTRAINTS} - {
        *JOINT
    }
    plain = [r for r in requests if r.kind == "additive" and not (r.constraints or r.own or r.likeness)]
    assert 0.25 < len(plain) / len(requests) < 0.4
    open_sizes = [r for r in requests if r.oracle.k_min < r.oracle.k_max]
    assert len(open_sizes) > 66
    assert sum(bool(r.existing) for r in requests) > 66


def test_extreme_requests_cover_everything():
    requests = [extreme_request(np.random.default_rng([0, number])) for number in range(750)]
    assert {request.kind for request in requests} == set(QUALITIES) - {"linear"}
    assert {request.search for request in requests} == {"sequential", "simultaneous"}
    sizes = [len(request.scores) for request in requests]
    assert sum(size <= 8 for size in sizes) > 700
    assert max(sizes) == 11
    scales = [float(request.oracle.scale) for request in requests]
    assert sum(1e-13 < scale < 1e-3 for scale in scales) > 25
    assert sum(1e3 < scale < 1e13 for scale in scales) > 25
    assert sum(1e-100 < scale < 1e-30 for scale in scales) > 10
    assert sum(1e30 < scale < 1e100 for scale in scales) > 10
    # Beside larger numbers of features that cannot be used.
    unused = [
        max(map(abs, request.scores)) > 1e6 * scale for request, scale in zip(requests, scales, strict=True)
    ]
    assert sum(unused) > 25
    used = [[abs(score) for score in request.scores if score] for request in requests]
    wide = [min(scores, default=0.0) < 1e-9 * max(scores, default=0.0) for scores in used]
    assert sum(wide) > 100
    last_digits = [0 < max(r.scores) - min(r.scores) < 1e-15 * max(r.scores) for r in requests]
    assert sum(last_digits) > 25
    assert sum(0.9 < max(map(abs, r.scores)) / 2**53 < 1.1 for r in requests) > 25
    assert sum("-0.0" in map(repr, r.scores) for r in requests) > 25
    as_many_as_there_are = [math.comb(len(r.scores), r.n_features) == r.n_alternatives + 1 for r in requests]
    assert sum(as_many_as_there_are) > 20


def test_edge_budgets_are_met_to_the_digit_or_missed_by_one():
    met = missed = 0
    for number in range(200):
        rng = np.random.default_rng([1, number])
        n, k = 6, 3
        _, costs, limit = edge_budget(rng, n, k)
        totals = [sum(Fraction(repr(costs[j])) for j in chosen) for chosen in combinations(range(n), k)]
        distances = [abs(total - Fraction(repr(limit))) for total in totals]
        met += min(distances) == 0
        missed += 0 < min(distances) < Fraction(repr(limit)) / 10**6
    assert met > 50
    assert missed > 50


PAIRS = ((0.0, 0.5, 0.0), (0.25, 0.0, 0.0), (0.0, 0.0, 0.0))
MATRICES = {"additive": (), **dict.fromkeys(("fcbf", "mrmr", "cfs"), PAIRS)}
MATRICES["linear"] = ((1.0, 0.5, 0.0, 0.5), (0.5, 1.0, 0.0, 0.25), (0.0, 0.0, 1.0, 0.125))


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
        matrix=MATRICES[kind],
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
