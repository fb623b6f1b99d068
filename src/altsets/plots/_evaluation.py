"""Plots of an evaluation: scores beside a baseline, stand-ins, stability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from altsets import views
from altsets.evaluation import Evaluation
from altsets.plots._canvas import BLUE, GREY, PLAIN, Names, axes_for, draw_grid, draw_lines, finish, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: How far scores of folds are put beside the mean, and beside each other.
BESIDE, WIDTH = 0.16, 0.24
#: Shown for an index that cannot be computed.
NOT_KNOWN = "\N{EN DASH}"


def scores(evaluation: Evaluation, *, scorer: str | None = None, ax: Axes | None = None) -> Axes:
    """How well each set predicts unseen rows, compared with a dummy model that uses no features.

    A diamond for the mean over the folds with its interval, small dots for the folds, and a line for the baseline. Sets
    not shown to predict better than it have a hollow diamond. Intervals do not tell whether two sets differ:
    ``evaluation.comparisons`` compares them fold by fold.

    Parameters
    ----------
    evaluation : Evaluation
        From :func:`altsets.evaluate`.
    scorer : str, optional
        Which score; by default the first one.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> ax = scores(altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15))
    >>> ax.get_ylabel()
    'matthews_corrcoef'
    """
    seen = views.predictive_scores(evaluation, scorer=scorer)
    names = Names()
    ax = axes_for(ax, max(4.4, 0.6 * len(seen.labels) + 1.4), 3.8)
    keys = [*_draw_means(ax, seen), *draw_lines(ax, seen.lines), _draw_folds(ax, seen)]
    ax.set_xticks(range(len(seen.labels)), [label.removeprefix("set ") for label in seen.labels])
    ax.set_xlim(-0.6, len(seen.labels) - 0.4)
    ax.set_xlabel("set")
    ax.set_ylabel(names.clean(seen.value_name), **PLAIN)
    tidy(ax, grid="y")
    return finish(ax, names, keys=keys, notes=[seen.note])


def _draw_folds(ax: Axes, seen: views.Bars) -> Any:
    """The scores of the folds, side by side in their order, to the right of each mean."""
    xs: list[float] = []
    ys: list[float] = []
    for number, values in enumerate(seen.dots):
        step = WIDTH / max(len(values) - 1, 1)
        xs += [number + BESIDE + step * place for place in range(len(values))]
        ys += values
    return ax.scatter(xs, ys, s=9, color=GREY, label="score in each fold")


def _draw_means(ax: Axes, seen: views.Bars) -> list[Any]:
    """The means with their intervals, full or hollow; for the legend, the kinds that there are."""
    marked = seen.marked or (False,) * len(seen.labels)
    meaning = {False: "mean", True: seen.mark_means}
    if seen.interval_name:
        meaning[False] += f" with its {seen.interval_name}"
    handles: list[Any] = []
    for hollow in (False, True):
        means = {
            number: value
            for number, value in enumerate(seen.values)
            if value is not None and marked[number] is hollow
        }
        if means:
            drawn = ax.errorbar(
                list(means),
                list(means.values()),
                yerr=_reach(seen, means),
                fmt="D",
                color=BLUE,
                mfc=ax.get_facecolor() if hollow else BLUE,
                markersize=6,
                capsize=4,
                linewidth=1.4,
                label=meaning[hollow],
            )
            handles.append(drawn)
    return handles


def _reach(seen: views.Bars, means: Mapping[int, float]) -> list[list[float]] | None:
    """How far intervals reach below and above the means; nothing where there is none."""
    if seen.low is None or seen.high is None:
        return None
    reach = []
    for ends in (seen.low, seen.high):
        pairs = [(ends[number], mean) for number, mean in means.items()]
        reach.append([0.0 if end is None else abs(end - mean) for end, mean in pairs])
    return reach


def stand_ins(
    evaluation: Evaluation, *, most: int | None = 15, source: str | None = None, ax: Axes | None = None
) -> Axes:
    """Which features stand in for which: what replaces a feature in sets that do without it.

    A row for each feature that is swapped from set to set, a column for each that takes its place; the number is the
    share of the swaps. Features that take each other's place stand beside each other.

    Parameters
    ----------
    evaluation : Evaluation
        From :func:`altsets.evaluate`.
    most : int or None
        Features to show at most; None for all of them.
    source : {"folds", "bootstraps"}, optional
        Which searches; by default the bootstrap samples if there are some.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> ax = stand_ins(altsets.evaluate([[0, 2], [1, 2]], X, ["no", "yes"] * 15))
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('replaced feature', 'stand-in')
    """
    return draw_grid(ax, views.stand_ins(evaluation, most=most, source=source))


def stability(
    evaluation: Evaluation, *, most: int | None = 25, source: str | None = None, ax: Axes | None = None
) -> Axes:
    """Whether other rows would have led to the same features.

    A row for each feature, a column for each set: the share of the folds in which the set had it. Below the number of a
    set is its index of stability: 1 if its features are always the same, 0 if they agree no more than by chance.

    Parameters
    ----------
    evaluation : Evaluation
        From :func:`altsets.evaluate`, of a selector that chose features anew in each fold.
    most : int or None
        Features to show at most; None for all of them.
    source : {"folds", "bootstraps"}, optional
        Which searches; by default the bootstrap samples if there are some.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1)
    >>> ax = stability(altsets.evaluate(selector, X, ["no", "yes"] * 15))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['set 0\\n1.00', 'set 1\\n1.00', 'any set\\n1.00']
    """
    seen = views.stability(evaluation, most=most, source=source)
    index = [NOT_KNOWN if value is None else f"{value:.2f}" for value in seen.index.values]
    columns = tuple(f"{name}\n{value}" for name, value in zip(seen.shares.columns, index, strict=True))
    # What is never chosen stays empty, so that the eye finds the rest.
    values = tuple(tuple(value or None for value in row) for row in seen.shares.values)
    meaning = "Below the sets: index of stability, 1 if always the same, 0 as by chance."
    grid = replace(seen.shares, values=values)
    ax = draw_grid(ax, grid, notes=[meaning, seen.index.note])
    ax.set_xticks(range(len(columns)), columns)
    return ax
