"""Requests whose numbers are where double precision is hard: far apart, hardly apart, huge, tiny, at the edge."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from checks import Request
from random_requests import (
    FEW_SETS,
    MOST_SETS_OWN,
    Maker,
    floats,
    one_of,
    random_constraints,
    random_dissimilarity,
    random_existing,
    random_limit,
    random_redundancy,
    random_scores,
    some_features,
)

#: Most requests have no more features than this; one in a hundred has up to so many, and sets of up to so many.
N_USUAL, N_LARGER, K_LARGER, LARGER_SHARE = 8, 11, 6, 0.01

#: Sizes of numbers, as powers of ten: within one problem, of a whole problem, and of those that may be refused.
WITHIN, WHOLE, FAR, TOO_FAR = 12, 12, 95, 280
TOO_FAR_SHARE = 0.01
#: Numbers that a solver may take for zero, and those beside which it does.
SMALL, LARGE = (0.0, 1e-7, -1e-7, 2e-6, 1.9e-6, 1e-8, 3e-6), (-1.0, 1.0, -0.5)


def extreme_request(rng: np.random.Generator) -> Request:
    """One request, small enough for the oracle."""
    larger = rng.random() < LARGER_SHARE
    own = rng.random() < 0.04
    while True:
        n = int(
            rng.integers(9, N_LARGER + 1)
            if larger
            else rng.integers(2 if rng.random() < 0.1 else 4, N_USUAL + 1)
        )
        k = int(rng.integers(1, min(n, K_LARGER if larger else 5) + 1))
        if not own or comb(n, k) <= MOST_SETS_OWN:
            break
    constraints: tuple[tuple[Any, ...], ...] = ()
    if rng.random() < 0.45:
        constraints = tuple(
            edge_budget(rng, n, k, *constraint[3:]) if constraint[0] == "budget" else constraint
            for constraint in random_constraints(rng, n, k, 250)
        )
    if rng.random() < 0.25:
        constraints += (edge_budget(rng, n, k),)
    n_alternatives = int(rng.choice([0, 0, 1, 1, 2, 3]))
    if comb(n, k) <= FEW_SETS and rng.random() < 0.4:  # As many as there are, or nearly.
        n_alternatives = int(rng.integers(comb(n, k)))
    request = Request(
        n_features=k,
        n_alternatives=n_alternatives,
        dissimilarity=random_dissimilarity(rng, own),
        search="sequential" if rng.random() < 0.3 else "simultaneous",
        aggregation=str(rng.choice(["sum", "min"])),
        existing=random_existing(rng, n, k),
        constraints=constraints,
        **random_limit(rng, k, own),
        **extreme_numbers(rng, n),
    )
    return with_useless_features(rng, request) if rng.random() < 0.2 else request


def solver_request(rng: np.random.Generator) -> Request:
    """A few small numbers beside large ones, with rules that tie features to each other: presolving has lost them."""
    n = int(rng.integers(4, 8))
    few = [0.0, float(rng.choice(SMALL)), float(rng.choice(SMALL)), float(rng.choice(LARGE))]
    scores = tuple(rng.choice(few, n, p=[0.2, 0.2, 0.1, 0.5]).tolist())
    numbers: dict[str, Any] = {"scores": scores}
    if rng.random() < 0.4:
        dependency = np.full((n, n), -10.0)
        for _ in range(int(rng.integers(1, n + 1))):
            first, second = rng.choice(n, 2, replace=False)
            dependency[first, second] = dependency[second, first] = 10.0
        numbers |= {"kind": "fcbf", "matrix": tuple(map(tuple, dependency.tolist()))}
    pairs = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 5)))]
    rules = tuple(("exclusive", pair) if rng.random() < 0.7 else ("implies", *pair) for pair in pairs)
    alone = rng.random() < 0.6
    return Request(
        n_features=1 if alone else int(rng.integers(1, 4)),
        n_alternatives=0 if alone else int(rng.integers(0, 3)),
        tau=1.0 if alone else float(rng.choice([0.3, 0.5, 1.0])),
        search="simultaneous",
        aggregation="min" if rng.random() < 0.8 else "sum",
        constraints=rules,
        **numbers,
    )


# --- Numbers ------------------------------------------------------------------------------------------
def extreme_numbers(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """A quality of any kind."""
    kind = str(rng.choice(["additive", "additive", "fcbf", "mrmr", "mrmr", "cfs"]))
    scores = extreme_scores(rng, n)
    power = 10.0 ** power_of_ten(rng)
    numbers: dict[str, Any] = {"kind": kind, "scores": floats(scores * power)}
    if kind == "additive":
        return numbers
    if kind == "fcbf":
        matrix = hairbreadth_dependency(rng, np.array(numbers["scores"]))
        if rng.random() < 0.2:
            # One over a sum that is smaller than any number with all its digits is none.
            total = float(np.abs(numbers["scores"]).sum())
            numbers["scale"] = 1 / total if total > np.finfo(float).tiny else 1.0
        if rng.random() < 0.2:
            numbers["min_relevance"] = float(rng.choice(numbers["scores"]))
    else:
        matrix = extreme_redundancy(rng, n)
        if kind == "cfs":
            # It stands beside the number of features, whatever the units of the relevance.
            matrix = np.abs(matrix)
        else:
            if rng.random() < 0.5 and matrix.any() and scores.any():
                # Of the same order as the relevance, so that both matter.
                matrix = matrix * (np.abs(scores).max() / np.abs(matrix).max())
            matrix = matrix * power
    return {**numbers, "matrix": tuple(floats(row) for row in matrix)}


def power_of_ten(rng: np.random.Generator) -> int:
    """How large all numbers of a problem are."""
    if rng.random() < TOO_FAR_SHARE:
        return int(rng.integers(-TOO_FAR, TOO_FAR + 1))
    limit = rng.choice([0, WHOLE, FAR - 2 * WITHIN], p=[0.5, 0.35, 0.15])
    return int(rng.integers(-limit, limit + 1))


def extreme_scores(rng: np.random.Generator, n: int) -> np.ndarray:
    """One number for each feature; of order one but for what makes it hard."""
    signs = rng.choice([-1.0, 1.0], n)
    kinds: list[Maker] = [
        lambda: far_apart(rng, n),
        lambda: signs * far_apart(rng, n),
        lambda: hardly_apart(rng, n),
        lambda: signs * hardly_apart(rng, n),
        lambda: near_the_last_integers(rng, n),
        lambda: signs * near_the_last_integers(rng, n),
        lambda: rng.choice([-0.0, 0.0, 1.0, -1.0, 5e-324], n),
        lambda: rng.integers(0, 3, n) * rng.choice([0.1, 1 / 3, 1.0, 1e-9]),
        lambda: near_tolerances(rng, n),
        # Large numbers that cancel out, and leave small ones.
        lambda: signs * rng.choice([1e9, 1e12]) + rng.random(n),
        lambda: random_scores(rng, n),
        lambda: random_scores(rng, n),
    ]
    scores: np.ndarray = one_of(rng, kinds)
    return scores


def extreme_redundancy(rng: np.random.Generator, n: int) -> np.ndarray:
    """One number for each pair, symmetric in half of the cases."""
    kinds: list[Maker] = [
        lambda: far_apart(rng, n * n).reshape(n, n),
        lambda: hardly_apart(rng, n * n).reshape(n, n),
        lambda: rng.choice([-1.0, 1.0], (n, n)) * far_apart(rng, n * n).reshape(n, n),
        lambda: rng.choice([-0.0, 0.0, 1.0], (n, n)),
        lambda: random_redundancy(rng, n),
        lambda: random_redundancy(rng, n),
        lambda: random_redundancy(rng, n),
    ]
    matrix: np.ndarray = one_of(rng, kinds)
    return (matrix + matrix.T) / 2 if rng.random() < 0.5 else matrix


def far_apart(rng: np.random.Generator, n: int) -> np.ndarray:
    """Positive numbers of many sizes."""
    return rng.random(n) * 10.0 ** rng.integers(-WITHIN, WITHIN + 1, n)


def hardly_apart(rng: np.random.Generator, n: int) -> np.ndarray:
    """Positive numbers that differ in their last digit."""
    base = float(rng.choice([1.0, 0.1, 1 / 3, rng.random() + 0.01]))
    return base + math.ulp(base) * rng.integers(-2, 3, n)


def near_tolerances(rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers that a solver may take for zero, beside those that it does not."""
    return rng.choice([-1.0, -1.0, 0.0, 1e-7, 2e-6, 1.0][: int(rng.integers(4, 7))], n)


