"""Sets that differ by more than the number of features they share: by what is alike, or by groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np
import numpy.typing as npt

from altsets._kernels import set_comparison as kernel
from altsets.arrays import Floats, Indices, Ints
from altsets.dissimilarity import Grouped, Matched
from altsets.problem import EXACT_TOLERANCE, FeatureSet, Problem

#: Which candidates may be added to the chosen features, all by position, with so many still to come.
Fitting = Callable[[Ints, Ints, int], npt.NDArray[np.uint8]]
#: Which of some listed sets, by number, go with one of them.
GoingTogether = Callable[[int, Ints], npt.NDArray[np.uint8]]


class SetComparison(Protocol):
    """A dissimilarity that kernels know."""

    def fitting(self, features: Indices, base: Indices, size: int, others: Sequence[FeatureSet]) -> Fitting:
        """For sets of a size, made of base features and some of the others, that have to differ from other sets."""
        ...

    def going_together(self, rows: Sequence[Ints]) -> GoingTogether:
        """For sets in a list, given as rows of features."""
        ...


def comparison_of(problem: Problem) -> SetComparison | None:
    """How kernels compare sets; None where shared features are counted, or a user's function decides."""
    if isinstance(problem.dissimilarity, Matched):
        return _ByMatching(problem, problem.dissimilarity)
    if isinstance(problem.dissimilarity, Grouped):
        return _ByGroups(problem, problem.dissimilarity)
    return None


class _ByMatching:
    def __init__(self, problem: Problem, dissimilarity: Matched) -> None:
        self._problem, self._matched = problem, dissimilarity

    @cached_property
    def _limits(self) -> Floats:
        """How large the overlap of sets of two sizes may be."""
        return _limits_by_sizes(self._problem, whole=self._matched.threshold is not None)

    def _kernel(
        self, weights: Floats, others: tuple[Ints, Ints], growing: tuple[Ints, Ints, int]
    ) -> kernel.Matching:
        weighted = self._matched.threshold is None
        return kernel.Matching(np.ascontiguousarray(weights), weighted, self._limits, others, growing)

    def fitting(self, features: Indices, base: Indices, size: int, others: Sequence[FeatureSet]) -> Fitting:
        # Only these features are compared with those of the other sets: rows and columns of a small matrix.
        first, members = flat(others)
        columns, places = np.unique(members, return_inverse=True)
        weights = self._matched.weights_among(np.concatenate([features, base]), columns)
        rows = np.arange(len(features) + len(base), dtype=np.intc)
        growing = rows[: len(features)].copy(), rows[len(features) :].copy(), size
        return self._kernel(weights, (first, places.astype(np.intc)), growing).fitting

    def going_together(self, rows: Sequence[Ints]) -> GoingTogether:
        sizes = np.concatenate([_NONE, *(np.full(len(some), some.shape[1], dtype=np.intc) for some in rows)])
        members = np.concatenate([_NONE, *(some.ravel() for some in rows)])
        features, places = np.unique(members, return_inverse=True)
        weights = self._matched.weights_among(features, features)
        return self._kernel(weights, (_starts(sizes), places.astype(np.intc)), (_NONE, _NONE, 0)).going_with


class _ByGroups:
    def __init__(self, problem: Problem, dissimilarity: Grouped) -> None:
        assert dissimilarity.labels is not None
        self._problem, self._grouped = problem, dissimilarity
        self._labels = dissimilarity.labels.astype(np.intc)
        self._n_groups = int(self._labels.max()) + 1

    @cached_property
    def _limits(self) -> Ints:
        """How many groups sets that touch so many each may share."""
        return _limits_by_sizes(self._problem, whole=True).astype(np.intc)

    def _kernel(self, others: tuple[Ints, Ints], growing: tuple[Ints, Ints]) -> kernel.Grouping:
        return kernel.Grouping(self._n_groups, self._limits, others, growing)

    def fitting(self, features: Indices, base: Indices, size: int, others: Sequence[FeatureSet]) -> Fitting:
        touched = [sorted(self._grouped.touched(chosen)) for chosen in others]
        return self._kernel(flat(touched), (self._labels[features], self._labels[base])).fitting

    def going_together(self, rows: Sequence[Ints]) -> GoingTogether:
        sizes, groups = [_NONE], [_NONE]
        for some in rows:
            touched = np.sort(self._labels[some], axis=1)
            # Each group once.
            new = np.ones(touched.shape, dtype=bool)
            new[:, 1:] = touched[:, 1:] != touched[:, :-1]
            sizes.append(new.sum(axis=1).astype(np.intc))
            groups.append(touched[new])
        return self._kernel(
            (_starts(np.concatenate(sizes)), np.concatenate(groups)), (_NONE, _NONE)
        ).going_with


def _largest_size(problem: Problem) -> int:
    return max([problem.k_max, *map(len, problem.existing)])


def _limits_by_sizes(problem: Problem, *, whole: bool) -> Floats:
    """What two sets may have in common at a tau, by how much each has; ``whole`` numbers of features or groups."""
    assert problem.tau is not None
    part = (1 - problem.tau + EXACT_TOLERANCE) / 2
    sizes = np.arange(_largest_size(problem) + 1)
    limits = [part * total for total in range(2 * len(sizes))]
    rounded = np.array([float(math.floor(limit) if whole else limit) for limit in limits])
    return rounded[np.add.outer(sizes, sizes)]


_NONE = np.zeros(0, dtype=np.intc)


def _starts(sizes: Ints) -> Ints:
    """Where each of some lists begins that stand one after the other, and where the last one ends."""
    first = np.zeros(len(sizes) + 1, dtype=np.intc)
    np.cumsum(sizes, out=first[1:])
    return first


def flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Where each list begins, and the lists one after the other."""
    sizes = np.array([len(entries) for entries in lists], dtype=np.intc)
    return _starts(sizes), np.array(list(chain.from_iterable(lists)), dtype=np.intc)
