"""Tables of the report: which there are, and how their cells are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from altsets.experiments.report import claims, conclusions, findings, tables
from altsets.experiments.report.runs import Frame

__all__ = ["CLAIMS", "CONCLUSIONS", "COVERAGE", "FINDINGS", "TABLES", "Cell", "PageTable", "shown"]

#: How a value that is not there is written.
NOTHING = "—"


def percent(value: float) -> str:
    """Two digits after the point, as in the paper."""
    return f"{value:.2f}"


def seconds(value: float) -> str:
    """Two digits after the point as in the paper, more for short times.

    Examples
    --------
    >>> seconds(12.618), seconds(0.0213), seconds(0.00004), seconds(0)
    ('12.62', '0.021', '<0.001', '0.00')
    """
    if 0 < value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if 0 < value < 0.1 else f"{value:,.2f}"


def printed(value: float) -> str:
    """Two digits after the point, as most numbers of the paper have, none for large ones.

    Examples
    --------
    >>> printed(0.03), printed(85.57), printed(7968.0)
    ('0.03', '85.57', '7,968')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def plain(value: float) -> str:
    """Three digits that matter, never in powers of ten.

    Examples
    --------
    >>> plain(1234.5), plain(0.5), plain(0.00123), plain(1e-12)
    ('1,234', '0.5', '0.00123', '0')
    """
    if abs(value) < 1e-9:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.6f}"


@dataclass(frozen=True)
class PageTable:
    """A table: its file, what it shows, where it comes from, how its numbers are written."""

    name: str
    heading: str
    caption: str
    make: Callable[[Frame], Frame]
    written: Callable[[float], str] = percent
    #: Long ones are folded away on the page.
    folded: bool = False


@dataclass(frozen=True)
class Cell:
    """What a cell says, and what it is: ``text``, ``number`` or ``paper`` (a published number)."""

    text: str
    kind: str


def shown(table: Frame, written: Callable[[float], str]) -> tuple[list[Cell], list[list[Cell]]]:
    """The header and the rows of a table as cells."""
    kinds = {column: _kind(table, column) for column in table.columns}
    ways = {column: printed if str(column).endswith(tables.PAPER) else written for column in kinds}
    header = [
        Cell("paper" if kind == "paper" else str(column).replace("_", " "), kind)
        for column, kind in kinds.items()
    ]
    rows = [
        [
            Cell(_text(value, ways[column]), kinds[column])
            for column, value in zip(table.columns, row, strict=True)
        ]
        for row in table.itertuples(index=False, name=None)
    ]
    return header, rows


def _kind(table: Frame, column: str) -> str:
    if str(column).endswith(tables.PAPER) or column == "published":
        return "paper"
    return "number" if table[column].dtype.kind in "iuf" else "text"


def _text(value: Any, written: Callable[[float], str]) -> str:
    if isinstance(value, str):
        return value
    # Missing whole numbers are neither None nor floats.
    if value is None or value != value or str(value) == "<NA>":
        return NOTHING
    return (
        f"{value:,}" if float(value).is_integer() and not isinstance(value, float) else written(float(value))
    )


TABLES = (
    PageTable(
        "status-by-search",
        "How searches ended",
        "In percent of searches, by method and search; k = 5, 1 to 5 alternatives, all thresholds and folds. "
        "Greedy Wrapper is left out, as it proves nothing. A sequential search with a alternatives has the status of "
        "its set number a.",
        tables.status_by_search,
    ),
    PageTable(
        "status-by-a",
        "How simultaneous searches ended, by number of alternatives",
        "In percent of searches for the best sum; k = 5, all methods but Greedy Wrapper.",
        tables.status_by_a,
    ),
    PageTable(
        "seconds-by-search",
        "Mean time of a search",
        "In seconds, by method and search; k = 5, 1 to 5 alternatives. The time of a sequential search is that of all "
        "its sets; computing scores is not part of it. The machines differ.",
        tables.seconds_by_search,
        seconds,
    ),
    PageTable(
        "seconds-by-a",
        "Mean time of a simultaneous search, by number of alternatives",
        "In seconds, searches for the best sum, k = 5, by method.",
        tables.seconds_by_a,
        seconds,
    ),
)

COVERAGE = (
    PageTable(
        "coverage",
        "Coverage",
        "By method and size. A task is a data set and a fold; a search counts once with all its alternatives. Proven "
        "sets are best, or proven not to exist (solver-based searches only). A task that failed failed for all sizes.",
        tables.coverage,
    ),
    PageTable(
        "core-hours",
        "Core-hours",
        "Time of all searches by method and search. The published figure (249 hours on 32 cores) is that of the "
        "paper's whole study, scores and prediction models included, which are not part of ours.",
        tables.core_hours,
        seconds,
    ),
)

CLAIMS = (
    PageTable(
        "claims",
        "What the text says in numbers",
        "Each number of the paper's text with what is counted for ours.",
        claims.claims,
        plain,
    ),
    PageTable(
        "correlations",
        "Objective and prediction",
        "Correlation of objective and MCC over all found sets of all searches, by method; within: mean over single "
        "data sets and folds.",
        claims.correlations,
        percent,
    ),
)

_PROVEN_ONLY = (
    " Only settings (data set, fold, size, threshold, alternatives) count whose searches are proven."
)


def _by_tau(make: Callable[..., Frame]) -> Callable[[Frame], Frame]:
    return lambda searches: make(searches, ["method", "k", "tau"])


#: Made from all searches side by side, rather than from the results themselves.
FINDINGS = (
    PageTable(
        "gains-in-sum-by-a",
        "Best sum against sequential search, by number of alternatives",
        "Gain: percent of compared settings with a higher sum; total: how much higher all sums together are; then "
        "single sums, whose ratios mean little where sums are close to 0, as those of mRMR may be."
        + _PROVEN_ONLY,
        findings.gains_in_sum,
        plain,
        folded=True,
    ),
    PageTable(
        "gains-in-sum-by-tau",
        "Best sum against sequential search, by threshold",
        "The same by threshold." + _PROVEN_ONLY,
        _by_tau(findings.gains_in_sum),
        plain,
        folded=True,
    ),
    PageTable(
        "gains-in-worst-by-a",
        "Best minimum against sequential search, by number of alternatives",
        "Gain of the worst set over that of sequential search, and what it costs of the best sum."
        + _PROVEN_ONLY,
        findings.gains_in_worst,
        plain,
        folded=True,
    ),
    PageTable(
        "gains-in-worst-by-tau",
        "Best minimum against sequential search, by threshold",
        "The same by threshold." + _PROVEN_ONLY,
        _by_tau(findings.gains_in_worst),
        plain,
        folded=True,
    ),
    PageTable(
        "shortfalls-by-a",
        "What heuristics lose, by number of alternatives",
        "Loss in percent of the proven value, and how often they find no sets where there are some."
        + _PROVEN_ONLY,
        findings.shortfalls,
        plain,
        folded=True,
    ),
    PageTable(
        "shortfalls-by-tau",
        "What heuristics lose, by threshold",
        "The same by threshold." + _PROVEN_ONLY,
        _by_tau(findings.shortfalls),
        plain,
        folded=True,
    ),
)

CONCLUSIONS = PageTable(
    "conclusions",
    "Published conclusions, held against these results",
    "The conclusion in our words, what the results say, and whether it holds.",
    conclusions.conclusions,
)
