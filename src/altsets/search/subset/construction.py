"""Valid sets in no time: features are added one by one, the best that fits, and exchanged as long as that helps.

This proves nothing. It is what a search falls back on that has to stop before it has found all sets, and what a search
among many features begins with.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.constraints import Size
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.engine import Answer
from altsets.search.run import Run
from altsets.search.subset.pricing import FixedSizeOracle, PricingOracle
from altsets.search.subset.rules import Cap, differing
from altsets.search.tolerances import PROVEN

__all__ = ["Construction", "completed", "of_one_size"]


#: Seconds for what is left to do when time is up.
GRACE = 0.12
#: Features that are looked at for all sets, in so little time that it does not matter.
LITTLE_WORK = 50_000
#: Sizes that are tried where sizes are open.
MOST_SIZES = 5
#: Rounds of exchanges; and features that are looked at in all of them, where each round has some work of its own.
MOST_ROUNDS, MOST_LOOKS, LOOKS_PER_ROUND = 30, 4_000_000, 5_000
#: Steps of a search for any set at all, where adding the best features leads nowhere.
MAX_NODES = 2_000


class Construction:
    """Constructs sets under all rules for one set, and for two.

    Parameters
    ----------
    pricing : PricingOracle
        The sets that a problem allows.
    run : Run
        When it is stopped, there is still a little time, as this is what sets come from then.
    """

    def __init__(self, pricing: PricingOracle, run: Run) -> None:
        self.pricing, self.problem, self.run = pricing, pricing.problem, run
        self._last = math.inf
        self._fixed = {sets.size: _FixedCaps(sets, sets.rules.caps) for sets in self._sizes}

    @cached_property
    def _sizes(self) -> list[FixedSizeOracle]:
        """A few sizes, from the largest to the smallest."""
        sizes = self.pricing.sizes[::-1]
        places = np.unique(np.linspace(0, len(sizes) - 1, min(MOST_SIZES, len(sizes))).astype(int))
        return [sizes[place] for place in places.tolist()]

    @property
    def ceiling(self) -> float:
        """No set is better."""
        return self.pricing.ceiling

    @property
    def over(self) -> bool:
        """Whether there is no time for a set; for few small ones there always is, however slow the machine."""
        return self.late and (self.run.error is not None or not self._is_little)

    @cached_property
    def _is_little(self) -> bool:
        problem = self.problem
        work = problem.n_sets * problem.k_max * len(self.pricing.features)
        return work <= LITTLE_WORK and not callable(problem.dissimilarity)

    @property
    def late(self) -> bool:
        """Whether time is up, and the little that there is after that as well."""
        if self.run.error is not None:
            return True
        if not self.run.stopped:
            return False
        if self.run.is_part:
            # Whoever it is a part of has time of its own.
            return True
        now = time.perf_counter()
        # Counted from when it was first seen, as searches may be late to notice.
        self._last = min(self._last, now + GRACE)
        return now >= self._last

    def all(self, before: Sequence[FeatureSet] = ()) -> list[FeatureSet]:
        """As many sets as asked, or as many as can be constructed; ``before`` are the first ones, which stay."""
        sets = list(before)
        # When time is short, all sets come first, and better ones after that.
        hurried = self.run.stopped
        while len(sets) < self.problem.n_sets:
            one = self.one(sets, exchanging=not hurried)
            if one is None:
                break
            sets.append(one)
        for number in range(len(before), len(sets)):
            if not self.late:
                sets[number] = self.improved(sets[number], [*sets[:number], *sets[number + 1 :]])
        return sets

    def one(self, others: Sequence[FeatureSet] = (), *, exchanging: bool = True) -> FeatureSet | None:
        """A good set that differs enough from others and from the existing sets; None if that fails."""
        best, best_value = None, -math.inf
        for sets in self._sizes:
            if self.over:
                break
            growing = _Growing(sets, self._fixed[sets.size], self._caps(sets, others))
            if growing.grow(lambda: self.over) and exchanging:
                growing.exchange()
            chosen = growing.chosen if growing.complete and growing.affordable else None
            if chosen is not None and not self._accepted(chosen, others):
                chosen = None
            if chosen is None and not self.over:
                chosen = self._further_apart(sets, others) or self._any(sets, others)
            if chosen is not None and self.pricing.quality.evaluate(chosen) > best_value:
                best, best_value = chosen, self.pricing.quality.evaluate(chosen)
        return best

    def improved(self, chosen: FeatureSet, others: Sequence[FeatureSet] = ()) -> FeatureSet:
        """A set after exchanges of single features, no worse and as different from others."""
        for sets in self._sizes:
            if sets.size == len(chosen) and not self.late:
                growing = _Growing(sets, self._fixed[sets.size], self._caps(sets, others))
                if not growing.adopt(chosen):
                    return chosen
                growing.exchange()
                better, evaluate = growing.chosen, self.pricing.quality.evaluate
                better_one = growing.affordable and evaluate(better) > evaluate(chosen)
                if better_one and self._accepted(better, others):
                    return better
        return chosen

    def _caps(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> list[Cap]:
        own = callable(self.problem.dissimilarity)
        return [] if own else differing(self.problem, sets.size, others)

    def _accepted(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> bool:
        """Whether a set is different enough in the user's own view."""
        if not callable(self.problem.dissimilarity):
            return True
        ask = self.run.guarded(self.problem.compatible, otherwise=False)
        return all(not self.late and ask(chosen, other) for other in (*self.problem.existing, *others))

    def _further_apart(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """Sets that share less, in the hope that a user's own dissimilarity finds them more different."""
        if not callable(self.problem.dissimilarity):
            return None
        for most in (sets.size // 2, 0):
            if self.over:
                break
            caps = [Cap(other, most) for other in (*self.problem.existing, *others)]
            growing = _Growing(sets, self._fixed[sets.size], caps)
            if (
                growing.grow(lambda: self.over)
                and growing.affordable
                and self._accepted(growing.chosen, others)
            ):
                return growing.chosen
        return None

    def _any(self, sets: FixedSizeOracle, others: Sequence[FeatureSet]) -> FeatureSet | None:
        """A set by a short search that knows nothing of pair terms, and so is fast."""
        own = callable(self.problem.dissimilarity)

        def accept(row: Ints) -> bool:
            return self._accepted(tuple(sorted(sets.with_base(row[None, :])[0].tolist())), others)

        accepting = self.run.guarded(accept, otherwise=False) if own else None
        rows = sets.any_of(self._caps(sets, others), MAX_NODES, accepting, lambda: self.over)
        return tuple(sorted(rows[0].tolist())) if len(rows) else None


def completed(
    answer: Answer,
    construction: Callable[[], Construction],
    at_hand: Callable[[], Sequence[FeatureSet]] = lambda: (),
) -> Answer:
    """The answer of a simultaneous search; if it had to stop before it had sets, with those that can be constructed.

    Those at hand, if there are any, are taken first.
    """
    if answer.sets or answer.statuses[0] is not Status.NOT_FOUND:
        return answer
    source = construction()
    problem, evaluate = source.problem, source.pricing.quality.evaluate
    sets = list(at_hand()) or source.all()
    bound = min(answer.bound, problem.objective([source.ceiling] * problem.n_sets))
    if len(sets) < problem.n_sets:
        return replace(answer, bound=bound)
    objective = problem.objective([evaluate(chosen) for chosen in sets])
    status = Status.OPTIMAL if bound - objective <= PROVEN else Status.FEASIBLE
    return replace(answer, sets=sets, statuses=[status] * problem.n_sets, bound=max(bound, objective))


def of_one_size(quality: Quality, problem: Problem, run: Run) -> tuple[list[FeatureSet], float]:
    """All sets, each of the same size, where there is no time to look at every size; and a bound on every set.

    No sets if that fails.
    """
    # In an engine's units no number is larger than one.
    sets, ceiling = [], float(problem.k_max + problem.k_max**2)
    apart = max(problem.n_features_in // problem.n_sets, 1)
    for size in sorted({min(max(apart, problem.k_min), problem.k_max), problem.k_min}, reverse=True):
        narrowed = replace(problem, constraints=(*problem.constraints, Size(size, size)))
        pricing = PricingOracle(quality, narrowed, run)
        if problem.fixed_size and pricing.sizes:
            ceiling = min(ceiling, pricing.ceiling)
        sets = Construction(pricing, run).all()
        if len(sets) == problem.n_sets:
            return sets, ceiling
    return [], ceiling


class _FixedCaps:
    """The caps that all sets have to keep to, as rows of members."""

    def __init__(self, sets: FixedSizeOracle, caps: Sequence[Cap]) -> None:
        self.members: Bools = np.zeros((len(caps), len(sets.features)), dtype=bool)
        left, base = [], frozenset(sets.base.tolist())
        for row, cap in zip(self.members, caps, strict=True):
            positions, taken = sets.positions_of(cap.group), len(base.intersection(cap.group))
            row[positions[positions >= 0]] = True
            if cap.outside:
                np.logical_not(row, out=row)
                taken = len(base) - taken
            left.append(cap.most - taken)
        self.left = np.array(left, dtype=np.intp)


class _Growing:
    """One set on its way, with everything that says which feature may come next, and what it would add."""

    def __init__(self, sets: FixedSizeOracle, fixed: _FixedCaps, caps: Sequence[Cap]) -> None:
        self.sets, form = sets, sets.form
        self._conflicts, self._linear = form.conflicts, form.linear[sets.features]
        n = len(self._linear)
        self.taken: list[int] = []
        # What the set is worth so far: the sum over features, over pairs, and what each feature shares with it.
        self._upper = math.fsum(form.linear[sets.base].tolist())
        self._lower, self._shared = 0.0, np.zeros(n)
        if form.has_pairs:
            self._lower = float(np.sum(np.triu(form.pairs_among(sets.base), 1)))
            for feature in sets.base.tolist():
                self._shared += form.pairs_of(feature)[sets.features]
        # For each feature, how many caps are full that it counts for; and how many that are in it exclude it.
        self._full, self._clashes = np.zeros(n + 1, dtype=np.intp), np.zeros(n, dtype=np.intp)
        self._fixed, self._fixed_left = fixed.members, fixed.left.copy()
        self._full[:n] += fixed.members[fixed.left <= 0].sum(axis=0)
        self._groups, self._left = self._rows_of(caps)
        np.add.at(self._full, self._groups[self._left <= 0].ravel(), 1)
        self._open = np.ones(n, dtype=bool)
        # Whoever has sets can pay for what is in all of them.
        assert sets.budgets is not None
        self._costs, self._room = sets.budgets.costs, sets.budgets.room.copy()

    def _rows_of(self, caps: Sequence[Cap]) -> tuple[Indices, Indices]:
        """Caps on small groups as rows of positions, filled up with one that no feature has."""
        n, base = len(self._linear), frozenset(self.sets.base.tolist())
        groups = np.full((len(caps), max((len(cap.group) for cap in caps), default=0)), n, dtype=np.intp)
        left = np.zeros(len(caps), dtype=np.intp)
        for number, cap in enumerate(caps):
            groups[number, : len(cap.group)] = self.sets.positions_of(cap.group)
            left[number] = cap.most - len(base.intersection(cap.group))
        groups[groups < 0] = n
        return groups, left

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return len(self.taken) == self.sets.n_open

    @property
    def affordable(self) -> bool:
        """Whether the set keeps to its budgets, also where costs were rounded."""
        budgets = self.sets.budgets
        assert budgets is not None
        return not np.any(self._room < budgets.doubt) or budgets.pays(np.array(self.taken, dtype=np.intc))

    @property
    def chosen(self) -> FeatureSet:
        """The features."""
        return tuple(sorted([*self.sets.base.tolist(), *self.sets.features[self.taken].tolist()]))

    # --- Adding features ------------------------------------------------------------------------------

    def grow(self, over: Callable[[], bool]) -> bool:
        """Add the best features one by one; false if nothing fits any more, or there is no time."""
        if np.any(self._left < 0) or np.any(self._fixed_left < 0):
            return False
        while not self.complete:
            fitting = np.flatnonzero(self._fitting())
            if not len(fitting) or over():
                return False
            best = int(fitting[np.argmax(self._values(fitting))])
            for position in (*self._missing(best), best):
                if not self._fits(position):
                    # What it needs does not go with the rest.
                    self._open[best] = False
                    break
                self._take(position)
        return True

    def adopt(self, chosen: FeatureSet) -> bool:
        """Take these features; false if that is not possible."""
        positions = [position for position in self.sets.positions_of(chosen).tolist() if position >= 0]
        for position in positions:
            self._take(position)
        return self.complete

    def _fits(self, position: int) -> bool:
        blocked = self._full[position] or self._clashes[position] or not self._open[position]
        return not (blocked or self.complete or np.any(self._costs[:, position] > self._room))

    def _missing(self, position: int) -> list[int]:
        """The features that a feature needs and that are not there yet."""
        return [needed for needed in self.sets.needed(position) if needed not in self.taken]

    def _fitting(self) -> Bools:
        """The features that may come next, such that there is money left for the rest."""
        fitting: Bools = self._open & (self._full[:-1] == 0) & (self._clashes == 0)
        rest = self.sets.n_open - len(self.taken) - 1
        for costs, room in zip(self._costs, self._room, strict=True):
            cheap = np.sort(costs[fitting])[:rest]
            fitting &= costs <= room - math.fsum(cheap.tolist())
        if self.sets.rules.needs:
            for position in np.flatnonzero(fitting).tolist():
                fitting[position] = len(self._missing(position)) <= rest
        return fitting

    def _values(self, positions: Indices) -> Floats:
        """What the set would be worth with each of these features."""
        upper, lower = self._upper + self._linear[positions], self._lower + self._shared[positions]
        if not self.sets.form.ratio:
            return upper - lower
        return upper / np.sqrt(len(self.sets.base) + len(self.taken) + 1 + lower)

    def _take(self, position: int, sign: int = 1) -> None:
        """Count a feature in, or out again."""
        if sign > 0:
            self.taken.append(position)
        else:
            self.taken.remove(position)
            self._lower -= self._shared[position]
        self._open[position] = sign < 0
        self._upper += sign * float(self._linear[position])
        if sign > 0:
            self._lower += self._shared[position]
        if self.sets.form.has_pairs:
            self._shared += sign * self.sets.form.pairs_of(self.sets.features[position])[self.sets.features]
        if self._conflicts is not None:
            self._clashes += sign * self._conflicts[self.sets.features[position]][self.sets.features]
        self._room -= sign * self._costs[:, position]
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

    # --- Exchanging features --------------------------------------------------------------------------

    def exchange(self) -> None:
        """Exchange one feature for another as long as that helps; those that others need stay."""
        looks = (len(self._linear) + LOOKS_PER_ROUND) * max(len(self.taken), 1)
        needs = {position: self.sets.needed(position) for position in self.taken}
        tied = {tied for position, needed in needs.items() if needed for tied in (position, *needed)}
        for _ in range(min(MOST_ROUNDS, MOST_LOOKS // looks)):
            loose = [position for position in self.taken if position not in tied]
            if not any([self._exchanged(position) for position in loose]):
                return

    def _exchanged(self, position: int) -> bool:
        """Whether another feature is better in the place of this one."""
        before = self._worth
        self._take(position, -1)
        fitting = self._fitting()
        if self.sets.rules.needs:
            fitting &= self._needless
        new = np.flatnonzero(fitting)
        best = int(new[np.argmax(self._values(new))]) if len(new) else position
        self._take(best)
        if best == position or self._worth > before + 1e-12 * abs(before):
            return best != position
        self._take(best, -1)
        self._take(position)
        return False

    @cached_property
    def _needless(self) -> Bools:
        """The features that need no others."""
        return np.array([not self.sets.needed(position) for position in range(len(self._linear))], dtype=bool)

    @property
    def _worth(self) -> float:
        if not self.sets.form.ratio:
            return self._upper - self._lower
        return self._upper / math.sqrt(self.sets.size + self._lower)
