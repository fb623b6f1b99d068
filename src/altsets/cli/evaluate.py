"""``altsets evaluate``: how well given sets predict."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from altsets.cli import options, parsing
from altsets.cli.judging import JudgeOptions, JudgingOptions, evaluation_of
from altsets.cli.outputs import OutputFile, rows_of_evaluation
from altsets.cli.printing import console_for, plain_messages, show_evaluation
from altsets.cli.records import Record
from altsets.cli.reporting import ReportFile
from altsets.cli.sources import TableOptions, dataset_from
from altsets.errors import InputError
from altsets.features import FeatureNames

__all__ = ["evaluate_command"]


def evaluate_command(
    context: typer.Context,
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    sets: Annotated[str | None, options.Sets] = None,
    estimator: Annotated[str | None, options.Judge] = None,
    scoring: Annotated[str | None, options.JudgeScoring] = None,
    positive: Annotated[str | None, options.Positive] = None,
    class_weight: Annotated[str | None, options.ClassWeight] = None,
    cv: Annotated[str | None, options.Folds] = None,
    repeats: Annotated[int | None, options.Repeats] = None,
    margin: Annotated[float | None, options.Margin] = None,
    jobs: Annotated[int | None, options.Jobs] = None,
    task: Annotated[str, options.Task] = "auto",
    drop: Annotated[list[str] | None, options.Drop] = None,
    categorical: Annotated[list[str] | None, options.Categorical] = None,
    drop_missing_target: Annotated[bool, options.DropMissingTarget] = False,
    decimal: Annotated[str | None, options.Decimal] = None,
    sheet: Annotated[str | None, options.Sheet] = None,
    output: Annotated[str | None, options.ScoresFile] = None,
    report: Annotated[str | None, options.Report] = None,
    force: Annotated[bool, options.Force] = False,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """How well do given feature sets predict, and is one as good as the first?

    Sets that were found on the same table have seen all its rows, and look better than they are; altsets find
    --evaluate searches anew in each fold instead. Ctrl-C keeps the folds that are done. Exit status: 0 = there is an
    answer, 1 = interrupted before, 2 = bad input.
    """
    with plain_messages():
        record = Record(context)
        file = OutputFile.of(output, force, table, report)
        page = ReportFile.of(report, force, table)
        if table is None or sets is None:
            raise InputError("give a TABLE, its --target, and the feature sets to evaluate with --sets FILE.")
        judging = JudgingOptions(cv=cv, repeats=repeats, margin=margin, jobs=jobs)
        columns = TableOptions(
            table, target, drop, categorical, drop_missing_target, decimal, sheet, judging.splits.groups
        )
        data = dataset_from(columns)
        judging.splits.check(data.groups)
        given = _sets_in(sets, FeatureNames.of(data.feature_names))
        judge = JudgeOptions(estimator, scoring, positive, class_weight)
        evaluation = evaluation_of(given, data, judge, task, judging)
        origin = record.of_evaluation(evaluation.provenance, data, columns)
        evaluation = replace(evaluation, provenance=origin)
        file.write(*rows_of_evaluation(evaluation), evaluation.to_dict())
        if as_json:
            typer.echo(evaluation.to_json())
        else:
            show_evaluation(evaluation, console_for())
        page.write(evaluation=evaluation)


def _sets_in(path: str, names: FeatureNames) -> Any:
    """The sets of a file: a result of ``find --json``, or one set per line."""
    from altsets.files.contents import read_lines, read_text
    from altsets.result import Result

    text = read_text(path)
    if text.lstrip().startswith("{"):
        try:
            return Result.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    lines = read_lines(path)
    return [[line] if line in names else parsing.features_in(path, line, names) for line in lines]
