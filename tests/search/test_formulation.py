"""Integer programmes: what the solver is told must be exactly what is meant, in spite of its tolerances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from checks import Request
from oracle import allowed_overlaps

from altsets import constraints
from altsets.problem import Problem
from altsets.search.milp.formulation import cliques, overlap_share
from altsets.search.solving import ENGINES


@pytest.mark.parametrize("seed", range(30))
def test_every_conflict_lies_in_a_clique_and_cliques_hold_nothing_else(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    upper = np.triu(rng.random((n, n)) < rng.random(), 1)
    conflicts = upper | upper.T
    found = list(cliques(conflicts))
    covered = np.zeros_like(conflicts)
    for clique in found:
        assert len(set(clique)) == len(clique) >= 2
        for first, second in itertools.permutations(clique, 2):
            covered[first, second] = True
    assert (covered == conflicts).all()


@pytest.mark.parametrize("kind", ["dice", "jaccard"])
@pytest.mark.parametrize("tau", ["0", "0.05", "1/3", "0.5", "0.6", "2/3", "0.9", "1"])
@pytest.mark.parametrize(("k_min", "k_max"), [(1, 3), (2, 7), (9, 10)])
def test_one_factor_says_how_much_sets_of_any_size_may_share(kind, tau, k_min, k_max):
    problem = Problem.create(30, tau=tau, dissimilarity=kind, constraints=[constraints.Size(k_min, k_max)])
    share = overlap_share(problem, range(2 * k_min, 2 * k_max + 1))
    for size, other in itertools.product(problem.sizes, repeat=2):
        for shared, fine in enumerate(allowed_overlaps(size, other, problem.tau, None, kind)):
            excess = shared - share * (size + other)
            # Far from the solver's tolerance, whichever way it is.
            assert excess < -1e-4 if fine else excess > 1e-4


MATRIX = ((0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0))


@pytest.mark.parametrize(("request_", "reason"), [
    (Request((1.0, 2.0, 3.0), 2, 1, kind="cfs", matrix=MATRIX), "ratio"),
    (Request((1.0, 2.0, 3.0), 2, 1, dissimilarity="hamming"), "of your own"),
    (Request((1.0, 2.0, 3.0), 2, 1, kind="mrmr", matrix=MATRIX, constraints=(("size", 1, 2),)), "sets of one size"),
    (Request((1.0, 2.0, 3.0), 2, 1, search="greedy-depth"), "greedy-depth"),
])  # fmt: skip
def test_what_is_not_linear_is_declined_with_a_reason(request_, reason):
    said = ENGINES["milp"].declines(request_.quality, request_.problem)
    assert said is not None
    assert reason in said
