"""How difference costs quality, and how well sets predict along the way: a frontier in charts and a table."""

from __future__ import annotations

import math

from altsets import views
from altsets.evaluation import EvaluatedFrontier
from altsets.report.blocks import Block, column, section, table, text
from altsets.report.charts import curves_chart, grid_chart
from altsets.report.sets import IN_WORDS, sets_table
from altsets.search.frontier import Frontier

__all__ = ["frontier_section"]


def frontier_section(given: Frontier | EvaluatedFrontier) -> Block:
    """What each step of difference costs, where the curve bends, and how well sets predict there if that was tried."""
    evaluated = given if isinstance(given, EvaluatedFrontier) else None
    frontier = given.frontier if isinstance(given, EvaluatedFrontier) else given
    said = [
        "The more different the sets must be, the more quality they lose. tau says how different: at tau = 0 sets may "
        "be equal, at tau = 1 they share no feature.",
        frontier.explain(),
    ]
    blocks = [text(*said)]
    if any(point.result.sets for point in frontier):
        blocks += [*_charts(frontier), *_suggested(frontier)]
        if evaluated is not None:
            blocks += [text(evaluated.scores_in_words()), _scores(evaluated)]
        blocks.append(_points(frontier, evaluated))
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


def _suggested(frontier: Frontier) -> list[Block]:
    point = frontier.suggestion.point
    if point is None:
        return []
    where = f"{point.n_features} feature{'' if point.n_features == 1 else 's'}, tau = {point.tau:.3g}"
    return [sets_table("suggested-sets", f"The sets at the suggested point: {where}.", point.result)]


def _scores(evaluated: EvaluatedFrontier) -> Block:
    return curves_chart(
        "scores-along",
        "How well a model predicts with the sets",
        views.scores_along(evaluated),
        "The mean score on rows that neither the search nor the model has seen; the line is a model that knows no "
        "feature.",
    )


def _points(frontier: Frontier, evaluated: EvaluatedFrontier | None) -> Block:
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
    if evaluated is not None:
        scorer = evaluated.any_evaluation.scorers[0]
        columns.insert(-1, column(scorer, "number", 3, "mean over sets and folds, on rows not seen before"))
    rows: list[list[object]] = []
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
    if evaluated is not None:
        for row, scored in zip(rows, evaluated, strict=True):
            row.insert(-1, scored.score)
    return table("frontier-points", "One row for each search.", columns, rows)
