"""NearBest.range: the least and the largest sum of some numbers among all sets that count, proven.

Where all sets are known, they are looked through. Else each question is an exact search: is there a set that is good
enough and whose sum is at most so much? Questions alternate between just below the best sum that is known, which ends
the search if the answer is no, and half of the way to what is ruled out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import checked_seconds
from altsets.result import NearBest, Progress, Range, RangeEnd, Status, StopReason
from altsets.search.criterion import Criterion, numbers_in
from altsets.search.narrowing import Narrowed
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.solving import solve

#: How far a sum of doubles may be from that of the decimals that are printed, relative to the largest of them.
ROUNDING = 1e-12


def extent(
    quality: Quality,
    problem: Problem,
    near: NearBest,
    given: Any,
    *,
    time_limit: float | None,
    callback: Callable[[Progress], object] | None,
) -> Range:
    """The range of some numbers among near-best sets."""
    run = Run(checked_seconds(time_limit), callback)
    numbers = numbers_in(given, FeatureNames.of_quality(quality), "range()")
    if near.best_set is None or not near.count_bounds[1]:
        raise InputError("there is no near-best set, so its numbers have no range; see explain().")
    best = Criterion.exactly([numbers[index] for index in near.best_set], "range()")
    with run:
        search = _Ends(quality, problem, near, run)
        low = search.end(numbers, run.remaining / 2)
        high = search.end([-number for number in numbers], run.remaining)
    return Range(
        low=low,
        high=replace(high, value=-high.value, bound=-high.bound),
        best=best.total(range(len(near.best_set))),
        stop_reason=search.stop_reason,
        elapsed=run.elapsed,
    )


class _Ends:
    """Searches for sets that are good enough and have little of a criterion."""

    def __init__(self, quality: Quality, problem: Problem, near: NearBest, run: Run) -> None:
        self._quality, self._problem, self._run = quality, problem, run
        #: Whether it is proven how good sets have to be.
        self._certain = near.best_proven or near.parameters["within"] is None
        self._tolerance = Scaling.of(quality, problem).tolerance
        self._least_quality = near.threshold - self._tolerance
        self._sets, self._all_known = near.family.members()
        if not self._all_known and not quality.has_form:
            raise UnsupportedError(
                f"a {type(quality).__name__} can only be asked about sets one by one, and not all near-best sets are "
                "known; ask for smaller sets, or use a quality made of numbers, such as Additive, MRMR, FCBF or CFS."
            )
        assert near.best_set is not None
        if not self._all_known:
            known = (near.best_set, *self._sets)
            self._sets = [chosen for chosen in known if quality.evaluate(chosen) >= self._least_quality]
        if not self._sets:
            raise InputError("no near-best set is known, so its numbers have no range; see explain().")
        self.stop_reason = StopReason.FINISHED

    def end(self, numbers: Sequence[float], seconds: float) -> RangeEnd:
        """A set with the least sum, as far as it goes in this time."""
        turn, quality, problem = self._run.turn(seconds), self._quality, self._problem
        sets = _least_up_to_rounding(self._sets, numbers)
        used = set(itertools.chain.from_iterable(sets))
        narrowed = None if self._all_known else Narrowed.of(quality, problem, kept=used, numbers=numbers)
        if narrowed is not None:
            quality, problem, sets = narrowed.quality, narrowed.problem, [*map(narrowed.places, sets)]
            numbers = [numbers[feature] for feature in narrowed.features]
        criterion = Criterion.exactly(numbers, "range()")
        best = min(sets, key=lambda chosen: (criterion.units(chosen), chosen))
        bounds = [criterion.units(best)]
        if not self._all_known:
            for part in criterion.parts(problem):
                best, bound = self._lower(quality, criterion, part, best, turn)
                bounds.append(bound)
        proven = self._certain and criterion.units(best) <= min(bounds)
        chosen = best if narrowed is None else narrowed.named(best)
        return RangeEnd(
            value=criterion.total(best),
            set=chosen,
            named_set=self._quality.names_of(chosen),
            quality=self._quality.evaluate(chosen),
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            bound=criterion.value(min(bounds)),
        )

    def _lower(
        self, quality: Quality, criterion: Criterion, part: Problem, best: FeatureSet, turn: Run
    ) -> tuple[FeatureSet, int]:
        """A set with a smaller sum, if there is one among these, and a sum that none of these falls below."""
        least, most, close = criterion.least(part), criterion.units(best), True
        while least < most:
            limit = most - 1 if close else (least + most - 1) // 2
            found = None if turn.stopped else self._good_one(quality, criterion.at_most(part, limit), turn)
            if found is None:
                self.stop_reason = turn.stop_reason
                break
            if found:
                best, most = found, criterion.units(found)
            else:
                least = limit + 1
            close = not close
        return best, min(least, most)

    def _good_one(self, quality: Quality, problem: Problem, turn: Run) -> FeatureSet | None:
        """A set that is good enough; the empty one if it is proven that there is none, None if that is not known."""
        wanted = self._least_quality
        part = turn.part(enough=lambda best, bound: best >= wanted or bound < wanted)
        found = solve(quality, problem, part)
        if found.sets and found.qualities[0] >= wanted:
            return found.sets[0]
        # What is proven to be the best may be worse than another set by the tolerance.
        slack = self._tolerance if found.status is Status.OPTIMAL else 0.0
        return () if found.status is Status.INFEASIBLE or found.bound + slack < wanted else None


def _least_up_to_rounding(sets: Sequence[FeatureSet], numbers: Sequence[float]) -> list[FeatureSet]:
    """The sets that may have the least sum."""
    try:
        sums = [math.fsum([numbers[feature] for feature in chosen]) for chosen in sets]
        largest = max(math.fsum([abs(numbers[feature]) for feature in chosen]) for chosen in sets)
    except OverflowError:
        return list(sets)
    limit = min(sums) + ROUNDING * largest
    return [chosen for chosen, value in zip(sets, sums, strict=True) if value <= limit]
