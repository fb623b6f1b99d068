"""One set by a greedy heuristic: the best feature that fits, one by one; then exchanges as long as they help."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.problem import FeatureSet
from altsets.search.subset.budgets import Spending
from altsets.search.subset.encoding import SizeEncoding
from altsets.search.subset.limits import ConstructionLimits
from altsets.search.subset.rounding import EXCHANGE_GAIN
from altsets.search.subset.rules import Cap

__all__ = ["FixedCaps", "GreedySet"]


class FixedCaps:
    """The caps that all sets have to keep to, as rows of members."""

    def __init__(self, encoding: SizeEncoding, caps: Sequence[Cap]) -> None:
        self.members: Bools = np.zeros((len(caps), len(encoding.features)), dtype=bool)
        left, base = [], frozenset(encoding.base.tolist())
        for row, cap in zip(self.members, caps, strict=True):
            positions, taken = encoding.positions_of(cap.group), len(base.intersection(cap.group))
            row[positions[positions >= 0]] = True
            if cap.outside:
                np.logical_not(row, out=row)
                taken = len(base) - taken
            left.append(cap.most - taken)
        self.left = np.array(left, dtype=np.intp)


class GreedySet:
    """One set, grown greedily and improved by exchanges: what may come next, and what it would add.

    Parameters
    ----------
    encoding : SizeEncoding
    fixed : FixedCaps
        The caps that all sets of this size have to keep to.
    caps : sequence of Cap
        Those of this set alone, on small groups.
    limits : ConstructionLimits
    """

    def __init__(
        self, encoding: SizeEncoding, fixed: FixedCaps, caps: Sequence[Cap], limits: ConstructionLimits
    ) -> None:
        self.encoding, self._limits, form = encoding, limits, encoding.form
        self._conflicts, self._linear = form.conflicts, form.linear[encoding.features]
        n = len(self._linear)
        self.taken: list[int] = []
        # The quality so far: the sum over features, over pairs, and the pair terms of each feature with the set.
        self._upper = math.fsum(form.linear[encoding.base].tolist())
        self._lower, self._shared = 0.0, np.zeros(n)
        if form.has_pairs:
            self._lower = float(np.sum(np.triu(form.pairs_among(encoding.base), 1)))
            for feature in encoding.base.tolist():
                self._shared += form.pairs_of(feature)[encoding.features]
        # For each feature, how many caps are full that it counts for, and with how many of the set it has a conflict.
        self._full, self._n_conflicts = np.zeros(n + 1, dtype=np.intp), np.zeros(n, dtype=np.intp)
        self._fixed, self._fixed_left = fixed.members, fixed.left.copy()
        self._full[:n] += fixed.members[fixed.left <= 0].sum(axis=0)
        self._groups, self._left = self._rows_of(caps)
        np.add.at(self._full, self._groups[self._left <= 0].ravel(), 1)
        self._open = np.ones(n, dtype=bool)
        # Whoever has sets can pay for what is in all of them.
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
        return not np.any(self._spending.room < budgets.doubt) or budgets.pays(
            np.array(self.taken, dtype=np.intc)
        )

    @property
    def chosen(self) -> FeatureSet:
        """The features."""
        return tuple(sorted([*self.encoding.base.tolist(), *self.encoding.features[self.taken].tolist()]))

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
        positions = [position for position in self.encoding.positions_of(chosen).tolist() if position >= 0]
        for position in positions:
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
        if not self.encoding.form.ratio:
            return upper - lower
        return upper / np.sqrt(len(self.encoding.base) + len(self.taken) + 1 + lower)

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
        if self.encoding.form.has_pairs:
            self._shared += (
                sign * self.encoding.form.pairs_of(self.encoding.features[position])[self.encoding.features]
            )
        if self._conflicts is not None:
            self._n_conflicts += (
                sign * self._conflicts[self.encoding.features[position]][self.encoding.features]
            )
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

    # --- Exchanging features --------------------------------------------------------------------------

    def exchange(self) -> None:
        """Exchange one feature for another as long as that helps; those that others need stay."""
        looks = (len(self._linear) + self._limits.looks_per_round) * max(len(self.taken), 1)
        needs = {position: self.encoding.needed(position) for position in self.taken}
        tied = {tied for position, needed in needs.items() if needed for tied in (position, *needed)}
        for _ in range(min(self._limits.max_rounds, self._limits.max_looks // looks)):
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
        """The features that need no others."""
        return np.array(
            [not self.encoding.needed(position) for position in range(len(self._linear))], dtype=bool
        )

    @property
    def _value(self) -> float:
        if not self.encoding.form.ratio:
            return self._upper - self._lower
        return self._upper / math.sqrt(self.encoding.size + self._lower)
