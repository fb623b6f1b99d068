"""tradeoff: the best sets first, then again and again the best of those with a better second criterion.

Each step is an exact search with a budget on the sum of the criterion's numbers, just below that of the step before.
What a step proves bounds all later ones. A point is dropped if a later one is as good: that has less of the criterion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from altsets.constraints import Constraint
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import Dissimilarity, Problem
from altsets.quality import Additive, Quality
from altsets.request import Request
from altsets.result import Progress, Result, Status, StopReason
from altsets.search.criterion import Criterion, numbers_in
from altsets.search.narrowing import Narrowed
from altsets.search.resources import ONE_THREAD
from altsets.search.run import Known, Run
from altsets.search.scaling import Scaling
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further, solve, why_no_set
from altsets.search.tradeoff.answer import Tradeoff, TradeoffPoint
from altsets.wording import by_interface

#: The part of the time that a step leaves for those after it.
KEPT_BACK = 0.5
#: The argument behind a bound that a step inherits.
NO_BETTER = "no sets are better even with more of the criterion"
#: What is proven, one way or the other.
SETTLED = (Status.OPTIMAL, Status.INFEASIBLE)


def tradeoff(
    quality: Quality,
    criterion: Any,
    n_features: int = 5,
    n_alternatives: int = 0,
    tau: Any = None,
    *,
    min_difference: int | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[TradeoffProgress], object] | None = None,
) -> Tradeoff:
    """Find what no set beats in both quality and a second criterion, such as what its features cost.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`altsets.find`; not a black box.
    criterion : sequence of float, mapping from feature to float, or quality object
        A number for each feature, of which a set should have little in sum: costs, minutes, 1 for each feature of a
        group. Numbers may be negative; in a mapping (or a pandas Series) by name or index, every feature that is left
        out counts 0. Or a second quality, of which a set should have much; one of the two must be
        :class:`altsets.quality.Additive`.
    n_features : int, default=5
        Features in each set, unless ``constraints.Size`` says otherwise.
    n_alternatives : int, default=0
        Sets besides the first one. Several sets are chosen together, and the criterion is that of the set with the
        worst one: all sets of a point are at least as good in it.
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets, as for :func:`altsets.find`.
    min_difference : int, default=None
        Instead of tau: the number of features in which two sets must differ at least.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    aggregation : {"sum", "min"}, default="sum"
        What the quality of several sets is: the sum of their qualities, or the smallest one.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for the whole call. Each step may take half of what is left; a point that is not proven by then is
        marked.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.
    callback : callable, default=None
        Called with a :class:`TradeoffProgress` after each step and now and then. What it raises ends the search.

    Returns
    -------
    Tradeoff
        The points, from the best quality down. Qualities that differ by no more than 1e-9 of the problem's scale count
        as equal, as everywhere (see :class:`Status`); sums of numbers are exact, as the decimals that are printed.
        Ctrl-C ends the search early and keeps the points that are there.

    Raises
    ------
    altsets.errors.InputError
        If a parameter is out of range or contradicts another one, or a name is not one of the features.
    altsets.errors.UnsupportedError
        If the quality is a black box, neither quality is a sum of scores, or no engine solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.NearBest.range : Only the ends: the least and the largest sum among sets that are good enough.
    altsets.constraints.Budget : A limit on costs that is given.
    altsets.frontier : Quality against the difference of sets.
    altsets.plots.tradeoff : Plot the curve.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> front = altsets.tradeoff(scores, [5, 4, 1, 2, 1, 0], n_features=2)
    >>> for point in front:
    ...     print(point.quality, point.criterion, *point.named_sets[0])
    17.0 9.0 a b
    16.0 6.0 a c
    15.0 5.0 b c
    10.0 3.0 c d
    9.0 2.0 c e
    8.0 1.0 c f
    >>> front.proven
    True

    Two sets without a shared feature, both of which cost as little:

    >>> altsets.tradeoff(scores, [5, 4, 1, 2, 1, 0], n_features=2, n_alternatives=1, tau=1).points[-1].criteria
    (2.0, 2.0)
    """
    request = Request(
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        min_difference=min_difference,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
    )
    return trade_off(request, quality, criterion, callback=callback)


def trade_off(
    request: Request,
    quality: Quality,
    criterion: Any,
    *,
    callback: Callable[[TradeoffProgress], object] | None = None,
) -> Tradeoff:
    """The trade-off of a request for simultaneous sets."""
    what = by_interface("tradeoff()", "altsets tradeoff")
    problem = problem_of(request, quality)
    refuse_further(problem, what)
    refuse_chosen_sizes(quality, "a trade-off")
    stepping = _Stepping(quality, criterion, problem, request, callback)
    with ONE_THREAD, stepping.run:
        stepping.search()
    return stepping.answer()


@dataclass(frozen=True)
class TradeoffProgress:
    """How far a trade-off is; handed to ``callback`` after each step and now and then.

    Attributes
    ----------
    done : int
        Steps so far; of some steps the point is dropped later, as another one is as good in both.
    best, bound : float
        What is known of the next step: the best quality so far, nan if there is none, and what none exceeds.
    criterion : float
        The criterion of the last step; the next one is to be better. nan before the first.
    elapsed : float
        Seconds since the search began.

    See Also
    --------
    altsets.tradeoff : Its ``callback`` gets these.
    altsets.Progress : The same for a single search.

    Examples
    --------
    >>> import altsets
    >>> seen = []
    >>> scores = altsets.quality.Additive([9, 8, 7, 3])
    >>> _ = altsets.tradeoff(scores, [2, 1, 1, 0], n_features=1, callback=seen.append)
    >>> seen[-1].done, seen[-1].criterion
    (3, 0.0)
    """

    done: int
    best: float
    bound: float
    criterion: float
    elapsed: float


@dataclass(frozen=True)
class _Roles:
    """What is maximised, and the numbers whose sum is limited; both are shown as quality and criterion."""

    maximised: Quality
    limited: Criterion
    quality: Quality
    #: The second quality; None if the criterion is the sum that is limited.
    second: Quality | None
    #: The features that matter, if these are few of very many; then what is maximised and limited is about them.
    narrowed: Narrowed | None = None

    @classmethod
    def of(cls, quality: Quality, criterion: Any, problem: Problem) -> _Roles:
        """A sum of scores can be limited, so of two qualities one must be such a sum."""
        _refuse_black_box(quality)
        if not isinstance(criterion, Quality):
            who = by_interface("criterion", "--costs")
            numbers = numbers_in(criterion, FeatureNames.of_quality(quality), who)
            return cls._limiting(quality, quality, None, numbers, who, problem)
        _refuse_black_box(criterion)
        if criterion.n_features_in != quality.n_features_in:
            raise InputError(
                f"quality has {quality.n_features_in} features and criterion has {criterion.n_features_in}; "
                "give two qualities of the same features."
            )
        if isinstance(criterion, Additive):
            scores = (-criterion.scores).tolist()
            return cls._limiting(quality, quality, criterion, scores, "criterion", problem)
        if isinstance(quality, Additive) and not problem.n_alternatives:
            scores = (-quality.scores).tolist()
            return cls._limiting(criterion, quality, criterion, scores, "quality", problem)
        needed = "the criterion" if problem.n_alternatives else "one of the two"
        sets = "several sets" if problem.n_alternatives else "two qualities"
        raise UnsupportedError(
            f"a trade-off of {sets} needs a sum of scores that can be limited: {needed} must be an Additive, not "
            f"{type(quality).__name__} and {type(criterion).__name__}."
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
        narrowed = Narrowed.of(maximised, problem, numbers=numbers)
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
    ) -> TradeoffPoint:
        """The sets of a step with both numbers; ``bounded`` if the step's bound is about all sets."""
        sets = found.sets if self.narrowed is None else [*map(self.narrowed.named, found.sets)]
        qualities = tuple(map(self.quality.evaluate, sets))
        criteria = (
            tuple(map(self.limited.total, found.sets))
            if self.second is None
            else tuple(map(self.second.evaluate, sets))
        )
        bound = found.bound if bounded and not self.swapped else math.inf
        if self.swapped and proven:
            bound = problem.objective(qualities)
        return TradeoffPoint(
            quality=problem.objective(qualities),
            criterion=max(criteria) if self.second is None else min(criteria),
            sets=tuple(sets),
            named_sets=tuple(map(self.quality.names_of, sets)),
            qualities=qualities,
            criteria=criteria,
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            bound=bound,
        )


