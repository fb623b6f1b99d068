"""ReliefF here and in scikit-rebate, in the same run."""

from __future__ import annotations

import json
import subprocess
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
from benchmarks.reference import ReferenceUnavailableError, prepare_environment
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import read_data

WORKER = Path(__file__).with_name("relief_worker.py")
REQUIREMENTS = ("skrebate==0.8.4", "skrebate")
#: Continuous, mixed and discrete columns.
DATA = ("spambase", "credit_g", "GAMETES_Epistasis_2_Way_20atts_0.1H_EDM_1_1")
TOLERANCE = 1e-6
#: The table that says how much faster, and how much it should be.
TARGET = ("spambase", 10.0)
REPEATS = 3
N_NEIGHBORS, N_JOBS = 100, 1

TEXT = """\
skrebate {skrebate} with NumPy {numpy}, ours with NumPy {ours}; one job each. skrebate ran once, ours is the median of
{repeats}. Where columns are discrete, many rows are equally far away; skrebate takes those that NumPy's sort puts
first, and for the difference so do we (`ties="sort"`). The last column is the difference with our own rule, which does
not depend on the order of rows; times are with that rule."""


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


def cases(folder: Path) -> Iterator[Case]:
    """The tables of the folder, and two of scikit-learn with few rows: three classes, and amounts."""
    for name in DATA:
        path = folder / f"{name}.csv.gz"
        if path.exists():
            yield Case(name, *read_data(path), n_neighbors=N_NEIGHBORS)
    yield Case("wine", *load_wine(return_X_y=True), n_neighbors=10)
    yield Case("diabetes", *load_diabetes(return_X_y=True), n_neighbors=10, task="regression")


def ours(case: Case, ties: str) -> tuple[float, npt.NDArray[np.float64]]:
    """The median time of several runs, and the scores; a single run of milliseconds would say little."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        scores = relief(
            case.X, case.y, task=case.task, n_neighbors=case.n_neighbors, ties=ties, n_jobs=N_JOBS
        )
        times.append(time.perf_counter() - start)
    return float(np.median(times)), scores


def compare(worker: subprocess.Popen[str], case: Case) -> tuple[float, float, tuple[object, ...]]:
    """How many times faster we are, by how much the scores differ, and a line for the table."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=case.X, y=case.y)
        request = {
            "path": str(path),
            "n_neighbors": case.n_neighbors,
            "n_jobs": N_JOBS,
            "label_type": case.label_type,
        }
        worker.stdin.write(json.dumps(request) + "\n")
        worker.stdin.flush()
        theirs = json.loads(worker.stdout.readline())
    seconds, shared = ours(case, "share")
    _, sorted_ = ours(case, "sort")
    expected = np.array(theirs["scores"])
    difference = float(np.abs(sorted_ - expected).max())
    ratio = theirs["seconds"] / seconds
    line = (
        case.name,
        *case.X.shape,
        case.label_type,
        case.n_neighbors,
        duration(theirs["seconds"]),
        duration(seconds),
        f"{ratio:.0f}",
        f"{difference:.1e}",
        f"{np.abs(shared - expected).max():.1e}",
    )
    return ratio, difference, line


def run(folder: Path, environment: Path) -> Section:
    """Compare on every table."""
    section = Section("relief")
    try:
        python = prepare_environment(environment, REQUIREMENTS, WORKER)
    except ReferenceUnavailableError as error:
        section.skipped = str(error)
        return section
    worker = subprocess.Popen([python, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert worker.stdin is not None
    assert worker.stdout is not None
    versions = json.loads(worker.stdout.readline())
    found = {case.name: compare(worker, case) for case in cases(folder)}
    worker.stdin.close()
    worker.wait()
    name, target = TARGET
    if name in found:
        ratio = found[name][0]
        section.checks.append(
            Check(f"ReliefF on {name}: ratio", f">= {target:g}", f"{ratio:.1f}", ratio >= target)
        )
    largest = max(difference for _, difference, _ in found.values())
    section.checks.append(
        Check("ReliefF: largest difference", f"<= {TOLERANCE:g}", f"{largest:.1e}", largest <= TOLERANCE)
    )
    header = (
        "data",
        "rows",
        "columns",
        "target",
        "k",
        "skrebate",
        "altsets",
        "ratio",
        "difference",
        "ties shared",
    )
    section.body = [
        TEXT.format(**versions, ours=np.__version__, repeats=REPEATS),
        table(header, (line for _, _, line in found.values())),
    ]
    return section
