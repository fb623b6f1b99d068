"""Qualities against their definitions, against other implementations, and input that must be refused."""

from __future__ import annotations

import json
import math
import warnings
from itertools import combinations
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy, spearmanr
from shared_data import DATASETS, SHARED, needs_matrices
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import StratifiedKFold

from altsets import measures
from altsets.errors import InputError
from altsets.files.dataset import read_columns, split_target
from altsets.quality import CFS, FCBF, MRMR, Additive, Quality

# The table below has a constant column; what is said of it has a test of its own.
pytestmark = pytest.mark.filterwarnings("ignore:some columns are constant")

FIXTURES = Path(__file__).parents[1] / "fixtures"


def pairs_of(X, *args, **options):
    """Measures of pairs as an array, whatever the table is."""
    return np.array(measures.pairwise(X, *args, **options))


PAIRWISE = (MRMR, FCBF, CFS)


def fixture(name):
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


def numbers(n, seed=0):
    """Relevance, and a matrix that is asymmetric and has something on its diagonal."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.random((n, n))


@pytest.fixture
def table():
    """Six columns: three with something to say, a noisy double, noise, a constant; a target of amounts."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 6))
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=80)
    X[:, 5] = 2.5
    y = X[:, 0] + 2 * X[:, 1] + X[:, 2] ** 2 + rng.normal(size=80)
    return pd.DataFrame(X, columns=list("abcdef")), y


# --- Definitions ---
def mrmr_of(relevance, redundancy, chosen):
    k = len(chosen)
    mean = sum(relevance[j] for j in chosen) / k
    pairs = [redundancy[i][j] for i in chosen for j in chosen if i != j]
    return mean - (sum(pairs) / (k * (k - 1)) if pairs else 0)


def cfs_of(relevance, redundancy, chosen):
    pairs = [redundancy[i][j] for i in chosen for j in chosen if i != j]
    return sum(relevance[j] for j in chosen) / math.sqrt(len(chosen) + sum(pairs))


def fcbf_of(relevance, dependency, chosen, scale=1.0, min_relevance=-math.inf):
    for i in chosen:
        if relevance[i] < min_relevance or any(relevance[i] <= dependency[i][j] for j in chosen if j != i):
            return -math.inf
    return scale * sum(relevance[j] for j in chosen)


def all_sets(n):
    return [chosen for size in range(1, n + 1) for chosen in combinations(range(n), size)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [1, 2, 7])
def test_every_quality_follows_its_definition(n, seed):
    relevance, pairs = numbers(n, seed)
    signed = pairs - 0.5
    dependency = pairs - 0.7
    floor = float(np.median(relevance))
    for chosen in all_sets(n):
        assert MRMR(relevance, signed).evaluate(chosen) == pytest.approx(mrmr_of(relevance, signed, chosen))
        assert CFS(relevance, pairs).evaluate(chosen) == pytest.approx(cfs_of(relevance, pairs, chosen))
        assert FCBF(relevance, dependency).evaluate(chosen) == pytest.approx(
            fcbf_of(relevance, dependency, chosen)
        )
        scaled = FCBF(relevance, dependency, scale=3, min_relevance=floor).evaluate(chosen)
        assert scaled == pytest.approx(fcbf_of(relevance, dependency, chosen, 3, floor))


def value_of(form, chosen):
    """What the description of Form says, word by word."""
    linear = sum(form.linear[j] for j in chosen)
    pairs = 0.0 if form.pairs is None else sum(form.pairs[i, j] for i, j in combinations(chosen, 2))
    if form.conflicts is not None and any(form.conflicts[i, j] for i, j in combinations(chosen, 2)):
        return -math.inf
    if form.allowed is not None and not all(form.allowed[j] for j in chosen):
        return -math.inf
    return linear / math.sqrt(len(chosen) + pairs) if form.ratio else linear - pairs


def qualities(relevance, pairs):
    return [
        Additive(relevance),
        MRMR(relevance, pairs),
        CFS(relevance, np.abs(pairs)),
        FCBF(relevance, pairs),
        FCBF(relevance, pairs, scale=0.25, min_relevance=0.1),
    ]


finite = st.floats(-4, 4).map(lambda value: round(value, 3))


