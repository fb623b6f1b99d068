"""Wide tables: from the table to the first set and to all of them, with memory; beside other packages."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from altsets import measures, quality
from benchmarks.reference import ReferenceUnavailableError, prepare_environment
from benchmarks.report import Check, Section, duration, table
from benchmarks.wide_worker import wide_table

PEERS = Path(__file__).with_name("wide_peers.py")
REQUIREMENTS = ("fastcan mrmr_selection",)


class Case(NamedTuple):
    """A search, and what it may take: seconds to the first and to the last set, and megabytes; None for no limit."""

    rows: int
    columns: int
    measure: str
    k: int
    search: str
    time_limit: float
    first: float | None = None
    seconds: float | None = None
    megabytes: float | None = None

    @property
    def name(self) -> str:
        """As a line of the table calls it."""
        return f"{self.rows} x {self.columns:,}, {self.measure}, k = {self.k}, {self.search}"

    def run(self) -> dict[str, Any]:
        """The answer of a fresh process."""
        command = [
            sys.executable,
            "-m",
            "benchmarks.wide_worker",
            "--rows",
            self.rows,
            "--columns",
            self.columns,
        ]
        command += ["--measure", self.measure, "-k", self.k, "--search", self.search]
        command += ["--time-limit", self.time_limit]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(ended.stdout)
        return found


CASES = (
    Case(200, 20_000, "pearson", 10, "sequential", 8.0, 2.0, 10.0, 600.0),
    Case(200, 20_000, "spearman", 10, "sequential", 20.0, 6.0, 30.0, 1_800.0),
    Case(200, 20_000, "mutual_info:bins", 10, "sequential", 20.0, 6.0, 30.0, 1_800.0),
    Case(200, 20_000, "pearson", 10, "simultaneous", 8.0),
    Case(200, 20_000, "pearson", 5, "sequential", 8.0),
    Case(200, 100_000, "pearson", 10, "sequential", 45.0, None, 60.0, 1_500.0),
    Case(62, 2_000, "pearson", 10, "sequential", 60.0),
    Case(200, 1_000, "pearson", 5, "sequential", 60.0),
)


def run(environment: Path, quick: bool) -> Section:
    """All searches, and the sets of other packages by our objective."""
    section = Section("wide")
    lines = []
    best = 0.0
    for case in CASES:
        found = case.run()
        best = best or found["qualities"][0]
        lines.append(_line(case, found))
        section.checks += _checks(case, found)
    text = [
        "Fresh processes; memory is the peak, with imports and the table. The gap is over the whole table."
    ]
    peers = list(_peers(environment, quick))
    section.body = [
        *text,
        table(
            (
                "table and search",
                "first set",
                "all sets",
                "memory",
                "of it the table",
                "status",
                "set 0",
                "gap",
                "proven among",
            ),
            lines,
        ),
        "Single sets of other packages in the first table, by the objective of mRMR with Pearson correlations:",
        table(
            ("package", "time", "quality", "quality of set 0 over it"),
            [(name, duration(time), f"{value:.4f}", f"{best / value:.3f}") for name, time, value in peers],
        ),
    ]
    for name, _, value in peers:
        section.checks.append(
            Check(f"set 0 against {name}", ">= 1", f"{best / value:.3f}", best >= value - 1e-9)
        )
    return section


def _line(case: Case, found: dict[str, Any]) -> Sequence[Any]:
    return (
        case.name,
        duration(found["first"]),
        duration(found["seconds"]),
        f"{found['megabytes']:.0f} MB",
        f"{found['table']:.0f} MB",
        found["status"],
        f"{found['qualities'][0]:.4f}",
        f"{found['gap']:.1%}",
        ", ".join(map(str, found["lengths"])) or "all",
    )


def _checks(case: Case, found: dict[str, Any]) -> Iterator[Check]:
    limits = (("first", case.first, "s"), ("seconds", case.seconds, "s"), ("megabytes", case.megabytes, "MB"))
    for name, most, unit in limits:
        if most is not None:
            yield Check(
                f"{case.name}: {name}", f"{most:g} {unit}", f"{found[name]:.1f} {unit}", found[name] <= most
            )
    finite = np.isfinite(found["gap"])
    yield Check(f"{case.name}: bound", "finite", "finite" if finite else "infinite", bool(finite))


def _peers(environment: Path, quick: bool) -> Iterator[tuple[str, float, float]]:
    """Names, times and qualities; greedy choice with NumPy comes first."""
    first = CASES[0]
    X, y = wide_table(first.rows, first.columns)
    relevance = measures.score(X, y, "pearson")[0]
    good = quality.MRMR(relevance, measures.Redundancy(X, "pearson"))
    try:
        python = prepare_environment(environment, REQUIREMENTS, PEERS)
    except ReferenceUnavailableError as error:
        print(error, file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=X, y=y)
        names = ["fastcan"] if quick else ["fastcan", "mrmr_selection"]
        command = [python, PEERS, path, str(first.k), *names]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in ended.stdout.splitlines():
        answer = json.loads(line)
        yield answer["name"], answer["seconds"], good.evaluate(sorted(answer["chosen"]))
