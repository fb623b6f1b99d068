"""Numbers in rows and columns, each in a cell of its own: readable without the colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from altsets.plots._canvas import CHARACTER, GREY, axes_for, finish
from altsets.plots._names import LONGEST, PLAIN, Names
from altsets.result import MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from altsets.views import Grid

__all__ = ["draw_grid"]

#: From light to dark, so that much ink is much, in print as well; the blues of Okabe and Ito.
COLOURS = ("#F4F8FB", "#56B4E9", "#0072B2")
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
    """Draw a grid: a colour and a number for each cell.

    Parameters
    ----------
    ax : Axes or None
        Where to draw.
    grid : Grid
        What to draw.
    second_lines : sequence of sequences of str
        What else to write into each cell.
    empty : str
        What it means that there is no number; such cells are hatched then, else they stay empty.
    notes : sequence of str
        Sentences to add.
    pairs : bool
        Whether rows and columns are the same, so that the diagonal says little: it stays without colour.
    """
    names = Names()
    rows, columns = names.short(grid.rows), names.short(grid.columns)
    upright = max(map(len, columns)) > LYING
    ax = axes_for(ax, *_size(rows, columns, upright, bool(second_lines)))
    mesh = _fill(ax, grid, pairs)
    hatched = bool(empty) and _hatch(ax, grid)
    _frame(ax, grid)
    ax.set_xticks(range(len(columns)), columns, rotation=90 if upright else 0, fontsize="small", **PLAIN)
    ax.set_yticks(range(len(rows)), rows, fontsize="small", **PLAIN)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(grid.column_name)
    ax.set_ylabel(grid.row_name)
    unproven = f"{MARK} not proven." if any(map(any, grid.open)) else ""
    title = f"{grid.value_name} (%)" if grid.shares else grid.value_name
    said = [*notes, grid.note, unproven, f"Hatched: {empty}." if hatched else ""]
    finish(ax, names, title=title, notes=said)
    _write(ax, grid, mesh, second_lines, pairs)
    return ax


def _size(rows: Sequence[str], columns: Sequence[str], upright: bool, tall: bool) -> tuple[float, float]:
    """The inches that cells and names take."""
    names, heads = max(map(len, rows)), max(map(len, columns)) if upright else 1
    width = max(len(columns), 4) * CELL_WIDTH * (1.4 if tall else 1) + names * CHARACTER + 0.6
    height = max(len(rows), 3) * CELL_HEIGHT * (1.5 if tall else 1) + heads * CHARACTER + 1.0
    return max(width, min(LONGEST, 40) * 0.11), height


def _fill(ax: Axes, grid: Grid, pairs: bool) -> Any:
    """The colours of the cells."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    numbers = np.array([[np.nan if value is None else float(value) for value in row] for row in grid.values])
    edges = [np.arange(length + 1) - 0.5 for length in reversed(numbers.shape)]
    if pairs:
        np.fill_diagonal(numbers, np.nan)
    high = grid.high if grid.high > grid.low else grid.low + 1
    mesh = ax.pcolormesh(
        *edges,
        np.ma.masked_invalid(numbers),
        cmap=LinearSegmentedColormap.from_list("blues", COLOURS),
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
            colour = "white" if _is_dark(mesh.to_rgba(value)[:3]) else "black"
            ax.text(
                j,
                i,
                f"{number}{mark}{more}",
                ha="center",
                va="center",
                fontsize="small",
                color=GREY if pairs and i == j else colour,
                # Cells have the room that they have, and asking hundreds of them takes long.
                in_layout=False,
            )


def _is_dark(colour: Sequence[float]) -> bool:
    """Whether white is easier to read on it than black, by the contrast of the W3C."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (light + 0.05) > (light + 0.05) / 0.05


def _hatch(ax: Axes, grid: Grid) -> bool:
    """Mark the cells that have no number; whether there are any."""
    from matplotlib.patches import Rectangle

    cells = [(j, i) for i, row in enumerate(grid.values) for j, value in enumerate(row) if value is None]
    for j, i in cells:
        cell = Rectangle(
            (j - 0.46, i - 0.44), 0.92, 0.88, fill=False, hatch="////", edgecolor=GREY, linewidth=0
        )
        ax.add_patch(cell)
    return bool(cells)


def _frame(ax: Axes, grid: Grid) -> None:
    """A frame around the number that is suggested: black on white, to be seen on any colour and in grey."""
    from matplotlib.patches import Rectangle

    if grid.mark is not None:
        i, j = grid.mark
        for colour, width in (("white", 5.0), ("black", 2.0)):
            frame = Rectangle(
                (j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=colour, linewidth=width, zorder=3
            )
            frame.set_gid(f"{colour} frame")
            ax.add_patch(frame)
