"""Estimate the mutual information of many pairs of columns; the formulas are at the head of ``mutual_information``.

**Missing values** are values of their own. Let M say whether a value is missing. A column X with missing values is M_x
and, where that says "known", a number; the chain rule splits the information of two of them without a loss:

``I(X; Z) = I(M_x; M_z) + P(x known) I(X; M_z | x known) + P(z known) I(M_x; Z | z known)
+ P(both known) I(X; Z | both known)``

Each term is estimated in its rows by the formula that fits. A term is 0 where there are too few rows, or where one side
never varies. The terms are the same with X and Z exchanged, and are added so that not even the last bit changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import neighbours
from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.features import one_of, whole_number
from altsets.measures.information.columns import (
    MOST_LEVELS,
    ROWS_PER_LEVEL,
    IncompleteColumns,
    SortedColumns,
    bin_column,
    code_levels,
    count_information,
    effective_rows,
    jitter,
    jitter_by,
    patterns_of,
    sort_columns,
    sort_incomplete_columns,
)
from altsets.measures.workers import OnProgress, map_in_order
from altsets.tables.feature_matrix import constant_columns
from altsets.tables.target import Target

#: A column, the first one of those that it is compared with, and where the numbers go.
Line = tuple[int, int, Floats]
#: Some columns by number.
Places = Sequence[int] | Indices
#: Returns the information of a column and some others.
Estimate = Callable[[int, Ints], Floats]

METHODS = ("neighbors", "bins", "sklearn")

#: Incomplete columns with fewer common rows are taken to be unrelated where both are known.
LEAST_ROWS = 4
#: Rows times pairs in one call of the kernel: some hundredths of a second, so that Ctrl-C is prompt.
ROWS_PER_CALL = 200_000

#: Euler's constant: minus the digamma function of 1.
EULER = 0.5772156649015329


@dataclass(frozen=True, eq=False)
class Sample:
    """Observed columns (nan = missing): values, which are discrete, which are categories, and the weights of rows."""

    values: Floats
    discrete: Bools
    nominal: Bools
    weights: Floats | None = None

    def some(self, chosen: Places) -> Sample:
        some = list(chosen)
        values = np.ascontiguousarray(self.values[:, some])
        return Sample(values, self.discrete[some], self.nominal[some], self.weights)

    def and_target(self, target: Target) -> Sample:
        return Sample(
            np.column_stack([self.values, target.values.astype(np.float64)]),
            np.append(self.discrete, target.is_classes),
            np.append(self.nominal, False),
            self.weights,
        )


@dataclass(frozen=True)
class Estimator:
    """An estimator of mutual information: a method with its parameters."""

    method: str = "neighbors"
    n_neighbors: int = 3
    n_bins: int | None = None
    random_state: int | None = 25
    n_jobs: int | None = None
    callback: OnProgress | None = None

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        object.__setattr__(self, "n_neighbors", whole_number("n_neighbors", self.n_neighbors, least=1))
        if self.n_bins is not None:
            object.__setattr__(self, "n_bins", whole_number("n_bins", self.n_bins, least=2))

    # --- Preparation of columns ----------------------------------------------------------------------

    def columns(self, sample: Sample) -> SortedColumns:
        """The sorted columns of a table; not for "sklearn", where a column gets other noise as a target."""
        n_rows = len(sample.values)
        if self.method == "neighbors":
            return sort_columns(sample.values.T, sample.discrete, n_rows, scaled=True, nominal=sample.nominal)
        n_bins = self.number_of_bins(n_rows, sample.weights)
        cut = (
            code_levels(column) if is_discrete else bin_column(column, n_bins, sample.weights)
            for column, is_discrete in zip(sample.values.T, sample.discrete, strict=True)
        )
        return sort_columns(
            cut,
            np.ones(len(sample.discrete), dtype=bool),
            n_rows,
            scaled=False,
            nominal=sample.nominal,
            weights=sample.weights,
        )

    def number_of_bins(self, n_rows: int, weights: Floats | None) -> int:
        rows = n_rows if weights is None else effective_rows(weights)
        return self.n_bins or max(2, round(rows ** (1 / 3)))

    def with_target(self, sample: Sample, target: Target) -> SortedColumns:
        if self.method != "sklearn":
            return self.columns(sample.and_target(target))
        values = target.values.astype(np.float64)
        changed, noise = jitter(sample.values, sample.discrete, self.random_state)
        if not target.is_classes:
            values = jitter_by(values, noise)
        both = np.append(sample.discrete, target.is_classes)
        return sort_columns(np.column_stack([changed, values]).T, both, len(changed), scaled=False)

    # --- scikit-learn's numbers ----------------------------------------------------------------------

    def needs_scikit_learn(self, matrix: Floats, discrete: Bools, classes: Any = None) -> bool:
        """Whether parity needs scikit-learn itself, which rounds distances its own way where few rows share a value."""
        if self.method != "sklearn":
            return False
        labels = [*matrix.T[discrete], *([] if classes is None else [classes])]
        sizes = [np.unique(column, return_counts=True)[1] for column in labels]
        most = 2 * self.n_neighbors + 1
        return any(bool(((few > 1) & (few <= most)).any()) for few in sizes)

    def by_scikit_learn(
        self, matrix: Floats, discrete: Bools, values: npt.NDArray[Any], is_classes: bool
    ) -> Floats:
        from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

        codes = matrix.copy()
        for index in np.flatnonzero(discrete):
            # scikit-learn refuses labels that are not whole numbers.
            codes[:, index] = np.unique(matrix[:, index], return_inverse=True)[1]
        found = (mutual_info_classif if is_classes else mutual_info_regression)(
            codes,
            np.unique(values, return_inverse=True)[1] if is_classes else values,
            discrete_features=discrete,
            n_neighbors=max(1, min(self.n_neighbors, len(matrix) - 1)),
            random_state=self.random_state,
        )
        return np.asarray(found, dtype=np.float64)

    def rows(self, matrix: Floats, discrete: Bools) -> Floats:
        """Each column with each other, one of them with the noise of a target ("sklearn")."""
        total = len(discrete)
        found = np.zeros((total, total))
        if self.needs_scikit_learn(matrix, discrete):
            for index in np.flatnonzero(~constant_columns(matrix)):
                column = matrix[:, index]
                found[index] = self.by_scikit_learn(matrix, discrete, column, bool(discrete[index]))
            return found
        changed, noise = jitter(matrix, discrete, self.random_state)
        targets = [
            column if is_discrete else jitter_by(column, noise)
            for column, is_discrete in zip(matrix.T, discrete, strict=True)
        ]
        columns = sort_columns([*changed.T, *targets], np.tile(discrete, 2), len(matrix), scaled=False)
        self.estimate(columns, [(total + index, 0, found[index]) for index in range(total)])
        return found

    # --- The work ------------------------------------------------------------------------------------

    def square(self, columns: SortedColumns) -> Floats:
        """Each column with each other: half of the pairs, and the diagonal."""
        found = np.zeros((len(columns.codes), len(columns.codes)))
        self.estimate(columns, [(index, index, row[index:]) for index, row in enumerate(found)])
        _mirror(found)
        return found

    def estimate(self, columns: SortedColumns | IncompleteColumns, lines: Sequence[Line]) -> None:
        """Estimate the information of pairs of columns; of incomplete ones, its part in rows where both are known."""
        n_rows = columns.codes.shape[1]
        numbers = np.arange(1, n_rows + 2)
        logarithm = np.append(0.0, np.log(numbers))
        digamma = np.append(0.0, np.cumsum(np.append(-EULER, 1 / numbers[:-1])))

        own, stop = threading.local(), np.zeros(1, dtype=np.intc)
        ends = np.cumsum([len(out) for *_, out in lines])
        total, step = sum(len(out) for *_, out in lines), max(1, ROWS_PER_CALL // n_rows)

        def work(chunk: int) -> None:
            if not hasattr(own, "estimate"):
                own.estimate = self._pair_estimate(columns, digamma, logarithm, stop)
            first, last = chunk * step, min((chunk + 1) * step, total)
            while first < last:
                index, start, out = lines[number := int(np.searchsorted(ends, first, side="right"))]
                # The part of the line that this chunk has.
                at = len(out) - (int(ends[number]) - first)
                part = out[at : at + last - first]
                part[:] = own.estimate(index, np.arange(start + at, start + at + len(part), dtype=np.intc))
                first += len(part)

        for _ in map_in_order(work, -(-total // step), self.n_jobs, self.callback, stop):
            pass

    def _pair_estimate(
        self, columns: SortedColumns | IncompleteColumns, digamma: Floats, logarithm: Floats, stop: Ints
    ) -> Estimate:
        if isinstance(columns, IncompleteColumns):
            incomplete = neighbours.PairsWithHoles(
                columns[:4], self.n_neighbors, LEAST_ROWS, digamma, logarithm, stop
            )
            return _known_rows_estimate(columns, incomplete)
        if columns.weights is not None:
            return _weighted_estimate(columns, columns.weights)
        k = max(1, min(self.n_neighbors, columns.codes.shape[1] - 1))
        pairs = neighbours.Pairs(columns[:7], k, self.method == "sklearn", digamma, logarithm, stop)

        def estimate(index: int, others: Ints) -> Floats:
            values = np.zeros(len(others))
            pairs.run(np.full_like(others, index), others, values)
            if columns.thin.any() and columns.discrete[index]:
                thin = (columns.thin[others] | columns.thin[index]) & (columns.discrete[others] > 0)
                for place in np.flatnonzero(thin):
                    values[place] = count_information(columns.codes[index], columns.codes[others[place]])
            return values

        return estimate


def _weighted_estimate(columns: SortedColumns, weights: Floats) -> Estimate:
    codes, thin = columns.codes, columns.thin

    def between(one: int, other: int) -> float:
        return count_information(codes[one], codes[other], weights, thin=bool(thin[one] or thin[other]))

    def estimate(index: int, others: Ints) -> Floats:
        return np.array([between(index, other) for other in others.tolist()])

    return estimate


def _known_rows_estimate(columns: IncompleteColumns, pairs: neighbours.PairsWithHoles) -> Estimate:
    """The information of two columns in rows where both are known, times the share of these rows."""

    def estimate(index: int, others: Ints) -> Floats:
        values = np.zeros(len(others))
        shapes = np.zeros((len(others), 3), dtype=np.intc)
        pairs.run(np.full_like(others, index), others, values, shapes)
        rows = shapes[:, 0]
        if columns.discrete[index] and (columns.nominal[index] or columns.nominal[others].any()):
            thin = (shapes[:, 1:] > MOST_LEVELS) | (ROWS_PER_LEVEL * shapes[:, 1:] > rows[:, None])
            thin[:, 0] &= columns.nominal[index]
            thin[:, 1] &= columns.nominal[others]
            some = thin.any(axis=1) & (columns.discrete[others] > 0) & (rows >= LEAST_ROWS)
            for place in np.flatnonzero(some):
                codes = columns.codes[[index, others[place]]]
                values[place] = count_information(*codes[:, (codes >= 0).all(axis=0)])
        return np.asarray(rows / columns.codes.shape[1] * values)

    return estimate


def _mirror(found: Floats) -> None:
    for index, row in enumerate(found):
        found[index + 1 :, index] = row[index + 1 :]


# --- Missing values -----------------------------------------------------------------------------------


class WithMissing:
    """The information of columns with missing values, as the head of this module has it."""

    def __init__(self, estimator: Estimator, sample: Sample) -> None:
        self._how = estimator
        self._known, self._pattern_of = patterns_of(sample.values)
        # The columns, followed by one for each pattern: whether the columns with it are known.
        n_patterns = len(self._known)
        self._columns = sort_incomplete_columns(
            np.column_stack([sample.values, self._known.T.astype(np.float64)]),
            np.append(sample.discrete, np.ones(n_patterns, dtype=bool)),
            np.append(sample.nominal, np.zeros(n_patterns, dtype=bool)),
        )

    def square(self) -> Floats:
        pattern_of, n_columns = self._pattern_of, len(self._pattern_of)
        known, of_missing = np.zeros((n_columns, n_columns)), np.zeros((n_columns, len(self._known)))
        among_columns = [(index, index, row[index:]) for index, row in enumerate(known)]
        with_patterns = [(index, n_columns, row) for index, row in enumerate(of_missing)]
        self._how.estimate(self._columns, [*among_columns, *with_patterns])
        _mirror(known)
        of_patterns = of_missing[:, pattern_of]
        both = _pattern_information(self._known, self._known)
        both = both[np.ix_(pattern_of, pattern_of)]
        return np.asarray((known + both) + (of_patterns + of_patterns.T))

    def rows(self, of: Places) -> Floats:
        """Some rows of the square."""
        n_columns, pattern_of = len(self._pattern_of), self._pattern_of
        with_all = np.zeros((len(of), n_columns + len(self._known)))
        of_own_pattern = np.zeros((len(of), n_columns))
        own = pattern_of[list(of)]
        lines = [(int(j), 0, row) for j, row in zip(of, with_all, strict=True)]
        # The first pattern, of complete columns, says nothing.
        lines += [(n_columns + int(p), 0, row) for p, row in zip(own, of_own_pattern, strict=True) if p]
        self._how.estimate(self._columns, lines)
        known, of_missing = with_all[:, :n_columns], with_all[:, n_columns:]
        both = _pattern_information(self._known[own], self._known)
        return (known + both[:, pattern_of]) + (of_missing[:, pattern_of] + of_own_pattern)


def _pattern_information(some: Bools, known: Bools) -> Floats:
    """The information of some patterns with each one, from tables of two rows and two columns."""
    n_rows, ones, others = known.shape[1], some.astype(np.float64), known.astype(np.float64)
    both, sizes, others_sizes = ones @ others.T, ones.sum(axis=1)[:, None], others.sum(axis=1)

    def term(cells: Floats, size: Floats, other_size: Floats) -> Floats:
        ratios = np.divide(cells * n_rows, size * other_size, out=np.ones_like(cells), where=cells > 0)
        return np.asarray(cells / n_rows * np.log(ratios))

    left, other_left = n_rows - sizes, n_rows - others_sizes
    alike = term(both, sizes, others_sizes) + term(n_rows - sizes - others_sizes + both, left, other_left)
    one_known = term(sizes - both, sizes, other_left) + term(others_sizes - both, left, others_sizes)
    return np.maximum(alike + one_known, 0.0)
