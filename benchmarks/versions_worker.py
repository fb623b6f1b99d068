"""Measures the searches that come in on standard input, one line each, with whatever altsets is on the path."""

from __future__ import annotations

import json
import math
import sys

import numpy as np

from benchmarks.searches import Scores, Search, measure, warm_up


def main() -> None:
    """Answer line by line until there are no more."""
    warm_up()
    scores: Scores | None = None
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, object] = {}
        if "scores" in message:
            given = message["scores"]
            pairs = None if given["pairs"] is None else np.array(given["pairs"])
            scores = Scores(
                given["measure"], given["data"], np.array(given["values"]), pairs, given["method"]
            )
        else:
            assert scores is not None
            found = measure(scores, Search(**message["search"]), message["limit"])
            objective = found.objective if math.isfinite(found.objective) else None
            answer = {"seconds": found.seconds, "status": found.status, "objective": objective}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
