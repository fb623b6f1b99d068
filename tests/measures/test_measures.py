"""Measures against closed forms, other implementations, and input that must be refused."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import feature_selection
from sklearn.feature_selection import f_classif

import altsets
from altsets import measures
from altsets.errors import InputError
from altsets.measures import MEASURES, SURVIVAL_MEASURES, chi2, f_score, mutual_info, pearson, score, spearman
from altsets.quality import Additive
from altsets.tables.feature_matrix import Features, copies_in
from altsets.tables.target import target_of


def plug_in_information(x, y):
    joint = np.array([[np.mean((x == a) & (y == b)) for b in np.unique(y)] for a in np.unique(x)])
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / independent[seen])).sum())


# --- Values ---
def test_mutual_information_of_few_values_is_the_count():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 200)
    x = np.where(rng.random(200) < 0.6, y, rng.integers(0, 3, 200))
    scores = mutual_info(np.column_stack([x, x / 7 - 0.1]), y)
    # A change of the codes changes nothing: the second column is the first in other units.
    assert scores == pytest.approx([plug_in_information(x, y)] * 2)


def test_mutual_information_with_fewer_rows_than_neighbours():
    assert np.isfinite(mutual_info([[1.0], [2.0], [4.0]], [0.5, 1.5, 2.5], n_neighbors=30)).all()


@pytest.mark.parametrize("discrete", ["sometimes", [True], 1.5, [0, 1, 0, 1, 0]])
def test_discrete_must_be_a_mask(classes, discrete):
    with pytest.raises(InputError, match="discrete"):
        mutual_info(*classes, discrete=discrete)


def test_a_mask_of_discrete_columns_is_obeyed(classes):
    X, y = classes
    X = X.round(0)
    chosen = mutual_info(X, y, discrete=[True, False, False, False, False])
    assert chosen[0] == pytest.approx(plug_in_information(X[:, 0], y))
    assert chosen[1] != pytest.approx(plug_in_information(X[:, 1], y))


def test_f_of_classes_is_the_analysis_of_variance(classes):
    X, y = classes
    expected = [stats.f_oneway(*(column[y == label] for label in range(3)))[0] for column in X.T]
    assert f_score(X, y) == pytest.approx(expected)


def test_f_of_amounts_follows_from_the_correlation(amounts):
    X, y = amounts
    squared = np.array([np.corrcoef(column, y)[0, 1] ** 2 for column in X.T])
    assert f_score(X, y) == pytest.approx(squared / (1 - squared) * (len(y) - 2))


@pytest.mark.parametrize(("shift", "scale"), [(1e8, 1.0), (0.0, 1e200), (-5e7, 1e-3)])
def test_f_and_pearson_do_not_depend_on_units(amounts, shift, scale):
    X, y = amounts
    assert f_score(X * scale + shift, y) == pytest.approx(f_score(X, y), rel=1e-4)
    assert pearson(X * scale + shift, y) == pytest.approx(pearson(X, y), rel=1e-4)


def test_perfect_separation_has_a_finite_f_above_all_others(classes):
    X, y = classes
    X = np.column_stack([X, y * 0.1, 7.3 - y * 1e-3])
    scores = f_score(X, y)
    assert scores[:5] == pytest.approx(f_classif(X[:, :5], y)[0])
    assert scores[5:] == pytest.approx(2 * scores[:5].max())


def test_a_straight_line_has_a_finite_f_above_all_others(amounts):
    X, y = amounts
    scores = f_score(np.column_stack([X, 3 * y + 1, -y]), y)
    assert scores[4:] == pytest.approx(2 * scores[:4].max())
    assert f_score(y[:, None], y).tolist() == [1.0]


def test_pearson_is_absolute_and_matches_numpy(amounts):
    X, y = amounts
    expected = [abs(np.corrcoef(column, y)[0, 1]) for column in X.T]
    assert pearson(X, y) == pytest.approx(expected)
    assert pearson(-X, y) == pytest.approx(expected)


def test_pearson_of_two_named_classes_is_that_of_their_codes(classes):
    X, y = classes
    labels = np.where(y == 2, "ill", "healthy")
    assert pearson(X, labels) == pytest.approx(pearson(X, y == 2))


def test_pearson_refuses_three_classes(classes, refused):
    X, y = classes
    with refused(InputError):
        pearson(X, np.array(["a", "b", "c"])[y])
    with pytest.raises(InputError, match="3 classes"):
        pearson(X, y, task="classification")
    assert pearson(X, y).argmax() == 4


def test_spearman_is_absolute_and_matches_scipy(amounts):
    X, y = amounts
    X, y = X.round(0), y.round(0)
    expected = [abs(stats.spearmanr(column, y).statistic) for column in X.T]
    assert spearman(X, y) == pytest.approx(expected)
    assert spearman(-X, y) == pytest.approx(expected)


def test_spearman_looks_at_the_order_alone(amounts):
    X, y = amounts
    assert spearman(np.exp(5 * X), y**3).tolist() == spearman(X, y).tolist()
    assert spearman(X * 1e300, np.exp(y)).tolist() == spearman(X, y).tolist()
    assert spearman(np.exp(y)[:, None], y).tolist() == [pytest.approx(1)]


def test_spearman_of_two_named_classes_and_of_three(classes, refused):
    X, y = classes
    assert spearman(X, np.where(y == 2, "ill", "healthy")) == pytest.approx(spearman(X, y == 2))
    with refused(InputError):
        spearman(X, np.array(["a", "b", "c"])[y])


def test_chi2_is_scikit_learns(classes):
    X, y = classes
    counts = np.abs(X).round(0)
    assert chi2(counts, y) == pytest.approx(feature_selection.chi2(counts, y)[0])
    assert chi2(np.abs(X), y) == pytest.approx(feature_selection.chi2(np.abs(X), y)[0])
    assert chi2(counts, np.array(["a", "b", "c"])[y]).tolist() == chi2(counts, y).tolist()


def test_chi2_by_hand():
    # Sums 4 and 2, where classes of equal size let expect 3 each.
    assert chi2([[1], [3], [2], [0]], [0, 0, 1, 1]).tolist() == [pytest.approx(2 / 3)]


def test_chi2_of_empty_and_of_huge_columns_is_finite(classes):
    _, y = classes
    X = np.column_stack([np.zeros(120), np.full(120, 3.0), np.where(y == 0, 1.7e308, 0)])
    assert chi2(X, y).tolist() == [0.0, 0.0, np.finfo(float).max]


def test_chi2_refuses_negative_values_and_amounts(classes, amounts, refused):
    with refused(InputError):
        chi2(*classes)
    X, y = amounts
    with refused(InputError):
        chi2(np.abs(X), y)


#: Measures that need no package of their own.
PLAIN = [name for name in MEASURES if name != "shap"]


@pytest.mark.parametrize("name", PLAIN)
def test_every_measure_is_deterministic_and_gives_constants_nothing(name, amounts):
    X, y = amounts
    X = np.column_stack([X, np.full(len(X), 0.1), np.zeros(len(X))])
    if name == "chi2":
        X[:, :4] -= X[:, :4].min(axis=0)
    targets = (y, y > 0)[name == "chi2" :]
    if name in SURVIVAL_MEASURES:
        targets = (altsets.io.survival_target(time=y - y.min(), event=np.arange(len(y)) % 3 > 0),)
    for target in targets:
        scores = MEASURES[name](X, target)
        assert scores.dtype == np.float64
        assert name in ("relief", "permutation") or (scores >= 0).all()
        assert np.isfinite(scores).all()
        assert scores[4:].tolist() == [0.0, 0.0]
        assert scores[3] == scores.max() > 0
        assert MEASURES[name](X, target).tolist() == scores.tolist()


@pytest.mark.parametrize("name", ["f", "pearson", "spearman", "mutual_info", "relief", "permutation"])
def test_names_of_classes_do_not_matter(name, classes):
    X, y = classes
    X, y = X[y < 2], y[y < 2]
    labels = np.array(["no", "yes"], dtype=object)[y]
    assert MEASURES[name](X, labels).tolist() == MEASURES[name](X, y).tolist()


# --- Targets ---
@pytest.mark.parametrize(("y", "task"), [
    ([0, 1, 1, 0], "classification"),
    ([True, False, True, True], "classification"),
    (["a", "b", "a"], "classification"),
    ([1.0, 2.0, 3.0, 1.0], "classification"),
    ([1.5, 2.0, 3.0], "regression"), ([10, 20, 30], "regression"), (list(range(25)) * 4, "regression"),
    (list(range(25)) * 10, "classification"),
    (list(range(20)) * 2, "classification"),
    (pd.Categorical(["x", "y", "x"]), "classification"),
    (np.array([1, 0, 1], dtype=object), "classification"),
    (np.array([[1], [0], [1]]), "classification"),
])  # fmt: skip
def test_what_a_target_is(y, task):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert target_of(y, len(y)).task == task


def test_task_overrules():
    y = [1, 2, 3, 1]
    assert target_of(y, 4, "regression").values.tolist() == [1.0, 2.0, 3.0, 1.0]
    assert target_of(y, 4, "classification").values.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize(("y", "task", "message"), [
    ([1, 1, 1], "auto", r"only one value \(1.0\)"),
    (["a", "a", "a"], "auto", r"only one value \(a\)"),
    ([1, 2], "auto", "3 rows, but the target has 2 values"),
    ([[1, 2], [3, 4], [5, 6]], "auto", "got 2 columns, and this takes one target at a time"),
    ([1.0, np.nan, 2.0], "auto", "1 missing value"),
    ([1.0, np.inf, 2.0], "auto", "1 infinite value"),
    (["a", None, "b"], "auto", "has 1 missing value;"),
    (np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]), "auto", "has 1 missing value;"),
    (np.array(["a", 1, "b"], dtype=object), "auto", "mixes numbers .* with text"),
    ([[1], [2, 3], [4]], "auto", "got 4 columns, and this takes one"),
    (["a", "b", "c"], "auto", "a class of its own"),
    (["a", "b", "a"], "regression", "the target is text"),
    ([0, 1, 0], "ranking", "task='ranking' is unknown"),
    (pd.Series(pd.date_range("2020", periods=3)), "auto", "the target holds dates or times"),
    (np.array(["2020", "2021", "2022"], dtype="M8[D]"), "auto", "the target holds dates or times"),
    ([date(2020, 1, 1)] * 3, "auto", "the target holds dates or times"),
    (pa.chunked_array([[date(2020, 1, 1)] * 3]), "auto", "the target holds dates or times"),
    (pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}), "auto", "got 2 columns, and this takes one"),
    (pa.table({"a": [1, 2, 3], "b": [1, 2, 3]}), "auto", "got 2 columns, and this takes one"),
    (pd.Series([[1, 2], [1], [3]]), "auto", "got 3 columns, and this takes one"),
    (pd.Series([True, None, False], dtype="boolean"), "auto", "has 1 missing value;"),
    (pd.Categorical([1, None, 2]), "auto", "has 1 missing value;"),
    (None, "auto", "requires y to be passed, but the target y is None"),
    ([1j, 2j, 1j], "auto", "the target holds complex numbers"),
    ([0, 0, 0], "auto", "one class"),
])  # fmt: skip
def test_targets_that_are_refused(y, task, message):
    with pytest.raises(InputError, match=message):
        target_of(y, 3, task)


CATEGORIES = pa.array([7, 8, 7, 8]).dictionary_encode()


@pytest.mark.parametrize("y", [
    pd.Series([7, 8, 7, 8], dtype="category"),
    pd.Categorical([0.5, 1.5, 0.5, 1.5]),
    pd.Series(["u", "v", "u", "v"], dtype="string"),
    pd.DataFrame({"y": ["u", "v", "u", "v"]}),
    pd.Series([False, True, False, True], dtype="boolean"),
    pa.chunked_array([["u", "v"], ["u", "v"]]),
    pa.chunked_array([CATEGORIES]), pa.array(["u", "v", "u", "v"]),
    pa.table({"y": [False, True, False, True]}),
])  # fmt: skip
def test_classes_of_any_library(y):
    found = target_of(y, 4)
    assert (found.task, found.values.tolist()) == ("classification", [0, 1, 0, 1])


def test_targets_of_polars(refused):
    labels = ["u", "v", "u", "v"]
    for y in (pl.Series(labels), pl.Series(labels, dtype=pl.Categorical), pl.DataFrame({"y": labels})):
        assert target_of(y, 4).values.tolist() == [0, 1, 0, 1]
    assert target_of(pl.Series([0.5, 1.5, 7.0]), 3).numeric.tolist() == [0.5, 1.5, 7.0]
    with refused(InputError):
        target_of(pl.Series([1, None, 2]), 3)
    with refused(InputError):
        target_of(pl.Series([date(2020, 1, 1)] * 3), 3)


def test_categories_of_numbers_are_no_amounts():
    y = list(range(30)) * 2
    assert target_of(y, 60).task == "regression"
    found = target_of(pd.Series(y, dtype="category"), 60)
    assert (found.task, found.numeric, found.n_distinct) == ("classification", None, 30)


def test_amounts_of_any_library():
    for y in (pd.Series([0.5, 1.5, 7], dtype="Float64"), pa.array([0.5, 1.5, 7]), [Decimal("0.5"), 1.5, 7]):
        assert target_of(y, 3).numeric.tolist() == [0.5, 1.5, 7.0]


def test_one_row_is_nothing_to_compare(refused):
    with refused(InputError):
        f_score([[1.0, 2.0]], [1])


# --- Categories and missing values ---
def test_pearson_of_known_rows(mixed):
    frame, _, y = mixed
    table = frame.drop(columns="town")
    codes = (frame["sex"] == "m").astype(float)
    expected = [abs(pd.Series(column).corr(y)) for column in (frame["a"], frame["b"], codes)]
    assert pearson(table, y) == pytest.approx(expected)


def test_spearman_of_known_rows(mixed):
    frame, _, y = mixed
    expected = [abs(frame[name].corr(y, method="spearman")) for name in "ab"]
    assert spearman(frame[["a", "b"]], y) == pytest.approx(expected)
    codes = (frame["sex"] == "m").astype(float)
    assert spearman(frame[["sex"]], y) == pytest.approx([abs(codes.corr(y, method="spearman"))])


def test_f_of_known_rows(mixed):
    frame, classes, y = mixed
    expected_classes, expected_amounts = [], []
    for name in "ab":
        known = frame[name].notna()
        groups = [frame.loc[known & (classes == code), name] for code in (0, 1)]
        expected_classes.append(stats.f_oneway(*groups).statistic)
        expected_amounts.append(stats.linregress(frame.loc[known, name], y[known]).rvalue ** 2)
        expected_amounts[-1] *= (known.sum() - 2) / (1 - expected_amounts[-1])
    assert f_score(frame[["a", "b"]], classes) == pytest.approx(expected_classes)
    assert f_score(frame[["a", "b"]], y) == pytest.approx(expected_amounts)


def test_f_of_categories_is_the_analysis_of_variance_of_the_amounts(mixed):
    frame, classes, y = mixed
    expected = [
        stats.f_oneway(*(group for _, group in y.groupby(frame[name]))).statistic for name in ("town", "sex")
    ]
    assert f_score(frame[["town", "sex"]], y) == pytest.approx(expected)
    codes = (frame[["sex"]] == "m").astype(float)
    assert f_score(frame[["sex"]], classes) == pytest.approx(f_score(codes, classes))


def test_a_category_that_fixes_the_amounts_ranks_first(mixed):
    frame = mixed[0]
    amounts = frame["town"].map({"Rome": 1.0, "Oslo": 4.0, "Bonn": 2.5})
    scores = f_score(frame, amounts)
    assert scores[2] == pytest.approx(2 * scores[[0, 1, 3]].max())


def test_chi2_of_categories_is_the_table_of_counts(mixed):
    frame, classes, _ = mixed
    expected = [
        stats.chi2_contingency(pd.crosstab(frame[name], classes), correction=False).statistic
        for name in ("town", "sex")
    ]
    found = chi2(frame[["town", "sex"]], classes)
    assert found == pytest.approx(expected)
    one_hot = feature_selection.chi2(pd.get_dummies(frame["town"]).astype(float), classes)[0].sum()
    assert found[0] == pytest.approx(one_hot)


def test_chi2_of_known_rows(mixed):
    frame, classes, _ = mixed
    known = frame["b"].notna()
    expected = feature_selection.chi2(frame.loc[known, ["b"]], classes[known])[0]
    assert chi2(frame[["b", "town"]], classes)[0] == pytest.approx(expected[0])


@pytest.mark.parametrize("measure", [pearson, spearman, f_score])
def test_three_categories_are_refused_where_numbers_are_needed(mixed, measure, refused):
    frame, classes, _ = mixed
    with refused(InputError):
        measure(frame, classes)


@pytest.mark.parametrize("measure", [pearson, spearman, f_score, chi2])
def test_columns_with_fewer_than_two_known_values_score_nothing(measure):
    nan = np.nan
    X = np.array([[nan, nan, 5, 1, 3], [nan, nan, nan, 2, nan], [nan, 4, 5, nan, nan], [nan, nan, 5, 3, 2]])
    y = np.array([0, 1, 0, 1])
    scores = measure(X, y)
    assert scores[:3].tolist() == [0, 0, 0]
    assert np.isfinite(scores).all()
    # The classes of the rows that are left: both, with one or two rows each.
    assert scores[3] > 0


@pytest.mark.parametrize("measure", [pearson, spearman, f_score, chi2])
def test_complete_columns_do_not_care_about_the_holes_of_others(classes, measure):
    X, y = np.abs(classes[0]), (classes[1] > 0).astype(int)
    holes = np.column_stack([X, np.where(np.arange(len(X)) % 3, np.nan, X[:, 0])])
    assert measure(holes, y)[:-1].tolist() == measure(X, y).tolist()


# --- The door ---
def test_copies_are_named_in_one_warning(classes, snapshot):
    X, y = classes
    frame = pd.DataFrame(X, columns=list("abcde")).assign(f=X[:, 1], g=X[:, 3], h=X[:, 1])
    with pytest.warns(UserWarning) as caught:
        score(frame, y, "f")
    assert [str(one.message) for one in caught] == snapshot
    assert len(caught) == 1


def test_no_warning_without_copies(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores, names = score(*classes, "f")
    assert scores.shape == (5,)
    assert names is None


def test_zeros_of_either_sign_are_equal_and_constants_are_no_copies():
    assert copies_in(Features(np.array([[0.0, -0.0, 5.0, 5.0], [1.0, 1.0, 5.0, 5.0]]))) == [[0, 1]]
    assert copies_in(Features(np.array([[0.0, 1.0], [1.0, 0.0]]))) == []


def test_a_function_as_measure(classes):
    X, y = classes
    frame = pd.DataFrame(X, columns=list("abcde"))
    scores, names = score(frame, y, lambda table, target, power: table.std(axis=0) ** power, power=2)
    assert scores == pytest.approx(X.var(axis=0))
    assert names == list("abcde")
    assert score(X, y, f_classif)[0] == pytest.approx(f_classif(X, y)[0])


@pytest.mark.parametrize(("measure", "message"), [
    ("chi3", "measure='chi3' is unknown; did you mean 'chi2'?"),
    (None, "measure=None is unknown"),
    (lambda X, y: 1.0, r"must return 5 scores, one for each feature; got shape \(\)"),
    (lambda X, y: np.zeros(4), r"got shape \(4,\)"),
])  # fmt: skip
def test_measures_that_are_refused(classes, measure, message):
    with pytest.raises(InputError, match=message):
        score(*classes, measure)


def test_quality_from_data_knows_names_and_scores(classes):
    X, y = classes
    quality = Additive.from_data(pd.DataFrame(X, columns=list("abcde")), y, measure="f")
    assert quality.feature_names == list("abcde")
    assert quality.scores.tolist() == f_score(X, y).tolist()
    named = Additive.from_data(X, y, measure="f", feature_names=list("vwxyz"))
    assert named.feature_names == list("vwxyz")


def test_importing_measures_does_not_import_scikit_learn():
    code = "import sys, altsets.measures; sys.exit('sklearn' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_names_of_the_measures_are_fixed():
    assert list(measures.MEASURES) == [
        "mutual_info",
        "f",
        "pearson",
        "spearman",
        "chi2",
        "relief",
        "importance",
        "permutation",
        "shap",
        "symmetrical_uncertainty",
        "concordance",
        "cox",
        "logrank",
    ]
    assert list(measures.PAIR_MEASURES) == ["mutual_info", "pearson", "spearman", "symmetrical_uncertainty"]


def test_the_papers_scaling_makes_scores_add_up_to_one(classes, refused):
    X, y = classes
    plain = Additive.from_data(X, y, measure="pearson")
    scaled = Additive.from_data(X, y, measure="pearson", scaling="paper")
    assert np.sum(scaled.scores) == pytest.approx(1)
    assert scaled.scores == pytest.approx(plain.scores / np.sum(plain.scores))
    with refused(InputError):
        Additive.from_data(X, y, scaling="other")


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_correlations_of_pairs_with_holes_are_those_of_their_own_rows(measure):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 6)).round(1)
    X[:, 1] = X[:, 0] ** 3 + 1e3
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:, 4] = rng.normal(size=40)
    X[5, 2] = 1e12
    found = measures.pairwise(X, measure, warn=False)
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[measure]
    for i, j in itertools.combinations(range(6), 2):
        rows = ~np.isnan(X[:, i]) & ~np.isnan(X[:, j])
        assert found[i, j] == found[j, i] == pytest.approx(abs(theirs(X[rows, i], X[rows, j])[0]), abs=1e-12)
    assert np.diag(found) == pytest.approx(1)
    assert found.max() <= 1


def test_correlations_where_two_columns_are_never_known_together():
    X = np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan], [np.nan, 4.0, 3.0], [np.nan, 5.0, 3.0]])
    for measure in ("pearson", "spearman"):
        assert measures.pairwise(X, measure, warn=False)[0, 1] == 0
        assert measures.pairwise(X, measure, warn=False)[2].tolist() == [0, 0, 0]
