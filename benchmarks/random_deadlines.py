"""Deadlines of random requests of all verbs: none late, and none without the sets that a greedy search finds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import altsets
from altsets.constraints import AtMost, Budget, Constraint, Size
from altsets.dissimilarity import Grouped
from altsets.errors import AltsetsError
from altsets.quality import Additive, Quality
from altsets.results import Frontier, NearBest, WhatIf
from benchmarks.deadlines import SLACK, black_box, cfs, fcbf, mrmr
from benchmarks.report import Check, Section, duration, table

N_REQUESTS = 300
#: Seconds, features for each kind of quality, features in a set, and sets.
LIMITS = (0.05, 0.1, 0.3, 0.5, 1.0, 2.0)
FEATURES = {
    "additive": (100, 400, 10**4, 10**5, 10**6),
    "ties": (100, 10**4, 10**6),
    "mrmr": (60, 400, 10**4),
    "cfs": (60, 400, 2000),
    "fcbf": (60, 400, 2000),
    "black box": (30, 1000),
}
SIZES, SETS, TAUS = (3, 5, 10), (2, 5, 20, 200, 1000), (0.3, 0.5, 0.8, 1.0)
#: Frontiers and largest values are asked about no more sets.
FEW = 10
GREEDY = ("greedy-balancing", "greedy-replacement")


def run() -> Section:
    """All requests, and those that came late or with too few sets."""
    section = Section("deadlines-random")
    found = [_asked(number) for number in range(N_REQUESTS)]
    late = [one for one in found if one["late"] > SLACK]
    few = [one for one in found if one["sets"] < one["greedy"]]
    section.checks = [
        Check("random requests", f"0 later than {SLACK:g} s", f"{len(late)} of {len(found)}", not late),
        Check("sets at the time limit", "as many as a greedy search", f"{len(few)} with fewer", not few),
    ]
    verbs = Counter(one["verb"] for one in found)
    rows = [
        (verb, str(count), duration(max(one["late"] for one in found if one["verb"] == verb)))
        for verb, count in verbs.items()
    ]
    section.body = [
        f"{len(found)} random requests under limits of {LIMITS[0]:g} to {LIMITS[-1]:g} s, in processor time: by how "
        "much the latest answer of each verb exceeded its limit.",
        table(("verb", "requests", "latest"), rows),
        *(f"- {one['name']}: {one['late']:+.2f} s, {one['sets']} sets" for one in [*late, *few]),
    ]
    return section


def _asked(number: int) -> dict[str, Any]:
    """Ask one request: what it is called, how late the answer was, and how many sets it has."""
    rng = np.random.default_rng([7, number])
    kind = str(rng.choice(["additive", *FEATURES]))
    n, size, n_sets = (int(rng.choice(some)) for some in (FEATURES[kind], SIZES, SETS))
    tau, limit, verb = float(rng.choice(TAUS)), float(rng.choice(LIMITS)), list(VERBS)[number % len(VERBS)]
    constraints = _constraints(rng, n, size)
    grouped = rng.random() < 0.15
    more = {"dissimilarity": Grouped({feature: feature // 3 for feature in range(n)})} if grouped else {}
    quality = _quality(kind, n)
    n_sets = n_sets if verb in ("find", "together", "minimum") else min(n_sets, FEW)
    request = (quality, size, n_sets - 1, tau)
    name = f"{number}: {verb}, {kind}, {n:,} features, {n_sets} sets of {size}, tau {tau:g}, {limit:g} s"
    greedy = 0
    if isinstance(quality, Additive) and not constraints and not grouped and verb in GREEDY_TOO:
        greedy = max(len(altsets.find(*request, search=search).sets) for search in GREEDY)
        # All sets or none, where they are chosen together.
        greedy = greedy if verb == "find" or greedy == n_sets else 0
    try:
        ask = VERBS[verb](request, {"constraints": constraints, **more}, rng.random(n))
        started = time.process_time()
        sets = _n_sets(ask(limit))
    except AltsetsError:
        # Refused, as it should be, and soon.
        started, sets = time.process_time() - limit, greedy
    return {
        "name": name,
        "verb": verb,
        "late": time.process_time() - started - limit,
        "sets": sets,
        "greedy": greedy,
    }


Ask = Callable[[float], object]
Request = tuple[Quality, int, int, float]


def _find(**how: Any) -> Callable[[Request, dict[str, Any], Any], Ask]:
    return lambda request, more, costs: lambda limit: altsets.find(*request, **more, **how, time_limit=limit)


def _frontier(**how: Any) -> Callable[[Request, dict[str, Any], Any], Ask]:
    def prepare(request: Request, more: dict[str, Any], costs: Any) -> Ask:
        quality, size, n_alternatives, tau = request
        asked = {"constraints": more["constraints"], **how} | ({"against": costs} if "against" in how else {})
        asked |= {} if "search" in how or asked.get("by") == "penalty" else {"tau": tau}
        return lambda limit: altsets.frontier(quality, size, n_alternatives, **asked, time_limit=limit)

    return prepare


def _largest(tau: Any, n_alternatives: Any) -> Callable[[Request, dict[str, Any], Any], Ask]:
    def prepare(request: Request, more: dict[str, Any], costs: Any) -> Ask:
        quality, size, count, given = request
        asked = (quality, size, n_alternatives or count, tau or given)
        return lambda limit: altsets.find(*asked, within=0.1, search="simultaneous", **more, time_limit=limit)

    return prepare


def _near_best(request: Request, more: dict[str, Any], costs: Any) -> Ask:
    quality, size, *_ = request
    return lambda limit: altsets.near_best(
        quality, size, within=0.05, constraints=more["constraints"], time_limit=limit
    )


def _range(request: Request, more: dict[str, Any], costs: Any) -> Ask:
    near = _near_best(request, more, costs)(1.0)
    assert isinstance(near, NearBest)
    return lambda limit: near.range(costs, time_limit=limit)


def _what_if(request: Request, more: dict[str, Any], costs: Any) -> Ask:
    quality, size, *_ = request
    found = altsets.find(quality, size, 2, 0.5, constraints=more["constraints"], time_limit=1)
    return lambda limit: altsets.what_if(quality, found, time_limit=limit)


def _verify(request: Request, more: dict[str, Any], costs: Any) -> Ask:
    quality, size, *_ = request
    found = altsets.find(quality, size, 2, 0.5, constraints=more["constraints"], time_limit=1)
    return lambda limit: altsets.verify(found, quality, second_opinion=True, time_limit=limit)


def _iterate(request: Request, more: dict[str, Any], costs: Any) -> Ask:
    quality, size, _, tau = request
    return lambda limit: next(iter(altsets.iterate(quality, size, tau=tau, **more, time_limit=limit)), None)


#: Makes what is timed, by the name of the verb; what it needs besides is searched for before.
VERBS: dict[str, Callable[[Request, dict[str, Any], Any], Ask]] = {
    "find": _find(),
    "together": _find(search="simultaneous"),
    "minimum": _find(search="simultaneous", aggregation="min"),
    "frontier": _frontier(search="sequential"),
    "frontier together": _frontier(search="simultaneous"),
    "penalty": _frontier(by="penalty"),
    "balance": _frontier(by="balance"),
    "against": _frontier(against=True),
    "near_best": _near_best,
    "range": _range,
    "what_if": _what_if,
    "verify": _verify,
    "largest tau": _largest("max", None),
    "largest number": _largest(None, "max"),
    "iterate": _iterate,
}
#: Those whose sets a greedy search may have as well.
GREEDY_TOO = ("find", "together", "minimum")


def _n_sets(answer: Any) -> int:
    """How many sets an answer has."""
    if isinstance(answer, altsets.Result):
        return len(answer.sets)
    if isinstance(answer, Frontier):
        return sum(len(point.result.sets) for point in answer)
    if isinstance(answer, WhatIf):
        return sum(loss.set is not None for loss in answer.losses)
    return int(answer is not None)


def _constraints(rng: np.random.Generator, n: int, size: int) -> Sequence[Constraint]:
    kind = rng.random()
    if kind < 0.2:
        return [Budget(rng.integers(1, 9, n), 5.0 * size)]
    if kind < 0.3:
        return [AtMost(2, range(20))]
    return [Size(2, size)] if kind < 0.4 else []


@cache
def _quality(kind: str, n: int) -> Quality:
    rng = np.random.default_rng(0)
    pairwise = {"mrmr": mrmr, "cfs": cfs, "fcbf": fcbf, "black box": black_box}
    if kind in pairwise:
        return pairwise[kind](n)()
    return Additive(rng.random(n) if kind == "additive" else rng.integers(0, 20, n))
