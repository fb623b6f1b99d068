"""Incumbent and bound of a search for several sets, and the argument behind the bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.tolerances import CLOSED


class Incumbent:
    """The incumbent and the bound of one search for the largest sum or minimum.

    Parameters
    ----------
    quality : Quality
    problem : Problem
    run : Run
        Told of every improvement.

    Attributes
    ----------
    sets : list of FeatureSet
        The incumbent; empty as long as there is none.
    value, bound : float
        What the incumbent is worth, and what no solution is worth more than.
    max_min : bool
        Whether the worst set counts instead of the sum.
    share : int
        The sum of the sets is at least the value times this.
    proof : str
        The argument behind the bound, in words for users.
    """

    def __init__(self, quality: Quality, problem: Problem, run: Run) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self.n_sets, self.max_min = problem.n_sets, problem.aggregation == "min"
        self.share = self.n_sets if self.max_min else 1
        self.sets: list[FeatureSet] = []
        self.value, self.bound = -math.inf, math.inf
        self.proof = "good sets listed, compatible ones picked"
        self._final: Answer | None = None

    def update_incumbent(self, sets: Sequence[FeatureSet] | None) -> None:
        """Keep the sets if they are better."""
        if not sets:
            return
        value = self.problem.objective([self.quality.evaluate(chosen) for chosen in sets])
        if value > self.value:
            self.sets, self.value = list(sets), value
            self.run.update_incumbent(sets, value)

    def update_bound(self, bound: float, proof: str | None = None) -> None:
        """No solution is better."""
        if bound < self.bound:
            self.bound = bound
            self.proof = proof or self.proof
            self.run.update_bound(bound)

    def rule_out(self, target: float, proof: str | None = None) -> None:
        """Note that all solutions above a target have been looked through.

        The one place where an exhaustive search becomes a claim: none is taken from a search that was cut off.
        """
        if not self.run.stopped:
            self.update_bound(max(target, self.value), proof)

    def take_over(self, answer: Answer) -> None:
        """Another engine has solved the problem."""
        self._final = answer

    @property
    def is_proven(self) -> bool:
        """Whether the incumbent is proven to be the best solution, or that there is none."""
        if self._final is not None:
            return True
        if not self.sets:
            return self.bound == -math.inf
        return self.bound <= self.value + CLOSED

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do, or no time."""
        return self.is_proven or self.run.stopped

    @property
    def target(self) -> float:
        """What the sum of a solution must exceed to be better than the incumbent."""
        return self.share * self.value

    def answer(self) -> Answer:
        """The incumbent and what is proven about it."""
        if self._final is not None:
            return self._final
        bound = max(self.bound, self.value) if self.sets else self.bound
        return Answer.simultaneous(self.problem, self.sets, bound, self.proof, proven=self.is_proven)
