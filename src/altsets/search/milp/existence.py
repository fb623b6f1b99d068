"""Whether there is a single set at all: what a search for good sets may take long to find out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from altsets.arrays import Bools
from altsets.problem import Problem
from altsets.quality import Form
from altsets.search.milp.engine import best_set
from altsets.search.milp.limits import MILP_LIMITS, MilpLimits
from altsets.search.run import Run
from altsets.search.subset.any_set import Anything
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.pricing import PricingOracle

__all__ = ["proven_empty"]


def proven_empty(
    problem: Problem,
    run: Run,
    *,
    conflicts: Bools | None = None,
    allowed: Bools | None = None,
    limits: MilpLimits = MILP_LIMITS,
) -> bool:
    """Whether no single set keeps to the constraints and differs from the existing sets, with proof.

    Parameters
    ----------
    problem : Problem
        What a set has to keep to.
    run : Run
        How long it may take; what is not settled by then is not proven.
    conflicts, allowed : bool arrays, optional
        What a quality rules out, see :class:`altsets.quality.Form`.
    limits : MilpLimits, optional
    """
    limits = limits
    if not problem.existing:
        # A single set differs from nothing, and shared features are easier to handle.
        problem = replace(problem, dissimilarity="dice")
    anything = Anything(Form(np.zeros(problem.n_features_in), conflicts=conflicts, allowed=allowed))
    candidates, n_features = None, problem.n_features_in
    if len(problem.sizes) <= limits.max_sizes:
        pricing = PricingOracle(anything, problem, run)
        found = pricing.k_best(1, max_nodes=limits.search_nodes)
        if found.sets or found.bound == -math.inf:
            return not found.sets
        features = np.array(pricing.features, dtype=np.intp)
        candidates, n_features = Candidates(features, np.zeros(len(features))), len(features)
    if n_features > limits.max_features or callable(problem.dissimilarity) or run.stopped:
        return False
    chosen, bound = best_set(anything, problem, problem.existing, run, candidates, limits)
    return chosen is None and bound == -math.inf
