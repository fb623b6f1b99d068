"""Status of an answer, the reason why its search ended, and progress on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The status of an answer.

    ``OPTIMAL`` is proven to be the best; ``FEASIBLE`` is valid, and ``bound`` says how far from the best it can
    be at most; ``INFEASIBLE`` is a proof that no solution exists, or that sets
    found in turn leave no other; ``NOT_FOUND`` is no answer and no proof.

    The best means: ``bound`` is above the objective by no more than 1e-9 of the problem's scale, the largest absolute
    number (score, relevance, redundancy) among the features that can be used. A penalty on shared features does not
    count, unless all scores are 0. Units do not matter, nor do numbers of features that are forbidden; but beside one
    that is a billion times larger, small differences count as none.

    See Also
    --------
    altsets.Result : Its ``status`` and ``statuses``.
    altsets.find : Searches for sets and proves what it can.

    Examples
    --------
    >>> import altsets
    >>> result = altsets.find(altsets.quality.Additive([3, 2, 1]), n_features=1, n_alternatives=1)
    >>> result.status is altsets.Status.OPTIMAL, str(result.status)
    (True, 'optimal')
    """

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NOT_FOUND = "not_found"


def overall_status(statuses: Sequence[Status]) -> Status:
    """The status of the first missing set if there is one, else the weaker of those that were reached."""
    for status in statuses:
        if status in (Status.INFEASIBLE, Status.NOT_FOUND):
            return status
    return Status.FEASIBLE if Status.FEASIBLE in statuses else Status.OPTIMAL


class StopReason(StrEnum):
    """Why a search ended.

    ``FINISHED`` came to its end: everything is proven, or a heuristic has done all that it does. ``TIME_LIMIT`` and
    ``INTERRUPTED`` (Ctrl-C) were cut short, and more time may help. ``ENGINE_LIMIT`` is an engine that gave up by
    itself: it hit an internal limit, or a black box has failed.
    """

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    ENGINE_LIMIT = "engine_limit"


def optimality_tolerance(scale: float) -> float:
    """How far the bound may lie above a proven optimum, given the largest number of features that can be used."""
    return 1e-9 * scale


@dataclass(frozen=True)
class Progress:
    """The progress of a running search, passed to ``callback`` now and then.

    Attributes
    ----------
    best : float
        The best objective so far, or the largest tau or number of sets; nan if there is none.
    bound : float
        No solution is better than this; inf if nothing is known yet.
    elapsed : float
        Seconds since the search began.
    sets : list of tuples of int
        The best sets so far.
    goal : {"quality", "tau", "n_sets"}
        The meaning of ``best`` and ``bound``: a search for ``tau="max"`` or ``n_alternatives="max"`` first looks for
        the largest tau or number of sets, then for the best sets.

    See Also
    --------
    altsets.find : Its ``callback`` gets these.
    altsets.results.FrontierProgress : The same for a frontier.

    Examples
    --------
    >>> import altsets
    >>> seen = []
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> result = altsets.find(scores, n_features=2, n_alternatives=1, tau=1, callback=seen.append)
    >>> seen[-1].best == result.objective, seen[-1].sets
    (True, [(0, 1), (2, 3)])
    """

    best: float
    bound: float
    elapsed: float
    sets: list[tuple[int, ...]]
    goal: str = "quality"
