"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli import parsing
from altsets.cli.again import SavedAnswer, repeat
from altsets.cli.evaluating import Splits, check_evaluation, evaluate_sets
from altsets.cli.options import (
    SCORING_MODEL,
    ColumnOptions,
    ConstraintOptions,
    DissimilarityOptions,
    EvaluationOptions,
    ExistingOptions,
    JsonOptions,
    LimitOptions,
    ModelOptions,
    OutputOptions,
    QualityOptions,
    ScoresOptions,
    SearchOptions,
    SetOptions,
    TableOptions,
    TaskOptions,
    with_options,
)
from altsets.cli.outputs import check_outputs, rows_of_result
from altsets.cli.printing import answer, plain_messages, say_error
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    TableToScore,
    named_quality,
    options_given,
    origin_of,
    run_search,
    source_from,
)
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.request import Request
    from altsets.result import Result
    from altsets.selector import SelectAlternatives


@with_options
def find_command(
    context: typer.Context,
    table: TableOptions,
    sets: SetOptions,
    differing: DissimilarityOptions,
    quality: QualityOptions,
    model: Annotated[ModelOptions, SCORING_MODEL],
    scores: ScoresOptions,
    task: TaskOptions,
    search: SearchOptions,
    columns: ColumnOptions,
    existing: ExistingOptions,
    conditions: ConstraintOptions,
    limits: LimitOptions,
    evaluation: EvaluationOptions,
    output: OutputOptions,
    again: Annotated[
        str | None,
        typer.Option(
            "--again",
            metavar="FILE.json",
            help="Repeat the request of a saved answer (--json or --output) and say whether the answer is the same. "
            "Only TABLE, --json and the saved --estimator may be given with it. Exit status: 0 = same, 1 = not.",
        ),
    ] = None,
    *,
    printed: JsonOptions,
) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    with plain_messages():
        if again is not None:
            repeat(context, again, options_given(context))
        from altsets.request import MAX_ITERS, Request

        record = Record(context)
        file, page = check_outputs(output, table.table)
        n_features = parsing.size_of_sets(sets.n_features, conditions.size)
        others = {"--scores": scores.scores, "--existing": existing.existing, "--engine": limits.engine}
        check_evaluation(evaluation, others)
        spec = named_quality(quality, model, scores, evaluation.evaluate)
        splits = Splits.of(evaluation)
        source = source_from(table, columns, scores, spec, task.task, splits.groups)
        if source.data is not None:
            splits.check(source.data.groups)
        names = FeatureNames.of(source.names)
        request = Request(
            n_features=n_features,
            n_alternatives=sets.n_alternatives,
            tau=sets.tau,
            min_difference=sets.min_difference,
            dissimilarity=parsing.dissimilarity_from(differing, names, source.data is not None),
            search=search.search,
            aggregation=search.aggregation,
            existing=parsing.existing_from(existing, names),
            constraints=parsing.constraints_from(names, conditions),
            quality=source.spec,
            task=task.task,
            engine=limits.engine,
            max_iters=MAX_ITERS if limits.max_iters is None else limits.max_iters,
            time_limit=limits.time_limit,
        )
        searched = run_search(source, request)
        result = replace(
            searched.result,
            parameters={**searched.result.parameters, **origin_of(table, scores, spec)},
            provenance=record.of_search(source, table.table, request),
        )

        evaluate = None
        if evaluation.evaluate and isinstance(source, TableToScore):
            selector = _selector(request, SECONDS_PER_SET * len(result.statuses))
            evaluate = partial(
                _unless_interrupted, result, selector, source.data, model, task.task, evaluation
            )
        kept: dict[str, Any] = {}
        evaluations: list[Evaluation] = []

        def evaluated() -> Evaluation | None:
            found = evaluate() if evaluate else None
            evaluations.extend([found] if found else [])
            return found

        def finish(document: dict[str, Any]) -> dict[str, Any]:
            kept.update(context.obj.compare(document) if isinstance(context.obj, SavedAnswer) else document)
            return kept

        try:
            answer(result, printed.json, evaluated, finish=finish)
        finally:
            # Printed first: a full disk costs the file alone. That there is no set is an answer, too.
            if kept:
                file.write(*rows_of_result(result), kept)
                page.write_search(searched._replace(result=result), next(iter(evaluations), None))
        source.check_saved()


def _selector(request: Request, seconds: float) -> SelectAlternatives:
    """The estimator that searches in each fold, as the command did on the whole table."""
    from altsets.selector import SelectAlternatives

    return SelectAlternatives(
        request.quality,
        n_features=request.n_features,
        n_alternatives=int(request.n_alternatives),
        tau=request.tau,
        min_difference=request.min_difference,
        dissimilarity=request.dissimilarity,
        search=request.search,
        aggregation=request.aggregation,
        constraints=request.constraints,
        task=request.task,
        max_iters=request.max_iters,
        time_limit=request.time_limit or seconds,
    )


def _unless_interrupted(result: Result, *arguments: Any) -> Evaluation | None:
    """Evaluate what was found, unless Ctrl-C ends it."""
    try:
        if not result.interrupted:
            return evaluate_sets(*arguments)
    except KeyboardInterrupt:
        pass
    say_error("Interrupted: the sets were not evaluated.")
    return None
