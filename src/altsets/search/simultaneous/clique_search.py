"""Clique search: compatible sets out of a list, within a budget of reduced costs.

A solution is a clique in the graph of listed sets, in which compatible ones are adjacent. If it falls short of the dual
bound by d, the reduced costs of its sets, and the cost of slack, add up to no more than d.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from altsets._kernels.clique_search import Cliques
from altsets.arrays import Bools, Floats, Indices, Ints, Masks
from altsets.problem import FeatureSet
from altsets.search.comparison import GoingTogether
from altsets.search.resources import LISTED, MOST_BYTES
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.simultaneous.master import DualBound
from altsets.search.simultaneous.slack import SlackCosts, joint_costs
from altsets.search.subset.listing import Listing
from altsets.search.subset.pricing import PricingOracle

#: Sets whose elements are looked up at a time: a row for each would be many times as large as what stays of it.
SETS_AT_A_TIME = 20_000


@dataclass(frozen=True)
class ReducedCostBudget:
    """What the sets of a list are charged, what a solution can spend in all, and what it pays for unused rows."""

    charges: Floats
    ceiling: float
    slack_costs: SlackCosts | None = None

    @classmethod
    def of(
        cls, listing: Listing, dual_bound: DualBound, n_sets: int, least: float | None = None
    ) -> ReducedCostBudget:
        """What sets lack of the best value after prices; with a least quality, also what they exceed it by."""
        # Where only the worst set counts, what one set has above the least is lost to the others.
        charges, ceiling = dual_bound.best - listing.values, dual_bound.bound
        if least is not None:
            charges = charges + np.maximum(listing.qualities - least, 0.0)
            ceiling -= n_sets * least
        return cls(np.maximum(charges, 0.0), ceiling, dual_bound.slack_costs)


class CliqueSearch:
    """Picks as many sets as a problem asks for."""

    def __init__(self, pricing: PricingOracle, joint: JointConditions | None = None) -> None:
        self.pricing, self.problem, self.run = pricing, pricing.problem, pricing.run
        self.joint = joint

    @cached_property
    def caps(self) -> Ints:
        """How many features sets of two sizes may share; any number where that is not limited."""
        sizes = [sets.size for sets in self.pricing.sizes]
        if not self.problem.caps_shared:
            return np.full((len(sizes), len(sizes)), self.problem.k_max, dtype=np.intc)
        return np.array([[self.problem.max_overlap_of(s, t) for t in sizes] for s in sizes], dtype=np.intc)

    def pick(
        self,
        listing: Listing,
        cost_budget: ReducedCostBudget,
        target: float,
        max_steps: int,
        *,
        summing: bool,
        least: float = -math.inf,
        enough: float = math.inf,
        n_sets: int | None = None,
    ) -> tuple[list[FeatureSet] | None, bool]:
        """Sets with a sum or minimum above the target, or None; and whether the search ran to its end."""
        # It takes no set below ``least``, and stops when it has found ``enough``.
        n_sets = n_sets or self.problem.n_sets
        if LISTED * (n_sets + 1) * len(listing) > MOST_BYTES:
            return None, False
        order = np.argsort(cost_budget.charges, kind="stable")
        order = order[listing.qualities[order] >= least]
        order = self._joint_order(listing, order, n_sets)
        if self.joint is not None and summing:
            # Where anything is better than the target, even the impossible would be.
            target = max(target, self.joint.lowest(self.pricing.magnitude))
        if self._asks:
            order = self._repeated(listing, order, n_sets)
            if self.run.stopped:
                # Sets may be missing that go with themselves.
                return None, False
        slack_costs = cost_budget.slack_costs
        if slack_costs is None and self.joint is not None:
            # Without prices, joint conditions on the use of features alone.
            slack_costs = joint_costs(self.joint, self.pricing, self.problem.n_sets)
        cliques = self._among(
            listing,
            order,
            replace(cost_budget, slack_costs=slack_costs),
            n_sets,
            target,
            summing=summing,
            enough=enough,
            max_nodes=max_steps,
            tick=self.run.tick,
            **self._joint_options(listing, order),
        )
        if cliques is None:
            return None, False
        chosen, finished = cliques.run()
        if chosen is None:
            return None, finished
        return [listing.set_at(number) for number in order[chosen].tolist()], finished

    def _among(
        self,
        listing: Listing,
        order: Indices,
        cost_budget: ReducedCostBudget,
        n_sets: int,
        target: float,
        **options: Any,
    ) -> Cliques | None:
        """A search of the kernel among listed sets in this order; None if time is up."""
        elements = self._elements(listing, order, cost_budget.slack_costs, n_sets)
        if elements is None:
            return None
        return Cliques(
            (
                self._masks(listing)[order],
                listing.size_groups[order],
                listing.qualities[order],
                cost_budget.charges[order],
            ),
            elements,
            self.caps,
            n_sets,
            target,
            cost_budget.ceiling,
            tolerance=self.pricing.tolerance,
            compatible=self._compatible(listing, order),
            together=self._together(listing, order),
            **options,
        )

    def all_but_one(
        self,
        listing: Listing,
        cost_budget: ReducedCostBudget,
        max_steps: int,
        use: Callable[[list[FeatureSet]], bool],
        *,
        least: float,
    ) -> bool:
        """Use all cliques of one set fewer than asked for, above ``least``; false if they take too long.

        The budget is that of these sets alone. ``use`` returns false to end the search.
        """
        n_sets = self.problem.n_sets - 1
        if LISTED * (n_sets + 1) * len(listing) > MOST_BYTES:
            return False
        order = np.argsort(cost_budget.charges, kind="stable")
        order = order[listing.qualities[order] > least]
        slack = cost_budget.slack_costs
        if slack is not None:
            # The last set uses an element or not, whichever costs less.
            slack = replace(slack, table=np.minimum(slack.table[:, :-1], slack.table[:, 1:]))
        going = True

        def accept(picked: Ints) -> bool:
            nonlocal going
            going = going and not self.run.stopped
            going = going and use([listing.set_at(number) for number in order[picked].tolist()])
            # None is kept, so that all are found.
            return False

        cliques = self._among(
            listing,
            order,
            replace(cost_budget, slack_costs=slack),
            n_sets,
            -math.inf,
            summing=False,
            max_nodes=max_steps,
            accept=self.run.guarded(accept),
            tick=lambda: not going or self.run.tick(),
        )
        return cliques is not None and cliques.run()[1] and going

    def _joint_order(self, listing: Listing, order: Indices, n_sets: int) -> Indices:
        """Without sets that are not good enough; those that may be chosen more than once come so often."""
        joint = self.joint
        if joint is None:
            return order
        if joint.asked.min_quality is not None:
            order = order[joint.raw(listing)[order] >= joint.asked.min_quality]
        # What a user's own dissimilarity says about repeats is asked for elsewhere.
        return np.repeat(order, n_sets) if self.problem.may_repeat and not self._asks else order

    def _joint_options(self, listing: Listing, order: Indices) -> dict[str, Any]:
        """What the kernel has to know about joint conditions."""
        joint = self.joint
        if joint is None:
            return {}
        more: dict[str, Any] = {}
        if joint.penalty:
            more = {"price": joint.penalty, "features": np.ascontiguousarray(listing.masks[order])}
        if joint.has_totals:

            def accept(picked: Ints) -> bool:
                # It takes much longer than the steps after which the kernel looks at the clock.
                if self.run.stopped:
                    return False
                return joint.holds([listing.set_at(number) for number in order[picked].tolist()])

            more["accept"] = self.run.guarded(accept)
        return more

    def _compatible(self, listing: Listing, order: Indices) -> Callable[[int, int], bool] | None:
        """The user's own test of two listed sets; None if shared features are counted."""
        if not self._asks:
            return None
        sets = [listing.set_at(number) for number in order.tolist()]
        return self.run.guarded(lambda i, j: self.problem.compatible(sets[i], sets[j]))

    def _masks(self, listing: Listing) -> Masks:
        """What listed sets share for certain, as bits: features, or levels of cliques."""
        levels, place = self.pricing.levels, self.pricing.place
        if levels is None:
            return listing.masks
        return replace(listing, rows=[levels.of(place[rows]).astype(np.intc) for rows in listing.rows]).masks

    @property
    def _asks(self) -> bool:
        """Whether only a user's own function can tell which sets go together."""
        return not self.problem.counts_shared and self.pricing.comparison is None

    def _together(self, listing: Listing, order: Indices) -> GoingTogether | None:
        """The kernel's test of listed sets where more than shared features counts."""
        joint = None if self.joint is None else self.joint.together(listing, order)
        if self.pricing.comparison is None:
            return joint
        test = self.pricing.comparison.going_together(listing.rows)
        numbers = order.astype(np.intc)
        if joint is None:
            return lambda i, others: test(numbers[i], numbers[others])
        return lambda i, others: test(numbers[i], numbers[others]) & joint(i, others)

    def beside(self, listing: Listing, number: int) -> Bools:
        """Which listed sets go with one of them; joint conditions apart."""
        every = np.arange(len(listing))
        compatible = self._compatible(listing, every)
        if compatible is not None:
            return np.array([compatible(number, other) for other in every.tolist()], dtype=bool)
        masks, groups = self._masks(listing), listing.size_groups
        shared = np.bitwise_count(masks & masks[number]).sum(axis=1)
        fine: Bools = shared <= self.caps[groups[number]][groups]
        if self.pricing.comparison is not None:
            test = self.pricing.comparison.going_together(listing.rows)
            fine &= test(number, every.astype(np.intc)).astype(bool)
        return fine

    def better(
        self,
        listing: Listing,
        dual_bound: DualBound,
        target: float,
        max_steps: int,
        *,
        max_min: bool,
        enough: float = math.inf,
        n_sets: int | None = None,
    ) -> tuple[list[FeatureSet] | None, bool]:
        """As :meth:`pick`, from a list of all sets that the dual bound allows in a solution above the target."""
        n_sets = n_sets or self.problem.n_sets
        least: float | None = None
        if max_min:
            least = max(target, float(np.min(listing.qualities, initial=math.inf)))
        return self.pick(
            listing,
            ReducedCostBudget.of(listing, dual_bound, n_sets, least),
            target,
            max_steps,
            summing=not max_min,
            least=-math.inf if least is None else least,
            enough=enough,
            n_sets=n_sets,
        )

    def _repeated(self, listing: Listing, order: Indices, n_sets: int) -> Indices:
        """The listed sets, with repeats of those that a user's own dissimilarity calls different from themselves."""
        ask = self.run.guarded(self.problem.compatible)
        times = np.ones(len(order), dtype=np.intp)
        for place, number in enumerate(order.tolist()):
            if self.run.stopped:
                break
            chosen = listing.set_at(number)
            if ask(chosen, chosen):
                times[place] = n_sets
        return np.repeat(order, times)

    def _elements(
        self, listing: Listing, order: Indices, slack_costs: SlackCosts | None, n_sets: int
    ) -> tuple[Ints, Ints, Floats, Floats] | None:
        """The priced elements of each listed set, in the order in which they are picked from; None if time is up."""
        widest = max((rows.shape[1] for rows in listing.rows), default=0)
        first = np.zeros(len(order) + 1, dtype=np.intc)
        if slack_costs is None or not len(listing):
            return (
                first,
                np.zeros(0, dtype=np.intc),
                np.zeros((0, n_sets + 1)),
                np.zeros(widest + 1),
            )
        counts, elements = [], []
        starts = np.cumsum([0, *(len(rows) for rows in listing.rows)])
        width = widest + (math.comb(widest, 2) if slack_costs.of_pair is not None else 0)
        for part in np.array_split(order, 1 + len(order) // SETS_AT_A_TIME):
            if self.run.stopped:
                return None
            numbers = np.full((len(part), width), -1, dtype=np.intc)
            groups = listing.size_groups[part]
            for group, features in enumerate(listing.rows):
                inside = groups == group
                rows = self.pricing.place[features[part[inside] - starts[group]]]
                if slack_costs.levels is not None:
                    rows = slack_costs.levels.of(rows).astype(np.intc)
                blocks = [slack_costs.of_feature[rows]]
                if slack_costs.of_pair is not None:
                    left, right = np.triu_indices(rows.shape[1], 1)
                    blocks.append(slack_costs.of_pair[rows[:, left], rows[:, right]])
                numbers[inside, : sum(block.shape[1] for block in blocks)] = np.concatenate(blocks, axis=1)
            used = numbers >= 0
            elements.append(numbers[used])
            counts.append(used.sum(axis=1))
        np.cumsum(np.concatenate(counts), out=first[1:])
        return first, np.concatenate(elements), slack_costs.table, slack_costs.unshared


def listing_of(known: dict[FeatureSet, float], pricing: PricingOracle, most: int) -> Listing:
    """The best of the sets as a list, no more than so many."""
    sets, values = list(known), np.fromiter(known.values(), dtype=np.float64, count=len(known))
    # To sort all of them would take long; equal ones are in the order of their features.
    least = np.partition(values, len(values) - most)[len(values) - most] if len(values) > most else -math.inf
    good_enough = np.flatnonzero((values >= least) & (values > -math.inf)).tolist()
    best = sorted((sets[number] for number in good_enough), key=lambda one: (-known[one], one))[:most]
    rows = pricing.rows_of(best)
    qualities = np.array([known[tuple(row)] for some in rows for row in some.tolist()], dtype=np.float64)
    return Listing(rows, qualities, qualities, complete=False)


def best_compatible(cliques: CliqueSearch, listing: Listing, max_steps: int) -> tuple[list[FeatureSet], bool]:
    """The largest sum or minimum (then sum), empty if there are too few sets; and whether that is proven."""
    problem, qualities = cliques.problem, listing.qualities
    if not len(listing):
        return [], True
    top = float(np.max(qualities))
    lost = ReducedCostBudget(top - qualities, problem.n_sets * top)
    if problem.aggregation == "sum":
        sets, finished = cliques.pick(listing, lost, -math.inf, max_steps, summing=True)
        return sets or [], finished
    free = ReducedCostBudget(np.zeros(len(listing)), 1.0)
    sets, finished = cliques.pick(listing, free, -math.inf, max_steps, summing=False)
    if not sets:
        return [], finished
    known = {listing.set_at(number): float(value) for number, value in enumerate(qualities)}
    values = [known[one] for one in sets]
    larger, _ = cliques.pick(listing, lost, math.fsum(values), max_steps, summing=True, least=min(values))
    return larger or sets, finished
