"""Quality against costs and against a second quality, and the range of a sum among near-best sets."""

from __future__ import annotations

from unittest import mock

import fronts
import numpy as np
import pandas
import pytest

import altsets
from altsets import constraints, quality
from altsets.errors import InputError, UnsupportedError
from altsets.search.near_best.families import Family

NAMES = list("abcdef")
SCORES = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=NAMES)
COSTS = [5, 4, 1, 2, 1, 0]


@pytest.mark.parametrize(("first", "count"), [(0, 40), pytest.param(80, 120, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("clock")
def test_random_problems(first, count):
    wrong = [fronts.check(index, seed=5) for index in range(first, first + count)]
    assert [found for found in wrong if found[1]] == []
    assert sum(label.startswith("front") for label, _ in wrong) > 0.3 * count
    assert sum(label.startswith("range") for label, _ in wrong) > 0.1 * count


# --- Costs --------------------------------------------------------------------------------------------------
def test_mapping_list_and_series_are_the_same():
    by_name = dict(zip(NAMES, COSTS, strict=True))
    fronts = [
        altsets.frontier(SCORES, 2, against=given) for given in (COSTS, by_name, pandas.Series(by_name))
    ]
    assert fronts[0] == fronts[1] == fronts[2]
    assert fronts[0].proven


def test_sums_are_exact():
    # As doubles, 0.1 + 0.2 is more than 0.3.
    found = altsets.frontier(quality.Additive([3, 3, 2, 2]), 2, against=[0.1, 0.2, 0.3, 0.0])
    assert [(point.quality, point.against) for point in found] == [(6, 0.3), (5, 0.1)]
    assert found.points[0].result.sets == [(0, 1)]


def test_digits_beyond_doubles_are_told_apart():
    found = altsets.frontier(quality.Additive([2, 1]), 1, against=[1e17, 1e17 + 16])
    assert len(found) == 1
    found = altsets.frontier(quality.Additive([3, 2, 1]), 2, against=[1e17, 1, 0])
    assert [point.result.sets for point in found] == [[(0, 1)], [(0, 2)], [(1, 2)]]


def test_small_differences_beside_numbers_far_below_zero():
    scores = quality.Additive([3, 18, 4, 1, 16, -4])
    found = altsets.frontier(scores, 2, against=[-1, -2, -5, -1e19, 5, 3])
    assert [point.result.sets[0] for point in found] == [(1, 4), (1, 2), (1, 3), (2, 3)]
    assert found.proven
    near = altsets.near_best(scores, n_features=2, min_quality=20)
    with mock.patch.object(Family, "members", return_value=([], False)):
        span = near.range([-1, -2, -5, 0, 5, -1e19])
    assert (span.low.value, span.high.value) == (-7, 3)


def test_costs_too_far_apart_are_refused(refused):
    with refused(InputError):
        altsets.frontier(SCORES, 2, against=[1e-200, 1e200, 0, 0, 0, 0])


def test_a_second_quality_is_the_same_both_ways_round():
    rng = np.random.default_rng(0)
    redundancy = rng.random((8, 8))
    redundancy = (redundancy + redundancy.T) / 2
    pairs, plain = quality.MRMR(rng.random(8), redundancy), quality.Additive(rng.random(8))
    one, other = altsets.frontier(pairs, 3, against=plain), altsets.frontier(plain, 3, against=pairs)
    assert one.more_is_better
    assert one.proven
    assert other.proven
    assert [point.result.sets for point in one] == [point.result.sets for point in reversed(other.points)]
    assert [point.quality for point in one] == [point.against for point in reversed(other.points)]


def test_no_set_at_all():
    found = altsets.frontier(
        SCORES, 2, against=COSTS, constraints=[constraints.Require("a"), constraints.Forbid("a")]
    )
    assert found.points == []
    assert found.complete
    assert "'a'" in found.explain() or "a" in found.reason
    assert not found.suggestion


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"quality": quality.BlackBox(len, n_features_in=6)}, "use a quality made of numbers"),
        ({"against": quality.BlackBox(len, n_features_in=6)}, "use a quality made of numbers"),
        ({"engine": "greedy"}, "does not solve this"),
        ({"quality": quality.MRMR(np.ones(6), np.zeros((6, 6))), "against": quality.MRMR(np.ones(6), np.eye(6))},
         "one of the two must be an Additive"),
        ({"against": quality.Additive(COSTS), "n_alternatives": 1, "constraints": constraints.Size(1, 2)},
         "needs numbers of at least 0"),
        ({"constraints": constraints.AtMostSets(1)}, "takes no AtMostSets"),
    ],
)  # fmt: skip
def test_what_cannot_be_combined_says_what_can(asked, said):
    given = {"quality": SCORES, "against": COSTS, "n_features": 2} | asked
    with pytest.raises(UnsupportedError, match=said):
        altsets.frontier(**given)


