"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from collections.abc import Mapping
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
    options_given,
    options_of_quality,
    run_search,
    source_from,
)
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.result import Result


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
        record = Record(context)
        file, page = check_outputs(output, table.table)
        n_features = parsing.size_of_sets(sets.n_features, conditions.size)
        others = {"--scores": scores.scores, "--existing": existing.existing, "--engine": limits.engine}
        check_evaluation(evaluation, others)
        how = options_of_quality(quality, model, evaluation.evaluate)
        splits = Splits.of(evaluation)
        source = source_from(table, columns, scores, quality.quality, task.task, how, splits.groups)
        if source.data is not None:
            splits.check(source.data.groups)
        names = FeatureNames.of(source.names)
        asked = {
            "n_features": n_features,
            "n_alternatives": sets.n_alternatives,
            "tau": sets.tau,
            "min_difference": sets.min_difference,
            "dissimilarity": parsing.dissimilarity_from(differing, names, source.data is not None),
            "search": search.search,
            "aggregation": search.aggregation,
            "existing": parsing.existing_from(existing, names),
            "constraints": parsing.constraints_from(names, conditions),
        }
        more: dict[str, Any] = {} if limits.max_iters is None else {"max_iters": limits.max_iters}
        searched = run_search(source, asked, engine=limits.engine, time_limit=limits.time_limit, **more)
        origin = {"table": table.table, "target": table.target, "quality": quality.quality}
        origin |= {"scores": scores.scores, **how}
        result = replace(
            searched.result,
            parameters={
                **searched.result.parameters,
                **{name: value for name, value in origin.items() if value is not None},
            },
            provenance=record.of_search(source, table.table, asked, task.task),
        )

        evaluate = None
        if evaluation.evaluate and isinstance(source, TableToScore):
            more["time_limit"] = limits.time_limit or SECONDS_PER_SET * len(result.statuses)
            selector = _selector(quality.quality, how, asked, task.task, more)
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


def _selector(
    quality: str,
    how: Mapping[str, str | None],
    asked: Mapping[str, Any],
    task: str,
    limits: Mapping[str, Any],
) -> Any:
    """The estimator that searches in each fold, as the command did on the whole table."""
    from altsets.quality.spec import NamedQuality
    from altsets.selector import SelectAlternatives

    parameters = {name: value for name, value in asked.items() if name != "existing"}
    return SelectAlternatives(NamedQuality(quality, **how), task=task, **parameters, **limits)


def _unless_interrupted(result: Result, *arguments: Any) -> Evaluation | None:
    """Evaluate what was found, unless Ctrl-C ends it."""
    try:
        if not result.interrupted:
            return evaluate_sets(*arguments)
    except KeyboardInterrupt:
        pass
    say_error("Interrupted: the sets were not evaluated.")
    return None
