"""Black boxes: what they remember, and the searches that can only ask them."""

from __future__ import annotations

import pytest
from checks import Request
from greedy_wrapper import closest, greedy_wrapper
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems

import altsets
from altsets import quality
from altsets.search.repair import Repair, tie_breakers
from altsets.search.run import Run
from altsets.search.starts import Starts

SEARCHES = [("sequential", "sum"), ("simultaneous", "sum"), ("simultaneous", "min")]
searches = pytest.mark.parametrize(("search", "aggregation"), SEARCHES)
ENGINES = ["exhaustive", "greedy-wrapper"]


def box(request: Request, **options) -> quality.BlackBox:
    """The quality of a request, as a function that can only be asked."""
    return quality.BlackBox(request.quality.evaluate, n_features_in=len(request.scores), **options)


def small(search, aggregation, **more):
    """Requests of every kind, with pair terms and all constraints."""
    options = {
        "kinds": ("mrmr",),
        "with_constraints": True,
        "with_own": True,
        "max_n": 8,
        "max_k": 4,
        "max_a": 2,
    }
    return problems(searches=(search,), aggregations=(aggregation,), **{**options, **more})


# --- Repair and Algorithm 1 -----------------------------------------------------------------------


@settings(max_examples=200, deadline=None, derandomize=True)
@given(request=small("simultaneous", "sum", max_n=7), data=st.data())
def test_repair_is_the_closest_valid_solution(request, data):
    problem, oracle = request.problem, request.oracle
    first = Starts(problem, Run()).all()
    if not first.sets:
        assert not oracle.feasible(problem.n_sets)
        return
    n = len(request.scores)
    flips = tuple(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=2))))
    found = Repair(problem, Run()).closest(first.sets, [flips] * problem.n_sets)
    assert found == closest(oracle, first.sets, flips, tie_breakers(problem))


@searches
def test_greedy_wrapper_is_algorithm_1(search, aggregation):
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(request=small(search, aggregation, max_n=7, max_k=3), max_iters=st.sampled_from([1, 7, 1000]))
    def compare(request, max_iters):
        result = altsets.find(box(request), engine="greedy-wrapper", max_iters=max_iters, **request.options)
        problem, oracle = request.problem, request.oracle
        starts, ties = Starts(problem, Run()), tie_breakers(problem)
        if search == "simultaneous":
            first = starts.all().sets
            expected = []
            if first:
                expected = greedy_wrapper(
                    oracle, lambda sets: problem.objective([*map(oracle.value, sets)]), first, ties, max_iters
                )
            assert sorted(result.sets) == sorted(expected)
            return
        expected = []
        while len(expected) < problem.n_sets and (first := starts.one(expected)[0]) is not None:
            expected += greedy_wrapper(
                oracle, lambda sets: oracle.value(sets[0]), [first], ties, max_iters, expected
            )
        assert result.sets == expected

    compare()
