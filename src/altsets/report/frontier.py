"""How difference costs quality: a frontier in charts and a table."""

from __future__ import annotations

import math

from altsets import views
from altsets.report.blocks import Block, column, section, table, text
from altsets.report.charts import curves_chart, grid_chart
from altsets.report.sets import IN_WORDS
from altsets.search.frontier import Frontier

__all__ = ["frontier_section"]


def frontier_section(frontier: Frontier) -> Block:
    """What each step of difference costs, and where the curve bends."""
    said = [
        "The more different the sets must be, the more quality they lose. tau says how different: at tau = 0 sets may "
        "be equal, at tau = 1 they share no feature.",
        frontier.explain(),
    ]
    blocks = [text(*said)]
    if any(point.result.sets for point in frontier):
        blocks += [*_charts(frontier), _points(frontier)]
    return section("frontier", "How difference costs quality", blocks)


def _charts(frontier: Frontier) -> list[Block]:
    made = []
    if len({point.tau for point in frontier}) > 1:
        made.append(
            curves_chart(
                "quality-over-tau",
                "Quality over tau",
                views.curve_over_tau(frontier),
                "How much quality is left, the more different the sets must be.",
            )
        )
    if len(frontier.sizes) > 1:
        made.append(
            curves_chart(
                "quality-over-size",
                "Quality over the number of features",
                views.curve_over_size(frontier),
                "What each further feature in a set adds.",
            )
        )
        made.append(
            grid_chart(
                "quality-over-both",
                "Quality over the number of features and tau",
                views.heat(frontier),
                "The share of the quality of the best set of that size that is kept.",
            )
        )
    return made


def _points(frontier: Frontier) -> Block:
    columns = [
        column("Features", "number", about="in each set"),
        column("Sets", "number"),
        column("tau", "number", 4),
        column("Shared at most", "number", about="features that two sets may share"),
        column("Found", "number"),
        column("Mean quality", "number", 6),
        column("Worst quality", "number", 6),
        column("Mean, % of best", "number", 3, "of the best set of that size"),
        column("Certainty"),
    ]
    rows = []
    for point in frontier:
        best = frontier.best(point.n_features)
        share = point.mean / best if best > 0 else math.nan
        rows.append(
            [
                point.n_features,
                point.n_alternatives + 1,
                point.tau,
                point.max_overlap,
                len(point.result.sets),
                point.mean,
                point.worst,
                100 * share,
                IN_WORDS[point.status],
            ]
        )
    return table("frontier-points", "One row for each search.", columns, rows)
