"""The exact engine for any quality, constraint and dissimilarity: good sets are listed, compatible ones picked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from altsets.constraints import Forbid, Size
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Form, Quality
from altsets.result import Status
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.engine import Answer, declines_black_box, declines_heuristics
from altsets.search.milp.engine import MilpEngine
from altsets.search.milp.existence import proven_empty
from altsets.search.packing.search import SetPackingSearch
from altsets.search.run import Run, Stopped
from altsets.search.sequential import sequential
from altsets.search.subset.any_set import Anything
from altsets.search.subset.construction import Construction, completed
from altsets.search.subset.pricing import PricingOracle

__all__ = ["PackingEngine"]

#: Steps for the same request without constraints and conflicts.
RELAXED_STEPS = 400

#: Variables that the solver is troubled with, one for each feature and set.
MOST_VARIABLES = 20_000

#: Steps in which a first set should be found.
FEW_STEPS = 5_000

#: Features in a set: each is a level of the search, which a thread must have room for.
MOST_CHOSEN = 1_000


class PackingEngine:
    """Sequential by branch and bound over one set; simultaneous by listing good sets and picking compatible ones."""

    name = "enumerate"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if problem.k_max > MOST_CHOSEN:
            return f"it chooses feature by feature, and takes sets of up to {MOST_CHOSEN:,} features"
        return declines_heuristics(problem) or declines_black_box(quality)

    def solve(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted; then what can be constructed stands in for what is missing."""
        if problem.search == "sequential":
            relaxed = _relaxed(quality, problem, run)
            if relaxed is not None and _stands(quality, problem, relaxed):
                return relaxed
        pricing = PricingOracle(quality, problem, run)
        construction = cache(lambda: Construction(pricing, run))
        if problem.constraints and not run.stopped and _no_set(quality, problem, pricing, run):
            return Answer.infeasible(problem, "no set meets all conditions")
        if problem.search == "sequential":
            return _sequential(quality, problem, pricing, run, construction)
        return completed(_simultaneous(quality, problem, pricing, run, construction), construction)


def _simultaneous(
    quality: Quality,
    problem: Problem,
    pricing: PricingOracle,
    run: Run,
    construction: Callable[[], Construction],
) -> Answer:
    if problem.n_sets == 1 or _all_compatible(problem, equal=True):
        return _repeated(quality, problem, pricing)
    if _all_compatible(problem, equal=False):
        return _best_of_all(quality, problem, pricing)
    search = SetPackingSearch(quality, problem, pricing, run, construction)
    if search.ruled_out():
        return search.answer()
    search.begin()
    if search.list_all() or run.stopped:
        return search.answer()
    relaxed = _relaxed(quality, problem, run)
    if relaxed is not None:
        if _stands(quality, problem, relaxed):
            return relaxed
        search.update_bound(relaxed.bound)
    if not search.start():
        _deal_out(search)
    search.solve()
    if not search.is_proven and not run.stopped:
        _ask_solver(search)
    return search.answer()


def _relaxed(quality: Quality, problem: Problem, run: Run) -> Answer | None:
    """What the additive engine answers if conflicts and constraints are left out; None if that does not make sense.

    It is so much faster that it is worth asking: often none of its sets breaks a rule.
    """
    form = quality.form(problem.k_max)
    if form.has_pairs or form.ratio:
        return None
    if form.conflicts is None and all(isinstance(rule, Forbid | Size) for rule in problem.constraints):
        return None
    return _additive(quality, problem, run)


def _additive(quality: Quality, problem: Problem, run: Run) -> Answer | None:
    """What the additive engine answers for the linear part alone; None if it takes no sets of such sizes or shares."""
    form = quality.form(problem.k_max)
    if callable(problem.dissimilarity) or not problem.fixed_size:
        return None
    forbidden = set(problem.forbidden)
    if form.allowed is not None:
        forbidden |= set(np.flatnonzero(~form.allowed).tolist())
    rules = (Forbid(sorted(forbidden)),) if forbidden else ()
    engine, scores = AdditiveEngine(), Additive(form.linear)
    try:
        return engine.solve(scores, replace(problem, constraints=rules), run.part(RELAXED_STEPS))
    except Stopped:
        return None


def _stands(quality: Quality, problem: Problem, relaxed: Answer) -> bool:
    """Whether an answer to the relaxed request is one to the request."""
    return all(
        status in (Status.OPTIMAL, Status.INFEASIBLE) for status in relaxed.statuses
    ) and _keeps_to_rules(quality, problem, relaxed.sets)


def _keeps_to_rules(quality: Quality, problem: Problem, sets: Sequence[FeatureSet]) -> bool:
    return all(
        quality.evaluate(chosen) > -math.inf and all(rule.holds(chosen) for rule in problem.constraints)
        for chosen in sets
    )


