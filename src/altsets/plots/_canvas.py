"""Where pictures are drawn, and what they have in common: sizes, colours, legends, notes."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError
from altsets.plots._names import PLAIN, Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "CHARACTER",
    "COLOURS",
    "DASHES",
    "GREY",
    "HATCHED",
    "MARKERS",
    "ORANGE",
    "axes_for",
    "finish",
    "key",
    "tidy",
]

#: Colours that all readers can tell apart (Okabe and Ito), without the yellow that paper swallows.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"
COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: One for each colour, and lines that differ from the next ones, for those who see none.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")

#: How bars look that are not like the others: hatched instead of full.
HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": BLUE, "hatch": "////", "linewidth": 0.8}

#: The width of a character of small text in inches, at the usual size of 10 points.
CHARACTER = 0.07
#: That of the smallest text.
NARROW_CHARACTER = 0.057
#: Characters of a line, however narrow the axes are.
FEWEST = 24
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
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes

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


def finish(
    ax: Axes,
    names: Names,
    *,
    keys: Sequence[Any] = (),
    title: str = "",
    notes: Sequence[str] = (),
) -> Axes:
    """Put words around a picture that is drawn, in lines that fit: once all else has its place.

    Parameters
    ----------
    ax : Axes
        Where it was drawn.
    names : Names
        Who writes what comes from users.
    keys : sequence of artists
        With labels, for the legend: above the axes, where it covers nothing.
    title : str
        What the numbers are, if no axis says so.
    notes : sequence of str
        Sentences: below the axes and their label, in small letters.
    """
    inches = _width(ax)
    width = int(inches / CHARACTER)
    if keys:
        _add_legend(ax, keys, [names.clean(str(key.get_label())) for key in keys], width)
    if title:
        ax.set_title("\n".join(textwrap.wrap(title, max(FEWEST, width))), fontsize="small", loc="left")
    said = " ".join(filter(None, [*notes, names.note]))
    if said:
        ax.annotate(
            "\n".join(textwrap.wrap(said, max(FEWEST, int(inches / NARROW_CHARACTER)))),
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
    return ax


def _add_legend(ax: Axes, keys: Sequence[Any], labels: Sequence[str], width: int) -> None:
    """As many keys side by side as fit; those that do not fit alone have several lines."""
    columns = max(1, min(len(labels), width // (max(map(len, labels)) + KEY)))
    legend = ax.legend(
        keys,
        ["\n".join(textwrap.wrap(label, max(FEWEST, width // columns - KEY))) for label in labels],
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        borderaxespad=0,
        frameon=False,
        fontsize="small",
        ncols=columns,
        handlelength=2.4,
        columnspacing=1.2,
    )
    for text in legend.get_texts():
        text.set(**PLAIN)


def _width(ax: Axes) -> float:
    """How wide the axes are once all that is drawn has its place, in inches of text of 10 points."""
    from matplotlib import rcParams

    figure = ax.figure.canvas.figure
    with warnings.catch_warnings():
        # Where there is too little room, that is said when the picture is shown.
        warnings.simplefilter("ignore")
        figure.draw_without_rendering()
    inches: float = ax.get_window_extent().width / figure.dpi * 10 / rcParams["font.size"]
    return inches
