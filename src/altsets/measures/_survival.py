"""Measures for survival targets: concordance, the score test of a Cox model, the log-rank test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures import risk_sets
from altsets.measures.risk_sets import compared_pairs, cox_model, quadratic_form
from altsets.measures.sparse_columns import dense_blocks, known_parts
from altsets.measures.workers import map_in_order
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features, constant_columns
from altsets.tables.survival import SURVIVAL_FORM, Survival
from altsets.tables.target import outcome_of
from altsets.tables.weights import counted
from altsets.wording import by_interface, parameter

#: The measures of this module by name.
SURVIVAL_MEASURES = ("concordance", "cox", "logrank")


def concordance(
    X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None, n_jobs: int | None = None
) -> Floats:
    """Compute the absolute Somers' D of each feature with survival: how well it tells which of two rows dies first.

    Two rows are comparable if the one observed for a shorter time had the event; of two rows with the same time, if
    just one had it. Somers' D is the share of comparable pairs in which the row with the larger value has the event
    first, less the share in which it has it last. Harrell's C index is (1 + D) / 2, or (1 - D) / 2 if small values
    are the risk. Only the order of values matters, so outliers and units do not.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers, and two categories as 0 and 1. Where a number is missing, the row is left out for this feature.
    y : structured array of shape (n_samples,)
        Events and times, as :func:`altsets.io.survival_target` makes them.
    task : {"auto", "survival"}, default="auto"
        "survival" takes two columns, 0 and 1 for the event and numbers for the time, as well.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each row counts; a pair counts by the product of both.
    n_jobs : int, default=None

    See Also
    --------
    altsets.measures.cox : Compares values rather than their order.

    References
    ----------
    Harrell, F. E., Lee, K. L. and Mark, D. B. (1996). Multivariable prognostic models. Statistics in Medicine 15,
    361-387.

    Examples
    --------
    >>> import altsets
    >>> y = altsets.io.survival_target(time=[2, 4, 6, 8], event=[1, 1, 0, 1])
    >>> concordance([[9, 1, 7], [8, 3, 7], [5, 2, 7], [1, 4, 7]], y).round(6).tolist()
    [1.0, 0.6, 0.0]
    """
    features, target, weights = _prepared(X, y, task, sample_weight, "concordance")
    features.refuse_categories("concordance", advice="use cox or logrank")
    scores = np.zeros(features.n_features)
    for places, part in dense_blocks(features, np.arange(features.n_features)):
        scores[places] = np.abs(compared_pairs(part.values, target, weights, n_jobs=n_jobs).somers_d)
    return scores


def cox(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the score statistic of a Cox model of each feature alone; by chance chi-squared, one degree of freedom.

    It compares the value of each row that has the event with the mean of all rows at risk at that time. Events at the
    same time are treated as Efron does. No model is fitted, as the statistic needs only the slope where there is no
    effect; it is as good as that of a fitted model, and quick.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories; a category of k labels has k - 1 degrees of freedom. Where a number is missing, the row
        is left out for this feature.
    y : structured array of shape (n_samples,)
    task : {"auto", "survival"}, default="auto"
        As for :func:`concordance`.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in sums; ties are resolved with the mean weight of the events, as R's survival does.

    See Also
    --------
    altsets.quality.LinearFit : The same statistic for sets of features.

    References
    ----------
    - Cox, D. R. (1972). Regression models and life-tables. Journal of the Royal Statistical Society B 34, 187-220.
    - Efron, B. (1977). The efficiency of Cox's likelihood function for censored data. Journal of the American
      Statistical Association 72, 557-565.

    Examples
    --------
    >>> import altsets
    >>> y = altsets.io.survival_target(time=[2, 4, 6, 8], event=[1, 1, 0, 1])
    >>> cox([[9, 1, 7], [8, 3, 7], [5, 2, 7], [1, 4, 7]], y).round(4).tolist()
    [2.4199, 1.1739, 0.0]
    """
    features, target, weights = _prepared(X, y, task, sample_weight, "cox")

    return _by_columns(features, target, weights, _ScoreTests)


def logrank(X: Any, y: Any, *, task: str = "auto", sample_weight: Any = None) -> Floats:
    """Compute the log-rank statistic of each feature: how far the survival of its groups differs.

    The events of each group are compared with what its share of the rows at risk lets expect, time by time. For k
    groups it is chi-squared with k - 1 degrees of freedom by chance, so features of many categories score higher.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Categories are groups. Numbers make two groups: those above the median, and the rest. Where a number is
        missing, the row is left out for this feature.
    y : structured array of shape (n_samples,)
    task : {"auto", "survival"}, default="auto"
        As for :func:`concordance`.
    sample_weight : array-like of shape (n_samples,), default=None

    See Also
    --------
    altsets.measures.cox : Takes numbers as they are, which loses less.

    References
    ----------
    Mantel, N. (1966). Evaluation of survival data and two new rank order statistics. Cancer Chemotherapy Reports 50,
    163-170.

    Examples
    --------
    >>> import altsets
    >>> y = altsets.io.survival_target(time=[2, 4, 6, 8], event=[1, 1, 0, 1])
    >>> logrank([[9, 1, 7], [8, 3, 7], [5, 2, 7], [1, 4, 7]], y).round(4).tolist()
    [2.8824, 0.0588, 0.0]
    """
    features, target, weights = _prepared(X, y, task, sample_weight, "logrank")
    if weights is not None and weights.sum() <= 1:
        raise InputError(
            f"logrank counts rows by their weights, and sample_weight adds up to {weights.sum():.3g} only; multiply "
            "it by one number, so that it adds up to the number of rows."
        )

    return _by_columns(features, target, weights, _LogRank)


