"""Where pictures are drawn, and what they have in common: sizes, colours, legends, notes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError, MissingExtraError
from altsets.plots._names import PLAIN, Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "CHARACTER",
    "COLOURS",
    "GREY",
    "HATCHED",
    "MARKERS",
    "ORANGE",
    "add_legend",
    "add_note",
    "axes_for",
    "key",
    "tidy",
]

#: Colours that all readers can tell apart (Okabe and Ito), without the yellow that paper swallows.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"
COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: One for each colour, for those who see none.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

#: How bars look that are not like the others: hatched instead of full.
HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": BLUE, "hatch": "////", "linewidth": 0.8}

#: The width of a character of small text in inches, at the usual size of 10 points.
CHARACTER = 0.075
#: Characters that the key of a legend takes beside its text.
KEY = 6


def axes_for(ax: Any, width: float, height: float) -> Axes:
    """The axes to draw on: those that were given, or those of a new figure of so many inches.

    Parameters
    ----------
    ax : Axes or None
        As given.
    width, height : float
        What the content needs at a font size of 10 points; it grows with the font.
    """
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise MissingExtraError("a picture", "matplotlib", "plots") from error
    if ax is None:
        scale = plt.rcParams["font.size"] / 10
        _, ax = plt.subplots(figsize=(width * scale, height * scale), layout="constrained")
    if not isinstance(ax, Axes):
        name = type(ax).__name__
        raise InputError(
            f"ax must be Axes of matplotlib, such as plt.subplots() returns, not {name}; or leave it out."
        )
    return ax


def tidy(ax: Axes, grid: str | None = None) -> None:
    """No frame that says nothing, and lines to read numbers from: along "x", along "y" or none."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")
    if grid is not None:
        ax.grid(axis=grid, color=GREY, alpha=0.3, linewidth=0.6)  # type: ignore[arg-type]
        ax.set_axisbelow(True)


def key(label: str, *, hatched: bool = False) -> Any:
    """A full or a hatched bar for the legend."""
    from matplotlib.patches import Patch

    return Patch(label=label, **HATCHED) if hatched else Patch(label=label, color=BLUE)


def add_legend(ax: Axes, handles: Sequence[Any], names: Names) -> None:
    """What colours, markers and lines stand for: above the axes, where it covers nothing.

    Parameters
    ----------
    ax : Axes
    handles : sequence of artists
        With labels.
    names : Names
        Who writes what comes from users.
    """
    if not handles:
        return
    labels = [names.clean(str(handle.get_label())) for handle in handles]
    width = _characters(ax)
    columns = max(1, min(len(labels), width // (max(map(len, labels)) + KEY)))
    labels = ["\n".join(textwrap.wrap(label, max(20, width // columns - KEY))) for label in labels]
    legend = ax.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        borderaxespad=0,
        frameon=False,
        fontsize="small",
        ncols=columns,
        handlelength=1.8,
        columnspacing=1.2,
    )
    for text in legend.get_texts():
        text.set(**PLAIN)


def add_note(ax: Axes, *sentences: str) -> None:
    """What else there is to know: below the axes and their label, in small letters."""
    said = " ".join(filter(None, sentences))
    if said:
        ax.annotate(
            "\n".join(textwrap.wrap(said, _characters(ax))),
            xy=(0, 0),
            xycoords=("axes fraction", ax.xaxis.label),
            xytext=(0, -6),
            textcoords="offset points",
            va="top",
            fontsize="x-small",
            alpha=0.8,
            annotation_clip=False,
            gid="note",
            **PLAIN,
        )


def _characters(ax: Axes) -> int:
    """How many characters of small text fit below the axes."""
    from matplotlib import rcParams

    inches = ax.get_window_extent().width / ax.figure.dpi
    return max(30, int(inches / CHARACTER * 10 / rcParams["font.size"]))
