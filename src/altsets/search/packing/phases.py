"""The phases of a packing search: each one way to a better incumbent or a lower bound.

A phase applies or it does not, and it may spend what it was made with. It works on the state of the search it is given
(:class:`altsets.search.packing.search.SetPackingSearch`); what it leaves open, the next ones go on with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from altsets.quality import Form
from altsets.result import Status
from altsets.search.degree_bounds import count_bound
from altsets.search.milp.engine import MilpEngine
from altsets.search.packing.column_branching import ColumnBranching
from altsets.search.packing.master import DualBound
from altsets.search.packing.relaxation import answers, keeps_to_rules, linear_part, relaxed
from altsets.search.packing.search import Phase, SetPackingSearch
from altsets.search.packing.thresholds import raise_thresholds
from altsets.search.packing.usage_branching import UsageBranching
from altsets.search.subset.any_set import Anything
from altsets.search.subset.listing import KBest
from altsets.search.tolerances import REACHED

__all__ = [
    "AdditiveRelaxation",
    "BranchOnColumns",
    "BranchOnUsage",
    "CliqueCutBound",
    "ColumnGeneration",
    "CountShared",
    "EarlyIncumbent",
    "EnumerateAll",
    "FirstIncumbent",
    "Improve",
    "ImproveUntilVain",
    "ListBelowBound",
    "RootBound",
    "SolverIncumbent",
    "SolverOptimum",
    "Thresholds",
]


class Always:
    """What helps everywhere."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Always."""
        return True


class IfPriced:
    """What needs prices: a ratio has none, and what does not limit shared features no cuts that sets pay for."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Whether sets can be priced."""
        return search.pricing.can_be_priced


# --- Before any search ----------------------------------------------------------------------------------------------


class CountShared:
    """Rule the request out by counting: so many sets share more features than they may."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Where sets have one size, and what they share is counted."""
        return search.problem.caps_shared and len(search.pricing.sizes) == 1

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


class EarlyIncumbent:
    """Construct an incumbent where even a few nodes of a branch and bound take long."""

    def applies(self, search: SetPackingSearch) -> bool:
        """With many features."""
        return search.many_features

    def run(self, search: SetPackingSearch) -> None:
        """Feature by feature, then a short annealing."""
        search.first = search.construction().all()
        if search.find_first():
            search.anneal(search.limits.short_annealing, search.limits.low_temperature)


class EnumerateAll:
    """List all sets, where they are few."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Unless it is plain that there are many."""
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
            if not search.pick(listing, dual_bound, -math.inf, limits.short_list_steps):
                return
            if state.max_min and state.sets:
                search.pick_larger_sum(listing, dual_bound)
        state.update_bound(state.value)
        state.proof = "all sets listed"


class AdditiveRelaxation(Always):
    """Leave out constraints and conflicts, and ask the additive engine, which is so much faster."""

    def run(self, search: SetPackingSearch) -> None:
        """Its bound holds; often none of its sets breaks a rule, and then that is the answer."""
        answer = relaxed(search.quality, search.problem, search.run, search.limits)
        if answer is None:
            return
        if answers(search.quality, search.problem, answer):
            search.state.take_over(answer)
        else:
            search.state.update_bound(answer.bound)


class FirstIncumbent(Always):
    """One best set after the other; where that does not get far enough, dealt out by the additive engine."""

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


# --- Bounds ---------------------------------------------------------------------------------------------------------


class RootBound(Always):
    """The best set of all bounds every set."""

    def run(self, search: SetPackingSearch) -> None:
        """Branch and bound over one set."""
        best = self._best_set(search)
        top = max([best.bound, *best.values])
        search.dual_bound = DualBound(None, top, search.state.n_sets * top)
        search.state.update_bound(search.dual_bound.bound / search.state.share)

    def _best_set(self, search: SetPackingSearch) -> KBest:
        """Where that takes long, whoever has to stop is to have something good before."""
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


