"""Greedy wrapper: the hill climbing of the paper (Algorithm 1) with its repair step, the closest valid sets.

The paper calls a solver after every swap. Here a repair first tries the sets of the right size with the fewest changes,
then the search for one set with a reward of 1 for each feature that stays (several sets: lists of close sets, from
which compatible ones are picked), and the integer-programming solver only if these lists grow long. Ties are broken by
small random numbers, fixed for each set and feature.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from altsets.arrays import Floats
from altsets.problem import FeatureSet, Problem
from altsets.quality import BlackBox, Quality
from altsets.search.black_box.evaluations import EvaluationCache, declines_numbers, report, search_sets
from altsets.search.engine import Answer
from altsets.search.milp.engine import solve
from altsets.search.milp.formulation import Formulation
from altsets.search.run import Run, Stopped
from altsets.search.subset.candidates import Anything
from altsets.search.subset.prices import DualPrices
from altsets.search.subset.pricing import PricingOracle

#: What all ties of a solution can add up to at most, in features: less than half of one, so that they only break ties.
TIES = 0.25
#: Nodes of the search for one closest set, or for a list of close ones.
REPAIR_NODES = 200_000
#: Sets in a list of close ones.
MAX_CLOSE_SETS = 20_000
#: Changes, in features, beyond the fewest until the solver is used.
MAX_FURTHER_CHANGES = 4
#: Sets with the fewest changes that are looked through without a search.
MAX_DIRECT_SETS = 1_000
#: Steps of a search for close sets that go together, until the solver is used: about as long as its answer takes.
MAX_COMBINATIONS = 20_000
#: Features of all pairs of sets together beyond which the solver is not asked, as it notices late that time is up.
MAX_SOLVER_PRODUCTS = 20_000


Features = frozenset[int]


class Feasibility:
    """Whether a set may be chosen, alone or besides others."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._limit = problem.max_overlap if problem.counts_shared and problem.fixed_size else None

    def alone(self, chosen: Features) -> bool:
        """Whether a set keeps to all constraints and differs from the existing sets."""
        problem, ordered = self._problem, tuple(sorted(chosen))
        return (
            len(chosen) in problem.sizes
            and all(constraint.holds(ordered) for constraint in problem.constraints)
            and all(problem.compatible(ordered, given) for given in problem.existing)
        )

    def all_apart(self, chosen: Features, others: Sequence[FeatureSet | Features]) -> bool:
        """Whether a set differs enough from others of the same request."""
        if self._limit is None:
            ordered = tuple(sorted(chosen))
            return all(self._problem.compatible(ordered, tuple(sorted(other))) for other in others)
        # The most frequent call.
        for other in others:  # noqa: SIM110 - a generator takes twice as long
            if len(chosen.intersection(other)) > self._limit:
                return False
        return True

    def given(self, chosen: Features, others: Sequence[FeatureSet | Features]) -> bool:
        """Whether a set may be chosen besides others of the same request."""
        return self.alone(chosen) and self.all_apart(chosen, others)


def tie_breakers(problem: Problem) -> Floats:
    """One small number for each set that is repaired at a time and each feature, all different."""
    n_sets, n = problem.n_sets, problem.n_features_in
    n_rows = n_sets if problem.search == "simultaneous" else 1
    return np.random.default_rng(25).random((n_rows, n)) * TIES / (n_sets * max(problem.k_max, 1))


