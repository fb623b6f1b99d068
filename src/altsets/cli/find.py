"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.again import SavedAnswer, repeat
from altsets.cli.descriptions import SCORING_MODEL
from altsets.cli.evaluating import evaluate_sets, parameters_of, unless_interrupted
from altsets.cli.options import Given, with_options
from altsets.cli.outputs import check_outputs
from altsets.cli.printing import Waiting, conclude, console_for, plain_messages, show, show_losses
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    Searched,
    Source,
    check_options,
    options_given,
    request_from,
    run_search,
    source_from,
)
from altsets.errors import Problems
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.request import Request
    from altsets.result import Result
    from altsets.search.what_if import WhatIf


@with_options(
    *("table", "sets", "differing", "quality", "model", "scoring", "search", "definition"),
    *("columns", "conditions", "limits", "evaluation", "losses", "output"),
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
        problems = Problems()
        with problems:
            file, page = check_outputs(given, cells=True)
        check_options(given, problems, **vars(given.sets))
        source = source_from(given)
        request = request_from(source, **vars(given.sets))
        lost = _lost(source)
        searched = run_search(source, request)
        result = replace(
            searched.result,
            parameters={**searched.result.parameters, **source.origin},
            provenance=record.of_search(source, request),
        )
        # Evaluated first, since how well sets predict is part of the verdict.
        evaluation = evaluation_of(source, request, result)
        losses = _losses(searched._replace(result=result), lost, source)
        if result.sets and not given.output.json:
            show(result, console_for(), evaluation=evaluation, details=given.output.details)
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
            conclude(result, document, given.output.json)
        finally:
            # Printed first: a full disk costs the file alone. That there is no set is an answer, too.
            file.write_search(searched._replace(result=result), given.table.table, document)
            page.write_search(searched._replace(result=result), evaluation, what_if=losses)
        source.check_saved()


def _groups(source: Source) -> parsing.Groups:
    """The groups that options declare."""
    names = FeatureNames.of(source.names)
    return parsing.members_of(parsing.groups_from(source.given.differing, names), names)


def _lost(source: Source) -> tuple[Any, Any] | None:
    """The features and groups that may fail, None for those of set 0; None if that is not asked for."""
    asked = source.given.losses
    if not asked.what_if and not asked.lost:
        return None
    return parsing.lost_from(asked.lost, FeatureNames.of(source.names), _groups(source))


def _losses(searched: Searched, lost: tuple[Any, Any] | None, source: Source) -> WhatIf | None:
    """The best sets after each loss, if that was asked for; None after Ctrl-C."""
    from altsets.search.what_if import lose

    result, request = searched.result, searched.measured
    if lost is None or not result.sets or result.interrupted:
        return None
    features, groups = lost
    if lost == (None, None) and request.feature_groups is None:
        features, groups = parsing.in_use(_groups(source), result.texts[0])
    seconds = SECONDS_PER_SET if request.time_limit is None else request.time_limit
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Searching without what may fail")
        return lose(request, searched.quality, result, features, groups or None, seconds, waiting.report)


def evaluation_of(source: Source, request: Request, result: Result) -> Evaluation | None:
    """How well the sets predict, if that was asked for; None after Ctrl-C."""
    from altsets.selector import SelectAlternatives

    given, data = source.given, source.data
    if not given.evaluation.evaluate or not result.sets or data is None:
        return None
    selector = SelectAlternatives(
        request.selector_quality,
        **{name: getattr(request, name) for name in (*vars(given.sets), *vars(given.definition), "task")},
        **parameters_of(request, SECONDS_PER_SET * len(result.statuses)),
    )
    return unless_interrupted(lambda: evaluate_sets(selector, data, given), result.interrupted, "sets")
