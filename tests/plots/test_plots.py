"""Plots, by what they contain: labels, bars, dots, lines, notes; whatever features are called."""

from __future__ import annotations

import re
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba

import altsets
from altsets import dissimilarity, plots, quality
from altsets.errors import InputError, MissingExtraError
from altsets.evaluation import overall
from altsets.plots.canvas import COLOURS, SHADES, is_dark
from altsets.result import Status
from altsets.views import frontier as frontier_views
from altsets.views import sets as set_views

SCORES = [9.0, 8.0, 7.0, 6.0, 2.0, 1.0]
NAMES = ["age", "bmi", "crp", "dose", "ekg", "fat"]
#: Names that a plot could stumble over.
HOSTILE = [
    "$E = mc^2$",
    "cost_in_$_per_$day",
    "100 %_{x}",
    r"\frac{1}{2}",
    "two\nlines\tand a tab",
    "a\u202edesrever\u200f",
    "日本語の名前",
    "اسم",
    "🧬 gene",
    "x" * 10_000,
    "<script>alert(1)</script>",
    "\udce4 lone surrogate",
    "",
    "e\u0301",
]


@pytest.fixture(scope="module")
def result():
    return altsets.find(
        quality.Additive(SCORES, feature_names=NAMES), n_features=2, n_alternatives=2, tau=0.5
    )


@pytest.fixture(scope="module")
def frontier():
    return altsets.frontier(
        quality.Additive(np.random.default_rng(1).exponential(size=25)),
        n_features=range(2, 9),
        n_alternatives=1,
    )


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(3)
    y = np.repeat(["no", "yes"], 60)
    X = rng.normal(size=(120, 8)) + 1.5 * np.outer(y == "yes", [2, 2, 2, 2, 0, 0, 0, 0])
    return altsets.evaluate(
        altsets.SelectAlternatives("f", n_features=2, n_alternatives=2, tau=0.5), X, y, n_repeats=1
    )


@pytest.fixture(scope="module")
def near():
    return altsets.near_best(quality.Additive(SCORES, feature_names=NAMES), n_features=2, within=0.3)


@pytest.fixture(scope="module")
def evaluated():
    X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    y = ["no", "yes"] * 15
    found = altsets.frontier("f", n_features=1, n_alternatives=2, X=X, y=y)
    return altsets.evaluate(found, X, y, n_repeats=1)


@pytest.fixture
def answers(result, frontier, evaluation, evaluated, near):
    """What each plot is drawn of."""
    return {
        "membership": result,
        "quality": result,
        "overlap": result,
        "frontier": frontier,
        "frontier_sizes": frontier,
        "frontier_heat": frontier,
        "frontier_scores": evaluated,
        "scores": evaluation,
        "stand_ins": evaluation,
        "stability": evaluation,
        "near_best": near,
    }


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def legend(ax):
    found = ax.get_legend()
    return [] if found is None else [" ".join(text.get_text().split()) for text in found.get_texts()]


def note(ax):
    (found,) = [text.get_text() for text in ax.texts if text.get_gid() == "note"] or [""]
    return " ".join(found.split())


def cells(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() != "note"]


def dots(ax, gid):
    (found,) = [part for part in ax.collections if part.get_gid() == gid]
    return {tuple(map(int, place)) for place in found.get_offsets()}


def clipped(ax):
    """By how many pixels something sticks out of the figure once it is laid out."""
    figure = ax.figure
    figure.draw_without_rendering()
    box, page = ax.get_tightbbox(), figure.bbox
    return max(page.x0 - box.x0, page.y0 - box.y0, box.x1 - page.x1, box.y1 - page.y1)


#: Everything that draws.
PLOTS = [name for name in plots.__all__ if name != "style"]


# --- All of them --------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_has_a_figure_in_which_all_of_it_fits(name, answers):
    before = mpl.rcParams.copy()
    ax = getattr(plots, name)(answers[name])
    assert mpl.rcParams == before
    assert plt.get_fignums() == [ax.figure.number]
    assert clipped(ax) < 1


def test_plots_follow_the_size_of_the_font_and_the_style(result):
    usual = plots.membership(result).figure.get_size_inches()
    with plt.style.context(["dark_background", {"font.size": 20.0, "axes.formatter.use_mathtext": True}]):
        ax = plots.membership(result)
        assert ax.figure.get_size_inches() == pytest.approx(2 * usual)
        assert clipped(ax) < 1


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_goes_where_it_is_told(name, answers):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
    assert getattr(plots, name)(answers[name], ax=right) is right
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("name", PLOTS)
def test_the_wrong_kind_of_answer_makes_no_figure(name, answers, refused):
    wrong = answers["scores"] if name == "membership" else answers["membership"]
    wrong = "sets.json" if name in ("quality", "overlap") else wrong
    with refused(InputError):
        getattr(plots, name)(wrong)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", PLOTS)