@settings(max_examples=40)
@given(st.data())
def test_the_form_reproduces_the_quality(data):
    n = data.draw(st.integers(1, 6))
    relevance = data.draw(st.lists(finite, min_size=n, max_size=n))
    pairs = np.reshape(data.draw(st.lists(finite, min_size=n * n, max_size=n * n)), (n, n))
    chosen = tuple(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    for quality in qualities(relevance, pairs):
        form = quality.form(len(chosen))
        assert value_of(form, chosen) == pytest.approx(quality.evaluate(chosen), abs=1e-12)


def test_forms_are_symmetric_contiguous_and_cannot_be_written_to():
    for quality in qualities(*numbers(5)):
        form = quality.form(3)
        for values in (form.linear, form.pairs, form.conflicts, form.allowed):
            if values is not None:
                assert values.flags.c_contiguous
                assert not values.flags.writeable
        for values in (form.pairs, form.conflicts):
            if values is not None:
                assert (values == values.T).all()
                assert not values.diagonal().any()


@pytest.mark.parametrize("at_a_time", [1, 7, 1_000])
@pytest.mark.parametrize("n_kept", [0, 1, 3, 6])
def test_all_ways_to_ask_a_form_about_pairs_agree(monkeypatch, at_a_time, n_kept):
    # Few at a time, as with very many features.
    monkeypatch.setattr("altsets.quality.form.PAIRS_AT_A_TIME", at_a_time)
    monkeypatch.setattr("altsets.quality.form.PAIRS_IN_CACHE", at_a_time)
    relevance, pairs = numbers(6)
    for quality in (MRMR(relevance, pairs - 0.5), CFS(relevance, pairs)):
        kept = np.arange(6) < n_kept
        form = quality.form(3).times(0.25, None if n_kept == 6 else kept)
        check = Mock()
        all_pairs = form.pairs_among(None, check)
        assert check.call_count == -(-6 // max(at_a_time // 6, 1)) - 1
        for feature in range(6):
            assert form.pairs_of(feature).tolist() == all_pairs[feature].tolist()
        assert form.pairs.tolist() == all_pairs.tolist()
        whole = quality.form(3).pairs * (1.0 if form.ratio else 0.25)
        assert all_pairs.tolist() == np.where(kept[:, None] & kept, whole, 0.0).tolist()
        for some in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0], [4, 2], [3], []):
            features = np.array(some, dtype=np.intp)
            among = form.pairs_among(features)
            assert among.tolist() == all_pairs[np.ix_(features, features)].tolist()
            off = among[~np.eye(len(some), dtype=bool)]
            assert form.pair_range(features) == ((off.min(), off.max()) if len(off) else (0.0, 0.0))
        assert form.linear.tolist() == np.where(kept, 0.25 * quality.form(3).linear, 0.0).tolist()


def test_what_a_form_leaves_out():
    relevance, pairs = numbers(4)
    additive = Additive(relevance).form(2)
    assert (additive.pairs, additive.conflicts, additive.allowed, additive.ratio) == (None, None, None, False)
    assert MRMR(relevance, pairs).form(1).pairs is None
    assert FCBF(relevance, pairs).form(2).allowed is None
    assert FCBF(relevance, pairs, min_relevance=0).form(2).allowed.tolist() == (relevance >= 0).tolist()
    assert CFS(relevance, pairs).form(2).ratio


def test_only_sums_grow_with_the_size():
    assert [quality.size_normalised for quality in (Additive, FCBF, MRMR, CFS)] == [False, False, True, True]


def test_all_of_them_are_qualities():
    assert [repr(quality) for quality in qualities(*numbers(3))] == [
        "Additive(3 features)",
        "MRMR(3 features)",
        "CFS(3 features)",
        "FCBF(3 features)",
        "FCBF(3 features)",
    ]
    assert all(isinstance(quality, Quality) for quality in qualities(*numbers(3)))


@pytest.mark.parametrize("cls", [MRMR, CFS])
def test_asymmetric_redundancy_counts_by_its_average(cls):
    relevance, pairs = numbers(6)
    average = (pairs + pairs.T) / 2
    asymmetric, symmetric = cls(relevance, pairs), cls(relevance, average)
    off_diagonal = ~np.eye(6, dtype=bool)
    assert asymmetric.redundancy[off_diagonal] == pytest.approx(average[off_diagonal])
    for chosen in all_sets(6):
        assert asymmetric.evaluate(chosen) == pytest.approx(symmetric.evaluate(chosen))


