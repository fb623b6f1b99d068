"""Public API: bind a request, choose an engine, solve, verify."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from altsets.constraints import AtLeastSets, Constraint, Require, Size
from altsets.constraints.constant import ForbidConstant
from altsets.dissimilarity import Matched
from altsets.errors import InputError, UnsupportedError, warn_user
from altsets.features import FeatureNames
from altsets.problem import Dissimilarity, Problem, list_constraints, verify, verify_scores
from altsets.quality import Additive, Quality
from altsets.request import MAX_ITERS, Request
from altsets.result import Progress, Result, Status, StopReason, overall_status
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.black_box.best_first import BestFirstEngine
from altsets.search.black_box.evaluations import ExhaustiveEngine, at_most
from altsets.search.black_box.greedy_wrapper import GreedyWrapperEngine
from altsets.search.black_box.local_search import LocalSearchEngine
from altsets.search.diagnosis import CONFLICT_STEPS, PROBE_STEPS, find_conflict, possible_instead
from altsets.search.engine import Answer, Engine, merge_known, on_demand, settle
from altsets.search.heuristics import GreedyEngine, most_alternatives
from altsets.search.milp.engine import MilpEngine
from altsets.search.narrowing import solve_narrowed
from altsets.search.packing.engine import PackingEngine
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
#: Seconds by which an answer may come later than its time limit, without a word about it.
MOST_LATE = 0.3

#: Every engine by its name, in the order in which ``engine="auto"`` asks them.
ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        GreedyEngine(),
        AdditiveEngine(),
        ShortlistEngine(),
        PackingEngine(),
        MilpEngine(),
        ExhaustiveEngine(),
        BestFirstEngine(),
        LocalSearchEngine(),
        GreedyWrapperEngine(),
    )
}


def find(
    quality: Quality,
    n_features: int | None = None,
    n_alternatives: int | str = 3,
    tau: Any = None,
    *,
    min_difference: int | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[Progress], object] | None = None,
    max_iters: int = MAX_ITERS,
    difference: str = "each",
    overlap_penalty: float = 0.0,
    min_quality: float | None = None,
    max_spread: float | None = None,
) -> Result:
    """Find feature sets that are all good and truly different from each other.

    Parameters
    ----------
    quality : quality object
        What "good" means: the sum of scores (:class:`altsets.quality.Additive`), or features that say much about the
        target and little about each other (:class:`altsets.quality.MRMR`, :class:`altsets.quality.FCBF`,
        :class:`altsets.quality.CFS`); or how well a model predicts (:class:`altsets.quality.Wrapper`), also one that
        chooses features by itself (:class:`altsets.quality.Embedded`), or any function of a set
        (:class:`altsets.quality.BlackBox`).
    n_features : int, default=None
        Features in each set, unless ``constraints.Size`` says otherwise. None: 5, or as many as the model chooses if it
        is one that does (:class:`altsets.quality.Embedded`).
    n_alternatives : int or "max", default=3
        Sets to find besides the first one. ``"max"``: as many as the searches ``"greedy-replacement"`` and
        ``"greedy-balancing"`` can give.
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets: 0 allows equal sets, 1 asks for sets that share no feature.
    min_difference : int, default=None
        Instead of tau: the number of features in which two sets must differ at least.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to. :class:`altsets.dissimilarity.Matched` treats near-copies of features as the same;
        :class:`altsets.dissimilarity.Grouped` compares groups of features. A function of your own takes two sorted
        tuples of indices and gives a number between 0 and 1, the same both ways round; it goes with tau, not with
        min_difference. Two sets go together if it gives at least tau, also a set with itself: where that is so, a set
        may come more than once, as with tau=0.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, each the best given those before; or all sets at once; or a heuristic.
    aggregation : {"sum", "min", "leximin"}, default="sum"
        What to maximise over simultaneous sets; with ``"min"`` the sum decides between equal minima as far as it goes.
        ``"leximin"`` makes the worst set as good as possible, then the second worst, and so on.
    constraints : sequence of constraints, default=()
        What every set must keep to, such as ``constraints.Require("age")``; see :mod:`altsets.constraints`. Sets of
        different sizes come from ``constraints.Size(k_min, k_max)``, which replaces n_features. Heuristics take Forbid,
        and ``"greedy-depth"`` also Require, AtMost, AtLeast and Exclusive. Where constraints clash, ``Result.reason``
        names them.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for the whole call, the choice of an engine and all checks included. What was found by then is returned
        with a bound, and ``Result.stop_reason`` is ``"time_limit"``. Each set of a sequential search has its share of
        the time; a set that was not found is constructed greedily and improved by exchanges, and marked as unproven.
        Without a limit, the answer does not depend on how fast the machine is.
    engine : {"auto", "additive", "enumerate", "milp", "greedy", "shortlist", "exhaustive", "best-first", \
            "local-search", "greedy-wrapper"}, default="auto"
        Force one engine; an engine that does not solve the problem says so. "additive" is the fastest, for additive
        quality, sets of one size and no constraint but Forbid (in sequential search, also those on all sets
        together); "enumerate" takes everything that is exact; "milp" is an integer-programming solver for all that is
        linear (not CFS or your own dissimilarity); "greedy" has the heuristics; "shortlist" is for wide tables, whose
        pairs of features are computed on demand. "auto" takes the first that does not decline. The last four are for
        black boxes: "exhaustive" evaluates every set, which "auto" does if they are no more than max_iters; else
        "local-search" looks for good ones, and "greedy-wrapper" does so as Bach (2023) does; "best-first" is for models
        that choose features themselves.
    callback : callable, default=None
        Called with a :class:`altsets.Progress` now and then. What it raises ends the search.
    max_iters : int, default=1000
        For black boxes only, how long to search: the number of sets that are evaluated, of swaps that are tried with
        ``engine="greedy-wrapper"``, or of times that a model chooses with ``engine="best-first"``; with
        ``"sequential"`` for each set, as in Bach (2023), else for the whole search.
    difference : {"each", "average"}, default="each"
        Whether a set must differ by tau from each set before it, or from all of them on average, existing ones
        included. ``"average"`` is for sequential search.
    overlap_penalty : float, default=0.0
        What each feature that two sets share costs, in units of quality: the objective is the sum of the qualities
        minus this times the number of shared features, added up over all pairs of sets, existing ones included. In a
        sequential search each set pays for what it shares with those before it. If neither tau nor min_difference is
        given, tau is 0.
    min_quality : float, default=None
        The least quality of every set, for simultaneous search.
    max_spread : float, default=None
        How much better than the worst set the best one may be at most, for simultaneous search.

    Returns
    -------
    Result
        The sets, with a certificate. Ctrl-C ends the search early and returns what was found.

    Raises
    ------
    altsets.errors.InputError
        If a parameter is out of range or contradicts another one, or a name is not one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.iterate : The same sets one after the other, without a number given in advance.
    altsets.frontier : Every tau that matters at once.
    altsets.most_different : The largest tau at which sets are still good enough.
    altsets.most_sets : As many sets as there are.
    altsets.SelectAlternatives : From a table to sets, as a scikit-learn estimator.

    References
    ----------
    Bach, J. (2023). Finding optimal diverse feature sets with alternative feature selection. arXiv:2307.11607.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1])
    >>> altsets.find(scores, n_features=3, n_alternatives=2, tau=0.5, search="simultaneous").objective
    54.0
    >>> from altsets import constraints
    >>> with_last = [constraints.Require(5), constraints.Exclusive([0, 1])]
    >>> altsets.find(scores, n_features=3, n_alternatives=0, constraints=with_last).sets
    [(0, 2, 5)]
    """
    request = Request(
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        min_difference=min_difference,
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=_with_sizes(constraints, quality, n_features),
        existing=existing,
        engine=engine,
        max_iters=max_iters,
        time_limit=time_limit,
        difference=difference,
        overlap_penalty=overlap_penalty,
        min_quality=min_quality,
        max_spread=max_spread,
    )
    return answer(request, quality, callback=callback)


def answer(
    request: Request,
    quality: Quality,
    *,
    measured: Request | None = None,
    callback: Callable[[Progress], object] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Result:
    """Search for the sets of a request; ``measured`` is the same with numbers of a table, if it needs one.

    ``stop`` is asked now and then: once it returns true, the best so far is the answer, with its bound.
    """
    run = Run(request.time_limit, callback, request.max_iters, stop)
    problem = problem_of(measured or request, quality)
    if run.remaining < -MOST_LATE:
        warn_user(
            f"reading the request took {run.elapsed:.1f} s, longer than the time limit of {request.time_limit:g} s; "
            "sets are constructed, not searched for."
        )
    with run:
        return solve(quality, problem, run, request.engine, request=request)


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
    # Models behind a black box may use more threads.
    with nullcontext() if not quality.has_form else ONE_THREAD:
        chosen = _engine(engine, quality, problem, run)
        refuse_too_large(chosen.name, quality, problem)
        scaling = scaling or Scaling.of(quality, problem)
        in_units = scaling.problem_in_units(problem)
        run.begin(scaling.exponent)
        answer = settle(scaling.quality, in_units, run.known)
        if answer is None:
            answer = solve_narrowed(partial(_solved, chosen), scaling.quality, in_units, run)
            answer = merge_known(scaling.quality, in_units, answer, run.known)
        return _result(quality, problem, chosen, answer, run, scaling, request)


def iterate(
    quality: Quality,
    n_features: int | None = None,
    tau: Any = None,
    *,
    n_alternatives: int | None = None,
    min_difference: int | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    engine: str = "auto",
    callback: Callable[[Progress], object] | None = None,
    max_iters: int = MAX_ITERS,
    difference: str = "each",
    overlap_penalty: float = 0.0,
) -> Iterator[Result]:
    """Find sets one after the other, for as long as you like.

    Without ``n_alternatives`` the sets go on until no further one exists. Parameters are checked when the first set is
    asked for.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`altsets.find`.
    n_features : int, default=None
        Features in each set, unless ``constraints.Size`` says otherwise. None: 5, or as many as the model chooses if it
        is one that does (:class:`altsets.quality.Embedded`).
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets.
    n_alternatives : int, default=None
        Sets to find besides the first one; None for all that exist.
    min_difference : int, default=None
        Instead of tau: the number of features in which two sets must differ at least.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    search : {"sequential"}, default="sequential"
        The only search that gives one set after the other.
    aggregation : {"sum", "min", "leximin"}, default="sum"
        Without effect, as there is one set at a time.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for each set.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.
    callback : callable, default=None
        Called with a :class:`altsets.Progress` now and then. What it raises ends the search.
    max_iters : int, default=1000
        For black boxes only, how long to search for each set, as for :func:`altsets.find`.
    difference : {"each", "average"}, default="each"
        Whether a set must differ by tau from each set before it, or from all of them on average.
    overlap_penalty : float, default=0.0
        What each feature that a set shares with one before it costs, in units of quality.

    Yields
    ------
    Result
        One set, given the sets before it.

    Raises
    ------
    altsets.errors.InputError
        If ``search`` is not ``"sequential"``, a parameter is out of range or contradicts another one, or a name is not
        one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.find : A given number of sets.
    altsets.most_sets : As many sets as there are, chosen together.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> for found in altsets.iterate(quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, tau=1):
    ...     print(found.sets[0], found.qualities[0], found.status)
    (0, 1) 17.0 optimal
    (2, 3) 10.0 optimal
    (4, 5) 3.0 optimal
    """
    if search != "sequential":
        raise InputError("iterate() gives one set after the other; it takes search='sequential' only.")
    request = Request(
        n_features=n_features,
        n_alternatives=0,
        tau=tau,
        min_difference=min_difference,
        dissimilarity=dissimilarity,
        aggregation=aggregation,
        constraints=_with_sizes(constraints, quality, n_features),
        existing=existing,
        engine=engine,
        max_iters=max_iters,
        time_limit=time_limit,
        difference=difference,
        overlap_penalty=overlap_penalty,
    )
    if any(isinstance(one, AtLeastSets) for one in request.constraints):
        raise UnsupportedError(
            "iterate() does not know how many sets there will be, as AtLeastSets needs it; use altsets.find()."
        )
    count = 0
    while n_alternatives is None or count <= n_alternatives:
        found = answer(request, quality, callback=callback)
        if not found.sets:
            return
        yield found
        request = replace(request, existing=(*request.existing, found.sets[0]))
        count += 1


def _with_sizes(constraints: Any, quality: Any, n_features: int | None) -> tuple[Constraint, ...]:
    """The constraints; if a model chooses how large sets are and nobody else does, all sizes."""
    listed = list_constraints(constraints)
    if n_features is not None or not getattr(quality, "chooses_size", False):
        return listed
    has_size = any(isinstance(one, Size) for one in listed)
    return listed if has_size else (*listed, Size(1, quality.n_features_in))


def problem_of(request: Request, quality: Quality) -> Problem:
    """A request bound to the features of a quality; as many sets as there are where "max" is asked for."""
    if not all(callable(getattr(quality, needed, None)) for needed in ("evaluate", "form")):
        raise InputError(
            f"quality must be a quality object such as altsets.quality.Additive(scores), not {type(quality).__name__}."
        )
    problem = _without_constants(request.bind(FeatureNames.of_quality(quality)), quality)
    if request.n_alternatives != "max":
        return problem
    if problem.search not in ("greedy-replacement", "greedy-balancing"):
        raise UnsupportedError(
            f"{parameter('n_alternatives', 'max')} goes with greedy-replacement and greedy-balancing, not with "
            f"{problem.search!r}; "
            "iterate() gives sets until none is left."
        )
    reason = ENGINES["greedy"].declines(quality, problem)
    if reason:
        raise UnsupportedError(f"no engine solves this: {reason}.")
    return replace(problem, n_alternatives=most_alternatives(problem))


def _without_constants(problem: Problem, quality: Quality) -> Problem:
    """The problem without columns that say nothing, as they are constant; those that are required stay."""
    left_out = without_required(problem, getattr(quality, "constant", ()))
    if not left_out:
        return problem
    return replace(problem, constraints=(*problem.constraints, ForbidConstant(left_out)))


def without_required(problem: Problem, features: Sequence[int]) -> list[int]:
    """Those of some features that a set can do without."""
    required = {index for one in problem.constraints if isinstance(one, Require) for index in one.features}
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


def _engine(name: str, quality: Quality, problem: Problem, run: Run) -> Engine:
    if name == "auto" and not quality.has_form and not problem.search.startswith("greedy-"):
        otherwise = BestFirstEngine.name if quality.chooses_size else LocalSearchEngine.name
        name = ExhaustiveEngine.name if at_most(problem, run.max_iters, run) else otherwise
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
    exact = ShortlistEngine.name if on_demand(quality, problem) else PackingEngine.name
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
    bound = scaling.shown_bound(problem, answer.bound, objective)
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
        named_sets=[quality.names_of(chosen) for chosen in sets],
        parameters=_parameters(quality, problem, run),
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
        notes=[] if request is None else [*quality.notes, *_on_constants(quality, problem)],
        models=[] if run.is_part else quality.models_in(sets),
    )


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


def _parameters(quality: Quality, problem: Problem, run: Run) -> dict[str, Any]:
    """The parameters of the request; where sizes are open, with a note on how the quality treats them."""
    iterations = {} if quality.has_form else {"max_iters": run.max_iters}
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
    return possible_instead(problem, n_found, status, partial(_probe, quality, scaling, run))


def why_no_set(quality: Quality, problem: Problem, run: Run) -> str:
    """Why not even one set exists, where that is proven."""
    names = FeatureNames.of_quality(quality)
    return _why_fewer(Scaling.of(quality, problem), problem, 0, Status.INFEASIBLE, names, run)


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
