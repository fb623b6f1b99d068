"""How well the sets predict: an evaluation in charts, a table and sentences."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

from altsets import views
from altsets.evaluation import Evaluation
from altsets.report.blocks import Block, column, section, table, text
from altsets.report.charts import bars_chart, grid_chart

__all__ = ["evaluation_section"]

#: Features in charts of stability and of stand-ins.
MOST_FEATURES = 25


def evaluation_section(evaluation: Evaluation) -> Block:
    """Scores with intervals and the baseline, comparisons, stability, stand-ins."""
    headline, sentences = _told(evaluation)
    return section(
        "evaluation",
        "How well the sets predict",
        [
            text(*headline),
            _given_sets(evaluation),
            _scores(evaluation),
            text(*sentences),
            _table(evaluation),
            *_stability(evaluation),
            *_stand_ins(evaluation),
        ],
    )


def _told(evaluation: Evaluation) -> tuple[list[str], list[str]]:
    """What was done, and how the sets compare, as the summary has it: without its table and what charts show."""
    headline, _, *others = evaluation.summary().split("\n\n")
    sentences = [line for line in others[:1] if not line.startswith(("Features", "Stability", "What takes"))]
    return headline.splitlines(), [line for part in sentences for line in part.splitlines()]


def _given_sets(evaluation: Evaluation) -> Block | None:
    """The features of sets that are the same in every fold."""
    if not evaluation.given:
        return None
    rows = [
        [number, [evaluation.names[index] for index in chosen]]
        for number, chosen in enumerate(evaluation.folds[0].sets)
    ]
    columns = [column("Set", "number"), column("Features", "names")]
    return table("given-sets", "The feature sets that were given.", columns, rows)


def _scores(evaluation: Evaluation) -> Block:
    return bars_chart(
        "prediction",
        "How well a model predicts with each set",
        # What its note says stands above and below it.
        replace(views.predictive_scores(evaluation), note=""),
        "The mean score on rows that the model has not seen. The baseline is a model that knows no feature: what is "
        "not above it is worth nothing.",
        digits=3,
    )


def _table(evaluation: Evaluation) -> Block:
    columns = [column("Set")]
    for name in evaluation.scorers:
        columns += [
            column(name, "number", 3, "mean over the folds, on rows that the model has not seen"),
            column(
                "± spread" if len(evaluation.scorers) == 1 else f"± {name}", "number", 2, "standard deviation"
            ),
        ]
    columns.append(column("Found in folds", "number"))
    rows = []
    for number in range(evaluation.n_sets):
        row: list[object] = [f"set {number}"]
        for name in evaluation.scorers:
            row += _mean_and_spread(evaluation.scores(number, name))
        rows.append([*row, evaluation.n_found(number)])
    if not math.isnan(evaluation.baseline):
        last: list[object] = ["baseline"]
        for name in evaluation.scorers:
            last += _mean_and_spread(evaluation.baseline_scores(name))
        rows.append([*last, None])
    return table("evaluation", "Scores over the folds.", columns, rows)


def _mean_and_spread(scores: list[float]) -> list[float]:
    known = [score for score in scores if not math.isnan(score)]
    mean = statistics.fmean(known) if known else math.nan
    return [mean, statistics.stdev(known) if len(known) > 1 else math.nan]


def _stability(evaluation: Evaluation) -> list[Block]:
    if evaluation.given:
        return []
    seen = views.stability(evaluation, most=MOST_FEATURES)
    return [
        bars_chart(
            "stability",
            "Would other rows have led to the same features?",
            seen.index,
            "1: always the same features, 0: they agree no more than by chance.",
            digits=2,
        ),
        grid_chart(
            "chosen",
            "How often each feature was chosen",
            seen.shares,
            "The share of the searches, each on other rows, in which a set had the feature.",
            row_name="Feature",
        ),
    ]


def _stand_ins(evaluation: Evaluation) -> list[Block]:
    if evaluation.n_sets < 2 or not evaluation.substitutions().weights:
        return []
    return [
        grid_chart(
            "stand-ins",
            "Which features stand in for which",
            views.stand_ins(evaluation, most=MOST_FEATURES),
            "How often a feature takes the place of another one from set to set.",
            row_name="Feature",
        )
    ]
