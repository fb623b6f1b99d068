"""Plots of a frontier: quality over tau, over the size of sets or over another number, and test scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError
from altsets.evaluation import Evaluations
from altsets.plots._style import points
from altsets.plots.canvas import (
    COLOURS,
    DASHES,
    MARKERS,
    Names,
    axes_for,
    draw_grid,
    draw_lines,
    finish,
    tidy,
)
from altsets.result import Frontier
from altsets.views import frontier as views
from altsets.views.records import Curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SIZE = (5.6, 3.8)


def frontier(
    frontier: Frontier, *, n_alternatives: int | None = None, most: int = 6, ax: Axes | None = None
) -> Axes:
    """Plot the curve of a frontier: quality over tau, shared features, the worst set or costs.

    Over tau, quality is a share of the best set of that size: of one size, the mean of the sets and the worst of them;
    of several, a curve for each. Points that are not proven are hollow; a ring marks the elbow of the curve, if there
    is one.

    Parameters
    ----------
    frontier : Frontier
        From :func:`altsets.frontier`.
    n_alternatives : int, default=None
        Over tau, of several numbers of alternatives this one.
    most : int, default=6
        Over tau, curves to show at most.
    ax : Axes, default=None
        Where to draw; by default in a new figure.

    See Also
    --------
    altsets.plots.frontier_sizes, altsets.plots.frontier_heat : Quality over the size of sets.

    Examples
    --------
    >>> import altsets
    >>> found = altsets.frontier(altsets.quality.Additive([9, 8, 8, 8, 7, 3, 1, 1]), n_features=4, n_alternatives=1)
    >>> ax = altsets.plots.frontier(found)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mean', 'worst set']
    >>> costs = altsets.frontier(altsets.quality.Additive([9, 8, 7, 3]), n_features=2, against=[5, 4, 1, 2])
    >>> altsets.plots.frontier(costs).get_xlabel()
    'costs (less is better)'
    """
    seen = views.curve(frontier, n_alternatives=n_alternatives, most=most)
    if frontier.by == "tau" and max(len(line.points) for line in seen.series) < 2:
        raise InputError(
            "this frontier has one value of tau for each size, which is no curve; leave tau out to have all that "
            "matter, or draw frontier_sizes."
        )
    return _draw_curves(ax, seen)


def frontier_sizes(frontier: Frontier, *, n_alternatives: int | None = None, ax: Axes | None = None) -> Axes:
    """Plot quality over the size of sets: what each further feature adds.

    There is a curve for the best set, for sets that differ in half of their features, and for sets that share none. A
    quality that is a mean over features, such as mRMR, is multiplied by their number: else it would only fall.

    Parameters
    ----------
    frontier : Frontier
        From :func:`altsets.frontier`, with several sizes.
    n_alternatives, ax : default=None
        As for :func:`altsets.plots.frontier`.

    See Also
    --------
    altsets.plots.frontier, altsets.plots.frontier_heat : Quality over tau.

    Examples
    --------
    >>> import altsets
    >>> found = altsets.frontier(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=range(1, 4), n_alternatives=1)
    >>> altsets.plots.frontier_sizes(found).get_xlabel()
    'features in a set'
    """
    ax = _draw_curves(ax, views.curve_over_size(frontier, n_alternatives=n_alternatives))
    ax.locator_params(axis="x", integer=True)
    return ax


def frontier_heat(frontier: Frontier, *, n_alternatives: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw a heat map of the share of the best quality of each size that is kept, over sizes and tau.

    A frame is around the suggested point; hatched cells have no sets, and an asterisk means that there is no proof.

    Parameters
    ----------
    frontier : Frontier
    n_alternatives, ax : default=None
        As for :func:`altsets.plots.frontier`.

    See Also
    --------
    altsets.plots.frontier, altsets.plots.frontier_sizes : The same as curves.

    Examples
    --------
    >>> import altsets
    >>> found = altsets.frontier(altsets.quality.Additive([4, 3, 2, 1]), n_features=[1, 2], n_alternatives=1)
    >>> [text.get_text() for text in altsets.plots.frontier_heat(found).texts]
    ['100', '88', '88', '100', '93', '71']
    """
    seen = views.heat(frontier, n_alternatives=n_alternatives)
    _refuse_nothing((value for row in seen.values for value in row), "all its sets")
    framed = "Framed: the suggested point." if seen.mark else ""
    return draw_grid(ax, seen, empty="sets are missing", notes=[framed])


