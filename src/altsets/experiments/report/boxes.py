"""Distributions in a few numbers: what a box plot shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats
from altsets.experiments.report.runs import Frame, pandas

__all__ = ["BOX", "boxes_by", "distribution"]

#: The numbers of a box; whiskers end at the last value within 1.5 times the height of the box.
BOX = ["n", "mean", "smallest", "whisker_low", "q1", "median", "q3", "whisker_high", "largest"]


def distribution(values: Floats) -> dict[str, float]:
    """The numbers of one box; values that are not there (NaN) are left out.

    Examples
    --------
    >>> import numpy as np
    >>> box = distribution(np.array([0.0, 1.0, 2.0, 3.0, 100.0, np.nan]))
    >>> box["n"], box["median"], box["whisker_high"], box["largest"]
    (5, 2.0, 3.0, 100.0)
    """
    there = values[~np.isnan(values)]
    if not len(there):
        return {"n": 0, **dict.fromkeys(BOX[1:], np.nan)}
    q1, median, q3 = (float(value) for value in np.quantile(there, [0.25, 0.5, 0.75]))
    reach = 1.5 * (q3 - q1)
    inside = there[(there >= q1 - reach) & (there <= q3 + reach)]
    return {
        "n": len(there),
        "mean": float(there.mean()),
        "smallest": float(there.min()),
        # Between two values a quartile may lie beyond all that is inside.
        "whisker_low": min(float(inside.min()), q1),
        "q1": q1,
        "median": median,
        "q3": q3,
        "whisker_high": max(float(inside.max()), q3),
        "largest": float(there.max()),
    }


def boxes_by(rows: Frame, by: Sequence[str], column: str) -> Frame:
    """One box for each group of rows that has a value; columns ``by``, then those of ``BOX``."""
    groups = rows.dropna(subset=[column]).groupby(list(by), sort=True)[column]
    boxes = [
        {**dict(zip(by, key, strict=True)), **distribution(values.to_numpy(dtype=float))}
        for key, values in groups
    ]
    return pandas().DataFrame(boxes, columns=[*by, *BOX])
