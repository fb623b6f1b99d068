"""The phases of a packing search: each one way to a better incumbent or a lower bound.

:func:`strategy` has their order, which decides about time alone; :class:`altsets.search.packing.search.Phase` is what
they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from altsets.constraints import Forbid
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Form, Quality
from altsets.result import Status
from altsets.search.additive import pattern_milp
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.degree_bounds import count_bound
from altsets.search.engine import ROUNDED, Answer
from altsets.search.milp.engine import MilpEngine
from altsets.search.milp.highs import STEPS_PER_NODE
from altsets.search.packing.branching import ColumnBranching
from altsets.search.packing.coupling import all_but
from altsets.search.packing.limits import PackingLimits
from altsets.search.packing.master import DualBound
from altsets.search.packing.search import Fact, Phase, SetPackingSearch
from altsets.search.packing.thresholds import refute
from altsets.search.run import Run, Stopped
from altsets.search.subset.candidates import Anything, form_of
from altsets.search.subset.listing import KBest

#: A programme over membership patterns has one for each collection of sets.
MOST_PATTERN_SETS = 10


def relaxed(quality: Quality, problem: Problem, run: Run, limits: PackingLimits) -> Answer | None:
    """What the additive engine answers if conflicts and constraints are left out; None if that does not make sense."""
    form = form_of(quality, problem, problem.k_max)
    if not form.is_sum:
        return None
    if problem.counts_shared and form.conflicts is None and problem.rules.only_forbid:
        return None
    return linear_part(quality, problem, run, limits)


def linear_part(quality: Quality, problem: Problem, run: Run, limits: PackingLimits) -> Answer | None:
    """What the additive engine answers for the linear part alone; None if it takes no sets of such sizes or shares."""
    form = quality.form(problem.k_max)
    if not (problem.caps_shared and problem.fixed_size):
        return None
    if not problem.counts_shared:
        # What may be shared is the same, and nothing else counts.
        problem = replace(problem, dissimilarity="dice")
    forbidden = set(problem.forbidden)
    if form.allowed is not None:
        forbidden |= set(np.flatnonzero(~form.allowed).tolist())
    rules = (Forbid(sorted(forbidden)),) if forbidden else ()
    engine, scores = AdditiveEngine(), Additive(form.linear)
    try:
        return engine.solve(
            scores, replace(problem, constraints=rules), run.same_part(limits.relaxation_steps)
        )
    except Stopped:
        return None


def answers(quality: Quality, problem: Problem, answer: Answer) -> bool:
    """Whether an answer to the relaxed request is one to the request."""
    proven = all(status in (Status.OPTIMAL, Status.INFEASIBLE) for status in answer.statuses)
    return proven and keeps_to_rules(quality, problem, answer.sets)


def keeps_to_rules(quality: Quality, problem: Problem, sets: Sequence[FeatureSet]) -> bool:
    """Whether no set breaks a constraint or has a conflict, and all differ by more than what they share."""
    every = [*problem.existing, *sets]
    if not problem.counts_shared and not all(
        problem.compatible(one, other)
        for number, one in enumerate(every)
        for other in every[max(number + 1, len(problem.existing)) :]
    ):
        return False
    return all(
        quality.evaluate(chosen) > -math.inf and all(rule.holds(chosen) for rule in problem.constraints)
        for chosen in sets
    )


class CountShared(Phase):
    """Rule the request out by counting: so many sets share more features than they may."""

    writes = ()

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets have one size, and what they share is counted."""
        several = search.state.n_sets > 1
        return several and search.problem.caps_shared and len(search.pricing.sizes) == 1

    def run(self, search: SetPackingSearch) -> None:
        """Compare the number of sets with the bound on it."""
        n_features, size = len(search.pricing.features), search.pricing.sizes[0].size
        n_sets, levels = search.state.n_sets, search.pricing.levels
        # Of a clique that leaves few others every set has many features, and these match each other.
        largest = max((len(clique) for clique in levels.cliques), default=0) if levels is not None else 0
        if size - (n_features - largest) > search.most_shared:
            search.state.update_bound(-math.inf, "counting features that are alike")
        elif count_bound(n_features, size, search.most_shared, n_sets) < n_sets:
            search.state.update_bound(-math.inf, "counting shared features")


