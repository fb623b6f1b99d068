"""The question what difference costs: checked, put to one search after the other, and answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from altsets.constraints import Constraint
from altsets.problem import Dissimilarity
from altsets.quality import BlackBox, Quality
from altsets.result import StopReason
from altsets.search.find import checked_seconds, request
from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.consistency import consistent
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.point import FrontierPoint
from altsets.search.frontier.sweep import FrontierProgress, Sweep
from altsets.search.resources import one_thread
from altsets.search.run import MAX_ITERS

__all__ = ["frontier", "frontier_points"]

#: What differs from point to point, or is said elsewhere.
OF_POINTS = ("n_features", "n_alternatives", "tau", "min_difference", "max_overlap", "sizes")


def frontier(
    quality: Quality,
    n_features: int | Sequence[int] = 5,
    n_alternatives: int | Sequence[int] = 3,
    taus: Any = None,
    *,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[FrontierProgress], object] | None = None,
    max_iters: int = MAX_ITERS,
) -> Frontier:
    """Find sets for every tau that matters: what does difference cost, and how many features are enough?

    Each point is a search of its own, with a proof of its own; its objective and status are those that :func:`find` has
    for the same numbers. The searches share work: of simultaneous sets, what is proven for one tau is a bound for
    others; of sequential ones, the first set is the same for every tau.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`find`.
    n_features : int, range or sequence of int
        Features in each set. Sizes beyond the number of features are left out, with a note; ``constraints.Size`` takes
        the place of a single one.
    n_alternatives : int, range or sequence of int
        Sets to find besides the first one.
    taus : number or sequence of numbers, optional
        The least dissimilarities of two sets. By default every value that makes a difference at a size: where features
        or groups are counted (dice, jaccard, :class:`altsets.dissimilarity.Matched` with a threshold,
        :class:`altsets.dissimilarity.Grouped`), each that two sets can have; else, and where these are more than 100,
        0, 0.1, ..., 1. A set alone (``n_alternatives=0``) has one point only.
    dissimilarity, search, aggregation, constraints, existing, engine, max_iters
        As for :func:`find`.
    time_limit : float, optional
        Seconds for the whole call. Each point has an equal share of what is left, and passes on what it does not need.
    callback : callable, optional
        Called with a :class:`FrontierProgress` after each point and now and then. What it raises ends the search.

    Returns
    -------
    Frontier
        The points, ordered by size, number of alternatives and tau, and where the curve bends. Ctrl-C ends the search
        early and keeps the points that are there.

    See Also
    --------
    frontier_points : The same points one by one, as they come in.
    most_different : The largest tau at which sets are still good enough.

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
    """
    sweep = _sweep(
        quality,
        n_features,
        n_alternatives,
        taus,
        (time_limit, engine, callback, max_iters),
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
    )
    # Each search asks for one thread, and to set that takes longer than some searches.
    with nullcontext() if isinstance(quality, BlackBox) else one_thread():
        points = consistent(quality, sweep.plan.problems, list(sweep))
    return Frontier(
        points=points,
        n_asked=len(sweep.plan),
        parameters=_parameters(quality, sweep.plan),
        notes=list(sweep.plan.notes),
        stop_reason=_stop_reason(points, sweep),
        elapsed=sweep.run.elapsed,
    )


def frontier_points(
    quality: Quality,
    n_features: int | Sequence[int] = 5,
    n_alternatives: int | Sequence[int] = 3,
    taus: Any = None,
    *,
    time_limit: float | None = None,
    engine: str = "auto",
    max_iters: int = MAX_ITERS,
    **options: Any,
) -> Iterator[FrontierPoint]:
    """Give the points of a frontier one by one, as they come in; stop whenever you like.

    Takes what :func:`frontier` takes, but for the callback. What is asked is checked at once.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> for point in altsets.frontier_points(quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1):
    ...     print(point.tau, point.result.sets)
    0.0 [(0, 1), (0, 1)]
    0.5 [(0, 1), (0, 2)]
    1.0 [(0, 1), (2, 3)]
    """
    limits = (time_limit, engine, None, max_iters)
    return iter(_sweep(quality, n_features, n_alternatives, taus, limits, **options))


def _sweep(
    quality: Quality,
    n_features: Any,
    n_alternatives: Any,
    taus: Any,
    limits: tuple[float | None, str, Callable[[FrontierProgress], object] | None, int],
    **asked: Any,
) -> Sweep:
    """The searches, none of which has begun."""
    checked_seconds(limits[0])
    asked = {"existing": (), **asked}
    plan = SweepPlan.of(partial(request, quality), n_features, n_alternatives, taus, **asked)
    return Sweep(quality, plan, *limits)


def _parameters(quality: Quality, plan: SweepPlan) -> dict[str, Any]:
    """What all points have in common, and the numbers that they do not."""
    first = plan.problems[0].parameters()
    is_mean = quality.size_normalised and not isinstance(quality, BlackBox)
    return {
        **{name: value for name, value in first.items() if name not in OF_POINTS},
        "n_features": sorted({problem.n_features for problem in plan}),
        "n_alternatives": sorted({problem.n_alternatives for problem in plan}),
        # CFS divides by how large and how alike sets are, and is no mean.
        "mean_quality": is_mean and not quality.form(first["n_features"]).ratio,
    }


def _stop_reason(points: Sequence[FrontierPoint], sweep: Sweep) -> StopReason:
    if sweep.run.interrupted:
        return StopReason.INTERRUPTED
    late = any(point.result.stop_reason is StopReason.TIME_LIMIT for point in points)
    if len(points) < len(sweep.plan) or late:
        return StopReason.TIME_LIMIT
    return StopReason.FINISHED
