"""How many sets there can be at most, by counting which features they have."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.problem import Problem
from altsets.quality import BlackBox, Form, Quality
from altsets.search.degree_bounds import count_bound, sum_bound
from altsets.search.families.limits import FamilyLimits
from altsets.search.families.listed import GoodSets
from altsets.search.families.standard import Standard
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.subset.candidates import Candidates

__all__ = ["most_by_counting"]


def most_by_counting(
    quality: Quality,
    problem: Problem,
    standard: Standard,
    listed: GoodSets | None,
    run: Run,
    limits: FamilyLimits,
) -> int:
    """No more sets than this go together and are good enough; existing sets are left out of account."""
    n = problem.n_features_in - len(problem.forbidden)
    most = sum(math.comb(n, size) for size in problem.sizes)
    if listed is not None:
        most = len(listed.sets)
        n = len({feature for chosen in listed.sets for feature in chosen})
    if not problem.fixed_size or not problem.caps_shared or not most:
        return most
    most = count_bound(n, problem.n_features, problem.max_overlap, most)
    if isinstance(quality, BlackBox) or most < 2:
        return most
    scaling = Scaling.of(quality, replace(problem, existing=()))
    worth = _worth(scaling.quality.form(problem.n_features), problem, limits)
    if worth is None:
        return most
    # Twice the tolerance, as bounds are rounded as well.
    least = math.ldexp(standard.least - 2 * standard.tolerance, -scaling.exponent)
    return _most_worth(worth, problem, least, most, run, limits)


def _worth(form: Form, problem: Problem, limits: FamilyLimits) -> Candidates | None:
    """What features are worth at most in a set, best first; None if that cannot be said of each alone.

    Each pair term is shared by two features, and a feature has pairs with at least those that it goes with best.
    """
    usable = np.ones(problem.n_features_in, dtype=bool) if form.allowed is None else form.allowed.copy()
    usable[list(problem.forbidden)] = False
    features: Indices = np.flatnonzero(usable)
    others = problem.n_features - 1
    if form.ratio or len(features) <= others or (form.has_pairs and len(features) > limits.paired_features):
        return None
    worth: Floats = form.linear[features]
    if form.has_pairs and others:
        pairs = form.pairs_among(features)
        np.fill_diagonal(pairs, math.inf)
        worth = worth - np.partition(pairs, others - 1, axis=1)[:, :others].sum(axis=1) / 2
    order = np.lexsort((features, -worth))
    return Candidates(features[order], np.ascontiguousarray(worth[order]))


def _most_worth(
    worth: Candidates, problem: Problem, least: float, most: int, run: Run, limits: FamilyLimits
) -> int:
    """How many sets can have worth enough: of more, the features would have to be better than there are.

    What is ruled out for some number of sets is so for more; distances double, then halve.
    """
    possible, refuted, distance = 1, most + 1, 1
    while refuted - possible > 1 and not run.stopped:
        n_sets = min(possible + distance, (possible + refuted) // 2)
        if n_sets > limits.counted_sets:
            break
        asked = replace(problem, n_alternatives=n_sets - 1)
        best = Candidates(
            worth.indices[: n_sets * problem.n_features], worth.scores[: n_sets * problem.n_features]
        )
        if sum_bound(best, asked, tick=run.tick).value < n_sets * least:
            refuted = n_sets
        else:
            possible = n_sets
        distance *= 2
    return refuted - 1
