"""The tables of the paper's evaluation, each published value beside ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.experiments.report.names import (
    BLACK_BOX,
    METHODS,
    PROVEN,
    SEARCHES,
    SOLVER_BASED,
    STATUSES,
    STEPWISE,
    method_name,
    methods_in_order,
)
from altsets.experiments.report.published import published, published_number
from altsets.experiments.report.runs import MOST_ALTERNATIVES, Frame, failures_in, pandas, runs_of, sets_in

__all__ = [
    "PAPER",
    "core_hours",
    "coverage",
    "seconds_by_a",
    "seconds_by_search",
    "status_by_a",
    "status_by_search",
]

#: How columns of published values end.
PAPER = " (paper)"
#: The paper's tables are about sets of this size.
SIZE = 5


def status_by_search(frame: Frame) -> Frame:
    """How searches ended, in percent, by method and search.

    Searches with k = 5 and 1 to 5 alternatives, all thresholds; Greedy Wrapper is left out, as it proves nothing.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.
    """
    runs = runs_of(sets_in(frame, k=SIZE, methods=_white_box(frame)))
    groups = dict(list(runs.groupby(["method", "how"])))
    printed = published()["status_percent"]
    rows = []
    for method in methods_in_order({*_white_box(frame), *METHODS} - set(BLACK_BOX)):
        for how, label in SEARCHES.items():
            paper = printed.get(method, {}).get(how)
            if paper is None and (method, how) not in groups:
                continue
            paper = dict(zip(printed["columns"], paper or [], strict=False))
            statuses = groups[method, how]["status"] if (method, how) in groups else None
            shares = _status_cells(statuses, printed["columns"], paper)
            rows.append({"method": method_name(method), "search": label, **shares})
    return pandas().DataFrame(rows)


def status_by_a(frame: Frame) -> Frame:
    """How simultaneous searches for the best sum ended, in percent, by number of alternatives.

    Searches with k = 5 of all methods but Greedy Wrapper. Each method weighs the same, as in the paper, also if
    it was run on fewer data sets and folds than others.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.
    """
    runs = runs_of(sets_in(frame, k=SIZE, methods=_white_box(frame), how=["sim-sum"]))
    printed = published()["status_percent_by_a"]
    rows = []
    for a in range(1, MOST_ALTERNATIVES + 1):
        paper = dict(zip(printed["columns"], printed[str(a)], strict=True))
        those = runs[runs["a"] == a]
        each = [
            _status_cells(group["status"], printed["columns"], paper) for _, group in those.groupby("method")
        ]
        cells = each[0] if each else _status_cells(None, printed["columns"], paper)
        shares = {
            label: float(np.mean([one[label] for one in each or [cells]])) for label in STATUSES.values()
        }
        rows.append({"a": a, **cells, **shares, "searches": len(those)})
    return pandas().DataFrame(rows)


def _white_box(frame: Frame) -> list[str]:
    # A list is never empty here: an empty one would mean all methods.
    return sorted({*frame["method"].unique(), *METHODS} - set(BLACK_BOX))


def _status_cells(statuses: Any, printed: list[str], paper: dict[str, float]) -> dict[str, float]:
    n_runs = 0 if statuses is None else len(statuses)
    counts = statuses.map(STATUSES).value_counts() if n_runs else {}
    cells: dict[str, float] = {"searches": n_runs}
    for label in STATUSES.values():
        cells[label] = 100 * counts.get(label, 0) / n_runs if n_runs else np.nan
        if label in printed:
            cells[label + PAPER] = paper.get(label, np.nan)
    return cells


def seconds_by_search(frame: Frame) -> Frame:
    """Mean time of a search in seconds, by method and search (k = 5, 1 to 5 alternatives, all thresholds).

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.
    """
    means = runs_of(sets_in(frame, k=SIZE)).groupby(["method", "how"])["seconds"].mean()
    rows = []
    for method in methods_in_order({*METHODS, *means.index.unique("method")}):
        row: dict[str, Any] = {"method": method_name(method)}
        for how, label in SEARCHES.items():
            row[label] = means.get((method, how), np.nan)
            row[label + PAPER] = published_number("seconds", method, how)
        rows.append(row)
    return pandas().DataFrame(rows)


def seconds_by_a(frame: Frame) -> Frame:
    """Mean time of a simultaneous search for the best sum in seconds, by number of alternatives and method (k = 5).

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.
    """
    means = runs_of(sets_in(frame, k=SIZE, how=["sim-sum"])).groupby(["a", "method"])["seconds"].mean()
    rows = []
    for a in range(1, MOST_ALTERNATIVES + 1):
        row: dict[str, Any] = {"a": a}
        for method in methods_in_order({*METHODS, *means.index.unique("method")}):
            row[method_name(method)] = means.get((a, method), np.nan)
            row[method_name(method) + PAPER] = published_number("seconds_by_a", str(a), method)
        rows.append(row)
    return pandas().DataFrame(rows)


#: What makes a search as it was run: one that goes step by step counts once.
SEARCH = ["dataset", "fold", "tau", "how", "n_alternatives"]


def coverage(frame: Frame) -> Frame:
    """What was run, by method and size.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set, and one for each task that failed.

    Returns
    -------
    DataFrame
        Data sets, folds, tasks (data set and fold), searches as they were run (a sequential one with all its
        alternatives is one), sets, the share of sets that are proven (best, or proven not to be there; solver-based
        searches of methods that can be proven), searches stopped by the time limit, and tasks that failed, which
        they do with all their sizes.
    """
    sets = sets_in(frame)
    failed = failures_in(frame)["method"].value_counts()
    rows = []
    for method in methods_in_order({*sets["method"], *failed.index}):
        those = sets[sets["method"] == method]
        for k in sorted(those["k"].unique()) or [None]:
            rows.append(
                {
                    "method": method_name(method),
                    "k": k,
                    **_covered(those[those["k"] == k]),
                    "failed tasks": int(failed.get(method, 0)),
                }
            )
    return (
        pandas().DataFrame(rows).astype({"k": "Int64"})
        if rows
        else pandas().DataFrame({"method": [], "k": []})
    )


def _covered(sets: Frame) -> dict[str, float]:
    searches = sets.groupby(SEARCH, sort=False)["timed_out"].any()
    solved = sets.loc[sets["how"].isin(SOLVER_BASED) & ~sets["method"].isin(BLACK_BOX), "status"]
    return {
        "data sets": sets["dataset"].nunique(),
        "folds": sets["fold"].nunique(),
        "tasks": len(sets[["dataset", "fold"]].drop_duplicates()),
        "searches": len(searches),
        "sets": len(sets),
        "proven sets %": 100 * solved.isin(PROVEN).mean() if len(solved) else np.nan,
        "timed out": int(searches.sum()),
    }


def core_hours(frame: Frame) -> Frame:
    """Hours that one core searched, by method, and the paper's for the whole study.

    The paper's figure is that of its whole pipeline, 249 hours on 32 cores; ours is the time of the searches.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.
    """
    sets = sets_in(frame)
    # A step-by-step search has a time for each set, any other one time on all of its rows.
    counted = sets[sets["how"].isin(STEPWISE) | (sets["number"] == 0)]
    hours = counted.groupby(["method", "how"])["search_seconds"].sum() / 3600
    rows = []
    for method in methods_in_order(sets["method"].unique()):
        cells = {label: hours.get((method, how), 0.0) for how, label in SEARCHES.items()}
        rows.append(
            {"method": method_name(method), **cells, "all": sum(cells.values()), "all" + PAPER: np.nan}
        )
    if rows:
        total = {name: sum(row[name] for row in rows) for name in [*SEARCHES.values(), "all"]}
        rows.append({"method": "all methods", **total, "all" + PAPER: published_number("core_hours")})
    return pandas().DataFrame(rows)
