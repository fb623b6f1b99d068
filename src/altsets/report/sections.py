"""Sections of a report: the sets, all features, the frontier, the evaluation, near-best sets, the conditions."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altsets.evaluation import Evaluation, Evaluations, overall
from altsets.evaluation.comparison import mean_of, std_of
from altsets.features import FeatureNames
from altsets.quality import Quality
from altsets.report.document import (
    FEATURES,
    SETS_DRAWN,
    Block,
    Column,
    bars_chart,
    column,
    curves_chart,
    grid_chart,
    membership_chart,
    section,
    table,
    text,
)
from altsets.report.sentences import MOST_LISTED, about_condition
from altsets.result import Frontier, FrontierPoint, NearBest, Result, Status
from altsets.views import frontier as frontier_views
from altsets.views import sets as set_views
from altsets.wording import counted, round_down, sentence

#: What was proven about a set, as a reader wants to know it.
IN_WORDS = {
    Status.OPTIMAL: "proven best",
    Status.FEASIBLE: "valid, not proven best",
    Status.INFEASIBLE: "proven not to exist",
    Status.NOT_FOUND: "not found",
}


#: What knows all features and their scores.
Scoring = Quality | NearBest

#: Charts of fewer things than that say no more than a sentence or a table.
FEWEST_DRAWN = 3
#: What the similarity of two sets means.
LIKENESS = "1: one set says the same as the other, 0: no feature of one is like any feature of the other."


def sets_section(result: Result, in_use: int | None = None, *, with_table: bool = True) -> Block:
    if not result.sets:
        return section("sets", "The sets", [])
    members, bars, *pairs = set_charts(result)
    many, several = len(result.sets) >= FEWEST_DRAWN, len(result.sets) > 1
    return section(
        "sets",
        "The sets",
        [
            sets_table("sets", "The feature sets that were found.", result, in_use) if with_table else None,
            text(
                ""
                if result.scores
                else "Only whole sets were scored, so features have no scores of their own."
            ),
            members,
            *([bars, *pairs] if many else _pair_in_words(result) if several else []),
            _matches(result) if several and result.is_matched else None,
        ],
    )


def set_charts(result: Result, *, with_proof: bool = True) -> list[Block]:
    """Charts of members, qualities, and of what each two sets have in common; ``with_proof`` draws bounds."""
    bars = set_views.qualities(result, most=SETS_DRAWN)
    if not with_proof:
        bars = replace(bars, lines=(), marked=(), note="")
    charts = [
        membership_chart(
            "membership",
            "Which features are in which sets",
            set_views.membership(result, most_sets=SETS_DRAWN),
            "A row for each feature that is in a set, those in most sets first; a filled cell: the set has it.",
            "Score",
        ),
        bars_chart("quality", "How good each set is", bars, "The quality of each set; more is better."),
    ]
    if len(result.sets) > 1:
        what, overlaps = result.compared[0], set_views.overlaps(result, most=SETS_DRAWN)
        about = f"The number of {what}s that each two sets have in common; on the diagonal, the number in each set."
        charts.append(grid_chart("overlap", f"How many {what}s two sets share", overlaps, about, "Set"))
        if result.is_matched and with_proof:
            alike = set_views.likeness(result, most=SETS_DRAWN)
            charts.append(grid_chart("likeness", "How alike two sets are", alike, LIKENESS, "Set"))
    return charts


def sets_table(identity: str, caption: str, result: Result, in_use: int | None = None) -> Block:
    (standard, whole), numbers, values = result.compared_with, range(len(result.sets)), result.qualities
    named = [
        result.label(number).removeprefix("set ") + (" (in use)" if number == in_use else "")
        for number in numbers
    ]
    columns = [
        column("Set", numbers, "number") if in_use is None and not result.set_names else column("Set", named),
        column("Features", map(list, result.texts), "names"),
        column("Quality", values, "number", 6),
    ]
    if values[0] > 0:
        columns.append(column(f"% of {standard}", [100 * value / whole for value in values], "number", 3))
    if groups := result.groups:
        names = [list(dict.fromkeys(group or "-" for group in each)) for each in groups]
        columns.append(column("Groups", names, "names"))
    columns += [column("Cost", costs, "number", 6) for costs in zip(*result.costs, strict=True)]
    # Statuses of sets that were not found come last.
    proven = [certainty(result, result.statuses[number]) for number in numbers]
    return table(identity, caption, [*columns, column("Certainty", proven)])


def certainty(result: Result, status: Status) -> str:
    """The proven status of a set; where sets were chosen together, nothing is proven about one of them alone."""
    alone = len(result.sets) == 1 or result.parameters.get("search") == "sequential"
    return IN_WORDS[status] if alone or status is not Status.OPTIMAL else "proven best together"


def _pair_in_words(result: Result) -> list[Block | None]:
    what, n_shared = result.compared[0], int(set_views.overlaps(result).values[0][1] or 0)
    shared = text(f"Sets 0 and 1 share {counted(n_shared, what) if n_shared else f'no {what}'}.")
    if not result.is_matched:
        return [shared]
    alike = set_views.likeness(result).values[0][1]
    return [shared, text(f"Their similarity is {alike:.2f} ({LIKENESS[:-1]}).")]


def _matches(result: Result) -> Block | None:
    if not result.matches:
        return text("Apart from shared features, no feature of one set matches a feature of another.")
    name = [
        dict(zip(chosen, names, strict=True)) for chosen, names in zip(result.sets, result.texts, strict=True)
    ]
    columns = [
        column("Set", [match[0] for match in result.matches], "number"),
        column("Feature", [name[match[0]][match[2]] for match in result.matches]),
        column("Earlier set", [match[1] for match in result.matches], "number"),
        column("Stands in for", [name[match[1]][match[3]] for match in result.matches]),
        column("Similarity", [round_down(match[4]) for match in result.matches]),
    ]
    return table("matches", "What matches what: features of two sets that are alike.", columns)


#: Targets that have a column of their own in the table of R².
MOST_TARGETS = 6
#: What the models of a set explain: of one target, of several, and Cox models.
EXPLAINED = {
    "one": "R² on these rows",
    "several": "the mean R² of several targets; of classes, the mean squared canonical correlation",
    "cox": "the score statistic, as a share of the largest that any column could have",
}


def models_section(result: Result) -> Block | None:
    if not result.models:
        return None
    models, targets, cox = result.models, result.models[0].targets, result.models[0].c_index is not None
    kind = "cox" if cox else "several" if len(targets) > 1 else "one"
    which = [result.label(number).removeprefix("set ") for number in range(len(models))]
    explained = [
        column("Set", which),
        column("Explained", [model.r2 for model in models], "number", 4, EXPLAINED[kind]),
    ]
    if cox:
        about = "on these rows; a guess has 0.5"
        explained.append(column("C index", [model.c_index for model in models], "number", 4, about))
    elif kind == "several" and len(targets) <= MOST_TARGETS:
        each = zip(targets, zip(*(model.target_r2 for model in models), strict=True), strict=True)
        explained += [column(f"R² of {target}", values, "number", 4) for target, values in each]
    lines = [(name, line) for name, model in zip(which, models, strict=True) for line in model.rows()]
    of = "logarithm of the hazard ratio, in the units of the table" if cox else ""
    coefficients = [
        column("Set", [name for name, _ in lines]),
        *([column("Target", [line[0] for _, line in lines])] if len(targets) > 1 else []),
        column("Column", [line[1] for _, line in lines]),
        column("Coefficient", [line[2] for _, line in lines], "number", 4, of),
        column("Standard error", [line[3] for _, line in lines], "number", 3),
    ]
    return section(
        "models",
        "The Cox models" if cox else "The linear models",
        [
            table("explained", "What each model explains.", explained),
            table("coefficients", "Coefficients, in the units of the table.", coefficients),
            text(
                "The standard errors are those of one regression whose columns were fixed in advance. These were "
                "chosen because they fit, so the true errors are larger.",
                tone="note",
            ),
        ],
    )


def all_features_section(result: Result | None, scoring: Scoring | None) -> Block | None:
    if scoring is None:
        return None
    names, scores = scoring.feature_names, scoring.feature_scores
    values = [0.0] * len(names) if scores is None else list(map(float, scores))
    member: dict[int, list[str]] = {}
    for number, chosen in enumerate(result.sets if result else ()):
        for index in chosen:
            member.setdefault(index, []).append(result.label(number))  # type: ignore[union-attr]
    # Those in sets first: where there is no room for all, these must be there.
    order = sorted(range(len(names)), key=lambda index: (index not in member, -values[index], index))
    columns, sort, worth = [column("Feature", [names[index] for index in order])], None, ""
    if scores is not None:
        sort, worth = (1, True), " and what each of them alone is worth"
        columns.append(column("Score", [values[index] for index in order], "number", 4))
        # Near-best sets know scores, but no floor.
        if (floor := getattr(scoring, "noise_floor", None)) is not None:
            about = "whether the score is above the noise floor"
            above = ["yes" if values[index] > floor[index] else "no" for index in order]
            columns.append(column("Above chance", above, about=about))
    if member:
        columns.append(column("In", [member.get(index, []) for index in order], "names"))
    made = table(FEATURES, f"All {len(names):,} features{worth}.", columns, sort=sort)
    return section("all-features", "All features", [made])


# --- Evaluation ------------------------------------------------------------------------------------------


#: Features in charts of stability and of stand-ins.
MOST_FEATURES = 25


def evaluation_section(evaluation: Evaluation, *, with_sets: bool = True) -> Block:
    # Without the table of the summary, and without what charts show.
    headline, _, *others = evaluation.summary().split("\n\n")
    said = [line for line in others[:1] if not line.startswith(("Features", "Stability", "What takes"))]
    return section(
        "evaluation",
        "How well the sets predict",
        [
            text(*headline.splitlines()),
            _given_sets(evaluation) if with_sets else None,
            _score_bars(evaluation),
            text(*"\n".join(said).splitlines()),
            _score_table(evaluation),
            *_stability_charts(evaluation),
            *_stand_in_charts(evaluation),
        ],
    )


def _given_sets(evaluation: Evaluation) -> Block | None:
    if not evaluation.given:
        return None
    sets = evaluation.folds[0].sets
    names = [[evaluation.names[index] for index in chosen] for chosen in sets]
    columns = [column("Set", range(len(sets)), "number"), column("Features", names, "names")]
    return table("given-sets", "The feature sets that were given.", columns)


def _score_bars(evaluation: Evaluation) -> Block | None:
    seen = set_views.predictive_scores(evaluation)
    if seen.low is None and len(seen.labels) < FEWEST_DRAWN:
        return None
    return bars_chart(
        "prediction",
        "How well a model predicts with each set",
        # What its note says stands above and below it.
        replace(seen, note=""),
        "The mean score on rows that the model has not seen. The baseline is a model that ignores the features; a "
        "set that does not beat it is of no use.",
        digits=3,
    )


def _score_table(evaluation: Evaluation) -> Block:
    numbers, with_baseline = range(evaluation.n_sets), not math.isnan(evaluation.baseline)
    baseline = ["baseline"] if with_baseline else []
    columns = [column("Set", [*(f"set {number}" for number in numbers), *baseline])]
    for name in evaluation.scorers:
        each = [evaluation.scores(number, name) for number in numbers]
        each += [evaluation.baseline_scores(name)] if with_baseline else []
        about = "mean over the folds, on rows that the model has not seen"
        spread = "± spread" if len(evaluation.scorers) == 1 else f"± {name}"
        columns.append(column(name, map(mean_of, each), "number", 3, about))
        columns.append(column(spread, map(std_of, each), "number", 2, "standard deviation"))
    found = [*map(evaluation.n_found, numbers), *[None] * len(baseline)]
    return table(
        "evaluation", "Scores over the folds.", [*columns, column("Found in folds", found, "number")]
    )


def _stability_charts(evaluation: Evaluation) -> list[Block | None]:
    if evaluation.given:
        return []
    shares, index = set_views.stability(evaluation, most=MOST_FEATURES)
    meaning = "1: always the same features, 0: they agree no more than by chance."
    each = zip(index.labels[: evaluation.n_sets], index.values, strict=False)
    values = ", ".join(f"{label} {value:.2f}" for label, value in each if value is not None)
    title = "Would other rows have led to the same features?"
    said = f"{title} {sentence(index.value_name)[:-1]}: {values} ({meaning[:-1]})."
    return [
        bars_chart("stability", title, index, meaning, digits=2)
        if evaluation.n_sets >= FEWEST_DRAWN
        else text(said if values else ""),
        grid_chart(
            "chosen",
            "How often each feature was chosen",
            shares,
            "The share of the searches, each on other rows, in which a set had the feature.",
            row_name="Feature",
        ),
    ]


def _stand_in_charts(evaluation: Evaluation) -> list[Block]:
    if evaluation.n_sets < 2 or not evaluation.substitutions().weights:
        return []
    seen = set_views.stand_ins(evaluation, most=MOST_FEATURES)
    about = "How often a feature takes the place of another one from set to set."
    return [grid_chart("stand-ins", "Which features stand in for which", seen, about, row_name="Feature")]


# --- Frontier --------------------------------------------------------------------------------------------


def frontier_section(given: Frontier | Evaluations) -> Block:
    evaluated, frontier = (given, given.frontier) if isinstance(given, Evaluations) else (None, given)
    by_tau = frontier.by == "tau"
    blocks = [text(ABOUT_TAU if by_tau else "", frontier.explain())]
    if any(point.result.sets for point in frontier):
        blocks += _curve_charts(frontier) if by_tau else [_traded_curve(frontier)]
        point = frontier.suggestion.point
        if by_tau and point is not None:
            where = f"{counted(point.n_features, 'feature')}, tau = {point.tau:.3g}"
            said_of_sets = f"The sets at the suggested point: {where}."
            blocks.append(sets_table("suggested-sets", said_of_sets, point.result))
        if evaluated is not None:
            blocks += [text(evaluated.scores_in_words()), _score_curves(evaluated)]
        blocks.append(_points_table(frontier, evaluated) if by_tau else _traded_table(frontier))
    return section("frontier", title_of(frontier), blocks)


def _curve_charts(frontier: Frontier) -> list[Block]:
    made = []
    if len({point.tau for point in frontier if point.is_complete}) >= FEWEST_DRAWN:
        about = "How much quality is left, the more different the sets must be."
        seen = frontier_views.curve_over_tau(frontier)
        made.append(curves_chart("quality-over-tau", "Quality over tau", seen, about))
    if len(frontier.sizes) >= FEWEST_DRAWN:
        title, about = "Quality over the number of features", "What each further feature in a set adds."
        made.append(curves_chart("quality-over-size", title, frontier_views.curve_over_size(frontier), about))
    if len(frontier.sizes) > 1:
        title = "Quality over the number of features and tau"
        about = "The share of the quality of the best set of that size that is kept."
        made.append(grid_chart("quality-over-both", title, frontier_views.heat(frontier), about))
    return made


def _score_curves(evaluated: Evaluations) -> Block | None:
    seen = frontier_views.scores_along(evaluated)
    if max(len(line.points) for line in seen.series) < FEWEST_DRAWN:
        return None
    about = (
        "The mean score on rows that neither the search nor the model has seen; the line is a model that ignores "
        "the features."
    )
    return curves_chart("scores-along", "How well a model predicts with the sets", seen, about)


def _points_table(frontier: Frontier, evaluated: Evaluations | None) -> Block:
    points = frontier.points
    best = [(point.mean, frontier.best(point.n_features)) for point in points]
    shares = [100 * (mean / top) if top > 0 else math.nan for mean, top in best]
    may_share = "features that two sets may share"
    columns = [
        column("Features", [point.n_features for point in points], "number", about="in each set"),
        column("Sets", [point.n_alternatives + 1 for point in points], "number"),
        column("tau", [point.tau for point in points], "number", 4),
        column("Shared at most", [point.max_overlap for point in points], "number", about=may_share),
        column("Found", [len(point.result.sets) for point in points], "number"),
        column("Mean quality", [point.mean for point in points], "number", 6),
        column("Worst quality", [point.worst for point in points], "number", 6),
        column("Mean, % of best", shares, "number", 3, "of the best set of that size"),
    ]
    if evaluated is not None:
        about = "mean over sets and folds, on rows not seen before"
        scores = [overall(one).difference for one in evaluated]
        columns.append(column(evaluated[0].scorers[0], scores, "number", 3, about))
    columns.append(column("Certainty", [IN_WORDS[point.status] for point in points]))
    return table("frontier-points", "One row for each search.", columns)


# --- Other curves ----------------------------------------------------------------------------------------


ABOUT_TAU = (
    "The more different the sets must be, the more quality they lose. tau says how different: at tau = 0 sets may be "
    "equal, at tau = 1 they share no feature."
)
#: What a curve is about, by what it is drawn over.
TITLES = {
    "tau": "How difference costs quality",
    "penalty": "Quality and shared features",
    "balance": "The sum of the qualities, and the worst set",
    "against": "Quality and costs",
}


def title_of(found: Frontier) -> str:
    return "Quality and a second quality" if found.more_is_better else TITLES[found.by]


def _traded_curve(found: Frontier) -> Block | None:
    if len(found) < FEWEST_DRAWN:
        return None
    title, about = "Quality over what it is traded for", "What each step of the one costs in the other."
    return curves_chart("frontier-curve", title, frontier_views.curve(found), about)


def _traded_table(found: Frontier) -> Block:
    several = len(found.points[0].named_sets)
    # A row for each set, with the numbers of its point.
    points = [point for point in found for _ in point.result.sets]
    certain = ["proven" if point.proven else "something better may exist" for point in points]
    caption = f"{several} rows for each point, one for each of its sets."
    columns = [
        *_of_points(found, points, several > 1),
        column("Quality", [value for point in found for value in point.result.qualities], "number", 6),
        column("Features", [list(names) for point in found for names in point.result.texts], "names"),
        column("Certainty", certain),
    ]
    return table("curve-points", caption if several > 1 else "One row for each point.", columns)


def _of_points(found: Frontier, points: Sequence[FrontierPoint], several: bool) -> list[Column]:
    """The numbers that the sets of a point have in common."""
    if found.by == "against":
        name, which = "Second quality" if found.more_is_better else "Cost", "of the set with the worst one"
        return [column(name, [point.against for point in points], "number", 6, which if several else "")]
    total = column("Sum", [point.quality for point in points], "number", 6)
    if found.by == "balance":
        worst = [point.worst for point in points]
        return [total, column("Worst", worst, "number", 6, "the quality of the worst set")]
    low, high = zip(*(point.penalty or (None, None) for point in points), strict=True)
    shared = [point.shared for point in points]
    return [
        column("Penalty from", low, "number", 4),
        column("to", high, "number", 4, "the last ones have no end"),
        total,
        column("Shared", shared, "number", about="features that pairs of sets share"),
    ]


# --- Near-best sets --------------------------------------------------------------------------------------


#: The best sets that are listed.
MOST_SETS = 10
#: Bars of a chart.
MOST_BARS = 50


def near_best_section(
    near: NearBest, *, with_features: bool = True, n_bars: int = MOST_BARS, n_sets: int = MOST_SETS
) -> Block:
    said = text(near.explain())
    if not near.count or near.n_known == 0:
        return section("near-best", "Nearly as good", [said])
    shown = bars_chart(
        "near-best-frequencies",
        "How often a feature is in such a set",
        set_views.near_best_frequencies(near, most=n_bars),
        "A feature in all sets cannot be replaced; one in few sets is easy to do without.",
        digits=2,
    )
    best, order, names = near.best_set or (), near.ordered(), near.feature_names
    features = table(
        "near-best-features",
        "The features of these sets.",
        [
            column("Feature", [names[index] for index in order]),
            column("% of the sets", [100 * float(near.frequencies[index]) for index in order], "number", 3),
            column("In the best set", ["yes" if index in best else "no" for index in order]),
        ],
        sort=(1, True),
    )
    listed = near.to_dict(n_sets)["sets"]
    sets = table(
        "near-best-sets",
        "The best of these sets, the very best first.",
        [
            column("Rank", range(len(listed)), "number"),
            column("Features", [entry["features"] for entry in listed], "names"),
            column("Quality", [entry["quality"] for entry in listed], "number", 6),
        ],
    )
    # The chart can be shown as a table, too.
    needed = with_features or len(order) > n_bars
    return section("near-best", "Nearly as good", [said, shown, features if needed else None, sets])


# --- Conditions ------------------------------------------------------------------------------------------


def named_features(result: Result | None, names: Sequence[str] | None) -> Mapping[int, str]:
    """The names of features by their numbers: all of them if they are known, else those that are in sets."""
    if names is not None:
        return dict(enumerate(names))
    pairs = zip(result.sets, result.texts, strict=True) if result else ()
    return {index: name for chosen, named in pairs for index, name in zip(chosen, named, strict=True)}


def conditions_section(
    parameters: Mapping[str, Any], provenance: Mapping[str, Any], names: Mapping[int, str]
) -> Block:
    known = FeatureNames(
        sys.maxsize, lambda index: names.get(index, f"feature number {index}"), lambda: list(names.values())
    )
    entries = list(parameters.get("constraints") or ())
    told = list(provenance.get("constraints") or ())
    if len(told) != len(entries):
        told = [""] * len(entries)
    said = [
        sentence(words)
        if words and not _features_in(entry) <= names.keys()
        else about_condition(entry, known)
        for entry, words in zip(entries, told, strict=True)
    ]
    for given in parameters.get("existing") or ():
        said.append(f"Every set differs enough from this one: {known.listed(given, MOST_LISTED)}.")
    ruled_out = [one for entry in entries for one in entry.get("ruled_out") or ()]
    columns = [
        column("Ruled out", [known.listed([one["feature"]]) for one in ruled_out]),
        column("as it says much about", [known.listed([one["other"]]) for one in ruled_out]),
        column("Similarity", [round_down(one["similarity"]) for one in ruled_out]),
    ]
    caption = "Features that were ruled out because they give away a forbidden one."
    proxies = table("proxies", caption, columns) if ruled_out else None
    return section("conditions", "Conditions", [text(*said), proxies])


def _features_in(entry: Mapping[str, Any]) -> set[Any]:
    single = {entry[name] for name in ("feature", "needed") if name in entry}
    return single.union(entry.get("features") or (), entry.get("group") or ())
