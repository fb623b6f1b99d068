"""What the paper could not say: what searches gain and miss where every one of them is proven."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.experiments.report.names import BLACK_BOX, SEARCHES, UNIVARIATE, method_name, methods_in_order
from altsets.experiments.report.runs import SETTING, Frame, pandas, runs_of, sets_in

__all__ = ["gains_in_sum", "gains_in_worst", "sentences", "shortfalls", "side_by_side"]

#: Sums that differ by less are equal.
TOLERANCE = 1e-9
#: Relative differences are over qualities that are at least so far from 0.
SMALLEST_SCALE = 1e-6
#: (heuristic, exact search, what is compared)
COMPARISONS = (
    ("rep", "seq", "sum"),
    ("rep", "sim-sum", "sum"),
    ("bal", "sim-sum", "sum"),
    ("bal", "sim-min", "worst"),
)


def side_by_side(frame: Frame) -> Frame:
    """All searches of a setting in one row, which is what the other functions here start from.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set.

    Returns
    -------
    DataFrame
        One row for each setting and number of alternatives, with columns such as ``sum seq`` and ``proven sim-min``.
        Black-box methods are left out, as nothing about them is proven.
    """
    sets = sets_in(frame)
    runs = runs_of(sets[~sets["method"].isin(BLACK_BOX)])
    runs = runs.assign(sum=runs["mean_train_objective"] * (runs["a"] + 1))
    keys = [*SETTING, "a"]
    table = runs[keys].drop_duplicates()
    for how in SEARCHES:
        those = runs.loc[runs["how"] == how, [*keys, "sum", "worst", "proven", "valid"]]
        named = {column: f"{column} {how}" for column in ("sum", "worst", "proven", "valid")}
        those = those.rename(columns=named).assign(**{f"ran {how}": True})
        table = table.merge(those, on=keys, how="left")
        for flag in ("ran", "proven", "valid"):
            table[f"{flag} {how}"] = table[f"{flag} {how}"].eq(True)
    return table


def _differences(first: Frame, second: Frame) -> Floats:
    """How much more the first are than the second; what is only rounding is 0."""
    found = first.to_numpy(dtype=float) - second.to_numpy(dtype=float)
    return np.where(np.abs(found) <= TOLERANCE, 0.0, found)


def _relative(gains: Floats, scale: Floats) -> Floats:
    fit = np.abs(scale) >= SMALLEST_SCALE
    return 100 * gains[fit] / np.abs(scale[fit])


def _summary(gains: Floats, scale: Floats) -> dict[str, float]:
    """How many gains are above 0, and how large they are relative to the scale, in percent.

    Single ratios mean little where qualities are close to 0, as those of mRMR may be; the total does not suffer.
    """
    relative = _relative(gains, scale)
    empty = not len(relative)
    return {
        "gain %": 100 * float((gains > 0).mean()) if len(gains) else math.nan,
        "total %": math.nan if empty else 100 * float(gains.sum() / np.abs(scale).sum()),
        "mean %": math.nan if empty else float(relative.mean()),
        "median %": math.nan if empty else float(np.median(relative)),
        "95th percentile %": math.nan if empty else float(np.quantile(relative, 0.95)),
        "largest %": math.nan if empty else float(relative.max()),
    }


def _groups(table: Frame, by: Sequence[str]) -> list[tuple[dict[str, Any], Frame]]:
    """Groups of rows in the order of methods, each with the cells that name it."""
    found: list[tuple[dict[str, Any], Frame]] = []
    for method in methods_in_order(table["method"].unique()):
        those = table[table["method"] == method]
        rest = [name for name in by if name != "method"]
        if not rest:
            found.append(({"method": method_name(method)}, those))
            continue
        for key, rows in those.groupby(rest):
            found.append(({"method": method_name(method), **dict(zip(rest, key, strict=True))}, rows))
    return found


def gains_in_sum(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best sum gains over sequential search.

    Parameters
    ----------
    searches : DataFrame
        What :func:`side_by_side` returns.
    by : sequence of str
        ``method``, and any of ``k``, ``a`` and ``tau``.

    Returns
    -------
    DataFrame
        For each group: ``settings`` (data set, fold, threshold...), how many of them are ``compared`` (both searches
        proven, both have all sets), in how many of those proven ``sequential runs out`` though there are sets, the
        percentage with a gain, the relative gain of all sums together (``total %``) and of single sums (``mean %``,
        ...), the mean gain a set in
        units of the objective, and in how many settings the proven best sum is ``below`` that of sequential search,
        which would be a contradiction.
    """
    rows = []
    for cells, table in _groups(searches, by):
        proven = table["proven seq"] & table["proven sim-sum"]
        both = table[proven & table["valid seq"] & table["valid sim-sum"]]
        gains = _differences(both["sum sim-sum"], both["sum seq"])
        rows.append(
            {
                **cells,
                "settings": len(table),
                "compared": len(both),
                "sequential runs out": int((proven & ~table["valid seq"] & table["valid sim-sum"]).sum()),
                **_summary(gains, both["sum seq"].to_numpy(dtype=float)),
                "mean gain a set": float((gains / (both["a"] + 1)).mean()) if len(both) else math.nan,
                "below": int((gains < 0).sum()),
            }
        )
    return pandas().DataFrame(rows)


