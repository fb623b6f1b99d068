"""Quality against costs: the best sets first, then again and again the best of those that cost less.

Each step is an exact search with a budget just below the costs of the step before. What a step proves bounds all later
ones. A point is dropped if a later one is as good: that costs less. A second quality is counted as negative costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from altsets.amounts import amounts_in
from altsets.constraints.prices import group_prices, paid_together
from altsets.dissimilarity import Grouped, Matched, groups_among
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import Problem
from altsets.quality import Additive, Quality
from altsets.request import Request
from altsets.result import Frontier, FrontierPoint, Result, Status, StopReason
from altsets.search.criterion import Criterion, numbers_in
from altsets.search.frontier.limits import Limited
from altsets.search.frontier.progress import Callback, Reporter
from altsets.search.narrowing import Narrowed
from altsets.search.resources import ONE_THREAD
from altsets.search.run import Known, Run
from altsets.search.scaling import Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further, solve, why_no_set
from altsets.wording import by_interface

#: The part of the time that a step leaves for those after it.
KEPT_BACK = 0.5
#: The argument behind a bound that a step inherits.
NO_BETTER = "no sets are better even at higher costs"
#: What is proven, one way or the other.
SETTLED = (Status.OPTIMAL, Status.INFEASIBLE)


def by_costs(
    request: Request,
    quality: Quality,
    against: Any,
    *,
    groups: Grouped | str | None = None,
    measured: Request | None = None,
    callback: Callback | None = None,
) -> Frontier:
    """Quality against costs, perhaps of groups, or a second quality; ``measured`` has the numbers of a table."""
    problem = problem_of(measured or request, quality)
    refuse_further(replace(problem, within=None, min_quality=None), "a frontier against costs")
    refuse_chosen_sizes(quality, "a frontier")
    stepping = _Stepping(quality, against, groups, problem, request, callback)
    with ONE_THREAD, stepping.run:
        stepping.search()
    return stepping.answer()


@dataclass(frozen=True)
class _Roles:
    """What is maximised, and the numbers whose sum is limited; both are shown as quality and costs."""

    maximised: Quality
    limited: Criterion
    quality: Quality
    #: The second quality; None if costs are limited.
    second: Quality | None
    #: The features that matter, if these are few of very many; then what is maximised and limited is about them.
    narrowed: Narrowed | None = None

    @classmethod
    def of(cls, quality: Quality, against: Any, groups: Grouped | str | None, problem: Problem) -> _Roles:
        """A sum of scores can be limited, so of two qualities one must be such a sum."""
        _refuse_black_box(quality)
        if not isinstance(against, Quality):
            who, names = by_interface("against", "--costs"), FeatureNames.of_quality(quality)
            together = groups_among(groups, names)
            if together is None:
                return cls._limiting(quality, quality, None, numbers_in(against, names, who), who, problem)
            costs = amounts_in(against, who, least=0.0)
            numbers, payers = group_prices(costs, paid_together(together, who), names, who)
            return cls(quality, Criterion.exactly(numbers, who, payers), quality, None)
        _refuse_black_box(against)
        if against.n_features_in != quality.n_features_in:
            raise InputError(
                f"quality has {quality.n_features_in} features and against has {against.n_features_in}; "
                "give two qualities of the same features."
            )
        if isinstance(against, Additive):
            scores = (-against.scores).tolist()
            return cls._limiting(quality, quality, against, scores, "against", problem)
        limited = problem.within is not None or problem.min_quality is not None
        if isinstance(quality, Additive) and not (problem.n_alternatives or limited):
            scores = (-quality.scores).tolist()
            return cls._limiting(against, quality, against, scores, "quality", problem)
        needed = "against" if problem.n_alternatives or limited else "one of the two"
        sets = "several sets" if problem.n_alternatives else "two qualities"
        raise UnsupportedError(
            f"a frontier of {sets} needs a sum of scores that can be limited: {needed} must be an Additive, not "
            f"{type(quality).__name__} and {type(against).__name__}."
        )

    @classmethod
    def _limiting(
        cls,
        maximised: Quality,
        quality: Quality,
        second: Quality | None,
        numbers: Sequence[float],
        who: str,
        problem: Problem,
    ) -> _Roles:
        """With a limit on the sum of some numbers."""
        is_limited = problem.within is not None or problem.min_quality is not None
        narrowed = None if is_limited else Narrowed.of(maximised, problem, numbers=numbers)
        if narrowed is not None:
            maximised, numbers = narrowed.quality, [numbers[feature] for feature in narrowed.features]
        limited = _fitting(Criterion.exactly(numbers, who), problem)
        return cls(maximised, limited, quality, second, narrowed)

    @property
    def swapped(self) -> bool:
        """Whether the second quality is the one that is maximised."""
        return self.maximised is self.second

    def point(
        self, problem: Problem, found: Result, *, proven: bool = False, bounded: bool = False
    ) -> FrontierPoint:
        """The sets of a step with both numbers; ``bounded`` if the step's bound is about all sets."""
        sets = found.sets if self.narrowed is None else [*map(self.narrowed.named, found.sets)]
        qualities = [*map(self.quality.evaluate, sets)]
        objective = problem.objective(qualities)
        if self.second is None:
            against = max(map(self.limited.total, found.sets))
        else:
            against = min(map(self.second.evaluate, sets))
        bound = found.bound if bounded and not self.swapped else math.inf
        if self.swapped and proven:
            bound = objective
        status = Status.OPTIMAL if proven else Status.FEASIBLE
        kind = problem.dissimilarity
        result = replace(
            found,
            sets=list(sets),
            qualities=qualities,
            objective=objective,
            bound=max(bound, objective),
            status=status,
            statuses=[status] * len(sets),
            texts=[self.quality.names_of(chosen) for chosen in sets],
            parameters=problem.parameters(),
            matches=kind.matches_among(sets) if isinstance(kind, Matched) else [],
            scores=self.quality.scores_in(sets),
            models=[],
        )
        return FrontierPoint(result, status, against=against)


