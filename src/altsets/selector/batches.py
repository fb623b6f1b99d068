"""Columns that may explain the chosen features better than the target does: batches, sites, devices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Several
from altsets.wording import list_some, parameter, percent

#: Groups that a batch has, and rows in each on average.
MOST_GROUPS, LEAST_ROWS = 50, 5
#: A feature follows a column that explains this share of it, and this much more than the target does ...
LEAST_SHARE, MORE = 0.2, 0.1
#: ... and a column matters if this share of the chosen features, and two at least, follow it.
LEAST_PART = 0.5
#: Groups of a numeric target or of times, whose means are compared.
PARTS = 10
#: Rows that are looked at.
MOST_ROWS = 5_000
#: Names of columns of numbers that group rows.
GROUPS_ROWS = re.compile(
    r"(^|[^a-z])(batch|site|device|plate|run|lane|center|centre|scanner|lab|laboratory|operator|cohort|hospital|"
    r"machine|instrument|chip|array|sensor|study|clinic|ward|region|country)($|[^a-z])"
)


def followed(features: Features, target: object, chosen: Sequence[int]) -> str:
    """Return a caution on the column of a batch that chosen features follow more than the target; empty if none is."""
    step = max(1, features.n_rows // MOST_ROWS)
    rows = np.arange(0, features.n_rows, step)
    numbers = [index for index in chosen if index not in features.categories]
    grouped = [index for index in _groupings(features) if index not in chosen]
    if features.is_sparse or len(numbers) < 2 or not grouped:
        return ""
    columns = features.columns(numbers).rows(rows).values
    by_target = np.max(
        [_shares(columns, codes) for codes in _target_groups(target, rows)], axis=0, initial=0.0
    )
    worst, said = LEAST_PART * len(numbers), ""
    for index in grouped:
        codes = np.unique(features.column(index)[rows], return_inverse=True)[1]
        shares = _shares(columns, codes)
        follow = (shares >= LEAST_SHARE) & (shares >= by_target + MORE)
        if follow.sum() >= max(2, worst):
            worst = follow.sum() + 1
            name, names = features.feature_names[index], features.feature_names
            which = list_some([names[number] for number, yes in zip(numbers, follow, strict=True) if yes])
            said = (
                f"{follow.sum()} of {len(numbers)} chosen features ({which}) follow {name} more than the target: it "
                f"explains {percent(shares[follow].mean())} of their variance, the target "
                f"{percent(by_target[follow].mean())}; if {name} is a batch, a site or a device, adjust for it "
                f"({parameter('adjust', [name])})."
            )
    return said


def _groupings(features: Features) -> Iterator[int]:
    """Columns that group rows: categories, and numbers whose names say so."""
    most = min(MOST_GROUPS, features.n_rows // LEAST_ROWS)
    for index in range(features.n_features):
        name = "" if features.names is None else features.names[index].lower()
        is_grouping = index in features.categories or GROUPS_ROWS.search(name)
        if is_grouping and 2 <= len(np.unique(features.column(index))) <= most:
            yield index


def _target_groups(target: object, rows: Indices) -> Iterator[Indices]:
    """Groups of rows by the target: classes, or parts of a number from the smallest to the largest."""
    if isinstance(target, Several):
        for column in target.columns:
            yield from _target_groups(column, rows)
    elif isinstance(target, Survival):
        yield np.asarray(target.event[rows], dtype=np.intp)
        yield _parts(target.time[rows])
    else:
        values = np.asarray(getattr(target, "values", np.zeros(len(rows))))[rows]
        yield values.astype(np.intp) if getattr(target, "is_classes", False) else _parts(values)


def _parts(values: Floats) -> Indices:
    cuts = np.quantile(values, np.linspace(0, 1, PARTS + 1)[1:-1])
    return np.searchsorted(cuts, values, side="right")


def _shares(columns: Floats, codes: Indices) -> Floats:
    """The share of the variance of each column that groups explain, less what chance would give (epsilon squared)."""
    found = np.zeros(columns.shape[1])
    for place, column in enumerate(columns.T):
        known = ~np.isnan(column)
        values, groups = column[known], np.unique(codes[known], return_inverse=True)[1]
        n_groups = int(groups.max(initial=0)) + 1
        whole = float(np.sum((values - values.mean()) ** 2)) if len(values) else 0.0
        if whole > 0 and 1 < n_groups < len(values):
            means = np.bincount(groups, values) / np.bincount(groups)
            within = float(np.sum((values - means[groups]) ** 2))
            found[place] = 1 - within / (len(values) - n_groups) / (whole / (len(values) - 1))
    return found
