"""Panels of figures: grouped boxes, lines by threshold; readable in print and without colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from altsets.errors import MissingExtraError
from altsets.experiments.tables import Frame

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
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a figure", "matplotlib", "study") from error
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
    columns = {
        "whislo": "whisker_low",
        "q1": "q1",
        "med": "median",
        "q3": "q3",
        "whishi": "whisker_high",
        "mean": "mean",
    }
    stats = [{ours: row[name] for ours, name in columns.items()} for _, row in boxes.iterrows()]
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
        median.set_path_effects([_frame()])


def _frame() -> Any:
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=2.4, foreground="#222222")


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
