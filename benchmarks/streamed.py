"""A Parquet folder that is read in passes: time beside that of reading it, and memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Check, Section, duration, table

#: Gigabytes of the folder, columns, and rows of a file.
SIZE, COLUMNS, ROWS = 5.0, 100, 312_500
#: Megabytes and times the reading that each measure may take.
MEGABYTES, TIMES = 1_000.0, 2.0
MEASURES = ("f", "mutual_info")
#: How often each is run, and which of the runs counts: the fastest, and the one that took the most memory.
REPEATS = 2
COUNTED = {"seconds": min, "megabytes": max}


def run(size: float | None, quick: bool) -> Section:
    """Make a folder, read and measure it in fresh processes, and remove it."""
    section = Section("streamed")
    size = size or (0.5 if quick else SIZE)
    folder = Path(tempfile.mkdtemp(prefix="altsets-streamed-"))
    try:
        n_rows = _make(folder, size)
        # In turn, so that what else the machine does hits all of them.
        runs = [{name: _run(folder, name) for name in ("read", *MEASURES)} for _ in range(REPEATS)]
    finally:
        shutil.rmtree(folder)
    found = {
        name: {what: best(run[name][what] for run in runs) for what, best in COUNTED.items()}
        for name in runs[0]
    }
    reading = found["read"]["seconds"]
    lines = []
    for name, answer in found.items():
        ratio = answer["seconds"] / reading
        called = "reading alone (pyarrow)" if name == "read" else name
        lines.append((called, duration(answer["seconds"]), f"{ratio:.2f}", f"{answer['megabytes']:.0f} MB"))
        if name != "read":
            section.checks += [
                Check(f"{name}: times the reading", f"{TIMES:g}", f"{ratio:.2f}", ratio <= TIMES),
                Check(
                    f"{name}: memory",
                    f"{MEGABYTES:g} MB",
                    f"{answer['megabytes']:.0f} MB",
                    answer["megabytes"] <= MEGABYTES,
                ),
            ]
    section.body = [
        f"A folder of {size:g} GB with {n_rows:,} rows of {COLUMNS} columns (doubles), two classes; "
        f"mutual information in bins. Fresh processes, {REPEATS} of each in turn; the fastest counts, and memory is "
        "the peak of any of them, with imports. `memory` was 600 MB.",
        table(("what", "time", "times the reading", "memory"), lines),
    ]
    return section


def _make(folder: Path, size: float) -> int:
    """Write files until the folder has the size; the number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    n_files = max(1, round(size * 1e9 / (8 * COLUMNS * ROWS)))
    for number in range(n_files):
        y = rng.integers(0, 2, ROWS)
        columns: dict[str, Any] = {
            f"x{place}": rng.normal(size=ROWS) + 0.1 * (place % 5) * y for place in range(COLUMNS)
        }
        pq.write_table(pa.table({**columns, "y": y}), folder / f"{number:04}.parquet", row_group_size=100_000)
    return n_files * ROWS


def _run(folder: Path, what: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.streamed_worker", str(folder), what]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer
