"""Branching on columns: is a set part of the solution?

The programme over sets (``master``) limits only what all sets share together, so it takes two that share too much if
others share little. With one set given, all others must be compatible with it, and the bound is much lower. Branches
are the sets that the programme takes most of: the best solution with a set, then all solutions without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from altsets.problem import FeatureSet
from altsets.search.engine import REACHED
from altsets.search.simultaneous.clique_search import CliqueSearch
from altsets.search.simultaneous.master import MAX_ROUNDS, DualBound, RestrictedMaster
from altsets.search.simultaneous.state import Incumbent
from altsets.search.subset.listing import KBest, Listing

#: Columns that are branched on before the programme is solved again without them; twice as many the next time.
FIRST_COLUMNS = 4
#: A list that saves the branching on one column: sets, nodes for making it, steps of the clique search.
SETS_PER_COLUMN, NODES_PER_COLUMN, STEPS_PER_COLUMN = 5_000, 50_000, 400_000
#: Steps of the clique search among the columns of the programme alone.
STEPS_AMONG_COLUMNS = 20_000


class ColumnBranching:
    """One search through all solutions, from a solved programme for all sets and an incumbent."""

    def __init__(self, master: RestrictedMaster, state: Incumbent, cliques: CliqueSearch) -> None:
        self.pricing, self.run = master.pricing, master.run
        self._state, self._cliques = state, cliques
        # The last programme for so many sets: what mattered there is likely to matter again.
        self._last = {master.n_sets: master}
        self._root = master

    def explore(self, given: tuple[FeatureSet, ...] = (), without: Set[FeatureSet] = frozenset()) -> bool:
        """Look through all solutions with the sets that are given, and without some; false if time is up."""
        left = self._state.n_sets - len(given)
        if left == 1:
            return self._complete(given, without)
        n_columns = FIRST_COLUMNS
        while True:
            master = self._solved(left, given, without)
            if given and self._fathomed(master, 1):
                return True
            if not (given or self.run.stopped):
                bound = master.dual_bound.bound / (left if self._state.max_min else 1)
                self._state.update_bound(max(bound, self._state.value))
            if self._fathomed(master, n_columns):
                return True
            if self.run.stopped or master.dual_bound.prices is None:
                return False
            found = self._candidates(master, n_columns)
            exhausted = len(found.sets) < n_columns
            # Those that the programme takes come first: without them it has to become another one.
            columns = list(dict.fromkeys([*master.most_taken(n_columns), *found.sets]))
            for column in columns if exhausted else columns[:n_columns]:
                if self.run.stopped or not self.explore((*given, column), without):
                    return False
                without = without | {column}
            if exhausted:
                return found.bound == -math.inf
            n_columns *= 2

    def _solved(self, left: int, given: tuple[FeatureSet, ...], without: Set[FeatureSet]) -> RestrictedMaster:
        """The programme for the sets that are left, with what mattered in the last one of that kind."""
        master = RestrictedMaster(self.pricing, left, self._root.max_overlap, given, without)
        master.inherit(self._last.get(left, self._root))
        self._last[left] = master
        master.generate_columns(self._target(given), MAX_ROUNDS)
        return master

    def _candidates(self, master: RestrictedMaster, most: int) -> KBest:
        """The best columns of which a better solution has at least one."""
        # One set of a solution is charged no more than the average, so it is one of these.
        dual_bound = master.dual_bound
        budget = (dual_bound.bound - self._target(master.given)) / master.n_sets
        return self.pricing.k_best(
            most,
            others=master.given,
            without=master.without,
            prices=dual_bound.prices,
            threshold=dual_bound.threshold(budget, self.pricing.tolerance),
        )

    def _target(self, given: Sequence[FeatureSet]) -> float:
        """What the sets that are not given have to add up to at least."""
        if self._state.max_min:
            return (self._state.n_sets - len(given)) * self._state.value
        return self._state.value - math.fsum(map(self.pricing.quality.evaluate, given))

    def _complete(self, given: tuple[FeatureSet, ...], without: Set[FeatureSet]) -> bool:
        """The best last set; false if time is up."""
        found = self.pricing.k_best(1, others=given, without=without, threshold=self._target(given))
        if found.sets:
            self._state.update_incumbent([*given, *found.sets])
        return found.bound == -math.inf

    def _fathomed(self, master: RestrictedMaster, effort: int) -> bool:
        """Whether all solutions of a programme have been looked through, by its bound or by a clique search."""
        dual_bound, given = master.dual_bound, master.given
        if dual_bound.bound - self._target(given) <= REACHED:
            return True
        if dual_bound.prices is None or self.run.stopped:
            return False
        # The sets of the programme go together on the whole, and often some of them in fact.
        known = self.pricing.listed(master.sets, dual_bound.prices)
        self._pick(known, dual_bound, given, STEPS_AMONG_COLUMNS)
        budget = dual_bound.bound - self._target(given)
        listing = self.pricing.all_above(
            dual_bound.threshold(budget, self.pricing.tolerance),
            effort * SETS_PER_COLUMN,
            others=given,
            without=master.without,
            prices=dual_bound.prices,
            max_nodes=effort * NODES_PER_COLUMN,
        )
        return listing.complete and self._pick(listing, dual_bound, given, effort * STEPS_PER_COLUMN)

    def _pick(
        self, listing: Listing, dual_bound: DualBound, given: Sequence[FeatureSet], max_steps: int
    ) -> bool:
        """The best sets of a list that make a solution with those given; false if it takes too long."""
        state = self._state
        sets, finished = self._cliques.better(
            listing,
            dual_bound,
            state.value if state.max_min else self._target(given),
            max_steps,
            max_min=state.max_min,
            n_sets=state.n_sets - len(given),
        )
        if sets:
            state.update_incumbent([*given, *sets])
        return finished
