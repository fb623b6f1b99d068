"""The frontier: each point against brute force and against a search of its own; what is shared, told and refused."""

from __future__ import annotations

import itertools
import math
import signal
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from checks import disagreements, tolerance
from random_requests import random_request

import altsets
from altsets import Status, constraints, dissimilarity, quality
from altsets.errors import InputError, UnsupportedError
from altsets.request import Request
from altsets.result import StopReason, elbow_of
from altsets.results import FrontierPoint
from altsets.search.engine import answer_from_known, merge_known
from altsets.search.run import Known, Run
from altsets.search.solving import problem_of, solve

NAMES = list("abcdefgh")
SCORES = quality.Additive([9, 8, 8, 8, 7, 3, 1, 1], feature_names=NAMES)


def mrmr(n=16, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.random((n, n))
    return quality.MRMR(rng.random(n), (pairs + pairs.T) / 2)


# --- Points are what searches of their own find --------------------------------------------------------
def keywords(asked):
    options = asked.options
    for name in ("tau", "n_features", "n_alternatives"):
        options.pop(name, None)
    return options


def small_requests(seed, count):
    rng = np.random.default_rng(seed)
    while count:
        asked = random_request(rng)
        asked = replace(asked, min_difference=None, tau=0, n_alternatives=min(asked.n_alternatives, 3))
        sizes = [rest for kind, *rest in asked.constraints if kind == "size"]
        if len(asked.oracle.usable[0]) <= 60 and not sizes:
            count -= 1
            yield rng, asked


@pytest.mark.parametrize("seed", range(6))
def test_every_point_is_that_of_brute_force(seed):
    for rng, asked in small_requests(seed, 3):
        sizes = sorted({asked.n_features, max(asked.n_features - 1, 1)})
        counts = range(asked.n_alternatives + 1) if rng.random() < 0.5 else asked.n_alternatives
        taus = None if rng.random() < 0.4 else [Fraction(1, 5), "0.5", 1, 0]
        try:
            found = altsets.frontier(asked.quality, sizes, counts, taus, **keywords(asked))
        except UnsupportedError:
            # Heuristics take less than all.
            continue
        for point in found.points[:: max(len(found) // 12, 1)]:
            own = replace(
                asked, n_features=point.n_features, n_alternatives=point.n_alternatives, tau=point.tau
            )
            assert not disagreements(own, point.result, own.oracle), own.snippet()


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("good", [mrmr(), quality.Additive(np.random.default_rng(3).random(14))])
def test_every_point_equals_its_own_search(good, search, aggregation):
    options = {"search": search, "aggregation": aggregation}
    found = altsets.frontier(good, [3, 4], range(3), **options)
    assert len(found) == sum(1 + 2 * (k + 1) for k in (3, 4))
    for point in found:
        own = altsets.find(good, point.n_features, point.n_alternatives, point.tau, **options)
        assert point.result.statuses == own.statuses
        assert point.result.parameters == own.parameters
        assert point.result.objective == pytest.approx(own.objective, abs=tolerance(1), nan_ok=True)
        assert point.result.bound == pytest.approx(own.bound, abs=tolerance(1))
        assert bool(point.result.reason) == bool(own.reason)


def test_infeasible_from_some_tau_on(snapshot):
    found = altsets.frontier(SCORES, 4, 2, search="simultaneous")
    assert [point.status for point in found] == ["optimal"] * 3 + ["infeasible"] * 2
    last = found.points[-1].result
    assert last.proof == snapshot
    assert last.bound == -math.inf
    assert math.isnan(found.points[-1].mean)
    more = altsets.frontier(SCORES, 4, [2, 3], 0.75, search="simultaneous")
    assert more.points[1].result.proof == snapshot


@pytest.mark.parametrize("engine", ["additive", "enumerate", "milp"])
def test_engines(engine):
    found = altsets.frontier(SCORES, 3, 2, engine=engine, search="simultaneous")
    assert {point.result.engine for point in found} == {engine}
    assert [point.result.objective for point in found.points[:3]] == [75, 75, 68]
    assert found.points[3].status is Status.INFEASIBLE


# --- Which points there are ----------------------------------------------------------------------------
def taus_of(found):
    return [point.tau for point in found]


def test_every_tau_that_matters():
    assert taus_of(altsets.frontier(SCORES, 4, 1)) == [0, 0.25, 0.5, 0.75, 1]
    jaccard = altsets.frontier(SCORES, 3, 1, dissimilarity="jaccard")
    assert taus_of(jaccard) == pytest.approx([0, 0.5, 0.8, 1])
    assert [point.max_overlap for point in jaccard] == [3, 2, 1, 0]
    alike = np.eye(8)
    alike[0, 1] = alike[1, 0] = 0.95
    close = altsets.frontier(SCORES, 2, 1, dissimilarity=dissimilarity.Matched(alike, threshold=0.9))
    assert taus_of(close) == [0, 0.5, 1]
    pairs = dissimilarity.Grouped([["a", "b"], ["c", "d"], ["e", "f"]])
    groups = altsets.frontier(SCORES, 2, 1, dissimilarity=pairs)
    assert taus_of(groups) == pytest.approx([0, 1 / 3, 0.5, 1])


def test_a_grid_where_dissimilarities_have_no_values_of_their_own():
    tenths = pytest.approx([step / 10 for step in range(11)])
    weighted = dissimilarity.Matched(np.eye(8))
    assert taus_of(altsets.frontier(SCORES, 2, 1, dissimilarity=weighted)) == tenths
    own = altsets.frontier(SCORES, 2, 1, dissimilarity=lambda F, G: float(min(F) != min(G)))
    assert taus_of(own) == tenths
    open_sizes = altsets.frontier(SCORES, n_alternatives=1, constraints=constraints.Size(1, 8))
    assert len(open_sizes) < 100
    assert {point.n_features for point in open_sizes} == {8}


def test_taus_that_are_given():
    found = altsets.frontier(SCORES, [2, 4], 1, tau=["0.5", Fraction(1, 2), 1.0])
    assert [(point.n_features, point.tau) for point in found] == [(2, 0.5), (2, 1), (4, 0.5), (4, 1)]
    assert taus_of(altsets.frontier(SCORES, 2, 1, 0.5)) == [0.5]


def test_a_set_alone_has_one_point():
    found = altsets.frontier(SCORES, range(1, 9), 0)
    assert [(point.n_features, point.tau) for point in found] == [(k, 0) for k in range(1, 9)]
    assert len(altsets.frontier(SCORES, 2, 0, existing=[["a", "b"]])) == 3


def test_sizes_beyond_the_table_are_left_out(snapshot):
    found = altsets.frontier(SCORES, range(7, 12), 0)
    assert found.sizes == [7, 8]
    assert found.notes == snapshot
    assert found.notes[0] in found.explain()


@pytest.mark.parametrize(("arguments", "message"), [
    (((), 3), "n_features=() is empty"),
    ((range(5, 5), 3), "n_features=range(5, 5) is empty"),
    (([2, 2.5], 3), "n_features=2.5 is not a whole number"),
    (("2:5", 3), "n_features='2:5' is not a whole number"), ((0, 3), "n_features=0 is too small"),
    ((range(9, 12), 3), "n_features=9, but there are only 8 features"),
    ((3, -1), "n_alternatives=-1 is too small"),
    ((3, "max"), "n_alternatives='max' is not a whole number"), ((3, 1, []), "tau=[] is empty"),
    ((3, 1, "max"), "tau='max' is no point of a frontier"),
    ((3, 1, [0.5, 1.5]), "tau=1.5 is outside [0, 1]"), ((3, 1, [math.nan]), "tau=nan is"),
    ((3, 1, "half"), "tau='half' is not a number"),
    ((3, range(20_000)), "n_alternatives has 20,000 values"),
    ((range(1, 10**9),), "n_features has 999,999,999 values"),
    ((3, 1, itertools.count()), "tau has more than 10,000 values"),
    ((range(1, 9), range(1, 2000)), "more than 10,000 points"),
])  # fmt: skip
def test_bad_questions(arguments, message):
    with pytest.raises(InputError) as caught:
        altsets.frontier(SCORES, *arguments)
    assert message in str(caught.value)


def test_other_bad_questions(refused):
    with refused(InputError):
        altsets.frontier(SCORES, 3, 1, time_limit=0)
    with refused(InputError):
        altsets.frontier(SCORES, [2, 3], 1, constraints=constraints.Size(1, 2))
    with refused(InputError):
        altsets.frontier(SCORES, 3, by="penalty", against=range(8))
    with refused(InputError):
        altsets.frontier(SCORES, [2, 3], against=range(8))
    with refused(UnsupportedError):
        altsets.frontier(mrmr(), 3, 1, search="greedy-balancing")


# --- Sets that are good enough --------------------------------------------------------------------------
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_within_is_about_the_best_set_of_the_same_size(search):
    for within in (0.05, 0.3):
        found = altsets.frontier(mrmr(), [3, 4], 1, within=within, search=search)
        for point in found:
            own = altsets.find(
                mrmr(), point.n_features, point.n_alternatives, point.tau, within=within, search=search
            )
            assert (point.status, len(point.result.sets)) == (own.status, len(own.sets))
            assert point.quality == pytest.approx(own.objective, nan_ok=True)
            assert min(own.qualities, default=1) >= (1 - within) * found.best(point.n_features) - 1e-9


def test_a_least_quality_holds_at_every_point():
    found = altsets.frontier(SCORES, 3, 1, min_quality=20)
    assert [point.worst for point in found.points[:3]] == [25, 25, 24]
    assert found.points[3].status is Status.INFEASIBLE


@pytest.mark.parametrize(
    "curve", [{"by": "penalty"}, {"by": "balance"}, {"against": [3, 1, 2, 1, 1, 0, 1, 0]}]
)
def test_other_curves_leave_out_sets_that_are_not_good_enough(curve):
    whole = altsets.frontier(SCORES, 3, 1, 0.6, **curve)
    found = altsets.frontier(SCORES, 3, 1, 0.6, within=0.1, **curve)
    assert found.proven
    assert all(point.worst >= 0.9 * 25 for point in found)
    good = [point for point in whole if point.worst >= 0.9 * 25]
    assert {point.quality for point in good} <= {point.quality for point in found}


def test_a_quality_by_its_name_is_computed_from_a_table():
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    X = y[:, None] + rng.normal(size=(60, 5)) * np.arange(1, 6)
    scores = quality.Additive.from_data(X, y, measure="pearson")
    found = altsets.frontier("pearson", [2, 3], 1, X=X, y=y)
    assert [point.result.sets for point in found] == [
        point.result.sets for point in altsets.frontier(scores, [2, 3], 1)
    ]
    assert altsets.frontier(scores.scores, 2, 1).points[0].quality == found.points[0].quality
    again = altsets.results.Frontier.from_json(found.to_json())
    assert again.points[0].result.request.quality.name == "pearson"


# --- What searches share -------------------------------------------------------------------------------
def test_sequential_searches_share_their_first_set(monkeypatch):
    from altsets.search.subset.pricing import PricingOracle

    asked = []
    k_best = PricingOracle.k_best

    def counted(self, count=1, **options):
        asked.append(len(options.get("others", ())))
        return k_best(self, count, **options)

    monkeypatch.setattr(PricingOracle, "k_best", counted)
    found = altsets.frontier(mrmr(), 4, range(1, 4))
    assert len(found) == 15
    # The first set once; then one, two and three others for each of five taus, once.
    assert sorted(asked) == [0] + [1] * 5 + [2] * 5 + [3] * 5


def test_what_is_known_settles_a_request(snapshot):
    problem = problem_of(Request(n_features=2, n_alternatives=1, tau=0.5, search="simultaneous"), SCORES)
    known = Known(sets=[(0, 1), (0, 2)], bound=34.0, proof="so it is")
    assert answer_from_known(SCORES, problem, known).statuses == [Status.OPTIMAL] * 2
    assert answer_from_known(SCORES, problem, replace(known, bound=34.1)) is None
    assert answer_from_known(SCORES, replace(problem, aggregation="min"), known) is None
    assert answer_from_known(SCORES, problem, Known(bound=-math.inf, proof="so it is")).sets == []
    run = Run().turn(known=known)
    assert solve(SCORES, problem, run).proof == snapshot


def test_what_is_known_improves_an_answer():
    problem = problem_of(Request(n_features=2, n_alternatives=1, tau=0.5, search="simultaneous"), SCORES)
    from altsets.search.engine import Answer

    weak = Answer.simultaneous(problem, [(0, 1), (2, 3)], 40.0, "weak", proven=False)
    assert merge_known(SCORES, problem, weak, Known()) is weak
    better = merge_known(SCORES, problem, weak, Known([(0, 1), (0, 2)], 36.0, "known"))
    assert (better.sets, better.bound, better.proof) == ([(0, 1), (0, 2)], 36.0, "known")
    assert better.statuses == [Status.FEASIBLE] * 2
    closed = merge_known(SCORES, problem, weak, Known(bound=33.0, proof="known"))
    assert closed.statuses == [Status.OPTIMAL] * 2


@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_points_that_were_not_proven_take_over_better_sets(aggregation):
    from altsets.search.frontier.plan import SweepPlan
    from altsets.search.frontier.sweep import make_consistent

    options = {"search": "simultaneous", "aggregation": aggregation}
    taus = [0, Fraction(1, 3), Fraction(2, 3)]
    plan = SweepPlan.of(Request(**options), lambda one: problem_of(one, SCORES), 3, [1, 2], taus)
    points = altsets.frontier(SCORES, 3, [1, 2], taus, **options).points
    worst = [(5, 6, 7), (4, 6, 7)]
    poor = replace(
        points[1].result, sets=worst, status=Status.FEASIBLE, statuses=[Status.FEASIBLE] * 2, objective=0.0
    )
    nothing = replace(points[4].result, sets=[], qualities=[], status=Status.NOT_FOUND, objective=math.nan)
    weak = [*points]
    weak[1] = replace(points[1], result=poor, status=poor.status)
    weak[4] = replace(points[4], result=nothing, status=nothing.status)
    better = make_consistent(SCORES, plan.problems, weak)
    assert [better[number] for number in (0, 2, 3, 5)] == [points[number] for number in (0, 2, 3, 5)]
    assert better[1].result.sets == points[2].result.sets
    assert better[1].result.objective == points[2].result.objective
    assert better[1].status is Status.FEASIBLE
    assert better[1].result.bound == points[1].result.bound
    assert better[4].result.sets == points[5].result.sets
    assert len(better[4].result.sets) == 3
    for point in better:
        assert point.result.scores == SCORES.scores_in(point.result.sets)
        assert FrontierPoint.from_dict(point.to_dict()) == point


def test_black_boxes():
    asked = []

    def score(chosen):
        asked.append(chosen)
        return float(sum((3, 1, 4, 1, 5, 9)[j] for j in chosen))

    black = quality.BlackBox(score, n_features_in=6)
    for search in ("sequential", "simultaneous"):
        found = altsets.frontier(black, [2, 3], [1, 2], search=search)
        for point in found:
            own = altsets.find(black, point.n_features, point.n_alternatives, point.tau, search=search)
            assert (point.result.objective, point.status) == (own.objective, own.status)


def test_heuristics_prove_nothing():
    found = altsets.frontier(SCORES, 3, 1, search="greedy-replacement")
    assert {point.status for point in found} == {Status.FEASIBLE}
    assert [point.result.objective for point in found] == [50, 50, 49, 43]


# --- Points as they come in, time limits, Ctrl-C --------------------------------------------------------
def test_progress():
    heard = []
    altsets.frontier(SCORES, [2, 3], 1, callback=heard.append)
    assert [progress.done for progress in heard if progress.point] == list(range(1, 8))
    assert {progress.total for progress in heard} == {7}
    assert heard[-1].point.result.sets
    assert (heard[-1].n_features, heard[-1].tau) == (3, 1)
    assert heard[-1].best == heard[-1].point.result.objective


def test_what_a_callback_raises_ends_the_search():
    def fail(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        altsets.frontier(SCORES, 3, 1, callback=fail)


def hard():
    rng = np.random.default_rng(5)
    pairs = rng.random((60, 60))
    return quality.MRMR(rng.random(60), (pairs + pairs.T) / 2)


def test_a_time_limit_is_for_all_points(clock, snapshot):
    found = altsets.frontier(hard(), [8, 9], 5, search="simultaneous", time_limit=clock.limit(200))
    assert clock.looks < 1000
    assert found.stop_reason == "time_limit"
    assert found.explain() == snapshot
    assert all(point.result.sets for point in found)
    if len(found) < found.n_asked:
        missing = found.n_asked - len(found)
        left_out = "1 point was" if missing == 1 else f"{missing} points were"
        assert f"{left_out} not searched" in found.explain()
    # Easy points come first and leave their time to others.
    assert found.points[0].status is Status.OPTIMAL


def test_ctrl_c_keeps_points(snapshot):
    def interrupt(progress):
        if progress.done == 3:
            signal.raise_signal(signal.SIGINT)

    found = altsets.frontier(mrmr(), [3, 4], 2, callback=interrupt)
    assert 3 <= len(found) < found.n_asked == 9
    assert found.stop_reason == "interrupted"
    assert found.explain() == snapshot
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- The elbow -----------------------------------------------------------------------------------------
def test_the_elbow_of_curves_is_where_they_are_highest_above_the_line():
    assert elbow_of([0, 1, 2, 3, 4], [1.0, 0.98, 0.95, 0.6, 0.2]) == 2
    assert elbow_of([2, 3, 4, 5, 6], [1.0, 2.0, 2.1, 2.2, 2.3]) == 1
    # Straight, falling at once, flat, short.
    assert elbow_of([0, 1, 2, 3], [4.0, 3.0, 2.0, 1.0]) is None
    assert elbow_of([0, 1, 2, 3], [4.0, 1.2, 1.1, 1.0]) is None
    assert elbow_of([0, 1, 2, 3], [1.0, 1.0, 1.0, 0.995]) is None
    assert elbow_of([0, 1, 2], [1.0, 1.0, 0.0]) is None
    assert elbow_of([0, 1, 2, 3], [0.0, 0.0, 0.0, 0.0]) is None


def test_a_suggestion_has_a_point_and_a_reason(snapshot):
    scores = quality.Additive([10, 10, 10, 10, 10, 10, 1, 1, 1, 1])
    found = altsets.frontier(scores, 4, 1)
    assert [point.mean for point in found] == [40, 40, 40, 35.5, 31]
    elbow = found.suggestion
    assert elbow
    assert elbow.point in found.points
    assert (elbow.tau, elbow.n_features, elbow.n_alternatives) == (0.5, 4, 1)
    assert elbow.result is elbow.point.result
    assert elbow.reason == snapshot
    assert found.explain().endswith(elbow.reason)


def test_a_size_from_which_on_features_add_little(snapshot):
    scores = quality.Additive([10, 9, 8, 0.1, 0.1, 0.1, 0.1, 0.1])
    found = altsets.frontier(scores, range(1, 9), 0)
    assert found.suggestion.n_features == 3
    assert found.suggestion.reason == snapshot
    falling = altsets.frontier(mrmr(), range(2, 8), 1)
    assert falling.parameters["mean_quality"]


def test_no_elbow_is_said(snapshot):
    few = altsets.frontier(SCORES, 2, 1).suggestion
    assert not few
    assert few.point is few.tau is few.result is None
    assert few.reason == snapshot
    flat = altsets.frontier(quality.Additive([1.0] * 10), 4, 1).suggestion
    assert flat.reason == snapshot
    even = altsets.frontier(quality.Additive([5, 5, 5, 5, 4, 4, 4, 4]), 4, 1).suggestion
    assert even.reason == snapshot
    none = altsets.frontier(SCORES, 8, 3, [0.5, 1]).suggestion
    assert none.reason == snapshot


def test_negative_qualities_have_no_shares():
    found = altsets.frontier(quality.Additive([-1, -1, -2, -2, -9, -9, -30, -30]), 4, 1)
    assert "%" not in found.suggestion.reason
    assert found.to_frame()["mean_share"].isna().all()


# --- For people and programs ---------------------------------------------------------------------------
def test_in_words(snapshot):
    found = altsets.frontier(SCORES, [2, 3], [1, 2], 0.5)
    assert repr(found) == snapshot
    assert found.explain() == snapshot
    assert repr(found.points[0]) == snapshot


def test_a_frame():
    found = altsets.frontier(SCORES, 4, 2)
    frame = found.to_frame()
    assert len(frame) == 5
    assert frame["tau"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert frame["max_overlap"].tolist() == [4, 3, 2, 1, 0]
    assert frame["status"].tolist() == [str(point.status) for point in found]
    assert frame["quality"].tolist() == [point.result.objective for point in found]
    assert frame["mean_share"].iloc[0] == frame["worst_share"].iloc[0] == 1
    # Two of three sets are no mean of three.
    assert frame["n_sets"].iloc[-1] == 2
    assert frame["mean"].isna().tolist() == [False] * 3 + [True] * 2


def test_the_verdict_names_what_each_difference_keeps(snapshot):
    found = altsets.frontier(quality.Additive([9.0, 8, 7, 3, 2, 1]), n_features=3, n_alternatives=1)
    kept = {point.max_overlap: point.worst / 24 for point in found}
    # Two features in common keep more than 4/5 of the best score, and nothing keeps 95 %.
    assert kept[2] < 0.95
    assert found.verdict.findings == snapshot
    assert found.verdict.cautions == ()
    flat = altsets.frontier(quality.Additive([9.0] * 6), n_features=3, n_alternatives=1)
    assert flat.verdict.findings == snapshot


@pytest.mark.parametrize(("second", "words"), [(949, "only keeps 94.9 %"), (956, "still keeps 95.6 %")])
def test_rounding_does_not_hide_on_which_side_of_the_threshold_a_set_is(second, words):
    found = altsets.frontier(quality.Additive([1000.0, second]), n_features=1, n_alternatives=1)
    assert words in found.verdict.findings[0]


def test_the_verdict_claims_proofs_only_where_there_are_some(snapshot):
    scores = quality.Additive([9.0, 8, 7, 3, 2, 1])
    together = altsets.frontier(scores, n_features=3, n_alternatives=2, search="simultaneous")
    assert together.points[-1].status is Status.INFEASIBLE
    assert together.verdict.findings == snapshot
    # One after the other, it is not proven that no other sets would do.
    after = altsets.frontier(scores, n_features=3, n_alternatives=2)
    assert after.points[-1].status is Status.INFEASIBLE
    assert not any("Proven" in said for said in after.verdict.findings)
    # Heuristics prove nothing, not even the best set.
    quick = altsets.frontier(scores, n_features=2, n_alternatives=1, search="greedy-replacement")
    assert quick.verdict.findings[0] == snapshot
    assert quick.verdict.cautions[0] == snapshot


def test_the_verdict_without_alternatives_or_points(snapshot):
    scores = quality.Additive([3.0, 2, 1])
    assert "0 alternatives" in altsets.frontier(scores, n_features=2, n_alternatives=0).verdict.findings[0]
    found = altsets.frontier(scores, n_features=2, n_alternatives=1)
    empty = replace(found, points=[], stop_reason=StopReason.INTERRUPTED)
    assert str(empty.verdict) == snapshot
