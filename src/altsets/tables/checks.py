"""Checks of columns: constant ones, copies of others, and missing values for which a measure leaves out rows."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import warn_user
from altsets.tables.feature_matrix import Features
from altsets.wording import list_some

#: Values that are hashed together.
CELLS_AT_A_TIME = 100_000
#: Measures that use a feature only in rows where it is known.
LEAVE_OUT_ROWS = ("f", "pearson", "spearman", "chi2")


def constant_columns(matrix: Floats) -> Bools:
    """Which columns hold one value only; missing counts as a value."""
    lowest = matrix.min(axis=0)
    constant = np.asarray(lowest == matrix.max(axis=0))
    missing = np.flatnonzero(np.isnan(lowest))
    constant[missing] = np.isnan(matrix[:, missing]).all(axis=0)
    return constant


def warn_of_constants(features: Features) -> None:
    """Warn of constant columns by name."""
    constant = constant_columns(features.values)
    if constant.any():
        warn_user(
            f"some columns are constant ({features.labels(constant, most=5)}); "
            "they say nothing about the target and score 0, so drop them."
        )


def copies_in(features: Features) -> list[list[int]]:
    """Groups of columns with the same values in every row, found in one pass over the table.

    Numbers that are missing in the same rows are equal there. Categories are copies if the same rows have equal
    labels, whatever their names. Constant columns are left out.
    """
    groups: dict[tuple[bool, bytes], list[int]] = {}
    varied = np.flatnonzero(~constant_columns(features.values))
    for start in range(0, len(varied), step := max(1, CELLS_AT_A_TIME // features.n_rows)):
        some = varied[start : start + step]
        for index, column in zip(some.tolist(), _canonical_bytes(features.values[:, some].T), strict=True):
            is_category = index in features.categories
            alike = _by_first_row(column) if is_category else column
            key = is_category, blake2b(alike.tobytes(), digest_size=16).digest()
            groups.setdefault(key, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _canonical_bytes(columns: Floats) -> Floats:
    """The same numbers with equal bytes: adding zero turns -0.0 into 0.0, and there is more than one nan."""
    columns = np.add(columns, 0.0, order="C")
    columns[np.isnan(columns)] = np.nan
    return columns


def _by_first_row(codes: Floats) -> Floats:
    """Codes in the order of their first occurrence, which does not depend on the names of labels."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.float64)


def warn_of_left_out_rows(features: Features, measure: Any) -> None:
    """Warn of columns with missing numbers, if the measure leaves out their rows."""
    if not isinstance(measure, str) or measure not in LEAVE_OUT_ROWS or not features.incomplete.any():
        return
    counts = np.isnan(features.values).sum(axis=0)
    named = [f"{features.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)]
    warn_user(f"missing values ({list_some(named)}): {measure} leaves out these rows, feature by feature.")
