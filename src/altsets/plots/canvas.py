"""What plots share: axes, names, colours, legends, notes, bars and grids."""

from __future__ import annotations

import itertools
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError
from altsets.plots._style import figure_size, points, settings
from altsets.result import MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altsets.views.records import Grid, ReferenceLine


#: Plain text: a dollar sign or an underscore is no formula.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}

#: Replacements for characters that the font does not have.
BOX, QUESTION = "\N{WHITE SQUARE}", "?"
#: Characters of a name that are shown.
LONGEST = 32


class Names:
    """Writes names for one plot, and knows whether a character was lost; raises if matplotlib is missing."""

    def __init__(self) -> None:
        settings()
        self._lost = False

    def short(self, names: Iterable[str]) -> list[str]:
        """Names on one line each, without what cannot be shown, and long ones without their middle."""
        tail = (LONGEST - 1) // 2
        # Without the middle: the end often tells names apart.
        return [
            name if len(name) <= LONGEST else f"{name[: LONGEST - 1 - tail]}…{name[-tail:]}"
            for name in map(self.clean, names)
        ]

    def clean(self, name: str) -> str:
        """A name in characters that the font has; line breaks are spaces, and marks that show nothing are left out."""
        line = " ".join(name.split())
        visible = "".join(character for character in line if character.isprintable())
        shown = "".join(character if ord(character) in self._known else self._box for character in visible)
        self._lost |= shown != visible
        return shown

    @property
    def note(self) -> str:
        if not self._lost:
            return ""
        return f"{self._box} is not in the font: set plt.rcParams['font.family'] to one that has it."

    @cached_property
    def _box(self) -> str:
        return BOX if ord(BOX) in self._known else QUESTION

    @cached_property
    def _known(self) -> frozenset[int]:
        from matplotlib.font_manager import FontProperties, findfont, get_font

        families = FontProperties().get_family()
        paths = {findfont(FontProperties(family=[family])) for family in families}
        return frozenset().union(*(get_font(path).get_charmap() for path in paths))


#: Colour-blind safe colours (Okabe and Ito), without the yellow that is hard to see on paper.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#999999"
COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: Markers and line styles that tell curves apart without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")

#: The style of marked bars.
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
    """The axes to draw on: those given, or those of a new figure of this size in inches."""
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes

    if ax is None:
        _, ax = plt.subplots(figsize=figure_size(points(width), points(height)), layout="constrained")
    if not isinstance(ax, Axes):
        name = type(ax).__name__
        raise InputError(
            f"ax must be Axes of matplotlib, such as plt.subplots() returns, not {name}; or leave it out."
        )
    return ax


