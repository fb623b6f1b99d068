"""Reasons, verdicts, refusals and help for definitions beyond tau: they say what holds, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import altsets
from altsets import constraints, quality
from altsets.cli.options import as_option
from altsets.errors import InputError, UnsupportedError
from altsets.wording import spelled

EIGHT = quality.Additive([9, 8, 7, 6, 5, 4, 3, 2], feature_names=list("abcdefgh"))
TOGETHER = {"search": "simultaneous"}
#: Thirty features whose pairs take longer than no time at all.
WIDE = quality.MRMR(np.random.default_rng(0).random(30), np.random.default_rng(1).random((30, 30)))


def found(**options):
    return altsets.find(EIGHT, **({"n_features": 3, "n_alternatives": 2} | options))


# --- Why there is no answer ---------------------------------------------------------------------------------
def test_a_quality_that_no_set_reaches_is_named(snapshot):
    result = found(min_quality=100, tau=0.5, **TOGETHER)
    assert result.reason == snapshot


def test_what_is_possible_instead_keeps_to_the_limits_on_qualities(snapshot):
    # Of all sets, only (a, b, c), (a, b, d) and two more have at least 22.
    result = found(min_quality=22, tau=1, **TOGETHER)
    assert result.reason == snapshot
    assert len(found(min_quality=22, tau=1, n_alternatives=0, **TOGETHER).sets) == 1
    # Powers of two have no two equal sums.
    powers = quality.Additive([1, 2, 4, 8, 16, 32, 64, 128])
    alike = altsets.find(powers, 3, 2, tau=0.5, constraints=constraints.Spread(0), **TOGETHER)
    assert alike.reason == snapshot


def test_one_set_that_is_impossible_is_not_called_possible(snapshot):
    result = altsets.find(
        quality.Additive([-1, -2, -3]), 1, 0, tau=1, min_quality=-0.5, existing=[[0]], **TOGETHER
    )
    assert result.reason == snapshot


def test_fewer_sets_are_no_advice_where_features_must_be_in_several(snapshot):
    often = constraints.AtLeastSets(2, ["g", "h"])
    result = found(tau=1, constraints=often, **TOGETHER)
    assert result.reason == snapshot
    assert "is possible" not in found(tau=1, constraints=constraints.AtLeastSets(1, list("defgh"))).reason


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_more_sets_with_a_feature_than_there_are(search, snapshot):
    result = found(tau=0.3, search=search, constraints=constraints.AtLeastSets(5, "a"))
    assert result.reason == snapshot


def test_simultaneous_search_is_no_advice_where_features_are_used_up(snapshot):
    assert found(tau=0, constraints=constraints.AtMostSets(1)).reason == snapshot
    few = constraints.AtMostSets(1, list("abcdef"))
    assert found(n_features=2, n_alternatives=4, tau=0.3, constraints=few).reason == snapshot


def test_used_up_features_are_not_called_alike(snapshot):
    result = found(tau=0, constraints=constraints.AtMostSets(1))
    assert result.reason == snapshot
    assert str(result.verdict) == snapshot


DEAR = constraints.Budget([5] * 8, limit=10)
#: Requests that too few sets meet, in turn unless they say otherwise.
TOO_MUCH = {
    "disjoint sets": {"n_alternatives": 3, "tau": 1},
    "disjoint sets, together": {"n_alternatives": 3, "tau": 1, **TOGETHER},
    "one set": {"n_features": 5, "tau": 1},
    "no two sets": {"n_features": 5, "tau": 1, **TOGETHER},
    "jaccard": {"n_alternatives": 9, "tau": 0.6, "dissimilarity": "jaccard", **TOGETHER},
    "a quality that one set has": {"tau": 0.5, "min_quality": 24},
    "a share of the best quality": {"tau": 0.5, "within": 0.01, **TOGETHER},
    "a quality that no set has": {"min_quality": 100},
    "a budget that no set keeps": {"constraints": DEAR},
    "a budget that few sets keep": {"tau": 1, "constraints": constraints.Budget(range(1, 9), limit=9)},
    "open sizes": {"tau": 1, "n_alternatives": 4, "constraints": constraints.Size(2, 3), **TOGETHER},
    "existing sets": {"tau": 1, "existing": [["a", "b", "c"]], **TOGETHER},
    "a heuristic": {"n_alternatives": 3, "tau": 1, "search": "greedy-replacement"},
}


@pytest.mark.parametrize("asked", TOO_MUCH)
def test_what_was_found_and_what_to_change_is_said_in_one_caution(asked, snapshot):
    result = found(**TOO_MUCH[asked])
    assert len(result.sets) < len(result.statuses)
    said = result.verdict.cautions[0] if result.sets else str(result.verdict)
    assert said == snapshot
    assert result.reason in said
    with spelled(as_option):
        assert "n_features" not in found(**TOO_MUCH[asked]).reason


def test_sets_in_turn_that_leave_no_other_do_not_rule_out_other_sets(snapshot):
    scores, apart = quality.Additive([2, 1, 1, 0]), constraints.Exclusive([2, 3])
    in_turn = altsets.find(scores, 2, 1, tau=1, constraints=apart)
    assert (in_turn.sets, in_turn.status) == ([(0, 1)], "infeasible")
    assert in_turn.cautions[0] == snapshot
    assert in_turn.explain().endswith(in_turn.reason)
    together = altsets.find(scores, 2, 1, tau=1, constraints=apart, **TOGETHER)
    assert (together.sets, together.status) == ([(0, 2), (1, 3)], "optimal")


def test_a_frontier_without_any_set_says_why(snapshot):
    frontier = altsets.frontier(EIGHT, 3, 1, constraints=DEAR)
    assert str(frontier.verdict) == snapshot
    assert str(frontier.verdict) in frontier.explain()


# --- What is proven -----------------------------------------------------------------------------------------
def test_two_sets_with_a_penalty_are_not_called_the_best_without_it(snapshot):
    verdict = str(found(n_alternatives=1, overlap_penalty=2).verdict)
    assert verdict == snapshot
    alone = str(found(n_alternatives=0, overlap_penalty=5, existing=[["a", "b", "c"]]).verdict)
    assert alone == snapshot


def test_later_sets_are_the_best_that_meet_all_conditions(snapshot):
    conditions = {"tau": 0, "constraints": constraints.AtMostSets(1)}
    assert str(found(n_alternatives=1, **conditions).verdict) == snapshot
    three = altsets.find(EIGHT, 2, 2, **conditions)
    assert str(three.verdict) == snapshot


def test_a_set_that_comes_again_is_called_the_same(snapshot):
    assert str(found(tau=0, n_alternatives=1).verdict) == snapshot


def test_a_trade_off_of_one_point_has_no_better_one(snapshot):
    whole = altsets.frontier(EIGHT, 8, against=range(8))
    assert str(whole.verdict) == snapshot
    several = altsets.frontier(EIGHT, 2, 1, 1, against=[3, 1, 2, 1, 1, 1, 1, 0])
    assert str(several.verdict) == snapshot


def test_curves_that_were_cut_short_speak_of_what_was_found(clock, snapshot):
    asked = {"n_features": 5, "n_alternatives": 3, "time_limit": clock.limit(1)}
    assert str(altsets.frontier(WIDE, 5, against=range(30), time_limit=clock.limit(1)).verdict) == snapshot
    assert str(altsets.frontier(WIDE, by="balance", **asked).verdict) == snapshot
    curve = altsets.frontier(WIDE, by="penalty", **asked, **TOGETHER)
    assert not curve.points or "best sets found" in str(curve.verdict)


def test_a_range_near_a_best_set_that_is_not_proven_says_so(clock, snapshot):
    near = altsets.near_best(WIDE, 5, within=0.05, time_limit=clock.limit(1))
    said = near.range(range(30)).explain()
    assert said == snapshot


# --- Refusals -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["additive", "milp"])
def test_an_engine_that_declines_names_one_that_does_not(engine, refused):
    with refused(UnsupportedError):
        found(min_quality=1, engine=engine, **TOGETHER)
    assert found(min_quality=1, engine="enumerate", **TOGETHER).status == "optimal"


def test_a_wide_table_says_which_definition_it_does_not_take(refused):
    rows = np.random.default_rng(0).normal(size=(20, 6_000))
    wide = quality.MRMR.from_data(rows, rows[:, 0] > 0, measure="pearson")
    with refused(UnsupportedError):
        altsets.find(wide, 3, 1, overlap_penalty=0.1)


def test_a_large_penalty_is_not_sent_to_the_tau_that_it_has(refused):
    with refused(InputError):
        found(overlap_penalty=1e20)
    with refused(InputError):
        found(overlap_penalty=1e20, tau=1)


@pytest.mark.parametrize("name", ["overlap_penalty", "min_quality"])
def test_numbers_too_large_for_a_float_are_refused(name, refused):
    with refused(InputError):
        found(**{name: 10**400}, **TOGETHER)


@pytest.mark.parametrize("wrong", [
    {"costs": {"a": -1}, "limit": 3}, {"costs": {"a": 1}, "limit": float("nan")},
    {"costs": [1, 2], "limit": 3}, {"costs": {"a": 1, "b": 2}, "limit": 3, "groups": [["a", "b"]]},
    {"costs": {"a": 1}, "limit": 3, "groups": 5},
])  # fmt: skip
def test_a_budget_of_all_sets_goes_by_its_own_name(wrong):
    with pytest.raises(InputError, match=r"^TotalBudget"):
        found(constraints=constraints.TotalBudget(**wrong))


# --- The command line ---------------------------------------------------------------------------------------
ALL_SETS = ["--at-most-sets", "--at-least-sets", "--reserve", "--total-budget"]


def test_help_shows_no_option_that_is_refused(run, table, snapshot):
    _, out, _ = run("near-best", "--help-all")
    assert not [flag for flag in [*ALL_SETS, "--evaluate"] if flag in out]
    _, shown, _ = run("find", "--help-all")
    assert all(flag in shown for flag in ALL_SETS)
    assert run.error("near-best", table, "-t", "y", "-k", 2, "--reserve", "a") == snapshot


def test_a_trade_off_names_qualities_as_the_command_line_does(snapshot):
    black_box = quality.BlackBox(sum, n_features_in=4)
    with spelled(as_option), pytest.raises(UnsupportedError) as refused:
        altsets.frontier(black_box, 2, against=[1, 2, 3, 4])
    assert str(refused.value) == snapshot
