"""Weights of rows: whole ones are repeated rows, others are in between; and categories as columns of a model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from altsets.errors import InputError
from altsets.measures import chi2, f_score, importance, pearson, permutation, relief, spearman
from altsets.measures.models import fit, fresh_model, splits_of
from altsets.quality import Wrapper
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import encode
from altsets.tables.target import target_of
from altsets.tables.weights import counted, repeated, weights_of, whole

#: Measures with what they take of a table that has everything.
TAKERS = [
    (f_score, ["a", "b", "sex"]),
    (pearson, ["a", "b", "sex"]),
    (chi2, ["b", "town", "sex"]),
    (spearman, ["a", "b", "sex"]),
    (relief, ["town", "sex"]),
    (importance, ["a", "b", "town", "sex"]),
]
takers = pytest.mark.parametrize(("measure", "columns"), TAKERS, ids=[taker[0].__name__ for taker in TAKERS])


@pytest.mark.parametrize(("weights", "message"), [
    ([1, 2], r"each of the 3 rows; got shape \(2,\)"),
    ([[1, 2, 3]], r"got shape \(1, 3\)"),
    (["a", "b", "c"], "one number for each row"),
    ([1, -2, 3], r"1 value\(s\) that are not finite numbers from 0 up, such as -2.0"),
    ([1, np.nan, np.inf], r"2 value\(s\)"), ([0, 0, 0], "zero for all rows"),
])  # fmt: skip
def test_weights_that_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        weights_of(weights, 3)


def test_weights_come_from_any_library():
    assert weights_of(None, 3) is None
    assert weights_of(pd.Series([1, 2], dtype="Int64"), 2).tolist() == [1.0, 2.0]
    assert whole(np.array([0.0, 3.0]))
    assert not whole(np.array([1.0, 2.5]))


def test_labels_of_rows_that_are_not_there_are_forgotten():
    features = features_of([["b", 1], ["a", 2], ["c", 3], ["b", 4]])
    table, y = repeated(features, [1, 2, 3, 4], np.array([2.0, 0, 1, 0]))
    assert table.values.tolist() == [[0, 1], [0, 1], [1, 3]]
    assert table.categories == {0: ("b", "c")}
    assert y.tolist() == [1, 1, 3]
    table, y, weights = counted(features, pd.Series(list("uvwx"), dtype="category"), [1, 0, 1, 1])
    assert (y.tolist(), weights) == (["u", "w", "x"], None)
    assert features.categories == {0: ("a", "b", "c")}


def test_too_many_repeated_rows_are_refused():
    with pytest.raises(InputError, match="too many"):
        repeated(features_of([[1.0], [2.0]]), [0, 1], np.array([1e12, 1.0]))


@takers
def test_whole_weights_are_repeated_rows(mixed, measure, columns):
    if measure is importance:
        pytest.skip("equally good splits of a tree are told apart by rounding")
    frame, classes, amounts = mixed
    weights = np.random.default_rng(1).integers(0, 4, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    for y in [pd.Series(classes)] if measure is chi2 else [pd.Series(classes), amounts]:
        expected = measure(frame[columns].iloc[rows], y.iloc[rows])
        assert measure(frame[columns], y, sample_weight=weights) == pytest.approx(expected)


def test_weighted_analysis_of_variance_over_categories(mixed):
    frame, _, amounts = mixed
    weights = np.random.default_rng(2).integers(0, 4, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    expected = f_score(frame.iloc[rows], amounts.iloc[rows])
    assert f_score(frame, amounts, sample_weight=weights) == pytest.approx(expected)


@takers
def test_weights_of_one_and_rows_of_weight_nothing_change_no_bit(mixed, measure, columns):
    frame, classes, _ = mixed
    X = frame[columns]
    expected = measure(X, classes)
    assert measure(X, classes, sample_weight=np.ones(len(X))).tolist() == expected.tolist()
    more = pd.concat([X, X.iloc[:30].sample(frac=1, random_state=0)], ignore_index=True)
    y = np.append(classes, 1 - classes[:30])
    there = np.append(np.ones(len(X)), np.zeros(30))
    assert measure(more, y, sample_weight=there).tolist() == expected.tolist()


@pytest.mark.parametrize("measure", [f_score, pearson, chi2])
def test_weights_between_whole_numbers(mixed, measure):
    frame, classes, _ = mixed
    weights = np.random.default_rng(3).integers(1, 9, len(frame))
    X = frame[["b", "sex"]]
    halves = measure(X, classes, sample_weight=weights / 2)
    if measure is pearson:
        assert halves == pytest.approx(measure(X, classes, sample_weight=weights))
    elif measure is chi2:
        assert halves == pytest.approx(measure(X, classes, sample_weight=weights) / 2)
    else:
        # The ratio is proportional to the degrees of freedom, which the weights of the known rows make.
        known = [weights[frame["b"].notna()].sum(), weights.sum()]
        shares = [(total / 2 - 2) / (total - 2) for total in known]
        assert halves == pytest.approx(measure(X, classes, sample_weight=weights) * shares)


def test_pearson_with_weights_is_that_of_numpy(amounts):
    X, y = amounts
    weights = np.random.default_rng(4).random(len(y))
    expected = []
    for column in X.T:
        table = np.cov(column, y, aweights=weights)
        expected.append(abs(table[0, 1]) / np.sqrt(table[0, 0] * table[1, 1]))
    assert pearson(X, y, sample_weight=weights) == pytest.approx(expected)
    assert pearson(1e6 + X, 1e300 * y, sample_weight=1e-5 * weights) == pytest.approx(expected)


def test_weighted_perfect_features_rank_first(classes):
    X, y = classes
    weights = np.random.default_rng(5).random(len(y)) + 0.5
    scores = f_score(np.column_stack([X, y == 1, y]), y, sample_weight=weights)
    assert scores[5:] == pytest.approx([2 * scores[:5].max()] * 2)


@pytest.mark.parametrize("measure", [spearman, relief])
def test_measures_that_know_no_weights_refuse_fractions(classes, measure, refused):
    X, y = classes
    with refused(InputError):
        measure(X, (y > 0).astype(int), sample_weight=np.append(0.5, np.ones(len(y) - 1)))


def test_f_needs_more_weight_than_classes(classes, refused):
    X, y = classes
    with refused(InputError):
        f_score(X, y, sample_weight=np.full(len(y), 1 / len(y)))


# --- Models ---
def test_encoded_columns_are_those_of_scikit_learn(mixed):
    frame = mixed[0]
    table = encode(features_of(frame))
    one_hot = OneHotEncoder(drop="if_binary", sparse_output=False).fit_transform(frame[["town", "sex"]])
    assert table.owners.tolist() == [0, 1, 2, 2, 2, 3]
    assert np.array_equal(table.matrix, np.column_stack([frame[["a", "b"]], one_hot]), equal_nan=True)
    assert table.columns_of((2, 3)).tolist() == [2, 3, 4, 5]
    assert table.columns_of((3, 0)).tolist() == [5, 0]
    assert table.total(np.arange(12).reshape(2, 6)).tolist() == [[0, 1, 9, 5], [6, 7, 27, 11]]


def test_hundreds_of_categories_are_refused(refused):
    towns = [[f"town {number % 256}"] for number in range(600)]
    with refused(InputError):
        encode(features_of(towns))
    assert encode(features_of(towns[:255] * 3)).matrix.shape == (765, 255)


MODELS = [
    DecisionTreeClassifier(random_state=0),
    LogisticRegression(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), make_pipeline("passthrough", LogisticRegression())),
    GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]}),
]


@pytest.mark.parametrize("model", MODELS)
def test_every_part_of_a_model_gets_the_weights(classes, model):
    X, y = classes
    weights = np.random.default_rng(6).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    expected = importance(X[rows], y[rows], estimator=model)
    assert importance(X, y, estimator=model, sample_weight=weights) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("model", [KNeighborsClassifier(), "neighbors"])
def test_models_without_weights_say_so(classes, model, refused):
    X, y = classes
    weights = np.arange(1.0, len(y) + 1)
    for work in (permutation, Wrapper.from_data):
        with refused(InputError):
            work(X, y, estimator=model, sample_weight=weights)


def test_a_weighted_fit_is_the_models_own(amounts):
    X, y = amounts
    weights = np.random.default_rng(7).random(len(y))
    ours = fit(fresh_model(LinearRegression(), False, 0), X, y, weights)
    assert ours.coef_.tolist() == LinearRegression().fit(X, y, sample_weight=weights).coef_.tolist()


@pytest.mark.parametrize("cv", [None, 3, KFold(4), GroupKFold(3), "listed", "flags"])
def test_splits_where_rows_are_not_there(classes, cv):
    X, y = classes
    kept = np.arange(len(y)) % 4 > 0
    target = target_of(y[kept], kept.sum())
    groups = np.arange(len(y)) % 5 if isinstance(cv, GroupKFold) else None
    if isinstance(cv, str):
        flags = np.arange(len(y)) < 40
        cv = [(~flags, flags) if cv == "flags" else (np.flatnonzero(~flags), np.flatnonzero(flags))]
        ((train, test),) = splits_of(cv, X[kept], target, 0, groups=groups, kept=kept)
        assert np.flatnonzero(kept)[train].tolist() == np.flatnonzero(kept & ~flags).tolist()
        assert np.flatnonzero(kept)[test].tolist() == np.flatnonzero(kept & flags).tolist()
        return
    found = splits_of(cv, X[kept], target, 0, groups=groups, kept=kept)
    expected = splits_of(cv, X[kept], target, 0, groups=None if groups is None else groups[kept])
    assert [[part.tolist() for part in pair] for pair in found] == [
        [part.tolist() for part in pair] for pair in expected
    ]


def test_weights_reach_the_score_of_permutations(classes):
    X, y = classes
    weights = np.random.default_rng(8).integers(1, 4, len(y)).astype(float)
    asked = []

    def judge(model, rows, expected, sample_weight=None):
        asked.append(sample_weight)
        return model.score(rows, expected, sample_weight=sample_weight)

    options = {"estimator": RandomForestClassifier(5), "n_repeats": 1, "n_jobs": 1}
    weighted = permutation(X, y, scoring=judge, sample_weight=weights, **options)
    assert all(set(found) <= {1.0, 2.0, 3.0} for found in asked)
    assert (
        weighted.tolist() == permutation(X, y, scoring="accuracy", sample_weight=weights, **options).tolist()
    )
    assert weighted.tolist() != permutation(X, y, scoring="accuracy", **options).tolist()
    # A scorer that knows no weights is asked without.
    plain = permutation(X, y, scoring=lambda model, rows, expected: 1.0, sample_weight=weights, **options)
    assert plain.tolist() == [0.0] * 5
