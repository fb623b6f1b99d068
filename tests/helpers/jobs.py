"""The scripts of the four tutorials, run in full: what they print goes into the documents. ``make jobs`` runs this."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

JOBS = sorted((Path(__file__).resolve().parents[2] / "docs" / "examples" / "jobs").glob("*.py"))


def printed(script: Path, *options: str) -> str:
    """What a job prints; it ends this process, too, if it fails."""
    run = subprocess.run(
        [sys.executable, script, *options],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        # Threads of boosted trees that wait for each other take most of the time on a busy machine.
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return run.stdout


def main() -> None:
    """Run all jobs, and keep what they print beside them."""
    for script in JOBS:
        started = time.perf_counter()
        script.with_suffix(".txt").write_text(printed(script), encoding="utf-8")
        print(f"{script.stem}: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
