"""Categories, missing values and weights of rows: what they mean to information, pairs, and the doors to them."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from portions import mostly_slow
from scipy import stats
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.metrics import adjusted_mutual_info_score

from altsets import measures
from altsets.errors import InputError
from altsets.measures import mutual_info, score, symmetrical_uncertainty
from altsets.measures.information.columns import bin_column, discrete_columns, effective_rows, patterns_of
from altsets.measures.pairs import score_by
from altsets.quality import CFS, FCBF, MRMR, Additive
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features, constant_columns, copies_in


def pairs_of(X, *args, **options):
    """Measures of pairs as an array, whatever the table is."""
    return np.array(measures.pairwise(X, *args, **options))


def codes_of(column):
    """Missing is one more value, the last one."""
    return np.unique(column, return_inverse=True)[1]


def plug_in(x, y, weights=None):
    x, y = codes_of(x), codes_of(y)
    table = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(table, (x, y), 1.0 if weights is None else weights)
    table /= table.sum()
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / independent[seen])).sum())


def plug_in_pairs(X):
    return np.array([[plug_in(a, b) for b in X.T] for a in X.T])


def with_holes(X, rng, share=0.2):
    X = np.array(X, dtype=float)
    X[rng.random(X.shape) < share] = np.nan
    return X


def category(labels, n_labels):
    """A table of one category."""
    return Features(np.asarray(labels, dtype=float)[:, None], ["town"], {0: tuple(map(str, range(n_labels)))})


def mixed(rng, n=240):
    """Amounts, few values, amounts with ties, a category; all but the last with holes, two of them in the same rows."""
    x = rng.normal(size=n)
    X = np.column_stack([x, rng.integers(0, 3, n), (x + rng.normal(size=n)).round(1), rng.normal(size=n)])
    X = with_holes(X, rng, 0.15)
    X[np.isnan(X[:, 0]), 3] = np.nan
    X[~np.isnan(X[:, 0]) & np.isnan(X[:, 3]), 3] = 0.5
    town = rng.integers(0, 60, n)
    return Features(np.column_stack([X, x**2, town]), list("abcdef"), {5: tuple(map(str, range(60)))})


@contextmanager
def one_warning(words, *, here=True):
    """There is one warning and no more; it is about the line that called, unless that is in the house."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert len(caught) == 1, [str(warning.message) for warning in caught]
    assert words in str(caught[0].message)
    assert caught[0].category is UserWarning
    assert (caught[0].filename == __file__) or not here


# --- Categories ---
def test_categories_are_counted_as_labels():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    town = np.where(rng.random(300) < 0.5, y, rng.integers(0, 4, 300))
    x = y + rng.normal(size=300)
    labels = np.array(["Rome", "Oslo", "Bonn", None], dtype=object)[town]
    frame = pd.DataFrame({"town": labels, "x": x})
    plain = np.column_stack([town, x])
    for options in ({}, {"method": "bins"}, {"method": "sklearn"}, {"discrete": False}):
        as_numbers = mutual_info(plain, y, **{**options, "discrete": [True, False]})
        assert mutual_info(frame, y, **options) == pytest.approx(as_numbers, abs=1e-12)
        pairs = pairs_of(frame, **options)
        assert pairs == pytest.approx(pairs_of(plain, **{**options, "discrete": [True, False]}), abs=1e-12)
    assert mutual_info(frame, y)[0] == pytest.approx(plug_in(town, y))
    assert symmetrical_uncertainty(frame, y) == pytest.approx(symmetrical_uncertainty(plain, y), abs=1e-12)
    sure = mutual_info_classif(plain[:, :1].astype(int), y, discrete_features=True)
    assert mutual_info(frame, y, method="sklearn")[0] == pytest.approx(sure[0])


@pytest.mark.parametrize("weighting", ["none", "unequal"])
@pytest.mark.parametrize("options", [{}, {"method": "bins"}])
def test_a_category_of_many_labels_says_nothing_by_chance(options, weighting):
    rng = np.random.default_rng(1)
    found, naive = [], []
    for _ in range(8):
        town, y = rng.integers(0, 200, 2000), rng.integers(0, 2, 2000)
        weights = rng.uniform(0.2, 1.8, 2000) if weighting == "unequal" else None
        more = {} if weights is None else {"sample_weight": weights, "method": "bins"}
        found.append(mutual_info(category(town, 200), y, **{**options, **more})[0])
        naive.append(plug_in(town, y, weights))
    assert np.mean(naive) > 0.045
    assert np.mean(found) < 0.004


