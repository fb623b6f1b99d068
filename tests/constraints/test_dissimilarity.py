"""Matched and Grouped: the definitions by brute force, what they have in common with Dice, and what they refuse."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import measures, quality
from altsets.constraints import Forbid, MaxSimilarity
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError
from altsets.problem import dissimilarity_of

N = 9


def similarities(seed, n=N, digits=None):
    """A random similarity; rounded to few digits, many pairs are equally alike."""
    drawn = np.random.default_rng(seed).random((n, n))
    matrix = np.maximum(drawn, drawn.T) ** 2
    return matrix if digits is None else matrix.round(digits)


def two_sets(seed, n=N):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 2)
    return [tuple(sorted(rng.choice(n, size, replace=False).tolist())) for size in sizes]


def matchings(first, second):
    """All ways to pair all features of the smaller set with features of the larger one."""
    if len(first) <= len(second):
        for chosen in itertools.permutations(second, len(first)):
            yield list(zip(first, chosen, strict=True))
    else:
        for matching in matchings(second, first):
            yield [(one, other) for other, one in matching]


def weight(matrix, threshold, one, other):
    alike = 1.0 if one == other else matrix[one, other]
    return alike if threshold is None else float(alike >= threshold)


@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.7, 1.0, None])
@pytest.mark.parametrize("seed", range(12))
def test_the_overlap_is_the_largest_of_all_matchings(seed, threshold):
    matrix, (first, second) = similarities(seed), two_sets(100 + seed)
    largest = max(
        math.fsum(weight(matrix, threshold, *pair) for pair in matching)
        for matching in matchings(first, second)
    )
    kind = Matched(matrix, threshold)
    assert kind.overlap(first, second) == pytest.approx(largest, abs=1e-12)
    assert kind(first, second) == pytest.approx(1 - 2 * largest / (len(first) + len(second)), abs=1e-12)


@pytest.mark.parametrize("threshold", [0.3, 0.6, None])
@pytest.mark.parametrize("seed", range(20))
def test_matches_are_those_of_a_largest_matching_that_keeps_most_features_with_themselves(seed, threshold):
    matrix, (first, second) = similarities(seed, digits=1), two_sets(200 + seed)
    kind = Matched(matrix, threshold)

    def worth(matching):
        counted = [pair for pair in matching if weight(matrix, threshold, *pair) > 0]
        loyal = sum(one == other for one, other in counted)
        return round(math.fsum(weight(matrix, threshold, *pair) for pair in counted), 9), loyal, counted

    total, loyal, _ = max((worth(matching) for matching in matchings(first, second)), key=lambda w: w[:2])
    found = kind.matches(first, second)
    assert all(one != other and alike == matrix[one, other] for one, other, alike in found)
    assert len({one for one, *_ in found}) == len({other for _, other, _ in found}) == len(found)
    # What is not listed stays with itself, and so makes up the rest of the overlap.
    assert all(one in first and other in second for one, other, _ in found)
    weights = math.fsum(weight(matrix, threshold, one, other) for one, other, _ in found)
    assert weights + loyal == pytest.approx(total, abs=1e-9)


def test_shared_features_stay_with_themselves():
    kind = Matched([[1, 0.95, 0.95], [0.95, 1, 0.95], [0.95, 0.95, 1]], threshold=0.9)
    assert kind.matches((0, 1), (0, 1)) == []
    assert kind.matches((0, 1), (1, 2)) == [(0, 2, 0.95)]
    assert kind.matches((1, 2), (0, 1)) == [(2, 0, 0.95)]
    assert kind.matches_among([(0, 1), (1, 2), (0, 2)]) == [
        (1, 0, 2, 0, 0.95),
        (2, 0, 2, 1, 0.95),
        (2, 1, 0, 1, 0.95),
    ]


def test_of_equally_large_matchings_the_most_similar_pairs_are_taken():
    matrix = np.array([[1, 0, 0.91, 0.99], [0, 1, 0.99, 0.91], [0.91, 0.99, 1, 0], [0.99, 0.91, 0, 1]])
    assert Matched(matrix, 0.9).matches((0, 1), (2, 3)) == [(0, 3, 0.99), (1, 2, 0.99)]


@pytest.mark.parametrize("threshold", [0.5, 1.0, None])
def test_without_similar_pairs_it_is_dice_to_the_last_bit(threshold):
    kind = Matched(np.eye(N), threshold)
    for seed in range(50):
        first, second = two_sets(seed)
        assert kind(first, second) == dissimilarity_of("dice", first, second)


def test_identity_finds_the_sets_of_dice():
    scores = quality.Additive([9, 8, 7, 5, 3, 2, 1])
    asked = {"n_features": 3, "n_alternatives": 2}
    for tau in (0.3, 2 / 3, 1):
        plain = altsets.find(scores, **asked, tau=tau)
        matched = altsets.find(scores, **asked, tau=tau, dissimilarity=Matched(np.eye(7), 0.9))
        assert (matched.qualities, matched.matches) == (plain.qualities, [])


def test_the_diagonal_counts_as_one_and_rounding_is_forgiven():
    matrix = np.array([[0.0, 0.4 + 4e-10], [0.4, math.nan]])
    kind = Matched(matrix)
    assert kind.similarity.tolist() == [[1.0, 0.4 + 2e-10], [0.4 + 2e-10, 1.0]]
    assert kind((0,), (0,)) == 0
    assert matrix[0, 0] == 0


def test_similar_by_chance_of_rounding_reaches_the_threshold():
    assert Matched([[1, 0.9], [0.9, 1]], threshold=0.9)((0,), (1,)) == 0


# --- Groups ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(6))
def test_groups_of_which_sets_have_one_feature_each_are_matched_features(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, N)
    grouped = Grouped(dict(enumerate(labels.tolist()))).resolve([f"x{index}" for index in range(N)])
    matched = Matched(labels[:, None] == labels[None, :], threshold=1)
    for size in (1, 2, 3):
        sets = [
            chosen
            for chosen in itertools.combinations(range(N), size)
            if len(set(labels[list(chosen)])) == size
        ]
        for first, second in itertools.product(sets[:12], sets[:12]):
            assert grouped(first, second) == matched(first, second)


def test_groups_are_compared_by_dice_over_groups():
    kind = Grouped([["a", "b", "c"], ["d"]]).resolve(list("abcdef"))
    # Groups {a, b, c}, {d}, and e and f on their own.
    assert kind((0, 1, 2), (0,)) == 0
    assert kind((0, 3), (4, 5)) == 1
    assert kind((0, 1, 3), (2, 4)) == 0.5
    assert kind.touched((0, 2, 5)) == {0, 3}


def test_groups_by_names_indices_and_lists_are_the_same():
    names = ["left__mean", "left__max", "right__mean", "age"]
    by_name = Grouped({"left__mean": "left", "left__max": "left", "right__mean": "right"})
    for other in (
        Grouped({0: "left", 1: "left", 2: "right"}),
        Grouped([[0, 1], [2]]),
        Grouped([["left__max", 0], ["right__mean"]]),
        Grouped.from_names(names, "__"),
    ):
        assert other.resolve(names).labels.tolist() == by_name.resolve(names).labels.tolist() == [0, 0, 1, 2]


def test_a_group_that_is_missing_is_none():
    kind = Grouped({"a": "one", "b": None, "c": math.nan, "d": "one"}).resolve(list("abcd"))
    assert kind.labels.tolist() == [0, 1, 2, 0]


def test_groups_in_words():
    assert Grouped({"a": 1, "b": 2, "c": 1}).as_dict() == {
        "kind": "grouped",
        "groups": {"1": ["a", "c"], "2": ["b"]},
    }
    assert Grouped({"a": 1, "b": "1"}).as_dict()["groups"] == {"1": ["a"], "'1'": ["b"]}


@pytest.mark.parametrize("measure", ["pearson", "spearman", "symmetrical_uncertainty"])
def test_groups_from_a_table_hold_no_strangers(measure):
    rng = np.random.default_rng(3)
    base = rng.normal(size=(200, 3))
    noisy = [base[:, j] + scale * rng.normal(size=200) for j in range(3) for scale in (0.0, 0.2, 0.4)]
    X = pd.DataFrame(np.column_stack(noisy), columns=[f"{j}{part}" for j in "abc" for part in "xyz"])
    for threshold in (0.3, 0.9, 0.95):
        kind = Grouped.from_data(X, measure, threshold)
        alike = measures.pairwise(X, measure, warn=False)
        assert list(kind.groups) == list(X.columns)
        for members in kind.members.values():
            assert alike.loc[members, members].to_numpy().min() >= threshold - 1e-9
        assert Grouped.from_similarity(alike, threshold).groups == kind.groups
        by_index = Grouped.from_data(X.to_numpy(), measure, threshold).groups
        assert list(by_index.values()) == list(kind.groups.values())
        assert list(by_index) == list(range(9))


def test_a_table_too_wide_for_groups_is_refused(refused, monkeypatch):
    monkeypatch.setattr("altsets.measures.redundancy.MATRIX_COLUMNS", 3)
    with refused(InputError):
        Grouped.from_data(np.random.default_rng(0).normal(size=(20, 4)), "pearson")
    with refused(InputError):
        Grouped.from_data(np.eye(3), "kendall")


def test_groups_from_similarity_hold_no_strangers():
    # a is like b and b is like c, but a is not like c: a chain is no group.
    matrix = np.eye(4)
    matrix[0, 1] = matrix[1, 0] = 0.95
    matrix[1, 2] = matrix[2, 1] = 0.92
    kind = Grouped.from_similarity(matrix, threshold=0.9)
    assert kind.groups == {0: 1, 1: 1, 2: 2, 3: 3}
    for threshold in (0.9, 0.5, 0.3):
        alike = similarities(3, 12, digits=1)
        groups = Grouped.from_similarity(alike, threshold).groups
        for one, other in itertools.combinations(range(12), 2):
            if groups[one] == groups[other]:
                assert alike[one, other] >= threshold
    assert Grouped.from_similarity([[1]]).groups == {0: 1}


# --- From tables -------------------------------------------------------------------------------------------
TABLE = np.array([[1, 10, 3.0], [2, 20, 1], [3, 35, 4], [4, 41, 1], [5, 50, 5]])


def test_similarity_from_a_table_is_that_of_the_measure():
    from altsets.measures import pairwise

    for measure in ("spearman", "pearson", "symmetrical_uncertainty"):
        kind = Matched.from_data(TABLE, measure, threshold=0.8)
        expected = pairwise(TABLE, measure)
        np.fill_diagonal(expected, 1)
        assert kind.similarity == pytest.approx(expected, abs=1e-9)
        assert kind == Matched(measure, 0.8).computed(TABLE)
        assert kind.as_dict() == {"kind": "matched", "threshold": 0.8, "similarity": measure}
        assert measure in repr(kind)
    assert Matched(np.eye(2)).as_dict() == {"kind": "matched", "threshold": None, "similarity": "matrix"}


def test_weights_are_rows_that_are_there_several_times():
    weights = [2, 1, 0, 3, 1]
    repeated = np.repeat(TABLE, weights, axis=0)
    weighted = Matched.from_data(TABLE, "spearman", sample_weight=weights)
    assert weighted == Matched.from_data(repeated, "spearman") != Matched.from_data(TABLE, "spearman")


@pytest.mark.parametrize("kind", [
    Matched("spearman", 0.9), Matched(similarities(0), 0.4), Matched(similarities(0)),
    Grouped({"a": 1, 2: "x"}),
])  # fmt: skip
def test_copies_are_equal(kind):
    if isinstance(kind, Matched) and not kind.is_named:
        before = pickle.dumps(kind)
        kind((0, 1), (2,))
        # What was computed on the way does not make it another request.
        assert pickle.dumps(kind) == before
    copy = pickle.loads(pickle.dumps(kind))
    assert copy == kind
    assert hash(copy) == hash(kind)
    assert repr(copy) == repr(kind)
    assert kind != "dice"


@pytest.mark.parametrize("similarity", ["spearman", [[1, 0.95], [0.95, 1]]])
def test_pickles_of_earlier_versions_can_be_used(similarity):
    """They lack what was added later."""
    old, limit = Matched(similarity, 0.9), MaxSimilarity(similarity, 0.9)
    forbid = Forbid(["id"])
    for one, later in (
        (old, ("labels",)),
        (limit, ("labels",)),
        (forbid, ("proxies", "ruled_out", "n_columns")),
    ):
        for name in later:
            vars(one).pop(name, None)
        read = pickle.loads(pickle.dumps(one))
        assert read == one
        assert repr(read) == repr(one)
    assert pickle.loads(pickle.dumps(forbid)).resolve(["id", "age"]).features == (0,)
    if not isinstance(similarity, str):
        vars(old).pop("measure", None)
        assert pickle.loads(pickle.dumps(old)).resolve(["a", "b"])((0,), (1,)) == 0.0
        assert not pickle.loads(pickle.dumps(limit)).resolve(["a", "b"]).holds((0, 1))


def test_what_differs_is_not_equal():
    kinds = [Matched("spearman", 0.9), Matched("pearson", 0.9), Matched("spearman"), Matched(np.eye(2), 0.9)]
    kinds += [Grouped({0: 1}), Grouped({0: 1, 1: 1}), Grouped({0: 1, 1: 2})]
    for one, other in itertools.combinations(kinds, 2):
        assert one != other


# --- Bad input ---------------------------------------------------------------------------------------------
SCORES = quality.Additive([3, 2, 1], feature_names=["age", "height", "weight"])


@pytest.mark.parametrize(("similarity", "sentence"), [
    ([[1, 0], [0, 1], [0, 0]], "is 3 x 2, not square; give one row and one column for each feature"),
    ([1, 2, 3], "is 3, not square"),
    (0.5, "is a single number, not square"),
    ([], "not square"),
    ([[1, "x"], ["x", 1]], "is not a matrix of numbers; give one row and one column for each feature"),
    ([[1, 0.5], [0.4, 1]], "is 0.5 one way and 0.4 the other; it must be symmetric"),
    ([[1, 1.2], [1.2, 1]], "take the absolute value|from 0 to 1"),
    ([[1, -0.3], [-0.3, 1]], "absolute value"),
    ([[1, math.nan], [math.nan, 1]], "nan"),
    ([[1, math.inf], [math.inf, 1]], "0 to 1|between 0 and 1"),
    ("euclid", "the measure 'euclid' is unknown; choose one of 'spearman', 'pearson'"),
    ("", "is unknown"),
    (None, "no matrix of numbers|not square"),
])  # fmt: skip
def test_similarity_that_is_none_is_refused_in_one_sentence(similarity, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        Matched(similarity, threshold=0.9)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("threshold", [0, 0.0, -0.1, 1.1, math.nan, math.inf, "0.9", True, [0.9]])
def test_thresholds_are_above_0_and_at_most_1(threshold, refused):
    with refused(InputError):
        Matched("spearman", threshold)


def test_a_name_needs_a_table(refused):
    with refused(InputError):
        altsets.find(SCORES, n_features=1, dissimilarity=Matched("spearman", 0.9))


@pytest.mark.parametrize(("groups", "sentence"), [
    ({"agee": 1}, "names 'agee', which is not a feature; did you mean 'age'?"),
    ({"shoe": 1}, "names 'shoe', which is not a feature; give the name of a column"),
    ({3: "x"}, "names feature 3; there are 3, and the first is 0"),
    ({0: "x", "age": "y"}, "'age' is in two groups, 'x' and 'y'"),
    ([[0, 1], [1]], "1 is in two groups"), ({}, "has no groups; give a mapping"), ([], "has no groups"),
    ({0: None}, "has no groups"),
    ("age", "takes groups of features, not 'age'"),
    (["age", "height"], "takes groups of features"),
    (7, "takes groups of features, not 7"),
    ({0.5: "x"}, "a feature index 0.5 is not a whole number"),
    ({-1: "x"}, "a feature index -1 is too small"),
    ({True: "x"}, "names True"),
    ({0: ["x"], 1: "y"}, r"the group of 0 is \['x'\]; give a name or a number"),
])  # fmt: skip
def test_groups_that_are_none_are_refused_in_one_sentence(groups, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        altsets.find(SCORES, n_features=1, dissimilarity=Grouped(groups))
    assert "\n" not in str(caught.value)


def test_groups_by_a_separator_that_no_name_has_are_refused(refused):
    with refused(InputError):
        Grouped.from_names(["age", "height"], "__")
    for separator in ("", None, 3):
        with refused(InputError):
            Grouped.from_names(["a__b"], separator)


def test_groups_without_features_cannot_be_asked(refused):
    with refused(InputError):
        Grouped({0: "x"})((0,), (1,))


@pytest.mark.parametrize("call", [
    lambda: Grouped([f"g{i}" for i in range(100_000)]),
    lambda: altsets.find(altsets.quality.Additive([1.0, 2.0]), dissimilarity=["x"] * 100_000),
    lambda: altsets.find(altsets.quality.Additive([1.0, 2.0]), search="x" * 100_000),
])  # fmt: skip
def test_a_message_does_not_repeat_a_huge_value(call):
    with pytest.raises(altsets.errors.AltsetsError) as caught:
        call()
    assert len(str(caught.value)) < 1_100
