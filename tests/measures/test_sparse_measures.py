"""Sparse tables: every measure says of them what it says of the same table, dense."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import altsets
from altsets import measures
from altsets.errors import InputError
from altsets.measures import MEASURES, SURVIVAL_MEASURES, Redundancy, noise_floor, pairwise, score
from altsets.measures.sparse_columns import UnitColumns
from altsets.tables.feature_matrix import SPARSE_MEASURES

CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def table(seed, n_rows=80, n_columns=14, *, missing=False):
    """Columns of many kinds: counts, fractions, negative, mostly or never zero, constant, and a copy."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(n_rows, n_columns)).astype(float)
    X[:, 1] = 0.0
    X[:, 2] = 7.0
    X[:, 3] = rng.normal(1000.0, 1.0, n_rows)
    X[:, 4] *= rng.normal(size=n_rows)
    X[:, 5] = np.where(rng.random(n_rows) < 0.1, rng.normal(size=n_rows), 0.0)
    X[:, 6] = -X[:, 5]
    X[:, 7] = rng.integers(1, 4, n_rows)
    X[:, 8] = X[:, 0]
    X[0, 9] = 5.0
    X[:, 10] = rng.permutation(n_rows) * 1e-3
    X[:, 11] = np.where(rng.random(n_rows) < 0.3, 1e5, 0.0)
    if missing:
        X[rng.integers(0, n_rows, 3), 5] = np.nan
        X[::7, 7] = np.nan
        X[:, 12] = np.nan
        X[3, 0] = np.nan
    return X


def classes(seed, n_rows=80):
    return np.random.default_rng(seed + 1).choice(["a", "b", "c"], n_rows, p=[0.5, 0.3, 0.2])


def two_classes(seed, n_rows=80):
    return np.random.default_rng(seed + 1).choice(["a", "b"], n_rows)


def numbers(seed, n_rows=80):
    return np.random.default_rng(seed + 2).normal(size=n_rows)


def weights(seed, kind, n_rows=80):
    rng = np.random.default_rng(seed + 3)
    return {None: None, "whole": rng.integers(0, 4, n_rows), "any": rng.exponential(size=n_rows)}[kind]


CASES = [
    (measure, target, weighed, options)
    for measure, options in [
        ("f", {}),
        ("pearson", {}),
        ("spearman", {}),
        ("chi2", {}),
        ("mutual_info", {}),
        ("mutual_info", {"method": "bins"}),
        ("mutual_info", {"method": "bins", "n_bins": 7, "discrete": False}),
        ("mutual_info", {"method": "bins", "discrete": True}),
        ("symmetrical_uncertainty", {}),
    ]
    for target in (classes, two_classes, numbers)
    for weighed in (None, "whole", "any")
    if not (measure == "spearman" and weighed == "any")
    and not (measure in ("pearson", "spearman") and target is classes)
    and not (measure == "chi2" and target is numbers)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("measure", "target", "weighed", "options"), CASES)
def test_measures_say_the_same_of_sparse_and_of_dense_tables(measure, target, weighed, options, missing):
    X, y, w = table(7, missing=missing), target(7), weights(7, weighed)
    if measure == "chi2":
        X = np.abs(X)
    dense = MEASURES[measure](X, y, sample_weight=w, **options)
    found = MEASURES[measure](sparse.csr_array(X), y, sample_weight=w, **options)
    np.testing.assert_allclose(found, dense, **CLOSE)
    assert found[1] == found[2] == 0.0


