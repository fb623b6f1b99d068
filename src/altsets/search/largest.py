"""The largest tau, or number of sets, and the best sets for it: jointly, or one set after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from altsets.constraints import AtLeastSets
from altsets.dissimilarity import Matched
from altsets.errors import UnsupportedError
from altsets.problem import EXACT_TOLERANCE, Dissimilarity, FeatureSet, Problem, verify
from altsets.quality import Quality
from altsets.result import Result, Status, StopReason, overall_status
from altsets.search.diagnosis import why_no_more
from altsets.search.family_search import LargestNumber, LargestTau
from altsets.search.good_sets import Nearness, Requirement
from altsets.search.run import Known, Run
from altsets.search.sequential import KEPT_BACK, MOST_KEPT_BACK
from altsets.search.solving import CUT_SHORT, MOST_SETS, parameters_of, refuse_undone, solve
from altsets.wording import parameter

#: The part of the time that stays for the best sets at the largest tau, and steps for them where time is not limited.
KEPT_FOR_BEST, BEST_STEPS = 0.5, 20_000


def most_apart(quality: Quality, problem: Problem, run: Run, engine: str) -> Result:
    """Sets that are as different as possible while they are good enough, then as good as possible."""
    joint = problem.search == "simultaneous"
    if not joint and any(isinstance(one, AtLeastSets) for one in problem.constraints):
        raise UnsupportedError(
            f"{parameter('tau', 'max')} with {parameter('search', problem.search)} chooses each set without a look at "
            f"later ones, which AtLeastSets needs; use {parameter('search', 'simultaneous')}."
        )
    if joint:
        refuse_undone(engine, quality, _at(problem, Fraction(0), 0.0), run)
    needed = Requirement.of(Nearness(problem.within, problem.min_quality), quality, problem, run, engine)
    if needed.best is None or not needed.is_met:
        result = needed.judged(solve(quality, needed.within_it(problem), run, engine))
    elif joint:
        result = needed.judged(_jointly(quality, problem, needed, run, engine))
    else:
        result = needed.judged(_in_turn(quality, problem, needed, run, engine))
    return replace(result, parameters={**result.parameters, **_needed(problem, needed), "tau": "max"})


def _at(problem: Problem, tau: Fraction | None, least: float | None) -> Problem:
    """The best sets at a tau; where the worst one counts, or there is one alone, a limit on them says no more."""
    limited = problem.n_sets > 1 and problem.aggregation == "sum"
    return replace(problem, tau=tau, within=None, min_quality=least if limited else None)


def _needed(problem: Problem, needed: Requirement) -> dict[str, Any]:
    """How good sets have to be, for the parameters."""
    least = None if needed.best is None else needed.least
    if problem.within is not None:
        return {"within": problem.within, "quality_needed": least}
    return {} if problem.min_quality is None else {"min_quality": problem.min_quality}


def _plain_question(problem: Problem) -> Problem:
    """Whether there are such sets, regardless of what they are worth together."""
    return replace(problem, aggregation="min", overlap_penalty=0.0, within=None, min_quality=None)


def _jointly(quality: Quality, problem: Problem, needed: Requirement, run: Run, engine: str) -> Result:
    """All sets at once: the largest tau, then the best sets there."""
    assert needed.best is not None
    search = LargestTau(quality, _plain_question(problem), needed, run, engine)
    with run.keep_back(KEPT_FOR_BEST):
        search.settle(needed.best)
    if not search.sets:
        return solve(quality, needed.within_it(problem), run, engine)
    found = _best(quality, _at(problem, search.tau, needed.least), search.sets, run, engine)
    proven = search.is_settled and needed.proven
    has_others = problem.n_sets > 1 or problem.existing
    return _judged(
        replace(
            found,
            tau_found=float(search.tau) if has_others else None,
            tau_bound=_bound(search, needed) if has_others else None,
            proof=f"{search.argument}; {found.proof}",
            elapsed=run.elapsed,
            steps=run.steps,
        ),
        [proven] * problem.n_sets,
        run,
    )


def _bound(search: LargestTau, needed: Requirement) -> float:
    """No larger tau is possible; 1 if that depends on a better set than the best one that was found."""
    certain = needed.proven or (needed.asked.within is not None and needed.asked.within <= 1)
    # What is possible for the best set found may be impossible for a better one, but not the other way round.
    if not certain:
        return 1.0
    if not search.taus.every and search.is_settled:
        # To one step: nothing larger by that or more is possible.
        return max(float(search.tau), float(search.bound))
    return float(search.bound)


def _best(quality: Quality, problem: Problem, known: Sequence[FeatureSet], run: Run, engine: str) -> Result:
    """The best sets for a problem that these are a solution of; in a fixed number of steps if time is not limited."""
    max_steps = BEST_STEPS if run.remaining == math.inf else math.inf
    turn = run.turn(known=Known(sets=list(known)), max_steps=max_steps)
    return solve(quality, problem, turn, engine)


def _judged(result: Result, proven: Sequence[bool], run: Run) -> Result:
    """The result with sets that are optimal only if what comes first is proven, too."""
    statuses = [
        Status.FEASIBLE if status is Status.OPTIMAL and not sure else status
        for status, sure in zip(result.statuses, proven, strict=True)
    ]
    status = overall_status(statuses)
    if result.stop_reason is not StopReason.FINISHED or all(proven):
        return replace(result, statuses=statuses, status=status)
    ended = run.stop_reason
    proof = CUT_SHORT.get(ended, "") + result.proof
    return replace(result, statuses=statuses, status=status, stop_reason=ended, proof=proof)


def _in_turn(quality: Quality, problem: Problem, needed: Requirement, run: Run, engine: str) -> Result:
    """Each set as different as possible from those before, then as good as possible."""
    found: list[Result] = []
    sets: list[FeatureSet] = []
    for number in range(problem.n_sets):
        one = replace(problem, n_alternatives=0, existing=(*problem.existing, *sets))
        with run.keep_back(min(KEPT_BACK * (problem.n_sets - number - 1), MOST_KEPT_BACK)):
            step = None if sets and run.stopped else _jointly(quality, one, needed, run, engine)
        if step is None or not step.sets:
            if step is not None and step.status is Status.INFEASIBLE:
                return _together(quality, problem, found, Status.INFEASIBLE, run)
            break
        if step.sets[0] in sets and step.statuses[0] is not Status.OPTIMAL and run.stopped:
            break
        found.append(step)
        sets += step.sets
    return _together(quality, problem, found, Status.NOT_FOUND, run)


def _together(
    quality: Quality, problem: Problem, found: Sequence[Result], missing: Status, run: Run
) -> Result:
    """One answer out of those for each set."""
    n_missing = problem.n_sets - len(found)
    if not found:
        # Not even one set in the time; or none that meets all constraints.
        return solve(quality, replace(problem, within=None, min_quality=None), run)
    sets = [one.sets[0] for one in found]
    taus = [one.tau_found for one in found if one.tau_found is not None]
    bounds = [one.tau_bound for one in found if one.tau_bound is not None]
    tau = min(taus, default=None)
    bound = math.fsum(one.bound for one in found)
    if n_missing and missing is Status.NOT_FOUND:
        bound += n_missing * max(found[0].bound, 0.0) if not problem.existing else math.inf
    asked = replace(problem, tau=Fraction(tau or 0), within=None, min_quality=None)
    qualities = verify(asked, sets, quality.evaluate, math.inf, hurry=lambda: run.stopped)
    statuses = [one.statuses[0] for one in found] + [missing] * n_missing
    objective = math.fsum(qualities)
    kind = problem.dissimilarity
    cut_short: list[StopReason] = [
        one.stop_reason for one in found if one.stop_reason is not StopReason.FINISHED
    ]
    cut_short.append(StopReason.FINISHED)
    return replace(
        found[0],
        sets=sets,
        qualities=qualities,
        objective=objective,
        bound=max(bound, objective),
        statuses=statuses,
        status=overall_status(statuses),
        texts=[quality.names_of(chosen) for chosen in sets],
        parameters=parameters_of(quality, asked, run),
        engine=found[-1].engine,
        proof=found[-1].proof,
        reason="More time may help." if missing is Status.NOT_FOUND and n_missing else found[-1].reason,
        elapsed=run.elapsed,
        steps=run.steps,
        evaluated=sum(one.evaluated for one in found),
        iterations=sum(one.iterations for one in found),
        stop_reason=run.stop_reason if n_missing else cut_short[0],
        matches=kind.matches_among(sets) if isinstance(kind, Matched) else [],
        scores=quality.scores_in(sets),
        models=quality.models_in(sets),
        tau_found=tau,
        tau_bound=min(bounds, default=None),
    )


def without_repeats(problem: Problem) -> Problem:
    """The same request, in which a set does not differ from itself."""
    if problem.tau is None:
        least: Fraction | int | None = problem.min_difference
    else:
        least = problem.tau
    if least is not None and least <= EXACT_TOLERANCE:
        # Any two sets that differ in one feature, which by Dice counts for at least this much.
        largest = max(problem.k_max, *(len(given) for given in problem.existing), 1)
        return replace(problem, dissimilarity="dice", tau=Fraction(1, 2 * largest), min_difference=None)
    own = problem.dissimilarity
    # Those of altsets find every set equal to itself, and engines know them by their class.
    if not callable(own) or type(own).__module__.startswith("altsets."):
        return problem
    return replace(problem, dissimilarity=_NeverRepeated(own))


@dataclass(frozen=True)
class _NeverRepeated:
    """A user's own dissimilarity, by which no set differs from itself, whether it exists already or not."""

    own: Dissimilarity

    def __call__(self, first: FeatureSet, second: FeatureSet) -> float:
        return 0.0 if first == second else self.own(first, second)


