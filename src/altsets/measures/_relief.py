"""ReliefF: how much better a feature tells rows from their nearest misses than from their nearest hits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets._kernels import relief as kernel
from altsets.arrays import Bools, Floats
from altsets.features import one_of, whole_number
from altsets.measures.information.columns import has_few_values
from altsets.measures.workers import OnProgress, map_in_order
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import column_mask
from altsets.tables.target import Target, target_of
from altsets.tables.weights import counted_as_repeats

#: Values that are compared at a time, those of all rows with each of a chunk of rows: some hundredths of a second, and
#: few megabytes.
VALUES_PER_CHUNK = 20_000_000
#: Rows in a chunk at most.
MOST_ROWS_PER_CHUNK = 64


def relief(
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    n_neighbors: int = 10,
    n_samples: int | None = None,
    discrete: npt.ArrayLike = "auto",
    discrete_threshold: int = 10,
    variant: str = "rebate",
    ties: str = "share",
    random_state: int = 25,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    callback: OnProgress | None = None,
) -> Floats:
    """Compute the ReliefF score of each feature: its difference to the nearest misses minus that to the nearest hits.

    Hits are rows of the same class, misses those of other classes; near is what differs little in all features
    together, so that features count that matter only beside others. Differences in continuous columns are divided
    by their range, those in discrete columns are 0 or 1. Time grows with the square of the number of rows.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories; no missing numbers.
    y : array-like of shape (n_samples,)
    task : {"auto", "classification", "regression"}, default="auto"
    n_neighbors : int, default=10
        Nearest hits, and nearest misses in each other class, of each row (for RReliefF: nearest rows of any kind). Few
        see finer structure, many are less noisy; 10 is usual in the literature, 100 is scikit-rebate's default.
    n_samples : int, default=None
        Number of rows, drawn at random, whose neighbours are searched for, in the whole table; all rows by default.
    discrete : "auto", bool, or array of bool or of indices, default="auto"
        Which columns are discrete; "auto" means those with at most ``discrete_threshold`` different values.
        Categories always are.
    discrete_threshold : int, default=10
    variant : {"rebate", "classic"}, default="rebate"
        "rebate" works as scikit-rebate, except that a row is never its own hit. Hits and misses of a numeric target
        differ in it by less or more than its standard deviation. Where there are columns of both kinds, a difference
        above the standard deviation of its column counts as 1, and all discrete columns together count in distances as
        much as all columns. Large classes of misses weigh more than their share, so that "classic" suits rare classes
        better. "classic" is ReliefF of Kononenko (1994), where classes of misses weigh their share of all rows, and for
        numbers RReliefF of Robnik-Sikonja and Kononenko (1997) with equal weights for all neighbours.
    ties : {"share", "sort"}, default="share"
        Which of several equally distant rows are neighbours. "share" gives them equal parts, so that the order of the
        rows does not matter. "sort" takes those that NumPy's sort puts first, as scikit-rebate does.
    random_state : int, default=25
        Seed for ``n_samples``.
    sample_weight : array-like of shape (n_samples,), default=None
        Whole numbers: how often each row is there.
    n_jobs : int, default=None
    callback : callable, default=None

    Returns
    -------
    ndarray of shape (n_features,)
        Below 0 where a feature differs more among hits. Between -1 and 1, except for rare classes with "rebate".

    See Also
    --------
    altsets.measures.mutual_info : Scores each feature alone; much faster, and takes missing values.

    References
    ----------
    - Kononenko, I. (1994). Estimating attributes: analysis and extensions of RELIEF. ECML.
    - Robnik-Šikonja, M. and Kononenko, I. (1997). An adaptation of Relief for attribute estimation in regression.
      ICML.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> relief(X, ["a", "a", "b", "b"], n_neighbors=1).tolist()
    [1.0, -1.0]
    """
    features, y = counted_as_repeats(features_of(X), y, sample_weight, "relief")
    features.refuse_sparse("relief")
    features.refuse_missing("relief", advice="use mutual_info, or fill them in")
    matrix = features.values
    target = target_of(y, len(matrix), task)
    one_of("variant", variant, ("rebate", "classic"))
    one_of("ties", ties, ("share", "sort"))
    neighbors = min(whole_number("n_neighbors", n_neighbors, least=1), len(matrix))
    rows = _rows(len(matrix), n_samples, random_state)
    mask = _discrete(matrix, discrete, discrete_threshold) | features.nominal
    distances, differences = _columns(matrix, mask, variant == "rebate")
    # RReliefF adds up three numbers for each column, ReliefF one.
    of_numbers = variant == "classic" and not target.is_classes
    add: Callable[..., Any] = kernel.add_products if of_numbers else kernel.add_differences
    if of_numbers:
        # From 0 to 1.
        halves = target.values / 2
        goal: Any = np.asarray((halves - halves.min()) / np.ptp(halves))
    else:
        goal = _hits_and_misses(target, variant)
    shape = (3, matrix.shape[1]) if of_numbers else (matrix.shape[1],)
    per_chunk = int(np.clip(VALUES_PER_CHUNK // matrix.size, 1, MOST_ROWS_PER_CHUNK))

    def work(chunk: int) -> Floats:
        some = rows[chunk * per_chunk : (chunk + 1) * per_chunk]
        keys, totals = np.empty((len(some), len(matrix))), np.zeros(shape)
        kernel.distances(*distances, some, keys)
        if ties == "sort":
            _rank(keys, some)
        add(differences, goal, some, keys, neighbors, totals)
        return totals

    # Chunks are the same and added in the same order for any number of threads.
    total = np.zeros(shape)
    for part in map_in_order(work, -(-len(rows) // per_chunk), n_jobs, callback):
        total += part
    return _rrelieff(total, len(rows)) if of_numbers else total / len(rows)


def _hits_and_misses(target: Target, variant: str) -> tuple[Any, ...]:
    """The target as the kernel takes it: classes with their shares, or numbers with what sets hits apart."""
    if target.is_classes:
        shares = np.bincount(target.values) / len(target.values)
        given = shares if variant == "classic" else np.zeros(0)
        return target.values.astype(np.intc), np.zeros(0), 0.0, given
    # A power of two changes no digit, and keeps the squares of huge numbers finite.
    unit = 2.0 ** (np.frexp(np.abs(target.values).max())[1] - 1)
    spread = float(np.std(target.values / unit, ddof=1) * unit)
    return np.zeros(0, dtype=np.intc), target.values, spread, np.zeros(0)


def _rrelieff(total: Floats, n_rows: int) -> Floats:
    """How likely neighbours differ in a feature if they differ in the target, minus the same if they do not."""
    both, differing, targets = total
    with np.errstate(divide="ignore", invalid="ignore"):
        # Where neighbours never differ in the target, or always fully, there is nothing on one side.
        with_target = np.where(targets > 0, both / targets, 0.0)
        without = np.where(targets < n_rows, (differing - both) / (n_rows - targets), 0.0)
    return np.asarray(with_target - without)


#: The values, range and step of each column, and which are discrete: rows differ beyond a step as much as can be, in
#: discrete columns always.
Differences = tuple[Floats, Floats, Floats, npt.NDArray[np.uint8]]


def _columns(
    matrix: Floats, discrete: Bools, rebate: bool
) -> tuple[tuple[Floats, Floats, float], Differences]:
    """The columns as the kernel takes them: for distances, and for differences."""
    with np.errstate(over="ignore"):
        # The range of huge numbers can overflow; a quarter of them differs as much.
        values = np.where(np.isfinite(np.ptp(matrix, axis=0)), matrix, matrix / 4)
    ranges = np.ptp(values, axis=0)
    # A constant differs nowhere, whatever it is taken for; this way nothing is divided by its range.
    nominal = discrete | (ranges == 0)
    unit = (values[:, ~nominal] - values[:, ~nominal].min(axis=0, initial=np.inf)) / ranges[~nominal]
    steps = np.full(matrix.shape[1], np.inf)
    if rebate and nominal.any():
        steps[~nominal] = unit.std(axis=0) * ranges[~nominal]
    differences = (np.ascontiguousarray(values), ranges, steps, nominal.astype(np.uint8))
    n_full = float(len(nominal) if rebate else nominal.sum())
    return (kernel.packed(unit), kernel.packed(values[:, nominal]), n_full), differences


def _rank(keys: Floats, rows: npt.NDArray[np.int64]) -> None:
    """Replace distances by places in the order that NumPy's sort gives them; a row comes last in its own."""
    for line, row in zip(keys, rows, strict=True):
        line[row] = np.inf
        line[np.argsort(line)] = np.arange(len(line), dtype=np.float64)


def _discrete(matrix: Floats, discrete: npt.ArrayLike, threshold: Any) -> Bools:
    """Which columns are discrete, as given or by the number of their values."""
    if not isinstance(discrete, str) or discrete != "auto":
        return column_mask("discrete", discrete, matrix.shape[1])
    most = whole_number("discrete_threshold", threshold, least=1)
    return np.array([has_few_values(column, most) for column in matrix.T], dtype=bool)


def _rows(n_rows: int, n_samples: int | None, random_state: int) -> npt.NDArray[np.int64]:
    count = n_rows if n_samples is None else whole_number("n_samples", n_samples, least=1)
    if count >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(random_state).choice(n_rows, count, replace=False))
