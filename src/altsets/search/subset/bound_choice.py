"""Which of the two node bounds a search uses: nobody knows beforehand which one is faster, so it is tried."""

from __future__ import annotations

from collections.abc import Callable

from altsets.search.subset.limits import PricingLimits

__all__ = ["BoundChoice"]


class BoundChoice:
    """The choice between the plain and the low-rank bound for the searches of one size.

    The first few searches that take long are begun with both: with the plain bound, then with the low-rank one, each
    for a few nodes, and go on with the one that came further. The low-rank bound is lower, so the plain one has to come
    a good deal further to be preferred.

    Attributes
    ----------
    linearised : bool
        Whether searches use the low-rank bound.
    n_trials : int
        How often that was tried to the end.
    """

    def __init__(self, limits: PricingLimits, *, linearised: bool = False, n_trials: int = 0) -> None:
        self._limits = limits
        self.linearised, self.n_trials = linearised, n_trials
        self._trying = False
        self._progress: list[float] = []

    @classmethod
    def settled(cls, limits: PricingLimits, linearised: bool) -> BoundChoice:
        """A choice that is not tried any more."""
        return cls(limits, linearised=linearised, n_trials=limits.n_trials)

    def plan(self, max_nodes: int, possible: bool) -> list[int]:
        """The node limits of the searches to be made one after the other, until one of them comes to its end.

        ``possible`` is whether there may be a low-rank bound. After each search that does not come to its end,
        ``note`` decides on the bound of the next one.
        """
        short = self._limits.trial_nodes
        self._trying = possible and max_nodes > short and self.n_trials < self._limits.n_trials
        self._progress = []
        if not self._trying:
            return [max_nodes]
        self.linearised = False
        return [short, short, max_nodes]

    def note(self, progress: float, has_low_rank: Callable[[], bool]) -> None:
        """How far a search has come within its node limit."""
        self._progress.append(progress)
        if not self._trying:
            return
        if len(self._progress) == 1:
            self.linearised = has_low_rank()
        elif len(self._progress) == 2:
            plain, low_rank = self._progress
            enough = max(self._limits.decisive_progress * low_rank, self._limits.least_progress)
            self.linearised = self.linearised and plain <= enough
            self.n_trials += 1

    def applies(self, max_nodes: int) -> bool:
        """Whether a search with so many nodes uses the low-rank bound; it takes a while to prepare."""
        return self.linearised and max_nodes >= self._limits.trial_nodes
