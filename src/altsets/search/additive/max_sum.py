"""All sets at once, largest sum: degree sequences from the best down, until one can be arranged in sets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from altsets._kernels.arrangement import arrange
from altsets._kernels.exchanges import deal
from altsets.arrays import Ints
from altsets.problem import FeatureSet
from altsets.search.additive import pattern_milp
from altsets.search.additive.best_set import Instance, best_set
from altsets.search.additive.partial_solutions import PATTERN_SETS, positions_of
from altsets.search.additive.windows import best_sum
from altsets.search.degree_bounds import degree_sequences, sum_bound
from altsets.search.engine import PROVEN, Answer
from altsets.search.subset.candidates import Candidates

#: Nodes of the exact arrangement of one degree sequence.
ARRANGEMENT_NODES = 20_000
#: Exchanges of one randomised arrangement, and how many of these with other random numbers.
DEAL_STEPS, DEAL_ATTEMPTS = 20_000, 2
#: Degree sequences to try before the integer programme is used.
MAX_SEQUENCES = 2_000
#: Shares of the gap below the bound for which sequences are listed in turn, as long as they are not too many.
SEQUENCE_SHARES = (1 / 16384, 1 / 2048, 1 / 256, 1 / 32, 1 / 4, 1.0)
#: Sequences that could neither be arranged nor ruled out, before giving up.
MAX_UNDECIDED = 8
#: For sequences that are easier to arrange, one more part in so many of what pairs may share is left unused.
SLACK_PARTS = 12


class MaxSumSearch:
    """Degree-sequence bound, arrangements, integer programme, until something is proven; the run has the incumbent."""

    def __init__(self, instance: Instance) -> None:
        self._instance, self._quality, self._problem = instance, instance.quality, instance.problem
        self._candidates, self._run = instance.candidates, instance.run
        self._bound, self._proof = math.inf, ""

    def solve(self, *, exact: bool = True) -> Answer:
        """The best sets and a bound; if not ``exact``, a small gap may stay, but not whether there are any."""
        problem, run = self._problem, self._run
        limit = sum_bound(self._candidates, problem, tick=run.tick)
        if limit.value == -math.inf:
            return Answer.infeasible(problem, "counting shared features")
        run.update_bound(limit.value)
        self._bound, self._proof = limit.value, "degree-sequence bound"
        if limit.counts is not None and not run.stopped and self._arrange(limit.counts)[1]:
            self._proof = "the degree-sequence bound is reached"
            return self._answer()
        self._update_incumbent(in_turn(self._instance))
        if not run.stopped:
            if problem.existing:
                self._pick_listed()
            else:
                self._descend_sequences()
        if exact or not run.sets:
            self._solve_patterns()
        return self._answer()

    @property
    def _is_proven(self) -> bool:
        """Whether the incumbent is proven best, or that there are no sets."""
        if not self._run.sets:
            return self._bound == -math.inf
        return self._bound - self._run.objective <= PROVEN

    @property
    def _objective(self) -> float:
        """The sum of the incumbent; minus infinity without one."""
        return self._run.objective if self._run.sets else -math.inf

    def _total(self, sets: Sequence[FeatureSet]) -> float:
        return math.fsum(map(self._quality.evaluate, sets))

    def _update_incumbent(self, sets: Sequence[FeatureSet] | None) -> None:
        if sets is not None:
            self._run.update_incumbent(sets, self._total(sets))

    def _answer(self) -> Answer:
        sets, bound = self._run.sets, self._bound
        proven = bool(sets) and bound - self._total(sets) <= PROVEN
        return Answer.simultaneous(self._problem, sets, bound, self._proof, proven=proven)

    def _arrange(self, counts: Ints) -> tuple[bool, bool]:
        """Whether there may be sets with these degrees, and whether they were found."""
        possible, sets = realise(self._instance, counts)
        self._update_incumbent(sets)
        return possible, sets is not None

    def _descend_sequences(self) -> None:
        """Degree sequences from the best down; where that leaves a gap, some that are easier to arrange."""
        self._bound = self._bound_by_sequences()
        if self._is_proven:
            self._proof = "every better degree sequence is proven impossible"
            return
        self._arrange_with_slack()
        if self._run.sets:
            self._update_incumbent(best_responses(self._instance, self._run.sets))

    def _bound_by_sequences(self) -> float:
        """Try degree sequences from the best down until one works: the bound that follows."""
        candidates, problem, run = self._candidates, self._problem, self._run
        floor = self._objective - candidates.tolerance(problem.n_features)
        sequences, reached = degree_sequences(
            candidates, problem, self._bound, floor, MAX_SEQUENCES, SEQUENCE_SHARES, run.tick
        )
        open_bound, undecided = -math.inf, 0
        for counts, value in sequences:
            if run.stopped or undecided == MAX_UNDECIDED:
                return max(open_bound, value)
            possible, found = self._arrange(counts)
            if found:
                return max(open_bound, run.objective)
            if possible:
                open_bound, undecided = max(open_bound, value), undecided + 1
        return max(open_bound, reached if reached > floor else self._objective)

    def _arrange_with_slack(self) -> None:
        """Sequences that do not use up all that pairs may share are easier to arrange: take the first that works."""
        problem, run = self._problem, self._run
        pairs = problem.n_sets * (problem.n_sets - 1) // 2
        step = max(2, pairs // SLACK_PARTS)
        for unshared in range(2, problem.max_overlap * pairs, step):
            easier = sum_bound(self._candidates, problem, unshared, run.tick)
            if run.stopped or easier.counts is None or easier.value <= run.objective:
                return
            if self._arrange(easier.counts)[1]:
                return

    def _pick_listed(self) -> None:
        """With existing sets, which degree sequences know nothing of: the best among all good sets, if they are few."""
        listed, finished = best_sum(self._instance, self._objective, -math.inf)
        self._update_incumbent(listed)
        if finished:
            self._bound, self._proof = self._objective, "all sets listed, and compatible ones picked"

    def _solve_patterns(self) -> None:
        """The integer programme over membership patterns, where it is small and something is left to prove."""
        candidates, problem, run = self._candidates, self._problem, self._run
        if pattern_milp.n_variables(candidates, problem) > pattern_milp.FEW_VARIABLES:
            return
        if run.stopped or self._is_proven:
            return
        sets, self._bound = pattern_milp.best_sum(candidates, problem, self._bound, run)
        self._proof = "integer programme over membership patterns"
        self._update_incumbent(sets)


def best_responses(instance: Instance, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
    """Replace each set by the best one that fits the others, as long as that helps; no set gets worse."""
    # Twin of the local search in ``simultaneous``, which takes any quality: these are exact, and by branch and bound
    # for additive scores two to five times faster.
    problem, candidates, run = instance.problem, instance.candidates, instance.run
    evaluate, sets, improved = instance.quality.evaluate, list(sets), True
    overlaps = [*problem.existing_overlaps, *[problem.max_overlap] * (len(sets) - 1)]
    tolerance = candidates.difference_tolerance(problem.n_features)
    while improved and not run.stopped:
        improved = False
        for number in range(len(sets)):
            if run.tick():
                break
            others = [*problem.existing, *sets[:number], *sets[number + 1 :]]
            better, _ = best_set(candidates, problem.n_features, others, overlaps, run.tick)
            if better is not None and evaluate(better) > evaluate(sets[number]) + tolerance:
                sets[number], improved = better, True
    return sets


def realise(instance: Instance, counts: Ints) -> tuple[bool, list[FeatureSet] | None]:
    """Sets with these degrees: whether they can exist, and the sets if they were found."""
    problem, candidates, run = instance.problem, instance.candidates, instance.run
    n, n_sets, k, cap = len(candidates), problem.n_sets, problem.n_features, problem.max_overlap
    degrees: Ints = np.sum(counts[:, None] > np.arange(n)[None, :], axis=0, dtype=np.intc)
    if not problem.existing and n_sets <= PATTERN_SETS:
        shared = degrees[degrees > 1]
        answer, found = arrange(shared, n_sets, k, cap, ARRANGEMENT_NODES, run.tick)
        if answer == 0:
            return False, None
        if answer == 1:
            return True, _fill_up(candidates, n_sets, k, found, int(np.sum(degrees > 0)))
    fixed = positions_of(problem.existing, candidates)
    caps = np.array(problem.existing_overlaps, dtype=np.intc)
    for seed in range(DEAL_ATTEMPTS):
        if run.stopped:
            break
        members = deal(degrees, n_sets, k, fixed, caps, cap, DEAL_STEPS, seed, run.tick)
        if members is not None:
            return True, [candidates.features(np.flatnonzero(row)) for row in members]
    return True, None


def _fill_up(candidates: Candidates, n_sets: int, k: int, found: Ints, n_used: int) -> list[FeatureSet]:
    """Patterns of the shared features to sets; features of degree one go where there is room."""
    sets: list[list[int]] = [[] for _ in range(n_sets)]
    for position, pattern in enumerate(found.tolist()):
        for number in range(n_sets):
            if pattern >> number & 1:
                sets[number].append(position)
    # Deal the rest out evenly: balanced qualities cost nothing here and help min-aggregation.
    scores = candidates.scores[:n_used].tolist()
    worth = [sum(scores[position] for position in chosen) for chosen in sets]
    for position in range(len(found), n_used):
        number = min((s for s in range(n_sets) if len(sets[s]) < k), key=worth.__getitem__)
        sets[number].append(position)
        worth[number] += scores[position]
    return [candidates.features(positions) for positions in sets]


def in_turn(instance: Instance) -> list[FeatureSet] | None:
    """The sets that sequential search would give: a valid solution, if it gets that far."""
    problem, candidates, run = instance.problem, instance.candidates, instance.run
    sets: list[FeatureSet] = []
    while len(sets) < problem.n_sets:
        overlaps = [*problem.existing_overlaps, *[problem.max_overlap] * len(sets)]
        others = [*problem.existing, *sets]
        chosen, _ = best_set(candidates, problem.n_features, others, overlaps, run.tick)
        # With many sets, preparing the search takes long.
        if chosen is None or (run.tick() and len(sets) + 1 < problem.n_sets):
            return None
        sets.append(chosen)
    return sets
