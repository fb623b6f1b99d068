"""Numbers that users give: what is not a real number is refused, and frames are read by their labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import constraints, dissimilarity, quality
from altsets.errors import InputError

SIMILARITY = [[1.0, 0.95, 0.0], [0.95, 1.0, 0.0], [0.0, 0.0, 1.0]]
FRAME = pd.DataFrame(SIMILARITY, index=["a", "b", "c"], columns=["a", "b", "c"])
SHUFFLED = FRAME.loc[["c", "b", "a"], ["c", "b", "a"]]
SCORES = quality.Additive([3, 2, 1], feature_names=["a", "b", "c"])


def in_this_order(frame):
    alike = dissimilarity.Matched(frame, threshold=0.9)
    return altsets.find(SCORES, n_features=1, n_alternatives=1, tau=1, dissimilarity=alike)


def test_labels_of_a_similarity_frame_decide_where_its_numbers_belong():
    assert in_this_order(FRAME).named_sets == [("a",), ("c",)]
    assert in_this_order(SHUFFLED).named_sets == [("a",), ("c",)]
    for frame in (FRAME, SHUFFLED):
        rule = constraints.MaxSimilarity(frame, 0.9)
        found = altsets.find(SCORES, n_features=2, n_alternatives=0, constraints=rule)
        assert found.named_sets == [("a", "c")]
        groups = dissimilarity.Grouped.from_similarity(frame, 0.9)
        found = altsets.find(SCORES, n_features=1, n_alternatives=1, tau=1, dissimilarity=groups)
        assert found.named_sets == [("a",), ("c",)]


def test_constraint_on_a_shuffled_frame_forgets_what_followed_from_the_old_order():
    rule = constraints.MaxSimilarity(SHUFFLED, 0.9)
    assert rule.conflicts[1, 2]
    assert rule.resolve(["a", "b", "c"]).conflicts[0, 1]


def test_similarity_of_other_features_is_refused(refused):
    other = FRAME.rename(index={"c": "d"}, columns={"c": "d"})
    with refused(InputError):
        in_this_order(other)
    with refused(InputError):
        altsets.find(SCORES, 2, 0, constraints=constraints.MaxSimilarity(other, 0.9))
    with refused(InputError):
        dissimilarity.Matched(FRAME.rename(index={"c": "d"}))


def test_labels_do_not_matter_where_features_have_no_names():
    unnamed = quality.Additive([3, 2, 1])
    alike = dissimilarity.Matched(SHUFFLED, threshold=0.9)
    assert altsets.find(unnamed, 1, 1, 1, dissimilarity=alike).sets == [(0,), (1,)]


@pytest.mark.parametrize(("scores", "message"), [
    ([10**400, 1], "must be numbers: int too large"),
    ([1 + 2j, 1], "must be numbers, not complex numbers"),
    (np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"), "must be numbers, not dates"),
    (["1", "2"], "must be numbers, not text"),
    ([1.5, "2"], "must be numbers, not text"),
    (np.array([1.5, "2"], dtype=object), "must be numbers, not text"),
    (pd.Series(["a", "b"]), "must be numbers, not text"),
    (np.ma.array([1.0, 2.0], mask=[False, True]), "some are masked"),
])  # fmt: skip
def test_what_is_not_a_number_is_no_score(scores, message):
    for make in (quality.Additive, lambda given: quality.MRMR(given, np.zeros((2, 2)))):
        with pytest.raises(InputError, match=message):
            make(scores)


def test_matrices_hold_numbers_as_well():
    masked = np.ma.array(np.eye(2), mask=[[False, True], [True, False]])
    for make in (lambda given: quality.MRMR([2, 1], given), lambda given: dissimilarity.Matched(given)):
        for given in (masked, np.eye(2) + 1j, [["a", "b"], ["c", "d"]]):
            with pytest.raises(InputError, match="numbers"):
                make(given)


@pytest.mark.parametrize("threshold", ["x", None, 0, 1.5, True])
def test_thresholds_that_are_no_numbers_are_refused(threshold, refused):
    with refused(InputError):
        dissimilarity.Grouped.from_similarity(SIMILARITY, threshold=threshold)


def test_unmasked_arrays_are_fine():
    assert quality.Additive(np.ma.array([1.0, 2.0])).scores.tolist() == [1.0, 2.0]
