"""What is to be seen in answers: members, overlaps, bounds, curves, scores, stand-ins, stability, frequencies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

import altsets
from altsets import dissimilarity, quality
from altsets.errors import InputError
from altsets.evaluation import overall
from altsets.result import Status
from altsets.views import frontier as frontier_views
from altsets.views import sets as set_views
from altsets.views.records import cap, spread

SCORES = [9.0, 8.0, 7.0, 6.0, 2.0, 1.0]
NAMES = ["age", "bmi", "crp", "dose", "ekg", "fat"]


@pytest.fixture(scope="module")
def result():
    return altsets.find(
        quality.Additive(SCORES, feature_names=NAMES), n_features=2, n_alternatives=2, tau=0.5
    )


@pytest.fixture(scope="module")
def frontier():
    rng = np.random.default_rng(0)
    scores = quality.Additive(rng.exponential(size=20))
    return altsets.frontier(scores, n_features=[2, 3, 4, 5], n_alternatives=[1, 2])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    y = np.repeat(["no", "yes"], 60)
    X = rng.normal(size=(120, 8)) + 1.5 * np.outer(y == "yes", [2, 2, 1, 1, 0, 0, 0, 0])
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=120)
    return X, y


@pytest.fixture(scope="module")
def evaluation(table):
    selector = altsets.SelectAlternatives("f", n_features=2, n_alternatives=2, tau=0.5)
    return altsets.evaluate(selector, *table, n_repeats=1)


# --- Sets ---------------------------------------------------------------------------------------------
def test_members_come_by_how_many_sets_have_them_and_by_score(result):
    seen = set_views.membership(result)
    counts = [sum(row) for row in seen.members]
    assert counts == sorted(counts, reverse=True)
    assert list(zip([-n for n in counts], [-score for score in seen.scores], strict=True)) == sorted(
        zip([-n for n in counts], [-score for score in seen.scores], strict=True)
    )
    for number, named in enumerate(result.named_sets):
        assert {name for name, row in zip(seen.features, seen.members, strict=True) if row[number]} == set(
            named
        )
    assert [seen.scores[seen.features.index(name)] for name in named] == list(result.scores[number])
    assert seen.set_names == ("set 0", "set 1", "set 2")
    assert seen.qualities == tuple(result.qualities)
    assert seen.above_noise is None
    assert seen.note == ""


def test_members_are_capped_and_it_is_said(result, snapshot):
    seen = set_views.membership(result, most=2)
    assert len(seen.features) == len(seen.members) == len(seen.scores) == 2
    assert seen.note == snapshot
    assert seen.features == set_views.membership(result).features[:2]
    first = set_views.membership(result, most_sets=1)
    assert (first.features, first.members) == (result.named_sets[0], ((True,), (True,)))
    assert (first.qualities, first.scores, first.note) == ((17.0,), result.scores[0], snapshot)


def test_noise_is_explained_where_it_is_shown(result):
    noisy = replace(result, noise_floors=[(7.5, 7.5)] * 3)
    assert set_views.membership(noisy).above_noise == (True, True, False, False)
    assert "noise" not in set_views.membership(noisy, most=2).note


def test_members_without_scores(result):
    seen = set_views.membership(replace(result, scores=[], noise_floors=[(1.0, 1.0)] * 3))
    assert seen.scores is None
    assert seen.above_noise is None
    assert seen.features == ("age", "bmi", "crp", "dose")


def test_features_of_one_name_stay_apart(result):
    twins = replace(result, texts=[tuple("xx") for _ in result.sets])
    assert set_views.membership(twins).features == ("x",) * 4


def test_overlaps_count_shared_features(result, snapshot):
    seen = set_views.overlaps(result)
    for i, first in enumerate(result.sets):
        for j, second in enumerate(result.sets):
            assert seen.values[i][j] == len(set(first) & set(second))
    assert (seen.low, seen.high) == (0, 2)
    smaller = set_views.overlaps(result, most=2)
    assert (len(smaller.rows), len(smaller.values)) == (2, 2)
    assert smaller.note == snapshot


@pytest.mark.parametrize("threshold", [None, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_likeness_is_what_matched_takes_from_one(threshold, seed):
    rng = np.random.default_rng(seed)
    alike = rng.random((9, 9)) ** 0.5
    alike = (alike + alike.T) / 2
    np.fill_diagonal(alike, 1)
    matched = dissimilarity.Matched(alike, threshold=threshold)
    found = altsets.find(
        quality.Additive(rng.random(9)), n_features=3, n_alternatives=3, tau=0.1, dissimilarity=matched
    )
    seen = set_views.likeness(found)
    assert len(found.sets) > 1
    for i, first in enumerate(found.sets):
        for j, second in enumerate(found.sets):
            assert seen.values[i][j] == pytest.approx(1 - matched(first, second))


def test_a_shared_feature_that_is_matched_with_others_counts_twice(result):
    # 1 stands in for 0 and 2 for 1, which is more than 1 for itself.
    alike = np.array([[1, 0.9, 0.1], [0.9, 1, 0.9], [0.1, 0.9, 1]])
    matched = dissimilarity.Matched(alike)
    sets = [(0, 1), (1, 2)]
    made = replace(
        result,
        sets=sets,
        texts=[("a", "b"), ("b", "c")],
        scores=[],
        matches=matched.matches_among(sets),
        parameters=result.parameters | {"dissimilarity": matched.as_dict()},
    )
    assert set_views.likeness(made).values[0][1] == pytest.approx(1 - matched(*sets)) == pytest.approx(0.9)


def test_sets_found_one_by_one_are_their_own_bounds(result, snapshot):
    seen = set_views.qualities(result)
    assert seen.values == tuple(result.qualities)
    assert seen.lines == ()
    assert seen.marked == ()
    assert seen.note == snapshot


def test_bounds_of_a_minimum_are_about_the_worst():
    found = altsets.find(
        quality.Additive(SCORES),
        n_features=2,
        n_alternatives=2,
        tau=1,
        search="simultaneous",
        aggregation="min",
    )
    (line,) = set_views.qualities(found).lines
    assert line.value == pytest.approx(min(found.qualities))
    assert "worst set" in line.label


def test_the_bound_of_heuristics_is_a_line():
    found = altsets.find(quality.Additive(SCORES), 2, 1, search="greedy-replacement")
    seen = set_views.qualities(found)
    assert [line.value for line in seen.lines] == [max(found.qualities)]
    assert seen.marked == (True, True)


def test_the_quality_that_was_asked_for_is_a_line(snapshot):
    found = altsets.find(quality.Additive(SCORES), 2, "max", tau=1, min_quality=10, search="simultaneous")
    (line,) = set_views.qualities(found).lines
    assert line.label == snapshot
    assert line.value == 10


def test_sets_that_are_missing_are_counted(snapshot):
    found = altsets.find(quality.Additive(SCORES), n_features=3, n_alternatives=2, tau=1)
    assert set_views.qualities(found).note == snapshot


# --- Frontiers ----------------------------------------------------------------------------------------
def test_one_size_shows_mean_and_worst(snapshot):
    found = altsets.frontier(quality.Additive([9, 8, 8, 8, 7, 3, 1, 1]), n_features=4, n_alternatives=1)
    seen = frontier_views.curve_over_tau(found)
    mean, worst = seen.series
    assert [point.x for point in mean.points] == [point.tau for point in found]
    assert [point.y for point in mean.points] == pytest.approx([point.mean / 33 for point in found])
    assert [point.y for point in worst.points] == pytest.approx([point.worst / 33 for point in found])
    assert seen.y_name == snapshot


def test_several_sizes_have_a_curve_each(frontier, snapshot):
    seen = frontier_views.curve_over_tau(frontier)
    assert [line.name for line in seen.series] == ["2 features", "3 features", "4 features", "5 features"]
    frame = frontier.to_frame()
    for line, size in zip(seen.series, frontier.sizes, strict=True):
        kept = frame[(frame.n_features == size) & (frame.n_alternatives == 2)]
        assert [point.y for point in line.points] == pytest.approx(kept.mean_share.tolist())
    few = frontier_views.curve_over_tau(frontier, n_alternatives=1, most=2)
    assert {"2 features", "5 features"} <= {line.name for line in few.series}
    assert few.note == snapshot
    found = altsets.frontier(quality.Additive(np.arange(12.0)), n_features=3, n_alternatives=[1, 2])
    assert [line.name for line in frontier_views.curve_over_tau(found).series] == ["2 sets", "3 sets"]


def test_the_suggested_point_is_marked_everywhere():
    scores = quality.Additive(np.random.default_rng(1).exponential(size=25))
    found = altsets.frontier(scores, n_features=range(2, 9), n_alternatives=1)
    suggested = found.suggestion
    assert suggested
    over_tau = frontier_views.curve_over_tau(found, most=2)
    line = over_tau.series[over_tau.mark.series]
    assert line.name == f"{suggested.n_features} features"
    assert line.points[over_tau.mark.point].x == suggested.tau
    over_size = frontier_views.curve_over_size(found)
    assert over_size.series[0].points[over_size.mark.point].x == suggested.n_features
    grid = frontier_views.heat(found)
    row, column = grid.mark
    assert grid.rows[row] == str(suggested.n_features)
    assert grid.values[row][column] == pytest.approx(suggested.point.kept / found.best(suggested.n_features))


def test_the_best_set_over_sizes(frontier, snapshot):
    best, half, disjoint = frontier_views.curve_over_size(frontier, n_alternatives=1).series
    assert [point.y for point in best.points] == [frontier.best(size) for size in frontier.sizes]
    assert half.name == snapshot
    for point, size in zip(disjoint.points, frontier.sizes, strict=True):
        assert point.y == pytest.approx(frontier.curve(size, 1)[-1].mean)
    # Of three features, the next tau that asks for half of them is two thirds.
    assert "tau = 0.667" in half.points[1].label


def test_means_over_features_are_multiplied_by_their_number():
    rng = np.random.default_rng(2)
    alike = rng.random((8, 8))
    found = altsets.frontier(quality.MRMR(rng.random(8), (alike + alike.T) / 4), [2, 3, 4], 1)
    seen = frontier_views.curve_over_size(found)
    assert [point.y for point in seen.series[0].points] == pytest.approx(
        [size * found.best(size) for size in found.sizes]
    )
    assert seen.y_name == "quality \N{MULTIPLICATION SIGN} features"


def test_heat_holds_what_each_search_at_that_tau_finds(frontier):
    seen = frontier_views.heat(frontier, n_alternatives=1)
    assert len(seen.columns) <= 12
    for row, size in zip(seen.values, seen.rows, strict=True):
        for value, tau in zip(row, seen.columns, strict=True):
            scores = quality.Additive(np.random.default_rng(0).exponential(size=20))
            # Columns are rounded to three digits.
            alone = altsets.find(scores, int(size), 1, tau=min(1.0, float(tau) - 5e-4 if float(tau) else 0.0))
            assert value == pytest.approx(alone.objective / 2 / frontier.best(int(size)))


def test_many_taus_become_tenths():
    found = altsets.frontier(
        quality.Additive(np.arange(1.0, 40.0)), n_features=range(2, 11), n_alternatives=1
    )
    assert len({point.tau for point in found}) > 12
    seen = frontier_views.heat(found)
    assert set(seen.columns) >= {"0", "0.1", "0.9", "1"}
    assert len(seen.columns) <= 12


def test_points_without_sets_are_left_open(snapshot):
    found = altsets.frontier(quality.Additive(SCORES), n_features=[2, 3], n_alternatives=2)
    seen = frontier_views.heat(found)
    assert seen.values[1][-1] is None
    assert seen.note == snapshot
    assert all(not flag for row in seen.open for flag in row)
    assert (seen.low, seen.high) == (min(value for row in seen.values for value in row if value), 1.0)


def test_points_that_are_not_proven_are_open(frontier, snapshot):
    first = frontier.points[0]
    unproven = replace(first, status=Status.FEASIBLE)
    changed = replace(frontier, points=[unproven, *frontier.points[1:]])
    seen = frontier_views.curve_over_tau(changed, n_alternatives=first.n_alternatives)
    assert [point.open for point in seen.series[0].points] == [True, False, False]
    assert seen.note == snapshot
    assert frontier_views.heat(changed, n_alternatives=first.n_alternatives).open[0][0]


def test_qualities_below_zero_are_no_shares():
    found = altsets.frontier(quality.Additive([-1.0, -2, -3, -4, -5, -6]), n_features=2, n_alternatives=1)
    seen = frontier_views.curve_over_tau(found)
    assert seen.y_name == "quality"
    assert seen.series[0].points[0].y == pytest.approx(found.points[0].mean)
    grid = frontier_views.heat(found)
    assert grid.low == pytest.approx(min(point.mean for point in found))


# --- Evaluations --------------------------------------------------------------------------------------
def test_scores_have_intervals_and_a_baseline(evaluation):
    seen = set_views.predictive_scores(evaluation)
    assert seen.values == pytest.approx(evaluation.mean_scores())
    for number, (low, value, high) in enumerate(zip(seen.low, seen.values, seen.high, strict=True)):
        assert low <= value <= high
        scores = evaluation.scores(number)
        assert seen.dots[number] == tuple(scores)
        ratio = np.mean([fold.n_test / fold.n_train for fold in evaluation.folds])
        expected = altsets.evaluation.corrected_t_test(scores, ratio)
        # Nothing is above 1.
        assert (low, high) == pytest.approx((max(expected.low, -1), min(expected.high, 1)))
    assert 1.0 in seen.high
    assert seen.limits == (0.0, 1.0)
    (line,) = seen.lines
    assert line.value == pytest.approx(evaluation.baseline)
    assert line.label.startswith("baseline: always")
    assert seen.marked == ()


def test_intervals_of_few_folds_are_called_rough(table, snapshot):
    X, y = table
    rough = "95 % interval from 3 folds, too few for more than a rough guide"
    assert (
        set_views.predictive_scores(altsets.evaluate([[0], [1]], X, y, cv=3, n_repeats=1)).interval_name
        == rough
    )
    assert (
        set_views.predictive_scores(altsets.evaluate([[0], [1]], X, y, n_repeats=1)).interval_name == snapshot
    )


@pytest.mark.parametrize(("scorer", "low", "high"), [
    ("matthews_corrcoef", -1, 1), ("accuracy", 0, 1), ("f1_macro", 0, 1), ("r2", None, 1),
    ("neg_log_loss", None, 0), ("of_my_own", None, None),
])  # fmt: skip
def test_intervals_stay_within_the_range_of_the_score(scorer, low, high):
    from altsets.views.records import clipped, top_score

    assert clipped(-7.0, scorer) == (-7 if low is None else low)
    assert clipped(7.0, scorer) == (7 if high is None else high)
    assert clipped(math.nan, scorer) is None
    assert top_score(scorer) == high


def test_stand_ins_are_shares_of_swaps(evaluation):
    seen = set_views.stand_ins(evaluation)
    assert seen.rows == seen.columns
    for name, row in zip(seen.rows, seen.values, strict=True):
        told = evaluation.stand_ins(name, most=99)
        assert {other: share for other, share in zip(seen.columns, row, strict=True) if share} == told
    few = set_views.stand_ins(evaluation, most=2)
    assert len(few.rows) == len(few.values) == 2
    assert few.note.startswith("2 of ")


def test_partners_stand_beside_each_other():
    # 0 and 5 swap, and 1 and 4; the order of the columns would put others between them.
    shares = {0: {5: 1.0}, 1: {4: 1.0}, 4: {1: 1.0}, 5: {0: 1.0}}
    from altsets.views.sets import neighbours

    assert neighbours(shares) == [0, 5, 1, 4]


def test_stability_shows_shares_and_the_index(evaluation, snapshot):
    shares, index = set_views.stability(evaluation)
    frame = evaluation.stability_frame()
    assert list(shares.columns) == ["set 0", "set 1", "set 2", "any set"]
    for name, row in zip(shares.rows, shares.values, strict=True):
        assert list(row) == pytest.approx(frame.loc[name, [0, 1, 2, "any"]].tolist())
    any_set = [row[-1] for row in shares.values]
    assert any_set == sorted(any_set, reverse=True)
    assert index.labels == ("set 0", "set 1", "set 2", "any set")
    for value, entry in zip(index.values, evaluation.stability(), strict=True):
        assert value == pytest.approx(entry.index)
    assert set_views.stability(evaluation, most=2)[0].note == snapshot


# --- Near-best sets -----------------------------------------------------------------------------------
def test_frequencies_come_by_share_with_the_best_set_marked(snapshot):
    near = altsets.near_best(quality.Additive(SCORES, feature_names=NAMES), n_features=2, within=0.3)
    seen = set_views.near_best_frequencies(near)
    assert dict(zip(seen.labels, seen.values, strict=True)) == {
        near.feature_names[index]: near.frequencies[index] for index in near.ordered()
    }
    assert [label for label, marked in zip(seen.labels, seen.marked, strict=True) if marked] == ["age", "bmi"]
    assert seen.note == snapshot


# --- What is not to be shown --------------------------------------------------------------------------
def test_answers_with_nothing_to_show_are_refused(result, frontier, table, evaluation, refused):
    scores = quality.Additive(SCORES)
    none = altsets.find(scores, n_features=4, n_alternatives=1, tau=1, search="simultaneous")
    one, given = (
        altsets.find(scores, n_features=2, n_alternatives=0),
        altsets.evaluate([[0]], *table, n_repeats=1),
    )
    undone, near = replace(evaluation, folds=()), altsets.near_best(scores, n_features=2, min_quality=99)
    for view, answer, options in (
        *((view, none, {}) for view in (set_views.membership, set_views.qualities, set_views.overlaps)),
        (set_views.overlaps, one, {}),
        (set_views.overlaps, result, {"most": 1}),
        (frontier_views.heat, replace(frontier, points=[]), {}),
        (frontier_views.heat, frontier, {"n_alternatives": 7}),
        (set_views.predictive_scores, evaluation, {"scorer": "r2"}),
        *(
            (view, undone, {})
            for view in (set_views.predictive_scores, set_views.stand_ins, set_views.stability)
        ),
        (set_views.stand_ins, given, {}),
        (set_views.stability, given, {}),
        (set_views.near_best_frequencies, near, {}),
    ):
        with refused(InputError):
            view(answer, **options)
    assert math.isfinite(set_views.qualities(one).values[0])


@pytest.mark.parametrize("most", [0, 2.5, "3"])
def test_nonsense_limits_are_refused(result, most):
    with pytest.raises(InputError, match=f"most={most!r}"):
        set_views.membership(result, most=most)


@pytest.fixture(scope="module")
def evaluated():
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = altsets.frontier("f", n_features=[2, 3, 4], n_alternatives=[0, 1], X=X, y=y)
    return altsets.evaluate(found, X, y, n_repeats=1)


def test_scores_along_a_frontier(evaluated, snapshot):
    seen = frontier_views.scores_along(evaluated)
    assert [line.name for line in seen.series] == ["2 features", "3 features", "4 features"]
    for line, size in zip(seen.series, [2, 3, 4], strict=True):
        pairs = [
            pair for pair in evaluated.pairs if (pair[0].n_features, pair[0].n_alternatives) == (size, 1)
        ]
        expected = [(point.tau, overall(evaluation).difference) for point, evaluation in pairs]
        assert [(point.x, point.y) for point in line.points] == expected
        assert all(point.low is None for point in line.points)
    assert [line.value for line in seen.lines] == [evaluated.baseline]
    assert seen.note == snapshot


def test_scores_over_sizes_where_there_is_one_tau(evaluated, snapshot):
    seen = frontier_views.scores_along(evaluated, n_alternatives=0)
    (line,) = seen.series
    assert seen.x_name == snapshot
    assert [point.x for point in line.points] == [2, 3, 4]
    alone = [overall(evaluation) for evaluation in evaluated if evaluation.n_sets == 1]
    for shown, measured in zip(line.points, alone, strict=True):
        assert (shown.low, shown.high) == (measured.low, measured.high)


def test_scores_along_a_frontier_few_curves(evaluated, snapshot):
    seen = frontier_views.scores_along(evaluated, most=2)
    assert [line.name for line in seen.series] == ["2 features", "4 features"]
    assert seen.note == snapshot


def test_a_frontier_with_scores_is_a_frontier(evaluated):
    assert frontier_views.curve_over_tau(evaluated) == frontier_views.curve_over_tau(evaluated.frontier)


@pytest.mark.parametrize(("given", "words"), [
    ({"scorer": "f2"}, "scorer='f2' was not measured; choose from matthews_corrcoef."),
    ({"n_alternatives": 7}, "n_alternatives=7 is not in this frontier; choose from 0, 1."),
])  # fmt: skip
def test_scores_that_are_not_there(evaluated, given, words, refused):
    with pytest.raises(InputError) as caught:
        frontier_views.scores_along(evaluated, **given)
    assert str(caught.value) == words
    with refused(InputError):
        frontier_views.scores_along(evaluated.frontier)


def test_what_does_not_fit_is_counted_and_what_is_left_is_spread_evenly(snapshot):
    assert cap("abc", 2, "feature", "those in the most sets") == snapshot
    assert cap("abc", 1, "feature", "") == snapshot
    assert cap("abc", None, "feature", "") == (["a", "b", "c"], "")
    assert spread(range(2, 11), 3) == [2, 6, 10]
    assert spread(range(2, 11), 3, keep=[5]) == [2, 5, 6, 10]