@pytest.mark.parametrize("cls", PAIRWISE)
@pytest.mark.parametrize("diagonal", [0.0, 1.0, -3.0, math.nan, math.inf])
def test_the_diagonal_does_not_matter(cls, diagonal):
    relevance, pairs = numbers(5)
    other = pairs.copy()
    np.fill_diagonal(other, diagonal)
    first, second = cls(relevance, pairs), cls(relevance, other)
    assert [first.evaluate(chosen) for chosen in all_sets(5)] == [
        second.evaluate(chosen) for chosen in all_sets(5)
    ]


@pytest.mark.parametrize("cls", PAIRWISE)
def test_the_callers_arrays_stay_as_they_are_and_ours_cannot_be_written_to(cls):
    relevance, pairs = numbers(4)
    before = relevance.copy(), pairs.copy()
    quality = cls(relevance, pairs)
    relevance[0], pairs[0, 1] = 77, 77
    assert quality.relevance[0] == before[0][0]
    assert quality.evaluate((0, 1)) == cls(*before).evaluate((0, 1))
    for values in vars(quality).values():
        if isinstance(values, np.ndarray):
            assert not values.flags.writeable


def test_equal_relevance_and_dependency_is_a_conflict_in_either_direction():
    below = [[0, 0.4, 0], [0, 0, 0.5], [0.4, 0.5, 0]]
    quality = FCBF([0.5, 0.5, 0.5], below)
    assert quality.conflicts.tolist() == [[False, False, False], [False, False, True], [False, True, False]]
    assert quality.evaluate((1, 2)) == -math.inf
    assert quality.evaluate((0, 1)) == 1.0


def test_the_scale_changes_no_conflict():
    relevance, pairs = numbers(8)
    plain, scaled = FCBF(relevance, pairs - 1), FCBF(relevance, pairs - 1, scale=1e-6)
    assert plain.conflicts.any()
    assert (plain.conflicts == scaled.conflicts).all()


def test_sums_are_free_of_rounding_error():
    relevance = [1e16, 1.0, -1e16, 1.0]
    zeros = np.zeros((4, 4))
    assert MRMR(relevance, zeros).evaluate((0, 1, 2, 3)) == 0.5
    assert FCBF(relevance, zeros - 1e17).evaluate((0, 1, 2, 3)) == 2.0
    assert CFS(relevance, zeros).evaluate((0, 1, 2, 3)) == 1.0


@pytest.mark.parametrize("cls", [MRMR, CFS])
def test_an_empty_set_has_no_mean(cls, refused):
    quality = cls(*numbers(3))
    for ask in (lambda: quality.evaluate(()), lambda: quality.form(0)):
        with refused(InputError):
            ask()


# --- Names ---
def labelled(cls, names, index=None):
    relevance, pairs = numbers(3)
    return cls(pd.Series(relevance, index=names), pd.DataFrame(pairs, index=index or names, columns=names))


@pytest.mark.parametrize("cls", PAIRWISE)
def test_names_come_along(cls):
    relevance, pairs = numbers(3)
    names = ["age", "height", "weight"]
    assert cls(relevance, pairs).feature_names == ["x0", "x1", "x2"]
    assert cls(relevance, pairs, feature_names=names).names_of((0, 2)) == ("age", "weight")
    assert cls(pd.Series(relevance, index=names), pairs).feature_names == names
    assert cls(relevance, pd.DataFrame(pairs, columns=names)).feature_names == names
    assert cls(pd.Series(relevance), pd.DataFrame(pairs, columns=names)).feature_names == names
    assert labelled(cls, names).feature_names == names
    renamed = cls(pd.Series(relevance, index=names), pairs, feature_names=["a", "b", "c"])
    assert renamed.feature_names == ["a", "b", "c"]


@pytest.mark.parametrize("cls", PAIRWISE)
def test_labels_in_another_order_are_refused(cls, refused):
    relevance, pairs = numbers(3)
    frame = pd.DataFrame(pairs, index=["a", "c", "b"], columns=["a", "c", "b"])
    with refused(InputError):
        cls(pd.Series(relevance, index=["a", "b", "c"]), frame)
    with refused(InputError):
        labelled(cls, ["a", "b", "c"], index=["c", "b", "a"])


