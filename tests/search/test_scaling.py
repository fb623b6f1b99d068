"""Numbers of any size: the right answer within the documented tolerance, or one clear refusal."""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from oracle import Numbers, Oracle

import altsets
from altsets import Status, constraints, quality
from altsets._kernels import arrangement, best_set, degrees, subset_search
from altsets._kernels import clique_search as cliques
from altsets.errors import InputError, UnsupportedError
from altsets.problem import Problem
from altsets.search.scaling import Scaling
from altsets.search.subset.kernel_call import KernelRequest, KernelRules, Objective, Terms

EXACT_ENGINES = ("auto", "enumerate", "milp")


# --- Numbers that cannot be used ----------------------------------------------------------------------
@pytest.mark.parametrize("out", [
    [constraints.Forbid(0)], [constraints.AtMost(0, [0])], [constraints.Budget([9, 1, 1, 1, 1, 1], 5)],
    [constraints.Implies(0, 5), constraints.Forbid(5)],
    [constraints.Require(3), constraints.Exclusive([0, 3])],
    [constraints.Require(3), constraints.AtMost(1, [0, 3])],
], ids=lambda out: type(out[0]).__name__)  # fmt: skip
def test_scales_are_those_of_features_that_can_be_used(out):
    rules = [*out, constraints.Size(2, 3), constraints.Exclusive([1, 2])]
    for seed in range(10):
        scores = np.random.default_rng(seed).random(6)
        scores[0] = 1e15
        valid = [
            chosen
            for size in (2, 3)
            for chosen in combinations(range(1, 6), size)
            if all(rule.holds(chosen) for rule in rules)
        ]
        result = altsets.find(quality.Additive(scores), n_alternatives=0, constraints=rules)
        assert result.status is Status.OPTIMAL
        assert result.objective == max(math.fsum(scores[list(chosen)]) for chosen in valid)


def test_features_that_conflict_with_required_ones_or_lie_in_existing_sets_have_no_scale():
    dependency = np.zeros((4, 4))
    dependency[0, 1] = 1e15
    fcbf = quality.FCBF([1e15, 1, 2, 3], dependency)
    problem = Problem.create(4, n_features=2, n_alternatives=0, constraints=constraints.Require(1))
    assert Scaling.of(fcbf, problem).scale == 3.0
    apart = Problem.create(4, n_features=2, n_alternatives=0, tau=1, existing=[(0, 1)])
    assert Scaling.of(quality.Additive([1e15, 1, 2, 3]), apart).scale == 3.0
    close = Problem.create(4, n_features=2, n_alternatives=0, tau=0.5, existing=[(0, 1)])
    assert Scaling.of(quality.Additive([1e15, 1, 2, 3]), close).scale == 1e15


# --- Units --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("exponent", [-300, -30, 3, 30, 300])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_powers_of_two_change_no_digit(exponent, search):
    rng = np.random.default_rng(1)
    relevance, matrix = rng.random(9), rng.random((9, 9))
    for make in (
        lambda unit: quality.Additive(unit * relevance),
        lambda unit: quality.MRMR(unit * relevance, unit * matrix),
        lambda unit: quality.FCBF(unit * relevance, unit * matrix / 2),
        lambda unit: quality.CFS(unit * relevance, matrix),
    ):
        request = {"n_features": 3, "n_alternatives": 2, "search": search}
        plain, scaled = (altsets.find(make(unit), **request) for unit in (1.0, 2.0**exponent))
        assert scaled.sets == plain.sets
        assert scaled.statuses == plain.statuses
        assert scaled.objective == math.ldexp(plain.objective, exponent)
        assert scaled.bound == math.ldexp(plain.bound, exponent)


def test_progress_is_told_in_the_users_units():
    heard = []
    scores = 1e-20 * np.random.default_rng(0).random(30)
    result = altsets.find(
        quality.Additive(scores),
        n_features=4,
        n_alternatives=3,
        search="simultaneous",
        aggregation="min",
        callback=heard.append,
    )
    assert heard
    assert heard[-1].best == result.objective
    assert heard[-1].bound == result.bound
    assert all(progress.bound >= result.objective for progress in heard)
    assert all(not progress.best > result.objective for progress in heard)


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_a_quality_of_ones_own_keeps_working(search):
    class Doubled(quality.Quality):
        size_normalised = False

        def __init__(self, scores):
            super().__init__(len(scores), None)
            self.scores = np.array(scores)

        def evaluate(self, indices):
            return 2 * math.fsum(self.scores[list(indices)].tolist())

        def form(self, size):
            return quality.Form(2 * self.scores)

    scores = 1e-11 * np.random.default_rng(4).random(8)
    request = {"n_features": 3, "n_alternatives": 1, "search": search}
    own = altsets.find(Doubled(scores), **request)
    assert own.status is Status.OPTIMAL
    assert own.objective == 2 * altsets.find(quality.Additive(scores), **request).objective


