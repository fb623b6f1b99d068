"""The oracle against enumeration without any shortcut."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from oracle import Oracle, allowed_overlaps, dissimilarity


def plain_optima(scores, k, n_sets, existing, far_enough):
    """Largest sum, and largest (minimum, sum), over all families of sets."""
    best_sum, best_min = None, None
    sets = [c for c in combinations(range(len(scores)), k) if all(far_enough(c, e) for e in existing)]
    for family in combinations_with_replacement(sets, n_sets):
        if all(far_enough(first, second) for first, second in combinations(family, 2)):
            values = [math.fsum(scores[j] for j in chosen) for chosen in family]
            total, both = math.fsum(values), (min(values), math.fsum(values))
            best_sum = total if best_sum is None else max(best_sum, total)
            best_min = both if best_min is None else max(best_min, both)
    return best_sum, best_min


@pytest.mark.parametrize("seed", range(120))
def test_oracle_equals_plain_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    k = int(rng.integers(1, min(n, 3) + 1))
    n_sets = int(rng.integers(1, 5 if k < 3 or n < 5 else 4))
    scores = (rng.random(n) if seed % 2 else rng.integers(-2, 3, n).astype(float)).tolist()
    existing = [tuple(sorted(rng.permutation(n)[: rng.integers(1, n + 1)].tolist()))] if seed % 3 == 0 else []
    kind = ["dice", "jaccard"][seed % 5 == 0]
    tau = Fraction(int(rng.integers(0, k + 1)), k)
    min_difference = int(rng.integers(0, k + 1)) if seed % 4 == 0 else None

    def far_enough(first, second):
        shared = len(set(first) & set(second))
        if min_difference is not None:
            return min(len(first), len(second)) - shared >= min_difference
        if kind == "dice":
            return 1 - 2 * shared / (len(first) + len(second)) >= tau - 1e-9
        return 1 - shared / len(set(first) | set(second)) >= tau - 1e-9

    oracle = Oracle(scores, k, tau=tau, min_difference=min_difference, dissimilarity=kind, existing=existing)
    best_sum, best_min = plain_optima(scores, k, n_sets, existing, far_enough)
    assert oracle.feasible(n_sets) == (best_sum is not None)
    assert oracle.best_sum(n_sets) == pytest.approx(best_sum, abs=1e-12)
    assert oracle.best_min(n_sets) == (None if best_min is None else pytest.approx(best_min, abs=1e-12))
    assert oracle.next_best() == pytest.approx(plain_optima(scores, k, 1, existing, far_enough)[0])


def test_definitions():
    assert dissimilarity("dice", 2, 4, 4) == Fraction(1, 2)
    assert dissimilarity("jaccard", 2, 4, 4) == Fraction(2, 3)
    assert dissimilarity("jaccard", 2, 2, 4) == Fraction(1, 2)
    assert allowed_overlaps(4, 4, Fraction(1, 2), None, "dice") == (True, True, True, False, False)
    assert allowed_overlaps(4, 2, None, 2, "dice") == (True, False, False)


def test_next_best_depends_on_the_sets_before():
    oracle = Oracle([9, 8, 7, 3, 2, 1], 3, tau=0.5)
    assert oracle.next_best() == 24
    assert oracle.next_best([(0, 1, 2)]) == 14
    assert oracle.next_best([(0, 1, 2), (0, 3, 4)]) == 12


@pytest.mark.parametrize(
    ("n", "k", "max_overlap", "largest"),
    # Known packings: the Fano plane, the affine plane of order 3, disjoint sets, all pairs.
    [(7, 3, 1, 7), (9, 3, 1, 12), (10, 3, 0, 3), (5, 2, 1, 10), (6, 3, 1, 4)],
)
def test_number_of_sets_that_exist(n, k, max_overlap, largest):
    oracle = Oracle([1.0] * n, k, min_difference=k - max_overlap)
    assert oracle.max_sets(20) == largest


def test_complaints():
    oracle = Oracle([1.0] * 6, 3, tau=Fraction(3, 5), existing=[(0, 1)])
    assert oracle.complaints([(0, 2, 3), (1, 4, 5)]) == []
    assert len(oracle.complaints([(0, 2, 3), (2, 3, 5)])) == 1
    assert len(oracle.complaints([(0, 1, 2)])) == 1
    assert len(oracle.complaints([(2, 3)])) == 1
    assert len(oracle.complaints([(2, 3, 6)])) == 1
    assert len(oracle.complaints([(3, 2, 4)])) == 1
