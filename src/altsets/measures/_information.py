"""Mutual information: what one column says about another, in nats, whatever the shape of their relation.

With n rows, psi the digamma function and k neighbours, the estimators are:

**Two discrete columns**: counts. ``log n + mean of log(c) - log(c_x) - log(c_y)`` over the rows, where c rows agree
with the row in both columns and c_x, c_y in one of them.

**Two continuous columns**: nearest neighbours (Kraskov, Stögbauer and Grassberger 2004, their first estimator).
Columns are divided by their standard deviation; the distance of two rows is the larger one of their distances in
both columns. Let r be the distance of a row to its k-th neighbour, and n_x, n_y the numbers of other rows whose
difference in one column is smaller than r: ``psi(n) + psi(k) - mean of psi(n_x + 1) + psi(n_y + 1)``.

**A discrete and a continuous column** (Ross 2014): r is the distance to the k-th neighbour among the c rows with the
same discrete value (all other c - 1 rows if these are fewer than k), m the number of rows, itself included, nearer
than r: ``psi(n) + mean of psi(k) - psi(c) - psi(m)``. Rows that are alone with their value are left out.

**Ties.** The last two formulas assume that no two distances are equal. scikit-learn adds random noise of relative size
1e-10 for that, which moves estimates by 0.01 to 0.05 on real data and makes them depend on the order of the columns.
Here nothing is random:

- Where the k-th neighbour is no distance away, the rows in that place are counted: with c rows there and c_x, c_y
  rows that share one coordinate, the row contributes ``psi(c) - psi(c_x) - psi(c_y)``. For columns of few values
  that is the count above with psi for log, which takes off most of the bias that counts have.
- Where r is above 0 and other rows are exactly at r, in the ball or in a margin only, the formula gets the share of
  them that noise would put inside on average. If b rows are at the border of the ball and the k-th neighbour is the
  q-th of them, that is (q - 1) / b of these and q / (b + 1) of those that are at the border of a margin but not in the
  ball. A share of a row is interpolated between psi of the whole numbers.

So data without ties get scikit-learn's value but for its noise; data with ties about the mean of its values over
many seeds. Distances that differ by rounding only are equal. A measured comparison with exact values (normal
variables rounded to steps from 0.02 to 1, tables, mixtures with zeros, Poisson counts; 300 and 1,000 rows) finds
a bias of at most 0.03 that is due to ties; closed balls, as in the estimator of Gao et al. 2017, had up to 0.45.

Estimates below 0 become 0. The methods "neighbors" and "bins" are symmetric to the last bit and depend on
neither the order of rows and columns nor the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import neighbours
from altsets.errors import InputError
from altsets.measures._columns import (
    BoolArray,
    Columns,
    binned,
    discrete_columns,
    jittered,
    jittered_target,
    sorted_columns,
)
from altsets.measures._constants import constant_columns
from altsets.measures._features import FloatArray
from altsets.measures._matrix import matrix_of
from altsets.measures._target import Target, target_of
from altsets.measures._threads import Progress, in_threads

__all__ = [
    "METHODS",
    "information_matrix",
    "mutual_info",
    "symmetrical_uncertainty",
    "uncertainty_matrix",
]

#: Column i is to be compared with the columns from the second number up to the third.
Line = tuple[int, int, int]

METHODS = ("neighbors", "bins", "sklearn")

#: Rows times pairs in one call of the kernel, some hundredths of a second.
PIECE = 200_000

#: Euler's constant: minus the digamma function of 1.
EULER = 0.5772156649015329


def mutual_info(
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    method: str = "neighbors",
    discrete: npt.ArrayLike = "auto",
    n_neighbors: int = 3,
    n_bins: int | None = None,
    random_state: int | None = 25,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Mutual information of each feature with the target, in nats.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        The target.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    method : {"neighbors", "bins", "sklearn"}
        "neighbors": a count for two discrete variables, nearest neighbours where one of them is continuous;
        deterministic, see the notes. "bins": a count for all, after continuous variables were cut into bins of
        equal frequency; much faster for many rows, coarser, and biased upwards. "sklearn": the numbers of
        scikit-learn's ``mutual_info_classif`` and ``mutual_info_regression``, random jitter included.
    discrete : "auto", bool or array of bool
        Which columns are discrete. "auto" takes a column for discrete if it has at most 10 different values
        that occur at least 10 times each on average. The paper's study treats everything as continuous, as
        ``task="regression", discrete=False, method="sklearn"`` does.
    n_neighbors : int
        Neighbours of the continuous estimate; more of them mean less variance and more bias.
    n_bins : int, optional
        Bins of a continuous variable for "bins"; by default the cube root of the number of rows, at least 2.
    random_state : int or None
        Seed of the jitter, which only "sklearn" has.
    n_jobs : int, optional
        Threads; None and -1 for all cores. The scores do not depend on it.
    progress : callable, optional
        Called now and then with the share of the work done, from 0 to 1; what it raises ends the work.

    Returns
    -------
    ndarray of shape (n_features,)
        At least 0; exactly 0 for a constant column.

    Notes
    -----
    Nearest neighbours are Kraskov's first estimator, and Ross's where one variable is discrete. Without ties they give
    what scikit-learn gives but for its jitter; ties are dealt with as a jitter would on average. The formulas
    are at the head of the module ``altsets.measures._information``.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 10
    >>> mutual_info(X, ["a", "a", "b", "b"] * 10).round(4).tolist()
    [0.6931, 0.0]
    """
    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    how = _Estimator(method, n_neighbors, n_bins, random_state, n_jobs, progress)
    mask = discrete_columns(matrix, discrete)
    if how.left_to_scikit_learn(matrix, mask, target.values if target.is_classes else None):
        scores = how.by_scikit_learn(matrix, mask, target.values, target.is_classes)
        scores[constant_columns(matrix)] = 0.0
        return scores
    columns = how.with_target(matrix, mask, target)
    scores = np.zeros(matrix.shape[1])

    def keep(_: int, start: int, stop: int, found: FloatArray) -> None:
        scores[start:stop] = found

    how.estimate(columns, [(len(scores), 0, len(scores))], keep)
    # Where jitter has made a constant column vary, it has no say.
    scores[constant_columns(matrix)] = 0.0
    return scores


