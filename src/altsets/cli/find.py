"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli import options, parsing
from altsets.cli.again import SavedAnswer, repeat
from altsets.cli.differing import dissimilarity_from
from altsets.cli.judging import JudgeOptions, JudgingOptions, check_judging, evaluation_of, for_quality
from altsets.cli.outputs import OutputFile, rows_of_result
from altsets.cli.printing import answer, plain_messages, say_error
from altsets.cli.records import Record, options_given
from altsets.cli.reporting import ReportFile
from altsets.cli.searching import SECONDS_PER_SET, run_search
from altsets.cli.sources import TableOptions, TableToScore, source_from
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.result import Result

__all__ = ["find_command"]


def find_command(
    context: typer.Context,
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    n_features: Annotated[int | None, options.NumberOfFeatures] = None,
    n_alternatives: Annotated[int, options.Alternatives] = 3,
    tau: Annotated[str | None, options.Tau] = None,
    min_difference: Annotated[int | None, options.MinDifference] = None,
    dissimilarity: Annotated[str | None, options.Dissimilarity] = None,
    distinct: Annotated[str | None, options.Distinct] = None,
    groups: Annotated[str | None, options.Groups] = None,
    groups_by: Annotated[str | None, options.GroupsBy] = None,
    quality: Annotated[str, options.Quality] = "mutual_info",
    measure: Annotated[str | None, options.Measure] = None,
    estimator: Annotated[str | None, options.Estimator] = None,
    scoring: Annotated[str | None, options.Scoring] = None,
    positive: Annotated[str | None, options.Positive] = None,
    class_weight: Annotated[str | None, options.ClassWeight] = None,
    save_scores: Annotated[str | None, options.SaveScores] = None,
    scores: Annotated[str | None, options.UseScores] = None,
    task: Annotated[str, options.Task] = "auto",
    search: Annotated[str, options.Search] = "sequential",
    aggregation: Annotated[str, options.Aggregation] = "sum",
    drop: Annotated[list[str] | None, options.Drop] = None,
    categorical: Annotated[list[str] | None, options.Categorical] = None,
    drop_missing_target: Annotated[bool, options.DropMissingTarget] = False,
    decimal: Annotated[str | None, options.Decimal] = None,
    sheet: Annotated[str | None, options.Sheet] = None,
    existing: Annotated[list[str] | None, options.Existing] = None,
    require: Annotated[list[str] | None, options.Require] = None,
    forbid: Annotated[list[str] | None, options.Forbid] = None,
    proxies: Annotated[str | None, options.Proxies] = None,
    at_most: Annotated[list[str] | None, options.AtMost] = None,
    at_least: Annotated[list[str] | None, options.AtLeast] = None,
    exclusive: Annotated[list[str] | None, options.Exclusive] = None,
    implies: Annotated[list[str] | None, options.Implies] = None,
    budget: Annotated[list[str] | None, options.Budget] = None,
    max_similarity: Annotated[list[str] | None, options.MaxSimilarity] = None,
    size: Annotated[list[str] | None, options.Size] = None,
    engine: Annotated[str, options.Engine] = "auto",
    max_iters: Annotated[int | None, options.MaxIters] = None,
    time_limit: Annotated[float | None, options.TimeLimit] = None,
    evaluate: Annotated[bool, options.Evaluate] = False,
    cv: Annotated[str | None, options.Folds] = None,
    repeats: Annotated[int | None, options.Repeats] = None,
    margin: Annotated[float | None, options.Margin] = None,
    bootstraps: Annotated[int | None, options.Bootstraps] = None,
    jobs: Annotated[int | None, options.Jobs] = None,
    output: Annotated[str | None, options.OutputFile] = None,
    report: Annotated[str | None, options.Report] = None,
    force: Annotated[bool, options.Force] = False,
    again: Annotated[str | None, options.Again] = None,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    with plain_messages():
        if again is not None:
            repeat(context, again, options_given(context))
        record = Record(context)
        file = OutputFile.of(output, force, table, report)
        page = ReportFile.of(report, force, table)
        n_features = parsing.size_of_sets(n_features, size)
        judging = JudgingOptions(cv=cv, repeats=repeats, margin=margin, bootstraps=bootstraps, jobs=jobs)
        check_judging(evaluate, judging, {"--scores": scores, "--existing": existing, "--engine": engine})
        judge_by = JudgeOptions(estimator, scoring, positive, class_weight)
        how = {"measure": measure, **vars(judge_by)}
        if evaluate:
            how = for_quality(quality, how)
        columns = TableOptions(
            table, target, drop, categorical, drop_missing_target, decimal, sheet, judging.splits.groups
        )
        source = source_from(columns, scores, quality, task, how, save_scores)
        if source.data is not None:
            judging.splits.check(source.data.groups)
        names = FeatureNames.of(source.names)
        differing = {
            "--dissimilarity": dissimilarity,
            "--distinct": distinct,
            "--groups": groups,
            "--groups-by": groups_by,
        }
        conditions = {
            "--require": require,
            "--forbid": forbid,
            "--at-most": at_most,
            "--at-least": at_least,
            "--exclusive": exclusive,
            "--implies": implies,
            "--budget": budget,
            "--max-similarity": max_similarity,
            "--size": size,
        }
        asked = {
            "n_features": n_features,
            "n_alternatives": n_alternatives,
            "tau": tau,
            "min_difference": min_difference,
            "dissimilarity": dissimilarity_from(differing, names, source.data is not None),
            "search": search,
            "aggregation": aggregation,
            "existing": [parsing.features_in("--existing", given, names) for given in existing or []],
            "constraints": parsing.constraints_from(names, conditions, proxies),
        }
        limits: dict[str, Any] = {} if max_iters is None else {"max_iters": max_iters}
        searched = run_search(source, asked, engine=engine, time_limit=time_limit, **limits)
        origin = {"table": table, "target": target, "quality": quality, "scores": scores, **how}
        origin = {name: value for name, value in origin.items() if value is not None}
        result = replace(
            searched.result,
            parameters={**searched.result.parameters, **origin},
            provenance=record.of(source, columns, asked, task),
        )

        judge = None
        if evaluate and isinstance(source, TableToScore):
            limits["time_limit"] = time_limit or SECONDS_PER_SET * len(result.statuses)
            selector = _selector(quality, how, asked, task, limits)
            judge = partial(_unless_interrupted, result, selector, source.data, judge_by, task, judging)
        kept: dict[str, Any] = {}
        evaluations: list[Evaluation] = []

        def judged() -> Evaluation | None:
            evaluation = judge() if judge else None
            evaluations.extend([evaluation] if evaluation else [])
            return evaluation

        def finish(document: dict[str, Any]) -> dict[str, Any]:
            kept.update(context.obj.compare(document) if isinstance(context.obj, SavedAnswer) else document)
            return kept

        try:
            answer(result, as_json, judged, finish=finish)
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
    """Who searches in each fold, as the command did on the whole table."""
    from altsets.quality.given import Recipe
    from altsets.selector import SelectAlternatives

    parameters = {name: value for name, value in asked.items() if name != "existing"}
    return SelectAlternatives(Recipe(quality, **how), task=task, **parameters, **limits)


def _unless_interrupted(result: Result, *arguments: Any) -> Evaluation | None:
    """Evaluate what was found, unless Ctrl-C says that it is enough."""
    try:
        if not result.interrupted:
            return evaluation_of(*arguments)
    except KeyboardInterrupt:
        pass
    say_error("Interrupted: the sets were not evaluated.")
    return None
