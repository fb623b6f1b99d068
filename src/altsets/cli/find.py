"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from altsets.cli import parsing
from altsets.cli.again import SavedAnswer, repeat
from altsets.cli.evaluating import evaluate_sets, parameters_of, unless_interrupted
from altsets.cli.options import SCORING_MODEL, Given, with_options
from altsets.cli.outputs import check_outputs, rows_of_result
from altsets.cli.printing import conclude, console_for, plain_messages, show
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    Source,
    options_given,
    request_from,
    run_search,
    source_from,
)

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.request import Request
    from altsets.result import Result


@with_options(
    *("table", "sets", "differing", "quality", "model", "scoring", "search", "columns", "conditions"),
    *("limits", "evaluation", "output"),
    described=SCORING_MODEL,
)
def find_command(context: typer.Context, given: Given) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    with plain_messages():
        if given.output.again is not None:
            repeat(context, given.output.again, options_given(context))
        record = Record(context)
        file, page = check_outputs(given)
        n_features = parsing.size_of_sets(given.sets.n_features, given.conditions.size)
        source = source_from(given)
        request = request_from(source, **vars(given.sets) | {"n_features": n_features})
        searched = run_search(source, request)
        result = replace(
            searched.result,
            parameters={**searched.result.parameters, **source.origin},
            provenance=record.of_search(source, request),
        )
        # Evaluated first, since how well sets predict is part of the verdict.
        evaluation = _evaluation(source, request, result)
        if result.sets and not given.output.json:
            show(result, console_for(), evaluation=evaluation, details=given.output.details)
        document = result.to_dict()
        if evaluation is not None:
            document["evaluation"] = evaluation.to_dict()
        if isinstance(context.obj, SavedAnswer):
            document = context.obj.compare(document)
        try:
            conclude(result, document, given.output.json)
        finally:
            # Printed first: a full disk costs the file alone. That there is no set is an answer, too.
            file.write(*rows_of_result(result), document)
            page.write_search(searched._replace(result=result), evaluation)
        source.check_saved()


def _evaluation(source: Source, request: Request, result: Result) -> Evaluation | None:
    """How well the sets predict, if that was asked for; None after Ctrl-C."""
    from altsets.selector import SelectAlternatives

    given, data = source.given, source.data
    if not given.evaluation.evaluate or not result.sets or data is None:
        return None
    selector = SelectAlternatives(
        request.quality,
        **{name: getattr(request, name) for name in (*vars(given.sets), "task")},
        **parameters_of(request, SECONDS_PER_SET * len(result.statuses)),
    )
    return unless_interrupted(lambda: evaluate_sets(selector, data, given), result.interrupted, "sets")
