"""Models that refuse the names of columns or classes: they get others, and what they predict is translated.

Those of xgboost take classes as 0, 1, ... only, and no name with a bracket; those of lightgbm no characters of JSON.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import wraps
from typing import Any
from weakref import WeakSet

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.utils import get_tags

from altsets.arrays import Floats
from altsets.measures.models import fit, last_step

#: Names of columns that every model takes.
PLAIN = re.compile(r"\w+", re.ASCII)
#: Kinds of models that refused other names; they are asked with plain ones first.
_want_plain: WeakSet[type] = WeakSet()


class _Adapted(BaseEstimator):  # type: ignore[misc]
    """A fitted model whose attributes are those of this one, unless they are translated."""

    def __init__(self, fitted: Any = None) -> None:
        self.fitted = fitted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "fitted":
            raise AttributeError(name)
        return getattr(self.fitted, name)


class CodedClassifier(ClassifierMixin, _Adapted):  # type: ignore[misc]
    """A classifier that is fitted to the codes of classes, and predicts the classes; ``classes_`` are sorted."""

    def __init__(self, fitted: Any = None, classes: npt.NDArray[Any] | None = None) -> None:
        super().__init__(fitted)
        self.classes = classes

    @property
    def classes_(self) -> npt.NDArray[Any] | None:
        return self.classes

    def predict(self, X: Any) -> npt.NDArray[Any]:
        assert self.classes is not None
        return np.asarray(self.classes[np.asarray(self.fitted.predict(X)).astype(np.intp)])


class PlainlyNamed(_Adapted):
    """A model that is fitted to columns with plain names, and gets no others."""

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.fitted)

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if not callable(found):
            return found

        @wraps(found)
        def call(*given: Any, **options: Any) -> Any:
            return found(*map(plainly_named, given), **options)

        return call


def fit_adapted(
    model: Any,
    table: Any,
    values: npt.NDArray[Any],
    weights: Floats | None = None,
    groups: npt.NDArray[Any] | None = None,
) -> Any:
    """Fit a model; one that refuses names of columns gets plain ones, a classifier that refuses classes their codes."""
    # Transformers are left alone: others rely on the names that they give.
    plain = plainly_named(table) if hasattr(model, "predict") else table
    if plain is not table and type(model) in _want_plain:
        with suppress(Exception):
            return PlainlyNamed(fit_adapted(model, plain, values, weights, groups))
    try:
        return fit(model, table, values, weights, groups)
    except Exception as error:
        if plain is not table and "name" in str(error).lower():
            with suppress(Exception):
                fitted = PlainlyNamed(fit_adapted(model, plain, values, weights, groups))
                if last_step(model) is model:
                    _want_plain.add(type(model))
                return fitted
        coded = codes_of(model, values) if isinstance(error, ValueError) else None
        if coded is not None:
            classes, codes = coded
            with suppress(Exception):
                return CodedClassifier(fit_adapted(model, table, codes, weights, groups), classes)
        raise


def plainly_named(table: Any) -> Any:
    """The frame with a neutral name in place of each that a model may refuse; what has plain names, or none, itself."""
    of_arrow = hasattr(table, "column_names")
    labels = list(table.column_names if of_arrow else getattr(table, "columns", ()))
    if all(isinstance(label, str) and PLAIN.fullmatch(label) for label in labels):
        return table
    names = [_plain(label, place, labels) for place, label in enumerate(labels)]
    if of_arrow:
        return table.rename_columns(names)
    if hasattr(table, "set_axis"):
        return table.set_axis(names, axis=1)
    return table.rename(dict(zip(labels, names, strict=True)))


def _plain(label: Any, place: int, labels: list[Any]) -> str:
    if isinstance(label, str) and PLAIN.fullmatch(label):
        return label
    name = f"x{place}"
    while name in labels:
        name += "_"
    return name


def codes_of(model: Any, labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]] | None:
    """The classes and the codes for a classifier that refused the classes; None if they are codes already."""
    if labels.ndim != 1 or labels.dtype.names is not None or not is_classifier(model):
        return None
    classes, codes = np.unique(labels, return_inverse=True)
    return None if np.array_equal(classes, np.arange(len(classes))) else (classes, codes)
