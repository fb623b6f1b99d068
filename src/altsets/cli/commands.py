"""Commands: their options as typer reads them, and their help.

The help has the options that most people need on one screen; ``--help-all`` has all, in groups.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from altsets.cli.options import FORMS, GROUPS, HEADINGS, Described, Given, flag_of
from altsets.cli.printing import plain_messages
from altsets.files.contents import text_files

#: What the short help says about options, the most used ones first; a command shows up to :data:`MOST_SHOWN` of these.
BRIEF = {
    "sets": "The sets to evaluate  [required]",
    "target": "The column to predict, or several",
    "n_features": "Features in each set  [default: 5]",
    "n_alternatives": "Sets besides the first one",
    "tau": "How different: 0 = equal allowed, 1 = disjoint",
    "within": "How much worse than the best, such as 5%",
    "by": "Axis of the curve: tau, penalty or balance",
    "costs": "Draw quality against costs of features",
    "distinct": "Features so similar count as the same",
    "quality": "What a good set is  [default: mutual_info]",
    "require": "Features that every set has",
    "forbid": "Features that no set has",
    "evaluate": "Also test how well the sets predict",
    "port": "The port of the page",
    "no_browser": "Print the address only",
    "out": "The folder for results",
    "datasets": "Only these data sets",
    "methods": "Only these methods",
    "folds": "Only these folds",
    "k": "Features in each set  [default: 5,10]",
    "jobs": "Tasks at a time",
    "model_file": "The new file, .mps or .lp  [default: model.mps]",
    "report": "Also write a self-contained HTML report",
    "json": "Print one JSON document, nothing else",
    "scoring": "How predictions are scored",
    "model": "The model that predicts",
    "time_limit": "Seconds for the search",
}
#: Options in the short help of a command; one with fewer options shows them all.
MOST_SHOWN = 12
FEW_OPTIONS = 10
ALL = "--help-all"


class GroupedCommand(TyperCommand):
    """A command whose help has its options under headings, and examples at the end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; an error about one without its value does not know by itself whose it is."""
        ctx.meta[ALL] = ALL in args
        try:
            return super().parse_args(ctx, ["--help" if word == ALL else word for word in args])
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and the most used options, or all options group by group."""
        arguments: list[tuple[str, str]] = []
        headed: dict[str, list[tuple[str, str]]] = {"Options": []}
        shown = self._shown(ctx)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(record)
            elif shown is None:
                heading = getattr(parameter, "rich_help_panel", None) or "Other"
                headed.setdefault(heading, []).append(record)
            elif parameter.name in shown:
                headed["Options"].append((record[0], BRIEF[parameter.name]))
        for heading, records in {"Arguments": arguments, **headed}.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        if shown is not None:
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} {ALL} explains all options.")

    def _shown(self, ctx: Any) -> list[str] | None:
        """The options of the short help; None where all are shown."""
        names = [each.name for each in self.get_params(ctx) if each.param_type_name == "option"]
        if ctx.meta.get(ALL) or len(names) <= FEW_OPTIONS:
            return None
        return [name for name in BRIEF if name in names][:MOST_SHOWN]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.epilog.splitlines()))


Command = Callable[[typer.Context, Given], None]


def with_options(
    groups: str, without: str = "", described: Described | None = None
) -> Callable[[Command], Callable[..., None]]:
    """A command with the options of some groups, in this order.

    ``without`` are options of them that the command does not have; ``described`` is what it says otherwise about some.
    Inside, errors and warnings are plain lines on standard error.
    """
    every = [one for group in groups.split() for one in GROUPS[group]]
    fields = {one.name: one for one in every if one.name not in without.split()}
    hints = get_type_hints(Given)
    parameters = [inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    parameters += [
        _parameter(one, hints[name], (described or {}).get(name, {})) for name, one in fields.items()
    ]

    def decorate(function: Command) -> Callable[..., None]:
        def command(context: typer.Context, **values: Any) -> None:
            given = Given(**values)
            # A column name or a number may come from any file: the table, costs, groups, scores, lists of names.
            with plain_messages(), text_files(given.encoding, given.decimal):
                function(context, given)

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorate


def _parameter(field: Any, kind: Any, otherwise: Mapping[str, Any]) -> inspect.Parameter:
    """An option as a parameter of a command; ``otherwise`` may change its type (then also its parser) and default."""
    group = next(name for name, fields in GROUPS.items() if field in fields)
    heading = next(heading for heading, groups in HEADINGS.items() if group in groups)
    said = {**field.metadata["said"], **otherwise, "rich_help_panel": heading}
    if "kind" in said:
        kind = said.pop("kind")
        said.pop("parser", None)
    form = next((form for form in FORMS if form in (kind, *get_args(kind))), str)
    said = {**FORMS[form], **said}
    default = said.pop("default", field.default)
    if field.metadata["is_argument"]:
        declared: Any = typer.Argument(**said, show_default=False)
    else:
        declared = typer.Option(flag_of(field.name), *field.metadata["short"], **said)
    annotation: Any = Annotated[kind, declared]
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
