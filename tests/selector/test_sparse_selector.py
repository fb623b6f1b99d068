"""Sparse tables in the selector and in evaluations: the same sets and scores as of the same table, dense."""

from __future__ import annotations

import functools
import tracemalloc
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import altsets
from altsets import SelectAlternatives, quality
from altsets.constraints import Forbid
from altsets.dissimilarity import Matched
from altsets.errors import InputError


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(5)
    X = rng.poisson(0.3, (120, 30)).astype(float)
    X[:, 3] *= 0.5
    y = np.where(X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(0, 0.3, 120) > 0.5, "yes", "no")
    return X, y


QUALITIES = {
    "f": "f",
    "chi2": "chi2",
    "mutual_info": "mutual_info",
    "cfs": "cfs",
    "mrmr": "mrmr",
    "bins": functools.partial(quality.MRMR.from_data, measure="mutual_info", method="bins"),
    "wrapper": "wrapper",
    "model": LogisticRegression(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUALITIES)
def test_sparse_and_dense_tables_have_the_same_sets(counts, name):
    X, y = counts
    if name == "wrapper":
        X = X[:, :6]
    dense, found = (
        SelectAlternatives(QUALITIES[name], n_features=3, n_alternatives=2).fit(Z, y)
        for Z in (X, sparse.csr_array(X))
    )
    assert [each.names for each in found.alternatives_] == [each.names for each in dense.alternatives_]
    np.testing.assert_allclose(found.qualities_, dense.qualities_, rtol=1e-5 if name == "model" else 1e-12)
    assert found.note_ == dense.note_


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [None, "linear", LogisticRegression()], ids=["tree", "name", "own"])
def test_evaluations_of_sparse_and_dense_tables_agree(counts, estimator):
    X, y = counts
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1)
    dense, found = (
        altsets.evaluate(selector, Z, y, estimator=estimator, cv=3, n_repeats=1)
        for Z in (X, sparse.csc_matrix(X))
    )
    assert [fold.sets for fold in found.folds] == [fold.sets for fold in dense.folds]
    for one, other in zip(found.folds, dense.folds, strict=True):
        np.testing.assert_allclose(one.scores["matthews_corrcoef"], other.scores["matthews_corrcoef"])
    assert found.kinship == pytest.approx(dense.kinship)


@pytest.mark.filterwarnings("ignore:some columns")
def test_wide_tables_compare_pairs_on_demand(counts):
    X, y = sparse.random(60, 2_500, 0.05, format="csr", random_state=3), counts[1][:60]
    for measure in ("pearson", "symmetrical_uncertainty"):
        made = quality.MRMR.from_data(X, y, measure=measure)
        assert made.pairs_on_demand
        dense = quality.MRMR.from_data(X.toarray(), y, measure=measure)
        for chosen in ((0, 7, 2_499), (5, 11)):
            assert made.evaluate(chosen) == pytest.approx(dense.evaluate(chosen), abs=1e-12)


def test_transform_keeps_what_came_in(counts):
    X, y = counts
    selector = SelectAlternatives("f", n_features=3, n_alternatives=0).fit(sparse.csr_array(X), y)
    kept = selector.get_support(indices=True)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        found = selector.transform(kind(X))
        assert sparse.issparse(found)
        assert (found.toarray() == X[:, kept]).all()
    back = selector.inverse_transform(found)
    assert sparse.issparse(back)
    assert back.shape == X.shape
    assert (back.toarray()[:, kept] == X[:, kept]).all()
    assert back.sum() == X[:, kept].sum()
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)]).astype(pd.SparseDtype(float, 0.0))
    named = (
        SelectAlternatives("f", n_features=3, n_alternatives=0).fit(frame, y).set_output(transform="pandas")
    )
    assert named.transform(frame).columns.tolist() == [f"g{j}" for j in kept]
    assert hasattr(named.transform(frame), "sparse")


def test_in_pipelines_and_with_similarity(counts):
    X, y = counts
    selector = SelectAlternatives("f", n_features=3, dissimilarity=Matched("spearman", threshold=0.9))
    model = make_pipeline(selector, LogisticRegression()).fit(sparse.csr_array(X), y)
    assert model.score(sparse.csr_array(X), y) == model.score(X, y) > 0.6


def test_tag_says_what_the_quality_takes(refused):
    for name, takes in {"f": True, "wrapper": True, "relief": False, "permutation": False}.items():
        assert SelectAlternatives(name).__sklearn_tags__().input_tags.sparse == takes
    with refused(InputError):
        SelectAlternatives("relief").fit(sparse.csr_array(np.eye(10)), [0, 1] * 5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("measure", ["chi2", "mutual_info", "spearman"])
def test_wide_tables_are_never_dense(measure):
    X = sparse.random(5_000, 3_000, 0.001, format="csr", random_state=1).astype(bool)
    y = np.random.default_rng(2).choice(["a", "b"], 5_000)
    tracemalloc.start()
    quality.Additive.from_data(X, y, measure=measure)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The dense table would have 120 MB.
    assert most < 20e6


@pytest.mark.parametrize("measure", ["f", "mutual_info"])
def test_notes_of_sparse_tables_with_missing_values(measure, counts):
    X, y = counts
    X = X.copy()
    # A near-copy of the best feature, which comes into the second set.
    X[:, 1] = X[:, 0] + (np.arange(len(X)) % 40 == 0)
    X[::9, 0] = np.nan
    asked = {"n_features": 1, "n_alternatives": 2, "tau": 1, "constraints": [Forbid([2])]}
    with pytest.warns(UserWarning, match="missing values") if measure == "f" else nullcontext():
        of_sparse = SelectAlternatives(measure, **asked).fit(sparse.csr_array(X), y).result_
        of_dense = SelectAlternatives(measure, **asked).fit(X, y).result_
    assert of_sparse.named_sets == of_dense.named_sets
    assert of_sparse.notes == of_dense.notes
    assert {"x0", "x1"} <= {*of_sparse.notes[-1].split()}
    # The rank correlation refuses sparse columns with missing values.
    assert "spearman" in of_dense.cautions[0]
    assert "symmetrical_uncertainty" in of_sparse.cautions[0]