# --- What is refused ---
@pytest.mark.parametrize("cls", PAIRWISE)
@pytest.mark.parametrize(("relevance", "pairs", "message"), [
    ([], [], r"relevance must be a list of numbers, one for each feature; got shape \(0,\)"),
    ([[1, 2]], np.eye(2), r"one for each feature; got shape \(1, 2\)"),
    (3.0, [[1.0]], r"one for each feature; got shape \(\)"),
    (["a", "b"], np.eye(2), "relevance must be numbers"),
    ([1, 2], [["a", 1], [1, 2]], "must be numbers"),
    ([1, 2], [1, 2], r"each of the 2 features; got shape \(2,\)"),
    ([1, 2], np.eye(3), r"each of the 2 features; got shape \(3, 3\)"),
    ([1, 2], np.ones((2, 3)), r"each of the 2 features; got shape \(2, 3\)"),
    ([1, math.nan], np.eye(2), r"1 of 2 relevance values are not finite \(x1\)"),
    ([1, 2], [[0, math.nan], [math.inf, 0]], r"2 of 4 \w+ values are not finite \(x0 and x1, x1 and x0\)"),
])  # fmt: skip
def test_numbers_that_are_refused(cls, relevance, pairs, message):
    with pytest.raises(InputError, match=message):
        cls(relevance, pairs)


@pytest.mark.parametrize("cls", PAIRWISE)
@pytest.mark.parametrize(("names", "message"), [
    (["a"], "1 feature names were given for 2 features"),
    (["a", "a"], "these occur more than once: a"),
    ("ab", "not the single string 'ab'"),
])  # fmt: skip
def test_names_that_are_refused(cls, names, message):
    with pytest.raises(InputError, match=message):
        cls([1, 2], np.eye(2), feature_names=names)


def test_cfs_takes_no_negative_redundancy(refused):
    pairs = [[1, 0.2, 0], [-0.1, 1, 0], [0, 0, 1]]
    with refused(InputError):
        CFS([1, 2, 3], pairs, feature_names=["a", "b", "c"])
    assert MRMR([1, 2, 3], pairs).evaluate((0, 1)) == pytest.approx(1.45)


@pytest.mark.parametrize(("options", "message"), [
    ({"scale": 0}, "scale=0 is not positive"),
    ({"scale": -1.0}, "scale=-1.0 is not positive"),
    ({"scale": math.nan}, "scale=nan is not a finite number"),
    ({"scale": None}, "scale=None is not a finite number"),
    ({"min_relevance": math.inf}, "min_relevance=inf is not a finite number"),
    ({"min_relevance": "high"}, "min_relevance='high' is not a finite number"),
])  # fmt: skip
def test_options_of_fcbf_that_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        FCBF([1, 2], np.eye(2), **options)


# --- Measures between features ---
def test_pearson_between_features_is_that_of_numpy(table):
    X, _ = table
    found = pairs_of(X, "pearson")
    expected = np.abs(np.corrcoef(X.to_numpy()[:, :5], rowvar=False))
    assert found[:5, :5] == pytest.approx(expected)
    assert not found[5].any()
    assert not found[:, 5].any()


def test_rank_correlation_between_features_is_that_of_scipy(table):
    X, _ = table
    X = X.round({"a": 0, "b": 1})
    found = pairs_of(X, "spearman")
    assert found[:5, :5] == pytest.approx(np.abs(spearmanr(X.to_numpy()[:, :5]).statistic))
    assert not found[5].any()
    assert found[0] == pytest.approx(measures.spearman(X, X["a"].to_numpy()))


@pytest.mark.parametrize("options", [{}, {"discrete": False}, {"n_neighbors": 5, "random_state": 3}])
def test_a_row_is_what_the_measure_says_of_that_column_as_target(table, options):
    X, _ = table
    X = X.round({"a": 0, "b": 1})
    found = pairs_of(X, **options)
    for index in (0, 2):
        # Column a has few values: it is discrete in both places, unless told otherwise.
        few = index == 0 and "discrete" not in options
        task = "classification" if few else "regression"
        row = measures.mutual_info(X, X.iloc[:, index].to_numpy(), task=task, **options)
        assert found[index] == pytest.approx(row)
    assert found.tolist() == pairs_of(X, **options).tolist()


