"""``altsets frontier``: what difference costs in quality, over tau and over the size and the number of sets.

The answer is a line for each point, a chart in plain characters, and where the curve has its elbow.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from altsets.cli import parsing
from altsets.cli.evaluating import evaluate_points, parameters_of, unless_interrupted
from altsets.cli.options import SCORING_MODEL, Given, with_options
from altsets.cli.outputs import check_outputs
from altsets.cli.printing import (
    NO_SET,
    Waiting,
    console_for,
    fail,
    plain_messages,
    print_json,
    printable,
    say_error,
    show_verdict,
)
from altsets.cli.searching import Record, Source, request_from, run_on_scores, source_from
from altsets.errors import InputError
from altsets.features import names_in
from altsets.wording import plural

if TYPE_CHECKING:
    from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.frontier import Frontier, FrontierPoint, FrontierProgress

#: The time limit for each point, where the user gives none.
SECONDS_PER_POINT = 10.0
#: Points that have a line each; of more, --json has the others.
MOST_LINES = 200
#: What curves are drawn with: the number of features, letters from ten on.
MARKS = "0123456789abcdefghijklmnopqrstuvwxyz"
#: Lines and columns of a chart; wider ones are no easier to read.
HEIGHT, WIDEST, NARROWEST = 10, 60, 10
#: Where points of several series meet.
SEVERAL = "+"


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
    from altsets.request import DEFAULT_SIZE

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
        request = request_from(source)
        seconds = SECONDS_PER_POINT * _count_points(source, request, asked)

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


def _count_points(source: Source, request: Request, asked: Asked) -> int:
    """Say what is wrong before features are scored; about how many points there will be."""
    from altsets.search.frontier.plan import SweepPlan

    return len(SweepPlan.of(request, lambda one: one.check(source.names), *asked))


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
    if len(frontier) > MOST_LINES:
        drawn.append(f"{len(frontier) - MOST_LINES} more points (--json lists all)")
    return drawn


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


# --- Charts -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """Points that are drawn with one character."""

    mark: str
    xs: Sequence[float]
    ys: Sequence[float]


def chart(series: Sequence[Series], width: int, label: Callable[[float], str], x_name: str) -> list[str]:
    """Lines with the points of all series; ``label`` writes the numbers of the vertical axis."""
    points = [
        (x, y, one.mark) for one in series for x, y in zip(one.xs, one.ys, strict=True) if math.isfinite(y)
    ]
    if not points:
        return []
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    names = [label(high), label(low)]
    margin = max(map(len, names))
    columns = max(min(width - margin - 3, WIDEST), NARROWEST)
    area = [[" "] * columns for _ in range(HEIGHT)]
    for x, y, mark in points:
        column = _place(x, left, right, columns)
        line = HEIGHT - 1 - _place(y, low, high, HEIGHT)
        area[line][column] = mark if area[line][column] in (" ", mark) else SEVERAL
    shown = {0: names[0], HEIGHT - 1: names[1]}
    lines = [
        f"{shown.get(number, ''):>{margin}} |{''.join(line)}".rstrip() for number, line in enumerate(area)
    ]
    lines.append(f"{'':>{margin}} +{'-' * columns}")
    ends = f"{left:g}", f"{right:g}"
    middle = columns - len(ends[0]) - len(ends[1])
    lines.append(f"{'':>{margin}}  {ends[0]}{x_name:^{max(middle, len(x_name) + 2)}}{ends[1]}")
    return lines


def _place(value: float, low: float, high: float, count: int) -> int:
    """Which of so many places from low to high."""
    return round((value - low) / (high - low) * (count - 1)) if high > low else count // 2
