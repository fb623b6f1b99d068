"""Fitted pipelines without the columns that their set does not have."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from altsets.arrays import Indices
from altsets.errors import InputError, UnsupportedError
from altsets.selector._column_selector import ColumnSelector, fitted_like

#: Transformers of scikit-learn that treat each column for itself, and what they learn: the last axis is the columns.
PER_COLUMN = {
    "MaxAbsScaler": ("max_abs_", "scale_"),
    "MinMaxScaler": ("data_max_", "data_min_", "data_range_", "min_", "scale_"),
    "PowerTransformer": ("lambdas_",),
    "QuantileTransformer": ("quantiles_",),
    "RobustScaler": ("center_", "scale_"),
    "SimpleImputer": ("statistics_",),
    "StandardScaler": ("mean_", "n_samples_seen_", "scale_", "var_"),
}


def reduced(model: Any) -> Any:
    """Cut a fitted pipeline down to the columns of its set, so that it predicts from these alone.

    A pipeline expects all columns that it was fitted to, also those that its selector drops. The reduced one expects
    the columns of the set and gives the same predictions, without another fit.

    Parameters
    ----------
    model : Pipeline, SelectAlternatives or SelectFeatures
        A fitted selector, or a fitted pipeline with one. Steps before the selector must treat each column for itself:
        ``StandardScaler``, ``MinMaxScaler``, ``MaxAbsScaler``, ``RobustScaler``, ``PowerTransformer``,
        ``QuantileTransformer``, ``SimpleImputer`` without indicator, and other selectors. Steps after it may be
        anything.

    Returns
    -------
    Pipeline or SelectFeatures
        A fitted copy; the model itself stays as it is. ``feature_names_in_`` are the columns of the set, in the order
        of the table. With a selector as its first step, it takes frames with these columns in any order, and with
        others beside them; arrays have these columns in this order, and no others.

    See Also
    --------
    altsets.SelectAlternatives.get_alternative : Another set as a selector of its own.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> import altsets
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(altsets.SelectAlternatives("f", n_features=3), GaussianNB()).fit(X, y)
    >>> small = altsets.reduced(model)
    >>> small.feature_names_in_.tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    >>> bool((small.predict(X[small.feature_names_in_]) == model.predict(X)).all())
    True
    """
    if isinstance(model, ColumnSelector):
        return _keep_columns(model, np.arange(model.get_support().sum()))[0]
    steps = list(model.steps) if isinstance(model, Pipeline) else []
    places = [place for place, (_, step) in enumerate(steps) if isinstance(step, ColumnSelector)]
    if not places:
        raise InputError(
            "reduced() takes a fitted SelectAlternatives or SelectFeatures, or a pipeline that has one as a step, not "
            f"{_described(model, steps)}."
        )
    small = copy.copy(model)
    small.steps = [
        (name, step if n < places[-1] else copy.deepcopy(step)) for n, (name, step) in enumerate(steps)
    ]
    kept = np.arange(steps[places[-1]][1].get_support().sum())
    for place in range(places[-1], -1, -1):
        name, step = steps[place]
        if step not in (None, "passthrough"):
            step, kept = _keep_columns(step, kept)
        small.steps[place] = name, step
    return small


def _described(model: Any, steps: list[Any]) -> str:
    listed = f" of {', '.join(type(step).__name__ for _, step in steps)}" if steps else ""
    return f"a {type(model).__name__}{listed}" if isinstance(model, BaseEstimator) else repr(model)


def _keep_columns(step: Any, wanted: Indices) -> tuple[Any, Indices]:
    """A step that makes only these of the columns that it makes, and the columns that it needs for them."""
    check_is_fitted(step)
    if isinstance(step, SelectorMixin):
        kept = step.get_support(indices=True)[wanted]
        selector = fitted_like(step, kept.tolist())
        _narrow(selector, kept, step)
        selector._kept = list(range(len(kept)))
        if not selector._by_name:
            selector.features = selector._kept
        return selector, kept
    own = type(step).__module__.startswith("sklearn.")
    learned = PER_COLUMN.get(type(step).__name__) if own else None
    if learned is None or getattr(step, "add_indicator", False):
        raise UnsupportedError(
            f"reduced() cannot cut down {step!r}, a step before the selector: it is not known to treat each column for "
            f"itself. Let the selector be the first step, or use one of {', '.join(PER_COLUMN)} (without indicator)."
        )
    small: Any = copy.deepcopy(step)
    # An imputer may drop columns without any value; x0, x1 and so on are the names of columns without names.
    if hasattr(small, "feature_names_in_"):
        del small.feature_names_in_
    kept = np.array([int(name[1:]) for name in small.get_feature_names_out()])[wanted]
    for name in learned:
        values: Any = getattr(step, name, None)
        # Without a mean or a scale there is None, and one number if all columns have as many values.
        if isinstance(values, np.ndarray) and values.ndim:
            setattr(small, name, values[..., kept])
    if hasattr(step, "_scaler"):
        small._scaler = _keep_columns(step._scaler, kept)[0]
    _narrow(small, kept, step)
    return small, kept


def _narrow(small: Any, kept: Indices, step: Any) -> None:
    """Let a step expect these columns of another one."""
    small.n_features_in_ = len(kept)
    if hasattr(step, "feature_names_in_"):
        small.feature_names_in_ = step.feature_names_in_[kept]
