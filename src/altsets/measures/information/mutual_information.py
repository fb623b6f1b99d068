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

**Categories of many labels.** By chance alone, a category of 200 labels has 0.05 nats about two classes in 2,000 rows,
and 0.5 about ten. What is to be expected by chance is therefore subtracted where one of two discrete columns is a
category with more than 10 labels, or with fewer than 10 rows for each of them on average; see ``columns``.

**Missing values.** "Missing" is a value of its own: y is known by whether x is missing, and, in the rows where it is
not, by x. The formula is at the head of ``estimator``. Where columns are cut into bins, missing is one more bin.

**Weights.** Counts become sums of weights, bins have equal weight, and their default number is the cube root of Kish's
effective number of rows; see ``columns``. Neighbours cannot be weighted. Whole numbers are rows that are there several
times, for neighbours too.

**Ties.** The two formulas with neighbours assume that no two distances are equal. scikit-learn adds random noise of
relative size 1e-10 for that, which moves estimates by 0.01 to 0.05 on real data and makes them depend on the order of
the columns. Here nothing is random:

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

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import warn_user
from altsets.measures.covariates import residual_table, residuals
from altsets.measures.information.columns import SortedColumns, bin_column, discrete_columns
from altsets.measures.information.estimator import Estimator, Line, Places, Sample, WithMissing
from altsets.measures.information.levels import Levels
from altsets.measures.sparse_columns import dense_blocks, fits_dense
from altsets.measures.workers import OnProgress
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Target, target_of
from altsets.tables.weights import counted, counted_as_repeats, whole
from altsets.wording import by_interface


def mutual_info(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    task: str = "auto",
    method: str = "neighbors",
    discrete: npt.ArrayLike = "auto",
    n_neighbors: int = 3,
    n_bins: int | None = None,
    random_state: int | None = 25,
    n_jobs: int | None = None,
    callback: OnProgress | None = None,
) -> Floats:
    """Estimate the mutual information of each feature with the target, in nats.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A missing number is a value of its own, as is a missing label; but "sklearn" refuses
        missing numbers.
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts. "bins" takes any weights; for the others, whole numbers are rows that are there
        several times. With other weights "neighbors" counts in bins, and says so; "sklearn" refuses them.
    task : {"auto", "classification", "regression"}, default="auto"
    method : {"neighbors", "bins", "sklearn"}, default="neighbors"
        "neighbors": a count for two discrete variables, nearest neighbours where one of them is continuous;
        deterministic, see the notes. "bins": a count for all, after continuous variables were cut into bins of
        equal frequency; much faster for many rows, coarser, and biased upwards. "sklearn": the numbers of
        scikit-learn's ``mutual_info_classif`` and ``mutual_info_regression``, random jitter included.
    discrete : "auto", bool, or array of bool or of indices, default="auto"
        Which columns are discrete; categories always are. "auto" takes a column for discrete if it has at most 10
        different values that occur at least 10 times each on average. The paper's study treats everything as
        continuous, as ``task="regression", discrete=False, method="sklearn"`` does.
    n_neighbors : int, default=3
        Neighbours of the continuous estimate; more of them mean less variance and more bias.
    n_bins : int, default=None
        Bins of a continuous variable for "bins"; by default the cube root of the number of rows, at least 2. Missing
        values have one more.
    random_state : int or None, default=25
        Seed of the jitter, which only "sklearn" has.
    n_jobs : int, default=None
    callback : callable, default=None

    See Also
    --------
    altsets.measures.symmetrical_uncertainty : Information as a share, from 0 to 1.
    sklearn.feature_selection.mutual_info_classif : What ``method="sklearn"`` calls for classes.
    sklearn.feature_selection.mutual_info_regression : What ``method="sklearn"`` calls for a numeric target.

    Notes
    -----
    The formulas are at the head of the module ``altsets.measures.information.mutual_information``. Without ties they
    give what scikit-learn gives but for its jitter; ties are dealt with as a jitter would on average.

    References
    ----------
    - Kraskov, A., Stögbauer, H. and Grassberger, P. (2004). Estimating mutual information. Physical Review E 69,
      066138.
    - Ross, B. C. (2014). Mutual information between discrete and continuous data sets. PLoS ONE 9(2), e87357.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 10
    >>> mutual_info(X, ["a", "a", "b", "b"] * 10).round(4).tolist()
    [0.6931, 0.0]
    """
    how = Estimator(method, n_neighbors, n_bins, random_state, n_jobs, callback)
    features, y, weights, how = _counted_rows(X, y, sample_weight, how)
    if how.method != method:
        warn_of_bins(weights, method)
    target = target_of(y, features.n_rows, task)
    if features.covariates is not None:
        if not target.is_classes:
            left = residuals(target.values[:, None], features.covariates, weights)[:, 0]
            target = replace(target, values=left, numeric=left)
        features = residual_table(features, weights, "mutual_info")
    scores, rest = np.zeros(features.n_features), np.arange(features.n_features)
    is_discrete = discrete_columns(features, discrete, weights)
    if features.is_sparse:
        # Counts, from what is stored; a missing value is dealt with as in a dense table.
        by_counts = np.full(len(rest), how.method == "bins")
        by_counts |= is_discrete & target.is_classes & ~features.incomplete
        places, rest = np.flatnonzero(by_counts), np.flatnonzero(~by_counts & ~features.constant)
        levels = _levels(features.columns(places.tolist()), is_discrete[places], how, weights)
        scores[places] = levels.information(_codes(how, target, weights))
    # The noise of scikit-learn depends on all columns.
    blocks = [(rest, features)] if how.method == "sklearn" else dense_blocks(features, rest)
    for some, block in blocks:
        table = Sample(block.values, is_discrete[some], block.nominal, weights)
        scores[some] = _scores(table, target, how)
    # Noise can make a constant column vary.
    scores[features.constant] = 0.0
    return scores


