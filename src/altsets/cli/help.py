"""The help of a command: its options under headings, the most used ones first, and examples."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

#: Options that come first in the help, under a heading of their own.
MOST_USED = (
    *(
        "target",
        "n_features",
        "n_alternatives",
        "tau",
        "distinct",
        "quality",
        "require",
        "forbid",
        "evaluate",
    ),
    *("report", "json"),
)


class GroupedCommand(TyperCommand):
    """A command whose help has its options under headings, and examples at the end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; an error about one without its value does not know by itself whose it is."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, the most used options, and the others group by group."""
        arguments: list[tuple[str, str]] = []
        headed: dict[str, list[tuple[str, str]]] = {"Most used": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(record)
            else:
                heading = getattr(parameter, "rich_help_panel", None) or "Other"
                headed.setdefault("Most used" if parameter.name in MOST_USED else heading, []).append(record)
        for heading, records in {"Arguments": arguments, **headed}.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.epilog.splitlines()))
