"""``altsets near-best``: how many sets are nearly as good as the best one, and which features they have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli import parsing
from altsets.cli.options import (
    SCORING_MODEL,
    ColumnOptions,
    ConstraintOptions,
    Described,
    JsonOptions,
    LimitOptions,
    ModelOptions,
    NearOptions,
    OutputOptions,
    QualityOptions,
    ScoresOptions,
    TableOptions,
    TaskOptions,
    Without,
    whole_number,
    with_options,
)
from altsets.cli.outputs import check_outputs, rows_of_near_best
from altsets.cli.printing import NO_SET, console_for, fail, plain_messages, say_error, show_near_best
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    named_quality,
    origin_of,
    run_on_scores,
    source_from,
)
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.near_best import NearBest

DEFAULT_SHOWN = 5


@with_options
def near_best_command(
    context: typer.Context,
    table: TableOptions,
    near: NearOptions,
    quality: QualityOptions,
    model: Annotated[ModelOptions, SCORING_MODEL, Without("positive", "class_weight")],
    scores: ScoresOptions,
    task: TaskOptions,
    columns: ColumnOptions,
    conditions: ConstraintOptions,
    show: Annotated[
        int | None,
        typer.Option(
            "--show",
            parser=whole_number,
            metavar="N",
            help="How many of the best sets to print. [default: 5]",
        ),
    ] = None,
    *,
    limits: Annotated[
        LimitOptions,
        Without("engine", "max_iters"),
        Described(time_limit={"help": "For scores and counting. [default: 60, after scoring]"}),
    ],
    output: OutputOptions,
    printed: JsonOptions,
) -> None:
    """How many sets are nearly as good as the best one, and which features do they have?

    Ctrl-C prints what is known. Exit status: 0 = there is at least one such set, 1 = there is none or none was found,
    2 = bad input.
    """
    with plain_messages():
        from altsets.request import Request

        record = Record(context)
        file, page = check_outputs(output, table.table)
        n_features = parsing.size_of_sets(near.n_features, conditions.size)
        if show is not None and show < 0:
            raise InputError(f"--show {show} is too small; it must be at least 0.")
        spec = named_quality(quality, model, scores)
        source = source_from(table, columns, scores, spec, task.task)
        request = Request(
            n_features=n_features,
            n_alternatives=0,
            constraints=parsing.constraints_from(FeatureNames.of(source.names), conditions),
            quality=source.spec,
            task=task.task,
            time_limit=limits.time_limit,
        )
        request.check(source.names)
        nearness = _nearness(near)

        def search(scored: Quality, measured: Request, callback: Any) -> NearBest:
            from altsets.search.near_best import near_best

            return near_best(
                scored,
                n_features=measured.n_features,
                constraints=measured.constraints,
                time_limit=measured.time_limit,
                callback=callback,
                **nearness,
            )

        found = run_on_scores(source, request, search, SECONDS_PER_SET)
        shown = DEFAULT_SHOWN if show is None else show
        document = found.to_dict(shown)
        document["parameters"] |= origin_of(table, scores, spec)
        document["provenance"] = record.of_search(source, table.table, request)
        _answer(found, printed.json, shown, document)
        file.write(*rows_of_near_best(document), document)
        page.write(near_best=found, quality=found, provenance=document["provenance"])
        if not found.count:
            fail(found.explain(), NO_SET)
        source.check_saved()


def _nearness(near: NearOptions) -> dict[str, float]:
    """How far below the best sets may be; what is wrong with it is said before features are scored."""
    if near.within is not None and near.min_quality is not None:
        raise InputError("--within and --min-quality were both given; give one of them.")
    from altsets.search.near_best.counting import DEFAULT_WITHIN, nearness_of

    nearness_of(DEFAULT_WITHIN if near.within is None else near.within, near.min_quality)
    given = {"within": near.within, "min_quality": near.min_quality}
    return {name: value for name, value in given.items() if value is not None}


def _answer(near: NearBest, as_json: bool, n_sets: int, document: dict[str, Any]) -> None:
    """Print the answer, if there is one."""
    if as_json:
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    elif near.count:
        show_near_best(near, n_sets, console_for())
    if as_json and near.count and near.n_known is not None:
        say_error(near.explain())
