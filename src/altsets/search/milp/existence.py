"""Whether there is a single set at all: what a search for good sets may take long to find out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from altsets.arrays import Bools
from altsets.problem import Problem
from altsets.quality import Form
from altsets.search.milp.engine import best_set
from altsets.search.run import Run
from altsets.search.subset.any_set import Anything
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.pricing import PricingOracle

__all__ = ["proven_empty"]


#: With more sizes, or after so many steps, the solver is asked.
FEW_SIZES, FEW_STEPS = 16, 10_000
#: Beyond this many features it is not asked either.
MOST_FEATURES = 20_000


def proven_empty(
    problem: Problem, run: Run, *, conflicts: Bools | None = None, allowed: Bools | None = None
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
    """
    if not problem.existing:
        # A single set differs from nothing, and shared features are easier to handle.
        problem = replace(problem, dissimilarity="dice")
    anything = Anything(Form(np.zeros(problem.n_features_in), conflicts=conflicts, allowed=allowed))
    candidates, n_features = None, problem.n_features_in
    if len(problem.sizes) <= FEW_SIZES:
        pricing = PricingOracle(anything, problem, run)
        found = pricing.k_best(1, max_nodes=FEW_STEPS)
        if found.sets or found.bound == -math.inf:
            return not found.sets
        features = np.array(pricing.features, dtype=np.intp)
        candidates, n_features = Candidates(features, np.zeros(len(features))), len(features)
    if n_features > MOST_FEATURES or callable(problem.dissimilarity) or run.stopped:
        return False
    chosen, bound = best_set(anything, problem, problem.existing, run, candidates)
    return chosen is None and bound == -math.inf
