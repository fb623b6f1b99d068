"""Sections of a report: the sets, all features, the frontier, the evaluation, near-best sets, the conditions."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from altsets.evaluation import Evaluation, Evaluations, overall
from altsets.features import FeatureNames
from altsets.quality import Quality
from altsets.report.document import (
    FEATURES,
    SETS_DRAWN,
    Block,
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
from altsets.result import Result, Status
from altsets.search.frontier import Frontier
from altsets.search.near_best import NearBest
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
    (standard, whole), share = result.compared_with, result.qualities[0] > 0
    kind = "number" if in_use is None and not result.set_names else "text"
    columns = [column("Set", kind), column("Features", "names"), column("Quality", "number", 6)]
    columns += [column(f"% of {standard}", "number", 3)] if share else []
    groups, costs = result.groups, result.costs
    columns += [column("Groups", "names")] if groups else []
    columns += [column("Cost", "number", 6) for _ in costs[0]] if costs else []
    columns.append(column("Certainty"))
    rows = []
    for number, (names, value) in enumerate(zip(result.texts, result.qualities, strict=True)):
        part: list[Any] = [100 * value / whole] if share else []
        which: Any = number
        if kind == "text":
            which = result.label(number).removeprefix("set ") + (" (in use)" if number == in_use else "")
        part += [list(dict.fromkeys(group or "-" for group in groups[number]))] if groups else []
        part += costs[number] if costs else []
        rows.append([which, list(names), value, *part, certainty(result, result.statuses[number])])
    return table(identity, caption, columns, rows)


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
    rows = []
    for later, earlier, feature, other, similarity in result.matches:
        one = result.texts[later][result.sets[later].index(feature)]
        two = result.texts[earlier][result.sets[earlier].index(other)]
        rows.append([later, one, earlier, two, round_down(similarity)])
    columns = [column("Set", "number"), column("Feature"), column("Earlier set", "number")]
    columns += [column("Stands in for"), column("Similarity")]
    return table("matches", "What matches what: features of two sets that are alike.", columns, rows)


#: Targets that have a column of their own in the table of R².
MOST_TARGETS = 6


def models_section(result: Result) -> Block | None:
    if not result.models:
        return None
    targets, cox = result.models[0].targets, result.models[0].c_index is not None
    several = len(targets) > 1
    about = "R² on these rows"
    if cox:
        about = "the score statistic, as a share of the largest that any column could have"
    elif several:
        about = "the mean R² of several targets; of classes, the mean squared canonical correlation"
    columns = [column("Set"), column("Explained", "number", 4, about=about)]
    if cox:
        columns.append(column("C index", "number", 4, about="on these rows; a guess has 0.5"))
    elif 1 < len(targets) <= MOST_TARGETS:
        columns += [column(f"R² of {target}", "number", 4) for target in targets]
    explained, rows = [], []
    for number, model in enumerate(result.models):
        which = result.label(number).removeprefix("set ")
        explained.append(
            [which, model.r2, *([model.c_index] if cox else model.target_r2 if len(columns) > 2 else ())]
        )
        rows += [[which, *(line[:1] if several else ()), *line[1:4]] for line in model.rows()]
    named = [column("Set"), *([column("Target")] if several else []), column("Column")]
    of = "logarithm of the hazard ratio, in the units of the table" if cox else ""
    numbers = [column("Coefficient", "number", 4, about=of), column("Standard error", "number", 3)]
    return section(
        "models",
        "The Cox models" if cox else "The linear models",
        [
            table("explained", "What each model explains.", columns, explained),
            table("coefficients", "Coefficients, in the units of the table.", [*named, *numbers], rows),
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
    columns = [column("Feature")]
    cells: list[list[Any]] = [list(names)]
    values, sort, worth = [0.0] * len(names), None, ""
    if scores is not None:
        values, sort, worth = list(map(float, scores)), (1, True), " and what each of them alone is worth"
        columns.append(column("Score", "number", 4))
        cells.append(values)
    # Near-best sets know scores, but no floor.
    floor = getattr(scoring, "noise_floor", None)
    if scores is not None and floor is not None:
        columns.append(column("Above chance", about="whether the score is above the noise floor"))
        cells.append(["yes" if above else "no" for above in scores > floor])
    member: dict[int, list[str]] = {}
    for number, chosen in enumerate(result.sets if result else ()):
        for index in chosen:
            member.setdefault(index, []).append(result.label(number))  # type: ignore[union-attr]
    if member:
        columns.append(column("In", "names"))
        cells.append([member.get(index, []) for index in range(len(names))])
    # Those in sets first: where there is no room for all, these must be there.
    order = sorted(range(len(names)), key=lambda index: (index not in member, -values[index], index))
    rows = [[column_cells[index] for column_cells in cells] for index in order]
    made = table(FEATURES, f"All {len(names):,} features{worth}.", columns, rows, sort=sort)
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
    sets = enumerate(evaluation.folds[0].sets)
    rows = [[number, [evaluation.names[index] for index in chosen]] for number, chosen in sets]
    columns = [column("Set", "number"), column("Features", "names")]
    return table("given-sets", "The feature sets that were given.", columns, rows)


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
    columns = [column("Set")]
    for name in evaluation.scorers:
        spread = "± spread" if len(evaluation.scorers) == 1 else f"± {name}"
        columns += [
            column(name, "number", 3, "mean over the folds, on rows that the model has not seen"),
            column(spread, "number", 2, "standard deviation"),
        ]
    columns.append(column("Found in folds", "number"))

    def row(label: str, scores: Callable[[str], list[float]], n_found: int | None) -> list[object]:
        numbers = []
        for name in evaluation.scorers:
            known = [score for score in scores(name) if not math.isnan(score)]
            numbers.append(statistics.fmean(known) if known else math.nan)
            numbers.append(statistics.stdev(known) if len(known) > 1 else math.nan)
        return [label, *numbers, n_found]

    rows = [
        row(f"set {number}", partial(evaluation.scores, number), evaluation.n_found(number))
        for number in range(evaluation.n_sets)
    ]
    if not math.isnan(evaluation.baseline):
        rows.append(row("baseline", evaluation.baseline_scores, None))
    return table("evaluation", "Scores over the folds.", columns, rows)


def _stability_charts(evaluation: Evaluation) -> list[Block | None]:
    if evaluation.given:
        return []
    seen = set_views.stability(evaluation, most=MOST_FEATURES)
    meaning, index = "1: always the same features, 0: they agree no more than by chance.", seen.index
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
            seen.shares,
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
    cells: list[tuple[Block, Sequence[object]]] = [
        (column("Features", "number", about="in each set"), [point.n_features for point in points]),
        (column("Sets", "number"), [point.n_alternatives + 1 for point in points]),
        (column("tau", "number", 4), [point.tau for point in points]),
        (
            column("Shared at most", "number", about="features that two sets may share"),
            [point.max_overlap for point in points],
        ),
        (column("Found", "number"), [len(point.result.sets) for point in points]),
        (column("Mean quality", "number", 6), [point.mean for point in points]),
        (column("Worst quality", "number", 6), [point.worst for point in points]),
        (column("Mean, % of best", "number", 3, "of the best set of that size"), shares),
    ]
    if evaluated is not None:
        scorer = evaluated[0].scorers[0]
        about = "mean over sets and folds, on rows not seen before"
        cells.append((column(scorer, "number", 3, about), [overall(one).difference for one in evaluated]))
    cells.append((column("Certainty"), [IN_WORDS[point.status] for point in points]))
    rows = list(zip(*(values for _, values in cells), strict=True))
    return table("frontier-points", "One row for each search.", [one for one, _ in cells], rows)


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
    shown = _of_points(found)
    rows = []
    for point in found:
        numbers = [value(point) for _, value in shown]
        certain = "proven" if point.proven else "something better may exist"
        for quality, names in zip(point.result.qualities, point.result.texts, strict=True):
            rows.append([*numbers, quality, list(names), certain])
    several = len(found.points[0].named_sets)
    each = f"{several} rows for each point, one for each of its sets."
    columns = [one for one, _ in shown]
    columns += [column("Quality", "number", 6), column("Features", "names"), column("Certainty")]
    return table("curve-points", each if several > 1 else "One row for each point.", columns, rows)


def _of_points(found: Frontier) -> list[tuple[Block, Callable[[Any], Any]]]:
    """Columns of the numbers of a point that its sets have in common, and the numbers."""
    if found.by == "against":
        which = "of the set with the worst one" if len(found.points[0].named_sets) > 1 else ""
        name = "Second quality" if found.more_is_better else "Cost"
        return [(column(name, "number", 6, about=which), lambda point: point.against)]
    total = column("Sum", "number", 6), lambda point: point.quality
    if found.by == "balance":
        worst = column("Worst", "number", 6, about="the quality of the worst set")
        return [total, (worst, lambda point: point.worst)]
    shared = column("Shared", "number", about="features that pairs of sets share")
    return [
        (column("Penalty from", "number", 4), lambda point: point.penalty[0]),
        (column("to", "number", 4, about="the last ones have no end"), lambda point: point.penalty[1]),
        total,
        (shared, lambda point: point.shared),
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
    best, names = frozenset(near.best_set or ()), near.feature_names
    features = table(
        "near-best-features",
        "The features of these sets.",
        [column("Feature"), column("% of the sets", "number", 3), column("In the best set")],
        [
            [names[index], 100 * float(near.frequencies[index]), "yes" if index in best else "no"]
            for index in near.ordered()
        ],
        sort=(1, True),
    )
    listed = enumerate(near.to_dict(n_sets)["sets"])
    sets = table(
        "near-best-sets",
        "The best of these sets, the very best first.",
        [column("Rank", "number"), column("Features", "names"), column("Quality", "number", 6)],
        [[rank, entry["features"], entry["quality"]] for rank, entry in listed],
    )
    # The chart can be shown as a table, too.
    needed = with_features or len(near.ordered()) > n_bars
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
    ruled_out = [
        [known.listed([one["feature"]]), known.listed([one["other"]]), round_down(one["similarity"])]
        for entry in entries
        for one in entry.get("ruled_out") or ()
    ]
    columns = [column("Ruled out"), column("as it says much about"), column("Similarity")]
    caption = "Features that were ruled out because they give away a forbidden one."
    proxies = table("proxies", caption, columns, ruled_out) if ruled_out else None
    return section("conditions", "Conditions", [text(*said), proxies])


def _features_in(entry: Mapping[str, Any]) -> set[Any]:
    single = {entry[name] for name in ("feature", "needed") if name in entry}
    return single.union(entry.get("features") or (), entry.get("group") or ())
