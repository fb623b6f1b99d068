"""How many sets are nearly as good as the best one: against brute force, and what the answer says about itself."""

from __future__ import annotations

import itertools
import json
import math
import signal
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from near_sets import NearRequest, check_near, random_near_request
from scipy.stats import chisquare

import altsets
from altsets import constraints, quality
from altsets.errors import InputError, UnsupportedError
from altsets.problem import Problem
from altsets.search.near_best.counting import Counting, nearness_of
from altsets.search.near_best.families import FilteredFamily, ListedFamily, SumFamily, share_interval
from altsets.search.near_best.sums import NEAR_BEST_LIMITS
from altsets.search.run import Run

SIX = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))


def pairwise(kind, n=12, seed=0):
    """A quality with pair terms, or with conflicts."""
    rng = np.random.default_rng(seed)
    relevance, pairs = rng.random(n), rng.random((n, n))
    if kind is quality.FCBF:
        return quality.FCBF(relevance, 1.2 * pairs**3)
    return kind(relevance, (pairs + pairs.T) / 2)


def as_request(searched, *asked, **options):
    """The request about a quality with pair terms, as plain values."""
    numbers = {
        "kind": type(searched).__name__.lower(),
        "scores": tuple(searched.relevance),
        "matrix": tuple(map(tuple, searched.redundancy)),
    }
    return NearRequest(numbers, *asked, **options)


def family_of(request, limits, best_set=None):
    """The sets of a request, counted within other limits than the usual ones."""
    searched = request.quality
    problem = Problem.create(searched.n_features_in, n_alternatives=0, **request.options)
    nearness = nearness_of(request.within, request.min_quality)
    best_set = best_set or altsets.find(searched, n_alternatives=0, **request.options).sets[0]
    return Counting(searched, problem, nearness, Run(), limits).given(best_set, proven=True).family


# --- Against brute force ------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_counts_shares_cores_and_order_are_those_of_a_list_of_all_sets(seed):
    for number in range(20):
        check_near(random_near_request(np.random.default_rng([7, seed, number])))


# --- Rounded scores -------------------------------------------------------------------------------------

#: Nothing is listed, so that scores are rounded, and few sets are drawn.
ROUNDED = replace(NEAR_BEST_LIMITS, max_half_sets=0, n_draws=500)


@pytest.mark.parametrize("seed", range(2))
def test_intervals_contain_the_truth(seed):
    n_sums = n_exact = 0
    for number in range(20):
        rng = np.random.default_rng([11, seed, number])
        request = random_near_request(rng)
        truth = request.truth()
        if not truth.sets:
            continue
        family = family_of(request, ROUNDED, truth.sets[0])
        if not isinstance(family, SumFamily):
            continue
        low, high = family.bounds
        assert low <= len(truth.sets) <= high, request
        assert set(family.draw(20, rng)) <= set(truth.sets), request
        shares = np.diagonal(truth.pairs)
        assert list(family.always()) == [share == 1 for share in shares], request
        assert list(family.sometimes()) == [share > 0 for share in shares], request
        n_sums, n_exact = n_sums + 1, n_exact + (low == high)
    assert n_sums > 5
    assert n_exact > n_sums / 2


def test_more_steps_narrow_the_interval():
    request = NearRequest({"scores": tuple(np.random.default_rng(3).random(40))}, 6, within=0.3)
    exact = request.answer()
    assert exact.exact
    widths = []
    for precision in (1.0, 0.1, 0.01):
        low, high = family_of(request, replace(ROUNDED, precision=precision)).bounds
        assert low <= exact.count <= high
        widths.append((high - low) / low)
    assert widths[2] <= 0.01 < widths[0]


def test_whole_numbers_are_counted_exactly_whatever_their_number():
    scores = quality.Additive(np.repeat([3.0, 2.0, 1.0], 200))
    near = altsets.near_best(scores, 20, min_quality=58)
    # Up to two twos, or a one, among threes.
    ways = [math.comb(200, 20), math.comb(200, 19) * 200, math.comb(200, 18) * math.comb(200, 2)]
    ways.append(math.comb(200, 19) * 200)
    assert near.exact
    assert near.count == sum(ways) > 2**53
    tenths = altsets.near_best(quality.Additive(0.1 * scores.scores), 20, min_quality=5.8)
    assert (tenths.exact, tenths.count) == (True, near.count)


