"""What the integer-programming solver claims is no proof until another argument confirms it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from checks import disagreements
from extreme_requests import solver_request
from portions import mostly_slow

from altsets import Status, find
from altsets.constraints import Exclusive
from altsets.quality import FCBF, Additive
from altsets.search.milp.highs import Programme, Solution
from altsets.search.run import Run


def test_small_scores_beside_large_ones_with_exclusions() -> None:
    result = find(
        Additive([0, 1e-7, -1, -1, -1]),
        n_features=1,
        n_alternatives=0,
        tau=1,
        search="simultaneous",
        aggregation="min",
        constraints=[Exclusive([3, 1]), Exclusive([3, 2]), Exclusive([4, 1])],
        engine="milp",
    )
    assert result.status is Status.OPTIMAL
    assert result.sets == [(1,)]


def test_small_scores_beside_large_ones_with_conflicts() -> None:
    relevance = [-1, 0, -1, 0, 1e-7, -1]
    dependency = np.full((6, 6), -10.0)
    for first, second in [(1, 0), (2, 0), (4, 2), (5, 4)]:
        dependency[first, second] = dependency[second, first] = 10.0
    quality = FCBF(relevance, dependency)
    result = find(
        quality, n_features=1, n_alternatives=0, search="simultaneous", aggregation="min", engine="milp"
    )
    assert result.status is Status.OPTIMAL
    assert result.sets == [(4,)]


@pytest.mark.parametrize("first", mostly_slow(range(0, 200, 25), 1))
def test_small_scores_beside_large_ones_against_the_oracle(first: int) -> None:
    for seed in range(first, first + 25):
        asked = solver_request(np.random.default_rng(seed))
        wrong = disagreements(asked, asked.find(engine="milp"), asked.oracle)
        assert not wrong, (seed, wrong, asked.snippet(engine="milp"))


def test_infeasible_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Programme, "maximise", lambda self, run, gap=0.0, presolve=True: Solution(None, -math.inf)
    )
    result = find(Additive([3.0, 2.0, 1.0]), 2, 0, search="simultaneous", engine="milp")
    assert result.status is not Status.INFEASIBLE
    assert result.bound >= 5.0


@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_an_optimum_is_confirmed(monkeypatch: pytest.MonkeyPatch, aggregation: str) -> None:
    truly = Programme.maximise

    def too_low(self: Programme, run: Run, gap: float = 0.0, *, presolve: bool = True) -> Solution:
        if not presolve:
            return truly(self, run, gap, presolve=presolve)
        # The worst solution, and a bound that calls it the best.
        self._cost, costs = [-cost for cost in self._cost], self._cost
        worst = truly(self, run, gap, presolve=presolve)
        self._cost = costs
        assert worst.values is not None
        return Solution(worst.values, float(np.dot(costs, worst.values)))

    monkeypatch.setattr(Programme, "maximise", too_low)
    result = find(
        Additive([0.9, 0.8, 0.3, 0.1]),
        1,
        1,
        tau=1,
        search="simultaneous",
        aggregation=aggregation,
        engine="milp",
    )
    assert result.objective == pytest.approx(1.7 if aggregation == "sum" else 0.8)