def frontier_scores(
    evaluated: Evaluations,
    *,
    scorer: str | None = None,
    n_alternatives: int | None = None,
    most: int = 6,
    ax: Axes | None = None,
) -> Axes:
    """Plot the mean test score of the sets at each point, over tau.

    A curve for each size, and a line for the baseline; over the size instead where each size has one value of tau. A
    single curve has confidence intervals. A ring marks the point that the one-standard-error rule picks.

    Parameters
    ----------
    evaluated : Evaluations
        From :func:`altsets.evaluate`, given a frontier.
    scorer : str, default=None
        Which score; by default the first one.
    n_alternatives, ax : default=None
        As for :func:`altsets.plots.frontier`.
    most : int, default=6
        Curves to show at most.

    See Also
    --------
    altsets.plots.scores : Scores of the sets of one evaluation.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> y = ["no", "yes"] * 15
    >>> found = altsets.frontier("f", n_features=1, n_alternatives=2, X=X, y=y)
    >>> altsets.plots.frontier_scores(altsets.evaluate(found, X, y, n_repeats=1)).get_ylabel()
    'matthews_corrcoef'
    """
    seen = views.scores_along(evaluated, scorer=scorer, n_alternatives=n_alternatives, most=most)
    return _draw_curves(ax, seen, "a score")


def _refuse_nothing(numbers: Iterable[float | None], what: str) -> None:
    if all(number is None for number in numbers):
        raise InputError(
            f"no point of this frontier has {what}; ask for fewer alternatives, or smaller sets."
        )


def _draw_curves(ax: Axes | None, seen: Curves, what: str = "all its sets") -> Axes:
    _refuse_nothing((point.y for line in seen.series for point in line.points), what)
    names = Names()
    ax = axes_for(ax, *SIZE)
    keys = [_draw_curve(ax, seen, number) for number in range(len(seen.series))]
    # Orange, as elsewhere, is the colour of a curve here.
    keys += draw_lines(ax, seen.lines, ax.xaxis.label.get_color())
    suggested = _mark(ax, seen)
    ax.set_xlabel(seen.x_name)
    ax.set_ylabel(f"{seen.y_name} (%)" if seen.shares else seen.y_name)
    tidy(ax, grid="both")
    unproven = any(point.open for line in seen.series for point in line.points)
    notes = [suggested, seen.note, "Hollow: not proven." if unproven else ""]
    return finish(ax, names, keys=keys, notes=notes)


def _draw_curve(ax: Axes, seen: Curves, number: int) -> Any:
    """Draw a curve in its own colour and marker, hollow where nothing is proven, and return it for the legend."""
    line = seen.series[number]
    known = [(point.x, _height(seen, point.y), point.open) for point in line.points if point.y is not None]
    look: dict[str, Any] = {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": points(5),
    }
    xs, ys = [x for x, *_ in known], [y for _, y, _ in known]
    dashes = DASHES[number % len(DASHES)]
    (handle,) = ax.plot(xs, ys, linestyle=dashes, linewidth=points(1.4), label=line.name, **look)
    ends = [(point.x, point.low, point.high) for point in line.points if point.low is not None]
    if ends:
        x, low, high = zip(*ends, strict=True)
        ax.vlines(x, low, high, color=look["color"], alpha=0.6, linewidth=points(1.2), gid="interval")
    hollow = [(x, y) for x, y, is_open in known if is_open]
    if hollow:
        ax.plot(*zip(*hollow, strict=True), linestyle="", mfc=ax.get_facecolor(), gid="hollow", **look)
    return handle


def _mark(ax: Axes, seen: Curves) -> str:
    """Draw a ring around the suggested point, and return a sentence: words beside it would cover the curves."""
    if seen.mark is None:
        return ""
    point = seen.series[seen.mark.series].points[seen.mark.point]
    if point.y is None:
        return ""
    colour = ax.xaxis.label.get_color()
    ring: dict[str, Any] = {"markersize": points(12), "mfc": "none", "mec": colour, "mew": points(1.3)}
    ax.plot(point.x, _height(seen, point.y), "o", gid="mark", **ring)
    return f"Ringed and {seen.mark.label}."


def _height(seen: Curves, y: float) -> float:
    return 100 * y if seen.shares else y
