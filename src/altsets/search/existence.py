"""Whether there is a single set at all: what a search for good sets may take long to find out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from altsets.problem import Problem
from altsets.quality import Form, Quality
from altsets.search import milp
from altsets.search.candidates import Candidates
from altsets.search.good_sets import GoodSets
from altsets.search.run import Run

__all__ = ["Anything", "proven_empty"]

Pairs = npt.NDArray[np.bool_]

#: With more sizes, or after so many steps, the solver is asked.
FEW_SIZES, FEW_STEPS = 16, 10_000
#: Beyond this many features it is not asked either.
MOST_FEATURES = 20_000


def proven_empty(
    problem: Problem, run: Run, *, conflicts: Pairs | None = None, allowed: Pairs | None = None
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
        good = GoodSets(anything, problem, run)
        found = good.best(1, max_nodes=FEW_STEPS)
        if found.sets or found.bound == -math.inf:
            return not found.sets
        features = np.array(good.features, dtype=np.intp)
        candidates, n_features = Candidates(features, np.zeros(len(features))), len(features)
    if n_features > MOST_FEATURES or callable(problem.dissimilarity) or run.stopped:
        return False
    chosen, bound = milp.best_set(anything, problem, problem.existing, run, candidates)
    return chosen is None and bound == -math.inf


class Anything(Quality):
    """All sets are equally good, but for those that are ruled out."""

    size_normalised = False

    def __init__(self, form: Form) -> None:
        super().__init__(len(form.linear), None)
        self._form = form

    def evaluate(self, indices: Sequence[int]) -> float:
        """Nothing depends on it."""
        return 0.0

    def form(self, size: int) -> Form:
        """The same for all sizes."""
        return self._form
