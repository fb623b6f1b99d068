"""What engines claim, and problems whose optima are known; ``test_fuzz.py`` compares them with brute force."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from checks import QUALITIES, Request, disagreements
from random_requests import random_request

import altsets
from altsets import Status, constraints, quality
from altsets.problem import Problem
from altsets.search.solving import ENGINES

#: Which qualities an exact engine claims.
CLAIMED = {"additive": {"additive"}, "enumerate": {*QUALITIES}, "milp": {"additive", "fcbf", "mrmr"}}
EXACT = list(CLAIMED)
#: Those for black boxes have a file of their own as well, and decline all that has numbers.
BLACK_BOX = ["exhaustive", "local-search", "greedy-wrapper", "best-first"]


def test_every_engine_is_tested():
    # The one for wide tables has a file of its own: it declines all that has a matrix.
    assert {*EXACT, "greedy", "shortlist", *BLACK_BOX} == {*ENGINES}


def test_engines_claim_what_they_are_made_for():
    claimed = {engine: set() for engine in ENGINES}
    for seed in range(300):
        request = random_request(np.random.default_rng([3, seed]))
        for engine in request.engines():
            claimed[engine].add(request.kind)
            assert (engine == "greedy") == request.search.startswith("greedy")
    others = {engine: set() for engine in ("shortlist", *BLACK_BOX)}
    assert claimed == {**CLAIMED, "greedy": {"additive"}, **others}


@pytest.mark.parametrize("sizes", [(3, 3), (1, 3), (2, 4)])
@pytest.mark.parametrize("limit", [
    {"tau": 0}, {"tau": 0.2}, {"tau": 0.4}, {"tau": 0, "dissimilarity": "absolute"},
    {"tau": 1, "dissimilarity": "absolute"}, {"tau": 2, "dissimilarity": "absolute"},
])  # fmt: skip
@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_all_sets_are_compatible_where_trying_all_pairs_says_so(sizes, limit, dissimilarity):
    asked = {"dissimilarity": dissimilarity} | limit
    problem = Problem.create(6, n_features=3, constraints=[constraints.Size(*sizes)], **asked)
    sets = [c for size in problem.sizes for c in itertools.combinations(range(6), size)]
    pairs = list(itertools.combinations(sets, 2))
    assert problem.any_sets_differ_enough == all(problem.compatible(*pair) for pair in pairs)
    equal = [*pairs, *((one, one) for one in sets)]
    assert problem.may_repeat == all(problem.compatible(*pair) for pair in equal)


@pytest.mark.parametrize("engine", EXACT)
def test_disjoint_sets_in_closed_form(engine):
    scores = tuple(float(j) for j in range(1, 25))
    request = Request(scores, n_features=4, n_alternatives=5, tau=1, search="simultaneous")
    total = request.find(engine=engine)
    assert (total.objective, total.status) == (300, Status.OPTIMAL)
    lowest = replace(request, aggregation="min").find(engine=engine)
    assert (lowest.objective, lowest.status) == (50, Status.OPTIMAL)  # 300 / 6, as in a magic rectangle
    sequential = replace(request, search="sequential").find(engine=engine)
    assert sequential.qualities == [90, 74, 58, 42, 26, 10]


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("n", [3, 6])
def test_all_sets_there_are(engine, n):
    """All but one feature each; the last set has only the worst ones, and no more is left than it."""
    for n_good in range(n + 1):
        scores = (0.125,) * n_good + (0.0,) * (n - n_good)
        request = Request(scores, n_features=n - 1, n_alternatives=n - 1, min_difference=1)
        result = request.find(engine=engine)
        assert len(set(result.sets)) == n, scores
        assert result.status is Status.OPTIMAL
        one_more = replace(request, n_alternatives=n).find(engine=engine)
        assert one_more.statuses == [Status.OPTIMAL] * n + [Status.INFEASIBLE]


@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_the_fano_plane(engine, aggregation):
    """Seven triples of seven features, of which no two share a pair; there is no eighth."""
    request = Request(
        (1.0,) * 7,
        n_features=3,
        n_alternatives=6,
        min_difference=2,
        search="simultaneous",
        aggregation=aggregation,
    )
    result = request.find(engine=engine)
    assert result.objective == (21 if aggregation == "sum" else 3)
    assert result.status is Status.OPTIMAL
    assert disagreements(request, result) == []
    eighth = replace(request, n_alternatives=7).find(engine=engine)
    assert eighth.status is Status.INFEASIBLE


def test_a_size_that_is_fixed_is_no_constraint():
    good = quality.Additive([5, 4, 3, 2, 1])
    sizes = [constraints.Size(2, 3), constraints.Size(3, 9)]
    result = altsets.find(good, n_alternatives=1, constraints=[*sizes, constraints.Forbid(0)])
    assert result.engine == "additive"
    assert result.sets[0] == (1, 2, 3)


def test_everything_else_goes_elsewhere():
    good = quality.Additive([5, 4, 3, 2, 1])
    mix = [
        constraints.Require(4),
        constraints.Forbid(0),
        constraints.AtMost(1, [1, 2]),
        constraints.Budget([1, 1, 1, 2, 1], 4),
    ]
    result = altsets.find(good, n_features=3, n_alternatives=0, constraints=mix)
    assert result.engine == "enumerate"
    assert result.sets == [(1, 3, 4)]
