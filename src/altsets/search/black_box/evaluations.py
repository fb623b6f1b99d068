"""What one search asks of a black box: each set once, within a budget, until somebody says stop."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox
from altsets.search.black_box.limits import BLACK_BOX_LIMITS, BlackBoxLimits
from altsets.search.run import Run

__all__ = ["Evaluations"]


class Evaluations:
    """The sets that a search has asked for, with their qualities.

    What a black box remembers from earlier searches saves time, but changes no answer: it counts like any other set.

    Parameters
    ----------
    quality : BlackBox
    problem : Problem
        What is asked; it says how qualities make an objective.
    run : Run
        Asked before each evaluation whether to stop.
    most : float
        How many sets may be evaluated in one search.
    limits : BlackBoxLimits, optional

    Attributes
    ----------
    known : dict
        The quality of each set so far.
    left : float
        How many more sets may be evaluated; see :meth:`refill`.
    failure : InputError or None
        What went wrong with the black box, which ends the search.
    """

    def __init__(
        self,
        quality: BlackBox,
        problem: Problem,
        run: Run,
        most: float = math.inf,
        limits: BlackBoxLimits = BLACK_BOX_LIMITS,
    ) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self._parallel_sets = limits.parallel_sets
        self._most = self.left = most
        self.known: dict[FeatureSet, float] = {}
        self.failure: InputError | None = None

    @property
    def at_a_time(self) -> int:
        """How many sets are evaluated before the search looks at what came out."""
        return 1 if self.quality.n_jobs in (None, 1) else self._parallel_sets

    @property
    def over(self) -> bool:
        """Whether nothing more will be evaluated."""
        return self.left <= 0 or self.failure is not None or self.run.stopped

    def refill(self) -> None:
        """Begin another search, which knows what the ones before it have asked."""
        self.left = self._most

    def ask(self, sets: Sequence[FeatureSet], *, at_once: bool = False) -> None:
        """Evaluate sets in this order, as far as it goes; ``at_once``: even if time is up, for a first answer."""
        new = [one for one in dict.fromkeys(sets) if one not in self.known]
        while new and self.failure is None and (at_once or (self.left > 0 and not self.run.tick())):
            some = new[: self.at_a_time if at_once else int(min(self.at_a_time, self.left))]
            del new[: len(some)]
            try:
                values = self.quality.evaluate_many(some)
            except InputError as error:
                self.failure = error
                # In their order up to the one that failed, however many there were at a time.
                values = [self.quality.evaluate(one) for one in itertools.takewhile(self.quality.knows, some)]
            self.known.update(zip(some, values, strict=False))
            self.left -= len(values)

    def objective(self, sets: Sequence[FeatureSet]) -> float:
        """Sum or minimum of the sets, as asked; nan if one of them is not known."""
        if not all(one in self.known for one in sets):
            return math.nan
        return self.problem.objective([self.known[one] for one in sets])
