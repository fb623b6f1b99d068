"""Count k-subsets by integer loss: dynamic programming over rounded scores, where sets are too many to list.

Every set is the best one after some exchanges, in which each feature that leaves or enters loses something. Losses
rounded down to whole steps give an upper bound on the number of sets within the threshold, rounded up a lower one; they
agree at once if all losses are multiples of one number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet
from altsets.search.near_best.sums import NearBestLimits, Sums, Threshold
from altsets.search.run import Run, Stopped

#: Up to this, floats hold all whole numbers.
EXACT = 2.0**53
#: Beyond this, not even floats hold the number of sets.
LARGEST = 10**300
#: Quotients of losses and steps are off by less, as a part of themselves.
QUOTIENT_ERROR = 1e-15
#: Losses that are closer to multiples of one number count as such, in engine units.
MULTIPLE_ERROR = 1e-13
#: Additions that take as long as rounding and sorting the loss of one feature.
ROUNDING_WORK = 100
#: The smallest such number that is looked for.
SMALLEST_UNIT = 1e-7


@dataclass(frozen=True)
class LossClasses:
    """Features by their losses, ascending: the positions of those with the same loss are a class."""

    losses: Indices
    members: list[Indices]

    @classmethod
    def of(cls, losses: Indices, most: int) -> LossClasses:
        """The features with a loss up to ``most``."""
        order = np.argsort(losses, kind="stable")
        order = order[: int(np.searchsorted(losses[order], most, side="right"))]
        distinct, first = np.unique(losses[order], return_index=True)
        return cls(distinct, np.split(order, first[1:]) if len(order) else [])

    def n_additions(self, n_taken: int, most: int) -> float:
        """The number of additions that :func:`count_subsets` takes."""
        return sum(float(min(len(members), n_taken)) for members in self.members) * n_taken * (most + 1.0)


def count_subsets(
    items: LossClasses,
    n_taken: int,
    most: int,
    check: Callable[[], None],
    *,
    whole: bool = False,
    keep: list[npt.NDArray[Any]] | None = None,
) -> npt.NDArray[Any]:
    """The number of subsets of up to ``n_taken`` features, by size (rows) and total loss up to ``most``."""
    # Counts are floats, or with ``whole`` Python integers. ``keep`` collects the tables before each class and the last.
    ways: npt.NDArray[Any] = np.zeros((n_taken + 1, most + 1), dtype=object if whole else np.float64)
    ways[0, 0] = 1
    n_before = 0
    for loss, members in zip(items.losses.tolist(), items.members, strict=True):
        if keep is not None:
            keep.append(ways.copy())
        n_before += len(members)
        for n in range(min(n_taken, n_before), 0, -1):
            check()
            for more in range(1, min(len(members), n) + 1):
                if more * loss > most:
                    break
                choices = math.comb(len(members), more)
                before = ways[n - more, : most + 1 - more * loss]
                ways[n, more * loss :] += before if choices == 1 else before * choices
    if keep is not None:
        keep.append(ways)
    return ways


def _distinct(n_rows: int, count: int, size: int, rng: np.random.Generator) -> Indices:
    """Rows of ``count`` different numbers below ``size``, drawn uniformly."""
    if size <= 4 * count * count:
        return np.argsort(rng.random((n_rows, size)), axis=1)[:, :count]
    rows = rng.integers(size, size=(n_rows, count))
    while True:
        ordered = np.sort(rows, axis=1)
        # Rare, as there are many numbers; a whole row is drawn again, so that all rows are equally likely.
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return rows
        rows[again] = rng.integers(size, size=(len(again), count))


class SubsetTable:
    """All subsets by size and total loss, to draw from."""

    def __init__(self, items: LossClasses, n_taken: int, most: int) -> None:
        self._items = items
        self._tables: list[Floats] = []
        self.counts: Floats = count_subsets(items, n_taken, most, lambda: None, keep=self._tables)

    def draw(self, n_taken: Indices, losses: Indices, rng: np.random.Generator) -> Indices:
        """For each size and loss one subset drawn uniformly: a row of positions, -1 where it takes fewer."""
        left, rest = n_taken.copy(), losses.copy()
        chosen = np.full((len(left), int(n_taken.max(initial=0))), -1)
        for number in reversed(range(len(self._items.losses))):
            open_ways = np.flatnonzero(left > 0)
            if not len(open_ways):
                break
            taken = self._taken(number, left[open_ways], rest[open_ways], rng)
            members = self._items.members[number]
            alone = open_ways[taken == 1]
            chosen[alone, left[alone] - 1] = members[rng.integers(len(members), size=len(alone))]
            for count in np.unique(taken[taken > 1]).tolist():
                ways = open_ways[taken == count]
                columns = left[ways, None] - 1 - np.arange(count)
                chosen[ways[:, None], columns] = members[_distinct(len(ways), count, len(members), rng)]
            left[open_ways] -= taken
            rest[open_ways] -= taken * int(self._items.losses[number])
        return chosen

    def _taken(self, number: int, left: Indices, rest: Indices, rng: np.random.Generator) -> Indices:
        """How many features of a class are taken, given what is left to take from it and those before."""
        before, after = self._tables[number], self._tables[number + 1]
        loss, size = int(self._items.losses[number]), len(self._items.members[number])
        total = after[left, rest]
        mark = np.minimum(rng.random(len(left)) * total, np.nextafter(total, 0.0))
        reached, taken = before[left, rest], np.zeros(len(left), dtype=np.intp)
        open_rows = np.flatnonzero(mark >= reached)
        for more in range(1, min(size, len(before) - 1) + 1):
            open_rows = open_rows[(left[open_rows] >= more) & (rest[open_rows] >= more * loss)]
            if not len(open_rows):
                break
            taken[open_rows] = more
            ways = before[left[open_rows] - more, rest[open_rows] - more * loss]
            # In the order in which the table was added up, so that the sums are the same to the last digit.
            reached[open_rows] += ways * math.comb(size, more)
            open_rows = open_rows[mark[open_rows] >= reached[open_rows]]
        return taken


@dataclass(frozen=True)
class _Rounded:
    """Losses in whole steps, of features that go and of those that come, and how many steps a set may lose."""

    going: Indices
    coming: Indices
    most: int

    @cached_property
    def items(self) -> tuple[LossClasses, LossClasses]:
        return LossClasses.of(self.going, self.most), LossClasses.of(self.coming, self.most)


class RoundedSums:
    """The sets of one size that count, as far as rounded scores tell: at least and at most ``bounds`` of them."""

    def __init__(self, sums: Sums, threshold: Threshold, limits: NearBestLimits, run: Run) -> None:
        self.sums, self._threshold, self._limits = sums, threshold, limits
        if sums.n_sets > LARGEST:
            raise UnsupportedError(
                f"there are more than 1e300 sets of {len(sums.base) + sums.n_open} out of "
                f"{len(sums.base) + len(sums.features)} features to look at; give a smaller within."
            )
        self._going, self._coming = sums.losses
        self._room = sums.room(threshold)
        self._lattice = self._on_lattice()
        self.bounds = int(self._room >= threshold.margin), sums.n_sets
        worst = math.fsum(sums.scores[len(sums.scores) - sums.n_open :].tolist())
        if self._room >= sums.best - worst + threshold.margin:
            # Every set counts.
            self.bounds = sums.n_sets, sums.n_sets
            return
        # When time is up, the bounds so far hold.
        with suppress(Stopped):
            if self._lattice is not None:
                self._narrow(*self._counted(self._lattice, run.check, exact=True))
            else:
                self._refine(run)

    def _refine(self, run: Run) -> None:
        """Count with ever more steps until the bounds are close together."""
        steps = self._limits.first_steps
        while steps <= self._limits.max_steps:
            work = 0.0
            for down in (True, False):
                rounded = self._rounded(steps, down)
                additions = self._additions(rounded) + ROUNDING_WORK * len(self.sums.features)
                # The first table takes no time in most cases, and says something where time is up.
                quick = steps == self._limits.first_steps and additions <= self._limits.unchecked_additions
                low, high = self._counted(rounded, _unchecked if quick else run.check)
                self._narrow(*((0, high) if down else (low, self.bounds[1])))
                work += additions
            low, high = self.bounds
            if high - low <= self._limits.precision * low or 2 * work > self._limits.max_additions:
                return
            steps *= 2

    def _narrow(self, low: int, high: int) -> None:
        self.bounds = max(self.bounds[0], low), min(self.bounds[1], high)

    def _rounded(self, steps: int, down: bool) -> _Rounded:
        """Losses in steps: too small ones, so that no set is missed, or too large ones, so that none is too many."""
        room = self._room + (self._threshold.margin if down else -self._threshold.margin)
        step = max(room / steps, np.finfo(np.float64).tiny)
        parts = []
        for losses in (self._going, self._coming):
            with np.errstate(over="ignore"):
                quotients = np.minimum(losses / step, 2.0 * steps)
            exact = quotients * (1 - QUOTIENT_ERROR if down else 1 + QUOTIENT_ERROR)
            parts.append((np.floor(exact) if down else np.ceil(exact)).astype(np.intp))
        return _Rounded(parts[0], parts[1], steps if room >= 0 else -1)

    def _on_lattice(self) -> _Rounded | None:
        """Losses in steps that round nothing, if there is such a step and it decides about every set."""
        losses = np.concatenate([self._going, self._coming])
        unit = _common_unit(losses)
        if not unit:
            return None
        multiples = np.rint(losses / unit)
        rounded_off = float(np.max(np.abs(losses - multiples * unit), initial=0.0))
        error = rounded_off * 2 * self.sums.n_open + self._threshold.margin
        low, high = (math.floor((self._room + sign * error) / unit) for sign in (-1, 1))
        if low != high or high > self._limits.max_steps:
            return None
        whole = multiples.astype(np.intp)
        rounded = _Rounded(whole[: len(self._going)], whole[len(self._going) :], high)
        return rounded if self._additions(rounded) <= self._limits.max_additions else None

    @property
    def _n_exchanged(self) -> int:
        """How many features go and come at most."""
        return min(len(self._going), len(self._coming))

    def _additions(self, rounded: _Rounded) -> float:
        return sum(items.n_additions(self._n_exchanged, rounded.most) for items in rounded.items)

    def _counted(self, rounded: _Rounded, check: Callable[[], None], exact: bool = False) -> tuple[int, int]:
        """How many sets lose few enough steps: between these numbers, as floats are rounded. ``exact``: no rounding."""
        if rounded.most < 0:
            return 0, 0
        count = partial(count_subsets, n_taken=self._n_exchanged, most=rounded.most, check=check)
        going, coming = map(count, rounded.items)
        total = float(_total(going, coming))
        if max(total, float(going.max()), float(coming.sum(axis=1).max())) < EXACT:
            return int(total), int(total)
        if exact and self._additions(rounded) <= self._limits.max_long_additions:
            return (int(_total(*(count(items, whole=True) for items in rounded.items))),) * 2
        n_terms = len(self._going) + len(self._coming) + rounded.most + 100
        error = 2.0**-52 * n_terms * (self._n_exchanged + 1)
        return math.floor(total * (1 - error)), math.ceil(total * (1 + error))

    @property
    def n_proposals(self) -> int:
        """The number of sets that are drawn from: all that count, and some that do not."""
        return int(self._draws.n_sets)

    @cached_property
    def _draws(self) -> _Draws:
        """What sets are drawn from: the fewest steps that are precise enough."""
        limits = self._limits
        best = self._rounded(limits.first_steps, down=True)
        if self._lattice is not None and self._kept(self._lattice) <= limits.max_kept:
            best = self._lattice
        else:
            steps, enough = limits.first_steps, limits.max_overdraw * max(self.bounds[0], 1)
            while self._counted(best, _unchecked)[1] > enough:
                steps *= 2
                finer = self._rounded(steps, down=True)
                if self._kept(finer) > limits.max_kept:
                    break
                best = finer
        return _Draws(best, self._n_exchanged)

    def _kept(self, rounded: _Rounded) -> int:
        n_classes = sum(len(items.losses) + 1 for items in rounded.items)
        return n_classes * (self._n_exchanged + 1) * (rounded.most + 1)

    def propose(self, n: int, rng: np.random.Generator) -> list[FeatureSet | None]:
        """Sets that may count, drawn uniformly; None in place of those that do not."""
        going, coming = self._draws.draw(n, rng)
        sums, threshold = self.sums, self._threshold
        rows = np.tile(np.arange(sums.n_open), (n, 1))
        exchanged = np.nonzero(going >= 0)
        rows[exchanged[0], going[exchanged]] = sums.n_open + coming[exchanged]
        values = sums.start + sums.scores[rows].sum(axis=1)
        found: list[FeatureSet | None] = [None] * n
        for number in np.flatnonzero(values >= threshold.value - threshold.margin).tolist():
            chosen = sums.set_of(rows[number])
            if values[number] >= threshold.value + threshold.margin or threshold.counts(chosen):
                found[number] = chosen
        return found


class _Draws:
    """Exchanges within rounded losses, to draw from."""

    def __init__(self, rounded: _Rounded, n_exchanged: int) -> None:
        self._most = rounded.most
        self._going, self._coming = (SubsetTable(items, n_exchanged, rounded.most) for items in rounded.items)
        self._within = np.cumsum(self._coming.counts, axis=1)
        self._weights = self._going.counts * self._within[:, ::-1]
        self.n_sets = math.fsum(self._weights.ravel().tolist())

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Exchanges drawn uniformly: which features go, and which come, as rows of positions."""
        until = np.cumsum(self._weights.ravel())
        marks = np.minimum(rng.random(n) * until[-1], np.nextafter(until[-1], 0.0))
        counts, lost = np.divmod(np.searchsorted(until, marks, side="right"), self._most + 1)
        losing = np.zeros(n, dtype=np.intp)
        for count in np.unique(counts).tolist():
            some = np.flatnonzero(counts == count)
            ends = self._within[count][self._most - lost[some]]
            marks = np.minimum(rng.random(len(some)) * ends, np.nextafter(ends, 0.0))
            losing[some] = np.searchsorted(self._within[count], marks, side="right")
        return self._going.draw(counts, lost, rng), self._coming.draw(counts, losing, rng)


def _unchecked() -> None:
    """There is time for this."""


def _total(going: np.ndarray, coming: np.ndarray) -> float | int:
    """How many exchanges lose no more than there are steps: as many features come as go."""
    within = np.cumsum(coming, axis=1)[:, ::-1]
    return (going * within).sum()  # type: ignore[no-any-return]


def _common_unit(losses: Floats) -> float:
    """The largest number of which all losses are multiples, as far as rounding allows to tell; 0 if there is none."""
    unit = 0.0
    distinct: list[float] = np.unique(losses).tolist()
    for loss in distinct:
        small, large = min(unit, loss), max(unit, loss)
        while small > SMALLEST_UNIT:
            small, large = large % small, small
            # What is nearly a multiple from below leaves nearly everything.
            small = min(small, large - small)
        if small > MULTIPLE_ERROR:
            return 0.0
        unit = large
    if unit < SMALLEST_UNIT:
        return 1.0
    multiples = np.rint(losses / unit)
    unit = float(losses @ multiples) / max(float(multiples @ multiples), 1.0) or unit
    return unit if bool((np.abs(losses - multiples * unit) < MULTIPLE_ERROR).all()) else 0.0
