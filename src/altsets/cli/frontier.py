"""``altsets frontier``: what difference costs in quality, over tau and over the size and the number of sets.

The answer is a line for each point, a chart in plain characters, and where the curve has its elbow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from altsets.cli import parsing
from altsets.cli.charts import MOST_LINES, Series, chart, more_points, point_lines, show_points, wrapped
from altsets.cli.descriptions import SCORING_MODEL
from altsets.cli.evaluating import evaluate_points, parameters_of, unless_interrupted
from altsets.cli.options import Given, with_options
from altsets.cli.outputs import ReportFile, check_outputs
from altsets.cli.printing import (
    NO_SET,
    Waiting,
    console_for,
    fail,
    plain_messages,
    print_json,
    say_error,
    show_verdict,
)
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    Source,
    options_given,
    request_from,
    run_on_scores,
    source_from,
)
from altsets.errors import InputError
from altsets.features import names_in
from altsets.wording import plural

if TYPE_CHECKING:
    from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.frontier import Frontier, FrontierPoint, FrontierProgress, ProvenPoints

#: The time limit for each point, where the user gives none.
SECONDS_PER_POINT = 10.0
#: What points may differ in besides tau.
PENALTY_OR_BALANCE = ("penalty", "balance")
#: What curves are drawn with: the number of features, letters from ten on.
MARKS = "0123456789abcdefghijklmnopqrstuvwxyz"


@with_options(
    *("table", "points", "differing", "quality", "model", "scoring", "search", "columns", "conditions"),
    *("limits", "evaluation", "output"),
    without=("margin", "bootstraps", "output", "again", "details"),
    described={
        **SCORING_MODEL,
        "time_limit": {"help": "For scores and all points. [default: 10 for each point, after scoring]"},
    },
)
def frontier_command(context: typer.Context, given: Given) -> None:
    """What does difference cost? Quality over every tau that matters, and over sizes and numbers of sets.

    Ctrl-C prints the points that are there. Exit status: 0 = at least one point has a set, 1 = none has, 2 = bad input.
    """
    from altsets.problem import one_of
    from altsets.request import DEFAULT_SIZE
    from altsets.search.frontier.plan import SweepPlan

    with plain_messages():
        record = Record(context)
        _, page = check_outputs(given)
        points = given.points
        if given.conditions.size and points.n_features is not None:
            raise InputError("-k and --size were both given; give one of them.")
        source = source_from(given)
        asked = Asked(
            parsing.whole_numbers_in("-k", points.n_features or str(DEFAULT_SIZE)),
            parsing.whole_numbers_in("-a", points.n_alternatives),
            names_in(points.tau) if points.tau else None,
        )
        if one_of("by", points.by, ("tau", *PENALTY_OR_BALANCE)) != "tau":
            # Only what the user typed is in the way: sets one after the other are the default.
            search = options_given(context).get("--search", "simultaneous")
            _penalty_or_balance(source, asked, search, page, record)
            return
        request = request_from(source)
        # What is wrong is said before features are scored.
        plan = SweepPlan.of(request, lambda one: one.check(source.names), *asked)
        seconds = SECONDS_PER_POINT * len(plan)

        def search_all(scored: Quality, measured: Request, callback: Any) -> tuple[Frontier, Quality]:
            from altsets.search.frontier.sweep import sweep_request

            return sweep_request(measured, scored, *asked, callback=callback), scored

        found, scored = run_on_scores(source, request, search_all, seconds, reporting=_reporting)
        evaluated = _evaluated(source, found, {**asked._asdict(), **parameters_of(request, seconds)})
        try:
            _answer(found, evaluated, given.output.json, source.origin)
        finally:
            page.write(
                frontier=evaluated or found, quality=scored, provenance=record.of_search(source, request)
            )
        source.check_saved()


class Asked(NamedTuple):
    """The points of a frontier: what a request has one of each."""

    n_features: list[int]
    n_alternatives: list[int]
    taus: list[str] | None


def _has_sets(found: Frontier) -> bool:
    return any(point.result.sets for point in found)


def _evaluated(source: Source, found: Frontier, asked: dict[str, Any]) -> EvaluatedFrontier | None:
    """The points with test scores, if that was asked for and Ctrl-C does not end it."""
    given, data = source.given, source.data
    if not given.evaluation.evaluate or data is None or not _has_sets(found):
        return None

    def evaluate() -> EvaluatedFrontier | None:
        evaluated = evaluate_points(found, {**asked, "quality": source.asked}, data, given)
        return evaluated if evaluated.any_evaluation.folds else None

    return unless_interrupted(evaluate, str(found.stop_reason) == "interrupted", "points")


def _reporting(waiting: Waiting) -> Callable[[FrontierProgress], object]:
    """How far the frontier is, as a line."""

    def report(progress: FrontierProgress) -> None:
        now = f"{progress.n_features} features, {progress.n_alternatives} alternatives, tau = {progress.tau:.4g}"
        waiting.say(
            f"Searching: {progress.done} of {progress.total} points, now {now}, {progress.elapsed:.0f} s "
            "(Ctrl-C keeps what is there)"
        )

    return report


def _answer(
    found: Frontier, evaluated: EvaluatedFrontier | None, as_json: bool, origin: dict[str, Any]
) -> None:
    """Print the answer; end with the exit status that says whether there is one."""
    if as_json:
        document = (evaluated or found).to_dict()
        document["parameters"] = {**document["parameters"], **origin}
        print_json(document)
    elif _has_sets(found):
        console = console_for()
        show_verdict((evaluated or found).verdict, console)
        typer.echo()
        console.print("\n".join(frontier_lines(found, evaluated, console.width)), soft_wrap=True)
    if not _has_sets(found):
        fail(found.points[0].result.explain(), NO_SET)
    missing = found.n_asked - len(found)
    if missing:
        say_error(f"{missing} of {found.n_asked} points are missing.")


# --- Lines --------------------------------------------------------------------------------------------


def frontier_lines(frontier: Frontier, evaluated: EvaluatedFrontier | None, width: int) -> list[str]:
    """The points with their scores, if they have any, the chart and the summary, in lines that fit."""
    shares = any(frontier.counts) and all(frontier.best(size) > 0 for size in frontier.sizes)
    counted = any(point.max_overlap is not None for point in frontier)
    what = "Shared: features that two sets may have in common. " if counted else ""
    measured = ", as a share of the best set" if shares else ""
    several = " of that size" if shares and len(frontier.sizes) > 1 else ""
    key = f"{what}Worst, Mean: quality of the worst set and on average{measured}{several}."
    if evaluated is not None:
        shared = evaluated.any_evaluation
        sure = f"{100 * shared.confidence:g} %"
        key += (
            f" Score: {shared.scorers[0]} on test rows, mean of all sets and folds, with its {sure} interval."
        )
    drawn = _chart(frontier, width)
    return [
        *_table(frontier, evaluated, shares=shares, counted=counted),
        *wrapped(key, width),
        "",
        *([*drawn, ""] if drawn else []),
        *wrapped((evaluated or frontier).explain(), width),
    ]


def _table(
    frontier: Frontier, evaluated: EvaluatedFrontier | None, *, shares: bool, counted: bool
) -> list[str]:
    """One line for each point; what is the same for all points is left out."""
    several_sizes = len(frontier.sizes) > 1
    columns = {
        "Features": several_sizes,
        "Alternatives": len(frontier.counts) > 1,
        "Shared": counted,
        # Scores need the room.
        "Best set": several_sizes and shares and not evaluated,
        "Score": evaluated is not None,
        "Interval": evaluated is not None,
    }
    shown = frontier.points[:MOST_LINES]
    scored = [None] * len(shown) if evaluated is None else evaluated.points
    rows = [_cells(frontier, point, score, shares) for point, score in zip(shown, scored, strict=False)]
    if evaluated is not None:
        rows.append({"Score": _shown(evaluated.baseline)})
    header = [name for name in rows[0] if columns.get(name, True)]
    lines = [header, *([row.get(name, "") for name in header] for row in rows)]
    if evaluated is not None:
        lines[-1][0] = "baseline"
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    drawn = [_row(line, widths) for line in lines]
    drawn.insert(1, "-" * max(map(len, drawn)))
    return drawn + more_points(len(frontier))


def _cells(
    frontier: Frontier, point: FrontierPoint, scored: EvaluatedPoint | None, shares: bool
) -> dict[str, str]:
    """All that a line may say about a point, by the heading of its column."""
    best = frontier.best(point.n_features)
    top = best if shares else math.nan
    low, high = (math.nan, math.nan) if scored is None else scored.interval
    return {
        "Features": str(point.n_features),
        "Alternatives": str(point.n_alternatives),
        "tau": f"{point.tau:.4g}",
        "Shared": str(point.max_overlap),
        "Best set": f"{best:#.5g}",
        "Worst": _quality(point.worst, top),
        "Mean": _quality(point.mean, top),
        "Score": "" if scored is None else _shown(scored.score),
        "Interval": "-" if math.isnan(low) else f"[{_shown(low)}, {_shown(high)}]",
        "Status": _status(point),
    }


def _shown(score: float) -> str:
    from altsets.evaluation import shown

    return shown(score)


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
    with_count = f", {count} {plural(count, 'alternative')}" if len(frontier.counts) > 1 else ""
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


# --- Penalties, and sums against minima ---------------------------------------------------------------


def _penalty_or_balance(source: Source, asked: Asked, search: str, page: ReportFile, record: Record) -> None:
    """Search for every penalty that matters, or for sums and minima, and print the points."""
    given = source.given
    by, n_taus = given.points.by, len(asked.taus or ())
    if search != "simultaneous":
        raise InputError(f"--by {by} goes with --search simultaneous, not with --search {search}.")
    if given.search.aggregation != "sum":
        raise InputError(f"--by {by} adds up qualities; leave out --aggregation {given.search.aggregation}.")
    if (len(asked.n_features), len(asked.n_alternatives)) != (1, 1) or n_taus > 1:
        raise InputError(
            f"--by {by} takes one number in -k, one in -a and at most one --tau; several go with --by tau."
        )
    if given.evaluation.evaluate:
        raise InputError(f"--evaluate goes with --by tau; leave it out, or --by {by}.")
    request = replace(
        request_from(
            source,
            n_features=None if given.conditions.size else asked.n_features[0],
            n_alternatives=asked.n_alternatives[0],
            tau=asked.taus[0] if asked.taus else 0 if by == "penalty" else None,
        ),
        search=search,
    )
    n_sets = request.check(source.names).n_sets

    def search_all(scored: Quality, measured: Request, callback: Any) -> tuple[ProvenPoints, Quality]:
        from altsets.search.balance import balance_request
        from altsets.search.frontier.penalties import sweep_penalties

        return (sweep_penalties if by == "penalty" else balance_request)(measured, scored, callback), scored

    found, scored = run_on_scores(source, request, search_all, SECONDS_PER_SET * n_sets)
    try:
        show_points(found, partial(_lines_of, found), given.output.json, source.origin)
    finally:
        page.write(tradeoff=found, quality=scored, provenance=record.of_search(source, request))
    source.check_saved()


def _lines_of(found: ProvenPoints, width: int) -> list[str]:
    """A line for each point with its sets, a chart and the summary."""
    columns = {"Sum": ">10", "Minimum": ">10"}
    if found.second == "shared":
        columns = {"Penalty from": ">12", "to": ">10", "Sum": ">10", "Shared": ">6"}
    points = []
    for point in found:
        numbers = [value for value in vars(point).values() if type(value) in (int, float)]
        cells = [f"{value:.6g}" for value in numbers]
        points.append(([*cells, "yes" if point.proven else "no"], point.named_sets))
    drawn: list[str] = []
    if len(found) > 2:
        series = Series(
            "*", [getattr(point, found.second) for point in found], [point.sum for point in found]
        )
        drawn = ["", "Sum:", *chart([series], width, "{:.4g}".format, found.second)]
    lines = point_lines({**columns, "Proven": "<6"}, points, width)
    return [*lines, *drawn, "", *wrapped(found.explain(), width)]
