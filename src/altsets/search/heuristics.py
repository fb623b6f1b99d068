"""The paper's three heuristics for additive quality: replacement, balancing, depth.

With d = k - max_overlap, *replacement* keeps the best ``max_overlap`` features in every set and adds the next d to
each; *balancing* distributes the same features so that qualities come close; *depth* goes through all sets in
lexicographic order of quality ranks and keeps each valid one. Without caps its first sets are those of replacement, so
it starts there (the hybrid that the paper suggests).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from altsets._kernels import lexicographic as kernel
from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.result import Status
from altsets.search.engine import Answer, counts_only, declines_extras, declines_joint, forbids_only
from altsets.search.run import Run
from altsets.search.subset.candidates import best_of
from altsets.search.subset.pricing import PricingOracle
from altsets.search.subset.rules import Cap, Rules, caps_by_position
from altsets.wording import parameter

#: The constraints that depth search handles, as caps.
DEPTH_TAKES = (counts_only, ["Forbid", "Require", "AtMost", "AtLeast", "Exclusive"])

#: Nodes of the search for the best single set; with rules that make it longer than that, the bound is weaker.
MAX_NODES = 20_000


class GreedyEngine:
    """The paper's heuristics as an engine."""

    name = "greedy"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None; it says what does."""
        search = problem.search
        if not search.startswith("greedy-"):
            return f"it is heuristic and does not do {parameter('search', search)}"
        if reason := declines_joint(problem, parameter("search", search)):
            return reason
        if problem.existing and search != "greedy-depth":
            return f"{parameter('search', search)} takes no existing sets; use 'greedy-depth' or 'sequential'"
        taken = DEPTH_TAKES if search == "greedy-depth" else (forbids_only, ["Forbid"])
        reason = declines_extras(quality, problem, *taken, who=parameter("search", search))
        if reason is None:
            return None
        if declines_extras(quality, problem, *DEPTH_TAKES) is None:
            return f"{reason}; use 'greedy-depth' or 'sequential'"
        return f"{reason}; use 'sequential'"

    def solve(self, quality: Additive, problem: Problem, run: Run) -> Answer:
        """Run the heuristic that the problem names."""
        heuristic = {
            "greedy-replacement": replacement,
            "greedy-balancing": balancing,
            "greedy-depth": depth,
        }[problem.search]
        found = heuristic(quality.scores, problem, run)
        sets = [chosen for chosen in found if quality.evaluate(chosen) >= run.least]
        missing = Status.FEASIBLE if len(sets) == problem.n_sets else Status.NOT_FOUND
        statuses = [Status.FEASIBLE] * len(sets) + [missing] * (problem.n_sets - len(sets))
        bound = problem.objective([_best_alone(quality, problem, run)] * len(sets)) if sets else math.inf
        return Answer(sets, statuses, bound, "no set is better than the best single one", finished=True)


def _best_alone(quality: Additive, problem: Problem, run: Run) -> float:
    """A bound on every set under the constraints: what the best one is worth, if a short search finds it."""
    alone = replace(problem, n_alternatives=0)
    if problem.rules.only_forbid and not problem.existing:
        best = ranked(quality.scores, replace(alone, search="greedy-replacement"))
        return math.fsum(quality.scores[best].tolist())
    pricing = PricingOracle(quality, alone, run.part())
    found = pricing.k_best(1, max_nodes=MAX_NODES)
    return max([min(found.bound, pricing.ceiling), *map(quality.evaluate, found.sets)])


def ranked(scores: Floats, problem: Problem) -> Indices:
    """Features that may be used, from best to worst; equal scores by index. Only depth search needs all of them."""
    usable = np.arange(len(scores))
    if problem.forbidden:
        usable = np.delete(usable, sorted(problem.forbidden))
    wanted = problem.n_features + problem.n_alternatives * _difference(problem)
    if problem.search != "greedy-depth":
        usable = best_of(scores, usable, wanted)
    return usable[np.lexsort((usable, -scores[usable]))]


def most_alternatives(problem: Problem) -> int:
    """The largest number of alternatives that replacement and balancing can give; 0 if not even one set."""
    difference = _difference(problem)
    if difference == 0:
        raise InputError(
            f"{parameter('n_alternatives', 'max')} has no answer when equal sets are allowed; ask for tau > 0 or a "
            "number."
        )
    unused = problem.n_features_in - len(problem.forbidden) - problem.n_features
    return max(unused // difference, 0)


def replacement(scores: Floats, problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Replacement: as many of the sets as there are unused features for."""
    order, common, step = ranked(scores, problem), problem.max_overlap, _difference(problem)
    sets: list[FeatureSet] = []
    for number in range(problem.n_sets):
        start = common + number * step
        if start + step > len(order) or (sets and run.tick()):
            break
        sets.append(_features(order, [*range(common), *range(start, start + step)]))
    return sets


