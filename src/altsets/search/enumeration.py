"""The exact engine for any quality, constraint and dissimilarity."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.engine import REACHED, Answer, declines_black_box, declines_heuristics
from altsets.search.milp.engine import proven_empty
from altsets.search.run import Run
from altsets.search.sequential import SequentialSearch
from altsets.search.simultaneous.clique_search import CliqueSearch
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.leximin import Leximin, is_better
from altsets.search.simultaneous.linear_part import relaxed, solves
from altsets.search.simultaneous.lists import LIST_NODES
from altsets.search.simultaneous.search import LONG_LIST, PRICED_STEPS, Phase, solve
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.steps import NextSet
from altsets.search.subset.construction import Construction, completed
from altsets.search.subset.pricing import PricingOracle
from altsets.wording import parameter

#: Features in a set: each is a level of the branch and bound, which a thread must have room for.
MOST_CHOSEN = 1_000
#: Nodes to find a first set, before the search for a proof that there is none.
EXISTENCE_NODES = 5_000


class EnumerationEngine:
    """Sequential by branch and bound over one set; simultaneous by the phases of ``simultaneous``, ``without`` some."""

    name = "enumerate"

    def __init__(self, without: Sequence[Phase] = ()) -> None:
        self.without = without

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if problem.k_max > MOST_CHOSEN:
            return f"it chooses feature by feature, and takes sets of up to {MOST_CHOSEN:,} features"
        return (
            declines_heuristics(problem)
            or declines_black_box(quality, problem)
            or _declines_together(quality, problem)
        )

    def solve(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted; then what can be constructed stands in for what is missing."""
        alone = problem.search == "sequential"
        if alone and not problem.is_plain:
            return NextSet(quality, problem, run).in_turn("branch and bound over sets")
        if not problem.is_plain and problem.aggregation == "leximin":
            return self._leximin(quality, problem, run)
        if not problem.is_plain:
            return self._joint(quality, problem, run)
        answer = relaxed(quality, problem, run) if alone else None
        if answer is not None and solves(quality, problem, answer):
            return answer
        pricing = PricingOracle(quality, problem, run)
        construction = cache(lambda: Construction(pricing))
        if problem.constraints and not run.stopped and self._no_set(pricing):
            return Answer.infeasible(problem, "no set meets all conditions")
        if alone:
            return _sequential(pricing, construction)
        return completed(self._simultaneous(pricing, construction), construction)

    def _joint(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """All sets at once, where they depend on each other by more than difference."""
        joint = JointConditions.of(quality, problem, run)
        if joint is None or not problem.sizes:
            return Answer.infeasible(problem, "joint constraints leave no set")
        pricing = PricingOracle(joint.quality, joint.plain, run, interchangeable=joint.interchangeable)
        # What is matched besides shared features has no part in joint conditions.
        pricing.can_be_priced = pricing.can_be_priced and pricing.comparison is None
        search = SimultaneousSearch(pricing, joint=joint)
        answer = solve(search, self.without)
        if answer.sets or answer.statuses[0] is Status.INFEASIBLE:
            return answer
        # Whatever can be constructed, without proof.
        sets = joint.constructed()
        search.state.update_incumbent(sets if len(sets) == problem.n_sets else None)
        bound = min(search.state.bound, problem.objective([pricing.ceiling] * problem.n_sets))
        if not search.state.sets:
            return Answer.without_sets(problem, max(bound, -sys.float_info.max), search.state.proof)
        search.state.update_bound(bound)
        return search.state.answer()

    def _leximin(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """The largest minimum, then all sets that reach it, levelled."""
        least = replace(problem, aggregation="min")
        answer = self.solve(quality, least, run)
        same = replace(least.plain, min_quality=None)
        if not answer.sets or len(answer.sets) == 1 or same.may_repeat or same.any_sets_differ_enough:
            # The best ones are the best on every level.
            return answer
        value = min(map(quality.evaluate, answer.sets))
        pricing = PricingOracle(quality, least.plain, run)
        listing = pricing.all_above(value - REACHED, LONG_LIST, max_nodes=LIST_NODES)
        leximin = Leximin(CliqueSearch(pricing), PRICED_STEPS)
        found = leximin.best(listing, problem.n_sets) if listing.complete else None
        proven = answer.statuses[0] is Status.OPTIMAL and found is not None and leximin.is_proven
        sets = answer.sets
        if found is not None and is_better(found[0], map(quality.evaluate, sets)):
            sets = found[1]
        return Answer.simultaneous(problem, sets, answer.bound, answer.proof, proven=proven)

    def _simultaneous(self, pricing: PricingOracle, construction: Callable[[], Construction]) -> Answer:
        problem = pricing.problem
        if problem.n_sets == 1 or problem.may_repeat:
            best = pricing.k_best(1)
            return _finished(pricing, best.sets * problem.n_sets, best.bound)
        if problem.any_sets_differ_enough:
            # The best ones are the best together, sum or minimum.
            best = pricing.k_best(problem.n_sets)
            return _finished(pricing, best.sets if len(best.sets) == problem.n_sets else [], best.bound)
        return solve(SimultaneousSearch(pricing, construction), self.without)

    def _no_set(self, pricing: PricingOracle) -> bool:
        """Whether constraints rule out every set; those that only counting finds to clash would take very long here."""
        found = pricing.k_best(1, max_nodes=EXISTENCE_NODES)
        if found.sets or found.bound == -math.inf:
            return not found.sets
        problem = pricing.problem
        if not problem.counts_shared:
            # How sets differ by more than what they share, only a search can tell.
            problem = replace(problem, existing=())
        form = pricing.quality.form(problem.k_max)
        return proven_empty(problem, pricing.run, conflicts=form.conflicts, allowed=form.allowed)


def _declines_together(quality: Quality, problem: Problem) -> str | None:
    if problem.search == "sequential":
        return None
    if problem.overlap_penalty and problem.existing and quality.form(problem.k_max).ratio:
        return (
            f"{type(quality).__name__} is a ratio, which takes no prices for what sets share with existing ones; use "
            f"{parameter('search', 'sequential')}"
        )
    if problem.aggregation == "leximin" and problem.rules.joint:
        return (
            f"{parameter('aggregation', 'leximin')} goes with constraints on each set alone; use "
            f"{parameter('aggregation', 'min')} for constraints on all sets together"
        )
    return None


def _sequential(pricing: PricingOracle, construction: Callable[[], Construction]) -> Answer:
    problem, evaluate = pricing.problem, pricing.quality.evaluate
    n_existing = len(problem.existing)

    def next_set(others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        # The existing sets are among the rules that every good set keeps to.
        found = pricing.k_best(1, others=others[n_existing:])
        if not found.sets:
            return None, found.bound
        return found.sets[0], max(found.bound, found.values[0])

    search = SequentialSearch(problem, pricing.run, next_set, evaluate, construction)
    return search.solve("branch and bound over sets")


def _finished(pricing: PricingOracle, sets: Sequence[FeatureSet], missed: float) -> Answer:
    """The answer if no set that was missed is better than ``missed``."""
    problem, proof = pricing.problem, "the best sets of all"
    if not sets:
        return Answer.without_sets(problem, missed if missed == -math.inf else math.inf, proof)
    qualities = [pricing.quality.evaluate(chosen) for chosen in sets]
    # Whatever was missed could replace each set that is worse.
    bound = problem.objective([max(value, missed) for value in qualities])
    return Answer.simultaneous(problem, sets, bound, proof, proven=missed <= min(qualities))
