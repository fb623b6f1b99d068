"""``altsets evaluate``: how well given sets predict."""

from __future__ import annotations

from dataclasses import replace

import typer

from altsets.cli import parsing
from altsets.cli.combinations import check_combinations
from altsets.cli.commands import with_options
from altsets.cli.evaluating import Splits, evaluated
from altsets.cli.options import Given
from altsets.cli.outputs import Outputs, rows_of_evaluation
from altsets.cli.printing import console_for, show_evaluation, show_verdict
from altsets.cli.searching import Record, check_table, read_dataset, refuse_large, say_missing
from altsets.errors import InputError, Problems
from altsets.features import FeatureNames
from altsets.files.contents import text_format

SCORES = "Also write the answer to a new file: .csv or .parquet (a row for each fold and set), or .json."


@with_options(
    "table given_sets model evaluation scoring columns output",
    without="no_target evaluate bootstraps save_scores scores again details",
    described={"output": {"help": SCORES}},
)
def evaluate_command(context: typer.Context, given: Given) -> None:
    """How well do given feature sets predict, and is one as good as the first?

    Sets that were found on the same table have seen all its rows, and look better than they are; altsets find
    --evaluate searches anew in each fold instead. Ctrl-C keeps the folds that are done. Exit status: 0 = there is an
    answer, 1 = interrupted before, 2 = bad input.
    """
    record = Record(context)
    problems = Problems()
    check_combinations(replace(given, evaluate=True), problems)
    with problems:
        files = Outputs.of(given)
    with problems:
        if given.table is None or given.sets is None:
            raise InputError("give a TABLE, its --target, and the feature sets to evaluate with --sets FILE.")
        check_table(given, predicts=True)
    with problems:
        splits = Splits.of(given)
    with problems:
        text_format()
    problems.raise_all()
    data = read_dataset(given)
    refuse_large(data, "a model")
    splits.check(data.groups)
    sets = parsing.sets_in(str(given.sets), FeatureNames.of(data.feature_names))
    found = evaluated(sets, data, given)
    found = replace(found, provenance=record.of_evaluation(found.provenance, data, given))
    say_missing(data)
    files.write(*rows_of_evaluation(found), found.to_dict())
    if given.json:
        typer.echo(found.to_json())
    else:
        console = console_for()
        show_verdict(found.verdict, console)
        typer.echo()
        show_evaluation(found, console)
    files.report(evaluation=found)