def test_what_is_no_axes_is_refused(name, answers, refused):
    with refused(InputError):
        getattr(plots, name)(answers[name], ax="here")


@pytest.mark.parametrize("name", PLOTS)
def test_without_matplotlib_the_extra_is_named(name, answers, monkeypatch, refused):
    for module in ("matplotlib", "matplotlib.font_manager", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    with refused(MissingExtraError):
        getattr(plots, name)(answers[name])


# --- Names --------------------------------------------------------------------------------------------
def test_names_are_text_and_nothing_else(snapshot):
    scores = quality.Additive(np.arange(len(HOSTILE), 0.0, -1), feature_names=HOSTILE)
    found = altsets.find(scores, n_features=len(HOSTILE), n_alternatives=0)
    near = altsets.near_best(scores, n_features=len(HOSTILE) - 1, within=0.5)
    for ax in (plots.membership(found), plots.near_best(near)):
        ax.figure.canvas.draw()
        shown = labels(ax.yaxis)
        assert "$E = mc^2$" in shown
        assert "cost_in_$_per_$day" in shown
        assert r"\frac{1}{2}" in shown
        assert shown == snapshot
        assert "adesrever" in shown
        assert "□" * 6 in shown
        assert any(name.startswith("xxx") and name.endswith("xxx") and len(name) == 32 for name in shown)
        assert max(map(len, shown)) == 32
        assert not any(label.get_parse_math() for label in ax.get_yticklabels())
        assert note(ax) == snapshot
        assert clipped(ax) < 1


def test_names_of_columns_and_classes_are_text_too(evaluation, snapshot):
    names = dict(zip(evaluation.names, HOSTILE, strict=False))
    folds = tuple(replace(fold, majority="$no$ 日本") for fold in evaluation.folds)
    changed = replace(evaluation, names=names, folds=folds)
    for draw in (plots.stand_ins, plots.stability):
        ax = draw(changed)
        ax.figure.canvas.draw()
        assert "cost_in_$_per_$day" in labels(ax.yaxis)
    ax = plots.scores(changed)
    ax.figure.canvas.draw()
    assert legend(ax) == snapshot


def test_a_font_that_has_the_characters_shows_them(result):
    greek = replace(result, texts=[("\N{GREEK SMALL LETTER ALPHA}", "β")] * 3)
    ax = plots.membership(greek)
    assert set(labels(ax.yaxis)) == {"\N{GREEK SMALL LETTER ALPHA}", "β"}
    assert note(ax) == ""


def test_two_hundred_features_become_forty_with_a_note(snapshot):
    rng = np.random.default_rng(0)
    scores = quality.Additive(rng.random(400), feature_names=[f"probe_{i}_at" for i in range(400)])
    found = altsets.find(scores, n_features=50, n_alternatives=3, tau=1)
    ax = plots.membership(found)
    assert len(labels(ax.yaxis)) == 40
    assert note(ax) == snapshot
    assert clipped(ax) < 1
    assert ax.figure.get_size_inches()[1] < 12
    near = altsets.near_best(scores, n_features=3, within=0.2)
    drawn = plots.near_best(near)
    assert len(drawn.patches) == 25
    assert "25 of " in note(drawn)


def test_hundreds_of_sets_are_capped(snapshot):
    found = altsets.find(quality.Additive(np.arange(40.0)), n_features=1, n_alternatives=29, tau=1)
    assert len(labels(plots.membership(found).xaxis)) == 20
    assert len(plots.quality(found, most=12).patches) == 12
    ax = plots.overlap(found)
    assert len(labels(ax.xaxis)) == 20
    assert note(ax) == snapshot


# --- Sets ---------------------------------------------------------------------------------------------
def test_membership_has_a_dot_for_each_member(result):
    ax = plots.membership(result)
    seen = set_views.membership(result)
    assert labels(ax.yaxis) == list(seen.features)
    assert labels(ax.xaxis) == ["0\n17.0", "1\n16.0", "2\n15.0"]
    members = {(j, i) for i, row in enumerate(seen.members) for j, has in enumerate(row) if has}
    assert dots(ax, "members") == members
    assert len(dots(ax, "others")) == 4 * 3 - len(members)
    (beside,) = ax.child_axes
    assert [bar.get_width() for bar in beside.patches] == list(seen.scores)
    # The first feature is on top.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_membership_shows_what_is_noise(result, snapshot):
    ax = plots.membership(replace(result, noise_floors=[(7.5, 7.5)] * 3))
    assert labels(ax.yaxis) == ["age", "bmi", "crp*", "dose*"]
    (beside,) = ax.child_axes
    assert [bool(bar.get_hatch()) for bar in beside.patches] == [False, False, True, True]
    (line,) = beside.collections
    assert {x for segment in line.get_segments() for x, _ in segment} == {7.5}
    assert legend(ax) == snapshot
    assert note(ax) == snapshot


def test_quality_has_bars_and_a_bound(snapshot):
    found = altsets.find(
        quality.Additive(SCORES), n_features=2, n_alternatives=2, tau=1, search="simultaneous"
    )
    ax = plots.quality(found)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(found.qualities)
    assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([found.bound / 3])
    assert legend(ax) == snapshot


def test_quality_hatches_what_is_not_proven(result, snapshot):
    statuses = [Status.OPTIMAL, Status.FEASIBLE, Status.FEASIBLE]
    ax = plots.quality(replace(result, statuses=statuses, status=Status.FEASIBLE, bound=60.0))
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [False, True, True]
    assert [line.get_ydata()[0] for line in ax.lines] == [20]
    assert legend(ax) == snapshot
    assert cells(ax) == ["17.0\n100 %", "16.0\n94 %", "15.0\n88 %"]


def test_overlap_has_a_number_in_each_cell(result):
    ax = plots.overlap(result)
    assert list(map(int, cells(ax))) == [value for row in set_views.overlaps(result).values for value in row]
    assert labels(ax.xaxis) == labels(ax.yaxis) == ["set 0", "set 1", "set 2"]


def test_overlap_through_similarity(refused):
    alike = dissimilarity.Matched([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], threshold=0.8)
    found = altsets.find(quality.Additive([9.0, 8, 1]), 1, 1, tau=0, dissimilarity=alike)
    assert cells(plots.overlap(found)) == ["1.00\n1 shared"] * 4
    assert cells(plots.overlap(found, matched=False)) == ["1"] * 4
    with refused(InputError):
        plots.overlap(altsets.find(quality.Additive([9.0, 8, 1]), 1, 1, tau=0), matched=True)


# --- Frontiers ----------------------------------------------------------------------------------------
def curves(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_frontier_draws_a_curve_for_each_size(frontier, snapshot):
    ax = plots.frontier(frontier)
    seen = frontier_views.curve_over_tau(frontier)
    drawn = curves(ax)
    assert list(drawn) == legend(ax) == [line.name for line in seen.series]
    for line in seen.series:
        assert drawn[line.name].get_ydata() == pytest.approx([100 * point.y for point in line.points])
    assert len({line.get_marker() for line in drawn.values()}) == len(drawn)
    assert len({line.get_linestyle() for line in drawn.values()}) == 4
    assert ax.get_ylabel() == snapshot
    suggested = frontier.suggestion
    (ring,) = [line for line in ax.lines if line.get_gid() == "mark"]
    assert ring.get_xdata()[0] == suggested.tau
    assert note(ax) == snapshot


def test_frontier_points_without_a_proof_are_hollow(frontier, snapshot):
    first = frontier.points[0]
    unproven = replace(first, status=Status.FEASIBLE)
    ax = plots.frontier(replace(frontier, points=[unproven, *frontier.points[1:]]))
    (hollow,) = [line for line in ax.lines if line.get_gid() == "hollow"]
    assert list(hollow.get_xdata()) == [first.tau]
    assert hollow.get_markerfacecolor() == ax.get_facecolor()
    assert note(ax) == snapshot


@pytest.mark.parametrize(("by", "axis"), [
    ("penalty", "features that pairs of sets share"),
    ("balance", "quality of the worst set"),
    ("costs", "costs (less is better; the worst set counts)"),
])  # fmt: skip
def test_qualities_over_what_they_are_traded_for(by, axis, snapshot):
    scores = quality.Additive(SCORES, feature_names=NAMES)
    how = {"against": range(len(SCORES), 0, -1)} if by == "costs" else {"by": by}
    found = altsets.frontier(scores, 3, 1, 0 if by == "penalty" else 1, **how)
    first = replace(found.points[0], status=Status.FEASIBLE)
    ax = replace(found, points=[first, *found.points[1:]]).plot()
    assert ax.get_xlabel() == axis
    assert ax.get_ylabel() == snapshot
    second = {"penalty": "shared", "balance": "worst", "costs": "against"}[by]
    order = sorted((getattr(point, second), point.quality) for point in found)
    best = found.points[0].quality
    assert ax.lines[0].get_xdata().tolist() == [x for x, _ in order]
    assert ax.lines[0].get_ydata() == pytest.approx([100 * total / best for _, total in order])
    assert note(ax) == snapshot


def test_frontier_over_sizes(frontier, refused):
    ax = plots.frontier_sizes(frontier)
    assert curves(ax)["best set"].get_ydata() == pytest.approx(
        [frontier.best(size) for size in frontier.sizes]
    )
    assert all(float(label).is_integer() for label in ax.get_xticks())
    one_size = altsets.frontier(quality.Additive(SCORES), n_features=2, n_alternatives=1)
    with refused(InputError):
        plots.frontier_sizes(one_size)


def test_what_is_no_curve_is_refused(refused):
    one_tau = altsets.frontier(quality.Additive(SCORES), n_features=[1, 2], n_alternatives=1, tau=0.5)
    with refused(InputError):
        plots.frontier(one_tau)
    incomplete = altsets.frontier(quality.Additive(SCORES), n_features=3, n_alternatives=2, tau=[0.9, 1])
    for draw in (plots.frontier, plots.frontier_heat):
        with refused(InputError):
            draw(incomplete)
    assert plt.get_fignums() == []


def test_frontier_scores_have_a_baseline_and_intervals(evaluated, refused):
    ax = plots.frontier_scores(evaluated)
    assert legend(ax) == ["1 feature", f"baseline: {evaluated[0].guess()}"]
    curve, line, ring = ax.lines
    assert ring.get_gid() == "mark"
    assert curve.get_ydata().tolist() == [overall(one).difference for one in evaluated]
    assert set(line.get_ydata()) == {evaluated.baseline}
    (intervals,) = [entry for entry in ax.collections if entry.get_gid() == "interval"]
    last = overall(evaluated[1])
    assert intervals.get_segments()[-1][:, 1].tolist() == [last.low, last.high]
    with refused(InputError):
        plots.frontier_scores(evaluated.frontier)


def test_frontier_heat_frames_the_suggestion(frontier, snapshot):
    ax = plots.frontier_heat(frontier)
    seen = frontier_views.heat(frontier)
    shown = [f"{100 * value:.0f}" for row in seen.values for value in row if value is not None]
    assert cells(ax) == shown
    (frame,) = [patch for patch in ax.patches if patch.get_gid() == "black frame"]
    row, column = seen.mark
    assert (frame.get_x() + 0.5, frame.get_y() + 0.5) == (column, row)
    assert note(ax) == snapshot


def test_frontier_heat_hatches_what_is_missing(snapshot):
    found = altsets.frontier(quality.Additive(SCORES), n_features=[2, 3], n_alternatives=2)
    ax = plots.frontier_heat(found)
    missing = sum(value is None for row in frontier_views.heat(found).values for value in row)
    assert sum(bool(patch.get_hatch()) for patch in ax.patches) == missing > 0
    assert note(ax) == snapshot


# --- Evaluations and near-best sets -------------------------------------------------------------------
def test_scores_show_means_folds_and_the_baseline(evaluation, snapshot):
    ax = plots.scores(evaluation)
    assert labels(ax.xaxis) == ["0", "1", "2"]
    (folds,) = [part for part in ax.collections if isinstance(part, PathCollection)]
    every = [score for number in range(3) for score in evaluation.scores(number)]
    assert folds.get_offsets()[:, 1].tolist() == pytest.approx(every)
    (means, *_) = (container.lines[0] for container in ax.containers)
    assert means.get_ydata().tolist() == pytest.approx(evaluation.mean_scores())
    assert legend(ax)[0] == snapshot
    assert legend(ax)[1].startswith("baseline: always")
    lines = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert lines == pytest.approx([evaluation.baseline])


def test_scores_that_are_no_better_are_hollow(snapshot):
    rng = np.random.default_rng(3)
    y = np.repeat(["no", "yes"], 60)
    X = rng.normal(size=(120, 2)) + 3 * np.outer(y == "yes", [1, 0])
    ax = plots.scores(altsets.evaluate([[0], [1]], X, y, n_repeats=1))
    full, hollow = (container.lines[0] for container in ax.containers)
    assert (list(full.get_xdata()), list(hollow.get_xdata())) == ([0], [1])
    assert hollow.get_markerfacecolor() == ax.get_facecolor()
    assert legend(ax) == snapshot
    assert note(ax) == snapshot


def test_one_fold_has_no_interval(evaluation, snapshot):
    ax = plots.scores(replace(evaluation, folds=evaluation.folds[:1]))
    assert legend(ax)[0] == "mean"
    assert note(ax) == snapshot


def test_stand_ins_are_numbers_in_per_cent(evaluation):
    ax = plots.stand_ins(evaluation)
    seen = set_views.stand_ins(evaluation, most=15)
    assert cells(ax) == [f"{100 * value:.0f}" for row in seen.values for value in row if value is not None]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("replaced feature", "stand-in")


def test_stability_shows_shares_and_the_index(evaluation, snapshot):
    ax = plots.stability(evaluation)
    shares, index = set_views.stability(evaluation)
    assert cells(ax) == [f"{100 * value:.0f}" for row in shares.values for value in row if value]
    numbers = [f"{value:.2f}" for value in index.values]
    assert [label.split("\n")[1] for label in labels(ax.xaxis)] == numbers
    assert note(ax) == snapshot


def test_near_best_hatches_what_is_not_in_the_best_set(near, snapshot):
    ax = plots.near_best(near)
    seen = set_views.near_best_frequencies(near)
    assert labels(ax.yaxis) == list(seen.labels)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([100 * value for value in seen.values])
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [not marked for marked in seen.marked]
    assert legend(ax) == snapshot
    assert note(ax) == snapshot


# --- Colours ------------------------------------------------------------------------------------------
def lightness(colour):
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgba(colour)[:3]
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_shades_get_darker_and_text_on_them_can_be_read():
    ramp = mpl.colors.LinearSegmentedColormap.from_list("blues", SHADES)(np.linspace(0, 1, 50))
    lights = [lightness(colour) for colour in ramp]
    assert lights == sorted(lights, reverse=True)
    for colour, light in zip(ramp, lights, strict=True):
        text = 1.0 if is_dark(colour[:3]) else 0.0
        high, low = max(text, light), min(text, light)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_curves_can_be_seen_on_paper():
    assert all(lightness(colour) < 0.5 for colour in COLOURS)
    assert len(set(COLOURS)) == len(COLOURS)


# --- The plots of the guide ------------------------------------------------------------------------
DOCS = Path(__file__).parents[2] / "docs"


def test_the_guide_shows_every_plot_of_two_tables_and_all_are_small():
    shown = re.findall(
        r"!\[[^\]]+\]\(\.\./images/(\w+)\.png\)", (DOCS / "howto" / "plots.md").read_text("utf-8")
    )
    drawn = {path.stem: path.stat().st_size for path in (DOCS / "images").glob("*_*.png")}
    assert set(shown) <= drawn.keys()
    for table in ("wdbc", "house_votes_84"):
        assert {f"{table}_{name}" for name in PLOTS} <= set(shown)
    assert max(drawn[name] for name in shown) < 60_000


def test_the_script_that_draws_them_says_what_it_needs(tmp_path, refused):
    script = runpy.run_path(str(DOCS / "plots.py"))
    for arguments in ([], [str(tmp_path)]):
        with refused(SystemExit):
            script["main"](arguments)
    with refused(SystemExit):
        script["main"]([str(tmp_path)])


# --- Styles -------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_slides_have_their_shape_and_all_of_a_plot_fits(name, answers):
    before = mpl.rcParams.copy()
    with plots.style("slides"):
        ax = getattr(plots, name)(answers[name])
        assert clipped(ax) < 1
    assert mpl.rcParams == before
    width, height = ax.figure.get_size_inches()
    assert width / height == pytest.approx(16 / 9)
    assert width >= 40 / 3 - 1e-9
    assert ax.xaxis.label.get_size() == 20 or not ax.get_xlabel()


def test_what_does_not_fit_on_a_slide_makes_it_larger():
    scores = quality.Additive(range(1, 61))
    near = altsets.near_best(scores, n_features=5, within=0.3)
    with plots.style("slides"):
        few, many = plots.near_best(near, most=5), plots.near_best(near, most=40)
    assert few.figure.get_size_inches() == pytest.approx((40 / 3, 7.5))
    width, height = many.figure.get_size_inches()
    assert height > 10
    assert width / height == pytest.approx(16 / 9)


def test_a_style_stays_until_another_one_and_blocks_may_nest(result):
    before = mpl.rcParams.copy()
    try:
        plots.style("slides")
        plots.style("slides")
        assert mpl.rcParams["font.size"] == 20
        with plots.style("document"):
            assert mpl.rcParams == before
            assert plots.membership(result).figure.get_size_inches()[0] < 13
        assert mpl.rcParams["font.size"] == 20
    finally:
        plots.style("document")
    assert mpl.rcParams == before


def test_other_styles_are_refused(monkeypatch, refused):
    with refused(InputError):
        plots.style("poster")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="matplotlib"):
        plots.style("slides")