def _scores(table: Sample, target: Target, how: Estimator) -> Floats:
    if how.needs_scikit_learn(table.values, table.discrete, target.values if target.is_classes else None):
        return how.by_scikit_learn(table.values, table.discrete, target.values, target.is_classes)
    last = table.values.shape[1]
    if how.method == "neighbors" and np.isnan(table.values).any():
        return WithMissing(how, table.and_target(target)).rows([last])[0, :last]
    scores = np.zeros(last)
    how.estimate(how.with_target(table, target), [(last, 0, scores)])
    return scores


def _levels(features: Features, is_discrete: Bools, how: Estimator, weights: Floats | None) -> Levels:
    return Levels.of(features.cells, is_discrete, how.number_of_bins(features.n_rows, weights), weights)


def _codes(how: Estimator, target: Target, weights: Floats | None) -> Indices:
    if target.is_classes:
        return np.asarray(target.values)
    codes = bin_column(target.values, how.number_of_bins(len(target.values), weights), weights)
    return np.unique(codes, return_inverse=True)[1]


def symmetrical_uncertainty(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    task: str = "auto",
    discrete: npt.ArrayLike = "auto",
    n_bins: int | None = None,
    n_jobs: int | None = None,
    callback: OnProgress | None = None,
) -> Floats:
    """Compute the symmetrical uncertainty of each feature with the target: a share of what there is to know.

    It is ``2 I(x, y) / (H(x) + H(y))``, where I is the mutual information by counting and H the entropy; continuous
    variables are cut into bins of equal frequency.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A missing number is a value of its own, as is a missing label.
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), default=None
    task : {"auto", "classification", "regression"}, default="auto"
    discrete : "auto", bool, or array of bool or of indices, default="auto"
    n_bins : int, default=None
    n_jobs : int, default=None
    callback : callable, default=None
        As for :func:`mutual_info`.

    See Also
    --------
    altsets.measures.mutual_info : The information itself, in nats; needs no bins.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 10
    >>> symmetrical_uncertainty(X, ["a", "a", "b", "b"] * 10).round(4).tolist()
    [1.0, 0.0]
    """
    how = Estimator("bins", 1, n_bins, None, n_jobs, callback)
    features, y, weights, how = _counted_rows(X, y, sample_weight, how)
    target = target_of(y, features.n_rows, task)
    is_discrete = discrete_columns(features, discrete, weights)
    if features.is_sparse:
        levels, codes = _levels(features, is_discrete, how, weights), _codes(how, target, weights)
        shares = as_uncertainty(levels.information(codes), levels.entropies() + levels.entropy_of(codes))
        return np.where(features.constant, 0.0, shares)
    shares = np.zeros(features.n_features)
    for some, block in dense_blocks(features, np.arange(features.n_features)):
        columns = how.with_target(Sample(block.values, is_discrete[some], block.nominal, weights), target)
        found, entropies = np.zeros(len(some)), np.zeros(len(some) + 1)
        how.estimate(columns, [*_own_lines(entropies), (len(some), 0, found)])
        shares[some] = as_uncertainty(found, entropies[:-1] + entropies[-1])
    return shares


def _own_lines(entropies: Floats) -> list[Line]:
    return [(index, index, entropies[index : index + 1]) for index in range(len(entropies))]


