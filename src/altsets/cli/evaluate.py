"""``altsets evaluate``: how well given sets predict."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from altsets.cli import options, parsing
from altsets.cli.judging import JudgeOptions, JudgingOptions, evaluation_of
from altsets.cli.printing import console_for, plain_messages, show_evaluation
from altsets.cli.sources import TableOptions, dataset_from
from altsets.errors import InputError
from altsets.features import FeatureNames

__all__ = ["evaluate_command"]


def evaluate_command(
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    sets: Annotated[str | None, options.Sets] = None,
    estimator: Annotated[str | None, options.Judge] = None,
    scoring: Annotated[str | None, options.JudgeScoring] = None,
    positive: Annotated[str | None, options.Positive] = None,
    class_weight: Annotated[str | None, options.ClassWeight] = None,
    cv: Annotated[int | None, options.Folds] = None,
    margin: Annotated[float | None, options.Margin] = None,
    jobs: Annotated[int | None, options.Jobs] = None,
    task: Annotated[str, options.Task] = "auto",
    drop: Annotated[list[str] | None, options.Drop] = None,
    categorical: Annotated[list[str] | None, options.Categorical] = None,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """How well do given feature sets predict, and is one as good as the first?

    Sets that were found on the same table have seen all its rows, and look better than they are; altsets find
    --evaluate searches anew in each fold instead. Ctrl-C keeps the folds that are done. Exit status: 0 = there is an
    answer, 1 = interrupted before, 2 = bad input.
    """
    with plain_messages():
        if table is None or sets is None:
            raise InputError("give a TABLE, its --target, and the feature sets to evaluate with --sets FILE.")
        data = dataset_from(TableOptions(table, target, drop, categorical))
        given = _sets_in(sets, FeatureNames.of(data.feature_names))
        judging = JudgingOptions(cv=cv, margin=margin, jobs=jobs)
        judge = JudgeOptions(estimator, scoring, positive, class_weight)
        evaluation = evaluation_of(given, data, judge, task, judging)
        if as_json:
            typer.echo(evaluation.to_json())
        else:
            show_evaluation(evaluation, console_for())


def _sets_in(path: str, names: FeatureNames) -> Any:
    """The sets of a file: a result of ``find --json``, or one set per line."""
    from altsets.result import Result
    from altsets.tables.file_contents import read_lines, read_text

    text = read_text(path)
    if text.lstrip().startswith("{"):
        try:
            return Result.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    lines = read_lines(path)
    return [[line] if line in names else parsing.features_in(path, line, names) for line in lines]
