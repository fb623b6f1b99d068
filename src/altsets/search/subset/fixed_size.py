"""The sets of one size: the best ones after prices, all above a threshold, or just any."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from altsets.arrays import Floats, Indices, Ints
from altsets.quality import Form
from altsets.search.comparison import Fitting
from altsets.search.subset.candidates import (
    LINEARISATION_ERROR,
    QUALITY_ERROR,
    SECANT_ERROR,
    SMALLEST_SQUARED,
    SMALLEST_TOLERANCE,
)
from altsets.search.subset.encoding import FormCache, SizeEncoding, usable_features
from altsets.search.subset.kernel_call import UNLIMITED, Accept, KernelRequest, Objective, RatioTerms, Tick
from altsets.search.subset.listing import best_distinct
from altsets.search.subset.prices import DualPrices, pair_sums, sum_over_pairs
from altsets.search.subset.rules import Cap, Rules, preselected

#: Windows for the upper part of a ratio; in each of them a secant is close enough to its square.
RATIO_WINDOWS = 6
#: Nodes of a first search for a good ratio, as each better one makes the next searches shorter; and by how much these
#: grow when it has found nothing better.
FIRST_RATIO_NODES, RATIO_NODE_GROWTH = 300, 8
#: Rounds of exchanges, one feature of each set for a better one, in the pricing heuristic.
MAX_EXCHANGES = 30


class RatioSearch:
    """Searches for the ratios N / sqrt(D) of one size; ``magnitude`` bounds the distance of N from zero."""

    def __init__(self, encoding: SizeEncoding, magnitude: float) -> None:
        self._encoding, self._magnitude = encoding, magnitude
        #: By how much N may differ if it is added up in another order, also where large terms cancel.
        self._rounding = QUALITY_ERROR * magnitude

    def k_best(
        self, request: KernelRequest, count: int, threshold: float, max_nodes: int
    ) -> tuple[Ints, Floats, bool]:
        """The best sets as rows of positions, their ratios, and whether nothing was left out."""
        # Terms for a threshold hold until it is passed, and are tighter the higher it is: so short searches come first.
        rows, values = np.zeros((0, self._encoding.n_open), dtype=np.intc), np.zeros(0)
        nodes = FIRST_RATIO_NODES
        while True:
            nodes = min(nodes, max_nodes)
            threshold = max(threshold, values[-1]) if len(values) == count else threshold
            found, ratios, finished = [rows], [values], True
            for objective in self.objectives(threshold):
                if len(found) > 1 and request.tick():
                    finished = False
                    break
                more = request.search(objective, count, nodes)
                found.append(more.rows)
                ratios.append(more.values)
                finished = finished and more.bound == -math.inf
            before = rows
            rows, values = best_distinct(np.concatenate(found), np.concatenate(ratios), count)
            changed = not np.array_equal(rows, before)
            if finished or request.tick() or (nodes >= max_nodes and not changed):
                return rows, values, finished
            if not changed:
                nodes *= RATIO_NODE_GROWTH

    def objectives(self, threshold: float) -> Iterator[Objective]:
        """Linear objectives that together see every ratio above the threshold."""
        low, high = self._range_of_upper
        # A smaller threshold counts as not positive.
        if threshold < max(SMALLEST_SQUARED, self._rounding):
            yield self._below_tangent(max(threshold, min(low, 0.0) / math.sqrt(self._encoding.size) - 1.0))
        elif high + self._rounding > threshold * math.sqrt(self._encoding.size):
            yield from self._below_secants(threshold, high + self._rounding)

    @property
    def _range_of_upper(self) -> tuple[float, float]:
        """The least and the largest N of a set, by its linear terms alone."""
        encoding, linear = self._encoding, self._encoding.form.linear
        ordered = np.sort(linear[encoding.features])
        base = math.fsum(linear[encoding.base].tolist())
        lowest = base + math.fsum(ordered[: encoding.n_open].tolist())
        highest = base + math.fsum(ordered[len(ordered) - encoding.n_open :].tolist())
        return lowest, highest

    def _below_tangent(self, threshold: float) -> Objective:
        """For a threshold c that is not positive: N > -|c| sqrt(D), and the root lies below each of its tangents."""
        encoding, form = self._encoding, self._encoding.form
        size, (least, largest) = encoding.size, encoding.pair_range
        # The tangent touches at a D between the least and the largest, which may be anything.
        touch = size + 0.5 * size * (size - 1) * (least + largest) / 2
        slope = max(-threshold, 0.0) / (2 * math.sqrt(touch))
        # N + slope * D > threshold * sqrt(touch) / 2, and D is the size plus the pairs.
        linear_threshold = min(threshold, 0.0) * math.sqrt(touch) / 2 - slope * size
        error = LINEARISATION_ERROR * (abs(linear_threshold) + self._magnitude + slope * size**2 * largest)
        terms, start = encoding.terms(replace(form, factor=-slope * form.factor))
        ratio = self._ratio_terms((-math.inf, math.inf), threshold)
        return Objective(terms, start, linear_threshold - error, ratio=ratio)

    def _below_secants(self, threshold: float, highest: float) -> Iterator[Objective]:
        """For c > 0: N**2 > c**2 D, and in a window [a, b] of N, N**2 is at most its secant (a + b) N - a b.

        Windows overlap by what is rounded, so that no set is lost; a few sets are in two of them.
        """
        encoding, form = self._encoding, self._encoding.form
        edges = np.geomspace(threshold * math.sqrt(encoding.size), highest, RATIO_WINDOWS + 1)
        slack = SECANT_ERROR * edges + self._rounding + SMALLEST_TOLERANCE
        ends = zip((edges - slack)[:-1].tolist(), (edges + slack)[1:].tolist(), strict=True)
        for low, high in ends:
            scale = (low + high) / threshold**2
            linear_threshold = low * high / threshold**2 + encoding.size
            error = SECANT_ERROR * (abs(linear_threshold) + scale * highest) + scale * self._rounding
            scaled = replace(form, linear=scale * form.linear)
            terms, start = encoding.terms(scaled, open_pairs=encoding.open_pairs)
            ratio = self._ratio_terms((low, high), threshold)
            yield Objective(terms, start, linear_threshold - error, ratio=ratio)

    def _ratio_terms(self, window: tuple[float, float], threshold: float) -> RatioTerms:
        """How the kernel evaluates complete sets."""
        encoding, form, base = self._encoding, self._encoding.form, self._encoding.base
        lower = np.zeros(len(encoding.features))
        for feature in base.tolist():
            lower += form.pairs_between(feature, encoding.features)
        start = math.fsum(form.linear[base].tolist()), encoding.size + sum_over_pairs(form.pairs_among(base))
        upper = np.ascontiguousarray(form.linear[encoding.features])
        return RatioTerms(upper, lower, encoding.open_pairs, start, window, threshold)


class SearchConditions(NamedTuple):
    """What sets have to keep to besides the rules of the problem, and how long to search for them."""

    tick: Tick
    #: What keeps them different from other sets.
    caps: Sequence[Cap] = ()
    #: Asked about every set that would be returned.
    accept: Accept | None = None
    #: Asked which features can still be added, where other sets are compared with by more than what is shared.
    fitting: Fitting | None = None
    max_nodes: int = UNLIMITED
    #: Prices of features, and what a set may pay at most.
    budget: tuple[Floats, float] | None = None


class FixedSizeOracle:
    """Good sets of one size, with ``n_open`` features that are not in every set.

    No quality is further from zero than ``magnitude``; qualities closer than ``tolerance`` are equal up to rounding.
    ``longest`` is the number of nodes of the longest finished search.
    """

    def __init__(self, encoding: SizeEncoding) -> None:
        self.encoding = encoding
        self.size, self.n_open, self.rules = encoding.size, encoding.n_open, encoding.rules
        self.base, self.features = encoding.base, encoding.features
        form = self.form
        # In a ratio pairs only bring the quality closer to zero.
        pairs = 0.0 if form.ratio else max(map(abs, encoding.pair_range))
        largest = float(np.max(np.abs(form.linear), initial=0.0))
        self.magnitude = self.size * largest + self.size * self.size * pairs
        # Nearly dependent columns make rounding errors of a fit larger than those of sums.
        error = 0.0
        if form.fit is not None:
            self.magnitude += abs(form.fit.worth(form.fit.ceiling))
            error = form.fit.error
        self.tolerance = max(QUALITY_ERROR * self.magnitude + error, SMALLEST_TOLERANCE)
        self.longest = 0

    @classmethod
    def under(
        cls, rules: Rules, forms: FormCache, size: int, wanted: int, among: Indices | None = None
    ) -> FixedSizeOracle | None:
        """The sets that keep to the rules, at most ``wanted`` features together; None if there are obviously none."""
        form = forms.of(size)
        features = usable_features(form, rules, among)
        if features is None:
            return None
        if form.is_sum and form.conflicts is None:
            features = preselected(form.linear, features, rules, wanted)
        encoding = SizeEncoding(forms, size, rules, features)
        if encoding.n_open > len(features) or encoding.kernel_rules() is None:
            return None
        return cls(encoding)

    @property
    def form(self) -> Form:
        """The quality of these sets in numbers."""
        return self.encoding.form

    @cached_property
    def ceiling(self) -> float:
        """No set is better than this; known before any search."""
        return self.encoding.ceiling()

    def ceiling_at(self, prices: DualPrices | None) -> float:
        """The same after prices."""
        return self.ceiling if prices is None else self.encoding.ceiling(prices)

    @cached_property
    def is_free(self) -> bool:
        """Whether any of the features make a set."""
        rules = self.rules
        named = rules.caps or rules.budgets or rules.needs or rules.are_asked
        return not named and self.form.conflicts is None

    def qualities(self, rows: Ints) -> Floats:
        """The quality of each set, a row of features."""
        total: Floats = np.sum(self.form.linear[rows], axis=1)
        if self.form.matrix is not None:
            # Sets hold no feature that is not kept, so the matrix is enough.
            total -= pair_sums(self.form.matrix, rows, self.form.factor)
        if self.form.fit is not None:
            total += self.form.fit.of_rows(rows)
        return total

    def k_best(
        self, most: int, conditions: SearchConditions, prices: DualPrices | None, threshold: float
    ) -> tuple[Ints, Floats, float]:
        """The best sets as rows of positions, their values, and a bound on those not looked at."""
        tolerance = 0.0 if self.form.ratio else self.tolerance
        request = self._request(conditions, keeping=True, tolerance=tolerance)
        if request is None:
            return *self._nothing, -math.inf
        if self.form.ratio:
            rows, values, finished = self._ratios.k_best(request, most, threshold, conditions.max_nodes)
            return rows, values, -math.inf if finished else self.ceiling
        objective = self._objective(prices, threshold)
        found = request.search(objective, most, conditions.max_nodes)
        if found.nodes <= conditions.max_nodes:
            self.longest = max(self.longest, found.nodes)
        # A search that has to stop before its first node knows nothing.
        bound = self.ceiling_at(prices) if found.bound == math.inf else found.bound
        return found.rows, found.values, bound

    def any_of(self, conditions: SearchConditions) -> Ints:
        """A set that keeps to all rules, as a row of features, by a search that does not look at pair terms."""
        request = self._request(conditions, keeping=True)
        if request is None:
            return np.zeros((0, self.size), dtype=np.intc)
        objective = Objective(self.encoding.linear_terms, 0.0, -math.inf)
        return self.encoding.with_base(request.search(objective, 1, conditions.max_nodes).rows)

    def all_above(
        self,
        threshold: float,
        most: int,
        conditions: SearchConditions,
        prices: DualPrices | None,
        cheaper: bool,
    ) -> tuple[Ints, Floats, bool]:
        """All sets above the threshold as rows of positions, their values, and whether that is all."""
        tolerance = self.tolerance if cheaper else 0.0
        request = self._request(conditions, cheaper=cheaper, tolerance=tolerance)
        if request is None:
            return *self._nothing, True
        no_rows, no_values = self._nothing
        rows, values, complete = [no_rows], [no_values], True
        # Several objectives together see every ratio above the threshold.
        ratio = self.form.ratio
        for objective in (
            self._ratios.objectives(threshold) if ratio else [self._objective(prices, threshold)]
        ):
            if len(rows) > 1 and conditions.tick():
                complete = False
                break
            found = request.search(objective, most, conditions.max_nodes)
            rows.append(found.rows)
            values.append(found.values)
            most -= len(found.rows)
            complete = complete and found.bound == -math.inf
        if len(rows) > 2:
            distinct = best_distinct(np.concatenate(rows), np.concatenate(values), sum(map(len, rows)))
            return *distinct, complete
        return np.concatenate(rows), np.concatenate(values), complete

    @property
    def _nothing(self) -> tuple[Ints, Floats]:
        return np.zeros((0, self.n_open), dtype=np.intc), np.zeros(0)

    @cached_property
    def _ratios(self) -> RatioSearch:
        return RatioSearch(self.encoding, self.magnitude)

    def _request(
        self,
        conditions: SearchConditions,
        *,
        keeping: bool = False,
        cheaper: bool = False,
        tolerance: float = 0.0,
    ) -> KernelRequest | None:
        """What the kernel has to keep to; None if no set can."""
        rules = self.encoding.kernel_rules(conditions.caps, conditions.budget)
        if rules is None:
            return None
        return KernelRequest(
            rules,
            self.n_open,
            keeping,
            conditions.tick,
            accept=conditions.accept,
            fitting=conditions.fitting,
            exact_budgets=self.encoding.exact_budgets,
            cheaper=cheaper,
            tolerance=tolerance,
        )

    def _objective(self, prices: DualPrices | None, threshold: float) -> Objective:
        """The quality after prices; not for a ratio."""
        terms, start = self.encoding.priced_terms(prices)
        clique_cuts, paid = self.encoding.clique_cut_terms(prices)
        return Objective(terms, start - paid, threshold, clique_cuts, self.encoding.fit_terms)

    def heuristic(self, rows: Ints, prices: DualPrices, threshold: float) -> Ints:
        """What exchanges of single features make of sets, rows of features: those above the threshold, each once."""
        (linear, pairs, _), start = self.encoding.priced_terms(prices)
        if not len(pairs) or not self.n_open or self.form.fit is not None:
            # There is nothing to exchange, or one best set after the other is as fast, or exchanges know too little.
            return np.zeros((0, self.size), dtype=np.intc)
        places = self.encoding.place[rows].astype(np.intp)
        # Without the features that are in every set.
        places = places[places >= 0].reshape(len(rows), self.n_open)
        # The sets that may still become better.
        going = np.arange(len(rows))
        for _ in range(MAX_EXCHANGES):
            now, each = places[going], np.arange(len(going))
            inside = each[:, None], now
            # What each feature adds to a set, or would add; then what each exchange changes.
            with_each = pairs[now]
            gains = linear - with_each.sum(axis=1)
            changes = with_each + gains[:, None, :] - gains[inside][:, :, None]
            changes.transpose(0, 2, 1)[inside] = -math.inf
            best = np.argmax(changes.reshape(len(going), -1), axis=1)
            out, new = np.divmod(best, len(linear))
            better = changes[each, out, new] > self.tolerance
            going = going[better]
            if not len(going):
                break
            places[going, out[better]] = new[better]
        values = start + np.sum(linear[places], axis=1) - pair_sums(pairs, places)
        good_enough = values > threshold
        rows, values = self.encoding.with_base(places[good_enough]), values[good_enough]
        if prices.clique_cuts is not None and len(rows):
            # Exchanges do not look at them.
            paid = prices.clique_cuts.reached(self.encoding.price_place[rows]) @ prices.clique_cuts.prices
            rows = rows[values - paid > threshold]
        rows = np.sort(rows, axis=1)
        # They are few: faster than numpy's, and in the same order.
        distinct = sorted(set(map(tuple, rows.tolist())))
        return np.array(distinct, dtype=np.intc).reshape(-1, self.size)
