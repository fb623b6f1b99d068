"""What is to be seen in the sets that are nearly the best: how many of them have each feature."""

from __future__ import annotations

from typing import Any

from altsets.errors import InputError
from altsets.search.near_best import NearBest
from altsets.search.near_best.answer import headline
from altsets.views._given import capped, checked, joined
from altsets.views._shapes import Bars
from altsets.wording import large_count

__all__ = ["near_best_frequencies"]


def near_best_frequencies(near_best: Any, most: int | None = 25) -> Bars:
    """How many of the sets that are nearly the best have each feature: 1 for one that none can do without.

    Features of the best set are marked. A feature of the best set that few others have can be replaced; one that nearly
    all have cannot.

    Parameters
    ----------
    near_best : NearBest
    most : int, optional
        Features to show at most, the most frequent ones.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> seen = near_best_frequencies(altsets.near_best(scores, n_features=3, within=0.2), most=3)
    >>> seen.labels, seen.values, seen.marked
    (('a', 'b', 'c'), (1.0, 1.0, 0.5), (True, True, True))
    >>> seen.note
    '2 sets of 3 features are within 20 % of the best. 3 of 4 features are shown: the most frequent ones.'
    """
    near = checked(near_best, NearBest, "a picture of frequencies")
    order = near.ordered()
    if not order:
        raise InputError("there is no set that is nearly the best to be shown; explain() says why.")
    shown, left_out = capped(order, most, "feature", "the most frequent ones")
    inside = frozenset(near.best_set or ())
    return Bars(
        labels=tuple(near.feature_names[index] for index in shown),
        values=tuple(float(near.frequencies[index]) for index in shown),
        value_name="share of the sets that have it",
        marked=tuple(index in inside for index in shown),
        mark_means="in the best set",
        note=joined(_about(near), left_out),
    )


def _about(near: NearBest) -> str:
    """How many sets there are, and which of them shares are about."""
    said = headline(near)
    known = f"Shares are about the {large_count(near.n_known)} best ones." if near.n_known else ""
    return joined(f"{said[0].upper()}{said[1:]}.", known, "Shares are estimates." if near.estimated else "")
