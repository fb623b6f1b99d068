"""Definitions beyond good sets that are pairwise different: random requests, the truth by brute force, and the check.

Average difference, a penalty on shared features, limits on qualities, leximin, and constraints on all sets together.
Everything follows from the definitions, in fractions; nothing of the package is used to find the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from checks import ROUNDING, Request, wrong_in_turn, wrong_together
from oracle import FeatureSet, Oracle, holds
from random_requests import random_budget, random_group_budget, random_request, some_features

from altsets import Result
from altsets.results import Frontier

#: Constraints on all sets together.
JOINT = ("at_most_sets", "at_least_sets", "reserve", "total_budget")
#: Families that brute force looks through.
MOST_FAMILIES = 3_000
TOLERANCE = Fraction(1, 10**9)

Family = tuple[FeatureSet, ...]


@dataclass(frozen=True)
class Truth:
    """All valid sets of one request, and what several of them are worth together."""

    request: Request

    @property
    def oracle(self) -> Oracle:
        request = self.request
        single = tuple(one for one in request.constraints if one[0] not in JOINT)
        free = request.overlap_penalty and request.tau is None and request.min_difference is None
        return replace(request, constraints=single, existing=(), tau=0 if free else request.tau).oracle

    @property
    def scale(self) -> Fraction:
        return self.oracle.scale or Fraction(self.request.overlap_penalty)

    @property
    def largest(self) -> Fraction:
        """The largest number that sums are made of."""
        return max(self.oracle.scale, Fraction(self.request.overlap_penalty))

    @property
    def joint(self) -> list[tuple[Any, ...]]:
        return [one for one in self.request.constraints if one[0] in JOINT]

    def sets(self) -> list[FeatureSet]:
        """All sets that may be chosen alone."""
        oracle = self.oracle
        return [
            chosen
            for size in range(oracle.k_min, oracle.k_max + 1)
            for chosen in combinations(range(oracle.n), size)
            if oracle.fits(chosen)
        ]

    def shared(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> int:
        return sum(len(set(chosen) & set(other)) for other in others)

    def apart(self, oracle: Oracle, one: FeatureSet, other: FeatureSet) -> Fraction:
        """How different two sets are: by tau's dissimilarity, or in features."""
        kind = oracle.dissimilarity
        shared, total = Fraction(len(set(one) & set(other))), len(one) + len(other)
        if callable(kind):
            value = Fraction(kind(min(one, other), max(one, other)))
            if oracle.tau is not None:
                return value
            shared = (1 - value) * total / 2
        if oracle.tau is None:
            return min(len(one), len(other)) - shared
        return 1 - shared / (total - shared) if kind == "jaccard" else 1 - 2 * shared / total

    def differs(self, oracle: Oracle, chosen: FeatureSet, before: Sequence[FeatureSet]) -> bool:
        """Whether a set is different enough from those before."""
        if self.request.difference == "each":
            return all(oracle.compatible(chosen, other) for other in before)
        if not before:
            return True
        least = Fraction(oracle.min_difference or 0) if oracle.tau is None else oracle.tau
        total = sum(self.apart(oracle, chosen, other) for other in before)
        # Functions of one's own are floats.
        return total >= len(before) * (least - TOLERANCE) - (
            Fraction(1, 10**14) if callable(oracle.dissimilarity) else 0
        )

    def keep_together(self, new: Sequence[FeatureSet], left: int) -> bool:
        """Whether new sets, beside existing ones, keep to all joint constraints, with so many sets to come."""
        sets = [*self.request.existing, *new]
        for kind, *rest in self.joint:
            if kind == "at_most_sets":
                about = range(len(self.request.scores)) if len(rest) < 2 else rest[1]
                if any(
                    any(j in one for one in new) and sum(j in one for one in sets) > rest[0] for j in about
                ):
                    return False
            elif kind == "at_least_sets":
                if any(sum(j in one for one in sets) + left < rest[0] for j in rest[1]):
                    return False
            elif kind == "reserve":
                touched = [one for one in sets if set(rest[0]) & set(one)]
                if any(set(rest[0]) & set(one) for one in new) and len(touched) > 1:
                    return False
            elif not holds(("budget", *rest), sorted({j for one in sets for j in one})):
                return False
        return True

    def next_best(
        self, sets: Sequence[FeatureSet], before: Sequence[FeatureSet], n_sets: int
    ) -> Fraction | None:
        """The best value of one more set after new ones."""
        oracle, every = self.oracle, [*self.request.existing, *before]
        left = n_sets - len(before) - 1
        penalty = Fraction(self.request.overlap_penalty)
        values = [
            oracle.exact(chosen) - penalty * self.shared(chosen, every)
            for chosen in sets
            if self.differs(oracle, chosen, every) and self.keep_together([*before, chosen], left)
        ]
        return max(values, default=None)

    def families(self, n_sets: int) -> Iterator[Family]:
        """All families of sets that go together."""
        oracle, existing = self.oracle, self.request.existing
        sets = [
            one
            for one in self.sets()
            if all(oracle.compatible(one, given) for given in existing) and self.good(oracle, one)
        ]
        together = {
            (i, j)
            for i in range(len(sets))
            for j in range(i, len(sets))
            if oracle.compatible(sets[i], sets[j])
        }

        def grow(chosen: tuple[int, ...]) -> Iterator[Family]:
            if len(chosen) == n_sets:
                family = tuple(sets[i] for i in chosen)
                if self.keep_together(family, 0) and self.close(oracle, family):
                    yield family
                return
            for j in range(chosen[-1] if chosen else 0, len(sets)):
                if all((i, j) in together for i in chosen):
                    yield from grow((*chosen, j))

        yield from grow(())

    def good(self, oracle: Oracle, chosen: FeatureSet) -> bool:
        least = self.request.min_quality
        return least is None or oracle.exact(chosen) >= Fraction(least) - TOLERANCE * self.scale

    def close(self, oracle: Oracle, family: Family) -> bool:
        most, values = self.request.max_spread, [oracle.exact(one) for one in family]
        return most is None or max(values) - min(values) <= Fraction(most) + TOLERANCE * self.scale

    def value(self, family: Sequence[FeatureSet]) -> tuple[Fraction, ...]:
        """What a family is worth; for leximin the qualities from the worst on."""
        oracle = self.oracle
        values = sorted(oracle.exact(one) for one in family)
        if self.request.aggregation == "leximin":
            return tuple(values)
        if self.request.aggregation == "min":
            return (values[0],)
        every = list(self.request.existing)
        shared = 0
        for one in family:
            shared += self.shared(one, every)
            every.append(one)
        return (sum(values) - Fraction(self.request.overlap_penalty) * shared,)


