"""Public API: what difference, shared features, a better worst set or lower costs cost in quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from altsets.constraints import Constraint
from altsets.problem import Dissimilarity, list_constraints
from altsets.request import uses_groups
from altsets.result import Frontier
from altsets.search.frontier.curves import CurveAsked
from altsets.search.frontier.progress import FrontierProgress
from altsets.verbs.asking import asked_of


def frontier(
    quality: Any,
    n_features: int | Sequence[int] | None = None,
    n_alternatives: int | Sequence[int] | None = None,
    tau: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    quality_params: Mapping[str, Any] | None = None,
    adjust: Any = None,
    feature_groups: Any = None,
    unit: str = "feature",
    within: float | None = None,
    min_quality: float | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    search: str | None = None,
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    engine: str = "auto",
    time_limit: float | None = None,
    callback: Callable[[FrontierProgress], object] | None = None,
    by: str = "tau",
    against: Any = None,
) -> Frontier:
    """Find a curve of sets: what difference, a price of shared features, a better worst set or lower costs cost.

    By tau, each point is a search of its own; its objective and status are those that :func:`altsets.find` has for the
    same numbers. The searches share what they prove. On the other curves, no sets are better than those of a point in
    one number and as good in the other.

    Parameters
    ----------
    quality : quality object, array, str, class, estimator or callable
        As for :func:`altsets.find`, like all parameters that are not described here.
    n_features : int, range or sequence of int, default=None
        Features in each set. None: 5. By tau, sizes beyond the number of features are left out, with a note;
        ``constraints.Size`` takes the place of a single one. Other curves take one size.
    n_alternatives : int, range or sequence of int, default=None
        Sets to find besides the first one. None: 3, with ``against`` 0. Several by tau only.
    tau : number or sequence of numbers, default=None
        The least dissimilarities of two sets. None by tau: every value that makes a difference at a size; where these
        cannot be counted, or are more than 100, 0, 0.1, ..., 1. A set alone has one point only. Other curves take one
        value; None: 0 by penalty, else 0.5.
    X, y, quality_params, min_quality : default=None
    adjust : sequence of features, default=None
        Covariates for which scores are adjusted.
    feature_groups : mapping, sequence of sequences of features, Grouped or str, default=None
        ``against`` pays for each group once.
    unit : {"feature", "group"}, default="feature"
    within : float, default=None
        By what part of the quality of the best set of the same size a set may fall short of it.
    dissimilarity : {"dice", "jaccard", "groups"}, Matched, Grouped or callable, default="dice"
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, default=None
        None: sequential by tau. Other curves are about simultaneous sets.
    aggregation : {"sum", "min"}, default="sum"
        What to maximise over simultaneous sets; by penalty and by balance the sum.
    constraints, existing : sequence, default=()
    engine : str, default="auto"
    time_limit : float, default=None
        Seconds for the whole call. What was found by then is returned; what is not proven is marked.
    callback : callable, default=None
        Called with a :class:`altsets.results.FrontierProgress` now and then, and after each search.
        What it raises ends the search.
    by : {"tau", "penalty", "balance"}, default="tau"
        What the points differ in. ``"penalty"``: every price of a shared feature (``overlap_penalty``) at which other
        sets become the best. ``"balance"``: the sum of the qualities against the worst of them.
    against : mapping, sequence of float or quality object, default=None
        What the quality is traded for. Costs: a number for each feature, of which a set should have little in sum;
        features that a mapping leaves out cost nothing. With ``feature_groups``, a number for each group. Or a second
        quality, of which a set should have much; one of the two must be :class:`altsets.quality.Additive`. Of several
        sets, the one with the worst counts.

    Returns
    -------
    Frontier
        The points, and the elbow of the curve. Ctrl-C ends the search early and keeps the points so far.

    See Also
    --------
    altsets.find : The sets of one point.
    altsets.evaluate : How well the sets of each point predict.
    altsets.results.NearBest.range : Only the ends: the least and the largest sum among sets that are good enough.
    altsets.plots.frontier : Plot the curve.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 8, 8, 7, 3, 1, 1], feature_names=list("abcdefgh"))
    >>> frontier = altsets.frontier(scores, n_features=4, n_alternatives=1)
    >>> for point in frontier:
    ...     print(point.tau, point.result.qualities, point.status)
    0.0 [33.0, 33.0] optimal
    0.25 [33.0, 32.0] optimal
    0.5 [33.0, 27.0] optimal
    0.75 [33.0, 20.0] optimal
    1.0 [33.0, 12.0] optimal
    >>> frontier.suggestion.tau
    0.5

    Quality against costs:

    >>> for point in altsets.frontier(scores, n_features=2, against={"a": 5, "b": 4, "c": 1, "d": 2}):
    ...     print(point.quality, point.against, *point.result.named_sets[0])
    17.0 6.0 a c
    16.0 3.0 c d
    15.0 1.0 c e
    10.0 0.0 e f

    Every price of a shared feature that matters:

    >>> for point in altsets.frontier(scores, n_features=2, n_alternatives=1, by="penalty"):
    ...     print(point.penalty, point.quality, point.shared)
    (0.0, 1.0) 34.0 1
    (1.0, inf) 33.0 0
    """
    curve = CurveAsked.of(
        n_features,
        n_alternatives,
        tau,
        search=search,
        by=by,
        against=against,
        dissimilarity=dissimilarity,
        feature_groups=feature_groups,
    )
    in_use = (
        unit == "group" or curve.groups is None or uses_groups(dissimilarity, list_constraints(constraints))
    )
    asked = asked_of(
        quality,
        quality_params,
        X,
        y,
        **curve.first,
        within=within,
        min_quality=min_quality,
        adjust=adjust,
        unit=unit,
        feature_groups=feature_groups if in_use else None,
        dissimilarity=dissimilarity,
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
    )
    return curve.draw(asked.request, asked.quality, measured=asked.measured, callback=callback)
