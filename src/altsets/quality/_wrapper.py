"""Wrapper quality: a set is as good as a model that sees no other features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError
from altsets.measures._matrix import matrix_of
from altsets.measures._model import Split, fresh_model, scorer_for, splits_of
from altsets.measures._target import Target, target_of
from altsets.quality._black_box import BlackBox

__all__ = ["Wrapper"]


class Wrapper(BlackBox):
    """Quality of a set = how well a model predicts with these features alone, on rows that it was not fitted to.

    The rows are split once, so that a set always has the same quality; it is computed once and remembered. By default
    all is as in the paper: decision trees (information gain), a stratified split 80:20, Matthews correlation. If the
    target is an amount: regression trees, a split 80:20, R².

    Parameters
    ----------
    estimator : scikit-learn estimator, str or None
        It is copied for every fit; parts without a seed get ``random_state``. A name: "tree", "forest", "boosting",
        "linear", "neighbors", "svm", or a class by its full name. None: a decision tree.
    X : table of shape (n_samples, n_features)
        A NumPy array or a frame with column names; numbers only.
    y : array-like of shape (n_samples,)
        The target.
    scoring : str or callable, optional
        The name of a scorer of scikit-learn, or ``scorer(estimator, X, y) -> float``; larger is better. None: Matthews
        correlation, or R² if the target is an amount.
    cv : int, splitter or iterable of (train, test), optional
        How rows are split; the quality is the mean over all splits. None: one split 80:20.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep rows of one group together.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" asks the estimator, then the values.
    feature_names : sequence of str, optional
        Names of the columns, if ``X`` has none or they are to be called differently.
    random_state : int
        Seed for the split 80:20 and for estimators without one.
    n_jobs : int, optional
        How many sets are assessed at a time, -1 for one per processor; no answer depends on it. Models other than the
        default are fitted in processes of their own.

    Examples
    --------
    >>> X = [[0, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]] * 4
    >>> quality = Wrapper(None, X, [0, 1, 0, 1, 0] * 4)
    >>> quality.evaluate((0,)), quality.evaluate((1,)) < 1
    (1.0, True)
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        scoring: Any = None,
        cv: Any = None,
        groups: Any = None,
        task: str = "auto",
        feature_names: Sequence[str] | None = None,
        random_state: int = 25,
        n_jobs: int | None = None,
    ) -> None:
        matrix, names = matrix_of(X, feature_names)
        target = target_of(y, len(matrix), _task_of(estimator, task))
        splits = splits_of(cv, matrix, target, random_state, groups=groups)
        score: Callable[[tuple[int, ...]], float]
        default = estimator is None or (isinstance(estimator, str) and estimator == "tree")
        if default and scoring is None and _fits_single_precision(matrix):
            score = _Trees(matrix, target, splits, random_state)
        else:
            model = fresh_model(estimator, target.is_classes, random_state)
            scorer = scorer_for(model, scoring, target.is_classes)
            # A scorer may ask for a class by its name.
            labels = np.asarray(y).reshape(len(matrix)) if target.is_classes else target.values
            score = partial(_fit_and_score, model, scorer, matrix, labels, splits)
        # Models of scikit-learn that use threads themselves cannot be fitted side by side in threads: they change the
        # filters for warnings, which all threads share.
        self._in_processes = not isinstance(score, _Trees)
        super().__init__(score, n_features_in=matrix.shape[1], feature_names=names, n_jobs=n_jobs)
        self.splits = splits

    @classmethod
    def from_data(cls, X: Any, y: Any, *, estimator: Any = None, **options: Any) -> Wrapper:
        """The same with the table first, as the other qualities have it.

        Parameters
        ----------
        X, y : table and target
            As above.
        estimator : scikit-learn estimator, optional
            As above.
        **options
            As above.
        """
        return cls(estimator, X, y, **options)


def _task_of(estimator: Any, task: str) -> str:
    """What an estimator is for, if it says so and nobody else has."""
    if estimator is None or isinstance(estimator, str):
        return task
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise InputError(
            f"estimator must be a scikit-learn estimator, such as a decision tree, or None; got {estimator!r}."
        )
    if task != "auto":
        return task
    from sklearn.base import is_classifier, is_regressor

    if is_classifier(estimator):
        return "classification"
    return "regression" if is_regressor(estimator) else "auto"


def _fit_and_score(
    model: Any,
    scorer: Any,
    matrix: npt.NDArray[np.float64],
    labels: npt.NDArray[Any],
    splits: Sequence[Split],
    indices: tuple[int, ...],
) -> float:
    """Any estimator and any scorer, as scikit-learn would have it."""
    from sklearn.base import clone

    columns = np.ascontiguousarray(matrix[:, indices])
    scores = []
    for train, test in splits:
        fitted = clone(model).fit(columns[train], labels[train])
        scores.append(scorer(fitted, columns[test], labels[test]))
    return float(np.mean(scores))


# --- The default, with less around it ---------------------------------------------------------------


def _fits_single_precision(matrix: npt.NDArray[np.float64]) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.isfinite(matrix.astype(np.float32)).all())


class _Trees:
    """Default trees and default scores: the same numbers, but the table is converted and checked only once.

    Half of the time of a small fit is spent on such checks.
    """

    def __init__(
        self, matrix: npt.NDArray[np.float64], target: Target, splits: Sequence[Split], random_state: int
    ) -> None:
        # Trees work in single precision, and a few columns of a table are quickly taken if columns lie together.
        columns = np.ascontiguousarray(matrix.T, dtype=np.float32)
        self._parts = [
            (
                np.ascontiguousarray(columns[:, train]),
                target.values[train],
                np.ascontiguousarray(columns[:, test]),
                target.values[test],
            )
            for train, test in splits
        ]
        self._target, self._tree = target, fresh_model(None, target.is_classes, random_state)

    def __call__(self, indices: tuple[int, ...]) -> float:
        from sklearn import config_context

        chosen = list(indices)
        scores = []
        with config_context(skip_parameter_validation=True):
            for X, y, X_test, y_test in self._parts:
                tree = copy(self._tree)
                tree.fit(X[chosen].T, y, check_input=False)
                predicted = tree.tree_.predict(X_test[chosen].T)
                if self._target.is_classes:
                    labels = tree.classes_[np.argmax(predicted, axis=1)]
                    scores.append(_matthews(y_test, labels, self._target.n_distinct))
                else:
                    scores.append(_r_squared(y_test, predicted[:, 0]))
        return float(np.mean(scores))


def _matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], n_classes: int) -> float:
    """Matthews correlation of class codes; 0 where it is not defined."""
    table = np.bincount(true * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)
    there, said, total = table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), len(true)
    shared = int(np.trace(table)) * total - sum(a * b for a, b in zip(there, said, strict=True))
    spread = (total**2 - sum(a * a for a in there)) * (total**2 - sum(b * b for b in said))
    return shared / float(spread) ** 0.5 if spread else 0.0


def _r_squared(true: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> float:
    left = float(np.sum((true - predicted) ** 2))
    spread = float(np.sum((true - np.mean(true)) ** 2))
    if spread:
        return 1 - left / spread
    return 0.0 if left else 1.0