class ColumnGeneration(IfPriced):
    """The bound on the sum by a linear programme over sets."""

    def run(self, search: SetPackingSearch) -> None:
        """Solve it, and look for an incumbent among its columns."""
        shared = search.run.shared
        if search.has_pairs and (shared is None or search.pricing.laborious):
            # Prices may take long, and whoever has to stop then is to have something good.
            search.anneal(search.limits.short_annealing)
        search.master.add([*search.first, *search.state.sets, *(shared.columns if shared else ())])
        search.master.generate_columns(search.state.target, search.limits.rounds)
        dual_bound = search.master.dual_bound
        search.take_dual_bound(dual_bound)
        search.pick_among_columns(dual_bound, search.limits.short_list_steps)
        if shared is not None:
            shared.columns = search.master.sets[-search.limits.inherited_columns :]


@dataclass(frozen=True)
class CliqueCutBound:
    """A lower bound by clique cuts, which know more about what sets have in common."""

    #: Whether for the largest minimum or for the largest sum.
    max_min: bool

    def applies(self, search: SetPackingSearch) -> bool:
        """For one of the two; for the minimum only where columns are found fast."""
        wanted = search.pricing.can_be_priced and search.state.max_min == self.max_min
        return wanted and not (self.max_min and search.pricing.laborious)

    def run(self, search: SetPackingSearch) -> None:
        """Solve the programme with clique cuts, and look for an incumbent among the best sets after its prices."""
        master, limits, target = search.master, search.limits, search.state.target
        master.limit_usage({})
        master.generate_columns(target, limits.rounds)
        master.add_clique_cuts(target, limits.rounds, limits.least_gain)
        dual_bound = master.dual_bound
        search.take_dual_bound(dual_bound)
        if dual_bound.prices is None or search.state.is_proven:
            return
        best = search.pricing.k_best(
            limits.best_sets,
            prices=dual_bound.prices,
            threshold=dual_bound.best - (dual_bound.bound - target),
            max_nodes=limits.best_set_nodes,
        )
        listing = search.pricing.listed(best.sets, dual_bound.prices)
        search.pick(listing, dual_bound, search.state.value, limits.best_set_pick_steps)


# --- Incumbents -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Improve(IfPriced):
    """Annealing and local search, so many steps for each set."""

    steps: int

    def run(self, search: SetPackingSearch) -> None:
        """Look for a better incumbent."""
        search.improve(self.steps)


class ImproveUntilVain:
    """All that can be done for the incumbent before the longest lists are made."""

    def applies(self, search: SetPackingSearch) -> bool:
        """Where annealing knows all rules."""
        return search.annealing.possible

    def run(self, search: SetPackingSearch) -> None:
        """Until several attempts in a row have found nothing better."""
        limits, state = search.limits, search.state
        vain = 0
        while vain < limits.vain_annealings and not state.is_over:
            value = state.value
            search.improve(limits.longest_annealing)
            vain = 0 if state.value > value else vain + 1


# --- Proofs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListBelowBound:
    """Lists of the sets that a solution close to the bound can be made of, and cliques in them."""

    sets: int
    steps: int
    #: Whether sets that can only be the dearest of a solution are listed as well, or searched for.
    all_listed: bool = True
    #: Whether it is for the largest sum alone.
    only_sum: bool = False
    #: Whether it comes before the phases that are faster for some problems.
    early: bool = False

    def applies(self, search: SetPackingSearch) -> bool:
        """Nearly always."""
        if self.only_sum and (search.state.max_min or not search.pricing.can_be_priced):
            return False
        if self._is_vain(search):
            return False
        if not self.early:
            return True
        # Prices for thresholds do better where sets are disjoint, but each of them takes as long as a list.
        disjoint = search.state.max_min and search.most_shared == 0 and not search.pricing.laborious
        return search.pricing.can_be_priced and not disjoint

    def run(self, search: SetPackingSearch) -> None:
        """Ever longer ones."""
        assert search.dual_bound is not None
        hasty = self.early and search.usage_branching_pays
        steps = search.limits.hasty_steps if hasty else self.steps
        done = search.list_below_bound(search.dual_bound, self.sets, steps, all_listed=self.all_listed)
        shared = search.run.shared
        if shared is not None and not done and search.dual_bound.prices is None:
            shared.long_lists.add(search.state.n_sets)

    def _is_vain(self, search: SetPackingSearch) -> bool:
        """Whether lists without prices were too long where sets could share more; without prices there is no other."""
        if (
            search.run.shared is None
            or not search.pricing.can_be_priced
            or self.sets > search.limits.short_list_sets
        ):
            return False
        return search.state.n_sets in search.run.shared.long_lists


