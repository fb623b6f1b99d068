"""How far a frontier is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from altsets.problem import Problem
from altsets.result import FrontierPoint, Progress
from altsets.search.run import Run


@dataclass(frozen=True)
class FrontierProgress:
    """How far a frontier is; handed to ``callback`` after each point and now and then.

    Attributes
    ----------
    done : int
        Searches that are done.
    total : int or None
        Searches in all; None where nobody knows before the end.
    point : FrontierPoint or None
        The last point so far.
    n_features, n_alternatives, tau : int, int, float
        What is searched for now.
    best, bound : float
        What is known there: the best objective so far, nan if there is none, and what none exceeds.
    elapsed : float
        Seconds since the first search began.

    See Also
    --------
    altsets.frontier : Its ``callback`` gets these.
    altsets.results.Progress : The same for a single search.

    Examples
    --------
    >>> import altsets
    >>> seen = []
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> _ = altsets.frontier(scores, n_features=2, n_alternatives=1, callback=seen.append)
    >>> seen[-1].done, seen[-1].total
    (3, 3)
    """

    done: int
    total: int | None
    point: FrontierPoint | None
    n_features: int
    n_alternatives: int
    tau: float
    best: float
    bound: float
    elapsed: float


#: What the user gave to be told how far the search is.
Callback = Callable[[FrontierProgress], object]


class Reporter:
    """Tells a callback how far the searches of one frontier are; ``at`` says which one runs."""

    def __init__(self, callback: Callback | None, points: Sequence[FrontierPoint], total: int | None) -> None:
        self._callback, self._points, self._total = callback, points, total
        self._problem: Problem | None = None
        self._part: Run | None = None
        self.done = 0

    @property
    def callback(self) -> Callable[[Progress], object] | None:
        """What a run calls; None if nobody wants to know."""
        return None if self._callback is None else self._report

    def at(self, problem: Problem, part: Run) -> None:
        """Another search begins."""
        self._problem, self._part = problem, part

    def _report(self, progress: Progress) -> None:
        assert self._callback is not None
        if self._problem is None:
            return
        assert self._part is not None
        best, bound = self._part.in_user_units
        tau = self._problem.tau
        self._callback(
            FrontierProgress(
                done=self.done,
                total=self._total,
                point=self._points[-1] if self._points else None,
                n_features=self._problem.n_features,
                n_alternatives=self._problem.n_alternatives,
                tau=math.nan if tau is None else float(tau),
                best=best,
                bound=bound,
                elapsed=progress.elapsed,
            )
        )