def test_a_category_of_many_labels_is_believed_if_it_tells_the_class():
    rng = np.random.default_rng(2)
    of_label = rng.integers(0, 2, 200)
    town = rng.integers(0, 200, 2000)
    y = np.where(rng.random(2000) < 0.8, of_label[town], 1 - of_label[town])
    exact = np.log(2) + 0.8 * np.log(0.8) + 0.2 * np.log(0.2)
    assert mutual_info(category(town, 200), y)[0] == pytest.approx(exact, abs=0.025)
    assert mutual_info(category(town, 200), of_label[town])[0] == pytest.approx(np.log(2), abs=0.01)
    shares = symmetrical_uncertainty(category(town, 200), of_label[town])
    assert shares[0] == pytest.approx(2 * np.log(2) / (np.log(2) + np.log(200)), abs=0.02)


def test_thin_categories_among_themselves():
    rng = np.random.default_rng(3)
    towns = rng.integers(0, 60, (400, 2))
    labels = tuple(map(str, range(60)))
    features = Features(np.column_stack([towns, rng.integers(0, 3, 400)]) * 1.0, None, {0: labels, 1: labels})
    x, y = towns.T
    entropies = plug_in(x, x), plug_in(y, y)
    by_scikit_learn = adjusted_mutual_info_score(x, y, average_method="min") * min(entropies)
    found = pairs_of(features)
    assert found[0, 1] == pytest.approx(max(0.0, by_scikit_learn))
    assert found[0, 1] < 0.1 * plug_in(x, y)
    assert found.diagonal()[:2] == pytest.approx(entropies)
    told = np.where(rng.random(400) < 0.5, x, y)
    by_scikit_learn = adjusted_mutual_info_score(x, told, average_method="min") * min(
        entropies[0], plug_in(told, told)
    )
    assert mutual_info(features, told, task="classification")[0] == pytest.approx(by_scikit_learn)
    for measure in ("mutual_info", "symmetrical_uncertainty"):
        found = pairs_of(features, measure)
        assert (found == found.T).all()
        assert found[0, 2] < 0.01 * found[0, 0]
    assert found.diagonal() == pytest.approx(np.ones(3))
    # Numbers of as many values are counted as before.
    numbers = pairs_of(features.values, discrete=True)
    assert numbers[0, 1] == pytest.approx(plug_in(x, y))


# --- Missing numbers ---
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.05, 0.3, 0.7]))
def test_discrete_columns_with_holes_have_one_more_value(seed, n_values, share):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values + 1, (150, 4))
    X[:, 1] = np.where(rng.random(150) < 0.6, X[:, 0], X[:, 1])
    X = with_holes(X, rng, share)
    X[:, 3] = codes_of(X[:, 3])
    X[rng.random(150) < 0.5, 2] = np.nan
    # Where fewer than four rows are known in both columns, nothing is said about them.
    known = ~np.isnan(X)
    assume((known.T.astype(int) @ known).min() >= 4)
    y = np.where(rng.random(150) < 0.5, codes_of(X[:, 0]), rng.integers(0, 2, 150))
    found = pairs_of(X, discrete=True, warn=False)
    assert found == pytest.approx(plug_in_pairs(X), abs=1e-12)
    assert (found == found.T).all()
    expected = [plug_in(column, y) for column in X.T]
    assert mutual_info(X, y, discrete=True) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["neighbors", "bins"])
def test_holes_keep_symmetry_and_order_to_the_last_bit(method):
    rng = np.random.default_rng(4)
    features = mixed(rng)
    assert len(patterns_of(features.values)[0]) == 4
    found = pairs_of(features, method=method, n_jobs=1)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found == found.T).all()
    rows, columns = rng.permutation(features.n_rows), rng.permutation(6)
    again = Features(
        features.values[rows][:, columns],
        None,
        {int(np.flatnonzero(columns == 5)[0]): features.categories[5]},
    )
    assert (pairs_of(again, method=method, n_jobs=3) == found[np.ix_(columns, columns)]).all()
    y = np.where(np.isnan(features.values[:, 0]), 0.0, features.values[:, 0]) + rng.normal(size=len(rows))
    scores = mutual_info(features, y, method=method)
    assert (mutual_info(again, y[rows], method=method) == scores[columns]).all()


