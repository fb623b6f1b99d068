"""Classifiers that take classes as the codes 0, 1, ... only, such as those of xgboost."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier


class CodedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is fitted to the codes of classes, and predicts the classes."""

    def __init__(self, fitted: Any = None, classes: npt.NDArray[Any] | None = None) -> None:
        self.fitted, self.classes = fitted, classes

    @property
    def classes_(self) -> npt.NDArray[Any] | None:
        """The classes, sorted as their codes are."""
        return self.classes

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The classes of rows."""
        assert self.classes is not None
        return np.asarray(self.classes[np.asarray(self.fitted.predict(X)).astype(np.intp)])

    def __getattr__(self, name: str) -> Any:
        # Probabilities and the like are in the order of the classes.
        if name.startswith("__") or name == "fitted":
            raise AttributeError(name)
        return getattr(self.fitted, name)


def codes_of(model: Any, labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]] | None:
    """The classes and the codes for a classifier that refused the classes; None if they are codes already."""
    if labels.ndim != 1 or labels.dtype.names is not None or not is_classifier(model):
        return None
    classes, codes = np.unique(labels, return_inverse=True)
    return None if np.array_equal(classes, np.arange(len(classes))) else (classes, codes)
