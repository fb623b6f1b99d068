"""Frontier: its points in words, as a frame and as JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from altsets import documents
from altsets.display import Shown, renderer
from altsets.result import Status, StopReason, Verdict, frame_of
from altsets.search.frontier.points import FrontierPoint, Suggestion, suggest
from altsets.wording import counted, paragraph, percent, plural, sentence, span

IN_WORDS = {
    Status.OPTIMAL: "proven optimal",
    Status.FEASIBLE: "valid without a proof",
    Status.INFEASIBLE: "proven impossible",
    Status.NOT_FOUND: "without an answer",
}
CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit was reached",
    StopReason.INTERRUPTED: "It was interrupted",
}


@dataclass(frozen=True)
class Frontier(documents.Document, Shown):
    """What difference costs in quality, over tau, sizes and numbers of sets; :func:`frontier` makes it.

    Attributes
    ----------
    points : list of FrontierPoint
        One for each search, ordered by n_features, n_alternatives and tau.
    n_asked : int
        How many points were asked for; there are fewer if time was up or Ctrl-C was pressed.
    parameters : dict
        What was asked of all points.
    notes : list of str
        Sentences about what was asked for and left out.
    stop_reason : str
        ``"finished"``, ``"time_limit"`` or ``"interrupted"`` (Ctrl-C): why there are no more points, or why some of
        them are not proven.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.frontier : Makes one.
    altsets.FrontierPoint : One search of it.
    altsets.plots.frontier, altsets.plots.frontier_heat : Plot it.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> frontier = altsets.frontier(quality.Additive([9, 8, 8, 8, 7, 3, 1, 1]), n_features=4, n_alternatives=1)
    >>> frontier
    Frontier(5 points: sets of 4 features, 1 alternative, tau from 0 to 1)
    >>> [(point.tau, point.result.objective) for point in frontier]
    [(0.0, 66.0), (0.25, 65.0), (0.5, 60.0), (0.75, 53.0), (1.0, 45.0)]
    >>> altsets.Frontier.from_json(frontier.to_json()) == frontier
    True
    """

    _called = "frontier"
    _mark = "kind", "frontier"

    points: list[FrontierPoint]
    n_asked: int
    parameters: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    def __iter__(self) -> Iterator[FrontierPoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def sizes(self) -> list[int]:
        """The numbers of features in a set, ascending."""
        return sorted({point.n_features for point in self.points})

    @property
    def counts(self) -> list[int]:
        """The numbers of alternatives, ascending."""
        return sorted({point.n_alternatives for point in self.points})

    def curve(self, n_features: int, n_alternatives: int) -> list[FrontierPoint]:
        """The points of one size and number of alternatives, by tau.

        Parameters
        ----------
        n_features : int
            Features in each set.
        n_alternatives : int
            Sets besides the first one.

        Returns
        -------
        list of FrontierPoint
            By tau; empty if the frontier has no such points.
        """
        return [
            point
            for point in self.points
            if (point.n_features, point.n_alternatives) == (n_features, n_alternatives)
        ]

    def best(self, n_features: int) -> float:
        """The largest quality of any set of this size, by which others are measured.

        Parameters
        ----------
        n_features : int
            Features in each set.

        Returns
        -------
        float
            The quality; nan if no set of this size was found.
        """
        same_size = (point for point in self.points if point.n_features == n_features)
        return max((value for point in same_size for value in point.result.qualities), default=math.nan)

    @cached_property
    def suggestion(self) -> Suggestion:
        """The elbow of the curve, with the reason in one sentence; without a point if there is none.

        Over sizes, the quality of the best set counts (times the number of features where it is a mean over them, as of
        mRMR); at that size, over tau, the mean quality of the sets, or the worst one where the minimum was maximised.
        The elbow is where a curve lies highest above the straight line from its first to its last point, if that is a
        tenth of its height or more, and if it has four points or more.
        """
        return suggest(
            self.points,
            mean_quality=bool(self.parameters.get("mean_quality")),
            least_tau=self.parameters.get("least_tau"),
        )

    @property
    def verdict(self) -> Verdict:
        """How different sets can be and what that costs, in a sentence or two, with cautions."""
        return _verdict_on(self)

    def explain(self) -> str:
        """Summarise the search: what is proven and where the elbow of the curve is, in plain words."""
        by_status = Counter(point.status for point in self.points)
        known = ", ".join(
            f"{by_status[status]} {words}" for status, words in IN_WORDS.items() if by_status[status]
        )
        first = sentence(f"{self._headline}; {known}" if known else self._headline)
        return paragraph(first, self._cut_short, *self.notes, self.suggestion.reason)

    @property
    def _headline(self) -> str:
        """The scope of the search, without a full stop."""
        if not self.points:
            return "no points"
        taus = sorted({point.tau for point in self.points})
        tau = f"tau = {taus[0]:.4g}" if len(taus) == 1 else f"tau from {span(taus, '.4g')}"
        sets = f"sets of {_numbers(self.sizes, 'feature')}, {_numbers(self.counts, 'alternative')}, {tau}"
        return f"{counted(len(self.points), 'point')}: {sets}"

    @property
    def _cut_short(self) -> str:
        """Why points are missing or not proven."""
        if self.stop_reason not in CUT_SHORT:
            return ""
        missing = self.n_asked - len(self.points)
        if not missing:
            return f"{CUT_SHORT[self.stop_reason]}."
        were = plural(missing, "was", "were")
        return f"{CUT_SHORT[self.stop_reason]}, and {counted(missing, 'point')} {were} not searched."

    def __repr__(self) -> str:
        return f"Frontier({self._headline})"

    def to_frame(self) -> Any:
        """One row for each point (a pandas DataFrame).

        ``n_sets`` is the number of sets that were found. ``mean`` and ``worst`` are the mean and the smallest of their
        qualities, nan if sets are missing; ``mean_share`` and ``worst_share`` are the same as a share of the best set
        of that size, nan where that is not positive.
        """
        best = [self.best(point.n_features) for point in self.points]
        scales = [value if value > 0 else math.nan for value in best]
        columns: dict[str, Sequence[Any]] = {
            "n_features": [point.n_features for point in self.points],
            "n_alternatives": [point.n_alternatives for point in self.points],
            "tau": [point.tau for point in self.points],
            "max_overlap": [point.max_overlap for point in self.points],
            "n_sets": [len(point.result.sets) for point in self.points],
            "status": [str(point.status) for point in self.points],
            "objective": [point.result.objective for point in self.points],
            "bound": [point.result.bound for point in self.points],
            "mean": [point.mean for point in self.points],
            "worst": [point.worst for point in self.points],
            "mean_share": [point.mean / scale for point, scale in zip(self.points, scales, strict=True)],
            "worst_share": [point.worst / scale for point, scale in zip(self.points, scales, strict=True)],
            "elapsed": [point.result.elapsed for point in self.points],
        }
        return frame_of(dict(columns))

    def report(self, path: Any, *, quality: Any = None, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with charts and all points, for any browser.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        force : bool, default=False
            Whether it may replace another file.
        quality : Quality, default=None
            What was searched with: it knows the scores of all features.
        title : str, default=None
            The heading; by default it says what was searched.

        Returns
        -------
        str
            The path of the file.

        Raises
        ------
        altsets.errors.InputError
            If the name does not end in .html, the file exists and ``force`` is False, or it cannot be written.
        """
        return renderer("report")(path, force=force, frontier=self, quality=quality, title=title)

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        elbow = self.suggestion
        document = {
            "schema": documents.SCHEMA,
            "kind": "frontier",
            "points": [point.to_dict() for point in self.points],
            "n_asked": self.n_asked,
            "suggestion": {
                "n_features": elbow.n_features,
                "n_alternatives": elbow.n_alternatives,
                "tau": elbow.tau,
                "reason": elbow.reason,
            },
            "notes": self.notes,
            "parameters": self.parameters,
            "stop_reason": str(self.stop_reason),
            "elapsed": self.elapsed,
        }
        return documents.timed(document)


