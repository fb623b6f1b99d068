"""A model for each set: rows are predicted by the first one whose columns they have."""

from __future__ import annotations

import copy
import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d, validate_data

from altsets.arrays import Bools, Indices
from altsets.errors import InputError, warn_user
from altsets.features import FeatureNames
from altsets.measures import models
from altsets.measures.large.table import is_large
from altsets.measures.scoring import scorer_for
from altsets.result import frame_of
from altsets.selector._alternatives import SelectAlternatives
from altsets.selector._answers import request_of
from altsets.selector._column_selector import ANY_TABLE, names_in
from altsets.tables.conversion import is_anndata, missing_cells
from altsets.tables.feature_matrix import Original
from altsets.wording import counted, list_some

#: How the warning of rows that no set covers begins.
UNCOVERED = "No set has all of its columns in"
#: Predicts the rows of a table.
Predict = Callable[[Any, Any], npt.NDArray[Any]]


def _models_have(method: str) -> Callable[[Any], bool]:
    return lambda fallback: hasattr((getattr(fallback, "models_", None) or [fallback.estimator])[0], method)


class FallbackEstimator(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predict with the first set whose columns are there: a model for each alternative, and for each loss.

    A model is fitted to each set, on the training rows without missing values in its columns. Each row is predicted by
    the model of the first set whose columns it has: columns may be missing in some rows, or from the whole table. Where
    the selector adjusts for covariates, every model has them as well.

    Parameters
    ----------
    estimator : estimator
        The classifier or regressor that is cloned and fitted for each set.
    selector : SelectAlternatives
        What finds the sets; it is cloned and fitted to the training rows. In ``sklearn.frozen.FrozenEstimator``, a
        fitted one keeps its sets. Where it leaves ``task`` open, the estimator says it.
    losses : mapping, sequence of sequences of features, Grouped or sequence of names, default=None
        Groups of columns that fail together, as ``feature_groups`` of :meth:`SelectAlternatives.what_if`. For each, the
        best set without it gets a model as well, after those of the alternatives. With ``n_alternatives=0``, the first
        set is followed by these sets alone.

    Attributes
    ----------
    sets_ : list of tuple of int
        The columns of each set in the order in which models are tried; a set that occurs twice has one model.
    named_sets_ : list of tuple of str
        The same by name; ``x0``, ``x1`` and so on without names.
    models_ : list of estimators
        The model of each set.
    selector_ : SelectAlternatives
        The fitted selector.
    losses_ : WhatIf or None
        The best set without each of the losses.
    dummy_ : estimator
        The model without features for rows that no set covers: the frequencies of classes, or the mean.
    classes_ : ndarray of shape (n_classes,)
        The classes, if the estimator is a classifier.
    n_features_in_ : int
        The number of columns in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if they have names.

    See Also
    --------
    altsets.what_if : The best set after each loss.
    altsets.reduced : A fitted pipeline that needs the columns of its set only.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from altsets import FallbackEstimator, SelectAlternatives
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = FallbackEstimator(GaussianNB(), SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1))
    >>> model.fit(X, y).named_sets_
    [('flavanoids', 'proline'), ('alcohol', 'od280/od315_of_diluted_wines')]
    >>> few = X.drop(columns="proline")
    >>> model.which_set(few.head(3)).tolist(), model.predict(few.head(3)).tolist()
    ([1, 1, 1], [0, 0, 0])
    """

    def __init__(self, estimator: Any, selector: Any, losses: Any = None) -> None:
        self.estimator = estimator
        self.selector = selector
        self.losses = losses

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Find the sets, and fit a model to each of them.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, a frame (pandas, polars, Arrow) or a sparse matrix, which may have missing values.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, in the search and in the models.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, for a search that splits rows, and for models that do.
        """
        self.selector_ = self._searched(X, y, sample_weight, groups)
        validate_data(self, X, skip_check_array=True)
        self._take_sets(X, y, sample_weight, groups)
        values = column_or_1d(y, warn=True)
        if is_classifier(self.estimator):
            self.classes_ = np.unique(values)
        dummy = DummyClassifier(strategy="prior") if is_classifier(self.estimator) else DummyRegressor()
        # Times with events have no mean: all rows have the same risk.
        known = values if values.dtype.names is None else np.zeros(len(values))
        self.dummy_ = dummy.fit(np.zeros((len(values), 1)), known, sample_weight)
        beside = [None if one is None else np.asarray(one) for one in (sample_weight, groups)]
        table, complete = self._located(X)
        self.models_ = []
        for number, names in enumerate(self.named_sets_):
            rows = np.flatnonzero(complete[:, number])
            if not len(rows):
                raise InputError(
                    f"no row has all columns of set {number} ({list_some(names)}), so it can't have a model; leave out "
                    "columns that are hardly ever known."
                )
            of_rows = [None if one is None else one[rows] for one in beside]
            model, columns = clone(self.estimator), table(self._columns[number], rows)
            self.models_.append(models.fit(model, columns, values[rows], *of_rows))
        return self

    def _searched(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> SelectAlternatives:
        """Return the selector with its sets."""
        frozen = isinstance(self.selector, FrozenEstimator)
        selector = self.selector.estimator if frozen else self.selector
        if not isinstance(selector, SelectAlternatives):
            raise InputError(
                f"selector must be a SelectAlternatives, perhaps in FrozenEstimator; got {selector!r}."
            )
        if is_large(X) or is_anndata(X):
            raise InputError("models take tables in memory; pass a frame or an array, such as adata.to_df().")
        if frozen:
            check_is_fitted(selector)
            validate_data(selector, X, skip_check_array=True, reset=False)
            return selector
        task, searching = selector.task, clone(selector)
        if is_classifier(self.estimator):
            check_classification_targets(y)
            task = "classification" if task == "auto" else task
        elif is_regressor(self.estimator):
            task = "regression" if task == "auto" else task
        found: SelectAlternatives = searching.set_params(task=task)
        return found.fit(X, y, sample_weight=sample_weight, groups=groups)

    def _take_sets(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        found, self.losses_ = self.selector_, None
        sets: list[Sequence[int]] = [*found.result_.sets]
        if self.losses is not None:
            more = {"sample_weight": sample_weight, "groups": groups, "time_limit": found.time_limit}
            self.losses_ = found.what_if(X, y, feature_groups=self.losses, **more)
            sets += [loss.set for loss in self.losses_.losses if loss.set is not None]
            for caution in self.losses_.verdict.cautions:
                warn_user(caution)
        self.sets_ = list(dict.fromkeys(map(self._columns_of, sets)))
        names = [*map(str, getattr(self, "feature_names_in_", (f"x{n}" for n in range(self.n_features_in_))))]
        self.named_sets_ = [tuple(names[column] for column in chosen) for chosen in self.sets_]
        beside = FeatureNames.of(names).positions(request_of(found).adjust, "adjust")
        self._columns = [tuple(sorted({*chosen, *beside})) for chosen in self.sets_]

    def _columns_of(self, features: Sequence[int]) -> tuple[int, ...]:
        """The columns of features, which the selector numbers without those that it dropped."""
        return tuple(self.selector_._places[list(features)].tolist())

    def which_set(self, X: Any) -> Indices:
        """Return which set predicts each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for :meth:`predict`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            The number of the first set whose columns are all there and not missing; -1 if there is none.
        """
        check_is_fitted(self)
        return self._first(self._located(X)[1])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict each row by the first set whose columns it has; rows without one by :attr:`dummy_`, with a warning.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A frame with names may lack columns, and have others beside them, in any order. An array has all columns of
            ``fit``; those that are gone are nan.
        """
        return self._by_row(X, lambda model, table: model.predict(table))

    @available_if(_models_have("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[Any]:
        """Return the probabilities of :attr:`classes_`, of a table as for :meth:`predict`."""

        def probabilities(model: Any, table: Any) -> npt.NDArray[Any]:
            found = model.predict_proba(table)
            # Rows with all columns of a set may lack a class.
            every = np.zeros((len(found), len(self.classes_)))
            every[:, np.searchsorted(self.classes_, model.classes_)] = found
            return every

        return self._by_row(X, probabilities)

    @available_if(_models_have("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """Return the confidence scores of a table as for :meth:`predict`; log odds of classes where no set is there."""

        def decisions(model: Any, table: Any) -> npt.NDArray[Any]:
            if len(model.classes_) < len(self.classes_):
                raise InputError("some models have not seen all classes; use predict or predict_proba.")
            if model is not self.dummy_:
                return model.decision_function(table)  # type: ignore[no-any-return]
            logs: npt.NDArray[Any] = model.predict_log_proba(table)
            return logs[:, 1] - logs[:, 0] if len(self.classes_) == 2 else logs

        return self._by_row(X, decisions)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of predicted classes, or R² of numbers.

        Parameters
        ----------
        X, y : table and array-like
            Rows as for :meth:`predict`, and their target.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        """
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def scores(self, X: Any, y: Any, scoring: Any = None) -> Any:
        """Score each set alone, and all of them together after each loss; best on rows that ``fit`` has not seen.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            As for :meth:`predict`.
        y : array-like of shape (n_samples,)
            The target.
        scoring : str or callable, default=None
            A scorer of scikit-learn; by default Matthews correlation, or R² if the target is numeric.

        Returns
        -------
        DataFrame
            A row for each set (``set 0``), for all of them (``all sets``), and for each of ``losses``; without these,
            for each feature of set 0 (``without proline``). ``score``: of a set, on the rows that it covers; of the
            others, on all rows. ``covered``: the share of rows that a set covers; the dummy predicts the others.
        """
        check_is_fitted(self)
        values = column_or_1d(y)
        scorer = scorer_for(self, scoring, is_classifier(self), values)
        if self.losses_ is None:
            lost = {name: {column} for name, column in zip(self.named_sets_[0], self.sets_[0], strict=True)}
        else:
            lost = {loss.name: set(self._columns_of(loss.features)) for loss in self.losses_.losses}
        complete = self._located(X)[1]
        every = np.arange(len(values))
        views = [(f"set {number}", [number], np.flatnonzero(rows)) for number, rows in enumerate(complete.T)]
        for name, gone in [("all sets", set[int]()), *((f"without {one}", lost[one]) for one in lost)]:
            left = [number for number, chosen in enumerate(self.sets_) if gone.isdisjoint(chosen)]
            views.append((name, left, every))
        found = []
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=UNCOVERED)
            for _, numbers, rows in views:
                some, fewer = Original(X).part(rows).table, self._with_sets(numbers)
                found.append(scorer(fewer, some, values[rows]) if len(rows) else math.nan)
        covered = [complete[:, numbers].any(axis=1).mean() for _, numbers, _ in views]
        return frame_of({"sets": [name for name, *_ in views], "score": found, "covered": covered}).set_index(
            "sets"
        )

    def _with_sets(self, numbers: Sequence[int]) -> Self:
        """The same model with some of the sets only."""
        fewer = copy.copy(self)
        fewer.sets_ = [self.sets_[number] for number in numbers]
        fewer._columns = [self._columns[number] for number in numbers]
        fewer.models_ = [self.models_[number] for number in numbers]
        return fewer

    # --- Rows and their sets ------------------------------------------------------------------------------------------

    def _by_row(self, X: Any, predict: Predict) -> npt.NDArray[Any]:
        """Return what the model of the first complete set predicts for each row."""
        check_is_fitted(self)
        table, complete = self._located(X)
        which = self._first(complete)
        if n_left := int((which < 0).sum()):
            warn_user(
                f"{UNCOVERED} {n_left:,} of {counted(len(which), 'row')}; a model without features predicts them."
            )
        order, parts = [], []
        for number in np.unique(which).tolist():
            rows = np.flatnonzero(which == number)
            if number < 0:
                parts.append(predict(self.dummy_, np.zeros((len(rows), 1))))
            else:
                parts.append(predict(self.models_[number], table(self._columns[number], rows)))
            order.append(rows)
        return np.concatenate(parts)[np.argsort(np.concatenate(order))]

    @staticmethod
    def _first(complete: Bools) -> Indices:
        """The number of the first complete set of each row; -1 if there is none."""
        found = np.hstack([complete, np.ones((len(complete), 1), dtype=bool)]).argmax(axis=1)
        return np.where(found == complete.shape[1], -1, found)

    def _located(self, X: Any) -> tuple[Callable[[Sequence[int], Indices], Any], Bools]:
        """Return a function for columns of ``fit`` in some rows, and which sets are complete in which rows."""
        names = names_in(X)
        if names is None or not hasattr(self, "feature_names_in_"):
            frame = hasattr(X, "columns") or hasattr(X, "column_names")
            X = validate_data(self, X, **ANY_TABLE, skip_check_array=frame, reset=False)
            place = {column: column for column in range(self.n_features_in_)}
        else:
            known = {name: place for place, name in enumerate(names)}
            if len(known) < len(names):
                twice = [name for name, count in Counter(names).items() if count > 1]
                raise InputError(
                    f"X has more than one column of the name {list_some(twice)}; keep one of each."
                )
            place = {
                column: known[name] for column, name in enumerate(self.feature_names_in_) if name in known
            }
            if not place:
                raise InputError(
                    f"X has none of the {self.n_features_in_} columns that FallbackEstimator was fitted to "
                    f"({list_some(self.feature_names_in_.tolist())}); name its columns like these."
                )
        if not _num_samples(X):
            raise InputError("X has no rows.")
        there = [column for column in sorted(set(chain(*self._columns))) if column in place]
        some = Original(X)([place[column] for column in there])
        missing = dict(zip(there, missing_cells(some).T, strict=True)) if there else {}
        gone = np.ones(_num_samples(X), dtype=bool)
        lacking = [
            np.any([missing.get(column, gone) for column in chosen], axis=0) for chosen in self._columns
        ]
        complete = ~np.array(lacking, dtype=bool).reshape(-1, len(gone)).T

        def table(columns: Sequence[int], rows: Indices) -> Any:
            return Original(some).part(rows)([there.index(column) for column in columns])

        return table, complete

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        model, search = get_tags(self.estimator), get_tags(self.selector)
        tags.estimator_type = model.estimator_type
        tags.classifier_tags = model.classifier_tags
        tags.regressor_tags = model.regressor_tags
        tags.target_tags.required = True
        tags.input_tags.sparse = model.input_tags.sparse and search.input_tags.sparse
        tags.input_tags.allow_nan = search.input_tags.allow_nan
        tags.input_tags.string = search.input_tags.string
        tags.input_tags.categorical = search.input_tags.categorical
        return tags
