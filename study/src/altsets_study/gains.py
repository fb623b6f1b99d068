"""Gains and losses of proven searches: what simultaneous search gains, and what heuristics lose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from altsets_study import tables
from altsets_study.datasets import Floats
from altsets_study.tables import Frame

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
#: Sentences about rows of the tables below.
IN_SUM = (
    "{0[method]}, k = {0[k]}: of {0[settings]:,} settings, {0[compared]:,} are proven for sequential and simultaneous "
    "search and have all sets; the best sum is higher than that of sequential search in {0[gain %]:.1f} % of these. "
    "All together they are {0[total %]:.3g} % higher ({0[mean gain a set]:.3g} a set); one in twenty gains "
    "{0[95th percentile %]:.3g} % or more."
)
NOTHING_PROVEN = (
    "{0[method]}, k = {0[k]}: of {0[settings]:,} settings, 0 are proven for both searches and have all sets, so "
    "nothing can be said."
)
IN_WORST = (
    "{0[method]}, k = {0[k]}: the best minimum lifts the worst set in {0[gain %]:.1f} % of {0[compared]:,} proven "
    "settings, by {0[mean gain]:.3g} in units of the objective on average (median: {0[median %]:.3g} % of the worst "
    "quality), and costs {0[cost in sum %]:.3g} % of the best sum."
)
SHORTFALL = (
    "{0[method]}, k = {0[k]}: {0[heuristic]} loses {0[mean %]:.3g} % of the {0[of]} of {0[against]} on average, "
    "{0[worst %]:.3g} % at worst, and finds no sets in {0[no sets %]:.1f} % of {0[proven]:,} settings that have some."
)


def side_by_side(frame: Frame) -> Frame:
    """All searches of a setting in one row, which is what the other functions here start from."""
    sets = tables.sets_in(frame)
    runs = tables.runs_of(sets[~sets["method"].isin(tables.BLACK_BOX)])
    runs = runs.assign(sum=runs["mean_train_objective"] * (runs["a"] + 1))
    keys = [*tables.SETTING, "a"]
    table = runs[keys].drop_duplicates()
    for how in tables.SEARCHES:
        those = runs.loc[runs["how"] == how, [*keys, "sum", "worst", "proven", "valid"]]
        named = {column: f"{column} {how}" for column in ("sum", "worst", "proven", "valid")}
        those = those.rename(columns=named).assign(**{f"ran {how}": True})
        table = table.merge(those, on=keys, how="left")
        for flag in ("ran", "proven", "valid"):
            table[f"{flag} {how}"] = table[f"{flag} {how}"].eq(True)
    return table


def _differences(table: Frame, first: str, second: str) -> Floats:
    """How much larger one column is than another; what is only rounding is 0."""
    found = table[first].to_numpy(dtype=float) - table[second].to_numpy(dtype=float)
    return np.where(np.abs(found) <= TOLERANCE, 0.0, found)


def _relative(gains: Floats, scale: Frame) -> Floats:
    """Gains over qualities that are not close to 0, in percent."""
    sizes = np.abs(scale.to_numpy(dtype=float))
    fit = sizes >= SMALLEST_SCALE
    relative: Floats = 100 * gains[fit] / sizes[fit]
    return relative


def _of(values: Floats, number: Callable[[Floats], Any]) -> float:
    """A number of some values; NaN if there are none."""
    return float(number(values)) if len(values) else math.nan


def _summary(gains: Floats, scale: Frame) -> dict[str, float]:
    """How many gains are above 0, and how large they are relative to the scale, in percent.

    Single ratios mean little where qualities are close to 0, as those of mRMR may be; the total does not suffer.
    """
    relative = _relative(gains, scale)
    return {
        "gain %": _of(gains, lambda values: 100 * (values > 0).mean()),
        "total %": _of(relative, lambda _: 100 * gains.sum() / np.abs(scale.to_numpy(dtype=float)).sum()),
        "mean %": _of(relative, np.mean),
        "median %": _of(relative, np.median),
        "95th percentile %": _of(relative, lambda values: np.quantile(values, 0.95)),
        "largest %": _of(relative, np.max),
    }


def _rows(table: Frame, by: Sequence[str], cells: Callable[[Frame], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of cells for each group, in the order of methods; ``by`` begins with the method."""
    rows = []
    for method in tables.methods_in_order(table["method"].unique()):
        those = table[table["method"] == method]
        for key, group in those.groupby(list(by)):
            named = dict(zip(by, key, strict=True)) | {"method": tables.method_name(method)}
            rows.append(named | cells(group))
    return rows


