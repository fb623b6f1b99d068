"""``altsets export-model``: a request as a model for any integer-programming solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from altsets.cli.commands import with_options
from altsets.cli.options import Given
from altsets.cli.printing import print_json
from altsets.cli.searching import SECONDS_PER_SET, asked_of, run_on_scores
from altsets.errors import Problems

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request


@with_options(
    "table sets export definition differing quality model scoring columns conditions output",
    without="no_target search difference report output force again details",
    described={
        "n_features": {"help": "Features in each set, or a share: 10%. [default: 5]"},
        "n_alternatives": {
            "kind": int,
            "metavar": "N",
            "help": "Sets besides the first one, all together.",
            "default": 0,
        },
        "tau": {
            "metavar": "0..1",
            "help": "How different sets must be: 0 = may be equal, 1 = no shared features. [default: 0.5]",
        },
        "json": {"help": "Print the set and the feature of each variable as one JSON document."},
    },
)
def export_model_command(context: typer.Context, given: Given) -> None:
    """Write the integer programme of all sets together to a file, for any solver.

    Exit status: 0 = the file was written, 2 = bad input.
    """
    from altsets.files.writing import write_new
    from altsets.search.milp.export import checked_suffix, exported
    from altsets.search.solving import problem_of

    problems = Problems()
    with problems:
        suffix = checked_suffix(given.model_file)
    sets = {**given.of("sets"), "search": "simultaneous"}
    source, request = asked_of(given, problems, predicts=True, **sets)

    def search(scored: Quality, measured: Request, callback: Any) -> Any:
        return exported(scored, problem_of(measured, scored), suffix)

    content, variables = run_on_scores(source, request, search, SECONDS_PER_SET)
    write_new(given.model_file, content)
    if given.json:
        print_json(
            {name: {"set": number, "feature": feature} for name, (number, feature) in variables.items()}
        )
    else:
        typer.echo(
            f"The model is in {given.model_file}: maximise, with {len(variables)} variables for features."
        )
