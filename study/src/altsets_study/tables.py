"""Tables of the paper's evaluation, each published value beside ours."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from altsets_study.datasets import DATASETS, Floats, Indices

#: In the order of the paper's tables, which is that of the alphabet.
METHODS = {
    "fcbf": "FCBF",
    "greedy_wrapper": "Greedy Wrapper",
    "mutual_info": "MI",
    "model_gain": "Model Gain",
    "mrmr": "mRMR",
}
#: Methods without a formula that a search could optimise: their searches are heuristic.
BLACK_BOX = ("greedy_wrapper",)
WHITE_BOX = tuple(method for method in METHODS if method not in BLACK_BOX)
#: Methods that the two greedy heuristics work for.
UNIVARIATE = ("mutual_info", "model_gain")

#: By a short key, in the order of the paper's tables.
SEARCHES = {
    "bal": "bal.",
    "rep": "rep.",
    "seq": "seq.",
    "sim-min": "sim. (min)",
    "sim-sum": "sim. (sum)",
}
SOLVER_BASED = ("seq", "sim-min", "sim-sum")
HEURISTICS = ("bal", "rep")
#: Searches that find one set after the other, so that one search with 10 alternatives holds all with fewer.
STEPWISE = ("seq", "rep")

#: As stored, and as the paper calls them.
STATUSES = {
    "infeasible": "infeasible",
    "not_found": "not solved",
    "feasible": "feasible",
    "optimal": "optimal",
}
#: There is a set.
FOUND = ("feasible", "optimal")
#: Nothing is left open.
PROVEN = ("infeasible", "optimal")

_KEYS = {"greedy-balancing": "bal", "greedy-replacement": "rep", "sequential": "seq"}


def search_key(search: str, aggregation: str) -> str:
    """The short key of a search as it is stored."""
    return f"sim-{aggregation}" if search == "simultaneous" else _KEYS.get(search, search)


def method_name(method: str) -> str:
    """The name to show for a method; an extra one goes by its own."""
    return METHODS.get(method, method)


def methods_in_order(methods: Iterable[str]) -> list[str]:
    """Some methods in the order of the paper's tables, extra ones behind."""
    there = set(methods)
    return [method for method in METHODS if method in there] + sorted(there - METHODS.keys())


@cache
def read_json(file: str) -> dict[str, Any]:
    """A JSON file of this package."""
    text = resources.files("altsets_study").joinpath(file).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def published() -> dict[str, Any]:
    """All published figures, by the names in ``published.json``."""
    return read_json("published.json")


def published_number(*path: str) -> float:
    """One published figure; NaN where the paper printed none."""
    found: Any = published()
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return math.nan if found is None else float(found)


#: A pandas DataFrame.
Frame = Any

#: What is said instead of a verdict where runs of the paper's design are missing.
NOT_ENOUGH = "not enough runs"


class Tasks:
    """The tasks of the paper's design that were run, by method and size."""

    def __init__(self, tasks: Iterable[tuple[str, int, str, int]]) -> None:
        self.n_planned = len(DATASETS) * int(published()["design"]["folds"])
        self._counts = Counter(
            (method, k)
            for method, k, dataset, fold in tasks
            if dataset in DATASETS and 0 <= fold < published()["design"]["folds"]
        )

    def complete(self, methods: Iterable[str], sizes: Sequence[int]) -> bool:
        """Whether all data sets and folds were run with these methods and sizes."""
        return all(self._counts[method, k] == self.n_planned for method in methods for k in sizes)

    def in_words(self, methods: Iterable[str], sizes: Sequence[int]) -> str:
        """What was run of these methods and sizes."""
        counts: dict[int, list[str]] = {}
        for method in methods:
            for k in sizes:
                counts.setdefault(self._counts[method, k], []).append(f"{method_name(method)} {k}")
        return "; ".join(
            f"{', '.join(names)}: {count} of {self.n_planned}" for count, names in counts.items()
        )


def tasks_in(frame: Frame) -> Tasks:
    """The tasks in results: pairs of data set and fold, for each method and size."""
    there = frame.loc[frame["error"].isna(), ["method", "k", "dataset", "fold"]].drop_duplicates()
    return Tasks(there.itertuples(index=False, name=None))


#: What a search is compared on with other searches.
SETTING = ["dataset", "fold", "method", "k", "tau"]
#: What makes a run.
RUN = [*SETTING, "how", "a"]
#: Searches are compared for 1 to this many alternatives.
MOST_ALTERNATIVES = 5

