"""Pricing: good sets of a quality, the best ones after prices or all above a threshold, under all rules for one set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set
from functools import cached_property

import numpy as np

from altsets.arrays import Floats, Indices, Ints
from altsets.dissimilarity import Matched
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.search.comparison import comparison_of
from altsets.search.run import Run
from altsets.search.subset.candidates import SMALLEST_TOLERANCE
from altsets.search.subset.encoding import FormCache, SizeEncoding
from altsets.search.subset.fixed_size import FixedSizeOracle, SearchConditions
from altsets.search.subset.kernel_call import UNLIMITED, Accept
from altsets.search.subset.listing import KBest, Listing, are_among
from altsets.search.subset.prices import CliqueLevels, DualPrices
from altsets.search.subset.rules import Cap, Rules, differing

#: Numbers: what one size counts for at least while the oracle is prepared, besides its pair terms; and what is prepared
#: whether or not there is time, as sets that have to be constructed are made of it.
LEAST_WORK_PER_SIZE, UNCHECKED_WORK = 50_000, 5_000_000
#: Nodes beyond which a search takes long.
MANY_NODES = 50_000


class PricingOracle:
    """The sets that a problem allows, in the order of a quality; ``among`` are the features that they are made of.

    Features are ``interchangeable`` if any one that no set has could take the place of another that scores less.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        run: Run,
        among: Indices | None = None,
        *,
        interchangeable: bool = True,
    ) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        #: How kernels compare sets, if not by what they share alone.
        self.comparison = comparison_of(problem)
        # Only where shared features are counted can any of them take the place of any other.
        alike = problem.counts_shared and interchangeable and not problem.rules.are_asked
        wanted = problem.n_sets * problem.k_max if alike else problem.n_features_in
        self.sizes = self._oracles(wanted, among)
        self.tolerance = max((sets.tolerance for sets in self.sizes), default=SMALLEST_TOLERANCE)
        self.magnitude = max((sets.magnitude for sets in self.sizes), default=0.0) or 1.0
        # A ratio has no prices, and what does not limit shared features has no rows that sets could pay for.
        self.can_be_priced = problem.caps_shared and not any(sets.form.ratio for sets in self.sizes)
        self.place = np.full(problem.n_features_in, -1, dtype=np.intc)
        self.place[self.features] = np.arange(len(self.features))
        for sets in self.sizes:
            sets.encoding.priced_as(self.place)

    def _oracles(self, wanted: int, among: Indices | None) -> list[FixedSizeOracle]:
        """One for each size of which there may be sets; those of another search, if it is about the same sets."""
        shared = None if among is not None else self.run.shared
        if shared is not None and wanted in shared.oracles:
            forms, oracles = shared.oracles[wanted]
            forms.run = self.run
            return list(oracles)
        problem, found = self.problem, []
        forms = FormCache(self.quality, problem, self.run)
        work = max(problem.n_features_in**2, LEAST_WORK_PER_SIZE)
        for number, size in enumerate(problem.sizes):
            # For a few sizes there is always time: sets that have to be constructed are made of their numbers.
            if number and number * work > UNCHECKED_WORK:
                self.run.check()
            rules = Rules.of(problem, size)
            sets = None if rules is None else FixedSizeOracle.under(rules, forms, size, wanted, among)
            if sets is not None:
                found.append(sets)
        if shared is not None:
            shared.oracles[wanted] = forms, found
        return found

    @cached_property
    def features(self) -> list[int]:
        """Every feature that some set may have; ``place`` says where a feature is in this list."""
        some = np.zeros(self.problem.n_features_in, dtype=bool)
        for sets in self.sizes:
            some[sets.base] = some[sets.features] = True
        found: list[int] = np.flatnonzero(some).tolist()
        return found

    @cached_property
    def levels(self) -> CliqueLevels | None:
        """The cliques of features that count as the same; None where there are none."""
        kind = self.problem.dissimilarity
        if not isinstance(kind, Matched) or kind.threshold is None or not self.sizes:
            return None
        inside = np.array(self.features, dtype=np.intp)
        scores = self.sizes[-1].form.linear[inside]
        levels = CliqueLevels(kind.weights_among(inside, inside) > 0, scores)
        return levels if levels.cliques else None

    @cached_property
    def ceiling(self) -> float:
        """No set is better than this, by its numbers alone; -inf if there are no sets."""
        return max((sets.ceiling for sets in self.sizes), default=-math.inf)

    @cached_property
    def required(self) -> frozenset[int]:
        """Every feature that all sets have."""
        bases = [frozenset(sets.base.tolist()) for sets in self.sizes]
        return frozenset.intersection(*bases) if bases else frozenset()

    @property
    def is_slow(self) -> bool:
        """Whether searches take long."""
        return any(sets.longest > MANY_NODES for sets in self.sizes)

    def k_best(
        self,
        count: int = 1,
        *,
        others: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
        prices: DualPrices | None = None,
        threshold: float = -math.inf,
        budget: tuple[Floats, float] | None = None,
        forbidden: FeatureSet = (),
        max_nodes: int = UNLIMITED,
    ) -> KBest:
        """The best ``count`` sets with a value above ``threshold`` that differ enough from others, some left out."""
        # A budget is that of :meth:`all_above`.
        limited = others or without or prices is not None or budget is not None or forbidden
        alone = count == 1 and not limited and threshold == -math.inf
        shared = self.run.shared if alone else None
        if shared is not None and shared.best is not None:
            return KBest(*shared.best)
        pool: list[tuple[float, FeatureSet]] = []
        bound = -math.inf
        for sets in self.sizes:
            if sets is not self.sizes[0] and self.run.tick():
                bound = max(bound, sets.ceiling_at(prices))
                continue
            if len(pool) == count:
                threshold = max(threshold, pool[-1][0])
            conditions = self.conditions(sets, others, without, max_nodes, budget)
            if forbidden:
                conditions = conditions._replace(caps=[*conditions.caps, Cap(forbidden, 0)])
            rows, values, left = sets.k_best(count, conditions, prices, threshold)
            bound = max(bound, left)
            chosen = [tuple(sorted(row)) for row in sets.encoding.with_base(rows).tolist()]
            pool += zip(values.tolist(), chosen, strict=True)
            pool.sort(key=lambda entry: (-entry[0], entry[1]))
            del pool[count:]
        found = [chosen for _, chosen in pool], [value for value, _ in pool], bound
        if shared is not None and max_nodes == UNLIMITED and not self.run.stopped:
            shared.best = found
        return KBest(*found)

    def all_above(
        self,
        threshold: float,
        most: int,
        *,
        others: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
        prices: DualPrices | None = None,
        budget: tuple[Floats, float] | None = None,
        cheaper: bool = False,
        max_nodes: int = UNLIMITED,
    ) -> Listing:
        """All sets with a value above ``threshold`` that differ enough from others, except ``without``."""
        # Incomplete if more than ``most`` or too slow. A budget (prices of features, limit) leaves out more expensive
        # ones; with ``cheaper``, also those that are no cheaper than one listed before.
        listed: list[Ints] = []
        values, qualities, complete = [np.zeros(0)], [np.zeros(0)], True
        for sets in self.sizes:
            if listed and self.run.tick():
                complete = False
                break
            conditions = self.conditions(sets, others, frozenset(), max_nodes, budget)
            rows, found, finished = sets.all_above(threshold, most, conditions, prices, cheaper)
            complete = complete and finished
            if not finished and self.run.stopped:
                # There is no time to look at them.
                rows, found = rows[:0], found[:0]
            most -= len(rows)
            rows = sets.encoding.with_base(rows)
            if without:
                kept = ~are_among(rows, without)
                rows, found = rows[kept], found[kept]
            listed.append(rows)
            values.append(found)
            # This takes long for a long list, and an incomplete one is of no use.
            complete = complete and not self.run.stopped
            qualities.append(found if prices is None or not complete else sets.qualities(rows))
        return Listing(listed, np.concatenate(values), np.concatenate(qualities), complete)

    def heuristic(self, sets: Sequence[FeatureSet], prices: DualPrices, threshold: float) -> list[FeatureSet]:
        """Sets above the threshold that exchanges of features make of others; none where there are rules."""
        found = []
        for of_size, rows in zip(self.sizes, self.rows_of(sets), strict=True):
            if len(rows) and of_size.is_free:
                found += [tuple(sorted(row)) for row in of_size.heuristic(rows, prices, threshold).tolist()]
        return found

    def rows_of(self, chosen: Iterable[FeatureSet]) -> list[Ints]:
        """Sets as rows of features, one array for each size, each in the order given; other sizes are left out."""
        by_size: dict[int, list[FeatureSet]] = {sets.size: [] for sets in self.sizes}
        for one in chosen:
            by_size.get(len(one), []).append(one)
        return [np.array(some, dtype=np.intc).reshape(-1, size) for size, some in by_size.items()]

    def listed(self, chosen: Iterable[FeatureSet], prices: DualPrices) -> Listing:
        """Sets that are known already, as a list that may not be complete."""
        rows = self.rows_of(chosen)
        qualities = [sets.qualities(some) for sets, some in zip(self.sizes, rows, strict=True)]
        paid = [prices.paid_by(self.place[some]) for some in rows]
        total = np.concatenate([np.zeros(0), *qualities])
        return Listing(rows, total - np.concatenate([np.zeros(0), *paid]), total, complete=False)

    def conditions(
        self,
        sets: FixedSizeOracle,
        others: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
        max_nodes: int = UNLIMITED,
        budget: tuple[Floats, float] | None = None,
    ) -> SearchConditions:
        """To differ enough from others, by caps if these limit what is shared, and to be none left out."""
        accept = self._acceptance(sets.encoding, others, without)
        return self.differing(sets, others)._replace(accept=accept, max_nodes=max_nodes, budget=budget)

    def differing(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> SearchConditions:
        """What makes sets of a size differ from others, and from those that exist, as far as kernels can tell."""
        caps = differing(self.problem, sets.size, others)
        every = (*self.problem.existing, *others)
        fitting = None
        if self.comparison is not None and every and sets.n_open:
            fitting = self.comparison.fitting(sets.features, sets.base, sets.size, every)
        return SearchConditions(self.run.tick, caps, fitting=fitting)

    def _acceptance(
        self, encoding: SizeEncoding, others: Sequence[FeatureSet], without: Set[FeatureSet]
    ) -> Accept | None:
        """The test of a set: those left out, and others where no kernel can tell."""
        asked = not self.problem.counts_shared and (self.comparison is None or not encoding.n_open)
        others = (*self.problem.existing, *others) if asked else ()
        tests = [constraint for constraint in self.problem.constraints if constraint.is_asked]
        if not others and not without and not tests:
            return None
        left_out = encoding.keys(without)

        def accept(positions: Ints) -> bool:
            if left_out and np.sort(positions).tobytes() in left_out:
                return False
            chosen = encoding.set_of(positions) if others or tests else ()
            return all(self.problem.compatible(chosen, other) for other in others) and all(
                test.holds(chosen) for test in tests
            )

        return self.run.guarded(accept)
