"""Valid sets without proof: add the best feature that fits, one by one, and exchange features as long as that helps.

A search that must stop before it has found all sets falls back on it, and one among many features starts with it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints import Constraint, Size
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.engine import PROVEN, Answer
from altsets.search.run import Run
from altsets.search.subset.candidates import EXCHANGE_GAIN
from altsets.search.subset.encoding import SizeEncoding
from altsets.search.subset.fixed_size import FixedSizeOracle
from altsets.search.subset.polynomials import spread_sets
from altsets.search.subset.pricing import PricingOracle
from altsets.search.subset.rules import Cap, Spending, differing

#: Seconds for better sets when time is up. Sets at all may take as long as time is up, and at most so long.
GRACE, MOST_GRACE = 0.15, 5.0
#: Features looked at for all sets together: up to these it takes so little time that it is always done.
LITTLE_WORK = 300_000
#: Features that take as long to look at as one more set to differ from.
FEATURES_PER_SET = 10
#: Sizes that are tried where sizes are open.
MAX_SIZES = 5
#: Rounds of exchanges for one set, features looked at in all of them, and what a round counts for besides these.
MAX_ROUNDS, MAX_LOOKS, LOOKS_PER_ROUND = 30, 4_000_000, 5_000
#: Nodes of a search for any set at all, where adding the best features leads nowhere.
MAX_NODES = 2_000


class FixedCaps:
    """The caps that all sets of one size have to keep to, as rows of members."""

    def __init__(self, encoding: SizeEncoding) -> None:
        caps, base = encoding.rules.caps, frozenset(encoding.base.tolist())
        self.members: Bools = np.zeros((len(caps), len(encoding.features)), dtype=bool)
        self.left = np.zeros(len(caps), dtype=np.intp)
        for number, cap in enumerate(caps):
            inside, self.left[number] = cap.open_part(encoding.place, base)
            self.members[number, inside] = True


class GreedySet:
    """One set, grown greedily and improved by exchanges; ``fixed`` caps hold for all sets of its size."""

    def __init__(self, encoding: SizeEncoding, fixed: FixedCaps, caps: Sequence[Cap]) -> None:
        self.encoding, form = encoding, encoding.form
        self._conflicts, self._linear = form.conflicts, form.linear[encoding.features]
        n = len(self._linear)
        self.taken: list[int] = []
        # The quality so far: the sum over features, over pairs, and the pair terms of each feature with the set.
        self._upper = math.fsum(form.linear[encoding.base].tolist())
        self._lower, self._shared = 0.0, np.zeros(n)
        if form.has_pairs:
            self._lower = float(np.sum(np.triu(form.pairs_among(encoding.base), 1)))
            for feature in encoding.base.tolist():
                self._shared += form.pairs_between(feature, encoding.features)
        # For each feature, how many caps are full that it counts for, and with how many of the set it has a conflict.
        self._full, self._n_conflicts = np.zeros(n + 1, dtype=np.intp), np.zeros(n, dtype=np.intp)
        self._fixed, self._fixed_left = fixed.members, fixed.left.copy()
        self._full[:n] += fixed.members[fixed.left <= 0].sum(axis=0)
        self._groups, self._left = self._rows_of(caps)
        np.add.at(self._full, self._groups[self._left <= 0].ravel(), 1)
        self._open = np.ones(n, dtype=bool)
        assert encoding.budgets is not None
        self._spending = Spending(encoding.budgets)

    def _rows_of(self, caps: Sequence[Cap]) -> tuple[Indices, Indices]:
        """Caps on small groups as rows of positions, filled up with one that no feature has."""
        n, base = len(self._linear), frozenset(self.encoding.base.tolist())
        groups = np.full((len(caps), max((len(cap.group) for cap in caps), default=0)), n, dtype=np.intp)
        left = np.zeros(len(caps), dtype=np.intp)
        for number, cap in enumerate(caps):
            groups[number, : len(cap.group)] = self.encoding.positions_of(cap.group)
            left[number] = cap.most - len(base.intersection(cap.group))
        groups[groups < 0] = n
        return groups, left

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return len(self.taken) == self.encoding.n_open

    @property
    def affordable(self) -> bool:
        """Whether the set keeps to its budgets, also where costs were rounded."""
        budgets = self.encoding.budgets
        assert budgets is not None
        in_doubt = np.any(self._spending.room < budgets.doubt)
        return not in_doubt or budgets.pays(np.array(self.taken, dtype=np.intc))

    @property
    def chosen(self) -> FeatureSet:
        """The features."""
        return tuple(sorted(self._features))

    @property
    def _features(self) -> list[int]:
        return [*self.encoding.base.tolist(), *self.encoding.features[self.taken].tolist()]

    def grow(self, over: Callable[[], bool], *, evenly: bool = False) -> bool:
        """Add the best features one by one; false if nothing fits any more, or there is no time.

        With ``evenly``, none costs more than its share of what is left of a budget, so that the last ones are not
        restricted to the few cheapest.
        """
        if np.any(self._left < 0) or np.any(self._fixed_left < 0):
            return False
        while not self.complete:
            allowed = self._fitting()
            if evenly:
                allowed &= self._spending.shares(self.encoding.n_open - len(self.taken))
            fitting = np.flatnonzero(allowed)
            if not len(fitting) or over():
                return False
            best = int(fitting[np.argmax(self._values(fitting))])
            bundle = (*self._missing(best), best)
            for count, position in enumerate(bundle):
                if not self._fits(position):
                    # What it needs does not go with the rest, and may not be there without it.
                    for taken in bundle[:count]:
                        self._take(taken, -1)
                    self._open[best] = False
                    break
                self._take(position)
        return True

    def adopt(self, chosen: FeatureSet) -> bool:
        """Take these features; false if that is not possible."""
        for position in self.encoding.positions_of(chosen).tolist():
            if position >= 0:
                self._take(position)
        return self.complete

    def _fits(self, position: int) -> bool:
        blocked = self._full[position] or self._n_conflicts[position] or not self._open[position]
        return not (blocked or self.complete or not self._spending.pays_for(position))

    def _missing(self, position: int) -> list[int]:
        """The features that a feature needs and that are not there yet."""
        return [needed for needed in self.encoding.needed(position) if needed not in self.taken]

    def _fitting(self) -> Bools:
        """The features that may come next, such that there is money left for the rest."""
        fitting: Bools = self._open & (self._full[:-1] == 0) & (self._n_conflicts == 0)
        rest = self.encoding.n_open - len(self.taken) - 1
        self._spending.leave(fitting, rest)
        if self.encoding.rules.needs:
            for position in np.flatnonzero(fitting).tolist():
                fitting[position] = len(self._missing(position)) <= rest
        return fitting

    def _values(self, positions: Indices) -> Floats:
        """The quality of the set with each of these features."""
        upper, lower = self._upper + self._linear[positions], self._lower + self._shared[positions]
        form, features = self.encoding.form, self.encoding.features
        if form.fit is not None:
            lower = lower - form.fit.with_each(self._features, features[positions])
        if not form.ratio:
            return upper - lower
        return upper / np.sqrt(len(self.encoding.base) + len(self.taken) + 1 + lower)

    def _take(self, position: int, sign: int = 1) -> None:
        """Count a feature in, or out again."""
        if sign > 0:
            self.taken.append(position)
        else:
            self.taken.remove(position)
        self._open[position] = sign < 0
        self._upper += sign * float(self._linear[position])
        self._lower += sign * self._shared[position]
        feature, features = self.encoding.features[position], self.encoding.features
        if self.encoding.form.has_pairs:
            self._shared += sign * self.encoding.form.pairs_between(feature, features)
        if self._conflicts is not None:
            self._n_conflicts += sign * self._conflicts[feature][features]
        self._spending.take(position, sign)
        # Those that become full, or are no longer.
        for number in np.flatnonzero((self._groups == position).any(axis=1)).tolist():
            self._left[number] -= sign
            if self._left[number] == (0 if sign > 0 else 1):
                self._full[self._groups[number]] += sign
        inside = self._fixed[:, position]
        self._fixed_left[inside] -= sign
        turned = inside & (self._fixed_left == (0 if sign > 0 else 1))
        if turned.any():
            self._full[:-1] += sign * self._fixed[turned].sum(axis=0)

    def exchange(self) -> None:
        """Exchange one feature for another as long as that helps; those that others need stay."""
        looks = (len(self._linear) + LOOKS_PER_ROUND) * max(len(self.taken), 1)
        needs = {position: self.encoding.needed(position) for position in self.taken}
        tied = {tied for position, needed in needs.items() if needed for tied in (position, *needed)}
        for _ in range(min(MAX_ROUNDS, MAX_LOOKS // looks)):
            loose = [position for position in self.taken if position not in tied]
            if not any([self._exchanged(position) for position in loose]):
                return

    def _exchanged(self, position: int) -> bool:
        """Whether another feature is better in the place of this one."""
        before = self._value
        self._take(position, -1)
        fitting = self._fitting()
        if self.encoding.rules.needs:
            fitting &= self._needless
        new = np.flatnonzero(fitting)
        best = int(new[np.argmax(self._values(new))]) if len(new) else position
        self._take(best)
        if best == position or self._value > before + EXCHANGE_GAIN * abs(before):
            return best != position
        self._take(best, -1)
        self._take(position)
        return False

    @cached_property
    def _needless(self) -> Bools:
        places = range(len(self._linear))
        return np.array([not self.encoding.needed(position) for position in places], dtype=bool)

    @property
    def _value(self) -> float:
        form = self.encoding.form
        if form.fit is not None:
            return self._upper - self._lower + form.fit.of(self._features)
        if not form.ratio:
            return self._upper - self._lower
        return self._upper / math.sqrt(self.encoding.size + self._lower)


class Construction:
    """Constructs sets under all rules for one set, and for two.

    It gets a little extra time when the run is stopped, as this is where sets come from then.
    """

    def __init__(self, pricing: PricingOracle) -> None:
        self.pricing, self.problem, self.run = pricing, pricing.problem, pricing.run
        self._last = self._very_last = math.inf
        self._fixed = {sets.size: FixedCaps(sets.encoding) for sets in self._sizes}

    @property
    def ceiling(self) -> float:
        """No set is better than this."""
        return self.pricing.ceiling

    @cached_property
    def _sizes(self) -> list[FixedSizeOracle]:
        """A few sizes, from the largest to the smallest."""
        sizes = self.pricing.sizes[::-1]
        n_sizes = min(MAX_SIZES, len(sizes))
        places = np.unique(np.linspace(0, len(sizes) - 1, n_sizes).astype(int))
        return [sizes[place] for place in places.tolist()]

    @property
    def over(self) -> bool:
        """Whether there is no time for a set; for few small ones there always is, however slow the machine."""
        if not self.late or self.run.error is not None:
            return self.late
        if self.is_little(self.problem.n_sets):
            return False
        return self.run.is_part or self.run.was_interrupted or time.perf_counter() >= self._very_last

    def is_little(self, n_sets: int) -> bool:
        """Whether so many sets are always made, as carefully as possible, whatever the time."""
        problem = self.problem
        per_feature = len(self.pricing.features) + FEATURES_PER_SET * n_sets
        return n_sets * problem.k_max * per_feature <= LITTLE_WORK and problem.counts_shared

    @property
    def late(self) -> bool:
        """Whether time is up, and the little that there is after that as well."""
        if self.run.error is not None:
            return True
        if not self.run.stopped:
            return False
        if self.run.is_part:
            # The search that it is a part of has time of its own.
            return True
        now = time.perf_counter()
        if self._last == math.inf:
            # Counted from when it was first seen, as searches may be late to notice. Where reading a large request
            # took long, users would rather wait as long again than get nothing.
            self._last = now + GRACE
            self._very_last = now + min(max(GRACE, -self.run.remaining), MOST_GRACE)
        return now >= self._last

    def all(self, before: Sequence[FeatureSet] = ()) -> list[FeatureSet]:
        """As many sets as asked, or as many as can be constructed; ``before`` are the first ones, which stay."""
        sets = list(before)
        # When time is short, all sets come first, and better ones after that.
        hurried = self.run.stopped and not self.is_little(self.problem.n_sets)
        while len(sets) < self.problem.n_sets:
            one = self.one(sets, exchanging=not hurried)
            if one is None:
                sets = self._filled_up(sets, before)
                break
            sets.append(one)
        for number in range(len(before), len(sets)):
            if not self.late:
                sets[number] = self.improved(sets[number], [*sets[:number], *sets[number + 1 :]])
        return sets

    def _filled_up(self, sets: list[FeatureSet], before: Sequence[FeatureSet]) -> list[FeatureSet]:
        """The same with more sets that take no search, or only such sets after those before if that gives more."""
        problem, best = self.problem, sets
        if problem.is_plain and problem.counts_shared and not self.pricing.quality.pairs_on_demand:
            for known in (sets, list(before)):
                for size in self._sizes:
                    every = known + spread_sets(size, problem, [*problem.existing, *known])
                    best = max(best, every[: problem.n_sets], key=len)
        return best

    def one(self, others: Sequence[FeatureSet] = (), *, exchanging: bool = True) -> FeatureSet | None:
        """A good set that differs enough from others and from the existing sets; None if that fails."""
        best, best_value = None, -math.inf
        # For a first set there is more often time than for all of them.
        needed = not others and self.is_little(1)
        for sets in self._sizes:
            if self.over and (best is not None or not needed):
                break
            chosen = self._grown(sets, others, lambda: self.over and not needed, exchanging)
            if chosen is None and not self.over:
                chosen = self._further_apart(sets, others) or self._any(sets, others)
            if chosen is not None and self.pricing.quality.evaluate(chosen) > best_value:
                best, best_value = chosen, self.pricing.quality.evaluate(chosen)
        return best

    def _grown(
        self, sets: FixedSizeOracle, others: Sequence[FeatureSet], over: Callable[[], bool], exchanging: bool
    ) -> FeatureSet | None:
        """A set of the best features that fit or, if these spend too much too early, of some that cost less."""
        caps = differing(self.problem, sets.size, others)
        for evenly in (False, True) if sets.encoding.rules.budgets else (False,):
            growing = self._empty(sets, caps)
            # What is in every set may be too much already, though nothing is missing.
            is_whole = growing.grow(over, evenly=evenly)
            if is_whole and exchanging and not self.over:
                growing.exchange()
            if is_whole and growing.affordable and self._accepted(growing.chosen, others):
                return growing.chosen
        return None

    def improved(self, chosen: FeatureSet, others: Sequence[FeatureSet] = ()) -> FeatureSet:
        """A set after exchanges of single features, no worse and as different from others."""
        for sets in self._sizes:
            if sets.size == len(chosen) and not self.late:
                growing = self._empty(sets, differing(self.problem, sets.size, others))
                if not growing.adopt(chosen):
                    return chosen
                growing.exchange()
                better, evaluate = growing.chosen, self.pricing.quality.evaluate
                better_one = growing.affordable and evaluate(better) > evaluate(chosen)
                if better_one and self._accepted(better, others):
                    return better
        return chosen

    def _empty(self, sets: FixedSizeOracle, caps: Sequence[Cap]) -> GreedySet:
        """A set to begin with: the features that are in every set."""
        return GreedySet(sets.encoding, self._fixed[sets.size], caps)

    def _accepted(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> bool:
        """Whether a set passes all checks, and is different enough where what is shared does not tell."""
        if self.problem.rules.are_asked and not all(map(self._passes(chosen), self.problem.constraints)):
            return False
        if self.problem.counts_shared:
            return True
        ask = self.run.guarded(self.problem.compatible)
        return all(not self.over and ask(chosen, other) for other in (*self.problem.existing, *others))

    def _passes(self, chosen: FeatureSet) -> Callable[[Constraint], bool]:
        return self.run.guarded(lambda constraint: not constraint.is_asked or constraint.holds(chosen))

    def _further_apart(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """Sets that share less, in the hope that another dissimilarity finds them more different, too."""
        if self.problem.counts_shared:
            return None
        for most in (sets.size // 2, 0):
            if self.over:
                break
            caps = [Cap(other, most) for other in (*self.problem.existing, *others)]
            growing = self._empty(sets, caps)
            is_whole = growing.grow(lambda: self.over) and growing.affordable
            if is_whole and self._accepted(growing.chosen, others):
                return growing.chosen
        return None

    def _any(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """A set by a short search that knows nothing of pair terms, and so is fast."""

        def accept(row: Ints) -> bool:
            return self._accepted(sets.encoding.set_of(row), others)

        conditions = self.pricing.differing(sets, others)._replace(
            tick=lambda: self.over, max_nodes=MAX_NODES
        )
        if self.problem.rules.are_asked or not self.problem.counts_shared:
            conditions = conditions._replace(accept=self.run.guarded(accept))
        rows = sets.any_of(conditions)
        return tuple(sorted(rows[0].tolist())) if len(rows) else None


def completed(
    answer: Answer,
    construction: Callable[[], Construction],
    at_hand: Callable[[], Sequence[FeatureSet]] = lambda: (),
) -> Answer:
    """The answer of a simultaneous search that had to stop before it had sets, with those at hand or constructed."""
    if answer.sets or answer.statuses[0] is not Status.NOT_FOUND:
        return answer
    source = construction()
    problem, evaluate = source.problem, source.pricing.quality.evaluate
    sets = list(at_hand()) or source.all()
    bound = min(answer.bound, problem.objective([source.pricing.ceiling] * problem.n_sets))
    if bound == -math.inf:
        return Answer.infeasible(problem, "no set keeps to the constraints")
    if len(sets) < problem.n_sets:
        return replace(answer, bound=bound)
    objective = problem.objective([evaluate(chosen) for chosen in sets])
    status = Status.OPTIMAL if bound - objective <= PROVEN else Status.FEASIBLE
    return replace(answer, sets=sets, statuses=[status] * problem.n_sets, bound=max(bound, objective))


def of_one_size(quality: Quality, problem: Problem, run: Run) -> tuple[list[FeatureSet], float]:
    """Sets of one size where there is no time to look at every size, all or as many as there are in sequential search.

    The second value is a bound on every set.
    """
    # In an engine's units no number is larger than one.
    most: list[FeatureSet] = []
    ceiling = float(problem.k_max + problem.k_max**2)
    apart = max(problem.n_features_in // problem.n_sets, 1)
    for size in sorted({min(max(apart, problem.k_min), problem.k_max), problem.k_min}, reverse=True):
        narrowed = replace(problem, constraints=(*problem.constraints, Size(size, size)))
        pricing = PricingOracle(quality, narrowed, run)
        if problem.fixed_size and pricing.sizes:
            ceiling = min(ceiling, pricing.ceiling)
        sets = Construction(pricing).all()
        if len(sets) == problem.n_sets:
            return sets, ceiling
        most = max(most, sets, key=len)
    return most if problem.search == "sequential" else [], ceiling
