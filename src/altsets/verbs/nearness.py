"""Public API: how many sets are nearly as good as the best one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from altsets.constraints import Constraint
from altsets.result import NearBest, Progress
from altsets.search.near_best.counting import DEFAULT_WITHIN, count_near, nearness_of
from altsets.verbs.asking import asked_of


def near_best(
    quality: Any,
    n_features: int | float | None = None,
    *,
    X: Any = None,
    y: Any = None,
    quality_params: Mapping[str, Any] | None = None,
    adjust: Any = None,
    feature_groups: Any = None,
    unit: str = "feature",
    within: float = DEFAULT_WITHIN,
    min_quality: float | None = None,
    constraints: Sequence[Constraint] | Constraint = (),
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> NearBest:
    """Count the sets that are nearly as good as the best one, and say what they are made of.

    Parameters
    ----------
    quality : quality object, array, str, class, estimator or callable
        What "good" means, as for :func:`altsets.find`. For black boxes and wrappers, all sets are evaluated; if there
        are more than 10,000, a search for the best one and 9,000 sets drawn at random give an estimate.
    n_features : int or float, default=None
        Features in each set, 5 by default, or a share of all that sets can have, unless ``constraints.Size`` says
        otherwise; then the best is that over all sizes.
    unit : {"feature", "group"}, default="feature"
    X, y, quality_params, adjust, feature_groups, callback : default=None
        As for :func:`altsets.find`.
    within : float, default=0.01
        Sets count if their quality is at least ``best - within * abs(best)``: 0.01 allows for one per cent. What
        differs by no more than 1e-9 of the problem's scale counts as equal, as everywhere (see
        :class:`altsets.Status`).
    min_quality : float, default=None
        Instead of within, where the best is near zero: the least quality of sets that count.
    constraints : sequence of constraints, default=()
    time_limit : float, default=None
        Seconds for the whole call. What is known by then is returned, as bounds on the number of sets.

    Returns
    -------
    NearBest
        The number of sets, exact or between bounds, how often each feature occurs in them, and the sets themselves:
        from the best down, or drawn at random. Ctrl-C ends the search early and returns what was found.

    See Also
    --------
    altsets.results.NearBest : The answer.
    altsets.find : A few good sets that differ; with ``n_alternatives="max"`` as many as there are.
    altsets.plots.near_best : Which features these sets have.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> near = altsets.near_best(scores, n_features=2, within=0.25)
    >>> near.count, near.best, near.threshold
    (3, 17.0, 12.75)
    >>> list(near)
    [(0, 1), (0, 2), (1, 2)]
    >>> altsets.near_best(scores, n_features=2, min_quality=11).frequencies.tolist()
    [0.6666666666666666, 0.5, 0.3333333333333333, 0.3333333333333333, 0.16666666666666666, 0.0]
    """
    asked = asked_of(
        quality,
        quality_params,
        X,
        y,
        n_features=n_features,
        n_alternatives=0,
        adjust=adjust,
        feature_groups=feature_groups,
        unit=unit,
        constraints=constraints,
        time_limit=time_limit,
    )
    return count_near(asked.measured, asked.quality, nearness_of(within, min_quality), callback=callback)