class CountUses(Phase):
    """Rule the request out by counting: sets need more features than joint conditions allow, or fewer."""

    writes = ()

    def applies(self, search: SetPackingSearch) -> bool:
        """Where the use of features is limited."""
        return search.coupling is not None and bool(
            search.coupling.usage.upper or search.coupling.usage.lower
        )

    def run(self, search: SetPackingSearch) -> None:
        """Compare all places in sets with all uses of features."""
        coupling, n_sets, pricing = search.coupling, search.state.n_sets, search.pricing
        assert coupling is not None
        most = sum(coupling.usage.upper.get(feature, n_sets) for feature in pricing.features)
        inside = set(pricing.features)
        least = sum(coupling.usage.lower.values())
        too_much = least > n_sets * pricing.problem.k_max or not inside.issuperset(coupling.usage.lower)
        if most < n_sets * pricing.problem.k_min or too_much:
            search.state.update_bound(-math.inf, "counting uses of features")


class EarlyIncumbent(Phase):
    """Construct an incumbent where even a few nodes of a branch and bound take long."""

    def applies(self, search: SetPackingSearch) -> bool:
        """With many features, unless sets depend on each other."""
        return search.many_features and search.coupling is None

    def run(self, search: SetPackingSearch) -> None:
        """Feature by feature, then a short annealing."""
        search.first = search.construction().all()
        if search.find_first():
            search.anneal(search.limits.short_annealing, search.limits.low_temperature)


class EnumerateAll(Phase):
    """List all sets, where they are few."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Unless there are obviously many."""
        sizes, shared = search.pricing.sizes, search.run.shared
        if shared is not None and shared.too_many:
            return False
        return not (search.many_features and any(sets.any_will_do and sets.n_open > 1 for sets in sizes))

    def run(self, search: SetPackingSearch) -> None:
        """The best clique in a list of all sets."""
        state, limits = search.state, search.limits
        nodes = limits.nodes_per_set * limits.short_list_sets
        listing = search.pricing.all_above(-math.inf, limits.short_list_sets, max_nodes=nodes)
        if not listing.complete:
            if search.run.shared is not None:
                search.run.shared.too_many = not search.run.stopped
            return
        if len(listing):
            top = float(np.max(listing.qualities))
            dual_bound = DualBound(None, top, state.n_sets * top)
            asks = search.coupling is not None and search.coupling.has_totals
            steps = limits.asking_steps if asks else limits.short_list_steps
            if not search.pick(listing, dual_bound, -math.inf, steps):
                return
            if state.max_min and state.sets:
                search.pick_larger_sum(listing, dual_bound)
        state.rule_out(state.value, "all sets listed")


class AdditiveRelaxation(Phase):
    """Leave out constraints and conflicts, and use the additive engine, which is much faster."""

    def run(self, search: SetPackingSearch) -> None:
        """Its bound holds; often none of its sets breaks a rule, and then that is the answer."""
        coupling = search.coupling
        relax = relaxed
        if coupling is not None and form_of(search.quality, search.problem, search.problem.k_max).is_sum:
            relax = linear_part
        answer = relax(search.quality, search.problem, search.run, search.limits)
        if answer is None:
            return
        alone = (
            coupling is None
            or not answer.sets
            or (coupling.keeps(answer.sets) and not coupling.paid(answer.sets))
        )
        if alone and answers(search.quality, search.problem, answer):
            search.state.take_over(answer)
        else:
            search.state.update_bound(answer.bound)


class FirstIncumbent(Phase):
    """One best set after the other; if that does not find all sets, by the additive engine."""

    def run(self, search: SetPackingSearch) -> None:
        """A valid solution, or the proof that there is none."""
        if search.find_first():
            return
        quality, problem, state = search.quality, search.problem, search.state
        dealt = linear_part(quality, replace(problem, aggregation="sum"), search.run, search.limits)
        if dealt is None:
            return
        if dealt.statuses[0] is Status.INFEASIBLE:
            state.update_bound(-math.inf, dealt.proof)
        elif keeps_to_rules(quality, problem, dealt.sets):
            state.update_incumbent(dealt.sets)