def random_definition(rng: np.random.Generator) -> Request:
    """A small request with one of the definitions, or a few of them."""
    while True:
        request = random_request(rng)
        # Of large sets, brute force takes long to try all matchings.
        if request.search.startswith("greedy") or (request.likeness and request.n_features > 4):
            continue
        n = len(request.scores)
        search = "sequential" if rng.random() < 0.4 else "simultaneous"
        request = replace(request, search=search, n_alternatives=int(rng.integers(0, 4)))
        more: dict[str, Any] = {}
        kinds = ["penalty", "joint", "joint"]
        kinds += ["average", "average"] if search == "sequential" else ["least", "spread", "leximin"]
        for kind in sorted({str(rng.choice(kinds)) for _ in range(int(rng.choice([1, 1, 2, 3, 5])))}):
            more |= _random_part(rng, request, kind)
        if "overlap_penalty" in more and search == "simultaneous":
            more["aggregation"] = "sum"
        if more.get("aggregation") == "leximin":
            more.pop("max_spread", None)
        request = replace(request, **more)
        n_sets = sum(comb(n, size) for size in range(request.oracle.k_min, request.oracle.k_max + 1))
        if search == "sequential" or comb(n_sets + request.n_alternatives, request.n_alternatives + 1) <= (
            MOST_FAMILIES
        ):
            return request


def definitions_of(request: Request) -> list[str]:
    """What a request has of the definitions."""
    named = ("overlap_penalty", "min_quality", "max_spread")
    found = [name for name in named if getattr(request, name) != getattr(Request, name)]
    if request.difference == "average":
        found.append("average")
    if request.aggregation == "leximin":
        found.append("leximin")
    return found + [kind for kind, *_ in request.constraints if kind in JOINT]


