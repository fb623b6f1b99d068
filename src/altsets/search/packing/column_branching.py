"""Branches of a search for compatible sets: is a set part of the solution?

A linear programme over sets (``master``) knows what all sets share together. So it takes two that
share too much, as long as others share little. Once one set is given, all others have to go with it, and the bound is
much lower. The sets that the programme takes most of lead in turn: the best solution with a set, then all solutions
without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

from altsets.problem import FeatureSet
from altsets.search.packing.clique_search import CliqueSearch, ReducedCostBudget
from altsets.search.packing.master import DualBound, RestrictedMaster
from altsets.search.run import Run
from altsets.search.subset.pricing import Listing
from altsets.search.tolerances import PROVEN

__all__ = ["ColumnBranching"]

#: So many sets lead before the programme is solved again without them; twice as many the next time.
FEW_LEADERS = 4
#: Sets in a list, steps for making it, and steps for picking from it, for each set that else would lead; and steps for
#: picking from the sets of the programme alone.
SETS_EACH, NODES_EACH, STEPS_EACH, STEPS_KNOWN = 5_000, 50_000, 400_000, 20_000
MAX_ROUNDS = 1_000
#: A round of clique cuts is to close such a part of the gap, or it is not worth the time.
LEAST_GAIN = 0.1


class ColumnBranching:
    """One search through all solutions.

    Parameters
    ----------
    master : RestrictedMaster
        A solved programme for all sets.
    smallest : bool
        Whether the worst set counts instead of the sum.
    cliques : CliqueSearch
    run : Run
    offer : callable
        Takes sets that go together, and returns the value of the best solution so far.
    tighten : callable
        Takes a bound on all solutions.
    """

    def __init__(
        self,
        master: RestrictedMaster,
        max_min: bool,
        cliques: CliqueSearch,
        run: Run,
        update_incumbent: Callable[[Sequence[FeatureSet]], float],
        update_bound: Callable[[float], None],
    ) -> None:
        self.pricing, self.run = master.pricing, run
        self._cliques, self._update_incumbent, self._update_bound = cliques, update_incumbent, update_bound
        self._n_sets, self._max_min, self._best = master.n_sets, max_min, update_incumbent([])
        # The last programme for so many sets: what mattered there is likely to matter again.
        self._last = {master.n_sets: master}
        self._first = master

    def settle(self, given: tuple[FeatureSet, ...] = (), without: Set[FeatureSet] = frozenset()) -> bool:
        """Look through all solutions with the sets that are given, and without some; false if time is up."""
        left = self._n_sets - len(given)
        if left == 1:
            return self._complete(given, without)
        n_leaders = FEW_LEADERS
        while True:
            master = RestrictedMaster(self.pricing, left, self._first.max_overlap, self.run, given, without)
            master.inherit(self._last.get(left, self._first))
            self._last[left] = master
            master.generate_columns(self._target(given), MAX_ROUNDS)
            if given and self._closed(master, 1):
                return True
            master.add_clique_cuts(self._target(given), MAX_ROUNDS, LEAST_GAIN)
            dual_bound = master.dual_bound
            if not (given or self.run.stopped):
                self._update_bound(max(dual_bound.bound / (left if self._max_min else 1), self._best))
            if self._closed(master, n_leaders):
                return True
            if self.run.stopped or dual_bound.prices is None:
                return False
            budget = dual_bound.bound - self._target(given)
            # Of the sets of a solution one is charged no more than its share of what all can be, so it is one of these.
            leaders = self.pricing.k_best(
                n_leaders,
                others=given,
                without=without,
                prices=dual_bound.prices,
                threshold=dual_bound.best - budget / left - 4 * self.pricing.tolerance,
            )
            # Those that the programme takes come first: without them it has to become another one.
            taken = master.taken(n_leaders)
            chosen = list(dict.fromkeys([*taken, *leaders.sets]))
            for leader in chosen[:n_leaders] if len(leaders.sets) == n_leaders else chosen:
                if self.run.stopped or not self.settle((*given, leader), without):
                    return False
                without = without | {leader}
            if len(leaders.sets) < n_leaders:
                return leaders.bound == -math.inf
            n_leaders *= 2

    def _target(self, given: Sequence[FeatureSet]) -> float:
        """What the sets that are not given have to add up to at least."""
        if self._max_min:
            return (self._n_sets - len(given)) * self._best
        return self._best - math.fsum(map(self.pricing.quality.evaluate, given))

    def _complete(self, given: tuple[FeatureSet, ...], without: Set[FeatureSet]) -> bool:
        found = self.pricing.k_best(1, others=given, without=without, threshold=self._target(given))
        if found.sets:
            self._best = self._update_incumbent([*given, *found.sets])
        return found.bound == -math.inf

    def _closed(self, master: RestrictedMaster, effort: int) -> bool:
        """Whether all solutions of a programme have been looked through, by its bound or by picking from a list."""
        dual_bound, given = master.dual_bound, master.given
        if dual_bound.bound - self._target(given) <= PROVEN / 4:
            return True
        if dual_bound.prices is None or self.run.stopped:
            return False
        # The sets of the programme go together on the whole, and often some of them in fact.
        known = self.pricing.listed(master.sets, dual_bound.prices)
        self._pick(known, dual_bound, given, STEPS_KNOWN)
        listing = self.pricing.all_above(
            dual_bound.best - (dual_bound.bound - self._target(given)) - 4 * self.pricing.tolerance,
            effort * SETS_EACH,
            others=given,
            without=master.without,
            prices=dual_bound.prices,
            max_nodes=effort * NODES_EACH,
        )
        return listing.complete and self._pick(listing, dual_bound, given, effort * STEPS_EACH)

    def _pick(
        self, listing: Listing, dual_bound: DualBound, given: Sequence[FeatureSet], max_steps: int
    ) -> bool:
        """The best sets of a list that make a solution with those given; false if it takes too long."""
        n_sets = self._n_sets - len(given)
        target = self._best if self._max_min else self._target(given)
        least = target if self._max_min else None
        sets, finished = self._cliques.pick(
            listing,
            ReducedCostBudget.of(listing, dual_bound, n_sets, least),
            target,
            max_steps,
            summing=not self._max_min,
            least=-math.inf if least is None else least,
            n_sets=n_sets,
        )
        if sets:
            self._best = self._update_incumbent([*given, *sets])
        return finished
