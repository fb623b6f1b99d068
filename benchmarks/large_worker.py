"""One search on a million scores in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import altsets
from altsets import quality
from benchmarks.memory import peak_memory
from benchmarks.searches import warm_up


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
