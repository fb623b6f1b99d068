"""What makes a set near-best, and families of such sets that can be counted, sampled and enumerated."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.problem import FeatureSet
from altsets.quality import Quality


@dataclass(frozen=True)
class NearBestLimits:
    """Limits of :func:`altsets.near_best`."""

    # --- Meeting in the middle ----------------------------------------------------------------------

    #: Half sets of one size that are listed: a few hundred megabytes. Beyond it, scores are rounded.
    max_half_sets: int = 3_000_000
    #: Sets that are counted even if time is up.
    unchecked_sets: int = 1_000
    #: Sets so close to the threshold that their qualities are computed one by one.
    max_doubtful: int = 50_000

    # --- Rounded scores -----------------------------------------------------------------------------

    #: Steps from the best quality to the threshold in the first table; each further table has twice as many.
    first_steps: int = 256
    #: The largest number of steps, and of additions for one table: some ten seconds.
    max_steps: int = 2**20
    max_additions: float = 1e10
    #: Additions that are made whether or not there is time.
    unchecked_additions: float = 1e7
    #: How far apart the ends of the interval may be, as a part of the lower one.
    precision: float = 0.01
    #: Additions of whole numbers of any length, which take a hundred times as long.
    max_long_additions: float = 5e7
    #: Numbers that are kept to draw sets from: a sixth of a gigabyte.
    max_kept: int = 20_000_000
    #: How many times the true number of sets those may be that are drawn from: the others are drawn in vain.
    max_in_vain: float = 2.0
    #: Sets that are drawn to estimate how often features occur: that is half a per cent off at most, mostly.
    n_draws: int = 10_000
    #: Sets that are drawn at a time, and how many of these times may bring nothing.
    draws_at_a_time: int = 100_000
    max_rounds: int = 200

    # --- Lists --------------------------------------------------------------------------------------

    #: Sets that are listed, and the features of all of them: a gigabyte at its peak.
    max_listed: int = 10_000_000
    max_listed_features: int = 100_000_000
    #: Nodes of a first search for all sets; if it takes longer, the best ones are listed before.
    trial_nodes: int = 500_000
    #: Parts of the way from the best quality to the threshold within which sets are listed before the rest.
    parts: tuple[float, ...] = (1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4)
    #: Sets of almost equal quality that are put in order at a time.
    max_in_order: int = 10_000
    #: Rows of a list that are looked at in one go.
    rows_at_a_time: int = 1_000_000

    # --- Sums under constraints ---------------------------------------------------------------------

    #: Sets without constraints that are drawn to see how many keep to them, and the least share of them that makes it
    #: worth while to draw from these.
    trial_draws: int = 1000
    min_kept: float = 0.02

    # --- Black boxes --------------------------------------------------------------------------------

    #: Sets that a function is asked about.
    max_asked: int = 10_000


#: Default limits.
NEAR_BEST_LIMITS = NearBestLimits()

DEFAULT_WITHIN = 0.01


@dataclass(frozen=True)
class Nearness:
    """What makes a set nearly the best.

    Attributes
    ----------
    within : float or None
        Which part of the best quality it may lack; None if there is a least quality instead.
    min_quality : float or None
        The least quality, if that was asked.
    """

    within: float | None
    min_quality: float | None

    @classmethod
    def of(cls, within: Any, min_quality: Any) -> Nearness:
        """Check what the user gave."""
        part = _number(within)
        if not 0 <= part < math.inf:
            raise InputError(
                f"within={within!r} is not a number of at least 0; 0.01 allows for one per cent."
            )
        if min_quality is None:
            return cls(part, None)
        if part != DEFAULT_WITHIN:
            raise InputError("within and min_quality were both given; give one of them.")
        least = _number(min_quality)
        if not math.isfinite(least):
            raise InputError(f"min_quality={min_quality!r} is not a finite number.")
        return cls(None, least)

    def threshold(self, best: float) -> float:
        """The least quality that counts."""
        if self.within is None:
            assert self.min_quality is not None
            return self.min_quality
        return best - self.within * abs(best)


def _number(value: Any) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return math.nan


@dataclass(frozen=True)
class Threshold:
    """The quality from which on a set counts.

    Attributes
    ----------
    quality : Quality
        The user's.
    cutoff : float
        The least quality that counts, with what counts as equal taken off.
    value : float
        The same in engine units, which are of order one.
    margin : float
        Rounding error of values in engine units: sets closer to the cutoff are evaluated.
    """

    quality: Quality
    cutoff: float
    value: float
    margin: float

    def counts(self, chosen: FeatureSet) -> bool:
        """Whether a set counts, by the definition."""
        return self.quality.evaluate(chosen) >= self.cutoff


def shares_among(sets: Sequence[FeatureSet], n_features_in: int) -> Floats:
    """How often each feature occurs in some sets."""
    total = np.zeros(n_features_in)
    for chosen in sets:
        total[list(chosen)] += 1
    return total / max(len(sets), 1)


def pair_shares_among(sets: Sequence[FeatureSet], n_features_in: int) -> Floats:
    """How often each pair of features occurs in some sets; on the diagonal, each feature."""
    total = np.zeros((n_features_in, n_features_in))
    for chosen in sets:
        total[np.ix_(chosen, chosen)] += 1
    return total / max(len(sets), 1)


class Family(ABC):
    """Sets above a threshold.

    Attributes
    ----------
    bounds : tuple of int
        The number of sets, at least and at most.
    n_known : int or None
        The number of sets that shares, draws and rankings are about, if those are not all; they are the best.
    estimated : bool
        Whether shares are estimates.
    """

    bounds: tuple[int, int]
    n_known: int | None = None
    estimated: bool = False

    @abstractmethod
    def shares(self) -> Floats:
        """The fraction of the sets that has each feature."""

    @abstractmethod
    def pair_shares(self) -> Floats:
        """The fraction of the sets that has each pair of features; on the diagonal, each feature."""

    def always(self) -> Bools:
        """The features in all sets."""
        return np.equal(self.shares(), 1.0)

    def sometimes(self) -> Bools:
        """The features in at least one set."""
        return np.greater(self.shares(), 0.0)

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Sets drawn uniformly, with replacement."""

    @abstractmethod
    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""


class NoSets(Family):
    """No sets at all, or none that are known: then ``most`` is how many there can be."""

    def __init__(self, n_features_in: int, most: int = 0, least: int = 0) -> None:
        self._n, self.bounds, self.n_known = n_features_in, (least, most), 0 if most else None

    def shares(self) -> Floats:
        """All zero."""
        return np.zeros(self._n)

    def pair_shares(self) -> Floats:
        """All zero."""
        return np.zeros((self._n, self._n))

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Nothing; the caller refuses."""
        return []

    def ranked(self) -> Iterator[FeatureSet]:
        """Nothing."""
        return iter(())


@dataclass(frozen=True)
class Counted:
    """The sets that count, and the best one of all with its quality: None and nan if none is known."""

    family: Family
    best_set: FeatureSet | None = None
    best: float = math.nan
