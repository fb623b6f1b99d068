"""One quality of a sparse table, in a process of its own: time, and memory."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse

import altsets
from altsets import measures, quality
from benchmarks.memory import peak_memory

#: Columns, and rows, of the part that is compared with the same part as a dense table.
CUT_COLUMNS, CUT_ROWS = 400, 5_000


def sparse_table(n_rows: int, n_columns: int, density: float, seed: int = 0) -> tuple[Any, Any]:
    """Counts; in the second half of the rows, every hundredth column has twice as many."""
    rng = np.random.default_rng(seed)
    size = int(n_rows * n_columns * density)
    rows, columns = rng.integers(0, n_rows, size), rng.integers(0, n_columns, size)
    kept = (columns % 100 != 0) | (rows >= n_rows // 2) | (rng.random(size) < 0.5)
    data = rng.poisson(1.0, size) + 1
    table = sparse.csr_array((data[kept], (rows[kept], columns[kept])), shape=(n_rows, n_columns))
    return table, np.repeat(["a", "b"], [n_rows // 2, n_rows - n_rows // 2])


def main() -> None:
    """Score a table, or search it, and print what it took as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--density", type=float, default=0.001)
    parser.add_argument("--measure", default="chi2")
    parser.add_argument("--job", choices=["scores", "sets", "mrmr"], default="scores")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = sparse_table(asked.rows, asked.columns, asked.density)
    name, _, method = asked.measure.partition(":")
    options = {"method": method} if method else {}
    # What a session has loaded already.
    measures.score(X[:, :5], y, name, **options)
    start = time.perf_counter()
    if asked.job == "mrmr":
        good = quality.MRMR.from_data(X, y, measure=name, **options)
        altsets.find(good, n_features=10, time_limit=30)
    elif asked.job == "sets":
        altsets.SelectAlternatives(name, n_features=10).fit(X, y)
    else:
        measures.score(X, y, name, **options)
    seconds = time.perf_counter() - start
    # Before the dense table of the comparison.
    megabytes = peak_memory()
    found = {"seconds": seconds, "megabytes": megabytes, "difference": _difference(X, y, name, options)}
    print(json.dumps(found))


def _difference(X: Any, y: Any, measure: str, options: dict[str, Any]) -> float:
    """The largest difference to the scores of a dense table, on some rows and columns; as a share of those above 1."""
    rows = np.linspace(0, X.shape[0] - 1, min(CUT_ROWS, X.shape[0])).astype(int)
    cut = X[rows][:, :CUT_COLUMNS]
    known, found = (measures.score(part, y[rows], measure, **options)[0] for part in (cut.toarray(), cut))
    return float((np.abs(known - found) / np.maximum(known, 1.0)).max())


if __name__ == "__main__":
    main()
