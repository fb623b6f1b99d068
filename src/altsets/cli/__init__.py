"""The command line: reads options, prints answers, and nothing else.

Whatever takes long to import is imported inside the commands, so that ``altsets --help`` answers at once;
for the same reason the help is plain text.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets import __version__
from altsets.cli import options
from altsets.cli.printing import (
    BAD_INPUT,
    NO_SET,
    Waiting,
    answer,
    console_for,
    fail,
    plain_messages,
    printable,
    say,
    say_error,
    show_evaluation,
)
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.quality import Quality
    from altsets.result import Result
    from altsets.scores import Scores
    from altsets.tables.files import Dataset

__all__ = ["app", "main"]

DEFAULT_SIZE = 5
SECONDS_PER_SET = 60.0

DEMO = (
    "{rows} breast tumours, malignant or benign, with {features} measurements each (a table that comes "
    "with scikit-learn). Which 5 measurements say most about the diagnosis, and which other sets of 5 say "
    "nearly as much? Features are scored by mutual information; tau = 0.5 lets two sets share at most 2 of 5."
)

app = typer.Typer(
    name="altsets",
    help="Feature sets that are all good and truly different from each other, with proof.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; the entry point of the ``altsets`` command."""
    for stream in (sys.stdout, sys.stderr):
        # A feature name that the terminal cannot show must not cost the answer.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="altsets", standalone_mode=False)
    except Exception as error:
        # By its shape, not its class: recent versions of typer bring their own copy of click.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "altsets"
        say_error(f"Error: {error.format_message().rstrip('.')} (see {command} --help).")
        code = BAD_INPUT
    sys.exit(code or 0)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Feature sets that are all good and truly different from each other, with proof."""
    if version:
        typer.echo(f"altsets {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("find")
def find_command(
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    n_features: Annotated[int | None, options.NumberOfFeatures] = None,
    n_alternatives: Annotated[int, options.Alternatives] = 3,
    tau: Annotated[str | None, options.Tau] = None,
    min_difference: Annotated[int | None, options.MinDifference] = None,
    dissimilarity: Annotated[str, options.Dissimilarity] = "dice",
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
        if size and n_features is not None:
            raise InputError("-k and --size were both given; give one of them.")
        judging = {"--cv": cv, "--margin": margin, "--bootstraps": bootstraps, "--jobs": jobs}
        _check_judging(evaluate, judging, {"--scores": scores, "--existing": existing, "--engine": engine})
        how = {"measure": measure, "estimator": estimator, "scoring": scoring}
        if evaluate:
            how = _for_quality(quality, how)
        source: _Table | _Saved
        if scores is None:
            source = _Table(_dataset(table, target, drop, categorical), quality, task, how, save_scores)
        else:
            source = _saved_scores(
                scores, quality, {**how, "--save-scores": save_scores}, table, target, drop, categorical
            )
        names = FeatureNames.of(source.names)
        asked = {
            "n_features": DEFAULT_SIZE if n_features is None else n_features,
            "n_alternatives": n_alternatives,
            "tau": tau,
            "min_difference": min_difference,
            "dissimilarity": dissimilarity,
            "search": search,
            "aggregation": aggregation,
            "existing": [options.features_in("--existing", given, names) for given in existing or []],
            "constraints": options.constraints_from(
                names,
                {
                    "--require": require,
                    "--forbid": forbid,
                    "--at-most": at_most,
                    "--at-least": at_least,
                    "--exclusive": exclusive,
                    "--implies": implies,
                    "--budget": budget,
                    "--size": size,
                },
            ),
        }
        how_long = {"time_limit": time_limit} | ({} if max_iters is None else {"max_iters": max_iters})
        result = _search(source, asked, engine=engine, **how_long)
        origin = {"table": table, "target": target, "quality": quality, "scores": scores, **how}
        origin = {name: value for name, value in origin.items() if value is not None}
        result = replace(result, parameters={**result.parameters, **origin})

        judge = None
        if evaluate and isinstance(source, _Table):
            selector = _selector(quality, how, asked, task, len(result.statuses), max_iters, time_limit)
            judge = partial(
                _found_evaluated, result, selector, source.data, estimator, scoring, task, judging
            )
        answer(result, as_json, judge)


@app.command("evaluate")
def evaluate_command(
    table: Annotated[str | None, options.TableFile] = None,
    target: Annotated[str | None, options.Target] = None,
    sets: Annotated[str | None, options.Sets] = None,
    estimator: Annotated[str | None, options.Judge] = None,
    scoring: Annotated[str | None, options.JudgeScoring] = None,
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
        data = _dataset(table, target, drop, categorical)
        given = _sets_in(sets, FeatureNames.of(data.feature_names))
        judging = {"--cv": cv, "--margin": margin, "--jobs": jobs}
        evaluation = _evaluation(given, data, estimator, scoring, task, judging)
        if as_json:
            typer.echo(evaluation.to_json())
        else:
            show_evaluation(evaluation, console_for())


@app.command("demo")
def demo_command(
    save_table: Annotated[
        str | None, typer.Option(metavar="FILE.csv", help="Also write the table of the demo to a new file.")
    ] = None,
) -> None:
    """Show what altsets does, on a table that comes with scikit-learn."""
    with plain_messages():
        from altsets.tables import files as datasets

        table = datasets.load_demo()
        if save_table is not None:
            datasets.write_csv(table, save_table)
        data = datasets.split_target(table, datasets.DEMO_TARGET)
        say(console_for(), DEMO.format(rows=table.n_rows, features=len(data.feature_names)))
        asked = {"n_features": 5, "n_alternatives": 3, "tau": "0.5"}
        answer(_search(_Table(data), asked), as_json=False)
        if save_table is not None:
            typer.echo(f"\nThe table is in {printable(save_table)}.")
        typer.echo("\nTry next:")
        for command in _suggestions(save_table, datasets.DEMO_TARGET):
            typer.echo(f"  {command}")


def _suggestions(saved: str | None, target: str) -> list[str]:
    """Three commands that work as they stand."""
    find = f"altsets find {shlex.quote(saved or 'demo.csv')} --target {target}"
    disjoint = f"{find} -k 3 -a 4 --tau 1"
    fair = f"{find} --search simultaneous --aggregation min"
    if saved is None:
        return ["altsets demo --save-table demo.csv", disjoint, fair]
    return [disjoint, fair, f"{find} --quality f --json"]


def _dataset(
    table: str | None, target: str | None, drop: Sequence[str] | None, categorical: Sequence[str] | None
) -> Dataset:
    from altsets.tables import files as datasets

    if table is None:
        raise InputError("give a TABLE and its --target, or scores that were saved before with --scores.")
    if target is None:
        raise InputError(f"say which column of {table} is to be predicted with --target.")
    dropped, categories = options.names_in(drop or []), options.names_in(categorical or [])
    return datasets.split_target(datasets.read_table(table), target, drop=dropped, categorical=categories)


class _Table:
    """Features that are to be scored."""

    def __init__(
        self,
        data: Dataset,
        quality: str = "mutual_info",
        task: str = "auto",
        how: Mapping[str, str | None] | None = None,
        save_to: str | None = None,
    ) -> None:
        from altsets.quality._named import PAIRED, WRAPPER, quality_maker

        self._make = quality_maker(quality, **(how or {}))
        if quality == WRAPPER and save_to is not None:
            raise InputError(
                "a wrapper has no scores of features that could be saved; leave out --save-scores."
            )
        pairs = " and their pairs" if quality in PAIRED else ""
        self._what = (
            "" if quality == WRAPPER else f"Scoring {len(data.feature_names)} features{pairs} for {quality}"
        )
        self.data, self._task, self._save_to = data, task, save_to
        self.names = data.feature_names

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """What to search on; the scores are saved as soon as they are there. ``check`` ends it if it takes too long."""
        waiting.say(self._what)

        def progress(share: float) -> None:
            waiting.say(f"{self._what}: {share:.0%}")
            check()

        data = self.data
        made = self._make(
            data.X,
            data.y,
            task=self._task,
            feature_names=self.names,
            progress=progress,
        )
        if self._save_to is not None:
            from altsets.scores import Scores

            Scores.of(made).write(self._save_to)
        return made


class _Saved:
    """Features that have been scored before."""

    def __init__(self, scores: Scores, quality: str) -> None:
        self.names, self._made = scores.names, scores.quality(quality)

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """What to search on."""
        return self._made


def _saved_scores(
    path: str,
    quality: str,
    unused: Mapping[str, str | None],
    table: str | None,
    target: str | None,
    drop: Sequence[str] | None,
    categorical: Sequence[str] | None,
) -> _Saved:
    from altsets.quality._named import WRAPPER
    from altsets.scores import Scores

    if table is None and categorical:
        unused = {**unused, "--categorical": ",".join(categorical)}
    for name, value in unused.items():
        if value is not None:
            raise InputError(
                f"{name} {value!r} has no use with --scores, which says what was computed before."
            )
    if quality == WRAPPER:
        raise InputError("a wrapper fits models to a table; leave out --scores.")
    scores = Scores.read(path)
    if table is not None:
        scores = scores.only(_dataset(table, target, drop, categorical).feature_names)
    elif drop:
        dropped = options.features_in("--drop", ",".join(drop), FeatureNames.of(scores.names))
        scores = scores.only([name for number, name in enumerate(scores.names) if number not in dropped])
    return _Saved(scores, quality)


def _search(
    source: _Table | _Saved, asked: dict[str, Any], *, time_limit: float | None = None, **more: Any
) -> Result:
    """Score the features and find the sets, with a sign of life if it takes long."""
    from altsets.problem import Problem

    # Scoring a wide table takes long; what is wrong with the request is said before.
    n_sets = Problem.create(len(source.names), feature_names=source.names, **asked).n_sets
    clock = _Clock(time_limit)
    with Waiting(console_for(stderr=True)) as waiting:
        from altsets.search.find import find

        scored = source.quality(waiting, clock.check)
        clock.check()
        waiting.say("Searching")
        return find(
            scored,
            **asked,
            **more,
            time_limit=clock.left or SECONDS_PER_SET * n_sets,
            callback=waiting.report,
        )


class _Clock:
    """The time limit of the user, if there is one: it covers scores as well as the search."""

    def __init__(self, time_limit: float | None) -> None:
        self._limit, self._started = time_limit, time.perf_counter()

    @property
    def left(self) -> float | None:
        """Seconds that are left."""
        return None if self._limit is None else self._limit - (time.perf_counter() - self._started)

    def check(self) -> None:
        """End the command if time was up before the scores were there."""
        if self.left is not None and self.left <= 0:
            fail(
                f"The scores were not ready within {self._limit:g} s: give a larger --time-limit, or save scores once "
                "with --save-scores and search with --scores.",
                NO_SET,
            )


# --- Evaluation -----------------------------------------------------------------------------------------


def _check_judging(evaluate: bool, judging: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Options that need --evaluate, and those that do not go with it."""
    for name, value in judging.items():
        if value is not None and not evaluate:
            raise InputError(f"{name} {value} goes with --evaluate; add it, or leave out {name}.")
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
    from altsets.quality._named import takes_option

    return {name: value for name, value in how.items() if name == "measure" or takes_option(quality, name)}


