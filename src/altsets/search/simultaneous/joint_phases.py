"""Phases about joint conditions: what sets that are chosen together use, cost and are worth."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from altsets.problem import FeatureSet
from altsets.quality import Additive
from altsets.search.additive import pattern_milp
from altsets.search.engine import ROUNDED
from altsets.search.milp.highs import STEPS_PER_NODE
from altsets.search.simultaneous.joint import all_but
from altsets.search.simultaneous.linear_part import are_valid, linear_part
from altsets.search.simultaneous.lists import LIST_NODES
from altsets.search.simultaneous.master import DualBound
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.subset.candidates import form_of

#: Sets of a programme over membership patterns, which has one pattern for each collection of sets.
MOST_PATTERN_SETS = 10


def count_uses(search: SimultaneousSearch) -> None:
    """Rule the request out by counting: sets need more features than joint conditions allow, or fewer."""
    joint, n_sets, pricing = search.joint, search.state.n_sets, search.pricing
    if joint is None or not (joint.usage.upper or joint.usage.lower):
        return
    most = sum(joint.usage.upper.get(feature, n_sets) for feature in pricing.features)
    least = sum(joint.usage.lower.values())
    possible = set(pricing.features).issuperset(joint.usage.lower)
    if most < n_sets * pricing.problem.k_min or least > n_sets * pricing.problem.k_max or not possible:
        search.state.update_bound(-math.inf, "counting uses of features")


def count_patterns(
    search: SimultaneousSearch, max_variables: int, nodes: float = math.inf, time_left: float = 0.0
) -> None:
    """How many features lie in which of the sets, where features are subject to counts, groups and costs only."""
    joint, problem, state = search.joint, search.problem, search.state
    if joint is None or not isinstance(search.quality, Additive) or state.max_min:
        return
    if not (problem.counts_shared and problem.fixed_size) or problem.n_sets > MOST_PATTERN_SETS:
        return
    if not joint.counts_features:
        return
    conditions = joint.conditions
    candidates = conditions.candidates(search.quality.scores, problem)
    if pattern_milp.n_variables(candidates, problem, conditions) > max_variables:
        return
    run = search.run.part(nodes * STEPS_PER_NODE)
    with search.run.keep_back(time_left):
        sets, bound = pattern_milp.best_sum(candidates, problem, state.bound, run, conditions=conditions)
    state.update_incumbent(sets)
    state.update_bound(bound, "integer programme over membership patterns")


#: So many purchases of features may bring nothing better before it ends.
PURCHASES_IN_VAIN = 5


def buy_features(search: SimultaneousSearch) -> None:
    """With one budget for all sets: from few good features to many cheap ones, look for sets among what is bought."""
    joint, quality, problem, state = search.joint, search.quality, search.problem, search.state
    if joint is None or not joint.has_totals:
        return
    fits = problem.caps_shared and problem.fixed_size
    is_sum = fits and form_of(quality, problem, problem.k_max).is_sum
    if state.sets and not is_sum:
        # Only sums take milliseconds.
        return
    in_vain = 0
    for bought in joint.purchases(quality.form(problem.k_max).linear):
        if search.run.tick() or in_vain == PURCHASES_IN_VAIN:
            return
        value = state.value
        if is_sum:
            limited = replace(problem, constraints=all_but(bought, problem))
            answer = linear_part(quality, limited, search.run)
            if answer is not None and are_valid(quality, problem, answer.sets):
                state.update_incumbent(answer.sets)
        else:
            sets: list[FeatureSet] = []
            if search.add_in_turn(sets, joint.among(bought)):
                state.update_incumbent(sets)
        in_vain = in_vain + 1 if state.sets and state.value == value else 0


def list_good(search: SimultaneousSearch, max_sets: int, max_steps: int) -> None:
    """All sets that are good enough, where joint conditions limit qualities, and the best clique among them."""
    joint, state, pricing = search.joint, search.state, search.pricing
    if joint is None or joint.penalty:
        return
    # No set of a better solution than the incumbent is worse than this.
    least = -math.inf if joint.asked.min_quality is None else joint.asked.min_quality
    if state.max_min:
        least = max(least, state.value)
    elif joint.asked.max_spread is not None and state.sets:
        # One set reaches the mean, and no other is further below it.
        least = max(least, state.value / state.n_sets - joint.asked.max_spread)
    if not math.isfinite(least):
        return
    listing = pricing.all_above(least - ROUNDED * pricing.tolerance, max_sets, max_nodes=LIST_NODES)
    if not listing.complete:
        return
    if len(listing):
        dual_bound = DualBound.of_best(state.n_sets, float(np.max(listing.qualities)))
        if not search.pick(listing, dual_bound, state.value, max_steps):
            return
    state.rule_out(state.value, "all good sets listed")