class BuyFeatures(Phase):
    """Where one budget is for all sets: buy features first, and then look for sets among these."""

    def applies(self, search: SetPackingSearch) -> bool:
        """With sums, which take milliseconds; otherwise where one set after the other has spent too much."""
        coupling = search.coupling
        return coupling is not None and coupling.has_totals and (self._sums(search) or not search.state.sets)

    def run(self, search: SetPackingSearch) -> None:
        """From few features that are good to many that are cheap, until that no longer helps."""
        coupling, state = search.coupling, search.state
        assert coupling is not None
        in_vain = 0
        for bought in coupling.purchases(search.quality.form(search.problem.k_max).linear):
            if search.run.tick() or in_vain == search.limits.purchases_in_vain:
                return
            value = state.value
            state.update_incumbent(self._sets(search, bought))
            in_vain = in_vain + 1 if state.sets and state.value == value else 0

    def _sets(self, search: SetPackingSearch, bought: FeatureSet) -> Sequence[FeatureSet] | None:
        """Good sets of some features; None if they were not found."""
        coupling, problem = search.coupling, search.problem
        assert coupling is not None
        if not self._sums(search):
            sets: list[FeatureSet] = []
            return sets if search.add_in_turn(sets, coupling.among(bought)) else None
        limited = replace(problem, constraints=all_but(bought, problem))
        answer = linear_part(search.quality, limited, search.run, search.limits)
        if answer is None or not keeps_to_rules(search.quality, problem, answer.sets):
            return None
        return answer.sets

    @staticmethod
    def _sums(search: SetPackingSearch) -> bool:
        problem = search.problem
        fits = problem.caps_shared and problem.fixed_size
        return fits and form_of(search.quality, problem, problem.k_max).is_sum