@pytest.mark.parametrize("engine", EXACT_ENGINES)
def test_nothing_but_zeros(engine):
    result = altsets.find(quality.Additive(np.zeros(6)), n_features=2, n_alternatives=1, engine=engine)
    assert (result.status, result.objective) == (Status.OPTIMAL, 0.0)
    assert 0.0 <= result.bound <= 1e-9


def test_what_rounding_hides_is_in_the_gap():
    rng = np.random.default_rng(0)
    for _ in range(10):
        relevance, redundancy = 1e12 + rng.random(6), 1e12 + rng.random((6, 6))
        result = altsets.find(quality.MRMR(relevance, redundancy), n_features=3, n_alternatives=0)
        numbers = Numbers("mrmr", tuple(relevance.tolist()), tuple(map(tuple, redundancy.tolist())))
        best = Oracle(numbers, 3).next_best()
        assert abs(result.objective) < 2
        assert result.bound > result.objective
        assert Fraction(result.bound) >= best
        assert result.gap <= 1e-9 * 1e12


def test_a_proven_bound_is_the_objective_where_rounding_hides_nothing():
    whole = altsets.find(quality.Additive([3, 1, -1, -3, 0, 0]), n_features=2, n_alternatives=1, tau=1)
    assert whole.bound == whole.objective
    rng = np.random.default_rng(0)
    good = quality.MRMR(rng.random(20), rng.random((20, 20)) / 4)
    for search in ("sequential", "simultaneous"):
        result = altsets.find(good, n_features=4, n_alternatives=2, search=search)
        assert result.bound == result.objective


# --- Refusals -----------------------------------------------------------------------------------------
PAIRS = np.full((36, 36), 0.5)


@pytest.mark.parametrize("engine", ["auto", "milp", "enumerate"])
@pytest.mark.parametrize("huge", [-2e300, float(np.finfo(float).min), 1e300, 1e101])
@pytest.mark.parametrize("search", ["simultaneous", "sequential"])
def test_huge_numbers_are_refused(engine, huge, search, refused):
    good = quality.Additive([1, 2, 3, 4, 5, 6] + [huge] * 30)
    with refused(InputError):
        altsets.find(good, n_features=4, n_alternatives=5, search=search, engine=engine)


def test_huge_numbers_of_features_that_are_forbidden_are_not_refused():
    good = quality.Additive([1, 2, 3, 4, 5, 6] + [-2e300] * 30)
    result = altsets.find(
        good,
        n_features=4,
        n_alternatives=2,
        search="simultaneous",
        constraints=constraints.Forbid(list(range(6, 36))),
    )
    assert (result.status, result.objective) == (Status.OPTIMAL, 42.0)


@pytest.mark.parametrize("search", ["greedy-replacement", "greedy-balancing", "greedy-depth"])
def test_heuristics_refuse_them_as_well(search):
    with pytest.raises(InputError, match="x0"):
        altsets.find(quality.Additive([1e308] * 8), n_features=3, n_alternatives=1, search=search)


def test_small_numbers_are_refused(refused):
    tiny = np.full(6, 1e-323)
    with refused(InputError):
        altsets.find(quality.CFS(tiny, np.zeros((6, 6))), n_features=2, n_alternatives=1)
    with pytest.raises(InputError, match="multiply all"):
        altsets.find(quality.Additive(tiny), n_features=2, n_alternatives=1)
    # Beside others they are as good as nothing.
    result = altsets.find(quality.Additive([1, 1e-323, 1e-320, 0.5]), n_features=2, n_alternatives=0)
    assert result.sets == [(0, 3)]


def test_small_ratios_beside_large_ones():
    relevance = np.array([1, 0.5, 3e-200, 2e-200, 1e-200, 5e-201])
    result = altsets.find(
        quality.CFS(relevance, np.full((6, 6), 0.25)), n_features=2, n_alternatives=2, tau=1
    )
    assert result.sets[0] == (0, 1)
    assert len(result.sets) == 3


def test_huge_redundancy_is_refused_where_it_stands_beside_the_size(refused):
    redundancy = np.full((6, 6), 0.5)
    redundancy[2, 3] = 1e100
    good = quality.CFS([1, 2, 3, 4, 5, 6], redundancy)
    with refused(InputError):
        altsets.find(good, n_features=2, n_alternatives=1)
    result = altsets.find(good, n_features=2, n_alternatives=0, constraints=constraints.Forbid(3))
    assert result.sets == [(4, 5)]


def test_huge_scores_of_a_black_box_are_refused():
    huge = quality.BlackBox(lambda chosen: -1e308 if 0 in chosen else 1.0, n_features_in=5)
    with pytest.raises(InputError, match=r"x0.*-1e\+308.*minus infinity"):
        altsets.find(huge, n_features=2, n_alternatives=2, search="simultaneous")


def test_scales_that_overflow_are_refused():
    with pytest.raises(InputError, match="smaller scale"):
        quality.FCBF([1e200, 1], np.zeros((2, 2)), scale=1e200)