class Repair:
    """Finds the closest valid solutions; ``pricing`` knows all sets that are valid by themselves."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.feasibility = Feasibility(problem)
        self._anything = Anything.among(problem.n_features_in)
        # With as many sets as features, no feature is left out as being like others.
        self.pricing = PricingOracle(
            self._anything, replace(problem, n_alternatives=problem.n_features_in), run
        )
        self._usable = frozenset(self.pricing.features)
        self._ties = tie_breakers(problem)
        self._plain_ties: list[list[float]] = self._ties.tolist()
        self._force = 8.0 * (problem.k_max + 1)

    def closest(
        self, sets: Sequence[FeatureSet], flips: Sequence[Sequence[int]], others: Sequence[FeatureSet] = ()
    ) -> list[FeatureSet] | None:
        """The valid sets that are closest to a valid solution and differ from ``others``; None if there are none.

        ``flips`` has for each set the features to add if they are out and to remove if they are in. Also None if such
        sets are hard to find, which happens among many sets or with a user's own dissimilarity.
        """
        changes = changes_of(sets, flips)
        if any(not change.forced_in <= self._usable for change in changes) or self._too_much_shared(changes):
            return None
        found = self._directly(changes, others)
        if found is not None:
            return [tuple(sorted(one)) for one in found]
        if len(sets) == 1:
            one = self._one(0, changes[0], others)
            return None if one is None else [one]
        return self._together(changes, others)

    def _too_much_shared(self, changes: Sequence[Change]) -> bool:
        """Whether the features that two sets must have already exceed what they may share."""
        if callable(self.problem.dissimilarity):
            return False
        most = self.problem.max_overlap_of(self.problem.k_max, self.problem.k_max)
        return any(
            len(one.forced_in & two.forced_in) > most for one, two in itertools.combinations(changes, 2)
        )

    def _directly(self, changes: Sequence[Change], others: Sequence[FeatureSet]) -> Sequence[Features] | None:
        """The best sets out of those without a change that the size does not ask for; None if there are none."""
        if not self.problem.fixed_size:
            return None
        families = [
            RankedFamily(self._smallest_changes(*numbered), MAX_DIRECT_SETS)
            for numbered in enumerate(changes)
        ]
        found, finished = best_combination(
            families, self.feasibility, self.run.tick, lambda one: self.feasibility.given(one, others)
        )
        # What was cut short may hold something better.
        return found if finished and not any(family.cut_short for family in families) else None

    def _smallest_changes(self, number: int, change: Change) -> Iterator[tuple[float, Features]]:
        """All sets of the right size with as few changes as possible, best first."""
        after, ties = change.after, self._plain_ties[number]
        excess = len(after) - self.problem.k_max
        if not excess:
            yield 0.0, after
        elif excess > 0:
            # Those that were not forced go.
            leaving = sorted(after - change.forced_in, key=ties.__getitem__)
            for some in in_order([-ties[j] for j in leaving], excess):
                gone = [leaving[place] for place in some]
                yield -sum([ties[j] for j in gone]), after.difference(gone)
        else:
            coming = sorted(self._usable - after - change.flips, key=ties.__getitem__, reverse=True)
            for some in in_order([ties[j] for j in coming], -excess):
                new = [coming[place] for place in some]
                yield sum([ties[j] for j in new]), after.union(new)

    def _rewards(self, number: int, change: Change) -> tuple[DualPrices, float]:
        """Prices such that the best set is the closest; and what its value is at least."""
        rewards = self._ties[number] - 1.0
        rewards[list(change.before)] += 2.0
        rewards[list(change.forced_in)] = self._force
        rewards[list(change.forced_out)] = -self._force
        return DualPrices(-rewards[self.pricing.features]), self._force * (len(change.forced_in) - 0.5)

    def _one(self, number: int, change: Change, others: Sequence[FeatureSet]) -> FeatureSet | None:
        prices, least = self._rewards(number, change)
        found = self.pricing.k_best(1, others=others, prices=prices, threshold=least, max_nodes=REPAIR_NODES)
        if found.sets or found.bound == -math.inf or callable(self.problem.dissimilarity):
            return found.sets[0] if found.sets else None
        found_by_solver = self.closest_by_programme([change], others)
        return None if found_by_solver is None else found_by_solver[0]

    def _together(self, changes: Sequence[Change], others: Sequence[FeatureSet]) -> list[FeatureSet] | None:
        """List sets that are ever further away, until some of them go together."""
        nearest = []
        for number, change in enumerate(changes):
            one = self._one(number, change, others)
            if one is None:
                return None
            nearest.append(change.distance(one))
        # Sets of one size differ in an even number of features.
        for further in range(0, MAX_FURTHER_CHANGES + 1, 2 if self.problem.fixed_size else 1):
            families = []
            for number, change in enumerate(changes):
                family = self._close(number, change, nearest[number] + further, others)
                if family is None:
                    return self.closest_by_programme(changes, others)
                families.append(family)
            # Sets of other distances have been looked through, so only the whole counts.
            found, finished = best_combination(families, self.feasibility, self.run.tick)
            if not finished:
                return self.closest_by_programme(changes, others)
            if found is not None:
                distances = [change.distance(one) for change, one in zip(changes, found, strict=True)]
                if sum(distances) <= sum(nearest) + further:
                    return [tuple(sorted(one)) for one in found]
        return self.closest_by_programme(changes, others)

    def _close(
        self, number: int, change: Change, most: int, others: Sequence[FeatureSet]
    ) -> list[tuple[float, Features]] | None:
        """All sets with at most ``most`` changes, the closest first; None if they are too many."""
        prices, least = self._rewards(number, change)
        # A set's value is what is forced in, and the reward of the rest: as many as stay, less those that are new.
        threshold = max(
            least, self._force * len(change.forced_in) + change.kept - (most - change.n_forced) - 0.5
        )
        listing = self.pricing.all_above(threshold, MAX_CLOSE_SETS, prices=prices, max_nodes=REPAIR_NODES)
        if not listing.complete:
            return None
        sets = [frozenset(row) for rows in listing.rows for row in rows.tolist()]
        family = [
            (value, one)
            for value, one in zip(listing.values.tolist(), sets, strict=True)
            if self.feasibility.all_apart(one, others)
        ]
        family.sort(key=lambda entry: -entry[0])
        return family

    def closest_by_programme(
        self, changes: Sequence[Change], others: Sequence[FeatureSet]
    ) -> list[FeatureSet] | None:
        """The same as an integer programme."""
        too_large = math.comb(len(changes), 2) * len(self._usable) > MAX_SOLVER_PRODUCTS
        if too_large or callable(self.problem.dissimilarity) or self.run.stopped:
            return None
        try:
            model = self._model(changes, others)
        except Stopped:
            return None
        return solve(model, self.run)[0]

    def _model(self, changes: Sequence[Change], others: Sequence[FeatureSet]) -> Formulation:
        model = Formulation(self._anything, self.problem, run=self.run)
        for number, change in enumerate(changes):
            added = model.add_set([*self.problem.existing, *others])
            rewards = self._ties[number] - 1.0
            rewards[list(change.before)] += 2.0
            for position, feature in enumerate(model.candidates.indices.tolist()):
                variable = added.chosen[position]
                model.programme.set_cost(variable, float(rewards[feature]))
                if feature in change.flips:
                    model.programme.row({variable: 1.0}, lower=int(feature in change.forced_in))
                    model.programme.row({variable: 1.0}, upper=int(feature in change.forced_in))
        for first, second in itertools.combinations(model.sets, 2):
            model.differ(first, second)
        return model


class Change:
    """One set before and after features are flipped."""

    def __init__(self, before: Features, flips: Features) -> None:
        self.before, self.flips = before, flips
        self.forced_in, self.forced_out = flips - before, flips & before
        self.after = before ^ flips
        self.n_forced = len(flips)
        self.kept = len(before - flips)

    def distance(self, chosen: FeatureSet | Features) -> int:
        """In how many features a set differs from the one before."""
        return len(self.before.symmetric_difference(chosen))


def changes_of(sets: Sequence[FeatureSet], flips: Sequence[Sequence[int]]) -> list[Change]:
    """One change for each set and the features that are flipped in it."""
    return [Change(frozenset(one), frozenset(two)) for one, two in zip(sets, flips, strict=True)]


class RankedFamily:
    """Up to ``most`` sets, generated on demand and kept."""

    def __init__(self, source: Iterator[tuple[float, Features]], most: int) -> None:
        self._source, self._made, self._most = source, list[tuple[float, Features]](), most
        self.cut_short = False

    def __iter__(self) -> Iterator[tuple[float, Features]]:
        for place in itertools.count():
            if place == len(self._made):
                entry = None if place >= self._most else next(self._source, None)
                if entry is None:
                    self.cut_short = self.cut_short or place >= self._most
                    return
                self._made.append(entry)
            yield self._made[place]


def in_order(values: Sequence[float], count: int) -> Iterator[tuple[int, ...]]:
    """Places of ``count`` out of descending values, the largest sum first."""
    start = tuple(range(count))
    heap = [(-math.fsum(values[:count]), start)] if count <= len(values) else []
    seen = {start}
    while heap:
        _, places = heapq.heappop(heap)
        yield places
        for moved, place in enumerate(places):
            following = (*places[:moved], place + 1, *places[moved + 1 :])
            limit = len(values) if moved == count - 1 else places[moved + 1]
            if place + 1 < limit and following not in seen:
                seen.add(following)
                heapq.heappush(heap, (-math.fsum(values[j] for j in following), following))


def best_combination(
    families: Sequence[Iterable[tuple[float, Features]]],
    feasibility: Feasibility,
    tick: Callable[[], bool],
    valid: Callable[[Features], bool] | None = None,
) -> tuple[Sequence[Features] | None, bool]:
    """One set per family, compatible and with the largest sum of values, or None; and whether the search finished."""
    first = [next(iter(family), None) for family in families]
    best: list[Features] | None = None
    best_value = -math.inf
    if None in first:
        return None, True
    top = [entry[0] for entry in first if entry is not None]
    rest = [math.fsum(top[level:]) for level in range(len(families) + 1)]
    apart = feasibility.all_apart

    # Depth first; there may be more families than functions can call themselves.
    picked: list[Features] = []
    values, waiting = [0.0], [iter(families[0])]
    steps = itertools.count()
    while waiting:
        if next(steps) >= MAX_COMBINATIONS or tick():
            return best, False
        level, value = len(picked), values[-1]
        more, one = next(waiting[-1], (-math.inf, frozenset()))
        if value + more + rest[level + 1] <= best_value:
            waiting.pop()
            values.pop()
            del picked[-1:]
        elif not apart(one, picked) or not (valid is None or valid(one)):
            continue
        elif level + 1 == len(families):
            best, best_value = [*picked, one], value + more
        else:
            picked.append(one)
            values.append(value + more)
            waiting.append(iter(families[level + 1]))
    return best, True


class GreedyWrapperEngine:
    """The paper's Greedy Wrapper: swap two features, repair, keep what is better."""

    name = "greedy-wrapper"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        return declines_numbers(quality, problem)

    def solve(self, quality: BlackBox, problem: Problem, run: Run) -> Answer:
        """Climb from the first valid sets until no swap helps or ``max_iters`` swaps were tried."""
        evaluations = EvaluationCache(quality, problem, run)
        improve = partial(_hill_climb, repair=Repair(evaluations.problem, run), evaluations=evaluations)
        return search_sets(evaluations, improve, "hill climbing by swaps proves nothing")


def _hill_climb(
    sets: Sequence[FeatureSet], others: Sequence[FeatureSet], repair: Repair, evaluations: EvaluationCache
) -> Sequence[FeatureSet]:
    """Algorithm 1 of the paper, given the first solution; ``tried`` is what it calls iterations."""
    max_iters = evaluations.quality.max_iters
    pairs = list(itertools.islice(itertools.combinations(range(repair.problem.n_features_in), 2), max_iters))
    best, place, tried = evaluations.objective(sets), 0, 1
    evaluations.iterations += 1
    while tried < max_iters and place < len(pairs) and not evaluations.over:
        swaps = pairs[place : place + min(evaluations.at_a_time, max_iters - tried)]
        proposals = [repair.closest(sets, [swap] * len(sets), others) for swap in swaps]
        evaluations.ask([one for proposed in proposals if proposed for one in proposed])
        for proposed in proposals:
            tried, place = tried + 1, place + 1
            evaluations.iterations += 1
            if proposed and evaluations.objective(proposed) > best:
                sets, best, place = proposed, evaluations.objective(proposed), 0
                report(evaluations, sets, others)
                break
    return sets
