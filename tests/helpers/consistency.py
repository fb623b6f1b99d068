"""What the sections of a report claim, compared: two answers about the same sets must not contradict each other.

They do if one has a set that is better than another one proves possible, or than what another one calls the best; if
one proves that sets do not exist which another one has; or if they give the same set another quality.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from altsets.result import Frontier, NearBest, Result, Status
from altsets.search.known import ONE_SET, SEVERAL_SETS, agree, bound_on_best, by_shares, same_difference

#: Qualities that differ by less than this share of the largest number around are the same.
SAME = 1e-6
SETS, POINTS, NEAR = "the sets", "the points of the frontier", "the near-best sets"


@dataclass(frozen=True)
class Best:
    """What a section says about single sets: the best one that it has, what it calls the best, and what is proven."""

    section: str
    about: Mapping[str, Any]
    found: float
    #: nan if it calls nothing the best.
    called: float
    #: inf if nothing is proven, -inf if it is that there is no set.
    bound: float


def contradictions(
    result: Result | None = None, frontier: Frontier | None = None, near: NearBest | None = None
) -> list[str]:
    """Where answers disagree on the best quality, on its proof, or on whether sets exist."""
    points = [] if frontier is None or frontier.by != "tau" else [point.result for point in frontier]
    answers = [*([] if result is None else [result]), *points]
    numbers = [value for one in answers for value in (*one.qualities, *itertools.chain(*one.scores))]
    numbers += [] if near is None else [near.best]
    slack = SAME * max((abs(value) for value in numbers if math.isfinite(value)), default=0.0)
    found = [*_same_sets(result, points, near, slack)]
    bests = [*_of_result(result), *_of_points(points), *_of_near(near)]
    for one, other in itertools.permutations(bests, 2):
        if agree(ONE_SET, one.about, other.about):
            found += _compare_bests(one, other, slack)
    if near is not None:
        found += _compare_count(near, answers, slack)
    if result is not None:
        for point in points:
            found += _compare_several((SETS, result), (POINTS, point), slack)
    return found


def _of_result(result: Result | None) -> Iterator[Best]:
    if result is not None:
        asked, found = result.parameters, max(result.qualities, default=math.nan)
        in_turn = len(result.statuses) == 1 or asked.get("search") != "simultaneous"
        called = found if in_turn and not asked.get("existing") else math.nan
        yield Best(SETS, asked, found, called, bound_on_best(result))


def _of_points(points: Sequence[Result]) -> Iterator[Best]:
    """One for each size."""
    for sizes in {tuple(point.parameters["sizes"]): None for point in points}:
        results = [point for point in points if tuple(point.parameters["sizes"]) == sizes]
        found = max((value for result in results for value in result.qualities), default=math.nan)
        called = math.nan if results[0].parameters.get("existing") else found
        yield Best(POINTS, results[0].parameters, found, called, min(map(bound_on_best, results)))


def _of_near(near: NearBest | None) -> Iterator[Best]:
    if near is not None:
        none = math.isnan(near.best) and near.exact
        bound = -math.inf if none else near.best if near.best_proven else math.inf
        yield Best(NEAR, near.parameters, near.best, near.best, bound)


def _compare_bests(one: Best, other: Best, slack: float) -> Iterator[str]:
    """A set of one section that another one rules out or overlooks."""
    if one.found > other.bound + slack:
        proven = "there is no set" if other.bound == -math.inf else f"no set is better than {other.bound:.6g}"
        yield f"{other.section} prove that {proven}, and {one.section} have one of {one.found:.6g}"
    elif other.section != SETS and one.found > other.called + slack:
        yield f"{other.section} call {other.called:.6g} the best, and {one.section} have a set of {one.found:.6g}"


def _same_sets(
    result: Result | None, points: Sequence[Result], near: NearBest | None, slack: float
) -> Iterator[str]:
    """The same set with different qualities."""
    said = (
        [] if result is None else [(SETS, *pair) for pair in zip(result.sets, result.qualities, strict=True)]
    )
    said += [(POINTS, *pair) for one in points for pair in zip(one.sets, one.qualities, strict=True)]
    said += [] if near is None or near.best_set is None else [(NEAR, near.best_set, near.best)]
    known: dict[Any, tuple[str, float]] = {}
    for section, chosen, value in said:
        first, expected = known.setdefault(chosen, (section, value))
        if abs(expected - value) > slack:
            yield f"{first} and {section} give the same set the qualities {expected:.6g} and {value:.6g}"


def _compare_count(near: NearBest, answers: Sequence[Result], slack: float) -> Iterator[str]:
    """More near-best sets than there can be."""
    good = {
        chosen
        for result in answers
        if agree(ONE_SET, result.parameters, near.parameters)
        for chosen, value in zip(result.sets, result.qualities, strict=True)
        if value > near.threshold + slack
    }
    most = near.count_bounds[1]
    if len(good) > most and not math.isnan(near.best):
        yield f"at most {most:,} sets have a quality of {near.threshold:.6g} or more, and {len(good):,} were found"


#: A section, and an answer in it.
Said = tuple[str, Result]


def _compare_several(one: Said, other: Said, slack: float) -> Iterator[str]:
    """Sets that differ, of which one answer proves what the other one disproves."""
    first, second = by_shares(one[1]).parameters, by_shares(other[1]).parameters
    compare = {"sequential": _compare_in_turn, "simultaneous": _compare_together}.get(first["search"])
    if compare is None or not agree(SEVERAL_SETS, first, second):
        return
    if _no_harder(first, second):
        yield from compare(one, other, slack)
    if _no_harder(second, first):
        yield from compare(other, one, slack)


def _no_harder(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether sets that differ as much as the second one asks also differ as much as the first one asks."""
    tau, other = first.get("tau"), second.get("tau")
    by_tau = isinstance(tau, float) and isinstance(other, float) and tau <= other
    return by_tau or same_difference(first, second)


def _compare_in_turn(easier: Said, harder: Said, slack: float) -> Iterator[str]:
    """Sets one after the other, as far as both answers have the same ones; then what one proves about the next."""
    (here, one), (there, other) = easier, harder
    for number, status in enumerate(one.statuses):
        if len(other.sets) <= number or one.sets[:number] != other.sets[:number]:
            return
        if status is Status.INFEASIBLE:
            yield _missing(here, there, number + 1)
            return
        if status is Status.OPTIMAL and other.qualities[number] > one.qualities[number] + slack:
            yield _too_good(here, there, one.qualities[number], other.qualities[number])


def _compare_together(easier: Said, harder: Said, slack: float) -> Iterator[str]:
    (here, one), (there, other) = easier, harder
    if len(other.sets) < len(other.statuses) or len(other.statuses) < len(one.statuses):
        return
    # Of more sets, the best ones come first.
    values = other.qualities[: len(one.statuses)]
    value = min(values) if one.parameters["aggregation"] in ("min", "leximin") else math.fsum(values)
    if one.status is Status.INFEASIBLE:
        yield _missing(here, there, len(one.statuses))
    elif value > one.bound + len(values) * slack:
        yield _too_good(here, there, one.bound, value)


def _missing(here: str, there: str, count: int) -> str:
    return f"{here} prove that there are no {count} sets that differ enough, and {there} have them"


def _too_good(here: str, there: str, most: float, value: float) -> str:
    say = f"prove that no sets that differ enough are better than {most:.6g}"
    return f"{here} {say}, and {there} have some of {value:.6g}"
