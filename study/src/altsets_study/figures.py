"""The seven figures of the paper's evaluation: the numbers behind them, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from altsets_study import tables
from altsets_study.datasets import Floats
from altsets_study.tables import Frame

# --- Panels: readable in print and without colours -----------------------------------------------------

NOTHING = "no results for this panel"

#: Fills from dark to light that differ in print too, and hatches for colour-blind readers.
FILLS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
HATCHES = ("", "//", "", "\\\\", "")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))
#: Part of the height of the boxes and whiskers that is left free above and below.
MARGIN = 0.06
#: Differences below this are those of rounding.
NEGLIGIBLE = 1e-9
#: Where a legend stands: below all panels of a figure, or below one panel.
BELOW_ALL: dict[str, Any] = {"loc": "outside lower center"}
BELOW_PANEL: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16)}


def canvas(width: float, height: float, n_rows: int, n_columns: int) -> tuple[Any, list[Any]]:
    """A figure of so many inches with panels, without any state outside of it; panels are lettered row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.tick_params(labelsize=8)
    return figure, axes


def title(axis: Any, letter: str, text: str) -> None:
    """The letter and the subject of a panel."""
    axis.set_title(f"({letter}) {text}", fontsize=9, loc="left")


def _nothing_here(axis: Any) -> None:
    """Mark an empty panel."""
    axis.text(
        0.5, 0.5, NOTHING, transform=axis.transAxes, ha="center", va="center", fontsize=9, style="italic"
    )
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(visible=False)


def draw_boxes(
    axis: Any,
    boxes: Frame,
    groups: tuple[str, Sequence[Any]],
    shades: tuple[str, Sequence[Any]],
    names: Sequence[str],
    *,
    zero: bool = False,
) -> None:
    """Boxes side by side in groups, one shade each, with the mean as a white diamond.

    Groups and shades are a column and its values in order; ``zero`` draws a line at 0.

    The axis holds all boxes and whiskers; where single values lie beyond it, the panel says how far.
    """
    if not len(boxes):
        _nothing_here(axis)
        return
    (group, values), (shade, tones) = groups, shades
    wide = 0.84 / len(tones)
    for at, one in enumerate(tones):
        those = boxes[boxes[shade] == one]
        places = [values.index(value) + (at - (len(tones) - 1) / 2) * wide for value in those[group]]
        _draw_one_shade(axis, those, places, wide * 0.82, _fill(at, len(tones)))
    axis.set_xlim(-0.5, len(values) - 0.5)
    axis.set_xticks(range(len(values)), names, fontsize=8)
    axis.tick_params(axis="x", length=0)
    for edge in range(1, len(values)):
        axis.axvline(edge - 0.5, color="#eeeeee", linewidth=0.6, zorder=0)
    _limit(axis, boxes, zero)


def _fill(at: int, n_shades: int) -> tuple[str, str]:
    places = {1: [2], 2: [1, 3], 3: [0, 2, 4], 4: [0, 1, 2, 4]}.get(n_shades, range(5))
    place = places[at % len(places)]
    return FILLS[place], HATCHES[place]


def _draw_one_shade(
    axis: Any, boxes: Frame, places: list[float], width: float, look: tuple[str, str]
) -> None:
    from matplotlib.patheffects import withStroke

    names = {"whisker_low": "whislo", "median": "med", "whisker_high": "whishi"}
    stats = (
        boxes[["whisker_low", "q1", "median", "q3", "whisker_high", "mean"]]
        .rename(columns=names)
        .to_dict("records")
    )
    fill, hatch = look
    drawn = axis.bxp(
        stats,
        positions=places,
        widths=width,
        patch_artist=True,
        showfliers=False,
        showmeans=True,
        manage_ticks=False,
        boxprops={"facecolor": fill, "edgecolor": "#222222", "linewidth": 0.6, "hatch": hatch},
        medianprops={"color": "white", "linewidth": 1.4},
        whiskerprops={"color": "#222222", "linewidth": 0.7},
        capprops={"color": "#222222", "linewidth": 0.7},
        meanprops={
            "marker": "D",
            "markersize": 2.6,
            "markerfacecolor": "white",
            "markeredgecolor": "#222222",
        },
    )
    for median in drawn["medians"]:
        # White on dark, framed in black: seen on the lightest fill as well.
        median.set_path_effects([withStroke(linewidth=2.4, foreground="#222222")])


