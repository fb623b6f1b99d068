"""How the information of many pairs of columns is estimated; the formulas are at the head of ``mutual_information``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import neighbours
from altsets.arrays import Bools, Floats, Ints
from altsets.errors import InputError
from altsets.measures._threads import OnProgress, in_threads
from altsets.measures.information import counts
from altsets.measures.information.limits import DEFAULT_LIMITS, InformationLimits
from altsets.measures.information.prepared import (
    ColumnsWithHoles,
    SortedColumns,
    binned,
    jittered,
    jittered_target,
    levels,
    sorted_columns,
)
from altsets.tables.constant_columns import constant_columns
from altsets.tables.target import Target

__all__ = ["METHODS", "Estimator", "Keep", "Line", "Sample"]

#: Column i is to be compared with the columns from the second number up to the third.
Line = tuple[int, int, int]
#: Gets a column, the range of the others, and values.
Keep = Callable[[int, int, int, Floats], None]
#: Tells the information of a column and some others.
Tell = Callable[[int, Ints], Floats]

METHODS = ("neighbors", "bins", "sklearn")

#: Euler's constant: minus the digamma function of 1.
EULER = 0.5772156649015329


@dataclass(frozen=True, eq=False)
class Sample:
    """What was observed of some variables: a column of values for each (nan = missing), and what these are.

    Which columns are discrete, which are categories, and how much each row counts.
    """

    values: Floats
    discrete: Bools
    nominal: Bools
    weights: Floats | None = None

    def and_target(self, target: Target) -> Sample:
        """The same with the target behind the other columns."""
        return Sample(
            np.column_stack([self.values, target.values.astype(np.float64)]),
            np.append(self.discrete, target.is_classes),
            np.append(self.nominal, False),
            self.weights,
        )


@dataclass(frozen=True)
class Estimator:
    """How mutual information is estimated."""

    name: str
    n_neighbors: int
    n_bins: int | None
    random_state: int | None
    n_jobs: int | None
    progress: OnProgress | None
    limits: InformationLimits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            choices = ", ".join(map(repr, METHODS))
            raise InputError(f"method={self.name!r} is unknown; choose one of {choices}.")
        _check_number("n_neighbors", self.n_neighbors, 1)
        if self.n_bins is not None:
            _check_number("n_bins", self.n_bins, 2)

    # --- Columns, made ready -------------------------------------------------------------------------

    def columns(self, sample: Sample) -> SortedColumns:
        """The columns of a table; not for "sklearn", where a column as target is another one."""
        n_rows = len(sample.values)
        if self.name == "neighbors":
            return sorted_columns(
                sample.values.T,
                sample.discrete,
                n_rows,
                scaled=True,
                nominal=sample.nominal,
                limits=self.limits,
            )
        rows = n_rows if sample.weights is None else counts.effective_rows(sample.weights)
        n_bins = self.n_bins or max(2, round(rows ** (1 / 3)))
        cut = (
            levels(column) if is_discrete else binned(column, n_bins, sample.weights)
            for column, is_discrete in zip(sample.values.T, sample.discrete, strict=True)
        )
        return sorted_columns(
            cut,
            np.ones(len(sample.discrete), dtype=bool),
            n_rows,
            scaled=False,
            nominal=sample.nominal,
            weights=sample.weights,
            limits=self.limits,
        )

    def with_target(self, sample: Sample, target: Target) -> SortedColumns:
        """The columns of a table and the target behind them."""
        if self.name != "sklearn":
            return self.columns(sample.and_target(target))
        values = target.values.astype(np.float64)
        changed, noise = jittered(sample.values, sample.discrete, self.random_state)
        if not target.is_classes:
            values = jittered_target(values, noise)
        both = np.append(sample.discrete, target.is_classes)
        return sorted_columns(np.column_stack([changed, values]).T, both, len(changed), scaled=False)

    # --- scikit-learn's numbers ----------------------------------------------------------------------

    def left_to_scikit_learn(self, matrix: Floats, discrete: Bools, classes: Any = None) -> bool:
        """Whether parity needs the original: it rounds distances its own way where few rows share a discrete value."""
        if self.name != "sklearn":
            return False
        labels = [*matrix.T[discrete], *([] if classes is None else [classes])]
        sizes = [np.unique(column, return_counts=True)[1] for column in labels]
        most = 2 * self.n_neighbors + 1
        return any(bool(((few > 1) & (few <= most)).any()) for few in sizes)

    def by_scikit_learn(
        self, matrix: Floats, discrete: Bools, values: npt.NDArray[Any], is_classes: bool
    ) -> Floats:
        """Each column with a target, by scikit-learn itself."""
        from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

        codes = matrix.copy()
        for index in np.flatnonzero(discrete):
            # The count refuses labels that are not whole numbers.
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
        """Each column with each other, one of them with the jitter of a target."""
        total = len(discrete)
        found = np.zeros((total, total))
        if self.left_to_scikit_learn(matrix, discrete):
            for index in np.flatnonzero(~constant_columns(matrix)):
                column = matrix[:, index]
                found[index] = self.by_scikit_learn(matrix, discrete, column, bool(discrete[index]))
            return found
        changed, noise = jittered(matrix, discrete, self.random_state)
        targets = [
            column if is_discrete else jittered_target(column, noise)
            for column, is_discrete in zip(matrix.T, discrete, strict=True)
        ]
        columns = sorted_columns([*changed.T, *targets], np.tile(discrete, 2), len(matrix), scaled=False)

        def keep(index: int, start: int, stop: int, values: Floats) -> None:
            found[index - total, start:stop] = values

        self.estimate(columns, [(total + index, 0, total) for index in range(total)], keep)
        return found

    # --- The work ------------------------------------------------------------------------------------

    def square(self, columns: SortedColumns) -> Floats:
        """Each column with each other: half of the pairs, and the diagonal."""
        total = len(columns)
        found = np.zeros((total, total))

        def keep(index: int, start: int, stop: int, values: Floats) -> None:
            found[index, start:stop] = values
            found[start:stop, index] = values

        self.estimate(columns, [(index, index, total) for index in range(total)], keep)
        return found

    def estimate(self, columns: SortedColumns | ColumnsWithHoles, lines: Sequence[Line], keep: Keep) -> None:
        """Estimate the information of pairs of columns; of those with holes, its part in rows where both are known."""
        total = sum(end - start for _, start, end in lines)
        numbers = np.arange(1, columns.n_rows + 2)
        logarithm = np.append(0.0, np.log(numbers))
        digamma = np.append(0.0, np.cumsum(np.append(-EULER, 1 / numbers[:-1])))

        def worker(stop: Ints) -> Callable[[Line], None]:
            tell = self._teller(columns, digamma, logarithm, stop)

            def do(piece: Line) -> None:
                index, start, end = piece
                keep(index, start, end, tell(index, np.arange(start, end, dtype=np.intc)))

            return do

        step = max(1, self.limits.rows_per_call // columns.n_rows)
        in_threads(_pieces(lines, step), total, worker, self.n_jobs, self.progress)

    def _teller(
        self, columns: SortedColumns | ColumnsWithHoles, digamma: Floats, logarithm: Floats, stop: Ints
    ) -> Tell:
        if isinstance(columns, ColumnsWithHoles):
            least = self.limits.least_rows
            holed = neighbours.PairsWithHoles(
                columns.arrays, self.n_neighbors, least, digamma, logarithm, stop
            )
            return _teller_of_known_rows(columns, holed, self.limits)
        if columns.weights is not None:
            return _weighted_teller(columns, columns.weights)
        k = max(1, min(self.n_neighbors, columns.n_rows - 1))
        pairs = neighbours.Pairs(columns.arrays, k, self.name == "sklearn", digamma, logarithm, stop)

        def tell(index: int, others: Ints) -> Floats:
            values = np.zeros(len(others))
            pairs.run(np.full_like(others, index), others, values)
            if columns.thin.any() and columns.discrete[index]:
                thin = (columns.thin[others] | columns.thin[index]) & (columns.discrete[others] > 0)
                for place in np.flatnonzero(thin):
                    values[place] = counts.corrected(columns.codes[index], columns.codes[others[place]])
            return values

        return tell


def _weighted_teller(columns: SortedColumns, weights: Floats) -> Tell:
    codes, thin = columns.codes, columns.thin

    def tell(index: int, others: Ints) -> Floats:
        return np.array(
            [
                counts.weighted(codes[index], codes[other], weights, thin=bool(thin[index] or thin[other]))
                for other in others
            ]
        )

    return tell


def _teller_of_known_rows(
    columns: ColumnsWithHoles, pairs: neighbours.PairsWithHoles, limits: InformationLimits
) -> Tell:
    """The information of two columns in rows where both are known, times the share of these rows."""

    def tell(index: int, others: Ints) -> Floats:
        values = np.zeros(len(others))
        shapes = np.zeros((len(others), 3), dtype=np.intc)
        pairs.run(np.full_like(others, index), others, values, shapes)
        rows = shapes[:, 0]
        if columns.discrete[index] and (columns.nominal[index] or columns.nominal[others].any()):
            thin = (shapes[:, 1:] > limits.most_levels) | (
                limits.rows_per_level * shapes[:, 1:] > rows[:, None]
            )
            thin[:, 0] &= columns.nominal[index]
            thin[:, 1] &= columns.nominal[others]
            some = thin.any(axis=1) & (columns.discrete[others] > 0) & (rows >= limits.least_rows)
            for place in np.flatnonzero(some):
                values[place] = _corrected(columns.codes[index], columns.codes[others[place]])
        return np.asarray(rows / columns.n_rows * values)

    return tell


def _corrected(x: Ints, y: Ints) -> float:
    known = (x >= 0) & (y >= 0)
    return counts.corrected(x[known], y[known])


def _pieces(lines: Sequence[Line], step: int) -> Iterator[tuple[Line, int]]:
    for index, start, end in lines:
        for at in range(start, end, step):
            until = min(at + step, end)
            yield (index, at, until), until - at


def _check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number of at least {least}.")