def as_many(quality: Quality, problem: Problem, run: Run, engine: str) -> Result:
    """As many sets as there are, each of them once, then the best so many."""
    if problem.difference == "average":
        raise UnsupportedError(
            f"{parameter('n_alternatives', 'max')} never gives a set twice, which "
            f"{parameter('difference', 'average')} does not rule out; give a number, or leave it out."
        )
    asked = Nearness(problem.within, problem.min_quality)
    if problem.within is None and problem.min_quality is None:
        asked = Nearness(None, -math.inf)
    distinct = without_repeats(problem)
    if problem.search == "sequential":
        result = _one_by_one(quality, distinct, asked, run, engine)
        given = problem.parameters()
        shown = {"tau": given["tau"], "dissimilarity": given["dissimilarity"]}
        return replace(result, parameters={**result.parameters, **shown, "n_alternatives": "max"})
    limited = replace(distinct, n_alternatives=1)
    least = None if asked.min_quality == -math.inf else 0.0
    refuse_undone(engine, quality, _at(limited, distinct.tau, least), run)
    needed = Requirement.of(asked, quality, problem, run, engine)
    if needed.best is None or not needed.is_met:
        result = solve(quality, needed.within_it(problem), run, engine)
    else:
        result = _largest_number(quality, problem, distinct, needed, run, engine)
    if result.sets and result.n_sets_bound is None:
        result = replace(result, n_sets_bound=math.inf)
    return replace(
        needed.judged(result),
        parameters={
            **parameters_of(quality, problem, run),
            **_needed(problem, needed),
            "n_alternatives": "max",
        },
    )


