"""Mutual information of all pairs of features with missing values, beside the time without."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from altsets import measures
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import Numbers

#: How many times longer missing values may take.
MOST = 3.0
ROUNDS = 3


def run() -> Section:
    """Generated tables: each is timed with and without holes, in turn."""
    section = Section("holes")
    lines: list[Sequence[Any]] = []
    for name, (n_rows, n_columns), make, hide in _cases():
        rng = np.random.default_rng(0)
        complete = make(rng, (n_rows, n_columns))
        holed = np.where(hide(rng, complete.shape), np.nan, complete)
        without, with_holes = _timed(complete, holed)
        ratio = with_holes / without
        shape = f"{n_rows:,} x {n_columns:,}"
        lines.append((name, shape, duration(without), duration(with_holes), f"{ratio:.2f}"))
        section.checks.append(
            Check(
                f"{name}, {shape}, time with holes over time without",
                f"{MOST:g}",
                f"{ratio:.2f}",
                ratio <= MOST,
            )
        )
    section.body = [
        "All pairs of features by `measures.pairwise` on two threads; 5 % of the values are missing. Times are the "
        f"shortest of {ROUNDS}, with and without holes in turn.",
        table(("values, and what is missing", "rows x columns", "complete", "with holes", "ratio"), lines),
    ]
    return section


def _cases() -> list[tuple[str, tuple[int, int], Callable[..., Numbers], Callable[..., Any]]]:
    def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
        return rng.standard_normal(shape)

    def few(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
        return rng.integers(0, 4, shape).astype(np.float64)

    def anywhere(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        return rng.random(shape) < 0.05

    def same_rows(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        return rng.random((shape[0], 1)) < 0.05

    return [
        ("normal, anywhere", (500, 200), normal, anywhere),
        ("normal, anywhere", (500, 500), normal, anywhere),
        ("normal, anywhere", (60, 500), normal, anywhere),
        ("normal, the same rows in all columns", (500, 200), normal, same_rows),
        ("four values, anywhere", (500, 500), few, anywhere),
    ]


def _timed(complete: Numbers, holed: Numbers) -> tuple[float, float]:
    def seconds(X: Numbers) -> float:
        start = time.perf_counter()
        measures.pairwise(X, "mutual_info", n_jobs=2)
        return time.perf_counter() - start

    rounds = [(seconds(complete), seconds(holed)) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)
