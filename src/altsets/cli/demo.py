"""``altsets demo``: what altsets does, on a table that comes with scikit-learn."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli.commands import with_options
from altsets.cli.find import evaluation_of
from altsets.cli.options import Given, flag_of
from altsets.cli.outputs import Outputs, report_page
from altsets.cli.printing import console_for, printable, say, say_error, show
from altsets.cli.searching import Record, Searched, Source, named_quality, request_from, run_search
from altsets.documents import TABLE
from altsets.errors import InputError, MissingExtraError
from altsets.wording import join_words

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.request import Request
    from altsets.result import Result

DEMO = (
    "{rows} breast tumours, malignant or benign, with {features} measurements each (a table that comes with "
    "scikit-learn). Which 4 measurements tell most about the diagnosis, and could you use 4 others, of which at "
    "most one is the same, instead? Measurements with a rank correlation of 0.7 or more count as the same."
)

#: The last sentence, by the answer of the decision.
IN_OTHER_WORDS = {
    "yes": "In other words: you can use {new} instead of {old}.",
    "no": "In other words: {new} cannot replace {old}.",
    "undecided": "In other words: whether {new} can replace {old} takes more rows to tell.",
}

#: Where the report of the demo goes, in the current folder.
REPORT = "altsets-demo.html"

#: What is asked, as options of ``find``.
ASKED: dict[str, Any] = {
    "quality": "f",
    "n_features": 4,
    "n_alternatives": 1,
    "tau": "0.75",
    "distinct": "0.7",
    "evaluate": True,
    "estimator": "linear",
    "scoring": "roc_auc",
}


@with_options("demo")
def demo_command(context: typer.Context, given: Given) -> None:
    """Show what altsets does, on a table that comes with scikit-learn; and write a report, altsets-demo.html."""
    from altsets.files.dataset import DEMO_TARGET, load_demo, split_target
    from altsets.files.writing import write_csv

    record, save_table, table = Record(context), given.save_table, load_demo()
    if save_table is not None:
        write_csv(table.names, table.columns, save_table)
    data = split_target(table, DEMO_TARGET)
    say(console_for(), DEMO.format(rows=table.n_rows, features=len(data.feature_names)))
    asked = Given(table=save_table or "demo.csv", target=DEMO_TARGET, **ASKED)
    source = Source(asked, named_quality(asked), data)
    request = request_from(source, **asked.of("sets"))
    searched = run_search(source, request)
    evaluation = evaluation_of(source, request, searched.result)
    typer.echo()
    show(searched.result, console_for(), evaluation=evaluation)
    if evaluation is not None:
        typer.echo()
        say(console_for(), _in_other_words(searched.result, evaluation))
    if save_table is not None:
        typer.echo(f"\nThe table is in {printable(save_table)}.")
    typer.echo()
    _write_report(searched, evaluation, record, source, request)
    typer.echo("\nTry next:")
    for command in _suggestions(save_table, DEMO_TARGET):
        typer.echo(f"  {command}")


def _in_other_words(result: Result, evaluation: Evaluation) -> str:
    """The decision as a sentence about measurements."""
    first, other = result.texts
    new, old = ([name for name in one if name not in two] for one, two in ((other, first), (first, other)))
    answer = evaluation.decisions_on(result)[0].answer
    return IN_OTHER_WORDS[answer].format(new=join_words(new), old=join_words(old))


def _write_report(
    searched: Searched, evaluation: Evaluation | None, record: Record, source: Source, request: Request
) -> None:
    """Write a report into the current folder, if that is possible."""
    from altsets.report.render import is_report

    try:
        page = report_page(REPORT, is_report(REPORT)).check()
    except (InputError, MissingExtraError) as error:
        say_error(f"There is no report of the demo: {error}")
        return
    table, data = str(source.given.table), source.table_read
    # The demo is no command to repeat; this one gives the same answer.
    options = {TABLE: table, "--target": data.target_name} | {
        flag_of(name): value for name, value in ASKED.items()
    }
    origin = record.of_search(source, request) | {"command": "find", "options": options}
    result = searched.result
    result = replace(result, parameters={**result.parameters, **source.origin}, provenance=origin)
    written = f"{table} is the file that altsets demo --save-table {shlex.quote(table)} writes."
    searched = searched._replace(result=result)
    Outputs(page=page).report_search(searched, evaluation, notes=[written], tell=typer.echo)


def _suggestions(saved: str | None, target: str) -> list[str]:
    """Three commands that work as they stand."""
    asked = f"{shlex.quote(saved or 'demo.csv')} --target {target}"
    several, curve = f"altsets find {asked} -k 3 -a 4 --tau 1 --details", f"altsets frontier {asked}"
    if saved is None:
        return ["altsets demo --save-table demo.csv", several, curve]
    return [several, curve, f"altsets find {asked} --quality mrmr --json"]
