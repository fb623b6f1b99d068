"""Every engine on every problem it claims: against brute force, and against itself on related problems."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from checks import QUALITIES, Request, disagreements, tolerance
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import constraint, problems

from altsets import Status
from altsets.constraints import Size
from altsets.problem import Problem
from altsets.search.engine import Answer
from altsets.search.solving import ENGINES

#: Problems for each engine in each kind of test; ``make fuzz`` asks far more. A solver call is slow.
EXAMPLES = {"milp": 20}
#: Those of numbers for features and pairs; linear models have tests of their own.
KINDS = tuple(kind for kind in QUALITIES if kind != "linear")

#: Which qualities an exact engine claims.
CLAIMED = {
    "additive": {"additive"},
    "enumerate": {"additive", "fcbf", "mrmr", "cfs"},
    "milp": {"additive", "fcbf", "mrmr"},
}
EXACT = list(CLAIMED)
#: Those for black boxes have a file of their own as well, and decline all that has numbers.
BLACK_BOX = ["exhaustive", "local-search", "greedy-wrapper", "best-first"]


def test_every_engine_is_tested():
    # The one for wide tables has a file of its own: it declines all that has a matrix.
    assert {*EXACT, "greedy", "shortlist", *BLACK_BOX} == {*ENGINES}


def test_answers_without_sets_say_what_the_bound_says():
    problem = Problem.create(6, n_features=2, n_alternatives=2)
    assert Answer.infeasible(problem, "").statuses == [Status.INFEASIBLE] * 3
    assert Answer.without_sets(problem, -math.inf, "") == Answer.infeasible(problem, "")
    assert Answer.without_sets(problem, 3.0, "").statuses == [Status.NOT_FOUND] * 3
    assert Answer.simultaneous(problem, [], 3.0, "", proven=False) == Answer.without_sets(problem, 3.0, "")
    for proven, status in ((True, Status.OPTIMAL), (False, Status.FEASIBLE)):
        answer = Answer.simultaneous(problem, [(0, 1), (2, 3), (4, 5)], 3.0, "so", proven=proven)
        assert (answer.statuses, answer.bound, answer.proof) == ([status] * 3, 3.0, "so")


@pytest.mark.parametrize("sizes", [(3, 3), (1, 3), (2, 4)])
@pytest.mark.parametrize(
    "limit",
    [
        {"tau": 0},
        {"tau": 0.2},
        {"tau": 0.4},
        {"tau": 0, "dissimilarity": "absolute"},
        {"tau": 1, "dissimilarity": "absolute"},
        {"tau": 2, "dissimilarity": "absolute"},
    ],
)
@pytest.mark.parametrize("dissimilarity", ["dice", "jaccard"])
def test_all_sets_are_compatible_where_trying_all_pairs_says_so(sizes, limit, dissimilarity):
    asked = {"dissimilarity": dissimilarity} | limit
    problem = Problem.create(6, n_features=3, constraints=[Size(*sizes)], **asked)
    sets = [c for size in problem.sizes for c in itertools.combinations(range(6), size)]
    pairs = list(itertools.combinations(sets, 2))
    assert problem.any_sets_differ_enough == all(problem.compatible(*pair) for pair in pairs)
    equal = [*pairs, *((one, one) for one in sets)]
    assert problem.may_repeat == all(problem.compatible(*pair) for pair in equal)


def check(request, engine):
    result = request.find(engine=engine)
    assert disagreements(request, result, request.oracle) == []
    return result


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*EXACT, "greedy"])
@pytest.mark.parametrize(
    "search", ["sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"]
)
@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_against_brute_force(engine, search, aggregation):
    claims = (engine == "greedy") == search.startswith("greedy")
    n_examples = EXAMPLES.get(engine, 30) if claims else 10
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


@pytest.mark.slow
@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_every_quality_constraint_and_dissimilarity(engine, kind, search):
    claims = kind in CLAIMED[engine]
    n_examples = EXAMPLES.get(engine, 30) if claims else 10
    seen = 0

    @settings(max_examples=n_examples, deadline=None, derandomize=True)
    @given(request=problems(searches=(search,), kinds=(kind,), with_constraints=True, with_own=True, max_n=8))
    def compare(request):
        nonlocal seen
        if ENGINES[engine].declines(request.quality, request.problem) is None:
            seen += 1
            check(request, engine)

    compare()
    assert (seen > 0) == claims


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(request=problems(max_n=12, max_k=3, max_a=5))
def test_default_against_brute_force(request):
    check(request, "auto")


@pytest.mark.parametrize("engine", EXACT)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_nearly_equal_scores(engine, data):
    """The solver once lost optima here, and once said that there was no solution."""
    tiny = data.draw(st.sampled_from([1e-6, 1e-7, 1e-8, 1e-9]))
    whole, parts = (st.lists(st.integers(0, most), min_size=7, max_size=7) for most in (2, 99))
    scores = [a + tiny * b for a, b in zip(data.draw(whole), data.draw(parts), strict=True)]
    request = Request(
        tuple(scores),
        n_features=data.draw(st.integers(1, 3)),
        n_alternatives=data.draw(st.integers(0, 3)),
        min_difference=1,
        search=data.draw(st.sampled_from(["sequential", "simultaneous"])),
        aggregation=data.draw(st.sampled_from(["sum", "min"])),
    )
    check(request, engine)


@settings(max_examples=25, deadline=None, derandomize=True)
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
anything = problems(searches=("simultaneous",), kinds=KINDS, with_constraints=True, max_n=8)


def objective(request):
    """The proven optimum; None if there is none."""
    result = request.find()
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return result.objective if result.sets else None


def close(first, second):
    if first is None or second is None:
        return first is second
    return abs(first - second) <= 2 * tolerance(first)


def no_worse(better, worse):
    return worse is None or (better is not None and better >= worse - 2 * tolerance(worse))


def renamed(constraint, place):
    """The same constraint after feature j has become place[j]."""
    kind, *rest = constraint
    if kind in ("budget", "linear"):
        costs = tuple(cost for _, cost in sorted(zip(place, rest[0], strict=True)))
        return (kind, costs, *rest[1:])
    if kind == "size":
        return constraint
    if kind == "implies":
        return (kind, place[rest[0]], place[rest[1]])
    return (kind, *rest[:-1], tuple(sorted(place[j] for j in rest[-1])))


def extended(request, score, row, column):
    """One more feature, which no constraint mentions."""
    return replace(
        request,
        scores=(*request.scores, score),
        matrix=tuple((*old, new) for old, new in zip(request.matrix, column, strict=True))
        + ((*row, 0.0),) * bool(request.matrix),
        constraints=tuple(
            (kind, (*rest[0], 0.0), *rest[1:]) if kind in ("budget", "linear") else (kind, *rest)
            for kind, *rest in request.constraints
        ),
    )


@st.composite
def one_more_feature(draw):
    """A problem, and the same with another feature."""
    request = draw(anything)
    entries = st.sampled_from([0.0, 0.0, 0.5, 3.0, 1000.0])
    row, column = (
        draw(st.lists(entries, min_size=len(request.matrix), max_size=len(request.matrix))) for _ in range(2)
    )
    score = draw(
        st.sampled_from([min(request.scores) - 1, 0.0, max(request.scores), max(request.scores) + 5])
    )
    return request, extended(request, score, row, column)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(request=anything, data=st.data())
def test_permuted_features(request, data):
    order = data.draw(st.permutations(range(len(request.scores))))
    place = {old: new for new, old in enumerate(order)}
    permuted = replace(
        request,
        scores=tuple(request.scores[old] for old in order),
        matrix=tuple(tuple(request.matrix[i][j] for j in order) for i in order) if request.matrix else (),
        existing=tuple(tuple(sorted(place[j] for j in given_set)) for given_set in request.existing),
        constraints=tuple(
            renamed(each, [place[j] for j in range(len(order))]) for each in request.constraints
        ),
    )
    assert close(objective(request), objective(permuted))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(request=anything, factor=st.sampled_from([2.0**-10, 0.5, 4.0, 2.0**10]))
def test_scaled_numbers(request, factor):
    """Powers of two, so that not even a conflict by a hair's breadth changes."""
    scaled = replace(request, scores=tuple(score * factor for score in request.scores))
    if request.kind != "cfs":  # Where the redundancy is a pure number.
        scaled = replace(scaled, matrix=tuple(tuple(x * factor for x in row) for row in request.matrix))
    if request.min_relevance is not None:
        scaled = replace(scaled, min_relevance=request.min_relevance * factor)
    before, after = objective(request), objective(scaled)
    if before is None or after is None:
        assert before is after
    else:
        # Either search may stop within its own tolerance of its own optimum.
        assert abs(after - factor * before) <= 2 * (tolerance(after) + factor * tolerance(before))