def _limit(axis: Any, boxes: Frame, zero: bool) -> None:
    low, high = boxes[["whisker_low", "mean"]].min().min(), boxes[["whisker_high", "mean"]].max().max()
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
        axis.axhline(0, color="#222222", linewidth=0.7)
    room = MARGIN * (high - low) or 0.01
    axis.set_ylim(low - room, high + room)
    smallest, largest = boxes["smallest"].min(), boxes["largest"].max()
    if smallest < low - room or largest > high + room:
        reach = " to ".join(
            f"{value:.2g}" if abs(value) > NEGLIGIBLE else "0" for value in (smallest, largest)
        )
        axis.set_title(f"axis cut (values: {reach})", fontsize=6.5, loc="right", color="#555555")


def legend_of_boxes(
    holder: Any, heading: str, labels: Sequence[str], n_columns: int = 5, where: dict[str, Any] = BELOW_ALL
) -> None:
    """What the shades mean, below all panels of a figure, or below the one panel that is given."""
    from matplotlib.patches import Patch

    looks = [_fill(at, len(labels)) for at in range(len(labels))]
    handles = [
        Patch(facecolor=fill, hatch=hatch, edgecolor="#222222", linewidth=0.6, label=label)
        for (fill, hatch), label in zip(looks, labels, strict=True)
    ]
    _legend(holder, handles, heading, n_columns, where)


def _legend(holder: Any, handles: list[Any], heading: str, n_columns: int, where: dict[str, Any]) -> None:
    legend = holder.legend(
        handles=handles, title=heading, ncols=n_columns, fontsize=8, frameon=False, **where
    )
    legend.get_title().set_fontsize(8)


def draw_lines(axis: Any, means: Frame, taus: Sequence[float]) -> None:
    """One line for each threshold, over the number of the alternative; the lightest is the largest threshold."""
    if not means["mean"].notna().any():
        _nothing_here(axis)
        return
    for tau, those in means.groupby("tau"):
        those = those.sort_values("number")
        axis.plot(those["number"], those["mean"], **_line(float(tau), taus))
    axis.set_xticks(range(int(means["number"].max()) + 1))
    axis.set_xlabel("number of alternative (0: original set)", fontsize=8)


def _line(tau: float, taus: Sequence[float]) -> dict[str, Any]:
    from matplotlib import colormaps

    at = int(np.argmin([abs(tau - one) for one in taus]))
    # Yellow is hard to see on white.
    color = colormaps["viridis"](0.92 * (at / max(len(taus) - 1, 1)))
    look = {"color": color, "marker": MARKERS[at % len(MARKERS)], "linestyle": DASHES[at % len(DASHES)]}
    return {**look, "linewidth": 1.1, "markersize": 3.6, "markeredgewidth": 0.0, "clip_on": False}