@pytest.mark.parametrize(("given", "said"), [
    ([1, 2], "has 2 numbers for 6 features"),
    ({"z": 1}, "names 'z'"),
    ([1, 2, 3, 4, 5, float("nan")], "give a finite number"),
    ("cost", "takes a list of numbers or a mapping"),
    (quality.Additive([1, 2]), "give two qualities of the same features"),
])  # fmt: skip
def test_costs_that_do_not_fit(given, said):
    with pytest.raises(InputError, match=said):
        altsets.frontier(SCORES, 2, against=given)


def test_ends_early_and_keeps_what_is_there(clock):
    rng = np.random.default_rng(0)
    good, costs = quality.Additive(rng.random(60)), rng.random(60)

    def interrupt(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    seen = []
    whole = altsets.frontier(good, 5, against=costs, callback=seen.append)
    assert seen[-1].done >= len(whole)
    with pytest.raises(KeyboardInterrupt):
        altsets.frontier(good, 5, against=costs, callback=interrupt)
    short = altsets.frontier(good, 5, against=costs, time_limit=clock.limit(1))
    assert not short.complete
    assert short.stop_reason == "time_limit"
    assert "time limit" in short.explain()
    assert all(point.status == "feasible" for point in short)


def test_documents_and_frames(refused):
    found = altsets.frontier(SCORES, 2, against=COSTS, n_alternatives=1, tau=1)
    frame = found.to_frame()
    assert list(frame["against"]) == [point.against for point in found]
    assert frame["sets"][0] == [list(names) for names in found.points[0].named_sets]


def test_words(snapshot):
    found = altsets.frontier(SCORES, 2, against=COSTS)
    assert str(found.verdict) == snapshot
    assert "6 points" in found.explain()
    assert "all proven" in found.explain()
    near = altsets.frontier(SCORES, 2, against=COSTS, within=0.1)
    assert [point.against for point in near] == [9, 6]
    assert near.proven


# --- Ranges -------------------------------------------------------------------------------------------------
def test_range_of_sets_that_are_too_many_to_list():
    rng = np.random.default_rng(1)
    good, costs = quality.Additive(rng.random(40).round(2)), rng.random(40)
    near = altsets.near_best(good, n_features=6, within=0.3)
    found = near.range(costs)
    assert near.count > 10_000
    assert found.proven
    front = altsets.frontier(good, 6, against=costs, within=0.3)
    assert found.low.value == front.points[-1].against
    assert found.low.value < found.best < found.high.value
    for end in (found.low, found.high):
        assert end.value == pytest.approx(sum(costs[list(end.set)]))
        assert good.evaluate(end.set) >= near.threshold


def test_range_of_a_black_box_needs_all_sets(clock, refused):
    small = quality.BlackBox(lambda chosen: SCORES.evaluate(chosen), n_features_in=6)
    found = altsets.near_best(small, 2, within=0.25).range(COSTS)
    assert (found.low.value, found.high.value) == (5, 9)
    large = quality.BlackBox(lambda chosen: float(sum(chosen)), n_features_in=40)
    near = altsets.near_best(large, 4, within=0.1, time_limit=clock.limit(100))
    with refused(UnsupportedError):
        near.range(np.ones(40))


def test_ranges_say_what_they_are_about(refused):
    near = altsets.near_best(SCORES, 2, within=0.25)
    found = near.range({"a": 5, "b": 3})
    assert altsets.results.Range.from_json(found.to_json()) == found
    assert list(found.to_frame()["value"]) == [3, 8]
    with refused(UnsupportedError):
        altsets.results.NearBest.from_json(near.to_json()).range(COSTS)
    none = altsets.near_best(SCORES, 2, min_quality=100)
    with refused(InputError):
        none.range(COSTS)
