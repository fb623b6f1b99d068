"""How many columns of pure noise are above the noise floor, in tables of several kinds of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from altsets.measures import MEASURES, noise_floor
from benchmarks.report import Check, Section, table

#: Tables of each mixture, and their numbers of rows.
TABLES = 200
LEAST_ROWS, MOST_ROWS = 100, 10_000
#: The shares that are as promised.
LEAST, MOST = 0.04, 0.06

Column = Callable[[np.random.Generator, int], Any]


def run() -> Section:
    """Generated tables: each column is drawn without a look at the target."""
    section = Section("noise-floor")
    lines: list[Sequence[Any]] = []
    for measure in ("mutual_info", "f"):
        for name, kinds in MIXTURES.items():
            shares = {kind: list(above) for kind, above in _above(measure, kinds).items()}
            total = float(np.mean(np.concatenate(list(shares.values()))))
            each = ", ".join(f"{kind} {100 * np.mean(above):.1f} %" for kind, above in shares.items())
            lines.append((measure, name, f"{100 * total:.1f} %", each))
            section.checks.append(
                Check(
                    f"{measure}, {name}: noise columns above the floor",
                    f"{100 * LEAST:g} to {100 * MOST:g} %",
                    f"{100 * total:.1f} %",
                    LEAST <= total <= MOST,
                )
            )
    section.body = [
        f"{TABLES} tables of each mixture with {LEAST_ROWS:,} to {MOST_ROWS:,} rows (log-uniform); a target of "
        "two or four classes, or of numbers. No column says anything about the target, and 5 % of them are to be above "
        "the floor.",
        table(("measure", "columns", "above the floor", "by kind"), lines),
    ]
    return section


def _above(measure: str, kinds: dict[str, tuple[int, Column]]) -> dict[str, list[bool]]:
    """For each kind of column, which ones are above the floor of their table."""
    found: dict[str, list[bool]] = {kind: [] for kind in kinds}
    for number in range(TABLES):
        X, y, owners = _table(np.random.default_rng(number), kinds, measure)
        floor = noise_floor(X, y, measure)
        assert floor is not None
        for kind, above in zip(owners, MEASURES[measure](X, y) > floor, strict=True):
            found[kind].append(bool(above))
    return found


def _table(
    rng: np.random.Generator, kinds: dict[str, tuple[int, Column]], measure: str
) -> tuple[pd.DataFrame, Any, list[str]]:
    n_rows = round(np.exp(rng.uniform(np.log(LEAST_ROWS), np.log(MOST_ROWS))))
    drawn = list(_columns(rng, n_rows, kinds, measure))
    X = pd.DataFrame({f"x{place}": column for place, (_, column) in enumerate(drawn)})
    target = rng.integers(3)
    y = (
        rng.normal(size=n_rows)
        if target == 2
        else np.array(list("abcd"))[rng.integers(0, 2 + 2 * target, n_rows)]
    )
    return X, y, [kind for kind, _ in drawn]


def _columns(
    rng: np.random.Generator, n_rows: int, kinds: dict[str, tuple[int, Column]], measure: str
) -> Iterator[tuple[str, Any]]:
    for kind, (count, draw) in kinds.items():
        for _ in range(count):
            column = draw(rng, n_rows)
            # A correlation takes categories of two labels only.
            is_text = isinstance(column[0], str)
            yield kind, np.where(column == "a", "a", "b") if is_text and measure == "f" else column


def _normal(rng: np.random.Generator, n_rows: int) -> Any:
    return rng.normal(size=n_rows)


def _category(rng: np.random.Generator, n_rows: int) -> Any:
    n_labels = rng.integers(2, 9)
    return rng.choice(list("abcdefgh")[:n_labels], n_rows, p=rng.dirichlet(np.full(n_labels, 3.0)))


def _flag(rng: np.random.Generator, n_rows: int) -> Any:
    return (rng.random(n_rows) < rng.uniform(0.1, 0.9)).astype(float)


def _count(rng: np.random.Generator, n_rows: int) -> Any:
    return rng.poisson(rng.uniform(1, 30), n_rows).astype(float)


def _zeros(rng: np.random.Generator, n_rows: int) -> Any:
    return np.where(rng.random(n_rows) < rng.uniform(0.3, 0.8), 0.0, rng.exponential(size=n_rows))


def _with_holes(draw: Column) -> Column:
    def holed(rng: np.random.Generator, n_rows: int) -> Any:
        return np.where(rng.random(n_rows) < rng.uniform(0.02, 0.4), np.nan, draw(rng, n_rows))

    return holed


MIXTURES: dict[str, dict[str, tuple[int, Column]]] = {
    "numbers": {"numbers": (12, _normal)},
    "half categories": {"numbers": (8, _normal), "categories": (8, _category)},
    "10 numbers, 2 categories": {"numbers": (10, _normal), "categories": (2, _category)},
    "missing values": {
        "numbers": (4, _normal),
        "numbers with holes": (6, _with_holes(_normal)),
        "counts with holes": (3, _with_holes(_count)),
        "categories": (3, _category),
    },
    "ties": {"numbers": (4, _normal), "counts": (5, _count), "zeros": (5, _zeros), "flags": (5, _flag)},
}