def _prepared(
    X: Any, y: Any, task: str, sample_weight: Any, who: str
) -> tuple[Features, Survival, Floats | None]:
    features = features_of(X)
    if task not in ("auto", "survival"):
        raise InputError(
            f"{who} is for survival, not for {parameter('task', task)}; leave that out, or choose another measure."
        )
    features, y, weights = counted(features, y, sample_weight, task)
    target = outcome_of(y, features.n_rows)
    if not isinstance(target, Survival):
        how = by_interface(
            f"make the target with {SURVIVAL_FORM}", "name both columns with --time and --event"
        )
        raise InputError(f"{who} needs a time and an event for each row (survival); {how}.")
    return features, target, weights


class _Statistic(Protocol):
    """A statistic of columns with a survival target, in the rows of one of both."""

    def __init__(self, target: Survival, weights: Floats | None, covariates: Floats | None) -> None: ...

    def of_numbers(self, matrix: Floats) -> Floats: ...

    def of_groups(self, codes: Indices) -> float: ...


def _by_columns(
    features: Features, target: Survival, weights: Floats | None, statistic: type[_Statistic]
) -> Floats:
    """One statistic per column, each in the rows where it is known; categories of several labels are groups."""
    scores = np.zeros(features.n_features)
    beside = features.covariates
    for columns, rows, matrix, counting in known_parts(features, weights, dense=True):
        some = target.of_rows(rows)
        if some.event.any():
            of_rows = statistic(some, counting, None if beside is None else beside[rows])
            scores[columns] = _in_blocks(matrix, of_rows.of_numbers)
    grouped = [index for index, labels in features.categories.items() if len(labels) > 2]
    if grouped:
        of_rows = statistic(target, weights, beside)
        for index in grouped:
            scores[index] = of_rows.of_groups(features.values[:, index].astype(np.intp))
    return scores


def _in_blocks(matrix: Floats, score: Callable[[Floats], Floats]) -> Floats:
    """Scores of complete columns, some at a time in threads; constant ones have 0."""
    step = max(risk_sets.CELLS_AT_A_TIME // len(matrix), 1)
    blocks = [slice(start, start + step) for start in range(0, matrix.shape[1], step)]
    if len(blocks) == 1:
        found = score(matrix)
    else:
        found = np.concatenate(list(map_in_order(lambda chunk: score(matrix[:, blocks[chunk]]), len(blocks))))
    return np.where(constant_columns(matrix), 0.0, found)


class _ScoreTests:
    """Score tests of columns beside covariates in a Cox model."""

    def __init__(self, target: Survival, weights: Floats | None, covariates: Floats | None) -> None:
        self._null, self._beside = cox_model(target, weights, covariates)

    def of_numbers(self, matrix: Floats) -> Floats:
        # In units of the largest value, so that squares of huge numbers are finite.
        largest = np.abs(matrix).max(axis=0)
        columns = matrix / np.where(largest > 0, largest, 1.0)
        return self._null.score_tests(self._null.centred(columns), self._beside)

    def of_groups(self, codes: Indices) -> float:
        indicators = (codes[:, None] == np.unique(codes)[:-1]).astype(np.float64)
        return self._null.joint_test(self._null.centred(indicators), self._beside)


def _upper_half(matrix: Floats, counting: Floats) -> Floats:
    """1 where a value is above the median of its column, else 0; of a median that none is above, from it on."""
    order = np.argsort(matrix, axis=0)
    reached = np.cumsum(counting[order], axis=0) >= counting.sum() / 2
    middle = np.take_along_axis(matrix, order, axis=0)[reached.argmax(axis=0), np.arange(matrix.shape[1])]
    above: Bools = np.where(middle < matrix.max(axis=0), matrix > middle, matrix >= middle)
    return above.astype(np.float64)


class _LogRank:
    """For each time with an event: the rows at risk, the events, and the factor of the variance."""

    def __init__(self, target: Survival, weights: Floats | None, covariates: Floats | None = None) -> None:
        self._order = np.argsort(-target.time, kind="stable")
        self._counting = np.ones(len(target.time)) if weights is None else weights
        self._weights, event = self._counting[self._order], target.event[self._order]
        time = -target.time[self._order]
        died = np.flatnonzero(event)
        moments, which = np.unique(time[died], return_inverse=True)
        self._ends = np.searchsorted(time, moments, side="right") - 1
        self._events = np.bincount(which, self._weights[died])
        self._at_risk = np.cumsum(self._weights)[self._ends]
        self._dying = self._weights * event
        # Without replacement; the last row at risk tells nothing.
        left = self._at_risk - 1
        self._variance = np.divide(
            self._events * (self._at_risk - self._events), left, out=np.zeros(len(left)), where=left > 0
        )

    def of_numbers(self, matrix: Floats) -> Floats:
        difference, shares = self._shares(_upper_half(matrix, self._counting))
        variance: Floats = self._variance @ (shares * (1 - shares))
        return np.divide(difference**2, variance, out=np.zeros(len(variance)), where=variance > 0)

    def of_groups(self, codes: Indices) -> float:
        """The statistic of several groups; one of them follows from the others."""
        difference, shares = self._shares((codes[:, None] == np.unique(codes)[:-1]).astype(np.float64))
        weighed = self._variance[:, None] * shares
        return quadratic_form(difference, np.diag(weighed.sum(axis=0)) - weighed.T @ shares)

    def _shares(self, groups: Floats) -> tuple[Floats, Floats]:
        """Observed less expected events of columns of 0 and 1, and their shares of the rows at risk by time."""
        ordered = groups[self._order]
        shares = np.cumsum(ordered * self._weights[:, None], axis=0)[self._ends] / self._at_risk[:, None]
        difference: Floats = self._dying @ ordered - self._events @ shares
        return difference, shares