@pytest.mark.parametrize("measure", [*SPARSE_MEASURES, *SURVIVAL_MEASURES])
def test_measures_of_named_sparse_tables_in_several_blocks(measure, monkeypatch):
    monkeypatch.setattr("altsets.measures.sparse_columns.AT_A_TIME", 50)
    monkeypatch.setattr("altsets.measures.sparse_columns.DENSE_CELLS", 200)
    monkeypatch.setattr("altsets.measures.information.levels.AT_A_TIME", 50)
    X, y = np.abs(table(3)), two_classes(3)
    if measure in SURVIVAL_MEASURES:
        y = altsets.io.survival_target(time=np.arange(len(X)) % 7, event=y, event_value="b")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense, _ = score(X, y, measure)
        found, names = score(sparse.csc_matrix(X), y, measure, feature_names=[f"g{j}" for j in range(14)])
    np.testing.assert_allclose(found, dense, **CLOSE)
    assert names == [f"g{j}" for j in range(14)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighed", [None, "whole", "any"])
@pytest.mark.parametrize(("measure", "options"), [
    ("pearson", {}), ("spearman", {}), ("mutual_info", {"method": "bins"}), ("mutual_info", {}),
    ("mutual_info", {"discrete": True}), ("symmetrical_uncertainty", {}),
    ("symmetrical_uncertainty", {"discrete": False, "n_bins": 5}),
])  # fmt: skip
def test_pairs_say_the_same_of_sparse_and_of_dense_tables(measure, options, weighed):
    # Ranks have no weights but whole numbers.
    X, w = table(11), weights(11, "whole" if measure == "spearman" and weighed else weighed)
    dense = pairwise(X, measure, sample_weight=w, **options)
    found = pairwise(sparse.csr_matrix(X), measure, sample_weight=w, **options)
    np.testing.assert_allclose(found, dense, **CLOSE)
    assert (found == found.T).all()
    on_demand = Redundancy(sparse.csr_matrix(X), measure, sample_weight=w, **options)
    without = dense - np.diag(np.diag(dense))
    np.testing.assert_allclose(on_demand[3], without[3], **CLOSE)
    np.testing.assert_allclose(
        on_demand[np.ix_([0, 5, 9], [5, 2, 7])], without[np.ix_([0, 5, 9], [5, 2, 7])], **CLOSE
    )
    np.testing.assert_allclose(on_demand[[0, 4], [3, 6]], without[[0, 4], [3, 6]], **CLOSE)


def test_pairs_with_missing_values_are_counted_or_refused(refused):
    X = table(5, missing=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense, found = (pairwise(Z, "symmetrical_uncertainty") for Z in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(found, dense, **CLOSE)
    with refused(InputError):
        pairwise(sparse.csr_array(X), "pearson")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("array", [sparse.csr_array, sparse.csr_matrix])
def test_formats(kind, array):
    X, y = np.abs(table(1)), two_classes(1)
    given = array(X).asformat(kind)
    np.testing.assert_allclose(measures.chi2(given, y), measures.chi2(X, y), **CLOSE)
    assert given.format == kind
    assert (given.toarray() == X).all()


def test_explicit_zeros_duplicates_and_long_indices_change_nothing():
    rows, columns = np.array([0, 0, 1, 3, 3, 2]), np.array([0, 0, 1, 1, 0, 1])
    data = np.array([1.0, 2.0, 0.0, 4.0, 0.0, 5.0])
    given = sparse.csr_array((data, columns[np.argsort(rows, kind="stable")], [0, 2, 3, 4, 6]), shape=(4, 2))
    given.indices = given.indices.astype(np.int64)
    given.indptr = given.indptr.astype(np.int64)
    before = given.copy()
    dense = given.toarray()
    y = [0.0, 1.0, 2.0, 4.0]
    for measure in (measures.pearson, measures.spearman, measures.symmetrical_uncertainty):
        np.testing.assert_allclose(measure(given, y), measure(dense, y), **CLOSE)
    assert given.nnz == before.nnz
    assert (given.data == before.data).all()


def test_frames_with_sparse_columns():
    X, y = table(2), numbers(2)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(14)]).astype(pd.SparseDtype(float, 0.0))
    frame["whole"] = pd.arrays.SparseArray(np.arange(80) % 3, fill_value=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, names = score(frame, y, "spearman")
        dense, _ = score(frame.sparse.to_dense(), y, "spearman")
    assert names == list(frame.columns)
    np.testing.assert_allclose(found, dense, **CLOSE)


def test_frames_that_leave_out_missing_values_are_dense_ones():
    frame = pd.DataFrame(
        {"a": pd.arrays.SparseArray([1.0, np.nan, 3.0, 5.0, 4.0]), "b": [1.0, 2.0, 1.0, 2.0, 5.0]}
    )
    frame["b"] = frame["b"].astype(pd.SparseDtype(float, np.nan))
    y = [1.0, 5.0, 2.0, 3.0, 2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(
            measures.pearson(frame, y), measures.pearson(frame.astype(float), y), **CLOSE
        )


def test_all_zero_columns_and_copies_are_named(snapshot):
    X = sparse.csr_array(table(4)[:, [0, 1, 4, 8]])
    with pytest.warns(UserWarning, match="columns are") as said:
        found, _ = score(X, two_classes(4), "f")
    texts = [str(one.message) for one in said]
    assert any("constant (column 1)" in text for text in texts)
    assert list(texts) == snapshot
    assert found[1] == 0.0
    assert found[0] == found[3]


BAD = {
    "negative": (
        lambda: sparse.csr_array([[1, -1], [0, 2], [1, 0]]),
        "1 column.s. hold negative values .column 1",
    ),
    "infinite": (
        lambda: sparse.csr_array([[1, np.inf], [0, 2], [1, 0]]),
        "column 1 holds 1 infinite value; drop",
    ),
    "too large": (
        lambda: sparse.csr_array(np.array([[2**53 + 1, 0], [0, 2], [1, 0]])),
        "column 0 holds whole numbers as large as 9007199254740993, which floats cannot tell apart",
    ),
    "too large in a frame": (
        lambda: pd.DataFrame({"n": pd.arrays.SparseArray([0, -(2**60), 3], fill_value=0)}),
        "n holds whole numbers as large as -1152921504606846976",
    ),
    "complex": (lambda: sparse.csr_array([[1j, 0], [0, 2], [1, 0]]), "Complex data not supported"),
    "no rows": (lambda: sparse.csr_array((0, 3)), "X is empty: 0 sample"),
    "no columns": (lambda: sparse.csr_array((3, 0)), "X is empty: 0 feature"),
    "one dimension": (
        lambda: sparse.coo_array(np.array([1, 0, 2])),
        "X must be a table with rows and columns",
    ),
    "damaged": (lambda: damaged(), "X is a damaged sparse matrix: .*; make it anew"),
}


def damaged():
    X = sparse.csr_array(np.eye(3))
    X.indices[1] = 99
    return X


@pytest.mark.parametrize("bad", BAD)
def test_bad_input_is_refused_in_one_sentence(bad):
    make, message = BAD[bad]
    with pytest.raises(InputError, match=message) as caught:
        measures.chi2(make(), ["a", "b", "b"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("call", "name"), [
    (lambda X, y: measures.relief(X, y), "relief"),
    (lambda X, y: measures.permutation(X, y), "permutation"),
    (lambda X, y: measures.mutual_info(X, y, method="sklearn"), "mutual_info .method='sklearn'."),
    (lambda X, y: pairwise(X, "mutual_info"), "mutual_info of pairs by nearest neighbours"),
    (lambda X, y: Redundancy(X, "mutual_info"), "mutual_info of pairs by nearest neighbours"),
])  # fmt: skip
def test_what_needs_density_refuses_and_says_what_works(call, name, monkeypatch, refused):
    monkeypatch.setattr("altsets.measures.sparse_columns.DENSE_CELLS", 1_000)
    with refused(InputError):
        call(sparse.csr_array(table(6)), two_classes(6))


def test_functions_get_the_sparse_table(refused):
    from sklearn.feature_selection import chi2, f_classif

    X, y = np.abs(table(8))[:, [0, 4, 5, 9, 11]], two_classes(8)
    for function in (chi2, f_classif):
        found, _ = score(sparse.csr_array(X), y, function)
        np.testing.assert_allclose(found, function(X, y)[0], rtol=1e-9)
    with refused(InputError):
        score(sparse.csr_array(X), y, refusing)


def refusing(X, y):
    raise TypeError("oh")


def test_importance_of_models_that_take_sparse_tables(refused):
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    X, y = np.abs(table(8))[:, [0, 4, 5, 9]], two_classes(8)
    for model in (None, LogisticRegression()):
        dense, found = (measures.importance(Z, y, estimator=model) for Z in (X, sparse.csr_array(X)))
        np.testing.assert_allclose(found, dense, atol=1e-6)
    with refused(InputError):
        measures.importance(sparse.csr_array(X), y, estimator=HistGradientBoostingClassifier())


def test_correlations_do_not_depend_on_units_or_far_means():
    X = table(9)[:, [3, 5, 11]]
    for factor in (1e-300, 1e300):
        found = UnitColumns(sparse.csc_array(X * factor), None, ranked=False).rows(np.arange(3))
        np.testing.assert_allclose(found, pairwise(X, "pearson"), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_noise_floors_are_like_those_of_dense_tables():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.2, (200, 300)).astype(float), rng.choice(["a", "b"], 200)
    for measure in ("f", "mutual_info"):
        dense, found = (noise_floor(Z, y, measure) for Z in (X, sparse.csr_array(X)))
        assert np.median(found) == pytest.approx(np.median(dense), rel=0.4)
