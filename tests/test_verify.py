"""The independent check: it lets right answers pass and catches every kind of wrong one."""

from __future__ import annotations

import math

import pytest

from altsets import Problem
from altsets.errors import AltsetsError, VerificationError
from altsets.problem import verify

SCORES = [9.0, 8.0, 7.0, 3.0, 2.0, 1.0, 0.0]


def evaluate(chosen):
    return math.fsum(SCORES[j] for j in chosen)


def check(sets, bound=math.inf, **options):
    problem = Problem.create(len(SCORES), **{"n_features": 3, "tau": 0.6, **options})
    return verify(problem, sets, evaluate, bound)


def test_a_right_answer_passes_and_is_evaluated_anew():
    assert check([(0, 1, 2), (0, 3, 4)], bound=38.0) == [24.0, 14.0]
    assert check([]) == []


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([(0, 1)], "set 0 is not a set of 3 features"),
        ([(0, 1, 2), (0, 3, 4, 5)], "set 1 is not a set of 3 features"),
        ([(0, 1, 1)], "set 0 is not a set of 3 features"),
        ([(0, 0, 1, 2)], "set 0 "),
        ([(1, 0, 2)], "set 0 is not a sorted tuple of feature indices"),
        ([(-1, 0, 2)], "set 0 is not a sorted tuple of feature indices"),
        ([(0, 2, 7)], "set 0 is not a sorted tuple of feature indices"),
        ([(0, 1, 2), (0, 1, 3)], "set 1 is too similar to set 0"),
        ([(0, 1, 2), (0, 3, 4), (1, 3, 4)], "set 2 is too similar to set 1"),
        ([(0, 1, 2), (3, 4, 5), (0, 1, 2)], "set 2 is too similar to set 0"),
    ],
)
def test_every_corruption_of_the_sets_is_caught(sets, message):
    with pytest.raises(VerificationError, match=message):
        check(sets)


@pytest.mark.parametrize(
    ("options", "bound"),
    [({}, 37.9), ({"search": "simultaneous", "aggregation": "min"}, 13.9), ({}, -math.inf)],
)
def test_a_bound_below_the_objective_is_caught(options, bound):
    with pytest.raises(VerificationError, match="exceeds the claimed bound"):
        check([(0, 1, 2), (0, 3, 4)], bound, **options)


@pytest.mark.parametrize("existing", [[(0, 1, 2)], [(4, 5), (1, 2, 3)], [(0, 1)]])
def test_existing_sets_count(existing):
    with pytest.raises(VerificationError, match=r"set 0 is too similar to existing set \d"):
        check([(0, 1, 2)], existing=existing)
    assert check([(3, 5, 6)], existing=[(0, 1, 2), (4, 5)]) == [4.0]


def test_equal_sets_only_where_nothing_is_asked():
    twice = [(0, 1, 2), (0, 1, 2)]
    assert check(twice, tau=0) == [24.0, 24.0]
    assert check(twice, tau=None, min_difference=0) == [24.0, 24.0]
    for options in ({"tau": 0.01}, {"tau": None, "min_difference": 1}):
        with pytest.raises(VerificationError, match="set 1 is too similar to set 0"):
            check(twice, **options)


def test_the_asked_dissimilarity_counts():
    # One of four features is shared: Dice 3/4, Jaccard 6/7.
    sets = [(0, 1, 2, 3), (3, 4, 5, 6)]
    assert check(sets, n_features=4, tau=0.8, dissimilarity="jaccard") == [27.0, 6.0]
    with pytest.raises(VerificationError, match="too similar"):
        check(sets, n_features=4, tau=0.8, dissimilarity="dice")


@pytest.mark.parametrize("tau", [0.9, 3 * 0.1, 0.7, 1 - 0.3, 0.1])
def test_no_false_alarm_at_the_exact_level(tau):
    k, level = 10, round(tau * 10)
    first = tuple(range(k))
    second = tuple(range(level, level + k))
    problem = Problem.create(20, n_features=k, tau=tau)
    assert verify(problem, [first, second], lambda chosen: 0.0, 0.0) == [0.0, 0.0]
    with pytest.raises(VerificationError, match="too similar"):
        verify(problem, [first, tuple(range(level - 1, level - 1 + k))], lambda chosen: 0.0, 0.0)


def test_verification_error_belongs_to_the_tree():
    assert issubclass(VerificationError, AltsetsError)
    assert issubclass(VerificationError, RuntimeError)
