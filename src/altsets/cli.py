"""The command line: reads options, prints answers, and nothing else.

Whatever takes long to import is imported inside the commands, so that ``altsets --help`` answers at once;
for the same reason the help is plain text.
"""

from __future__ import annotations

import math
import shlex
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from altsets import __version__, options
from altsets.errors import AltsetsError, InputError, VerificationError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status as Spinner
    from rich.table import Table as Grid

    from altsets.datasets import Dataset
    from altsets.quality import Quality
    from altsets.result import Progress, Result
    from altsets.scores import Scores

__all__ = ["app", "main"]

DEFAULT_SIZE = 5
SECONDS_PER_SET = 60.0
#: More sets than this do not fit into an overlap table of 80 columns.
MOST_COLUMNS = 14

NO_SET, BAD_INPUT = 1, 2

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
        _say_error(f"Error: {error.format_message().rstrip('.')} (see {command} --help).")
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
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE",
            help="CSV file (also gzipped) or Parquet file: numbers and text, also with holes.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="What to predict.")
    ] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, nothing else.")] = False,
) -> None:
    """Find good and different feature sets for the target of a table.

    Ctrl-C ends the search and prints what was found. Exit status: 0 = at least one set was printed, 1 = no
    set exists or none was found, 2 = bad input.
    """
    with _plain_messages():
        if size and n_features is not None:
            raise InputError("-k and --size were both given; give one of them.")
        how = {"measure": measure, "estimator": estimator, "scoring": scoring}
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
        _answer(replace(result, parameters={**result.parameters, **origin}), as_json)


@app.command("demo")
def demo_command(
    save_table: Annotated[
        str | None, typer.Option(metavar="FILE.csv", help="Also write the table of the demo to a new file.")
    ] = None,
) -> None:
    """Show what altsets does, on a table that comes with scikit-learn."""
    with _plain_messages():
        from altsets import datasets

        table = datasets.load_demo()
        if save_table is not None:
            datasets.write_csv(table, save_table)
        data = datasets.split_target(table, datasets.DEMO_TARGET)
        _say(_console(), DEMO.format(rows=table.n_rows, features=len(data.feature_names)))
        asked = {"n_features": 5, "n_alternatives": 3, "tau": "0.5"}
        _answer(_search(_Table(data), asked), as_json=False)
        if save_table is not None:
            typer.echo(f"\nThe table is in {_printable(save_table)}.")
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
    from altsets import datasets

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
        self._data, self._task, self._save_to = data, task, save_to
        self.names = data.feature_names

    def quality(self, waiting: Waiting) -> Quality:
        """What to search on; the scores are saved as soon as they are there."""
        waiting.say(self._what)
        data = self._data
        made = self._make(
            data.X,
            data.y,
            task=self._task,
            feature_names=self.names,
            progress=lambda share: waiting.say(f"{self._what}: {share:.0%}"),
        )
        if self._save_to is not None:
            from altsets.scores import Scores

            Scores.of(made).write(self._save_to)
        return made


class _Saved:
    """Features that have been scored before."""

    def __init__(self, scores: Scores, quality: str) -> None:
        self.names, self._made = scores.names, scores.quality(quality)

    def quality(self, waiting: Waiting) -> Quality:
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
    with Waiting(_console(stderr=True)) as waiting:
        from altsets.search.find import find

        scored = source.quality(waiting)
        waiting.say("Searching")
        return find(
            scored,
            **asked,
            **more,
            time_limit=time_limit or SECONDS_PER_SET * n_sets,
            callback=waiting.report,
        )


def _answer(result: Result, as_json: bool) -> None:
    """Print the answer; end with the exit status that says whether there is one."""
    asked, found = len(result.statuses), len(result.sets)
    if as_json:
        typer.echo(result.to_json())
    elif found:
        _show(result, _console())
    if not found:
        _fail(result.explain(), NO_SET)
    if found < asked:
        _say_error(result.explain() if as_json else f"{asked - found} of {asked} sets are missing.")


