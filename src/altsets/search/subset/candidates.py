"""Candidate features, and the numbers that a quality has for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality

#: Where all numbers are zero a tolerance must still be positive.
SMALLEST_TOLERANCE = 1e-300

#: Of the largest quality that a set can have: two sums of its terms in different orders differ by less.
QUALITY_ERROR = 8e-16

#: Of the largest score, for each feature of a set and a few operations: the same for sums of scores alone.
SCORE_ERROR = 4e-16

#: Of the sum of absolute values, for a sum that is rounded once and a few operations after it.
PER_TERM_ERROR = 1e-15

#: Of the numbers that a linearisation adds up, for each of a set's pairs: scalar products and their tangents.
LINEARISATION_ERROR = 1e-14

#: Of the numbers of a secant: its ends are powers, and it takes differences of large numbers.
SECANT_ERROR = 1e-12

#: Of a set's quality: an exchange that gains less may be undone by the next one, without end.
EXCHANGE_GAIN = 1e-12

#: Above this, squares of numbers are normal numbers, with all their digits.
SMALLEST_SQUARED = 1e-100


def form_of(quality: Quality, problem: Problem, size: int) -> Form:
    """The form of a quality for sets of this size; pairs that constraints rule out are conflicts as well."""
    form = quality.form(size)
    # Of wide tables, conflicts are found out on demand; what reads a form takes these as it takes an array.
    ruled_out: Any = problem.conflicts
    if ruled_out is None:
        return form
    return replace(form, conflicts=ruled_out if form.conflicts is None else form.conflicts | ruled_out)


class Anything(Quality):
    """All sets are equally good, except those that are ruled out."""

    size_normalised = False

    def __init__(self, form: Form) -> None:
        super().__init__(len(form.linear), None)
        self._form = form

    @classmethod
    def among(cls, n_features_in: int) -> Anything:
        """Any features, none ruled out."""
        return cls(Form(np.zeros(n_features_in)))

    def evaluate(self, indices: Sequence[int]) -> float:
        """Nothing depends on it."""
        return 0.0

    def form(self, size: int) -> Form:
        """The same for all sizes."""
        return self._form


@dataclass(frozen=True)
class Candidates:
    """A short list of features, scores descending; engines work with positions in it."""

    indices: Indices
    scores: Floats

    @classmethod
    def of(cls, scores: Floats, features: Indices) -> Candidates:
        """Some features, of equal ones the first first."""
        ordered = features[np.lexsort((features, -scores[features]))]
        return cls(ordered, np.ascontiguousarray(scores[ordered]))

    @classmethod
    def select(cls, scores: Floats, problem: Problem, named: Iterable[int] = ()) -> Candidates:
        """Pre-selection: the best n_sets * k features outside the existing sets, and all inside them or ``named``.

        A feature beyond these can always be exchanged for an unused one that scores as well or better and lies in no
        existing set, without adding to any overlap; so no optimum is lost, whatever the sign of the scores. That holds
        under constraints that only forbid features, which are left out, and others if all features are named that are
        not like those that no set has.
        """
        wanted = problem.n_sets * problem.n_features
        given = {index for existing in problem.existing for index in existing}.union(named)
        inside, elsewhere = sorted(given - problem.forbidden), given | problem.forbidden
        outside = np.arange(len(scores))
        if elsewhere:
            outside = np.delete(outside, sorted(elsewhere))
        outside = best_of(scores, outside, wanted)
        return cls.of(scores, np.concatenate([outside, np.asarray(inside, dtype=np.intp)]).astype(np.intp))

    def __len__(self) -> int:
        return len(self.indices)

    def features(self, positions: Sequence[int] | npt.NDArray[np.integer]) -> FeatureSet:
        """The set of features at these positions."""
        return tuple(sorted(int(self.indices[position]) for position in positions))

    def positions(self, features: Iterable[int]) -> list[int]:
        """Where these features are, in order; those that are no candidates are left out."""
        return sorted(self._places[feature] for feature in features if feature in self._places)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {index: position for position, index in enumerate(self.indices.tolist())}

    def tolerance(self, n_features: int) -> float:
        """Differences in quality up to this are rounding error: sums of k scores, each with its own."""
        return max(SCORE_ERROR * self._largest * (n_features + 4), SMALLEST_TOLERANCE)

    @cached_property
    def _largest(self) -> float:
        return float(np.max(np.abs(self.scores), initial=0.0))

    def difference_tolerance(self, n_features: int) -> float:
        """The same for two qualities that were both summed up: each has an error of its own."""
        return 2 * self.tolerance(n_features)


def best_of(scores: Floats, features: Indices, count: int) -> Indices:
    """The best ``count`` of some features in the order given; of equal ones at the edge, the first."""
    # NumPy's partition orders equal numbers by processor, so it only gives the threshold.
    if count >= len(features):
        return features
    values = scores[features]
    edge = np.partition(values, len(values) - count)[len(values) - count]
    better = values > edge
    equal = np.flatnonzero(values == edge)
    better[equal[: count - int(np.count_nonzero(better))]] = True
    chosen: Indices = features[better]
    return chosen
