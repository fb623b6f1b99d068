"""Good sets of a quality: the best ones, or all above a threshold; under all rules for one set.

This is the half of the exact search that knows what a set is. The other half, which picks sets that go together, needs
only their qualities and which features they hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import subset_search as kernel
from altsets.arrays import Bools, Floats, Indices, Ints, Masks
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.search.run import Run
from altsets.search.subset.budgets import RoundedBudgets, rounded
from altsets.search.subset.low_rank_bound import LowRankBound
from altsets.search.subset.rules import Cap, Rules, differing, preselected
from altsets.search.subset.simple_bound import set_bound

__all__ = ["CliqueCuts", "DualPrices", "FixedSizeOracle", "KBest", "Listing", "PricingOracle"]


#: Windows for the upper part of a ratio; in each of them its square is nearly a straight line.
N_WINDOWS = 6

#: Of smaller ratios the square is no number.
SMALL_RATIO = 1e-100

#: Steps of a first search for a good ratio, before it is worth going to the end.
FIRST_STEPS = 300

#: Numbers that are made ready for one size at least, counting what else there is to do; and for all sizes, whether or
#: not there is time.
LEAST_WORK, LITTLE_WORK = 50_000, 5_000_000

#: How many features of a set are exchanged for better ones at most.
MOST_EXCHANGES = 30

#: There are two bounds, and nobody knows beforehand which one is faster. The first few searches that take more steps
#: than these are begun with both; the bound with tangents is lower, so the other one has to come that much further, and
#: to that part of the end at least.
SHORT, N_TRIALS, DECISIVE, LEAST_PROGRESS = 10_000, 3, 8, 1e-3
#: Pair terms that are kept in memory for several sizes of sets: half a gigabyte, and as much for searches.
MOST_NUMBERS = 2**26
#: Searches with more steps take long.
LABORIOUS = 50_000
#: Low-rank bounds need so many open features, and take long to prepare for more candidates than that.
LEAST_OPEN, MOST_FEATURES = 5, 500


@dataclass(frozen=True)
class CliqueCuts:
    """What a set pays once if it has enough features of a group.

    Attributes
    ----------
    members : bool array
        One row for each group, one column for each feature.
    least : int array
        How many features are enough.
    prices : float array
    """

    members: Bools
    least: Ints
    prices: Floats

    def reached(self, places: Ints) -> Bools:
        """Whether each set, a row of the places of its features, has enough of each group."""
        inside = np.zeros((len(places), self.members.shape[1]), dtype=np.float32)
        np.put_along_axis(inside, places.astype(np.intp), 1.0, axis=1)
        reached: Bools = inside @ self.members.T.astype(np.float32) >= self.least
        return reached


@dataclass(frozen=True)
class DualPrices:
    """What a set pays for each of its features and, where there are any, for pairs (a matrix) and clique cuts.

    Only features that some set may have are priced, in the order of :attr:`PricingOracle.features`.
    """

    features: Floats
    pairs: Floats | None = None
    clique_cuts: CliqueCuts | None = None


@dataclass(frozen=True)
class KBest:
    """The best sets, best first, and a bound on every set that was not looked at."""

    sets: list[FeatureSet]
    values: list[float]
    bound: float


@dataclass(frozen=True)
class Listing:
    """All sets above a threshold: for each size one row of features for each set.

    Attributes
    ----------
    rows : list of int arrays
        One array for each size.
    values, qualities : float arrays
        Over the sets of all sizes in turn, after and before prices; of a list that is not complete, only after.
    complete : bool
        Whether nothing is missing.
    """

    rows: list[Ints]
    values: Floats
    qualities: Floats
    complete: bool

    def __len__(self) -> int:
        return len(self.values)

    def set_at(self, number: int) -> FeatureSet:
        """The set with this number."""
        for rows in self.rows:
            if number < len(rows):
                return tuple(sorted(rows[number].tolist()))
            number -= len(rows)
        raise IndexError(number)

    @cached_property
    def masks(self) -> Masks:
        """The features of each set as bits."""
        none = np.zeros(0, dtype=np.intc)
        used = np.unique(np.concatenate([none, *(rows.ravel() for rows in self.rows)]))
        words = max((len(used) + 63) // 64, 1)
        place = np.zeros(int(np.max(used, initial=-1)) + 1, dtype=np.uint64)
        place[used] = np.arange(len(used))
        masks = np.zeros((len(self), words), dtype=np.uint64)
        start = 0
        for rows in self.rows:
            word, bit = np.divmod(place[rows], np.uint64(64))
            bits = np.left_shift(np.uint64(1), bit)
            for number in range(words):
                here = np.where(word == number, bits, np.uint64(0))
                masks[start : start + len(rows), number] = np.bitwise_or.reduce(here, axis=1)
            start += len(rows)
        return masks

    @cached_property
    def size_groups(self) -> Ints:
        """Which of the arrays of rows each set is in."""
        return np.repeat(np.arange(len(self.rows), dtype=np.intc), [len(rows) for rows in self.rows])


class PricingOracle:
    """The sets that a problem allows, in the order of a quality.

    Parameters
    ----------
    quality : Quality
    problem : Problem
    run : Run
        Asked now and then whether to stop.
    among : int array, optional
        The features that sets are made of, if the caller has selected them.
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        run: Run,
        among: Indices | None = None,
    ) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        # To a user's own dissimilarity no two features are alike.
        own = callable(problem.dissimilarity)
        wanted = problem.n_features_in if own else problem.n_sets * problem.k_max
        self.sizes: list[FixedSizeOracle] = []
        forms = _Forms(quality, len(problem.sizes), run)
        work = max(problem.n_features_in**2, LEAST_WORK)
        for number, size in enumerate(problem.sizes):
            # For a few sizes there is always time: sets that have to be constructed are made of their numbers.
            if number and number * work > LITTLE_WORK:
                run.check()
            rules = Rules.of(problem, size)
            sets = None if rules is None else FixedSizeOracle.under(rules, forms, size, wanted, among)
            if sets is not None:
                self.sizes.append(sets)
        self._own = own
        self.tolerance = max((sets.tolerance for sets in self.sizes), default=1e-300)
        self.reach = max((sets.reach for sets in self.sizes), default=0.0) or 1.0
        # A ratio has no prices, and a user's own dissimilarity no rows that sets could pay for.
        self.can_be_priced = not self._own and not any(sets.form.ratio for sets in self.sizes)
        self.place = np.full(problem.n_features_in, -1, dtype=np.intc)
        self.place[self.features] = np.arange(len(self.features))
        for sets in self.sizes:
            sets.priced_as(self.place)

    @cached_property
    def features(self) -> list[int]:
        """Every feature that some set may have; ``place`` says where a feature is in this list."""
        some = [
            np.zeros(0, dtype=np.intp),
            *(part for sets in self.sizes for part in (sets.base, sets.features)),
        ]
        return np.unique(np.concatenate(some)).tolist()  # type: ignore[no-any-return]

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
    def laborious(self) -> bool:
        """Whether searches take long."""
        return any(sets.longest > LABORIOUS for sets in self.sizes)

    def k_best(
        self,
        count: int = 1,
        *,
        others: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
        prices: DualPrices | None = None,
        threshold: float = -math.inf,
        max_nodes: int = 2**62,
    ) -> KBest:
        """The best ``count`` sets with a value above ``threshold`` that differ enough from others, some left out."""
        pool: list[tuple[float, FeatureSet]] = []
        bound = -math.inf
        for sets in self.sizes:
            if sets is not self.sizes[0] and self.run.tick():
                bound = max(bound, sets.ceiling_at(prices))
                continue
            if len(pool) == count:
                threshold = max(threshold, pool[-1][0])
            caps = [] if self._own else differing(self.problem, sets.size, others)
            rows, values, left = sets.k_best(
                count,
                caps,
                prices,
                threshold,
                max_nodes,
                self._acceptance(sets, others, without),
                self.run.tick,
            )
            bound = max(bound, left)
            chosen = [tuple(sorted(row)) for row in sets.with_base(rows).tolist()]
            pool += zip(values.tolist(), chosen, strict=True)
            pool.sort(key=lambda entry: (-entry[0], entry[1]))
            del pool[count:]
        return KBest([chosen for _, chosen in pool], [value for value, _ in pool], bound)

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
        max_nodes: int = 2**62,
    ) -> Listing:
        """All sets with a value above ``threshold`` that differ enough from others, some left out.

        Incomplete if they are more than ``most`` or take too long.

        A budget (prices of features, limit) leaves out those that cost more; with ``cheaper``, also those that are no
        cheaper than another one that is listed before.
        """
        listed: list[Ints] = []
        values: list[Floats] = []
        qualities: list[Floats] = []
        complete = True
        for sets in self.sizes:
            if listed and self.run.tick():
                complete = False
                break
            caps = [] if self._own else differing(self.problem, sets.size, others)
            rows, found, finished = sets.all_above(
                threshold,
                most,
                caps,
                prices,
                budget,
                cheaper,
                max_nodes,
                self._acceptance(sets, others),
                self.run.tick,
            )
            complete = complete and finished
            most -= len(rows)
            rows = sets.with_base(rows)
            if without:
                kept = ~_are_among(rows, without)
                rows, found = rows[kept], found[kept]
            listed.append(rows)
            values.append(found)
            # For a long list this takes long; one that is not complete is of no use, and nor is any when time is up.
            complete = complete and not self.run.stopped
            qualities.append(found if prices is None or not complete else sets.qualities(rows))
        none = np.zeros(0)
        return Listing(listed, np.concatenate([none, *values]), np.concatenate([none, *qualities]), complete)

    def heuristic(self, sets: Sequence[FeatureSet], prices: DualPrices, threshold: float) -> list[FeatureSet]:
        """Sets above the threshold that exchanges of features make of others; none where there are rules."""
        found = []
        for of_size, rows in zip(self.sizes, self.rows_of(sets), strict=True):
            if len(rows) and of_size.any_will_do:
                found += [tuple(sorted(row)) for row in of_size.heuristic(rows, prices, threshold).tolist()]
        return found

    def rows_of(self, chosen: Iterable[FeatureSet]) -> list[Ints]:
        """Sets as rows of features, one array for each size, each in the order given; other sizes are left out."""
        by_size: dict[int, list[FeatureSet]] = {sets.size: [] for sets in self.sizes}
        for one in chosen:
            by_size.get(len(one), []).append(one)
        return [np.array(some, dtype=np.intc).reshape(-1, size) for size, some in by_size.items()]

    def listed(self, chosen: Iterable[FeatureSet], prices: DualPrices) -> Listing:
        """Sets that are known already, as a list; nobody says that it is complete."""
        rows = self.rows_of(chosen)
        qualities = [sets.qualities(some) for sets, some in zip(self.sizes, rows, strict=True)]
        paid = [_paid(prices, self.place[some]) for some in rows]
        total = np.concatenate([np.zeros(0), *qualities])
        return Listing(rows, total - np.concatenate([np.zeros(0), *paid]), total, complete=False)

    def _acceptance(
        self, sets: FixedSizeOracle, others: Sequence[FeatureSet], without: Set[FeatureSet] = frozenset()
    ) -> Callable[[Ints], bool] | None:
        """The test of a set: those left out, and others where only the user's own dissimilarity can tell."""
        others = (*self.problem.existing, *others) if self._own else ()
        if not others and not without:
            return None
        left_out = sets.keys(without)

        def accept(positions: Ints) -> bool:
            if left_out and np.sort(positions).tobytes() in left_out:
                return False
            chosen = tuple(sorted(sets.with_base(positions[None, :])[0].tolist())) if others else ()
            return all(self.problem.compatible(chosen, other) for other in others)

        return self.run.guarded(accept, otherwise=False)


