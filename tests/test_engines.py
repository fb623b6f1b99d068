"""Every engine on every problem it claims: against brute force, and against itself on related problems."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from checks import Request, disagreements, tolerance
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems

from altsets import Status
from altsets.search.find import ENGINES

#: A solver call is slow, and the heuristics have a file of their own; the fuzzer asks both more.
EXAMPLES = {"milp": 40, "greedy": 50}
EXACT = [name for name in ENGINES if name != "greedy"]


def check(request, engine):
    result = request.find(engine=engine)
    assert disagreements(request, result, request.oracle) == []
    return result


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "search", ["sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"]
)
@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_against_brute_force(engine, search, aggregation):
    claims = (engine == "greedy") == search.startswith("greedy")
    n_examples = EXAMPLES.get(engine, 150) if claims else 10
    seen = 0

    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(request=problems(searches=(search,), aggregations=(aggregation,)))
    def compare(request):
        nonlocal seen
        if ENGINES[engine].declines(request.quality, request.problem) is None:
            seen += 1
            check(request, engine)

    compare()
    assert (seen > 0) == claims


@settings(max_examples=150, deadline=None, derandomize=True)
@given(request=problems(max_n=12, max_k=3, max_a=5))
def test_default_against_brute_force(request):
    check(request, "auto")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(request=problems(searches=("sequential",), max_a=5))
def test_each_set_is_best_given_the_sets_before(request):
    """The same statement without the oracle's set by set check: one engine asked anew after each set."""
    result = request.find()
    for position, value in enumerate(result.qualities):
        given_sets = request.existing + tuple(result.sets[:position])
        again = replace(request, existing=given_sets, n_alternatives=0).find()
        assert again.objective == pytest.approx(value, rel=1e-9, abs=1e-9)


# --- Related problems -----------------------------------------------------------------------------

simultaneous = problems(searches=("simultaneous",))


def objective(request):
    """The proven optimum; None if there is none."""
    result = request.find()
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return result.objective if result.sets else None


def close(first, second, factor=1.0):
    if first is None or second is None:
        return first is second
    return abs(first - second) <= 2 * tolerance(first) * max(1.0, factor)


def no_worse(better, worse):
    return worse is None or (better is not None and better >= worse - 2 * tolerance(worse))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous, data=st.data())
def test_permuted_features(request, data):
    n = len(request.scores)
    order = data.draw(st.permutations(range(n)))
    place = {old: new for new, old in enumerate(order)}
    permuted = replace(
        request,
        scores=tuple(request.scores[old] for old in order),
        existing=tuple(tuple(sorted(place[j] for j in given_set)) for given_set in request.existing),
    )
    assert close(objective(request), objective(permuted))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous, factor=st.sampled_from([2.0**-10, 0.1, 3.0, 2.0**10]))
def test_scaled_scores(request, factor):
    scaled = replace(request, scores=tuple(score * factor for score in request.scores))
    before, after = objective(request), objective(scaled)
    if before is None or after is None:
        assert before is after
    else:
        # Either search may stop within its own tolerance of its own optimum.
        assert abs(after - factor * before) <= 2 * (tolerance(after) + factor * tolerance(before))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous, shift=st.sampled_from([-100.0, -1.0, 0.5, 7.0]))
def test_shifted_scores(request, shift):
    """All sets have the same size, so a constant moves every quality by k times as much."""
    shifted = replace(request, scores=tuple(score + shift for score in request.scores))
    before, after = objective(request), objective(shifted)
    if before is None or after is None:
        assert before is after
        return
    n_sets = request.n_alternatives + 1 if request.aggregation == "sum" else 1
    expected = before + shift * request.n_features * n_sets
    assert abs(after - expected) <= 4 * max(tolerance(before), tolerance(expected))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous, data=st.data())
def test_a_looser_limit_is_never_worse(request, data):
    if request.tau is None:
        difference = request.min_difference
        looser = replace(request, min_difference=data.draw(st.integers(0, difference)))
    else:
        looser = replace(
            request, tau=Fraction(request.tau) * data.draw(st.fractions(0, 1, max_denominator=8))
        )
    assert no_worse(objective(looser), objective(request))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous, data=st.data())
def test_another_feature_is_never_worse(request, data):
    score = data.draw(st.sampled_from([min(request.scores) - 1, 0.0, max(request.scores)]))
    assert no_worse(objective(replace(request, scores=(*request.scores, score))), objective(request))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous)
def test_fewer_sets_have_no_smaller_mean_or_minimum(request):
    fewer = replace(request, n_alternatives=max(0, request.n_alternatives - 1))
    few, many = objective(fewer), objective(request)
    if many is None:
        return
    assert few is not None
    if request.aggregation == "min":
        assert few >= many - 2 * tolerance(many)
    else:
        # Leaving out the worst set of many is one way to have few.
        mean = many / (request.n_alternatives + 1)
        assert few / (fewer.n_alternatives + 1) >= mean - 2 * tolerance(many)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(request=simultaneous)
def test_simultaneous_is_no_worse_than_sequential(request):
    sequential = replace(request, search="sequential", aggregation="sum").find()
    total = objective(replace(request, aggregation="sum"))
    lowest = objective(replace(request, aggregation="min"))
    assert (total is None) == (lowest is None)
    if sequential.status is Status.OPTIMAL:
        assert no_worse(total, sequential.objective)
        assert no_worse(lowest, min(sequential.qualities))
        assert lowest * (request.n_alternatives + 1) <= total + 2 * tolerance(total)


# --- Beyond brute force ---------------------------------------------------------------------------


@pytest.mark.parametrize("engine", EXACT)
def test_one_set_is_the_best_features(engine):
    scores = tuple(float((j * 37) % 101) for j in range(101))
    request = Request(scores, n_features=7, n_alternatives=0)
    for search in ("sequential", "simultaneous"):
        result = replace(request, search=search).find(engine=engine)
        assert result.objective == sum(range(94, 101))
        assert result.status is Status.OPTIMAL


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
