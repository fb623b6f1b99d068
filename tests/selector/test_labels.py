"""Columns of frames have labels of any kind, and answers keep them."""

import pickle

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import SelectAlternatives, constraints, evaluate, quality
from altsets.errors import InputError

ASKED = {"n_features": 2, "n_alternatives": 1, "tau": 1}


def values():
    g = np.random.default_rng(0)
    y = g.integers(0, 2, 60)
    return g.normal(size=(60, 5)) + y[:, None] * [3, 0, 2, 1, 0], y


LABELS = pytest.mark.parametrize(
    "labels",
    [
        [2024, 2021, 2022, 2020, 2023],
        [4, 3, 2, 1, 0],
        [0.5, 1.5, 2.5, 3.5, 4.5],
        pd.MultiIndex.from_product([["left", "right", "top", "bottom", "back"], ["size"]]),
        pd.date_range("2020-01-01", periods=5),
        ["a", "b", "c", "d", "e"],
    ],
)


@LABELS
def test_alternatives_have_the_labels_of_the_columns(labels):
    X, y = values()
    frame = pd.DataFrame(X, columns=labels)
    selector = SelectAlternatives("f", **ASKED).fit(frame, y)
    for number, found in enumerate(selector.alternatives_):
        assert list(frame[list(found.names)]) == [
            frame.columns[place] for place in selector.result_.sets[number]
        ]
        kept = selector.get_alternative(number).transform(frame)
        assert (np.asarray(kept) == frame[list(found.names)].to_numpy()).all()
    assert str(selector.alternatives_[0].names[0]) in repr(selector)
    by_index = SelectAlternatives("f", **ASKED).fit(X, y)
    assert selector.result_.sets == by_index.result_.sets
    assert selector.result_.named_sets == [found.names for found in selector.alternatives_]
    expected = evaluate(selector.result_.sets, X, y, n_repeats=1)
    assert evaluate(selector.alternatives_, frame, y, n_repeats=1).mean_scores() == expected.mean_scores()


def saved(answer):
    """The answer as it is read from a file, if it says the same there."""
    again = type(answer).from_json(answer.to_json())
    assert again.to_json() == answer.to_json()
    return again


@LABELS
def test_answers_have_the_labels_of_the_columns_and_so_have_their_files(labels):
    X, y = values()
    frame = pd.DataFrame(X, columns=labels)
    known = list(frame.columns)
    result = altsets.find("f", X=frame, y=y, **ASKED)
    frontier = altsets.frontier("f", 2, 1, [0, 1], X=frame, y=y)
    evaluation = evaluate(SelectAlternatives("f", **ASKED), frame, y, cv=2, n_repeats=1)
    # JSON has no dates.
    kept = (
        [saved, lambda answer: answer] if not isinstance(known[0], pd.Timestamp) else [lambda answer: answer]
    )
    for read in kept:
        one, curve, measured = read(result), read(frontier), read(evaluation)
        expected = [tuple(known[place] for place in chosen) for chosen in result.sets]
        assert one.named_sets == curve.points[1].named_sets == expected
        assert one == result
        assert list(one.to_frame(tidy=True)["feature"]) == [label for names in expected for label in names]
        assert list(map(tuple, one.to_frame()["features"])) == expected
        assert set(measured.stability_frame().index) <= set(known)
        assert all(set(names) <= set(known) for names in measured.scores_frame()["features"])
    assert pickle.loads(pickle.dumps(result)).named_sets == result.named_sets
    assert altsets.verify(result, X=frame, y=y).ok


def test_scores_in_a_series_have_the_labels_of_its_index():
    scores = pd.Series([3.0, 1.0, 2.0], index=[30, 10, 20])
    assert altsets.find(quality.Additive(scores), 2, 0).named_sets == [(30, 20)]


def test_lists_of_labels_are_evaluated():
    X, y = values()
    frame = pd.DataFrame(
        X, columns=pd.MultiIndex.from_product([["left", "right", "top", "bottom", "back"], ["size"]])
    )
    found = evaluate([[("top", "size"), ("left", "size")]], frame, y, n_repeats=1)
    assert found.mean_scores() == evaluate([[0, 2]], X, y, n_repeats=1).mean_scores()


def test_labels_of_a_frame_on_a_cluster_are_kept():
    frames = pytest.importorskip("dask.dataframe")
    X, y = values()
    frame = pd.DataFrame(X, columns=[2024, 2021, 2022, 2020, 2023]).assign(y=y)
    table = frames.from_pandas(frame, npartitions=2)
    selector = SelectAlternatives("f", **ASKED).fit(table, "y")
    assert selector.result_.named_sets == [found.names for found in selector.alternatives_]
    for number, found in enumerate(selector.alternatives_):
        assert list(table[list(found.names)].columns) == list(found.names)
        kept = selector.get_alternative(number).transform(table)
        assert list(kept.columns) == list(found.names)


def test_columns_that_were_dropped_have_labels_as_well():
    X, y = values()
    frame = pd.DataFrame(X, columns=[10, 11, 12, 13, 14])
    frame.insert(0, 9, pd.date_range("2020-01-01", periods=60))
    selector = SelectAlternatives("f", unusable="drop", **ASKED).fit(frame, y)
    assert selector.alternatives_[0].names == (10, 12)


def test_integers_in_constraints_are_indices_and_labels_are_named_by_their_text():
    X, y = values()
    frame = pd.DataFrame(X, columns=[4, 3, 2, 1, 0])
    for feature, label in ((1, 3), ("1", 1)):
        selector = SelectAlternatives(
            "f", constraints=constraints.Require(feature), **ASKED | {"n_alternatives": 0}
        )
        assert label in selector.fit(frame, y).alternatives_[0].names


@pytest.mark.parametrize("labels", [["a", 1, "c", "d", "e"], [1, 1, 2, 3, 4], [1, "1", 2, 3, 4]])
def test_mixed_and_equal_labels_are_refused(labels, refused):
    X, y = values()
    with refused(InputError):
        SelectAlternatives("f", **ASKED).fit(pd.DataFrame(X, columns=labels), y)