class _Forms:
    """The forms of a quality for each size; all of them are kept if there is room, else the last few."""

    def __init__(self, quality: Quality, n_sizes: int, run: Run) -> None:
        self._quality, self.run = quality, run
        self._most = max(MOST_NUMBERS // max(quality.n_features_in, 1) ** 2, 2)
        self._known: dict[int, Form] = {}
        self.keeps_all = n_sizes <= self._most

    def of(self, size: int) -> Form:
        """The form for sets of this size."""
        known = self._known.get(size)
        if known is None:
            if len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            known = self._known[size] = self._quality.form(size)
        return known


class FixedSizeOracle:
    """Sets of one size: numbers for the kernel, which knows positions instead of features."""

    def __init__(self, forms: _Forms, size: int, rules: Rules, features: Indices) -> None:
        self._forms, self.size, self.rules, self.features = forms, size, rules, features
        # Called while a large matrix is made, which may take longer than there is time.
        self._check = forms.run.check
        form = self.form
        self.base = np.array(sorted(rules.required), dtype=np.intp)
        self.n_open = size - len(self.base)
        self._place = np.full(len(form.linear), -1, dtype=np.intc)
        self._place[features] = np.arange(len(features))
        self._needs = np.zeros(len(features) + 1, dtype=np.intc), np.zeros(0, dtype=np.intc)
        if rules.needs:
            self._needs = _flat([self._needed(feature) for feature in features.tolist()])
        self._pair_range = form.pair_range(np.concatenate([self.base, features]))
        # No quality is further from zero than this; in a ratio pairs only bring it closer.
        pairs = 0.0 if form.ratio else max(map(abs, self._pair_range))
        self.reach = size * float(np.max(np.abs(form.linear), initial=0.0)) + size * size * pairs
        self.tolerance = max(8e-16 * self.reach, 1e-300)
        # Which of the bounds is faster, and how often that was tried; the longest search that came to its end.
        self._linearised, self._trials = False, 0
        self._kept_conflicts: npt.NDArray[np.uint8] | None = None
        self._kept_plain: tuple[tuple[Any, ...], float] | None = None
        self.longest = 0

    @property
    def form(self) -> Form:
        """The quality of these sets in numbers."""
        return self._forms.of(self.size)

    @classmethod
    def under(
        cls,
        rules: Rules,
        forms: _Forms,
        size: int,
        wanted: int,
        among: Indices | None = None,
    ) -> FixedSizeOracle | None:
        """The sets that keep to the rules; None if it is plain that there are none."""
        base, form = sorted(rules.required), forms.of(size)
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
        # What a feature needs must be usable, and so on.
        changed = True
        while changed:
            changed = False
            for feature, needed in rules.needs.items():
                if usable[feature] and not all(usable[j] or j in rules.required for j in needed):
                    usable[feature], changed = False, True
        features = np.flatnonzero(usable)
        if not form.has_pairs and form.conflicts is None:
            features = preselected(form.linear, features, rules, wanted)
        sets = cls(forms, size, rules, features)
        return None if sets.n_open > len(features) or sets._numbers([]) is None else sets

    @cached_property
    def ceiling(self) -> float:
        """No set is better than this; known before any search."""
        return set_bound(self.form, self.size, self.features, self.base, self._pair_range)

    def ceiling_at(self, prices: DualPrices | None) -> float:
        """The same after prices; clique cuts, which nobody is paid for, only take away."""
        if prices is None:
            return self.ceiling
        linear = self.form.linear.copy()
        linear[self.features] -= prices.features[self._price_of]
        linear[self.base] -= prices.features[self._price_of_base]
        least, largest = self._pair_range
        if prices.pairs is not None:
            least += min(float(np.min(prices.pairs)), 0.0)
        return set_bound(
            replace(self.form, linear=linear), self.size, self.features, self.base, (least, largest)
        )

    def priced_as(self, place: Ints) -> None:
        """Where the prices of features are."""
        self._price_of, self._price_of_base = place[self.features], place[self.base]

    def _needed(self, feature: int) -> list[int]:
        needed = self.rules.needs.get(feature, frozenset()) - self.rules.required
        return [int(self._place[j]) for j in sorted(needed)]

    def needed(self, position: int) -> list[int]:
        """The positions of all features that the one at a position needs."""
        first, needs = self._needs
        needed: list[int] = needs[first[position] : first[position + 1]].tolist()
        return needed

    def positions_of(self, chosen: Sequence[int]) -> Ints:
        """Where these features are; -1 for those that are in every set or in none."""
        positions: Ints = self._place[list(chosen)]
        return positions

    def with_base(self, rows: npt.NDArray[Any]) -> Any:
        """Positions as features, with those that are in every set."""
        chosen = self.features[rows].astype(np.intc)
        every = np.broadcast_to(self.base.astype(np.intc), (len(rows), len(self.base)))
        return np.concatenate([every, chosen], axis=1)

    def keys(self, sets: Iterable[FeatureSet]) -> frozenset[bytes]:
        """Sets of this size by their sorted positions, as bytes."""
        rows = np.array([chosen for chosen in sets if len(chosen) == self.size], dtype=np.intp)
        places = np.sort(self._place[rows].reshape(-1, self.size), axis=1)[:, self.size - self.n_open :]
        return frozenset(row.tobytes() for row in places)

    def qualities(self, rows: Ints) -> Floats:
        """The quality of each set, a row of features."""
        total: Floats = np.sum(self.form.linear[rows], axis=1)
        if self.form.matrix is not None:
            # Sets hold no feature that is not kept, so the matrix will do.
            total -= _of_pairs(self.form.matrix, rows, self.form.factor)
        return total

    # --- Numbers for the kernel ---------------------------------------------------------------------

    def _numbers(
        self, caps: Sequence[Cap], budget: tuple[Floats, float] | None = None
    ) -> tuple[Any, ...] | None:
        """Caps, budgets and needs as arrays; None if the features in every set are too many or too dear."""
        inside, left = [], []
        for cap in (*self.rules.caps, *caps):
            members = np.zeros(len(self._place), dtype=bool)
            members[list(cap.group)] = True
            if cap.outside:
                members = ~members
            left.append(cap.most - int(np.count_nonzero(members[self.base])))
            inside.append(np.flatnonzero(members[self.features]))
        if self.budgets is None or min(left, default=0) < 0:
            return None
        costs, room = self.budgets.costs, self.budgets.room
        if budget is not None:
            prices, limit = budget
            open_limit = limit - math.fsum(prices[self._price_of_base].tolist())
            if open_limit < 0:
                return None
            costs, room = np.vstack([costs, prices[self._price_of]]), np.append(room, open_limit)
        positions = np.concatenate([np.zeros(0, dtype=np.intp), *inside])
        numbers = np.repeat(np.arange(len(left), dtype=np.intc), [len(members) for members in inside])
        first = np.zeros(len(self.features) + 1, dtype=np.intc)
        np.cumsum(np.bincount(positions, minlength=len(self.features)), out=first[1:])
        member = numbers[np.argsort(positions, kind="stable")]
        return first, member, np.array(left, dtype=np.intc), costs, room, *self._needs

    @cached_property
    def budgets(self) -> RoundedBudgets | None:
        """What the features that are not in every set may cost; None if those that are cost too much already."""
        return rounded(self.rules.budgets, self.features.tolist(), self.base.tolist(), self.n_open)

    @property
    def _doubts(self) -> tuple[Floats, Callable[[Ints], bool]] | None:
        """When the kernel has to ask whether a set can be paid for, and whom."""
        budgets = self.budgets
        return None if budgets is None or not budgets.doubt.any() else (budgets.doubt, budgets.pays)

    def _terms(
        self, form: Form, prices: DualPrices | None = None, open_pairs: Floats | None = None
    ) -> tuple[tuple[Any, ...], float]:
        """Terms of the open features, given those that are in every set; and the value of the latter."""
        open_linear, base_linear = form.linear[self.features], form.linear[self.base]
        if prices is not None:
            open_linear = open_linear - prices.features[self._price_of]
            base_linear = base_linear - prices.features[self._price_of_base]
        start = math.fsum(base_linear.tolist())
        if open_pairs is None:
            open_pairs = form.pairs_among(self.features, self._check) if form.has_pairs else np.zeros((0, 0))
        if form.has_pairs and len(self.base):
            shared = [form.pairs_of(feature)[self.features] for feature in self.base.tolist()]
            open_linear = open_linear - np.sum(shared, axis=0)
            start -= _of_all_pairs(form.pairs_among(self.base))
        if prices is not None and prices.pairs is not None:
            inside, base = self._price_of, self._price_of_base
            more = prices.pairs[np.ix_(inside, inside)]
            open_pairs = open_pairs + more if form.has_pairs else more
            if len(base):
                open_linear = open_linear - prices.pairs[np.ix_(base, inside)].sum(axis=0)
                start -= _of_all_pairs(prices.pairs[np.ix_(base, base)])
        return (np.ascontiguousarray(open_linear), open_pairs, self._conflicts), start

    @property
    def _conflicts(self) -> npt.NDArray[np.uint8]:
        """Which open features exclude each other; empty if none do."""
        if self._kept_conflicts is not None:
            return self._kept_conflicts
        conflicts, inside = self.form.conflicts, np.ix_(self.features, self.features)
        numbers = np.zeros((0, 0)) if conflicts is None else conflicts[inside]
        excluded: npt.NDArray[np.uint8] = np.ascontiguousarray(numbers, dtype=np.uint8)
        if self._forms.keeps_all:
            self._kept_conflicts = excluded
        return excluded

    @property
    def _plain(self) -> tuple[tuple[Any, ...], float]:
        if self._kept_plain is not None:
            return self._kept_plain
        plain = self._terms(self.form)
        if self._forms.keeps_all:
            self._kept_plain = plain
        return plain

    def _priced(self, prices: DualPrices | None) -> tuple[tuple[Any, ...], float]:
        return self._plain if prices is None else self._terms(self.form, prices)

    def _clique_cuts(self, prices: DualPrices | None) -> tuple[tuple[Any, ...] | None, float]:
        """Clique cuts for the kernel, given the features that are in every set; and what these cost already."""
        if prices is None or prices.clique_cuts is None:
            return None, 0.0
        clique_cuts = prices.clique_cuts
        missing = clique_cuts.least - np.count_nonzero(clique_cuts.members[:, self._price_of_base], axis=1)
        open_cuts = missing > 0
        paid = math.fsum(clique_cuts.prices[~open_cuts].tolist())
        features, numbers = np.nonzero(clique_cuts.members[np.ix_(open_cuts, self._price_of)].T)
        first = np.searchsorted(features, np.arange(len(self.features) + 1)).astype(np.intc)
        return (
            first,
            numbers.astype(np.intc),
            missing[open_cuts].astype(np.intc),
            clique_cuts.prices[open_cuts],
        ), paid

    @property
    def _may_have_low_rank(self) -> bool:
        few_enough = len(self.features) <= MOST_FEATURES
        return self.form.has_pairs and self.n_open >= LEAST_OPEN and few_enough

    @cached_property
    def _low_rank(self) -> tuple[Any, ...] | None:
        """For the other bound, if features have anything in common."""
        low_rank = LowRankBound.of(self.form.pairs_among(self.features), self.n_open)
        if low_rank is None:
            return None
        return low_rank.common, low_rank.loadings, low_rank.terms, low_rank.rounding

    # --- Searches -----------------------------------------------------------------------------------

    def k_best(
        self,
        most: int,
        caps: Sequence[Cap],
        prices: DualPrices | None,
        threshold: float,
        max_nodes: int,
        accept: Callable[[Ints], bool] | None,
        tick: Callable[[], bool],
    ) -> tuple[Ints, Floats, float]:
        """The best sets as rows of positions, their values, and a bound on those not looked at."""
        rules = None if any(cap.most < 0 for cap in caps) else self._numbers(caps)
        if rules is None:
            return np.zeros((0, self.n_open), dtype=np.intc), np.zeros(0), -math.inf
        options: dict[str, Any] = {"keeping": True, "doubts": self._doubts, "accept": accept, "tick": tick}
        if self.form.ratio:
            return self._best_ratios(rules, most, threshold, max_nodes, options)
        terms, start = self._priced(prices)
        clique_cuts, paid = self._clique_cuts(prices)
        options |= {"tolerance": self.tolerance, "clique_cuts": clique_cuts}
        rows, values, left = self._best_by_either(
            terms, start - paid, rules, threshold, most, max_nodes, options
        )
        # A search that has to stop before its first step knows nothing.
        return rows, values, self.ceiling_at(prices) if left == math.inf else left

    def any_of(
        self,
        caps: Sequence[Cap],
        max_nodes: int,
        accept: Callable[[Ints], bool] | None,
        tick: Callable[[], bool],
    ) -> Ints:
        """A set that keeps to all rules, as a row of features, by a search that does not look at pair terms."""
        rules = None if any(cap.most < 0 for cap in caps) else self._numbers(caps)
        if rules is None:
            return np.zeros((0, self.size), dtype=np.intc)
        terms = np.ascontiguousarray(self.form.linear[self.features]), np.zeros((0, 0)), self._conflicts
        options: dict[str, Any] = {"keeping": True, "doubts": self._doubts, "accept": accept, "tick": tick}
        options["max_nodes"] = max_nodes
        found: Ints = kernel.subset_search(terms, rules, self.n_open, 0.0, -math.inf, 1, **options)[0]
        rows: Ints = self.with_base(found)
        return rows

    def all_above(
        self,
        threshold: float,
        most: int,
        caps: Sequence[Cap],
        prices: DualPrices | None,
        budget: tuple[Floats, float] | None,
        cheaper: bool,
        max_nodes: int,
        accept: Callable[[Ints], bool] | None,
        tick: Callable[[], bool],
    ) -> tuple[Ints, Floats, bool]:
        """All sets above the threshold as rows of positions, their values, and whether that is all."""
        rules = None if any(cap.most < 0 for cap in caps) else self._numbers(caps, budget)
        if rules is None:
            return np.zeros((0, self.n_open), dtype=np.intc), np.zeros(0), True
        options: dict[str, Any] = {"keeping": False, "doubts": self._doubts, "accept": accept, "tick": tick}
        options["max_nodes"] = max_nodes
        if cheaper:
            options |= {"cheaper": True, "tolerance": self.tolerance}
        searches: Iterable[tuple[Any, float, float, tuple[Any, ...] | None]] = self._ratio_searches(threshold)
        if not self.form.ratio:
            terms, start = self._priced(prices)
            options["clique_cuts"], paid = self._clique_cuts(prices)
            searches = [(terms, start - paid, threshold, None)]
        rows, values = [np.zeros((0, self.n_open), dtype=np.intc)], [np.zeros(0)]
        complete = True
        for terms, start, linear_threshold, ratio in searches:
            if len(rows) > 1 and tick():
                complete = False
                break
            found, their_values, bound, *_ = self._search(
                terms, rules, self.n_open, start, linear_threshold, most, ratio=ratio, **options
            )
            rows.append(found)
            values.append(their_values)
            most -= len(found)
            complete = complete and bound == -math.inf
        return np.concatenate(rows), np.concatenate(values), complete

    @cached_property
    def any_will_do(self) -> bool:
        """Whether any features that may be in sets make one."""
        rules = self.rules
        return not (rules.caps or rules.budgets or rules.needs or self.form.conflicts is not None)

    def heuristic(self, rows: Ints, prices: DualPrices, threshold: float) -> Ints:
        """What exchanges of single features make of sets, rows of features: those above the threshold, each once."""
        (linear, pairs, _), start = self._priced(prices)
        if not len(pairs) or not self.n_open or prices.clique_cuts is not None:
            # There is nothing to exchange, or one best set after the other is as fast, or exchanges know too little.
            return np.zeros((0, self.size), dtype=np.intc)
        places = self._place[rows].astype(np.intp)
        places = places[places >= 0].reshape(len(rows), self.n_open)
        each = np.arange(len(rows))
        inside = each[:, None], places
        for _ in range(MOST_EXCHANGES):
            # What each feature adds to a set, or would add; then what each exchange changes.
            with_each = pairs[places]
            gains = linear - with_each.sum(axis=1)
            changes = with_each + gains[:, None, :] - gains[inside][:, :, None]
            changes.transpose(0, 2, 1)[inside] = -math.inf
            best = np.argmax(changes.reshape(len(rows), -1), axis=1)
            out, new = np.divmod(best, len(linear))
            better = changes[each, out, new] > self.tolerance
            if not better.any():
                break
            places[each[better], out[better]] = new[better]
        values = start + np.sum(linear[places], axis=1) - _of_pairs(pairs, places)
        return np.unique(np.sort(self.with_base(places[values > threshold]), axis=1), axis=0)

    def _search(
        self, *question: Any, max_nodes: int, **options: Any
    ) -> tuple[Ints, Floats, float, int, float]:
        """A search of the kernel by the bound that is faster; short ones are not worth another one."""
        low_rank = self._low_rank if self._linearised and max_nodes >= SHORT else None
        found: tuple[Ints, Floats, float, int, float] = kernel.subset_search(
            *question, max_nodes=max_nodes, low_rank=low_rank, **options
        )
        return found

    def _best_by_either(
        self,
        terms: tuple[Any, ...],
        start: float,
        rules: tuple[Any, ...],
        threshold: float,
        most: int,
        max_nodes: int,
        options: dict[str, Any],
    ) -> tuple[Ints, Floats, float]:
        """The best sets, by the bound that is faster; which one that is, is tried."""
        rows, values, lowest = np.zeros((0, self.n_open), dtype=np.intc), np.zeros(0), math.inf
        trial = max_nodes > SHORT and self._trials < N_TRIALS and self._may_have_low_rank
        limits = [SHORT, SHORT, max_nodes] if trial else [max_nodes]
        if trial:
            self._linearised = False
        came: list[float] = []
        for limit in limits:
            found, their_values, bound, nodes, progress = self._search(
                terms, rules, self.n_open, start, threshold, most, max_nodes=limit, **options
            )
            if len(rows):
                # Sets that a trial has found are good, whether or not this search has come to them.
                found, their_values, _ = _merged(
                    np.concatenate([rows, found]), np.concatenate([values, their_values]), most, rows
                )
            rows, values, lowest = found, their_values, min(lowest, bound)
            if nodes <= limit:
                self.longest = max(self.longest, nodes)
                break
            if len(values) == most:
                threshold = max(threshold, values[-1])
            came.append(progress)
            if trial and len(came) == 1:
                self._linearised = self._low_rank is not None
            elif trial and len(came) == 2:
                self._trials += 1
                self._linearised = self._linearised and came[0] <= max(DECISIVE * came[1], LEAST_PROGRESS)
        return rows, values, lowest

    def _best_ratios(
        self, rules: tuple[Any, ...], count: int, threshold: float, max_nodes: int, options: dict[str, Any]
    ) -> tuple[Ints, Floats, float]:
        """The best sets of a ratio: terms for a threshold hold until it is passed, so begin with short searches."""
        rows, values = np.zeros((0, self.n_open), dtype=np.intc), np.zeros(0)
        steps = FIRST_STEPS
        while True:
            steps = min(steps, max_nodes)
            threshold = max(threshold, values[-1]) if len(values) == count else threshold
            found, their_values, bounds = [rows], [values], [-math.inf]
            for terms, start, linear_threshold, ratio in self._ratio_searches(threshold):
                if len(found) > 1 and options["tick"]():
                    bounds.append(math.inf)
                    break
                more, more_values, bound, *_ = kernel.subset_search(
                    terms,
                    rules,
                    self.n_open,
                    start,
                    linear_threshold,
                    count,
                    ratio=ratio,
                    max_nodes=steps,
                    **options,
                )
                found.append(more)
                their_values.append(more_values)
                bounds.append(math.inf if bound > -math.inf else bound)
            rows, values, changed = _merged(np.concatenate(found), np.concatenate(their_values), count, rows)
            finished = max(bounds) == -math.inf
            if finished or options["tick"]() or (steps >= max_nodes and not changed):
                return rows, values, -math.inf if finished else self.ceiling
            if not changed:
                steps *= 8

    def _ratio_searches(self, threshold: float) -> Iterator[tuple[Any, float, float, tuple[Any, ...]]]:
        """Terms, start value and cut of linear searches that together see every ratio N / sqrt(D) above ``threshold``.

        For a positive cut c, N**2 > c**2 D. In a window [a, b] of N the square is at most (a + b) N - a b, which is a
        sum over features. For a negative one, N > -|c| sqrt(D), and the root lies below each of its tangents.
        """
        form, linear = self.form, self.form.linear
        open_linear = np.sort(linear[self.features])
        base = math.fsum(linear[self.base].tolist())
        highest = base + math.fsum(open_linear[len(open_linear) - self.n_open :].tolist())
        lowest = base + math.fsum(open_linear[: self.n_open].tolist())
        max_min = math.sqrt(self.size)
        if threshold < SMALL_RATIO:
            threshold = max(threshold, min(lowest, 0.0) / max_min - 1.0)
            middle = self.size + 0.5 * self.size * (self.size - 1) * sum(self._pair_range) / 2
            slope = max(-threshold, 0.0) / (2 * math.sqrt(middle))
            # N + slope * D > cut * sqrt(middle) / 2, and D is the size plus the pairs.
            linear_threshold = min(threshold, 0.0) * math.sqrt(middle) / 2 - slope * self.size
            slack = 1e-14 * (abs(linear_threshold) + self.reach + slope * self.size**2 * self._pair_range[1])
            window = (-math.inf, math.inf)
            subtracted = replace(form, factor=-slope * form.factor)
            yield (*self._terms(subtracted), linear_threshold - slack, self._ratio(window, threshold))
            return
        if highest <= threshold * max_min:
            return
        edges = np.geomspace(threshold * max_min, highest, N_WINDOWS + 1)
        # The ends of the range are rounded; nothing is to fall off.
        edges[0], edges[-1] = edges[0] * (1 - 1e-12), edges[-1] * (1 + 1e-12) + 1e-300
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            scale = (low + high) / threshold**2
            linear_threshold = low * high / threshold**2 + self.size
            slack = 1e-12 * (abs(linear_threshold) + scale * highest)
            terms, start = self._terms(replace(form, linear=scale * linear), open_pairs=self._open_pairs)
            yield terms, start, linear_threshold - slack, self._ratio((low, high), threshold)

    def _ratio(self, window: tuple[float, float], threshold: float) -> tuple[Any, ...]:
        """How the kernel judges complete sets."""
        form, base = self.form, self.base
        below = np.zeros(len(self.features))
        for feature in base.tolist():
            below += form.pairs_of(feature)[self.features]
        upper = math.fsum(form.linear[base].tolist())
        lower = self.size + _of_all_pairs(form.pairs_among(base))
        above = np.ascontiguousarray(form.linear[self.features])
        return above, below, self._open_pairs, (upper, lower), window, threshold

    @property
    def _open_pairs(self) -> Floats:
        """The pair terms of the open features."""
        pairs: Floats = self._plain[0][1]
        return pairs


def _paid(prices: DualPrices, places: Ints) -> Floats:
    """What each set pays, a row of the places of its features."""
    total: Floats = np.sum(prices.features[places], axis=1)
    if prices.pairs is not None:
        total += _of_pairs(prices.pairs, places)
    if prices.clique_cuts is not None:
        total += prices.clique_cuts.reached(places) @ prices.clique_cuts.prices
    return total


def _of_all_pairs(pairs: Floats) -> float:
    """The sum over all pairs of a matrix."""
    return math.fsum(pairs[np.triu_indices(len(pairs), 1)].tolist())


def _of_pairs(pairs: Floats, rows: npt.NDArray[Any], factor: float = 1.0) -> Floats:
    """The sum over all pairs in each row, of numbers times a factor."""
    total = np.zeros(len(rows))
    for i, j in combinations(range(rows.shape[1]), 2):
        total += factor * pairs[rows[:, i], rows[:, j]]
    return total


def _are_among(rows: Ints, sets: Set[FeatureSet]) -> Bools:
    """Whether each row of features is one of the sets."""
    # Sums of random numbers tell most of them apart, and in no time.
    numbers = np.random.default_rng(0).integers(2**62, size=int(np.max(rows, initial=-1)) + 1)
    known = np.array([numbers[list(chosen)].sum() for chosen in sets if chosen[-1] < len(numbers)])
    alike = np.isin(numbers[rows].sum(axis=1), known)
    alike[alike] = [tuple(sorted(row)) in sets for row in rows[alike].tolist()]
    return alike


def _merged(rows: Ints, values: Floats, count: int, before: Ints) -> tuple[Ints, Floats, bool]:
    """The best rows, each once, and whether they are others than before."""
    rows = np.sort(rows, axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    rows, values = rows[first], values[first]
    order = np.argsort(-values, kind="stable")[:count]
    rows, values = rows[order], values[order]
    return rows, values, not np.array_equal(rows, before)


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists one after the other, and where each begins."""
    first = np.zeros(len(lists) + 1, dtype=np.intc)
    if any(lists):
        np.cumsum([len(entries) for entries in lists], out=first[1:])
    return first, np.array([entry for entries in lists for entry in entries], dtype=np.intc)
