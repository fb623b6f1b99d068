"""All sets at once, largest sum: degree sequences from the best down, until one can be arranged in sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from altsets._kernels.arrangement import arrange
from altsets._kernels.exchanges import deal
from altsets.arrays import Ints
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.result import Status
from altsets.search.additive import pattern_milp
from altsets.search.additive.best_set import best_set
from altsets.search.additive.meet_in_middle import best_sum, positions_of
from altsets.search.degree_bounds import degree_sequences, sum_bound
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.subset.candidates import Candidates
from altsets.search.tolerances import PROVEN

__all__ = ["best_responses", "largest_sum"]

Degrees = Ints

#: Steps of the exact arrangement of one degree sequence, and exchanges of the randomised one.
ARRANGE_NODES = 20_000
#: Sets that fit into the bit patterns of the exact arrangement.
MAX_ARRANGED = 30
DEAL_STEPS = 20_000
#: Degree sequences to try before the integer programme is asked.
MAX_SEQUENCES = 2_000
#: Sequences that could neither be arranged nor ruled out, before giving up.
MAX_UNDECIDED = 8


def largest_sum(
    quality: Additive, problem: Problem, candidates: Candidates, run: Run, exact: bool = True
) -> Answer:
    """The sets with the largest sum of qualities.

    With ``exact=False`` the integer programme is asked only where no sets are found otherwise: whether there are any
    is always settled, but a small gap may stay.
    """
    limit = sum_bound(candidates, problem, tick=run.tick)
    if limit.value == -math.inf:
        return Answer.infeasible(problem, "counting shared features")
    run.update_bound(limit.value)
    if limit.counts is not None and not run.stopped:
        _, sets = realise(problem, candidates, limit.counts, run)
        if sets is not None:
            run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))
            return _answer(quality, problem, sets, limit.value, "the degree-sequence bound is reached")
    sets = in_turn(problem, candidates, run)
    if sets is not None:
        run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))
    bound, proof = limit.value, "degree-sequence bound"
    if not problem.existing and not run.stopped:
        bound = _down_the_sequences(quality, problem, candidates, limit.value, run)
        if _proven(run, bound):
            proof = "every better degree sequence is proven impossible"
        else:
            _slacker_sequences(quality, problem, candidates, run)
    if problem.existing and not run.stopped:
        listed, finished = best_sum(
            problem, candidates, run.objective if run.sets else -math.inf, -math.inf, run
        )
        if listed is not None:
            run.update_incumbent(listed, math.fsum(map(quality.evaluate, listed)))
        if finished:
            bound = run.objective if run.sets else -math.inf
            proof = "all sets listed, and compatible ones picked"
    small = pattern_milp.n_variables(candidates, problem) <= pattern_milp.MAX_VARIABLES
    if small and (exact or not run.sets) and not run.stopped and not _proven(run, bound):
        sets, bound = pattern_milp.best_sum(candidates, problem, bound, run)
        proof = "integer programme over membership patterns"
        if sets is not None:
            run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))
    return _answer(quality, problem, run.sets, bound, proof)


def _proven(run: Run, bound: float) -> bool:
    """Whether the best sets are proven best, or proven not to exist."""
    if not run.sets:
        return bound == -math.inf
    return bound - run.objective <= PROVEN


def _down_the_sequences(
    quality: Additive, problem: Problem, candidates: Candidates, limit: float, run: Run
) -> float:
    """Try degree sequences from the best down; offer the first that works to the run, and return the bound."""
    floor = run.objective - candidates.tolerance(problem.n_features) if run.sets else -math.inf
    sequences, reached = degree_sequences(candidates, problem, limit, floor, MAX_SEQUENCES, run.tick)
    open_bound, undecided = -math.inf, 0
    for counts, value in sequences:
        if run.stopped or undecided == MAX_UNDECIDED:
            return max(open_bound, value)
        possible, sets = realise(problem, candidates, counts, run)
        if sets is not None:
            run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))
            return max(open_bound, run.objective)
        if possible:
            open_bound, undecided = max(open_bound, value), undecided + 1
    if reached > floor:
        return max(open_bound, reached)
    return max(open_bound, run.objective) if run.sets else open_bound


def _slacker_sequences(quality: Additive, problem: Problem, candidates: Candidates, run: Run) -> None:
    """Good sequences that do not use up all that pairs may share are easier to arrange: offer the first that works."""
    pairs = problem.n_sets * (problem.n_sets - 1) // 2
    for unshared in range(2, problem.max_overlap * pairs, max(2, pairs // 12)):
        easier = sum_bound(candidates, problem, unshared, run.tick)
        if run.stopped or easier.counts is None or easier.value <= run.objective:
            break
        _, sets = realise(problem, candidates, easier.counts, run)
        if sets is not None:
            run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))
            break
    if run.sets:
        sets = best_responses(problem, candidates, quality.evaluate, run.sets, run)
        run.update_incumbent(sets, math.fsum(map(quality.evaluate, sets)))


def best_responses(
    problem: Problem,
    candidates: Candidates,
    evaluate: Callable[[FeatureSet], float],
    sets: Sequence[FeatureSet],
    run: Run,
) -> list[FeatureSet]:
    """Exchange each set for the best one that fits the others, as long as that helps; no set gets worse."""
    sets, improved = list(sets), True
    overlaps = [*problem.existing_overlaps, *[problem.max_overlap] * (len(sets) - 1)]
    tolerance = 2 * candidates.tolerance(problem.n_features)
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


def realise(
    problem: Problem, candidates: Candidates, counts: Ints, run: Run
) -> tuple[bool, list[FeatureSet] | None]:
    """Sets with these degrees: whether they can exist, and the sets if they were found."""
    n, n_sets, k, cap = len(candidates), problem.n_sets, problem.n_features, problem.max_overlap
    degrees: Degrees = np.sum(counts[:, None] > np.arange(n)[None, :], axis=0, dtype=np.intc)
    if not problem.existing and n_sets <= MAX_ARRANGED:
        shared = degrees[degrees > 1]
        answer, found = arrange(shared, n_sets, k, cap, ARRANGE_NODES, run.tick)
        if answer == 0:
            return False, None
        if answer == 1:
            return True, _fill_up(candidates, n_sets, k, found, int(np.sum(degrees > 0)))
    fixed = positions_of(problem.existing, candidates)
    caps = np.array(problem.existing_overlaps, dtype=np.intc)
    for seed in range(2):
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


def in_turn(problem: Problem, candidates: Candidates, run: Run) -> list[FeatureSet] | None:
    """The sets that sequential search would give: a valid solution, if it gets that far."""
    sets: list[FeatureSet] = []
    while len(sets) < problem.n_sets:
        overlaps = [*problem.existing_overlaps, *[problem.max_overlap] * len(sets)]
        chosen, _ = best_set(candidates, problem.n_features, [*problem.existing, *sets], overlaps, run.tick)
        # With many sets it takes long to tell the search of all of them.
        if chosen is None or (run.tick() and len(sets) + 1 < problem.n_sets):
            return None
        sets.append(chosen)
    return sets


def _answer(
    quality: Additive, problem: Problem, sets: Sequence[FeatureSet], bound: float, proof: str
) -> Answer:
    if not sets:
        status = Status.INFEASIBLE if bound == -math.inf else Status.NOT_FOUND
        return Answer([], [status] * problem.n_sets, bound, proof)
    objective = math.fsum(map(quality.evaluate, sets))
    proven = bound - objective <= PROVEN
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    return Answer(sets, [status] * problem.n_sets, bound, proof)
