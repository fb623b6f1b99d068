"""The first problems of ``make fuzz``, and the fuzzer's own ability to fail."""

from __future__ import annotations

from dataclasses import replace as changed

import checks
import fuzz
import numpy as np
import pytest

from altsets import Status


def test_two_thousand_problems():
    report = fuzz.run(2000, seed=0)
    assert report.failures == []
    assert report.n_problems == 2000
    assert report.n_searches["auto"] > 1900
    assert report.n_searches[fuzz.SOLVER] > 20
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
    exec(report.failures[0], namespace)  # The snippet runs as it is.
    assert "altsets" in namespace


def test_problems_are_reproducible():
    first, second = (fuzz.random_request(np.random.default_rng([0, 7])) for _ in range(2))
    assert first == second