@settings(max_examples=15, deadline=None, derandomize=True)
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


@settings(max_examples=15, deadline=None, derandomize=True)
@given(request=anything, data=st.data())
def test_a_looser_limit_is_never_worse(request, data):
    if request.tau is None:
        difference = request.min_difference
        looser = replace(request, min_difference=data.draw(st.integers(0, difference)))
    else:
        looser = replace(
            request, tau=Fraction(request.tau) * data.draw(st.fractions(0, 1, max_denominator=8))
        )
    assert no_worse(objective(looser), objective(request))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(request=anything, data=st.data())
def test_another_constraint_is_never_better(request, data):
    new = data.draw(constraint(len(request.scores), request.n_features))
    assume(new[0] != "size" or any(each[0] == "size" for each in request.constraints))
    assert no_worse(objective(request), objective(replace(request, constraints=(*request.constraints, new))))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(pair=one_more_feature())
def test_another_feature_is_never_worse(pair):
    request, larger = pair
    assert no_worse(objective(larger), objective(request))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(pair=one_more_feature())
def test_forbidding_a_feature_is_leaving_it_out(pair):
    request, larger = pair
    forbid = ("forbid", (len(request.scores),))
    assert close(objective(request), objective(replace(larger, constraints=(*larger.constraints, forbid))))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(request=anything)
def test_fewer_sets_have_no_smaller_mean_or_minimum(request):
    fewer = replace(request, n_alternatives=max(0, request.n_alternatives - 1))
    few, many = objective(fewer), objective(request)
    assume(many is not None)
    assert few is not None
    if request.aggregation == "min":
        assert few >= many - 2 * tolerance(many)
    else:
        # Leaving out the worst set of many is one way to have few.
        mean = many / (request.n_alternatives + 1)
        assert few / (fewer.n_alternatives + 1) >= mean - 2 * tolerance(many)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(request=anything)
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
