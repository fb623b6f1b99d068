"""A number for each set, or for each feature: as bars, with what they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altsets.plots._canvas import BLUE, DASHES, HATCHED, ORANGE, axes_for, finish, key, tidy
from altsets.plots._names import Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altsets.views import Bars, ReferenceLine

__all__ = ["draw_columns", "draw_lines"]


def draw_columns(ax: Axes | None, seen: Bars, texts: Sequence[str], name: str) -> Axes:
    """Upright bars, one for each set, with a text above each.

    Parameters
    ----------
    ax : Axes or None
        Where to draw.
    seen : Bars
        What to draw.
    texts : sequence of str
        One for each bar.
    name : str
        What the labels are numbers of.
    """
    names = Names()
    ax = axes_for(ax, max(4.2, 0.55 * len(seen.labels) + 1.2), 3.4)
    places = range(len(seen.labels))
    bars = ax.bar(places, [value or 0.0 for value in seen.values], width=0.7, color=BLUE)
    for bar, marked in zip(bars, seen.marked, strict=False):
        if marked:
            bar.set(**HATCHED)
    # In the middle of the bars, where neither a line nor a hatch makes them hard to read.
    for text in ax.bar_label(bars, texts, fontsize="x-small", label_type="center", color="black"):
        text.set_bbox(
            {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        )
    keys = draw_lines(ax, seen.lines)
    if seen.marked:
        keys.append(key(seen.mark_means, hatched=True))
    ax.set_xticks(places, [label.removeprefix(f"{name} ") for label in seen.labels])
    ax.set_xlabel(name)
    ax.set_ylabel(seen.value_name)
    tidy(ax, grid="y")
    return finish(ax, names, keys=keys, notes=[seen.note])


def draw_lines(ax: Axes, lines: Sequence[ReferenceLine], colour: Any = ORANGE) -> list[Any]:
    """The numbers that all others are compared with, as lines across; for the legend."""
    return [
        ax.axhline(
            line.value,
            color=colour,
            linestyle=DASHES[(place + 1) % len(DASHES)],
            linewidth=1.5,
            label=line.label,
        )
        for place, line in enumerate(lines)
    ]
