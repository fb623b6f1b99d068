"""``altsets reproduce``: the paper's study, or a part of it."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from altsets.cli.options import seconds, whole_number
from altsets.cli.printing import (
    NO_SET,
    Waiting,
    console_for,
    duration,
    plain_messages,
    printable,
    say,
    say_error,
)
from altsets.errors import InputError, MissingExtraError
from altsets.features import names_in

if TYPE_CHECKING:
    from altsets.experiments.run import Outcome, StudyProgress

DEFAULT_SIZES = "5,10"
#: Failures that are said one by one.
MOST_FAILURES = 5
#: Seconds between lines about progress where there is no terminal.
SECONDS_BETWEEN_LINES = 60.0


def _duration(text: str) -> float:
    units = {"s": 1, "m": 60, "h": 3600}
    unit = units.get(text[-1:])
    return seconds(text) if unit is None else unit * seconds(text[:-1])


def reproduce_command(
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder for results: a new one, or that of a run that was ended, which then goes on.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="The folder with the data sets. [default: a folder in your cache, into which missing ones are "
            "downloaded]",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--datasets", metavar="NAME[,NAME]", help="Only these data sets. [default: all 30]"),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            metavar="NAME[,NAME]",
            help="Only these methods: mutual_info, fcbf, mrmr, model_gain, greedy_wrapper; also any --quality of "
            "altsets find. [default: these five]",
        ),
    ] = None,
    folds: Annotated[
        str | None,
        typer.Option("--folds", metavar="N[,N]", help="Only these folds. [default: 0,1,2,3,4]"),
    ] = None,
    k: Annotated[
        str, typer.Option("--k", metavar="N[,N]", help="Features in each set. [default: 5,10]")
    ] = DEFAULT_SIZES,
    seconds_per_set: Annotated[
        list[str] | None,
        typer.Option(
            "--seconds-per-set",
            metavar="[METHOD:K=]SECONDS",
            help="The time limit of a search for each of its sets, for all or for one method and size (mrmr:10=1); "
            "may be repeated. [default: 60, as in the paper]",
        ),
    ] = None,
    information: Annotated[
        str,
        typer.Option(
            "--information",
            metavar="NAME",
            help="How mutual information is estimated: paper (as the paper's study did) or altsets (as altsets find "
            "does).",
        ),
    ] = "paper",
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", parser=whole_number, metavar="N", help="Tasks at a time; -1: one per processor."
        ),
    ] = -1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Run on a Dask cluster, such as tcp://host:8786, not on this machine.",
        ),
    ] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget",
            parser=_duration,
            metavar="TIME",
            help="Begin nothing new after this time: 90 (seconds), 30m or 8h.",
        ),
    ] = None,
) -> None:
    """Run the paper's study: 30 data sets, five methods, every search; then its tables and figures beside ours.

    Rerun to resume: after Ctrl-C, a crash or a full disk, the same command continues. Exit status: 0 = everything is
    there, 1 = something is left or failed, 2 = bad input.
    """
    with plain_messages():
        if out is None:
            raise InputError("say where results are to be kept with --out DIR.")
        _check_packages()
        from altsets.experiments.datasets import DATASETS, known_names
        from altsets.experiments.methods import method_named
        from altsets.experiments.report import write_report
        from altsets.experiments.run import reproduce
        from altsets.experiments.store import Store

        settings = _settings(seconds_per_set or [], information)
        names = known_names(names_in(datasets or []) or DATASETS)
        chosen = names_in(methods or [])
        for name in chosen:
            method_named(name)
        numbers = _numbers("--folds", folds) if folds is not None else []
        sizes = _numbers("--k", k)
        with Waiting(console_for(stderr=True)) as waiting:
            if data is None:
                _download(names, waiting)
            outcome = reproduce(
                data,
                out,
                datasets=names,
                methods=chosen,
                folds=numbers,
                sizes=sizes,
                settings=settings,
                n_jobs=jobs,
                scheduler=scheduler,
                time_budget=time_budget,
                progress=_Reporter(waiting),
            )
            page = None
            if outcome.n_done + outcome.n_before:
                waiting.say("Writing tables and figures")
                page = write_report(Store(out).frame(), Path(out) / "report", notes=_notes(settings))
        _summarise(outcome, page, out)


def _check_packages() -> None:
    """Say what is missing now, not after hours."""
    for package in ("pandas", "pyarrow", "matplotlib", "jinja2"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError("the study", package, "study")


def _settings(seconds_per_set: Sequence[str], information: str) -> Any:
    from altsets.experiments.design import Settings

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


def _notes(settings: Any) -> list[str]:
    """What a reader of the page must know of the settings."""
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


def _numbers(option: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} {text!r} must be whole numbers divided by commas, such as 0,1.") from None


def _download(names: Sequence[str], waiting: Waiting) -> None:
    from altsets.experiments.download import download

    def say(name: str, n_bytes: int, n_all: int | None) -> None:
        share = f": {n_bytes / n_all:.0%}" if n_all else ""
        waiting.say(f"Downloading {name}{share}")

    download(names, progress=say)


class _Reporter:
    """Says how far the run is: on a terminal whenever something has ended, in a file once in a while."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting, self._last = waiting, time.monotonic()

    def __call__(self, progress: StudyProgress) -> None:
        self._waiting.say(_status(progress))
        now = time.monotonic()
        if not console_for(stderr=True).is_terminal and now - self._last > SECONDS_BETWEEN_LINES:
            self._last = now
            say_error(_status(progress))


def _status(progress: StudyProgress) -> str:
    left = "" if progress.seconds_left is None else f", about {duration(progress.seconds_left)} left"
    failed = f", {progress.n_failed} failed" if progress.n_failed else ""
    return (
        f"{progress.doing}: {progress.n_done} of {progress.n_tasks} tasks{failed}, {duration(progress.elapsed)}{left} "
        "(Ctrl-C keeps what is done)"
    )


def _summarise(outcome: Outcome, page: Path | None, out: str) -> None:
    console = console_for()
    say(
        console,
        f"Tasks done in {duration(outcome.elapsed)}: {outcome.n_done}; there before: {outcome.n_before}; failed: "
        f"{len(outcome.failed)}; left: {outcome.n_left}. Results are in {out}.",
    )
    if page is not None:
        say(console, f"Tables and figures beside the published ones: {page}")
    for task, said in list(outcome.failed.items())[:MOST_FAILURES]:
        say_error(f"{task}: {printable(said)}")
    if len(outcome.failed) > MOST_FAILURES:
        say_error(f"... and {len(outcome.failed) - MOST_FAILURES} more; they are in the results.")
    if not outcome.is_complete:
        if outcome.interrupted or outcome.n_left:
            why = "Interrupted" if outcome.interrupted else "The time budget is used up"
            say_error(f"{why}; the same command goes on where it was.")
        raise typer.Exit(NO_SET)
