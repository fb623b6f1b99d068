"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.again import SavedAnswer, repeat
from altsets.cli.commands import with_options
from altsets.cli.evaluating import evaluated, unless_interrupted
from altsets.cli.options import Given
from altsets.cli.outputs import Outputs
from altsets.cli.printing import Waiting, conclude, console_for, show, show_losses
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    Searched,
    Source,
    asked_of,
    options_given,
    run_search,
)
from altsets.errors import Problems

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.request import Request
    from altsets.result import Result, WhatIf


@with_options(
    "table sets differing quality model scoring definition nearness columns conditions limits evaluation losses output"
)
def find_command(context: typer.Context, given: Given) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    if given.again is not None:
        repeat(context, given.again, options_given(context))
    record = Record(context)
    problems = Problems()
    with problems:
        files = Outputs.of(given, cells=True)
    source, request = asked_of(given, problems, **given.of("sets"))
    lost, groups = None, parsing.NO_GROUPS
    if given.what_if or given.lost:
        groups = parsing.members_of(parsing.groups_from(given, source.names), source.names)
        lost = parsing.lost_from(given.lost, source.names, groups)
    searched = run_search(source, request)
    result = replace(
        searched.result,
        parameters={**searched.result.parameters, **source.origin},
        provenance=record.of_search(source, request),
    )
    searched = searched._replace(result=result)
    # Evaluated first, since how well sets predict is part of the verdict.
    evaluation = evaluation_of(source, request, result)
    losses = _losses(searched, lost, groups)
    if result.sets and not given.json:
        show(result, console_for(), evaluation=evaluation, details=given.details)
        if losses is not None:
            show_losses(losses, console_for())
    document = result.to_dict()
    if losses is not None:
        document["what_if"] = losses.to_dict()
    if evaluation is not None:
        document["evaluation"] = evaluation.to_dict()
    if isinstance(context.obj, SavedAnswer):
        document = context.obj.compare(document)
    try:
        conclude(result, document, given.json)
    finally:
        # Printed first: a full disk costs the file alone. That there is no set is an answer, too.
        files.write_search(searched, given.table, document)
        files.report_search(searched, evaluation, what_if=losses)
    source.check_saved()


def _losses(searched: Searched, lost: tuple[Any, Any] | None, known: parsing.Groups) -> WhatIf | None:
    """The best sets after each loss, if that was asked for; None after Ctrl-C."""
    from altsets.search.what_if import lose

    result, request = searched.result, searched.measured
    if lost is None or not result.sets or result.interrupted:
        return None
    features, groups = lost
    if lost == (None, None) and request.feature_groups is None:
        features, groups = parsing.in_use(known, result.texts[0])
    seconds = SECONDS_PER_SET if request.time_limit is None else request.time_limit
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Searching without what may fail")
        return lose(request, searched.quality, result, features, groups or None, seconds, waiting.report)


def evaluation_of(source: Source, request: Request, result: Result) -> Evaluation | None:
    """How well the sets predict, if that was asked for; None after Ctrl-C."""
    from altsets.selector import selector_for

    given, data = source.given, source.data
    if not given.evaluate or not result.sets or data is None:
        return None
    seconds = request.time_limit or SECONDS_PER_SET * len(result.statuses)
    selector = selector_for(request, time_limit=seconds)
    return unless_interrupted(lambda: evaluated(selector, data, given), result.interrupted, "sets")