def _random_part(rng: np.random.Generator, request: Request, kind: str) -> dict[str, Any]:
    n, k = len(request.scores), request.n_features
    scale = float(request.oracle.scale) or 1.0
    if kind == "penalty":
        return {"overlap_penalty": scale * float(rng.choice([0.01, 0.1, 0.25, 0.5, 1.0, 3.0, 100.0, 9e3]))}
    if kind == "average":
        return {"difference": "average"}
    if kind == "leximin":
        return {"aggregation": "leximin"}
    if kind in ("least", "spread"):
        some, other = (request.oracle.value(some_features(rng, n, k)) for _ in range(2))
        if not (math.isfinite(some) and math.isfinite(other)):
            some, other = 0.0, scale
        if kind == "least":
            return {"min_quality": some}
        return {"max_spread": abs(some - other)}
    return {
        "constraints": (*request.constraints, *(_random_joint(rng, n, k) for _ in range(rng.integers(1, 3))))
    }


def _random_joint(rng: np.random.Generator, n: int, k: int) -> tuple[Any, ...]:
    some = some_features(rng, n, int(rng.integers(1, n + 1)))
    few = some_features(rng, n, int(rng.integers(1, 3)) if n > 1 else 1)
    kind = str(rng.choice(JOINT))
    if kind == "at_most_sets":
        most = int(rng.integers(1, 4))
        return (kind, most) if rng.random() < 0.5 else (kind, most, some)
    if kind == "at_least_sets":
        return (kind, int(rng.integers(1, 4)), few)
    if kind == "reserve":
        return (kind, some if rng.random() < 0.3 else few)
    budget = (
        random_budget(rng, n, min(n, 2 * k))
        if rng.random() < 0.5
        else random_group_budget(rng, n, min(n, 2 * k))
    )
    return (kind, *budget[1:])


def wrong_about(request: Request, result: Result) -> list[str]:
    """Everything that is wrong with an answer."""
    truth, wrong = Truth(request), []
    n_sets = request.n_alternatives + 1
    wrong += oracle_complaints(truth, result)
    if wrong:
        return wrong
    if request.search == "sequential":
        return _sequential(truth, result, n_sets)
    return _simultaneous(truth, result, n_sets)


def oracle_complaints(truth: Truth, result: Result) -> list[str]:
    """What is wrong with the sets, the qualities and the objective."""
    request, oracle, wrong = truth.request, truth.oracle, []
    sets, slack = [tuple(one) for one in result.sets], ROUNDING * truth.largest
    for position, chosen in enumerate(sets):
        before = [*request.existing, *sets[:position]]
        if not oracle.fits(chosen):
            wrong.append(f"set {position} {chosen} may not be chosen")
        elif not truth.differs(oracle, chosen, before):
            wrong.append(f"set {position} {chosen} differs too little from {before}")
        elif (
            not truth.good(oracle, chosen)
            or abs(oracle.exact(chosen) - Fraction(result.qualities[position])) > slack
        ):
            wrong.append(f"set {position} {chosen} has quality {float(oracle.exact(chosen))}")
    if wrong or not sets:
        return wrong
    left = request.n_alternatives + 1 - len(sets)
    if not truth.keep_together(sets, left):
        wrong.append(f"{sets} break a constraint together")
    if not truth.close(oracle, sets):
        wrong.append(f"{sets} have qualities too far apart")
    value = truth.value(sets)[0]
    if request.search == "sequential":
        value = _as_sum(truth).value(sets)[0]
    if abs(Fraction(result.objective) - value) > ROUNDING * truth.largest * 100:
        wrong.append(f"objective {result.objective} should be {float(value)}")
    if not result.bound >= result.objective:
        wrong.append(f"bound {result.bound} is below the objective {result.objective}")
    return wrong


def _as_sum(truth: Truth) -> Truth:
    return Truth(replace(truth.request, aggregation="sum"))


