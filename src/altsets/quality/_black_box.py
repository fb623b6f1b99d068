"""Qualities that can only be evaluated: any function of a set, or how well a model predicts with it."""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from altsets.errors import InputError, UnsupportedError
from altsets.features import whole_number
from altsets.measures.models import (
    Split,
    as_columns,
    fit_tree,
    fits_single_precision,
    fresh_model,
    is_own,
    matthews,
    names_for_weights,
    one_line,
    predict_tree,
    r_squared,
    splits_of,
    table_for,
)
from altsets.measures.scoring import (
    ModelRows,
    explain_fit_errors,
    kept_groups,
    positive_class,
    scorer_for,
)
from altsets.measures.workers import check_jobs, n_workers, run_in_workers
from altsets.quality._quality import MAX_ITERS, Quality, common_names, size_checked
from altsets.quality.form import Form
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import MISSING_VALUES, Encoded, Features
from altsets.tables.survival import Survival, is_survival
from altsets.tables.target import Outcome, Target, labels_for_models, outcome_of
from altsets.tables.weights import counted, counted_rows

#: Sums of larger scores come near the end of double precision.
LARGEST_SCORE = 1e100


class BlackBox(Quality):
    """Quality of a set = whatever a function says about it.

    Each set is scored once and remembered, also from one search to the next; so the function should always say the
    same about the same set. A score of minus infinity rules a set out.

    Parameters
    ----------
    score : callable
        ``score(indices) -> float`` for a sorted tuple of feature indices; larger is better.
    n_features_in : int, default=None
        How many features there are to choose from; may be left out where they are named.
    feature_names : sequence of str, default=None
        Names for every output, else ``x0``, ``x1``, ...
    size_normalised : bool, default=True
        Whether sets of different sizes compare fairly. Say False for a score that grows with every feature.
    n_jobs : int, default=None
        How many sets are scored at a time, in threads; -1 for one per processor. The function must be thread-safe.
        joblib's ``parallel_config`` overrules. No answer depends on it.
    max_iters : int, default=1000
        How long to search: the number of sets that are evaluated, or of swaps that are tried with
        ``engine="greedy-wrapper"``; in sequential search for each set, as in Bach (2023), else for the whole search.
        With ``engine="auto"``, if there are no more sets than this, all of them are evaluated, which is a proof.

    Attributes
    ----------
    n_evaluations : int
        How many times the function was called.

    See Also
    --------
    altsets.quality.Wrapper : Scores a model with the features of a set.

    Examples
    --------
    >>> quality = BlackBox(lambda indices: 10 - sum(indices), n_features_in=5)
    >>> quality.evaluate((0, 3)), quality.evaluate((3, 0)), quality.n_evaluations
    (7.0, 7.0, 1)
    """

    has_form = False

    #: Whether sets that are scored at the same time are scored in processes of their own.
    _in_processes = False

    def __init__(
        self,
        score: Callable[[tuple[int, ...]], float],
        *,
        n_features_in: int | None = None,
        feature_names: Sequence[str] | None = None,
        size_normalised: bool = True,
        n_jobs: int | None = None,
        max_iters: int = MAX_ITERS,
    ) -> None:
        if not callable(score):
            raise InputError(f"score must be a function of a tuple of indices, not {type(score).__name__}.")
        if n_features_in is None:
            if feature_names is None:
                raise InputError("a black box does not say how many features there are; give n_features_in.")
            n_features_in = len(feature_names)
        n = whole_number("n_features_in", n_features_in, least=1)
        super().__init__(n, common_names(feature_names, n))
        self.score = score
        self.size_normalised = bool(size_normalised)
        self.n_jobs = check_jobs(n_jobs)
        self.max_iters = whole_number("max_iters", max_iters, least=1)
        self.n_evaluations = 0
        self._known: dict[tuple[int, ...], float] = {}

    def evaluate(self, indices: Sequence[int]) -> float:
        known = self._known.get(indices if type(indices) is tuple else self._key(indices))
        return self.evaluate_many([indices])[0] if known is None else known

    def evaluate_many(self, sets: Sequence[Sequence[int]]) -> list[float]:
        """Return the qualities of several sets, ``n_jobs`` at a time.

        If the function fails on one of them, the others are remembered before the error is raised.
        """
        keys = [self._key(indices) for indices in sets]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        failure = None
        for key, answer in zip(new, self._answers(new), strict=True):
            self.n_evaluations += 1
            if isinstance(answer, InputError):
                failure = failure or answer
            else:
                self._known[key] = answer
        if failure is not None:
            raise failure
        return [self._known[key] for key in keys]

    def knows(self, indices: Sequence[int]) -> bool:
        """Whether the function has been asked about this set."""
        return self._key(indices) in self._known

    def form(self, size: int) -> Form:
        raise UnsupportedError(f"{type(self).__name__} can evaluate sets, but has no feature scores.")

    def _answers(self, keys: list[tuple[int, ...]]) -> list[float | InputError]:
        outcomes = self._outcomes(self.score, keys)
        return [self._answer(key, outcome) for key, outcome in zip(keys, outcomes, strict=True)]

    def _outcomes(self, function: Callable[[tuple[int, ...]], Any], keys: list[tuple[int, ...]]) -> list[Any]:
        """What a function says about each set, or the exception that it raises."""
        if len(keys) < 2 or n_workers(self.n_jobs) == 1:
            return [_outcome(function, key) for key in keys]
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        calls = (delayed(_outcome)(function, key) for key in keys)
        if self._in_processes:
            return list(run_in_workers(calls, self.n_jobs, return_as="generator"))
        return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(calls))

    def _answer(self, key: tuple[int, ...], outcome: Any) -> float | InputError:
        """What the function says, or what is wrong with it."""
        if isinstance(outcome, Exception):
            kind = "" if isinstance(outcome, InputError) else f"{type(outcome).__name__}: "
            wrong = self._wrong(key, f"could not be computed: {kind}{one_line(outcome)}")
            wrong.__cause__ = outcome
            return wrong
        number = math.nan
        if isinstance(outcome, float | numbers.Real) or getattr(outcome, "ndim", None) == 0:
            number = float(outcome)
        if number != number or number == math.inf:
            return self._wrong(key, f"is {outcome!r}; it must be a number, or minus infinity to rule it out.")
        if LARGEST_SCORE < abs(number) < math.inf:
            return self._wrong(
                key,
                f"is {outcome!r}, which leaves no digits for other scores; give numbers up to {LARGEST_SCORE:g}, "
                "or minus infinity to rule a set out.",
            )
        return number

    def _wrong(self, key: tuple[int, ...], what: str) -> InputError:
        return InputError(f"the score of {{{', '.join(self.names_of(key))}}} {what}")

    def _key(self, indices: Sequence[int]) -> tuple[int, ...]:
        key = tuple(sorted({int(index) for index in indices}))
        size_checked(len(key))
        if key[0] < 0 or key[-1] >= self.n_features_in:
            raise InputError(
                f"{key} is not a set of features; indices go from 0 to {self.n_features_in - 1}."
            )
        return key


