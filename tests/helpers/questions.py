"""Requests for sets that are good enough: random ones, and what is wrong with an answer by brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from checks import PROVEN, Request, disagreements
from family_truth import DOUBTFUL, EQUAL, ROUNDING, InDoubt, all_taus, asked, largest_number, largest_tau
from oracle import all_sets
from random_requests import random_request

import altsets
from altsets import Result, Status

#: Sets that brute force looks at.
MOST_SETS, MOST_SETS_TOGETHER, MOST_SETS_MATCHED = 120, 40, 15
#: Features of sets that brute force matches in every way.
MOST_MATCHED = 5
#: Families of more sets are too many for brute force.
FEW_TOGETHER = 4


def random_question(rng: np.random.Generator) -> Request:
    """A small request with a limit on qualities; in doubt if there is no set, or a quality is close to the limit."""
    request = random_request(rng)
    if rng.random() < 0.1 and request.exact and request.kind != "fcbf":
        request = replace(request, boxed=True)
        if not Fraction(1, 100) < request.oracle.scale < 100:
            # What is equal for a black box does not depend on the size of its numbers.
            raise InDoubt
        if request.search == "simultaneous":
            request = replace(request, search="sequential")
    every = replace(request, existing=()).oracle
    if not 0 < len(every.usable[0]) <= MOST_SETS:
        raise InDoubt
    keywords, needed = asked(rng, request)
    doubtful = needed - DOUBTFUL * every.scale, needed - ROUNDING * abs(needed)
    if any(doubtful[0] < value * every.whole.unit < doubtful[1] for value in every.usable[1]):
        raise InDoubt
    least = needed - max(2 * EQUAL * every.scale, 2 * ROUNDING * abs(needed))
    return replace(request, **keywords, least=least)


def wrong_answer(request: Request, result: Result) -> list[str]:
    """Everything that is wrong with an answer; if another best set was found, only what does not depend on it."""
    assert request.least is not None
    every = replace(request, existing=(), least=None).oracle
    needed = result.parameters.get("quality_needed", request.min_quality)
    best = every.next_best()
    assert best is not None
    exact = (
        float(best - Fraction(request.within) * abs(best))
        if request.within is not None
        else request.min_quality
    )
    slack = float(2 * EQUAL * every.scale)
    if needed is not None and math.isclose(needed, exact or 0.0, rel_tol=1e-12, abs_tol=slack):
        return disagreements(request, result, request.oracle)
    wrong = replace(request, least=None).oracle.complaints(result.sets)
    if Status.OPTIMAL in result.statuses:
        wrong.append(
            f"{result.statuses}, and the best set found is not the best one: {needed} instead of {exact}"
        )
    if needed is not None and result.sets and min(result.qualities) < needed - slack:
        wrong.append(f"{result.qualities} are not all as good as {needed}")
    return wrong


def random_largest(rng: np.random.Generator) -> Request:
    """A small request for the largest tau, or for as many sets as there are."""
    request = random_question(rng)
    most = MOST_SETS_MATCHED if request.likeness else MOST_SETS_TOGETHER
    if not request.exact or request.boxed or len(request.oracle.usable[0]) > most:
        raise InDoubt
    if request.likeness and request.oracle.k_max > MOST_MATCHED:
        raise InDoubt
    few = min(request.n_alternatives, 3)
    if rng.random() < 0.5:
        return replace(request, tau="max", min_difference=None, n_alternatives=few)
    tau = Fraction(int(rng.integers(0, 7)), 6)
    if rng.random() < 0.3 and not (tau == 0 and request.own):
        request = replace(request, within=None, min_quality=None, least=None)
    return replace(request, tau=tau, min_difference=None, n_alternatives="max")


def find_largest(request: Request, **more: Any) -> Result:
    """The answer to it."""
    options = {**replace(request, tau=None, n_alternatives=0).options, "tau": request.tau}
    return altsets.find(request.quality, **{**options, "n_alternatives": request.n_alternatives, **more})


def wrong_largest(request: Request, result: Result) -> list[str]:
    """Everything that is wrong with the answer to a random request for the largest tau or number."""
    if result.request is None or Result.from_json(result.to_json()) != result:
        return ["JSON gives back another result"]
    slack = 1.001e-3 if request.own or request.likeness[1:] == (None,) else 1e-9
    judge = _wrong_tau if request.tau == "max" else _wrong_number
    return judge(request, result, slack)


def _wrong_tau(request: Request, result: Result, slack: float) -> list[str]:
    request = replace(request, tau=0)
    if not result.sets:
        return [] if result.status is Status.NOT_FOUND else [f"no sets, but {result.status!r}"]
    if request.search == "sequential":
        return _wrong_taus_in_turn(request, result, slack)
    wrong = []
    at = replace(request, tau=max((result.tau or 0) - 1e-12, 0.0))
    wrong += disagreements(at, result, at.oracle)
    if result.tau is None or result.tau_bound is None:
        return wrong + ([] if request.n_alternatives == 0 and not request.existing else ["no tau"])
    truth = float(largest_tau(replace(request, aggregation="min"), request.least))
    if result.tau_bound < truth - slack:
        wrong.append(f"tau_bound {result.tau_bound} is below {truth}")
    proven = result.status is Status.OPTIMAL or result.tau_bound == result.tau
    if proven and abs(result.tau - truth) > slack:
        wrong.append(f"tau {result.tau} is said to be the largest; it is {truth}")
    return wrong


def _wrong_taus_in_turn(request: Request, result: Result, slack: float) -> list[str]:
    wrong, least_truth, room = [], math.inf, Fraction(0)
    least = request.least or 0
    if result.sets and result.statuses[0] is not Status.OPTIMAL and "quality_needed" in result.parameters:
        # Within a share of the best set that was found, as long as none is proven to be the best of all.
        least = min(least, Fraction(result.parameters["quality_needed"]))
    for number, chosen in enumerate(result.sets):
        before = (*request.existing, *result.sets[:number])
        one = replace(request, n_alternatives=0, existing=before, aggregation="min")
        tau = 0.0
        if before:
            truth = float(largest_tau(one, request.least))
            tau = max(
                value
                for value in [0.0, *map(float, all_taus(one))]
                if all(
                    replace(one, tau=max(value - 1e-12, 0.0)).oracle.compatible(chosen, other)
                    for other in before
                )
            )
            least_truth = min(least_truth, truth)
            if result.statuses[number] is Status.OPTIMAL and tau < truth - slack:
                wrong.append(f"set {number} differs by {tau}; {truth} is possible")
        best = replace(one, tau=max(tau - 1e-12, 0.0)).oracle.next_best()
        assert best is not None
        room += best
        value = one.oracle.exact(chosen)
        if result.statuses[number] is Status.OPTIMAL and value < best - PROVEN * one.oracle.scale:
            wrong.append(f"set {number} has {float(value)}; {float(best)} is possible at tau = {tau}")
        if value < least:
            wrong.append(f"set {number} has {float(value)}; {float(least)} is needed")
    if result.bound < room - PROVEN * request.oracle.scale * len(result.sets):
        wrong.append(f"bound {result.bound} is below {float(room)}")
    complete = result.status is not Status.NOT_FOUND
    if complete and result.tau_bound is not None and result.tau_bound < least_truth - slack:
        wrong.append(f"tau_bound {result.tau_bound} is below {least_truth}")
    return wrong


def _wrong_number(request: Request, result: Result, slack: float) -> list[str]:
    if not result.sets:
        oracle = replace(request, n_alternatives=0).oracle
        known = set(request.existing) if request.tau == 0 else set()
        sets = [all_sets(oracle.n, oracle.k_min, oracle.k_max)[0][row] for row in oracle.usable[0]]
        if result.status is Status.INFEASIBLE and set(sets) - known:
            return [f"infeasible, but there is {sets[0]}"]
        return []
    wrong = [] if len(set(result.sets)) == len(result.sets) else [f"a set comes twice: {result.sets}"]
    if len(result.statuses) != len(result.sets):
        wrong.append(f"{len(result.sets)} sets with {len(result.statuses)} statuses")
    found = replace(request, n_alternatives=len(result.sets) - 1)
    few = request.search == "sequential" or len(result.sets) <= FEW_TOGETHER
    if request.tau and not request.own and few:
        wrong += disagreements(found, result, found.oracle)
    else:
        wrong += found.oracle.complaints(result.sets)
    if request.search == "sequential":
        done = result.status is Status.OPTIMAL and result.stop_reason == "finished"
        nothing_left = done and request.tau and not request.own
        if nothing_left and found.oracle.next_best(result.sets) is not None:
            wrong.append(f"another set exists after {result.sets}")
        return wrong
    needed = Fraction(-(10**300)) if request.least is None else request.least
    truth = largest_number(replace(request, n_alternatives=0), needed)
    if result.n_sets_bound is None or result.n_sets_bound < truth:
        wrong.append(f"n_sets_bound {result.n_sets_bound} is below {truth}")
    if (result.status is Status.OPTIMAL or result.n_sets_bound == len(result.sets)) and len(
        result.sets
    ) != truth:
        wrong.append(f"{len(result.sets)} sets are said to be the most; there are {truth}")
    return wrong
