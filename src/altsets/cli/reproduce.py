"""``altsets reproduce``: the paper's study, a package of its own that names its command as an entry point."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import typer

from altsets.cli.commands import GroupedCommand
from altsets.cli.printing import plain_messages
from altsets.errors import InputError

#: The entry points that are looked for.
GROUP = "altsets.commands"


class ForwardedCommand(GroupedCommand):
    """A command that only looks up the one that does the work."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Leave all words as they are."""
        ctx.args = args
        return args


def reproduce_command(context: typer.Context) -> None:
    """Run the paper's study, or say how to install it."""
    with plain_messages():
        found = next(iter(metadata.entry_points(group=GROUP, name="reproduce")), None)
        if found is None:
            raise InputError(
                "the paper's study is a package of its own, which is not installed; in a clone of altsets, install it "
                "with: pip install ./study"
            )
        own = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        own.command(cls=GroupedCommand, epilog=context.command.epilog)(found.load())
        command = typer.main.get_command(own)
        with command.make_context("reproduce", list(context.args), parent=context.parent) as inner:
            command.invoke(inner)
