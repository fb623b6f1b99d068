"""Brute force for the largest tau and the largest number of sets at which sets are good enough."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from checks import Request
from oracle import dissimilarity as counted

#: What is no further below the quality needed than this part of the scale may count as reaching it; what is a little
#: further is in doubt. So is what is closer, but for rounding: the package may know of a smaller scale.
EQUAL, DOUBTFUL, ROUNDING = Fraction(1, 10**9), Fraction(3, 10**9), Fraction(1, 10**12)


class InDoubt(Exception):
    """A quality is so close to the one that is needed that rounding decides."""


def asked(rng: np.random.Generator, request: Request) -> tuple[dict[str, Any], Fraction]:
    """How good sets must be, as keywords and as an exact number; there must be a set."""
    alone = replace(request, existing=()).oracle
    best = alone.next_best()
    assert best is not None
    if rng.random() < 0.5:
        within = float(rng.choice([0.0, 0.05, 0.3, 1.0]))
        return {"within": within}, best - Fraction(within) * abs(best)
    values = alone.usable[1]
    some = float(values[rng.integers(len(values))] * alone.whole.unit)
    return {"min_quality": some}, Fraction(some)


def reaches(value: Fraction | None, needed: Fraction, scale: Fraction) -> bool:
    """Whether a quality is good enough."""
    if value is None:
        return False
    short = needed - value
    rounded = ROUNDING * max(abs(needed), abs(value))
    if rounded < short < DOUBTFUL * scale:
        raise InDoubt
    return short <= rounded


def all_taus(request: Request) -> list[Any]:
    """Every dissimilarity that two sets, or a set and an existing one, can have; 0 and 1 among them."""
    oracle, sets = request.oracle, sets_of(request)
    if callable(oracle.dissimilarity):
        others = [*sets, *oracle.existing]
        return sorted({0.0, 1.0, *(oracle.dissimilarity(f, g) for f in sets for g in others)})
    sizes = {len(chosen) for chosen in sets}
    pairs = {(s, t) for s in sizes for t in sizes | {len(given) for given in oracle.existing}}
    return sorted(
        {Fraction(0), Fraction(1)}
        | {counted(oracle.dissimilarity, shared, s, t) for s, t in pairs for shared in range(min(s, t) + 1)}
    )


def sets_of(request: Request) -> list[tuple[int, ...]]:
    """All sets of the asked sizes."""
    oracle = request.oracle
    sizes = range(oracle.k_min, oracle.k_max + 1)
    return [chosen for k in sizes for chosen in itertools.combinations(range(oracle.n), k)]


def largest_tau(request: Request, needed: Fraction) -> Any:
    """By brute force; None if there is no set that is good enough."""
    n_sets, scale = request.n_alternatives + 1, request.oracle.scale
    if not reaches(replace(request, existing=()).oracle.next_best(), needed, scale):
        return None
    for tau in reversed(all_taus(request)):
        oracle = replace(request, tau=tau).oracle
        if request.aggregation == "sum":
            if reaches(oracle.best_sum(n_sets), n_sets * needed, n_sets * scale):
                return tau
        else:
            best = oracle.best_min(n_sets)
            if reaches(best and best[0], needed, scale):
                return tau
    raise AssertionError("at tau = 0 the best set goes with itself")


def largest_number(request: Request, needed: Fraction) -> int:
    """How many sets that are good enough go together, each once."""
    oracle = request.oracle
    values, rows = oracle.graph
    sets = sets_of(request)
    good = 0
    for place, (value, row) in enumerate(zip(values, oracle.usable[0], strict=True)):
        known = request.tau == 0 and sets[row] in oracle.existing
        if reaches(value * oracle.whole.unit, needed, oracle.scale) and not known:
            good |= 1 << place
    if request.tau == 0:
        return good.bit_count()
    largest = 0

    def descend(candidates: int, size: int) -> None:
        nonlocal largest
        largest = max(largest, size)
        while candidates and size + candidates.bit_count() > largest:
            low = (candidates & -candidates).bit_length() - 1
            candidates &= candidates - 1
            descend(candidates & rows[low], size + 1)

    descend(good, 0)
    return largest


def options_without(request: Request, *names: str) -> dict[str, Any]:
    """The keywords of a request but for these."""
    return {name: value for name, value in request.options.items() if name not in names}
