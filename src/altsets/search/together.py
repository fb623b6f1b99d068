"""All sets at once, for any quality: list the sets that can matter, and pick those that go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import cliques
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status, optimality_tolerance
from altsets.search.bounds import count_bound
from altsets.search.columns import Certificate, Columns
from altsets.search.engine import Answer
from altsets.search.floors import LEAST, Floor, Floors
from altsets.search.good_sets import GoodSets, Listing
from altsets.search.responses import Responses
from altsets.search.rows import Penalties
from altsets.search.run import Run

__all__ = ["together"]

Floats = npt.NDArray[np.float64]

#: Sets in a list, and steps for picking from it, before it is worth looking for better prices.
FEW_SETS, FEW_STEPS = 2_000, 200_000
MANY_SETS, MANY_STEPS = 50_000, 5_000_000
MOST_SETS, MOST_STEPS = 500_000, 10_000_000_000
KICKS = 20
#: Steps from the bound down to the best solution.
FLOOR_STEPS = 64
LIST_NODES = 3_000_000


def together(quality: Quality, problem: Problem, good: GoodSets, run: Run) -> Answer:
    """The largest sum or minimum of compatible sets."""
    search = _Together(quality, problem, good, run)
    search.run_stages()
    return search.answer()


@dataclass(frozen=True)
class _Spending:
    """What sets of a list are charged, what a solution can spend in all, and what it pays for unused features."""

    charges: Floats
    ceiling: float
    penalties: Penalties | None = None


class _Together:
    def __init__(self, quality: Quality, problem: Problem, good: GoodSets, run: Run) -> None:
        self.quality, self.problem, self.good, self.run = quality, problem, good, run
        self.n_sets = problem.n_sets
        self.smallest = problem.aggregation == "min"
        self.sets: list[FeatureSet] = []
        self.value = -math.inf
        self.bound = math.inf
        self.done = False
        self.proof = ""

    # --- What is known --------------------------------------------------------------------------------

    def offer(self, sets: Sequence[FeatureSet]) -> None:
        """Keep the sets if they are better."""
        qualities = [self.quality.evaluate(chosen) for chosen in sets]
        value = self.problem.objective(qualities)
        if value > self.value:
            self.sets, self.value = list(sets), value
            self.run.offer(sets, value)

    def tighten(self, bound: float) -> None:
        """No solution is better."""
        if bound < self.bound:
            self.bound = bound
            self.run.tighten(bound)
        self.done = bound == -math.inf or self.bound <= self.value + optimality_tolerance(self.value) / 2

    # --- Stages ---------------------------------------------------------------------------------------

    def run_stages(self) -> None:
        if self._too_many():
            return
        if self._few_sets() or self.run.stopped:
            return
        first = self._in_turn()
        if self.done or self.run.stopped:
            return
        best = self.good.best(1)
        top = max([best.bound, *best.values])
        plain = Certificate(None, top, self.n_sets * top)
        self._note(plain)
        if self._by_stages(plain, FEW_SETS, FEW_STEPS):
            return
        if not self.good.can_be_priced:
            self._by_stages(plain, MOST_SETS, MOST_STEPS)
            return
        certificate = self._priced(first)
        disjoint = self.smallest and self._overlap == 0
        if self.done or (not disjoint and self._by_stages(certificate, MANY_SETS, MANY_STEPS)):
            return
        if self.sets and not self.run.stopped:
            self.offer(Responses(self.good, self.smallest, self.run).improve(self.sets, KICKS))
            self.tighten(self.bound)
        if self.done or (self.smallest and self.sets and self._by_floors()):
            return
        self._by_stages(certificate, MOST_SETS, MOST_STEPS)

    @cached_property
    def _overlap(self) -> int:
        """How many features any two sets may share at most."""
        return int(np.max(self._caps))

    def _by_floors(self) -> bool:
        """The largest minimum of disjoint sets: floors ever lower, with prices of their own; false if that fails."""
        floors = Floors(self.good, self.n_sets, self._overlap, self.run)
        floors.add(self.sets)
        floors.add(self.columns.sets)
        low, high = self.value, self.bound
        step = (high - low) / FLOOR_STEPS
        while high - low > step:
            middle = (low + high) / 2
            floor = floors.at(middle, only_refute=True)
            if self.run.stopped:
                return False
            if floor is None or floor.surplus(self.n_sets) >= 0:
                low = middle
            else:
                high = middle
                self.tighten(high)
        while not self.done and not self.run.stopped:
            target = max(self.bound - step, self.value)
            floor = floors.at(target, only_refute=False)
            if floor is None or not self._pick_above(target, floor):
                return False
            self.tighten(max(target, self.value))
            step *= 2
        return self.done

    def _pick_above(self, target: float, floor: Floor) -> bool:
        """The best disjoint sets above the target; false if it takes too long."""
        surplus = floor.surplus(self.n_sets)
        if surplus < 0:
            return True
        limit = LEAST + surplus + 1e-9
        listing = self.good.above(target, MOST_SETS, budget=(floor.prices, limit), max_nodes=LIST_NODES)
        self.n_listed = len(listing)
        if not listing.complete:
            return False
        # In units of quality, so that one tolerance will do.
        scale = self.good.reach or 1.0
        paid = np.concatenate([floor.prices[rows].sum(axis=1) for rows in listing.rows])
        charges, penalties = scale * np.maximum(paid - LEAST, 0.0), floor.penalties
        penalties = replace(penalties, table=scale * penalties.table, unshared=scale * penalties.unshared)
        spending = _Spending(charges, scale * surplus, penalties)
        chosen, finished = self._picked(listing, spending, target, MOST_STEPS, summing=False)
        if chosen:
            self.offer(chosen)
        if finished and len(listing):
            top = float(np.max(listing.qualities))
            self._pick_larger_sum(listing, _Spending(top - listing.qualities, self.n_sets * top), FEW_STEPS)
        return finished

    def _too_many(self) -> bool:
        """Whether counting shared features rules the request out."""
        sizes = [sets.size for sets in self.good.sizes]
        if callable(self.problem.dissimilarity) or len(sizes) != 1:
            return False
        overlap = self.problem.max_overlap_of(sizes[0], sizes[0])
        if count_bound(len(self.good.features), sizes[0], overlap, self.n_sets) >= self.n_sets:
            return False
        self.tighten(-math.inf)
        self.proof = "counting shared features"
        return True

    def _few_sets(self) -> bool:
        """Where there are few sets at all, all of them are listed."""
        listing = self.good.above(-math.inf, FEW_SETS, max_nodes=10 * FEW_SETS)
        if not listing.complete:
            return False
        if len(listing) == 0:
            self.tighten(-math.inf)
            return True
        top = float(np.max(listing.qualities))
        certificate = Certificate(None, top, self.n_sets * top)
        finished = self._pick(listing, certificate, -math.inf, FEW_STEPS)
        if finished:
            self.tighten(self.value)
            self.proof = "all sets listed"
        return finished

    def _in_turn(self) -> list[FeatureSet]:
        """One best set after the other: a first solution."""
        sets: list[FeatureSet] = []
        while len(sets) < self.n_sets and not self.run.stopped:
            found = self.good.best(1, others=sets, max_nodes=5_000)
            if not found.sets:
                break
            sets.append(found.sets[0])
        if len(sets) == self.n_sets:
            self.offer(sets)
        return sets

    def _priced(self, first: Sequence[FeatureSet]) -> Certificate:
        columns = Columns(self.good, self.n_sets, self._overlap, self.run)
        columns.add(first)
        self.columns = columns
        target = self.value * (self.n_sets if self.smallest else 1)
        columns.tighten(target, 500)
        self._note(columns.certificate)
        return columns.certificate

    def _note(self, certificate: Certificate) -> None:
        self.tighten(certificate.bound / (self.n_sets if self.smallest else 1))

    def _by_stages(self, certificate: Certificate, most_sets: int, most_steps: int) -> bool:
        """Look for solutions ever further below the bound, until one is found or the best one is proven."""
        share = self.n_sets if self.smallest else 1
        ceiling = certificate.bound
        distance = (ceiling - share * self.value) / 32
        if not math.isfinite(distance):
            distance = 1e-3 * max(abs(ceiling), 1e-9)
        while not self.done and not self.run.stopped:
            target = max(ceiling / share - distance / share, self.value)
            cut = certificate.best - (ceiling - share * target) - self.good.tolerance * 4
            listing = self.good.above(cut, most_sets, prices=certificate.prices, max_nodes=LIST_NODES)
            self.n_listed = len(listing)
            if not listing.complete:
                return False
            before = self.value
            if not self._pick(listing, certificate, target, most_steps):
                return False
            self.tighten(max(self.value, target))
            if self.value > before or target <= before:
                self.tighten(self.value)
            distance *= 2
        return True

    def _pick(self, listing: Listing, certificate: Certificate, target: float, most_steps: int) -> bool:
        """The best compatible sets of a list, if they are better than the target; false if it takes too long."""
        excess = np.maximum(certificate.best - listing.values, 0.0)
        charges, ceiling = excess, certificate.bound
        if self.smallest:
            # What a set has above the least that is asked of it is lost to the others.
            least = max(target, float(np.min(listing.qualities, initial=math.inf)))
            charges = excess + np.maximum(listing.qualities - least, 0.0)
            ceiling -= self.n_sets * least
        spending = _Spending(charges, ceiling, certificate.penalties)
        chosen, finished = self._picked(listing, spending, target, most_steps, summing=not self.smallest)
        if chosen:
            self.offer(chosen)
        if finished and self.smallest:
            self._pick_larger_sum(listing, _Spending(excess, certificate.bound, certificate.penalties), most_steps)
        return finished

    def _pick_larger_sum(self, listing: Listing, spending: _Spending, most_steps: int) -> None:
        """Among equal minima the larger sum, as far as the list goes."""
        if not self.sets:
            return
        total = math.fsum(map(self.quality.evaluate, self.sets))
        least = self.value - optimality_tolerance(self.value) / 4
        better, _ = self._picked(listing, spending, total, most_steps, summing=True, least=least)
        self.sets = better or self.sets

    def _picked(
        self,
        listing: Listing,
        spending: _Spending,
        target: float,
        most_steps: int,
        *,
        summing: bool,
        least: float = -math.inf,
    ) -> tuple[list[FeatureSet], bool]:
        """Sets of a list that are better than the target, if there are; and whether the search came to its end."""
        order = np.argsort(spending.charges if summing else -listing.qualities, kind="stable")
        order = order[listing.qualities[order] >= (least if summing else target)]
        items = (
            listing.masks[order],
            listing.size_groups[order],
            listing.qualities[order],
            spending.charges[order],
        )
        own = callable(self.problem.dissimilarity)
        sets = [listing.set_at(number) for number in order.tolist()] if own else []
        chosen, finished = cliques.pick(
            items,
            _elements(listing, order, spending.penalties, self.n_sets),
            self._caps,
            self.n_sets,
            target,
            spending.ceiling,
            summing=summing,
            tolerance=self.good.tolerance,
            max_nodes=most_steps,
            compatible=(lambda i, j: self.problem.compatible(sets[i], sets[j])) if own else None,
            tick=self.run.tick,
        )
        if chosen is None:
            return [], finished
        return [listing.set_at(int(order[number])) for number in chosen], finished

    @cached_property
    def _caps(self) -> npt.NDArray[np.intc]:
        """How many features sets of two sizes may share."""
        sizes = [sets.size for sets in self.good.sizes]
        if callable(self.problem.dissimilarity):
            return np.zeros((1, 1), dtype=np.intc)
        return np.array([[self.problem.max_overlap_of(s, t) for t in sizes] for s in sizes], dtype=np.intc)

    def answer(self) -> Answer:
        n_sets = self.n_sets
        proof = self.proof or "column generation"
        if not self.sets:
            status = Status.INFEASIBLE if self.done and self.bound == -math.inf else Status.NOT_FOUND
            bound = self.bound if status is Status.INFEASIBLE else self.bound
            return Answer([], [status] * n_sets, bound, proof)
        status = Status.OPTIMAL if self.done else Status.FEASIBLE
        return Answer(self.sets, [status] * n_sets, max(self.bound, self.value), proof)


def _elements(
    listing: Listing, order: npt.NDArray[np.intp], penalties: Penalties | None, n_sets: int
) -> tuple[npt.NDArray[Any], ...]:
    """The priced elements of each listed set, in the order in which they are picked from; see the kernel."""
    if penalties is None or not len(listing):
        first = np.zeros(len(order) + 1, dtype=np.intc)
        widest = max((rows.shape[1] for rows in listing.rows), default=0)
        return first, np.zeros(0, dtype=np.intc), np.zeros((0, n_sets + 1)), np.zeros(widest + 1)
    blocks = []
    widest = max(rows.shape[1] for rows in listing.rows)
    width = widest + (widest * (widest - 1) // 2 if penalties.of_pair is not None else 0)
    for rows in listing.rows:
        columns = [penalties.of_feature[rows]]
        if penalties.of_pair is not None:
            columns += [
                penalties.of_pair[rows[:, i], rows[:, j]][:, None]
                for i, j in combinations(range(rows.shape[1]), 2)
            ]
        block = np.concatenate(columns, axis=1)
        blocks.append(np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values=-1))
    numbers = np.concatenate(blocks)[order]
    used = numbers >= 0
    first = np.zeros(len(order) + 1, dtype=np.intc)
    np.cumsum(used.sum(axis=1), out=first[1:])
    return first, np.ascontiguousarray(numbers[used], dtype=np.intc), penalties.table, penalties.unshared
