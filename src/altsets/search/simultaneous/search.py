"""All sets at once, for any quality: list the sets that can matter, and pick those that go together.

A solution close to the dual bound consists of sets close to their share of it (``master``). So the sets of such
solutions are listed, and the best clique of compatible ones is picked (``lists``): if the list holds all sets of better
solutions than the incumbent, that is the optimum. All else raises the incumbent or lowers the bound, as lists are as
long as the gap between them is wide.

The phases stand in the order in which they run, from cheap to expensive. Each is a function that returns at once where
it cannot help, so that any order is correct, and only the speed differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from altsets.quality import Form
from altsets.result import Status
from altsets.search.degree_bounds import count_bound
from altsets.search.engine import Answer
from altsets.search.milp.engine import MilpEngine
from altsets.search.simultaneous.branching import ColumnBranching
from altsets.search.simultaneous.joint_phases import buy_features, count_patterns, count_uses, list_good
from altsets.search.simultaneous.linear_part import are_valid, linear_part, relaxed, solves
from altsets.search.simultaneous.lists import (
    NODES_PER_SET,
    list_below_bound,
    list_to_incumbent,
    pick_larger_sum,
    raise_sum,
)
from altsets.search.simultaneous.master import INHERITED_COLUMNS, MAX_ROUNDS, DualBound
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.simultaneous.thresholds import refute
from altsets.search.subset.candidates import Anything, form_of
from altsets.search.subset.listing import KBest

Phase = Callable[[SimultaneousSearch], None]


def solve(search: SimultaneousSearch, without: Sequence[Phase] = ()) -> Answer:
    """Go through the phases until the incumbent is proven, time is up or nothing more helps; ``without`` some."""
    listing = [phase for phase in LISTING if phase not in without]
    go_through(search, [phase for phase in PREPARATION if phase not in without])
    go_through(search, listing)
    if not search.state.is_over and find_by_solver(search):
        go_through(search, listing)
    go_through(search, [phase for phase in (solver_optimum,) if phase not in without])
    raise_sum(search)
    return search.state.answer()


def go_through(search: SimultaneousSearch, phases: Iterable[Phase]) -> None:
    """Some phases in turn, as long as there is something left to do."""
    for phase in phases:
        if search.state.is_over:
            return
        phase(search)


# --- Before dual prices ----------------------------------------------------------------------------------------------


def count_shared(search: SimultaneousSearch) -> None:
    """Rule the request out by counting: so many sets share more features than they may."""
    pricing, n_sets = search.pricing, search.state.n_sets
    if n_sets == 1 or not search.problem.caps_shared or len(pricing.sizes) != 1:
        return
    n_features, size, levels = len(pricing.features), pricing.sizes[0].size, pricing.levels
    # Of a clique that leaves few others every set has many features, and these match each other.
    largest = max((len(clique) for clique in levels.cliques), default=0) if levels is not None else 0
    if size - (n_features - largest) > search.most_shared:
        search.state.update_bound(-math.inf, "counting features that are alike")
    elif count_bound(n_features, size, search.most_shared, n_sets) < n_sets:
        search.state.update_bound(-math.inf, "counting shared features")


#: Steps of annealing for each set, before the first lists; how far it may go while the bound is weak, as a factor.
SHORT_ANNEALING, LOW_TEMPERATURE = 20_000, 0.05


def early_incumbent(search: SimultaneousSearch) -> None:
    """Construct an incumbent where even a few nodes of a branch and bound take long."""
    if not search.many_features or search.joint is not None:
        return
    search.first = search.construction().all()
    if search.find_first():
        search.anneal(SHORT_ANNEALING, LOW_TEMPERATURE)


#: Sets in a list without prices, and steps of the clique search in it; the steps where each complete solution is
#: asked about, which takes much longer.
SHORT_LIST, SHORT_STEPS, ASKING_STEPS = 2_000, 200_000, 5_000


def enumerate_all(search: SimultaneousSearch) -> None:
    """List all sets, where they are few, and pick the best clique."""
    state, sizes, shared = search.state, search.pricing.sizes, search.run.shared
    obviously_many = any(sets.is_free and sets.n_open > 1 for sets in sizes)
    if (shared is not None and shared.too_many) or (search.many_features and obviously_many):
        return
    listing = search.pricing.all_above(-math.inf, SHORT_LIST, max_nodes=NODES_PER_SET * SHORT_LIST)
    if not listing.complete:
        if shared is not None:
            shared.too_many = not search.run.stopped
        return
    if len(listing):
        asks = search.joint is not None and search.joint.has_totals
        dual_bound = DualBound.of_best(search.state.n_sets, float(np.max(listing.qualities)))
        if not search.pick(listing, dual_bound, -math.inf, ASKING_STEPS if asks else SHORT_STEPS):
            return
        if state.max_min and state.sets:
            pick_larger_sum(search, listing, dual_bound)
    state.rule_out(state.value, "all sets listed")


def additive_relaxation(search: SimultaneousSearch) -> None:
    """Leave out constraints and conflicts, and use the additive engine, which is much faster; its bound holds."""
    quality, problem, joint, state = search.quality, search.problem, search.joint, search.state
    is_joint_sum = joint is not None and form_of(quality, problem, problem.k_max).is_sum
    answer = (linear_part if is_joint_sum else relaxed)(quality, problem, search.run)
    if answer is None:
        return
    together = joint is None or not answer.sets or (joint.holds(answer.sets) and not joint.paid(answer.sets))
    # Often none of its sets breaks a rule.
    if together and solves(quality, problem, answer):
        state.answer_elsewhere = answer
    else:
        state.update_bound(answer.bound)


def first_incumbent(search: SimultaneousSearch) -> None:
    """One best set after the other; if that does not find all sets, by the additive engine."""
    if search.find_first():
        return
    quality, problem, state = search.quality, search.problem, search.state
    dealt = linear_part(quality, replace(problem, aggregation="sum"), search.run)
    if dealt is None:
        return
    if dealt.statuses[0] is Status.INFEASIBLE:
        state.update_bound(-math.inf, dealt.proof)
    elif are_valid(quality, problem, dealt.sets):
        state.update_incumbent(dealt.sets)


#: Variables of a programme over membership patterns that comes early, nodes of its search, and the part of the time
#: that stays for other phases.
PATTERN_VARIABLES, PATTERN_NODES, TIME_AFTER_PATTERNS = 1_500, 20_000, 0.1


def count_patterns_early(search: SimultaneousSearch) -> None:
    """Sums of scores under joint conditions by an integer programme over membership patterns, if it is small."""
    count_patterns(search, PATTERN_VARIABLES, PATTERN_NODES, TIME_AFTER_PATTERNS)


def list_good_short(search: SimultaneousSearch) -> None:
    """All sets that are good enough, if they are few."""
    list_good(search, SHORT_LIST, SHORT_STEPS)


# --- A bound, and lists by it ----------------------------------------------------------------------------------------

#: Among many features, nodes before the first annealing, and steps of annealing for each set: ever more, as unfinished
#: runs are useless.
FEW_NODES, GROWING_ANNEALINGS = 200, (80_000, 400_000)


def root_bound(search: SimultaneousSearch) -> None:
    """The best set of all, by branch and bound over one set: it bounds every set."""
    best = _best_set(search)
    search.dual_bound = DualBound.of_best(search.state.n_sets, max([best.bound, *best.values]))
    search.state.update_bound(search.dual_bound.bound / search.state.share)


def _best_set(search: SimultaneousSearch) -> KBest:
    """Where that takes long, there should be a good incumbent before time is up."""
    pricing = search.pricing
    if not search.many_features:
        return pricing.k_best(1)
    best = pricing.k_best(1, max_nodes=FEW_NODES)
    if best.bound > -math.inf and not search.run.stopped:
        _build_on(search, best)
        for steps in GROWING_ANNEALINGS:
            search.anneal(steps, LOW_TEMPERATURE)
        best = pricing.k_best(1)
    if best.bound > -math.inf:
        _build_on(search, best)
    return best


def _build_on(search: SimultaneousSearch, best: KBest) -> None:
    """What sequential search would make of a good set that may not be the best."""
    construction = search.construction()
    sets = construction.all([construction.improved(chosen) for chosen in best.sets])
    search.state.update_incumbent(sets if len(sets) == search.state.n_sets else None)


def list_without_prices(search: SimultaneousSearch) -> None:
    """Short lists of the best sets: where these share little, they suffice."""
    dual_bound, shared, n_sets = search.dual_bound, search.run.shared, search.state.n_sets
    can_be_priced = search.pricing.can_be_priced
    # Without prices there is no other list; with them, not again if it was too long where sets could share more.
    was_useless = can_be_priced and shared is not None and n_sets in shared.long_lists
    if dual_bound is None or was_useless:
        return
    done = list_below_bound(search, dual_bound, SHORT_LIST, SHORT_STEPS)
    if shared is not None and not done and dual_bound.prices is None:
        shared.long_lists.add(n_sets)


def generate_columns(search: SimultaneousSearch) -> None:
    """The bound on the sum by a linear programme over sets, whose prices make lists shorter by orders of magnitude."""
    if not search.pricing.can_be_priced:
        return
    state, shared, master = search.state, search.run.shared, search.master
    if any(sets.form.has_pairs for sets in search.pricing.sizes) and (
        shared is None or search.pricing.is_slow
    ):
        # Prices may take long, and there should be a good incumbent before time is up.
        search.anneal(SHORT_ANNEALING)
    master.add([*search.first, *state.sets, *(shared.columns if shared else ())])
    master.generate_columns(state.target, MAX_ROUNDS)
    search.take_dual_bound(master.dual_bound)
    prices = master.dual_bound.prices
    if prices is not None and not state.is_proven:
        # The sets of the programme go together on the whole, and often some of them in fact.
        known = search.pricing.listed(master.sets, prices)
        search.pick(known, master.dual_bound, state.value, SHORT_STEPS)
    if shared is not None:
        shared.columns = master.sets[-INHERITED_COLUMNS:]


def improve(search: SimultaneousSearch) -> None:
    """Annealing and local search from the incumbent."""
    if not search.pricing.can_be_priced or not search.state.sets:
        return
    search.anneal(SHORT_ANNEALING)
    search.state.update_incumbent(search.local_optimum(search.state.sets))


#: Sets in a list by dual prices, and steps of the clique search in it, before anything that takes seconds.
PRICED_LIST, PRICED_STEPS = 50_000, 5_000_000


def list_early(search: SimultaneousSearch) -> None:
    """Ever longer lists by dual prices: they close most searches."""
    # Prices for thresholds do better where sets are disjoint, but each of them takes as long as a list.
    disjoint = search.state.max_min and search.most_shared == 0 and not search.pricing.is_slow
    if search.dual_bound is None or disjoint or not search.pricing.can_be_priced:
        return
    list_below_bound(search, search.dual_bound, PRICED_LIST, PRICED_STEPS)


#: Walks from random sets and their steps: before the first full list, and before the bound is tightened.
FEW_WALKS, SHORT_WALK, MANY_WALKS, LONG_WALK = 3, 100_000, 20, 1_000_000


def walk_shortly(search: SimultaneousSearch) -> None:
    """Walks from random sets, and local search from what they find."""
    if search.pricing.can_be_priced:
        search.walk(FEW_WALKS, SHORT_WALK)


#: All sets of better solutions than the incumbent, and steps of the clique search among them.
FULL_LIST, FULL_STEPS = 150_000, 5_000_000


def refute_shortly(search: SimultaneousSearch) -> None:
    """For the largest minimum: are there enough compatible sets above thresholds, from half of the gap downwards?"""
    if search.state.sets:
        refute(search, 0.5, FULL_STEPS)


def list_full(search: SimultaneousSearch) -> None:
    """The sets of all better solutions than the incumbent."""
    if _can_list_to_incumbent(search):
        list_to_incumbent(search, FULL_LIST, FULL_STEPS)


def _can_list_to_incumbent(search: SimultaneousSearch) -> bool:
    known = search.dual_bound is not None and bool(search.state.sets)
    return known and search.pricing.can_be_priced and search.joint is None


def walk_long(search: SimultaneousSearch) -> None:
    """The same with longer walks: seconds from here on, so a better incumbent pays."""
    if search.pricing.can_be_priced:
        search.walk(MANY_WALKS, LONG_WALK)


#: Steps of the clique search among the sets above a threshold.
REFUTED_STEPS = 30_000_000


def refute_long(search: SimultaneousSearch) -> None:
    """Thresholds once more, with more steps."""
    if search.state.sets:
        refute(search, 0.5, REFUTED_STEPS)


#: A round of clique cuts closes this part of the gap, or is the last one.
LEAST_CLOSED = 0.01
#: The best sets after prices to pick from, nodes to find them, and steps of the clique search.
BEST_PRICED, BEST_PRICED_NODES, BEST_PRICED_STEPS = 2_000, 200_000, 500_000


def cut_cliques(search: SimultaneousSearch) -> None:
    """Clique cuts for a lower bound on the sum, and the best compatible ones of the sets that it values most."""
    if search.dual_bound is None or not search.has_columns:
        return
    state, pricing = search.state, search.pricing
    search.master.cut_cliques(state.target, LEAST_CLOSED)
    dual_bound = search.master.dual_bound
    search.take_dual_bound(dual_bound)
    if dual_bound.prices is None or state.is_over:
        return
    best = pricing.k_best(
        BEST_PRICED,
        prices=dual_bound.prices,
        threshold=dual_bound.threshold(dual_bound.bound - state.target, pricing.tolerance),
        max_nodes=BEST_PRICED_NODES,
    )
    # Without a claim, as sets are missing.
    search.pick(pricing.listed(best.sets, dual_bound.prices), dual_bound, state.value, BEST_PRICED_STEPS)


#: The same after clique cuts; or those within the largest part of the budget that is few enough.
CUT_LIST, CUT_STEPS, LISTED_PARTS = 300_000, 1_000_000_000, (1.0, 0.85, 0.7, 0.6, 0.5)


def list_in_part(search: SimultaneousSearch) -> None:
    """The sets of all better solutions, or as many of them as can be listed: all but one of each."""
    if _can_list_to_incumbent(search):
        list_to_incumbent(search, CUT_LIST, CUT_STEPS, LISTED_PARTS)


def refute_in_part(search: SimultaneousSearch) -> None:
    """The incumbent itself as the threshold, and lists of all but one set of each solution."""
    if search.state.sets:
        refute(search, 0.0, CUT_STEPS, LISTED_PARTS)


def list_good_longer(search: SimultaneousSearch) -> None:
    """All sets that are good enough."""
    list_good(search, PRICED_LIST, PRICED_STEPS)


#: When all else is done: as long as memory allows, to the end.
LONG_LIST, LONG_STEPS = 1_000_000, 10**12


def list_long(search: SimultaneousSearch) -> None:
    """Ever longer lists."""
    if search.dual_bound is not None:
        list_below_bound(search, search.dual_bound, LONG_LIST, LONG_STEPS)


def list_good_long(search: SimultaneousSearch) -> None:
    """All sets that are good enough."""
    list_good(search, LONG_LIST, LONG_STEPS)


def branch_on_columns(search: SimultaneousSearch) -> None:
    """Branch on which sets are part of a solution: slow, but it needs little memory and ends only when it is done."""
    if search.joint is not None or not (
        search.pricing.can_be_priced and search.state.sets and search.has_columns
    ):
        return
    if ColumnBranching(search.master, search.state, search.cliques).explore():
        search.state.rule_out(search.state.value, "branching on which sets are part of a solution")


def count_patterns_long(search: SimultaneousSearch) -> None:
    """Sums of scores under joint conditions as an integer programme, to the end."""
    count_patterns(search, SOLVER_VARIABLES)


# --- What stays open, by the solver ----------------------------------------------------------------------------------

#: The largest number of variables for the solver, one for each feature and set.
SOLVER_VARIABLES = 20_000


def find_by_solver(search: SimultaneousSearch) -> bool:
    """Is there a solution at all? An integer programme finds one where nothing else did; whether it has."""
    state, problem = search.state, search.problem
    if state.sets or not _solver_takes(search):
        return False
    form = search.quality.form(problem.k_max)
    anything = Anything(Form(np.zeros(len(form.linear)), conflicts=form.conflicts, allowed=form.allowed))
    found = MilpEngine().solve(anything, replace(problem, aggregation="sum"), search.run)
    state.proof = "integer programming"
    if found.statuses[0] is Status.INFEASIBLE:
        state.update_bound(-math.inf)
    state.update_incumbent(found.sets)
    return bool(state.sets)


def solver_optimum(search: SimultaneousSearch) -> None:
    """What stays open, as an integer programme, if the quality is a sum."""
    if not search.quality.form(search.problem.k_max).is_sum or not _solver_takes(search):
        return
    found = MilpEngine().solve(search.quality, search.problem, search.run)
    search.state.update_incumbent(found.sets)
    search.state.update_bound(found.bound)


def _solver_takes(search: SimultaneousSearch) -> bool:
    if search.joint is not None or search.problem.n_features_in * search.state.n_sets > SOLVER_VARIABLES:
        return False
    form = search.quality.form(search.problem.k_max)
    return MilpEngine().declines(Anything(form.without_pairs()), search.problem) is None


PREPARATION: Sequence[Phase] = (
    count_shared,
    count_uses,
    early_incumbent,
    enumerate_all,
    additive_relaxation,
    first_incumbent,
    count_patterns_early,
    buy_features,
    list_good_short,
)

LISTING: Sequence[Phase] = (
    root_bound,
    list_without_prices,
    # Milliseconds up to here.
    generate_columns,
    improve,
    list_early,
    walk_shortly,
    refute_shortly,
    list_full,
    # Seconds from here on.
    walk_long,
    list_full,
    refute_long,
    cut_cliques,
    list_in_part,
    refute_in_part,
    list_good_longer,
    list_long,
    list_good_long,
    branch_on_columns,
    count_patterns_long,
)