def test_complete_columns_do_not_notice_the_holes_of_others():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200), rng.normal(size=200).round(1)])
    X[:, 2] += X[:, 0].round(1)
    y = X[:, 0] > rng.normal(size=200)
    beside = np.column_stack([X, with_holes(X[:, :1], rng)])
    assert (pairs_of(beside)[:3, :3] == pairs_of(X)).all()
    assert (mutual_info(beside, y)[:3] == mutual_info(X, y)).all()


def test_pairs_and_targets_agree_about_columns_with_holes():
    features = mixed(np.random.default_rng(6))
    target = features.values[:, 4]
    scores = mutual_info(features, target, task="regression")
    assert scores == pytest.approx(pairs_of(features)[4], abs=1e-12)


@pytest.mark.parametrize("seed", mostly_slow(range(12), 4))
def test_the_chain_rule_pair_by_pair(seed):
    """Every kind of column with holes of its own, against estimates for tables of two complete columns."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 120))
    columns = [
        rng.normal(size=n),
        1e300 * rng.normal(size=n).round(1),
        rng.integers(0, 3, n).astype(float),
        rng.integers(0, 4, n).astype(float),
        rng.integers(0, n // 3, n).astype(float),
        1e6 + 1e-3 * rng.normal(size=n),
    ]
    X = np.column_stack(columns)
    X[:, 3] = np.where(rng.random(n) < 0.6, X[:, 2], X[:, 3])
    X[rng.random(X.shape) < rng.choice([0.0, 0.1, 0.5], X.shape[1])] = np.nan
    X[:, 5] = np.where(np.isnan(X[:, 0]), np.nan, X[:, 5])
    features = Features(X, None, {4: tuple(f"town {code}" for code in range(n // 3))})
    discrete = discrete_columns(features, "auto")
    known = ~np.isnan(X)
    found = pairs_of(features, warn=False)

    def of(i, j, rows, *, of_holes=False):
        other = known[rows, j].astype(float) if of_holes else X[rows, j]
        labels = {0: features.categories[4]} if i == 4 else {}
        if j == 4 and not of_holes:
            labels[1] = features.categories[4]
        two = Features(np.column_stack([X[rows, i], other]), None, labels)
        told = [discrete[i], of_holes or discrete[j]]
        if rows.sum() < 4:
            return 0.0
        return rows.mean() * pairs_of(two, discrete=told, warn=False)[0, 1]

    for i, j in combinations_with_replacement(range(6), 2):
        terms = [plug_in(known[:, i], known[:, j]), of(i, j, known[:, i] & known[:, j])]
        terms += [of(a, b, known[:, a], of_holes=True) for a, b in ((i, j), (j, i))]
        assert found[i, j] == pytest.approx(sum(terms), abs=1e-12), (i, j)
        assert found[i, j] == found[j, i]


@pytest.mark.parametrize("method", ["neighbors", "bins"])
def test_holes_that_tell_the_class_are_found(method):
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 400)
    noise = rng.normal(size=400)
    X = np.column_stack([np.where(y == 1, np.nan, noise), np.where(y == 1, np.nan, 7.0), noise])
    scores = mutual_info(X, y, method=method)
    assert scores[:2] == pytest.approx([plug_in(y, y)] * 2, abs=0.01)
    assert scores[2] < 0.05
    assert symmetrical_uncertainty(X, y)[1] == pytest.approx(1.0)
    # In the pair, too: both columns are missing in the same rows.
    assert pairs_of(X, method=method)[0, 1] == pytest.approx(plug_in(y, y), abs=0.01)


def test_bins_have_one_more_for_holes():
    rng = np.random.default_rng(10)
    X = with_holes(np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 3, 200)]), rng)
    y = np.where(np.isnan(X[:, 0]), 1, X[:, 1] > 0).astype(int)
    cut = np.column_stack([bin_column(X[:, 0], 4), bin_column(X[:, 1], 4), codes_of(X[:, 2])])
    assert cut[:, 0].max() == 4
    known = ~np.isnan(X[:, 0])
    assert (cut[known, 0] == bin_column(X[known, 0], 4)).all()
    expected = [plug_in(column, y) for column in cut.T]
    assert mutual_info(X, y, method="bins", n_bins=4) == pytest.approx(expected)
    assert pairs_of(X, method="bins", n_bins=4) == pytest.approx(plug_in_pairs(cut))
    entropies = np.array([plug_in(column, column) for column in cut.T])
    shares = 2 * np.array(expected) / (entropies + plug_in(y, y))
    assert symmetrical_uncertainty(X, y, n_bins=4) == pytest.approx(shares)
    shares = 2 * plug_in_pairs(cut) / (entropies[:, None] + entropies)
    assert pairs_of(X, "symmetrical_uncertainty", n_bins=4) == pytest.approx(shares)


def test_few_values_are_counted_among_the_known_ones():
    column = np.append(np.arange(80) % 4, [np.nan] * 20).astype(float)
    assert discrete_columns(Features(column[:, None]), "auto").tolist() == [True]
    # Four values of five rows each are too few rows.
    column[20:] = np.nan
    assert discrete_columns(Features(column[:, None]), "auto").tolist() == [False]


@pytest.mark.parametrize("n_known", [0, 1, 2, 3, 4, 5])
def test_columns_of_which_hardly_anything_is_known(n_known):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 3))
    X[n_known:, 0] = np.nan
    X[: 30 - n_known, 2] = np.nan
    y = rng.integers(0, 2, 30)
    for method in ("neighbors", "bins"):
        scores = mutual_info(X, y, method=method)
        pairs = pairs_of(X, method=method, warn=False)
        for found in (scores, pairs):
            assert np.isfinite(found).all()
            assert (found >= 0).all()
        assert (scores[0] == 0) or n_known
        # The two columns are never known together, and missing in rows that depend on each other.
        assert pairs[0, 2] >= plug_in(np.isnan(X[:, 0]), np.isnan(X[:, 2])) - 1e-12 or n_known == 0
    for measure in ("pearson", "spearman"):
        found = pairs_of(X, measure, warn=False)
        assert found[0, 2] == 0
        assert found[0, 0] == pytest.approx(float(n_known > 1))


def test_parity_has_no_holes():
    X = [[1.0, np.nan], [2.0, 1.0], [3.0, 2.0], [4.0, 3.0]]
    message = r"mutual_info \(method='sklearn'\) cannot deal with missing values \(column 1: 1\); fill them in, or use"
    with pytest.raises(InputError, match=message):
        mutual_info(X, [0, 1, 0, 1], method="sklearn")
    with pytest.raises(InputError, match=message):
        pairs_of(X, method="sklearn")


def test_progress_with_holes_rises_to_one():
    rng = np.random.default_rng(12)
    X = with_holes(rng.normal(size=(100, 12)), rng, 0.5)
    X[4:, 0] = np.nan
    for ask in (pairs_of, lambda X, **more: mutual_info(X, rng.normal(size=100), **more)):
        shares = []
        ask(X, callback=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


# --- Weights of rows ---
def repeats(rng, n):
    weights = rng.integers(0, 5, n)
    return weights, np.repeat(np.arange(n), weights)


@pytest.mark.parametrize("seed", range(4))
def test_whole_weights_are_rows_that_are_there_several_times(seed):
    rng = np.random.default_rng(seed)
    features = mixed(rng)
    weights, rows = repeats(rng, features.n_rows)
    again = features.rows(rows)
    y = features.values[:, 4] + rng.normal(size=features.n_rows)
    classes = (y > 1).astype(int)
    for target in (y, classes):
        for options in ({"method": "bins", "n_bins": 5}, {"method": "neighbors"}):
            found = mutual_info(features, target, sample_weight=weights, **options)
            assert found.tolist() == mutual_info(again, target[rows], **options).tolist()
        found = symmetrical_uncertainty(features, target, sample_weight=weights, n_bins=4)
        assert found.tolist() == symmetrical_uncertainty(again, target[rows], n_bins=4).tolist()
    for options in ({"method": "bins", "n_bins": 5}, {"measure": "symmetrical_uncertainty", "n_bins": 3}, {}):
        found = pairs_of(features, sample_weight=weights, **options)
        assert found.tolist() == pairs_of(again, **options).tolist()


def test_whole_weights_of_the_other_measures_of_pairs():
    rng = np.random.default_rng(13)
    X = with_holes(rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)), rng)
    weights, rows = repeats(rng, 80)

    def spread(matrix, target):
        return np.nanstd(matrix, axis=0) * np.nanmean(target)

    for measure in ("pearson", "spearman", spread):
        found = pairs_of(X, measure, sample_weight=weights, warn=False)
        assert found == pytest.approx(pairs_of(X[rows], measure, warn=False), abs=1e-12)
    y = rng.normal(size=80)
    found, _ = score(X, y, spread, sample_weight=weights)
    assert found == pytest.approx(spread(X[rows], y[rows]))


def test_any_weights_against_a_weighted_count():
    rng = np.random.default_rng(14)
    X = rng.integers(0, 3, (200, 3)).astype(float)
    X[:, 1] = np.where(rng.random(200) < 0.5, X[:, 0], X[:, 1])
    weights = rng.exponential(size=200)
    y = np.where(rng.random(200) < 0.5, X[:, 0], rng.integers(0, 2, 200)).astype(int)
    options = {"method": "bins", "discrete": True, "sample_weight": weights}
    expected = [plug_in(column, y, weights) for column in X.T]
    assert mutual_info(X, y, **options) == pytest.approx(expected)
    pairs = pairs_of(X, **options)
    assert pairs == pytest.approx(np.array([[plug_in(a, b, weights) for b in X.T] for a in X.T]))
    assert (pairs == pairs.T).all()
    # Only the ratios of weights matter, and rows without weight not at all.
    assert mutual_info(X, y, **{**options, "sample_weight": weights * 37.5}) == pytest.approx(expected)
    longer = {**options, "sample_weight": np.append(weights, 0.0)}
    assert mutual_info(np.vstack([X, [[9, 9, np.nan]]]), np.append(y, 5), **longer).tolist() == (
        mutual_info(X, y, **options).tolist()
    )


def test_bins_are_of_equal_weight_and_as_many_as_the_effective_rows_let():
    rng = np.random.default_rng(15)
    x, weights = rng.normal(size=1000), rng.uniform(0.5, 1.5, 1000)
    sums = np.bincount(bin_column(x, 8, weights).astype(int), weights)
    assert sums == pytest.approx(np.full(8, weights.sum() / 8), rel=0.02)
    few = np.where(np.arange(1000) < 27, 1000.0, 1e-6 * weights)
    assert effective_rows(few) == pytest.approx(27, abs=1e-3)
    entropy = pairs_of(x[:, None], method="bins", sample_weight=few)[0, 0]
    # The cube root of 27 bins of equal weight.
    assert entropy == pytest.approx(np.log(3), abs=0.01)
    assert pairs_of(x[:, None], method="bins")[0, 0] == pytest.approx(np.log(10), abs=0.01)


@pytest.mark.parametrize("method", ["neighbors", "bins"])
def test_equal_weights_change_nothing(method):
    rng = np.random.default_rng(16)
    features = mixed(rng)
    y = rng.normal(size=features.n_rows)
    for weight in (1, 1.0, 0.3, 4):
        weights = np.full(features.n_rows, weight)
        found = mutual_info(features, y, method=method, sample_weight=weights)
        assert found.tolist() == mutual_info(features, y, method=method).tolist()
        found = pairs_of(features, method=method, sample_weight=weights)
        assert found.tolist() == pairs_of(features, method=method).tolist()


def test_neighbours_with_other_weights_are_counted_in_bins_and_it_is_said_once(classes):
    X, y = classes
    weights = np.linspace(0.5, 1.5, len(y))
    binwise = mutual_info(X, y, method="bins", sample_weight=weights)
    with one_warning("counted in bins instead (method='bins')"):
        found = mutual_info(X, y, sample_weight=weights)
    assert found.tolist() == binwise.tolist()
    with one_warning("counted in bins"):
        pairs = pairs_of(X, sample_weight=weights)
    assert pairs.tolist() == pairs_of(X, method="bins", sample_weight=weights).tolist()
    for make in (Additive.from_data, MRMR.from_data, FCBF.from_data):
        with one_warning("counted in bins", here=False):
            quality = make(X, y, sample_weight=weights)
        assert getattr(quality, "relevance", getattr(quality, "scores", None)).tolist() == binwise.tolist()
    with one_warning("counted in bins", here=False):
        CFS.from_data(X, y, redundancy_measure="mutual_info", sample_weight=weights)


@pytest.mark.parametrize(("weights", "options", "message"), [
    ([1.0] * 119, {}, r"one number for each of the 120 rows; got shape \(119,\)"),
    ([-1.0] * 120, {}, "not finite numbers from 0 up, such as -1.0"),
    ([0.0] * 120, {}, "zero for all rows"),
    (["a"] * 120, {}, "sample_weight must hold one number for each row"),
    ([0.5] * 60 + [1.0] * 60, {"method": "sklearn"}, "takes whole numbers as weights .* sample_weight holds 0.5"),
    ([0.5] * 60 + [1.0] * 60, {"measure": "spearman"}, "spearman takes whole numbers"),
    ([0.5] * 60 + [1.0] * 60, {"measure": lambda X, y: X[0]}, "a function as measure takes whole numbers"),
])  # fmt: skip
def test_weights_that_are_refused(classes, weights, options, message):
    X, y = classes
    with pytest.raises(InputError, match=message):
        pairs_of(X, sample_weight=weights, **options)
    with pytest.raises(InputError, match=message):
        score(X, y, sample_weight=weights, **options)


@pytest.mark.parametrize("make", [Additive.from_data, MRMR.from_data, FCBF.from_data, CFS.from_data])
@pytest.mark.parametrize("measure", ["symmetrical_uncertainty", "pearson", "spearman", "mutual_info"])
def test_qualities_take_weights(make, measure):
    rng = np.random.default_rng(17)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
    y = X[:, 0] + rng.normal(size=60)
    weights, rows = repeats(rng, 60)
    options = {"n_bins": 3} if measure == "symmetrical_uncertainty" else {}
    weighted = make(X, y, measure=measure, sample_weight=weights, **options)
    repeated = make(X[rows], y[rows], measure=measure, **options)
    plain = make(X, y, measure=measure, **options)
    for size in (1, 2):
        one, other = weighted.form(size), repeated.form(size)
        assert one.linear == pytest.approx(other.linear, abs=1e-12)
        assert one.pairs is None or one.pairs == pytest.approx(other.pairs, abs=1e-12)
        assert one.linear != pytest.approx(plain.form(size).linear, abs=1e-6)


# --- Correlations of pairs ---
@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_correlations_in_rows_where_both_are_known(measure):
    rng = np.random.default_rng(18)
    X = with_holes(rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)), rng)
    X[:, 3] = np.where(np.isnan(X[:, 1]), np.nan, X[:, 3]).round()
    X[:, 4] = 1e8 + 1e-3 * codes_of(X[:, 4])
    found = pairs_of(X, measure, warn=False)
    assert found == pytest.approx(pd.DataFrame(X).corr(measure).abs().to_numpy(), abs=1e-6)
    assert (found == found.T).all()
    complete = with_holes(X, rng, 0.0)[:, [4]]
    assert pairs_of(complete, measure).tolist() == [[pytest.approx(1)]]


def test_weighted_correlations_with_holes():
    rng = np.random.default_rng(19)
    X = with_holes(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)), rng)
    weights = rng.random(60)
    found = pairs_of(X, "pearson", sample_weight=weights, warn=False)
    for i, j in ((0, 1), (1, 2), (2, 2)):
        rows = ~np.isnan(X[:, [i, j]]).any(axis=1)
        cov = np.cov(X[rows][:, [i, j]].T, aweights=weights[rows])
        assert found[i, j] == pytest.approx(abs(cov[0, 1]) / np.sqrt(cov[0, 0] * cov[1, 1]))


def test_a_column_that_varies_only_where_the_other_is_missing():
    x = np.array([0.1, 0.1, 0.1, 0.1, 7.0, 9.0])
    z = np.array([1.0, 2.0, 3.0, 5.0, np.nan, np.nan])
    for measure in ("pearson", "spearman"):
        found = pairs_of(np.column_stack([x, z]), measure, warn=False)
        assert found == pytest.approx(np.eye(2), abs=1e-12)


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_two_categories_are_0_and_1_and_more_are_refused(measure):
    frame = pd.DataFrame({"sex": list("mfmffm"), "x": [1.0, 5.0, 2.0, 4.0, 6.0, 3.5], "town": list("abcabc")})
    found = pairs_of(frame[["sex", "x"]], measure)
    assert found == pytest.approx(pairs_of(frame[["sex", "x"]].assign(sex=frame.sex == "m"), measure))
    message = (
        r"correlation needs numbers or two categories, but town is text .* use symmetrical_uncertainty or"
    )
    with pytest.raises(InputError, match=message):
        pairs_of(frame, measure)


# --- The doors ---
def people(rng, n=90):
    y = rng.integers(0, 2, n)
    age = 40 + 10 * y + rng.normal(size=n)
    weight = 70 + rng.normal(size=n)
    age[:3], weight[5:15] = np.nan, np.nan
    return pd.DataFrame(
        {"age": age, "sex": np.where(y ^ (rng.random(n) < 0.2), "m", "f"), "weight": weight}
    ), y


LEAVES_OUT = "missing values (age: 3, weight: 10): {} leaves out these rows, feature by feature."


@pytest.mark.parametrize("measure", ["f", "pearson", "spearman"])
def test_rows_that_are_left_out_are_named_in_one_warning(measure):
    frame, y = people(np.random.default_rng(20))
    with one_warning(LEAVES_OUT.format(measure)):
        scores, names = score(frame, y, measure)
    assert names == list(frame)
    known = frame.age.notna()
    alone, _ = score(frame[known][["age"]], y[known], measure)
    assert scores[0] == pytest.approx(alone[0])
    if measure != "f":
        with one_warning(LEAVES_OUT.format(measure)):
            pairs_of(frame, measure)
        with one_warning(LEAVES_OUT.format(measure), here=False):
            CFS.from_data(frame, y, measure=measure)


def test_measures_that_leave_out_nothing_do_not_warn():
    frame, y = people(np.random.default_rng(21))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(frame, y)
        pairs_of(frame, "symmetrical_uncertainty")
        score(frame, y, [1.0, 2.0, 3.0])
        MRMR.from_data(frame, y)
        pairs_of(frame, "pearson", warn=False)
    assert caught == []


@pytest.mark.parametrize(("options", "who"), [
    ({"measure": "f", "redundancy_measure": "pearson"}, "f"),
    ({"measure": "mutual_info", "redundancy_measure": "pearson"}, "pearson"),
    ({"measure": [1.0, 2.0, 3.0], "redundancy_measure": "spearman"}, "spearman"),
    ({"measure": "pearson", "redundancy_measure": "mutual_info"}, "pearson"),
])  # fmt: skip
def test_one_warning_where_relevance_and_pairs_are_measured_apart(options, who):
    frame, y = people(np.random.default_rng(22))
    with one_warning(LEAVES_OUT.format(who), here=False):
        MRMR.from_data(frame, y, **options)
    with pytest.warns(UserWarning, match=r"\(a: 3, w: 10\)"):
        MRMR.from_data(frame, y, feature_names=["a", "s", "w"], **options)


def test_constant_means_no_variation_at_all(warned):
    X = np.array([[1.0, 5.0, 5.0, np.nan, -0.0], [2.0, 5.0, np.nan, np.nan, 0.0]])
    assert constant_columns(X).tolist() == [False, True, False, True, True]
    frame = pd.DataFrame({"a": [1.0, 2, 3, 5], "none": [None] * 4, "town": ["x"] * 4, "b": [None, 3, 1, 1]})
    with one_warning("some columns are constant (none, town);"):
        scores, _ = score(frame, [0, 1, 0, 1], "symmetrical_uncertainty")
    assert scores[1:3].tolist() == [0, 0]
    with warned(UserWarning):
        pairs = pairs_of(frame, "symmetrical_uncertainty")
    assert not pairs[1:3].any()
    # Rows without weight do not count.
    with pytest.warns(UserWarning, match=r"constant \(b\)"):
        score(frame[["a", "b"]], [0, 1, 0, 1], "symmetrical_uncertainty", sample_weight=[0, 0, 1, 1])


def test_copies_with_holes_and_categories(warned):
    other_nan = np.frombuffer(np.uint64(0xFFF8000000000001).tobytes(), dtype=np.float64)[0]
    assert np.isnan(other_nan)
    X = np.array([[1.0, 1.0, 1.0], [np.nan, other_nan, 2.0], [3.0, 3.0, 3.0]])
    assert copies_in(Features(X)) == [[0, 1]]
    frame = pd.DataFrame(
        {
            "colour": ["red", "blue", None, "red"],
            "Farbe": ["rot", "blau", "?", "rot"],
            "number": [0, 1, 2, 0],
            "other": ["red", "blue", "blue", "red"],
        }
    )
    assert copies_in(features_of(frame)) == [[0, 1]]
    with warned(UserWarning):
        score(frame, [0, 1, 0, 1])


def test_a_function_gets_numbers_with_holes():
    frame, y = people(np.random.default_rng(23))
    seen = []

    def spread(matrix, target):
        seen.append(matrix)
        return np.nanstd(matrix, axis=0)

    scores, _ = score(frame, y, spread)
    assert np.isnan(seen[0]).sum() == 13
    assert seen[0][:, 1].tolist() == (frame.sex == "m").astype(float).tolist()
    assert scores == pytest.approx(np.nanstd(seen[0], axis=0))
    assert pairs_of(frame, spread)[1] == pytest.approx(scores)


def test_a_function_that_cannot_do_with_holes_or_labels(refused):
    frame, y = people(np.random.default_rng(24))
    message = r"returned no number \(nan\) for age, weight; fill them in, or use a measure that takes them"
    with pytest.raises(InputError, match=message):
        score(frame, y, lambda X, y: X.mean(axis=0))
    with pytest.raises(InputError, match=message):
        pairs_of(frame, lambda X, y: X.mean(axis=0))
    with refused(InputError):
        score(frame, y, f_classif)
    with refused(InputError):
        score(frame.assign(town=list("abc") * 30), y, lambda X, y: X[0])
    with refused(InputError):
        score([[1.0], [2.0]], [0, 1], lambda X, y: [np.nan])
    with pytest.raises(ValueError, match="my own"):
        score_by(raise_own, Features(np.eye(2)), y)
    # Nobody asks for the score of a constant.
    with pytest.warns(UserWarning, match="constant"):
        assert score([[1.0], [1.0]], [0, 1], lambda X, y: [np.nan])[0].tolist() == [0.0]


def raise_own(X, y):
    raise ValueError("my own")


def test_given_numbers_do_not_look_at_the_table():
    frame, y = people(np.random.default_rng(25))
    frame["town"] = list("abc") * 30
    weights = np.linspace(0.5, 1.5, 90)
    assert score(frame, y, [1, 2, 3, 4], sample_weight=weights)[0].tolist() == [1, 2, 3, 4]
    assert pairs_of(frame, np.eye(4), sample_weight=weights).tolist() == np.eye(4).tolist()


def test_a_frame_with_everything_goes_through_every_quality():
    frame, y = people(np.random.default_rng(26))
    frame["town"] = np.array(["Rome", "Oslo", None], dtype=object)[np.arange(90) % 3]
    for make in (Additive.from_data, MRMR.from_data, FCBF.from_data):
        quality = make(frame, y)
        assert quality.feature_names == ["age", "sex", "weight", "town"]
        assert quality.evaluate((0,)) > quality.evaluate((1,)) > quality.evaluate((3,))
    quality = CFS.from_data(frame, y, measure="symmetrical_uncertainty")
    assert quality.evaluate((0, 1)) > quality.evaluate((2, 3))
    assert (stats.rankdata(measures.score(frame, y)[0])[:2] >= 3).all()


@pytest.mark.parametrize("missing", [[], [None]])
def test_huge_whole_numbers_of_frames_are_refused_beside_missing_values(missing):
    column = [2**60, 2**60 + 1, *missing]
    for frame in (
        pa.table({"a": column}),
        pl.DataFrame({"a": column}),
        pd.DataFrame({"a": column}, dtype="Int64"),
    ):
        with pytest.raises(InputError, match="1152921504606846977"):
            features_of(frame)
