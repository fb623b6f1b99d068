"""What must hold for the answers of every verb, whenever time ends: claims, bounds, scores, and JSON that comes back.

Each check takes a request, a time limit and an engine, and returns a line for everything that is wrong.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from checks import PROVEN, Request, disagreements
from family_truth import EQUAL, InDoubt, asked, largest_number, largest_tau, options_without
from near_sets import NearRequest

import altsets
from altsets import Frontier, Result, Status

#: Points of a frontier, and sets of a request, that brute force is asked about.
MOST_POINTS, MOST_SETS = 6, 60

#: What a check returns: the call that shows it again, and what is wrong.
Findings = tuple[str, list[str]]
Check = Callable[[Request, float, str, np.random.Generator], Findings]


def round_trip(result: Result) -> list[str]:
    """JSON gives back what was written."""
    text = result.to_json()
    back = Result.from_json(text)
    same = back == result and back.to_json() == text and back.bound == result.bound
    return [] if same else [f"JSON gives back {back}"]


def check_iterate(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """Each set against brute force, given those before it."""
    request = replace(request, search="sequential", n_alternatives=min(request.n_alternatives, 3))
    wrong: list[str] = []
    existing = request.existing
    options = options_without(request, "search", "existing", "n_alternatives")
    more = {"n_alternatives": request.n_alternatives, "time_limit": limit, "engine": engine}
    for found in altsets.iterate(request.quality, existing=existing, **options, **more):
        one = replace(request, existing=existing, n_alternatives=0)
        wrong += disagreements(one, found, one.oracle) + round_trip(found)
        existing += tuple(found.sets)
    shown = replace(request, search="sequential")
    return shown.snippet("print(*altsets.iterate(good, {}), sep='\\n')", **more), wrong


def check_frontier(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """Some points against brute force."""
    if request.min_difference is not None:
        request = replace(request, min_difference=None, tau=0)
    counts = sorted({request.n_alternatives, max(request.n_alternatives - 1, 0)})
    options = options_without(request, "tau", "n_alternatives", "n_features")
    if request.boxed:
        options["max_iters"] = 500
    more = {"time_limit": limit, "engine": engine}
    taus = None if rng.random() < 0.5 else [0, Fraction(1, 3), 0.5, 1]
    asked = {"n_features": request.n_features, "n_alternatives": counts, "taus": taus}
    shown = request.snippet("options = dict({}); options.pop('tau', None); print(altsets.frontier(good, **options))",
                            **asked, **more)  # fmt: skip
    found = altsets.frontier(request.quality, **asked, **options, **more)
    text = found.to_json()
    wrong = [] if Frontier.from_json(text).to_json() == text else ["JSON gives back another frontier"]
    for place in rng.permutation(len(found.points))[:MOST_POINTS]:
        point = found.points[place]
        own = replace(request, n_alternatives=point.n_alternatives, tau=point.tau)
        said = disagreements(own, point.result, own.oracle)
        wrong += [f"tau = {point.tau}, {point.n_alternatives} alternatives: {line}" for line in said]
    return shown, wrong


def check_near_best(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """The count lies between its bounds; what is listed counts if the best set is the best."""
    numbers: dict[str, Any] = {"kind": request.kind, "scores": request.scores}
    if request.kind != "additive":
        numbers["matrix"] = request.matrix
    if request.kind == "fcbf":
        numbers |= {"scale": request.scale, "min_relevance": request.min_relevance}
    within = float(rng.choice([0.0, 1e-10, 0.01, 0.1, 0.3, 1.0]))
    near_request = NearRequest(numbers, request.n_features, request.constraints, within)
    plain = replace(request, existing=(), tau=None, min_difference=None, n_alternatives=0, likeness=(),
                    dissimilarity="dice")  # fmt: skip
    more = {"within": within, "time_limit": limit}
    shown = plain.snippet(
        "options = dict({})\n"
        "for name in ('n_alternatives', 'dissimilarity', 'search', 'aggregation', 'existing'): del options[name]\n"
        "print(altsets.near_best(good, **options).explain())",
        **more,
    )
    near = altsets.near_best(near_request.quality, **near_request.options, **more)
    truth = near_request.truth()
    low, high = near.count_bounds
    wrong = []
    if not low <= len(truth.sets) <= high:
        wrong.append(f"there are {len(truth.sets)} sets, not {low} to {high}")
    if near.exact != (low == high):
        wrong.append(f"exact is {near.exact}, but the count is {low} to {high}")
    if near.stop_reason == "finished" and not near.exact:
        wrong.append(f"not exact on a small problem: {low} to {high}")
    if near.best_set is not None and near.best != truth.values.get(near.best_set):
        wrong.append(f"the best set {near.best_set} has {truth.values.get(near.best_set)}, not {near.best}")
    # As everywhere, what is proven is proven to 1e-9 of the scale.
    if near.exact and truth.sets and near.best < truth.best - float(PROVEN * request.oracle.scale):
        wrong.append(f"exact, and the best has {near.best}; one of {truth.best} exists")
    if near.best == truth.best and not set(near) <= set(truth.sets):
        wrong.append(f"{sorted(set(near) - set(truth.sets))} are listed and do not count")
    near.explain()
    json.loads(near.to_json())
    assert len(near.frequencies) == len(request.scores)
    return shown, wrong


def check_most_different(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """The largest tau, or a bound on it."""
    request = _family_request(request)
    keywords, needed = asked(rng, request)
    by = "sum" if request.aggregation == "sum" else "every"
    options = options_without(request, "tau", "search", "aggregation")
    more = {**keywords, "by": by, "time_limit": limit, "engine": engine}
    result = altsets.most_different(request.quality, **options, **more)
    tau = largest_tau(request, needed)
    # Where tau is found to 0.001, a proof is one of that.
    slack = 1.001e-3 if request.own or request.likeness[1:] == (None,) else 1e-9
    wrong = _family_claims(request, result, needed, keywords, None if tau is None else float(tau), slack)
    if result.sets and result.tau is not None:
        wrong += replace(request, tau=max(result.tau - 1e-12, 0.0)).oracle.complaints(result.sets)
    if result.sets and len(result.sets) != request.n_alternatives + 1:
        wrong.append(f"{len(result.sets)} sets")
    return _family_snippet(request, "most_different", ("tau", "search", "aggregation"), more), wrong


def check_most_sets(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """The largest number of sets, or a bound on it."""
    request = replace(_family_request(request), tau=Fraction(int(rng.integers(0, 7)), 6))
    keywords, needed = asked(rng, request)
    options = options_without(request, "search", "aggregation", "n_alternatives")
    more = {**keywords, "time_limit": limit, "engine": engine}
    result = altsets.most_sets(request.quality, **options, **more)
    number = largest_number(request, needed)
    wrong = _family_claims(request, result, needed, keywords, float(number) if number else None, 1e-9)
    wrong += request.oracle.complaints(result.sets) if request.tau else []
    if len(set(result.sets)) != len(result.sets):
        wrong.append(f"a set comes twice: {result.sets}")
    if result.sets and result.objective != len(result.sets):
        wrong.append(f"{len(result.sets)} sets, but objective {result.objective}")
    return _family_snippet(request, "most_sets", ("search", "aggregation", "n_alternatives"), more), wrong


def _family_request(request: Request) -> Request:
    """A request without a limit, for few sets; in doubt if there is no set, or there are too many for brute force."""
    if request.boxed and not Fraction(1, 100) < request.oracle.scale < 100:
        # What is equal for a black box does not depend on the size of its numbers.
        raise InDoubt
    few = min(request.n_alternatives, 3)
    request = replace(request, search="simultaneous", tau=0, min_difference=None, n_alternatives=few)
    if not 0 < len(replace(request, existing=()).oracle.usable[0]) <= MOST_SETS:
        raise InDoubt
    return request


def _family_claims(
    request: Request,
    result: Result,
    needed: Fraction,
    keywords: dict[str, Any],
    truth: float | None,
    slack: float,
) -> list[str]:
    """What is claimed about the largest value there is, which is ``truth``; None if no set is good enough."""
    wrong = round_trip(result)
    best, scale = replace(request, existing=()).oracle.next_best(), request.oracle.scale
    assert best is not None
    if result.status is Status.INFEASIBLE and truth is not None:
        wrong.append(f"infeasible, but {truth} is possible")
    if truth is not None and result.bound < truth - slack:
        wrong.append(f"bound {result.bound} is below {truth}")
    if result.status is Status.OPTIMAL and (truth is None or abs(result.objective - truth) > slack):
        wrong.append(f"{result.objective} is said to be the largest; it is {truth}")
    done = result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    if not done and result.stop_reason not in ("time_limit", "engine_limit") and not request.boxed:
        wrong.append(f"{result.status!r}, and the search ended because of {result.stop_reason!r}")
    # What counts as good follows from the best set that was found, as long as it is not said to be the best there is.
    proven = re.search(r"the best possible quality \((.*?)\)", result.finding)
    if proven and not math.isclose(
        float(proven[1]), float(best), rel_tol=1e-5, abs_tol=float(PROVEN * scale)
    ):
        wrong.append(f"{float(best)} is possible: {result.finding}")
    if result.sets and (proven or "min_quality" in keywords):
        qualities = [request.oracle.exact(chosen) for chosen in result.sets]
        mean = result.parameters.get("goal") == "tau" and request.aggregation == "sum"
        reached = sum(qualities, Fraction(0)) / len(qualities) if mean else min(qualities)
        if reached < needed - 2 * EQUAL * scale:
            wrong.append(f"a set has {float(reached)}, and {float(needed)} is needed")
    return wrong


def _family_snippet(request: Request, verb: str, without: tuple[str, ...], more: dict[str, Any]) -> str:
    left_out = f"options = dict({{}})\nfor name in {without}: options.pop(name, None)"
    return request.snippet(f"{left_out}\nprint(altsets.{verb}(good, **options))", **more)


CHECKS: dict[str, Check] = {
    "iterate": check_iterate,
    "frontier": check_frontier,
    "near_best": check_near_best,
    "most_different": check_most_different,
    "most_sets": check_most_sets,
}
