"""What all ways to count sets have in common: a family of sets that can be counted, drawn from and gone through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.problem import FeatureSet
from altsets.quality import Quality

__all__ = ["Family", "NoSets", "Threshold", "pair_shares_among", "shares_among"]


@dataclass(frozen=True)
class Threshold:
    """From which quality on a set counts.

    Attributes
    ----------
    quality : Quality
        The user's.
    cutoff : float
        The least quality that counts, with what counts as equal taken off.
    value : float
        The same for values of searches, which are of order one.
    margin : float
        What values of searches may be off by, as sums are rounded: what is closer to the cutoff is evaluated.
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


class Family(Protocol):
    """Sets above a threshold."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The number of sets, at least and at most."""
        ...

    @property
    def n_known(self) -> int | None:
        """The number of sets that shares, draws and rankings are about, if those are not all; they are the best."""
        ...

    @property
    def estimated(self) -> bool:
        """Whether shares are estimates."""
        ...

    def shares(self) -> Floats:
        """How often each feature occurs, as a part of the sets."""
        ...

    def pair_shares(self) -> Floats:
        """How often each pair of features occurs; on the diagonal, each feature."""
        ...

    def always(self) -> Bools:
        """The features in all sets."""
        ...

    def sometimes(self) -> Bools:
        """The features in some sets, or in all."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """So many sets, each drawn from all with the same chance."""
        ...

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""
        ...


@dataclass(frozen=True)
class NoSets:
    """No sets at all, or none that are known: then ``most`` is how many there can be."""

    n_features_in: int
    most: int = 0
    least: int = 0
    estimated: bool = False

    @property
    def bounds(self) -> tuple[int, int]:
        """The number of sets, at least and at most."""
        return self.least, self.most

    @property
    def n_known(self) -> int | None:
        """None is known, if there may be some."""
        return 0 if self.most else None

    def shares(self) -> Floats:
        """Nothing occurs."""
        return np.zeros(self.n_features_in)

    def pair_shares(self) -> Floats:
        """Nothing occurs."""
        return np.zeros((self.n_features_in, self.n_features_in))

    def always(self) -> Bools:
        """There is nothing to be in."""
        return np.zeros(self.n_features_in, dtype=bool)

    def sometimes(self) -> Bools:
        """There is nothing to be in."""
        return np.zeros(self.n_features_in, dtype=bool)

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Nothing can be drawn; the caller refuses."""
        return []

    def ranked(self) -> Iterator[FeatureSet]:
        """Nothing."""
        return iter(())