def test_information_between_columns_of_few_values_is_symmetric():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(150, 4)) * 0.5
    found = pairs_of(X)
    assert found == pytest.approx(found.T)
    shares = [np.mean(X[:, 0] == value) for value in (0, 0.5, 1)]
    assert found[0, 0] == pytest.approx(entropy(shares))


def test_a_function_as_measure_between_features(table, refused):
    X, _ = table

    def covariance(matrix, target, power=1):
        assert target.min() < target.max()
        return (matrix - matrix.mean(axis=0)).T @ target**power / len(target), "p-values"

    found = pairs_of(X, covariance)
    assert found == pytest.approx(np.cov(X.to_numpy(), rowvar=False, bias=True))
    assert pairs_of(X, covariance, power=3)[0, 1] != found[0, 1]
    with refused(InputError):
        pairs_of(X, lambda matrix, target: [1.0])


@pytest.mark.parametrize("measure", ["f", "importance", "relief", "chi3", None])
def test_measures_that_do_not_compare_features(table, measure, refused):
    with refused(InputError):
        pairs_of(table[0], measure)


# --- From data ---
@pytest.mark.parametrize("measure", ["mutual_info", "pearson", "spearman"])
def test_from_data_measures_and_names(table, measure):
    X, y = table
    relevance, names = measures.score(X, y, measure)
    pairs = pairs_of(X, measure)
    for cls in PAIRWISE:
        quality = cls.from_data(X, y, measure=measure)
        direct = cls(relevance, pairs)
        assert quality.feature_names == names == list("abcdef")
        for chosen in [(0,), (0, 3), (0, 1, 2), (1, 2, 4, 5)]:
            assert quality.evaluate(chosen) == direct.evaluate(chosen)


@pytest.mark.parametrize(("cls", "options"), [
    (Additive, {"measure": "f"}), (MRMR, {}),
    (MRMR, {"measure": "relief", "redundancy_measure": "spearman"}),
    (FCBF, {"measure": "spearman"}), (CFS, {}),
    (CFS, {"measure": lambda X, y: np.arange(1.0, X.shape[1] + 1)}),
])  # fmt: skip
def test_constant_columns_are_named_in_one_warning_and_score_nothing(cls, options, table, snapshot):
    X, y = table
    with pytest.warns(UserWarning) as caught:
        quality = cls.from_data(X.assign(c=0.0), y, **options)
    assert [str(one.message) for one in caught] == snapshot
    assert len(caught) == 1
    found = quality.scores if cls is Additive else quality.relevance
    assert [found[2], found[5]] == [0.0, 0.0]
    assert found[1] > 0


@pytest.mark.parametrize("measure", ["pearson", "spearman", "mutual_info", np.eye(6)])
def test_pairs_warn_of_constant_columns_unless_told_not_to(table, measure, snapshot):
    X, _ = table
    with pytest.warns(UserWarning) as caught:
        found = pairs_of(X, measure)
    assert [str(one.message) for one in caught] == snapshot
    assert len(caught) == 1
    assert not found[5].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs_of(X, measure, warn=False)


def test_negative_relief_counts_as_nothing_for_cfs(table):
    X, y = table
    scores, _ = measures.score(X, y, "relief")
    assert (scores < 0).any()
    quality = CFS.from_data(X, y, measure="relief", redundancy_measure="pearson")
    assert quality.relevance.tolist() == np.maximum(scores, 0).tolist()
    own = CFS.from_data(X, y, measure=lambda X, y: -np.ones(6), redundancy_measure="pearson")
    assert own.relevance[0] == -1


