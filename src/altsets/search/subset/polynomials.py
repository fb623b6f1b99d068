"""Many sets without a search: graphs of polynomials over a prime field, of which any two share few points.

Features are laid out in rows of ``size``, as many as a prime; a polynomial says which row the set takes in each column.
Two polynomials of degree t agree in at most t columns (Reed and Solomon, 1960).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice

import numpy as np

from altsets.arrays import Indices
from altsets.problem import FeatureSet, Problem
from altsets.search.subset.fixed_size import FixedSizeOracle

#: Sets to choose from for each one that is wanted, where not all of them fit.
SPARE = 8


def spread_sets(sets: FixedSizeOracle, problem: Problem, before: Sequence[FeatureSet]) -> list[FeatureSet]:
    """Sets of one size that differ from each other, and from those before; as many as asked, or fewer."""
    base, n_open = sets.base.tolist(), sets.size - len(sets.base)
    overlap = min(problem.max_overlap_of(sets.size, sets.size) - len(base), n_open - 1)
    if overlap < 0:
        return []
    conflicts = sets.form.conflicts
    is_free = not before and conflicts is None and problem.rules.only_forbid
    order = sets.features[np.argsort(-sets.form.linear[sets.features], kind="stable")]
    rows = order[_graphs(len(order), n_open, overlap, problem.n_sets * (1 if is_free else SPARE))]
    for other in before:
        inside = np.zeros(problem.n_features_in, dtype=bool)
        inside[list(other)] = True
        most = problem.max_overlap_of(sets.size, len(other)) - int(inside[sets.base].sum())
        rows = rows[inside[rows].sum(axis=1) <= most]
    if conflicts is not None:
        for one, two in combinations(range(n_open), 2):
            rows = rows[~conflicts[rows[:, one], rows[:, two]]]
    candidates = (tuple(sorted([*base, *row])) for row in rows.tolist())
    valid = (one for one in candidates if is_free or all(rule.holds(one) for rule in problem.constraints))
    return list(islice(valid, problem.n_sets))


def _graphs(n: int, size: int, degree: int, wanted: int) -> Indices:
    """The graphs of polynomials as rows of ``size`` of the first positions up to n, few rows of them if possible."""
    fitting = [
        p for p in range(size, n // size + 1) if all(p % d for d in range(2, int(p**0.5) + 1)) and p > 1
    ]
    if not fitting:
        return np.zeros((0, size), dtype=np.intp)
    prime = next((p for p in fitting if p ** (degree + 1) >= wanted), fitting[-1])
    numbers = np.arange(min(wanted, prime ** (degree + 1)))[:, None]
    columns, values, power = np.arange(size), np.zeros((len(numbers), size), dtype=np.intp), 1
    for exponent in range(degree + 1):
        if power >= len(numbers):
            break
        places = np.array([pow(column, exponent, prime) for column in range(size)])
        values = (values + numbers // power % prime * places) % prime
        power *= prime
    return values * size + columns