def tidy(ax: Axes, grid: str | None = None) -> None:
    """Remove the top and right spines, and add grid lines along "x", "y" or "both"."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")
    if grid is not None:
        ax.grid(axis=grid, color=GREY, alpha=0.3, linewidth=0.6)  # type: ignore[arg-type]
        ax.set_axisbelow(True)


def key(label: str, *, hatched: bool = False) -> Any:
    from matplotlib.patches import Patch

    return Patch(label=label, **HATCHED) if hatched else Patch(label=label, color=BLUE)


def finish(
    ax: Axes, names: Names, *, keys: Sequence[Any] = (), title: str = "", notes: Sequence[str] = ()
) -> Axes:
    """Add legend, title and notes, wrapped to fit: once all else has its place."""
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
    figure = ax.figure.canvas.figure
    with warnings.catch_warnings():
        # Where there is too little room, matplotlib says so when the plot is shown.
        warnings.simplefilter("ignore")
        figure.draw_without_rendering()
    return float(ax.get_window_extent().width) / figure.dpi / points(1)


def hatch(bars: Iterable[Any], marked: Iterable[bool]) -> None:
    for bar, is_marked in zip(bars, marked, strict=False):
        if is_marked:
            bar.set(**HATCHED)


def draw_lines(ax: Axes, lines: Sequence[ReferenceLine], colour: Any = ORANGE) -> list[Any]:
    """Draw reference values as horizontal lines, and return them for the legend."""
    dashes = itertools.cycle(DASHES[1:] + DASHES[:1])
    look = {"color": colour, "lw": points(1.5)}
    return [ax.axhline(line.value, ls=next(dashes), label=line.label, **look) for line in lines]


#: From light to dark, so that much ink is much, in print as well; the blues of Okabe and Ito.
SHADES = ("#F4F8FB", "#56B4E9", "#0072B2")
#: The width and height of a cell in inches.
CELL_WIDTH, CELL_HEIGHT = 0.48, 0.3
#: Columns with longer names have them upright.
LYING = 7


def draw_grid(
    ax: Axes | None,
    grid: Grid,
    *,
    second_lines: Sequence[Sequence[str]] = (),
    empty: str = "",
    notes: Sequence[str] = (),
    pairs: bool = False,
) -> Axes:
    names = Names()
    rows, columns = names.short(grid.rows), names.short(grid.columns)
    upright = max(map(len, columns)) > LYING
    ax = axes_for(ax, *_size(rows, columns, upright, bool(second_lines)))
    mesh = _fill(ax, grid, pairs)
    # Marked as empty, unless numbers are missing for good reasons.
    holes = [(j, i) for i, row in enumerate(grid.values) for j, value in enumerate(row) if value is None]
    for j, i in holes if empty else ():
        _box(ax, j, i, 0.92, 0.88, hatch="////", edgecolor=GREY, linewidth=0)
    if grid.mark is not None:
        # Black on white, to be seen on any colour and in grey.
        for colour, width in (("white", 5.0), ("black", 2.0)):
            _box(
                ax,
                grid.mark[1],
                grid.mark[0],
                1,
                1,
                edgecolor=colour,
                linewidth=width,
                gid=f"{colour} frame",
                zorder=3,
            )
    ax.set_xticks(range(len(columns)), columns, rotation=90 if upright else 0, fontsize="small", **PLAIN)
    ax.set_yticks(range(len(rows)), rows, fontsize="small", **PLAIN)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(grid.column_name)
    ax.set_ylabel(grid.row_name)
    unproven = f"{MARK} not proven." if any(map(any, grid.open)) else ""
    title = f"{grid.value_name} (%)" if grid.shares else grid.value_name
    said = [*notes, grid.note, unproven, f"Hatched: {empty}." if empty and holes else ""]
    finish(ax, names, title=title, notes=said)
    _write(ax, grid, mesh, second_lines, pairs)
    return ax


def _size(rows: Sequence[str], columns: Sequence[str], upright: bool, tall: bool) -> tuple[float, float]:
    names, heads = max(map(len, rows)), max(map(len, columns)) if upright else 1
    width = max(len(columns), 4) * CELL_WIDTH * (1.4 if tall else 1) + names * CHARACTER + 0.6
    height = max(len(rows), 3) * CELL_HEIGHT * (1.5 if tall else 1) + heads * CHARACTER + 1.0
    return max(width, min(LONGEST, 40) * 0.11), height


def _fill(ax: Axes, grid: Grid, pairs: bool) -> Any:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    numbers = np.array(grid.values, dtype=float)
    edges = [np.arange(length + 1) - 0.5 for length in reversed(numbers.shape)]
    if pairs:
        np.fill_diagonal(numbers, np.nan)
    high = grid.high if grid.high > grid.low else grid.low + 1
    mesh = ax.pcolormesh(
        *edges,
        np.ma.masked_invalid(numbers),
        cmap=LinearSegmentedColormap.from_list("blues", SHADES),
        vmin=grid.low,
        vmax=high,
        edgecolors=[ax.get_facecolor()],
        linewidth=1,
    )
    ax.set_xlim(-0.5, len(grid.columns) - 0.5)
    ax.set_ylim(len(grid.rows) - 0.5, -0.5)
    return mesh


def _write(ax: Axes, grid: Grid, mesh: Any, second_lines: Sequence[Sequence[str]], pairs: bool) -> None:
    """The numbers, white on dark cells and black on light ones."""
    for i, row in enumerate(grid.values):
        for j, value in enumerate(row):
            if value is None:
                continue
            number = f"{100 * value:.{grid.digits - 2}f}" if grid.shares else f"{value:.{grid.digits}f}"
            mark = MARK if grid.open and grid.open[i][j] else ""
            more = f"\n{second_lines[i][j]}" if second_lines else ""
            colour = "white" if is_dark(mesh.to_rgba(value)[:3]) else "black"
            # Cells have the room that they have, and asking hundreds of them takes long.
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small", "in_layout": False}
            ax.text(j, i, f"{number}{mark}{more}", color=GREY if pairs and i == j else colour, **look)


def is_dark(colour: Sequence[float]) -> bool:
    """Whether white is easier to read on it than black, by the contrast of the W3C."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (light + 0.05) > (light + 0.05) / 0.05


def _box(ax: Axes, x: float, y: float, width: float, height: float, **look: Any) -> None:
    """Draw a rectangle around the middle of a cell."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x - width / 2, y - height / 2), width, height, fill=False, **look))