class InformationPairs:
    """Rows and blocks of the matrix of all pairs: columns are prepared once, and pairs estimated when needed.

    ``as_share``, they are symmetrical uncertainties.
    """

    def __init__(
        self,
        features: Features,
        how: Estimator,
        *,
        sample_weight: Any = None,
        discrete: npt.ArrayLike = "auto",
        as_share: bool = False,
    ) -> None:
        self._as_share, self._levels = as_share, None
        # By neighbours, no estimate is larger than psi(rows) + psi(neighbours) + 2 * 0.58.
        most = math.log(features.n_rows) + math.log(how.n_neighbors + 1) + 2.0
        self.range = 0.0, 1.0 if as_share else most
        if features.is_sparse:
            self._levels = _sparse_levels(features, sample_weight, discrete, how)
        self.has_cheap_rows = how.method == "bins" or self._levels is not None
        if self._levels is None:
            features = Features(features.dense(), features.names) if features.is_sparse else features
            no_target = np.zeros(features.n_rows)
            features, _, weights, self._how = _counted_rows(features, no_target, sample_weight, how)
            is_discrete = discrete_columns(features, discrete, weights)
            self._table = Sample(features.values, is_discrete, features.nominal, weights)
            self._is_incomplete = self._how.method == "neighbors" and bool(features.incomplete.any())

    @cached_property
    def _columns(self) -> SortedColumns:
        return self._how.columns(self._table)

    @cached_property
    def _with_missing(self) -> WithMissing:
        return WithMissing(self._how, self._table)

    @cached_property
    def entropies(self) -> Floats:
        """The information of each column and itself; of columns that are counted, not of neighbours."""
        if self._levels is not None:
            return self._levels.entropies()
        entropies = np.zeros(self._table.values.shape[1])
        self._how.estimate(self._columns, _own_lines(entropies))
        return entropies

    def rows(self, of: Places) -> Floats:
        if self._levels is not None:
            found = self._levels.rows(of)
        elif self._is_incomplete:
            found = self._with_missing.rows(of)
        else:
            found = np.zeros((len(of), self._table.values.shape[1]))
            self._how.estimate(self._columns, [(int(j), 0, row) for j, row in zip(of, found, strict=True)])
        return self._shown(found, of)

    def square(self, of: Places | None = None) -> Floats:
        """The pairs of some columns, by default of all."""
        if self._levels is not None:
            some = self._levels if of is None else self._levels.some(np.asarray(of, dtype=np.intp))
            found = some.rows(range(some.n_columns))
            # Rounded differently on both sides of the diagonal.
            found = np.maximum(found, found.T)
        elif self._how.method == "sklearn":
            # Each column has other noise as a target.
            found = self._how.rows(self._table.values, self._table.discrete)
        else:
            part = self._table if of is None else self._table.some(of)
            if self._is_incomplete:
                found = WithMissing(self._how, part).square()
            else:
                found = self._how.square(self._columns if of is None else self._how.columns(part))
        every: Places = range(len(found)) if of is None else of
        return self._shown(found, every, every)

    def _shown(self, found: Floats, first: Places, second: Any = slice(None)) -> Floats:
        if not self._as_share:
            return found
        return as_uncertainty(found, self.entropies[list(first), None] + self.entropies[second])


def warn_of_bins(weights: Floats | None, method: str) -> None:
    """Warn that information is estimated in bins, where neighbours were requested but rows have weights."""
    if method == "neighbors" and weights is not None and not _repeats(weights):
        warn_user(
            "mutual information by nearest neighbours takes no weights but whole numbers, so it is counted in bins "
            "instead (method='bins')."
        )


def as_uncertainty(information: Floats, entropies: Floats) -> Floats:
    """Information as a share of what there is to know: symmetrical uncertainty."""
    shares = 2 * information / np.where(entropies > 0, entropies, 1.0)
    return np.asarray(np.minimum(shares, 1.0))


def _sparse_levels(
    features: Features, sample_weight: Any, discrete: npt.ArrayLike, how: Estimator
) -> Levels | None:
    """Columns of a sparse table to count in; None if they are to be compared by neighbours, and few enough for that."""
    no_target = np.zeros(features.n_rows)
    features, _, weights, how = _counted_rows(features, no_target, sample_weight, how)
    is_discrete = discrete_columns(features, discrete, weights)
    if how.method == "bins" or (is_discrete.all() and not features.incomplete.any()):
        return _levels(features, is_discrete, how, weights)
    if fits_dense(features):
        return None
    features.refuse_sparse(
        "mutual_info of pairs by nearest neighbours",
        by_interface("use method='bins', or ", "use ")
        + "the measure symmetrical_uncertainty, pearson or spearman",
    )
    return None


def _counted_rows(
    X: Any, y: Any, sample_weight: Any, how: Estimator
) -> tuple[Features, Any, Floats | None, Estimator]:
    """Table and target without rows of weight 0, weights if they are unequal, and the estimator."""
    features, y, weights = counted(features_of(X), y, sample_weight)
    if weights is not None and (weights == weights[0]).all():
        weights = None
    if weights is not None and how.method == "neighbors" and not _repeats(weights):
        how = replace(how, method="bins")
    if weights is not None and how.method != "bins":
        features, y = counted_as_repeats(features, y, weights, f"mutual_info (method={how.method!r})")
        weights = None
    if how.method == "sklearn":
        features.refuse_missing(
            "mutual_info (method='sklearn')", advice="fill them in, or use another method, which counts them"
        )
        features.refuse_sparse("mutual_info (method='sklearn')", "use method='neighbors' or 'bins'")
    return features, y, weights, how


def _repeats(weights: Floats) -> bool:
    """Whether weights only repeat rows: whole numbers, or all equal."""
    counting = weights[weights > 0]
    return whole(counting) or bool((counting == counting[0]).all())
