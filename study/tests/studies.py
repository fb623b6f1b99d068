"""Made-up results of a study, in the columns of the results store."""

from __future__ import annotations

import numpy as np
import pandas as pd

METHODS = ("fcbf", "greedy_wrapper", "mutual_info", "model_gain", "mrmr")
SIMULTANEOUS = [("simultaneous", "sum"), ("simultaneous", "min"), ("greedy-balancing", "sum")]


def row(dataset="wdbc", fold=0, method="mutual_info", **values):
    """One row of a set that was found and proven; anything can be given."""
    usual = {
        "dataset": dataset,
        "fold": fold,
        "method": method,
        "n_features_in": 30,
        "k": 5,
        "tau": 0.4,
        "search": "sequential",
        "aggregation": "sum",
        "n_alternatives": 10
        if values.get("search", "sequential") in ("sequential", "greedy-replacement")
        else 1,
        "number": 0,
        "status": "optimal",
        "features": ["a", "b", "c", "d", "e"],
        "train_objective": 0.5,
        "test_objective": 0.4,
        "train_mcc": 0.9,
        "test_mcc": 0.3,
        "bound": 0.5,
        "n_evaluated": 0,
        "n_iterations": 0,
        "search_seconds": 0.1,
        "processor_seconds": 0.1,
        "timed_out": False,
        "error": None,
    }
    made = {**usual, **values}
    if made["status"] not in ("optimal", "feasible"):
        lost = dict.fromkeys(("train_objective", "test_objective", "train_mcc", "test_mcc"), np.nan)
        made |= {"features": None, **lost}
    return made


def failure(dataset, fold, method, error):
    """The row of a task that failed."""
    return {**dict.fromkeys(row()), "dataset": dataset, "fold": fold, "method": method, "error": error}


def searches(method):
    """All searches of a task for one size: (search, aggregation, alternatives)."""
    greedy = method in ("mutual_info", "model_gain")
    yield "sequential", "sum", 10
    if greedy:
        yield "greedy-replacement", "sum", 10
    for search, aggregation in SIMULTANEOUS if greedy else SIMULTANEOUS[:2]:
        for a in range(1, 6):
            yield search, aggregation, a


def study(
    datasets=("wdbc", "sonar", "<script>"), folds=(0, 1), methods=METHODS, sizes=(5, 10), seed=0, failures=()
):
    """A study whose sets get worse with their number and the threshold, and run out where both are large."""
    rng = np.random.default_rng(seed)
    rows = []
    for at, dataset in enumerate(datasets):
        for fold in folds:
            for method in methods:
                base = 0.8 - 0.05 * (at % 7) - 0.02 * METHODS.index(method)
                for k in sizes:
                    for tau in np.round(np.arange(1, k + 1) / k, 10):
                        for search, aggregation, a in searches(method):
                            rows += one_search(
                                rng,
                                (dataset, fold, method, k, float(tau)),
                                (search, aggregation, a),
                                base,
                                at,
                            )
    return pd.DataFrame([*rows, *failures])


def one_search(rng, setting, kind, base, at):
    dataset, fold, method, k, tau = setting
    search, aggregation, a = kind
    greedy = search.startswith("greedy")
    # Data set number `at` has so many sets that are different enough; heuristics see fewer.
    there = int((4 + 6 * (at % 3)) / tau**2) - (2 if greedy else 0) - (3 if method == "fcbf" else 0)
    drops = tau * np.array([0.3 * (1 - 0.7**number) for number in range(a + 1)])
    if search == "simultaneous" or search == "greedy-balancing":
        drops = drops.mean() + (drops - drops.mean()) * (0.05 if aggregation == "min" else 0.6)
        drops = drops - (0.01 * tau * (1 - tau) * a if aggregation == "sum" and not greedy else 0)
    seconds = 0.0002 if greedy else 0.01 * (1 + a if search == "simultaneous" else 1)
    quality = base - drops - (0.02 * tau * (1 - tau) * a if greedy else 0)
    made = []
    for number in range(a + 1):
        valid = there > (number if search in ("sequential", "greedy-replacement") else a)
        missing = "not_found" if greedy else "infeasible"
        status = ("feasible" if greedy or method == "greedy_wrapper" else "optimal") if valid else missing
        q = quality[number] + 0.01 * fold
        made.append(
            row(
                dataset, fold, method, k=k, tau=tau, search=search, aggregation=aggregation, n_alternatives=a,
                number=number, status=status, train_objective=q, test_objective=q - 0.1 + 0.05 * rng.random(),
                train_mcc=0.95, test_mcc=q - 0.2 + 0.2 * rng.random(),
                n_iterations=600 + 10 * k if method == "greedy_wrapper" else 0,
                processor_seconds=seconds if search == "sequential" or number == 0 else 0.0,
                timed_out=method == "greedy_wrapper",
                bound=np.inf if greedy else q,
            )
        )  # fmt: skip
    return made
