"""``altsets tradeoff``: quality against what features cost, all points of which no set is better in both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.charts import Series, chart, point_lines, show_points, wrapped
from altsets.cli.descriptions import ONLY_SCORES
from altsets.cli.options import NOT_OF_ALL_SETS, Given, TradeoffOptions, with_options
from altsets.cli.outputs import check_outputs
from altsets.cli.printing import Waiting, plain_messages
from altsets.cli.searching import SECONDS_PER_SET, Record, request_from, run_on_scores, source_from
from altsets.errors import InputError
from altsets.features import FeatureNames, names_in

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.tradeoff import Tradeoff, TradeoffProgress


@with_options(
    *("table", "tradeoff", "differing", "quality", "model", "scoring", "search", "columns", "conditions"),
    *("limits", "output"),
    without=(*("search", "positive", "class_weight", "max_iters", "output", "again", "details"),),
    described={
        **ONLY_SCORES,
        **NOT_OF_ALL_SETS,
        "time_limit": {"help": "For scores and all points. [default: 60, after scoring]"},
    },
)
def tradeoff_command(context: typer.Context, given: Given) -> None:
    """What does quality cost? Every set, or every few sets, of which none is better in both quality and costs.

    Ctrl-C prints the points that are there. Exit status: 0 = there is a point, 1 = there is none, 2 = bad input.
    """
    with plain_messages():
        record = Record(context)
        _, page = check_outputs(given)
        asked = given.tradeoff
        n_features = parsing.size_of_sets(asked.n_features, given.conditions.size)
        source = source_from(given)
        criterion = _criterion(asked, FeatureNames.of(source.names))
        several = {"tau": asked.tau} if asked.n_alternatives else {}
        request = request_from(source, n_features=n_features, n_alternatives=asked.n_alternatives, **several)
        request = replace(request, search="simultaneous")
        request.check(source.names)

        def search(scored: Quality, measured: Request, callback: Any) -> tuple[Tradeoff, Quality]:
            from altsets.search.tradeoff.stepping import trade_off

            return trade_off(measured, scored, criterion, callback=callback), scored

        found, scored = run_on_scores(source, request, search, SECONDS_PER_SET, reporting=_reporting)
        try:
            show_points(found, partial(tradeoff_lines, found), given.output.json, source.origin)
        finally:
            page.write(tradeoff=found, quality=scored, provenance=record.of_search(source, request))
        source.check_saved()


def _criterion(asked: TradeoffOptions, names: FeatureNames) -> Mapping[Any, float]:
    """The number of each feature: its cost, or 1 if it is one of those that are counted."""
    if (asked.costs is None) == (asked.count is None):
        both = "were both" if asked.costs is not None else "were not"
        raise InputError(f"--costs and --count {both} given; give one of them.")
    if asked.count is not None:
        return dict.fromkeys(names.positions(names_in(asked.count), "--count"), 1.0)
    from altsets.files.feature_files import read_costs

    assert asked.costs is not None
    costs, groups = read_costs(asked.costs, names)
    if groups is not None:
        raise InputError(
            f"--costs {asked.costs} has groups that are paid once, which goes with --budget; give each feature a cost."
        )
    return costs


def _reporting(waiting: Waiting) -> Callable[[TradeoffProgress], object]:
    """How far the trade-off is, as a line."""

    def report(progress: TradeoffProgress) -> None:
        waiting.say(
            f"Searching: {progress.done} points, criterion {progress.criterion:.6g}, {progress.elapsed:.0f} s "
            "(Ctrl-C keeps what is there)"
        )

    return report


def tradeoff_lines(found: Tradeoff, width: int) -> list[str]:
    """A line for each point with its sets, a chart and the summary, in lines that fit."""
    best = found.points[0].quality
    columns = {"Criterion": ">10", "Quality": ">10", "of best": ">7", "Status": "<8"}
    points = [
        (
            (
                f"{point.criterion:.6g}",
                f"{point.quality:.6g}",
                f"{100 * point.quality / best:.1f} %" if best > 0 else "-",
                str(point.status),
            ),
            point.named_sets,
        )
        for point in found
    ]
    drawn: list[str] = []
    if len(found) > 2:
        order = found.points[::-1]
        series = Series("*", [point.criterion for point in order], [point.quality for point in order])
        drawn = ["", "Quality:", *chart([series], width, "{:.4g}".format, "criterion")]
    return [*point_lines(columns, points, width), *drawn, "", *wrapped(found.explain(), width)]