# --- Verdict ------------------------------------------------------------------------------------------

#: Sets with this share of the best score count as nearly as good.
NEARLY = 0.95


def _verdict_on(found: Frontier) -> Verdict:
    """The verdict on the most sets of one size: the suggested one, or the largest."""
    if not found.points:
        return Verdict(("No point was searched.",)).add(cautions=(found._cut_short,))
    size, count = found.suggestion.n_features or found.sizes[-1], found.counts[-1]
    points = found.curve(size, count)
    curve = [point for point in points if point.is_complete]
    open_ones = sum(point.status is Status.FEASIBLE for point in points)
    unproven = (
        f"{counted(open_ones, 'point')} of this curve {plural(open_ones, 'is', 'are')} not proven optimal"
    )
    cautions = (found._cut_short, f"{unproven}: better sets may exist." if open_ones else "")
    if not curve or not count or found.best(size) <= 0:
        return Verdict((sentence(found._headline),)).add(cautions=cautions)
    return Verdict((_what_it_costs(found, curve),)).add(_impossible(points), cautions=cautions)


def _what_it_costs(found: Frontier, curve: Sequence[FrontierPoint]) -> str:
    """The largest difference at which every set is nearly as good as the best, and the largest of all."""
    top, last = found.best(curve[0].n_features), curve[-1]
    proven = any(
        point.result.parameters.get("search") == "sequential" and point.result.statuses[0] is Status.OPTIMAL
        for point in found.points
        if point.n_features == last.n_features
    )
    # At tau = 0 sets may be equal, which is no difference.
    different = [point for point in curve if point.tau > 0] or curve
    good = [point for point in different if point.worst >= NEARLY * top]
    point, still = (good[-1], "still") if good else (different[0], "only")
    best = "the best score" if proven else "the best score found"
    # With a decimal: 94.9 % isn't the 95 % at which "only" becomes "still".
    weakest, farthest = percent(point.worst / top, 1), percent(last.worst / top, 1)
    matched = isinstance(last.result.parameters.get("dissimilarity"), dict) and last.max_overlap is not None
    copies = " (near-copies count as shared)" if matched else ""
    said = f"{_sets_of(point)} that {_differ(point)}{copies}: the weakest {still} keeps {weakest} of {best}."
    return said if point is last else f"{said} If they {_differ(last)}, it keeps {farthest}."