@dataclass(frozen=True)
class Thresholds:
    """For the largest minimum: how many compatible sets are there above a threshold?"""

    patience: int

    def applies(self, search: SetPackingSearch) -> bool:
        """With an incumbent, to know how far down to go."""
        return search.state.max_min and bool(search.state.sets) and search.pricing.can_be_priced

    def run(self, search: SetPackingSearch) -> None:
        """Thresholds from the bound down."""
        raise_thresholds(search, self.patience)


class BranchOnUsage:
    """Branch on how often features are used."""

    def applies(self, search: SetPackingSearch) -> bool:
        """With an incumbent, where the programme for usage leaves little open."""
        return search.pricing.can_be_priced and bool(search.state.sets) and search.usage_branching_pays

    def run(self, search: SetPackingSearch) -> None:
        """Best-first, each branch with a bound and lists of its own."""
        assert search.dual_bound is not None
        state, limits = search.state, search.limits
        branching = UsageBranching(search.master, state.n_sets, search.dual_bound.bound)
        steps = limits.branch_list_steps
        while branching.open and not state.is_proven:
            ranges = branching.pop()
            steps += int(limits.branch_growth * limits.branch_list_steps)
            dual_bound = branching.solve(ranges, state.target)
            if search.run.stopped:
                return
            reached = dual_bound.bound <= state.target + state.share * REACHED
            fathomed = reached or self._fathomed(search, dual_bound, steps)
            if not fathomed and not branching.split(ranges, dual_bound.bound):
                return
            state.update_bound(max(branching.bound / state.share, state.value))
        state.proof = "branching on how often features are used"

    @staticmethod
    def _fathomed(search: SetPackingSearch, dual_bound: DualBound, steps: int) -> bool:
        """Whether all solutions of a branch have been looked through for better ones."""
        if dual_bound.prices is None:
            return False
        limits, state = search.limits, search.state
        search.pick_among_columns(dual_bound, int(limits.branch_growth * limits.branch_list_steps))
        listing = search.pricing.all_above(
            dual_bound.threshold(dual_bound.bound - state.target, search.pricing.tolerance),
            limits.branch_list_sets,
            prices=dual_bound.prices,
            max_nodes=limits.list_nodes,
        )
        return listing.complete and search.pick(listing, dual_bound, state.value, steps)


@dataclass(frozen=True)
class BranchOnColumns:
    """Branch on which sets are part of a solution."""

    #: Whether for the largest minimum or for the largest sum.
    max_min: bool

    def applies(self, search: SetPackingSearch) -> bool:
        """With an incumbent, whose value limits what must be looked through."""
        wanted = search.pricing.can_be_priced and search.state.max_min == self.max_min
        return wanted and bool(search.state.sets)

    def run(self, search: SetPackingSearch) -> None:
        """To the end, unless time is up."""
        if ColumnBranching(search.master, search.state, search.cliques).explore():
            search.state.update_bound(search.state.value)
            search.state.proof = "branching on which sets are part of a solution"


# --- The solver -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SolverIncumbent:
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


class SolverOptimum:
    """What stays open, as an integer programme."""

    def applies(self, search: SetPackingSearch) -> bool:
        """If the quality is a sum, and the problem small enough."""
        form = search.quality.form(search.problem.k_max)
        return not form.has_pairs and not form.ratio and _solver_takes(search)

    def run(self, search: SetPackingSearch) -> None:
        """To the end, unless time is up."""
        found = MilpEngine().solve(search.quality, search.problem, search.run)
        search.state.update_incumbent(found.sets)
        search.state.update_bound(found.bound)


def _solver_takes(search: SetPackingSearch) -> bool:
    if search.problem.n_features_in * search.state.n_sets > search.limits.solver_variables:
        return False
    form = search.quality.form(search.problem.k_max)
    return MilpEngine().declines(Anything(form.without_pairs()), search.problem) is None
