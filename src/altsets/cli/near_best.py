"""``altsets near-best``: how many sets are nearly as good as the best one, and which features they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from altsets import documents
from altsets.cli.descriptions import MODEL_OF_SCORES
from altsets.cli.options import NOT_OF_ALL_SETS, Given, NearOptions, with_options
from altsets.cli.outputs import check_outputs, rows_of_near_best
from altsets.cli.printing import (
    NO_SET,
    console_for,
    fail,
    plain_messages,
    print_json,
    say_error,
    show_near_best,
)
from altsets.cli.searching import (
    SECONDS_PER_SET,
    Record,
    check_options,
    request_from,
    run_on_scores,
    source_from,
)
from altsets.errors import InputError, Problems
from altsets.features import whole_number

if TYPE_CHECKING:
    from altsets.quality import Quality
    from altsets.request import Request
    from altsets.search.near_best import NearBest

DEFAULT_SHOWN = 5


@with_options(
    *("table", "near", "quality", "model", "scoring", "columns", "differing", "conditions", "show", "limits"),
    "output",
    without=(
        *(
            "positive",
            "class_weight",
            "dissimilarity",
            "distinct",
            "existing",
            "engine",
            "max_iters",
            "again",
        ),
        "details",
    ),
    described={
        **MODEL_OF_SCORES,
        **NOT_OF_ALL_SETS,
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
    with plain_messages():
        record = Record(context)
        problems = Problems()
        with problems:
            file, page = check_outputs(given)
        with problems:
            shown = whole_number(
                "show", DEFAULT_SHOWN if given.show.show is None else given.show.show, least=0
            )
        with problems:
            nearness = _nearness(given.near)
        sets: dict[str, Any] = {"n_features": given.near.n_features, "n_alternatives": 0}
        check_options(given, problems, **sets)
        source = source_from(given)
        request = request_from(source, **sets)
        request.check(source.names)

        def search(scored: Quality, measured: Request, callback: Any) -> NearBest:
            from altsets.request import DEFAULT_SIZE
            from altsets.verbs import near_best

            return near_best(
                scored,
                n_features=int(measured.n_features or DEFAULT_SIZE),
                feature_groups=measured.feature_groups,
                constraints=measured.constraints,
                time_limit=measured.time_limit,
                callback=callback,
                **nearness,
            )

        found = run_on_scores(source, request, search, SECONDS_PER_SET)
        document = found.to_dict(shown)
        document["parameters"] |= source.origin
        origin = record.of_search(source, request)
        document = documents.timed({**document, "provenance": origin})
        if given.output.json:
            print_json(document)
            if found.count and found.n_known is not None:
                say_error(found.explain())
        elif found.count:
            show_near_best(found, shown, console_for())
        file.write(*rows_of_near_best(document), document)
        page.write(near_best=found, quality=found, provenance=origin)
        if not found.count:
            fail(found.explain(), NO_SET)
        source.check_saved()


def _nearness(near: NearOptions) -> dict[str, Any]:
    """How far below the best sets may be; what is wrong with it is said before features are scored."""
    if near.within is not None and near.min_quality is not None:
        raise InputError("--within and --min-quality were both given; give one of them.")
    from altsets.search.near_best.counting import DEFAULT_WITHIN, nearness_of

    nearness_of(DEFAULT_WITHIN if near.within is None else near.within, near.min_quality)
    given = {"within": near.within, "min_quality": near.min_quality}
    return {name: value for name, value in given.items() if value is not None}