def test_a_narrow_interval_of_a_large_number_is_about_that_number():
    request = NearRequest({"scores": tuple(np.arange(300.0))}, 15, within=0.2)
    exact = request.answer()
    assert exact.exact
    low, high = family_of(request, replace(NEAR_BEST_LIMITS, max_long_additions=0)).bounds
    # Counted in floats, which are rounded.
    assert low < exact.count < high
    assert high - low < 1e-9 * low


def test_all_sets_are_as_many_as_there_are():
    near = altsets.near_best(quality.Additive(np.random.default_rng(0).random(60)), 12, within=10)
    assert (near.exact, near.count) == (True, math.comb(60, 12))
    assert near.estimated
    np.testing.assert_allclose(near.frequencies, 12 / 60, atol=0.02)


def test_astronomic_numbers_come_as_a_narrow_interval_with_estimates():
    rng = np.random.default_rng(5)
    scores = quality.Additive(rng.random(300))
    near = altsets.near_best(scores, 8, within=0.3)
    low, high = near.count_bounds
    assert not near.exact
    assert near.estimated
    assert 1e12 < low == near.count < high <= 1.01 * low
    assert near.frequencies.sum() == pytest.approx(8)
    np.testing.assert_allclose(np.diagonal(near.pair_frequencies), near.frequencies)
    assert near.free
    assert not near.cores
    assert "estimates" in near.explain()
    values = [scores.evaluate(chosen) for chosen in near.sample(200, random_state=1)]
    assert min(values) >= near.threshold - 1e-9
    # The first ones come at once, in order.
    best = [scores.evaluate(chosen) for chosen in itertools.islice(near, 500)]
    assert best == sorted(best, reverse=True)
    assert best[0] == near.best


def test_numbers_beyond_all_floats_are_refused(refused):
    with refused(UnsupportedError):
        altsets.near_best(quality.Additive(np.random.default_rng(0).random(2000)), 400, within=0.5)


# --- Samples ------------------------------------------------------------------------------------------
def assert_uniform(drawn, sets):
    counts = Counter(drawn)
    assert set(counts) <= set(sets)
    assert chisquare([counts[chosen] for chosen in sets]).pvalue > 1e-3


@pytest.mark.parametrize("limits", [NEAR_BEST_LIMITS, ROUNDED], ids=["halves", "rounded"])
@pytest.mark.parametrize("scores", ["any", "ties", "sizes"])
def test_samples_are_uniform(limits, scores):
    rng = np.random.default_rng(2)
    numbers = rng.integers(0, 3, 10).astype(float) if scores == "ties" else rng.random(10)
    rules = (("size", 2, 4),) if scores == "sizes" else (("require", (4,)),)
    request = NearRequest({"scores": tuple(numbers)}, 4, rules, within=0.4)
    truth = request.truth()
    assert 10 < len(truth.sets) < 200
    assert_uniform(family_of(request, limits).draw(5000, np.random.default_rng(0)), truth.sets)


def test_samples_from_few_steps_are_uniform_too():
    """Half of what is drawn does not count."""
    request = NearRequest({"scores": tuple(np.random.default_rng(4).random(11))}, 4, within=0.35)
    coarse = replace(ROUNDED, first_steps=6, max_steps=6, max_overdraw=100.0)
    family = family_of(request, coarse)
    low, high = family.bounds
    truth = request.truth().sets
    assert low < len(truth) < high
    assert_uniform(family.draw(5000, np.random.default_rng(0)), truth)


def test_samples_of_listed_sets_are_uniform():
    near = altsets.near_best(pairwise(quality.MRMR, 10), 3, within=0.5)
    assert 10 < near.count < 120
    assert_uniform(near.sample(5000, random_state=0), list(near))


@pytest.mark.parametrize("searched", [SIX, pairwise(quality.CFS)], ids=["sum", "ratio"])
def test_the_same_seed_draws_the_same_sets(searched):
    near = altsets.near_best(searched, 3, within=0.5)
    assert near.sample(30, random_state=3) == near.sample(30, random_state=3)
    assert near.sample(30, random_state=3) != near.sample(30, random_state=4)
    rng = np.random.default_rng(3)
    assert near.sample(30, random_state=rng) == near.sample(30, random_state=3)
    assert near.sample(0) == []


