"""The sets, and all features with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from altsets import views
from altsets.report.blocks import Block, column, section, table, text
from altsets.report.charts import bars_chart, grid_chart, membership_chart
from altsets.report.fitting import FEATURES
from altsets.report.limits import REPORT_LIMITS
from altsets.result import Result, Status, rounded_down

__all__ = ["ScoredFeatures", "Scoring", "all_features_section", "sets_section", "sets_table"]

#: What was proven about a set, as a reader wants to know it.
IN_WORDS = {
    Status.OPTIMAL: "proven best",
    Status.FEASIBLE: "valid, not proven best",
    Status.INFEASIBLE: "proven not to exist",
    Status.NOT_FOUND: "not found",
}


class Scoring(Protocol):
    """What knows all features and what each of them alone is worth: every quality does."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The names of all features."""
        ...

    @property
    def feature_scores(self) -> Any:
        """One score for each feature; None if only sets can be judged."""
        ...


@dataclass(frozen=True)
class ScoredFeatures:
    """All features and their scores, where the quality itself was not kept."""

    feature_names: Sequence[str]
    feature_scores: Any


def sets_section(result: Result, in_use: int | None = None) -> Block:
    """The sets: names, quality, what they share and what stands in for what; ``in_use`` is the one of a selector."""
    if not result.sets:
        return section("sets", "The sets", [])
    return section(
        "sets",
        "The sets",
        [
            sets_table("sets", "The feature sets that were found.", result, in_use),
            text(_about_best(result)),
            _members(result),
            text(result.noise_in_words(), tone="note"),
            _qualities(result),
            *(_pairs(result) if len(result.sets) > 1 else []),
        ],
    )


def sets_table(identity: str, caption: str, result: Result, in_use: int | None = None) -> Block:
    """One row for each set of a result that has some."""
    share = result.qualities[0] > 0
    kind = "number" if in_use is None else "text"
    columns = [column("Set", kind), column("Features", "names"), column("Quality", "number", 6)]
    columns += [column("% of set 0", "number", 3)] if share else []
    columns.append(column("Certainty"))
    rows = []
    for number, (names, value) in enumerate(zip(result.named_sets, result.qualities, strict=True)):
        part = [100 * value / result.qualities[0]] if share else []
        which = number if in_use is None else f"{number}{' (in use)' if number == in_use else ''}"
        rows.append([which, list(names), value, *part, _certainty(result, result.statuses[number])])
    return table(identity, caption, columns, rows)


def _certainty(result: Result, status: Status) -> str:
    """What was proven about a set; where sets were chosen together, nothing is proven about one of them alone."""
    alone = len(result.sets) == 1 or result.parameters.get("search") == "sequential"
    return IN_WORDS[status] if alone or status is not Status.OPTIMAL else "proven best together"


def _about_best(result: Result) -> str:
    return "" if result.scores else "Only whole sets were judged, so features have no scores of their own."


def _members(result: Result) -> Block:
    seen = views.membership(result, most_sets=REPORT_LIMITS.sets_drawn)
    return membership_chart(
        "membership",
        "Which features are in which sets",
        seen,
        "A row for each feature that is in a set, those in most sets first; a filled cell: the set has it.",
        "Score",
    )


def _qualities(result: Result) -> Block:
    seen = views.qualities(result, most=REPORT_LIMITS.sets_drawn)
    return bars_chart("quality", "How good each set is", seen, "The quality of each set; more is better.")


def _pairs(result: Result) -> list[Block | None]:
    most = REPORT_LIMITS.sets_drawn
    shared = grid_chart(
        "overlap",
        "How many features two sets share",
        views.overlaps(result, most=most),
        "The number of features that each two sets have in common; each set shares all features with itself.",
        row_name="Set",
    )
    if not result.is_matched:
        return [shared]
    alike = grid_chart(
        "likeness",
        "How alike two sets are",
        views.likeness(result, most=most),
        "1: one set says the same as the other, 0: no feature of one is like any feature of the other.",
        row_name="Set",
    )
    return [shared, alike, _matches(result)]


def _matches(result: Result) -> Block | None:
    if not result.matches:
        return text("No feature of a set stands in for a feature of another set.")
    rows = []
    for later, earlier, feature, other, similarity in result.matches:
        one = result.named_sets[later][result.sets[later].index(feature)]
        two = result.named_sets[earlier][result.sets[earlier].index(other)]
        rows.append([later, one, earlier, two, rounded_down(similarity)])
    columns = [
        column("Set", "number"),
        column("Feature"),
        column("Earlier set", "number"),
        column("Stands in for"),
        column("Similarity"),
    ]
    return table("matches", "What matches what: features of two sets that are alike.", columns, rows)


def all_features_section(result: Result | None, scoring: Scoring | None) -> Block | None:
    """All features of the table with their scores, and the sets they are in."""
    if scoring is None:
        return None
    names, scores = scoring.feature_names, scoring.feature_scores
    member: dict[int, list[str]] = {}
    for number, chosen in enumerate(result.sets if result else ()):
        for index in chosen:
            member.setdefault(index, []).append(f"set {number}")
    values = [None] * len(names) if scores is None else [float(score) for score in scores]
    # Those in sets first: where there is no room for all, these must be there.
    order = sorted(range(len(names)), key=lambda index: (index not in member, -(values[index] or 0.0), index))
    columns = [column("Feature")]
    columns += [] if scores is None else [column("Score", "number", 4)]
    floor = result.noise_floor if result and scores is not None else None
    columns += (
        [] if floor is None else [column("Above chance", about="whether the score is above the noise floor")]
    )
    columns += [column("In", "names")] if result and result.sets else []
    rows = [
        [names[index]]
        + ([] if scores is None else [values[index]])
        + ([] if floor is None else ["yes" if (values[index] or 0.0) > floor else "no"])
        + ([member.get(index, [])] if result and result.sets else [])
        for index in order
    ]
    caption = f"All {len(names):,} features" + (
        "." if scores is None else " and what each of them alone is worth."
    )
    made = table(FEATURES, caption, columns, rows, sort=None if scores is None else (1, True))
    return section("all-features", "All features", [made])