def balancing(scores: Floats, problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Balancing: all sets or none."""
    order, common, step = ranked(scores, problem), problem.max_overlap, _difference(problem)
    k = problem.n_features
    if step * problem.n_alternatives + k > len(order):
        return []
    members = [list(range(common)) for _ in range(problem.n_sets)]
    # The open set with the lowest total is next, of several the first.
    open_sets = [(0.0, number) for number in range(problem.n_sets)] if common < k else []
    values = scores[order].tolist()
    for position in range(common, step * problem.n_alternatives + k):
        if not open_sets or run.tick():
            break
        total, lowest = open_sets[0]
        members[lowest].append(position)
        if len(members[lowest]) < k:
            heapq.heapreplace(open_sets, (total + values[position], lowest))
        else:
            heapq.heappop(open_sets)
    if open_sets:
        return []
    return [_features(order, positions) for positions in members]


def depth(scores: Floats, problem: Problem, run: Run) -> list[FeatureSet]:
    """Greedy Depth Search, until all sets are found, none is left or time is up."""
    # Required features lie in all sets, so the lexicographic order is that of the other features.
    rules = Rules.of(problem, problem.n_features)
    if rules is None:
        return []
    order, base = ranked(scores, problem), rules.required
    order = order[~np.isin(order, sorted(base))]
    rank = np.full(problem.n_features_in, -1, dtype=np.intp)
    rank[order] = np.arange(len(order))
    sets: list[FeatureSet] = []
    # Replacement ignores caps and required features, and repeats itself if equal sets are allowed.
    if not rules.caps and not base and problem.max_overlap < problem.n_features:
        sets = replacement(scores, problem, run)
    caps = [cap.open_part(rank, base) for cap in rules.caps]
    caps += [Cap(chosen, problem.max_overlap).open_part(rank, base) for chosen in sets]
    positions = np.arange(problem.n_features - len(base), dtype=np.int64)
    if sets:
        positions[:] = caps[-1][0]
    run.update_incumbent(sets, math.nan)
    while (
        len(sets) < problem.n_sets
        and not (sets and run.tick())
        and _advance(positions, caps, len(order), fresh=not sets, run=run)
    ):
        sets.append(tuple(sorted([*base, *_features(order, positions.tolist())])))
        caps.append(Cap(sets[-1], problem.max_overlap).open_part(rank, base))
        run.publish(sets, math.nan)
    return sets


def _advance(
    positions: npt.NDArray[np.int64], caps: Sequence[tuple[Indices, int]], n: int, *, fresh: bool, run: Run
) -> bool:
    """Go on to the next of all sets of n ranked features that keeps to the caps; false if there is none or no time."""
    left = np.array([left for _, left in caps], dtype=np.intc)
    if np.any(left < 0):
        return False
    if not len(positions):
        return fresh
    first, member = caps_by_position([inside for inside, _ in caps], n)
    found: int = kernel.next_set(n, first, member, left, positions, fresh, run.tick)
    return found == 1


def _difference(problem: Problem) -> int:
    return problem.n_features - problem.max_overlap


def _features(order: Indices, positions: list[int]) -> FeatureSet:
    return tuple(sorted(order[positions].tolist()))
