"""Frontiers: whole curves in what time, beside searches of their own, and whether each point equals its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altsets
from benchmarks.report import Check, Section, duration, table
from benchmarks.searches import Scores

#: Each time is the best of so many, in turns: machines are busy.
REPEATS = 5
#: What counts as equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class Asked:
    """A frontier; the seconds it may take, and the part of the time of separate searches."""

    data: str
    measure: str
    n_features: int | range
    n_alternatives: int | range
    search: str
    aggregation: str = "sum"
    seconds: float = math.inf
    part: float = math.inf

    def __str__(self) -> str:
        how = self.search if self.search == "sequential" else f"{self.search} {self.aggregation}"
        sizes, counts = _in_words(self.n_features), _in_words(self.n_alternatives)
        return f"{self.measure} {self.data}, {how}, k = {sizes}, a = {counts}"


ASKED = (
    Asked("spambase", "MI", 10, 4, "simultaneous", "min", seconds=1.0),
    Asked("wdbc", "mRMR", range(2, 11), 3, "sequential", seconds=5.0, part=1.05),
    Asked("sonar", "mRMR", 5, 3, "simultaneous", part=0.5),
    Asked("sonar", "mRMR", 5, 3, "simultaneous", "min"),
    Asked("wdbc", "mRMR", 5, 3, "simultaneous"),
    Asked("ionosphere", "mRMR", 5, 3, "simultaneous"),
    Asked("spectf", "mRMR", 5, 3, "simultaneous"),
    Asked("backache", "mRMR", 5, 3, "simultaneous"),
    Asked("sonar", "mRMR", range(3, 6), range(1, 5), "simultaneous"),
    Asked("sonar", "mRMR", range(2, 8), range(1, 6), "sequential", part=1.05),
    Asked("sonar", "mRMR", 10, 2, "sequential", part=1.05),
)
DATA = tuple({asked.data for asked in ASKED})


def run(information: Sequence[Scores], mrmr: Sequence[Scores]) -> Section:
    """All frontiers whose scores are there."""
    section, lines = Section("frontier"), []
    qualities = {(scores.data, scores.measure): scores.quality for scores in (*information, *mrmr)}
    n_different = 0
    for asked in ASKED:
        if (asked.data, asked.measure) not in qualities:
            continue
        line, checks, different = _measured(asked, qualities[asked.data, asked.measure])
        lines.append(line)
        section.checks += checks
        n_different += different
    section.checks.append(
        Check("answers that contradict each other", "0", f"{n_different} points", not n_different)
    )
    section.body = [
        "Every tau that makes a difference at each size, in one call of `frontier` and by a call of `find` for each "
        f"point: the best time of {REPEATS} by the processor's clock, and the time that passed, which is more where "
        "others work as well. Each point has the objective and the statuses of its own search.",
        table(
            ("frontier", "points", "optimal", "infeasible", "frontier", "separate", "part", "passed"), lines
        ),
    ]
    return section


def _measured(asked: Asked, quality: Any) -> tuple[tuple[Any, ...], list[Check], int]:
    options = {"search": asked.search, "aggregation": asked.aggregation}

    def together() -> altsets.results.Frontier:
        return altsets.frontier(quality, asked.n_features, asked.n_alternatives, **options)  # type: ignore[arg-type]

    found = together()

    def apart() -> list[altsets.Result]:
        return [
            altsets.find(quality, point.n_features, point.n_alternatives, point.tau, **options)  # type: ignore[arg-type]
            for point in found
        ]

    own = apart()
    times = [(_seconds(together), _seconds(apart)) for _ in range(REPEATS)]
    frontier, separate, passed = (
        min(first[0] for first, _ in times),
        min(second[0] for _, second in times),
        min(first[1] for first, _ in times),
    )
    part = frontier / separate
    different = sum(not _is_equal(point.result, result) for point, result in zip(found, own, strict=True))
    statuses = [str(point.status) for point in found]
    line = (
        str(asked),
        len(found),
        statuses.count("optimal"),
        statuses.count("infeasible"),
        duration(frontier),
        duration(separate),
        f"{part:.2f}",
        duration(passed),
    )
    checks = []
    if asked.seconds < math.inf:
        # One thread works, so that this is what passes where nobody else does.
        measured = f"{duration(frontier)} ({duration(passed)} passed)"
        checks.append(Check(str(asked), f"{asked.seconds:g} s", measured, frontier < asked.seconds))
    if asked.part < math.inf:
        target = (
            "at most half of separate searches" if asked.part == 0.5 else "not slower than separate searches"
        )
        checks.append(Check(str(asked), target, f"{part:.2f} of their time", part <= asked.part))
    return line, checks, different


def _is_equal(one: altsets.Result, other: altsets.Result) -> bool:
    near = math.isclose(one.objective, other.objective, rel_tol=EQUAL, abs_tol=EQUAL)
    without_sets = math.isnan(one.objective) and math.isnan(other.objective)
    return one.statuses == other.statuses and (near or without_sets)


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """By the processor's clock, and by that on the wall."""
    busy, start = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - busy, time.perf_counter() - start


def _in_words(numbers: int | range) -> str:
    return str(numbers) if isinstance(numbers, int) else f"{numbers[0]}..{numbers[-1]}"
