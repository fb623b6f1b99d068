"""What the sections of a report claim, compared before anything is written: answers that disagree are refused.

Two answers are compared as far as they are about the same sets: the same features, sizes and constraints. They disagree
if one has a set that is better than another one proves possible, or than what another one calls the best; if one proves
that sets do not exist which another one has; or if they give the same set another quality.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from altsets.errors import InputError
from altsets.result import Result, Status
from altsets.search.frontier import Frontier
from altsets.search.known import ONE_SET, SEVERAL_SETS, agree, bound_on_best, by_shares, same_difference
from altsets.search.near_best import NearBest

#: Qualities that differ by less than this share of the largest number around are the same.
SAME = 1e-6


class Disagreement(InputError):
    """Two sections of a report cannot both be true."""


def _disagreement(former: str, latter: str, say: str, have: str) -> Disagreement:
    return Disagreement(
        f"{former} and {latter} disagree: the former {say}, and the latter have {have}; give answers to the same "
        "request."
    )


@dataclass(frozen=True)
class _Best:
    """What a section says about single sets: the best one that it has, what it calls the best, and what is proven."""

    section: str
    about: Mapping[str, Any]
    found: float
    #: nan if it calls nothing the best.
    called: float
    #: inf if nothing is proven, -inf if it is that there is no set.
    bound: float


def check_agreement(
    result: Result | None = None, frontier: Frontier | None = None, near: NearBest | None = None
) -> None:
    """Refuse answers that disagree on the best quality, on its proof, or on whether sets exist."""
    points = [] if frontier is None else [point.result for point in frontier]
    answers = [*([] if result is None else [result]), *points]
    numbers = [value for one in answers for value in (*one.qualities, *itertools.chain(*one.scores))]
    numbers += [] if near is None else [near.best]
    slack = SAME * max((abs(value) for value in numbers if math.isfinite(value)), default=0.0)
    _check_same_quality(result, frontier, near, slack)
    bests = [*_of_result(result), *_of_frontier(frontier), *_of_near(near)]
    for one, other in itertools.permutations(bests, 2):
        if agree(ONE_SET, one.about, other.about):
            _compare_bests(one, other, slack)
    if near is not None:
        _compare_count(near, answers, slack)
    if result is not None:
        for point in points:
            _compare_several(("the sets", result), ("the points of the frontier", point), slack)


def better_known(result: Result, frontier: Frontier | None, near: NearBest | None) -> float | None:
    """The quality of a set elsewhere in the report that beats an answer whose first set is not proven; None if none."""
    mine = _of_result(result)
    if not mine or math.isnan(mine[0].called):
        return None
    others = [
        other.found
        for other in (*_of_frontier(frontier), *_of_near(near))
        if agree(ONE_SET, mine[0].about, other.about) and not math.isnan(other.found)
    ]
    best = max(others, default=-math.inf)
    return best if best > mine[0].called + SAME * max(abs(best), abs(mine[0].called)) else None


# --- Single sets --------------------------------------------------------------------------------------------


def _of_result(result: Result | None) -> list[_Best]:
    if result is None:
        return []
    asked, found = result.parameters, max(result.qualities, default=math.nan)
    in_turn = len(result.statuses) == 1 or asked.get("search") != "simultaneous"
    called = found if in_turn and not asked.get("existing") else math.nan
    return [_Best("the sets", asked, found, called, bound_on_best(result))]


def _of_frontier(frontier: Frontier | None) -> list[_Best]:
    """One for each size."""
    made = []
    for size in frontier.sizes if frontier is not None else ():
        assert frontier is not None
        results = [point.result for point in frontier if point.n_features == size]
        found = max((value for result in results for value in result.qualities), default=math.nan)
        called = math.nan if frontier.parameters.get("existing") else found
        bound = min(map(bound_on_best, results))
        made.append(_Best("the points of the frontier", results[0].parameters, found, called, bound))
    return made


def _of_near(near: NearBest | None) -> list[_Best]:
    if near is None:
        return []
    none = math.isnan(near.best) and near.exact
    bound = -math.inf if none else near.best if near.best_proven else math.inf
    return [_Best("the near-best sets", near.parameters, near.best, near.best, bound)]


def _compare_bests(one: _Best, other: _Best, slack: float) -> None:
    """Refuse a set of one section that another one rules out or overlooks."""
    if one.found <= other.bound + slack or math.isnan(one.found):
        overlooked = other.section != "the sets" and one.found > other.called + slack
        if not overlooked:
            return
        say, have = f"call {other.called:.6g} the best quality", f"a set of {one.found:.6g}"
    elif other.bound == -math.inf:
        say, have = "prove that there is no set", f"one of quality {one.found:.6g}"
    else:
        say, have = f"prove that no set is better than {other.bound:.6g}", f"one of {one.found:.6g}"
    raise _disagreement(other.section, one.section, say, have)


def _check_same_quality(
    result: Result | None, frontier: Frontier | None, near: NearBest | None, slack: float
) -> None:
    """Refuse answers that give the same set different qualities."""
    known: dict[Any, tuple[str, float]] = {}
    for section, chosen, value in _qualities(result, frontier, near):
        first, expected = known.setdefault(chosen, (section, value))
        if abs(expected - value) > slack:
            raise Disagreement(
                f"{first} and {section} disagree: they give the same set the qualities {expected:.6g} and {value:.6g}; "
                "give answers with the same quality."
            )


def _qualities(
    result: Result | None, frontier: Frontier | None, near: NearBest | None
) -> Iterator[tuple[str, tuple[int, ...], float]]:
    if result is not None:
        yield from (("the sets", *pair) for pair in zip(result.sets, result.qualities, strict=True))
    for point in frontier or ():
        pairs = zip(point.result.sets, point.result.qualities, strict=True)
        yield from (("the points of the frontier", *pair) for pair in pairs)
    if near is not None and near.best_set is not None:
        yield "the near-best sets", near.best_set, near.best


def _compare_count(near: NearBest, answers: Sequence[Result], slack: float) -> None:
    """Refuse more near-best sets than there can be."""
    if math.isnan(near.best):
        return
    good = {
        chosen
        for result in answers
        if agree(ONE_SET, result.parameters, near.parameters)
        for chosen, value in zip(result.sets, result.qualities, strict=True)
        if value > near.threshold + slack
    }
    most = near.count_bounds[1]
    if len(good) > most:
        raise Disagreement(
            f"the near-best sets and the others disagree: there are at most {most:,} of quality {near.threshold:.6g} "
            f"or more, and {len(good):,} were found; give answers to the same request."
        )


# --- Several sets -------------------------------------------------------------------------------------------

#: A section, and an answer in it.
Said = tuple[str, Result]


def _compare_several(one: Said, other: Said, slack: float) -> None:
    """Refuse answers about sets that differ, one of which proves what the other one disproves."""
    first, second = by_shares(one[1]).parameters, by_shares(other[1]).parameters
    if not agree(SEVERAL_SETS, first, second):
        return
    compare = {"sequential": _compare_in_turn, "simultaneous": _compare_together}.get(first["search"])
    if compare is None:
        return
    if _no_harder(first, second):
        compare(one, other, slack)
    if _no_harder(second, first):
        compare(other, one, slack)


def _no_harder(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether sets that differ as much as the second one asks also differ as much as the first one asks."""
    if same_difference(first, second):
        return True
    tau, other = first.get("tau"), second.get("tau")
    return isinstance(tau, float) and isinstance(other, float) and tau <= other


