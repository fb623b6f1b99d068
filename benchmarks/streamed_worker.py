"""Read or measure a folder once, in a process of its own; print seconds and megabytes."""

from __future__ import annotations

import json
import sys
import time

import pyarrow.dataset as ds
import sklearn.utils.multiclass  # noqa: F401  (what a session has loaded already)

from altsets import measures
from benchmarks.memory import peak_memory


def main() -> None:
    """Do it, and print what it took as JSON."""
    folder, what = sys.argv[1:]
    start = time.perf_counter()
    if what == "read":
        for _ in ds.dataset(folder, format="parquet").to_batches():
            pass
    else:
        options = {"method": "bins"} if what == "mutual_info" else {}
        measures.score(folder, "y", what, max_memory="600MB", **options)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": peak_memory()}))


if __name__ == "__main__":
    main()