#: The time of a search: that of its processor, as other programs may keep the machine busy.
SECONDS = "processor_seconds"
#: What runs are measured by.
METRICS = ("train_objective", "test_objective", "test_mcc")

_CODES = {status: code for code, status in enumerate(STATUSES)}
_FOUND = [_CODES[status] for status in FOUND]
_PROVEN = [_CODES[status] for status in PROVEN]
#: By their codes; a row that is not there (-1) was not found.
_NAMES = np.array([*STATUSES, "not_found"], dtype=object)


def sets_in(
    frame: Frame, *, k: int | None = None, methods: Sequence[str] = (), how: Sequence[str] = ()
) -> Frame:
    """The rows of the results that are sets, with the search under its short key in the column ``how``."""
    # The features themselves are heavy to carry along, and nothing here counts them.
    frame = frame.drop(columns="features", errors="ignore")
    keep = frame["error"].isna().to_numpy(dtype=bool)
    if k is not None:
        keep = keep & (frame["k"] == k).to_numpy(dtype=bool, na_value=False)
    if methods:
        keep = keep & frame["method"].isin(methods).to_numpy(dtype=bool)
    sets = frame[keep]
    sets = sets.assign(how=_keys(sets))
    if how:
        sets = sets[sets["how"].isin(how)]
    whole = {name: np.int64 for name in ("fold", "k", "n_alternatives", "number")}
    return sets.astype({**whole, "timed_out": bool, "tau": float})


def _keys(sets: Frame) -> Any:
    # One key for each kind of search, whatever the number of rows.
    search, searches = pd.factorize(sets["search"])
    aggregation, aggregations = pd.factorize(sets["aggregation"])
    keys = [search_key(one, other) for one in searches for other in aggregations]
    return np.array(keys, dtype=object)[search * len(aggregations) + aggregation]


def failures_in(frame: Frame) -> Frame:
    """The tasks that failed: data set, fold, method and error."""
    return frame.loc[frame["error"].notna(), ["dataset", "fold", "method", "error"]]


def original_sets(frame: Frame) -> Frame:
    """Set 0 of each sequential search, once for each data set, fold, method and size: it is the same for any tau."""
    sets = sets_in(frame, how=["seq"])
    sets = sets[sets["number"] == 0].sort_values("tau", kind="stable")
    return sets.drop_duplicates(["dataset", "fold", "method", "k"])


def runs_of(sets: Frame, most: int = MOST_ALTERNATIVES) -> Frame:
    """One row for each run: its status and time, whether it is complete and proven, and the quality of its sets."""
    parts: list[Frame] = []
    for how, rows in sets.groupby("how", sort=True):
        if how in STEPWISE:
            parts += _runs(rows, str(how), range(1, most + 1))
            continue
        for a, those in rows.groupby("n_alternatives", sort=True):
            if 1 <= a <= most:
                parts += _runs(those, str(how), [int(a)])
    return pd.concat(parts, ignore_index=True) if parts else _no_runs()


def _no_runs() -> Frame:
    columns = [*RUN, "status", "seconds", "timed_out", "valid", "proven", "worst"]
    columns += [f"{what}_{metric}" for metric in METRICS for what in ("mean", "std")]
    texts = {"dataset": object, "method": object, "how": object, "status": object}
    flags = {"timed_out": bool, "valid": bool, "proven": bool}
    frame = pd.DataFrame({name: [] for name in columns})
    return frame.astype({**dict.fromkeys(columns, float), **texts, **flags})


def _runs(rows: Frame, how: str, numbers: Iterable[int]) -> list[Frame]:
    """The runs of searches of one kind, one frame for each number of alternatives."""
    run = rows.groupby(SETTING, sort=False).ngroup().to_numpy()
    settings = rows.drop_duplicates(SETTING)[SETTING].reset_index(drop=True)
    place = (run, rows["number"].to_numpy())
    shape = (len(settings), int(rows["number"].max()) + 1)

    def table(column: str) -> Floats:
        values = np.full(shape, np.nan)
        values[place] = rows[column].to_numpy(dtype=float, na_value=np.nan)
        return values

    statuses = np.full(shape, -1, dtype=np.intp)
    statuses[place] = rows["status"].map(_CODES).to_numpy(dtype=int)
    seconds, late = table(SECONDS), table("timed_out")
    qualities = {metric: table(metric) for metric in METRICS}
    return [
        settings.assign(how=how, a=a, **_run_columns(a, statuses, (seconds, late), qualities))
        for a in numbers
        if a < shape[1]
    ]