def _compare_in_turn(easier: Said, harder: Said, slack: float) -> None:
    """Sets one after the other, as far as both answers have the same ones; then what one proves about the next."""
    (here, one), (there, other) = easier, harder
    for number, status in enumerate(one.statuses):
        if len(other.sets) <= number or one.sets[:number] != other.sets[:number]:
            return
        value = other.qualities[number]
        if status is Status.INFEASIBLE:
            raise _missing(here, there, number + 1)
        if status is Status.OPTIMAL and value > one.qualities[number] + slack:
            raise _too_good(here, there, one.qualities[number], value)


def _compare_together(easier: Said, harder: Said, slack: float) -> None:
    (here, one), (there, other) = easier, harder
    if len(other.sets) < len(other.statuses) or len(other.statuses) < len(one.statuses):
        return
    if one.status is Status.INFEASIBLE:
        raise _missing(here, there, len(one.statuses))
    # Of more sets, the best ones come first.
    values = other.qualities[: len(one.statuses)]
    value = min(values) if one.parameters["aggregation"] in ("min", "leximin") else math.fsum(values)
    if value > one.bound + len(values) * slack:
        raise _too_good(here, there, one.bound, value)


def _missing(here: str, there: str, count: int) -> Disagreement:
    return _disagreement(here, there, f"prove that there are no {count} sets that differ enough", "them")


def _too_good(here: str, there: str, most: float, value: float) -> Disagreement:
    say = f"prove that no sets that differ enough are better than {most:.6g}"
    return _disagreement(here, there, say, f"some of {value:.6g}")