def _fitting(limited: Criterion, problem: Problem) -> Criterion:
    """The numbers, unless they are negative where several sets may have several sizes."""
    if problem.n_alternatives and not problem.fixed_size and min(limited.whole) < 0:
        raise UnsupportedError(
            "a trade-off of several sets of open size needs numbers of at least 0 (a second quality counts as "
            "negative ones); ask for sets of one size, or for one set."
        )
    return limited


def _refuse_black_box(quality: Quality) -> None:
    if not quality.has_form:
        numbers = by_interface("Additive, MRMR, FCBF or CFS", "mutual_info, mrmr, fcbf or cfs")
        raise UnsupportedError(
            f"a {type(quality).__name__} can only be asked about sets one by one, which takes too long for a "
            f"trade-off; use a quality made of numbers, such as {numbers}."
        )


@dataclass(frozen=True)
class _Step:
    """The best of all sets whose sums are at most ``limit`` units; inf without a limit."""

    limit: float
    units: int
    found: Result


class _Stepping:
    """The searches of one trade-off."""

    def __init__(
        self,
        quality: Quality,
        criterion: Any,
        problem: Problem,
        request: Request,
        callback: Callable[[TradeoffProgress], object] | None,
    ) -> None:
        # Reading the numbers of very many features is a part of the time.
        self.run = Run(request.time_limit, None if callback is None else self._report)
        self.problem, self._engine, self._callback = problem, request.engine, callback
        self.roles = roles = _Roles.of(quality, criterion, problem)
        #: The problem about the features that matter.
        self._searched = problem if roles.narrowed is None else roles.narrowed.problem
        self._steps: list[list[_Step]] = []
        self._part: Run | None = None
        #: What the last search of each size proved: that there is nothing further.
        self._ended: list[Status] = []
        self._reasons: list[str] = []
        self._stop_reasons: list[StopReason] = []

    def search(self) -> None:
        """Step through the whole problem, or through each size where numbers are negative."""
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
                self._part = self.run.turn()
                return solve(roles.maximised, part, self._part, engine)
        problem = roles.limited.at_most(part, int(limit))
        with self.run.keep_back(KEPT_BACK):
            self._part = self.run.part()
            self._part.start_from(Known(bound=bound, proof=NO_BETTER))
            return solve(roles.maximised, problem, self._part, engine)

    def _report(self, _: Progress) -> None:
        assert self._callback is not None
        done = [step for steps in self._steps for step in steps]
        best, bound = (math.nan, math.inf) if self._part is None else self._part.in_user_units
        criterion = math.nan
        if done:
            point = self.roles.point(self.problem, done[-1].found)
            criterion = point.criterion
        self._callback(TradeoffProgress(len(done), best, bound, criterion, self.run.elapsed))

    def answer(self) -> Tradeoff:
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
        return Tradeoff(
            points=points,
            more_is_better=self.roles.second is not None,
            complete=self._complete,
            parameters=self.problem.parameters(),
            reason=next(filter(None, self._reasons), "") if not points else "",
            stop_reason=StopReason.INTERRUPTED if self.run.interrupted else why,
            elapsed=self.run.elapsed,
        )

    @cached_property
    def _complete(self) -> bool:
        """Whether every search was settled."""
        last = all(ended is Status.INFEASIBLE for ended in self._ended)
        return last and all(step.found.status is Status.OPTIMAL for steps in self._steps for step in steps)

    def _undominated(self) -> Iterator[tuple[_Step, bool]]:
        """Steps that no other one is as good as in both, the least sum first; and whether they are proven."""
        every = [
            (
                step,
                self._complete
                or (len(self._steps) == 1 and step.found.status is Status.OPTIMAL and after in SETTLED),
            )
            for steps, ended in zip(self._steps, self._ended, strict=True)
            # Sets with less of the criterion are worse if the next search was settled.
            for step, after in zip(steps, [*(later.found.status for later in steps[1:]), ended], strict=False)
        ]
        every.sort(key=lambda pair: (pair[0].units, -pair[0].found.objective))
        best, tolerance = -math.inf, Scaling.of(self.roles.maximised, self._searched).tolerance
        for step, proven in every:
            if step.found.objective > best + tolerance:
                best = step.found.objective
                yield step, proven
