"""``altsets near-best``: how many sets are nearly as good as the best one, and which features they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from altsets import documents
from altsets.cli.commands import with_options
from altsets.cli.options import NOT_OF_ALL_SETS, Given
from altsets.cli.outputs import Outputs, rows_of_near_best
from altsets.cli.printing import NO_SET, console_for, fail, print_json, say_error, show_near_best
from altsets.cli.searching import SECONDS_PER_SET, Record, asked_of, run_on_scores
from altsets.errors import Problems
from altsets.features import whole_number as checked_number

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.result import NearBest

DEFAULT_SHOWN = 5


@with_options(
    "table sets nearness quality model scoring columns differing conditions show limits output",
    without="n_alternatives tau positive class_weight dissimilarity distinct existing engine max_iters again details",
    described={
        **NOT_OF_ALL_SETS,
        "n_features": {"kind": int | None, "help": "Features in each set. [default: 5]"},
        "within": {
            "help": "By what part of the best quality a set may fall short of it: 5% or 0.05. [default: 1%]"
        },
        "min_quality": {"help": "Instead of --within: the least quality of a set."},
        "feature_groups": {
            "help": "Groups of features: --budget pays for each once, and @NAME stands for one in conditions. The file "
            "has the columns feature and group."
        },
        "feature_groups_by": {
            "help": "Like --feature-groups, with the group taken from the feature's name, up to TEXT."
        },
        "time_limit": {"help": "For scores and counting. [default: 60, after scoring]"},
    },
)
def near_best_command(context: typer.Context, given: Given) -> None:
    """How many sets are nearly as good as the best one, and which features do they have?

    Ctrl-C prints what is known. Exit status: 0 = there is at least one such set, 1 = there is none or none was found,
    2 = bad input.
    """
    from altsets.search.near_best.counting import DEFAULT_WITHIN, nearness_of

    record = Record(context)
    problems = Problems()
    with problems:
        files = Outputs.of(given)
    with problems:
        shown = checked_number("show", DEFAULT_SHOWN if given.show is None else given.show, least=0)
    with problems:
        nearness = nearness_of(DEFAULT_WITHIN if given.within is None else given.within, given.min_quality)
    # How good sets are is what they are counted by, no condition on several.
    sets = {"n_features": given.n_features, "n_alternatives": 0, "within": None, "min_quality": None}
    source, request = asked_of(given, problems, **sets)

    def search(scored: Quality, measured: Request, callback: Any) -> NearBest:
        from altsets.search.near_best.counting import count_near

        return count_near(measured, scored, nearness, callback=callback)

    found = run_on_scores(source, request, search, SECONDS_PER_SET)
    document = found.to_dict(shown)
    document["parameters"] |= source.origin
    origin = record.of_search(source, request)
    document = documents.timed({**document, "provenance": origin})
    if given.json:
        print_json(document)
        if found.count and found.n_known is not None:
            say_error(found.explain())
    elif found.count:
        show_near_best(found, shown, console_for())
    files.write(*rows_of_near_best(document), document)
    files.report(near_best=found, quality=found, provenance=origin)
    if not found.count:
        fail(found.explain(), NO_SET)
    source.check_saved()
