"""How much worse a model predicts rows that it has not seen, if the values of a feature are shuffled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.measures._threads import OnProgress, in_order
from altsets.measures.complaints import complaints_explained
from altsets.measures.judged_rows import JudgedRows, counted_groups, judged_rows
from altsets.measures.models import HELD_OUT, fresh_model, is_own, splits_of, table_for
from altsets.measures.scorers import judge_of, scorer_for
from altsets.measures.workers import in_workers, is_configured
from altsets.tables.constant_columns import constant_columns
from altsets.tables.conversion import features_of
from altsets.tables.encoded import encoded
from altsets.tables.target import labels_of, target_of
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
    pos_label: Any = None,
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
        Numbers and categories. Your own estimator gets them as they are here. For models by name a category becomes a
        column of 0 and 1 for each label (one column for two labels), and these are shuffled together; a missing number
        is nan.
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
        For splitters that keep rows of one group together, also those inside the estimator; without ``cv``, whole
        groups are held out.
    pos_label : optional
        Which of two classes precision, recall, f1 and the like are about. None: 1 or True if it is one of them, else
        the last one in order.
    n_repeats : int
        Random orders of each feature.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" looks at its values.
    random_state : int
        Seed of the split and of the orders, and for every part of the estimator that has none.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts when the model is fitted, and in the score if the scorer takes weights.
    n_jobs : int, optional
        Threads; all processors by default. joblib's ``parallel_config`` overrules where and how many. The scores do not
        depend on it.
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
    target = target_of(y, features.n_rows, task)
    own = is_own(estimator)
    table = table_for(estimator, features) if own else encoded(features, at_once=True)
    kept = counted_rows(sample_weight, whole_table.n_rows)
    splits = splits_of(
        cv, features.values, target, random_state, groups=groups, test_size=test_size, kept=kept
    )
    everything = range(features.n_features)
    known = (labels_of(y, target), weights, counted_groups(groups, kept))
    models = [fresh_model(estimator, target.is_classes, random_state) for _ in splits]
    scorer = scorer_for(models[0], scoring, target.is_classes, known[0], pos_label)
    varied = np.flatnonzero(~constant_columns(features.values))
    with complaints_explained(features, models[0], own=own):
        for model, (train, _) in zip(models, splits, strict=True):
            judged_rows(table, train, *known).fit(model, everything)
        tests = [judged_rows(table, test, *known) for _, test in splits]
        work = _Work(models, tests, varied, scorer, n_repeats, random_state)
        found = list(_outcomes(work, len(models) * len(varied), n_jobs, progress))
    drops = np.zeros((len(models), features.n_features))
    drops[:, varied] = np.reshape(found, (len(models), len(varied)))
    return np.asarray(drops.mean(axis=0))


def _outcomes(work: _Work, count: int, n_jobs: int | None, progress: OnProgress | None) -> Iterator[float]:
    """What comes out of each piece of work, in order: from threads, or from where the user wants it done."""
    if not is_configured():
        yield from in_order(work, count, n_jobs, progress)
        return
    calls: Iterator[Any] = ((work, (number,), {}) for number in range(count))
    for done, outcome in enumerate(in_workers(calls, n_jobs, return_as="generator"), start=1):
        if progress is not None:
            progress(done / count)
        yield outcome


@dataclass(frozen=True)
class _Work:
    """The importance of one feature to one of the models, by number; all of it can be sent elsewhere."""

    models: Sequence[Any]
    tests: Sequence[JudgedRows]
    varied: Indices
    scorer: Any
    n_repeats: int
    random_state: int

    def __call__(self, number: int) -> float:
        from sklearn.inspection import permutation_importance

        model, rows = (part[number // len(self.varied)] for part in (self.models, self.tests))
        judge = judge_of(self.scorer, rows.weights)
        feature = int(self.varied[number % len(self.varied)])

        def in_place(fitted: Any, order: Any, expected: Any) -> float:
            return float(judge(fitted, rows.columns.shuffled(feature, order[:, 0]), expected))

        # scikit-learn shuffles the numbers of the rows, the scorer the rows.
        numbers = np.arange(len(rows.labels))[:, None]
        found = permutation_importance(
            model,
            numbers,
            rows.labels,
            scoring=in_place,
            n_repeats=self.n_repeats,
            random_state=self.random_state,
        )
        return float(found.importances_mean[0])
