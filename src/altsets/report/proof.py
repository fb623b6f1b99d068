"""What was proven about sets, in words for readers who know their subject and not the mathematics behind it."""

from __future__ import annotations

import math

from altsets.report.request import sizes_of
from altsets.result import Result, Status, StopReason

__all__ = ["certainty"]

#: Why a search ended before its end.
CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit ended the search; a longer one may prove more.",
    StopReason.INTERRUPTED: "The search was interrupted; left alone, it may prove more.",
    StopReason.ENGINE_LIMIT: "The search gave up by itself.",
}

NOT_BY_CHANCE = "This is proven: every other choice was ruled out by calculation, not by trying some of them"


def certainty(result: Result) -> str:
    """How sure it is that there are no better sets.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7])
    >>> print(certainty(altsets.find(scores, n_features=2, n_alternatives=0)))
    No other choice of 2 features scores higher. This is proven: every other choice was ruled out by calculation,
    not by trying some of them (method: Lagrangian branch and bound).
    """
    found, asked = len(result.sets), len(result.statuses)
    if result.finding:
        return _join(
            f"{_sentence(result.finding)}",
            _ended(result),
            "" if result.status is Status.OPTIMAL else _how(result),
        )
    if found < asked:
        return _about_missing(result, found, asked)
    if result.status is Status.OPTIMAL:
        return f"{_best(result)} {_why_certain(result)}."
    return _about_unproven(result)


def _best(result: Result) -> str:
    """What no other sets can do."""
    n_sets, kind = len(result.sets), f"of {sizes_of(result)}"
    if n_sets == 1:
        return f"No other choice {kind} scores higher{' and meets all conditions' if _under(result) else ''}."
    if _is_sequential(result):
        return (
            f"Set 0 is the best of all sets {kind}{_under(result)}. Each later set is the best of those that differ "
            "enough from the sets before it."
        )
    which = "that meet all conditions and differ this much" if _under(result) else "that differ this much"
    what = (
        "a better weakest set" if result.parameters.get("aggregation") == "min" else "a higher total quality"
    )
    return f"No {n_sets} sets {kind} {which} have {what}."


def _why_certain(result: Result) -> str:
    if result.engine == "exhaustive":
        return "This is proven: every possible set was tried"
    return f"{NOT_BY_CHANCE} (method: {result.proof})" if result.proof else NOT_BY_CHANCE


def _about_unproven(result: Result) -> str:
    they = "The set is valid" if len(result.sets) == 1 else "The sets are valid"
    if math.isinf(result.bound):
        return _join(f"{they}, but nothing is proven: better ones may exist.", _how(result), _ended(result))
    proven = sum(status is Status.OPTIMAL for status in result.statuses)
    some = ""
    if proven:
        some = f"{proven} of {len(result.statuses)} are proven to be the best, given the sets before them."
    return _join(f"{they}, but not proven to be the best.", some, _distance(result), _ended(result))


def _distance(result: Result) -> str:
    """How much better others could be."""
    what = "the best possible" if len(result.sets) == 1 else "the best possible sets together"
    weakest = result.parameters.get("aggregation") == "min" and not _is_sequential(result)
    what = "the weakest set of the best possible ones" if weakest and len(result.sets) > 1 else what
    if result.objective > 0:
        share = result.gap / result.objective
        percent = f"{100 * share:.2g} %" if share < 10 else f"{share:.2g} times"
        return f"What is proven: {what} can be better by at most {percent} ({result.gap:.3g})."
    return f"What is proven: {what} can be better by at most {result.gap:.3g}."


def _how(result: Result) -> str:
    """How sets were found that nothing is proven about."""
    search = str(result.parameters.get("search", ""))
    if search.startswith("greedy-"):
        return (
            f"They were built by a quick rule of thumb ({search}); search sequential or simultaneous proves how good "
            "sets are."
        )
    if result.evaluated:
        return f"They are the best of {result.evaluated:,} sets that were tried; there are many more."
    return ""


def _about_missing(result: Result, found: int, asked: int) -> str:
    if result.status is Status.INFEASIBLE:
        none = f"No {asked} such sets exist" if asked > 1 else "No such set exists"
        more = f"{found} of {asked} sets were found, and no further one exists that differs enough from them"
        return _join(
            f"{more if found else none}. This is proven, not a matter of searching longer.",
            result.reason,
        )
    some = f"Only {found} of {asked} sets were found" if found else "No set was found"
    maybe = (
        "which does not mean that there are no more" if found else "which does not mean that there is none"
    )
    return _join(f"{some}, {maybe}: nothing is proven.", _ended(result), result.reason)


def _ended(result: Result) -> str:
    return CUT_SHORT.get(result.stop_reason, "")


def _under(result: Result) -> str:
    conditions = [
        entry for entry in result.parameters.get("constraints") or () if entry.get("kind") != "size"
    ]
    return " that meet all conditions" if conditions else ""


def _is_sequential(result: Result) -> bool:
    return bool(result.parameters.get("search") == "sequential")


def _sentence(text: str) -> str:
    said = text[0].upper() + text[1:]
    return said if said.endswith(".") else f"{said}."


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
