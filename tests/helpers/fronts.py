"""Quality against costs or a second quality: random requests, the truth by brute force, and the check.

Also the range of a sum among near-best sets, and descriptions of lists of sets. Nothing of the package is used to
find the truth. As a program: ``python tests/helpers/fronts.py --problems 20000 [--first 0]``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any
from unittest import mock

import numpy as np
from checks import Request
from definitions import Truth
from oracle import FeatureSet
from random_requests import floats, one_of, random_request

import altsets
from altsets import Status, quality
from altsets.errors import UnsupportedError
from altsets.search.near_best.families import Family

#: Families that brute force looks through.
MOST_FAMILIES = 800
TOLERANCE = Fraction(1, 10**9)

Point = tuple[Fraction, Fraction]


def random_costs(rng: np.random.Generator, n: int) -> tuple[float, ...]:
    """A number for each feature: whole, in tenths, of many digits, with negative ones, mostly 0, very different.

    In the last kind some are so far below 0 that doubles do not tell apart how far above them the others are.
    """
    return floats(
        one_of(
            rng,
            [
                lambda: rng.integers(0, 4, n),
                lambda: rng.integers(0, 30, n) / 10,
                lambda: rng.random(n),
                lambda: rng.integers(-5, 6, n),
                lambda: rng.normal(size=n),
                lambda: rng.integers(0, 2, n),
                lambda: np.zeros(n),
                lambda: rng.random(n) * 10.0 ** rng.integers(-8, 9, n),
                lambda: rng.integers(-5, 6, n) - 10.0 ** rng.integers(14, 19, n) * (rng.random(n) < 0.3),
            ],
        )
    )


def random_front(rng: np.random.Generator) -> Request:
    """A small request, for one set or several that are chosen together."""
    while True:
        request = random_request(rng)
        if request.search.startswith("greedy"):
            continue
        count = int(rng.choice([0, 0, 0, 1, 1, 2]))
        # The difference is a tau on curves.
        tau = Fraction(1, 2) if request.tau is None else request.tau
        request = replace(request, search="simultaneous", n_alternatives=count, min_difference=None, tau=tau)
        n = len(request.scores)
        n_sets = sum(comb(n, size) for size in range(request.oracle.k_min, request.oracle.k_max + 1))
        if comb(n_sets + count, count + 1) <= MOST_FAMILIES:
            return request


def exact_total(numbers: Sequence[float], chosen: FeatureSet) -> Fraction:
    """The sum of numbers as they are printed."""
    return sum((Fraction(repr(numbers[index])) for index in chosen), Fraction(0))


def undominated(points: Iterable[Point], slack: Fraction) -> list[Point]:
    """The points (sum, quality) that none is as good as in both, the least sum first."""
    kept: list[Point] = []
    for total, value in sorted(points, key=lambda point: (point[0], -point[1])):
        if not kept or value > kept[-1][1] + slack:
            kept.append((total, value))
    return kept


def wrong_front(
    request: Request, numbers: Sequence[float], found: altsets.results.Frontier, *, complete: bool
) -> list[str]:
    """Everything that is wrong with the points of a curve; ``complete`` if there was no time limit."""
    truth, wrong = Truth(request), []
    slack, sign = TOLERANCE * _scale(request, truth), -1 if found.more_is_better else 1
    exact = [sign * Fraction(repr(number)) for number in numbers]
    families = {
        tuple(sorted(family)): (
            max(sum((exact[index] for index in chosen), Fraction(0)) for chosen in family),
            truth.value(family)[0],
        )
        for family in _families(truth)
    }
    largest = max(map(abs, exact)) * len(exact) if found.more_is_better else Fraction(0)
    front = undominated(families.values(), slack)
    points = [(sign * Fraction(point.against), Fraction(point.quality)) for point in reversed(found.points)]
    for point, (total, value) in zip(reversed(found.points), points, strict=True):
        sets = point.result.sets
        actual = families.get(tuple(sorted(sets)))
        if actual is None:
            wrong.append(f"{sets} are not allowed")
        elif not _close(actual[0], total, largest) or abs(actual[1] - value) > slack:
            wrong.append(f"{sets} have {point.against} and {point.quality}")
        better = [
            other
            for other in families.values()
            if (other[0] < (actual or (total,))[0] and other[1] >= value - slack / 2)
            or (other[0] <= (actual or (total,))[0] and other[1] > value + 2 * slack)
        ]
        if point.status is Status.OPTIMAL and better:
            wrong.append(f"{point} is beaten by {tuple(map(float, better[0]))}")
        cheaper = [other[1] for other in families.values() if actual and other[0] <= actual[0]]
        if (
            math.isfinite(point.result.bound)
            and max(cheaper, default=0) > Fraction(point.result.bound) + slack
        ):
            wrong.append(f"the bound of {point} does not hold")
    same = len(front) == len(points) and all(
        _close(one[0], other[0], largest) and abs(one[1] - other[1]) <= 2 * slack
        for one, other in zip(front, points, strict=True)
    )
    if found.complete and not same:
        wrong.append(f"{_shown(points)} instead of {_shown(front)}")
    # Where columns are nearly copies, linear models are rounded too much for a proof.
    if complete and not found.proven and request.kind != "linear":
        wrong.append(f"not proven: {found.explain()}")
    return wrong


def _scale(request: Request, truth: Truth) -> Fraction:
    """The largest number; sets of one feature have no pairs, whose numbers may be much larger."""
    alone = truth.oracle.k_max == 1 and request.kind == "mrmr"
    return max(abs(Fraction(score)) for score in request.scores) if alone else truth.scale


def _families(truth: Truth) -> Iterable[tuple[FeatureSet, ...]]:
    """All families of sets that go together, also those of one set."""
    request, oracle = truth.request, truth.oracle
    if request.n_alternatives:
        return truth.families(request.n_alternatives + 1)
    sets = truth.sets()
    return [(one,) for one in sets if all(oracle.compatible(one, given) for given in request.existing)]


def _close(one: Fraction, other: Fraction, largest: Fraction = Fraction(0)) -> bool:
    """Whether a sum was rounded once; a second quality adds doubles, not what they are printed as."""
    return abs(one - other) <= (abs(one) + 4 * largest) / 2**51


def _shown(points: Sequence[Point]) -> list[tuple[float, float]]:
    return [(float(total), float(value)) for total, value in points]


def wrong_range(request: Request, numbers: Sequence[float], within: float) -> list[str] | None:
    """Everything that is wrong with a range among near-best sets; None if rounding decides what is near-best."""
    options = request.options
    near = altsets.near_best(
        request.quality, request.n_features, within=within, constraints=options.get("constraints", ())
    )
    truth = Truth(replace(request, existing=(), n_alternatives=0))
    values = {chosen: truth.oracle.exact(chosen) for chosen in truth.sets()}
    if not values:
        return [] if near.count == 0 else ["there is no set"]
    least = max(values.values()) - Fraction(within) * abs(max(values.values()))
    slack = TOLERANCE * _scale(request, truth)
    edge = least - slack
    if any(abs(value - edge) <= slack / 2 for value in values.values()):
        return None
    totals = [exact_total(numbers, chosen) for chosen, value in values.items() if value >= edge]
    wrong = []
    # As if the sets were too many to list them: by searches.
    unlisted = mock.patch.object(Family, "members", return_value=([], False))
    for known in (True, False):
        with nullcontext() if known else unlisted:
            found = near.range(numbers)
        for end, total in ((found.low, min(totals)), (found.high, max(totals))):
            if not _close(total, Fraction(end.value)):
                wrong.append(f"{end} instead of {float(total)} ({'listed' if known else 'searched'})")
            if not _close(exact_total(numbers, end.set), Fraction(end.value)) or values[end.set] < edge:
                wrong.append(f"{end} has another sum, or is not near-best")
            if end.status is not Status.OPTIMAL and request.kind != "linear":
                wrong.append(f"{end} is not proven")
    return wrong


def check(index: int, seed: int) -> tuple[str, list[str]]:
    """One random problem; what was asked, and what is wrong with the answer."""
    rng = np.random.default_rng([seed, index])
    request = random_front(rng)
    numbers = random_costs(rng, len(request.scores))
    if rng.random() < 0.3:
        within = float(rng.choice([0.0, 0.01, 0.1, 0.3, 1.0]))
        wrong = wrong_range(request, numbers, within)
        label = f"range of {numbers} within {within}: {request}"
        return ("left out", []) if wrong is None else (label, wrong)
    options = {name: value for name, value in request.options.items() if name != "search"}
    second, limited = rng.random() < 0.2, rng.random() < 0.1
    limit = float(10 ** rng.uniform(-4, -1)) if limited else None
    against: Any = quality.Additive(numbers) if second else list(numbers)
    label = f"{'second quality' if second else 'front of'} {numbers}, time_limit={limit}: {request}"
    try:
        found = altsets.frontier(request.quality, against=against, time_limit=limit, **options)
    except UnsupportedError as error:
        return "refused", [] if "open size" in str(error) else [str(error)]
    return label, wrong_front(request, numbers, found, complete=not limited)


def main() -> int:
    """Check many problems; say which fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    failures = 0
    for index in range(given.first, given.first + given.problems):
        try:
            label, wrong = check(index, given.seed)
        except Exception as error:  # Whatever goes wrong is a finding.
            label, wrong = "", [f"{type(error).__name__}: {error}"]
        kinds[" ".join(label.split()[:2])] += 1
        if wrong:
            failures += 1
            sys.stdout.write(
                f"problem {index} of seed {given.seed}: {label[:200]}\n  " + "\n  ".join(wrong) + "\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{given.problems} problems, {failures} failed; {dict(kinds)}\n")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