# --- Lists that are not complete ------------------------------------------------------------------------
def test_of_too_many_sets_the_best_are_listed():
    searched = pairwise(quality.MRMR, 14)
    truth = altsets.near_best(searched, 5, within=3.0)
    request = as_request(searched, 5, within=3.0)
    family = family_of(request, replace(NEAR_BEST_LIMITS, max_listed=truth.count // 2))
    assert isinstance(family, ListedFamily)
    low, high = family.bounds
    assert low == truth.count // 2 < truth.count <= high == math.comb(14, 5)
    assert family.n_known
    known = list(family.ranked())
    assert len(known) == family.n_known < truth.count
    assert known == truth.top(len(known))
    assert family.shares().sum() == pytest.approx(5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["additive", "fcbf"])
def test_sums_that_constraints_make_too_many_are_sifted(kind):
    rng = np.random.default_rng(6)
    scores = tuple(rng.random(11))
    numbers = {"scores": scores}
    if kind == "fcbf":
        numbers |= {"kind": "fcbf", "matrix": tuple(map(tuple, rng.random((11, 11)) ** 25))}
    request = NearRequest(numbers, 4, (("at_most", 1, (0, 1, 2)), ("forbid", (5,))), within=0.4)
    truth = request.truth()
    assert 20 < len(truth.sets) < 150
    family = family_of(request, replace(NEAR_BEST_LIMITS, max_listed=10, n_draws=500))
    assert isinstance(family, FilteredFamily)
    low, high = family.bounds
    assert 10 <= low < len(truth.sets) <= high < math.comb(10, 4)
    assert list(family.ranked()) == truth.sets
    assert_uniform(family.draw(5000, np.random.default_rng(0)), truth.sets)
    np.testing.assert_allclose(family.shares(), np.diagonal(truth.pairs), atol=0.1)
    np.testing.assert_allclose(np.diagonal(family.pair_shares()), family.shares())
    assert not (family.always() & (family.shares() < 1)).any()
    # With constraints that hardly any set keeps, drawing is no use.
    nothing = family_of(request, replace(NEAR_BEST_LIMITS, max_listed=10, min_kept=1.0))
    assert isinstance(nothing, ListedFamily)


def test_a_search_that_takes_long_is_made_in_parts():
    searched = pairwise(quality.CFS, 14)
    truth = altsets.near_best(searched, 5, within=0.5)
    family = family_of(as_request(searched, 5, within=0.5), replace(NEAR_BEST_LIMITS, trial_nodes=10))
    assert family.bounds == truth.count_bounds
    assert family.n_known is None
    assert list(family.ranked()) == list(truth)


# --- Time -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [quality.MRMR, quality.CFS])
def test_without_time_there_are_bounds(kind, clock, refused):
    near = altsets.near_best(pairwise(kind, 60), 6, within=0.5, time_limit=clock.limit(1))
    assert not near.exact
    assert near.count_bounds == (1, math.comb(60, 6))
    assert (near.n_known, near.stop_reason) == (0, "time_limit")
    assert list(near) == []
    assert "time limit" in near.explain()
    assert math.isfinite(near.best)
    assert near.to_dict()["count_bounds"] == [1, math.comb(60, 6)]
    with refused(InputError):
        near.sample(1)


def test_without_time_sums_have_bounds_and_sets(clock):
    scores = quality.Additive(np.random.default_rng(0).random(200))
    near = altsets.near_best(scores, 10, within=0.3, time_limit=clock.limit(1))
    low, high = near.count_bounds
    patient = altsets.near_best(scores, 10, within=0.3)
    assert 0 < low <= patient.count_bounds[0] <= patient.count_bounds[1] <= high < math.comb(200, 10)
    assert near.stop_reason == "time_limit"
    assert near.top(20) == patient.top(20)


@pytest.mark.parametrize("searched", ["sum", "mrmr"])
def test_a_time_limit_is_kept(searched, clock):
    rng = np.random.default_rng(0)
    hard = quality.Additive(rng.random(3000)) if searched == "sum" else pairwise(quality.MRMR, 80)
    near = altsets.near_best(hard, 20 if searched == "sum" else 9, within=0.5, time_limit=clock.limit(50))
    assert clock.looks < 200
    assert not near.exact
    assert near.stop_reason == "time_limit"


def test_ctrl_c_keeps_what_is_known(clock):
    clock.step = 0.05

    def interrupt(progress):
        if progress.elapsed > 2:
            signal.raise_signal(signal.SIGINT)

    near = altsets.near_best(pairwise(quality.MRMR, 80), 9, within=0.8, callback=interrupt)
    assert near.stop_reason == "interrupted"
    assert near.count_bounds[0] >= 1
    assert "interrupted" in near.explain()


def test_a_callback_hears_of_the_best_and_may_end_it():
    heard = []
    altsets.near_best(pairwise(quality.MRMR), 4, within=0.1, callback=heard.append)
    assert heard[-1].best == pytest.approx(heard[-1].bound)

    def enough(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        altsets.near_best(pairwise(quality.MRMR), 4, within=0.1, callback=enough)


# --- What is asked --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("options", "words"), [
    ({"within": -0.1}, "within=-0.1 is negative"),
    ({"within": math.nan}, "within=nan is not a finite number"),
    ({"within": math.inf}, "within=inf is not a finite number"),
    ({"within": "10 %"}, "within='10 %' is not a finite number"),
    ({"within": None}, "neither min_quality nor within was given"),
    ({"within": True}, "within=True is not a finite number"),
    ({"within": 10**400}, "is not a finite number"),
    ({"within": 0.2, "min_quality": 3}, "both given"),
    ({"min_quality": math.nan}, "min_quality=nan is not a finite number"),
    ({"min_quality": -math.inf}, "min_quality=-inf is not a finite number"),
    ({"n_features": 7}, "only 6 features"),
    ({"time_limit": 0}, "time_limit=0 must be a positive number"),
    ({"constraints": [constraints.Require("z")]}, "'z', which is not a feature"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(options, words):
    with pytest.raises(InputError, match=words) as caught:
        altsets.near_best(SIX, **{"n_features": 2, **options})
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("seed", "words"), [("x", "random_state='x' is not a seed"), (-1, "random_state=-1")]
)
def test_odd_seeds_are_refused(seed, words):
    with pytest.raises(InputError, match=words):
        altsets.near_best(SIX, 2).sample(1, random_state=seed)


@pytest.mark.parametrize("least", [18, 1e300, 17 + 1e-6])
def test_a_quality_that_no_set_has(least, snapshot):
    near = altsets.near_best(SIX, 2, min_quality=least)
    assert (near.count, near.exact, near.best, near.best_set) == (0, True, 17.0, (0, 1))
    assert list(near) == near.cores == near.free == []
    assert not near.frequencies.any()
    assert not near.pair_frequencies.any()
    assert near.explain() == snapshot
    with pytest.raises(InputError, match="no sets"):
        near.sample(1)


def test_what_is_equal_but_for_rounding_counts():
    scores = quality.Additive([0.1 + 0.2, 0.3, 0.3 - 1e-11, 0.3 - 1e-8])
    assert altsets.near_best(scores, 1, within=0).count == 3
    assert altsets.near_best(scores, 1, min_quality=0.3).count == 3
    # Whatever the unit.
    assert altsets.near_best(quality.Additive(1e-60 * scores.scores), 1, within=0).count == 3


@pytest.mark.parametrize(("relevance", "size"), [
    ([-1, 1e-5, 1, 0], 4),
    ([-1.0, 2.00002, -1.00002, -0.99998, 1.00002, -3.0], 5),
    ([-0.2, 0.3, 0.2, -0.2, -0.3, -2e-7, 0.1, -0.1 + 1e-6], 6),
    ([0.1, 0.2, -0.3, 0.7, -0.7 + 1e-7, 1e-6], 4),
])  # fmt: skip
@pytest.mark.parametrize("within", [0, 0.1, 1])
def test_relevance_that_nearly_cancels_in_a_ratio(relevance, size, within):
    ratio = quality.CFS(relevance, np.zeros((len(relevance),) * 2))
    sets = list(itertools.combinations(range(len(relevance)), size))
    values = list(map(ratio.evaluate, sets))
    least = max(values) - within * abs(max(values)) - 1e-9 * max(map(abs, relevance))
    expected = [chosen for chosen, value in zip(sets, values, strict=True) if value >= least]
    near = altsets.near_best(ratio, size, within=within)
    assert near.exact
    assert near.count == len(expected)
    assert sorted(near) == expected
    most = altsets.find(ratio, size, "max", tau=0, min_quality=least, search="simultaneous")
    assert most.n_sets_bound == len(most.sets) == len(expected)


def test_the_only_set_there_is_has_its_features_however_early_time_is_up(clock):
    only = pairwise(quality.CFS, 4)
    near = altsets.near_best(only, 4, within=0.1, time_limit=clock.limit(1))
    assert near.exact
    assert list(near) == [(0, 1, 2, 3)]
    assert near.frequencies.tolist() == [1, 1, 1, 1]
    assert near.always == list(only.feature_names)
    none = altsets.near_best(only, 4, min_quality=9, time_limit=clock.limit(1))
    assert (none.exact, none.count, list(none)) == (True, 0, [])


def test_negative_qualities():
    near = altsets.near_best(quality.Additive([-1, -2, -3, -4]), 1, within=1)
    assert (near.best, near.threshold, near.count) == (-1, -2, 2)


def test_the_best_of_all_sizes_is_what_counts(snapshot):
    near = altsets.near_best(SIX, within=0.3, constraints=constraints.Size(1, 3))
    assert near.best == 24
    assert near.threshold == pytest.approx(16.8)
    assert Counter(len(chosen) for chosen in near) == {3: 9, 2: 1}
    assert near.explain() == snapshot


@pytest.mark.parametrize("searched", [SIX, pairwise(quality.MRMR, 6).with_names(list("abcdef"))])
def test_constraints_that_clash_are_named(searched, snapshot):
    clash = [constraints.Require(["a", "b"]), constraints.Exclusive(["a", "b", "c"])]
    near = altsets.near_best(searched, 3, constraints=clash)
    assert (near.count, near.exact, near.count_bounds) == (0, True, (0, 0))
    assert math.isnan(near.best)
    assert near.best_set is None
    assert near.explain() == near.reason == snapshot
    assert near.to_dict()["best"] is None
    assert "no set" in repr(near)


# --- Black boxes ----------------------------------------------------------------------------------------
def test_of_a_black_box_all_sets_are_evaluated():
    scores = SIX.scores
    asked = quality.BlackBox(lambda chosen: float(sum(scores[list(chosen)])), feature_names=list("abcdef"))
    near, other = altsets.near_best(asked, 3, within=0.3), altsets.near_best(SIX, 3, within=0.3)
    assert (near.count, near.best, near.exact) == (other.count, other.best, True)
    np.testing.assert_allclose(near.pair_frequencies, other.pair_frequencies)
    assert asked.n_evaluations == 20


def test_a_black_box_that_rules_sets_out():
    ruled = quality.BlackBox(lambda chosen: -math.inf if 0 in chosen else 1.0, n_features_in=5)
    assert altsets.near_best(ruled, 2).count == 6
    none = quality.BlackBox(lambda chosen: -math.inf, n_features_in=5)
    assert altsets.near_best(none, 2).count == 0


#: Black boxes are asked about few sets.
FEW_ASKED = replace(NEAR_BEST_LIMITS, max_asked=100, n_asked=300, trial_draws=100)


def box_of(scores):
    return quality.BlackBox(lambda chosen: float(scores[list(chosen)].sum()), n_features_in=len(scores))


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["none", "size", "several"])
def test_intervals_of_black_boxes_hold(rules):
    given = {
        "none": (),
        "size": (constraints.Size(2, 4),),
        "several": (constraints.AtMost(1, [0, 1, 2]), constraints.Require([5])),
    }[rules]
    held = []
    for seed in range(20):
        scores = np.random.default_rng([3, seed]).random(12)
        problem = Problem.create(12, n_features=4, n_alternatives=0, constraints=given)
        nearness = nearness_of(0.2, None)
        counted, reason, _ = Counting(box_of(scores), problem, nearness, Run(), FEW_ASKED).black_box()
        truth = altsets.near_best(
            quality.Additive(scores), 4, min_quality=nearness.least(counted.best), constraints=given
        )
        low, high = counted.estimate.interval
        assert reason == ""
        assert not counted.proven
        assert counted.estimate.n_drawn <= 300
        assert counted.family.bounds[0] <= truth.count <= counted.family.bounds[1]
        assert set(counted.family.ranked()) <= set(truth)
        held.append(low <= truth.count <= high)
    # 95 % of the intervals hold; 16 or fewer of 20 in 2 of 100 runs.
    assert sum(held) >= 17


def test_a_threshold_that_the_draws_moved_has_a_wider_interval():
    low, high = share_interval(5, 100, 0.05)
    assert (low, high) == pytest.approx((0.01643, 0.11284), abs=1e-5)
    assert share_interval(0, 100, 0.05)[0] == 0
    assert share_interval(100, 100, 0.05)[1] == 1
    wide = share_interval(5, 100, 0.05, any_threshold=True)
    assert wide[0] < low < high < wide[1]


@pytest.mark.slow
def test_a_black_box_with_too_many_sets_is_estimated(refused, snapshot):
    scores = np.random.default_rng(1).random(25)
    near, truth = (
        altsets.near_best(box_of(scores), 5, within=0.3),
        altsets.near_best(quality.Additive(scores), 5, within=0.3),
    )
    low, high = near.estimate["interval"]
    assert low <= truth.count <= high < 1.5 * low
    assert (near.exact, near.estimated, near.best_proven) == (False, True, False)
    assert near.best == truth.best
    np.testing.assert_allclose(near.frequencies, truth.frequencies, atol=0.06)
    assert repr(near) == snapshot
    assert near.explain() == snapshot
    assert "95 % confidence" in near.verdict.cautions[0]
    assert set(near.sample(50, random_state=0)) <= set(truth)
    assert (near.always, near.never) == ([], [])
    assert near.top(1) == truth.top(1)
    none = altsets.near_best(box_of(scores), 5, min_quality=100)
    assert (none.count, none.estimate["n_counted"]) == (0, 0)
    assert none.verdict.findings[0] == snapshot
    with refused(InputError):
        none.sample()


def test_a_black_box_with_too_many_sets_and_hardly_any_valid_one_is_refused(snapshot):
    rules = [constraints.AtLeast(5, range(6))]
    with pytest.raises(UnsupportedError) as caught:
        altsets.near_best(quality.BlackBox(sum, n_features_in=200), 8, constraints=rules)
    assert str(caught.value) == snapshot
    assert len(str(caught.value).splitlines()) == 1


def test_a_slow_black_box_says_how_many_were_drawn_in_time(clock, snapshot):
    def slow(chosen):
        clock.now += 1.0
        return float(sum(chosen))

    near = altsets.near_best(quality.BlackBox(slow, n_features_in=40), 5, within=0.5, time_limit=100)
    assert 0 < near.estimate["n_drawn"] < 100
    assert near.stop_reason == "time_limit"
    assert near.explain() == snapshot


def test_a_black_box_without_time(clock):
    near = altsets.near_best(quality.BlackBox(sum, n_features_in=9), 3, time_limit=clock.limit(1))
    assert near.count_bounds == (0, math.comb(9, 3))
    assert near.stop_reason == "time_limit"


# --- What is answered -----------------------------------------------------------------------------------
def test_the_answer_in_words(snapshot):
    near = altsets.near_best(SIX, 3, within=0.25)
    assert near.explain() == snapshot
    assert repr(near) == snapshot
    cores = altsets.near_best(SIX, 3, within=0.1, constraints=constraints.Require("f"))
    assert (cores.cores, cores.free) == (["a", "f"], ["b", "c"])
    assert cores.explain() == snapshot
    alone = altsets.near_best(SIX, 3, within=0)
    assert alone.explain() == snapshot


def test_the_answer_as_a_frame_and_as_json():
    near = altsets.near_best(SIX, 2, min_quality=11, constraints=constraints.Forbid("f"))
    frame = near.to_frame()
    assert list(frame["feature"]) == ["a", "b", "c", "d", "e"]
    assert frame["frequency"].sum() == pytest.approx(2)
    document = json.loads(near.to_json(n_sets=3))
    assert document == json.loads(json.dumps(near.to_dict(3)))
    assert document["count"] == near.count == 6
    assert document["count_bounds"] == [6, 6]
    assert document["exact"] is True
    assert [entry["features"] for entry in document["sets"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert [entry["quality"] for entry in document["sets"]] == [17, 16, 15]
    assert document["parameters"]["min_quality"] == 11
    assert document["parameters"]["within"] is None
    assert document["parameters"]["constraints"] == [{"kind": "forbid", "features": [5]}]
    assert {entry["feature"]: entry["frequency"] for entry in document["features"]}["a"] == pytest.approx(
        4 / 6
    )


def test_nobody_writes_into_the_answer():
    near = altsets.near_best(SIX, 2)
    with pytest.raises(ValueError, match="read-only"):
        near.frequencies[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        near.pair_frequencies[0, 0] = 2


def test_equal_sets_come_in_the_same_order_every_time():
    scores = quality.Additive(np.ones(40))
    near = altsets.near_best(scores, 10)
    assert (near.exact, near.count) == (True, math.comb(40, 10))
    first = near.top(100)
    assert len(set(first)) == 100
    assert first == altsets.near_best(scores, 10).top(100) == list(itertools.islice(near, 100))
    same = altsets.near_best(quality.MRMR(np.ones(8), np.zeros((8, 8))), 3)
    assert list(same) == list(itertools.combinations(range(8), 3))


def test_a_million_scores(refused):
    scores = np.random.default_rng(0).random(1_000_000)
    near = altsets.near_best(quality.Additive(scores), 3, within=1e-5)
    assert near.exact
    assert near.count == len(list(near)) > 100
    with refused(UnsupportedError):
        near.pair_frequencies  # noqa: B018


def test_the_verdict_says_what_sets_have_in_common(snapshot):
    scores = quality.Additive([9.0, 8, 7, 3], feature_names=["a", "b", "c", "d"])
    assert str(altsets.near_best(scores, 2, within=0.2).verdict) == snapshot
    core = altsets.near_best(scores, 3, within=0.2, constraints=[altsets.constraints.Require("a")])
    assert "'a' " in core.verdict.findings[1]
    assert altsets.near_best(scores, 2, within=0).verdict.findings == snapshot
    none = altsets.near_best(scores, 2, min_quality=50)
    assert none.verdict.findings == snapshot


# --- Proven features, and documents ---------------------------------------------------------------------
def test_features_of_all_sets_and_of_none():
    near = altsets.near_best(SIX, 3, within=0.21)
    assert (near.always, near.never) == (["a"], ["f"])
    paired = pairwise(quality.MRMR)
    several = altsets.near_best(paired, 4, within=0.05)
    share = np.array(several.frequencies)
    assert several.always == list(paired.names_of(np.flatnonzero(share == 1)))
    assert several.never == list(paired.names_of(np.flatnonzero(share == 0)))
    none = altsets.near_best(SIX, 2, min_quality=50)
    assert (none.always, none.never) == ([], [])


def test_a_part_of_the_sets_proves_nothing_about_features():
    request = as_request(pairwise(quality.MRMR), 4, within=0.6)
    family = family_of(request, replace(NEAR_BEST_LIMITS, max_listed=20, trial_nodes=1))
    assert family.n_known is not None
    assert not np.any(family.proven())


@pytest.mark.parametrize(("searched", "size", "asked"), [
    (SIX, 3, {"within": 0.25}),
    (SIX, 2, {"min_quality": 11, "constraints": constraints.Forbid("f")}),
    (SIX, 2, {"min_quality": 50}),
    (SIX, 1, {"constraints": constraints.Require(["a", "b"])}),
    (pairwise(quality.CFS), 4, {"within": 0.1, "constraints": constraints.Size(2, 4)}),
    (quality.Additive(np.random.default_rng(5).random(300)), 8, {"within": 0.3, "time_limit": 0.05}),
    (pairwise(quality.MRMR, 60), 12, {"within": 0.3, "time_limit": 1e-6}),
    (box_of(np.random.default_rng(1).random(20)), 5, {"within": 0.2}),
], ids=["sums", "least", "none", "clash", "sizes", "estimated", "no time", "drawn"])  # fmt: skip
def test_documents_are_read_as_they_were_written(searched, size, asked, clock, tmp_path, refused):
    near = altsets.near_best(searched, size, **asked)
    text = near.to_json()
    read = altsets.results.NearBest.from_json(text)
    assert read.to_json() == text
    assert read.explain() == near.explain()
    assert str(read.verdict) == str(near.verdict)
    assert repr(read) == repr(near)
    assert read.parameters == near.parameters
    assert (read.best_set, read.best_proven, read.exact) == (near.best_set, near.best_proven, near.exact)
    np.testing.assert_array_equal(read.frequencies, near.frequencies)
    assert read.top(3) == near.top(3)
    if near.count and near.n_known != 0:
        with refused(UnsupportedError):
            read.sample()
        read.report(tmp_path / "read.html")
