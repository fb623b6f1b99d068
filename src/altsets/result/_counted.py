"""What is known about the sets that are nearly as good as the best one, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from altsets import documents
from altsets.arrays import Bools, Floats
from altsets.errors import UnsupportedError
from altsets.features import FeatureNames
from altsets.problem import FeatureSet
from altsets.result._status import StopReason

#: Features of which there can be a matrix with a number for each pair: a gigabyte.
MOST_PAIRED = 11_000


class KnownSets(Protocol):
    """Sets that can be counted, drawn and ranked; their number is within ``bounds``.

    ``n_known`` is the number of best sets that shares, draws and rankings cover, if not all; if ``estimated``, shares
    come from a sample.
    """

    bounds: tuple[int, int]
    n_known: int | None
    estimated: bool

    def shares(self) -> Floats:
        """The fraction of the sets that has each feature."""

    def pair_shares(self) -> Floats:
        """The fraction of the sets that has each pair of features; on the diagonal, each feature."""

    def always(self) -> Bools:
        """The features in all sets."""

    def sometimes(self) -> Bools:
        """The features in at least one set."""

    def proven(self) -> tuple[Bools, Bools]:
        """The features that are proven to be in all sets, and those in none."""

    def draw(self, n: int, rng: np.random.Generator, /) -> list[FeatureSet]:
        """Sets drawn uniformly, with replacement."""

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets from the best down."""

    def members(self) -> tuple[list[FeatureSet], bool]:
        """All sets if they are few, and whether they are all; else some of them."""

    def quality_of(self, chosen: FeatureSet, /) -> float:
        """The quality of one of the sets."""


@dataclass(frozen=True)
class Estimate(documents.DocumentPart):
    """How many sets count, judged by sets that were drawn at random."""

    n_drawn: int
    #: How many of these count.
    n_counted: int
    #: The number of all sets that count is in this interval, with this confidence.
    interval: tuple[int, int]
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class CountedSets:
    """The sets that count, and what they have in common; :class:`altsets.results.NearBest` documents the fields."""

    family: KnownSets
    parameters: dict[str, Any]
    features: FeatureNames
    feature_scores: Floats | None
    best: float
    best_set: FeatureSet | None
    best_proven: bool
    threshold: float
    estimate: dict[str, Any] | None
    reason: str
    stop_reason: StopReason
    elapsed: float
    noise_floor: Floats | None = None
    #: Searches for the range of some numbers; None if this was read from a document.
    extent: Callable[..., Any] | None = None

    @property
    def count(self) -> int:
        """The number of sets; if it is not exact, the number that there are at least."""
        return self.family.bounds[0]

    @property
    def count_bounds(self) -> tuple[int, int]:
        """Two numbers between which the number of sets is proven to lie."""
        return self.family.bounds

    @property
    def exact(self) -> bool:
        """Whether ``count`` is the exact number."""
        return self.family.bounds[0] == self.family.bounds[1]

    @property
    def n_known(self) -> int | None:
        """The number of best sets that features and frequencies are about; None if they are about all sets.

        There were too many sets to list them all, or there was no time.
        """
        return self.family.n_known

    @property
    def estimated(self) -> bool:
        """Whether frequencies are estimates, from 10,000 sets drawn at random.

        They are off by more than 0.01 in one of twenty cases at most. There are too many sets then to go through them.
        Those for black boxes are from fewer sets, ``estimate["n_counted"]``.
        """
        return self.family.estimated

    @property
    def feature_names(self) -> list[str]:
        """The names of all features."""
        return list(self.features)

    @cached_property
    def frequencies(self) -> Floats:
        """The share of the sets that has each feature, one number for each."""
        return _locked(self.family.shares())

    @cached_property
    def pair_frequencies(self) -> Floats:
        """The share of the sets that has both of two features, a matrix; its diagonal is ``frequencies``."""
        n = len(self.features)
        if n > MOST_PAIRED:
            raise UnsupportedError(
                f"the pairs of {n:,} features are too many for a matrix; give a quality of at most {MOST_PAIRED:,}."
            )
        return _locked(self.family.pair_shares())

    @property
    def cores(self) -> list[str]:
        """The features that are in all sets, by name; of estimates, those for which it is proven."""
        return self._named(self._always)

    @property
    def free(self) -> list[str]:
        """The features that are in some sets and not in others, by name."""
        return self._named(self._sometimes & ~self._always)

    @property
    def always(self) -> list[str]:
        """The features that are proven to be in all sets, by name; ``cores`` may be about the known sets alone."""
        return self._named(self.family.proven()[0]) if self.count_bounds[1] else []

    @property
    def never(self) -> list[str]:
        """The features that are proven to be in none of the sets, by name."""
        return self._named(self.family.proven()[1]) if self.count_bounds[1] else []

    @property
    def sizes(self) -> range:
        """The sizes that sets may have."""
        smallest, largest = self.parameters["sizes"]
        return range(smallest, largest + 1)

    @cached_property
    def _always(self) -> Bools:
        return self.family.always()

    @cached_property
    def _sometimes(self) -> Bools:
        return self.family.sometimes()

    def ordered(self) -> list[int]:
        """The features that occur, the most frequent ones first."""
        occurring = np.flatnonzero(self._sometimes)
        return occurring[np.lexsort((occurring, -self.frequencies[occurring]))].tolist()  # type: ignore[no-any-return]

    def _named(self, chosen: Bools) -> list[str]:
        return self._names_of(np.flatnonzero(chosen).tolist())

    def _names_of(self, indices: Sequence[int]) -> list[str]:
        return [self.features[index] for index in indices]


def _locked(values: Floats) -> Floats:
    values.setflags(write=False)
    return values