def gains_in_worst(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best minimum gains in the worst set, and what that costs in the sum.

    Parameters
    ----------
    searches : DataFrame
        What :func:`side_by_side` returns.
    by : sequence of str
        ``method``, and any of ``k``, ``a`` and ``tau``.

    Returns
    -------
    DataFrame
        For each group, over the settings where sequential search and both simultaneous ones are proven and have all
        sets: gains of the worst set over that of sequential search, relative (``mean %``...) and in units of the
        objective; the loss of all sums together against the best sums (``cost in sum %``).
    """
    rows = []
    exact = ("seq", "sim-min", "sim-sum")
    for cells, table in _groups(searches, by):
        keep = np.all([table[f"{flag} {how}"] for how in exact for flag in ("proven", "valid")], axis=0)
        these = table[keep]
        worst = these["worst seq"].to_numpy(dtype=float)
        best = these["sum sim-sum"].to_numpy(dtype=float)
        gains = _differences(these["worst sim-min"], these["worst seq"])
        costs = _differences(these["sum sim-sum"], these["sum sim-min"])
        rows.append(
            {
                **cells,
                "settings": len(table),
                "compared": len(these),
                **_summary(gains, worst),
                "mean gain": float(gains.mean()) if len(gains) else math.nan,
                "cost in sum %": 100 * float(costs.sum() / np.abs(best).sum()) if len(costs) else math.nan,
                "below": int((gains < 0).sum()),
            }
        )
    return pandas().DataFrame(rows)


def shortfalls(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """How far the greedy heuristics fall short of proven searches.

    Parameters
    ----------
    searches : DataFrame
        What :func:`side_by_side` returns.
    by : sequence of str
        ``method``, and any of ``k``, ``a`` and ``tau``.

    Returns
    -------
    DataFrame
        For each group and comparison: ``proven`` (settings whose exact search is proven and has all sets), in how
        many percent of them the heuristic finds ``no sets %``, and over the others, in percent of the exact value:
        ``mean %``, ``median %``, ``worst %``, and how often nothing is lost (``exact %``).
    """
    table = searches[searches["method"].isin(UNIVARIATE)]
    rows = []
    for heuristic, exact, what in COMPARISONS:
        for cells, group in _groups(table, by):
            solved = group[group[f"ran {heuristic}"] & group[f"proven {exact}"] & group[f"valid {exact}"]]
            both = solved[solved[f"valid {heuristic}"]]
            scale = both[f"{what} {exact}"].to_numpy(dtype=float)
            lost = _differences(both[f"{what} {exact}"], both[f"{what} {heuristic}"])
            relative = _relative(lost, scale)
            there = len(relative) > 0
            rows.append(
                {
                    "heuristic": SEARCHES[heuristic],
                    "against": SEARCHES[exact],
                    "of": "sum of qualities" if what == "sum" else "worst quality",
                    **cells,
                    "proven": len(solved),
                    "no sets %": 100 * (1 - len(both) / len(solved)) if len(solved) else math.nan,
                    "mean %": float(relative.mean()) if there else math.nan,
                    "median %": float(np.median(relative)) if there else math.nan,
                    "worst %": float(relative.max()) if there else math.nan,
                    "exact %": 100 * float((lost <= 0).mean()) if there else math.nan,
                }
            )
    return pandas().DataFrame(rows)


def sentences(searches: Frame) -> list[str]:
    """The findings in words, one sentence for each method and question, computed from the results.

    Parameters
    ----------
    searches : DataFrame
        What :func:`side_by_side` returns.
    """
    said = []
    for _, row in gains_in_sum(searches, ["method", "k"]).iterrows():
        of = f"{row['method']}, k = {row['k']}: of {row['settings']:,} settings, {row['compared']:,} are proven for"
        if not row["compared"]:
            said.append(f"{of} both searches and have all sets, so nothing can be said.")
            continue
        said.append(
            f"{of} sequential and simultaneous search and have all sets; the best sum is higher than that of "
            f"sequential search in {row['gain %']:.1f} % of these. All together they are {row['total %']:.3g} % higher "
            f"({row['mean gain a set']:.3g} a set); one in twenty gains {row['95th percentile %']:.3g} % or more."
        )
    for _, row in gains_in_worst(searches, ["method", "k"]).iterrows():
        if row["compared"]:
            said.append(
                f"{row['method']}, k = {row['k']}: the best minimum lifts the worst set in {row['gain %']:.1f} % of "
                f"{row['compared']:,} proven settings, by {row['mean gain']:.3g} in units of the objective on average "
                f"(median: {row['median %']:.3g} % of the worst quality), and costs {row['cost in sum %']:.3g} % of "
                "the best sum."
            )
    for _, row in shortfalls(searches, ["method", "k"]).iterrows():
        if row["proven"]:
            said.append(
                f"{row['method']}, k = {row['k']}: {row['heuristic']} loses {row['mean %']:.3g} % of the {row['of']} "
                f"of {row['against']} on average, {row['worst %']:.3g} % at worst, and finds no sets in "
                f"{row['no sets %']:.1f} % of {row['proven']:,} settings that have some."
            )
    return said
