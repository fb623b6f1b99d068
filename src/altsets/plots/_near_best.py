"""Pictures of sets that are nearly the best: how many of them have each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from altsets import views
from altsets.plots._canvas import BLUE, CHARACTER, HATCHED, axes_for, finish, key, tidy
from altsets.plots._names import PLAIN, Names
from altsets.search.near_best import NearBest
from altsets.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["near_best"]

#: The height of a bar in inches.
ROW = 0.25


def near_best(near_best: NearBest, *, most: int | None = 25, ax: Axes | None = None) -> Axes:
    """How many of the sets that are nearly the best have each feature.

    A bar for each feature, the most frequent first; those of the best set are full, others are hatched. A feature that
    nearly all sets have is one to rely on; a feature of the best set that few others have can be replaced.

    Parameters
    ----------
    near_best : NearBest
        Of :func:`altsets.near_best`.
    most : int or None
        Features to show at most; None for all of them.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes

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
    labels = names.short(seen.labels)
    ax = axes_for(ax, 3.6 + max(map(len, labels)) * CHARACTER, len(labels) * ROW + 1.3)
    places = range(len(labels))
    bars = ax.barh(places, [100 * (value or 0.0) for value in seen.values], height=0.68, color=BLUE)
    for bar, marked in zip(bars, seen.marked, strict=True):
        if not marked:
            bar.set(**HATCHED)
    ax.bar_label(bars, [percent(value or 0.0) for value in seen.values], fontsize="x-small", padding=3)
    ax.set_yticks(places, labels, **PLAIN)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_xlim(0, 112)
    ax.set_xticks(range(0, 101, 25))
    ax.set_xlabel(f"{seen.value_name} (%)")
    tidy(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    keys = [key(seen.mark_means), key("not in the best set", hatched=True)]
    return finish(ax, names, keys=keys[:1] if all(seen.marked) else keys, notes=[seen.note])
