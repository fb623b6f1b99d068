"""Plots of feature sets (membership, quality, overlap, near-best frequencies) and of their evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from altsets.evaluation import Evaluation
from altsets.plots._style import points
from altsets.plots.canvas import (
    BLUE,
    CHARACTER,
    GREY,
    ORANGE,
    PLAIN,
    Names,
    axes_for,
    draw_grid,
    draw_lines,
    finish,
    hatch,
    key,
    tidy,
)
from altsets.result import MARK, NearBest, Result
from altsets.views import sets as views
from altsets.views.records import Bars, Membership
from altsets.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: The height of a row of dots, the width of a column of them, and that of the scores, in inches.
ROW, COLUMN, SCORES = 0.23, 0.42, 1.5
#: The least width of both, which notes need.
NARROWEST = 2.2


def membership(
    result: Result, *, most: int | None = 40, most_sets: int | None = 20, ax: Axes | None = None
) -> Axes:
    """Plot which features are in which sets, with the score of each feature.

    A row for each feature, those in the most sets first; a dot for each set that has it, and below the sets their
    quality. Bars beside the dots are the scores of the features, with a line at the noise floor where that was
    measured; features that are not above it have an asterisk. ``ax.child_axes[0]`` has the scores.

    Parameters
    ----------
    result : Result
        From :func:`altsets.find` and others, or ``selector.result_``.
    most : int or None, default=40
        Features to show at most; None for all of them.
    most_sets : int or None, default=20
        Sets to show at most.
    ax : Axes, default=None
        Where to draw; by default in a new figure.

    See Also
    --------
    altsets.plots.overlap : How many features sets share.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> ax = membership(altsets.find(scores, n_features=2, n_alternatives=1, tau=1))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['0\\n17.0', '1\\n10.0']
    """
    seen = views.membership(result, most=most, most_sets=most_sets)
    names = Names()
    marks = [MARK if above is False else "" for above in seen.above_noise or [True] * len(seen.features)]
    labels = [f"{name}{mark}" for name, mark in zip(names.short(seen.features), marks, strict=True)]
    named = zip(seen.set_names, seen.qualities, strict=True)
    heads = [f"{name.removeprefix('set ')}\n{_short(value)}" for name, value in named]
    column = max(COLUMN, CHARACTER * max(len(head.split()[-1]) for head in heads) + 0.06)
    width = max(NARROWEST, len(heads) * column + (SCORES if seen.scores else 0))
    ax = axes_for(ax, width + max(map(len, labels)) * CHARACTER + 0.5, len(labels) * ROW + 1.3)
    dots = len(heads) + 0.4
    whole = dots + (SCORES / column if seen.scores else 0.0)
    _draw_dots(ax, seen)
    ax.set_xlim(-0.6, whole - 0.6)
    ax.set_xticks(range(len(heads)), heads, fontsize="small")
    ax.set_yticks(range(len(labels)), labels, fontsize="small", **PLAIN)
    ax.set_xlabel("set and its quality" if len(heads) > 2 else "set", x=dots / whole / 2)
    keys = _draw_scores(ax, seen, dots / whole) if seen.scores else []
    return finish(ax, names, keys=keys, notes=[seen.note])


def _draw_dots(ax: Axes, seen: Membership) -> None:
    """A large dot where a set has a feature, a small one where it has not; every other row is shaded."""
    n_rows = len(seen.features)
    for row in range(0, n_rows, 2):
        ax.axhspan(row - 0.5, row + 0.5, color=GREY, alpha=0.13, linewidth=0)
    for inside, size, colour in ((True, 6.5, BLUE), (False, 2.2, GREY)):
        rows, columns = np.nonzero(np.asarray(seen.members) == inside)
        ax.scatter(columns, rows, s=points(size) ** 2, color=colour, gid="members" if inside else "others")
    ax.set_ylim(n_rows - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def _draw_scores(ax: Axes, seen: Membership, start: float) -> list[Any]:
    """Draw bars, hatched below the noise floor, and a line there; return the line for the legend."""
    assert seen.scores is not None
    beside = ax.inset_axes((start, 0, 1 - start, 1), sharey=ax)
    bars = beside.barh(range(len(seen.scores)), seen.scores, height=0.62, color=BLUE)
    hatch(bars, [not above for above in seen.above_noise or ()])
    tidy(beside, grid="x")
    beside.spines["left"].set_visible(False)
    beside.tick_params(axis="y", left=False, labelleft=False)
    beside.set_xlabel("score")
    beside.locator_params(axis="x", nbins=3)
    if seen.noise_floors is None:
        return []
    rows = np.arange(len(seen.noise_floors))
    look: dict[str, Any] = {"colors": ORANGE, "linewidth": points(1.2)}
    told = "noise floor: what chance reaches"
    return [beside.vlines(seen.noise_floors, rows - 0.5, rows + 0.5, linestyles="dashed", label=told, **look)]


def quality(result: Result, *, most: int | None = 30, ax: Axes | None = None) -> Axes:
    """Plot the quality of each set, and the best quality that is possible.

    A bar for each set has its quality and its share of that of the first set; sets that are not proven to be the best
    are hatched. The line is the bound on the mean of the sets if their sum was maximised, or on the worst of them if
    the minimum was. Sets that were found one after the other, each with a proof, are their own bounds.

    Parameters
    ----------
    result : Result
    most : int or None, default=30
        Sets to show at most; None for all of them.
    ax : Axes, default=None

    See Also
    --------
    altsets.plots.scores : How well the sets predict.

    Examples
    --------
    >>> import altsets
    >>> ax = quality(altsets.find(altsets.quality.Additive([9, 8, 7, 3]), n_features=2, n_alternatives=1, tau=1))
    >>> [float(bar.get_height()) for bar in ax.patches]
    [17.0, 10.0]
    """
    seen = views.qualities(result, most=most)
    values = [value or 0.0 for value in seen.values]
    shares = [f"\n{100 * value / values[0]:.0f} %" if values[0] > 0 else "" for value in values]
    names = Names()
    ax = axes_for(ax, max(4.2, 0.55 * len(values) + 1.2), 3.4)
    bars = ax.bar(range(len(values)), values, width=0.7, color=BLUE)
    hatch(bars, seen.marked)
    # In the middle of the bars, where neither a line nor a hatch makes them hard to read.
    texts = [f"{_short(value)}{share}" for value, share in zip(values, shares, strict=True)]
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    ax.bar_label(bars, texts, fontsize="x-small", label_type="center", color="black", bbox=box)
    keys = draw_lines(ax, seen.lines)
    if seen.marked:
        keys.append(key(seen.mark_means, hatched=True))
    _label_sets(ax, seen)
    ax.set_ylabel(seen.value_name)
    tidy(ax, grid="y")
    return finish(ax, names, keys=keys, notes=[seen.note])


def _label_sets(ax: Axes, seen: Bars) -> None:
    ax.set_xticks(range(len(seen.labels)), [label.removeprefix("set ") for label in seen.labels])
    ax.set_xlabel("set")


def _short(value: float) -> str:
    """A quality in few characters: 2.10, 0.135, 134, 12,346."""
    return f"{value:,.0f}" if 100 <= abs(value) < 1e6 else f"{value:#.3g}"


def overlap(
    result: Result, *, matched: bool | None = None, most: int | None = 20, ax: Axes | None = None
) -> Axes:
    """Plot how many features each two sets share; for sets compared through similarity, how similar they are.

    Parameters
    ----------
    result : Result
        From :func:`altsets.find` and others, or ``selector.result_``; with two sets or more.
    matched : bool, default=None
        True: how much alike two sets are where features that are alike count as the same (1 minus their dissimilarity),
        with the number of features that they share below it. False: this number alone. By default the first where sets
        were compared so (:class:`altsets.dissimilarity.Matched`).
    most : int or None, default=20
        Sets to show at most; None for all of them.
    ax : Axes, default=None

    See Also
    --------
    altsets.dissimilarity.Matched : Compares sets through similarity.

    Examples
    --------
    >>> import altsets
    >>> found = altsets.find(altsets.quality.Additive([9, 8, 7, 3]), n_features=2, n_alternatives=1, tau=0.5)
    >>> [text.get_text() for text in overlap(found).texts]
    ['2', '1', '1', '2']
    """
    shared = views.overlaps(result, most=most)
    if not (result.is_matched if matched is None else matched):
        return draw_grid(ax, shared, pairs=True)
    alike = views.likeness(result, most=most)
    counts = [[f"{value:.0f} shared" for value in row] for row in shared.values]
    return draw_grid(ax, alike, second_lines=counts, pairs=True)


#: The height of a bar in inches.
BAR_ROW = 0.25


def near_best(near_best: NearBest, *, most: int | None = 25, ax: Axes | None = None) -> Axes:
    """Plot the share of the near-best sets that have each feature.

    A bar for each feature, the most frequent first; those of the best set are full, others are hatched. A feature that
    nearly all sets have is one to rely on; a feature of the best set that few others have can be replaced.

    Parameters
    ----------
    near_best : NearBest
        From :func:`altsets.near_best`.
    most : int or None, default=25
    ax : Axes, default=None

    See Also
    --------
    altsets.near_best : Count the sets that are nearly the best.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> ax = near_best(altsets.near_best(scores, n_features=3, within=0.2))
    >>> [(float(bar.get_width()), label.get_text()) for bar, label in zip(ax.patches, ax.get_yticklabels())]
    [(100.0, 'a'), (100.0, 'b'), (50.0, 'c'), (50.0, 'd')]
    """
    seen = views.near_best_frequencies(near_best, most=most)
    names = Names()
    labels, shares = names.short(seen.labels), [value or 0.0 for value in seen.values]
    ax = axes_for(ax, 3.6 + max(map(len, labels)) * CHARACTER, len(labels) * BAR_ROW + 1.3)
    bars = ax.barh(range(len(labels)), [100 * share for share in shares], height=0.68, color=BLUE)
    hatch(bars, [not marked for marked in seen.marked])
    ax.bar_label(bars, list(map(percent, shares)), fontsize="x-small", padding=3)
    ax.set_yticks(range(len(labels)), labels, **PLAIN)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_xlim(0, 112)
    ax.set_xticks(range(0, 101, 25))
    ax.set_xlabel(f"{seen.value_name} (%)")
    tidy(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    keys = [key(seen.mark_means), key("not in the best set", hatched=True)]
    return finish(ax, names, keys=keys[:1] if all(seen.marked) else keys, notes=[seen.note])


#: How far scores of folds are put beside the mean, and beside each other.
BESIDE, WIDTH = 0.16, 0.24


def scores(evaluation: Evaluation, *, scorer: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot how well each set predicts unseen rows, compared with a dummy model that uses no features.

    A diamond for the mean over the folds with its interval, small dots for the folds, and a line for the baseline. Sets
    not shown to predict better than it have a hollow diamond. Intervals do not tell whether two sets differ:
    ``evaluation.comparisons`` compares them fold by fold.

    Parameters
    ----------
    evaluation : Evaluation
        From :func:`altsets.evaluate`.
    scorer : str, default=None
        Which score; by default the first one.
    ax : Axes, default=None

    See Also
    --------
    altsets.plots.frontier_scores : Scores over tau.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> ax = scores(altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15, n_repeats=1))
    >>> ax.get_ylabel()
    'matthews_corrcoef'
    """
    seen = views.predictive_scores(evaluation, scorer=scorer)
    names = Names()
    ax = axes_for(ax, max(4.4, 0.6 * len(seen.labels) + 1.4), 3.8)
    keys = [*_draw_means(ax, seen), *draw_lines(ax, seen.lines), _draw_folds(ax, seen)]
    _label_sets(ax, seen)
    ax.set_xlim(-0.6, len(seen.labels) - 0.4)
    ax.set_ylabel(names.clean(seen.value_name), **PLAIN)
    tidy(ax, grid="y")
    return finish(ax, names, keys=keys, notes=[seen.note])