def _impossible(points: Sequence[FrontierPoint]) -> str:
    """The smallest difference that is impossible, where that is proven for sets that are chosen together."""
    asked = points[0].result.parameters
    infeasible = [point for point in points if point.status is Status.INFEASIBLE]
    if (
        not infeasible
        or asked.get("search") != "simultaneous"
        or asked.get("existing")
        or asked.get("constraints")
    ):
        return ""
    most, sets = infeasible[0].max_overlap, _sets_of(infeasible[0])
    if most is None:
        return f"Proven: there are no {sets} that {_differ(infeasible[0])}."
    shared = f"more than {counted(most, 'feature')}" if most else "a feature"
    return f"Proven: of any {sets}, two share {shared}."


def _sets_of(point: FrontierPoint) -> str:
    sizes = point.result.parameters.get("sizes") or [point.n_features]
    return f"{counted(point.n_alternatives + 1, 'set')} of {span(sorted({min(sizes), max(sizes)}))} features"


def _differ(point: FrontierPoint) -> str:
    if point.max_overlap is None:
        return f"differ by tau = {point.tau:.4g}"
    return (
        f"share at most {counted(point.max_overlap, 'feature')}" if point.max_overlap else "share no feature"
    )


def _numbers(values: Sequence[int], noun: str) -> str:
    """One number or a range of them, with what they count: "2 to 4 features", "2 and 5 features"."""
    some = span(values) if len(values) > 2 else " and ".join(map(str, values))
    return f"{some} {plural(1 if list(values) == [1] else 2, noun)}"
