"""Families of sets above a threshold, which can be counted, drawn and ranked: listed, sums of scores, or a sample."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaincinv

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.result import Estimate
from altsets.search.near_best.dynamic_programme import RoundedSums
from altsets.search.near_best.sums import HalvedSums, NearBestLimits, Sums, Threshold, best_first, sums_of
from altsets.search.run import Run, Stopped
from altsets.search.subset.listing import Listing

#: How sure intervals are that come from sets drawn at random.
CONFIDENCE = 0.95


class Family(ABC):
    """Sets above a threshold; their number is within ``bounds``.

    ``n_known`` is the number of best sets that shares, draws and rankings cover, if not all; if ``estimated``, shares
    come from a sample.
    """

    n_known: int | None = None
    estimated: bool = False

    def __init__(self, threshold: Threshold, limits: NearBestLimits, bounds: tuple[int, int]) -> None:
        self._threshold, self._limits, self.bounds = threshold, limits, bounds
        self._n = threshold.quality.n_features_in

    def shares(self) -> Floats:
        """The fraction of the sets that has each feature."""
        total = np.zeros(self._n)
        for chosen in self._sample:
            total[list(chosen)] += 1
        return total / max(len(self._sample), 1)

    def pair_shares(self) -> Floats:
        """The fraction of the sets that has each pair of features; on the diagonal, each feature."""
        total = np.zeros((self._n, self._n))
        for chosen in self._sample:
            total[np.ix_(chosen, chosen)] += 1
        return total / max(len(self._sample), 1)

    def always(self) -> Bools:
        """The features in all sets."""
        return np.equal(self.shares(), 1.0)

    def sometimes(self) -> Bools:
        """The features in at least one set."""
        return np.greater(self.shares(), 0.0)

    def proven(self) -> tuple[Bools, Bools]:
        """The features that are proven to be in all sets, and those in none; by default, all that is said is proven."""
        return self.always(), ~self.sometimes()

    def members(self) -> tuple[list[FeatureSet], bool]:
        """All sets if they are few, and whether they are all; else some that were drawn, or those that are known."""
        low, high = self.bounds
        if low == high <= self._limits.n_draws and self.n_known is None:
            return list(self.ranked()), True
        try:
            return ([] if self.n_known == 0 else self._sample), False
        except UnsupportedError:
            # Too few can be drawn.
            return [], False

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, with replacement."""

    @abstractmethod
    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""

    def quality_of(self, chosen: FeatureSet) -> float:
        """The quality of one of the sets."""
        return self._threshold.quality.evaluate(chosen)

    @cached_property
    def _sample(self) -> list[FeatureSet]:
        """The sample behind estimates, always the same."""
        return self.draw(self._limits.n_draws, np.random.default_rng(0))


@dataclass(frozen=True)
class Counted:
    """The sets that count, and the best one of all with its quality: None and nan if none is known."""

    family: Family
    best_set: FeatureSet | None = None
    best: float = math.nan
    #: Whether no set is better.
    proven: bool = False
    #: Where sets were drawn, as there are too many to go through them.
    estimate: Estimate | None = None


