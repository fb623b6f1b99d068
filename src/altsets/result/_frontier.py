"""Frontier: a curve of points as a sequence, as a frame and as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from altsets import documents
from altsets.display import ShownCurve
from altsets.result._curve_words import TauWords, TradeWords, words_of
from altsets.result._points import Curve, Suggestion
from altsets.result._result import frame_of
from altsets.result._verdict import Verdict

#: Columns of a frame of points that are numbers of a point.
COLUMNS = ("n_features", "n_alternatives", "tau", "max_overlap")


@dataclass(frozen=True)
class Frontier(Curve, documents.Document, ShownCurve):
    """A curve of sets, such as quality over tau; :func:`altsets.frontier` makes it.

    Attributes
    ----------
    points : list of FrontierPoint
        By tau, ordered by n_features, n_alternatives and tau; else from the best quality down.
    parameters : dict
        What was asked of all points.
    by : {"tau", "penalty", "balance", "against"}
        What the curve is drawn over; ``"against"``: costs or a second quality.
    n_asked : int or None
        By tau, how many points were asked for; there are fewer if time was up or Ctrl-C was pressed.
    complete : bool
        Whether all points are there; on curves other than by tau, whether that is proven.
    more_is_better : bool
        Whether the quality is traded for a second quality; else less is better.
    reason : str
        Why there is no point; else empty.
    notes : list of str
        Sentences about what was asked for and left out.
    stop_reason : str
        ``"finished"``, ``"time_limit"``, ``"interrupted"`` (Ctrl-C) or ``"engine_limit"``: why there are no more
        points, or why some of them are not proven.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.frontier : Makes one.
    altsets.results.FrontierPoint : One point of it.
    altsets.plots.frontier, altsets.plots.frontier_heat : Plot it.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> frontier = altsets.frontier(quality.Additive([9, 8, 8, 8, 7, 3, 1, 1]), n_features=4, n_alternatives=1)
    >>> frontier
    Frontier(5 points: sets of 4 features, 1 alternative, tau from 0 to 1)
    >>> [(point.tau, point.quality) for point in frontier]
    [(0.0, 66.0), (0.25, 65.0), (0.5, 60.0), (0.75, 53.0), (1.0, 45.0)]
    >>> altsets.results.Frontier.from_json(frontier.to_json()) == frontier
    True
    """

    _called = "frontier"
    _mark = "kind", "frontier"

    _drawn_by = "frontier_plot"

    @cached_property
    def suggestion(self) -> Suggestion:
        """The elbow of the curve, with the reason in one sentence; without a point if there is none.

        Over sizes, the quality of the best set counts (times the number of features where it is a mean over them, as of
        mRMR); at that size, over tau, the mean quality of the sets, or the worst one where the minimum was maximised.
        The elbow is where a curve lies highest above the straight line from its first to its last point, if that is a
        tenth of its height or more, and if it has four points or more.
        """
        return self._words.suggestion

    @cached_property
    def _words(self) -> TauWords | TradeWords:
        return words_of(self)

    @property
    def verdict(self) -> Verdict:
        """What the curve shows in a sentence or two, with cautions."""
        return self._words.verdict()

    def explain(self) -> str:
        """Summarise the search: what is proven and where the elbow of the curve is, in plain words."""
        return self._words.explain()

    def __repr__(self) -> str:
        return f"Frontier({self._words.headline})"

    def to_frame(self) -> Any:
        """One row for each point (a pandas DataFrame); columns that do not apply to the curve are left out.

        ``n_sets`` is the number of sets that were found. ``mean`` and ``worst`` are the mean and the smallest of their
        qualities, nan if sets are missing; ``mean_share`` and ``worst_share`` are the same as a share of the best set
        of that size, nan where that is not positive. ``sets`` are the names in the sets.
        """
        points = self.points
        best = {size: self.best(size) for size in self.sizes}
        scales = [best[point.n_features] if best[point.n_features] > 0 else math.nan for point in points]
        by_tau = self.by == "tau"
        columns: dict[str, list[Any]] = {
            **{name: [getattr(point, name) for point in points] for name in COLUMNS},
            "penalty_low": [point.penalty and point.penalty[0] for point in points],
            "penalty_high": [point.penalty and point.penalty[1] for point in points],
            "against": [point.against for point in points],
            "n_sets": [len(point.result.sets) for point in points],
            "status": [str(point.status) for point in points],
            "quality": [point.quality for point in points],
            # With a price of shared features, a bound is about another number.
            "bound": [None if point.penalty else point.result.bound for point in points],
            **{name: [getattr(point, name) for point in points] for name in ("mean", "worst", "shared")},
            **{
                f"{name}_share": [
                    getattr(point, name) / scale if by_tau else None
                    for point, scale in zip(points, scales, strict=True)
                ]
                for name in ("mean", "worst")
            },
            "elapsed": [point.result.elapsed for point in points],
            "sets": [list(map(list, point.named_sets)) for point in points],
        }
        applying = {
            name for name, values in columns.items() if not points or values.count(None) < len(values)
        }
        return frame_of({name: values for name, values in columns.items() if name in applying})

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        elbow = self.suggestion
        numbers = ("n_features", "n_alternatives", "tau", "reason")
        place = next((place for place, point in enumerate(self.points) if point is elbow.point), None)
        suggested = {"point": place, **{name: getattr(elbow, name) for name in numbers}}
        return super().to_dict() | {"suggestion": suggested}