def _deal_out(search: SetPackingSearch) -> None:
    """Valid sets where one best set after the other does not get far enough; or the proof that there are none."""
    quality, problem = search.quality, search.problem
    dealt = _additive(quality, replace(problem, aggregation="sum"), search.run)
    if dealt is None:
        return
    if dealt.statuses[0] is Status.INFEASIBLE:
        search.update_bound(-math.inf)
        search.proof = dealt.proof
    elif _keeps_to_rules(quality, problem, dealt.sets):
        search.update_incumbent(dealt.sets)


def _ask_solver(search: SetPackingSearch) -> None:
    """The integer-programming solver on what stays open: is there a solution at all? Is a linear one the best?"""
    quality, problem, run = search.quality, search.problem, search.run
    if problem.n_features_in * problem.n_sets > MOST_VARIABLES:
        return
    engine, form = MilpEngine(), quality.form(problem.k_max)
    if engine.declines(Anything(form.without_pairs()), problem):
        return
    if not search.sets:
        anything = Anything(Form(np.zeros(len(form.linear)), conflicts=form.conflicts, allowed=form.allowed))
        found = engine.solve(anything, replace(problem, aggregation="sum"), run)
        search.proof = "integer programming"
        if found.statuses[0] is Status.INFEASIBLE:
            search.update_bound(-math.inf)
        elif found.sets:
            search.update_incumbent(found.sets)
            search.solve()
    if not form.has_pairs and not form.ratio and not search.is_proven and not run.stopped:
        found = engine.solve(quality, problem, run)
        search.update_incumbent(found.sets)
        search.update_bound(found.bound)


def _no_set(quality: Quality, problem: Problem, pricing: PricingOracle, run: Run) -> bool:
    """Whether constraints rule out every set; those that only counting finds to clash would take very long here."""
    found = pricing.k_best(1, max_nodes=FEW_STEPS)
    if found.sets or found.bound == -math.inf:
        return not found.sets
    if callable(problem.dissimilarity):
        # How sets differ in a user's own view, only a search can tell.
        problem = replace(problem, existing=())
    form = quality.form(problem.k_max)
    return proven_empty(problem, run, conflicts=form.conflicts, allowed=form.allowed)


def _all_compatible(problem: Problem, *, equal: bool) -> bool:
    """Whether any two sets differ enough: any at all, or any that are not the same."""
    if callable(problem.dissimilarity):
        return problem.tau == 0
    if equal:
        return problem.max_overlap_of(problem.k_max, problem.k_max) >= problem.k_max
    # Of two different sets the smaller one may lie inside the larger, if there is a larger one.
    return all(
        problem.max_overlap_of(s, t) >= (s - 1 if s == t else min(s, t))
        for s in problem.sizes
        for t in problem.sizes
    )


def _sequential(
    quality: Quality,
    problem: Problem,
    pricing: PricingOracle,
    run: Run,
    construction: Callable[[], Construction],
) -> Answer:
    n_existing = len(problem.existing)

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        # The existing sets are among the rules that every good set keeps to.
        found = pricing.k_best(1, others=others[n_existing:])
        if not found.sets:
            return None, found.bound
        return found.sets[0], max(found.bound, found.values[0])

    return sequential(problem, run, next_set, quality.evaluate, "branch and bound over sets", construction)


def _repeated(quality: Quality, problem: Problem, pricing: PricingOracle) -> Answer:
    """One set, or sets that may be equal: the best one again and again."""
    found = pricing.k_best(1)
    return _finished(quality, problem, found.sets * problem.n_sets, found.bound)


def _best_of_all(quality: Quality, problem: Problem, pricing: PricingOracle) -> Answer:
    """Where any two different sets are compatible, the best ones are the best together, sum or minimum."""
    found = pricing.k_best(problem.n_sets)
    sets = found.sets if len(found.sets) == problem.n_sets else []
    return _finished(quality, problem, sets, found.bound)


def _finished(quality: Quality, problem: Problem, sets: Sequence[FeatureSet], missed: float) -> Answer:
    """The answer if no set that was missed is better than ``missed``."""
    proof = "the best sets of all"
    n_sets = problem.n_sets
    if not sets:
        status = Status.INFEASIBLE if missed == -math.inf else Status.NOT_FOUND
        return Answer([], [status] * n_sets, -math.inf if missed == -math.inf else math.inf, proof)
    qualities = [quality.evaluate(chosen) for chosen in sets]
    # Whatever was missed could replace each set that is worse.
    bound = problem.objective([max(value, missed) for value in qualities])
    status = Status.OPTIMAL if missed <= min(qualities) else Status.FEASIBLE
    return Answer(sets, [status] * n_sets, bound, proof)
