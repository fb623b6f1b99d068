"""All sets at once, largest minimum: best-first search over partial solutions.

A partial solution decides for the best few features in which sets they lie; what the sets can still get is bounded by
degree sequences, for all sets together and for those with the least prospects alone (a set that holds a dominating
feature must not make up for the others). If few sets lie in the window between what is needed and what the bound
allows, they are listed and compatible ones picked; if the other sets can be filled up around them, the partial solution
is solved. Otherwise the next feature is decided. Balanced scores are usually proven by the first windows, with nothing
decided; skewed ones need the first few features decided.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import replace

from altsets.problem import FeatureSet
from altsets.search.additive.best_set import Instance
from altsets.search.additive.completion import annealed
from altsets.search.additive.max_sum import MaxSumSearch, best_responses
from altsets.search.additive.partial_solutions import MaxMinState, Node, PartialSolutions
from altsets.search.additive.windows import WindowSearch, best_sum
from altsets.search.engine import PROVEN, Answer

#: Steps of annealing for each place in the sets of the first incumbent: most problems need no more.
STEPS_PER_PLACE = 150
#: Nodes that are spent on a gap that is too small for users to care.
MAX_LATE_NODES = 40


def largest_minimum(instance: Instance) -> Answer:
    """The sets whose worst one is as good as possible; among such, a large sum."""
    problem = instance.problem
    found = MaxSumSearch(replace(instance, run=instance.run.part())).solve(exact=False)
    if not found.sets:
        return replace(found, bound=found.bound / problem.n_sets)
    state = MaxMinState(instance)
    state.update_incumbent(found.sets)
    state.update_bound(found.bound / problem.n_sets - state.offset)
    _solve(state)
    sets = _raise_sum(state, found.bound)
    worst = min(map(instance.quality.evaluate, sets))
    bound = max(state.bound + state.offset, worst)
    proof = "best-first search over windows of good sets"
    return Answer.simultaneous(problem, sets, bound, proof, proven=bound - worst <= PROVEN)


def _solve(state: MaxMinState) -> None:
    """From quick to slow methods, until the incumbent is proven."""
    search = BestFirstSearch(state)
    root = search.tree.root()
    if not state.is_proven:
        steps = STEPS_PER_PLACE * state.problem.n_sets * state.problem.n_features
        state.update_incumbent(annealed(state, state.sets, state.bound, steps=steps))
        search.explore(root, max_nodes=1)
    if not state.is_proven:
        search.explore(search.windows.widen(root))


class BestFirstSearch:
    """Best-first branch and bound over partial solutions."""

    def __init__(self, state: MaxMinState) -> None:
        self._state = state
        self.tree = PartialSolutions(state)
        self.windows = WindowSearch(state)

    def explore(self, root: Node, max_nodes: float = math.inf) -> None:
        """Search the windows of the most promising partial solution, or branch, until none can beat the incumbent."""
        state, heap = self._state, [root]
        n_nodes = n_late = 0
        while heap and not state.run.stopped and n_nodes < max_nodes and n_late < MAX_LATE_NODES:
            n_nodes += 1
            n_late += state.is_nearly_proven
            node = heapq.heappop(heap)
            state.update_bound(node.bound)
            if state.is_proven:
                return
            bound = self.windows.search(node)
            children = self.tree.children(node) if bound is None else [node.with_bound(bound)]
            for child in children:
                if child.bound > state.best + state.tolerance:
                    heapq.heappush(heap, child)
        # If the run was stopped, children of the last node may be missing.
        if not heap and not state.run.stopped:
            state.update_bound(state.best)


def _raise_sum(state: MaxMinState, limit: float) -> list[FeatureSet]:
    """Keep the minimum and raise the sum, at most ``limit``: by best responses, and exactly if few sets are as good."""
    sets = best_responses(state.instance, state.sets)
    total = math.fsum(map(state.quality.evaluate, sets))
    if state.run.stopped or limit - total <= PROVEN:
        return sets
    better_sets, _ = best_sum(state.instance, total, state.best + state.offset)
    return sets if better_sets is None else better_sets