def _show(result: Result, console: Console) -> None:
    from altsets.result import overlap_table

    # A share of nothing, or of a negative quality, says nothing; and names need the room more.
    console.print(_sets_grid(result, with_share=result.qualities[0] > 0 and console.width >= 60))
    table = overlap_table(result.sets)
    if len(table) > MOST_COLUMNS:
        most = max(max(row[:number]) for number, row in enumerate(table) if number)
        _say(console, f"No two sets share more than {most} features.")
    elif len(table) > 1:
        _say(console, "Features that two sets share:")
        console.print(_overlap_grid(table))
    if math.isinf(result.bound):
        _say(console, f"Objective {result.objective:.6g}; no bound is known.")
    else:
        numbers = f"{result.objective:.6g}, bound {result.bound:.6g}, gap {result.gap:.3g}"
        _say(console, f"Objective {numbers}.")
    _say(console, result.explain())


def _sets_grid(result: Result, with_share: bool) -> Grid:
    from rich.text import Text

    grid = _grid("Set")
    grid.add_column("Features", overflow="fold", min_width=10)
    grid.add_column("Quality", justify="right", no_wrap=True)
    if with_share:
        grid.add_column("Of set 0", justify="right", no_wrap=True)
    grid.add_column("Status", no_wrap=True)
    for number, (names, value) in enumerate(zip(result.named_sets, result.qualities, strict=True)):
        status = str(result.statuses[number])
        share = [f"{value / result.qualities[0]:.1%}"] if with_share else []
        grid.add_row(
            str(number),
            Text(", ".join(map(_printable, names))),
            f"{value:#.6g}",
            *share,
            Text(status, style="green" if status == "optimal" else "yellow"),
        )
    return grid


def _overlap_grid(table: Sequence[Sequence[int]]) -> Grid:
    grid = _grid("Set")
    for number in range(len(table)):
        grid.add_column(str(number), justify="right")
    for number, row in enumerate(table):
        grid.add_row(str(number), *(str(shared) for shared in row))
    return grid


def _grid(first_column: str) -> Grid:
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column(first_column, justify="right", no_wrap=True)
    return grid


class Waiting:
    """A line on standard error about what is going on: only on a terminal, and only if it takes long."""

    def __init__(self, console: Console, delay: float = 2.0) -> None:
        self._console = console
        self._text = ""
        self._spinner: Spinner | None = None
        self._over = not console.is_terminal
        self._lock = threading.Lock()
        self._timer = threading.Timer(delay, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Waiting:
        if not self._over:
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._spinner is not None:
                self._spinner.stop()

    def say(self, text: str) -> None:
        """Tell what is going on now."""
        with self._lock:
            self._text = text
            if self._spinner is not None:
                self._spinner.update(_plain(text))

    def report(self, progress: Progress) -> None:
        """Tell how far a search is."""
        best = "none yet" if math.isnan(progress.best) else f"{progress.best:.6g}"
        bound = "none yet" if math.isinf(progress.bound) else f"{progress.bound:.6g}"
        self.say(f"Searching: best {best}, bound {bound}, {progress.elapsed:.0f} s (Ctrl-C keeps the best)")

    def _begin(self) -> None:
        with self._lock:
            if not self._over:
                self._spinner = self._console.status(_plain(self._text))
                self._spinner.start()


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)


@contextmanager
def _plain_messages() -> Iterator[None]:
    """Errors and warnings as one plain line each on standard error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for silent in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                warnings.simplefilter("ignore", silent)
            warnings.showwarning = _show_warning
            yield
    except KeyboardInterrupt:
        _fail("Interrupted.", NO_SET)
    except VerificationError as error:
        _fail(f"{error} This is a bug in altsets; please report it.", NO_SET)
    except AltsetsError as error:
        _fail(str(error), BAD_INPUT)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say_error(f"Warning: {message}")


def _fail(message: str, code: int) -> NoReturn:
    _say_error(f"Error: {message}" if code == BAD_INPUT else message)
    raise typer.Exit(code)


def _say_error(message: str) -> None:
    typer.echo(" ".join(_printable(message).split()), err=True)


def _say(console: Console, text: str) -> None:
    console.print(_printable(text))


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _printable(text: str) -> str:
    """Names come out of files: nothing in them may steer the terminal."""
    return "".join(char if char.isprintable() else " " if char.isspace() else "\ufffd" for char in text)
