"""Sets of groups: whole groups are chosen, and sizes, differences and costs count them; against brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

import altsets
from altsets import Request, SelectAlternatives, constraints, quality
from altsets.errors import InputError

TAUS = (0, 0.3, 0.5, 0.7, 1)


def drawn(seed: int):
    """A quality, groups, and what is asked."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    n = rng.randint(4, 9)
    labels = [rng.randint(0, 4) for _ in range(n)]
    groups = [[index for index in range(n) if labels[index] == label] for label in sorted(set(labels))]
    made = [quality.Additive(numbers.normal(size=n))]
    pairs = numbers.random((n, n))
    made.append(quality.MRMR(numbers.random(n), (pairs + pairs.T) / 2))
    table = numbers.normal(size=(30, n))
    table -= table.mean(axis=0)
    target = table[:, 0] + numbers.normal(size=30)
    target -= target.mean()
    made.append(quality.LinearFit(table.T @ table, table.T @ target, target @ target))
    size = rng.randint(1, min(3, len(groups)))
    sizes = (size, size) if rng.random() < 0.7 else (1, min(len(groups), size + 1))
    return made[seed % 3], groups, sizes, rng.randint(0, 2), rng.choice(TAUS)


def possible(made, groups, sizes) -> list[tuple[float, frozenset[int]]]:
    found = []
    for size in range(sizes[0], sizes[1] + 1):
        for chosen in combinations(range(len(groups)), size):
            features = sorted(feature for group in chosen for feature in groups[group])
            found.append((made.evaluate(features), frozenset(chosen)))
    return found


def apart(one: frozenset[int], other: frozenset[int], tau: float) -> bool:
    return 1 - Fraction(2 * len(one & other), len(one) + len(other)) >= Fraction(str(tau))


def touched(groups, features) -> frozenset[int]:
    chosen = frozenset(number for number, group in enumerate(groups) if set(group) & set(features))
    assert sorted(features) == sorted(feature for number in chosen for feature in groups[number])
    return chosen


def found(made, groups, sizes, a, tau, **more):
    limits = [constraints.Size(*sizes)] if sizes[0] < sizes[1] else []
    size = None if limits else sizes[0]
    return altsets.find(made, size, a, tau, feature_groups=groups, unit="group", constraints=limits, **more)


@pytest.mark.parametrize("seed", range(60))
def test_sets_in_turn(seed: int) -> None:
    made, groups, sizes, a, tau = drawn(seed)
    result = found(made, groups, sizes, a, tau)
    left, before = possible(made, groups, sizes), []
    for features, value in zip(result.sets, result.qualities, strict=True):
        left = [one for one in left if all(apart(one[1], other, tau) for other in before)]
        assert value == pytest.approx(max(one[0] for one in left), abs=1e-9)
        before.append(touched(groups, features))
    if len(result.sets) <= a:
        assert not any(all(apart(one[1], other, tau) for other in before) for one in left)
        assert result.status == "infeasible"


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("seed", range(30))
def test_sets_together(seed: int, aggregation: str) -> None:
    made, groups, sizes, a, tau = drawn(seed)
    result = found(made, groups, sizes, a, tau, search="simultaneous", aggregation=aggregation)
    total = sum if aggregation == "sum" else min
    values = [
        total(value for value, _ in sets)
        for sets in combinations_with_replacement(possible(made, groups, sizes), a + 1)
        if all(apart(one[1], other[1], tau) for one, other in combinations(sets, 2))
    ]
    if values:
        assert result.objective == pytest.approx(max(values), abs=1e-9)
        assert result.status == "optimal"
    else:
        assert result.status == "infeasible"


@pytest.mark.parametrize("seed", range(0, 30, 3))
def test_near_best_and_costs(seed: int) -> None:
    made, groups, sizes, _, _ = drawn(seed)
    every = possible(made, groups, (sizes[0], sizes[0]))
    best = max(value for value, _ in every)
    near = altsets.near_best(made, sizes[0], within=0.3, feature_groups=groups, unit="group")
    assert near.count == sum(value >= best - 0.3 * abs(best) - 1e-12 for value, _ in every)
    costs = np.random.default_rng(seed).integers(1, 9, len(groups))
    names = {f"g{number}": group for number, group in enumerate(groups)}
    curve = altsets.frontier(
        made,
        sizes[0],
        against={f"g{number}": int(cost) for number, cost in enumerate(costs)},
        feature_groups=names,
        unit="group",
    )
    paid = [(int(sum(costs[number] for number in chosen)), value) for value, chosen in every]
    front = [(cost, value) for cost, value in paid if not any(_beats(other, (cost, value)) for other in paid)]
    expected = sorted(set(front))
    assert sorted((point.against, pytest.approx(point.quality)) for point in curve) == expected


def _beats(one: tuple[int, float], other: tuple[int, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def test_numbers_count_groups() -> None:
    made, groups = quality.Additive([1.0, 2, 3, 4, 5, 6]), [[0, 1], [2, 3], [4, 5]]
    asked = {"feature_groups": groups, "unit": "group"}
    assert altsets.find(made, 2, 0, **asked).sets == [(2, 3, 4, 5)]
    assert altsets.find(made, 0.7, 0, **asked).sets == [(2, 3, 4, 5)]
    apart = altsets.find(made, 2, 1, 1, dissimilarity="absolute", **asked)
    assert apart.sets == [(2, 3, 4, 5), (0, 1, 4, 5)]
    assert altsets.find(made, 1, "max", 1, **asked).sets == [(4, 5), (2, 3), (0, 1)]
    assert altsets.find(made, 1, 0, constraints=[constraints.Require(0)], **asked).sets == [(0, 1)]


def test_a_constant_column_comes_with_its_group() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=["a__x", "a__y", "b", "c"]).assign(a__z=1.0)
    y = X.a__x + X.a__y + 0.1 * X.b
    selector = SelectAlternatives(
        "f", n_features=1, n_alternatives=1, tau=1, unit="group", feature_groups="__"
    )
    selector.fit(X, y)
    assert selector.alternatives_[0].names == ("a__x", "a__y", "a__z")
    assert len(selector.alternatives_[1].names) == 1
    request = selector.result_.request
    assert Request.from_json(request.to_json()) == request
    assert "unit='group'" in request.to_python()
    assert "--unit=group" in request.to_command()


def test_refused(refused) -> None:
    made, groups = quality.Additive([1.0, 2, 3]), [[0, 1], [2]]
    for wrong in (
        {"unit": "groups"},
        {"unit": "group"},
        {"unit": "group", "feature_groups": groups, "dissimilarity": "jaccard"},
        {"unit": "group", "feature_groups": groups, "overlap_penalty": 1},
        {"unit": "group", "feature_groups": groups, "n_features": 3},
        {"unit": "group", "feature_groups": groups, "dissimilarity": "absolute", "tau": 2},
    ):
        with refused(InputError):
            altsets.find(made, **{"n_features": 1, "n_alternatives": 1, **wrong})