class ListedFamily(Family):
    """Sets that have been listed, all of which count: all that do, or if the list is not complete the best of them."""

    def __init__(
        self,
        sets: Listing,
        threshold: Threshold,
        limits: NearBestLimits,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(threshold, limits, (len(sets), len(sets)) if bounds is None else bounds)
        self._sets, self.n_known = sets, None if sets.complete else len(sets)

    def shares(self) -> Floats:
        """How often each feature occurs in the sets that were listed."""
        total = np.zeros(self._n, dtype=np.int64)
        for rows in self._sets.rows:
            for column in rows.T:
                total += np.bincount(column, minlength=self._n)
        return total / max(len(self._sets), 1)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs in them."""
        n, step = self._n, self._limits.rows_at_a_time
        # Over the features that occur: of all there may be many.
        used = np.flatnonzero(self.sometimes())
        place = np.zeros(n, dtype=np.intp)
        place[used] = np.arange(len(used))
        counts = np.zeros(len(used) ** 2, dtype=np.int64)
        for rows in self._sets.rows:
            for start in range(0, len(rows), step):
                columns = place[rows[start : start + step].T]
                for number, first in enumerate(columns):
                    for second in columns[number + 1 :]:
                        counts += np.bincount(first * len(used) + second, minlength=len(counts))
        square = counts.reshape(len(used), len(used))
        total = np.zeros((n, n))
        total[np.ix_(used, used)] = square + square.T
        total /= max(len(self._sets), 1)
        np.fill_diagonal(total, self.shares())
        return total

    def proven(self) -> tuple[Bools, Bools]:
        """The features in all sets and in none; a part of the sets proves nothing."""
        if self.n_known is None:
            return super().proven()
        return np.zeros(self._n, dtype=bool), np.zeros(self._n, dtype=bool)

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Listed sets, drawn uniformly."""
        return [self._sets.set_at(number) for number in rng.integers(len(self._sets), size=n).tolist()]

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets that were listed, from the best down; equal ones in the order of their features."""
        order, ends = self._order
        start = 0
        while start < len(order):
            end = int(ends[np.searchsorted(ends, start, side="right")])
            end = min(end, start + self._limits.max_in_order)
            some = [self._sets.set_at(int(number)) for number in order[start:end]]
            yield from sorted(some, key=lambda chosen: (-self._threshold.quality.evaluate(chosen), chosen))
            start = end

    @cached_property
    def _order(self) -> tuple[Indices, Indices]:
        """The sets by descending value, and where runs of nearly equal values end."""
        # Values are summed in another order than qualities, so nearly equal ones are compared by quality.
        order = np.argsort(-self._sets.values, kind="stable")
        falls = np.diff(self._sets.values[order]) < -self._threshold.margin
        return order, np.append(np.flatnonzero(falls) + 1, len(order))


class SumFamily(Family):
    """Sets whose quality is a sum: by meeting in the middle, or else by dynamic programming."""

    def __init__(self, sums: Sequence[Sums], threshold: Threshold, run: Run, limits: NearBestLimits) -> None:
        near = [some.near(threshold) for some in sums]
        self._sums = [some for some in near if some is not None]
        self._parts = [_count_part(some, threshold, limits, run) for some in self._sums]
        bounds = sum(part.bounds[0] for part in self._parts), sum(part.bounds[1] for part in self._parts)
        super().__init__(threshold, limits, bounds)
        self._halved = [
            part for part in self._parts if isinstance(part, HalvedSums) and part.bounds[0] == part.bounds[1]
        ]
        self.estimated = len(self._halved) < len(self._parts)

    def shares(self) -> Floats:
        """How often each feature occurs."""
        if self.estimated:
            return super().shares()
        total = np.zeros(self._n)
        for part in self._halved:
            total[part.sums.base] += part.bounds[0]
            total[part.sums.features] += part.occurrences()
        return total / max(self.bounds[0], 1)

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs."""
        if self.estimated:
            return super().pair_shares()
        total = np.zeros((self._n, self._n))
        for part in self._halved:
            base, features, pairs = part.sums.base, part.sums.features, part.pair_occurrences()
            total[np.ix_(base, base)] += part.bounds[0]
            total[np.ix_(features, features)] += pairs
            once = np.diagonal(pairs)
            total[np.ix_(base, features)] += once
            total[np.ix_(features, base)] += once[:, None]
        return total / max(self.bounds[0], 1)

    def always(self) -> Bools:
        """The features in all sets."""
        return _features_of(self._sums, self._n)[0] if self.estimated else super().always()

    def sometimes(self) -> Bools:
        """The features in some sets, or in all."""
        return _features_of(self._sums, self._n)[1] if self.estimated else super().sometimes()

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, by rejection: proposed, and kept if they count."""
        proposals = [part.n_proposals for part in self._parts]
        chances = np.array([number / sum(proposals) for number in proposals])
        per_set = max(1.1 * sum(proposals) / max(self.bounds[0], 1), 1.0)
        found: list[FeatureSet] = []
        for _ in range(self._limits.max_rounds):
            wanted = math.ceil(min(per_set * (n - len(found)) + 10, self._limits.draws_at_a_time))
            which = rng.choice(len(chances), size=wanted, p=chances)
            proposed: list[FeatureSet | None] = [None] * wanted
            for number, part in enumerate(self._parts):
                places = np.flatnonzero(which == number).tolist()
                for place, chosen in zip(places, part.propose(len(places), rng), strict=True):
                    proposed[place] = chosen
            found += [chosen for chosen in proposed if chosen is not None]
            if len(found) >= n:
                return found[:n]
        raise UnsupportedError(
            "too few of the sets that can be drawn are good enough; give a larger within, or more time to count them."
        )

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""
        return best_first(self._sums, self._threshold)


def _features_of(sums: Sequence[Sums], n: int) -> tuple[Bools, Bools]:
    """The features that all sets have, and those that some may have."""
    counts, may = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=bool)
    for some in sums:
        counts[some.base] += 1
        may[some.base] = may[some.features] = True
    return np.equal(counts, len(sums)), may


def _count_part(
    sums: Sums, threshold: Threshold, limits: NearBestLimits, run: Run
) -> HalvedSums | RoundedSums:
    # A few sets are counted whether or not there is time.
    check: Callable[[], object] = run.check if sums.n_sets > limits.unchecked_sets else run.tick
    try:
        halved = HalvedSums.of(sums, threshold, limits, check)
    except Stopped:
        halved = None
    return halved or RoundedSums(sums, threshold, limits, run)


class FilteredFamily(Family):
    """The valid sets of a family without constraints; at least ``least`` of them exist."""

    estimated = True

    def __init__(
        self, family: SumFamily, least: int, threshold: Threshold, problem: Problem, limits: NearBestLimits
    ) -> None:
        super().__init__(threshold, limits, (least, max(least, family.bounds[1])))
        self._family, self._problem = family, problem

    @property
    def keeps_enough(self) -> bool:
        """Whether enough of the sets are kept to make drawing them worthwhile."""
        try:
            drawn = self._family.draw(self._limits.trial_draws, np.random.default_rng(0))
        except UnsupportedError:
            return False
        return sum(map(self._kept, drawn)) >= self._limits.min_kept * len(drawn)

    def _kept(self, chosen: FeatureSet) -> bool:
        allowed = all(rule.holds(chosen) for rule in self._problem.constraints)
        return allowed and self._threshold.counts(chosen)

    def always(self) -> Bools:
        """The features that are in all sets, even without constraints."""
        return self._family.always()

    def proven(self) -> tuple[Bools, Bools]:
        """The features in all sets and in none, even without constraints."""
        return self._family.proven()

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, by rejection."""
        found: list[FeatureSet] = []
        per_set = 1.0
        for _ in range(self._limits.max_rounds):
            wanted = math.ceil(min(1.1 * per_set * (n - len(found)) + 10, self._limits.draws_at_a_time))
            kept = [chosen for chosen in self._family.draw(wanted, rng) if self._kept(chosen)]
            found += kept
            if len(found) >= n:
                return found[:n]
            per_set = wanted / max(len(kept), 1)
        raise UnsupportedError("too few sets keep to the constraints to draw so many; draw fewer.")

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""
        return filter(self._kept, self._family.ranked())


class Draws:
    """Valid sets drawn uniformly, with replacement; the same ones every time."""

    def __init__(self, problem: Problem) -> None:
        self.sums = sums_of(Additive(np.zeros(problem.n_features_in)), problem, relaxed=True) or []
        self._n_sets = [some.n_sets for some in self.sums]
        # Rules about several features are left to chance.
        self._rules = () if problem.rules.only_single else problem.constraints
        self._rng = np.random.default_rng(0)
        self._n_proposed = self._n_valid = 0

    def more(self, n_proposed: int) -> list[FeatureSet]:
        """The valid ones of some more sets of the right sizes."""
        total = sum(self._n_sets)
        if not total:
            return []
        places = self._rng.choice(len(self.sums), n_proposed, p=[number / total for number in self._n_sets])
        proposed = [self._one(self.sums[place]) for place in places.tolist()]
        valid = [chosen for chosen in proposed if all(rule.holds(chosen) for rule in self._rules)]
        self._n_proposed, self._n_valid = self._n_proposed + n_proposed, self._n_valid + len(valid)
        return valid

    def _one(self, sums: Sums) -> FeatureSet:
        places = self._rng.choice(len(sums.features), sums.n_open, replace=False, shuffle=False)
        return sums.set_of(places)

    def estimate(self, n_drawn: int, n_counted: int, *, moved: bool) -> Estimate:
        """How many sets count, given how many of the first draws do; ``moved``: they themselves decided what counts."""
        n_sets = sum(self._n_sets)
        # Two intervals are both right if each of them misses half as often.
        error = (1 - CONFIDENCE) / (2 if self._rules else 1)
        low, high = share_interval(n_counted, n_drawn, error, any_threshold=moved)
        if self._rules:
            least, most = share_interval(self._n_valid, self._n_proposed, error)
            low, high = low * least, high * most
        interval = math.floor(low * n_sets), min(math.ceil(high * n_sets), n_sets)
        return Estimate(n_drawn, n_counted, interval)


def share_interval(k: int, n: int, error: float, *, any_threshold: bool = False) -> tuple[float, float]:
    """An interval for a share, of which k of n draws were seen, that misses with a chance of at most ``error``.

    It is that of Clopper and Pearson; where ``any_threshold`` may have been chosen after the draws, that of Dvoretzky,
    Kiefer and Wolfowitz, which is wider, but holds for all thresholds at once.
    """
    if any_threshold:
        width = math.sqrt(math.log(2 / error) / (2 * n))
        return max(k / n - width, 0.0), min(k / n + width, 1.0)
    low = float(betaincinv(k, n - k + 1, error / 2)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - error / 2)) if k < n else 1.0
    return low, high


