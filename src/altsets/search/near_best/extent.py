"""NearBest.range: the least and the largest sum of some numbers among all sets that count, proven.

Where all sets are known, they are looked through. Else each question is an exact search: is there a set that is good
enough and whose sum is at most so much? Questions alternate between just below the best sum that is known, which ends
the search if the answer is no, and half of the way to what is ruled out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from altsets import documents
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import checked_seconds
from altsets.result import Progress, Status, StopReason, frame_of
from altsets.search.criterion import Criterion
from altsets.search.near_best.families import Counted
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.solving import solve
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
        """One row for each end (a pandas DataFrame): its sum, set, quality, status and bound.

        Returns
        -------
        pandas.DataFrame
        """
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


# --- The search -------------------------------------------------------------------------------------------------------


def extent(
    quality: Quality,
    problem: Problem,
    counted: Counted,
    least_quality: float,
    numbers: Any,
    *,
    certain: bool,
    time_limit: float | None,
    callback: Callable[[Progress], object] | None,
) -> Range:
    """The range of some numbers among sets of at least this quality; ``certain`` says whether that is proven."""
    criterion = Criterion.of(numbers, FeatureNames.of_quality(quality), "range()")
    if counted.best_set is None or not counted.family.bounds[1]:
        raise InputError("there is no near-best set, so its numbers have no range; see explain().")
    run = Run(checked_seconds(time_limit), callback)
    with run:
        search = _Ends(quality, problem, counted, least_quality, run, certain=certain)
        low = search.end(criterion, run.remaining / 2)
        high = search.end(criterion.negated, run.remaining)
    upside = RangeEnd(-high.value, high.set, high.named_set, high.quality, high.status, -high.bound)
    return Range(
        low=low,
        high=upside,
        best=criterion.total(counted.best_set),
        stop_reason=search.stop_reason,
        elapsed=run.elapsed,
    )


class _Ends:
    """Searches for sets that are good enough and have little of a criterion."""

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        counted: Counted,
        least_quality: float,
        run: Run,
        *,
        certain: bool,
    ) -> None:
        self._quality, self._problem, self._run, self._certain = quality, problem, run, certain
        self._tolerance = Scaling.of(quality, problem).tolerance
        self._least_quality = least_quality - self._tolerance
        self._sets, self._all_known = counted.family.members()
        if not self._all_known and not quality.has_form:
            raise UnsupportedError(
                f"a {type(quality).__name__} can only be asked about sets one by one, and not all near-best sets are "
                "known; ask for smaller sets, or use a quality made of numbers, such as Additive, MRMR, FCBF or CFS."
            )
        assert counted.best_set is not None
        if not self._all_known:
            known = (counted.best_set, *self._sets)
            self._sets = [chosen for chosen in known if quality.evaluate(chosen) >= self._least_quality]
        if not self._sets:
            raise InputError("no near-best set is known, so its numbers have no range; see explain().")
        self.stop_reason = StopReason.FINISHED

    def end(self, criterion: Criterion, seconds: float) -> RangeEnd:
        """A set with the least sum, as far as it goes in this time."""
        best = min(self._sets, key=lambda chosen: (criterion.units(chosen), chosen))
        bounds = [criterion.units(best)]
        if not self._all_known:
            turn = self._run.turn(seconds)
            for part in criterion.parts(self._problem):
                best, bound = self._lower(criterion, part, best, turn)
                bounds.append(bound)
        proven = self._certain and criterion.units(best) <= min(bounds)
        return RangeEnd(
            value=criterion.total(best),
            set=best,
            named_set=self._quality.names_of(best),
            quality=self._quality.evaluate(best),
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            bound=criterion.value(min(bounds)),
        )

    def _lower(
        self, criterion: Criterion, part: Problem, best: FeatureSet, turn: Run
    ) -> tuple[FeatureSet, int]:
        """A set with a smaller sum, if there is one among these, and a sum that none of these falls below."""
        least, most, close = criterion.least(part), criterion.units(best), True
        while least < most:
            limit = most - 1 if close else (least + most - 1) // 2
            found = self._good_one(criterion.at_most(part, limit), turn)
            if found is None:
                self.stop_reason = turn.stop_reason
                break
            if found:
                best, most = found, criterion.units(found)
            else:
                least = limit + 1
            close = not close
        return best, min(least, most)

    def _good_one(self, problem: Problem, turn: Run) -> FeatureSet | None:
        """A set that is good enough; the empty one if it is proven that there is none, None if that is not known."""
        wanted = self._least_quality
        found = solve(
            self._quality, problem, turn.part(enough=lambda best, bound: best >= wanted or bound < wanted)
        )
        if found.sets and found.qualities[0] >= wanted:
            return found.sets[0]
        # What is proven to be the best may be worse than another set by the tolerance.
        slack = self._tolerance if found.status is Status.OPTIMAL else 0.0
        return () if found.status is Status.INFEASIBLE or found.bound + slack < wanted else None