def legend_of_lines(figure: Any, taus: Sequence[float]) -> None:
    """Which line is which threshold, below all panels."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=f"{tau:.2g}", **_line(tau, taus)) for tau in taus]
    if handles:
        _legend(figure, handles, "dissimilarity threshold tau", 10, BELOW_ALL)


# --- The numbers behind the figures -------------------------------------------------------------------

#: The numbers of a box; whiskers end at the last value within 1.5 times the height of the box.
BOX = ["n", "mean", "smallest", "whisker_low", "q1", "median", "q3", "whisker_high", "largest"]


def distribution(values: Floats) -> dict[str, float]:
    """The numbers of one box; values that are not there (NaN) are left out."""
    there = values[~np.isnan(values)]
    if not len(there):
        return {"n": 0, **dict.fromkeys(BOX[1:], np.nan)}
    q1, median, q3 = (float(value) for value in np.quantile(there, [0.25, 0.5, 0.75]))
    reach = 1.5 * (q3 - q1)
    inside = there[(there >= q1 - reach) & (there <= q3 + reach)]
    return {
        "n": len(there),
        "mean": float(there.mean()),
        "smallest": float(there.min()),
        # Between two values a quartile may lie beyond all that is inside.
        "whisker_low": min(float(inside.min()), q1),
        "q1": q1,
        "median": median,
        "q3": q3,
        "whisker_high": max(float(inside.max()), q3),
        "largest": float(there.max()),
    }


def boxes_by(rows: Frame, by: Sequence[str], column: str) -> Frame:
    """One box for each group of rows that has a value; columns ``by``, then those of ``BOX``."""
    groups = rows.dropna(subset=[column]).groupby(list(by), sort=True)[column]
    boxes = [
        {**dict(zip(by, key, strict=True)), **distribution(values.to_numpy(dtype=float))}
        for key, values in groups
    ]
    return pd.DataFrame(boxes, columns=[*by, *BOX])


METRIC_NAMES = {
    "train_objective": "training objective",
    "test_objective": "test objective",
    "train_mcc": "training MCC",
    "test_mcc": "test MCC",
}
#: Figures about one method are about the one that predicts best.
MAIN_METHOD = "model_gain"
#: Objectives that reach from -1 to 1, as MCC does.
SIGNED = ("mrmr", "greedy_wrapper")
#: The methods of figure 7, panel by panel.
OTHER_METHODS = ("mutual_info", "mrmr", "fcbf", "greedy_wrapper")


def numbers_of_methods(frame: Frame) -> Frame:
    """Figure 1: test MCC of original sets by method and size, and what twice the size changes."""
    original = tables.original_sets(frame)
    original = original[original["status"].isin(tables.FOUND)]
    first = boxes_by(original, ["method", "k"], "test_mcc").assign(panel="a", metric="test_mcc")
    wide = original.pivot(index=["dataset", "fold", "method"], columns="k", values=list(METRIC_NAMES))
    parts = [first]
    for metric in METRIC_NAMES:
        if (metric, 5) in wide and (metric, 10) in wide:
            change = (wide[metric, 10] - wide[metric, 5]).astype(float).rename("change").reset_index()
            parts.append(boxes_by(change, ["method"], "change").assign(panel="b", metric=metric))
    both = _together(parts, ["panel", "method", "k", "metric"])
    order = {method: place for place, method in enumerate(tables.methods_in_order(both["method"]))}
    return both.sort_values(
        ["panel", "method"], key=lambda cells: cells.map(lambda cell: order.get(cell, cell)), kind="stable"
    ).assign(method=lambda rows: rows["method"].map(tables.method_name))


def _together(parts: list[Frame], columns: Sequence[str]) -> Frame:
    filled = [part for part in parts if len(part)]
    if not filled:
        return pd.DataFrame(columns=[*columns, *BOX])
    return pd.concat(filled, ignore_index=True)[[*columns, *BOX]]


def complete_settings(runs: Frame) -> Frame:
    """The runs of those settings where each search found all sets for each number of alternatives.

    A setting is a data set, fold, method, size and threshold; searches are those that the runs of its method hold.
    """
    if not len(runs):
        return runs
    expected = runs.groupby("method")[["how", "a"]].apply(lambda those: len(those.drop_duplicates()))
    settings = runs.groupby(tables.SETTING)["valid"]
    complete = settings.transform("all") & (settings.transform("size") == runs["method"].map(expected))
    return runs[complete]


def _within_searches(what: str, frame: Frame) -> Frame:
    """Mean or standard deviation of quality within searches, by search and number of alternatives."""
    runs = complete_settings(tables.runs_of(tables.sets_in(frame, k=5, methods=[MAIN_METHOD])))
    parts = [
        boxes_by(runs, ["how", "a"], f"{what}_{metric}").assign(panel=panel, metric=metric)
        for panel, metric in zip("abc", tables.METRICS, strict=True)
    ]
    return _together(parts, ["panel", "metric", "how", "a"])


#: Figures 2 and 3.
numbers_of_spreads, numbers_of_means = partial(_within_searches, "std"), partial(_within_searches, "mean")


def numbers_of_heuristics(frame: Frame) -> Frame:
    """Figure 4: mean training objective of solver-based searches minus that of the heuristics, by a and by tau."""
    runs = complete_settings(tables.runs_of(tables.sets_in(frame, k=5, methods=tables.UNIVARIATE)))
    wide = runs.pivot(index=[*tables.SETTING, "a"], columns="how", values="mean_train_objective")
    parts = []
    for panels, exact, greedy in (("ac", "sim-min", "bal"), ("bd", "seq", "rep")):
        if exact not in wide or greedy not in wide:
            continue
        gaps = (wide[exact] - wide[greedy]).rename("gap").reset_index()
        pair = {"solver": exact, "heuristic": greedy}
        for panel, by in zip(panels, ("a", "tau"), strict=True):
            boxes = boxes_by(gaps, ["method", by], "gap").rename(columns={by: "value"})
            parts.append(boxes.assign(panel=panel, by=by, **pair))
    numbers = _together(parts, ["panel", "solver", "heuristic", "method", "by", "value"])
    return numbers.assign(method=numbers["method"].map(tables.method_name)).sort_values(
        "panel", kind="stable"
    )


def max_normalised(sets: Frame, metric: str, *, signed: bool = False) -> Frame:
    """Each quality over the best one of its search; 0 for sets that are not there (as ``filled``), NaN as ``found``."""
    quality = sets[metric].astype(float).where(sets["status"].isin(tables.FOUND))
    if signed:
        quality = (quality + 1) / 2
    best = quality.groupby([sets[name] for name in tables.RUN[:-1]]).transform("max")
    # A search whose best quality is 0 has no scale.
    found = quality / best.where(best > 0)
    missing = quality.isna() & best.gt(0)
    return sets.assign(found=found, filled=found.mask(missing, 0.0))


def numbers_of_qualities(frame: Frame) -> Frame:
    """Figure 5: mean quality by number of alternative and threshold, missing sets left out and counted as 0."""
    sets = tables.sets_in(frame, k=10, methods=[MAIN_METHOD], how=["seq"])
    panels = iter("abcdef")
    parts = []
    for metric in tables.METRICS:
        scaled = max_normalised(sets, metric, signed=metric == "test_mcc")
        for missing, column in (("left out", "found"), ("count as 0", "filled")):
            means = _means_by_tau(scaled, column)
            parts.append(means.assign(panel=next(panels), metric=metric, missing=missing))
    columns = ["panel", "metric", "missing", "tau", "number", "n", "mean"]
    return pd.concat(parts, ignore_index=True)[columns]


def _means_by_tau(rows: Frame, column: str) -> Frame:
    groups = rows.groupby(["tau", "number"])[column]
    return groups.agg(n="count", mean="mean").reset_index()


def numbers_of_valid_sets(frame: Frame) -> Frame:
    """Figure 6: share of numbers of alternatives for which there is a set, by threshold and size, in percent."""
    parts = []
    for panel, k in (("a", 5), ("b", 10)):
        sets = tables.sets_in(frame, k=k, methods=[MAIN_METHOD], how=["seq"])
        valid = sets.assign(valid=100.0 * sets["status"].isin(tables.FOUND))
        parts.append(_means_by_tau(valid, "valid").assign(panel=panel, k=k))
    return pd.concat(parts, ignore_index=True)[["panel", "k", "tau", "number", "n", "mean"]]


def numbers_of_objectives(frame: Frame) -> Frame:
    """Figure 7: mean training objective by number of alternative and threshold, for the other methods."""
    parts = []
    for panel, method in zip("abcd", OTHER_METHODS, strict=True):
        sets = tables.sets_in(frame, k=10, methods=[method], how=["seq"])
        scaled = max_normalised(sets, "train_objective", signed=method in SIGNED)
        parts.append(_means_by_tau(scaled, "found").assign(panel=panel, method=tables.method_name(method)))
    return pd.concat(parts, ignore_index=True)[["panel", "method", "tau", "number", "n", "mean"]]


#: Inches: the width of a page of text.
WIDTH = 7.2


def draw_methods(numbers: Frame) -> Any:
    """Figure 1: see :func:`numbers_of_methods`."""
    figure, (left, right) = canvas(WIDTH, 3.3, 1, 2)
    methods = list(dict.fromkeys([*tables.METHODS.values(), *numbers["method"]]))
    names = [name.replace(" ", "\n") for name in methods]
    first, second = _panels(numbers, "ab")
    sizes = sorted(first["k"].unique())
    draw_boxes(left, first, ("method", methods), ("k", sizes), names)
    title(left, "a", "test MCC by size")
    left.set_ylabel("test MCC", fontsize=8)
    draw_boxes(right, second, ("method", methods), ("metric", list(METRIC_NAMES)), names, zero=True)
    title(right, "b", "change, k = 5 to k = 10")
    right.set_ylabel("quality at k = 10 minus at k = 5", fontsize=8)
    # Two legends, as the panels differ in what shades mean.
    for axis, labels in ((left, [f"k = {size:g}" for size in sizes]), (right, list(METRIC_NAMES.values()))):
        if axis.patches:
            legend_of_boxes(axis, "", labels, 2, BELOW_PANEL)
    return figure


def _panels(numbers: Frame, letters: str) -> list[Frame]:
    return [numbers[numbers["panel"] == letter] for letter in letters]


def _draw_within_searches(what: str, numbers: Frame) -> Any:
    """Figures 2 and 3."""
    figure, axes = canvas(WIDTH, 7.2, 3, 1)
    searches, names = list(tables.SEARCHES), list(tables.SEARCHES.values())
    alternatives = [1, 2, 3, 4, 5]
    for axis, letter, metric, panel in zip(axes, "abc", tables.METRICS, _panels(numbers, "abc"), strict=True):
        draw_boxes(axis, panel, ("how", searches), ("a", alternatives), names)
        title(axis, letter, METRIC_NAMES[metric])
        axis.set_ylabel(f"{what}\n{METRIC_NAMES[metric]}", fontsize=8)
    legend_of_boxes(figure, "number of alternatives a", [str(a) for a in alternatives])
    return figure


def draw_heuristics(numbers: Frame) -> Any:
    """Figure 4: see :func:`numbers_of_heuristics`."""
    figure, axes = canvas(WIDTH, 5.6, 2, 2)
    pairs = ["sim. (min) minus bal.", "seq. minus rep."] * 2
    labels = ["number of alternatives a"] * 2 + ["dissimilarity threshold tau"] * 2
    shown = [tables.METHODS["mutual_info"], tables.METHODS["model_gain"]]
    panels = _panels(numbers, "abcd")
    for axis, letter, pair, label, panel in zip(axes, "abcd", pairs, labels, panels, strict=True):
        values = sorted(panel["value"].unique())
        names = [f"{value:.2g}" for value in values]
        draw_boxes(axis, panel, ("value", values), ("method", shown), names, zero=True)
        title(axis, letter, pair)
        axis.set_xlabel(label, fontsize=8)
        axis.set_ylabel("difference in mean\ntraining objective", fontsize=8)
    legend_of_boxes(figure, "", shown)
    return figure


def draw_qualities(numbers: Frame) -> Any:
    """Figure 5: see :func:`numbers_of_qualities`."""
    titles = [
        f"{METRIC_NAMES[metric]}, missing sets {words}"
        for metric in tables.METRICS
        for words in ("left out", "count as 0")
    ]
    return _draw_by_tau(numbers, (8.0, 3), titles, "mean, best of search = 1")


def draw_valid_sets(numbers: Frame) -> Any:
    """Figure 6: see :func:`numbers_of_valid_sets`."""
    figure = _draw_by_tau(numbers, (3.3, 1), ["k = 5", "k = 10"], "valid sets, %")
    for axis in figure.axes:
        if axis.lines:
            axis.set_ylim(0, 103)
    return figure


def draw_objectives(numbers: Frame) -> Any:
    """Figure 7: see :func:`numbers_of_objectives`."""
    titles = list(map(tables.method_name, OTHER_METHODS))
    return _draw_by_tau(numbers, (5.6, 2), titles, "mean training objective,\nbest of search = 1")


def _draw_by_tau(numbers: Frame, shape: tuple[float, int], titles: Sequence[str], label: str) -> Any:
    """Panels in two columns, with a line for each threshold; ``shape`` is a height in inches and a number of rows."""
    figure, axes = canvas(WIDTH, *shape, 2)
    taus = sorted(numbers["tau"].unique())
    letters = "abcdef"[: len(titles)]
    for axis, letter, panel, words in zip(axes, letters, _panels(numbers, letters), titles, strict=True):
        draw_lines(axis, panel, taus)
        title(axis, letter, words)
        axis.set_ylabel(label, fontsize=8)
    legend_of_lines(figure, taus)
    return figure


@dataclass(frozen=True)
class StudyFigure:
    """A figure: its number in the paper, where its numbers come from and how they are drawn."""

    number: int
    numbers: Callable[[Frame], Frame]
    draw: Callable[[Frame], Any]

    @property
    def name(self) -> str:
        """The name of its files, and of its caption."""
        return f"figure-{self.number}"


FIGURES = (
    StudyFigure(1, numbers_of_methods, draw_methods),
    StudyFigure(2, numbers_of_spreads, partial(_draw_within_searches, "standard deviation of")),
    StudyFigure(3, numbers_of_means, partial(_draw_within_searches, "mean of")),
    StudyFigure(4, numbers_of_heuristics, draw_heuristics),
    StudyFigure(5, numbers_of_qualities, draw_qualities),
    StudyFigure(6, numbers_of_valid_sets, draw_valid_sets),
    StudyFigure(7, numbers_of_objectives, draw_objectives),
)
