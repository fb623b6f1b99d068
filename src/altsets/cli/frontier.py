"""``altsets frontier``: a curve of sets, such as quality over tau or against costs; a line for each point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.commands import with_options
from altsets.cli.evaluating import evaluated, unless_interrupted
from altsets.cli.options import Given
from altsets.cli.outputs import Outputs
from altsets.cli.printing import (
    NO_SET,
    Waiting,
    console_for,
    fail,
    print_json,
    printable,
    say_error,
    show_verdict,
    wrapped,
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


#: What the columns mean.
KEY = {
    "shared": "Shared: features that two sets may have in common. ",
    "quality": "Worst, Mean: quality of the worst set and on average{share}.",
    "score": " Score: {scorer} on test rows, mean of all sets and folds, with its {sure} interval.",
}

#: Options that take several numbers.
NUMBERS: dict[str, Any] = {"kind": str | None, "metavar": "N[:N][,N]", "default": None}


@with_options(
    "table sets curve differing quality model scoring definition nearness columns conditions limits evaluation output",
    without="difference overlap_penalty spread margin bootstraps output again details",
    described={
        "n_features": NUMBERS
        | {"help": "Features in each set: 5, 2:10 (from 2 to 10) or 5,10. [default: 5]"},
        "n_alternatives": NUMBERS
        | {"help": "Sets to find besides the first one: 3, 1:5 or 1,3. [default: 3; 0 with --costs]"},
        "tau": {
            "kind": list[str] | None,
            "metavar": "0..1[,0..1]",
            "help": "Only these values of tau; may be repeated. [default: every one that makes a difference; 0 with "
            "--by penalty, 0.5 with --by balance and --costs]",
        },
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
    record = Record(context)
    # Of a curve that there is not, nothing else is checked.
    problems = Problems()
    sets: dict[str, Any] = {"dissimilarity": "dice"}
    with problems:
        files = Outputs.of(given)
    with problems:
        asked = _asked(context, given)
        sets = asked.first
    check_options(given, problems, **sets)
    source = source_from(given)
    if given.costs is not None:
        asked = _with_costs(asked, given, source.names)
    request = request_from(source, **asked.first)
    # What is wrong is said before features are scored.
    seconds = _seconds(source, request, asked)

    def search_all(scored: Quality, measured: Request, callback: Any) -> tuple[Frontier, Quality]:
        of_search = replace(request, time_limit=measured.time_limit)
        return asked.draw(of_search, scored, measured=measured, callback=callback), scored

    found, scored = run_on_scores(source, request, search_all, seconds, reporting=_reporting)
    scores = _evaluated(source, found)
    try:
        _answer(found, scores, given.json, source.origin)
    finally:
        origin = record.of_search(source, request)
        files.report(frontier=scores or found, quality=scored, provenance=origin)
    source.check_saved()


def _asked(context: typer.Context, given: Given) -> CurveAsked:
    """What the curve is drawn over, and where its points are; the costs are read later."""
    from altsets.search.frontier.curves import CurveAsked

    sizes = parsing.whole_numbers_in("-k", given.n_features) if given.n_features else None
    counts = parsing.whole_numbers_in("-a", given.n_alternatives) if given.n_alternatives else None
    if given.evaluate and (given.by != "tau" or given.costs is not None):
        raise InputError("--evaluate is about tau; leave it out, or --by and --costs.")
    return CurveAsked.of(
        sizes,
        counts,
        names_in(given.tau) if given.tau else None,
        # Only what the user typed is in the way: sets one after the other are the default.
        search=options_given(context).get("--search"),
        by=given.by,
        against=given.costs,
        dissimilarity=given.dissimilarity or "dice",
    )


def _with_costs(asked: CurveAsked, given: Given, names: FeatureNames) -> CurveAsked:
    """The curve with what features cost, and which of them are paid for together."""
    from altsets.dissimilarity import declared_groups
    from altsets.files.feature_files import read_costs

    costs, groups = read_costs(str(given.costs), names)
    declared = parsing.groups_from(given, names) if groups is None else declared_groups(groups)
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
    if not given.evaluate or data is None or not _has_sets(found):
        return None
    was_interrupted = str(found.stop_reason) == "interrupted"
    return unless_interrupted(lambda: evaluated(found, data, given), was_interrupted, "points")


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


def _answer(found: Frontier, scores: Evaluations | None, as_json: bool, origin: dict[str, Any]) -> None:
    """Print the answer; end with the exit status that says whether there is one."""
    if as_json:
        document = (scores or found).to_dict()
        curve = document if scores is None else document["frontier"]
        curve["parameters"] = {**curve["parameters"], **origin}
        print_json(document)
    elif _has_sets(found):
        console = console_for()
        show_verdict((scores or found).verdict, console)
        typer.echo()
        show = _points_over_tau if found.by == "tau" else _points_with_sets
        console.print("\n".join(show(found, scores, console.width)), soft_wrap=True)
    if not _has_sets(found):
        fail(found.points[0].result.explain() if found.points else found.explain(), NO_SET)
    missing = (found.n_asked or len(found)) - len(found)
    if missing:
        say_error(f"{missing} of {found.n_asked} points are missing.")
    elif as_json and not found.complete:
        say_error(found.explain())


# --- Lines --------------------------------------------------------------------------------------------


def _drawn(lines: list[list[str]], ruled: int = 0) -> list[str]:
    """A header and rows below each other, ruled in between; all cells but the last are numbers."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)][:-1]
    drawn = []
    for *cells, last in lines:
        numbers = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
        drawn.append("   ".join([*numbers, last]).rstrip())
    drawn.insert(1, "-" * max(ruled, *map(len, drawn[:1] if ruled else drawn)))
    return drawn


