"""What must hold for the answers of every verb, whenever time ends: claims, bounds, scores, and JSON that comes back.

Each check takes a request, a time limit and an engine, and returns a line for everything that is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
from checks import PROVEN, Request, disagreements
from family_truth import options_without
from near_sets import NearRequest
from questions import find_largest, random_largest, wrong_largest

import altsets
from altsets import Result
from altsets.results import Frontier

#: Points of a frontier that brute force is asked about.
MOST_POINTS = 6

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
    more = {"time_limit": limit, "engine": engine}
    taus = None if rng.random() < 0.5 else [0, Fraction(1, 3), 0.5, 1]
    asked = {"n_features": request.n_features, "n_alternatives": counts, "tau": taus}
    shown = request.snippet("options = dict({}); print(altsets.frontier(good, **options))",
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
    names = ("kind", "scores", "matrix", "scale", "min_relevance")
    numbers = {name: getattr(request, name) for name in names}
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


def check_largest(request: Request, limit: float, engine: str, rng: np.random.Generator) -> Findings:
    """The largest tau or number of sets, or a bound on it, of a request of its own."""
    request = random_largest(rng)
    more = {"time_limit": limit, "engine": engine}
    plain = replace(request, tau=None, n_alternatives=0)
    shown = plain.snippet(tau=request.tau, n_alternatives=request.n_alternatives, **more)
    return shown, wrong_largest(request, find_largest(request, **more))


CHECKS: dict[str, Check] = {
    "iterate": check_iterate,
    "frontier": check_frontier,
    "near_best": check_near_best,
    "largest": check_largest,
}