def near_the_last_integers(rng: np.random.Generator, n: int) -> np.ndarray:
    """Near 2**53, from where on doubles leave out odd numbers."""
    return 2.0**53 + rng.integers(-4, 5, n)


def hairbreadth_dependency(rng: np.random.Generator, relevance: np.ndarray) -> np.ndarray:
    """A matrix for FCBF: conflicts at the limit or by the last digit, and pairs that just escape one."""
    shape = (len(relevance), len(relevance))
    conflict = rng.random(shape) < rng.choice([0.0, 0.02, 0.1, 0.3])
    rows = np.broadcast_to(relevance[:, None], shape)
    above = np.where(rng.random(shape) < 0.5, rows, np.nextafter(rows, np.inf))
    below = np.where(rng.random(shape) < 0.5, np.nextafter(rows, -np.inf), rows - np.abs(rows) - 1e-3)
    return np.where(conflict, above, below)


# --- Constraints --------------------------------------------------------------------------------------
def edge_budget(
    rng: np.random.Generator, n: int, k: int, groups: tuple[tuple[int, ...], ...] = ()
) -> tuple[Any, ...]:
    """A budget whose limit is what some set costs, in decimals, or a last digit away from that."""
    kinds: list[Maker] = [
        lambda: rng.integers(0, 10, n) / 10,
        lambda: rng.integers(0, 1000, n) / 100,
        lambda: rng.random(n),
        lambda: far_apart(rng, n),
        lambda: hardly_apart(rng, n),
        lambda: near_the_last_integers(rng, n),
        lambda: np.full(n, 0.1),
    ]
    power = int(rng.choice([0, 0, 0, rng.integers(-WHOLE, WHOLE + 1), rng.integers(-FAR, FAR + 1)]))
    # As text, so that decimals stay short.
    costs = [
        float(f"{float(cost)!r}e{power}") if "e" not in repr(float(cost)) else float(cost)
        for cost in one_of(rng, kinds)
    ]
    first = {j: group[0] for group in groups for j in group}
    costs = [costs[first.get(j, j)] for j in range(n)]
    printed = [Fraction(repr(cost)) for cost in costs]
    paid = {first.get(j, j) for j in some_features(rng, n, k)}
    total = sum((printed[j] for j in paid), Fraction(0))
    limit = float(total)
    if rng.random() < 0.5:
        # One in the last place of the decimals, or of the double.
        place = math.lcm(*(number.denominator for number in printed))
        steps = [Fraction(1, place), Fraction(math.ulp(limit))]
        limit = float(max(total + int(rng.choice([-1, 1])) * steps[rng.integers(2)], Fraction(0)))
    return ("budget", tuple(costs), limit, *([groups] if groups else []))


