"""``altsets reproduce``: the paper's study, or a part of it."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli import parsing
from altsets.cli.options import Given, with_options
from altsets.cli.printing import (
    NO_SET,
    Waiting,
    console_for,
    plain_messages,
    printable,
    say,
    say_error,
)
from altsets.errors import InputError, MissingExtraError
from altsets.features import names_in
from altsets.wording import duration

if TYPE_CHECKING:
    from altsets.experiments.run import Outcome, StudyProgress

#: Failures that are said one by one.
MOST_FAILURES = 5
#: Seconds between lines about progress where there is no terminal.
SECONDS_BETWEEN_LINES = 60.0


@with_options("study")
def reproduce_command(context: typer.Context, given: Given) -> None:
    """Run the paper's study: 30 data sets, five methods, every search; then its tables and figures beside ours.

    Rerun to resume: after Ctrl-C, a crash or a full disk, the same command continues. Exit status: 0 = everything is
    there, 1 = something is left or failed, 2 = bad input.
    """
    asked = given.study
    with plain_messages():
        if asked.out is None:
            raise InputError("say where results are to be kept with --out DIR.")
        for package in ("pandas", "pyarrow", "matplotlib", "jinja2"):
            # Said now, not after hours.
            if importlib.util.find_spec(package) is None:
                raise MissingExtraError("the study", package, "study")
        from altsets.experiments.datasets import DATASETS, known_names
        from altsets.experiments.methods import method_named
        from altsets.experiments.report import write_report
        from altsets.experiments.run import reproduce
        from altsets.experiments.store import Store

        settings = _settings(asked.seconds_per_set or [], asked.information)
        names = known_names(names_in(asked.datasets or []) or DATASETS)
        methods = [method_named(name) for name in names_in(asked.methods or [])]
        folds = parsing.whole_numbers_in("--folds", asked.folds) if asked.folds is not None else []
        sizes = parsing.whole_numbers_in("--k", asked.k)
        with Waiting(console_for(stderr=True)) as waiting:
            if asked.data is None:
                _download(names, waiting)
            outcome = reproduce(
                asked.data,
                asked.out,
                datasets=names,
                methods=methods,
                folds=folds,
                sizes=sizes,
                settings=settings,
                n_jobs=asked.jobs,
                scheduler=asked.scheduler,
                time_budget=asked.time_budget,
                callback=_Reporter(waiting),
            )
            page = None
            if outcome.n_done + outcome.n_before:
                waiting.say("Writing tables and figures")
                page = write_report(
                    Store(asked.out).frame(), Path(asked.out) / "report", notes=_notes(settings)
                )
        _summarise(outcome, page, asked.out)


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


def _download(names: Sequence[str], waiting: Waiting) -> None:
    from altsets.experiments.download import download

    def say(name: str, n_bytes: int, n_all: int | None) -> None:
        share = f": {n_bytes / n_all:.0%}" if n_all else ""
        waiting.say(f"Downloading {name}{share}")

    download(names, callback=say)


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
