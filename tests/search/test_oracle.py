"""The oracle against enumeration without any shortcut."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from oracle import Numbers, Oracle, allowed_overlaps, dissimilarity, holds


def plain_optima(sets, value, n_sets, far_enough):
    """Largest sum, and largest (minimum, sum), over all families of these sets."""
    best_sum, best_min = None, None
    for family in combinations_with_replacement(sets, n_sets):
        if all(far_enough(first, second) for first, second in combinations(family, 2)):
            values = [value(chosen) for chosen in family]
            total, both = math.fsum(values), (min(values), math.fsum(values))
            best_sum = total if best_sum is None else max(best_sum, total)
            best_min = both if best_min is None else max(best_min, both)
    return best_sum, best_min


def compare(oracle, sets, value, n_sets, far_enough):
    best_sum, best_min = plain_optima(sets, value, n_sets, far_enough)
    assert oracle.feasible(n_sets) == (best_sum is not None)
    assert oracle.best_sum(n_sets) == pytest.approx(best_sum, abs=1e-12)
    assert oracle.best_min(n_sets) == (None if best_min is None else pytest.approx(best_min, abs=1e-12))
    assert oracle.next_best() == pytest.approx(max(map(value, sets), default=None))
    for before in sets[:2]:
        later = [value(chosen) for chosen in sets if far_enough(chosen, before)]
        assert oracle.next_best([before]) == pytest.approx(max(later, default=None))


def plainly_far_enough(first, second, kind, tau, min_difference):
    shared = len(set(first) & set(second))
    if min_difference is not None:
        return min(len(first), len(second)) - shared >= min_difference
    if kind == "dice":
        return 1 - 2 * shared / (len(first) + len(second)) >= tau - 1e-9
    if kind == "jaccard":
        return 1 - shared / len(set(first) | set(second)) >= tau - 1e-9
    return kind(first, second) >= tau - 1e-9


def plain_value(kind, relevance, matrix, chosen, min_relevance):
    """The definitions once more, with arrays; None if the quality rules the set out."""
    inside = list(chosen)
    q, block = relevance[inside], matrix[np.ix_(inside, inside)]
    apart = ~np.eye(len(inside), dtype=bool)
    if kind == "additive":
        return q.sum()
    if kind == "fcbf":
        if (q < min_relevance).any() or ((q[:, None] <= block) & apart).any():
            return None
        return 0.5 * q.sum()
    if kind == "mrmr":
        return q.mean() - (block[apart].mean() if len(inside) > 1 else 0.0)
    return q.sum() / np.sqrt(len(inside) + block[apart].sum())


@pytest.mark.parametrize("kind", ["additive", "fcbf", "mrmr", "cfs"])
@pytest.mark.parametrize("seed", range(60))
def test_qualities_sizes_and_constraints(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    n = int(rng.integers(3, 7))
    k_min = int(rng.integers(1, 4))
    k_max = min(3, k_min + int(rng.integers(0, 2)))
    relevance, matrix = (
        (rng.random(n) - 0.3 * (kind == "additive")).round(1),
        (rng.random((n, n)) * rng.choice([0.3, 0.8])).round(1),
    )
    min_relevance = 0.2 if seed % 2 else -math.inf
    tau = Fraction(int(rng.integers(0, 5)), 4)
    dissimilar = [
        "dice",
        "jaccard",
        "dice",
        lambda first, second: min(1.0, len(set(first) ^ set(second)) / 4),
    ][seed % 4]
    min_difference = int(rng.integers(0, 3)) if seed % 8 == 0 else None
    existing = [(0, 1)] if seed % 5 == 0 else []
    costs, limit = rng.integers(0, 3, n).tolist(), 3.0
    group = tuple(sorted(rng.permutation(n)[:3].tolist()))
    chances = {
        ("require", group[:1]): lambda c: group[0] in c,
        ("forbid", group[1:]): lambda c: group[1] not in c and group[2] not in c,
        ("at_most", 1, group): lambda c: sum(j in c for j in group) < 2,
        ("at_least", 2, group): lambda c: sum(j in c for j in group) > 1,
        ("exclusive", group[:2]): lambda c: not (group[0] in c and group[1] in c),
        ("implies", group[0], group[1]): lambda c: group[1] in c if group[0] in c else True,
        ("budget", tuple(costs), limit): lambda c: sum(costs[j] for j in c) <= 3,
    }
    asked = {constraint: rule for constraint, rule in chances.items() if rng.random() < 0.25}
    constraints = [*asked, ("size", k_min, 4), ("size", 1, k_max)]

    def far_enough(first, second):
        return plainly_far_enough(first, second, dissimilar, tau, min_difference)

    def value(chosen):
        return plain_value(kind, relevance, matrix, chosen, min_relevance)

    sets = [
        chosen
        for k in (k_min, k_max)[: k_max - k_min + 1]
        for chosen in combinations(range(n), k)
        if all(rule(chosen) for rule in asked.values())
        and value(chosen) is not None
        and all(far_enough(chosen, given) for given in existing)
    ]
    numbers = Numbers(
        kind,
        tuple(relevance.tolist()),
        () if kind == "additive" else tuple(map(tuple, matrix.tolist())),
        scale=0.5 if kind == "fcbf" else 1.0,
        min_relevance=0.2 if kind == "fcbf" and seed % 2 else None,
    )
    oracle = Oracle(
        numbers,
        99,
        tau=None if min_difference is not None else tau,
        min_difference=min_difference,
        dissimilarity=dissimilar,
        existing=existing,
        constraints=constraints,
    )
    compare(oracle, sets, value, int(rng.integers(1, 4)), far_enough)


@pytest.mark.parametrize(("constraint", "kept", "broken"), [
    (("require", (1, 2)), (1, 2, 3), (1, 3)), (("forbid", (1, 2)), (0, 3), (0, 2)),
    (("at_most", 1, (1, 2)), (1, 3), (1, 2)),
    (("at_least", 2, (1, 2, 3)), (1, 3), (0, 1)),
    (("exclusive", (1, 2, 3)), (0, 1), (1, 3)), (("implies", 1, 2), (2,), (1, 3)),
    (("budget", (0.1, 0.2, 0.3), 0.3), (0, 1), (0, 2)), (("size", 2, 3), (0, 1, 2), (0,)),
])  # fmt: skip
def test_constraints(constraint, kept, broken):
    assert holds(constraint, kept)
    assert not holds(constraint, broken)


def test_qualities_by_hand():
    relevance, matrix = (0.6, 0.3, 0.9), ((9.0, 0.1, 0.2), (0.3, 9.0, 0.0), (0.2, 0.1, 9.0))
    assert Numbers("mrmr", relevance, matrix).value((0, 1)) == pytest.approx(0.45 - 0.2)
    assert Numbers("mrmr", relevance, matrix).value((2,)) == 0.9
    assert Numbers("mrmr", relevance, matrix).value((0, 1, 2)) == pytest.approx(0.6 - 0.9 / 6)
    assert Numbers("cfs", relevance, matrix).value((0, 2)) == pytest.approx(1.5 / math.sqrt(2.4))
    assert Numbers("cfs", relevance, matrix).value((1,)) == 0.3
    assert Numbers("fcbf", relevance, matrix).value((0, 1)) == -math.inf  # 0.3 <= 0.3
    assert Numbers("fcbf", relevance, matrix, scale=2.0).value((1, 2)) == pytest.approx(2.4)
    assert Numbers("fcbf", relevance, matrix, min_relevance=0.6).value((1,)) == -math.inf
    assert Numbers("fcbf", relevance, matrix, min_relevance=0.6).value((0, 2)) == 1.5


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
    # Known packings: the Fano plane, disjoint sets, all pairs.
    [(7, 3, 1, 7), (10, 3, 0, 3), (5, 2, 1, 10), (6, 3, 1, 4)],
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


def test_complaints_about_one_set():
    numbers = Numbers("fcbf", (0.6, 0.3, 0.9), ((0.0,) * 3, (0.3, 0.0, 0.0), (0.0,) * 3))
    oracle = Oracle(numbers, 9, tau=0, constraints=[("size", 1, 2), ("implies", 0, 2)])
    assert oracle.complaints([(0, 2), (1,)]) == []
    for wrong in [(0, 1, 2), (0,), ()]:
        assert len(oracle.complaints([wrong])) == 1
    assert len(oracle.complaints([(0, 1)])) == 2
