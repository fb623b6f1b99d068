"""The answer to a request: sets for a goal, how good they have to be, and one set after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from altsets.errors import warn_user
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Progress, Result, StopReason
from altsets.search.good_sets import Nearness, Requirement
from altsets.search.largest import as_many, most_apart, only_found, without_repeats
from altsets.search.run import Run
from altsets.search.solving import MOST_SETS, notes_on, problem_of, solve

#: Seconds by which an answer may come later than its time limit, without a word about it.
MOST_LATE = 0.3


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
    run = Run(request.time_limit, callback, stop)
    problem = problem_of(measured or request, quality)
    if run.remaining < -MOST_LATE:
        warn_user(
            f"reading the request took {run.elapsed:.1f} s, longer than the time limit of {request.time_limit:g} s; "
            "sets are constructed, not searched for."
        )
    with run:
        return _searched(quality, problem, run, request)


def answers_in_turn(
    request: Request,
    quality: Quality,
    measured: Request,
    callback: Callable[[Progress], object] | None = None,
) -> Iterator[Result]:
    """One set after the other, each given those before, as many as asked or until none is left."""
    endless, needed = request.n_alternatives == "max", None
    number, most = 0, MOST_SETS if isinstance(request.n_alternatives, str) else request.n_alternatives + 1
    request, measured = replace(request, n_alternatives=0), replace(measured, n_alternatives=0)
    while number < most:
        number += 1
        run = Run(request.time_limit, callback)
        asked = problem_of(measured, quality)
        problem = without_repeats(asked) if endless and asked.difference == "each" else asked
        with run:
            if problem.within is not None and needed is None:
                needed = Requirement.of(Nearness(problem.within, None), quality, problem, run, request.engine)
            found = _searched(quality, problem, run, request, needed)
        if not found.sets:
            return
        if problem is not asked:
            shown = ("tau", "max_overlap", "dissimilarity")
            said = {name: value for name, value in asked.parameters().items() if name in shown}
            found = replace(found, parameters={**found.parameters, **said})
        if endless and number == most:
            found = replace(found, stop_reason=StopReason.ENGINE_LIMIT)
        yield found
        before = (*request.existing, found.sets[0])
        request, measured = replace(request, existing=before), replace(measured, existing=before)


def _searched(
    quality: Quality, problem: Problem, run: Run, request: Request, needed: Requirement | None = None
) -> Result:
    """The sets of a request; ``needed`` is how good they must be, if that is known."""
    if request.tau == "max" or (request.n_alternatives == "max" and not problem.search.startswith("greedy-")):
        search = most_apart if request.tau == "max" else as_many
        found = search(quality, problem, run, request.engine)
        run.finish(found.sets, found.objective, found.bound)
        return replace(found, request=request.without_numbers(), notes=notes_on(quality, problem))
    result = _with_limit(quality, problem, run, request, needed)
    return only_found(result, problem) if request.n_alternatives == "max" else result


def _with_limit(
    quality: Quality, problem: Problem, run: Run, request: Request, needed: Requirement | None
) -> Result:
    """A given number of sets at a given tau."""
    if problem.within is None:
        return solve(quality, problem, run, request.engine, request=request)
    if needed is None:
        needed = Requirement.of(Nearness(problem.within, None), quality, problem, run, request.engine)
        run.start_from(needed.known(quality, problem))
    return needed.judged(solve(quality, needed.within_it(problem), run, request.engine, request=request))