def _fitting(limited: Criterion, problem: Problem) -> Criterion:
    """The numbers, unless they are negative where several sets may have several sizes."""
    if problem.n_alternatives and not problem.fixed_size and min(limited.whole) < 0:
        raise UnsupportedError(
            "a frontier of several sets of open size needs numbers of at least 0 (a second quality counts as "
            "negative ones); ask for sets of one size, or for one set."
        )
    return limited


def _refuse_black_box(quality: Quality) -> None:
    if not quality.has_form:
        numbers = by_interface("Additive, MRMR, FCBF or CFS", "mutual_info, mrmr, fcbf or cfs")
        raise UnsupportedError(
            f"a {type(quality).__name__} can only be asked about sets one by one, which takes too long for a "
            f"frontier; use a quality made of numbers, such as {numbers}."
        )


@dataclass(frozen=True)
class _Step:
    """The best of all sets whose sums are at most ``limit`` units; inf without a limit."""

    limit: float
    units: int
    found: Result


class _Stepping:
    """The searches of one curve."""

    def __init__(
        self,
        quality: Quality,
        against: Any,
        groups: Grouped | str | None,
        problem: Problem,
        request: Request,
        callback: Callback | None,
    ) -> None:
        self._points: list[FrontierPoint] = []
        self._reporter = Reporter(callback, self._points, None)
        # Reading the numbers of very many features is a part of the time.
        self.run = Run(request.time_limit, self._reporter.callback)
        self.problem, self._engine = problem, request.engine
        self.roles = roles = _Roles.of(quality, against, groups, problem)
        #: The problem about the features that matter.
        self._searched = problem if roles.narrowed is None else roles.narrowed.problem
        self._is_certain = True
        self._steps: list[list[_Step]] = []
        #: What the last search of each size proved: that there is nothing further.
        self._ended: list[Status] = []
        self._reasons: list[str] = []
        self._stop_reasons: list[StopReason] = []

    def search(self) -> None:
        """Step through the whole problem, or through each size where numbers are negative."""
        limited = Limited.of(self.roles.maximised, self._searched, self.run, self._engine)
        self._searched, self._is_certain = limited.problem, limited.proven
        if self.roles.narrowed is None:
            self.problem = limited.problem
        for part in self.roles.limited.parts(self._searched):
            self._steps.append([])
            self._ended.append(self._walk(part))

    def _walk(self, part: Problem) -> Status:
        """Step down; the status of the search that ended it."""
        limited, steps = self.roles.limited, self._steps[-1]
        least, bound, limit = limited.least(part), math.inf, math.inf
        while limit >= least:
            found = self._best(part, limit, bound)
            self._stop_reasons.append(found.stop_reason)
            if not found.sets:
                proven = found.status is Status.INFEASIBLE and self.roles.narrowed is not None
                why = why_no_set(self.roles.quality, self.problem, self.run) if proven else found.reason
                self._reasons.append(why)
                return found.status
            units = max(map(limited.units, found.sets))
            steps.append(_Step(limit, units, found))
            if self._reporter.callback is not None:
                self._points.append(self.roles.point(self.problem, found))
            self._reporter.done += 1
            self.run.report()
            bound, limit = min(bound, found.bound), units - 1
            if self.run.stopped:
                self._stop_reasons.append(self.run.stop_reason)
                return Status.NOT_FOUND
        return Status.INFEASIBLE

    def _best(self, part: Problem, limit: float, bound: float) -> Result:
        roles, engine = self.roles, self._engine
        if limit == math.inf:
            # The only search that says why there is no set.
            with self.run.keep_back(KEPT_BACK):
                run = self.run.turn()
                self._reporter.at(part, run)
                return solve(roles.maximised, part, run, engine)
        problem = roles.limited.at_most(part, int(limit))
        with self.run.keep_back(KEPT_BACK):
            run = self.run.part()
            self._reporter.at(problem, run)
            run.start_from(Known(bound=bound, proof=NO_BETTER))
            return solve(roles.maximised, problem, run, engine)

    def answer(self) -> Frontier:
        """The points, without those that another one beats."""
        # Of several sizes, a step is about one.
        bounded = self._complete or len(self._steps) == 1
        points = [
            self.roles.point(self.problem, step.found, proven=proven, bounded=bounded)
            for step, proven in self._undominated()
        ]
        points.sort(key=lambda point: -point.quality)
        unfinished = [reason for reason in self._stop_reasons if reason is not StopReason.FINISHED]
        why = StopReason.FINISHED if self._complete else next(iter(unfinished), StopReason.ENGINE_LIMIT)
        return Frontier(
            points,
            self.problem.parameters(),
            by="against",
            complete=self._complete,
            more_is_better=self.roles.second is not None,
            reason=next(filter(None, self._reasons), "") if not points else "",
            stop_reason=StopReason.INTERRUPTED if self.run.interrupted else why,
            elapsed=self.run.elapsed,
        )

    @cached_property
    def _complete(self) -> bool:
        """Whether every search was settled."""
        last = all(ended is Status.INFEASIBLE for ended in self._ended) and self._is_certain
        return last and all(step.found.status is Status.OPTIMAL for steps in self._steps for step in steps)

    def _undominated(self) -> Iterator[tuple[_Step, bool]]:
        """Steps that no other one is as good as in both, the least sum first; and whether they are proven."""
        alone = self._is_certain and len(self._steps) == 1
        every = [
            (
                step,
                self._complete or (alone and step.found.status is Status.OPTIMAL and after in SETTLED),
            )
            for steps, ended in zip(self._steps, self._ended, strict=True)
            # Sets that cost less are worse if the next search was settled.
            for step, after in zip(steps, [*(later.found.status for later in steps[1:]), ended], strict=False)
        ]
        every.sort(key=lambda pair: (pair[0].units, -pair[0].found.objective))
        best, tolerance = -math.inf, Scaling.of(self.roles.maximised, self._searched).tolerance
        for step, proven in every:
            if step.found.objective > best + tolerance:
                best = step.found.objective
                yield step, proven
