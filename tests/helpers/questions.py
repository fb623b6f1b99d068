"""Requests for sets that are good enough: random ones, and what is wrong with an answer by brute force."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from checks import Request, disagreements
from family_truth import DOUBTFUL, EQUAL, ROUNDING, InDoubt, asked
from random_requests import random_request

from altsets import Result, Status

#: Sets that brute force looks at.
MOST_SETS = 120


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
