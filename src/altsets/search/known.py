"""What an earlier answer proves about a request, as a warm start for searches that ask more about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altsets.errors import InputError
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.result import Result, Status
from altsets.search.run import NOTHING, Known

#: The parameters that say which single sets are allowed, and those that say which several of them.
ONE_SET = ("n_features_in", "sizes", "constraints")
SEVERAL_SETS = (*ONE_SET, "dissimilarity", "search", "aggregation", "existing")


def agree(names: Sequence[str], first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two requests say the same, and say it at all."""
    return all(name in first and name in second and first[name] == second[name] for name in names)


def same_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two requests for sets that differ ask for the same difference, however they say it."""
    if first.get("tau") is not None and agree(("tau", "dissimilarity"), first, second):
        return True
    # Existing sets may be of another size, and then have limits of their own.
    by_overlap = not first.get("existing") and isinstance(first.get("dissimilarity"), str)
    limits = first.get("max_overlap"), second.get("max_overlap")
    return by_overlap and None not in limits and limits[0] == limits[1]


def by_shares(result: Result) -> Result:
    """The same answer without a number of features as its tau, which curves over tau do not have."""
    if result.parameters.get("dissimilarity") != "absolute":
        return result
    return replace(result, parameters={**result.parameters, "tau": None, "dissimilarity": "dice"})


def is_about_one(result: Result) -> bool:
    """Whether the first set of an answer stands for itself: it was searched for alone, and before all others."""
    alone = len(result.statuses) == 1 or result.parameters.get("search") == "sequential"
    return alone and not result.parameters.get("existing")


def bound_on_best(result: Result) -> float:
    """A quality that no single set exceeds, by the proof of an answer: inf without one, -inf if there is no set."""
    if not is_about_one(result):
        return math.inf
    if not result.sets:
        limited = any(name in result.parameters for name in ("min_quality", "within"))
        return -math.inf if result.status is Status.INFEASIBLE and not limited else math.inf
    if result.statuses[0] is Status.OPTIMAL:
        return result.qualities[0]
    # The bound on a sequential answer is the sum of those on its sets, none of which is below the quality found.
    return max(result.bound - math.fsum(result.qualities[1:]), result.qualities[0])


def check_known(result: Result, quality: Quality, problem: Problem) -> None:
    """Refuse an answer to another request, or with another quality."""
    same = agree(ONE_SET, result.parameters, problem.parameters())
    if not same or not all(
        quality.evaluate(chosen) == value for chosen, value in zip(result.sets, result.qualities, strict=True)
    ):
        raise InputError("the sets that are known are about another request; give the answer to this one.")


def known_best(result: Result | None, quality: Quality, problem: Problem) -> Known:
    """What an earlier answer says about the best single set, whatever it has to differ from."""
    if result is None or not result.sets or not quality.has_form:
        return NOTHING
    check_known(result, quality, problem)
    best = max(range(len(result.sets)), key=result.qualities.__getitem__)
    return Known(
        [result.sets[best]], bound_on_best(result), "it follows from the sets that were found before"
    )
