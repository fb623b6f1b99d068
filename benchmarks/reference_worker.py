"""Answers searches with the reference implementation; runs inside its own environment, never in ours.

One JSON request per line on standard input, one JSON answer per line on standard output. Only the search
itself is timed: neither the imports nor the reading and writing.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from alfese import FCBFSelector, ManualQualityUnivariateSelector, MRMRSelector
from ortools.linear_solver import pywraplp

STATUSES = {
    pywraplp.Solver.OPTIMAL: "optimal",
    pywraplp.Solver.FEASIBLE: "feasible",
    pywraplp.Solver.INFEASIBLE: "infeasible",
    pywraplp.Solver.NOT_SOLVED: "not_found",
}


def univariate(values: list[float]) -> Any:
    """A selector on given scores."""
    selector = ManualQualityUnivariateSelector()
    selector.set_data(values)
    return selector


def fcbf(values: list[float], pairs: list[list[float]]) -> Any:
    """FCBF on given numbers: it can only compute its own, so its fields are filled as it would fill them."""
    selector = FCBFSelector()
    selector._n = len(values)
    selector._mi_target, selector._mi_features = np.array(values), list(np.array(pairs))
    selector._q_train = selector._q_test = selector._mi_target / selector._mi_target.sum()
    return selector


def mrmr(values: list[float], pairs: list[list[float]]) -> Any:
    """mRMR on given numbers, which come scaled and with a zero diagonal; again its fields are filled."""
    selector = MRMRSelector()
    selector._n = len(values)
    selector._mi_target_train = selector._mi_target_test = np.array(values)
    selector._mi_features_train = selector._mi_features_test = list(np.array(pairs))
    return selector


SELECTORS: dict[str, Callable[..., Any]] = {"additive": univariate, "fcbf": fcbf, "mrmr": mrmr}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run one search on the given numbers; its built-in limit of 60 s per set stays as it is."""
    selector = SELECTORS[request["method"]](*request["numbers"])
    run = (
        selector.search_sequentially if request["search"] == "sequential" else selector.search_simultaneously
    )
    start = time.perf_counter()
    table = run(
        k=request["k"],
        num_alternatives=request["a"],
        tau_abs=request["diff"],
        objective_agg=request["aggregation"],
    )
    wall = time.perf_counter() - start
    # A simultaneous search is one solver call, whose time stands in every row.
    solver = table["optimization_time"]
    return {
        "wall_s": wall,
        "solver_s": float(solver.sum() if request["search"] == "sequential" else solver.iloc[0]),
        "statuses": [STATUSES.get(code, f"solver status {code}") for code in table["optimization_status"]],
        "qualities": [None if math.isnan(value) else float(value) for value in table["train_objective"]],
        "sets": [[int(index) for index in chosen] for chosen in table["selected_idxs"]],
    }


def main() -> None:
    """Say which versions answer, then answer line by line."""
    # The first search of a process also loads the solver.
    small = {"k": 1, "diff": 1, "a": 1, "search": "sequential", "aggregation": "sum"}
    answer({"method": "additive", "numbers": [[2.0, 1.0]], **small})
    versions = {name: importlib.metadata.version(name) for name in ("alfese", "ortools")}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