def _largest_number(
    quality: Quality, problem: Problem, distinct: Problem, needed: Requirement, run: Run, engine: str
) -> Result:
    assert needed.best is not None
    search = LargestNumber(quality, _plain_question(distinct), needed, run, engine)
    with run.keep_back(KEPT_FOR_BEST):
        search.settle(needed.best)
    if not search.sets:
        return solve(quality, needed.within_it(distinct), run, engine)
    most = replace(distinct, n_alternatives=len(search.sets) - 1, within=None, min_quality=None)
    if needed.least > -math.inf and distinct.aggregation == "sum":
        most = replace(most, min_quality=needed.least)
    found = _best(quality, most, search.sets, run, engine)
    certain = needed.proven or (needed.asked.within is not None and needed.asked.within <= 1)
    proven = search.is_settled and needed.proven
    result = _judged(
        replace(
            found,
            n_sets_bound=float(search.bound) if certain else math.inf,
            proof=f"{search.proof}; {found.proof}",
            elapsed=run.elapsed,
            steps=run.steps,
        ),
        [proven] * len(found.statuses),
        run,
    )
    return replace(result, stop_reason=StopReason.ENGINE_LIMIT) if search.is_limited else result


def _one_by_one(quality: Quality, problem: Problem, asked: Nearness, run: Run, engine: str) -> Result:
    """Set after set, until none is left or the next one is not good enough."""
    endless = replace(problem, n_alternatives=MOST_SETS - 1)
    needed = None
    if asked.within is not None:
        needed = Requirement.of(asked, quality, endless, run, engine)
        run.start_from(needed.known(quality, endless))
        endless = needed.within_it(endless)
    result = solve(quality, endless, run, engine)
    if needed is not None:
        result = needed.judged(result)
    return only_found(result, endless)


def only_found(result: Result, problem: Problem) -> Result:
    """An answer about as many sets as there are, as if those found had been asked for."""
    n_found = len(result.sets)
    if not n_found:
        return replace(result, statuses=result.statuses[:1])
    statuses = result.statuses[:n_found]
    stop_reason = StopReason.ENGINE_LIMIT if n_found == MOST_SETS else result.stop_reason
    status = overall_status(statuses)
    # Sets that were not found count for the bound of a given number only.
    bound = result.objective if status is Status.OPTIMAL else result.bound
    reason = why_no_more(problem, n_found, result.status)
    return replace(
        result, statuses=statuses, status=status, bound=bound, reason=reason, stop_reason=stop_reason
    )