def _draw_folds(ax: Axes, seen: Bars) -> Any:
    """The scores of the folds, side by side in their order, to the right of each mean."""
    xs = [number + BESIDE + np.linspace(0, WIDTH, len(values)) for number, values in enumerate(seen.dots)]
    scores = np.concatenate(seen.dots)
    return ax.scatter(np.concatenate(xs), scores, s=points(3) ** 2, color=GREY, label="score in each fold")


def _draw_means(ax: Axes, seen: Bars) -> list[Any]:
    """The means with their intervals, full or hollow; for the legend, the kinds that there are."""
    unknown = (None,) * len(seen.labels)
    means, low, high = (np.array(part or unknown, float) for part in (seen.values, seen.low, seen.high))
    reach, marked = np.nan_to_num([means - low, high - means]), np.array(seen.marked or unknown, bool)
    mean = f"mean with its {seen.interval_name}" if seen.interval_name else "mean"
    sizes: dict[str, Any] = {"markersize": points(6), "capsize": points(4), "linewidth": points(1.4)}
    handles: list[Any] = []
    for which, fill, label in ((~marked, BLUE, mean), (marked, ax.get_facecolor(), seen.mark_means)):
        kind = np.flatnonzero(which & np.isfinite(means))
        if len(kind):
            ends = None if seen.low is None else reach[:, kind]
            look = {"fmt": "D", "color": BLUE, "mfc": fill, "label": label, **sizes}
            handles.append(ax.errorbar(kind, means[kind], yerr=ends, **look))
    return handles