def test_given_numbers_in_place_of_measures(table):
    X, y = table
    relevance, pairs = numbers(6)
    named = pd.Series(relevance, index=list("abcdef"))
    assert Additive.from_data(X, y, measure=relevance).scores.tolist() == relevance.tolist()
    assert Additive.from_data(X, y, measure=named.tolist()).scores.tolist() == relevance.tolist()
    mixed = MRMR.from_data(X, y, measure=named, redundancy_measure="pearson")
    assert mixed.relevance.tolist() == relevance.tolist()
    frame = pd.DataFrame(pairs, index=list("abcdef"), columns=list("abcdef"))
    given = CFS.from_data(X, y, measure=named, redundancy_measure=frame)
    # A constant depends on nothing, whatever is given.
    pairs[5, :] = pairs[:, 5] = 0
    assert given.evaluate((0, 1, 3)) == CFS(relevance, pairs).evaluate((0, 1, 3))
    assert given.evaluate((0, 5)) == CFS(relevance, pairs).evaluate((0, 5))


@pytest.mark.parametrize(("options", "message"), [
    ({"measure": np.ones(5)}, r"must hold 6 scores, one for each feature; got shape \(5,\)"),
    ({"measure": np.ones((6, 6))}, r"must hold 6 scores, one for each feature; got shape \(6, 6\)"),
    ({"measure": ["a"] * 6}, "given as measure must be numbers, not text"),
    ({"measure": [1.0] * 5 + [math.nan]}, "missing or infinite values"),
    ({"measure": np.ones(6), "n_neighbors": 3}, "takes no options; got n_neighbors"),
    ({"measure": pd.Series(np.ones(6), index=list("fedcba"))}, r"index of the measure \(f, e, d ...\)"),
    ({"measure": np.ones(6), "redundancy_measure": None}, "an array of scores compares features with the"),
    ({"redundancy_measure": np.ones(6)}, r"each of the 6 features; got shape \(6,\)"),
    (
        {"redundancy_measure": pd.DataFrame(np.eye(6), columns=list("fedcba"))},
        r"columns of the measure \(f, e, d ...\) names the features differently",
    ),
])  # fmt: skip
def test_given_numbers_that_are_refused(table, options, message):
    with pytest.raises(InputError, match=message):
        CFS.from_data(*table, **{"redundancy_measure": "pearson", **options})


def test_the_default_measures(table):
    X, y = table
    assert MRMR.from_data(X, y).relevance.tolist() == measures.mutual_info(X, y).tolist()
    assert FCBF.from_data(X, y).relevance.tolist() == measures.mutual_info(X, y).tolist()
    assert CFS.from_data(X, y).relevance.tolist() == measures.pearson(X, y).tolist()


@pytest.mark.parametrize("cls", PAIRWISE)
def test_options_reach_both_measures_and_task_only_the_first(cls, table):
    X, y = table
    X = X.round(0)
    options = {"discrete": False, "n_neighbors": 4, "random_state": 1}
    names = list("uvwxyz")
    quality = cls.from_data(
        X, y > 0, measure="mutual_info", task="regression", feature_names=names, **options
    )
    relevance = measures.mutual_info(X, y > 0, task="regression", **options)
    direct = cls(relevance, pairs_of(X, **options), feature_names=names)
    assert quality.feature_names == names
    assert [quality.evaluate(chosen) for chosen in all_sets(6)] == [
        direct.evaluate(chosen) for chosen in all_sets(6)
    ]


@pytest.mark.parametrize("cls", [MRMR, CFS])
def test_redundancy_by_another_measure(cls, table, refused):
    X, y = table
    quality = cls.from_data(X, y, measure="f", redundancy_measure="pearson", task="regression")
    assert quality.relevance.tolist() == measures.f_score(X, y).tolist()
    assert quality.redundancy[0, 1] == pytest.approx(pairs_of(X, "pearson")[0, 1])
    with refused(InputError):
        cls.from_data(X, y, measure="importance")
    with refused(InputError):
        cls.from_data(X, y, redundancy_measure="f")


def test_fcbf_needs_one_measure_for_both(table, refused):
    with refused(InputError):
        FCBF.from_data(*table, measure="f")


@pytest.mark.parametrize("cls", PAIRWISE)
def test_unknown_measures_and_scalings_are_refused(cls, table, refused):
    with refused(InputError):
        cls.from_data(*table, measure="chi3")
    with refused(InputError):
        cls.from_data(*table, scaling="max")


