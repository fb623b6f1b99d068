"""Sparse tables: scores, sets and pairs of word counts, with memory; beside scikit-learn's functions."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any, NamedTuple

from benchmarks.report import Check, Section, duration, table
from benchmarks.sparse_worker import sparse_table

#: What is done, by the name that the worker knows.
JOBS = {"scores": "scores", "sets": "four sets of 10 by the selector", "mrmr": "four sets of 10 by mRMR"}
ROWS, COLUMNS, DENSITY = 20_000, 100_000, 0.001


class Case(NamedTuple):
    """A job, and what it may take: seconds and megabytes; None for no limit."""

    measure: str
    job: str = "scores"
    seconds: float | None = None
    megabytes: float | None = 1_000.0

    @property
    def name(self) -> str:
        """As a line of the table calls it."""
        return f"{self.measure}, {JOBS[self.job]}"

    def run(self, columns: int) -> dict[str, Any]:
        """The outcome of a fresh process."""
        command = [sys.executable, "-m", "benchmarks.sparse_worker", "--rows", ROWS, "--columns", columns]
        command += ["--density", DENSITY, "--measure", self.measure, "--job", self.job]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(ended.stdout)
        return found


CASES = (
    Case("chi2", seconds=20.0),
    Case("mutual_info", seconds=20.0),
    Case("mutual_info:bins", seconds=20.0),
    Case("symmetrical_uncertainty"),
    Case("f"),
    Case("pearson"),
    Case("spearman"),
    Case("chi2", "sets"),
    Case("pearson", "mrmr"),
    Case("symmetrical_uncertainty", "mrmr"),
)


def run(quick: bool) -> Section:
    """All jobs, each in a process of its own."""
    section = Section("sparse")
    columns = COLUMNS // 10 if quick else COLUMNS
    lines = []
    for case in CASES:
        found = case.run(columns)
        lines.append(
            (
                case.name,
                duration(found["seconds"]),
                f"{found['megabytes']:.0f} MB",
                f"{found['difference']:.1e}",
            )
        )
        section.checks += [
            Check(
                f"{case.name}: {what}", f"{most:g} {unit}", f"{found[what]:.1f} {unit}", found[what] <= most
            )
            for what, most, unit in (("seconds", case.seconds, "s"), ("megabytes", case.megabytes, "MB"))
            if most is not None
        ]
        section.checks.append(
            Check(
                f"{case.name}: difference to dense",
                "1e-12",
                f"{found['difference']:.1e}",
                found["difference"] <= 1e-12,
            )
        )
    section.body = [
        f"{ROWS:,} rows, {columns:,} columns of counts, {DENSITY:.1%} of them not 0; as a dense table "
        f"{ROWS * columns * 8 / 1e9:.1f} GB. Fresh processes; memory is the peak, with imports and the table. The last "
        "column compares scores of 5,000 rows and 400 columns with those of the same part as a dense table, as shares "
        "of scores above 1.",
        table(("job", "time", "memory", "difference to dense"), lines),
        f"scikit-learn's chi2 on the same table: {duration(_scikit_learn(columns))}.",
    ]
    return section


def _scikit_learn(columns: int) -> float:
    from sklearn.feature_selection import chi2

    X, y = sparse_table(ROWS, columns, DENSITY)
    start = time.perf_counter()
    chi2(X, y)
    return time.perf_counter() - start
