"""Sets of other packages in a table; runs inside an environment of its own, never in ours.

Prints one JSON line for each package: its name with the version, the seconds that it took, and the columns it chose.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def fastcan(X: Any, y: Any, k: int) -> list[int]:
    """Sums of squared canonical correlations, greedily."""
    from fastcan import FastCan

    return [int(column) for column in FastCan(k, verbose=0).fit(X, y).indices_]


def fastcan_beam(X: Any, y: Any, k: int) -> list[int]:
    """The same with the ten best sets so far instead of one."""
    from fastcan import FastCan

    return [int(column) for column in FastCan(k, beam_width=10, verbose=0).fit(X, y).indices_]


def mrmr_selection(X: Any, y: Any, k: int) -> list[int]:
    """F statistics and correlations, greedily."""
    import pandas as pd
    from mrmr import mrmr_classif

    chosen = mrmr_classif(pd.DataFrame(X), pd.Series(y), K=k, show_progress=False)
    return [int(column) for column in chosen]


#: Each with its package and what is special about it.
PEERS: dict[str, tuple[str, str, Callable[[Any, Any, int], list[int]]]] = {
    "fastcan": ("fastcan", "", fastcan),
    "fastcan_beam": ("fastcan", ", beam of 10", fastcan_beam),
    "mrmr_selection": ("mrmr-selection", "", mrmr_selection),
}


def main() -> None:
    """Read a table, and let those packages choose that are named."""
    if len(sys.argv) == 1:
        # Whether everything can be imported.
        import fastcan
        import mrmr  # noqa: F401

        print(json.dumps({"fastcan": fastcan.__name__}))
        return
    path, k, *names = sys.argv[1:]
    with np.load(path) as table:
        X, y = table["X"], table["y"]
    for name in names:
        package, special, choose = PEERS[name]
        # Imports and first calls are not timed.
        choose(X[:, :20], y, 1)
        start = time.perf_counter()
        chosen = choose(X, y, int(k))
        answer = {
            "name": f"{package} {importlib.metadata.version(package)}{special}",
            "seconds": time.perf_counter() - start,
            "chosen": chosen,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
