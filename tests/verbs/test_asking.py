"""Verbs take a table with the name of a quality, scores, or a quality object."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import SelectAlternatives, constraints, dissimilarity, quality
from altsets.errors import InputError

ASKED = {"n_features": 2, "n_alternatives": 1, "tau": 1}


@pytest.mark.parametrize(("given", "params"), [
    ("mrmr", None), ("f", None), ("mi", None), (quality.CFS, {"measure": "spearman"}),
    ("wrapper", {"estimator": DecisionTreeClassifier(random_state=0), "cv": 2}),
    (DecisionTreeClassifier(max_depth=2, random_state=0), None),
    (lambda X, y: X.var(axis=0), None),
])  # fmt: skip
def test_find_takes_what_the_selector_takes(given, params, wine):
    X, y = wine
    X = X[["alcohol", "hue", "proline", "flavanoids", "ash"]]
    found = altsets.find(given, **ASKED, X=X, y=y, quality_params=params)
    selector = SelectAlternatives(given, quality_params=params, **ASKED).fit(X, y)
    assert found.named_sets == selector.result_.named_sets
    assert found.qualities == selector.result_.qualities
    assert found.request.quality_params == selector.result_.request.quality_params


def test_iterate_scores_a_table_once(wine):
    X, y = wine
    calls = []

    def scores(X, y):
        calls.append(len(y))
        return X.var(axis=0)

    found = [one.sets[0] for one in islice(altsets.iterate(scores, n_features=2, tau=1, X=X, y=y), 3)]
    assert calls == [178]
    assert found == altsets.find(scores, n_features=2, n_alternatives=2, tau=1, X=X, y=y).sets


def test_scores_need_no_table(wine):
    X, _ = wine
    scores = np.arange(13.0)
    expected = altsets.find(quality.Additive(scores), **ASKED)
    for given in (scores, scores.tolist(), pd.Series(scores)):
        assert altsets.find(given, **ASKED).sets == expected.sets
    # A table names the features.
    for given in (scores, quality.Additive(scores)):
        assert altsets.find(given, **ASKED, X=X).named_sets == [
            tuple(X.columns[[11, 12]]),
            tuple(X.columns[[9, 10]]),
        ]


def test_near_best_takes_a_table(wine):
    X, y = wine
    expected = altsets.near_best(quality.MRMR.from_data(X, y, measure="pearson"), 3, within=0.1)
    found = altsets.near_best("mrmr", 3, within=0.1, X=X, y=y, quality_params={"measure": "pearson"})
    assert list(found) == list(expected)
    assert list(
        altsets.near_best("mrmr", 0.25, within=0.1, X=X, y=y, quality_params={"measure": "pearson"})
    ) == list(found)
    assert altsets.near_best([9, 8, 7, 3, 2, 1], 2, within=0.25).count == 3


def test_similarities_are_measured_on_the_table(wine):
    X, y = wine
    kind = dissimilarity.Matched("spearman", threshold=0.7)
    asked = {**ASKED, "dissimilarity": kind}
    expected = SelectAlternatives("f", **asked).fit(X, y).result_
    assert altsets.find("f", **asked, X=X, y=y).sets == expected.sets
    scored = quality.Additive.from_data(X, y, measure="f")
    assert altsets.find(scored, **asked, X=X).sets == expected.sets
    first, second = islice(altsets.iterate("f", 2, tau=1, X=X, y=y, dissimilarity=kind), 2)
    assert [first.sets[0], second.sets[0]] == expected.sets


def test_constant_columns_are_no_candidates(wine):
    X, y = wine
    X = X[["ash", "hue"]].assign(same=1.0)
    assert altsets.find("mrmr", n_features=2, n_alternatives=0, X=X, y=y).named_sets == [("ash", "hue")]
    required = [constraints.Require("same")]
    found = altsets.find("mrmr", n_features=2, n_alternatives=0, X=X, y=y, constraints=required)
    assert "same" in found.named_sets[0]


def test_the_request_of_an_answer_makes_it_again(wine):
    X, y = wine
    found = altsets.find("mrmr", **ASKED, X=X, y=y, quality_params={"measure": "pearson"})
    made = {}
    exec(found.request.to_python(), {"X": X, "y": y}, made)
    assert made["selector"].result_.sets == found.sets
    assert altsets.verify(found, X=X, y=y).ok


def test_tables_of_parquet_are_read_in_passes(wine, tmp_path):
    X, y = wine
    path = tmp_path / "wine.parquet"
    X.assign(target=y.map(str)).to_parquet(path)
    expected = altsets.find("f", **ASKED, X=X, y=y.map(str))
    assert altsets.find("f", **ASKED, X=path, y="target").named_sets == expected.named_sets


@pytest.mark.parametrize(("given", "beside"), [
    ("mrmr", {}), (quality.MRMR, {}), (3, {}),
    ("unknown", {"X": [[1, 2], [2, 1]], "y": [0, 1]}),
    ("f", {"X": [[1, 2], [2, 1]]}), ([3, 2, 1], {"X": [[1, 2], [2, 1]]}), ([3, 2, 1], {"y": [0, 1]}),
    ([3, 2, 1], {"quality_params": {"cv": 5}}),
    ("f", {"X": [[1, 2], [2, 1]], "y": [0, 1], "quality_params": {"cv": 5}}),
    ("f", {"X": [[1, 2], [2, 1]], "y": [0, 1], "n_features": 3}),
])  # fmt: skip
def test_what_does_not_fit_together_is_refused(given, beside, snapshot):
    for verb in (altsets.find, lambda *args, **asked: next(altsets.iterate(*args, **asked))):
        with pytest.raises(InputError) as refused:
            verb(given, **{"n_features": 1, **beside})
        assert str(refused.value) == snapshot(name="refused")


def test_scores_by_name(refused):
    scores = {"b": 1.0, "a": 3.0, "c": 2.0}
    asked = {"n_features": 1, "n_alternatives": 1, "tau": 1}
    assert altsets.find(scores, **asked).named_sets == [("a",), ("c",)]
    X = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [1, 1]})
    found = altsets.find(scores, X=X, **asked)
    assert (found.sets, found.qualities) == ([(0,), (2,)], [3.0, 2.0])
    # The same scores serve the questions about an answer.
    assert altsets.verify(found, scores, X=X).ok
    assert altsets.what_if(scores, found, "a", X=X).losses[0].set == (2,)
    assert altsets.find({0: 0.5, "c": 0.3}, **asked).named_sets == [(0,), ("c",)]
    with pytest.raises(InputError, match="more than once: 1"):
        altsets.find({1: 0.5, "1": 0.4, "c": 0.3}, **asked)
    for wrong in ({**scores, "cc": 1}, {"a": 1, "b": 2}, {"a": "x"}):
        with refused(InputError):
            altsets.find(wrong, X=X if len(wrong) > 1 else None, **asked)
