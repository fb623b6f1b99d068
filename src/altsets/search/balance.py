"""All Pareto-optimal pairs of sum and minimum of the qualities of simultaneous sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from altsets.constraints import Constraint
from altsets.errors import UnsupportedError
from altsets.problem import BOUND_TOLERANCE, Dissimilarity, Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Progress, Result, Status
from altsets.search.frontier import ProvenPoint, ProvenPoints
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, solve
from altsets.wording import by_interface

#: Points of one curve: each is a search.
MOST_POINTS = 1_000


@dataclass(frozen=True)
class BalancePoint(ProvenPoint):
    """Sets of which no others have both a larger sum and a larger minimum.

    Attributes
    ----------
    sum, minimum : float
        The sum and the smallest of their qualities.
    proven : bool
        Whether it is proven that no other sets are better in one and no worse in the other.
    result : Result
        The sets, with the certificate of the search for the largest sum with no smaller minimum.

    See Also
    --------
    altsets.balance : Finds all points.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> point = altsets.balance(scores, 3, 1, tau=1).points[0]
    >>> point.sum, point.minimum, point.proven
    (30.0, 14.0, True)
    """

    sum: float
    minimum: float
    proven: bool
    result: Result


@dataclass(frozen=True, repr=False)
class Balance(ProvenPoints):
    """The points of :func:`altsets.balance`.

    Attributes
    ----------
    points : list of BalancePoint
        From the largest sum to the largest minimum.
    complete : bool
        Whether it is proven that there are no other points.
    reason : str
        Why there are none, if there are none.

    See Also
    --------
    altsets.balance : Finds them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> altsets.balance(scores, 3, 1, tau=0.6).complete
    True
    """

    _called = "document of a balance"
    _mark = "kind", "balance"
    of, second = BalancePoint, "minimum"

    points: list[BalancePoint]

    @property
    def _ends(self) -> str:
        first, last = self.points[0], self.points[-1]
        if first is last and not self.proven:
            return f"The sets found have a sum of {first.sum:.6g} and a worst set of quality {first.minimum:.6g}."
        if first is last:
            return (
                f"The sets with the largest sum, {first.sum:.6g}, also have the best worst set, of quality "
                f"{first.minimum:.6g}."
            )
        known = "" if self.proven else " found"
        return (
            f"The worst set of those with the largest sum{known} has a quality of {first.minimum:.6g}; it can be "
            f"{last.minimum:.6g} for {self._kept(last)}."
        )

    def _described(self, point: BalancePoint) -> str:
        return f"a worst set of {point.minimum:.6g}, with {self._kept(point)}"


def balance(
    quality: Quality,
    n_features: int | None = None,
    n_alternatives: int = 3,
    tau: Any = None,
    *,
    min_difference: int | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[Progress], object] | None = None,
) -> Balance:
    """Find all trade-offs between the sum and the minimum of the qualities of simultaneous sets.

    The largest sum comes first. Then the minimum has to be larger than that of the sets before, and the sum is
    maximised again, until no sets have a larger minimum.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`altsets.find`.
    n_features : int, default=None
        Features in each set, unless ``constraints.Size`` says otherwise. None: 5.
    n_alternatives : int, default=3
        Sets to find besides the first one.
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets.
    min_difference : int, default=None
        Instead of tau: the number of features in which two sets must differ at least.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for the whole call; what was found by then is returned, and marked.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.
    callback : callable, default=None
        Called with a :class:`altsets.Progress` now and then. What it raises ends the search.

    Returns
    -------
    Balance
        The points, each proven or marked as not proven.

    Raises
    ------
    altsets.errors.InputError
        If a parameter is out of range or contradicts another one, or a name is not one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.

    See Also
    --------
    altsets.find : The sets of one point: ``aggregation="sum"``, ``"min"`` or ``"leximin"``, and ``min_quality``.
    altsets.frontier : What difference costs.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1])
    >>> for point in altsets.balance(scores, n_features=2, n_alternatives=1, tau=1):
    ...     print(point.sum, point.minimum, point.result.sets)
    27.0 12.0 [(1, 2), (0, 3)]
    """
    request = Request(
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        min_difference=min_difference,
        dissimilarity=dissimilarity,
        search="simultaneous",
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
    )
    return balance_request(request, quality, callback)


def balance_request(
    request: Request, quality: Quality, callback: Callable[[Progress], object] | None = None
) -> Balance:
    """All trade-offs of a request for simultaneous sets."""
    what = by_interface("balance()", "--by balance")
    refuse_chosen_sizes(quality, what)
    if not quality.has_form:
        find = by_interface("altsets.find()", "altsets find")
        raise UnsupportedError(f"{what} takes qualities in numbers, not black boxes; use {find}.")
    problem = problem_of(request, quality)
    with Run(request.time_limit, callback) as run:
        results, complete = _stepwise(quality, problem, run, request)
    points = _points(results, complete, BOUND_TOLERANCE * Scaling.of(quality, problem).scale)
    reason = "" if points else results[-1].explain()
    return Balance(points, complete, reason)


def _stepwise(quality: Quality, problem: Problem, run: Run, request: Request) -> tuple[list[Result], bool]:
    """The largest sums for ever larger minima, the last search without sets; and whether it came to the end."""
    scaling = Scaling.of(quality, problem)
    # Larger by more than counts as equal: what is good enough may fall short by as much.
    step = 2 * BOUND_TOLERANCE * scaling.scale
    results: list[Result] = []
    while len(results) < MOST_POINTS:
        asked = problem
        if results:
            asked = replace(problem, min_quality=min(results[-1].qualities) + step)
        found = solve(quality, asked, run.turn(run.remaining), request.engine)
        results.append(found)
        if not found.sets:
            return results, found.status is Status.INFEASIBLE
        if not scaling.scale:
            # All sets are worth nothing, so no minimum is larger.
            return results, found.status is Status.OPTIMAL
        if run.stopped:
            return results, False
    return results, False


def _points(results: Sequence[Result], complete: bool, tolerance: float) -> list[BalancePoint]:
    """The results that no other one beats, proven if they and all that could beat them are."""
    points: list[BalancePoint] = []
    for number, result in enumerate(results):
        if not result.sets:
            continue
        total, minimum = result.objective, min(result.qualities)
        later = results[number + 1 :]
        if any(other.sets and other.objective >= total - tolerance for other in later):
            continue
        after = later[0].status in (Status.OPTIMAL, Status.INFEASIBLE) if later else complete
        points.append(BalancePoint(total, minimum, result.status is Status.OPTIMAL and after, result))
    return points
