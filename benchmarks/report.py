"""What a part of the benchmark has to say, and how it becomes Markdown and CSV."""

from __future__ import annotations

import csv
import math
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altsets
from benchmarks.searches import REPEAT_BELOW, REPEATS, Measured

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

    title: str
    checks: list[Check] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    skipped: str = ""


def row_of(part: str, measured: Measured, **more: Any) -> dict[str, Any]:
    """A search as a row of the CSV file."""
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
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios; nan if there are none."""
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else math.nan


def write(folder: Path, sections: Sequence[Section], how: str) -> None:
    """RESULTS.md for people, rows.csv with every search."""
    checks = [(section.title, check) for section in sections for check in section.checks]
    text = [
        "# Benchmark results",
        f"Written by `make bench` ({how}); every search is a row of `rows.csv`. {_machine()} "
        f"Imports and first calls are not timed. Searches under {REPEAT_BELOW * 1000:g} ms are run {REPEATS} "
        "times and the best time counts; all others, and all of the reference's, are run once. Times of two "
        "implementations are compared only as ratios within one run, the frozen results apart.",
        "## Targets",
        table(
            ("part", "what", "target", "measured", "met"),
            ((title, c.what, c.target, c.measured, "yes" if c.ok else "**no**") for title, c in checks),
        ),
    ]
    for section in sections:
        text.append(f"## {section.title}")
        text += [f"Skipped: {section.skipped}"] if section.skipped else section.body
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULTS.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for section in sections:
            writer.writerows(section.rows)


def _machine() -> str:
    return (
        f"altsets {altsets.__version__}, Python {platform.python_version()}, {platform.system()} on "
        f"{platform.machine()} with {os.cpu_count()} cores; one thread is used."
    )
