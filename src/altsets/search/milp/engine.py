"""The fallback: whatever is linear as an integer programme, with symmetry broken and our bounds added."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from altsets.arrays import Bools
from altsets.constraints.base import CostRule, Rule
from altsets.dissimilarity import Grouped, Matched
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.search.degree_bounds import sum_bound
from altsets.search.engine import (
    PROVEN,
    Answer,
    declines_black_box,
    declines_checks,
    declines_heuristics,
    declines_joint,
)
from altsets.search.milp.formulation import Formulation
from altsets.search.milp.highs import OBJECTIVE_FACTOR, UNCONFIRMED
from altsets.search.run import Run, Stopped
from altsets.search.sequential import SequentialSearch
from altsets.search.steps import NextSet, UsageLimits, demanded_after, priced, steps, uses_of, with_rules
from altsets.search.subset.candidates import Anything, Candidates
from altsets.search.subset.construction import Construction, completed
from altsets.search.subset.pricing import PricingOracle
from altsets.wording import parameter

#: By how much the smallest quality may fall when the sum is maximised after it, as dividing by the scale rounds.
MINIMUM_SLACK = 1e-12
#: To prove that there is no set, the solver is used for more sizes than this, or after so many nodes of a search;
#: beyond so many features it is not, as the programme takes too long.
MAX_SIZES, SEARCH_NODES, MAX_FEATURES = 16, 10_000, 20_000


class MilpEngine:
    """HiGHS on the paper's formulation, for what the specialised engines leave open or a user wants checked."""

    name = "milp"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if reason := declines_black_box(quality, problem) or declines_checks(problem):
            return reason
        match problem.dissimilarity:
            case Matched(threshold=None):
                return (
                    "matches that count for parts have limits that it does not keep exactly; give a threshold"
                )
            case str() | Matched() | Grouped():
                pass
            case _:
                return "it takes no dissimilarity of your own, which need not be linear"
        if quality.form(problem.k_max).ratio:
            return f"{type(quality).__name__} is a ratio, which is not linear"
        if quality.form(problem.k_max).fit is not None:
            return "what a linear model explains is not linear in the features that it has"
        if quality.size_normalised and not problem.fixed_size:
            return f"{type(quality).__name__} is linear for sets of one size only"
        knows = parameter("engine", "enumerate")
        if problem.search == "simultaneous" and (
            reason := declines_joint(_without_coupling(problem), knows=knows)
        ):
            return reason
        if problem.difference == "average" and not (problem.dissimilarity == "dice" or problem.tau is None):
            return f"{parameter('difference', 'average')} is linear with dice only"
        return declines_heuristics(problem)

    def solve(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """Sequential or simultaneous, as asked."""
        if not problem.sizes:
            return Answer.infeasible(problem, "constraints on the size contradict each other")
        construction = cache(lambda: Construction(PricingOracle(quality, problem, run)))
        if problem.search == "simultaneous":
            try:
                answer = _simultaneous(quality, problem, run)
            except Stopped:
                proof = "the integer programme was not ready in time"
                answer = Answer.without_sets(problem, math.inf, proof)
            return completed(answer, construction) if problem.is_plain else answer

        if not problem.is_plain:
            return _in_steps(quality, problem, run)

        def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
            return best_set(quality, problem, others, run)

        search = SequentialSearch(problem, run, next_set, quality.evaluate, construction)
        return search.solve("integer programming")


def _in_steps(quality: Quality, problem: Problem, run: Run) -> Answer:
    """One set after the other, where the sets before demand more than to differ from each of them."""
    following = NextSet(quality, problem, run)

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        best, bound = None, -math.inf
        for step in steps(problem, others):
            chosen, left = best_set(priced(quality, step.prices), step.problem, step.problem.existing, run)
            bound = max(bound, left)
            if chosen is not None and (
                best is None or following.value(chosen, others) > following.value(best, others)
            ):
                best = chosen
        return best, bound

    return following.in_turn("integer programming", next_set)


def best_set(
    quality: Quality,
    problem: Problem,
    others: Sequence[FeatureSet],
    run: Run,
    candidates: Candidates | None = None,
) -> tuple[FeatureSet | None, float]:
    """The best set that differs enough from the others, existing ones among them, and a bound on every such set."""
    # All that matters to one set are the best features outside the others.
    single = replace(problem, n_alternatives=0, existing=tuple(others))
    try:
        model = Formulation(quality, single, candidates, run)
        if model.too_few:
            return None, -math.inf
        model.add_set(others)
        model.maximise_sum()
    except Stopped:
        return None, math.inf
    sets, bound = confirmed(model, quality, run)
    return (None if sets is None else sets[0]), bound * model.scale


def confirmed(model: Formulation, quality: Quality, run: Run) -> tuple[list[FeatureSet] | None, float]:
    """Solve with presolve and without it, as presolve has been seen to lose solutions; the weaker claim counts."""
    # "Infeasible" must also hold without an objective. An unconfirmed bound is raised by more than counts as proven.
    sets, bound = solve(model, run)
    if sets is None and bound == -math.inf and not run.stopped and model.programme.is_empty(run):
        return None, -math.inf
    again, other_bound = (None, math.inf) if run.stopped else solve(model, run, presolve=False)
    found = [one for one in (sets, again) if one is not None]
    best = max(found, key=partial(model.value, quality), default=None)
    value = -math.inf if best is None else model.value(quality, best)
    if run.stopped or min(bound, other_bound) == -math.inf:
        bound = min(one for one in (bound, other_bound, model.highest) if one > -math.inf)
        return best, max(bound, value) + UNCONFIRMED
    return best, max(bound, other_bound, value)


def solve(model: Formulation, run: Run, *, presolve: bool = True) -> tuple[list[FeatureSet] | None, float]:
    """Solve, and again as long as an answer breaks a constraint by less than the solver's tolerance."""
    while True:
        solution = model.programme.maximise(run, presolve=presolve)
        if solution.values is None:
            return None, solution.bound
        sets = model.features_of(solution.values)
        broken = [one for one in sets if not model.holds(one)]
        together = model.hold_together(sets)
        if not broken and together:
            return sets, solution.bound
        if run.stopped:
            return None, solution.bound
        # Only a sum can be missed by so little; and more features together cost no less.
        for chosen in broken:
            model.exclude(chosen)
        if not together:
            model.exclude_together(sets)


def _without_coupling(problem: Problem) -> Problem:
    """The problem without what this engine has rows for in simultaneous search: joint constraints and a penalty."""
    single = tuple(one for one in problem.constraints if not one.joint_rules())
    return replace(problem, constraints=single, overlap_penalty=0.0)


def _simultaneous(quality: Quality, problem: Problem, run: Run) -> Answer:
    """All sets in one programme, interchangeable but for their order."""
    demanded = demanded_after(problem, problem.existing)
    if demanded is None:
        return Answer.infeasible(problem, "joint constraints leave no set")
    model, single = _empty_model(quality, problem, demanded, run)
    if model.too_few:
        return Answer.infeasible(problem, "too few features may be used")
    limit = math.inf
    if model.linear and problem.fixed_size and problem.caps_shared:
        # For the answer and the variable of the minimum; as a row over all variables it made presolve cut off optima.
        limit = sum_bound(model.candidates, single).value / model.scale
    if limit == -math.inf:
        return Answer.infeasible(problem, "counting shared features")
    _add_sets(model, problem, demanded)
    if problem.aggregation == "min":
        sets, bound = _largest_minimum(model, quality, limit / problem.n_sets, run)
    else:
        model.maximise_sum()
        sets, bound = confirmed(model, quality, run)
        bound = min(bound, limit)
    proof, bound = "integer programming", bound * model.scale
    if sets is None:
        return Answer.without_sets(problem, bound, proof)
    objective = problem.objective([quality.evaluate(chosen) for chosen in sets], sets)
    proven = bound - objective <= PROVEN
    return Answer.simultaneous(problem, sets, max(bound, objective), proof, proven=proven)


def _empty_model(
    quality: Quality, problem: Problem, demanded: tuple[Rule, ...], run: Run
) -> tuple[Formulation, Problem]:
    """A programme without sets, and the problem of each of them."""
    # What existing sets use up and have bought is a matter of each set; what is shared with them is paid by features.
    single = with_rules(problem.plain, demanded)
    prices = problem.overlap_penalty * uses_of(problem, problem.existing) if problem.overlap_penalty else None
    return Formulation(priced(quality, prices), single, run=run, asked=problem), single


def _add_sets(model: Formulation, problem: Problem, demanded: tuple[Rule, ...]) -> None:
    """All sets, which differ and keep to what they share."""
    for _ in range(problem.n_sets):
        model.add_set(problem.existing)
    for first, second in itertools.combinations(model.sets, 2):
        model.differ(first, second)
    model.in_order()
    model.couple(UsageLimits.of(problem), [rule for rule in demanded if isinstance(rule, CostRule)])


def whole_model(quality: Quality, problem: Problem) -> Formulation | None:
    """The programme for all sets together, with its objective; None if it is plain that there are none."""
    demanded = demanded_after(problem, problem.existing)
    if demanded is None:
        return None
    model, _ = _empty_model(quality, problem, demanded, Run())
    if model.too_few:
        return None
    _add_sets(model, problem, demanded)
    if problem.aggregation == "min":
        model.maximise_minimum(model.reach)
    else:
        model.maximise_sum()
    return model


def _largest_minimum(
    model: Formulation, quality: Quality, limit: float, run: Run
) -> tuple[list[FeatureSet] | None, float]:
    """The largest minimum; among equal minima the larger sum: hold the minimum and maximise again."""
    programme = model.programme
    limit = min(limit, model.reach)
    # In units in which the solver's tolerance on rows is far below what counts as proven.
    unit = OBJECTIVE_FACTOR
    lowest = model.maximise_minimum(limit, unit)
    sets, bound = confirmed(model, quality, run)
    bound = min(bound, limit)
    if sets is None or run.stopped:
        return sets, bound
    worst = min(map(quality.evaluate, sets))
    programme.fix_least(lowest, (worst / model.scale - MINIMUM_SLACK) * unit)
    model.maximise_sum()
    larger, _ = solve(model, run)
    if larger is not None and min(map(quality.evaluate, larger)) >= worst - PROVEN / 2:
        sets = larger
    return sets, bound


def proven_empty(
    problem: Problem,
    run: Run,
    *,
    conflicts: Bools | None = None,
    allowed: Bools | None = None,
) -> bool:
    """Whether it is proven that no set is valid and differs from existing ones, under the conflicts of a form."""
    if not problem.existing:
        # A single set differs from nothing, and shared features are easier to handle.
        problem = replace(problem, dissimilarity="dice")
    problem = problem.without_pairs_on_demand
    anything = Anything(Form(np.zeros(problem.n_features_in), conflicts=conflicts, allowed=allowed))
    candidates, n_features = None, problem.n_features_in
    if len(problem.sizes) <= MAX_SIZES:
        pricing = PricingOracle(anything, problem, run)
        found = pricing.k_best(1, max_nodes=SEARCH_NODES)
        if found.sets or found.bound == -math.inf:
            return not found.sets
        features = np.array(pricing.features, dtype=np.intp)
        candidates, n_features = Candidates(features, np.zeros(len(features))), len(features)
    if n_features > MAX_FEATURES or callable(problem.dissimilarity) or problem.rules.are_asked or run.stopped:
        return False
    chosen, bound = best_set(anything, problem, problem.existing, run, candidates)
    return chosen is None and bound == -math.inf