@dataclass(frozen=True)
class CountPatterns(Phase):
    """Where sums of scores are asked for: how many features lie in which of the sets, as an integer programme."""

    max_variables: int
    nodes: float = math.inf
    #: The part of the time that is left for other phases.
    time_left: float = 0.0

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets depend on each other, and on features by no more than scores, groups and costs of all sets."""
        coupling, problem = search.coupling, search.problem
        if coupling is None or not isinstance(search.quality, Additive) or search.state.max_min:
            return False
        if not (problem.counts_shared and problem.fixed_size) or problem.n_sets > MOST_PATTERN_SETS:
            return False
        return coupling.counts_features

    def run(self, search: SetPackingSearch) -> None:
        """The best sets and a bound, if the programme is small."""
        coupling, problem, state = search.coupling, search.problem, search.state
        assert coupling is not None
        assert isinstance(search.quality, Additive)
        conditions = coupling.conditions
        candidates = conditions.candidates(search.quality.scores, problem)
        if pattern_milp.n_variables(candidates, problem, conditions) > self.max_variables:
            return
        run = search.run.part(self.nodes * STEPS_PER_NODE)
        with search.run.keep_back(self.time_left):
            sets, bound = pattern_milp.best_sum(candidates, problem, state.bound, run, conditions=conditions)
        state.update_incumbent(sets)
        state.update_bound(bound, "integer programme over membership patterns")


@dataclass(frozen=True)
class ListGood(Phase):
    """List all sets that are good enough, where qualities are limited, and pick the best that go together."""

    sets: int
    steps: int

    def applies(self, search: SetPackingSearch) -> bool:
        """Where it is known how good sets have to be."""
        return math.isfinite(self._least(search))

    @staticmethod
    def _least(search: SetPackingSearch) -> float:
        """No set of a better solution than the incumbent is worse than this."""
        coupling, state = search.coupling, search.state
        if coupling is None or coupling.penalty:
            return -math.inf
        asked = coupling.asked
        least = -math.inf if asked.min_quality is None else asked.min_quality
        if state.max_min:
            return max(least, state.value)
        if asked.max_spread is not None and state.sets:
            # One set reaches the mean, and no other is further below it.
            least = max(least, state.value / state.n_sets - asked.max_spread)
        return least

    def run(self, search: SetPackingSearch) -> None:
        """The best clique in the list."""
        state, pricing = search.state, search.pricing
        least = self._least(search) - ROUNDED * pricing.tolerance
        listing = pricing.all_above(least, self.sets, max_nodes=search.limits.list_nodes)
        if not listing.complete:
            return
        target = state.value
        if len(listing):
            top = float(np.max(listing.qualities))
            if not search.pick(listing, DualBound(None, top, state.n_sets * top), target, self.steps):
                return
        state.rule_out(state.value, "all good sets listed")


class RootBound(Phase):
    """The best set of all bounds every set."""

    writes = (Fact.INCUMBENT, Fact.DUAL_BOUND)

    def run(self, search: SetPackingSearch) -> None:
        """Branch and bound over one set."""
        best = self._best_set(search)
        top = max([best.bound, *best.values])
        search.dual_bound = DualBound(None, top, search.state.n_sets * top)
        search.state.update_bound(search.dual_bound.bound / search.state.share)

    def _best_set(self, search: SetPackingSearch) -> KBest:
        """Where that takes long, there should be a good incumbent before time is up."""
        pricing, limits = search.pricing, search.limits
        if not search.many_features:
            return pricing.k_best(1)
        best = pricing.k_best(1, max_nodes=limits.few_nodes)
        if best.bound > -math.inf and not search.run.stopped:
            self._build_on(search, best)
            for steps in limits.growing_annealings:
                search.anneal(steps, limits.low_temperature)
            best = pricing.k_best(1)
        if best.bound > -math.inf:
            self._build_on(search, best)
        return best

    @staticmethod
    def _build_on(search: SetPackingSearch, best: KBest) -> None:
        """What sequential search would make of a good set that may not be the best."""
        construction = search.construction()
        sets = construction.all([construction.improved(chosen) for chosen in best.sets])
        search.state.update_incumbent(sets if len(sets) == search.state.n_sets else None)


class ColumnGeneration(Phase):
    """The bound on the sum by a linear programme over sets."""

    writes = (Fact.INCUMBENT, Fact.DUAL_BOUND, Fact.COLUMNS)

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets can be priced: not for a ratio, nor where shared features are not limited."""
        return search.pricing.can_be_priced

    def run(self, search: SetPackingSearch) -> None:
        """Solve it, and look for an incumbent among its columns."""
        shared = search.run.shared
        if search.has_pairs and (shared is None or search.pricing.laborious):
            # Prices may take long, and there should be a good incumbent before time is up.
            search.anneal(search.limits.short_annealing)
        search.master.add([*search.first, *search.state.sets, *(shared.columns if shared else ())])
        search.master.generate_columns(search.state.target, search.limits.rounds)
        dual_bound = search.master.dual_bound
        search.take_dual_bound(dual_bound)
        search.pick_among_columns(dual_bound, search.limits.short_list_steps)
        if shared is not None:
            shared.columns = search.master.sets[-search.limits.inherited_columns :]