def stand_ins(
    evaluation: Evaluation, *, most: int | None = 15, source: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot which features stand in for which: what replaces a feature in sets that do without it.

    Numbers are the share of the swaps in which the feature of the column takes the place of the one of the row.

    Parameters
    ----------
    evaluation : Evaluation
    most : int or None, default=15
    source, ax : default=None
        As for :func:`altsets.plots.stability`, like the others.

    See Also
    --------
    altsets.results.Evaluation.stand_ins : The same as numbers.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> ax = stand_ins(altsets.evaluate([[0, 2], [1, 2]], X, ["no", "yes"] * 15, n_repeats=1))
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('replaced feature', 'stand-in')
    """
    return draw_grid(ax, views.stand_ins(evaluation, most=most, source=source))


def stability(
    evaluation: Evaluation, *, most: int | None = 25, source: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot whether other rows would have led to the same features.

    A row for each feature, a column for each set: the share of the folds in which the set had it. Below the number of a
    set is its index of stability: 1 if its features are always the same, 0 if they agree no more than by chance.

    Parameters
    ----------
    evaluation : Evaluation
        From :func:`altsets.evaluate`, of a selector that chose features anew in each fold.
    most : int or None, default=25
    source : {"folds", "bootstraps"}, default=None
        Which searches; by default the bootstrap samples if there are some.
    ax : Axes, default=None

    See Also
    --------
    altsets.results.Evaluation.stability_frame : The same as a table.

    References
    ----------
    Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. Journal of
    Machine Learning Research 18.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1)
    >>> ax = stability(altsets.evaluate(selector, X, ["no", "yes"] * 15, n_repeats=1))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['set 0\\n1.00', 'set 1\\n1.00', 'any set\\n1.00']
    """
    shares, index = views.stability(evaluation, most=most, source=source)
    numbers = ["\N{EN DASH}" if value is None else f"{value:.2f}" for value in index.values]
    columns = [f"{name}\n{number}" for name, number in zip(shares.columns, numbers, strict=True)]
    # What is never chosen stays empty, so that the eye finds the rest.
    values = tuple(tuple(value or None for value in row) for row in shares.values)
    meaning = "Below the sets: index of stability, 1 if always the same, 0 as by chance."
    ax = draw_grid(ax, replace(shares, values=values), notes=[meaning, index.note])
    ax.set_xticks(range(len(columns)), columns)
    return ax
