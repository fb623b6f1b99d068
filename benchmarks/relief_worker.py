"""Scores tables with scikit-rebate's ReliefF; runs inside its own environment, never in ours.

One JSON request per line on standard input, one JSON answer per line on standard output. Only the scoring itself is
timed: neither the imports nor the reading and writing.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from typing import Any

import numpy as np
from skrebate import ReliefF


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Score one table, given as the path of an archive of X and y."""
    with np.load(request["path"]) as table:
        X, y = table["X"], table["y"]
    model = ReliefF(
        n_neighbors=request["n_neighbors"], n_jobs=request["n_jobs"], label_type=request["label_type"]
    )
    start = time.perf_counter()
    model.fit(X, y)
    return {"seconds": time.perf_counter() - start, "scores": model.feature_importances_.tolist()}


def main() -> None:
    """Say which versions answer, then answer line by line."""
    print(json.dumps({name: importlib.metadata.version(name) for name in ("skrebate", "numpy")}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
