"""Reports: the first answer on a long table, and how long a browser takes to open a page about many features."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import altsets
from benchmarks.report import Check, Section, duration, table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

N_ROWS, N_COLUMNS = 50_000, 100
N_FEATURES = 2_000
SECONDS, BYTES, OPEN_SECONDS, PAGE_BYTES = 20.0, 1e9, 1.0, 1_000_000
#: A page is opened so often; the best time counts, since machines are busy.
REPEATS = 5
#: When all of a page is drawn, in seconds since it was asked for.
DRAWN = "() => performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"


def run() -> Section:
    """Both, in a folder of their own."""
    section = Section("pages")
    with tempfile.TemporaryDirectory() as folder:
        _long_table(section, Path(folder))
        _many_features(section, Path(folder))
    return section


def _long_table(section: Section, folder: Path) -> None:
    path = folder / "table.csv"
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(N_ROWS, N_COLUMNS))
    columns[:, -1] = columns[:, 0] + 0.5 * columns[:, 1] + rng.normal(size=N_ROWS) > 0
    header = ",".join([*(f"sensor {number}" for number in range(N_COLUMNS - 1)), "label"])
    np.savetxt(path, columns, fmt="%.6g", delimiter=",", header=header, comments="")
    words = ["find", "table.csv", "--target", "label", "--report", "table.html"]
    start = time.perf_counter()
    command = subprocess.Popen(
        [sys.executable, "-u", "-m", "altsets", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert command.stdout is not None
    next(line for line in command.stdout if line.strip())
    first = time.perf_counter() - start
    command.stdout.read()
    _, status, used = os.wait4(command.pid, 0)
    command.returncode = os.waitstatus_to_exitcode(status)
    whole = time.perf_counter() - start
    memory, size = used.ru_maxrss * 1024, (folder / "table.html").stat().st_size
    section.body += [
        f"`altsets find` with a report on a CSV file of {N_ROWS:,} rows and {N_COLUMNS} columns, mutual information.",
        table(
            ["first answer", "report written", "memory", "report"],
            [[duration(first), duration(whole), f"{memory / 1e6:.0f} MB", f"{size / 1e3:.0f} kB"]],
        ),
    ]
    what = f"first answer of a command with a report, {N_ROWS:,} x {N_COLUMNS}"
    said = f"{duration(first)}, {memory / 1e6:.0f} MB"
    section.checks.append(
        Check(
            what, f"{SECONDS:g} s, 1 GB", said, first < SECONDS and memory < BYTES and not command.returncode
        )
    )


def _many_features(section: Section, folder: Path) -> None:
    from browsers import opened, reason_without, started

    path = folder / "features.html"
    rng = np.random.default_rng(0)
    quality = altsets.quality.Additive(rng.exponential(size=N_FEATURES))
    result = altsets.find(quality, n_features=10, n_alternatives=4)
    near = altsets.near_best(quality, n_features=10, within=0.01)
    result.report(path, quality=quality, near_best=near)
    size = path.stat().st_size
    reason = reason_without()
    if reason is not None:
        section.body.append(f"No page was opened: {reason}.")
        return
    seconds = []
    with started() as browser:
        for _ in range(REPEATS):
            with opened(browser, path) as visit:
                visit.page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
                seconds.append(visit.page.evaluate(DRAWN))
    section.body += [
        f"The report of a search among {N_FEATURES:,} features, opened from disk in Chromium {REPEATS} times.",
        table(
            ["size", "best", "worst"],
            [[f"{size / 1e3:.0f} kB", *map(duration, (min(seconds), max(seconds)))]],
        ),
    ]
    what = f"report on {N_FEATURES:,} features: opened in a browser, size"
    said = f"{duration(min(seconds))}, {size / 1e3:.0f} kB"
    section.checks.append(
        Check(what, f"{OPEN_SECONDS:g} s, 1 MB", said, min(seconds) < OPEN_SECONDS and size < PAGE_BYTES)
    )
