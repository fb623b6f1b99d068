"""From rows of single sets to searches: what each found for each number of alternatives, and how good that is.

The paper counts searches, each with its number of alternatives ``a``. A search that goes step by step with up to 10
alternatives stands for ten of them: the one with ``a`` alternatives is its sets 0 to ``a``, has the status of set
``a`` and took the time of all of them. A simultaneous search is one run as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.errors import MissingExtraError
from altsets.experiments.report.names import FOUND, PROVEN, STATUSES, STEPWISE, search_key

__all__ = [
    "MOST_ALTERNATIVES",
    "RUN",
    "SETTING",
    "Frame",
    "failures_in",
    "original_sets",
    "pandas",
    "runs_of",
    "sets_in",
]

#: A pandas DataFrame.
Frame = Any

#: What a search is compared on with other searches.
SETTING = ["dataset", "fold", "method", "k", "tau"]
#: What makes a run.
RUN = [*SETTING, "how", "a"]
#: Searches are compared for 1 to this many alternatives.
MOST_ALTERNATIVES = 5

#: What runs are measured by.
METRICS = ("train_objective", "test_objective", "test_mcc")

_CODES = {status: code for code, status in enumerate(STATUSES)}
_FOUND = [_CODES[status] for status in FOUND]
_PROVEN = [_CODES[status] for status in PROVEN]
#: By their codes; a row that is not there (-1) was not found.
_NAMES = np.array([*STATUSES, "not_found"], dtype=object)


def pandas() -> Any:
    """The pandas module, or a sentence on how to install it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("a report on the study", "pandas", "study") from error
    return pd


def sets_in(
    frame: Frame, *, k: int | None = None, methods: Sequence[str] = (), how: Sequence[str] = ()
) -> Frame:
    """The rows of the results that are sets, with the search under its short key in the column ``how``.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set, and one for each task that failed.
    k : int or None
        Only sets of this size.
    methods : sequence of str
        Only these methods; all if empty.
    how : sequence of str
        Only these searches, by their short keys; all if empty.
    """
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
    kinds = sets.groupby(["search", "aggregation"], sort=False)
    # As many as there are kinds of searches, whatever the number of rows.
    keys = [search_key(search, aggregation) for search, aggregation in kinds.groups]
    return np.array(keys, dtype=object)[kinds.ngroup().to_numpy()] if keys else np.array([], dtype=object)


def failures_in(frame: Frame) -> Frame:
    """The tasks that failed: data set, fold, method and error."""
    return frame.loc[frame["error"].notna(), ["dataset", "fold", "method", "error"]]


def original_sets(frame: Frame) -> Frame:
    """Set 0 of each sequential search, once for each data set, fold, method and size: it is the same for any tau."""
    sets = sets_in(frame, how=["seq"])
    sets = sets[sets["number"] == 0].sort_values("tau", kind="stable")
    return sets.drop_duplicates(["dataset", "fold", "method", "k"])


def runs_of(sets: Frame, most: int = MOST_ALTERNATIVES) -> Frame:
    """One row for each run: its status and time, whether it is complete and proven, and the quality of its sets.

    Parameters
    ----------
    sets : DataFrame
        What :func:`sets_in` returns.
    most : int
        Runs with 1 to this many alternatives.

    Returns
    -------
    DataFrame
        The columns of ``RUN``, then ``status``, ``seconds``, ``timed_out``, ``valid`` (all sets 0 to a were found),
        ``proven`` (each of them is optimal, or it is proven that there are none), ``mean_*`` and ``std_*`` for each
        metric (the standard deviation of a sample), and ``worst`` (the smallest training objective).
    """
    parts: list[Frame] = []
    for how, rows in sets.groupby("how", sort=True):
        if how in STEPWISE:
            parts += _runs(rows, str(how), range(1, most + 1))
            continue
        for a, those in rows.groupby("n_alternatives", sort=True):
            if 1 <= a <= most:
                parts += _runs(those, str(how), [int(a)])
    return pandas().concat(parts, ignore_index=True) if parts else _no_runs()


def _no_runs() -> Frame:
    columns = [*RUN, "status", "seconds", "timed_out", "valid", "proven", "worst"]
    columns += [f"{what}_{metric}" for metric in METRICS for what in ("mean", "std")]
    texts = {"dataset": object, "method": object, "how": object, "status": object}
    flags = {"timed_out": bool, "valid": bool, "proven": bool}
    frame = pandas().DataFrame({name: [] for name in columns})
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
    seconds, late = table("search_seconds"), table("timed_out")
    qualities = {metric: table(metric) for metric in METRICS}
    return [
        settings.assign(how=how, a=a, **_run_columns(how, a, statuses, (seconds, late), qualities))
        for a in numbers
        if a < shape[1]
    ]


def _run_columns(
    how: str, a: int, statuses: Indices, times: tuple[Floats, Floats], qualities: dict[str, Floats]
) -> dict[str, Any]:
    """What runs with ``a`` alternatives come to: tables have a row for each search and a column for each number."""
    until = slice(0, a + 1)
    seconds, late = times
    columns = {
        "status": _NAMES[statuses[:, a]],
        "seconds": np.nansum(seconds[:, until], axis=1) if how in STEPWISE else seconds[:, 0],
        "timed_out": np.nansum(late[:, until], axis=1) > 0,
        "valid": np.isin(statuses[:, until], _FOUND).all(axis=1),
        "proven": np.isin(statuses[:, until], _PROVEN).all(axis=1),
        "worst": qualities["train_objective"][:, until].min(axis=1),
    }
    for metric, values in qualities.items():
        columns[f"mean_{metric}"] = values[:, until].mean(axis=1)
        columns[f"std_{metric}"] = values[:, until].std(axis=1, ddof=1)
    return columns
