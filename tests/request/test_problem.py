"""The request: tau as an exact number of shared features, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import allowed_overlaps, dissimilarity

from altsets.constraints import AtMost, Budget, Forbid, Require, Size
from altsets.errors import AltsetsError, InputError
from altsets.problem import Problem, dissimilarity_of, verify


def max_overlap(k, **options):
    return Problem.create(3 * k, n_features=k, **options).max_overlap


@pytest.mark.parametrize("k", [*range(1, 8), 10, 30, 49, 60])
def test_every_level_of_tau_is_exact(k):
    for level in range(k + 1):
        for tau in (
            level / k,
            1 - (k - level) / k,
            level * (1 / k),
            Fraction(level, k),
            f"{level}/{k}",
            np.float64(level) / k,
            str(level / k),
        ):
            assert max_overlap(k, tau=tau) == k - level, (k, level, tau)


def test_the_traps_of_binary_fractions():
    assert max_overlap(10, tau=0.9) == 1  # though (1 - 0.9) * 10 < 1
    assert max_overlap(10, tau="0.9") == 1
    assert max_overlap(10, tau=Decimal("0.9")) == 1
    assert max_overlap(10, tau=3 * 0.1) == 7  # though 3 * 0.1 > 0.3
    assert max_overlap(10, tau=0.1 + 0.2) == 7
    assert max_overlap(10, tau=np.float64(0.7)) == 3
    assert max_overlap(3, tau=0.3333333333333333) == 2


def test_between_two_levels_the_stricter_one_counts():
    assert max_overlap(10, tau=0.31) == 6
    assert max_overlap(10, tau=0.3 + 1e-6) == 6
    assert max_overlap(10, tau=0.3 - 1e-6) == 7
    assert max_overlap(5, tau=0.5) == 2


@pytest.mark.parametrize(("tau", "expected"), [
    (0, 4), (0.0, 4), (1, 0), (1.0, 0), ("1", 0), (True - 0.0, 0), (-1e-12, 4), (1 + 1e-12, 0),
])  # fmt: skip
def test_the_ends_of_tau(tau, expected):
    assert max_overlap(4, tau=tau) == expected


def test_default_tau_is_one_half():
    problem = Problem.create(20, n_features=4)
    assert problem.tau == Fraction(1, 2)
    assert problem.max_overlap == 2


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_a_number_of_features(k):
    for difference in range(k + 1):
        assert max_overlap(k, tau=difference, dissimilarity="absolute") == k - difference


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    size=st.integers(1, 20),
    other=st.integers(1, 20),
    kind=st.sampled_from(["dice", "jaccard"]),
    tau=st.one_of(
        st.fractions(0, 1, max_denominator=60),
        st.fractions(0, 1, max_denominator=60).map(float),
        st.integers(0, 100).map(lambda part: str(part / 100)),
    ),
)
def test_overlap_follows_the_definition_at_different_sizes(size, other, kind, tau):
    problem = Problem.create(40, n_features=size, tau=tau, dissimilarity=kind)
    allowed = allowed_overlaps(size, other, Fraction(tau), None, kind)
    expected = max(shared for shared, fine in enumerate(allowed) if fine) if any(allowed) else -1
    assert max(problem.max_overlap_of(size, other), -1) == expected
    assert problem.max_overlap_of(size, other) == problem.max_overlap_of(other, size)


@pytest.mark.parametrize("kind", ["dice", "jaccard"])
@pytest.mark.parametrize("offset", [-3e-9, -1.5e-9, -4e-10, 4e-10, 1.5e-9, 3e-9])
def test_the_check_never_refuses_what_the_limit_allows(kind, offset):
    """Also within the tolerance, where both round."""
    for size in range(1, 9):
        for other in range(1, 9):
            for shared in range(min(size, other) + 1):
                level = float(dissimilarity(kind, shared, size, other)) + offset
                if not 0 <= level <= 1:
                    continue
                given_set = tuple(range(other))
                problem = Problem.create(
                    20, n_features=size, tau=level, dissimilarity=kind, existing=[given_set]
                )
                [limit] = problem.existing_overlaps
                if limit >= 0:
                    chosen = tuple(range(other - limit, other - limit + size))
                    assert verify(problem, [chosen], lambda _: 0.0, 0.0) == [0.0]


@pytest.mark.parametrize(("size", "other"), [(3, 3), (3, 5), (6, 2)])
def test_a_number_of_features_counts_from_the_smaller_set(size, other):
    problem = Problem.create(20, n_features=3, tau=2, dissimilarity="absolute")
    assert problem.max_overlap_of(size, other) == min(size, other) - 2


def test_jaccard_is_stricter_than_dice_at_the_same_tau():
    assert max_overlap(10, tau=0.5, dissimilarity="dice") == 5
    assert max_overlap(10, tau=0.5, dissimilarity="jaccard") == math.floor(20 * 0.5 / 1.5)


def test_existing_sets_of_other_sizes_have_limits_of_their_own():
    problem = Problem.create(20, n_features=4, tau=0.5, existing=[(3, 1), range(10), [5]])
    assert problem.existing == ((1, 3), tuple(range(10)), (5,))
    assert problem.existing_overlaps == (1, 3, 1)


def test_an_existing_set_may_leave_no_room():
    problem = Problem.create(20, n_features=4, tau=3, dissimilarity="absolute", existing=[(1, 3)])
    assert problem.existing_overlaps == (-1,)


@pytest.mark.parametrize(("kind", "first", "second", "expected"), [
    ("dice", (0, 1, 2), (0, 1, 2), 0), ("dice", (0, 1), (2, 3), 1), ("dice", (0, 1, 2, 3), (0, 1), 1 / 3),
    ("jaccard", (0, 1, 2), (2, 3, 4), 0.8), ("jaccard", (0, 1, 2, 3), (3, 2), 0.5),
])  # fmt: skip
def test_dissimilarity(kind, first, second, expected):
    assert dissimilarity_of(kind, first, second) == pytest.approx(expected)
    assert dissimilarity_of(kind, second, first) == pytest.approx(expected)


def test_number_of_sets_counts_the_first_one():
    assert Problem.create(10, n_features=2, n_alternatives=4).n_sets == 5


def test_problem_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Problem.create(10, n_features=2).n_features = 3


def test_parameters_are_plain_values():
    problem = Problem.create(10, n_features=np.int64(4), tau="1/2", existing=[np.array([2, 0])])
    assert problem.parameters() == {
        "n_features_in": 10,
        "n_features": 4,
        "n_alternatives": 3,
        "tau": 0.5,
        "max_overlap": 2,
        "dissimilarity": "dice",
        "search": "sequential",
        "aggregation": "sum",
        "existing": [[0, 2]],
        "sizes": [4, 4],
        "constraints": [],
    }
    assert type(problem.n_features) is int


@pytest.mark.parametrize(("options", "message"), [
    ({"tau": 1.1}, r"tau=1\.1 is outside \[0, 1\]"),
    ({"tau": -0.1}, r"tau=-0\.1 is outside \[0, 1\]"),
    ({"tau": "one"}, "tau='one' is not a number"),
    ({"tau": "1/0"}, "tau='1/0' is not a number"),
    ({"tau": math.nan}, "tau=nan is not a number"),
    ({"tau": math.inf}, "tau=inf is not a number"),
    ({"tau": True}, "tau=True is not a number"),
    ({"tau": [0.5]}, r"tau=\[0\.5\] is not a number"),
    ({"tau": 1j}, "tau=1j is not a number"),
    ({"dissimilarity": "absolute"}, "give tau, the number"),
    ({"tau": 5, "dissimilarity": "absolute"}, "tau=5, but sets of 4 features differ in at most 4"),
    ({"tau": -1, "dissimilarity": "absolute"}, "tau=-1 is too small; it must be at least 0"),
    ({"tau": 1.5, "dissimilarity": "absolute"}, "tau=1.5 is not a whole number"),
    ({"n_features": 0}, "n_features=0 is too small; it must be at least 1"),
    ({"n_features": 11}, "n_features=11, but there are only 10 features .* at most 10"),
    ({"n_features": 2.5}, "n_features=2.5 is not a whole number"),
    ({"n_features": "4"}, "n_features='4' is not a whole number"),
    ({"n_features": None}, "n_features=None is not a whole number"),
    ({"n_alternatives": -1}, "n_alternatives=-1 is too small; it must be at least 0"),
    ({"n_alternatives": True}, "n_alternatives=True is not a whole number"),
    ({"n_alternatives": math.inf}, "n_alternatives=inf is not a whole number"),
    ({"n_alternatives": math.nan}, "n_alternatives=nan is not a whole number"),
    ({"dissimilarity": "cosine"}, "dissimilarity='cosine' is unknown; choose one of 'dice', 'jaccard'"),
    ({"search": "random"}, "search='random' is unknown; choose one of 'sequential', 'simultaneous'"),
    ({"search": None}, "search=None is unknown"),
    ({"aggregation": "max"}, "aggregation='max' is unknown; choose one of 'sum', 'min'"),
    ({"existing": [(0, 10)]}, "names feature 10; there are 10"),
    ({"existing": [(0, 0)]}, "holds a feature twice"),
    ({"existing": [()]}, "an existing set is empty"),
    ({"existing": [(-1, 2)]}, "a feature index -1 is too small"),
    ({"existing": [("a", "b")]}, "a feature index 'a' is not a whole number"),
    ({"constraints": ["a"]}, "constraints holds 'a'; give objects such as altsets.constraints.Require"),
    ({"constraints": "a"}, "constraints holds 'a'"),
    ({"constraints": None}, "constraints holds None"),
    ({"constraints": Require}, "constraints holds <class"),
    ({"constraints": [Require("a")]}, "Require names 'a', which is not a feature; give the name .* or the index"),
    ({"constraints": [Require(10)]}, "Require names feature 10; there are 10"),
    ({"constraints": [Size(11, 12)]}, "k_min=11, but there are only 10 features"),
    ({"constraints": [Size(2, 3)], "tau": 4, "dissimilarity": "absolute"}, "tau=4, but sets of 3"),
    ({"feature_names": ["a"]}, "1 feature names were given for 10 features"),
])  # fmt: skip
def test_bad_requests_say_what_was_wrong(options, message):
    with pytest.raises(InputError, match=message) as caught:
        Problem.create(10, **{"n_features": 4, **options})
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AltsetsError)
    assert "\n" not in str(caught.value)


def test_whole_numbers_may_come_as_floats():
    problem = Problem.create(10, n_features=4.0, n_alternatives=np.float64(2))
    assert (problem.n_features, problem.n_alternatives) == (4, 2)


# --- Constraints and sizes ---
def test_constraints_are_resolved_by_name():
    problem = Problem.create(
        3, n_features=2, constraints=[Require("b"), AtMost(1, ["c", 0])], feature_names=["a", "b", "c"]
    )
    assert problem.constraints == (Require((1,)), AtMost(1, (0, 2)))
    assert Problem.create(3, n_features=2, constraints=Require(1)).constraints == (Require((1,)),)


@pytest.mark.parametrize(("constraints", "k_min", "k_max"), [
    ((), 4, 4), ((Require(0),), 4, 4), ((Size(2, 6),), 2, 6), ((Size(3, 3),), 3, 3),
    ((Size(2, 6), Size(5, 9)), 5, 6), ((Size(2, 100),), 2, 10), ((Size(1, 2), Size(4, 5)), 4, 2),
])  # fmt: skip
def test_sizes_come_from_constraints_or_n_features(constraints, k_min, k_max):
    problem = Problem.create(10, n_features=4, constraints=constraints)
    assert (problem.k_min, problem.k_max) == (k_min, k_max)
    assert list(problem.sizes) == list(range(k_min, k_max + 1))
    assert problem.fixed_size == (k_min == k_max)
    assert problem.n_features == k_max


def test_n_features_does_not_matter_where_sizes_are_given():
    assert Problem.create(3, constraints=Size(2, 3)).n_features == 3
    assert Problem.create(9, n_features=7, constraints=Size(3, 3)).max_overlap == 1


def test_forbidden_features():
    problem = Problem.create(9, constraints=[Forbid([3, 1]), Require(2), Forbid(8)])
    assert problem.forbidden == {1, 3, 8}
    assert Problem.create(9).forbidden == frozenset()


def test_parameters_of_everything_are_json():
    def differ(first, second):
        return 1.0

    problem = Problem.create(
        4,
        constraints=[Size(1, 3), AtMost(1, [3, 2]), Budget([0, 1.5, 0, 2], 3), Require(np.int64(1))],
        dissimilarity=differ,
    )
    parameters = problem.parameters()
    assert json.loads(json.dumps(parameters)) == parameters
    assert parameters["dissimilarity"] == "differ"
    assert parameters["sizes"] == [1, 3]
    assert parameters["constraints"] == [
        {"kind": "size", "k_min": 1, "k_max": 3},
        {"kind": "at_most", "most": 1, "group": [2, 3]},
        {"kind": "budget", "limit": 3.0, "features": [1, 3], "costs": [1.5, 2.0]},
        {"kind": "require", "features": [1]},
    ]


def test_a_dissimilarity_without_a_name_shows_itself():
    class Hamming:
        def __call__(self, first, second):
            return 1.0

        def __repr__(self):
            return "Hamming()"

    assert (
        Problem.create(4, n_features=2, dissimilarity=Hamming()).parameters()["dissimilarity"] == "Hamming()"
    )


# --- Compatible sets ---
@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    first=st.sets(st.integers(0, 8), min_size=1),
    second=st.sets(st.integers(0, 8), min_size=1),
    kind=st.sampled_from(["dice", "jaccard"]),
    tau=st.fractions(0, 1, max_denominator=20),
)
def test_compatible_is_the_definition(first, second, kind, tau):
    problem = Problem.create(9, constraints=Size(1, 9), tau=tau, dissimilarity=kind)
    shared = len(first & second)
    expected = dissimilarity(kind, shared, len(first), len(second)) >= tau
    first, second = tuple(sorted(first)), tuple(sorted(second))
    assert problem.compatible(first, second) == problem.compatible(second, first) == expected


def test_compatible_by_a_number_of_features():
    problem = Problem.create(9, constraints=Size(2, 4), tau=2, dissimilarity="absolute")
    assert problem.compatible((0, 1, 2), (2, 3)) is False
    assert problem.compatible((0, 1, 2), (3, 4)) is True
    assert problem.compatible((0, 1, 2, 3), (2, 3, 4, 5)) is True


def test_compatible_by_a_dissimilarity_of_your_own():
    seen = []

    def weights(first, second):
        seen.append((first, second))
        return abs(sum(first) - sum(second)) / 10

    problem = Problem.create(9, n_features=2, tau=0.3, dissimilarity=weights)
    assert problem.compatible((0, 1), (0, 4)) is True
    assert problem.compatible((0, 3), (0, 1)) is False
    assert seen == [((0, 1), (0, 4)), ((0, 1), (0, 3))]
    # 0.1 + 0.2 > 0.3: also here a little rounding is forgiven.
    almost = Problem.create(9, n_features=2, tau=0.1 + 0.2, dissimilarity=lambda first, second: 0.3)
    assert almost.compatible((0, 1), (2, 3)) is True


@pytest.mark.parametrize("value", [1.1, -0.5, math.nan, math.inf, None, "far", [0.5, 0.5]])
def test_a_dissimilarity_must_be_a_number_between_0_and_1(value, snapshot):
    problem = Problem.create(9, n_features=2, dissimilarity=lambda first, second: value)
    with pytest.raises(InputError) as caught:
        problem.compatible((0, 1), (2, 3))
    assert str(caught.value) == snapshot
    assert f"(0, 1) and (2, 3) is {value!r};" in str(caught.value)