def _sequential(truth: Truth, result: Result, n_sets: int) -> list[str]:
    every, penalty = truth.sets(), Fraction(truth.request.overlap_penalty)

    def value(chosen: FeatureSet, before: Sequence[FeatureSet]) -> Fraction:
        return truth.oracle.exact(chosen) - penalty * truth.shared(chosen, [*truth.request.existing, *before])

    return wrong_in_turn(
        result, lambda before: truth.next_best(every, before, n_sets), value, truth.scale, truth.largest
    )


def _simultaneous(truth: Truth, result: Result, n_sets: int) -> list[str]:
    best = max((truth.value(family) for family in truth.families(n_sets)), default=None)
    return wrong_together(result, best, lambda: truth.value(result.sets), truth.scale, truth.largest)


def wrong_balance(request: Request, found: Frontier) -> list[str]:
    """Everything that is wrong with the trade-offs between sum and minimum."""
    truth = Truth(replace(request, aggregation="sum"))
    slack = 10 * TOLERANCE * truth.scale * (request.n_alternatives + 1)
    pairs = set()
    for family in truth.families(request.n_alternatives + 1):
        values = [truth.oracle.exact(one) for one in family]
        pairs.add((sum(values), min(values)))
    front = [pair for pair in pairs if not any(_beats(other, pair, Fraction(0)) for other in pairs)]
    points = [(Fraction(point.quality), Fraction(point.worst)) for point in found]
    wrong = [
        f"{float(pair[0])}, {float(pair[1])} is a trade-off that is missing"
        for pair in front
        if found.complete
        and all(point.proven for point in found)
        and not any(_beats(point, pair, slack, equal=True) for point in points)
    ]
    for number, point in enumerate(points):
        sets = [tuple(one) for one in found.points[number].result.sets]
        values = [truth.oracle.exact(one) for one in sets]
        if not _beats(point, (sum(values), min(values)), slack, equal=True):
            wrong.append(f"trade-off {number} is not what its sets are worth")
        if not any(_beats(pair, point, slack, equal=True) for pair in pairs):
            wrong.append(f"trade-off {number} cannot be reached")
        if found.points[number].proven and any(
            _beats(pair, (point[0] + slack, point[1] + slack), Fraction(0)) for pair in pairs
        ):
            wrong.append(f"trade-off {number} is said to be proven, and others are better")
    return wrong


def _beats(
    pair: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction], slack: Fraction, equal: bool = False
) -> bool:
    """Whether both numbers are as large as those of another pair; one of them is larger, unless equal ones count."""
    return all(one >= two - slack for one, two in zip(pair, other, strict=True)) and (equal or pair != other)


def wrong_penalties(request: Request, found: Frontier) -> list[str]:
    """Everything that is wrong with the sets for all penalties: they are the best ones at both ends of each range."""
    truth = Truth(replace(request, aggregation="sum", overlap_penalty=0.0))
    pairs = set()
    for family in truth.families(request.n_alternatives + 1):
        every, shared = list(request.existing), 0
        for one in family:
            shared += truth.shared(one, every)
            every.append(one)
        pairs.add((sum(truth.oracle.exact(one) for one in family), shared))
    if not pairs or not found.points:
        is_right = not found.points and (not pairs or not found.complete)
        return [] if is_right else [f"{len(found.points)} points, but {len(pairs)} trade-offs"]
    wrong = []
    if found.points[0].penalty[0] != 0 or found.points[-1].penalty[1] != math.inf:
        wrong.append("the ranges do not cover all penalties")
    for number, point in enumerate(found.points if found.complete else []):
        # No penalty beyond twice this one changes anything: sets are worth no more than their features.
        last = 4 * truth.largest * len(request.scores) * (request.n_alternatives + 1)
        low, high = point.penalty
        for penalty in (Fraction(low), last if high == math.inf else Fraction(high)):
            best = max(total - penalty * shared for total, shared in pairs)
            value = Fraction(point.quality) - penalty * (point.shared or 0)
            slack = 10 * TOLERANCE * max(truth.scale, penalty) * (request.n_alternatives + 1)
            if abs(best - value) > slack:
                wrong.append(
                    f"for {float(penalty)}, point {number} is worth {float(value)}, not {float(best)}"
                )
    return wrong
