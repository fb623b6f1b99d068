"""Advice that is true: what is suggested where sets are missing, too alike, or there already."""

from __future__ import annotations

import json

import pytest
from words import about

import altsets
from altsets import constraints, quality
from altsets.dissimilarity import Grouped
from altsets.evaluation.comparison import Comparison, summarize
from altsets.report import summarise

EIGHT = quality.Additive([9, 8, 7, 6, 5, 4, 3, 2], feature_names=list("abcdefgh"))
MORE = "search='simultaneous' may fit in more"


def found(**options):
    return altsets.find(EIGHT, **({"n_features": 3, "n_alternatives": 2} | options))


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_required_features_and_disjoint_sets_name_the_difference_that_is_left(search, snapshot):
    result = found(tau=1, constraints=constraints.Require("a"), search=search)
    assert result.reason == snapshot
    # And that advice helps.
    followed = found(tau=0.6666, constraints=constraints.Require("a"), search=search)
    assert len(followed.sets) == 3


def test_required_features_that_fill_a_set_leave_one_set(snapshot):
    result = found(tau=0.5, constraints=constraints.Require(["a", "b", "c"]))
    assert result.reason == snapshot


def test_the_command_line_names_its_option(run, table, snapshot):
    asked = ("find", table, "-t", "y", "-k", 2, "-a", 1, "--tau", 1, "--require", "a", "--quality", "pearson")
    out = run.output(*asked)
    assert " ".join(out.split()) == snapshot


def test_required_features_that_leave_room_are_not_blamed():
    result = found(tau=0.5, n_alternatives=6, constraints=constraints.Require("a"))
    assert len(result.sets) < 7
    assert "required" not in result.reason


def test_simultaneous_search_is_advised_only_where_counting_allows_more():
    # Eight features have room for two disjoint sets of three, and no more.
    assert MORE not in found(tau=1).reason
    # With one feature in every set, seven others for two places each: three sets, and these are found.
    rules = constraints.Require("a")
    full = found(n_features=3, n_alternatives=3, tau=2, dissimilarity="absolute", constraints=rules)
    assert len(full.sets) == 3
    assert MORE not in full.reason
    # Sets in turn may be in each other's way.
    stuck = altsets.find(
        quality.Additive([3, 3, 3, 1, 1, 1]), n_features=3, n_alternatives=3, tau=2, dissimilarity="absolute"
    )
    assert (len(stuck.sets) < 4) is (MORE in stuck.reason)


def test_groups_of_required_features_get_no_advice_that_cannot_be_counted():
    sensors = Grouped({"a": "s", "b": "s", "c": "t", "d": "t"})
    result = found(tau=1, constraints=constraints.Require("a"), dissimilarity=sensors)
    assert len(result.sets) == 1
    assert MORE not in result.reason


def against(number, p_adjusted):
    return Comparison("accuracy", number, 0.1, 0.01, 0.2, 0.04, 5, "better", True, "", p_adjusted)


@pytest.mark.parametrize(("entries", "words"), [
    (
        [against(0, 0.08), against(1, 0.08)],
        "Taken one by one, both sets predict better than a guess. Adjusted for all sets (Holm), that holds for "
        "none of them.",
    ),
    (
        [against(0, 0.01), against(1, 0.08), against(2, 0.02)],
        "Taken one by one, all 3 sets predict better than a guess. Adjusted for all sets (Holm), that holds for "
        "sets 0 and 2 only.",
    ),
    ([against(0, 0.01), against(1, 0.02)], "Both sets predict better than a guess."),
])  # fmt: skip
def test_adjusting_for_several_sets_does_not_contradict_itself(entries, words):
    assert summarize(entries, "a guess", 0.95) == words


BENDS = quality.Additive([10, 10, 10, 10, 10, 9, 9, 9, 1, 1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("asked", [{"tau": 1}, {"tau": 5, "dissimilarity": "absolute"}, {"tau": 0.2}])
def test_a_report_suggests_nothing_less_different_than_was_asked_for(asked):
    frontier = altsets.frontier(BENDS, n_features=5, n_alternatives=1)
    assert 0 < frontier.suggestion.tau < 1
    result = altsets.find(BENDS, n_features=5, n_alternatives=1, **asked)
    said = json.dumps(summarise(result, frontier=frontier))
    offered = "suggested: tau" in said or "The sets at the suggested point" in said
    assert offered is (asked == {"tau": 0.2})
    assert ("tau = 1, as requested" in said) is not offered


def test_a_frontier_alone_suggests_as_before(snapshot):
    frontier = altsets.frontier(BENDS, n_features=5, n_alternatives=1)
    assert about(json.dumps(summarise(frontier=frontier)), "suggested") == snapshot


def test_set_0_is_compared_with_the_best_existing_set(snapshot):
    result = found(tau=1, n_alternatives=0, existing=[["a", "b", "c"], ["a", "b", "h"]])
    assert result.existing_qualities == [24, 19]
    assert result.verdict.findings[:2] == snapshot
    assert altsets.Result.from_json(result.to_json()).verdict == result.verdict
    alone = found(tau=1, n_alternatives=1, search="simultaneous", n_features=2, existing=[["a", "b"]])
    assert alone.verdict.findings[1] == snapshot


def test_a_further_set_may_be_better_than_the_existing_ones(snapshot):
    better = found(tau=1, n_alternatives=0, existing=[["f", "g", "h"]])
    assert better.verdict.findings == snapshot
    equal = altsets.find(
        quality.Additive([1, 1, 1, 1]), n_features=2, n_alternatives=0, tau=1, existing=[[0, 1]]
    )
    assert equal.verdict.findings == snapshot
    below = altsets.find(
        quality.Additive([1, 1, -1, -1]), n_features=2, n_alternatives=0, tau=1, existing=[[0, 1]]
    )
    assert below.verdict.findings == snapshot


def test_without_existing_sets_nothing_is_said_about_them():
    result = found(tau=1, n_alternatives=0)
    assert result.existing_qualities == []
    assert "existing" not in str(result.verdict)
    assert "existing_qualities" not in result.to_dict()


def test_existing_sets_of_a_black_box_are_scored_too():
    box = quality.BlackBox(lambda chosen: float(EIGHT.scores[list(chosen)].sum()), n_features_in=8)
    result = altsets.find(box, n_features=3, n_alternatives=0, tau=1, existing=[[0, 1, 2]])
    assert result.existing_qualities == [24]