def _more_points(frontier: Frontier) -> list[str]:
    """A line about the points that have none of their own."""
    more = len(frontier) - MOST_LINES
    return [f"{more} more points (--json lists all)"] if more > 0 else []


def _points_over_tau(frontier: Frontier, scores: Evaluations | None, width: int) -> list[str]:
    """One line for each point, what the columns mean, and the summary; what is the same for all points is left out."""
    from altsets.evaluation import shown

    several_sizes = len(frontier.sizes) > 1
    shares = any(frontier.counts) and all(frontier.best(size) > 0 for size in frontier.sizes)
    counted = any(point.max_overlap is not None for point in frontier)
    left_out = {
        "Features": not several_sizes,
        "Alternatives": len(frontier.counts) <= 1,
        "Shared": not counted,
        # Scores need the room.
        "Best set": not (several_sizes and shares and not scores),
        "Score": scores is None,
        "Interval": scores is None,
    }
    points = frontier.points[:MOST_LINES]
    scored = [None] * len(points) if scores is None else scores.evaluations
    rows = [_cells(frontier, point, score, shares) for point, score in zip(points, scored, strict=False)]
    header = [name for name in rows[0] if not left_out.get(name, False)]
    lines = [header, *([row[name] for name in header] for row in rows)]
    measured = ", as a share of the best set" if shares else ""
    several = " of that size" if shares and several_sizes else ""
    key = KEY["shared"] * counted + KEY["quality"].format(share=f"{measured}{several}")
    if scores is not None:
        one, baseline = scores[0], {"Score": shown(scores.baseline)}
        lines.append(["baseline", *(baseline.get(name, "") for name in header[1:])])
        key += KEY["score"].format(scorer=one.scorers[0], sure=f"{100 * one.confidence:g} %")
    summary = wrapped(printable((scores or frontier).explain()), width)
    return [*_drawn(lines), *_more_points(frontier), *wrapped(key, width), "", *summary]


def _cells(
    frontier: Frontier, point: FrontierPoint, scored: Evaluation | None, shares: bool
) -> dict[str, str]:
    """All that a line may say about a point, by the heading of its column."""
    from altsets.evaluation import overall, shown

    best = frontier.best(point.n_features)
    top = best if shares else math.nan
    measured = None if scored is None else overall(scored)
    low, high = (math.nan, math.nan) if measured is None else (measured.low, measured.high)
    sets, asked = len(point.result.sets), len(point.result.statuses)
    found = f" ({sets} of {asked} sets)" if sets < asked else ""
    return {
        "Features": str(point.n_features),
        "Alternatives": str(point.n_alternatives),
        "tau": f"{point.tau:.4g}",
        "Shared": str(point.max_overlap),
        "Best set": f"{best:#.5g}",
        "Worst": _quality(point.worst, top),
        "Mean": _quality(point.mean, top),
        "Score": "" if measured is None else shown(measured.difference),
        "Interval": "-" if math.isnan(low) else f"[{shown(low)}, {shown(high)}]",
        "Status": f"{point.status}{found}".replace("_", " "),
    }


def _quality(value: float, best: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:#.5g}" if math.isnan(best) else f"{100 * value / best:.1f} %"


def _points_with_sets(found: Frontier, _: Evaluations | None, width: int) -> list[str]:
    """A line for each set of each point on a curve over another number than tau."""
    best = found.points[0].quality
    lines: list[list[str]] = []
    for point in found.points[:MOST_LINES]:
        quality = f"{point.quality:.6g}"
        numbers = {"Sum": quality, "Worst": f"{point.worst:.6g}"}
        if point.penalty is not None:
            low, high = (f"{end:.6g}" for end in point.penalty)
            numbers = {"Penalty from": low, "to": high, "Sum": quality, "Shared": str(point.shared or 0)}
        if point.against is not None:
            share = f"{100 * point.quality / best:.1f} %" if best > 0 else "-"
            numbers = {"Cost": f"{point.against:.6g}", "Quality": quality, "of best": share}
        numbers["Status"] = str(point.status)
        lines += [] if lines else [[*numbers, "Features"]]
        cells = list(numbers.values())
        for names in point.named_sets:
            lines.append([*cells, printable(", ".join(map(str, names)))])
            cells = [""] * len(cells)
    return [*_drawn(lines, min(width, 60)), *_more_points(found)]
