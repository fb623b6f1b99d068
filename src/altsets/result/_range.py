"""Range: the least and the largest sum of some numbers among near-best sets, in words, as a frame and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from altsets import documents
from altsets.problem import FeatureSet
from altsets.result._result import frame_of
from altsets.result._status import Status, StopReason
from altsets.wording import list_some, paragraph

#: Features of a set that are named.
MOST_NAMED = 8

CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit was reached.",
    StopReason.INTERRUPTED: "It was interrupted.",
    StopReason.ENGINE_LIMIT: "Not everything could be proven.",
}


@dataclass(frozen=True)
class RangeEnd(documents.DocumentPart):
    """One end of a range: a near-best set with the least or the largest sum; a part of :class:`altsets.results.Range`.

    Attributes
    ----------
    value : float
        The sum of the numbers over the set.
    set : tuple of int
        The set, as sorted indices.
    named_set : tuple of str
        The same by name.
    quality : float
        Its quality.
    status : Status
        ``OPTIMAL``: proven that no near-best set has a sum further out. ``FEASIBLE``: one may have.
    bound : float
        What no near-best set goes beyond.

    See Also
    --------
    altsets.results.NearBest.range : Searches for it.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> low = altsets.near_best(scores, n_features=2, within=0.25).range([5, 3, 0, 0]).low
    >>> low.value, low.named_set, low.status
    (3.0, ('height', 'weight'), <Status.OPTIMAL: 'optimal'>)
    """

    value: float
    set: FeatureSet
    named_set: tuple[str, ...]
    quality: float
    status: Status
    bound: float


@dataclass(frozen=True)
class Range(documents.Document):
    """Least and largest sum of some numbers among near-best sets; :meth:`altsets.results.NearBest.range` makes it.

    Attributes
    ----------
    low, high : RangeEnd
        A set with the least sum, and one with the largest.
    best : float
        The sum over the best set.
    stop_reason : str
        Why the search ended: ``"finished"``, ``"time_limit"``, ``"interrupted"`` or ``"engine_limit"``.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.results.NearBest.range : Makes one.
    altsets.frontier : With ``against``, what each step of quality buys.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> found = altsets.near_best(scores, n_features=2, within=0.25).range([5, 3, 0, 0])
    >>> found
    Range(3 to 8, proven)
    >>> print(found.explain())
    The sum of near-best sets goes from 3 (height, weight) to 8 (age, height), proven. That of the best set is 8.
    >>> altsets.results.Range.from_json(found.to_json()) == found
    True
    """

    _called = "document of a range"
    _mark = "kind", "range"

    low: RangeEnd
    high: RangeEnd
    best: float
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    @property
    def proven(self) -> bool:
        """Whether both ends are proven."""
        return self.low.status is self.high.status is Status.OPTIMAL

    def explain(self) -> str:
        """Say in a sentence or two how far the sums go, with which sets, and what is proven."""
        ends = [
            f"{end.value:.6g} ({list_some(end.named_set, MOST_NAMED, hide_one=False)})"
            for end in (self.low, self.high)
        ]
        proof = "proven"
        if not self.proven:
            proof = f"and surely not below {self.low.bound:.6g} or above {self.high.bound:.6g}"
        # An end that no set passes and that is not proven depends on whether the best set is the best.
        certain = all(end.status is Status.OPTIMAL or end.value != end.bound for end in (self.low, self.high))
        whose = "near-best sets" if certain else "sets near the best one that is known"
        said = f"The sum of {whose} goes from {ends[0]} to {ends[1]}, {proof}."
        known = "" if certain else " known"
        return paragraph(
            said, CUT_SHORT.get(self.stop_reason, ""), f"That of the best set{known} is {self.best:.6g}."
        )

    def __repr__(self) -> str:
        return f"Range({self.low.value:.6g} to {self.high.value:.6g}, {'' if self.proven else 'not '}proven)"

    def to_frame(self) -> Any:
        """One row for each end (a pandas DataFrame): its sum, set, quality, status and bound."""
        ends = (self.low, self.high)
        return frame_of(
            {
                "end": ["low", "high"],
                "value": [end.value for end in ends],
                "features": [list(end.named_set) for end in ends],
                "quality": [end.quality for end in ends],
                "status": [str(end.status) for end in ends],
                "bound": [end.bound for end in ends],
            }
        ).set_index("end")