# --- No request ends the process ----------------------------------------------------------------------
def in_a_small_thread(work):
    """What a function returns in a thread with little room on its stack."""
    answers = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: answers.append(work()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return answers[0]


def test_large_sets_in_a_small_thread(clock):
    def work():
        return altsets.find(
            quality.Additive(np.arange(4000.0)),
            n_features=2000,
            n_alternatives=2,
            search="simultaneous",
            time_limit=clock.limit(100),
        )

    result = in_a_small_thread(work)
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.NOT_FOUND)
    if result.sets:
        assert result.bound >= result.objective


def test_kernels_with_many_levels_give_up_instead_of_running_out_of_stack():
    n = 20_000
    degrees_of = np.full(n, 2, dtype=np.intc)
    found, patterns = in_a_small_thread(
        lambda: arrangement.arrange(degrees_of, 4, n // 2, n, 10**6, lambda: False)
    )
    assert found == 1
    assert len(patterns) == n
    scores = np.sort(np.random.default_rng(0).random(n))[::-1].copy()
    first = np.arange(n + 1, dtype=np.intc)
    positions, bound, _ = in_a_small_thread(
        lambda: best_set.best_set(
            scores, first, np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.intc),
            np.array([n // 2 + 1], dtype=np.intc), n // 2, -math.inf, 10**4, 1e-300, lambda: False,
        )
    )  # fmt: skip
    assert len(positions) == n // 2
    assert bound >= math.fsum(scores[: n // 2].tolist()) - 1e-9
    value, counts, _, relaxed = degrees.degree_bound(np.ones(10), 4000, 10, 45, 1, 1e-12)
    assert (value, counts) == (relaxed, None)
    none = np.zeros(0, dtype=np.intc)
    terms = np.ones(1500), np.zeros((0, 0)), np.zeros((0, 0), dtype=np.uint8)
    rules = np.zeros(1501, dtype=np.intc), none, none, np.zeros((0, 1500)), np.zeros(0)
    needs_and_payers = np.zeros(1501, dtype=np.intc), none, np.zeros((0, 0), dtype=np.intc)
    request = KernelRequest(KernelRules(*rules, *needs_and_payers), 1200, keeping=True, tick=lambda: False)
    sets, _, bound, *_ = subset_search.subset_search(request, Objective(Terms(*terms), 0.0, -math.inf), 1, 10)
    assert (len(sets), bound) == (0, math.inf)
    items = np.zeros((1, 1), dtype=np.uint64), np.zeros(1, dtype=np.intc), np.ones(1), np.zeros(1)
    elements = np.zeros(2, dtype=np.intc), none, np.zeros((0, 2002)), np.zeros(2)
    chosen, finished = cliques.Cliques(
        items, elements, np.ones((1, 1), dtype=np.intc), 2001, -math.inf, 1.0, summing=True, tolerance=0.0,
        max_nodes=10, tick=lambda: False,
    ).run()  # fmt: skip
    assert (chosen, finished) == (None, False)


@pytest.mark.parametrize("kernel", [degrees.degree_bound])
def test_kernels_stay_within_their_arrays_whatever_the_numbers(kernel):
    for huge in (-2e300, -1e308, 1e308, math.inf, -math.inf):
        scores = np.sort(np.array([1.0, 2, 3, 4, 5, 6] + [huge] * 30))[::-1].copy()
        with np.errstate(all="ignore"):
            value, *_ = kernel(scores, 6, 24, 30, 2, 1e-300)
        assert isinstance(value, float)


def test_sets_of_many_features_are_for_the_solver(refused):
    good = quality.Additive(np.arange(1500.0))
    with refused(UnsupportedError):
        altsets.find(good, n_features=1200, n_alternatives=0, engine="enumerate")


def test_sets_with_huge_numbers_that_cannot_be_used_are_only_looked_at():
    """An engine that leaves a rule out comes across them; in units of the others they are no numbers any more."""
    scores, dependency = [1e-62, 2e-62, 3e-62, 1e300, 4e-62], np.full((5, 5), -1.0)
    result = altsets.find(
        quality.FCBF(scores, dependency), 2, 1, 0.5, constraints=[constraints.AtMost(0, [3])]
    )
    assert result.status is Status.OPTIMAL
    assert result.qualities[0] == pytest.approx(7e-62, rel=1e-12)


def test_a_scale_that_leaves_nothing_of_a_number_is_refused(refused):
    with refused(InputError):
        quality.FCBF([5e-324, 1.0], np.zeros((2, 2)), scale=0.5)


def test_the_smallest_numbers_are_refused_also_where_their_share_in_a_mean_is_nothing(refused):
    redundancy = np.full((4, 4), -5e-324)
    redundancy[0] = redundancy[:, 0] = 1e50
    searched = quality.MRMR([1e50, 0.0, 0.0, 0.0], redundancy)
    with refused(InputError):
        altsets.find(searched, 3, 0, constraints=constraints.Forbid(0))


def test_redundancy_near_the_largest_number_is_refused_by_name(refused):
    huge = quality.CFS([1, 1, 1], [[0, 1, 0], [1, 0, 1e308], [0, 1e308, 0]], feature_names=list("abc"))
    with refused(InputError):
        altsets.find(huge, n_features=2, n_alternatives=0)
