"""Bind a request to a quality, choose an engine, solve, verify."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from altsets.constraints import AboveNoise, AtLeastSets, ForbidConstant, Require, Together
from altsets.dissimilarity import Matched
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import Problem, verify, verify_scores
from altsets.quality import Additive, Quality
from altsets.request import Request
from altsets.result import Result, Status, StopReason, overall_status
from altsets.result.reasons import no_single
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.black_box.best_first import BestFirstEngine
from altsets.search.black_box.evaluations import ExhaustiveEngine, at_most
from altsets.search.black_box.greedy_wrapper import GreedyWrapperEngine
from altsets.search.black_box.local_search import LocalSearchEngine
from altsets.search.diagnosis import CONFLICT_STEPS, PROBE_STEPS, find_conflict, possible_instead
from altsets.search.engine import Answer, Engine, answer_from_known, merge_known, on_demand
from altsets.search.enumeration import EnumerationEngine
from altsets.search.heuristics import GreedyEngine, most_alternatives
from altsets.search.milp.engine import MilpEngine
from altsets.search.narrowing import solve_narrowed
from altsets.search.resources import ONE_THREAD, refuse_too_large
from altsets.search.run import Run, Stopped
from altsets.search.scaling import Scaling
from altsets.search.shortlist import ShortlistEngine
from altsets.search.subset.construction import of_one_size
from altsets.wording import by_interface, join_words, parameter

#: What a search that was cut short says before the argument behind its bound.
CUT_SHORT = {
    StopReason.TIME_LIMIT: "time limit reached; ",
    StopReason.INTERRUPTED: "interrupted; ",
    StopReason.ENGINE_LIMIT: "internal limit reached; ",
}
#: Every engine by its name, in the order in which ``engine="auto"`` asks them.
ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        GreedyEngine(),
        AdditiveEngine(),
        ShortlistEngine(),
        EnumerationEngine(),
        MilpEngine(),
        ExhaustiveEngine(),
        BestFirstEngine(),
        LocalSearchEngine(),
        GreedyWrapperEngine(),
    )
}


def solve(
    quality: Quality,
    problem: Problem,
    run: Run,
    engine: str = "auto",
    scaling: Scaling | None = None,
    request: Request | None = None,
) -> Result:
    """The verified answer; in a part of a larger search, without the reason why there are fewer sets than asked.

    If it is all of the answer to a request, it holds that and the notes of the quality.
    """
    # Sets in turn are compared with the limit by whoever goes on to the next one.
    searched = (
        problem if problem.search == "simultaneous" else replace(problem, min_quality=None, within=None)
    )
    # Models behind a black box may use more threads.
    with nullcontext() if not quality.has_form else ONE_THREAD:
        chosen = _engine(engine, quality, searched, run)
        refuse_too_large(chosen.name, quality, searched)
        scaling = scaling or Scaling.of(quality, searched)
        in_units = scaling.problem_in_units(searched)
        run.begin(scaling.exponent)
        if problem.search != "simultaneous" and problem.min_quality is not None:
            run.require(*scaling.quality_in_units(problem.min_quality))
        answer = answer_from_known(scaling.quality, in_units, run.known)
        if answer is None:
            answer = solve_narrowed(partial(_solved, chosen), scaling.quality, in_units, run)
            answer = merge_known(scaling.quality, in_units, answer, run.known)
        return _result(quality, problem, chosen, answer, run, scaling, request)


#: Sets that ``n_alternatives="max"`` looks for at most.
MOST_SETS = 1_000


def problem_of(request: Request, quality: Quality) -> Problem:
    """A request bound to the features of a quality; as many sets as there are where "max" is asked for."""
    if not all(callable(getattr(quality, needed, None)) for needed in ("evaluate", "form")):
        raise InputError(
            f"quality must be a quality object such as altsets.quality.Additive(scores), not {type(quality).__name__}."
        )
    sized = _above_noise(request.sized(n_candidates(quality)), quality)
    problem = _without_constants(sized.bind(FeatureNames.of_quality(quality)), quality)
    if request.n_alternatives != "max":
        return problem
    if any(isinstance(one, AtLeastSets) for one in problem.constraints):
        raise UnsupportedError(
            f"{parameter('n_alternatives', 'max')} does not tell how many sets there will be, as AtLeastSets needs it; "
            "give a number."
        )
    if not problem.search.startswith("greedy-"):
        return problem
    if problem.search == "greedy-depth":
        raise UnsupportedError(
            f"{parameter('search', problem.search)} looks for a number of sets and takes no "
            f"{parameter('n_alternatives', 'max')}; use 'sequential', 'simultaneous', 'greedy-replacement' or "
            "'greedy-balancing'."
        )
    reason = ENGINES["greedy"].declines(quality, replace(problem, within=None, min_quality=None))
    if reason:
        raise UnsupportedError(f"no engine solves this: {reason}.")
    return replace(problem, n_alternatives=min(most_alternatives(problem), MOST_SETS - 1))


def _above_noise(request: Request, quality: Quality) -> Request:
    """The same request, whose condition on the noise floor knows which features that leaves out."""
    if not request.above_noise:
        return request
    scores, floor = quality.feature_scores, quality.noise_floor
    if scores is None or floor is None:
        raise InputError(
            f"{parameter('AboveNoise')} compares features with what they score by chance, which these scores do not "
            "tell; pass the table and the name of a measure, or leave it out."
        )
    below = np.flatnonzero(scores <= floor).tolist()
    known = [one.leaving_out(below) if isinstance(one, AboveNoise) else one for one in request.constraints]
    return replace(request, constraints=tuple(known))


def n_candidates(quality: Quality) -> int:
    """How many features sets can have: constant columns are left out."""
    return quality.n_features_in - len(getattr(quality, "constant", ()))


def _without_constants(problem: Problem, quality: Quality) -> Problem:
    """The problem without columns that say nothing, as they are constant; those that are required stay."""
    left_out = without_required(problem, getattr(quality, "constant", ()))
    if not left_out:
        return problem
    return replace(problem, constraints=(*problem.constraints, ForbidConstant(left_out)))


def without_required(problem: Problem, features: Sequence[int]) -> list[int]:
    """Those of some features that a set can do without."""
    required = {index for one in problem.constraints if isinstance(one, Require) for index in one.features}
    for one in problem.constraints:
        # A constant column of a group comes with the others.
        if isinstance(one, Together) and not set(one.features) <= set(features):
            required.update(one.features)
    return [index for index in features if index not in required]


def refuse_chosen_sizes(quality: Quality, what: str) -> None:
    """Refuse models that choose features themselves, where sets of given sizes are asked for."""
    if getattr(quality, "chooses_size", False):
        raise UnsupportedError(
            f"{what} needs sets of a given size, and with {type(quality).__name__} a model chooses how large they are; "
            f"use {by_interface('altsets.find()', 'altsets find')}."
        )


def refuse_further(problem: Problem, what: str) -> None:
    """Refuse definitions that only a search for a given number of sets knows."""
    if not problem.is_plain:
        raise UnsupportedError(
            f"{what} takes no {join_words(problem.further, 'or')}; use "
            f"{by_interface('altsets.find()', 'altsets find')}."
        )


def refuse_undone(name: str, quality: Quality, problem: Problem, run: Run) -> None:
    """Refuse a problem that no engine solves, or not the one that was asked for."""
    _engine(name, quality, problem, run)


def _engine(name: str, quality: Quality, problem: Problem, run: Run) -> Engine:
    if name == "auto" and not quality.has_form and not problem.search.startswith("greedy-"):
        otherwise = BestFirstEngine.name if quality.chooses_size else LocalSearchEngine.name
        name = ExhaustiveEngine.name if at_most(problem, quality.max_iters, run) else otherwise
    if name != "auto":
        reason = ENGINES[name].declines(quality, problem)
        if reason:
            raise UnsupportedError(f"engine {name!r} does not solve this: {reason}.")
        return ENGINES[name]
    reasons = {}
    for engine in ENGINES.values():
        reasons[engine.name] = engine.declines(quality, problem)
        if reasons[engine.name] is None:
            return engine
    # Of the exact engines "enumerate" declines least, so its reason says most; wide tables have an engine of their own.
    exact = ShortlistEngine.name if on_demand(quality, problem) else EnumerationEngine.name
    relevant = reasons["greedy" if problem.search.startswith("greedy-") else exact]
    raise UnsupportedError(f"no engine solves this: {relevant}.")


def _solved(engine: Engine, quality: Quality, problem: Problem, run: Run) -> Answer:
    """The answer of an engine; if it had only begun, what there is at that time."""
    try:
        return engine.solve(quality, problem, run)
    except Stopped:
        return _cut_short(quality, problem, run)


def _cut_short(quality: Quality, problem: Problem, run: Run) -> Answer:
    """What the run knows, or what can be constructed, where a search was left while it prepared something."""
    alone = problem.search == "sequential"
    sets = run.sets if alone or len(run.sets) == problem.n_sets else []
    if not sets and problem.sizes and quality.has_form and problem.is_plain:
        sets, most = of_one_size(quality, problem, run)
        run.update_bound(problem.objective([most] * problem.n_sets))
    if alone and 0 < len(sets) < problem.n_sets:
        missing = [Status.NOT_FOUND] * (problem.n_sets - len(sets))
        return Answer(sets, [Status.FEASIBLE] * len(sets) + missing, run.bound, "it had only begun")
    return Answer.simultaneous(problem, sets, run.bound, "it had only begun", proven=False)


def _result(
    quality: Quality,
    problem: Problem,
    engine: Engine,
    answer: Answer,
    run: Run,
    scaling: Scaling,
    request: Request | None,
) -> Result:
    stop_reason, sets = answer.stop_reason(run), list(answer.sets)
    if problem.search == "simultaneous":
        # Found together, so no order is given: the best first.
        sets.sort(key=lambda chosen: (-quality.evaluate(chosen), chosen))
    claimed = math.ldexp(answer.bound, scaling.exponent)
    qualities = verify(problem, sets, quality.evaluate, claimed, scaling.scale, lambda: run.stopped)
    objective = problem.objective(qualities, sets)
    statuses = scaling.shown_statuses(problem, answer.statuses)
    status = overall_status(statuses)
    # Where it is proven that no further set is left, the bound is about those found.
    ended = problem.search == "sequential" and status is Status.INFEASIBLE and bool(sets)
    bounded = replace(problem, n_alternatives=len(sets) - 1) if ended else problem
    bound = scaling.shown_bound(bounded, answer.bound, objective)
    run.finish(sets, objective, bound)
    reason = ""
    if len(sets) < problem.n_sets and not run.is_part:
        names = FeatureNames.of_quality(quality)
        reason = _why_fewer(scaling, problem, len(sets), status, names, run)
    scores = quality.scores_in(sets)
    verify_scores(sets, scores, quality.feature_scores)
    return Result(
        sets=sets,
        qualities=qualities,
        objective=objective,
        bound=bound,
        status=status,
        statuses=statuses,
        texts=[quality.names_of(chosen) for chosen in sets],
        parameters=parameters_of(quality, problem, run),
        engine=engine.name,
        proof=("" if run.is_part else CUT_SHORT.get(stop_reason, "")) + answer.proof,
        reason=reason,
        elapsed=run.elapsed,
        stop_reason=stop_reason,
        steps=run.steps,
        evaluated=answer.evaluated,
        iterations=answer.iterations,
        matches=kind.matches_among(sets) if isinstance(kind := problem.dissimilarity, Matched) else [],
        scores=scores,
        shortlist=answer.shortlist,
        existing_qualities=_existing_qualities(quality, problem, run),
        request=None if request is None else request.without_numbers(),
        notes=[] if request is None else notes_on(quality, problem),
        models=[] if run.is_part else quality.models_in(sets),
    )


def notes_on(quality: Quality, problem: Problem) -> list[str]:
    """What a quality has to say about the table, and which columns are no candidates."""
    return [*quality.notes, *_on_constants(quality, problem)]


def _on_constants(quality: Quality, problem: Problem) -> list[str]:
    """Which columns are no candidates."""
    named = FeatureNames.of_quality(quality).listed(problem.constant)
    return [f"Constant columns carry no information and are in no set: {named}."] if named else []


def _existing_qualities(quality: Quality, problem: Problem, run: Run) -> list[float]:
    """What the sets are worth that there are already; a black box may not be asked about them when time is up."""
    if run.is_part or (not quality.has_form and run.stopped):
        return []
    try:
        return [quality.evaluate(chosen) for chosen in problem.existing]
    except InputError:
        # Of sets that no search would have looked at, a black box may say what it must not say of others.
        return []


def parameters_of(quality: Quality, problem: Problem, run: Run) -> dict[str, Any]:
    """The parameters of the request; where sizes are open, with a note on how the quality treats them."""
    iterations = {} if quality.has_form else {"max_iters": quality.max_iters}
    sizes = {} if problem.fixed_size else {"size_normalised": quality.size_normalised}
    return problem.parameters() | iterations | sizes


def _why_fewer(
    scaling: Scaling, problem: Problem, n_found: int, status: Status, names: FeatureNames, run: Run
) -> str:
    """Why there are fewer sets than asked: which constraints clash, or what is possible instead."""
    quality = scaling.quality
    if run.stopped and status is not Status.INFEASIBLE:
        return "More time may help."
    if quality.chooses_size and status is Status.NOT_FOUND:
        return (
            f"The model chose no {'other ' if n_found else ''}set that fits; a smaller {parameter('tau')}, fewer "
            f"constraints or a larger {parameter('max_iters')} may help."
        )
    if not quality.has_form or quality.pairs_on_demand:
        # A black box has no rules that sets could break, and those of pairs in a wide table take too long.
        quality = Additive(np.zeros(problem.n_features_in))
    if not n_found and (status is Status.INFEASIBLE or problem.search.startswith("greedy-")):
        clash = None if run.stopped else find_conflict(quality, problem, run.part(CONFLICT_STEPS))
        if clash is not None:
            return clash.describe(names)
    least, searched = problem.min_quality, scaling.quality
    in_numbers = searched.has_form and not searched.pairs_on_demand
    if not n_found and least is not None and problem.within is None and in_numbers:
        best = _best_single(scaling, problem, run)
        if best is not None and best < least:
            return f"{no_single(problem)} The best one has {best:.6g}."
    form = quality.form(problem.k_max)
    free = form.conflicts is None and form.allowed is None
    return possible_instead(problem, n_found, status, partial(_probe, quality, scaling, run), free=free)


def why_no_set(quality: Quality, problem: Problem, run: Run) -> str:
    """Why not even one set exists, where that is proven."""
    names = FeatureNames.of_quality(quality)
    return _why_fewer(Scaling.of(quality, problem), problem, 0, Status.INFEASIBLE, names, run)


def _best_single(scaling: Scaling, problem: Problem, run: Run) -> float | None:
    """The quality of the best single set, however good; None if a few steps do not show it."""
    part, quality = run.part(PROBE_STEPS), scaling.quality
    single = replace(problem, n_alternatives=0, search="sequential", min_quality=None, max_spread=None)
    single = scaling.problem_in_units(single)
    try:
        part.check()
        found = _engine("auto", quality, single, part).solve(quality, single, part)
    except Stopped:
        return None
    if overall_status(found.statuses) is not Status.OPTIMAL:
        return None
    return math.ldexp(quality.evaluate(found.sets[0]), scaling.exponent)


def _probe(quality: Quality, scaling: Scaling, run: Run, problem: Problem) -> Status:
    """Whether a smaller request has a solution at all, in few steps."""
    part = run.part(PROBE_STEPS)
    problem = scaling.problem_in_units(problem)
    try:
        part.check()
        form = quality.form(problem.k_max)
        limited = problem.min_quality is not None or problem.max_spread is not None
        if form.conflicts is None and form.allowed is None and not limited:
            # Then the numbers do not matter, and equal scores are easy.
            quality = Additive(np.zeros(problem.n_features_in))
        return overall_status(_engine("auto", quality, problem, part).solve(quality, problem, part).statuses)
    except Stopped:
        return Status.NOT_FOUND