def _outcome(score: Callable[[tuple[int, ...]], Any], key: tuple[int, ...]) -> Any:
    """Return the value of a function for a set, or the exception that it raises; either can be pickled."""
    try:
        return score(key)
    except Exception as error:
        return error


class OfModels(BlackBox):
    """A quality that fits a model to each set."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        scoring: Any = None,
        cv: Any = None,
        groups: Any = None,
        pos_label: Any = None,
        class_weight: Any = None,
        task: str = "auto",
        feature_names: Sequence[str] | None = None,
        random_state: int = 25,
        sample_weight: Any = None,
        n_jobs: int | None = None,
        max_iters: int = MAX_ITERS,
    ) -> None:
        everything = features_of(X, feature_names)
        features, labels, weights = counted(everything, y, sample_weight, task)
        task = task if is_survival(labels) else _task_of(estimator, task)
        target = outcome_of(labels, features.n_rows, task)
        kept = counted_rows(sample_weight, everything.n_rows)
        self.splits = splits_of(cv, features.cells, target, random_state, groups=groups, kept=kept)
        survival = isinstance(target, Survival)
        model = fresh_model(estimator, target.is_classes, random_state, class_weight, survival=survival)
        named = labels_for_models(labels, target)
        if pos_label is not None:
            pos_label = positive_class(named, pos_label, target.is_classes)
        scorer = scorer_for(model, scoring, target.is_classes, named, pos_label)
        rows = ModelRows(table_for(estimator, features), named, weights, kept_groups(groups, kept))
        parts = [(rows.part(train), rows.part(test)) for train, test in self.splits]
        # Without the table as it was, which is in the parts.
        models = ScoredModels(model, scorer, parts, replace(features, original=None), is_own(estimator))
        as_usual = scoring is None and class_weight is None
        score = self._score_of(estimator, models, rows, target, as_usual)
        how: dict[str, Any] = {"n_jobs": n_jobs, "max_iters": max_iters}
        super().__init__(score, n_features_in=features.n_features, feature_names=features.names, **how)
        self._begin(model)

    @abstractmethod
    def _score_of(
        self, estimator: Any, models: ScoredModels, rows: ModelRows, target: Outcome, as_usual: bool
    ) -> ScoredModels | _Trees:
        """What scores sets, after checks and changes of the model; ``as_usual``, no option says how."""

    def _begin(self, model: Any) -> None:
        """What is left to do when the features are known."""

    @classmethod
    def from_data(cls, X: Any, y: Any, *, estimator: Any = None, **options: Any) -> Self:
        """Make the quality with the table ``X`` and the target ``y`` first, as the other qualities have it.

        By default the ``estimator`` is None; ``options`` are the other parameters of the class.
        """
        return cls(estimator, X, y, **options)


class Wrapper(OfModels):
    """Quality of a set = how well a model predicts with these features alone, on rows that it was not fitted to.

    The rows are split once, so that a set always has the same quality; it is computed once and remembered. By default
    all is as in Bach (2023): decision trees (information gain), a stratified split 80:20, Matthews correlation. If the
    target is numeric: regression trees, a split 80:20, R².

    Parameters
    ----------
    estimator : scikit-learn estimator, str or None
        It is copied for every fit; parts without a seed get ``random_state``. A name: "tree", "forest", "boosting",
        "linear", "neighbors", "svm", or a class by its full name. None: a decision tree.
    X : table of shape (n_samples, n_features)
        Numbers and categories. Your own estimator gets the columns of a set as they are here: a frame stays a frame.
        For models by name a category becomes a column of 0 and 1 for each label (one column for two labels), and
        "linear", "neighbors" and "svm" replace missing numbers by the median of the rows that they are fitted to.
    y : array-like of shape (n_samples,)
    scoring : str or callable, default=None
        The name of a scorer of scikit-learn, or ``scorer(estimator, X, y) -> float``; larger is better. None: Matthews
        correlation, or R² if the target is numeric.
    cv : int, splitter or iterable of (train, test), default=None
        How rows are split; the quality is the mean over all splits. None: one split 80:20.
    groups : array-like of shape (n_samples,), default=None
        For splitters that keep rows of one group together, also those inside the estimator; without ``cv``, whole
        groups are held out.
    pos_label : str, int, float or bool, default=None
    class_weight : {"balanced"}, default=None
        As for :func:`altsets.evaluate`.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target names classes or is numeric; "auto" asks the estimator, then the values.
    feature_names : sequence of str, default=None
        Names of the columns, if ``X`` has none or they are to be called differently.
    random_state : int, default=25
        Seed for the split 80:20 and for estimators without one.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts when a model is fitted, and in the score if the scorer takes weights.
    n_jobs : int, default=None
        How many sets are assessed at a time, -1 for one per processor; no answer depends on it. Models other than the
        default are fitted in processes of their own, unless joblib's ``parallel_config`` says otherwise.
    max_iters : int, default=1000
        As for :class:`BlackBox`.

    See Also
    --------
    altsets.measures.permutation : Scores of single features from the same kind of model.

    References
    ----------
    Kohavi, R. and John, G. H. (1997). Wrappers for feature subset selection. Artificial Intelligence 97, 273-324.

    Examples
    --------
    >>> X = [[0, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]] * 4
    >>> quality = Wrapper(None, X, [0, 1, 0, 1, 0] * 4)
    >>> quality.evaluate((0,)), quality.evaluate((1,)) < 1
    (1.0, True)
    """

    def _score_of(
        self, estimator: Any, models: ScoredModels, rows: ModelRows, target: Outcome, as_usual: bool
    ) -> ScoredModels | _Trees:
        if (
            as_usual
            and not models.own
            and estimator in (None, "tree")
            and rows.weights is None
            and not models.about.is_sparse
            and isinstance(target, Target)
            and isinstance(rows.columns, Encoded)
            and fits_single_precision(rows.columns.matrix)
        ):
            return _Trees(rows.columns, target, self.splits, models.model)
        models.check()
        # Models of scikit-learn that use threads themselves cannot be fitted side by side in threads: they change the
        # filters for warnings, which all threads share.
        self._in_processes = True
        return models


def _task_of(estimator: Any, task: str) -> str:
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


@dataclass(frozen=True, eq=False)
class ScoredModels:
    """Any estimator and any scorer, as scikit-learn would have it."""

    model: Any
    scorer: Any
    splits: Sequence[tuple[ModelRows, ModelRows]]
    about: Features
    own: bool

    def __call__(self, indices: tuple[int, ...]) -> float:
        return float(np.mean([self._score(indices, *split) for split in self.splits]))

    def check(self) -> None:
        """Refuse weights and missing values before any search, if the model does not take them."""
        if self.splits[0][0].weights is not None:
            names_for_weights(self.model)
        if not self.about.incomplete.any():
            return
        try:
            self._score(np.flatnonzero(self.about.incomplete).tolist(), *self.splits[0])
        except InputError as error:
            if MISSING_VALUES in str(error):
                raise
        except Exception:
            # What else goes wrong is said of the set that it goes wrong with.
            return

    def _score(self, indices: Sequence[int], train: ModelRows, test: ModelRows) -> float:
        with explain_fit_errors(self.about, self.model, indices, own=self.own):
            fitted = train.fit_copy(self.model, indices)
            return test.score(fitted, indices, self.scorer)


class _Trees:
    """Default trees and default scores: the same numbers as :class:`ScoredModels`, sooner."""

    def __init__(self, table: Encoded, target: Target, splits: Sequence[Split], tree: Any) -> None:
        columns = as_columns(table.matrix)
        self._holes = np.asarray(np.isnan(columns).any(axis=1))
        self._table = table
        self._parts = [
            (
                np.ascontiguousarray(columns[:, train]),
                target.values[train],
                np.ascontiguousarray(columns[:, test]),
                target.values[test],
            )
            for train, test in splits
        ]
        self._target, self._tree = target, tree

    def __call__(self, indices: tuple[int, ...]) -> float:
        chosen = self._table.columns_of(indices)
        check = bool(self._holes[chosen].any())
        scores = []
        for X, y, X_test, y_test in self._parts:
            predicted = predict_tree(fit_tree(self._tree, X[chosen], y, check=check), X_test[chosen])
            if self._target.is_classes:
                scores.append(matthews(y_test, predicted, self._target.n_distinct))
            else:
                scores.append(r_squared(y_test, predicted))
        return float(np.mean(scores))
