"""``altsets frontier``: what difference costs in quality, over tau and over the size and the number of sets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli import options, parsing
from altsets.cli.differing import dissimilarity_from
from altsets.cli.frontier_printing import frontier_lines
from altsets.cli.judging import JudgeOptions, JudgingOptions, check_judging, for_quality, scores_along
from altsets.cli.outputs import OutputFile
from altsets.cli.printing import NO_SET, Waiting, console_for, fail, plain_messages, say_error
from altsets.cli.records import Record
from altsets.cli.reporting import ReportFile
from altsets.cli.searching import check_request, run_on_scores
from altsets.cli.sources import Source, TableOptions, TableToScore, source_from
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from collections.abc import Callable

    from altsets.evaluation import EvaluatedFrontier
    from altsets.quality import Quality
    from altsets.search.frontier import Frontier, FrontierProgress

__all__ = ["frontier_command"]

#: The time limit for each point, where the user gives none.
SECONDS_PER_POINT = 10.0


def frontier_command(
    context: typer.Context,
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    n_features: Annotated[str | None, options.SizesOfSets] = None,
    n_alternatives: Annotated[str, options.NumbersOfAlternatives] = "3",
    tau: Annotated[list[str] | None, options.Taus] = None,
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
    existing: Annotated[list[str] | None, options.Existing] = None,
    require: Annotated[list[str] | None, options.Require] = None,
    forbid: Annotated[list[str] | None, options.Forbid] = None,
    at_most: Annotated[list[str] | None, options.AtMost] = None,
    at_least: Annotated[list[str] | None, options.AtLeast] = None,
    exclusive: Annotated[list[str] | None, options.Exclusive] = None,
    implies: Annotated[list[str] | None, options.Implies] = None,
    budget: Annotated[list[str] | None, options.Budget] = None,
    max_similarity: Annotated[list[str] | None, options.MaxSimilarity] = None,
    size: Annotated[list[str] | None, options.Size] = None,
    engine: Annotated[str, options.Engine] = "auto",
    max_iters: Annotated[int | None, options.MaxIters] = None,
    time_limit: Annotated[float | None, options.FrontierTimeLimit] = None,
    evaluate: Annotated[bool, options.Evaluate] = False,
    cv: Annotated[str | None, options.Folds] = None,
    repeats: Annotated[int | None, options.Repeats] = None,
    jobs: Annotated[int | None, options.Jobs] = None,
    report: Annotated[str | None, options.Report] = None,
    force: Annotated[bool, options.Force] = False,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """What does difference cost? Quality over every tau that matters, and over sizes and numbers of sets.

    Ctrl-C prints the points that are there. Exit status: 0 = at least one point has a set, 1 = none has, 2 = bad input.
    """
    with plain_messages():
        record = Record(context)
        OutputFile.of(None, force, table, report)
        page = ReportFile.of(report, force, table)
        if size and n_features is not None:
            raise InputError("-k and --size were both given; give one of them.")
        judging = JudgingOptions(cv=cv, repeats=repeats, jobs=jobs)
        check_judging(evaluate, judging, {"--scores": scores, "--existing": existing, "--engine": engine})
        judge = JudgeOptions(estimator, scoring, positive, class_weight)
        how = {"measure": measure, **vars(judge)}
        if evaluate:
            how = for_quality(quality, how)
        columns = TableOptions(table, target, drop, categorical, groups=judging.splits.groups)
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
        asked: dict[str, Any] = {
            "n_features": parsing.whole_numbers_in("-k", n_features or str(parsing.DEFAULT_SIZE)),
            "n_alternatives": parsing.whole_numbers_in("-a", n_alternatives),
            "taus": parsing.names_in(tau) if tau else None,
            "dissimilarity": dissimilarity_from(differing, names, source.data is not None),
            "search": search,
            "aggregation": aggregation,
            "existing": [parsing.features_in("--existing", given, names) for given in existing or []],
            "constraints": parsing.constraints_from(names, conditions),
        }
        n_points = _checked(source, asked)
        limits: dict[str, Any] = {"engine": engine} | ({} if max_iters is None else {"max_iters": max_iters})

        qualities: list[Quality] = []

        def search_all(scored: Quality, **request: Any) -> Frontier:
            from altsets.search.frontier import frontier

            qualities.append(scored)
            return frontier(scored, **request, **limits)

        found = run_on_scores(
            source, search_all, asked, time_limit, SECONDS_PER_POINT * n_points, reporting=_reporting
        )
        evaluated = None
        if evaluate and isinstance(source, TableToScore) and _has_sets(found):
            more = {name: value for name, value in asked.items() if name != "existing"}
            more["time_limit"] = time_limit or SECONDS_PER_POINT * n_points
            more |= {} if max_iters is None else {"max_iters": max_iters}
            recipe = source.recipe
            evaluated = _unless_interrupted(found, recipe, more, source.data, judge, task, judging)
        origin = {"table": table, "target": target, "quality": quality, "scores": scores, **how}
        try:
            _answer(
                found,
                evaluated,
                as_json,
                {name: value for name, value in origin.items() if value is not None},
            )
        finally:
            page.write(
                frontier=evaluated or found,
                quality=qualities[0],
                provenance=record.of(source, columns, asked, task),
            )
        source.check_saved()


def _checked(source: Source, asked: dict[str, Any]) -> int:
    """Say what is wrong before features are scored; about how many points there will be."""
    from altsets.search.frontier.plan import SweepPlan

    return len(SweepPlan.of(lambda **one: check_request(source, one), **asked))


def _has_sets(found: Frontier) -> bool:
    return any(point.result.sets for point in found)


def _unless_interrupted(found: Frontier, *arguments: Any) -> EvaluatedFrontier | None:
    """Evaluate the points, unless Ctrl-C says that it is enough."""
    try:
        if str(found.stop_reason) != "interrupted":
            evaluated = scores_along(found, *arguments)
            if evaluated.any_evaluation.folds:
                return evaluated
    except KeyboardInterrupt:
        pass
    say_error("Interrupted: the points were not evaluated.")
    return None


def _reporting(waiting: Waiting) -> Callable[[FrontierProgress], object]:
    """How far the frontier is, as a line."""

    def report(progress: FrontierProgress) -> None:
        now = f"{progress.n_features} features, {progress.n_alternatives} alternatives, tau = {progress.tau:.4g}"
        waiting.say(
            f"Searching: {progress.done} of {progress.total} points, now {now}, {progress.elapsed:.0f} s "
            "(Ctrl-C keeps what is there)"
        )

    return report


def _answer(
    found: Frontier, evaluated: EvaluatedFrontier | None, as_json: bool, origin: dict[str, str]
) -> None:
    """Print the answer; end with the exit status that says whether there is one."""
    if as_json:
        document = (evaluated or found).to_dict()
        document["parameters"] = {**document["parameters"], **origin}
        typer.echo(json.dumps(document, indent=2, allow_nan=False))
    elif _has_sets(found):
        console = console_for()
        console.print("\n".join(frontier_lines(found, evaluated, console.width)), soft_wrap=True)
    if not _has_sets(found):
        fail(found.points[0].result.explain(), NO_SET)
    missing = found.n_asked - len(found)
    if missing:
        say_error(f"{missing} of {found.n_asked} points are missing.")
