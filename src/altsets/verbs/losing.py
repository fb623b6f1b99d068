"""The verb what_if: what replaces a feature or a group of features that is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from altsets.dissimilarity import is_named
from altsets.errors import InputError
from altsets.features import Feature
from altsets.result import Progress, Result, WhatIf
from altsets.search.what_if import lose
from altsets.verbs.asking import scored_again


def what_if(
    quality: Any,
    result: Result,
    features: Sequence[Feature] | str | None = None,
    *,
    X: Any = None,
    y: Any = None,
    feature_groups: Any = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> WhatIf:
    """Find the best set that is left if a feature or a group of features fails, for each of them.

    Each loss is a search of its own for the best single set without what is lost, under the constraints of the answer
    and as different from its existing sets as these ask for. The searches share what they have found and proven.

    Parameters
    ----------
    quality : quality object, str, callable, array of shape (n_features,) or None
        What the answer was searched with; None: the quality that its request names.
    result : Result
        The answer, from :func:`altsets.find` or another search.
    features : sequence of int or str, or "all", default=None
        Features that may fail, each on its own, by index, name or pattern. ``"all"``: those of all sets. By default,
        and without ``feature_groups``, those of set 0. Where the search had groups of features, ``"all"`` and the
        default stand for groups.
    X : table of shape (n_samples, n_features), default=None
        The table that was searched, if the quality is not an object or an array, or if similarities were measured.
    y : array-like of shape (n_samples,), default=None
        Its target.
    feature_groups : mapping, sequence of sequences of features, Grouped or sequence of names, default=None
        Features that fail together, as for :func:`altsets.find`, where a mapping from name to features may have a
        feature more than once. Names are those of groups that the search had.
    time_limit : float, default=None
        Seconds for all searches together. A set that is not proven to be the best by then is marked as such.
    callback : callable, default=None
        Called with a :class:`altsets.results.Progress` of the search for one loss now and then.

    Returns
    -------
    WhatIf
        For each loss the best set without it, its quality and cost, and whether it is proven to be the best.

    See Also
    --------
    altsets.SelectAlternatives.what_if : The same for a table.
    altsets.near_best : How many sets are nearly as good.
    altsets.constraints.Forbid : Search without certain features.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2], feature_names=["S1_mean", "S1_max", "S2_mean", "S2_max", "age"])
    >>> result = altsets.find(scores, n_features=2, n_alternatives=0)
    >>> print(altsets.what_if(scores, result, feature_groups={"S1": ["S1_*"]}).explain())
    If S1 fails: S2_mean, S2_max (quality 10, 59 % of set 0), proven to be the best.
    """
    if result.request is None:
        raise InputError("this result does not hold its request; pass the result of a search.")
    request = result.request
    if is_named(request.dissimilarity) and not request.existing:
        # One set has nothing to differ from.
        request = request.by_dice()
    scored, request = scored_again(request, result, quality, X, y, "what_if()")
    return lose(request, scored, result, features, feature_groups, time_limit, callback)
