"""Columns of frames have labels of any kind, and answers keep them."""

import numpy as np
import pandas as pd
import pytest

from altsets import SelectAlternatives, constraints, evaluate
from altsets.errors import InputError

ASKED = {"n_features": 2, "n_alternatives": 1, "tau": 1}


def values():
    g = np.random.default_rng(0)
    y = g.integers(0, 2, 60)
    return g.normal(size=(60, 5)) + y[:, None] * [3, 0, 2, 1, 0], y


@pytest.mark.parametrize(
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
    expected = evaluate(selector.result_.sets, X, y, n_repeats=1)
    assert evaluate(selector.alternatives_, frame, y, n_repeats=1).mean_scores() == expected.mean_scores()


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
def test_mixed_and_equal_labels_are_refused(labels, snapshot):
    X, y = values()
    with pytest.raises(InputError) as refused:
        SelectAlternatives("f", **ASKED).fit(pd.DataFrame(X, columns=labels), y)
    assert str(refused.value) == snapshot
