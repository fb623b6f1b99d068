"""Columns that give the target away: real tables that have none, and leaks that were planted in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altsets.selector.suspects import KNOWN_LATER, MADE_FROM_TARGET, suspects
from altsets.tables.conversion import features_of
from altsets.tables.target import outcome_of
from benchmarks.report import Check, Section, table

#: Leaks of each kind, each in another table, and how many of all must be found.
EACH, WANTED = 20, 95
#: Leaks that real tables have: all rows of a molecule are of one class.
REAL = {"clean1": "molecule_name", "clean2": "molecule_name"}
#: Rows of a table with a leak: half of them are small.
FEW_ROWS = 120


def run(folder: Path) -> Section:
    """All real tables as they are, then with one more column."""
    section = Section("leaks")
    tables = {
        path.name.removesuffix(".csv.gz"): pd.read_csv(path) for path in sorted(folder.glob("*.csv.gz"))
    }
    alarms = [
        f"{name}: {column}"
        for name, data in tables.items()
        for column in _found(data, data["target"])
        if column != REAL.get(name)
    ]
    section.checks.append(Check(f"false alarms in {len(tables)} real tables", "0", len(alarms), not alarms))
    n_found = 0
    lines: list[Sequence[Any]] = []
    for kind, (_, plant) in LEAKS.items():
        found = [
            _is_found(data, kind, plant, number) for number, data in enumerate([*tables.values()][:EACH])
        ]
        n_found += sum(found)
        lines.append((kind, len(found), sum(found)))
    section.checks.append(
        Check(f"leaks found of {EACH * len(LEAKS)}", f">= {WANTED}", n_found, n_found >= WANTED)
    )
    section.body = [
        f"Real tables of two classes. One column is planted in each of the first {EACH}, every other one cut to "
        f"{FEW_ROWS} rows; for a numeric leak, the target is a sum of ranks of all columns. False alarms: "
        f"{', '.join(alarms) or 'none'}. Reported as well, and no false alarm: the names of molecules in clean1 and "
        "clean2, as all rows of a molecule are of one class.",
        table(("leak", "planted", "found"), lines),
    ]
    return section


def _found(data: pd.DataFrame, y: Any, name: str = "") -> list[str]:
    """The columns of a table that are reported as made from the target, or known too late."""
    features = features_of(data.drop(columns="target"))
    reported = suspects(features, outcome_of(y, features.n_rows), [], name)
    reasons = (KNOWN_LATER, MADE_FROM_TARGET)
    return [
        features.feature_names[column]
        for suspect in reported
        if suspect.leave_out in reasons
        for column in suspect.columns
    ]


def _is_found(data: pd.DataFrame, kind: str, plant: Callable[..., Any], number: int) -> bool:
    rng = np.random.default_rng(number)
    if number % 2:
        # As many of both classes as there are, or a small class would be gone.
        data = data.groupby("target", group_keys=False).sample(
            frac=min(1.0, FEW_ROWS / len(data)), random_state=number
        )
    y = data["target"].to_numpy()
    if LEAKS[kind][0]:
        y = data.drop(columns="target").rank().sum(axis=1).to_numpy() + rng.normal(size=len(data))
    return "planted" in _found(data.copy().assign(planted=plant(rng, y)), y)


def _tiny_noise(rng: np.random.Generator, y: Any) -> Any:
    return y + rng.normal(scale=1e-3 * np.std(y), size=len(y))


def _some_errors(rng: np.random.Generator, y: Any) -> Any:
    """One label in 200 is wrong."""
    return np.where(rng.random(len(y)) < 0.005, y.max() + y.min() - y, y)


def _finer_labels(rng: np.random.Generator, y: Any) -> Any:
    """Three labels for each class, such as codes of a diagnosis."""
    return np.array(
        [f"{value}{'abc'[part]}" for value, part in zip(y, rng.integers(0, 3, len(y)), strict=True)]
    )


def _missing_otherwise(rng: np.random.Generator, y: Any) -> Any:
    """A number that is known for one class only, such as the date of a discharge."""
    return np.where(y == y.max(), rng.exponential(size=len(y)), np.nan)


def _rounded(rng: np.random.Generator, y: Any) -> Any:
    """A numeric target in another unit, rounded to about 50 steps."""
    return np.round(50 * (y - y.min()) / np.ptp(y)) * 2.54


#: Whether the target is numeric, and the column that is planted.
LEAKS: dict[str, tuple[bool, Callable[..., Any]]] = {
    "the target with tiny noise": (False, _tiny_noise),
    "the target with some errors": (False, _some_errors),
    "finer labels": (False, _finer_labels),
    "missing for all other classes": (False, _missing_otherwise),
    "a numeric target, rounded": (True, _rounded),
}