def test_the_papers_scaling(table):
    X, y = table
    plain, scaled = (MRMR.from_data(X, y, scaling=scaling) for scaling in (None, "paper"))
    pairs = pairs_of(X)
    np.fill_diagonal(pairs, 0)
    largest = max(plain.relevance.max(), pairs.max())
    assert pairs.max() > plain.relevance.max()
    assert scaled.relevance == pytest.approx(plain.relevance / largest)
    assert scaled.redundancy == pytest.approx(plain.redundancy / largest)

    plain, scaled = (FCBF.from_data(X, y, scaling=scaling, min_relevance=0.05) for scaling in (None, "paper"))
    assert scaled.form(2).linear.sum() == pytest.approx(1)
    assert (scaled.conflicts == plain.conflicts).all()
    assert (scaled.allowed == plain.allowed).all()
    assert not scaled.allowed[5]

    plain, scaled = (CFS.from_data(X, y, scaling=scaling) for scaling in (None, "paper"))
    assert scaled.evaluate((0, 1, 3)) == plain.evaluate((0, 1, 3))


def test_the_papers_scaling_never_turns_the_order_around(table):
    X, y = table

    def negative(matrix, target):
        return -np.arange(1.0, matrix.shape[1] + 1)

    assert Additive.from_data(X, y, measure=negative, scaling="paper").scores[0] == -1
    assert FCBF.from_data(X, y, measure=negative, scaling="paper").scale == 1
    assert MRMR.from_data(X, y, measure=negative, scaling="paper").relevance[0] == -1


# --- Other implementations: see fixtures/README.md ---
def mrmr_as_in_the_paper(relevance, redundancy):
    redundancy = np.array(redundancy)
    np.fill_diagonal(redundancy, 0)
    largest = max(np.max(relevance), redundancy.max())
    return MRMR(np.array(relevance) / largest, redundancy / largest)


def alfeses(quality, numbers):
    if quality == "mrmr":
        return mrmr_as_in_the_paper(numbers["relevance"], numbers["dependency"])
    return FCBF(numbers["relevance"], numbers["dependency"], scale=1 / sum(numbers["relevance"]))


@pytest.mark.parametrize("kind", ["mrmr", "fcbf"])
def test_alfese_agrees_on_the_best_sets(kind):
    frozen = fixture("alfese")
    quality = alfeses(kind, frozen)
    searches = [search for search in frozen["searches"] if search["quality"] == kind]
    assert len(searches) >= 3
    for search in searches:
        values = [quality.evaluate(chosen) for chosen in search["sets"]]
        assert values == pytest.approx(search["qualities"], abs=1e-6)
        # Each set differs from those before in one feature: together they are the best of all.
        everything = [quality.evaluate(chosen) for chosen in combinations(range(13), search["k"])]
        assert values == pytest.approx(sorted(everything, reverse=True)[:3], abs=1e-6)


def test_alfese_agrees_from_the_table_on():
    frozen = fixture("alfese")
    X, y = load_wine(return_X_y=True)
    options = {"task": "regression", "discrete": False, "method": "sklearn", "scaling": "paper"}
    found = {"mrmr": MRMR.from_data(X, y, **options), "fcbf": FCBF.from_data(X, y, **options)}
    assert found["fcbf"].relevance == pytest.approx(np.array(frozen["relevance"]))
    for search in frozen["searches"]:
        values = [found[search["quality"]].evaluate(chosen) for chosen in search["sets"]]
        assert values == pytest.approx(search["qualities"], abs=1e-6)


@pytest.mark.parametrize("data", ["credit_g", "wdbc"])
def test_alfese_agrees_on_data_of_the_study(data):
    frozen = fixture("alfese_pmlb")
    quality = alfeses("mrmr", frozen[data])
    searches = [
        search for search in frozen["searches"] if search["data"] == data and search["quality"] == "mrmr"
    ]
    assert len(searches) == 3
    for search in searches:
        values = [quality.evaluate(chosen) for chosen in search["sets"]]
        assert values == pytest.approx(search["qualities"], abs=1e-6)


def test_alfese_finds_no_five_features_without_conflicts_either():
    frozen = fixture("alfese_pmlb")
    searches = [search for search in frozen["searches"] if search["quality"] == "fcbf"]
    assert {search["data"] for search in searches} == {"credit_g"}
    assert all(status == "infeasible" for search in searches for status in search["statuses"])
    quality = alfeses("fcbf", frozen["credit_g"])
    free = [pair for pair in combinations(range(20), 2) if not quality.conflicts[pair]]
    assert free
    assert all(math.isinf(quality.evaluate(chosen)) for chosen in combinations(range(20), 5))