def information_matrix(
    matrix: FloatArray,
    *,
    method: str = "neighbors",
    discrete: npt.ArrayLike = "auto",
    n_neighbors: int = 3,
    n_bins: int | None = None,
    random_state: int | None = 25,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Mutual information of each column with each other and with itself; the parameters are those above.

    Row i has column i as the target, which makes a difference to "sklearn" alone: its jitter is another one there.
    """
    how = _Estimator(method, n_neighbors, n_bins, random_state, n_jobs, progress)
    mask = discrete_columns(matrix, discrete)
    return how.rows(matrix, mask) if method == "sklearn" else how.square(how.columns(matrix, mask))


def symmetrical_uncertainty(
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    discrete: npt.ArrayLike = "auto",
    n_bins: int | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Symmetrical uncertainty of each feature with the target: information as a share of what there is to know.

    It is ``2 I(x, y) / (H(x) + H(y))``, where I is the mutual information by counting and H the entropy; continuous
    variables are cut into bins of equal frequency. The parameters are those of :func:`mutual_info`. FCBF was made
    for this measure.

    Returns
    -------
    ndarray of shape (n_features,)
        Between 0 and 1; exactly 0 for a constant column.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 10
    >>> symmetrical_uncertainty(X, ["a", "a", "b", "b"] * 10).round(4).tolist()
    [1.0, 0.0]
    """
    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    how = _Estimator("bins", 1, n_bins, None, n_jobs, progress)
    columns = how.with_target(matrix, discrete_columns(matrix, discrete), target)
    last = matrix.shape[1]
    scores = np.zeros(last)
    entropies = np.zeros(last + 1)

    def keep(index: int, start: int, stop: int, found: FloatArray) -> None:
        if (start, stop) == (index, index + 1):
            entropies[index] = found[0]
        else:
            scores[start:stop] = found

    # What a variable says about itself is its entropy.
    own = [(index, index, index + 1) for index in range(last + 1)]
    how.estimate(columns, [*own, (last, 0, last)], keep)
    return _uncertainty(scores, entropies[:-1] + entropies[-1])


def uncertainty_matrix(
    matrix: FloatArray,
    *,
    discrete: npt.ArrayLike = "auto",
    n_bins: int | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Symmetrical uncertainty of each column with each other; the parameters are those above."""
    how = _Estimator("bins", 1, n_bins, None, n_jobs, progress)
    scores = how.square(how.columns(matrix, discrete_columns(matrix, discrete)))
    entropies = scores.diagonal().copy()
    return _uncertainty(scores, entropies[:, None] + entropies)


def _uncertainty(information: FloatArray, entropies: FloatArray) -> FloatArray:
    shares = 2 * information / np.where(entropies > 0, entropies, 1.0)
    return np.asarray(np.minimum(shares, 1.0))


@dataclass(frozen=True)
class _Estimator:
    """How mutual information is estimated."""

    name: str
    n_neighbors: int
    n_bins: int | None
    random_state: int | None
    n_jobs: int | None
    progress: Progress | None

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            choices = ", ".join(map(repr, METHODS))
            raise InputError(f"method={self.name!r} is unknown; choose one of {choices}.")
        _check_number("n_neighbors", self.n_neighbors, 1)
        if self.n_bins is not None:
            _check_number("n_bins", self.n_bins, 2)

    def columns(self, matrix: FloatArray, discrete: BoolArray) -> Columns:
        """The columns of a matrix, made ready; not for "sklearn", where a column as target is another one."""
        n_rows = len(matrix)
        if self.name == "neighbors":
            return sorted_columns(matrix.T, discrete, n_rows, scaled=True)
        n_bins = self.n_bins or max(2, round(n_rows ** (1 / 3)))
        cut = (
            column if is_discrete else binned(column, n_bins)
            for column, is_discrete in zip(matrix.T, discrete, strict=True)
        )
        return sorted_columns(cut, np.ones(len(discrete), dtype=bool), n_rows, scaled=False)

    def with_target(self, matrix: FloatArray, discrete: BoolArray, target: Target) -> Columns:
        """The columns of a matrix and the target behind them."""
        both = np.append(discrete, target.is_classes)
        values = target.values.astype(np.float64)
        if self.name != "sklearn":
            return self.columns(np.column_stack([matrix, values]), both)
        changed, noise = jittered(matrix, discrete, self.random_state)
        if not target.is_classes:
            values = jittered_target(values, noise)
        return sorted_columns(np.column_stack([changed, values]).T, both, len(matrix), scaled=False)

    def left_to_scikit_learn(self, matrix: FloatArray, discrete: BoolArray, classes: Any = None) -> bool:
        """Whether parity needs the original: it rounds distances its own way where few rows share a discrete value."""
        if self.name != "sklearn":
            return False
        labels = [*matrix.T[discrete], *([] if classes is None else [classes])]
        counts = [np.unique(column, return_counts=True)[1] for column in labels]
        most = 2 * self.n_neighbors + 1
        return any(bool(((few > 1) & (few <= most)).any()) for few in counts)

    def by_scikit_learn(
        self, matrix: FloatArray, discrete: BoolArray, values: npt.NDArray[Any], is_classes: bool
    ) -> FloatArray:
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

    def square(self, columns: Columns) -> FloatArray:
        """Each column with each other: half of the pairs, and the diagonal."""
        total = len(columns)
        found = np.zeros((total, total))

        def keep(index: int, start: int, stop: int, values: FloatArray) -> None:
            found[index, start:stop] = values
            found[start:stop, index] = values

        self.estimate(columns, [(index, index, total) for index in range(total)], keep)
        return found

    def rows(self, matrix: FloatArray, discrete: BoolArray) -> FloatArray:
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

        def keep(index: int, start: int, stop: int, values: FloatArray) -> None:
            found[index - total, start:stop] = values

        self.estimate(columns, [(total + index, 0, total) for index in range(total)], keep)
        return found

    def estimate(
        self, columns: Columns, lines: Sequence[Line], keep: Callable[[int, int, int, FloatArray], None]
    ) -> None:
        """Estimate the information of all pairs; ``keep`` gets a column, the range of the others, and values."""
        numbers = np.arange(1, columns.n_rows + 2)
        logarithm = np.append(0.0, np.log(numbers))
        digamma = np.append(0.0, np.cumsum(np.append(-EULER, 1 / numbers[:-1])))
        k = max(1, min(self.n_neighbors, columns.n_rows - 1))

        def worker(stop: npt.NDArray[np.intc]) -> Callable[[Line], None]:
            strict = self.name == "sklearn"
            pairs = neighbours.Pairs(columns.arrays, k, strict, digamma, logarithm, stop)

            def do(line: Line) -> None:
                index, start, end = line
                others = np.arange(start, end, dtype=np.intc)
                values = np.zeros(len(others))
                pairs.run(np.full_like(others, index), others, values)
                keep(index, start, end, values)

            return do

        total = sum(end - start for _, start, end in lines)
        in_threads(_pieces(lines, columns.n_rows), total, worker, self.n_jobs, self.progress)


def _pieces(lines: Sequence[Line], n_rows: int) -> Iterator[tuple[Line, int]]:
    step = max(1, PIECE // n_rows)
    for index, start, end in lines:
        for at in range(start, end, step):
            until = min(at + step, end)
            yield (index, at, until), until - at


def _check_number(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number of at least {least}.")
