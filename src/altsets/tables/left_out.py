"""Rows that a measure has to leave out, because a number is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.errors import warn_user
from altsets.tables.feature_matrix import Features, listed

__all__ = ["LEAVE_OUT_ROWS", "warn_of_left_out_rows"]

#: Measures that can use a feature only in rows where it is known.
LEAVE_OUT_ROWS = ("f", "pearson", "spearman", "chi2")


def warn_of_left_out_rows(features: Features, measure: Any) -> None:
    """Name the columns with missing numbers in one warning, if the measure leaves out rows."""
    if not isinstance(measure, str) or measure not in LEAVE_OUT_ROWS or not features.incomplete.any():
        return
    counts = np.isnan(features.values).sum(axis=0)
    named = [f"{features.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)]
    warn_user(f"missing values ({listed(named)}): {measure} leaves out these rows, feature by feature.")
