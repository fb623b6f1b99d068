"""Brute force for the sets that are nearly the best: all sets are listed, evaluated and compared with the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from checks import Request, constraint_of
from oracle import holds
from random_requests import floats, random_constraints, random_numbers, random_scores

import altsets
from altsets import quality
from altsets.problem import Problem
from altsets.search.scaling import Scaling

FeatureSet = tuple[int, ...]


@dataclass(frozen=True)
class NearRequest:
    """What is handed to ``altsets.near_best``, as plain values; constraints are tuples as the oracle takes them."""

    numbers: dict[str, Any]
    n_features: int
    constraints: tuple[tuple[Any, ...], ...] = ()
    within: float = 0.01
    min_quality: float | None = None

    @property
    def quality(self) -> quality.Quality:
        options = {"n_features": self.n_features, "n_alternatives": 0}
        return Request(**options, **self.numbers).quality

    @property
    def options(self) -> dict[str, Any]:
        asked = list(map(constraint_of, self.constraints))
        return {"n_features": self.n_features, "constraints": asked}

    def answer(self) -> altsets.results.NearBest:
        return altsets.near_best(
            self.quality, within=self.within, min_quality=self.min_quality, **self.options
        )

    def truth(self) -> NearTruth:
        """The sets that count, from the best down."""
        searched = self.quality
        problem = Problem.create(searched.n_features_in, n_alternatives=0, **self.options)
        values = {
            chosen: value
            for size in problem.sizes
            for chosen in combinations(range(problem.n_features_in), size)
            if all(holds(rule, chosen) for rule in self.constraints)
            and (value := searched.evaluate(chosen)) > -np.inf
        }
        if not values:
            return NearTruth(searched.n_features_in, np.nan, [], {})
        best = max(values.values())
        threshold = best - self.within * abs(best) if self.min_quality is None else self.min_quality
        cutoff = threshold - 1e-9 * Scaling.of(searched, problem).scale
        sets = sorted((-value, chosen) for chosen, value in values.items() if value >= cutoff)
        return NearTruth(searched.n_features_in, best, [chosen for _, chosen in sets], values)


@dataclass(frozen=True)
class NearTruth:
    """The sets that count, and the quality of every set there is."""

    n: int
    best: float
    sets: list[FeatureSet]
    values: dict[FeatureSet, float]

    @property
    def pairs(self) -> np.ndarray:
        """The share of the sets that has each pair."""
        total = np.zeros((self.n, self.n))
        for chosen in self.sets:
            total[np.ix_(chosen, chosen)] += 1
        return total / max(len(self.sets), 1)


def random_near_request(rng: np.random.Generator, most_sets: int = 3000) -> NearRequest:
    """One request that can be listed: half are sums of scores without constraints that matter."""
    while True:
        n = int(rng.integers(1, 15))
        k = int(rng.integers(1, n + 1))
        if comb(n, k) <= most_sets:
            break
    plain = rng.random() < 0.5
    numbers = {"scores": floats(random_scores(rng, n))} if plain else random_numbers(rng, n)
    rules: tuple[tuple[Any, ...], ...] = ()
    if rng.random() < 0.5:
        rules = random_constraints(rng, n, k, most_sets)
        if plain:
            rules = tuple(rule for rule in rules if rule[0] in ("require", "forbid", "size"))
    part = float(rng.choice([0.0, 1e-10, 0.01, 0.1, 0.3, 1.0, 2.5, float(rng.random())]))
    request = NearRequest(numbers, k, rules, part)
    if rng.random() < 0.25:
        # A quality that some set has, or one nearby.
        values = list(request.truth().values.values()) or [0.0]
        least = float(rng.choice(values)) * float(rng.choice([1.0, 1.1, 0.9]))
        return NearRequest(numbers, k, rules, min_quality=least)
    return request


def check_near(request: NearRequest) -> None:
    """Everything that must hold for an exact answer."""
    near, truth = request.answer(), request.truth()
    assert near.exact, request
    assert near.count_bounds == (near.count, near.count) == (len(truth.sets),) * 2, request
    assert np.array_equal(near.best, truth.best, equal_nan=True), request
    listed = list(near)
    assert sorted(listed) == sorted(truth.sets), request
    values = [truth.values[chosen] for chosen in listed]
    assert values == sorted(values, reverse=True), request
    check_shares(near, truth, request)
    if truth.sets:
        assert near.best_set is not None
        assert truth.values[near.best_set] == truth.best, request
        assert set(near.sample(5, random_state=0)) <= set(truth.sets), request
    near.explain()
    near.to_json()


def check_shares(near: altsets.results.NearBest, truth: NearTruth, request: object) -> None:
    """Shares, cores and free features against the list."""
    pairs = truth.pairs
    np.testing.assert_allclose(near.pair_frequencies, pairs, rtol=0, atol=1e-12, err_msg=str(request))
    np.testing.assert_allclose(near.frequencies, np.diagonal(pairs), rtol=0, atol=1e-12)
    assert near.cores == named(near, [j for j in range(truth.n) if pairs[j, j] == 1]), request
    assert near.free == named(near, [j for j in range(truth.n) if 0 < pairs[j, j] < 1]), request


def named(near: altsets.results.NearBest, features: Sequence[int]) -> list[str]:
    return [near.feature_names[feature] for feature in features]