def _selector(
    quality: str,
    how: Mapping[str, str | None],
    asked: Mapping[str, Any],
    task: str,
    n_sets: int,
    max_iters: int | None,
    time_limit: float | None,
) -> Any:
    """Who searches in each fold, as the command did on the whole table."""
    from altsets.quality._given import Recipe
    from altsets.selector import SelectAlternatives

    limits: dict[str, Any] = {"time_limit": time_limit or SECONDS_PER_SET * n_sets}
    if max_iters is not None:
        limits["max_iters"] = max_iters
    parameters = {name: value for name, value in asked.items() if name != "existing"}
    return SelectAlternatives(Recipe(quality, **how), task=task, **parameters, **limits)


def _found_evaluated(result: Result, *arguments: Any) -> Evaluation | None:
    """Evaluate what was found, unless Ctrl-C says that it is enough."""
    try:
        if not result.interrupted:
            return _evaluation(*arguments)
    except KeyboardInterrupt:
        pass
    say_error("Interrupted: the sets were not evaluated.")
    return None


def _evaluation(
    what: Any,
    data: Dataset,
    estimator: str | None,
    scoring: str | None,
    task: str,
    judging: Mapping[str, Any],
) -> Evaluation:
    """Evaluate, with a sign of life."""
    from altsets.evaluation import evaluate

    several = options.names_in([scoring]) if scoring else None
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Evaluating")
        return evaluate(
            what,
            data.X,
            data.y,
            estimator=estimator,
            scoring=several,
            cv=5 if judging["--cv"] is None else judging["--cv"],
            margin=judging["--margin"],
            n_bootstraps=judging.get("--bootstraps") or 0,
            n_jobs=judging["--jobs"],
            task=task,
            progress=lambda share: waiting.say(
                f"Evaluating: {share:.0%} (Ctrl-C keeps the folds that are done)"
            ),
        )


def _sets_in(path: str, names: FeatureNames) -> Any:
    """The sets of a file: a result of ``find --json``, or one set per line."""
    from altsets.result import Result
    from altsets.tables.files import read_lines, read_text

    text = read_text(path)
    if text.lstrip().startswith("{"):
        try:
            return Result.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    lines = read_lines(path)
    return [[line] if line in names else options.features_in(path, line, names) for line in lines]
