"""Models of survival: a Cox model, and lifelines' models as scikit-learn has models."""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from altsets.arrays import Floats
from altsets.measures.risk_sets import ConcordanceScorer, maximum
from altsets.tables.conversion import pandas_frame
from altsets.tables.survival import Survival
from altsets.tables.target import vector_of


class CoxModel(BaseEstimator):  # type: ignore[misc]
    """Cox's proportional hazards with a penalty, fitted by Newton's method; events at one time as Efron has them.

    Columns should have been scaled. ``predict`` returns the risk: the logarithm of the relative hazard. ``alpha`` is
    the penalty on squared coefficients, above 0, so that there is a fit whatever the columns; ``sparsity`` that on
    absolute ones, as a share of the smallest one that leaves none.
    """

    def __init__(self, alpha: float = 1.0, sparsity: float = 0.0) -> None:
        self.alpha = alpha
        self.sparsity = sparsity

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        matrix = np.asarray(X, dtype=np.float64)
        target = Survival.of(vector_of(y, len(matrix)))
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.n_features_in_ = matrix.shape[1]
        self.coef_ = maximum(matrix - matrix.mean(axis=0), target, weights, self.alpha, self.sparsity)
        return self

    def predict(self, X: Any) -> Floats:
        risk: Floats = np.asarray(X, dtype=np.float64) @ self.coef_
        return risk

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return ConcordanceScorer()(self, X, y, sample_weight)


class LifelinesModel(BaseEstimator):  # type: ignore[misc]
    """A model of lifelines, which takes a frame with columns for times and events, as scikit-learn has models."""

    def __init__(self, fitter: Any) -> None:
        self.fitter = fitter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        target = Survival.of(vector_of(y, len(y)))
        frame = pandas_frame(X)
        frame["altsets_time"], frame["altsets_event"] = target.time, target.event
        given: dict[str, Any] = {"duration_col": "altsets_time", "event_col": "altsets_event"}
        if sample_weight is not None:
            frame["altsets_weight"] = np.asarray(sample_weight, dtype=np.float64)
            given["weights_col"] = "altsets_weight"
        self.fitted_ = deepcopy(self.fitter).fit(frame, **given)
        return self

    def predict(self, X: Any) -> Floats:
        frame = pandas_frame(X)
        if hasattr(self.fitted_, "predict_partial_hazard"):
            return np.asarray(self.fitted_.predict_partial_hazard(frame), dtype=np.float64).ravel()
        return -np.asarray(self.fitted_.predict_median(frame), dtype=np.float64).ravel()


def as_survival_model(estimator: Any) -> Any:
    """A model that takes a matrix and a survival target: lifelines' are wrapped, others are as they are."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        return estimator
    takes = inspect.signature(estimator.fit).parameters
    return LifelinesModel(estimator) if "duration_col" in takes else estimator