@dataclass(frozen=True)
class Improve(Phase):
    """Annealing, so many steps for each set, and local search from the incumbent."""

    steps: int

    reads = (Fact.INCUMBENT,)

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets can be priced."""
        return search.pricing.can_be_priced

    def run(self, search: SetPackingSearch) -> None:
        """Look for a better incumbent."""
        search.anneal(self.steps)
        search.state.update_incumbent(search.local_optimum(search.state.sets))


@dataclass(frozen=True)
class ListBelowBound(Phase):
    """Lists of the sets in solutions close to the bound, and cliques in them; ``early`` if faster phases follow."""

    sets: int
    steps: int
    early: bool = False

    reads = (Fact.DUAL_BOUND,)

    def applies(self, search: SetPackingSearch) -> bool:
        """Nearly always."""
        if self._is_useless(search):
            return False
        if not self.early:
            return True
        # Prices for thresholds do better where sets are disjoint, but each of them takes as long as a list.
        disjoint = search.state.max_min and search.most_shared == 0 and not search.pricing.laborious
        return search.pricing.can_be_priced and not disjoint

    def run(self, search: SetPackingSearch) -> None:
        """Ever longer ones."""
        assert search.dual_bound is not None
        done = search.list_below_bound(search.dual_bound, self.sets, self.steps)
        shared = search.run.shared
        if shared is not None and not done and search.dual_bound.prices is None:
            shared.long_lists.add(search.state.n_sets)

    def _is_useless(self, search: SetPackingSearch) -> bool:
        """Whether lists without prices were too long where sets could share more; without prices there is no other."""
        shared = search.run.shared
        if shared is None or not search.pricing.can_be_priced or self.sets > search.limits.short_list_sets:
            return False
        return search.state.n_sets in shared.long_lists


@dataclass(frozen=True)
class Walks(Phase):
    """Walks from random sets, so many steps each, and local search from the best ones."""

    count: int
    steps: int

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets can be priced."""
        return search.pricing.can_be_priced

    def run(self, search: SetPackingSearch) -> None:
        """Look for a better incumbent."""
        search.walk(self.count, self.steps)


@dataclass(frozen=True)
class Refute(Phase):
    """For the largest minimum: are there enough compatible sets above thresholds, from a part of the gap downwards?"""

    part: float
    steps: int
    #: Of the budget of a list, from all of it downwards.
    parts: Sequence[float] = (1.0,)

    reads = (Fact.INCUMBENT,)

    def applies(self, search: SetPackingSearch) -> bool:
        """Where the worst set counts, and sets can be priced."""
        return search.state.max_min and search.pricing.can_be_priced and math.isfinite(search.state.bound)

    def run(self, search: SetPackingSearch) -> None:
        """Thresholds in descending order."""
        refute(search, self.part, self.steps, self.parts)


class CliqueCutBound(Phase):
    """Clique cuts for a lower bound on the sum, and the best compatible ones of the sets that it values most."""

    reads = (Fact.DUAL_BOUND, Fact.COLUMNS)
    writes = (Fact.INCUMBENT, Fact.DUAL_BOUND, Fact.COLUMNS)

    def run(self, search: SetPackingSearch) -> None:
        """Tighten the programme, and pick from some sets, without a claim."""
        limits, state = search.limits, search.state
        search.master.cut_cliques(search.state.target, limits.least_closed)
        dual_bound = search.master.dual_bound
        search.take_dual_bound(dual_bound)
        if dual_bound.prices is None or state.is_over:
            return
        best = search.pricing.k_best(
            limits.best_priced_sets,
            prices=dual_bound.prices,
            threshold=dual_bound.threshold(dual_bound.bound - state.target, search.pricing.tolerance),
            max_nodes=limits.best_priced_nodes,
        )
        listing = search.pricing.listed(best.sets, dual_bound.prices)
        search.pick(listing, dual_bound, state.value, limits.best_priced_steps)


@dataclass(frozen=True)
class ListToIncumbent(Phase):
    """The sets of all better solutions than the incumbent, or as many of them as can be listed: all but one of each."""

    sets: int
    steps: int
    #: Of the budget, from all of it downwards.
    parts: Sequence[float] = (1.0,)

    reads = (Fact.INCUMBENT, Fact.DUAL_BOUND)

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets can be priced, and do not depend on each other."""
        return search.pricing.can_be_priced and search.coupling is None

    def run(self, search: SetPackingSearch) -> None:
        """Pick from the longest list that can be made."""
        search.list_to_incumbent(self.sets, self.steps, self.parts)


class BranchOnColumns(Phase):
    """Branch on which sets are part of a solution: slow, but it needs little memory and ends only when it is done."""

    reads = (Fact.INCUMBENT, Fact.COLUMNS)

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets can be priced, and do not depend on each other."""
        return search.pricing.can_be_priced and search.coupling is None

    def run(self, search: SetPackingSearch) -> None:
        """To the end, unless time is up."""
        if ColumnBranching(search.master, search.state, search.cliques).explore():
            search.state.rule_out(search.state.value, "branching on which sets are part of a solution")


