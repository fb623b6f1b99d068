"""Tradeoff: the points of which none is better in both criteria, in words, as a frame and as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from altsets import documents
from altsets.errors import InputError
from altsets.problem import FeatureSet
from altsets.result import Status, StopReason, Verdict, frame_of, framed
from altsets.search.frontier.points import TradeoffCurve
from altsets.search.good_sets import Nearness
from altsets.wording import paragraph, percent, plural

#: How much of the quality the verdict gives up.
NEARLY = 0.05

CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit was reached; there may be further points.",
    StopReason.INTERRUPTED: "It was interrupted; there may be further points.",
    StopReason.ENGINE_LIMIT: "Not everything could be proven; there may be further points.",
}


@dataclass(frozen=True)
class TradeoffPoint(documents.DocumentPart):
    """One compromise between quality and a second criterion; a part of :class:`altsets.Tradeoff`.

    Attributes
    ----------
    quality : float
        The quality of the set; of several sets the sum of their qualities, or the smallest one with
        ``aggregation="min"``.
    criterion : float
        The sum of the criterion's numbers over the set, or its quality by the second quality; of several sets, that of
        the set with the worst one.
    sets : tuple of tuple of int
        The set, or the sets, as sorted indices.
    named_sets : tuple of tuple of str
        The same by name.
    qualities, criteria : tuple of float
        Both numbers for each set.
    status : Status
        ``OPTIMAL``: proven that nothing is better in one and as good in the other. ``FEASIBLE``: something may be.
    bound : float
        No set, or sets, with a criterion this good have a higher quality; inf if that is not known.

    See Also
    --------
    altsets.tradeoff : Searches for them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> point = altsets.tradeoff(scores, {"age": 5, "height": 3}, n_features=2).points[1]
    >>> point.named_sets, point.quality, point.criterion, point.status
    ((('age', 'weight'),), 16.0, 5.0, <Status.OPTIMAL: 'optimal'>)
    """

    quality: float
    criterion: float
    sets: tuple[FeatureSet, ...]
    named_sets: tuple[tuple[str, ...], ...]
    qualities: tuple[float, ...]
    criteria: tuple[float, ...]
    status: Status
    bound: float

    @property
    def proven(self) -> bool:
        """Whether nothing can be better in one and as good in the other."""
        return self.status is Status.OPTIMAL

    @classmethod
    def from_dict(cls, entry: Any) -> TradeoffPoint:
        """Read what :meth:`to_dict` wrote; there are two numbers and names for each set."""
        point = super().from_dict(entry)
        each = (point.named_sets, point.qualities, point.criteria)
        if not point.sets or any(len(values) != len(point.sets) for values in each):
            raise ValueError("a point does not have two numbers and the names for each of its sets")
        return point

    @classmethod
    def _unknown(cls, entry: Any) -> dict[str, float]:
        return {"bound": math.inf}


@dataclass(frozen=True, repr=False)
class Tradeoff(TradeoffCurve):
    """Quality against a second criterion: what no set beats in both; :func:`altsets.tradeoff` makes it.

    Iterating gives the points.

    Attributes
    ----------
    points : list of TradeoffPoint
        From the best quality down; with each point the criterion gets better.
    more_is_better : bool
        Whether the criterion is a second quality; else less of it is better.
    complete : bool
        Whether it is proven that there are no other points: every set is no better than one of these in both.
    parameters : dict
        What was asked for.
    reason : str
        Why there is no point; else empty.
    stop_reason : str
        Why the search ended: ``"finished"``, ``"time_limit"``, ``"interrupted"`` (Ctrl-C) or ``"engine_limit"``.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.tradeoff : Makes one.
    altsets.NearBest.range : The ends of a criterion among sets that are good enough.
    altsets.plots.tradeoff : Plot it.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> front = altsets.tradeoff(scores, {"age": 5, "height": 3}, n_features=2)
    >>> front
    Tradeoff(4 points: sets of 2 features, quality 10 to 17, criterion 0 to 8)
    >>> [(point.quality, point.criterion) for point in front]
    [(17.0, 8.0), (16.0, 5.0), (15.0, 3.0), (10.0, 0.0)]
    >>> front.within(0.1).named_sets
    (('age', 'weight'),)
    >>> altsets.Tradeoff.from_json(front.to_json()) == front
    True
    """

    _called = "document of a trade-off"
    _mark = "kind", "tradeoff"
    first, second = "quality", "criterion"

    points: list[TradeoffPoint]
    more_is_better: bool
    complete: bool
    parameters: dict[str, Any]
    reason: str = ""
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    def within(self, share: float) -> TradeoffPoint:
        """The point with the best criterion whose quality is near the best.

        Parameters
        ----------
        share : float
            How much of the best quality may be lost: 0.05 allows for 5 %.

        Returns
        -------
        TradeoffPoint
            The last point that is good enough.

        Raises
        ------
        altsets.errors.InputError
            If there is no point, or ``share`` is not a number of at least 0.
        """
        nearness = Nearness.of(share, None)
        if not self.points:
            raise InputError("there is no point; see explain().")
        least = nearness.least(self.points[0].quality)
        return [point for point in self.points if point.quality >= least][-1]

    @property
    def verdict(self) -> Verdict:
        """What the best set has of the criterion and what nearly the best can have, with cautions."""
        if not self.points:
            return Verdict((self.reason or "No point was found.",)).add(cautions=(self._cut_short,))
        these = f"one of these {len(self.points)} points" if len(self.points) > 1 else "this point"
        proof = f"Proven: nothing is better in both than {these}." if self.proven else ""
        return Verdict((self._nearly,)).add(proof, cautions=(self._cut_short, self._unproven))

    @property
    def _nearly(self) -> str:
        best = self.points[0]
        sets = plural(len(best.sets), "set") + ("" if best.proven else " found")
        said = f"The best {sets} {plural(len(best.sets), 'has', 'have')} a criterion of {best.criterion:.6g}"
        if best.quality <= 0:
            return f"{said} and a quality of {best.quality:.6g}."
        nearly = self.within(NEARLY)
        kept = percent(nearly.quality / best.quality)
        if nearly is not best:
            whose = plural(len(best.sets), "its", "their")
            return f"{said}; with {kept} of {whose} quality it can be {nearly.criterion:.6g}."
        if len(self.points) > 1:
            known = "" if self.proven else " that was found"
            return f"{said}; every better one{known} costs more than {percent(NEARLY)} of the quality."
        return (
            f"{said}, and none {plural(len(best.sets), 'has', 'have')} a better one."
            if self.proven
            else f"{said}."
        )

    @property
    def _cut_short(self) -> str:
        return CUT_SHORT.get(self.stop_reason, "")

    def explain(self) -> str:
        """Say how many points there are, what is proven, and what little quality buys, in plain words."""
        if not self.points:
            return paragraph(self.reason or "No point was found.", self._cut_short)
        elbow = self.elbow
        at = (
            f"The elbow is at a criterion of {elbow.criterion:.6g}, with a quality of {elbow.quality:.6g}."
            if elbow is not None
            else ""
        )
        return paragraph(self._proof, self._cut_short, self._nearly, at)

    @framed
    def to_frame(self) -> Any:
        """One row for each point (a pandas DataFrame).

        ``quality`` and ``criterion`` are what is traded, ``bound`` and ``status`` what is proven, and ``features`` are
        the names in the set, or in each of several sets.

        <frame>
        """
        several = any(len(point.sets) > 1 for point in self.points)
        return frame_of(
            {
                "quality": [point.quality for point in self.points],
                "criterion": [point.criterion for point in self.points],
                "status": [str(point.status) for point in self.points],
                "bound": [point.bound for point in self.points],
                "features": [
                    list(map(list, point.named_sets)) if several else list(point.named_sets[0])
                    for point in self.points
                ],
            }
        )
