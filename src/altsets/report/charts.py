"""Views as charts of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from altsets.report.blocks import Block, chart
from altsets.result import MARK
from altsets.views import Bars, Curves, Grid, Membership, ReferenceLine

__all__ = ["bars_chart", "curves_chart", "grid_chart", "membership_chart"]


def membership_chart(identity: str, title: str, seen: Membership, description: str, score_name: str) -> Block:
    """Which features are in which sets."""
    above = seen.above_noise or (True,) * len(seen.features)
    return chart(
        identity,
        "membership",
        title,
        description,
        features=seen.features,
        scores=seen.scores or (None,) * len(seen.features),
        sets=seen.set_names,
        members=[[int(has) for has in row] for row in seen.members],
        marks=[not good for good in above],
        score_name=score_name,
        note=seen.note,
    )


def bars_chart(identity: str, title: str, seen: Bars, description: str, digits: int = 4) -> Block:
    """One number for each of several things."""
    marked = seen.marked or (False,) * len(seen.labels)
    labels = [f"{label} {MARK}" if mark else label for label, mark in zip(seen.labels, marked, strict=True)]
    said = [
        description,
        f"Lines: {seen.interval_name}." if seen.interval_name else "",
        f"{MARK} {seen.mark_means}." if any(marked) else "",
        seen.note,
    ]
    return chart(
        identity,
        "bars",
        title,
        " ".join(filter(None, said)),
        labels=labels,
        values=seen.values,
        low=seen.low,
        high=seen.high,
        lines=_lines(seen.lines),
        value_name=seen.value_name,
        digits=digits,
    )


def curves_chart(identity: str, title: str, seen: Curves, description: str) -> Block:
    """Some curves over the same thing."""
    mark = seen.mark
    return chart(
        identity,
        "lines",
        title,
        " ".join(filter(None, [description, seen.note])),
        x_name=seen.x_name,
        y_name=seen.y_name,
        series=[
            {
                "name": line.name,
                "points": [
                    {"x": point.x, "y": point.y, "label": point.label, "open": point.open}
                    for point in line.points
                ],
            }
            for line in seen.series
        ],
        mark=None if mark is None else {"series": mark.series, "point": mark.point, "label": mark.label},
        lines=_lines(seen.lines),
    )


def grid_chart(identity: str, title: str, seen: Grid, description: str, row_name: str = "") -> Block:
    """Numbers in rows and columns."""
    return chart(
        identity,
        "matrix",
        title,
        " ".join(filter(None, [description, seen.note])),
        rows=seen.rows,
        columns=seen.columns,
        values=seen.values,
        low=seen.low,
        high=seen.high,
        value_name=seen.value_name,
        digits=seen.digits,
        row_name=seen.row_name or row_name,
        column_name=seen.column_name,
    )


def _lines(lines: Sequence[ReferenceLine]) -> list[dict[str, Any]]:
    return [{"label": line.label, "value": line.value} for line in lines]
