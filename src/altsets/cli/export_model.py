"""``altsets export-model``: a request as a model for any integer-programming solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from altsets.cli.descriptions import ONLY_SCORES
from altsets.cli.options import Given, with_options
from altsets.cli.printing import plain_messages, print_json
from altsets.cli.searching import SECONDS_PER_SET, check_options, request_from, run_on_scores, source_from
from altsets.errors import Problems

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request


@with_options(
    *(
        "table",
        "export",
        "search",
        "definition",
        "differing",
        "quality",
        "model",
        "scoring",
        "columns",
        "conditions",
    ),
    "output",
    without=(
        *("no_target", "search", "difference", "within", "min_quality"),
        *("report", "output", "force", "again", "details"),
    ),
    described={
        "estimator": ONLY_SCORES["estimator"],
        "scoring": ONLY_SCORES["scoring"],
        "quality": ONLY_SCORES["quality"],
        "json": {"help": "Print the set and the feature of each variable as one JSON document."},
    },
)
def export_model_command(context: typer.Context, given: Given) -> None:
    """Write the integer programme of all sets together to a file, for any solver.

    Exit status: 0 = the file was written, 2 = bad input.
    """
    with plain_messages():
        from altsets.files.writing import write_new
        from altsets.search.milp.export import checked_suffix, exported
        from altsets.search.solving import problem_of

        asked = given.export
        problems = Problems()
        with problems:
            suffix = checked_suffix(asked.model_file)
        sets = {name: getattr(asked, name) for name in ("n_features", "n_alternatives", "tau")}
        sets["search"] = "simultaneous"
        check_options(given, problems, predicts=True, **sets)
        source = source_from(given)
        request = request_from(source, **sets)
        request.check(source.names)

        def search(scored: Quality, measured: Request, callback: Any) -> Any:
            return exported(scored, problem_of(measured, scored), suffix)

        content, variables = run_on_scores(source, request, search, SECONDS_PER_SET)
        write_new(asked.model_file, content)
        if given.output.json:
            print_json(
                {name: {"set": number, "feature": feature} for name, (number, feature) in variables.items()}
            )
        else:
            typer.echo(
                f"The model is in {asked.model_file}: maximise, with {len(variables)} variables for features."
            )
