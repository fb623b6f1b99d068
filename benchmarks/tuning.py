"""Limits chosen anew: on one half of the searches on other data, and reported on the other half.

Each limit of the simultaneous search is made three times smaller and larger in turn. What gains on the first half is
taken together, and the second half, on which nothing was chosen, says what that is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.report import Section, share, table
from benchmarks.searches import Measured, Scores, Search
from benchmarks.untuned import limit, limited, measured, sample, untuned

#: Searches of both halves, and seconds for each of them.
COUNT, SECONDS = 100, 2.0
#: What a value must save on the first half to be taken: machines are noisy.
LEAST_GAIN = 0.02
#: How many times each half is measured in the end, both ways in turn.
REPEATS = 2
FACTORS = (1 / 3, 3)
#: What became of it.
VERDICT = (
    "What single limits seem to gain on the first half, up to 18 %, is chance: together they gain 2 % there and half a "
    "per cent on the second half. So all limits stay as they are."
)
#: Limits whose numbers decide about time.
TRIED = (
    "search.SHORT_LIST",
    "search.PRICED_LIST",
    "search.PRICED_STEPS",
    "lists.LIST_NODES",
    "lists.FIRST_PART",
    "lists.FAST_GROWTH",
    "state.INCUMBENT_NODES",
    "state.RESPONSE_NODES",
    "search.SHORT_ANNEALING",
    "master.COLUMNS_PER_ROUND",
    "master.COLUMN_NODES",
    "thresholds.COLUMN_NODES",
)
Asked = Sequence[tuple[Scores, Search]]


def run(folder: Path, jobs: int) -> Section:
    """Choose on the searches with even numbers, report those with odd ones."""
    section = Section("tuning")
    asked = sample(untuned(folder), COUNT)
    first, second = asked[::2], asked[1::2]
    usual = _cost(_found("first half, as it is", {}, first, jobs))
    rows, chosen = [], {}
    for name in TRIED:
        cost, change = min((_try(name, factor, first, jobs) for factor in FACTORS), key=lambda one: one[0])
        taken = cost < (1 - LEAST_GAIN) * usual
        if taken:
            chosen |= change
        was, best = limit(name), change[name]
        rows.append((name, f"{was:.4g}", f"{best:.4g}", f"{cost / usual:.3f}", "yes" if taken else "no"))
    outcome = []
    for half, searches in (("first", first), ("second", second)):
        both: dict[str, list[list[Measured]]] = {"as it is": [], "chosen": []}
        for _ in range(REPEATS if chosen else 0):
            for label, changes in (("as it is", {}), ("chosen", chosen)):
                both[label].append(_found(f"{half} half, {label}", changes, searches, jobs))
        for label, runs in both.items():
            if runs:
                proven = sum(one.proven for found in runs for one in found)
                cost = sum(map(_cost, runs)) / sum(map(_cost, both["as it is"]))
                outcome.append((half, label, share(proven, REPEATS * len(searches)), f"{cost:.3f}"))
    section.body = [
        f"{len(asked)} searches on data that no limit was chosen on, {SECONDS:g} s of CPU time each, {jobs} at a time, "
        "in two halves. The cost is time, a search that is not proven counting twice its limit. Each limit is made "
        f"three times smaller and larger on the first half; what saves {100 * LEAST_GAIN:g} % there is taken.",
        table(("limit", "is", "better of the two", "cost", "taken"), rows),
        f"All that was taken together, on either half, {REPEATS} times:",
        table(("half", "limits", "proven", "cost"), outcome),
        VERDICT,
    ]
    return section


def _try(name: str, factor: float, asked: Asked, jobs: int) -> tuple[float, dict[str, float]]:
    was = limit(name)
    change = {name: type(was)(was * factor)}
    return _cost(_found(f"{name} = {change[name]:.4g}", change, asked, jobs)), change


def _found(label: str, changes: dict[str, float], asked: Asked, jobs: int) -> list[Measured]:
    return measured(label, partial(limited, changes), asked, [SECONDS] * len(asked), jobs)


def _cost(found: Sequence[Measured]) -> float:
    return sum(one.seconds if one.proven else 2 * SECONDS for one in found)
