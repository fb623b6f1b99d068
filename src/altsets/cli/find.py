"""``altsets find``: good and different feature sets for the target of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from altsets.cli import options, parsing
from altsets.cli.differing import dissimilarity_from
from altsets.cli.judging import JudgingOptions, evaluation_of
from altsets.cli.printing import answer, plain_messages, say_error
from altsets.cli.searching import SECONDS_PER_SET, run_search
from altsets.cli.sources import TableOptions, TableToScore, source_from
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.result import Result

__all__ = ["find_command"]


def find_command(
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
    time_limit: Annotated[float | None, options.TimeLimit] = None,
    evaluate: Annotated[bool, options.Evaluate] = False,
    cv: Annotated[int | None, options.Folds] = None,
    margin: Annotated[float | None, options.Margin] = None,
    bootstraps: Annotated[int | None, options.Bootstraps] = None,
    jobs: Annotated[int | None, options.Jobs] = None,
    as_json: Annotated[bool, options.Json] = False,
) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    with plain_messages():
        n_features = parsing.size_of_sets(n_features, size)
        judging = JudgingOptions(cv=cv, margin=margin, bootstraps=bootstraps, jobs=jobs)
        _check_judging(evaluate, judging, {"--scores": scores, "--existing": existing, "--engine": engine})
        how = {"measure": measure, "estimator": estimator, "scoring": scoring}
        if evaluate:
            how = _for_quality(quality, how)
        columns = TableOptions(table, target, drop, categorical)
        source = source_from(columns, scores, quality, task, how, save_scores)
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
            "constraints": parsing.constraints_from(names, conditions),
        }
        limits: dict[str, Any] = {} if max_iters is None else {"max_iters": max_iters}
        result = run_search(source, asked, engine=engine, time_limit=time_limit, **limits)
        origin = {"table": table, "target": target, "quality": quality, "scores": scores, **how}
        origin = {name: value for name, value in origin.items() if value is not None}
        result = replace(result, parameters={**result.parameters, **origin})

        judge = None
        if evaluate and isinstance(source, TableToScore):
            limits["time_limit"] = time_limit or SECONDS_PER_SET * len(result.statuses)
            selector = _selector(quality, how, asked, task, limits)
            judge = partial(
                _unless_interrupted, result, selector, source.data, estimator, scoring, task, judging
            )
        answer(result, as_json, judge)


def _check_judging(evaluate: bool, judging: JudgingOptions, others: Mapping[str, Any]) -> None:
    """Options that need --evaluate, and those that do not go with it."""
    for name, value in vars(judging).items():
        if value is not None and not evaluate:
            raise InputError(f"--{name} {value} goes with --evaluate; add it, or leave out --{name}.")
    why = {
        "--scores": "scores that were saved have seen all rows, and the search must not see the test rows",
        "--existing": "the search in each fold knows no existing sets",
        "--engine": "the search in each fold chooses its engine itself",
    }
    for name, value in others.items():
        if evaluate and value and value != "auto":
            raise InputError(f"{name} does not go with --evaluate: {why[name]}; leave out one of them.")


def _for_quality(quality: str, how: Mapping[str, str | None]) -> dict[str, str | None]:
    """What the quality takes of the options; the model that judges takes the others."""
    from altsets.quality.named import takes_option

    return {name: value for name, value in how.items() if name == "measure" or takes_option(quality, name)}


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
