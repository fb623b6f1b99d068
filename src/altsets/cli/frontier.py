"""``altsets frontier``: a curve of sets, such as quality over tau or against costs; a line for each point."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.descriptions import SCORING_MODEL, SHARES
from altsets.cli.evaluating import evaluate_points, unless_interrupted
from altsets.cli.options import Given, with_options
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
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    Source,
    check_options,
    options_given,
    request_from,
    run_on_scores,
    source_from,
)
from altsets.errors import InputError, Problems
from altsets.features import FeatureNames, names_in

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation, Evaluations
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.frontier import Frontier, FrontierPoint, FrontierProgress
    from altsets.search.frontier.curves import CurveAsked

#: The time limit for each point over tau, where the user gives none.
SECONDS_PER_POINT = 10.0
#: Points that have a line each; of more, --json has the others.
MOST_LINES = 200


@with_options(
    *("table", "points", "differing", "quality", "model", "scoring", "search", "definition", "columns"),
    *("conditions", "limits", "evaluation", "output"),
    without=(
        *("difference", "overlap_penalty", "spread", "margin", "bootstraps"),
        *("output", "again", "details"),
    ),
    described={
        **SCORING_MODEL,
        **SHARES,
        "time_limit": {
            "help": "For scores and all points. [default: after scoring, 10 for each point over tau, else 60 for each "
            "set]"
        },
    },
)
def frontier_command(context: typer.Context, given: Given) -> None:
    """Show a curve: quality over every tau that matters, over sizes, penalties and balance, or against costs.

    Ctrl-C prints the points so far. Exit status: 0 = at least one point has a set, 1 = none has, 2 = bad input.
    """
    with plain_messages():
        record = Record(context)
        # Of a curve that there is not, nothing else is checked.
        problems = Problems()
        sets: dict[str, Any] = {"dissimilarity": "dice"}
        with problems:
            _, page = check_outputs(given)
        with problems:
            asked = _asked(context, given)
            sets = asked.first
        check_options(given, problems, **sets)
        source = source_from(given)
        if given.points.costs is not None:
            asked = _with_costs(asked, given, FeatureNames.of(source.names))
        request = request_from(source, **asked.first)
        # What is wrong is said before features are scored.
        seconds = _seconds(source, request, asked)

        def search_all(scored: Quality, measured: Request, callback: Any) -> tuple[Frontier, Quality]:
            of_search = replace(request, time_limit=measured.time_limit)
            return asked.draw(of_search, scored, measured=measured, callback=callback), scored

        found, scored = run_on_scores(source, request, search_all, seconds, reporting=_reporting)
        evaluated = _evaluated(source, found)
        try:
            _answer(found, evaluated, given.output.json, source.origin)
        finally:
            page.write(
                frontier=evaluated or found, quality=scored, provenance=record.of_search(source, request)
            )
        source.check_saved()


def _asked(context: typer.Context, given: Given) -> CurveAsked:
    """What the curve is drawn over, and where its points are; the costs are read later."""
    from altsets.search.frontier.curves import CurveAsked

    points = given.points
    sizes = parsing.whole_numbers_in("-k", points.n_features) if points.n_features else None
    counts = parsing.whole_numbers_in("-a", points.n_alternatives) if points.n_alternatives else None
    if given.evaluation.evaluate and (points.by != "tau" or points.costs is not None):
        raise InputError("--evaluate is about tau; leave it out, or --by and --costs.")
    return CurveAsked.of(
        sizes,
        counts,
        names_in(points.tau) if points.tau else None,
        # Only what the user typed is in the way: sets one after the other are the default.
        search=options_given(context).get("--search"),
        by=points.by,
        against=points.costs,
        dissimilarity=given.differing.dissimilarity or "dice",
    )


def _with_costs(asked: CurveAsked, given: Given, names: FeatureNames) -> CurveAsked:
    """The curve with what features cost, and which of them are paid for together."""
    from altsets.dissimilarity import declared_groups
    from altsets.files.feature_files import read_costs

    costs, groups = read_costs(str(given.points.costs), names)
    declared = parsing.groups_from(given.differing, names) if groups is None else declared_groups(groups)
    return replace(asked, against=costs, groups=declared)


def _seconds(source: Source, request: Request, asked: CurveAsked) -> float:
    """Check the request, and say how long a search may take by default."""
    from altsets.search.frontier.plan import SweepPlan

    if asked.kind != "tau":
        return SECONDS_PER_SET * request.check(source.names).n_sets
    places = (asked.n_features, asked.n_alternatives, asked.tau)
    return SECONDS_PER_POINT * len(SweepPlan.of(request, lambda one: one.check(source.names), *places))


def _has_sets(found: Frontier) -> bool:
    return any(point.result.sets for point in found)


def _evaluated(source: Source, found: Frontier) -> Evaluations | None:
    """The points with test scores, if that was asked for and Ctrl-C does not end it."""
    given, data = source.given, source.data
    if not given.evaluation.evaluate or data is None or not _has_sets(found):
        return None

    def evaluate() -> Evaluations:
        return evaluate_points(found, data, given)

    return unless_interrupted(evaluate, str(found.stop_reason) == "interrupted", "points")


def _reporting(waiting: Waiting) -> Callable[[FrontierProgress], object]:
    """How far the frontier is, as a line."""

    def report(progress: FrontierProgress) -> None:
        now = f"{progress.n_features} features, {progress.n_alternatives} alternatives, tau = {progress.tau:.4g}"
        done = (
            f"{progress.done} searches"
            if progress.total is None
            else f"{progress.done} of {progress.total} points"
        )
        waiting.say(
            f"Searching: {done}, now {now}, {progress.elapsed:.0f} s (Ctrl-C keeps what was found so far)"
        )

    return report


def _answer(found: Frontier, evaluated: Evaluations | None, as_json: bool, origin: dict[str, Any]) -> None:
    """Print the answer; end with the exit status that says whether there is one."""
    if as_json:
        document = (evaluated or found).to_dict()
        curve = document if evaluated is None else document["frontier"]
        curve["parameters"] = {**curve["parameters"], **origin}
        print_json(document)
    elif _has_sets(found):
        console = console_for()
        show_verdict((evaluated or found).verdict, console)
        typer.echo()
        lines = (
            frontier_lines(found, evaluated, console.width)
            if found.by == "tau"
            else traded_lines(found, console.width)
        )
        console.print("\n".join(lines), soft_wrap=True)
    if not _has_sets(found):
        fail(found.points[0].result.explain() if found.points else found.explain(), NO_SET)
    missing = (found.n_asked or len(found)) - len(found)
    if missing:
        say_error(f"{missing} of {found.n_asked} points are missing.")
    elif as_json and not found.complete:
        say_error(found.explain())


# --- Lines --------------------------------------------------------------------------------------------


def frontier_lines(frontier: Frontier, evaluated: Evaluations | None, width: int) -> list[str]:
    """The points with their scores, if they have any, and the summary, in lines that fit."""
    shares = any(frontier.counts) and all(frontier.best(size) > 0 for size in frontier.sizes)
    counted = any(point.max_overlap is not None for point in frontier)
    what = "Shared: features that two sets may have in common. " if counted else ""
    measured = ", as a share of the best set" if shares else ""
    several = " of that size" if shares and len(frontier.sizes) > 1 else ""
    key = f"{what}Worst, Mean: quality of the worst set and on average{measured}{several}."
    if evaluated is not None:
        shared = evaluated[0]
        sure = f"{100 * shared.confidence:g} %"
        key += (
            f" Score: {shared.scorers[0]} on test rows, mean of all sets and folds, with its {sure} interval."
        )
    return [
        *_table(frontier, evaluated, shares=shares, counted=counted),
        *_wrapped(key, width),
        "",
        *_wrapped((evaluated or frontier).explain(), width),
    ]


def _table(frontier: Frontier, evaluated: Evaluations | None, *, shares: bool, counted: bool) -> list[str]:
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
    scored = [None] * len(shown) if evaluated is None else evaluated.evaluations
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
    return drawn + _more_points(len(frontier))


def _cells(
    frontier: Frontier, point: FrontierPoint, scored: Evaluation | None, shares: bool
) -> dict[str, str]:
    """All that a line may say about a point, by the heading of its column."""
    best = frontier.best(point.n_features)
    top = best if shares else math.nan
    from altsets.evaluation import overall

    measured = None if scored is None else overall(scored)
    low, high = (math.nan, math.nan) if measured is None else (measured.low, measured.high)
    return {
        "Features": str(point.n_features),
        "Alternatives": str(point.n_alternatives),
        "tau": f"{point.tau:.4g}",
        "Shared": str(point.max_overlap),
        "Best set": f"{best:#.5g}",
        "Worst": _quality(point.worst, top),
        "Mean": _quality(point.mean, top),
        "Score": "" if measured is None else _shown(measured.difference),
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


def _more_points(count: int) -> list[str]:
    """A line about the points that have none of their own."""
    return [f"{count - MOST_LINES} more points (--json lists all)"] if count > MOST_LINES else []


def _wrapped(text: str, width: int) -> list[str]:
    """A paragraph in lines that fit."""
    return textwrap.wrap(printable(text), width, break_on_hyphens=False)


# --- Curves over another number than tau --------------------------------------------------------------


def traded_lines(found: Frontier, width: int) -> list[str]:
    """A line for each point with its sets."""
    rows = [_numbers_of(found, point) for point in found.points[:MOST_LINES]]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    lines = ["   ".join([*(f"{name:>{width}}" for name, width in widths.items()), "Features"])]
    lines.append("-" * max(len(lines[0]), min(width, 60)))
    for row, point in zip(rows, found.points, strict=False):
        start = "".join(f"{row[name]:>{width}}   " for name, width in widths.items())
        for number, names in enumerate(point.named_sets):
            lines.append((" " * len(start) if number else start) + printable(", ".join(map(str, names))))
    return [*lines, *_more_points(len(found))]


def _numbers_of(found: Frontier, point: FrontierPoint) -> dict[str, str]:
    """What a line says about a point, by the heading of its column."""
    best = found.points[0].quality
    numbers = {"Sum": f"{point.quality:.6g}", "Worst": f"{point.worst:.6g}"}
    if point.penalty is not None:
        low, high = point.penalty
        numbers = {
            "Penalty from": f"{low:.6g}",
            "to": f"{high:.6g}",
            "Sum": f"{point.quality:.6g}",
            "Shared": str(point.shared or 0),
        }
    if point.against is not None:
        numbers = {
            "Cost": f"{point.against:.6g}",
            "Quality": f"{point.quality:.6g}",
            "of best": f"{100 * point.quality / best:.1f} %" if best > 0 else "-",
        }
    return {**numbers, "Status": str(point.status)}
