"""``altsets convert``: a CSV file of any size as a Parquet file, which can be read in passes."""

from __future__ import annotations

from typing import Annotated

import typer

from altsets.cli.printing import Waiting, console_for, plain_messages, say
from altsets.errors import InputError

ENDING = ".parquet"


def convert_command(
    csv: Annotated[str, typer.Argument(metavar="TABLE.csv", help="CSV file (also gzipped) of any size.")],
    parquet: Annotated[str, typer.Argument(metavar="TABLE.parquet", help="The new file.")],
    decimal: Annotated[
        str | None,
        typer.Option(
            metavar="SIGN",
            help="The decimal sign: , for numbers such as 1,5. [default: .]",
            rich_help_panel="Table",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the new file if it exists.", rich_help_panel="Output")
    ] = False,
) -> None:
    """Make a Parquet file of a CSV file of any size, some rows at a time.

    Numbers, text and missing values are read as altsets find reads them. Parquet that is larger than memory can be
    searched; CSV cannot. Exit status: 0 = the file is there, 2 = bad input.
    """
    from altsets.files.convert import convert_csv
    from altsets.files.writing import NewFile

    with plain_messages():
        if not parquet.lower().endswith(ENDING):
            raise InputError(f"the new file {parquet} must end in {ENDING}; choose another name.")
        file = NewFile(parquet, parquet, force, "add --force").check(csv)
        with Waiting(console_for(stderr=True)) as waiting:
            made = convert_csv(
                csv,
                file,
                decimal=decimal,
                progress=lambda share: waiting.say(f"Converting {csv}: {share:.0%}"),
            )
        say(console_for(), made)
