"""How much worse a model predicts rows that it has not seen, if the values of a feature are shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.measures._threads import OnProgress, in_order
from altsets.measures.models import (
    HELD_OUT,
    fit,
    fresh_model,
    judge_of,
    missing_values_explained,
    scorer_for,
    splits_of,
)
from altsets.tables.constant_columns import constant_columns
from altsets.tables.conversion import features_of
from altsets.tables.encoded import encoded
from altsets.tables.target import target_of
from altsets.tables.weights import counted, counted_rows

__all__ = ["permutation"]


def permutation(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    scoring: Any = None,
    test_size: float = HELD_OUT,
    cv: Any = None,
    groups: Any = None,
    n_repeats: int = 5,
    task: str = "auto",
    random_state: int = 25,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    progress: OnProgress | None = None,
) -> Floats:
    """Permutation importance of each feature, on rows that the model was not fitted to.

    It is scikit-learn's: the score of the model, minus its mean score over ``n_repeats`` random orders of the values
    of a feature. Fitted rows would praise features that the model has only learnt by heart.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers and categories. A category becomes a column of 0 and 1 for each label (one column for two labels), and
        these are shuffled together. A missing number is handed to the model as nan.
    y : array-like of shape (n_samples,)
        The target.
    estimator : estimator or str, optional
        Any model of scikit-learn's kind, pipelines included; it is copied first. By default a decision tree
        (criterion "entropy" for classes).
    scoring : str or callable, optional
        A name of a scorer of scikit-learn, or ``scoring(model, X, y) -> float``; by default Matthews' correlation
        coefficient for classes, R² for amounts.
    test_size : float or int
        The share or number of rows to hold out, drawn at random, from each class alike.
    cv : int or splitter, optional
        Folds in place of one held-out part; importances are averaged over them.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep rows of one group together; without ``cv``, whole groups are held out.
    n_repeats : int
        Random orders of each feature.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed of the split and of the orders, and for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts when the model is fitted, and in the score if the scorer takes weights.
    n_jobs : int, optional
        Threads; all processors by default. The scores do not depend on it.
    progress : callable, optional
        Called now and then with the share that is done, from 0 to 1; whatever it raises ends the work.

    Returns
    -------
    ndarray of shape (n_features,)
        One number per feature, 0 for a constant column; below 0 where the model predicts better without.

    Examples
    --------
    >>> X = [[0, 3], [0, 1], [1, 3], [1, 1]] * 10
    >>> scores = permutation(X, ["a", "a", "b", "b"] * 10)
    >>> bool(scores[0] > 0.5), float(scores[1])
    (True, 0.0)
    """
    whole_table = features_of(X)
    features, y, weights = counted(whole_table, y, sample_weight)
    target, table = target_of(y, features.n_rows, task), encoded(features, at_once=True)
    kept = counted_rows(sample_weight, whole_table.n_rows)
    splits = splits_of(cv, table.matrix, target, random_state, groups=groups, test_size=test_size, kept=kept)
    fitted = []
    for train, test in splits:
        model = fresh_model(estimator, target.is_classes, random_state)
        with missing_values_explained(features, model):
            fit(model, table.matrix[train], target.values[train], None if weights is None else weights[train])
        fitted.append((model, test))
    scorer = scorer_for(fitted[0][0], scoring, target.is_classes)
    varied = np.flatnonzero(~constant_columns(features.values))
    drops = np.zeros((len(fitted), features.n_features))

    def work(number: int) -> float:
        model, test = fitted[number // len(varied)]
        columns = table.columns_of([int(varied[number % len(varied)])])
        judge = judge_of(scorer, None if weights is None else weights[test])
        return _drop(model, table.matrix[test], target.values[test], columns, judge, n_repeats, random_state)

    with missing_values_explained(features, fitted[0][0]):
        found = list(in_order(work, len(fitted) * len(varied), n_jobs, progress))
    drops[:, varied] = np.reshape(found, (len(fitted), len(varied)))
    return np.asarray(drops.mean(axis=0))


def _drop(
    model: Any, rows: Floats, values: Any, columns: Any, judge: Any, n_repeats: int, random_state: int
) -> float:
    """The importance of the columns of one feature: scikit-learn shuffles the numbers of the rows, the scorer them."""
    from sklearn.inspection import permutation_importance

    def in_place(fitted: Any, order: Floats, expected: Any) -> float:
        table = rows.copy()
        table[:, columns] = rows[order, columns]
        return float(judge(fitted, table, expected))

    numbers = np.arange(len(rows))[:, None]
    found = permutation_importance(
        model, numbers, values, scoring=in_place, n_repeats=n_repeats, random_state=random_state
    )
    return float(found.importances_mean[0])
