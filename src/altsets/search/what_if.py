"""what_if: the best set that is left if a feature or a group of features fails, one exact search for each loss."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from altsets.constraints import Budget, Forbid
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import Request, checked_seconds
from altsets.result import Loss, Progress, Result, Status, StopReason, WhatIf
from altsets.search.black_box.greedy_wrapper import Feasibility
from altsets.search.losable import losable
from altsets.search.narrowing import Narrowed
from altsets.search.run import Known, Run
from altsets.search.solving import problem_of, solve, why_no_set

#: Relative difference of a quality from that of the result beyond which it is not the same quality.
SAME_QUALITY = 1e-6
#: Why a set is the best without a search of its own.
STILL_BEST = "no set is better even with what is lost"


def lose(
    request: Request,
    quality: Quality,
    result: Result,
    features: Sequence[Feature] | str | None = None,
    feature_groups: Any = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> WhatIf:
    """The losses for an answer to a request, which has the numbers of a table where it needs them."""
    run = Run(checked_seconds(time_limit), callback)
    refuse_other_quality(quality, result)
    exact = request.engine if request.search in ("sequential", "simultaneous") else "auto"
    single = replace(request.alone(), engine=exact)
    if request.tau == "max" and result.tau is not None:
        single = replace(single, tau=result.tau)
    wanted = losable(request, result, FeatureNames.of_quality(quality), features, feature_groups)
    most_lost = max(len(lost) for _, lost in wanted)
    search = _Losses(quality, problem_of(single, quality), result, exact, run, most_lost)
    losses = []
    with run:
        for number, (name, lost) in enumerate(wanted):
            losses.append(search.lose(name, lost, run.remaining / (len(wanted) - number)))
    return WhatIf(
        named_set=result.texts[0],
        quality=result.qualities[0],
        costs=search.costs(result.sets[0]),
        losses=losses,
        stop_reason=next(
            (reason for reason in search.stop_reasons if reason is not StopReason.FINISHED),
            StopReason.FINISHED,
        ),
        elapsed=run.elapsed,
    )


def refuse_other_quality(quality: Quality, result: Result) -> None:
    """Refuse an answer without sets, and one whose sets have another quality."""
    if not result.sets:
        raise InputError("this result has no sets, so there is nothing that could be lost.")
    n_known = result.parameters.get("n_features_in", quality.n_features_in)
    value, known = math.nan, result.qualities[0]
    if n_known == quality.n_features_in and max(result.sets[0]) < n_known:
        value = quality.evaluate(result.sets[0])
    if not math.isclose(value, known, rel_tol=SAME_QUALITY, abs_tol=SAME_QUALITY * abs(known)):
        raise InputError(
            "this result was not searched with this quality: set 0 has another quality; give the quality of the search."
        )


class _Losses:
    """Searches for the best set after each loss; each takes over what those before have found and proven."""

    def __init__(
        self, quality: Quality, problem: Problem, result: Result, engine: str, run: Run, most_lost: int
    ) -> None:
        self._quality, self._problem, self._engine, self._run = quality, problem, engine, run
        self._answer = result
        is_valid = Feasibility(problem).alone
        self._sets = [chosen for chosen in result.sets if is_valid(frozenset(chosen))]
        #: The features that matter, if these are few of very many.
        self._narrowed = Narrowed.of(
            quality, problem, spare=most_lost, kept=itertools.chain.from_iterable(self._sets)
        )
        #: Without these features, no set is better than this.
        self._bounds: list[tuple[frozenset[int], float]] = []
        alone = len(result.statuses) == 1 or result.parameters.get("search") == "sequential"
        # Beside existing sets, the largest tau comes before the quality.
        alone = alone and not (problem.existing and result.parameters.get("tau") == "max")
        if alone and result.statuses[0] is Status.OPTIMAL:
            self._bounds.append((frozenset(), result.qualities[0]))
        self.stop_reasons: list[StopReason] = []

    def lose(self, name: str, lost: FeatureSet, seconds: float) -> Loss:
        """The best set without some features, as far as it goes in this time."""
        found, chosen = self._without(lost, seconds)
        self._bounds.append((frozenset(lost), found.bound))
        self._sets += [] if chosen is None else [chosen]
        self.stop_reasons.append(found.stop_reason)
        return Loss(
            name=name,
            features=lost,
            named_features=self._quality.names_of(lost),
            set=chosen,
            named_set=None if chosen is None else self._quality.names_of(chosen),
            quality=math.nan if chosen is None else found.qualities[0],
            bound=found.bound,
            status=found.status,
            costs=() if chosen is None else self.costs(chosen),
            intact=tuple(
                number for number, one in enumerate(self._answer.sets) if not set(lost).intersection(one)
            ),
            reason=found.reason,
        )

    def costs(self, chosen: FeatureSet) -> tuple[float, ...]:
        """What a set costs, by each budget."""
        return tuple(one.cost(chosen) for one in self._problem.constraints if isinstance(one, Budget))

    def _without(self, lost: FeatureSet, seconds: float) -> tuple[Result, FeatureSet | None]:
        """The answer of a search without some features, and its set."""
        narrowed, known = self._narrowed, self._known(frozenset(lost))
        problem = _forbidding(self._quality, self._problem, lost)
        if narrowed is None:
            found = solve(self._quality, problem, self._run.turn(seconds, known), self._engine)
            return found, found.sets[0] if found.sets else None
        run = self._run.turn(seconds, replace(known, sets=[narrowed.places(one) for one in known.sets]))
        left = _forbidding(narrowed.quality, narrowed.problem, narrowed.places(lost))
        found = solve(narrowed.quality, left, run, self._engine)
        if found.sets:
            return found, narrowed.named(found.sets[0])
        if found.status is Status.INFEASIBLE:
            # In the names of the user.
            found = replace(found, reason=why_no_set(self._quality, problem, run))
        return found, None

    def _known(self, lost: frozenset[int]) -> Known:
        """The best set so far that is not affected, and what is proven about sets that have lost less."""
        left = [chosen for chosen in self._sets if lost.isdisjoint(chosen)]
        best = max(left, key=self._quality.evaluate, default=None)
        bound = min((bound for less, bound in self._bounds if less <= lost), default=math.inf)
        return Known(() if best is None else (best,), bound, STILL_BEST)


def _forbidding(quality: Quality, problem: Problem, lost: FeatureSet) -> Problem:
    """The problem without some features."""
    if not lost:
        return problem
    without = Forbid(lost).resolve(FeatureNames.of_quality(quality))
    return replace(problem, constraints=(*problem.constraints, without))