class SampledFamily(Family):
    """Sets of a black box that has too many: those among sets drawn at random that count, and others that are known.

    ``hits`` are the draws that count, ``known`` all sets that do with their qualities; ``sums`` say which features sets
    of each size have, and may have.
    """

    estimated = True

    def __init__(
        self,
        hits: Sequence[FeatureSet],
        known: dict[FeatureSet, float],
        sums: Sequence[Sums],
        threshold: Threshold,
        limits: NearBestLimits,
        most: int,
    ) -> None:
        super().__init__(threshold, limits, (len(known), most))
        self._hits, self._sums = list(hits), sums
        self._ranked = sorted(known, key=lambda chosen: (-known[chosen], chosen))
        self.n_known = len(known)

    @cached_property
    def _sample(self) -> list[FeatureSet]:
        """The draws that count; if none does, what is known, which is better than nothing."""
        return self._hits or self._ranked

    def always(self) -> Bools:
        """The features that every set must have."""
        return _features_of(self._sums, self._n)[0]

    def sometimes(self) -> Bools:
        """The features of sets that are known."""
        found = np.zeros(self._n, dtype=bool)
        for chosen in self._ranked:
            found[list(chosen)] = True
        return found

    def proven(self) -> tuple[Bools, Bools]:
        """The features that every set must have, and those that none may have."""
        must, may = _features_of(self._sums, self._n)
        return must, ~may

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets from among the draws that count."""
        if not self._hits:
            raise UnsupportedError(
                "none of the sets that were drawn at random counts, so there are none to draw from; give a larger "
                "within, or more time."
            )
        return [self._hits[number] for number in rng.integers(len(self._hits), size=n).tolist()]

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets that are known, from the best down."""
        return iter(self._ranked)