@pytest.fixture(scope="module")
def wine():
    frozen = fixture("wine")
    return np.array([list(map(int, column)) for column in frozen["columns"]]).T, np.array(
        list(map(int, frozen["target"]))
    )


def symmetrical_uncertainty(X, y):
    def bits(*columns):
        return entropy(np.unique(np.column_stack(columns), axis=0, return_counts=True)[1])

    return [2 * (bits(x) + bits(y) - bits(x, y)) / (bits(x) + bits(y)) for x in X.T]


def test_the_mean_of_itmo_fs_greedy_criterion_is_mrmr(wine):
    frozen = fixture("itmo_fs")
    quality = MRMR.from_data(*wine, discrete=True)
    for chosen, criteria in zip(frozen["sets"], frozen["criteria"], strict=True):
        assert quality.evaluate(chosen) == pytest.approx(np.mean(criteria))


@pytest.fixture(scope="module")
def wine_cfs(wine):
    return CFS.from_data(*wine, measure=symmetrical_uncertainty)


def test_skfeature_agrees_on_cfs(wine_cfs):
    frozen = fixture("skfeature")
    for quality in (CFS(frozen["relevance"], frozen["redundancy"]), wine_cfs):
        values = [quality.evaluate(chosen) for chosen in frozen["sets"]]
        assert values == pytest.approx(frozen["merits"])


def test_weka_agrees_on_cfs_of_classes(wine_cfs):
    frozen = fixture("weka")
    values = [wine_cfs.evaluate(chosen) for chosen in frozen["wine_sets"]]
    assert values == pytest.approx(frozen["wine_merits"], rel=1e-6)


def test_weka_agrees_on_cfs_of_amounts():
    frozen = fixture("weka")
    quality = CFS.from_data(*load_diabetes(return_X_y=True))
    values = [quality.evaluate(chosen) for chosen in frozen["diabetes_sets"]]
    assert values == pytest.approx(frozen["diabetes_merits"], rel=1e-6)


def test_what_the_original_fcbf_keeps_and_drops(wine):
    frozen = fixture("fcbf")
    quality = FCBF.from_data(*wine, measure=symmetrical_uncertainty)
    assert quality.relevance == pytest.approx(np.array(frozen["relevance"]))
    kept = frozen["kept"]
    assert quality.evaluate(sorted(kept)) == pytest.approx(sum(frozen["relevance"][index] for index in kept))
    dropped = set(range(13)) - set(kept)
    assert dropped
    assert all(quality.conflicts[index][kept].any() for index in dropped)


@needs_matrices
@pytest.mark.parametrize("name", ["house_votes_84", "wdbc"])
def test_information_is_that_of_the_study(name):
    data = split_target(read_columns(DATASETS / f"{name}.csv.gz"), "target")
    X, y = data.X.values, data.y
    train, _ = next(StratifiedKFold(n_splits=5, shuffle=True, random_state=25).split(X, y))
    frozen = np.load(SHARED / "mi" / f"{name}.npz")
    as_there = {"discrete": False, "method": "sklearn"}
    relevance = measures.mutual_info(X[train], y[train], task="regression", **as_there)
    assert relevance == pytest.approx(frozen["q"], abs=1e-9)
    assert pairs_of(X[train], **as_there) == pytest.approx(frozen["R"], abs=1e-9)


# --- Labels of pairs ----------------------------------------------------------------------------------
def test_pairs_keep_the_labels_of_a_frame():
    X = np.random.default_rng(2).normal(size=(30, 3))
    plain = measures.pairwise(X, "pearson")
    assert isinstance(plain, np.ndarray)
    for labels in (["a", "b", "c"], [3, 1, 2], pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])):
        pairs = measures.pairwise(pd.DataFrame(X, columns=labels), "pearson")
        assert list(pairs.columns) == list(pairs.index) == list(labels)
        assert (pairs.to_numpy() == plain).all()
    other = measures.pairwise(pl.DataFrame(X, schema=["a", "b", "c"]), "pearson")
    assert (other.columns, other.to_numpy().tolist()) == (["a", "b", "c"], plain.tolist())
