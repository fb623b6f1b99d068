"""What ``altsets frontier`` prints: a line for each point, a chart, and where it bends."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from altsets.cli.charts import Series, chart
from altsets.cli.printing import printable

if TYPE_CHECKING:
    from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint
    from altsets.search.frontier import Frontier, FrontierPoint

__all__ = ["frontier_lines"]

#: Points that have a line each; of more, --json has the others.
MOST_LINES = 200
#: What curves are drawn with: the number of features, letters from ten on.
MARKS = "0123456789abcdefghijklmnopqrstuvwxyz"


def frontier_lines(frontier: Frontier, evaluated: EvaluatedFrontier | None, width: int) -> list[str]:
    """The points with their scores, if they have any, the chart and the summary, in lines that fit."""
    shares = any(frontier.counts) and all(frontier.best(size) > 0 for size in frontier.sizes)
    counted = any(point.max_overlap is not None for point in frontier)
    what = "Shared: features that two sets may have in common. " if counted else ""
    measured = ", as a share of the best set" if shares else ""
    several = " of that size" if shares and len(frontier.sizes) > 1 else ""
    key = f"{what}Worst, Mean: quality of the worst set and on average{measured}{several}."
    if evaluated is not None:
        key += f" {_key_of_scores(evaluated)}"
    drawn = _chart(frontier, width)
    return [
        *_table(frontier, evaluated, shares=shares, counted=counted),
        *textwrap.wrap(printable(key), width, break_on_hyphens=False),
        "",
        *([*drawn, ""] if drawn else []),
        *textwrap.wrap(printable((evaluated or frontier).explain()), width, break_on_hyphens=False),
    ]


def _key_of_scores(evaluated: EvaluatedFrontier) -> str:
    """What the columns of scores are."""
    shared = evaluated.any_evaluation
    sure = f"{100 * shared.confidence:g} %"
    return f"Score: {shared.scorers[0]} on test rows, mean of all sets and folds, with its {sure} interval."


def _scores(point: EvaluatedPoint) -> list[str]:
    """The score of a point and its interval."""
    from altsets.evaluation import shown

    low, high = point.interval
    return [shown(point.score), "-" if math.isnan(low) else f"[{shown(low)}, {shown(high)}]"]


def _baseline(evaluated: EvaluatedFrontier, n_cells: int) -> list[str]:
    """The last line of the table."""
    from altsets.evaluation import shown

    return ["baseline", *[""] * (n_cells - 4), shown(evaluated.baseline), "", ""]


def _table(
    frontier: Frontier, evaluated: EvaluatedFrontier | None, *, shares: bool, counted: bool
) -> list[str]:
    """One line for each point; what is the same for all points is left out."""
    several_sizes, several_counts = len(frontier.sizes) > 1, len(frontier.counts) > 1
    # Scores need the room.
    with_best = several_sizes and shares and not evaluated
    header = [
        *(["Features"] if several_sizes else []),
        *(["Alternatives"] if several_counts else []),
        "tau",
        *(["Shared"] if counted else []),
        *(["Best set"] if with_best else []),
        "Worst",
        "Mean",
        *(["Score", "Interval"] if evaluated else []),
        "Status",
    ]
    rows = []
    for number, point in enumerate(frontier.points[:MOST_LINES]):
        best = frontier.best(point.n_features)
        top = best if shares else math.nan
        rows.append(
            [
                *([str(point.n_features)] if several_sizes else []),
                *([str(point.n_alternatives)] if several_counts else []),
                f"{point.tau:.4g}",
                *([str(point.max_overlap)] if counted else []),
                *([f"{best:#.5g}"] if with_best else []),
                _quality(point.worst, top),
                _quality(point.mean, top),
                *(_scores(evaluated.points[number]) if evaluated else []),
                _status(point),
            ]
        )
    if evaluated:
        rows.append(_baseline(evaluated, len(header)))
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [_row(row, widths) for row in (header, *rows)]
    lines.insert(1, "-" * max(map(len, lines)))
    if len(frontier) > MOST_LINES:
        lines.append(f"{len(frontier) - MOST_LINES} more points (--json lists all)")
    return lines


def _row(cells: list[str], widths: list[int]) -> str:
    numbers = [f"{cell:>{width}}" for cell, width in zip(cells[:-1], widths, strict=False)]
    return "   ".join([*numbers, cells[-1]]).rstrip()


def _status(point: FrontierPoint) -> str:
    missing = len(point.result.statuses) - len(point.result.sets)
    found = f" ({len(point.result.sets)} of {len(point.result.statuses)} sets)" if missing else ""
    return f"{point.status}{found}".replace("_", " ")


def _quality(value: float, best: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:#.5g}" if math.isnan(best) else f"{100 * value / best:.1f} %"


def _chart(frontier: Frontier, width: int) -> list[str]:
    """Quality over tau, a curve for each size; over sizes, where there is one tau alone."""
    count = frontier.counts[-1]
    curves = {
        size: [point for point in frontier.curve(size, count) if point.is_complete] for size in frontier.sizes
    }
    with_count = f", {count} alternative{'' if count == 1 else 's'}" if len(frontier.counts) > 1 else ""
    if max(map(len, curves.values())) > 1:
        return _over_tau(frontier, curves, width, with_count)
    found = [(size, points[0].kept) for size, points in curves.items() if points]
    if len(found) < 2:
        return []
    series = Series("*", [size for size, _ in found], [kept for _, kept in found])
    return [f"Quality{with_count}:", *chart([series], width, "{:.4g}".format, "features")]


def _over_tau(
    frontier: Frontier, curves: dict[int, list[FrontierPoint]], width: int, with_count: str
) -> list[str]:
    shares = all(frontier.best(size) > 0 for size in frontier.sizes)
    series = []
    for size, points in curves.items():
        top = frontier.best(size) if shares else 1.0
        mark = "*" if len(curves) == 1 else MARKS[size] if size < len(MARKS) else "#"
        series.append(Series(mark, [p.tau for p in points], [p.kept / top for p in points]))
    marks = "; marks: features in each set" if len(curves) > 1 else ""
    letters = " (a = 10, b = 11, ...)" if len(curves) > 1 and max(curves) > 9 else ""
    what = "Quality as a share of the best set" if shares else "Quality"
    label = "{:.0%}".format if shares else "{:.4g}".format
    return [f"{what}{with_count}{marks}{letters}:", *chart(series, width, label, "tau")]
