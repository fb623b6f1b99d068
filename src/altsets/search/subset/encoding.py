"""The sets of one size in numbers for the kernel, which knows positions instead of features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices, Ints
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.quality.explained import NOTHING_LEFT
from altsets.search.comparison import flat
from altsets.search.run import Run
from altsets.search.subset.candidates import (
    PER_TERM_ERROR,
    form_of,
)
from altsets.search.subset.kernel_call import (
    CliqueCutTerms,
    ExactBudgets,
    FitTerms,
    KernelRules,
    Terms,
)
from altsets.search.subset.prices import DualPrices, sum_over_pairs
from altsets.search.subset.rules import Cap, RoundedBudgets, Rules, caps_by_position, rounded

#: Pair terms that are kept in memory for several sizes: half a gigabyte, and as much for searches.
MOST_PAIR_TERMS = 2**26


class FormCache:
    """The forms of a quality for each size of a problem; all of them are kept if there is room, else the last few."""

    def __init__(self, quality: Quality, problem: Problem, run: Run) -> None:
        self._quality, self._problem, self.run = quality, problem, run
        self._most = max(MOST_PAIR_TERMS // max(quality.n_features_in, 1) ** 2, 2)
        self._known: dict[int, Form] = {}
        self.keeps_all = len(problem.sizes) <= self._most

    def of(self, size: int) -> Form:
        """The form for sets of this size."""
        known = self._known.get(size)
        if known is None:
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            known = self._known[size] = form_of(self._quality, self._problem, size)
        return known


def usable_features(form: Form, rules: Rules, among: Indices | None = None) -> Indices | None:
    """The features that a set may have besides the required ones; None if there is obviously no set."""
    base = sorted(rules.required)
    usable = np.ones(len(form.linear), dtype=bool) if form.allowed is None else form.allowed.copy()
    if among is not None:
        selected = np.zeros(len(usable), dtype=bool)
        selected[among] = True
        usable &= selected
    if not usable[base].all():
        return None
    if form.conflicts is not None:
        if form.conflicts[np.ix_(base, base)].any():
            return None
        usable &= ~form.conflicts[base].any(axis=0)
    usable[[*rules.forbidden, *base]] = False
    # All that a feature needs, directly or not, must be usable.
    for feature, needed in rules.needs.items():
        usable[feature] &= all(usable[j] or j in rules.required for j in needed)
    return np.flatnonzero(usable)


class SizeEncoding:
    """Sets of one size as arrays: ``base`` is in every set, plus ``n_open`` of ``features``, known by position."""

    def __init__(self, forms: FormCache, size: int, rules: Rules, features: Indices) -> None:
        self._forms, self.size, self.rules, self.features = forms, size, rules, features
        form = self.form
        self.base = np.array(sorted(rules.required), dtype=np.intp)
        self.n_open = size - len(self.base)
        #: The position of each feature; -1 if it is not open.
        self.place: Ints = np.full(len(form.linear), -1, dtype=np.intc)
        self.place[features] = np.arange(len(features))
        self._needs = np.zeros(len(features) + 1, dtype=np.intc), np.zeros(0, dtype=np.intc)
        if rules.needs:
            needs = [rules.needs.get(feature, frozenset()) - rules.required for feature in features.tolist()]
            self._needs = flat([self.place[sorted(needed)].tolist() for needed in needs])
        #: The least and the largest pair term.
        self.pair_range = form.pair_range(np.concatenate([self.base, features]))
        self._kept_conflicts: npt.NDArray[np.uint8] | None = None
        self._kept_plain: tuple[Terms, float] | None = None
        self.price_place = self._price_of = self._price_of_base = np.zeros(0, dtype=np.intc)

    @property
    def form(self) -> Form:
        """The quality of these sets in numbers."""
        return self._forms.of(self.size)

    def priced_as(self, place: Ints) -> None:
        """Where the prices of features are."""
        self.price_place = place
        self._price_of, self._price_of_base = place[self.features], place[self.base]

    def needed(self, position: int) -> list[int]:
        """The positions of all features that the one at a position needs."""
        first, needs = self._needs
        needed: list[int] = needs[first[position] : first[position + 1]].tolist()
        return needed

    def positions_of(self, chosen: Sequence[int]) -> Ints:
        """Where these features are; -1 for those that are in every set or in none."""
        return self.place[list(chosen)]

    def with_base(self, rows: npt.NDArray[np.integer[Any]]) -> Ints:
        """Positions as features, with those that are in every set."""
        chosen = self.features.astype(np.intc)[rows]
        every = np.broadcast_to(self.base.astype(np.intc), (len(rows), len(self.base)))
        return np.concatenate([every, chosen], axis=1)

    def set_of(self, positions: Ints) -> FeatureSet:
        """One set, as positions, as features."""
        return tuple(sorted(self.with_base(positions[None, :])[0].tolist()))

    def keys(self, sets: Iterable[FeatureSet]) -> frozenset[bytes]:
        """Sets of this size by their sorted positions, as bytes."""
        rows = np.array([chosen for chosen in sets if len(chosen) == self.size], dtype=np.intp)
        places = np.sort(self.place[rows].reshape(-1, self.size), axis=1)[:, self.size - self.n_open :]
        return frozenset(row.tobytes() for row in places)

    def kernel_rules(
        self, caps: Sequence[Cap] = (), budget: tuple[Floats, float] | None = None
    ) -> KernelRules | None:
        """All rules and more caps, and a budget (prices of features, limit); None if no set can keep to them."""
        base = frozenset(self.base.tolist())
        parts = [cap.open_part(self.place, base) for cap in (*self.rules.caps, *caps)]
        left = np.array([left for _, left in parts], dtype=np.intc)
        if self.budgets is None or np.any(left < 0):
            return None
        costs, room, payers = self.budgets.costs, self.budgets.room, self.budgets.payers
        if budget is not None:
            prices, limit = budget
            open_limit = limit - math.fsum(prices[self._price_of_base].tolist())
            if open_limit < 0:
                return None
            costs, room = np.vstack([costs, prices[self._price_of]]), np.append(room, open_limit)
            if len(payers):
                payers = np.vstack([payers, np.full(len(self.features), -1, dtype=np.intc)])
        first, member = caps_by_position([inside for inside, _ in parts], len(self.features))
        return KernelRules(first, member, left, costs, room, *self._needs, payers)

    @cached_property
    def budgets(self) -> RoundedBudgets | None:
        """What the open features may cost; None if those that are in every set cost too much already."""
        return rounded(self.rules.budgets, self.features, self.base.tolist(), self.n_open)

    @property
    def exact_budgets(self) -> ExactBudgets | None:
        """When the kernel has to check whether a set can be paid for, and how."""
        budgets = self.budgets
        return (
            None if budgets is None or not budgets.doubt.any() else ExactBudgets(budgets.doubt, budgets.pays)
        )

    def ceiling(self, prices: DualPrices | None = None) -> float:
        """No set is better than this after prices, known before any search; clique cuts only take away."""
        if prices is None:
            return set_bound(self.form, self.size, self.features, self.base, self.pair_range)
        linear = self.form.linear.copy()
        linear[self.features] -= prices.features[self._price_of]
        linear[self.base] -= prices.features[self._price_of_base]
        least, largest = self.pair_range
        if prices.pairs is not None:
            least += min(float(np.min(prices.pairs)), 0.0)
        priced = replace(self.form, linear=linear)
        return set_bound(priced, self.size, self.features, self.base, (least, largest))

    def terms(
        self, form: Form, prices: DualPrices | None = None, open_pairs: Floats | None = None
    ) -> tuple[Terms, float]:
        """Terms of the open features, given those that are in every set; and the value of the latter."""
        open_linear, base_linear = form.linear[self.features], form.linear[self.base]
        if prices is not None:
            open_linear = open_linear - prices.features[self._price_of]
            base_linear = base_linear - prices.features[self._price_of_base]
        start = math.fsum(base_linear.tolist())
        if open_pairs is None:
            # A large matrix may take longer than there is time.
            check = self._forms.run.check
            open_pairs = form.pairs_among(self.features, check) if form.has_pairs else np.zeros((0, 0))
        if form.has_pairs and len(self.base):
            shared = [form.pairs_between(feature, self.features) for feature in self.base.tolist()]
            open_linear = open_linear - np.sum(shared, axis=0)
            start -= sum_over_pairs(form.pairs_among(self.base))
        if prices is not None and prices.pairs is not None:
            inside, base = self._price_of, self._price_of_base
            more = prices.pairs[np.ix_(inside, inside)]
            open_pairs = open_pairs + more if form.has_pairs else more
            if len(base):
                open_linear = open_linear - prices.pairs[np.ix_(base, inside)].sum(axis=0)
                start -= sum_over_pairs(prices.pairs[np.ix_(base, base)])
        return Terms(np.ascontiguousarray(open_linear), open_pairs, self._conflicts), start

    def priced_terms(self, prices: DualPrices | None) -> tuple[Terms, float]:
        """The terms of the quality after prices; those without prices are kept if there is room."""
        if prices is not None:
            kept = None if self._kept_plain is None else self._kept_plain[0].pairs
            return self.terms(self.form, prices, kept)
        if self._kept_plain is not None:
            return self._kept_plain
        plain = self.terms(self.form)
        if self._forms.keeps_all:
            self._kept_plain = plain
        return plain

    @property
    def linear_terms(self) -> Terms:
        """The linear terms alone, for searches that do not look at pair terms."""
        linear = np.ascontiguousarray(self.form.linear[self.features])
        return Terms(linear, np.zeros((0, 0)), self._conflicts)

    @property
    def open_pairs(self) -> Floats:
        """The pair terms of the open features."""
        return self.priced_terms(None)[0].pairs

    @property
    def _conflicts(self) -> npt.NDArray[np.uint8]:
        """Which open features exclude each other; empty if none do."""
        if self._kept_conflicts is not None:
            return self._kept_conflicts
        conflicts, inside = self.form.conflicts, np.ix_(self.features, self.features)
        excluded = np.zeros((0, 0), dtype=np.uint8)
        if conflicts is not None:
            excluded = np.ascontiguousarray(conflicts[inside], dtype=np.uint8)
        if self._forms.keeps_all:
            self._kept_conflicts = excluded
        return excluded

    @cached_property
    def fit_terms(self) -> FitTerms | None:
        """What the open features explain beside those that are in every set; None if sets are sums."""
        fit = self.form.fit
        if fit is None:
            return None
        gram, cross, first, share = fit.beside(self.base, self.features)
        # Of columns that those in every set make up, nothing is left, and nothing may be divided by that.
        left = np.diag(gram) > NOTHING_LEFT
        gram, cross = np.where(left & left[:, None], gram, 0.0), np.where(left[:, None], cross, 0.0)
        scale = np.sqrt(np.where(left, np.diag(gram), 1.0))
        gram, cross = gram / (scale * scale[:, None]), cross / scale[:, None]
        np.fill_diagonal(gram, 1.0)
        inverse = np.linalg.inv(gram)
        inverse = (inverse + inverse.T) / 2
        weights = inverse @ cross
        return FitTerms(
            first=first.astype(np.intc),
            gram=np.ascontiguousarray(gram),
            cross=np.ascontiguousarray(cross),
            inverse=np.ascontiguousarray(inverse),
            weights=np.ascontiguousarray(weights),
            all_explain=float(np.sum(weights * cross)),
            slack=fit.rounding,
            base_share=share,
            factor=fit.factor,
            in_logs=fit.in_logs,
        )

    def clique_cut_terms(self, prices: DualPrices | None) -> tuple[CliqueCutTerms | None, float]:
        """Clique cuts, given the features that are in every set; and what these cost already."""
        if prices is None or prices.clique_cuts is None:
            return None, 0.0
        clique_cuts = prices.clique_cuts
        missing = clique_cuts.least - np.count_nonzero(clique_cuts.members[:, self._price_of_base], axis=1)
        open_cuts = missing > 0
        paid = math.fsum(clique_cuts.prices[~open_cuts].tolist())
        features, numbers = np.nonzero(clique_cuts.members[np.ix_(open_cuts, self._price_of)].T)
        first = np.searchsorted(features, np.arange(len(self.features) + 1)).astype(np.intc)
        terms = CliqueCutTerms(
            first, numbers.astype(np.intc), missing[open_cuts].astype(np.intc), clique_cuts.prices[open_cuts]
        )
        return terms, paid


def set_bound(form: Form, size: int, features: Indices, base: Indices, pairs: tuple[float, float]) -> float:
    """A bound on sets of this size with ``base``: best features, all pairs at the least of the range ``pairs``."""
    linear, n_open = form.linear[features], size - len(base)
    if not n_open:
        linear = linear[:0]
    elif len(features) > n_open:
        linear = np.partition(linear, len(features) - n_open)[len(features) - n_open :]
    terms = [*linear.tolist(), *form.linear[base].tolist()]
    upper, n_pairs = math.fsum(terms), size * (size - 1) // 2
    least, largest = pairs
    if form.ratio:
        # A negative number is best divided by a large one.
        bound = upper / math.sqrt(size + n_pairs * (least if upper >= 0 else largest))
        return bound + PER_TERM_ERROR * abs(bound) * (size + 4)
    rounding = PER_TERM_ERROR * (math.fsum(map(abs, terms)) + n_pairs * abs(least))
    explained = 0.0 if form.fit is None else form.fit.highest(np.concatenate([base, features]), size)
    return upper - n_pairs * least + rounding + explained
