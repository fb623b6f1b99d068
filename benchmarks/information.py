"""Mutual information of all pairs of features: time, memory and agreement with scikit-learn's estimator."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_selection import mutual_info_regression

from altsets import measures
from benchmarks.memory import peak_memory
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import SEED, Numbers, training_part

#: Data set, how many of its columns scikit-learn is timed on, and how many times faster than it we are to be.
COMPARED = (("clean1", 12, 30), ("coil2000", 2, 10))
#: Data set to be done in so many seconds on two cores.
ALONE = (("clean2", 60),)
WIDE_ROWS, WIDE_COLUMNS = 1000, 2000
WIDE_SECONDS, WIDE_MEGABYTES = 300, 2000
TOLERANCE = 1e-6
#: The estimate of the paper's study.
AS_THERE = {"discrete": False, "method": "sklearn"}


def run(datasets: Path, matrices: Path | None) -> Section:
    """Everything that the folders have data for."""
    section = Section("information")
    lines: list[Sequence[Any]] = []
    for name, n_targets, ratio in COMPARED:
        if (datasets / f"{name}.csv.gz").exists():
            _compare(section, lines, name, training_part(datasets / f"{name}.csv.gz")[0], n_targets, ratio)
    for name, seconds in ALONE:
        if (datasets / f"{name}.csv.gz").exists():
            X, _ = training_part(datasets / f"{name}.csv.gz")
            taken, _ = _timed(X, n_jobs=2, discrete=False)
            lines.append((name, _shape(X), "neighbors", 2, duration(taken), "", ""))
            section.checks.append(
                Check(f"{name}, two threads", f"{seconds} s", duration(taken), taken < seconds)
            )
    _wide(section, lines)
    if matrices is not None:
        _agreement(section, datasets, matrices)
    section.body = [
        "All pairs of features; the estimators are those of `measures.pairwise`, everything continuous unless "
        "said otherwise. scikit-learn: a loop of `mutual_info_regression` over the columns as targets, one thread, "
        "timed on a random sample of the columns and extrapolated; ours is then also given one thread.",
        table(("data", "rows x columns", "estimator", "threads", "time", "scikit-learn", "ratio"), lines),
    ]
    return section


def _compare(
    section: Section, lines: list[Sequence[Any]], name: str, X: Numbers, n_targets: int, least: int
) -> None:
    rng = np.random.default_rng(0)
    targets = np.sort(rng.choice(X.shape[1], n_targets, replace=False))
    mutual_info_regression(X[:50, :2], X[:50, 0], random_state=SEED)
    start = time.perf_counter()
    rows = np.array([mutual_info_regression(X, X[:, target], random_state=SEED) for target in targets])
    theirs = (time.perf_counter() - start) / n_targets * X.shape[1]
    for label, options in (
        ("neighbors", {"discrete": False}),
        ("neighbors, discrete='auto'", {}),
        ("bins", {"method": "bins"}),
        ("sklearn", AS_THERE),
    ):
        taken, found = _timed(X, n_jobs=1, **options)
        ratio = f"{theirs / taken:.0f}"
        lines.append((name, _shape(X), label, 1, duration(taken), duration(theirs), ratio))
        if label == "neighbors":
            section.checks.append(
                Check(f"{name}, times as fast as scikit-learn", str(least), ratio, theirs / taken >= least)
            )
        if label == "sklearn":
            _check_difference(section, f"{name}, scikit-learn", found[targets], rows, X)


def _timed(X: Numbers, **options: Any) -> tuple[float, Numbers]:
    measures.pairwise(X[:50, :3])
    start = time.perf_counter()
    found = measures.pairwise(X, "mutual_info", **options)
    return time.perf_counter() - start, found


def _shape(X: Numbers) -> str:
    return f"{X.shape[0]:,} x {X.shape[1]:,}"


def _wide(section: Section, lines: list[Sequence[Any]]) -> None:
    """Many columns, in a process of its own so that its peak memory is its own."""
    for method in ("bins", "neighbors"):
        command = [sys.executable, "-m", "benchmarks.information", method]
        answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        seconds, megabytes = answer["seconds"], answer["megabytes"]
        shape = f"{WIDE_ROWS:,} x {WIDE_COLUMNS:,}"
        lines.append(
            (f"random normal, {megabytes:.0f} MB in all", shape, method, 2, duration(seconds), "", "")
        )
        section.checks.append(
            Check(
                f"{shape} random normal, {method}, two threads",
                f"{WIDE_SECONDS} s, {WIDE_MEGABYTES} MB",
                f"{duration(seconds)} ({duration(answer['work'])} of both cores), {megabytes:.0f} MB",
                seconds < WIDE_SECONDS and megabytes < WIDE_MEGABYTES,
            )
        )


def _worker(method: str) -> None:
    X = np.random.default_rng(0).normal(size=(WIDE_ROWS, WIDE_COLUMNS))
    start = time.process_time()
    seconds, _ = _timed(X, n_jobs=2, method=method)
    work = time.process_time() - start
    print(json.dumps({"seconds": seconds, "work": work, "megabytes": peak_memory()}))


def _agreement(section: Section, datasets: Path, matrices: Path) -> None:
    """With matrices that scikit-learn has computed elsewhere."""
    for path in sorted(matrices.glob("*.npz")):
        data = datasets / f"{path.stem}.csv.gz"
        if not data.exists():
            continue
        X, y = training_part(data)
        with np.load(path) as frozen:
            relevance = measures.mutual_info(X, y, task="regression", **AS_THERE)
            _check_difference(section, f"{path.stem}, frozen q", relevance[None], frozen["q"][None], X)
            _check_difference(
                section, f"{path.stem}, frozen R", measures.pairwise(X, **AS_THERE), frozen["R"], X
            )


def _check_difference(section: Section, what: str, ours: Numbers, theirs: Numbers, X: Numbers) -> None:
    # Constant columns have 0 here; there, what the jitter gives them.
    vary = X.min(axis=0) < X.max(axis=0)
    kept = [vary, vary] if len(ours) == len(vary) else [np.ones(len(ours), dtype=bool), vary]
    difference = float(np.abs(ours - theirs)[np.ix_(*kept)].max())
    section.checks.append(
        Check(f"largest difference, {what}", f"{TOLERANCE:g}", f"{difference:.1g}", difference <= TOLERANCE)
    )


if __name__ == "__main__":
    _worker(sys.argv[1])