def with_useless_features(rng: np.random.Generator, request: Request) -> Request:
    """The same with huge numbers on features that no set may have."""
    n = len(request.scores)
    useless = some_features(rng, n, int(rng.integers(1, max(2, n - request.n_features + 1))))
    huge = float(rng.choice([-1.0, 1.0])) * 10.0 ** float(rng.choice([3, 9, 12, 15, 50, 99, 300]))
    # What is too large for a number is refused when the quality is made.
    huge = max(min(huge, 1e300 / max(request.scale, 1.0)), -1e300 / max(request.scale, 1.0))
    scores = [huge if j in useless else score for j, score in enumerate(request.scores)]
    matrix = request.matrix
    if request.kind == "mrmr" or (request.kind == "cfs" and abs(huge) <= 1e12):
        matrix = tuple(
            tuple(abs(huge) if i in useless or j in useless else value for j, value in enumerate(row))
            for i, row in enumerate(matrix)
        )
    kinds: list[Maker] = [
        lambda: ("forbid", useless),
        lambda: ("at_most", 0, useless),
        lambda: ("budget", tuple(2.0 if j in useless else 0.1 for j in range(n)), 1.9),
    ]
    rules = (*request.constraints, one_of(rng, kinds))
    return replace(request, scores=tuple(scores), matrix=matrix, constraints=rules)
