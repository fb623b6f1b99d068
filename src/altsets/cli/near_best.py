"""``altsets near-best``: how many sets are nearly as good as the best one, and which features they have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli import options, parsing
from altsets.cli.outputs import OutputFile, rows_of_near_best
from altsets.cli.printing import NO_SET, console_for, fail, plain_messages, say_error, show_near_best
from altsets.cli.records import Record
from altsets.cli.reporting import ReportFile
from altsets.cli.searching import SECONDS_PER_SET, check_request, run_on_scores
from altsets.cli.sources import TableOptions, source_from
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.search.near_best import NearBest

__all__ = ["near_best_command"]

DEFAULT_SHOWN = 5


def near_best_command(
    context: typer.Context,
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    n_features: Annotated[int | None, options.NumberOfFeatures] = None,
    within: Annotated[float | None, options.Within] = None,
    min_quality: Annotated[float | None, options.MinQuality] = None,
    quality: Annotated[str, options.Quality] = "mutual_info",
    measure: Annotated[str | None, options.Measure] = None,
    estimator: Annotated[str | None, options.Estimator] = None,
    scoring: Annotated[str | None, options.Scoring] = None,
    save_scores: Annotated[str | None, options.SaveScores] = None,
    scores: Annotated[str | None, options.UseScores] = None,
    task: Annotated[str, options.Task] = "auto",
    drop: Annotated[list[str] | None, options.Drop] = None,
    categorical: Annotated[list[str] | None, options.Categorical] = None,
    drop_missing_target: Annotated[bool, options.DropMissingTarget] = False,
    decimal: Annotated[str | None, options.Decimal] = None,
    sheet: Annotated[str | None, options.Sheet] = None,
    require: Annotated[list[str] | None, options.Require] = None,
    forbid: Annotated[list[str] | None, options.Forbid] = None,
    proxies: Annotated[str | None, options.Proxies] = None,
    at_most: Annotated[list[str] | None, options.AtMost] = None,
    at_least: Annotated[list[str] | None, options.AtLeast] = None,
    exclusive: Annotated[list[str] | None, options.Exclusive] = None,
    implies: Annotated[list[str] | None, options.Implies] = None,
    budget: Annotated[list[str] | None, options.Budget] = None,
    max_similarity: Annotated[list[str] | None, options.MaxSimilarity] = None,
    size: Annotated[list[str] | None, options.Size] = None,
    show: Annotated[int | None, options.BestSets] = None,
    time_limit: Annotated[float | None, options.CountTimeLimit] = None,
    output: Annotated[str | None, options.OutputFile] = None,
    report: Annotated[str | None, options.Report] = None,
    force: Annotated[bool, options.Force] = False,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """How many sets are nearly as good as the best one, and which features do they have?

    Ctrl-C prints what is known. Exit status: 0 = there is at least one such set, 1 = there is none or none was found,
    2 = bad input.
    """
    with plain_messages():
        record = Record(context)
        file = OutputFile.of(output, force, table, report)
        page = ReportFile.of(report, force, table)
        n_features = parsing.size_of_sets(n_features, size)
        if show is not None and show < 0:
            raise InputError(f"--show {show} is too small; it must be at least 0.")
        how = {"measure": measure, "estimator": estimator, "scoring": scoring}
        columns = TableOptions(table, target, drop, categorical, drop_missing_target, decimal, sheet)
        source = source_from(columns, scores, quality, task, how, save_scores)
        conditions = {
            "--require": require,
            "--forbid": forbid,
            "--at-most": at_most,
            "--at-least": at_least,
            "--exclusive": exclusive,
            "--implies": implies,
            "--budget": budget,
            "--max-similarity": max_similarity,
            "--size": size,
        }
        asked: dict[str, Any] = {
            "n_features": n_features,
            "constraints": parsing.constraints_from(FeatureNames.of(source.names), conditions, proxies),
        }
        check_request(source, asked)
        near_to = {"within": within, "min_quality": min_quality}
        asked |= {name: value for name, value in near_to.items() if value is not None}
        _check_nearness(within, min_quality)

        def search(scored: Quality, **request: Any) -> NearBest:
            from altsets.search.near_best import near_best

            return near_best(scored, **request)

        near = run_on_scores(source, search, asked, time_limit, SECONDS_PER_SET)
        origin = {"table": table, "target": target, "quality": quality, "scores": scores, **how}
        shown = DEFAULT_SHOWN if show is None else show
        document = near.to_dict(shown)
        document["parameters"] |= {name: value for name, value in origin.items() if value is not None}
        document["provenance"] = record.of(source, columns, asked, task)
        _answer(near, as_json, shown, document)
        file.write(*rows_of_near_best(document), document)
        page.write(near_best=near, quality=near, provenance=document["provenance"])
        if not near.count:
            fail(near.explain(), NO_SET)
        source.check_saved()


def _check_nearness(within: float | None, min_quality: float | None) -> None:
    """Say what is wrong with a threshold before features are scored."""
    if within is not None and min_quality is not None:
        raise InputError("--within and --min-quality were both given; give one of them.")
    from altsets.search.near_best.family import DEFAULT_WITHIN, Nearness

    Nearness.of(DEFAULT_WITHIN if within is None else within, min_quality)


def _answer(near: NearBest, as_json: bool, n_sets: int, document: dict[str, Any]) -> None:
    """Print the answer, if there is one."""
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    elif near.count:
        show_near_best(near, n_sets, console_for())
    if as_json and near.count and near.n_known is not None:
        say_error(near.explain())
