"""Valid sets to start from, whatever they are worth; or the proof that there are none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Form
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.black_box.limits import BLACK_BOX_LIMITS, BlackBoxLimits
from altsets.search.engine import Answer, Engine
from altsets.search.milp.engine import best_set
from altsets.search.packing.engine import PackingEngine
from altsets.search.run import Run
from altsets.search.subset.any_set import Anything
from altsets.search.subset.pricing import PricingOracle

__all__ = ["InitialSets"]


class InitialSets:
    """Finds valid sets in the order of their features.

    Parameters
    ----------
    problem : Problem
    run : Run
    limits : BlackBoxLimits, optional
    """

    def __init__(self, problem: Problem, run: Run, limits: BlackBoxLimits = BLACK_BOX_LIMITS) -> None:
        self.problem, self.run = problem, run
        self._max_nodes = limits.initial_set_nodes
        self._anything = Anything(Form(np.zeros(problem.n_features_in)))
        self._pricing = PricingOracle(self._anything, problem, run)

    def one(self, others: Sequence[FeatureSet] = ()) -> tuple[FeatureSet | None, bool]:
        """A set that differs enough from others; if there is none, whether that is proven."""
        own = callable(self.problem.dissimilarity)
        found = self._pricing.k_best(1, others=others, max_nodes=2**62 if own else self._max_nodes)
        if found.sets:
            return found.sets[0], False
        if found.bound == -math.inf or own or self.run.stopped:
            return None, found.bound == -math.inf
        chosen, bound = best_set(self._anything, self.problem, [*self.problem.existing, *others], self.run)
        return chosen, bound == -math.inf

    def all(self) -> Answer:
        """As many sets as asked: one after the other if that works out, else from the exact engines."""
        sets: list[FeatureSet] = []
        while len(sets) < self.problem.n_sets and not self.run.stopped:
            chosen, _ = self.one(sets)
            if chosen is None:
                break
            sets.append(chosen)
        if len(sets) == self.problem.n_sets:
            return Answer.simultaneous(self.problem, sets, math.inf, "", proven=False)
        equal_scores = Additive(np.zeros(self.problem.n_features_in))
        asked = replace(self.problem, aggregation="sum")
        additive = AdditiveEngine()
        engine: Engine = additive if additive.declines(equal_scores, asked) is None else PackingEngine()
        return engine.solve(equal_scores, asked, self.run.part())
