"""One search in a wide table, in a process of its own: times to the first and to the last set, and memory."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import numpy as np

import altsets
from altsets import quality
from benchmarks.memory import peak_memory


def wide_table(n_rows: int, n_columns: int, block: int = 20, seed: int = 0) -> tuple[Any, Any]:
    """Blocks of correlated columns; ten of all columns make the classes."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n_rows, -(-n_columns // block))), block, axis=1)[:, :n_columns]
    for start in range(0, n_columns, 10_000):
        part = X[:, start : start + 10_000]
        part += rng.normal(size=part.shape)
    total = X[:, rng.choice(n_columns, 10, replace=False)].sum(axis=1) + 2 * rng.normal(size=n_rows)
    return X, (total > np.median(total)).astype(int)


def main() -> None:
    """Search, and print what came out of it as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--measure", default="pearson")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("-a", type=int, default=3)
    parser.add_argument("--search", default="sequential")
    parser.add_argument("--time-limit", type=float, default=8.0)
    asked = parser.parse_args()
    X, y = wide_table(asked.rows, asked.columns)
    # What a session has loaded already.
    quality.MRMR.from_data(X[:, :5], y, measure="pearson")
    table = peak_memory()
    shown: list[float] = []
    start = time.perf_counter()

    def note(progress: altsets.results.Progress) -> None:
        if progress.sets and not shown:
            shown.append(time.perf_counter() - start)

    name, _, method = asked.measure.partition(":")
    options = {"method": method} if method else {}
    good = quality.MRMR.from_data(X, y, measure=name, **options)
    result = altsets.find(
        good,
        n_features=asked.k,
        n_alternatives=asked.a,
        search=asked.search,
        time_limit=asked.time_limit,
        callback=note,
    )
    seconds = time.perf_counter() - start
    json.dump(
        {
            "first": shown[0] if shown else seconds,
            "seconds": seconds,
            "megabytes": peak_memory(),
            "table": table,
            "status": str(result.status),
            "qualities": result.qualities,
            "gap": result.gap / result.objective,
            "lengths": result.shortlist.lengths if result.shortlist else [],
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
