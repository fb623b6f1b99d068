"""The command line: reads options, prints answers, and nothing else.

Each command is a function in a file of its own; a new one is added to :data:`COMMANDS`. All options are declared in
``options`` and parsed in ``parsing``; ``combinations`` says which go together; ``commands`` makes of them what typer
reads, and the help; ``searching`` reads tables, scores features and searches, ``evaluating`` cross-validates,
``printing`` and ``outputs`` show and write answers.

Modules that take long to import are imported inside the commands, so that ``altsets --help`` answers at once; for the
same reason the help is plain text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from altsets.cli.commands import GroupedCommand
from altsets.cli.demo import demo_command
from altsets.cli.evaluate import evaluate_command
from altsets.cli.explore import explore_command
from altsets.cli.export_model import export_model_command
from altsets.cli.find import find_command
from altsets.cli.frontier import frontier_command
from altsets.cli.near_best import near_best_command
from altsets.cli.printing import BAD_INPUT, NO_SET, discard, say_error
from altsets.cli.reproduce import ForwardedCommand, reproduce_command
from altsets.errors import reason_of
from altsets.version import __version__

__all__ = ["app", "main"]

#: The commands by name, in the order of the help, each with a summary of one line and examples.
COMMANDS: dict[str, tuple[Callable[..., None], str, str]] = {
    "find": (
        find_command,
        "Find good and truly different feature sets.",
        "altsets find table.csv --target diagnosis\n"
        "altsets find table.csv -t diagnosis -k 3 -a 2 --distinct 0.9 --evaluate\n"
        "altsets find table.csv -t diagnosis --forbid age,sex --report report.html",
    ),
    "explore": (
        explore_command,
        "Open a page that searches while you move controls.",
        "altsets explore\n"
        "altsets explore table.csv --target diagnosis\n"
        "altsets explore table.csv -t diagnosis --quality mrmr --port 8000 --no-browser",
    ),
    "frontier": (
        frontier_command,
        "Show a curve: what difference, or lower costs, cost in quality.",
        "altsets frontier table.csv --target diagnosis\n"
        "altsets frontier table.csv -t diagnosis -k 2:8 -a 1 --evaluate\n"
        "altsets frontier table.csv -t diagnosis --costs costs.csv",
    ),
    "near-best": (
        near_best_command,
        "Count the sets that are nearly as good as the best one.",
        "altsets near-best table.csv --target diagnosis --within 0.05",
    ),
    "evaluate": (
        evaluate_command,
        "Test how well given feature sets predict.",
        "altsets evaluate table.csv -t diagnosis --sets sets.txt --scoring accuracy",
    ),
    "export-model": (
        export_model_command,
        "Write a request as a model for integer-programming solvers.",
        "altsets export-model table.csv --target diagnosis -k 5 --model-file model.mps",
    ),
    "reproduce": (
        reproduce_command,
        "Run the paper's study again, or a part of it.",
        "altsets reproduce --out results --datasets wdbc,sonar --folds 0 --k 5",
    ),
    "demo": (
        demo_command,
        "Show what altsets does, on a built-in table.",
        "altsets demo --save-table demo.csv",
    ),
}

app = typer.Typer(
    name="altsets",
    help="Feature sets that are all good and truly different from each other, with proof.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _name, (_command, _summary, _examples) in COMMANDS.items():
    _kind = ForwardedCommand if _command is reproduce_command else GroupedCommand
    app.command(_name, cls=_kind, short_help=_summary, epilog=_examples)(_command)


def main() -> None:
    """Run the command line; the entry point of the ``altsets`` command."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A feature name that the terminal cannot show must not cost the answer.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="altsets", standalone_mode=False)
        sys.stdout.flush()
    except OSError as error:
        # Errors about files have the names of these, and commands say them; this is standard output.
        if error.filename is not None:
            raise
        code = _output_failed(error)
    except Exception as error:
        # By its shape, not its class: recent versions of typer bring their own copy of click.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "altsets"
        say_error(f"Error: {error.format_message().rstrip('.')} (see {command} --help).")
        code = BAD_INPUT
    sys.exit(code or 0)


def _open_closed_streams() -> None:
    """Let what is printed to a closed stream go nowhere, and no file that is opened take its number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _output_failed(error: OSError) -> int:
    """Say that nothing can be printed any more, unless the reader has seen enough and has closed the pipe."""
    if not isinstance(error, BrokenPipeError):
        say_error(f"Error: cannot write to standard output: {reason_of(error)}.")
    discard(sys.stdout)
    return NO_SET


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
