"""The independent check: it lets right answers pass and catches every kind of wrong one."""

from __future__ import annotations

import math

import pytest

from altsets.constraints import AtLeast, AtMost, Budget, Exclusive, Forbid, Implies, Require, Size
from altsets.errors import InputError, VerificationError
from altsets.problem import Problem, verify

SCORES = [9.0, 8.0, 7.0, 3.0, 2.0, 1.0, 0.0]


def evaluate(chosen):
    return math.fsum(SCORES[j] for j in chosen)


def check(sets, bound=math.inf, **options):
    problem = Problem.create(len(SCORES), **{"n_features": 3, "tau": 0.6, **options})
    return verify(problem, sets, evaluate, bound)


def test_a_right_answer_passes_and_is_evaluated_anew():
    assert check([(0, 1, 2), (0, 3, 4)], bound=38.0) == [24.0, 14.0]
    assert check([]) == []


@pytest.mark.parametrize(("sets", "message"), [
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
])  # fmt: skip
def test_every_corruption_of_the_sets_is_caught(sets, message):
    with pytest.raises(VerificationError, match=message):
        check(sets)


@pytest.mark.parametrize(
    ("options", "bound"),
    [({}, 37.9), ({"search": "simultaneous", "aggregation": "min"}, 13.9), ({}, -math.inf)],
)
def test_a_bound_below_the_objective_is_caught(options, bound, refused):
    with refused(VerificationError):
        check([(0, 1, 2), (0, 3, 4)], bound, **options)


@pytest.mark.parametrize("existing", [[(0, 1, 2)], [(4, 5), (1, 2, 3)], [(0, 1)]])
def test_existing_sets_count(existing, refused):
    with refused(VerificationError):
        check([(0, 1, 2)], existing=existing)
    assert check([(3, 5, 6)], existing=[(0, 1, 2), (4, 5)]) == [4.0]


def test_equal_sets_only_where_nothing_is_asked(refused):
    twice = [(0, 1, 2), (0, 1, 2)]
    assert check(twice, tau=0) == [24.0, 24.0]
    assert check(twice, tau=0, dissimilarity="absolute") == [24.0, 24.0]
    for options in ({"tau": 0.01}, {"tau": 1, "dissimilarity": "absolute"}):
        with refused(VerificationError):
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


@pytest.mark.parametrize(("constraint", "fine", "broken", "words"), [
    (Require([0, 5]), (0, 1, 5), (0, 1, 2), "require feature 0, feature 5"),
    (Forbid(3), (0, 1, 5), (0, 1, 3), "forbid feature 3"),
    (AtMost(1, [0, 1]), (0, 2, 5), (0, 1, 2), "at most 1 of {feature 0, feature 1}"),
    (AtLeast(1, [4, 5]), (0, 1, 5), (0, 1, 2), "at least 1 of {feature 4, feature 5}"),
    (Exclusive([0, 1, 2]), (0, 3, 5), (0, 2, 5), "exclusive {feature 0, feature 1, feature 2}"),
    (Implies(0, 1), (0, 1, 5), (0, 2, 5), "if feature 0 then feature 1"),
    (Budget([3, 2, 1, 0, 0, 0, 0], 4), (0, 2, 5), (0, 1, 5), "budget 4"),
    (Size(2, 3), (0, 1), (0, 1, 2, 4), "size 2 to 3"),
    (Size(2, 3), (0, 1, 2), (0,), "size 2 to 3"),
])  # fmt: skip
def test_every_broken_constraint_is_caught_and_described(constraint, fine, broken, words, refused):
    others = [Forbid(6), AtMost(3, [0, 1, 2, 3])]
    assert len(check([fine], constraints=[*others, constraint])) == 1
    with refused(VerificationError):
        check([broken], constraints=[*others, constraint])


@pytest.mark.parametrize("chosen", [(), (0, 0), (1, 0), (0, 7), (-1, 0)])
def test_sets_of_any_size_must_still_be_sets(chosen, refused):
    with refused(VerificationError):
        check([chosen], constraints=Size(1, 3))


def test_sets_of_different_sizes_are_compared_by_the_definition(refused):
    # Two of four and three features are shared: Dice 1 - 4/7, Jaccard 1 - 2/5.
    sets, sizes = [(0, 1, 2, 3), (0, 1, 4)], Size(3, 4)
    for kind, level in (("dice", 3 / 7), ("jaccard", 3 / 5)):
        assert len(check(sets, constraints=sizes, tau=level, dissimilarity=kind)) == 2
        with refused(VerificationError):
            check(sets, constraints=sizes, tau=level + 1e-6, dissimilarity=kind)
    assert len(check(sets, constraints=sizes, tau=1, dissimilarity="absolute")) == 2
    with pytest.raises(VerificationError, match="too similar"):
        check(sets, constraints=sizes, tau=2, dissimilarity="absolute")


def test_a_dissimilarity_of_your_own_counts(refused):
    def far(first, second):
        return min(1.0, abs(first[0] - second[0]) / 4)

    assert check([(0, 1, 2), (2, 3, 4)], tau=0.5, dissimilarity=far) == [24.0, 12.0]
    with refused(VerificationError):
        check([(0, 1, 2), (1, 3, 4)], tau=0.5, dissimilarity=far)
    with refused(VerificationError):
        check([(0, 1, 2)], tau=0.5, dissimilarity=far, existing=[(1, 6)])


def test_a_dissimilarity_that_depends_on_the_order_is_the_users_mistake(refused):
    with refused(InputError):
        check([(2, 3, 4), (0, 1, 2)], dissimilarity=lambda first, second: 1.0 if first[0] == 0 else 0.5)
    with refused(InputError):
        check([(2, 3, 4), (0, 1, 2)], dissimilarity=lambda first, second: 3)


@pytest.mark.parametrize("value", [-math.inf, math.inf, math.nan])
def test_a_quality_that_is_not_finite_is_caught(value, refused):
    problem = Problem.create(7, n_features=3)
    with refused(VerificationError):
        verify(problem, [(0, 1, 2), (3, 4, 5)], {(0, 1, 2): 1.0, (3, 4, 5): value}.get, math.inf)
