"""ReliefF here and in scikit-rebate, in the same run: ``python -m benchmarks.relief --data FOLDER``.

The folder holds tables as ``NAME.csv.gz`` with a column ``target``; those that are missing are left out. Two tables
come with scikit-learn. Where columns are discrete, many rows are equally far away; scikit-rebate takes those that
NumPy's sort puts first, and for the comparison so do we (``ties="sort"``); the last column has the scores with our own
rule, which does not depend on the order of rows. Times are with that rule. Exit status 1 means that scores differ.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_diabetes, load_wine

from altsets.measures import relief
from benchmarks.reference import prepare_environment
from benchmarks.report import duration, table

ROOT = Path(__file__).resolve().parent.parent
WORKER = Path(__file__).with_name("relief_worker.py")
REQUIREMENTS = ("skrebate==0.8.4", "skrebate")
#: Continuous, mixed and discrete columns.
DATA = ("spambase", "credit_g", "GAMETES_Epistasis_2_Way_20atts_0.1H_EDM_1_1")
TOLERANCE = 1e-6
#: The table that says how much faster, and how much it should be.
TARGET = ("spambase", 10.0)
REPEATS = 3


@dataclass(frozen=True)
class Case:
    """One table, and how many neighbours to look at."""

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    n_neighbors: int
    task: str = "classification"

    @property
    def label_type(self) -> str:
        """The task in scikit-rebate's words."""
        if self.task == "regression":
            return "continuous"
        return "binary" if len(np.unique(self.y)) == 2 else "multiclass"


def cases(folder: Path, n_neighbors: int) -> Iterator[Case]:
    """The tables of the folder, and two of scikit-learn with few rows: three classes, and amounts."""
    for name in DATA:
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            print(f"{name} is not there and left out", file=sys.stderr)
            continue
        with gzip.open(path, "rt") as lines:
            header = lines.readline().strip().split(",")
            values = np.loadtxt(lines, delimiter=",", ndmin=2)
        target = header.index("target")
        yield Case(name, np.delete(values, target, axis=1), values[:, target].astype(int), n_neighbors)
    yield Case("wine", *load_wine(return_X_y=True), n_neighbors=10)
    yield Case("diabetes", *load_diabetes(return_X_y=True), n_neighbors=10, task="regression")


def ours(case: Case, n_jobs: int, ties: str) -> tuple[float, npt.NDArray[np.float64]]:
    """The median time of several runs, and the scores; a single run of milliseconds would say little."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        scores = relief(
            case.X, case.y, task=case.task, n_neighbors=case.n_neighbors, ties=ties, n_jobs=n_jobs
        )
        times.append(time.perf_counter() - start)
    return float(np.median(times)), scores


def compare(worker: subprocess.Popen[str], case: Case, n_jobs: int) -> tuple[bool, tuple[object, ...]]:
    """Whether the scores agree, and a line for the table."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=case.X, y=case.y)
        request = {
            "path": str(path),
            "n_neighbors": case.n_neighbors,
            "n_jobs": n_jobs,
            "label_type": case.label_type,
        }
        worker.stdin.write(json.dumps(request) + "\n")
        worker.stdin.flush()
        theirs = json.loads(worker.stdout.readline())
    seconds, shared = ours(case, n_jobs, "share")
    _, sorted_ = ours(case, n_jobs, "sort")
    expected = np.array(theirs["scores"])
    difference = float(np.abs(sorted_ - expected).max())
    return difference <= TOLERANCE, (
        case.name,
        *case.X.shape,
        case.label_type,
        case.n_neighbors,
        duration(theirs["seconds"]),
        duration(seconds),
        f"{theirs['seconds'] / seconds:.0f} x",
        f"{difference:.1e}",
        f"{np.abs(shared - expected).max():.1e}",
    )


def main() -> int:
    """Compare on every table and print what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT / "datasets", help="folder of tables")
    parser.add_argument("--environment", type=Path, default=ROOT / ".bench-venv-relief")
    parser.add_argument("--neighbors", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1, help="processors for either")
    options = parser.parse_args()
    python = prepare_environment(options.environment, REQUIREMENTS, WORKER)
    worker = subprocess.Popen([python, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert worker.stdin is not None
    assert worker.stdout is not None
    versions = json.loads(worker.stdout.readline())
    print(
        f"skrebate {versions['skrebate']} (NumPy {versions['numpy']}; ours {np.__version__}), {options.jobs} job(s)\n"
    )
    found = [compare(worker, case, options.jobs) for case in cases(options.data, options.neighbors)]
    worker.stdin.close()
    worker.wait()
    header = (
        "data",
        "rows",
        "columns",
        "target",
        "k",
        "skrebate",
        "altsets",
        "faster",
        "difference",
        "ties shared",
    )
    print(table(header, (line for _, line in found)))
    print(
        f"\nTarget: at least {TARGET[1]:g} times as fast on {TARGET[0]}, differences at most {TOLERANCE:g}."
    )
    return 0 if all(agreed for agreed, _ in found) else 1


if __name__ == "__main__":
    sys.exit(main())
