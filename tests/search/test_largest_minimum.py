"""The parts of the exact search for the largest minimum of additive qualities, each against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import altsets
from altsets._kernels.arrangement import arrange
from altsets._kernels.packing import pack
from altsets.problem import Problem
from altsets.quality import Additive
from altsets.result import Status
from altsets.search.additive import best_set, max_min, max_sum, pattern_milp, windows
from altsets.search.additive.best_set import Instance
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.additive.partial_solutions import MaxMinState, PartialSolutions, classes
from altsets.search.additive.windows import WindowLists, window_of
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates


def arrangements(degrees, n_sets, size, cap):
    """All ways to put features of these degrees into sets, as tuples of sets; plainly."""
    for choice in itertools.product(*(itertools.combinations(range(n_sets), degree) for degree in degrees)):
        sets = [{j for j, numbers in enumerate(choice) if number in numbers} for number in range(n_sets)]
        if max(map(len, sets)) <= size and all(
            len(first & second) <= cap for first, second in itertools.combinations(sets, 2)
        ):
            yield sets


@pytest.mark.parametrize(("n_sets", "size", "cap"), [(3, 3, 1), (3, 4, 2), (4, 3, 1), (4, 4, 1), (4, 4, 2)])
def test_arrangements_exist_exactly_where_trying_all_finds_one(n_sets, size, cap):
    answers = set()
    for length in range(1, 5):
        for degrees in itertools.combinations_with_replacement(range(n_sets, 1, -1), length):
            if sum(degrees) > n_sets * size:
                continue
            answer, found = arrange(np.array(degrees, dtype=np.intc), n_sets, size, cap, 10**6, lambda: False)
            expected = next(arrangements(degrees, n_sets, size, cap), None)
            assert answer == (expected is not None), degrees
            if answer:
                sets = [{j for j in range(length) if found[j] >> number & 1} for number in range(n_sets)]
                assert sorted(sum(j in chosen for chosen in sets) for j in range(length)) == sorted(degrees)
                assert max(map(len, sets)) <= size
                assert all(len(a & b) <= cap for a, b in itertools.combinations(sets, 2))
            answers.add(answer)
    assert answers == {0, 1}


def test_what_sets_must_share_rules_out_degrees_that_only_look_possible():
    # Every pair would have to share exactly five; trying all of it takes an integer programme seconds.
    degrees = np.array([6, 5, *[4] * 6, 3, *[2] * 11], dtype=np.intc)
    answer, _ = arrange(degrees, 6, 10, 5, 20_000, lambda: False)
    assert answer == 0


@pytest.mark.parametrize("seed", range(12))
def test_sets_are_filled_up_around_heads_as_well_as_possible(seed):
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.integers(0, 9, 8) / 8)[::-1]
    problem = Problem.create(
        8,
        n_features=3,
        n_alternatives=1,
        tau=1 + seed % 2,
        dissimilarity="absolute",
        search="simultaneous",
        existing=[(0, 4, 5)],
    )
    heads = [[(0,), (1,)], [(0,), (0,)], [(), (0, 1)]][seed % 3]
    tail = Candidates(np.arange(2, 8), scores[2:])
    sets, bound = pattern_milp.best_sum(tail, problem, math.inf, Run(), heads)
    best = -math.inf
    ways = [
        [tuple(sorted((*head, *rest))) for rest in itertools.combinations(range(2, 8), 3 - len(head))]
        for head in heads
    ]
    for pair in itertools.product(*ways):
        members = [*pair, (0, 4, 5)]
        if all(len(set(a) & set(b)) <= problem.max_overlap for a, b in itertools.combinations(members, 2)):
            added = sum(
                scores[j] for chosen, head in zip(pair, heads, strict=True) for j in set(chosen) - set(head)
            )
            best = max(best, added)
    if sets is None:
        assert best == bound == -math.inf
    else:
        assert all(set(head) <= set(chosen) for head, chosen in zip(heads, sets, strict=True))
        added = sum(
            scores[j] for chosen, head in zip(sets, heads, strict=True) for j in set(chosen) - set(head)
        )
        assert added == pytest.approx(best)


def skewed(n, n_positive, seed):
    """Scores like importances of trees: one large, some small, the rest zero."""
    rng = np.random.default_rng(seed)
    scores = np.zeros(n)
    scores[:n_positive] = np.sort(rng.pareto(1.0, n_positive))[::-1]
    return scores / scores.sum()


@pytest.mark.parametrize(
    ("n", "n_positive"), [(30, 13), (34, 15), pytest.param(36, 30, marks=pytest.mark.slow)]
)
def test_skewed_scores_are_proven_where_the_other_sets_hardly_fit(n, n_positive):
    # The sets that the largest feature lifts must still be fitted around the two or three that are worst.
    for seed in range(3):
        found = altsets.find(
            Additive(skewed(n, n_positive, seed)),
            n_features=10,
            n_alternatives=5,
            tau=0.8,
            search="simultaneous",
            aggregation="min",
        )
        assert found.status == "optimal" or found.gap <= 1e-6 * abs(found.objective)


@pytest.mark.parametrize("tau", [0.4, 0.8, 1.0])
def test_scores_of_many_values_are_proven_from_the_bound_down(tau):
    found = altsets.find(
        Additive(np.random.default_rng(5).random(60)),
        n_features=10,
        n_alternatives=3,
        tau=tau,
        search="simultaneous",
        aggregation="min",
    )
    assert found.status == "optimal" or found.gap <= 1e-6 * abs(found.objective)


def test_features_of_equal_scores_stand_for_each_other_however_often_each_must_be_used():
    # Almost every feature must lie in two sets at least; those of 0.3 share one place in the listed sets.
    scores = [0.3, 0.3, 0.2, 0.0, 0.4, 0.4, 0.8, 0.6, 0.3, 0.3]
    found = altsets.find(
        Additive(scores),
        n_features=5,
        n_alternatives=5,
        tau=0.6,
        search="simultaneous",
        aggregation="min",
        engine="additive",
    )
    assert found.status == "optimal"
    assert found.objective == pytest.approx(1.7)


@pytest.mark.parametrize("seed", range(20))
def test_windows_lose_no_solution(seed):
    rng = np.random.default_rng(seed)
    n, size, n_sets = 7, 3, 3
    scores = np.sort(rng.random(n) if seed % 3 else rng.integers(0, 5, n) / 4 + rng.pareto(2.0, n))[::-1]
    problem = Problem.create(
        n,
        n_features=size,
        n_alternatives=n_sets - 1,
        tau=1 + seed % 2,
        dissimilarity="absolute",
        search="simultaneous",
    )
    quality = Additive(scores)
    state = MaxMinState(Instance(quality, problem, Candidates(np.arange(n), scores), Run()))
    root, lists = PartialSolutions(state).root(), WindowLists(state)
    cap = problem.max_overlap
    solutions = [
        sets
        for sets in itertools.combinations(itertools.combinations(range(n), size), n_sets)
        if all(len(set(a) & set(b)) <= cap for a, b in itertools.combinations(sets, 2))
    ]
    worst = np.array([min(map(quality.evaluate, sets)) for sets in solutions]) - state.offset
    for theta in worst.max() * np.array([1.0, 0.999, 0.97, 0.9]):
        window = window_of(state, root, float(theta))
        assert window is not None
        listed = lists.list_sets(root, window, windows.MAX_HALF_SETS, windows.FIRST_LENGTH)
        assert listed is not None
        masks = {int(mask) for entry in listed for mask in entry.masks}
        for sets in (sets for sets, value in zip(solutions, worst, strict=True) if value >= theta):
            degrees = np.array([sum(j in chosen for chosen in sets) for j in range(n)])
            assert all(degrees[j] == 0 for j in set(range(n)) - set(window.useful.tolist()))
            assert np.all(degrees[window.useful] >= window.must)
            assert np.all(degrees[window.useful] <= window.most)
            unshared = sum(cap - len(set(a) & set(b)) for a, b in itertools.combinations(sets, 2))
            assert unshared <= window.unshared
            places = [[window.useful.tolist().index(j) for j in chosen] for chosen in sets]
            # Of features with equal scores the first ones are listed for all.
            if len(window.first) == len(window.useful) + 1:
                assert {sum(1 << place for place in chosen) for chosen in places} <= masks


@pytest.mark.slow
@pytest.mark.parametrize("existing", [(), [(0, 1, 2, 3)]])
def test_the_optimum_does_not_depend_on_limits(existing, monkeypatch):
    # With short lists and few nodes there are many branches and completions on the way.
    tight = {
        windows: {
            "ROOT_HALF_SETS": 40,
            "MAX_HALF_SETS": 40,
            "FIRST_LENGTH": 6,
            "MIN_LENGTH": 4,
            "MAX_LENGTH": 8,
            "MIN_PICK_NODES": 5,
            "MAX_PICK_NODES": 10,
            "ROOT_PICK_NODES": 10,
        },
        max_min: {"MAX_LATE_NODES": 10**6},
        max_sum: {"MAX_SEQUENCES": 3},
        best_set: {"MAX_NODES": 10},
    }
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores = rng.random(14) if seed % 2 else rng.pareto(1.0, 14)
        quality = Additive(scores / scores.max())
        problem = Problem.create(
            14,
            n_features=4,
            n_alternatives=3,
            tau=2 + seed % 2,
            dissimilarity="absolute",
            search="simultaneous",
            aggregation="min",
            existing=existing,
        )
        usual = AdditiveEngine().solve(quality, problem, Run())
        with monkeypatch.context() as limited:
            for module, limits in tight.items():
                for name, value in limits.items():
                    limited.setattr(module, name, value)
            other = AdditiveEngine().solve(quality, problem, Run())
        assert set(usual.statuses) == set(other.statuses) == {Status.OPTIMAL}
        assert other.bound == pytest.approx(usual.bound, abs=1e-9)


def test_full_sets_leave_no_class_of_features():
    # Where every place is decided, no feature is left: a class without features made the kernel divide by zero.
    first = classes(np.zeros(0), np.zeros((0, 0), dtype=np.uint8))
    assert first.tolist() == [0]
    assert classes(np.array([2.0, 1.0, 1.0]), np.zeros((0, 3), dtype=np.uint8)).tolist() == [0, 1, 3]
    nothing = np.zeros(0, dtype=np.intc)
    items = np.zeros(1, dtype=np.uint64), np.ones(1), np.zeros(1), np.zeros(1, dtype=np.intc)
    groups = np.array([2], dtype=np.intc), np.zeros((1, 1), dtype=np.intc)
    sets, chosen, finished, _ = pack(
        items, groups, first, (nothing, nothing), 0, 0.5, 1.0, False, 1e-12, 100, Run().tick
    )
    assert finished
    assert sets.tolist() == chosen.tolist() == [0, 0]


@pytest.mark.parametrize("seed", [0, pytest.param(3, marks=pytest.mark.slow)])
def test_a_search_that_has_to_stop_while_it_branches_proves_nothing(seed, monkeypatch):
    children, stopped = PartialSolutions.children, []

    def stop_first(self, node):
        stopped.append(node)
        self._state.run.interrupted = True
        return children(self, node)

    good = Additive(np.random.default_rng(seed).random(12) ** 4)
    asked = {"n_features": 4, "n_alternatives": 8, "search": "simultaneous", "aggregation": "min"}
    optimum = altsets.find(good, **asked)
    monkeypatch.setattr(PartialSolutions, "children", stop_first)
    result = altsets.find(good, **asked)
    assert stopped
    assert result.status is Status.FEASIBLE
    assert result.bound >= optimum.objective
