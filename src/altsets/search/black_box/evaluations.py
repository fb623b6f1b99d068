"""What one search asks of a black box: each set once, within a budget, until somebody says stop."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox
from altsets.search.run import Run

__all__ = ["AT_A_TIME", "Evaluations"]

#: Sets that are evaluated before the search looks at what came out, where several can be evaluated at a time.
AT_A_TIME = 8


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

    Attributes
    ----------
    known : dict
        The quality of each set so far.
    left : float
        How many more sets may be evaluated; see :meth:`refill`.
    failure : InputError or None
        What went wrong with the black box, which ends the search.
    """

    def __init__(self, quality: BlackBox, problem: Problem, run: Run, most: float = math.inf) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self._most = self.left = most
        self.known: dict[FeatureSet, float] = {}
        self.failure: InputError | None = None

    @property
    def in_parallel(self) -> bool:
        """Whether several sets are evaluated at a time."""
        return self.quality.n_jobs not in (None, 1)

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
        step = AT_A_TIME if self.in_parallel else 1
        while new and self.failure is None and (at_once or (self.left > 0 and not self.run.tick())):
            some = new[: step if at_once else int(min(step, self.left))]
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