@dataclass(frozen=True)
class SolverIncumbent(Phase):
    """Is there a solution at all? An integer programme finds one where nothing else did; then all phases again."""

    then: Sequence[Phase]

    def applies(self, search: SetPackingSearch) -> bool:
        """Without an incumbent, if the problem is small enough for the solver and linear."""
        return not search.state.sets and _solver_takes(search)

    def run(self, search: SetPackingSearch) -> None:
        """A solution of any quality, or the proof that there is none."""
        form, state = search.quality.form(search.problem.k_max), search.state
        anything = Anything(Form(np.zeros(len(form.linear)), conflicts=form.conflicts, allowed=form.allowed))
        found = MilpEngine().solve(anything, replace(search.problem, aggregation="sum"), search.run)
        state.proof = "integer programming"
        if found.statuses[0] is Status.INFEASIBLE:
            state.update_bound(-math.inf)
        elif found.sets:
            state.update_incumbent(found.sets)
            search.go_through(self.then)


class SolverOptimum(Phase):
    """What stays open, as an integer programme."""

    def applies(self, search: SetPackingSearch) -> bool:
        """If the quality is a sum, and the problem small enough."""
        form = search.quality.form(search.problem.k_max)
        return form.is_sum and _solver_takes(search)

    def run(self, search: SetPackingSearch) -> None:
        """To the end, unless time is up."""
        found = MilpEngine().solve(search.quality, search.problem, search.run)
        search.state.update_incumbent(found.sets)
        search.state.update_bound(found.bound)


def _solver_takes(search: SetPackingSearch) -> bool:
    if search.coupling is not None:
        return False
    if search.problem.n_features_in * search.state.n_sets > search.limits.solver_variables:
        return False
    form = search.quality.form(search.problem.k_max)
    return MilpEngine().declines(Anything(form.without_pairs()), search.problem) is None


def strategy(limits: PackingLimits) -> list[Phase]:
    """The phases of a packing search in order, from cheap to expensive; it ends when its incumbent is proven."""
    before: list[Phase] = [
        CountShared(),
        CountUses(),
        EarlyIncumbent(),
        EnumerateAll(),
        AdditiveRelaxation(),
        FirstIncumbent(),
        CountPatterns(limits.pattern_variables, limits.pattern_nodes, limits.time_after_patterns),
        BuyFeatures(),
        ListGood(limits.short_list_sets, limits.short_list_steps),
    ]
    search: list[Phase] = [
        RootBound(),
        ListBelowBound(limits.short_list_sets, limits.short_list_steps),
        # Milliseconds up to here. Prices make lists shorter by orders of magnitude.
        ColumnGeneration(),
        Improve(limits.short_annealing),
        ListBelowBound(limits.priced_list_sets, limits.priced_list_steps, early=True),
        Walks(limits.few_walks, limits.short_walk),
        Refute(0.5, limits.full_list_steps),
        ListToIncumbent(limits.full_list_sets, limits.full_list_steps),
        # Seconds from here on: a better incumbent and a lower bound make the last list shorter.
        Walks(limits.many_walks, limits.long_walk),
        ListToIncumbent(limits.full_list_sets, limits.full_list_steps),
        Refute(0.5, limits.refuted_steps),
        CliqueCutBound(),
        ListToIncumbent(limits.cut_list_sets, limits.cut_list_steps, limits.listed_parts),
        Refute(0.0, limits.cut_list_steps, limits.listed_parts),
        ListGood(limits.priced_list_sets, limits.priced_list_steps),
        # As long as memory allows, and then to the end.
        ListBelowBound(limits.long_list_sets, limits.long_list_steps),
        ListGood(limits.long_list_sets, limits.long_list_steps),
        BranchOnColumns(),
        CountPatterns(limits.solver_variables),
    ]
    return [*before, *search, SolverIncumbent(then=search), SolverOptimum()]
