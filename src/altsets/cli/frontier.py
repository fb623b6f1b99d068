"""``altsets frontier``: a curve of sets, such as quality over tau or against costs; a line for each point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.commands import with_options
from altsets.cli.evaluating import evaluated, unless_interrupted
from altsets.cli.options import Given
from altsets.cli.outputs import Outputs
from altsets.cli.printing import (
    NO_SET,
    Row,
    Waiting,
    console_for,
    fail,
    grid,
    print_json,
    printable,
    say,
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
    from altsets.evaluation import Evaluations
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.result import Frontier
    from altsets.search.frontier.curves import CurveAsked
    from altsets.search.frontier.progress import FrontierProgress

#: The time limit for each point over tau, where the user gives none.
SECONDS_PER_POINT = 10.0
#: Points that have a row each; of more, --json has the others.
MOST_POINTS = 200
#: Characters of the widest table over tau, whose numbers are never cut.
WIDEST = 130

#: What the columns mean.
KEY = {
    "shared": "Shared: features that two sets may have in common.",
    "quality": "Worst, Mean: quality of the worst set and on average{share}.",
    "score": "Score: {scorer} on test rows, mean of all sets and folds, with its {sure} interval.",
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
    if given.evaluate and given.by != "tau":
        raise InputError("--evaluate is for curves over tau and against costs; leave it out, or --by.")
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
        if found.by == "tau":
            console_for(least_width=WIDEST).print(grid(_rows_over_tau(found, scores)))
        else:
            console.print(grid(_rows_with_sets(found, scores)))
        if len(found) > MOST_POINTS:
            say(console, f"{len(found) - MOST_POINTS} more points (--json lists all)")
        if found.by == "tau":
            say(console, _key(found, scores))
            typer.echo()
            say(console, (scores or found).explain())
    if not _has_sets(found):
        fail(found.points[0].result.explain() if found.points else found.explain(), NO_SET)
    missing = (found.n_asked or len(found)) - len(found)
    if missing:
        say_error(f"{missing} of {found.n_asked} points are missing.")
    elif as_json and not found.complete:
        say_error(found.explain())


# --- Tables -------------------------------------------------------------------------------------------


def _in_shares(frontier: Frontier) -> bool:
    """Whether qualities are shown as shares of that of the best set."""
    return any(frontier.counts) and all(frontier.best(size) > 0 for size in frontier.sizes)


def _rows_over_tau(frontier: Frontier, scores: Evaluations | None) -> list[Row]:
    """One row for each point; what is the same for all points is left out."""
    from altsets.evaluation import overall, shown

    several_sizes, shares = len(frontier.sizes) > 1, _in_shares(frontier)
    points = frontier.points[:MOST_POINTS]
    rows: list[Row] = []
    for point, scored in zip_longest(points, () if scores is None else scores.evaluations[:MOST_POINTS]):
        best = frontier.best(point.n_features)
        row = [("Features", str(point.n_features))] * several_sizes
        row += [("Alternatives", str(point.n_alternatives))] * (len(frontier.counts) > 1)
        row.append(("tau", f"{point.tau:.4g}"))
        if any(one.max_overlap is not None for one in frontier):
            row.append(("Shared", str(point.max_overlap)))
        # Scores need the room.
        row += [("Best set", f"{best:#.5g}")] * (several_sizes and shares and not scores)
        for name, value in (("Worst", point.worst), ("Mean", point.mean)):
            text = f"{100 * value / best:.1f} %" if shares else f"{value:#.5g}"
            row.append((name, "-" if math.isnan(value) else text))
        if scores is not None:
            score, interval = "", "-"
            if scored is not None and (measured := overall(scored)) is not None:
                score = shown(measured.difference)
                if not math.isnan(measured.low):
                    interval = f"[{shown(measured.low)}, {shown(measured.high)}]"
            row += [("Score", score), ("Interval", interval)]
        found, asked = len(point.result.sets), len(point.result.statuses)
        missing = f" ({found} of {asked} sets)" if found < asked else ""
        rows.append([*row, ("Status", f"{point.status}{missing}".replace("_", " "))])
    if scores is not None:
        known = {rows[0][0][0]: "baseline", "Score": shown(scores.baseline)}
        rows.append([(name, known.get(name, "")) for name, _ in rows[0]])
    return rows


def _key(frontier: Frontier, scores: Evaluations | None) -> str:
    """What the columns mean."""
    several = " of that size" if len(frontier.sizes) > 1 else ""
    share = f", as a share of the best set{several}" if _in_shares(frontier) else ""
    said = [KEY["shared"]] if any(point.max_overlap is not None for point in frontier) else []
    said.append(KEY["quality"].format(share=share))
    if scores is not None:
        one = scores[0]
        said.append(KEY["score"].format(scorer=one.scorers[0], sure=f"{100 * one.confidence:g} %"))
    return " ".join(said)


def _rows_with_sets(found: Frontier, scores: Evaluations | None) -> list[Row]:
    """A row for each set of each point on a curve over another number than tau."""
    from altsets.evaluation import overall, shown

    best = found.points[0].quality
    rows: list[Row] = []
    for place, point in enumerate(found.points[:MOST_POINTS]):
        quality = f"{point.quality:.6g}"
        numbers = [("Sum", quality), ("Worst", f"{point.worst:.6g}")]
        if point.penalty is not None:
            low, high = (f"{end:.6g}" for end in point.penalty)
            numbers = [
                ("Penalty from", low),
                ("to", high),
                ("Sum", quality),
                ("Shared", str(point.shared or 0)),
            ]
        if point.against is not None:
            share = f"{100 * point.quality / best:.1f} %" if best > 0 else "-"
            numbers = [("Cost", f"{point.against:.6g}"), ("Quality", quality), ("Of best", share)]
        if scores is not None:
            measured = overall(scores.evaluations[place])
            numbers.append(("Score", "" if measured is None else shown(measured.difference)))
        numbers.append(("Status", str(point.status)))
        for number, names in enumerate(point.named_sets):
            features = printable(", ".join(map(str, names)))
            rows.append([*numbers, ("Set", str(number)), ("Features", features)])
            numbers = [(name, "") for name, _ in numbers]
    return rows