def _complete(table: Frame, *searches: str) -> Frame:
    """Where all these searches are proven and have all sets."""
    flags = [table[f"{flag} {how}"] for how in searches for flag in ("proven", "valid")]
    return table[np.all(flags, axis=0)]


def gains_in_sum(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best sum gains over sequential search."""

    def cells(table: Frame) -> dict[str, Any]:
        both = _complete(table, "seq", "sim-sum")
        gains = _differences(both, "sum sim-sum", "sum seq")
        ends = table["proven seq"] & ~table["valid seq"] & table["proven sim-sum"] & table["valid sim-sum"]
        return {
            "settings": len(table),
            "compared": len(both),
            "sequential runs out": int(ends.sum()),
            **_summary(gains, both["sum seq"]),
            "mean gain a set": _of(gains / (both["a"].to_numpy() + 1), np.mean),
            "below": int((gains < 0).sum()),
        }

    return pd.DataFrame(_rows(searches, by, cells))


def gains_in_worst(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best minimum gains in the worst set, and what that costs in the sum."""

    def cells(table: Frame) -> dict[str, Any]:
        these = _complete(table, "seq", "sim-min", "sim-sum")
        gains = _differences(these, "worst sim-min", "worst seq")
        best = np.abs(these["sum sim-sum"].to_numpy(dtype=float)).sum()
        costs = _differences(these, "sum sim-sum", "sum sim-min")
        return {
            "settings": len(table),
            "compared": len(these),
            **_summary(gains, these["worst seq"]),
            "mean gain": _of(gains, np.mean),
            "cost in sum %": _of(costs, lambda values: 100 * (values.sum() / best)),
            "below": int((gains < 0).sum()),
        }

    return pd.DataFrame(_rows(searches, by, cells))


def shortfalls(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """How far the greedy heuristics fall short of proven searches."""
    table = searches[searches["method"].isin(tables.UNIVARIATE)]
    rows = []
    for heuristic, exact, what in COMPARISONS:
        names = {
            "heuristic": tables.SEARCHES[heuristic],
            "against": tables.SEARCHES[exact],
            "of": "sum of qualities" if what == "sum" else "worst quality",
        }
        rows += [
            names | row
            for row in _rows(table, by, partial(_shortfall, heuristic=heuristic, exact=exact, what=what))
        ]
    return pd.DataFrame(rows)


def _shortfall(group: Frame, heuristic: str, exact: str, what: str) -> dict[str, Any]:
    solved = _complete(group[group[f"ran {heuristic}"]], exact)
    both = solved[solved[f"valid {heuristic}"]]
    lost = _differences(both, f"{what} {exact}", f"{what} {heuristic}")
    relative = _relative(lost, both[f"{what} {exact}"])
    return {
        "proven": len(solved),
        "no sets %": 100 * (1 - len(both) / len(solved)) if len(solved) else math.nan,
        "mean %": _of(relative, np.mean),
        "median %": _of(relative, np.median),
        "worst %": _of(relative, np.max),
        "exact %": _of(relative, lambda _: 100 * (lost <= 0).mean()),
    }


def sentences(searches: Frame) -> list[str]:
    """The findings in words, one sentence for each method and question, computed from the results."""
    sums, worst, short = (
        make(searches, ["method", "k"]) for make in (gains_in_sum, gains_in_worst, shortfalls)
    )
    said = [
        IN_SUM.format(row) if row["compared"] else NOTHING_PROVEN.format(row) for _, row in sums.iterrows()
    ]
    said += [IN_WORST.format(row) for _, row in worst.iterrows() if row["compared"]]
    return said + [SHORTFALL.format(row) for _, row in short.iterrows() if row["proven"]]
