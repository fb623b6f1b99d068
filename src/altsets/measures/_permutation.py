"""How much worse a model predicts rows that it has not seen, if the values of a feature are shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from altsets.measures._constants import constant_columns
from altsets.measures._features import FloatArray
from altsets.measures._matrix import matrix_of
from altsets.measures._model import HELD_OUT, fresh_model, scorer_for, splits_of
from altsets.measures._target import target_of
from altsets.measures._threads import Progress, in_order

__all__ = ["permutation"]


def permutation(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    scoring: Any = None,
    test_size: float = HELD_OUT,
    cv: Any = None,
    n_repeats: int = 5,
    task: str = "auto",
    random_state: int = 25,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Permutation importance of each feature, on rows that the model was not fitted to.

    It is scikit-learn's: the score of the model, minus its mean score over ``n_repeats`` random orders of the values
    of a feature. Fitted rows would praise features that the model has only learnt by heart.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Numbers.
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
    n_repeats : int
        Random orders of each feature.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed of the split and of the orders, and for every part of the estimator that has none.
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
    matrix, _ = matrix_of(X)
    target = target_of(y, len(matrix), task)
    fitted = []
    for train, test in splits_of(cv, matrix, target, random_state, test_size=test_size):
        model = fresh_model(estimator, target.is_classes, random_state)
        model.fit(matrix[train], target.values[train])
        fitted.append((model, test))
    scorer = scorer_for(fitted[0][0], scoring, target.is_classes)
    columns = np.flatnonzero(~constant_columns(matrix))
    drops = np.zeros((len(fitted), matrix.shape[1]))

    def work(number: int) -> float:
        model, test = fitted[number // len(columns)]
        column = columns[number % len(columns)]
        return _drop(model, matrix[test], target.values[test], int(column), scorer, n_repeats, random_state)

    found = in_order(work, len(fitted) * len(columns), n_jobs, progress)
    drops[:, columns] = np.reshape(list(found), (len(fitted), len(columns)))
    return np.asarray(drops.mean(axis=0))


def _drop(
    model: Any, rows: FloatArray, values: Any, column: int, scorer: Any, n_repeats: int, random_state: int
) -> float:
    """The importance of one column: scikit-learn sees this column alone, the scorer puts it back in its place."""
    from sklearn.inspection import permutation_importance

    def in_place(fitted: Any, shuffled: FloatArray, expected: Any) -> float:
        table = rows.copy()
        table[:, column] = shuffled[:, 0]
        return float(scorer(fitted, table, expected))

    found = permutation_importance(
        model, rows[:, [column]], values, scoring=in_place, n_repeats=n_repeats, random_state=random_state
    )
    return float(found.importances_mean[0])
