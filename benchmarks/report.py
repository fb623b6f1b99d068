"""What a part of the benchmark has to say, and how it becomes Markdown and CSV.

Parts take from seconds to hours and are run one by one: what is written replaces the section of the part that
was run, and the sections of the others stay as they are.
"""

from __future__ import annotations

import csv
import datetime
import math
import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altsets
from benchmarks.searches import REPEAT_BELOW, REPEATS, Measured

#: Every part with the title of its section, in the order of the file.
TITLES = {
    "live": "Live comparison with the reference",
    "frozen": "Frozen results of the reference",
    "live-multivariate": "Live comparison with the reference, FCBF and mRMR",
    "frozen-multivariate": "Frozen results of the reference, FCBF and mRMR",
    "grid": "Grid",
    "multivariate": "Additive, FCBF and mRMR with k = 5",
    "multivariate10": "mRMR with k = 10",
    "tens": "Sets of ten",
    "ablation": "What each part of the search is good for",
    "tuning": "Limits chosen anew",
    "definitions": "Other definitions of good and different sets",
    "second-opinion": "Second opinions",
    "most": "As different as possible, as many as there are",
    "frontier": "Frontiers",
    "explorer": "The explorer",
    "near-best": "Near-best sets",
    "wide": "Wide tables",
    "information": "Mutual information",
    "noise-floor": "Noise floor",
    "leaks": "Leaks",
    "targets": "Survival",
    "verdicts": "Decisions on simulated tables",
    "fallback": "Fallbacks",
    "startup": "Start-up, deadline, Ctrl-C",
    "deadlines": "Deadlines",
    "deadlines-verbs": "Deadlines of the other verbs",
    "deadlines-random": "Deadlines of random requests",
    "time-limits": "Sets at the time limit",
    "versions": "This version beside the one before",
}
COLUMNS = (
    "part",
    "scores",
    "n",
    "search",
    "aggregation",
    "k",
    "tau",
    "a",
    "seconds",
    "status",
    "sets",
    "objective",
    "bound",
    "relative_gap",
    "engine",
    "reference_seconds",
    "reference_solver_seconds",
    "reference_status",
    "reference_objective",
    "ratio",
    "note",
)
TARGETS = ("part", "what", "target", "measured", "met")


@dataclass(frozen=True)
class Check:
    """A target of the project and what was measured."""

    what: str
    target: str
    measured: str
    ok: bool


@dataclass
class Section:
    """One part: its checks, its Markdown, its rows, and the reason where it was skipped."""

    part: str
    checks: list[Check] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    skipped: str = ""

    @property
    def title(self) -> str:
        """What stands above it."""
        return TITLES[self.part]


def row_of(part: str, measured: Measured, **more: Any) -> dict[str, Any]:
    """A search as a row of the CSV file; ``part`` is that of its section."""
    result = measured.result
    return {
        "part": part,
        "scores": measured.scores,
        "n": measured.n,
        "search": measured.search.search,
        "aggregation": measured.search.aggregation,
        "k": measured.search.k,
        "tau": measured.search.tau,
        "a": measured.search.a,
        "seconds": measured.seconds,
        "status": measured.status,
        "sets": 0 if result is None else len(result.sets),
        "objective": measured.objective,
        "bound": math.nan if result is None else result.bound,
        "relative_gap": measured.relative_gap,
        "engine": "" if result is None else result.engine,
        "note": measured.error,
        **more,
    }


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    return "\n".join([*_header(header), *(_line(row) for row in rows)])


def _header(header: Sequence[str]) -> list[str]:
    return [_line(header), "|" + "---|" * len(header)]


def _line(row: Sequence[Any]) -> str:
    return "| " + " | ".join(_cell(value) for value in row) + " |"


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def share(proven: int, searches: int) -> str:
    """A percentage that says 100 only where all are meant."""
    return "100 %" if proven == searches else f"{min(99.9, 100 * proven / searches):.1f} %"


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios; nan if there are none."""
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else math.nan


def write(folder: Path, section: Section, how: str) -> None:
    """Put one section in its place in RESULTS.md, for people, and in rows.csv, which has every search."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "RESULTS.md"
    targets, bodies = _written(path)
    if section.skipped:
        # What an earlier run has measured is worth more than the reason why this one has not.
        bodies.setdefault(section.title, f"Skipped: {section.skipped}")
    else:
        body = [f"{how}, {datetime.datetime.now(datetime.UTC).date()}: {_machine()}", *section.body]
        bodies[section.title] = "\n\n".join(body)
        targets[section.title] = [
            _line((section.title, c.what, c.target, c.measured, "yes" if c.ok else "**no**"))
            for c in section.checks
        ]
    # Sections of parts that are gone come last: their question is answered.
    titles = dict.fromkeys([*TITLES.values(), *bodies])
    text = [
        "# Benchmark results",
        "Written by `make bench`; every search is a row of `rows.csv`. Parts can be run on their own, so each "
        "says when and where it was. Imports and first calls are not timed. Searches under "
        f"{REPEAT_BELOW * 1000:g} ms are run {REPEATS} times and the best time counts; all others, and all of "
        "the reference's, are run once. Times of two implementations are compared only as ratios within one "
        "run, the frozen results apart.",
        "## Targets",
        "\n".join([*_header(TARGETS), *(line for title in titles for line in targets.get(title, ()))]),
    ]
    for title in titles:
        if title in bodies:
            text += [f"## {title}", bodies[title]]
    path.write_text("\n\n".join(text) + "\n", encoding="utf-8")
    if not section.skipped:
        _write_rows(folder / "rows.csv", section)


def _written(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """What the file holds already, by title: the lines of the table of targets, and the sections."""
    targets: dict[str, list[str]] = {}
    bodies: dict[str, str] = {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        if title == "Targets":
            for line in body.strip().splitlines()[2:]:
                targets.setdefault(line.split(" | ")[0].removeprefix("| "), []).append(line)
        else:
            bodies[title] = body.strip()
    return targets, bodies


def _write_rows(path: Path, section: Section) -> None:
    kept = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row["part"] != section.part]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(kept)
        writer.writerows(section.rows)


def _machine() -> str:
    return (
        f"altsets {altsets.__version__}, Python {platform.python_version()}, {platform.system()} on "
        f"{platform.machine()} with {os.cpu_count()} cores, one thread per search."
    )