def _run_columns(
    a: int, statuses: Indices, times: tuple[Floats, Floats], qualities: dict[str, Floats]
) -> dict[str, Any]:
    """What runs with ``a`` alternatives come to: tables have a row for each search and a column for each number."""
    until = slice(0, a + 1)
    seconds, late = times
    columns = {
        "status": _NAMES[statuses[:, a]],
        "seconds": np.nansum(seconds[:, until], axis=1),
        "timed_out": np.nansum(late[:, until], axis=1) > 0,
        "valid": np.isin(statuses[:, until], _FOUND).all(axis=1),
        "proven": np.isin(statuses[:, until], _PROVEN).all(axis=1),
        "worst": qualities["train_objective"][:, until].min(axis=1),
    }
    for metric, values in qualities.items():
        columns[f"mean_{metric}"] = values[:, until].mean(axis=1)
        columns[f"std_{metric}"] = values[:, until].std(axis=1, ddof=1)
    return columns


#: How columns of published values end.
PAPER = " (paper)"
#: The paper's tables are about sets of this size.
SIZE = 5


def status_by_search(frame: Frame) -> Frame:
    """How searches ended, in percent, by method and search.

    Searches with k = 5 and 1 to 5 alternatives, all thresholds; Greedy Wrapper is left out, as it proves nothing.
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
    return pd.DataFrame(rows)


def status_by_a(frame: Frame) -> Frame:
    """How simultaneous searches for the best sum ended, in percent, by number of alternatives.

    Searches with k = 5 of all methods but Greedy Wrapper. Each method weighs the same, as in the paper, also if
    it was run on fewer data sets and folds than others.
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
    return pd.DataFrame(rows)


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
    """Mean processor time of a search in seconds, by method and search (k = 5, 1 to 5 alternatives, all thresholds)."""
    means = runs_of(sets_in(frame, k=SIZE)).groupby(["method", "how"])["seconds"].mean()
    rows = []
    for method in methods_in_order({*METHODS, *means.index.unique("method")}):
        row: dict[str, Any] = {"method": method_name(method)}
        for how, label in SEARCHES.items():
            row[label] = means.get((method, how), np.nan)
            row[label + PAPER] = published_number("seconds", method, how)
        rows.append(row)
    return pd.DataFrame(rows)


def seconds_by_a(frame: Frame) -> Frame:
    """Mean processor time of simultaneous searches for the best sum, in seconds, by a and method (k = 5)."""
    means = runs_of(sets_in(frame, k=SIZE, how=["sim-sum"])).groupby(["a", "method"])["seconds"].mean()
    rows = []
    for a in range(1, MOST_ALTERNATIVES + 1):
        row: dict[str, Any] = {"a": a}
        for method in methods_in_order({*METHODS, *means.index.unique("method")}):
            row[method_name(method)] = means.get((a, method), np.nan)
            row[method_name(method) + PAPER] = published_number("seconds_by_a", str(a), method)
        rows.append(row)
    return pd.DataFrame(rows)


#: What makes a search as it was run: one that goes step by step counts once.
SEARCH = ["dataset", "fold", "tau", "how", "n_alternatives"]


def coverage(frame: Frame) -> Frame:
    """The tasks that were run, by method and size."""
    sets = sets_in(frame)
    failed = failures_in(frame)["method"].value_counts()
    rows = []
    for method in methods_in_order({*sets["method"], *failed.index}):
        those = sets[sets["method"] == method]
        for k in sorted(those["k"].unique()) or [None]:
            counts = _covered(those[those["k"] == k]) | {"failed tasks": int(failed.get(method, 0))}
            rows.append({"method": method_name(method), "k": k, **counts})
    table = pd.DataFrame(rows) if rows else pd.DataFrame({"method": [], "k": []})
    return table.astype({"k": "Int64"})


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

    The paper's figure is that of its whole pipeline, 249 hours on 32 cores; ours is the processor time of the searches.
    """
    sets = sets_in(frame)
    hours = sets.groupby(["method", "how"])[SECONDS].sum() / 3600
    rows = []
    for method in methods_in_order(sets["method"].unique()):
        cells = {label: hours.get((method, how), 0.0) for how, label in SEARCHES.items()}
        rows.append(
            {"method": method_name(method), **cells, "all": sum(cells.values()), "all" + PAPER: np.nan}
        )
    if rows:
        total = {name: sum(row[name] for row in rows) for name in [*SEARCHES.values(), "all"]}
        rows.append({"method": "all methods", **total, "all" + PAPER: published_number("core_hours")})
    return pd.DataFrame(rows)
