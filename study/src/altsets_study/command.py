"""``altsets reproduce``: the paper's study, or a part of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from altsets.errors import InputError
from altsets_study.datasets import DATASETS, known_names
from altsets_study.design import Settings
from altsets_study.download import download
from altsets_study.methods import method_named
from altsets_study.report import write_report
from altsets_study.run import Outcome, StudyProgress, reproduce
from altsets_study.store import Store

#: Exit status where something is left or failed.
NOT_ALL = 1
#: Failures that are said one by one.
MOST_FAILURES = 5
#: Seconds between lines about progress where there is no terminal.
SECONDS_BETWEEN_LINES = 60.0


def _option(metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(metavar=metavar, help=help, rich_help_panel="Study", **more)


def _duration(text: str) -> float:
    """Parse a time with or without a unit: 90, 30m, 8h."""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:])
    try:
        seconds = (unit or 1) * float(text[:-1] if unit else text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise typer.BadParameter(f"{text!r} is not a positive number of seconds")
    return seconds


def reproduce_command(
    out: Annotated[
        str,
        _option(
            "DIR", "The folder for results: a new one, or that of a run that was ended, which then goes on."
        ),
    ],
    data: Annotated[
        str | None,
        _option(
            "DIR",
            "The folder with the data sets. [default: a folder in your cache, into which missing ones are downloaded]",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None, _option("NAME[,NAME]", "Only these data sets. [default: all 30]")
    ] = None,
    methods: Annotated[
        list[str] | None,
        _option(
            "NAME[,NAME]",
            "Only these methods: mutual_info, fcbf, mrmr, model_gain, greedy_wrapper; also cfs and any measure of "
            "altsets. [default: the first five]",
        ),
    ] = None,
    folds: Annotated[str | None, _option("N[,N]", "Only these folds. [default: 0,1,2,3,4]")] = None,
    k: Annotated[str, _option("N[,N]", "Features in each set.")] = "5,10",
    seconds_per_set: Annotated[
        list[str] | None,
        _option(
            "[METHOD:K=]SECONDS",
            "The time limit of a search for each of its sets, for all or for one method and size (mrmr:10=1); may be "
            "repeated. [default: 60, as in the paper]",
        ),
    ] = None,
    information: Annotated[
        str,
        _option(
            "NAME",
            "How mutual information is estimated: paper (as the paper's study did) or altsets (as altsets find does).",
        ),
    ] = "paper",
    jobs: Annotated[int, _option("N", "Tasks at a time; -1: one per processor.")] = -1,
    scheduler: Annotated[
        str | None, _option("ADDRESS", "Run on a Dask cluster, such as tcp://host:8786, not on this machine.")
    ] = None,
    time_budget: Annotated[
        float | None,
        _option("TIME", "Begin nothing new after this time: 90 (seconds), 30m or 8h.", parser=_duration),
    ] = None,
) -> None:
    """Run the paper's study: 30 data sets, five methods, every search; then its tables and figures beside ours.

    Rerun to resume: after Ctrl-C, a crash or a full disk, the same command continues. Exit status: 0 = everything is
    there, 1 = something is left or failed, 2 = bad input.
    """
    settings = _settings(seconds_per_set or [], information)
    names = known_names(_names(datasets) or DATASETS)
    asked: dict[str, Any] = {
        "datasets": names,
        "methods": [method_named(name) for name in _names(methods)],
        "folds": [] if folds is None else _numbers("--folds", folds),
        "sizes": _numbers("--k", k),
    }
    page = None
    with _waiting() as say:
        if data is None:
            _download(names, say)
        outcome = reproduce(
            data,
            out,
            **asked,
            settings=settings,
            n_jobs=jobs,
            scheduler=scheduler,
            time_budget=time_budget,
            callback=lambda progress: say(_status(progress)),
        )
        if outcome.n_done + outcome.n_before:
            say("Writing tables and figures")
            page = write_report(Store(out).frame(), Path(out) / "report", notes=_notes(settings))
    _summarise(outcome, page, out)


def _names(texts: Sequence[str] | None) -> list[str]:
    """The names in options such as ``a,b``."""
    return [name.strip() for text in texts or [] for name in text.split(",") if name.strip()]


def _numbers(option: str, text: str) -> list[int]:
    """The whole numbers in an option such as ``5,10``."""
    numbers = []
    for part in text.split(","):
        try:
            numbers.append(int(part))
        except ValueError:
            raise InputError(f"{option}: {part!r} is not a whole number.") from None
    return numbers


def _settings(seconds_per_set: Sequence[str], information: str) -> Settings:
    given: dict[str, Any] = {"information": information}
    exceptions = {}
    for text in seconds_per_set:
        name, equals, number = text.rpartition("=")
        try:
            seconds = float(number)
        except ValueError:
            raise InputError(f"--seconds-per-set {text!r} is neither SECONDS nor METHOD:K=SECONDS.") from None
        if equals:
            exceptions[name.strip()] = seconds
        else:
            given["seconds_per_set"] = seconds
    return Settings(**given, exceptions=exceptions)


def _notes(settings: Settings) -> list[str]:
    """The settings that a reader of the page must know."""
    limits = [f"{settings.seconds_per_set:g} s for each set"]
    limits += [
        f"{seconds:g} s for {name.replace(':', ' with k = ')}"
        for name, seconds in settings.exceptions.items()
    ]
    estimator = {
        "paper": "Mutual information is estimated as in the paper's study, with the same noise and seed.",
        "altsets": "Mutual information is estimated as altsets does by default, not as in the paper's study.",
    }
    return [f"Time limits: {', '.join(limits)}.", estimator[settings.information]]


def _download(names: Sequence[str], say: Callable[[str], None]) -> None:
    def tell(name: str, n_bytes: int, n_all: int | None) -> None:
        share = f": {n_bytes / n_all:.0%}" if n_all else ""
        say(f"Downloading {name}{share}")

    download(names, callback=tell)


@contextmanager
def _waiting() -> Iterator[Callable[[str], None]]:
    """What is going on, on standard error: a line that changes on a terminal, else a line every minute."""
    console, last = Console(stderr=True), time.monotonic()
    with console.status("") as line:

        def say(text: str) -> None:
            nonlocal last
            if console.is_terminal:
                line.update(Text(text))
            elif time.monotonic() - last > SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                typer.echo(text, err=True)

        yield say


def _status(progress: StudyProgress) -> str:
    left = "" if progress.seconds_left is None else f", about {in_words(progress.seconds_left)} left"
    failed = f", {progress.n_failed} failed" if progress.n_failed else ""
    return (
        f"{progress.doing}: {progress.n_done} of {progress.n_tasks} tasks{failed}, {in_words(progress.elapsed)}{left} "
        "(Ctrl-C keeps what is done)"
    )


def in_words(seconds: float) -> str:
    """A time in units of the right size."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.2g} h"


def _summarise(outcome: Outcome, page: Path | None, out: str) -> None:
    typer.echo(
        f"Tasks done in {in_words(outcome.elapsed)}: {outcome.n_done}; there before: {outcome.n_before}; failed: "
        f"{len(outcome.failed)}; left: {outcome.n_left}. Results are in {out}."
    )
    if page is not None:
        typer.echo(f"Tables and figures beside the published ones: {page}")
    for task, said in list(outcome.failed.items())[:MOST_FAILURES]:
        typer.echo(f"{task}: {said}", err=True)
    if len(outcome.failed) > MOST_FAILURES:
        typer.echo(f"... and {len(outcome.failed) - MOST_FAILURES} more; they are in the results.", err=True)
    if not outcome.is_complete:
        if outcome.interrupted or outcome.n_left:
            why = "Interrupted" if outcome.interrupted else "The time budget is used up"
            typer.echo(f"{why}; the same command goes on where it was.", err=True)
        raise typer.Exit(NOT_ALL)
