"""One search on a million scores in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np

import altsets
from altsets import quality
from benchmarks.searches import warm_up


def peak_memory() -> float:
    """Peak resident memory in MB.

    The kernel hands the parent's peak down through ``getrusage``, so its own figure is preferred.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Draw the scores, search, print one JSON document."""
    parser = argparse.ArgumentParser()
    parser.add_argument("distribution", choices=("uniform", "cauchy"))
    parser.add_argument("search")
    parser.add_argument("aggregation")
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--time-limit", type=float, required=True)
    options = parser.parse_args()
    rng, n = np.random.default_rng(0), options.n
    drawn = rng.random(n) if options.distribution == "uniform" else np.abs(rng.standard_cauchy(n))
    warm_up()
    start = time.perf_counter()
    result = altsets.find(
        quality.Additive(drawn),
        n_features=10,
        n_alternatives=10,
        tau=0.5,
        search=options.search,
        aggregation=options.aggregation,
        time_limit=options.time_limit,
    )
    seconds = time.perf_counter() - start
    # The result travels whole: rounding or non-finite numbers are its own business.
    print(json.dumps({"seconds": seconds, "megabytes": peak_memory(), "result": result.to_json()}))


if __name__ == "__main__":
    main()
