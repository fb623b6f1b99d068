"""Numbers for pairs of features, by name or by a function of the user's; which columns of a table are similar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets._kernels import correlations as kernel
from altsets.arrays import Floats, Indices
from altsets.errors import InputError, reason_of
from altsets.features import Feature, are_counted, labels_of, real_numbers
from altsets.measures._univariate import rank_columns, refuse_options
from altsets.measures.covariates import residual_table, standardize
from altsets.measures.information.columns import patterns_of
from altsets.measures.information.estimator import Estimator
from altsets.measures.information.mutual_information import InformationPairs, as_uncertainty, warn_of_bins
from altsets.measures.sparse_columns import UnitColumns
from altsets.measures.workers import map_in_order
from altsets.tables.conversion import features_of, in_frame_of
from altsets.tables.feature_matrix import Features, warn_of_constants, warn_of_left_out_rows
from altsets.tables.weights import counted, counted_as_repeats
from altsets.wording import parameter

#: The names of the measures that compare features with each other.
PAIR_MEASURES = ("mutual_info", "pearson", "spearman", "symmetrical_uncertainty")

#: What to do where a correlation does not apply, or a function of the user's.
NOT_NUMBERS = "use symmetrical_uncertainty or mutual_info"
NUMBERS_ONLY = "encode them as numbers, or use mutual_info or symmetrical_uncertainty"
NO_HOLES = "fill them in, or use a measure that takes them, such as mutual_info"

#: Columns whose pairs one call of the kernel computes.
COLUMNS_AT_A_TIME = 16
#: Columns that are multiplied with each other at a time: all at once needs several times the memory of the answer, and
#: with threads OpenBLAS crashes on the product of a large matrix with its own transpose (NumPy's issue 19685).
COLUMNS_OF_PRODUCT = 4096
#: Up to this many rows, sums of products of ranks fit into 64 bits.
MOST_ROWS = 2_000_000
#: Of correlations; a thousand times coarser than what rounding does to sums of products.
DECIMALS = 13
#: What rounding may take away from a similarity that reaches a limit.
TOLERANCE = 1e-9


def pairwise(
    X: Any, measure: Any = "mutual_info", *, sample_weight: Any = None, warn: bool = True, **options: Any
) -> Any:
    """Measure how much each feature says about each other.

    Each feature in turn takes the place of the target and is treated the same way in both places, so that the numbers
    can be compared with those of :func:`score`. The matrix is symmetric, except for a function of your own, and for
    ``"mutual_info"`` with ``method="sklearn"``, which breaks ties at random.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        As for :func:`score`, in memory; of sparse matrices, mutual information by nearest neighbours takes small ones
        only. Correlations take categories of two labels only, and leave out rows where one of the two is missing.
    measure : str, callable or array, default="mutual_info"
        ``"mutual_info"`` in nats, ``"pearson"`` or ``"spearman"`` for the absolute correlation of values or ranks,
        ``"symmetrical_uncertainty"``; ``measure(X, y)`` for a float matrix and one of its columns, which returns a
        number for each column; or the numbers themselves, one for each pair of features, without options.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts: 0 for not at all, whole numbers for rows that are there several times. Any weights
        will do for ``"pearson"``, ``"symmetrical_uncertainty"`` and ``"mutual_info"``, which then counts in bins.
    warn : bool, default=True
        Whether to warn; False where :func:`score` has done so.
    **options : dict
        Passed on to the measure: for ``"mutual_info"`` and ``"symmetrical_uncertainty"`` those of the functions
        of that name but for ``task``.

    Returns
    -------
    ndarray or frame of shape (n_features, n_features)
        Row i: feature i as the target; zeros for constant columns. For a frame, a frame of the same library with its
        labels, which qualities, constraints and dissimilarities recognise; only those of pandas label rows.

    Warns
    -----
    UserWarning
        If columns are constant; if rows are left out because of missing values; if information is counted in bins
        because of weights.

    See Also
    --------
    altsets.dissimilarity.Matched : Compares sets through such similarities.

    Examples
    --------
    >>> pairwise([[1, 4], [2, 3], [3, 2], [4, 4]], "pearson").round(4).tolist()
    [[1.0, 0.1348], [0.1348, 1.0]]
    """
    features = features_of(X)
    features, _, weights = counted(features, np.zeros(features.n_rows), sample_weight)
    if callable(measure):
        rows = _rows_by(measure, features, weights, options)
    elif isinstance(measure, str) and measure in PAIR_MEASURES:
        rows = source_of(measure, features, weights, options).square()
    elif is_array(measure):
        rows = given_numbers(measure, features, options, axes=("index", "columns"))
    else:
        choices = " or ".join(map(repr, PAIR_MEASURES))
        raise InputError(
            f"{parameter('measure', measure)} does not compare features with each other; choose {choices}, "
            "or pass a function of X and y, or one number for each pair of features."
        )
    if warn:
        warn_of_constants(features)
        warn_of_pairs(features, weights, measure, options)
    return in_frame_of(X, _without_constants(rows, features, range(features.n_features)))


def _without_constants(rows: Floats, features: Features, of: Sequence[int]) -> Floats:
    """A constant depends on nothing, which not every measure takes into account."""
    constant = features.constant
    rows[constant[list(of)], :] = 0.0
    rows[:, constant] = 0.0
    return rows


def pairs_of(X: Any, of: Sequence[int], measure: str, *, sample_weight: Any = None) -> Floats:
    """The rows of :func:`pairwise` for a few features, without all the other pairs; no warnings.

    "uncertainty_coefficient" is the mutual information as a share of the entropy of the few: 1 where another feature
    determines one of them, however many values it has itself.
    """
    features = features_of(X)
    features, _, weights = counted(features, np.zeros(features.n_rows), sample_weight)
    if measure == "uncertainty_coefficient":
        known = InformationPairs(features, Estimator("bins"), sample_weight=weights)
        rows = as_uncertainty(known.rows(of), 2 * known.entropies[list(of), None])
    else:
        rows = source_of(measure, features, weights, {}).rows(np.asarray(of, dtype=np.intp))
    return _without_constants(rows, features, of)


def warn_of_pairs(features: Features, weights: Floats | None, measure: Any, options: dict[str, Any]) -> None:
    warn_of_left_out_rows(features, measure)
    if isinstance(measure, str) and measure == "mutual_info":
        warn_of_bins(weights, options.get("method", "neighbors"))


def _rows_by(
    measure: Callable[..., Any], features: Features, weights: Floats | None, options: dict[str, Any]
) -> Floats:
    no_target = np.zeros(features.n_rows)
    features, _ = counted_as_repeats(features, no_target, weights, "a function as measure")
    rows = np.zeros((features.n_features, features.n_features))
    # As a target, a constant column is refused by most measures.
    for index in np.flatnonzero(~features.constant):
        rows[index] = score_by(measure, features, features.column(int(index)).copy(), **options)
    return rows


def source_of(
    measure: str, features: Features, weights: Floats | None, options: dict[str, Any]
) -> Correlations | UnitColumns | InformationPairs:
    """Prepare the columns of a table: some rows of the matrix of pairs, or squares of it, are computed when needed.

    What it says about a column and itself does not matter.
    """
    if measure not in ("pearson", "spearman"):
        as_share, discrete = measure == "symmetrical_uncertainty", options.pop("discrete", "auto")
        # Shares of information compare columns as they are; no quality adjusts them.
        if features.covariates is not None and not as_share:
            features = residual_table(features, weights, measure)
        how = Estimator("bins", 1, random_state=None, **options) if as_share else Estimator(**options)
        return InformationPairs(features, how, sample_weight=weights, discrete=discrete, as_share=as_share)
    refuse_options(measure, options)
    what = "Pearson" if measure == "pearson" else "rank"
    features.refuse_categories(f"the {what} correlation", advice=NOT_NUMBERS)
    if measure == "spearman":
        # Ranks know whole numbers of rows only.
        features, _ = counted_as_repeats(features, np.zeros(features.n_rows), weights, "spearman")
        weights = None
    if features.covariates is not None:
        prepare = rank_columns if measure == "spearman" else np.ascontiguousarray
        return Correlations("pearson", residual_table(features, weights, measure, prepare), weights)
    if not features.is_sparse:
        return Correlations(measure, features, weights)
    if features.incomplete.any():
        # Pairs would need rows of their own.
        raise InputError(
            f"{measure} does not compare columns of a sparse table with missing values "
            f"({features.missing_by_label()}); fill them in, drop these columns, or use symmetrical_uncertainty."
        )
    return UnitColumns(features.cells, weights, ranked=measure == "spearman")


# --- Correlations -------------------------------------------------------------------------------------


class Correlations:
    """Absolute correlations of the columns of a dense table, each pair in the rows that both columns have."""

    range = (0.0, 1.0)
    has_cheap_rows = True

    def __init__(self, measure: str, features: Features, weights: Floats | None) -> None:
        self._measure, self._values, self._weights = measure, features.values, weights
        self._incomplete = np.asarray(features.incomplete)
        self._units: Floats | None = None
        if not self._incomplete.any():
            self._units = _unit_rows(measure, self._values, weights)

    def rows(self, of: Indices) -> Floats:
        if self._units is not None:
            return _as_correlations(self._units[of] @ self._units.T)
        found = np.zeros((len(of), self._values.shape[1]))
        known, group_of = patterns_of(self._values)
        for first in np.unique(group_of[of]):
            places = np.flatnonzero(group_of[of] == first)
            for second in range(len(known)):
                others = np.flatnonzero(group_of == second)
                rows = np.flatnonzero(known[first] & known[second])
                if len(rows) and len(others):
                    weighed = None if self._weights is None else self._weights[rows]
                    left, right = (
                        _unit_rows(self._measure, self._values[np.ix_(rows, group)], weighed)
                        for group in (of[places], others)
                    )
                    found[np.ix_(places, others)] = _as_correlations(left @ right.T)
        return found

    def square(self, of: Indices | None = None) -> Floats:
        """The pairs of some columns, by default of all."""
        if self._units is not None:
            return _products(self._units if of is None else self._units[of])
        incomplete = self._incomplete if of is None else self._incomplete[of]
        values = self._values if of is None else self._values[:, of]
        if self._measure == "spearman" and len(values) > MOST_ROWS:
            every = np.arange(self._values.shape[1]) if of is None else of
            return self.rows(every)[:, every]
        found = np.zeros((len(incomplete), len(incomplete)))
        holes, complete = np.flatnonzero(incomplete), np.flatnonzero(~incomplete)
        if len(complete):
            units = _unit_rows(self._measure, values[:, complete], self._weights)
            found[np.ix_(complete, complete)] = _products(units)
        if len(holes):
            # Incomplete columns come first: each is paired with all after it.
            order = np.concatenate([holes, complete])
            _fill_incomplete(found, order, len(holes), _pairs(self._measure, values[:, order], self._weights))
            for index in holes:
                known = values[~np.isnan(values[:, index]), index]
                found[index, index] = float(len(known) > 0 and known.min() < known.max())
        return found


def _unit_rows(measure: str, matrix: Floats, weights: Floats | None) -> Floats:
    """Columns of length 1, whose products are correlations, as the rows of an array."""
    prepared = matrix if measure == "pearson" else rank_columns(matrix)
    # One after the other in memory, as products of few of them with all are what is asked for.
    return np.ascontiguousarray(standardize(prepared, weights).T)


def _as_correlations(products: Floats) -> Floats:
    # Products of one column and of many are rounded differently. Limits must not tell them apart.
    np.round(np.abs(products, out=products), DECIMALS, out=products)
    return np.minimum(products, 1.0, out=products)


def _products(units: Floats) -> Floats:
    found = np.zeros((len(units), len(units)))
    blocks = [slice(start, start + COLUMNS_OF_PRODUCT) for start in range(0, len(units), COLUMNS_OF_PRODUCT)]
    for number, one in enumerate(blocks):
        for other in blocks[number:]:
            products = _as_correlations(units[one] @ units[other].T)
            # Rounded differently on both sides of the diagonal.
            found[one, other] = np.maximum(products, products.T) if one is other else products
            found[other, one] = found[one, other].T
    return found


#: Fills in sums of products, and products of sums of squares, of columns from one to another with all after them.
Fill = Callable[[int, int, Floats, Floats], None]


def _pairs(measure: str, matrix: Floats, weights: Floats | None) -> Fill:
    if measure == "spearman":
        order = np.ascontiguousarray(np.argsort(matrix, axis=0, kind="stable").T, dtype=np.intc)
        codes = np.full(order.shape, -1, dtype=np.intc)
        for column, code in zip(matrix.T, codes, strict=True):
            there = ~np.isnan(column)
            code[there] = np.unique(column[there], return_inverse=True)[1]
        known = (codes >= 0).sum(axis=1).astype(np.int64)
        return lambda start, stop, *out: kernel.rank_products(codes, order, known, start, stop, *out)
    values = np.ascontiguousarray(matrix.T)
    counts = np.ones(len(matrix)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return lambda start, stop, *out: kernel.value_products(values, counts, start, stop, *out)


def _fill_incomplete(found: Floats, order: Indices, n_incomplete: int, fill: Fill) -> None:
    """Fill in the correlations of incomplete columns, the first ones in this order, with all columns."""

    def work(chunk: int) -> tuple[int, Floats]:
        start = chunk * COLUMNS_AT_A_TIME
        stop = min(start + COLUMNS_AT_A_TIME, n_incomplete)
        cross = np.zeros((stop - start, len(order)))
        squares = np.zeros_like(cross)
        fill(start, stop, cross, squares)
        return start, np.abs(cross) / np.sqrt(np.where(squares > 0, squares, np.inf))

    for start, block in map_in_order(work, -(-n_incomplete // COLUMNS_AT_A_TIME)):
        for number, row in enumerate(block, start):
            later = order[number + 1 :]
            found[order[number], later] = found[later, order[number]] = np.minimum(row[number + 1 :], 1.0)


# --- Measures and numbers of the user's ---------------------------------------------------------------


def call_measure(
    function: Callable[..., Any], features: Features, target: npt.NDArray[Any] | None, **options: Any
) -> Any:
    """The result of ``function(X, y)``: it gets nan for missing numbers, 0 and 1 for a category of two labels.

    A sparse table stays sparse, in compressed columns, as score functions of scikit-learn take it.
    """
    features.refuse_categories("a function as measure", advice=NUMBERS_ONLY)
    try:
        return function(features.cells, target, **options)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError):
            if not features.is_sparse:
                raise
            features.refuse_sparse(f"the function given as measure ({reason_of(error)})")
        if features.incomplete.any():
            features.refuse_missing(f"the function given as measure ({error})", advice=NO_HOLES)
        raise


def score_by(
    measure: Callable[..., Any], features: Features, target: npt.NDArray[Any], **options: Any
) -> Floats:
    """One number per column from ``measure(X, y)``, which may return p-values too; nan only for constants."""
    answer = call_measure(measure, features, target, **options)
    scores = real_numbers("the scores of a measure", answer[0] if isinstance(answer, tuple) else answer)
    if scores.shape != (features.n_features,):
        raise InputError(
            f"the measure must return {features.n_features} scores, one for each feature; got shape {scores.shape}."
        )
    wrong = np.isnan(scores) & ~features.constant
    if wrong.any():
        because = f"; {NO_HOLES}" if features.incomplete[wrong].any() else ""
        raise InputError(
            f"the function given as measure returned no number (nan) for {features.labels(wrong)}{because}."
        )
    return scores


def is_array(measure: Any) -> bool:
    is_listed = hasattr(measure, "__array__") or isinstance(measure, list | tuple)
    return not isinstance(measure, str) and is_listed


def given_numbers(
    measure: Any, features: Features, options: dict[str, Any], *, axes: Sequence[str] = ("index",)
) -> Floats:
    """One number for each feature, or with two axes one for each pair, as given."""
    refuse_options("an array given as measure", options)
    values = real_numbers("the values of the array given as measure", measure)
    if not np.isfinite(values).all():
        raise InputError(
            "the array given as measure holds missing or infinite values; put in finite numbers."
        )
    names, count = features.names, features.n_features
    for axis, labels in labels_of(measure):
        if axis in axes and names and labels != names and not are_counted(labels):
            raise InputError(
                f"the {axis} of the measure ({', '.join(labels[:3])} ...) names the features differently from the "
                f"table ({', '.join(names[:3])} ...); bring them into the same order."
            )
    if values.shape != (count,) * len(axes):
        wanted = f" must hold {count} scores, one for each feature"
        if len(axes) > 1:
            wanted = f" of pairs must have one row and one column for each of the {count} features"
        raise InputError(f"the array given as measure{wanted}; got shape {values.shape}.")
    return values


# --- Similar columns ----------------------------------------------------------------------------------


class Alike(NamedTuple):
    """A feature, by index, that is like another one."""

    feature: int
    other: int
    similarity: float


def measure_similarity(X: Any, measure: str, sample_weight: Any = None) -> Floats:
    """How alike a measure finds the columns of a table as they are, from 0 to 1."""
    plain = replace(features_of(X), covariates=None)
    measured: Floats = np.asarray(pairwise(plain, measure, sample_weight=sample_weight, warn=False))
    similar = np.maximum(measured, measured.T)
    return np.clip(similar, 0.0, 1.0, out=similar)


def similar_columns(
    X: Any, columns: Sequence[Feature], measure: str, least: float, who: str, sample_weight: Any = None
) -> tuple[tuple[int, ...], tuple[Alike, ...], int]:
    """Return the columns of a table that are at least this similar to given ones, without comparing all pairs.

    Correlations are for numbers and categories of two labels; other categories are compared by symmetrical uncertainty.

    Returns the given columns by index, each once; the similar ones, each with the one it is most like, the most alike
    first; and the number of columns of the table.
    """
    table = replace(features_of(X), covariates=None)
    names = table.feature_names
    given = sorted(set(names.positions(columns, who)))
    alike = _similarities(table, given, measure, sample_weight).clip(0.0, 1.0)
    alike[:, given] = 0.0
    most = alike.argmax(axis=0).tolist()
    found = [
        Alike(feature, given[row], float(alike[row, feature]))
        for feature, row in enumerate(most)
        if alike[row, feature] > 0 and alike[row, feature] >= least - TOLERANCE
    ]
    found.sort(key=lambda one: (-one.similarity, one.feature))
    return tuple(given), tuple(found), table.n_features


def _similarities(table: Features, given: Sequence[int], measure: str, sample_weight: Any) -> Floats:
    ranked = [index for index in range(table.n_features) if len(table.categories.get(index, ())) <= 2]
    if measure not in ("spearman", "pearson") or len(ranked) == table.n_features:
        return pairs_of(table, given, measure, sample_weight=sample_weight)
    alike = pairs_of(table, given, "symmetrical_uncertainty", sample_weight=sample_weight)
    rows = [row for row, index in enumerate(given) if index in ranked]
    if rows:
        places = [ranked.index(given[row]) for row in rows]
        correlations = pairs_of(table.columns(ranked), places, measure, sample_weight=sample_weight)
        alike[np.ix_(rows, ranked)] = correlations
    return alike
